/* prism-class: what a class says of its objects, once: the signals and properties that they have,
 * and what is given back with them. Thread: main. */
#pragma once

#include "base/prism-each.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* The members of @Type that free () clears when an object is disposed of, in the order of calls;
 * g_source_remove () stops sources by their numbers. */
#define PRISM_DISPOSE(klass, Type, free, ...)                                                      \
  prism_class_give_back (klass, FALSE, G_CALLBACK (free), PRISM_OFFSETS (Type, __VA_ARGS__))

/* The same when it is freed: what is asked for after the object was disposed of. */
#define PRISM_FINALIZE(klass, Type, free, ...)                                                     \
  prism_class_give_back (klass, TRUE, G_CALLBACK (free), PRISM_OFFSETS (Type, __VA_ARGS__))

/* func (self), which may come more than once, when an object is disposed of. */
#define PRISM_ON_DISPOSE(klass, func)                                                              \
  prism_class_give_back (klass, FALSE, G_CALLBACK (func), (const gssize[]) { 0 })

/* func (self) when it is freed. */
#define PRISM_ON_FINALIZE(klass, func)                                                             \
  prism_class_give_back (klass, TRUE, G_CALLBACK (func), (const gssize[]) { 0 })

#define PRISM_OFFSETS(Type, ...)                                                                   \
  (const gssize[]) { PRISM_SCAN (PRISM_EACH (PRISM_OFFSET, Type, , __VA_ARGS__)) 0 }
#define PRISM_OFFSET(Type, none, member) G_STRUCT_OFFSET (Type, member),

void prism_class_give_back (gpointer      klass,
                            gboolean      late,
                            GCallback     free,
                            const gssize *offsets);

/* A new @Type that holds these values, in the order of its members. */
#define PRISM_NEW(Type, ...) ((Type *) g_memdup2 (&(const Type) { __VA_ARGS__ }, sizeof (Type)))

/* func (@data) in @delay ms, 0: once the main loop is idle. *@id is the source until then; one
 * that waits is put off. */
void prism_later (guint    *id,
                  guint     delay,
                  gpointer  func,
                  gpointer  data);

/* Lets *@slot hold what @dup makes of @value (nullable), and what it held be freed; FALSE where it
 * holds the same already. Texts are the same that read the same. */
gboolean prism_keep      (gpointer      slot,
                          gconstpointer value,
                          gpointer      dup,
                          gpointer      free);
gboolean prism_keep_text (char       **slot,
                          const char  *text);

void prism_signal_new (gpointer    klass,
                       const char *name,
                       guint       n,
                       ...);

/* func (@object) follows a signal, as long as both live. */
#define PRISM_CONNECT(instance, signal, func, object)                                              \
  g_signal_connect_object (instance, signal, G_CALLBACK (func), object, G_CONNECT_SWAPPED)

/* A property that is a member and has its name; changed (self) follows when it is written, NULL: it
 * is only read. */
#define PRISM_FIELD(klass, Type, member, type, changed)                                            \
  prism_property_new (klass, #member, type, G_STRUCT_OFFSET (Type, member), NULL, changed)

void prism_property_new    (gpointer    klass,
                            const char *name,
                            GType       type,
                            gsize       offset,
                            gpointer    get,
                            gpointer    set);
void prism_property_stored (gpointer object);

G_END_DECLS
