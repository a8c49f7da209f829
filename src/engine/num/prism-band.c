#include "config.h"

#include "num/prism-band.h"

#include "base/prism-arena.h"
#include "num/prism-fft.h"
#include "num/prism-tuning.h"

#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size, m = object_size, w = n/2 + 1. */

typedef struct
{
  const PrismBand *band;
  float *field; /* [n][n] */
  float *half;  /* [n][w][2], zero frequency at [0][0] */
} BandWork;

static double
get_distance (int n,
              int row,
              int column)
{
  return hypot (row < n / 2 ? row : row - n, column);
}

static double
compute_edge_rms (const BandWork *work)
{
  int n = work->band->image_size, w = n / 2 + 1;
  double sum = 0.0;
  gsize count = 0;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < w; x++)
      {
        double k = get_distance (n, y, x);
        const float *value = work->half + 2 * ((gsize) y * w + x);

        if (k > work->band->reach || k <= work->band->reach - work->band->ring)
          continue;
        sum += (double) value[0] * value[0] + (double) value[1] * value[1];
        count++;
      }
  return count > 0 ? sqrt (sum / count) : 0.0;
}

/* A transposed convolution likes to leave a checkerboard, which is a spike in the corner of
 * k-space. */
static void
limit_spikes (BandWork *work,
              float limit)
{
  const float keep = 1.0f - (float) work->band->damping;
  int n = work->band->image_size, w = n / 2 + 1;

  for (int y = 0; y < n; y++)
    for (int x = 0; x < w; x++)
      {
        float *value = work->half + 2 * ((gsize) y * w + x);
        float magnitude = hypotf (value[0], value[1]);
        float factor = keep * (magnitude > limit ? limit / magnitude : 1.0f);

        if (factor == 1.0f || get_distance (n, y, x) <= work->band->reach)
          continue;
        value[0] *= factor;
        value[1] *= factor;
      }
}

static void
load_field (BandWork *work,
            const float *image)
{
  gsize n = work->band->image_size, m = work->band->object_size;

  for (gsize y = 0; y < m; y++)
    memcpy (work->field + y * n, image + y * m, m * sizeof (float));
}

static void
read_field (const BandWork *work,
            float *image)
{
  gsize n = work->band->image_size, m = work->band->object_size;
  float scale = 1.0f / ((float) n * n);

  for (gsize y = 0; y < m; y++)
    for (gsize x = 0; x < m; x++)
      image[y * m + x] = CLAMP (work->field[y * n + x] * scale, 0.0f, 1.0f);
}

/**
 * prism_band_apply:
 * @self: the band that was measured
 * @image: (inout) (array): an estimate of the object
 *
 * Takes away what the decoder made up beyond the measured band and no object would show: spectral
 * spikes brighter than the band's own edge, and a part of the rest. What was measured, and the gaps
 * between the apertures, stay as they are. A band that reaches the corners of k-space leaves
 * nothing to do.
 *
 * Shape: @image [m][m], clamped to [0, 1] afterwards.
 * Errors: PRISM_ERROR_MEMORY; the image is as before then.
 *
 * Returns: whether it could be done
 */
gboolean
prism_band_apply (const PrismBand *self,
                  float *image,
                  GError **error)
{
  gsize n = self->image_size;
  g_autoptr (PrismArena) arena = prism_arena_new ();
  double spike = prism_tuning_get (PRISM_TUNING_BAND_SPIKE);
  BandWork work = { .band = self };

  if (self->reach >= n * G_SQRT2 / 2.0)
    return TRUE;
  prism_arena_add_array (arena, (gpointer *) &work.field, n * n * sizeof (float));
  prism_arena_add_array (arena, (gpointer *) &work.half, n * (n / 2 + 1) * 2 * sizeof (float));
  if (!prism_arena_allocate (arena, "the band limit", error))
    return FALSE;

  load_field (&work, image);
  prism_fft_transform (work.field, work.half, n, TRUE);
  limit_spikes (&work, (float) (spike * compute_edge_rms (&work)));
  prism_fft_transform (work.field, work.half, n, FALSE);
  read_field (&work, image);
  return TRUE;
}
