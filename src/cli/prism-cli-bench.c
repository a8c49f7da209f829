#include "config.h"

#include "prism-backend.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "prism-error.h"
#include "prism-object.h"
#include "prism-pattern.h"
#include "prism-system.h"
#include "prism-trainer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
  guint n_discs; /* measurements that are already in the coverage */
  guint n_warm_up;
  guint n_steps;
  guint n_terms; /* of one step */
  double *times; /* [n_steps] ms, sorted */
  guint n_times;
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
  const PrismBackendOps *ops = prism_backend_get_choice (config->backend, &self->reason, error);
  PrismBackendSpec spec;

  if (ops == NULL
      || !prism_trainer_init_spec (config, self->n_discs + 1, &spec, error))
    return FALSE;
  object = prism_object_load (config, error);
  if (object == NULL)
    return FALSE;
  self->backend = ops->open (&spec, error);
  if (self->backend == NULL || !ops->set_object (self->backend, object->pixels, error))
    return FALSE;
  self->device = ops->dup_device_name (self->backend);
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

/* Runs one chunk and returns the time of one of its steps, in ms. */
static double
run_chunk (Bench *self,
           guint first,
           GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  guint n = CLAMP (ops->chunk_size, 1, MAX_CHUNK);
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
  guint chunk = CLAMP (self->backend->ops->chunk_size, 1, MAX_CHUNK);

  for (guint i = 0; i < self->n_warm_up; i += chunk)
    {
      if (run_chunk (self, i, error) < 0)
        return FALSE;
    }
  collect_parts (self);
  self->times = g_new (double, self->n_steps);
  for (guint i = 0; i < self->n_steps; i += chunk)
    {
      double time = run_chunk (self, i, error);

      if (time < 0)
        return FALSE;
      self->times[self->n_times++] = time;
    }
  qsort (self->times, self->n_times, sizeof (double), compare_doubles);
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

static void
print_results (const Bench *self)
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
  printf ("%d px in %d px, aperture radius %g px, memory %s, %" G_GSIZE_FORMAT " parameters\n",
          config->object_size, config->image_size, config->aperture_radius, memory->str,
          self->backend->spec.decoder.n_parameters);
  printf ("%u steps after %u for warm-up\n\n", self->n_steps, self->n_warm_up);
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, median", self->times[self->n_times / 2],
          1e3 / self->times[self->n_times / 2]);
  printf ("%-28s %8.3f ms  %7.1f it/s\n", "step, best", self->times[0], 1e3 / self->times[0]);
  for (guint i = 0; i < self->n_parts; i++)
    printf ("  %-26s %8.3f ms\n", self->part_names[i], self->part_times[i]);
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
print_json (const Bench *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *processor = prism_system_dup_processor ();

  json_builder_begin_object (builder);
  prism_cli_add_integer (builder, "parameters", (gint64) self->backend->spec.decoder.n_parameters);
  prism_cli_add_number (builder, "median_step_ms", self->times[self->n_times / 2]);
  prism_cli_add_number (builder, "best_step_ms", self->times[0]);
  prism_cli_add_number (builder, "steps_per_second", 1e3 / self->times[self->n_times / 2]);
  add_parts (self, builder);
  prism_cli_add_integer (builder, "steps", self->n_steps);
  prism_cli_add_integer (builder, "warm_up_steps", self->n_warm_up);
  prism_cli_add_integer (builder, "coverage_discs", self->n_discs);
  prism_cli_add_integer (builder, "terms", self->n_terms);
  prism_cli_add_string (builder, "device", self->device);
  prism_cli_add_string (builder, "device_reason", self->reason);
  prism_cli_add_string (builder, "processor", processor);
  prism_system_add_versions (builder);
  prism_cli_add_config (builder, self->config);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

static gboolean
read_overrides (Bench *self,
                const char *memory,
                int n_threads,
                GError **error)
{
  if (memory != NULL && !prism_config_set_text (self->config, "memory", memory, error))
    return FALSE;
  if (n_threads >= 0
      && !prism_config_set_number (self->config, prism_config_get_param ("threads"), n_threads,
                                   error))
    return FALSE;
  return TRUE;
}

/**
 * prism_cli_bench:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli bench: times the training step and its parts.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_bench (int argc,
                 char **argv)
{
  g_auto (PrismCliOptions) options = { 0 };
  g_autofree char *memory = NULL;
  gboolean json = FALSE;
  int n_steps = 200, n_warm_up = 20, n_threads = -1, n_discs = -1;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Write JSON", NULL },
    { "steps", 0, 0, G_OPTION_ARG_INT, &n_steps, "Steps to time (default: 200)", "N" },
    { "warm-up", 0, 0, G_OPTION_ARG_INT, &n_warm_up, "Steps before that (default: 20)", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &n_threads, "Short for --set threads=N", "N" },
    { "memory", 0, 0, G_OPTION_ARG_STRING, &memory, "Short for --set memory=NAME", "NAME" },
    { "discs", 0, 0, G_OPTION_ARG_INT, &n_discs,
      "Measurements in the coverage already (default: half of the samples)", "N" },
    { NULL },
  };
  g_auto (Bench) bench = { 0 };
  g_autoptr (GError) error = NULL;

  if (!prism_cli_parse ("bench", entries, &options, &argc, &argv, &error)
      || !prism_cli_refuse_rest (argc, argv, &error))
    return prism_cli_report (error);
  bench.config = prism_cli_options_load (&options, &error);
  bench.n_steps = CLAMP (n_steps, 1, 1000000);
  bench.n_warm_up = CLAMP (n_warm_up, 0, 1000000);
  if (bench.config == NULL || !read_overrides (&bench, memory, n_threads, &error)
      || !prepare (&bench, n_discs, &error) || !measure (&bench, &error))
    return prism_cli_report (error);
  if (json)
    print_json (&bench);
  else
    print_results (&bench);
  return prism_cli_finish_output ();
}
