/* prism-quantity: what a chart can show of a run's history. */
#pragma once

#include "charts/prism-chart.h"
#include "results/prism-frc.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "losses" */
  const char *label;                    /* "Losses" */
} PrismQuantity;

#define PRISM_QUANTITY_LOSSES "losses"
#define PRISM_QUANTITY_MISFIT "misfit"
#define PRISM_QUANTITY_PREDICTION "prediction"

const PrismQuantity *prism_quantity_get_all     (gsize *n_quantities);
GtkWidget           *prism_quantity_new_chart   (const char *id);
gboolean             prism_quantity_is_spectral (const char *id);
const char          *prism_quantity_get_topic   (const char *id);
const char          *prism_quantity_get_gap     (const char          *id,
                                                 const PrismSnapshot *snapshot);
void                 prism_quantity_show_frc    (PrismChart     *chart,
                                                 const PrismFrc *frc);

G_END_DECLS
