/* prism-refine-private: where a refinement is, for the file that writes it down.
 *
 * m = object_size. Thread: engine. */
#pragma once

#include "solve/prism-phase-sync.h"
#include "solve/prism-descent.h"
#include "solve/prism-goodness.h"
#include "solve/prism-refine.h"

G_BEGIN_DECLS

typedef enum
{
  ATTEMPT_FIRST,   /* from the live picture; where there is none from the decoder's image */
  ATTEMPT_DECODER, /* from the decoder's image */
  ATTEMPT_SEARCH,  /* from exit waves alone */
  ATTEMPT_NONE,
} Attempt;

typedef enum
{
  STAGE_SEARCH,
  STAGE_FILL,
  STAGE_DESCEND,
  STAGE_TAKE,
} Stage;

typedef struct
{
  PrismSolver parent;
  PrismDescent *descent;
  PrismPhaseSync *alignment; /* (nullable) before the first search */
  PrismStillness stillness;
  Attempt attempt;
  Stage stage;
  guint pass;          /* of the stage */
  guint passes_before; /* of those before it */
  gboolean has_live;   /* the first attempt began with the live picture */
  gboolean has_waves;  /* the image under way comes from exit waves */
  double smoothness;   /* factor of the total variation that the user wants */
  guint n_searches;    /* attempts of each kind so far */
  guint n_questions;   /* searches for another image that explains the frames */
  double distance;     /* from waves with noise, of the nearest search; NAN without */

  float *best;             /* [m][m] */
  double best_misfit;      /* NAN before there is one */
  double best_power;       /* Σ w·ΣA² with the weights of best_misfit */
  gboolean shows_best;     /* instead of the image under way */
  gboolean is_from_search; /* best comes from waves with noise */
  double judged;           /* misfit of best by the verdict, with noise; NAN before */
  PrismVerdict verdict;    /* that; open where it is not known */
  gboolean explains;       /* best explains the frames, with noise */
  float *second;           /* (nullable) [m][m] another one that does */
  float *decoder;          /* (nullable) [m][m] to begin with, should the live picture not do */

  double change;     /* by the last ten passes of the result, relative; 0 before */
  double limit;      /* of it; 0 where none ends the passes */
  gboolean is_still; /* they ended because it is below, */
  gboolean is_met;   /* or because the data are met exactly */
} PrismRefine;

gboolean prism_refine_ensure_alignment (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_save             (PrismSolver  *solver,
                                        PrismBundle  *bundle,
                                        GError      **error);
gboolean prism_refine_load             (PrismSolver  *solver,
                                        PrismBundle  *bundle,
                                        GError      **error);

G_END_DECLS
