/* A picture that grows with its frames. The model, its passes and its search are those of a run
 * (prism-ptychography); what is different is that the frames are not all there:
 *
 *   when a frame comes: put it behind the others, lights that are off are found of all together
 *     predict it, |F⁻¹{P(k)·O(k - k_j)}|² against I_j
 *     visit it once, as a pass does
 *   while none comes: passes over all of them, as many as a run takes, a few frames at a time
 *   when there are twice as many, or a direction lies beyond the object's grid: begin anew with
 *     what is known, which are few times
 *     make all frames ready: geometry, grid, background and noise
 *     take over object, pupil, gains and places
 *     search for the pupil where there are twice as many bright frames as at the last search
 *
 * So no frame is held out: each is at first a frame that was never used; and what one costs does
 * not grow with those before it. An estimate whose directions turn out to be others (a table
 * without a unit, say) begins without what was known. */
#include "config.h"

#include "ptychography/prism-following.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

struct _PrismGrowing
{
  PrismConfig *settings;
  PrismPtychography *solver; /* (nullable) */
  double *directions;        /* (nullable) [n_frames][2]: of those that it knows */
  guint n_searched;          /* bright frames that there were when the pupil was searched for */
  guint n_passes;            /* since the last frame came */
  guint n_visits;            /* that a pass takes before it is held up */
  guint n_predicted;
  double recent[PRISM_RECORDING_FEW]; /* misfits of frames when they came, the newest ones */
};

/**
 * prism_growing_new:
 * @settings: those of the run that is to follow
 *
 * Returns: (transfer full): an estimate of nothing so far
 */
PrismGrowing *
prism_growing_new (const PrismConfig *settings)
{
  PrismGrowing *self = g_new0 (PrismGrowing, 1);

  self->settings = prism_config_dup (settings);
  self->settings->hold_out = 0;
  g_free (self->settings->leave_out);
  self->settings->leave_out = g_strdup ("auto"); /* a list has other numbers */
  self->settings->method = PRISM_METHOD_SEQUENTIAL;
  return self;
}

/**
 * prism_growing_free:
 * @self: (nullable): an estimate
 */
void
prism_growing_free (PrismGrowing *self)
{
  if (self == NULL)
    return;
  prism_ptychography_free (self->solver);
  prism_config_free (self->settings);
  g_free (self->directions);
  g_free (self);
}

/* Frames from one on, the square in their middle where the field is to be cut into tiles: the light
 * comes from where the table has it there. */
static PrismRecording *
cut (const PrismRecording *whole,
     guint first,
     guint tile,
     GError **error)
{
  const guint height = tile > 0 ? MIN (tile, whole->height) : whole->height;
  const guint width = tile > 0 ? MIN (tile, whole->width) : whole->width;
  const guint top = (whole->height - height) / 2, left = (whole->width - width) / 2;
  PrismRecording *part = prism_recording_cut (whole, first, left, top, width, height, error);

  if (part != NULL)
    part->directions = g_memdup2 (whole->directions + 2 * (gsize) first,
                                  2 * sizeof (double) * part->n_frames);
  return part;
}

/* The middle of the object's spectrum: the grid is larger where directions are farther out. */
static void
take_object (const PrismPtychography *from,
             PrismPtychography *to)
{
  const int m = from->frames->object_side, n = to->frames->object_side;
  const int side = MIN (m, n), source = (m - side) / 2, target = (n - side) / 2;
  const float *object = prism_ptychography_frame_get_object (from->frame);
  float *larger = prism_ptychography_frame_get_object (to->frame);

  memset (larger, 0, sizeof *larger * 2 * (gsize) n * (gsize) n);
  for (int row = 0; row < side; row++)
    memcpy (larger + 2 * ((gsize) (row + target) * n + target),
            object + 2 * ((gsize) (row + source) * m + source), sizeof *object * 2 * (gsize) side);
}

/* The frame of a number in another estimate, its n_frames where it is not there. from: where it may
 * be, or soon behind it */
static guint
find (const PrismPtychogram *frames,
      guint number,
      guint from)
{
  for (guint k = 0; k < frames->n_frames; k++)
    if (frames->numbers[(from + k) % frames->n_frames] == number)
      return (from + k) % frames->n_frames;
  return frames->n_frames;
}

/* Whether what is known of some frames holds for more of them: a place that is a pixel off is
 * another direction. */
static gboolean
fits (const PrismPtychography *known,
      const PrismPtychography *next)
{
  const PrismPtychogram *one = known->frames, *other = next->frames;
  guint at = 0;

  if (one->grid != other->grid || fabs (one->radius - other->radius) > 1)
    return FALSE;
  for (guint j = 0; j < one->n_frames; j++)
    {
      at = find (other, one->numbers[j], at);
      if (at == other->n_frames
          || hypot (one->centers[j][0] - other->centers[at][0],
                    one->centers[j][1] - other->centers[at][1])
                 > 1)
        return FALSE;
    }
  return TRUE;
}

/* Places that are not known yet are where the board has them. */
static void
take_light (const PrismPtychography *from,
            PrismPtychography *to)
{
  guint at = 0;

  to->light.board = from->light.board;
  for (guint j = 0; j < to->frames->n_frames; j++)
    {
      const guint i = find (from->frames, to->frames->numbers[j], at);

      prism_illumination_get_expected (&to->light, j, to->light.found[j]);
      if (i == from->frames->n_frames)
        continue;
      at = i;
      to->light.gains[j] = from->light.gains[i];
      to->misfits[j] = from->misfits[i];
      for (int k = 0; k < 2; k++)
        to->light.found[j][k] = from->light.found[i][k] + to->frames->centers[j][k]
                                - from->frames->centers[i][k];
    }
}

static void
take_over (const PrismPtychography *from,
           PrismPtychography *to)
{
  const gsize n = (gsize) from->frames->grid;
  g_autofree float *pupil = g_memdup2 (prism_ptychography_frame_get_pupil (from->frame),
                                       2 * sizeof *pupil * n * n);

  prism_ptychography_forget_best (to);
  memcpy (to->aberrations, from->aberrations, sizeof to->aberrations);
  to->rim = from->rim;
  to->unsettled = from->unsettled;
  /* A frame that comes changes the object as it does in the fourth pass of a run. */
  to->pass = MIN (from->pass, 3);
  prism_ptychography_frame_set_rim (to->frame, to->rim);
  prism_ptychography_frame_begin_with (to->frame, pupil);
  take_object (from, to);
  take_light (from, to);
}

/* A frame that is new, by what is known; where nothing is, it is told so. */
static void
predict (PrismGrowing *self,
         PrismPtychography *solver,
         guint j,
         gboolean is_known,
         GArray *predicted)
{
  PrismGrowingFrame one = { solver->frames->numbers[j], NAN, NAN };

  if (is_known)
    {
      const PrismHeldOut sums
          = prism_ptychography_frame_compare (solver->frame, j, solver->light.found[j], NULL);

      one.misfit = sqrt (prism_held_out_get_error (&sums) / MAX (sums.recorded_squares, 1e-300));
      one.correlation = prism_held_out_get_correlation (&sums);
      self->recent[self->n_predicted++ % G_N_ELEMENTS (self->recent)] = one.misfit;
    }
  g_array_append_val (predicted, one);
}

/* A pass is held up after some visits, so that nobody waits long for a frame that has come. */
static gboolean
on_visit (double fraction,
          gpointer data)
{
  PrismGrowing *self = data;

  return self->solver->is_searching || (self->n_visits > 0 && self->n_visits-- > 0);
}

/* Frames behind those that are known, which stay as they are. */
static gboolean
append (PrismGrowing *self,
        const PrismRecording *recording,
        const guint *numbers,
        GArray *predicted,
        GError **error)
{
  PrismPtychography *solver = self->solver;
  PrismPtychogram *frames = solver->frames;
  PrismIllumination *light = &solver->light;
  const guint n_before = frames->n_frames, n = recording->n_frames;
  const guint at = solver->is_passing && solver->next < frames->n_used
                       ? frames->order[solver->next]
                       : n;
  g_autoptr (PrismRecording) part
      = cut (recording, n_before, (guint) self->settings->tile, error);

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
    predict (self, solver, j, TRUE, predicted);
  prism_ptychography_visit (solver, n_before);
  return TRUE;
}

/* Makes all frames ready anew, and goes on with what is known of them: some passes, at times a
 * search. */
static gboolean
renew_all (PrismGrowing *self,
           PrismRecording *recording,
           const guint *numbers,
           GArray *predicted,
           GError **error)
{
  g_autoptr (PrismRecording) tile = NULL;
  g_autoptr (PrismPtychography) next = NULL;
  PrismPtychogram *frames;
  guint n_passes = 1, at = 0, j = 0;

  /* Before a bright frame is there, there is nothing to be seen. */
  while (recording->directions != NULL && j < recording->n_frames
         && !(hypot (recording->directions[2 * j], recording->directions[2 * j + 1])
              < recording->na))
    j++;
  if (recording->directions == NULL || j == recording->n_frames)
    return FALSE;
  if (self->settings->tile > 0
      && (tile = cut (recording, 0, (guint) self->settings->tile, error)) == NULL)
    return FALSE;
  frames = prism_ptychogram_new (tile != NULL ? tile : recording, self->settings, error);
  if (frames == NULL)
    return FALSE;
  frames->numbers = g_memdup2 (numbers, frames->n_frames * sizeof *numbers);
  next = prism_ptychography_new (frames, self->settings, recording->wavelength, recording->na,
                                 error);
  if (next == NULL)
    return FALSE;
  if (self->solver != NULL && fits (self->solver, next))
    take_over (self->solver, next);
  else
    {
      g_clear_pointer (&self->solver, prism_ptychography_free);
      self->n_searched = 0;
    }
  for (j = 0; j < frames->n_frames; j++)
    {
      const guint i = self->solver != NULL ? find (self->solver->frames, numbers[j], at) : 0;

      if (self->solver == NULL || i == self->solver->frames->n_frames)
        predict (self, next, j, self->solver != NULL, predicted);
      else
        at = i;
    }
  if (self->n_searched == 0 || frames->n_bright >= 2 * self->n_searched)
    {
      /* Pupils far from flat, which take a second to find, are left to the run. */
      next->is_trial = TRUE;
      prism_ptychography_begin (next);
      next->is_trial = FALSE;
      self->n_searched = frames->n_bright;
      n_passes = 3; /* the third frees pupil and places */
    }
  prism_ptychography_free (self->solver);
  self->solver = g_steal_pointer (&next);
  g_free (self->directions);
  self->directions = g_memdup2 (recording->directions, 2 * sizeof (double) * recording->n_frames);
  self->n_passes = 0;
  for (guint i = 0; i < n_passes; i++)
    prism_ptychography_pass (self->solver);
  prism_ptychography_set_watch (self->solver, on_visit, self);
  return TRUE;
}

/**
 * prism_growing_add:
 * @recording: the frames that are there by now, those before among them
 * @numbers: (array length=n_frames): their numbers among all
 * @predicted: (element-type PrismGrowingFrame): gets those that are new
 *
 * Predicts the frames that are new, and then uses them. Where they are behind the others, that
 * takes a visit of each; otherwise all are made ready anew.
 *
 * Errors: PRISM_ERROR_MEMORY; PRISM_ERROR_CONFIG where these frames cannot be explained, as long
 * as no bright one is there.
 *
 * Returns: whether there is an estimate with them; what there was before stays otherwise
 */
gboolean
prism_growing_add (PrismGrowing *self,
                   PrismRecording *recording,
                   const guint *numbers,
                   GArray *predicted,
                   GError **error)
{
  const PrismPtychogram *known = self->solver != NULL ? self->solver->frames : NULL;
  const gsize n = known != NULL ? known->n_frames : 0;

  if (known == NULL || n > recording->n_frames
      || memcmp (known->numbers, numbers, n * sizeof *numbers) != 0
      || memcmp (self->directions, recording->directions, 2 * n * sizeof (double)) != 0
      || !append (self, recording, numbers, predicted, NULL))
    return renew_all (self, recording, numbers, predicted, error);
  self->directions = g_renew (double, self->directions, 2 * (gsize) recording->n_frames);
  memcpy (self->directions, recording->directions,
          2 * sizeof (double) * recording->n_frames);
  self->n_passes = 0;
  return TRUE;
}

/**
 * prism_growing_pass:
 *
 * Goes on with another pass over the frames that are there, while no other comes.
 *
 * Returns: whether it did; otherwise there have been as many as a run takes
 */
gboolean
prism_growing_pass (PrismGrowing *self)
{
  if (self->solver == NULL || self->n_passes >= (guint) self->settings->passes)
    return FALSE;
  self->n_visits = PRISM_RECORDING_FEW;
  self->n_passes += prism_ptychography_pass (self->solver);
  return TRUE;
}

/**
 * prism_growing_dup_amplitude:
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): of the object by now; %NULL without an error before there is
 *   an estimate
 */
PrismImage *
prism_growing_dup_amplitude (PrismGrowing *self,
                             GError **error)
{
  const PrismPtychogram *frames = self->solver != NULL ? self->solver->frames : NULL;
  const int side = frames != NULL ? frames->upsampling * frames->side : 0;
  PrismImage *image = side > 0 ? prism_image_new (side, side, error) : NULL;
  prism_autofree_array float *object
      = image != NULL ? prism_ptychography_dup_object (self->solver, error) : NULL;

  if (object == NULL)
    g_clear_pointer (&image, prism_image_unref);
  for (gsize i = 0; image != NULL && i < (gsize) side * side; i++)
    image->pixels[i] = hypotf (object[2 * i], object[2 * i + 1]);
  return image;
}

/**
 * prism_growing_look:
 * @is_predicted: (out): whether the newest frames, eight of them, were predicted as well as frames
 *   are met that are used, by the medians of their misfits: others among them bring little
 * @used: (out) (nullable): how well those are met
 *
 * Returns: (transfer full) (element-type utf8) (nullable): what frames say of single lights; %NULL
 *   before there is an estimate
 */
GPtrArray *
prism_growing_look (PrismGrowing *self,
                    gboolean *is_predicted,
                    PrismPrediction *used)
{
  const guint n = self->solver != NULL ? self->solver->frames->n_frames : 0;
  g_autofree double *misfits = g_new (double, n + 1);
  g_autofree double *correlations = g_new (double, n + 1);
  g_autofree PrismFindingFrame *frames = NULL;
  PrismPrediction met;
  GPtrArray *doubts;
  guint n_used = 0;

  if (self->solver == NULL)
    return NULL;
  for (guint j = 0; j < n; j++)
    misfits[j] = correlations[j] = NAN;
  met = prism_ptychography_predict (self->solver, FALSE, misfits, correlations);
  if (used != NULL)
    *used = met;
  frames = prism_finding_frame_dup_all (self->solver, misfits, correlations);
  doubts = prism_light_check_find (self->solver, frames);
  for (guint j = 0; j < n; j++)
    if (!isnan (misfits[j]))
      misfits[n_used++] = misfits[j];
  *is_predicted = self->n_predicted >= G_N_ELEMENTS (self->recent)
                  && prism_sort_median (self->recent, G_N_ELEMENTS (self->recent))
                         <= 1.05 * prism_sort_median (misfits, n_used);
  return doubts;
}

struct _PrismFollowing
{
  PrismArrivals *arrivals;
  PrismGrowing *growing;
  gboolean has_come; /* there are frames that were not taken yet */
  gboolean is_due;   /* all frames are to be made ready anew */
  gboolean is_asked; /* they have been asked about the geometry for that */
  gboolean is_told;  /* somebody could see what was taken last */
  GHashTable *said;  /* sentences, so that none is said twice */
  GQueue sentences;  /* of char *: that nobody has asked for yet */
  GArray *frames;    /* of PrismGrowingFrame */
  guint n_told;      /* of the frames */
  GPtrArray *doubts; /* (nullable): sentences of the last look at the lights */
  gint64 looked;     /* µs, when that was */
  guint n_looks;     /* since the last frame came */
  gint64 since;      /* µs, when it came */
  gint64 idle;       /* µs since then, at the last look */
  gboolean rests;    /* nothing is left to do before another one comes */
  gboolean changed;  /* since somebody asked for the picture */
};

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
  self->growing = prism_growing_new (settings);
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
  prism_arrivals_free (self->arrivals);
  prism_growing_free (self->growing);
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

/* What frames and lights say, while there is time to act: what two looks in a row say. */
static void
look_at_lights (PrismFollowing *self)
{
  g_autoptr (GPtrArray) before = NULL;
  gboolean is_predicted;

  /* Once a second at most. */
  if (self->n_looks >= 2 || g_get_monotonic_time () - self->looked < G_USEC_PER_SEC)
    return;
  before = g_steal_pointer (&self->doubts);
  self->doubts = prism_growing_look (self->growing, &is_predicted, NULL);
  if (self->doubts == NULL)
    return;
  for (guint i = 0; before != NULL && i < self->doubts->len; i++)
    if (g_ptr_array_find_with_equal_func (before, g_ptr_array_index (self->doubts, i),
                                          g_str_equal, NULL))
      say (self, g_ptr_array_index (self->doubts, i));
  if (is_predicted)
    say (self, _ ("The last 8 frames were predicted as well as those in use are met: more frames"
                  " like them bring little. You may stop."));
  self->looked = g_get_monotonic_time ();
  self->n_looks++;
}

/* Reads what is there. asks: all of it, anew */
static PrismRecording *
read_frames (PrismFollowing *self,
             gboolean asks,
             GArray *numbers)
{
  g_autoptr (GError) error = NULL;
  PrismRecording *recording = prism_arrivals_read (self->arrivals, asks, numbers, &error);

  if (recording == NULL)
    say (self, error->message);
  return recording;
}

/* Reads and uses what has come. */
static void
take_arrived (PrismFollowing *self)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  const guint n = prism_arrivals_get_n_there (self->arrivals);
  const gboolean all = n == prism_arrivals_get_n (self->arrivals);
  const gboolean at_once = all && prism_arrivals_get_n_read (self->arrivals) == 0;
  PrismRecording *recording = n >= 2 ? read_frames (self, FALSE, numbers) : NULL;

  /* Nobody waits for a picture where the result comes at once. */
  if (recording == NULL || at_once
      || !prism_growing_add (self->growing, recording, (const guint *) (void *) numbers->data,
                             self->frames, NULL))
    return;
  if (self->growing->settings->tile > 0)
    say (self, _ ("The picture by now is of the tile in the middle of the field; the result is of"
                  " all of it."));
  self->is_due = !all
                 && (prism_arrivals_wants_to_ask (self->arrivals)
                     || self->growing->solver->frames->n_bright >= 2 * self->growing->n_searched);
  self->rests = FALSE;
  self->changed = TRUE;
  self->n_looks = 0;
}

/* In two steps, between which frames may come. */
static void
renew (PrismFollowing *self)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  PrismRecording *recording = read_frames (self, !self->is_asked, numbers);

  if (self->is_asked && recording != NULL)
    renew_all (self->growing, recording, (const guint *) (void *) numbers->data,
               self->frames, NULL);
  self->is_due = !self->is_asked && recording != NULL;
  self->is_asked = self->is_due;
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

  if (prism_arrivals_wait (self->arrivals, self->rests))
    {
      const gint64 now = g_get_monotonic_time ();

      if (prism_arrivals_look (self->arrivals, now))
        {
          self->since = now;
          self->has_come = TRUE;
        }
      self->idle = now - self->since;
    }
  while ((note = prism_arrivals_next_note (self->arrivals)) != NULL)
    {
      say (self, note);
      g_free (note);
    }
  if (prism_arrivals_get_gone (self->arrivals))
    {
      say (self, _ ("The folder is not there any more."));
      return FALSE;
    }
  /* However fast they come, there is a pass in between. */
  if (self->has_come && !self->is_told)
    {
      self->has_come = FALSE;
      self->is_told = TRUE;
      take_arrived (self);
    }
  else
    {
      self->is_told = FALSE;
      if (self->is_due)
        renew (self);
      else if (!self->rests)
        {
          self->rests = !prism_growing_pass (self->growing);
          self->changed = TRUE;
        }
      look_at_lights (self);
    }
  return self->has_come
         || prism_arrivals_get_n_there (self->arrivals) < prism_arrivals_get_n (self->arrivals);
}

/**
 * prism_following_get_idle:
 *
 * Returns: how long no new frame had come when the folder was looked into last, s
 */
double
prism_following_get_idle (const PrismFollowing *self)
{
  return 1e-6 * (double) self->idle;
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
 * Returns: (transfer full) (nullable): the picture by now; %NULL where it is as it was, or there is
 *   none
 */
PrismImage *
prism_following_dup_amplitude (PrismFollowing *self)
{
  if (!self->changed)
    return NULL;
  self->changed = FALSE;
  return prism_growing_dup_amplitude (self->growing, NULL);
}
