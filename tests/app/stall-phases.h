/* stall-phases: equal parts of equal runs, compared with each other and with a process that begins
 * anew each time: what both need more of in time is the machine's fault. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  double time;                          /* s, at its end */
  double computed;                      /* ms of the engine's thread per step */
  double elapsed;                       /* ms per step */
  double ratio;                         /* of computed to what a new process needed; NAN without */
} StallPhase;

typedef struct
{
  GArray *phases;                       /* of StallPhase */
  double seconds;                       /* of the whole measurement */
  char *control;                        /* (nullable): command of the new process */
  double before;                        /* ms that all processes before it needed */
  GSourceFunc done;
  gpointer user;
} StallPhases;

void stall_phases_init    (StallPhases *self,
                           double       seconds);
void stall_phases_clear   (StallPhases *self);
void stall_phases_add     (StallPhases *self,
                           StallPhase   phase);
void stall_phases_control (StallPhases *self,
                           GSourceFunc  done,
                           gpointer     user);
void stall_phases_print   (StallPhases *self);

G_END_DECLS
