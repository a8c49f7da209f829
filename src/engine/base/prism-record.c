#include "config.h"

#include "base/prism-record.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-text.h"

#define MOST_BYTES 65536 /* of a file */
#define MAX_NAME 64      /* bytes of a name in a message */

typedef struct
{
  const char *name; /* of the text, for messages */
  JsonObject *object;
} Reader;

static void
append_real (GString *text,
             double value)
{
  if (isnan (value))
    g_string_append (text, "\"nan\"");
  else if (isinf (value))
    g_string_append (text, value > 0.0 ? "\"inf\"" : "\"-inf\"");
  else
    g_string_append (text, prism_digits ("%.17g", value));
  /* A reader takes "-0" for an integer, which has no sign there. */
  if (value == 0.0)
    g_string_append (text, ".0");
}

/**
 * prism_record_to_text:
 * @fields: (array zero-terminated=1): the structure's fields
 * @record: the structure
 *
 * Writes a structure as a JSON object, a field a line, so that prism_record_parse() gives the same
 * bits.
 *
 * Returns: (transfer full): the text
 */
char *
prism_record_to_text (const PrismRecordField *fields,
                      gconstpointer record)
{
  GString *text = g_string_new ("{");

  for (gsize i = 0; fields[i].name != NULL; i++)
    {
      gconstpointer value;

      if (fields[i].type == PRISM_RECORD_FORMER)
        continue;
      g_string_append_printf (text, "%s\n  \"%s\": ", text->len > 1 ? "," : "", fields[i].name);
      value = (const char *) record + fields[i].offset;
      switch (fields[i].type)
        {
        case PRISM_RECORD_INTEGER:
          g_string_append_printf (text, "%d", *(const int *) value);
          break;
        case PRISM_RECORD_COUNT:
          g_string_append_printf (text, "%" G_GUINT64_FORMAT, *(const guint64 *) value);
          break;
        case PRISM_RECORD_SWITCH:
          g_string_append (text, *(const gboolean *) value ? "true" : "false");
          break;
        case PRISM_RECORD_REAL:
        default:
          append_real (text, *(const double *) value);
          break;
        }
    }
  g_string_append (text, "\n}\n");
  return g_string_free (text, FALSE);
}

static gboolean
refuse (const Reader *self,
        const char *field,
        const char *reason,
        GError **error)
{
  return prism_error_format (error, _ ("“%s” of %s cannot be used: %s."), field,
                             self->name, reason);
}

static gboolean
read_real (const char *text,
           double *value)
{
  static const struct
  {
    const char *word;
    double value;
  } words[] = { { "nan", NAN }, { "inf", INFINITY }, { "-inf", -INFINITY } };

  PRISM_FOR_EACH_OF (one, words)
    if (g_strcmp0 (text, one->word) == 0)
      {
        *value = one->value;
        return TRUE;
      }
  return FALSE;
}

/* A number, true, false or one of the words for what is not finite. */
static gboolean
read_value (JsonNode *node,
            const PrismRecordField *field,
            double *value)
{
  const char *kind = json_node_type_name (node);

  if (field->type == PRISM_RECORD_SWITCH)
    {
      *value = strcmp (kind, "Boolean") == 0 && json_node_get_boolean (node);
      return strcmp (kind, "Boolean") == 0;
    }
  if (strcmp (kind, "Integer") == 0)
    {
      *value = (double) json_node_get_int (node);
      return TRUE;
    }
  if (field->type != PRISM_RECORD_REAL)
    return FALSE;
  if (strcmp (kind, "String") == 0)
    return read_real (json_node_get_string (node), value);
  *value = strcmp (kind, "Floating Point") == 0 ? json_node_get_double (node) : 0.0;
  return strcmp (kind, "Floating Point") == 0;
}

static gboolean
read_field (const Reader *self,
            const PrismRecordField *field,
            gpointer record,
            GError **error)
{
  JsonNode *node = json_object_get_member (self->object, field->name);
  const double most = field->type == PRISM_RECORD_INTEGER ? G_MAXINT32
                      : field->type == PRISM_RECORD_COUNT ? PRISM_RECORD_MOST
                                                          : G_MAXDOUBLE;
  const double maximum = field->maximum > field->minimum ? field->maximum : most;
  double value = 0.0;
  gpointer place;

  if (field->type == PRISM_RECORD_FORMER)
    return TRUE;
  if (node == NULL)
    return field->optional || refuse (self, field->name, _ ("it is missing"), error);
  if (!read_value (node, field, &value))
    return refuse (self, field->name, _ ("it is no number of the kind that belongs there"), error);
  if (isfinite (value) && !(value >= field->minimum && value <= maximum))
    {
      g_autofree char *reason
          = g_strdup_printf (_ ("%.17g is not between %.17g and %.17g"), value, field->minimum,
                             maximum);
      return refuse (self, field->name, reason, error);
    }
  if (field->type != PRISM_RECORD_REAL && !(fabs (value) <= most))
    return refuse (self, field->name, _ ("it is too large"), error);
  place = (char *) record + field->offset;
  switch (field->type)
    {
    case PRISM_RECORD_INTEGER:
      /* Also an enumeration or a guint: the range has been checked. */
      *(int *) place = (int) value;
      break;
    case PRISM_RECORD_COUNT:
      *(guint64 *) place = (guint64) value;
      break;
    case PRISM_RECORD_SWITCH:
      *(gboolean *) place = value != 0.0;
      break;
    case PRISM_RECORD_REAL:
    default:
      *(double *) place = value;
      break;
    }
  return TRUE;
}

static gboolean
is_field (const PrismRecordField *fields,
          const char *name)
{
  for (gsize i = 0; fields[i].name != NULL; i++)
    if (strcmp (fields[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
refuse_unknown (const Reader *self,
                const PrismRecordField *fields,
                GError **error)
{
  g_autoptr (GList) names = NULL;
  guint n_known = 0;

  for (gsize i = 0; fields[i].name != NULL; i++)
    n_known += json_object_has_member (self->object, fields[i].name);
  if (n_known == json_object_get_size (self->object))
    return TRUE;
  names = json_object_get_members (self->object);
  for (GList *l = names; l != NULL; l = l->next)
    if (!is_field (fields, l->data))
      {
        g_autofree char *shown = g_utf8_make_valid (l->data, (gssize) strnlen (l->data, MAX_NAME));
        return refuse (self, shown, _ ("this version of the program does not know it"), error);
      }
  return TRUE;
}

/**
 * prism_record_parse:
 * @fields: (array zero-terminated=1): the structure's fields
 * @record: (inout): the structure; fields that are optional and missing keep their value
 * @text: what prism_record_to_text() wrote
 * @name: of the text, for messages: "progress.json"
 *
 * Reads a structure.
 *
 * Errors: PRISM_ERROR_FORMAT: no JSON, a field that is missing, unknown, of another type or out of
 * its range; @record is then filled in part.
 *
 * Returns: whether everything was good
 */
gboolean
prism_record_parse (const PrismRecordField *fields,
                    gpointer record,
                    const char *text,
                    const char *name,
                    GError **error)
{
  g_autoptr (JsonNode) root = prism_json_parse_object (text, strlen (text));
  Reader reader = { .name = name };

  if (root == NULL)
    return prism_error_format (error, _ ("%s cannot be read: it is not a JSON object."), name);
  reader.object = json_node_get_object (root);
  if (!refuse_unknown (&reader, fields, error))
    return FALSE;
  for (gsize i = 0; fields[i].name != NULL; i++)
    if (!read_field (&reader, &fields[i], record, error))
      return FALSE;
  return TRUE;
}

#define MOST_OBJECT (64 << 20) /* bytes; what is larger is no summary */

/**
 * prism_json_load:
 * @path: file name
 *
 * Reads an object of any members, as a summary is.
 *
 * Errors: those of prism_file_load(), PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): its node
 */
JsonNode *
prism_json_load (const char *path,
                 GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MOST_OBJECT, error);
  gsize length;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  JsonNode *root = text != NULL ? prism_json_parse_object (text, length) : NULL;

  if (bytes != NULL && root == NULL)
    prism_error_format (error, _ ("%s cannot be read: it is not a JSON object."), path);
  return root;
}

/**
 * prism_record_load:
 * @fields: (array zero-terminated=1): the structure's fields
 * @record: (inout): the structure; fields that are optional and missing keep their value
 * @path: a file of at most 64 KiB with what prism_record_to_text() wrote
 * @name: of what it holds, for messages: "costs"
 *
 * Reads a structure from a file.
 *
 * Errors: those of prism_file_load() and prism_record_parse(); @record may then be filled in part.
 *
 * Returns: whether everything was good
 */
gboolean
prism_record_load (const PrismRecordField *fields,
                   gpointer record,
                   const char *path,
                   const char *name,
                   GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MOST_BYTES, error);
  g_autofree char *text = NULL;
  const char *data;
  gsize length;

  if (bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (bytes, &length);
  text = g_strndup (data != NULL ? data : "", length);
  return prism_record_parse (fields, record, text, name, error);
}

/**
 * prism_record_save:
 * @fields: (array zero-terminated=1): the structure's fields
 * @record: the structure
 * @path: the file; a folder that is missing is made for this user alone
 * @error: return location
 *
 * Writes what prism_record_load() reads, as a whole or not at all.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is written
 */
gboolean
prism_record_save (const PrismRecordField *fields,
                   gconstpointer record,
                   const char *path,
                   GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *text = prism_record_to_text (fields, record);

  g_mkdir_with_parents (folder, 0700);
  return prism_file_save (path, text, strlen (text), error);
}
