#include "config.h"

#include "../support/test-remove-tree.h"
#include "base/prism-error.h"
#include "device/prism-tune.h"

#include <string.h>
#include <sys/statvfs.h>

static guint64 bytes_left; /* as this program is told */

int
statvfs (const char *path,
         struct statvfs *space)
{
  *space = (struct statvfs) { .f_bavail = bytes_left, .f_frsize = 1 };
  return 0;
}

/* A program that takes no steps leaves nothing in the cache. */
static void
check_sentence (const char *expected)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (prism_tune_find (config, "/bin/true", FALSE, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  g_assert_nonnull (strstr (error->message, expected));
}

static void
test_not_kept (void)
{
  bytes_left = 0;
  check_sentence ("the disk is full");
  bytes_left = 1 << 30;
  check_sentence ("make it writable");
}

int
main (int argc,
      char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-tune-XXXXXX", NULL);
  int code;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/tune/not-kept", test_not_kept);
  code = g_test_run ();
  test_remove_tree (folder);
  return code;
}
