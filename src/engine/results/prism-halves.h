/* prism-halves: how far a result of recorded frames can be believed without a truth: its frames are
 * explained in two halves, which know nothing of each other's noise. Thread: one at a time. */
#pragma once

#include "ptychography/prism-problem.h"
#include "results/prism-frc.h"

G_BEGIN_DECLS

typedef struct
{
  PrismFrc *frc;                        /* of the two objects; rings are pixels of their spectra */
  double resolution;                    /* period up to which they agree by half a bit, m */
  double limit;                         /* λ over the NA of objective and farthest light, m */
} PrismHalves;

PrismHalves *prism_halves_new  (PrismProblem            *problem,
                                const char              *folder,
                                PrismPtychographyWatch   watch,
                                gpointer                 data,
                                GError                 **error);
void         prism_halves_free (PrismHalves *self);
gboolean     prism_halves_save (const PrismHalves  *self,
                                const char         *folder,
                                GError            **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHalves, prism_halves_free)

G_END_DECLS
