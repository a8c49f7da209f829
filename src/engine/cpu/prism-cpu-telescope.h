/* prism-cpu-telescope: what the camera sees, the loss against it, and ePIE, on the CPU, with
 * transforms pruned to the object's rows and the aperture's box.
 *
 * n = image_size, m = object_size. Thread: engine, unless a function says otherwise. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-pool.h"

G_BEGIN_DECLS

typedef struct _PrismCpuTelescope PrismCpuTelescope;

guint64            prism_cpu_telescope_get_required_bytes (int image_size,
                                                           int object_size);
PrismCpuTelescope *prism_cpu_telescope_new                (int         image_size,
                                                           int         object_size,
                                                           guint       n_slots,
                                                           PrismPool  *pool,
                                                           GError    **error);
void               prism_cpu_telescope_free               (PrismCpuTelescope *self);
guint64            prism_cpu_telescope_get_sample_bytes   (int      image_size,
                                                           gboolean with_power,
                                                           guint    n_threads);
gboolean           prism_cpu_telescope_allow_samples      (PrismCpuTelescope  *self,
                                                           gboolean            with_power,
                                                           GError            **error);
gboolean           prism_cpu_telescope_set_object         (PrismCpuTelescope  *self,
                                                           const float        *amplitude,
                                                           GError            **error);
void               prism_cpu_telescope_get_spectrum       (PrismCpuTelescope *self,
                                                           float             *spectrum);
/* target [n][n] in the telescope's own order of pixels for this mask; image [m][m] or NULL, which
 * is the object. */
void               prism_cpu_telescope_measure            (PrismCpuTelescope *self,
                                                           const PrismMask   *mask,
                                                           const float       *image,
                                                           float             *target);
void               prism_cpu_telescope_measure_points     (PrismCpuTelescope *self,
                                                           const PrismMask   *mask,
                                                           guint              step,
                                                           float             *points);
/* Points in natural order, both [n/step][n/step]. */
void               prism_cpu_telescope_read_points        (PrismCpuTelescope *self,
                                                           const PrismMask   *mask,
                                                           guint              step,
                                                           const float       *points,
                                                           float             *amplitude);
void               prism_cpu_telescope_expose             (PrismCpuTelescope   *self,
                                                           const PrismMask     *mask,
                                                           const PrismExposure *exposure,
                                                           const float         *clean,
                                                           float               *target);
/* Between the telescope's order and natural order, both [n][n]. */
void               prism_cpu_telescope_load_target        (PrismCpuTelescope *self,
                                                           const PrismMask   *mask,
                                                           const float       *amplitude,
                                                           float             *target);
void               prism_cpu_telescope_read_target        (PrismCpuTelescope *self,
                                                           const PrismMask   *mask,
                                                           const float       *target,
                                                           float             *amplitude);
/* The slot keeps the mask (referenced) and the address of target; NULL unbinds. */
gboolean           prism_cpu_telescope_bind               (PrismCpuTelescope  *self,
                                                           guint               slot,
                                                           const PrismMask    *mask,
                                                           const float        *target,
                                                           double             *energy,
                                                           GError            **error);
gboolean           prism_cpu_telescope_bind_points        (PrismCpuTelescope  *self,
                                                           guint               slot,
                                                           const PrismMask    *mask,
                                                           const float        *points,
                                                           guint               step,
                                                           double             *energy,
                                                           GError            **error);
/* gradient [m][m] of loss_new + loss_old for image [m][m]; not called with step->fit_start. */
void               prism_cpu_telescope_compute_gradient   (PrismCpuTelescope *self,
                                                           const PrismStep   *step,
                                                           const float       *image,
                                                           float             *gradient,
                                                           PrismStepResult   *result);
double             prism_cpu_telescope_count_operations   (PrismCpuTelescope *self,
                                                           const PrismStep   *step);
void               prism_cpu_telescope_epie_start         (PrismCpuTelescope *self,
                                                           const float       *image);
void               prism_cpu_telescope_epie_update        (PrismCpuTelescope *self,
                                                           guint              slot,
                                                           double             step_size,
                                                           double            *residual,
                                                           double            *power);
/* The same for an aperture that moves; where it stands still, ePIE. */
void               prism_cpu_telescope_mopie_update       (PrismCpuTelescope *self,
                                                           guint              slot,
                                                           double             step_size,
                                                           gboolean           serial,
                                                           double            *residual,
                                                           double            *power);
/* image [m][m]: real, clamped, support. */
void               prism_cpu_telescope_epie_project       (PrismCpuTelescope *self,
                                                           float             *image);
void               prism_cpu_telescope_compute_misfit     (PrismCpuTelescope *self,
                                                           const float       *image,
                                                           guint              slot,
                                                           double            *residual,
                                                           double            *power);

/* gradient [m][m] and misfit are added to. */
void               prism_cpu_telescope_add_misfit_gradient (PrismCpuTelescope     *self,
                                                            const float           *image,
                                                            const PrismMisfitTerm *terms,
                                                            guint                  n_terms,
                                                            float                 *gradient,
                                                            double                *misfit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCpuTelescope, prism_cpu_telescope_free)

G_END_DECLS
