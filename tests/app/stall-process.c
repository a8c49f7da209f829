#include "config.h"

#include "stall-process.h"

#include <fcntl.h>
#include <malloc.h>

#define BIN 0.05 /* ms */
#define N_BINS 40000

/* Begins without a value; all memory is taken now. */
void
stall_series_init (StallSeries *self)
{
  self->counts = g_new (guint32, N_BINS);
  stall_series_reset (self);
}

void
stall_series_clear (StallSeries *self)
{
  g_clear_pointer (&self->counts, g_free);
}

void
stall_series_reset (StallSeries *self)
{
  memset (self->counts, 0, N_BINS * sizeof *self->counts);
  self->n = self->n_stalls = 0;
  self->maximum = NAN;
}

void
stall_series_add (StallSeries *self,
                  double milliseconds)
{
  double bin = milliseconds / BIN;

  self->counts[(guint) CLAMP (bin, 0, N_BINS - 1)]++;
  self->n++;
  self->n_stalls += milliseconds > STALL_LIMIT;
  if (!(milliseconds <= self->maximum))
    self->maximum = milliseconds;
}

/* The value that this fraction does not exceed; NAN without values. */
double
stall_series_get_quantile (const StallSeries *self,
                           double fraction)
{
  guint64 wanted = (guint64) ceil (fraction * self->n), n = 0;

  for (guint i = 0; i + 1 < N_BINS; i++)
    {
      n += self->counts[i];
      if (n >= wanted && n > 0)
        return MIN ((i + 1) * BIN, self->maximum);
    }
  return self->maximum;
}

/* Prints a member of a JSON object; what is not finite is null. */
void
stall_series_print (const char *name,
                    double value)
{
  if (isfinite (value))
    printf ("  \"%s\": %.3f,\n", name, value);
  else
    printf ("  \"%s\": null,\n", name);
}

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

/* The kernel's clock of the process, so that loading the libraries counts. */
double
stall_process_get_age (void)
{
  g_autofree char *stat = NULL, *uptime = NULL;

  if (!g_file_get_contents ("/proc/self/stat", &stat, NULL, NULL)
      || !g_file_get_contents ("/proc/uptime", &uptime, NULL, NULL))
    return NAN;
  /* The name of the program is in brackets and may hold blanks; the 20th field after it. */
  g_auto (GStrv) fields = g_strsplit (strrchr (stat, ')') + 2, " ", -1);
  return g_ascii_strtod (uptime, NULL) - g_ascii_strtod (fields[19], NULL) / sysconf (_SC_CLK_TCK);
}

static double
find_kib (const char *status,
          const char *name)
{
  const char *line = strstr (status, name);

  return line != NULL ? strtod (line + strlen (name), NULL) / 1024 : NAN;
}

StallMemory
stall_process_get_memory (void)
{
  char text[4096];

  if (!read_file ("/proc/self/status", text, sizeof text))
    return (StallMemory) { NAN, NAN };
  return (StallMemory) { find_kib (text, "VmRSS:"), find_kib (text, "RssAnon:") };
}

/* Asks all of glibc's arenas, which takes their locks. */
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
  char text[128], *second;
  StallTime time = { NAN, NAN };

  if (!read_file (path, text, sizeof text))
    return time;
  time.computed = strtod (text, &second) * 1e-6;
  time.waited = strtod (second, NULL) * 1e-6;
  return time;
}

/* A stall in which the main thread neither computes nor waits for a lock or a disk is the
 * machine's: it was ready, and others had the processors. */
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

/* What all threads of this process have computed so far, in ms. */
double
stall_process_get_computed (void)
{
  return read_clock (CLOCK_PROCESS_CPUTIME_ID);
}

/* Reads no file, so that it can be asked for several times in each frame. */
double
stall_process_get_thread_time (void)
{
  return read_clock (CLOCK_THREAD_CPUTIME_ID);
}

/* Asks all threads but the main one; with one thread that computes it is the engine's. */
double
stall_process_get_busiest (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  double most = 0;
  const char *name;

  while (tasks != NULL && (name = g_dir_read_name (tasks)) != NULL)
    {
      char path[64];

      if (atoi (name) == getpid ())
        continue;
      g_snprintf (path, sizeof path, "/proc/self/task/%s/schedstat", name);
      StallTime time = read_time (path);
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

guint
stall_process_count_files (void)
{
  return count_entries ("/proc/self/fd");
}

guint
stall_process_count_threads (void)
{
  return count_entries ("/proc/self/task");
}
