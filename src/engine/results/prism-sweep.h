/* prism-sweep: one or two parameters over lists of values, and the seeds with which each is
 * repeated: which runs that makes, and where each of them has its files.
 *
 * Points are numbered from 0, the values of the last axis changing fastest. Thread: any one. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-directory.h"
#include "config/prism-config.h"
#include "ptychography/prism-problem.h"

G_BEGIN_DECLS

#define PRISM_SWEEP_MAX_AXES 3
/* Not counting seeds, whose runs are one cell. */
#define PRISM_SWEEP_MAX_PARAMS 2
#define PRISM_SWEEP_MAX_POINTS 10000
#define PRISM_SWEEP_STEM PRISM_PLAN_POINT "%04u"
/* The parameter that an ensemble goes over: same data, other decoders. */
#define PRISM_SWEEP_ENSEMBLE_KEY "training_seed"

typedef struct _PrismSweep PrismSweep;

typedef struct
{
  const PrismParam *param;
  char **values;                        /* [n_values], as in files */
  guint n_values;
} PrismSweepAxis;

struct _PrismSweep
{
  PrismConfig *base;
  char **frames;                        /* (nullable): arguments of “prism-cli run” that name
                                         * recorded frames; NULL: telescopes are simulated */
  PrismProblem *problem;                /* (nullable): those frames, where they have been read */
  guint64 frames_bytes;                 /* of memory, a run of them; where they have not */
  PrismSweepAxis axes[PRISM_SWEEP_MAX_AXES];
  guint n_axes;
  guint n_points;
  gboolean keeps_runs;                  /* each leaves its file, see prism_sweep_dup_path() */
};

PrismSweep  *prism_sweep_new           (const PrismConfig  *base);
PrismSweep  *prism_sweep_new_recorded  (const PrismConfig  *base,
                                        PrismProblem       *problem);
PrismSweep  *prism_sweep_new_like      (PrismSweep *other);
void         prism_sweep_free          (PrismSweep *self);
gboolean     prism_sweep_add_axis      (PrismSweep  *self,
                                        const char  *text,
                                        GError     **error);
gboolean     prism_sweep_check         (PrismSweep  *self,
                                        GError     **error);
const char  *prism_sweep_get_value     (PrismSweep *self,
                                        guint       point,
                                        guint       axis);
guint        prism_sweep_get_position  (PrismSweep *self,
                                        guint       point,
                                        guint       axis);
char        *prism_sweep_dup_value     (PrismSweep *self,
                                        guint       axis,
                                        guint       value);
gboolean     prism_sweep_param_is_seed (const PrismParam *param);
gboolean     prism_sweep_is_seed       (PrismSweep *self,
                                        guint       axis);
PrismConfig *prism_sweep_dup_config    (PrismSweep  *self,
                                        guint        point,
                                        GError     **error);
char        *prism_sweep_dup_title     (PrismSweep *self,
                                        guint       point);
char        *prism_sweep_dup_label     (PrismSweep *self,
                                        guint       point);
guint64      prism_sweep_get_device_bytes   (PrismSweep            *self,
                                             const PrismBackendOps *ops);
guint64      prism_sweep_get_required_bytes (PrismSweep *self);
gboolean     prism_sweep_is_ensemble   (PrismSweep *self);
char        *prism_sweep_dup_path      (const char *directory,
                                        guint       point,
                                        const char *ending);
gboolean     prism_sweep_save          (PrismSweep  *self,
                                        const char  *directory,
                                        GError     **error);
PrismSweep  *prism_sweep_load          (const char  *directory,
                                        GError     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweep, prism_sweep_free)

G_END_DECLS
