/* prism-live-picture: the live picture: an image that is made to explain every measurement so far
 * while they arrive, challenged now and then by the decoder's.
 *
 * Dimensions: m = object_size, N = samples. Thread: engine. */
#pragma once

#include "formats/prism-bundle.h"
#include "solve/prism-measurements.h"

G_BEGIN_DECLS

typedef struct _PrismLivePicture PrismLivePicture;

typedef struct
{
  guint n_samples;                      /* the first so many measurements; all acquired once */
  guint n_passes;                       /* over them, of each image */
  double smoothness;                    /* factor of the total variation, at least 0 */
  gboolean last;                        /* no round comes after this one */
} PrismLivePictureRound;

gboolean          prism_live_picture_is_due       (guint n_samples,
                                                   guint n_all);
PrismLivePicture *prism_live_picture_new          (PrismBackend       *backend,
                                                   PrismMeasurements  *measurements,
                                                   GError            **error);
void              prism_live_picture_free         (PrismLivePicture *self);
void              prism_live_picture_move         (PrismLivePicture *self,
                                                   PrismBackend     *backend);
void              prism_live_picture_forget_noise (PrismLivePicture *self);
gboolean          prism_live_picture_has_forgotten_noise
                                                  (PrismLivePicture *self);
gboolean          prism_live_picture_begin        (PrismLivePicture             *self,
                                                   const PrismLivePictureRound  *round,
                                                   const float                  *decoder,
                                                   GError                      **error);
gboolean          prism_live_picture_step         (PrismLivePicture  *self,
                                                   guint              n_samples,
                                                   guint             *n_visited,
                                                   GError           **error);
gboolean          prism_live_picture_save         (PrismLivePicture  *self,
                                                   PrismBundle       *bundle,
                                                   GError           **error);
gboolean          prism_live_picture_load         (PrismLivePicture  *self,
                                                   PrismBundle       *bundle,
                                                   GError           **error);
gboolean          prism_live_picture_is_done      (PrismLivePicture *self);
guint             prism_live_picture_get_n_left   (PrismLivePicture *self);
guint             prism_live_picture_get_pass     (PrismLivePicture *self,
                                                   guint            *n_passes);
guint             prism_live_picture_count_last   (guint    n_passes,
                                                   gboolean has_noise);
double            prism_live_picture_get_misfit   (PrismLivePicture *self);
const float      *prism_live_picture_get_image    (PrismLivePicture *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismLivePicture, prism_live_picture_free)

G_END_DECLS
