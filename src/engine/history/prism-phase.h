/* prism-phase: where a run stands. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_STATE_IDLE,                     /* configured or empty, nothing runs */
  PRISM_STATE_PREPARING,
  PRISM_STATE_RUNNING,
  PRISM_STATE_PAUSED,
  PRISM_STATE_STOPPED,                  /* by the user; the result is kept */
  PRISM_STATE_FINISHED,
  PRISM_STATE_FAILED,                   /* see message */
} PrismState;

typedef enum
{
  PRISM_PHASE_PREPARE,
  PRISM_PHASE_START,                    /* the decoder is fitted to the start image */
  PRISM_PHASE_SAMPLES,
  PRISM_PHASE_POLISH,                   /* ePIE, also the whole run of method = epie */
  PRISM_PHASE_DONE,
} PrismPhase;

G_END_DECLS
