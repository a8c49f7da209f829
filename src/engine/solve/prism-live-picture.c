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
#define FIELD(...) PRISM_RECORD_FIELD (PrismLivePicture, __VA_ARGS__)

typedef struct
{
  PrismSolver parent;
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
} PrismLivePicture;

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
 * @is_seldom: whether rounds are fewer, as in a brief run without noise
 *
 * Returns: whether a round belongs here: after every sample, of a hundred or more after every
 * second, third and so on, and after the last; where rounds are fewer where the samples have grown
 * by a part
 */
gboolean
prism_live_picture_is_due (guint n_samples,
                           guint n_all,
                           gboolean is_seldom)
{
  guint most = prism_tuning_get_count (PRISM_TUNING_LIVE_ROUNDS);
  guint stride = (n_all + most - 1) / most;

  if (is_seldom)
    stride = (guint) ceil (prism_tuning_get (PRISM_TUNING_BRIEF_GROWTH) * n_samples);
  return n_samples == 1 || n_samples >= n_all || n_samples % stride == 0;
}

static gboolean
live_picture_init (PrismSolver *solver,
                   GError **error)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  self->misfit = NAN;
  self->live = prism_descent_new (solver->backend, solver->measurements, PLACE_OF_LIVE, error);
  if (self->live != NULL)
    self->rival = prism_descent_new (solver->backend, solver->measurements, PLACE_OF_RIVAL, error);
  if (self->rival != NULL)
    self->image = prism_solver_new_image (solver, error);
  return self->image != NULL;
}

static void
live_picture_clear (PrismSolver *solver)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  prism_descent_free (self->live);
  prism_descent_free (self->rival);
  prism_arena_free_array (self->image);
}

static void
live_picture_move (PrismSolver *solver)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  prism_descent_move (self->live, solver->backend);
  prism_descent_move (self->rival, solver->backend);
}

static void
live_picture_forget_noise (PrismSolver *solver)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  self->is_stale = TRUE;
  prism_descent_repeat_pass (self->live);
  prism_descent_repeat_pass (self->rival);
}

static guint
count_passes (PrismLivePicture *self)
{
  return (self->challenged ? 2 : 1) * self->n_passes;
}

static gboolean
is_done (PrismLivePicture *self)
{
  return self->pass >= count_passes (self);
}

/* Equal weights find the basin; higher exponents, late, let the outer measurements count that the
 * noise of the bright ones drowns. A sudden change would cost up to 3 dB that take ten samples to
 * come back. A rival of the last round goes the whole way in it. */
static double
get_exponent (PrismLivePicture *self,
              PrismDescent *descent)
{
  const double equal = prism_tuning_get (PRISM_TUNING_LIVE_EQUAL_WEIGHTS);
  double part = (double) self->n_samples / prism_measurements_get_n (self->parent.measurements);

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

/* Rounds of few samples, too, look at other pixels from pass to pass. */
static void
choose_pixels (PrismLivePicture *self,
               PrismDescent *descent)
{
  guint pass = self->pass % self->n_passes;

  if (self->is_last)
    prism_descent_close_in (descent, pass, self->n_passes);
  else
    prism_descent_look_at (descent, self->n_rounds * self->n_passes + pass);
}

/* The exponent of the last round's rival is another one from pass to pass. */
static gboolean
begin_pass (PrismLivePicture *self,
            PrismDescent *descent,
            GError **error)
{
  double exponent = get_exponent (self, descent);

  choose_smoothness (self, descent);
  choose_pixels (self, descent);
  return exponent == prism_descent_get_exponent (descent)
         || prism_descent_set_exponent (descent, exponent, error);
}

/* One that is only a little ahead may be so by being younger. */
static double
get_margin (PrismLivePicture *self)
{
  const double equal = prism_tuning_get (PRISM_TUNING_LIVE_EQUAL_WEIGHTS);
  guint n = prism_measurements_get_n (self->parent.measurements);

  if (self->is_last && is_done (self))
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
  if (self->is_last && is_done (self))
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
choose_n_passes (const PrismSolverSpec *spec)
{
  guint whole = prism_tuning_get_count (PRISM_TUNING_LIVE_SAMPLES);
  guint factor = (whole + spec->n_samples - 1) / spec->n_samples;

  if (spec->is_last)
    factor = prism_tuning_get_count (spec->is_brief ? PRISM_TUNING_BRIEF_LAST
                                                    : PRISM_TUNING_LIVE_LAST);
  return factor * spec->n_passes;
}

/**
 * prism_live_picture_count_visits:
 * @spec: n_passes, has_noise and is_brief of every round
 * @n_all: N
 * @n_passes: (out): of all rounds
 * @n_rounds: (out): of the run
 *
 * Counts what the rounds of a run come to, should the decoder's image challenge the live picture
 * where there is noise, and nowhere else.
 *
 * Thread: any.
 *
 * Returns: how often a measurement is visited
 */
guint64
prism_live_picture_count_visits (const PrismSolverSpec *spec,
                                 guint n_all,
                                 guint64 *n_passes,
                                 guint *n_rounds)
{
  const guint n_images = spec->has_noise && !spec->is_brief ? 2 : 1;
  guint64 n_visits = 0;

  *n_passes = *n_rounds = 0;
  for (guint n = 1; n <= n_all; n++)
    {
      PrismSolverSpec round = *spec;
      guint64 each;

      round.n_samples = n;
      round.is_last = n == n_all;
      if (!prism_live_picture_is_due (n, n_all, spec->is_brief && !spec->has_noise))
        continue;
      each = (guint64) n_images * choose_n_passes (&round);
      *n_passes += each;
      n_visits += each * n;
      ++*n_rounds;
    }
  return n_visits;
}

/* Measurements that are new count from now on. Momentum is carried over from round to round, which
 * is what makes a few passes enough. */
static gboolean
live_picture_begin (PrismSolver *solver,
                    const PrismSolverSpec *spec,
                    GError **error)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  self->n_samples = spec->n_samples;
  self->is_last = spec->is_last;
  self->smoothness = spec->smoothness;
  self->n_passes = choose_n_passes (spec);
  prism_descent_sample_noise (self->live, spec->is_brief);
  self->pass = 0;
  if (self->is_stale)
    {
      prism_descent_forget_samples (self->live);
      prism_descent_forget_samples (self->rival);
      self->is_stale = FALSE;
    }
  if (self->n_rounds == 0)
    prism_descent_set_image (self->live, spec->start);
  /* The misfit that decides about a rival is that of the round before. */
  if ((!spec->is_brief && !begin_rival (self, spec->start, error))
      || !add_samples (self, self->live, error))
    return FALSE;
  self->n_rounds++;
  return TRUE;
}

static void
end_round (PrismLivePicture *self)
{
  gsize m = self->parent.backend->spec.object_size;

  if (self->challenged && (self->is_last || is_round_of_challenge (self)))
    choose (self);
  memcpy (self->image, prism_descent_get_image (self->live), m * m * sizeof (float));
  self->misfit = prism_descent_get_misfit (self->live) / prism_descent_get_power (self->live);
}

/* The image that the pass under way is for. */
static PrismDescent *
get_descent (PrismLivePicture *self)
{
  return self->pass < self->n_passes ? self->live : self->rival;
}

/* The picture changes with the last step of a round alone. */
static gboolean
live_picture_step (PrismSolver *solver,
                   guint n_samples,
                   GError **error)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;
  PrismDescent *descent = get_descent (self);
  gboolean pass_done;

  if (prism_descent_get_sample (descent) == 0 && !begin_pass (self, descent, error))
    return FALSE;
  if (!prism_descent_step (descent, n_samples, &pass_done, error))
    return FALSE;
  if (pass_done)
    self->pass++;
  if (is_done (self))
    end_round (self);
  return TRUE;
}

/* A round that is given up. */
static void
live_picture_finish (PrismSolver *solver)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  self->pass = count_passes (self);
}

static gboolean
live_picture_save (PrismSolver *solver,
                   PrismBundle *bundle,
                   GError **error)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;
  gsize m = solver->backend->spec.object_size;

  prism_bundle_take_text (bundle, "consistency.json", prism_record_to_text (fields, self));
  return prism_bundle_add_plane (bundle, "consistency-image.npy", self->image, m, error)
         && prism_descent_save (self->live, bundle, "live", error)
         && prism_descent_save (self->rival, bundle, "rival", error);
}

static gboolean
live_picture_load (PrismSolver *solver,
                   PrismBundle *bundle,
                   GError **error)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;
  gsize m = solver->backend->spec.object_size;
  const char *numbers = prism_bundle_get_text (bundle, "consistency.json", error);

  return numbers != NULL && prism_record_parse (fields, self, numbers, "consistency.json", error)
         && prism_bundle_copy_plane (bundle, "consistency-image.npy", self->image, m, error)
         && prism_descent_load (self->live, bundle, "live", error)
         && prism_descent_load (self->rival, bundle, "rival", error);
}

static void
live_picture_describe (PrismSolver *solver,
                       PrismSolverReport *report)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  report->is_done = is_done (self);
  report->is_stale = self->is_stale;
  report->pass = self->pass;
  report->n_passes = count_passes (self);
  report->sample = prism_descent_get_sample (get_descent (self));
  report->n_samples = self->n_samples;
  report->misfit = self->misfit;
}

static const float *
live_picture_get_image (PrismSolver *solver)
{
  PrismLivePicture *self = (PrismLivePicture *) solver;

  return isnan (self->misfit) ? NULL : self->image;
}

/* Of the last round, of both images, as a rule. */
static guint
live_picture_count_passes (const PrismSolverSpec *spec)
{
  guint n_images = spec->has_noise && !spec->is_brief ? 2 : 1;
  PrismSolverSpec last = *spec;

  last.is_last = TRUE;
  last.n_samples = 1;
  return n_images * choose_n_passes (&last);
}

const PrismSolverKind prism_live_picture_kind = {
  .name = "live picture",
  .size = sizeof (PrismLivePicture),
  .needs_descent = TRUE,
  .init = live_picture_init,
  .clear = live_picture_clear,
  .count_passes = live_picture_count_passes,
  .begin = live_picture_begin,
  .step = live_picture_step,
  .finish = live_picture_finish,
  .move = live_picture_move,
  .forget_noise = live_picture_forget_noise,
  .save = live_picture_save,
  .load = live_picture_load,
  .describe = live_picture_describe,
  .get_image = live_picture_get_image,
};
