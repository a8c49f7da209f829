#include "config.h"

#include "recording/prism-recording-hot.h"

#include "base/prism-parallel.h"
#include "base/prism-sort.h"
#include "recording/prism-recording-light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES 25  /* are looked at */
#define DARK_FRAMES 0.4 /* of all: the light of an object hides a hot pixel */
#define RANK 0.2        /* of the frames may have it less far above its neighbours */
#define STEEP 3.0       /* times the neighbour: a star that a lens images is never so sharp */
#define STEADY 2.5      /* times from one frame to another: a camera adds the same to all that are \
                         * dark; recorded pixels have 1.06, corners of a simulated field 4.3 */

/* The second highest of a pixel's neighbours. frame: [h][w] */
static float
get_neighbour (const float *frame,
               guint height,
               guint width,
               guint row,
               guint column)
{
  float first = -INFINITY, second = -INFINITY;

  for (guint y = row > 0 ? row - 1 : 0; y <= row + 1 && y < height; y++)
    for (guint x = column > 0 ? column - 1 : 0; x <= column + 1 && x < width; x++)
      {
        const float value = frame[(gsize) y * width + x];

        if (y == row && x == column)
          continue;
        second = MAX (second, MIN (first, value));
        first = MAX (first, value);
      }
  return second;
}

/* Whether values[rank] would not be above zero once they are sorted, found out without sorting; not
 * where some are no numbers. */
static gboolean
is_rank_low (const float *values,
             guint n,
             guint rank)
{
  guint n_low = 0, n_high = 0;

  for (guint i = 0; i < n; i++)
    {
      n_low += values[i] <= 0;
      n_high += values[i] > 0;
    }
  return n_low + n_high == n && n_low > rank;
}

/* Whether a pixel stands out of nearly all n frames, and by about as much. */
static gboolean
is_hot (const PrismRecording *recording,
        const float *frames[MOST_FRAMES],
        guint n,
        guint row,
        guint column)
{
  const guint few = (guint) (RANK * n), most = n - 1 - few;
  float excesses[MOST_FRAMES], heights[MOST_FRAMES];

  for (guint i = 0; i < n; i++)
    {
      const float value = frames[i][(gsize) row * recording->width + column];
      const float second
          = get_neighbour (frames[i], recording->height, recording->width, row, column);

      heights[i] = value - second;
      excesses[i] = value - (float) STEEP * second;
    }
  if (is_rank_low (excesses, n, few))
    return FALSE;
  prism_sort_floats (excesses, n);
  if (excesses[few] <= 0)
    return FALSE;
  prism_sort_floats (heights, n);
  return heights[most] <= (float) STEADY * heights[few];
}

/* The darkest frames, or some of them; mean: (out) of them. Returns: their number */
static guint
choose_frames (const PrismRecording *recording,
               const float *chosen[MOST_FRAMES],
               double *mean)
{
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const guint n_dark = (guint) (DARK_FRAMES * recording->n_frames);
  const guint n = MIN (MAX (n_dark, 2), MOST_FRAMES);
  g_autofree PrismFrameLight *all = prism_recording_rank_by_light (recording, FALSE);

  *mean = 0;
  for (guint i = 0; i < n; i++)
    {
      const PrismFrameLight *one = &all[(gsize) i * MAX (n_dark, 2) / n];

      chosen[i] = recording->frames + one->frame * n_pixels;
      *mean += one->light / (double) n_pixels / n;
    }
  return n;
}

typedef struct
{
  const PrismRecording *recording;
  const float *frames[MOST_FRAMES];
  guint n;
  guint8 *hot; /* [h][w] */
} Search;

static void
search_row (gpointer data,
            guint row)
{
  Search *self = data;
  const guint width = self->recording->width;

  for (guint x = 0; x < width; x++)
    self->hot[(gsize) row * width + x]
        = is_hot (self->recording, self->frames, self->n, row, x);
}

/**
 * prism_recording_hot_find:
 * @recording: frames
 * @n_found: (out): number of hot pixels
 *
 * Looks for pixels that have more than three times their neighbours' light in the darkest frames
 * nearly always, and by about as much: what is fixed to the camera, and to no object.
 *
 * Returns: (transfer full) (nullable) [h][w]: 1 for a hot pixel; %NULL for too few frames
 */
guint8 *
prism_recording_hot_find (const PrismRecording *recording,
                          guint *n_found)
{
  const gsize n_pixels = (gsize) recording->height * recording->width;
  Search search = { .recording = recording };
  double mean;

  *n_found = 0;
  if (recording->n_frames <= PRISM_RECORDING_FEW)
    return NULL;
  search.n = choose_frames (recording, search.frames, &mean);
  search.hot = g_malloc0 (n_pixels);
  if (mean > 0)
    prism_parallel_run (recording->height, search.n * n_pixels, search_row, &search);
  for (gsize i = 0; i < n_pixels; i++)
    *n_found += search.hot[i];
  return search.hot;
}
