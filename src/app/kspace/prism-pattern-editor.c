#include "config.h"

#include "kspace/prism-pattern-editor.h"

#include "num/prism-spectrum.h"
#include "prism-scale.h"
#include "results/prism-survey.h"
#include "support/prism-ui-text.h"

/* Beyond this many positions the path is drawn in the order of the list while they are moved. */
#define MAX_SORTED 5000

/* What the worker is asked. */
typedef struct
{
  PrismConfig *config;
  gboolean wants_spectrum;
} Question;

/* What the worker found out. */
typedef struct
{
  PrismSurvey *survey;  /* (nullable) */
  PrismImage *spectrum; /* (nullable) */
  char *problem;        /* (nullable): why there is no survey */
} Finding;

G_DEFINE_FINAL_TYPE (PrismPatternEditor, prism_pattern_editor, G_TYPE_OBJECT)

PRISM_FREE (Question, question_free, prism_config_free, config)

PRISM_FREE (Finding,
            finding_free,
            prism_survey_free,
            survey,
            prism_image_unref,
            spectrum,
            g_free,
            problem)

/* Worker thread. */
static gpointer
answer (Question *question)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) object = NULL;
  const PrismConfig *config = question->config;
  Finding *finding = PRISM_NEW (Finding, prism_survey_new (config, &error));

  if (finding->survey == NULL)
    finding->problem = g_strdup (error->message);
  /* An object that cannot be loaded is told by the session. */
  if (question->wants_spectrum && (object = prism_object_load (config, NULL)) != NULL)
    finding->spectrum = prism_spectrum_new_image (object, config->image_size, NULL);
  return finding;
}

static void
ask (PrismPatternEditor *self,
     PrismConfig *config)
{

  prism_worker_submit (self->worker, PRISM_NEW (Question, config,
                                                self->ground != NULL && !self->ground_known));
}

static void
set_ground (PrismPatternEditor *self,
            PrismImage *ground,
            gboolean known)
{
  prism_keep (&self->ground, ground, prism_image_ref, prism_image_unref);
  self->ground_known = known;
  prism_kspace_view_set_ground (self->view, ground);
}

/* Positions and what they cover stand in the k-space of what is edited, which begins empty where
 * the field has another size than the one that is shown. */
static void
update_ground (PrismPatternEditor *self,
               int image_size)
{
  PrismImage *shown = self->view->spectrum;
  g_autoptr (PrismImage) empty = NULL;

  if (shown == NULL || shown->width == image_size)
    set_ground (self, NULL, FALSE);
  else if (self->ground == NULL || self->ground->width != image_size)
    {
      empty = prism_image_new (image_size, image_size, NULL);
      set_ground (self, empty, FALSE);
    }
}

static void
tell (PrismPatternEditor *self,
      const char *sentence)
{
  g_signal_emit_by_name (self, "told", sentence);
}

static PrismDraft *
get_draft (PrismPatternEditor *self)
{
  return self->session->draft;
}

/* The edited configuration with the positions as they are at this moment of a drag. */
static PrismConfig *
create_edited_config (PrismPatternEditor *self)
{
  PrismPointList *list = self->edit->list;
  PrismConfig *config = prism_config_dup (get_draft (self)->config);
  g_autofree char *text = prism_point_list_to_text (list);

  prism_config_set_text (config, "pattern", "hand", NULL);
  prism_config_set_text (config, "pattern_points", text, NULL);
  return config;
}

/* @brief: for the bar, which says what can be done while nothing is held. */
static char *
dup_held (PrismPatternEditor *self,
          gboolean brief)
{
  PrismPointList *list = self->edit->list;
  int selected = list->selected;
  guint n = list->points->len;
  const PrismPoint *point;

  if (!self->editing)
    return NULL;
  if (selected < 0 && brief)
    return g_strdup (_ ("Click adds, drag moves, right-click removes, Esc ends"));
  if (selected < 0)
    return g_strdup_printf (ngettext ("%u placed", "%u placed", n), n);
  point = prism_point_list_get (list, selected);
  return prism_ticks_take_minus (
      g_strdup_printf (brief ? _ ("Held: %d of %u, kx %.1f, ky %.1f")
                             : _ ("Position %d of %u: kx %.1f, ky %.1f"),
                       selected + 1, n, point->x, point->y));
}

static char *
dup_all_numbers (const PrismSurvey *survey)
{
  return g_strdup_printf (
      _ ("What the edited pattern will have measured in the end:\n"
         "%u positions\n"
         "Coverage: %.1f %% of the region of interest (a disk of %d px), %.1f %% of the whole"
         " plane\n"
         "Overlap: %.1f %% of an aperture shared with its nearest neighbour\n"
         "Seen twice: %.1f %% of what is covered\n"
         "Nearest neighbour: %.1f px in the mean, %.1f px at least\n"
         "Path: %.0f px"),
      survey->pattern->n_points, 100 * survey->coverage, survey->diameter,
      100 * survey->plane_coverage, 100 * survey->neighbour_overlap, 100 * survey->twice,
      survey->spacing_mean, survey->spacing_min, survey->path_length);
}

static void
set_text (PrismPatternEditor *self,
          char **slot,
          char *text,
          const char *property)
{
  gboolean same = g_strcmp0 (*slot, text) == 0;

  g_free (*slot);
  *slot = text;
  if (!same)
    g_object_notify (G_OBJECT (self), property);
}

static void
update_texts (PrismPatternEditor *self)
{
  Finding *finding = self->worker->result;
  g_autofree char *held = dup_held (self, TRUE);
  g_autofree char *numbers = NULL;
  char *details = NULL;

  /* The edited pattern is not where recorded frames were taken. */
  if (self->session->draft->config->kind == PRISM_FRAMES_RECORDED)
    finding = NULL;
  if (finding != NULL && finding->survey != NULL)
    {
      const PrismSurvey *survey = finding->survey;

      if (survey->pattern->n_points == 1)
        numbers = g_strdup_printf (_ ("Plan: %.3g %%"), 100 * survey->coverage);
      else
        numbers = g_strdup_printf (_ ("Plan: %.3g %% · overlap %.0f %% · spacing %.1f px"),
                                   100 * survey->coverage, 100 * survey->neighbour_overlap,
                                   survey->spacing_mean);
      details = dup_all_numbers (survey);
    }
  else if (finding != NULL)
    {
      const char *problem = self->session->draft->problem;

      /* Of 9999, which is refused, the survey knows 999, which was typed on the way. */
      numbers = prism_ui_text_dup_sentence (problem != NULL ? problem : finding->problem);
      details = g_strdup (numbers);
    }
  set_text (self, &self->details, details, "details");
  if (numbers == NULL)
    numbers = g_strdup ("");
  set_text (self, &self->summary,
            held != NULL ? g_strjoin (" · ", held, numbers, NULL) : g_steal_pointer (&numbers),
            "summary");
}

static void
on_surveyed (PrismPatternEditor *self)
{
  Finding *finding = self->worker->result;

  if (self->editing && finding != NULL && finding->survey != NULL)
    prism_kspace_view_set_visits (self->view, finding->survey->visits);
  if (self->ground != NULL && finding != NULL && finding->spectrum != NULL
      && finding->spectrum->width == self->ground->width)
    set_ground (self, finding->spectrum, TRUE);
  update_texts (self);
}

static PrismPattern *
create_shown_pattern (PrismPatternEditor *self,
                      const PrismConfig *config)
{
  PrismPointList *list = self->edit->list;
  guint n = list->points->len;
  PrismPattern *pattern = n <= MAX_SORTED ? prism_pattern_new (config, NULL) : NULL;

  return pattern != NULL ? pattern
                         : prism_pattern_new_points (prism_point_list_get (list, 0), n);
}

/* What is held is said to those who do not see it, too. */
static void
on_preview (PrismPatternEditor *self)
{
  g_autoptr (PrismConfig) config = create_edited_config (self);
  g_autoptr (PrismPattern) pattern = create_shown_pattern (self, config);
  g_autofree char *held = dup_held (self, FALSE);

  update_ground (self, config->image_size);
  prism_kspace_view_set_edited (self->view, config, pattern);
  ask (self, g_steal_pointer (&config));
  gtk_accessible_update_property (GTK_ACCESSIBLE (PRISM_VIEW (self->view)->canvas),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, held != NULL ? held : "",
                                  -1);
  update_texts (self);
}

static gboolean
load_list (PrismPatternEditor *self,
           GError **error)
{
  g_autoptr (PrismConfig) config
      = prism_config_dup (get_draft (self)->config);
  g_autoptr (PrismPattern) pattern = NULL;

  /* As it is made: the order of the visits is made of it in the same way as before. */
  config->order = PRISM_ORDER_GIVEN;
  pattern = prism_pattern_new (config, error);
  if (pattern == NULL)
    return FALSE;
  prism_point_list_set (self->edit->list, pattern->points,
                        pattern->n_points, config->image_size);
  return TRUE;
}

static void
on_edited (PrismPatternEditor *self,
           const char *what,
           const char *merge_key)
{
  g_autofree char *text = prism_point_list_to_text (self->edit->list);
  const char *values[] = { "pattern", "hand", "pattern_points", text, NULL };
  g_autoptr (GError) error = NULL;

  self->committing = TRUE;
  if (!prism_draft_set_several (get_draft (self), values, what, merge_key, &error))
    tell (self, error->message);
  self->committing = FALSE;
}

static void
on_draft_changed (PrismPatternEditor *self)
{
  if (self->committing)
    return;
  self->ground_known = FALSE;
  if (!self->editing)
    ask (self, prism_config_dup (prism_session_get_planned (self->session)));
  else if (load_list (self, NULL))
    {
      on_preview (self);
      prism_kspace_edit_move_crosshair (self->edit);
    }
  else
    prism_pattern_editor_set_editing (self, FALSE);
}

static void
on_state_changed (PrismPatternEditor *self)
{
  if (!self->editing || !prism_session_get_active (self->session))
    return;
  prism_pattern_editor_set_editing (self, FALSE);
}

static void
leave (PrismPatternEditor *self)
{
  prism_pattern_editor_set_editing (self, FALSE);
}

static void
prism_pattern_editor_class_init (PrismPatternEditorClass *klass)
{
  PRISM_FINALIZE (klass, PrismPatternEditor, g_object_unref, worker, edit, view, session);
  PRISM_FINALIZE (klass, PrismPatternEditor, prism_image_unref, ground);
  PRISM_FINALIZE (klass, PrismPatternEditor, g_free, summary, details);
  PRISM_FIELD (klass, PrismPatternEditor, editing, G_TYPE_BOOLEAN, NULL);
  PRISM_FIELD (klass, PrismPatternEditor, summary, G_TYPE_STRING, NULL);
  PRISM_FIELD (klass, PrismPatternEditor, details, G_TYPE_STRING, NULL);
  prism_signal_new (klass, "told", 1, G_TYPE_STRING);
}

static void
prism_pattern_editor_init (PrismPatternEditor *self)
{
  self->summary = g_strdup ("");
  self->worker = prism_worker_new (answer, question_free, finding_free, 0);
  PRISM_CONNECT (self->worker, "changed", on_surveyed, self);
}

/**
 * prism_pattern_editor_new:
 * @session: with the configuration that is edited
 * @view: of k-space
 *
 * Thread: main, like everything here.
 *
 * Returns: (transfer full): a desk
 */
PrismPatternEditor *
prism_pattern_editor_new (PrismSession *session,
                          PrismKspaceView *view)
{
  PrismPatternEditor *self = g_object_new (PRISM_TYPE_PATTERN_EDITOR, NULL);

  self->session = g_object_ref (session);
  self->view = g_object_ref (view);
  self->edit = g_object_ref (view->edit);
  PRISM_CONNECT (session->draft, "changed", on_draft_changed, self);
  PRISM_CONNECT (session->draft, "notify::problem", update_texts, self);
  PRISM_CONNECT (session, "notify::lent", on_draft_changed, self);
  PRISM_CONNECT (session, "notify::state", on_state_changed, self);
  PRISM_CONNECT (self->edit, "preview", on_preview, self);
  PRISM_CONNECT (self->edit, "edited", on_edited, self);
  PRISM_CONNECT (self->edit, "refused", tell, self);
  PRISM_CONNECT (self->edit, "leave", leave, self);
  on_draft_changed (self);
  return self;
}

static gboolean
begin (PrismPatternEditor *self)
{
  g_autoptr (GError) error = NULL;

  if (prism_session_get_active (self->session))
    tell (self, _ ("Positions cannot be placed during a run: stop it first."));
  else if (PRISM_VIEW (self->view)->image == NULL)
    tell (self, _ ("There is no spectrum to place positions in: choose an object first."));
  else if (!load_list (self, &error))
    tell (self, error->message);
  else
    return TRUE;
  return FALSE;
}

/* The run's own aperture and path again. */
static void
restore (PrismPatternEditor *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  const PrismConfig *config = snapshot != NULL && snapshot->config != NULL
                                  ? snapshot->config
                                  : get_draft (self)->config;

  prism_kspace_view_set_edited (self->view, config, NULL);
  prism_kspace_view_set_visits (self->view, NULL);
  set_ground (self, NULL, FALSE);
  update_texts (self);
}

/**
 * prism_pattern_editor_set_editing:
 * @self: a desk
 * @editing: whether pointer and keys place positions in k-space
 *
 * Begins with the positions of the edited pattern, whichever it is; the first change makes it one
 * that is placed by hand. Says why when it cannot begin. Ends by itself when a run begins.
 */
void
prism_pattern_editor_set_editing (PrismPatternEditor *self,
                                  gboolean editing)
{
  if (self->editing == editing)
    return;
  if (editing && !begin (self))
    {
      g_object_notify (G_OBJECT (self), "editing");
      return;
    }
  self->editing = editing;
  prism_kspace_edit_set_active (self->edit, editing);
  if (editing)
    {
      on_preview (self);
      gtk_widget_grab_focus (GTK_WIDGET (PRISM_VIEW (self->view)->canvas));
    }
  else
    restore (self);
  g_object_notify (G_OBJECT (self), "editing");
}
