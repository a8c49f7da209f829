#include "config.h"

#include "batch/prism-crew.h"

#include "base/prism-child.h"
#include "batch/prism-crew-line.h"

#include <signal.h>
#include <string.h>

struct _PrismCrew
{
  GSubprocess *process;
  GDataInputStream *answers;
  GCancellable *cancellable;
  PrismCrewFuncs funcs;
  gpointer data;
};

static void read_answer (PrismCrew *self);

static void
note_end (GObject *source,
          GAsyncResult *result,
          gpointer data)
{
  GSubprocess *process = G_SUBPROCESS (source);
  PrismCrew *self = data;
  g_autoptr (GError) error = NULL;

  /* Cancelled: the crew is freed. */
  if (!g_subprocess_wait_finish (process, result, &error))
    return;
  self->funcs.gone (self,
                    g_subprocess_get_if_signaled (process) ? g_subprocess_get_term_sig (process)
                                                           : 0,
                    self->data);
}

static void
take_answer (GObject *source,
             GAsyncResult *result,
             gpointer data)
{
  PrismCrew *self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (source),
                                                                result, NULL, &error);
  g_autofree char *message = NULL;
  guint item;
  int status;

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
  if (prism_crew_line_read_answer (line, &item, &status, &message))
    self->funcs.over (self, item, status, message, self->data);
}

static void
read_answer (PrismCrew *self)
{
  g_data_input_stream_read_line_async (self->answers, G_PRIORITY_DEFAULT, self->cancellable,
                                       take_answer, self);
}

/**
 * prism_crew_new:
 * @program: path of prism-cli
 * @funcs: whom to tell
 * @data: for @funcs
 *
 * Starts the process, which waits for its first run.
 *
 * Errors: G_SPAWN_ERROR.
 *
 * Returns: (transfer full) (nullable): the crew
 */
PrismCrew *
prism_crew_new (const char *program,
                const PrismCrewFuncs *funcs,
                gpointer data,
                GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                   | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  GSubprocess *process;
  PrismCrew *self;

  /* A crew that is gone must not take this program with it. */
  signal (SIGPIPE, SIG_IGN);
  g_subprocess_launcher_set_child_setup (launcher, prism_child_end_with_parent,
                                         GINT_TO_POINTER (SIGKILL), NULL);
  process = g_subprocess_launcher_spawn (launcher, error, program, "crew", NULL);
  if (process == NULL)
    return NULL;
  self = g_new0 (PrismCrew, 1);
  self->process = process;
  self->answers = g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));
  self->cancellable = g_cancellable_new ();
  self->funcs = *funcs;
  self->data = data;
  read_answer (self);
  return self;
}

/**
 * prism_crew_free:
 * @self: (nullable): a crew
 *
 * Ends what it is at; nobody is told.
 */
void
prism_crew_free (PrismCrew *self)
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

/**
 * prism_crew_send:
 * @item: number of a run
 * @command: “prism-cli”, “run” and its options
 *
 * Begins a run beside those that are under way. Where the process is gone, its end tells.
 */
void
prism_crew_send (PrismCrew *self,
                 guint item,
                 char **command)
{
  g_autofree char *order = prism_crew_line_dup_order (item, command);
  g_autofree char *line = g_strconcat (order, "\n", NULL);

  g_output_stream_write_all (g_subprocess_get_stdin_pipe (self->process), line, strlen (line),
                             NULL, NULL, NULL);
}

/**
 * prism_crew_stop:
 *
 * Ends the runs under way as SIGTERM ends a run: each answers, then the process ends.
 */
void
prism_crew_stop (PrismCrew *self)
{
  g_subprocess_send_signal (self->process, SIGTERM);
}
