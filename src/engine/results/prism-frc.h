/* prism-frc: Fourier ring correlation: how well two images agree at each spatial frequency, and how
 * much of that frequency was measured.
 *
 * n = image_size, m = the images' side; ring k has the frequencies whose radius rounds to k px.
 * Thread: any. */
#pragma once

#include "history/prism-snapshot.h"
#include "model/prism-object.h"

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
PrismFrc *prism_frc_new_complex    (const float *a,
                                    const float *b,
                                    int          n);
PrismFrc *prism_frc_new_snapshot   (const PrismSnapshot  *snapshot,
                                    GError              **error);
void      prism_frc_free           (PrismFrc *self);
double    prism_frc_get_resolution (const PrismFrc *self,
                                    double          threshold);
guint     prism_frc_get_measured   (const PrismFrc *self);
double    prism_frc_get_reach      (const PrismFrc *self);
double    prism_frc_get_share      (const PrismFrc *self);
char     *prism_frc_to_text        (const PrismFrc *self);
gboolean  prism_frc_save_csv       (const PrismFrc  *self,
                                    const char      *path,
                                    GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFrc, prism_frc_free)

/* The finest element of the resolution target that a reconstruction shows.
 * Thread: any. */

/* An element counts as resolved when its bars keep this part of their contrast in the object. */
#define PRISM_RESOLUTION_CONTRAST 0.2

typedef struct
{
  guint n_elements;                     /* that the object itself shows */
  guint n_resolved;                     /* from the coarsest on, without a gap */
  PrismUsafElement finest;              /* the last resolved one; undefined when there is none */
  double contrast;                      /* of finest, 1 = as in the object */
} PrismResolution;

void      prism_resolution_compute          (PrismResolution  *self,
                                             const PrismImage *image,
                                             const PrismImage *object);
gboolean  prism_resolution_compute_snapshot (PrismResolution     *self,
                                             const PrismSnapshot *snapshot);
char     *prism_resolution_to_text          (const PrismResolution *self);

G_END_DECLS
