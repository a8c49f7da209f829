/* prism-descent-choice: which of two images the measurements, or what they leave open, speak for.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "solve/prism-descent.h"

G_BEGIN_DECLS

gboolean prism_descent_meets_data       (PrismDescent *self,
                                         double        misfit);
gboolean prism_descent_explains_better  (PrismDescent *self,
                                         double        misfit,
                                         double        misfit_of_other);
gboolean prism_descent_prefers          (PrismDescent *self,
                                         const float  *image,
                                         double        misfit,
                                         const float  *other,
                                         double        misfit_of_other);

G_END_DECLS
