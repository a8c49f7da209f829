/* prism-strips: a large picture read row by row, so that it is never there as a whole.
 *
 * One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_STRIPS_MAX_SIDE 65536

typedef struct _PrismStrips PrismStrips;

PrismStrips *prism_strips_open          (const char  *path,
                                         GError     **error);
void         prism_strips_free          (PrismStrips *self);
int          prism_strips_get_height    (PrismStrips *self);
int          prism_strips_get_width     (PrismStrips *self);
gboolean     prism_strips_is_amplitude  (PrismStrips *self);
gboolean     prism_strips_is_real       (PrismStrips *self);
const char  *prism_strips_get_world     (PrismStrips *self);
gboolean     prism_strips_read          (PrismStrips  *self,
                                         int           n_rows,
                                         float        *rows,
                                         GError      **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismStrips, prism_strips_free)

G_END_DECLS
