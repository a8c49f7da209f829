/* prism-solver: a method that turns measurements into an image, pass by pass over all of them. Each
 * method has a constructor of its own and fills a table.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "backend/prism-backend.h"
#include "formats/prism-bundle.h"

G_BEGIN_DECLS

typedef struct _PrismSolver PrismSolver;

typedef struct
{
  const char *name;                     /* "ePIE" */
  void (*free) (PrismSolver *self);
  gboolean (*step) (PrismSolver *self,
                    guint        n_samples,
                    gboolean    *pass_done,
                    GError     **error);
  void (*finish) (PrismSolver *self);
  void (*move) (PrismSolver  *self,
                PrismBackend *backend);
  gboolean (*save) (PrismSolver *self,
                    PrismBundle *bundle,
                    GError     **error);
  gboolean (*load) (PrismSolver *self,
                    PrismBundle *bundle,
                    GError     **error);
  gboolean (*is_done) (PrismSolver *self);
  guint (*get_pass) (PrismSolver *self);
  guint (*get_sample) (PrismSolver *self);
  guint (*get_n_extra_passes) (PrismSolver *self);
  double (*get_misfit) (PrismSolver *self);
  const float *(*get_image) (PrismSolver *self);
} PrismSolverKind;

/* The first member of every method. */
struct _PrismSolver
{
  const PrismSolverKind *kind;
};

void         prism_solver_free               (PrismSolver *self);
gboolean     prism_solver_step               (PrismSolver  *self,
                                              guint         n_samples,
                                              gboolean     *pass_done,
                                              GError      **error);
void         prism_solver_finish             (PrismSolver *self);
void         prism_solver_move               (PrismSolver  *self,
                                              PrismBackend *backend);
gboolean     prism_solver_save               (PrismSolver  *self,
                                              PrismBundle  *bundle,
                                              GError      **error);
gboolean     prism_solver_load               (PrismSolver  *self,
                                              PrismBundle  *bundle,
                                              GError      **error);
const char  *prism_solver_get_name           (PrismSolver *self);
gboolean     prism_solver_is_done            (PrismSolver *self);
guint        prism_solver_get_pass           (PrismSolver *self);
guint        prism_solver_get_sample         (PrismSolver *self);
guint        prism_solver_get_n_extra_passes (PrismSolver *self);
double       prism_solver_get_misfit         (PrismSolver *self);
const float *prism_solver_get_image          (PrismSolver *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSolver, prism_solver_free)

G_END_DECLS
