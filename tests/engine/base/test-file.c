#include "base/prism-file.h"
#include "base/prism-system.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <sys/resource.h>

FILE_FIXTURE ("a %s\n\xff.txt")

static void
check_contents (const char *path, const char *expected)
{
  g_autoptr (GBytes) bytes = MUST (prism_file_load (path, 1000, &error));
  gsize length;

  gconstpointer data = g_bytes_get_data (bytes, &length);
  g_assert_cmpmem (data, length, expected, strlen (expected));
}

TEST_FIXTURE (save_and_load, "/engine/file/save-and-load")
{
  g_autoptr (GError) error = NULL;

  g_assert_true (MUST (prism_file_save (self->path, "one", 3, &error)));
  check_contents (self->path, "one");
  g_assert_true (prism_file_save (self->path, "", 0, &error));
  check_contents (self->path, "");
}

TEST_FIXTURE (mode_is_kept, "/engine/file/mode-is-kept")
{
  struct stat status;

  g_assert_true (prism_file_save (self->path, "one", 3, NULL));
  g_assert_cmpint (g_chmod (self->path, 0640), ==, 0);
  g_assert_true (prism_file_save (self->path, "two", 3, NULL));
  g_assert_cmpint (g_stat (self->path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0640);
}

TEST_FIXTURE (link_is_kept, "/engine/file/link-is-kept")
{
  g_autofree char *link = g_build_filename (self->directory, "link", NULL);
  struct stat status;

  g_assert_true (prism_file_save (self->path, "one", 3, NULL));
  g_assert_cmpint (symlink (self->path, link), ==, 0);
  g_assert_true (prism_file_save (link, "two", 3, NULL));
  g_assert_cmpint (g_lstat (link, &status), ==, 0);
  g_assert_true (S_ISLNK (status.st_mode));
  check_contents (self->path, "two");
  g_unlink (link);
}

TEST_FIXTURE (full_device, "/engine/file/full-device")
{
  struct stat status;

  FAILS (prism_file_save ("/dev/full", "one", 3, &error), IO, g_strerror (ENOSPC));
  g_assert_cmpint (g_stat ("/dev/full", &status), ==, 0);
  g_assert_true (S_ISCHR (status.st_mode));
}

/* A limit on the size of files fails the write half-way, as a full disk does. */
TEST_FIXTURE (failure_keeps_old_file, "/engine/file/failure-keeps-old-file")
{
  g_autofree char *large = g_malloc0 (100000);
  g_autoptr (GError) error = NULL;
  struct rlimit old_limit, limit;

  g_assert_true (prism_file_save (self->path, "one", 3, NULL));
  prism_process_init ();
  getrlimit (RLIMIT_FSIZE, &old_limit);
  limit = old_limit;
  limit.rlim_cur = 50000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  g_assert_false (prism_file_save (self->path, large, 100000, &error));
  setrlimit (RLIMIT_FSIZE, &old_limit);

  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  HAS (error->message, g_strerror (EFBIG));
  check_contents (self->path, "one");
}

static void
check_load_fails (const char *path, int code, const char *reason)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (prism_file_load (path, 2, &error));
  g_assert_error (error, PRISM_ERROR, code);
  HAS (error->message, reason);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

TEST_FIXTURE (bad_sources, "/engine/file/bad-sources")
{
  g_autofree char *pipe = g_build_filename (self->directory, "pipe", NULL);

  check_load_fails (self->path, PRISM_ERROR_IO, g_strerror (ENOENT));
  check_load_fails (self->directory, PRISM_ERROR_IO, "directory");
  check_load_fails ("/dev/zero", PRISM_ERROR_IO, "device");
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  check_load_fails (pipe, PRISM_ERROR_IO, "pipe");
  g_unlink (pipe);
  g_assert_true (prism_file_save (self->path, "one", 3, NULL));
  check_load_fails (self->path, PRISM_ERROR_FORMAT, "at most 2 bytes");
}

TEST_FIXTURE (bad_targets, "/engine/file/bad-targets")
{
  FAILS (prism_file_save (in_folder (self->directory, "no", "where"), "one", 3, &error), IO, "");
  FAILS (prism_file_save (self->directory, "one", 3, &error), IO, "");
}

/* What is written beside a file and takes its place must not take that of a device or a pipe. */
TEST_FIXTURE (devices_stay, "/engine/file/devices-stay")
{
  const char *pipe = in_folder (self->directory, "pipe", NULL);

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  FAILS (prism_file_dup_temporary (pipe, &error), IO, "is a device or a pipe");
  FAILS (prism_file_dup_temporary ("/dev/null", &error), IO, "is a device or a pipe");
  g_unlink (pipe);
}

/* A copy is whole or not there, and what goes wrong is told of the right file. */
TEST_FIXTURE (copy, "/engine/file/copy")
{
  g_autofree char *source = g_build_filename (self->directory, "source", NULL);
  g_autofree char *bytes = g_malloc0 (100000);
  g_autofree char *copy = NULL;
  gsize length;

  memset (bytes, 'a', 100000);
  g_assert_true (g_file_set_contents (source, bytes, 100000, NULL));
  g_assert_true (MUST (prism_file_copy (source, self->path, &error)));
  g_assert_true (g_file_get_contents (self->path, &copy, &length, NULL));
  g_assert_cmpmem (copy, length, bytes, 100000);
  FAILS (prism_file_copy (source, "/dev/full", &error), IO,
         "“/dev/full” cannot be written: No space left on device. Free some space");
  FAILS (prism_file_copy ("/none", self->path, &error), IO, "“/none” cannot be opened");
  g_unlink (source);
}

/* What can be known before the work is known before the work. */
TEST_FIXTURE (places, "/engine/file/places")
{
  g_autoptr (GError) error = NULL;

  g_assert_true (MUST (prism_file_check_place (self->path, &error)));
  g_assert_false (g_file_test (self->path, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_set_contents (self->path, "old", -1, NULL));
  g_assert_true (prism_file_check_place (self->path, &error));
  SAYS (file_text (self->path), "old");
  g_assert_true (MUST (prism_file_check_place ("/dev/null", &error)));
  FAILS (prism_file_check_place (in_folder (self->directory, "no", "such"), &error), IO, "");
  FAILS (prism_file_check_place (self->directory, &error), IO, "");
  FAILS (prism_file_check_place ("", &error), IO, "has no name");
  FAILS (prism_file_check_place ("-", &error), IO, "/dev/stdout");
}
