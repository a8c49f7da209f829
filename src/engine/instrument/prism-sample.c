#include "config.h"

#include "instrument/prism-sample.h"

#include "instrument/prism-instrument-simulate.h"
#include "recording/prism-recording-save.h"

#include <glib/gstdio.h>

/**
 * prism_sample_dup_path:
 *
 * Returns: (transfer full): where the sample is, once it has been prepared
 */
char *
prism_sample_dup_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "prism-studio", "sample.hdf5", NULL);
}

/**
 * prism_sample_prepare:
 * @path: of a file with frames
 *
 * Writes the sample where it is the one that is asked for and is not there.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 *
 * Returns: whether it is there, or not asked for
 */
gboolean
prism_sample_prepare (const char *path,
                      GError **error)
{
  g_autofree char *sample = prism_sample_dup_path ();
  g_autofree char *folder = g_path_get_dirname (sample);
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = NULL;
  PrismInstrument instrument;

  if (!g_str_equal (path, sample) || g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_mkdir_with_parents (folder, 0700);
  if (!prism_instrument_init (&instrument, "microscope", error))
    return FALSE;
  recording = prism_instrument_simulate (&instrument, &truth, error);
  return recording != NULL
         && prism_recording_save (recording, path, PRISM_RECORDING_PTYLAB, error);
}
