#include "config.h"

#include "formats/prism-fields-readers.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"
#include "base/prism-text.h"

#define MAX_BYTES (64 << 20)
#define MOST_COORDINATES 3

/* A list of objects, of which each is a row. */
typedef struct
{
  PrismFields *fields;
  GHashTable *columns; /* name → GPtrArray of JsonNode *, one a row */
  GPtrArray *names;    /* of char *, in the order of the first row */
} Rows;

static void add_node (PrismFields *fields, const char *path, JsonNode *node);

static char *
join (const char *path,
      const char *name)
{
  return *path == '\0' ? g_strdup (name) : g_strconcat (path, "/", name, NULL);
}

static gboolean
is_number (JsonNode *node)
{
  GValue value = G_VALUE_INIT;
  gboolean good = FALSE;

  if (!JSON_NODE_HOLDS_VALUE (node))
    return FALSE;
  json_node_get_value (node, &value);
  good = G_VALUE_HOLDS_INT64 (&value) || G_VALUE_HOLDS_DOUBLE (&value);
  g_value_unset (&value);
  return good;
}

/* What a row has, under its own name; of a list of one the one, of two or three numbers x, y, z. */
static void
take_cell (Rows *self,
           const char *path,
           JsonNode *node)
{
  static const char *const axes[MOST_COORDINATES] = { "x", "y", "z" };
  JsonArray *list = prism_json_to_list (node);
  const guint n = list != NULL ? json_array_get_length (list) : 0;
  GPtrArray *column;

  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      g_autoptr (GList) members = json_object_get_members (object);

      for (GList *member = members; member != NULL; member = member->next)
        {
          g_autofree char *name = join (path, member->data);

          take_cell (self, name, json_object_get_member (object, member->data));
        }
      return;
    }
  if (list != NULL)
    {
      for (guint i = 0; n > 1 && n <= MOST_COORDINATES && i < n; i++)
        {
          g_autofree char *name = join (path, axes[i]);

          if (is_number (json_array_get_element (list, i)))
            take_cell (self, name, json_array_get_element (list, i));
        }
      if (n == 1)
        take_cell (self, path, json_array_get_element (list, 0));
      return;
    }
  column = g_hash_table_lookup (self->columns, path);
  if (column == NULL && self->names->len < PRISM_FIELDS_MAX)
    {
      column = g_ptr_array_new ();
      g_ptr_array_add (self->names, g_strdup (path));
      g_hash_table_insert (self->columns, g_strdup (path), column);
    }
  if (column != NULL)
    g_ptr_array_add (column, node);
}

/* An array of what all rows have: numbers, or texts that name the rows. */
static void
add_column (PrismFields *fields,
            const char *name,
            const GPtrArray *column)
{
  const gsize n = column->len;
  guint n_numbers = 0, n_texts = 0;

  for (gsize i = 0; i < n; i++)
    {
      JsonNode *node = g_ptr_array_index (column, i);

      n_numbers += is_number (node);
      n_texts += json_node_get_string (node) != NULL;
    }
  if (n_numbers == n)
    {
      double *values = prism_arena_new_array (n * sizeof *values, "a column", NULL);

      for (gsize i = 0; values != NULL && i < n; i++)
        values[i] = json_node_get_double (g_ptr_array_index (column, i));
      prism_fields_add_values (fields, name, PRISM_FIELD_REAL, 1, &n, values);
    }
  else if (n_texts == n)
    {
      PrismField *field = prism_fields_add (fields, name, PRISM_FIELD_OTHER, 1, &n);

      field->labels = g_new0 (char *, n + 1);
      for (gsize i = 0; i < n; i++)
        field->labels[i] = g_strdup (json_node_get_string (g_ptr_array_index (column, i)));
    }
}

/* A list of numbers, or of lists of as many numbers each. */
static void
add_numbers (PrismFields *fields,
             const char *path,
             JsonArray *list)
{
  JsonNode *first = json_array_get_element (list, 0);
  const gboolean flat = !JSON_NODE_HOLDS_ARRAY (first);
  const gsize shape[2] = { json_array_get_length (list),
                           flat ? 1 : json_array_get_length (json_node_get_array (first)) };
  prism_autofree_array double *values
      = prism_arena_new_array (MAX (shape[0] * shape[1], 1) * sizeof *values, "a list", NULL);

  for (gsize i = 0; values != NULL && i < shape[0]; i++)
    {
      JsonNode *row = json_array_get_element (list, (guint) i);

      if (JSON_NODE_HOLDS_ARRAY (row) == flat
          || (!flat && json_array_get_length (json_node_get_array (row)) != shape[1]))
        return;
      for (gsize k = 0; k < shape[1]; k++)
        {
          JsonNode *node
              = flat ? row : json_array_get_element (json_node_get_array (row), (guint) k);

          if (!is_number (node))
            return;
          values[i * shape[1] + k] = json_node_get_double (node);
        }
    }
  prism_fields_add_values (fields, path, PRISM_FIELD_REAL, flat ? 1 : 2, shape,
                           g_steal_pointer (&values));
}

static void
add_node (PrismFields *fields,
          const char *path,
          JsonNode *node)
{
  JsonArray *list = prism_json_to_list (node);

  if (fields->fields->len >= PRISM_FIELDS_MAX)
    return;
  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      g_autoptr (GList) members = json_object_get_members (object);

      for (GList *member = members; member != NULL; member = member->next)
        {
          g_autofree char *name = join (path, member->data);

          add_node (fields, name, json_object_get_member (object, member->data));
        }
    }
  else if (is_number (node))
    prism_fields_add_number (fields, path, json_node_get_double (node));
  else if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_string (node) != NULL)
    prism_fields_add_text (fields, path, json_node_get_string (node));
  else if (list != NULL && json_array_get_length (list) > 0)
    {
      if (JSON_NODE_HOLDS_OBJECT (json_array_get_element (list, 0)))
        {
          const guint n = json_array_get_length (list);
          g_autoptr (GHashTable) columns = g_hash_table_new_full (
              g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
          g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
          Rows rows = { fields, columns, names };

          for (guint i = 0; i < n; i++)
            take_cell (&rows, path, json_array_get_element (list, i));
          for (guint i = 0; i < names->len; i++)
            {
              const GPtrArray *column = g_hash_table_lookup (columns, g_ptr_array_index (names, i));

              if (column->len == n)
                add_column (fields, g_ptr_array_index (names, i), column);
            }
        }
      else
        add_numbers (fields, path, list);
    }
}

/**
 * prism_fields_add_json:
 * @root: what is in a file
 *
 * Lists numbers and texts of objects by their names, lists of numbers, and lists of objects as an
 * array for each of their members.
 */
void
prism_fields_add_json (PrismFields *self,
                       JsonNode *root)
{
  add_node (self, "", root);
}

/**
 * prism_fields_load_json:
 * @path: file name
 *
 * The numbers of a JSON file: those of objects by their names, lists of numbers, and lists of
 * objects as an array for each of their members, of which texts are labels. A root that is a list
 * has its members without a name before theirs.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_json (const char *path,
                        GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_BYTES, error);
  g_autoptr (PrismFields) fields = NULL;
  g_autoptr (JsonNode) root = NULL;

  if (bytes == NULL)
    return NULL;
  text = g_strdup_printf ("{\"\":%.*s}", (int) g_bytes_get_size (bytes),
                          (const char *) g_bytes_get_data (bytes, NULL));
  root = prism_json_parse_object (text, strlen (text));
  if (root == NULL)
    {
      prism_fields_set_error (error, path, "JSON", "it is no valid JSON");
      return NULL;
    }
  fields = prism_fields_new (path, "JSON");
  prism_fields_add_json (fields, json_object_get_member (json_node_get_object (root), ""));
  return g_steal_pointer (&fields);
}
