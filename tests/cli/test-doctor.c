#include "config.h"

#include "prism-cli-harness.h"
#include "prism-test.h"

/* One sentence about each thing, and a file with the names of libraries and without that of the
 * user. */
TEST (sentences, "/cli/doctor/sentences")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *file = NULL;
  gsize length;

  prism_cli_harness_works (&result, "doctor", "--output", "doctor.txt", NULL);
  g_assert_cmpstr (result.error, ==, "");
  for (const char *const *words = (const char *const[]) { "System: ", "Processor: ", "Memory: ",
                                                          "Results: ", "Language: ", "Window: ",
                                                          "Display: ", NULL };
       *words != NULL; words++)
    g_assert_nonnull (strstr (result.output, *words));
  file = prism_cli_harness_dup_file (&result, "doctor.txt", &length);
  g_assert_nonnull (strstr (file, "Libraries:\n  GLib 2."));
  g_assert_null (strstr (file, g_get_home_dir ()));
}

/* What is missing is marked and counted. */
TEST (missing, "/cli/doctor/missing")
{
  static const char *const nothing[]
      = { "GSETTINGS_SCHEMA_DIR", "/nowhere", "XDG_DATA_DIRS", "/nowhere", "XDG_DATA_HOME",
          "/proc/nowhere", NULL };
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_run (&result, nothing, "doctor", NULL);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "!  Settings of the window: the schema"));
  g_assert_nonnull (strstr (result.output, " of this needs attention"));
}
