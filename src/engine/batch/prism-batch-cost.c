#include "config.h"

#include "batch/prism-batch-cost.h"

#include "base/prism-child.h"
#include "base/prism-directory.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
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

/* Its number stays its own until wait4() has it: nobody else is ended in its place. */
static void
wait_or_end (GPid pid,
             GCancellable *cancellable)
{
  gulong id = 0;
  siginfo_t info;

  if (cancellable != NULL)
    id = g_cancellable_connect (cancellable, G_CALLBACK (end), GINT_TO_POINTER (pid), NULL);
  while (waitid (P_PID, (id_t) pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    ;
  g_cancellable_disconnect (cancellable, id);
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

  if (!g_spawn_async (NULL, command, environment, flags, prism_child_end_with_parent,
                      GINT_TO_POINTER (SIGKILL), &pid, NULL))
    return NAN;
  wait_or_end (pid, cancellable);
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
                    && prism_config_save (least, path, NULL);
       i++)
    seconds = fmin (seconds, time_run (program, folder, path, cancellable));
  prism_directory_remove (folder);
  return isfinite (seconds) && !g_cancellable_is_cancelled (cancellable) ? seconds : 0.0;
}
