#include "config.h"

#include "prism-cli-harness.h"

#include <glib/gstdio.h>
#include <string.h>
#include <zip.h>

static char *
dup_golden_path (const char *name)
{
  return g_build_filename (g_getenv ("PRISM_TEST_DATA"), name, NULL);
}

static void
test_golden_files_pass (void)
{
  static const char *const names[] = { "small_same.npz", "small_valid.npz", "medium_same.npz" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_auto (PrismCliResult) result = { 0 };
      g_autofree char *path = dup_golden_path (names[i]);

      prism_cli_harness_run (&result, NULL, "verify", "--backend", "cpu", path, NULL);
      g_test_message ("%s%s", result.output, result.error);
      g_assert_cmpint (result.exit_code, ==, 0);
      g_assert_nonnull (strstr (result.output, " 0 failed"));
    }
}

static JsonNode *
verify_as_json (const char *path,
                int exit_code)
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_run (&result, NULL, "verify", "--json", path, NULL);
  g_assert_cmpint (result.exit_code, ==, exit_code);
  return prism_cli_harness_parse (result.output);
}

static JsonArray *
get_checks (JsonNode *root)
{
  JsonArray *files = json_object_get_array_member (json_node_get_object (root), "files");

  return json_object_get_array_member (json_array_get_object_element (files, 0), "checks");
}

/* Every kind of check that the file has arrays for is there. */
static void
test_json_has_every_check (void)
{
  static const char *const names[] = {
    "pupil.old",
    "pupil.new",
    "fermat",
    "spectrum",
    "amplitude.new",
    "intensity.new",
    "load and read",
    "forward",
    "loss l1 old",
    "loss l1 new",
    "gradient l1",
    "loss l2 old",
    "gradient l2",
    "Adam step 1",
    "Adam step 3",
    "Adam step 10",
    "Adam output",
    "Adam parameters",
    "epie/1",
    "epie/10",
    "metric.psnr",
    "metric.ssim",
    "metric.ms_ssim",
    "metric.rmse_percent",
  };
  g_autofree char *path = dup_golden_path ("small_same.npz");
  g_autoptr (JsonNode) root = verify_as_json (path, 0);
  g_autoptr (GHashTable) found = g_hash_table_new (g_str_hash, g_str_equal);
  JsonArray *checks = get_checks (root);

  for (guint i = 0; i < json_array_get_length (checks); i++)
    {
      JsonObject *check = json_array_get_object_element (checks, i);
      g_hash_table_add (found, (gpointer) json_object_get_string_member (check, "name"));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_test_message ("%s", names[i]);
      g_assert_true (g_hash_table_contains (found, names[i]));
    }
}

/* A copy of a golden file with @amount added to the last value of one array of floats. */
static char *
make_tampered_copy (const PrismCliResult *place,
                    const char *member,
                    float amount)
{
  g_autofree char *source = dup_golden_path ("small_same.npz");
  g_autofree char *text = NULL;
  char *copy = g_build_filename (place->directory, "tampered.npz", NULL);
  struct zip_stat status;
  struct zip_file *file;
  struct zip *archive;
  char *data;
  float value;
  gsize length;

  g_assert_true (g_file_get_contents (source, &text, &length, NULL));
  g_assert_true (g_file_set_contents (copy, text, length, NULL));
  archive = zip_open (copy, 0, NULL);
  g_assert_nonnull (archive);
  g_assert_cmpint (zip_stat (archive, member, 0, &status), ==, 0);
  data = g_malloc (status.size);
  file = zip_fopen (archive, member, 0);
  g_assert_cmpint (zip_fread (file, data, status.size), ==, status.size);
  zip_fclose (file);
  memcpy (&value, data + status.size - sizeof value, sizeof value);
  value += amount;
  memcpy (data + status.size - sizeof value, &value, sizeof value);
  g_assert_cmpint (zip_file_add (archive, member, zip_source_buffer (archive, data, status.size, 0),
                                 ZIP_FL_OVERWRITE),
                   >=, 0);
  g_assert_cmpint (zip_close (archive), ==, 0);
  g_free (data);
  return copy;
}

static void
check_tampering (const char *member,
                 const char *name)
{
  g_auto (PrismCliResult) place = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *checks;

  prism_cli_harness_run (&place, NULL, "--version", NULL);
  path = make_tampered_copy (&place, member, 0.01f);
  root = verify_as_json (path, 1);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (root), "failed"), ==, 1);
  checks = get_checks (root);
  for (guint i = 0; i < json_array_get_length (checks); i++)
    {
      JsonObject *check = json_array_get_object_element (checks, i);

      if (strcmp (json_object_get_string_member (check, "status"), "FAIL") == 0)
        g_assert_cmpstr (json_object_get_string_member (check, "name"), ==, name);
    }
}

static void
test_tampered_files_fail (void)
{
  check_tampering ("out.npy", "forward");
  check_tampering ("amplitude.old.of_object.npy", "amplitude.old.of_object");
  check_tampering ("grad.l1/layer2.weight.npy", "gradient l1");
  check_tampering ("metric.psnr.npy", "metric.psnr");
}

static void
test_bad_files (void)
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *array = dup_golden_path ("moon64.npy");
  g_autofree char *golden = dup_golden_path ("small_same.npz");

  prism_cli_harness_run (&result, NULL, "verify", NULL);
  prism_cli_harness_check_error (&result, 2, "Which file");
  prism_cli_harness_run (&result, NULL, "verify", "/no/such/file.npz", NULL);
  prism_cli_harness_check_error (&result, 3, "/no/such/file.npz");
  prism_cli_harness_run (&result, NULL, "verify", "/", NULL);
  prism_cli_harness_check_error (&result, 3, "directory");
  prism_cli_harness_run (&result, NULL, "verify", array, NULL);
  prism_cli_harness_check_error (&result, 3, "moon64.npy");
  prism_cli_harness_run (&result, NULL, "verify", "--backend", "tpu", golden, NULL);
  prism_cli_harness_check_error (&result, 2, "auto, cpu, cuda");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/verify/golden", test_golden_files_pass);
  g_test_add_func ("/cli/verify/complete", test_json_has_every_check);
  g_test_add_func ("/cli/verify/tampered", test_tampered_files_fail);
  g_test_add_func ("/cli/verify/bad-files", test_bad_files);
  return g_test_run ();
}
