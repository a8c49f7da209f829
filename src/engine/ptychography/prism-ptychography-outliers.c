/* Where the light of frames comes from and how bright it is, between passes. */
#include "config.h"

#include "base/prism-number.h"
#include "ptychography/prism-ptychography-private.h"

/* Of a frame that is met this badly a step is half as long, and next to nothing of one that is all
 * noise: its place would walk at random. */
#define SHIFT_MISFIT 0.4
/* LEDs that are off by more than this each on its own make the search find a wrong pupil. */
#define UNSETTLED 0.75 /* pixels of the spectrum of a frame without border */
/* After the last pass that was planned, when all has come to rest: recorded sets that are explained
 * well have 0.23 and 0.42 then. */
#define UNSETTLED_AT_LAST 0.52

/**
 * prism_ptychography_wants:
 * @frame: one of the frames
 * @at_rim: whether only those at the rim are wanted
 *
 * Returns: whether it is visited: it is not left out by now
 */
gboolean
prism_ptychography_wants (const PrismPtychography *self,
                          guint frame,
                          gboolean at_rim)
{
  const double *place = self->light.found[frame];
  const double distance = hypot (place[0], place[1]) / self->frames->radius;

  return self->strays[frame] == 0 && (!at_rim || fabs (distance - 1) <= PRISM_RECORDING_RIM);
}

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
  if (moves && prism_frame_noise_has_signal (&self->frames->noise, j))
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
 * Places the LEDs whose frames were never looked at or are noise, or all where only the board is
 * found, and notes whether all are far off.
 */
void
prism_ptychography_light_settle (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  const double unit = (double) frames->grid / frames->side;
  const gboolean last = (int) self->pass + 1 == self->settings->passes;
  g_autofree guint *seen = g_new (guint, frames->n_used);
  g_autofree guint8 *others = g_memdup2 (frames->roles, frames->n_frames);
  guint n = 0;

  if (self->settings->positions == PRISM_PLACES_HELD)
    return;

  for (guint i = 0; i < frames->n_used; i++)
    {
      const guint j = frames->order[i];

      if (prism_frame_noise_has_signal (&frames->noise, j))
        seen[n++] = j;
      else
        others[j] = TRUE;
    }
  prism_illumination_fit_board (&self->light, seen, n, others);
  self->unsettled |= prism_illumination_compute_spread (&self->light, seen, n)
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

/* LEDs that the passes have led to a wrong place, from which no small step leads back: they are met
 * worse than others as far out, are left out for some passes, and are looked for then on a grid
 * around the place that the board's movement gives them.
 *
 * And lights that the pupil's rim cuts: an LED is no point and has no single colour, so that a part
 * of its light comes through and a part does not. No pupil explains both, and what such a frame
 * teaches spoils its neighbours. */

#define NEIGHBOURS 12   /* each way in the order from inside out */
#define STRAY_REACH 10  /* places, each way */
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

/* The place of a grid, half a pixel fine, at which the frame is met best; FALSE where the watch
 * ends it. */
static gboolean
place (PrismPtychography *self,
       guint j)
{
  const double unit = 0.5 * self->frames->grid / self->frames->side;
  double middle[2], least = INFINITY;

  prism_illumination_get_expected (&self->light, j, middle);
  for (int y = -STRAY_REACH; y <= STRAY_REACH; y++)
    for (int x = -STRAY_REACH; x <= STRAY_REACH; x++)
      {
        const double at[2] = { middle[0] + unit * x, middle[1] + unit * y };
        PrismHeldOut sums;
        double error;

        if (x * x + y * y > STRAY_REACH * STRAY_REACH)
          continue;
        if (!prism_ptychography_go_on (self, 0))
          return FALSE;
        sums = prism_ptychography_frame_compare (self->frame, j, at, NULL);
        error = prism_held_out_get_error (&sums);
        if (!(error < least))
          continue;
        least = error;
        memcpy (self->light.found[j], at, sizeof at);
        if (self->settings->gains && sums.recorded_squares > 0)
          self->light.gains[j] = sqrt (sums.predicted_squares / sums.recorded_squares);
      }
  return TRUE;
}

/**
 * prism_ptychography_place_strays:
 *
 * Looks for the places of the frames that are marked, with an object of the others alone, and
 * marks none any longer. The watch may end that, as a search; the next call goes on with the frame
 * that it was at.
 *
 * Returns: whether it was not ended
 */
gboolean
prism_ptychography_place_strays (PrismPtychography *self)
{
  gboolean goes_on = TRUE;

  self->is_searching = TRUE;
  for (guint j = 0; j < self->frames->n_frames && goes_on; j++)
    if (self->strays[j] != 0)
      {
        goes_on = place (self, j);
        self->strays[j] = goes_on ? PRISM_STRAY_NONE : self->strays[j];
      }
  self->is_searching = FALSE;
  return goes_on;
}

/**
 * prism_ptychography_compare_at:
 * @frame: one of the frames
 * @place: where its pupil would lie, pixels of n
 *
 * Returns: its misfit there, NAN for a frame without light
 */
double
prism_ptychography_compare_at (PrismPtychography *self,
                               guint frame,
                               const double place[2])
{
  const PrismHeldOut sums = prism_ptychography_frame_compare (self->frame, frame, place, NULL);

  return sums.recorded_squares > 0
             ? sqrt (prism_held_out_get_error (&sums) / sums.recorded_squares)
             : (double) NAN;
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

      if (self->strays[j] == PRISM_STRAY_NONE && distance >= RIM_FROM
          && distance <= 1 + PRISM_RECORDING_RIM
          && prism_ptychography_compare_at (self, j, at) > RIM_MISFIT)
        self->strays[j] = PRISM_STRAY_AT_RIM;
    }
}

static gboolean
is_bad (const PrismPtychography *self,
        guint i)
{
  const guint j = self->frames->order[i];
  const double *at = self->light.found[j];

  return self->misfits[j] > PRISM_PTYCHOGRAPHY_BAD
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
    {
      const guint j = self->frames->order[i];

      if (self->strays[j] == PRISM_STRAY_AT_RIM)
        continue;
      if (self->strays[j] == PRISM_STRAY_FOUND)
        self->misfits[j] = prism_ptychography_compare_at (self, j, self->light.found[j]);
      self->strays[j] = is_bad (self, i) ? PRISM_STRAY_FOUND : PRISM_STRAY_NONE;
    }
}
