#include "config.h"

#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (for_people, "/cli/info/people")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_works (&result, "info", NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_true (g_str_has_prefix (result.output, "PRISM Studio " PRISM_VERSION "\n"));
  g_assert_nonnull (strstr (result.output, "FFTW 3."));
}

/* What was probably meant is said. */
TEST (misspelt_words, "/cli/info/misspelt")
{
  g_auto (PrismCliResult) command = { 0 }, twice = { 0 };
  g_auto (PrismCliResult) foreign = { 0 };
  g_auto (PrismCliResult) preset = { 0 };
  g_auto (PrismCliResult) sweep = { 0 };

  prism_cli_harness_refuses (&command, 2, "no command “swep”: did you mean “sweep”?", "swep", NULL);
  prism_cli_harness_refuses (&foreign, 2, "see “prism-cli --help”", "reconstruct", NULL);
  prism_cli_harness_refuses (&preset, 2, "did you mean “quick-look”? There are quick-look, ", "run",
                             "--preset", "quik-look", NULL);
  prism_cli_harness_refuses (&twice, 2, "--measurements is given twice", "run", "-m", "a.h5", "-m",
                             "b.h5", NULL);
  prism_cli_harness_refuses (&sweep, 2, "A sweep needs something to go over, such as --over",
                             "sweep", NULL);
}

/* A typing error in the environment is told and changes nothing. */
TEST (unknown_instruction_set, "/cli/info/isa")
{
  static const char *const junk[] = { "PRISM_ISA", "ju\x1bnk", NULL };
  static const char *const good[] = { "PRISM_ISA", "baseline", NULL };
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_run (&result, junk, "info", NULL);
  prism_cli_harness_check_error (&result, 0, "PRISM_ISA is “ju?nk”, but must be one of");
  g_assert_nonnull (strstr (result.error, "baseline. The program uses "));
  prism_cli_harness_run (&result, good, "info", NULL);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_cmpstr (result.error, ==, "");
}

TEST (json, "/cli/info/json")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *facts;

  prism_cli_harness_works (&result, "info", "--json", NULL);
  root = prism_cli_harness_parse (result.output);
  facts = json_node_get_object (root);
  g_assert_cmpstr (json_object_get_string_member (facts, "version"), ==, PRISM_VERSION);
  g_assert_true (g_str_has_prefix (json_object_get_string_member (facts, "cpu"), "CPU, "));
  g_assert_cmpint (json_object_get_int_member (facts, "memory_bytes"), >,
                   json_object_get_int_member (facts, "available_bytes"));
  facts = json_object_get_object_member (facts, "versions");
  g_assert_true (json_object_has_member (facts, "GLib"));
}

/* Without a module the reason has to be given, in words. */
TEST (why_cuda_is_not_used, "/cli/info/cuda")
{
  const char *const environment[] = { "PRISM_MODULE_DIR", "/nonexistent", NULL };
  g_auto (PrismCliResult) result = { 0 }, text = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *facts;

  prism_cli_harness_run (&text, environment, "info", NULL);
  g_assert_nonnull (strstr (text.output, "of other makers are not used."));
  prism_cli_harness_run (&result, environment, "info", "--json", NULL);
  root = prism_cli_harness_parse (result.output);
  facts = json_node_get_object (root);
  g_assert_true (json_object_get_null_member (facts, "cuda"));
  g_assert_true (json_object_get_null_member (facts, "self_test"));
  g_assert_nonnull (strstr (json_object_get_string_member (facts, "cuda_reason"), "not installed"));
  g_assert_nonnull (strstr (json_object_get_string_member (facts, "default"), "CPU"));
  g_assert_nonnull (strstr (json_object_get_string_member (facts, "default"), "not installed"));
}
