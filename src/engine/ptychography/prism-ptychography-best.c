/* Passes that make it worse. Frame after frame is quick, and where frames contradict each other
 * (a thick specimen, little light) each undoes what the one before has found, until the object
 * falls apart; all frames together then do not. So after each pass the frames that were never used
 * are predicted, where there are none those that were, and the best estimate is kept: two passes in
 * a row that are worse are taken back, and all frames are explained together from there; where
 * these passes are worse at the end, they are taken back, too. Where LEDs are far from their places
 * passes are worse for a while with reason, and are not judged before the last search has had its
 * own. A decoder that follows has to be better than they are, and its best pass is the result.
 *
 * Measured (docs/measurements.md): a specimen of two layers 0.55 → 0.26; sets with very little
 * light half as far from the truth; sets that do not fall apart as before. */
#include "config.h"

#include "base/prism-number.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-private.h"

#define PATIENCE 2 /* passes in a row: one may be worse by chance */
#define WORSE 1.05 /* times the least misfit: passes that change nothing any more waver by less */

/**
 * prism_ptychography_predict:
 * @held: whether the frames that were never used are predicted, or those that were
 * @misfits: (nullable) (array length=N): of every such frame, for the others left as it is
 * @correlations: (nullable) (array length=N): the same
 *
 * Compares frames with what object, pupil and board predict. Those that are left out by now are not
 * in the sum.
 *
 * Returns: how well that is met
 */
PrismPrediction
prism_ptychography_predict (PrismPtychography *self,
                            gboolean held,
                            double *misfits,
                            double *correlations)
{
  const PrismPtychogram *frames = self->frames;
  g_autofree double *values = g_new (double, frames->n_frames);
  g_autofree guint *predicted = g_new (guint, frames->n_frames);
  g_autofree PrismHeldOut *sums = g_new (PrismHeldOut, frames->n_frames);
  PrismPrediction prediction = { 0 };
  double error = 0, energy = 0, sum = 0, squares = 0;
  guint n = 0;

  for (guint j = 0; j < frames->n_frames; j++)
    if (frames->roles[j] == (held ? PRISM_FRAME_HELD_OUT : PRISM_FRAME_USED))
      predicted[n++] = j;
  if (!prism_ptychography_device_compare (self, predicted, n, sums))
    for (guint i = 0; i < n; i++)
      sums[i] = prism_ptychography_frame_compare (self->frame, predicted[i],
                                                  self->light.found[predicted[i]], NULL);
  for (guint i = 0; i < n; i++)
    {
      const guint j = predicted[i];
      const double left = prism_held_out_get_error (&sums[i]);
      const double correlation = prism_held_out_get_correlation (&sums[i]);

      if (misfits != NULL)
        misfits[j] = sqrt (left / MAX (sums[i].recorded_squares, 1e-300));
      if (correlations != NULL)
        correlations[j] = correlation;
      if (self->strays[j] == PRISM_STRAY_FOUND)
        continue;
      error += left;
      energy += sums[i].recorded_squares;
      sum += correlation;
      squares += correlation * correlation;
      values[prediction.n_frames++] = correlation;
    }
  prediction.misfit = prediction.n_frames > 0 ? sqrt (error / energy) : (double) NAN;
  prediction.correlation = prism_sort_median (values, prediction.n_frames);
  n = prediction.n_frames;
  /* Of a median: √(π/2) times that of the mean. */
  prediction.error = sqrt (G_PI / 2 * MAX (squares - sum * sum / n, 0) / (n - 1) / n);
  return prediction;
}

static void
predict (PrismPtychography *self)
{
  self->held = prism_ptychography_predict (self, TRUE, NULL, NULL);
  self->misfit = self->held.n_frames > 0
                     ? self->held.misfit
                     : prism_ptychography_predict (self, FALSE, NULL, NULL).misfit;
}

static gboolean
keep (PrismPtychography *self)
{
  g_autoptr (PrismBundle) best = prism_bundle_new ();

  if (!prism_ptychography_save_estimate (self, best, NULL))
    return FALSE;
  prism_bundle_free (self->best);
  self->best = g_steal_pointer (&best);
  self->best_pass = self->pass;
  return TRUE;
}

/* What the passes count stays. */
static void
go_back (PrismPtychography *self)
{
  const guint pass = self->pass, turned_at = self->turned_at;
  const double earlier = self->earlier;

  prism_ptychography_load_estimate (self, self->best, NULL);
  self->pass = pass;
  self->earlier = earlier;
  self->turned_at = turned_at;
  predict (self);
}

/* Without memory for it, passes go on as they are. */
static void
turn (PrismPtychography *self)
{
  self->descent = prism_ptychography_descent_new (self, NULL);
  if (self->descent == NULL)
    return;
  go_back (self);
  prism_ptychography_descent_begin (self);
  self->turned_at = self->pass;
  self->n_worse = 0;
}

/**
 * prism_ptychography_take_best:
 * @self: between two passes
 *
 * Goes back to the best estimate, where the last passes were worse.
 */
void
prism_ptychography_take_best (PrismPtychography *self)
{
  const gboolean decoded = self->decoder != NULL && self->decoder->step > 0;

  if (self->best != NULL && (decoded || self->n_worse > 0))
    go_back (self);
}

/**
 * prism_ptychography_step:
 *
 * Takes one pass over all frames that are not held out, the inner ones first, or the rest of one
 * that was ended, and judges it.
 *
 * Returns: whether it was not ended; otherwise it is not counted, what its first frames have taught
 *   stays, and the next call goes on with the others
 */
gboolean
prism_ptychography_step (PrismPtychography *self)
{
  const gboolean decodes = prism_ptychography_is_decoding (self);
  const double earlier = MAX (self->earlier, self->held.correlation);

  /* What the passes before a decoder have found is what it has to be better than. */
  if (decodes && self->decoder->step == 0)
    {
      self->earlier = earlier;
      prism_ptychography_take_best (self);
      predict (self);
      self->least = keep (self) ? self->misfit : INFINITY;
      self->n_worse = 0;
    }
  if (!prism_ptychography_pass (self))
    return FALSE;
  self->earlier = earlier;
  predict (self);
  if (self->misfit < self->least)
    {
      self->least = keep (self) ? self->misfit : INFINITY;
      self->n_worse = 0;
    }
  else
    self->n_worse = self->misfit > WORSE * self->least && !prism_ptychography_is_looking (self)
                        ? self->n_worse + 1
                        : 0;
  if (self->n_worse >= PATIENCE && self->descent == NULL && !decodes)
    turn (self);
  if (self->pass >= prism_ptychography_get_n_passes (self))
    prism_ptychography_take_best (self);
  return TRUE;
}

/**
 * prism_ptychography_get_held:
 * @self: after a pass
 *
 * Returns: (transfer none): how well frames that are held out are predicted by what is found
 */
const PrismPrediction *
prism_ptychography_get_held (PrismPtychography *self)
{
  return &self->held;
}

/**
 * prism_ptychography_get_misfit:
 * @self: after a pass
 *
 * Returns: what passes are judged by: the misfit of frames that are held out, where there are none
 *   of those that are used
 */
double
prism_ptychography_get_misfit (PrismPtychography *self)
{
  return self->misfit;
}

/**
 * prism_ptychography_takes_whole:
 *
 * Returns: whether the next pass is a device's from frame to frame: to be asked in its middle it
 *   would have to give back what it has
 */
gboolean
prism_ptychography_takes_whole (PrismPtychography *self)
{
  return prism_ptychography_device_get_name (self) != NULL && self->descent == NULL
         && !prism_ptychography_is_decoding (self);
}

/**
 * prism_ptychography_is_decoded:
 *
 * Returns: whether the best estimate is a decoder's
 */
gboolean
prism_ptychography_is_decoded (PrismPtychography *self)
{
  const guint n_decoded = (guint) self->settings->passes;

  return self->decoder != NULL && self->best != NULL
         && self->best_pass + n_decoded > prism_ptychography_get_n_passes (self);
}

/**
 * prism_ptychography_dup_prediction:
 * @frame: below N
 *
 * Predicts a frame, as bright as it was recorded.
 *
 * Shape: [q][q].
 *
 * Returns: (transfer full): amplitudes; g_free() them
 */
float *
prism_ptychography_dup_prediction (PrismPtychography *self,
                                   guint frame)
{
  const PrismPtychogram *frames = self->frames;
  const int q = frames->side;
  const float *field;
  const PrismHeldOut sums
      = prism_ptychography_frame_compare (self->frame, frame, self->light.found[frame], &field);
  const float gain
      = sums.predicted_squares > 0 ? (float) (sums.products / sums.predicted_squares) : 1;
  float *amplitudes = g_new (float, (gsize) q *q);

  for (int row = 0; row < q; row++)
    for (int column = 0; column < q; column++)
      {
        const float *value = field + 2 * ((gsize) row * frames->grid + column);

        amplitudes[(gsize) row * q + column] = gain * hypotf (value[0], value[1]);
      }
  return amplitudes;
}
