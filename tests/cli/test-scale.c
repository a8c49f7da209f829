#include "config.h"

#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (for_people, "/cli/scale/people")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_works (&result, "scale", "--preset", "europa", NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_nonnull (strstr (result.output, "Pixel of the object  24.5 km, 8.04 mas\n"));
  g_assert_nonnull (strstr (result.output, "Object's diameter    128.1 px\n"));
}

/* True sizes for the Moon; no metres for what nobody has measured. */
TEST (own_scale, "/cli/scale/own-scale")
{
  g_auto (PrismCliResult) moon = { 0 };
  g_auto (PrismCliResult) stars = { 0 };

  prism_cli_harness_run (&moon, NULL, "scale", "--preset", "quick-look", NULL);
  g_assert_nonnull (strstr (moon.output, "Object's square      3780 km\n"));
  prism_cli_harness_run (&stars, NULL, "scale", "--set", "object=points", NULL);
  g_assert_null (strstr (stars.output, "km"));
  g_assert_nonnull (strstr (stars.output, "sizes are in pixels"));
}

TEST (json, "/cli/scale/json")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *scale;

  prism_cli_harness_works (&result, "scale", "--json", "--set", "wavelength=1000", "--set",
                           "distance=1e6", "--set", "object_diameter=20", NULL);
  root = prism_cli_harness_parse (result.output);
  g_assert_nonnull (strstr (json_object_get_string_member (json_node_get_object (root), "advice"),
                            "object_size to 102"));
  scale = json_object_get_object_member (json_node_get_object (root), "scale");
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (scale, "pixel_m"), 1 / 5.12,
                                  1e-12);
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (scale, "aperture_m"), 0.4, 1e-12);
}

/* Powers of ten as large as that once made JSON that nobody could read. */
TEST (large_numbers, "/cli/scale/large-numbers")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *scale;

  prism_cli_harness_run (&result, NULL, "scale", "--json", "--set", "wavelength=1e10", "--set",
                         "distance=1e21", "--set", "dxf=1", NULL);
  root = prism_cli_harness_parse (result.output);
  scale = json_object_get_object_member (json_node_get_object (root), "scale");
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (scale, "field_m"), 1e22, 1e7);
}

TEST (refused, "/cli/scale/refused")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_run (&result, NULL, "scale", "--set", "distance=-1", NULL);
  g_assert_cmpint (result.exit_code, ==, 2);
  g_assert_nonnull (strstr (result.error, "distance"));
}
