#include "handbook/prism-handbook-window.h"
#include "handbook/prism-handbook.h"
#include "parameters/prism-parameter-row.h"
#include "prism-test.h"
#include "window-test.h"

#include <locale.h>

/* Headings become sections; what looks like one among code does not. */
TEST (sections, "/app/handbook/sections")
{
  g_autoptr (GPtrArray) sections = prism_handbook_load ();
  const PrismHandbookSection *guide = prism_handbook_find (sections, "user-guide", NULL);

  g_assert_cmpuint (sections->len, >, 80);
  g_assert_nonnull (guide);
  g_assert_cmpstr (guide->title, ==, "User guide");
  g_assert_nonnull (prism_handbook_find (sections, "user-guide", "reading-the-pictures"));
  g_assert_null (prism_handbook_find (sections, "command-line", "nothing-has-been-computed"));
  g_assert_null (prism_handbook_find (sections, "cooking", NULL));
}

TEST (anchor, "/app/handbook/anchor")
{
  SAYS (prism_handbook_dup_anchor ("What is “half-bit”, and why?"), "what-is-half-bit-and-why");
}

/* Around the first of the words, whatever its case; nothing where the text does not have it. */
TEST (excerpt, "/app/handbook/excerpt")
{
  g_autoptr (GPtrArray) sections = prism_handbook_load ();
  const PrismHandbookSection *frc = prism_handbook_find (sections, "why", "frc");
  g_autofree char *excerpt = prism_handbook_dup_excerpt (frc, "HALF-BIT ring");
  const PrismHandbookSection marked[]
      = { { .text = "| Key | Help |\n|---|---:|\n| `radius` | its *size*, [more](a.md#b) |" },
          { .text = "```\ncat radius | head\n```" } };
  static const char *const texts[]
      = { "Key · Help radius · its size, more", "cat radius | head" };

  HAS (excerpt, "half-bit");
  g_assert_cmpuint (strlen (excerpt), <, 300);
  g_assert_null (strchr (excerpt, '\n'));
  g_assert_true (g_utf8_validate (excerpt, -1, NULL));
  SAYS (prism_handbook_dup_excerpt (frc, "bicycle"), "");
  for (gsize i = 0; i < G_N_ELEMENTS (marked); i++)
    SAYS (prism_handbook_dup_excerpt (&marked[i], "radius"), texts[i]);
  for (guint i = 0; i < sections->len; i++)
    {
      g_autofree char *other = prism_handbook_dup_excerpt (sections->pdata[i], "e");

      g_assert_true (g_utf8_validate (other, -1, NULL));
    }
}

/* Points of a list stand in lines of their own, with numbers as well as with bullets. */
TEST (points, "/app/handbook/points")
{
  g_autoptr (GtkWidget) view = g_object_ref_sink (gtk_text_view_new ());
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  g_autofree char *text = NULL;

  prism_handbook_text_append (GTK_TEXT_VIEW (view),
                              "All at\n22000. Then\n1. go\n   on,\n2. rest.\n- End");
  g_object_get (buffer, "text", &text, NULL);
  g_assert_cmpstr (text, ==, "All at 22000. Then\n1. go on,\n2. rest.\n• End\n");
}

/* Every panel has its section, whatever its chart shows. */
TEST (panels, "/app/handbook/panels")
{
  static const char *const ids[]
      = { "reconstruction", "target", "measurement", "kspace", "error", "phase", "pupil", "lights",
          "prediction", "chart-1", "chart-2", "chart-3", "chart-4" };
  g_autoptr (GPtrArray) sections = prism_handbook_load ();

  g_auto (WindowTest) test = window_test_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      PrismPanel *panel
          = prism_dashboard_get_panel (widget_test_get_part (test.window, "dashboard"), ids[i]);

      g_assert_nonnull (prism_handbook_find (sections, "why", prism_panel_get_topic (panel)));
    }
}

static GtkWindow *
find_handbook (void)
{
  g_autoptr (GList) windows = gtk_window_list_toplevels ();

  for (GList *link = windows; link != NULL; link = link->next)
    if (PRISM_IS_HANDBOOK_WINDOW (link->data))
      return link->data;
  return NULL;
}

static const char *
get_title (GtkWindow *handbook)
{
  return adw_window_title_get_subtitle (widget_test_get_part (handbook, "window_title"));
}

/* How many sections the list has for some words. */
static guint
search (GtkWindow *handbook,
        const char *words)
{
  GtkEditable *entry = widget_test_get_part (handbook, "search");
  GtkListBox *list = widget_test_get_part (handbook, "list");
  guint n = 0;

  gtk_editable_set_text (entry, words);
  g_signal_emit_by_name (entry, "search-changed");
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (list)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    n += gtk_widget_get_child_visible (row);
  return n;
}

/* From the search to what was found, and from there to the text. */
static void
check_keys (GtkWindow *handbook)
{
  GtkWidget *entry = widget_test_get_part (handbook, "search");
  GtkWidget *view = widget_test_get_part (handbook, "view"), *row;

  g_assert_true (gtk_window_get_focus (handbook) == view);
  g_assert_true (widget_test_press (entry, GDK_KEY_f, GDK_CONTROL_MASK));
  g_assert_true (gtk_widget_is_ancestor (gtk_window_get_focus (handbook), entry));
  search (handbook, "sweep");
  g_assert_true (widget_test_press (entry, GDK_KEY_Down, 0));
  row = gtk_window_get_focus (handbook);
  g_assert_true (GTK_IS_LIST_BOX_ROW (row) && gtk_widget_get_child_visible (row));
  g_assert_true (gtk_widget_activate (row));
  g_assert_true (gtk_window_get_focus (handbook) == view);
}

/* The title of one of the first rows. */
static GtkWidget *
find_label_above (GtkWindow *handbook,
                  const char *title,
                  int n)
{
  GtkListBox *list = widget_test_get_part (handbook, "list");

  for (int i = 0; i < n; i++)
    {
      GtkWidget *row = GTK_WIDGET (gtk_list_box_get_row_at_index (list, i));
      GtkWidget *label = widget_test_find (row, GTK_TYPE_LABEL);

      if (g_strcmp0 (gtk_label_get_label (GTK_LABEL (label)), title) == 0)
        return label;
    }
  return NULL;
}

/* The button of a panel opens the section with a picture of the panel. */
TEST (why, "/app/handbook/why")
{
  g_auto (WindowTest) test = window_test_new (NULL);

  g_action_group_activate_action (G_ACTION_GROUP (test.window), "why",
                                  g_variant_new_string ("chart-1"));
  GtkWindow *handbook = find_handbook ();
  g_assert_nonnull (handbook);
  g_assert_cmpstr (get_title (handbook), ==, "Losses");
  g_assert_nonnull (widget_test_find (handbook, GTK_TYPE_PICTURE));
  /* Titles are read as a whole. */
  WAIT_FOR (gtk_widget_get_width (widget_test_get_part (handbook, "list")) > 0);
  g_assert_null (FIND (widget_test_get_part (handbook, "list"),
                       GTK_IS_LABEL (it) && gtk_widget_get_mapped (it)
                           && pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (it)))));
  check_keys (handbook);
  g_assert_cmpuint (search (handbook, "zylophone"), ==, 0);
  /* Who searches for what a panel shows is not led to how the program is made. */
  g_assert_cmpuint (search (handbook, "misfit"), >, 10);
  g_assert_nonnull (find_label_above (handbook, "Losses", 3));
  search (handbook, "follow changes");
  g_assert_nonnull (find_label_above (handbook, "Follow changes", 1));
  g_signal_emit_by_name (widget_test_get_part (handbook, "search"), "activate");
  g_assert_cmpstr (get_title (handbook), ==, "Follow changes");
  g_assert_cmpuint (search (handbook, "half-bit"), >, 1);
  window_test_activate (&test, "handbook");
  g_assert_cmpstr (get_title (handbook), ==, "User guide");
}

/* F1 in a row of the parameters leads to the row of the handbook's table. */
TEST (parameter, "/app/handbook/parameter")
{
  GtkTextBuffer *buffer;
  GtkTextIter start, end;

  g_auto (WindowTest) test = window_test_new (NULL);
  PrismParameterRow *row = widget_test_find (widget_test_get_part (test.window, "parameter_panel"),
                                             PRISM_TYPE_PARAMETER_ROW);
  g_assert_true (gtk_widget_grab_focus (GTK_WIDGET (row->editor)));
  window_test_activate (&test, "help");
  g_assert_cmpstr (get_title (find_handbook ()), ==, "Object");
  buffer = gtk_text_view_get_buffer (widget_test_get_part (find_handbook (), "view"));
  g_assert_true (gtk_text_buffer_get_selection_bounds (buffer, &start, &end));
  SAYS (gtk_text_buffer_get_text (buffer, &start, &end, FALSE), "object");
}

static char *
dup_text (GtkTextView *view)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

/* Marks are gone, what they mark is there; a link knows where it leads. */
TEST (text, "/app/handbook/text")
{
  g_autoptr (GtkTextView) view = GTK_TEXT_VIEW (g_object_ref_sink (gtk_text_view_new ()));
  GtkTextIter place;

  prism_handbook_text_append (view,
                              "[a\nlink](why.md#frc) and **bold** `code`\n\n- one\n- two\n\n"
                              "| k | v |\n|---|---|\n| a | b |\n\n```\n# x * y *\n```\n2 * 3");
  SAYS (dup_text (view), "a link and bold code\n• one\n• two\na:  b\n\n# x * y *\n\n2 * 3\n");
  gtk_text_buffer_get_iter_at_offset (gtk_text_view_get_buffer (view), &place, 2);
  g_assert_cmpstr (prism_handbook_text_get_link (view, &place), ==, "why.md#frc");
  gtk_text_buffer_get_iter_at_offset (gtk_text_view_get_buffer (view), &place, 10);
  g_assert_null (prism_handbook_text_get_link (view, &place));
}

/* Every figure of the pages is there and can be read. */
TEST (figures, "/app/handbook/figures")
{
  g_autoptr (GPtrArray) sections = prism_handbook_load ();

  for (guint i = 0; i < sections->len; i++)
    {
      const PrismHandbookSection *section = sections->pdata[i];
      g_auto (GStrv) parts = g_strsplit (section->text, "![", -1);
      g_autoptr (GtkWidget) view = g_object_ref_sink (gtk_text_view_new ());
      guint n_figures = 0;

      prism_handbook_text_append (GTK_TEXT_VIEW (view), section->text);
      for (GtkWidget *child = gtk_widget_get_first_child (view); child != NULL;
           child = gtk_widget_get_next_sibling (child))
        n_figures += widget_test_find (child, GTK_TYPE_PICTURE) != NULL;
      g_assert_cmpuint (n_figures + 1, ==, MAX (g_strv_length (parts), 1));
    }
}

static gboolean
has_sentence (GtkWidget *widget,
              const char *word)
{
  return FIND (widget, GTK_IS_LABEL (it) && gtk_widget_get_visible (it)
                           && gtk_widget_get_ancestor (it, GTK_TYPE_LIST_BOX) == NULL
                           && strstr (gtk_label_get_label (GTK_LABEL (it)), word) != NULL)
         != NULL;
}

/* Who reads the window in another language is told of that of the text. */
TEST (language, "/app/handbook/language")
{
  g_autofree char *before = g_strdup (setlocale (LC_ALL, NULL));
  GtkWidget *handbook = g_object_new (PRISM_TYPE_HANDBOOK_WINDOW, NULL);

  g_assert_false (has_sentence (handbook, "in English"));
  g_assert_false (prism_handbook_window_show (PRISM_HANDBOOK_WINDOW (handbook), "erste-schritte",
                                              NULL, NULL));
  g_assert_true (
      prism_handbook_window_show (PRISM_HANDBOOK_WINDOW (handbook), NULL, NULL, NULL));
  g_assert_cmpstr (get_title (GTK_WINDOW (handbook)), ==, "User guide");
  gtk_window_destroy (GTK_WINDOW (handbook));
  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("PRISM_LOCALE_DIR"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  handbook = g_object_new (PRISM_TYPE_HANDBOOK_WINDOW, NULL);
  g_assert_true (
      prism_handbook_window_show (PRISM_HANDBOOK_WINDOW (handbook), "why", "error", NULL));
  g_assert_true (has_sentence (handbook, "Englisch"));
  g_assert_cmpstr (get_title (GTK_WINDOW (handbook)), ==, "Fehler");
  /* What it does, the first picture, one's own measurement: first in the list, and opened. */
  g_assert_nonnull (find_label_above (GTK_WINDOW (handbook), "Die ersten zehn Minuten", 1));
  g_assert_nonnull (find_label_above (GTK_WINDOW (handbook), "Was das Programm tut", 2));
  g_assert_nonnull (find_label_above (GTK_WINDOW (handbook), "Das erste Bild", 3));
  g_assert_nonnull (find_label_above (GTK_WINDOW (handbook), "Die eigene Messung", 4));
  g_assert_true (
      prism_handbook_window_show (PRISM_HANDBOOK_WINDOW (handbook), NULL, NULL, NULL));
  g_assert_cmpstr (get_title (GTK_WINDOW (handbook)), ==, "Die ersten zehn Minuten");
  g_assert_false (has_sentence (handbook, "Englisch"));
  setlocale (LC_ALL, before);
  gtk_window_destroy (GTK_WINDOW (handbook));
}
