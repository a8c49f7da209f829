#include "config.h"

#include "run/prism-run-index.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-json.h"
#include "run/prism-run-snapshot.h"

#include <string.h>

/**
 * prism_run_identity_new:
 * @parent: (nullable): file name of the run that it was forked from
 *
 * Makes the identity of a run that begins now.
 *
 * Returns: (transfer full): the identity
 */
PrismRunIdentity *
prism_run_identity_new (const char *parent)
{
  PrismRunIdentity *self = g_new0 (PrismRunIdentity, 1);

  self->id = g_uuid_string_random ();
  self->started = prism_clock_dup_utc ();
  self->parent = parent != NULL ? prism_file_dup_display_name (parent) : NULL;
  return self;
}

/**
 * prism_run_identity_dup:
 * @self: (nullable): an identity
 *
 * Returns: (transfer full) (nullable): a copy
 */
PrismRunIdentity *
prism_run_identity_dup (const PrismRunIdentity *self)
{
  PrismRunIdentity *copy = self != NULL ? g_new0 (PrismRunIdentity, 1) : NULL;

  if (copy == NULL)
    return NULL;
  copy->id = g_strdup (self->id);
  copy->started = g_strdup (self->started);
  copy->parent = g_strdup (self->parent);
  copy->lesson = self->lesson;
  return copy;
}

/**
 * prism_run_identity_free:
 * @self: (nullable): an identity
 *
 * Frees it.
 */
void
prism_run_identity_free (PrismRunIdentity *self)
{
  if (self == NULL)
    return;
  g_free (self->id);
  g_free (self->started);
  g_free (self->parent);
  g_free (self);
}

/**
 * prism_run_index_refuse:
 * @member: name of a part of a run file
 * @reason: what is wrong with it
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: %FALSE
 */
gboolean
prism_run_index_refuse (const char *member,
                        const char *reason,
                        GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT, "The part “%s” cannot be used: %s.", member,
               reason);
  return FALSE;
}

static char *
dup_string (JsonObject *object,
            const char *name)
{
  return g_strdup (prism_json_get_text (object, name));
}

static gint64
get_integer (JsonObject *object,
             const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_int (node) : -1;
}

/**
 * prism_run_index_free:
 * @self: (nullable): an index
 *
 * Frees it.
 */
void
prism_run_index_free (PrismRunIndex *self)
{
  if (self == NULL)
    return;
  prism_run_identity_free (self->identity);
  g_free (self->program);
  g_free (self->saved);
  g_free (self->state_name);
  g_free (self->backend);
  g_free (self->device);
  g_free (self->device_reason);
  g_free (self->precision_advice);
  g_free (self->message);
  g_free (self);
}

static void
fill_index (PrismRunIndex *self,
            JsonObject *object)
{
  self->identity = g_new0 (PrismRunIdentity, 1);
  self->identity->id = dup_string (object, "id");
  self->identity->started = dup_string (object, "started");
  self->identity->parent = dup_string (object, "parent");
  self->identity->lesson = get_integer (object, "lesson") == 1;
  self->format = (int) CLAMP (get_integer (object, "format"), -1, G_MAXINT32);
  self->program = dup_string (object, "program");
  self->saved = dup_string (object, "saved");
  self->state_name = dup_string (object, "state");
  self->step = (guint64) MAX (get_integer (object, "step"), 0);
  self->backend = dup_string (object, "backend");
  self->device = dup_string (object, "device");
  self->device_reason = dup_string (object, "device_reason");
  self->precision_advice = dup_string (object, "precision_advice");
  self->message = dup_string (object, "message");
}

static gboolean
check_index (PrismRunIndex *self,
             GError **error)
{
  if (self->format > PRISM_RUN_FILE_FORMAT)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   "The run was written by a newer version, %s, in format %d; this one reads up to"
                   " %d. Update PRISM Studio.",
                   self->program != NULL ? self->program : "unnamed", self->format,
                   PRISM_RUN_FILE_FORMAT);
      return FALSE;
    }
  if (self->format < 1)
    return prism_run_index_refuse (PRISM_RUN_INDEX,
                                   "it has no format that this program knows", error);
  if (self->identity->id == NULL || self->identity->started == NULL || self->saved == NULL
      || self->state_name == NULL
      || !prism_run_snapshot_parse_state (self->state_name, &self->state))
    return prism_run_index_refuse (PRISM_RUN_INDEX, "it does not say which run this is", error);
  return TRUE;
}

/**
 * prism_run_index_parse:
 * @text: of run.json
 *
 * Errors: as prism_run_index_load().
 *
 * Returns: (transfer full) (nullable): what it says
 */
PrismRunIndex *
prism_run_index_parse (const char *text,
                       GError **error)
{
  g_autoptr (PrismRunIndex) self = g_new0 (PrismRunIndex, 1);
  g_autoptr (JsonNode) root = prism_json_parse_object (text, strlen (text));

  if (root == NULL)
    {
      prism_run_index_refuse (PRISM_RUN_INDEX, "it is not a JSON object", error);
      return NULL;
    }
  fill_index (self, json_node_get_object (root));
  return check_index (self, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_run_index_load:
 * @archive: a run file
 *
 * Reads run.json.
 *
 * Errors: PRISM_ERROR_FORMAT, also for a newer format; PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what it says
 */
PrismRunIndex *
prism_run_index_load (PrismArchive *archive,
                      GError **error)
{
  g_autofree char *text = prism_archive_load_text (archive, PRISM_RUN_INDEX, error);

  return text != NULL ? prism_run_index_parse (text, error) : NULL;
}

static int
compare_down (gconstpointer a,
              gconstpointer b)
{
  guint left = *(const guint *) a, right = *(const guint *) b;

  return left < right ? 1 : left > right ? -1
                                         : 0;
}

/**
 * prism_run_index_list_states:
 * @archive: a run file
 *
 * Finds the states by the numbers of their snapshot.json.
 *
 * Returns: (transfer full) (element-type guint): the numbers, the newest first
 */
GArray *
prism_run_index_list_states (PrismArchive *archive)
{
  GArray *indices = g_array_new (FALSE, FALSE, sizeof (guint));
  const char *const *names = prism_archive_get_names (archive);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      guint64 index;
      char *end;

      if (!g_str_has_prefix (names[i], PRISM_RUN_SNAPSHOTS)
          || !g_ascii_isdigit (names[i][strlen (PRISM_RUN_SNAPSHOTS)]))
        continue;
      index = g_ascii_strtoull (names[i] + strlen (PRISM_RUN_SNAPSHOTS), &end, 10);
      if (index < G_MAXINT32 && strcmp (end, "/snapshot.json") == 0)
        g_array_append_val (indices, (guint) { (guint) index });
    }
  g_array_sort (indices, compare_down);
  return indices;
}
