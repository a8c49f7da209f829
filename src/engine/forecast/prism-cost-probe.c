#include "config.h"

#include "forecast/prism-cost-probe.h"

#include "base/prism-arena.h"
#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-pool.h"
#include "base/prism-system.h"
#include "device/prism-device.h"
#include "measure/prism-measurements.h"
#include "model/prism-object.h"
#include "model/prism-pattern.h"
#include "num/prism-metrics.h"
#include "solve/prism-phase-sync.h"
#include "solve/prism-descent.h"
#include "solve/prism-goodness.h"
#include "solve/prism-solver.h"
#include "trainer/prism-trainer.h"

/* Dimensions of this file: m = object_size, K = measurements of the trial. */

/* Measurements of a trial. Of small frames there are more: a run has more of them than fit into the
 * processor's cache. */
#define LEAST 16
#define MOST 64
#define PIXELS (1 << 23)
#define FEWER 4 /* times; two numbers tell what a pass costs from what each measurement does */
#define LEAST_REPEATS 5
#define MOST_REPEATS 24
#define ENOUGH 0.2      /* s, after which nothing is repeated more often than LEAST_REPEATS */
#define STEPS 5         /* of a sample of the decoder */
#define STARTS 4        /* steps of the start phase */
#define PLACE 0         /* of the copies on a device */
#define FIELDS 32       /* that a device moves together, */
#define FIELD_PASSES 16 /* so many iterations */

/* The measurements that take part in some timings, and what those said. Two parts would quarrel
 * over the device's slots: there is one at a time. */
typedef struct
{
  guint n; /* K */
  PrismScene *scene;
  PrismMeasurements *measurements;
  double brief_pass; /* s, over all of them, as the others */
  double pass;
  double search;
} Part;

typedef struct
{
  PrismConfig *config;
  GCancellable *cancellable; /* (nullable) */
  PrismDevice device;
  PrismCache *cache;
  PrismImage *object; /* [m][m] */
  PrismPattern *pattern;
  PrismCosts *costs;
} Trial;

PRISM_CLEAR (Part, part_clear, prism_measurements_free, measurements, prism_scene_unref, scene)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Part, part_clear)

static void
close_device (Trial *self)
{
  if (self->cache != NULL)
    prism_device_close (&self->device, self->cache);
  g_clear_pointer (&self->device.reason, g_free);
  g_clear_pointer (&self->cache, prism_cache_free);
}

static void
trial_clear (Trial *self)
{
  close_device (self);
  g_clear_pointer (&self->object, prism_image_unref);
  g_clear_pointer (&self->pattern, prism_pattern_unref);
  g_clear_pointer (&self->config, prism_config_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Trial, trial_clear)

/* Positions from all over the pattern: those at the edge of the field see less. */
static gboolean
part_init (Part *self,
           Trial *trial,
           guint n,
           GError **error)
{
  PrismBackend *backend = trial->device.backend;
  g_autofree PrismPoint *points = NULL;
  g_autoptr (PrismPattern) pattern = NULL;

  self->n = n;
  points = g_new (PrismPoint, self->n);
  for (guint i = 0; i < self->n; i++)
    points[i] = trial->pattern->points[(guint64) i * trial->pattern->n_points / self->n];
  pattern = prism_pattern_new_points (points, self->n);
  self->scene = prism_scene_new_simulated (trial->object, pattern, 1);
  if (!prism_scene_show (self->scene, backend, error))
    return FALSE;
  self->measurements = prism_measurements_new (trial->config, backend, trial->cache, self->scene);
  if (self->measurements == NULL)
    prism_error_memory (error, "Not enough memory for the apertures.");
  return self->measurements != NULL;
}

static guint
count_samples (const Trial *self)
{
  const guint n = (guint) self->config->image_size;

  return MIN (CLAMP (PIXELS / (n * n), LEAST, MOST), self->pattern->n_points);
}

static gboolean
goes_on (Trial *self,
         GError **error)
{
  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

/* A moment by the clock and by what the process had of the processors. */
typedef struct
{
  double seconds;
  double processor;
} Since;

/* Times of the same piece. */
typedef struct
{
  double seconds[MOST_REPEATS];
  double processor[MOST_REPEATS];
  guint n;
  double began; /* the first of them */
} Timing;

static Since
get_now (void)
{
  return (Since) { prism_clock_get_seconds (), prism_clock_get_processor_seconds () };
}

static void
note (Timing *self,
      Since since,
      guint n_pieces)
{
  const Since now = get_now ();

  if (self->n >= MOST_REPEATS)
    return;
  self->seconds[self->n] = (now.seconds - since.seconds) / n_pieces;
  self->processor[self->n++] = (now.processor - since.processor) / n_pieces;
}

/* The middle one. On the CPU other programs make pieces longer by the clock, but hardly by what
 * they have of the processors; how many of these the pieces keep busy shows where nobody was in the
 * way. */
static double
get_time (const Trial *self,
          Timing *timing)
{
  const gboolean is_host = !prism_backend_can_be_lost (self->device.backend->ops);
  double *const times = is_host ? timing->processor : timing->seconds;
  double most = 0.0;

  if (timing->n == 0)
    return 0.0;
  for (guint i = 0; i < timing->n; i++)
    most = MAX (most, timing->processor[i] / MAX (timing->seconds[i], G_MINDOUBLE));
  prism_sort_doubles (times, timing->n);
  return times[timing->n / 2] / (is_host ? MAX (most, 1.0) : 1.0);
}

static gboolean
wants_more (Timing *self)
{
  const double now = prism_clock_get_seconds ();

  if (self->n == 0)
    self->began = now;
  return self->n < LEAST_REPEATS || (self->n < MOST_REPEATS && now - self->began < ENOUGH);
}

/* A run takes its frames into memory that it never had. */
static gboolean
time_frames (Trial *self,
             const Part *part,
             GError **error)
{
  PrismBackend *backend = self->device.backend;
  Timing timing = { .n = 0 };
  const gsize n = (gsize) self->config->image_size;
  gpointer memory;

  /* Memory that this process does not have and the system has at hand, as it has while one run
   * follows the other. */
  prism_cache_clear (self->cache);
  memory = prism_arena_new_array (part->n * n * n * sizeof (float), "the frames", error);
  prism_arena_free_array (memory);
  prism_heap_give_back ();
  if (memory == NULL)
    return FALSE;
  for (guint i = 0; i < part->n; i++)
    {
      const Since since = get_now ();

      if (!goes_on (self, error)
          || !prism_measurements_acquire_points (part->measurements, i, error)
          || !backend->ops->finish (backend, error))
        return FALSE;
      note (&timing, since, 1);
    }
  self->costs->frame = get_time (self, &timing);
  return TRUE;
}

/* Of all of them together, as in a run: the first is no dearer there, either. */
static gboolean
time_judgement (Trial *self,
                const Part *part,
                GError **error)
{
  Timing timing = { .n = 0 };
  PrismVerdict verdict;
  Since since;

  prism_heap_give_back ();
  since = get_now ();

  if (!goes_on (self, error)
      || !prism_goodness_image (part->measurements,
                                self->object->pixels, &verdict, NULL, error))
    return FALSE;
  note (&timing, since, part->n);
  self->costs->judge = get_time (self, &timing);
  return TRUE;
}

static gboolean
take_pass (Trial *self,
           const Part *part,
           PrismDescent *descent,
           GError **error)
{
  PrismControl control = { 0 };

  prism_pace_init (&control.pace, part->n);
  return goes_on (self, error) && prism_descent_pass (descent, &control, error);
}

/* The first pass only warms up. */
static gboolean
time_pass (Trial *self,
           const Part *part,
           gboolean is_brief,
           double *seconds,
           GError **error)
{
  g_autoptr (PrismDescent) descent
      = prism_descent_new (self->device.backend, part->measurements, PLACE, error);
  Timing timing = { .n = 0 };

  if (descent == NULL)
    return FALSE;
  descent->samples_noise = is_brief;
  prism_descent_set_image (descent, self->object->pixels);
  descent->smoothness = self->config->smoothness;
  if (!prism_descent_add_samples (descent, part->n, error)
      || !prism_descent_set_exponent (descent, 1.0, error)
      || !take_pass (self, part, descent, error))
    return FALSE;
  while (wants_more (&timing))
    {
      const Since since = get_now ();

      prism_descent_look_at (descent, timing.n, FALSE);
      if (!take_pass (self, part, descent, error))
        return FALSE;
      note (&timing, since, 1);
    }
  *seconds = get_time (self, &timing);
  return TRUE;
}

/* The first visit of a frame makes ready what later ones find. */
static gboolean
time_epie (Trial *self,
           const Part *part,
           GError **error)
{
  const PrismSolverSpec spec = {
    .n_passes = LEAST_REPEATS + 1,
    .step_size = self->config->epie_step,
    .seed = 1,
    .start = prism_config_trains (self->config) ? self->object->pixels : NULL,
  };
  g_autoptr (PrismSolver) solver
      = prism_solver_new (&prism_epie_kind, self->device.backend, part->measurements, error);
  Timing first = { .n = 0 }, timing = { .n = 0 };
  PrismControl control = { .is_stepped = TRUE };

  prism_pace_init (&control.pace, part->n);
  if (solver == NULL || !prism_solver_begin (solver, &spec, error))
    return FALSE;
  while (!prism_solver_describe (solver).is_done)
    {
      const guint pass = prism_solver_describe (solver).pass;
      const Since since = get_now ();
      GError *cause = NULL;

      if (!goes_on (self, error))
        return FALSE;
      prism_control_begin (&control);
      solver->kind->run (solver, &control, &cause);
      if (cause != NULL)
        {
          g_propagate_error (error, cause);
          return FALSE;
        }
      if (control.n_frames > 0)
        note (pass > 0 ? &timing : &first, since, control.n_frames);
    }
  self->costs->epie_visit = get_time (self, &timing);
  self->costs->frame += MAX (get_time (self, &first) - self->costs->epie_visit, 0.0);
  return TRUE;
}

/* The same of many frames together. */
static void
time_fields_of_device (Trial *self,
                       const PrismWaveJob *job,
                       guint side)
{
  PrismBackend *backend = self->device.backend;
  const PrismWaveMove move = { .side = side, .n_passes = FIELD_PASSES };
  PrismWaveJob jobs[FIELDS];
  Timing timing = { .n = 0 };

  for (guint i = 0; i < FIELDS; i++)
    jobs[i] = *job;
  while (wants_more (&timing))
    {
      const Since since = get_now ();

      if (!backend->ops->move_waves (backend, &move, jobs, FIELDS)
          || !backend->ops->finish (backend, NULL))
        return;
      note (&timing, since, FIELDS * FIELD_PASSES);
    }
  self->costs->field = get_time (self, &timing);
}

/* One iteration on one frame, as the threads do them together: how many a frame needs depends on
 * what it shows. */
static void
time_field (Trial *self,
            const Part *part)
{
  PrismMask *mask = prism_measurements_get_mask (part->measurements, 0);
  const int n = self->config->image_size;
  const double radius = 0.5 * (MAX (mask->height, mask->width) - 1);
  const guint side = prism_measurements_choose_side (n, radius);
  g_autoptr (PrismFftSquare) fft = prism_fft_square_new ((int) side);
  g_autofree float *other = g_new0 (float, 2 * (gsize) side * side);
  g_autofree float *amplitude = g_new0 (float, (gsize) side *side);
  g_autofree float *box = g_new0 (float, 2 * prism_mask_count_box (mask) + 1);
  g_autofree float *buffer = g_malloc0 (PRISM_WAVE_BUFFER * sizeof (float) * side);
  const PrismWavePoints points = { fft, side, .other = other, .buffer = buffer };
  Timing timing = { .n = 0 };

  box[0] = 1.0f;
  self->costs->field = 0.0;
  if (self->device.backend->ops->move_waves != NULL && mask->height > 0)
    time_fields_of_device (self, &(PrismWaveJob) { mask, amplitude, box, -1.0, 0.0 }, side);
  if (self->costs->field > 0.0)
    return;
  while (mask->height > 0 && wants_more (&timing))
    {
      const Since since = get_now ();

      prism_wave_project (&points, &(PrismWaveJob) { mask, amplitude, box });
      note (&timing, since, 1);
    }
  self->costs->field
      = get_time (self, &timing) / prism_pool_count_threads ((guint) self->config->threads);
}

/* A pass takes as long without the waves. */
static gboolean
time_search (Trial *self,
             Part *part,
             GError **error)
{
  g_autoptr (PrismPhaseSync) alignment
      = prism_phase_sync_new (self->device.backend, part->measurements, 1, error);
  Timing search = { .n = 0 }, fill = { .n = 0 };
  PrismControl control = { .is_stepped = TRUE };
  guint pass = 0;

  if (alignment == NULL)
    return FALSE;
  prism_phase_sync_begin (alignment, 0, NULL);
  alignment->n_retrieved = alignment->n_samples;
  while (wants_more (&search) && goes_on (self, NULL))
    {
      const Since since = get_now ();
      const guint before = pass;

      prism_control_begin (&control);
      prism_phase_sync_search (alignment, &control, &pass, NULL);
      note (&search, since, MAX (pass - before, 1));
    }
  alignment->residual = 0.0;
  pass = 0;
  while (wants_more (&fill) && goes_on (self, NULL))
    {
      const Since since = get_now ();

      prism_control_begin (&control);
      prism_phase_sync_fill (alignment, &control, &pass, G_MAXUINT, 1.0, NULL);
      note (&fill, since, 1);
    }
  part->search = get_time (self, &search);
  self->costs->fill = get_time (self, &fill);
  time_field (self, part);
  return goes_on (self, error);
}

/* The steps of a chunk, if there was any. What the end of a sample takes is none of them: a trial
 * has few steps and many ends. */
static gboolean
time_chunk (Trial *self,
            PrismTrainer *trainer,
            Timing *timing,
            GError **error)
{
  const PrismBackendOps *ops = self->device.backend->ops;
  const guint64 n_visits = trainer->now.n_visits;
  const Since since = get_now ();
  PrismDeviceCounters before, after;

  ops->get_counters (self->device.backend, &before);
  if (!goes_on (self, error) || !prism_trainer_step (trainer, error))
    return FALSE;
  ops->get_counters (self->device.backend, &after);
  if (after.n_steps > before.n_steps && timing != NULL
      && trainer->now.n_visits == n_visits)
    note (timing, since, (guint) (after.n_steps - before.n_steps));
  return TRUE;
}

/* Nothing but training takes place. */
static PrismConfig *
dup_training (const PrismConfig *config)
{
  PrismConfig *run = prism_config_dup (config);

  run->order = PRISM_ORDER_GIVEN;
  run->start_target = PRISM_START_DISK;
  prism_config_train_always (run);
  run->start_steps = MIN (run->start_steps, STARTS);
  run->steps = STEPS;
  run->passes = 1;
  run->threshold = 0.0;
  run->convergence = FALSE;
  run->consistency = 0;
  run->polish = 0;
  run->history_size = 0;
  run->keep_decoder = FALSE;
  return run;
}

/* Only steps that look at as many measurements as those of a run tell. */
static gboolean
time_steps (Trial *self,
            const Part *part,
            GError **error)
{
  const PrismTrainerSource source
      = { .backend = self->device.backend, .cache = self->cache, .scene = part->scene };
  const guint64 n_first = MIN ((guint) self->config->replay, part->n - 1);
  g_autoptr (PrismConfig) run = dup_training (self->config);
  g_autoptr (PrismTrainer) trainer = prism_trainer_new (run, &source, error);
  Timing start = { .n = 0 }, step = { .n = 0 };

  if (trainer == NULL)
    return FALSE;
  while (trainer->now.phase < PRISM_PHASE_SAMPLES)
    if (!time_chunk (self, trainer, &start, error))
      return FALSE;
  while (trainer->now.phase == PRISM_PHASE_SAMPLES
         && (trainer->now.n_visits < n_first || wants_more (&step)))
    if (!time_chunk (self, trainer,
                     trainer->now.n_visits >= n_first ? &step : NULL, error))
      return FALSE;
  self->costs->start = get_time (self, &start);
  self->costs->step = get_time (self, &step);
  return TRUE;
}

static gboolean
time_part (Trial *self,
           Part *part,
           GError **error)
{
  const gboolean descends = prism_config_trains (self->config);

  if (!time_frames (self, part, error) || !time_judgement (self, part, error))
    return FALSE;
  if (descends
      && (!time_pass (self, part, TRUE, &part->brief_pass, error)
          || !time_pass (self, part, FALSE, &part->pass, error)))
    return FALSE;
  return !prism_config_may_spare_training (self->config)
         || !prism_phase_sync_can (part->measurements)
         || time_search (self, part, error);
}

/* A line through two points: @each per measurement, and @base without any. */
static void
split (const Part *few,
       const Part *more,
       gsize offset,
       double *base,
       double *each)
{
  const double a = G_STRUCT_MEMBER (double, few, offset);
  const double b = G_STRUCT_MEMBER (double, more, offset);

  *each = more->n > few->n ? MAX (b - a, 0.0) / (more->n - few->n) : b / more->n;
  *base = MAX (b - more->n * *each, 0.0);
}

static gboolean
open_device (Trial *self,
             GError **error)
{
  const guint n = count_samples (self);
  const gsize plane
      = (gsize) self->config->image_size * self->config->image_size * sizeof (float);

  self->cache = prism_cache_new (2 * (MAX (n, (guint) self->config->replay) + 2) * plane);
  return prism_device_open (&self->device, self->config, n, FALSE, self->cache, error);
}

/* The first time that a shape is seen the device is tuned for it, once and for all: the second one
 * counts. */
static gboolean
time_beginning (Trial *self,
                GError **error)
{
  Timing timing = { .n = 0 };
  Since since;

  if (!open_device (self, error))
    return FALSE;
  close_device (self);
  since = get_now ();
  if (!open_device (self, error))
    return FALSE;
  note (&timing, since, 1);
  self->costs->begin = get_time (self, &timing);
  return TRUE;
}

static gboolean
time_all (Trial *self,
          GError **error)
{
  const gboolean trains = prism_config_trains (self->config);
  const guint n = count_samples (self);
  g_auto (Part) few = { 0 }, more = { 0 };
  PrismCosts *costs;
  const int m = self->config->object_size;
  g_autoptr (PrismImage) other = prism_image_new (m, m, error);
  Timing timing = { .n = 0 };
  PrismMetrics metrics;

  if (other == NULL)
    return FALSE;
  while (wants_more (&timing))
    {
      const Since since = get_now ();

      if (!goes_on (self, error)
          || !prism_metrics_compute (&metrics, other->pixels, self->object->pixels, m, m, error))
        return FALSE;
      note (&timing, since, 1);
    }
  self->costs->picture = get_time (self, &timing);

  if (!part_init (&few, self, (n + FEWER - 1) / FEWER, error)
      || !time_part (self, &few, error))
    return FALSE;
  part_clear (&few);
  if (!part_init (&more, self, n, error) || !time_part (self, &more, error))
    return FALSE;
  costs = self->costs;
  split (&few, &more, G_STRUCT_OFFSET (Part, brief_pass), &costs->brief_pass, &costs->brief_visit);
  split (&few, &more, G_STRUCT_OFFSET (Part, pass), &costs->pass, &costs->visit);
  split (&few, &more, G_STRUCT_OFFSET (Part, search), &costs->search, &costs->search_frame);
  if ((!trains || self->config->finish == PRISM_FINISH_EPIE) && !time_epie (self, &more, error))
    return FALSE;
  g_clear_pointer (&more.measurements, prism_measurements_free);
  return !trains || time_steps (self, &more, error);
}

/**
 * prism_cost_probe_run:
 * @costs: (out caller-allocates): what was timed
 * @config: of a run
 * @cancellable: (nullable): ends it early
 * @error: return location
 *
 * Times the pieces of a run with @config: a few of each, on its device and at its sizes, which
 * takes from a tenth of a second to some seconds. What runs taught is not known then.
 *
 * Errors: as prism_device_open(), PRISM_ERROR_MEMORY, %G_IO_ERROR_CANCELLED.
 *
 * Returns: whether everything was timed
 */
gboolean
prism_cost_probe_run (PrismCosts *costs,
                      const PrismConfig *config,
                      GCancellable *cancellable,
                      GError **error)
{
  g_auto (Trial) trial = { .cancellable = cancellable, .costs = costs };

  memset (costs, 0, sizeof *costs);
  trial.config = prism_config_dup (config);
  trial.pattern = prism_pattern_new (config, error);
  trial.object = trial.pattern != NULL ? prism_object_load (config, error) : NULL;
  return trial.object != NULL && time_beginning (&trial, error) && time_all (&trial, error);
}

/**
 * prism_cost_probe_ensure:
 * @costs: (out caller-allocates): what runs of this shape cost
 * @config: of a run
 * @cancellable: (nullable): ends a trial early
 * @error: return location
 *
 * Takes the costs from the user's cache, or times them and keeps them there. A cache that cannot be
 * written costs no more than another trial the next time.
 *
 * Errors: as prism_cost_probe_run().
 *
 * Returns: whether they are known
 */
gboolean
prism_cost_probe_ensure (PrismCosts *costs,
                         const PrismConfig *config,
                         GCancellable *cancellable,
                         GError **error)
{
  if (prism_costs_load (costs, config))
    return TRUE;
  if (!prism_cost_probe_run (costs, config, cancellable, error))
    return FALSE;
  prism_costs_save (costs, config, NULL);
  return TRUE;
}
