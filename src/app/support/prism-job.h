/* prism-job: something that takes place on another thread while the window goes on. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A kind of job. What has nothing to give but success gives any pointer that is not NULL. */
typedef struct
{
  const char *name;                     /* static; for debuggers */
  /* Other thread: NULL, with an error where something failed. */
  gpointer (*run)  (gpointer   data,
                    GError   **error);
  /* (nullable) Main thread: owns @result, which is NULL when there is an error. */
  void     (*done) (gpointer      data,
                    gpointer      result,
                    const GError *error);
  GDestroyNotify free_data;             /* main thread */
  GDestroyNotify free_result;           /* (nullable) */
} PrismJob;

void prism_job_start (const PrismJob *self,
                      gpointer        data,
                      GCancellable   *cancellable);

/* What a widget shows once another thread has found it out; only the newest. */

#define PRISM_QUESTION_DELAY 500 /* ms without a change before it is asked */

/* A kind of question. */
typedef struct
{
  const char *name;                     /* static; for debuggers */
  /* Other thread: (transfer full) (nullable): the text. @cancellable: once a newer one is asked. */
  char    *(*answer) (gpointer      data,
                      GCancellable *cancellable);
  /* Main thread. @text: (nullable): what was answered. */
  void     (*show)   (GtkWidget  *widget,
                      gpointer    data,
                      const char *text);
  GDestroyNotify free_data;             /* main thread */
} PrismQuestion;

void prism_question_ask    (const PrismQuestion *self,
                            GtkWidget           *widget,
                            gpointer             data,
                            guint                delay);
void prism_question_forget (GtkWidget *widget);

/* Computes something from the newest input on another thread; one job at a time, and
 * at most a part of the time. */

#define PRISM_TYPE_WORKER (prism_worker_get_type ())

G_DECLARE_FINAL_TYPE (PrismWorker, prism_worker, PRISM, WORKER, GObject)

/* On the other thread; NULL where there is nothing to tell. */
typedef gpointer (*PrismWorkerFunc) (gpointer input);

PrismWorker *prism_worker_new        (PrismWorkerFunc func,
                                      GDestroyNotify  free_input,
                                      GDestroyNotify  free_result,
                                      guint           interval);
void         prism_worker_submit     (PrismWorker *self,
                                      gpointer     input);
void         prism_worker_hurry      (PrismWorker *self);
gpointer     prism_worker_get_result (PrismWorker *self);
gboolean     prism_worker_is_busy    (PrismWorker *self);

/* Calls a function for what changes faster than one can look. */

typedef struct _PrismThrottle PrismThrottle;

typedef void (*PrismThrottleFunc) (gpointer data);

PrismThrottle *prism_throttle_new  (guint          interval,
                            guint          phase,
                            PrismThrottleFunc  func,
                            gpointer       data);
void       prism_throttle_free (PrismThrottle *self);
void       prism_throttle_call (PrismThrottle *self,
                            gboolean   at_once);

/* Lets another thread call a function in the main loop. One source for its whole
 * life: there is nothing that could queue up, however often it is triggered. */

typedef struct _PrismWakeUp PrismWakeUp;

typedef void (*PrismWakeUpFunc) (gpointer data);

PrismWakeUp *prism_wake_up_new     (PrismWakeUpFunc  func,
                                    gpointer         data);
void         prism_wake_up_free    (PrismWakeUp *self);
void         prism_wake_up_trigger (PrismWakeUp *self);

G_END_DECLS
