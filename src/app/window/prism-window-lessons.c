#include "config.h"

#include "handbook/prism-handbook-window.h"
#include "lesson/prism-lesson-answer.h"
#include "parameters/prism-parameter-row.h"
#include "window/prism-panel-grid.h"
#include "window/prism-window-private.h"

static void
set_lesson (PrismWindow *self,
            PrismLesson *lesson)
{
  gtk_widget_set_visible (self->parameters, lesson == NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->lesson_panel), lesson != NULL);
  if (lesson == NULL)
    {
      prism_lesson_panel_end (self->lesson_panel);
      if (!prism_session_get_active (self->session) && self->left_run != NULL)
        prism_window_return_to_run (self, self->left_run);
      return;
    }
  if (!prism_lesson_panel_is_busy (self->lesson_panel))
    {
      g_free (self->left_run);
      self->left_run = g_strdup (self->session->run_file);
    }
  g_object_set (self->flap, "reveal-flap", TRUE, NULL);
  prism_window_hide_problem (self);
  prism_lesson_panel_begin (self->lesson_panel, self->session, lesson);
}

static void
open_builtin (PrismWindow *self,
              const char *id)
{
  g_autoptr (GError) error = NULL;
  PrismLesson *lesson = prism_lesson_list_read (id, &error);

  if (lesson == NULL)
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  prism_keep_text (&self->lesson, id);
  set_lesson (self, lesson);
}

/**
 * prism_window_open_lesson:
 * @self: a window
 * @path: file of a lesson
 *
 * Begins a lesson in place of the parameters; of a file with mistakes it says the first.
 */
void
prism_window_open_lesson (PrismWindow *self,
                          const char *path)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  PrismLesson *lesson = prism_lesson_load (path, mistakes, &error);

  if (lesson == NULL)
    {
      prism_window_show_problem (self, error != NULL ? error->message : mistakes->pdata[0]);
      return;
    }
  g_clear_pointer (&self->lesson, g_free);
  prism_window_remember (path, PRISM_LESSON_TYPE);
  set_lesson (self, lesson);
}

static void
new_lesson (PrismWindow *self,
            const char *path)
{
  g_autofree char *name = g_filename_display_name (path);
  g_autofree char *sentence
      = g_strdup_printf (_ ("Saved “%s”: a text editor changes its words and adds steps."), name);
  g_autoptr (GError) error = NULL;

  if (!prism_lesson_save_new (path, prism_session_get_planned (self->session), &error))
    {
      prism_window_show_problem (self, error->message);
      return;
    }
  prism_window_open_lesson (self, path);
  prism_notice_show (self->notice, sentence, FALSE);
  prism_notice_add_button (self->notice, _ ("How to write lessons"), "win.handbook-page::lessons");
}

static void
on_closed (PrismWindow *self)
{
  g_clear_pointer (&self->lesson, g_free);
  set_lesson (self, NULL);
}

static void
on_next_lesson (PrismWindow *self)
{
  guint next = 1;

  while (next <= prism_lesson_list_get_n ()
         && g_strcmp0 (self->lesson, prism_lesson_list_get_id (next - 1)) != 0)
    next++;
  if (next < prism_lesson_list_get_n ())
    open_builtin (self, prism_lesson_list_get_id (next));
  else
    {
      on_closed (self);
      prism_window_show_toast (self, _ ("That was the last lesson: the main menu has all of them"));
    }
}

static void
fill_menu (PrismWindow *self)
{
  for (guint i = 0; i < prism_lesson_list_get_n (); i++)
    {
      const char *id = prism_lesson_list_get_id (i);
      g_autoptr (PrismLesson) lesson = prism_lesson_list_read (id, NULL);
      g_autoptr (GMenuItem) item = g_menu_item_new (NULL, NULL);
      g_autofree char *label = NULL;

      if (lesson == NULL)
        continue;
      label = g_strdup_printf ("_%u  %s", i + 1, lesson->title);
      g_menu_item_set_label (item, label);
      g_menu_item_set_action_and_target (item, "win.lesson", "s", id);
      g_menu_append_item (self->lesson_menu, item);
    }
}

/* Where the page is not there: the first one. */
static void
show_page (PrismWindow *self,
           const char *page,
           const char *topic,
           GdkPaintable *picture)
{
  if (self->handbook == NULL)
    prism_window_open_child (self, g_object_new (PRISM_TYPE_HANDBOOK_WINDOW, NULL),
                             &self->handbook);
  if (!prism_handbook_window_show (PRISM_HANDBOOK_WINDOW (self->handbook), page, topic, picture))
    prism_handbook_window_show (PRISM_HANDBOOK_WINDOW (self->handbook), NULL, NULL, NULL);
  gtk_window_present (self->handbook);
}

/* The section that a panel's topic names, with the panel as it is now. */
static void
explain (PrismWindow *self,
         PrismPanel *panel)
{
  GtkWidget *child = panel != NULL ? panel->child : NULL;
  g_autoptr (GdkPaintable) live = child != NULL ? gtk_widget_paintable_new (child) : NULL;
  g_autoptr (GdkPaintable) picture = live != NULL ? gdk_paintable_get_current_image (live) : NULL;

  show_page (self, panel != NULL ? "why" : NULL,
             panel != NULL ? prism_panel_get_topic (panel) : NULL, picture);
}

static void
on_why (PrismWindow *self,
        const char *id)
{
  explain (self, prism_dashboard_get_panel (self->dashboard, id));
}

/* F1: of the panel or the parameter that has the focus. */
static void
on_help (PrismWindow *self)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GtkWidget *panel = focus != NULL ? gtk_widget_get_ancestor (focus, PRISM_TYPE_PANEL) : NULL;
  GtkWidget *row
      = focus != NULL ? gtk_widget_get_ancestor (focus, PRISM_TYPE_PARAMETER_ROW) : NULL;

  if (row != NULL)
    show_page (self, "parameters",
               PRISM_PARAMETER_ROW (row)->param->key, NULL);
  else
    explain (self, panel != NULL ? PRISM_PANEL (panel) : NULL);
}

static void
on_handbook_page (PrismWindow *self,
                  const char *page)
{
  show_page (self, page, NULL, NULL);
}

/* A question about one exposure has its answer there: what is computed from it may look like
 * another answer, and comes when it is asked for. */
static void
on_asked (PrismDashboard *dashboard,
          const char *panel)
{
  const gboolean shown = g_strcmp0 (panel, "measurement") != 0;

  prism_panel_grid_set_front (dashboard->grid, panel);
  gtk_widget_set_visible (GTK_WIDGET (dashboard->reconstruction_panel), shown);
  gtk_widget_set_visible (GTK_WIDGET (dashboard->error_panel), shown && !dashboard->recorded);
}

/**
 * prism_window_install_lessons:
 * @self: a window
 *
 * Adds the handbook, what explains a panel, and the lessons: their menu and their place beside
 * the pictures.
 */
void
prism_window_install_lessons (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "why", on_why, "s" },
                        { "help", on_help },
                        { "handbook", explain },
                        { "handbook-page", on_handbook_page, "s" },
                        { "lesson", open_builtin, "s" },
                        { "open-lesson", prism_window_open_lesson,
                          .dialog = { PRISM_FILE_DIALOG_OPEN, N_ ("Open a lesson"), N_ ("Lessons"),
                                      "*" PRISM_LESSON_SUFFIX } },
                        { "new-lesson", new_lesson,
                          .dialog = { PRISM_FILE_DIALOG_SAVE, N_ ("A new lesson"), N_ ("Lessons"),
                                      "*" PRISM_LESSON_SUFFIX, "lesson" PRISM_LESSON_SUFFIX } });
  prism_panel_set_topic (prism_dashboard_get_panel (self->dashboard, "kspace"), "k-space");
  prism_panel_set_topic (prism_dashboard_get_panel (self->dashboard, "lights"), "led-map");
  PRISM_CONNECT (self->lesson_panel, "closed", on_closed, self);
  PRISM_CONNECT (self->lesson_panel, "next-lesson", on_next_lesson, self);
  PRISM_CONNECT (self->lesson_panel, "asked", on_asked, self->dashboard);
  g_object_bind_property (self->lesson_panel, "busy", self->dashboard, "hides-exposure",
                          G_BINDING_DEFAULT);
  fill_menu (self);
}
