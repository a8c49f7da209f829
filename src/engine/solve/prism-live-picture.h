/* prism-live-picture: an image that is made to explain every measurement so far, by a round of some
 * passes of descent after each. Source: numerics.md, “Live picture”.
 *
 * m = object_size, N = samples. Thread: engine. */
#pragma once

#include "solve/prism-descent.h"

G_BEGIN_DECLS

typedef struct _PrismLivePicture PrismLivePicture;

typedef struct
{
  guint n_samples;    /* the first measurements take part */
  guint n_passes;     /* over them, at least 1; of few samples more */
  double smoothness;  /* factor of the total variation, at least 0 */
  const float *start; /* [m][m] what the first round begins with */
} PrismRound;

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
                                      const PrismRound *round,
                                      PrismControl *control,
                                      GError **error);
void prism_live_picture_move (PrismLivePicture *self,
                              PrismBackend *backend);
void prism_live_picture_forget_noise (PrismLivePicture *self);
gboolean prism_live_picture_save (PrismLivePicture *self,
                                  PrismBundle *bundle,
                                  GError **error);
gboolean prism_live_picture_load (PrismLivePicture *self,
                                  PrismBundle *bundle,
                                  GError **error);
gboolean prism_live_picture_is_stale (PrismLivePicture *self);
guint prism_live_picture_get_pass (PrismLivePicture *self,
                                   guint *n_passes);
double prism_live_picture_get_misfit (PrismLivePicture *self);
const float *prism_live_picture_get_image (PrismLivePicture *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismLivePicture, prism_live_picture_free)

G_END_DECLS
