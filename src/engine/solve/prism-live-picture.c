#include "config.h"

#include "solve/prism-live-picture.h"

#include "base/prism-arena.h"
#include "base/prism-record.h"
#include "num/prism-tuning.h"
#include "solve/prism-descent-choice.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: m = object_size, N = samples. */

/* Of the copies on a device. */
#define PLACE_OF_LIVE 0
#define PLACE_OF_RIVAL 1
#define FIELD(member, type, least, most)                                                        \
  {                                                                                             \
#member, PRISM_RECORD_##type, G_STRUCT_OFFSET(PrismLivePicture, member), least, most, FALSE \
  }

struct _PrismLivePicture
{
  PrismBackend *backend;
  PrismMeasurements *measurements;
  PrismDescent *live;
  PrismDescent *rival; /* from the decoder's image */
  guint n_rounds;      /* begun */
  guint n_passes;      /* of the round under way, of each image */
  guint pass;          /* of the round under way, both images together */
  guint n_samples;     /* of the round under way */
  gboolean challenged; /* the rival takes part */
  gboolean is_stale;   /* what is known of the noise no longer holds */
  gboolean is_last;    /* the round under way is the last one */
  double smoothness;   /* factor of the total variation that the user wants */
  double misfit;       /* of image, relative to Σ ΣA²; NAN before the first round */
  float *image;        /* [m][m] the live picture after the last whole round */
};

static const PrismRecordField fields[] = {
  FIELD (n_rounds, INTEGER, 0, G_MAXINT32),
  FIELD (n_passes, INTEGER, 0, G_MAXINT32),
  FIELD (pass, INTEGER, 0, G_MAXINT32),
  FIELD (n_samples, INTEGER, 0, G_MAXINT32),
  FIELD (challenged, SWITCH, 0, 1),
  FIELD (is_stale, SWITCH, 0, 1),
  FIELD (is_last, SWITCH, 0, 1),
  FIELD (smoothness, REAL, 0, DBL_MAX),
  FIELD (misfit, REAL, 0, DBL_MAX),
  { NULL },
};

/**
 * prism_live_picture_is_due:
 * @n_samples: measurements so far, at least 1
 * @n_all: N
 *
 * Returns: whether a round belongs here: after every sample, of a hundred or more after every
 * second, third and so on, and after the last
 */
gboolean
prism_live_picture_is_due (guint n_samples,
                           guint n_all)
{
  guint most = prism_tuning_get_count (PRISM_TUNING_LIVE_ROUNDS);
  guint stride = (n_all + most - 1) / most;

  return n_samples == 1 || n_samples >= n_all || n_samples % stride == 0;
}

/**
 * prism_live_picture_new:
 * @backend: a device that has descend
 * @measurements: of the run
 * @error: return location
 *
 * Makes room for a live picture.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 * Source: numerics.md, “Live picture”.
 *
 * Returns: (transfer full) (nullable): the live picture, which begins with its first round
 */
PrismLivePicture *
prism_live_picture_new (PrismBackend *backend,
                        PrismMeasurements *measurements,
                        GError **error)
{
  g_autoptr (PrismLivePicture) self = g_new0 (PrismLivePicture, 1);
  gsize m = backend->spec.object_size;

  self->backend = backend;
  self->measurements = measurements;
  self->misfit = NAN;
  self->live = prism_descent_new (backend, measurements, PLACE_OF_LIVE, error);
  if (self->live == NULL)
    return NULL;
  self->rival = prism_descent_new (backend, measurements, PLACE_OF_RIVAL, error);
  if (self->rival == NULL)
    return NULL;
  self->image = prism_arena_new_array (m * m * sizeof (float), "the live picture", error);
  return self->image != NULL ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_live_picture_free:
 * @self: (nullable): a live picture
 *
 * Thread: engine.
 */
void
prism_live_picture_free (PrismLivePicture *self)
{
  if (self == NULL)
    return;
  prism_descent_free (self->live);
  prism_descent_free (self->rival);
  prism_arena_free_array (self->image);
  g_free (self);
}

/**
 * prism_live_picture_move:
 * @self: a live picture
 * @backend: another device, to which the measurements have moved
 *
 * Goes on there from the last whole pass; the old device is not touched.
 *
 * Thread: engine.
 */
void
prism_live_picture_move (PrismLivePicture *self,
                         PrismBackend *backend)
{
  self->backend = backend;
  prism_descent_move (self->live, backend);
  prism_descent_move (self->rival, backend);
}

/**
 * prism_live_picture_forget_noise:
 * @self: a live picture
 *
 * Has the next round learn how strong the noise is: the measurements are taken anew, and the pass
 * under way begins again with them.
 *
 * Thread: engine.
 */
void
prism_live_picture_forget_noise (PrismLivePicture *self)
{
  self->is_stale = TRUE;
  prism_descent_repeat_pass (self->live);
  prism_descent_repeat_pass (self->rival);
}

/**
 * prism_live_picture_has_forgotten_noise:
 * @self: a live picture
 *
 * Returns: whether there was no round since prism_live_picture_forget_noise()
 */
gboolean
prism_live_picture_has_forgotten_noise (PrismLivePicture *self)
{
  return self->is_stale;
}

/* Equal weights find the basin; higher exponents, late, let the outer measurements count that the
 * noise of the bright ones drowns. A sudden change would cost up to 3 dB that take ten samples to
 * come back. A rival of the last round goes the whole way in it. */
static double
get_exponent (PrismLivePicture *self,
              PrismDescent *descent)
{
  const double equal = prism_tuning_get (PRISM_TUNING_LIVE_EQUAL_WEIGHTS);
  double part = (double) self->n_samples / prism_measurements_get_n (self->measurements);

  if (self->is_last && descent == self->rival)
    part = prism_tuning_get (PRISM_TUNING_LIVE_RIVAL_FROM)
           + prism_tuning_get (PRISM_TUNING_LIVE_RIVAL_RISE) * (self->pass % self->n_passes)
                 / self->n_passes;
  part = (part - equal) / (1.0 - equal);
  return prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT) * CLAMP (part, 0.0, 1.0);
}

static gboolean
add_samples (PrismLivePicture *self,
             PrismDescent *descent,
             GError **error)
{
  return prism_descent_add_samples (descent, self->n_samples, error)
         && prism_descent_set_exponent (descent, get_exponent (self, descent), error);
}

/* While samples arrive without noise more of it fills what they leave open in the few passes of a
 * round. */
static void
choose_smoothness (PrismLivePicture *self,
                   PrismDescent *descent)
{
  double factor = prism_descent_has_noise (descent)
                      ? 1.0
                      : prism_tuning_get (PRISM_TUNING_LIVE_VARIATION);

  if (self->is_last)
    prism_descent_cool (descent, self->smoothness, self->pass % self->n_passes, self->n_passes);
  else
    prism_descent_set_smoothness (descent, self->smoothness * factor);
}

/* The exponent of the last round's rival is another one from pass to pass. */
static gboolean
begin_pass (PrismLivePicture *self,
            PrismDescent *descent,
            GError **error)
{
  double exponent = get_exponent (self, descent);

  choose_smoothness (self, descent);
  return exponent == prism_descent_get_exponent (descent)
         || prism_descent_set_exponent (descent, exponent, error);
}

/* One that is only a little ahead may be so by being younger. */
static double
get_margin (PrismLivePicture *self)
{
  const double equal = prism_tuning_get (PRISM_TUNING_LIVE_EQUAL_WEIGHTS);
  guint n = prism_measurements_get_n (self->measurements);

  if (self->is_last && prism_live_picture_is_done (self))
    return prism_tuning_get (PRISM_TUNING_LIVE_MARGIN_LAST);
  return prism_tuning_get (self->n_samples < equal * n ? PRISM_TUNING_LIVE_MARGIN_EARLY
                                                       : PRISM_TUNING_LIVE_MARGIN_LATE);
}

/* With noise a rival has to win by more than noise can feign, or after the last round, when both
 * are as far as they come, by what was not measured. */
static gboolean
rival_wins (PrismLivePicture *self)
{
  PrismDescent *live = self->live, *rival = self->rival;
  double misfit = prism_descent_get_misfit (rival), other = prism_descent_get_misfit (live);

  if (!prism_descent_has_noise (live))
    return !prism_descent_meets_data (live, other) && get_margin (self) * misfit < other;
  if (self->is_last && prism_live_picture_is_done (self))
    return prism_descent_prefers (live, prism_descent_get_image (rival), misfit,
                                  prism_descent_get_image (live), other);
  return prism_descent_explains_better (live, misfit, other);
}

static void
choose (PrismLivePicture *self)
{
  PrismDescent *live = self->live;

  if (!rival_wins (self))
    return;
  self->live = self->rival;
  self->rival = live;
}

/* Without noise no rival can win against an image that explains the data. */
static gboolean
is_worth_a_challenge (PrismLivePicture *self)
{
  PrismDescent *live = self->live;

  return self->n_rounds > 0
         && (prism_descent_has_noise (live)
             || !(prism_descent_get_misfit (live)
                  < prism_tuning_get (PRISM_TUNING_LIVE_EXPLAINED)
                        * prism_descent_get_power (live)));
}

/* Each challenge gives the decoder's image as many rounds to come down to the data as the live
 * picture has had since the one before. */
static gboolean
is_round_of_challenge (PrismLivePicture *self)
{
  return self->n_rounds % prism_tuning_get_count (PRISM_TUNING_LIVE_CHALLENGE) == 0;
}

static gboolean
begin_rival (PrismLivePicture *self,
             const float *decoder,
             GError **error)
{
  if (self->is_last && self->challenged)
    choose (self);
  if (self->is_last || is_round_of_challenge (self))
    {
      self->challenged = is_worth_a_challenge (self);
      prism_descent_set_image (self->rival, decoder);
    }
  return !self->challenged || add_samples (self, self->rival, error);
}

/* More passes of a round of few samples cost next to nothing. */
static guint
get_n_passes (const PrismLivePictureRound *round)
{
  guint whole = prism_tuning_get_count (PRISM_TUNING_LIVE_SAMPLES);
  guint factor = (whole + round->n_samples - 1) / round->n_samples;

  if (round->last)
    factor = prism_tuning_get_count (PRISM_TUNING_LIVE_LAST);
  return factor * round->n_passes;
}

/**
 * prism_live_picture_begin:
 * @self: a live picture whose last round is done, or was given up
 * @round: what to do
 * @decoder: (array): the decoder's image
 * @error: return location
 *
 * Begins a round: measurements that are new count from now on. Momentum is carried over from round
 * to round, which is what makes a few passes enough.
 *
 * Shape: @decoder [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it has begun
 */
gboolean
prism_live_picture_begin (PrismLivePicture *self,
                          const PrismLivePictureRound *round,
                          const float *decoder,
                          GError **error)
{
  self->n_samples = round->n_samples;
  self->is_last = round->last;
  self->smoothness = round->smoothness;
  self->n_passes = get_n_passes (round);
  self->pass = 0;
  if (self->is_stale)
    {
      prism_descent_forget_samples (self->live);
      prism_descent_forget_samples (self->rival);
      self->is_stale = FALSE;
    }
  if (self->n_rounds == 0)
    prism_descent_set_image (self->live, decoder);
  /* The misfit that decides about a rival is that of the round before. */
  if (!begin_rival (self, decoder, error) || !add_samples (self, self->live, error))
    return FALSE;
  self->n_rounds++;
  return TRUE;
}

static void
end_round (PrismLivePicture *self)
{
  gsize m = self->backend->spec.object_size;

  if (self->challenged && (self->is_last || is_round_of_challenge (self)))
    choose (self);
  memcpy (self->image, prism_descent_get_image (self->live), m * m * sizeof (float));
  self->misfit = prism_descent_get_misfit (self->live) / prism_descent_get_power (self->live);
}

/**
 * prism_live_picture_step:
 * @self: a live picture whose round is not done
 * @n_samples: how many measurements to visit at most, at least 1
 * @n_visited: (out): how many were visited
 * @error: return location
 *
 * Visits some measurements of a pass. The picture changes with the last step of a round alone.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it went well
 */
gboolean
prism_live_picture_step (PrismLivePicture *self,
                         guint n_samples,
                         guint *n_visited,
                         GError **error)
{
  PrismDescent *descent = self->pass < self->n_passes ? self->live : self->rival;
  guint before = prism_descent_get_sample (descent), after;
  gboolean pass_done;

  g_return_val_if_fail (!prism_live_picture_is_done (self), TRUE);

  if (before == 0 && !begin_pass (self, descent, error))
    return FALSE;
  if (!prism_descent_step (descent, n_samples, &pass_done, error))
    return FALSE;
  after = prism_descent_get_sample (descent);
  if (after == 0)
    after = self->n_samples;
  *n_visited = after - before;
  if (pass_done)
    self->pass++;
  if (prism_live_picture_is_done (self))
    end_round (self);
  return TRUE;
}

/**
 * prism_live_picture_save:
 * @self: a live picture
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
prism_live_picture_save (PrismLivePicture *self,
                         PrismBundle *bundle,
                         GError **error)
{
  gsize m = self->backend->spec.object_size;

  prism_bundle_take_text (bundle, "consistency.json", prism_record_to_text (fields, self));
  return prism_bundle_add_plane (bundle, "consistency-image.npy", self->image, m, error)
         && prism_descent_save (self->live, bundle, "live", error)
         && prism_descent_save (self->rival, bundle, "rival", error);
}

/**
 * prism_live_picture_load:
 * @self: a live picture of the same run
 * @bundle: what prism_live_picture_save() added to
 * @error: return location
 *
 * Goes on from there, bit for bit. Where prism_live_picture_has_forgotten_noise() does not hold the
 * measurements so far must be acquired before the next step.
 *
 * Errors: PRISM_ERROR_FORMAT; the live picture is then of no use.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_live_picture_load (PrismLivePicture *self,
                         PrismBundle *bundle,
                         GError **error)
{
  gsize m = self->backend->spec.object_size;
  const char *numbers = prism_bundle_get_text (bundle, "consistency.json", error);

  return numbers != NULL && prism_record_parse (fields, self, numbers, "consistency.json", error)
         && prism_bundle_copy_plane (bundle, "consistency-image.npy", self->image, m, error)
         && prism_descent_load (self->live, bundle, "live", error)
         && prism_descent_load (self->rival, bundle, "rival", error);
}

static guint
count_passes (PrismLivePicture *self)
{
  return (self->challenged ? 2 : 1) * self->n_passes;
}

/**
 * prism_live_picture_is_done:
 * @self: a live picture
 *
 * Returns: whether no round is under way
 */
gboolean
prism_live_picture_is_done (PrismLivePicture *self)
{
  return self->pass >= count_passes (self);
}

/**
 * prism_live_picture_get_n_left:
 * @self: a live picture
 *
 * Returns: measurements that the pass under way has still to visit
 */
guint
prism_live_picture_get_n_left (PrismLivePicture *self)
{
  PrismDescent *descent = self->pass < self->n_passes ? self->live : self->rival;

  return self->n_samples - prism_descent_get_sample (descent);
}

/**
 * prism_live_picture_get_pass:
 * @self: a live picture
 * @n_passes: (out): of the last round, of both images; 0 when another one is under way, or none
 *
 * Returns: how many passes of the last round are done
 */
guint
prism_live_picture_get_pass (PrismLivePicture *self,
                             guint *n_passes)
{
  gboolean is_under_way = self->is_last && !prism_live_picture_is_done (self);

  *n_passes = is_under_way ? count_passes (self) : 0;
  return is_under_way ? self->pass : 0;
}

/**
 * prism_live_picture_count_last:
 * @n_passes: of another round
 * @has_noise: whether the camera has noise
 *
 * Returns: passes of the last round, of both images, as a rule
 */
guint
prism_live_picture_count_last (guint n_passes,
                               gboolean has_noise)
{
  return (has_noise ? 2 : 1) * prism_tuning_get_count (PRISM_TUNING_LIVE_LAST) * n_passes;
}

/**
 * prism_live_picture_get_misfit:
 * @self: a live picture
 *
 * Returns: Σ(H(|φ|)-T)² / ΣA² of the picture over the measurements of its round; NAN before the
 * first
 */
double
prism_live_picture_get_misfit (PrismLivePicture *self)
{
  return self->misfit;
}

/**
 * prism_live_picture_get_image:
 * @self: a live picture
 *
 * Shape: [m][m].
 *
 * Returns: (transfer none) (nullable): the picture after the last whole round, valid until the next
 * step; NULL before the first
 */
const float *
prism_live_picture_get_image (PrismLivePicture *self)
{
  return isnan (self->misfit) ? NULL : self->image;
}
