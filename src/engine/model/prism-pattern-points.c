#include "config.h"

#include "model/prism-pattern-points.h"

#include "base/prism-error.h"
#include "base/prism-file.h"

#define MAX_BYTES (8 << 20)
#define BLANKS " \t"

typedef struct
{
  const char *name;
  int image_size;
  char separator; /* of fields: ';', ',' or ' ' for blanks and tabs; '\0' before the first line */
  guint n_names;  /* 0 without a line of names */
  guint column_y;
  guint column_x;
  const char *twice; /* (nullable): the name of more than one column */
  GPtrArray *fields; /* of the line under way */
  GArray *points;    /* of PrismPoint */
} Parser;

/* What stands between quotation marks, two of which are one; NULL where they are not closed. */
static const char *
read_quoted (const char *text,
             GString *field)
{
  for (; *text != '\0'; text++)
    {
      if (*text == '"' && *++text != '"')
        return text;
      g_string_append_c (field, *text);
    }
  return NULL;
}

/* A field without the blanks around it; returns where it ends, NULL where it does not. */
static const char *
read_field (const char *text,
            char separator,
            GString *field)
{
  const char ends[] = { separator, separator == ' ' ? '\t' : '\0', '\0' };
  gsize length;

  if (*text == '"')
    {
      text = read_quoted (text + 1, field);
      return text == NULL || separator == ' ' ? text : text + strspn (text, BLANKS);
    }
  length = strcspn (text, ends);
  g_string_append_len (field, text, (gssize) length);
  g_strchomp (field->str);
  return text + length;
}

/* Whether the separator divides the line into fields at all. */
static gboolean
split_line (const char *line,
            char separator,
            GPtrArray *fields)
{
  g_ptr_array_set_size (fields, 0);
  while (TRUE)
    {
      g_autoptr (GString) field = g_string_new (NULL);

      line = read_field (line + strspn (line, BLANKS), separator, field);
      if (line == NULL)
        return FALSE;
      g_ptr_array_add (fields, g_strdup (field->str));
      if (*line == '\0')
        return TRUE;
      if (*line != separator && !(separator == ' ' && *line == '\t'))
        return FALSE;
      line++;
    }
}

/* A comma within a field is the decimal mark. */
static gboolean
parse_number (const char *text,
              double *value)
{
  g_autofree char *plain = g_strdup (text);
  char *comma = strchr (plain, ','), *end;

  if (text[strspn (text, "+-.,0123456789eE")] != '\0')
    return FALSE;
  if (comma != NULL)
    {
      if (!g_ascii_isdigit (comma[1]) || strchr (text, '.') != NULL)
        return FALSE;
      *comma = '.';
    }
  *value = g_ascii_strtod (plain, &end);
  return end != plain && *end == '\0' && isfinite (*value);
}

static void
take_column (Parser *self,
             guint *column,
             guint i,
             const char *name)
{
  if (*column != G_MAXUINT)
    self->twice = name;
  *column = i;
}

/* Takes the order of the columns from a line of names; FALSE for any other line. */
static gboolean
read_names (Parser *self)
{
  guint column_y = G_MAXUINT, column_x = G_MAXUINT;

  for (guint i = 0; i < self->fields->len; i++)
    {
      g_autofree char *name = g_ascii_strdown (self->fields->pdata[i], -1);

      g_strstrip (g_strdelimit (name, "'", ' '));
      if (strcmp (name, "y") == 0 || strcmp (name, "ky") == 0)
        take_column (self, &column_y, i, "y");
      else if (strcmp (name, "x") == 0 || strcmp (name, "kx") == 0)
        take_column (self, &column_x, i, "x");
    }
  if (column_y == G_MAXUINT || column_x == G_MAXUINT)
    return FALSE;
  self->n_names = self->fields->len;
  self->column_y = column_y;
  self->column_x = column_x;
  return TRUE;
}

static gboolean
parse_fields (Parser *self,
              PrismPoint *point)
{
  return MAX (self->column_y, self->column_x) < self->fields->len
         && parse_number (self->fields->pdata[self->column_y], &point->y)
         && parse_number (self->fields->pdata[self->column_x], &point->x);
}

/* Of more than two fields without names nothing says which are meant, or whether their commas are
 * decimal marks. */
static gboolean
check_n_fields (Parser *self,
                guint line,
                GError **error)
{
  GPtrArray *fields = self->fields;
  guint wanted = self->n_names > 0 ? self->n_names : 2;

  while (fields->len > wanted && *(char *) fields->pdata[fields->len - 1] == '\0')
    g_ptr_array_set_size (fields, (int) fields->len - 1);
  if (fields->len == wanted)
    return TRUE;
  return prism_error_format (
      error,
      _ ("%s, line %u: the number of fields is %u, but must be %u%s. Put semicolons or tabs"
         " between numbers that have a decimal comma, or quotation marks around them."),
      self->name, line, fields->len, wanted,
      self->n_names > 0 ? " as in the line of names" : " without a line of names");
}

static gboolean
read_point (Parser *self,
            guint line,
            GError **error)
{
  int half = self->image_size / 2;
  PrismPoint point = { 0 };

  if (self->fields->len > 1 && !check_n_fields (self, line, error))
    return FALSE;
  if (!parse_fields (self, &point))
    return prism_error_format (
        error,
        _ ("%s, line %u: a position is two numbers, y and x in pixels, such as “12.5, -3”,"
           " with the same separator in every line; or begin with a line of names that has"
           " “y” and “x”."),
        self->name, line);
  if (fabs (point.y) > half || fabs (point.x) > half)
    return prism_error_config (
        error,
        _ ("%s, line %u: the position (%g, %g) is outside the field, which reaches from -%d"
           " to %d px. Move it or choose a larger image_size."),
        self->name, line, point.y, point.x, half, half);
  if (self->points->len >= PRISM_PATTERN_MAX_POINTS)
    return prism_error_config (error, _ ("%s has more than %d positions. Leave some out."),
                               self->name, PRISM_PATTERN_MAX_POINTS);
  g_array_append_val (self->points, point);
  return TRUE;
}

/* The first line decides: by the separator that makes names or a position of it. Returns whether it
 * has names. */
static gboolean
begin (Parser *self,
       const char *line)
{
  PrismPoint point;

  for (const char *separator = ";, "; *separator != '\0'; separator++)
    {
      self->separator = *separator;
      if (!split_line (line, *separator, self->fields))
        continue;
      if (read_names (self))
        return TRUE;
      if (parse_fields (self, &point))
        return FALSE;
    }
  self->separator = strchr (line, ';') != NULL ? ';' : strchr (line, ',') != NULL ? ','
                                                                                  : ' ';
  return FALSE;
}

static gboolean
read_lines (Parser *self,
            char **lines,
            GError **error)
{
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *line = g_strstrip (lines[i]);

      if (*line == '\0' || *line == '#'
          || (self->separator == '\0' && g_ascii_strncasecmp (line, "sep=", 4) == 0))
        continue;
      if (self->separator == '\0' && begin (self, line))
        {
          if (self->twice == NULL)
            continue;
          return prism_error_format (
              error,
              _ ("%s, line %u: more than one column has the name of %s. Rename all but one of"
                 " them."),
              self->name, i + 1, self->twice);
        }
      if (!split_line (line, self->separator, self->fields))
        return prism_error_format (
            error,
            _ ("%s, line %u: a quotation mark is not closed, or something stands between"
               " one and the next field."),
            self->name, i + 1);
      if (!read_point (self, i + 1, error))
        return FALSE;
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
  g_autoptr (GPtrArray) fields = g_ptr_array_new_with_free_func (g_free);
  Parser parser = { name, image_size, '\0', 0, 0, 1, NULL, fields, points };

  if (!read_lines (&parser, lines, error))
    return NULL;
  if (points->len == 0)
    {
      prism_error_config (error, _ ("%s has no position. Give at least one, such as “0, 0”."),
                          name);
      return NULL;
    }
  *n_points = points->len;
  return (PrismPoint *) g_array_free (g_steal_pointer (&points), FALSE);
}

/**
 * prism_pattern_points_read:
 * @data: (array length=length): the contents of a CSV file
 * @length: bytes
 * @name: what messages call it
 * @image_size: n
 * @n_points: (out): how many
 *
 * Reads positions from a table.
 *
 * Units: px from the origin of k-space, within ±n/2.
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, each with the line's number.
 *
 * Returns: (transfer full) (nullable) (array length=n_points): positions, free with g_free()
 */
PrismPoint *
prism_pattern_points_read (const char *data,
                           gsize length,
                           const char *name,
                           int image_size,
                           guint *n_points,
                           GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (length >= 3 && memcmp (data, "\xef\xbb\xbf", 3) == 0)
    {
      data += 3;
      length -= 3;
    }
  if (!g_utf8_validate (data, length, NULL))
    {
      prism_error_format (error, _ ("%s is not a text file. Give a CSV file with the columns y"
                                    " and x."),
                          name);
      return NULL;
    }
  text = g_strndup (data, length);
  if (strchr (text, '\n') == NULL)
    g_strdelimit (text, "\r", '\n');
  lines = g_strsplit (text, "\n", -1);
  return parse_lines (lines, name, image_size, n_points, error);
}

/**
 * prism_pattern_points_load:
 * @path: a CSV file
 * @image_size: n
 * @n_points: (out): how many
 *
 * As prism_pattern_points_read(), from a file.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, each with the line's number.
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
  gsize length;
  const char *data;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  return prism_pattern_points_read (data, length, path, image_size, n_points, error);
}

/**
 * prism_pattern_points_parse:
 * @text: positions, separated by semicolons
 * @name: what messages call the text
 * @image_size: n
 * @n_points: (out): how many
 *
 * Reads positions from a setting: "0, 0; 12.5, -3".
 *
 * Units: px from the origin of k-space, within ±n/2.
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG; the line of the message is the entry.
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
