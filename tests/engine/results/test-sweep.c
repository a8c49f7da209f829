#include "../support/test-remove-tree.h"
#include "../support/test-sanitized.h"
#include "prism-test.h"
#include "results/prism-sweep-field.h"
#include "results/prism-sweep-runner.h"

/* Later metrics that are not known. */
#define COMMA(...) ","
#define COMMAS PRISM_METRICS_LATER (COMMA)

static PrismSweep *
make_sweep (const char *first, const char *second)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  PrismSweep *sweep = prism_sweep_new (config);

  g_assert_true (prism_sweep_add_axis (sweep, first, NULL));
  if (second != NULL)
    g_assert_true (prism_sweep_add_axis (sweep, second, NULL));
  return sweep;
}

TEST (lists_and_ranges, "/engine/sweep/axes")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=40, 10,20", "learning_rate=1e-4:1e-2:3:log");
  g_autoptr (PrismSweep) whole = make_sweep ("samples=10:20:4", NULL);

  g_assert_cmpuint (sweep->n_points, ==, 9);
  g_assert_cmpstr (prism_sweep_get_value (sweep, 0, 0), ==, "40");
  g_assert_cmpstr (prism_sweep_get_value (sweep, 8, 0), ==, "20");
  g_assert_cmpstr (prism_sweep_get_value (sweep, 8, 1), ==, "0.01");
  SAYS (prism_sweep_dup_title (sweep, 4), "snr=10, learning_rate=0.001");
  /* Whole numbers are rounded. */
  g_assert_cmpstr (prism_sweep_get_value (whole, 1, 0), ==, "13");
  g_assert_cmpstr (prism_sweep_get_value (whole, 2, 0), ==, "17");
}

/* An axis of an earlier version says what it means now. */
TEST (former_axes, "/engine/sweep/former-axes")
{
  g_autoptr (PrismSweep) algorithms = make_sweep ("algorithm=prism,epie", NULL);
  g_autoptr (PrismSweep) efforts = make_sweep ("effort=auto,full", NULL);

  g_assert_cmpstr (algorithms->axes[0].param->key, ==, "method");
  g_assert_cmpstr (prism_sweep_get_value (algorithms, 0, 0), ==, "auto");
  g_assert_cmpstr (prism_sweep_get_value (algorithms, 1, 0), ==, "epie");
  g_assert_cmpstr (prism_sweep_get_value (efforts, 1, 0), ==, "decoder");
}

TEST (every_point_has_its_values, "/engine/sweep/points")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("memory=replay,self", "aperture_radius=5:15:3");

  for (guint i = 0; i < sweep->n_points; i++)
    {
      g_autoptr (PrismConfig) config = prism_sweep_dup_config (sweep, i, NULL);

      g_assert_cmpint (config->memory, ==, i / 3);
      g_assert_cmpfloat (config->aperture_radius, ==, 5.0 + 5.0 * (i % 3));
    }
}

TEST (what_is_refused, "/engine/sweep/refused")
{
  static const struct
  {
    const char *axis, *part;
  } cases[] = {
    { "snr", "key=a,b,c" },
    { "snrr=1,2", "There is no parameter “snrr”: did you mean “snr”?" },
    { "telescope=1,2", "There is no parameter “telescope”" },
    { "object=moon,usaf", "is a text" },
    { "snr=10,400", "0 to 100 dB" },
    { "snr=10,ten", "snr cannot be “ten”" },
    { "snr=10,10.0", "twice" },
    { "snr=", "snr" },
    { "snr=0:10:1", "a count from 2 to 10000" },
    { "snr=0:10:2.5", "a count from 2 to 10000" },
    { "snr=0:10:3:exp", "a count from 2 to 10000" },
    { "snr=0:10:3:log", "must be above 0" },
    { "seed=0:10000:10001", "a count from 2 to 10000" },
    { "samples=10:11:5", "twice" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PrismConfig) config = prism_config_new ();
      g_autoptr (PrismSweep) sweep = prism_sweep_new (config);

      FAILS (prism_sweep_add_axis (sweep, cases[i].axis, &error), CONFIG, cases[i].part);
    }
}

TEST (too_many, "/engine/sweep/too-many")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("seed=0:199:200", NULL);
  g_autoptr (GError) points = NULL, axes = NULL, twice = NULL;

  g_assert_false (prism_sweep_add_axis (sweep, "snr=0:100:51", &points));
  HAS (points->message, "200 × 51");
  g_assert_false (prism_sweep_add_axis (sweep, "seed=1,2", &twice));
  HAS (twice->message, "over seed twice");
  g_assert_true (prism_sweep_add_axis (sweep, "snr=10,20", NULL));
  g_assert_true (prism_sweep_add_axis (sweep, "replay=2,3", NULL));
  g_assert_false (prism_sweep_add_axis (sweep, "samples=20,21", &axes));
  HAS (axes->message, "one axis too many");
}

/* A third parameter has no place on a map, seeds take none. */
TEST (too_many_params, "/engine/sweep/too-many-parameters")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20", "replay=2,3");

  FAILS (prism_sweep_add_axis (sweep, "samples=20,21", &error), CONFIG,
         "to repeat its runs, seed or training_seed");
  g_assert_true (prism_sweep_add_axis (sweep, "training_seed=0,1,2", NULL));
  g_assert_cmpuint (sweep->n_points, ==, 12);
  g_assert_true (prism_sweep_is_seed (sweep, 2));
  g_assert_false (prism_sweep_is_seed (sweep, 1));
}

/* Each value alone is allowed, the two together are not. */
TEST (points_are_checked, "/engine/sweep/check")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("image_size=64,256", "aperture_radius=20,40");

  g_assert_true (prism_config_set_text (sweep->base, "object_size", "32", NULL));
  FAILS (prism_sweep_check (sweep, &error), CONFIG, "image_size=64, aperture_radius=40");
}

TEST (save_and_load, "/engine/sweep/save-load")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("learning_rate=1e-4:1e-2:4:log", "snr=10,20");
  g_autoptr (PrismSweep) other = make_sweep ("snr=10,20", NULL);
  g_autoptr (TestFolder) directory = test_folder_new ();

  g_assert_true (prism_config_set_text (sweep->base, "object_text", "a=b; [c]\\n", NULL));
  g_assert_true (prism_sweep_save (sweep, directory, NULL));
  g_assert_true (prism_sweep_save (sweep, directory, NULL));
  g_autoptr (PrismSweep) loaded = prism_sweep_load (directory, NULL);
  g_assert_nonnull (loaded);
  g_assert_cmpuint (loaded->n_points, ==, 8);
  for (guint i = 0; i < 8; i++)
    {
      g_autoptr (PrismConfig) a = prism_sweep_dup_config (sweep, i, NULL);
      g_autoptr (PrismConfig) b = prism_sweep_dup_config (loaded, i, NULL);
      g_autofree char *path = prism_sweep_dup_path (directory, i, ".prism");
      g_autoptr (PrismConfig) c = prism_config_load (path, NULL);

      g_assert_true (prism_config_equal (a, b));
      g_assert_true (prism_config_equal (a, c));
    }
  FAILS (prism_sweep_save (other, directory, &error), IO, "belongs to other runs");
}

/* Results without a plan may be anybody's, of a point as well as of an ordinary run. */
TEST (strangers, "/engine/sweep/strangers")
{
  static const char *const folders[] = { "point-0001", "." };
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autoptr (TestFolder) directory = test_folder_new ();
      g_autofree char *folder = g_build_filename (directory, folders[i], NULL);
      g_autofree char *summary = g_build_filename (folder, "summary.json", NULL);
      g_autofree char *mean = g_build_filename (directory, "mean.npy", NULL);

      g_mkdir (folder, 0777);
      g_assert_true (g_file_set_contents (summary, "{}", -1, NULL));
      FAILS (prism_sweep_save (sweep, directory, &error), IO, "no sweep.conf that says otherwise");
      g_assert_false (g_file_test (in_folder (directory, "sweep.conf"), G_FILE_TEST_EXISTS));
      g_assert_cmpint (g_rename (summary, mean), ==, 0);
      FAILS (prism_sweep_save (sweep, directory, &error), IO, "mean.npy is of another run");
      g_assert_cmpint (g_unlink (mean), ==, 0);
      g_assert_true (prism_sweep_save (sweep, directory, NULL));
    }
}

TEST (damaged_plan, "/engine/sweep/damaged-plan")
{
  static const char *const plans[]
      = { "", "[sweep]\n", "[sweep]\nversion=2\nbase=\n", "\xff\xfe",
          "[sweep]\nversion=1\nbase=x\n" };
  g_autoptr (TestFolder) directory = test_folder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (in_folder (directory, "sweep.conf"), plans[i], -1, NULL));
      g_assert_null (prism_sweep_load (directory, &error));
      HAS (error->message, "sweep.conf");
    }
}

TEST (foreign_directory, "/engine/sweep/foreign-directory")
{
  static const char *const names[] = { "", "missing" };
  g_autoptr (TestFolder) directory = test_folder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL);
      g_autofree char *shown = g_path_get_basename (path);
      g_autoptr (GError) error = NULL;

      g_assert_null (prism_sweep_load (path, &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
      HAS (error->message, "has no sweep: choose a directory that", shown);
      LACKS (error->message, "sweep.conf");
    }
}

/* Writes what a run would have left, with settings of which none is other than wanted unless it
 * says which; value: that of every pixel. */
static void
leave_result (const char *directory, guint point, const char *summary, float value)
{
  g_autofree char *folder = prism_sweep_dup_path (directory, point, "");
  const gboolean says = !g_str_has_prefix (summary, "{\"state")
                        || strstr (summary, "configuration") != NULL;
  g_autofree char *whole = says ? g_strdup (summary)
                                : g_strconcat ("{\"settings\":{},", summary + 1, NULL);
  const float pixels[] = { value, 2.0f * value };
  const gsize shape[] = { 1, 2 };

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  g_assert_true (g_file_set_contents (in_folder (folder, "summary.json"), whole, -1, NULL));
  g_assert_true (prism_npy_save (in_folder (folder, "reconstruction.npy"), pixels, 2, shape, NULL));
}

/* What lies in the folder of a point must be of that point; where it was computed is left out. */
TEST (other_result, "/engine/sweep/other-result")
{
  static const struct
  {
    const char *summary;
    const char *refusal; /* NULL: it is */
  } cases[] = {
    { "{\"state\":\"finished\",\"configuration\":null}", "has no settings" },
    { "{\"state\":\"finished\",\"configuration\":{\"snr\":33.0,\"threads\":7}}",
      "with snr=33, not 20" },
    { "{\"state\":\"finished\",\"configuration\":{\"snr\":20.0,\"threads\":7}}" },
  };
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20", NULL);
  g_autoptr (TestFolder) directory = test_folder_new ();

  g_assert_true (prism_sweep_save (sweep, directory, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      leave_result (directory, 1, cases[i].summary, 1.0f);
      g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, directory, NULL);
      g_assert_cmpuint (table->n_finished, ==, cases[i].refusal == NULL);
      if (cases[i].refusal == NULL)
        continue;
      HAS (table->rows[1].failure, cases[i].refusal);
      FAILS (prism_sweep_save (sweep, directory, &error), IO, cases[i].refusal);
    }
  g_assert_true (prism_sweep_save (sweep, directory, NULL));
}

TEST (table, "/engine/sweep/table")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20,30", "samples=5,6");
  g_autoptr (TestFolder) directory = test_folder_new ();

  leave_result (directory, 0,
                "{\"state\":\"finished\",\"final\":{\"psnr\":31.5,\"ssim\":null,\"rmse\":2},"
                "\"misfit\":0.25,\"coverage\":0.5,\"steps\":70,\"seconds\":1.5}",
                1.0f);
  leave_result (directory, 1, "{\"state\":\"stopped\",\"final\":{\"psnr\":1}}", 1.0f);
  leave_result (directory, 2, "[1,2", 1.0f);
  leave_result (directory, 3, "{\"state\":\"finished\",\"final\":7}", 1.0f);
  leave_result (directory, 4, "{}", 1.0f);
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, directory, NULL);
  g_assert_cmpuint (table->n_finished, ==, 2);
  for (guint i = 0; i < table->n_rows; i++)
    {
      g_autofree char *folder = prism_sweep_dup_path (directory, i, "");

      g_assert_cmpint (prism_sweep_row_is_finished (folder), ==, table->rows[i].finished);
    }
  g_assert_null (table->rows[1].image);
  g_assert_true (table->rows[1].stopped && !table->rows[0].stopped && !table->rows[5].stopped);
  g_autofree char *csv = prism_sweep_table_to_csv (table, sweep);
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 8);
  g_assert_cmpstr (
      lines[0], ==,
      "point,snr,samples,state,psnr,ssim,rmse,misfit,coverage,steps,seconds" PRISM_LATER_METRICS
      ",verdict,verdict_rest");
  g_assert_cmpstr (lines[1], ==, "0,10,5,finished,31.5,,2,0.25,0.5,70,1.5" COMMAS ",,");
  g_assert_cmpstr (lines[3], ==, "2,20,5,missing,,,,,,," COMMAS ",,");
  g_autofree char *text = prism_sweep_table_to_text (table, sweep);
  HAS (text, "31.50");
}

#define VERDICT(kind, sums) \
  "{\"state\":\"finished\",\"final\":{\"psnr\":31.5},\"verdict\":{\"kind\":\"" kind "\"" sums "}}"

/* Folders of programs that knew no verdicts, or kept none of their numbers, are read as well. */
TEST (verdicts, "/engine/sweep/verdicts")
{
  g_autoptr (PrismSweep) line = make_sweep ("snr=10,20,30,40", NULL);
  g_autoptr (PrismSweep) grid = make_sweep ("snr=10,20", "samples=5,6");
  g_autoptr (TestFolder) directory = test_folder_new ();

  leave_result (directory, 0,
                VERDICT ("not explained",
                         ",\"frames\":64,\"misfit\":3,\"expected\":2,\"power\":9"),
                1.0f);
  leave_result (directory, 1, VERDICT ("explained", ",\"rest\":1"), 1.0f);
  leave_result (directory, 2, "{\"state\":\"finished\",\"final\":{\"psnr\":31.5}}", 1.0f);
  leave_result (directory, 3, "{\"state\":\"finished\",\"verdict\":7}", 1.0f);
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (line, directory, NULL);
  g_assert_cmpuint (table->n_finished, ==, 4);
  g_assert_cmpint (table->rows[0].verdict.kind, ==, PRISM_VERDICT_UNEXPLAINED);
  g_assert_cmpuint (table->rows[0].verdict.n_frames, ==, 64);
  g_assert_cmpint (table->rows[1].verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpint (table->rows[2].verdict.kind, ==, PRISM_VERDICT_OPEN);
  g_assert_cmpint (table->rows[3].verdict.kind, ==, PRISM_VERDICT_OPEN);
  g_autofree char *csv = prism_sweep_table_to_csv (table, line);
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);
  g_assert_true (g_str_has_suffix (lines[1], ",not explained,1.5"));
  g_assert_true (g_str_has_suffix (lines[2], ",explained,"));
  g_assert_true (g_str_has_suffix (lines[3], ",,"));
  g_autofree char *list = prism_sweep_table_to_text (table, line);
  HAS (list, "  does not fit the measurements\n", "  fits the measurements\n", "  not known\n");
  g_autofree char *cells = prism_sweep_table_to_text (table, grid);
  HAS (cells, " *31.50", "\n* 1 result does not fit its measurements. Try ");
}

/* Runs that differ in a seed are one cell: mean, deviation, and the run next to the mean. */
TEST (field, "/engine/sweep/field")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20", "seed=0,1,2");
  g_autoptr (TestFolder) directory = test_folder_new ();
  const double psnr[] = { 30.0, 32.0, 31.5 };
  double low, high;
  guint measure;

  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *summary
          = g_strdup_printf ("{\"state\":\"finished\",\"final\":{\"psnr\":%.1f},\"verdict\":"
                             "{\"kind\":\"%s\"}}",
                             psnr[i], i == 0 ? "not explained" : "explained");
      leave_result (directory, i, summary, 1.0f);
    }
  leave_result (directory, 4, "{\"state\":\"finished\",\"final\":{\"psnr\":40}}", 1.0f);
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, directory, NULL);
  g_autoptr (PrismSweepField) field
      = prism_sweep_field_new (sweep, table, PRISM_METRICS_INDEX (psnr));
  g_assert_cmpuint (field->n_rows, ==, 1);
  g_assert_cmpuint (field->n_columns, ==, 2);
  g_assert_true (field->repeated);
  g_assert_cmpuint (field->cells[0].n_runs, ==, 3);
  g_assert_cmpfloat_with_epsilon (field->cells[0].mean, 93.5 / 3.0, 1e-12);
  /* Of 30, 32 and 31.5: the root of half the sum of squares. */
  g_assert_cmpfloat_with_epsilon (field->cells[0].deviation, 1.0408329997330663, 1e-12);
  g_assert_cmpuint (field->cells[0].point, ==, 2);
  g_assert_cmpuint (field->cells[1].n_runs, ==, 1);
  g_assert_true (isnan (field->cells[1].deviation));
  g_assert_cmpuint (field->cells[1].point, ==, 4);
  g_assert_true (prism_sweep_field_get_range (field, &low, &high));
  g_assert_cmpfloat (low, ==, 30.0);
  g_assert_cmpfloat (high, ==, 40.0);
  g_autofree char *csv = prism_sweep_field_to_csv (field, sweep);
  g_assert_true (g_str_has_prefix (csv, "snr,runs,psnr,deviation,least,most\n10,3,31.1666"));
  HAS (csv, "\n20,1,40,,40,40\n");
  g_assert_true (prism_sweep_measure_find (&measure, FALSE, "verdict", NULL));
  g_autoptr (PrismSweepField) verdicts = prism_sweep_field_new (sweep, table, measure);
  g_assert_cmpfloat_with_epsilon (verdicts->cells[0].mean, 200.0 / 3.0, 1e-9);
  g_assert_cmpuint (verdicts->cells[1].n_runs, ==, 0);
}

/* Two parameters are rows and columns, whatever place the seed has. */
TEST (field_of_two, "/engine/sweep/field-of-two")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20", "seed=0,1");
  g_autoptr (TestFolder) directory = test_folder_new ();
  guint measure;

  g_assert_true (prism_sweep_add_axis (sweep, "samples=5,6,7", NULL));
  /* snr=20, seed=1, samples=6 */
  leave_result (directory, 10, "{\"state\":\"finished\",\"misfit\":0.5}", 1.0f);
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, directory, NULL);
  g_assert_true (prism_sweep_measure_find (&measure, FALSE, "misfit", NULL));
  g_autoptr (PrismSweepField) field = prism_sweep_field_new (sweep, table, measure);
  g_assert_cmpuint (field->n_rows, ==, 2);
  g_assert_cmpuint (field->n_columns, ==, 3);
  g_assert_cmpuint (prism_sweep_field_find (field, sweep, 10), ==, 4);
  g_assert_cmpfloat (field->cells[4].mean, ==, 0.5);
  g_assert_cmpuint (field->cells[4].point, ==, 10);
  g_assert_cmpuint (field->cells[3].n_points, ==, 2);
  g_assert_cmpuint (field->cells[3].n_runs, ==, 0);
  FAILS (prism_sweep_measure_find (&measure, FALSE, "beauty", &error), CONFIG, "psnr, ssim");
}

/* A result that is known is not read again, as one sees when it is gone; a new one is. */
TEST (table_since, "/engine/sweep/table-since")
{
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20,30", NULL);
  g_autoptr (TestFolder) directory = test_folder_new ();

  leave_result (directory, 0, "{\"state\":\"finished\",\"final\":{\"psnr\":31.5}}", 1.0f);
  g_autoptr (PrismSweepTable) before = prism_sweep_table_load (sweep, directory, NULL);
  g_assert_cmpuint (before->n_finished, ==, 1);
  leave_result (directory, 0, "{}", 1.0f);
  leave_result (directory, 2, "{\"state\":\"finished\",\"final\":{\"psnr\":7}}", 1.0f);
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, directory, before);
  g_assert_cmpuint (table->n_finished, ==, 2);
  g_assert_cmpfloat (table->rows[0].metrics.psnr, ==, 31.5);
  g_assert_true (table->rows[0].image == before->rows[0].image);
  g_assert_cmpfloat (table->rows[2].metrics.psnr, ==, 7);
  g_assert_false (table->rows[1].finished);
}

/* Against the definition: mean 3, and the root of ((1-3)² + (2-3)² + (6-3)²) / 2. */
TEST (spread, "/engine/sweep/spread")
{
  static const float values[] = { 1.0f, 2.0f, 6.0f };
  g_autoptr (PrismSweep) sweep = make_sweep ("training_seed=0,1,2,3", NULL);
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autoptr (PrismSweepTable) none = prism_sweep_table_load (sweep, directory, NULL);
  g_autoptr (PrismImage) mean = NULL, spread = NULL;

  g_assert_true (prism_sweep_is_ensemble (sweep));
  FAILS (prism_sweep_table_get_spread (none, &mean, &spread, &error), FORMAT, "");
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    leave_result (directory, i, "{\"state\":\"finished\"}", values[i]);
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, directory, NULL);
  g_assert_true (prism_sweep_table_get_spread (table, &mean, &spread, NULL));
  g_assert_cmpfloat_with_epsilon (mean->pixels[0], 3.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (mean->pixels[1], 6.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (spread->pixels[0], sqrt (7.0), 1e-6);
  g_assert_cmpfloat_with_epsilon (spread->pixels[1], 2.0 * sqrt (7.0), 1e-6);
}

/* Eight pixels: the two that differ most have 3² + 4² of a squared error of 50. */
TEST (ensemble, "/engine/sweep/ensemble")
{
  const float target[8] = { 0 };
  const float mean_pixels[8] = { 0, 3, 0, 0, 5, 0, 4, 0 };
  const float spread_pixels[8] = { 0, 7, 1, 2, 3, 4, 8, 5 };
  g_autoptr (PrismImage) mean = prism_image_new_copy (2, 4, mean_pixels, NULL);
  g_autoptr (PrismImage) spread = prism_image_new_copy (2, 4, spread_pixels, NULL);
  g_autoptr (PrismImage) object = prism_image_new_copy (2, 4, target, NULL);
  g_autoptr (PrismImage) other = prism_image_new_copy (4, 2, target, NULL);
  PrismSweepRow rows[]
      = { { .metrics.psnr = 12, .image = mean },
          { .metrics.psnr = 5 },
          { .metrics.psnr = 10, .image = mean } };
  PrismSweepTable table = { .rows = rows, .n_rows = 3, .target = object };
  PrismSweepEnsemble ensemble;

  g_assert_true (MUST (prism_sweep_ensemble_compute (&ensemble, &table, mean, spread, &error)));
  g_assert_cmpuint (ensemble.n_runs, ==, 2);
  g_assert_cmpfloat (ensemble.least, ==, 10);
  g_assert_cmpfloat (ensemble.most, ==, 12);
  g_assert_cmpfloat_with_epsilon (ensemble.psnr, 10 * log10 (8.0 / 50.0), 1e-6);
  g_assert_cmpfloat_with_epsilon (ensemble.share, 0.5, 1e-6);
  table.target = other;
  FAILS (prism_sweep_ensemble_compute (&ensemble, &table, mean, spread, &error), FORMAT, "");
}

/* The script that is saved; NULL for none. */
static char *
dup_script (PrismSweep *sweep,
            const char *directory,
            const char *program,
            guint n_jobs,
            const char *const *options)
{
  g_autofree char *path = MUST (prism_sweep_slurm_save_script (sweep, directory, program, n_jobs,
                                                               options, &error));
  char *text = NULL;

  if (path != NULL)
    text = file_text (path);
  return text;
}

TEST (script, "/engine/sweep/script")
{
  static const char *const options[] = { "--partition=gpu", NULL };
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=1:12:12", NULL);
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *strange = g_build_filename (in_folder (directory, "a b%"), "\"c", NULL);
  g_autofree char *output = g_strdup_printf (
      "\n#SBATCH --output=\"%s/a b%%%%/\\\"c/job-%%a.log\"\n", directory);

  g_assert_cmpint (g_mkdir_with_parents (strange, 0700), ==, 0);
  g_autofree char *all = dup_script (sweep, strange, "/usr/bin/prism-cli", 3, options);
  g_assert_true (g_str_has_prefix (all, "#!/bin/bash\n"));
  HAS (all, "\n#SBATCH --array=0-11%3\n", "\n#SBATCH --partition=gpu\n", output,
       "exec '/usr/bin/prism-cli' run");
  LACKS (all, "--save");

  guint64 without = prism_sweep_get_required_bytes (sweep);
  sweep->keeps_runs = TRUE;
  g_autofree char *kept = dup_script (sweep, directory, "prism-cli", 0, NULL);
  g_autofree char *told = g_strdup_printf ("\n#SBATCH --mem=%" G_GUINT64_FORMAT "M\n",
                                           prism_sweep_get_required_bytes (sweep) / 1048576 + 1);
  HAS (kept, " --save \"$item.prismrun\" ", "\nrm -f -- \"$item.prismrun\" && exec ", told);
  g_assert_cmpuint (prism_sweep_get_required_bytes (sweep), >, without);

  leave_result (directory, 0, "{\"state\":\"finished\"}", 1.0f);
  leave_result (directory, 4, "{\"state\":\"finished\"}", 1.0f);
  leave_result (directory, 6, "{\"state\":\"finished\"}", 1.0f);
  g_autofree char *some = dup_script (sweep, directory, "prism-cli", 0, NULL);
  HAS (some, "\n#SBATCH --array=1-3,5,7-11\n");
  for (guint i = 0; i < 12; i++)
    leave_result (directory, i, "{\"state\":\"finished\"}", 1.0f);
  g_autofree char *none = dup_script (sweep, directory, "prism-cli", 0, NULL);
  g_assert_null (none);
}

typedef struct
{
  guint n_failed;
  char *message;
} Outcome;

static void
note_outcome (PrismBatch *runner, guint point, const char *message, gpointer data)
{
  Outcome *outcome = data;

  if (message == NULL)
    return;
  outcome->n_failed++;
  g_free (outcome->message);
  outcome->message = g_strdup (message);
}

static void
run_with (PrismSweep *sweep, const char *directory, const char *program, Outcome *outcome)
{
  g_autoptr (PrismBatch) runner
      = prism_sweep_batch_new (sweep, directory, program, 2, note_outcome, outcome, NULL);

  g_assert_nonnull (runner);
  g_assert_true (prism_batch_start (runner, NULL));
  UNTIL (prism_batch_is_over (runner));
}

static void
check_programs_that_fail (void)
{
  g_autoptr (PrismSweep) sweep = make_sweep ("snr=10,20,30", NULL);
  g_autoptr (TestFolder) directory = test_folder_new ();
  Outcome missing = { 0 }, failing = { 0 };

  g_assert_true (prism_sweep_save (sweep, directory, NULL));
  run_with (sweep, directory, "/nonexistent/prism-cli", &missing);
  g_assert_cmpuint (missing.n_failed, ==, 3);
  run_with (sweep, directory, "/bin/false", &failing);
  g_assert_cmpuint (failing.n_failed, ==, 3);
  g_assert_cmpstr (failing.message, ==, "The run ended with exit status 1 and no message.");
  g_autoptr (PrismSweepTable) table = prism_sweep_table_load (sweep, directory, NULL);
  g_assert_cmpstr (table->rows[1].failure, ==, failing.message);
  g_free (missing.message);
  g_free (failing.message);
}

/* Whatever the program does, every point comes to an end, and its failure is found again. */
TEST (programs_that_fail, "/engine/sweep/failing-programs")
{
  if (IS_THREAD_SANITIZED)
    g_test_skip ("GLib watches programs from a thread of its own, whose locks are not seen.");
  else
    check_programs_that_fail ();
}
