#include "config.h"

#include "base/prism-error.h"
#include "trainer/prism-trainer-private.h"

#include <glib/gi18n-lib.h>
#include <inttypes.h>
#include <math.h>

/* The part of the trainer that notices values that are not finite, finds out where they come from,
 * and mends that. */

static gboolean
go_back (PrismTrainer *self,
         GError **error)
{
  const guint most = 5;

  self->now.skipped_in_a_row = 0;
  if (++self->now.n_rollbacks > most)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_DIVERGED,
                   _ ("The reconstruction diverged at step %" PRIu64 " and %d attempts to go"
                      " back did not help. Lower the learning rate; the result so far is kept."),
                   self->now.step, (int) most);
      return FALSE;
    }
  prism_recovery_apply (self->recovery);
  self->now.held = FALSE;
  self->now.rate_factor *= 0.5;
  prism_trainer_set_notice (self,
                            g_strdup_printf (_ ("Diverged at step %" PRIu64
                                                ": went back to the last good state and halved the"
                                                " learning rate."),
                                             self->now.step));
  return TRUE;
}

static void
set_renewed_notice (PrismTrainer *self,
                    guint sample)
{
  prism_trainer_set_notice (
      self, g_strdup_printf (_ ("Measurement %u held a value that is not finite at step %" PRIu64
                                " and was taken again."),
                             sample + 1, self->now.step));
}

/**
 * prism_trainer_note_renewed:
 * @self: a trainer after a piece of work
 *
 * Says so when a measurement had to be taken twice.
 */
void
prism_trainer_note_renewed (PrismTrainer *self)
{
  guint sample;

  if (prism_measurements_take_renewed (self->measurements, &sample))
    set_renewed_notice (self, sample);
}

/* Takes measurements of a step again where what is bound is not finite. The same random numbers
 * make the same image. */
static gboolean
renew_measurements (PrismTrainer *self,
                    const PrismStep *step)
{
  gboolean renewed = FALSE;

  for (guint k = 0; k <= step->n_old; k++)
    {
      guint slot = k == 0 ? step->new_term.slot : step->old_terms[k - 1].slot;

      if (slot >= self->pattern->n_points
          || prism_measurements_check (self->measurements, slot))
        continue;
      prism_measurements_forget (self->measurements, slot);
      set_renewed_notice (self, slot);
      renewed = TRUE;
    }
  return renewed;
}

/**
 * prism_trainer_check_step:
 * @self: a trainer
 * @step: that has been done
 * @result: its result
 * @error: return location
 *
 * Finds out why a step was skipped. A loss that is not finite has left the parameters alone:
 * measurements that are not finite are taken again, weights or moments that are not go back to the
 * last good state at once; where neither is to blame, three such steps in a row do. So does a
 * gradient that is not finite, for part of it may have been used.
 *
 * Errors: PRISM_ERROR_DIVERGED after five returns to the same state.
 *
 * Returns: whether the run can go on
 */
gboolean
prism_trainer_check_step (PrismTrainer *self,
                          const PrismStep *step,
                          const PrismStepResult *result,
                          GError **error)
{
  if (!result->skipped)
    {
      self->now.skipped_in_a_row = 0;
      return TRUE;
    }

  self->now.n_skipped++;
  /* The rest of a chunk has seen the measurement as it was. */
  if (self->renewed)
    return TRUE;
  if (isfinite (result->loss_new) && isfinite (result->loss_old))
    return go_back (self, error);
  self->renewed = !step->fit_start && renew_measurements (self, step);
  if (self->renewed)
    return TRUE;
  if (++self->now.skipped_in_a_row < 3
      && prism_recovery_check_device (self->recovery))
    return TRUE;
  return go_back (self, error);
}
