#include "fuzz.h"

#include <sys/mman.h>

const char *
fuzz_get_path (const uint8_t *data, size_t size)
{
  static char path[64];
  static int fd = -1;

  if (fd < 0)
    {
      fd = memfd_create ("fuzz", MFD_CLOEXEC);
      g_assert_cmpint (fd, >=, 0);
      g_snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
    }
  /* In this order the pages stay from one file to the next. */
  g_assert_cmpint (pwrite (fd, data, size, 0), ==, (gssize) size);
  g_assert_cmpint (ftruncate (fd, (off_t) size), ==, 0);
  return path;
}
