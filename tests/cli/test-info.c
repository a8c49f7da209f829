#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (for_people, "/cli/info/people")
{
  g_auto (PrismCliResult) result = cli_clean ("info");
  g_assert_true (g_str_has_prefix (result.output, "PRISM Studio " PRISM_VERSION "\n"));
  HAS (result.output, "FFTW 3.");
}

/* What was probably meant is said. */
TEST (misspelt_words, "/cli/info/misspelt")
{
  cli_refuses (2, "no command “swep”: did you mean “sweep”?", "swep");
  cli_refuses (2, "see “prism-cli --help”", "reconstruct");
  cli_refuses (2, "did you mean “quick-look”? There are quick-look, ", "run --preset quik-look");
  cli_refuses (2, "--measurements is given twice", "run -m a.h5 -m b.h5");
  cli_refuses (2, "A sweep needs something to go over, such as --over", "sweep");
}

/* A typing error in the environment is told and changes nothing. */
TEST (unknown_instruction_set, "/cli/info/isa")
{
  g_auto (PrismCliResult) result = cli_run ("PRISM_ISA=%s info", "ju\x1bnk");
  cli_check_error (&result, 0, "PRISM_ISA is “ju?nk”, but must be one of");
  HAS (result.error, "baseline. The program uses ");
  cli_set (&result, cli_clean ("PRISM_ISA=baseline info"));
}

TEST (json, "/cli/info/json")
{
  g_auto (PrismCliResult) result = cli_works ("info --json");
  CLI_JSON (result.output, "version = " PRISM_VERSION, "cpu begins CPU, ",
            "memory_bytes > available_bytes", "versions.GLib");
}

/* Without a module the reason has to be given, in words. */
TEST (why_cuda_is_not_used, "/cli/info/cuda")
{
  g_auto (PrismCliResult) text = cli_run ("PRISM_MODULE_DIR=/nonexistent info");
  HAS (text.output, "of other makers are not used.");
  g_auto (PrismCliResult) result = cli_run ("PRISM_MODULE_DIR=/nonexistent info --json");
  CLI_JSON (result.output, "cuda = null", "self_test = null", "cuda_reason has not installed",
            "default has CPU", "default has not installed");
}
