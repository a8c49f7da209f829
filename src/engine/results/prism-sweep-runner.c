#include "config.h"

#include "results/prism-sweep-runner.h"

#include "base/prism-available.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "device/prism-backend-check.h"
#include "device/prism-registry.h"
#include "results/prism-sweep-table.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

/* About what the driver takes on a GPU for each process, beside what the run allocates. */
#define CONTEXT_BYTES (G_GUINT64_CONSTANT (512) << 20)

typedef struct
{
  PrismSweepRunner *runner;
  guint point;
  GSubprocess *process;
} Job;

struct _PrismSweepRunner
{
  PrismSweep *sweep; /* borrowed */
  char *directory;
  char *program;
  guint n_jobs;
  guint n_threads; /* of each run; 0 = as its configuration says */
  PrismSweepRunnerFunc func;
  gpointer data;

  guint next;
  guint n_over;
  gboolean stopping;
  GPtrArray *jobs; /* of Job, under way */
  GCancellable *cancellable;
};

static void
job_free (Job *job)
{
  g_clear_object (&job->process);
  g_free (job);
}

/* Runs that fit on the GPU side by side: none of them knows of the others. */
static guint64
count_on_gpu (PrismSweep *sweep)
{
  g_autofree char *reason = NULL;
  const PrismBackendOps *ops = prism_registry_choose (sweep->base->backend, &reason, NULL);

  if (ops == NULL || !prism_backend_can_be_lost (ops))
    return G_MAXUINT64;
  return MAX (prism_backend_check_memory (ops)
                  / (prism_sweep_get_device_bytes (sweep, ops) + CONTEXT_BYTES),
              1);
}

static guint
choose_n_jobs (PrismSweep *sweep,
               guint wanted,
               GError **error)
{
  guint64 available = prism_available_get_memory ();
  guint64 needed = prism_sweep_get_required_bytes (sweep);
  guint64 n_fit = available / needed;
  const PrismBackendOps *ops = prism_registry_guess (sweep->base->backend);
  gboolean one_device = ops == NULL || prism_backend_can_be_lost (ops);
  g_autofree char *needed_text = g_format_size_full (needed, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *available_text = g_format_size_full (available, G_FORMAT_SIZE_IEC_UNITS);

  if (n_fit == 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   _ ("A run of this sweep needs %s of memory and %s are available. Choose a"
                      " smaller image_size or object_size, or fewer samples."),
                   needed_text, available_text);
      return 0;
    }
  if (wanted == 0)
    wanted = one_device ? 1 : g_get_num_processors ();
  if (wanted > 1 && one_device)
    n_fit = MIN (n_fit, count_on_gpu (sweep));
  return (guint) MIN (MIN (wanted, n_fit), sweep->n_points);
}

/**
 * prism_sweep_runner_new:
 * @sweep: (transfer none): what to run; outlives the runner
 * @directory: where prism_sweep_save() has written it
 * @program: path of prism-cli
 * @n_jobs: how many runs at a time; 0 = as many as there are processors, one on a GPU
 * @func: called after each point
 * @data: for @func
 *
 * Prepares the runs; never more at a time than fit into the memory that is free now, and where
 * several are to share a GPU, into its memory. Then the GPU is asked, which may take a second.
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: (transfer full) (nullable): the runner
 */
PrismSweepRunner *
prism_sweep_runner_new (PrismSweep *sweep,
                        const char *directory,
                        const char *program,
                        guint n_jobs,
                        PrismSweepRunnerFunc func,
                        gpointer data,
                        GError **error)
{
  PrismSweepRunner *self;

  n_jobs = choose_n_jobs (sweep, n_jobs, error);
  if (n_jobs == 0)
    return NULL;
  self = g_new0 (PrismSweepRunner, 1);
  self->sweep = sweep;
  self->directory = g_strdup (directory);
  self->program = g_strdup (program);
  self->n_jobs = n_jobs;
  self->n_threads = sweep->base->threads == 0 ? MAX (g_get_num_processors () / n_jobs, 1) : 0;
  self->func = func;
  self->data = data;
  self->jobs = g_ptr_array_new ();
  self->cancellable = g_cancellable_new ();
  return self;
}

/**
 * prism_sweep_runner_free:
 * @self: (nullable): a runner
 *
 * Ends what is still running; what those runs have so far is not kept.
 */
void
prism_sweep_runner_free (PrismSweepRunner *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  for (guint i = 0; i < self->jobs->len; i++)
    {
      Job *job = g_ptr_array_index (self->jobs, i);

      g_subprocess_force_exit (job->process);
      job->runner = NULL;
    }
  g_ptr_array_unref (self->jobs);
  g_object_unref (self->cancellable);
  g_free (self->directory);
  g_free (self->program);
  g_free (self);
}

/* A run must not outlive whoever wants its result. */
static void
die_with_parent (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

static GSubprocess *
spawn (PrismSweepRunner *self,
       guint point,
       GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE
                                   | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autofree char *config = prism_sweep_dup_config_path (self->directory, point);
  g_autofree char *output = prism_sweep_dup_directory (self->directory, point);
  g_autofree char *threads = g_strdup_printf ("threads=%u", self->n_threads);
  const char *const arguments[] = { self->program, "run", "--quiet", "--config",
                                    config, "--output", output,
                                    self->n_threads > 0 ? "--set" : NULL, threads, NULL };

  g_subprocess_launcher_set_child_setup (launcher, die_with_parent, NULL, NULL);
  return g_subprocess_launcher_spawnv (launcher, arguments, error);
}

static void start_jobs (PrismSweepRunner *self);

static void
end_point (PrismSweepRunner *self,
           guint point,
           const char *message)
{
  g_autofree char *directory = prism_sweep_dup_directory (self->directory, point);
  g_autofree char *path = prism_file_dup_place (directory, PRISM_SWEEP_FAILURE_NAME);

  if (message != NULL && g_mkdir_with_parents (directory, 0777) == 0)
    prism_file_save (path, message, strlen (message), NULL);
  else if (message == NULL)
    g_unlink (path);
  self->n_over++;
  self->func (self, point, message, self->data);
}

/* The last line of what a program wrote to its standard error stream, or how it ended. */
static char *
dup_message (GSubprocess *process,
             const char *output)
{
  g_autofree char *text = g_strdup (output != NULL ? output : "");
  const char *line;

  g_strchomp (text);
  line = strrchr (text, '\n');
  line = line != NULL ? line + 1 : text;
  if (*line != '\0')
    return g_strdup (g_str_has_prefix (line, "prism-cli: ") ? line + strlen ("prism-cli: ") : line);
  if (g_subprocess_get_if_signaled (process))
    return g_strdup_printf (_ ("The run was ended by signal %d."),
                            g_subprocess_get_term_sig (process));
  return g_strdup_printf (_ ("The run ended with exit status %d and no message."),
                          g_subprocess_get_exit_status (process));
}

/* Whether somebody asked for its end, as a terminal asks all programs that it has started. */
static gboolean
was_stopped (GSubprocess *process)
{
  int number = g_subprocess_get_if_signaled (process)
                   ? g_subprocess_get_term_sig (process)
                   : g_subprocess_get_exit_status (process) - 128;

  return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

static void
finish_job (GObject *source,
            GAsyncResult *result,
            gpointer data)
{
  Job *job = data;
  GSubprocess *process = G_SUBPROCESS (source);
  g_autofree char *output = NULL, *message = NULL;
  PrismSweepRunner *self = job->runner;
  guint point = job->point;

  g_subprocess_communicate_utf8_finish (process, result, NULL, &output, NULL);
  if (self == NULL)
    {
      job_free (job);
      return;
    }
  g_ptr_array_remove_fast (self->jobs, job);
  job_free (job);
  if (!g_subprocess_get_successful (process))
    message = dup_message (process, output);
  if (message != NULL && (self->stopping || was_stopped (process)))
    {
      self->n_over++;
      self->func (self, point, _ ("Stopped."), self->data);
    }
  else
    end_point (self, point, message);
  start_jobs (self);
}

static void
start_job (PrismSweepRunner *self,
           guint point)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *process = spawn (self, point, &error);
  Job *job;

  if (process == NULL)
    {
      end_point (self, point, error->message);
      return;
    }
  job = g_new0 (Job, 1);
  job->runner = self;
  job->point = point;
  job->process = process;
  g_ptr_array_add (self->jobs, job);
  g_subprocess_communicate_utf8_async (process, NULL, self->cancellable, finish_job, job);
}

static void
start_jobs (PrismSweepRunner *self)
{
  while (!self->stopping && self->jobs->len < self->n_jobs && self->next < self->sweep->n_points)
    {
      guint point = self->next++;

      if (prism_sweep_table_is_finished (self->directory, point))
        end_point (self, point, NULL);
      else
        start_job (self, point);
    }
}

/**
 * prism_sweep_runner_start:
 *
 * Begins; the rest happens in the thread's main context.
 */
void
prism_sweep_runner_start (PrismSweepRunner *self)
{
  start_jobs (self);
}

/**
 * prism_sweep_runner_stop:
 *
 * Begins no more runs and ends those under way; they are run again when the sweep goes on.
 */
void
prism_sweep_runner_stop (PrismSweepRunner *self)
{
  self->stopping = TRUE;
  for (guint i = 0; i < self->jobs->len; i++)
    g_subprocess_send_signal (((Job *) g_ptr_array_index (self->jobs, i))->process, SIGTERM);
}

/**
 * prism_sweep_runner_is_over:
 *
 * Returns: whether nothing is under way and nothing will be
 */
gboolean
prism_sweep_runner_is_over (PrismSweepRunner *self)
{
  return self->jobs->len == 0 && (self->stopping || self->n_over == self->sweep->n_points);
}

/**
 * prism_sweep_runner_get_n_jobs:
 *
 * Returns: how many runs there are at a time
 */
guint
prism_sweep_runner_get_n_jobs (PrismSweepRunner *self)
{
  return self->n_jobs;
}

/**
 * prism_sweep_runner_get_n_threads:
 * @self: a runner
 *
 * Returns: worker threads of each run, 0 where its configuration says
 */
guint
prism_sweep_runner_get_n_threads (PrismSweepRunner *self)
{
  return self->n_threads;
}

/**
 * prism_sweep_runner_get_n_over:
 *
 * Returns: points that have a result or have failed
 */
guint
prism_sweep_runner_get_n_over (PrismSweepRunner *self)
{
  return self->n_over;
}
