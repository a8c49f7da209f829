/* prism-held-out: how well a predicted amplitude meets a recorded one. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sums over the pixels of one frame, or of some. */
typedef struct
{
  guint64 n;
  double predicted;                     /* Σ|φ| */
  double recorded;                      /* ΣA */
  double predicted_squares;             /* Σ|φ|² */
  double recorded_squares;              /* ΣA² */
  double products;                      /* Σ|φ|A */
} PrismHeldOut;

void   prism_held_out_add             (PrismHeldOut *self,
                                       const float  *field,
                                       const float  *amplitude,
                                       int           n);
double prism_held_out_get_error       (const PrismHeldOut *self);
double prism_held_out_get_correlation (const PrismHeldOut *self);

G_END_DECLS
