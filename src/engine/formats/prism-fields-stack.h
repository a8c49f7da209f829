/* prism-fields-stack: arrays that hold frames in another way than as a stack, listed as one.
 * Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"

G_BEGIN_DECLS

void        prism_fields_add_stacks    (PrismFields *self);
PrismField *prism_fields_add_grid      (PrismFields *self,
                                        PrismField  *field,
                                        gsize       *columns);
int         prism_fields_compare_names (const char *a,
                                        const char *b);

G_END_DECLS
