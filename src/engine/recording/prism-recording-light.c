#include "config.h"

#include "recording/prism-recording-private.h"

#include "base/prism-number.h"
#include "base/prism-pool.h"

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

typedef struct
{
  const PrismRecording *recording;
  PrismFrameLight *all; /* [n_frames] */
} Sums;

static void
sum_frame (gpointer data,
           guint frame)
{
  const Sums *sums = data;

  sums->all[frame]
      = (PrismFrameLight) { frame, prism_recording_get_light (sums->recording, frame) };
}

/* Of all frames, in their order. */
static PrismFrameLight *
sum_frames (const PrismRecording *self)
{
  Sums sums = { self, g_new (PrismFrameLight, self->n_frames) };

  prism_parallel_run (self->n_frames, (gsize) self->n_frames * self->height * self->width,
                      sum_frame, &sums);
  return sums.all;
}

/**
 * prism_recording_get_largest:
 * @self: a recording with frames
 *
 * Returns: the largest value of all frames; 0 where none is larger
 */
float
prism_recording_get_largest (const PrismRecording *self)
{
  const gsize n = (gsize) self->n_frames * self->height * self->width;
  float most[16] = { 0 };
  const gsize lanes = G_N_ELEMENTS (most);
  gsize i = 0;

  /* Side by side, since each waits for the one before. */
  for (; i + lanes <= n; i += lanes)
    for (gsize k = 0; k < lanes; k++)
      most[k] = MAX (most[k], self->frames[i + k]);
  for (; i < n; i++)
    most[0] = MAX (most[0], self->frames[i]);
  for (gsize k = 1; k < lanes; k++)
    most[0] = MAX (most[0], most[k]);
  return most[0];
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
  PrismFrameLight *all = sum_frames (self);
  double sign = brightest_first ? -1 : 1;

  prism_sort (all, self->n_frames, sizeof *all, compare_light, &sign);
  return all;
}

/**
 * prism_recording_check_light:
 * @self: a recording with frames
 *
 * Says so where frames whose light should come in through the NA are dark ones: then frames and
 * directions do not belong together.
 */
void
prism_recording_check_light (PrismRecording *self)
{
  g_autofree PrismFrameLight *all = NULL;
  double most = 0;
  guint n = 0, n_bright = 0;

  if (self->directions == NULL || !(self->na > 0) || self->geometry_known)
    return;
  all = sum_frames (self);
  for (guint j = 0; j < self->n_frames; j++)
    most = MAX (most, all[j].light);
  for (gsize j = 0; j < self->n_frames; j++)
    if (hypot (self->directions[2 * j], self->directions[2 * j + 1])
        < PRISM_RECORDING_INSIDE * self->na)
      {
        n++;
        n_bright += all[j].light > PRISM_RECORDING_BRIGHT * most;
      }
  if (2 * n_bright >= n)
    return;
  prism_recording_note (self,
                        _ ("The light of %u frames should come in through the NA, but most of them"
                           " are dark: are frames and positions in the same order, and are NA and"
                           " distance right?"),
                        n);
}
