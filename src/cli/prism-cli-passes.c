#include "config.h"

#include "prism-cli-passes.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-json.h"
#include "base/prism-sort.h"
#include "device/prism-device.h"
#include "measure/prism-measurements.h"
#include "model/prism-config-check.h"
#include "model/prism-object.h"
#include "model/prism-pattern.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "solve/prism-descent.h"

#include <stdio.h>
#include <stdlib.h>

/* A pass goes over all measurements of the configuration, as the refinement's do: misfit, slope,
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
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY, "Not enough memory for the apertures.");
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

static gboolean
begin (Passes *self,
       GError **error)
{
  self->descent = prism_descent_new (self->device.backend, self->measurements, PLACE, error);
  if (self->descent == NULL)
    return FALSE;
  prism_descent_set_image (self->descent, self->object->pixels);
  prism_descent_set_smoothness (self->descent, self->config->smoothness);
  return prism_descent_add_samples (self->descent, self->n, error)
         && prism_descent_set_exponent (self->descent, 1.0, error);
}

static gboolean
take_pass (Passes *self,
           GError **error)
{
  PrismControl control = { 0 };

  prism_pace_init (&control.pace, self->n);
  return prism_descent_pass (self->descent, &control, error);
}

static gboolean
time_passes (Passes *self,
             GError **error)
{
  double begun = 0.0;

  for (guint pass = 0; pass < WARM_UP + MOST; pass++)
    {
      const double since = prism_clock_get_seconds ();

      if (pass == WARM_UP)
        begun = since;
      if (pass >= WARM_UP + LEAST && since - begun > ENOUGH)
        break;
      prism_descent_look_at (self->descent, pass);
      if (!take_pass (self, error))
        return FALSE;
      if (pass >= WARM_UP)
        self->times[self->n_times++] = 1e3 * (prism_clock_get_seconds () - since);
    }
  prism_sort_doubles (self->times, self->n_times);
  return TRUE;
}

static void
print_json (const Passes *self,
            double median)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  prism_json_add_string (builder, "device", self->device.name);
  prism_json_add_string (builder, "device_reason", self->device.reason);
  prism_json_add_integer (builder, "image_size", self->config->image_size);
  prism_json_add_integer (builder, "object_size", self->config->object_size);
  prism_json_add_integer (builder, "measurements", self->n);
  prism_json_add_integer (builder, "passes", self->n_times);
  prism_json_add_number (builder, "median_pass_ms", median);
  prism_json_add_number (builder, "best_pass_ms", self->times[0]);
  prism_json_add_number (builder, "passes_per_second", 1e3 / median);
  prism_json_add_number (builder, "frame_taken_ms", self->taken);
  prism_json_add_number (builder, "frame_at_hand_ms", self->at_hand);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

static void
print_text (const Passes *self,
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

/**
 * prism_cli_passes_run:
 * @config: what is measured, and on which device
 * @json: whether the numbers are printed as JSON
 *
 * Times whole passes over all measurements of a configuration, and a frame that has to be taken and
 * one that the cache has.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_passes_run (const PrismConfig *config,
                      gboolean json)
{
  g_auto (Passes) self = { .config = config };
  g_autoptr (GError) error = NULL;

  if (!open_device (&self, &error) || !take_measurements (&self, &error)
      || !time_frames (&self, &self.taken, &error) || !time_frames (&self, &self.at_hand, &error)
      || !begin (&self, &error)
      || !time_passes (&self, &error))
    return prism_cli_report (error);
  (json ? print_json : print_text) (&self, self.times[self.n_times / 2]);
  return prism_cli_finish_output ();
}
