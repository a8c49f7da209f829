#include "config.h"

#include "../support/test-remove-tree.h"
#include "batch/prism-batch-cost.h"

#include <glib/gstdio.h>

/* It works a little and leaves what it was told. */
#define SCRIPT                                         \
  "#!/bin/sh\n"                                        \
  "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done\n" \
  "cp \"$5\" '%s/seen.prism'\n"                        \
  "printf %%s \"$XDG_CACHE_HOME\" >'%s/cache'\n"       \
  "mkdir -p \"$7/deeper\"; echo x >\"$7/deeper/file\"\n"

static char *
new_program (const char *folder)
{
  char *path = g_build_filename (folder, "program", NULL);
  g_autofree char *text = g_strdup_printf (SCRIPT, folder, folder);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  return path;
}

/* The run is a small one, what it teaches is forgotten, and nothing is left. */
static void
test_start (void)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-cost-XXXXXX", NULL);
  g_autofree char *program = new_program (folder);
  g_autofree char *seen = g_build_filename (folder, "seen.prism", NULL);
  g_autofree char *noted = g_build_filename (folder, "cache", NULL);
  g_autofree char *cache = NULL;
  g_autoptr (PrismConfig) config = prism_config_new (), least = NULL;

  config->steps = 500;
  config->image_size = 256;
  config->object_size = 64;
  g_assert_cmpfloat (prism_batch_cost_get_start (program, config), >, 0.0);
  least = prism_config_load (seen, NULL);
  g_assert_nonnull (least);
  g_assert_cmpint (least->samples, ==, 1);
  g_assert_cmpint (least->steps, ==, 1);
  g_assert_cmpint (least->image_size, ==, 256);
  g_assert_true (g_file_get_contents (noted, &cache, NULL, NULL));
  g_assert_true (g_path_is_absolute (cache));
  g_assert_cmpstr (cache, !=, g_get_user_cache_dir ());
  g_assert_false (g_file_test (cache, G_FILE_TEST_EXISTS));
  test_remove_tree (folder);
}

static void
test_nothing (void)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  g_assert_cmpfloat (prism_batch_cost_get_start ("/nonexistent/program", config), ==, 0.0);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/batch-cost/start", test_start);
  g_test_add_func ("/engine/batch-cost/nothing", test_nothing);
  return g_test_run ();
}
