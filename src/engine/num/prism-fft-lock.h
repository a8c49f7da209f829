/* prism-fft-lock: FFTW plans on one thread at a time; executing a plan needs no lock.
 * Thread: any, unless a function says otherwise. */
#pragma once

void prism_fft_lock   (void);
void prism_fft_unlock (void);
