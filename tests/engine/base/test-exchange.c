#include "config.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-system.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <utime.h>

#define OLD 1000000000 /* s: before this process */

typedef struct
{
  char *directory;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->directory = g_dir_make_tmp ("prism-exchange-XXXXXX", NULL);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  prism_directory_remove (fixture->directory);
  g_assert_false (g_file_test (fixture->directory, G_FILE_TEST_EXISTS));
  g_free (fixture->directory);
}

static void
write_file (const char *directory,
            const char *name,
            const char *text)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
make_folder (Fixture *fixture,
             const char *name)
{
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
}

/* text: NULL where there must be no such file */
static void
check_file (Fixture *fixture,
            const char *name,
            const char *text)
{
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);
  g_autofree char *found = NULL;

  g_file_get_contents (path, &found, NULL, NULL);
  g_assert_cmpstr (found, ==, text);
}

static guint
count_entries (Fixture *fixture)
{
  g_autoptr (GDir) listing = g_dir_open (fixture->directory, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (listing) != NULL)
    n++;
  return n;
}

static void
write_old (Fixture *fixture)
{
  write_file (fixture->directory, "a.npy", "old a");
  write_file (fixture->directory, "b.npy", "old b");
  write_file (fixture->directory, "summary.json", "old summary");
  write_file (fixture->directory, "notes", "mine");
  make_folder (fixture, "mine");
}

static PrismExchange *
write_new (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  PrismExchange *exchange = prism_exchange_new (fixture->directory, &error);

  g_assert_no_error (error);
  write_file (prism_exchange_get_directory (exchange), "a.npy", "new a");
  write_file (prism_exchange_get_directory (exchange), "c.npy", "new c");
  write_file (prism_exchange_get_directory (exchange), "summary.json", "new summary");
  return exchange;
}

static const char *const names[] = { "a.npy", "b.npy", "c.npy", "summary.json", NULL };

static void
check_old (Fixture *fixture)
{
  check_file (fixture, "a.npy", "old a");
  check_file (fixture, "b.npy", "old b");
  check_file (fixture, "c.npy", NULL);
  check_file (fixture, "summary.json", "old summary");
  check_file (fixture, "notes", "mine");
  g_assert_cmpuint (count_entries (fixture), ==, 5);
}

static void
check_new (Fixture *fixture)
{
  check_file (fixture, "a.npy", "new a");
  check_file (fixture, "b.npy", NULL);
  check_file (fixture, "c.npy", "new c");
  check_file (fixture, "summary.json", "new summary");
  check_file (fixture, "notes", "mine");
  g_assert_cmpuint (count_entries (fixture), ==, 5);
}

/* What was there and is not written anew goes, what the user has there stays. */
static void
test_commit (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (PrismExchange) exchange = NULL;
  g_autofree char *path = g_build_filename (fixture->directory, "a.npy", NULL);
  g_autoptr (GError) error = NULL;
  struct stat status;

  write_old (fixture);
  g_assert_cmpint (g_chmod (path, 0640), ==, 0);
  exchange = write_new (fixture);
  g_assert_cmpuint (count_entries (fixture), ==, 6);
  g_assert_true (prism_exchange_commit (exchange, names, &error));
  g_assert_no_error (error);
  check_new (fixture);
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpuint (status.st_mode & 0777, ==, 0640);
}

static void
test_abandoned (Fixture *fixture,
                gconstpointer data)
{
  write_old (fixture);
  prism_exchange_free (write_new (fixture));
  check_old (fixture);
}

/* A directory cannot be replaced by a file: nothing changes. */
static void
test_directory_in_the_way (Fixture *fixture,
                           gconstpointer data)
{
  g_autoptr (PrismExchange) exchange = NULL;
  g_autoptr (GError) error = NULL;
  static const char *const with_folder[] = { "mine", NULL };

  write_old (fixture);
  exchange = write_new (fixture);
  g_assert_false (prism_exchange_commit (exchange, with_folder, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "is a directory"));
  g_clear_pointer (&exchange, prism_exchange_free);
  check_old (fixture);
  g_clear_error (&error);
  g_assert_false (prism_exchange_check_place (fixture->directory, with_folder, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
}

static void
move (Fixture *fixture,
      const char *from,
      const char *to)
{
  g_autofree char *source = g_build_filename (fixture->directory, from, NULL);
  g_autofree char *target = g_build_filename (fixture->directory, to, NULL);

  g_assert_cmpint (g_rename (source, target), ==, 0);
}

/* The program was ended while the old files went: back. */
static void
test_interrupted_early (Fixture *fixture,
                        gconstpointer data)
{
  write_old (fixture);
  make_folder (fixture, ".prism-exchange/old");
  move (fixture, "summary.json", ".prism-exchange/old/summary.json");
  move (fixture, "b.npy", ".prism-exchange/old/b.npy");
  prism_exchange_finish (fixture->directory);
  check_old (fixture);
}

/* While the new ones came: on. */
static void
test_interrupted_late (Fixture *fixture,
                       gconstpointer data)
{
  g_autofree char *inside = g_build_filename (fixture->directory, ".prism-exchange/new", NULL);

  write_old (fixture);
  make_folder (fixture, ".prism-exchange/old");
  make_folder (fixture, ".prism-exchange/new");
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autofree char *old = g_build_filename (".prism-exchange/old", names[i], NULL);

      if (strcmp (names[i], "c.npy") != 0)
        move (fixture, names[i], old);
    }
  write_file (fixture->directory, "c.npy", "new c");
  write_file (inside, "a.npy", "new a");
  write_file (inside, "summary.json", "new summary");
  prism_exchange_finish (fixture->directory);
  check_new (fixture);
}

/* A folder that a killed program was writing goes, one that somebody writes stays. */
static void
test_left_behind (Fixture *fixture,
                  gconstpointer data)
{
  const struct utimbuf times = { OLD, OLD };
  g_autoptr (PrismExchange) exchange = NULL;
  g_autofree char *left = g_build_filename (fixture->directory, ".prism-set-AbC123", NULL);
  g_autoptr (GError) error = NULL;

  write_old (fixture);
  make_folder (fixture, ".prism-set-AbC123");
  write_file (left, "a.npy", "half");
  g_assert_cmpint (g_utime (left, (struct utimbuf *) &times), ==, 0);
  exchange = write_new (fixture);
  g_assert_cmpint (
      g_utime (prism_exchange_get_directory (exchange), (struct utimbuf *) &times), ==, 0);
  g_assert_true (prism_exchange_check_place (fixture->directory, names, &error));
  g_assert_cmpuint (count_entries (fixture), ==, 6);
  g_assert_true (prism_exchange_commit (exchange, names, &error));
  check_new (fixture);
}

/* A user knows the folder, not the one that files are written into. */
static void
test_names (Fixture *fixture,
            gconstpointer data)
{
  g_autoptr (PrismExchange) exchange = write_new (fixture);
  g_autofree char *inside
      = g_build_filename (prism_exchange_get_directory (exchange), "a.npy", NULL);
  g_autofree char *place = g_build_filename (fixture->directory, "a.npy", NULL);
  g_autofree char *shown = prism_file_dup_display_name (inside);

  g_assert_cmpstr (shown, ==, place);
}

int
main (int argc,
      char *argv[])
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *,
                  gconstpointer);
  } tests[] = {
    { "/engine/exchange/commit", test_commit },
    { "/engine/exchange/abandoned", test_abandoned },
    { "/engine/exchange/directory-in-the-way", test_directory_in_the_way },
    { "/engine/exchange/interrupted-early", test_interrupted_early },
    { "/engine/exchange/interrupted-late", test_interrupted_late },
    { "/engine/exchange/left-behind", test_left_behind },
    { "/engine/exchange/names", test_names },
  };

  g_test_init (&argc, &argv, NULL);
  prism_process_init ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
