#include "config.h"

#include "recording/prism-recording-save.h"

#include "recording/prism-recording-save-private.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "formats/prism-archive.h"
#include "formats/prism-npy.h"
#include "formats/prism-hdf5.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

static gboolean
set_save_error (GError **error,
                const char *path)
{
  g_autofree char *name = prism_file_dup_display_name (path);

  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
               "“%s” cannot be written. Free some space, or choose another place.", name);
  return FALSE;
}

/**
 * prism_recording_save_hdf5_array:
 * @file: an HDF5 file
 * @name: path of the array in it, whose groups are there
 * @n_dims: number of dimensions; 0: one value
 * @shape: (nullable): their lengths
 * @stored: type in the file
 * @type: type of @values
 * @values: values in the order of C
 *
 * Writes an array; a stack of frames is packed.
 *
 * Returns: whether it was written
 */
gboolean
prism_recording_save_hdf5_array (hid_t file,
                                 const char *name,
                                 int n_dims,
                                 const hsize_t *shape,
                                 hid_t stored,
                                 hid_t type,
                                 const void *values)
{
  hid_t plist = H5Pcreate (H5P_DATASET_CREATE);
  hid_t space = n_dims > 0 ? H5Screate_simple (n_dims, shape, NULL) : H5Screate (H5S_SCALAR);
  hid_t dataset;
  gboolean ok;

  /* One frame is one chunk, so that one can be read without the others. */
  if (n_dims == 3)
    {
      H5Pset_chunk (plist, 3, (hsize_t[]) { 1, shape[1], shape[2] });
      H5Pset_deflate (plist, 4);
    }
  dataset = H5Dcreate2 (file, name, stored, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  ok = dataset >= 0 && H5Dwrite (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (dataset >= 0)
    H5Dclose (dataset);
  H5Sclose (space);
  H5Pclose (plist);
  return ok;
}

/**
 * prism_recording_save_hdf5_number:
 * @file: where to
 * @name: of the array without dimensions
 * @value: NAN where it is not known: then nothing is written
 *
 * Returns: whether it went well
 */
gboolean
prism_recording_save_hdf5_number (hid_t file,
                                  const char *name,
                                  double value)
{
  return isnan (value)
         || prism_recording_save_hdf5_array (file, name, 0, NULL, H5T_NATIVE_DOUBLE,
                                             H5T_NATIVE_DOUBLE, &value);
}

/**
 * prism_recording_save_place:
 * @self: a recording with positions
 * @frame: from 0
 * @place: (out) (array fixed-size=2): x and y in metres
 *
 * Says where a light lies after rotation and shift, which the formats do not know.
 */
void
prism_recording_save_place (const PrismRecording *self,
                            gsize frame,
                            double place[2])
{
  const double cosine = cos (self->rotation * G_PI / 180);
  const double sine = sin (self->rotation * G_PI / 180);
  const double x = self->positions[2 * frame], y = self->positions[2 * frame + 1];

  place[0] = cosine * x - sine * y + self->shift[0];
  place[1] = sine * x + cosine * y + self->shift[1];
}

/* y first, as PtyLab has it; LEDs as they lie after rotation and shift, which it does not know. */
static gboolean
write_encoder (const PrismRecording *self,
               hid_t file)
{
  g_autofree double *encoder = g_new (double, 2 * (gsize) self->n_frames);

  if (self->positions == NULL)
    return TRUE;
  for (gsize j = 0; j < self->n_frames; j++)
    {
      double place[2];

      prism_recording_save_place (self, j, place);
      encoder[2 * j] = place[1];
      encoder[2 * j + 1] = place[0];
    }
  return prism_recording_save_hdf5_array (file, "encoder", 2, (hsize_t[]) { self->n_frames, 2 },
                                          H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, encoder);
}

static gboolean
write_directions (const PrismRecording *self,
                  hid_t file)
{
  g_autofree double *directions = g_new (double, 2 * (gsize) self->n_frames);

  if (self->directions == NULL)
    return TRUE;
  for (gsize i = 0; i < 2 * (gsize) self->n_frames; i++)
    directions[i] = -self->directions[i];
  return prism_recording_save_hdf5_array (file, "k_na", 2, (hsize_t[]) { self->n_frames, 2 },
                                          H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, directions);
}

/**
 * prism_recording_save_get_n_bytes:
 *
 * Returns: how many bytes frames, positions and directions take
 */
guint64
prism_recording_save_get_n_bytes (const PrismRecording *self)
{
  return (guint64) self->n_frames
         * (sizeof (float) * self->height * self->width + 4 * sizeof (double));
}

static gboolean
write_ptylab (const PrismRecording *self,
              const char *path)
{
  gboolean has_camera = isfinite (self->camera_pixel) && isfinite (self->magnification);
  hid_t file;
  gboolean ok;

  file = prism_hdf5_create (path, prism_recording_save_get_n_bytes (self));
  if (file < 0)
    return FALSE;
  ok = prism_recording_save_hdf5_array (file, "ptychogram", 3,
                                        (hsize_t[]) { self->n_frames, self->height, self->width },
                                        H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, self->frames)
       && write_encoder (self, file) && write_directions (self, file)
       && prism_recording_save_hdf5_number (file, "wavelength", self->wavelength)
       && prism_recording_save_hdf5_number (file, "dxd",
                                            has_camera ? self->camera_pixel : self->pixel_size)
       && prism_recording_save_hdf5_number (file, "magnification",
                                            has_camera ? self->magnification : 1)
       && prism_recording_save_hdf5_number (file, "zled", self->distance)
       && prism_recording_save_hdf5_number (file, "NA", self->na)
       && prism_recording_save_hdf5_number (file, "defocus", self->defocus);
  return H5Fclose (file) >= 0 && ok;
}

/**
 * prism_recording_save_with:
 * @path: file name
 * @write: writes the file
 *
 * What @write makes beside the file takes its place.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_with (const PrismRecording *self,
                           const char *path,
                           PrismRecordingWrite write,
                           GError **error)
{
  g_autofree char *temporary = NULL;

  /* A device or pipe would be replaced by a file. */
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return set_save_error (error, path);
  temporary = prism_file_dup_temporary (path, error);
  if (temporary == NULL)
    return FALSE;
  if (write (self, temporary))
    return prism_file_commit (temporary, path, error);
  unlink (temporary);
  return set_save_error (error, path);
}

/**
 * prism_recording_save_ptylab:
 * @path: file name, .hdf5
 *
 * Writes the fields that PtyLab reads of Fourier ptychography, and k_na, the directions behind the
 * slide, whose sign is opposite to ours.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_ptylab (const PrismRecording *self,
                             const char *path,
                             GError **error)
{
  return prism_recording_save_with (self, path, write_ptylab, error);
}

static gboolean
write_page (const PrismRecording *self,
            TIFF *tiff,
            guint j)
{
  gsize n_pixels = (gsize) self->height * self->width;
  float *frame = self->frames + j * n_pixels;

  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, self->width);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, self->height);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 32);
  TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, self->height);
  return TIFFWriteEncodedStrip (tiff, 0, frame, (tmsize_t) (n_pixels * sizeof *frame)) >= 0
         && TIFFWriteDirectory (tiff) == 1;
}

static int
on_tiff_error (TIFF *tiff,
               void *data,
               const char *module,
               const char *format,
               va_list arguments)
{
  return 1;
}

static gboolean
write_tiff (const PrismRecording *self,
            const char *path)
{
  gboolean large = (guint64) self->n_frames * self->height * self->width > (G_MAXUINT32 >> 3);
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  gboolean ok = TRUE;
  TIFF *tiff;

  TIFFOpenOptionsSetErrorHandlerExtR (options, on_tiff_error, NULL);
  tiff = TIFFOpenExt (path, large ? "w8" : "w", options);
  TIFFOpenOptionsFree (options);
  if (tiff == NULL)
    return FALSE;
  for (guint j = 0; j < self->n_frames && ok; j++)
    ok = write_page (self, tiff, j);
  TIFFClose (tiff);
  return ok;
}

/**
 * prism_recording_save_tiff:
 * @path: file name, .tif
 *
 * Writes the frames alone, a page of floats each; above 2 GiB as BigTIFF. What belongs to them is
 * written by prism_recording_save_table() and prism_recording_save_recipe().
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_tiff (const PrismRecording *self,
                           const char *path,
                           GError **error)
{
  return prism_recording_save_with (self, path, write_tiff, error);
}

/* Blocks of 2880 bytes: cards of 80 characters, then big-endian floats, the last axis first. */
static gboolean
write_fits (const PrismRecording *self,
            const char *path)
{
  const gsize n = (gsize) self->n_frames * self->height * self->width, block = 2880;
  const struct
  {
    const char *key;
    int value;
  } cards[] = { { "BITPIX", -32 },
                { "NAXIS", 3 },
                { "NAXIS1", (int) self->width },
                { "NAXIS2", (int) self->height },
                { "NAXIS3", (int) self->n_frames } };
  g_autoptr (GString) header = g_string_new (NULL);
  FILE *file = fopen (path, "wb");
  gboolean ok = file != NULL;

  if (!ok)
    return FALSE;
  g_string_append_printf (header, "%-8s= %20s%50s", "SIMPLE", "T", "");
  for (gsize i = 0; i < G_N_ELEMENTS (cards); i++)
    g_string_append_printf (header, "%-8s= %20d%50s", cards[i].key, cards[i].value, "");
  g_string_append_printf (header, "%-80s", "END");
  while (header->len % block != 0)
    g_string_append_c (header, ' ');
  ok = fwrite (header->str, 1, header->len, file) == header->len;
  for (gsize i = 0; i < n && ok; i++)
    {
      guint32 bits;

      memcpy (&bits, self->frames + i, sizeof bits);
      bits = GUINT32_TO_BE (bits);
      ok = fwrite (&bits, sizeof bits, 1, file) == 1;
    }
  for (gsize i = 4 * n; i % block != 0 && ok; i++)
    ok = fputc (0, file) != EOF;
  return fclose (file) == 0 && ok;
}

/**
 * prism_recording_save_fits:
 * @path: file name, .fits
 *
 * Writes the frames alone, as a cube of floats. What belongs to them is written by
 * prism_recording_save_table() and prism_recording_save_recipe().
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_fits (const PrismRecording *self,
                           const char *path,
                           GError **error)
{
  return prism_recording_save_with (self, path, write_fits, error);
}

/**
 * prism_recording_save_npy:
 * @path: file name, .npy
 *
 * Writes the frames alone, as an array of floats. What belongs to them is written by
 * prism_recording_save_table() and prism_recording_save_recipe().
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_npy (const PrismRecording *self,
                          const char *path,
                          GError **error)
{
  return prism_npy_save (path, self->frames, 3,
                         (gsize[]) { self->n_frames, self->height, self->width }, error);
}

static void
add_number (PrismArchiveWriter *writer,
            const char *name,
            float *value)
{
  if (isfinite (*value))
    prism_archive_writer_add_array (writer, name, value, 0, NULL);
}

/**
 * prism_recording_save_npz:
 * @path: file name, .npz
 *
 * Writes frames, directions and numbers as NumPy arrays of single precision.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_npz (const PrismRecording *self,
                          const char *path,
                          GError **error)
{
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, error);
  float numbers[] = { (float) self->wavelength, (float) self->pixel_size, (float) self->na,
                      (float) self->distance, (float) self->defocus };
  g_autofree float *directions = g_new (float, 2 * (gsize) self->n_frames);

  if (writer == NULL)
    return FALSE;
  prism_archive_writer_add_array (writer, "frames.npy", self->frames, 3,
                                  (gsize[]) { self->n_frames, self->height, self->width });
  for (gsize i = 0; self->directions != NULL && i < 2 * (gsize) self->n_frames; i++)
    directions[i] = (float) self->directions[i];
  if (self->directions != NULL)
    prism_archive_writer_add_array (writer, "directions.npy", directions, 2,
                                    (gsize[]) { self->n_frames, 2 });
  add_number (writer, "wavelength.npy", &numbers[0]);
  add_number (writer, "pixel_size.npy", &numbers[1]);
  add_number (writer, "na.npy", &numbers[2]);
  add_number (writer, "distance.npy", &numbers[3]);
  add_number (writer, "defocus.npy", &numbers[4]);
  return prism_archive_writer_finish (writer, error);
}

/**
 * prism_recording_save_table:
 * @path: file name, .csv
 *
 * Writes positions and directions of the frames as prism_recording_load_positions() reads them.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_table (const PrismRecording *self,
                            const char *path,
                            GError **error)
{
  g_autoptr (GString) table = g_string_new ("frame");

  g_string_append (table, self->positions != NULL ? ",x,y" : "");
  g_string_append (table, self->directions != NULL ? ",na_x,na_y\n" : "\n");
  for (gsize j = 0; j < self->n_frames; j++)
    {
      g_string_append_printf (table, "%u", (guint) j);
      for (gsize k = 0; k < 2 && self->positions != NULL; k++)
        {
          g_string_append_c (table, ',');
          prism_csv_append_number (table, self->positions[2 * j + k]);
        }
      for (gsize k = 0; k < 2 && self->directions != NULL; k++)
        {
          g_string_append_c (table, ',');
          prism_csv_append_number (table, -self->directions[2 * j + k]);
        }
      g_string_append_c (table, '\n');
    }
  return prism_file_save (path, table->str, table->len, error);
}

/**
 * prism_recording_save_recipe:
 * @path: file name, .prism
 *
 * Writes the numbers of the instrument as a recipe, for frames whose file cannot hold them.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_recipe (const PrismRecording *self,
                             const char *path,
                             GError **error)
{
  const struct
  {
    const char *key;
    double value;
  } numbers[] = {
    { "wavelength", self->wavelength },
    { "pixel_size", self->pixel_size },
    { "na", self->na },
    { "distance", self->distance },
    { "defocus", self->defocus },
  };
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      char text[G_ASCII_DTOSTR_BUF_SIZE];

      if (isfinite (numbers[i].value)
          && !prism_recipe_set (recipe, numbers[i].key,
                                g_ascii_dtostr (text, sizeof text, numbers[i].value), error))
        return FALSE;
    }
  return prism_recipe_save (recipe, path, error);
}
