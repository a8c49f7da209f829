#include "../engine/support/test-remove-tree.h"
#include "compare/prism-tiles-parts.h"
#include "compare/prism-tiles-window.h"
#include "prism-test.h"
#include "widget-test.h"

#define SIZE 56

static char *folder; /* of the user's data */

static char *
write_picture (void)
{
  char *path = g_build_filename (folder, "scene.npy", NULL);
  float pixels[SIZE * SIZE];

  for (int i = 0; i < SIZE * SIZE; i++)
    pixels[i] = (float) (0.5 + 0.4 * sin (0.3 * (i % SIZE)) * cos (0.2 * (i / SIZE)));
  g_assert_true (prism_npy_save (path, pixels, 2, (const gsize[]) { SIZE, SIZE }, NULL));
  return path;
}

static PrismConfig *
new_config (void)
{
  PrismConfig *config = widget_test_new_config ();

  config->aperture_radius = 8;
  config->tile = 32;
  return config;
}

static GtkWidget *
open_window (const char *picture)
{
  g_autoptr (PrismConfig) config = new_config ();
  GtkWidget *window = prism_tiles_window_new (config);
  if (picture != NULL)
    prism_tiles_window_set_picture (PRISM_TILES_WINDOW (window), picture);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static gboolean
tells_time (gpointer window)
{
  GtkWidget *label = widget_test_find_part (window, "4 tiles of 32 px");
  const char *text = label != NULL ? gtk_label_get_text (GTK_LABEL (label)) : "";

  return g_regex_match_simple (" at a time, .*[0-9] s", text, 0, 0);
}

/* What the tiles will take is told before they run, and anew when their size changes. */
TEST (time, "/app/tiles-window/time")
{
  g_autofree char *picture = write_picture ();
  g_autoptr (ShownWindow) window = open_window (picture);

  /* There is nothing to click yet. */
  g_assert_null (widget_test_find_part (window, "Click a tile"));
  g_assert_false (gtk_widget_get_child_visible (widget_test_find (window, PRISM_TYPE_TILE_CANVAS)));
  WAIT_FOR (tells_time (window));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (widget_test_find (window, GTK_TYPE_SPIN_BUTTON)), 56);
  g_assert_null (widget_test_find_part (window, "4 tiles of 32 px"));
  WAIT_FOR (widget_test_find_part (window, "1 tile of 56 px, ") != NULL);
  /* What cannot be cut is told by Run alone, and what a closed window waits for is dropped. */
  prism_tiles_window_set_picture (PRISM_TILES_WINDOW (window), "/nowhere.png");
  g_assert_null (widget_test_find_part (window, "1 tile of 56 px, "));
}

/* Leaves a program in the place of prism-cli that goes on for longer than anybody waits; what is
 * returned is the one before. */
static char *
take_slow_program (void)
{
  char *before = g_strdup (g_getenv ("PRISM_CLI"));
  g_autofree char *path = g_build_filename (folder, "slow", NULL);

  g_assert_true (g_file_set_contents (path, "#!/bin/sh\nexec sleep 100\n", -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  g_setenv ("PRISM_CLI", path, TRUE);
  return before;
}

static void
give_back (char *program)
{
  g_setenv ("PRISM_CLI", program, TRUE);
  g_free (program);
}

/* How many they are is told while the run that tells the time is at work. */
TEST (count, "/app/tiles-window/count")
{
  g_autofree char *picture = write_picture ();
  char *program = take_slow_program ();
  GtkWidget *window = open_window (picture);

  WAIT_FOR (widget_test_find_part (window, "4 tiles of 32 px") != NULL);
  g_assert_false (tells_time (window));
  gtk_window_destroy (GTK_WINDOW (window));
  give_back (program);
}

static gboolean
is_idle (gpointer window)
{
  return !gtk_widget_get_visible (widget_test_find (window, GTK_TYPE_PROGRESS_BAR));
}

static void
on_open_file (GtkWidget *window,
              const char *path,
              char **opened)
{
  g_free (*opened);
  *opened = g_strdup (path);
}

/* Neither nothing nor the grey of what is missing. */
static gboolean
shows_picture (GtkWidget *canvas)
{
  g_autoptr (cairo_surface_t) surface = widget_test_render (canvas);

  return widget_test_get_pixel (surface, cairo_image_surface_get_width (surface) / 2,
                                cairo_image_surface_get_height (surface) / 2)
             >> 24
         == 0xff;
}

/* Runs, is put together, tells of a tile and opens it; another window shows all again. */
static void
test_run (const void *data)
{
  const gboolean keeps = data != NULL;
  g_autofree char *picture = write_picture ();
  g_autofree char *opened = NULL, *directory = NULL, *result = NULL;
  GtkWidget *window = open_window (picture), *again;
  GtkWidget *canvas = widget_test_find (window, PRISM_TYPE_TILE_CANVAS);
  g_autoptr (GError) error = NULL;

  g_signal_connect (window, "open-file", G_CALLBACK (on_open_file), &opened);
  gtk_check_button_set_active (GTK_CHECK_BUTTON (widget_test_find (window, GTK_TYPE_CHECK_BUTTON)),
                               keeps);
  g_assert_true (gtk_widget_activate_action (window, "tiles.run", NULL));
  g_assert_false (is_idle (window));
  WAIT_FOR (is_idle (window));
  g_assert_nonnull (widget_test_find_part (window, "4 of 4 tiles"));
  g_assert_nonnull (widget_test_find_part (window, "PSNR of the picture"));
  prism_tile_canvas_select (PRISM_TILE_CANVAS (canvas), 3);
  g_assert_nonnull (widget_test_find_part (window, "Tile 3, row 2, column 2: PSNR"));
  WAIT_FOR (shows_picture (canvas));
  g_assert_true (gtk_widget_activate_action (window, "tiles.open-tile", NULL));
  g_assert_true (g_str_has_suffix (opened, keeps ? "tile-000003.prismrun" : "tile-000003.prism"));
  g_assert_true (g_file_test (opened, G_FILE_TEST_EXISTS));
  directory = g_path_get_dirname (opened);
  result = g_build_filename (directory, "picture.tif", NULL);
  g_assert_true (g_file_test (result, G_FILE_TEST_EXISTS));
  gtk_window_destroy (GTK_WINDOW (window));

  again = open_window (NULL);
  g_assert_true (prism_tiles_window_open (PRISM_TILES_WINDOW (again), directory, &error));
  g_assert_nonnull (widget_test_find_part (again, "4 of 4 tiles"));
  g_assert_true (gtk_widget_is_sensitive (widget_test_find_part (again, "Put together")));
  g_assert_false (prism_tiles_window_open (PRISM_TILES_WINDOW (again), folder, &error));
  HAS (error->message, "has no tiles");
  /* Everything is there: the run ends without computing anything. */
  g_assert_true (gtk_widget_activate_action (again, "tiles.run", NULL));
  WAIT_FOR (is_idle (again));
  g_assert_nonnull (widget_test_find_part (again, "4 of 4 tiles"));
  gtk_window_destroy (GTK_WINDOW (again));
}

/* A tile all of one grey, as its run would leave it. */
static void
leave_tile (const char *directory,
            guint tile,
            float grey)
{
  g_autofree char *path = prism_tile_plan_dup_path (directory, tile, "/reconstruction.npy");
  g_autofree char *parent = g_path_get_dirname (path);
  float pixels[32 * 32];

  for (gsize i = 0; i < G_N_ELEMENTS (pixels); i++)
    pixels[i] = grey;
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (prism_npy_save (path, pixels, 2, (const gsize[]) { 32, 32 }, NULL));
}

/* (nullable): at so many halvings. */
static cairo_surface_t *
make_picture (const PrismTilePlan *plan,
              const PrismTileTable *table,
              const char *directory,
              int level)
{
  PrismTilePictureSpec spec;

  prism_tile_picture_init (&spec, plan, table, directory, 0, level);
  cairo_surface_t *surface = prism_tile_picture_make (&spec, NULL);
  prism_tile_picture_clear (&spec);
  return surface;
}

static int
get_grey (const PrismTilePlan *plan,
          const PrismTileTable *table,
          const char *directory,
          int x)
{
  g_autoptr (cairo_surface_t) surface = make_picture (plan, table, directory, 0);

  g_assert_nonnull (surface);
  return widget_test_get_pixel (surface, x, 4) & 0xff;
}

/* Alone a tile is itself; a neighbour that comes is faded into over the overlap. */
TEST (fades, "/app/tiles-window/fades")
{
  g_autofree char *picture = write_picture ();
  g_autofree char *directory = g_build_filename (folder, "fades", NULL);
  g_autoptr (PrismConfig) config = new_config ();

  g_assert_true (prism_config_set_text (config, "object", picture, NULL));
  g_autoptr (PrismTilePlan) plan = prism_tile_plan_new (config, NULL);
  g_assert_cmpint (plan->n_columns, ==, 2);
  leave_tile (directory, 0, 0.2f);
  leave_tile (directory, 1, 0.8f);
  g_autoptr (PrismTileTable) table = prism_tile_table_load (plan, directory, NULL);
  table->states[0] = PRISM_TILE_FINISHED;
  g_assert_cmpint (get_grey (plan, table, directory, 30), ==, 51);
  table->states[1] = PRISM_TILE_FINISHED;
  g_assert_cmpint (get_grey (plan, table, directory, 23), ==, 51);
  /* The overlap is of the pixels 24 to 31: half of each between 27 and 28. */
  g_assert_cmpint (get_grey (plan, table, directory, 27) + get_grey (plan, table, directory, 28),
                   ==, 255);
  g_assert_cmpint (get_grey (plan, table, directory, 31), >, 200);
}

/* Of a smaller picture a pixel is the mean of those that it stands for, also where only some rows
 * are read. */
TEST (levels, "/app/tiles-window/levels")
{
  g_autofree char *picture = write_picture ();
  g_autofree char *directory = g_build_filename (folder, "levels", NULL);
  g_autofree char *path = prism_tile_plan_dup_path (directory, 0, "/reconstruction.npy");
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (PrismConfig) config = new_config ();
  float pixels[32 * 32];

  g_assert_true (prism_config_set_text (config, "object", picture, NULL));
  g_autoptr (PrismTilePlan) plan = prism_tile_plan_new (config, NULL);
  for (int i = 0; i < 32 * 32; i++)
    pixels[i] = (float) (i % 32) / 64.0f + (float) (i / 32) / 64.0f;
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (prism_npy_save (path, pixels, 2, (const gsize[]) { 32, 32 }, NULL));
  g_autoptr (PrismTileTable) table = prism_tile_table_load (plan, directory, NULL);
  for (int level = 0; level <= 5; level++)
    {
      const int step = 1 << level;
      g_autoptr (cairo_surface_t) surface = make_picture (plan, table, directory, level);

      g_assert_nonnull (surface);
      g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 32 / step);
      /* The middle of the last square. */
      double expected = 255.0 * 2.0 * (31.0 - (step - 1) / 2.0) / 64.0;
      g_assert_cmpfloat_with_epsilon (
          widget_test_get_pixel (surface, 32 / step - 1, 32 / step - 1) & 0xff, expected, 1.0);
    }
  g_assert_cmpint (g_unlink (path), ==, 0);
  for (int level = 0; level <= 3; level += 3)
    g_assert_null (make_picture (plan, table, directory, level));
}

/* A built-in object has the name that people read, but is no picture; what is under way ends with
 * the window. */
TEST (problems, "/app/tiles-window/problems")
{
  g_autofree char *picture = write_picture ();
  g_autoptr (ShownWindow) window = open_window (NULL);

  g_assert_null (widget_test_find_part (window, "moon"));
  g_assert_nonnull (widget_test_find_part (window, "Moon"));
  g_assert_true (gtk_widget_activate_action (window, "tiles.run", NULL));
  WAIT_FOR (is_idle (window) && widget_test_find_part (window, "from a picture in a file") != NULL);
  prism_tiles_window_set_picture (PRISM_TILES_WINDOW (window), picture);
  g_assert_null (widget_test_find_part (window, "from a picture in a file"));
  g_assert_true (gtk_widget_activate_action (window, "tiles.run", NULL));
}

static gboolean
tells_stopping (gpointer window)
{
  GtkProgressBar *bar = GTK_PROGRESS_BAR (widget_test_find (window, GTK_TYPE_PROGRESS_BAR));
  const char *text = gtk_progress_bar_get_text (bar);

  return text != NULL && g_str_has_prefix (text, "Stopping");
}

/* It is said at once, it is no problem, and there is no picture of no tiles. */
TEST (stop, "/app/tiles-window/stop")
{
  g_autofree char *picture = write_picture ();
  char *program = take_slow_program ();
  GtkWidget *window = open_window (picture);

  g_assert_true (gtk_widget_activate_action (window, "tiles.run", NULL));
  WAIT_FOR (widget_test_find_part (window, "0 of 4 tiles") != NULL);
  gtk_widget_activate_action (window, "tiles.stop", NULL);
  g_assert_true (tells_stopping (window));
  WAIT_FOR (is_idle (window));
  g_assert_null (widget_test_find_part (window, "Stopped."));
  g_assert_null (widget_test_find_part (window, "put together"));
  g_assert_false (gtk_widget_is_sensitive (widget_test_find_part (window, "Put together")));
  gtk_window_destroy (GTK_WINDOW (window));
  give_back (program);
}

int
main (int argc,
      char *argv[])
{
  folder = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  widget_test_init (&argc, &argv);
  adw_init ();
  g_test_add_data_func ("/app/tiles-window/run/anew", NULL, test_run);
  g_test_add_data_func ("/app/tiles-window/run/kept", "kept", test_run);
  int code = prism_test_run ();
  test_remove_tree (folder);
  g_free (folder);
  return code;
}
