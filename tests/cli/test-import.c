#include "config.h"

#include "prism-cli-harness.h"
#include "prism-test.h"

/* A checkpoint becomes three files, of which a run can be made. */
TEST (checkpoint, "/cli/import/checkpoint")
{
  g_auto (PrismCliResult) result = { 0 }, run = { 0 };
  g_autofree char *path = NULL, *picture = NULL;
  gsize length = 0;

  prism_cli_harness_works (&result, "import", g_getenv ("PRISM_CHECKPOINT"), "--output",
                           "one.prism", NULL);
  g_assert_nonnull (strstr (result.output, "one-positions.csv: 6 positions\n"));
  g_assert_nonnull (strstr (result.output, "  blur_image: “True” has no counterpart."));
  picture = prism_cli_harness_dup_file (&result, "one-picture.npy", &length);
  g_assert_cmpuint (length, >, 64);
  path = g_build_filename (result.directory, "one.prism", NULL);
  prism_cli_harness_works (&run, "run", "--config", path, "--set", "polish=2", NULL);
}

TEST (refused, "/cli/import/refused")
{
  g_auto (PrismCliResult) nothing = { 0 }, missing = { 0 }, folder = { 0 };

  prism_cli_harness_refuses (&nothing, 2, "FILE|FOLDER|- is expected here", "import", NULL);
  prism_cli_harness_run (&missing, NULL, "import", "missing.yaml", NULL);
  g_assert_cmpint (missing.exit_code, ==, 3);
  prism_cli_harness_refuses (&folder, 3, "no folder of a run of the first PRISM", "import", ".",
                             NULL);
}
