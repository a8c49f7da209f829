#include "config.h"

#include "recording/prism-recording-light.h"

#include "base/prism-sort.h"

/**
 * prism_recording_get_light:
 * @self: a recording with frames
 * @frame: from 0
 *
 * Returns: the sum over the frame's pixels
 */
double
prism_recording_get_light (const PrismRecording *self,
                           gsize frame)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  double sum = 0;

  for (gsize i = 0; i < n_pixels; i++)
    sum += (double) self->frames[frame * n_pixels + i];
  return sum;
}

static int
compare_light (gconstpointer a,
               gconstpointer b,
               gpointer data)
{
  const double sign = *(const double *) data;
  const double x = sign * ((const PrismFrameLight *) a)->light;
  const double y = sign * ((const PrismFrameLight *) b)->light;

  return (x > y) - (x < y);
}

/**
 * prism_recording_rank_by_light:
 * @self: a recording with frames
 * @brightest_first: or the darkest
 *
 * Of frames with the same light the one with the smaller number comes first.
 *
 * Shape: [n_frames].
 *
 * Returns: (transfer full) (array): all frames; g_free()
 */
PrismFrameLight *
prism_recording_rank_by_light (const PrismRecording *self,
                               gboolean brightest_first)
{
  PrismFrameLight *all = g_new (PrismFrameLight, self->n_frames);
  double sign = brightest_first ? -1 : 1;

  for (guint j = 0; j < self->n_frames; j++)
    all[j] = (PrismFrameLight) { j, prism_recording_get_light (self, j) };
  prism_sort (all, self->n_frames, sizeof *all, compare_light, &sign);
  return all;
}
