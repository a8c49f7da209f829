#include "config.h"

#include "base/prism-temporary.h"

#include "base/prism-each.h"
#include "base/prism-system.h"
#include "base/prism-text.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define PREFIX ".prism-"
#define MAX_NAME 200 /* bytes of a file's name that its temporary file takes over */
#define PART ".part"
#define MARGIN 1 /* s that the time of a file may be behind */

/* What the temporary files for a name begin with; six letters follow. */
static char *
dup_prefix (const char *name)
{
  return strlen (name) <= MAX_NAME ? g_strconcat (PREFIX, name, "-", NULL)
                                   : g_strdup (PREFIX);
}

/* What libzip calls the file that it writes beside one: “.XXXXXX”, since 1.11 “.XXXXXX.part”. */
static gboolean
is_libzip_ending (const char *ending)
{
  const gsize whole = 1 + PRISM_TEMPORARY_LETTERS, length = strlen (ending);

  return *ending == '.'
         && (length == whole
             || (length == whole + strlen (PART) && g_str_has_suffix (ending, PART)));
}

/* Whether a writer of a file with this prefix made it, or libzip beside such a one. A long name's
 * prefix does not say for which file. */
static gboolean
is_temporary (const char *name,
              const char *prefix)
{
  gsize length = strlen (prefix) + PRISM_TEMPORARY_LETTERS;

  return strlen (prefix) > strlen (PREFIX) && g_str_has_prefix (name, prefix)
         && (strlen (name) == length
             || (strlen (name) > length && is_libzip_ending (name + length)));
}

/* The names of those that were made last, for a program that a signal ends: written so that they
 * are whole or empty at any moment. What has taken its place is not there by that name any more. */
#define N_RECENT 16
static char recent[N_RECENT][PATH_MAX];
static int n_made; /* atomic */

/**
 * prism_temporary_unlink:
 *
 * Removes temporary files that are being written; a handler of signals may call it.
 */
void
prism_temporary_unlink (void)
{
  for (int i = 0; i < N_RECENT; i++)
    if (recent[i][0] != '\0')
      unlink (recent[i]);
}

static void
note_recent (const char *path)
{
  char *place = recent[(guint) g_atomic_int_add (&n_made, 1) % N_RECENT];
  g_autofree char *whole = g_canonicalize_filename (path, NULL);

  if (strlen (whole) >= PATH_MAX)
    return;
  place[0] = '\0';
  strcpy (place + 1, whole + 1);
  place[0] = whole[0];
}

/**
 * prism_temporary_open:
 * @path: the file that is to be replaced
 * @temporary: (out) (transfer full): name of the new one
 *
 * Makes an empty file beside @path and opens it for writing.
 *
 * Returns: its descriptor, -1 with errno where there can be none
 */
int
prism_temporary_open (const char *path,
                      char **temporary)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *prefix = dup_prefix (base);
  g_autofree char *name = g_strconcat (prefix, "XXXXXX", NULL);

  int fd;

  *temporary = g_build_filename (directory, name, NULL);
  fd = g_mkstemp_full (*temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (fd >= 0)
    note_recent (*temporary);
  return fd;
}

/**
 * prism_temporary_remove:
 * @path: file name, of prism_file_dup_real()
 *
 * Removes what writers of @path that were killed have left beside it. Nobody may be writing it.
 */
void
prism_temporary_remove (const char *path)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *prefix = dup_prefix (base);

  PRISM_FOR_EACH_NAME (name, directory)
    {
      g_autofree char *full = g_build_filename (directory, name, NULL);

      if (is_temporary (name, prefix))
        g_unlink (full);
    }
}

/* The kernel lends a file only to one who has it open alone, and for as long. Where it lends
 * nothing, nobody knows, and the file stays. */
static void
remove_unused (const char *path)
{
  /* Links are not followed, and pipes not waited for. */
  int fd = g_open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  struct stat status;

  if (fd < 0)
    return;
  /* Who opens it meanwhile is told to us by a signal that is ignored unless one asks for it. */
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && (gint64) status.st_mtime + MARGIN < prism_process_get_start () / G_USEC_PER_SEC
      && fcntl (fd, F_SETSIG, SIGURG) == 0 && fcntl (fd, F_SETLEASE, F_WRLCK) == 0)
    g_unlink (path);
  close (fd);
}

/**
 * prism_temporary_remove_unused:
 * @directory: where it is to be written
 * @names: (array zero-terminated=1): of the files that will be written there
 *
 * Removes what programs that were killed while they wrote these files have left: regular files
 * older than this process that nobody has open.
 */
void
prism_temporary_remove_unused (const char *directory,
                               const char *const *names)
{
  PRISM_FOR_EACH_NAME (name, directory)
    {
      g_autofree char *path = NULL;

      if (!g_str_has_prefix (name, PREFIX))
        continue;
      path = g_build_filename (directory, name, NULL);
      PRISM_FOR_EACH_STRING (one, names)
        {
          g_autofree char *prefix = dup_prefix (*one);

          if (is_temporary (name, prefix))
            remove_unused (path);
        }
    }
}

static int
open_nameless (const char *directory)
{
  g_autofree char *path = NULL;
  int fd = g_open (directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  if (fd >= 0)
    return fd;
  path = g_build_filename (directory, "prism-metrics-XXXXXX", NULL);
  fd = g_mkstemp_full (path, O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0)
    g_unlink (path);
  return fd;
}

/* Gives a file its size, whose blocks are its own from then on. FALSE where it lies in memory, or
 * would take more than half of what is free. */
static gboolean
reserve (int fd,
         guint64 n_bytes)
{
  struct statfs disk;

  return fstatfs (fd, &disk) == 0 && disk.f_type != TMPFS_MAGIC && disk.f_type != RAMFS_MAGIC
         && n_bytes / (guint64) disk.f_bsize < disk.f_bavail / 2
         && fallocate (fd, 0, 0, (off_t) n_bytes) == 0;
}

/**
 * prism_temporary_store_open:
 * @n_bytes: what is to be reserved on a disk; 0 for an empty file
 *
 * Makes a file in $TMPDIR, /var/tmp or /tmp, whichever can be written first.
 *
 * Returns: its descriptor, for close(); -1 where there can be none
 */
int
prism_temporary_store_open (guint64 n_bytes)
{
  const char *const directories[] = { g_getenv ("TMPDIR"), "/var/tmp", "/tmp" };
  int fd = -1;

  for (gsize i = 0; fd < 0 && i < G_N_ELEMENTS (directories); i++)
    {
      fd = directories[i] != NULL ? open_nameless (directories[i]) : -1;
      if (fd >= 0 && n_bytes > 0 && !reserve (fd, n_bytes))
        {
          close (fd);
          fd = -1;
        }
    }
  return fd;
}

/**
 * prism_temporary_store_dup_link:
 * @fd: of prism_temporary_store_open()
 *
 * Gives the file a name for libraries that open it by one. It is to be deleted at once after that.
 *
 * Returns: (transfer full): the name; of the descriptor where the disk cannot do it
 */
char *
prism_temporary_store_dup_link (int fd)
{
  g_autofree char *own = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autofree char *place = g_file_read_link (own, NULL);
  g_autofree char *directory = g_path_get_dirname (place != NULL ? place : own);
  char *path = g_strdup_printf ("%s/prism-%d-%08x", directory, getpid (), g_random_int ());

  if (linkat (AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0)
    return path;
  g_free (path);
  return g_steal_pointer (&own);
}

static gboolean
move_bytes (int fd,
            gboolean writes,
            char *at,
            gsize length,
            guint64 offset)
{
  while (length > 0)
    {
      gssize n = writes ? pwrite (fd, at, length, (off_t) offset)
                        : pread (fd, at, length, (off_t) offset);

      if (n == 0)
        errno = writes ? ENOSPC : 0;
      if (n == 0 || (n < 0 && errno != EINTR))
        return FALSE;
      n = MAX (n, 0);
      at += n;
      offset += (guint64) n;
      length -= (gsize) n;
    }
  return TRUE;
}

/**
 * prism_temporary_store_write:
 * @fd: of prism_temporary_store_open()
 * @data: (array length=length): bytes
 * @length: how many
 * @offset: where to
 *
 * Returns: whether all of it is there; errno says why not
 */
gboolean
prism_temporary_store_write (int fd,
                             gconstpointer data,
                             gsize length,
                             guint64 offset)
{
  return move_bytes (fd, TRUE, (char *) data, length, offset);
}

/**
 * prism_temporary_store_read:
 * @fd: of prism_temporary_store_open()
 * @data: (out caller-allocates) (array length=length): bytes
 * @length: how many
 * @offset: where from
 *
 * Reads what was written. It is not mapped: a disk that fails would end the process.
 *
 * Returns: whether all of it could be read; errno says why not, 0 where the file is too short
 */
gboolean
prism_temporary_store_read (int fd,
                            gpointer data,
                            gsize length,
                            guint64 offset)
{
  return move_bytes (fd, FALSE, data, length, offset);
}
