/* prism-refine: the end of a run: the image that explains all measurements best, found by
 * accelerated descent from the decoder's image and from a blank one.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "formats/prism-bundle.h"
#include "num/prism-band.h"
#include "solve/prism-measurements.h"

G_BEGIN_DECLS

typedef struct _PrismRefine PrismRefine;

typedef struct
{
  guint n_passes;                       /* of each attempt, at least 1 */
  double smoothness;                    /* factor of the total variation, at least 0 */
  PrismBand band;                       /* what the decoder's image is held to */
  const float *live;                    /* (nullable) [m][m] the live picture */
} PrismRefineSpec;

PrismRefine *prism_refine_new         (PrismBackend           *backend,
                                      PrismMeasurements      *measurements,
                                      const PrismRefineSpec  *spec,
                                      const float            *start,
                                      GError                **error);
guint        prism_refine_count_passes (guint    n_passes,
                                        gboolean has_live);
void         prism_refine_free       (PrismRefine *self);
gboolean     prism_refine_step       (PrismRefine  *self,
                                      guint         n_samples,
                                      gboolean     *pass_done,
                                      GError      **error);
void         prism_refine_finish     (PrismRefine *self);
void         prism_refine_move       (PrismRefine  *self,
                                      PrismBackend *backend);
gboolean     prism_refine_save       (PrismRefine  *self,
                                      PrismBundle  *bundle,
                                      GError      **error);
gboolean     prism_refine_load       (PrismRefine  *self,
                                      PrismBundle  *bundle,
                                      GError      **error);
gboolean     prism_refine_is_done    (PrismRefine *self);
guint        prism_refine_get_pass   (PrismRefine *self);
guint        prism_refine_get_sample (PrismRefine *self);
guint        prism_refine_get_n_extra_passes (PrismRefine *self);
double       prism_refine_get_misfit (PrismRefine *self);
const float *prism_refine_get_image  (PrismRefine *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRefine, prism_refine_free)

G_END_DECLS
