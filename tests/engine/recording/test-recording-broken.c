#include "../support/hdf5-file.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"
#include "recording/prism-recording.h"

#include <tiffio.h>

/* What is broken ends in one sentence: nothing else is read of it, and nothing crashes. */

#define N 3
#define S 4

FOLDER_FIXTURE ("broken")

static char *
dup_seed_path (const char *name)
{
  return g_build_filename (g_getenv ("G_TEST_SRCDIR"), "fuzz", "seeds", name, NULL);
}

/* Loads and checks; the error is a sentence. expected: (nullable): a part of it */
static void
check_refused (const char *path, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecording) recording = prism_recording_load (path, NULL, &error);

  if (recording != NULL)
    g_assert_false (prism_recording_check (recording, &error));
  g_assert_true (error != NULL && error->domain == PRISM_ERROR);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_null (strchr (error->message, '\n'));
  g_assert_nonnull (strchr (".?", error->message[strlen (error->message) - 1]));
  HAS (error->message, expected != NULL ? expected : "");
}

static const struct
{
  const char *name;
  double end; /* part of the file without which something is missing */
} seeds[] = {
  { "recording-hdf5/plain.hdf5", 1 },
  { "recording-hdf5/chunked.hdf5", 1 },
  { "recording-hdf5/latest.hdf5", 1 },
  { "recording-hdf5/small.cxi", 1 },
  { "recording-matlab/v5-0.mat", 0.6 },
  { "recording-matlab/v5-1.mat", 0.6 },
  { "recording-npz-stack/stored.npz", 1 },
  { "recording-npz-stack/deflated.npz", 1 },
  { "recording-npz-stack/stack.npy", 1 },
  { "recording-tiff-stack/u1.tif", 1 },
  { "recording-tiff-stack/f4.tif", 1 },
  { "recording-cube/cube.fits", 0.5 },
};

TEST_FIXTURE (whole, "/engine/recording-broken/whole")
{
  g_autofree float *first = NULL;

  for (gsize k = 0; k < G_N_ELEMENTS (seeds); k++)
    {
      g_autofree char *path = dup_seed_path (seeds[k].name);
      g_autoptr (PrismRecording) recording = MUST (prism_recording_load (path, NULL, &error));
      gboolean squared = strstr (seeds[k].name, "matlab") != NULL;

      g_assert_cmpuint (recording->n_frames, ==, N);
      g_assert_cmpuint (recording->height, ==, S);
      g_assert_cmpuint (recording->width, ==, S);
      if (first == NULL)
        first = g_memdup2 (recording->frames, N * S * S * sizeof *first);
      /* MATLAB's rows vary fastest, and its frames are amplitudes. */
      for (gsize i = 0; i < N * S * S; i++)
        g_assert_cmpfloat (recording->frames[i], ==, squared ? first[i] * first[i] : first[i]);
    }
}

TEST_FIXTURE (cut_off, "/engine/recording-broken/cut-off")
{
  for (gsize k = 0; k < G_N_ELEMENTS (seeds); k++)
    {
      g_autofree char *path = dup_seed_path (seeds[k].name), *bytes = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
      for (int i = 0; i < 9; i++)
        {
          gsize cut = (gsize) (length * seeds[k].end * i / 9.0);

          g_assert_true (g_file_set_contents (self->path, bytes, (gssize) cut, NULL));
          check_refused (self->path, NULL);
        }
      g_assert_true (g_file_set_contents (self->path, bytes,
                                          (gssize) (length * seeds[k].end) - 1, NULL));
      check_refused (self->path, NULL);
    }
}

/* What of a file of PtyLab's is not as it should be. */
typedef struct
{
  const char *name;
  int n_dims;
  hsize_t shape[4];
  double value;
  const char *expected;
} Change;

/* Scalars with a wrong value or shape; arrays with a wrong shape; value NAN: nothing is written. */
static const Change changes[] = {
  { "ptychogram", 0, { 0 }, 1, "no stack" },
  { "ptychogram", 1, { 48 }, 1, "no stack" },
  { "ptychogram", 2, { 4, 12 }, 1, "no stack" },
  { "ptychogram", 4, { 3, 2, 4, 4 }, 1, "should be 6 × 2" },
  { "ptychogram", 4, { 2, 9, 9, 3 }, 1, "a fourth dimension" },
  { "ptychogram", 3, { 3, 1, 4 }, 1, "no stack" },
  { "ptychogram", 3, { 1, 4, 4 }, 1, "has one frame" },
  { "ptychogram", 3, { 4, 4, 4 }, 1, "should be 4 × 2" },
  { "ptychogram", 3, { 3, 4, 4 }, NAN, "no numbers" },
  { "ptychogram", 3, { 3, 4, 4 }, INFINITY, "no numbers" },
  { "ptychogram", 3, { 3, 4, 4 }, 0, "no light" },
  { "ptychogram", 3, { 3, 4, 4 }, -1, "no light" },
  { "ptychogram", 3, { 3, 4, 4 }, 1e200, "no numbers" },
  { "ptychogram", 3, { 3, 0, 4 }, 1, "cannot be used: it is empty" },
  { "ptychogram", 3, { 3, 4, 20000 }, 1, "16384" },
  { "ptychogram", 3, { 70000, 2, 3 }, 1, "65536" },
  { "encoder", 0, { 0 }, 0, "should be 3 × 2" },
  { "encoder", 1, { 6 }, 0, "should be 3 × 2" },
  { "encoder", 2, { 2, 2 }, 0, "should be 3 × 2" },
  { "encoder", 2, { 4, 2 }, 0, "should be 3 × 2" },
  { "encoder", 2, { 3, 1 }, 0, "should be 3 × 2" },
  { "encoder", 2, { 3, 4 }, 0, "should be 3 × 2" },
  { "encoder", 2, { 1, 3 }, 0, "should be 3 × 2" },
  { "encoder", 3, { 3, 2, 1 }, 0, "should be 3 × 2" },
  { "encoder", 2, { 3, 2 }, NAN, "numbers for the places of" },
  { "encoder", 2, { 3, 2 }, INFINITY, "numbers for the places of" },
  { "encoder", 2, { 3, 2 }, 0, "same place" },
  { "encoder", 2, { 3, 2 }, 4e-9, "same place" },
  { "wavelength", 0, { 0 }, 0, "another unit" },
  { "wavelength", 0, { 0 }, -630e-9, "another unit" },
  { "wavelength", 0, { 0 }, NAN, "no finite" },
  { "wavelength", 0, { 0 }, INFINITY, "no finite" },
  { "wavelength", 2, { 3, 3 }, 630e-9, "not one real number" },
  { "dxd", 2, { 2, 1 }, 1e-6, "not one real number" },
  { "dxd", 0, { 0 }, 0, "another unit" },
  { "dxd", 0, { 0 }, -1, "another unit" },
  { "dxd", 0, { 0 }, NAN, "no finite" },
  { "magnification", 2, { 5, 1 }, 2, "not one real number" },
  { "magnification", 0, { 0 }, 0, "says 0 for the magnification" },
  { "magnification", 0, { 0 }, -2, "says -2 for the magnification" },
  { "magnification", 0, { 0 }, NAN, "no finite" },
  { "zled", 2, { 3, 1 }, 0.1, "not one real number" },
  { "zled", 0, { 0 }, 0, "another unit" },
  { "zled", 0, { 0 }, 90e9, "another unit" },
  { "zled", 0, { 0 }, 9e-5, "same unit" },
  { "zled", 0, { 0 }, NAN, "no finite" },
  { "NA", 2, { 1, 2 }, 0.1, "not one real number" },
  { "NA", 0, { 0 }, 0, "aperture" },
  { "NA", 0, { 0 }, -0.1, "aperture" },
  { "NA", 0, { 0 }, 10, "aperture" },
  { "NA", 0, { 0 }, NAN, "no finite" },
  { "k_na", 2, { 3, 2 }, 2, "direction cosines" },
  { "k_na", 2, { 3, 2 }, 0, "same place" },
  { "k_na", 2, { 3, 2 }, NAN, "numbers for the places of" },
  { "k_na", 2, { 2, 2 }, 0, "should be 3 × 2" },
  { "k_na", 1, { 3 }, 0, "should be 3 × 2" },
};

/* Of the fields of a whole file each is there but the one that is changed, or left out. */
static void
write_file (const char *path, const Change *change, hid_t type, hid_t plist, gboolean leave_out)
{
  static const Change whole[] = {
    { "ptychogram", 3, { N, S, S }, 1 },
    { "encoder", 2, { N, 2 }, 4e-3 },
    { "wavelength", 0, { 0 }, 630e-9 },
    { "dxd", 0, { 0 }, 1.8e-6 },
    { "magnification", 0, { 0 }, 1 },
    { "zled", 0, { 0 }, 0.09 },
    { "NA", 0, { 0 }, 0.1 },
  };
  Hdf5File file = hdf5_file_create (path);

  for (gsize k = 0; k <= G_N_ELEMENTS (whole); k++)
    {
      const Change *field = k < G_N_ELEMENTS (whole) ? &whole[k] : change;
      gboolean changed = field == change;
      gsize n = 1;

      if ((changed && leave_out) || (!changed && strcmp (field->name, change->name) == 0))
        continue;
      for (int i = 0; i < field->n_dims; i++)
        n *= field->shape[i];
      g_autofree double *values = g_new (double, MAX (n, 1));
      /* Positions differ in their order of size from one frame to the next. */
      for (gsize i = 0; i < n; i++)
        values[i] = field->n_dims >= 2 ? field->value * i * i : field->value;
      if (field->n_dims == 2 && !isfinite (field->value))
        values[0] = field->value;
      file.type = changed ? type : H5T_NATIVE_DOUBLE;
      file.plist = changed ? plist : H5P_DEFAULT;
      hdf5_file_add (&file, field->name, field->n_dims, field->shape, values);
    }
  hdf5_file_close (&file);
}

TEST_FIXTURE (fields, "/engine/recording-broken/fields")
{
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_test_message ("%s: %g", changes[i].name, changes[i].value);
      write_file (self->path, &changes[i], H5T_NATIVE_DOUBLE, H5P_DEFAULT, FALSE);
      check_refused (self->path, changes[i].expected);
    }
}

TEST_FIXTURE (missing_fields, "/engine/recording-broken/missing-fields")
{
  static const char *const needed[][2] = {
    { "ptychogram", "no stack" },
    { "encoder", "CSV" },
    { "wavelength", "wavelength" },
    { "dxd", "pixel_size" },
    { "magnification", "magnification=4" },
    { "zled", "distance" },
    { "NA", "na" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (needed); i++)
    {
      const Change change = { needed[i][0] };

      write_file (self->path, &change, H5T_NATIVE_DOUBLE, H5P_DEFAULT, TRUE);
      check_refused (self->path, needed[i][1]);
    }
}

/* Types that are no real numbers, and layouts that are not read. */
TEST_FIXTURE (types, "/engine/recording-broken/types")
{
  const Change frames = { "ptychogram", 3, { N, S, S }, 1 };
  const Change numbers[] = { { "wavelength", 0, { 0 }, 1 }, { "encoder", 2, { N, 2 }, 1 } };
  hid_t complex = H5Tcreate (H5T_COMPOUND, 16), text = H5Tcopy (H5T_C_S1);
  hid_t array = H5Tarray_create2 (H5T_NATIVE_DOUBLE, 1, (hsize_t[]) { 2 });
  hid_t opaque = H5Tcreate (H5T_OPAQUE, 8);
  const hid_t types[] = { complex, text, array, opaque };

  H5Tinsert (complex, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert (complex, "i", 8, H5T_NATIVE_DOUBLE);
  H5Tset_size (text, 8);
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    for (gsize k = 0; k <= G_N_ELEMENTS (numbers); k++)
      {
        const Change *change = k < G_N_ELEMENTS (numbers) ? &numbers[k] : &frames;

        write_file (self->path, change, H5T_NATIVE_DOUBLE, H5P_DEFAULT, TRUE);
        Hdf5File file = hdf5_file_create (self->path);
        file.type = types[i];
        if (k < G_N_ELEMENTS (numbers))
          {
            file.type = H5T_NATIVE_DOUBLE;
            hdf5_file_add (&file, "ptychogram", 3, frames.shape, (double[N * S * S]) { 1 });
            file.type = types[i];
          }
        hdf5_file_add (&file, change->name, change->n_dims, change->shape, NULL);
        hdf5_file_close (&file);
        check_refused (self->path, NULL);
      }
  H5Tclose (complex);
  H5Tclose (text);
  H5Tclose (array);
  H5Tclose (opaque);
}

TEST_FIXTURE (layouts, "/engine/recording-broken/layouts")
{
  const hsize_t shape[] = { N, S, S }, huge[] = { 60000, 16000, 16000 };
  const hid_t plists[] = { H5Pcreate (H5P_DATASET_CREATE), H5Pcreate (H5P_DATASET_CREATE),
                           H5Pcreate (H5P_DATASET_CREATE) };

  /* Nothing was written; a shape of terabytes of which nothing is there; values in another file. */
  H5Pset_chunk (plists[1], 3, (hsize_t[]) { 1, 16, 16 });
  H5Pset_external (plists[2], "/dev/zero", 0, H5F_UNLIMITED);
  for (int i = 0; i < 3; i++)
    {
      Hdf5File file = hdf5_file_create (self->path);

      file.plist = plists[i];
      hdf5_file_add (&file, "ptychogram", 3, i == 1 ? huge : shape, NULL);
      hdf5_file_close (&file);
      check_refused (self->path, i < 2 ? "ever written" : "other files");
      H5Pclose (plists[i]);
    }
}

/* Two pages of 4×4 pixels of 8 bits whose values mean something else than light. */
TEST_FIXTURE (tiff_meanings, "/engine/recording-broken/tiff-meanings")
{
  static const struct
  {
    guint16 photometric;
    const char *expected;
  } meanings[] = { { PHOTOMETRIC_PALETTE, "palette" }, { PHOTOMETRIC_MINISWHITE, "black is 0" } };
  static const guint16 colors[256] = { 0, 65535 };
  static guint8 values[16] = { 1, 2, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (meanings); i++)
    {
      TIFF *tiff = TIFFOpen (self->path, "w");

      g_assert_nonnull (tiff);
      for (int page = 0; page < 2; page++)
        {
          TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, 4);
          TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, 4);
          TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 8);
          TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, 4);
          TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, meanings[i].photometric);
          if (meanings[i].photometric == PHOTOMETRIC_PALETTE)
            TIFFSetField (tiff, TIFFTAG_COLORMAP, colors, colors, colors);
          g_assert_cmpint (TIFFWriteEncodedStrip (tiff, 0, values, 16), ==, 16);
          g_assert_true (TIFFWriteDirectory (tiff));
        }
      TIFFClose (tiff);
      check_refused (self->path, meanings[i].expected);
    }
}

/* A variable of MATLAB 5 with a name and nothing behind it that can be. class: 1 for a cell, 2 for
 * a structure, 17 for what has no dimensions. name: 4 letters. */
static void
append_other (GByteArray *bytes, guint32 class, const char *name)
{
  const guint32 flags[] = { 6, 8, class, 0 }, dims[] = { 5, 8, 1, 1 };
  const guint32 head[] = { 14, (guint32) (sizeof flags + 8 + 64 + (class < 17 ? 16 : 0)) };
  const guint32 title[] = { 1 | 4 << 16 };

  g_byte_array_append (bytes, (const guint8 *) head, sizeof head);
  g_byte_array_append (bytes, (const guint8 *) flags, sizeof flags);
  if (class < 17)
    g_byte_array_append (bytes, (const guint8 *) dims, sizeof dims);
  g_byte_array_append (bytes, (const guint8 *) title, sizeof title);
  g_byte_array_append (bytes, (const guint8 *) name, 4);
  for (guint i = 0; i < 64; i++)
    g_byte_array_append (bytes, &(guint8) { 0xfe }, 1);
}

/* The bytes of a seed, to which others are appended: (transfer full) */
static GByteArray *
load_seed (const char *name)
{
  g_autofree char *path = dup_seed_path (name);
  char *text;
  gsize length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  return g_byte_array_new_take ((guint8 *) text, length);
}

static void
write_bytes (const Fixture *self, const GByteArray *bytes)
{
  g_assert_true (g_file_set_contents (self->path, (const char *) bytes->data, bytes->len, NULL));
}

/* What MATLAB saves beside arrays is passed over, even where it is damaged itself. */
TEST_FIXTURE (matlab_others, "/engine/recording-broken/matlab-others")
{
  static const char *const seeds[] = { "recording-matlab/v5-0.mat", "recording-matlab/v5-1.mat" };

  for (gsize k = 0; k < G_N_ELEMENTS (seeds); k++)
    {
      g_autofree char *path = dup_seed_path (seeds[k]);
      g_autoptr (GByteArray) seed = load_seed (seeds[k]), bytes = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (PrismRecording) plain = prism_recording_load (path, NULL, NULL);

      g_byte_array_append (bytes, seed->data, 128);
      append_other (bytes, 2, "para");
      append_other (bytes, 17, "name");
      g_byte_array_append (bytes, seed->data + 128, seed->len - 128);
      append_other (bytes, 1, "list");
      guint64 subsystem = bytes->len;
      memcpy (bytes->data + 116, &subsystem, sizeof subsystem);
      append_other (bytes, 9, "\0\0\0\0");
      write_bytes (self, bytes);
      g_autoptr (PrismRecording) recording = MUST (prism_recording_load (self->path, NULL, &error));
      g_assert_cmpuint (recording->n_frames, ==, N);
      g_assert_cmpmem (recording->frames, N * S * S * sizeof (float), plain->frames,
                       N * S * S * sizeof (float));
      /* What is missing may lie in them. */
      recording->wavelength = NAN;
      g_assert_false (prism_recording_check (recording, &error));
      HAS (error->message, "“para”");
      plain->wavelength = NAN;
      g_clear_error (&error);
      g_assert_false (prism_recording_check (plain, &error));
      LACKS (error->message, "Only arrays were read");
    }
}

/* One whose name cannot be read counts, too: the arrays are read without it. */
TEST_FIXTURE (matlab_nameless, "/engine/recording-broken/matlab-nameless")
{
  g_autoptr (GByteArray) bytes = load_seed ("recording-matlab/v5-0.mat");
  g_autoptr (GError) error = NULL;
  const guint length = bytes->len;

  append_other (bytes, 1, "list");
  bytes->data[length + 26] = 5; /* the dimensions' tag */
  write_bytes (self, bytes);
  g_autoptr (PrismRecording) recording = MUST (prism_recording_load (self->path, NULL, &error));
  g_assert_cmpuint (recording->n_frames, ==, N);
  recording->wavelength = NAN;
  g_assert_false (prism_recording_check (recording, &error));
  HAS (error->message, "“?”");
}

/* Without an array there is nothing to read. */
TEST_FIXTURE (matlab_others_alone, "/engine/recording-broken/matlab-others-alone")
{
  g_autoptr (GByteArray) bytes = load_seed ("recording-matlab/v5-0.mat");

  g_byte_array_set_size (bytes, 128);
  append_other (bytes, 2, "para");
  write_bytes (self, bytes);
  check_refused (self->path, "cells, structures");
}

/* Names and bytes that are none of the formats. */
TEST_FIXTURE (no_recordings, "/engine/recording-broken/no-recordings")
{
  static const char *const texts[] = {
    "", "x", "\211HDF\r\n\032\n", "\211HDF", "MATLAB 5.0 MAT-file", "SIMPLE  =", "II*", "MM",
    "PK\003\004", "\223NUMPY", "%PDF-1.4", "<html></html>", "frame,x,y\n0,0,0\n", "\377\330\377\340"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_true (g_file_set_contents (self->path, texts[i], -1, NULL));
      check_refused (self->path, NULL);
    }
  check_refused (self->directory, NULL);
  check_refused ("/does/not/exist.hdf5", NULL);
}
