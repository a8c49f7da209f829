#include "config.h"

#include "solve/prism-epie.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "num/prism-tuning.h"
#include "solve/prism-stillness.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: m = object_size. */

#define MAX_VISITS 64 /* of one step */
#define FIELD(...) PRISM_RECORD_FIELD (PrismEpie, __VA_ARGS__)
#define PART(...) PRISM_RECORD_PART (PrismEpie, __VA_ARGS__, TRUE)

typedef enum
{
  STAGE_UPDATE,   /* some measurements of an ePIE pass a step */
  STAGE_EVALUATE, /* some measurements' misfit of the image a step */
  STAGE_DONE,
} EpieStage;

typedef struct
{
  PrismSolver parent;
  gboolean is_alone;   /* there is no decoder's image */
  gboolean from_start; /* the attempt under way began at the decoder's image */
  gboolean second_attempt;
  EpieStage stage;
  guint sample;        /* next measurement of the stage */
  guint pass;          /* of the attempt under way */
  guint passes_before; /* of the attempt before it */
  double residual;     /* sums of the evaluation under way */
  double power;
  double noise_misfit; /* 0 without noise */
  double misfit;       /* of image; NAN before the first pass */
  double best_misfit;  /* of best; NAN before the first attempt ended */
  gboolean runs_on;    /* the attempt has passes beyond those that are set */
  double change;       /* by its last ten passes, relative; 0 before they are watched */
  gboolean is_still;   /* the attempt ended because that is small, */
  gboolean is_met;     /* or because the noise explains the misfit */
  PrismStillness stillness;
  float *image;    /* [m][m] of the attempt under way, after its last whole pass */
  float *arriving; /* [m][m] from the device */
  float *best;     /* [m][m] */
} PrismEpie;

static const PrismRecordField fields[] = {
  FIELD (from_start, SWITCH, 0, 1),
  FIELD (second_attempt, SWITCH, 0, 1),
  FIELD (stage, INTEGER, STAGE_UPDATE, STAGE_DONE),
  FIELD (pass, INTEGER, 0, G_MAXINT32),
  FIELD (passes_before, INTEGER, 0, G_MAXINT32),
  FIELD (noise_misfit, REAL, 0, DBL_MAX),
  FIELD (misfit, REAL, 0, DBL_MAX),
  FIELD (best_misfit, REAL, 0, DBL_MAX),
  PART ("runs_on", runs_on, SWITCH, 0, 1),
  PART ("n_watched", stillness.n, INTEGER, 0, G_MAXINT32),
  PART ("window_change", stillness.change, REAL, 0, DBL_MAX),
  PART ("last_change", change, REAL, 0, DBL_MAX),
  PART ("is_still", is_still, SWITCH, 0, 1),
  PART ("is_met", is_met, SWITCH, 0, 1),
  { NULL },
};

static gsize
image_bytes (PrismEpie *self)
{
  gsize m = self->parent.backend->spec.object_size;

  return m * m * sizeof (float);
}

static void
begin_stage (PrismEpie *self,
             EpieStage stage)
{
  self->stage = stage;
  self->sample = 0;
  self->residual = 0.0;
  self->power = 0.0;
}

/* The device begins a pass at the image of the attempt under way. */
static void
start_device (PrismEpie *self)
{
  gboolean blank = !self->from_start && self->pass == 0;

  self->parent.backend->ops->epie_start (self->parent.backend, blank ? NULL : self->image);
}

static void
begin_attempt (PrismEpie *self,
               const float *start)
{
  gsize n_pixels = image_bytes (self) / sizeof (float);

  self->from_start = start != NULL;
  self->passes_before += self->pass;
  self->pass = 0;
  self->misfit = NAN;
  self->runs_on = FALSE;
  self->change = 0.0;
  if (start != NULL)
    {
      /* Without the memory for it the start image is good enough as it is. */
      memcpy (self->image, start, image_bytes (self));
      prism_band_apply (&self->parent.spec.band, self->image, NULL);
    }
  else
    for (gsize i = 0; i < n_pixels; i++)
      self->image[i] = 0.5f;
  start_device (self);
  begin_stage (self, start != NULL && self->noise_misfit > 0.0 ? STAGE_EVALUATE : STAGE_UPDATE);
}

static void
epie_clear (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  prism_stillness_clear (&self->stillness);
  prism_arena_free_array (self->image);
  prism_arena_free_array (self->best);
  prism_arena_free_array (self->arriving);
}

static void
keep_better (PrismEpie *self)
{
  if (!isnan (self->best_misfit) && !(self->misfit < self->best_misfit))
    return;
  memcpy (self->best, self->image, image_bytes (self));
  self->best_misfit = self->misfit;
}

/* With noise an image that explains the data down to the noise needs no rival: the decoder's
 * answer is the better guess for what the noise hides. */
static void
end_attempt (PrismEpie *self)
{
  keep_better (self);
  if (self->second_attempt || (self->noise_misfit > 0.0 && self->misfit <= self->noise_misfit))
    {
      begin_stage (self, STAGE_DONE);
      return;
    }
  self->second_attempt = TRUE;
  begin_attempt (self, NULL);
}

static gboolean
check_finite (PrismEpie *self,
              double value,
              GError **error)
{
  if (isfinite (value))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "The device returned numbers that are not finite in a pass of %s.",
               self->parent.kind->name);
  return FALSE;
}

/* The image of the attempt stays as it was until the device's has arrived. */
static gboolean
take_image (PrismEpie *self,
            GError **error)
{
  const PrismBackendOps *ops = self->parent.backend->ops;
  gsize n_pixels = image_bytes (self) / sizeof (float);
  double sum = 0.0;
  float *image;

  ops->epie_project (self->parent.backend);
  ops->read_image (self->parent.backend, PRISM_SOURCE_EPIE, self->arriving);
  ops->epie_collect (self->parent.backend, &self->residual, &self->power);
  if (!ops->finish (self->parent.backend, error))
    return FALSE;
  for (gsize i = 0; i < n_pixels; i++)
    sum += self->arriving[i];
  if (!check_finite (self, sum + self->residual + self->power, error))
    return FALSE;
  image = self->image;
  self->image = self->arriving;
  self->arriving = image;
  return TRUE;
}

static gboolean
is_through (PrismEpie *self)
{
  return self->pass >= self->parent.spec.n_passes && !self->runs_on;
}

/* Whether the passes that are set are not enough yet. */
static gboolean
watch (PrismEpie *self,
       GError **error)
{
  const guint n_passes = self->parent.spec.n_passes;
  const double until = self->parent.spec.until;

  self->runs_on = self->is_still = FALSE;
  if (until <= 0.0 || self->pass < n_passes)
    return TRUE;
  if (self->stillness.before == NULL
      && !prism_stillness_init (&self->stillness, self->parent.backend->spec.object_size, error))
    return FALSE;
  if (self->pass == n_passes)
    prism_stillness_begin (&self->stillness, self->image);
  else
    self->is_still = prism_stillness_add (&self->stillness, self->image, until);
  self->change = self->stillness.change;
  self->runs_on = !self->is_still && self->pass < MAX (n_passes, PRISM_SOLVER_MOST_PASSES);
  return TRUE;
}

static gboolean
end_pass (PrismEpie *self,
          GError **error)
{
  gboolean evaluates;

  if (!take_image (self, error))
    return FALSE;
  self->misfit = self->power > 0.0 ? self->residual / self->power : 0.0;
  self->pass++;
  if (!watch (self, error))
    return FALSE;
  evaluates = self->noise_misfit > 0.0 || is_through (self);
  begin_stage (self, evaluates ? STAGE_EVALUATE : STAGE_UPDATE);
  return TRUE;
}

static gboolean
end_evaluation (PrismEpie *self,
                GError **error)
{
  if (!check_finite (self, self->residual + self->power, error))
    return FALSE;
  self->misfit = self->power > 0.0 ? self->residual / self->power : 0.0;
  self->is_met = self->noise_misfit > 0.0 && self->misfit <= self->noise_misfit;
  if (is_through (self) || self->is_met)
    end_attempt (self);
  else
    begin_stage (self, STAGE_UPDATE);
  return TRUE;
}

static gboolean
update_samples (PrismEpie *self,
                guint n_samples,
                GError **error)
{
  PrismBackend *backend = self->parent.backend;

  for (guint i = 0; i < n_samples; i++, self->sample++)
    {
      if (!prism_measurements_acquire (self->parent.measurements, self->sample, error))
        return FALSE;
      prism_measurements_note_use (self->parent.measurements, self->sample);
      backend->ops->epie_update (backend, self->sample, self->parent.spec.step_size);
    }
  return TRUE;
}

static gboolean
evaluate_samples (PrismEpie *self,
                  guint n_samples,
                  GError **error)
{
  PrismBackend *backend = self->parent.backend;
  guint slots[MAX_VISITS];
  double residual, power;

  for (guint i = 0; i < n_samples; i++)
    slots[i] = self->sample + i;
  if (!prism_measurements_acquire_many (self->parent.measurements, slots, &n_samples, error))
    return FALSE;
  for (guint i = 0; i < n_samples; i++)
    prism_measurements_note_use (self->parent.measurements, slots[i]);
  backend->ops->compute_misfit (backend, self->image, slots, n_samples, &residual, &power);
  self->residual += residual;
  self->power += power;
  self->sample += n_samples;
  return TRUE;
}

/* Passes of updates, each followed by an evaluation where the noise decides or the attempt ends. */
static gboolean
epie_run (PrismSolver *solver,
          PrismControl *control,
          GError **error)
{
  PrismEpie *self = (PrismEpie *) solver;
  const guint n = prism_measurements_get_n (solver->measurements);

  while (self->stage != STAGE_DONE)
    {
      const gboolean updates = self->stage == STAGE_UPDATE;
      const guint n_frames = MIN (prism_pace_get (&control->pace, n - self->sample), MAX_VISITS);

      if (!prism_control_yield (control))
        return FALSE;
      if (!(updates ? update_samples : evaluate_samples) (self, n_frames, error)
          || !solver->backend->ops->finish (solver->backend, error))
        return FALSE;
      prism_control_note (control, n_frames);
      if (self->sample == n && !(updates ? end_pass : end_evaluation) (self, error))
        return FALSE;
    }
  return TRUE;
}

static void
epie_finish (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  if (self->stage == STAGE_DONE)
    return;
  if (self->stage == STAGE_UPDATE && self->sample > 0 && isnan (self->best_misfit))
    take_image (self, NULL);
  keep_better (self);
  begin_stage (self, STAGE_DONE);
}

static void
epie_move (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  if (self->stage == STAGE_DONE)
    return;
  start_device (self);
  begin_stage (self, self->stage);
}

static gboolean
epie_save (PrismSolver *solver,
           PrismBundle *bundle,
           GError **error)
{
  PrismEpie *self = (PrismEpie *) solver;
  gsize m = self->parent.backend->spec.object_size;

  prism_bundle_take_text (bundle, "polish.json", prism_record_to_text (fields, self));
  return (self->stillness.before == NULL
          || prism_stillness_save (&self->stillness, bundle, error))
         && prism_bundle_add_plane (bundle, "polish-image.npy", self->image, m, error)
         && prism_bundle_add_plane (bundle, "polish-best.npy", self->best, m, error);
}

static gboolean
load_stillness (PrismEpie *self,
                PrismBundle *bundle,
                GError **error)
{
  return !prism_stillness_is_in (bundle)
         || (prism_stillness_init (&self->stillness, self->parent.backend->spec.object_size, error)
             && prism_stillness_load (&self->stillness, bundle, error));
}

static gboolean
epie_load (PrismSolver *solver,
           PrismBundle *bundle,
           GError **error)
{
  PrismEpie *self = (PrismEpie *) solver;
  gsize m = self->parent.backend->spec.object_size;
  const char *numbers;

  numbers = prism_bundle_get_text (bundle, "polish.json", error);
  if (numbers == NULL || !load_stillness (self, bundle, error)
      || !prism_record_parse (fields, self, numbers, "polish.json", error)
      || !prism_bundle_copy_plane (bundle, "polish-image.npy", self->image, m, error)
      || !prism_bundle_copy_plane (bundle, "polish-best.npy", self->best, m, error))
    return FALSE;
  start_device (self);
  begin_stage (self, self->stage);
  return TRUE;
}

static gboolean
shows_best (PrismEpie *self)
{
  return !isnan (self->best_misfit) && !(self->misfit < self->best_misfit);
}

/* From the decoder's image and from a blank one. */
static guint
epie_count_passes (const PrismSolverSpec *spec)
{
  return 2 * spec->n_passes;
}

static void
epie_describe (PrismSolver *solver,
               PrismSolverReport *report)
{
  PrismEpie *self = (PrismEpie *) solver;

  report->is_done = self->stage == STAGE_DONE;
  report->pass = self->passes_before + self->pass;
  report->n_passes = self->is_alone ? solver->spec.n_passes : epie_count_passes (&solver->spec);
  if (self->pass > solver->spec.n_passes)
    report->n_extra_passes = self->pass - solver->spec.n_passes;
  if (self->runs_on)
    report->n_extra_passes += prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW);
  report->sample = self->sample;
  report->n_samples = prism_measurements_get_n (solver->measurements);
  report->misfit = shows_best (self) ? self->best_misfit : self->misfit;
  if (self->change > 0.0)
    report->change = self->change;
  report->limit = solver->spec.until;
  report->is_still = report->is_done && self->is_still;
  report->is_met = report->is_done && self->is_met;
}

static const float *
epie_get_image (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  return shows_best (self) ? self->best : self->image;
}

static gboolean
epie_init (PrismSolver *solver,
           GError **error)
{
  PrismEpie *self = (PrismEpie *) solver;

  self->best_misfit = NAN;
  self->image = prism_solver_new_image (solver, error);
  if (self->image != NULL)
    self->best = prism_solver_new_image (solver, error);
  if (self->best != NULL)
    self->arriving = prism_solver_new_image (solver, error);
  return self->arriving != NULL;
}

/* From the start image and from a blank one, or from that alone. */
static gboolean
epie_begin (PrismSolver *solver,
            const PrismSolverSpec *spec,
            GError **error)
{
  PrismEpie *self = (PrismEpie *) solver;

  self->is_alone = self->second_attempt = spec->start == NULL;
  if (spec->stop_at_noise
      && !prism_measurements_compute_noise_misfit (solver->measurements, &self->noise_misfit,
                                                   error))
    return FALSE;
  begin_attempt (self, spec->start != NULL && spec->live != NULL ? spec->live : spec->start);
  return TRUE;
}

#define KIND(field_name)                                                                    \
  {                                                                                         \
    .name = field_name, .size = sizeof (PrismEpie), .init = epie_init, .clear = epie_clear, \
    .count_passes = epie_count_passes, .begin = epie_begin, .run = epie_run,                \
    .finish = epie_finish, .move = epie_move, .save = epie_save, .load = epie_load,         \
    .describe = epie_describe, .get_image = epie_get_image,                                 \
  }

const PrismSolverKind prism_epie_kind = KIND ("ePIE");
const PrismSolverKind prism_epie_kind_of_lines = KIND ("Mo-PIE");
