#include "config.h"

#include "recording/prism-recording-hot.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "base/prism-pool.h"
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
#define NEARLY_ALL 0.95 /* of the frames: some may be lost */
#define STEP 0.5        /* of the mean of all pixels, between a gap and those around it */

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

/* Gaps. A detector fills them with a certain value: the largest that can be, one below zero, or
 * zero. */

enum
{
  LIVE,
  STUCK, /* nearly always shows the same value, or one below zero */
  SEEN,  /* likewise, and its gap has been looked at; or masked before */
};

typedef struct
{
  const PrismRecording *recording;
  double *means;  /* [h][w]: over the frames */
  guint8 *states; /* [h][w] */
} Gaps;

/* What a pixel shows. A value that more than half of the frames have is the one that is left once
 * each has cancelled one of another value (Boyer and Moore 1981). */
typedef struct
{
  float common;
  guint votes;
  guint n_common;
  guint n_below; /* zero */
} Pixel;

static void
mark_row (gpointer data,
          guint row)
{
  Gaps *self = data;
  const PrismRecording *recording = self->recording;
  const guint width = recording->width, n = recording->n_frames;
  const gsize n_pixels = (gsize) recording->height * width, at = (gsize) row * width;
  const guint least = (guint) ceil (NEARLY_ALL * n);
  g_autofree Pixel *pixels = g_new0 (Pixel, width);

  for (guint j = 0; j < n; j++)
    for (guint x = 0; x < width; x++)
      {
        const float value = recording->frames[j * n_pixels + at + x];
        Pixel *pixel = &pixels[x];

        if (pixel->votes == 0)
          pixel->common = value;
        pixel->votes += value >= pixel->common && value <= pixel->common ? 1 : -1;
        pixel->n_below += value < 0;
        self->means[at + x] += (double) value / n;
      }
  for (guint j = 0; j < n; j++)
    for (guint x = 0; x < width; x++)
      {
        const float value = recording->frames[j * n_pixels + at + x];

        pixels[x].n_common += value >= pixels[x].common && value <= pixels[x].common;
      }
  for (guint x = 0; x < width; x++)
    if (recording->mask != NULL && recording->mask[at + x] == 0)
      self->states[at + x] = SEEN;
    else if (MAX (pixels[x].n_common, pixels[x].n_below) >= least)
      self->states[at + x] = STUCK;
}

/* Of the pixels that touch each other, and of those around them. */
typedef struct
{
  double sum;
  guint n;
} Mean;

static void
mean_add (Mean *self,
          double value)
{
  self->sum += value;
  self->n++;
}

/* gap: (out): the pixels that touch each other, from one on; around: of those around them */
static Mean
collect_gap (Gaps *self,
             guint first,
             GArray *gap,
             Mean *around)
{
  const guint width = self->recording->width, height = self->recording->height;
  Mean inside = { 0 };

  g_array_set_size (gap, 0);
  g_array_append_val (gap, first);
  self->states[first] = SEEN;
  for (guint i = 0; i < gap->len; i++)
    {
      const guint at = g_array_index (gap, guint, i), row = at / width, column = at % width;

      mean_add (&inside, self->means[at]);
      for (guint y = row > 0 ? row - 1 : 0; y <= row + 1 && y < height; y++)
        for (guint x = column > 0 ? column - 1 : 0; x <= column + 1 && x < width; x++)
          {
            const guint next = y * width + x;

            if (self->states[next] == LIVE)
              mean_add (around, self->means[next]);
            else if (self->states[next] == STUCK)
              {
                self->states[next] = SEEN;
                g_array_append_val (gap, next);
              }
          }
    }
  return inside;
}

static guint
mark_gaps (Gaps *self,
           guint8 *found)
{
  const guint n_pixels = self->recording->height * self->recording->width;
  g_autoptr (GArray) gap = g_array_new (FALSE, FALSE, sizeof (guint));
  Mean live = { 0 };
  guint n = 0;

  for (guint i = 0; i < n_pixels; i++)
    if (self->states[i] == LIVE)
      mean_add (&live, self->means[i]);
  for (guint first = 0; first < n_pixels; first++)
    {
      Mean inside, around = { 0 };

      if (self->states[first] != STUCK)
        continue;
      inside = collect_gap (self, first, gap, &around);
      if (around.n == 0
          || !(fabs (inside.sum / inside.n - around.sum / around.n) > STEP * live.sum / live.n))
        continue;
      for (guint i = 0; i < gap->len; i++)
        found[g_array_index (gap, guint, i)] = 1;
      n += gap->len;
    }
  return n;
}

/**
 * prism_recording_hot_find_gaps:
 * @recording: frames as they were read, negative values among them
 * @n_found: (out): number of pixels that see nothing
 *
 * Looks for pixels that show the same value in nearly every frame, or one below zero, where that is
 * not what the pixels around them show: an object that lets no light through does so as well, but
 * light that a lens images falls off towards it.
 *
 * Returns: (transfer full) (nullable) [h][w]: 1 for a pixel that sees nothing; %NULL for too few
 *   frames or too little memory
 */
guint8 *
prism_recording_hot_find_gaps (const PrismRecording *recording,
                               guint *n_found)
{
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const guint n = recording->n_frames;
  prism_autofree_array double *means = NULL;
  g_autofree guint8 *states = g_new0 (guint8, n_pixels);
  Gaps gaps = { .recording = recording, .states = states };
  guint8 *found;

  *n_found = 0;
  if (n <= PRISM_RECORDING_FEW)
    return NULL;
  means = prism_arena_new_array (n_pixels * sizeof *means, "the mean of the frames", NULL);
  if (means == NULL)
    return NULL;
  memset (means, 0, n_pixels * sizeof *means);
  gaps.means = means;
  prism_parallel_run (recording->height, n * n_pixels, mark_row, &gaps);
  found = g_new0 (guint8, n_pixels);
  *n_found = mark_gaps (&gaps, found);
  return found;
}
