#include "config.h"

#include "base/prism-key-file.h"

#include "base/prism-error.h"
#include "base/prism-file.h"

#include <glib/gi18n-lib.h>

/**
 * prism_key_file_load:
 * @directory: where it lies
 * @name: of the file
 * @max_bytes: larger ones are refused
 * @missing: sentence for a directory without such a file, with %s for its name, translated
 *
 * Errors: PRISM_ERROR_IO, also where there is no such file; PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): its keys
 */
GKeyFile *
prism_key_file_load (const char *directory,
                     const char *name,
                     gsize max_bytes,
                     const char *missing,
                     GError **error)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autofree char *shown = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) cause = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_auto (GStrv) parts = g_strsplit (missing, "%s", 2);

      shown = prism_file_dup_display_name (directory);
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO, "%s%s%s", parts[0], shown,
                   parts[1] != NULL ? parts[1] : "");
      return NULL;
    }
  bytes = prism_file_load (path, max_bytes, error);
  if (bytes == NULL)
    return NULL;
  if (g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, &cause))
    return g_steal_pointer (&file);
  shown = prism_file_dup_display_name (path);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT, _ ("%s cannot be read: %s."), shown,
               cause->message);
  return NULL;
}
