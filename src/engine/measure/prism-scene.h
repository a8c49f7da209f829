/* prism-scene: what is measured, and where its frames come from: the positions of the aperture, the
 * object where it is known, and either a telescope that is simulated in front of it, or frames that
 * a camera recorded: on the whole field, or as a problem on small grids of their own. Immutable and
 * reference counted.
 *
 * Dimensions: n = image_size, m = object_size, N = number of positions. Thread: any, but
 * prism_scene_measure() and prism_scene_compute_center(): the device's. */
#pragma once

#include "backend/prism-backend.h"
#include "formats/prism-image.h"
#include "model/prism-aperture.h"
#include "model/prism-pattern.h"
#include "ptychography/prism-problem.h"

G_BEGIN_DECLS

typedef struct _PrismScene PrismScene;

PrismScene   *prism_scene_new_simulated  (PrismImage   *object,
                                          PrismPattern *pattern,
                                          guint64       id);
PrismScene   *prism_scene_new_recorded   (PrismImage *const  *frames,
                                          PrismPattern       *pattern,
                                          PrismImage         *target,
                                          GError            **error);
PrismScene   *prism_scene_new_problem    (PrismProblem *problem);
void          prism_scene_apply_problem  (PrismScene   *self,
                                          PrismConfig  *config);
PrismScene   *prism_scene_new_sorted     (PrismScene   *self,
                                          const double *keys);
PrismScene   *prism_scene_ref            (PrismScene *self);
void          prism_scene_unref          (PrismScene *self);

gboolean      prism_scene_is_simulated   (PrismScene *self);
guint64       prism_scene_get_id         (PrismScene *self);
PrismPattern *prism_scene_get_pattern    (PrismScene *self);
PrismProblem *prism_scene_get_problem    (PrismScene *self);
PrismImage   *prism_scene_get_target     (PrismScene *self);
int           prism_scene_get_frame_size (PrismScene *self);
guint         prism_scene_get_frame      (PrismScene *self,
                                          guint       i);
gboolean      prism_scene_show           (PrismScene    *self,
                                          PrismBackend  *backend,
                                          GError       **error);
PrismBuffer  *prism_scene_measure        (PrismScene       *self,
                                          PrismBackend     *backend,
                                          guint             i,
                                          const PrismMask  *mask,
                                          GError          **error);
gboolean      prism_scene_compute_center (PrismScene           *self,
                                          PrismBackend         *backend,
                                          const PrismAperture  *aperture,
                                          double               *energy,
                                          GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismScene, prism_scene_unref)

G_END_DECLS
