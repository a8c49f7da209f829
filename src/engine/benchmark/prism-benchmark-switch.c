#include "config.h"

#include "benchmark/prism-benchmark-switch.h"

#include "base/prism-available.h"
#include "device/prism-registry.h"
#include "measure/prism-measurements.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The smallest cache holds the measurements of one step. Benchmark files have the names. */
static const PrismBenchmarkSwitch switches[] = {
  { "cache", N_ ("Measurement cache"), "cache_size", "1", "0", NULL, TRUE },
  { "frames", N_ ("Small frames"), "frames", "full", "auto", NULL, TRUE },
  { "threads", N_ ("All threads"), "threads", "1", "0", NULL, TRUE },
  { "precision", N_ ("Mixed precision"), "amp", "off", "on", NULL, TRUE },
  { "graph", N_ ("Captured steps"), NULL, NULL, NULL, "PRISM_NO_GRAPH", TRUE },
  { "effort", N_ ("Training where it is needed"), "method", "decoder", "auto", NULL, FALSE },
};

/**
 * prism_benchmark_get_switches:
 * @n: (out): how many
 *
 * Returns: (transfer none) (array length=n): the switches
 */
const PrismBenchmarkSwitch *
prism_benchmark_get_switches (gsize *n)
{
  *n = G_N_ELEMENTS (switches);
  return switches;
}

/**
 * prism_benchmark_find_switch:
 * @id: a name
 *
 * Returns: (transfer none) (nullable): the switch of that name
 */
const PrismBenchmarkSwitch *
prism_benchmark_find_switch (const char *id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (switches); i++)
    if (strcmp (switches[i].id, id) == 0)
      return &switches[i];
  return NULL;
}

static const char *
get_gap_of_frames (const PrismConfig *config)
{
  if (!prism_config_trains (config))
    return _ ("This method looks at whole frames.");
  if (prism_measurements_choose_side (config->image_size, config->aperture_radius)
      >= (guint) config->image_size)
    return _ ("An aperture as large as this needs whole frames.");
  return NULL;
}

/**
 * prism_benchmark_switch_get_gap:
 * @self: a switch
 * @config: of a run
 *
 * Returns: (transfer none) (nullable): why the switch does nothing for this run on this machine
 */
const char *
prism_benchmark_switch_get_gap (const PrismBenchmarkSwitch *self, const PrismConfig *config)
{
  const gboolean on_gpu = prism_registry_is_gpu (config->backend);

  if (strcmp (self->id, "frames") == 0)
    return get_gap_of_frames (config);
  if (strcmp (self->id, "threads") == 0 && on_gpu)
    return _ ("The run is on a graphics processor.");
  if (strcmp (self->id, "threads") == 0 && prism_available_get_processors () < 2)
    return _ ("This machine has one processor.");
  if (strcmp (self->id, "precision") == 0 && !on_gpu)
    return _ ("The processor computes in single precision alone.");
  if (strcmp (self->id, "graph") == 0 && !on_gpu)
    return _ ("Steps are captured on a graphics processor alone.");
  if (strcmp (self->id, "effort") == 0 && !prism_config_trains (config))
    return _ ("This method trains no decoder.");
  return NULL;
}

/**
 * prism_benchmark_switch_apply:
 * @self: a switch
 * @config: of a run
 * @on: whether the run has it
 * @error: return location
 *
 * Sets the parameter of the switch, if it has one.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether the configuration takes it
 */
gboolean
prism_benchmark_switch_apply (const PrismBenchmarkSwitch *self,
                              PrismConfig *config,
                              gboolean on,
                              GError **error)
{
  return self->key == NULL
         || prism_config_set_text (config, self->key, on ? self->on : self->plain, error);
}
