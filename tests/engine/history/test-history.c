#include "base/prism-system.h"
#include "history/prism-history-csv.h"
#include "history/prism-history-pack.h"
#include "history/prism-history.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <locale.h>
#include <sys/resource.h>
#include <zlib.h>

#define OLDEST_HEADER                                                       \
  "step,sample,sample_step,loss_new,loss_old,learning_rate,psnr,ssim,rmse," \
  "cache_hit_rate,device_bytes,steps_per_second,seconds"

/* Later metrics that are not known. */
#define COMMA(...) ","
#define COMMAS PRISM_METRICS_LATER (COMMA)
#define LOWEST_END ",-1.79769313486232e+308,-1.79769313e+308,-1.79769313e+308"
#define LOWEST_SIZE ",-1.79769313486232e+308"
#define LOWEST(...) ",-1.79769313e+308"
#define LOWEST_METRICS PRISM_METRICS_LATER (LOWEST)

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
  prism_metrics_init (&row.metrics);
  row.cache_hit_rate = 0.5;
  row.device_bytes = 123456789012.0;
  row.steps_per_second = 31.25;
  row.seconds = step * 0.25;
  return row;
}

static void
append_rows (PrismHistory *history, guint64 first, guint64 last)
{
  for (guint64 i = first; i <= last; i++)
    {
      PrismHistoryRow row = make_row (i);
      g_assert_true (prism_history_append (history, &row));
    }
}

static PrismHistory *
make_history (guint64 n_rows)
{
  PrismHistory *history = prism_history_new ();

  append_rows (history, 1, n_rows);
  return history;
}

/* What run files have, without the column for people. */
static char *
save_csv (PrismHistory *history, guint64 n_rows)
{
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (history, 0, n_rows);
  g_autofree char *directory = g_dir_make_tmp ("prism-history-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "metrics.csv", NULL);

  MUST (prism_file_save_stream (path, prism_history_csv_read, csv, &error));
  char *text = file_text (path);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0); /* so no temporary file was left */
  return text;
}

/* More than what stays in memory. */
#define N_LONG 150000

static void
check_rows (PrismHistory *history)
{
  guint64 n_rows = prism_history_get_n_rows (history);

  for (guint64 i = 0; i < n_rows; i++)
    {
      PrismHistoryRow wanted = make_row (i + 1), row = prism_history_get_row (history, i);

      g_assert_cmpmem (&row, sizeof row, &wanted, sizeof wanted);
    }
}

TEST (short_histories_stay_in_memory, "/engine/history/short")
{
  g_autoptr (PrismHistory) history = make_history (65536);

  g_assert_cmpuint (prism_history_get_n_moved (history), ==, 0);
  check_rows (history);
}

TEST (long_histories_move, "/engine/history/long")
{
  g_autoptr (PrismHistory) history = make_history (N_LONG);
  g_autofree PrismHistoryRow *rows = g_new (PrismHistoryRow, N_LONG);

  g_assert_cmpuint (prism_history_get_n_rows (history), ==, N_LONG);
  g_assert_cmpuint (prism_history_get_n_moved (history), >=, N_LONG - 65536 - 4096);
  g_assert_cmpuint (prism_history_get_n_moved (history), <=, N_LONG - 65536 + 4096);
  check_rows (history);
  /* Across chunks, and from the file into memory. */
  g_assert_true (prism_history_read (history, 0, N_LONG, rows));
  for (guint64 i = 0; i < N_LONG; i++)
    g_assert_cmpuint (rows[i].step, ==, i + 1);
}

/* What the names of files are there to catch. */
static guint
count_files (const char *folder)
{
  g_autoptr (GDir) listing = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (listing) != NULL)
    n++;
  return n;
}

TEST (file_has_no_name, "/engine/history/nameless")
{
  g_autofree char *folder = g_dir_make_tmp ("prism-history-XXXXXX", NULL);
  g_autofree char *before = g_strdup (g_getenv ("TMPDIR"));

  g_setenv ("TMPDIR", folder, TRUE);
  PrismHistory *history = make_history (N_LONG);
  g_assert_cmpuint (prism_history_get_n_moved (history), >, 0);
  g_assert_cmpuint (count_files (folder), ==, 0);
  prism_history_unref (history);
  if (before != NULL)
    g_setenv ("TMPDIR", before, TRUE);
  else
    g_unsetenv ("TMPDIR");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* How large files may become from now on; RLIM_INFINITY: as before. */
static void
limit_files (rlim_t n_bytes)
{
  static struct rlimit before;

  if (before.rlim_cur == 0)
    g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  struct rlimit limit = before;
  limit.rlim_cur = MIN (n_bytes, before.rlim_cur);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

/* No file may grow beyond a part of a chunk, and later beyond some chunks: nothing is lost, and the
 * rows move as soon as they can. */
TEST (disk_refuses, "/engine/history/disk-refuses")
{
  g_autoptr (PrismHistory) history = prism_history_new ();

  limit_files (100000);
  append_rows (history, 1, 100000);
  g_assert_cmpuint (prism_history_get_n_moved (history), ==, 0);
  check_rows (history);

  limit_files (5 * 4096 * sizeof (PrismHistoryRow) + 1);
  append_rows (history, 100001, 120000);
  g_assert_cmpuint (prism_history_get_n_moved (history), ==, 5 * 4096);
  check_rows (history);

  limit_files (RLIM_INFINITY);
  append_rows (history, 120001, N_LONG);
  g_assert_cmpuint (prism_history_get_n_moved (history), >, N_LONG - 65536 - 4096);
  check_rows (history);
}

/* Finds the file by its size and takes its rows away behind the back of the history. */
static void
truncate_file (guint64 n_rows)
{
  for (int fd = 3; fd < 1024; fd++)
    {
      struct stat status;

      if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode) && status.st_nlink == 0
          && (guint64) status.st_size >= n_rows * sizeof (PrismHistoryRow))
        g_assert_cmpint (ftruncate (fd, 4096 * sizeof (PrismHistoryRow)), ==, 0);
    }
}

TEST (rows_that_are_gone, "/engine/history/rows-gone")
{
  g_autoptr (PrismHistory) history = make_history (N_LONG);
  g_autofree PrismHistoryRow *rows = g_new (PrismHistoryRow, N_LONG);
  g_autoptr (TestFolder) folder = test_folder_new ();
  const char *path = in_folder (folder, "metrics.csv");

  truncate_file (prism_history_get_n_moved (history));
  g_assert_true (prism_history_read (history, 0, 4096, rows));
  g_assert_false (prism_history_read (history, 0, N_LONG, rows));
  g_assert_cmpfloat (rows[4095].seconds, ==, 1024.0);
  g_assert_true (isnan (rows[4096].loss_new));
  g_assert_cmpuint (rows[4096].step, ==, 4097);
  g_assert_cmpfloat (rows[N_LONG - 1].seconds, ==, N_LONG * 0.25);

  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  FAILS (prism_history_save_csv (history, N_LONG, path, &error), IO, "4097");
  g_assert_null (prism_history_member_new (history, N_LONG, NULL));
  g_assert_cmpuint (count_files (folder), ==, 1);
}

static void *
read_while_written (void *data)
{
  PrismHistory *history = data;
  guint64 n_rows = 0;

  while (n_rows < N_LONG)
    {
      PrismHistoryRow rows[PRISM_HISTORY_BLOCK];
      guint64 n_now = prism_history_get_n_rows (history);
      gsize n = MIN (n_now - n_rows, PRISM_HISTORY_BLOCK);

      g_assert_cmpuint (n_now, >=, n_rows);
      g_assert_true (prism_history_read (history, n_rows, n, rows));
      for (gsize i = 0; i < n; i++)
        {
          g_assert_cmpuint (rows[i].step, ==, n_rows + i + 1);
          g_assert_cmpfloat (rows[i].seconds, ==, (n_rows + i + 1) * 0.25);
        }
      n_rows += n;
      /* The oldest row is on its way to the file or there already. */
      if (n_now > 0)
        g_assert_cmpuint (prism_history_get_row (history, 0).step, ==, 1);
    }
  prism_history_unref (history);
  return NULL;
}

TEST (reading_while_appending, "/engine/history/reading-while-appending")
{
  g_autoptr (PrismHistory) history = prism_history_new ();
  pthread_t readers[2];

  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (pthread_create (&readers[i], NULL, read_while_written,
                                     prism_history_ref (history)),
                     ==, 0);
  append_rows (history, 1, N_LONG);
  for (guint i = 0; i < 2; i++)
    pthread_join (readers[i], NULL);
}

/* The text of a long history is that of its rows one by one, and comes back as the same text. */
TEST (csv_of_a_long_history, "/engine/history/csv/long")
{
  g_autoptr (PrismHistory) history = make_history (N_LONG);
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (history, 0, N_LONG);
  g_autofree char *text = save_csv (history, N_LONG);
  g_autoptr (PrismHistory) again
      = MUST (prism_history_new_csv (prism_history_csv_read, csv, N_LONG, "metrics.csv", &error));

  g_assert_cmpuint (prism_history_get_n_moved (again), ==, prism_history_get_n_moved (history));
  g_autofree char *text_again = save_csv (again, N_LONG);
  g_assert_true (g_str_equal (text, text_again));
  for (guint64 i = 0; i < N_LONG; i += 997)
    {
      PrismHistoryRow row = prism_history_get_row (again, i);

      g_assert_cmpuint (row.step, ==, i + 1);
      g_assert_cmpfloat_with_epsilon (row.seconds, (i + 1) * 0.25, 1e-3);
    }
}

/* What an archive makes of a member again. */
static char *
unpack (PrismHistoryMember *member)
{
  g_autofree char *packed = g_malloc (member->packed_size + 1);
  char *text = g_malloc0 (member->size + 1);
  gsize n_packed = 0;
  gssize n;
  z_stream stream = { 0 };

  prism_history_member_rewind (member);
  while ((n = prism_history_member_read (member, packed + n_packed, 1777, NULL)) > 0)
    n_packed += n;
  g_assert_cmpint (n, ==, 0);
  g_assert_cmpuint (n_packed, ==, member->packed_size);
  g_assert_cmpint (inflateInit2 (&stream, -MAX_WBITS), ==, Z_OK);
  stream.next_in = (Bytef *) packed;
  stream.avail_in = (uInt) n_packed;
  stream.next_out = (Bytef *) text;
  stream.avail_out = (uInt) member->size;
  g_assert_cmpint (inflate (&stream, Z_FINISH), ==, Z_STREAM_END);
  g_assert_cmpuint (stream.total_out, ==, member->size);
  g_assert_cmpuint (stream.avail_in, ==, 0);
  inflateEnd (&stream);
  g_assert_cmpuint (crc32 (0, (const Bytef *) text, (uInt) member->size), ==, member->crc);
  return text;
}

/* Returns: how many of its bytes were compressed before */
static guint64
check_member (PrismHistory *history, guint64 n_rows)
{
  g_autoptr (PrismHistoryMember) member = prism_history_member_new (history, n_rows, NULL);
  g_autofree char *text = unpack (member), *wanted = save_csv (history, n_rows);

  g_assert_true (g_str_equal (text, wanted));
  return member->n_filed;
}

/* A run is saved again and again, and an older state perhaps after a newer one. */
TEST (packed_text, "/engine/history/packed")
{
  static const guint64 n_rows[] = { 0, 1, 4095, 4096, 65536, 69632, 80000, 81920, 150000, 70000 };
  g_autoptr (PrismHistory) history = prism_history_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (n_rows); i++)
    {
      append_rows (history, prism_history_get_n_rows (history) + 1, n_rows[i]);
      g_assert_true ((check_member (history, n_rows[i]) > 0) == (n_rows[i] > 65536));
    }
}

TEST (packed_text_without_a_disk, "/engine/history/packed-without-disk")
{
  g_autoptr (PrismHistory) history = make_history (N_LONG);
  g_autofree char *wanted = save_csv (history, N_LONG);

  limit_files (300000);
  g_autoptr (PrismHistoryMember) member = prism_history_member_new (history, N_LONG, NULL);
  limit_files (RLIM_INFINITY);
  g_assert_cmpuint (member->n_filed, <=, 300000);
  g_autofree char *text = unpack (member);
  g_assert_true (g_str_equal (text, wanted));
  check_member (history, N_LONG);
}

TEST (csv_with_too_few_rows, "/engine/history/csv/too-few-rows")
{
  g_autoptr (PrismHistory) history = make_history (1000);
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (history, 0, 1000);

  FAILS (prism_history_new_csv (prism_history_csv_read, csv, 1001, "metrics.csv", &error), FORMAT,
         "line 1002");
}

TEST (csv_text, "/engine/history/csv/text")
{
  g_autoptr (PrismHistory) history = prism_history_new ();
  PrismHistoryRow row = {
    .step = 1,
    .sample = -1,
    .sample_step = 1,
    .loss_new = 0.5,
    .loss_old = 0.25,
    .learning_rate = 2e-3,
    .device_bytes = 123456789012.0,
    .cache_bytes = 98765432109.0,
    .steps_per_second = 31.25,
    .seconds = 0.125,
  };

  prism_metrics_init (&row.metrics);
  g_assert_true (prism_history_append (history, &row));
  row = (PrismHistoryRow) {
    .step = 2,
    .sample_step = 1,
    .loss_new = 1e-7,
    .loss_old = NAN,
    .learning_rate = 1e-3,
    .cache_hit_rate = 1.0,
    .device_bytes = NAN,
    .cache_bytes = NAN,
    .steps_per_second = INFINITY,
    .seconds = NAN,
  };
  prism_metrics_init (&row.metrics);
  row.metrics.psnr = 30.5;
  row.metrics.ssim = 0.875;
  row.metrics.rmse = 1.5;
  g_assert_true (prism_history_append (history, &row));
  row.sample = PRISM_ROW_POLISH;
  g_assert_true (prism_history_append (history, &row));
  g_autoptr (TestFolder) folder = test_folder_new ();
  const char *path = in_folder (folder, "metrics.csv");
  MUST (prism_history_save_csv (history, 3, path, &error));
  g_autofree char *text = file_text (path);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 5);
  g_assert_cmpstr (lines[0], ==, OLDEST_HEADER PRISM_LATER_METRICS ",cache_bytes,misfit");
  g_assert_cmpstr (lines[1], ==,
                   "1,-1,1,0.5,0.25,0.002,,,,0,123456789012,31.25,0.125" COMMAS ",98765432109,");
  g_assert_cmpstr (lines[2], ==, "2,0,1,1e-07,,0.001,30.5,0.875,1.5,1,,inf," COMMAS ",,");
  /* The same of a pass: its loss is the misfit that charts show. */
  g_assert_cmpstr (lines[3], ==, "2,-2,1,1e-07,,0.001,30.5,0.875,1.5,1,,inf," COMMAS ",,1e-07");
  g_assert_cmpstr (lines[4], ==, "");
}

static gssize
read_text (gpointer data, char *buffer, gsize length, GError **error)
{
  const char **text = data;
  gsize n = MIN (length, strlen (*text));

  memcpy (buffer, *text, n);
  *text += n;
  return (gssize) n;
}

/* Programs of before knew fewer metrics. */
TEST (csv_of_older_programs, "/engine/history/csv/older")
{
  const char *text = OLDEST_HEADER "\n1,-1,1,0.5,,0.001,20,0.5,,0,0,0,3\n";
  const char *short_text = "step,sample,sample_step,loss_new,loss_old,learning_rate,psnr\n";
  const char *cut_text = OLDEST_HEADER ",\n";
  g_autoptr (PrismHistory) history = prism_history_new_csv (read_text, &text, 1, "csv", NULL);

  g_assert_nonnull (history);
  PrismHistoryRow row = prism_history_get_row (history, 0);
  g_assert_cmpfloat (row.metrics.psnr, ==, 20.0);
  g_assert_cmpfloat (row.metrics.ssim, ==, 0.5);
  g_assert_cmpfloat (row.seconds, ==, 3.0);
  for (gsize i = PRISM_METRICS_INDEX (rmse); i < PRISM_N_METRICS; i++)
    g_assert_true (isnan (row.metrics.values[i]));
  g_assert_true (isnan (row.cache_bytes));
  g_assert_null (prism_history_new_csv (read_text, &short_text, 0, "csv", NULL));
  g_assert_null (prism_history_new_csv (read_text, &cut_text, 0, "csv", NULL));
}

/* Columns are known by their names: a metric that a program of before did not know stands between
 * those that it did. */
TEST (csv_with_other_columns, "/engine/history/csv/other-columns")
{
  const char *text = OLDEST_HEADER ",cache_bytes\n1,-1,1,0.5,,0.001,20,0.5,,0,0,0,3,4096\n";
  const char *unknown_text = OLDEST_HEADER ",weather\n";
  const char *twice_text = OLDEST_HEADER ",cache_bytes,cache_bytes\n";
  g_autoptr (PrismHistory) history = prism_history_new_csv (read_text, &text, 1, "csv", NULL);

  g_assert_nonnull (history);
  PrismHistoryRow row = prism_history_get_row (history, 0);
  g_assert_cmpfloat (row.seconds, ==, 3.0);
  g_assert_cmpfloat (row.cache_bytes, ==, 4096.0);
  for (gsize i = PRISM_METRICS_INDEX (rmse); i < PRISM_N_METRICS; i++)
    g_assert_true (isnan (row.metrics.values[i]));
  g_assert_null (prism_history_new_csv (read_text, &unknown_text, 0, "csv", NULL));
  g_assert_null (prism_history_new_csv (read_text, &twice_text, 0, "csv", NULL));
}

TEST (csv_stops_at_n_rows, "/engine/history/csv/n-rows")
{
  g_autoptr (PrismHistory) history = make_history (10000);
  g_autofree char *some = save_csv (history, 5000), *all = save_csv (history, G_MAXUINT64);
  g_auto (GStrv) some_lines = g_strsplit (some, "\n", -1), all_lines = g_strsplit (all, "\n", -1);

  g_assert_cmpuint (g_strv_length (some_lines), ==, 5002); /* header, rows, end of the last line */
  g_assert_cmpuint (g_strv_length (all_lines), ==, 10002);
  g_assert_true (g_str_has_prefix (some_lines[5000], "5000,"));
  g_assert_true (g_str_has_prefix (all, some));
}

TEST (csv_in_a_comma_locale, "/engine/history/csv/comma-locale")
{
  g_autoptr (PrismHistory) history = make_history (3);
  g_autofree char *plain = save_csv (history, 3);

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  g_autofree char *german = save_csv (history, 3);
  setlocale (LC_ALL, "C");
  g_assert_cmpstr (german, ==, plain);
}

TEST (csv_extreme_numbers_fit, "/engine/history/csv/extreme-numbers")
{
  g_autoptr (PrismHistory) history = prism_history_new ();
  double low = -G_MAXDOUBLE;
  PrismHistoryRow row = {
    .step = G_MAXUINT64,
    .sample = G_MININT32,
    .sample_step = G_MAXUINT32,
    .loss_new = low,
    .loss_old = low,
    .learning_rate = low,
    .cache_hit_rate = low,
    .device_bytes = low,
    .cache_bytes = low,
    .steps_per_second = low,
    .seconds = low,
  };

  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    row.metrics.values[i] = low;
  g_assert_true (prism_history_append (history, &row));
  g_autofree char *text = save_csv (history, 1);
  HAS (text, "\n18446744073709551615,-2147483648,4294967295,-1.79769313e+308,");
  g_assert_true (g_str_has_suffix (text, LOWEST_END LOWEST_METRICS LOWEST_SIZE "\n"));
}

TEST (csv_into_a_missing_directory, "/engine/history/csv/missing-directory")
{
  g_autoptr (PrismHistory) history = make_history (1);

  FAILS (prism_history_save_csv (history, 1, "/nonexistent/metrics.csv", &error), IO, "");
}

TESTS
{
  prism_process_init ();
}
