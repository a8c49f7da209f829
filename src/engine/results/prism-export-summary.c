#include "config.h"

#include "results/prism-export.h"

#include "backend/prism-device-counters.h"
#include "base/prism-system.h"
#include "base/prism-text.h"
#include "config/prism-units.h"
#include "results/prism-frc.h"

static const char *const state_names[] = {
  "idle",
  "preparing",
  "running",
  "paused",
  "stopped",
  "finished",
  "failed",
};

/* rest: of what noise leaves, or without noise of the light. Null where nothing was judged. The
 * sums tell how far it is from the other kind. */
static void
add_verdict (JsonBuilder *builder,
             const PrismVerdict *verdict)
{
  g_autofree char *text = prism_verdict_dup_text (verdict);

  prism_json_add (builder,
                  "verdict: {kind: %s, rest: %g, text: %s, frames: %u, misfit: %g, expected: %g, "
                  "variance: %g, power: %g, difference: %g}",
                  prism_verdict_get_key (verdict->kind), prism_verdict_get_rest (verdict), text,
                  verdict->n_frames, verdict->misfit, verdict->expected, verdict->variance,
                  verdict->power, verdict->difference > 0.0 ? verdict->difference : NAN);
}

static void
add_result (JsonBuilder *builder,
            const PrismSnapshot *snapshot)
{
  g_autofree char *notice = prism_snapshot_dup_object_notice (snapshot);
  const PrismSettling *settling;
  g_autofree char *text = NULL;

  prism_json_add (
      builder, "state: %s, message: %s, object_notice: %s, frames: %s, target: %s, final: {",
      state_names[snapshot->state], snapshot->message, notice,
      prism_snapshot_is_recorded (snapshot) ? "recorded" : "simulated",
      snapshot->has_no_target ? "unknown" : "known");
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    prism_json_add (builder, "%s: %g", prism_metrics[i].key, snapshot->metrics.values[i]);
  prism_json_add (builder, "}, loss_new: %g, loss_old: %g, misfit: %g, training: %s",
                  snapshot->loss_new, snapshot->loss_old, snapshot->misfit,
                  prism_training_get_key (snapshot->training));
  add_verdict (builder, &snapshot->verdict);
  /* Fractions of the picture's norm; null where they are not known. */
  settling = &snapshot->settling;
  text = prism_settling_dup_text (settling);
  prism_json_add (builder, "settling: {kind: %s, change: %g, limit: %g, text: %s}",
                  prism_settling_get_key (settling->kind),
                  settling->change > 0.0 ? settling->change : NAN,
                  settling->limit > 0.0 ? settling->limit : NAN, text);
  prism_json_add (builder,
                  "coverage: %g, samples: %u, frame_side: %u, steps: %lu, skipped_steps: %lu, "
                  "parameters: %lu, seconds: %g, steps_per_second: %g",
                  snapshot->coverage, snapshot->n_samples, snapshot->frame_side, snapshot->step,
                  snapshot->n_skipped, snapshot->n_parameters, snapshot->seconds,
                  snapshot->steps_per_second);
}

static void
add_samples (JsonBuilder *builder,
             const PrismSnapshot *snapshot,
             const char *name,
             PrismSampleState state)
{
  prism_json_add (builder, "%s: [", name);
  for (guint i = 0; i < snapshot->n_samples; i++)
    if (snapshot->sample_states[i] == state)
      prism_json_add (builder, "%u", i);
  prism_json_add (builder, "]");
}

/* Indices as in metrics.csv. Null where the convergence was not watched. */
static void
add_convergence (JsonBuilder *builder,
                 const PrismSnapshot *snapshot)
{
  if (snapshot->sample_states == NULL)
    {
      prism_json_add (builder, "convergence: null");
      return;
    }
  prism_json_add (builder, "convergence: {");
  add_samples (builder, snapshot, "converged", PRISM_SAMPLE_CONVERGED);
  add_samples (builder, snapshot, "rescued", PRISM_SAMPLE_RESCUED);
  add_samples (builder, snapshot, "failed", PRISM_SAMPLE_FAILED);
  prism_json_add (builder, "}");
}

/* Null where the object is not the resolution target. */
static void
add_resolution (JsonBuilder *builder,
                const PrismSnapshot *snapshot)
{
  PrismResolution resolution;

  if (!prism_resolution_compute_snapshot (&resolution, snapshot))
    {
      prism_json_add (builder, "resolution: null");
      return;
    }
  prism_json_add (builder, "resolution: {elements: %u, resolved: %u", resolution.n_elements,
                  resolution.n_resolved);
  if (resolution.n_resolved > 0)
    {
      prism_json_add (builder, "group: %d, element: %d, line_pairs_per_pixel: %g, contrast: %g",
                      resolution.finest.group, resolution.finest.element,
                      resolution.finest.line_pairs_per_pixel, resolution.contrast);
    }
  prism_json_add (builder, "}");
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
      prism_json_add (builder, "fourier_ring_correlation: null");
      return;
    }
  prism_json_add (builder,
                  "fourier_ring_correlation: {threshold: %s, radius: %g, period: %g, "
                  "largest_radius: %u, radius_one_seventh: %g}",
                  "half-bit", reach, reach > 0.0 ? 2.0 * (frc->n_rings - 1) / reach : NAN,
                  frc->n_rings - 1, prism_frc_get_resolution (frc, 1.0 / 7.0));
}

/* Null where the decoder was not kept. */
static void
add_fold (JsonBuilder *builder,
          const PrismFold *fold)
{
  if (fold == NULL)
    {
      prism_json_add (builder, "decoder: null");
      return;
    }
  prism_json_add (builder,
                  "decoder: {parameters_trained: %lu, parameters: %lu, bytes_trained: %lu, bytes: "
                  "%lu, forward_ms_trained: %g, forward_ms: %g, largest_difference: %g}",
                  fold->n_parameters_before, fold->plan.n_parameters, fold->n_bytes_before,
                  fold->n_bytes, fold->milliseconds_before, fold->milliseconds, fold->difference);
}

static void
add_cache_of (JsonBuilder *builder,
              const char *name,
              guint64 hits,
              guint64 misses,
              double rate)
{
  prism_json_add (builder, "%s: {hits: %lu, misses: %lu, hit_rate: %g}", name, hits, misses, rate);
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
  const PrismCacheStatistics *cache;
  PrismUnits units;

  prism_json_add (builder, "{");
  add_result (builder, snapshot);
  add_convergence (builder, snapshot);
  add_resolution (builder, snapshot);
  if (snapshot->config != NULL)
    {
      prism_units_init_config (&units, snapshot->config);
      prism_units_add_json (&units, builder);
    }
  add_correlation (builder, snapshot);
  add_fold (builder, snapshot->fold);
  prism_json_add (builder, "backend: %s, device: %s, device_reason: %s, precision_advice: %s",
                  snapshot->backend, snapshot->device, snapshot->device_reason,
                  snapshot->precision_advice);
  prism_device_counters_add_json (&snapshot->counters, builder);
  prism_json_add (builder, "memory: {used: %lu, peak: %lu, available: %lu}", snapshot->memory_used,
                  snapshot->memory_peak, snapshot->memory_available);
  /* Of frames, and of what else a step or a pass uses for each of them. */
  cache = &snapshot->cache;
  prism_json_add (builder,
                  "cache: {hits: %lu, misses: %lu, hit_rate: %g, hit_rate_of_last_pass: %g, bytes: "
                  "%lu, budget: %lu, entries: %u, small_frames: %u, small_bytes: %lu",
                  cache->hits, cache->misses, cache->hit_rate, cache->pass_rate, cache->bytes,
                  cache->budget, cache->n_entries, cache->n_small, cache->small_bytes);
  add_cache_of (builder, "apertures", cache->aperture_hits, cache->aperture_misses,
                cache->aperture_rate);
  add_cache_of (builder, "transforms", cache->transform_hits, cache->transform_misses,
                cache->transform_rate);
  prism_json_add (builder, "}");
  prism_system_add_versions (builder);
  prism_json_add (builder, "configuration: {");
  PRISM_FOR_EACH_PARAM (param)
    if (snapshot->config != NULL && prism_param_is_of (param, snapshot->config->kind))
      {
        const double number = prism_config_get_number (snapshot->config, param);
        g_autofree char *text = prism_config_dup_text (snapshot->config, param);

        if (param->type == PRISM_PARAM_SWITCH)
          prism_json_add (builder, "%s: %i", param->key, number != 0.0);
        else if (param->type >= PRISM_PARAM_CHOICE || strcmp (text, "auto") == 0)
          prism_json_add (builder, "%s: %s", param->key, text);
        else if (param->type == PRISM_PARAM_REAL)
          prism_json_add (builder, "%s: %g", param->key, number);
        else
          prism_json_add (builder, "%s: %ld", param->key, (gint64) number);
      }
  prism_json_add (builder, "}}");
  return prism_json_dup_text (builder);
}
