#include "config.h"

#include "ptychography/prism-following.h"

#include <glib/gi18n-lib.h>
#include <string.h>

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
take_frames (PrismFollowing *self)
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
    take_frames (self);
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
