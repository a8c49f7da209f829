/* prism-resolution: the finest element of the resolution target that a reconstruction shows.
 * Thread: any. */
#pragma once

#include "history/prism-snapshot.h"
#include "model/prism-object.h"

G_BEGIN_DECLS

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
