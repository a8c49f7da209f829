#include "config.h"

#include "benchmark/prism-series-kind.h"

#include "base/prism-system.h"
#include "device/prism-registry.h"
#include "measure/prism-measurements.h"

#define MOST_CHUNK 64
#define MOST_RUNS 64
#define MOST_TERMS (PRISM_STEP_MAX_OLD + 1)

/* Values of PRISM_SERIES_PRECISION: single precision, then the kinds of amp_type. */
static const char *const precisions[] = { "fp32", "bf16", "fp16", "tf32" };
/* Values of PRISM_SERIES_TRANSFERS, MiB. */
static const guint sizes[] = { 1, 4, 16, 64, 256 };
/* Values of PRISM_SERIES_FRAMES. */
static const char *const frames[] = { "full", "small" };

const PrismSeriesInfo prism_series_infos[PRISM_N_SERIES] = {
  [PRISM_SERIES_PRECISION]
  = { "precision", N_ ("Precision"), N_ ("a step"), "amp_type", FALSE, TRUE, FALSE, NULL },
  [PRISM_SERIES_TERMS]
  = { "terms", N_ ("Terms of a step"), N_ ("a term"), "replay", TRUE, FALSE, FALSE,
      N_ ("More terms change the result, and each step takes longer.") },
  [PRISM_SERIES_CHUNK]
  = { "chunk", N_ ("Steps at once"), N_ ("a step"), "chunk", TRUE, FALSE, FALSE, NULL },
  [PRISM_SERIES_THREADS]
  = { "threads", N_ ("Threads"), N_ ("a step"), "threads", FALSE, FALSE, FALSE, NULL },
  [PRISM_SERIES_FRAMES]
  = { "frames", N_ ("Frames"), N_ ("a pass"), "frames", FALSE, TRUE, FALSE, NULL },
  [PRISM_SERIES_TRANSFERS]
  = { "transfers", N_ ("Copies to and from the GPU"), "GB/s", NULL, FALSE, TRUE,
      TRUE,
      N_ ("Runs copy through pinned memory.") },
  [PRISM_SERIES_RUNS]
  = { "runs", N_ ("Runs at a time"), N_ ("a step of any run"), NULL, TRUE, FALSE, FALSE,
      N_ ("For sweeps and ensembles.") },
};

/**
 * prism_series_get_most:
 * @kind: what is gone over
 * @config: of the run
 *
 * Returns: the largest value that there is
 */
int
prism_series_get_most (PrismSeriesKind kind, const PrismConfig *config)
{
  switch (kind)
    {
    case PRISM_SERIES_PRECISION:
      return prism_registry_is_gpu (config->backend) ? (int) G_N_ELEMENTS (precisions) - 1 : 0;
    case PRISM_SERIES_TERMS:
      return MIN (MOST_TERMS, config->samples);
    case PRISM_SERIES_CHUNK:
      return MOST_CHUNK;
    case PRISM_SERIES_THREADS:
      return (int) prism_available_get_processors ();
    case PRISM_SERIES_FRAMES:
      return (int) G_N_ELEMENTS (frames) - 1;
    case PRISM_SERIES_TRANSFERS:
      return (int) G_N_ELEMENTS (sizes) - 1;
    default:
      return MOST_RUNS;
    }
}

/**
 * prism_series_get_gap:
 * @kind: what is gone over
 * @config: of the run
 *
 * Returns: (transfer none) (nullable): why that says nothing for this run on this machine
 */
const char *
prism_series_get_gap (PrismSeriesKind kind, const PrismConfig *config)
{
  const PrismBackendOps *ops
      = kind == PRISM_SERIES_TRANSFERS ? prism_registry_find (config->backend) : NULL;

  if (ops != NULL && ops->time_copies != NULL)
    return NULL;
  if (kind == PRISM_SERIES_TRANSFERS)
    return _ ("The run is on the processor, which works in its own memory: nothing is copied.");
  if (!prism_config_trains (config))
    return _ ("This method trains no decoder.");
  if (kind == PRISM_SERIES_TERMS && config->memory == PRISM_MEMORY_SELF)
    return _ ("With this memory a step has two terms at most.");
  if (kind == PRISM_SERIES_THREADS && prism_registry_is_gpu (config->backend))
    return _ ("The run is on a GPU.");
  if (kind == PRISM_SERIES_FRAMES
      && prism_measurements_choose_side (config->image_size, config->aperture_radius)
             >= (guint) config->image_size)
    return _ ("An aperture as large as this needs whole frames.");
  return NULL;
}

/**
 * prism_series_dup_name:
 * @kind: what is gone over
 * @value: one of its values
 *
 * Returns: (transfer full): what people call it
 */
char *
prism_series_dup_name (PrismSeriesKind kind, int value)
{
  if (kind == PRISM_SERIES_PRECISION)
    return g_strdup (precisions[CLAMP (value, 0, (int) G_N_ELEMENTS (precisions) - 1)]);
  if (kind == PRISM_SERIES_FRAMES)
    return g_strdup (value == 0 ? C_ ("frames", "full") : C_ ("frames", "small"));
  if (kind == PRISM_SERIES_TRANSFERS)
    return g_strdup_printf ("%u MiB", prism_series_get_mib (value));
  return g_strdup_printf ("%d", value);
}

/**
 * prism_series_get_mib:
 * @value: of PRISM_SERIES_TRANSFERS
 *
 * Returns: the size of a copy, in MiB
 */
guint
prism_series_get_mib (int value)
{
  return sizes[CLAMP (value, 0, (int) G_N_ELEMENTS (sizes) - 1)];
}

/**
 * prism_series_dup_settings:
 * @kind: what is gone over
 * @value: one of its values
 *
 * Returns: (transfer full) (array zero-terminated=1): what gives a run this value, each key and its
 * value
 */
char **
prism_series_dup_settings (PrismSeriesKind kind, int value)
{
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();
  g_autofree char *number = g_strdup_printf ("%d", value);

  if (kind == PRISM_SERIES_PRECISION)
    {
      const char *name = precisions[CLAMP (value, 0, (int) G_N_ELEMENTS (precisions) - 1)];

      g_strv_builder_add_many (list, "amp", value > 0 ? "on" : "off", NULL);
      if (value > 0)
        g_strv_builder_add_many (list, "amp_type", name, NULL);
    }
  else if (kind == PRISM_SERIES_FRAMES)
    g_strv_builder_add_many (list, "frames", frames[value > 0], NULL);
  else if (prism_series_infos[kind].key != NULL)
    g_strv_builder_add_many (list, prism_series_infos[kind].key, number, NULL);
  return g_strv_builder_end (list);
}
