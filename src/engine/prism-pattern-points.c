#include "config.h"

#include "prism-pattern-points.h"

#include "prism-error.h"
#include "prism-file.h"

#include <math.h>
#include <string.h>

#define MAX_BYTES (8 << 20)
#define SEPARATORS ",; \t"

typedef struct
{
  const char *name;
  int image_size;
  guint column_y;
  guint column_x;
  GArray *points; /* of PrismPoint */
} Parser;

/* The fields of a line, cut out of it; empty ones between separators do not count. */
static void
split_line (char *line,
            GPtrArray *fields)
{
  g_ptr_array_set_size (fields, 0);
  while (*(line += strspn (line, SEPARATORS)) != '\0')
    {
      g_ptr_array_add (fields, line);
      line += strcspn (line, SEPARATORS);
      if (*line != '\0')
        *line++ = '\0';
    }
}

static gboolean
parse_number (const char *text,
              double *value)
{
  char *end;

  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*value);
}

/* Takes the order of the columns from a line of names; FALSE for any other line. */
static gboolean
read_names (Parser *self,
            GPtrArray *fields)
{
  guint column_y = G_MAXUINT, column_x = G_MAXUINT;

  for (guint i = 0; i < fields->len; i++)
    {
      g_autofree char *name = g_ascii_strdown (fields->pdata[i], -1);

      g_strstrip (g_strdelimit (name, "\"'", ' '));
      if (strcmp (name, "y") == 0 || strcmp (name, "ky") == 0)
        column_y = i;
      else if (strcmp (name, "x") == 0 || strcmp (name, "kx") == 0)
        column_x = i;
    }
  if (column_y == G_MAXUINT || column_x == G_MAXUINT)
    return FALSE;
  self->column_y = column_y;
  self->column_x = column_x;
  return TRUE;
}

static gboolean
read_point (Parser *self,
            GPtrArray *fields,
            guint line,
            GError **error)
{
  int half = self->image_size / 2;
  PrismPoint point = { 0 };

  if (MAX (self->column_y, self->column_x) >= fields->len
      || !parse_number (fields->pdata[self->column_y], &point.y)
      || !parse_number (fields->pdata[self->column_x], &point.x))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   "%s, line %u: a position is two numbers, y and x in pixels, such as “12.5, -3”;"
                   " or begin with a line of names that has “y” and “x”.",
                   self->name, line);
      return FALSE;
    }
  if (fabs (point.y) > half || fabs (point.x) > half)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%s, line %u: the position (%g, %g) is outside the field, which reaches from -%d"
                   " to %d px. Move it or choose a larger image_size.",
                   self->name, line, point.y, point.x, half, half);
      return FALSE;
    }
  if (self->points->len >= PRISM_PATTERN_MAX_POINTS)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%s has more than %d positions. Leave some out.", self->name,
                   PRISM_PATTERN_MAX_POINTS);
      return FALSE;
    }
  g_array_append_val (self->points, point);
  return TRUE;
}

static gboolean
read_lines (Parser *self,
            char **lines,
            GError **error)
{
  g_autoptr (GPtrArray) fields = g_ptr_array_new ();
  gboolean may_have_names = TRUE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_strstrip (lines[i]);
      if (lines[i][0] == '\0' || lines[i][0] == '#')
        continue;
      split_line (lines[i], fields);
      if (fields->len == 0)
        continue;
      if (!(may_have_names && read_names (self, fields))
          && !read_point (self, fields, i + 1, error))
        return FALSE;
      may_have_names = FALSE;
    }
  return TRUE;
}

static PrismPoint *
parse_lines (char **lines,
             const char *name,
             int image_size,
             guint *n_points,
             GError **error)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (PrismPoint));
  Parser parser = { name, image_size, 0, 1, points };

  if (!read_lines (&parser, lines, error))
    return NULL;
  if (points->len == 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%s has no position. Give at least one, such as “0, 0”.", name);
      return NULL;
    }
  *n_points = points->len;
  return (PrismPoint *) g_array_free (g_steal_pointer (&points), FALSE);
}

/**
 * prism_pattern_points_load:
 * @path: a CSV file
 * @image_size: n
 * @n_points: (out): how many
 * @error: return location
 *
 * Reads positions from a file.
 *
 * Units: px from the origin of k-space, within ±n/2.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, each with the line's number.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable) (array length=n_points): positions, free with g_free()
 */
PrismPoint *
prism_pattern_points_load (const char *path,
                           int image_size,
                           guint *n_points,
                           GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_BYTES, error);
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  gsize length;
  const char *data;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  if (length >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0)
    {
      data += 3;
      length -= 3;
    }
  if (!g_utf8_validate (data, length, NULL))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   "%s is not a text file. Give a CSV file with the columns y and x.", name);
      return NULL;
    }
  text = g_strndup (data, length);
  g_strdelimit (text, "\r", '\n');
  lines = g_strsplit (text, "\n", -1);
  return parse_lines (lines, name, image_size, n_points, error);
}

/**
 * prism_pattern_points_parse:
 * @text: positions, separated by semicolons
 * @name: what messages call the text
 * @image_size: n
 * @n_points: (out): how many
 * @error: return location
 *
 * Reads positions from a setting: "0, 0; 12.5, -3".
 *
 * Units: px from the origin of k-space, within ±n/2.
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG; the line of the message is the entry.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable) (array length=n_points): positions, free with g_free()
 */
PrismPoint *
prism_pattern_points_parse (const char *text,
                            const char *name,
                            int image_size,
                            guint *n_points,
                            GError **error)
{
  g_auto (GStrv) entries = g_strsplit (text, ";", -1);

  return parse_lines (entries, name, image_size, n_points, error);
}

/* Every digit, but 12.3 as "12.3". */
static const char *
format_number (char buffer[G_ASCII_DTOSTR_BUF_SIZE],
               double value)
{
  g_ascii_formatd (buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.15g", value);
  if (g_ascii_strtod (buffer, NULL) != value)
    g_ascii_dtostr (buffer, G_ASCII_DTOSTR_BUF_SIZE, value);
  return buffer;
}

static char *
format_points (const PrismPoint *points,
               guint n_points,
               const char *head,
               const char *between,
               const char *after)
{
  GString *text = g_string_new (head);
  char y[G_ASCII_DTOSTR_BUF_SIZE], x[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < n_points; i++)
    g_string_append_printf (text, "%s%s%s%s", format_number (y, points[i].y), between,
                            format_number (x, points[i].x), after);
  return g_string_free (text, FALSE);
}

/**
 * prism_pattern_points_to_csv:
 * @points: (array length=n_points): positions
 * @n_points: how many
 *
 * Writes positions as prism_pattern_points_load() reads them, every digit kept.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the text of a CSV file
 */
char *
prism_pattern_points_to_csv (const PrismPoint *points,
                             guint n_points)
{
  return format_points (points, n_points, "y,x\n", ",", "\n");
}

/**
 * prism_pattern_points_to_text:
 * @points: (array length=n_points): positions
 * @n_points: how many
 *
 * Writes positions as prism_pattern_points_parse() reads them, every digit kept.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the text of a setting
 */
char *
prism_pattern_points_to_text (const PrismPoint *points,
                              guint n_points)
{
  char *text = format_points (points, n_points, "", ", ", "; ");

  if (n_points > 0)
    text[strlen (text) - strlen ("; ")] = '\0';
  return text;
}
