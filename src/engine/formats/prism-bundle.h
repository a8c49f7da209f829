/* prism-bundle: named arrays of single precision and named texts: what one part of the program
 * hands to a run file without knowing the file, and gets back from it. The names are those of the
 * file's members: "weights.npy", "refine.json".
 *
 * Threads: one at a time; a bundle is handed over as a whole. */
#pragma once

#include "formats/prism-archive.h"
#include "formats/prism-image.h"

G_BEGIN_DECLS

typedef struct _PrismBundle PrismBundle;

PrismBundle *prism_bundle_new        (void);
void         prism_bundle_free       (PrismBundle *self);
float       *prism_bundle_add_array  (PrismBundle  *self,
                                      const char   *name,
                                      int           n_dims,
                                      const gsize  *shape,
                                      GError      **error);
gboolean     prism_bundle_add_plane  (PrismBundle  *self,
                                      const char   *name,
                                      const float  *values,
                                      gsize         size,
                                      GError      **error);
gboolean     prism_bundle_add_image  (PrismBundle       *self,
                                      const char        *name,
                                      const PrismImage  *image,
                                      GError           **error);
void         prism_bundle_add_bundle (PrismBundle *self,
                                      PrismBundle *other,
                                      const char  *from,
                                      const char  *to);
void         prism_bundle_take_text  (PrismBundle *self,
                                      const char  *name,
                                      char        *text);
gboolean     prism_bundle_has        (PrismBundle *self,
                                      const char  *name);
const float *prism_bundle_get_array  (PrismBundle  *self,
                                      const char   *name,
                                      int           n_dims,
                                      const gsize  *shape,
                                      GError      **error);
gboolean     prism_bundle_copy_plane (PrismBundle  *self,
                                      const char   *name,
                                      float        *values,
                                      gsize         size,
                                      GError      **error);
gboolean     prism_bundle_load_image (PrismBundle  *self,
                                      const char   *name,
                                      gsize         size,
                                      PrismImage  **image,
                                      GError      **error);
const char  *prism_bundle_get_text   (PrismBundle  *self,
                                      const char   *name,
                                      GError      **error);
guint64      prism_bundle_get_size   (PrismBundle *self);
gboolean     prism_bundle_spill      (PrismBundle *self);
void         prism_bundle_save       (PrismBundle        *self,
                                      PrismArchiveWriter *writer,
                                      const char         *prefix);
PrismBundle *prism_bundle_load       (PrismArchive  *archive,
                                      const char    *prefix,
                                      GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBundle, prism_bundle_free)

G_END_DECLS
