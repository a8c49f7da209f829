#include "config.h"

#include "solve/prism-refinement.h"

#include "base/prism-record.h"
#include "solve/prism-epie.h"
#include "solve/prism-refine.h"

#include <float.h>

/* Of methods that train no decoder: all of the run. */
static const PrismSolverKind *const of_method[] = {
  [PRISM_METHOD_EPIE] = &prism_epie_kind,
  [PRISM_METHOD_MOPIE] = &prism_epie_kind_of_lines,
};

/* After the decoder. A device that cannot do what the method needs takes ePIE. */
static const PrismSolverKind *const of_finish[] = {
  [PRISM_FINISH_REFINE] = &prism_refine_kind,
  [PRISM_FINISH_EPIE] = &prism_epie_kind,
};

/* What the configuration said when the polish began. */
typedef struct
{
  PrismSolverSpec spec;
  gboolean refines;
} Saved;

#define FIELD(...) PRISM_RECORD_PART (Saved, __VA_ARGS__, FALSE)

static const PrismRecordField fields[] = {
  FIELD ("n_passes", spec.n_passes, INTEGER, 1, G_MAXINT32),
  FIELD ("step_size", spec.step_size, REAL, 0, DBL_MAX),
  FIELD ("smoothness", spec.smoothness, REAL, 0, DBL_MAX),
  FIELD ("refines", refines, SWITCH, 0, 1),
  PRISM_RECORD_NO_MORE ("is_brief"),
  PRISM_RECORD_NO_MORE ("rescues"),
  PRISM_RECORD_PART (Saved, "questions", spec.questions, SWITCH, 0, 1, TRUE),
  PRISM_RECORD_PART (Saved, "until", spec.until, REAL, 0, 1, TRUE),
  FIELD ("stop_at_noise", spec.stop_at_noise, SWITCH, 0, 1),
  { NULL },
};

/**
 * prism_refinement_choose:
 * @config: method and finish
 * @ops: the device
 *
 * Thread: engine.
 *
 * Returns: (transfer none): the method of a run's passes over all measurements
 */
const PrismSolverKind *
prism_refinement_choose (const PrismConfig *config,
                         const PrismBackendOps *ops)
{
  const PrismSolverKind *kind = prism_config_trains (config) ? of_finish[config->finish]
                                                             : of_method[config->method];

  return kind->needs_descent && ops->descend == NULL ? &prism_epie_kind : kind;
}

/**
 * prism_refinement_save:
 * @solver: a method that ends a run
 * @bundle: where to
 * @error: return location
 *
 * Adds which method it is, how it was begun, and its state.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it has been added
 */
gboolean
prism_refinement_save (PrismSolver *solver,
                       PrismBundle *bundle,
                       GError **error)
{
  const Saved saved = { solver->spec, solver->kind == &prism_refine_kind };

  prism_bundle_take_text (bundle, "polish-spec.json", prism_record_to_text (fields, &saved));
  return solver->kind->save (solver, bundle, error);
}

/**
 * prism_refinement_load_spec:
 * @spec: (inout): what the configuration says now
 * @kind: (inout): the method that it asks for now
 * @bundle: what prism_refinement_save() added to
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
prism_refinement_load_spec (PrismSolverSpec *spec,
                            const PrismSolverKind **kind,
                            PrismBundle *bundle,
                            GError **error)
{
  const char *text = prism_bundle_get_text (bundle, "polish-spec.json", error);
  Saved saved = { *spec, FALSE };

  if (text == NULL || !prism_record_parse (fields, &saved, text, "polish-spec.json", error))
    return FALSE;
  *spec = saved.spec;
  if (spec->start != NULL && saved.refines != (*kind == &prism_refine_kind))
    *kind = saved.refines ? &prism_refine_kind : &prism_epie_kind;
  return TRUE;
}
