#include "config.h"

#include "batch/prism-batch-cost.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "device/prism-registry.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

/* The first one reads the program from the disk. */
#define TRIES 2

static double
to_seconds (const struct timeval *time)
{
  return (double) time->tv_sec + (double) time->tv_usec * 1e-6;
}

static void
end (GCancellable *cancellable,
     gpointer pid)
{
  kill (GPOINTER_TO_INT (pid), SIGKILL);
}

/* NAN where it cannot be started. What the run would teach of runs of its shape is kept in a cache
 * that goes with the folder. */
static double
time_run (const char *program,
          const char *folder,
          const char *config,
          GCancellable *cancellable)
{
  g_autofree char *output = g_build_filename (folder, "result", NULL);
  char *command[] = { (char *) program, "run", "--quiet", "--brief", "--config", (char *) config,
                      "--output", output, NULL };
  const GSpawnFlags flags = G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL
                            | G_SPAWN_STDERR_TO_DEV_NULL | G_SPAWN_SEARCH_PATH;
  g_auto (GStrv) environment
      = g_environ_setenv (g_get_environ (), "XDG_CACHE_HOME", folder, TRUE);
  struct rusage used;
  pid_t ended;
  GPid pid;
  int status;
  gulong id = 0;
  siginfo_t info;

  if (!g_spawn_async (NULL, command, environment, flags, prism_child_end_with_parent,
                      GINT_TO_POINTER (SIGKILL), &pid, NULL))
    return NAN;
  /* Its number stays its own until wait4() has it: nobody else is ended in its place. */
  if (cancellable != NULL)
    id = g_cancellable_connect (cancellable, G_CALLBACK (end), GINT_TO_POINTER (pid), NULL);
  while (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    ;
  g_cancellable_disconnect (cancellable, id);
  do
    ended = wait4 (pid, &status, 0, &used);
  while (ended < 0 && errno == EINTR);
  g_spawn_close_pid (pid);
  return ended == pid ? to_seconds (&used.ru_utime) + to_seconds (&used.ru_stime) : NAN;
}

/* A run that has nearly nothing to do. */
static PrismConfig *
dup_least (const PrismConfig *config)
{
  PrismConfig *least = prism_config_dup (config);

  least->tile = 0;
  least->samples = 1;
  least->pattern = PRISM_PATTERN_FERMAT;
  prism_config_train_always (least);
  least->start_steps = MIN (least->start_steps, 1);
  least->steps = least->passes = 1;
  least->polish = MIN (least->polish, 1);
  least->consistency = MIN (least->consistency, 1);
  least->tuning = FALSE;
  return least;
}

/**
 * prism_batch_cost_get_start:
 * @program: path of prism-cli
 * @config: of the runs
 * @cancellable: (nullable): ends the program as well
 *
 * Has the program do a run of this shape with a single measurement: what it takes then it takes for
 * each run beside its work. Other programs hardly change what that is of a processor. Takes
 * some tenths of a second, where runs are large much more.
 *
 * Units: seconds.
 *
 * Returns: the least that it took, 0 where it cannot be started or is ended
 */
double
prism_batch_cost_get_start (const char *program,
                            const PrismConfig *config,
                            GCancellable *cancellable)
{
  g_autoptr (PrismConfig) least = dup_least (config);
  g_autofree char *folder = g_dir_make_tmp ("prism-start-XXXXXX", NULL);
  g_autofree char *path = folder != NULL ? g_build_filename (folder, "run.prism", NULL) : NULL;
  double seconds = INFINITY;

  if (folder == NULL)
    return 0.0;
  for (guint i = 0; i < TRIES && !g_cancellable_is_cancelled (cancellable)
                    && prism_config_save (least, path, NULL, NULL);
       i++)
    seconds = fmin (seconds, time_run (program, folder, path, cancellable));
  prism_directory_remove (folder);
  return isfinite (seconds) && !g_cancellable_is_cancelled (cancellable) ? seconds : 0.0;
}

/* Of what is free: the rest is for what nobody foresaw. */
#define PERCENT_USED 85
#define KEEP_ANSWER 10 /* s that a device's answer is good for */
/* About what the driver takes on a GPU for a process, beside what its runs allocate. */
#define CONTEXT_BYTES (G_GUINT64_CONSTANT (512) << 20)

/* Opening a device takes a moment, and plans are looked at while they are written. */
static guint64
ask_device (const PrismBackendOps *ops)
{
  static GMutex lock;
  static const PrismBackendOps *asked;
  static gint64 time;
  static guint64 bytes;
  guint64 answer;

  g_mutex_lock (&lock);
  if (asked != ops || g_get_monotonic_time () - time > KEEP_ANSWER * G_USEC_PER_SEC)
    {
      bytes = prism_backend_check_memory (ops);
      asked = ops;
      time = g_get_monotonic_time ();
    }
  answer = bytes;
  g_mutex_unlock (&lock);
  return answer;
}

/**
 * prism_batch_space_count:
 * @need: of one run, and how many there are
 * @wanted: at a time; 0 = one for each processor
 *
 * Asks the machine, and the GPU where several are to share it, which may take a second.
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: how many runs there can be at a time, at least 1; 0 on errors
 */
guint
prism_batch_space_count (const PrismBatchNeed *need,
                         guint wanted,
                         GError **error)
{
  guint64 available = prism_available_get_memory ();
  guint64 n_fit = need->host > 0 ? available / 100 * PERCENT_USED / need->host : G_MAXUINT64;

  if (n_fit == 0 && available >= need->host)
    n_fit = 1;
  if (n_fit == 0)
    {
      g_autofree char *needed = g_format_size_full (need->host, G_FORMAT_SIZE_IEC_UNITS);
      g_autofree char *there = g_format_size_full (available, G_FORMAT_SIZE_IEC_UNITS);

      prism_error_memory (error,
                          _ ("Each run needs %s of memory and %s are available. Choose a smaller "
                             "image_size, object_size or tile, or fewer positions."),
                          needed, there);
      return 0;
    }
  if (wanted == 0)
    wanted = prism_available_get_processors ();
  if (wanted > 1 && prism_registry_is_gpu (need->backend))
    {
      /* Runs that fit on the GPU side by side, in one process. */
      const guint64 room
          = ask_device (prism_registry_find (need->backend)) / 100 * PERCENT_USED;
      const guint64 n_on_gpu
          = room > CONTEXT_BYTES ? (room - CONTEXT_BYTES) / MAX (need->device, 1) : 1;

      n_fit = MIN (n_fit, MAX (n_on_gpu, 1));
    }
  return (guint) MAX (MIN (MIN (wanted, n_fit), need->n_items), 1);
}

/**
 * prism_batch_space_share:
 * @n_jobs: how many runs at a time
 *
 * Returns: worker threads of each run, 0 where its configuration says
 */
guint
prism_batch_space_share (const PrismBatchNeed *need,
                         guint n_jobs)
{
  return need->threads == 0 ? MAX (prism_available_get_processors () / MAX (n_jobs, 1), 1) : 0;
}

/**
 * prism_batch_space_has_disk:
 * @need: of one run
 * @directory: where they write
 * @n_jobs: how many write at a time
 * @left: (out): bytes that are free
 *
 * Returns: whether what they leave has room there
 */
gboolean
prism_batch_space_has_disk (const PrismBatchNeed *need,
                            const char *directory,
                            guint n_jobs,
                            guint64 *left)
{
  struct statvfs space;

  *left = G_MAXUINT64;
  if (need->disk == 0 || statvfs (directory, &space) != 0)
    return TRUE;
  *left = (guint64) space.f_bavail * space.f_frsize;
  return *left >= need->disk * n_jobs;
}
