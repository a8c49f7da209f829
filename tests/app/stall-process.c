#include "config.h"

#include "stall-process.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A small file of /proc, as a string; no heap, so that measuring leaves no trace there. */
static gboolean
read_file (const char *path,
           char *text,
           gsize size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gssize n = fd >= 0 ? read (fd, text, size - 1) : -1;

  if (fd >= 0)
    close (fd);
  if (n < 0)
    return FALSE;
  text[n] = '\0';
  return TRUE;
}

/**
 * stall_process_get_age:
 *
 * The kernel's clock of the process, so that loading the libraries counts.
 *
 * Returns: s since it began
 */
double
stall_process_get_age (void)
{
  g_autofree char *stat = NULL;
  g_autofree char *uptime = NULL;
  g_auto (GStrv) fields = NULL;

  if (!g_file_get_contents ("/proc/self/stat", &stat, NULL, NULL)
      || !g_file_get_contents ("/proc/uptime", &uptime, NULL, NULL))
    return NAN;
  /* The name of the program is in brackets and may hold blanks; the 20th field after it. */
  fields = g_strsplit (strrchr (stat, ')') + 2, " ", -1);
  return g_ascii_strtod (uptime, NULL) - g_ascii_strtod (fields[19], NULL) / sysconf (_SC_CLK_TCK);
}

static double
find_kib (const char *status,
          const char *name)
{
  const char *line = strstr (status, name);

  return line != NULL ? strtod (line + strlen (name), NULL) / 1024 : NAN;
}

/**
 * stall_process_get_memory:
 *
 * Returns: what is resident now
 */
StallMemory
stall_process_get_memory (void)
{
  char text[4096];

  if (!read_file ("/proc/self/status", text, sizeof text))
    return (StallMemory) { NAN, NAN };
  return (StallMemory) { find_kib (text, "VmRSS:"), find_kib (text, "RssAnon:") };
}

/**
 * stall_process_get_heap:
 *
 * Asks all of glibc's arenas, which takes their locks.
 *
 * Returns: what is held and what is free among it; NAN where the C library does not say so
 */
StallHeap
stall_process_get_heap (void)
{
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2 ();

  return (StallHeap) { (double) (info.uordblks + info.hblkhd) / (1 << 20),
                       (double) info.fordblks / (1 << 20) };
#else
  return (StallHeap) { NAN, NAN };
#endif
}

static StallTime
read_time (const char *path)
{
  char text[128];
  char *second;
  StallTime time = { NAN, NAN };

  if (!read_file (path, text, sizeof text))
    return time;
  time.computed = strtod (text, &second) * 1e-6;
  time.waited = strtod (second, NULL) * 1e-6;
  return time;
}

/**
 * stall_process_get_main_time:
 *
 * A stall in which the main thread neither computes nor waits for a lock or a disk is the
 * machine's: it was ready, and others had the processors.
 *
 * Thread: main.
 *
 * Returns: what this thread has computed and waited for a processor so far
 */
StallTime
stall_process_get_main_time (void)
{
  return read_time ("/proc/thread-self/schedstat");
}

static double
read_clock (clockid_t clock)
{
  struct timespec time;

  clock_gettime (clock, &time);
  return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
}

/**
 * stall_process_get_computed:
 *
 * Units: ms.
 *
 * Returns: what all threads of this process have computed so far
 */
double
stall_process_get_computed (void)
{
  return read_clock (CLOCK_PROCESS_CPUTIME_ID);
}

/**
 * stall_process_get_thread_time:
 *
 * Reads no file, so that it can be asked for several times in each frame.
 *
 * Units: ms.
 *
 * Returns: what the calling thread has computed so far
 */
double
stall_process_get_thread_time (void)
{
  return read_clock (CLOCK_THREAD_CPUTIME_ID);
}

/**
 * stall_process_get_busiest:
 *
 * Asks all threads but the main one; with one thread that computes it is the engine's.
 *
 * Returns: ms that the busiest of them has computed
 */
double
stall_process_get_busiest (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  double most = 0;
  const char *name;

  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL)
    {
      char path[64];
      StallTime time;

      if (atoi (name) == getpid ())
        continue;
      g_snprintf (path, sizeof path, "/proc/self/task/%s/schedstat", name);
      time = read_time (path);
      if (time.computed > most)
        most = time.computed;
    }
  return most;
}

static guint
count_entries (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (folder != NULL && g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

/**
 * stall_process_count_files:
 *
 * Returns: the number of open files
 */
guint
stall_process_count_files (void)
{
  return count_entries ("/proc/self/fd");
}

/**
 * stall_process_count_threads:
 *
 * Returns: the number of threads
 */
guint
stall_process_count_threads (void)
{
  return count_entries ("/proc/self/task");
}
