#include "../support/test-remove-tree.h"
#include "formats/prism-hdf5.h"
#include "prism-test.h"
#include "recording/prism-recording.h"

#include <zlib.h>

/* Compressed frames are read as libhdf5 reads them, or left to it. */

#define N 67
#define HEIGHT 48
#define WIDTH 40
#define N_PIXELS (HEIGHT * WIDTH)

/* What is written, and whether that is read here. */
typedef struct
{
  const char *name;
  hid_t type;
  hsize_t chunk[3];
  gboolean shuffled, summed;
  int level; /* -1: not compressed */
  gboolean expected;
} Case;

FOLDER_FIXTURE ("frames.hdf5")

static hid_t
create_dataset (hid_t file, const Case *what)
{
  const hsize_t shape[3] = { N, HEIGHT, WIDTH };
  const hid_t plist = H5Pcreate (H5P_DATASET_CREATE), space = H5Screate_simple (3, shape, NULL);
  hid_t dataset;

  H5Pset_chunk (plist, 3, what->chunk);
  if (what->shuffled)
    H5Pset_shuffle (plist);
  if (what->level >= 0)
    H5Pset_deflate (plist, (unsigned) what->level);
  if (what->summed)
    H5Pset_fletcher32 (plist);
  dataset = H5Dcreate2 (file, "ptychogram", what->type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  g_assert_cmpint (dataset, >=, 0);
  H5Sclose (space);
  H5Pclose (plist);
  return dataset;
}

static double *
new_values (void)
{
  double *values = g_new (double, N *N_PIXELS);

  for (gsize i = 0; i < N * N_PIXELS; i++)
    values[i] = i % 7 == 0 ? (double) (i % 256) : floor (100 + 90 * sin (0.01 * (double) i));
  return values;
}

/* A file with one array and, for a recording, what a microscope needs. */
static hid_t
create_file (Fixture *self, const Case *what, hid_t *dataset)
{
  g_autofree double *values = new_values ();
  const hid_t file = H5Fcreate (self->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

  g_assert_cmpint (file, >=, 0);
  *dataset = create_dataset (file, what);
  g_assert_cmpint (
      H5Dwrite (*dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), >=, 0);
  return file;
}

static void
check_same (hid_t dataset)
{
  g_autofree double *expected = g_new (double, N *N_PIXELS), *values = g_new (double, N *N_PIXELS);

  g_assert_cmpint (
      H5Dread (dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, expected), >=, 0);
  g_assert_true (prism_hdf5_chunks_read (dataset, 0, N, values));
  g_assert_cmpmem (values, sizeof (double) * N * N_PIXELS, expected,
                   sizeof (double) * N * N_PIXELS);
  memset (values, 0, sizeof (double) * N * N_PIXELS);
  g_assert_true (prism_hdf5_chunks_read (dataset, 5, 3, values));
  g_assert_cmpmem (values, sizeof (double) * 3 * N_PIXELS, expected + 5 * N_PIXELS,
                   sizeof (double) * 3 * N_PIXELS);
  g_assert_cmpfloat (values[3 * N_PIXELS], ==, 0);
}

TEST_FIXTURE (cases, "/engine/hdf5-chunks/cases")
{
  const hid_t other_order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? H5T_STD_U16BE : H5T_STD_U16LE;
  const Case cases[] = {
    { "float", H5T_NATIVE_FLOAT, { 1, HEIGHT, WIDTH }, FALSE, FALSE, 4, TRUE },
    { "float, shuffled", H5T_NATIVE_FLOAT, { 1, HEIGHT, WIDTH }, TRUE, FALSE, 4, TRUE },
    { "float, stored", H5T_NATIVE_FLOAT, { 1, HEIGHT, WIDTH }, TRUE, FALSE, 0, TRUE },
    { "double", H5T_NATIVE_DOUBLE, { 1, HEIGHT, WIDTH }, FALSE, FALSE, 9, TRUE },
    { "double, shuffled", H5T_NATIVE_DOUBLE, { 1, HEIGHT, WIDTH }, TRUE, FALSE, 1, TRUE },
    { "8 bits", H5T_NATIVE_UINT8, { 1, HEIGHT, WIDTH }, FALSE, FALSE, 4, TRUE },
    { "16 bits", H5T_NATIVE_UINT16, { 1, HEIGHT, WIDTH }, TRUE, FALSE, 4, TRUE },
    { "the other order", other_order, { 1, HEIGHT, WIDTH }, TRUE, FALSE, 4, FALSE },
    { "signed", H5T_NATIVE_INT16, { 1, HEIGHT, WIDTH }, TRUE, FALSE, 4, FALSE },
    { "sums", H5T_NATIVE_FLOAT, { 1, HEIGHT, WIDTH }, TRUE, TRUE, 4, FALSE },
    { "not compressed", H5T_NATIVE_FLOAT, { 1, HEIGHT, WIDTH }, TRUE, FALSE, -1, FALSE },
    { "two frames", H5T_NATIVE_FLOAT, { 2, HEIGHT, WIDTH }, TRUE, FALSE, 4, FALSE },
    { "half frames", H5T_NATIVE_FLOAT, { 1, HEIGHT / 2, WIDTH }, TRUE, FALSE, 4, FALSE },
    { "parts", H5T_NATIVE_FLOAT, { 1, HEIGHT, 33 }, TRUE, FALSE, 4, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree double *values = g_new (double, N *N_PIXELS);
      hid_t dataset, file = create_file (self, &cases[i], &dataset);

      g_test_message ("%s", cases[i].name);
      if (cases[i].expected)
        check_same (dataset);
      else
        g_assert_false (prism_hdf5_chunks_read (dataset, 0, N, values));
      H5Dclose (dataset);
      H5Fclose (file);
    }
}

/* Frames that are read here, for a chunk that is not. */
static hid_t
create_good (Fixture *self, hid_t *dataset)
{
  const Case good = { "good", H5T_NATIVE_FLOAT, { 1, HEIGHT, WIDTH }, FALSE, FALSE, 4, TRUE };

  return create_file (self, &good, dataset);
}

/* Writes a chunk that deflate made of so many bytes, without its last ones. */
static void
write_chunk (hid_t dataset, gsize n_bytes, gsize n_missing, uint32_t left_out)
{
  const hsize_t offset[3] = { 40, 0, 0 };
  uLongf n_packed = compressBound (n_bytes);
  g_autofree guint8 *bytes = g_malloc0 (n_bytes), *packed = g_malloc (n_packed);

  g_assert_cmpint (compress (packed, &n_packed, bytes, n_bytes), ==, Z_OK);
  g_assert_cmpint (H5Dwrite_chunk (dataset, H5P_DEFAULT, left_out, offset,
                                   left_out != 0 ? n_bytes : n_packed - n_missing,
                                   left_out != 0 ? bytes : packed),
                   >=, 0);
}

/* A chunk with too few or too many values, without its end, or that was not compressed. */
TEST_FIXTURE (broken, "/engine/hdf5-chunks/broken")
{
  const struct
  {
    gsize n_bytes, n_missing;
    uint32_t left_out;
    gboolean expected;
  } cases[] = {
    { 4 * N_PIXELS, 0, 0, TRUE },
    { 4 * N_PIXELS - 4, 0, 0, FALSE },
    { 4 * N_PIXELS + 4, 0, 0, FALSE },
    { 4 * N_PIXELS, 6, 0, FALSE },
    { 4 * N_PIXELS, 0, 1, FALSE },
    { 4 * N_PIXELS * 4000ul, 0, 0, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree double *values = g_new0 (double, N *N_PIXELS);
      hid_t dataset, file = create_good (self, &dataset);

      write_chunk (dataset, cases[i].n_bytes, cases[i].n_missing, cases[i].left_out);
      g_assert_true (prism_hdf5_chunks_read (dataset, 0, N, values) == cases[i].expected);
      g_assert_true (prism_hdf5_chunks_read (dataset, 0, 40, values));
      g_assert_true (prism_hdf5_chunks_read (dataset, 41, N - 41, values));
      H5Dclose (dataset);
      H5Fclose (file);
    }
}

/* A chunk that was never written has the fill value, which is the library's. */
TEST_FIXTURE (missing, "/engine/hdf5-chunks/missing")
{
  const hid_t file = H5Fcreate (self->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const Case empty = { "empty", H5T_NATIVE_FLOAT, { 1, HEIGHT, WIDTH }, FALSE, FALSE, 4, FALSE };
  const hid_t dataset = create_dataset (file, &empty);
  g_autofree double *values = g_new0 (double, N *N_PIXELS);

  write_chunk (dataset, 4 * N_PIXELS, 0, 0);
  g_assert_true (prism_hdf5_chunks_read (dataset, 40, 1, values));
  g_assert_false (prism_hdf5_chunks_read (dataset, 39, 2, values));
  g_assert_false (prism_hdf5_chunks_read (dataset, N - 1, 2, values));
  H5Dclose (dataset);
  H5Fclose (file);
}

/* What cannot be decompressed ends in the sentence that it always had. */
TEST_FIXTURE (sentence, "/engine/hdf5-chunks/sentence")
{
  g_autoptr (GError) error = NULL;
  hid_t dataset, file = create_good (self, &dataset);

  write_chunk (dataset, 4 * N_PIXELS, 6, 0);
  H5Dclose (dataset);
  H5Fclose (file);
  g_autoptr (PrismRecording) recording = prism_recording_load (self->path, NULL, &error);
  g_assert_null (recording);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  HAS (error->message, "the values of “ptychogram” are damaged");
  g_assert_null (strchr (error->message, '\n'));
}

/* Frames that are read together are all there, in their order. */
TEST_FIXTURE (recording, "/engine/hdf5-chunks/recording")
{
  g_autofree double *values = new_values ();
  hid_t dataset, file = create_good (self, &dataset);

  H5Dclose (dataset);
  H5Fclose (file);
  g_autoptr (PrismRecording) recording = MUST (prism_recording_load (self->path, NULL, &error));
  g_assert_cmpuint (recording->n_frames, ==, N);
  for (gsize i = 0; i < N * N_PIXELS; i++)
    g_assert_cmpfloat ((double) recording->frames[i], ==, values[i]);
}
