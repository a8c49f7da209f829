/* stall-phases: equal parts of equal runs, compared with each other and with a new process that
 * shares a processor with the run meanwhile: what both need more of is the machine's fault. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct
{
  double time;                          /* s, at its end */
  double computed;                      /* ms of the engine's thread per step */
  double elapsed;                       /* ms per step */
  double control;                       /* ms that a new process needed meanwhile; NAN without */
} StallPhase;

typedef struct
{
  GArray *phases;                       /* of StallPhase */
  double seconds;                       /* of the whole measurement */
  char *control;                        /* (nullable): command of the new process */
  double before;                        /* ms that all processes before it needed */
  double newest;                        /* ms that the newest needed; NAN while it runs */
  gboolean running;
} StallPhases;

void     stall_phases_init    (StallPhases *self,
                               double       seconds);
void     stall_phases_clear   (StallPhases *self);
gboolean stall_phases_begin   (StallPhases *self);
gboolean stall_phases_is_over (const StallPhases *self);
void     stall_phases_add     (StallPhases *self,
                               StallPhase   phase);
void     stall_phases_print   (StallPhases *self);

G_END_DECLS
