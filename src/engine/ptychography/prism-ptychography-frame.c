#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "kernels/prism-cpu-ptychography.h"
#include "num/prism-fft.h"
#include "ptychography/prism-illumination.h"

#define ROWS PRISM_FFT_PLANE_BLOCK
#define COLUMNS PRISM_FFT_PLANE_BLOCK
/* The pupil may change this far beyond its nominal rim, or as far as a soft rim goes: NA and
 * distance are never exact. */
#define DISK 1.06
#define REACH 2           /* of what lies between pixels, each way */
#define PUPIL_FLOOR 0.001 /* of the brightest |O|² of the window */

/* Dimensions of this file: n = grid of a frame, M = grid of the object. Fields carry a factor
 * (-1)^(row + column) instead of having their centre moved. */
struct _PrismPtychographyFrame
{
  const PrismPtychogram *frames; /* (unowned) */
  PrismPool *pool;               /* (unowned) */
  const PrismCpuPtychographyKernels *kernels;
  int n;
  int side;         /* M */
  int first;        /* row and column at which the pupil may begin */
  int length;       /* rows and columns that it may have */
  int first_column; /* of the blocks of columns that hold these */
  guint n_column_blocks;
  guint n_blocks;       /* of rows */
  guint n_pupil_blocks; /* of those that the pupil may have */
  float *object;        /* [M][M][2]: spectrum */
  float *pupil;         /* [n][n][2] */
  float *clear;         /* [n][n]: share of a point that the pupil at its place has */
  float rim;            /* width of the pupil's, pixels */
  float *mask;          /* [n][n]: 1 where the pupil may be */
  float *scratch;       /* [threads][COLUMNS][n][2] */
  float *modes;         /* [PRISM_PUPIL_N_MODES][n][n] */
  float *shifted;       /* [n][n][2]: the pupil at its place */
  float *wave;          /* [n][n][2]: spectrum and field of the frame, one after the other */
  float *step;          /* [n][n][2]: of the pupil */
  float *squares;       /* [n][n]: |O|² of the frame that is visited, for sums */
  PrismFftPlane *transform;
  double (*sums)[2];        /* [blocks]: of a block of rows */
  PrismHeldOut *held_out;   /* [blocks]: likewise */
  double (*forces)[5];      /* [blocks]: of a block of rows */
  PrismAberrationFit *fits; /* [blocks] */
  float (*largest)[2];      /* [blocks]: |P|², |O|² */
};

/* One frame, for the workers. */
typedef struct
{
  PrismPtychographyFrame *self;
  const float *amplitudes;
  float *window; /* the object at the frame's grid */
  PrismRecordedPlace place;
  float gain;
  float floor;
  float object_rate;
  float pupil_rate;
  float pupil_floor;
  gboolean with_pupil;
  gboolean with_shift;
  gboolean with_fit;
  gboolean is_predicted;         /* nothing is to change */
  PrismPtychographySums *taught; /* (nullable) */
  gsize window_start;            /* of the window in the object, points */
} Job;

static const PrismCpuPtychographyKernels *const all_kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_cpu_ptychography_kernels);

/* For a thread: a block of columns, which is more than a row that is mixed. A multiple of 4. */
static gsize
count_scratch (int n)
{
  return 2 * (gsize) MAX (n, 2 * REACH) * COLUMNS;
}

static guint
count_blocks (int length,
              int block)
{
  return (guint) ((length + block - 1) / block);
}

/* From the pupil's middle that it may change, with a rim of this width. */
static double
get_farthest (const PrismPtychogram *frames,
              double rim)
{
  return MAX (DISK * frames->radius, frames->radius + rim / 2);
}

static void
fill_tables (PrismPtychographyFrame *self)
{
  const int n = self->n;
  const double radius = self->frames->radius;

  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      {
        const double x = (column - n / 2) / radius, y = (row - n / 2) / radius;
        double modes[PRISM_PUPIL_N_MODES];

        prism_pupil_evaluate_modes (x, y, modes);
        for (int i = 0; i < PRISM_PUPIL_N_MODES; i++)
          self->modes[((gsize) i * n + row) * n + column] = (float) modes[i];
      }
}

/**
 * prism_ptychography_frame_new:
 * @frames: (not nullable): what was recorded; it outlives this
 * @pool: (not nullable): threads; it outlives this
 *
 * Allocates object, pupil and what a frame needs.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): the frame
 */
PrismPtychographyFrame *
prism_ptychography_frame_new (const PrismPtychogram *frames,
                              PrismPool *pool,
                              GError **error)
{
  g_autoptr (PrismPtychographyFrame) self = g_new0 (PrismPtychographyFrame, 1);
  const int n = frames->grid;
  const gsize plane = (gsize) n * n;
  const double farthest = get_farthest (frames, frames->widest_rim);
  const int reach = (int) ceil (farthest) + 2; /* for a place between pixels */

  self->frames = frames;
  self->pool = pool;
  self->kernels = all_kernels[prism_isa_get ()];
  self->n = n;
  self->side = frames->object_side;
  self->first = MAX (n / 2 - reach, REACH);
  self->length = MIN (n / 2 + reach + 1, n - REACH) - self->first;
  self->n_blocks = count_blocks (n, ROWS);
  self->n_pupil_blocks = count_blocks (self->length, ROWS);
  self->first_column = self->first / 2 * 2;
  self->n_column_blocks = count_blocks (self->first + self->length - self->first_column, COLUMNS);
  self->first_column = MIN (self->first_column, n - (int) self->n_column_blocks * COLUMNS);
  if (self->first_column < 0)
    {
      self->first_column = 0;
      self->n_column_blocks = count_blocks (n, COLUMNS);
    }
  self->object = prism_arena_new_array (sizeof (float) * 2 * self->side * self->side,
                                        "the object's spectrum", error);
  if (self->object == NULL)
    return NULL;
  self->scratch
      = prism_arena_new_array (sizeof (float) * count_scratch (n) * prism_pool_get_n_threads (pool),
                               "columns of a frame", error);
  if (self->scratch == NULL)
    return NULL;
  /* pupil, shifted, wave, step: 8 planes; mask, clear, squares: 3 */
  self->pupil = prism_arena_new_array (sizeof (float) * plane * (11 + PRISM_PUPIL_N_MODES),
                                       "the pupil and a frame", error);
  if (self->pupil == NULL)
    return NULL;
  self->shifted = self->pupil + 2 * plane;
  self->wave = self->shifted + 2 * plane;
  self->step = self->wave + 2 * plane;
  self->mask = self->step + 2 * plane;
  self->clear = self->mask + plane;
  self->squares = self->clear + plane;
  self->modes = self->squares + plane;
  memset (self->pupil, 0, sizeof (float) * plane * 11);
  self->sums = g_malloc0_n (self->n_blocks, sizeof *self->sums);
  self->held_out = g_malloc0_n (self->n_blocks, sizeof *self->held_out);
  self->forces = g_malloc0_n (self->n_blocks, sizeof *self->forces);
  self->fits = g_malloc0_n (self->n_blocks, sizeof *self->fits);
  self->largest = g_malloc0_n (self->n_blocks, sizeof *self->largest);
  self->transform = prism_fft_plane_new (n);
  fill_tables (self);
  prism_ptychography_frame_set_rim (self, 1);
  return g_steal_pointer (&self);
}

/**
 * prism_ptychography_frame_free:
 * @self: (nullable): what to free
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismPtychographyFrame,
                    prism_ptychography_frame_free,
                    prism_fft_plane_free,
                    transform,
                    prism_arena_free_array,
                    object,
                    prism_arena_free_array,
                    pupil,
                    prism_arena_free_array,
                    scratch,
                    g_free,
                    sums,
                    g_free,
                    held_out,
                    g_free,
                    forces,
                    g_free,
                    fits,
                    g_free,
                    largest)

/**
 * prism_ptychography_frame_get_object:
 *
 * Returns: (transfer none): [M][M][2], the object's spectrum with its centre at M/2
 */
float *
prism_ptychography_frame_get_object (PrismPtychographyFrame *self)
{
  return self->object;
}

/**
 * prism_ptychography_frame_get_pupil:
 *
 * Returns: (transfer none): [n][n][2], the pupil with its centre at n/2; what is beyond its rim is
 *   nothing
 */
float *
prism_ptychography_frame_get_pupil (PrismPtychographyFrame *self)
{
  return self->pupil;
}

/**
 * prism_ptychography_frame_describe:
 * @spec: (inout): of a device that is to do the same, where this chooses
 * @limits: (out): from its middle that the pupil may change, and the width of its rim
 */
void
prism_ptychography_frame_describe (const PrismPtychographyFrame *self,
                                   PrismRecordedSpec *spec,
                                   double limits[2])
{
  spec->first = self->first;
  spec->length = self->length;
  spec->floor = PUPIL_FLOOR;
  limits[0] = get_farthest (self->frames, (double) self->rim);
  limits[1] = (double) self->rim;
}

/**
 * prism_ptychography_frame_set_rim:
 * @width: pixels of a frame's grid, from 1 to the frames' widest_rim
 *
 * Sets how wide the pupil's rim is: a source that is no point makes it soft. Half of it lies beyond
 * the pupil's radius, and the pupil may change there, too.
 */
void
prism_ptychography_frame_set_rim (PrismPtychographyFrame *self,
                                  double width)
{
  const int n = self->n;
  const double farthest = get_farthest (self->frames, width);

  self->rim = (float) width;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      self->mask[row * n + column] = hypot (column - n / 2, row - n / 2) <= farthest ? 1 : 0;
}

static float *
get_row (const PrismPtychographyFrame *self,
         float *plane,
         int row)
{
  return plane + 2 * ((gsize) row * self->n + self->first);
}

static float *
get_scratch (const PrismPtychographyFrame *self,
             guint worker)
{
  return self->scratch + count_scratch (self->n) * worker;
}

/* What a row is mixed of: of the pupil, or the other way round of its step. */
static PrismCpuPtychographyMix
mix_row (const Job *job,
         float *plane,
         int row,
         gboolean back,
         guint worker)
{
  PrismPtychographyFrame *self = job->self;
  PrismCpuPtychographyMix mix
      = { .scratch = get_scratch (self, worker) };

  for (int i = 0; i < 4; i++)
    {
      const int from = back ? 3 - i : i;
      const int y = job->place.base[1] - 1 + from, x = job->place.base[0] - 1;

      mix.rows[i] = get_row (self, plane, back ? row - y : row + y) + 2 * (back ? -x - 3 : x);
      mix.down[i] = job->place.weights[1][from];
      mix.along[i] = job->place.weights[0][from];
    }
  return mix;
}

/* Rows of the pupil times the object. */
static void
pass_rows (gpointer data,
           guint chunk,
           guint worker)
{
  Job *job = data;
  PrismPtychographyFrame *self = job->self;
  const int n = self->n, end = self->first + self->length;
  const int first = self->first + (int) chunk * ROWS;

  self->largest[chunk][0] = self->largest[chunk][1] = 0;
  for (int row = first; row < MIN (first + ROWS, end); row++)
    {
      const PrismCpuPtychographyMix mix = mix_row (job, self->pupil, row, FALSE, worker);
      const float *object = job->window + 2 * ((gsize) row * self->side + self->first);
      float *wave = self->wave + 2 * (gsize) row * n;
      float *shifted = get_row (self, self->shifted, row);
      float *clear = self->clear + (gsize) row * n + self->first;
      float largest;

      self->kernels->fill_disk (clear, self->length,
                                (float) (self->first - n / 2 + job->place.back[0]),
                                (float) (row - n / 2 + job->place.back[1]),
                                (float) self->frames->radius, self->rim);
      largest = self->kernels->pass (&mix, clear, object, self->length, shifted,
                                     wave + 2 * self->first);
      self->largest[chunk][0] = MAX (self->largest[chunk][0], largest);
      if (!job->with_pupil)
        continue;
      largest = self->kernels->find_largest (object, self->length);
      self->largest[chunk][1] = MAX (self->largest[chunk][1], largest);
    }
}

/* Those of a block that the pupil has: there is nothing in the others. */
static int
get_column (const PrismPtychographyFrame *self,
            guint chunk)
{
  return self->first_column + (int) chunk * COLUMNS;
}

static void
form_columns (gpointer data,
              guint chunk,
              guint worker)
{
  Job *job = data;
  PrismPtychographyFrame *self = job->self;
  const int n = self->n, column = get_column (self, chunk);
  const int end = self->first + self->length, width = MIN (COLUMNS, n - column);

  for (int row = 0; row < n; row++)
    {
      float *at = self->wave + 2 * ((gsize) row * n + column);
      const int before = CLAMP (self->first - column, 0, width);
      const int after = CLAMP (end - column, 0, width);

      if (row < self->first || row >= end)
        memset (at, 0, sizeof (float) * 2 * width);
      memset (at, 0, sizeof (float) * 2 * before);
      memset (at + 2 * after, 0, sizeof (float) * 2 * (width - after));
    }
  prism_fft_plane_columns (self->transform, self->wave, column, FALSE, get_scratch (self, worker));
}

/* What of a block of rows the camera saw: [*from, *to) of the grid. */
static void
clip_rows (const PrismPtychographyFrame *self,
           guint chunk,
           int *from,
           int *to)
{
  const int border = self->frames->border;

  *from = MAX ((int) chunk * ROWS, border);
  *to = MAX (*from, MIN ((int) chunk * ROWS + ROWS, border + self->frames->side));
}

static const float *
get_seen (const Job *job,
          int row)
{
  const PrismPtychogram *frames = job->self->frames;

  return job->amplitudes + (gsize) (row - frames->border) * frames->side;
}

static void
form_rows (gpointer data,
           guint chunk,
           guint worker)
{
  Job *job = data;
  PrismPtychographyFrame *self = job->self;
  const int n = self->n, first = (int) chunk * ROWS, n_rows = MIN (ROWS, n - first);
  const int end = MIN (get_column (self, self->n_column_blocks), n);
  int from, to;

  for (int row = first; row < first + n_rows; row++)
    {
      float *at = self->wave + 2 * (gsize) row * n;

      memset (at, 0, sizeof (float) * 2 * self->first_column);
      memset (at + 2 * end, 0, sizeof (float) * 2 * (n - end));
    }
  prism_fft_plane_rows (self->transform, self->wave, first, n_rows, FALSE);
  clip_rows (self, chunk, &from, &to);
  self->sums[chunk][0] = self->sums[chunk][1] = 0;
  self->held_out[chunk] = (PrismHeldOut) { 0 };
  for (int row = from; row < to; row++)
    {
      const float *field = self->wave + 2 * ((gsize) row * n + self->frames->border);

      if (job->is_predicted)
        prism_held_out_add (&self->held_out[chunk], field, get_seen (job, row),
                            self->frames->side);
      else
        self->kernels->compare (field, get_seen (job, row), self->frames->side,
                                self->sums[chunk]);
    }
}

/* The difference from what the camera saw, and its transform; where nobody saw anything there is
 * none. */
static void
replace_rows (gpointer data,
              guint chunk,
              guint worker)
{
  Job *job = data;
  PrismPtychographyFrame *self = job->self;
  const int n = self->n, border = self->frames->border, side = self->frames->side;
  const int first = (int) chunk * ROWS, n_rows = MIN (ROWS, n - first);
  int from, to;

  clip_rows (self, chunk, &from, &to);
  for (int row = first; row < first + n_rows; row++)
    {
      float *at = self->wave + 2 * (gsize) row * n;

      if (row < from || row >= to)
        {
          memset (at, 0, sizeof (float) * 2 * n);
          continue;
        }
      memset (at, 0, sizeof (float) * 2 * border);
      memset (at + 2 * (border + side), 0, sizeof (float) * 2 * (n - border - side));
      self->kernels->replace (at + 2 * border, get_seen (job, row), side, job->gain,
                              job->floor);
    }
  prism_fft_plane_rows (self->transform, self->wave, first, n_rows, TRUE);
}

static void
return_columns (gpointer data,
                guint chunk,
                guint worker)
{
  const Job *job = data;
  PrismPtychographyFrame *self = job->self;

  prism_fft_plane_columns (self->transform, self->wave, get_column (self, chunk), TRUE,
                           get_scratch (self, worker));
}

static void
learn_rows (gpointer data,
            guint chunk,
            guint worker)
{
  Job *job = data;
  PrismPtychographyFrame *self = job->self;
  const int n = self->n, end = self->first + self->length;
  const int first = self->first + (int) chunk * ROWS;

  memset (self->forces[chunk], 0, sizeof self->forces[chunk]);
  if (job->with_fit)
    memset (&self->fits[chunk], 0, sizeof self->fits[chunk]);
  for (int row = first; row < MIN (first + ROWS, end); row++)
    {
      float *wave = self->wave + 2 * (gsize) row * n;
      const PrismCpuPtychographyRow what = {
        .n = self->length,
        .object = job->window + 2 * ((gsize) row * self->side + self->first),
        .pupil = get_row (self, self->shifted, row),
        .before = get_row (self, self->shifted, row - 1),
        .after = get_row (self, self->shifted, row + 1),
        .difference = wave + 2 * self->first,
        .clear = self->clear + (gsize) row * n + self->first,
        .pupil_step = job->with_pupil ? get_row (self, self->step, row) : NULL,
        .object_rate = job->object_rate,
        .pupil_rate = job->pupil_rate,
        .pupil_floor = job->pupil_floor,
      };

      if (job->with_fit)
        self->kernels->fit (&what, self->modes + (gsize) row * n + self->first, (gsize) n * n,
                            PRISM_PUPIL_N_MODES, self->fits[chunk].slopes,
                            self->fits[chunk].curvatures[0]);
      if (job->with_shift)
        self->kernels->push (&what, self->forces[chunk]);
      if (job->taught != NULL)
        prism_ptychography_sums_add_row (
            job->taught, job->window_start + (gsize) row * self->side + self->first, &what,
            self->squares + (gsize) row * n + self->first);
      else
        self->kernels->update (&what);
    }
}

/* Weights need no more than the nearest point. */
static void
gather_squares (const Job *job,
                int row)
{
  const PrismPtychographyFrame *self = job->self;
  const int first = self->first, y = (int) lrint (row - job->place.back[1]);
  const int x = (int) lrint (-job->place.back[0]), from = MAX (0, -x);

  if (y >= first && y < first + self->length)
    prism_ptychography_sums_add_squares (job->taught, (gsize) row * self->n + first + from,
                                         self->squares + (gsize) y * self->n + first + from + x,
                                         self->length - MAX (0, x) - from);
}

static void
gather_rows (gpointer data,
             guint chunk,
             guint worker)
{
  Job *job = data;
  PrismPtychographyFrame *self = job->self;
  const int end = self->first + self->length;
  const int first = self->first + (int) chunk * ROWS;

  for (int row = first; row < MIN (first + ROWS, end); row++)
    {
      const PrismCpuPtychographyMix mix = mix_row (job, self->step, row, TRUE, worker);
      float *to = job->taught != NULL ? job->taught->pupil : self->pupil;

      self->kernels->gather (&mix, self->mask + (gsize) row * self->n + self->first, self->length,
                             get_row (self, to, row));
      if (job->taught != NULL)
        gather_squares (job, row);
    }
}

static void
place_job (Job *job,
           const double place[2])
{
  PrismPtychographyFrame *self = job->self;
  const int corner = self->side / 2 - self->n / 2;

  prism_ptychography_place_init (&job->place, place);
  job->window_start = (gsize) ((gssize) (corner + job->place.whole[1]) * self->side + corner
                               + job->place.whole[0]);
  job->window = self->object + 2 * job->window_start;
}

/* The frame's field in wave; Σ|φ|² and Σ|φ|A in sums. */
static void
form (Job *job,
      double sums[2])
{
  PrismPtychographyFrame *self = job->self;

  prism_pool_run (self->pool, self->n_pupil_blocks, pass_rows, job);
  prism_pool_run (self->pool, self->n_column_blocks, form_columns, job);
  prism_pool_run (self->pool, self->n_blocks, form_rows, job);
  sums[0] = sums[1] = 0;
  for (guint i = 0; i < self->n_blocks; i++)
    {
      sums[0] += self->sums[i][0];
      sums[1] += self->sums[i][1];
    }
}

static void
find_largest (const PrismPtychographyFrame *self,
              float largest[2])
{
  largest[0] = largest[1] = 1e-30f;
  for (guint i = 0; i < self->n_pupil_blocks; i++)
    for (int k = 0; k < 2; k++)
      largest[k] = MAX (largest[k], self->largest[i][k]);
}

static void
collect (const PrismPtychographyFrame *self,
         const PrismPtychographyVisit *visit,
         PrismPtychographyLesson *lesson)
{
  const double n_points = (double) self->n * self->n;
  double forces[5] = { 0 };

  for (guint i = 0; i < self->n_pupil_blocks; i++)
    {
      for (int k = 0; k < 5; k++)
        forces[k] += self->forces[i][k];
      if (visit->fit != NULL)
        prism_aberration_fit_add (visit->fit, &self->fits[i], n_points);
    }
  lesson->shift[0] = lesson->shift[1] = 0;
  if (visit->wants_shift)
    prism_ptychography_place_find_shift (forces, n_points, lesson->shift);
}

/**
 * prism_ptychography_frame_visit:
 * @j: which frame
 * @place: of its pupil, pixels from the spectrum's centre
 * @visit: what is to change
 *
 * Compares one frame with what object and pupil predict, and changes both by what differs, or adds
 * that up.
 *
 * Returns: gain, misfit and shift of the frame, before the change
 */
PrismPtychographyLesson
prism_ptychography_frame_visit (PrismPtychographyFrame *self,
                                guint j,
                                const double place[2],
                                const PrismPtychographyVisit *visit)
{
  const double n_points = (double) self->n * self->n;
  Job job = {
    .self = self,
    .amplitudes = prism_ptychogram_get (self->frames, j),
    .with_pupil = visit->pupil_step > 0,
    .with_shift = visit->wants_shift,
    .with_fit = visit->fit != NULL,
    .taught = visit->sums,
  };
  PrismPtychographyLesson lesson;
  float largest[2];
  double sums[2];

  place_job (&job, place);
  form (&job, sums);
  lesson = prism_ptychography_make_lesson (self->frames, j, sums, visit->gain);

  find_largest (self, largest);
  job.gain = (float) lesson.gain;
  job.floor = (float) self->frames->floors[j];
  job.object_rate = (float) (visit->object_step / n_points / (double) largest[0]);
  job.pupil_rate = (float) (visit->pupil_step / n_points / sqrt ((double) largest[1]));
  job.pupil_floor = PUPIL_FLOOR * largest[1];
  prism_pool_run (self->pool, self->n_blocks, replace_rows, &job);
  prism_pool_run (self->pool, self->n_column_blocks, return_columns, &job);
  prism_pool_run (self->pool, self->n_pupil_blocks, learn_rows, &job);
  if (job.with_pupil)
    prism_pool_run (self->pool, self->n_pupil_blocks, gather_rows, &job);
  collect (self, visit, &lesson);
  return lesson;
}

/**
 * prism_ptychography_frame_compare:
 * @j: which frame
 * @place: of its pupil, pixels from the spectrum's centre
 * @field: (out) (nullable): what the camera would have seen, up to a factor (-1)^(row + column),
 *   a row of n points after the other; until the next call
 *
 * Compares what the camera saw, which is inside the border, with what it would have seen.
 *
 * Shape: field [q][n][2], of which q columns count.
 *
 * Returns: the sums of both
 */
PrismHeldOut
prism_ptychography_frame_compare (PrismPtychographyFrame *self,
                                  guint j,
                                  const double place[2],
                                  const float **field)
{
  const int border = self->frames->border;
  Job job = { .self = self,
              .amplitudes = prism_ptychogram_get (self->frames, j),
              .is_predicted = TRUE };
  PrismHeldOut sums = { 0 };
  double unused[2];

  place_job (&job, place);
  form (&job, unused);
  for (guint i = 0; i < self->n_blocks; i++)
    prism_held_out_join (&sums, &self->held_out[i]);
  if (field != NULL)
    *field = self->wave + 2 * ((gsize) border * self->n + border);
  return sums;
}

static int
reflect (int i,
         int n)
{
  i = i < 0 ? -i : i;
  return i >= n ? 2 * n - 2 - i : i;
}

/* The innermost frame is the object, without what the pupil does to its phases. */
static void
begin_object (PrismPtychographyFrame *self)
{
  const PrismPtychogram *frames = self->frames;
  const float *amplitudes = prism_ptychogram_get (frames, frames->order[0]);
  const int n = self->n, corner = self->side / 2 - n / 2;
  const float scale = 1.0f / ((float) n * n);

  memset (self->object, 0, sizeof (float) * 2 * self->side * self->side);
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      {
        const int y = reflect (row - frames->border, frames->side);
        const int x = reflect (column - frames->border, frames->side);
        const float value = MAX (amplitudes[y * frames->side + x], 0);
        float *at = self->wave + 2 * ((gsize) row * n + column);

        at[0] = (row + column) % 2 != 0 ? -value : value;
        at[1] = 0;
      }
  for (int first = 0; first < n; first += COLUMNS)
    prism_fft_plane_columns (self->transform, self->wave, first, TRUE, get_scratch (self, 0));
  for (int row = 0; row < n; row++)
    {
      const float *at = self->wave + 2 * (gsize) row * n;
      float *object = self->object + 2 * ((gsize) (corner + row) * self->side + corner);

      prism_fft_plane_rows (self->transform, self->wave, row, 1, TRUE);
      for (int column = 0; column < n; column++)
        {
          const float *p = self->pupil + 2 * ((gsize) row * n + column);

          object[2 * column] = scale * (p[0] * at[2 * column] + p[1] * at[2 * column + 1]);
          object[2 * column + 1] = scale * (p[0] * at[2 * column + 1] - p[1] * at[2 * column]);
        }
    }
}

/**
 * prism_ptychography_frame_set_aberrations:
 * @aberrations: (array fixed-size=8): radians
 *
 * Makes the pupil clear, as far out as frames see it.
 */
void
prism_ptychography_frame_set_aberrations (PrismPtychographyFrame *self,
                                          const double *aberrations)
{
  prism_pupil_make_phase (self->pupil, self->n, self->n / 2 - self->first + REACH,
                          self->frames->radius, aberrations);
}

/**
 * prism_ptychography_frame_begin:
 * @aberrations: (array fixed-size=8): radians
 *
 * Begins with a clear pupil, and with the innermost frame as object.
 */
void
prism_ptychography_frame_begin (PrismPtychographyFrame *self,
                                const double *aberrations)
{
  prism_ptychography_frame_set_aberrations (self, aberrations);
  begin_object (self);
}

/**
 * prism_ptychography_frame_begin_with:
 * @pupil: one that goes on beyond its rim
 *
 * Begins with a pupil, and with the innermost frame as object.
 *
 * Shape: pupil [n][n][2].
 */
void
prism_ptychography_frame_begin_with (PrismPtychographyFrame *self,
                                     const float *pupil)
{
  memcpy (self->pupil, pupil, sizeof *pupil * 2 * self->n * self->n);
  begin_object (self);
}
