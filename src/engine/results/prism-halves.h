/* prism-halves: how far a result of recorded frames can be believed without a truth: its frames are
 * explained in two halves, which know nothing of each other's noise. Thread: one at a time. */
#pragma once

#include "ptychography/prism-problem.h"
#include "results/prism-frc.h"

G_BEGIN_DECLS

/* What both halves say of a tile, or of the whole field; private. */
typedef struct _PrismHalvesPair PrismHalvesPair;

typedef struct
{
  PrismProblem *problem;
  PrismFinding *finding;                /* of all frames */
  PrismPtychographyWatch watch;         /* (nullable) */
  gpointer watch_data;
  PrismHalvesPair **pairs;              /* [n_tiles] (nullable): of those that were asked for */
  PrismImage *amplitude;                /* (nullable): of the finding */
  PrismImage *path;                     /* (nullable): rad */
  int side;                             /* of a tile, pixels of the object */
  PrismFrc *frc;                        /* (nullable): of the two objects; rings are pixels of their
                                         * spectra */
  PrismMeasured finest;                 /* period on which they agree by half a bit, m */
} PrismHalves;

PrismHalves *prism_halves_new     (PrismProblem            *problem,
                                   PrismFinding            *finding,
                                   PrismPtychographyWatch   watch,
                                   gpointer                 data);
void         prism_halves_free    (PrismHalves *self);
gboolean     prism_halves_compare (PrismHalves  *self,
                                   GError      **error);
gboolean     prism_halves_measure (PrismHalves       *self,
                                   double             increment,
                                   PrismMarkReading  *reading,
                                   GError           **error);
gboolean     prism_halves_save    (const PrismHalves  *self,
                                   const char         *folder,
                                   const GArray       *readings,
                                   GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHalves, prism_halves_free)

G_END_DECLS
