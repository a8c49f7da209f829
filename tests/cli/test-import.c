#include "prism-cli-harness.h"
#include "prism-test.h"

/* A checkpoint becomes three files, of which a run can be made. */
TEST (checkpoint, "/cli/import/checkpoint")
{
  gsize length = 0;

  g_auto (PrismCliResult) result = cli_works ("import %s --output one.prism",
                                              g_getenv ("PRISM_CHECKPOINT"));
  HAS (result.output, "one-positions.csv: 6 positions\n",
       "  blur_image: “True” has no counterpart.");
  g_autofree char *picture = cli_bytes (&result, "one-picture.npy", &length);
  g_assert_cmpuint (length, >, 64);
  g_auto (PrismCliResult) run
      = cli_works ("run --config %s --set polish=2", in_folder (result.directory, "one.prism"));
}

TEST (refused, "/cli/import/refused")
{
  cli_refuses (2, "FILE|FOLDER|- is expected here", "import");
  g_auto (PrismCliResult) missing = cli_run ("import missing.yaml");
  g_assert_cmpint (missing.exit_code, ==, 3);
  cli_refuses (3, "no folder of a run of the first PRISM", "import .");
}
