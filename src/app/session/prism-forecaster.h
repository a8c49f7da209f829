/* prism-forecaster: what the next run of a session will take, in words, as the draft changes. */
#pragma once

#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_FORECASTER (prism_forecaster_get_type ())

G_DECLARE_FINAL_TYPE (PrismForecaster, prism_forecaster, PRISM, FORECASTER, GObject)

PrismForecaster *prism_forecaster_new        (PrismSession *session);
void             prism_forecaster_set_timing (PrismForecaster *self,
                                              gboolean         timing);
double           prism_forecaster_get_expected (PrismForecaster *self);
const char      *prism_forecaster_get_text   (PrismForecaster *self);
const char      *prism_forecaster_get_detail (PrismForecaster *self);

G_END_DECLS
