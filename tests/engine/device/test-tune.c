#include "../support/test-remove-tree.h"
#include "device/prism-tune.h"
#include "prism-test.h"

#include <sys/statvfs.h>

/* As this program is told. */
static guint64 bytes_left, n_blocks;
static gulong flags;

int
statvfs (const char *path, struct statvfs *space)
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

  FAILS (prism_tune_find (config, "/bin/true", FALSE, &error), IO, expected);
}

TEST (not_kept, "/engine/tune/not-kept")
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
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-tune-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  int code = prism_test_run ();
  test_remove_tree (folder);
  return code;
}
