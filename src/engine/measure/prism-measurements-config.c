#include "config.h"

#include "measure/prism-measurements.h"

/* What a configuration says of the measurements before there are any.
 *
 * Dimensions of this file: n = image_size, N = samples. */

/* Bytes of whole frames that are held where cache_size is automatic. */
#define MOST_WHOLE (G_GUINT64_CONSTANT (1) << 30)
/* Points in a row that any device has transforms for. */
#define LEAST_SIDE 16

/**
 * prism_measurements_config_has_noise:
 * @config: a configuration
 *
 * Thread: any.
 *
 * Returns: whether its camera has any noise
 */
gboolean
prism_measurements_config_has_noise (const PrismConfig *config)
{
  return config->snr > 0.0 || config->photons > 0.0 || config->read_snr > 0.0;
}

/**
 * prism_measurements_choose_step:
 * @config: of a run
 * @ops: the device
 * @n_samples: N
 *
 * Finds out whether frames are held small: passes look at points of them, a frame without noise has
 * no more to say than those of one lattice, and all of the whole ones together are more than
 * cache_size, or where that is automatic a GiB. Who needs a whole frame then has it computed again.
 *
 * Thread: any.
 * Source: numerics.md, “Small frames”.
 *
 * Returns: which rows and columns are held, every step-th; 0 where whole frames are
 */
guint
prism_measurements_choose_step (const PrismConfig *config,
                                const PrismBackendOps *ops,
                                guint n_samples)
{
  const guint64 plane = (guint64) config->image_size * config->image_size * sizeof (float);
  const guint64 most = config->cache_size > 0 ? (guint64) config->cache_size << 20 : MOST_WHOLE;
  guint side;

  if (config->frames == PRISM_FRAMES_FULL || ops->measure_points == NULL
      || prism_measurements_config_has_noise (config)
      || config->motion_blur > 0.0
      || !prism_config_trains (config) || config->finish != PRISM_FINISH_REFINE
      || n_samples * plane <= most)
    return 0;
  side = prism_measurements_choose_side (config->image_size, config->aperture_radius);
  return side < (guint) config->image_size ? (guint) config->image_size / side : 0;
}

/**
 * prism_measurements_choose_side:
 * @image_size: n
 * @radius: of the aperture
 *
 * A box of W columns sends frequencies up to W - 1 to the intensity. Those of both ends may fall
 * onto each other.
 *
 * Thread: any.
 *
 * Returns: points along each side that hold a frame without noise, a power of two; at most n
 */
guint
prism_measurements_choose_side (int image_size,
                                double radius)
{
  const guint width = (guint) floor (2.0 * radius) + 1;
  guint side = LEAST_SIDE;

  while (side < 2 * width - 2 && side < (guint) image_size)
    side *= 2;
  return side;
}
