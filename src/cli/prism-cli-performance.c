#include "config.h"

#include "prism-cli-benchmark.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-system.h"
#include "benchmark/prism-bench-runner.h"
#include "benchmark/prism-performance-text.h"
#include "benchmark/prism-performance.h"
#include "benchmark/prism-series-kind.h"
#include "config/prism-config.h"
#include "device/prism-device.h"
#include "device/prism-registry.h"
#include "forecast/prism-cost-probe.h"
#include "measure/prism-measurements.h"
#include "model/prism-config-check.h"
#include "model/prism-object.h"
#include "model/prism-pattern.h"
#include "prism-cli-engine.h"
#include "prism-cli-exit.h"
#include "prism-cli-output.h"
#include "solve/prism-descent.h"

/* bench --transfers: copies between the host's memory and a graphics processor's, timed. */

typedef struct
{
  char *device;
  char *reason;  /* why this device */
  GArray *rates; /* PrismCopyRate */
} Transfers;

PRISM_CLEAR (Transfers, transfers_clear, g_free, device, g_free, reason, g_array_unref, rates)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Transfers, transfers_clear)

/* A device that copies nothing says why it was chosen, which is what can be changed. */
static gboolean
measure_copies (Transfers *self, const PrismConfig *config, int n_mib, GError **error)
{
  const PrismBackendOps *ops = prism_registry_choose (config->backend, &self->reason, error);
  const int n_sizes
      = n_mib != 0 ? 1 : prism_series_get_most (PRISM_SERIES_TRANSFERS, config) + 1;

  if (ops == NULL)
    return FALSE;
  if (ops->time_copies == NULL)
    return prism_error_set (error, PRISM_ERROR_BACKEND,
                            "The processor works in its own memory: nothing is copied. %s",
                            self->reason);
  for (int i = 0; i < n_sizes; i++)
    {
      PrismCopyRate rate;

      g_clear_pointer (&self->device, g_free);
      if (!prism_copy_rate_measure (&rate, ops,
                                    n_mib != 0 ? (guint) n_mib : prism_series_get_mib (i),
                                    &self->device, error))
        return FALSE;
      g_array_append_val (self->rates, rate);
    }
  return TRUE;
}

static void
print_copies_json (const Transfers *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{device: %s, device_reason: %s, transfers: [", self->device,
                  self->reason);
  PRISM_FOR_EACH (const PrismCopyRate, rate, self->rates)
    {
      prism_json_add (builder, "{");
      prism_copy_rate_add_json (rate, builder);
      prism_json_add (builder, "}");
    }
  prism_json_add (builder, "]");
  prism_system_add_versions (builder);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

static void
print_copies_text (const Transfers *self)
{
  printf ("PRISM Studio %s on %s\n\n%9s", PRISM_VERSION, self->device, "GB/s");
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    printf ("  %14s", prism_copy_kind_get_label (kind));
  putchar ('\n');
  PRISM_FOR_EACH (const PrismCopyRate, rate, self->rates)
    {
      printf ("%5u MiB", (guint) (rate->n_bytes >> 20));
      for (int kind = 0; kind < PRISM_N_COPIES; kind++)
        {
          g_autofree char *number = prism_copy_rate_dup_number (rate->rates[kind]);

          printf ("  %14s", number);
        }
      putchar ('\n');
    }
}

/* Times copies to the device and back, with pinned and pageable memory. */
static PrismExit
run_transfers (const PrismConfig *config, int n_mib, gboolean json, GError **error)
{
  g_auto (Transfers) self = { .rates = g_array_new (FALSE, FALSE, sizeof (PrismCopyRate)) };

  if (!measure_copies (&self, config, n_mib, error))
    return PRISM_EXIT_FAILED;
  (json ? print_copies_json : print_copies_text) (&self);
  return PRISM_EXIT_OK;
}

/* bench --passes: whole passes of the refinement, timed on the device of a configuration.
 *
 * A pass goes over all measurements of the configuration, as the refinement's do: misfit, slope,
 * total variation, the step and its momentum. The image begins as the object, whose passes cost
 * what others do. */

#define WARM_UP 3
#define LEAST 10
#define MOST 4000
#define ENOUGH 2.0 /* s, after which no more than LEAST passes are timed */
#define PLACE 0    /* of the copies on a device */

typedef struct
{
  const PrismConfig *config;
  PrismDevice device;
  PrismCache *cache;
  PrismImage *object;
  PrismPattern *pattern;
  PrismScene *scene;
  PrismMeasurements *measurements;
  PrismDescent *descent;
  guint n;            /* measurements */
  double taken;       /* ms of a frame */
  double at_hand;     /* ms of one that the cache has */
  double times[MOST]; /* ms */
  guint n_times;
} Passes;

static void
passes_clear (Passes *self)
{
  g_clear_pointer (&self->descent, prism_descent_free);
  g_clear_pointer (&self->measurements, prism_measurements_free);
  g_clear_pointer (&self->scene, prism_scene_unref);
  if (self->cache != NULL)
    prism_device_close (&self->device, self->cache);
  g_free (self->device.reason);
  g_clear_pointer (&self->cache, prism_cache_free);
  g_clear_pointer (&self->object, prism_image_unref);
  g_clear_pointer (&self->pattern, prism_pattern_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Passes, passes_clear)

static gboolean
open_device (Passes *self,
             GError **error)
{
  const PrismConfig *config = self->config;
  const gsize plane = (gsize) config->image_size * (gsize) config->image_size * sizeof (float);

  if (!prism_config_check (config, error))
    return FALSE;
  self->pattern = prism_pattern_new (config, error);
  self->object = prism_object_load (config, error);
  if (self->pattern == NULL || self->object == NULL)
    return FALSE;
  self->n = self->pattern->n_points;
  self->cache = prism_cache_new ((self->n + 2) * plane);
  return prism_device_open (&self->device, config, self->n, FALSE, self->cache, error);
}

static gboolean
take_measurements (Passes *self,
                   GError **error)
{
  PrismBackend *backend = self->device.backend;

  self->scene = prism_scene_new_simulated (self->object, self->pattern, 1);
  if (!prism_scene_show (self->scene, backend, error))
    return FALSE;
  self->measurements = prism_measurements_new (self->config, backend, self->cache, self->scene);
  if (self->measurements == NULL)
    prism_error_memory (error, "Not enough memory for the apertures.");
  return self->measurements != NULL;
}

/* ms of each. */
static gboolean
time_frames (Passes *self,
             double *of_one,
             GError **error)
{
  const double since = prism_clock_get_seconds ();

  for (guint i = 0; i < self->n; i++)
    if (!prism_measurements_acquire (self->measurements, i, error))
      return FALSE;
  if (!self->device.backend->ops->finish (self->device.backend, error))
    return FALSE;
  *of_one = 1e3 * (prism_clock_get_seconds () - since) / self->n;
  return TRUE;
}

static void
print_passes_json (const Passes *self,
                   double median)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder,
                  "{device: %s, device_reason: %s, image_size: %d, object_size: %d, measurements: "
                  "%u, passes: %u, median_pass_ms: %g, best_pass_ms: %g, passes_per_second: %g, "
                  "frame_taken_ms: %g, frame_at_hand_ms: %g}",
                  self->device.name, self->device.reason, self->config->image_size,
                  self->config->object_size, self->n, self->n_times, median, self->times[0],
                  1e3 / median, self->taken, self->at_hand);
  prism_cli_print_json (builder);
}

static void
print_passes_text (const Passes *self,
                   double median)
{
  printf ("PRISM Studio %s on %s\n", PRISM_VERSION, self->device.name);
  printf ("%d px in %d px, %u measurements, %u passes after %d for warm-up\n\n",
          self->config->object_size, self->config->image_size, self->n, self->n_times, WARM_UP);
  printf ("%-28s %8.3f ms  %7.1f passes/s\n", "pass, median", median, 1e3 / median);
  printf ("%-28s %8.3f ms  %7.1f passes/s\n", "pass, best", self->times[0],
          1e3 / self->times[0]);
  printf ("%-28s %8.3f ms\n", "frame, taken", self->taken);
  printf ("%-28s %8.5f ms  %7.0f times faster\n", "frame, at hand", self->at_hand,
          self->taken / self->at_hand);
}

/* Times whole passes over all measurements of a configuration, and a frame that has to be taken and
 * one that the cache has. */
static PrismExit
run_passes (const PrismConfig *config,
            gboolean json,
            GError **error)
{
  g_auto (Passes) self = { .config = config };
  double begun = 0.0;

  if (!open_device (&self, error) || !take_measurements (&self, error)
      || !time_frames (&self, &self.taken, error) || !time_frames (&self, &self.at_hand, error))
    return PRISM_EXIT_FAILED;
  self.descent = prism_descent_new (self.device.backend, self.measurements, PLACE, error);
  if (self.descent == NULL)
    return PRISM_EXIT_FAILED;
  prism_descent_set_image (self.descent, self.object->pixels);
  self.descent->smoothness = self.config->smoothness;
  if (!prism_descent_add_samples (self.descent, self.n, error)
      || !prism_descent_set_exponent (self.descent, 1.0, error))
    return PRISM_EXIT_FAILED;
  for (guint pass = 0; pass < WARM_UP + MOST; pass++)
    {
      const double since = prism_clock_get_seconds ();
      PrismControl control = { 0 };

      if (pass == WARM_UP)
        begun = since;
      if (pass >= WARM_UP + LEAST && since - begun > ENOUGH)
        break;
      prism_descent_look_at (self.descent, pass, FALSE);
      prism_pace_init (&control.pace, self.n);
      if (!prism_descent_pass (self.descent, &control, error))
        return PRISM_EXIT_FAILED;
      if (pass >= WARM_UP)
        self.times[self.n_times++] = 1e3 * (prism_clock_get_seconds () - since);
    }
  prism_sort_doubles (self.times, self.n_times);

  (json ? print_passes_json : print_passes_text) (&self, self.times[self.n_times / 2]);
  return PRISM_EXIT_OK;
}

/* Training is not spared there: what tells whether it can be takes longest. */
static PrismExit
print_pieces (const PrismConfig *config,
              GError **error)
{
  g_autoptr (PrismConfig) plain = prism_config_dup (config);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  PrismCosts costs;

  prism_config_train_always (plain);
  if (!prism_config_check (plain, error) || !prism_cost_probe_run (&costs, plain, NULL, error))
    return PRISM_EXIT_FAILED;
  prism_json_add (builder,
                  "{frame_seconds: %g, pass_seconds: %g, start_step_seconds: %g, step_seconds: %g, "
                  "picture_seconds: %g, peak_bytes: %lu}",
                  costs.frame, costs.pass + plain->samples * costs.visit, costs.start, costs.step,
                  costs.picture, prism_system_get_peak_memory ());
  prism_cli_print_json (builder);
  return PRISM_EXIT_OK;
}

/* A sentence where nothing at all was measured. */
static gboolean
check_measured (const PrismPerformance *performance, GError **error)
{
  const char *problem = NULL;
  gboolean lacked = FALSE;

  PRISM_FOR_EACH_POINTER (const PrismSeries, series, performance->series)
    {
      if (series->points->len > 0)
        return TRUE;
      if (problem == NULL)
        problem = series->problem != NULL ? series->problem : series->gap;
      lacked |= series->end == PRISM_SERIES_NO_MEMORY;
    }
  if (problem == NULL)
    problem = lacked ? "There is not enough memory: choose smaller sizes."
                     : "30 seconds were not enough: choose smaller sizes, or --find-size.";
  return prism_error_set (error, lacked ? PRISM_ERROR_MEMORY : PRISM_ERROR_BACKEND,
                          "Nothing was measured. %s", problem);
}

static void
print_json (const PrismPerformance *performance)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{");
  prism_performance_add_json (performance, builder);
  prism_system_add_versions (builder);
  prism_cli_add_config (builder, performance->config);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

/**
 * prism_cli_performance_run:
 * @self: options of which one was given
 * @config: of the run in question
 * @json: whether to print JSON
 *
 * Measures what sizes pay on this machine, or looks for the best ones, or times the pieces of a
 * run, whole passes, or copies to and from the device.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_performance_run (const PrismCliBenchmark *self,
                           const PrismConfig *config,
                           gboolean json,
                           GError **error)
{
  g_autoptr (PrismPerformance) performance = NULL;

  if (self->pieces)
    return print_pieces (config, error);
  if (self->passes)
    return run_passes (config, json, error);
  if (self->transfers)
    return run_transfers (config, self->n_mib, json, error);
  if (!prism_config_check (config, error))
    return PRISM_EXIT_FAILED;
  prism_cli_engine_catch_signals ();
  performance = prism_performance_new (config, self->find_size);
  prism_cli_benchmark_measure (NULL, performance, self->measure ? PRISM_PERFORMANCE_SECONDS : 0.0,
                               self->quiet, NULL);
  if (prism_cli_engine_get_signal () != 0 && (json || !check_measured (performance, NULL)))
    return prism_cli_engine_get_exit ();
  if (!check_measured (performance, error))
    return PRISM_EXIT_FAILED;
  if (json)
    print_json (performance);
  else
    prism_cli_print_text (prism_performance_dup_text (performance));
  return prism_cli_engine_get_exit ();
}
