#include "config.h"

#include "solve/prism-polish.h"

#include "base/prism-record.h"
#include "solve/prism-epie.h"
#include "solve/prism-refine.h"

#include <float.h>

/* What the configuration said when the polish began. */
static const PrismRecordField spec_fields[] = {
  { "n_passes", PRISM_RECORD_INTEGER, G_STRUCT_OFFSET (PrismPolishSpec, n_passes), 1, G_MAXINT32,
    FALSE },
  { "step_size", PRISM_RECORD_REAL, G_STRUCT_OFFSET (PrismPolishSpec, step_size), 0, DBL_MAX,
    FALSE },
  { "smoothness", PRISM_RECORD_REAL, G_STRUCT_OFFSET (PrismPolishSpec, smoothness), 0, DBL_MAX,
    FALSE },
  { "refines", PRISM_RECORD_SWITCH, G_STRUCT_OFFSET (PrismPolishSpec, refines), 0, 1, FALSE },
  { "stop_at_noise", PRISM_RECORD_SWITCH, G_STRUCT_OFFSET (PrismPolishSpec, stop_at_noise), 0, 1,
    FALSE },
  { NULL },
};

/**
 * prism_polish_new:
 * @backend: the device
 * @measurements: of the run; all acquired once when @start is given
 * @spec: how
 * @start: (nullable): the decoder's image; NULL runs ePIE from a blank image, and nothing else
 * @error: return location
 *
 * Begins the method that @spec and the device allow.
 *
 * Shape: @start [m][m].
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 * Source: numerics.md § 8 and § 10.
 *
 * Returns: (transfer full) (nullable): the method
 */
PrismSolver *
prism_polish_new (PrismBackend *backend,
                  PrismMeasurements *measurements,
                  const PrismPolishSpec *spec,
                  const float *start,
                  GError **error)
{
  const PrismRefineSpec refine = { spec->n_passes, spec->smoothness, spec->band, spec->live };
  const PrismEpieSpec epie
      = { spec->n_passes, spec->step_size, spec->band, spec->stop_at_noise, spec->live };

  if (spec->refines && start != NULL && backend->ops->descend != NULL)
    return prism_refine_new (backend, measurements, &refine, start, error);
  return prism_epie_new (backend, measurements, &epie, start, error);
}

/**
 * prism_polish_save_spec:
 * @spec: how a polish was begun
 * @bundle: where to
 *
 * Adds it to the state of a run.
 *
 * Thread: engine.
 */
void
prism_polish_save_spec (const PrismPolishSpec *spec,
                        PrismBundle *bundle)
{
  prism_bundle_take_text (bundle, "polish-spec.json", prism_record_to_text (spec_fields, spec));
}

/**
 * prism_polish_load_spec:
 * @spec: (inout): what the configuration says now
 * @bundle: what prism_polish_save_spec() added to
 * @error: return location
 *
 * Says how the polish was begun: live settings may have changed since.
 *
 * Errors: PRISM_ERROR_FORMAT.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_polish_load_spec (PrismPolishSpec *spec,
                        PrismBundle *bundle,
                        GError **error)
{
  const char *text = prism_bundle_get_text (bundle, "polish-spec.json", error);

  return text != NULL && prism_record_parse (spec_fields, spec, text, "polish-spec.json", error);
}
