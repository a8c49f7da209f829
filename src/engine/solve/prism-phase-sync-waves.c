#include "config.h"

#include "solve/prism-phase-sync-private.h"

#include "num/prism-tuning.h"

/* The waves behind many frames are moved together: by the device, or by the host's threads. What is
 * left doubtful gives its amplitude. Dimensions as in prism-phase-sync.h. */

/* Frames whose waves are moved together, and points of all of them. */
#define MOST_FRAMES 256
#define MOST_POINTS ((gsize) 1 << 23)

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
      const float *row = self->half + 2 * (gsize) ((ky + n) % n) * w;
      const float *mirrored = self->half + 2 * (gsize) ((n - ky) % n) * w;
      const guint8 *bits = mask->bits + (gsize) y * mask->width;

      for (int x = 0; x < mask->width; x++, box += 2)
        {
          const int kx = mask->x0 + x;
          const float *from = kx < 0 ? mirrored - 2 * kx : row + 2 * kx;

          box[0] = bits[x] ? scale * from[0] : 0.0f;
          box[1] = bits[x] ? scale * (kx < 0 ? -from[1] : from[1]) : 0.0f;
        }
    }
}

/* A frame whose wave is searched. */
typedef struct
{
  guint number;
  const float *low_passed; /* [q][q] */
  const float *amplitude;  /* [p][p], with noise [q][q] */
  float *start;            /* [H][W][2] of this attempt */
  double energy;
  double least; /* misfit of the best attempt */
  gboolean has_guess;
} Wave;

typedef struct
{
  PrismPhaseSync *alignment;
  guint n;
  Wave *waves;        /* [n] */
  float *low_passed;  /* [n][q][q] */
  float *amplitudes;  /* [n][p][p]; with noise NULL */
  float *starts;      /* all [H][W][2] */
  PrismWaveJob *jobs; /* [n] */
  Wave **moved;       /* [n] whose jobs these are */
  guint n_jobs;
  PrismWaveMove move; /* of all of them */
  guint first;        /* that points were read for */
  guint attempt;
} Batch;

static void
batch_clear (Batch *self)
{
  prism_arena_free_array (self->low_passed);
  prism_arena_free_array (self->amplitudes);
  prism_arena_free_array (self->starts);
  g_free (self->waves);
  g_free (self->jobs);
  g_free (self->moved);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Batch, batch_clear)

/* The host takes so few that a pause does not wait. */
static guint
choose_n_frames (PrismPhaseSync *self)
{
  const gsize q = self->side, p = self->has_noise ? 0 : self->read_side;
  const gsize most = self->backend->ops->move_waves == NULL ? self->n_at_once
                                                            : MOST_POINTS / (q * q + p * p);

  return (guint) MIN (CLAMP (most, 1, MOST_FRAMES), self->n_samples - self->n_retrieved);
}

/* Random starts of the waves that are searched next, at most. */
static guint
count_starts (const PrismPhaseSync *self)
{
  return self->has_noise && !self->looks_again ? self->n_wave_starts / 2 : self->n_wave_starts;
}

/* A wave that was found stays when others are searched again. */
static gboolean
wants_wave (const PrismPhaseSync *self,
            const PrismPhaseSyncFrame *frame)
{
  return frame->mask->height > 0
         && (self->has_noise ? !self->looks_again || frame->is_doubtful
                             : !(frame->misfit <= PRISM_WAVE_FOUND));
}

static gboolean
allocate (Batch *self,
          PrismPhaseSync *alignment,
          guint n,
          GError **error)
{
  const gsize q = alignment->side, p = alignment->read_side;
  gsize n_numbers = 1, place = 0;

  self->alignment = alignment;
  self->waves = g_new0 (Wave, n);
  self->jobs = g_new0 (PrismWaveJob, n);
  self->moved = g_new0 (Wave *, n);
  for (guint i = alignment->n_retrieved; i < alignment->n_retrieved + n; i++)
    if (wants_wave (alignment, &alignment->frames[i]))
      {
        n_numbers += 2 * prism_mask_count_box (alignment->frames[i].mask);
        self->waves[self->n++].number = i;
      }
  self->low_passed = prism_arena_new_array (n * q * q * sizeof (float), "frames", error);
  if (self->low_passed != NULL)
    self->starts = prism_arena_new_array (n_numbers * sizeof (float), "frames", error);
  if (self->starts != NULL && !alignment->has_noise)
    self->amplitudes = prism_arena_new_array (n * p * p * sizeof (float), "frames", error);
  if (self->starts == NULL || (self->amplitudes == NULL && !alignment->has_noise))
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    {
      Wave *wave = &self->waves[i];

      wave->start = self->starts + place;
      wave->low_passed = self->low_passed + i * q * q;
      wave->amplitude = self->amplitudes != NULL ? self->amplitudes + i * p * p : wave->low_passed;
      place += 2 * prism_mask_count_box (alignment->frames[wave->number].mask);
    }
  return TRUE;
}

static void
prepare_wave (gpointer data,
              guint chunk,
              guint worker)
{
  Batch *self = data;
  PrismPhaseSync *alignment = self->alignment;
  const gsize q = alignment->side, n_points = (gsize) alignment->read_side * alignment->read_side;
  Wave *wave = &self->waves[self->first + chunk];
  PrismPhaseSyncFrame *frame = &alignment->frames[wave->number];
  const float *points = alignment->points + chunk * n_points;
  const gsize n_numbers = 2 * prism_mask_count_box (frame->mask);

  prism_phase_sync_gather (alignment, frame->mask, frame->given);
  prism_wave_low_pass (&alignment->works[worker].points, &alignment->works[worker].few, points,
                       (float *) wave->low_passed);
  if (self->amplitudes != NULL)
    memcpy ((float *) wave->amplitude, points, n_points * sizeof (float));
  wave->energy
      = prism_wave_sum_squares (wave->amplitude, alignment->has_noise ? q * q : n_points);
  wave->least = wave->energy > 0.0 ? INFINITY : 0.0;
  wave->has_guess = prism_wave_sum_squares (frame->given, n_numbers) > 0.0;
  memset (frame->box, 0, n_numbers * sizeof (float));
}

/* Every step-th pixel of a frame, its origin at [0][0], for boxes of the unitary spectrum. */
static gboolean
read_points (PrismPhaseSync *self,
             guint i,
             float *points,
             GError **error)
{
  const gsize side = self->read_side, shift = side / 2;
  const guint step = (guint) self->n / self->read_side;
  g_autoptr (PrismImage) image
      = prism_measurements_dup_points (self->measurements, self->backend, i, step, error);

  for (gsize y = 0; image != NULL && y < side; y++)
    for (gsize x = 0; x < side; x++)
      points[y * side + x]
          = step * image->pixels[(y + shift) % side * side + (x + shift) % side];
  return image != NULL;
}

/* Points of as many frames as there is room for, from first on. Returns how many. */
static guint
read_some (Batch *self,
           GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize n_points = (gsize) alignment->read_side * alignment->read_side;
  const guint n = MIN (alignment->n_at_once, self->n - self->first);

  for (guint i = 0; i < n; i++)
    if (!read_points (alignment, self->waves[self->first + i].number,
                      alignment->points + i * n_points, error))
      return 0;
  return n;
}

/* After the trials of all starts the best one goes on. */
static gboolean
goes_on (const Batch *self)
{
  return self->attempt > count_starts (self->alignment);
}

static void
draw_start (gpointer data,
            guint chunk,
            guint worker)
{
  Batch *self = data;
  const Wave *wave = self->moved[chunk];
  const PrismPhaseSyncFrame *frame = &self->alignment->frames[wave->number];

  (void) worker;
  if (self->attempt == 0 || goes_on (self))
    memcpy (wave->start, self->attempt == 0 ? frame->given : frame->box,
            2 * prism_mask_count_box (frame->mask) * sizeof (float));
  else
    prism_wave_draw (frame->mask, wave->energy, self->alignment->seed, wave->number,
                     self->attempt - 1, wave->start);
}

static void
move_wave (gpointer data,
           guint chunk,
           guint worker)
{
  Batch *self = data;
  const PrismWaveMove *move = &self->move;
  const PrismPhaseSyncWork *work = &self->alignment->works[worker];
  const PrismWavePoints *points
      = move->side == self->alignment->side ? &work->few : &work->points;
  PrismWaveJob *job = &self->jobs[chunk];

  if (move->relaxation > 0.0f)
    prism_wave_search (points, job->mask, job->amplitude, move->n_passes, job->close, job->box);
  else
    job->misfit = prism_wave_descend (points, job->mask, job->amplitude, move->n_passes,
                                      job->close, job->box);
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
    if (!isfinite (self->jobs[i].misfit))
      return prism_phase_sync_refuse (error);
  return TRUE;
}

/* All waves of this attempt: on the points that are searched on, or on those of the amplitude. */
static gboolean
move_all (Batch *self,
          gboolean on_few,
          guint n_passes,
          double close,
          float relaxation,
          GError **error)
{
  const PrismPhaseSync *alignment = self->alignment;

  self->move = (PrismWaveMove) {
    .side = on_few || alignment->has_noise ? alignment->side : alignment->read_side,
    .n_passes = n_passes,
    .relaxation = relaxation,
  };
  for (guint i = 0; i < self->n_jobs; i++)
    {
      const Wave *wave = self->moved[i];

      self->jobs[i] = (PrismWaveJob) {
        .mask = alignment->frames[wave->number].mask,
        .amplitude = on_few ? wave->low_passed : wave->amplitude,
        .box = wave->start,
        .close = close * wave->energy,
      };
    }
  return move_waves (self, error);
}

/* Another start of all waves that have not been found. */
static gboolean
attempt (Batch *self,
         GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const float relaxation = (float) prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION);
  const guint n_descent
      = alignment->has_noise && !goes_on (self) ? PRISM_WAVE_TRIAL : PRISM_WAVE_PASSES;

  self->n_jobs = 0;
  for (guint i = 0; i < self->n; i++)
    if (self->waves[i].least > PRISM_WAVE_FOUND && (self->attempt > 0 || self->waves[i].has_guess))
      self->moved[self->n_jobs++] = &self->waves[i];
  if (self->n_jobs == 0)
    return TRUE;
  prism_pool_run (alignment->pool, self->n_jobs, draw_start, self);
  if ((!goes_on (self)
       && !move_all (self, TRUE, PRISM_WAVE_PASSES, PRISM_WAVE_SEARCH_CLOSE, relaxation, error))
      || (!alignment->has_noise
          && !move_all (self, TRUE, PRISM_WAVE_PASSES, PRISM_WAVE_FEW_CLOSE, 0.0f, error))
      || !move_all (self, FALSE, n_descent, PRISM_WAVE_DESCENT_CLOSE, 0.0f, error))
    return FALSE;
  for (guint i = 0; i < self->n_jobs; i++)
    {
      Wave *wave = self->moved[i];
      PrismPhaseSyncFrame *frame = &alignment->frames[wave->number];
      const double misfit = self->jobs[i].misfit / wave->energy;

      if (!(misfit < wave->least))
        continue;
      wave->least = misfit;
      memcpy (frame->box, wave->start, 2 * prism_mask_count_box (frame->mask) * sizeof (float));
    }
  return TRUE;
}

/* With noise the waves go on to all pixels. */
static gboolean
visit_wholes (Batch *self,
              GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize n_points = (gsize) alignment->read_side * alignment->read_side;
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
          const PrismPhaseSyncFrame *frame
              = &alignment->frames[self->waves[self->first + i].number];

          if (frame->is_doubtful)
            self->jobs[self->n_jobs++] = (PrismWaveJob) {
              .mask = frame->mask,
              .amplitude = alignment->points + i * n_points,
              .box = frame->box,
            };
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
  const gsize side = alignment->has_noise ? alignment->side : alignment->read_side;
  const gsize n_bytes = side * side * sizeof (float);

  for (guint i = 0; i < self->n; i++)
    {
      const Wave *wave = &self->waves[i];
      PrismPhaseSyncFrame *frame = &alignment->frames[wave->number];

      frame->misfit = wave->least;
      frame->is_doubtful = !(wave->least <= PRISM_WAVE_FOUND);
      g_clear_pointer (&frame->amplitude, prism_arena_free_array);
      if (frame->is_doubtful)
        frame->amplitude = prism_arena_new_array (n_bytes, "a frame", NULL);
      if (frame->amplitude != NULL)
        memcpy (frame->amplitude, wave->amplitude, n_bytes);
    }
}

/**
 * prism_phase_sync_retrieve_some:
 * @self: an alignment, with the half spectrum of its guess
 * @error: return location
 *
 * Searches the waves of the next frames, all together: from the guess's and from one random start
 * after the other, until one of them finds it. With noise, where the amplitude is of the points
 * that are searched on, none does: each has a trial, and the best one goes on.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: frames from n_retrieved on that were looked at; 0 where something failed
 */
guint
prism_phase_sync_retrieve_some (PrismPhaseSync *self,
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
