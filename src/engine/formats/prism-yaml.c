#include "config.h"

#include "formats/prism-yaml.h"

#include "base/prism-error.h"

#include <string.h>

/* Source: YAML 1.2.2, chapters 6 to 8; what yaml.safe_dump() writes of dictionaries of scalars. */

#define MAX_BYTES (256 << 10)
#define MAX_ENTRIES 4096
#define MAX_LEVELS 8

typedef struct
{
  const char *name;
  char **lines;
  guint next; /* of the lines */
  GPtrArray *entries;
  int n_levels;
  int indents[MAX_LEVELS]; /* of the mappings that are open */
  char *keys[MAX_LEVELS];  /* that lead there; keys[0] is that of the outermost */
} Reader;

static void
free_entry (gpointer data)
{
  PrismYamlEntry *entry = data;

  g_free (entry->path);
  g_free (entry->value);
  g_free (entry);
}

static gboolean
refuse (const Reader *self,
        guint line,
        const char *reason,
        GError **error)
{
  return prism_error_format (error, "%s, line %u: %s.", self->name, line, reason);
}

static int
get_indent (const char *line)
{
  return (int) strspn (line, " ");
}

static gboolean
is_blank (const char *line)
{
  const char *text = line + strspn (line, " \t\r");

  return *text == '\0' || *text == '#';
}

/* Lines that lie deeper go on with a scalar; they are joined with blanks. */
static void
join_lines (Reader *self,
            int indent,
            GString *text)
{
  for (; self->lines[self->next] != NULL; self->next++)
    {
      char *line = self->lines[self->next];

      if (*line != '\0' && line[strspn (line, " \t\r")] != '\0' && get_indent (line) <= indent)
        return;
      g_strstrip (line);
      if (*line != '\0' && text->len > 0)
        g_string_append_c (text, ' ');
      g_string_append (text, line);
    }
}

/* What a backslash and the letters after it mean; the cursor ends on the last of them. */
static gboolean
read_escape (const char **at,
             GString *text)
{
  static const char letters[] = "abtnvfre\"\\/ ", meant[] = "\a\b\t\n\v\f\r\033\"\\/ ";
  const char letter = *++*at;
  const char *plain = letter != '\0' ? strchr (letters, letter) : NULL;
  int n = letter == 'x' ? 2 : letter == 'u' ? 4
                          : letter == 'U'   ? 8
                                            : 0;
  gunichar c = 0;

  if (plain != NULL)
    g_string_append_c (text, meant[plain - letters]);
  for (int i = 0; i < n; i++)
    {
      int digit = g_ascii_xdigit_value (*++*at);

      if (digit < 0)
        return FALSE;
      c = c << 4 | (guint) digit;
    }
  if (n > 0 && (c == 0 || !g_unichar_validate (c)))
    return FALSE;
  if (n > 0)
    g_string_append_unichar (text, c);
  return n > 0 || plain != NULL;
}

/* Up to the closing quotation mark, which may be lines further on; NULL where there is none. */
static char *
read_quoted (Reader *self,
             const char *start,
             int indent)
{
  const char quote = *start;
  g_autoptr (GString) raw = g_string_new (start + 1);
  GString *text = g_string_new (NULL);

  join_lines (self, indent, raw);
  for (const char *at = raw->str; *at != '\0'; at++)
    {
      if (*at == quote && quote == '\'' && at[1] == '\'')
        at++;
      else if (*at == quote)
        {
          if (is_blank (at + 1))
            return g_string_free (text, FALSE);
          break;
        }
      else if (*at == '\\' && quote == '"')
        {
          if (!read_escape (&at, text))
            break;
          continue;
        }
      g_string_append_c (text, *at);
    }
  g_string_free (text, TRUE);
  return NULL;
}

static char *
cut_comment (const char *text)
{
  const char *end = text;

  while (*end != '\0' && !(*end == '#' && (end == text || end[-1] == ' ' || end[-1] == '\t')))
    end++;
  return g_strstrip (g_strndup (text, end - text));
}

static gboolean
is_null (const char *text)
{
  static const char *const words[] = { "", "~", "null", "Null", "NULL", "{}", "[]", NULL };

  return g_strv_contains (words, text);
}

/* (out) (nullable) value: of a scalar; whether it can be read */
static gboolean
read_scalar (Reader *self,
             const char *start,
             int indent,
             char **value,
             GError **error)
{
  guint line = self->next;
  g_autofree char *plain = NULL;
  g_autoptr (GString) text = NULL;

  *value = NULL;
  if (*start == '"' || *start == '\'')
    {
      *value = read_quoted (self, start, indent);
      return *value != NULL
             || refuse (self, line, "a quotation mark is not closed, or an escape is unknown",
                        error);
    }
  plain = cut_comment (start);
  if (is_null (plain))
    return TRUE;
  if (strchr ("&*!{[%@`", *plain) != NULL)
    return refuse (self, line, "anchors, tags, lists and mappings in braces have no place in a"
                               " configuration. Write one “key: value” a line",
                   error);
  text = g_string_new (*plain == '|' || *plain == '>' ? NULL : plain);
  join_lines (self, indent, text);
  *value = g_string_free (g_steal_pointer (&text), FALSE);
  return TRUE;
}

/* The mapping that a line of that indentation belongs to. */
static gboolean
find_level (Reader *self,
            int indent,
            guint line,
            GError **error)
{
  while (self->n_levels > 0 && self->indents[self->n_levels - 1] > indent)
    g_clear_pointer (&self->keys[--self->n_levels], g_free);
  if (self->n_levels > 0 && self->indents[self->n_levels - 1] == indent)
    {
      g_clear_pointer (&self->keys[self->n_levels - 1], g_free);
      return TRUE;
    }
  if (self->n_levels == MAX_LEVELS)
    return refuse (self, line, "mappings lie in each other more than 8 times", error);
  self->indents[self->n_levels++] = indent;
  return TRUE;
}

static char *
dup_path (const Reader *self)
{
  GString *path = g_string_new (self->keys[0]);

  for (int i = 1; i < self->n_levels; i++)
    g_string_append_printf (path, ".%s", self->keys[i]);
  return g_string_free (path, FALSE);
}

/* The next line that says something lies deeper: the value is a mapping. */
static gboolean
is_mapping (const Reader *self,
            int indent)
{
  for (guint i = self->next; self->lines[i] != NULL; i++)
    if (!is_blank (self->lines[i]))
      return get_indent (self->lines[i]) > indent;
  return FALSE;
}

/* Where the colon after a key is; NULL where there is none. */
static const char *
find_colon (const char *text)
{
  for (const char *colon = strchr (text, ':'); colon != NULL; colon = strchr (colon + 1, ':'))
    if (colon[1] == '\0' || strchr (" \t\r", colon[1]) != NULL)
      return colon;
  return NULL;
}

static gboolean
read_line (Reader *self,
           GError **error)
{
  guint line = self->next + 1;
  const char *text = self->lines[self->next++];
  int indent = get_indent (text);
  const char *colon;
  PrismYamlEntry *entry;
  char *value;

  if (is_blank (text)
      || (indent == 0 && (g_str_has_prefix (text, "---") || strcmp (text, "...") == 0)))
    return TRUE;
  text += indent;
  if (*text == '\t')
    return refuse (self, line, "lines are indented with blanks, not with tabs", error);
  colon = find_colon (text);
  if (colon == NULL || colon == text || strchr ("-?&*![{", *text) != NULL)
    return refuse (self, line, "expected is “key: value”", error);
  if (self->entries->len >= MAX_ENTRIES)
    return refuse (self, line, "there are more than 4096 entries", error);
  if (!find_level (self, indent, line, error))
    return FALSE;
  self->keys[self->n_levels - 1] = g_strndup (text, colon - text);
  g_strdelimit (g_strstrip (self->keys[self->n_levels - 1]), "\"'", ' ');
  g_strstrip (self->keys[self->n_levels - 1]);
  colon += 1 + strspn (colon + 1, " \t");
  if (is_blank (colon) && is_mapping (self, indent))
    return TRUE;
  if (!read_scalar (self, colon, indent, &value, error))
    return FALSE;
  entry = g_new0 (PrismYamlEntry, 1);
  entry->path = dup_path (self);
  entry->value = value;
  entry->line = line;
  g_ptr_array_add (self->entries, entry);
  return TRUE;
}

/**
 * prism_yaml_parse:
 * @text: (array length=length): the contents of a file
 * @length: bytes
 * @name: what messages call it
 *
 * Reads mappings of scalars. Lists, anchors, tags and several documents are refused.
 *
 * Errors: PRISM_ERROR_FORMAT with the number of the line.
 *
 * Returns: (transfer full) (nullable) (element-type PrismYamlEntry): the scalars in their order
 */
GPtrArray *
prism_yaml_parse (const char *text,
                  gsize length,
                  const char *name,
                  GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (free_entry);
  g_autofree char *copy = NULL;
  g_auto (GStrv) lines = NULL;
  Reader reader = { .name = name, .entries = entries };
  gboolean good = TRUE;

  if (length > MAX_BYTES || memchr (text, '\0', length) != NULL
      || !g_utf8_validate (text, (gssize) length, NULL))
    {
      prism_error_format (error, "%s is no configuration: it has more than 256 KiB, or is no UTF-8"
                                 " text.",
                          name);
      return NULL;
    }
  copy = g_strndup (text, length);
  lines = g_strsplit (copy, "\n", -1);
  reader.lines = lines;
  while (good && lines[reader.next] != NULL)
    good = read_line (&reader, error);
  for (int i = 0; i < MAX_LEVELS; i++)
    g_free (reader.keys[i]);
  return good ? g_steal_pointer (&entries) : NULL;
}
