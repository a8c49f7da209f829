#include "config.h"

#include "solve/prism-replay.h"

#include "base/prism-random.h"

static guint
greatest_common_divisor (guint a,
                         guint b)
{
  while (b != 0)
    {
      guint rest = a % b;

      a = b;
      b = rest;
    }
  return a;
}

/* A permutation of 0…n-1 for each epoch without any state: i ↦ (a·i + b) mod n, a prime to n. */
static guint
shuffle (guint64 seed,
         guint64 epoch,
         guint n,
         guint i)
{
  guint a = 1 + (guint) (prism_random_uniform (seed, PRISM_STREAM_REPLAY, 1, 2 * epoch) * (n - 1));
  guint b = prism_random_uniform (seed, PRISM_STREAM_REPLAY, 1, 2 * epoch + 1) * n;

  while (greatest_common_divisor (a, n) != 1)
    a++;
  return ((guint64) a * i + b) % n;
}

/**
 * prism_replay_choose:
 * @config: memory, replay and seed
 * @step: number of the step
 * @n_available: measurements so far, the current one included
 * @picks: (out caller-allocates): the chosen numbers, 0…n_available-1
 *
 * Chooses the terms of a step beside the newest measurement: for `replay` k-1 drawn afresh and
 * uniformly, for `all` the next k-1 of a shuffled round through every measurement.
 *
 * Shape: @picks [PRISM_STEP_MAX_OLD].
 * Source: numerics.md § 8.
 *
 * Returns: the number of picks, 0 for memory `self`
 */
guint
prism_replay_choose (const PrismConfig *config,
                     guint64 step,
                     guint n_available,
                     guint *picks)
{
  guint n_picks = CLAMP (config->replay - 1, 0, PRISM_STEP_MAX_OLD);
  guint64 seed = prism_config_get_training_seed (config);

  if (config->memory == PRISM_MEMORY_SELF || n_available == 0)
    return 0;

  for (guint k = 0; k < n_picks; k++)
    {
      guint64 position = step * n_picks + k;
      double u = prism_random_uniform (seed, PRISM_STREAM_REPLAY, 0, position);

      if (config->memory == PRISM_MEMORY_ALL)
        picks[k] = shuffle (seed, position / n_available, n_available,
                            position % n_available);
      else
        picks[k] = MIN ((guint) (u * n_available), n_available - 1);
    }
  return n_picks;
}

/* Dimensions of this file: n = image_size, m = object_size. */

/**
 * prism_start_new_image:
 * @config: start_target and object_size
 * @measurements: of the run
 * @error: return location
 *
 * The start image: the first measurement, a disk, or the synthetic aperture (all measurements,
 * averaged), cut to the object's window and divided by its maximum.
 *
 * Shape: [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 * Source: numerics.md § 8.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_start_new_image (const PrismConfig *config,
                       PrismMeasurements *measurements,
                       GError **error)
{
  const int m = config->object_size, first = (config->image_size - m) / 2;
  const gboolean is_disk = config->start_target == PRISM_START_DISK;
  const guint n_frames
      = config->start_target == PRISM_START_SYNTHETIC ? measurements->n_measurements : 1;
  const float middle = 0.5f * (m - 1);
  g_autoptr (PrismImage) image = prism_image_new (m, m, error);
  float maximum = 0.0f;

  if (image == NULL)
    return NULL;
  for (guint i = 0; i < n_frames; i++)
    {
      g_autoptr (PrismImage) frame
          = is_disk ? NULL : prism_measurements_dup_image (measurements, i, error);

      if (frame == NULL && !is_disk)
        return NULL;
      for (int y = 0; y < m; y++)
        for (int x = 0; x < m; x++)
          image->pixels[y * m + x]
              += is_disk ? hypotf (y - middle, x - middle) <= 0.45f * m
                         : frame->pixels[(first + y) * frame->height + first + x];
    }
  for (gsize i = 0; i < m * m; i++)
    maximum = MAX (maximum, image->pixels[i]);
  for (gsize i = 0; i < m * m && maximum > 0.0f; i++)
    image->pixels[i] /= maximum;
  return g_steal_pointer (&image);
}
