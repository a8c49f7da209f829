#include "config.h"

#include "benchmark/prism-benchmark-run.h"

#include "backend/prism-device-counters.h"
#include "base/prism-json.h"
#include "base/prism-system.h"

#include <math.h>

static double
get_rate (const PrismStageSummary *stage)
{
  return stage->total > 0.0 ? stage->count / stage->total : NAN;
}

/**
 * prism_benchmark_run_init:
 * @self: (out): what the run took
 * @snapshot: its last
 * @totals: its times by stage
 * @load: from its beginning to its end
 *
 * To be asked in the process that ran, before it does anything else: peak memory is the process's.
 */
void
prism_benchmark_run_init (PrismBenchmarkRun *self,
                          const PrismSnapshot *snapshot,
                          const PrismTraceSummary *totals,
                          const PrismLoad *load)
{
  const PrismCacheStatistics *cache = &snapshot->cache;
  const PrismDeviceCounters *counters = &snapshot->counters;
  const guint64 n_transfers = prism_device_counters_get_n (counters);
  const guint64 peak = prism_system_get_peak_memory ();

  self->figures[PRISM_FIGURE_SECONDS] = snapshot->seconds;
  self->figures[PRISM_FIGURE_PROCESSOR] = load->own;
  self->figures[PRISM_FIGURE_LEFT] = prism_load_get_left (load);
  self->figures[PRISM_FIGURE_SAMPLES] = snapshot->n_samples / snapshot->seconds;
  self->figures[PRISM_FIGURE_STEPS] = get_rate (&totals->stages[PRISM_STAGE_TRAIN]);
  self->figures[PRISM_FIGURE_STEP] = 1.0 / self->figures[PRISM_FIGURE_STEPS];
  self->figures[PRISM_FIGURE_PASSES]
      = get_rate (&totals->stages[PRISM_STAGE_PASS]) / MAX (snapshot->n_samples, 1);
  self->figures[PRISM_FIGURE_PEAK] = peak > 0 ? (double) peak : NAN;
  self->figures[PRISM_FIGURE_HITS] = cache->hit_rate;
  self->figures[PRISM_FIGURE_APERTURES] = cache->aperture_rate;
  self->figures[PRISM_FIGURE_TRANSFORMS] = cache->transform_rate;
  self->figures[PRISM_FIGURE_TRANSFERS] = n_transfers > 0 ? (double) n_transfers : NAN;
  self->figures[PRISM_FIGURE_TRANSFERRED]
      = n_transfers > 0 ? (double) prism_device_counters_get_bytes (counters) : NAN;
  self->figures[PRISM_FIGURE_PSNR] = snapshot->metrics.psnr;
  self->figures[PRISM_FIGURE_SSIM] = snapshot->metrics.ssim;
  self->figures[PRISM_FIGURE_MSE] = snapshot->metrics.mse;
  self->figures[PRISM_FIGURE_CORRELATION] = snapshot->metrics.pearson;
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    self->stages[stage] = totals->stages[stage].self;
}

/**
 * prism_benchmark_run_add_json:
 * @self: what a run took
 * @builder: what writes JSON, inside an object
 *
 * Adds the figures, and the times of the stages as the object "stages". Stages without a time are
 * left out.
 */
void
prism_benchmark_run_add_json (const PrismBenchmarkRun *self, JsonBuilder *builder)
{
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    prism_json_add_number (builder, prism_figure_get_info (figure)->key, self->figures[figure]);
  prism_json_begin_object (builder, "stages");
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    if (self->stages[stage] > 0.0 && stage != PRISM_STAGE_WAIT)
      prism_json_add_number (builder, prism_stage_get_id (stage), self->stages[stage]);
  json_builder_end_object (builder);
}

static double
read_number (JsonObject *object, const char *name, double otherwise)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_string (node) != NULL)
    return otherwise;
  return json_node_get_double (node);
}

/**
 * prism_benchmark_run_read:
 * @self: (out): what the run took
 * @object: what prism_benchmark_run_add_json() has added, or what anybody has written
 *
 * Returns: whether it has a time
 */
gboolean
prism_benchmark_run_read (PrismBenchmarkRun *self, JsonObject *object)
{
  JsonNode *stages = json_object_get_member (object, "stages");

  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    self->figures[figure] = read_number (object, prism_figure_get_info (figure)->key, NAN);
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    self->stages[stage]
        = stages != NULL && JSON_NODE_HOLDS_OBJECT (stages)
              ? read_number (json_node_get_object (stages), prism_stage_get_id (stage), 0.0)
              : 0.0;
  return self->figures[PRISM_FIGURE_SECONDS] >= 0.0;
}
