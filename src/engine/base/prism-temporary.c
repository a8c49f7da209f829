#include "config.h"

#include "base/prism-temporary.h"

#include "base/prism-file.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>

#define MAX_NAME 200 /* bytes of a file's name that its temporary file takes over */
#define N_RANDOM 6   /* letters behind it */

/* What the names of temporary files beside path begin with; six letters follow. */
static char *
dup_temporary_prefix (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);

  return strlen (name) <= MAX_NAME ? g_strconcat (".prism-", name, "-", NULL)
                                   : g_strdup (".prism-");
}

/* Whether a writer of a file with this prefix made it, or libzip beside such a one. */
static gboolean
is_temporary (const char *name,
              const char *prefix)
{
  gsize length = strlen (prefix) + N_RANDOM;

  return g_str_has_prefix (name, prefix)
         && (strlen (name) == length
             || (strlen (name) == length + 1 + N_RANDOM && name[length] == '.'));
}

/**
 * prism_temporary_open:
 * @path: the file that is to be replaced
 * @temporary: (out) (transfer full): name of the new one
 *
 * Makes an empty file beside @path and opens it for writing.
 *
 * Thread: any.
 *
 * Returns: its descriptor, -1 with errno where there can be none
 */
int
prism_temporary_open (const char *path,
                      char **temporary)
{
  g_autofree char *directory = g_path_get_dirname (path);
  g_autofree char *prefix = dup_temporary_prefix (path);
  g_autofree char *name = g_strconcat (prefix, "XXXXXX", NULL);

  *temporary = g_build_filename (directory, name, NULL);
  return g_mkstemp_full (*temporary, O_WRONLY | O_CLOEXEC, 0666);
}

/**
 * prism_temporary_remove:
 * @path: file name
 *
 * Removes what writers of @path that were killed have left beside it. Nobody may be writing it.
 *
 * Thread: any.
 */
void
prism_temporary_remove (const char *path)
{
  g_autofree char *real = prism_file_dup_real (path);
  g_autofree char *directory = g_path_get_dirname (real);
  g_autofree char *prefix = dup_temporary_prefix (real);
  g_autoptr (GDir) listing = g_dir_open (directory, 0, NULL);
  const char *name;

  while (listing != NULL && (name = g_dir_read_name (listing)) != NULL)
    {
      g_autofree char *full = g_build_filename (directory, name, NULL);

      if (strlen (prefix) > strlen (".prism-") && is_temporary (name, prefix))
        g_unlink (full);
    }
}
