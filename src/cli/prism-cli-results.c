#include "config.h"

#include "prism-cli-results.h"

#include "run/prism-run-file.h"

#include <string.h>

/**
 * prism_cli_results_is_file:
 * @path: an argument
 *
 * Returns: whether it names a file of a run, by its ending
 */
gboolean
prism_cli_results_is_file (const char *path)
{
  return g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX);
}

/**
 * prism_cli_results_load:
 * @path: a file of a run
 * @parts: what of it will be looked at
 * @error: return location
 *
 * Reads what a run came to, and calls it as the file is called.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the result
 */
PrismResult *
prism_cli_results_load (const char *path,
                        PrismSnapshotParts parts,
                        GError **error)
{
  g_autoptr (PrismSnapshot) snapshot = prism_run_file_load_snapshot (path, error);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_filename_display_name (base);

  if (snapshot == NULL)
    return NULL;
  if (g_str_has_suffix (name, PRISM_RUN_FILE_SUFFIX))
    name[strlen (name) - strlen (PRISM_RUN_FILE_SUFFIX)] = '\0';
  return prism_result_new_parts (name, snapshot, parts);
}
