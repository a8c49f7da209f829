#include "config.h"

#include "forecast/prism-costs.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-pool.h"
#include "base/prism-record.h"
#include "base/prism-system.h"
#include "device/prism-registry.h"
#include "measure/prism-measurements.h"

#define MOST 1e6 /* s */
#define FIELD(member) PRISM_RECORD_PART (PrismCosts, #member, member, REAL, 0, MOST, FALSE)
#define CORRECTION(name, training) \
  PRISM_RECORD_PART (PrismCosts, name, correction[training], REAL, 0, MOST, FALSE)

static const PrismRecordField fields[] = {
  FIELD (begin),
  FIELD (frame),
  FIELD (judge),
  FIELD (brief_pass),
  FIELD (brief_visit),
  FIELD (pass),
  FIELD (visit),
  FIELD (epie_visit),
  FIELD (picture),
  FIELD (field),
  FIELD (search),
  FIELD (search_frame),
  FIELD (fill),
  FIELD (start),
  FIELD (step),
  CORRECTION ("as_set", PRISM_TRAINING_SET),
  CORRECTION ("spared", PRISM_TRAINING_SPARED),
  CORRECTION ("needed", PRISM_TRAINING_NEEDED),
  CORRECTION ("rescued", PRISM_TRAINING_RESCUED),
  { NULL },
};

/* What the time of a step or a visit depends on, beside what has a number of its own below. */
static const char *const keys[]
    = { "image_size", "object_size", "aperture_shape", "line_length", "line_points",
        "domain", "method", "memory", "replay", "loss",
        "normalise", "frames", "finish", "mopie_update", "weight_decay",
        "amsgrad", "clip_norm", "latent", "channels", "depth",
        "norm", "edge", "output_activation", "amp",
        "amp_type", NULL };

static void
append_keys (GString *text,
             const PrismConfig *of_run)
{
  g_autoptr (PrismConfig) config = prism_config_dup (of_run);

  /* A step costs the same wherever it is needed. */
  prism_config_train_always (config);
  PRISM_FOR_EACH_STRING (key, keys)
    {
      const PrismParam *param = prism_config_get_param (*key);
      g_autofree char *value = prism_config_dup_text (config, param);

      g_string_append_printf (text, " %s=%s", *key, value);
    }
}

/**
 * prism_costs_dup_shape:
 * @config: of a run
 *
 * Names all that the costs depend on: program, machine, device, threads, and the run's sizes and
 * kind. Two runs with the same text have the same costs, however many steps they take.
 *
 * Returns: (transfer full): one line
 */
char *
prism_costs_dup_shape (const PrismConfig *config)
{
  const PrismBackendOps *ops = prism_registry_find (config->backend);
  g_autofree char *processor = prism_system_dup_processor ();
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "version=%s processor=%s device=%s threads=%u", PRISM_VERSION,
                          processor != NULL ? processor : "", ops != NULL ? ops->name : "auto",
                          prism_pool_count_threads ((guint) config->threads));
  /* Apertures of nearly the same size cost the same: two steps for each doubling. */
  g_string_append_printf (text, " radius=%d noise=%d small=%u",
                          (int) lround (2.0 * log2 (config->aperture_radius)),
                          prism_measurements_config_has_noise (config),
                          ops != NULL ? prism_measurements_choose_step (config, ops,
                                                                        (guint) config->samples)
                                      : 0);
  append_keys (text, config);
  return g_string_free (text, FALSE);
}

/**
 * prism_costs_load:
 * @self: (out caller-allocates): the costs
 * @config: of a run
 *
 * Reads what is known of runs of this shape. A file that is damaged is as good as none.
 *
 * Returns: whether it is known
 */
gboolean
prism_costs_load (PrismCosts *self,
                  const PrismConfig *config)
{
  g_autofree char *shape = prism_costs_dup_shape (config);
  g_autofree char *path = prism_user_cache_dup_path (PRISM_USER_CACHE_COSTS, shape);

  memset (self, 0, sizeof *self);
  if (!prism_record_load (fields, self, path, "costs", NULL))
    return FALSE;
  /* Nothing of a file that anybody may have changed must lead to a time that is no number. */
  for (const PrismRecordField *field = fields; field->name != NULL; field++)
    if (!isfinite (G_STRUCT_MEMBER (double, self, field->offset)))
      return FALSE;
  return TRUE;
}

/**
 * prism_costs_save:
 * @self: the costs
 * @config: of the run that they were timed for
 * @error: return location
 *
 * Keeps them for runs of this shape; what was kept before is replaced.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether they are kept
 */
gboolean
prism_costs_save (const PrismCosts *self,
                  const PrismConfig *config,
                  GError **error)
{
  g_autofree char *shape = prism_costs_dup_shape (config);
  g_autofree char *path = prism_user_cache_dup_path (PRISM_USER_CACHE_COSTS, shape);

  return prism_record_save (fields, self, path, error);
}
