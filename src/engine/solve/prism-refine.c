#include "config.h"

#include "solve/prism-refine-private.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "num/prism-tuning.h"
#include "solve/prism-descent-choice.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define PLACE 2 /* of the copies on a device; a live picture has others */
#define FIELD(...) PRISM_RECORD_FIELD (PrismRefine, __VA_ARGS__)
#define PART(...) PRISM_RECORD_PART (PrismRefine, __VA_ARGS__, TRUE)

static const PrismRecordField fields[] = {
  FIELD (attempt, INTEGER, PRISM_ATTEMPT_LIVE, PRISM_ATTEMPT_SETTLE),
  FIELD (best_is_live, SWITCH, 0, 1),
  FIELD (needs_long, SWITCH, 0, 1),
  FIELD (shows_best, SWITCH, 0, 1),
  FIELD (pass, INTEGER, 0, G_MAXINT32),
  FIELD (passes_before, INTEGER, 0, G_MAXINT32),
  PART ("n_starts", n_starts, INTEGER, 0, G_MAXINT32),
  PART ("is_aligned", is_aligned, SWITCH, 0, 1),
  PART ("settles_early", settles_early, SWITCH, 0, 1),
  PART ("settles_again", settles_again, SWITCH, 0, 1),
  PART ("distance", distance, REAL, 0, DBL_MAX),
  PART ("is_rescued", is_rescued, SWITCH, 0, 1),
  PART ("n_mends", n_mends, INTEGER, 0, G_MAXINT32),
  PART ("judged", judged, REAL, 0, DBL_MAX),
  PART ("explains", explains, SWITCH, 0, 1),
  PART ("n_questions", n_questions, INTEGER, 0, G_MAXINT32),
  PART ("n_watched", stillness.n, INTEGER, 0, G_MAXINT32),
  PART ("change", stillness.change, REAL, 0, DBL_MAX),
  PART ("misfit_before", stillness.misfit, REAL, 0, DBL_MAX),
  PART ("last_change", change, REAL, 0, DBL_MAX),
  PART ("limit", limit, REAL, 0, 1),
  PART ("is_still", is_still, SWITCH, 0, 1),
  PART ("is_met", is_met, SWITCH, 0, 1),
  FIELD (smoothness, REAL, 0, DBL_MAX),
  FIELD (best_misfit, REAL, 0, DBL_MAX),
  FIELD (best_power, REAL, 0, DBL_MAX),
  PRISM_RECORD_NO_MORE ("is_mending"),
  { NULL },
};

static gboolean
works_on_fields (PrismRefine *self)
{
  return self->attempt == PRISM_ATTEMPT_ALIGN || self->attempt == PRISM_ATTEMPT_FILL
         || self->attempt == PRISM_ATTEMPT_SETTLE;
}

/* The first attempt and the last one are shown as they go, but for what questions the result. */
static gboolean
is_rival (PrismRefine *self)
{
  return self->attempt == PRISM_ATTEMPT_BLANK || self->attempt == PRISM_ATTEMPT_LONG
         || (self->attempt == PRISM_ATTEMPT_FINAL && self->n_questions > 0);
}

/* Faint measurements have little noise. Weighted by it they give the likeliest image, but slowly,
 * and from afar into the wrong basin; hence first equal weights, then half the exponent. A 64 px
 * image of two points in 256 px, r = 10, 20 dB, ends at 23 dB without the equal weights and at 48
 * with them. */
static double
get_exponent (PrismRefine *self)
{
  const double last = prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT);
  const double middle = prism_tuning_get (PRISM_TUNING_REFINE_EXPONENT);
  const double exponents[][4] = {
    [PRISM_ATTEMPT_LIVE] = { last, last, last, last },
    [PRISM_ATTEMPT_DECODER] = { 0.0, middle, last, last },
    [PRISM_ATTEMPT_BLANK] = { 0.0, 0.0, middle, last },
    [PRISM_ATTEMPT_LONG] = { 0.0, 0.0, middle, last },
    [PRISM_ATTEMPT_FINAL] = { last, last, last, last },
  };
  PrismAttempt attempt = self->attempt;

  if (attempt == PRISM_ATTEMPT_FINAL && prism_refine_has_noisy_fields (self))
    attempt = PRISM_ATTEMPT_DECODER;

  return exponents[attempt][MIN (4 * self->pass / prism_refine_count_planned (self), 3)];
}

/* Whether the last attempt only goes on from the live picture, which has had more smoothness while
 * it was made. */
static gboolean
goes_on (PrismRefine *self)
{
  return self->attempt == PRISM_ATTEMPT_FINAL && self->best_is_live
         && (prism_descent_has_noise (self->descent)
             || prism_descent_meets_data (self->descent, self->best_misfit));
}

/* Without noise the live picture ended without any. */
static void
choose_smoothness (PrismRefine *self)
{
  PrismDescent *descent = self->descent;

  if (self->attempt == PRISM_ATTEMPT_LIVE || goes_on (self))
    prism_descent_set_smoothness (descent,
                                  prism_descent_has_noise (descent) ? self->smoothness : 0.0);
  else if (self->attempt == PRISM_ATTEMPT_FINAL && prism_refine_has_clean_fields (self))
    prism_descent_set_smoothness (descent, 0.0);
  else if (self->attempt == PRISM_ATTEMPT_FINAL && !prism_refine_has_noisy_fields (self))
    prism_descent_cool (descent, self->smoothness, self->pass, self->parent.spec.n_passes);
  else
    prism_descent_set_smoothness (descent, self->smoothness);
}

static gboolean
begin_attempt (PrismRefine *self,
               PrismAttempt attempt,
               const float *start,
               GError **error)
{
  self->attempt = attempt;
  self->shows_best = is_rival (self);
  self->passes_before += self->pass;
  self->pass = 0;
  prism_descent_set_image (self->descent, start);
  choose_smoothness (self);
  return prism_descent_set_exponent (self->descent, get_exponent (self), error);
}

/* No pass changes what is beyond the band. The decoder's guess there is about as far from the truth
 * as nothing at all: halved it is nearer than either. On six images of 64 px without noise an
 * empty corner of k-space is 7 dB better to 4 dB worse than the guess, and half of it within 4 dB
 * of the better one, mostly above both. */
static void
hold_to_band (PrismRefine *self,
              const PrismBand *band,
              float *image)
{
  PrismBand damped = *band;

  damped.damping = prism_descent_has_noise (self->descent)
                       ? 0.0
                       : prism_tuning_get (PRISM_TUNING_BAND_DAMPING);
  /* Without the memory for it the start image is good enough as it is. */
  prism_band_apply (&damped, image, NULL);
}

/* The best image so far is that of the decoder where there is no live picture. */
static gboolean
begin_first_attempt (PrismRefine *self,
                     const PrismSolverSpec *spec,
                     GError **error)
{
  if (spec->live != NULL)
    return begin_attempt (self, PRISM_ATTEMPT_LIVE, spec->live, error);
  memcpy (self->best, spec->start, prism_refine_count_pixels (self) * sizeof (float));
  hold_to_band (self, &spec->band, self->best);
  return begin_attempt (self, PRISM_ATTEMPT_DECODER, self->best, error);
}

static void
refine_clear (PrismSolver *solver)
{
  PrismRefine *self = (PrismRefine *) solver;

  prism_stillness_clear (&self->stillness);
  prism_alignment_free (self->alignment);
  prism_descent_free (self->descent);
  prism_arena_free_array (self->best);
  prism_arena_free_array (self->second);
}

/* Read noise is in every dark pixel, too: its misfit drowns what tells a wrong basin, so that all
 * attempts are made. */
static gboolean
is_explained (PrismRefine *self)
{
  if (prism_descent_has_read_noise (self->descent))
    return FALSE;
  if (prism_descent_has_noise (self->descent))
    return self->best_misfit <= prism_tuning_get (PRISM_TUNING_REFINE_EXPLAINED_IN_NOISE)
                                    * prism_descent_get_noise_misfit (self->descent);
  return self->best_misfit <= prism_tuning_get (PRISM_TUNING_REFINE_EXPLAINED)
                                  * prism_descent_get_power (self->descent);
}

static void
keep_better (PrismRefine *self)
{
  double misfit = prism_descent_get_misfit (self->descent);
  const float *image = prism_descent_get_image (self->descent);

  if (isnan (self->best_misfit)
      || prism_descent_prefers (self->descent, image, misfit, self->best, self->best_misfit))
    prism_refine_keep (self);
}

static gboolean
begin_brief (PrismRefine *self,
             const float *start,
             GError **error)
{
  prism_stillness_begin (&self->stillness, start);
  return begin_attempt (self, PRISM_ATTEMPT_FINAL, start, error);
}

static gboolean
is_judged (PrismRefine *self)
{
  return prism_descent_has_noise (self->descent)
         && (self->parent.spec.is_brief || self->parent.spec.questions);
}

static gboolean
end_first (PrismRefine *self,
           GError **error)
{
  keep_better (self);
  if (prism_refine_wants_alignment (self))
    return prism_refine_begin_alignment (self, error);
  if (prism_refine_may_settle (self))
    return prism_refine_begin_settling (self, error);
  if (self->parent.spec.is_brief)
    return begin_brief (self, self->best, error);
  return begin_attempt (self, PRISM_ATTEMPT_BLANK, NULL, error);
}

static gboolean
end_fill (PrismRefine *self,
          GError **error)
{
  if (!prism_refine_may_settle_early (self))
    return begin_brief (self, prism_alignment_get_image (self->alignment), error);
  prism_refine_begin_settling_early (self);
  return TRUE;
}

/* What has not settled far enough has the last passes, and settles after them. */
static gboolean
end_settling (PrismRefine *self,
              GError **error)
{
  if (!self->settles_early || prism_refine_has_settled_early (self))
    return prism_refine_end_settling (self, error);
  self->settles_early = FALSE;
  self->settles_again = TRUE;
  prism_alignment_leave_settle (self->alignment);
  return begin_brief (self, prism_alignment_get_image (self->alignment), error);
}

static gboolean
end_attempt (PrismRefine *self,
             GError **error)
{
  switch (self->attempt)
    {
    case PRISM_ATTEMPT_LIVE:
    case PRISM_ATTEMPT_DECODER:
      return end_first (self, error);
    case PRISM_ATTEMPT_BLANK:
    case PRISM_ATTEMPT_LONG:
      keep_better (self);
      if (self->attempt == PRISM_ATTEMPT_BLANK && !is_explained (self))
        {
          self->needs_long = TRUE;
          return begin_attempt (self, PRISM_ATTEMPT_LONG, NULL, error);
        }
      return begin_attempt (self, PRISM_ATTEMPT_FINAL, self->best, error);
    case PRISM_ATTEMPT_ALIGN:
      return prism_refine_end_search (self, error);
    case PRISM_ATTEMPT_FILL:
      return end_fill (self, error);
    case PRISM_ATTEMPT_FINAL:
      return is_judged (self) ? prism_refine_end_noisy_final (self, error)
                              : prism_refine_end_clean_final (self, error);
    case PRISM_ATTEMPT_SETTLE:
      return end_settling (self, error);
    case PRISM_ATTEMPT_NONE:
    default:
      self->attempt = PRISM_ATTEMPT_NONE;
      return TRUE;
    }
}

/* With noise, and from an aligned image, slow changes go on for longer. */
static PrismTuning
choose_least (PrismRefine *self)
{
  if (prism_descent_has_noise (self->descent))
    return PRISM_TUNING_BRIEF_STILL_IN_NOISE;
  return self->is_aligned ? PRISM_TUNING_ALIGN_STILL : PRISM_TUNING_BRIEF_STILL;
}

/* What questions the result says nothing of it. */
static gboolean
is_still (PrismRefine *self,
          double limit,
          double fall)
{
  const gboolean ends
      = prism_stillness_add (&self->stillness, prism_descent_get_image (self->descent),
                             prism_descent_get_misfit (self->descent), limit, fall);

  if (self->n_questions == 0)
    {
      self->change = self->stillness.change;
      self->limit = fall > 0.0 ? 0.0 : limit; /* the misfit ends them, too */
      self->is_still = ends;
    }
  return ends;
}

/* Within the passes that are planned. */
static gboolean
stops_early (PrismRefine *self)
{
  const PrismTuning least = choose_least (self);

  return is_still (self, prism_tuning_get (least),
                   least == PRISM_TUNING_ALIGN_STILL ? prism_tuning_get (PRISM_TUNING_ALIGN_FALL)
                                                     : 0.0);
}

/* Beyond those that every run has: before, smoothness falls and pixels are left out. */
static gboolean
run_on (PrismRefine *self,
        gboolean *ends,
        GError **error)
{
  const double until = self->parent.spec.until;

  if (self->stillness.before == NULL
      && !prism_stillness_init (&self->stillness, self->parent.backend->spec.object_size, error))
    return FALSE;
  if (self->pass > self->parent.spec.n_passes)
    *ends = is_still (self, until, 0.0);
  else
    prism_stillness_begin (&self->stillness, prism_descent_get_image (self->descent));
  return TRUE;
}

static gboolean
watch (PrismRefine *self,
       gboolean *ends,
       GError **error)
{
  *ends = FALSE;
  if (get_exponent (self) != prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT))
    return TRUE;
  if (prism_refine_runs_on (self))
    return run_on (self, ends, error);
  if (prism_refine_stops_early (self))
    *ends = stops_early (self);
  return TRUE;
}

static gboolean
end_pass (PrismRefine *self,
          GError **error)
{
  const double before = get_exponent (self);
  const gboolean is_met = prism_descent_is_exact (self->descent);
  gboolean ends;

  self->pass++;
  if (!watch (self, &ends, error))
    return FALSE;
  if (self->n_questions == 0)
    self->is_met = is_met;
  if (self->pass >= prism_refine_count_passes (self) || ends || is_met)
    return end_attempt (self, error);
  choose_smoothness (self);
  return get_exponent (self) == before
         || prism_descent_set_exponent (self->descent, get_exponent (self), error);
}

/* With noise a brief one has whole frames until it stands still: with samples the noise of others
 * in each pass moves the image on and on. */
static void
choose_pixels (PrismRefine *self)
{
  const guint next = self->pass + 1;

  prism_descent_close_in (self->descent, self->pass,
                          prism_refine_stops_early (self)
                              ? next
                              : MAX (prism_refine_count_planned (self), next));
}

static gboolean
refine_step (PrismSolver *solver,
             guint n_samples,
             GError **error)
{
  PrismRefine *self = (PrismRefine *) solver;
  gboolean is_done, pass_done;

  if (works_on_fields (self))
    return prism_refine_align (self, n_samples, &is_done, error)
           && (!is_done || end_attempt (self, error));
  if (prism_descent_get_sample (self->descent) == 0)
    choose_pixels (self);
  return prism_descent_step (self->descent, n_samples, &pass_done, error)
         && (!pass_done || end_pass (self, error));
}

static void
refine_finish (PrismSolver *solver)
{
  PrismRefine *self = (PrismRefine *) solver;

  self->attempt = PRISM_ATTEMPT_NONE;
}

static void
refine_move (PrismSolver *solver)
{
  PrismRefine *self = (PrismRefine *) solver;

  prism_descent_move (self->descent, solver->backend);
  if (self->alignment != NULL)
    prism_alignment_move (self->alignment, solver->backend);
}

static gboolean
may_be_still (const PrismSolverSpec *spec)
{
  return spec->is_brief || spec->until > 0.0;
}

static gboolean
refine_save (PrismSolver *solver,
             PrismBundle *bundle,
             GError **error)
{
  PrismRefine *self = (PrismRefine *) solver;
  gsize m = self->parent.backend->spec.object_size;

  prism_bundle_take_text (bundle, "refine.json", prism_record_to_text (fields, self));
  if (self->alignment != NULL && !prism_alignment_save (self->alignment, bundle, error))
    return FALSE;
  return prism_bundle_add_plane (bundle, "refine-best.npy", self->best, m, error)
         && (self->stillness.before == NULL
             || prism_stillness_save (&self->stillness, bundle, error))
         && prism_descent_save (self->descent, bundle, "descent", error);
}

/* A run may be asked to go on until nothing moves while its passes are under way. */
static gboolean
load_stillness (PrismRefine *self,
                PrismBundle *bundle,
                GError **error)
{
  return self->stillness.before == NULL || !prism_stillness_is_in (bundle)
         || prism_stillness_load (&self->stillness, bundle, error);
}

static gboolean
check_pass (PrismRefine *self,
            GError **error)
{
  if (self->attempt == PRISM_ATTEMPT_NONE || self->pass < prism_refine_count_passes (self))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "“pass” of refine.json cannot be used: %u is not below %u.", self->pass,
               prism_refine_count_passes (self));
  return FALSE;
}

/* Something of it is not in the descent. */
static gboolean
has_alignment (PrismRefine *self)
{
  return self->n_starts + self->n_mends > 0 || self->attempt == PRISM_ATTEMPT_SETTLE;
}

static gboolean
refine_load (PrismSolver *solver,
             PrismBundle *bundle,
             GError **error)
{
  PrismRefine *self = (PrismRefine *) solver;
  gsize m = self->parent.backend->spec.object_size;
  const char *numbers = prism_bundle_get_text (bundle, "refine.json", error);

  return numbers != NULL && prism_record_parse (fields, self, numbers, "refine.json", error)
         && check_pass (self, error)
         && (!has_alignment (self)
             || (prism_refine_ensure_alignment (self, error)
                 && prism_alignment_load (self->alignment, bundle, error)))
         && load_stillness (self, bundle, error)
         && prism_bundle_copy_plane (bundle, "refine-best.npy", self->best, m, error)
         && prism_descent_load (self->descent, bundle, "descent", error);
}

static double
get_misfit (PrismRefine *self)
{
  if (self->shows_best)
    return self->best_misfit / self->best_power;
  return prism_descent_get_misfit (self->descent) / prism_descent_get_power (self->descent);
}

/* Nobody knows how many follow until nothing moves: as many as it takes to see that. */
static guint
count_expected (PrismRefine *self)
{
  const guint more = prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW);

  if (self->attempt == PRISM_ATTEMPT_NONE)
    return self->pass;
  return MAX (prism_refine_count_planned (self),
              self->pass + (prism_refine_runs_on (self) ? more : 0));
}

/* As far as it is known: beyond those that were planned. */
static guint
count_unplanned_passes (PrismRefine *self)
{
  const guint known = self->passes_before + count_expected (self);

  return known > self->n_planned ? known - self->n_planned : 0;
}

static void
refine_describe (PrismSolver *solver,
                 PrismSolverReport *report)
{
  PrismRefine *self = (PrismRefine *) solver;

  report->is_done = self->attempt == PRISM_ATTEMPT_NONE;
  report->pass = self->passes_before + self->pass;
  report->n_passes = self->n_planned;
  if (self->needs_long)
    report->n_extra_passes
        = prism_tuning_get_count (PRISM_TUNING_REFINE_LONG) * solver->spec.n_passes;
  if (has_alignment (self))
    report->n_extra_passes = count_unplanned_passes (self);
  else if (solver->spec.until > 0.0)
    report->n_extra_passes = MAX (report->n_extra_passes, count_unplanned_passes (self));
  report->sample = works_on_fields (self) ? prism_alignment_get_sample (self->alignment)
                                          : prism_descent_get_sample (self->descent);
  report->n_samples = prism_measurements_get_n (solver->measurements);
  report->misfit = get_misfit (self);
  report->is_rescued = self->is_rescued;
  if (self->change > 0.0)
    report->change = self->change;
  report->limit = self->limit;
  report->is_still = report->is_done && self->is_still;
  report->is_met = report->is_done && self->is_met;
  report->is_found = report->is_done && self->has_found;
  report->explains = !prism_descent_has_noise (self->descent)
                     && report->misfit <= prism_refine_get_most_misfit (self);
}

static const float *
refine_get_image (PrismSolver *solver)
{
  PrismRefine *self = (PrismRefine *) solver;

  return self->shows_best ? self->best : prism_descent_get_image (self->descent);
}

static const float *
refine_get_second (PrismSolver *solver)
{
  return ((PrismRefine *) solver)->second;
}

/* Of the attempts that are always made. */
static guint
refine_count_passes (const PrismSolverSpec *spec)
{
  if (spec->is_brief)
    return PRISM_REFINE_PASSES_OF_LIVE
           + prism_tuning_get_count (PRISM_TUNING_BRIEF_FINAL) * spec->n_passes;
  return (spec->live != NULL ? PRISM_REFINE_PASSES_OF_LIVE : spec->n_passes) + 2 * spec->n_passes;
}

static gboolean
refine_init (PrismSolver *solver,
             GError **error)
{
  PrismRefine *self = (PrismRefine *) solver;

  self->best_misfit = self->distance = self->judged = NAN;
  self->descent = prism_descent_new (solver->backend, solver->measurements, PLACE, error);
  if (self->descent != NULL)
    self->best = prism_solver_new_image (solver, error);
  return self->best != NULL;
}

static gboolean
refine_begin (PrismSolver *solver,
              const PrismSolverSpec *spec,
              GError **error)
{
  PrismRefine *self = (PrismRefine *) solver;
  guint n = prism_measurements_get_n (solver->measurements);

  if (may_be_still (spec) && self->stillness.before == NULL
      && !prism_stillness_init (&self->stillness, solver->backend->spec.object_size, error))
    return FALSE;
  self->n_planned = refine_count_passes (spec);
  self->smoothness = spec->smoothness;
  return prism_descent_add_samples (self->descent, n, error)
         && begin_first_attempt (self, spec, error);
}

const PrismSolverKind prism_refine_kind = {
  .name = "refinement",
  .size = sizeof (PrismRefine),
  .needs_descent = TRUE,
  .init = refine_init,
  .clear = refine_clear,
  .count_passes = refine_count_passes,
  .begin = refine_begin,
  .step = refine_step,
  .finish = refine_finish,
  .move = refine_move,
  .save = refine_save,
  .load = refine_load,
  .describe = refine_describe,
  .get_image = refine_get_image,
  .get_second = refine_get_second,
};
