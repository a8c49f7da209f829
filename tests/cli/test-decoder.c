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
  g_autoptr (JsonNode) root = cli_parse (result.output);
  JsonObject *decoder = json_node_get_object (root);
  JsonArray *layers = json_object_get_array_member (decoder, "layers");
  g_assert_cmpint (json_array_get_length (layers), ==, 7);
  JsonObject *layer = json_array_get_object_element (layers, 2);
  g_assert_cmpstr (json_object_get_string_member (layer, "kind"), ==, "double");
  g_assert_cmpint (json_object_get_int_member (layer, "in_channels"), ==, 40);
  g_assert_cmpint (json_object_get_int_member (layer, "size"), ==, 8);
  g_assert_cmpint (json_object_get_int_member (layer, "parameters"), ==, 16 * 40 * 30 + 30);
  g_assert_cmpint (json_object_get_int_member (layer, "multiply_adds"), ==, 16 * 16 * 40 * 30);
  g_assert_cmpint (json_object_get_int_member (decoder, "parameters"), ==,
                   5 + 16 * (5 * 40 + 40 * 30 + 30 * 20 + 20 * 10 + 10 * 7) + 40 + 30 + 20 + 10 + 7
                       + 9 * 7 + 1);
  g_assert_cmpint (json_object_get_int_member (decoder, "run_bytes"), >,
                   json_object_get_int_member (decoder, "bytes"));
  g_assert_cmpstr (json_object_get_string_member (decoder, "device"), ==, "cpu");
}

TEST (bad_list, "/cli/decoder/bad-list")
{
  g_auto (PrismCliResult) result = cli_run ("decoder --set 'channels=8 4 1'");
  g_assert_cmpint (result.exit_code, ==, 2);
  HAS (result.error, "channels has 3 numbers", "5 for the doublings up to 128×128 px");
}
