#include "config.h"

#include "run/prism-run-snapshot.h"

#include "base/prism-record.h"

#include <float.h>

#define MANY G_MAXINT32
#define LARGE DBL_MAX
#define FIELD(...) PRISM_RECORD_FIELD (PrismSnapshot, __VA_ARGS__)
#define COUNT(member) FIELD (member, COUNT, 0, PRISM_RECORD_MOST)
#define INTEGER(member) FIELD (member, INTEGER, 0, MANY)
#define REAL(member) FIELD (member, REAL, -LARGE, LARGE)
#define METRIC(key, ...) \
  PRISM_RECORD_PART (PrismSnapshot, #key, metrics.key, REAL, -LARGE, LARGE, TRUE),

/* What older programs did not write. */
#define LATER(name, member, type, maximum) \
  PRISM_RECORD_PART (PrismSnapshot, name, member, type, 0, maximum, TRUE)
#define TRANSFERS(kind, index)                                                                    \
  LATER (kind "_to_device", counters.n_to_device[index], COUNT, PRISM_RECORD_MOST),               \
      LATER (kind "_to_device_bytes", counters.bytes_to_device[index], COUNT, PRISM_RECORD_MOST), \
      LATER (kind "_to_host", counters.n_to_host[index], COUNT, PRISM_RECORD_MOST),               \
      LATER (kind "_to_host_bytes", counters.bytes_to_host[index], COUNT, PRISM_RECORD_MOST)

/* As prism-progress: a row that is added later is optional. */
static const PrismRecordField fields[] = {
  FIELD (phase, INTEGER, PRISM_PHASE_PREPARE, PRISM_PHASE_DONE),
  INTEGER (sample),
  FIELD (n_samples, INTEGER, 1, MANY),
  INTEGER (n_visited),
  INTEGER (pass),
  INTEGER (n_passes),
  COUNT (step),
  COUNT (n_steps),
  INTEGER (sample_step),
  REAL (loss_new),
  REAL (loss_old),
  REAL (learning_rate),
  REAL (misfit),
  REAL (coverage),
  COUNT (n_skipped),
  REAL (seconds),
  REAL (steps_per_second),
  COUNT (memory_used),
  COUNT (memory_peak),
  COUNT (n_parameters),
  COUNT (n_rows),
  LATER ("memory_available", memory_available, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_hits", cache.hits, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_misses", cache.misses, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_pass_hits", cache.pass_hits, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_pass_misses", cache.pass_misses, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_pass_rate", cache.pass_rate, REAL, 1),
  LATER ("aperture_hits", cache.aperture_hits, COUNT, PRISM_RECORD_MOST),
  LATER ("aperture_misses", cache.aperture_misses, COUNT, PRISM_RECORD_MOST),
  LATER ("aperture_rate", cache.aperture_rate, REAL, 1),
  LATER ("transform_hits", cache.transform_hits, COUNT, PRISM_RECORD_MOST),
  LATER ("transform_misses", cache.transform_misses, COUNT, PRISM_RECORD_MOST),
  LATER ("transform_rate", cache.transform_rate, REAL, 1),
  LATER ("cache_evictions", cache.evictions, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_hit_rate", cache.hit_rate, REAL, 1),
  LATER ("cache_bytes", cache.bytes, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_budget", cache.budget, COUNT, PRISM_RECORD_MOST),
  LATER ("cache_entries", cache.n_entries, INTEGER, MANY),
  LATER ("cache_small", cache.n_small, INTEGER, MANY),
  LATER ("cache_small_bytes", cache.small_bytes, COUNT, PRISM_RECORD_MOST),
  LATER ("device_steps", counters.n_steps, COUNT, PRISM_RECORD_MOST),
  LATER ("device_launches", counters.n_launches, COUNT, PRISM_RECORD_MOST),
  LATER ("device_captures", counters.n_captures, COUNT, PRISM_RECORD_MOST),
  LATER ("device_waits", counters.n_waits, COUNT, PRISM_RECORD_MOST),
  LATER ("device_loss_scale", counters.loss_scale, REAL, LARGE),
  LATER ("device_overflows", counters.n_overflows, COUNT, PRISM_RECORD_MOST),
  TRANSFERS ("setup", PRISM_TRANSFER_SETUP),
  TRANSFERS ("measurements", PRISM_TRANSFER_MEASUREMENT),
  TRANSFERS ("steps", PRISM_TRANSFER_STEP),
  TRANSFERS ("frames", PRISM_TRANSFER_FRAME),
  TRANSFERS ("state", PRISM_TRANSFER_STATE),
  LATER ("frame_side", frame_side, INTEGER, MANY),
  LATER ("training", training, INTEGER, PRISM_N_TRAININGS - 1),
  LATER ("settling", settling.kind, INTEGER, PRISM_N_SETTLINGS - 1),
  LATER ("settling_change", settling.change, REAL, LARGE),
  LATER ("settling_limit", settling.limit, REAL, LARGE),
  LATER ("verdict", verdict.kind, INTEGER, PRISM_N_VERDICTS - 1),
  LATER ("verdict_frames", verdict.n_frames, INTEGER, MANY),
  LATER ("verdict_misfit", verdict.misfit, REAL, LARGE),
  LATER ("verdict_expected", verdict.expected, REAL, LARGE),
  LATER ("verdict_variance", verdict.variance, REAL, LARGE),
  LATER ("verdict_power", verdict.power, REAL, LARGE),
  LATER ("verdict_difference", verdict.difference, REAL, LARGE),
  LATER ("verdict_is_predicted", verdict.is_predicted, SWITCH, 1),
  PRISM_RECORD_PART (PrismSnapshot, "verdict_correlation", verdict.correlation, REAL, -1, 1, TRUE),
  LATER ("verdict_to_na", verdict.to_na, REAL, 4),
  LATER ("verdict_cause", verdict.cause, INTEGER, PRISM_N_CAUSES - 1),
  PRISM_RECORD_PART (PrismSnapshot, "correlation", correlation, REAL, -1, 1, TRUE),
  PRISM_METRICS (METRIC) { NULL },
};

static const char *const state_names[] = {
  [PRISM_STATE_IDLE] = "idle",
  [PRISM_STATE_PREPARING] = "preparing",
  [PRISM_STATE_RUNNING] = "running",
  [PRISM_STATE_PAUSED] = "paused",
  [PRISM_STATE_STOPPED] = "stopped",
  [PRISM_STATE_FINISHED] = "finished",
  [PRISM_STATE_FAILED] = "failed",
};

/**
 * prism_run_snapshot_to_text:
 * @snapshot: a snapshot
 *
 * Writes its numbers exactly.
 *
 * Returns: (transfer full): a JSON object
 */
char *
prism_run_snapshot_to_text (const PrismSnapshot *snapshot)
{
  return prism_record_to_text (fields, snapshot);
}

/**
 * prism_run_snapshot_add_parts:
 * @snapshot: a snapshot
 * @bundle: of prism_trainer_dup_state() at the same moment
 *
 * Adds what a run needs of a snapshot to go on, and its pictures: coverage and measurement follow
 * from the state.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_run_snapshot_add_parts (const PrismSnapshot *snapshot,
                              PrismBundle *bundle)
{
  prism_bundle_take_text (bundle, "snapshot.json", prism_run_snapshot_to_text (snapshot));
  prism_bundle_take_text (bundle, "config.prism", prism_config_to_text (snapshot->config));
  return prism_bundle_add_image (bundle, "image.npy", snapshot->reconstruction, NULL)
         && prism_bundle_add_image (bundle, "second.npy", snapshot->second, NULL);
}

/**
 * prism_run_snapshot_parse:
 * @snapshot: (inout): a new snapshot
 * @text: what prism_run_snapshot_to_text() wrote
 * @name: of the text, for messages
 *
 * Reads the numbers of a snapshot.
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether everything was good
 */
gboolean
prism_run_snapshot_parse (PrismSnapshot *snapshot,
                          const char *text,
                          const char *name,
                          GError **error)
{
  return prism_record_parse (fields, snapshot, text, name, error);
}

/**
 * prism_run_snapshot_get_state_name:
 * @state: what a run does
 *
 * Returns: its name in files: "running"
 */
const char *
prism_run_snapshot_get_state_name (PrismState state)
{
  return state_names[state];
}

/**
 * prism_run_snapshot_parse_state:
 * @name: a name in a file
 * @state: (out): what it stands for when a run is read: one that was running is paused
 *
 * Returns: whether there is a state of that name
 */
gboolean
prism_run_snapshot_parse_state (const char *name,
                                PrismState *state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (state_names); i++)
    if (strcmp (state_names[i], name) == 0)
      {
        *state = i < PRISM_STATE_PAUSED ? PRISM_STATE_PAUSED : (PrismState) i;
        return TRUE;
      }
  return FALSE;
}
