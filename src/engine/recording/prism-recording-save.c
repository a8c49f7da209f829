#include "config.h"

#include "recording/prism-recording-save.h"

#include "base/prism-each.h"
#include "base/prism-number.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-archive.h"
#include "formats/prism-nexus.h"
#include "formats/prism-npy.h"
#include "formats/prism-strip-writer.h"
#include "recording/prism-recording-private.h"

#include <tiffio.h>

/* A number that is left out where it is not known. */
typedef struct
{
  const char *name;
  double value;
} Number;

static gboolean
fail (const char *path,
      GError **error)
{
  return prism_error_io (error,
                         _ ("“%s” cannot be written. Free some space, or choose another place."),
                         path);
}

/* n numbers a frame: x, y and 0 of LEDs as they lie after rotation and shift, which other programs
 * do not know; backwards: y first */
static double *
dup_places (const PrismRecording *self,
            gsize n,
            gboolean backwards)
{
  const double cosine = cos (self->rotation * G_PI / 180);
  const double sine = sin (self->rotation * G_PI / 180);
  double *places = self->positions != NULL ? g_new0 (double, n * self->n_frames) : NULL;

  for (gsize j = 0; places != NULL && j < self->n_frames; j++)
    {
      const double x = self->positions[2 * j], y = self->positions[2 * j + 1];

      places[n * j + backwards] = cosine * x - sine * y + self->shift[0];
      places[n * j + !backwards] = sine * x + cosine * y + self->shift[1];
    }
  return places;
}

/* y first, as PtyLab has it. */
static void
list_ptylab (const PrismRecording *self,
             PrismNexus *file,
             const double *places,
             const double *directions)
{
  const gboolean has_camera = isfinite (self->camera_pixel) && isfinite (self->magnification);
  const gsize shape[] = { self->n_frames, self->height, self->width };
  const gsize pairs[] = { self->n_frames, 2 };

  prism_nexus_array (file, "ptychogram", PRISM_NEXUS_FRAMES, 3, shape, self->frames, NULL);
  prism_nexus_array (file, "encoder", PRISM_NEXUS_DOUBLE, 2, pairs, places, NULL);
  prism_nexus_array (file, "k_na", PRISM_NEXUS_DOUBLE, 2, pairs, directions, NULL);
  prism_nexus_number (file, "wavelength", self->wavelength, NULL);
  prism_nexus_number (file, "dxd", has_camera ? self->camera_pixel : self->pixel_size, NULL);
  prism_nexus_number (file, "magnification", has_camera ? self->magnification : 1, NULL);
  prism_nexus_number (file, "zled", self->distance, NULL);
  prism_nexus_number (file, "NA", self->na, NULL);
  prism_nexus_number (file, "defocus", self->defocus, NULL);
}

#define CXI_SOURCE "entry_1/instrument_1/source_1"
#define CXI_DETECTOR "entry_1/instrument_1/detector_1"

/* The frames are the detector's; data_1 is a link to them, as CXI has it. Of each LED x, y and z.
 * Source: CXI 1.4. */
static void
list_cxi (const PrismRecording *self,
          PrismNexus *file,
          const double *places,
          const double *directions)
{
  static const int version = 140;
  const gsize shape[] = { self->n_frames, self->height, self->width };

  prism_nexus_array (file, "cxi_version", PRISM_NEXUS_UINT32, 0, NULL, &version, NULL);
  prism_nexus_array (file, CXI_DETECTOR "/data", PRISM_NEXUS_FRAMES, 3, shape, self->frames, NULL);
  prism_nexus_link (file, "entry_1/data_1/data", CXI_DETECTOR "/data");
  prism_nexus_number (file, CXI_SOURCE "/wavelength", self->wavelength, NULL);
  prism_nexus_number (file, CXI_SOURCE "/energy",
                      prism_recording_units_get_photon (self->wavelength), NULL);
  prism_nexus_number (file, CXI_DETECTOR "/distance", self->distance, NULL);
  prism_nexus_number (file, CXI_DETECTOR "/x_pixel_size", self->camera_pixel, NULL);
  prism_nexus_number (file, CXI_DETECTOR "/y_pixel_size", self->camera_pixel, NULL);
  prism_nexus_array (file, "entry_1/sample_1/geometry_1/translation", PRISM_NEXUS_DOUBLE, 2,
                     (gsize[]) { self->n_frames, 3 }, places, NULL);
}

static gboolean
save_hdf5 (const PrismRecording *self,
           const char *path,
           gboolean is_cxi,
           GError **error)
{
  const gsize n = 2 * (gsize) self->n_frames;
  g_autoptr (PrismNexus) file = prism_nexus_new (NULL);
  g_autofree double *places = dup_places (self, is_cxi ? 3 : 2, !is_cxi);
  g_autofree double *directions = self->directions != NULL ? g_new (double, n) : NULL;

  for (gsize i = 0; directions != NULL && i < n; i++)
    directions[i] = -self->directions[i];
  (is_cxi ? list_cxi : list_ptylab) (self, file, places, directions);
  return prism_nexus_save (file, path, NULL, error);
}

/* An array of MATLAB: rows vary fastest. */
typedef struct
{
  const char *name;
  int n_dims;
  guint32 dims[3];
  gpointer values; /* floats where there are three dimensions, else doubles */
} MatlabArray;

static void
clear_matlab (gpointer data)
{
  g_free (((MatlabArray *) data)->values);
}

/* The frames as imlow(y, x, frame), a row of positions and na_xy for each, whose sign is opposite
 * to ours, and the numbers. Returns them (of MatlabArray), none without memory */
static GArray *
make_matlab (const PrismRecording *self)
{
  const gsize h = self->height, w = self->width, n = self->n_frames;
  const Number numbers[] = {
    { "wavelength", self->wavelength },
    { "pixel_size", self->pixel_size },
    { "NA", self->na },
    { "distance", self->distance },
    { "defocus", self->defocus },
    { "rotation", self->rotation },
    { "shift_x", self->shift[0] },
    { "shift_y", self->shift[1] },
  };
  const double *const pairs[2] = { self->positions, self->directions };
  float *turned = g_try_new (float, n *h *w);
  MatlabArray array = { "imlow", 3, { (guint32) h, (guint32) w, (guint32) n }, turned };
  GArray *arrays = g_array_new (FALSE, FALSE, sizeof array);

  g_array_set_clear_func (arrays, clear_matlab);
  if (turned == NULL)
    return arrays;
  for (gsize j = 0; j < n; j++)
    for (gsize y = 0; y < h; y++)
      for (gsize x = 0; x < w; x++)
        turned[(j * w + x) * h + y] = self->frames[(j * h + y) * w + x];
  g_array_append_val (arrays, array);
  for (gsize k = 0; k < 2; k++)
    {
      double *columns = pairs[k] != NULL ? g_new (double, 2 * n) : NULL;

      array = (MatlabArray) { k == 0 ? "positions" : "na_xy", 2, { (guint32) n, 2 }, columns };
      for (gsize i = 0; columns != NULL && i < 2 * n; i++)
        columns[i % 2 * n + i / 2] = k == 0 ? pairs[k][i] : -pairs[k][i];
      if (columns != NULL)
        g_array_append_val (arrays, array);
    }
  PRISM_FOR_EACH_OF (number, numbers)
    if (!isnan (number->value))
      {
        array = (MatlabArray) { number->name, 2, { 1, 1 }, NULL };
        array.values = g_memdup2 (&number->value, sizeof number->value);
        g_array_append_val (arrays, array);
      }
  return arrays;
}

/* HDF5 whose dimensions are in the other order. */
static gboolean
save_matlab73 (const PrismRecording *self,
               const char *path,
               GError **error)
{
  g_autoptr (GArray) arrays = make_matlab (self);
  g_autoptr (PrismNexus) file = prism_nexus_new (NULL);

  PRISM_FOR_EACH (const MatlabArray, array, arrays)
    {
      const gboolean is_single = array->n_dims == 3;
      const guint32 *d = array->dims;
      const gsize shape[] = { is_single ? d[2] : d[1], is_single ? d[1] : d[0], d[0] };

      prism_nexus_array (file, array->name, is_single ? PRISM_NEXUS_FRAMES : PRISM_NEXUS_DOUBLE,
                         array->n_dims, shape, array->values, NULL);
      prism_nexus_attribute (file, array->name, "MATLAB_class",
                             (const char *const[]) { is_single ? "single" : "double", NULL });
    }
  return arrays->len > 0
             ? prism_nexus_save (file, path, "MATLAB 7.3 MAT-file, written by PRISM Studio", error)
             : fail (path, error);
}

/* A matrix: tag, flags, dimensions, name and values, each from a multiple of 8 bytes on. */
static gboolean
write_matrix (FILE *file,
              const MatlabArray *array)
{
  static const guint8 zeros[8] = { 0 };
  const gboolean is_single = array->n_dims == 3;
  const guint n_dims = (guint) array->n_dims, n_name = (guint) strlen (array->name);
  const guint32 n_bytes = array->dims[0] * array->dims[1]
                          * (is_single ? array->dims[2] * (guint) sizeof (float)
                                       : (guint) sizeof (double));
  const guint32 n_head = 16 + 8 + (n_dims + 1) / 2 * 8 + 8 + (n_name + 7) / 8 * 8 + 8;
  const guint32 flags[] = { 14, n_head + (n_bytes + 7) / 8 * 8, 6, 8, is_single ? 7 : 6, 0, 5,
                            4 * n_dims };
  const guint32 name[] = { 1, n_name }, data[] = { is_single ? 7 : 9, n_bytes };
  const struct
  {
    gconstpointer bytes;
    gsize n;
  } parts[] = {
    { flags, sizeof flags },
    { array->dims, 4 * n_dims },
    { name, sizeof name },
    { array->name, n_name },
    { data, sizeof data },
    { array->values, n_bytes },
  };
  gboolean ok = TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS (parts) && ok; i++)
    ok = fwrite (parts[i].bytes, 1, parts[i].n, file) == parts[i].n
         && fwrite (zeros, 1, -parts[i].n % 8, file) == -parts[i].n % 8;
  return ok;
}

static gboolean
save_matlab (const PrismRecording *self,
             const char *path,
             GError **error)
{
  g_autoptr (GArray) arrays = make_matlab (self);
  g_autofree char *temporary = prism_file_dup_temporary (path, error);
  FILE *file = temporary != NULL ? fopen (temporary, "wb") : NULL;
  const guint16 order[] = { 0x100, 'M' << 8 | 'I' };
  gboolean ok = file != NULL && arrays->len > 0
                && fprintf (file, "%-116s", "MATLAB 5.0 MAT-file, written by PRISM Studio") > 0
                && fwrite (&(guint64) { 0 }, 8, 1, file) == 1
                && fwrite (order, sizeof order, 1, file) == 1;

  if (temporary == NULL)
    return FALSE;
  PRISM_FOR_EACH (const MatlabArray, array, arrays)
    ok = ok && write_matrix (file, array);
  if (file != NULL && fclose (file) == 0 && ok)
    return prism_file_commit (temporary, path, error);
  unlink (temporary);
  return fail (path, error);
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

static TIFF *
open_tiff (const char *path)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  TIFF *tiff;

  TIFFOpenOptionsSetErrorHandlerExtR (options, on_tiff_error, NULL);
  tiff = TIFFOpenExt (path, "w", options);
  TIFFOpenOptionsFree (options);
  return tiff;
}

/* values: [height][width] of floats, or of guint16 */
static gboolean
write_page (TIFF *tiff,
            const PrismRecording *self,
            gpointer values,
            gsize value_size)
{
  const gsize n_pixels = (gsize) self->height * self->width;

  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, self->width);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, self->height);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, (int) (8 * value_size));
  TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT,
                value_size == sizeof (float) ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, self->height);
  return TIFFWriteEncodedStrip (tiff, 0, values, (tmsize_t) (n_pixels * value_size)) >= 0
         && TIFFWriteDirectory (tiff) == 1;
}

static gboolean
save_stack (const PrismRecording *self,
            const char *path,
            GError **error)
{
  g_autoptr (PrismStripWriter) writer
      = prism_strip_writer_new (path, (int) self->height, (int) self->width, (int) self->n_frames,
                                0, 1, error);

  return writer != NULL
         && prism_strip_writer_add (writer, self->frames, (int) (self->n_frames * self->height),
                                    error)
         && prism_strip_writer_save (writer, error);
}

static gboolean
save_npz (const PrismRecording *self,
          const char *path,
          GError **error)
{
  static const char *const names[]
      = { "wavelength.npy", "pixel_size.npy", "na.npy", "distance.npy", "defocus.npy" };
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, error);
  const float numbers[] = { (float) self->wavelength, (float) self->pixel_size, (float) self->na,
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
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (isfinite (numbers[i]))
      prism_archive_writer_add_array (writer, names[i], &numbers[i], 0, NULL);
  return prism_archive_writer_finish (writer, error);
}

/**
 * prism_recording_save:
 * @path: file name
 * @format: of the file
 *
 * Writes the frames, and of geometry and numbers what the format can hold; .npy, TIFF and FITS hold
 * frames alone. Directions have the sign that each format has.
 *
 * Errors: PRISM_ERROR_IO; PRISM_ERROR_CONFIG: frames of more than 2 GiB for MATLAB 5.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save (const PrismRecording *self,
                      const char *path,
                      PrismRecordingFormat format,
                      GError **error)
{
  const gsize shape[] = { self->n_frames, self->height, self->width };

  if (format == PRISM_RECORDING_NPZ)
    return save_npz (self, path, error);
  if (format == PRISM_RECORDING_NPY)
    return prism_npy_save (path, self->frames, 3, shape, error);
  if (format == PRISM_RECORDING_MATLAB
      && (guint64) shape[0] * shape[1] * shape[2] * sizeof (float) > G_MAXINT32)
    return prism_error_config (error,
                               _ ("%u frames of %u × %u pixels are more than the 2 GiB that"
                                  " MATLAB 5 can hold. Write another format."),
                               self->n_frames, self->width, self->height);
  /* A device or pipe would be replaced by a file. */
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return fail (path, error);
  if (format == PRISM_RECORDING_TIFF || format == PRISM_RECORDING_FITS)
    return save_stack (self, path, error);
  if (format == PRISM_RECORDING_MATLAB)
    return save_matlab (self, path, error);
  if (format == PRISM_RECORDING_MATLAB73)
    return save_matlab73 (self, path, error);
  return save_hdf5 (self, path, format == PRISM_RECORDING_CXI, error);
}

/**
 * prism_recording_save_frame:
 * @values: [height][width]: a frame
 * @path: file name
 *
 * Writes a TIFF as a camera does: 16 bits a pixel where all values are whole numbers that they can
 * hold, else single precision. A pixel that is not used is no number.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is written, under a name that nobody else has seen
 */
gboolean
prism_recording_save_frame (const PrismRecording *self,
                            const float *values,
                            const char *path,
                            GError **error)
{
  const gsize n = (gsize) self->height * self->width;
  g_autofree guint16 *counts = g_new (guint16, n);
  g_autofree float *exact = g_memdup2 (values, n * sizeof *values);
  TIFF *tiff = open_tiff (path);
  gboolean whole = TRUE, ok;

  for (gsize i = 0; i < n; i++)
    {
      if (self->mask != NULL && self->mask[i] == 0)
        exact[i] = NAN;
      whole = whole && exact[i] >= 0 && exact[i] <= G_MAXUINT16 && exact[i] == floorf (exact[i]);
      counts[i] = whole ? (guint16) exact[i] : 0;
    }
  ok = tiff != NULL
       && (whole ? write_page (tiff, self, counts, sizeof *counts)
                 : write_page (tiff, self, exact, sizeof *exact));
  if (tiff != NULL)
    TIFFClose (tiff);
  return ok || fail (path, error);
}

/**
 * prism_recording_save_table:
 * @names: (nullable): of files, one for each frame
 * @path: file name, .csv
 *
 * Writes the positions and directions that there are, a row for each frame; the sign of na_x, na_y
 * is that of the light.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_table (const PrismRecording *self,
                            char *const *names,
                            const char *path,
                            GError **error)
{
  const double *const pairs[] = { self->positions, self->directions };
  g_autoptr (GString) table = g_string_new ("frame");

  g_string_append (table, self->positions != NULL ? ",x,y" : "");
  g_string_append (table, self->directions != NULL ? ",na_x,na_y" : "");
  g_string_append (table, names != NULL ? ",file\n" : "\n");
  for (gsize j = 0; j < self->n_frames; j++)
    {
      g_string_append_printf (table, "%u", (guint) j);
      for (gsize k = 0; k < 4; k++)
        if (pairs[k / 2] != NULL)
          g_string_append_printf (
              table, ",%s",
              prism_digits ("%.17g", (k < 2 ? 1 : -1) * pairs[k / 2][2 * j + k % 2]));
      if (names != NULL)
        g_string_append_printf (table, ",%s", names[j]);
      g_string_append_c (table, '\n');
    }
  return prism_file_save (path, table->str, table->len, error);
}

/**
 * prism_recording_save_recipe:
 * @path: file name
 *
 * Writes the numbers that are known as a recipe.
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
  const Number numbers[] = {
    { "wavelength", self->wavelength },
    { "pixel_size", self->pixel_size },
    { "na", self->na },
    { "distance", self->distance },
    { "defocus", self->defocus },
  };
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();

  PRISM_FOR_EACH_OF (number, numbers)
    if (isfinite (number->value)
        && !prism_recipe_set (recipe, number->name, prism_digits ("%.17g", number->value),
                              error))
      return FALSE;
  return prism_recipe_save (recipe, path, error);
}
