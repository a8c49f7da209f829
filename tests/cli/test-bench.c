#include "prism-cli-harness.h"
#include "prism-test.h"

static JsonNode *
run_bench (const char *memory,
           const char *terms)
{
  g_auto (PrismCliResult) result = cli_clean ("bench --json --set image_size=64 "
                                              "--set object_size=16 --set aperture_radius=8 "
                                              "--set samples=10 --set %s --memory %s --steps 5 "
                                              "--warm-up 1 --threads 1",
                                              terms, memory);
  return cli_parse (result.output);
}

static void
check_times (JsonObject *results)
{
  JsonArray *parts = json_object_get_array_member (results, "parts");
  double best = json_object_get_double_member (results, "best_step_ms");

  g_assert_cmpfloat (best, >, 0);
  g_assert_cmpfloat (json_object_get_double_member (results, "median_step_ms"), >=, best);
  g_assert_cmpuint (json_array_get_length (parts), >, 0);
  g_assert_true (json_object_has_member (results, "versions"));
}

TEST (json, "/cli/bench/json")
{
  g_autoptr (JsonNode) replay = run_bench ("replay", "replay=3");
  g_autoptr (JsonNode) self = run_bench ("self", "replay=3");
  JsonObject *results = json_node_get_object (replay);
  JsonObject *config = json_object_get_object_member (results, "config");

  check_times (results);
  g_assert_cmpint (json_object_get_int_member (results, "terms"), ==, 3);
  g_assert_cmpint (json_object_get_int_member (results, "coverage_discs"), ==, 5);
  g_assert_cmpint (json_object_get_int_member (results, "steps"), ==, 5);
  g_assert_cmpstr (json_object_get_string_member (config, "threads"), ==, "1");

  results = json_node_get_object (self);
  check_times (results);
  g_assert_cmpint (json_object_get_int_member (results, "terms"), ==, 2);
}

/* The number that every other implementation of this decoder has. */
TEST (standard_workload_has_its_parameters, "/cli/bench/standard")
{
  g_auto (PrismCliResult) result = cli_works ("bench --json --preset standard --steps 2 "
                                              "--warm-up 0");
  g_autoptr (JsonNode) root = cli_parse (result.output);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (root), "parameters"), ==,
                   2797431);
}

TEST (ratio_to_another_setting, "/cli/bench/against")
{
  g_auto (PrismCliResult) result = cli_clean ("bench --json --set image_size=64 "
                                              "--set object_size=16 --set aperture_radius=8 "
                                              "--set samples=10 --backend cpu --precision tf32 "
                                              "--steps 5 --warm-up 1 --threads 1 "
                                              "--against amp=off --against replay=2");
  g_autoptr (JsonNode) root = cli_parse (result.output);
  JsonObject *results = json_node_get_object (root);
  JsonObject *reference = json_object_get_object_member (results, "against");
  check_times (results);
  /* What was computed in, not what was asked for: the advice says so. */
  g_assert_cmpstr (json_object_get_string_member (results, "precision"), ==, "fp32");
  g_assert_true (json_object_has_member (results, "precision_advice"));
  g_assert_false (json_object_has_member (reference, "precision_advice"));
  g_assert_cmpstr (json_object_get_string_member (reference, "precision"), ==, "fp32");
  g_assert_cmpint (json_object_get_int_member (reference, "terms"), ==, 2);
  g_assert_cmpfloat (json_object_get_double_member (results, "ratio"), >, 0.0);
  g_assert_cmpint (json_object_get_int_member (
                       json_object_get_object_member (results, "counters"), "steps"),
                   ==, 5);
}

/* The CPU has no other precision, and what is printed says so. */
TEST (the_precision_is_the_computed_one, "/cli/bench/precision")
{
  g_auto (PrismCliResult) result = cli_works ("bench --set image_size=64 --set object_size=16 "
                                              "--set aperture_radius=8 --backend cpu "
                                              "--precision bf16 --steps 1 --warm-up 0");
  HAS (result.output, " parameters, fp32\nMixed precision needs ");
  LACKS (result.output, "bf16");
}

TEST (bad_usage, "/cli/bench/bad-usage")
{
  cli_refuses (2, "--discs", "bench --discs 100");
  cli_refuses (2, "replay, self, all", "bench --memory none");
  cli_refuses (2, "ten", "bench --steps ten");
  cli_refuses (2, "fp16", "bench --precision fp8");
  cli_refuses (2, "KEY=VALUE", "bench --against amp --steps 1");
}
