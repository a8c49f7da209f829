#include "config.h"

#include "handbook/prism-handbook.h"

#include "support/prism-class.h"

#include "support/prism-ui-text.h"

#define FOLDER PRISM_RESOURCE_BASE "/handbook/"
#define ENDING ".md"
#define BEFORE 40 /* bytes of an excerpt before what was found */
#define EXCERPT 160

#define PAGE(name, title) name /* its title is for who translates */
#define N_FIRST 9

/* In the order in which they stand behind the page of the session's language: first what is for
 * users. */
static const char *const all_pages[] = {
  PAGE ("why", N_ ("Why?")),
  PAGE ("user-guide", N_ ("User guide")),
  PAGE ("lessons", N_ ("Lessons")),
  PAGE ("window", N_ ("The window in detail")),
  PAGE ("parameters", N_ ("Parameters")),
  PAGE ("telescope", N_ ("The simulated telescope")),
  PAGE ("measurements", N_ ("Measurements of a real instrument")),
  PAGE ("command-line", N_ ("The command line")),
  PAGE ("speed", N_ ("What makes runs faster")),
  PAGE ("first-prism", N_ ("From the first PRISM")),
  PAGE ("numerics", N_ ("Numerics")),
  PAGE ("python", N_ ("From Python and from C")),
  PAGE ("quality", N_ ("Quality")),
  PAGE ("reliability", N_ ("Reliability")),
  PAGE ("results", N_ ("A result as other programs open it")),
};
/* The first page in other languages than English. */
static const char *const beginnings[] = { "erste-schritte", "primeros-pasos", NULL };

PRISM_FREE (PrismHandbookSection, section_free, g_free, title, g_free, anchor, g_free, text)

/**
 * prism_handbook_dup_anchor:
 * @title: of a heading
 *
 * Returns: (transfer full): what links call it: lower case, dashes for blanks, no punctuation
 */
char *
prism_handbook_dup_anchor (const char *title)
{
  GString *anchor = g_string_new (NULL);
  g_autofree char *lower = g_utf8_strdown (title, -1);

  for (const char *p = lower; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar letter = g_utf8_get_char (p);

      if (g_unichar_isalnum (letter) || letter == '-' || letter == '_')
        g_string_append_unichar (anchor, letter);
      else if (letter == ' ')
        g_string_append_c (anchor, '-');
    }
  return g_string_free (anchor, FALSE);
}

static void
finish (PrismHandbookSection *section,
        GString *text)
{
  section->text = g_strstrip (g_strdup (text->str));
  g_string_truncate (text, 0);
}

static guint
rank (const char *page)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (all_pages) && !g_str_equal (page, all_pages[i]))
    i++;
  return g_strv_contains (beginnings, page) ? 0 : 1 + i;
}

/* What looks like a heading among lines of code is none. */
static void
split_page (GPtrArray *sections,
            const char *page,
            const char *markdown)
{
  g_auto (GStrv) lines = g_strsplit (markdown, "\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  PrismHandbookSection *section = NULL;
  gboolean code = FALSE;

  PRISM_FOR_EACH_STRING (line, lines)
    {
      guint level = code ? 0 : strspn (*line, "#");

      if (g_str_has_prefix (*line, "```"))
        code = !code;
      if (level == 0 || level > 6 || (*line)[level] != ' ')
        {
          g_string_append_printf (text, "%s\n", *line);
          continue;
        }
      if (section != NULL)
        finish (section, text);
      section = g_new0 (PrismHandbookSection, 1);
      section->page = page;
      section->for_users = rank (page) <= N_FIRST;
      section->in_english = !g_strv_contains (beginnings, page);
      section->level = level;
      section->title = g_strstrip (g_strdup (*line + level));
      section->anchor = prism_handbook_dup_anchor (section->title);
      g_ptr_array_add (sections, section);
      g_string_truncate (text, 0);
    }
  if (section != NULL)
    finish (section, text);
}

/* The page to begin with. */
static const char *
get_beginning (void)
{
  /* Translators: docs/erste-schritte.md, docs/primeros-pasos.md, or user-guide as it is */
  return C_ ("page", "user-guide");
}

static int
compare_pages (gconstpointer a,
               gconstpointer b)
{
  const char *x = *(const char *const *) a;
  const char *y = *(const char *const *) b;
  int order = (int) rank (x) - (int) rank (y);

  return order != 0 ? order : strcmp (x, y);
}

/**
 * prism_handbook_load:
 *
 * Returns: (transfer full) (element-type PrismHandbookSection): all sections, page by page
 */
GPtrArray *
prism_handbook_load (void)
{
  GPtrArray *sections = g_ptr_array_new_with_free_func (section_free);
  const GResourceLookupFlags flags = G_RESOURCE_LOOKUP_FLAGS_NONE;
  g_auto (GStrv) names = g_resources_enumerate_children (FOLDER, flags, NULL);
  g_autoptr (GPtrArray) pages = g_ptr_array_new ();

  for (char **name = names; name != NULL && *name != NULL; name++)
    {
      char *ending = strstr (*name, ENDING);

      if (ending == NULL)
        continue;
      *ending = '\0';
      if (!g_strv_contains (beginnings, *name) || g_str_equal (*name, get_beginning ()))
        g_ptr_array_add (pages, *name);
    }
  g_ptr_array_sort (pages, compare_pages);
  for (guint i = 0; i < pages->len; i++)
    {
      const char *page = g_intern_string (pages->pdata[i]);
      g_autofree char *path = g_strconcat (FOLDER, page, ENDING, NULL);
      g_autoptr (GBytes) bytes = g_resources_lookup_data (path, flags, NULL);
      g_autofree char *markdown
          = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));

      split_page (sections, page, markdown);
    }
  return sections;
}

/**
 * prism_handbook_find:
 * @sections: (element-type PrismHandbookSection): of prism_handbook_load()
 * @page: (nullable): name of a page; the one to begin with where it is %NULL
 * @anchor: (nullable): of a section, or the name of a row of its tables; the page's first section
 *   where it is %NULL or ""
 *
 * Returns: (transfer none) (nullable): the section
 */
const PrismHandbookSection *
prism_handbook_find (GPtrArray *sections,
                     const char *page,
                     const char *anchor)
{
  g_autofree char *row = g_strdup_printf ("\n| `%s` |", anchor);

  PRISM_FOR_EACH_POINTER (const PrismHandbookSection, section, sections)
    {
      if (strcmp (section->page, page != NULL ? page : get_beginning ()) == 0
          && (anchor == NULL || *anchor == '\0' || strcmp (section->anchor, anchor) == 0
              || strstr (section->text, row) != NULL))
        return section;
    }
  return NULL;
}

static GStrv
split_row (const char *line)
{
  g_autofree char *inner = g_strstrip (g_strdup (line));
  gsize length = strlen (inner);
  GStrv cells;

  if (length > 1 && inner[length - 1] == '|')
    inner[length - 1] = '\0';
  cells = g_strsplit (inner + (*inner == '|'), "|", -1);
  PRISM_FOR_EACH_STRING (cell, cells)
    g_strstrip (*cell);
  return cells;
}

/* A section as it is read, without marks of its layout: cells of a table one after the other. */
static char *
dup_plain (const char *markdown)
{
  static const char *const turns[][2] = { { "!?\\[([^]]*)\\]\\([^)]*\\)", "\\1" }, /* links */
                                          { "[`*]", "" },
                                          { "\\s+", " " } };
  g_auto (GStrv) lines = g_strsplit (markdown, "\n", -1);
  GString *plain = g_string_new (NULL);
  char *text;

  PRISM_FOR_EACH_STRING (line, lines)
    {
      const gboolean is_row = **line == '|';
      g_auto (GStrv) cells = is_row ? split_row (*line) : NULL;
      g_autofree char *row = is_row ? g_strjoinv (" · ", cells) : NULL;

      if (!g_str_has_prefix (*line, "```") && !(is_row && (*line)[strspn (*line, "|-: ")] == '\0'))
        g_string_append_printf (plain, "%s ", is_row ? row : *line);
    }
  text = g_string_free (plain, FALSE);
  for (gsize i = 0; i < G_N_ELEMENTS (turns); i++)
    {
      g_autoptr (GRegex) regex = g_regex_new (turns[i][0], 0, 0, NULL);
      g_autofree char *before = text;

      text = g_regex_replace (regex, before, -1, 0, turns[i][1], 0, NULL);
    }
  return g_strstrip (text);
}

/**
 * prism_handbook_dup_excerpt:
 * @section: a section
 * @words: what is searched for
 *
 * Returns: (transfer full): the text around the first of the words, as it is read; "" where it
 *   stands in the title alone
 */
char *
prism_handbook_dup_excerpt (const PrismHandbookSection *section,
                            const char *words)
{
  g_autofree char *plain = dup_plain (section->text);
  g_autofree char *text = g_ascii_strdown (plain, -1);
  g_autofree char *wanted = prism_ui_text_dup_folded (words);
  g_auto (GStrv) parts = g_strsplit (g_strstrip (wanted), " ", 2);
  const char *at = parts[0] != NULL ? strstr (text, parts[0]) : NULL;
  const char *start = at, *end = at;

  if (at == NULL)
    return g_strdup ("");
  while (start > text && (at - start < BEFORE || *start != ' '))
    start--;
  while (*end != '\0' && (end - at < EXCERPT || *end != ' '))
    end++;
  return g_strstrip (g_strndup (plain + (start - text), end - start));
}

#define LINK "prism-link" /* of a tag: where it leads */
#define PICTURE_WIDTH 560
#define PICTURE_HEIGHT 320

static GtkTextTag *
get_tag (GtkTextBuffer *buffer,
         const char *name)
{
  GtkTextTag *tag = gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (buffer), name);

  if (tag != NULL)
    return tag;
  tag = gtk_text_buffer_create_tag (buffer, name, NULL, NULL);
  if (strcmp (name, "bold") == 0)
    g_object_set (tag, "weight", PANGO_WEIGHT_BOLD, NULL);
  else if (strcmp (name, "italic") == 0)
    g_object_set (tag, "style", PANGO_STYLE_ITALIC, NULL);
  else if (strcmp (name, "code") == 0)
    g_object_set (tag, "family", "monospace", "scale", 0.93, NULL);
  else if (strcmp (name, "block") == 0)
    g_object_set (tag, "family", "monospace", "scale", 0.9, "left-margin", 24, "wrap-mode",
                  GTK_WRAP_CHAR, NULL);
  else if (strcmp (name, "list") == 0)
    g_object_set (tag, "left-margin", 24, "indent", -14, "pixels-below-lines", 4, NULL);
  else if (strcmp (name, "row") == 0)
    g_object_set (tag, "left-margin", 12, "pixels-below-lines", 4, NULL);
  else if (strcmp (name, "paragraph") == 0)
    g_object_set (tag, "pixels-below-lines", 8, NULL);
  else if (strcmp (name, "h1") == 0)
    g_object_set (tag, "weight", PANGO_WEIGHT_BOLD, "scale", 1.6, "pixels-below-lines", 8, NULL);
  else
    g_object_set (tag, "weight", PANGO_WEIGHT_BOLD, "scale", 1.25, "pixels-above-lines", 10,
                  "pixels-below-lines", 6, NULL);
  return tag;
}

static void
insert (GtkTextBuffer *buffer,
        const char *text,
        gssize length,
        const char *outer,
        GtkTextTag *inner)
{
  GtkTextIter end;
  GtkTextIter start;
  int offset;

  gtk_text_buffer_get_end_iter (buffer, &end);
  offset = gtk_text_iter_get_offset (&end);
  gtk_text_buffer_insert (buffer, &end, text, length);
  gtk_text_buffer_get_iter_at_offset (buffer, &start, offset);
  gtk_text_buffer_get_end_iter (buffer, &end);
  if (outer != NULL)
    gtk_text_buffer_apply_tag (buffer, get_tag (buffer, outer), &start, &end);
  if (inner != NULL)
    gtk_text_buffer_apply_tag (buffer, inner, &start, &end);
}

/* [text](target): how long it is, 0 where it is none. */
static gsize
insert_link (GtkTextBuffer *buffer,
             const char *text,
             const char *outer)
{
  const char *middle = strstr (text, "](");
  const char *bracket = strchr (text + 1, '[');
  const char *end = middle != NULL ? strchr (middle, ')') : NULL;
  GtkTextTag *tag;

  if (end == NULL || (bracket != NULL && bracket < middle))
    return 0;
  tag = gtk_text_buffer_create_tag (buffer, NULL, "underline", PANGO_UNDERLINE_SINGLE, NULL);
  g_object_set_data_full (G_OBJECT (tag), LINK, g_strndup (middle + 2, end - middle - 2), g_free);
  insert (buffer, text + 1, middle - text - 1, outer, tag);
  return end - text + 1;
}

/* Between two marks of the same kind: how long it is with them, 0 where there is no second one. */
static gsize
insert_marked (GtkTextBuffer *buffer,
               const char *text,
               const char *mark,
               const char *tag,
               const char *outer)
{
  gsize length = strlen (mark);
  const char *end = strstr (text + length, mark);

  if (strncmp (text, mark, length) != 0 || end == NULL || end == text + length)
    return 0;
  insert (buffer, text + length, end - text - length, outer, get_tag (buffer, tag));
  return end - text + length;
}

static void
insert_line (GtkTextBuffer *buffer,
             const char *text,
             const char *outer)
{
  while (*text != '\0')
    {
      gsize plain = strcspn (text, "`*[");
      gsize length;

      if (plain > 0)
        insert (buffer, text, plain, outer, NULL);
      text += plain;
      if (*text == '\0')
        return;
      length = *text == '[' ? insert_link (buffer, text, outer) : 0;
      if (length == 0)
        length = insert_marked (buffer, text, "`", "code", outer);
      if (length == 0)
        length = insert_marked (buffer, text, "**", "bold", outer);
      if (length == 0)
        length = insert_marked (buffer, text, "*", "italic", outer);
      if (length == 0)
        {
          insert (buffer, text, 1, outer, NULL);
          length = 1;
        }
      text += length;
    }
}

/* How many bytes of a line are the mark of a point of a list, "- " or "1. ". */
static gsize
get_mark (const char *line)
{
  gsize n_digits = g_ascii_isdigit (*line) ? 1 : 0;

  return g_str_has_prefix (line + n_digits, n_digits > 0 ? ". " : "- ") ? n_digits + 2 : 0;
}

/* The lines of one paragraph, or of one point of a list, as one. */
static void
flush (GtkTextBuffer *buffer,
       GString *paragraph)
{
  gsize mark = get_mark (paragraph->str);
  const char *tag = mark > 0 ? "list" : "paragraph";

  if (paragraph->len == 0)
    return;
  if (g_str_has_prefix (paragraph->str, "- "))
    insert (buffer, "• ", -1, tag, NULL);
  else
    insert (buffer, paragraph->str, mark, tag, NULL);
  insert_line (buffer, paragraph->str + mark, tag);
  insert (buffer, "\n", 1, tag, NULL);
  g_string_truncate (paragraph, 0);
}

/* A row of a table in a line: its name, then what the columns say. */
static void
append_row (GtkTextBuffer *buffer,
            GStrv head,
            GStrv cells)
{
  guint n_columns = g_strv_length (head);

  for (guint i = 0; cells[i] != NULL; i++)
    {
      g_autofree char *name = NULL;

      if (*cells[i] == '\0')
        continue;
      if (i > 0)
        insert (buffer, i == 1 ? ":  " : "  ·  ", -1, "row", NULL);
      if (i > 0 && n_columns > 2 && i < n_columns && *head[i] != '\0')
        {
          name = g_strdup_printf ("%s ", head[i]);
          insert (buffer, name, -1, "row", get_tag (buffer, "italic"));
        }
      insert_line (buffer, cells[i], "row");
    }
  insert (buffer, "\n", 1, "row", NULL);
}

/* ![alt](images/name.png). Drawings are SVG, which need a loader that may be missing. */
static gboolean
append_figure (GtkTextView *view,
               const char *line)
{
  const char *middle = g_str_has_prefix (line, "![") ? strstr (line, "](") : NULL;
  const char *end = middle != NULL ? strchr (middle, ')') : NULL;
  g_autofree char *caption = NULL;
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  if (end == NULL)
    return FALSE;
  caption = g_strndup (line + 2, middle - line - 2);
  name = g_strndup (middle + 2, end - middle - 2);
  path = g_strconcat (PRISM_RESOURCE_BASE "/handbook/", name, NULL);
  bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  if (bytes != NULL)
    texture = gdk_texture_new_from_bytes (bytes, NULL);
  prism_handbook_text_picture (view, GDK_PAINTABLE (texture), caption);
  return TRUE;
}

/* What follows lines of a table, of code and of prose. */
typedef struct
{
  GtkTextView *view;
  GtkTextBuffer *buffer;
  GString *paragraph;
  GStrv head; /* (nullable): of the table that is open */
  gboolean code;
} Writing;

static void
write_line (Writing *self,
            const char *line)
{
  g_autofree char *text = g_strstrip (g_strdup (line));

  if (g_str_has_prefix (text, "```"))
    {
      flush (self->buffer, self->paragraph);
      self->code = !self->code;
      if (!self->code)
        insert (self->buffer, "\n", 1, NULL, NULL);
      return;
    }
  if (self->code)
    {
      insert (self->buffer, line, -1, "block", NULL);
      insert (self->buffer, "\n", 1, "block", NULL);
      return;
    }
  if (*text == '|')
    {
      g_auto (GStrv) cells = split_row (text);

      flush (self->buffer, self->paragraph);
      if (self->head == NULL)
        self->head = g_steal_pointer (&cells);
      else if (!g_str_has_prefix (text, "|-"))
        append_row (self->buffer, self->head, cells);
      return;
    }
  if (self->head != NULL)
    insert (self->buffer, "\n", 1, NULL, NULL);
  g_clear_pointer (&self->head, g_strfreev);
  if (*text == '\0' || get_mark (text) > 0 || g_str_has_prefix (text, "<!--"))
    flush (self->buffer, self->paragraph);
  if (*text == '\0' || g_str_has_prefix (text, "<!--") || append_figure (self->view, text))
    return;
  g_string_append_printf (self->paragraph, "%s%s", self->paragraph->len > 0 ? " " : "", text);
}

/**
 * prism_handbook_text_append:
 * @view: a text view
 * @markdown: what to add at its end
 */
void
prism_handbook_text_append (GtkTextView *view,
                            const char *markdown)
{
  g_auto (GStrv) lines = g_strsplit (markdown, "\n", -1);
  g_autoptr (GString) paragraph = g_string_new (NULL);
  Writing writing = { view, gtk_text_view_get_buffer (view), paragraph, NULL, FALSE };

  PRISM_FOR_EACH_STRING (line, lines)
    write_line (&writing, *line);
  flush (writing.buffer, paragraph);
  g_strfreev (writing.head);
}

/**
 * prism_handbook_text_heading:
 * @view: a text view
 * @title: of a section
 * @level: from 1
 */
void
prism_handbook_text_heading (GtkTextView *view,
                             const char *title,
                             guint level)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);

  insert (buffer, title, -1, level == 1 ? "h1" : "h2", NULL);
  insert (buffer, "\n", 1, level == 1 ? "h1" : "h2", NULL);
}

/**
 * prism_handbook_text_picture:
 * @view: a text view
 * @picture: (nullable): what to show; its caption alone where there is none
 * @caption: what it shows
 */
void
prism_handbook_text_picture (GtkTextView *view,
                             GdkPaintable *picture,
                             const char *caption)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  GtkTextIter end;

  if (picture != NULL)
    {
      GtkWidget *widget = gtk_picture_new_for_paintable (picture);
      int width = gdk_paintable_get_intrinsic_width (picture);
      int height = gdk_paintable_get_intrinsic_height (picture);
      double scale = MIN (1, MIN ((double) PICTURE_WIDTH / MAX (width, 1),
                                  (double) PICTURE_HEIGHT / MAX (height, 1)));

      gtk_picture_set_alternative_text (GTK_PICTURE (widget), caption);
      gtk_widget_set_size_request (widget, MAX (scale * width, 1), MAX (scale * height, 1));
      gtk_text_buffer_get_end_iter (buffer, &end);
      gtk_text_view_add_child_at_anchor (view, widget,
                                         gtk_text_buffer_create_child_anchor (buffer, &end));
      insert (buffer, "\n", 1, NULL, NULL);
    }
  insert (buffer, caption, -1, "paragraph", get_tag (buffer, "italic"));
  insert (buffer, "\n", 1, "paragraph", NULL);
}

/**
 * prism_handbook_text_get_link:
 * @view: a text view
 * @place: a place in its text
 *
 * Returns: (transfer none) (nullable): where the link leads that is there
 */
const char *
prism_handbook_text_get_link (GtkTextView *view,
                              const GtkTextIter *place)
{
  GSList *tags = gtk_text_iter_get_tags (place);
  const char *link = NULL;

  for (GSList *tag = tags; tag != NULL && link == NULL; tag = tag->next)
    link = g_object_get_data (tag->data, LINK);
  g_slist_free (tags);
  return link;
}
