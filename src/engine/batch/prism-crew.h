/* prism-crew: one process of prism-cli that does several runs side by side, each in a thread and in
 * streams of its own: on a GPU processes of their own would take turns.
 *
 * Thread: that of the main context in which it was made. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _PrismCrew PrismCrew;

typedef struct
{
  /* After each run: how “prism-cli run” would have ended, and what it would have said last. */
  void (*over) (PrismCrew  *self,
                guint       item,
                int         status,
                const char *message,
                gpointer    data);
  /* The process is gone, and what it was at is lost. signal is 0 where it ended by itself. The crew
   * may be freed here. */
  void (*gone) (PrismCrew *self,
                int        signal,
                gpointer   data);
} PrismCrewFuncs;

PrismCrew *prism_crew_new  (const char            *program,
                            const PrismCrewFuncs  *funcs,
                            gpointer               data,
                            GError               **error);
void       prism_crew_free (PrismCrew *self);
void       prism_crew_send (PrismCrew  *self,
                            guint       item,
                            char      **command);
void       prism_crew_stop (PrismCrew *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCrew, prism_crew_free)

G_END_DECLS
