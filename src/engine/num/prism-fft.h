/* prism-fft: transforms of a real field and back, and of a square of complex numbers, by FFTW.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Complex transforms of one size, on as many threads at once as want it. */
typedef struct _PrismFftSquare PrismFftSquare;

/* Changes some rows of a square: @values [n][2] are its points from @first on. */
typedef void (*PrismFftFunc) (gpointer data,
                              gsize    first,
                              gsize    n,
                              float   *values);

void            prism_fft_transform     (float    *field,
                                         float    *half,
                                         int       size,
                                         gboolean  forward);
PrismFftSquare *prism_fft_square_new    (int size);
void            prism_fft_square_free   (PrismFftSquare *self);
void            prism_fft_square_expand (const PrismFftSquare *self,
                                         float                *values,
                                         int                   n_rows);
void            prism_fft_square_reduce (const PrismFftSquare *self,
                                         float                *values,
                                         int                   n_rows);
void            prism_fft_square_visit  (const PrismFftSquare *self,
                                         float                *columns,
                                         int                   n_columns,
                                         PrismFftFunc          func,
                                         gpointer              data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFftSquare, prism_fft_square_free)

G_END_DECLS
