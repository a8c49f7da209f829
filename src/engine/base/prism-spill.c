#include "config.h"

#include "base/prism-spill.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

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

/**
 * prism_spill_open:
 *
 * Makes a file in $TMPDIR, /var/tmp or /tmp, whichever can be written first.
 *
 * Returns: its descriptor, for close(); -1 where there can be none
 */
int
prism_spill_open (void)
{
  const char *const directories[] = { g_getenv ("TMPDIR"), "/var/tmp", "/tmp" };
  int fd = -1;

  for (gsize i = 0; fd < 0 && i < G_N_ELEMENTS (directories); i++)
    if (directories[i] != NULL)
      fd = open_nameless (directories[i]);
  return fd;
}

/**
 * prism_spill_write:
 * @fd: of prism_spill_open()
 * @data: (array length=length): bytes
 * @length: how many
 * @offset: where to
 *
 * Returns: whether all of it is there
 */
gboolean
prism_spill_write (int fd,
                   gconstpointer data,
                   gsize length,
                   guint64 offset)
{
  const char *at = data;

  while (length > 0)
    {
      gssize n = pwrite (fd, at, length, (off_t) offset);

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
 * prism_spill_read:
 * @fd: of prism_spill_open()
 * @data: (out caller-allocates) (array length=length): bytes
 * @length: how many
 * @offset: where from
 *
 * Reads what was written. It is not mapped: a disk that fails would end the process.
 *
 * Returns: whether all of it could be read; errno says why not, 0 where the file is too short
 */
gboolean
prism_spill_read (int fd,
                  gpointer data,
                  gsize length,
                  guint64 offset)
{
  char *at = data;

  while (length > 0)
    {
      gssize n = pread (fd, at, length, (off_t) offset);

      if (n == 0)
        errno = 0;
      if (n == 0 || (n < 0 && errno != EINTR))
        return FALSE;
      n = MAX (n, 0);
      at += n;
      offset += n;
      length -= n;
    }
  return TRUE;
}
