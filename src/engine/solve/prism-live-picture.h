/* prism-live-picture: an image that is made to explain every measurement so far, by a round of some
 * passes of descent after each. Source: numerics.md, “Live picture”.
 *
 * m = object_size, N = samples. Thread: engine. */
#pragma once

#include "solve/prism-descent.h"

G_BEGIN_DECLS

/* To be read by others, but changed by the functions below alone, but for pass: where the noise of
 * the frames is another one, the round under way is given up. */
typedef struct
{
  PrismDescent *descent;
  guint n_rounds;    /* begun */
  guint n_passes;    /* of the round under way */
  guint pass;        /* that comes next; n_passes between two rounds */
  double misfit;     /* of image, relative to Σ ΣA²; NAN before the first round */
  float *image;      /* [m][m] after the last whole round */
} PrismLivePicture;

gboolean prism_live_picture_is_due (guint n_samples,
                                    guint n_all,
                                    gboolean has_noise);
guint prism_live_picture_count_last (guint n_passes);
guint64 prism_live_picture_count_visits (guint n_passes,
                                         guint n_all,
                                         gboolean has_noise,
                                         guint64 *n_all_passes,
                                         guint *n_rounds);
PrismLivePicture *prism_live_picture_new (PrismBackend *backend,
                                          PrismMeasurements *measurements,
                                          const float *start,
                                          GError **error);
void prism_live_picture_free (PrismLivePicture *self);
gboolean prism_live_picture_go_round (PrismLivePicture *self,
                                      guint n_samples,
                                      guint n_passes,
                                      double smoothness,
                                      PrismControl *control,
                                      GError **error);
gboolean prism_live_picture_save (PrismLivePicture *self,
                                  PrismBundle *bundle,
                                  GError **error);
gboolean prism_live_picture_load (PrismLivePicture *self,
                                  PrismBundle *bundle,
                                  GError **error);
const float *prism_live_picture_get_image (PrismLivePicture *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismLivePicture, prism_live_picture_free)

G_END_DECLS
