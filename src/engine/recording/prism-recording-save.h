/* prism-recording-save: a recording as a file that others open. Thread: any. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

gboolean prism_recording_save_ptylab   (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_matlab   (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_matlab73 (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_cxi      (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_npz      (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_npy      (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_tiff     (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_fits     (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_table    (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);
gboolean prism_recording_save_recipe   (const PrismRecording  *self,
                                        const char            *path,
                                        GError               **error);

G_END_DECLS
