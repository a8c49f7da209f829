#include "config.h"

#include "recording/prism-recording-geometry.h"

#include "base/prism-arena.h"
#include "base/prism-pool.h"
#include "num/prism-fft.h"
#include "recording/prism-recording-private.h"

static gboolean
is_used (const PrismRecording *self,
         int y,
         int x)
{
  return self->mask == NULL || self->mask[(gsize) y * self->width + (gsize) x] != 0;
}

/* Of the pixels of a rectangle that are used, up to a row and a column; otherwise: of none. */
static double
get_mean (const PrismRecording *self,
          const float *frame,
          const int from[2],
          const int to[2],
          double otherwise)
{
  double sum = 0;
  guint n = 0;

  for (int y = MAX (from[0], 0); y < MIN (to[0], (int) self->height); y++)
    for (int x = MAX (from[1], 0); x < MIN (to[1], (int) self->width); x++)
      if (is_used (self, y, x))
        {
          sum += (double) frame[(gsize) y * self->width + (gsize) x];
          n++;
        }
  return n > 0 ? sum / n : otherwise;
}

/* The middle of a frame, without its mean, fading to its rim. A pixel that is not used shows the
 * mean of its neighbours: a hot one would be noise in all of the spectrum. field: [s][s] */
static void
cut_frame (const PrismRecording *self,
           guint j,
           int side,
           float *field)
{
  gsize n_pixels = (gsize) self->height * self->width;
  const float *frame = self->frames + j * n_pixels;
  int top = ((int) self->height - side) / 2, left = ((int) self->width - side) / 2;
  double mean
      = get_mean (self, frame, (int[]) { top, left }, (int[]) { top + side, left + side }, 0);
  double fades[256];

  for (int x = 0; x < side; x++)
    fades[x] = 1 - cos (2 * G_PI * (x + 0.5) / side);
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        double value = (double) frame[(gsize) (top + y) * self->width + (gsize) (left + x)];

        if (!is_used (self, top + y, left + x))
          value = get_mean (self, frame, (int[]) { top + y - 1, left + x - 1 },
                            (int[]) { top + y + 2, left + x + 2 }, mean);
        field[y * side + x] = (float) (fades[y] * fades[x] * (value - mean));
      }
  prism_arena_touch (frame, (gsize) side * self->width * sizeof *frame);
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
  guint n = 0;

  if (self->directions == NULL || !prism_recording_has_optics (self))
    return 0;
  for (guint j = 0; j < self->n_frames && n < n_frames; j++)
    {
      const double *direction = self->directions + 2 * (gsize) j;
      const double part = hypot (direction[0], direction[1]) / self->na;

      if (part > 0.15 && part < PRISM_RECORDING_INSIDE)
        frames[n++] = j;
    }
  return n;
}

/**
 * prism_recording_geometry_get_side:
 *
 * Returns: pixels of the side of a spectrum that is looked at, even
 */
int
prism_recording_geometry_get_side (const PrismRecording *self)
{
  return (int) MIN (256, MIN (self->height, self->width)) / 2 * 2;
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
  const int side = prism_recording_geometry_get_side (self), columns = side / 2 + 1;
  const gsize half = (gsize) side * columns;
  prism_autofree_array float *field
      = prism_arena_new_array ((gsize) side * side * sizeof *field, "a frame", NULL);
  prism_autofree_array float *values
      = prism_arena_new_array (2 * half * sizeof *values, "a spectrum", NULL);

  if (field == NULL || values == NULL)
    return FALSE;
  cut_frame (self, j, side, field);
  prism_fft_transform (field, values, side, TRUE);
  for (gsize k = 0; k < half; k++)
    values[k] = logf (hypotf (values[2 * k], values[2 * k + 1]) + 1e-20f);
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

/**
 * prism_recording_edges_clear:
 *
 * Frees what it has.
 */
void
prism_recording_edges_clear (PrismRecordingEdges *self)
{
  prism_arena_free_array (self->spectra);
}

/* Bright frames, by their light: where geometry is wrong it cannot say which they are. */
static void
choose_frames (PrismRecordingEdges *self,
               const PrismRecording *recording)
{
  g_autofree PrismFrameLight *all = prism_recording_rank_by_light (recording, TRUE);
  const double usual = all[recording->n_frames > 4 ? 4 : 0].light;

  while (self->n < G_N_ELEMENTS (self->frames) && self->n < recording->n_frames
         && all[self->n].light > PRISM_RECORDING_BRIGHT * usual)
    {
      self->frames[self->n] = all[self->n].frame;
      self->n++;
    }
}

static gsize
count_values (const PrismRecordingEdges *self)
{
  return (gsize) self->n * self->side * self->side;
}

/* The frames that are looked at. */
typedef struct
{
  PrismRecordingEdges *look;
  const PrismRecording *recording;
  gboolean done[32];
} Making;

static void
make_plane (gpointer data,
            guint i)
{
  Making *making = data;
  const gsize n = (gsize) making->look->side * making->look->side;

  making->done[i] = prism_recording_geometry_compute_spectrum (
      making->recording, making->look->frames[i], making->look->spectra + i * n);
}

/**
 * prism_recording_edges_place:
 * @recording: the same frames, maybe with other directions or another NA
 *
 * Places the circles where the recording says.
 */
void
prism_recording_edges_place (PrismRecordingEdges *self,
                             const PrismRecording *recording)
{
  self->radius = recording->na * self->unit;
  for (guint i = 0; i < self->n; i++)
    for (int k = 0; k < 2; k++)
      self->centers[i][k] = self->unit * recording->directions[2 * (gsize) self->frames[i] + k];
}

/**
 * prism_recording_edges_look:
 * @self: (out caller-allocates): zeroed; prism_recording_edges_clear() frees what it gets
 * @recording: frames with directions
 *
 * Computes the spectra of the bright frames.
 *
 * Returns: whether there are three, and circles that can be seen whole
 */
gboolean
prism_recording_edges_look (PrismRecordingEdges *self,
                            const PrismRecording *recording)
{
  Making making = { .look = self, .recording = recording };

  if (recording->directions == NULL || !prism_recording_has_optics (recording))
    return FALSE;
  self->side = prism_recording_geometry_get_side (recording);
  self->unit = recording->pixel_size * self->side / recording->wavelength;
  choose_frames (self, recording);
  prism_recording_edges_place (self, recording);
  if (!(self->radius >= PRISM_RECORDING_GEOMETRY_MIN_RADIUS && self->radius < self->side / 2.0)
      || self->n < 3)
    return FALSE;
  self->spectra = prism_arena_new_array (count_values (self) * sizeof *self->spectra, "spectra",
                                         NULL);
  if (self->spectra == NULL)
    return FALSE;
  prism_parallel_run (self->n, count_values (self), make_plane, &making);
  for (guint i = 0; i < self->n; i++)
    if (!making.done[i])
      return FALSE;
  return TRUE;
}

/* Signs of both axes together cannot be told from frames. */
typedef enum
{
  PRISM_TURN_NONE,
  PRISM_TURN_MIRRORED, /* y is −y */
  PRISM_TURN_SWAPPED,  /* x is y */
  PRISM_TURN_ROTATED,  /* x is y, y is −x */
  PRISM_N_TURNS
} PrismTurn;

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
compare (const PrismRecordingEdges *self,
         guint i,
         int one,
         int other,
         double *difference)
{
  const int s = self->side, half = s / 2;
  const double part = hypot (self->centers[i][0], self->centers[i][1]) / self->radius;
  double a[2], b[2], sum_a = 0, sum_b = 0;
  guint n_a = 0, n_b = 0;

  /* Circles that are apart, of frames that should be bright. */
  if (!(part > 0.15 && part < PRISM_RECORDING_INSIDE))
    return FALSE;
  turn (one, self->centers[i], a);
  turn (MAX (other, 0), self->centers[i], b);
  for (int y = -half; y < half; y++)
    for (int x = 0; x < half; x++)
      {
        const double k = hypot (x, y);
        gboolean in_a, in_b;

        if (k < PRISM_RECORDING_GEOMETRY_CENTER || k > 1.9 * self->radius)
          continue;
        in_a = is_within (x, y, a, self->radius);
        in_b = other < 0 ? !in_a : is_within (x, y, b, self->radius);
        if (in_a == in_b)
          continue;
        n_a += in_a;
        n_b += in_b;
        *(in_a ? &sum_a : &sum_b)
            += (double) self->spectra[((gsize) i * s + y + half) * s + x + half];
      }
  if (MIN (n_a, n_b) < 20) /* pixels */
    return FALSE;
  *difference = sum_a / n_a - sum_b / n_b;
  return TRUE;
}

/* Circles that are compared, each frame for itself. */
typedef struct
{
  const PrismRecordingEdges *look;
  int one;
  int other;
  double differences[32];
  gboolean done[32]; /* what could be */
} Turns;

static void
compare_frame (gpointer data,
               guint i)
{
  Turns *turns = data;

  turns->done[i]
      = compare (turns->look, i, turns->one, turns->other, &turns->differences[i]);
}

/* Mean of the frames that can tell; 0 where too few can, or where they do not agree. */
static double
compare_all (const PrismRecordingEdges *self,
             int one,
             int other,
             guint *n_used)
{
  Turns turns = { .look = self, .one = one, .other = other };
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
  if (n < 3)
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
  g_auto (PrismRecordingEdges) view = { 0 };
  guint n = 0;
  double contrast;

  if (!prism_recording_edges_look (&view, self))
    return NAN;
  contrast = compare_all (&view, PRISM_TURN_NONE, -1, &n);
  return n >= 3 ? contrast : NAN;
}

/**
 * prism_recording_edges_turn:
 *
 * Turns directions and positions where the circles of the bright frames lie elsewhere, and says so.
 */
void
prism_recording_edges_turn (PrismRecordingEdges *self,
                            PrismRecording *recording)
{
  static const char *const sentences[PRISM_N_TURNS] = {
    NULL,
    N_ ("one axis points the other way: y is taken as −y"),
    N_ ("the axes are transposed: x and y are taken swapped"),
    N_ ("the axes are transposed and one points the other way: x is taken as y and y as −x"),
  };
  PrismTurn best = PRISM_TURN_NONE;
  double contrast = 0;
  guint n_used = 0;

  for (int one = PRISM_TURN_NONE + 1; one < PRISM_N_TURNS; one++)
    {
      guint n, unused;
      const double better = compare_all (self, one, PRISM_TURN_NONE, &n);

      if (better > 0
          && (best == PRISM_TURN_NONE || compare_all (self, one, best, &unused) > 0))
        {
          best = one;
          contrast = better;
          n_used = n;
        }
    }
  if (best == PRISM_TURN_NONE)
    return;
  for (gsize j = 0; j < recording->n_frames; j++)
    {
      turn (best, recording->directions + 2 * j, recording->directions + 2 * j);
      if (recording->positions != NULL)
        turn (best, recording->positions + 2 * j, recording->positions + 2 * j);
    }
  prism_recording_edges_place (self, recording);
  prism_recording_note (recording,
                        _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                           " directions say (%.1f times brighter there); %s."),
                        n_used, exp (contrast), _ (sentences[best]));
}
