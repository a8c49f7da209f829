#include "config.h"

#include "base/prism-each.h"
#include "run/prism-engine-private.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "history/prism-keeper.h"
#include "profile/prism-profile.h"
#include "run/prism-run-snapshot.h"

#include <pthread.h>
#include <time.h>

struct _PrismSaver
{
  PrismRunIdentity *identity;
  pthread_t thread;

  /* guarded by mutex */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  PrismRunPlace *place;    /* only the saver's thread changes it */
  char *notice;            /* (nullable): that it has changed */
  PrismSnapshot *snapshot; /* (nullable): what is pending */
  PrismBundle *state;
  gboolean writing;
  gboolean quit;
  GError *failure; /* (nullable): of the newest save */
};

/* With the mutex held. */
static gboolean
is_busy (PrismSaver *self)
{
  return self->snapshot != NULL || self->writing;
}

/* Another file that took the name while the run went on stays; the run goes on beside it. */
static gboolean
leave_foreign (PrismSaver *self,
               GError **error)
{
  PrismRunPlace *before = self->place;
  PrismRunPlace *place = prism_run_place_new_beside (before, error);
  g_autofree char *base = NULL;
  g_autofree char *old_name = NULL;
  g_autofree char *new_name = NULL;

  if (place == NULL)
    return FALSE;
  old_name = prism_file_dup_display_name (before->path);
  base = g_path_get_basename (place->path);
  new_name = prism_file_dup_display_name (base);
  pthread_mutex_lock (&self->mutex);
  self->place = place;
  g_free (self->notice);
  self->notice = g_strdup_printf (_ ("“%s” is another file now, which stays as it is: the run is"
                                     " saved beside it, in “%s”."),
                                  old_name, new_name);
  pthread_mutex_unlock (&self->mutex);
  prism_run_place_free (before);
  return TRUE;
}

static void
write_state (PrismSaver *self,
             PrismSnapshot *snapshot,
             PrismBundle *state,
             GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (prism_run_file_save (self->place, snapshot, state, self->identity, &failure))
    return;
  if (!g_error_matches (failure, PRISM_ERROR, PRISM_ERROR_CANCELLED))
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (leave_foreign (self, error))
    prism_run_file_save (self->place, snapshot, state, self->identity, error);
}

static void *
run_thread (void *data)
{
  PrismSaver *self = data;

  prism_profile_name_thread ("saver");
  pthread_mutex_lock (&self->mutex);
  while (!self->quit || self->snapshot != NULL)
    if (self->snapshot != NULL)
      {
        g_autoptr (PrismSnapshot) snapshot = g_steal_pointer (&self->snapshot);
        g_autoptr (PrismBundle) state = g_steal_pointer (&self->state);
        GError *failure = NULL;
        gint64 begun = prism_profile_begin ();

        self->writing = TRUE;
        pthread_mutex_unlock (&self->mutex);
        write_state (self, snapshot, state, &failure);
        prism_profile_end (PRISM_STAGE_SAVE, begun);
        pthread_mutex_lock (&self->mutex);
        self->writing = FALSE;
        g_clear_error (&self->failure);
        self->failure = failure;
        pthread_cond_broadcast (&self->changed);
      }
    else
      pthread_cond_wait (&self->changed, &self->mutex);
  pthread_mutex_unlock (&self->mutex);
  return NULL;
}

static void
release (PrismSaver *self)
{
  prism_run_place_free (self->place);
  prism_run_identity_free (self->identity);
  g_clear_error (&self->failure);
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->mutex);
  g_free (self->notice);
  g_free (self);
}

/**
 * prism_saver_new:
 * @path: of the run's file
 * @identity: which run it is
 * @expected: (nullable): of the file when the run was read from it, or named
 *
 * Takes the file and starts the thread.
 *
 * Errors: as prism_run_place_new(); PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the saver
 */
PrismSaver *
prism_saver_new (const char *path,
                 const PrismRunIdentity *identity,
                 const PrismRunMark *expected,
                 GError **error)
{
  PrismRunPlace *place = prism_run_place_new (path, expected, error);
  PrismSaver *self;
  int status;

  if (place == NULL)
    return NULL;
  self = g_new0 (PrismSaver, 1);
  self->place = place;
  self->identity = prism_run_identity_dup (identity);
  pthread_mutex_init (&self->mutex, NULL);
  pthread_cond_init (&self->changed, NULL);
  status = pthread_create (&self->thread, NULL, run_thread, self);
  if (status == 0)
    return self;
  prism_error_memory (
      error, _ ("The thread that saves the run could not be started: %s. Close other programs."),
      g_strerror (status));
  release (self);
  return NULL;
}

/**
 * prism_saver_close:
 * @self: (transfer full): a saver
 * @mark: (out): of the file as it was written last
 *
 * Waits until everything is written, and gives the lock back.
 */
void
prism_saver_close (PrismSaver *self,
                   PrismRunMark *mark)
{
  pthread_mutex_lock (&self->mutex);
  self->quit = TRUE;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->mutex);
  pthread_join (self->thread, NULL);
  *mark = *&self->place->mark;
  release (self);
}

/**
 * prism_saver_free:
 * @self: (nullable): a saver
 *
 * As prism_saver_close().
 */
void
prism_saver_free (PrismSaver *self)
{
  PrismRunMark mark;

  if (self != NULL)
    prism_saver_close (self, &mark);
}

/**
 * prism_saver_dup_path:
 *
 * Returns: (transfer full): the name of the file, which is another where a foreign one took it
 */
char *
prism_saver_dup_path (PrismSaver *self)
{
  char *path;

  pthread_mutex_lock (&self->mutex);
  path = g_strdup (self->place->path);
  pthread_mutex_unlock (&self->mutex);
  return path;
}

/**
 * prism_saver_take_notice:
 *
 * Returns: (transfer full) (nullable): a sentence for the user about the place, once
 */
char *
prism_saver_take_notice (PrismSaver *self)
{
  char *notice;

  pthread_mutex_lock (&self->mutex);
  notice = g_steal_pointer (&self->notice);
  pthread_mutex_unlock (&self->mutex);
  return notice;
}

/**
 * prism_saver_get_identity:
 *
 * Returns: (transfer none): which run it saves
 */
const PrismRunIdentity *
prism_saver_get_identity (PrismSaver *self)
{
  return self->identity;
}

/**
 * prism_saver_is_busy:
 *
 * Returns: whether a save is pending or under way: another one would need memory of its own
 */
gboolean
prism_saver_is_busy (PrismSaver *self)
{
  gboolean busy;

  pthread_mutex_lock (&self->mutex);
  busy = is_busy (self);
  pthread_mutex_unlock (&self->mutex);
  return busy;
}

/**
 * prism_saver_submit:
 * @snapshot: (transfer full): of the run
 * @state: (transfer full): at the same moment
 *
 * Has a state written; one that is pending gives way to it.
 */
void
prism_saver_submit (PrismSaver *self,
                    PrismSnapshot *snapshot,
                    PrismBundle *state)
{
  pthread_mutex_lock (&self->mutex);
  g_clear_pointer (&self->snapshot, prism_snapshot_unref);
  g_clear_pointer (&self->state, prism_bundle_free);
  self->snapshot = snapshot;
  self->state = state;
  pthread_cond_broadcast (&self->changed);
  pthread_mutex_unlock (&self->mutex);
}

/**
 * prism_saver_take_error:
 *
 * Asks without waiting.
 *
 * Returns: (transfer full) (nullable): why the newest save failed
 */
GError *
prism_saver_take_error (PrismSaver *self)
{
  GError *failure;

  pthread_mutex_lock (&self->mutex);
  failure = g_steal_pointer (&self->failure);
  pthread_mutex_unlock (&self->mutex);
  return failure;
}

/**
 * prism_saver_wait:
 *
 * Waits until nothing is pending or under way, whatever becomes of it: then there is room for the
 * next state.
 */
void
prism_saver_wait (PrismSaver *self)
{
  pthread_mutex_lock (&self->mutex);
  while (is_busy (self))
    pthread_cond_wait (&self->changed, &self->mutex);
  pthread_mutex_unlock (&self->mutex);
}

/**
 * prism_saver_finish:
 *
 * Waits until everything is on the disk.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY: of the newest save.
 *
 * Returns: whether it is
 */
gboolean
prism_saver_finish (PrismSaver *self,
                    GError **error)
{
  GError *failure;

  prism_saver_wait (self);
  failure = prism_saver_take_error (self);
  if (failure != NULL)
    g_propagate_error (error, failure);
  return failure == NULL;
}

/* A fork goes over a tenth of the samples again at most. Each state has the decoder with both
 * moments of its weights: 5 MiB for an object of 64 px, 32 MiB for one of 128. */
#define MAX_STATES 10

struct _PrismStateBook
{
  guint64 budget;   /* bytes */
  guint64 n_visits; /* at which the training, or all passes of a run without, are through */
  gboolean trains;
  guint64 spacing;        /* visits between two states; 0 before the first is known */
  guint64 last_visits;    /* of the newest state, or of the last that found no room */
  GPtrArray *states;      /* of PrismKeptState, ascending in step */
  PrismCheckpoints *list; /* (nullable): what was handed out, until there is another state */
};

/**
 * prism_state_book_new:
 * @config: the run
 * @n_samples: points of its pattern
 *
 * Returns: (transfer full): a book without states
 */
PrismStateBook *
prism_state_book_new (const PrismConfig *config,
                      guint n_samples)
{
  PrismStateBook *self = g_new0 (PrismStateBook, 1);
  const guint64 size = (guint64) config->history_size << 20;

  /* What the pictures of the run leave of history_size, and half of it at least. */
  self->budget = size - MIN (prism_keeper_get_required_bytes (config, n_samples), size / 2);
  self->trains = prism_config_trains (config);
  self->n_visits = (guint64) (self->trains ? n_samples : 1) * (guint64) config->passes;
  self->states = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_kept_state_unref);
  return self;
}

/**
 * prism_state_book_free:
 * @self: (nullable): a book
 *
 * Frees it; lists that were handed out stay.
 */
PRISM_FREE_FOR_ALL (PrismStateBook,
                    prism_state_book_free,
                    g_ptr_array_unref,
                    states,
                    prism_checkpoints_unref,
                    list)

static PrismKeptState *
get_state (PrismStateBook *self,
           guint i)
{
  return g_ptr_array_index (self->states, i);
}

static guint64
count_bytes (PrismStateBook *self)
{
  guint64 bytes = 0;

  for (guint i = 0; i < self->states->len; i++)
    bytes += prism_kept_state_get_size (get_state (self, i));
  return bytes;
}

static void
thin (PrismStateBook *self)
{
  while (self->states->len > 0
         && (self->states->len > MAX_STATES || count_bytes (self) > self->budget))
    {
      if (self->states->len == 1)
        g_ptr_array_set_size (self->states, 0);
      self->spacing = self->spacing < G_MAXUINT64 / 2 ? 2 * self->spacing : G_MAXUINT64;
      for (guint i = self->states->len; i > 0; i--)
        if (prism_kept_state_get_n_visits (get_state (self, i - 1)) % self->spacing != 0)
          g_ptr_array_remove_index (self->states, i - 1);
    }
  g_clear_pointer (&self->list, prism_checkpoints_unref);
}

/* The largest distance that all of them keep; 1 where none is known. */
static guint64
find_spacing (const PrismCheckpoints *states)
{
  guint64 spacing = 0;

  for (guint i = 0; i < states->n_states; i++)
    {
      guint64 a = prism_kept_state_get_n_visits (states->states[i]), b = spacing;

      while (b > 0)
        {
          guint64 rest = a % b;

          a = b;
          b = rest;
        }
      spacing = a;
    }
  return MAX (spacing, 1);
}

/**
 * prism_state_book_load:
 * @self: a book without states
 * @states: of the run that goes on
 *
 * Takes over what was kept before.
 */
void
prism_state_book_load (PrismStateBook *self,
                       const PrismCheckpoints *states)
{
  for (guint i = 0; i < states->n_states; i++)
    g_ptr_array_add (self->states, prism_kept_state_ref (states->states[i]));
  if (states->n_states == 0)
    return;
  self->spacing = find_spacing (states);
  self->last_visits
      = prism_kept_state_get_n_visits (states->states[states->n_states - 1]);
  thin (self);
}

/**
 * prism_state_book_wants:
 * @phase: of the run
 * @n_visits: samples and passes that are completed
 *
 * Returns: whether the state of now should be kept
 */
gboolean
prism_state_book_wants (PrismStateBook *self,
                        PrismPhase phase,
                        guint64 n_visits)
{
  if (n_visits == self->last_visits || phase == PRISM_PHASE_DONE || self->spacing == G_MAXUINT64)
    return FALSE;
  /* Passes that polish have nothing to change any more. */
  if (self->trains && phase == PRISM_PHASE_POLISH && n_visits != self->n_visits)
    return FALSE;
  return self->spacing == 0 || n_visits % self->spacing == 0;
}

/**
 * prism_state_book_keep:
 * @snapshot: of the run between two steps
 * @state: (transfer full) (nullable): of prism_trainer_dup_state() at the same moment
 * @n_visits: samples and passes that are completed
 *
 * Keeps a state. Where there is no room for it in memory or on the disk, it is left out.
 */
void
prism_state_book_keep (PrismStateBook *self,
                       const PrismSnapshot *snapshot,
                       PrismBundle *state,
                       guint64 n_visits)
{
  g_autoptr (PrismBundle) parts = state;
  PrismKeptState *kept = NULL;

  self->last_visits = n_visits;
  if (parts == NULL || !prism_run_snapshot_add_parts (snapshot, parts))
    return;
  if (self->spacing == 0)
    {
      const guint64 n = MIN (self->budget / MAX (prism_bundle_get_size (parts), 1), MAX_STATES);

      /* So that states of this size last for all visits. */
      self->spacing = n > 0 ? MAX ((self->n_visits + n - 1) / n, 1) : G_MAXUINT64;
    }
  if (n_visits % self->spacing == 0)
    kept = prism_kept_state_new (g_steal_pointer (&parts), snapshot->step, n_visits);
  if (kept == NULL)
    return;
  g_ptr_array_add (self->states, kept);
  thin (self);
}

/**
 * prism_state_book_dup_states:
 *
 * Returns: (transfer full): what is kept now
 */
PrismCheckpoints *
prism_state_book_dup_states (PrismStateBook *self)
{
  if (self->list == NULL)
    self->list = prism_checkpoints_new ((PrismKeptState *const *) self->states->pdata,
                                        self->states->len);
  return prism_checkpoints_ref (self->list);
}
