#include "config.h"

#include "support/prism-job.h"

typedef struct
{
  PrismJob job;
  gpointer owner;
  gpointer data;
} Task;

/* Who waits until nothing is written any more. */
typedef struct
{
  void (*func) (gpointer owner,
                const GError *error);
  gpointer owner;
} Waiter;

/* Thread: main. */
static guint n_writing; /* jobs */
static GError *failure; /* (nullable): of one that wrote since there was none */
static GSList *waiters; /* of Waiter */

static void
end_writing (const GError *error)
{
  if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && failure == NULL)
    failure = g_error_copy (error);
  n_writing--;
  while (n_writing == 0 && waiters != NULL)
    {
      Waiter *waiter = waiters->data;

      waiters = g_slist_delete_link (waiters, waiters);
      waiter->func (waiter->owner, failure);
      g_object_unref (waiter->owner);
      g_free (waiter);
    }
}

/**
 * prism_job_wait_for_files:
 * @func: (scope async): called once no job writes a file any more
 * @owner: for @func, held until then
 *
 * What has no file half-written need not wait. A job that was cancelled has not failed.
 *
 * Thread: main.
 *
 * Returns: whether a file is being written; if not, @func is not called
 */
gboolean
prism_job_wait_for_files (gpointer func,
                          gpointer owner)
{
  if (n_writing > 0)
    waiters = g_slist_append (waiters, PRISM_NEW (Waiter, func, g_object_ref (owner)));
  return n_writing > 0;
}

/* Other thread. */
static void
run (GTask *async,
     gpointer source,
     gpointer data,
     GCancellable *cancellable)
{
  Task *task = data;
  GError *error = NULL;
  gpointer result;

  if (cancellable != NULL)
    g_cancellable_push_current (cancellable);
  result = ((gpointer (*) (gpointer, GError **)) task->job.run) (task->data, &error);
  if (cancellable != NULL)
    g_cancellable_pop_current (cancellable);
  if (error != NULL)
    g_task_return_error (async, error);
  else
    g_task_return_pointer (async, result, (GDestroyNotify) task->job.free_result);
}

/* The data go here and not with the task, whose last reference may be the other thread's: they hold
 * widgets. */
static void
on_done (GObject *source,
         GAsyncResult *async,
         gpointer data)
{
  Task *task = g_task_get_task_data (G_TASK (async));
  g_autoptr (GError) error = NULL;
  gpointer result = g_task_propagate_pointer (G_TASK (async), &error);

  if (task->job.done != NULL)
    ((void (*) (gpointer, gpointer, gpointer, const GError *)) task->job.done) (
        task->owner, task->data, result, error);
  else if (result != NULL && task->job.free_result != NULL)
    ((GDestroyNotify) task->job.free_result) (result);
  if (task->job.free_data != NULL)
    ((GDestroyNotify) task->job.free_data) (task->data);
  g_clear_object (&task->owner);
  if (task->job.writes)
    end_writing (error);
}

/**
 * prism_job_start:
 * @self: what kind of job it is
 * @owner: (nullable): the object that asks, which is held until the end
 * @data: (transfer full) (nullable): what it works on
 * @cancellable: (nullable): once cancelled, the job ends with G_IO_ERROR_CANCELLED and its result
 *   is dropped; the other thread's current one
 *
 * Begins a job, or lets it wait for a thread. The main loop hears of its end and frees @data then,
 * never before this function has returned.
 *
 * Thread: main.
 */
void
prism_job_start (const PrismJob *self,
                 gpointer owner,
                 gpointer data,
                 GCancellable *cancellable)
{
  g_autoptr (GTask) async = g_task_new (NULL, cancellable, on_done, NULL);
  Task *task;

  if (self->writes && n_writing++ == 0)
    g_clear_error (&failure);
  task = PRISM_NEW (Task, *self, owner != NULL ? g_object_ref (owner) : NULL, data);
  g_task_set_name (async, self->name);
  g_task_set_task_data (async, task, g_free);
  g_task_run_in_thread (async, run);
}

#define NEWEST "prism-question" /* the one that a widget waits for */

typedef struct
{
  const PrismQuestion *kind;
  GtkWidget *widget;
  gpointer data;
  GCancellable *cancellable;
  guint source; /* while it waits */
} Asked;

static void
asked_free (gpointer data)
{
  Asked *self = data;

  if (g_object_get_data (G_OBJECT (self->widget), NEWEST) == self)
    g_object_set_data (G_OBJECT (self->widget), NEWEST, NULL);
  ((GDestroyNotify) self->kind->free_data) (self->data);
  g_object_unref (self->cancellable);
  g_object_unref (self->widget);
  g_free (self);
}

/* Other thread. */
static gpointer
answer (gpointer data,
        GError **error)
{
  Asked *self = data;
  char *text = NULL;

  if (!g_cancellable_is_cancelled (self->cancellable))
    text = ((char *(*) (gpointer, GCancellable *) ) self->kind->answer) (self->data,
                                                                         self->cancellable);
  if (text == NULL)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no answer");
  return text;
}

static void
show (gpointer owner,
      gpointer data,
      gpointer result,
      const GError *error)
{
  Asked *self = data;
  g_autofree char *text = result;

  if (g_object_get_data (G_OBJECT (self->widget), NEWEST) == self)
    ((void (*) (GtkWidget *, gpointer, const char *)) self->kind->show) (self->widget, self->data,
                                                                         text);
}

static gboolean
start (gpointer data)
{
  Asked *self = data;
  const PrismJob job = { self->kind->name, answer, show, asked_free, g_free };

  self->source = 0;
  /* Of a window that is gone nobody wants to know. */
  if (gtk_widget_get_root (self->widget) != NULL)
    prism_job_start (&job, NULL, self, NULL);
  else
    asked_free (self);
  return G_SOURCE_REMOVE;
}

/**
 * prism_question_forget:
 * @widget: where something was to be shown
 *
 * What it waits for is not wanted any more.
 *
 * Thread: main.
 */
void
prism_question_forget (GtkWidget *widget)
{
  Asked *before = g_object_get_data (G_OBJECT (widget), NEWEST);

  if (before == NULL)
    return;
  g_cancellable_cancel (before->cancellable);
  g_object_set_data (G_OBJECT (widget), NEWEST, NULL);
  if (before->source == 0)
    return;
  g_source_remove (before->source);
  asked_free (before);
}

/**
 * prism_question_ask:
 * @self: what kind of question it is; static
 * @widget: where the answer is shown
 * @data: (transfer full): what is asked
 * @delay: ms; what is asked of @widget before they are over takes its place
 *
 * Answers on another thread and shows it, unless @widget was asked something else meanwhile or has
 * left its window before the answer was begun.
 *
 * Thread: main.
 */
void
prism_question_ask (const PrismQuestion *self,
                    GtkWidget *widget,
                    gpointer data,
                    guint delay)
{
  Asked *asked;

  prism_question_forget (widget);
  asked = PRISM_NEW (Asked, self, g_object_ref (widget), data, g_cancellable_new ());
  g_object_set_data (G_OBJECT (widget), NEWEST, asked);
  asked->source = g_timeout_add (delay, start, asked);
}

/* A job of 100 ms may begin again after as many times that: the rest of the time is the run's. */
#define REST_FACTOR 9

G_DEFINE_FINAL_TYPE (PrismWorker, prism_worker, G_TYPE_OBJECT)

static void start_job (PrismWorker *self);

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
on_finished (PrismWorker *self,
             gpointer input,
             gpointer result,
             const GError *error)
{
  gint64 now = g_get_monotonic_time ();
  gboolean dropped = self->dropped;

  self->busy = FALSE;
  self->dropped = FALSE;
  self->not_before
      = self->started + MAX (self->interval, (now - self->started) * (1 + REST_FACTOR));
  if (self->interval == 0 || dropped)
    self->not_before = 0;
  if (!dropped)
    replace_result (self, result);
  else if (result != NULL)
    self->free_result (result);
  start_job (self);
  if (!dropped)
    g_signal_emit_by_name (self, "changed");
}

static void
start_job (PrismWorker *self)
{
  const PrismJob job
      = { "compute", self->func, on_finished, self->free_input, self->free_result };
  gint64 now = g_get_monotonic_time ();

  if (self->busy || self->input == NULL || self->timer != 0)
    return;
  if (now < self->not_before && !self->hurried)
    {
      prism_later (&self->timer, (guint) ((self->not_before - now) / 1000) + 1, start_job, self);
      return;
    }
  self->busy = TRUE;
  self->hurried = FALSE;
  self->started = now;
  prism_job_start (&job, self, g_steal_pointer (&self->input), NULL);
}

static void
prism_worker_finalize (PrismWorker *self)
{
  if (self->input != NULL)
    self->free_input (self->input);
  if (self->result != NULL)
    self->free_result (self->result);
}

static void
prism_worker_class_init (PrismWorkerClass *klass)
{
  PRISM_ON_FINALIZE (klass, prism_worker_finalize);
  PRISM_FINALIZE (klass, PrismWorker, g_source_remove, timer);
  /* There is another result. */
  prism_signal_new (klass, "changed", 0);
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
prism_worker_new (gpointer func,
                  gpointer free_input,
                  gpointer free_result,
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
 * Asks for a result, which "changed" announces. An input that still waits is replaced. What comes
 * after %NULL is another matter, and waits for no rest from the one before.
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
  self->not_before = 0;
  g_clear_handle_id (&self->timer, g_source_remove);
  if (self->result == NULL)
    return;
  replace_result (self, NULL);
  g_signal_emit_by_name (self, "changed");
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

struct _PrismThrottle
{
  gint64 interval; /* µs */
  gint64 phase;    /* µs */
  void (*func) (gpointer data);
  gpointer data;
  gint64 called_in; /* the interval of the last call, counted from the phase; -1 before */
  guint source;     /* 0 when no call waits */
};

/**
 * prism_throttle_new:
 * @interval: ms, in each of which there is one call at most that is not asked for at once
 * @phase: ms by which the intervals begin later than those of phase 0
 * @func: (scope notified): called in the default main loop
 * @data: for @func
 *
 * Prepares throttled calls. Those of equal interval and phase come in the same moments, so that
 * what they show is of one moment, too; other phases keep calls that take long apart.
 *
 * Thread: main.
 *
 * Returns: (transfer full): the throttle
 */
PrismThrottle *
prism_throttle_new (guint interval,
                    guint phase,
                    gpointer func,
                    gpointer data)
{

  return PRISM_NEW (PrismThrottle, interval * 1000, phase * 1000, func, data, -1);
}

/**
 * prism_throttle_free:
 * @self: (nullable): a throttle
 *
 * Frees it; a call that waits does not come.
 *
 * Thread: main.
 */
void
prism_throttle_free (PrismThrottle *self)
{
  if (self == NULL)
    return;
  g_clear_handle_id (&self->source, g_source_remove);
  g_free (self);
}

static gint64
get_time (PrismThrottle *self)
{
  return g_get_monotonic_time () - self->phase;
}

static void
call (PrismThrottle *self)
{
  self->called_in = get_time (self) / self->interval;
  self->func (self->data);
}

/**
 * prism_throttle_call:
 * @self: a throttle
 * @at_once: whether it cannot wait
 *
 * Calls the function, now if it can be and otherwise once later, however often it is asked for.
 *
 * Thread: main.
 */
void
prism_throttle_call (PrismThrottle *self,
                     gboolean at_once)
{
  gint64 now = get_time (self);

  if (at_once || now / self->interval != self->called_in)
    {
      g_clear_handle_id (&self->source, g_source_remove);
      call (self);
    }
  else if (self->source == 0)
    prism_later (&self->source, (guint) (self->interval - now % self->interval) / 1000 + 1, call,
                 self);
}

struct _PrismWakeUp
{
  GSource *source;
  void (*func) (gpointer data);
  gpointer data;
};

static gboolean
dispatch (GSource *source,
          GSourceFunc callback,
          gpointer data)
{
  PrismWakeUp *self = data;

  g_source_set_ready_time (source, -1);
  self->func (self->data);
  return G_SOURCE_CONTINUE;
}

static gboolean
do_nothing (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/**
 * prism_wake_up_new:
 * @func: (scope notified): called in the default main loop
 * @data: for @func
 *
 * Prepares waking the main loop.
 *
 * Thread: main.
 *
 * Returns: (transfer full): the means
 */
PrismWakeUp *
prism_wake_up_new (gpointer func,
                   gpointer data)
{
  static GSourceFuncs funcs = { .dispatch = dispatch };
  PrismWakeUp *self = PRISM_NEW (PrismWakeUp, g_source_new (&funcs, sizeof (GSource)), func, data);
  g_source_set_static_name (self->source, "wake-up");
  g_source_set_callback (self->source, do_nothing, self, NULL);
  g_source_attach (self->source, NULL);
  return self;
}

/**
 * prism_wake_up_free:
 * @self: (nullable): one that nobody triggers any more
 *
 * Frees it; a call that was on its way does not come.
 *
 * Thread: main.
 */
void
prism_wake_up_free (PrismWakeUp *self)
{
  if (self == NULL)
    return;
  g_source_destroy (self->source);
  g_source_unref (self->source);
  g_free (self);
}

/**
 * prism_wake_up_trigger:
 * @self: a wake-up
 *
 * Has the function called once, soon; further triggers before that change nothing.
 *
 * Thread: any.
 */
void
prism_wake_up_trigger (PrismWakeUp *self)
{
  g_source_set_ready_time (self->source, 0);
}
