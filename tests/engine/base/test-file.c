#include "config.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-system.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

typedef struct
{
  char *directory;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->directory = g_dir_make_tmp ("prism-file-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->directory, "a %s\n\xff.txt", NULL);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->directory), ==, 0);
  g_free (fixture->directory);
  g_free (fixture->path);
}

static void
check_contents (const char *path,
                const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = prism_file_load (path, 1000, &error);
  gsize length;
  gconstpointer data;

  g_assert_no_error (error);
  data = g_bytes_get_data (bytes, &length);
  g_assert_cmpmem (data, length, expected, strlen (expected));
}

static void
test_save_and_load (Fixture *fixture,
                    gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_file_save (fixture->path, "one", 3, &error));
  g_assert_no_error (error);
  check_contents (fixture->path, "one");
  g_assert_true (prism_file_save (fixture->path, "", 0, &error));
  check_contents (fixture->path, "");
}

static void
test_mode_is_kept (Fixture *fixture,
                   gconstpointer data)
{
  struct stat status;

  g_assert_true (prism_file_save (fixture->path, "one", 3, NULL));
  g_assert_cmpint (g_chmod (fixture->path, 0640), ==, 0);
  g_assert_true (prism_file_save (fixture->path, "two", 3, NULL));
  g_assert_cmpint (g_stat (fixture->path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0640);
}

static void
test_link_is_kept (Fixture *fixture,
                   gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->directory, "link", NULL);
  struct stat status;

  g_assert_true (prism_file_save (fixture->path, "one", 3, NULL));
  g_assert_cmpint (symlink (fixture->path, link), ==, 0);
  g_assert_true (prism_file_save (link, "two", 3, NULL));
  g_assert_cmpint (g_lstat (link, &status), ==, 0);
  g_assert_true (S_ISLNK (status.st_mode));
  check_contents (fixture->path, "two");
  g_unlink (link);
}

static void
test_full_device (Fixture *fixture,
                  gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  struct stat status;

  g_assert_false (prism_file_save ("/dev/full", "one", 3, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, g_strerror (ENOSPC)));
  g_assert_cmpint (g_stat ("/dev/full", &status), ==, 0);
  g_assert_true (S_ISCHR (status.st_mode));
}

/* A limit on the size of files fails the write half-way, as a full disk does. */
static void
test_failure_keeps_old_file (Fixture *fixture,
                             gconstpointer data)
{
  g_autofree char *large = g_malloc0 (100000);
  g_autoptr (GError) error = NULL;
  struct rlimit old_limit, limit;

  g_assert_true (prism_file_save (fixture->path, "one", 3, NULL));
  prism_process_init ();
  getrlimit (RLIMIT_FSIZE, &old_limit);
  limit = old_limit;
  limit.rlim_cur = 50000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_assert_false (prism_file_save (fixture->path, large, 100000, &error));
  setrlimit (RLIMIT_FSIZE, &old_limit);

  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, g_strerror (EFBIG)));
  check_contents (fixture->path, "one");
}

static void
check_load_fails (const char *path,
                  int code,
                  const char *reason)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (prism_file_load (path, 2, &error));
  g_assert_error (error, PRISM_ERROR, code);
  g_assert_nonnull (strstr (error->message, reason));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
test_bad_sources (Fixture *fixture,
                  gconstpointer data)
{
  g_autofree char *pipe = g_build_filename (fixture->directory, "pipe", NULL);

  check_load_fails (fixture->path, PRISM_ERROR_IO, g_strerror (ENOENT));
  check_load_fails (fixture->directory, PRISM_ERROR_IO, "directory");
  check_load_fails ("/dev/zero", PRISM_ERROR_IO, "device");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  check_load_fails (pipe, PRISM_ERROR_IO, "pipe");
  g_unlink (pipe);
  g_assert_true (prism_file_save (fixture->path, "one", 3, NULL));
  check_load_fails (fixture->path, PRISM_ERROR_FORMAT, "at most 2 bytes");
}

static void
test_bad_targets (Fixture *fixture,
                  gconstpointer data)
{
  g_autofree char *missing = g_build_filename (fixture->directory, "no", "where", NULL);
  g_autoptr (GError) no_directory = NULL;
  g_autoptr (GError) is_directory = NULL;

  g_assert_false (prism_file_save (missing, "one", 3, &no_directory));
  g_assert_error (no_directory, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_false (prism_file_save (fixture->directory, "one", 3, &is_directory));
  g_assert_error (is_directory, PRISM_ERROR, PRISM_ERROR_IO);
}

/* What can be known before the work is known before the work. */
static void
test_places (Fixture *fixture,
             gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *below = g_build_filename (fixture->directory, "no", "such", NULL);
  g_autofree char *text = NULL;

  g_assert_true (prism_file_check_place (fixture->path, &error));
  g_assert_no_error (error);
  g_assert_false (g_file_test (fixture->path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_set_contents (fixture->path, "old", -1, NULL));
  g_assert_true (prism_file_check_place (fixture->path, &error));
  g_assert_true (g_file_get_contents (fixture->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "old");
  g_assert_true (prism_file_check_place ("/dev/null", &error));
  g_assert_no_error (error);
  g_assert_false (prism_file_check_place (below, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (prism_file_check_place (fixture->directory, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_clear_error (&error);
  g_assert_false (prism_file_check_place ("", &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "has no name"));
  g_clear_error (&error);
  g_assert_false (prism_file_check_place ("-", &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "/dev/stdout"));
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/engine/file/save-and-load", Fixture, NULL, set_up, test_save_and_load, tear_down);
  g_test_add ("/engine/file/mode-is-kept", Fixture, NULL, set_up, test_mode_is_kept, tear_down);
  g_test_add ("/engine/file/link-is-kept", Fixture, NULL, set_up, test_link_is_kept, tear_down);
  g_test_add ("/engine/file/full-device", Fixture, NULL, set_up, test_full_device, tear_down);
  g_test_add ("/engine/file/failure-keeps-old-file", Fixture, NULL, set_up,
              test_failure_keeps_old_file, tear_down);
  g_test_add ("/engine/file/places", Fixture, NULL, set_up, test_places, tear_down);
  g_test_add ("/engine/file/bad-sources", Fixture, NULL, set_up, test_bad_sources, tear_down);
  g_test_add ("/engine/file/bad-targets", Fixture, NULL, set_up, test_bad_targets, tear_down);
  return g_test_run ();
}
