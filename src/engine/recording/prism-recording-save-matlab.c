#include "config.h"

#include "recording/prism-recording-save.h"

#include "formats/prism-hdf5.h"
#include "recording/prism-recording-save-private.h"

#include "base/prism-error.h"

#include <math.h>
#include <matio.h>

#define MAX_BYTES_5 G_MAXINT32 /* of a variable of MATLAB 5 */

/* What matio has to say is said here instead. */
static void
on_message (int level,
            char *message)
{
}

/* dims: as MATLAB shows them; values: the first of them varies fastest */
static gboolean
write_variable (mat_t *file,
                const char *name,
                gboolean is_single,
                int rank,
                size_t *dims,
                void *values,
                enum matio_compression compression)
{
  matvar_t *variable
      = Mat_VarCreate (name, is_single ? MAT_C_SINGLE : MAT_C_DOUBLE,
                       is_single ? MAT_T_SINGLE : MAT_T_DOUBLE, rank, dims, values,
                       MAT_F_DONT_COPY_DATA);
  gboolean ok = variable != NULL && Mat_VarWrite (file, variable, compression) == 0;

  if (variable != NULL)
    Mat_VarFree (variable);
  return ok;
}

static gboolean
write_number (mat_t *file,
              const char *name,
              double value)
{
  return isnan (value)
         || write_variable (file, name, FALSE, 2, (size_t[]) { 1, 1 }, &value,
                            MAT_COMPRESSION_NONE);
}

/* A row of MATLAB's array for each frame. pairs: (nullable) [N][2] */
static gboolean
write_pairs (mat_t *file,
             const char *name,
             gsize n,
             const double *pairs,
             double sign)
{
  g_autofree double *columns = g_new (double, 2 * n);

  if (pairs == NULL)
    return TRUE;
  for (gsize j = 0; j < n; j++)
    for (gsize k = 0; k < 2; k++)
      columns[k * n + j] = sign * pairs[2 * j + k];
  return write_variable (file, name, FALSE, 2, (size_t[]) { n, 2 }, columns,
                         MAT_COMPRESSION_NONE);
}

/* imlow(y, x, j): rows vary fastest. */
static gboolean
write_frames (const PrismRecording *self,
              mat_t *file)
{
  const gsize h = self->height, w = self->width, n = self->n_frames;
  g_autofree float *turned = g_try_new (float, n *h *w);

  if (turned == NULL)
    return FALSE;
  for (gsize j = 0; j < n; j++)
    for (gsize y = 0; y < h; y++)
      for (gsize x = 0; x < w; x++)
        turned[(j * w + x) * h + y] = self->frames[(j * h + y) * w + x];
  return write_variable (file, "imlow", TRUE, 3, (size_t[]) { h, w, n }, turned,
                         MAT_COMPRESSION_ZLIB);
}

static gboolean
write_numbers (const PrismRecording *self,
               mat_t *file)
{
  const struct
  {
    const char *name;
    double value;
  } numbers[] = {
    { "wavelength", self->wavelength },
    { "pixel_size", self->pixel_size },
    { "NA", self->na },
    { "distance", self->distance },
    { "defocus", self->defocus },
    { "rotation", self->rotation },
    { "shift_x", self->shift[0] },
    { "shift_y", self->shift[1] },
  };
  gboolean ok = TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS (numbers) && ok; i++)
    ok = write_number (file, numbers[i].name, numbers[i].value);
  return ok;
}

static gboolean
write_version (const PrismRecording *self,
               const char *path,
               const char *header,
               enum mat_ft version)
{
  const guint64 n_bytes = prism_recording_save_get_n_bytes (self);
  gboolean ok;
  mat_t *file;

  /* The message is constant in newer releases: either type is taken. */
  Mat_LogInitFunc ("prism", (gpointer) on_message);
  prism_hdf5_init ();
  file = prism_hdf5_reserve (path, n_bytes) ? Mat_CreateVer (path, header, version) : NULL;
  if (file == NULL)
    return FALSE;
  /* Making the file may have given the room back. */
  ok = prism_hdf5_reserve (path, n_bytes) && write_frames (self, file)
       && write_pairs (file, "positions", self->n_frames, self->positions, 1)
       && write_pairs (file, "na_xy", self->n_frames, self->directions, -1)
       && write_numbers (self, file);
  return Mat_Close (file) == 0 && ok;
}

static gboolean
write_matlab5 (const PrismRecording *self,
               const char *path)
{
  return write_version (self, path, "MATLAB 5.0 MAT-file, written by PRISM Studio", MAT_FT_MAT5);
}

static gboolean
write_matlab73 (const PrismRecording *self,
                const char *path)
{
  return write_version (self, path, "MATLAB 7.3 MAT-file, written by PRISM Studio", MAT_FT_MAT73);
}

/**
 * prism_recording_save_matlab:
 * @path: file name, .mat
 *
 * Writes a file of MATLAB 5 to 7.2: frames as imlow(y, x, frame), single; positions and na_xy, a
 * row for each frame, whose sign is opposite to ours; and the numbers.
 *
 * Errors: PRISM_ERROR_IO; PRISM_ERROR_CONFIG: frames of 2 GiB and more.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_matlab (const PrismRecording *self,
                             const char *path,
                             GError **error)
{
  guint64 n_bytes = (guint64) self->n_frames * self->height * self->width * sizeof (float);

  if (n_bytes <= MAX_BYTES_5)
    return prism_recording_save_with (self, path, write_matlab5, error);
  return prism_error_config (error, "%u frames of %u × %u pixels are more than the 2 GiB that"
                                    " MATLAB 5 can hold. Write"
                                    " another format.",
                             self->n_frames, self->width, self->height);
}

/**
 * prism_recording_save_matlab73:
 * @path: file name, .mat
 *
 * prism_recording_save_matlab() as MATLAB 7.3, which is HDF5 and holds frames of any number.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_matlab73 (const PrismRecording *self,
                               const char *path,
                               GError **error)
{
  return prism_recording_save_with (self, path, write_matlab73, error);
}
