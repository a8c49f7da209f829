#include "config.h"

#include "solve/prism-alignment-private.h"

#include <float.h>
#include <math.h>

/* What the amplitudes of frames without noise say of an image near the truth. Dimensions as in the
 * private header. */

/**
 * prism_alignment_read_amplitudes:
 * @self: an alignment of frames without noise
 * @n_samples: frames to read at most
 * @is_done: (out): whether all are there
 * @error: return location
 *
 * Reads some of the frames, once.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_alignment_read_amplitudes (PrismAlignment *self,
                                 guint n_samples,
                                 gboolean *is_done,
                                 GError **error)
{
  const gsize n_points = prism_alignment_count_points (self);
  const guint end = MIN (self->n_read + MAX (n_samples, 1), self->n_samples);

  *is_done = FALSE;
  if (self->amplitudes == NULL)
    self->amplitudes
        = prism_arena_new_array (self->n_samples * n_points * sizeof (float), "the frames", error);
  if (self->amplitudes == NULL)
    return FALSE;
  for (; self->n_read < end; self->n_read++)
    if (!prism_alignment_read_points (self, self->n_read,
                                      self->amplitudes + self->n_read * n_points, error))
      return FALSE;
  *is_done = self->n_read == self->n_samples;
  return TRUE;
}

/* What sends the error of a frame's amplitude back. */
static void
compare_frame (gpointer data,
               guint chunk,
               guint worker)
{
  PrismAlignment *self = data;
  PrismAlignmentFrame *frame = &self->frames[chunk];
  const PrismFieldWork *work = &self->readers[worker];
  const gsize n_points = prism_alignment_count_points (self);
  const float *amplitude = self->amplitudes + chunk * n_points;
  float *field = work->other;

  frame->difference = frame->energy = 0.0;
  prism_alignment_gather (self, frame->mask, frame->said);
  prism_field_expand (work, frame->mask, frame->said, field);
  for (gsize i = 0; i < n_points; i++)
    {
      const float re = field[2 * i], im = field[2 * i + 1];
      const float modulus = sqrtf (MAX (re * re + im * im, FLT_MIN));
      const float error = modulus - amplitude[i];

      field[2 * i] = error * (re / modulus);
      field[2 * i + 1] = error * (im / modulus);
      frame->difference += (double) error * error;
      frame->energy += (double) amplitude[i] * amplitude[i];
    }
  prism_field_reduce (work, frame->mask, field, frame->said);
}

/**
 * prism_alignment_hold_against_amplitudes:
 * @self: an alignment with an image and all amplitudes
 *
 * Leaves half the slope of Σ(|φ| - A)² for prism_alignment_get_slope().
 *
 * Returns: Σ(|φ| - A)² / ΣA²
 */
double
prism_alignment_hold_against_amplitudes (PrismAlignment *self)
{
  const int near = (self->m + 1) / 2;
  double misfit = 0.0, power = 0.0;

  prism_alignment_spread (self, self->image, self->plane);
  prism_alignment_transform (self, self->plane, near);
  prism_pool_run (self->pool, self->n_samples, compare_frame, self);
  prism_alignment_add_up (self);
  /* Each number of the sum is that of two halves of the spectrum. */
  for (gsize i = 0; i < 2 * prism_alignment_count_half (self); i++)
    self->half[i] = 0.5f * self->sum[i];
  prism_alignment_return (self, self->plane, near);
  for (guint i = 0; i < self->n_samples; i++)
    {
      misfit += self->frames[i].difference;
      power += self->frames[i].energy;
    }
  return misfit / MAX (power, DBL_MIN);
}

/**
 * prism_alignment_get_slope:
 * @self: an alignment whose frames were asked
 * @pixel: of the image, row by row
 *
 * Returns: what they said there
 */
float
prism_alignment_get_slope (PrismAlignment *self,
                           gsize pixel)
{
  return self->plane[prism_alignment_get_place (self, (int) (pixel / self->m),
                                                (int) (pixel % self->m))];
}
