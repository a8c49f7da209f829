#include "config.h"

#include "recording/prism-recording-hot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_FRAMES 9
#define MOST_FRAMES 25  /* are looked at */
#define DARK_FRAMES 0.4 /* of all: the light of an object hides a hot pixel */
#define RANK 0.2        /* of the frames may have it less far above its neighbours */
#define EXCESS 1.0      /* of the frames' mean; recorded sets have 0, a simulated one 0.6 */
#define STEEP 3.0       /* times the neighbour: a star that a lens images is never so sharp */

typedef struct
{
  guint frame;
  double mean;
} Brightness;

static int
compare_brightness (gconstpointer a,
                    gconstpointer b)
{
  const Brightness *x = a, *y = b;

  return x->mean < y->mean ? -1 : x->mean > y->mean ? 1
                              : x->frame < y->frame ? -1
                                                    : 1;
}

static int
compare_floats (gconstpointer a,
                gconstpointer b)
{
  const float x = *(const float *) a, y = *(const float *) b;

  return x < y ? -1 : x > y;
}

/* How far a pixel is above what the second highest of its neighbours allows. frame: [h][w] */
static float
get_excess (const float *frame,
            float allowed,
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
  return frame[(gsize) row * width + column] - MAX (second + allowed, (float) STEEP * second);
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
  g_autofree Brightness *all = g_new (Brightness, recording->n_frames);

  for (guint j = 0; j < recording->n_frames; j++)
    {
      double sum = 0;

      for (gsize i = 0; i < n_pixels; i++)
        sum += (double) recording->frames[j * n_pixels + i];
      all[j] = (Brightness) { j, sum / (double) n_pixels };
    }
  qsort (all, recording->n_frames, sizeof *all, compare_brightness);
  *mean = 0;
  for (guint i = 0; i < n; i++)
    {
      const Brightness *one = &all[(gsize) i * MAX (n_dark, 2) / n];

      chosen[i] = recording->frames + one->frame * n_pixels;
      *mean += one->mean / n;
    }
  return n;
}

/**
 * prism_recording_hot_find:
 * @recording: frames
 * @n_found: (out): number of hot pixels
 *
 * Looks for pixels that stand out of the darkest frames nearly always, by more than these frames'
 * mean and three times their neighbours: what is fixed to the camera, and to no object.
 *
 * Returns: (transfer full) (nullable) [h][w]: 1 for a hot pixel; %NULL for too few frames
 */
guint8 *
prism_recording_hot_find (const PrismRecording *recording,
                          guint *n_found)
{
  const float *frames[MOST_FRAMES];
  float excesses[MOST_FRAMES];
  guint8 *hot;
  double mean;
  float allowed;
  guint n;

  *n_found = 0;
  if (recording->n_frames < LEAST_FRAMES)
    return NULL;
  n = choose_frames (recording, frames, &mean);
  allowed = (float) (EXCESS * mean);
  hot = g_malloc0 ((gsize) recording->height * recording->width);
  for (guint y = 0; y < recording->height && mean > 0; y++)
    for (guint x = 0; x < recording->width; x++)
      {
        for (guint i = 0; i < n; i++)
          excesses[i] = get_excess (frames[i], allowed, recording->height, recording->width, y, x);
        qsort (excesses, n, sizeof *excesses, compare_floats);
        if (excesses[(guint) (RANK * n)] <= 0)
          continue;
        hot[(gsize) y * recording->width + x] = 1;
        ++*n_found;
      }
  return hot;
}
