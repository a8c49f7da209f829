#include "config.h"

#include "base/prism-directory.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>

/* What is written to find out whether a directory takes it: more than fits into its own entry. */
#define PROBE_BYTES 65536
#define PROBE_NAME "probe"

/**
 * prism_directory_set_error:
 * @directory: name, any bytes
 * @code: an errno
 *
 * Says that it cannot take results, why, and what to do.
 */
void
prism_directory_set_error (GError **error,
                           const char *directory,
                           int code)
{
  g_autofree char *name = prism_file_dup_display_name (directory);

  if (*directory == '\0')
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
                   "“” cannot take the results: it is no name. Choose a directory.");
      return;
    }
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
               "“%s” cannot take the results: %s. Choose another directory%s.", name,
               g_strerror (code), code == ENOSPC || code == EDQUOT ? " or free some space" : "");
}

/* Returns 0 or an errno. */
static int
probe_directory (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, ".prism-" PROBE_NAME "-XXXXXX", NULL);
  static const char bytes[PROBE_BYTES];
  gsize done = 0;
  int fd = g_mkstemp (path);
  int code = 0;

  if (fd < 0)
    return errno;
  while (code == 0 && done < PROBE_BYTES)
    {
      gssize n = write (fd, bytes + done, PROBE_BYTES - done);

      if (n > 0)
        done += (gsize) n;
      else if (n == 0 || errno != EINTR)
        code = n == 0 ? ENOSPC : errno;
    }
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
    prism_directory_set_error (error, directory, code);
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
  g_autofree char *shown = NULL;

  *lock = g_open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (*lock < 0 || flock (*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return TRUE;
  prism_directory_unlock (*lock);
  *lock = -1;
  shown = prism_file_dup_display_name (directory);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
               _ ("Another program computes in “%s” at this moment: wait for it or stop it, or"
                  " choose another directory."),
               shown);
  return FALSE;
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
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      if (g_file_test (inside, G_FILE_TEST_IS_DIR) && !g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
        prism_directory_remove (inside);
      else
        g_unlink (inside);
    }
  g_rmdir (path);
}
