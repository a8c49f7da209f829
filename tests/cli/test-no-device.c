#include "prism-cli-harness.h"
#include "prism-test.h"

/* Machines that have the module of a device and not the device: everybody who installs the package
 * and has no GPU. */

#define TINY                                                                          \
  "--set image_size=64 --set object_size=16 --set aperture_radius=6 --set samples=6 " \
  "--set steps=9 --set start_steps=5 --set polish=5 --set method=decoder --set threads=1"

TEST (tune, "/cli/no-device/tune")
{
  g_auto (PrismCliResult) result = cli_run ("tune " TINY);
  cli_check_error (&result, 2, "threads is set");
}

/* What only a GPU has is not measured in its name. */
TEST (benchmark, "/cli/no-device/benchmark")
{
  g_auto (PrismCliResult) result = cli_works ("bench --report out --rounds 2 --switch cache "
                                              "--switch precision --switch graph " TINY);
  HAS (result.output, "(precision)", "(graph)", "Left out: ");
}

/* A run that the processor has no memory for is refused before there is anything of it. */
TEST (too_large, "/cli/no-device/too-large")
{
  g_auto (PrismCliResult) result = cli_run ("run --set image_size=4096 --set samples=100000 --set "
                                            "frames=full --output out --quiet");
  cli_check_error (&result, 4, "This run needs");
}

TEST (asked_for, "/cli/no-device/asked-for")
{
  g_auto (PrismCliResult) result = cli_run ("run --set backend=cuda --output out " TINY);
  cli_check_error (&result, 5, "CUDA cannot be used: No driver is installed. Set backend to auto"
                               " or cpu.");
}

int
main (int argc,
      char **argv)
{
  g_setenv ("PRISM_MODULE_DIR", g_getenv ("PRISM_TEST_MODULE_DIR"), TRUE);
  g_test_init (&argc, &argv, NULL);
  return prism_test_run ();
}
