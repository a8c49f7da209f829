/* LEDs that the passes have led to a wrong place, from which no small step leads back: they are met
 * worse than others as far out, are left out for some passes, and are looked for then on a grid
 * around the place that the board's movement gives them. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-sort.h"

#include <math.h>
#include <string.h>

#define NEIGHBOURS 12 /* each way in the order from inside out */
#define REACH 10      /* places, each way */
#define FINENESS 0.5  /* between them, pixels of the spectrum of a frame without border */

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
  const guint n = self->frames->n_used;

  for (guint i = 0; i < n; i++)
    {
      const guint from = i > NEIGHBOURS ? i - NEIGHBOURS : 0, to = MIN (n, i + NEIGHBOURS + 1);
      double values[2 * NEIGHBOURS + 1];

      for (guint k = from; k < to; k++)
        values[k - from] = self->misfits[order[k]];
      prism_sort_doubles (values, to - from);
      self->strays[order[i]] = self->misfits[order[i]] > worse * values[(to - from) / 2];
    }
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
        if (self->settings.gains && sums.recorded_squares > 0)
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
        self->strays[j] = 0;
      }
}
