/* prism-phase: phases of complex pictures: turns of 2π put right, and ramps taken off.
 *
 * h = height, w = width. Phases are radians. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void     prism_phase_find_ramp (const float *field,
                                int          height,
                                int          width,
                                double       ramp[2]);
gboolean prism_phase_unwrap    (const float  *phase,
                                float        *unwrapped,
                                int           height,
                                int           width,
                                GError      **error);
void     prism_phase_flatten   (float *phase,
                                int    height,
                                int    width);
gboolean prism_phase_level     (const float  *amplitude,
                                const float  *phase,
                                float        *levelled,
                                int           height,
                                int           width,
                                GError      **error);
double   prism_phase_correlate (const float *const  amplitudes[2],
                                const float *const  phases[2],
                                int                 height,
                                int                 width,
                                GError            **error);
void     prism_phase_turn_back (float        *values,
                                gsize         n,
                                const double  sum[2]);

G_END_DECLS
