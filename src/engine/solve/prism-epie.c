#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-number.h"
#include "num/prism-tuning.h"
#include "solve/prism-solver.h"

/* The image by updates, frame after frame: what a frame misses in its amplitude is put right behind
 * its aperture at once, with a step s (Maiden and Rodenburg, 2009; numerics.md § 10). After a pass
 * the image is held to what an object can be. Mo-PIE does the same where apertures move: the device
 * adds up what the parts of a line give.
 *
 * They begin with a decoder's image, or a blank one. After a decoder's, an image that leaves no
 * more than the noise ends them.
 *
 * m = object_size. */

#define MAX_VISITS 64 /* of one step */
#define FIELD(...) PRISM_RECORD_FIELD (PrismEpie, __VA_ARGS__)

typedef enum
{
  STAGE_UPDATE,   /* some measurements of an ePIE pass a step */
  STAGE_EVALUATE, /* some measurements' misfit of the image a step */
  STAGE_DONE,
} EpieStage;

typedef struct
{
  PrismSolver parent;
  EpieStage stage;
  guint sample; /* next measurement of the stage */
  guint pass;
  double residual; /* sums of the evaluation under way */
  double power;
  double noise_misfit; /* 0 without noise */
  double misfit;       /* of image; NAN before the first pass */
  gboolean runs_on;    /* there are passes beyond those that are set */
  float *image;        /* [m][m] after the last whole pass */
  float *arriving;     /* [m][m] from the device */
} PrismEpie;

static const PrismRecordField fields[] = {
  FIELD (stage, INTEGER, STAGE_UPDATE, STAGE_DONE),
  FIELD (pass, INTEGER),
  FIELD (noise_misfit, REAL),
  FIELD (misfit, REAL),
  FIELD (runs_on, SWITCH),
  { NULL },
};

static const PrismMethodState state = {
  "polish.json",
  fields,
  { PRISM_METHOD_PLANE (PrismEpie, "polish-image.npy", image) },
};

static void
begin_stage (PrismEpie *self,
             EpieStage stage)
{
  self->stage = stage;
  self->sample = 0;
  self->residual = 0.0;
  self->power = 0.0;
}

/* The misfit of all frames, unless a number is not finite: of the image, or one of its sums. */
static gboolean
note_misfit (PrismEpie *self,
             const float *image,
             GError **error)
{
  if (!prism_backend_check_finite (prism_finite_all (image, self->parent.n_pixels)
                                       && isfinite (self->residual + self->power),
                                   error))
    return FALSE;
  self->misfit = self->power > 0.0 ? self->residual / self->power : 0.0;
  return TRUE;
}

/* The image stays as it was until the device's has arrived. */
static gboolean
take_image (PrismEpie *self,
            GError **error)
{
  PrismBackend *backend = self->parent.backend;
  float *image;

  backend->ops->epie_project (backend);
  backend->ops->read_image (backend, PRISM_SOURCE_EPIE, self->arriving);
  backend->ops->epie_collect (backend, &self->residual, &self->power);
  if (!backend->ops->finish (backend, error))
    return FALSE;
  if (!note_misfit (self, self->arriving, error))
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

/* Beyond the passes that are set they may go on until nothing moves. */
static gboolean
end_pass (PrismEpie *self,
          GError **error)
{
  PrismSolver *solver = &self->parent;
  const guint n_passes = solver->spec.n_passes;
  const double until = solver->spec.until;

  if (!take_image (self, error))
    return FALSE;
  self->pass++;
  self->runs_on = FALSE;
  solver->settling.kind = until > 0.0 ? PRISM_SETTLING_MOVING : PRISM_SETTLING_OPEN;
  if (until > 0.0 && self->pass >= n_passes)
    {
      if (solver->before == NULL)
        solver->before = prism_solver_new_image (solver, error);
      if (solver->before == NULL)
        return FALSE;
      if (self->pass == n_passes)
        prism_solver_watch (solver, self->image);
      else if (prism_solver_stands_still (solver, self->image, until))
        solver->settling.kind = PRISM_SETTLING_STILL;
      solver->settling.change = solver->window_change;
      self->runs_on = solver->settling.kind == PRISM_SETTLING_MOVING
                      && self->pass < MAX (n_passes, PRISM_SOLVER_MOST_PASSES);
    }
  begin_stage (self,
               self->noise_misfit > 0.0 || is_through (self) ? STAGE_EVALUATE : STAGE_UPDATE);
  return TRUE;
}

/* With noise an image that explains the data down to the noise needs no more passes: the decoder's
 * answer is the better guess for what the noise hides. */
static gboolean
end_evaluation (PrismEpie *self,
                GError **error)
{
  if (!note_misfit (self, self->image, error))
    return FALSE;
  if (self->noise_misfit > 0.0 && self->misfit <= self->noise_misfit)
    self->parent.settling.kind = PRISM_SETTLING_MET;
  begin_stage (self, !is_through (self) && self->parent.settling.kind != PRISM_SETTLING_MET
                         ? STAGE_UPDATE
                         : STAGE_DONE);
  return TRUE;
}

/* Updates some frames, or adds up their misfit. */
static gboolean
visit (PrismEpie *self,
       guint n_frames,
       GError **error)
{
  PrismBackend *backend = self->parent.backend;
  PrismMeasurements *measurements = self->parent.measurements;
  guint slots[MAX_VISITS];
  double residual, power;

  for (guint i = 0; i < n_frames; i++)
    slots[i] = self->sample + i;
  for (guint i = 0; i < n_frames && self->stage == STAGE_UPDATE; i++)
    {
      if (!prism_measurements_acquire (measurements, slots[i], error))
        return FALSE;
      prism_measurements_note_use (measurements, slots[i]);
      backend->ops->epie_update (backend, slots[i], self->parent.spec.step_size);
    }
  if (self->stage == STAGE_EVALUATE)
    {
      if (!prism_measurements_acquire_many (measurements, slots, &n_frames, error))
        return FALSE;
      for (guint i = 0; i < n_frames; i++)
        prism_measurements_note_use (measurements, slots[i]);
      backend->ops->compute_misfit (backend, self->image, slots, n_frames, &residual, &power);
      self->residual += residual;
      self->power += power;
    }
  self->sample += n_frames;
  return backend->ops->finish (backend, error);
}

/* Passes of updates, each followed by an evaluation where the noise decides or they end. */
static gboolean
epie_run (gpointer data,
          PrismControl *control,
          GError **error)
{
  PrismEpie *self = data;
  PrismSolver *solver = data;
  const guint n = solver->measurements->n_measurements;

  solver->settling.limit = solver->spec.until;
  while (self->stage != STAGE_DONE)
    {
      const guint n_frames = MIN (prism_pace_get (&control->pace, n - self->sample), MAX_VISITS);

      if (!prism_control_yield (control))
        return FALSE;
      if (!visit (self, n_frames, error))
        return FALSE;
      control->n_frames += n_frames;
      if (self->sample == n
          && !(self->stage == STAGE_UPDATE ? end_pass : end_evaluation) (self, error))
        return FALSE;
    }
  return TRUE;
}

static void
epie_finish (gpointer data)
{
  PrismEpie *self = data;

  if (self->stage == STAGE_DONE)
    return;
  if (self->stage == STAGE_UPDATE && self->sample > 0)
    take_image (self, NULL);
  begin_stage (self, STAGE_DONE);
}

static gboolean
epie_load (gpointer data,
           PrismBundle *bundle,
           GError **error)
{
  PrismEpie *self = data;

  self->parent.backend->ops->epie_start (self->parent.backend, self->image);
  begin_stage (self, self->stage);
  return TRUE;
}

static void
epie_describe (gpointer data,
               PrismSolverReport *report)
{
  PrismEpie *self = data;

  report->is_done = self->stage == STAGE_DONE;
  report->pass = self->pass;
  if (self->pass > self->parent.spec.n_passes)
    report->n_extra_passes = self->pass - self->parent.spec.n_passes;
  if (self->runs_on)
    report->n_extra_passes += prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW);
  report->sample = self->sample;
  report->misfit = self->misfit;
}

static const float *
epie_get_image (gpointer data)
{
  PrismEpie *self = data;

  return self->image;
}

static gboolean
epie_init (gpointer data,
           GError **error)
{
  PrismEpie *self = data;
  PrismSolver *solver = data;

  return (self->image = prism_solver_new_image (solver, error)) != NULL
         && (self->arriving = prism_solver_new_image (solver, error)) != NULL;
}

PRISM_CLEAR (PrismEpie,
             epie_clear,
             prism_arena_free_array,
             image,
             prism_arena_free_array,
             arriving)

static gboolean
epie_begin (gpointer data,
            const PrismSolverSpec *spec,
            GError **error)
{
  PrismEpie *self = data;
  const float *start = spec->start != NULL && spec->live != NULL ? spec->live : spec->start;

  if (spec->stop_at_noise
      && !prism_measurements_compute_noise_misfit (self->parent.measurements, &self->noise_misfit,
                                                   error))
    return FALSE;
  self->pass = 0;
  self->misfit = NAN;
  self->parent.settling.kind = PRISM_SETTLING_OPEN;
  for (gsize i = 0; i < self->parent.n_pixels; i++)
    self->image[i] = start != NULL ? start[i] : 0.5f;
  self->parent.backend->ops->epie_start (self->parent.backend, self->image);
  begin_stage (self, start != NULL && self->noise_misfit > 0.0 ? STAGE_EVALUATE : STAGE_UPDATE);
  return TRUE;
}

const PrismSolverKind prism_epie_kind = {
  .size = sizeof (PrismEpie),
  .init = epie_init,
  .clear = epie_clear,
  .begin = epie_begin,
  .run = epie_run,
  .finish = epie_finish,
  .state = &state,
  .load = epie_load,
  .describe = epie_describe,
  .get_image = epie_get_image,
};
