#include "config.h"

#include "ptychography/prism-ptychography-run.h"

#include "base/prism-clock.h"
#include "ptychography/prism-finding-new.h"
#include "ptychography/prism-mosaic.h"
#include "ptychography/prism-ptychography-export.h"
#include "ptychography/prism-ptychography-start.h"

#include <math.h>
#include <string.h>

/* Predicting all frames takes a third of a pass, so not after each of many short ones. */
#define NO_FRAME G_MAXUINT

struct _PrismPtychographyRun
{
  gatomicrefcount ref_count; /* who asked for it, and the thread */
  PrismRecording *recording;
  PrismPtychographySettings settings;

  /* The thread's own. */
  PrismPtychography *solver; /* (nullable): of the whole, of a tile, in the end of the middle one */
  PrismMosaic *mosaic;       /* (nullable) */
  GArray *progress;          /* of PrismPrediction */
  double published;          /* when the last finding was made */

  GMutex mutex;
  GCond wanted; /* one of the next changed */
  gboolean ended;
  gboolean paused;
  gboolean finishing;
  guint n_passes;
  guint n_planned;                /* of these by the solver */
  guint wanted_look;              /* NO_FRAME: none */
  char *wanted_folder;            /* (nullable) */
  PrismPtychographyNotify notify; /* (nullable) */
  gpointer data;
  /* What has come of it. */
  PrismPtychographyStage stage;
  guint pass;
  guint tile;
  guint n_tiles;
  double fraction;
  double begun;
  double idle;                /* s since it began that it was paused or done */
  double stopped;             /* when it was paused or done; NAN while it works */
  char *problem;              /* (nullable) */
  PrismFinding *finding;      /* (nullable) */
  PrismPtychographyLook look; /* of frame NO_FRAME: none */
  gboolean has_saved;
  char *saved;        /* (nullable): where */
  char *save_problem; /* (nullable) */
};

static void
clear_look (PrismPtychographyLook *look)
{
  g_clear_pointer (&look->recorded, prism_image_unref);
  g_clear_pointer (&look->predicted, prism_image_unref);
  look->frame = NO_FRAME;
}

static void
unref (PrismPtychographyRun *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  prism_ptychography_free (self->solver);
  prism_mosaic_free (self->mosaic);
  prism_recording_free (self->recording);
  g_array_unref (self->progress);
  g_free (self->wanted_folder);
  g_free (self->problem);
  prism_finding_unref (self->finding);
  clear_look (&self->look);
  g_free (self->saved);
  g_free (self->save_problem);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->wanted);
  g_free (self);
}

/* Under the lock. */
static void
tell (PrismPtychographyRun *self)
{
  if (self->notify != NULL)
    self->notify (self->data);
}

static void
rest (PrismPtychographyRun *self)
{
  if (isnan (self->stopped))
    self->stopped = prism_clock_get_seconds ();
}

static void
work (PrismPtychographyRun *self)
{
  if (!isnan (self->stopped))
    self->idle += prism_clock_get_seconds () - self->stopped;
  self->stopped = NAN;
}

static double
get_seconds (PrismPtychographyRun *self)
{
  const double now = isnan (self->stopped) ? prism_clock_get_seconds () : self->stopped;

  return now - self->begun - self->idle;
}

static void
set_stage (PrismPtychographyRun *self,
           PrismPtychographyStage stage)
{
  g_mutex_lock (&self->mutex);
  self->stage = stage;
  self->fraction = 0;
  self->pass = self->solver != NULL ? prism_ptychography_get_pass (self->solver) : 0;
  if (stage >= PRISM_PTYCHOGRAPHY_DONE)
    {
      if (self->finishing)
        self->n_passes = self->pass;
      self->finishing = self->paused = FALSE;
      rest (self);
    }
  tell (self);
  g_mutex_unlock (&self->mutex);
}

static PrismImage *
make_image (const float *values,
            int side)
{
  PrismImage *image = prism_image_new_copy (side, side, values, NULL);

  for (int i = 0; image != NULL && i < side * side; i++)
    if (image->pixels[i] < 0)
      image->pixels[i] = NAN;
  return image;
}

/* The thread's; not under the lock. */
static void
look (PrismPtychographyRun *self,
      guint frame)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (self->solver);
  g_autofree float *predicted = NULL;
  PrismPtychographyLook found = { .frame = frame };

  if (frame >= frames->n_frames)
    return;
  predicted = prism_ptychography_dup_prediction (self->solver, frame);
  found.recorded = make_image (prism_ptychogram_get (frames, frame), frames->side);
  found.predicted = make_image (predicted, frames->side);
  g_mutex_lock (&self->mutex);
  clear_look (&self->look);
  self->look = found;
  tell (self);
  g_mutex_unlock (&self->mutex);
}

/* The object of the tiles that are done takes the place of that of one. */
static gboolean
add_tiles (PrismPtychographyRun *self,
           PrismFinding *finding,
           GError **error)
{
  const PrismMosaicPlan *plan = self->mosaic != NULL ? prism_mosaic_get_plan (self->mosaic) : NULL;
  float *object;

  if (plan == NULL || !plan->tiles[0].done)
    return TRUE;
  object = prism_mosaic_dup_object (self->mosaic, error);
  if (object == NULL)
    return FALSE;
  prism_finding_set_object (finding, object, plan->height, plan->width);
  finding->held_out = prism_mosaic_get_held_out (self->mosaic);
  return TRUE;
}

static PrismFinding *
make_finding (PrismPtychographyRun *self,
              GError **error)
{
  g_autoptr (PrismFinding) finding = NULL;
  double seconds;

  g_mutex_lock (&self->mutex);
  seconds = get_seconds (self);
  g_mutex_unlock (&self->mutex);
  finding = prism_finding_new (self->solver, self->progress, self->recording->path, seconds, error);
  if (finding == NULL || !add_tiles (self, finding, error))
    return NULL;
  return g_steal_pointer (&finding);
}

static gboolean
save (PrismPtychographyRun *self,
      const char *directory,
      GError **error)
{
  g_autoptr (PrismFinding) found = make_finding (self, error);
  g_autofree double *misfits = g_new (double, self->recording->n_frames);
  g_autofree double *correlations = g_new (double, self->recording->n_frames);
  PrismPtychographyOutcome outcome = { .recording = self->recording,
                                       .settings = &self->settings,
                                       .misfits = misfits,
                                       .correlations = correlations,
                                       .progress = self->progress };

  if (found == NULL)
    return FALSE;
  if (self->mosaic != NULL && prism_mosaic_get_plan (self->mosaic)->tiles[0].done)
    outcome.mosaic = self->mosaic;
  for (guint j = 0; j < found->n_frames; j++)
    {
      misfits[j] = found->frames[j].misfit;
      correlations[j] = found->frames[j].correlation;
    }
  outcome.held_out = found->held_out;
  outcome.used = found->used;
  outcome.doubts = found->doubts;
  outcome.seconds = found->seconds;
  return prism_ptychography_export_save_all (self->solver, &outcome, directory, error);
}

static void
save_and_tell (PrismPtychographyRun *self,
               char *directory)
{
  g_autoptr (GError) error = NULL;

  save (self, directory, &error);
  g_mutex_lock (&self->mutex);
  g_free (self->saved);
  g_free (self->save_problem);
  self->has_saved = TRUE;
  self->saved = directory;
  self->save_problem = error != NULL ? g_strdup (error->message) : NULL;
  tell (self);
  g_mutex_unlock (&self->mutex);
}

/* Under the lock, which is given up meanwhile: what is asked for between two frames. Returns
 * whether there was something. */
static gboolean
serve (PrismPtychographyRun *self)
{
  const guint frame = self->wanted_look;
  char *folder = g_steal_pointer (&self->wanted_folder);

  if (frame == NO_FRAME && folder == NULL)
    return FALSE;
  self->wanted_look = NO_FRAME;
  g_mutex_unlock (&self->mutex);
  if (frame != NO_FRAME)
    look (self, frame);
  if (folder != NULL)
    save_and_tell (self, folder);
  g_mutex_lock (&self->mutex);
  return TRUE;
}

/* Under the lock. */
static gboolean
is_asked (const PrismPtychographyRun *self)
{
  return self->wanted_look != NO_FRAME || self->wanted_folder != NULL;
}

/* The thread's, and in the search of its crew's: there nothing is there to be looked at. */
static gboolean
watch (double fraction,
       gpointer data)
{
  PrismPtychographyRun *self = data;
  gboolean serves, go_on;

  g_mutex_lock (&self->mutex);
  serves = self->stage == PRISM_PTYCHOGRAPHY_PASSING;
  if (fraction - self->fraction >= 0.01)
    {
      self->fraction = fraction;
      tell (self);
    }
  while (!self->ended && !self->finishing
         && (self->paused || (serves && is_asked (self))))
    {
      if (self->paused)
        rest (self);
      if (!serves || !serve (self))
        g_cond_wait (&self->wanted, &self->mutex);
    }
  if (!self->paused)
    work (self);
  go_on = !self->ended && !self->finishing;
  g_mutex_unlock (&self->mutex);
  return go_on;
}

static void
fail (PrismPtychographyRun *self,
      const char *problem)
{
  g_mutex_lock (&self->mutex);
  g_free (self->problem);
  self->problem = g_strdup (problem);
  g_mutex_unlock (&self->mutex);
  set_stage (self, PRISM_PTYCHOGRAPHY_FAILED);
}

static PrismPtychography *
new_solver (PrismPtychographyRun *self,
            GError **error)
{
  g_autoptr (PrismPtychography) solver = NULL;
  PrismPtychogram *frames = prism_ptychogram_new (self->recording, &self->settings, error);

  if (frames == NULL)
    return NULL;
  solver = prism_ptychography_new (frames, &self->settings, self->recording->wavelength,
                                   self->recording->na, error);
  return solver != NULL && prism_ptychography_start_load (solver, error) ? g_steal_pointer (&solver)
                                                                         : NULL;
}

static gboolean
begin (PrismPtychographyRun *self,
       PrismPtychography *solver,
       const GError *error)
{
  if (solver == NULL)
    {
      fail (self, error->message);
      return FALSE;
    }
  self->solver = solver;
  prism_ptychography_set_watch (self->solver, watch, self);
  set_stage (self, PRISM_PTYCHOGRAPHY_SEARCHING);
  if (prism_ptychography_begin (self->solver))
    return TRUE;
  if (self->mosaic == NULL || !prism_mosaic_get_plan (self->mosaic)->tiles[0].done)
    fail (self, "It was stopped before anything was found.");
  return FALSE;
}

static gboolean
publish (PrismPtychographyRun *self)
{
  g_autoptr (GError) error = NULL;
  PrismFinding *found = make_finding (self, &error);

  if (found == NULL)
    {
      fail (self, error->message);
      return FALSE;
    }
  self->published = prism_clock_get_seconds ();
  g_mutex_lock (&self->mutex);
  prism_finding_unref (self->finding);
  self->finding = found;
  tell (self);
  g_mutex_unlock (&self->mutex);
  return TRUE;
}

/* The solver wants more of them when it has found LEDs far from where they were recorded. */
static gboolean
wants_pass (PrismPtychographyRun *self)
{
  const guint n_planned = prism_ptychography_get_n_passes (self->solver);
  gboolean wants;

  g_mutex_lock (&self->mutex);
  self->n_passes += n_planned - self->n_planned;
  self->n_planned = n_planned;
  wants = !self->ended && !self->finishing
          && prism_ptychography_get_pass (self->solver) < self->n_passes;
  g_mutex_unlock (&self->mutex);
  return wants;
}

/* All passes that are wanted, or until it is finished. Returns whether there was memory. */
static gboolean
take_passes (PrismPtychographyRun *self)
{
  while (wants_pass (self))
    {
      PrismPrediction held;

      set_stage (self, PRISM_PTYCHOGRAPHY_PASSING);
      if (!prism_ptychography_step (self->solver))
        break;
      held = prism_ptychography_predict (self->solver, TRUE, NULL, NULL);
      g_array_append_val (self->progress, held);
      if (prism_clock_get_seconds () - self->published > 0.25 && wants_pass (self)
          && !publish (self))
        return FALSE;
    }
  return publish (self);
}

/* Until there is something to do. Returns whether it goes on. */
static gboolean
wait (PrismPtychographyRun *self)
{
  gboolean ended;

  g_mutex_lock (&self->mutex);
  while (!self->ended && prism_ptychography_get_pass (self->solver) >= self->n_passes)
    if (!serve (self))
      g_cond_wait (&self->wanted, &self->mutex);
  work (self);
  ended = self->ended;
  g_mutex_unlock (&self->mutex);
  return !ended;
}

static gboolean
is_wanted (PrismPtychographyRun *self)
{
  gboolean wanted;

  g_mutex_lock (&self->mutex);
  wanted = !self->ended && !self->finishing;
  g_mutex_unlock (&self->mutex);
  return wanted;
}

/* One after the other until it is finished. Those that were not explained whole are left out. */
static gboolean
explain_tile (PrismPtychographyRun *self,
              guint tile)
{
  g_autoptr (GError) error = NULL;
  PrismPtychography *solver;

  g_array_set_size (self->progress, 0);
  g_mutex_lock (&self->mutex);
  self->tile = tile;
  self->n_passes = self->n_planned = (guint) self->settings.passes;
  g_mutex_unlock (&self->mutex);
  solver = prism_mosaic_new_solver (self->mosaic, tile, &error);
  if (!begin (self, solver, error) || !take_passes (self) || !is_wanted (self))
    return FALSE;
  if (prism_mosaic_add (self->mosaic, tile, self->solver, &error))
    return publish (self);
  fail (self, error->message);
  return FALSE;
}

/* Goes back to the middle tile, once there are no more. Returns whether there is one. */
static gboolean
take_middle (PrismPtychographyRun *self,
             PrismPtychography *first,
             GArray *progress)
{
  guint n_done = 0;

  if (first == NULL)
    return self->solver != NULL && self->stage != PRISM_PTYCHOGRAPHY_FAILED;
  prism_ptychography_free (self->solver);
  self->solver = first;
  g_array_set_size (self->progress, 0);
  g_array_append_vals (self->progress, progress->data, progress->len);
  for (guint i = 0; i < self->n_tiles; i++)
    n_done += prism_mosaic_get_plan (self->mosaic)->tiles[i].done;
  g_mutex_lock (&self->mutex);
  self->tile = n_done;
  self->n_passes = self->n_planned = prism_ptychography_get_pass (first);
  g_mutex_unlock (&self->mutex);
  return TRUE;
}

/* Keeps the solver of the middle tile, whose frames are looked at in the end. */
static gboolean
explain_tiles (PrismPtychographyRun *self)
{
  g_autoptr (GError) error = NULL;
  PrismPtychography *first = NULL;
  g_autoptr (GArray) progress = NULL;
  guint n;

  self->mosaic = prism_mosaic_new (self->recording, &self->settings, &error);
  if (self->mosaic == NULL)
    {
      fail (self, error->message);
      return FALSE;
    }
  n = prism_mosaic_get_plan (self->mosaic)->n_tiles;
  g_mutex_lock (&self->mutex);
  self->n_tiles = n;
  g_mutex_unlock (&self->mutex);
  for (guint i = 0; i < n && explain_tile (self, i); i++)
    {
      if (i == 0)
        {
          first = self->solver;
          progress = g_array_copy (self->progress);
        }
      else
        prism_ptychography_free (self->solver);
      self->solver = NULL;
    }
  return take_middle (self, first, progress);
}

/* Begins the whole field, or explains it tile by tile. Returns whether there is something. */
static gboolean
explain (PrismPtychographyRun *self)
{
  if (self->settings.tile == 0)
    {
      g_autoptr (GError) error = NULL;
      PrismPtychography *solver = new_solver (self, &error);

      return begin (self, solver, error);
    }
  return explain_tiles (self);
}

static gpointer
run (gpointer data)
{
  PrismPtychographyRun *self = data;

  if (explain (self))
    do
      {
        if (!take_passes (self))
          break;
        set_stage (self, PRISM_PTYCHOGRAPHY_DONE);
      }
    while (wait (self));
  unref (self);
  return NULL;
}

/**
 * prism_ptychography_run_new:
 * @recording: frames that nobody changes any more
 * @settings: what is wanted
 * @notify: called when something is new
 * @data: for @notify
 *
 * Begins.
 *
 * Returns: (transfer full): the run
 */
PrismPtychographyRun *
prism_ptychography_run_new (PrismRecording *recording,
                            const PrismPtychographySettings *settings,
                            PrismPtychographyNotify notify,
                            gpointer data)
{
  PrismPtychographyRun *self = g_new0 (PrismPtychographyRun, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_atomic_ref_count_inc (&self->ref_count);
  self->recording = prism_recording_ref (recording);
  self->settings = *settings;
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  g_mutex_init (&self->mutex);
  g_cond_init (&self->wanted);
  self->n_passes = self->n_planned = (guint) settings->passes;
  self->wanted_look = self->look.frame = NO_FRAME;
  self->notify = notify;
  self->data = data;
  self->begun = prism_clock_get_seconds ();
  self->stopped = NAN;
  g_thread_unref (g_thread_new ("ptychography", run, self));
  return self;
}

/**
 * prism_ptychography_run_free:
 * @self: (nullable): a run
 *
 * Lets the thread end by itself, within the time that a frame takes. Nobody is notified any more.
 */
void
prism_ptychography_run_free (PrismPtychographyRun *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->mutex);
  self->ended = TRUE;
  self->notify = NULL;
  g_cond_broadcast (&self->wanted);
  g_mutex_unlock (&self->mutex);
  unref (self);
}

/**
 * prism_ptychography_run_set_paused:
 * @paused: whether it is to rest after this frame
 *
 * Holds it up, or lets it go on. One that is done does not pause.
 */
void
prism_ptychography_run_set_paused (PrismPtychographyRun *self,
                                   gboolean paused)
{
  g_mutex_lock (&self->mutex);
  self->paused = paused && self->stage < PRISM_PTYCHOGRAPHY_DONE;
  g_cond_broadcast (&self->wanted);
  g_mutex_unlock (&self->mutex);
}

/**
 * prism_ptychography_run_finish:
 *
 * Ends it after this frame; what was found by then stays.
 */
void
prism_ptychography_run_finish (PrismPtychographyRun *self)
{
  g_mutex_lock (&self->mutex);
  self->finishing = self->stage < PRISM_PTYCHOGRAPHY_DONE;
  g_cond_broadcast (&self->wanted);
  g_mutex_unlock (&self->mutex);
}

/**
 * prism_ptychography_run_go_on:
 * @n_passes: how many more
 *
 * Takes more passes over the frames than were wanted at first, unless the field is cut into tiles.
 */
void
prism_ptychography_run_go_on (PrismPtychographyRun *self,
                              guint n_passes)
{
  g_mutex_lock (&self->mutex);
  if (self->n_tiles > 0)
    n_passes = 0;
  if (self->stage == PRISM_PTYCHOGRAPHY_DONE && n_passes > 0)
    self->stage = PRISM_PTYCHOGRAPHY_PASSING;
  self->n_passes += n_passes;
  g_cond_broadcast (&self->wanted);
  g_mutex_unlock (&self->mutex);
}

/**
 * prism_ptychography_run_look_at:
 * @frame: which; one that there is not is left
 *
 * Asks for a frame and for what is predicted of it, which prism_ptychography_run_get_look() has
 * soon.
 */
void
prism_ptychography_run_look_at (PrismPtychographyRun *self,
                                guint frame)
{
  g_mutex_lock (&self->mutex);
  self->wanted_look = frame;
  g_cond_broadcast (&self->wanted);
  g_mutex_unlock (&self->mutex);
}

/**
 * prism_ptychography_run_save:
 * @directory: one that exists
 *
 * Has the result written as it is; prism_ptychography_run_take_saved() has what came of it.
 */
void
prism_ptychography_run_save (PrismPtychographyRun *self,
                             const char *directory)
{
  g_mutex_lock (&self->mutex);
  g_free (self->wanted_folder);
  self->wanted_folder = g_strdup (directory);
  g_cond_broadcast (&self->wanted);
  g_mutex_unlock (&self->mutex);
}

/**
 * prism_ptychography_run_get_status:
 * @status: (out): how far it is
 */
void
prism_ptychography_run_get_status (PrismPtychographyRun *self,
                                   PrismPtychographyStatus *status)
{
  g_mutex_lock (&self->mutex);
  *status = (PrismPtychographyStatus) { self->stage, self->paused, self->pass, self->n_passes,
                                        self->tile, self->n_tiles, self->fraction,
                                        get_seconds (self) };
  g_mutex_unlock (&self->mutex);
}

/**
 * prism_ptychography_run_dup_problem:
 *
 * Returns: (transfer full) (nullable): why it failed, a sentence
 */
char *
prism_ptychography_run_dup_problem (PrismPtychographyRun *self)
{
  char *problem;

  g_mutex_lock (&self->mutex);
  problem = g_strdup (self->problem);
  g_mutex_unlock (&self->mutex);
  return problem;
}

/**
 * prism_ptychography_run_ref_finding:
 *
 * Returns: (transfer full) (nullable): the newest finding
 */
PrismFinding *
prism_ptychography_run_ref_finding (PrismPtychographyRun *self)
{
  PrismFinding *finding;

  g_mutex_lock (&self->mutex);
  finding = self->finding != NULL ? prism_finding_ref (self->finding) : NULL;
  g_mutex_unlock (&self->mutex);
  return finding;
}

/**
 * prism_ptychography_run_get_look:
 * @look: (out): the frame that was asked for last, references of its own
 *
 * Returns: whether there is one
 */
gboolean
prism_ptychography_run_get_look (PrismPtychographyRun *self,
                                 PrismPtychographyLook *look)
{
  gboolean has;

  g_mutex_lock (&self->mutex);
  has = self->look.recorded != NULL && self->look.predicted != NULL;
  *look = self->look;
  if (has)
    {
      prism_image_ref (look->recorded);
      prism_image_ref (look->predicted);
    }
  g_mutex_unlock (&self->mutex);
  return has;
}

/**
 * prism_ptychography_run_take_saved:
 * @directory: (out): where
 * @problem: (out) (nullable): why it could not be, a sentence
 *
 * Returns: whether something was written, or tried, since the last call
 */
gboolean
prism_ptychography_run_take_saved (PrismPtychographyRun *self,
                                   char **directory,
                                   char **problem)
{
  gboolean has_saved;

  g_mutex_lock (&self->mutex);
  has_saved = self->has_saved;
  self->has_saved = FALSE;
  *directory = g_steal_pointer (&self->saved);
  *problem = g_steal_pointer (&self->save_problem);
  g_mutex_unlock (&self->mutex);
  return has_saved;
}
