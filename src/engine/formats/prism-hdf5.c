#include "config.h"

#include "formats/prism-hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/**
 * prism_hdf5_init:
 *
 * Keeps the library from printing what goes wrong, and from tidying up when the program ends: a
 * file that it could not write to its end stays open in it, and it falls over such a file then.
 * Belongs before everything else that is asked of the library. Thread: any.
 */
void
prism_hdf5_init (void)
{
  static gsize is_known;

  if (g_once_init_enter (&is_known))
    {
      H5dont_atexit ();
      g_once_init_leave (&is_known, 1);
    }
  H5Eset_auto2 (H5E_DEFAULT, NULL, NULL);
}

/* A file must not grow to any size everywhere (RLIMIT_FSIZE). */
static gboolean
may_grow (int file,
          off_t n_bytes)
{
  struct stat status;

  if (fstat (file, &status) < 0)
    return FALSE;
  if (status.st_size >= n_bytes)
    return TRUE;
  return ftruncate (file, n_bytes) == 0 && ftruncate (file, status.st_size) == 0;
}

/* File systems that cannot set room aside are believed to have it. */
static gboolean
set_room_aside (int file,
                guint64 n_bytes)
{
  int status;

  if (!may_grow (file, (off_t) n_bytes))
    return FALSE;
  do
    status = fallocate (file, FALLOC_FL_KEEP_SIZE, 0, (off_t) n_bytes);
  while (status < 0 && errno == EINTR);
  return status == 0 || errno == EOPNOTSUPP || errno == ENOSYS;
}

/**
 * prism_hdf5_reserve:
 * @path: file name
 * @n_bytes: of all arrays that will be written
 *
 * Sees to it that a file, which is made if need be, has room on its disk. The library does not
 * survive a disk that gets full: it cannot close what it cannot write.
 *
 * Returns: whether there is room, or nobody can tell
 */
gboolean
prism_hdf5_reserve (const char *path,
                    guint64 n_bytes)
{
  const int file = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  /* The library writes names, shapes, and blocks of which it uses a part, too. */
  const gboolean ok = file >= 0 && set_room_aside (file, n_bytes + 32 * 1024);

  if (file >= 0)
    close (file);
  return ok;
}

/**
 * prism_hdf5_create:
 * @path: file name; what is there is lost
 * @n_bytes: of all arrays that will be written
 *
 * Makes a file that has room on its disk.
 *
 * Returns: the file, below 0 where it cannot be made
 */
hid_t
prism_hdf5_create (const char *path,
                   guint64 n_bytes)
{
  hid_t file = -1;

  prism_hdf5_init ();
  if (prism_hdf5_reserve (path, n_bytes))
    file = H5Fcreate (path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  /* Making the file may have given the room back. */
  if (file < 0 || prism_hdf5_reserve (path, n_bytes))
    return file;
  H5Fclose (file);
  return -1;
}
