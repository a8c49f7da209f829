#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "num/prism-tuning.h"
#include "solve/prism-solver.h"

/* The image by updates, frame after frame: what a frame misses in its amplitude is put right behind
 * its aperture at once, with a step s (Maiden and Rodenburg, 2009; numerics.md § 10). After a pass
 * the image is held to what an object can be. Mo-PIE does the same where apertures move: the device
 * adds up what the parts of a line give.
 *
 * With a decoder's image there are two attempts, from there and from a blank image; the one that
 * leaves less is the result. With noise one that leaves no more than the noise ends it.
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
  float *image;        /* [m][m] of the attempt under way, after its last whole pass */
  float *arriving;     /* [m][m] from the device */
  float *best;         /* [m][m] */
} PrismEpie;

static const PrismRecordField fields[] = {
  FIELD (from_start, SWITCH),
  FIELD (second_attempt, SWITCH),
  FIELD (stage, INTEGER, STAGE_UPDATE, STAGE_DONE),
  FIELD (pass, INTEGER),
  FIELD (passes_before, INTEGER),
  FIELD (noise_misfit, REAL),
  FIELD (misfit, REAL),
  FIELD (best_misfit, REAL),
  FIELD (runs_on, SWITCH),
  { NULL },
};

static const PrismMethodState state = {
  "polish.json",
  fields,
  {
      PRISM_METHOD_PLANE (PrismEpie, "polish-image.npy", image),
      PRISM_METHOD_PLANE (PrismEpie, "polish-best.npy", best),
  },
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

/* The device begins a pass at the image of the attempt under way. */
static void
start_device (PrismEpie *self)
{
  const gboolean is_blank = !self->from_start && self->pass == 0;

  self->parent.backend->ops->epie_start (self->parent.backend, is_blank ? NULL : self->image);
}

static void
begin_attempt (PrismEpie *self,
               const float *start)
{
  self->from_start = start != NULL;
  self->passes_before += self->pass;
  self->pass = 0;
  self->misfit = NAN;
  self->runs_on = FALSE;
  self->parent.change = 0.0;
  for (gsize i = 0; i < self->parent.n_pixels; i++)
    self->image[i] = start != NULL ? start[i] : 0.5f;
  start_device (self);
  begin_stage (self, start != NULL && self->noise_misfit > 0.0 ? STAGE_EVALUATE : STAGE_UPDATE);
}

static gboolean
is_better (PrismEpie *self)
{
  return isnan (self->best_misfit) || self->misfit < self->best_misfit;
}

static void
keep_better (PrismEpie *self)
{
  if (!is_better (self))
    return;
  memcpy (self->best, self->image, self->parent.n_pixels * sizeof (float));
  self->best_misfit = self->misfit;
}

/* The misfit of all frames, unless a number is not finite: of the image, or one of its sums. */
static gboolean
note_misfit (PrismEpie *self,
             const float *image,
             GError **error)
{
  if (!prism_finite_all (image, self->parent.n_pixels) || !isfinite (self->residual + self->power))
    return prism_error_set (error, PRISM_ERROR_BACKEND,
                            _ ("The device returned numbers that are not finite in a pass of"
                               " ePIE."));
  self->misfit = self->power > 0.0 ? self->residual / self->power : 0.0;
  return TRUE;
}

/* The image of the attempt stays as it was until the device's has arrived. */
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
  self->runs_on = solver->is_still = FALSE;
  if (until > 0.0 && self->pass >= n_passes)
    {
      if (solver->before == NULL)
        solver->before = prism_solver_new_image (solver, error);
      if (solver->before == NULL)
        return FALSE;
      if (self->pass == n_passes)
        prism_solver_watch (solver, self->image);
      else
        solver->is_still = prism_solver_stands_still (solver, self->image, until);
      solver->change = solver->window_change;
      self->runs_on = !solver->is_still && self->pass < MAX (n_passes, PRISM_SOLVER_MOST_PASSES);
    }
  begin_stage (self,
               self->noise_misfit > 0.0 || is_through (self) ? STAGE_EVALUATE : STAGE_UPDATE);
  return TRUE;
}

/* With noise an image that explains the data down to the noise needs no other attempt: the
 * decoder's answer is the better guess for what the noise hides. */
static gboolean
end_evaluation (PrismEpie *self,
                GError **error)
{
  if (!note_misfit (self, self->image, error))
    return FALSE;
  self->parent.is_met = self->noise_misfit > 0.0 && self->misfit <= self->noise_misfit;
  if (!is_through (self) && !self->parent.is_met)
    {
      begin_stage (self, STAGE_UPDATE);
      return TRUE;
    }
  keep_better (self);
  if (self->second_attempt || self->parent.is_met)
    {
      begin_stage (self, STAGE_DONE);
      return TRUE;
    }
  self->second_attempt = TRUE;
  begin_attempt (self, NULL);
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

/* Passes of updates, each followed by an evaluation where the noise decides or the attempt ends. */
static gboolean
epie_run (gpointer data,
          PrismControl *control,
          GError **error)
{
  PrismEpie *self = data;
  PrismSolver *solver = data;
  const guint n = solver->measurements->n_measurements;

  solver->limit = solver->spec.until;
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
  if (self->stage == STAGE_UPDATE && self->sample > 0 && isnan (self->best_misfit))
    take_image (self, NULL);
  keep_better (self);
  begin_stage (self, STAGE_DONE);
}

static void
epie_move (gpointer data)
{
  PrismEpie *self = data;

  if (self->stage == STAGE_DONE)
    return;
  start_device (self);
  begin_stage (self, self->stage);
}

static gboolean
epie_load (gpointer data,
           PrismBundle *bundle,
           GError **error)
{
  epie_move (data);
  return TRUE;
}

static void
epie_describe (gpointer data,
               PrismSolverReport *report)
{
  PrismEpie *self = data;

  report->is_done = self->stage == STAGE_DONE;
  report->pass = self->passes_before + self->pass;
  if (self->pass > self->parent.spec.n_passes)
    report->n_extra_passes = self->pass - self->parent.spec.n_passes;
  if (self->runs_on)
    report->n_extra_passes += prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW);
  report->sample = self->sample;
  report->misfit = is_better (self) ? self->misfit : self->best_misfit;
}

static const float *
epie_get_image (gpointer data)
{
  PrismEpie *self = data;

  return is_better (self) ? self->image : self->best;
}

static gboolean
epie_init (gpointer data,
           GError **error)
{
  PrismEpie *self = data;
  PrismSolver *solver = data;

  self->best_misfit = NAN;
  return (self->image = prism_solver_new_image (solver, error)) != NULL
         && (self->best = prism_solver_new_image (solver, error)) != NULL
         && (self->arriving = prism_solver_new_image (solver, error)) != NULL;
}

PRISM_CLEAR (PrismEpie,
             epie_clear,
             prism_arena_free_array,
             image,
             prism_arena_free_array,
             best,
             prism_arena_free_array,
             arriving)

/* From the start image and from a blank one, or from that alone. */
static gboolean
epie_begin (gpointer data,
            const PrismSolverSpec *spec,
            GError **error)
{
  PrismEpie *self = data;

  self->second_attempt = spec->start == NULL;
  if (spec->stop_at_noise
      && !prism_measurements_compute_noise_misfit (self->parent.measurements, &self->noise_misfit,
                                                   error))
    return FALSE;
  begin_attempt (self, spec->start != NULL && spec->live != NULL ? spec->live : spec->start);
  return TRUE;
}

const PrismSolverKind prism_epie_kind = {
  .name = "ePIE",
  .size = sizeof (PrismEpie),
  .init = epie_init,
  .clear = epie_clear,
  .begin = epie_begin,
  .run = epie_run,
  .finish = epie_finish,
  .move = epie_move,
  .state = &state,
  .load = epie_load,
  .describe = epie_describe,
  .get_image = epie_get_image,
};
