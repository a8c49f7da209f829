#include "config.h"

#include "prism-cli-results.h"

#include "run/prism-run-result.h"

/**
 * prism_cli_results_load:
 * @path: a file of a run, or a folder of a result of recorded frames
 * @parts: what of it will be looked at
 * @error: return location
 *
 * Reads what a run came to, and calls it as the file is called. Complex objects keep their images,
 * to be compared.
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
  g_autoptr (PrismSnapshot) snapshot = prism_run_result_load (path, error);
  g_autofree char *name = prism_run_result_dup_name (path);

  if (snapshot == NULL)
    return NULL;
  if (snapshot->phase_image != NULL)
    parts |= PRISM_SNAPSHOT_IMAGES;
  return prism_result_new_parts (name, snapshot, parts);
}
