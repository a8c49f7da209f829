/* prism-pupil: the pupil of an objective: its low aberrations, as polynomials over the unit disk.
 * A pupil is [n][n][2] with its centre at n/2. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum { PRISM_PUPIL_N_MODES = 8 };

void        prism_pupil_evaluate_modes (double x,
                                        double y,
                                        double modes[PRISM_PUPIL_N_MODES]);
const char *prism_pupil_get_mode_name  (guint mode);
double      prism_pupil_evaluate_phase (double       x,
                                        double       y,
                                        const double coefficients[PRISM_PUPIL_N_MODES]);
void        prism_pupil_make_phase     (float        *pupil,
                                        int           n,
                                        int           reach,
                                        double        radius,
                                        const double  coefficients[PRISM_PUPIL_N_MODES]);
void        prism_pupil_turn           (float        *pupil,
                                        int           n,
                                        double        radius,
                                        const double  coefficients[PRISM_PUPIL_N_MODES]);
void        prism_pupil_clip           (float  *pupil,
                                        int     n,
                                        double  radius);
void        prism_pupil_fit            (const float *pupil,
                                        int          n,
                                        double       radius,
                                        const double start[PRISM_PUPIL_N_MODES],
                                        double       coefficients[PRISM_PUPIL_N_MODES]);
void        prism_pupil_interpolate    (const float *at,
                                        int          n,
                                        double       fx,
                                        double       fy,
                                        float        value[2]);
void        prism_pupil_resample       (const float *pupil,
                                        int          n,
                                        float       *other,
                                        int          m);

G_END_DECLS
