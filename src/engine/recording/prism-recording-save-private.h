/* prism-recording-save-private: what the formats of their own files share. Thread: any. */
#pragma once

#include "recording/prism-recording.h"

#include <hdf5.h>

G_BEGIN_DECLS

/* Writes a file by its name; FALSE where the place does not take it. */
typedef gboolean (*PrismRecordingWrite) (const PrismRecording *self,
                                         const char           *path);

gboolean prism_recording_save_with       (const PrismRecording  *self,
                                          const char            *path,
                                          PrismRecordingWrite    write,
                                          GError               **error);
guint64  prism_recording_save_get_n_bytes (const PrismRecording *self);
gboolean prism_recording_save_hdf5_array (hid_t                  file,
                                          const char            *name,
                                          int                    n_dims,
                                          const hsize_t         *shape,
                                          hid_t                  stored,
                                          hid_t                  type,
                                          const void            *values);
gboolean prism_recording_save_hdf5_number (hid_t                file,
                                           const char          *name,
                                           double               value);
void     prism_recording_save_place      (const PrismRecording  *self,
                                          gsize                  frame,
                                          double                 place[2]);

G_END_DECLS
