#include "history/prism-frames.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#define SIZE 6
#define HEADER                                                                                  \
  "kind,phase,step,n_rows,n_visits,sample,sample_step,pass,n_visited,misfit,seconds,psnr,ssim," \
  "rmse,settings,array,unseen\n"

FOLDER_FIXTURE ("x.prismrun")

static PrismMoment *
make_moment (guint i, PrismMomentSettings *settings)
{
  g_autoptr (PrismImage) image = prism_image_new (SIZE, SIZE, NULL);

  for (guint k = 0; k < SIZE * SIZE; k++)
    image->pixels[k] = (float) (i + k / 7.0);
  PrismMoment *moment = prism_moment_new (image, settings);
  moment->kind = i % 2 == 0 ? PRISM_MOMENT_STEP : PRISM_MOMENT_END;
  moment->phase = i == 0 ? PRISM_PHASE_START : PRISM_PHASE_SAMPLES;
  moment->step = 10 * i + 1;
  moment->n_rows = 10 * i + 2;
  moment->n_visits = i / 2;
  moment->sample = moment->n_visited = i;
  moment->sample_step = 3 * i;
  moment->pass = i / 4;
  moment->seconds = i / 3.0;
  moment->metrics = (PrismMetrics) { { 20.0 + (i == 2 ? 0.1 : 0.01 * i), NAN, 1.0 / 3.0 } };
  return moment;
}

/* Five moments, the last two of which have other settings. */
static PrismFrames *
make_frames (void)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (PrismMomentSettings) first = prism_moment_settings_new (config, 0);
  PrismMoment *moments[5];

  config->learning_rate = 0.1 / 3.0;
  g_autoptr (PrismMomentSettings) second = prism_moment_settings_new (config, 1);
  for (guint i = 0; i < 5; i++)
    moments[i] = make_moment (i, i < 3 ? first : second);
  PrismFrames *frames = prism_frames_new (moments, 5);
  for (guint i = 0; i < 5; i++)
    prism_moment_unref (moments[i]);
  frames->spacing = 20;
  frames->end_spacing = 2;
  return frames;
}

TEST (find, "/engine/frames/find")
{
  g_autoptr (PrismFrames) frames = make_frames ();

  g_assert_cmpint (frames->best, ==, 2);
  g_assert_cmpint (prism_frames_find (frames, 0), ==, 0);
  g_assert_cmpint (prism_frames_find (frames, 1), ==, 0);
  g_assert_cmpint (prism_frames_find (frames, 6), ==, 0);
  g_assert_cmpint (prism_frames_find (frames, 6.4), ==, 1);
  g_assert_cmpint (prism_frames_find (frames, 7), ==, 1);
  g_assert_cmpint (prism_frames_find (frames, 31), ==, 3);
  g_assert_cmpint (prism_frames_find (frames, 1000), ==, 4);
}

static void
save (const PrismFrames *frames, const char *path, const char *index)
{
  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (path, &error));

  if (frames != NULL)
    prism_frames_save_members (frames, writer);
  if (index != NULL)
    prism_archive_writer_add_text (writer, "frames/index.csv", index);
  MUST (prism_archive_writer_finish (writer, &error));
}

static PrismFrames *
load (const char *path, int size, GError **error)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (path, error);

  g_assert_nonnull (archive);
  return prism_frames_load_members (archive, size, error);
}

static void
assert_same (const PrismMoment *a, const PrismMoment *b)
{
  g_assert_cmpint (a->kind, ==, b->kind);
  g_assert_cmpint (a->phase, ==, b->phase);
  g_assert_cmpuint (a->step, ==, b->step);
  g_assert_cmpuint (a->n_rows, ==, b->n_rows);
  g_assert_cmpuint (a->n_visits, ==, b->n_visits);
  g_assert_cmpuint (a->sample, ==, b->sample);
  g_assert_cmpuint (a->sample_step, ==, b->sample_step);
  g_assert_cmpuint (a->pass, ==, b->pass);
  g_assert_cmpuint (a->n_visited, ==, b->n_visited);
  g_assert_cmpfloat (a->seconds, ==, b->seconds);
  g_assert_true (isnan (a->misfit) && isnan (a->metrics.ssim));
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    g_assert_cmpfloat (isnan (a->metrics.values[i]) ? -1.0 : a->metrics.values[i], ==,
                       isnan (b->metrics.values[i]) ? -1.0 : b->metrics.values[i]);
  g_assert_cmpmem (a->image->pixels, SIZE * SIZE * sizeof (float), b->image->pixels,
                   SIZE * SIZE * sizeof (float));
  g_assert_true (prism_config_equal (a->settings->config, b->settings->config));
}

TEST_FIXTURE (file, "/engine/frames/file")
{
  g_autoptr (PrismFrames) frames = make_frames ();

  save (frames, self->path, NULL);
  g_autoptr (PrismFrames) loaded = MUST (load (self->path, SIZE, &error));
  g_assert_cmpuint (loaded->n_moments, ==, 5);
  g_assert_cmpuint (loaded->spacing, ==, 20);
  g_assert_cmpuint (loaded->end_spacing, ==, 2);
  g_assert_cmpint (loaded->best, ==, 2);
  for (guint i = 0; i < 5; i++)
    assert_same (loaded->moments[i], frames->moments[i]);
  g_assert_true (loaded->moments[0]->settings == loaded->moments[2]->settings);
  g_assert_true (loaded->moments[2]->settings != loaded->moments[3]->settings);

  save (NULL, self->path, NULL);
  g_autoptr (PrismFrames) none = MUST (load (self->path, SIZE, &error));
  g_assert_cmpuint (none->n_moments, ==, 0);
}

/* As older versions wrote it. */
static PrismFrames *
load_older (const char *path, const char *header, const char *const *lines, guint n)
{
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, NULL);
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autofree char *settings = prism_config_to_text (config);
  g_autoptr (GString) index = g_string_new (NULL);
  float pixels[SIZE * SIZE] = { 0.5f };

  g_string_append_printf (index, "%u,10,1\n%s", n, header);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("frames/%05u.npy", i);

      prism_archive_writer_add_array (writer, name, pixels, 2, (const gsize[]) { SIZE, SIZE });
      g_string_append_printf (index, "%s\n", lines[i]);
    }
  prism_archive_writer_add_text (writer, "frames/settings-0.prism", settings);
  prism_archive_writer_add_text (writer, "frames/index.csv", index->str);
  g_assert_true (prism_archive_writer_finish (writer, NULL));
  PrismFrames *frames = load (path, SIZE, NULL);
  g_assert_nonnull (frames);
  return frames;
}

/* Neighbours that show the same picture have one array, in memory and in the file. */
TEST_FIXTURE (shared_pictures, "/engine/frames/shared-pictures")
{
  g_autoptr (PrismFrames) distinct = make_frames ();

  for (guint i = 2; i < 4; i++)
    {
      prism_image_unref (distinct->moments[i]->image);
      distinct->moments[i]->image = prism_image_ref (distinct->moments[1]->image);
    }
  g_autoptr (PrismFrames) frames = prism_frames_new (distinct->moments, 5);
  g_assert_cmpuint (frames->bytes, ==, 3 * SIZE * SIZE * sizeof (float));
  save (frames, self->path, NULL);
  g_autoptr (PrismArchive) archive = prism_archive_open (self->path, NULL);
  g_assert_true (prism_archive_has (archive, "frames/00001.npy"));
  g_assert_false (prism_archive_has (archive, "frames/00002.npy"));
  g_assert_false (prism_archive_has (archive, "frames/00003.npy"));
  g_assert_true (prism_archive_has (archive, "frames/00004.npy"));
  g_autoptr (PrismFrames) loaded = load (self->path, SIZE, NULL);
  g_assert_cmpuint (loaded->bytes, ==, frames->bytes);
  for (guint i = 0; i < 5; i++)
    assert_same (loaded->moments[i], frames->moments[i]);
  g_assert_true (loaded->moments[1]->image == loaded->moments[3]->image);
}

/* Programs of before knew fewer metrics. */
TEST_FIXTURE (fewer_metrics, "/engine/frames/fewer-metrics")
{
  static const char *const lines[] = { "0,2,1,1,0,0,1,0,0,nan,0.1,20,0.5,nan,0,0,1" };
  g_autoptr (PrismFrames) frames = load_older (self->path, HEADER, lines, 1);
  const PrismMetrics *metrics = &frames->moments[0]->metrics;

  g_assert_cmpfloat (metrics->psnr, ==, 20.0);
  g_assert_cmpfloat (metrics->ssim, ==, 0.5);
  for (gsize i = PRISM_METRICS_INDEX (rmse); i < PRISM_N_METRICS; i++)
    g_assert_true (isnan (metrics->values[i]));
}

TEST_FIXTURE (damaged_file, "/engine/frames/damaged-file")
{
  static const char *const indexes[] = {
    "",
    "x",
    "1,10,1\n",
    "1,0,1\nwrong header\n",
    "99999999,10,1\n",
    "-1,10,1\n",
    "1,10,1\n" HEADER "0,1,1,1,0,0,0,0,0,nan,0,1,1,1,0,1,0\n",
    "1,10,1\n" HEADER "0,1,1,1,0,0,0,0,0,nan,0,1,1,1,0,0,2\n",
    "1,10,1\n" HEADER "0,1,1,1,0,0,0,0,0,nan,0,1,1,1,0\n",
  };
  g_autoptr (PrismFrames) frames = make_frames ();

  for (gsize i = 0; i < G_N_ELEMENTS (indexes); i++)
    {
      save (NULL, self->path, indexes[i]);
      FAILS (load (self->path, SIZE, &error), FORMAT, "");
    }
  save (frames, self->path, NULL);
  for (int size = SIZE - 1; size <= SIZE + 1; size += 2)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (load (self->path, size, &error));
      g_assert_nonnull (error);
    }
}
