/* test-remove-tree: a directory of a test goes with everything in it; links are not followed. What
 * a program that is about to end takes away by itself is no mistake. */
#pragma once

#include <errno.h>
#include <glib/gstdio.h>

static inline void
test_remove_tree (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        test_remove_tree (child);
      else
        g_assert_true (g_unlink (child) == 0 || errno == ENOENT);
    }
  g_assert_cmpint (g_rmdir (path), ==, 0);
}

/* g_autoptr (TestFolder): the path of an empty directory, which goes with everything in it. */
typedef char TestFolder;

static inline TestFolder *
test_folder_new (void)
{
  char *path = g_dir_make_tmp ("prism-test-XXXXXX", NULL);

  g_assert_nonnull (path);
  return path;
}

static inline void
test_folder_free (TestFolder *path)
{
  test_remove_tree (path);
  g_free (path);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestFolder, test_folder_free)

/* The fixture of TEST_FIXTURE() that is an empty directory, with the path NAME in it. FOLDER_: it
 * goes with everything that is left there; FILE_: nothing but that file may be left. */
#define FOLDER_FIXTURE(NAME) TEST_DIRECTORY (NAME, test_remove_tree (self->directory))
#define FILE_FIXTURE(NAME)                                                                         \
  TEST_DIRECTORY (NAME, g_unlink (self->path); g_assert_cmpint (g_rmdir (self->directory), ==, 0))

#define TEST_DIRECTORY(NAME, ...)                                                                  \
  typedef struct                                                                                   \
  {                                                                                                \
    char *directory, *path;                                                                        \
  } Fixture;                                                                                       \
                                                                                                   \
  static void set_up (Fixture *self, gconstpointer data)                                           \
  {                                                                                                \
    self->directory = test_folder_new ();                                                          \
    self->path = g_build_filename (self->directory, NAME, NULL);                                   \
  }                                                                                                \
                                                                                                   \
  static void tear_down (Fixture *self, gconstpointer data)                                        \
  {                                                                                                \
    __VA_ARGS__;                                                                                   \
    g_free (self->directory);                                                                      \
    g_free (self->path);                                                                           \
  }
