#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (for_people, "/cli/decoder/people")
{
  g_auto (PrismCliResult) result = cli_clean ("decoder");
  HAS (result.output, "512 → 256", "2797431", "The run needs");
}

TEST (json, "/cli/decoder/json")
{
  g_auto (PrismCliResult) result = cli_works ("decoder --json --set backend=cpu "
                                              "--set object_size=64 --set norm=none "
                                              "--set 'channels=40 30 20 10 7 1' --set latent=5");
  CLI_JSON (result.output, "layers = 7", "layers.2.kind = double", "layers.2.in_channels = 40",
            "layers.2.size = 8", "run_bytes > bytes", "device = cpu");
  g_assert_cmpfloat (cli_number (result.output, "layers.2.parameters"), ==, 16 * 40 * 30 + 30);
  g_assert_cmpfloat (cli_number (result.output, "layers.2.multiply_adds"), ==, 16 * 16 * 40 * 30);
  g_assert_cmpfloat (cli_number (result.output, "parameters"), ==,
                     5 + 16 * (5 * 40 + 40 * 30 + 30 * 20 + 20 * 10 + 10 * 7) + 40 + 30 + 20 + 10
                         + 7 + 9 * 7 + 1);
}

TEST (bad_list, "/cli/decoder/bad-list")
{
  g_auto (PrismCliResult) result = cli_run ("decoder --set 'channels=8 4 1'");
  g_assert_cmpint (result.exit_code, ==, 2);
  HAS (result.error, "channels has 3 numbers", "5 for the doublings up to 128×128 px");
}
