/* What marks measure on the object of recorded frames, once the run is over: its frames are
 * explained again, in two halves, on another thread. The halves stay as long as the result does. */
#include "config.h"

#include "base/prism-each.h"
#include "model/prism-display.h"
#include "results/prism-halves.h"
#include "session/prism-session.h"

#include <inttypes.h>

#define INCREMENT 0.18 /* µm³/pg, of the refractive index by protein */

struct _PrismSessionMarks
{
  gboolean measuring; /* the other thread is */
  PrismProblem *problem;
  PrismFinding *finding;
  PrismHalves *halves; /* (nullable) */
  GCancellable *ends;
  char *result; /* which run it is, and after which pass */
  char *text;   /* (nullable): the marks that are read */
};

PRISM_CLEAR (PrismSessionMarks,
             clear,
             prism_halves_free,
             halves,
             prism_finding_unref,
             finding,
             prism_problem_unref,
             problem,
             g_object_unref,
             ends,
             g_free,
             result,
             g_free,
             text)

static void
marks_unref (gpointer self)
{
  g_atomic_rc_box_release_full (self, clear);
}

static gboolean
goes_on (double fraction,
         gpointer ends)
{
  return !g_cancellable_is_cancelled (ends);
}

/* Puts a mark on the object: the picture of a run is a square, and a pixel of it may be several. */
static void
place (PrismMark *mark,
       const PrismFinding *finding)
{
  const int field = MAX (finding->object_width, finding->object_height), r = finding->reduction;
  const int left = (field - finding->object_width) / 2 - r / 2;
  const int top = (field - finding->object_height) / 2 - r / 2;

  mark->x0 = r * mark->x0 - left;
  mark->x1 = r * mark->x1 - left;
  mark->y0 = r * mark->y0 - top;
  mark->y1 = r * mark->y1 - top;
}

/* Another thread. A mark that cannot be read has no numbers. */
static gpointer
measure (gpointer data,
         GError **error)
{
  PrismSessionMarks *self = data;
  g_autoptr (GArray) marks = prism_mark_list_parse (self->text, error);
  g_autoptr (PrismProblem) problem
      = prism_problem_ref_for (self->problem, self->finding->settings, error);
  GArray *readings;

  if (problem == NULL)
    return NULL;
  if (self->halves == NULL)
    self->halves = prism_halves_new (problem, self->finding, goes_on, self->ends);
  if (self->halves->frc == NULL && !prism_halves_compare (self->halves, error))
    return NULL;
  prism_finding_set_finest (self->finding, &self->halves->finest);
  readings = g_array_new (FALSE, FALSE, sizeof (PrismMarkReading));
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark mark = g_array_index (marks, PrismMark, i);
      PrismMarkReading reading = { .mark = mark };

      place (&reading.mark, self->finding);
      prism_halves_measure (self->halves, INCREMENT, &reading, NULL);
      reading.mark = mark;
      g_array_append_val (readings, reading);
    }
  return readings;
}

static void
on_measured (PrismSession *session,
             PrismSessionMarks *self,
             GArray *result,
             const GError *error)
{
  g_autoptr (GArray) readings = result;

  self->measuring = FALSE;
  if (session->marks != self)
    return;
  prism_playback_set_readings (session->playback,
                               readings != NULL && readings->len > 0 ? readings : NULL);
  prism_session_measure_marks (session);
  prism_session_keep_finest (session, session->snapshot);
  /* The result has its finest period now. */
  g_object_notify (G_OBJECT (session), "snapshot");
}

/**
 * prism_session_drop_marks:
 * @self: a session
 *
 * Forgets what marks measure.
 */
void
prism_session_drop_marks (PrismSession *self)
{
  if (self->marks == NULL)
    return;
  g_cancellable_cancel (self->marks->ends);
  g_clear_pointer (&self->marks, marks_unref);
  prism_playback_set_readings (self->playback, NULL);
}

/* What is edited may be another object than the one on the screen. */
static gboolean
shows_edited (PrismSession *self)
{
  const PrismConfig *shown = self->snapshot != NULL ? self->snapshot->config : NULL;

  return shown == NULL
         || strcmp (shown->object, self->draft->config->object) == 0;
}

/**
 * prism_session_dup_marks:
 * @self: a session
 *
 * Returns: (transfer full): those of the object on the screen, "" for none
 */
char *
prism_session_dup_marks (PrismSession *self)
{
  return prism_display_dup (shows_edited (self) ? self->draft->display
                                                : self->snapshot->display,
                            "marks");
}

/**
 * prism_session_set_marks:
 * @self: a session
 * @marks: those of the object on the screen
 *
 * Keeps them with what is edited where that is of the same object, else with the run alone.
 */
void
prism_session_set_marks (PrismSession *self,
                         const char *marks)
{
  g_autofree char *before = prism_session_dup_marks (self);
  g_autofree char *display = NULL;

  if (g_str_equal (before, marks))
    return;
  if (shows_edited (self))
    {
      prism_draft_set_display (self->draft, "marks", marks, NULL);
      return;
    }
  display = prism_display_set (self->snapshot->display, "marks", marks);
  prism_engine_show (self->engine, display);
}

/* Returns: (transfer full) (nullable): which result a snapshot shows */
static char *
dup_result (const PrismSnapshot *snapshot,
            PrismState state)
{
  return snapshot != NULL && snapshot->finding != NULL && state == PRISM_STATE_FINISHED
             ? g_strdup_printf ("%" PRIu64 " %u", snapshot->run, snapshot->finding->pass)
             : NULL;
}

/**
 * prism_session_keep_finest:
 * @self: a session
 * @snapshot: one that is to be shown
 *
 * The same result with the prediction of another frame is another finding, which gets the finest
 * period of the one before.
 */
void
prism_session_keep_finest (PrismSession *self,
                           PrismSnapshot *snapshot)
{
  g_autofree char *result = dup_result (snapshot, snapshot->state);
  const PrismMeasured *finest
      = self->marks != NULL ? prism_finding_get_finest (self->marks->finding) : NULL;

  if (finest != NULL && g_strcmp0 (self->marks->result, result) == 0)
    prism_finding_set_finest (snapshot->finding, finest);
}

/**
 * prism_session_measure_marks:
 * @self: a session with another snapshot or other marks
 *
 * Measures them where that has not been done yet; the playback tells what comes out.
 */
void
prism_session_measure_marks (PrismSession *self)
{
  static const PrismJob job
      = { "marks", measure, on_measured, marks_unref, g_array_unref };
  const PrismSnapshot *snapshot = self->snapshot;
  g_autofree char *result = dup_result (snapshot, self->state);
  g_autofree char *text = prism_session_dup_marks (self);
  g_autoptr (PrismProblem) problem = NULL;

  if (self->marks != NULL && g_strcmp0 (self->marks->result, result) != 0)
    prism_session_drop_marks (self);
  if (self->marks == NULL && result != NULL
      && (problem = prism_engine_ref_problem (self->engine)) != NULL)
    {
      self->marks = g_atomic_rc_box_new0 (PrismSessionMarks);
      self->marks->problem = g_steal_pointer (&problem);
      self->marks->finding = prism_finding_ref (snapshot->finding);
      self->marks->ends = g_cancellable_new ();
      self->marks->result = g_steal_pointer (&result);
    }
  if (self->marks == NULL || self->marks->measuring
      || g_strcmp0 (self->marks->text, text) == 0)
    return;
  prism_playback_set_readings (self->playback, NULL);
  g_free (self->marks->text);
  self->marks->text = g_steal_pointer (&text);
  self->marks->measuring = TRUE;
  prism_job_start (&job, self, g_atomic_rc_box_acquire (self->marks), NULL);
}
