/* prism-frc: Fourier ring correlation: how well two images agree at each spatial frequency, and how
 * much of that frequency was measured.
 *
 * n = image_size, m = the images' side; ring k has the frequencies whose radius rounds to k px.
 * Thread: any. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

typedef struct _PrismFrc PrismFrc;

struct _PrismFrc
{
  guint n_rings;                        /* n/2 + 1 */
  double *correlation;                  /* [n_rings], -1…1; NAN where one image has no power */
  double *covered;                      /* [n_rings], 0…1: part of the ring that was measured */
  double *half_bit;                     /* [n_rings]: below it a ring tells less than half a bit */
};

PrismFrc *prism_frc_new            (const PrismImage  *image,
                                    const PrismImage  *object,
                                    const PrismImage  *coverage,
                                    GError           **error);
PrismFrc *prism_frc_new_snapshot   (const PrismSnapshot  *snapshot,
                                    GError              **error);
void      prism_frc_free           (PrismFrc *self);
double    prism_frc_get_resolution (const PrismFrc *self,
                                    double          threshold);
double    prism_frc_get_reach      (const PrismFrc *self);
char     *prism_frc_to_text        (const PrismFrc *self);
gboolean  prism_frc_save_csv       (const PrismFrc  *self,
                                    const char      *path,
                                    GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFrc, prism_frc_free)

G_END_DECLS
