/* prism-fft: transforms of a real field and back, and of a square of complex numbers, by FFTW.
 * Thread: any. */
#pragma once

#include "base/prism-pool.h"

#include <fftw3.h>
#include <glib.h>

G_BEGIN_DECLS

enum { PRISM_FFT_SQUARE_BLOCK = 8 }; /* rows or columns at once, at most */

/* Complex transforms of one size, on as many threads at once as want it. */
typedef struct _PrismFftSquare PrismFftSquare;

int             prism_fft_choose_side   (int at_least,
                                         int largest_prime);

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
                                         float                *buffer,
                                         PrismFftFunc          func,
                                         gpointer              data);
void            prism_fft_alternate     (float *values,
                                         int    size,
                                         float  factor);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFftSquare, prism_fft_square_free)

/* One transform of a square of complex numbers, of any size. Thread: any. */

void prism_fft_complex_transform (float    *values,
                                  int       size,
                                  gboolean  forward);

/* Transforms of a large real field and back, by the threads of a pool.
 * Thread: one at a time. */

typedef struct _PrismFftField PrismFftField;

PrismFftField *prism_fft_field_new      (int        size,
                                         PrismPool *pool);
void           prism_fft_field_free     (PrismFftField *self);
void           prism_fft_field_forward  (PrismFftField *self,
                                         float         *field,
                                         float         *half,
                                         int            near);
void           prism_fft_field_backward (PrismFftField *self,
                                         float         *half,
                                         float         *field,
                                         int            near);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFftField, prism_fft_field_free)

/* Transforms of a square of complex numbers, some rows or columns at a time, so
 * that threads share one and rows that are 0 are left out. Thread: any, several at once on
 * different rows or columns. */

enum { PRISM_FFT_PLANE_BLOCK = 16 }; /* rows or columns at most */

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
