#include "config.h"

#include "solve/prism-phase-sync-private.h"

#include "base/prism-error.h"
#include "base/prism-number.h"
#include "num/prism-tuning.h"

/* An alignment on a device with memory of its own: the waves of many frames are moved together, and
 * passes of a search or of a fill go on from the device's copies. The host has the state at the
 * end, when somebody wants to save it, and now and then, so that a device that fails takes some
 * passes with it, which the host does again. Dimensions as in the header. */

/* Frames whose waves are moved together, and points of all of them. */
#define MOST_FRAMES 256
#define MOST_POINTS ((gsize) 1 << 23)
#define PASSES_TO_KEEP 100 /* until the state is fetched */
enum
{
  N_PLANES = 4
};

static gboolean
refuse (GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "The device returned numbers of the search for phases that are not finite.");
  return FALSE;
}

/* ---- Waves ---- */

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
  guint first; /* that points were read for */
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

static guint
choose_n_frames (PrismPhaseSync *self)
{
  const gsize q = self->side, p = self->has_noise ? 0 : self->read_side;
  const gsize most = MAX (MOST_POINTS / (q * q + p * p), 1);

  return (guint) MIN (MIN (most, MOST_FRAMES), self->n_samples - self->n_retrieved);
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
    if (prism_phase_sync_wants_wave (alignment, &alignment->frames[i]))
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

/* Points of as many frames as there is room for, from first on. Returns how many. */
static guint
read_some (Batch *self,
           GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize n_points = (gsize) alignment->read_side * alignment->read_side;
  const guint n = MIN (alignment->n_at_once, self->n - self->first);

  for (guint i = 0; i < n; i++)
    if (!prism_phase_sync_read_points (alignment, self->waves[self->first + i].number,
                                       alignment->points + i * n_points, error))
      return 0;
  return n;
}

/* After the trials of all starts the best one goes on. */
static gboolean
goes_on (const Batch *self)
{
  return self->attempt > prism_phase_sync_count_starts (self->alignment);
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

/* can: whether the device could; the jobs' misfits are finite. */
static gboolean
move_waves (PrismPhaseSync *self,
            const PrismWaveMove *move,
            PrismWaveJob *jobs,
            guint n_jobs,
            gboolean *can,
            GError **error)
{
  *can = self->backend->ops->move_waves (self->backend, move, jobs, n_jobs);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  for (guint i = 0; i < n_jobs && *can; i++)
    if (!isfinite (jobs[i].misfit))
      return refuse (error);
  return TRUE;
}

/* All waves of this attempt: on the points that are searched on, or on those of the amplitude. */
static gboolean
move_all (Batch *self,
          gboolean on_few,
          guint n_passes,
          double close,
          float relaxation,
          gboolean *can,
          GError **error)
{
  const PrismPhaseSync *alignment = self->alignment;
  const PrismWaveMove move
      = { .side = on_few || alignment->has_noise ? alignment->side : alignment->read_side,
          .n_passes = n_passes,
          .relaxation = relaxation };

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
  return move_waves (self->alignment, &move, self->jobs, self->n_jobs, can, error);
}

/* As prism_wave_retrieve() goes on, for all frames that have not been found. */
static gboolean
attempt (Batch *self,
         gboolean *can,
         GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const float relaxation = (float) prism_tuning_get (PRISM_TUNING_FIELD_RELAXATION);
  const guint n_descent
      = alignment->has_noise && !goes_on (self) ? PRISM_WAVE_TRIAL : PRISM_WAVE_DESCENT;

  self->n_jobs = 0;
  for (guint i = 0; i < self->n; i++)
    if (self->waves[i].least > PRISM_WAVE_FOUND && (self->attempt > 0 || self->waves[i].has_guess))
      self->moved[self->n_jobs++] = &self->waves[i];
  if (self->n_jobs == 0)
    return TRUE;
  prism_pool_run (alignment->pool, self->n_jobs, draw_start, self);
  if (!goes_on (self)
      && !move_all (self, TRUE, PRISM_WAVE_SEARCH, PRISM_WAVE_SEARCH_CLOSE, relaxation, can, error))
    return FALSE;
  if (*can && !alignment->has_noise
      && !move_all (self, TRUE, PRISM_WAVE_DESCENT, PRISM_WAVE_FEW_CLOSE, 0.0f, can, error))
    return FALSE;
  if (*can
      && !move_all (self, FALSE, n_descent, PRISM_WAVE_DESCENT_CLOSE, 0.0f, can, error))
    return FALSE;
  for (guint i = 0; i < self->n_jobs && *can; i++)
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

static void
descend_wave (gpointer data,
              guint chunk,
              guint worker)
{
  Batch *self = data;
  const PrismWaveJob *job = &self->jobs[chunk];

  prism_wave_descend (&self->alignment->works[worker].points, job->mask, job->amplitude,
                      prism_tuning_get_count (PRISM_TUNING_FIELD_WHOLE), 0.0, job->box);
}

/* With noise the waves go on to all pixels; where they are too many for the device on the host. */
static gboolean
visit_wholes (Batch *self,
              GError **error)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize n_points = (gsize) alignment->read_side * alignment->read_side;
  const PrismWaveMove move = { .side = alignment->read_side,
                               .n_passes = prism_tuning_get_count (PRISM_TUNING_FIELD_WHOLE) };
  guint n;

  for (self->first = 0; self->first < self->n; self->first += n)
    {
      gboolean can;

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
      if (self->n_jobs == 0)
        continue;
      if (!move_waves (alignment, &move, self->jobs, self->n_jobs, &can, error))
        return FALSE;
      if (!can)
        prism_pool_run (alignment->pool, self->n_jobs, descend_wave, self);
    }
  return TRUE;
}

/* What the frames keep of it. */
static void
keep_waves (Batch *self)
{
  PrismPhaseSync *alignment = self->alignment;
  const gsize side = alignment->has_noise ? alignment->side : alignment->read_side;
  const gsize n_bytes = side * side * sizeof (float);

  for (guint i = 0; i < self->n; i++)
    {
      const Wave *wave = &self->waves[i];

      prism_phase_sync_keep_wave (&alignment->frames[wave->number], wave->least, wave->amplitude,
                                  n_bytes);
    }
}

/**
 * prism_phase_sync_retrieve_on_device:
 * @self: an alignment, with the half spectrum of its guess
 * @n: (out): frames from n_retrieved on that were looked at; 0 where the host must do it
 * @error: return location
 *
 * Searches waves as prism_wave_retrieve() does, those of many frames together.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether nothing failed
 */
gboolean
prism_phase_sync_retrieve_on_device (PrismPhaseSync *self,
                                     guint *n,
                                     GError **error)
{
  g_auto (Batch) batch = { NULL };
  const guint n_frames = choose_n_frames (self);
  const guint n_attempts = prism_phase_sync_count_starts (self) + (self->has_noise ? 1 : 0);
  gboolean can = TRUE;
  guint n_read;

  *n = 0;
  if (self->backend->ops->move_waves == NULL || self->retrieves_on_host)
    return TRUE;
  if (!allocate (&batch, self, n_frames, error))
    return FALSE;
  for (batch.first = 0; batch.first < batch.n; batch.first += n_read)
    {
      n_read = read_some (&batch, error);
      if (n_read == 0)
        return FALSE;
      prism_pool_run (self->pool, n_read, prepare_wave, &batch);
    }
  for (batch.attempt = 0; batch.attempt <= n_attempts && can; batch.attempt++)
    if (!attempt (&batch, &can, error))
      return FALSE;
  self->retrieves_on_host = !can;
  if (!can)
    return TRUE;
  keep_waves (&batch);
  if (self->has_noise && !visit_wholes (&batch, error))
    return FALSE;
  *n = n_frames;
  return TRUE;
}

/* ---- Passes ---- */

static void
note_kept (PrismPhaseSync *self)
{
  self->n_ahead = 0;
  self->kept_iteration = self->iteration;
  self->kept_residual = self->residual;
  self->kept_momentum = self->momentum;
}

/**
 * prism_phase_sync_put:
 * @self: an alignment whose waves are there
 * @fill: whether a fill goes on, not a search
 *
 * Gives the device what it goes on from, unless it has it or cannot.
 */
void
prism_phase_sync_put (PrismPhaseSync *self,
                      gboolean fill)
{
  const PrismIterate planes = { .image = self->image,
                                .point = fill ? self->point : NULL,
                                .across = fill ? self->across : NULL,
                                .down = fill ? self->down : NULL };
  g_autofree PrismAlignedFrame *frames = NULL;
  PrismAlignedFrames all
      = { .n_frames = self->n_samples,
          .side = self->has_noise ? self->side : self->read_side,
          .has_noise = self->has_noise };

  if (self->backend->ops->take_frames == NULL || self->searches_on_host || self->is_put)
    return;
  frames = g_new0 (PrismAlignedFrame, self->n_samples);
  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismPhaseSyncFrame *frame = &self->frames[i];

      frames[i] = (PrismAlignedFrame) { .mask = frame->mask,
                                        .box = frame->box,
                                        .amplitude = frame->is_doubtful ? frame->amplitude : NULL,
                                        .has_twin = frame->has_twin };
    }
  all.frames = frames;
  self->searches_on_host = !self->backend->ops->take_frames (self->backend, &all);
  if (self->searches_on_host)
    return;
  self->backend->ops->put_aligned (self->backend, fill ? NULL : self->field, &planes);
  self->is_put = TRUE;
  self->is_filling = fill;
  note_kept (self);
}

/**
 * prism_phase_sync_fetch:
 * @self: an alignment between two passes
 * @error: return location
 *
 * Brings the state to the host; what was there stays until all of it has arrived.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the host has it
 */
gboolean
prism_phase_sync_fetch (PrismPhaseSync *self,
                        GError **error)
{
  const gsize n_pixels = (gsize) self->m * self->m, n_points = (gsize) self->n * self->n;
  /* The host's own passes leave nothing in these. */
  const PrismIterate arriving
      = { .image = self->plane, .point = self->half, .across = self->sum, .down = self->slope };
  float *from[N_PLANES] = { arriving.image, arriving.point, arriving.across, arriving.down };
  float *to[N_PLANES] = { self->image, self->point, self->across, self->down };
  const gsize n = self->is_filling ? n_pixels : n_points;
  const guint n_arrays = self->is_filling ? N_PLANES : 1;
  const PrismIterate none = { 0 };
  gboolean arrived;

  if (self->n_ahead == 0)
    return TRUE;
  if (!self->is_filling)
    to[0] = self->field;
  arrived = self->backend->ops->get_aligned (self->backend, self->is_filling ? NULL : from[0],
                                             self->is_filling ? &arriving : &none);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  for (guint i = 0; i < n_arrays && arrived; i++)
    arrived = prism_finite_all (from[i], n);
  if (!arrived)
    return refuse (error);
  for (guint i = 0; i < n_arrays; i++)
    memcpy (to[i], from[i], n * sizeof (float));
  note_kept (self);
  return TRUE;
}

/**
 * prism_phase_sync_leave:
 * @self: an alignment
 *
 * Lets go of what the device has of it.
 */
void
prism_phase_sync_leave (PrismPhaseSync *self)
{
  if (self->is_put)
    self->backend->ops->take_frames (self->backend, NULL);
  self->is_put = FALSE;
  self->n_ahead = 0;
}

/**
 * prism_phase_sync_move:
 * @self: an alignment whose device is given up
 * @backend: another one
 *
 * Goes on from what the host has: passes that the device was ahead by are owed.
 */
void
prism_phase_sync_move (PrismPhaseSync *self,
                       PrismBackend *backend)
{
  self->backend = backend;
  self->retrieves_on_host = self->searches_on_host = FALSE;
  self->is_put = FALSE;
  if (self->n_ahead == 0)
    return;
  self->n_owed += self->n_ahead;
  self->n_ahead = 0;
  self->iteration = self->kept_iteration;
  self->residual = self->kept_residual;
  self->momentum = self->kept_momentum;
}

static gboolean
fetch_in_time (PrismPhaseSync *self,
               GError **error)
{
  return self->n_ahead < PASSES_TO_KEEP || prism_phase_sync_fetch (self, error);
}

/**
 * prism_phase_sync_search_on_device:
 * @self: an alignment that was put
 * @n: (out): passes that were done
 * @error: return location
 *
 * Does passes of a search until its residual is due, which is then that of the image.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the device has done them
 */
gboolean
prism_phase_sync_search_on_device (PrismPhaseSync *self,
                                   guint *n,
                                   GError **error)
{
  const PrismIterate wanted = { .image = self->slope };
  double residual;
  gboolean arrived;

  if (!fetch_in_time (self, error))
    return FALSE;
  *n = MIN (PRISM_PHASE_SYNC_EVERY - self->iteration % PRISM_PHASE_SYNC_EVERY,
            self->n_most - self->iteration);
  residual = self->backend->ops->search (self->backend, *n, (float) self->relaxation);
  arrived = self->backend->ops->get_aligned (self->backend, NULL, &wanted);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (!arrived || !isfinite (residual))
    return refuse (error);
  memcpy (self->image, self->slope, (gsize) self->m * self->m * sizeof (float));
  self->iteration += *n;
  self->n_ahead += *n;
  self->residual = residual;
  return TRUE;
}

/**
 * prism_phase_sync_fill_on_device:
 * @self: an alignment that was put
 * @step: of the longest safe one
 * @strength: of the total variation
 * @next: t of Nesterov's sequence after the pass
 * @error: return location
 *
 * Does a pass of the fill.
 *
 * Errors: PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the device has done it
 */
gboolean
prism_phase_sync_fill_on_device (PrismPhaseSync *self,
                                 float step,
                                 float strength,
                                 double next,
                                 GError **error)
{
  const PrismFillPass pass = { .step = step,
                               .strength = strength,
                               .inertia = (float) ((self->momentum - 1.0) / next) };
  gboolean uphill, moved;

  if (!fetch_in_time (self, error))
    return FALSE;
  moved = self->backend->ops->fill (self->backend, &pass, &uphill);
  if (!moved)
    return self->backend->ops->finish (self->backend, error) && refuse (error);
  self->momentum = uphill ? 1.0 : next;
  self->n_ahead++;
  return TRUE;
}
