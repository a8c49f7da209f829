/* prism-recording-save: a recording as a file that others open. Thread: any. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_RECORDING_PTYLAB,
  PRISM_RECORDING_MATLAB,               /* 5 to 7.2 */
  PRISM_RECORDING_MATLAB73,
  PRISM_RECORDING_CXI,
  PRISM_RECORDING_NPZ,
  PRISM_RECORDING_NPY,
  PRISM_RECORDING_TIFF,
  PRISM_RECORDING_FITS,
} PrismRecordingFormat;

gboolean prism_recording_save        (const PrismRecording  *self,
                                      const char            *path,
                                      PrismRecordingFormat   format,
                                      GError               **error);
gboolean prism_recording_save_frame  (const PrismRecording  *self,
                                      const float           *values,
                                      const char            *path,
                                      GError               **error);
gboolean prism_recording_save_table  (const PrismRecording  *self,
                                      char *const           *names,
                                      const char            *path,
                                      GError               **error);
gboolean prism_recording_save_recipe (const PrismRecording  *self,
                                      const char            *path,
                                      GError               **error);

G_END_DECLS
