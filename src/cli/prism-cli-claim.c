#include "config.h"

#include "prism-cli-claim.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "results/prism-export.h"
#include "run/prism-run-file.h"
#include "run/prism-run-result.h"

#include <sys/stat.h>

/* A file or folder that a command reads or writes, or will. */
typedef struct
{
  const char *name; /* interned: "--csv", "FOLDER", "object" */
  char *path;
  char *real;       /* the only name that leads there, also where nothing is yet */
  struct stat file; /* st_ino is 0 where nothing is there */
  PrismCliKind kind;
  const char *names; /* of PrismCliOption */
  int lock;          /* of prism_directory_lock() */
} Claim;

static void
claim_free (gpointer data)
{
  Claim *self = data;

  /* It was made for a result that has not come: rmdir() leaves what is not empty. */
  if (self->lock >= 0 && self->file.st_ino == 0)
    g_rmdir (self->path);
  prism_directory_unlock (self->lock);
  g_free (self->path);
  g_free (self->real);
  g_free (self);
}

/* Of what this thread has parsed: the runs of a crew are parsed side by side. */
static GPrivate claims = G_PRIVATE_INIT ((GDestroyNotify) g_ptr_array_unref);
static GPrivate forced; /* whether its outputs replace what is there */

/**
 * prism_cli_claim_none:
 * @force: whether what is there may be replaced
 *
 * Forgets what the command that was parsed before in this thread reads and writes, and gives its
 * folders back; one that it made and wrote nothing into goes.
 */
void
prism_cli_claim_none (gboolean force)
{
  g_private_replace (&claims, g_ptr_array_new_with_free_func (claim_free));
  g_private_set (&forced, GINT_TO_POINTER (force));
}

static gboolean
is_written (const Claim *self)
{
  return self->kind >= PRISM_CLI_OUTPUT;
}

/* (nullable): the name of a file by its folder: "a.png" or "point-0000/a.png" */
static const char *
get_within (const Claim *folder,
            const Claim *file)
{
  const gsize n = strlen (folder->real);

  return strncmp (folder->real, file->real, n) == 0 && file->real[n] == '/' ? file->real + n + 1
                                                                            : NULL;
}

/* Whether one of patterns, with “|” between them, is that of a name or of the folder it begins
 * with. */
static gboolean
matches (const char *patterns,
         const char *within)
{
  g_autofree char *first = g_strndup (within, strcspn (within, "/"));

  return prism_file_matches (first, patterns);
}

/* Whether a file is one of those that a folder gets, or that are read of it: of a folder that is no
 * result, any that is there but is none of a kind that no reader looks at. */
static gboolean
has_file (const Claim *folder,
          const Claim *file)
{
  const char *within = get_within (folder, file);

  if (within == NULL)
    return FALSE;
  if (folder->kind == PRISM_CLI_FOLDER)
    return matches (folder->names, within);
  if (is_written (folder) || !is_written (file) || file->kind == PRISM_CLI_FOLDER
      || strchr (within, '/') != NULL || matches ("refocus.ome.tif", within))
    return FALSE;
  return prism_exchange_has_result (folder->real)
             ? matches (PRISM_RESULT_NAMES, within)
             : file->file.st_ino != 0 && !matches ("*.html|*.pdf|*.prismrun|*.prismprof", within);
}

static gboolean
clashes (const Claim *one,
         const Claim *other)
{
  const gboolean same = strcmp (one->real, other->real) == 0
                        || (one->file.st_ino != 0 && one->file.st_ino == other->file.st_ino
                            && one->file.st_dev == other->file.st_dev);

  if (!is_written (one) && !is_written (other))
    return FALSE;
  if (same)
    return one->kind != PRISM_CLI_FOLDER || other->kind != PRISM_CLI_FOLDER;
  return has_file (one, other) || has_file (other, one);
}

/* "--csv", or "--output prism-output", which may be there by default */
static char *
dup_title (const Claim *self)
{
  return self->kind == PRISM_CLI_FOLDER ? g_strdup_printf ("%s %s", self->name, self->path)
                                        : g_strdup (self->name);
}

static gboolean
refuse (const Claim *one,
        const Claim *other,
        GError **error)
{
  /* What reads comes first, and of a folder and its file the file is named. */
  const gboolean turn = is_written (one) && !is_written (other);
  const Claim *first = turn ? other : one, *second = turn ? one : other;
  const Claim *named = get_within (first, second) != NULL ? second : first;
  g_autofree char *before = dup_title (first), *after = dup_title (second);

  if (is_written (first))
    return prism_error_config (error,
                               "“%s” would be written by %s and by %s: choose another name for one"
                               " of them.",
                               named->path, before, after);
  return prism_error_config (error,
                             "“%s” is read by %s and would be overwritten by %s: choose another"
                             " name for %s.",
                             named->path, before, after, second->name);
}

/* (nullable): what is where an output goes: a file, a link to nothing, or in a folder one of what
 * is written into it. Results, sweeps and tiles look themselves whose files these are. */
static char *
dup_taken (const Claim *self)
{
  const gboolean is_folder = self->kind == PRISM_CLI_FOLDER;
  const char *name;
  g_autoptr (GDir) folder = g_dir_open (self->path, 0, NULL);

  if (!is_written (self) || g_str_has_prefix (self->path, "/dev/")
      || (is_folder
          && (strchr (self->names, '|') != NULL || prism_exchange_has_result (self->path)))
      || (folder != NULL && self->names == NULL)) /* a file cannot be written there */
    return NULL;
  if (folder == NULL)
    return !is_folder && g_file_test (self->path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK)
               ? g_strdup (self->path)
               : NULL;
  do
    name = g_dir_read_name (folder);
  while (name != NULL && !prism_file_matches (name, self->names));
  return name != NULL ? g_build_filename (self->path, name, NULL) : NULL;
}

/* Whether an output goes into a folder that the same command makes first. */
static gboolean
is_place_to_come (const Claim *self)
{
  const GPtrArray *all = g_private_get (&claims);
  g_autofree char *folder = g_path_get_dirname (self->real);

  PRISM_FOR_EACH_POINTER (Claim, other, all)
    if (other->kind == PRISM_CLI_FOLDER && other->file.st_ino == 0
        && strcmp (other->real, folder) == 0)
      return TRUE;
  return FALSE;
}

/* A run that is saved goes on. */
static gboolean
check_place (const Claim *self,
             GError **error)
{
  const gboolean is_run = g_str_has_suffix (self->path, PRISM_RUN_FILE_SUFFIX);
  g_autofree char *taken = is_run || g_private_get (&forced) == NULL ? dup_taken (self) : NULL;

  if (taken == NULL)
    return !is_written (self) || self->names != NULL || is_place_to_come (self)
           || prism_file_check_place (self->path, error);
  return prism_error_config (error,
                             is_run ? "“%s” is there already: go on with it by --resume, or choose"
                                      " another name."
                                    : "“%s” is there already: choose another name, or replace it"
                                      " with --force.",
                             taken);
}

static gboolean
claim_one (PrismCliKind kind,
           const char *name,
           const char *path,
           const char *names,
           GError **error)
{
  GPtrArray *all = g_private_get (&claims);
  g_autofree char *real = prism_file_dup_real (path);
  Claim *self = g_new0 (Claim, 1);

  self->name = g_intern_string (name);
  self->path = g_strdup (path);
  self->real = g_canonicalize_filename (real, NULL);
  self->kind = kind;
  self->names = names;
  self->lock = -1;
  if (stat (path, &self->file) != 0)
    self->file.st_ino = 0;
  if (self->file.st_ino != 0 ? !S_ISREG (self->file.st_mode) && !S_ISDIR (self->file.st_mode)
                             : !is_written (self))
    {
      claim_free (self);
      return TRUE;
    }
  g_ptr_array_add (all, self);
  for (guint i = 0; i + 1 < all->len; i++)
    if (clashes (all->pdata[i], self))
      return refuse (all->pdata[i], self, error);
  return TRUE;
}

/**
 * prism_cli_claim:
 * @kind: PRISM_CLI_INPUT, PRISM_CLI_OUTPUT or PRISM_CLI_FOLDER, or a plural
 * @name: of the option, the argument or the parameter
 * @path: (nullable): file or folder, any bytes
 * @names: (nullable): of PrismCliOption
 * @error: return location
 *
 * Notes what the command that is parsed last in this thread reads or writes beside its options,
 * which prism_cli_parse() notes; with a run or a result that is read, what it was made from. No
 * output may take the place of an input or of another output, whatever links and names lead there;
 * devices and pipes are left alone. What is read and not there is left to its reader.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether it takes no place
 */
gboolean
prism_cli_claim (PrismCliKind kind,
                 const char *name,
                 const char *path,
                 const char *names,
                 GError **error)
{
  const gboolean is_read = kind < PRISM_CLI_OUTPUT;
  g_auto (GStrv) sources = NULL;

  if (path == NULL || g_private_get (&claims) == NULL)
    return TRUE;
  if (*path == '\0')
    return is_read || kind == PRISM_CLI_FOLDER || prism_file_check_place (path, error);
  if (!claim_one (kind, name, path, names, error))
    return FALSE;
  sources = is_read ? prism_run_result_list_sources (path) : NULL;
  PRISM_FOR_EACH_STRING (source, sources)
    if (**source != '\0' && !claim_one (kind, name, *source, NULL, error))
      return FALSE;
  return TRUE;
}

/**
 * prism_cli_claim_places:
 * @error: return location
 *
 * Looks at the places of all outputs that are claimed, before anything is computed: what is there
 * stays, but with --force.
 *
 * Errors: PRISM_ERROR_CONFIG where something is; those of prism_file_check_place().
 *
 * Returns: whether they are free, and can be written
 */
gboolean
prism_cli_claim_places (GError **error)
{
  const GPtrArray *all = g_private_get (&claims);

  PRISM_FOR_EACH_POINTER (Claim, claim, all)
    if (!check_place (claim, error))
      return FALSE;
  return TRUE;
}

/**
 * prism_cli_claim_folder:
 * @directory: one of those that are claimed as PRISM_CLI_FOLDER
 * @error: return location
 *
 * Finds out whether a result can be written there, and keeps other programs out of it until the
 * command ends, however it ends. With --force the user's own files make way, too.
 *
 * Errors: those of prism_export_check_directory() and prism_directory_lock().
 *
 * Returns: whether it is there, and this command's
 */
gboolean
prism_cli_claim_folder (const char *directory,
                        GError **error)
{
  const GPtrArray *all = g_private_get (&claims);
  g_autofree char *real = prism_file_dup_real (directory);
  g_autofree char *place = g_canonicalize_filename (real, NULL);
  Claim *self = NULL;

  if (!prism_export_check_directory (directory, g_private_get (&forced) != NULL, error))
    return FALSE;
  for (guint i = 0; i < all->len && self == NULL; i++)
    if (strcmp (((Claim *) all->pdata[i])->real, place) == 0)
      self = all->pdata[i];
  return self == NULL || self->lock >= 0 || prism_directory_lock (directory, &self->lock, error);
}
