#include "config.h"

#include "canvas/prism-canvas.h"

#include "support/prism-class.h"

#define NO_TOOL "none"

G_DEFINE_FINAL_TYPE (PrismMarkBook, prism_mark_book, G_TYPE_OBJECT)

/* Whoever keeps the text gets it once when a drag is over. */
static void
changed (PrismMarkBook *self)
{
  g_autofree char *text = prism_mark_list_to_text (self->marks);

  g_signal_emit_by_name (self, "changed");
  if (self->dragging || g_str_equal (text, self->text))
    return;
  g_free (self->text);
  self->text = g_steal_pointer (&text);
  g_object_notify (G_OBJECT (self), "text");
}

static void
set_text (PrismMarkBook *self,
          const char *text)
{
  g_autoptr (GArray) marks = prism_mark_list_parse (text, NULL);

  /* What cannot be read is refused where it was written. */
  if (marks == NULL || g_strcmp0 (text, self->text) == 0)
    return;
  g_array_unref (self->marks);
  self->marks = g_steal_pointer (&marks);
  self->dragging = FALSE;
  prism_mark_book_select (self, MIN (self->selected, (int) self->marks->len - 1));
  changed (self);
}

static void
widen (PrismMarkBook *self)
{
  const PrismMark *held = prism_mark_book_get_held (self);

  if (held != NULL && held->kind == PRISM_MARK_LINE && held->width != self->line_width)
    {
      PrismMark mark = *held;

      mark.width = self->line_width;
      prism_mark_book_replace (self, &mark);
    }
}

static void
set_tool_name (PrismMarkBook *self,
               const char *name)
{
  guint tool = PRISM_MARK_BOOK_NO_TOOL;

  for (guint i = 0; i < PRISM_MARK_N_KINDS; i++)
    if (g_strcmp0 (name, prism_mark_get_name (i)) == 0)
      tool = i;
  prism_mark_book_set_tool (self, tool);
}

static char *
dup_text (PrismMarkBook *self)
{
  return g_strdup (self->text);
}

static char *
dup_tool_name (PrismMarkBook *self)
{
  return g_strdup (self->tool == PRISM_MARK_BOOK_NO_TOOL ? NO_TOOL
                                                         : prism_mark_get_name (self->tool));
}

static int
get_selected (PrismMarkBook *self)
{
  return self->selected;
}

static void
prism_mark_book_class_init (PrismMarkBookClass *klass)
{
  PRISM_FINALIZE (klass, PrismMarkBook, g_array_unref, marks);
  PRISM_FINALIZE (klass, PrismMarkBook, g_free, text);
  prism_property_new (klass, "text", G_TYPE_STRING, 0, dup_text, set_text);
  prism_property_new (klass, "tool", G_TYPE_STRING, 0, dup_tool_name, set_tool_name);
  prism_property_new (klass, "selected", G_TYPE_INT, 0, get_selected, prism_mark_book_select);
  PRISM_FIELD (klass, PrismMarkBook, line_width, G_TYPE_INT, widen);
  prism_signal_new (klass, "changed", 0);
}

static void
prism_mark_book_init (PrismMarkBook *self)
{
  self->marks = g_array_new (FALSE, FALSE, sizeof (PrismMark));
  self->text = g_strdup ("");
  self->tool = PRISM_MARK_BOOK_NO_TOOL;
  self->selected = -1;
  self->line_width = 1;
}

/**
 * prism_mark_book_get_held:
 * @self: a book
 *
 * Returns: (transfer none) (nullable): the mark that is held, until the marks change
 */
const PrismMark *
prism_mark_book_get_held (PrismMarkBook *self)
{
  return self->selected >= 0 ? &g_array_index (self->marks, PrismMark, self->selected) : NULL;
}

/**
 * prism_mark_book_add:
 * @self: a book
 * @mark: a mark
 *
 * Adds it and holds it.
 *
 * Returns: whether there was room
 */
gboolean
prism_mark_book_add (PrismMarkBook *self,
                     const PrismMark *mark)
{
  PrismMark copy = *mark;

  if (self->marks->len == PRISM_MARK_MOST)
    return FALSE;
  copy.width = mark->kind == PRISM_MARK_LINE ? self->line_width : 1;
  g_array_append_val (self->marks, copy);
  prism_mark_book_select (self, (int) self->marks->len - 1);
  changed (self);
  return TRUE;
}

/**
 * prism_mark_book_replace:
 * @self: a book that holds a mark
 * @mark: what becomes of it
 *
 * Moves or changes the mark that is held.
 */
void
prism_mark_book_replace (PrismMarkBook *self,
                         const PrismMark *mark)
{
  PrismMark *held;

  g_return_if_fail (self->selected >= 0);

  held = &g_array_index (self->marks, PrismMark, self->selected);
  if (memcmp (held, mark, sizeof *mark) == 0)
    return;
  *held = *mark;
  changed (self);
}

/**
 * prism_mark_book_remove:
 * @self: a book
 *
 * Removes the mark that is held, and holds the one before it.
 *
 * Returns: whether there was one
 */
gboolean
prism_mark_book_remove (PrismMarkBook *self)
{
  int index = self->selected;

  if (index < 0)
    return FALSE;
  g_array_remove_index (self->marks, index);
  self->selected = G_MININT;
  prism_mark_book_select (self, MAX (index - 1, self->marks->len > 0 ? 0 : -1));
  changed (self);
  return TRUE;
}

/**
 * prism_mark_book_select:
 * @self: a book
 * @index: of a mark, -1 for none
 *
 * Holds another mark.
 */
void
prism_mark_book_select (PrismMarkBook *self,
                        int index)
{
  const PrismMark *held;

  if (index == self->selected || index >= (int) self->marks->len)
    return;
  self->selected = index;
  held = prism_mark_book_get_held (self);
  if (held != NULL && held->kind == PRISM_MARK_LINE)
    g_object_set (self, "line-width", held->width, NULL);
  g_object_notify (G_OBJECT (self), "selected");
  g_signal_emit_by_name (self, "changed");
}

/**
 * prism_mark_book_set_tool:
 * @self: a book
 * @tool: a PrismMarkKind, or PRISM_MARK_BOOK_NO_TOOL
 *
 * Chooses what pointer and keys draw next.
 */
void
prism_mark_book_set_tool (PrismMarkBook *self,
                          guint tool)
{
  if (tool == self->tool)
    return;
  self->tool = tool;
  g_object_notify (G_OBJECT (self), "tool");
}

/**
 * prism_mark_book_end_drag:
 * @self: a book
 *
 * Takes what has been dragged as it is now.
 */
void
prism_mark_book_end_drag (PrismMarkBook *self)
{
  if (!self->dragging)
    return;
  self->dragging = FALSE;
  changed (self);
}
