/* prism-job: something that takes place on another thread while the window goes on. */
#pragma once

#include "support/prism-class.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A kind of job. What has nothing to give but success gives any pointer that is not NULL. */
typedef struct
{
  const char *name;                     /* static; for debuggers */
  /* gpointer (data, GError **), other thread: NULL, with an error where something failed. */
  gpointer run;
  /* (nullable): void (owner, data, result, const GError *), main thread: owns the result, which is
   * NULL when there is an error. */
  gpointer done;
  gpointer free_data;                   /* (nullable): void (data), main thread */
  gpointer free_result;                 /* (nullable): void (result) */
  gboolean writes;                      /* a file: prism_job_wait_for_files() waits for it */
} PrismJob;

void prism_job_start (const PrismJob *self,
                      gpointer        owner,
                      gpointer        data,
                      GCancellable   *cancellable);
/* @func: void (owner, const GError *), main thread: why a file could not be written, if so. */
gboolean prism_job_wait_for_files (gpointer func,
                                   gpointer owner);

/* What a widget shows once another thread has found it out; only the newest. */

#define PRISM_QUESTION_DELAY 500 /* ms without a change before it is asked */

/* A kind of question. */
typedef struct
{
  const char *name;                     /* static; for debuggers */
  /* char * (data, GCancellable *), other thread: (transfer full) (nullable): the text. It is
   * cancelled once a newer one is asked. */
  gpointer answer;
  /* void (widget, data, text), main thread. The text (nullable) is what was answered. */
  gpointer show;
  gpointer free_data;                   /* void (data), main thread */
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

struct _PrismWorker
{
  GObject parent_instance;

  gpointer (*func) (gpointer input);
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

/* @func: gpointer (input), on the other thread; NULL where there is nothing to tell. */
PrismWorker *prism_worker_new        (gpointer        func,
                                      gpointer        free_input,
                                      gpointer        free_result,
                                      guint           interval);
void         prism_worker_submit     (PrismWorker *self,
                                      gpointer     input);
void         prism_worker_hurry      (PrismWorker *self);
gboolean     prism_worker_is_busy    (PrismWorker *self);

/* Calls a function for what changes faster than one can look. */

typedef struct _PrismThrottle PrismThrottle;

PrismThrottle *prism_throttle_new  (guint          interval,
                            guint          phase,
                            gpointer   func,
                            gpointer       data);
void       prism_throttle_free (PrismThrottle *self);
void       prism_throttle_call (PrismThrottle *self,
                            gboolean   at_once);

/* Lets another thread call a function in the main loop. One source for its whole
 * life: there is nothing that could queue up, however often it is triggered. */

typedef struct _PrismWakeUp PrismWakeUp;

PrismWakeUp *prism_wake_up_new     (gpointer func,
                                    gpointer data);
void         prism_wake_up_free    (PrismWakeUp *self);
void         prism_wake_up_trigger (PrismWakeUp *self);

G_END_DECLS
