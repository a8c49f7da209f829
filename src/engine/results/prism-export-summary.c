#include "config.h"

#include "results/prism-export.h"

#include "backend/prism-device-counters.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "base/prism-text.h"
#include "config/prism-units.h"
#include "results/prism-frc.h"

#include <math.h>
#include <string.h>

static const char *const state_names[] = {
  "idle",
  "preparing",
  "running",
  "paused",
  "stopped",
  "finished",
  "failed",
};

static void
add_param (JsonBuilder *builder,
           const PrismConfig *config,
           const PrismParam *param)
{
  g_autofree char *text = NULL;

  switch (param->type)
    {
    case PRISM_PARAM_INTEGER:
      prism_json_add_integer (builder, param->key,
                              (guint64) (gint64) prism_config_get_number (config, param));
      break;
    case PRISM_PARAM_REAL:
      prism_json_add_number (builder, param->key, prism_config_get_number (config, param));
      break;
    case PRISM_PARAM_SWITCH:
      json_builder_set_member_name (builder, param->key);
      json_builder_add_boolean_value (builder, prism_config_get_number (config, param) != 0.0);
      break;
    case PRISM_PARAM_CHOICE:
    case PRISM_PARAM_TEXT:
    default:
      text = prism_config_dup_text (config, param);
      prism_json_add_string (builder, param->key, text);
      break;
    }
}

static void
add_configuration (JsonBuilder *builder,
                   const PrismConfig *config)
{
  prism_json_begin_object (builder, "configuration");
  PRISM_FOR_EACH_PARAM (param)
    if (config != NULL)
      add_param (builder, config, param);
  json_builder_end_object (builder);
}

/* rest: of what noise leaves, or without noise of the light. Null where nothing was judged. The
 * sums tell how far it is from the other kind. */
static void
add_verdict (JsonBuilder *builder,
             const PrismVerdict *verdict)
{
  g_autofree char *text = prism_verdict_dup_text (verdict);

  prism_json_begin_object (builder, "verdict");
  prism_json_add_string (builder, "kind", prism_verdict_get_key (verdict->kind));
  prism_json_add_number (builder, "rest", prism_verdict_get_rest (verdict));
  prism_json_add_string (builder, "text", text);
  prism_json_add_integer (builder, "frames", verdict->n_frames);
  prism_json_add_number (builder, "misfit", verdict->misfit);
  prism_json_add_number (builder, "expected", verdict->expected);
  prism_json_add_number (builder, "variance", verdict->variance);
  prism_json_add_number (builder, "power", verdict->power);
  prism_json_add_number (builder, "difference",
                         verdict->difference > 0.0 ? verdict->difference : NAN);
  json_builder_end_object (builder);
}

/* Fractions of the picture's norm; null where they are not known. */
static void
add_settling (JsonBuilder *builder,
              const PrismSettling *settling)
{
  g_autofree char *text = prism_settling_dup_text (settling);

  prism_json_begin_object (builder, "settling");
  prism_json_add_string (builder, "kind", prism_settling_get_key (settling->kind));
  prism_json_add_number (builder, "change", settling->change > 0.0 ? settling->change : NAN);
  prism_json_add_number (builder, "limit", settling->limit > 0.0 ? settling->limit : NAN);
  prism_json_add_string (builder, "text", text);
  json_builder_end_object (builder);
}

static void
add_result (JsonBuilder *builder,
            const PrismSnapshot *snapshot)
{
  g_autofree char *notice = prism_snapshot_dup_object_notice (snapshot);

  prism_json_add_string (builder, "state", state_names[snapshot->state]);
  prism_json_add_string (builder, "message", snapshot->message);
  prism_json_add_string (builder, "object_notice", notice);
  prism_json_add_string (builder, "frames", snapshot->recorded ? "recorded" : "simulated");
  prism_json_add_string (builder, "target", snapshot->has_no_target ? "unknown" : "known");
  prism_json_begin_object (builder, "final");
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    prism_json_add_number (builder, prism_metrics[i].key, snapshot->metrics.values[i]);
  json_builder_end_object (builder);
  prism_json_add_number (builder, "loss_new", snapshot->loss_new);
  prism_json_add_number (builder, "loss_old", snapshot->loss_old);
  prism_json_add_number (builder, "misfit", snapshot->misfit);
  prism_json_add_string (builder, "training", prism_training_get_key (snapshot->training));
  add_verdict (builder, &snapshot->verdict);
  add_settling (builder, &snapshot->settling);
  prism_json_add_number (builder, "coverage", snapshot->coverage);
  prism_json_add_integer (builder, "samples", snapshot->n_samples);
  prism_json_add_integer (builder, "frame_side", snapshot->frame_side);
  prism_json_add_integer (builder, "steps", snapshot->step);
  prism_json_add_integer (builder, "skipped_steps", snapshot->n_skipped);
  prism_json_add_integer (builder, "parameters", snapshot->n_parameters);
  prism_json_add_number (builder, "seconds", snapshot->seconds);
  prism_json_add_number (builder, "steps_per_second", snapshot->steps_per_second);
}

static void
add_scale (JsonBuilder *builder,
           const PrismSnapshot *snapshot)
{
  PrismUnits units;

  if (snapshot->config == NULL)
    return;
  prism_units_init_config (&units, snapshot->config);
  prism_units_add_json (&units, builder);
}

static void
add_samples (JsonBuilder *builder,
             const PrismSnapshot *snapshot,
             const char *name,
             PrismSampleState state)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < snapshot->n_samples; i++)
    if (snapshot->sample_states[i] == state)
      json_builder_add_int_value (builder, i);
  json_builder_end_array (builder);
}

/* Indices as in metrics.csv. Null where the convergence was not watched. */
static void
add_convergence (JsonBuilder *builder,
                 const PrismSnapshot *snapshot)
{
  if (snapshot->sample_states == NULL)
    {
      prism_json_add_null (builder, "convergence");
      return;
    }
  prism_json_begin_object (builder, "convergence");
  add_samples (builder, snapshot, "converged", PRISM_SAMPLE_CONVERGED);
  add_samples (builder, snapshot, "rescued", PRISM_SAMPLE_RESCUED);
  add_samples (builder, snapshot, "failed", PRISM_SAMPLE_FAILED);
  json_builder_end_object (builder);
}

/* Null where the object is not the resolution target. */
static void
add_resolution (JsonBuilder *builder,
                const PrismSnapshot *snapshot)
{
  PrismResolution resolution;

  if (!prism_resolution_compute_snapshot (&resolution, snapshot))
    {
      prism_json_add_null (builder, "resolution");
      return;
    }
  prism_json_begin_object (builder, "resolution");
  prism_json_add_integer (builder, "elements", resolution.n_elements);
  prism_json_add_integer (builder, "resolved", resolution.n_resolved);
  if (resolution.n_resolved > 0)
    {
      prism_json_add_integer (builder, "group", resolution.finest.group);
      prism_json_add_integer (builder, "element", resolution.finest.element);
      prism_json_add_number (builder, "line_pairs_per_pixel",
                             resolution.finest.line_pairs_per_pixel);
      prism_json_add_number (builder, "contrast", resolution.contrast);
    }
  json_builder_end_object (builder);
}

/* Null where there is no image. The field's n pixels hold radius waves: one is n/radius px long. */
static void
add_correlation (JsonBuilder *builder,
                 const PrismSnapshot *snapshot)
{
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (snapshot, NULL);
  double reach = frc != NULL ? prism_frc_get_reach (frc) : 0.0;

  if (frc == NULL)
    {
      prism_json_add_null (builder, "fourier_ring_correlation");
      return;
    }
  prism_json_begin_object (builder, "fourier_ring_correlation");
  prism_json_add_string (builder, "threshold", "half-bit");
  prism_json_add_number (builder, "radius", reach);
  prism_json_add_number (builder, "period", reach > 0.0 ? 2.0 * (frc->n_rings - 1) / reach : NAN);
  prism_json_add_integer (builder, "largest_radius", frc->n_rings - 1);
  prism_json_add_number (builder, "radius_one_seventh", prism_frc_get_resolution (frc, 1.0 / 7.0));
  json_builder_end_object (builder);
}

/* Null where the decoder was not kept. */
static void
add_fold (JsonBuilder *builder,
          const PrismFold *fold)
{
  if (fold == NULL)
    {
      prism_json_add_null (builder, "decoder");
      return;
    }
  prism_json_begin_object (builder, "decoder");
  prism_json_add_integer (builder, "parameters_trained", fold->n_parameters_before);
  prism_json_add_integer (builder, "parameters", fold->plan.n_parameters);
  prism_json_add_integer (builder, "bytes_trained", fold->n_bytes_before);
  prism_json_add_integer (builder, "bytes", fold->n_bytes);
  prism_json_add_number (builder, "forward_ms_trained", fold->milliseconds_before);
  prism_json_add_number (builder, "forward_ms", fold->milliseconds);
  prism_json_add_number (builder, "largest_difference", fold->difference);
  json_builder_end_object (builder);
}

static void
add_cache_of (JsonBuilder *builder,
              const char *name,
              guint64 hits,
              guint64 misses,
              double rate)
{
  prism_json_begin_object (builder, name);
  prism_json_add_integer (builder, "hits", hits);
  prism_json_add_integer (builder, "misses", misses);
  prism_json_add_number (builder, "hit_rate", rate);
  json_builder_end_object (builder);
}

/* Of frames, and of what else a step or a pass uses for each of them. */
static void
add_cache (JsonBuilder *builder,
           const PrismCacheStatistics *cache)
{
  prism_json_begin_object (builder, "cache");
  prism_json_add_integer (builder, "hits", cache->hits);
  prism_json_add_integer (builder, "misses", cache->misses);
  prism_json_add_number (builder, "hit_rate", cache->hit_rate);
  prism_json_add_number (builder, "hit_rate_of_last_pass", cache->pass_rate);
  prism_json_add_integer (builder, "bytes", cache->bytes);
  prism_json_add_integer (builder, "budget", cache->budget);
  prism_json_add_integer (builder, "entries", cache->n_entries);
  prism_json_add_integer (builder, "small_frames", cache->n_small);
  prism_json_add_integer (builder, "small_bytes", cache->small_bytes);
  add_cache_of (builder, "apertures", cache->aperture_hits, cache->aperture_misses,
                cache->aperture_rate);
  add_cache_of (builder, "transforms", cache->transform_hits, cache->transform_misses,
                cache->transform_rate);
  json_builder_end_object (builder);
}

static void
add_device (JsonBuilder *builder,
            const PrismSnapshot *snapshot)
{
  prism_json_add_string (builder, "backend", snapshot->backend);
  prism_json_add_string (builder, "device", snapshot->device);
  prism_json_add_string (builder, "device_reason", snapshot->device_reason);
  prism_json_add_string (builder, "precision_advice", snapshot->precision_advice);
  prism_device_counters_add_json (&snapshot->counters, builder);
  prism_json_begin_object (builder, "memory");
  prism_json_add_integer (builder, "used", snapshot->memory_used);
  prism_json_add_integer (builder, "peak", snapshot->memory_peak);
  prism_json_add_integer (builder, "available", snapshot->memory_available);
  json_builder_end_object (builder);
  add_cache (builder, &snapshot->cache);
}

/**
 * prism_export_dup_summary:
 * @snapshot: a snapshot
 *
 * Writes the configuration, the result, the times, the device and the versions as JSON. What is not
 * known is null. Memory is in bytes.
 *
 * Returns: (transfer full): the text, with an end of line
 */
char *
prism_export_dup_summary (PrismSnapshot *snapshot)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_result (builder, snapshot);
  add_convergence (builder, snapshot);
  add_resolution (builder, snapshot);
  add_scale (builder, snapshot);
  add_correlation (builder, snapshot);
  add_fold (builder, snapshot->fold);
  add_device (builder, snapshot);
  prism_system_add_versions (builder);
  add_configuration (builder, snapshot->config);
  json_builder_end_object (builder);
  return prism_json_dup_text (builder);
}

/**
 * prism_export_save_summary:
 * @snapshot: a snapshot
 * @path: file name
 *
 * Writes the text of prism_export_dup_summary() into a file.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_export_save_summary (PrismSnapshot *snapshot,
                           const char *path,
                           GError **error)
{
  g_autofree char *text = prism_export_dup_summary (snapshot);

  return prism_file_save (path, text, strlen (text), error);
}
