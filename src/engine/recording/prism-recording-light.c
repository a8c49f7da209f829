#include "config.h"

#include "recording/prism-recording-private.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "base/prism-pool.h"

typedef struct
{
  const PrismRecording *recording;
  PrismFrameFunc func;
  double number;
  double *results; /* [n_frames] */
} Look;

static void
look_at_frame (gpointer data,
               guint frame)
{
  const Look *look = data;
  const gsize n_pixels = (gsize) look->recording->height * look->recording->width;
  float *values = look->recording->frames + frame * n_pixels;

  look->results[frame] = look->func (values, n_pixels, look->number);
  prism_arena_touch (values, n_pixels * sizeof *values);
}

/**
 * prism_recording_look:
 * @self: a recording with frames
 * @func: looks at a frame, on any thread
 * @number: for @func
 *
 * Looks at all frames; at no more of them once prism_parallel_go_on() says no.
 *
 * Shape: [n_frames].
 *
 * Returns: (transfer full): what @func returned, 0 of frames that it has not seen
 */
double *
prism_recording_look (const PrismRecording *self,
                      PrismFrameFunc func,
                      double number)
{
  Look look = { self, func, number, g_new0 (double, self->n_frames) };

  prism_parallel_run (self->n_frames, (gsize) self->n_frames * self->height * self->width,
                      look_at_frame, &look);
  return look.results;
}

static double
sum (float *frame,
     gsize n_pixels,
     double unused)
{
  double sum = 0;

  for (gsize i = 0; i < n_pixels; i++)
    sum += (double) frame[i];
  return sum;
}

/**
 * prism_recording_dup_light:
 *
 * Returns: (transfer full): [n_frames] the sum over the pixels of each frame
 */
double *
prism_recording_dup_light (const PrismRecording *self)
{
  return prism_recording_look (self, sum, 0);
}

static double
find_largest (float *frame,
              gsize n_pixels,
              double unused)
{
  float most[16] = { 0 };
  const gsize lanes = G_N_ELEMENTS (most);
  gsize i = 0;

  /* Side by side, since each waits for the one before. */
  for (; i + lanes <= n_pixels; i += lanes)
    for (gsize k = 0; k < lanes; k++)
      most[k] = MAX (most[k], frame[i + k]);
  for (; i < n_pixels; i++)
    most[0] = MAX (most[0], frame[i]);
  for (gsize k = 1; k < lanes; k++)
    most[0] = MAX (most[0], most[k]);
  return most[0];
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
  g_autofree double *each = prism_recording_look (self, find_largest, 0);
  double most = 0;

  for (guint j = 0; j < self->n_frames; j++)
    most = MAX (most, each[j]);
  return (float) most;
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
  g_autofree double *light = prism_recording_dup_light (self);
  double sign = brightest_first ? -1 : 1;

  for (guint j = 0; j < self->n_frames; j++)
    all[j] = (PrismFrameLight) { j, light[j] };
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
  g_autofree double *light = NULL;
  double most = 0;
  guint n = 0, n_bright = 0;

  if (self->directions == NULL || !(self->na > 0) || self->geometry_known)
    return;
  light = prism_recording_dup_light (self);
  for (guint j = 0; j < self->n_frames; j++)
    most = MAX (most, light[j]);
  for (gsize j = 0; j < self->n_frames; j++)
    if (hypot (self->directions[2 * j], self->directions[2 * j + 1])
        < PRISM_RECORDING_INSIDE * self->na)
      {
        n++;
        n_bright += light[j] > PRISM_RECORDING_BRIGHT * most;
      }
  if (2 * n_bright >= n)
    return;
  prism_recording_note (self,
                        _ ("The light of %u frames should come in through the NA, but most of them"
                           " are dark: are frames and positions in the same order, and are NA and"
                           " distance right?"),
                        n);
}
