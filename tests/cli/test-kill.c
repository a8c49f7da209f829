#include "prism-test.h"
#include "run/prism-run-file.h"

/* A run that saves itself all the time is killed at random moments and goes on from its file. The
 * file must open each time, never be older than what was read from it before the kill, and the run
 * must end with the bits of one that was never killed. PRISM_TEST_LONG=1 kills a thousand times.
 *
 * The moments are random by the seed of GLib's tests; there is nothing to wait for but time. */

#define SHORT_KILLS 20
#define LONG_KILLS 1000
#define LEAST_MICROSECONDS 40000 /* between the start of the program and the kill */
#define MOST_MICROSECONDS 400000

typedef struct
{
  char *directory, *path, *output;
  guint n_in_write; /* kills that left a temporary file behind */
  guint n_before;   /* kills before the file was there for the first time */
  guint64 step;     /* of the newest state that was seen */
} Kills;

static GSubprocess *
start (const Kills *self)
{
  gboolean begun = g_file_test (self->path, G_FILE_TEST_EXISTS);
  const char *first[] = { g_getenv ("PRISM_CLI"), "run", "-q", "-o", self->output,
                          "--set", "image_size=64", "--set", "object_size=16",
                          "--set", "aperture_radius=8", "--set", "samples=200", "--set", "steps=30",
                          "--set", "start_steps=20", "--set", "polish=20",
                          "--set", "autosave_samples=1", "--set", "method=decoder",
                          "--save", self->path, NULL };
  const char *again[] = { g_getenv ("PRISM_CLI"), "run", "-q", "-o", self->output, "--resume",
                          self->path, NULL };
  return MUST (g_subprocess_newv (begun ? again : first, G_SUBPROCESS_FLAGS_NONE, &error));
}

/* Removes what a killed writer has left, and says whether there was anything. */
static gboolean
remove_leftovers (const Kills *self)
{
  g_autoptr (GDir) directory = g_dir_open (self->directory, 0, NULL);
  gboolean found = FALSE;
  const char *name;

  while ((name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->directory, name, NULL);

      if (strcmp (path, self->path) == 0 || g_str_has_suffix (name, ".lock")
          || g_file_test (path, G_FILE_TEST_IS_DIR))
        continue;
      g_unlink (path);
      found = TRUE;
    }
  return found;
}

static guint64
read_step (const Kills *self)
{
  g_autoptr (PrismRun) run = MUST (prism_run_file_load (self->path, &error));

  g_assert_null (run->notice);
  return run->snapshot->step;
}

static gboolean
kill_once (Kills *self)
{
  g_autoptr (GSubprocess) process = start (self);

  g_usleep ((gulong) g_test_rand_int_range (LEAST_MICROSECONDS, MOST_MICROSECONDS));
  g_subprocess_send_signal (process, SIGKILL);
  g_subprocess_wait (process, NULL, NULL);
  gboolean finished = g_subprocess_get_if_exited (process);
  self->n_in_write += remove_leftovers (self);
  if (!g_file_test (self->path, G_FILE_TEST_EXISTS))
    {
      self->n_before++;
      return FALSE;
    }
  guint64 step = read_step (self);
  g_assert_cmpuint (step, >=, self->step);
  self->step = step;
  return finished;
}

static void
finish (Kills *self)
{
  g_autoptr (GSubprocess) process = start (self);

  g_subprocess_wait (process, NULL, NULL);
  g_assert_true (g_subprocess_get_if_exited (process));
  g_assert_cmpint (g_subprocess_get_exit_status (process), ==, 0);
}

static char *
load_result (const Kills *self,
             gsize *length)
{
  char *contents;

  MUST (g_file_get_contents (in_folder (self->output, "reconstruction.npy"), &contents, length,
                             &error));
  return contents;
}

static void
begin_again (Kills *self)
{
  g_unlink (self->path);
  self->step = 0;
}

static void
clear (Kills *self)
{
  g_autoptr (GDir) output = g_dir_open (self->output, 0, NULL);
  g_autofree char *lock = g_strconcat (self->path, ".lock", NULL);
  const char *name;

  while (output != NULL && (name = g_dir_read_name (output)) != NULL)
    g_unlink (in_folder (self->output, name));
  g_rmdir (self->output);
  g_unlink (self->path);
  g_unlink (lock);
  g_rmdir (self->directory);
  g_free (self->directory);
  g_free (self->path);
  g_free (self->output);
}

TEST (kill, "/cli/kill/run-goes-on")
{
  guint n_wanted = g_getenv ("PRISM_TEST_LONG") != NULL ? LONG_KILLS : SHORT_KILLS;
  guint n_finished = 0;
  gsize n_plain, n_killed;
  g_autofree char *killed = NULL;
  Kills kills = { 0 };

  kills.directory = g_dir_make_tmp ("prism-kill-XXXXXX", NULL);
  kills.path = g_build_filename (kills.directory, "a.prismrun", NULL);
  kills.output = g_build_filename (kills.directory, "output", NULL);
  finish (&kills);
  g_autofree char *plain = load_result (&kills, &n_plain);
  begin_again (&kills);
  for (guint i = 0; i < n_wanted; i++)
    if (kill_once (&kills))
      {
        killed = load_result (&kills, &n_killed);
        g_assert_cmpmem (plain, n_plain, killed, n_killed);
        g_clear_pointer (&killed, g_free);
        n_finished++;
        begin_again (&kills);
      }
  finish (&kills);
  killed = load_result (&kills, &n_killed);
  g_assert_cmpmem (plain, n_plain, killed, n_killed);
  g_test_message ("%u kills, %u within a write, %u before the first file, %u runs to the end",
                  n_wanted, kills.n_in_write, kills.n_before, n_finished + 1);
  clear (&kills);
}
