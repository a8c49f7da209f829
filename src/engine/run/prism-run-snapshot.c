#include "config.h"

#include "run/prism-run-snapshot.h"

#include "base/prism-record.h"
#include "history/prism-progress.h"

#include <float.h>

#define MANY G_MAXINT32
#define LARGE DBL_MAX
#define FIELD(...) PRISM_RECORD_FIELD (PrismSnapshot, __VA_ARGS__)
#define COUNT(member) FIELD (member, COUNT, 0, PRISM_RECORD_MOST)
#define INTEGER(member) FIELD (member, INTEGER, 0, MANY)
#define REAL(member) FIELD (member, REAL, -LARGE, LARGE)

/* What older programs did not write. */
#define PART(...) PRISM_RECORD_PART (PrismSnapshot, __VA_ARGS__, TRUE)
#define METRIC(key, ...) PART (#key, metrics.key, REAL, -LARGE, LARGE),
#define LATER(name, member, type, maximum) PART (name, member, type, 0, maximum)
#define TALLY(name, member) LATER (name, member, COUNT, PRISM_RECORD_MOST)
#define HITS(name, hits, misses, rate)                                    \
  TALLY (name "_hits", cache.hits), TALLY (name "_misses", cache.misses), \
      LATER (name "_rate", cache.rate, REAL, 1)
#define TRANSFERS(kind, index)                                          \
  TALLY (kind "_to_device", counters.n_to_device[index]),               \
      TALLY (kind "_to_device_bytes", counters.bytes_to_device[index]), \
      TALLY (kind "_to_host", counters.n_to_host[index]),               \
      TALLY (kind "_to_host_bytes", counters.bytes_to_host[index])

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
  TALLY ("memory_available", memory_available),
  TALLY ("cache_hits", cache.hits),
  TALLY ("cache_misses", cache.misses),
  HITS ("cache_pass", pass_hits, pass_misses, pass_rate),
  HITS ("aperture", aperture_hits, aperture_misses, aperture_rate),
  HITS ("transform", transform_hits, transform_misses, transform_rate),
  TALLY ("cache_evictions", cache.evictions),
  LATER ("cache_hit_rate", cache.hit_rate, REAL, 1),
  TALLY ("cache_bytes", cache.bytes),
  TALLY ("cache_budget", cache.budget),
  LATER ("cache_entries", cache.n_entries, INTEGER, MANY),
  LATER ("cache_small", cache.n_small, INTEGER, MANY),
  TALLY ("cache_small_bytes", cache.small_bytes),
  TALLY ("device_steps", counters.n_steps),
  TALLY ("device_launches", counters.n_launches),
  TALLY ("device_captures", counters.n_captures),
  TALLY ("device_waits", counters.n_waits),
  LATER ("device_loss_scale", counters.loss_scale, REAL, LARGE),
  TALLY ("device_overflows", counters.n_overflows),
  TRANSFERS ("setup", PRISM_TRANSFER_SETUP),
  TRANSFERS ("measurements", PRISM_TRANSFER_MEASUREMENT),
  TRANSFERS ("steps", PRISM_TRANSFER_STEP),
  TRANSFERS ("frames", PRISM_TRANSFER_FRAME),
  TRANSFERS ("state", PRISM_TRANSFER_STATE),
  LATER ("frame_side", frame_side, INTEGER, MANY),
  LATER ("n_tiles", n_tiles, INTEGER, MANY),
  LATER ("n_tiles_done", n_done, INTEGER, MANY),
  LATER ("training", training, INTEGER, PRISM_N_TRAININGS - 1),
  PRISM_PROGRESS_JUDGED (PART),
  LATER ("verdict_to_na", verdict.to_na, REAL, 4),
  LATER ("verdict_cause", verdict.cause, INTEGER, PRISM_N_CAUSES - 1),
  LATER ("pixel_m", pixel_size, REAL, 1),
  LATER ("allowed_period_m", limit, REAL, 1),
  LATER ("automatic_tile", automatic_tile, INTEGER, MANY),
  PART ("correlation", correlation, REAL, -1, 1),
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
