#include "config.h"

#include "solve/prism-phase-sync-private.h"

/* One frame of an alignment, for passes on the host as on a device: what lies behind its
 * aperture, what is read of it, and the wave that is kept. */

/**
 * prism_phase_sync_gather:
 * @self: an alignment, with a half spectrum
 * @mask: aperture
 * @box: (array) (out caller-allocates): the unitary spectrum behind it
 *
 * Shape: @box [H][W][2].
 * Thread: any.
 */
void
prism_phase_sync_gather (PrismPhaseSync *self,
                         const PrismMask *mask,
                         float *box)
{
  const int n = self->n, w = n / 2 + 1;
  const float scale = 1.0f / n;

  for (int y = 0; y < mask->height; y++)
    {
      const int ky = mask->y0 + y;
      const float *row = self->half + 2 * (gsize) ((ky + n) % n) * w;
      const float *mirrored = self->half + 2 * (gsize) ((n - ky) % n) * w;
      const guint8 *bits = mask->bits + (gsize) y * mask->width;

      for (int x = 0; x < mask->width; x++, box += 2)
        {
          const int kx = mask->x0 + x;
          const float *from = kx < 0 ? mirrored - 2 * kx : row + 2 * kx;

          box[0] = bits[x] ? scale * from[0] : 0.0f;
          box[1] = bits[x] ? scale * (kx < 0 ? -from[1] : from[1]) : 0.0f;
        }
    }
}

/**
 * prism_phase_sync_read_points:
 * @self: an alignment
 * @i: number of a frame
 * @points: (array) (out caller-allocates): every step-th pixel, its origin at [0][0], for boxes of
 *   the unitary spectrum
 * @error: return location
 *
 * Shape: @points [p][p].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether they are there
 */
gboolean
prism_phase_sync_read_points (PrismPhaseSync *self,
                              guint i,
                              float *points,
                              GError **error)
{
  const gsize side = self->read_side, shift = side / 2;
  const guint step = (guint) self->n / self->read_side;
  g_autoptr (PrismImage) image = NULL;

  image = prism_measurements_dup_points (self->measurements, self->backend, i, step, error);
  for (gsize y = 0; image != NULL && y < side; y++)
    for (gsize x = 0; x < side; x++)
      points[y * side + x]
          = step * image->pixels[(y + shift) % side * side + (x + shift) % side];
  return image != NULL;
}

/**
 * prism_phase_sync_count_starts:
 * @self: an alignment
 *
 * Returns: random starts of the waves that are searched next, at most
 */
guint
prism_phase_sync_count_starts (const PrismPhaseSync *self)
{
  return self->has_noise && !self->looks_again ? self->n_wave_starts / 2 : self->n_wave_starts;
}

/**
 * prism_phase_sync_wants_wave:
 * @self: an alignment
 * @frame: one of its frames
 *
 * A wave that was found stays when others are searched again.
 *
 * Thread: any.
 *
 * Returns: whether its wave is searched
 */
gboolean
prism_phase_sync_wants_wave (const PrismPhaseSync *self,
                             const PrismPhaseSyncFrame *frame)
{
  return frame->mask->height > 0
         && (self->has_noise ? !self->looks_again || frame->is_doubtful
                             : !(frame->misfit <= PRISM_WAVE_FOUND));
}

/**
 * prism_phase_sync_keep_wave:
 * @frame: a frame whose wave was searched
 * @misfit: that it left, of ΣA²
 * @amplitude: (array): what the frame gives instead where that is much
 * @n_bytes: of @amplitude
 *
 * Thread: any.
 */
void
prism_phase_sync_keep_wave (PrismPhaseSyncFrame *frame,
                            double misfit,
                            const float *amplitude,
                            gsize n_bytes)
{
  frame->misfit = misfit;
  frame->is_doubtful = frame->mask->height > 0 && !(misfit <= PRISM_WAVE_FOUND);
  g_clear_pointer (&frame->amplitude, prism_arena_free_array);
  if (frame->is_doubtful)
    frame->amplitude = prism_arena_new_array (n_bytes, "a frame", NULL);
  if (frame->amplitude != NULL)
    memcpy (frame->amplitude, amplitude, n_bytes);
}
