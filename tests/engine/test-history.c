#include "config.h"

#include "prism-error.h"
#include "prism-history.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>

#define N_ROWS 20000

static PrismHistoryRow
make_row (guint64 step)
{
  PrismHistoryRow row = { 0 };

  row.step = step;
  row.sample = (gint32) (step / 60);
  row.sample_step = (guint32) (step % 60 + 1);
  row.loss_new = 1.0 / step;
  row.loss_old = 2.0 / step;
  row.learning_rate = 2e-3;
  row.psnr = NAN;
  row.ssim = NAN;
  row.rmse = NAN;
  row.cache_hit_rate = 0.5;
  row.device_bytes = 123456789012.0;
  row.steps_per_second = 31.25;
  row.seconds = step * 0.25;
  return row;
}

static PrismHistory *
make_history (guint64 n_rows)
{
  PrismHistory *history = prism_history_new ();

  for (guint64 i = 1; i <= n_rows; i++)
    {
      PrismHistoryRow row = make_row (i);
      g_assert_true (prism_history_append (history, &row));
    }
  return history;
}

static char *
save_csv (PrismHistory *history,
          guint64 n_rows)
{
  g_autofree char *directory = g_dir_make_tmp ("prism-history-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "metrics.csv", NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_assert_true (prism_history_save_csv (history, n_rows, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0); /* so no temporary file was left */
  return text;
}

static void
test_rows_never_move (void)
{
  g_autoptr (PrismHistory) history = make_history (1);
  const PrismHistoryRow *first = prism_history_get_row (history, 0);

  for (guint64 i = 2; i <= N_ROWS; i++)
    {
      PrismHistoryRow row = make_row (i);
      g_assert_true (prism_history_append (history, &row));
    }
  g_assert_cmpuint (prism_history_get_n_rows (history), ==, N_ROWS);
  g_assert_true (first == prism_history_get_row (history, 0));
  for (guint64 i = 0; i < N_ROWS; i++)
    g_assert_cmpuint (prism_history_get_row (history, i)->step, ==, i + 1);
}

static void *
read_while_written (void *data)
{
  PrismHistory *history = data;
  guint64 n_rows = 0;

  while (n_rows < N_ROWS)
    {
      guint64 n_now = prism_history_get_n_rows (history);

      g_assert_cmpuint (n_now, >=, n_rows);
      for (; n_rows < n_now; n_rows++)
        {
          const PrismHistoryRow *row = prism_history_get_row (history, n_rows);

          g_assert_cmpuint (row->step, ==, n_rows + 1);
          g_assert_cmpfloat (row->seconds, ==, (n_rows + 1) * 0.25);
        }
    }
  prism_history_unref (history);
  return NULL;
}

static void
test_reading_while_appending (void)
{
  g_autoptr (PrismHistory) history = prism_history_new ();
  pthread_t readers[2];

  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (pthread_create (&readers[i], NULL, read_while_written,
                                     prism_history_ref (history)),
                     ==, 0);
  for (guint64 i = 1; i <= N_ROWS; i++)
    {
      PrismHistoryRow row = make_row (i);
      g_assert_true (prism_history_append (history, &row));
    }
  for (guint i = 0; i < 2; i++)
    pthread_join (readers[i], NULL);
}

static void
test_csv_text (void)
{
  g_autoptr (PrismHistory) history = prism_history_new ();
  PrismHistoryRow row = { 1, -1, 1, 0.5, 0.25, 2e-3, NAN, NAN, NAN, 0.0, 123456789012.0, 31.25,
                          0.125 };
  g_autofree char *text = NULL;

  g_assert_true (prism_history_append (history, &row));
  row = (PrismHistoryRow) { 2, 0, 1, 1e-7, NAN, 1e-3, 30.5, 0.875, 1.5, 1.0, NAN, INFINITY, NAN };
  g_assert_true (prism_history_append (history, &row));
  text = save_csv (history, 2);
  g_assert_cmpstr (text, ==,
                   "step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,rmse,"
                   "cache_hit_rate,device_bytes,steps_per_second,seconds\n"
                   "1,-1,1,0.5,0.25,0.002,,,,0,123456789012,31.25,0.125\n"
                   "2,0,1,1e-07,,0.001,30.5,0.875,1.5,1,,inf,\n");
}

static void
test_csv_stops_at_n_rows (void)
{
  g_autoptr (PrismHistory) history = make_history (10000);
  g_autofree char *some = save_csv (history, 5000);
  g_autofree char *all = save_csv (history, G_MAXUINT64);
  g_auto (GStrv) some_lines = g_strsplit (some, "\n", -1);
  g_auto (GStrv) all_lines = g_strsplit (all, "\n", -1);

  g_assert_cmpuint (g_strv_length (some_lines), ==, 5002); /* header, rows, end of the last line */
  g_assert_cmpuint (g_strv_length (all_lines), ==, 10002);
  g_assert_true (g_str_has_prefix (some_lines[5000], "5000,"));
  g_assert_true (g_str_has_prefix (all, some));
}

static void
test_csv_in_a_comma_locale (void)
{
  g_autoptr (PrismHistory) history = make_history (3);
  g_autofree char *plain = save_csv (history, 3);
  g_autofree char *german = NULL;

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  german = save_csv (history, 3);
  setlocale (LC_ALL, "C");
  g_assert_cmpstr (german, ==, plain);
}

static void
test_csv_extreme_numbers_fit (void)
{
  g_autoptr (PrismHistory) history = prism_history_new ();
  double low = -G_MAXDOUBLE;
  PrismHistoryRow row = { G_MAXUINT64, G_MININT32, G_MAXUINT32, low, low, low, low, low, low, low,
                          low, low, low };
  g_autofree char *text = NULL;

  g_assert_true (prism_history_append (history, &row));
  text = save_csv (history, 1);
  g_assert_nonnull (strstr (text,
                            "\n18446744073709551615,-2147483648,4294967295,-1.79769313e+308,"));
  g_assert_true (g_str_has_suffix (text,
                                   ",-1.79769313486232e+308,-1.79769313e+308,-1.79769313e+308\n"));
}

static void
test_csv_into_a_missing_directory (void)
{
  g_autoptr (PrismHistory) history = make_history (1);
  g_autoptr (GError) error = NULL;

  g_assert_false (prism_history_save_csv (history, 1, "/nonexistent/metrics.csv", &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/history/rows-never-move", test_rows_never_move);
  g_test_add_func ("/engine/history/reading-while-appending", test_reading_while_appending);
  g_test_add_func ("/engine/history/csv/text", test_csv_text);
  g_test_add_func ("/engine/history/csv/n-rows", test_csv_stops_at_n_rows);
  g_test_add_func ("/engine/history/csv/comma-locale", test_csv_in_a_comma_locale);
  g_test_add_func ("/engine/history/csv/extreme-numbers", test_csv_extreme_numbers_fit);
  g_test_add_func ("/engine/history/csv/missing-directory", test_csv_into_a_missing_directory);
  return g_test_run ();
}
