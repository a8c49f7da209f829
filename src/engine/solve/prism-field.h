/* prism-field: the field behind one frame, found from its amplitude and the aperture alone. The
 * frame does not say its phase as a whole, nor, where the aperture is its own mirror image, which
 * of two fields it is: the other is the conjugate, mirrored. Source: numerics.md, “Alignment”.
 *
 * q = points along a side of the frame, H × W = the mask's box. Thread: any, with a work of its
 * own. */
#pragma once

#include "model/prism-aperture.h"
#include "num/prism-fft.h"

G_BEGIN_DECLS

/* What one thread needs. */
typedef struct
{
  const PrismFftSquare *fft;            /* of q × q */
  guint side;                           /* q */
  float *state;                         /* [q][q][2] */
  float *other;                         /* [q][q][2] */
} PrismFieldWork;

/* What is known of one field. The energy of an amplitude is that of its box. */
typedef struct
{
  const PrismMask *mask;                /* whose box is not larger than the frame */
  const float *low_passed;              /* [q][q] amplitude, its origin at [0][0], to search on, */
  const float *amplitude;               /* and the one that a field is brought to in the end: */
  const PrismFieldWork *work;           /* of this thread, for its points */
  const float *guess;                   /* (nullable) [H][W][2] the first start, unless it is 0 */
} PrismFieldFrame;

void     prism_field_expand    (const PrismFieldWork *work,
                                const PrismMask      *mask,
                                const float          *box,
                                float                *field);
void     prism_field_reduce    (const PrismFieldWork *work,
                                const PrismMask      *mask,
                                float                *field,
                                float                *box);
double   prism_field_project   (const PrismFieldWork *work,
                                const PrismMask      *mask,
                                const float          *amplitude,
                                float                *box);
double   prism_field_descend   (const PrismFieldWork *work,
                                const PrismMask      *mask,
                                const float          *amplitude,
                                guint                 n_passes,
                                double                close,
                                float                *box);
double   prism_field_retrieve  (const PrismFieldWork *work,
                                const PrismFieldFrame *frame,
                                guint                 n_starts,
                                guint64               seed,
                                guint32               number,
                                float                *box);
void     prism_field_low_pass  (const PrismFieldWork *work,
                                const PrismFieldWork *small,
                                const float          *amplitude,
                                float                *low_passed);
gboolean prism_field_has_twin  (const PrismMask *mask);

G_END_DECLS
