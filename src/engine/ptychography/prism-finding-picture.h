/* prism-finding-picture: what a finding looks like. Thread: any. */
#pragma once

#include "formats/prism-image.h"
#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_FINDING_AMPLITUDE,              /* of the object */
  PRISM_FINDING_PHASE,                  /* -π … π */
  PRISM_FINDING_UNWRAPPED,              /* without turns of 2π */
  PRISM_FINDING_FLAT,                   /* besides, without its ramp */
  PRISM_FINDING_COMPLEX,                /* the amplitude, with colours of the phase */
  PRISM_FINDING_CONTRAST,               /* as an eye sees it: bright field, then the others */
  PRISM_FINDING_DARK,
  PRISM_FINDING_PHASE_CONTRAST,
  PRISM_FINDING_RELIEF,
  PRISM_FINDING_SPECTRUM,               /* log10 of its amplitude, the largest is 0 */
  PRISM_FINDING_PUPIL_AMPLITUDE,
  PRISM_FINDING_PUPIL_PHASE,            /* waves, unwrapped; NAN where no light comes through */
  PRISM_FINDING_N_PICTURES,
} PrismFindingPicture;

/* An object is 0 to the bit where no tile has been explained, and nowhere else: nothing is known
 * there, which its pictures say as NAN. */
static inline gboolean
prism_finding_picture_is_known (const float *value)
{
  return value[0] != 0 || value[1] != 0;
}

/* Gives a row of an object, [W][2]. Thread: any. */
typedef void (*PrismFindingRow) (gconstpointer data,
                                 int           row,
                                 float        *to);

PrismImage *prism_finding_picture_new        (const PrismFinding   *finding,
                                              PrismFindingPicture   picture,
                                              GError              **error);
int         prism_finding_picture_get_reduction (int side);
void        prism_finding_picture_reduce     (PrismFindingRow get_row,
                                              gconstpointer   data,
                                              int             height,
                                              int             width,
                                              int             top,
                                              int             left,
                                              int             reduction,
                                              float           unit,
                                              int             side,
                                              float          *amplitude,
                                              float          *phase);
gboolean    prism_finding_picture_make_pair  (const PrismFinding  *finding,
                                              PrismImage         **amplitude,
                                              PrismImage         **phase,
                                              GError             **error);
guint32    *prism_finding_picture_dup_colors (const PrismFinding  *finding,
                                              GError             **error);

G_END_DECLS
