#include "config.h"

#include "support/prism-program.h"

#include <gio/gio.h>

/**
 * prism_program_dup_cli:
 *
 * Finds prism-cli of this very program: installed beside it, or in the tree where it was built.
 * PRISM_CLI in the environment says another.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
prism_program_dup_cli (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : g_strdup (".");
  static const char *const places[] = { "prism-cli", "../cli/prism-cli" };
  const char *asked = g_getenv ("PRISM_CLI");

  if (asked != NULL)
    return g_strdup (asked);
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (folder, places[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_find_program_in_path ("prism-cli");
}
