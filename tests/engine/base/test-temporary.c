#include "base/prism-file.h"
#include "base/prism-system.h"
#include "base/prism-temporary.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <fcntl.h>
#include <utime.h>

#define OLD 1000000000 /* s: before this process */

FOLDER_FIXTURE ("a")

static char *
dup_path (Fixture *fixture, const char *name)
{
  return g_build_filename (fixture->directory, name, NULL);
}

static void
add_file (Fixture *fixture, const char *name, gboolean old)
{
  g_autofree char *path = dup_path (fixture, name);
  const struct utimbuf times = { OLD, OLD };

  g_assert_true (g_file_set_contents (path, "half", -1, NULL));
  if (old)
    g_assert_cmpint (g_utime (path, (struct utimbuf *) &times), ==, 0);
}

static gboolean
is_there (Fixture *fixture, const char *name)
{
  g_autofree char *path = dup_path (fixture, name);

  return g_file_test (path, G_FILE_TEST_EXISTS | G_FILE_TEST_IS_SYMLINK);
}

/* What a program that a signal ends has begun to write goes with it. */
TEST_FIXTURE (unlinked, "/engine/temporary/unlinked")
{
  g_autofree char *path = dup_path (self, "a.csv"), *name = NULL;

  for (int i = 0; i < 40; i++)
    {
      g_autofree char *temporary = NULL;
      const int fd = prism_temporary_open (path, &temporary);

      g_assert_cmpint (fd, >=, 0);
      close (fd);
      if (i < 39)
        g_unlink (temporary);
      name = i == 39 ? g_path_get_basename (temporary) : NULL;
    }
  g_assert_true (is_there (self, name));
  prism_temporary_unlink ();
  g_assert_false (is_there (self, name));
}

TEST_FIXTURE (left_behind, "/engine/temporary/left-behind")
{
  static const char *const names[] = { "a.csv", "b.npy", NULL };
  static const char *const gone[] = { ".prism-a.csv-AbC123", ".prism-b.npy-zzzzzz",
                                      ".prism-a.csv-AbC123.Xy0987",
                                      ".prism-a.csv-AbC123.Xy0987.part" };
  static const char *const kept[] = { ".prism-c.csv-AbC123", ".prism-a.csv-AbC12",
                                      ".prism-a.csv-AbC1234", ".prism-AbC123", "prism-a.csv-AbC123",
                                      "a.csv", ".prism-a.csv-AbC123.Xy098",
                                      ".prism-a.csv-AbC123.part", ".prism-a.csv-AbC123-Xy0987.part",
                                      ".prism-a.csv-AbC123.Xy0987.port" };

  for (gsize i = 0; i < G_N_ELEMENTS (gone); i++)
    add_file (self, gone[i], TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    add_file (self, kept[i], TRUE);
  prism_temporary_remove_unused (self->directory, names);
  for (gsize i = 0; i < G_N_ELEMENTS (gone); i++)
    g_assert_false (is_there (self, gone[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    g_assert_true (is_there (self, kept[i]));
}

/* What another program may be writing, and what no writer of ours has made. */
TEST_FIXTURE (in_use, "/engine/temporary/in-use")
{
  static const char *const names[] = { "a", NULL };
  g_autofree char *open_path = dup_path (self, ".prism-a-openXX");
  g_autofree char *link_path = dup_path (self, ".prism-a-linkXX");
  g_autofree char *folder_path = dup_path (self, ".prism-a-direct");
  g_autofree char *pipe_path = dup_path (self, ".prism-a-pipeXX");

  add_file (self, "target", TRUE);
  add_file (self, ".prism-a-newXXX", FALSE);
  add_file (self, ".prism-a-openXX", TRUE);
  g_assert_cmpint (symlink ("target", link_path), ==, 0);
  g_assert_cmpint (g_mkdir (folder_path, 0700), ==, 0);
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  int fd = g_open (open_path, O_WRONLY | O_CLOEXEC, 0);
  g_assert_cmpint (fd, >=, 0);
  prism_temporary_remove_unused (self->directory, names);
  g_assert_true (is_there (self, "target"));
  g_assert_true (is_there (self, ".prism-a-newXXX"));
  g_assert_true (is_there (self, ".prism-a-openXX"));
  g_assert_true (is_there (self, ".prism-a-linkXX"));
  g_assert_true (is_there (self, ".prism-a-direct"));
  g_assert_true (is_there (self, ".prism-a-pipeXX"));
  close (fd);
  prism_temporary_remove_unused (self->directory, names);
  g_assert_false (is_there (self, ".prism-a-openXX"));
}

/* Whoever is about to write a file tidies up beside it. */
TEST_FIXTURE (before_writing, "/engine/temporary/before-writing")
{
  g_autofree char *path = dup_path (self, "table.csv");

  add_file (self, ".prism-table.csv-AbC123", TRUE);
  g_assert_true (MUST (prism_file_check_place (path, &error)));
  g_assert_false (is_there (self, ".prism-table.csv-AbC123"));
  g_assert_false (is_there (self, "table.csv"));
}

TESTS
{
  prism_process_init ();
}
