/* prism-image: an immutable grey image of floats, and the files it comes from and goes to.
 * Thread: any. */
#pragma once

#include "base/prism-reference.h"
#include "formats/prism-image-origin.h"

G_BEGIN_DECLS

typedef struct _PrismImage PrismImage;

struct _PrismImage
{
  gatomicrefcount ref_count;
  int height;
  int width;
  float *pixels;                        /* [height][width], row-major */
  PrismImageOrigin origin;              /* what it does not show of its file */
};

PrismImage *prism_image_new        (int          height,
                                    int          width,
                                    GError     **error);
PrismImage *prism_image_new_copy   (int          height,
                                    int          width,
                                    const float *pixels,
                                    GError     **error);
PrismImage *prism_image_load       (const char  *path,
                                    GError     **error);
PrismImage *prism_image_load_channel (const char  *path,
                                      int          channel,
                                      GError     **error);
PrismImage *prism_image_load_bytes (GBytes      *bytes,
                                    const char  *name,
                                    GError     **error);
gboolean    prism_image_equal      (const PrismImage *self,
                                    const PrismImage *other);

PRISM_DECLARE_REFERENCES (PrismImage, prism_image)

G_END_DECLS
