/* prism-fft: transforms of a real field and back, by FFTW. Thread: any. */
#pragma once

#include <glib.h>

void prism_fft_transform (float    *field,
                          float    *half,
                          int       size,
                          gboolean  forward);
