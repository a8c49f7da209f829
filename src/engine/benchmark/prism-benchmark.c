#include "config.h"

#include "benchmark/prism-benchmark.h"

#include "backend/prism-device-counters.h"
#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-text.h"
#include "config/prism-preset.h"
#include "device/prism-registry.h"
#include "measure/prism-measurements.h"
#include "model/prism-config-check.h"

PRISM_FREE (PrismBenchmarkVariant, variant_free, g_array_unref, runs, g_free, id)

/**
 * prism_benchmark_new_empty:
 * @config: what is run
 * @n_rounds: how often
 *
 * Returns: (transfer full): a benchmark without variants, made now and here
 */
PrismBenchmark *
prism_benchmark_new_empty (const PrismConfig *config, guint n_rounds)
{
  PrismBenchmark *self = g_new0 (PrismBenchmark, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->config = prism_config_dup (config);
  self->n_rounds = n_rounds;
  self->made = prism_clock_dup_utc ();
  self->program = g_strdup ("PRISM Studio " PRISM_VERSION);
  self->processor = prism_system_dup_processor ();
  self->variants = g_ptr_array_new_with_free_func (variant_free);
  self->left_out = g_ptr_array_new ();
  return self;
}

PRISM_CLEAR (PrismBenchmark,
             benchmark_clear,
             prism_config_free,
             config,
             g_ptr_array_unref,
             variants,
             g_ptr_array_unref,
             left_out,
             g_free,
             made,
             g_free,
             program,
             g_free,
             processor,
             g_free,
             device)

PRISM_DEFINE_REFERENCES (PrismBenchmark, prism_benchmark, benchmark_clear)

/**
 * prism_benchmark_new_scene:
 *
 * Returns: (transfer full): a run of seconds in which each part of the program has something to do;
 *   without noise, which small frames need
 */
PrismConfig *
prism_benchmark_new_scene (void)
{
  PrismConfig *config = prism_preset_load ("quick-look", NULL);

  if (config == NULL)
    config = prism_config_new ();
  config->method = PRISM_METHOD_DECODER;
  config->snr = 0.0;
  config->samples = 30;
  config->steps = 10;
  config->start_steps = 20;
  return config;
}

/**
 * prism_benchmark_add_variant:
 * @self: a benchmark
 * @id: "plain", "all", or the id of a switch
 *
 * Returns: (transfer none) (nullable): a variant without runs; %NULL for a switch that there is not
 */
PrismBenchmarkVariant *
prism_benchmark_add_variant (PrismBenchmark *self, const char *id)
{
  const PrismBenchmarkSwitch *alone = prism_benchmark_find_switch (id);
  PrismBenchmarkVariant *variant;

  if (alone == NULL && strcmp (id, PRISM_BENCHMARK_PLAIN) != 0
      && strcmp (id, PRISM_BENCHMARK_ALL) != 0)
    return NULL;
  variant = g_new0 (PrismBenchmarkVariant, 1);
  variant->alone = alone;
  variant->id = g_strdup (id);
  variant->runs = g_array_new (FALSE, FALSE, sizeof (PrismBenchmarkRun));
  g_ptr_array_add (self->variants, variant);
  return variant;
}

static gboolean
check_switches (char **switches, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  PRISM_FOR_EACH_OF (one, prism_benchmark_switches)
    g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", one->id);
  for (; switches != NULL && *switches != NULL; switches++)
    if (prism_benchmark_find_switch (*switches) == NULL)
      return prism_error_config (error, _ ("There is no switch “%s”: a benchmark knows %s."),
                                 *switches, known->str);
  return TRUE;
}

/**
 * prism_benchmark_new:
 * @config: what to run
 * @switches: (nullable) (array zero-terminated=1): ids of those to go over; %NULL: the usual ones
 * @n_rounds: how often each variant runs
 * @error: return location
 *
 * Plans the runs. Switches that do nothing for this run on this machine are left out.
 *
 * Errors: PRISM_ERROR_CONFIG, also where no switch is left.
 *
 * Returns: (transfer full) (nullable): a benchmark without runs
 */
PrismBenchmark *
prism_benchmark_new (const PrismConfig *config, char **switches, guint n_rounds, GError **error)
{
  g_autoptr (PrismBenchmark) self = NULL;

  if (n_rounds < PRISM_BENCHMARK_LEAST_ROUNDS || n_rounds > PRISM_BENCHMARK_MOST_ROUNDS)
    prism_error_config (
        error, _ ("A benchmark takes %d to %d rounds: one alone has no spread to judge by."),
        PRISM_BENCHMARK_LEAST_ROUNDS, PRISM_BENCHMARK_MOST_ROUNDS);
  else if (check_switches (switches, error))
    self = prism_benchmark_new_empty (config, n_rounds);
  if (self == NULL)
    return NULL;
  prism_benchmark_add_variant (self, PRISM_BENCHMARK_PLAIN);
  prism_benchmark_add_variant (self, PRISM_BENCHMARK_ALL);
  PRISM_FOR_EACH_OF (one, prism_benchmark_switches)
    {
      gboolean asked = switches != NULL
                           ? g_strv_contains ((const char *const *) switches, one->id)
                           : one->usual;

      if (asked && prism_benchmark_switch_get_gap (one, self->config) != NULL)
        g_ptr_array_add (self->left_out, (gpointer) one);
      else if (asked)
        prism_benchmark_add_variant (self, one->id);
    }
  if (self->variants->len == 2)
    {
      prism_error_config (
          error, _ ("None of these switches does anything for this run on this machine: choose"
                    " others."));
      return NULL;
    }
  for (guint i = 0; i < self->variants->len; i++)
    {
      g_autoptr (PrismConfig) one = prism_benchmark_dup_config (self, i, error);

      if (one == NULL)
        return NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * prism_benchmark_get_variant:
 * @self: a benchmark
 * @variant: which
 *
 * Returns: (transfer none): the variant
 */
PrismBenchmarkVariant *
prism_benchmark_get_variant (const PrismBenchmark *self, guint variant)
{
  return g_ptr_array_index (self->variants, variant);
}

/**
 * prism_benchmark_find_variant:
 * @self: a benchmark
 * @id: of a variant
 *
 * Returns: (transfer none) (nullable): the variant
 */
const PrismBenchmarkVariant *
prism_benchmark_find_variant (const PrismBenchmark *self, const char *id)
{
  for (guint i = 0; i < self->variants->len; i++)
    if (strcmp (prism_benchmark_get_variant (self, i)->id, id) == 0)
      return prism_benchmark_get_variant (self, i);
  return NULL;
}

/**
 * prism_benchmark_count_runs:
 * @self: a benchmark
 *
 * Returns: how many runs it has when it is over
 */
guint
prism_benchmark_count_runs (const PrismBenchmark *self)
{
  return self->n_rounds * self->variants->len;
}

/**
 * prism_benchmark_count_done:
 * @self: a benchmark
 *
 * Returns: how many of them are over
 */
guint
prism_benchmark_count_done (const PrismBenchmark *self)
{
  guint n = 0;

  for (guint i = 0; i < self->variants->len; i++)
    n += prism_benchmark_get_variant (self, i)->runs->len;
  return n;
}

/**
 * prism_benchmark_variant_has:
 * @variant: a variant
 * @of: a switch that is gone over
 *
 * Returns: whether its runs have the switch on
 */
gboolean
prism_benchmark_variant_has (const PrismBenchmarkVariant *variant, const PrismBenchmarkSwitch *of)
{
  return strcmp (variant->id, PRISM_BENCHMARK_ALL) == 0 || variant->alone == of;
}

/**
 * prism_benchmark_dup_config:
 * @self: a benchmark
 * @variant: which
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): what the runs of the variant are to run
 */
PrismConfig *
prism_benchmark_dup_config (const PrismBenchmark *self, guint variant, GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  const PrismBenchmarkVariant *wanted = prism_benchmark_get_variant (self, variant);

  for (guint i = 2; i < self->variants->len; i++)
    {
      const PrismBenchmarkSwitch *of = prism_benchmark_get_variant (self, i)->alone;

      if (of->key != NULL
          && !prism_config_set_text (
              config, of->key, prism_benchmark_variant_has (wanted, of) ? of->on : of->plain,
              error))
        return NULL;
    }
  return prism_config_check (config, error) ? g_steal_pointer (&config) : NULL;
}

/**
 * prism_benchmark_variant_get_label:
 * @self: a variant
 *
 * Returns: (transfer none): what people call it
 */
const char *
prism_benchmark_variant_get_label (const PrismBenchmarkVariant *self)
{
  if (self->alone != NULL)
    return _ (self->alone->label);
  return strcmp (self->id, PRISM_BENCHMARK_ALL) == 0 ? _ ("Everything on") : _ ("Plain");
}

/* Of a double in PrismBenchmarkRun. */
static PrismSpread
get_spread (const PrismBenchmarkVariant *variant, gsize offset)
{
  g_autofree double *values = g_new (double, variant->runs->len + 1);

  for (guint i = 0; i < variant->runs->len; i++)
    values[i] = G_STRUCT_MEMBER (
        double, &g_array_index (variant->runs, PrismBenchmarkRun, i), offset);
  return prism_spread_new (values, variant->runs->len);
}

/**
 * prism_benchmark_variant_get_spread:
 * @self: a variant
 * @figure: of it
 *
 * Returns: what its rounds have measured
 */
PrismSpread
prism_benchmark_variant_get_spread (const PrismBenchmarkVariant *self, PrismFigure figure)
{
  return get_spread (self, G_STRUCT_OFFSET (PrismBenchmarkRun, figures[figure]));
}

/**
 * prism_benchmark_variant_get_stage:
 * @self: a variant
 * @stage: of its runs
 *
 * Returns: the seconds of its rounds, without inner stages
 */
PrismSpread
prism_benchmark_variant_get_stage (const PrismBenchmarkVariant *self, PrismStage stage)
{
  return get_spread (self, G_STRUCT_OFFSET (PrismBenchmarkRun, stages[stage]));
}

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
    prism_json_add (builder, "%s: %g", prism_figures[figure].key, self->figures[figure]);
  prism_json_add (builder, "stages: {");
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    if (self->stages[stage] > 0.0 && stage != PRISM_STAGE_WAIT)
      prism_json_add (builder, "%s: %g", prism_stage_get_id (stage), self->stages[stage]);
  prism_json_add (builder, "}");
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
  JsonObject *stages = prism_json_to_object (prism_json_find (object, "stages"));

  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    self->figures[figure]
        = prism_json_get_number (object, prism_figures[figure].key);
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    self->stages[stage] = fmax (prism_json_get_number (stages, prism_stage_get_id (stage)), 0.0);
  return self->figures[PRISM_FIGURE_SECONDS] >= 0.0;
}

/* Rounds can agree by chance, and clocks have steps: what differs less is no difference. */
#define LEAST_DIFFERENCE 0.01

const PrismFigureInfo prism_figures[PRISM_N_FIGURES] = {
  [PRISM_FIGURE_SECONDS] = { "seconds", N_ ("Time to the picture"), N_ ("%.2f s"), 1.0, -1, TRUE },
  [PRISM_FIGURE_PROCESSOR] = { "processor_seconds", N_ ("Processor time"), N_ ("%.2f s"), 1.0, -1,
                               TRUE, .is_processor = TRUE },
  [PRISM_FIGURE_LEFT] = { "processors_left", N_ ("Left by other programs"), "%.1f %%", 100.0 },
  [PRISM_FIGURE_STEP] = { "step_seconds", N_ ("Step"), N_ ("%.2f ms"), 1e3 },
  [PRISM_FIGURE_SAMPLES] = { "samples_per_second", N_ ("Positions per second"), "%.1f", 1.0 },
  [PRISM_FIGURE_STEPS] = { "steps_per_second", N_ ("Steps per second"), "%.0f", 1.0, 1, TRUE },
  [PRISM_FIGURE_PASSES] = { "passes_per_second", N_ ("Passes per second"), "%.0f", 1.0, 1, TRUE },
  [PRISM_FIGURE_PEAK] = { "peak_bytes", N_ ("Peak memory"), N_ ("%.1f MiB"), 1.0 / (1 << 20), -1 },
  [PRISM_FIGURE_HITS] = { "hit_rate", N_ ("Cache hits"), "%.1f %%", 100.0 },
  [PRISM_FIGURE_APERTURES] = { "aperture_hit_rate", N_ ("Aperture hits"), "%.1f %%", 100.0 },
  [PRISM_FIGURE_TRANSFORMS] = { "transform_hit_rate", N_ ("Plan hits"), "%.1f %%", 100.0 },
  [PRISM_FIGURE_TRANSFERS] = { "transfers", N_ ("Transfers"), "%.0f", 1.0 },
  [PRISM_FIGURE_TRANSFERRED]
  = { "transfer_bytes", N_ ("Transferred"), N_ ("%.1f MiB"), 1.0 / (1 << 20) },
  [PRISM_FIGURE_PSNR] = { "psnr", N_ ("PSNR"), N_ ("%.2f dB"), 1.0 },
  [PRISM_FIGURE_SSIM] = { "ssim", N_ ("SSIM"), "%.4f", 1.0 },
  [PRISM_FIGURE_MSE] = { "mse", N_ ("MSE"), "%.3g", 1.0 },
  [PRISM_FIGURE_CORRELATION] = { "pearson", N_ ("Pearson r"), "%.4f", 1.0 },
};

/**
 * prism_figure_dup_text:
 * @self: a figure
 * @value: of it; no number where it was not measured
 *
 * Returns: (transfer full): the value with its unit, as people read it
 */
char *
prism_figure_dup_text (PrismFigure self, double value)
{
  const PrismFigureInfo *info = &prism_figures[self];

  return isfinite (value) ? g_strdup_printf (_ (info->format), info->factor * value)
                          : g_strdup ("–");
}

/**
 * prism_spread_new:
 * @values: (array length=n): one of each round, in any order; they are sorted
 * @n: how many
 *
 * Returns: median and ends, without what is no number
 */
PrismSpread
prism_spread_new (double *values, guint n)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++)
    if (isfinite (values[i]))
      values[kept++] = values[i];
  if (kept == 0)
    return (PrismSpread) { 0, NAN, NAN, NAN };
  prism_sort_doubles (values, kept);
  return (PrismSpread) { .n = kept,
                         .median = 0.5 * (values[(kept - 1) / 2] + values[kept / 2]),
                         .least = values[0],
                         .most = values[kept - 1] };
}

/**
 * prism_spread_judge:
 * @from: what is compared with
 * @to: what is compared
 *
 * The medians differ where they are further apart than the rounds of either are among themselves,
 * and more than one in a hundred. A single round says nothing of a spread.
 *
 * Returns: how @to differs from @from
 */
PrismJudgement
prism_spread_judge (const PrismSpread *from, const PrismSpread *to)
{
  double difference = to->median - from->median;
  double width = MAX (from->most - from->least, to->most - to->least);

  if (from->n < 2 || to->n < 2)
    return PRISM_JUDGEMENT_UNKNOWN;
  if (fabs (difference) <= MAX (width, LEAST_DIFFERENCE * fabs (from->median)))
    return PRISM_JUDGEMENT_SAME;
  return difference > 0.0 ? PRISM_JUDGEMENT_MORE : PRISM_JUDGEMENT_LESS;
}

/* The smallest cache holds the measurements of one step. Benchmark files have the names. */
const PrismBenchmarkSwitch prism_benchmark_switches[PRISM_BENCHMARK_N_SWITCHES] = {
  { "cache", N_ ("Measurement cache"), "cache_size", "1", "0", NULL, TRUE },
  { "frames", N_ ("Small frames"), "frames", "full", "auto", NULL, TRUE },
  { "threads", N_ ("All threads"), "threads", "1", "0", NULL, TRUE },
  { "precision", N_ ("Mixed precision"), "amp", "off", "on", NULL, TRUE },
  { "graph", N_ ("Captured steps"), NULL, NULL, NULL, "PRISM_NO_GRAPH", TRUE },
  { "effort", N_ ("Training where it is needed"), "method", "decoder", "auto", NULL, FALSE },
};

/**
 * prism_benchmark_find_switch:
 * @id: a name
 *
 * Returns: (transfer none) (nullable): the switch of that name
 */
const PrismBenchmarkSwitch *
prism_benchmark_find_switch (const char *id)
{
  PRISM_FOR_EACH_OF (one, prism_benchmark_switches)
    if (strcmp (one->id, id) == 0)
      return one;
  return NULL;
}

/**
 * prism_benchmark_switch_get_gap:
 * @self: a switch
 * @config: of a run
 *
 * Returns: (transfer none) (nullable): why the switch does nothing for this run on this machine
 */
const char *
prism_benchmark_switch_get_gap (const PrismBenchmarkSwitch *self, const PrismConfig *config)
{
  const gboolean on_gpu = prism_registry_is_gpu (config->backend);

  if (strcmp (self->id, "frames") == 0)
    {
      if (!prism_config_trains (config))
        return _ ("This method looks at whole frames.");
      if (prism_measurements_choose_side (config->image_size, config->aperture_radius)
          >= (guint) config->image_size)
        return _ ("An aperture as large as this needs whole frames.");
      return NULL;
    }
  if (strcmp (self->id, "threads") == 0 && on_gpu)
    return _ ("The run is on a GPU.");
  if (strcmp (self->id, "threads") == 0 && prism_available_get_processors () < 2)
    return _ ("This machine has one processor.");
  if (strcmp (self->id, "precision") == 0 && !on_gpu)
    return _ ("The processor computes in single precision alone.");
  if (strcmp (self->id, "graph") == 0 && !on_gpu)
    return _ ("Steps are captured on a GPU alone.");
  if (strcmp (self->id, "effort") == 0 && !prism_config_trains (config))
    return _ ("This method trains no decoder.");
  return NULL;
}
