/* prism-halves: how far a result of recorded frames can be believed without a truth: its frames are
 * explained in two halves, which know nothing of each other's noise. Thread: one at a time. */
#pragma once

#include "ptychography/prism-problem.h"
#include "model/prism-mark.h"
#include "results/prism-frc.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_MEASURE_LENGTH,                 /* µm */
  PRISM_MEASURE_AMPLITUDE,              /* mean of an area */
  PRISM_MEASURE_PATH,                   /* nm, against what is around it, half as wide each side */
  PRISM_MEASURE_MASS,                   /* pg, of what that is, by the refractive increment */
  PRISM_MEASURE_PAIRS,                  /* of lines a mm, across bars */
  PRISM_MEASURE_ELEMENT,                /* of a USAF target: 6·log₂ of that, 0 is element 1 of
                                         * group 0 */
  PRISM_MEASURE_CONTRAST,               /* of these bars, 0…1 */
  PRISM_MEASURE_N,
} PrismMeasure;

/* With one standard deviation; NAN where a mark of its kind has none. */
typedef struct
{
  double value;
  double error;
} PrismMeasured;

typedef struct
{
  float *objects[2];                    /* [side][side][2], of each half */
  int side;
  PrismFrc *frc;                        /* of the two objects; rings are pixels of their spectra */
  double resolution;                    /* period up to which they agree by half a bit, m */
  double error;                         /* of it */
  double limit;                         /* λ over the NA of objective and farthest light, m */
} PrismHalves;

PrismHalves *prism_halves_new  (PrismProblem            *problem,
                                const char              *folder,
                                PrismPtychographyWatch   watch,
                                gpointer                 data,
                                GError                 **error);
void         prism_halves_free (PrismHalves *self);
PrismMeasured *prism_halves_measure (const PrismHalves   *self,
                                     const PrismFinding  *finding,
                                     const GArray        *marks,
                                     double               increment,
                                     GError             **error);
const char  *prism_measure_get_name (PrismMeasure measure);
gboolean     prism_halves_save (const PrismHalves    *self,
                                const char           *folder,
                                const GArray         *marks,
                                const PrismMeasured  *measured,
                                GError              **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHalves, prism_halves_free)

G_END_DECLS
