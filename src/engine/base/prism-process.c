#include "config.h"

#include "base/prism-process.h"

#include "base/prism-heap.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static gint64 start_time; /* µs of the real time */

/* A file that takes the number of a stream that is closed would get what is printed there. */
static void
fill_streams (void)
{
  while (TRUE)
    {
      int fd = open ("/dev/null", O_RDONLY);

      if (fd > STDERR_FILENO)
        close (fd);
      if (fd < 0 || fd > STDERR_FILENO)
        return;
    }
}

/**
 * prism_process_init:
 *
 * A standard stream that is closed becomes one that cannot be written. A limit on the size of
 * files (ulimit -f, a batch system) becomes an error of the one write, EFBIG, that is told like a
 * full disk: SIGXFSZ would end the process in the middle of a file. One heap serves all threads.
 *
 * Thread: main, before any other.
 */
void
prism_process_init (void)
{
  start_time = g_get_real_time ();
  fill_streams ();
  signal (SIGXFSZ, SIG_IGN);
  prism_heap_init ();
}

/**
 * prism_process_get_start:
 *
 * Units: µs of the real time.
 * Thread: any.
 *
 * Returns: when prism_process_init() was called; 0 where it was not
 */
gint64
prism_process_get_start (void)
{
  return start_time;
}
