#include "config.h"

#include "solve/prism-alignment-private.h"

#include "base/prism-sort.h"
#include "num/prism-tuning.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the frames say: their fields, and how an image's spectrum compares with these.
 *
 * Dimensions as in the private header. */

/* Of the spectrum that are added up at once. */
#define ROWS 16

typedef struct
{
  PrismAlignment *self;
  guint first;
} Batch;

/**
 * prism_alignment_read_points:
 * @self: an alignment
 * @i: number of a frame
 * @points: (out caller-allocates) (array): its pixels
 * @error: return location
 *
 * Reads every step-th pixel of a frame, its origin at [0][0], for boxes of the unitary spectrum.
 *
 * Shape: @points [p][p].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_alignment_read_points (PrismAlignment *self,
                             guint i,
                             float *points,
                             GError **error)
{
  const gsize side = self->read_side, shift = side / 2;
  const guint step = (guint) self->n / self->read_side;
  g_autoptr (PrismImage) image = NULL;

  image = prism_measurements_dup_points (self->measurements, self->backend, i, step, error);
  if (image == NULL)
    return FALSE;
  for (gsize y = 0; y < side; y++)
    for (gsize x = 0; x < side; x++)
      points[y * side + x]
          = step * image->pixels[(y + shift) % side * side + (x + shift) % side];
  return TRUE;
}

/* Where a number of the spectrum is in its half, and whether its conjugate is there. */
static gsize
find_number (PrismAlignment *self,
             int y,
             int x,
             gboolean *is_conjugate)
{
  const int n = self->n, w = n / 2 + 1;

  *is_conjugate = x < 0;
  if (x < 0)
    {
      y = -y;
      x = -x;
    }
  return (gsize) ((y + n) % n) * w + x;
}

/**
 * prism_alignment_gather:
 * @self: an alignment with a half spectrum
 * @mask: aperture
 * @box: (out caller-allocates) (array): the spectrum behind it
 *
 * Shape: @box [H][W][2].
 */
void
prism_alignment_gather (PrismAlignment *self,
                        const PrismMask *mask,
                        float *box)
{
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      {
        const gsize i = (gsize) y * mask->width + x;
        gboolean is_conjugate;
        gsize from = 2 * find_number (self, mask->y0 + y, mask->x0 + x, &is_conjugate);

        box[2 * i] = mask->bits[i] ? self->half[from] : 0.0f;
        box[2 * i + 1] = mask->bits[i] ? self->half[from + 1] : 0.0f;
        if (is_conjugate)
          box[2 * i + 1] = -box[2 * i + 1];
      }
}

static void
keep_amplitude (PrismAlignment *self,
                PrismAlignmentFrame *frame,
                const float *amplitude)
{
  const gsize side = self->has_noise ? self->side : self->read_side;
  const gsize n_bytes = side * side * sizeof (float);

  frame->amplitude = prism_arena_new_array (n_bytes, "a frame", NULL);
  if (frame->amplitude != NULL)
    memcpy (frame->amplitude, amplitude, n_bytes);
}

/* From what is left of the noise in few frequencies to the field, and from there to the one that is
 * nearest to all pixels: the noise of an amplitude is the same in bright ones and in dark ones. */
static void
retrieve_in_noise (PrismAlignment *self,
                   guint worker,
                   guint i,
                   const float *pixels)
{
  PrismAlignmentFrame *frame = &self->frames[i];
  float *points = self->low_passed[worker];
  const PrismFieldFrame known = { frame->mask, points, points, &self->works[worker], NULL };

  prism_field_low_pass (&self->readers[worker], &self->works[worker], pixels, points);
  frame->misfit = prism_field_retrieve (&self->works[worker], &known,
                                        self->n_field_starts, self->seed, i, frame->box);
  keep_amplitude (self, frame, points);
  prism_field_descend (&self->readers[worker], frame->mask, pixels,
                       prism_tuning_get_count (PRISM_TUNING_FIELD_WHOLE), 0.0, frame->box);
}

static void
retrieve (PrismAlignment *self,
          guint worker,
          guint i,
          const float *points)
{
  PrismAlignmentFrame *frame = &self->frames[i];
  float *few = self->low_passed[worker];
  const PrismFieldFrame known
      = { frame->mask, few, points, &self->readers[worker], frame->said };

  prism_alignment_gather (self, frame->mask, frame->said);
  prism_field_low_pass (&self->readers[worker], &self->works[worker], points, few);
  frame->misfit = prism_field_retrieve (&self->works[worker], &known,
                                        self->n_field_starts, self->seed, i, frame->box);
  if (!prism_alignment_is_sure (self, i))
    keep_amplitude (self, frame, points);
}

static void
retrieve_one (gpointer data,
              guint chunk,
              guint worker)
{
  const Batch *batch = data;
  PrismAlignment *self = batch->self;
  const float *points = self->points + chunk * (gsize) self->read_side * self->read_side;
  PrismAlignmentFrame *frame = &self->frames[batch->first + chunk];

  if (frame->mask->height == 0 || prism_alignment_is_sure (self, batch->first + chunk))
    return;
  g_clear_pointer (&frame->amplitude, prism_arena_free_array);
  if (self->has_noise)
    retrieve_in_noise (self, worker, batch->first + chunk, points);
  else
    retrieve (self, worker, batch->first + chunk, points);
}

/* Row of the spectrum's half that a row of a box goes to, or its conjugate. */
static int
find_row (PrismAlignment *self,
          int ky)
{
  return (ky % self->n + self->n) % self->n;
}

/* A row of a box, of which columns from x0 on lie at kx ≥ 0, to a row of the spectrum. */
static void
add_row (PrismAlignment *self,
         const PrismMask *mask,
         const float *box,
         int y,
         int row)
{
  const int first = MAX (-mask->x0, 0);
  const gsize from = (gsize) y * mask->width;
  const gsize to = (gsize) row * (self->n / 2 + 1) + mask->x0;

  for (int x = first; x < mask->width; x++)
    {
      self->sum[2 * (to + x)] += box[2 * (from + x)];
      self->sum[2 * (to + x) + 1] += box[2 * (from + x) + 1];
      self->count[to + x] += mask->bits[from + x] ? 1.0f : 0.0f;
    }
}

/* The columns at kx < 0. */
static void
add_conjugate_row (PrismAlignment *self,
                   const PrismMask *mask,
                   const float *box,
                   int y,
                   int row)
{
  const int end = MIN (-mask->x0, mask->width);
  const gsize from = (gsize) y * mask->width;
  const gsize to = (gsize) row * (self->n / 2 + 1) - mask->x0;

  for (int x = 0; x < end; x++)
    {
      self->sum[2 * (to - x)] += box[2 * (from + x)];
      self->sum[2 * (to - x) + 1] -= box[2 * (from + x) + 1];
      self->count[to - x] += mask->bits[from + x] ? 1.0f : 0.0f;
    }
}

/* Numbers of the first column and the last are there twice. */
static void
add_twin (PrismAlignment *self,
          const PrismMask *mask,
          const float *box,
          int y,
          int row,
          gboolean first)
{
  const int x = (first ? 0 : -self->n / 2) - mask->x0;
  const gsize from = (gsize) y * mask->width + x;
  const gsize to = (gsize) row * (self->n / 2 + 1) + (first ? 0 : self->n / 2);

  if (x < 0 || x >= mask->width)
    return;
  self->sum[2 * to] += box[2 * from];
  self->sum[2 * to + 1] += first ? -box[2 * from + 1] : box[2 * from + 1];
  self->count[to] += mask->bits[from] ? 1.0f : 0.0f;
}

/* What a frame says of rows of the spectrum. */
static void
scatter (PrismAlignment *self,
         const PrismAlignmentFrame *frame,
         int first,
         int end)
{
  for (int y = 0; y < frame->mask->height; y++)
    {
      const int row = find_row (self, frame->mask->y0 + y);
      const int other = find_row (self, -frame->mask->y0 - y);

      if (other >= first && other < end)
        add_conjugate_row (self, frame->mask, frame->said, y, other);
      if (row >= first && row < end)
        {
          add_row (self, frame->mask, frame->said, y, row);
          add_twin (self, frame->mask, frame->said, y, row, FALSE);
        }
      if (other >= first && other < end)
        add_twin (self, frame->mask, frame->said, y, other, TRUE);
    }
}

/* Σ conj(a)·b, or of a's twin. */
static void
multiply (const float *a,
          const float *b,
          gsize n,
          gboolean twin,
          double product[2])
{
  product[0] = product[1] = 0.0;
  for (gsize i = 0; i < n; i++)
    {
      const gsize j = twin ? n - 1 - i : i;
      const double re = a[2 * j], im = twin ? -a[2 * j + 1] : a[2 * j + 1];

      product[0] += re * b[2 * i] + im * b[2 * i + 1];
      product[1] += re * b[2 * i + 1] - im * b[2 * i];
    }
}

/* What the frame says of the box: its own field with the phase that is nearest to it, and of two
 * fields the nearer one. */
static void
align_box (const PrismAlignmentFrame *frame,
           float *box)
{
  const gsize n = prism_alignment_count_box (frame->mask);
  double one[2], other[2] = { 0.0, 0.0 }, length, re, im;
  gboolean twin;

  multiply (frame->box, box, n, FALSE, one);
  if (frame->has_twin)
    multiply (frame->box, box, n, TRUE, other);
  twin = hypot (other[0], other[1]) > hypot (one[0], one[1]);
  length = MAX (twin ? hypot (other[0], other[1]) : hypot (one[0], one[1]), DBL_MIN);
  re = (twin ? other[0] : one[0]) / length;
  im = (twin ? other[1] : one[1]) / length;
  for (gsize i = 0; i < n; i++)
    {
      const gsize j = twin ? n - 1 - i : i;
      const double a = frame->box[2 * j], b = twin ? -frame->box[2 * j + 1] : frame->box[2 * j + 1];

      box[2 * i] = (float) (re * a - im * b);
      box[2 * i + 1] = (float) (re * b + im * a);
    }
}

/* With noise a frame that is doubtful. */
static gboolean
asks_amplitude (PrismAlignment *self,
                const PrismAlignmentFrame *frame)
{
  return frame->amplitude != NULL
         && (!self->has_noise || frame->is_doubtful);
}

/* What the frame says of the spectrum, and how far that is from it. */
static void
compare_frame (gpointer data,
               guint chunk,
               guint worker)
{
  PrismAlignment *self = data;
  PrismAlignmentFrame *frame = &self->frames[chunk];
  float *before = self->before[worker];
  const gsize n = 2 * prism_alignment_count_box (frame->mask);

  prism_alignment_gather (self, frame->mask, frame->said);
  memcpy (before, frame->said, n * sizeof (float));
  if (asks_amplitude (self, frame))
    prism_field_project (self->has_noise ? &self->works[worker] : &self->readers[worker],
                         frame->mask, frame->amplitude, frame->said);
  else
    align_box (frame, frame->said);
  frame->difference = frame->energy = 0.0;
  for (gsize k = 0; k < n; k++)
    {
      const double change = frame->said[k] - before[k];

      frame->difference += change * change;
      frame->energy += (double) frame->said[k] * frame->said[k];
    }
}

/* All frames in turn: the bits do not depend on the number of threads. */
static void
add_rows (gpointer data,
          guint chunk,
          guint worker)
{
  PrismAlignment *self = data;
  const int first = (int) chunk * ROWS, end = MIN (first + ROWS, self->n);
  const gsize w = (gsize) self->n / 2 + 1, size = (end - first) * w;

  (void) worker;
  memset (self->sum + 2 * first * w, 0, 2 * size * sizeof (float));
  memset (self->count + first * w, 0, size * sizeof (float));
  for (guint i = 0; i < self->n_samples; i++)
    scatter (self, &self->frames[i], first, end);
}

/**
 * prism_alignment_add_up:
 * @self: an alignment whose frames have said something
 *
 * Adds what they said to what they say together: sum and count.
 */
void
prism_alignment_add_up (PrismAlignment *self)
{
  prism_pool_run (self->pool, (self->n + ROWS - 1) / ROWS, add_rows, self);
}

/**
 * prism_alignment_compare:
 * @self: an alignment with all fields and a half spectrum
 *
 * What the frames say is left in sum and count.
 *
 * Returns: Σ|Q - F|² / Σ|Q|²; with noise, which is in faint frames as in bright ones, the mean of
 * that of each frame
 */
double
prism_alignment_compare (PrismAlignment *self)
{
  double differences = 0.0, energies = 0.0;

  prism_pool_run (self->pool, self->n_samples, compare_frame, self);
  prism_alignment_add_up (self);
  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismAlignmentFrame *frame = &self->frames[i];

      differences += self->has_noise ? frame->difference / MAX (frame->energy, DBL_MIN)
                                     : frame->difference;
      energies += self->has_noise ? 1.0 : frame->energy;
    }
  return differences / MAX (energies, DBL_MIN);
}

static void
scale_values (float *values,
              gsize n_values,
              float scale)
{
  for (gsize i = 0; i < n_values; i++)
    values[i] *= scale;
}

/**
 * prism_alignment_transform:
 * @self: an alignment
 * @plane: (array): real field, of which rows -near…near-1 are not 0
 * @near: these rows
 *
 * Makes the half spectrum, unitary.
 *
 * Shape: @plane [n][n].
 */
void
prism_alignment_transform (PrismAlignment *self,
                           float *plane,
                           int near)
{
  prism_fft_field_forward (self->field_fft, plane, self->half, near);
  scale_values (self->half, 2 * prism_alignment_count_half (self), 1.0f / self->n);
}

/**
 * prism_alignment_return:
 * @self: an alignment with a half spectrum, which is destroyed
 * @plane: (out caller-allocates) (array): real field
 * @near: rows -near…near-1 are wanted
 *
 * Shape: @plane [n][n].
 */
void
prism_alignment_return (PrismAlignment *self,
                        float *plane,
                        int near)
{
  scale_values (self->half, 2 * prism_alignment_count_half (self), 1.0f / self->n);
  prism_fft_field_backward (self->field_fft, self->half, plane, near);
}

/**
 * prism_alignment_get_place:
 * @self: an alignment
 * @y: row of the object
 * @x: column
 *
 * Returns: where the pixel is in a plane
 */
gsize
prism_alignment_get_place (PrismAlignment *self,
                           int y,
                           int x)
{
  const int row = (y - self->m / 2 + self->n) % self->n;
  const int column = (x - self->m / 2 + self->n) % self->n;

  return (gsize) row * self->n + column;
}

/**
 * prism_alignment_spread:
 * @self: an alignment
 * @image: (array): of the object
 * @plane: (out caller-allocates) (array): field with nothing around it
 *
 * Shape: @image [m][m], @plane [n][n].
 */
void
prism_alignment_spread (PrismAlignment *self,
                        const float *image,
                        float *plane)
{
  memset (plane, 0, (gsize) self->n * self->n * sizeof (float));
  for (int y = 0; y < self->m; y++)
    for (int x = 0; x < self->m; x++)
      plane[prism_alignment_get_place (self, y, x)] = image[(gsize) y * self->m + x];
}

/* With noise only the others say what a frame may be left with: more is much more than the
 * median. */
static double
find_most (const double *misfits,
           guint n_misfits,
           double factor)
{
  g_autofree double *sorted = g_memdup2 (misfits, n_misfits * sizeof *misfits);

  prism_sort_doubles (sorted, n_misfits);
  return factor * sorted[n_misfits / 2];
}

/* Those that are left with much more may have the wrong field, and give their amplitude instead. */
static void
choose_doubtful (PrismAlignment *self)
{
  g_autofree double *misfits = g_new (double, self->n_samples);
  double most;

  for (guint i = 0; i < self->n_samples; i++)
    misfits[i] = self->frames[i].misfit;
  most = find_most (misfits, self->n_samples, prism_tuning_get (PRISM_TUNING_FIELD_DOUBTFUL));
  for (guint i = 0; i < self->n_samples; i++)
    self->frames[i].is_doubtful = self->frames[i].misfit > most;
}

/**
 * prism_alignment_retrieve_some:
 * @self: an alignment that lacks fields
 * @n_samples: frames to work on at most
 * @error: return location
 *
 * Searches the fields of some frames.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_alignment_retrieve_some (PrismAlignment *self,
                               guint n_samples,
                               GError **error)
{
  const Batch batch = { self, self->n_retrieved };
  const guint n = MIN (MIN (MAX (n_samples, prism_pool_get_n_threads (self->pool)),
                            self->n_at_once),
                       self->n_samples - self->n_retrieved);

  prism_alignment_spread (self, self->guess, self->plane);
  prism_alignment_transform (self, self->plane, (self->m + 1) / 2);
  for (guint i = 0; i < n; i++)
    if (self->frames[batch.first + i].mask->height > 0
        && !prism_alignment_is_sure (self, batch.first + i)
        && !prism_alignment_read_points (
            self, batch.first + i,
            self->points + i * (gsize) self->read_side * self->read_side, error))
      return FALSE;
  prism_pool_run (self->pool, n, retrieve_one, (gpointer) &batch);
  self->n_retrieved += n;
  if (self->has_noise && self->n_retrieved == self->n_samples)
    choose_doubtful (self);
  return TRUE;
}
