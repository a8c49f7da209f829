#include "config.h"

#include "solve/prism-phase-sync.h"

#include "base/prism-number.h"
#include "num/prism-tuning.h"
#include "profile/prism-profile.h"

#include <float.h>

/* The waves behind many frames are moved together: by the device, or by the host's threads. What is
 * left doubtful gives its amplitude. Dimensions as in prism-phase-sync.h. */

/* Frames whose waves are moved together, and points of all of them. */
#define MOST_FRAMES 256
#define MOST_POINTS ((gsize) 1 << 23)
/* With noise half of the starts are for all waves, and the whole number for those whose misfit is
 * above this, of the median: of 250 waves the right ones left 2 at most, wrong ones 2.2 to 15. */
#define LOST 2.5

/**
 * prism_phase_sync_get_place:
 * @pixel: of the object
 *
 * Returns: where it is in the plane
 */
gsize
prism_phase_sync_get_place (PrismPhaseSync *self,
                            gsize pixel)
{
  const gsize n = self->n, m = self->m, shift = n - m / 2;

  return (pixel / m + shift) % n * n + (pixel % m + shift) % n;
}

/* The object's row y in the plane: what is right of the origin, and what is left of it. */
static float *
get_row (PrismPhaseSync *self,
         gsize y,
         float **left)
{
  float *row = self->plane + prism_phase_sync_get_place (self, y * self->m + self->m / 2);

  *left = row + self->n - self->m / 2;
  return row;
}

/**
 * prism_phase_sync_transform:
 * @image: (array): of the object
 *
 * Makes the half spectrum of an image with nothing around it; n times the unitary one.
 *
 * Shape: @image [m][m].
 */
void
prism_phase_sync_transform (PrismPhaseSync *self,
                            const float *image)
{
  const gsize m = self->m, n_left = m / 2;

  memset (self->plane, 0, self->n * self->n * sizeof (float));
  for (gsize y = 0; y < m; y++, image += m)
    {
      float *left, *right = get_row (self, y, &left);

      memcpy (left, image, n_left * sizeof (float));
      memcpy (right, image + n_left, (m - n_left) * sizeof (float));
    }
  prism_fft_field_forward (self->fft, self->plane, self->half, (m + 1) / 2);
}

/**
 * prism_phase_sync_transform_back:
 * @scale: a factor
 * @image: (array) (out caller-allocates): the object's part of the plane, times @scale
 *
 * Goes the other way round.
 *
 * Shape: @image [m][m].
 */
void
prism_phase_sync_transform_back (PrismPhaseSync *self,
                                 float scale,
                                 float *image)
{
  const gsize m = self->m, n_left = m / 2;

  prism_fft_field_backward (self->fft, self->half, self->plane, (m + 1) / 2);
  for (gsize y = 0; y < m; y++, image += m)
    {
      float *left;
      const float *right = get_row (self, y, &left);

      for (gsize x = 0; x < n_left; x++)
        image[x] = scale * left[x];
      for (gsize x = n_left; x < m; x++)
        image[x] = scale * right[x - n_left];
    }
}

/**
 * prism_phase_sync_gather:
 * @self: an alignment, with a half spectrum
 * @mask: aperture
 * @box: (array) (out caller-allocates): the unitary spectrum behind it
 *
 * Shape: @box [H][W][2].
 * Thread: any.
 */
void
prism_phase_sync_gather (PrismPhaseSync *self,
                         const PrismMask *mask,
                         float *box)
{
  const int n = self->n, w = n / 2 + 1;
  const float scale = 1.0f / n;

  for (int y = 0; y < mask->height; y++)
    {
      const int ky = mask->y0 + y;
      const float *row = self->half + 2 * ((ky + n) % n) * w;
      const float *mirrored = self->half + 2 * ((n - ky) % n) * w;
      const guint8 *bits = mask->bits + y * mask->width;

      for (int x = 0; x < mask->width; x++, box += 2)
        {
          const int kx = mask->x0 + x;
          const float *from = kx < 0 ? mirrored - 2 * kx : row + 2 * kx;

          box[0] = bits[x] ? scale * from[0] : 0.0f;
          box[1] = bits[x] ? scale * (kx < 0 ? -from[1] : from[1]) : 0.0f;
        }
    }
}

/* Frames whose waves are searched together. */
typedef struct
{
  PrismPhaseSync *alignment;
  PrismPhaseSyncFrame **frames; /* [n] */
  guint n;
  PrismPhaseSyncFrame **moved; /* [n_jobs] of them, whose jobs these are */
  PrismWaveJob *jobs;          /* [n_jobs] */
  guint n_jobs;
  PrismWaveMove move; /* of all of them */
  float *numbers;     /* what the frames have of them for the search */
  guint first;        /* that points were read for */
  guint attempt;
} Batch;

static void
batch_clear (Batch *self)
{
  prism_arena_free_array (self->numbers);
  g_free (self->frames);
  g_free (self->moved);
  g_free (self->jobs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

static gsize
count_numbers (const PrismPhaseSyncFrame *frame)
{
  return 2 * prism_mask_count_box (frame->mask);
}

/* The host takes so few that a pause does not wait. */
static guint
choose_n_frames (PrismPhaseSync *self)
{
  const gsize q = self->side;
  const gsize most
      = self->backend->ops->move_waves == NULL ? self->n_at_once : MOST_POINTS / (q * q);

  return MIN (CLAMP (most, 1, MOST_FRAMES), self->n_samples - self->n_retrieved);
}

/* Random starts of the waves that are searched next, at most. */
static guint
count_starts (const PrismPhaseSync *self)
{
  const guint most = prism_tuning_get_count (PRISM_TUNING_FIELD_STARTS);

  return self->has_noise && !self->looks_again ? most / 2 : most;
}

/* A wave that was found stays when others are searched again. */
static gboolean
wants_wave (const PrismPhaseSync *self,
            const PrismPhaseSyncFrame *frame)
{
  return frame->mask->height > 0 && (!self->looks_again || frame->is_doubtful);
}

static gboolean
allocate (Batch *self,
          PrismPhaseSync *alignment,
          guint n,
          GError **error)
{
  const gsize few = alignment->side * alignment->side;
  float *numbers;

  self->alignment = alignment;
  self->frames = g_new0 (PrismPhaseSyncFrame *, n);
  self->moved = g_new0 (PrismPhaseSyncFrame *, n);
  self->jobs = g_new0 (PrismWaveJob, n);
  for (guint i = alignment->n_retrieved; i < alignment->n_retrieved + n; i++)
    if (wants_wave (alignment, &alignment->frames[i]))
      self->frames[self->n++] = &alignment->frames[i];
  numbers = self->numbers = prism_arena_new_array (
      MAX (self->n, 1) * few * sizeof (float), "frames", error);
  if (numbers == NULL)
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    self->frames[i]->low_passed = numbers + i * few;
  return TRUE;
}

static void
prepare_wave (gpointer data,
              guint chunk,
              guint worker)
{
  Batch *self = data;
  PrismPhaseSync *alignment = self->alignment;
  const gsize q = alignment->side, n_points = alignment->read_side * alignment->read_side;
  PrismPhaseSyncFrame *frame = self->frames[self->first + chunk];
  const float *points = alignment->points + chunk * n_points;
  PrismNoiseEstimate estimate;

  prism_phase_sync_gather (alignment, frame->mask, frame->given);
  if (alignment->has_noise)
    prism_wave_low_pass (&alignment->works[worker].points, &alignment->works[worker].few, points,
                         frame->low_passed);
  else
    memcpy (frame->low_passed, points, n_points * sizeof (float));
  frame->sum = prism_wave_sum_squares (frame->low_passed, q * q);
  frame->misfit = frame->sum > 0.0 ? INFINITY : 0.0;
  prism_noise_estimate_init (&estimate, &alignment->measurements->noise, points, n_points);
  frame->noise = estimate.misfit / MAX (frame->sum, DBL_MIN);
  memset (frame->box, 0, count_numbers (frame) * sizeof (float));
}

/* Points of as many frames as there is room for, from first on: every step-th pixel, its origin at
 * [0][0], for boxes of the unitary spectrum. Returns how many. */
static guint
read_some (Batch *self,
           GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize side = alignment->read_side, shift = side / 2;
  const guint step = alignment->n / alignment->read_side;
  const guint n = MIN (alignment->n_at_once, self->n - self->first);
  float *points = alignment->points;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (PrismImage) image = prism_measurements_dup_points (
          alignment->measurements, alignment->backend,
          self->frames[self->first + i] - alignment->frames, step, error);

      if (image == NULL)
        return 0;
      for (gsize y = 0; y < side; y++)
        for (gsize x = 0; x < side; x++)
          *points++ = step * image->pixels[(y + shift) % side * side + (x + shift) % side];
    }
  return n;
}

/* After the trials of all starts the best one goes on. */
static gboolean
goes_on (const Batch *self)
{
  return self->attempt > count_starts (self->alignment);
}

static void
move_wave (gpointer data,
           guint chunk,
           guint worker)
{
  Batch *self = data;
  const PrismPhaseSyncWork *work = &self->alignment->works[worker];

  prism_wave_move (self->move.side == self->alignment->side ? &work->few : &work->points,
                   &self->move, &self->jobs[chunk]);
}

/* The host does what the device has no room for. */
static gboolean
move_waves (Batch *self,
            GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const PrismBackendOps *ops = alignment->backend->ops;
  const gboolean can
      = ops->move_waves != NULL
        && ops->move_waves (alignment->backend, &self->move, self->jobs, self->n_jobs);

  if (!ops->finish (alignment->backend, error))
    return FALSE;
  if (!can)
    prism_pool_run (alignment->pool, self->n_jobs, move_wave, self);
  for (guint i = 0; i < self->n_jobs; i++)
    if (!prism_backend_check_finite (isfinite (self->jobs[i].misfit), error))
      return FALSE;
  return TRUE;
}

/* All waves of this attempt. */
static gboolean
move_all (Batch *self,
          guint n_passes,
          double close,
          float relaxation,
          GError **error)
{
  self->move = (PrismWaveMove) {
    .side = self->alignment->side,
    .n_passes = n_passes,
    .relaxation = relaxation,
  };
  for (guint i = 0; i < self->n_jobs; i++)
    {
      const PrismPhaseSyncFrame *frame = self->moved[i];

      self->jobs[i] = (PrismWaveJob) { frame->mask, frame->low_passed, frame->given,
                                       close * frame->sum };
    }
  return move_waves (self, error);
}

/* Another start of all waves that have not been found. */
static gboolean
attempt (Batch *self,
         GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const float relaxation = prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION);
  const guint n_descent
      = alignment->has_noise && !goes_on (self) ? PRISM_WAVE_TRIAL : PRISM_WAVE_PASSES;

  self->n_jobs = 0;
  for (guint i = 0; i < self->n; i++)
    {
      PrismPhaseSyncFrame *frame = self->frames[i];

      if (!(frame->misfit > PRISM_WAVE_FOUND)
          || (self->attempt == 0
              && !(prism_wave_sum_squares (frame->given, count_numbers (frame)) > 0.0)))
        continue;
      self->moved[self->n_jobs++] = frame;
      if (goes_on (self))
        memcpy (frame->given, frame->box, count_numbers (frame) * sizeof (float));
      else if (self->attempt > 0) /* the first is the guess's */
        prism_wave_draw (frame->mask, frame->sum, alignment->seed, frame - alignment->frames,
                         self->attempt - 1, frame->given);
    }
  if (self->n_jobs == 0)
    return TRUE;
  if ((!goes_on (self)
       && !move_all (self, PRISM_WAVE_PASSES, PRISM_WAVE_SEARCH_CLOSE, relaxation, error))
      || !move_all (self, n_descent, PRISM_WAVE_DESCENT_CLOSE, 0.0f, error))
    return FALSE;
  for (guint i = 0; i < self->n_jobs; i++)
    {
      PrismPhaseSyncFrame *frame = self->moved[i];
      const double misfit = self->jobs[i].misfit / frame->sum;

      if (!(misfit < frame->misfit))
        continue;
      frame->misfit = misfit;
      memcpy (frame->box, frame->given, count_numbers (frame) * sizeof (float));
    }
  return TRUE;
}

/* With noise the waves go on to all pixels. */
static gboolean
visit_wholes (Batch *self,
              GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize n_points = alignment->read_side * alignment->read_side;
  guint n;

  self->move = (PrismWaveMove) {
    .side = alignment->read_side,
    .n_passes = prism_tuning_get_count (PRISM_TUNING_FIELD_WHOLE),
  };
  for (self->first = 0; self->first < self->n; self->first += n)
    {
      n = read_some (self, error);
      if (n == 0)
        return FALSE;
      self->n_jobs = 0;
      for (guint i = 0; i < n; i++)
        {
          const PrismPhaseSyncFrame *frame = self->frames[self->first + i];

          if (frame->is_doubtful)
            self->jobs[self->n_jobs++]
                = (PrismWaveJob) { frame->mask, alignment->points + i * n_points, frame->box };
        }
      if (self->n_jobs > 0 && !move_waves (self, error))
        return FALSE;
    }
  return TRUE;
}

/* What the frames keep of it: one that is doubtful gives its amplitude instead. */
static void
keep_waves (Batch *self)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize n_bytes = alignment->side * alignment->side * sizeof (float);

  for (guint i = 0; i < self->n; i++)
    {
      PrismPhaseSyncFrame *frame = self->frames[i];

      frame->is_doubtful = !(frame->misfit <= PRISM_WAVE_FOUND);
      g_clear_pointer (&frame->amplitude, prism_arena_free_array);
      if (frame->is_doubtful)
        frame->amplitude = prism_arena_new_array (n_bytes, "a frame", NULL);
      if (frame->amplitude != NULL)
        memcpy (frame->amplitude, frame->low_passed, n_bytes);
    }
}

/* The waves of the next frames, all together: from the guess's and from one random start after the
 * other, until one of them finds it. With noise none does: each has a trial, and the best one goes
 * on. Returns frames that were looked at; 0 where something failed. */
static guint
retrieve_some (PrismPhaseSync *self,
               GError **error)
{
  g_auto (Batch) batch = { NULL };
  const guint n_frames = choose_n_frames (self);
  const guint n_attempts = count_starts (self) + (self->has_noise ? 1 : 0);
  guint n_read;

  if (!allocate (&batch, self, n_frames, error))
    return 0;
  for (batch.first = 0; batch.first < batch.n; batch.first += n_read)
    {
      n_read = read_some (&batch, error);
      if (n_read == 0)
        return 0;
      prism_pool_run (self->pool, n_read, prepare_wave, &batch);
    }
  for (batch.attempt = 0; batch.attempt <= n_attempts; batch.attempt++)
    if (!attempt (&batch, error))
      return 0;
  keep_waves (&batch);
  return !self->has_noise || visit_wholes (&batch, error) ? n_frames : 0;
}

/* With noise only the others say what a frame may be left with, as a multiple of its own noise. Of
 * the light that is five times as much in one frame as in another, which hides a wrong wave. Where
 * the noise of bright parts reaches dark ones, waves are worse, and so is this multiple. */
static double
get_excess (const PrismPhaseSyncFrame *frame)
{
  return frame->misfit / MAX (frame->noise, DBL_MIN);
}

static void
choose_doubtful (PrismPhaseSync *self,
                 double doubt)
{
  g_autofree double *misfits = g_new (double, self->n_samples);
  double most;

  for (guint i = 0; i < self->n_samples; i++)
    misfits[i] = get_excess (&self->frames[i]);
  prism_sort_doubles (misfits, self->n_samples);
  most = doubt * misfits[self->n_samples / 2];
  PRISM_PHASE_SYNC_EACH (frame, self)
  frame->is_doubtful = get_excess (frame) > most;
}

/**
 * prism_phase_sync_retrieve:
 * @self: an alignment that was begun
 * @control: asked between some frames and the next
 * @error: return location
 *
 * Searches the waves that are not there.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether all are
 */
gboolean
prism_phase_sync_retrieve (PrismPhaseSync *self,
                           PrismControl *control,
                           GError **error)
{
  while (self->n_retrieved < self->n_samples)
    {
      guint n;

      if (!prism_control_yield (control))
        return FALSE;
      PRISM_PROFILE (PRISM_STAGE_FIELDS);
      prism_phase_sync_transform (self, self->guess);
      n = retrieve_some (self, error);
      if (n == 0)
        return FALSE;
      self->n_retrieved += n;
      control->n_frames += n;
      if (self->n_retrieved == self->n_samples && self->has_noise && !self->looks_again)
        {
          choose_doubtful (self, LOST);
          self->looks_again = TRUE;
          self->n_retrieved = 0;
        }
    }
  if (self->has_noise)
    choose_doubtful (self, self->doubt);
  return TRUE;
}
