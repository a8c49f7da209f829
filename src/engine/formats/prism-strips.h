/* prism-strips: a large picture read row by row, so that it is never there as a whole.
 *
 * One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_STRIPS_MAX_SIDE 65536

typedef struct
{
  int height;                           /* rows */
  int width;                            /* columns */
  gboolean is_amplitude;                /* values are amplitudes, as .npy files have them */
  gboolean is_real;                     /* in a unit of their own; else parts of a range */
  const char *world;                    /* (nullable): what a FITS file says of name, unit and
                                         * coordinates, for prism_strip_writer_set_world() */
  int next;                             /* row; of .npy and FITS any may be */
  struct _PrismRows *rows;
} PrismStrips;

PrismStrips *prism_strips_open (const char  *path,
                                GError     **error);
void         prism_strips_free (PrismStrips *self);
gboolean     prism_strips_read (PrismStrips  *self,
                                int           n_rows,
                                float        *rows,
                                GError      **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismStrips, prism_strips_free)

G_END_DECLS
