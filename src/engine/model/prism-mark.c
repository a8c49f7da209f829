#include "config.h"

#include "model/prism-mark.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-text.h"

#define CAMERA "camera"
/* Far more than any picture has. */
#define FARTHEST 99999

static const char *const names[PRISM_MARK_N_KINDS] = { "line", "rectangle", "ellipse", "ruler" };

/**
 * prism_mark_get_name:
 * @kind: a kind
 *
 * Returns: (transfer none): the word that it has in a setting
 */
const char *
prism_mark_get_name (PrismMarkKind kind)
{
  g_return_val_if_fail ((guint) kind < PRISM_MARK_N_KINDS, NULL);

  return names[kind];
}

/**
 * prism_measure_get_name:
 *
 * Returns: (transfer none): what it is called in files, with its unit
 */
const char *
prism_measure_get_name (PrismMeasure measure)
{
  static const char *const measures[PRISM_MEASURE_N]
      = { "length_um", "amplitude", "path_nm", "mass_pg", "line_pairs_per_mm", "usaf_steps",
          "contrast" };

  return measures[measure];
}

/**
 * prism_mark_is_area:
 * @self: a mark
 *
 * Returns: whether there are pixels in it
 */
gboolean
prism_mark_is_area (const PrismMark *self)
{
  return self->kind == PRISM_MARK_RECTANGLE || self->kind == PRISM_MARK_ELLIPSE;
}

/**
 * prism_mark_get_area:
 * @self: a rectangle or an ellipse
 * @area: (out caller-allocates): the pixels in it
 *
 * Says which pixels it holds.
 */
void
prism_mark_get_area (const PrismMark *self,
                     PrismArea *area)
{
  *area = (PrismArea) {
    .ellipse = self->kind == PRISM_MARK_ELLIPSE,
    .x = MIN (self->x0, self->x1),
    .y = MIN (self->y0, self->y1),
    .width = ABS (self->x1 - self->x0) + 1,
    .height = ABS (self->y1 - self->y0) + 1,
  };
}

/**
 * prism_mark_get_line:
 * @self: a line or a ruler
 * @line: (out caller-allocates): from one end to the other
 *
 * Says where it lies.
 */
void
prism_mark_get_line (const PrismMark *self,
                     PrismLineProfile *line)
{
  *line = (PrismLineProfile) { self->x0, self->y0, self->x1, self->y1, MAX (self->width, 1) };
}

static gboolean
find_kind (const char *word,
           PrismMarkKind *kind)
{
  for (guint i = 0; i < PRISM_MARK_N_KINDS; i++)
    if (word != NULL && g_str_equal (word, names[i]))
      {
        *kind = (PrismMarkKind) i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_number (const char *word,
             gint64 least,
             gint64 most,
             int *number)
{
  gint64 value;

  if (!g_ascii_string_to_signed (word, 10, least, most, &value, NULL))
    return FALSE;
  *number = (int) value;
  return TRUE;
}

/* "camera ellipse 4 4 20 20" */
static gboolean
parse_one (const char *text,
           PrismMark *mark)
{
  g_auto (GStrv) words = prism_text_split (text, " \t\n");
  int *const numbers[] = { &mark->x0, &mark->y0, &mark->x1, &mark->y1, &mark->width };
  const guint n = g_strv_length (words);
  guint first;

  *mark = (PrismMark) { .width = 1 };
  mark->camera = n > 0 && g_str_equal (words[0], CAMERA);
  first = mark->camera ? 1 : 0;
  if (n < first + 5 || !find_kind (words[first], &mark->kind)
      || n > first + (mark->kind == PRISM_MARK_LINE ? 6 : 5))
    return FALSE;
  for (guint i = 0; i < n - first - 1; i++)
    if (!read_number (words[first + 1 + i], i < 4 ? -FARTHEST : 1,
                      i < 4 ? FARTHEST : PRISM_MARK_MAX_WIDTH, numbers[i]))
      return FALSE;
  return TRUE;
}

/**
 * prism_mark_list_parse:
 * @text: marks, separated by semicolons; "" for none
 * @error: return location
 *
 * Reads the marks of a setting.
 *
 * Units: px.
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (element-type PrismMark) (nullable): the marks
 */
GArray *
prism_mark_list_parse (const char *text,
                       GError **error)
{
  g_auto (GStrv) parts = prism_text_split (text, ";");
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof (PrismMark));

  PRISM_FOR_EACH_STRING (part, parts)
    {
      PrismMark mark;

      if (marks->len == PRISM_MARK_MOST || !parse_one (*part, &mark))
        {
          g_autofree char *shown = g_utf8_make_valid (*part, -1);

          prism_error_config (
              error,
              _ ("marks has “%.40s” as mark %u: write up to %d marks such as “line 10 20 90 40 3”, "
                 "“rectangle 4 4 20 20”, “ellipse 4 4 20 20” or “ruler 0 0 50 0”, with “;” "
                 "between them."),
              shown, marks->len + 1, PRISM_MARK_MOST);
          return NULL;
        }
      g_array_append_val (marks, mark);
    }
  return g_steal_pointer (&marks);
}

/**
 * prism_mark_to_text:
 * @self: a mark
 *
 * Returns: (transfer full): it, as prism_mark_list_parse() reads it
 */
char *
prism_mark_to_text (const PrismMark *self)
{
  g_autofree char *width = self->kind == PRISM_MARK_LINE && self->width != 1
                               ? g_strdup_printf (" %d", self->width)
                               : g_strdup ("");

  return g_strdup_printf ("%s%s %d %d %d %d%s", self->camera ? CAMERA " " : "", names[self->kind],
                          self->x0, self->y0, self->x1, self->y1, width);
}

/**
 * prism_mark_list_to_text:
 * @marks: (element-type PrismMark): marks
 *
 * Writes marks as prism_mark_list_parse() reads them.
 *
 * Returns: (transfer full): the value of the parameter marks
 */
char *
prism_mark_list_to_text (const GArray *marks)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < marks->len; i++)
    {
      g_autofree char *one = prism_mark_to_text (&g_array_index (marks, PrismMark, i));

      g_string_append_printf (text, "%s%s", i > 0 ? "; " : "", one);
    }
  return g_string_free (text, FALSE);
}
