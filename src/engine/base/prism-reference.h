/* prism-reference: values that several own, and that go with the last of them. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* NAME_ref() returns the same value with one more owner, NAME_unref() takes one away; both take
 * NULL. */
#define PRISM_DECLARE_REFERENCES(Type, name) \
  Type *name##_ref (Type *self);             \
  void name##_unref (Type *self);            \
  G_DEFINE_AUTOPTR_CLEANUP_FUNC (Type, name##_unref)

/* Counts owners in self->ref_count; clear (self) frees what self holds. The macros, unlike
 * g_atomic_ref_count_inc(), are compiled here and so seen by ThreadSanitizer. */
#define PRISM_DEFINE_REFERENCES(Type, name, clear)                      \
  Type *name##_ref (Type *self)                                         \
  {                                                                     \
    if (self != NULL)                                                   \
      g_atomic_int_inc (&self->ref_count);                              \
    return self;                                                        \
  }                                                                     \
                                                                        \
  void name##_unref (Type *self)                                        \
  {                                                                     \
    if (self != NULL && g_atomic_int_dec_and_test (&self->ref_count))   \
      {                                                                 \
        clear (self);                                                   \
        g_free (self);                                                  \
      }                                                                 \
  }

G_END_DECLS
