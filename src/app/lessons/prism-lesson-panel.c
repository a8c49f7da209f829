#include "config.h"

#include "lessons/prism-lesson-panel.h"

#include "base/prism-file.h"
#include "lesson/prism-lesson-answer.h"
#include "lessons/prism-lesson-page.h"
#include "support/prism-file-dialog.h"
#include "support/prism-widget.h"

struct _PrismLessonPanel
{
  GtkBox parent_instance;

  GtkLabel *title;
  GtkProgressBar *progress;
  GtkScrolledWindow *scroller;
  GtkLabel *hint;
  GtkSpinner *spinner;
  GtkWidget *run_button;
  GtkWidget *next_button;
  GtkEditable *who; /* (nullable): on the last page */

  PrismSession *session; /* (nullable) */
  PrismLesson *lesson;   /* (nullable) */
  GArray *answers;       /* of PrismLessonAnswer, one for each step */
  GArray *results;       /* of PrismLessonResult */
  PrismLessonPage *page; /* (nullable): of the current step */
  guint step;
  guint n_revealed;
  gboolean running;
  gboolean scene_due; /* the scene of the step waits for the end of a run */
  guint scene_id;
  PrismSnapshot *last; /* (nullable): of the step before */
};

G_DEFINE_FINAL_TYPE (PrismLessonPanel, prism_lesson_panel, GTK_TYPE_BOX)

static PrismLessonAnswer *
get_answer (PrismLessonPanel *self,
            guint i)
{
  return &g_array_index (self->answers, PrismLessonAnswer, i);
}

static PrismLessonResult *
get_result (PrismLessonPanel *self,
            guint i)
{
  return &g_array_index (self->results, PrismLessonResult, i);
}

static void
say (PrismLessonPanel *self,
     const char *sentence)
{
  gtk_label_set_label (self->hint, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (self->hint), sentence != NULL);
}

static const char *const over
    = N_ ("The lesson is over. Begin another one, or leave it to run your own settings.");

/* What can be done now: predict, run, go on, take the next lesson. */
static void
update (PrismLessonPanel *self)
{
  PrismLessonAnswer answer;
  gboolean revealed = self->n_revealed > self->step;
  gboolean answered
      = self->page != NULL && prism_lesson_page_get_answer (self->page, &answer);
  gboolean other = !self->running && prism_session_get_active (self->session);

  gtk_widget_set_visible (self->run_button, self->page != NULL && !revealed);
  gtk_widget_set_sensitive (self->run_button, answered && !self->running && !other);
  gtk_widget_set_visible (self->next_button, revealed || self->page == NULL);
  gtk_button_set_label (GTK_BUTTON (self->next_button),
                        self->page != NULL ? _ ("Go on") : _ ("Next lesson"));
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), self->running);
  gtk_spinner_set_spinning (self->spinner, self->running);
  if (self->page == NULL)
    say (self, _ (over));
  else if (revealed)
    say (self, NULL);
  else if (self->running)
    say (self, _ ("The run is under way: look at the panels beside."));
  else if (other)
    say (self, _ ("Another run is under way: stop it, or wait until it ends."));
  else
    say (self, answered
                   ? NULL
                   : _ ("Answer first: the run begins when you have said what you expect."));
}

static void
show_progress (PrismLessonPanel *self)
{
  guint n = self->lesson->steps->len;
  g_autofree char *text = self->step < n
                              ? g_strdup_printf (_ ("Step %u of %u"), self->step + 1, n)
                              : g_strdup (_ ("The end"));

  gtk_progress_bar_set_fraction (self->progress, (double) self->n_revealed / n);
  gtk_progress_bar_set_text (self->progress, text);
}

static void
set_page (PrismLessonPanel *self,
          GtkWidget *page)
{
  gtk_widget_set_margin_start (page, 12);
  gtk_widget_set_margin_end (page, 12);
  gtk_widget_set_margin_top (page, 12);
  gtk_widget_set_margin_bottom (page, 12);
  gtk_scrolled_window_set_child (self->scroller, page);
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);
}

static const PrismLessonStep *
get_step (PrismLessonPanel *self)
{
  return prism_lesson_get_step (self->lesson, self->step);
}

/* What runs or ended is the step's own run, not one that was opened or forked meanwhile. */
static gboolean
is_of_step (PrismLessonPanel *self)
{
  return self->session->borrowed
         && prism_config_equal (prism_session_get_planned (self->session), get_step (self)->config);
}

/* What the question is about: object, aperture and path of this step. */
static void
show_scene (PrismLessonPanel *self)
{
  self->scene_due = prism_session_get_active (self->session);
  if (!self->scene_due)
    prism_session_show_lesson (self->session, get_step (self)->config);
}

static void
show_due_scene (PrismLessonPanel *self)
{
  if (self->scene_due)
    show_scene (self);
}

static void
show_step (PrismLessonPanel *self)
{
  static const char *const panels[PRISM_LESSON_N_PICTURES]
      = { "reconstruction", "target", "measurement", "kspace", "lights" };
  PrismLessonStep *step = self->lesson->steps->pdata[self->step];
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismScene) frames = prism_lesson_step_new_scene (step, &error);
  GtkWidget *page
      = prism_lesson_page_new (step, self->last != NULL ? self->last->target : NULL);

  g_signal_emit_by_name (self, "asked", panels[step->picture]);
  self->page = PRISM_LESSON_PAGE (page);
  set_page (self, page);
  PRISM_CONNECT (page, "answered", update, self);
  prism_session_lend_frames (self->session, frames);
  if (error == NULL)
    show_scene (self);
  show_progress (self);
  update (self);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (error != NULL)
    say (self, error->message);
}

static void
on_saved (PrismLessonPanel *self,
          const char *path,
          const GError *error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *text = g_strdup_printf (_ ("Saved as “%s”"), name);

  say (self, error != NULL ? error->message : text);
}

static gboolean
write_table (const char *table,
             const char *path,
             GError **error)
{
  return prism_file_save (path, table, strlen (table), error);
}

static void
on_place_chosen (PrismLessonPanel *self,
                 const char *path)
{
  const char *who = self->who != NULL ? gtk_editable_get_text (self->who) : "";

  if (self->lesson != NULL)
    prism_file_saver_save (write_table, prism_lesson_panel_dup_table (self, who), g_free, path,
                           on_saved, self);
}

/* What was predicted, step by step. */
static void
append_answers (PrismLessonPanel *self,
                GtkWidget *box)
{
  for (guint i = 0; i < self->lesson->steps->len; i++)
    {
      const PrismLessonStep *step = prism_lesson_get_step (self->lesson, i);
      g_autofree char *sentence
          = prism_lesson_answer_dup_reveal (get_answer (self, i), step, get_result (self, i));
      g_autofree char *text = g_strdup_printf ("%u. %s: %s", i + 1, step->title, sentence);

      prism_lesson_page_append_label (box, text, NULL);
    }
}

static void
show_end (PrismLessonPanel *self)
{
  const char *advice = _ ("What surprised you is what there was to learn. Save the answers for"
                          " your class, or go on.");
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *save = gtk_button_new_with_label (_ ("Save the answers (CSV)…"));
  guint n = self->lesson->steps->len;
  guint n_right = 0;
  g_autofree char *text = NULL;

  for (guint i = 0; i < n; i++)
    n_right += prism_lesson_answer_is_right (get_answer (self, i),
                                             prism_lesson_get_step (self->lesson, i),
                                             get_result (self, i));
  text = g_strdup_printf (_ ("%u of %u foreseen"), n_right, n);
  self->page = NULL;
  prism_lesson_page_append_label (box, text, "title-3");
  append_answers (self, box);
  prism_lesson_page_append_label (box, advice, NULL);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("Your name"));
  prism_widget_set_name (entry, _ ("Your name"));
  self->who = GTK_EDITABLE (entry);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (save), "lesson-panel.save");
  gtk_box_append (GTK_BOX (box), entry);
  gtk_box_append (GTK_BOX (box), save);
  set_page (self, box);
  show_progress (self);
  update (self);
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

/* The answer is kept from here on, whatever comes out. */
static void
on_run (PrismLessonPanel *self)
{
  const PrismLessonStep *step = get_step (self);
  PrismLessonAnswer *answer = get_answer (self, self->step);

  if (self->running || !prism_lesson_page_get_answer (self->page, answer)
      || prism_session_get_active (self->session))
    return;
  prism_lesson_page_lock (self->page);
  self->scene_due = FALSE;
  self->running = TRUE;
  self->running = prism_session_run_config (self->session, step->config, TRUE);
  update (self);
}

/* Nobody waits for a step that was revealed and runs once more. */
static void
on_next (PrismLessonPanel *self)
{
  if (self->page == NULL)
    {
      g_signal_emit_by_name (self, "next-lesson");
      return;
    }
  if (prism_session_get_active (self->session) && is_of_step (self))
    prism_session_stop (self->session);
  self->step++;
  if (self->step < self->lesson->steps->len)
    show_step (self);
  else
    show_end (self);
}

static void
ask_for_reconstruction (PrismLessonPanel *self)
{
  g_signal_emit_by_name (self, "asked", "reconstruction");
}

static void
reveal (PrismLessonPanel *self)
{
  PrismSnapshot *snapshot = self->session->snapshot;
  PrismLessonResult *result = get_result (self, self->step);

  prism_lesson_result_init (result, snapshot,
                            self->step > 0 ? get_result (self, self->step - 1) : NULL);
  prism_lesson_page_reveal (self->page, get_answer (self, self->step), result, snapshot);
  if (get_step (self)->picture == PRISM_LESSON_MEASUREMENT)
    {
      GtkWidget *more = gtk_button_new_with_label (_ ("Show what is computed from it"));

      PRISM_CONNECT (more, "clicked", ask_for_reconstruction, self);
      gtk_box_append (GTK_BOX (self->page), more);
    }
  prism_keep (&self->last, snapshot, prism_snapshot_ref, prism_snapshot_unref);
  self->n_revealed = self->step + 1;
  show_progress (self);
  prism_lesson_page_show_reveal (self->page, self->scroller);
}

static void
on_state_changed (PrismLessonPanel *self)
{
  PrismState state = self->session->state;
  gboolean ran = self->running && !prism_session_get_active (self->session);

  if (ran)
    {
      self->running = FALSE;
      if (state == PRISM_STATE_FINISHED && is_of_step (self))
        reveal (self);
    }
  update (self);
  /* The button that began the run could not keep the keyboard meanwhile. */
  if (ran)
    gtk_widget_grab_focus (GTK_WIDGET (self));
  /* Others hear of the end, too, and keep what came out. */
  if (self->scene_due && self->scene_id == 0)
    prism_later (&self->scene_id, 0, show_due_scene, self);
  if (ran && state == PRISM_STATE_STOPPED && self->n_revealed == self->step)
    say (self, _ ("The run was stopped before it could answer: run this step again."));
}

static void
on_close (PrismLessonPanel *self)
{
  g_signal_emit_by_name (self, "closed");
}

/* What comes next: to go on, to answer, to run what was answered; at the end the name. */
static gboolean
prism_lesson_panel_grab_focus (GtkWidget *widget)
{
  PrismLessonPanel *self = PRISM_LESSON_PANEL (widget);

  gtk_window_set_focus_visible (GTK_WINDOW (gtk_widget_get_root (widget)), TRUE);
  if (self->page == NULL)
    return gtk_widget_child_focus (GTK_WIDGET (self->scroller), GTK_DIR_TAB_FORWARD);
  if (gtk_widget_get_visible (self->next_button))
    return gtk_widget_grab_focus (self->next_button);
  return prism_lesson_page_show_question (self->page, self->scroller)
         || gtk_widget_grab_focus (self->run_button);
}

/* Wherever in the lesson the keyboard is: most often at the button below the page. */
static gboolean
on_page_key (GtkWidget *panel,
             GVariant *scroll,
             gpointer data)
{
  gboolean scrolled;

  g_signal_emit_by_name (PRISM_LESSON_PANEL (panel)->scroller, "scroll-child",
                         g_variant_get_int32 (scroll), FALSE, &scrolled);
  return scrolled;
}

static void
prism_lesson_panel_class_init (PrismLessonPanelClass *klass)
{
  GTK_WIDGET_CLASS (klass)->grab_focus = prism_lesson_panel_grab_focus;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-lesson-panel");
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Page_Up, 0, on_page_key, "i",
                                GTK_SCROLL_PAGE_UP);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_Page_Down, 0, on_page_key, "i",
                                GTK_SCROLL_PAGE_DOWN);
  PRISM_ON_DISPOSE (klass, prism_lesson_panel_end);
  PRISM_ON_DISPOSE (klass, prism_widget_drop_template);
  PRISM_DISPOSE (klass, PrismLessonPanel, g_array_unref, answers, results);
  prism_property_new (klass, "busy", G_TYPE_BOOLEAN, 0, prism_lesson_panel_is_busy, NULL);
  prism_signal_new (klass, "closed", 0);
  prism_signal_new (klass, "next-lesson", 0);
  prism_signal_new (klass, "asked", 1, G_TYPE_STRING);
  PRISM_TEMPLATE (klass, PrismLessonPanel, "prism-lesson-panel.ui", title, progress, scroller,
                  hint, spinner, run_button, next_button);
  PRISM_TEMPLATE_CALLBACKS (klass, on_run, on_next, on_close);
  PRISM_ASK (klass,
             { "lesson-panel.save",
               { PRISM_FILE_DIALOG_SAVE, N_ ("Save the answers"), N_ ("Tables"), "*.csv",
                 "answers.csv" },
               on_place_chosen });
}

static void
prism_lesson_panel_init (PrismLessonPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->answers = g_array_new (FALSE, TRUE, sizeof (PrismLessonAnswer));
  self->results = g_array_new (FALSE, TRUE, sizeof (PrismLessonResult));
}

/**
 * prism_lesson_panel_begin:
 * @self: a panel
 * @session: what runs the steps
 * @lesson: (transfer full): a lesson
 *
 * Shows the first step; a lesson that was under way is left.
 */
void
prism_lesson_panel_begin (PrismLessonPanel *self,
                          PrismSession *session,
                          PrismLesson *lesson)
{
  prism_lesson_panel_end (self);
  self->session = g_object_ref (session);
  self->lesson = lesson;
  g_array_set_size (self->answers, 0);
  g_array_set_size (self->answers, lesson->steps->len);
  g_array_set_size (self->results, lesson->steps->len);
  PRISM_CONNECT (session, "notify::state", on_state_changed, self);
  gtk_label_set_label (self->title, lesson->title);
  show_step (self);
  g_object_notify (G_OBJECT (self), "busy");
}

/**
 * prism_lesson_panel_end:
 * @self: a panel
 *
 * Leaves the lesson. A run that it began goes on.
 */
void
prism_lesson_panel_end (PrismLessonPanel *self)
{
  if (self->session != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      prism_session_lend_frames (self->session, NULL);
      prism_session_show_edited (self->session);
    }
  if (self->scroller != NULL)
    gtk_scrolled_window_set_child (self->scroller, NULL);
  self->page = NULL;
  self->who = NULL;
  self->step = self->n_revealed = 0;
  self->running = self->scene_due = FALSE;
  g_clear_handle_id (&self->scene_id, g_source_remove);
  g_clear_object (&self->session);
  g_clear_pointer (&self->lesson, prism_lesson_free);
  g_clear_pointer (&self->last, prism_snapshot_unref);
  g_signal_emit_by_name (self, "asked", NULL);
  g_object_notify (G_OBJECT (self), "busy");
}

/**
 * prism_lesson_panel_is_busy:
 * @self: a panel
 *
 * Returns: whether a lesson is under way
 */
gboolean
prism_lesson_panel_is_busy (PrismLessonPanel *self)
{
  return self->lesson != NULL;
}

/**
 * prism_lesson_panel_run:
 * @self: a panel with a lesson
 *
 * Runs the step that is on the screen with its own settings, for whom presses Run; a step that was
 * revealed runs once more, and its answer stays.
 *
 * Returns: (transfer none) (nullable): a sentence that says why nothing runs
 */
const char *
prism_lesson_panel_run (PrismLessonPanel *self)
{
  PrismLessonAnswer answer;

  if (self->page == NULL)
    return _ (over);
  if (self->n_revealed > self->step)
    prism_session_run_config (self->session, get_step (self)->config, TRUE);
  else if (prism_lesson_page_get_answer (self->page, &answer))
    on_run (self);
  else
    {
      gtk_widget_grab_focus (GTK_WIDGET (self));
      return _ ("Run is for the step of the lesson, once its question is answered.");
    }
  return NULL;
}

/**
 * prism_lesson_panel_dup_table:
 * @self: a panel with a lesson
 * @who: whose answers, or ""
 *
 * Returns: (transfer full): the steps that were revealed, as comma-separated values
 */
char *
prism_lesson_panel_dup_table (PrismLessonPanel *self,
                              const char *who)
{
  GString *table = g_string_new (NULL);

  prism_lesson_append_head (table);
  for (guint i = 0; i < self->n_revealed; i++)
    prism_lesson_answer_append (get_answer (self, i), self->lesson, i, get_result (self, i), who,
                                table);
  return g_string_free (table, FALSE);
}
