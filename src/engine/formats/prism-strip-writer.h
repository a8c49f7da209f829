/* prism-strip-writer: a large picture written row by row. One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismStripWriter PrismStripWriter;

gboolean          prism_strip_writer_check_path (const char  *path,
                                                 GError     **error);
PrismStripWriter *prism_strip_writer_new  (const char  *path,
                                           int          height,
                                           int          width,
                                           int          n_pages,
                                           float        black,
                                           float        white,
                                           GError     **error);
PrismStripWriter *prism_strip_writer_new_ome (const char  *path,
                                              int          height,
                                              int          width,
                                              int          n_depths,
                                              double       pixel,
                                              double       first,
                                              double       step,
                                              GError     **error);
void              prism_strip_writer_free (PrismStripWriter *self);
void              prism_strip_writer_set_pixel_size (PrismStripWriter *self,
                                                     double            size);
void              prism_strip_writer_set_world (PrismStripWriter *self,
                                                const char       *cards);
gboolean          prism_strip_writer_add  (PrismStripWriter  *self,
                                           const float       *rows,
                                           int                n_rows,
                                           GError           **error);
gboolean          prism_strip_writer_save (PrismStripWriter  *self,
                                           GError           **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismStripWriter, prism_strip_writer_free)

G_END_DECLS
