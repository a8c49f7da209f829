#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "../engine/support/test-config.h"
#include "prism-test.h"

static gboolean
is_empty (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);

  return g_dir_read_name (directory) == NULL;
}

/* What is printed is the whole configuration, and a file of it makes the same run. */
TEST (for_people, "/cli/dry-run/people")
{
  g_autoptr (PrismConfig) config = NULL, wanted = prism_config_new ();

  g_auto (PrismCliResult) result
      = cli_works ("run --dry-run --set image_size=64 --set object_size=32 --set samples=20 --set "
                   "aperture_radius=10 --set threads=1 --set backend=cpu");
  g_assert_cmpstr (result.error, ==,
                   "prism-cli: Timing this machine for runs of this shape, once.\n");
  HAS (result.output, "# Positions  20 frames of 64×64 px\n", "# Memory     ", "# Time       ≈ ");
  config = MUST (prism_config_load_text (result.output, -1, "printed", &error));
  test_config_set (wanted, "image_size=64 object_size=32 samples=20 aperture_radius=10 "
                           "threads=1 backend=cpu");
  g_assert_true (prism_config_equal (config, wanted));
  g_assert_true (is_empty (result.directory));
}

/* The second time nothing is timed. */
TEST (json, "/cli/dry-run/json")
{
  g_auto (PrismCliResult) result = { 0 };

  for (guint i = 0; i < 2; i++)
    {
      cli_set (&result, cli_run ("run --dry-run --set %s --set image_size=64 "
                                 "--set object_size=30 --set samples=20 "
                                 "--set aperture_radius=10 --set backend=cpu --json",
                                 i == 0 ? "steps=60" : "steps=70"));
      g_assert_cmpint (result.exit_code, ==, 0);
      g_assert_cmpstr (result.error, ==, "");
      CLI_JSON (result.output, "samples = 20", "run_bytes > 0", "seconds_least > 0",
                "seconds_needed > seconds_spared", "seconds_as_set = null", "config",
                "seconds_longest = seconds_needed");
    }
}

/* It refuses what the run would refuse. */
TEST (refusals, "/cli/dry-run/refusals")
{
  g_auto (PrismCliResult) result = cli_run ("run --dry-run "
                                            "--set object_size=500 --set image_size=256");
  cli_check_error (&result, 2, "object_size is 500 px");
  cli_set (&result, cli_run ("run --dry-run --set image_size=4096 "
                             "--set samples=100000 --set frames=full"));
  cli_check_error (&result, 4, "This run needs");
  cli_set (&result, cli_run ("run --dry-run --set object=gone.png"));
  cli_check_error (&result, 3, "gone.png");
}

int
main (int argc,
      char **argv)
{
  g_autofree char *cache = g_dir_make_tmp ("prism-cache-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_test_init (&argc, &argv, NULL);
  int code = prism_test_run ();
  test_remove_tree (cache);
  return code;
}
