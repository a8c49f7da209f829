#include "config.h"

#include "backend/prism-backend.h"
#include "backend/prism-device-counters.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "device/prism-registry.h"
#include "device/prism-task.h"
#include "model/prism-config-check.h"
#include "model/prism-object.h"
#include "model/prism-pattern.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_CHUNK 64
#define MAX_PARTS 32

/* A training step in the middle of a run: the new measurement is number n_discs, the past is what
 * came before. */
typedef struct
{
  PrismConfig *config;
  PrismBackend *backend;
  PrismPattern *pattern;
  char *device;
  char *reason;  /* why this device */
  char *advice;  /* (nullable): about the precision that was asked for */
  guint n_discs; /* measurements that are already in the coverage */
  guint n_warm_up;
  guint n_steps;
  guint n_terms; /* of one step */
  double *times; /* [n_steps] ms, sorted */
  guint n_times;
  PrismDeviceCounters counters; /* of the steps that were timed */
  PrismMemoryUse memory;
  guint n_parts;
  const char *part_names[MAX_PARTS];
  double part_times[MAX_PARTS]; /* ms, median */
} Bench;

static void
bench_clear (Bench *self)
{
  g_clear_pointer (&self->backend, prism_backend_free);
  g_clear_pointer (&self->pattern, prism_pattern_unref);
  g_clear_pointer (&self->config, prism_config_free);
  g_free (self->device);
  g_free (self->reason);
  g_free (self->advice);
  g_free (self->times);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, bench_clear)

static double
get_milliseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

static gboolean
open_backend (Bench *self,
              GError **error)
{
  const PrismConfig *config = self->config;
  g_autoptr (PrismImage) object = NULL;
  const PrismBackendOps *ops = prism_registry_choose (config->backend, &self->reason, error);
  PrismBackendSpec spec;

  if (ops == NULL
      || !prism_task_init_spec (config, self->n_discs + 1, &spec, error))
    return FALSE;
  object = prism_object_load (config, error);
  if (object == NULL)
    return FALSE;
  self->backend = ops->open (&spec, error);
  if (self->backend == NULL || !ops->set_object (self->backend, object->pixels, error))
    return FALSE;
  self->device = ops->dup_device_name (self->backend);
  self->advice = ops->dup_precision_advice (&spec);
  return TRUE;
}

static gboolean
reset_decoder (Bench *self,
               GError **error)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree float *parameters = g_try_new (float, plan->n_parameters);

  if (parameters == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   "Not enough memory for %" G_GSIZE_FORMAT " parameters.", plan->n_parameters);
      return FALSE;
    }
  prism_decoder_plan_initialise (plan, self->config->seed, parameters);
  self->backend->ops->set_parameters (self->backend, parameters);
  self->backend->ops->reset_optimizer (self->backend);
  return TRUE;
}

static gboolean
bind_sample (Bench *self,
             guint sample,
             guint8 *coverage,
             GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  const PrismPoint *point = &self->pattern->points[sample];
  g_autoptr (PrismMask) mask = NULL;
  g_autoptr (PrismBuffer) buffer = NULL;
  PrismAperture aperture;
  double energy;

  prism_aperture_init_config (&aperture, self->config);
  mask = prism_aperture_get_mask (&aperture, self->config->image_size, point->y, point->x);
  buffer = ops->measure (self->backend, mask, error);
  if (buffer == NULL || !ops->bind (self->backend, sample, mask, buffer, &energy, error))
    return FALSE;
  if (sample < self->n_discs)
    prism_mask_accumulate (mask, coverage);
  return TRUE;
}

static gboolean
bind_samples (Bench *self,
              GError **error)
{
  int n = self->config->image_size;
  g_autofree guint8 *coverage = g_new0 (guint8, (gsize) n * n);
  g_autoptr (PrismMask) seen = NULL;

  for (guint i = 0; i <= self->n_discs; i++)
    {
      if (!bind_sample (self, i, coverage, error))
        return FALSE;
    }
  if (self->config->memory != PRISM_MEMORY_SELF || self->n_discs == 0)
    return TRUE;
  seen = prism_mask_new_plane (n, coverage);
  return self->backend->ops->hold (self->backend, self->n_discs + 1, seen, error);
}

static void
init_step (Bench *self,
           PrismStep *step,
           guint number)
{
  const PrismConfig *config = self->config;

  *step = (PrismStep) {
    .loss = config->loss,
    .domain = config->domain,
    .normalise = config->normalise,
    .new_term = { self->n_discs, 1.0f },
    .learning_rate = config->learning_rate,
  };
  step->n_old = self->n_terms - 1;
  for (guint k = 0; k < step->n_old; k++)
    {
      /* Any spread will do, as long as the terms of a step are different measurements. */
      guint past = (number * 7 + k * (self->n_discs / step->n_old + 1)) % MAX (self->n_discs, 1);
      guint slot = config->memory == PRISM_MEMORY_SELF ? self->n_discs + 1 : past;

      step->old_terms[k] = (PrismTerm) { slot, 1.0f };
    }
}

/* Runs n steps, at most a chunk, and returns the time of one of them, in ms. */
static double
run_chunk (Bench *self,
           guint first,
           guint n,
           GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  PrismStepResult results[MAX_CHUNK];
  PrismStep steps[MAX_CHUNK];
  double since;

  for (guint i = 0; i < n; i++)
    init_step (self, &steps[i], first + i);
  since = get_milliseconds ();
  ops->train (self->backend, steps, n, results);
  if (!ops->finish (self->backend, error))
    return -1;
  return (get_milliseconds () - since) / n;
}

static int
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
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

static gboolean
measure (Bench *self,
         GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  guint chunk = CLAMP (ops->chunk_size, 1, MAX_CHUNK);
  PrismDeviceCounters before;

  for (guint i = 0; i < self->n_warm_up; i += chunk)
    {
      if (run_chunk (self, i, MIN (chunk, self->n_warm_up - i), error) < 0)
        return FALSE;
    }
  collect_parts (self);
  ops->get_counters (self->backend, &before);
  self->times = g_new (double, self->n_steps);
  for (guint i = 0; i < self->n_steps; i += chunk)
    {
      double time = run_chunk (self, i, MIN (chunk, self->n_steps - i), error);

      if (time < 0)
        return FALSE;
      self->times[self->n_times++] = time;
    }
  qsort (self->times, self->n_times, sizeof (double), compare_doubles);
  ops->get_counters (self->backend, &self->counters);
  prism_device_counters_subtract (&self->counters, &before);
  ops->get_memory (self->backend, &self->memory);
  collect_parts (self);
  return TRUE;
}

static gboolean
prepare (Bench *self,
         int n_discs,
         GError **error)
{
  self->pattern = prism_pattern_new (self->config, error);
  if (self->pattern == NULL)
    return FALSE;
  if (n_discs >= (int) self->pattern->n_points)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "--discs is %d, but must be less than the %u samples of the pattern.", n_discs,
                   self->pattern->n_points);
      return FALSE;
    }
  self->n_discs = n_discs >= 0 ? n_discs : self->pattern->n_points / 2;
  self->n_terms = 1;
  if (self->n_discs > 0)
    self->n_terms = self->config->memory == PRISM_MEMORY_SELF ? 2 : self->config->replay;
  return open_backend (self, error) && reset_decoder (self, error) && bind_samples (self, error);
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
  g_autoptr (GString) memory = g_string_new (NULL);

  if (config->memory == PRISM_MEMORY_SELF)
    g_string_append_printf (memory, "self (%u discs in the coverage)", self->n_discs);
  else
    g_string_append_printf (memory, "%s (%u measurements per step)",
                            prism_config_get_param ("memory")->choices[config->memory].name,
                            self->n_terms);
  printf ("PRISM Studio %s on %s\n", PRISM_VERSION, self->device);
  printf ("%d px in %d px, aperture radius %g px, memory %s, %" G_GSIZE_FORMAT " parameters, %s\n",
          config->object_size, config->image_size, config->aperture_radius, memory->str,
          self->backend->spec.decoder.n_parameters, get_precision (self));
  if (self->advice != NULL)
    printf ("%s\n", self->advice);
  printf ("%u steps after %u for warm-up\n\n", self->n_steps, self->n_warm_up);
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
  double median = get_median (self);

  print_task (self);
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, median", median, 1e3 / median);
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, best", self->times[0], 1e3 / self->times[0]);
  for (guint i = 0; i < self->n_parts; i++)
    printf ("  %-26s %8.3f ms  %7.1f %%\n", self->part_names[i], self->part_times[i],
            100.0 * self->part_times[i] / median);
  print_counters (self);
  if (reference == NULL)
    return;
  putchar ('\n');
  print_task (reference);
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, median", get_median (reference),
          1e3 / get_median (reference));
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, best", reference->times[0],
          1e3 / reference->times[0]);
  printf ("%-28s %8.3f     of the medians, %.3f of the best\n", "ratio",
          get_median (reference) / median, reference->times[0] / self->times[0]);
}

static void
add_parts (const Bench *self,
           JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "parts");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->n_parts; i++)
    {
      json_builder_begin_object (builder);
      prism_cli_add_string (builder, "name", self->part_names[i]);
      prism_cli_add_number (builder, "median_ms", self->part_times[i]);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_memory (const Bench *self,
            JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "memory");
  json_builder_begin_object (builder);
  prism_cli_add_integer (builder, "used", (gint64) self->memory.used);
  prism_cli_add_integer (builder, "peak", (gint64) self->memory.peak);
  prism_cli_add_integer (builder, "available", (gint64) self->memory.available);
  json_builder_end_object (builder);
}

static void
add_results (const Bench *self,
             JsonBuilder *builder)
{
  const PrismBackendSpec *spec = &self->backend->spec;

  prism_cli_add_integer (builder, "parameters", (gint64) spec->decoder.n_parameters);
  prism_cli_add_string (builder, "precision", get_precision (self));
  if (self->advice != NULL)
    prism_cli_add_string (builder, "precision_advice", self->advice);
  prism_cli_add_number (builder, "median_step_ms", get_median (self));
  prism_cli_add_number (builder, "best_step_ms", self->times[0]);
  prism_cli_add_number (builder, "steps_per_second", 1e3 / get_median (self));
  add_parts (self, builder);
  prism_cli_add_integer (builder, "steps", self->n_steps);
  prism_cli_add_integer (builder, "warm_up_steps", self->n_warm_up);
  prism_cli_add_integer (builder, "coverage_discs", self->n_discs);
  prism_cli_add_integer (builder, "terms", self->n_terms);
  prism_cli_add_string (builder, "device", self->device);
  prism_cli_add_string (builder, "device_reason", self->reason);
  prism_device_counters_add_json (&self->counters, builder);
  add_memory (self, builder);
  prism_cli_add_config (builder, self->config);
}

static void
print_json (const Bench *self,
            const Bench *reference)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *processor = prism_system_dup_processor ();

  json_builder_begin_object (builder);
  add_results (self, builder);
  if (reference != NULL)
    {
      json_builder_set_member_name (builder, "against");
      json_builder_begin_object (builder);
      add_results (reference, builder);
      json_builder_end_object (builder);
      prism_cli_add_number (builder, "ratio", get_median (reference) / get_median (self));
      prism_cli_add_number (builder, "ratio_of_best", reference->times[0] / self->times[0]);
    }
  prism_cli_add_string (builder, "processor", processor);
  prism_system_add_versions (builder);
  json_builder_end_object (builder);
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
} BenchOptions;

static void
bench_options_clear (BenchOptions *self)
{
  g_free (self->backend);
  g_free (self->precision);
  g_free (self->memory);
  g_strfreev (self->against);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (BenchOptions, bench_options_clear)

static gboolean
set_precision (PrismConfig *config,
               const char *precision,
               GError **error)
{
  config->amp = !g_str_equal (precision, "fp32");
  return !config->amp || prism_config_set_text (config, "amp_type", precision, error);
}

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
  if (options->precision != NULL && !set_precision (config, options->precision, error))
    return FALSE;
  return options->n_threads < 0
         || prism_config_set_number (config, prism_config_get_param ("threads"), options->n_threads,
                                     error);
}

static gboolean
apply_setting (PrismConfig *config,
               const char *setting,
               GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *key = NULL;

  if (equals == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "--against wants KEY=VALUE, but is “%s”.", setting);
      return FALSE;
    }
  key = g_strndup (setting, equals - setting);
  return prism_config_set_text (config, key, equals + 1, error);
}

/* A time is one of a chunk: of few chunks a median says little. */
static void
choose_steps (Bench *self,
              const BenchOptions *options)
{
  int chunk = CLAMP (self->backend->ops->chunk_size, 1, MAX_CHUNK);

  self->n_steps = CLAMP (options->n_steps >= 0 ? options->n_steps : 200 * chunk, 1, 1000000);
  self->n_warm_up = CLAMP (options->n_warm_up >= 0 ? options->n_warm_up : 20 * chunk, 0, 1000000);
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

  for (char **setting = options->against; *setting != NULL; setting++)
    {
      if (!apply_setting (config, *setting, error))
        return FALSE;
    }
  return run_bench (self, g_steal_pointer (&config), options, error);
}

/**
 * prism_cli_bench:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli bench: times the training step and its parts, on its own or against another setting.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_bench (int argc,
                 char **argv)
{
  g_auto (PrismCliOptions) options = { 0 };
  g_auto (BenchOptions) bench_options = {
    .n_threads = -1, .n_steps = -1, .n_warm_up = -1, .n_discs = -1
  };
  BenchOptions *o = &bench_options;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { "steps", 0, 0, G_OPTION_ARG_INT, &o->n_steps, "Steps to time (default: 200 chunks)", "N" },
    { "warm-up", 0, 0, G_OPTION_ARG_INT, &o->n_warm_up, "Steps before that (default: 20 chunks)",
      "N" },
    { "backend", 0, 0, G_OPTION_ARG_STRING, &o->backend, "Short for --set backend=NAME", "NAME" },
    { "precision", 0, 0, G_OPTION_ARG_STRING, &o->precision,
      "fp32, or mixed precision with bf16, fp16 or tf32, which the CPU does not have", "NAME" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &o->n_threads, "Short for --set threads=N", "N" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &o->memory, "Short for --set memory=NAME", "NAME" },
    { "discs", 0, 0, G_OPTION_ARG_INT, &o->n_discs,
      "Measurements in the coverage already (default: half of the samples)", "N" },
    { "against", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->against,
      "Time the step with this changed, too, and print the ratio; may be repeated", "KEY=VALUE" },
    { NULL },
  };
  g_auto (Bench) bench = { 0 }, reference = { 0 };
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  if (!prism_cli_parse ("bench", entries, &options, &argc, &argv, &error)
      || !prism_cli_refuse_rest (argc, argv, &error))
    return prism_cli_report (error);
  config = prism_cli_options_load (&options, &error);
  if (config == NULL || !read_overrides (config, o, &error)
      || !run_bench (&bench, g_steal_pointer (&config), o, &error)
      || (o->against != NULL && !run_reference (&reference, &bench, o, &error)))
    return prism_cli_report (error);
  (json ? print_json : print_results) (&bench, o->against != NULL ? &reference : NULL);
  return prism_cli_finish_output ();
}
