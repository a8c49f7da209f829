#include "prism-cli-harness.h"
#include "prism-test.h"

#include <zip.h>

static char *
dup_golden_path (const char *name)
{
  return g_build_filename (g_getenv ("PRISM_TEST_DATA"), name, NULL);
}

TEST (golden_files_pass, "/cli/verify/golden")
{
  static const char *const names[] = { "small_same.npz", "small_valid.npz", "medium_same.npz" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = dup_golden_path (names[i]);

      g_auto (PrismCliResult) result = cli_run ("verify --backend cpu %s", path);
      g_test_message ("%s%s", result.output, result.error);
      g_assert_cmpint (result.exit_code, ==, 0);
      HAS (result.output, " 0 failed");
    }
}

static JsonNode *
verify_as_json (const char *path,
                int exit_code)
{
  g_auto (PrismCliResult) result = cli_run ("verify --json %s", path);
  g_assert_cmpint (result.exit_code, ==, exit_code);
  return cli_parse (result.output);
}

static JsonArray *
get_checks (JsonNode *root)
{
  JsonArray *files = json_object_get_array_member (json_node_get_object (root), "files");

  return json_object_get_array_member (json_array_get_object_element (files, 0), "checks");
}

/* Every kind of check that the file has arrays for is there. */
TEST (json_has_every_check, "/cli/verify/complete")
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

typedef enum
{
  CHANGE_ADD,      /* 0.01 to the last value */
  CHANGE_NAN,      /* the first value */
  CHANGE_INFINITY, /* the last value */
  CHANGE_EMPTY,    /* no values */
  CHANGE_TEXT,
  CHANGE_SHAPE, /* one dimension more */
  CHANGE_REMOVE,
  N_CHANGES
} Change;

#define NPY_MAGIC "\x93NUMPY\x01\x00"
#define HEADER_BYTES 118

/* A file of NumPy's with @n bytes of values after a header of 128 bytes. */
static GByteArray *
new_array (const char *type,
           const char *shape,
           const guint8 *values,
           gsize n)
{
  GByteArray *array = g_byte_array_new ();
  g_autofree char *header = g_strdup_printf ("{'descr': '%s', 'fortran_order': False, "
                                             "'shape': %s, }",
                                             type, shape);
  g_autofree char *padded = g_strdup_printf ("%-*s\n", HEADER_BYTES - 1, header);

  g_byte_array_append (array, (const guint8 *) NPY_MAGIC, 8);
  g_byte_array_append (array, (const guint8[]) { HEADER_BYTES, 0 }, 2);
  g_byte_array_append (array, (const guint8 *) padded, HEADER_BYTES);
  g_byte_array_append (array, values, n);
  return array;
}

static void
put_float (guint8 *at,
           gboolean is_double,
           double value)
{
  float narrow = (float) value;

  if (is_double)
    memcpy (at, &value, sizeof value);
  else
    memcpy (at, &narrow, sizeof narrow);
}

/* The member's bytes, an array of NumPy's with a header of 128 bytes, changed. */
static GByteArray *
change_bytes (const guint8 *bytes,
              gsize size,
              Change change)
{
  g_autofree char *header = g_strndup ((const char *) bytes + 10, HEADER_BYTES);
  g_autofree char *shape = g_strndup (strchr (header, '('), strcspn (strchr (header, '('), ")"));
  gboolean is_double = strstr (header, "f8") != NULL;
  gsize item = is_double ? 8 : 4;
  GByteArray *array = g_byte_array_append (g_byte_array_new (), bytes, size);
  float last;

  memcpy (&last, bytes + size - sizeof last, sizeof last);
  if (change == CHANGE_ADD)
    put_float (array->data + size - item, is_double, last + 0.01f);
  else if (change == CHANGE_NAN)
    put_float (array->data + 128, is_double, NAN);
  else if (change == CHANGE_INFINITY)
    put_float (array->data + size - item, is_double, INFINITY);
  else
    g_clear_pointer (&array, g_byte_array_unref);
  if (change == CHANGE_EMPTY)
    return new_array ("<f4", "(0,)", NULL, 0);
  if (change == CHANGE_TEXT)
    return new_array ("|S4", "()", (const guint8 *) "text", 4);
  if (change == CHANGE_SHAPE)
    {
      g_autofree char *longer = g_strdup_printf ("(1, %s)", shape + 1);

      return new_array (is_double ? "<f8" : "<f4", longer, bytes + 128, size - 128);
    }
  return array;
}

/* A copy of a golden file with one member changed. */
static char *
make_tampered_copy (const PrismCliResult *place,
                    const char *member,
                    Change change)
{
  g_autofree char *source = dup_golden_path ("small_same.npz");
  g_autofree char *text = NULL;
  g_autoptr (GByteArray) changed = NULL;
  char *copy = g_build_filename (place->directory, "tampered.npz", NULL);
  struct zip_stat status;
  struct zip_file *file;
  struct zip *archive;
  gsize length;

  g_assert_true (g_file_get_contents (source, &text, &length, NULL));
  g_assert_true (g_file_set_contents (copy, text, length, NULL));
  archive = zip_open (copy, 0, NULL);
  g_assert_nonnull (archive);
  g_assert_cmpint (zip_stat (archive, member, 0, &status), ==, 0);
  g_autofree guint8 *data = g_malloc (status.size);
  file = zip_fopen (archive, member, 0);
  g_assert_cmpint (zip_fread (file, data, status.size), ==, status.size);
  zip_fclose (file);
  if (change == CHANGE_REMOVE)
    g_assert_cmpint (zip_delete (archive, status.index), ==, 0);
  else
    {
      changed = change_bytes (data, status.size, change);
      g_assert_cmpint (zip_file_add (archive, member,
                                     zip_source_buffer (archive, changed->data, changed->len, 0),
                                     ZIP_FL_OVERWRITE),
                       >=, 0);
    }
  g_assert_cmpint (zip_close (archive), ==, 0);
  return copy;
}

static void
check_tampering (const char *member,
                 const char *name)
{
  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autofree char *path = make_tampered_copy (&place, member, CHANGE_ADD);
  g_autoptr (JsonNode) root = verify_as_json (path, 1);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (root), "failed"), ==, 1);
  JsonArray *checks = get_checks (root);
  for (guint i = 0; i < json_array_get_length (checks); i++)
    {
      JsonObject *check = json_array_get_object_element (checks, i);

      if (strcmp (json_object_get_string_member (check, "status"), "FAIL") == 0)
        g_assert_cmpstr (json_object_get_string_member (check, "name"), ==, name);
    }
}

TEST (tampered_files_fail, "/cli/verify/tampered")
{
  check_tampering ("out.npy", "forward");
  check_tampering ("amplitude.old.of_object.npy", "amplitude.old.of_object");
  check_tampering ("grad.l1/layer2.weight.npy", "gradient l1");
  check_tampering ("metric.psnr.npy", "metric.psnr");
}

/* One sentence names the array, whatever has happened to it. */
static void
check_refusal (const PrismCliResult *place,
               const char *key,
               Change change)
{
  g_autofree char *member = g_strconcat (key, ".npy", NULL);
  g_autofree char *path = make_tampered_copy (place, member, change);
  g_autofree char *quoted = g_strdup_printf ("“%s”", key);

  g_test_message ("%s, change %d", key, change);
  cli_refuses (3, quoted, "verify %s", path);
}

TEST (unfit_arrays_are_refused, "/cli/verify/unfit-arrays")
{
  static const char *const keys[] = {
    "config.old_center",
    "object",
    "spectrum",
    "pupil.new",
    "fermat",
    "init/layer2.weight",
    "out",
    "held",
    "amplitude.new",
    "intensity.new",
    "amplitude.old.of_object",
    "loss.l1",
    "grad.ms-ssim/layer3.bn_shift",
    "adam.losses",
    "final/latent",
    "final.out",
    "metric.a",
    "metric.b",
    "metric.ssim",
    "epie/10",
  };

  g_auto (PrismCliResult) place = cli_run ("--version");
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    for (Change change = CHANGE_NAN; change < N_CHANGES; change++)
      check_refusal (&place, keys[i], change);
}

/* What no check reads could be anything. */
TEST (unknown_arrays_are_refused, "/cli/verify/unknown-arrays")
{
  struct zip *archive;

  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autofree char *path = make_tampered_copy (&place, "out.npy", CHANGE_ADD);
  archive = zip_open (path, 0, NULL);
  g_assert_cmpint (zip_file_add (archive, "loss.huber.npy",
                                 zip_source_buffer (archive, "none", 4, 0), 0),
                   >=, 0);
  g_assert_cmpint (zip_close (archive), ==, 0);
  cli_refuses (3, "“loss.huber”", "verify %s", path);
}

/* How many checks fail where ten steps are said to have been made with that rate. */
static gint64
count_failures_at (double rate)
{
  g_autofree char *source = dup_golden_path ("small_same.npz");
  g_autofree char *text = NULL;
  g_autoptr (GByteArray) array = new_array ("<f8", "()", (const guint8 *) &rate, sizeof rate);
  struct zip *archive;
  gsize length;

  g_auto (PrismCliResult) place = cli_run ("--version");
  g_autofree char *path = g_build_filename (place.directory, "rate.npz", NULL);
  g_assert_true (g_file_get_contents (source, &text, &length, NULL));
  g_assert_true (g_file_set_contents (path, text, length, NULL));
  archive = zip_open (path, 0, NULL);
  g_assert_cmpint (zip_file_add (archive, "adam.learning_rate.npy",
                                 zip_source_buffer (archive, array->data, array->len, 0), 0),
                   >=, 0);
  g_assert_cmpint (zip_close (archive), ==, 0);
  g_autoptr (JsonNode) root = verify_as_json (path, rate == 1e-3 ? 0 : 1);
  return json_object_get_int_member (json_node_get_object (root), "failed");
}

/* Files of large decoders have one; these were made with 1e-3. */
TEST (learning_rate, "/cli/verify/learning-rate")
{
  g_assert_cmpint (count_failures_at (1e-3), ==, 0);
  g_assert_cmpint (count_failures_at (1e-4), >=, 3);
}

/* The field around the object counts, too. */
TEST (field_around_the_object_is_compared, "/cli/verify/field-around")
{
  check_tampering ("epie/1.npy", "epie/1");
}

TEST (bad_files, "/cli/verify/bad-files")
{
  g_autofree char *array = dup_golden_path ("moon64.npy");
  g_autofree char *golden = dup_golden_path ("small_same.npz");

  cli_refuses (2, "FILE.npz is expected here", "verify");
  cli_refuses (3, "/no/such/file.npz", "verify /no/such/file.npz");
  cli_refuses (3, "directory", "verify /");
  cli_refuses (3, "moon64.npy", "verify %s", array);
  cli_refuses (2, "auto, cpu, cuda", "verify --backend tpu %s", golden);
}
