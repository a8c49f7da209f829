#include "config.h"

#include "device/prism-task.h"

#include "model/prism-line.h"

#include <string.h>

/**
 * prism_task_init_spec:
 * @config: a configuration
 * @n_samples: points of its pattern
 * @spec: (out caller-allocates): what the device must provide
 *
 * Derives the device's task from a configuration: one slot per sample and one for the held image.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether the decoder can be planned
 */
gboolean
prism_task_init_spec (const PrismConfig *config,
                      guint n_samples,
                      PrismBackendSpec *spec,
                      GError **error)
{
  PrismLine line;

  memset (spec, 0, sizeof *spec);
  spec->image_size = config->image_size;
  spec->object_size = config->object_size;
  spec->n_slots = n_samples + 1;
  spec->n_threads = config->threads;
  spec->tuning = config->tuning && config->threads == 0;
  spec->amp = config->amp;
  spec->precision = config->amp ? PRISM_PRECISION_BF16 + config->amp_type : PRISM_PRECISION_FP32;
  spec->amsgrad = config->amsgrad;
  spec->clips = config->clip_norm > 0.0;
  prism_line_init_config (&line, config);
  spec->n_line_points = line.n_points;
  spec->read_noise = config->read_snr > 0.0;
  spec->samples = config->frames != PRISM_FRAMES_FULL;
  spec->samples_noise = config->frames == PRISM_FRAMES_SMALL;
  spec->motion = config->method == PRISM_METHOD_EPIE          ? PRISM_MOTION_IGNORED
                 : config->mopie_update == PRISM_MOPIE_SERIAL ? PRISM_MOTION_SERIAL
                                                              : PRISM_MOTION_PARALLEL;
  return prism_decoder_plan_init_config (&spec->decoder, config, error);
}
