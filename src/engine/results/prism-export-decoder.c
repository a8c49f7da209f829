#include "config.h"

#include "results/prism-export.h"

#include "base/prism-error.h"
#include "cpu/prism-cpu-fold.h"

static gboolean
refuse (GError **error,
        const char *reason)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "There is no decoder.npz, which the setting keep_decoder asks for: %s.", reason);
  return FALSE;
}

/**
 * prism_export_fold_decoder:
 * @snapshot: of a run from a file
 * @state: what the file has beside it
 *
 * Prepares the decoder for output, as the run did at its end, where the settings ask for it: the
 * file has its weights alone.
 *
 * Errors: PRISM_ERROR_FORMAT where the run is not over or the file has no weights; those of
 * prism_cpu_fold_new().
 * Thread: any, one snapshot by one thread at a time.
 *
 * Returns: whether the snapshot has the decoder or none is asked for
 */
gboolean
prism_export_fold_decoder (PrismSnapshot *snapshot,
                           PrismBundle *state,
                           GError **error)
{
  PrismDecoderPlan plan;
  const float *weights;

  if (!snapshot->config->keep_decoder || snapshot->fold != NULL
      || !prism_config_trains (snapshot->config))
    return TRUE;
  if (snapshot->phase != PRISM_PHASE_DONE)
    return refuse (error, "the run is not at its end");
  if (!prism_bundle_has (state, "weights.npy"))
    return refuse (error, "the file has no weights");
  if (!prism_decoder_plan_init_config (&plan, snapshot->config, error))
    return FALSE;
  weights = prism_bundle_get_array (state, "weights.npy", 1, &plan.n_parameters, error);
  if (weights == NULL)
    return FALSE;
  snapshot->fold = prism_cpu_fold_new (&plan, weights, error);
  return snapshot->fold != NULL;
}
