/* Where the light of frames comes from and how bright it is, between passes. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include <math.h>

/* Of a frame that is met this badly a step is half as long, and next to nothing of one that is all
 * noise: its place would walk at random. */
#define SHIFT_MISFIT 0.4
/* LEDs that are off by more than this each on its own make the search find a wrong pupil. */
#define UNSETTLED 0.75 /* pixels of the spectrum of a frame without border */
/* After the last pass that was planned, when all has come to rest: recorded sets that are explained
 * well have 0.23 and 0.42 then. */
#define UNSETTLED_AT_LAST 0.52

/**
 * prism_ptychography_light_take:
 * @j: a frame
 * @lesson: what it has taught
 * @moves: whether its place is free
 *
 * Takes over the frame's gain, misfit and place.
 */
void
prism_ptychography_light_take (PrismPtychography *self,
                               guint j,
                               const PrismPtychographyLesson *lesson,
                               gboolean moves)
{
  /* Of a perfect fit rounding leaves less than nothing. */
  const double error = lesson->error < 0 ? 0 : lesson->error;
  const double misfit = sqrt (error / MAX (lesson->energy, 1e-300));
  const double step = 1 / (1 + pow (misfit / SHIFT_MISFIT, 4));
  const double shift[2] = { step * lesson->shift[0], step * lesson->shift[1] };

  self->light.gains[j] = lesson->gain;
  self->misfits[j] = misfit;
  if (moves)
    prism_illumination_move (&self->light, j, shift, prism_ptychography_light_get_most (self));
}

/**
 * prism_ptychography_light_normalise:
 *
 * Fixes by the inner frames what is free otherwise: the object's scale with all gains together.
 */
void
prism_ptychography_light_normalise (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  double sum = 0;

  for (guint i = 0; i < frames->n_bright; i++)
    sum += log (MAX (self->light.gains[frames->order[i]], 1e-6));
  sum = exp (sum / frames->n_bright);
  for (guint i = 0; i < frames->n_used; i++)
    self->light.gains[frames->order[i]] /= sum;
}

/**
 * prism_ptychography_light_settle:
 *
 * Places the LEDs whose frames were never looked at, or all where only the board is found, and
 * notes whether all are far off.
 */
void
prism_ptychography_light_settle (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  const double unit = (double) frames->grid / frames->side;
  const gboolean last = (int) self->pass + 1 == self->settings->passes;

  if (self->settings->positions == PRISM_PLACES_HELD)
    return;

  prism_illumination_fit_board (&self->light, frames->order, frames->n_used, frames->roles);
  self->unsettled |= prism_illumination_compute_spread (&self->light, frames->order, frames->n_used)
                     > (last ? UNSETTLED_AT_LAST : UNSETTLED) * unit;
  for (guint j = 0; self->settings->positions == PRISM_PLACES_BOARD && j < frames->n_frames; j++)
    prism_illumination_get_expected (&self->light, j, self->light.found[j]);
}

/**
 * prism_ptychography_light_get_most:
 *
 * Returns: how far from its recorded place an LED may be found, pixels
 */
double
prism_ptychography_light_get_most (PrismPtychography *self)
{
  return 6.0 * self->frames->grid / self->frames->side;
}
