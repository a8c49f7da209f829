#include "config.h"

#include "backend/prism-backend.h"
#include "backend/prism-device-counters.h"
#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-system.h"
#include "benchmark/prism-benchmark.h"
#include "benchmark/prism-gradient-error.h"
#include "benchmark/prism-performance.h"
#include "device/prism-device.h"
#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "model/prism-config-ask.h"
#include "model/prism-config-check.h"
#include "model/prism-object.h"
#include "model/prism-pattern.h"
#include "prism-cli-benchmark.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "solve/prism-replay.h"
#include "trainer/prism-trainer.h"

#define MAX_CHUNK 64
#define MAX_PARTS 32
#define LEAST_TIMES 5
#define MOST_SECONDS 86400
#define WARM_UP_PART 0.5 /* of the time for the steps, for each sample before them */

/* The steps of a run's sample number n_discs, as the trainer takes them. */
typedef struct
{
  PrismConfig *config;
  PrismConfig *run; /* the same without what is no step */
  PrismBackend *backend;
  PrismImage *object;
  PrismPattern *pattern;
  PrismCache *cache;
  PrismTrainer *trainer;
  char *device;
  char *reason;  /* why this device */
  char *advice;  /* (nullable): about the precision that was asked for */
  guint n_discs; /* measurements that are already in the coverage */
  guint n_warm_up;
  guint n_steps;
  guint n_terms;       /* of one step */
  double most_seconds; /* of the steps; 0: as long as they take */
  double *times;       /* [n_steps] ms, sorted */
  guint n_times;
  double gradient_error;        /* against single precision; NAN where it is not known */
  PrismDeviceCounters counters; /* of the steps that were timed */
  PrismMemoryUse memory;
  guint n_parts;
  const char *part_names[MAX_PARTS];
  double part_times[MAX_PARTS]; /* ms, median */
} Bench;

PRISM_CLEAR (Bench,
             bench_clear,
             prism_trainer_free,
             trainer,
             prism_cache_free,
             cache,
             prism_backend_free,
             backend,
             prism_image_unref,
             object,
             prism_config_free,
             run,
             prism_pattern_unref,
             pattern,
             prism_config_free,
             config,
             g_free,
             device,
             g_free,
             reason,
             g_free,
             advice,
             g_free,
             times)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, bench_clear)

static gboolean
open_backend (Bench *self,
              GError **error)
{
  const PrismConfig *config = self->config;
  const PrismBackendOps *ops = prism_registry_choose (config->backend, &self->reason, error);
  PrismBackendSpec spec;

  if (ops == NULL
      || !prism_task_init_spec (config, self->pattern->n_points, &spec, error))
    return FALSE;
  self->object = prism_object_load (config, error);
  if (self->object == NULL)
    return FALSE;
  self->backend = ops->open (&spec, error);
  if (self->backend == NULL)
    return FALSE;
  self->device = ops->dup_device_name (self->backend);
  self->advice = ops->dup_precision_advice (&spec);
  return TRUE;
}

/* Lets the trainer do a little work, and notes the time of one step, in ms. */
static gboolean
run_chunk (Bench *self,
           gboolean timed,
           GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  PrismDeviceCounters before, after;
  double since;

  ops->get_counters (self->backend, &before);
  since = prism_clock_get_seconds ();
  if (!prism_trainer_step (self->trainer, error))
    return FALSE;
  since = 1e3 * (prism_clock_get_seconds () - since);
  ops->get_counters (self->backend, &after);
  if (timed && after.n_steps > before.n_steps && self->n_times < self->n_steps)
    self->times[self->n_times++] = since / (after.n_steps - before.n_steps);
  return TRUE;
}

/* A few steps are timed whatever they take. */
static gboolean
has_time (const Bench *self,
          gboolean timed,
          double since)
{
  const double taken = prism_clock_get_seconds () - since;

  if (self->most_seconds <= 0.0)
    return TRUE;
  return timed ? self->n_times < LEAST_TIMES || taken < self->most_seconds
               : taken < WARM_UP_PART * self->most_seconds;
}

static gboolean
run_sample (Bench *self,
            guint n_steps,
            gboolean timed,
            GError **error)
{
  const guint64 n_visits = self->trainer->now.n_visits;
  const double since = prism_clock_get_seconds ();

  self->run->steps = (int) MAX (n_steps, 1);
  prism_trainer_update (self->trainer, self->run);
  while (self->trainer->now.n_visits <= n_visits && has_time (self, timed, since))
    if (!run_chunk (self, timed, error))
      return FALSE;
  return TRUE;
}

static void
collect_parts (Bench *self)
{
  const PrismBackendOps *ops = self->backend->ops;

  for (self->n_parts = 0; self->n_parts < MAX_PARTS; self->n_parts++)
    {
      guint part = self->n_parts;

      self->part_times[part] = ops->get_part_time (self->backend, part, &self->part_names[part]);
      if (self->part_times[part] < 0)
        break;
    }
}

/* Where there is no memory for a second device the error is not known. */
static void
compare_gradients (Bench *self)
{
  const PrismBackendOps *ops = self->backend->ops;
  const PrismBackendSpec *spec = &self->backend->spec;
  g_autofree float *parameters = g_try_new (float, spec->decoder.n_parameters);

  self->gradient_error = NAN;
  if (spec->precision == PRISM_PRECISION_FP32 || parameters == NULL)
    return;
  ops->get_parameters (self->backend, parameters);
  prism_gradient_error_compute (ops, spec, self->object, parameters, &self->gradient_error, NULL);
}

static gboolean
measure (Bench *self,
         GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  PrismDeviceCounters before;
  PrismDevice device = { .backend = self->backend };
  g_autoptr (PrismScene) scene = prism_scene_new_simulated (self->object, self->pattern, 1);
  PrismTrainerSource source = { .backend = self->backend, .scene = scene };
  PrismConfig *run = prism_config_dup (self->config);

  /* Nothing but training takes place, nothing ends a sample early, and what comes before the sample
   * warms up: without an earlier one, the start phase. */
  self->run = run;
  run->method = PRISM_METHOD_DECODER;
  run->start_steps = self->n_discs > 0 ? 0 : (int) self->n_warm_up;
  run->threshold = 0.0;
  run->convergence = FALSE;
  run->consistency = 0;
  run->polish = 0;
  run->history_size = 0;
  self->cache
      = prism_cache_new (prism_device_get_cache_budget (&device, run, self->pattern->n_points));
  source.cache = self->cache;
  self->trainer = prism_trainer_new (run, &source, error);
  if (self->trainer == NULL)
    return FALSE;
  /* Up to the sample that is timed. The last one before it takes the steps for warm-up. */
  while (self->trainer->now.phase < PRISM_PHASE_SAMPLES)
    if (!run_chunk (self, FALSE, error))
      return FALSE;
  for (guint i = 0; i < self->n_discs; i++)
    if (!run_sample (self, i + 1 < self->n_discs ? 1 : self->n_warm_up, FALSE, error))
      return FALSE;

  collect_parts (self);
  ops->get_counters (self->backend, &before);
  self->times = g_new (double, self->n_steps);
  if (!run_sample (self, self->n_steps, TRUE, error))
    return FALSE;
  prism_sort_doubles (self->times, self->n_times);
  ops->get_counters (self->backend, &self->counters);
  prism_device_counters_subtract (&self->counters, &before);
  self->n_steps = (guint) self->counters.n_steps;
  ops->get_memory (self->backend, &self->memory);
  collect_parts (self);
  if (self->n_times == 0)
    return prism_error_config (error,
                               "No step was timed: --steps and --seconds must leave room for one.");
  compare_gradients (self);
  return TRUE;
}

static gboolean
prepare (Bench *self,
         int n_discs,
         GError **error)
{
  guint past[PRISM_STEP_MAX_OLD];

  self->pattern = prism_pattern_new (self->config, error);
  if (self->pattern == NULL)
    return FALSE;
  if (n_discs >= (int) self->pattern->n_points)
    return prism_error_config (
        error, "--discs is %d, but must be less than the %u positions of the pattern.", n_discs,
        self->pattern->n_points);
  self->n_discs = n_discs >= 0 ? n_discs : self->pattern->n_points / 2;
  if (self->config->memory == PRISM_MEMORY_SELF)
    self->n_terms = self->n_discs > 0 ? 2 : 1;
  else
    self->n_terms = 1 + prism_replay_choose (self->config, 0, self->n_discs + 1, past);
  return open_backend (self, error);
}

static double
get_median (const Bench *self)
{
  return self->times[self->n_times / 2];
}

static const char *
get_precision (const Bench *self)
{
  static const char *const names[] = {
    [PRISM_PRECISION_FP32] = "fp32",
    [PRISM_PRECISION_BF16] = "bf16",
    [PRISM_PRECISION_FP16] = "fp16",
    [PRISM_PRECISION_TF32] = "tf32",
  };

  return names[self->backend->spec.precision];
}

static void
print_task (const Bench *self)
{
  const PrismConfig *config = self->config;
  const gboolean alone = config->memory == PRISM_MEMORY_SELF;
  g_autofree char *memory
      = g_strdup_printf ("%s (%u %s)",
                         prism_config_get_param ("memory")->choices[config->memory].name,
                         alone ? self->n_discs : self->n_terms,
                         alone ? "discs in the coverage" : "measurements per step");
  printf ("PRISM Studio %s on %s\n", PRISM_VERSION, self->device);
  printf ("%d px in %d px, aperture radius %g px, memory %s, %" G_GSIZE_FORMAT " parameters, %s\n",
          config->object_size, config->image_size, config->aperture_radius, memory,
          self->backend->spec.decoder.n_parameters, get_precision (self));
  if (self->advice != NULL)
    printf ("%s\n", self->advice);
  printf ("%u steps after %u for warm-up\n\n", self->n_steps, self->n_warm_up);
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, median", get_median (self),
          1e3 / get_median (self));
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, best", self->times[0], 1e3 / self->times[0]);
}

/* What a step costs besides its time; nothing where the device shares the host's memory. */
static void
print_counters (const Bench *self)
{
  const PrismDeviceCounters *counters = &self->counters;
  double n = MAX (counters->n_steps, 1);

  if (counters->n_launches > 0)
    printf ("%-28s %8.3f     %7.3f steps per graph launch\n", "graph launches per step",
            counters->n_launches / n, n / counters->n_launches);
  if (prism_device_counters_get_n (counters) > 0)
    printf ("%-28s %8.3f     %7.1f bytes, %.3f waits\n", "transfers per step",
            prism_device_counters_get_n (counters) / n,
            prism_device_counters_get_bytes (counters) / n, counters->n_waits / n);
}

static void
print_results (const Bench *self,
               const Bench *reference)
{
  const double median = get_median (self);

  print_task (self);
  for (guint i = 0; i < self->n_parts; i++)
    printf ("  %-26s %8.3f ms  %7.1f %%\n", self->part_names[i], self->part_times[i],
            100.0 * self->part_times[i] / median);
  if (isfinite (self->gradient_error))
    printf ("%-28s %8.2g     relative, against single precision\n", "error of the gradient",
            self->gradient_error);
  print_counters (self);
  if (reference == NULL)
    return;
  putchar ('\n');
  print_task (reference);
  printf ("%-28s %8.3f     of the medians, %.3f of the best\n", "ratio",
          get_median (reference) / median, reference->times[0] / self->times[0]);
}

static void
add_results (const Bench *self,
             JsonBuilder *builder)
{
  const PrismBackendSpec *spec = &self->backend->spec;

  prism_json_add (builder, "parameters: %lu, precision: %s", spec->decoder.n_parameters,
                  get_precision (self));
  if (self->advice != NULL)
    prism_json_add (builder, "precision_advice: %s", self->advice);
  prism_json_add (builder, "median_step_ms: %g, decile_step_ms: %g, best_step_ms: %g, "
                           "steps_per_second: %g, parts: [",
                  get_median (self), self->times[self->n_times / 10], self->times[0],
                  1e3 / get_median (self));
  for (guint i = 0; i < self->n_parts; i++)
    prism_json_add (builder, "{name: %s, median_ms: %g}", self->part_names[i], self->part_times[i]);
  prism_json_add (builder,
                  "], steps: %u, warm_up_steps: %u, coverage_discs: %u, terms: %u, device: %s, "
                  "device_reason: %s",
                  self->n_steps, self->n_warm_up, self->n_discs, self->n_terms, self->device,
                  self->reason);
  prism_device_counters_add_json (&self->counters, builder);
  prism_json_add (builder, "memory: {used: %lu, peak: %lu, available: %lu}", self->memory.used,
                  self->memory.peak, self->memory.available);
  if (isfinite (self->gradient_error))
    prism_json_add (builder, "gradient_error: %g", self->gradient_error);
  prism_cli_add_config (builder, self->config);
}

static void
print_json (const Bench *self,
            const Bench *reference)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *processor = prism_system_dup_processor ();

  prism_json_add (builder, "{");
  add_results (self, builder);
  if (reference != NULL)
    {
      prism_json_add (builder, "against: {");
      add_results (reference, builder);
      prism_json_add (builder, "}, ratio: %g, ratio_of_best: %g",
                      get_median (reference) / get_median (self),
                      reference->times[0] / self->times[0]);
    }
  prism_json_add (builder, "peak_bytes: %lu, processor: %s", prism_system_get_peak_memory (),
                  processor);
  prism_system_add_versions (builder);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

typedef struct
{
  char *backend; /* these are NULL where the option is not given */
  char *precision;
  char *memory;
  char **against; /* key=value */
  int n_threads;  /* -1 where it is not given, as the others */
  int n_steps;
  int n_warm_up;
  int n_discs;
  double seconds; /* 0 where it is not given */
} BenchOptions;

static gboolean
read_overrides (PrismConfig *config,
                const BenchOptions *options,
                GError **error)
{
  if (options->backend != NULL
      && !prism_config_set_text (config, "backend", options->backend, error))
    return FALSE;
  if (options->memory != NULL && !prism_config_set_text (config, "memory", options->memory, error))
    return FALSE;
  if (options->precision != NULL)
    config->amp = !g_str_equal (options->precision, "fp32");
  if (options->precision != NULL && config->amp
      && !prism_config_set_text (config, "amp_type", options->precision, error))
    return FALSE;
  return options->n_threads < 0
         || prism_config_set_number (config, prism_config_get_param ("threads"), options->n_threads,
                                     error);
}

/* A time is one of a chunk: of few chunks a median says little. */
static void
choose_steps (Bench *self,
              const BenchOptions *options)
{
  int most = (int) prism_config_get_param ("steps")->maximum;
  int chunk = CLAMP (self->backend->ops->chunk_size, 1, MAX_CHUNK);

  self->n_steps = CLAMP (options->n_steps >= 0 ? options->n_steps : 200 * chunk, 1, most);
  if (options->seconds > 0.0 && options->n_steps < 0)
    self->n_steps = (guint) most;
  self->most_seconds = options->seconds;
  self->n_warm_up = CLAMP (options->n_warm_up >= 0 ? options->n_warm_up : 20 * chunk, 0, most);
}

static gboolean
run_bench (Bench *self,
           PrismConfig *config,
           const BenchOptions *options,
           GError **error)
{
  self->config = config;
  if (!prism_config_check (config, error) || !prepare (self, options->n_discs, error))
    return FALSE;
  choose_steps (self, options);
  return measure (self, error);
}

/* The same step once more, with some settings changed. */
static gboolean
run_reference (Bench *self,
               const Bench *bench,
               const BenchOptions *options,
               GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (bench->config);

  PRISM_FOR_EACH_STRING (setting, options->against)
    if (strchr (*setting, '=') == NULL)
      return prism_error_config (error, "--against wants KEY=VALUE, but is “%s”.", *setting);
    else if (!prism_config_ask_set (config, *setting, error))
      return FALSE;
  return run_bench (self, g_steal_pointer (&config), options, error);
}

/* A run of seconds, unless somebody has chosen one. */
static PrismConfig *
load_scene (const PrismCliOptions *options,
            GError **error)
{
  g_autoptr (PrismConfig) config = NULL;

  if (options->preset != NULL || options->scenario != NULL || options->config != NULL)
    return prism_cli_options_load (options, error);
  config = prism_benchmark_new_scene ();
  if (!prism_cli_options_apply (options, config, error))
    return NULL;
  return g_steal_pointer (&config);
}

/* Whether any option was given that is of sizes and parts of runs. */
static gboolean
is_of_sizes (const PrismCliBenchmark *self)
{
  return self->measure || self->find_size || self->pieces || self->passes || self->transfers
         || self->n_mib != 0;
}

static gboolean
is_of_report (const PrismCliBenchmark *self)
{
  return self->baseline != NULL || self->switches != NULL || self->n_rounds != 0;
}

/* One measurement at a time; what says how a single step is timed says nothing of the others. */
static gboolean
check_more (const PrismCliBenchmark *self,
            const BenchOptions *options,
            gboolean json,
            GError **error)
{
  const int n_runs = (self->report != NULL) + self->once + self->history;
  const gboolean of_step = options->n_steps >= 0 || options->n_warm_up >= 0 || options->n_discs >= 0
                           || options->seconds > 0.0 || options->against != NULL;

  if (!is_of_sizes (self) && (n_runs != 1 || (self->report == NULL && is_of_report (self))))
    return prism_error_config (
        error, "--rounds, --switch and --baseline go with --report DIR; --once and --history stand"
               " alone.");
  if (is_of_sizes (self)
      && (n_runs > 0 || is_of_report (self)
          || self->measure + self->find_size + self->pieces + self->passes + self->transfers > 1))
    return prism_error_config (
        error, "--measure, --find-size, --pieces, --passes, --transfers, --report, --once and"
               " --history are different measurements: give one of them.");
  if (is_of_sizes (self) && of_step)
    return prism_error_config (
        error, "--steps, --seconds, --warm-up, --discs and --against are of a single step: leave"
               " them out with --measure, --find-size, --pieces, --passes and --transfers.");
  if (of_step || (json && !is_of_sizes (self)))
    return prism_error_config (
        error, "--json, --steps, --seconds, --warm-up, --discs and --against are of a single step:"
               " leave them out with --report, --once and --history.");
  if (self->n_mib != 0 && !self->transfers)
    return prism_error_config (error, "--mib is of --transfers: give both.");
  return TRUE;
}

/* Whole runs, or the sizes and pieces of one. */
static PrismExit
bench_more (const PrismCliBenchmark *self,
            const PrismCliOptions *options,
            const BenchOptions *bench_options,
            gboolean json,
            GError **error)
{
  const gboolean of_sizes = is_of_sizes (self);
  g_autoptr (PrismConfig) config = NULL;

  if (!check_more (self, bench_options, json, error))
    return PRISM_EXIT_FAILED;
  config = of_sizes || self->once ? prism_cli_options_load (options, error)
                                  : load_scene (options, error);
  if (config == NULL || !read_overrides (config, bench_options, error))
    return PRISM_EXIT_FAILED;
  return of_sizes ? prism_cli_performance_run (self, config, json, error)
                  : prism_cli_benchmark_run (self, config, error);
}

/**
 * prism_cli_bench:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli bench: times the training step and its parts, on its own or against another setting;
 * or whole runs, plain and with what makes them faster.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_bench (int argc,
                 char **argv,
                 GError **error)
{
  PrismCliOptions options = { 0 };
  BenchOptions bench_options = {
    .n_threads = -1, .n_steps = -1, .n_warm_up = -1, .n_discs = -1
  };
  BenchOptions *o = &bench_options;
  PrismCliBenchmark whole = { 0 };
  gboolean json = FALSE;
  const double most_steps = prism_config_get_param ("steps")->maximum;
  const PrismCliOption entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { "steps", 0, PRISM_CLI_INTEGER, &o->n_steps, "Steps to time (default: 200 chunks)", "N",
      1, most_steps },
    { "warm-up", 0, PRISM_CLI_INTEGER, &o->n_warm_up, "Steps before that (default: 20 chunks)",
      "N", 0, most_steps },
    { "backend", 0, PRISM_CLI_TEXT, &o->backend, "Short for --set backend=NAME", "NAME" },
    { "precision", 0, PRISM_CLI_TEXT, &o->precision,
      "fp32, or mixed precision with bf16, fp16 or tf32, which the CPU does not have", "NAME" },
    { "threads", 0, PRISM_CLI_INTEGER, &o->n_threads, "Short for --set threads=N", "N",
      0, prism_config_get_param ("threads")->maximum },
    { "memory", 0, PRISM_CLI_TEXT, &o->memory, "Short for --set memory=NAME", "NAME" },
    { "seconds", 0, PRISM_CLI_NUMBER, &o->seconds,
      "Time steps for this long instead, in seconds", "S", 0, MOST_SECONDS },
    { "discs", 0, PRISM_CLI_INTEGER, &o->n_discs,
      "Measurements in the coverage already (default: half of the positions)", "N", 0,
      prism_config_get_param ("samples")->maximum },
    { "against", 0, PRISM_CLI_TEXTS, &o->against,
      "Time the step with this changed, too, and print the ratio; may be repeated", "KEY=VALUE" },
    { "report", 0, PRISM_CLI_FOLDER, &whole.report,
      "Time whole runs, and write comparison.json, .txt, .html and .pdf into this directory",
      "DIR", .names = "comparison.*" },
    { "rounds", 0, PRISM_CLI_INTEGER, &whole.n_rounds,
      "How often each kind of run takes place (default: 3)", "N", PRISM_BENCHMARK_LEAST_ROUNDS,
      PRISM_BENCHMARK_MOST_ROUNDS },
    { "switch", 0, PRISM_CLI_TEXTS, &whole.switches,
      "Go over this one (default: all but effort); may be repeated",
      "cache|frames|threads|precision|graph|effort" },
    { "baseline", 0, PRISM_CLI_INPUT, &whole.baseline,
      "An earlier comparison.json; exit with 6 when something became slower than it", "FILE" },
    { "history", 0, PRISM_CLI_SWITCH, &whole.history,
      "Show the benchmarks that were made here, the newest first" },
    { "once", 0, PRISM_CLI_SWITCH, &whole.once,
      "Run the configuration once, and print what it took, as JSON" },
    { "quiet", 'q', PRISM_CLI_SWITCH, &whole.quiet,
      "With --report, print neither progress nor table; with --measure and --find-size, no"
      " progress" },
    { "measure", 0, PRISM_CLI_SWITCH, &whole.measure,
      "Measure precision, terms, steps at once, threads, frames and runs at a "
      "time, in 30 seconds" },
    { "find-size", 0, PRISM_CLI_SWITCH, &whole.find_size,
      "Double terms, steps at once and runs at a time until that does not help any more" },
    { "pieces", 0, PRISM_CLI_SWITCH, &whole.pieces,
      "Time the pieces of a run, and print them as JSON" },
    { "passes", 0, PRISM_CLI_SWITCH, &whole.passes,
      "Time whole passes of the refinement over all measurements, on the CPU or the GPU" },
    { "transfers", 0, PRISM_CLI_SWITCH, &whole.transfers,
      "Time copies of 1 to 256 MiB to the GPU and back, from pinned and pageable memory" },
    { "mib", 0, PRISM_CLI_INTEGER, &whole.n_mib,
      "With --transfers, copies of this size alone, in MiB", "N", 1, PRISM_COPY_RATE_MOST_MIB },
    { NULL },
  };
  g_auto (Bench) bench = { 0 }, reference = { 0 };
  g_autoptr (PrismConfig) config = NULL;

  if (!prism_cli_parse (entries, &options, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (is_of_sizes (&whole) || is_of_report (&whole) || whole.report != NULL || whole.once
      || whole.history)
    return bench_more (&whole, &options, o, json, error);
  config = prism_cli_options_load (&options, error);
  if (config == NULL || !read_overrides (config, o, error)
      || !run_bench (&bench, g_steal_pointer (&config), o, error)
      || (o->against != NULL && !run_reference (&reference, &bench, o, error)))
    return PRISM_EXIT_FAILED;
  (json ? print_json : print_results) (&bench, o->against != NULL ? &reference : NULL);
  return PRISM_EXIT_OK;
}
