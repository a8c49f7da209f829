#include "config.h"

#include "num/prism-tuning.h"
#include "num/prism-variation.h"
#include "profile/prism-profile.h"
#include "solve/prism-descent-choice.h"
#include "solve/prism-judge.h"
#include "solve/prism-refine-private.h"

#include <math.h>
#include <string.h>

/* The attempts of a refinement that work on fields: when they are made, and what becomes of what
 * they find. Source: numerics.md, “Alignment”. */

static gboolean
end (PrismRefine *self)
{
  self->attempt = PRISM_ATTEMPT_NONE;
  return TRUE;
}

/* Read noise is in every pixel of a frame, and few of them have any light. */
static gboolean
has_fields_to_align (PrismRefine *self)
{
  return (self->parent.spec.is_brief || self->n_questions > 0)
         && !prism_descent_has_read_noise (self->descent)
         && prism_alignment_can (self->parent.measurements, self->parent.backend);
}

static gboolean
can_align (PrismRefine *self)
{
  const gboolean has_noise = prism_descent_has_noise (self->descent);
  const PrismTuning most = has_noise ? PRISM_TUNING_ALIGN_STARTS_IN_NOISE
                                     : PRISM_TUNING_ALIGN_STARTS;

  return self->n_starts < prism_tuning_get_count (most) && has_fields_to_align (self);
}

static double
get_least_misfit (PrismRefine *self)
{
  if (self->attempt != PRISM_ATTEMPT_FINAL)
    return prism_tuning_get (PRISM_TUNING_ALIGN_FROM);
  return prism_tuning_get (self->is_aligned ? PRISM_TUNING_ALIGN_MET
                                            : PRISM_TUNING_BRIEF_EXPLAINED);
}

/**
 * prism_refine_wants_alignment:
 * @self: a refinement after a pass
 *
 * For cameras without noise.
 *
 * Returns: whether another start from the fields may find what passes alone have not
 */
gboolean
prism_refine_wants_alignment (PrismRefine *self)
{
  return can_align (self) && !prism_descent_has_noise (self->descent)
         && prism_descent_get_misfit (self->descent)
                > get_least_misfit (self) * prism_descent_get_power (self->descent);
}

/**
 * prism_refine_ensure_alignment:
 * @self: a refinement
 * @error: return location
 *
 * Makes the alignment where there is none yet.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there is one
 */
gboolean
prism_refine_ensure_alignment (PrismRefine *self,
                               GError **error)
{
  if (self->alignment == NULL)
    self->alignment = prism_alignment_new (self->parent.backend, self->parent.measurements,
                                           self->parent.spec.seed, error);
  return self->alignment != NULL;
}

static void
begin_fields (PrismRefine *self,
              PrismAttempt attempt)
{
  self->attempt = attempt;
  self->shows_best = TRUE;
  self->passes_before += self->pass;
  self->pass = 0;
}

/**
 * prism_refine_begin_alignment:
 * @self: a refinement that has a best image
 * @error: return location
 *
 * Begins another start from the fields, which are found in a pass of their own, once.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it has begun
 */
gboolean
prism_refine_begin_alignment (PrismRefine *self,
                              GError **error)
{
  if (!prism_refine_ensure_alignment (self, error))
    return FALSE;
  if (self->n_starts == 0)
    prism_alignment_guess (self->alignment, self->best);
  if (self->is_aligned && !prism_descent_has_noise (self->descent))
    prism_alignment_go_on (self->alignment);
  else
    prism_alignment_begin (self->alignment, self->n_starts);
  self->n_starts++;
  self->settles_again = FALSE;
  begin_fields (self, PRISM_ATTEMPT_ALIGN);
  return TRUE;
}

static gboolean
has_frames_to_settle (PrismRefine *self)
{
  return self->parent.spec.is_brief && !self->is_met && self->parent.spec.until <= 0.0
         && !prism_descent_has_noise (self->descent) && has_fields_to_align (self);
}

/**
 * prism_refine_may_settle:
 * @self: a refinement of a brief run, after an attempt
 *
 * Returns: whether there is no noise, the picture is right as far as passes tell, and not yet all
 *   that the frames say
 */
gboolean
prism_refine_may_settle (PrismRefine *self)
{
  return has_frames_to_settle (self)
         && self->best_misfit <= prism_refine_get_most_misfit (self) * self->best_power;
}

/**
 * prism_refine_begin_settling:
 * @self: a refinement that may settle
 * @error: return location
 *
 * Begins rounds in which its best image settles.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it has begun
 */
gboolean
prism_refine_begin_settling (PrismRefine *self,
                             GError **error)
{
  if (!prism_refine_ensure_alignment (self, error))
    return FALSE;
  if (!prism_alignment_can_settle (self->alignment))
    return end (self);
  prism_alignment_begin_settle (self->alignment, self->best);
  begin_fields (self, PRISM_ATTEMPT_SETTLE);
  return TRUE;
}

/**
 * prism_refine_may_settle_early:
 * @self: a refinement after an image was filled
 *
 * Where little was measured passes find what rounds do not, and the misfit does not tell; nor where
 * a search went on from an image that did not meet the frames.
 *
 * Returns: whether it may settle without the last passes
 */
gboolean
prism_refine_may_settle_early (PrismRefine *self)
{
  return self->is_aligned && self->n_starts == 1 && !self->parent.spec.questions
         && has_frames_to_settle (self)
         && prism_alignment_can_settle (self->alignment);
}

/**
 * prism_refine_begin_settling_early:
 * @self: a refinement for which prism_refine_may_settle_early()
 *
 * Begins rounds in which the image that was filled settles. Where that does not suffice the last
 * passes go on from there.
 */
void
prism_refine_begin_settling_early (PrismRefine *self)
{
  prism_alignment_begin_settle (self->alignment, prism_alignment_get_image (self->alignment));
  self->settles_early = TRUE;
  begin_fields (self, PRISM_ATTEMPT_SETTLE);
}

/**
 * prism_refine_has_settled_early:
 * @self: a refinement at the end of such rounds
 *
 * Returns: whether the image meets the frames, so that passes would change nothing in it
 */
gboolean
prism_refine_has_settled_early (PrismRefine *self)
{
  return prism_alignment_get_settled_misfit (self->alignment)
         <= prism_tuning_get (PRISM_TUNING_SETTLE_MET);
}

/* What an image leaves of ΣA², and what it varies: of two that meet frames without noise one may be
 * right to more digits, and another have patterns in it that the frames do not see. */
static double
weigh_clean (PrismRefine *self,
             const float *image,
             double misfit)
{
  return misfit / self->best_power
         + self->smoothness * prism_tuning_get (PRISM_TUNING_SETTLE_WORTH)
               * prism_variation_get_mean (self->parent.backend->spec.object_size, image);
}

static void
keep_found (PrismRefine *self,
            double misfit)
{
  memcpy (self->best, prism_alignment_get_image (self->alignment),
          prism_refine_count_pixels (self) * sizeof (float));
  self->best_misfit = misfit;
  self->best_is_live = FALSE;
  self->has_found = TRUE;
}

/**
 * prism_refine_end_settling:
 * @self: a refinement at the end of the rounds in which its image settled
 * @error: return location
 *
 * Goes on with that image, or the one before where that is better.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it went well
 */
gboolean
prism_refine_end_settling (PrismRefine *self,
                           GError **error)
{
  const double misfit
      = prism_alignment_get_settled_misfit (self->alignment) * self->best_power;

  if (weigh_clean (self, prism_alignment_get_image (self->alignment), misfit)
      < weigh_clean (self, self->best, self->best_misfit))
    keep_found (self, misfit);
  self->change = prism_alignment_get_moved (self->alignment);
  self->limit = prism_tuning_get (PRISM_TUNING_BRIEF_STILL);
  self->is_still = self->change < self->limit;
  return end (self);
}

/**
 * prism_refine_end_clean_final:
 * @self: a refinement at the end of its last passes
 * @error: return location
 *
 * Ends it, or begins another start. Of several the best one is the result.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it went well
 */
gboolean
prism_refine_end_clean_final (PrismRefine *self,
                              GError **error)
{
  const gboolean goes_on = prism_refine_wants_alignment (self);

  if (self->n_starts > 0 || goes_on)
    {
      prism_refine_keep_nearer (self);
      self->shows_best = TRUE;
    }
  if (goes_on)
    return prism_refine_begin_alignment (self, error);
  if (self->n_starts == 0 && self->parent.spec.is_brief)
    prism_refine_keep (self);
  return prism_refine_may_settle (self) ? prism_refine_begin_settling (self, error) : end (self);
}

static gboolean
keep_second (PrismRefine *self,
             const float *image,
             GError **error)
{
  if (self->second == NULL)
    self->second = prism_solver_new_image (&self->parent, error);
  if (self->second != NULL)
    memcpy (self->second, image, prism_refine_count_pixels (self) * sizeof (float));
  return self->second != NULL;
}

/* At first only frames that are explained much worse than the others have their fields, at last
 * all. */
static double
get_doubt (PrismRefine *self)
{
  const double first = prism_tuning_get (PRISM_TUNING_FIELD_DOUBTFUL) - 1.0;

  if (self->n_mends + 1 >= prism_tuning_get_count (PRISM_TUNING_MENDS))
    return 0.0;
  return 1.0 + first * pow (prism_tuning_get (PRISM_TUNING_MEND_CLOSER), self->n_mends);
}

static gboolean
begin_mend (PrismRefine *self,
            GError **error)
{
  if (!prism_refine_ensure_alignment (self, error))
    return FALSE;
  prism_alignment_mend (self->alignment, self->best, get_doubt (self));
  self->is_aligned = TRUE;
  self->n_mends++;
  begin_fields (self, PRISM_ATTEMPT_FILL);
  return TRUE;
}

/* Of two images the one that leaves less is nearer to the truth, but what passes alone have
 * explained stays beside another explanation. The search ends with an image that leaves no more
 * than noise does. It also ends with one that explains the frames and leaves as much as the best
 * one so far, within a standard deviation: two searches have led to the same image. */
static gboolean
take_noisy (PrismRefine *self,
            const PrismVerdict *verdict,
            gboolean *ends,
            GError **error)
{
  const gboolean is_first = isnan (self->judged);
  const gboolean explains = verdict->kind != PRISM_VERDICT_UNEXPLAINED;
  const gboolean wins = is_first
                        || (verdict->misfit < self->judged
                            && (!self->explains || self->is_rescued));
  const float *image = prism_descent_get_image (self->descent);

  *ends = explains
          && (is_first || fabs (verdict->misfit - self->judged) <= sqrt (verdict->variance)
              || prism_verdict_is_near (verdict,
                                        prism_tuning_get (PRISM_TUNING_ALIGN_MET_IN_NOISE)));
  if (explains && self->explains && self->parent.spec.questions
      && !keep_second (self, wins ? self->best : image, error))
    return FALSE;
  if (wins)
    {
      prism_refine_keep (self);
      self->judged = verdict->misfit;
    }
  self->explains |= explains;
  return TRUE;
}

/* Where little was measured it may have more than one explanation. */
static gboolean
wants_second (PrismRefine *self)
{
  return self->parent.spec.questions && self->explains && self->second == NULL
         && self->n_questions < prism_tuning_get_count (PRISM_TUNING_SECOND_STARTS);
}

static gboolean
wants_mend (PrismRefine *self)
{
  return !self->explains && self->n_starts == 0
         && self->n_mends < prism_tuning_get_count (PRISM_TUNING_MENDS)
         && has_fields_to_align (self);
}

/**
 * prism_refine_end_noisy_final:
 * @self: a refinement at the end of its last passes, with noise
 * @error: return location
 *
 * The same with noise, where the verdict tells what an image is worth. One that does not explain
 * the measurements is mended before others are searched. Where little was measured
 * another start looks whether the measurements have another explanation.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether it went well
 */
gboolean
prism_refine_end_noisy_final (PrismRefine *self,
                              GError **error)
{
  PrismMeasurements *measurements = self->parent.measurements;
  PrismVerdict verdict;
  gboolean ends;

  if (!prism_judge_image (measurements, prism_measurements_get_scene (measurements),
                          self->parent.backend, prism_descent_get_image (self->descent), &verdict,
                          error)
      || !take_noisy (self, &verdict, &ends, error))
    return FALSE;
  self->shows_best = TRUE;
  if (wants_mend (self))
    return begin_mend (self, error);
  if (wants_second (self))
    self->n_questions++;
  else if (ends || self->n_questions > 0)
    return end (self);
  if (can_align (self))
    return prism_refine_begin_alignment (self, error);
  return end (self);
}

/**
 * prism_refine_end_search:
 * @self: a refinement at the end of a search
 * @error: return location
 *
 * Goes on with the image that was found, or with another start. With noise nobody knows what a
 * search has found: one that ends as far from the fields as an earlier one is no better. Where that
 * one has led to an explanation, it has found the same.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it went well
 */
gboolean
prism_refine_end_search (PrismRefine *self,
                         GError **error)
{
  const double distance = prism_alignment_get_distance (self->alignment);
  const double better = prism_tuning_get (PRISM_TUNING_ALIGN_BETTER);

  if (self->n_questions == 0 && distance >= better * self->distance)
    {
      if (can_align (self) && !(self->explains && better * distance <= self->distance))
        return prism_refine_begin_alignment (self, error);
      return end (self);
    }
  if (prism_descent_has_noise (self->descent))
    self->distance = distance;
  self->is_aligned |= prism_alignment_is_found (self->alignment);
  prism_alignment_begin_fill (self->alignment);
  begin_fields (self, PRISM_ATTEMPT_FILL);
  return TRUE;
}

/* What was not measured is filled from coarse to fine, as far as the noise of the fields allows. */
static double
get_filling (PrismRefine *self)
{
  const double distance = isnan (self->distance) ? 0.0 : self->distance;
  const double first = MAX (prism_tuning_get (PRISM_TUNING_FILL_FIRST),
                            prism_tuning_get (PRISM_TUNING_FILL_FIRST_IN_NOISE) * distance);
  const double last = MAX (prism_tuning_get (PRISM_TUNING_FILL_LAST),
                           prism_tuning_get (PRISM_TUNING_FILL_LAST_IN_NOISE) * distance);

  return self->smoothness * first
         * pow (last / first, (double) self->pass / prism_refine_count_passes (self));
}

static gboolean
retrieve (PrismRefine *self,
          guint n_samples,
          GError **error)
{
  const gint64 begun = prism_profile_begin ();
  gboolean pass_done;

  if (!prism_alignment_retrieve (self->alignment, n_samples, &pass_done, error))
    return FALSE;
  prism_profile_end (PRISM_STAGE_FIELDS, begun);
  if (pass_done)
    self->pass++;
  return TRUE;
}

static gboolean
settle (PrismRefine *self,
        guint n_samples,
        gboolean *is_done,
        GError **error)
{
  const gint64 begun = prism_profile_begin ();
  gboolean pass_done;

  if (!prism_alignment_settle (self->alignment, self->smoothness, self->settles_again,
                               n_samples, &pass_done, error))
    return FALSE;
  prism_profile_end (PRISM_STAGE_ALIGN, begun);
  if (pass_done)
    self->pass++;
  *is_done = prism_alignment_is_settled (self->alignment);
  return TRUE;
}

/**
 * prism_refine_align:
 * @self: a refinement in an attempt that works on fields
 * @n_samples: frames to work on at most, where fields are found
 * @is_done: (out): whether the attempt has ended
 * @error: return location
 *
 * Does a step of the attempt.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether it went well
 */
gboolean
prism_refine_align (PrismRefine *self,
                    guint n_samples,
                    gboolean *is_done,
                    GError **error)
{
  gint64 begun;

  *is_done = FALSE;
  if (self->attempt == PRISM_ATTEMPT_SETTLE)
    return settle (self, n_samples, is_done, error);
  if (!prism_alignment_has_fields (self->alignment))
    return retrieve (self, n_samples, error);
  begun = prism_profile_begin ();
  if (self->attempt == PRISM_ATTEMPT_ALIGN)
    prism_alignment_search (self->alignment);
  else
    prism_alignment_fill (self->alignment, get_filling (self));
  prism_profile_end (PRISM_STAGE_ALIGN, begun);
  self->pass++;
  *is_done = self->attempt == PRISM_ATTEMPT_ALIGN ? prism_alignment_is_done (self->alignment)
                                                  : self->pass >= prism_refine_count_passes (self);
  return TRUE;
}
