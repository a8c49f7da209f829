#include "config.h"

#include "solve/prism-alignment-private.h"

#include "num/prism-tuning.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the frames say: their fields, and how an image's spectrum compares with these.
 *
 * Dimensions as in the private header. */

typedef struct
{
  PrismAlignment *self;
  guint first;
} Batch;

/* Of a frame that is read: with noise all of them. */
static gsize
count_pixels (PrismAlignment *self)
{
  const gsize side = self->has_noise ? (gsize) self->n : self->side;

  return side * side;
}

/* Every step-th pixel of a frame, with its origin at [0][0], for boxes of the unitary spectrum. */
static gboolean
read_points (PrismAlignment *self,
             guint i,
             guint step,
             float *points,
             GError **error)
{
  const gsize side = (gsize) self->n / step, shift = side / 2;
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

static void
keep_amplitude (PrismAlignment *self,
                PrismAlignmentFrame *frame,
                const float *points)
{
  const gsize n_bytes = (gsize) self->side * self->side * sizeof (float);

  frame->amplitude = prism_arena_new_array (n_bytes, "a frame", NULL);
  if (frame->amplitude != NULL)
    memcpy (frame->amplitude, points, n_bytes);
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

  prism_field_low_pass (&self->wholes[worker], &self->works[worker], pixels, points);
  frame->misfit = prism_field_retrieve (&self->works[worker], frame->mask, points,
                                        prism_tuning_get_count (PRISM_TUNING_FIELD_STARTS_IN_NOISE),
                                        self->seed, i, frame->box);
  keep_amplitude (self, frame, points);
  prism_field_descend (&self->wholes[worker], frame->mask, pixels,
                       prism_tuning_get_count (PRISM_TUNING_FIELD_WHOLE), 0.0, frame->box);
}

static void
retrieve_one (gpointer data,
              guint chunk,
              guint worker)
{
  const Batch *batch = data;
  PrismAlignment *self = batch->self;
  const float *points = self->points + chunk * count_pixels (self);
  PrismAlignmentFrame *frame = &self->frames[batch->first + chunk];

  g_clear_pointer (&frame->amplitude, prism_arena_free_array);
  if (frame->mask->height == 0)
    return;
  if (self->has_noise)
    {
      retrieve_in_noise (self, worker, batch->first + chunk, points);
      return;
    }
  frame->misfit = prism_field_retrieve (&self->works[worker], frame->mask, points,
                                        prism_tuning_get_count (PRISM_TUNING_FIELD_STARTS),
                                        self->seed, batch->first + chunk, frame->box);
  if (frame->misfit <= prism_tuning_get (PRISM_TUNING_FIELD_FOUND))
    return;
  keep_amplitude (self, frame, points);
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

static void
gather (PrismAlignment *self,
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
add_number (PrismAlignment *self,
            int y,
            int x,
            float re,
            float im)
{
  gboolean is_conjugate;
  const gsize to = find_number (self, y, x, &is_conjugate);

  self->sum[2 * to] += re;
  self->sum[2 * to + 1] += is_conjugate ? -im : im;
  self->count[to] += 1.0f;
}

/* Numbers of the first column and the last are there twice. */
static void
scatter (PrismAlignment *self,
         const PrismMask *mask,
         const float *box)
{
  for (int y = 0; y < mask->height; y++)
    for (int x = 0; x < mask->width; x++)
      {
        const gsize i = (gsize) y * mask->width + x;
        const int ky = mask->y0 + y, kx = mask->x0 + x;

        if (!mask->bits[i])
          continue;
        add_number (self, ky, kx, box[2 * i], box[2 * i + 1]);
        if (kx == 0 || kx == -self->n / 2)
          add_number (self, -ky, kx == 0 ? 0 : self->n / 2, box[2 * i], -box[2 * i + 1]);
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

/* What the frame says of the spectrum is added to sum and count; returns Σ|Q - F|². */
static double
compare_frame (PrismAlignment *self,
               const PrismAlignmentFrame *frame,
               double *energy)
{
  const gsize n = 2 * prism_alignment_count_box (frame->mask);
  double difference = 0.0;

  gather (self, frame->mask, self->box);
  memcpy (self->before, self->box, n * sizeof (float));
  if (frame->amplitude != NULL)
    prism_field_project (self->works, frame->mask, frame->amplitude, self->box);
  else
    align_box (frame, self->box);
  scatter (self, frame->mask, self->box);
  *energy = 0.0;
  for (gsize k = 0; k < n; k++)
    {
      const double change = self->box[k] - self->before[k];

      difference += change * change;
      *energy += (double) self->box[k] * self->box[k];
    }
  return difference;
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

  memset (self->sum, 0, 2 * prism_alignment_count_half (self) * sizeof (float));
  memset (self->count, 0, prism_alignment_count_half (self) * sizeof (float));
  for (guint i = 0; i < self->n_samples; i++)
    {
      double energy, difference = compare_frame (self, &self->frames[i], &energy);

      differences += self->has_noise ? difference / MAX (energy, DBL_MIN) : difference;
      energies += self->has_noise ? 1.0 : energy;
    }
  return differences / MAX (energies, DBL_MIN);
}

/**
 * prism_alignment_transform:
 * @self: an alignment
 * @plane: (inout) (array): real field
 * @forward: whether to the half spectrum; else from it, which is destroyed
 *
 * Shape: @plane [n][n].
 */
void
prism_alignment_transform (PrismAlignment *self,
                           float *plane,
                           gboolean forward)
{
  float *values = forward ? self->half : plane;
  const gsize n_values = forward ? 2 * prism_alignment_count_half (self)
                                 : (gsize) self->n * self->n;
  const float scale = 1.0f / self->n;

  prism_fft_transform (plane, self->half, self->n, forward);
  for (gsize i = 0; i < n_values; i++)
    values[i] *= scale;
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

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* With noise only the others say what a frame may be left with: those that are left with much more
 * may have the wrong field, and give their amplitude instead. */
static void
choose_doubtful (PrismAlignment *self)
{
  g_autofree double *misfits = g_new (double, self->n_samples);
  double most;

  for (guint i = 0; i < self->n_samples; i++)
    misfits[i] = self->frames[i].misfit;
  qsort (misfits, self->n_samples, sizeof *misfits, compare_numbers);
  most = prism_tuning_get (PRISM_TUNING_FIELD_DOUBTFUL) * misfits[self->n_samples / 2];
  for (guint i = 0; i < self->n_samples; i++)
    if (self->frames[i].misfit <= most)
      g_clear_pointer (&self->frames[i].amplitude, prism_arena_free_array);
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

  for (guint i = 0; i < n; i++)
    if (self->frames[batch.first + i].mask->height > 0
        && !read_points (self, batch.first + i, self->has_noise ? 1 : self->step,
                         self->points + i * count_pixels (self), error))
      return FALSE;
  prism_pool_run (self->pool, n, retrieve_one, (gpointer) &batch);
  self->n_retrieved += n;
  if (self->has_noise && self->n_retrieved == self->n_samples)
    choose_doubtful (self);
  return TRUE;
}
