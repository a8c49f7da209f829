#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

#include <hdf5.h>

#define tear_down NULL

typedef struct
{
  const char *directory;
  const char *frames, *output, *file; /* the last is result.h5 */
} Fixture;

SET_UP
{
  self->directory = OWN (test_folder_free, test_folder_new ());
  /* Texts that name it have another spelling. */
  self->frames = in_folder (self->directory, "\xff-cells.hdf5");
  self->output = in_folder (self->directory, "result");
  self->file = in_folder (self->output, "result.h5");
  g_auto (PrismCliResult) made = cli_works ("simulate --set size=64 --set per_side=9 %s",
                                            self->frames);
  g_auto (PrismCliResult) run = cli_works ("run --measurements %s --output %s --set hold_out=10 "
                                           "--quiet",
                                           self->frames, self->output);
}

/* Adds something to the first number of an array. */
static void
change (const char *path,
        const char *name)
{
  const hid_t file = H5Fopen (path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t array = H5Dopen2 (file, name, H5P_DEFAULT), type = H5Dget_type (array);
  const hid_t space = H5Dget_space (array);
  const gsize n = (gsize) H5Sget_simple_extent_npoints (space) * H5Tget_size (type);
  g_autofree char *values = g_malloc (n);
  float number;

  g_assert_cmpint (H5Dread (array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), >=, 0);
  memcpy (&number, values, sizeof number);
  number += 1;
  memcpy (values, &number, sizeof number);
  g_assert_cmpint (H5Dwrite (array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), >=, 0);
  H5Sclose (space);
  H5Tclose (type);
  H5Dclose (array);
  H5Fclose (file);
}

/* The file and the frames are enough, wherever they are; a changed number is named. */
TEST_FIXTURE (frames, "/cli/rerun/frames")
{
  g_autofree char *elsewhere = g_build_filename (self->directory, "moved.hdf5", NULL);

  g_auto (PrismCliResult) same = cli_clean ("rerun %s", self->file);
  HAS (same.output, "The same to the bit");
  g_assert_cmpint (same.exit_code, ==, 0);

  g_assert_cmpint (g_rename (self->frames, elsewhere), ==, 0);
  cli_refuses (3, "cells.hdf5", "rerun %s", self->file);
  g_auto (PrismCliResult) moved = cli_works ("rerun %s %s -q -o %s", self->file, elsewhere,
                                             in_folder (self->directory, "again"));
  g_assert_cmpstr (moved.output, ==, "");
  g_assert_cmpint (moved.exit_code, ==, 0);

  change (self->file, "/entry/model/object");
  cli_refuses (1, "entry/model/object", "rerun %s %s", self->file, elsewhere);
}

/* Another frame is no longer what the result was made of. */
TEST_FIXTURE (changed, "/cli/rerun/changed")
{
  change (self->frames, "/ptychogram");
  cli_refuses (3, "has changed", "rerun %s", self->file);
}

TEST_FIXTURE (simulated, "/cli/rerun/simulated")
{
  g_auto (PrismCliResult) run = cli_works ("run --set image_size=64 --set object_size=32 "
                                           "--set aperture_radius=4 --set samples=12 "
                                           "--set snr=30 --output %s --quiet",
                                           self->output);
  g_auto (PrismCliResult) same = cli_clean ("rerun %s", self->file);
  change (self->file, "/entry/object/amplitude");
  cli_refuses (1, "entry/object/amplitude", "rerun %s", self->file);
}
