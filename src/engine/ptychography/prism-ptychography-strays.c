/* LEDs that the passes have led to a wrong place, from which no small step leads back: they are met
 * worse than others as far out, are left out for some passes, and are looked for then on a grid
 * around the place that the board's movement gives them.
 *
 * And lights that the pupil's rim cuts: an LED is no point and has no single colour, so that a part
 * of its light comes through and a part does not. No pupil explains both, and what such a frame
 * teaches spoils its neighbours. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-number.h"

#include <math.h>
#include <string.h>

#define NEIGHBOURS 12   /* each way in the order from inside out */
#define REACH 10        /* places, each way */
#define FINENESS 0.5    /* between them, pixels of the spectrum of a frame without border */
#define RIM_FROM 0.95   /* radii of the pupil */
#define RIM_MISFIT 0.17 /* after the search; simulated point lights have at most 0.05 */
#define JUDGED 6        /* passes after which, and after one more, those that are met badly go */

/* The median of those as far out, of frame i in the order. */
static double
get_usual_misfit (const PrismPtychography *self,
                  guint i)
{
  const guint *order = self->frames->order;
  const guint n = self->frames->n_used;
  const guint from = i > NEIGHBOURS ? i - NEIGHBOURS : 0, to = MIN (n, i + NEIGHBOURS + 1);
  double values[2 * NEIGHBOURS + 1];

  for (guint k = from; k < to; k++)
    values[k - from] = self->misfits[order[k]];
  prism_sort_doubles (values, to - from);
  return values[(to - from) / 2];
}

/**
 * prism_ptychography_mark_strays:
 *
 * @worse: how many times the median of others as far out
 *
 * Marks the frames that the last pass met so much worse.
 */
void
prism_ptychography_mark_strays (PrismPtychography *self,
                                double worse)
{
  const guint *order = self->frames->order;

  for (guint i = 0; i < self->frames->n_used; i++)
    self->strays[order[i]] = self->misfits[order[i]] > worse * get_usual_misfit (self, i);
}

/* The place of a grid at which the frame is met best. */
static void
place (PrismPtychography *self,
       guint j)
{
  const double unit = FINENESS * (double) self->frames->grid / self->frames->side;
  double middle[2], least = INFINITY;

  prism_illumination_get_expected (&self->light, j, middle);
  for (int y = -REACH; y <= REACH; y++)
    for (int x = -REACH; x <= REACH; x++)
      {
        const double at[2] = { middle[0] + unit * x, middle[1] + unit * y };
        PrismHeldOut sums;
        double error;

        if (x * x + y * y > REACH * REACH)
          continue;
        sums = prism_ptychography_frame_compare (self->frame, j, at);
        error = prism_held_out_get_error (&sums);
        if (!(error < least))
          continue;
        least = error;
        memcpy (self->light.found[j], at, sizeof at);
        if (self->settings->gains && sums.recorded_squares > 0)
          self->light.gains[j] = sums.products / sums.recorded_squares;
      }
}

/**
 * prism_ptychography_place_strays:
 *
 * Looks for the places of the frames that are marked, with an object of the others alone, and
 * marks none any longer.
 */
void
prism_ptychography_place_strays (PrismPtychography *self)
{
  for (guint j = 0; j < self->frames->n_frames; j++)
    if (self->strays[j] != 0)
      {
        place (self, j);
        self->strays[j] = PRISM_STRAY_NONE;
      }
}

/**
 * prism_ptychography_mark_at_rim:
 * @n_frames: the inner ones, which the search has looked at
 *
 * Marks those with a light at the pupil's rim that the search has not met.
 */
void
prism_ptychography_mark_at_rim (PrismPtychography *self,
                                guint n_frames)
{
  for (guint i = 0; i < n_frames; i++)
    {
      const guint j = self->frames->order[i];
      const double *at = self->light.found[j];
      const double distance = hypot (at[0], at[1]) / self->frames->radius;

      PrismHeldOut sums;

      if (self->strays[j] != PRISM_STRAY_NONE || distance < RIM_FROM
          || distance > 1 + PRISM_RECORDING_RIM)
        continue;
      sums = prism_ptychography_frame_compare (self->frame, j, at);
      if (prism_held_out_get_error (&sums) > RIM_MISFIT * RIM_MISFIT * sums.recorded_squares)
        self->strays[j] = PRISM_STRAY_AT_RIM;
    }
}

static gboolean
is_bad (const PrismPtychography *self,
        guint i)
{
  const guint j = self->frames->order[i];
  const double *at = self->light.found[j];

  return self->strays[j] == PRISM_STRAY_NONE && self->misfits[j] > PRISM_PTYCHOGRAPHY_BAD
         && self->misfits[j] > PRISM_PTYCHOGRAPHY_WORSE * get_usual_misfit (self, i)
         && hypot (at[0], at[1]) > (1 - PRISM_RECORDING_RIM) * self->frames->radius;
}

/**
 * prism_ptychography_judge_frames:
 * @pass: the one that is to come, since the last search
 *
 * Takes frames at the rim back after some passes, and leaves out what is met far worse than others
 * as far out then, from the rim on: that no place of an LED has brought it there is known by then.
 */
void
prism_ptychography_judge_frames (PrismPtychography *self,
                                 guint pass)
{
  for (guint j = 0; pass == JUDGED && j < self->frames->n_frames; j++)
    if (self->strays[j] == PRISM_STRAY_AT_RIM)
      self->strays[j] = PRISM_STRAY_NONE;
  if (self->unsettled || (pass != JUDGED && pass != JUDGED + 1))
    return;
  for (guint i = 0; i < self->frames->n_used; i++)
    if (is_bad (self, i))
      self->strays[self->frames->order[i]] = PRISM_STRAY_FOUND;
}
