#include "config.h"

#include "handbook/prism-handbook-window.h"

#include "handbook/prism-handbook.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

struct _PrismHandbookWindow
{
  AdwWindow parent_instance;

  AdwWindowTitle *window_title;
  GtkWidget *back_button;
  GtkEditable *search;
  GtkListBox *list;
  GtkTextView *view;
  GtkLabel *count;
  GtkLabel *language_label; /* where the window speaks another language than the text */

  GPtrArray *sections;                  /* of PrismHandbookSection */
  GPtrArray *visited;                   /* of const PrismHandbookSection *, the shown one last */
  GdkPaintable *picture;                /* (nullable): of the program as it is */
  const PrismHandbookSection *pictured; /* (nullable): whose picture that is */
};

G_DEFINE_FINAL_TYPE (PrismHandbookWindow, prism_handbook_window, ADW_TYPE_WINDOW)

static const char english[] = N_ ("This page is in English.");

/* As the list calls it: most are words of the window, too. */
static const char *
get_name (const PrismHandbookSection *section)
{
  return *section->title != '\0' ? gettext (section->title) : "";
}

static const PrismHandbookSection *
get_shown (PrismHandbookWindow *self)
{
  guint n = self->visited->len;

  return n > 0 ? self->visited->pdata[n - 1] : NULL;
}

/* The section and those below it; of a page's first one only what stands before the next. */
static void
write_section (PrismHandbookWindow *self,
               const PrismHandbookSection *section)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  guint i = 0;
  GtkTextIter start;

  gtk_text_buffer_set_text (buffer, "", 0);
  prism_handbook_text_heading (self->view, section->title, 1);
  if (self->picture != NULL && self->pictured == section)
    prism_handbook_text_picture (self->view, self->picture, _ ("As your run shows it now"));
  prism_handbook_text_append (self->view, section->text);
  g_ptr_array_find (self->sections, section, &i);
  for (i++; section->level > 1 && i < self->sections->len; i++)
    {
      const PrismHandbookSection *below = self->sections->pdata[i];

      if (below->page != section->page || below->level <= section->level)
        break;
      prism_handbook_text_heading (self->view, below->title, 2);
      prism_handbook_text_append (self->view, below->text);
    }
  gtk_text_buffer_get_start_iter (buffer, &start);
  gtk_text_buffer_place_cursor (buffer, &start);
  gtk_text_view_scroll_to_iter (self->view, &start, 0, TRUE, 0, 0);
}

static void
update (PrismHandbookWindow *self)
{
  const PrismHandbookSection *section = get_shown (self);

  gtk_widget_set_sensitive (self->back_button, self->visited->len > 1);
  if (section == NULL)
    return;
  adw_window_title_set_subtitle (self->window_title, get_name (section));
  /* Only who reads the window in another language has to be told. */
  gtk_label_set_label (self->language_label, _ (english));
  gtk_widget_set_visible (GTK_WIDGET (self->language_label),
                          section->in_english && !g_str_equal (_ (english), english));
  write_section (self, section);
}

static void
go_to (PrismHandbookWindow *self,
       const PrismHandbookSection *section)
{
  if (section == get_shown (self))
    return;
  g_ptr_array_add (self->visited, (gpointer) section);
  update (self);
}

static void
on_back (PrismHandbookWindow *self)
{
  if (self->visited->len > 1)
    g_ptr_array_set_size (self->visited, self->visited->len - 1);
  update (self);
}

/* What a row of the list stands for. */
typedef struct
{
  const PrismHandbookSection *section;
  guint place; /* among the pages */
  guint rank;  /* for what is searched now */
  GtkLabel *excerpt;
} Entry;

static Entry *
get_entry (GtkListBoxRow *row)
{
  return g_object_get_data (G_OBJECT (row), "entry");
}

/* The keyboard goes to what is to be read. */
static void
on_row_activated (PrismHandbookWindow *self,
                  GtkListBoxRow *row)
{
  go_to (self, get_entry (row)->section);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

/* What is for users comes first, then what fits better; without words the order is that of the
 * pages. */
static int
compare_rows (GtkListBoxRow *a,
              GtkListBoxRow *b,
              gpointer data)
{
  const Entry *first = get_entry (a), *second = get_entry (b);

  if (first->section->for_users != second->section->for_users)
    return first->section->for_users ? -1 : 1;
  if (first->rank != second->rank)
    return (int) first->rank - (int) second->rank;
  return (int) first->place - (int) second->place;
}

static gboolean
is_found (GtkListBoxRow *row,
          gpointer data)
{
  return get_entry (row)->rank < PRISM_UI_TEXT_NO_MATCH;
}

static void
head_row (GtkListBoxRow *row,
          GtkListBoxRow *before,
          gpointer data)
{
  const gboolean for_users = get_entry (row)->section->for_users;
  GtkWidget *label = NULL;

  if (before == NULL || get_entry (before)->section->for_users != for_users)
    {
      label = prism_label_new (for_users ? _ ("Using the program") : _ ("How the program is made"),
                               "dim-label", -1);
      g_object_set (label, "margin-start", 12, "margin-top", 6, "margin-bottom", 6, NULL);
    }
  gtk_list_box_row_set_header (row, label);
}

static void
on_search_changed (PrismHandbookWindow *self)
{
  const char *words = gtk_editable_get_text (self->search);
  g_autofree char *text = NULL;
  GtkListBoxRow *row;
  guint n = 0;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      Entry *entry = get_entry (row);
      g_autofree char *excerpt = prism_handbook_dup_excerpt (entry->section, words);

      entry->rank
          = prism_ui_text_rank (get_name (entry->section), entry->section->title,
                                entry->section->text, words);
      n += is_found (row, NULL);
      gtk_label_set_label (entry->excerpt, excerpt);
      gtk_widget_set_visible (GTK_WIDGET (entry->excerpt), *words != '\0' && *excerpt != '\0');
    }
  gtk_list_box_invalidate_filter (self->list);
  gtk_list_box_invalidate_sort (self->list);
  gtk_list_box_invalidate_headers (self->list);
  text = g_strdup_printf (ngettext ("%u section", "%u sections", n), n);
  gtk_label_set_label (self->count, text);
}

/* (nullable): What fits best. */
static GtkListBoxRow *
find_first (PrismHandbookWindow *self)
{
  GtkListBoxRow *row;

  on_search_changed (self);
  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    if (is_found (row, NULL))
      return row;
  return NULL;
}

static void
on_search_activated (PrismHandbookWindow *self)
{
  GtkListBoxRow *row = find_first (self);

  if (row != NULL)
    on_row_activated (self, row);
}

/* ↓: to the list, where Return opens a row. */
static void
on_next_match (PrismHandbookWindow *self)
{
  GtkListBoxRow *row = find_first (self);

  if (row != NULL)
    gtk_widget_grab_focus (GTK_WIDGET (row));
}

/* "page.md#anchor", "#anchor", or an address elsewhere. */
static void
follow (PrismHandbookWindow *self,
        const char *link)
{
  const PrismHandbookSection *shown = get_shown (self);
  const char *hash = strchr (link, '#');
  const char *ending = strstr (link, ".md");
  g_autofree char *page = NULL;
  const PrismHandbookSection *section;

  if (strstr (link, "://") != NULL)
    {
      gtk_show_uri (GTK_WINDOW (self), link, GDK_CURRENT_TIME);
      return;
    }
  page = ending != NULL ? g_strndup (link, ending - link) : g_strdup (shown->page);
  section = prism_handbook_find (self->sections, page, hash != NULL ? hash + 1 : NULL);
  if (section != NULL)
    go_to (self, section);
}

static const char *
find_link (PrismHandbookWindow *self,
           double x,
           double y)
{
  GtkTextIter place;
  int column;
  int row;

  gtk_text_view_window_to_buffer_coords (self->view, GTK_TEXT_WINDOW_WIDGET, (int) x, (int) y,
                                         &column, &row);
  if (!gtk_text_view_get_iter_at_location (self->view, &place, column, row))
    return NULL;
  return prism_handbook_text_get_link (self->view, &place);
}

static void
on_click (PrismHandbookWindow *self,
          int n_presses,
          double x,
          double y)
{
  const char *link = find_link (self, x, y);

  if (link != NULL)
    follow (self, link);
}

static void
on_motion (PrismHandbookWindow *self,
           double x,
           double y)
{
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self->view),
                                   find_link (self, x, y) != NULL ? "pointer" : "text");
}

/* Enter follows the link at the cursor. */
static gboolean
on_key (PrismHandbookWindow *self,
        guint key)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter place;
  const char *link;

  if (key != GDK_KEY_Return && key != GDK_KEY_KP_Enter)
    return GDK_EVENT_PROPAGATE;
  gtk_text_buffer_get_iter_at_mark (buffer, &place, gtk_text_buffer_get_insert (buffer));
  link = prism_handbook_text_get_link (self->view, &place);
  if (link != NULL)
    follow (self, link);
  return link != NULL;
}

static void
fill (PrismHandbookWindow *self)
{
  for (guint i = 0; i < self->sections->len; i++)
    {
      const PrismHandbookSection *section = self->sections->pdata[i];
      const char *style = section->level == 1 ? "heading" : NULL;
      GtkWidget *label = prism_label_new (get_name (section), style, 0);
      GtkWidget *excerpt = prism_label_new (NULL, "dim-label", 0);
      GtkWidget *row = gtk_list_box_row_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
      Entry *entry = PRISM_NEW (Entry, section, i, 0, GTK_LABEL (excerpt));

      g_object_set (excerpt, "ellipsize", PANGO_ELLIPSIZE_END, "lines", 2, NULL);
      gtk_box_append (GTK_BOX (box), label);
      gtk_box_append (GTK_BOX (box), excerpt);
      gtk_widget_set_margin_start (box, 10 * (section->level - 1));
      gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
      prism_widget_set_name (row, get_name (section));
      g_object_set_data_full (G_OBJECT (row), "entry", entry, g_free);
      gtk_list_box_append (self->list, row);
    }
  gtk_list_box_set_filter_func (self->list, is_found, NULL, NULL);
  gtk_list_box_set_sort_func (self->list, compare_rows, NULL, NULL);
  gtk_list_box_set_header_func (self->list, head_row, NULL, NULL);
  on_search_changed (self);
}

static void
prism_handbook_window_dispose (PrismHandbookWindow *self)
{
  if (self->list != NULL)
    {
      gtk_list_box_set_filter_func (self->list, NULL, NULL, NULL);
      gtk_list_box_set_sort_func (self->list, NULL, NULL, NULL);
      gtk_list_box_set_header_func (self->list, NULL, NULL, NULL);
    }
}

static void
prism_handbook_window_class_init (PrismHandbookWindowClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_handbook_window_dispose);
  PRISM_DISPOSE (klass, PrismHandbookWindow, g_object_unref, picture);
  PRISM_ON_DISPOSE (klass, prism_widget_drop_template);
  PRISM_FINALIZE (klass, PrismHandbookWindow, g_ptr_array_unref, visited, sections);
  PRISM_TEMPLATE (klass, PrismHandbookWindow, "prism-handbook-window.ui", window_title,
                  back_button, search, list, view, count, language_label);
  PRISM_TEMPLATE_CALLBACKS (klass, on_back, on_row_activated, on_search_changed,
                            on_search_activated, on_next_match, prism_search_leave);
}

static void
prism_handbook_window_init (PrismHandbookWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->sections = prism_handbook_load ();
  self->visited = g_ptr_array_new ();
  prism_widget_control (self->view, gtk_gesture_click_new (), self, "released", on_click, NULL);
  prism_widget_control (self->view, gtk_event_controller_motion_new (), self, "motion", on_motion,
                        NULL);
  prism_widget_control (self->view, gtk_event_controller_key_new (), self, "key-pressed", on_key,
                        NULL);
  fill (self);
}

/**
 * prism_handbook_window_show:
 * @self: a window
 * @page: (nullable): name of a page; the one to begin with where it is %NULL
 * @anchor: (nullable): of a section, or the name of a row of its tables
 * @picture: (nullable): what the program shows of that now
 *
 * Opens a section, at the row where one is named.
 *
 * Returns: whether there is one of that name
 */
gboolean
prism_handbook_window_show (PrismHandbookWindow *self,
                            const char *page,
                            const char *anchor,
                            GdkPaintable *picture)
{
  const PrismHandbookSection *section = prism_handbook_find (self->sections, page, anchor);
  g_autofree char *row = g_strdup_printf ("\n%s:", anchor);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter from, to;

  if (section == NULL)
    return FALSE;
  g_set_object (&self->picture, picture);
  self->pictured = section;
  gtk_editable_set_text (self->search, "");
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
  go_to (self, section);
  update (self);
  gtk_text_buffer_get_start_iter (buffer, &from);
  if (gtk_text_iter_forward_search (&from, row, 0, &from, &to, NULL))
    {
      gtk_text_iter_forward_char (&from);
      gtk_text_iter_backward_char (&to);
      gtk_text_buffer_select_range (buffer, &from, &to);
      gtk_text_view_scroll_to_mark (self->view, gtk_text_buffer_get_insert (buffer), 0, TRUE, 0, 0);
    }
  return TRUE;
}
