#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"

/**
 * prism_ptychography_sums_new:
 * @frames: what was recorded
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): sums of nothing
 */
PrismPtychographySums *
prism_ptychography_sums_new (const PrismPtychogram *frames,
                             GError **error)
{
  const gsize n_object = (gsize) frames->object_side * frames->object_side;
  const gsize n_pupil = (gsize) frames->grid * frames->grid;
  g_autoptr (PrismPtychographySums) self = g_new0 (PrismPtychographySums, 1);

  self->side = frames->object_side;
  self->grid = frames->grid;
  self->object = prism_arena_new_array (sizeof (float) * 3 * (n_object + n_pupil),
                                        "what all frames teach", error);
  if (self->object == NULL)
    return NULL;
  self->object_weights = self->object + 2 * n_object;
  self->pupil = self->object_weights + n_object;
  self->pupil_weights = self->pupil + 2 * n_pupil;
  self->frames = g_new (guint, frames->n_frames);
  self->lessons = g_new0 (PrismPtychographyLesson, frames->n_frames);
  prism_ptychography_sums_clear (self);
  return g_steal_pointer (&self);
}

/**
 * prism_ptychography_sums_free:
 * @self: (nullable): sums
 */
PRISM_FREE_FOR_ALL (PrismPtychographySums,
                    prism_ptychography_sums_free,
                    prism_arena_free_array,
                    object,
                    g_free,
                    frames,
                    g_free,
                    lessons)

/**
 * prism_ptychography_sums_clear:
 *
 * Makes all of them 0.
 */
void
prism_ptychography_sums_clear (PrismPtychographySums *self)
{
  const gsize n = (gsize) self->side * self->side + (gsize) self->grid * self->grid;

  memset (self->object, 0, sizeof (float) * 3 * n);
}

/**
 * prism_ptychography_sums_add_row:
 * @start: the row's first point of the object
 * @row: what one frame teaches; its object stays as it is
 * @squares: (out): |O|² of its points, where it teaches something about the pupil
 *
 * Adds a row to the sums of the object. What it teaches about the pupil is left in the row's
 * pupil_step, at the frame's place.
 *
 * Shape: squares [n].
 */
void
prism_ptychography_sums_add_row (PrismPtychographySums *self,
                                 gsize start,
                                 const PrismCpuPtychographyRow *row,
                                 float *squares)
{
  float *restrict object = self->object + 2 * start;
  float *restrict weights = self->object_weights + start;
  float *step = row->pupil_step;
  const float *o = row->object, *p = row->pupil, *d = row->difference, *clear = row->clear;

  for (int i = 0; i < row->n; i++)
    {
      object[2 * i] += p[2 * i] * d[2 * i] + p[2 * i + 1] * d[2 * i + 1];
      object[2 * i + 1] += p[2 * i] * d[2 * i + 1] - p[2 * i + 1] * d[2 * i];
      weights[i] += p[2 * i] * p[2 * i] + p[2 * i + 1] * p[2 * i + 1];
    }
  for (int i = 0; step != NULL && i < row->n; i++)
    {
      step[2 * i] = clear[i] * (o[2 * i] * d[2 * i] + o[2 * i + 1] * d[2 * i + 1]);
      step[2 * i + 1] = clear[i] * (o[2 * i] * d[2 * i + 1] - o[2 * i + 1] * d[2 * i]);
      squares[i] = clear[i] * (o[2 * i] * o[2 * i] + o[2 * i + 1] * o[2 * i + 1]);
    }
}

/**
 * prism_ptychography_sums_add_squares:
 * @start: the first point of the pupil
 * @squares: (array length=n): |O|² there
 * @n: number of points
 *
 * Adds to the weights of the pupil.
 */
void
prism_ptychography_sums_add_squares (PrismPtychographySums *self,
                                     gsize start,
                                     const float *squares,
                                     int n)
{
  for (int i = 0; i < n; i++)
    self->pupil_weights[start + i] += squares[i];
}

/**
 * prism_aberration_fit_add:
 * @other: of some rows
 * @n_points: of the grid, whose transforms are not normalised
 *
 * Adds the equations of some rows.
 */
void
prism_aberration_fit_add (PrismAberrationFit *self,
                          const PrismAberrationFit *other,
                          double n_points)
{
  for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
    {
      self->slopes[a] += other->slopes[a] / n_points;
      for (int b = 0; b <= a; b++)
        self->curvatures[a][b] += other->curvatures[a][b];
    }
}

/**
 * prism_held_out_add:
 * @field: predicted
 * @amplitude: recorded, as of PrismPtychogram; below 0 it counts as 0
 * @n: number of pixels
 *
 * Adds pixels.
 *
 * Shape: field [n][2]; amplitude [n].
 */
void
prism_held_out_add (PrismHeldOut *self,
                    const float *field,
                    const float *amplitude,
                    int n)
{
  for (int i = 0; i < n; i++)
    {
      const double a = MAX ((double) amplitude[i], 0);
      const float re = field[2 * i], im = field[2 * i + 1];
      const double square = (double) (re * re + im * im);
      const double p = sqrt (square);

      if (isnan (amplitude[i]))
        continue;
      self->n++;
      self->predicted += p;
      self->recorded += a;
      self->predicted_squares += square;
      self->recorded_squares += a * a;
      self->products += p * a;
    }
}

/**
 * prism_held_out_join:
 * @other: of other pixels
 *
 * Adds what others have added.
 */
void
prism_held_out_join (PrismHeldOut *self,
                     const PrismHeldOut *other)
{
  self->n += other->n;
  self->predicted += other->predicted;
  self->recorded += other->recorded;
  self->predicted_squares += other->predicted_squares;
  self->recorded_squares += other->recorded_squares;
  self->products += other->products;
}

/**
 * prism_held_out_get_error:
 *
 * Returns: Σ(g|φ| - A)² with the gain g at which it is least
 */
double
prism_held_out_get_error (const PrismHeldOut *self)
{
  if (!(self->predicted_squares > 0))
    return self->recorded_squares;
  return MAX (
      self->recorded_squares - self->products * self->products / self->predicted_squares, 0);
}

/**
 * prism_held_out_get_correlation:
 *
 * Returns: Pearson's, of the amplitudes; 0 where one of them is flat
 */
double
prism_held_out_get_correlation (const PrismHeldOut *self)
{
  const double n = (double) self->n;
  const double p = self->predicted_squares - self->predicted * self->predicted / n;
  const double a = self->recorded_squares - self->recorded * self->recorded / n;

  if (!(p > 1e-12 * self->predicted_squares && a > 1e-12 * self->recorded_squares))
    return 0;
  return (self->products - self->predicted * self->recorded / n) / sqrt (p * a);
}
