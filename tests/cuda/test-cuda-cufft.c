#include "config.h"

#include "../engine/support/test-remove-tree.h"
#include "base/prism-error.h"
#include "prism-cuda-cufft.h"

#include <glib/gstdio.h>
#include <string.h>

/* Where cuFFT is looked for, with folders in which copies of the emulated one play it. The dynamic
 * linker reads LD_LIBRARY_PATH when a program starts and a library that was found stays, so every
 * search is a program of its own: this one, started again. */

#define NEWEST "libcufft.so.12"
#define OLDER "libcufft.so.11"
/* Instead of a library: it is found, and the search by name ends there. A machine that has a cuFFT
 * of its own must not be asked for it. */
#define RUBBISH "no library"

typedef struct
{
  char *root;
  char *system; /* the folder of LD_LIBRARY_PATH */
} Machine;

static void
machine_clear (Machine *self)
{
  test_remove_tree (self->root);
  g_free (self->root);
  g_free (self->system);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Machine, machine_clear)

static void
put_file (const char *folder,
          const char *name,
          const char *contents,
          gsize n_bytes)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_file_set_contents (path, contents, (gssize) n_bytes, &error);
  g_assert_no_error (error);
}

/* A library under another name. */
static void
put_library (const char *folder,
             const char *name,
             const char *path)
{
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize n_bytes = 0;

  g_file_get_contents (path, &contents, &n_bytes, &error);
  g_assert_no_error (error);
  put_file (folder, name, contents, n_bytes);
}

/* Of the first library in this program's memory whose path has that part; none: "". */
static char *
dup_loaded (const char *part)
{
  g_autofree char *maps = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], part) != NULL)
      return g_strdup (strchr (lines[i], '/'));
  return g_strdup ("");
}

static void
put_cufft (const Machine *self,
           const char *folder,
           const char *name)
{
  g_autofree char *path = g_build_filename (self->root, folder, NULL);
  g_autofree char *emulated = g_build_filename (g_getenv ("PRISM_MODULE_DIR"), NEWEST, NULL);

  put_library (path, name, emulated);
}

/* A toolkit without cuFFT, and a system that has none either. */
static void
machine_init (Machine *self)
{
  self->root = g_dir_make_tmp ("prism-cuda-cufft-XXXXXX", NULL);
  self->system = g_build_filename (self->root, "system", NULL);
  put_file (self->system, NEWEST, RUBBISH, strlen (RUBBISH));
  put_file (self->system, OLDER, RUBBISH, strlen (RUBBISH));
}

/* What the search of a new program says: the path that was loaded, or the sentence. */
static void
search_expecting (const Machine *self,
                  const char *home,
                  const char *expected)
{
  g_autofree char *toolkit = g_build_filename (self->root, home, NULL);
  g_autofree char *before = g_strdup (g_getenv ("LD_LIBRARY_PATH"));
  g_autofree char *path = g_strjoin (":", self->system, g_getenv ("PRISM_MODULE_DIR"), NULL);

  g_setenv ("LD_LIBRARY_PATH", path, TRUE);
  g_setenv ("CUDA_HOME", toolkit, TRUE);
  g_setenv ("PRISM_TEST_ROOT", self->root, TRUE);
  g_test_trap_subprocess ("/cuda/cufft/subprocess/search", 0, 0);
  g_unsetenv ("CUDA_HOME");
  g_unsetenv ("LD_LIBRARY_PATH");
  if (before != NULL)
    g_setenv ("LD_LIBRARY_PATH", before, TRUE);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout (expected);
}

static void
search (void)
{
  const char *root = g_getenv ("PRISM_TEST_ROOT");
  g_autofree char *loaded = NULL;
  g_autoptr (GError) error = NULL;

  if (root == NULL)
    return;
  if (!prism_cuda_cufft_load (&error))
    {
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND);
      g_print ("[%s]\n", error->message);
      return;
    }
  g_assert_true (prism_cuda_cufft_load (&error));
  loaded = dup_loaded (root);
  g_print ("[%s]\n", g_str_has_prefix (loaded, root) ? loaded + strlen (root) + 1 : loaded);
}

static void
test_system (void)
{
  g_auto (Machine) machine = { 0 };

  machine_init (&machine);
  put_cufft (&machine, "system", NEWEST);
  put_cufft (&machine, "toolkit/lib64", NEWEST);
  search_expecting (&machine, "toolkit", "*[system/" NEWEST "]*");
}

static void
test_toolkit (void)
{
  static const char *const folders[] = { "toolkit/lib64", "conda/lib",
                                         "parts/targets/x86_64-linux/lib" };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_auto (Machine) machine = { 0 };
      g_auto (GStrv) parts = g_strsplit (folders[i], "/", 2);
      g_autofree char *expected = g_strconcat ("*[", folders[i], "/" NEWEST "]*", NULL);

      machine_init (&machine);
      put_cufft (&machine, folders[i], NEWEST);
      search_expecting (&machine, parts[0], expected);
    }
}

/* That of CUDA 12, alone and beside that of 13. */
static void
test_older (void)
{
  g_auto (Machine) machine = { 0 };

  machine_init (&machine);
  put_cufft (&machine, "toolkit/lib64", OLDER);
  search_expecting (&machine, "toolkit", "*[toolkit/lib64/" OLDER "]*");
  put_cufft (&machine, "toolkit/lib64", NEWEST);
  search_expecting (&machine, "toolkit", "*[toolkit/lib64/" NEWEST "]*");
}

static void
test_none (void)
{
  g_auto (Machine) machine = { 0 };

  machine_init (&machine);
  search_expecting (&machine, "toolkit", "*[cuFFT 11 or 12 is not installed. Install it*off.]*");
}

/* Something else under its name. */
static void
test_incomplete (void)
{
  g_auto (Machine) machine = { 0 };
  g_autofree char *folder = NULL, *other = dup_loaded ("libgmodule");

  machine_init (&machine);
  folder = g_build_filename (machine.root, "toolkit", "lib64", NULL);
  put_library (folder, NEWEST, other);
  search_expecting (&machine, "toolkit", "*toolkit/lib64/" NEWEST " is not a cuFFT*off.]*");
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/cufft/subprocess/search", search);
  g_test_add_func ("/cuda/cufft/system", test_system);
  g_test_add_func ("/cuda/cufft/toolkit", test_toolkit);
  g_test_add_func ("/cuda/cufft/older", test_older);
  g_test_add_func ("/cuda/cufft/none", test_none);
  g_test_add_func ("/cuda/cufft/incomplete", test_incomplete);
  return g_test_run ();
}
