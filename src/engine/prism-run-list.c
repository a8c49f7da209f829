#include "config.h"

#include "prism-run-list.h"

#include "prism-run-lock.h"
#include "prism-run-private.h"

#include <string.h>

static void
entry_free (PrismRunEntry *entry)
{
  g_free (entry->path);
  g_free (entry->state_name);
  g_free (entry->started);
  g_free (entry->saved);
  g_free (entry);
}

/**
 * prism_run_list_dup_directory:
 *
 * Where the program keeps the runs that nobody has named: $XDG_STATE_HOME/prism-studio/runs. It
 * need not be there yet.
 *
 * Returns: (transfer full): the directory
 */
char *
prism_run_list_dup_directory (void)
{
  return g_build_filename (g_get_user_state_dir (), "prism-studio", "runs", NULL);
}

static PrismRunEntry *
load_entry (const char *path)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (path, NULL);
  g_autoptr (PrismRunIndex) index = archive != NULL ? prism_run_index_load (archive, NULL) : NULL;
  PrismRunEntry *entry;

  if (index == NULL)
    return NULL;
  entry = g_new0 (PrismRunEntry, 1);
  entry->path = g_strdup (path);
  entry->state_name = g_strdup (index->state_name);
  entry->started = g_strdup (index->identity->started);
  entry->saved = g_strdup (index->saved);
  entry->step = index->step;
  entry->finished = index->state != PRISM_STATE_PAUSED;
  entry->locked = prism_run_lock_is_taken (path);
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
 * prism_run_list_new:
 * @directory: where to look
 *
 * Lists the run files of a directory; what cannot be read is left out, and so is everything when
 * the directory is not there.
 *
 * Returns: (transfer full) (element-type PrismRunEntry): the runs, the newest first; frees them
 */
GPtrArray *
prism_run_list_new (const char *directory)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func ((GDestroyNotify) entry_free);
  g_autoptr (GDir) listing = g_dir_open (directory, 0, NULL);
  const char *name;

  while (listing != NULL && (name = g_dir_read_name (listing)) != NULL)
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

/**
 * prism_run_entry_is_interrupted:
 * @self: a run
 *
 * Returns: whether it was under way and its program is gone
 */
gboolean
prism_run_entry_is_interrupted (const PrismRunEntry *self)
{
  return !self->finished && !self->locked;
}
