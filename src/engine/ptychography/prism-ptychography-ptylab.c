#include "config.h"

#include "ptychography/prism-ptychography-ptylab.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "num/prism-fft-complex.h"
#include "recording/prism-hdf5.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <unistd.h>

/* Complex numbers as h5py has them. */
static hid_t
new_complex_type (void)
{
  hid_t type = H5Tcreate (H5T_COMPOUND, 2 * sizeof (float));

  H5Tinsert (type, "r", 0, H5T_NATIVE_FLOAT);
  H5Tinsert (type, "i", sizeof (float), H5T_NATIVE_FLOAT);
  return type;
}

static gboolean
write_array (hid_t file,
             const char *name,
             int n_dims,
             const hsize_t *shape,
             hid_t type,
             const void *values)
{
  hid_t space = n_dims > 0 ? H5Screate_simple (n_dims, shape, NULL) : H5Screate (H5S_SCALAR);
  hid_t dataset = H5Dcreate2 (file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  gboolean ok
      = dataset >= 0 && H5Dwrite (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;

  if (dataset >= 0)
    H5Dclose (dataset);
  H5Sclose (space);
  return ok;
}

static gboolean
write_number (hid_t file,
              const char *name,
              double value)
{
  const float number = (float) value;

  return isnan (value) || write_array (file, name, 0, NULL, H5T_NATIVE_FLOAT, &number);
}

static gboolean
write_square (hid_t file,
              const char *name,
              const float *values,
              int side)
{
  /* Wavelengths, modes of the object and of the probe, slices, rows, columns. */
  const hsize_t n = (hsize_t) side, shape[] = { 1, 1, 1, 1, n, n };
  hid_t type = new_complex_type ();
  gboolean ok = write_array (file, name, G_N_ELEMENTS (shape), shape, type, values);

  H5Tclose (type);
  return ok;
}

/* PtyLab's object is a spectrum whose forward transform, centred and unitary, is the field: what is
 * at k in ours is at -k in its. field: [n][n][2], n even */
static void
transform (float *field,
           int n)
{
  for (int pass = 0; pass < 2; pass++)
    {
      const float scale = pass == 0 ? 1.0f : 1.0f / (float) n;

      for (int i = 0; i < n * n; i++)
        {
          const float factor = (i / n + i % n) % 2 == 0 ? scale : -scale;

          field[2 * i] *= factor;
          field[2 * i + 1] *= factor;
        }
      if (pass == 0)
        prism_fft_complex_transform (field, n, FALSE);
    }
}

/* pupil, turned: [q][q][2] */
static void
turn (const float *pupil,
      int q,
      float *turned)
{
  for (int row = 0; row < q; row++)
    for (int column = 0; column < q; column++)
      for (int k = 0; k < 2; k++)
        turned[2 * (row * q + column) + k]
            = pupil[2 * ((q - row) % q * q + (q - column) % q) + k];
}

static gboolean
write_error (hid_t file,
             const GArray *progress)
{
  const hsize_t n = progress->len;
  g_autofree float *misfits = g_new (float, n);

  for (guint i = 0; i < progress->len; i++)
    misfits[i] = (float) g_array_index (progress, PrismPrediction, i).misfit;
  return write_array (file, "error", 1, &n, H5T_NATIVE_FLOAT, misfits);
}

static gboolean
refuse (const char *temporary,
        const char *path,
        GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  unlink (temporary);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
               _ ("“%s” cannot be written. Make room or choose another place, and try again."),
               name);
  return FALSE;
}

/**
 * prism_ptychography_ptylab_save:
 * @recording: what was explained
 * @progress: (element-type PrismPrediction): held-out frames after every pass
 * @object: (inout): of prism_ptychography_dup_object(); it is something else afterwards
 * @path: file name, .hdf5
 *
 * Writes object and pupil with the fields that PtyLab's saveResults() writes and load() reads:
 * object is the spectrum, error the misfit of held-out frames after every pass.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_ptychography_ptylab_save (PrismPtychography *self,
                                const PrismRecording *recording,
                                const GArray *progress,
                                float *object,
                                const char *path,
                                GError **error)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (self);
  const int n = frames->upsampling * frames->side, q = frames->side;
  g_autofree float *pupil = prism_ptychography_dup_pupil (self);
  g_autofree float *turned = g_new (float, 2 * (gsize) q * q);
  g_autofree char *temporary = NULL;
  hid_t file;
  gboolean ok;

  temporary = prism_file_dup_temporary (path, error);
  if (temporary == NULL)
    return FALSE;
  transform (object, n);
  turn (pupil, q, turned);
  file = prism_hdf5_create (temporary,
                            2 * sizeof (float) * ((guint64) n * n + (guint64) q * q));
  if (file < 0)
    return refuse (temporary, path, error);
  ok = write_square (file, "object", object, n) && write_square (file, "probe", turned, q)
       && write_error (file, progress) && write_number (file, "wavelength", recording->wavelength)
       && write_number (file, "dxp", recording->pixel_size)
       && write_number (file, "zled", recording->distance)
       && write_number (file, "zo", recording->distance) && write_number (file, "purityProbe", 1)
       && write_number (file, "purityObject", 1);
  if (H5Fclose (file) < 0 || !ok)
    return refuse (temporary, path, error);
  return prism_file_commit (temporary, path, error);
}
