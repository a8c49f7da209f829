#include "config.h"

#include "base/prism-text.h"

#include "base/prism-number.h"

#define LONGEST_QUOTE 60 /* letters */

/* What a terminal obeys, what ends a line, and what turns the direction of the text around it. */
static gboolean
is_control (gunichar c)
{
  GUnicodeType type = g_unichar_type (c);

  return type == G_UNICODE_CONTROL || type == G_UNICODE_LINE_SEPARATOR
         || type == G_UNICODE_PARAGRAPH_SEPARATOR || (c >= 0x202A && c <= 0x202E)
         || (c >= 0x2066 && c <= 0x2069);
}

/**
 * prism_printable_dup:
 * @text: any bytes
 *
 * Makes one line of valid UTF-8 that a terminal shows and does not obey: '?' stands for each
 * control character.
 *
 * Returns: (transfer full): the line
 */
char *
prism_printable_dup (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *line = g_string_new (NULL);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    g_string_append_unichar (line, is_control (g_utf8_get_char (p)) ? '?' : g_utf8_get_char (p));
  return g_string_free (line, FALSE);
}

/**
 * prism_printable_dup_short:
 * @text: any bytes
 *
 * The same for a text that a message quotes, and that may be of any length.
 *
 * Returns: (transfer full): the line; of a long one its beginning, with an ellipsis
 */
char *
prism_printable_dup_short (const char *text)
{
  g_autofree char *beginning = g_strndup (text, 6 * LONGEST_QUOTE);
  g_autofree char *line = prism_printable_dup (beginning);

  if (g_utf8_strlen (line, -1) <= LONGEST_QUOTE)
    return g_steal_pointer (&line);
  *g_utf8_offset_to_pointer (line, LONGEST_QUOTE) = '\0';
  return g_strconcat (line, "…", NULL);
}

/**
 * prism_printable_is:
 * @text: any bytes
 *
 * Returns: whether there is no control character; bytes that are no UTF-8 are none
 */
gboolean
prism_printable_is (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    if (is_control (g_utf8_get_char (p)))
      return FALSE;
  return TRUE;
}

/* json-glib 1.6 calls itself for each level: 100 000 of them, which are a kilobyte in an archive,
 * overflow the stack. What this program writes has a handful. */
#define MAX_DEPTH 64

/* Where a look at a text stands. */
typedef struct
{
  gsize depth; /* objects and lists that are open */
  gboolean in_string;
  gboolean is_over; /* the outermost object is closed */
} Look;

/* JSON-GLib 1.6 writes 1e+20 as “1e+20.0”, which nobody can read; its neighbour has a point. */
static double
avoid_bare_exponent (double value)
{
  const char *text = prism_digits ("%.17g", value);

  if (strchr (text, 'e') == NULL || strchr (text, '.') != NULL)
    return value;
  return nextafter (value, 0);
}

/* What stands in the place of a mark; a text before a colon is a name. Returns what follows it. */
static const char *
add_value (JsonBuilder *builder,
           const char *mark,
           va_list *values)
{
  const char *text;
  double number;

  switch (*mark)
    {
    case 's':
      text = va_arg (*values, const char *);
      if (mark[1] == ':')
        json_builder_set_member_name (builder, text);
      else
        {
          g_autofree char *valid = text != NULL ? g_utf8_make_valid (text, -1) : NULL;

          /* A text, or null. What is no UTF-8, as names of files may be, has a mark in its
           * place. */
          if (valid != NULL)
            json_builder_add_string_value (builder, valid);
          else
            json_builder_add_null_value (builder);
        }
      break;
    case 'd':
      json_builder_add_int_value (builder, va_arg (*values, int));
      break;
    case 'i':
      json_builder_add_boolean_value (builder, va_arg (*values, gboolean));
      break;
    case 'u':
      json_builder_add_int_value (builder, va_arg (*values, guint));
      break;
    case 'l':
      json_builder_add_int_value (builder, va_arg (*values, long));
      return mark + 2;
    case 'g':
      number = va_arg (*values, double);
      if (isfinite (number))
        json_builder_add_double_value (builder, avoid_bare_exponent (number));
      else
        json_builder_add_null_value (builder);
      break;
    default:
      g_assert_not_reached ();
    }
  return mark + 1;
}

/**
 * prism_json_add:
 * @builder: what writes JSON
 * @template: what comes next, such as "{points: %u, misfit: %g, names: [%s, %s]}" or a part of it
 *
 * Adds JSON. Names have no quotes; values are marks, of which the compiler knows the types: %d, %u,
 * %ld, %lu are whole numbers, %g is any, %i is a gboolean, %s a text or NULL, “%s:” a name; null is
 * itself. A number that is not finite is null: JSON has no word for it. A power of ten from 1e17
 * on, or below 1e-4, may be off by one part in 10¹⁶.
 */
void
prism_json_add (JsonBuilder *builder,
                const char *template,
                ...)
{
  va_list values;

  va_start (values, template);
  while (*template != '\0')
    {
      const gsize length = strcspn (template, ":,%{}[] ");
      g_autofree char *name = g_strndup (template, length);

      template += length;
      if (*template == ':' && length > 0)
        json_builder_set_member_name (builder, name);
      else if (length > 0)
        json_builder_add_null_value (builder);
      else if (*template == '%')
        template = add_value (builder, template + 1, &values);
      else
        {
          char bracket = *template;

          if (bracket == '{')
            json_builder_begin_object (builder);
          else if (bracket == '}')
            json_builder_end_object (builder);
          else if (bracket == '[')
            json_builder_begin_array (builder);
          else if (bracket == ']')
            json_builder_end_array (builder);
          template += 1;
        }
    }
  va_end (values);
}

/**
 * prism_json_dup_quoted:
 * @text: UTF-8
 *
 * Returns: (transfer full): it as a string of JSON, in its quotes
 */
char *
prism_json_dup_quoted (const char *text)
{
  g_autoptr (JsonNode) node = json_node_init_string (json_node_alloc (), text);

  return json_to_string (node, FALSE);
}

/**
 * prism_json_dup_text:
 * @builder: what has written JSON
 *
 * Returns: (transfer full): the text with a member a line, and an end of line
 */
char *
prism_json_dup_text (JsonBuilder *builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *json = json_to_string (root, TRUE);

  return g_strconcat (json, "\n", NULL);
}

/* Whether a byte outside of strings may stand there. */
static gboolean
take_mark (Look *self,
           char c)
{
  switch (c)
    {
    case '"':
      self->in_string = TRUE;
      break;
    case '{':
    case '[':
      self->depth++;
      break;
    case '}':
    case ']':
      if (self->depth == 0)
        return FALSE;
      self->depth--;
      self->is_over = self->depth == 0;
      break;
    case '/':
      /* Comments, which JSON does not have, could hide brackets. */
      return FALSE;
    default:
      break;
    }
  return self->depth <= MAX_DEPTH;
}

/**
 * prism_json_parse_object:
 * @text: (array length=length): JSON, whatever it is
 * @length: of the text
 *
 * Reads an object; its members may be of any kind.
 *
 * Units: @length in bytes.
 *
 * Returns: (transfer full) (nullable): the object's node; NULL where the text is no JSON, not one
 * object, or has lists and objects within each other more than 64 deep
 */
JsonNode *
prism_json_parse_object (const char *text,
                         gsize length)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (JsonNode) root = NULL;
  Look look = { 0 };

  if (length > G_MAXSSIZE)
    return NULL;
  /* One object with nothing beside it, and not too deep. Of several values, json-glib 1.6 forgets
   * to free all but the last. */
  for (gsize i = 0; i < length; i++)
    {
      if (look.in_string)
        {
          look.in_string = text[i] != '"';
          i += text[i] == '\\';
        }
      else if (look.depth == 0 && g_ascii_isspace (text[i]))
        continue;
      else if (look.is_over || (look.depth == 0 && text[i] != '{') || !take_mark (&look, text[i]))
        return NULL;
    }
  if (!look.is_over)
    return NULL;
  if (!json_parser_load_from_data (parser, text, (gssize) length, NULL))
    return NULL;
  root = json_parser_steal_root (parser);
  return root != NULL && JSON_NODE_HOLDS_OBJECT (root) ? g_steal_pointer (&root) : NULL;
}

/**
 * prism_json_find:
 * @object: (nullable): an object
 * @name: of a member
 *
 * Returns: (transfer none) (nullable): the member; NULL where there is none
 */
JsonNode *
prism_json_find (JsonObject *object,
                 const char *name)
{
  return object != NULL ? json_object_get_member (object, name) : NULL;
}

/**
 * prism_json_to_object:
 * @node: (nullable): of any kind
 *
 * Returns: (transfer none) (nullable): the object that it is; NULL where it is none
 */
JsonObject *
prism_json_to_object (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

/**
 * prism_json_to_list:
 * @node: (nullable): of any kind
 *
 * Returns: (transfer none) (nullable): the list that it is; NULL where it is none
 */
JsonArray *
prism_json_to_list (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/**
 * prism_json_to_text:
 * @node: (nullable): of any kind
 *
 * Returns: (transfer none) (nullable): the text that it is; NULL where it is none
 */
const char *
prism_json_to_text (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
}

/**
 * prism_json_to_number:
 * @node: (nullable): of any kind
 *
 * Returns: the number that it is; NAN where it is none
 */
double
prism_json_to_number (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_string (node) == NULL
             ? json_node_get_double (node)
             : (double) NAN;
}

/**
 * prism_json_get_number:
 * @object: (nullable): an object
 * @name: of a member
 *
 * Returns: its number; NAN where there is none
 */
double
prism_json_get_number (JsonObject *object,
                       const char *name)
{
  return prism_json_to_number (prism_json_find (object, name));
}

/**
 * prism_json_get_text:
 * @object: (nullable): an object
 * @name: of a member
 *
 * Returns: (transfer none) (nullable): its text; NULL where there is none
 */
const char *
prism_json_get_text (JsonObject *object,
                     const char *name)
{
  return prism_json_to_text (prism_json_find (object, name));
}

/**
 * prism_text_dup_without_folder:
 * @path: file name, any bytes
 *
 * Of a file that is being written with others: where it will be, which is what a user knows.
 *
 * Returns: (transfer full): the name
 */
char *
prism_text_dup_without_folder (const char *path)
{
  const char *found = strstr (path, "/" PRISM_TEMPORARY_FOLDER);
  gsize length = found != NULL ? strcspn (found + 1, "/") : 0;

  return length == strlen (PRISM_TEMPORARY_FOLDER) + PRISM_TEMPORARY_LETTERS
             ? g_strdup_printf ("%.*s%s", (int) (found - path), path, found + 1 + length)
             : g_strdup (path);
}

/**
 * prism_text_split:
 * @text: (nullable): words, or parts of a list
 * @separators: characters, each of which ends one
 *
 * Returns: (transfer full) (array zero-terminated=1): what is between them without blanks at its
 *   ends, but for what is empty
 */
char **
prism_text_split (const char *text,
                  const char *separators)
{
  char **parts = g_strsplit_set (text != NULL ? text : "", separators, -1);
  gsize n = 0;

  for (char **part = parts; *part != NULL; part++)
    if (*g_strstrip (*part) != '\0')
      parts[n++] = *part;
    else
      g_free (*part);
  parts[n] = NULL;
  return parts;
}
