#include "config.h"

#include "solve/prism-epie.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-record.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: m = object_size. */

#define MAX_VISITS 64 /* of one step */
#define FIELD(member, type, minimum, maximum)                                                 \
  {                                                                                           \
#member, PRISM_RECORD_##type, G_STRUCT_OFFSET(PrismEpie, member), minimum, maximum, FALSE \
  }

typedef enum
{
  STAGE_UPDATE,   /* some measurements of an ePIE pass a step */
  STAGE_EVALUATE, /* some measurements' misfit of the image a step */
  STAGE_DONE,
} EpieStage;

typedef struct
{
  PrismSolver parent;
  PrismBackend *backend;
  PrismMeasurements *measurements;
  PrismEpieSpec spec;
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
  float *image;        /* [m][m] of the attempt under way, after its last whole pass */
  float *arriving;     /* [m][m] from the device */
  float *best;         /* [m][m] */
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
  { NULL },
};

static gsize
image_bytes (PrismEpie *self)
{
  return (gsize) self->backend->spec.object_size * self->backend->spec.object_size * sizeof (float);
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

  self->backend->ops->epie_start (self->backend, blank ? NULL : self->image);
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
  if (start != NULL)
    {
      /* Without the memory for it the start image is good enough as it is. */
      memcpy (self->image, start, image_bytes (self));
      prism_band_apply (&self->spec.band, self->image, NULL);
    }
  else
    for (gsize i = 0; i < n_pixels; i++)
      self->image[i] = 0.5f;
  start_device (self);
  begin_stage (self, start != NULL && self->noise_misfit > 0.0 ? STAGE_EVALUATE : STAGE_UPDATE);
}

static void
epie_free (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  prism_arena_free_array (self->image);
  prism_arena_free_array (self->best);
  prism_arena_free_array (self->arriving);
  g_free (self);
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
check_finite (double value,
              GError **error)
{
  if (isfinite (value))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "The device returned numbers that are not finite in a pass of ePIE.");
  return FALSE;
}

/* The image of the attempt stays as it was until the device's has arrived. */
static gboolean
take_image (PrismEpie *self,
            GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  gsize n_pixels = image_bytes (self) / sizeof (float);
  double sum = 0.0;
  float *image;

  ops->epie_project (self->backend);
  ops->read_image (self->backend, PRISM_SOURCE_EPIE, self->arriving);
  ops->epie_collect (self->backend, &self->residual, &self->power);
  if (!ops->finish (self->backend, error))
    return FALSE;
  for (gsize i = 0; i < n_pixels; i++)
    sum += self->arriving[i];
  if (!check_finite (sum + self->residual + self->power, error))
    return FALSE;
  image = self->image;
  self->image = self->arriving;
  self->arriving = image;
  return TRUE;
}

static gboolean
end_pass (PrismEpie *self,
          GError **error)
{
  if (!take_image (self, error))
    return FALSE;
  self->misfit = self->power > 0.0 ? self->residual / self->power : 0.0;
  self->pass++;
  begin_stage (self, self->noise_misfit > 0.0 || self->pass >= self->spec.n_passes ? STAGE_EVALUATE
                                                                                   : STAGE_UPDATE);
  return TRUE;
}

static gboolean
end_evaluation (PrismEpie *self,
                GError **error)
{
  if (!check_finite (self->residual + self->power, error))
    return FALSE;
  self->misfit = self->power > 0.0 ? self->residual / self->power : 0.0;
  if (self->pass >= self->spec.n_passes || self->misfit <= self->noise_misfit)
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
  for (guint i = 0; i < n_samples; i++, self->sample++)
    {
      if (!prism_measurements_acquire (self->measurements, self->sample, error))
        return FALSE;
      self->backend->ops->epie_update (self->backend, self->sample, self->spec.step_size);
    }
  return TRUE;
}

static gboolean
evaluate_samples (PrismEpie *self,
                  guint n_samples,
                  GError **error)
{
  guint slots[MAX_VISITS];
  double residual, power;

  for (guint i = 0; i < n_samples; i++)
    slots[i] = self->sample + i;
  if (!prism_measurements_acquire_many (self->measurements, slots, &n_samples, error))
    return FALSE;
  self->backend->ops->compute_misfit (self->backend, self->image, slots, n_samples, &residual,
                                      &power);
  self->residual += residual;
  self->power += power;
  self->sample += n_samples;
  return TRUE;
}

static gboolean
epie_step (PrismSolver *solver,
           guint n_samples,
           gboolean *pass_done,
           GError **error)
{
  PrismEpie *self = (PrismEpie *) solver;
  guint n = prism_measurements_get_n (self->measurements);
  gboolean updates = self->stage == STAGE_UPDATE;

  *pass_done = FALSE;
  g_return_val_if_fail (self->stage != STAGE_DONE, TRUE);

  n_samples = CLAMP (n_samples, 1, MIN (n - self->sample, MAX_VISITS));
  if (!(updates ? update_samples : evaluate_samples) (self, n_samples, error)
      || !self->backend->ops->finish (self->backend, error))
    return FALSE;
  if (self->sample < n)
    return TRUE;
  *pass_done = updates;
  return updates ? end_pass (self, error) : end_evaluation (self, error);
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
epie_move (PrismSolver *solver,
           PrismBackend *backend)
{
  PrismEpie *self = (PrismEpie *) solver;

  self->backend = backend;
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
  gsize m = self->backend->spec.object_size;

  prism_bundle_take_text (bundle, "polish.json", prism_record_to_text (fields, self));
  return prism_bundle_add_plane (bundle, "polish-image.npy", self->image, m, error)
         && prism_bundle_add_plane (bundle, "polish-best.npy", self->best, m, error);
}

static gboolean
epie_load (PrismSolver *solver,
           PrismBundle *bundle,
           GError **error)
{
  PrismEpie *self = (PrismEpie *) solver;
  gsize m = self->backend->spec.object_size;
  const char *numbers;

  numbers = prism_bundle_get_text (bundle, "polish.json", error);
  if (numbers == NULL || !prism_record_parse (fields, self, numbers, "polish.json", error)
      || !prism_bundle_copy_plane (bundle, "polish-image.npy", self->image, m, error)
      || !prism_bundle_copy_plane (bundle, "polish-best.npy", self->best, m, error))
    return FALSE;
  start_device (self);
  begin_stage (self, self->stage);
  return TRUE;
}

static gboolean
epie_is_done (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  return self->stage == STAGE_DONE;
}

static guint
epie_get_pass (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  return self->passes_before + self->pass;
}

static guint
epie_get_sample (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  return self->sample;
}

static gboolean
shows_best (PrismEpie *self)
{
  return !isnan (self->best_misfit) && !(self->misfit < self->best_misfit);
}

static double
epie_get_misfit (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  return shows_best (self) ? self->best_misfit : self->misfit;
}

static const float *
epie_get_image (PrismSolver *solver)
{
  PrismEpie *self = (PrismEpie *) solver;

  return shows_best (self) ? self->best : self->image;
}

static guint
epie_get_n_extra_passes (PrismSolver *solver)
{
  return 0;
}

static const PrismSolverKind kind = {
  .name = "ePIE",
  .free = epie_free,
  .step = epie_step,
  .finish = epie_finish,
  .move = epie_move,
  .save = epie_save,
  .load = epie_load,
  .is_done = epie_is_done,
  .get_pass = epie_get_pass,
  .get_sample = epie_get_sample,
  .get_misfit = epie_get_misfit,
  .get_image = epie_get_image,
  .get_n_extra_passes = epie_get_n_extra_passes,
};

static void
clear (PrismEpie *self)
{
  epie_free (&self->parent);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismEpie, clear)

/**
 * prism_epie_new:
 * @backend: the device
 * @measurements: of the run; all acquired once when @start is given
 * @spec: passes and step size
 * @start: (nullable): the decoder's image; NULL runs one attempt, from a blank image
 * @error: return location
 *
 * Begins passes of ePIE, or of Mo-PIE where the task of @backend has lines that move: from @start
 * and from a blank image, or from that alone.
 *
 * Shape: @start [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 * Source: numerics.md § 8 and § 10.
 *
 * Returns: (transfer full) (nullable): the method
 */
PrismSolver *
prism_epie_new (PrismBackend *backend,
                PrismMeasurements *measurements,
                const PrismEpieSpec *spec,
                const float *start,
                GError **error)
{
  g_autoptr (PrismEpie) self = g_new0 (PrismEpie, 1);

  self->parent.kind = &kind;
  self->backend = backend;
  self->measurements = measurements;
  self->spec = *spec;
  self->best_misfit = NAN;
  self->second_attempt = start == NULL;
  self->image = prism_arena_new_array (image_bytes (self), "the polished image", error);
  if (self->image == NULL)
    return NULL;
  self->best = prism_arena_new_array (image_bytes (self), "the polished image", error);
  if (self->best == NULL)
    return NULL;
  self->arriving = prism_arena_new_array (image_bytes (self), "the polished image", error);
  if (self->arriving == NULL)
    return NULL;
  if (spec->stop_at_noise
      && !prism_measurements_compute_noise_misfit (measurements, &self->noise_misfit, error))
    return NULL;
  begin_attempt (self, start != NULL && spec->live != NULL ? spec->live : start);
  return &g_steal_pointer (&self)->parent;
}
