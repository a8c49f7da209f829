#include "config.h"

#include "run/prism-run-lock.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-temporary.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#define ENDING ".lock"
#define MAX_TRIES 100

struct _PrismRunLock
{
  char *name; /* of the lock's own file */
  int fd;
};

/* One for the file, whatever links lead to it. A name that would become too long gives way to its
 * checksum. */
static char *
dup_lock_name (const char *path)
{
  g_autofree char *real = prism_file_dup_real (path);
  g_autofree char *base = g_path_get_basename (real);
  g_autofree char *directory = NULL;
  g_autofree char *sum = NULL;
  g_autofree char *name = NULL;

  if (strlen (base) + strlen (ENDING) <= NAME_MAX || strlen (base) > NAME_MAX)
    return g_strconcat (real, ENDING, NULL);
  directory = g_path_get_dirname (real);
  sum = g_compute_checksum_for_string (G_CHECKSUM_SHA1, base, -1);
  name = g_strconcat (sum, ENDING, NULL);
  return g_build_filename (directory, name, NULL);
}

/* Whether the file that is locked still has its name: its owner may have removed it in between. */
static gboolean
is_current (int fd,
            const char *name)
{
  struct stat open_status, status;

  return fstat (fd, &open_status) == 0 && stat (name, &status) == 0
         && open_status.st_ino == status.st_ino && open_status.st_dev == status.st_dev;
}

/* Unlike flock() these can be asked for without being taken: whoever only looks is in nobody's way.
 * They belong to what was opened, so that two runs of one process exclude each other, too. */
static gboolean
lock_whole (int fd)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  gboolean ok = fcntl (fd, F_OFD_SETLK, &lock) == 0;

  if (!ok && errno == EACCES)
    errno = EWOULDBLOCK;
  return ok;
}

/* Returns -1 with errno: EWOULDBLOCK when another owns it. */
static int
open_locked (const char *name)
{
  for (int i = 0; i < MAX_TRIES; i++)
    {
      int fd = g_open (name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
      int reason;

      if (fd < 0)
        return -1;
      errno = 0;
      if (lock_whole (fd) && is_current (fd, name))
        return fd;
      reason = errno;
      close (fd);
      errno = reason;
      if (reason == EWOULDBLOCK)
        return -1;
    }
  errno = EAGAIN;
  return -1;
}

/**
 * prism_run_lock_new:
 * @path: of a run file, which need not be there yet
 *
 * Becomes the only one who writes a run file. That its directory can be written is found out on the
 * way, and what a writer that was killed has left is removed.
 *
 * Errors: PRISM_ERROR_CANCELLED when another process, or another run of this one, writes the file;
 * PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): the lock
 */
PrismRunLock *
prism_run_lock_new (const char *path,
                    GError **error)
{
  g_autofree char *name = dup_lock_name (path);
  g_autofree char *real = prism_file_dup_real (path);
  PrismRunLock *self;
  int fd = open_locked (name);

  if (fd < 0 && errno == EWOULDBLOCK)
    prism_error_set (error, PRISM_ERROR_CANCELLED,
                     _ ("“%s” is being written by another program. Wait until it is done, or"
                        " give this"
                        " run another file."),
                     path);
  else if (fd < 0)
    prism_error_io (error,
                    errno == ENAMETOOLONG ? _ ("“%s” cannot be written: %s. Choose a shorter name.")
                                          : _ ("“%s” cannot be written: %s. Choose another"
                                               " directory."),
                    path, g_strerror (errno));
  if (fd < 0)
    return NULL;
  prism_temporary_remove (real);
  self = g_new0 (PrismRunLock, 1);
  self->name = g_steal_pointer (&name);
  self->fd = fd;
  return self;
}

/**
 * prism_run_lock_free:
 * @self: (nullable): a lock
 *
 * Lets others write the file.
 */
void
prism_run_lock_free (PrismRunLock *self)
{
  if (self == NULL)
    return;
  g_unlink (self->name);
  close (self->fd);
  g_free (self->name);
  g_free (self);
}

/**
 * prism_run_lock_is_taken:
 * @path: of a run file
 *
 * Returns: whether a living process writes it
 */
gboolean
prism_run_lock_is_taken (const char *path)
{
  g_autofree char *name = dup_lock_name (path);
  int fd = g_open (name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  gboolean taken;

  if (fd < 0)
    return FALSE;
  taken = fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close (fd);
  return taken;
}
