#include "config.h"

#include "library/prism-library-index.h"

#include "base/prism-each.h"
#include "run/prism-run-lock.h"
#include "run/prism-run-snapshot.h"
#include "support/prism-job.h"
#include "support/prism-settings.h"

#define DELAY 400 /* ms, for what is done in one go */
#define PAUSE 10  /* s, between two writings while the catalogue grows */
/* What is found is shown after so many files and so much time. */
#define AT_ONCE 8
#define TURN 200 /* ms */

struct _PrismLibraryIndex
{
  PrismRunCatalogue *catalogue; /* (unowned) (nullable): NULL once it is closed */
  PrismLibraryIndexFailed failed;
  gpointer data;
  guint timer;
  gboolean unsaved; /* the catalogue is newer than what was handed on */
  gboolean writing; /* a job is under way */
  gint64 begun;     /* µs, the last job */
  GMutex mutex;     /* held while the file is written */
  gboolean closed;  /* under the mutex: what jobs have is old */
};

/* The catalogue as it was when its turn came. */
typedef struct
{
  PrismLibraryIndex *index;
  PrismRunCatalogue *copy;
} Writing;

static void
clear (gpointer data)
{
  g_mutex_clear (&((PrismLibraryIndex *) data)->mutex);
}

static void
writing_free (Writing *writing)
{
  prism_run_catalogue_free (writing->copy);
  g_rc_box_release_full (writing->index, clear);
  g_free (writing);
}

/* Another thread. What was closed has written what is newer. */
static gpointer
write_copy (Writing *writing,
            GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writing->index->mutex);

  if (writing->index->closed)
    return writing;
  return prism_run_catalogue_save (writing->copy, error) ? writing : NULL;
}

static void
on_written (gpointer owner,
            Writing *writing,
            gpointer result,
            const GError *error)
{
  PrismLibraryIndex *self = writing->index;

  self->writing = FALSE;
  if (self->catalogue == NULL)
    return;
  if (error != NULL)
    self->failed (error->message, self->data);
  if (self->unsaved)
    prism_library_index_grows (self);
}

static void
start (PrismLibraryIndex *self)
{
  static const PrismJob job = { "library-index", write_copy, on_written, writing_free, NULL };

  if (self->writing)
    return;
  self->unsaved = FALSE;
  self->writing = TRUE;
  self->begun = g_get_monotonic_time ();
  prism_job_start (&job, NULL,
                   PRISM_NEW (Writing, g_rc_box_acquire (self),
                              prism_run_catalogue_copy (self->catalogue)),
                   NULL);
}

/**
 * prism_library_index_new:
 * @catalogue: that outlives prism_library_index_close()
 * @failed: told of what could not be written, until it is closed
 * @data: for @failed
 *
 * Returns: (transfer full): keeps the index of @catalogue
 */
PrismLibraryIndex *
prism_library_index_new (PrismRunCatalogue *catalogue,
                         PrismLibraryIndexFailed failed,
                         gpointer data)
{
  PrismLibraryIndex *self = g_rc_box_new0 (PrismLibraryIndex);

  self->catalogue = catalogue;
  self->failed = failed;
  self->data = data;
  g_mutex_init (&self->mutex);
  return self;
}

/**
 * prism_library_index_changed:
 * @self: an index
 *
 * Writes it in a moment.
 */
void
prism_library_index_changed (PrismLibraryIndex *self)
{
  self->unsaved = TRUE;
  prism_later (&self->timer, DELAY, start, self);
}

/**
 * prism_library_index_grows:
 * @self: an index
 *
 * Writes it, but not again and again while much is added to the catalogue.
 */
void
prism_library_index_grows (PrismLibraryIndex *self)
{
  gint64 left = self->begun + PAUSE * G_USEC_PER_SEC - g_get_monotonic_time ();

  self->unsaved = TRUE;
  if (self->timer == 0)
    prism_later (&self->timer, (guint) MAX (left / 1000, DELAY), start, self);
}

/**
 * prism_library_index_is_at_rest:
 * @self: an index
 *
 * Returns: whether everything was handed to the disk
 */
gboolean
prism_library_index_is_at_rest (const PrismLibraryIndex *self)
{
  return !self->unsaved && !self->writing;
}

/**
 * prism_library_index_close:
 * @self: (transfer full): an index
 *
 * Waits for what is being written, and writes what is newer.
 */
void
prism_library_index_close (PrismLibraryIndex *self)
{
  g_autoptr (GError) error = NULL;

  g_clear_handle_id (&self->timer, g_source_remove);
  g_mutex_lock (&self->mutex);
  self->closed = TRUE;
  if (!prism_library_index_is_at_rest (self) && !prism_run_catalogue_save (self->catalogue, &error))
    g_message ("%s", error->message);
  g_mutex_unlock (&self->mutex);
  self->catalogue = NULL;
  g_rc_box_release_full (self, clear);
}

/**
 * prism_library_reading_new:
 * @pictures: folder of the small pictures
 * @runs: folder that the program saves runs in
 *
 * Returns: (transfer full): what has looked nowhere yet
 */
PrismLibraryReading *
prism_library_reading_new (const char *pictures,
                           const char *runs)
{

  return PRISM_NEW (PrismLibraryReading, g_strdup (pictures), g_strdup (runs),
                    g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                           (GDestroyNotify) prism_run_card_free),
                    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
                    g_ptr_array_new_with_free_func (g_free),
                    .unread = g_ptr_array_new_with_free_func (g_free));
}

/**
 * prism_library_reading_free:
 * @self: a reading
 */
PRISM_FREE_FOR_ALL (PrismLibraryReading,
                    prism_library_reading_free,
                    g_free,
                    pictures,
                    g_free,
                    runs,
                    g_hash_table_unref,
                    known,
                    g_hash_table_unref,
                    refused,
                    g_ptr_array_unref,
                    wanted,
                    g_ptr_array_unref,
                    paths,
                    g_ptr_array_unref,
                    gone,
                    g_ptr_array_unref,
                    unread)

/**
 * prism_library_reading_know:
 * @self: a reading
 * @card: of a file that is read again only where it has changed
 */
void
prism_library_reading_know (PrismLibraryReading *self,
                            const PrismRunCard *card)
{
  PrismRunCard *stamp = g_new0 (PrismRunCard, 1);

  stamp->path = g_strdup (card->path);
  stamp->bytes = card->bytes;
  stamp->modified = card->modified;
  g_hash_table_insert (self->known, stamp->path, stamp);
}

static gboolean
is_to_be_read (const PrismLibraryReading *self,
               const char *path)
{
  const PrismRunCard *known = g_hash_table_lookup (self->known, path);

  return (known == NULL || !prism_run_card_is_current (known))
         && !g_hash_table_contains (self->refused, path);
}

/* Each folder is listed once, however many jobs read what is in it: that of the runs, and those of
 * the sweeps, which lie beside the catalogue's. */
static void
find_paths (PrismLibraryReading *self)
{
  g_autofree char *sweeps = g_canonicalize_filename ("../sweeps", self->pictures);
  g_autoptr (GDir) listing = g_dir_open (sweeps, 0, NULL);
  g_autofree char *folder = g_strdup (self->runs);
  const char *name;
  GHashTableIter iter;
  gpointer known;

  self->paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->wanted->len; i++)
    if (is_to_be_read (self, self->wanted->pdata[i]))
      g_ptr_array_add (self->paths, g_strdup (self->wanted->pdata[i]));
  do
    {
      g_autoptr (GPtrArray) listed = prism_run_folder_list_paths (folder);

      for (guint i = 0; i < listed->len; i++)
        if (is_to_be_read (self, listed->pdata[i]) && !prism_run_lock_is_taken (listed->pdata[i]))
          g_ptr_array_add (self->paths, g_strdup (listed->pdata[i]));
      name = listing != NULL ? g_dir_read_name (listing) : NULL;
      g_free (folder);
      folder = g_build_filename (sweeps, name, NULL);
    }
  while (name != NULL);
  self->gone = g_ptr_array_new_with_free_func (g_free);
  g_hash_table_iter_init (&iter, self->known);
  while (g_hash_table_iter_next (&iter, &known, NULL))
    if (!g_file_test (known, G_FILE_TEST_EXISTS))
      g_ptr_array_add (self->gone, g_strdup (known));
}

/**
 * prism_library_reading_read:
 * @self: a reading
 *
 * Reads some of what is left. The first time it finds out what there is to read.
 *
 * Returns: (transfer full) (element-type PrismRunCard): the cards of what it has read; frees them
 */
GPtrArray *
prism_library_reading_read (PrismLibraryReading *self)
{
  GPtrArray *cards = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_run_card_free);
  gint64 end = g_get_monotonic_time () + TURN * 1000;

  if (self->paths == NULL)
    find_paths (self);
  g_ptr_array_set_size (self->unread, 0);
  for (; self->next < self->paths->len
         && (cards->len < AT_ONCE || g_get_monotonic_time () < end);
       self->next++)
    {
      const char *path = self->paths->pdata[self->next];
      PrismRunCard *card = prism_run_card_read (path, self->pictures, NULL);

      if (card != NULL)
        g_ptr_array_add (cards, card);
      else
        g_ptr_array_add (self->unread, g_strdup (path));
    }
  return cards;
}

/**
 * prism_library_limits_init:
 * @limits: (out caller-allocates): what the preferences say, with nothing marked
 *
 * Thread: main.
 */
void
prism_library_limits_init (PrismRunLimits *limits)
{
  int n_files, size;

  g_object_get (prism_settings_get_default (), "kept-runs", &n_files, "kept-runs-size", &size,
                NULL);
  *limits = (PrismRunLimits) { (guint) n_files, (guint64) size << 30, NULL };
}

/**
 * prism_library_limits_dup_amount:
 * @n: runs
 * @bytes: of them together
 *
 * Returns: (transfer full): "12 runs, 34.5 MiB"
 */
char *
prism_library_limits_dup_amount (guint n,
                                 guint64 bytes)
{
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf (ngettext ("%u run, %s", "%u runs, %s", n), n, size);
}

/**
 * prism_library_limits_dup_text:
 * @limits: what stays
 * @entries: (element-type PrismRunEntry): the runs of the folder
 *
 * Returns: (transfer full): how much of the limits is used, and what stays besides
 */
char *
prism_library_limits_dup_text (const PrismRunLimits *limits,
                               GPtrArray *entries)
{
  g_autofree char *used = NULL, *beside = NULL;
  guint n[2] = { 0, 0 };
  guint64 bytes[2] = { 0, 0 };

  PRISM_FOR_EACH_POINTER (const PrismRunEntry, entry, entries)
    {
      const int covered = prism_run_limits_cover (limits, entry);

      n[covered]++;
      bytes[covered] += entry->link == NULL ? entry->size : 0;
    }
  used = prism_library_limits_dup_amount (n[1], bytes[1]);
  beside = prism_library_limits_dup_amount (n[0], bytes[0]);
  if (n[0] == 0)
    return g_strdup_printf (_ ("%s now"), used);
  /* Translators: “12 runs, 34.5 MiB now; 3 runs, 9 MiB besides that stay in any case”. */
  return g_strdup_printf (_ ("%s now; %s besides that stay in any case"), used, beside);
}

typedef struct
{
  PrismRunEntry entry; /* first: stands for the whole */
  PrismRunCard *card;
} Candidate;

/* What runs when it was saved is nobody's but its own program's. */
static Candidate *
candidate_new (PrismRunCard *card)
{
  Candidate *self = PRISM_NEW (Candidate, .card = card);
  self->entry.path = card->path;
  self->entry.saved = card->saved;
  self->entry.size = card->bytes;
  self->entry.lesson = card->lesson;
  self->entry.finished = !g_str_equal (card->state_name,
                                       prism_run_snapshot_get_state_name (PRISM_STATE_PAUSED));
  return self;
}

/**
 * prism_library_limits_find_next:
 * @cards: (element-type PrismRunCard): all runs that are known
 * @runs: folder that the program saves runs in
 *
 * Finds what leaves the folder when one more run is kept.
 *
 * Thread: main.
 *
 * Returns: (transfer full) (element-type PrismRunCard): the cards of these runs
 */
GHashTable *
prism_library_limits_find_next (GPtrArray *cards,
                                const char *runs)
{
  GHashTable *next = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) candidates = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) chosen = NULL;
  PrismRunLimits limits;

  prism_library_limits_init (&limits);
  PRISM_FOR_EACH_POINTER (PrismRunCard, card, cards)
    {
      g_autofree char *folder = g_path_get_dirname (card->path);

      if (!prism_run_card_is_marked (card) && g_str_equal (folder, runs))
        g_ptr_array_add (candidates, candidate_new (card));
    }
  chosen = prism_run_limits_choose (&limits, candidates, TRUE);
  PRISM_FOR_EACH_POINTER (Candidate, candidate, chosen)
    g_hash_table_add (next, candidate->card);
  return next;
}
