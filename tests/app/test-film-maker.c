#include "output/prism-figure-dialog.h"
#include "prism-test.h"
#include "../engine/support/test-remove-tree.h"

#define SIZE 16
#define N_MOMENTS 12

typedef struct
{
  GMainLoop *loop;
  GError *error;
  char *path;
  GCancellable *cancellable; /* (nullable): cancelled at the first sign of progress */
} Outcome;

static PrismSnapshot *
make_snapshot (void)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();
  PrismMoment *moments[N_MOMENTS];

  snapshot->config = prism_config_new ();
  g_autoptr (PrismMomentSettings) settings = prism_moment_settings_new (snapshot->config, 0);
  for (guint i = 0; i < N_MOMENTS; i++)
    {
      g_autoptr (PrismImage) image = prism_image_new (SIZE, SIZE, NULL);

      for (guint k = 0; k < SIZE * SIZE; k++)
        image->pixels[k] = (float) k / (SIZE * SIZE);
      moments[i] = prism_moment_new (image, settings);
      moments[i]->step = i + 1;
    }
  snapshot->frames = prism_frames_new (moments, N_MOMENTS);
  snapshot->target = prism_image_ref (moments[0]->image);
  for (guint i = 0; i < N_MOMENTS; i++)
    prism_moment_unref (moments[i]);
  return snapshot;
}

static void
on_progress (double fraction,
             gpointer data)
{
  g_assert_cmpfloat (fraction, >=, 0.0);
  g_assert_cmpfloat (fraction, <=, 1.0);
}

static void
on_saved (const char *path,
          const GError *error,
          gpointer data)
{
  Outcome *outcome = data;

  outcome->path = g_strdup (path);
  outcome->error = error != NULL ? g_error_copy (error) : NULL;
  g_main_loop_quit (outcome->loop);
}

static void
save (Outcome *outcome,
      const char *path,
      const PrismFilmOptions *options)
{
  g_autoptr (PrismSnapshot) snapshot = make_snapshot ();

  outcome->loop = g_main_loop_new (NULL, FALSE);
  prism_film_maker_save (snapshot, path, options, outcome->cancellable, on_progress, on_saved,
                         outcome);
  g_main_loop_run (outcome->loop);
  g_main_loop_unref (outcome->loop);
}

TEST (save, "/app/film-maker/save")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "x.png", NULL);

  for (int content = PRISM_FILM_RECONSTRUCTION; content <= PRISM_FILM_PANELS; content++)
    {
      Outcome outcome = { 0 };
      PrismFilmOptions options;

      prism_film_options_init (&options);
      options.content = (PrismFilmContent) content;
      options.scale = 2;
      save (&outcome, path, &options);
      g_assert_no_error (outcome.error);
      g_assert_cmpstr (outcome.path, ==, path);
      g_autoptr (PrismImage) first = prism_image_load (path, NULL);
      g_assert_cmpint (first->height, ==, content == PRISM_FILM_PANELS ? 552 : 2 * SIZE);
      if (content == PRISM_FILM_RECONSTRUCTION)
        for (int i = 0; i < 4 * SIZE * SIZE; i++)
          {
            int y = i / (2 * SIZE) / 2, x = i % (2 * SIZE) / 2;

            g_assert_cmpfloat_with_epsilon (first->pixels[i],
                                            (y * SIZE + x) / (float) (SIZE * SIZE), 0.003f);
          }
      g_free (outcome.path);
      g_unlink (path);
    }
}

TEST (cancel, "/app/film-maker/cancel")
{
  g_autofree char *directory = g_dir_make_tmp ("prism-film-XXXXXX", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Outcome outcome = { .cancellable = cancellable };
  PrismFilmOptions options;

  prism_film_options_init (&options);
  g_cancellable_cancel (cancellable);
  save (&outcome, in_folder (directory, "x.gif"), &options);
  g_assert_error (outcome.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&outcome.error);
  g_free (outcome.path);
  g_assert_cmpint (g_rmdir (directory), ==, 0); /* so nothing was left */
}

TEST (dialog, "/app/film-maker/dialog")
{
  PrismFilmDialog *dialog = g_object_new (PRISM_TYPE_FILM_DIALOG, "transient-for", NULL, NULL);
  PrismFilmOptions options;

  prism_film_dialog_get_options (dialog, &options);
  g_assert_cmpint (options.content, ==, PRISM_FILM_RECONSTRUCTION);
  g_assert_cmpint (options.scale, ==, 1);
  g_assert_cmpint (options.rate, ==, 15);
  g_assert_true (options.loop);
  g_assert_cmpint (prism_film_dialog_get_kind (dialog), ==, PRISM_ANIMATION_APNG);
  gtk_window_destroy (GTK_WINDOW (dialog));
}
