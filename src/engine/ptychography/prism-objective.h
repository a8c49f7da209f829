/* prism-objective: what an objective does over its field: focus, astigmatism, coma, Strehl ratio.
 * Places are metres from the middle of the field, at the specimen. Thread: any. */
#pragma once

#include "ptychography/prism-pupil.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

enum { PRISM_OBJECTIVE_N_TERMS = 15 };

typedef enum
{
  PRISM_OBJECTIVE_CURVATURE,            /* of the surface that is in focus, 1/m */
  PRISM_OBJECTIVE_TILT,                 /* of that surface, m a m */
  PRISM_OBJECTIVE_FOCUS_RANGE,          /* how far it reaches along the axis, m */
  PRISM_OBJECTIVE_ASTIGMATISM,          /* the most that two line foci are apart, m */
  PRISM_OBJECTIVE_STREHL_MEAN,          /* of places in their own best focus */
  PRISM_OBJECTIVE_STREHL_LEAST,
  PRISM_OBJECTIVE_PLANE_STREHL_MEAN,    /* of places in the plane that is the mean of all foci */
  PRISM_OBJECTIVE_PLANE_STREHL_LEAST,
  PRISM_OBJECTIVE_N_NUMBERS,
} PrismObjectiveNumber;

typedef struct
{
  guint n_tiles;                        /* that told; 0: nothing is known */
  double size[2];                       /* of the field along columns and rows, m */
  double wavelength;                    /* m */
  double na;
  double terms[PRISM_OBJECTIVE_N_TERMS]; /* waves */
  double scatter;                       /* of the tiles' aberrations, waves root mean square */
  double numbers[PRISM_OBJECTIVE_N_NUMBERS];
  double errors[PRISM_OBJECTIVE_N_NUMBERS]; /* of them, one standard error */
} PrismObjective;

/* What the frames of a tile tell. */
typedef struct
{
  double at[2];                         /* its middle, m from that of the field */
  double waves[PRISM_PUPIL_N_MODES];
  double weights[PRISM_PUPIL_N_MODES][PRISM_PUPIL_N_MODES]; /* the inverse of what they may be off
                                         * by, as a covariance, up to a factor */
} PrismObjectiveTile;

typedef struct
{
  double waves[PRISM_PUPIL_N_MODES];
  double focus;                         /* m, with the sign of defocus_um in summary.json */
  double astigmatism;                   /* m that the line foci are apart */
  double strehl;                        /* in its own best focus */
  double plane_strehl;                  /* in the plane of the mean focus */
} PrismObjectivePlace;

void  prism_objective_fit       (PrismObjective           *self,
                                 guint                     n_tiles,
                                 const PrismObjectiveTile *tiles);
void  prism_objective_evaluate  (const PrismObjective *self,
                                 const double          at[2],
                                 PrismObjectivePlace  *place);
char *prism_objective_dup_table (const PrismObjective *self);
void  prism_objective_add       (const PrismObjective *self,
                                 JsonBuilder          *builder);
void  prism_objective_load      (PrismObjective *self,
                                 JsonObject     *summary);

G_END_DECLS
