#include "config.h"

#include "num/prism-fft-lock.h"

#include <pthread.h>

static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

/**
 * prism_fft_lock:
 *
 * Takes FFTW's planner, whose state is global: hold it around every call that makes or destroys a
 * plan.
 */
void
prism_fft_lock (void)
{
  pthread_mutex_lock (&planner);
}

/**
 * prism_fft_unlock:
 *
 * Gives FFTW's planner back.
 *
 * Thread: the one that took it.
 */
void
prism_fft_unlock (void)
{
  pthread_mutex_unlock (&planner);
}
