#include "test-run-common.h"
#include "../support/test-python.h"

#include "history/prism-history-csv.h"
#include "run/prism-run-file.h"
#include "run/prism-run-snapshot.h"

static PrismRunIdentity *identity; /* of the run that began last */

static void
save (Run *run, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRunPlace) place = prism_run_place_new (path, NULL, &error);
  g_autoptr (PrismBundle) state = prism_trainer_dup_state (run->trainer, &error);
  g_autoptr (PrismSnapshot) snapshot = publish (run);

  snapshot->state = PRISM_STATE_RUNNING;
  snapshot->backend = "cpu";
  snapshot->device = g_strdup ("CPU");
  g_assert_true (MUST (prism_run_file_save (place, snapshot, state, identity, &error)));
}

static void
advance (Run *run, guint n_steps)
{
  for (guint i = 0; i < n_steps; i++)
    step (run);
}

/* A run of the small configuration that has done some steps; with noise, so that all parts of the
 * file are used. */
static void
begin (Run *run, guint n_steps)
{
  g_autoptr (PrismConfig) config = make_small_config ();

  config->snr = 17.3;
  config->line_direction = PRISM_DIRECTION_RANDOM; /* its angles are kept, too */
  config->learning_rate = 1.0 / 3.0 * 1e-2;
  g_clear_pointer (&identity, prism_run_identity_free);
  identity = prism_run_identity_new ("parent.prismrun");
  run_open (run, config, NULL, 1);
  advance (run, n_steps);
}

static void
compare_texts (char *a, char *b)
{
  g_assert_cmpstr (a, ==, b);
  g_free (a);
  g_free (b);
}

static char *
dup_metrics (PrismSnapshot *snapshot)
{
  g_autoptr (PrismHistoryCsv) csv = prism_history_csv_new (snapshot->history, 0, snapshot->n_rows);
  GString *text = g_string_new (NULL);
  char buffer[4096];
  gssize n;

  while ((n = prism_history_csv_read (csv, buffer, sizeof buffer, NULL)) > 0)
    g_string_append_len (text, buffer, n);
  g_assert_cmpint (n, ==, 0);
  return g_string_free (text, FALSE);
}

/* Without what the machine has free, which other programs change from one moment to the next. */
static char *
dup_snapshot_text (PrismSnapshot *snapshot)
{
  g_autofree char *text = prism_run_snapshot_to_text (snapshot);
  g_autoptr (GRegex) regex = g_regex_new ("\"memory_available\": *[0-9]+", 0, 0, NULL);

  return g_regex_replace (regex, text, -1, 0, "", 0, NULL);
}

static void
compare_snapshots (PrismSnapshot *a, PrismSnapshot *b)
{
  compare_texts (dup_snapshot_text (a), dup_snapshot_text (b));
  g_assert_true (prism_config_equal (a->config, b->config));
  g_assert_cmpfloat (a->config->learning_rate, ==, b->config->learning_rate);
  compare_images (a->target, b->target);
  compare_images (a->reconstruction, b->reconstruction);
  compare_images (a->coverage_plane, b->coverage_plane);
  g_assert_cmpmem (a->pattern->points, a->pattern->n_points * sizeof *a->pattern->points,
                   b->pattern->points, b->pattern->n_points * sizeof *b->pattern->points);
  compare_texts (dup_metrics (a), dup_metrics (b));
  g_assert_cmpuint (a->frames->n_moments, ==, b->frames->n_moments);
}

TEST_FIXTURE (round_trip, "/engine/run-file/round-trip")
{
  Run run;

  begin (&run, 40);
  save (&run, self->path);
  g_autoptr (PrismSnapshot) snapshot = publish (&run);
  g_autoptr (PrismRun) read = MUST (prism_run_file_load (self->path, &error));
  g_assert_null (read->notice);
  g_assert_cmpstr (read->identity->id, ==, identity->id);
  g_assert_cmpstr (read->identity->parent, ==, "parent.prismrun");
  g_assert_cmpstr (read->state_name, ==, "running");
  g_assert_cmpint (read->snapshot->state, ==, PRISM_STATE_PAUSED);
  compare_snapshots (snapshot, read->snapshot);
  run_close (&run);
  run_open (&run, read->snapshot->config, read->snapshot->pattern, 1);
  g_assert_true (MUST (prism_trainer_restore (run.trainer, read->state, read->snapshot, &error)));
  g_autoptr (PrismSnapshot) again = publish (&run);
  g_assert_cmpuint (snapshot->cache.misses, >, 0);
  g_assert_cmpuint (again->cache.pass_misses, ==, snapshot->cache.pass_misses);
  g_assert_cmpuint (again->cache.hits, ==, snapshot->cache.hits);
  g_assert_cmpuint (again->cache.misses, ==, snapshot->cache.misses);
  run_close (&run);
}

/* What the object does not show of its file is known as long as the object. */
TEST_FIXTURE (origin, "/engine/run-file/origin")
{
  g_auto (Run) run;

  begin (&run, 3);
  save (&run, self->path);
  g_autoptr (PrismArchive) archive = prism_archive_open (self->path, NULL);
  g_assert_false (prism_archive_has (archive, "object.json"));
  run.object->origin = (PrismImageOrigin) { .n_pixels = 9, .n_unknown = 4, .n_pages = 5 };
  save (&run, self->path);
  g_autoptr (PrismRun) read = MUST (prism_run_file_load (self->path, &error));
  SAYS (prism_snapshot_dup_object_notice (read->snapshot),
        "4 of 9 pixels are not numbers; they were taken as the darkest value. "
        "Page 1 of 5 was taken.");
}

/* A file that asks for another decoder than it holds is at fault, not the memory or the device. */
TEST_FIXTURE (other_decoder, "/engine/run-file/other-decoder")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRunPlace) place = prism_run_place_new (self->path, NULL, &error);
  g_auto (Run) run;

  begin (&run, 3);
  g_autoptr (PrismBundle) state = MUST (prism_trainer_dup_state (run.trainer, &error));
  g_autoptr (PrismSnapshot) snapshot = publish (&run);
  g_free (snapshot->config->channels);
  snapshot->config->channels = g_strdup ("4096,4096,4096,1");
  g_assert_true (prism_run_file_save (place, snapshot, state, identity, &error));
  FAILS (prism_run_file_load (self->path, &error), FORMAT, "weights.npy");
}

static guint
count_states (const char *path)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (path, NULL);
  const char *const *names = prism_archive_get_names (archive);
  guint n = 0;

  for (gsize i = 0; names[i] != NULL; i++)
    n += g_str_has_suffix (names[i], "/snapshot.json");
  return n;
}

/* More rows than a history keeps in memory. */
TEST_FIXTURE (long_run, "/engine/run-file/long")
{
  g_auto (Run) run;

  begin (&run, 20);
  g_autoptr (PrismSnapshot) snapshot = publish (&run);
  for (guint64 i = snapshot->n_rows; i < 100000; i++)
    {
      PrismHistoryRow row = prism_history_get_row (snapshot->history, i - 1);

      row.step++;
      row.loss_new *= 0.9999;
      g_assert_true (prism_history_append (snapshot->history, &row));
    }
  g_clear_pointer (&snapshot, prism_snapshot_unref);
  snapshot = publish (&run);
  g_assert_cmpuint (snapshot->n_rows, ==, 100000);
  g_assert_cmpuint (prism_history_get_n_moved (snapshot->history), >, 0);
  save (&run, self->path);
  g_autoptr (PrismRun) read = MUST (prism_run_file_load (self->path, &error));
  g_assert_cmpuint (read->snapshot->n_rows, ==, 100000);
  g_assert_cmpuint (prism_history_get_n_moved (read->snapshot->history), >, 0);
  compare_texts (dup_metrics (snapshot), dup_metrics (read->snapshot));
}

TEST_FIXTURE (last_three, "/engine/run-file/last-three")
{
  g_auto (Run) run;

  begin (&run, 10);
  for (guint i = 1; i <= 5; i++)
    {
      advance (&run, 3);
      save (&run, self->path);
      g_assert_cmpuint (count_states (self->path), ==, MIN (i, 3));
    }
  g_clear_pointer (&identity, prism_run_identity_free);
  identity = prism_run_identity_new (NULL);
  save (&run, self->path);
  g_assert_cmpuint (count_states (self->path), ==, 1);
}

/* Writes the file again with one part that is another. */
static void
replace_part (const char *path, const char *name, const char *text)
{
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (path, &error));
  const char *const *names;

  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (path, &error));
  names = prism_archive_get_names (archive);
  for (gsize i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], name) != 0)
      prism_archive_writer_copy (writer, archive, names[i], names[i]);
  if (text != NULL)
    prism_archive_writer_add_text (writer, name, text);
  g_assert_true (MUST (prism_archive_writer_finish (writer, &error)));
}

/* Takes up a run, over or under way, of which an older version has written one part. */
static gboolean
take_up_former (Fixture *fixture,
                gboolean is_over,
                const char *part,
                const char *text,
                PrismPhase *phase,
                GError **error)
{
  Run run;

  begin (&run, 20);
  while (is_over && step (&run))
    ;
  save (&run, fixture->path);
  run_close (&run);
  replace_part (fixture->path, part, text);
  g_autoptr (PrismRun) read = prism_run_file_load (fixture->path, error);
  g_assert_no_error (*error);
  g_assert_nonnull (read->snapshot->reconstruction);
  run_open (&run, read->snapshot->config, read->snapshot->pattern, 1);
  gboolean goes_on = prism_trainer_restore (run.trainer, read->state, read->snapshot, error);
  *phase = run.trainer->now.phase;
  run_close (&run);
  return goes_on;
}

/* Of a run that another method had under way: it has its pictures, and says why it cannot go on. */
TEST_FIXTURE (former_method, "/engine/run-file/former-method")
{
  PrismPhase phase;

  FAILS (take_up_former (self, FALSE, "snapshots/1/method.txt", NULL, &phase, &error), FORMAT,
         "An older version");
}

/* What is over can be had again, whatever a live picture was once. */
TEST_FIXTURE (former_live_picture, "/engine/run-file/former-live-picture")
{
  PrismPhase phase;

  MUST (take_up_former (self, TRUE, "snapshots/1/consistency.json", "{\"challenged\": true}",
                        &phase,
                        &error));
  g_assert_cmpint (phase, ==, PRISM_PHASE_DONE);
}

TEST_FIXTURE (damaged_state, "/engine/run-file/damaged-state")
{
  g_auto (Run) run;

  begin (&run, 20);
  save (&run, self->path);
  advance (&run, 9);
  save (&run, self->path);
  replace_part (self->path, "snapshots/2/weights.npy", "damaged");
  g_autoptr (PrismRun) read = MUST (prism_run_file_load (self->path, &error));
  guint64 before = read->snapshot->step;
  g_assert_cmpuint (before, ==, 20);
  g_assert_cmpuint (read->snapshot->n_rows, ==, 20);
  HAS (read->notice, "snapshots/2/weights.npy", "of step 20");

  replace_part (self->path, "snapshots/1/snapshot.json", "{}");
  FAILS (prism_run_file_load (self->path, &error), FORMAT, "no state that is whole");
}

TEST_FIXTURE (refused, "/engine/run-file/refused")
{
  static const struct
  {
    const char *member, *text;
    const char *message;
  } cases[] = {
    { "run.json", "{\"format\": 3, \"program\": \"PRISM 9\"}", "newer version, PRISM 9" },
    { "run.json", "{\"format\": 1}", "which run this is" },
    { "run.json", "[]", "“run.json” cannot be used" },
    { "run.json", NULL, "run.json" },
    { "object.npy", "x", "object.npy" },
    { "metrics.csv", "step\n", "metrics.csv" },
    { "pattern.csv", "y,x,angle\n0,0,0\n1e9,0,0\n0,0,0\n0,0,0\n0,0,0\n0,0,0\n",
      "pattern.csv" },
    { "snapshots/1/config.prism", "[prism]\nimage_size=7\n", "image_size" },
    { "snapshots/1/image.npy", "x", "snapshots/1/image.npy" },
  };
  g_auto (Run) run;

  begin (&run, 20);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_unlink (self->path);
      save (&run, self->path);
      replace_part (self->path, cases[i].member, cases[i].text);
      g_assert_null (prism_run_file_load (self->path, &error));
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      HAS (error->message, cases[i].message);
    }
}

/* Moments are a luxury: a run goes on without them. */
TEST_FIXTURE (damaged_past, "/engine/run-file/damaged-past")
{
  g_auto (Run) run;

  begin (&run, 30);
  save (&run, self->path);
  replace_part (self->path, "frames/00000.npy", "x");
  g_autoptr (PrismRun) read = MUST (prism_run_file_load (self->path, &error));
  g_assert_null (read->snapshot->frames);
  HAS (read->notice, "frames/00000.npy");
}

/* Replaces a field of the last line of the table of moments. */
static void
replace_field (const char *path, guint field, const char *value)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (path, NULL);
  g_autofree char *index = prism_archive_load_text (archive, "frames/index.csv", NULL);
  g_auto (GStrv) lines = g_strsplit (index, "\n", -1);
  char **last = &lines[g_strv_length (lines) - 2];
  g_auto (GStrv) fields = g_strsplit (*last, ",", -1);

  g_free (fields[field]);
  fields[field] = g_strdup (value);
  g_free (*last);
  *last = g_strjoinv (",", fields);
  g_autofree char *text = g_strjoinv ("\n", lines);
  replace_part (path, "frames/index.csv", text);
}

/* Moments with rows that the state has not are later than it; those of other samples or settings
 * are not of this run. */
TEST_FIXTURE (past_of_another, "/engine/run-file/past-of-another")
{
  static const guint fields[] = { 5, 8 };
  g_autoptr (PrismConfig) other = make_small_config ();
  g_auto (Run) run;

  begin (&run, 30);
  save (&run, self->path);
  PrismRun *first = prism_run_file_load (self->path, NULL);
  replace_field (self->path, 3, "1000000");
  g_autoptr (PrismRun) read = prism_run_file_load (self->path, NULL);
  g_assert_cmpuint (first->snapshot->frames->n_moments, >, 1);
  g_assert_cmpuint (read->snapshot->frames->n_moments, ==, first->snapshot->frames->n_moments - 1);
  prism_run_free (first);
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      save (&run, self->path);
      replace_field (self->path, fields[i], "9");
      g_autoptr (PrismRun) spoilt = prism_run_file_load (self->path, NULL);
      g_assert_null (spoilt->snapshot->frames);
      HAS (spoilt->notice, "more positions");
    }
  save (&run, self->path);
  other->image_size = 128;
  g_autofree char *settings = prism_config_to_text (other);
  replace_part (self->path, "frames/settings-0.prism", settings);
  first = prism_run_file_load (self->path, NULL);
  g_assert_null (first->snapshot->frames);
  HAS (first->notice, "is not of this run: ");
  prism_run_free (first);
}

/* What the documentation says about Python. */
TEST_FIXTURE (python, "/engine/run-file/python")
{
  static const char script[]
      = "import io, json, sys, zipfile\n"
        "import numpy\n"
        "z = zipfile.ZipFile(sys.argv[1])\n"
        "assert z.testzip() is None\n"
        "run = json.loads(z.read('run.json'))\n"
        "assert run['format'] == 1\n"
        "names = [n for n in z.namelist() if n.endswith('.npy')]\n"
        "arrays = {n: numpy.load(io.BytesIO(z.read(n))) for n in names}\n"
        "assert arrays['object.npy'].shape == (16, 16)\n"
        "assert arrays['snapshots/1/weights.npy'].ndim == 1\n"
        "assert arrays['snapshots/1/image.npy'].dtype == numpy.float32\n"
        "json.loads(z.read('snapshots/1/progress.json'))\n"
        "assert len(z.read('metrics.csv').splitlines()) == 1 + run['step']\n";
  const char *command[] = { test_find_python ("numpy"), "-c", script, self->path, NULL };
  int status = -1;
  Run run;

  if (command[0] == NULL)
    {
      g_test_skip ("Python has no NumPy here (Debian: python3-numpy).");
      return;
    }
  begin (&run, 30);
  save (&run, self->path);
  run_close (&run);
  g_assert_true (g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                               NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
}
