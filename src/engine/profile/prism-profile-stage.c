#include "config.h"

#include "profile/prism-profile-stage.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static const char *const stages[PRISM_N_STAGES] = {
  [PRISM_STAGE_WAIT] = "wait",
  [PRISM_STAGE_COMMAND] = "command",
  [PRISM_STAGE_WORK] = "work",
  [PRISM_STAGE_OBJECT] = "object",
  [PRISM_STAGE_PATTERN] = "pattern",
  [PRISM_STAGE_MEASURE] = "measure",
  [PRISM_STAGE_EXPOSE] = "expose",
  [PRISM_STAGE_TRAIN] = "train",
  [PRISM_STAGE_FORWARD] = "forward",
  [PRISM_STAGE_TELESCOPE] = "telescope",
  [PRISM_STAGE_LOSS] = "loss",
  [PRISM_STAGE_BACKWARD] = "backward",
  [PRISM_STAGE_UPDATE] = "update",
  [PRISM_STAGE_LIVE] = "live-picture",
  [PRISM_STAGE_REFINE] = "refinement",
  [PRISM_STAGE_PASS] = "pass",
  [PRISM_STAGE_FIELDS] = "fields",
  [PRISM_STAGE_ALIGN] = "alignment",
  [PRISM_STAGE_JUDGE] = "judge",
  [PRISM_STAGE_METRICS] = "metrics",
  [PRISM_STAGE_MOMENT] = "moment",
  [PRISM_STAGE_PUBLISH] = "publish",
  [PRISM_STAGE_SAVE] = "save",
  [PRISM_STAGE_EXPORT] = "export",
  [PRISM_STAGE_COLLECT] = "collect",
  [PRISM_STAGE_RASTER] = "raster",
  [PRISM_STAGE_DRAW] = "draw",
};

static const char *const labels[PRISM_N_STAGES] = {
  [PRISM_STAGE_WAIT] = NC_ ("stage", "waiting"),
  [PRISM_STAGE_COMMAND] = NC_ ("stage", "commands"),
  [PRISM_STAGE_WORK] = NC_ ("stage", "other work"),
  [PRISM_STAGE_OBJECT] = NC_ ("stage", "object"),
  [PRISM_STAGE_PATTERN] = NC_ ("stage", "pattern"),
  [PRISM_STAGE_MEASURE] = NC_ ("stage", "measurement"),
  [PRISM_STAGE_EXPOSE] = NC_ ("stage", "exposure"),
  [PRISM_STAGE_TRAIN] = NC_ ("stage", "training"),
  [PRISM_STAGE_FORWARD] = NC_ ("stage", "forward"),
  [PRISM_STAGE_TELESCOPE] = NC_ ("stage", "telescope"),
  [PRISM_STAGE_LOSS] = NC_ ("stage", "loss"),
  [PRISM_STAGE_BACKWARD] = NC_ ("stage", "backward"),
  [PRISM_STAGE_UPDATE] = NC_ ("stage", "update"),
  [PRISM_STAGE_LIVE] = NC_ ("stage", "live picture"),
  [PRISM_STAGE_REFINE] = NC_ ("stage", "refinement"),
  [PRISM_STAGE_PASS] = NC_ ("stage", "passes"),
  [PRISM_STAGE_FIELDS] = NC_ ("stage", "fields"),
  [PRISM_STAGE_ALIGN] = NC_ ("stage", "alignment"),
  [PRISM_STAGE_JUDGE] = NC_ ("stage", "judgement"),
  [PRISM_STAGE_METRICS] = NC_ ("stage", "metrics"),
  [PRISM_STAGE_MOMENT] = NC_ ("stage", "moments"),
  [PRISM_STAGE_PUBLISH] = NC_ ("stage", "publishing"),
  [PRISM_STAGE_SAVE] = NC_ ("stage", "saving"),
  [PRISM_STAGE_EXPORT] = NC_ ("stage", "export"),
  [PRISM_STAGE_COLLECT] = NC_ ("stage", "collecting"),
  [PRISM_STAGE_RASTER] = NC_ ("stage", "colouring"),
  [PRISM_STAGE_DRAW] = NC_ ("stage", "drawing"),
};

static const char *const counters[PRISM_N_COUNTERS] = {
  [PRISM_COUNTER_DEVICE_MEMORY] = "device-memory",
  [PRISM_COUNTER_STEP_RATE] = "steps-per-second",
  [PRISM_COUNTER_HOST_MEMORY] = "host-memory",
  [PRISM_COUNTER_CACHE_HITS] = "cache-hits",
  [PRISM_COUNTER_QUEUE] = "queue",
  [PRISM_COUNTER_ARRAYS] = "array-memory",
};

static int
find (const char *const *ids,
      int n,
      const char *id)
{
  for (int i = 0; i < n; i++)
    if (strcmp (ids[i], id) == 0)
      return i;
  return -1;
}

/**
 * prism_stage_get_id:
 * @self: a stage
 *
 * Returns: (transfer none): its name in files and tables
 */
const char *
prism_stage_get_id (PrismStage self)
{
  return stages[self];
}

/**
 * prism_stage_get_label:
 * @self: a stage
 *
 * Returns: (transfer none): its name in sentences and on pages, in the user's language
 */
const char *
prism_stage_get_label (PrismStage self)
{
  return g_dpgettext2 (GETTEXT_PACKAGE, "stage", labels[self]);
}

/**
 * prism_stage_find:
 * @id: a name
 *
 * Returns: the stage of that name, -1 for none
 */
int
prism_stage_find (const char *id)
{
  return find (stages, PRISM_N_STAGES, id);
}

/**
 * prism_counter_get_id:
 * @self: a counter
 *
 * Returns: (transfer none): its name in files and tables
 */
const char *
prism_counter_get_id (PrismCounter self)
{
  return counters[self];
}

/**
 * prism_counter_find:
 * @id: a name
 *
 * Returns: the counter of that name, -1 for none
 */
int
prism_counter_find (const char *id)
{
  return find (counters, PRISM_N_COUNTERS, id);
}
