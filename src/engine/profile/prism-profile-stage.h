/* prism-profile-stage: the one table of what a profile tells apart: stages and counters.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A stage may stand within another: self time is what its inner stages leave. */
typedef enum
{
  PRISM_STAGE_WAIT,                     /* for a command */
  PRISM_STAGE_COMMAND,
  PRISM_STAGE_WORK,                     /* what no inner stage names */
  PRISM_STAGE_OBJECT,
  PRISM_STAGE_PATTERN,
  PRISM_STAGE_MEASURE,
  PRISM_STAGE_EXPOSE,
  PRISM_STAGE_TRAIN,                    /* a chunk of steps */
  PRISM_STAGE_FORWARD,
  PRISM_STAGE_TELESCOPE,                /* transforms, losses and their gradient */
  PRISM_STAGE_LOSS,                     /* with the columns' transforms, on the CPU */
  PRISM_STAGE_BACKWARD,
  PRISM_STAGE_UPDATE,                   /* with the weights' gradient, on the CPU */
  PRISM_STAGE_LIVE,
  PRISM_STAGE_REFINE,
  PRISM_STAGE_PASS,                     /* part of a pass through the measurements */
  PRISM_STAGE_FIELDS,                   /* those behind the frames are searched */
  PRISM_STAGE_ALIGN,                    /* their phases, and the gaps between them */
  PRISM_STAGE_JUDGE,
  PRISM_STAGE_METRICS,
  PRISM_STAGE_MOMENT,
  PRISM_STAGE_PUBLISH,
  PRISM_STAGE_SAVE,
  PRISM_STAGE_EXPORT,
  PRISM_STAGE_COLLECT,                  /* the window takes a snapshot over */
  PRISM_STAGE_RASTER,                   /* values become colours */
  PRISM_STAGE_DRAW,
  PRISM_N_STAGES,
} PrismStage;

typedef enum
{
  PRISM_COUNTER_DEVICE_MEMORY,          /* bytes */
  PRISM_COUNTER_STEP_RATE,              /* 1/s */
  PRISM_COUNTER_HOST_MEMORY,            /* bytes of the process that are in memory */
  PRISM_COUNTER_CACHE_HITS,             /* since the program began */
  PRISM_COUNTER_QUEUE,                  /* commands that wait for the engine */
  PRISM_COUNTER_ARRAYS,                 /* bytes of all arrays of prism-arena, at each change */
  PRISM_N_COUNTERS,
} PrismCounter;

const char *prism_stage_get_id      (PrismStage self);
const char *prism_stage_get_label   (PrismStage self);
int         prism_stage_find        (const char *id);
const char *prism_counter_get_id    (PrismCounter self);
int         prism_counter_find      (const char *id);

G_END_DECLS
