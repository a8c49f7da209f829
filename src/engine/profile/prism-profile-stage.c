#include "config.h"

#include "profile/prism-profile-stage.h"

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
  [PRISM_STAGE_BACKWARD] = "backward",
  [PRISM_STAGE_LIVE] = "live-picture",
  [PRISM_STAGE_REFINE] = "refinement",
  [PRISM_STAGE_PASS] = "pass",
  [PRISM_STAGE_JUDGE] = "judge",
  [PRISM_STAGE_METRICS] = "metrics",
  [PRISM_STAGE_MOMENT] = "moment",
  [PRISM_STAGE_PUBLISH] = "publish",
  [PRISM_STAGE_SAVE] = "save",
  [PRISM_STAGE_EXPORT] = "export",
};

static const char *const counters[PRISM_N_COUNTERS] = {
  [PRISM_COUNTER_DEVICE_MEMORY] = "device-memory",
  [PRISM_COUNTER_STEP_RATE] = "steps-per-second",
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
