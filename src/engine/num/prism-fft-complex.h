/* prism-fft-complex: one transform of a square of complex numbers, of any size. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void prism_fft_complex_transform (float    *values,
                                  int       size,
                                  gboolean  forward);

G_END_DECLS
