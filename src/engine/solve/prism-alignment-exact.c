#include "config.h"

#include "solve/prism-alignment-private.h"

#include "num/prism-cholesky.h"
#include "num/prism-tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The image that meets frames without noise exactly, by Newton's steps (Gauss and Newton) on the
 * pixels between the limits. Where these are fewer than the frames determine, each step squares the
 * error; without, passes of descent take thousands. A step's linear equations are solved with
 * conjugate gradients. What makes them few is the matrix that the same frames would have with their
 * phases: its entries depend on how far two pixels are from each other alone.
 *
 * Dimensions as in the private header, and f = pixels between the limits. */

/* Of conjugate gradients: most of them in a step, in one call, and where they end. */
#define MOST_ITERATIONS 60
#define ITERATIONS_AT_ONCE 4
#define CLOSE 1e-5
/* Of the largest overlap, on the diagonal: rounding must not make the matrix indefinite. */
#define DAMPING 1e-10

typedef enum
{
  STAGE_READ,
  STAGE_COMPARE,
  STAGE_FACTOR,
  STAGE_SOLVE,
  STAGE_DONE,
} Stage;

struct _PrismAlignmentExact
{
  Stage stage;
  float *phases;       /* [N][p][p][2] of the image's fields, of modulus 1 */
  double *correlation; /* [m][2m - 1] what two pixels have in common, by their distance */
  double damping;
  gboolean is_known;     /* of the system: it is that of the pixels between the limits */
  PrismCholesky *system; /* (nullable) */
  gboolean *is_fixed;    /* [m][m] */
  gsize n_free;          /* f */
  guint *places;         /* [f] of m² */
  double *step;          /* [f] */
  double *rest;          /* [f] what the step leaves of the slope */
  double *direction;     /* [f] */
  double *image_of;      /* [f] the direction's by the frames' matrix */
  double *solved;        /* [f] rest, by the system */
  double product;        /* rest · solved, */
  double first_product;  /* and in the beginning */
  guint n_iterations;
  double misfit; /* of the image, of ΣA²; residual is that before the last step, which
                  * a run that is taken up again must know */
  gboolean is_met;
};

static gsize
count_pixels (PrismAlignment *self)
{
  return (gsize) self->m * self->m;
}

/**
 * prism_alignment_free_exact:
 * @exact: (nullable): a part of an alignment
 */
void
prism_alignment_free_exact (PrismAlignmentExact *exact)
{
  if (exact == NULL)
    return;
  prism_arena_free_array (exact->phases);
  prism_cholesky_free (exact->system);
  g_free (exact->correlation);
  g_free (exact->is_fixed);
  g_free (exact->places);
  g_free (exact->step);
  g_free (exact);
}

/**
 * prism_alignment_get_exact_bytes:
 * @config: of a run without noise
 * @n_samples: N
 *
 * Nobody knows beforehand whether a picture has few pixels between the limits, whose steps take all
 * of it, or many, which have none: two fifths are within 15 % of what either run takes.
 *
 * Thread: any.
 *
 * Returns: bytes to reckon with for steps to the exact image
 */
guint64
prism_alignment_get_exact_bytes (const PrismConfig *config,
                                 guint n_samples)
{
  const guint64 m2 = (guint64) config->object_size * config->object_size;
  const guint64 side
      = prism_measurements_choose_side (config->image_size, config->aperture_radius);
  const guint64 most = MIN (m2, prism_tuning_get_count (PRISM_TUNING_EXACT_UNKNOWNS));

  return (prism_cholesky_get_bytes (most) + n_samples * side * side * 2 * sizeof (float)) * 2 / 5;
}

/**
 * prism_alignment_can_exact:
 * @self: an alignment of frames without noise
 * @image: (array): near the truth
 *
 * Shape: @image [m][m].
 *
 * Returns: whether so few pixels are between the limits that a step costs little
 */
gboolean
prism_alignment_can_exact (PrismAlignment *self,
                           const float *image)
{
  const float dark = (float) prism_tuning_get (PRISM_TUNING_EXACT_DARK);
  const float bright = 1.0f - (float) prism_tuning_get (PRISM_TUNING_EXACT_BRIGHT);
  gsize n_free = 0;

  for (gsize i = 0; i < count_pixels (self); i++)
    n_free += image[i] > dark && image[i] < bright;
  return n_free > 0 && n_free <= prism_tuning_get_count (PRISM_TUNING_EXACT_UNKNOWNS);
}

static gboolean
make_exact (PrismAlignment *self,
            GError **error)
{
  const gsize n_points = self->n_samples * prism_alignment_count_points (self);
  const gsize n_pixels = count_pixels (self);
  PrismAlignmentExact *exact = g_new0 (PrismAlignmentExact, 1);

  self->exact = exact;
  exact->phases = prism_arena_new_array (2 * n_points * sizeof (float), "the fields", error);
  if (exact->phases == NULL)
    return FALSE;
  exact->is_fixed = g_new0 (gboolean, n_pixels);
  exact->places = g_new0 (guint, n_pixels);
  exact->step = g_new0 (double, 5 * n_pixels);
  exact->rest = exact->step + n_pixels;
  exact->direction = exact->rest + n_pixels;
  exact->image_of = exact->direction + n_pixels;
  exact->solved = exact->image_of + n_pixels;
  return TRUE;
}

/* How often each number of the spectrum was measured, with its conjugate: [n][n], ky and kx from
 * -n/2. */
static double *
count_measured (PrismAlignment *self)
{
  const int n = self->n;
  double *count = g_new0 (double, (gsize) n *n);

  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismMask *mask = self->frames[i].mask;

      for (int y = 0; y < mask->height; y++)
        for (int x = 0; x < mask->width; x++)
          if (mask->bits[(gsize) y * mask->width + x])
            count[(gsize) (mask->y0 + y + n / 2) * n + mask->x0 + x + n / 2] += 1.0;
    }
  return count;
}

/* Of a row of counts: Σ count·e^{2πi kx dx/n} for dx > -m. */
static void
transform_row (PrismAlignment *self,
               const double *count,
               const double *cosines,
               double *row)
{
  const int n = self->n, m = self->m;

  memset (row, 0, 2 * (2 * m - 1) * sizeof (double));
  for (int x = 0; x < n; x++)
    for (int dx = 1 - m; count[x] != 0.0 && dx < m; dx++)
      {
        const int turn = (int) (((gint64) (x - n / 2) * dx % n + n) % n);

        row[2 * (dx + m - 1)] += count[x] * cosines[turn];
        row[2 * (dx + m - 1) + 1] += count[x] * cosines[(turn + n - n / 4) % n];
      }
}

/* Half of Σ count·e^{2πi k·d/n}/n², of which an amplitude sees half on the average. */
static void
correlate (PrismAlignment *self)
{
  const int n = self->n, m = self->m, width = 2 * m - 1;
  g_autofree double *count = count_measured (self);
  g_autofree double *cosines = g_new (double, n);
  g_autofree double *row = g_new (double, 2 * width);
  double most = 0.0;

  self->exact->correlation = g_new0 (double, (gsize) m *width);
  for (int i = 0; i < n; i++)
    cosines[i] = cos (2.0 * G_PI * i / n);
  for (int y = 0; y < n; y++)
    {
      transform_row (self, count + (gsize) y * n, cosines, row);
      for (int dy = 0; dy < m; dy++)
        {
          const int turn = (int) (((gint64) (y - n / 2) * dy % n + n) % n);
          const double re = cosines[turn], im = cosines[(turn + n - n / 4) % n];

          for (int dx = 0; dx < width; dx++)
            self->exact->correlation[(gsize) dy * width + dx]
                += 0.5 * (re * row[2 * dx] - im * row[2 * dx + 1]) / ((double) n * n);
        }
    }
  for (gsize i = 0; i < (gsize) n * n; i++)
    most = MAX (most, count[i]);
  self->exact->damping = DAMPING * most;
}

/**
 * prism_alignment_begin_exact:
 * @self: an alignment of frames without noise
 * @image: (array): near the truth, for which prism_alignment_can_exact()
 *
 * Begins steps to the image that meets the frames. What is nearly at a limit is there.
 *
 * Shape: @image [m][m].
 */
void
prism_alignment_begin_exact (PrismAlignment *self,
                             const float *image)
{
  const float dark = (float) prism_tuning_get (PRISM_TUNING_EXACT_DARK);
  const float bright = 1.0f - (float) prism_tuning_get (PRISM_TUNING_EXACT_BRIGHT);

  for (gsize i = 0; i < count_pixels (self); i++)
    self->image[i] = image[i] <= dark ? 0.0f : image[i] >= bright ? 1.0f
                                                                  : image[i];
  self->iteration = 0;
  self->residual = self->least = NAN;
  self->moved = self->moved_before = DBL_MAX;
  self->n_field_starts = MAX (self->n_field_starts, 1);
  g_clear_pointer (&self->exact, prism_alignment_free_exact);
}

static gboolean
read_some (PrismAlignment *self,
           guint n_samples,
           GError **error)
{
  gboolean is_done;

  if (!prism_alignment_read_amplitudes (self, n_samples, &is_done, error))
    return FALSE;
  if (!is_done)
    return TRUE;
  correlate (self);
  self->exact->stage = STAGE_COMPARE;
  return TRUE;
}

/* How a frame's amplitude changes with the image, and back. */
static void
change_frame (gpointer data,
              guint chunk,
              guint worker)
{
  PrismAlignment *self = data;
  PrismAlignmentFrame *frame = &self->frames[chunk];
  const PrismFieldWork *work = &self->readers[worker];
  const gsize n_points = prism_alignment_count_points (self);
  const float *phases = self->exact->phases + 2 * chunk * n_points;
  float *field = work->other;

  prism_alignment_gather (self, frame->mask, frame->said);
  prism_field_expand (work, frame->mask, frame->said, field);
  for (gsize i = 0; i < n_points; i++)
    {
      const float change = field[2 * i] * phases[2 * i] + field[2 * i + 1] * phases[2 * i + 1];

      field[2 * i] = change * phases[2 * i];
      field[2 * i + 1] = change * phases[2 * i + 1];
    }
  prism_field_reduce (work, frame->mask, field, frame->said);
}

/* How much the misfit wants a pixel to leave the limit that it is at. */
static float
get_pull (PrismAlignment *self,
          gsize place)
{
  const float slope = prism_alignment_get_slope (self, place);

  if (self->image[place] <= 0.0f)
    return -slope;
  return self->image[place] >= 1.0f ? slope : 0.0f;
}

/* Pixels that were taken for dark or bright and are not: the misfit, which falls no more, wants
 * them to leave the limit most. */
static gboolean
release (PrismAlignment *self)
{
  const float part = (float) prism_tuning_get (PRISM_TUNING_EXACT_RELEASED);
  float most = 0.0f;

  for (gsize i = 0; i < count_pixels (self); i++)
    most = MAX (most, get_pull (self, i));
  for (gsize i = 0; most > 0.0f && i < count_pixels (self); i++)
    if (get_pull (self, i) > part * most)
      self->exact->is_fixed[i] = FALSE;
  return most > 0.0f;
}

/* Lists the pixels between the limits; the system stays as it is where these are the same. */
static gboolean
list_free (PrismAlignment *self,
           GError **error)
{
  PrismAlignmentExact *exact = self->exact;
  gsize n_free = 0;
  gboolean same = exact->system != NULL;

  for (guint i = 0; i < count_pixels (self); i++)
    if (!exact->is_fixed[i])
      {
        same = same && n_free < exact->n_free && exact->places[n_free] == i;
        exact->places[n_free++] = i;
      }
  same = same && n_free == exact->n_free;
  exact->n_free = n_free;
  if (n_free == 0 || n_free > prism_tuning_get_count (PRISM_TUNING_EXACT_UNKNOWNS))
    exact->stage = STAGE_DONE;
  if (same || exact->stage == STAGE_DONE)
    return TRUE;
  g_clear_pointer (&exact->system, prism_cholesky_free);
  exact->system = prism_cholesky_new (n_free, error);
  exact->is_known = FALSE;
  return exact->system != NULL;
}

static void
fill_system (PrismAlignment *self)
{
  PrismAlignmentExact *exact = self->exact;
  const int m = self->m, width = 2 * m - 1;

  for (gsize i = 0; i < exact->n_free; i++)
    {
      const int y = (int) exact->places[i] / m, x = (int) exact->places[i] % m;
      double *row = prism_cholesky_get_row (exact->system, i);

      for (gsize k = 0; k <= i; k++)
        {
          const int dy = y - (int) exact->places[k] / m, dx = x - (int) exact->places[k] % m;

          row[k] = exact->correlation[(gsize) dy * width + dx + m - 1];
        }
      row[i] += exact->damping;
    }
  exact->is_known = TRUE;
}

static double
multiply (const double *a,
          const double *b,
          gsize n)
{
  double sum = 0.0;

  for (gsize i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void
solve_system (PrismAlignmentExact *exact)
{
  memcpy (exact->solved, exact->rest, exact->n_free * sizeof (double));
  prism_cholesky_solve (exact->system, exact->solved);
}

static void
begin_step (PrismAlignmentExact *exact)
{
  memset (exact->step, 0, exact->n_free * sizeof (double));
  solve_system (exact);
  memcpy (exact->direction, exact->solved, exact->n_free * sizeof (double));
  exact->product = exact->first_product = multiply (exact->rest, exact->solved, exact->n_free);
  exact->n_iterations = 0;
  exact->stage = exact->product > 0.0 ? STAGE_SOLVE : STAGE_DONE;
}

/* When rounding alone is left of the misfit, steps become shorter, or say what rounding does. */
static gboolean
stands_still (PrismAlignment *self)
{
  return self->moved <= prism_tuning_get (PRISM_TUNING_EXACT_STEP)
         || self->moved > prism_tuning_get (PRISM_TUNING_EXACT_SHORTER) * self->moved_before;
}

/* The misfit of the image and its slope. Ends where nothing is left but rounding, or the misfit is
 * stuck. */
static gboolean
compare (PrismAlignment *self,
         GError **error)
{
  PrismAlignmentExact *exact = self->exact;
  gboolean is_stuck;

  exact->misfit = prism_alignment_hold_against_amplitudes (self, exact->phases);
  is_stuck = exact->misfit > prism_tuning_get (PRISM_TUNING_EXACT_STUCK) * self->residual;
  exact->is_met = exact->misfit <= prism_tuning_get (PRISM_TUNING_EXACT_MET);
  for (gsize i = 0; i < count_pixels (self); i++)
    exact->is_fixed[i] = self->image[i] <= 0.0f || self->image[i] >= 1.0f;
  exact->stage = STAGE_FACTOR;
  if ((is_stuck && (exact->is_met ? stands_still (self) : !release (self)))
      || self->iteration >= prism_tuning_get_count (PRISM_TUNING_EXACT_PASSES))
    exact->stage = STAGE_DONE;
  if (exact->stage == STAGE_DONE)
    return TRUE;
  if (!list_free (self, error))
    return FALSE;
  for (gsize i = 0; i < exact->n_free; i++)
    exact->rest[i] = -prism_alignment_get_slope (self, exact->places[i]);
  return TRUE;
}

static void
factor (PrismAlignment *self)
{
  PrismAlignmentExact *exact = self->exact;

  if (!exact->is_known)
    fill_system (self);
  if (!prism_cholesky_is_done (exact->system)
      && !prism_cholesky_factor (exact->system, self->pool))
    exact->stage = STAGE_DONE;
  else if (prism_cholesky_is_done (exact->system))
    begin_step (exact);
}

/* Σ JᵀJ of the direction. */
static void
apply_frames (PrismAlignment *self)
{
  PrismAlignmentExact *exact = self->exact;

  memset (self->plane, 0, (gsize) self->n * self->n * sizeof (float));
  for (gsize i = 0; i < exact->n_free; i++)
    self->plane[prism_alignment_get_place (self, (int) exact->places[i] / self->m,
                                           (int) exact->places[i] % self->m)]
        = (float) exact->direction[i];
  prism_alignment_ask (self, change_frame);
  for (gsize i = 0; i < exact->n_free; i++)
    exact->image_of[i] = prism_alignment_get_slope (self, exact->places[i]);
}

/* One iteration; returns whether the equations are solved well enough. */
static gboolean
iterate (PrismAlignment *self)
{
  PrismAlignmentExact *exact = self->exact;
  double curvature, length, product;

  apply_frames (self);
  curvature = multiply (exact->direction, exact->image_of, exact->n_free);
  if (!(curvature > 0.0))
    return TRUE;
  length = exact->product / curvature;
  for (gsize i = 0; i < exact->n_free; i++)
    {
      exact->step[i] += length * exact->direction[i];
      exact->rest[i] -= length * exact->image_of[i];
    }
  solve_system (exact);
  product = multiply (exact->rest, exact->solved, exact->n_free);
  for (gsize i = 0; i < exact->n_free; i++)
    exact->direction[i] = exact->solved[i] + product / exact->product * exact->direction[i];
  exact->product = product;
  exact->n_iterations++;
  return !(product > CLOSE * exact->first_product) || exact->n_iterations >= MOST_ITERATIONS;
}

/* Where the frames determine the pixels, a step from near the truth stays near the limits; where
 * they do not, it is anything. */
static void
take_step (PrismAlignment *self)
{
  PrismAlignmentExact *exact = self->exact;
  const double beyond = prism_tuning_get (PRISM_TUNING_EXACT_BEYOND);
  gboolean is_determined = TRUE;
  double moved = 0.0;

  for (gsize i = 0; i < exact->n_free; i++)
    {
      const double value = self->image[exact->places[i]] + exact->step[i];

      is_determined = is_determined && value > -beyond && value < 1.0 + beyond;
      moved += exact->step[i] * exact->step[i];
      self->image[exact->places[i]] = (float) CLAMP (value, 0.0, 1.0);
    }
  self->moved_before = self->moved;
  self->moved = sqrt (moved / count_pixels (self));
  self->residual = exact->misfit;
  self->iteration++;
  exact->is_met = FALSE;
  exact->stage = is_determined ? STAGE_COMPARE : STAGE_DONE;
}

static void
solve_some (PrismAlignment *self,
            gboolean *pass_done)
{
  for (guint i = 0; i < ITERATIONS_AT_ONCE; i++)
    if (iterate (self))
      {
        take_step (self);
        *pass_done = TRUE;
        return;
      }
}

/**
 * prism_alignment_seek_exact:
 * @self: an alignment after prism_alignment_begin_exact()
 * @n_samples: frames to read at most
 * @pass_done: (out): whether a step ended
 * @error: return location
 *
 * Works on a step.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Source: numerics.md, “Exact images”.
 *
 * Returns: whether it went well
 */
gboolean
prism_alignment_seek_exact (PrismAlignment *self,
                            guint n_samples,
                            gboolean *pass_done,
                            GError **error)
{
  *pass_done = FALSE;
  if (self->exact == NULL && !make_exact (self, error))
    return FALSE;
  switch (self->exact->stage)
    {
    case STAGE_READ:
      return read_some (self, n_samples, error);
    case STAGE_COMPARE:
      return compare (self, error);
    case STAGE_FACTOR:
      factor (self);
      return TRUE;
    case STAGE_SOLVE:
      solve_some (self, pass_done);
      return TRUE;
    case STAGE_DONE:
    default:
      return TRUE;
    }
}

/**
 * prism_alignment_is_exact_done:
 * @self: an alignment after prism_alignment_begin_exact()
 *
 * Returns: whether no step follows
 */
gboolean
prism_alignment_is_exact_done (PrismAlignment *self)
{
  return self->exact != NULL && self->exact->stage == STAGE_DONE;
}

/**
 * prism_alignment_is_exact:
 * @self: an alignment whose steps have ended
 *
 * Returns: whether the image meets the frames to what rounding leaves, and stands still
 */
gboolean
prism_alignment_is_exact (PrismAlignment *self)
{
  return self->exact->is_met && self->moved <= prism_tuning_get (PRISM_TUNING_EXACT_STEP);
}

/**
 * prism_alignment_get_exact_misfit:
 * @self: an alignment whose steps have ended
 *
 * Returns: Σ(|φ| - A)² / ΣA² of the image
 */
double
prism_alignment_get_exact_misfit (PrismAlignment *self)
{
  return self->exact->misfit;
}
