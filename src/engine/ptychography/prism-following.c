/* A picture that grows with its frames. The model, its passes and its search are those of a run
 * (prism-ptychography); what is different is that the frames are not all there:
 *
 *   while frames arrive:
 *     make those that are there ready: lights that are off are found of all of them together, the
 *       object's grid grows with the directions, and the background is looked for where there are
 *       twice as many frames as before
 *     take over the estimate: object, pupil, gains and places
 *     predict each frame that is new, |F⁻¹{P(k)·O(k - k_j)}| against √I_j
 *     take a pass over all of them
 *   while none arrives: another pass, as many as a run takes
 *
 * So no frame is held out: each is at first a frame that was never used. The pupil is searched for
 * when the first bright frames are there, and again whenever there are twice as many of them, which
 * are few times; an estimate whose directions turn out to be others (a table without a unit, say)
 * begins anew as well. */
#include "config.h"

#include "ptychography/prism-following.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-mosaic.h"
#include "ptychography/prism-ptychography-private.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

struct _PrismGrowing
{
  PrismConfig *settings;
  PrismPtychography *solver; /* (nullable) */
  char *source;              /* (nullable): path of the frames */
  guint n_measured;          /* frames that there were when the background was looked for */
  double background;         /* that was found then */
  guint n_searched;          /* bright frames that there were when the pupil was searched for */
  guint n_passes;            /* since the last frame came */
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
  g_free (self->source);
  g_free (self);
}

/* Of the field, or of the tile in its middle. */
static PrismPtychogram *
new_frames (PrismGrowing *self,
            PrismRecording *recording,
            const guint *numbers,
            GError **error)
{
  g_autoptr (PrismMosaic) mosaic = NULL;
  g_autoptr (PrismConfig) settings = prism_config_dup (self->settings);
  const gboolean measures = settings->background == PRISM_BACKGROUND_AUTO
                            && recording->n_frames >= 2 * self->n_measured;
  PrismPtychogram *frames;

  if (settings->background == PRISM_BACKGROUND_AUTO && !measures)
    settings->background = self->background;
  if (settings->tile > 0 && (mosaic = prism_mosaic_new (recording, settings, error)) == NULL)
    return NULL;
  frames = mosaic != NULL ? prism_mosaic_new_frames (mosaic, 0, error)
                          : prism_ptychogram_new (recording, settings, error);
  if (frames == NULL)
    return NULL;
  frames->numbers = g_memdup2 (numbers, frames->n_frames * sizeof *numbers);
  self->background = frames->background;
  self->n_measured = measures ? recording->n_frames : self->n_measured;
  return frames;
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

/* The frame of a number in another estimate, its n_frames where it is not there. Numbers ascend. */
static guint
find (const PrismPtychogram *frames,
      guint number,
      guint from)
{
  while (from < frames->n_frames && frames->numbers[from] < number)
    from++;
  return from < frames->n_frames && frames->numbers[from] == number ? from : frames->n_frames;
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

/* Each frame that the known ones do not have. */
static void
predict (PrismGrowing *self,
         PrismPtychography *next,
         GArray *predicted)
{
  const PrismPtychogram *known = self->solver != NULL ? self->solver->frames : NULL;
  guint at = 0;

  for (guint j = 0; j < next->frames->n_frames; j++)
    {
      PrismGrowingFrame one = { next->frames->numbers[j], NAN, NAN };
      const guint i = known != NULL ? find (known, one.frame, at) : 0;

      if (known != NULL && i < known->n_frames)
        {
          at = i;
          continue;
        }
      if (known != NULL)
        {
          const PrismHeldOut sums
              = prism_ptychography_frame_compare (next->frame, j, next->light.found[j]);

          one.misfit
              = sqrt (prism_held_out_get_error (&sums) / MAX (sums.recorded_squares, 1e-300));
          one.correlation = prism_held_out_get_correlation (&sums);
          self->recent[self->n_predicted++ % G_N_ELEMENTS (self->recent)] = one.misfit;
        }
      g_array_append_val (predicted, one);
    }
}

/**
 * prism_growing_add:
 * @recording: the frames that are there by now, those before among them
 * @numbers: (array length=n_frames): their numbers among all, ascending
 * @predicted: (element-type PrismGrowingFrame): gets those that are new
 *
 * Predicts the frames that are new, and then uses them, which takes about two passes.
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
  PrismPtychogram *frames = new_frames (self, recording, numbers, error);
  g_autoptr (PrismPtychography) next = NULL;
  guint n_passes = 1;

  if (frames == NULL)
    return FALSE;
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
  predict (self, next, predicted);
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
  g_free (self->source);
  self->source = g_strdup (recording->path);
  self->n_passes = 0;
  for (guint i = 0; i < n_passes; i++)
    prism_ptychography_pass (self->solver);
  return TRUE;
}

/**
 * prism_growing_pass:
 *
 * Takes another pass over the frames that are there, while no other comes.
 *
 * Returns: whether it did; otherwise there have been as many as a run takes
 */
gboolean
prism_growing_pass (PrismGrowing *self)
{
  if (self->solver == NULL || self->n_passes >= (guint) self->settings->passes)
    return FALSE;
  self->n_passes++;
  return prism_ptychography_pass (self->solver);
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
 * prism_growing_dup_finding:
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what is known by now; %NULL without an error before there is
 *   an estimate
 */
PrismFinding *
prism_growing_dup_finding (PrismGrowing *self,
                           GError **error)
{
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));

  return self->solver != NULL ? prism_finding_new (self->solver, none, self->source, NAN, error)
                              : NULL;
}

/**
 * prism_growing_is_predicted:
 *
 * Returns: whether the newest frames, eight of them, were predicted as well as frames are met that
 *   are used, by the medians of their misfits: others among them bring little
 */
gboolean
prism_growing_is_predicted (PrismGrowing *self)
{
  const guint n = self->solver != NULL ? self->solver->frames->n_frames : 0;
  const guint n_recent = MIN (n, G_N_ELEMENTS (self->recent));
  g_autofree double *misfits = g_new (double, n + 1);
  guint n_used = 0;
  double met;

  if (self->n_predicted < G_N_ELEMENTS (self->recent))
    return FALSE;
  for (guint j = 0; j < n; j++)
    misfits[j] = NAN;
  prism_ptychography_predict (self->solver, FALSE, misfits, NULL);
  for (guint j = 0; j < n; j++)
    if (!isnan (misfits[j]))
      misfits[n_used++] = misfits[j];
  met = prism_sort_median (misfits, n_used);
  memcpy (misfits, self->recent, n_recent * sizeof *misfits);
  return prism_sort_median (misfits, n_recent) <= 1.05 * met;
}

struct _PrismFollowing
{
  PrismArrivals *arrivals;
  PrismGrowing *growing;
  PrismRecording *recording; /* (nullable): of what is there */
  gboolean is_whole;         /* as for a result */
  GHashTable *said;          /* sentences, so that none is said twice */
  GQueue sentences;          /* of char *: that nobody has asked for yet */
  GArray *frames;            /* of PrismGrowingFrame */
  guint n_told;              /* of the frames */
  GPtrArray *doubts;         /* (nullable): sentences of the last look at the lights */
  gint64 looked;             /* µs, when that was */
  guint n_looks;             /* since the last frame came */
  gint64 since;              /* µs, when it came */
  gboolean rests;            /* nothing is left to do before another one comes */
  gboolean changed;          /* since somebody asked for the picture */
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
  prism_recording_free (self->recording);
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
  g_autoptr (PrismFinding) finding = NULL;

  /* Once a second at most. */
  if (self->n_looks >= 2 || g_get_monotonic_time () - self->looked < G_USEC_PER_SEC)
    return;
  finding = prism_growing_dup_finding (self->growing, NULL);
  if (finding == NULL)
    return;
  for (guint i = 0; i < finding->doubts->len; i++)
    if (self->doubts != NULL
        && g_ptr_array_find_with_equal_func (self->doubts, g_ptr_array_index (finding->doubts, i),
                                             g_str_equal, NULL))
      say (self, g_ptr_array_index (finding->doubts, i));
  g_clear_pointer (&self->doubts, g_ptr_array_unref);
  self->doubts = g_ptr_array_ref (finding->doubts);
  if (prism_growing_is_predicted (self->growing))
    say (self, _ ("The last 8 frames were predicted as well as those in use are met: more frames"
                  " like them bring little. You may stop."));
  self->looked = g_get_monotonic_time ();
  self->n_looks++;
}

/* Reads and uses what has come. */
static void
take_arrived (PrismFollowing *self)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) error = NULL;
  const guint n = prism_arrivals_get_n_there (self->arrivals);
  const gboolean all = n == prism_arrivals_get_n (self->arrivals);
  const gboolean at_once = all && self->recording == NULL;
  PrismRecording *recording;

  self->since = g_get_monotonic_time ();
  if (n < 2)
    return;
  recording = prism_arrivals_read (self->arrivals, all, numbers, &error);
  if (recording == NULL)
    {
      say (self, error->message);
      return;
    }
  prism_recording_free (self->recording);
  self->recording = recording;
  self->is_whole = all;
  /* Nobody waits for a picture where the result comes at once; and before a bright frame is there,
   * there is none. */
  if (at_once
      || !prism_growing_add (self->growing, recording, (const guint *) (void *) numbers->data,
                             self->frames, NULL))
    return;
  self->rests = FALSE;
  self->changed = TRUE;
  self->n_looks = 0;
}

/**
 * prism_following_step:
 *
 * Takes what has come; where nothing has, takes another pass, and where none is left, waits a
 * moment.
 *
 * Returns: whether there is more to come: frames are missing, and the folder is there
 */
gboolean
prism_following_step (PrismFollowing *self)
{
  const gboolean news = prism_arrivals_look (self->arrivals, g_get_monotonic_time ());
  char *note;

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
  if (news)
    take_arrived (self);
  else if (self->rests)
    prism_arrivals_wait (self->arrivals);
  else
    {
      self->rests = !prism_growing_pass (self->growing);
      self->changed = TRUE;
    }
  look_at_lights (self);
  return prism_arrivals_get_n_there (self->arrivals) < prism_arrivals_get_n (self->arrivals);
}

/**
 * prism_following_get_idle:
 *
 * Returns: how long no new frame has come, s
 */
double
prism_following_get_idle (const PrismFollowing *self)
{
  return 1e-6 * (double) (g_get_monotonic_time () - self->since);
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

/**
 * prism_following_get_recording:
 * @whole: as for a result: its bits are those of the same files later; where files have gone
 *   meanwhile, it is what was read of them
 *
 * Returns: (transfer none) (nullable): the frames that are there
 */
PrismRecording *
prism_following_get_recording (PrismFollowing *self,
                               gboolean whole)
{
  if (whole && self->recording != NULL && !self->is_whole)
    {
      g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint));
      PrismRecording *again = prism_arrivals_read (self->arrivals, TRUE, numbers, NULL);

      if (again != NULL)
        {
          prism_recording_free (self->recording);
          self->recording = again;
        }
      self->is_whole = TRUE;
    }
  return self->recording;
}
