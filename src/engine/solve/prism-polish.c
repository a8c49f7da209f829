#include "config.h"

#include "solve/prism-polish.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "solve/prism-refine.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: m = object_size. */

#define MAX_VISITS 64 /* of one step */
#define FIELD(member, type, minimum, maximum)                                                   \
  {                                                                                             \
#member, PRISM_RECORD_##type, G_STRUCT_OFFSET(PrismPolish, member), minimum, maximum, FALSE \
  }

typedef enum
{
  STAGE_UPDATE,   /* some measurements of an ePIE pass a step */
  STAGE_EVALUATE, /* some measurements' misfit of the image a step */
  STAGE_DONE,
} PolishStage;

struct _PrismPolish
{
  PrismRefine *refine; /* (nullable): does it instead of ePIE */
  PrismBackend *backend;
  PrismMeasurements *measurements;
  PrismPolishSpec spec;
  gboolean from_start; /* the attempt under way began at the decoder's image */
  gboolean second_attempt;
  PolishStage stage;
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
};

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

/* What the configuration said when the polish began. */
static const PrismRecordField spec_fields[] = {
  { "n_passes", PRISM_RECORD_INTEGER, G_STRUCT_OFFSET (PrismPolishSpec, n_passes), 1, G_MAXINT32,
    FALSE },
  { "step_size", PRISM_RECORD_REAL, G_STRUCT_OFFSET (PrismPolishSpec, step_size), 0, DBL_MAX,
    FALSE },
  { "smoothness", PRISM_RECORD_REAL, G_STRUCT_OFFSET (PrismPolishSpec, smoothness), 0, DBL_MAX,
    FALSE },
  { "refines", PRISM_RECORD_SWITCH, G_STRUCT_OFFSET (PrismPolishSpec, refines), 0, 1, FALSE },
  { "stop_at_noise", PRISM_RECORD_SWITCH, G_STRUCT_OFFSET (PrismPolishSpec, stop_at_noise), 0, 1,
    FALSE },
  { NULL },
};

static gsize
image_bytes (PrismPolish *self)
{
  return (gsize) self->backend->spec.object_size * self->backend->spec.object_size * sizeof (float);
}

static void
begin_stage (PrismPolish *self,
             PolishStage stage)
{
  self->stage = stage;
  self->sample = 0;
  self->residual = 0.0;
  self->power = 0.0;
}

/* The device begins a pass at the image of the attempt under way. */
static void
start_device (PrismPolish *self)
{
  gboolean blank = !self->from_start && self->pass == 0;

  self->backend->ops->epie_start (self->backend, blank ? NULL : self->image);
}

static void
begin_attempt (PrismPolish *self,
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

/**
 * prism_polish_new:
 * @backend: the device
 * @measurements: of the run; all acquired once when @start is given
 * @spec: passes and step size
 * @start: (nullable): the decoder's image; NULL runs one attempt, from a blank image
 * @error: return location
 *
 * Begins ePIE passes.
 *
 * Shape: @start [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 * Source: numerics.md § 8 and § 10.
 *
 * Returns: (transfer full) (nullable): the polish
 */
PrismPolish *
prism_polish_new (PrismBackend *backend,
                  PrismMeasurements *measurements,
                  const PrismPolishSpec *spec,
                  const float *start,
                  GError **error)
{
  g_autoptr (PrismPolish) self = g_new0 (PrismPolish, 1);

  self->backend = backend;
  self->measurements = measurements;
  self->spec = *spec;
  if (spec->refines && start != NULL && backend->ops->descend != NULL)
    {
      const PrismRefineSpec refine
          = { spec->n_passes, spec->smoothness, spec->band, spec->live };

      self->refine = prism_refine_new (backend, measurements, &refine, start, error);
      return self->refine != NULL ? g_steal_pointer (&self) : NULL;
    }
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
  return g_steal_pointer (&self);
}

/**
 * prism_polish_free:
 * @self: (nullable): a polish
 *
 * Thread: engine.
 */
void
prism_polish_free (PrismPolish *self)
{
  if (self == NULL)
    return;
  prism_refine_free (self->refine);
  prism_arena_free_array (self->image);
  prism_arena_free_array (self->best);
  prism_arena_free_array (self->arriving);
  g_free (self);
}

static void
keep_better (PrismPolish *self)
{
  if (!isnan (self->best_misfit) && !(self->misfit < self->best_misfit))
    return;
  memcpy (self->best, self->image, image_bytes (self));
  self->best_misfit = self->misfit;
}

/* With noise an image that explains the data down to the noise needs no rival: the decoder's
 * answer is the better guess for what the noise hides. */
static void
end_attempt (PrismPolish *self)
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
take_image (PrismPolish *self,
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
end_pass (PrismPolish *self,
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
end_evaluation (PrismPolish *self,
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
update_samples (PrismPolish *self,
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
evaluate_samples (PrismPolish *self,
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

/**
 * prism_polish_step:
 * @self: a polish that is not done
 * @n_samples: how many measurements to visit at most, at least 1
 * @pass_done: (out): whether an ePIE pass ended with this step
 * @error: return location
 *
 * Visits some measurements of a pass.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it went well
 */
gboolean
prism_polish_step (PrismPolish *self,
                   guint n_samples,
                   gboolean *pass_done,
                   GError **error)
{
  guint n = prism_measurements_get_n (self->measurements);
  gboolean updates = self->stage == STAGE_UPDATE;

  if (self->refine != NULL)
    return prism_refine_step (self->refine, n_samples, pass_done, error);

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

/**
 * prism_polish_finish:
 * @self: a polish
 *
 * Ends it where it is, for a user who does not want to wait: the better of what was reached is
 * kept.
 *
 * Thread: engine.
 */
void
prism_polish_finish (PrismPolish *self)
{
  if (self->refine != NULL)
    {
      prism_refine_finish (self->refine);
      return;
    }
  if (self->stage == STAGE_DONE)
    return;
  if (self->stage == STAGE_UPDATE && self->sample > 0 && isnan (self->best_misfit))
    take_image (self, NULL);
  keep_better (self);
  begin_stage (self, STAGE_DONE);
}

/**
 * prism_polish_move:
 * @self: a polish
 * @backend: another device, to which the measurements have moved
 *
 * Goes on there from the last whole pass; the old device is not touched.
 *
 * Thread: engine.
 */
void
prism_polish_move (PrismPolish *self,
                   PrismBackend *backend)
{
  self->backend = backend;
  if (self->refine != NULL)
    prism_refine_move (self->refine, backend);
  if (self->refine != NULL || self->stage == STAGE_DONE)
    return;
  start_device (self);
  begin_stage (self, self->stage);
}

/**
 * prism_polish_save:
 * @self: a polish
 * @bundle: where to
 * @error: return location
 *
 * Adds the state at the beginning of the pass under way: its visits are then done again.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_polish_save (PrismPolish *self,
                   PrismBundle *bundle,
                   GError **error)
{
  gsize m = self->backend->spec.object_size;

  prism_bundle_take_text (bundle, "polish-spec.json",
                          prism_record_to_text (spec_fields, &self->spec));
  if (self->refine != NULL)
    return prism_refine_save (self->refine, bundle, error);
  prism_bundle_take_text (bundle, "polish.json", prism_record_to_text (fields, self));
  return prism_bundle_add_plane (bundle, "polish-image.npy", self->image, m, error)
         && prism_bundle_add_plane (bundle, "polish-best.npy", self->best, m, error);
}

/**
 * prism_polish_load_spec:
 * @spec: (inout): what the configuration says now
 * @bundle: what prism_polish_save() added to
 * @error: return location
 *
 * Says how the polish was begun: live settings may have changed since.
 *
 * Errors: PRISM_ERROR_FORMAT.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_polish_load_spec (PrismPolishSpec *spec,
                        PrismBundle *bundle,
                        GError **error)
{
  const char *text = prism_bundle_get_text (bundle, "polish-spec.json", error);

  return text != NULL && prism_record_parse (spec_fields, spec, text, "polish-spec.json", error);
}

/**
 * prism_polish_load:
 * @self: a polish of the same run
 * @bundle: what prism_polish_save() added to
 * @error: return location
 *
 * Goes on from there, bit for bit.
 *
 * Errors: PRISM_ERROR_FORMAT; the polish is then of no use.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_polish_load (PrismPolish *self,
                   PrismBundle *bundle,
                   GError **error)
{
  gsize m = self->backend->spec.object_size;
  const char *numbers;

  if (self->refine != NULL)
    return prism_refine_load (self->refine, bundle, error);
  numbers = prism_bundle_get_text (bundle, "polish.json", error);
  if (numbers == NULL || !prism_record_parse (fields, self, numbers, "polish.json", error)
      || !prism_bundle_copy_plane (bundle, "polish-image.npy", self->image, m, error)
      || !prism_bundle_copy_plane (bundle, "polish-best.npy", self->best, m, error))
    return FALSE;
  start_device (self);
  begin_stage (self, self->stage);
  return TRUE;
}

/**
 * prism_polish_is_done:
 * @self: a polish
 *
 * Returns: whether no step is left
 */
gboolean
prism_polish_is_done (PrismPolish *self)
{
  if (self->refine != NULL)
    return prism_refine_is_done (self->refine);
  return self->stage == STAGE_DONE;
}

/**
 * prism_polish_get_pass:
 * @self: a polish
 *
 * Returns: the number of passes done, both attempts together
 */
guint
prism_polish_get_pass (PrismPolish *self)
{
  if (self->refine != NULL)
    return prism_refine_get_pass (self->refine);
  return self->passes_before + self->pass;
}

/**
 * prism_polish_get_sample:
 * @self: a polish
 *
 * Returns: the number of the measurement that comes next
 */
guint
prism_polish_get_sample (PrismPolish *self)
{
  if (self->refine != NULL)
    return prism_refine_get_sample (self->refine);
  return self->sample;
}

static gboolean
shows_best (PrismPolish *self)
{
  return !isnan (self->best_misfit) && !(self->misfit < self->best_misfit);
}

/**
 * prism_polish_get_misfit:
 * @self: a polish
 *
 * Returns: Σ(|φ|-A)²/ΣA² of prism_polish_get_image(), NAN before it is known
 */
double
prism_polish_get_misfit (PrismPolish *self)
{
  if (self->refine != NULL)
    return prism_refine_get_misfit (self->refine);
  return shows_best (self) ? self->best_misfit : self->misfit;
}

/**
 * prism_polish_get_image:
 * @self: a polish
 *
 * The better of the two attempts so far, so that the picture never falls back to the blank one.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none): the image, valid until the next step
 */
const float *
prism_polish_get_image (PrismPolish *self)
{
  if (self->refine != NULL)
    return prism_refine_get_image (self->refine);
  return shows_best (self) ? self->best : self->image;
}

/**
 * prism_polish_get_n_extra_passes:
 * @self: a polish
 *
 * Returns: passes beyond those that the configuration asks for, once they are known to be needed
 */
guint
prism_polish_get_n_extra_passes (PrismPolish *self)
{
  return self->refine != NULL ? prism_refine_get_n_extra_passes (self->refine) : 0;
}
