#include "config.h"

#include "base/prism-directory.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "base/prism-temporary.h"
#include "base/prism-text.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

/* What is written to find out whether a directory takes it: more than fits into its own entry. */
#define PROBE_BYTES 65536
#define PROBE_NAME "probe"

/* Says that it cannot take results, why, and what to do. */
static void
set_error (GError **error,
           const char *directory,
           int code)
{
  if (*directory == '\0')
    {
      prism_error_io (error, _ ("“” cannot take the results: it is no name. Choose a directory."));
      return;
    }
  prism_error_io (error,
                  code == ENOSPC || code == EDQUOT
                      ? _ ("“%s” cannot take the results: %s. Choose another directory or free some"
                           " space.")
                      : _ ("“%s” cannot take the results: %s. Choose another directory."),
                  directory, g_strerror (code));
}

/* Returns 0 or an errno. */
static int
probe_directory (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, ".prism-" PROBE_NAME "-XXXXXX", NULL);
  static const char bytes[PROBE_BYTES];
  int fd = g_mkstemp (path);
  int code = 0;

  if (fd < 0)
    return errno;
  if (!prism_temporary_store_write (fd, bytes, PROBE_BYTES, 0))
    code = errno;
  if (close (fd) != 0 && code == 0)
    code = errno;
  if (g_unlink (path) != 0 && code == 0)
    code = errno;
  return code;
}

/**
 * prism_directory_check:
 * @directory: name, any bytes
 *
 * Finds out before a run whether its results can be written: creates the directory where it is
 * missing and writes a small file into it, which is removed again.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the directory is there and takes files
 */
gboolean
prism_directory_check (const char *directory,
                       GError **error)
{
  int code = 0;

  g_return_val_if_fail (directory != NULL, FALSE);

  if (g_mkdir_with_parents (directory, 0777) != 0)
    code = errno;
  prism_temporary_remove_unused (directory, (const char *const[]) { PROBE_NAME, NULL });
  if (code == 0)
    code = probe_directory (directory);
  if (code != 0)
    set_error (error, directory, code);
  return code == 0;
}

/**
 * prism_directory_lock:
 * @directory: name, any bytes
 * @lock: (out): for prism_directory_unlock()
 *
 * Takes the directory for this process until it unlocks it or ends. Nothing is written for it.
 * Where the file system knows no locks, or there is no such directory, it is nobody's.
 *
 * Errors: PRISM_ERROR_IO where another process has it.
 *
 * Returns: whether nobody else has it
 */
gboolean
prism_directory_lock (const char *directory,
                      int *lock,
                      GError **error)
{
  *lock = g_open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (*lock < 0 || flock (*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return TRUE;
  prism_directory_unlock (*lock);
  *lock = -1;
  return prism_error_io (
      error,
      _ ("Another program computes in “%s” at this moment: wait for it or stop it, or"
         " choose another directory."),
      directory);
}

/**
 * prism_directory_unlock:
 * @lock: of prism_directory_lock()
 *
 * Gives the directory back.
 */
void
prism_directory_unlock (int lock)
{
  if (lock >= 0)
    close (lock);
}

/**
 * prism_directory_remove:
 * @path: a directory that the program itself has made, for a while
 *
 * Removes it with all that is in it; what links point to stays.
 */
void
prism_directory_remove (const char *path)
{
  PRISM_FOR_EACH_NAME (name, path)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      if (g_file_test (inside, G_FILE_TEST_IS_DIR) && !g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
        prism_directory_remove (inside);
      else
        g_unlink (inside);
    }
  g_rmdir (path);
}

#define JOURNAL ".prism-exchange"
#define MOST_HEAD (64 << 20)
#define MARGIN 1 /* s that the time of a folder may be behind */

struct _PrismExchange
{
  char *directory;
  char *stage; /* (nullable): where the new files are written; NULL once they are in place */
  int lock;    /* of stage */
};

/* Where an exchange takes place. */
typedef struct
{
  const char *directory;
  char *path; /* of the journal */
  char *old;
  char *new;
  int fd; /* locked */
} Journal;

static void
clear_journal (Journal *self)
{
  g_free (self->path);
  g_free (self->old);
  g_free (self->new);
  if (self->fd >= 0)
    close (self->fd);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Journal, clear_journal)

/* Waits for another program that has it; nobody does where the file system knows no locks. The
 * other one may have removed it meanwhile. */
static gboolean
lock_journal (Journal *self)
{
  struct stat held, there;
  int result;

  self->fd = g_open (self->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (self->fd < 0)
    return FALSE;
  do
    result = flock (self->fd, LOCK_EX);
  while (result != 0 && errno == EINTR);
  if (fstat (self->fd, &held) == 0 && g_stat (self->path, &there) == 0
      && held.st_ino == there.st_ino && held.st_dev == there.st_dev)
    return TRUE;
  close (self->fd);
  self->fd = -1;
  errno = ENOENT;
  return FALSE;
}

/* Returns 0 or an errno. */
static int
open_journal (Journal *self,
              const char *directory,
              gboolean make)
{
  self->directory = directory;
  self->path = g_build_filename (directory, JOURNAL, NULL);
  self->old = g_build_filename (self->path, "old", NULL);
  self->new = g_build_filename (self->path, "new", NULL);
  do
    if (make && g_mkdir (self->path, 0777) != 0 && errno != EEXIST)
      return errno;
  while (!lock_journal (self) && errno == ENOENT && make);
  return self->fd >= 0 ? 0 : errno;
}

/* The head last. */
static GPtrArray *
list_files (const char *directory)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  gboolean has_head = FALSE;

  PRISM_FOR_EACH_NAME (name, directory)
    if (strcmp (name, PRISM_EXCHANGE_HEAD) == 0)
      has_head = TRUE;
    else
      g_ptr_array_add (names, g_strdup (name));
  if (has_head)
    g_ptr_array_add (names, g_strdup (PRISM_EXCHANGE_HEAD));
  return names;
}

/* backwards: the last one first. Returns 0 or an errno. */
static int
move_files (const char *from,
            const char *to,
            const GPtrArray *names,
            gboolean backwards)
{
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = names->pdata[backwards ? names->len - 1 - i : i];
      g_autofree char *source = g_build_filename (from, name, NULL);
      g_autofree char *target = g_build_filename (to, name, NULL);

      if (g_rename (source, target) != 0 && errno != ENOENT)
        return errno;
    }
  return 0;
}

/* Ends what the journal holds: the new files where they were complete, the old ones otherwise. Both
 * folders are gone then. Returns 0 or an errno. */
static int
settle (const Journal *self)
{
  gboolean is_new = g_file_test (self->new, G_FILE_TEST_IS_DIR);
  const char *from = is_new ? self->new : self->old;
  g_autoptr (GPtrArray) names = list_files (from);
  int code = move_files (from, self->directory, names, FALSE);

  if (code == 0)
    code = prism_file_sync_directory (self->directory);
  if (code != 0)
    return code;
  prism_directory_remove (self->old);
  prism_directory_remove (self->new);
  return 0;
}

/* Files that came into their places go back where they were written. */
static void
undo (const Journal *self,
      const char *stage,
      const GPtrArray *names)
{
  if (g_file_test (self->new, G_FILE_TEST_IS_DIR))
    {
      for (guint i = names->len; i-- > 0;)
        {
          g_autofree char *written = g_build_filename (self->new, names->pdata[i], NULL);
          g_autofree char *place = g_build_filename (self->directory, names->pdata[i], NULL);

          if (!g_file_test (written, G_FILE_TEST_EXISTS))
            g_rename (place, written);
        }
      if (g_rename (self->new, stage) != 0)
        return;
    }
  settle (self);
}

/* Returns 0 or an errno; the old files are there then. */
static int
exchange (const Journal *self,
          const char *stage,
          const GPtrArray *going,
          const GPtrArray *coming)
{
  int code = settle (self);

  if (code == 0 && g_mkdir (self->old, 0777) != 0)
    code = errno;
  if (code == 0)
    code = move_files (self->directory, self->old, going, TRUE);
  if (code == 0 && g_rename (stage, self->new) != 0)
    code = errno;
  if (code == 0)
    code = prism_file_sync_directory (self->path);
  if (code == 0)
    code = settle (self);
  if (code != 0)
    undo (self, stage, coming);
  return code;
}

/* Makes an empty folder for the new files, which is this program's until lock is closed. Returns 0
 * or an errno. */
static int
open_stage (PrismExchange *self)
{
  g_autofree char *path
      = g_build_filename (self->directory, PRISM_TEMPORARY_FOLDER "XXXXXX", NULL);

  if (g_mkdtemp_full (path, 0777) == NULL)
    return errno;
  self->lock = g_open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (self->lock >= 0)
    flock (self->lock, LOCK_EX | LOCK_NB);
  self->stage = g_steal_pointer (&path);
  return 0;
}

/* What a program that was killed has left: a folder older than this process that nobody has. One
 * that is being made has no lock yet, either. */
static void
remove_unused_stage (const char *path)
{
  int fd = g_open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  struct stat status;

  if (fd < 0)
    return;
  if (fstat (fd, &status) == 0
      && (gint64) status.st_mtime + MARGIN < prism_process_get_start () / G_USEC_PER_SEC
      && flock (fd, LOCK_EX | LOCK_NB) == 0)
    prism_directory_remove (path);
  close (fd);
}

static void
remove_unused_stages (const char *directory)
{
  PRISM_FOR_EACH_NAME (name, directory)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);

      if (g_str_has_prefix (name, PRISM_TEMPORARY_FOLDER))
        remove_unused_stage (path);
    }
}

static gboolean
refuse_directory (const char *path,
                  GError **error)
{
  return prism_error_io (error,
                         _ ("“%s” is a directory, but a file of the result has that name. Choose"
                            " another directory."),
                         path);
}

/* (nullable): what says that a folder has a result; another program's summary.json does not. */
static char *
dup_head (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, PRISM_EXCHANGE_HEAD, NULL);
  g_autoptr (GBytes) bytes = prism_file_load (path, MOST_HEAD, NULL);
  gsize size = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return data != NULL && g_strstr_len (data, (gssize) size, "\"seconds\"") != NULL
             ? g_strndup (data, size)
             : NULL;
}

/**
 * prism_exchange_has_result:
 * @directory: name, any bytes
 *
 * Returns: whether there is the summary of an earlier run, whose files the next result replaces
 */
gboolean
prism_exchange_has_result (const char *directory)
{
  g_autofree char *head = NULL;

  prism_exchange_finish (directory);
  head = dup_head (directory);
  return head != NULL;
}

/* Files of these names that are there, and the table that the head names, the head last; where the
 * head that is among them is not, only those that are replaced. NULL on errors: no file can take
 * the name of a directory. */
static GPtrArray *
find_old (PrismExchange *self,
          const char *const *names,
          GPtrArray *coming,
          GError **error)
{
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) all = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *summary = dup_head (self->directory);
  GHashTableIter iter;
  gpointer name;
  gboolean has_head = FALSE;

  if (names != NULL && g_strv_contains (names, PRISM_EXCHANGE_HEAD) && summary == NULL)
    names = NULL;
  if (summary != NULL && strstr (summary, "\"" PRISM_RESULT_TABLE "\"") != NULL)
    g_hash_table_add (all, (gpointer) PRISM_RESULT_TABLE);
  for (; names != NULL && *names != NULL; names++)
    g_hash_table_add (all, (gpointer) *names);
  PRISM_FOR_EACH_POINTER (char, name, coming)
    g_hash_table_add (all, name);
  g_hash_table_iter_init (&iter, all);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    {
      g_autofree char *path = g_build_filename (self->directory, name, NULL);
      g_autofree char *staged = g_build_filename (self->stage, name, NULL);
      struct stat status;

      if (g_lstat (path, &status) != 0)
        continue;
      if (S_ISDIR (status.st_mode))
        {
          refuse_directory (path, error);
          return NULL;
        }
      /* A file that is replaced keeps its permissions. */
      if (S_ISREG (status.st_mode))
        g_chmod (staged, status.st_mode & 0777);
      if (strcmp (name, PRISM_EXCHANGE_HEAD) == 0)
        has_head = TRUE;
      else
        g_ptr_array_add (found, g_strdup (name));
    }
  if (has_head)
    g_ptr_array_add (found, g_strdup (PRISM_EXCHANGE_HEAD));
  return g_steal_pointer (&found);
}

/**
 * prism_exchange_finish:
 * @directory: name, any bytes
 *
 * Ends an exchange that another program was ended in. Where nobody may write, all stays.
 */
void
prism_exchange_finish (const char *directory)
{
  g_auto (Journal) journal = { .fd = -1 };

  if (open_journal (&journal, directory, FALSE) == 0 && settle (&journal) == 0)
    g_rmdir (journal.path);
}

/**
 * prism_exchange_check_place:
 * @directory: name, any bytes; created where it is missing
 * @names: (array zero-terminated=1): of the files that will be written there
 * @replaces: whether the user's own files may go
 *
 * Finds out beforehand whether a folder can take these files, and ends what a program that was
 * killed there has left. Where no result is, files of these names are the user's own.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it can
 */
gboolean
prism_exchange_check_place (const char *directory,
                            const char *const *names,
                            gboolean replaces,
                            GError **error)
{
  if (!prism_directory_check (directory, error))
    return FALSE;
  replaces |= prism_exchange_has_result (directory);
  prism_temporary_remove_unused (directory, names);
  remove_unused_stages (directory);
  for (; *names != NULL; names++)
    {
      g_autofree char *path = g_build_filename (directory, *names, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        return refuse_directory (path, error);
      if (!replaces && g_file_test (path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK))
        return prism_error_io (error,
                               _ ("“%s” is of no result of this program, and a result would take"
                                  " its place: choose another directory, or move that file."),
                               path);
    }
  return TRUE;
}

/**
 * prism_exchange_new:
 * @directory: name, any bytes; created where it is missing
 *
 * Begins to replace files.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): the exchange
 */
PrismExchange *
prism_exchange_new (const char *directory,
                    GError **error)
{
  g_autoptr (PrismExchange) self = g_new0 (PrismExchange, 1);
  int code;

  self->lock = -1;
  self->directory = g_strdup (directory);
  if (!prism_exchange_check_place (directory, (const char *const[]) { NULL }, TRUE, error))
    return NULL;
  code = open_stage (self);
  if (code == 0)
    return g_steal_pointer (&self);
  set_error (error, directory, code);
  return NULL;
}

/**
 * prism_exchange_get_directory:
 *
 * Returns: (transfer none): where the new files are to be written
 */
const char *
prism_exchange_get_directory (PrismExchange *self)
{
  return self->stage;
}

/**
 * prism_exchange_commit:
 * @names: (array zero-terminated=1) (nullable): of the files that the old ones may have; those that
 *   were not written anew go, so that they do not pass for new ones
 *
 * Puts the new files, which are on the disk, in the place of the old ones. Other files in the
 * folder stay.
 *
 * Errors: PRISM_ERROR_IO; the old files are then untouched.
 *
 * Returns: whether the new ones are there
 */
gboolean
prism_exchange_commit (PrismExchange *self,
                       const char *const *names,
                       GError **error)
{
  g_auto (Journal) journal = { .fd = -1 };
  g_autoptr (GPtrArray) coming = list_files (self->stage);
  g_autoptr (GPtrArray) going = NULL;
  int code = open_journal (&journal, self->directory, TRUE);

  if (code == 0)
    {
      going = find_old (self, names, coming, error);
      if (going != NULL)
        code = exchange (&journal, self->stage, going, coming);
      g_rmdir (journal.path);
      if (going == NULL)
        return FALSE;
    }
  if (code == 0)
    g_clear_pointer (&self->stage, g_free);
  else
    set_error (error, self->directory, code);
  return code == 0;
}

/**
 * prism_exchange_free:
 * @self: (nullable): an exchange
 *
 * Ends it; new files that did not come into their places go.
 */
void
prism_exchange_free (PrismExchange *self)
{
  if (self == NULL)
    return;
  if (self->stage != NULL)
    prism_directory_remove (self->stage);
  if (self->lock >= 0)
    close (self->lock);
  g_free (self->stage);
  g_free (self->directory);
  g_free (self);
}

static const char *const folders[PRISM_N_USER_CACHES] = {
  [PRISM_USER_CACHE_COSTS] = "costs",
  [PRISM_USER_CACHE_TUNING] = "tuning",
};

/**
 * prism_user_cache_dup_folder:
 * @self: what is kept there
 *
 * Returns: (transfer full): the folder, which may not be there yet
 */
char *
prism_user_cache_dup_folder (PrismUserCache self)
{
  return g_build_filename (g_get_user_cache_dir (), "prism-studio", folders[self], NULL);
}

/**
 * prism_user_cache_dup_path:
 * @self: what is kept
 * @shape: one line with all that it depends on
 *
 * Returns: (transfer full): its file
 */
char *
prism_user_cache_dup_path (PrismUserCache self,
                           const char *shape)
{
  g_autofree char *folder = prism_user_cache_dup_folder (self);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, shape, -1);
  g_autofree char *name = g_strdup_printf ("%.32s.json", sum);

  return g_build_filename (folder, name, NULL);
}

/**
 * prism_user_cache_look:
 * @self: what is kept
 * @clears: whether to delete it; what cannot be deleted stays and is not counted
 * @use: (out caller-allocates): how much of it there is, or was
 *
 * Looks at files of this program alone: no links, no folders, nothing of another name.
 *
 * Units: bytes.
 */
void
prism_user_cache_look (PrismUserCache self,
                       gboolean clears,
                       PrismUserCacheUse *use)
{
  g_autofree char *folder = prism_user_cache_dup_folder (self);

  *use = (PrismUserCacheUse) { 0 };
  PRISM_FOR_EACH_NAME (name, folder)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      struct stat status;

      if (g_str_has_suffix (name, ".json") && lstat (path, &status) == 0
          && S_ISREG (status.st_mode) && (!clears || g_unlink (path) == 0))
        {
          use->n_files++;
          use->bytes += (guint64) status.st_size;
        }
    }
}

/**
 * prism_plan_load:
 * @directory: where it lies
 * @name: of the file
 * @missing: sentence for a directory without such a file, with %s for its name, translated
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): its keys
 */
GKeyFile *
prism_plan_load (const char *directory,
                 const char *name,
                 const char *missing,
                 GError **error)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) cause = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return prism_error_io (error, missing, directory), NULL;
  if ((bytes = prism_file_load (path, 4 << 20, error)) == NULL)
    return NULL;
  if (g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, &cause))
    return g_steal_pointer (&file);
  prism_error_format (error, _ ("%s cannot be read: %s."), path, cause->message);
  return NULL;
}

/* Without a plan nobody knows whose the files are that lie there already; empty folders are. */
static gboolean
check_strangers (const char *directory,
                 const char *name,
                 const char *names,
                 GError **error)
{
  g_autoptr (GDir) listing = g_dir_open (directory, 0, NULL);
  const char *found = PRISM_EXCHANGE_HEAD;

  while (listing != NULL && found != NULL)
    {
      g_autofree char *path = g_build_filename (directory, found, NULL);
      g_autofree char *head = g_build_filename (path, PRISM_EXCHANGE_HEAD, NULL);

      if (g_file_test (g_file_test (path, G_FILE_TEST_IS_DIR) ? head : path, G_FILE_TEST_EXISTS))
        return prism_error_io (error,
                               _ ("%s is of another run, and there is no %s that says otherwise:"
                                  " choose another directory, or remove that result."),
                               path, name);
      do
        found = g_dir_read_name (listing);
      while (found != NULL && !prism_file_matches (found, names));
    }
  return TRUE;
}

/**
 * prism_plan_save:
 * @directory: of many runs; created where it is missing
 * @name: of their plan in it
 * @names: of all that is written there, PRISM_SWEEP_NAMES
 * @keys: (transfer full): what the runs are; its key “checksum” is of the frames or the object
 *
 * Binds the directory to these runs, also again, so that what is missing can be made up for.
 *
 * Errors: PRISM_ERROR_IO, also where others have their results there.
 *
 * Returns: whether the plan is on the disk
 */
gboolean
prism_plan_save (const char *directory,
                 const char *name,
                 const char *names,
                 GKeyFile *keys,
                 GError **error)
{
  g_autoptr (GKeyFile) plan = keys;
  g_autofree char *path = prism_file_dup_place (directory, name);
  g_autofree char *text = g_key_file_to_data (plan, NULL, NULL);

  if (!prism_directory_check (directory, error))
    return FALSE;
  prism_temporary_remove_unused (directory, (const char *const[]) { name, NULL });
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autoptr (GKeyFile) old = prism_plan_load (directory, name, "", error);
      g_autofree char *group = g_key_file_get_start_group (plan);
      g_autofree char *ours = NULL, *theirs = NULL;

      if (old == NULL)
        return FALSE;
      /* Earlier plans have none. */
      if (!g_key_file_has_key (old, group, "checksum", NULL))
        g_key_file_remove_key (plan, group, "checksum", NULL);
      theirs = g_key_file_to_data (old, NULL, NULL);
      ours = g_key_file_to_data (plan, NULL, NULL);
      if (strcmp (theirs, ours) != 0)
        return prism_error_io (error,
                               _ ("%s belongs to other runs, whose settings, frames, object or"
                                  " start were others: choose another directory, or remove that"
                                  " one."),
                               path);
    }
  else if (!check_strangers (directory, name, names, error))
    return FALSE;
  return prism_file_save (path, text, strlen (text), error);
}
