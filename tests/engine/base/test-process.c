#include "base/prism-system.h"
#include "prism-test.h"

#include <fcntl.h>

#define CHILD "/engine/process/subprocess/closed-streams"

/* In a process of its own, whose report goes by its exit status alone. */
static void
open_with_closed_streams (void)
{
  for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
    close (i);
  prism_process_init ();
  int fd = open ("/dev/null", O_WRONLY);
  _exit (fd > STDERR_FILENO && write (STDOUT_FILENO, "?", 1) < 0 ? 0 : 1);
}

/* No file gets the number of a stream, and what is printed is an error, not lost in silence. */
TEST (closed_streams, "/engine/process/closed-streams")
{
  g_test_trap_subprocess (CHILD, 0, 0);
  g_test_trap_assert_passed ();
}

TESTS
{
  g_test_add_func (CHILD, open_with_closed_streams);
}
