/* prism-strips-private: what reads the rows of one file format. One thread at a time. */
#pragma once

#include "formats/prism-image-private.h"

G_BEGIN_DECLS

typedef struct _PrismStripsReader PrismStripsReader;

struct _PrismStripsReader
{
  guint64 height;
  guint64 width;
  gboolean is_real;                     /* numbers in a unit of their own, not parts of a range */
  const char *world;                    /* (nullable): of prism_fits_dup_world() */
  PrismImageSource source;              /* name and format; no data */
  gpointer state;
  gboolean (*read) (PrismStripsReader *self,
                    guint64            y,
                    float             *row,   /* [width] */
                    GError           **error);
  void (*close) (gpointer state);
};

/* What is read first to tell formats apart and to find the pixels. */
#define PRISM_STRIPS_HEAD_BYTES (1 << 20)

gboolean prism_strips_open_tiff (PrismStripsReader *self,
                                 const char        *path,
                                 GError           **error);
gboolean prism_strips_open_png  (PrismStripsReader *self,
                                 const char        *path,
                                 GError           **error);
gboolean prism_strips_open_jpeg (PrismStripsReader *self,
                                 const char        *path,
                                 GError           **error);
gboolean prism_strips_open_fits (PrismStripsReader *self,
                                 const char        *path,
                                 GError           **error);
gboolean prism_strips_open_npy  (PrismStripsReader *self,
                                 const char        *path,
                                 GError           **error);

G_END_DECLS
