/* prism-fft-plane: transforms of a square of complex numbers, some rows or columns at a time, so
 * that threads share one and rows that are 0 are left out. Thread: any, several at once on
 * different rows or columns. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_FFT_PLANE_BLOCK 16        /* rows or columns at most */

typedef struct _PrismFftPlane PrismFftPlane;

PrismFftPlane *prism_fft_plane_new     (int size);
void           prism_fft_plane_free    (PrismFftPlane *self);
void           prism_fft_plane_rows    (const PrismFftPlane *self,
                                        float               *values,
                                        int                  first,
                                        int                  n_rows,
                                        gboolean             forward);
void           prism_fft_plane_columns (const PrismFftPlane *self,
                                        float               *values,
                                        int                  first,
                                        gboolean             forward,
                                        float               *buffer);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFftPlane, prism_fft_plane_free)

G_END_DECLS
