/* prism-forecaster: what the next run of a session will take, in words, as the draft changes. */
#pragma once

#include "forecast/prism-forecast.h"
#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_FORECASTER (prism_forecaster_get_type ())

G_DECLARE_FINAL_TYPE (PrismForecaster, prism_forecaster, PRISM, FORECASTER, GObject)

struct _PrismForecaster
{
  GObject parent_instance;

  PrismSession *session; /* outlives it */
  gboolean timing;       /* what is not known may be timed */
  guint rest_id;
  GCancellable *cancellable; /* (nullable): of the question under way */
  PrismForecast forecast;    /* of the draft, where it is known */
  gboolean known;
  double expected[2]; /* s, of the run under way, at least and at most; NAN */
  guint64 learned; /* run that was learned from last */
  char *text;
  char *brief; /* what of the text the header has room for */
  const char *detail; /* of the text */
};

PrismForecaster *prism_forecaster_new        (PrismSession *session);
void             prism_forecaster_set_timing (PrismForecaster *self,
                                              gboolean         timing);

G_END_DECLS
