/* prism-fft-private: FFTW's planner, for the files that make plans. */
#pragma once

#include <fftw3.h>
#include <glib.h>

G_BEGIN_DECLS

void prism_fft_lock_planner   (void);
void prism_fft_unlock_planner (void);

G_END_DECLS
