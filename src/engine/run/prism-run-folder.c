#include "config.h"

#include "run/prism-run-folder.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "run/prism-run-lock.h"
#include "run/prism-run-index.h"

#include <gio/gio.h>

#define MOST_PLAIN 80

PRISM_FREE (PrismRunEntry,
            entry_free,
            g_free,
            path,
            g_free,
            link,
            g_free,
            state_name,
            g_free,
            started,
            g_free,
            saved)

/**
 * prism_run_folder_dup_path:
 *
 * Where the program keeps the runs that nobody has named: $XDG_STATE_HOME/prism-studio/runs. It
 * need not be there yet.
 *
 * Returns: (transfer full): the directory
 */
char *
prism_run_folder_dup_path (void)
{
  return g_build_filename (g_get_user_state_dir (), "prism-studio", "runs", NULL);
}

/**
 * prism_run_folder_make_for:
 * @path: of a run file that is about to be written
 *
 * Makes the folder of prism_run_folder_dup_path() where the file goes there; what users name
 * themselves they make themselves.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the folder is there, or it is not the program's own
 */
gboolean
prism_run_folder_make_for (const char *path,
                           GError **error)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *parent = g_path_get_dirname (path);
  int code;

  if (!g_str_equal (folder, parent) || g_mkdir_with_parents (folder, 0700) == 0)
    return TRUE;
  code = errno;
  return prism_error_io (error, _ ("The folder of the runs, “%s”, cannot be made: %s. "
                                   "Save the run elsewhere."),
                         folder, g_strerror (code));
}

/**
 * prism_run_folder_dup_plain:
 * @text: of any letters
 *
 * Returns: (transfer full): its letters and digits in those of ASCII, as the user's language has
 *   them, at most 80 characters; whatever else there is becomes a hyphen, once, but at its ends
 */
char *
prism_run_folder_dup_plain (const char *text)
{
  g_autofree char *ascii = g_str_to_ascii (text, NULL);
  GString *plain = g_string_new (NULL);

  for (const char *p = ascii; *p != '\0' && plain->len < MOST_PLAIN; p++)
    if (g_ascii_isalnum (*p) || (*p == '.' && g_ascii_isdigit (p[1])))
      g_string_append_c (plain, *p);
    else if (plain->len > 0 && plain->str[plain->len - 1] != '-')
      g_string_append_c (plain, '-');
  if (plain->len > 0 && plain->str[plain->len - 1] == '-')
    g_string_truncate (plain, plain->len - 1);
  return g_string_free (plain, FALSE);
}

/**
 * prism_run_folder_get_number:
 * @path: of a run file
 *
 * Returns: the number that its name begins with, 0 where there is none
 */
guint
prism_run_folder_get_number (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  char *end;
  guint64 number = g_ascii_strtoull (name, &end, 10);

  return g_ascii_isdigit (name[0]) && *end == '-' && number < G_MAXUINT / 2 ? (guint) number : 0;
}

/**
 * prism_run_folder_find_last:
 * @directory: where runs are kept
 *
 * Returns: the largest number that a run there has, 0 where none has one
 */
guint
prism_run_folder_find_last (const char *directory)
{
  guint last = 0;

  PRISM_FOR_EACH_NAME (name, directory)
    last = MAX (last, prism_run_folder_get_number (name));
  return last;
}

/**
 * prism_run_folder_dup_new_path:
 * @directory: where the file shall be
 * @number: of the run
 * @name: what the run is of: the name of an object or of its file
 *
 * Makes a name that no run there has: number, object and local time.
 *
 * Returns: (transfer full): the path
 */
char *
prism_run_folder_dup_new_path (const char *directory,
                               guint number,
                               const char *name)
{
  g_autofree char *time = prism_clock_dup_local ("%Y%m%d-%H%M%S");
  g_autofree char *base = g_path_get_basename (name);
  char *dot = strrchr (base, '.');
  g_autofree char *plain = NULL;
  char *path = NULL;

  if (dot != NULL && dot != base)
    *dot = '\0';
  plain = prism_run_folder_dup_plain (base);
  for (guint i = 1; path == NULL || g_file_test (path, G_FILE_TEST_EXISTS); i++)
    {
      g_autofree char *again = i > 1 ? g_strdup_printf ("-%u", i) : g_strdup ("");
      g_autofree char *file = g_strdup_printf ("%u-%s%s%s%s" PRISM_RUN_FILE_SUFFIX, number, plain,
                                               plain[0] != '\0' ? "-" : "", time, again);

      g_free (path);
      path = g_build_filename (directory, file, NULL);
    }
  return path;
}

static gboolean
is_link (const char *name)
{
  return g_file_test (name, G_FILE_TEST_IS_SYMLINK);
}

static gboolean
has_picture (PrismArchive *archive)
{
  const char *const *names = prism_archive_get_names (archive);

  PRISM_FOR_EACH_STRING (name, names)
    if (g_str_has_suffix (*name, "/image.npy"))
      return TRUE;
  return FALSE;
}

static PrismRunEntry *
load_entry (const char *name)
{
  g_autofree char *target = is_link (name) ? prism_file_dup_real (name) : NULL;
  const char *path = target != NULL ? target : name;
  g_autoptr (PrismArchive) archive = prism_archive_open (path, NULL);
  g_autoptr (PrismRunIndex) index = archive != NULL ? prism_run_index_load (archive, NULL) : NULL;
  PrismRunEntry *entry;
  GStatBuf status;

  if (index == NULL)
    return NULL;
  entry = g_new0 (PrismRunEntry, 1);
  entry->path = g_strdup (path);
  entry->link = target != NULL ? g_strdup (name) : NULL;
  entry->state_name = g_strdup (index->state_name);
  entry->started = g_strdup (index->identity->started);
  entry->saved = g_strdup (index->saved);
  entry->step = index->step;
  entry->finished = index->state != PRISM_STATE_PAUSED;
  entry->size = g_stat (path, &status) == 0 ? (guint64) status.st_size : 0;
  entry->locked = prism_run_lock_is_taken (path);
  entry->lesson = index->identity->lesson;
  entry->empty = entry->finished && !has_picture (archive);
  return entry;
}

/* The newest first; times of ISO 8601 are in the order of their letters. */
static int
compare_entries (gconstpointer a,
                 gconstpointer b)
{
  const PrismRunEntry *left = *(PrismRunEntry *const *) a;
  const PrismRunEntry *right = *(PrismRunEntry *const *) b;
  int order = strcmp (right->saved, left->saved);

  return order != 0 ? order : strcmp (left->path, right->path);
}

/**
 * prism_run_folder_list:
 * @directory: where to look
 *
 * Lists the run files of a directory; what cannot be read is left out, and so is everything when
 * the directory is not there.
 *
 * Returns: (transfer full) (element-type PrismRunEntry): the runs, the newest first; frees them
 */
GPtrArray *
prism_run_folder_list (const char *directory)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func ((GDestroyNotify) entry_free);

  PRISM_FOR_EACH_NAME (name, directory)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      PrismRunEntry *entry = NULL;

      if (g_str_has_suffix (name, PRISM_RUN_FILE_SUFFIX))
        entry = load_entry (path);
      if (entry != NULL)
        g_ptr_array_add (entries, entry);
    }
  g_ptr_array_sort (entries, compare_entries);
  return entries;
}

typedef struct
{
  char *path;
  gint64 modified; /* s since 1970 */
} Found;

static int
compare_found (gconstpointer a,
               gconstpointer b)
{
  const Found *left = a, *right = b;
  int order = (left->modified < right->modified) - (left->modified > right->modified);

  return order != 0 ? order : strcmp (left->path, right->path);
}

/**
 * prism_run_folder_list_paths:
 * @directory: where to look
 *
 * Names what prism_run_folder_list() would look at, without opening any file: where there are many
 * of them and most are known already. What a link stands for is named in its place.
 *
 * Returns: (transfer full) (element-type char): paths, the last that was changed first; frees them
 */
GPtrArray *
prism_run_folder_list_paths (const char *directory)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Found));

  PRISM_FOR_EACH_NAME (name, directory)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);
      Found found = { 0 };
      GStatBuf status;

      if (!g_str_has_suffix (name, PRISM_RUN_FILE_SUFFIX) || g_stat (path, &status) != 0)
        continue;
      found.path = is_link (path) ? prism_file_dup_real (path) : g_steal_pointer (&path);
      found.modified = status.st_mtime;
      g_array_append_val (all, found);
    }
  g_array_sort (all, compare_found);
  PRISM_FOR_EACH (const Found, found, all)
    g_ptr_array_add (paths, found->path);
  return paths;
}

static char *
dup_link_name (const char *directory,
               const char *path)
{
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, path, -1);
  g_autofree char *file = g_strdup_printf ("link-%.16s" PRISM_RUN_FILE_SUFFIX, sum);

  return g_build_filename (directory, file, NULL);
}

/**
 * prism_run_folder_add_link:
 * @directory: where runs are kept
 * @path: absolute name of a run file that is elsewhere
 *
 * Makes a run that the user keeps elsewhere stand in the directory, so that it is found when it is
 * interrupted. Where that cannot be done it is not found, and nothing else happens.
 */
void
prism_run_folder_add_link (const char *directory,
                           const char *path)
{
  g_autofree char *name = dup_link_name (directory, path);

  if (g_path_is_absolute (path) && !is_link (name) && symlink (path, name) != 0)
    g_debug ("%s: %s", name, g_strerror (errno));
}

/**
 * prism_run_folder_remove_link:
 * @directory: where runs are kept
 * @path: absolute name of a run file that is elsewhere
 *
 * Takes back prism_run_folder_add_link().
 */
void
prism_run_folder_remove_link (const char *directory,
                              const char *path)
{
  g_autofree char *name = dup_link_name (directory, path);

  g_unlink (name);
}

/**
 * prism_run_limits_cover:
 * @self: limits
 * @entry: a run
 *
 * Returns: whether the limits are for it: it is over, nobody writes it, it lies in the folder
 * itself, and the user has not marked it
 */
gboolean
prism_run_limits_cover (const PrismRunLimits *self,
                        const PrismRunEntry *entry)
{
  return entry->finished && !entry->locked && entry->link == NULL
         && (self->marked == NULL || !g_hash_table_contains (self->marked, entry->path));
}

/**
 * prism_run_limits_choose:
 * @self: limits
 * @entries: (element-type PrismRunEntry): the runs of a folder
 * @next: whether to count one more, of the size of the newest
 *
 * Finds what is too much: the oldest go, and steps of lessons before all others. The newest of all
 * stays.
 *
 * Returns: (transfer container) (element-type PrismRunEntry): what goes, of @entries; the first to
 * go comes last
 */
GPtrArray *
prism_run_limits_choose (const PrismRunLimits *self,
                         GPtrArray *entries,
                         gboolean next)
{
  GPtrArray *chosen = g_ptr_array_new ();
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  guint64 bytes = 0;
  guint n_files = 0;

  g_ptr_array_extend (sorted, entries, NULL, NULL);
  g_ptr_array_sort (sorted, compare_entries);
  if (next && sorted->len > 0)
    {
      bytes = ((PrismRunEntry *) sorted->pdata[0])->size;
      n_files = 1;
    }
  for (int lesson = 0; lesson < 2; lesson++)
    for (guint i = 0; i < sorted->len; i++)
      {
        PrismRunEntry *entry = g_ptr_array_index (sorted, i);

        if (!prism_run_limits_cover (self, entry) || entry->lesson != lesson)
          continue;
        bytes += entry->size;
        n_files++;
        if ((i > 0 || next) && (n_files > self->n_files || bytes > self->bytes))
          g_ptr_array_add (chosen, entry);
      }
  return chosen;
}

/* Where there is no wastebasket for it, it is deleted. */
static gboolean
remove_run (const char *path,
            guint *n_deleted)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  if (g_file_trash (file, NULL, NULL))
    return TRUE;
  if (g_unlink (path) != 0)
    return FALSE;
  (*n_deleted)++;
  return TRUE;
}

/**
 * prism_run_folder_prune:
 * @directory: where runs are kept
 * @limits: what stays
 * @n_deleted: (out): how many of them could not be moved to the wastebasket
 *
 * Moves what prism_run_limits_choose() finds to the wastebasket, and deletes what was ended before
 * it had a picture. What is interrupted, what a living program writes, what cannot be read, what is
 * marked, the newest of all and what lies elsewhere stay in any case.
 *
 * Returns: how many went
 */
guint
prism_run_folder_prune (const char *directory,
                        const PrismRunLimits *limits,
                        guint *n_deleted)
{
  g_autoptr (GPtrArray) entries = prism_run_folder_list (directory);
  g_autoptr (GPtrArray) chosen = NULL;
  guint n_gone = 0;

  *n_deleted = 0;
  for (guint i = entries->len; i > 1; i--)
    {
      const PrismRunEntry *entry = entries->pdata[i - 1];

      if (entry->empty && prism_run_limits_cover (limits, entry) && g_unlink (entry->path) == 0)
        g_ptr_array_remove_index (entries, i - 1);
    }
  chosen = prism_run_limits_choose (limits, entries, FALSE);
  /* Links to what is over, or gone, have done their duty. */
  PRISM_FOR_EACH_NAME (name, directory)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);

      if (is_link (path) && !g_file_test (path, G_FILE_TEST_EXISTS))
        g_unlink (path);
    }
  PRISM_FOR_EACH_POINTER (const PrismRunEntry, entry, entries)
    {
      if (entry->link != NULL && entry->finished && !entry->locked)
        g_unlink (entry->link);
    }
  for (guint i = chosen->len; i > 0; i--)
    if (remove_run (((PrismRunEntry *) chosen->pdata[i - 1])->path, n_deleted))
      n_gone++;
  return n_gone;
}

/**
 * prism_run_entry_is_interrupted:
 *
 * Returns: whether it was under way and its program is gone
 */
gboolean
prism_run_entry_is_interrupted (const PrismRunEntry *self)
{
  return !self->finished && !self->locked;
}
