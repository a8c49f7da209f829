#include "config.h"

#include "formats/prism-yaml.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-text.h"
#include "formats/prism-fields-readers.h"

#include <yaml.h>

/* A configuration is a mapping of scalars and of such mappings; libyaml reads it.
 * Source: YAML 1.2.2. */

#define MAX_BYTES (256 << 10)
#define MAX_ENTRIES 4096
#define MAX_LEVELS 8
#define MAX_NODES (64 << 10)

PRISM_FREE (PrismYamlEntry, free_entry, g_free, path, g_free, value)

/* Whether it stands for no value: an empty list or mapping, or a word without quotation marks. */
static gboolean
is_nothing (const yaml_node_t *node)
{
  static const char *const words[] = { "", "~", "null", "Null", "NULL", NULL };

  if (node->type == YAML_SCALAR_NODE)
    return node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
           && g_strv_contains (words, (const char *) node->data.scalar.value);
  return node->type == YAML_SEQUENCE_NODE
             ? node->data.sequence.items.start == node->data.sequence.items.top
             : node->data.mapping.pairs.start == node->data.mapping.pairs.top;
}

static gboolean
is_merge (const yaml_node_t *key)
{
  return key->type == YAML_SCALAR_NODE && key->data.scalar.style == YAML_PLAIN_SCALAR_STYLE
         && strcmp ((const char *) key->data.scalar.value, "<<") == 0;
}

/* Of a whole number the decimal digits: it may be octal, 017 or 0o17, and have lines between its
 * digits, 1_000. */
static char *
dup_scalar (const yaml_node_t *node)
{
  const char *text = (const char *) node->data.scalar.value;
  const gsize sign = *text == '-' || *text == '+';
  g_auto (GStrv) parts = g_strsplit (text + sign, "_", -1);
  g_autofree char *digits = g_strjoinv ("", parts);
  const char *octal = g_str_has_prefix (digits, "0o") ? digits + 2 : digits + 1;

  if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || !g_ascii_isdigit (*digits)
      || strspn (digits + 1, "0123456789o") + 1 != strlen (digits))
    return g_strdup (text);
  if (*digits == '0' && *octal != '\0' && strspn (octal, "01234567") == strlen (octal))
    return g_strdup_printf ("%.*s%" G_GUINT64_FORMAT, (int) sign, text,
                            g_ascii_strtoull (octal, NULL, 8));
  return strchr (digits, 'o') != NULL ? g_strdup (text)
                                      : g_strdup_printf ("%.*s%s", (int) sign, text, digits);
}

/* Adds what lies at a node and below it; what a mapping merges comes before its own, which a reader
 * lets count. Anchors may multiply it; each way down ends in an entry or at a limit. Returns: what
 * is wrong, in line *line; %NULL for nothing */
static const char *
add_node (GPtrArray *entries,
          yaml_document_t *document,
          const yaml_node_t *node,
          const char *path,
          guint level,
          guint *line);

/* “<<: *one” or “<<: [*one, *other]”, of which the first counts.
 * Source: https://yaml.org/type/merge.html */
static const char *
merge (GPtrArray *entries,
       yaml_document_t *document,
       const yaml_node_t *node,
       const char *path,
       guint level,
       guint *line)
{
  const char *problem = NULL;

  *line = (guint) node->start_mark.line + 1;
  if (level > MAX_LEVELS)
    return "mappings lie in each other more than 8 times";
  if (node->type == YAML_MAPPING_NODE)
    return add_node (entries, document, node, path, level + 1, line);
  if (node->type != YAML_SEQUENCE_NODE)
    return "“<<” takes a mapping in, or a list of such";
  for (yaml_node_item_t *item = node->data.sequence.items.top;
       item > node->data.sequence.items.start && problem == NULL;)
    problem = merge (entries, document, yaml_document_get_node (document, *--item), path, level + 1,
                     line);
  return problem;
}

static const char *
add_node (GPtrArray *entries,
          yaml_document_t *document,
          const yaml_node_t *node,
          const char *path,
          guint level,
          guint *line)
{
  static const char *const tags[] = { YAML_STR_TAG, YAML_INT_TAG, YAML_FLOAT_TAG, YAML_BOOL_TAG,
                                      YAML_NULL_TAG, YAML_MAP_TAG, YAML_SEQ_TAG, NULL };
  const gboolean nothing = is_nothing (node);

  *line = (guint) node->start_mark.line + 1;
  if (!g_strv_contains (tags, (const char *) node->tag))
    return "objects of a program have no place in a configuration. Write one “key: value” a line";
  if (level > MAX_LEVELS)
    return "mappings lie in each other more than 8 times";
  if (node->type == YAML_MAPPING_NODE && !(nothing && level > 0))
    {
      const char *problem = NULL;

      for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
           pair < node->data.mapping.pairs.top && problem == NULL; pair++)
        if (is_merge (yaml_document_get_node (document, pair->key)))
          problem = merge (entries, document, yaml_document_get_node (document, pair->value), path,
                           level, line);
      for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
           pair < node->data.mapping.pairs.top; pair++)
        {
          const yaml_node_t *key = yaml_document_get_node (document, pair->key);
          g_autofree char *below = NULL;

          if (problem != NULL)
            return problem;
          *line = (guint) key->start_mark.line + 1;
          if (key->type != YAML_SCALAR_NODE || is_nothing (key))
            return "expected is “key: value”";
          if (is_merge (key))
            continue;
          for (yaml_node_pair_t *other = node->data.mapping.pairs.start; other < pair; other++)
            {
              const yaml_node_t *former = yaml_document_get_node (document, other->key);

              if (strcmp ((const char *) former->data.scalar.value,
                          (const char *) key->data.scalar.value)
                  == 0)
                return "this key was there before. Leave one of the two";
            }
          below = g_strdup_printf ("%s%s%s", path, *path != '\0' ? "." : "",
                                   key->data.scalar.value);
          problem = add_node (entries, document, yaml_document_get_node (document, pair->value),
                              below, level + 1, line);
        }
      return problem;
    }
  if (level == 0 ? !nothing : node->type == YAML_SEQUENCE_NODE && !nothing)
    return "lists and texts alone have no place in a configuration. Write one “key: value” a line";
  if (level > 0 && entries->len >= MAX_ENTRIES)
    return "there are more than 4096 entries";
  if (level > 0)
    {
      PrismYamlEntry *entry = g_new0 (PrismYamlEntry, 1);

      entry->path = g_strdup (path);
      entry->value = nothing ? NULL : dup_scalar (node);
      entry->line = *line;
      g_ptr_array_add (entries, entry);
    }
  return NULL;
}

typedef const char *(*NodeFunc) (gpointer data,
                                 yaml_document_t *document,
                                 const yaml_node_t *root,
                                 guint *line);

static const char *
add_entries (gpointer entries,
             yaml_document_t *document,
             const yaml_node_t *root,
             guint *line)
{
  return add_node (entries, document, root, "", 0, line);
}

/* Reads the one document of a text. Errors: PRISM_ERROR_FORMAT with the number of the line. */
static gboolean
parse (const char *text,
       gsize length,
       const char *name,
       NodeFunc take,
       gpointer data,
       GError **error)
{
  const char *problem = "there is no memory for it";
  yaml_parser_t parser;
  guint line = 1, begun = 0, n_brackets = 0;

  if (length > MAX_BYTES || memchr (text, '\0', length) != NULL
      || !g_utf8_validate (text, (gssize) length, NULL))
    return prism_error_format (error, "%s is no configuration: it has more than 256 KiB, or is no"
                                      " UTF-8 text.",
                               name);
  /* libyaml takes a time that grows with the square of how deep they lie in each other. */
  for (gsize i = 0; i < length; i++)
    n_brackets += text[i] == '[' || text[i] == '{';
  if (n_brackets > MAX_ENTRIES)
    problem = "there are more than 4096 brackets";
  else if (yaml_parser_initialize (&parser))
    {
      problem = NULL;
      yaml_parser_set_input_string (&parser, (const guchar *) text, length);
      for (guint n = 0; problem == NULL; n++)
        {
          yaml_document_t document;
          const yaml_node_t *root;

          if (!yaml_parser_load (&parser, &document))
            {
              line = (guint) parser.problem_mark.line + 1;
              if (parser.context != NULL)
                begun = (guint) parser.context_mark.line + 1;
              for (gsize i = 0; parser.error == YAML_READER_ERROR && i < parser.problem_offset; i++)
                line += i < length && text[i] == '\n';
              problem = parser.problem != NULL ? parser.problem : "this is no YAML";
              break;
            }
          root = yaml_document_get_root_node (&document);
          if (root != NULL)
            problem = n == 0 ? take (data, &document, root, &line)
                             : "a configuration is one document";
          yaml_document_delete (&document);
          if (root == NULL)
            break;
        }
      yaml_parser_delete (&parser);
    }
  if (problem == NULL)
    return TRUE;
  if (begun != 0 && begun != line)
    return prism_error_format (error, "%s, line %u: %s, in what begins in line %u.", name, line,
                               problem, begun);
  return prism_error_format (error, "%s, line %u: %s.", name, line, problem);
}

/**
 * prism_yaml_parse:
 * @text: (array length=length): the contents of a file
 * @length: bytes
 * @name: what messages call it
 *
 * Reads mappings of scalars. Lists and several documents are refused.
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

  return parse (text, length, name, add_entries, entries, error) ? g_steal_pointer (&entries)
                                                                 : NULL;
}

/* A document as JSON has it: numbers, texts, lists and objects. */
typedef struct
{
  JsonNode *root;
  guint n_left; /* nodes, which anchors may multiply */
} Json;

static const char *
convert (Json *self,
         yaml_document_t *document,
         const yaml_node_t *node,
         guint level,
         JsonNode **found,
         guint *line)
{
  const char *problem = NULL;
  double number;

  *line = (guint) node->start_mark.line + 1;
  if (level > MAX_LEVELS || self->n_left-- == 0)
    return "there are too many things in it, or too deep in each other";
  if (node->type == YAML_SCALAR_NODE && is_nothing (node))
    *found = json_node_new (JSON_NODE_NULL);
  else if (node->type == YAML_SCALAR_NODE)
    {
      g_autofree char *text = dup_scalar (node);

      *found = json_node_new (JSON_NODE_VALUE);
      if (prism_number_parse (text, &number))
        json_node_set_double (*found, number);
      else
        json_node_set_string (*found, text);
    }
  else if (node->type == YAML_SEQUENCE_NODE)
    {
      JsonArray *list = json_array_new ();

      *found = json_node_new (JSON_NODE_ARRAY);
      json_node_take_array (*found, list);
      for (yaml_node_item_t *item = node->data.sequence.items.start;
           item < node->data.sequence.items.top && problem == NULL; item++)
        {
          JsonNode *one = NULL;

          problem = convert (self, document, yaml_document_get_node (document, *item), level + 1,
                             &one, line);
          if (one != NULL)
            json_array_add_element (list, one);
        }
    }
  else
    {
      JsonObject *object = json_object_new ();

      *found = json_node_new (JSON_NODE_OBJECT);
      json_node_take_object (*found, object);
      for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
           pair < node->data.mapping.pairs.top && problem == NULL; pair++)
        {
          const yaml_node_t *key = yaml_document_get_node (document, pair->key);
          JsonNode *one = NULL;

          if (key->type != YAML_SCALAR_NODE)
            return "expected is “key: value”";
          problem = convert (self, document, yaml_document_get_node (document, pair->value),
                             level + 1, &one, line);
          if (one != NULL)
            json_object_set_member (object, (const char *) key->data.scalar.value, one);
        }
    }
  return problem;
}

static const char *
take_json (gpointer data,
           yaml_document_t *document,
           const yaml_node_t *root,
           guint *line)
{
  Json *self = data;

  return convert (self, document, root, 0, &self->root, line);
}

/**
 * prism_fields_load_yaml:
 * @path: file name
 *
 * The numbers of a YAML file, lists of them, and texts that are a number with a unit (“630 nm”), by
 * their names, as prism_fields_load_json() has them.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_yaml (const char *path,
                        GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_BYTES, error);
  g_autoptr (PrismFields) fields = prism_fields_new (path, "YAML");
  Json json = { .n_left = MAX_NODES };
  const gboolean ok = bytes != NULL
                      && parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), path,
                                take_json, &json, error);

  if (ok && json.root != NULL)
    prism_fields_add_json (fields, json.root);
  g_clear_pointer (&json.root, json_node_unref);
  return ok ? g_steal_pointer (&fields) : NULL;
}
