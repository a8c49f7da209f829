#include "config.h"

#include "recording/prism-recording-save.h"

#include "formats/prism-hdf5.h"
#include "recording/prism-recording-save-private.h"
#include "recording/prism-recording-units.h"

#include <math.h>

static gboolean
write_groups (hid_t file)
{
  static const char *const names[]
      = { "entry_1",
          "entry_1/data_1",
          "entry_1/instrument_1",
          "entry_1/instrument_1/source_1",
          "entry_1/instrument_1/detector_1",
          "entry_1/sample_1",
          "entry_1/sample_1/geometry_1" };
  gboolean ok = TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS (names) && ok; i++)
    {
      hid_t group = H5Gcreate2 (file, names[i], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

      ok = group >= 0 && H5Gclose (group) >= 0;
    }
  return ok;
}

/* x, y and z of each LED. */
static gboolean
write_translation (const PrismRecording *self,
                   hid_t file)
{
  g_autofree double *places = g_new0 (double, 3 * (gsize) self->n_frames);

  if (self->positions == NULL)
    return TRUE;
  for (gsize j = 0; j < self->n_frames; j++)
    prism_recording_save_place (self, j, places + 3 * j);
  return prism_recording_save_hdf5_array (
      file, "entry_1/sample_1/geometry_1/translation", 2, (hsize_t[]) { self->n_frames, 3 },
      H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE, places);
}

/* The frames are the detector's; data_1 is a link to them, as CXI has it. */
static gboolean
write_frames (const PrismRecording *self,
              hid_t file)
{
  static const char name[] = "entry_1/instrument_1/detector_1/data";

  return prism_recording_save_hdf5_array (
             file, name, 3, (hsize_t[]) { self->n_frames, self->height, self->width },
             H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, self->frames)
         && H5Lcreate_soft ("/entry_1/instrument_1/detector_1/data", file, "entry_1/data_1/data",
                            H5P_DEFAULT, H5P_DEFAULT)
                >= 0;
}

static gboolean
write_instrument (const PrismRecording *self,
                  hid_t file)
{
  return prism_recording_save_hdf5_number (file, "entry_1/instrument_1/source_1/wavelength",
                                           self->wavelength)
         && prism_recording_save_hdf5_number (file, "entry_1/instrument_1/source_1/energy",
                                              prism_recording_units_get_photon (self->wavelength))
         && prism_recording_save_hdf5_number (file, "entry_1/instrument_1/detector_1/distance",
                                              self->distance)
         && prism_recording_save_hdf5_number (file, "entry_1/instrument_1/detector_1/x_pixel_size",
                                              self->camera_pixel)
         && prism_recording_save_hdf5_number (file, "entry_1/instrument_1/detector_1/y_pixel_size",
                                              self->camera_pixel);
}

static gboolean
write_cxi (const PrismRecording *self,
           const char *path)
{
  const int version = 140; /* 1.4 */
  hid_t file;
  gboolean ok;

  file = prism_hdf5_create (path, prism_recording_save_get_n_bytes (self));
  if (file < 0)
    return FALSE;
  ok = prism_recording_save_hdf5_array (file, "cxi_version", 0, NULL, H5T_STD_I32LE,
                                        H5T_NATIVE_INT, &version)
       && write_groups (file) && write_frames (self, file) && write_instrument (self, file)
       && write_translation (self, file);
  return H5Fclose (file) >= 0 && ok;
}

/**
 * prism_recording_save_cxi:
 * @path: file name, .cxi
 *
 * Writes what CXI has names for: frames, wavelength, distance, the camera's pixel and where the
 * LEDs are. The objective and the directions are written by prism_recording_save_recipe() and
 * prism_recording_save_table().
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_recording_save_cxi (const PrismRecording *self,
                          const char *path,
                          GError **error)
{
  return prism_recording_save_with (self, path, write_cxi, error);
}
