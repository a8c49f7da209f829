/* prism-expect: what a camera with shot and read noise shows of an intensity, after a square root
 * that evens its noise out. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismExpect PrismExpect;

/* Means of the table, for another device's kernels: at 0, pitch, 2·pitch … of √I. */
#define PRISM_EXPECT_N_MEANS 258

double       prism_expect_get_scale    (double noise,
                                        double read);
PrismExpect *prism_expect_new          (double noise,
                                        double read,
                                        double offset);
void         prism_expect_free         (PrismExpect *self);
gboolean     prism_expect_matches      (const PrismExpect *self,
                                        double             noise,
                                        double             read,
                                        double             offset);
float        prism_expect_get_offset   (const PrismExpect *self);
float        prism_expect_get          (const PrismExpect *self,
                                        float              amplitude,
                                        float             *slope);
double       prism_expect_get_variance (const PrismExpect *self,
                                        double             amplitude);
const float *prism_expect_get_means    (const PrismExpect *self,
                                        float             *pitch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismExpect, prism_expect_free)

G_END_DECLS
