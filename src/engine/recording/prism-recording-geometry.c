#include "config.h"

#include "recording/prism-recording-geometry.h"

#include "base/prism-arena.h"
#include "base/prism-pool.h"
#include "num/prism-fft.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define MAX_SIDE 256      /* of what is looked at in the middle of a frame */
#define MIN_FRAMES 3      /* that have to speak for another turn */
#define MIN_DIFFERENCE 20 /* pixels by which circles differ */
#define INNER 0.15        /* of the aperture: directions with circles that are apart */

/* Spectra of the frames that are looked at. s = side */
typedef struct
{
  int side;
  double radius; /* of the aperture, pixels of the spectrum */
  guint n;
  guint frames[PRISM_RECORDING_GEOMETRY_MAX_FRAMES];
  float *spectra; /* [n][s][s/2 + 1]: logarithms, row 0 the zero frequency */
} Look;

static void
clear_look (Look *self)
{
  prism_arena_free_array (self->spectra);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Look, clear_look)

static gboolean
is_used (const PrismRecording *self,
         int y,
         int x)
{
  return self->mask == NULL || self->mask[(gsize) y * self->width + (gsize) x] != 0;
}

/* What a pixel that is not used would show: the mean of its neighbours, or of all where none is
 * used. A hot one would be noise in all of the spectrum. */
static double
mend_pixel (const PrismRecording *self,
            const float *frame,
            int row,
            int column,
            double mean)
{
  double sum = 0;
  guint n = 0;

  for (int y = MAX (row - 1, 0); y <= MIN (row + 1, (int) self->height - 1); y++)
    for (int x = MAX (column - 1, 0); x <= MIN (column + 1, (int) self->width - 1); x++)
      if (is_used (self, y, x))
        {
          sum += (double) frame[(gsize) y * self->width + (gsize) x];
          n++;
        }
  return n > 0 ? sum / n : mean;
}

/* Of the pixels that are used in a square. */
static double
get_mean (const PrismRecording *self,
          const float *frame,
          int top,
          int left,
          int side)
{
  double sum = 0, n = 0;

  for (int y = top; y < top + side; y++)
    for (int x = left; x < left + side; x++)
      if (is_used (self, y, x))
        {
          sum += (double) frame[(gsize) y * self->width + (gsize) x];
          n++;
        }
  return n > 0 ? sum / n : 0;
}

/* The middle of a frame, without its mean, fading to its rim. field: [s][s] */
static void
cut_frame (const PrismRecording *self,
           guint j,
           int side,
           float *field)
{
  gsize n_pixels = (gsize) self->height * self->width;
  const float *frame = self->frames + j * n_pixels;
  int top = ((int) self->height - side) / 2, left = ((int) self->width - side) / 2;
  double mean = get_mean (self, frame, top, left, side);
  double fades[MAX_SIDE];

  for (int x = 0; x < side; x++)
    fades[x] = 1 - cos (2 * G_PI * (x + 0.5) / side);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        double value = (double) frame[(gsize) (top + y) * self->width + (gsize) (left + x)];

        if (!is_used (self, top + y, left + x))
          value = mend_pixel (self, frame, top + y, left + x, mean);
        field[y * side + x] = (float) (fades[y] * fades[x] * (value - mean));
      }
}

static void
choose_frames (Look *self,
               const PrismRecording *recording)
{
  for (guint j = 0; j < recording->n_frames && self->n < PRISM_RECORDING_GEOMETRY_MAX_FRAMES; j++)
    {
      const double *direction = recording->directions + 2 * (gsize) j;
      double part = hypot (direction[0], direction[1]) / recording->na;

      if (part > INNER && part < PRISM_RECORDING_INSIDE)
        self->frames[self->n++] = j;
    }
}

/* Of how large complex numbers are. logarithms: [n], may be where the numbers are */
static void
take_logarithms (const float *numbers,
                 gsize n,
                 float *logarithms)
{
  for (gsize k = 0; k < n; k++)
    logarithms[k] = logf (hypotf (numbers[2 * k], numbers[2 * k + 1]) + 1e-20f);
}

/* Spectra that are made, or circles that are compared, each frame for itself. */
typedef struct
{
  Look *look;
  const PrismRecording *recording;
  int one;
  int other;
  double differences[PRISM_RECORDING_GEOMETRY_MAX_FRAMES];
  gboolean done[PRISM_RECORDING_GEOMETRY_MAX_FRAMES]; /* what could be */
} Turns;

static void
make_spectrum (gpointer data,
               guint i)
{
  Turns *turns = data;
  Look *self = turns->look;
  const int side = self->side;
  const gsize half = (gsize) side * (side / 2 + 1);
  prism_autofree_array float *field
      = prism_arena_new_array ((gsize) side * side * sizeof *field, "a frame", NULL);
  prism_autofree_array float *values
      = prism_arena_new_array (2 * half * sizeof *values, "a spectrum", NULL);

  if (field == NULL || values == NULL)
    return;
  cut_frame (turns->recording, self->frames[i], side, field);
  prism_fft_transform (field, values, side, TRUE);
  take_logarithms (values, half, self->spectra + i * half);
  turns->done[i] = TRUE;
}

static gsize
count_values (const Look *self)
{
  return (gsize) self->n * self->side * self->side;
}

static gboolean
look (Look *self,
      const PrismRecording *recording)
{
  Turns turns = { .look = self, .recording = recording };

  if (recording->directions == NULL || !(recording->na > 0) || !(recording->wavelength > 0)
      || !(recording->pixel_size > 0))
    return FALSE;
  self->side = prism_recording_geometry_get_side (recording);
  self->radius = recording->na * recording->pixel_size * self->side / recording->wavelength;
  if (!(self->radius >= PRISM_RECORDING_GEOMETRY_MIN_RADIUS && self->radius < self->side / 2.0))
    return FALSE;
  choose_frames (self, recording);
  if (self->n < MIN_FRAMES)
    return FALSE;
  self->spectra = prism_arena_new_array ((gsize) self->n * self->side * (self->side / 2 + 1)
                                             * sizeof *self->spectra,
                                         "spectra", NULL);
  if (self->spectra == NULL)
    return FALSE;
  prism_parallel_run (self->n, count_values (self), make_spectrum, &turns);
  for (guint i = 0; i < self->n; i++)
    if (!turns.done[i])
      return FALSE;
  return TRUE;
}

static void
turn (PrismTurn turn,
      const double *from,
      double *to)
{
  double x = from[0], y = from[1];

  to[0] = turn == PRISM_TURN_SWAPPED || turn == PRISM_TURN_ROTATED ? y : x;
  to[1] = turn == PRISM_TURN_SWAPPED ? x : turn == PRISM_TURN_NONE  ? y
                                       : turn == PRISM_TURN_ROTATED ? -x
                                                                    : -y;
}

static gboolean
is_within (double x,
           double y,
           const double *center,
           double radius)
{
  return hypot (x - center[0], y - center[1]) < radius
         || hypot (x + center[0], y + center[1]) < radius;
}

/* Mean within the circles of one turn less that within those of another, where they differ; or,
 * where the other is negative, less that outside. %FALSE where they hardly differ. */
static gboolean
compare (const Look *self,
         const PrismRecording *recording,
         guint i,
         int one,
         int other,
         double *difference)
{
  const double *direction = recording->directions + 2 * (gsize) self->frames[i];
  gsize columns = self->side / 2 + 1;
  double a[2], b[2], sum_a = 0, sum_b = 0, scale = self->radius / recording->na;
  guint n_a = 0, n_b = 0;

  turn (one, direction, a);
  turn (MAX (other, 0), direction, b);
  for (int k = 0; k < 2; k++)
    {
      a[k] *= scale;
      b[k] *= scale;
    }
  for (int row = 0; row < self->side; row++)
    for (gsize x = 0; x < columns; x++)
      {
        int y = row < self->side / 2 ? row : row - self->side;
        double k = hypot (x, y);
        gboolean in_a, in_b;

        if (k < PRISM_RECORDING_GEOMETRY_CENTER || k > 1.9 * self->radius)
          continue;
        in_a = is_within (x, y, a, self->radius);
        in_b = other < 0 ? !in_a : is_within (x, y, b, self->radius);
        if (in_a == in_b)
          continue;
        n_a += in_a;
        n_b += in_b;
        *(in_a ? &sum_a : &sum_b) += self->spectra[(i * self->side + row) * columns + x];
      }
  if (n_a < MIN_DIFFERENCE || n_b < MIN_DIFFERENCE)
    return FALSE;
  *difference = sum_a / n_a - sum_b / n_b;
  return TRUE;
}

static void
compare_frame (gpointer data,
               guint i)
{
  Turns *turns = data;

  turns->done[i] = compare (turns->look, turns->recording, i, turns->one, turns->other,
                            &turns->differences[i]);
}

/* Mean of the frames that can tell; 0 where too few can, or where they do not agree. */
static double
compare_all (Look *self,
             const PrismRecording *recording,
             int one,
             int other,
             guint *n_used)
{
  Turns turns = { .look = self, .recording = recording, .one = one, .other = other };
  double sum = 0, squares = 0, variance;
  guint n = 0;

  prism_parallel_run (self->n, count_values (self), compare_frame, &turns);
  for (guint i = 0; i < self->n; i++)
    if (turns.done[i])
      {
        sum += turns.differences[i];
        squares += turns.differences[i] * turns.differences[i];
        n++;
      }
  *n_used = n;
  if (n < MIN_FRAMES)
    return 0;
  variance = MAX (squares / n - sum / n * sum / n, 0);
  return fabs (sum / n) > PRISM_RECORDING_GEOMETRY_SURE * sqrt (variance / n) ? sum / n : 0;
}

/**
 * prism_recording_geometry_compute_contrast:
 *
 * How much brighter the spectra of bright frames are within their circles than around them: where
 * distance, NA or axes are wrong it is less.
 *
 * Returns: the mean difference of the logarithm; NAN where no frame can tell
 */
double
prism_recording_geometry_compute_contrast (const PrismRecording *self)
{
  g_auto (Look) view = { 0 };
  guint n = 0;
  double contrast;

  if (!look (&view, self))
    return NAN;
  contrast = compare_all (&view, self, PRISM_TURN_NONE, -1, &n);
  return n >= MIN_FRAMES ? contrast : NAN;
}

/**
 * prism_recording_geometry_find_turn:
 * @contrast: (out): how much brighter its circles are than those of the directions as they are
 * @n_used: (out): frames that tell
 *
 * Looks whether the circles of the bright frames lie where the directions say.
 *
 * Returns: how the directions should be turned; PRISM_TURN_NONE also where it cannot be told
 */
PrismTurn
prism_recording_geometry_find_turn (const PrismRecording *self,
                                    double *contrast,
                                    guint *n_used)
{
  g_auto (Look) view = { 0 };
  PrismTurn best = PRISM_TURN_NONE;

  *contrast = 0;
  *n_used = 0;
  if (!look (&view, self))
    return best;
  for (int one = PRISM_TURN_NONE + 1; one < PRISM_N_TURNS; one++)
    {
      guint n, unused;
      double better = compare_all (&view, self, one, PRISM_TURN_NONE, &n);

      if (better > 0
          && (best == PRISM_TURN_NONE || compare_all (&view, self, one, best, &unused) > 0))
        {
          best = one;
          *contrast = better;
          *n_used = n;
        }
    }
  return best;
}

/**
 * prism_recording_geometry_correct:
 *
 * Turns directions and positions that the frames contradict, and says so.
 */
void
prism_recording_geometry_correct (PrismRecording *self)
{
  static const char *const sentences[PRISM_N_TURNS] = {
    NULL,
    N_ ("one axis points the other way: y is taken as −y"),
    N_ ("the axes are transposed: x and y are taken swapped"),
    N_ ("the axes are transposed and one points the other way: x is taken as y and y as −x"),
  };
  double contrast;
  guint n;
  PrismTurn found = prism_recording_geometry_find_turn (self, &contrast, &n);

  if (found == PRISM_TURN_NONE)
    return;
  for (gsize j = 0; j < self->n_frames; j++)
    {
      turn (found, self->directions + 2 * j, self->directions + 2 * j);
      if (self->positions != NULL)
        turn (found, self->positions + 2 * j, self->positions + 2 * j);
    }
  prism_recording_note (self,
                        _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                           " directions say (%.1f times brighter there); %s."),
                        n, exp (contrast), _ (sentences[found]));
}

/**
 * prism_recording_geometry_choose:
 * @frames: (array length=n_frames) (out caller-allocates): bright frames whose circles are apart
 * @n_frames: how many are wanted
 *
 * Returns: how many there are; 0 where something about the geometry is unknown
 */
guint
prism_recording_geometry_choose (const PrismRecording *self,
                                 guint *frames,
                                 guint n_frames)
{
  Look chosen = { 0 };

  if (self->directions == NULL || !(self->na > 0) || !(self->wavelength > 0)
      || !(self->pixel_size > 0))
    return 0;
  choose_frames (&chosen, self);
  for (guint i = 0; i < chosen.n && i < n_frames; i++)
    frames[i] = chosen.frames[i];
  return MIN (chosen.n, n_frames);
}

/**
 * prism_recording_geometry_get_side:
 *
 * Returns: pixels of the side of a spectrum that is looked at, even
 */
int
prism_recording_geometry_get_side (const PrismRecording *self)
{
  return (int) MIN (MAX_SIDE, MIN (self->height, self->width)) / 2 * 2;
}

/**
 * prism_recording_geometry_compute_spectrum:
 * @j: a frame
 * @spectrum: (array) (out caller-allocates): logarithm of its intensity's spectrum
 *
 * Shape: spectrum [side][side], zero frequency in the middle.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_recording_geometry_compute_spectrum (const PrismRecording *self,
                                           guint j,
                                           float *spectrum)
{
  int side = prism_recording_geometry_get_side (self), columns = side / 2 + 1;
  prism_autofree_array float *field = NULL;
  prism_autofree_array float *values = NULL;

  field = prism_arena_new_array ((gsize) side * side * sizeof *field, "a frame", NULL);
  values = prism_arena_new_array ((gsize) 2 * side * columns * sizeof *values, "a spectrum", NULL);
  if (field == NULL || values == NULL)
    return FALSE;
  cut_frame (self, j, side, field);
  prism_fft_transform (field, values, side, TRUE);
  take_logarithms (values, (gsize) side * columns, values);
  for (int row = 0; row < side; row++)
    for (int column = 0; column < side; column++)
      {
        int y = (row + side / 2) % side, x = (column + side / 2) % side;

        if (x >= columns)
          {
            x = side - x;
            y = (side - y) % side;
          }
        spectrum[row * side + column] = values[y * columns + x];
      }
  return TRUE;
}
