/* prism-polish: the end of algorithm "prism", which is the refinement, or ePIE from the decoder's
 * image and from a blank one; and the whole of algorithm "epie": ePIE from a blank image.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "formats/prism-bundle.h"
#include "num/prism-band.h"
#include "solve/prism-measurements.h"

G_BEGIN_DECLS

typedef struct _PrismPolish PrismPolish;

typedef struct
{
  guint n_passes;                       /* from each start */
  double step_size;                     /* s of numerics.md § 10 */
  double smoothness;                    /* factor of the refinement's total variation */
  PrismBand band;                       /* what the start image is held to */
  gboolean refines;                     /* a start image: not by ePIE, where the device can */
  gboolean stop_at_noise;               /* no further than the noise that the SNR predicts */
  const float *live;                    /* (nullable) [m][m] explains the data better than start */
} PrismPolishSpec;

PrismPolish *prism_polish_new        (PrismBackend           *backend,
                                      PrismMeasurements      *measurements,
                                      const PrismPolishSpec  *spec,
                                      const float            *start,
                                      GError                **error);
void         prism_polish_free       (PrismPolish *self);
gboolean     prism_polish_step       (PrismPolish  *self,
                                      guint         n_samples,
                                      gboolean     *pass_done,
                                      GError      **error);
void         prism_polish_finish     (PrismPolish *self);
void         prism_polish_move       (PrismPolish  *self,
                                      PrismBackend *backend);
gboolean     prism_polish_save       (PrismPolish  *self,
                                      PrismBundle  *bundle,
                                      GError      **error);
gboolean     prism_polish_load_spec  (PrismPolishSpec  *spec,
                                      PrismBundle      *bundle,
                                      GError          **error);
gboolean     prism_polish_load       (PrismPolish  *self,
                                      PrismBundle  *bundle,
                                      GError      **error);
gboolean     prism_polish_is_done    (PrismPolish *self);
guint        prism_polish_get_pass   (PrismPolish *self);
guint        prism_polish_get_sample (PrismPolish *self);
guint        prism_polish_get_n_extra_passes (PrismPolish *self);
double       prism_polish_get_misfit (PrismPolish *self);
const float *prism_polish_get_image  (PrismPolish *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPolish, prism_polish_free)

G_END_DECLS
