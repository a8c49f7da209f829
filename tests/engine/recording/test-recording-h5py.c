#include "../support/recording-notes.h"
#include "../support/test-python.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#define tear_down NULL

/* Files of MATLAB 7.3 that Python's h5py has written, with MATLAB's classes and without: the pixel
 * at row y and column x of frame j is 100·j + 10·y + x either way. */

#define N 9
#define HEIGHT 4
#define WIDTH 6

static const char script[]
    = "import sys, h5py, numpy as np\n"
      "n, y, x = np.mgrid[0:9, 0:4, 0:6]\n"
      "frames = (100.0 * n + 10 * y + x)\n"
      "def write(name, fill):\n"
      "    path = sys.argv[1] + '/' + name\n"
      "    with h5py.File(path, 'w', userblock_size=512) as f:\n"
      "        fill(f)\n"
      "    with open(path, 'r+b') as f:\n"
      "        f.write(b'MATLAB 7.3 MAT-file'.ljust(124) + b'\\x00\\x02IM')\n"
      "def plain(f):\n"
      "    f['imlow'] = frames\n"
      "    f['wavelength'] = 630e-9\n"
      "    f['title'] = 'cells'\n"
      "def matlab(f):\n"
      "    f['imlow'] = frames.transpose(0, 2, 1)\n"
      "    f['imlow'].attrs['MATLAB_class'] = np.bytes_('double')\n"
      "def packed(f):\n"
      "    f.create_dataset('imlow', data=frames, compression='lzf')\n"
      "def cells(f):\n"
      "    refs = np.zeros((9, 1), h5py.ref_dtype)\n"
      "    for j in range(9):\n"
      "        cell = f.create_dataset(f'#refs#/c{j}', data=frames[j].T)\n"
      "        cell.attrs['MATLAB_class'] = np.bytes_('double')\n"
      "        refs[j, 0] = cell.ref\n"
      "    f['data/imgs'] = refs\n"
      "write('plain.mat', plain)\n"
      "write('cells.mat', cells)\n"
      "write('matlab.mat', matlab)\n"
      "write('packed.mat', packed)\n"
      "folder = sys.argv[1] + '/'\n"
      "with h5py.File(folder + 'part.h5', 'w') as f:\n"
      "    f['a'] = frames\n"
      "for name, part in ('whole.h5', 'part.h5'), ('lost.h5', 'none.h5'):\n"
      "    with h5py.File(folder + name, 'w') as f:\n"
      "        layout = h5py.VirtualLayout((9, 4, 6), 'f8')\n"
      "        layout[:] = h5py.VirtualSource(part, 'a', (9, 4, 6))\n"
      "        f.create_virtual_dataset('frames', layout)\n"
      "        leds = [(i, b'on', 1e-3 * i, 2e-3 * i) for i in range(9)]\n"
      "        kind = [('id', 'i4'), ('state', 'S2'), ('led_x', 'f8'), ('led_y', 'f4')]\n"
      "        f['setup/leds'] = np.array(leds, kind)\n"
      "np.savez(sys.argv[1] + '/meta.npz', frames=frames, meta=np.array({'a': 1}, dtype=object))\n";

typedef struct
{
  char *folder;
  gboolean written;
} Fixture;

SET_UP
{
  self->folder = OWN (test_folder_free, test_folder_new ());
  self->written = test_run_python (script, self->folder) != NULL;
}

/* Returns: whether there are files */
static gboolean
has_files (const Fixture *self)
{
  if (!self->written)
    g_test_skip ("Python has no h5py here (Debian: python3-h5py).");
  return self->written;
}

static PrismRecording *
load (const Fixture *self, const char *name, const char *transpose, GError **error)
{
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();

  g_assert_true (prism_recipe_set (recipe, "hot_pixels", "keep", NULL));
  g_assert_true (prism_recipe_set (recipe, "values", "intensity", NULL));
  g_assert_true (prism_recipe_set (recipe, "transpose", transpose, NULL));
  return prism_recording_load (in_folder (self->folder, name), recipe, error);
}

static void
check_frames (const PrismRecording *recording)
{
  g_assert_cmpuint (recording->n_frames, ==, N);
  g_assert_cmpuint (recording->height, ==, HEIGHT);
  g_assert_cmpuint (recording->width, ==, WIDTH);
  for (guint j = 0; j < N; j++)
    for (guint y = 0; y < HEIGHT; y++)
      for (guint x = 0; x < WIDTH; x++)
        g_assert_cmpfloat (recording->frames[(j * HEIGHT + y) * WIDTH + x], ==,
                           100.0f * j + 10.0f * y + x);
}

TEST_FIXTURE (rows, "/engine/recording/h5py/rows")
{
  if (!has_files (self))
    return;
  g_autoptr (PrismRecording) plain = MUST (load (self, "plain.mat", "no", &error));
  check_frames (plain);
  g_assert_true (recording_has_note (plain, "was not written by MATLAB"));
  g_assert_cmpfloat_with_epsilon (plain->wavelength, 630e-9, 1e-15);
  g_assert_cmpstr (plain->format, ==, "MATLAB 7.3");
  g_autoptr (PrismRecording) matlab = MUST (load (self, "matlab.mat", "no", &error));
  check_frames (matlab);
  g_assert_false (recording_has_note (matlab, "was not written by MATLAB"));
  g_autoptr (PrismRecording) turned = MUST (load (self, "plain.mat", "yes", &error));
  g_assert_cmpuint (turned->height, ==, WIDTH);
}

/* The filter that only h5py has, a cell of MATLAB 7.3 with references to its arrays, and an object
 * of Python's beside the frames, which is left alone. */
TEST_FIXTURE (others, "/engine/recording/h5py/others")
{
  static const char *const names[] = { "packed.mat", "cells.mat", "meta.npz" };

  for (gsize i = 0; i < G_N_ELEMENTS (names) && has_files (self); i++)
    {
      g_autoptr (PrismRecording) recording = MUST (load (self, names[i], "no", &error));

      check_frames (recording);
    }
}

/* An array of those of other files, and the columns of a table. */
TEST_FIXTURE (pieces, "/engine/recording/h5py/pieces")
{
  if (!has_files (self))
    return;
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecording) whole = MUST (load (self, "whole.h5", "no", &error));
  check_frames (whole);
  for (guint j = 0; j < N; j++)
    {
      g_assert_cmpfloat_with_epsilon (whole->positions[2 * j], 1e-3 * j, 1e-12);
      g_assert_cmpfloat_with_epsilon (whole->positions[2 * j + 1], 2e-3 * j, 1e-9);
    }
  g_autoptr (PrismRecording) lost = load (self, "lost.h5", "no", &error);
  g_assert_null (lost);
  HAS (error->message, "“a” of “none.h5”, which is not there");
}
