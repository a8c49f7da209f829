/* prism-consistency: the live picture: an image that is made to explain every measurement so far
 * while they arrive, challenged now and then by the decoder's.
 *
 * Dimensions: m = object_size, N = samples. Thread: engine. */
#pragma once

#include "formats/prism-bundle.h"
#include "solve/prism-measurements.h"

G_BEGIN_DECLS

typedef struct _PrismConsistency PrismConsistency;

typedef struct
{
  guint n_samples;                      /* the first so many measurements; all acquired once */
  guint n_passes;                       /* over them, of each image */
  double smoothness;                    /* factor of the total variation, at least 0 */
  gboolean last;                        /* no round comes after this one */
} PrismConsistencyRound;

gboolean          prism_consistency_is_due       (guint n_samples,
                                                  guint n_all);
PrismConsistency *prism_consistency_new          (PrismBackend       *backend,
                                                  PrismMeasurements  *measurements,
                                                  GError            **error);
void              prism_consistency_free         (PrismConsistency *self);
void              prism_consistency_move         (PrismConsistency *self,
                                                  PrismBackend     *backend);
void              prism_consistency_forget_noise (PrismConsistency *self);
gboolean          prism_consistency_has_forgotten_noise
                                                 (PrismConsistency *self);
gboolean          prism_consistency_begin        (PrismConsistency             *self,
                                                  const PrismConsistencyRound  *round,
                                                  const float                  *decoder,
                                                  GError                      **error);
gboolean          prism_consistency_step         (PrismConsistency  *self,
                                                  guint              n_samples,
                                                  guint             *n_visited,
                                                  GError           **error);
gboolean          prism_consistency_save         (PrismConsistency  *self,
                                                  PrismBundle       *bundle,
                                                  GError           **error);
gboolean          prism_consistency_load         (PrismConsistency  *self,
                                                  PrismBundle       *bundle,
                                                  GError           **error);
gboolean          prism_consistency_is_done      (PrismConsistency *self);
guint             prism_consistency_get_n_left   (PrismConsistency *self);
guint             prism_consistency_get_pass     (PrismConsistency *self,
                                                  guint            *n_passes);
guint             prism_consistency_count_last   (guint    n_passes,
                                                  gboolean has_noise);
double            prism_consistency_get_misfit   (PrismConsistency *self);
const float      *prism_consistency_get_image    (PrismConsistency *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismConsistency, prism_consistency_free)

G_END_DECLS
