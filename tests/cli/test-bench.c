#include "prism-cli-harness.h"
#include "prism-test.h"

static char *
run_bench (const char *memory,
           const char *terms)
{
  g_auto (PrismCliResult) result
      = cli_clean ("bench --json --set image_size=64 --set object_size=16 --set aperture_radius=8 "
                   "--set samples=10 --set %s --memory %s --steps 5 --warm-up 1 --threads 1",
                   terms, memory);
  return g_steal_pointer (&result.output);
}

#define HAS_TIMES "best_step_ms > 0", "median_step_ms >= best_step_ms", "parts > 0", "versions"

TEST (json, "/cli/bench/json")
{
  g_autofree char *replay = run_bench ("replay", "replay=3");
  g_autofree char *self = run_bench ("self", "replay=3");

  CLI_JSON (replay, HAS_TIMES, "terms = 3", "coverage_discs = 5", "steps = 5",
            "config.threads = 1");
  CLI_JSON (self, HAS_TIMES, "terms = 2");
}

/* The number that every other implementation of this decoder has. */
TEST (standard_workload_has_its_parameters, "/cli/bench/standard")
{
  g_auto (PrismCliResult) result = cli_works ("bench --json --preset standard --steps 2 "
                                              "--warm-up 0");
  CLI_JSON (result.output, "parameters = 2797431");
}

/* What was computed in is the precision, not what was asked for: the advice says so. */
TEST (ratio_to_another_setting, "/cli/bench/against")
{
  g_auto (PrismCliResult) result
      = cli_clean ("bench --json --set image_size=64 --set object_size=16 --set aperture_radius=8 "
                   "--set samples=10 --backend cpu --precision tf32 --steps 5 --warm-up 1 "
                   "--threads 1 --against amp=off --against replay=2");
  CLI_JSON (result.output, HAS_TIMES, "precision = fp32", "precision_advice",
            "!against.precision_advice", "against.precision = fp32", "against.terms = 2",
            "ratio > 0", "counters.steps = 5");
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
