/* A picture that grows with its frames. The model, its passes and its search are those of a run
 * (prism-ptychography); what is different is that the frames are not all there:
 *
 *   when a frame comes: put it behind the others, lights that are off are found of all together
 *     predict it, |F⁻¹{P(k)·O(k - k_j)}|² against I_j
 *     visit it once, as a pass does
 *   while none comes: passes over all of them, as many as a run takes, a few frames at a time
 *   when there are twice as many, or one cannot be put behind the others, which are few times:
 *     make all frames ready anew, in a thread of its own while others come
 *       read them, ask them about the geometry, measure background and noise
 *       search for the pupil where there are twice as many bright frames as at the last search,
 *         otherwise begin with what is known of it
 *       three passes
 *     then go on with that, and put behind it what came meanwhile
 *
 * So no frame is held out: each is at first a frame that was never used; and what one costs does
 * not grow with those before it, nor does it wait for more than a few visits. The object has from
 * the beginning the grid that all rows of the table need. */
#include "config.h"

#include "ptychography/prism-following.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-mosaic.h"
#include "ptychography/prism-ptychography-private.h"

/* All frames of a moment, made ready anew. */
typedef struct
{
  PrismArrivals *arrivals;     /* (unowned) */
  const PrismConfig *settings; /* (unowned) */
  PrismAsking *asking;
  PrismPtychographyStart *start; /* (nullable): a pupil is searched for; until its thread has it */
  PrismPtychography *next;       /* (nullable) */
  GError *error;                 /* (nullable) */
  GThread *thread;
  GCancellable *wanted; /* its thread's current one */
  gint is_through;      /* atomic */
} Renewal;

struct _PrismFollowing
{
  PrismConfig *settings;
  PrismArrivals *arrivals;
  PrismPtychography *solver; /* (nullable) */
  Renewal *renewal;          /* (nullable): the one under way */
  guint n_searched;          /* bright frames that there were when the pupil was searched for */
  guint n_passes;            /* since the last frame came */
  guint n_visits;            /* that a pass takes before it is held up */
  guint n_predicted;
  double recent[PRISM_RECORDING_FEW]; /* misfits of frames when they came, the newest ones */
  gboolean has_come;                  /* there are frames that were not taken yet */
  gboolean is_due;                    /* all frames are to be made ready anew */
  gboolean is_told;                   /* somebody could see what was taken last */
  GHashTable *said;                   /* sentences, so that none is said twice */
  GQueue sentences;                   /* of char *: that nobody has asked for yet */
  GArray *frames;                     /* of PrismGrowingFrame */
  guint n_told;                       /* of the frames */
  GPtrArray *doubts;                  /* (nullable): sentences of the last look at the lights */
  gint64 looked;                      /* µs, when that was */
  guint n_looks;                      /* since the last frame came */
  gint64 since;                       /* µs, when it came */
  gint64 idle;                        /* µs since then, at the last look */
  gboolean rests;                     /* nothing is left to do before another one comes */
  gboolean changed;                   /* since somebody asked for the picture */
};

/* Frames from one on, the square in their middle where the field is to be cut into tiles: the light
 * comes from where the table has it there. */
static PrismRecording *
cut (const PrismRecording *whole,
     guint first,
     guint tile)
{
  const guint height = tile > 0 ? MIN (tile, whole->height) : whole->height;
  const guint width = tile > 0 ? MIN (tile, whole->width) : whole->width;
  const guint top = (whole->height - height) / 2, left = (whole->width - width) / 2;
  PrismRecording *part = prism_recording_cut (whole, first, left, top, width, height, NULL);

  if (part != NULL)
    part->directions = g_memdup2 (whole->directions + 2 * (gsize) first,
                                  2 * sizeof (double) * part->n_frames);
  return part;
}

/* A frame that is new, by what is known; where nothing is, it is told so. */
static void
predict (PrismFollowing *self,
         PrismPtychography *solver,
         guint j,
         gboolean is_known)
{
  PrismGrowingFrame one = { solver->frames->numbers[j], NAN, NAN };

  for (guint i = 0; i < self->frames->len; i++)
    if (g_array_index (self->frames, PrismGrowingFrame, i).frame == one.frame)
      return;
  if (is_known)
    {
      const PrismHeldOut sums
          = prism_ptychography_frame_compare (solver->frame, j, solver->light.found[j], NULL);

      one.misfit = sqrt (prism_held_out_get_error (&sums) / MAX (sums.recorded_squares, 1e-300));
      one.correlation = prism_held_out_get_correlation (&sums);
      self->recent[self->n_predicted++ % G_N_ELEMENTS (self->recent)] = one.misfit;
    }
  g_array_append_val (self->frames, one);
}

/* A pass is held up after some visits, so that nobody waits long for a frame that has come. */
static gboolean
on_visit (double fraction,
          gpointer data)
{
  PrismFollowing *self = data;

  return self->solver->is_searching || (self->n_visits > 0 && self->n_visits-- > 0);
}

/* Frames behind those that are known, which stay as they are. */
static gboolean
append (PrismFollowing *self,
        const PrismRecording *recording,
        const guint *numbers)
{
  PrismPtychography *solver = self->solver;
  PrismPtychogram *frames = solver->frames;
  PrismIllumination *light = &solver->light;
  const guint n_before = frames->n_frames, n = recording->n_frames;
  const guint at = solver->is_passing && solver->next < frames->n_used
                       ? frames->order[solver->next]
                       : n;
  g_autoptr (PrismRecording) part
      = cut (recording, n_before, self->settings->tile);

  if (part == NULL || !prism_ptychogram_append (frames, part, self->settings, numbers + n_before))
    return FALSE;
  light->n_frames = n;
  light->recorded = g_realloc_n (light->recorded, n, sizeof *light->recorded);
  light->found = g_realloc_n (light->found, n, sizeof *light->found);
  light->gains = g_renew (double, light->gains, n);
  solver->misfits = g_renew (double, solver->misfits, n);
  solver->strays = g_renew (guint8, solver->strays, n);
  memset (solver->strays, 0, n);
  for (guint j = n_before; j < n; j++)
    {
      memcpy (light->recorded[j], frames->centers[j], sizeof *light->recorded);
      prism_illumination_get_expected (light, j, light->found[j]);
      light->gains[j] = 1;
      solver->misfits[j] = 0;
    }
  prism_ptychography_forget_best (solver);
  prism_ptychography_forget_rim (solver);
  /* A frame that comes changes the object as it does in the fourth pass of a run. */
  solver->pass = MIN (solver->pass, 3);
  solver->first = 0;
  /* The pass under way goes on where it was. */
  for (guint i = 0; i < frames->n_used; i++)
    if (frames->order[i] == at)
      solver->next = i;
  for (guint j = n_before; j < n; j++)
    predict (self, solver, j, TRUE);
  prism_ptychography_visit (solver, n_before);
  return TRUE;
}

/* Before a bright frame is there, there is nothing to be seen. */
static gboolean
is_bright (const PrismRecording *recording)
{
  for (guint j = 0; recording->directions != NULL && j < recording->n_frames; j++)
    if (hypot (recording->directions[2 * j], recording->directions[2 * j + 1]) < recording->na)
      return TRUE;
  return FALSE;
}

/* The frames that were asked, on the grid that all rows of the table need. */
static PrismPtychography *
new_solver (const Renewal *self)
{
  const PrismAsking *asking = self->asking;
  const PrismRecording *recording = asking->recording;
  g_autoptr (PrismConfig) settings = prism_config_dup (self->settings);
  g_autoptr (PrismRecording) tile = NULL;
  PrismPtychogram *frames;

  settings->tile = prism_mosaic_choose_side (recording, settings->tile);
  if (!is_bright (recording)
      || (settings->tile > 0
          && (tile = cut (recording, 0, settings->tile)) == NULL))
    return NULL;
  recording = tile != NULL ? tile : recording;
  if (asking->table != NULL && settings->upsampling == 0)
    {
      asking->table->width = recording->width;
      asking->table->height = recording->height;
      settings->upsampling = prism_ptychogram_find_upsampling (asking->table, settings, NULL);
    }
  frames = prism_ptychogram_new (recording, settings, NULL);
  if (frames == NULL)
    return NULL;
  frames->numbers = g_memdup2 (asking->numbers->data, frames->n_frames * sizeof *frames->numbers);
  return prism_ptychography_new (frames, self->settings, recording->wavelength, recording->na,
                                 NULL);
}

static gboolean
goes_on (double fraction,
         gpointer self)
{
  return !g_cancellable_is_cancelled (((Renewal *) self)->wanted);
}

/* Thread: of its own. */
static gpointer
renew (gpointer data)
{
  Renewal *self = data;
  PrismPtychography *next;

  g_cancellable_push_current (self->wanted);
  next = prism_asking_run (self->asking, &self->error) ? new_solver (self) : NULL;
  if (next != NULL)
    {
      prism_ptychography_set_watch (next, goes_on, self);
      next->start = g_steal_pointer (&self->start);
      /* Pupils far from flat, which take a second to find, are left to the run. */
      next->is_trial = TRUE;
      prism_ptychography_begin (next);
      next->is_trial = FALSE;
      for (guint i = 0; i < 3; i++) /* the third frees pupil and places */
        prism_ptychography_pass (next);
    }
  g_cancellable_pop_current (self->wanted);
  self->next = next;
  g_atomic_int_set (&self->is_through, TRUE);
  prism_arrivals_wake (self->arrivals);
  return NULL;
}

static void
renewal_begin (PrismFollowing *self)
{
  Renewal *renewal = g_new0 (Renewal, 1);
  const PrismPtychography *solver = self->solver;

  renewal->arrivals = self->arrivals;
  renewal->settings = self->settings;
  renewal->asking = prism_asking_new (self->arrivals);
  if (solver != NULL && solver->frames->n_bright < 2 * self->n_searched)
    {
      PrismPtychographyStart *start = renewal->start = g_new0 (PrismPtychographyStart, 1);

      start->side = solver->frames->grid;
      start->radius = solver->frames->radius;
      start->rim = solver->rim;
      memcpy (start->aberrations, solver->aberrations, sizeof start->aberrations);
      start->pupil = g_memdup2 (prism_ptychography_frame_get_pupil (solver->frame),
                                2 * sizeof (float) * start->side * start->side);
    }
  renewal->wanted = g_cancellable_new ();
  self->renewal = renewal;
  self->is_due = FALSE;
  renewal->thread = g_thread_new ("frames", renew, renewal);
}

/* self: (nullable) */
static void
renewal_free (Renewal *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->wanted);
  g_thread_join (self->thread);
  g_object_unref (self->wanted);
  prism_asking_free (self->asking);
  prism_ptychography_free (self->next);
  prism_ptychography_start_free (self->start);
  g_clear_error (&self->error);
  g_free (self);
}

/**
 * prism_following_new:
 * @folder: that frames come into
 * @positions: table of the LEDs, as for prism_arrivals_new()
 * @recipe: how frames are to be understood; it is copied
 * @settings: of the run that is to follow
 *
 * Errors: those of prism_arrivals_new().
 *
 * Returns: (transfer full) (nullable): nothing has come so far
 */
PrismFollowing *
prism_following_new (const char *folder,
                     const char *positions,
                     const PrismRecipe *recipe,
                     const PrismConfig *settings,
                     GError **error)
{
  PrismArrivals *arrivals = prism_arrivals_new (folder, positions, recipe, error);
  PrismFollowing *self;

  if (arrivals == NULL)
    return NULL;
  self = g_new0 (PrismFollowing, 1);
  self->arrivals = arrivals;
  self->settings = prism_config_dup (settings);
  self->settings->hold_out = 0;
  self->settings->more_passes = 0; /* with searches, for which a frame would wait */
  g_free (self->settings->leave_out);
  self->settings->leave_out = g_strdup ("auto"); /* a list has other numbers */
  self->settings->method = PRISM_METHOD_SEQUENTIAL;
  self->said = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->frames = g_array_new (FALSE, FALSE, sizeof (PrismGrowingFrame));
  self->since = g_get_monotonic_time ();
  self->rests = TRUE;
  return self;
}

/**
 * prism_following_free:
 * @self: (nullable): what follows
 */
void
prism_following_free (PrismFollowing *self)
{
  if (self == NULL)
    return;
  renewal_free (self->renewal);
  prism_arrivals_free (self->arrivals);
  prism_ptychography_free (self->solver);
  prism_config_free (self->settings);
  g_hash_table_unref (self->said);
  g_queue_clear_full (&self->sentences, g_free);
  g_array_unref (self->frames);
  g_clear_pointer (&self->doubts, g_ptr_array_unref);
  g_free (self);
}

static void
say (PrismFollowing *self,
     const char *sentence)
{
  if (g_hash_table_add (self->said, g_strdup (sentence)))
    g_queue_push_tail (&self->sentences, g_strdup (sentence));
}

/* What frames and lights say, while there is time to act: what two looks in a row say. The newest
 * frames, eight of them, that were predicted as well as those are met that are used, by the medians
 * of their misfits, say that others among them bring little. */
static void
look_at_lights (PrismFollowing *self)
{
  const guint n = self->solver != NULL ? self->solver->frames->n_frames : 0;
  g_autoptr (GPtrArray) before = NULL;
  g_autofree double *misfits = NULL;
  g_autofree PrismFindingFrame *frames = NULL;
  PrismPrediction held_out, used;
  guint n_used = 0;

  /* Once a second at most. */
  if (n == 0 || self->n_looks >= 2 || g_get_monotonic_time () - self->looked < G_USEC_PER_SEC)
    return;
  misfits = g_new (double, n);
  frames = prism_finding_frame_dup_all (self->solver, &held_out, &used);
  before = g_steal_pointer (&self->doubts);
  self->doubts = prism_light_check_find (self->solver, frames);
  for (guint i = 0; before != NULL && i < self->doubts->len; i++)
    if (g_ptr_array_find_with_equal_func (before, g_ptr_array_index (self->doubts, i),
                                          g_str_equal, NULL))
      say (self, g_ptr_array_index (self->doubts, i));
  for (guint j = 0; j < n; j++)
    if (!isnan (frames[j].misfit))
      misfits[n_used++] = frames[j].misfit;
  if (self->n_predicted >= G_N_ELEMENTS (self->recent)
      && prism_sort_median (self->recent, G_N_ELEMENTS (self->recent))
             <= 1.05 * prism_sort_median (misfits, n_used))
    say (self, _ ("The last 8 frames were predicted as well as those in use are met: more frames"
                  " like them bring little. You may stop."));
  self->looked = g_get_monotonic_time ();
  self->n_looks++;
}

/* Reads and uses what has come. */
static void
take_arrived (PrismFollowing *self)
{
  const guint n = self->arrivals->n_there;
  const gboolean all = n == self->arrivals->n_frames;
  const guint *numbers;
  PrismRecording *recording;

  self->has_come = FALSE;
  /* Nobody waits for a picture where the result comes at once. */
  if (n < 2 || (all && self->arrivals->numbers->len == 0 && self->renewal == NULL))
    return;
  recording = prism_arrivals_read (self->arrivals, &numbers);
  self->is_due = recording == NULL
                 || (self->solver != NULL ? !append (self, recording, numbers)
                                          : is_bright (recording))
                 || (!all
                     && (self->arrivals->numbers->len >= 2 * self->arrivals->n_asked
                         || (self->solver != NULL
                             && self->solver->frames->n_bright >= 2 * self->n_searched)));
  self->n_passes = 0;
  self->rests = FALSE;
  self->changed = TRUE;
  self->n_looks = 0;
}

/* Goes on with frames that were made ready anew, and those that came meanwhile. */
static void
take_renewed (PrismFollowing *self)
{
  Renewal *renewal = g_steal_pointer (&self->renewal);
  PrismPtychography *next = renewal->next;

  if (renewal->error != NULL)
    say (self, renewal->error->message);
  if (next != NULL)
    self->settings->tile
        = prism_mosaic_choose_side (renewal->asking->recording, self->settings->tile);
  if (renewal->asking->recording != NULL && (next != NULL || self->solver == NULL))
    prism_arrivals_take (self->arrivals, renewal->asking);
  if (next != NULL)
    {
      for (guint j = 0; j < next->frames->n_frames; j++)
        predict (self, next, j, FALSE);
      prism_ptychography_set_watch (next, on_visit, self);
      prism_ptychography_free (self->solver);
      self->solver = g_steal_pointer (&renewal->next);
      if (next->start == NULL)
        self->n_searched = next->frames->n_bright;
      if (self->settings->tile > 0)
        say (self, _ ("The picture by now is of the tile in the middle of the field; the result is"
                      " of all of it."));
      take_arrived (self);
    }
  renewal_free (renewal);
}

/* With a pass over the frames that are there, a few of its visits, while no other frame comes. */
static void
go_on (PrismFollowing *self)
{
  self->rests = self->solver == NULL || self->n_passes >= self->settings->passes;
  if (self->rests)
    return;
  self->n_visits = PRISM_RECORDING_FEW;
  self->n_passes += prism_ptychography_pass (self->solver);
  self->changed = TRUE;
}

/**
 * prism_following_step:
 *
 * Takes what has come, or goes on with passes, a few visits of frames; where none is left, waits a
 * moment.
 *
 * Returns: whether there is more to come: frames are missing, and the folder is there
 */
gboolean
prism_following_step (PrismFollowing *self)
{
  char *note;

  if (prism_arrivals_wait (self->arrivals, self->rests && !self->has_come))
    {
      const gint64 now = g_get_monotonic_time ();

      if (prism_arrivals_look (self->arrivals, now))
        {
          self->since = now;
          self->has_come = TRUE;
        }
      self->idle = now - self->since;
    }
  while ((note = g_queue_pop_head (&self->arrivals->notes)) != NULL)
    {
      say (self, note);
      g_free (note);
    }
  if (self->arrivals->gone)
    {
      say (self, _ ("The folder is not there any more."));
      return FALSE;
    }
  if (self->renewal != NULL && g_atomic_int_get (&self->renewal->is_through))
    take_renewed (self);
  /* However fast they come, there is a pass in between. */
  else if (self->has_come && !self->is_told)
    {
      self->is_told = TRUE;
      take_arrived (self);
    }
  else
    {
      self->is_told = FALSE;
      if (self->is_due && self->renewal == NULL)
        renewal_begin (self);
      else if (!self->rests)
        go_on (self);
      look_at_lights (self);
    }
  return self->has_come
         || self->arrivals->n_there < self->arrivals->n_frames
         || ((self->is_due || self->renewal != NULL)
             && self->frames->len < self->arrivals->n_there);
}

/**
 * prism_following_get_idle:
 *
 * Returns: how long no new frame had come when the folder was looked into last, s
 */
double
prism_following_get_idle (const PrismFollowing *self)
{
  return 1e-6 * self->idle;
}

/**
 * prism_following_get_arrivals:
 *
 * Returns: (transfer none): which frames there are
 */
PrismArrivals *
prism_following_get_arrivals (PrismFollowing *self)
{
  return self->arrivals;
}

/**
 * prism_following_dup_recording:
 *
 * Ends the picture, so that there is room for the result.
 *
 * Errors: those of prism_arrivals_dup_recording().
 *
 * Returns: (transfer full) (nullable): frames for the result; %NULL without an error where there
 *   are none
 */
PrismRecording *
prism_following_dup_recording (PrismFollowing *self,
                               GError **error)
{
  g_clear_pointer (&self->renewal, renewal_free);
  g_clear_pointer (&self->solver, prism_ptychography_free);
  return prism_arrivals_dup_recording (self->arrivals, TRUE, error);
}

/**
 * prism_following_next_sentence:
 *
 * Returns: (transfer full) (nullable): the next sentence about files and lights, in the user's
 *   language
 */
char *
prism_following_next_sentence (PrismFollowing *self)
{
  return g_queue_pop_head (&self->sentences);
}

/**
 * prism_following_next_frame:
 * @frame: (out): one that was predicted and used
 *
 * Returns: whether there is one that was not asked for yet
 */
gboolean
prism_following_next_frame (PrismFollowing *self,
                            PrismGrowingFrame *frame)
{
  if (self->n_told == self->frames->len)
    return FALSE;
  *frame = g_array_index (self->frames, PrismGrowingFrame, self->n_told++);
  return TRUE;
}

/**
 * prism_following_dup_amplitude:
 *
 * Returns: (transfer full): the picture by now; %NULL where it is as it was, or there is none
 */
PrismImage *
prism_following_dup_amplitude (PrismFollowing *self)
{
  const PrismPtychogram *frames
      = self->changed && self->solver != NULL ? self->solver->frames : NULL;
  const int side = frames != NULL ? frames->upsampling * frames->side : 0;
  PrismImage *image = side > 0 ? prism_image_new (side, side, NULL) : NULL;
  prism_autofree_array float *object
      = image != NULL ? prism_ptychography_dup_object (self->solver, NULL) : NULL;

  const float white = object != NULL ? prism_ptychogram_get_white (frames) : 1;

  if (object == NULL)
    g_clear_pointer (&image, prism_image_unref);
  for (gsize i = 0; image != NULL && i < (gsize) side * side; i++)
    image->pixels[i] = hypotf (object[2 * i], object[2 * i + 1]) / white;
  self->changed = FALSE;
  return image;
}
