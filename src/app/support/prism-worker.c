#include "config.h"

#include "support/prism-worker.h"

#include "support/prism-job.h"

/* A job of 100 ms may begin again after as many times that: the rest of the time is the run's. */
#define REST_FACTOR 9

struct _PrismWorker
{
  GObject parent_instance;

  PrismWorkerFunc func;
  GDestroyNotify free_input;
  GDestroyNotify free_result;
  gint64 interval; /* µs between the beginnings of two jobs */
  gpointer input;  /* (nullable): waits for its job */
  gpointer result; /* (nullable) of the last job */
  gboolean busy;
  gboolean hurried; /* the input does not wait for the rest to end */
  gboolean dropped; /* what the job under way computes is not wanted any more */
  gint64 started;   /* monotonic time of the last job */
  gint64 not_before;
  guint timer;
};

/* One input and its worker, which lives as long. */
typedef struct
{
  PrismWorker *worker;
  gpointer input;
} Task;

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismWorker, prism_worker, G_TYPE_OBJECT)

static void start_job (PrismWorker *self);

static void
task_free (gpointer data)
{
  Task *task = data;

  task->worker->free_input (task->input);
  g_object_unref (task->worker);
  g_free (task);
}

static gpointer
compute (gpointer data,
         GError **error)
{
  Task *task = data;

  return task->worker->func (task->input);
}

static void
replace_result (PrismWorker *self,
                gpointer result)
{
  gpointer old = self->result;

  self->result = result;
  if (old != NULL)
    self->free_result (old);
}

static void
on_finished (gpointer data,
             gpointer result,
             const GError *error)
{
  Task *task = data;
  PrismWorker *self = task->worker;
  gint64 now = g_get_monotonic_time ();
  gboolean dropped = self->dropped;

  self->busy = FALSE;
  self->dropped = FALSE;
  self->not_before
      = self->started + MAX (self->interval, (now - self->started) * (1 + REST_FACTOR));
  if (self->interval == 0)
    self->not_before = 0;
  if (!dropped)
    replace_result (self, result);
  else if (result != NULL)
    self->free_result (result);
  start_job (self);
  if (!dropped)
    g_signal_emit (self, signals[CHANGED], 0);
}

static gboolean
on_timer (gpointer data)
{
  PrismWorker *self = data;

  self->timer = 0;
  start_job (self);
  return G_SOURCE_REMOVE;
}

static void
start_job (PrismWorker *self)
{
  const PrismJob job = { "compute", compute, on_finished, task_free, self->free_result };
  gint64 now = g_get_monotonic_time ();
  Task *task;

  if (self->busy || self->input == NULL || self->timer != 0)
    return;
  if (now < self->not_before && !self->hurried)
    {
      self->timer = g_timeout_add ((guint) ((self->not_before - now) / 1000) + 1, on_timer, self);
      return;
    }
  task = g_new0 (Task, 1);
  *task = (Task) { g_object_ref (self), g_steal_pointer (&self->input) };
  self->busy = TRUE;
  self->hurried = FALSE;
  self->started = now;
  prism_job_start (&job, task, NULL);
}

static void
prism_worker_finalize (GObject *object)
{
  PrismWorker *self = PRISM_WORKER (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->input != NULL)
    self->free_input (self->input);
  if (self->result != NULL)
    self->free_result (self->result);
  G_OBJECT_CLASS (prism_worker_parent_class)->finalize (object);
}

static void
prism_worker_class_init (PrismWorkerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = prism_worker_finalize;
  /* There is another result. */
  signals[CHANGED] = g_signal_new ("changed", PRISM_TYPE_WORKER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 0);
}

static void
prism_worker_init (PrismWorker *self)
{
}

/**
 * prism_worker_new:
 * @func: (scope forever): makes a result from an input, on another thread
 * @free_input: frees an input
 * @free_result: frees a result
 * @interval: shortest time between the beginnings of two jobs; 0 for no pause
 *
 * With an interval a job also rests nine times as long as it took, so that a slow one leaves the
 * processor to the run.
 *
 * Units: @interval in ms.
 * Thread: main, like everything here.
 *
 * Returns: (transfer full): a worker without a result
 */
PrismWorker *
prism_worker_new (PrismWorkerFunc func,
                  GDestroyNotify free_input,
                  GDestroyNotify free_result,
                  guint interval)
{
  PrismWorker *self = g_object_new (PRISM_TYPE_WORKER, NULL);

  self->func = func;
  self->free_input = free_input;
  self->free_result = free_result;
  self->interval = interval * (gint64) 1000;
  return self;
}

/**
 * prism_worker_submit:
 * @self: a worker
 * @input: (transfer full) (nullable): what to compute from; %NULL forgets result and inputs
 *
 * Asks for a result, which "changed" announces. An input that still waits is replaced.
 */
void
prism_worker_submit (PrismWorker *self,
                     gpointer input)
{
  if (self->input != NULL)
    self->free_input (self->input);
  self->input = input;
  self->hurried = FALSE;
  if (input != NULL)
    {
      start_job (self);
      return;
    }
  self->dropped = self->busy;
  if (self->result == NULL)
    return;
  replace_result (self, NULL);
  g_signal_emit (self, signals[CHANGED], 0);
}

/**
 * prism_worker_hurry:
 * @self: a worker
 *
 * Lets the input that waits have its job without a rest before it: nobody else needs the processor.
 */
void
prism_worker_hurry (PrismWorker *self)
{
  self->hurried = self->input != NULL;
  if (!self->hurried)
    return;
  g_clear_handle_id (&self->timer, g_source_remove);
  start_job (self);
}

/**
 * prism_worker_get_result:
 * @self: a worker
 *
 * Returns: (transfer none) (nullable): the result of the last job that finished
 */
gpointer
prism_worker_get_result (PrismWorker *self)
{
  return self->result;
}

/**
 * prism_worker_is_busy:
 * @self: a worker
 *
 * Returns: whether the result is not yet that of the newest input
 */
gboolean
prism_worker_is_busy (PrismWorker *self)
{
  return self->busy || self->input != NULL;
}
