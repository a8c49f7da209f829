/* prism-system: the machine and this process: what may be taken of memory and processors,
 * limits, children. */
#pragma once

#include <gio/gio.h>
#include <glib.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* What the program runs on: processor, memory, library versions. */

typedef struct
{
  const char *name;                     /* "GLib" */
  char *version;                        /* "2.74.6" */
} PrismLibrary;

GPtrArray *prism_system_dup_libraries  (void);
char      *prism_system_dup_processor  (void);
guint64    prism_system_get_memory     (void);
guint64    prism_system_get_peak_memory (void);
void       prism_system_add_versions   (JsonBuilder *builder);

/* How much memory a program may still take, and takes, and how many processors it
 * has. Thread: any. */

guint64 prism_available_get_memory      (void);
guint64 prism_available_get_resident    (void);
guint64 prism_available_read_system     (const char *root);
guint   prism_available_get_processors  (void);
guint   prism_available_read_processors (const char *root,
                                         guint       n_assigned);

/* How busy the processors were between two moments, with this program and with others.
 * Thread: any. */

/* Seconds of all processors together. */
typedef struct
{
  double own;                           /* of this process, all threads */
  double busy;                          /* of all programs; NAN where the system does not say */
  double all;                           /* what there was */
} PrismLoad;

void   prism_load_begin    (PrismLoad *self);
void   prism_load_end      (PrismLoad *self);
double prism_load_get_left (const PrismLoad *self);

/* What holds for a whole process, set once when it begins. */

void   prism_process_init      (void);
gint64 prism_process_get_start (void);

/* How the C library keeps the memory of a program that runs for hours. */

void prism_heap_init      (void);
void prism_heap_give_back (void);

/* A program that this one has started, and how it ended. */

typedef struct
{
  int status; /* 0 when a signal has ended it */
  int signal; /* 0: it has ended by itself */
} PrismChildEnd;

char         *prism_program_find          (const char *name);
void          prism_child_end_with_parent (gpointer signal);
PrismChildEnd prism_child_get_end         (GSubprocess *process);
gboolean      prism_child_was_asked       (const PrismChildEnd *self);
char         *prism_child_dup_message     (const PrismChildEnd *self,
                                           const char          *errors);

G_END_DECLS
