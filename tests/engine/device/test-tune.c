#include "config.h"

#include "../support/test-remove-tree.h"
#include "base/prism-error.h"
#include "device/prism-tune.h"

#include <string.h>
#include <sys/statvfs.h>

/* As this program is told. */
static guint64 bytes_left, n_blocks;
static gulong flags;

int
statvfs (const char *path,
         struct statvfs *space)
{
  *space = (struct statvfs) {
    .f_blocks = n_blocks, .f_bavail = bytes_left, .f_frsize = 1, .f_flag = flags
  };
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
  n_blocks = G_GUINT64_CONSTANT (1) << 40;
  bytes_left = 0;
  check_sentence ("the disk is full");
  flags = ST_RDONLY;
  check_sentence ("make it writable");
  flags = 0;
  n_blocks = 0;
  check_sentence ("make it writable");
  n_blocks = G_GUINT64_CONSTANT (1) << 40;
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
