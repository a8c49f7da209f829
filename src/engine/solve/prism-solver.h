/* prism-solver: a method that turns measurements into an image, pass by pass over them. A method is
 * a file that fills a table of functions; prism_trainer_choose_polish() says what ends a run.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "backend/prism-recorded.h"
#include "measure/prism-measurements.h"
#include "model/prism-verdict.h"
#include "solve/prism-control.h"
#include "solve/prism-method-state.h"

G_BEGIN_DECLS

typedef struct _PrismSolver PrismSolver;

/* What is wanted of a method, which takes of it what it knows. */
typedef struct
{
  guint n_passes;                       /* over all measurements, from each start, at least 1 */
  double step_size;                     /* s of numerics.md § 10 */
  double smoothness;                    /* factor of the total variation, at least 0 */
  guint64 seed;                         /* of random starts */
  gboolean stop_at_noise;               /* no further than the noise that the SNR predicts */
  gboolean questions;                   /* with noise: is there another explanation? Little was
                                         * measured */
  double until;                         /* the last passes go on until ten of them move the image by
                                         * less than this part of its norm; 0 where they do not */
  const float *start;                   /* (nullable) [m][m] the decoder's image; read at once */
  const float *live;                    /* (nullable) [m][m] explains the data better than start;
                                         * read at once */
  const PrismRecordedOps *recorded;     /* (nullable): a device that takes passes over frames on
                                         * grids of their own */
  gboolean insists;                     /* on that device: no other may */
} PrismSolverSpec;

/* Where a method is. */
typedef struct
{
  gboolean is_done;                     /* no step is left */
  guint pass;                           /* passes done, all attempts together */
  guint n_extra_passes;                 /* beyond them, once they are known to be needed */
  guint search;                         /* of exit waves, under way, from 1; 0 where none is:
                                         * nobody knows how many will be needed */
  guint sample;                         /* the measurement that comes next */
  double misfit;                        /* Σ(|φ|-A)²/ΣA² of the image; NAN before it is known. Of
                                         * a problem its root, over held-out frames */
  double correlation;                   /* of held-out frames, median; 0 where there are none */
  gboolean is_rescued;                  /* the image is one that fields with noise led to */
  gboolean explains;                    /* without noise: nothing is left to find */
  PrismVerdict verdict;                 /* on the image; open where none was asked for */
  const float *second;                  /* (nullable) [m][m]: another image that explains them */
} PrismSolverReport;

/* Passes that go on until nothing moves are at most so many, or those that are set. */
#define PRISM_SOLVER_MOST_PASSES 2000

/* Errors, where nothing else is said: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST,
 * PRISM_ERROR_BACKEND. */
typedef struct
{
  gsize size;                           /* of its structure, which self is */
  const PrismMethodState *state;        /* at the beginning of the pass under way, whose visits are
                                         * done again, and */
  /* (nullable): what is beside that. One that was begun goes on from there, bit for bit. Where it
   * is not stale then, the measurements so far must be acquired before. PRISM_ERROR_FORMAT: it is
   * then of no use. */
  gboolean (*save) (gpointer     self,
                    PrismBundle *bundle,
                    GError     **error);
  gboolean (*load) (gpointer     self,
                    PrismBundle *bundle,
                    GError     **error);
  gboolean (*init) (gpointer self,
                    GError **error);
  GDestroyNotify clear;                 /* of what it holds, not of itself */
  gboolean (*begin) (gpointer               self,
                     const PrismSolverSpec *spec,
                     GError               **error);
  /* Goes on to the end, or as far as the control lets it, which is asked between some frames and
   * the next. Returns whether it is through. */
  gboolean (*run) (gpointer      self,
                   PrismControl *control,
                   GError      **error);
  /* Ends it where it is, for a user who does not want to wait: the best so far is kept. */
  void (*finish) (gpointer self);
  void (*describe) (gpointer           self,
                    PrismSolverReport *report);
  const float *(*get_image) (gpointer self);
} PrismSolverKind;

/* The first member of every method. */
struct _PrismSolver
{
  const PrismSolverKind *kind;
  PrismBackend *backend;
  PrismMeasurements *measurements;
  gsize n_pixels;                       /* m·m */
  PrismSolverSpec spec;                  /* as it was begun; the images of that time are gone. until
                                         * may change between two pieces of work */
  PrismSettling settling;               /* of the last passes that were watched */
  guint n_watched;                      /* passes since before, */
  double window_change;                 /* and what those ahead of it changed */
  float *before;                        /* (nullable) [m][m] the image some passes ago */
};

PrismSolver *prism_solver_new          (const PrismSolverKind  *kind,
                                        PrismBackend           *backend,
                                        PrismMeasurements      *measurements,
                                        GError                **error);
void         prism_solver_free         (PrismSolver *self);
gboolean     prism_solver_begin        (PrismSolver            *self,
                                        const PrismSolverSpec  *spec,
                                        GError                **error);
PrismSolverReport
             prism_solver_describe     (PrismSolver *self);
const float *prism_solver_get_image    (PrismSolver *self);
float       *prism_solver_new_image    (PrismSolver  *self,
                                        GError      **error);
void         prism_solver_watch        (PrismSolver *self,
                                        const float *image);
gboolean     prism_solver_stands_still (PrismSolver *self,
                                        const float *image,
                                        double       least);

/* Every method is a file of its own. */
extern const PrismSolverKind prism_epie_kind;
extern const PrismSolverKind prism_microscope_kind;
extern const PrismSolverKind prism_refine_kind;

gboolean     prism_solver_save         (PrismSolver  *self,
                                        PrismBundle  *bundle,
                                        GError      **error);
gboolean     prism_solver_load         (PrismSolver  *self,
                                        PrismBundle  *bundle,
                                        GError      **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSolver, prism_solver_free)

G_END_DECLS
