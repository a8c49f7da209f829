#include "config.h"

#include "batch/prism-batch.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "device/prism-registry.h"

#include <gio/gio.h>
#include <signal.h>

/* One process of prism-cli that does several runs side by side, each in a thread and in streams
 * of its own: on a GPU processes of their own would take turns.
 *
 * Thread: that of the main context in which it was made. */

typedef struct _PrismBatchCrew
{
  PrismBatch *batch;
  GSubprocess *process;
  GDataInputStream *answers;
  GCancellable *cancellable;
} Crew;

/* After each run: how “prism-cli run” would have ended, and what it would have said last. */
static void finish_in_crew (PrismBatch *self, guint item, int status, const char *message);

/* The process is gone, and what it was at is lost. signal is 0 where it ended by itself. */
static void lose_crew (PrismBatch *self, int signal);

static void read_answer (Crew *self);

static void
note_end (GObject *source,
          GAsyncResult *result,
          gpointer data)
{
  GSubprocess *process = G_SUBPROCESS (source);
  Crew *self = data;
  g_autoptr (GError) error = NULL;

  /* Cancelled: the crew is freed. */
  if (!g_subprocess_wait_finish (process, result, &error))
    return;
  lose_crew (self->batch,
             g_subprocess_get_if_signaled (process) ? g_subprocess_get_term_sig (process)
                                                    : 0);
}

static void
take_answer (GObject *source,
             GAsyncResult *result,
             gpointer data)
{
  Crew *self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (source),
                                                                result, NULL, &error);
  g_autoptr (GVariant) answer = NULL;
  g_autofree char *message = NULL;
  guint32 item;
  gint32 status;

  /* Cancelled: the crew is freed. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  /* All answers come before the end. */
  if (line == NULL)
    {
      g_subprocess_wait_async (self->process, self->cancellable, note_end, self);
      return;
    }
  read_answer (self);
  answer = g_variant_parse (G_VARIANT_TYPE (PRISM_BATCH_ANSWER), line, NULL, NULL, NULL);
  if (answer == NULL)
    return;
  g_variant_get (answer, "(ui^ay)", &item, &status, &message);
  finish_in_crew (self->batch, item, status, message);
}

static void
read_answer (Crew *self)
{
  g_data_input_stream_read_line_async (self->answers, G_PRIORITY_DEFAULT, self->cancellable,
                                       take_answer, self);
}

/* Starts the process, which waits for its first run.
 *
 * Errors: G_SPAWN_ERROR. */
static Crew *
crew_new (const char *program,
          PrismBatch *batch,
          GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                   | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  GSubprocess *process;
  Crew *self;

  /* A crew that is gone must not take this program with it. */
  signal (SIGPIPE, SIG_IGN);
  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGKILL), NULL);
  process = g_subprocess_launcher_spawn (launcher, error, program, "crew", NULL);
  if (process == NULL)
    return NULL;
  self = g_new0 (Crew, 1);
  self->process = process;
  self->answers = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  self->cancellable = g_cancellable_new ();
  self->batch = batch;
  read_answer (self);
  return self;
}

/* Ends what it is at; nobody is told. */
static void
crew_free (Crew *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  g_subprocess_force_exit (self->process);
  g_object_unref (self->answers);
  g_object_unref (self->process);
  g_object_unref (self->cancellable);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Crew, crew_free)

/* As prism-cli ends when a file cannot be written, and when there is no memory. */
#define EXIT_FILE 3
#define EXIT_MEMORY 4
/* A run that somebody or something killed is tried once more, alone if need be. */
#define MAX_TRIES 2
#define DISK_INTERVAL 1000 /* ms between two looks at a full disk */

typedef struct
{
  PrismBatch *batch;
  guint item;
  guint n_jobs;         /* at a time, when it began */
  GSubprocess *process; /* (nullable): NULL where the crew does it */
} Job;

typedef struct
{
  PrismChildEnd end;
  guint n_jobs; /* at a time, when it began */
} Ending;

static void start_jobs (PrismBatch *self);

PRISM_FREE (Job, job_free, g_object_unref, process)

/**
 * prism_batch_new:
 * @runs: what to run; its texts are copied
 * @n_jobs: how many at a time; 0 = as many as there are processors
 * @func: called after each item
 * @data: for @func
 * @free_runs: (nullable): for the data of @runs
 *
 * Prepares the runs; never more at a time than fit into the memory that is free now, and where
 * several are to share a GPU, into its memory. Then the GPU is asked, which may take a second.
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: (transfer full) (nullable): a batch that waits for its start; NULL leaves the data of
 *   @runs with the caller
 */
PrismBatch *
prism_batch_new (const PrismBatchRuns *runs,
                 guint n_jobs,
                 PrismBatchFunc func,
                 gpointer data,
                 GDestroyNotify free_runs,
                 GError **error)
{
  const guint n = runs->need.n_items;
  PrismBatch *self;

  n_jobs = prism_batch_space_count (&runs->need, n_jobs, error);
  if (n_jobs == 0)
    return NULL;
  self = g_new0 (PrismBatch, 1);
  self->runs = *runs;
  self->runs.directory = g_strdup (runs->directory);
  self->runs.program = g_strdup (runs->program);
  self->runs.arguments = (const char *const *) g_strdupv ((char **) runs->arguments);
  self->n_jobs = n_jobs;
  self->func = func;
  self->data = data;
  self->free_runs = free_runs;
  self->n_tries = g_new0 (guint8, n + 1);
  self->begun = g_new0 (gint64, n + 1);
  self->took = g_new0 (double, n + 1);
  self->jobs = g_ptr_array_new ();
  self->cancellable = g_cancellable_new ();
  self->lock = -1;
  g_queue_init (&self->waiting);
  for (guint i = 0; i < n; i++)
    g_queue_push_tail (&self->waiting, GUINT_TO_POINTER (i));
  self->together = prism_registry_is_gpu (runs->need.backend);
  self->n_threads = prism_batch_space_share (&runs->need, n_jobs);
  return self;
}

/**
 * prism_batch_free:
 * @self: (nullable): a batch
 *
 * Ends what is still running; what those runs have so far is not kept.
 */
void
prism_batch_free (PrismBatch *self)
{
  if (self == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  PRISM_FOR_EACH_POINTER (Job, job, self->jobs)
    {
      job->batch = NULL;
      if (job->process != NULL)
        g_subprocess_force_exit (job->process);
      else
        job_free (job);
    }
  crew_free (self->crew);
  if (self->disk_source != 0)
    g_source_remove (self->disk_source);
  prism_directory_unlock (self->lock);
  if (self->free_runs != NULL)
    self->free_runs (self->runs.data);
  g_queue_clear (&self->waiting);
  g_ptr_array_unref (self->jobs);
  g_object_unref (self->cancellable);
  g_free (self->n_tries);
  g_free (self->begun);
  g_free (self->took);
  g_free ((char *) self->runs.directory);
  g_free ((char *) self->runs.program);
  g_strfreev ((char **) self->runs.arguments);
  g_free (self->notice);
  g_free (self);
}

static void
set_notice (PrismBatch *self,
            char *notice)
{
  g_free (self->notice);
  self->notice = notice;
  self->func (self, G_MAXUINT, notice, self->data);
}

static char *
dup_path (const PrismBatch *self,
          guint item,
          const char *ending)
{
  g_autofree char *name = g_strdup_printf (self->runs.stem, item);

  return g_strconcat (self->runs.directory, G_DIR_SEPARATOR_S, name, ending, NULL);
}

/* What went wrong stays beside the result. */
static void
end_item (PrismBatch *self,
          guint item,
          const char *message,
          gboolean stopped)
{
  g_autofree char *folder = dup_path (self, item, "");
  g_autofree char *path = prism_file_dup_place (folder, PRISM_BATCH_FAILURE_NAME);

  if (!stopped)
    self->n_over++;
  if (message != NULL && !stopped && g_mkdir_with_parents (folder, 0777) == 0)
    prism_file_save (path, message, strlen (message), NULL);
  else if (message == NULL)
    g_unlink (path);
  self->func (self, item, message, self->data);
}

static gboolean
look_at_disk (gpointer data)
{
  PrismBatch *self = data;
  guint64 left;

  if (!self->stopping
      && !prism_batch_space_has_disk (&self->runs.need, self->runs.directory, 1, &left))
    return G_SOURCE_CONTINUE;
  self->disk_source = 0;
  set_notice (self, NULL);
  start_jobs (self);
  return G_SOURCE_REMOVE;
}

/* Whether the disk is too full for one more run: then nothing begins until there is room. */
static gboolean
pause_for_disk (PrismBatch *self)
{
  g_autofree char *there = NULL;
  g_autofree char *needed = NULL;
  guint64 left;

  if (self->disk_source != 0)
    return TRUE;
  if (prism_batch_space_has_disk (&self->runs.need, self->runs.directory, self->jobs->len + 1,
                                  &left))
    return FALSE;
  /* Those under way may have written already. */
  if (self->jobs->len > 0)
    return TRUE;
  there = g_format_size_full (left, G_FORMAT_SIZE_IEC_UNITS);
  needed = g_format_size_full (self->runs.need.disk, G_FORMAT_SIZE_IEC_UNITS);
  self->disk_source = g_timeout_add (DISK_INTERVAL, look_at_disk, self);
  set_notice (self, g_strdup_printf (_ ("Paused: the disk has %s left and a run needs %s. Make"
                                        " room and it goes on by itself; what is finished is"
                                        " safe."),
                                     there, needed));
  return TRUE;
}

static void
halve (PrismBatch *self)
{
  self->n_jobs = self->n_jobs / 2;
  self->n_threads = prism_batch_space_share (&self->runs.need, self->n_jobs);
  set_notice (self, g_strdup_printf (_ ("There was too little memory: %u at a time now."),
                                     self->n_jobs));
}

/* Whether the item is to be taken again, and what changes for the others. */
static gboolean
take_again (PrismBatch *self,
            guint item,
            const Ending *ending)
{
  const gboolean memory = ending->end.status == EXIT_MEMORY || ending->end.signal == SIGKILL;
  guint64 left;

  if (ending->end.status == EXIT_FILE
      && !prism_batch_space_has_disk (&self->runs.need, self->runs.directory, 1, &left))
    return TRUE;
  /* Those that began before it was halved may have too little as well. */
  if (memory && ending->n_jobs > self->n_jobs)
    return TRUE;
  if (memory && self->n_jobs > 1)
    {
      halve (self);
      return TRUE;
    }
  return ending->end.signal != 0 && ++self->n_tries[item] < MAX_TRIES;
}

static double
get_seconds (const PrismBatch *self,
             guint item)
{
  return (double) (g_get_monotonic_time () - self->begun[item]) / G_TIME_SPAN_SECOND;
}

static void
conclude (PrismBatch *self,
          guint item,
          const Ending *ending,
          const char *output)
{
  if (ending->end.status == 0 && ending->end.signal == 0)
    {
      self->took[item] = get_seconds (self, item);
      end_item (self, item, NULL, FALSE);
    }
  else if (self->stopping || prism_child_was_asked (&ending->end))
    end_item (self, item, _ ("Stopped."), TRUE);
  else if (take_again (self, item, ending))
    g_queue_push_head (&self->waiting, GUINT_TO_POINTER (item));
  else
    {
      g_autofree char *message = prism_child_dup_message (&ending->end, output);
      end_item (self, item, message, FALSE);
    }
}

static void
finish_job (GObject *source,
            GAsyncResult *result,
            gpointer data)
{
  Job *job = data;
  GSubprocess *process = G_SUBPROCESS (source);
  g_autofree char *output = NULL;
  PrismBatch *self = job->batch;
  guint item = job->item;
  Ending ending;

  g_subprocess_communicate_utf8_finish (process, result, NULL, &output, NULL);
  /* The batch is freed, and the process may not have ended yet. */
  if (self == NULL)
    {
      job_free (job);
      return;
    }
  ending = (Ending) { prism_child_get_end (process), job->n_jobs };
  g_ptr_array_remove_fast (self->jobs, job);
  job_free (job);
  conclude (self, item, &ending, output);
  start_jobs (self);
}

/* The job that the crew has for an item, taken from those under way: as many at a time as there
 * were when it began, 0 where there is none. */
static guint
take_from_crew (PrismBatch *self,
                guint item)
{
  for (guint i = 0; i < self->jobs->len; i++)
    {
      Job *job = g_ptr_array_index (self->jobs, i);
      const guint n_jobs = job->n_jobs;

      if (job->item != item || job->process != NULL)
        continue;
      g_ptr_array_remove_index_fast (self->jobs, i);
      job_free (job);
      return n_jobs;
    }
  return 0;
}

static void
finish_in_crew (PrismBatch *self,
                guint item,
                int status,
                const char *message)
{
  const Ending ending = { { .status = status }, take_from_crew (self, item) };

  if (ending.n_jobs == 0)
    return;
  self->crew_answers = TRUE;
  conclude (self, item, &ending, message);
  start_jobs (self);
}

/* Which run ended a crew cannot be told: they begin again, half as many at a time, and where it was
 * not for want of memory one at a time, each a process of its own. A crew that did something and
 * then ended by itself has lost its device, which another gets again. */
static void
lose_crew (PrismBatch *self,
           int signal)
{
  const Ending ending = { .end.signal = signal };

  crew_free (g_steal_pointer (&self->crew));
  for (guint i = self->jobs->len; i-- > 0;)
    {
      Job *job = g_ptr_array_index (self->jobs, i);
      const guint item = job->item;

      if (job->process != NULL)
        continue;
      g_ptr_array_remove_index (self->jobs, i);
      job_free (job);
      if (self->stopping || prism_child_was_asked (&ending.end))
        end_item (self, item, _ ("Stopped."), TRUE);
      else
        g_queue_push_head (&self->waiting, GUINT_TO_POINTER (item));
    }
  if (signal == SIGKILL && self->n_jobs > 1)
    halve (self);
  else if ((signal != 0 || !self->crew_answers) && !self->stopping)
    {
      self->n_jobs = 1;
      self->n_threads = prism_batch_space_share (&self->runs.need, self->n_jobs);
    }
  start_jobs (self);
}

static Job *
add_job (PrismBatch *self,
         guint item)
{
  Job *job = g_new0 (Job, 1);

  job->batch = self;
  job->item = item;
  job->n_jobs = self->n_jobs;
  self->begun[item] = g_get_monotonic_time ();
  g_ptr_array_add (self->jobs, job);
  return job;
}

static gboolean
send_to_crew (PrismBatch *self,
              guint item,
              char **command,
              GError **error)
{
  g_autoptr (GVariant) order = NULL;
  g_autofree char *text = NULL, *line = NULL;

  if (self->crew == NULL)
    {
      self->crew = crew_new (command[0], self, error);
      self->crew_answers = FALSE;
    }
  if (self->crew == NULL)
    return FALSE;
  add_job (self, item);
  /* Begins a run beside those that are under way. Where the process is gone, its end tells. */
  order = g_variant_ref_sink (g_variant_new ("(u^aay)", (guint32) item, command));
  text = g_variant_print (order, TRUE);
  line = g_strconcat (text, "\n", NULL);
  g_output_stream_write_all (g_subprocess_get_stdin_pipe (self->crew->process), line,
                             strlen (line), NULL, NULL, NULL);
  return TRUE;
}

static gboolean
start_alone (PrismBatch *self,
             guint item,
             char **command,
             GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE
                                   | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  GSubprocess *process;
  Job *job;

  /* Not SIGTERM, by which a run writes what it has so far: somebody else may have begun the same
   * one again by then. */
  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGKILL), NULL);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) command, error);

  if (process == NULL)
    return FALSE;
  job = add_job (self, item);
  job->process = process;
  g_subprocess_communicate_utf8_async (process, NULL, self->cancellable, finish_job, job);
  return TRUE;
}

/* NULL without an error when it has its result already. */
static char **
dup_command (const PrismBatch *self,
             guint item,
             GError **error)
{
  const PrismBatchRuns *runs = &self->runs;
  g_autofree char *config = dup_path (self, item, ".prism"), *output = dup_path (self, item, "");
  g_autofree char *run = dup_path (self, item, ".prismrun");
  g_autofree char *threads = g_strdup_printf ("--set=threads=%u", self->n_threads);
  g_autoptr (GStrvBuilder) command = g_strv_builder_new ();

  if ((runs->prepare != NULL && !runs->prepare (item, runs->data, error))
      || runs->is_finished (item, runs->data))
    return NULL;
  g_strv_builder_add_many (command, runs->program, "run", "--quiet", "--config", config, "--output",
                           output, NULL);
  if (runs->arguments != NULL)
    g_strv_builder_addv (command, (const char **) runs->arguments);
  if (self->n_threads > 0)
    g_strv_builder_add (command, threads);
  /* What an earlier try has left there is begun again, to the same bits. */
  g_unlink (run);
  if (runs->keeps_runs)
    g_strv_builder_add_many (command, "--save", run, NULL);
  return g_strv_builder_end (command);
}

static gboolean
is_ready (const PrismBatch *self)
{
  const guint item = GPOINTER_TO_UINT (g_queue_peek_head ((GQueue *) &self->waiting));

  return self->runs.is_ready == NULL || self->runs.is_ready (item, self->runs.data);
}

static void
start_jobs (PrismBatch *self)
{
  while (!self->stopping && self->jobs->len < self->n_jobs && !g_queue_is_empty (&self->waiting)
         && is_ready (self) && !pause_for_disk (self))
    {
      const guint item = GPOINTER_TO_UINT (g_queue_pop_head (&self->waiting));
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) command = dup_command (self, item, &error);

      if (command != NULL
          && (self->together && self->n_jobs > 1 ? send_to_crew (self, item, command, &error)
                                                 : start_alone (self, item, command, &error)))
        self->func (self, G_MAXUINT, self->notice, self->data);
      else
        end_item (self, item, error != NULL ? error->message : NULL, FALSE);
    }
}

/**
 * prism_batch_start:
 *
 * Begins; the rest happens in the thread's main context. Until the batch is freed the directory is
 * its own.
 *
 * Errors: PRISM_ERROR_IO where another program's batch is at work there.
 *
 * Returns: whether it has begun
 */
gboolean
prism_batch_start (PrismBatch *self,
                   GError **error)
{
  if (!prism_directory_lock (self->runs.directory, &self->lock, error))
    return FALSE;
  start_jobs (self);
  return TRUE;
}

/**
 * prism_batch_go_on:
 * @self: a batch that has begun
 *
 * Looks again whether the next item is ready.
 */
void
prism_batch_go_on (PrismBatch *self)
{
  start_jobs (self);
}

/**
 * prism_batch_stop:
 *
 * Begins no more runs and ends those under way; they are run again when the batch goes on.
 */
void
prism_batch_stop (PrismBatch *self)
{
  /* A second signal would end a run before it has written what it has. */
  if (self->stopping)
    return;
  self->stopping = TRUE;
  if (self->crew != NULL)
    {
      /* Ends the runs under way as SIGTERM ends a run: each answers, then the process ends. */
      g_subprocess_send_signal (self->crew->process, SIGTERM);
    }
  PRISM_FOR_EACH_POINTER (Job, job, self->jobs)
    {
      if (job->process != NULL)
        g_subprocess_send_signal (job->process, SIGTERM);
    }
}

/**
 * prism_batch_is_over:
 *
 * Returns: whether nothing is under way and nothing will be
 */
gboolean
prism_batch_is_over (PrismBatch *self)
{
  return self->jobs->len == 0 && (self->stopping || g_queue_is_empty (&self->waiting));
}

/**
 * prism_batch_is_running:
 * @item: number of an item
 *
 * Returns: whether it is under way
 */
gboolean
prism_batch_is_running (PrismBatch *self,
                        guint item)
{
  PRISM_FOR_EACH_POINTER (const Job, job, self->jobs)
    if (job->item == item)
      return TRUE;
  return FALSE;
}

static double
get_cost (const double *costs,
          guint item)
{
  return costs != NULL ? costs[item] : 1.0;
}

/**
 * prism_batch_get_left:
 * @costs: (nullable): [n_items] what each run was foretold to take; NULL: all take the same
 *
 * Adds up what is to come, so many at a time. Runs that went well, and those that are late, say by
 * how much what was foretold is too short or too long here.
 *
 * Units: seconds.
 *
 * Returns: how long until the last run is over; NAN where nothing says so yet
 */
double
prism_batch_get_left (PrismBatch *self,
                      const double *costs)
{
  double told = 0.0, took = 0.0, sum = 0.0, longest = 0.0, factor;

  for (guint i = 0; i < self->runs.need.n_items; i++)
    if (self->took[i] > 0.0)
      {
        told += get_cost (costs, i);
        took += self->took[i];
      }
  factor = told > 0.0 ? took / told : costs != NULL ? 1.0
                                                    : (double) NAN;
  PRISM_FOR_EACH_POINTER (const Job, job, self->jobs)
    {
      const double cost = get_cost (costs, job->item), seconds = get_seconds (self, job->item);

      if (seconds > factor * cost)
        factor = (took += seconds) / (told += cost);
      longest = MAX (longest, factor * cost - seconds);
      sum += MAX (factor * cost - seconds, 0.0);
    }
  for (const GList *i = self->waiting.head; i != NULL; i = i->next)
    {
      const double cost = get_cost (costs, GPOINTER_TO_UINT (i->data));

      longest = MAX (longest, factor * cost);
      sum += factor * cost;
    }
  return MAX (sum / self->n_jobs, longest);
}

/**
 * prism_batch_dup_text:
 *
 * Returns: (transfer full): "4 at a time, 2.1 GiB each", translated
 */
char *
prism_batch_dup_text (PrismBatch *self)
{
  const PrismBatchNeed *need = &self->runs.need;
  guint64 bytes = self->together && need->device > 0 ? need->device : need->host;
  g_autofree char *each = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf (_ ("%u at a time, %s each"), self->n_jobs, each);
}
