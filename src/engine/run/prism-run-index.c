#include "config.h"

#include "run/prism-run-index.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "run/prism-run-snapshot.h"

#include <limits.h>
#include <sys/stat.h>

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
PRISM_FREE_FOR_ALL (PrismRunIdentity,
                    prism_run_identity_free,
                    g_free,
                    id,
                    g_free,
                    started,
                    g_free,
                    parent)

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
  return prism_error_format (error, _ ("The part “%s” cannot be used: %s."), member,
                             reason);
}

/* The texts of an index by their names. */
#define TEXT(member)                                \
  {                                                 \
#member, G_STRUCT_OFFSET(PrismRunIndex, member) \
  }
static const struct
{
  const char *name;
  gsize offset;
} texts[] = {
  TEXT (program),
  TEXT (saved),
  { "state", G_STRUCT_OFFSET (PrismRunIndex, state_name) },
  TEXT (backend),
  TEXT (device),
  TEXT (device_reason),
  TEXT (precision_advice),
  TEXT (message),
};

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
  PRISM_FOR_EACH_OF (text, texts)
    g_free (G_STRUCT_MEMBER (char *, self, text->offset));
  g_free (self);
}

static gboolean
check_index (PrismRunIndex *self,
             GError **error)
{
  if (self->format > PRISM_RUN_FILE_FORMAT)
    return prism_error_format (
        error,
        _ ("The run was written by a newer version, %s, in format %d; this one reads up to"
           " %d. Update PRISM Studio."),
        self->program != NULL ? self->program : "unnamed", self->format, PRISM_RUN_FILE_FORMAT);
  if (self->format < 1)
    return prism_run_index_refuse (PRISM_RUN_INDEX,
                                   _ ("it has no format that this program knows"), error);
  if (self->identity->id == NULL || self->identity->started == NULL || self->saved == NULL
      || self->state_name == NULL
      || !prism_run_snapshot_parse_state (self->state_name, &self->state))
    return prism_run_index_refuse (PRISM_RUN_INDEX, _ ("it does not say which run this is"), error);
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
  JsonObject *object = prism_json_to_object (root);

  if (object == NULL)
    {
      prism_run_index_refuse (PRISM_RUN_INDEX, _ ("it is not a JSON object"), error);
      return NULL;
    }
  self->identity = g_new0 (PrismRunIdentity, 1);
  self->identity->id = g_strdup (prism_json_get_text (object, "id"));
  self->identity->started = g_strdup (prism_json_get_text (object, "started"));
  self->identity->parent = g_strdup (prism_json_get_text (object, "parent"));
  self->identity->lesson = json_object_get_int_member_with_default (object, "lesson", 0) == 1;
  self->format = (int) CLAMP (json_object_get_int_member_with_default (object, "format", -1), -1,
                              G_MAXINT32);
  self->step = (guint64) MAX (json_object_get_int_member_with_default (object, "step", 0), 0);
  PRISM_FOR_EACH_OF (one, texts)
    G_STRUCT_MEMBER (char *, self, one->offset)
        = g_strdup (prism_json_get_text (object, one->name));
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

  PRISM_FOR_EACH_STRING (name, names)
    {
      guint64 index;
      char *end;

      if (!g_str_has_prefix (*name, PRISM_RUN_SNAPSHOTS)
          || !g_ascii_isdigit ((*name)[strlen (PRISM_RUN_SNAPSHOTS)]))
        continue;
      index = g_ascii_strtoull (*name + strlen (PRISM_RUN_SNAPSHOTS), &end, 10);
      if (index < G_MAXINT32 && strcmp (end, "/snapshot.json") == 0)
        g_array_append_val (indices, (guint) { (guint) index });
    }
  g_array_sort (indices, compare_down);
  return indices;
}

#define MAX_BESIDE 1000 /* names that are tried */

/**
 * prism_run_mark_init:
 * @self: (out caller-allocates): a mark
 * @path: of a run file, which need not be there
 *
 * Remembers which file has the name now.
 */
void
prism_run_mark_init (PrismRunMark *self,
                     const char *path)
{
  struct stat status;

  memset (self, 0, sizeof *self);
  if (stat (path, &status) != 0)
    return;
  self->device = (guint64) status.st_dev;
  self->inode = (guint64) status.st_ino;
  self->size = (guint64) status.st_size;
  self->changed = (gint64) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

/**
 * prism_run_mark_equal:
 * @a: a mark
 * @b: another
 *
 * Returns: whether both are of the same file in the same state, or both of none
 */
gboolean
prism_run_mark_equal (const PrismRunMark *a,
                      const PrismRunMark *b)
{
  return memcmp (a, b, sizeof *a) == 0;
}

/**
 * prism_run_place_new:
 * @path: of a run's file, which need not be there yet
 * @expected: (nullable): of the file when it was read, or named
 *
 * Takes a file for a run. A symbolic link stays: what it leads to is locked and written.
 *
 * Errors: as prism_run_lock_new(); PRISM_ERROR_CANCELLED when the file is another one now.
 *
 * Returns: (transfer full) (nullable): the place
 */
PrismRunPlace *
prism_run_place_new (const char *path,
                     const PrismRunMark *expected,
                     GError **error)
{
  g_autofree char *real = prism_file_dup_real (path);
  g_autoptr (PrismRunLock) lock = prism_run_lock_new (real, error);
  PrismRunPlace *self;
  PrismRunMark mark;

  if (lock == NULL)
    return NULL;
  prism_run_mark_init (&mark, real);
  if (expected != NULL && !prism_run_mark_equal (expected, &mark))
    {
      prism_error_set (error, PRISM_ERROR_CANCELLED,
                       _ ("“%s” was written by another program meanwhile. Open it again, or choose"
                          " another file."),
                       path);
      return NULL;
    }
  self = g_new0 (PrismRunPlace, 1);
  self->path = g_strdup (path);
  self->real = g_steal_pointer (&real);
  self->lock = g_steal_pointer (&lock);
  self->mark = mark;
  self->written = self->tried = G_MAXUINT64;
  return self;
}

/* "run.prismrun" becomes "run-2.prismrun"; a name that is too long loses its end. */
static char *
dup_beside (const char *real,
            guint number)
{
  g_autofree char *directory = g_path_get_dirname (real);
  g_autofree char *base = g_path_get_basename (real);
  g_autofree char *ending = g_strdup_printf ("-%u" PRISM_RUN_FILE_SUFFIX, number);
  g_autofree char *name = NULL;
  gsize length;

  if (g_str_has_suffix (base, PRISM_RUN_FILE_SUFFIX))
    base[strlen (base) - strlen (PRISM_RUN_FILE_SUFFIX)] = '\0';
  length = strlen (base);
  while (length > 0 && (length + strlen (ending) > NAME_MAX || (base[length] & 0xc0) == 0x80))
    length--;
  base[length] = '\0';
  name = g_strconcat (base, ending, NULL);
  return g_build_filename (directory, name, NULL);
}

/**
 * prism_run_place_new_beside:
 * @self: a place that another file has taken
 *
 * Takes a name beside it that nobody has.
 *
 * Errors: as prism_run_lock_new().
 *
 * Returns: (transfer full) (nullable): the place
 */
PrismRunPlace *
prism_run_place_new_beside (PrismRunPlace *self,
                            GError **error)
{
  g_autoptr (GError) failure = NULL;

  for (guint i = 2; i < MAX_BESIDE; i++)
    {
      g_autofree char *path = dup_beside (self->real, i);
      PrismRunPlace *place;
      struct stat status;

      if (lstat (path, &status) == 0)
        continue;
      g_clear_error (&failure);
      place = prism_run_place_new (path, NULL, &failure);
      if (place != NULL)
        return place;
      if (!g_error_matches (failure, PRISM_ERROR, PRISM_ERROR_CANCELLED))
        break;
    }
  if (failure == NULL)
    prism_error_io (&failure, _ ("There are too many files named like “%s”. Save the run"
                                 " elsewhere."),
                    self->path);
  g_propagate_error (error, g_steal_pointer (&failure));
  return NULL;
}

/**
 * prism_run_place_free:
 * @self: (nullable): a place
 *
 * Lets others write the file.
 */
PRISM_FREE_FOR_ALL (PrismRunPlace,
                    prism_run_place_free,
                    prism_run_lock_free,
                    lock,
                    g_free,
                    path,
                    g_free,
                    real)

/**
 * prism_run_guard_allows:
 * @guard: a #PrismRunGuard
 *
 * Whether the file may be replaced: it is what was there when the place was taken or written last.
 * Some file systems number their files anew, and times can be touched; then the file must be of the
 * run and hold the state that was written.
 *
 * Returns: whether it may
 */
gboolean
prism_run_guard_allows (gpointer guard)
{
  const PrismRunPlace *self = ((PrismRunGuard *) guard)->place;
  g_autoptr (PrismArchive) archive = NULL;
  g_autoptr (PrismRunIndex) index = NULL;
  PrismRunMark mark;

  if (self == NULL)
    return TRUE;
  prism_run_mark_init (&mark, self->real);
  if (mark.inode == 0 || prism_run_mark_equal (&mark, &self->mark))
    return TRUE;
  archive = prism_archive_open (self->real, NULL);
  index = archive != NULL ? prism_run_index_load (archive, NULL) : NULL;
  return index != NULL && g_str_equal (index->identity->id, ((PrismRunGuard *) guard)->id)
         && (index->step == self->written || index->step == self->tried);
}

/**
 * prism_run_place_set_step:
 * @step: of the state that was written
 * @written: whether that went well
 *
 * Remembers what the file holds now. A save that failed may have replaced it all the same.
 */
void
prism_run_place_set_step (PrismRunPlace *self,
                          guint64 step,
                          gboolean written)
{
  self->tried = step;
  if (!written)
    return;
  self->written = step;
  prism_run_mark_init (&self->mark, self->real);
}
