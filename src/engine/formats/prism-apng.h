/* prism-apng: the bytes of PNG and of animated PNG: libpng writes no animations.
 *
 * h, w = height and width. One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int height;
  int width;
  guint n_frames;                       /* 0 for a picture that does not move */
  int rate;                             /* frames per second */
  gboolean loop;
  guint32 sequence;                     /* number of the next chunk that has one */
} PrismApng;

void     prism_apng_append_head  (PrismApng  *self,
                                  GByteArray *bytes);
gboolean prism_apng_append_frame (PrismApng      *self,
                                  GByteArray     *bytes,
                                  const guint32  *pixels,
                                  GError        **error);
void     prism_apng_append_tail  (GByteArray *bytes);

G_END_DECLS
