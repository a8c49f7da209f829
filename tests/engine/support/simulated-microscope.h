/* simulated-microscope: frames of the engine's own microscope, with some of its quantities set. */
#pragma once

#include "instrument/prism-instrument-simulate.h"
#include "prism-test.h"

G_BEGIN_DECLS

/* truth: (out) (nullable); then names and values of quantities, "photons", "0", up to NULL. */
static inline PrismRecording *G_GNUC_NULL_TERMINATED
simulated_microscope_new (PrismInstrumentTruth **truth, ...)
{
  PrismInstrumentTruth *known = NULL;
  PrismInstrument instrument;
  const char *name;
  va_list settings;

  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  va_start (settings, truth);
  while ((name = va_arg (settings, const char *)) != NULL)
    g_assert_true (prism_instrument_set (&instrument, name, va_arg (settings, const char *), NULL));
  va_end (settings);
  PrismRecording *recording = MUST (prism_instrument_simulate (&instrument, &known, &error));
  if (truth != NULL)
    *truth = known;
  else
    prism_instrument_truth_free (known);
  return recording;
}

G_END_DECLS
