/* prism-scene: what is measured, and where its frames come from: the positions of the aperture, and
 * either an object with a telescope that is simulated in front of it, or frames that a camera
 * recorded, a problem on small grids of their own. Immutable and reference counted.
 *
 * Dimensions: n = image_size, m = object_size, N = number of positions. Thread: any, but
 * prism_scene_show() and prism_scene_compute_center(): the device's. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-reference.h"
#include "formats/prism-image.h"
#include "model/prism-aperture.h"
#include "model/prism-pattern.h"
#include "ptychography/prism-problem.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount ref_count;
  guint64 id; /* stands for it in keys of the cache */
  PrismPattern *pattern;
  PrismImage *target;    /* (nullable) [m][m] amplitude; there is none where there is a problem */
  PrismProblem *problem; /* (nullable) */
} PrismScene;

PrismScene   *prism_scene_new_simulated  (PrismImage   *object,
                                          PrismPattern *pattern,
                                          guint64       id);
PrismScene   *prism_scene_new_problem    (PrismProblem *problem);
void          prism_scene_apply_problem  (PrismScene   *self,
                                          PrismConfig  *config);
void          prism_scene_apply_object   (PrismConfig  *config,
                                          const char   *path,
                                          int           side,
                                          double        radius);
PrismScene   *prism_scene_new_sorted     (PrismScene   *self,
                                          const double *keys);
gboolean      prism_scene_show           (PrismScene    *self,
                                          PrismBackend  *backend,
                                          GError       **error);
gboolean      prism_scene_compute_center (PrismBackend         *backend,
                                          const PrismAperture  *aperture,
                                          double               *energy,
                                          GError              **error);

PRISM_DECLARE_REFERENCES (PrismScene, prism_scene)

G_END_DECLS
