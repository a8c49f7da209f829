#include "prism-cli-harness.h"
#include "prism-test.h"

/* One sentence about each thing, and a file with the names of libraries and without that of the
 * user. */
TEST (sentences, "/cli/doctor/sentences")
{
  gsize length;

  g_auto (PrismCliResult) result = cli_clean ("doctor --output doctor.txt");
  for (const char *const *words = (const char *const[]) { "System: ", "Processor: ", "Memory: ",
                                                          "Results: ", "Language: ", "Window: ",
                                                          "Display: ", NULL };
       *words != NULL; words++)
    HAS (result.output, *words);
  g_autofree char *file = cli_bytes (&result, "doctor.txt", &length);
  HAS (file, "Libraries:\n  GLib 2.");
  LACKS (file, g_get_home_dir ());
}

/* What is missing is marked and counted. */
TEST (missing, "/cli/doctor/missing")
{
  g_auto (PrismCliResult) result = cli_works ("GSETTINGS_SCHEMA_DIR=/nowhere "
                                              "XDG_DATA_DIRS=/nowhere "
                                              "XDG_DATA_HOME=/proc/nowhere doctor");
  HAS (result.output, "!  Settings of the window: the schema", " of this needs attention");
}
