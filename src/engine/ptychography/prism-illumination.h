/* prism-illumination: where the light of every frame came from and how bright it was, as recorded
 * and as found. Places are pixels of a frame's grid from the spectrum's centre, (column, row).
 * Thread: one at a time. */
#pragma once

#include "backend/prism-recorded.h"

G_BEGIN_DECLS

/* A shift, turn and scale of all LEDs together. */
typedef struct
{
  double shift[2];                      /* pixels */
  double scale;                         /* 1: none */
  double turn;                          /* radians, from x to y */
} PrismBoard;

typedef struct
{
  guint n_frames;                       /* N */
  double (*recorded)[2];                /* [N] */
  double (*found)[2];                   /* [N] */
  double *gains;                        /* [N]: the model's amplitude for one that was recorded */
  PrismBoard board;                     /* from recorded to found */
} PrismIllumination;

void prism_illumination_init      (PrismIllumination *self,
                                   double (*centers)[2],
                                   guint              n_frames);
void prism_illumination_reset     (PrismIllumination *self);
void prism_illumination_move      (PrismIllumination *self,
                                   guint              frame,
                                   const double       shift[2],
                                   double             most);
void prism_illumination_fit_board (PrismIllumination *self,
                                   const guint       *frames,
                                   guint              n,
                                   const guint8      *others);
void   prism_illumination_get_expected (const PrismIllumination *self,
                                        guint                    frame,
                                        double                   place[2]);
double prism_illumination_compute_spread (const PrismIllumination *self,
                                          const guint             *frames,
                                          guint                    n);

/* Where a frame's pupil lies between the points of its grid, and by how
 * much it should be moved. Places are (column, row). Thread: any. */

void prism_ptychography_place_init       (PrismRecordedPlace *self,
                                          const double            place[2]);
void prism_ptychography_place_find_shift (const double            forces[5],
                                          double                  n_points,
                                          double                  shift[2]);

G_END_DECLS
