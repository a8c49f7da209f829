/* prism-video: pictures in a row as WebM, made by GStreamer's gst-launch-1.0 where it is installed.
 * The program is not linked with GStreamer and does without it.
 *
 * h, w = height and width of all pictures. One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismVideo PrismVideo;

gboolean    prism_video_is_possible (void);
gboolean    prism_video_check       (GError **error);
PrismVideo *prism_video_new         (const char  *path,
                                     int          height,
                                     int          width,
                                     int          rate,
                                     GError     **error);
void        prism_video_free        (PrismVideo *self);
gboolean    prism_video_add         (PrismVideo     *self,
                                     const guint32  *pixels,
                                     GError        **error);
gboolean    prism_video_finish      (PrismVideo  *self,
                                     GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismVideo, prism_video_free)

G_END_DECLS
