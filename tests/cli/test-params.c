#include "config.h"

#include "config/prism-config.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (help_and_version, "/cli/help-and-version")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_works (&result, "--help", NULL);
  g_assert_nonnull (strstr (result.output, "Exit status:"));
  prism_cli_harness_works (&result, "--version", NULL);
  g_assert_cmpstr (result.output, ==, "prism-cli " PRISM_VERSION "\n");
  prism_cli_harness_works (&result, "params", "--help", NULL);
  g_assert_nonnull (strstr (result.output, "--markdown"));
  prism_cli_harness_works (&result, "help", "params", NULL);
  g_assert_nonnull (strstr (result.output, "--markdown"));
  prism_cli_harness_run (&result, NULL, NULL, NULL);
  g_assert_cmpint (result.exit_code, ==, 2);
  g_assert_cmpstr (result.output, ==, "");
}

TEST (bad_usage, "/cli/bad-usage")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 2, "“reconstruct”", "reconstruct", NULL);
  prism_cli_harness_refuses (&result, 2, "“reconstruct”", "help", "reconstruct", NULL);
  prism_cli_harness_refuses (&result, 2, "--nonsense", "params", "--nonsense", NULL);
  prism_cli_harness_refuses (&result, 2, "“more”", "params", "more", NULL);
}

TEST (every_parameter_is_shown, "/cli/params/complete")
{
  static const char *const formats[] = { "--json", "--markdown", "--man", NULL };
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize k = 0; k < G_N_ELEMENTS (formats); k++)
    {
      g_auto (PrismCliResult) result = { 0 };

      prism_cli_harness_works (&result, "params", formats[k], NULL);
      g_assert_cmpstr (result.error, ==, "");
      for (gsize i = 0; i < n_params; i++)
        g_assert_nonnull (strstr (result.output, params[i].key));
    }
}

/* Where a number stands for none or automatic, people read the word, programs the number. */
TEST (words, "/cli/params/words")
{
  g_auto (PrismCliResult) table = { 0 }, page = { 0 }, json = { 0 };

  prism_cli_harness_run (&table, NULL, "params", NULL);
  g_assert_nonnull (strstr (table.output, "\n  snr = 0 (No noise) "));
  g_assert_nonnull (strstr (table.output, "\n  threads = 0 (Automatic) "));
  g_assert_nonnull (strstr (table.output, "\n  image_size = 512 "));
  prism_cli_harness_run (&page, NULL, "params", "--markdown", NULL);
  g_assert_nonnull (strstr (page.output, "| `snr` | 0 (No noise) |"));
  prism_cli_harness_run (&json, NULL, "params", "--json", NULL);
  g_assert_null (strstr (json.output, "0 (No noise)"));
}

TEST (json, "/cli/params/json")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonArray *list;
  JsonObject *param;
  gsize n_params;

  prism_config_get_params (&n_params);
  prism_cli_harness_run (&result, NULL, "params", "--json", NULL);
  root = prism_cli_harness_parse (result.output);
  list = json_object_get_array_member (json_node_get_object (root), "parameters");
  g_assert_cmpuint (json_array_get_length (list), ==, n_params);
  param = json_array_get_object_element (list, 2);
  g_assert_cmpstr (json_object_get_string_member (param, "key"), ==, "image_size");
  g_assert_cmpint (json_object_get_int_member (param, "default"), ==, 512);
  g_assert_cmpfloat (json_object_get_double_member (param, "maximum"), ==, 4096);
}

/* A page of docs/ that a command prints, or begins with it: "params", PRISM_PARAMETERS_PAGE. */
static void
check_page (const char *command,
            const char *variable)
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *text = NULL;

  MUST (g_file_get_contents (g_getenv (variable), &text, NULL, &error));
  prism_cli_harness_run (&result, NULL, command, "--markdown", NULL);
  if (*result.output == '\0' || !g_str_has_prefix (text, result.output))
    g_error ("%s is out of date: prism-cli %s --markdown > FILE", g_getenv (variable), command);
}

TEST (documentation_is_up_to_date, "/cli/params/documentation")
{
  check_page ("params", "PRISM_PARAMETERS_PAGE");
  check_page ("import", "PRISM_FIRST_PAGE");
}

static void
test_output_that_cannot_be_written (gconstpointer arguments)
{
  g_autofree char *command = g_strdup_printf ("%s %s > /dev/full", g_getenv ("PRISM_CLI"),
                                              (const char *) arguments);
  const char *const argv[] = { "sh", "-c", command, NULL };
  g_autoptr (GError) error = NULL;
  int status;

  MUST (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL,
                      NULL,
                      NULL, NULL, NULL, &status, &error));
  g_assert_false (g_spawn_check_wait_status (status, &error));
  g_assert_error (error, G_SPAWN_EXIT_ERROR, 3);
}

TESTS
{
  g_test_add_data_func ("/cli/params/full-disk", "params", test_output_that_cannot_be_written);
  g_test_add_data_func ("/cli/help/full-disk", "--help", test_output_that_cannot_be_written);
  g_test_add_data_func ("/cli/help-of-run/full-disk", "run --help",
                        test_output_that_cannot_be_written);
}
