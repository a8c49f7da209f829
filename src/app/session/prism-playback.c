#include "config.h"

#include "session/prism-playback.h"

#include "support/prism-class.h"

#define MAX_RATE 60
#define FIRST_RATE 10
#define MOST_ROWS 20000 /* of the history that are looked at for a snapshot */

G_DEFINE_BOXED_TYPE (PrismSnapshot, prism_snapshot, prism_snapshot_ref, prism_snapshot_unref)

G_DEFINE_BOXED_TYPE (PrismMoment, prism_moment, prism_moment_ref, prism_moment_unref)

G_DEFINE_FINAL_TYPE (PrismPlayback, prism_playback, G_TYPE_OBJECT)

/* What is shown for a moment: the last one of a run that is over is its end, and no past. */
static PrismMoment *
get_past (PrismPlayback *self,
          PrismMoment *moment)
{
  return PRISM_STATE_IS_OVER (self->snapshot->state) && moment->step == self->snapshot->step
             ? NULL
             : moment;
}

static void
update_shown (PrismPlayback *self)
{
  PrismSnapshot *before = self->shown;

  self->shown = self->snapshot == NULL ? NULL
                : self->moment == NULL
                    ? prism_snapshot_ref (self->snapshot)
                    : prism_past_new_snapshot (self->past, self->snapshot, self->moment);
  if (self->moment != NULL && self->shown->measurement == NULL)
    self->shown->measurement = prism_past_new_exposure (self->shown);
  prism_snapshot_unref (before);
  g_object_notify (G_OBJECT (self), "shown");
}

static void
set_moment (PrismPlayback *self,
            PrismMoment *wanted)
{
  PrismMoment *before = self->moment;
  PrismMoment *moment = wanted != NULL ? get_past (self, wanted) : NULL;

  if (moment == before)
    return;
  self->moment = prism_moment_ref (moment);
  self->n_held = 0;
  update_shown (self);
  g_object_notify (G_OBJECT (self), "moment");
  if ((before == NULL) != (moment == NULL))
    g_object_notify (G_OBJECT (self), "live");
  prism_moment_unref (before);
}

/* Positions, with which the blur goes, take as long as the passes after them. */
static gboolean
holds (PrismPlayback *self)
{
  const PrismFrames *frames = prism_playback_get_frames (self);
  const int turn = prism_frames_find_sample (frames, MAX (self->snapshot->n_samples, 1) - 1);
  const int last = (int) frames->n_moments - 1;

  return turn > 0 && self->moment->step < frames->moments[turn]->step
         && (int) ++self->n_held < (last - turn) / turn;
}

static gboolean
play (gpointer data)
{
  PrismPlayback *self = data;

  if (prism_playback_can_jump (self, PRISM_JUMP_NEXT))
    {
      if (holds (self))
        return G_SOURCE_CONTINUE;
      prism_playback_jump (self, PRISM_JUMP_NEXT);
    }
  else if (self->loop)
    prism_playback_jump (self, PRISM_JUMP_FIRST);
  else
    {
      self->timer = 0;
      g_object_notify (G_OBJECT (self), "playing");
      return G_SOURCE_REMOVE;
    }
  return G_SOURCE_CONTINUE;
}

/* From the beginning where the end is shown. */
static void
set_playing (PrismPlayback *self,
             gboolean playing)
{
  if (playing == (self->timer != 0) || (playing && prism_playback_get_frames (self) == NULL))
    return;
  if (!playing)
    g_clear_handle_id (&self->timer, g_source_remove);
  else
    {
      self->timer = g_timeout_add (1000 / self->rate, play, self);
      if (!prism_playback_can_jump (self, PRISM_JUMP_NEXT))
        prism_playback_jump (self, PRISM_JUMP_FIRST);
    }
  g_object_notify (G_OBJECT (self), "playing");
}

static gboolean
get_live (PrismPlayback *self)
{
  return self->moment == NULL;
}

/* Leaving the present stays where it is, which is nothing else where the run is over. */
static void
set_live (PrismPlayback *self,
          gboolean live)
{
  PrismFrames *frames = prism_playback_get_frames (self);

  if (live)
    prism_playback_jump (self, PRISM_JUMP_LIVE);
  else if (self->moment == NULL && frames != NULL && !PRISM_STATE_IS_OVER (self->snapshot->state))
    set_moment (self, frames->moments[frames->n_moments - 1]);
}

static gboolean
get_playing (PrismPlayback *self)
{
  return self->timer != 0;
}

static void
update_rate (PrismPlayback *self)
{
  self->rate = CLAMP (self->rate, 1, MAX_RATE);
  if (self->timer == 0)
    return;
  g_source_remove (self->timer);
  self->timer = g_timeout_add (1000 / self->rate, play, self);
}

static void
prism_playback_class_init (PrismPlaybackClass *klass)
{
  PRISM_FINALIZE (klass, PrismPlayback, g_source_remove, timer);
  PRISM_FINALIZE (klass, PrismPlayback, prism_snapshot_unref, shown, snapshot);
  PRISM_FINALIZE (klass, PrismPlayback, prism_moment_unref, moment);
  PRISM_FINALIZE (klass, PrismPlayback, g_array_unref, readings);
  PRISM_FINALIZE (klass, PrismPlayback, prism_past_free, past);
  PRISM_FINALIZE (klass, PrismPlayback, prism_spikes_free, spikes);

  PRISM_FIELD (klass, PrismPlayback, shown, PRISM_TYPE_SNAPSHOT, NULL);
  PRISM_FIELD (klass, PrismPlayback, moment, PRISM_TYPE_MOMENT, NULL);
  prism_property_new (klass, "live", G_TYPE_BOOLEAN, 0, get_live, set_live);
  prism_property_new (klass, "playing", G_TYPE_BOOLEAN, 0, get_playing, set_playing);
  PRISM_FIELD (klass, PrismPlayback, rate, G_TYPE_INT, update_rate);
  PRISM_FIELD (klass, PrismPlayback, loop, G_TYPE_BOOLEAN, prism_property_stored);
}

static void
prism_playback_init (PrismPlayback *self)
{
  self->past = prism_past_new ();
  self->spikes = prism_spikes_new ();
  self->rate = FIRST_RATE;
}

/**
 * prism_playback_set_snapshot:
 * @self: a playback
 * @snapshot: the newest of the run
 *
 * Takes the run's newest snapshot. Who looks at the past goes on to do so until another run begins
 * or the scene changes.
 */
void
prism_playback_set_snapshot (PrismPlayback *self,
                             PrismSnapshot *snapshot)
{
  gboolean same_run = self->snapshot != NULL && snapshot->run == self->snapshot->run;
  PrismMoment *moment;

  prism_keep (&self->snapshot, snapshot, prism_snapshot_ref, prism_snapshot_unref);
  moment = self->moment != NULL ? get_past (self, self->moment) : NULL;
  prism_spikes_read (self->spikes, snapshot->history, snapshot->n_rows, MOST_ROWS);
  if (!same_run || prism_playback_get_frames (self) == NULL)
    {
      set_playing (self, FALSE);
      moment = NULL;
    }
  if (moment != self->moment)
    set_moment (self, moment);
  else
    update_shown (self);
}

/**
 * prism_playback_set_readings:
 * @self: a playback
 * @readings: (nullable) (element-type PrismMarkReading): what marks measure on the result
 *
 * Shows them with it.
 */
void
prism_playback_set_readings (PrismPlayback *self,
                             GArray *readings)
{
  if (!prism_keep (&self->readings, readings, g_array_ref, g_array_unref))
    return;
  g_object_notify (G_OBJECT (self), "shown");
}

/**
 * prism_playback_get_readings:
 * @self: a playback
 *
 * Returns: (transfer none) (nullable) (element-type PrismMarkReading): what marks measure on the
 *   pictures; %NULL where nobody knows it
 */
GArray *
prism_playback_get_readings (PrismPlayback *self)
{
  return self->moment == NULL ? self->readings : NULL;
}

/**
 * prism_playback_get_frames:
 * @self: a playback
 *
 * Returns: (transfer none) (nullable): the moments that there are, one at least
 */
PrismFrames *
prism_playback_get_frames (PrismPlayback *self)
{
  PrismFrames *frames = self->snapshot != NULL ? self->snapshot->frames : NULL;

  return frames != NULL && frames->n_moments > 0 ? frames : NULL;
}

static guint64
get_step (PrismPlayback *self)
{
  return self->moment != NULL ? self->moment->step : self->snapshot->step;
}

static gboolean
is_beyond (PrismPlayback *self,
           const PrismMoment *moment,
           int direction)
{
  return direction * (gint64) (moment->step - get_step (self)) > 0;
}

/* The moment beside the one that is shown. The newest is the present itself as soon as the run
 * stands there. */
static int
find_neighbour (PrismPlayback *self,
                const PrismFrames *frames,
                int direction)
{
  int i = prism_frames_find (frames, (double) get_step (self));

  if (!is_beyond (self, frames->moments[i], direction))
    i += direction;
  return i < (int) frames->n_moments ? i : -1;
}

static int
find_spike (PrismPlayback *self,
            const PrismFrames *frames,
            int direction)
{
  guint64 step = get_step (self), found;
  int i;

  prism_spikes_read (self->spikes, self->snapshot->history, self->snapshot->n_rows, G_MAXUINT64);
  /* A spike lies between two moments: one that shows the same moment again is passed over. */
  while (prism_spikes_find (self->spikes, step, direction, &found))
    {
      i = prism_frames_find (frames, (double) found);
      if (is_beyond (self, frames->moments[i], direction))
        return i;
      step = found;
    }
  return -1;
}

/* Index of a moment, -1 where there is none. */
static int
find_jump (PrismPlayback *self,
           PrismJump jump)
{
  const PrismFrames *frames = prism_playback_get_frames (self);

  if (frames == NULL)
    return -1;
  switch (jump)
    {
    case PRISM_JUMP_FIRST:
      return 0;
    case PRISM_JUMP_PREVIOUS:
      return find_neighbour (self, frames, -1);
    case PRISM_JUMP_NEXT:
      return self->moment != NULL ? find_neighbour (self, frames, 1) : -1;
    case PRISM_JUMP_BEST:
      return frames->best;
    case PRISM_JUMP_PREVIOUS_SPIKE:
      return find_spike (self, frames, -1);
    case PRISM_JUMP_NEXT_SPIKE:
      return find_spike (self, frames, 1);
    default:
      return -1;
    }
}

/**
 * prism_playback_can_jump:
 * @self: a playback
 * @jump: where to
 *
 * Returns: whether there is such a moment and another one is shown
 */
gboolean
prism_playback_can_jump (PrismPlayback *self,
                         PrismJump jump)
{
  int i;

  if (jump == PRISM_JUMP_LIVE)
    return self->moment != NULL;
  i = find_jump (self, jump);
  return i >= 0
         && get_past (self, prism_playback_get_frames (self)->moments[i]) != self->moment;
}

/**
 * prism_playback_jump:
 * @self: a playback
 * @jump: where to
 *
 * Shows another moment, where there is one.
 */
void
prism_playback_jump (PrismPlayback *self,
                     PrismJump jump)
{
  int i = find_jump (self, jump);

  if (jump == PRISM_JUMP_LIVE)
    {
      set_playing (self, FALSE);
      set_moment (self, NULL);
    }
  else if (i >= 0)
    set_moment (self, prism_playback_get_frames (self)->moments[i]);
}

/**
 * prism_playback_go_to_step:
 * @self: a playback
 * @step: any step, or NAN for the present
 *
 * Shows the moment nearest to a step; beyond the newest it is the present.
 */
void
prism_playback_go_to_step (PrismPlayback *self,
                           double step)
{
  const PrismFrames *frames = prism_playback_get_frames (self);

  if (frames == NULL)
    return;
  if (isnan (step) || step >= (double) self->snapshot->step)
    prism_playback_jump (self, PRISM_JUMP_LIVE);
  else
    set_moment (self, frames->moments[prism_frames_find (frames, step)]);
}

/**
 * prism_playback_go_to_sample:
 * @self: a playback
 * @sample: number of a sample, from 0
 *
 * Shows the first moment that has seen a sample.
 *
 * Returns: whether the run has come so far
 */
gboolean
prism_playback_go_to_sample (PrismPlayback *self,
                             guint sample)
{
  const PrismFrames *frames = prism_playback_get_frames (self);
  int i = frames != NULL ? prism_frames_find_sample (frames, sample) : -1;

  if (i < 0)
    return FALSE;
  set_moment (self, frames->moments[i]);
  return TRUE;
}
