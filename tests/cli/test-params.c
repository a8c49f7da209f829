#include "config/prism-config.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (help_and_version, "/cli/help-and-version")
{
  g_auto (PrismCliResult) result = cli_works ("--help");
  HAS (result.output, "Exit status:");
  cli_set (&result, cli_works ("--version"));
  g_assert_cmpstr (result.output, ==, "prism-cli " PRISM_VERSION "\n");
  cli_set (&result, cli_works ("params --help"));
  HAS (result.output, "--markdown");
  cli_set (&result, cli_works ("help params"));
  HAS (result.output, "--markdown");
  cli_set (&result, cli_run ("%s", (char *) NULL));
  g_assert_cmpint (result.exit_code, ==, 2);
  g_assert_cmpstr (result.output, ==, "");
}

TEST (bad_usage, "/cli/bad-usage")
{
  cli_refuses (2, "“reconstruct”", "reconstruct");
  cli_refuses (2, "“reconstruct”", "help reconstruct");
  cli_refuses (2, "--nonsense", "params --nonsense");
  cli_refuses (2, "“more”", "params more");
}

TEST (every_parameter_is_shown, "/cli/params/complete")
{
  static const char *const formats[] = { "--json", "--markdown", NULL };
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize k = 0; k < G_N_ELEMENTS (formats); k++)
    {
      g_auto (PrismCliResult) result = cli_clean ("params %s", formats[k]);
      for (gsize i = 0; i < n_params; i++)
        HAS (result.output, params[i].key);
    }
}

/* Where a number stands for none or automatic, people read the word, programs the number. */
TEST (words, "/cli/params/words")
{
  g_auto (PrismCliResult) table = cli_run ("params");
  HAS (table.output, "\n  snr = 0 (No noise) ", "\n  threads = 0 (Automatic) ",
       "\n  image_size = 512 ");
  g_auto (PrismCliResult) page = cli_run ("params --markdown");
  HAS (page.output, "| `snr` | 0 (No noise) |");
  g_auto (PrismCliResult) json = cli_run ("params --json");
  LACKS (json.output, "0 (No noise)");
}

TEST (json, "/cli/params/json")
{
  gsize n_params;

  prism_config_get_params (&n_params);
  g_auto (PrismCliResult) result = cli_run ("params --json");
  g_assert_cmpfloat (cli_number (result.output, "parameters"), ==, (double) n_params);
  CLI_JSON (result.output, "parameters.2.key = image_size", "parameters.2.default = 512",
            "parameters.2.maximum = 4096");
}

/* A page of docs/ that a command prints, or begins with it: "params", PRISM_PARAMETERS_PAGE. */
static void
check_page (const char *command,
            const char *variable)
{
  g_autofree char *text = file_text (g_getenv (variable));
  g_auto (PrismCliResult) result = cli_run ("%s --markdown", command);
  if (*result.output == '\0' || !g_str_has_prefix (text, result.output))
    g_error ("%s is out of date: prism-cli %s --markdown > FILE", g_getenv (variable), command);
}

TEST (documentation_is_up_to_date, "/cli/params/documentation")
{
  check_page ("params", "PRISM_PARAMETERS_PAGE");
  check_page ("import", "PRISM_FIRST_PAGE");
}

TEST_DATA (output_that_cannot_be_written, "/cli/params/full-disk", "params")
{
  g_autofree char *command = g_strdup_printf ("%s %s > /dev/full", g_getenv ("PRISM_CLI"),
                                              (const char *) data);
  const char *const argv[] = { "sh", "-c", command, NULL };
  g_autoptr (GError) error = NULL;
  int status;

  MUST (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL,
                      NULL, NULL, NULL, NULL, &status, &error));
  g_assert_false (g_spawn_check_wait_status (status, &error));
  g_assert_error (error, G_SPAWN_EXIT_ERROR, 3);
}

TEST_DATA_ALSO (output_that_cannot_be_written, "/cli/help/full-disk", "--help")
TEST_DATA_ALSO (output_that_cannot_be_written, "/cli/help-of-run/full-disk", "run --help")
