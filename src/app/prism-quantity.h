/* prism-quantity: what a chart can show of a run's history. */
#pragma once

#include "prism-chart.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "losses" */
  const char *label;                    /* "Losses" */
} PrismQuantity;

const PrismQuantity *prism_quantity_get_all   (gsize *n_quantities);
GtkWidget           *prism_quantity_new_chart (const char *id);

G_END_DECLS
