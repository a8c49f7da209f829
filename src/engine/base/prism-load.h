/* prism-load: how busy the processors were between two moments, with this program and with others.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Seconds of all processors together. */
typedef struct
{
  double own;                           /* of this process, all threads */
  double busy;                          /* of all programs; NAN where the system does not say */
  double all;                           /* what there was */
} PrismLoad;

void   prism_load_begin    (PrismLoad *self);
void   prism_load_end      (PrismLoad *self);
double prism_load_get_left (const PrismLoad *self);

G_END_DECLS
