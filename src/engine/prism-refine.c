#include "config.h"

#include "prism-refine.h"

#include "prism-arena.h"
#include "prism-descent.h"
#include "prism-error.h"
#include "prism-record.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define BAND_DAMPING 0.5
/* An image explains the data when its misfit is at most so many times what the noise alone leaves,
 * or without noise this part of Σ w·ΣA². In the right basin it is 0.9 to 1.05 times, or 1e-5. */
#define UNEXPLAINED_BY_NOISE 1.1
#define UNEXPLAINED 1e-3
/* By this part of what noise leaves, or without noise of Σ w·ΣA². */
#define BETTER_IN_NOISE 0.005
#define BETTER 1e-4
/* By so many times what noise that is fitted brings; see get_lead(). 64 px in 256 px, r 10, 10 dB:
 * the live picture explains bars better than the decoder's does by 7.6 times that, and ends 6 dB
 * above; moon by 0.1 times that, and ends 3 dB below. */
#define BETTER_THAN_FITTED 2.0
/* A live picture has found its basin: what is left is to average. 64 px in 256 px, last attempt at
 * 1 and at ½: points r 20 20 dB 54.7 and 57.0 dB, bars r 10 20 dB 45.0 and 46.3, moon r 14 10 dB
 * 37.7 and 37.8. */
#define EXPONENT_AFTER_LIVE 0.5
#define LONG_FACTOR 4 /* times the passes of another attempt */
#define FIELD(member, type, minimum, maximum)                                                   \
  {                                                                                             \
#member, PRISM_RECORD_##type, G_STRUCT_OFFSET(PrismRefine, member), minimum, maximum, FALSE \
  }

typedef enum
{
  ATTEMPT_LIVE,    /* from the live picture, where there is one */
  ATTEMPT_DECODER, /* from the decoder's image */
  ATTEMPT_BLANK,   /* from a blank one */
  ATTEMPT_LONG,    /* from a blank one again, with more patience, when neither explains the data */
  ATTEMPT_FINAL,   /* from the best of them, held to the decoder's image by noise */
  ATTEMPT_NONE,
} Attempt;

struct _PrismRefine
{
  PrismBackend *backend;
  PrismDescent *descent;
  guint n_passes;
  Attempt attempt;
  gboolean has_live;
  gboolean best_is_live; /* best came from the live picture */
  gboolean needs_long;
  gboolean shows_best; /* instead of the image of the attempt under way */
  guint pass;          /* of the attempt under way */
  guint passes_before; /* of the attempts before it */
  double fitted;       /* part of what noise leaves that as many unknowns as m² can fit */
  double best_misfit;  /* of best; NAN before the first attempt ended */
  float *anchor;       /* [m][m] the decoder's image, held to the band */
  float *best;         /* [m][m] */
};

static const PrismRecordField fields[] = {
  FIELD (attempt, INTEGER, ATTEMPT_LIVE, ATTEMPT_NONE),
  FIELD (has_live, SWITCH, 0, 1),
  FIELD (best_is_live, SWITCH, 0, 1),
  FIELD (needs_long, SWITCH, 0, 1),
  FIELD (shows_best, SWITCH, 0, 1),
  FIELD (pass, INTEGER, 0, G_MAXINT32),
  FIELD (passes_before, INTEGER, 0, G_MAXINT32),
  FIELD (best_misfit, REAL, 0, DBL_MAX),
  { NULL },
};

static gsize
count_pixels (PrismRefine *self)
{
  return (gsize) self->backend->spec.object_size * self->backend->spec.object_size;
}

static guint
count_passes (PrismRefine *self)
{
  return self->attempt == ATTEMPT_LONG ? LONG_FACTOR * self->n_passes : self->n_passes;
}

/* The first attempt and the last one are shown as they go. */
static gboolean
is_rival (PrismRefine *self)
{
  return self->attempt == ATTEMPT_BLANK || self->attempt == ATTEMPT_LONG
         || (self->attempt == ATTEMPT_DECODER && self->has_live);
}

/* Faint measurements have little noise. Weighted by it they give the likeliest image, but slowly,
 * and from afar into the wrong basin; hence first equal weights, then half the exponent. A 64 px
 * image of two points in 256 px, r = 10, 20 dB, ends at 23 dB without the equal weights and at 48
 * with them. */
static double
get_exponent (PrismRefine *self)
{
  static const double exponents[][4] = {
    [ATTEMPT_LIVE] = { 0.5, 0.5, 0.5, 1.0 },
    [ATTEMPT_DECODER] = { 0.0, 0.5, 1.0, 1.0 },
    [ATTEMPT_BLANK] = { 0.0, 0.0, 0.5, 1.0 },
    [ATTEMPT_LONG] = { 0.0, 0.0, 0.5, 1.0 },
    [ATTEMPT_FINAL] = { 1.0, 1.0, 1.0, 1.0 },
  };

  if (self->attempt == ATTEMPT_FINAL && self->best_is_live)
    return EXPONENT_AFTER_LIVE;
  return exponents[self->attempt][4 * self->pass / count_passes (self)];
}

static gboolean
begin_attempt (PrismRefine *self,
               Attempt attempt,
               const float *start,
               GError **error)
{
  self->attempt = attempt;
  self->shows_best = is_rival (self);
  self->passes_before += self->pass;
  self->pass = 0;
  prism_descent_set_image (self->descent, start);
  return prism_descent_set_exponent (self->descent, get_exponent (self), error);
}

static gboolean
allocate (PrismRefine *self,
          GError **error)
{
  gsize bytes = count_pixels (self) * sizeof (float);

  self->anchor = prism_arena_new_array (bytes, "the refined image", error);
  if (self->anchor == NULL)
    return FALSE;
  self->best = prism_arena_new_array (bytes, "the refined image", error);
  return self->best != NULL;
}

/* No pass changes what is beyond the band. The decoder's guess there is about as far from the truth
 * as nothing at all: halved it is nearer than either. On six images of 64 px without noise an
 * empty corner of k-space is 7 dB better to 4 dB worse than the guess, and half of it within 4 dB
 * of the better one, mostly above both. Noise has the image held to the decoder's instead. */
static void
hold_to_band (PrismRefine *self,
              const PrismBand *band)
{
  PrismBand damped = *band;

  damped.damping = prism_descent_has_noise (self->descent) ? 0.0 : BAND_DAMPING;
  /* Without the memory for it the start image is good enough as it is. */
  prism_band_apply (&damped, self->anchor, NULL);
}

/**
 * prism_refine_new:
 * @backend: a device that has add_misfit_gradient
 * @measurements: of the run; all acquired once
 * @n_passes: of each attempt, at least 1
 * @band: what the decoder's image is held to
 * @start: (array): the decoder's image
 * @live: (nullable) (array): the live picture
 * @error: return location
 *
 * Begins the refinement.
 *
 * Shape: @start and @live [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 *
 * Returns: (transfer full) (nullable): the refinement
 */
PrismRefine *
prism_refine_new (PrismBackend *backend,
                  PrismMeasurements *measurements,
                  guint n_passes,
                  const PrismBand *band,
                  const float *start,
                  const float *live,
                  GError **error)
{
  g_autoptr (PrismRefine) self = g_new0 (PrismRefine, 1);
  double n = backend->spec.image_size;

  g_return_val_if_fail (n_passes > 0, NULL);

  self->backend = backend;
  self->n_passes = n_passes;
  self->best_misfit = NAN;
  self->fitted = count_pixels (self) / (n * n * prism_measurements_get_n (measurements));
  self->descent = prism_descent_new (backend, measurements, error);
  if (self->descent == NULL || !allocate (self, error)
      || !prism_descent_add_samples (self->descent, prism_measurements_get_n (measurements), error))
    return NULL;
  memcpy (self->anchor, start, count_pixels (self) * sizeof (float));
  hold_to_band (self, band);
  self->has_live = live != NULL;
  if (!(live != NULL ? begin_attempt (self, ATTEMPT_LIVE, live, error)
                     : begin_attempt (self, ATTEMPT_DECODER, self->anchor, error)))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_refine_free:
 * @self: (nullable): a refinement
 *
 * Thread: engine.
 */
void
prism_refine_free (PrismRefine *self)
{
  if (self == NULL)
    return;
  prism_descent_free (self->descent);
  prism_arena_free_array (self->anchor);
  prism_arena_free_array (self->best);
  g_free (self);
}

/* Read noise is in every dark pixel, too: its misfit drowns what tells a wrong basin, so that all
 * attempts are made. */
static gboolean
is_explained (PrismRefine *self)
{
  if (prism_descent_has_read_noise (self->descent))
    return FALSE;
  return self->best_misfit <= (prism_descent_has_noise (self->descent)
                                   ? UNEXPLAINED_BY_NOISE
                                         * prism_descent_get_noise_misfit (self->descent)
                                   : UNEXPLAINED * prism_descent_get_power (self->descent));
}

/* How much less misfit than the best one the attempt that has ended must have, so that it is the
 * better image rather than the one that has fitted noise.
 *
 * k unknowns that are fitted to noise take away k times its variance. The live picture has been
 * fitted to it, and the decoder's image is right about what was not measured: it comes first unless
 * the live picture explains the data better than that. Otherwise what explains the data gives way
 * only to what does so clearly better. */
static double
get_lead (PrismRefine *self)
{
  gboolean has_noise = prism_descent_has_noise (self->descent);
  double noise_misfit = prism_descent_get_noise_misfit (self->descent);

  if (!self->best_is_live)
    return 0.0;
  if (self->attempt == ATTEMPT_DECODER && has_noise)
    return -BETTER_THAN_FITTED * self->fitted * noise_misfit;
  if (!is_explained (self))
    return 0.0;
  return has_noise ? BETTER_IN_NOISE * noise_misfit
                   : BETTER * prism_descent_get_power (self->descent);
}

/* Two images that explain data without noise differ in what was not measured, and their errors
 * there have little to do with each other: the mean has half the variance. */
static gboolean
must_mix (PrismRefine *self,
          double misfit)
{
  return self->best_is_live && self->attempt == ATTEMPT_DECODER
         && !prism_descent_has_noise (self->descent)
         && MAX (misfit, self->best_misfit)
                <= UNEXPLAINED * prism_descent_get_power (self->descent);
}

static void
mix (PrismRefine *self)
{
  const float *image = prism_descent_get_image (self->descent);

  for (gsize i = 0; i < count_pixels (self); i++)
    self->best[i] = 0.5f * (self->best[i] + image[i]);
}

static void
keep_better (PrismRefine *self)
{
  double misfit = prism_descent_get_misfit (self->descent);

  if (must_mix (self, misfit))
    {
      self->best_misfit = MAX (misfit, self->best_misfit);
      mix (self);
      return;
    }
  if (!isnan (self->best_misfit) && !(misfit < self->best_misfit - get_lead (self)))
    return;
  memcpy (self->best, prism_descent_get_image (self->descent),
          count_pixels (self) * sizeof (float));
  self->best_misfit = misfit;
  self->best_is_live = self->attempt == ATTEMPT_LIVE;
}

static gboolean
end_attempt (PrismRefine *self,
             GError **error)
{
  switch (self->attempt)
    {
    case ATTEMPT_LIVE:
      keep_better (self);
      return begin_attempt (self, ATTEMPT_DECODER, self->anchor, error);
    case ATTEMPT_DECODER:
      keep_better (self);
      return begin_attempt (self, ATTEMPT_BLANK, NULL, error);
    case ATTEMPT_BLANK:
    case ATTEMPT_LONG:
      keep_better (self);
      if (self->attempt == ATTEMPT_BLANK && !is_explained (self))
        {
          self->needs_long = TRUE;
          return begin_attempt (self, ATTEMPT_LONG, NULL, error);
        }
      prism_descent_hold (self->descent, self->anchor, self->best);
      return begin_attempt (self, ATTEMPT_FINAL, self->best, error);
    case ATTEMPT_FINAL:
    case ATTEMPT_NONE:
    default:
      self->attempt = ATTEMPT_NONE;
      return TRUE;
    }
}

static gboolean
end_pass (PrismRefine *self,
          GError **error)
{
  double exponent;

  self->pass++;
  if (self->pass >= count_passes (self) || prism_descent_is_exact (self->descent))
    return end_attempt (self, error);
  exponent = get_exponent (self);
  return exponent == prism_descent_get_exponent (self->descent)
         || prism_descent_set_exponent (self->descent, exponent, error);
}

/**
 * prism_refine_step:
 * @self: a refinement that is not done
 * @n_samples: how many measurements to visit at most, at least 1
 * @pass_done: (out): whether a pass ended with this step
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
prism_refine_step (PrismRefine *self,
                   guint n_samples,
                   gboolean *pass_done,
                   GError **error)
{
  *pass_done = FALSE;
  g_return_val_if_fail (self->attempt != ATTEMPT_NONE, TRUE);

  if (!prism_descent_step (self->descent, n_samples, pass_done, error))
    return FALSE;
  return !*pass_done || end_pass (self, error);
}

/**
 * prism_refine_finish:
 * @self: a refinement
 *
 * Ends it where it is, for a user who does not want to wait.
 *
 * Thread: engine.
 */
void
prism_refine_finish (PrismRefine *self)
{
  self->attempt = ATTEMPT_NONE;
}

/**
 * prism_refine_move:
 * @self: a refinement
 * @backend: another device, to which the measurements have moved
 *
 * Goes on there from the last whole pass; the old device is not touched.
 *
 * Thread: engine.
 */
void
prism_refine_move (PrismRefine *self,
                   PrismBackend *backend)
{
  self->backend = backend;
  prism_descent_move (self->descent, backend);
}

/**
 * prism_refine_save:
 * @self: a refinement
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
prism_refine_save (PrismRefine *self,
                   PrismBundle *bundle,
                   GError **error)
{
  gsize m = self->backend->spec.object_size;

  prism_bundle_take_text (bundle, "refine.json", prism_record_to_text (fields, self));
  return prism_bundle_add_plane (bundle, "refine-anchor.npy", self->anchor, m, error)
         && prism_bundle_add_plane (bundle, "refine-best.npy", self->best, m, error)
         && prism_descent_save (self->descent, bundle, "descent", error);
}

static gboolean
check_pass (PrismRefine *self,
            GError **error)
{
  if (self->attempt == ATTEMPT_NONE || self->pass < count_passes (self))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "“pass” of refine.json cannot be used: %u is not below %u.", self->pass,
               count_passes (self));
  return FALSE;
}

/**
 * prism_refine_load:
 * @self: a refinement of the same run
 * @bundle: what prism_refine_save() added to
 * @error: return location
 *
 * Goes on from there, bit for bit.
 *
 * Errors: PRISM_ERROR_FORMAT; the refinement is then of no use.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_refine_load (PrismRefine *self,
                   PrismBundle *bundle,
                   GError **error)
{
  gsize m = self->backend->spec.object_size;
  const char *numbers = prism_bundle_get_text (bundle, "refine.json", error);

  return numbers != NULL && prism_record_parse (fields, self, numbers, "refine.json", error)
         && check_pass (self, error)
         && prism_bundle_copy_plane (bundle, "refine-anchor.npy", self->anchor, m, error)
         && prism_bundle_copy_plane (bundle, "refine-best.npy", self->best, m, error)
         && prism_descent_load (self->descent, bundle, "descent", error);
}

/**
 * prism_refine_is_done:
 * @self: a refinement
 *
 * Returns: whether no step is left
 */
gboolean
prism_refine_is_done (PrismRefine *self)
{
  return self->attempt == ATTEMPT_NONE;
}

/**
 * prism_refine_get_pass:
 * @self: a refinement
 *
 * Returns: the number of passes done, all attempts together
 */
guint
prism_refine_get_pass (PrismRefine *self)
{
  return self->passes_before + self->pass;
}

/**
 * prism_refine_get_sample:
 * @self: a refinement
 *
 * Returns: the number of the measurement that comes next
 */
guint
prism_refine_get_sample (PrismRefine *self)
{
  return prism_descent_get_sample (self->descent);
}

/**
 * prism_refine_get_misfit:
 * @self: a refinement
 *
 * Returns: Σ w·Σ(H(|φ|)-T)² / Σ w·ΣA² of prism_refine_get_image(), NAN before it is known
 */
double
prism_refine_get_misfit (PrismRefine *self)
{
  double misfit = self->shows_best ? self->best_misfit : prism_descent_get_misfit (self->descent);

  return misfit / prism_descent_get_power (self->descent);
}

/**
 * prism_refine_get_image:
 * @self: a refinement
 *
 * While an attempt is under way that may come to nothing this is the best one before it, so that
 * the picture never falls back.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none): the image, valid until the next step
 */
const float *
prism_refine_get_image (PrismRefine *self)
{
  return self->shows_best ? self->best : prism_descent_get_image (self->descent);
}

/**
 * prism_refine_get_n_extra_passes:
 * @self: a refinement
 *
 * Returns: passes of the attempts that are not always made, once they have turned out to be needed
 */
guint
prism_refine_get_n_extra_passes (PrismRefine *self)
{
  return (self->needs_long ? LONG_FACTOR * self->n_passes : 0)
         + (self->has_live ? self->n_passes : 0);
}
