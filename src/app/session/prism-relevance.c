#include "config.h"

#include "session/prism-relevance.h"

/* A parameter has an effect when each condition on it holds. */
typedef struct
{
  const char *key;
  const char *depends_on;
  const char *values[12]; /* any of them */
  gboolean differs;       /* none of them */
} PrismCondition;

static const PrismCondition conditions[] = {
  { "point_count", "object", { "points" } },
  { "point_diameter", "object", { "points" } },
  { "point_spacing", "object", { "points" } },
  { "object_text", "object", { "text" } },
  { "obscuration", "aperture_shape", { "obscured" } },
  { "vanes", "aperture_shape", { "obscured" } },
  { "vane_width", "aperture_shape", { "obscured" } },
  { "samples",
    "pattern",
    { "fermat", "random", "random-square", "raster", "star", "circles", "archimedean",
      "logarithmic", "jittered" } },
  { "star_lines", "pattern", { "star" } },
  { "pattern_rings", "pattern", { "circles" } },
  { "pattern_turns", "pattern", { "archimedean", "logarithmic" } },
  { "pattern_jitter", "pattern", { "jittered" } },
  { "pattern_file", "pattern", { "file" } },
  { "pattern_points", "pattern", { "hand" } },
  { "snr", "photons", { "0" } },
  { "line_direction", "line_length", { "0" }, TRUE },
  { "line_angle", "line_length", { "0" }, TRUE },
  { "line_angle", "line_direction", { "fixed" } },
  { "line_points", "line_length", { "0" }, TRUE },
  { "mopie_update", "line_length", { "0" }, TRUE },
  { "mopie_update", "method", { "auto", "decoder", "mopie" } },
  { "replay", "memory", { "replay", "all" } },
  { "weight_l1", "loss", { "composite" } },
  { "weight_l2", "loss", { "composite" } },
  { "weight_ssim", "loss", { "composite" } },
  { "weight_ms_ssim", "loss", { "composite" } },
  { "domain", "method", { "auto", "decoder" } },
  { "consistency", "method", { "auto", "decoder" } },
  { "smoothness", "method", { "auto", "decoder" } },
  { "finish", "method", { "auto", "decoder" } },
  { "polish", "method", { "auto", "decoder" } },
  { "start_target", "method", { "auto", "decoder" } },
  { "patience", "convergence", { "on" } },
  { "max_retries", "convergence", { "on" } },
  { "depth", "channels", { "" } },
  { "keep_decoder", "method", { "auto", "decoder" } },
  { "amp_type", "amp", { "on" } },
};

/* What the decoder and its training alone look at. */
static const char *const of_decoder[]
    = { "memory", "replay", "loss", "weight_l1", "weight_l2",
        "weight_ssim", "weight_ms_ssim", "normalise", "energy_weight", "steps",
        "start_steps", "threshold", "learning_rate", "schedule", "fresh_adam",
        "convergence", "patience", "max_retries", "weight_decay", "amsgrad",
        "clip_norm", "latent", "channels", "depth", "norm",
        "output_activation", "edge", "initialisation", "amp", "amp_type",
        NULL };

static gboolean
holds (const PrismCondition *condition,
       const PrismConfig *config)
{
  const PrismParam *param = prism_config_get_param (condition->depends_on);
  g_autofree char *value = prism_config_dup_text (config, param);

  for (gsize i = 0; i < G_N_ELEMENTS (condition->values); i++)
    {
      if (g_strcmp0 (condition->values[i], value) == 0)
        return !condition->differs;
    }
  return condition->differs;
}

/**
 * prism_relevance_get:
 * @config: a configuration
 * @param: a parameter
 *
 * Finds out whether a change of the parameter could change the run.
 *
 * Thread: any.
 *
 * Returns: whether it has an effect
 */
gboolean
prism_relevance_get (const PrismConfig *config,
                     const PrismParam *param)
{
  if (g_strv_contains (of_decoder, param->key) && !prism_config_trains (config))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (conditions); i++)
    {
      if (g_str_equal (conditions[i].key, param->key) && !holds (&conditions[i], config))
        return FALSE;
    }
  return TRUE;
}

/**
 * prism_relevance_waits:
 * @config: a configuration
 * @param: a parameter
 *
 * Thread: any.
 *
 * Returns: whether it has an effect only if the decoder comes to be trained, which is not sure
 */
gboolean
prism_relevance_waits (const PrismConfig *config,
                       const PrismParam *param)
{
  return g_strv_contains (of_decoder, param->key) && prism_config_may_spare_training (config);
}

/**
 * prism_relevance_is_other_scene:
 * @config: a configuration
 * @other: another one
 *
 * Compares what decides what the pictures are of.
 *
 * Thread: any.
 *
 * Returns: whether they would show something else
 */
gboolean
prism_relevance_is_other_scene (const PrismConfig *config,
                                const PrismConfig *other)
{
  static const char *const groups[] = { "object", "aperture", "pattern", NULL };
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *text = NULL;
      g_autofree char *other_text = NULL;

      if (!g_strv_contains (groups, params[i].group) || !prism_relevance_get (config, &params[i]))
        continue;
      text = prism_config_dup_text (config, &params[i]);
      other_text = prism_config_dup_text (other, &params[i]);
      if (g_strcmp0 (text, other_text) != 0)
        return TRUE;
    }
  return FALSE;
}
