#include "../support/test-remove-tree.h"
#include "batch/prism-batch-cost.h"
#include "../support/test-config.h"

#include <sys/prctl.h>
#include <sys/wait.h>

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
TEST (start, "/engine/batch-cost/start")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *program = new_program (folder);
  g_autoptr (PrismConfig) config = prism_config_new (), least = NULL;

  test_config_set (config, "steps=500 image_size=256 object_size=64");
  g_assert_cmpfloat (prism_batch_cost_get_start (program, config, NULL), >, 0.0);
  least = prism_config_load (in_folder (folder, "seen.prism"), NULL);
  g_assert_nonnull (least);
  g_assert_cmpint (least->samples, ==, 1);
  g_assert_cmpint (least->steps, ==, 1);
  g_assert_cmpint (least->image_size, ==, 256);
  g_autofree char *cache = file_text (in_folder (folder, "cache"));
  g_assert_true (g_path_is_absolute (cache));
  g_assert_cmpstr (cache, !=, g_get_user_cache_dir ());
  g_assert_false (g_file_test (cache, G_FILE_TEST_EXISTS));
}

TEST (nothing, "/engine/batch-cost/nothing")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  g_assert_cmpfloat (prism_batch_cost_get_start ("/nonexistent/program", config, NULL), ==, 0.0);
}

/* Tells its number and goes on for longer than anybody waits. */
static char *
new_slow_program (const char *folder)
{
  char *path = g_build_filename (folder, "program", NULL);
  g_autofree char *text
      = g_strdup_printf ("#!/bin/sh\necho $$ >'%s/new'\nmv '%s/new' '%s/pid'\nexec sleep 100\n",
                         folder, folder, folder);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  return path;
}

static pid_t
wait_for_start (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "pid", NULL), *text = NULL;

  while (!g_file_get_contents (path, &text, NULL, NULL))
    g_usleep (5000);
  return (pid_t) g_ascii_strtoll (text, NULL, 10);
}

static gpointer
cancel_started (gpointer data)
{
  GCancellable *cancellable = data;

  wait_for_start (g_object_get_data (G_OBJECT (cancellable), "folder"));
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* Nobody waits for it any more. */
TEST (cancelled, "/engine/batch-cost/cancelled")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *program = new_slow_program (folder);
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const gint64 begun = g_get_monotonic_time ();

  g_object_set_data (G_OBJECT (cancellable), "folder", folder);
  GThread *thread = g_thread_new ("cancel", cancel_started, cancellable);
  g_assert_cmpfloat (prism_batch_cost_get_start (program, config, cancellable), ==, 0.0);
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 60 * G_USEC_PER_SEC);
  g_thread_join (thread);
}

/* It does not outlive who wants to know. */
TEST (orphan, "/engine/batch-cost/orphan")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *program = new_slow_program (folder);
  g_autoptr (PrismConfig) config = prism_config_new ();
  int status;

  /* What an ended child leaves comes to this process, which can wait for it then. */
  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  pid_t asker = fork ();
  if (asker == 0)
    {
      g_setenv ("TMPDIR", folder, TRUE);
      prism_batch_cost_get_start (program, config, NULL);
      _exit (0);
    }
  pid_t asked = wait_for_start (folder);
  kill (asker, SIGKILL);
  g_assert_cmpint (waitpid (asker, NULL, 0), ==, asker);
  g_assert_cmpint (waitpid (asked, &status, 0), ==, asked);
  g_assert_true (WIFSIGNALED (status));
}
