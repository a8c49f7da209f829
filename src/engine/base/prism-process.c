#include "config.h"

#include "base/prism-process.h"

#include "base/prism-heap.h"

#include <signal.h>

/**
 * prism_process_init:
 *
 * Makes a limit on the size of files (ulimit -f, a batch system) an error of the one write, EFBIG,
 * that is told like a full disk: SIGXFSZ would end the process in the middle of a file. One heap
 * serves all threads.
 *
 * Thread: main, before any other.
 */
void
prism_process_init (void)
{
  signal (SIGXFSZ, SIG_IGN);
  prism_heap_init ();
}
