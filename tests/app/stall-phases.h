/* stall-phases: equal parts of equal runs, compared with each other. What the machine itself needs
 * more of in time is in there, too; soak-meter of the engine tells that apart. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double time;                          /* s, at its end */
  double computed;                      /* ms of the engine's thread per step */
  double elapsed;                       /* ms per step */
} StallPhase;

typedef struct
{
  GArray *phases;                       /* of StallPhase */
  double seconds;                       /* of the whole measurement */
} StallPhases;

void stall_phases_init  (StallPhases *self,
                         double       seconds);
void stall_phases_clear (StallPhases *self);
void stall_phases_add   (StallPhases *self,
                         StallPhase   phase);
void stall_phases_print (StallPhases *self);

G_END_DECLS
