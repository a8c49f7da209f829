#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "prism-test.h"

#include <utime.h>

#define OLD_SUMMARY "{\"seconds\": 1}"
#define NEW_SUMMARY "{\"seconds\": 2}"
#define OLD 1000000000 /* s: before this process */

typedef struct
{
  char *directory;
} Fixture;

SET_UP
{
  self->directory = g_dir_make_tmp ("prism-exchange-XXXXXX", NULL);
}

TEAR_DOWN
{
  prism_directory_remove (self->directory);
  g_assert_false (g_file_test (self->directory, G_FILE_TEST_EXISTS));
  g_free (self->directory);
}

static void
write_file (const char *directory, const char *name, const char *text)
{
  g_assert_true (g_file_set_contents (in_folder (directory, name), text, -1, NULL));
}

static void
make_folder (Fixture *fixture, const char *name)
{
  g_assert_cmpint (g_mkdir_with_parents (in_folder (fixture->directory, name), 0700), ==, 0);
}

/* text: NULL where there must be no such file */
static void
check_file (Fixture *fixture, const char *name, const char *text)
{
  g_autofree char *found = NULL;

  g_file_get_contents (in_folder (fixture->directory, name), &found, NULL, NULL);
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
  write_file (fixture->directory, "summary.json", OLD_SUMMARY);
  write_file (fixture->directory, "notes", "mine");
  make_folder (fixture, "mine");
}

static PrismExchange *
write_new (Fixture *fixture)
{
  PrismExchange *exchange = MUST (prism_exchange_new (fixture->directory, &error));

  write_file (prism_exchange_get_directory (exchange), "a.npy", "new a");
  write_file (prism_exchange_get_directory (exchange), "c.npy", "new c");
  write_file (prism_exchange_get_directory (exchange), "summary.json", NEW_SUMMARY);
  return exchange;
}

static const char *const names[] = { "a.npy", "b.npy", "c.npy", "summary.json", NULL };

static void
check_old (Fixture *fixture)
{
  check_file (fixture, "a.npy", "old a");
  check_file (fixture, "b.npy", "old b");
  check_file (fixture, "c.npy", NULL);
  check_file (fixture, "summary.json", OLD_SUMMARY);
  check_file (fixture, "notes", "mine");
  g_assert_cmpuint (count_entries (fixture), ==, 5);
}

static void
check_new (Fixture *fixture)
{
  check_file (fixture, "a.npy", "new a");
  check_file (fixture, "b.npy", NULL);
  check_file (fixture, "c.npy", "new c");
  check_file (fixture, "summary.json", NEW_SUMMARY);
  check_file (fixture, "notes", "mine");
  g_assert_cmpuint (count_entries (fixture), ==, 5);
}

/* What was there and is not written anew goes, what the user has there stays. */
TEST_FIXTURE (commit, "/engine/exchange/commit")
{
  g_autofree char *path = g_build_filename (self->directory, "a.npy", NULL);
  struct stat status;

  write_old (self);
  g_assert_cmpint (g_chmod (path, 0640), ==, 0);
  g_autoptr (PrismExchange) exchange = write_new (self);
  g_assert_cmpuint (count_entries (self), ==, 6);
  g_assert_true (MUST (prism_exchange_commit (exchange, names, &error)));
  check_new (self);
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpuint (status.st_mode & 0777, ==, 0640);
}

TEST_FIXTURE (abandoned, "/engine/exchange/abandoned")
{
  write_old (self);
  prism_exchange_free (write_new (self));
  check_old (self);
}

/* A directory cannot be replaced by a file: nothing changes. */
TEST_FIXTURE (directory_in_the_way, "/engine/exchange/directory-in-the-way")
{
  g_autoptr (GError) error = NULL;
  static const char *const with_folder[] = { "mine", NULL };

  write_old (self);
  g_autoptr (PrismExchange) exchange = write_new (self);
  FAILS (prism_exchange_commit (exchange, with_folder, &error), IO, "is a directory");
  g_clear_pointer (&exchange, prism_exchange_free);
  check_old (self);
  g_clear_error (&error);
  FAILS (prism_exchange_check_place (self->directory, with_folder, FALSE, &error), IO, "");
}

static void
move (Fixture *fixture, const char *from, const char *to)
{
  g_autofree char *target = g_build_filename (fixture->directory, to, NULL);

  g_assert_cmpint (g_rename (in_folder (fixture->directory, from), target), ==, 0);
}

/* The program was ended while the old files went: back. */
TEST_FIXTURE (interrupted_early, "/engine/exchange/interrupted-early")
{
  write_old (self);
  make_folder (self, ".prism-exchange/old");
  move (self, "summary.json", ".prism-exchange/old/summary.json");
  move (self, "b.npy", ".prism-exchange/old/b.npy");
  prism_exchange_finish (self->directory);
  check_old (self);
}

/* While the new ones came: on. */
TEST_FIXTURE (interrupted_late, "/engine/exchange/interrupted-late")
{
  g_autofree char *inside = g_build_filename (self->directory, ".prism-exchange/new", NULL);

  write_old (self);
  make_folder (self, ".prism-exchange/old");
  make_folder (self, ".prism-exchange/new");
  for (gsize i = 0; names[i] != NULL; i++)
    {
      if (strcmp (names[i], "c.npy") != 0)
        move (self, names[i], in_folder (".prism-exchange/old", names[i]));
    }
  write_file (self->directory, "c.npy", "new c");
  write_file (inside, "a.npy", "new a");
  write_file (inside, "summary.json", NEW_SUMMARY);
  prism_exchange_finish (self->directory);
  check_new (self);
}

/* A folder that a killed program was writing goes, one that somebody writes stays. */
TEST_FIXTURE (left_behind, "/engine/exchange/left-behind")
{
  const struct utimbuf times = { OLD, OLD };
  g_autofree char *left = g_build_filename (self->directory, ".prism-set-AbC123", NULL);
  g_autoptr (GError) error = NULL;

  write_old (self);
  make_folder (self, ".prism-set-AbC123");
  write_file (left, "a.npy", "half");
  g_assert_cmpint (g_utime (left, (struct utimbuf *) &times), ==, 0);
  g_autoptr (PrismExchange) exchange = write_new (self);
  g_assert_cmpint (
      g_utime (prism_exchange_get_directory (exchange), (struct utimbuf *) &times), ==, 0);
  g_assert_true (prism_exchange_check_place (self->directory, names, FALSE, &error));
  g_assert_cmpuint (count_entries (self), ==, 6);
  g_assert_true (prism_exchange_commit (exchange, names, &error));
  check_new (self);
}

/* A user knows the folder, not the one that files are written into. */
TEST_FIXTURE (names, "/engine/exchange/names")
{
  g_autoptr (PrismExchange) exchange = write_new (self);
  g_autofree char *inside
      = g_build_filename (prism_exchange_get_directory (exchange), "a.npy", NULL);

  SAYS (prism_file_dup_display_name (inside), in_folder (self->directory, "a.npy"));
}

TESTS
{
  prism_process_init ();
}
