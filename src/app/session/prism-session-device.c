#include "config.h"

#include "session/prism-session-private.h"

#include "base/prism-system.h"
#include "config/prism-device-list.h"
#include "device/prism-need.h"
#include "device/prism-registry.h"
#include "support/prism-job.h"

#define DRAWING 1000 /* ms after which a new scene is on the screen */

/* Whether there is a run, what it or the next one computes on, and what that needs there. Drivers
 * are asked once, on another thread: they may take a second, and the window is to be there at once.
 */

typedef struct
{
  GWeakRef session;
  int choice;
} Question;

static void
question_free (gpointer data)
{
  Question *self = data;

  g_weak_ref_clear (&self->session);
  g_free (self);
}

static gpointer
answer (gpointer data,
        GError **error)
{
  const Question *self = data;

  prism_registry_find (self->choice);
  return data;
}

static void
take_answer (gpointer data,
             gpointer result,
             const GError *error)
{
  Question *self = data;
  g_autoptr (PrismSession) session = g_weak_ref_get (&self->session);

  if (session == NULL)
    return;
  session->asked = -1;
  prism_session_follow_device (session);
}

static void
ask (PrismSession *self,
     int choice)
{
  static const PrismJob job = { "device", answer, take_answer, question_free, NULL };
  Question *question;

  if (self->asked >= 0)
    return;
  self->asked = choice;
  question = g_new0 (Question, 1);
  g_weak_ref_init (&question->session, self);
  question->choice = choice;
  prism_job_start (&job, question, NULL);
}

/* ops: (nullable): what computes */
static guint64
count_required (PrismSession *self,
                const PrismBackendOps *ops)
{
  const PrismConfig *config = prism_draft_get_config (self->draft);
  PrismBackendSpec spec;
  PrismNeed need;

  /* What recorded frames need, they and their object take already. */
  if (ops == NULL || prism_draft_get_problem (self->draft) != NULL
      || prism_session_get_recorded (self)
      || !prism_task_init_spec (config, config->samples, &spec, NULL))
    return 0;
  prism_need_init (&need, config, &spec, ops, !self->unsaved);
  return need.device > 0 ? need.device : need.run + MAX (self->window, need.host - need.run);
}

/**
 * prism_session_get_active:
 * @self: a session
 *
 * Returns: whether a run is under way, paused or not
 */
gboolean
prism_session_get_active (PrismSession *self)
{
  return self->state == PRISM_STATE_PREPARING || self->state == PRISM_STATE_RUNNING
         || self->state == PRISM_STATE_PAUSED;
}

/* A run is in the process of the window, which holds most when it has been drawn. */
static gboolean
measure_window (gpointer data)
{
  PrismSession *self = data;

  self->window_id = 0;
  if (self->n_begun > 0)
    return G_SOURCE_REMOVE;
  self->window = prism_system_get_peak_memory ();
  prism_session_follow_device (self);
  return G_SOURCE_REMOVE;
}

/**
 * prism_session_follow_device:
 * @self: a session
 *
 * Finds out what a run with the draft would compute on, and what it would need. A run under way
 * knows its device.
 */
void
prism_session_follow_device (PrismSession *self)
{
  const int choice = prism_draft_get_config (self->draft)->backend;
  const PrismBackendOps *ops;
  const gboolean known = prism_registry_peek (choice, &ops, NULL);
  const char *backend = ops != NULL ? ops->name : NULL;
  const guint64 required = count_required (self, ops);
  gboolean on_cpu;

  if (!known)
    ask (self, choice);
  if (self->snapshot != NULL && self->snapshot->backend != NULL && prism_session_get_active (self))
    backend = self->snapshot->backend;
  on_cpu = g_strcmp0 (backend, prism_device_list[PRISM_BACKEND_CPU].name) == 0;
  g_object_freeze_notify (G_OBJECT (self));
  if (on_cpu != self->on_cpu)
    g_object_notify (G_OBJECT (self), "on-cpu");
  if (required != self->required)
    g_object_notify (G_OBJECT (self), "required-bytes");
  self->on_cpu = on_cpu;
  self->required = required;
  g_object_thaw_notify (G_OBJECT (self));
}

/**
 * prism_session_measure_window:
 * @self: a session whose scene is about to be drawn
 *
 * Counts what the window holds, in what a run is told to need, once that is drawn.
 */
void
prism_session_measure_window (PrismSession *self)
{
  if (self->window_id == 0 && self->n_begun == 0)
    self->window_id = g_timeout_add (DRAWING, measure_window, self);
}

/**
 * prism_session_get_required_bytes:
 * @self: a session
 *
 * Estimates what a run with the draft would need, the window included.
 *
 * Units: bytes.
 *
 * Returns: the amount, 0 where it is not known, or not yet
 */
guint64
prism_session_get_required_bytes (PrismSession *self)
{
  return self->required;
}
