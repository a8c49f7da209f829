#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "batch/prism-batch.h"
#include "config/prism-device-list.h"
#include "device/prism-registry.h"
#include "prism-cli-engine.h"
#include "prism-cli-measurements.h"
#include "prism-cli-run-file.h"
#include "prism-cli.h"
#include "results/prism-export.h"

#include <poll.h>

#define SIGNAL_INTERVAL 50  /* ms between two looks for a signal */
#define QUIET_INTERVAL 5000 /* ms between two snapshots, at which nobody looks */

/* Several runs in one process, each in a thread of its own; see prism-batch. */

/* What “prism-cli run” is told that belongs to a batch. */
typedef struct
{
  guint item;
  char **command;
  PrismCliOptions options;
  PrismCliRunFile file;
  char *measurements; /* (nullable): recorded frames */
  PrismCliRecordingOptions reading;
  char *directory;
  gboolean brief;
  gboolean beside; /* others ran when it began */
  int number;      /* of those that have begun, with it */
} Order;

static int n_running;      /* atomic */
static int n_begun;        /* atomic */
static int is_lost;        /* atomic: a device; nobody begins here any more */
static GMutex answer_lock; /* of standard output */

static gboolean
read_command (Order *self,
              GError **error)
{
  gboolean quiet = FALSE;
  const PrismCliOption entries[] = {
    PRISM_CLI_OUTPUT_ENTRY (&self->directory, ""),
    { "brief", 0, PRISM_CLI_SWITCH, &self->brief, "" },
    { "save", 0, PRISM_CLI_OUTPUT, &self->file.save, "", "FILE" },
    PRISM_CLI_MEASUREMENTS_ENTRIES (&self->measurements, &self->reading),
    { "quiet", 'q', PRISM_CLI_SWITCH, &quiet, "" },
    { NULL },
  };
  /* The program's name goes before “run”; parsing moves the pointers of a copy. */
  int argc = (int) g_strv_length (self->command) - 1;
  g_autofree char **words = g_memdup2 (self->command + 1, (argc + 1) * sizeof *words);
  char **argv = words;

  return prism_cli_parse (entries, &self->options, &argc, &argv, error);
}

/* crowded: whether it was ended because it lacks room. */
static PrismSnapshot *
wait_for_end (const Order *self,
              PrismEngine *engine,
              gboolean *crowded)
{
  gboolean stopping = FALSE;

  *crowded = FALSE;

  for (;;)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_engine_wait (engine, SIGNAL_INTERVAL);
      const gboolean unsaved = snapshot != NULL && snapshot->state == PRISM_STATE_PAUSED;

      if (!stopping)
        {
          /* Beside others the device may have too little memory that alone has enough, also where
           * the others have ended since. */
          *crowded = snapshot != NULL && snapshot->fallback == PRISM_ERROR_MEMORY
                     && (self->beside || g_atomic_int_get (&n_begun) > self->number);
          stopping = *crowded || unsaved || prism_cli_engine_get_signal () != 0;
          if (stopping)
            prism_engine_stop (engine);
        }
      if (snapshot != NULL && (prism_cli_engine_is_over (snapshot->state) || unsaved))
        return g_steal_pointer (&snapshot);
    }
}

/* What became of a run, as an error; NULL where its result is worth keeping. */
static GError *
get_failure (const PrismSnapshot *snapshot,
             gboolean crowded)
{
  if (snapshot->error >= 0)
    return g_error_new_literal (PRISM_ERROR, snapshot->error, snapshot->message);
  if (crowded)
    return g_error_new_literal (PRISM_ERROR, PRISM_ERROR_MEMORY,
                                "The GPU has too little memory for so many runs at a time.");
  return NULL;
}

static PrismConfig *
load_config (Order *self,
             GError **error)
{
  const PrismCliOptions *asked = &self->options;
  g_autoptr (PrismConfig) config = NULL;

  if (self->measurements == NULL)
    return prism_cli_run_file_load (&self->file, asked, error);
  config = prism_cli_options_load_for (asked, PRISM_FRAMES_RECORDED, error);
  if (config == NULL
      || !prism_cli_measurements_load (&self->file, self->measurements, &self->reading, config,
                                       FALSE, TRUE, error))
    return NULL;
  return g_steal_pointer (&config);
}

static gboolean
reconstruct (Order *self,
             GError **error)
{
  g_autoptr (PrismConfig) config = load_config (self, error);
  g_autoptr (PrismEngine) engine = NULL;
  g_autoptr (PrismSnapshot) snapshot = NULL;
  gboolean crowded;
  GError *failure;

  if (config == NULL || !prism_cli_claim_folder (self->directory, error))
    return FALSE;
  engine = prism_engine_new (NULL, NULL, error);
  if (engine == NULL)
    return FALSE;
  if (self->file.save != NULL)
    prism_engine_set_run_file (engine, self->file.save);
  if (!prism_engine_configure_scene (engine, config, self->file.scene, error))
    return FALSE;
  prism_engine_set_interval (engine, QUIET_INTERVAL);
  prism_engine_run (engine);
  snapshot = wait_for_end (self, engine, &crowded);
  failure = get_failure (snapshot, crowded);
  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  snapshot = prism_engine_write (engine, self->directory, self->brief, g_steal_pointer (&snapshot),
                                 error);
  if (snapshot == NULL)
    return FALSE;
  /* The run file is whole when the engine has gone. */
  g_clear_pointer (&engine, prism_engine_free);
  return prism_snapshot_is_recorded (snapshot)
         || prism_export_save (snapshot, self->directory, self->brief, error);
}

static void
answer (guint item,
        int status,
        const char *message)
{
  g_autoptr (GVariant) answer
      = g_variant_ref_sink (g_variant_new ("(ui^ay)", (guint32) item, (gint32) status, message));
  g_autofree char *line = g_variant_print (answer, TRUE);

  g_mutex_lock (&answer_lock);
  printf ("%s\n", line);
  fflush (stdout);
  g_mutex_unlock (&answer_lock);
}

static gpointer
do_task (gpointer data)
{
  Order *order = data;
  g_autoptr (GError) error = NULL;
  gboolean ok = read_command (order, &error) && reconstruct (order, &error);
  int status = prism_cli_exit_from_error (error);

  if (ok && prism_cli_engine_get_signal () != 0)
    status = 128 + prism_cli_engine_get_signal ();
  prism_cli_run_file_clear (&order->file);
  for (int i = PRISM_BACKEND_FIRST_MODULE; i < PRISM_DEVICE_LIST_LENGTH; i++)
    {
      const PrismBackendOps *ops = prism_registry_get_ops (prism_device_list[i].name);

      if (ops != NULL && ops->get_loss != NULL && ops->get_loss () != NULL)
        g_atomic_int_set (&is_lost, TRUE);
    }
  g_atomic_int_add (&n_running, -1);
  answer (order->item, status, error != NULL ? error->message : "");
  g_strfreev (order->command);
  g_free (order);
  return NULL;
}

static GThread *
begin_task (const char *line)
{
  g_autoptr (GVariant) told
      = g_variant_parse (G_VARIANT_TYPE (PRISM_BATCH_ORDER), line, NULL, NULL, NULL);
  Order *self = g_new0 (Order, 1);

  if (told != NULL)
    g_variant_get (told, "(u^aay)", &self->item, &self->command);
  if (told == NULL || g_strv_length (self->command) < 2)
    {
      g_strfreev (self->command);
      g_free (self);
      return NULL;
    }
  self->beside = g_atomic_int_add (&n_running, 1) > 0;
  self->number = g_atomic_int_add (&n_begun, 1) + 1;
  return g_thread_new ("run", do_task, self);
}

/* Adds what has come on standard input; FALSE when nothing will come any more, or nothing more is
 * to be begun. */
static gboolean
read_orders (GString *orders)
{
  struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
  char bytes[4096];
  ssize_t n;

  while (prism_cli_engine_get_signal () == 0 && !g_atomic_int_get (&is_lost))
    {
      if (poll (&input, 1, SIGNAL_INTERVAL) <= 0)
        continue;
      n = read (STDIN_FILENO, bytes, sizeof bytes);
      if (n > 0)
        g_string_append_len (orders, bytes, n);
      if (n >= 0 || errno != EINTR)
        return n > 0;
    }
  return FALSE;
}

/**
 * prism_cli_worker:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli crew: does the runs that it is told on standard input, see prism-batch.h. It
 * is the program's own, and in no list of commands. After a signal, or when a device was lost,
 * which a process cannot have again, it takes no more orders and ends after the last run.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_worker (int argc,
                  char **argv,
                  GError **error)
{
  g_autoptr (GString) orders = g_string_new (NULL);
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();

  prism_cli_engine_catch_signals ();
  while (read_orders (orders))
    {
      char *end;

      /* Begins what is whole in it. */
      while ((end = strchr (orders->str, '\n')) != NULL)
        {
          GThread *thread;

          *end = '\0';
          /* What nobody answers is done by another crew. */
          thread = g_atomic_int_get (&is_lost) ? NULL : begin_task (orders->str);
          if (thread != NULL)
            g_ptr_array_add (threads, thread);
          g_string_erase (orders, 0, end + 1 - orders->str);
        }
    }
  PRISM_FOR_EACH_POINTER (GThread, thread, threads)
    g_thread_join (thread);
  return PRISM_EXIT_OK;
}
