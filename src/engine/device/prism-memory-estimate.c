#include "config.h"

#include "device/prism-memory-estimate.h"

#include "cpu/prism-cpu-decoder.h"
#include "history/prism-history.h"
#include "history/prism-keeper.h"
#include "measure/prism-measurements.h"
#include "model/prism-line.h"
#include "num/prism-expect.h"
#include "solve/prism-phase-sync.h"

/* Dimensions of this file: n = image_size, m = object_size, P = number of parameters.
 *
 * The numbers below are counted where the memory is taken, and held against the largest resident
 * memory of real runs by tests/bench/memory_told.py. */

/* prism-cli, libraries and what they need for themselves, libhdf5 with what it writes included. */
#define PROGRAM_BYTES (G_GUINT64_CONSTANT (28) << 20)
/* The same with a run file: libraries that write archives, compression, the thread that writes. */
#define SAVER_BYTES (G_GUINT64_CONSTANT (3) << 20)
/* What the driver and its libraries take in the host's memory beside a run. */
#define DRIVER_BYTES (G_GUINT64_CONSTANT (400) << 20)
/* Of metrics.csv, in memory at once. */
#define HELD_ROWS (16 * PRISM_HISTORY_CHUNK)
/* Two tables of a measurement with read noise. */
#define EXPECT_BYTES (2 * PRISM_EXPECT_N_MEANS * sizeof (double))
/* [n][n]: spectrum, coverage and measurement that are shown; what the verdict compares. */
#define N_SHOWN_PLANES 5
/* [m][m]: object, start, held, frame, decoded, result, pictures of three snapshots. */
#define N_SHOWN_IMAGES 12
/* Of the live picture: its image, its descent and that of a candidate. */
#define N_LIVE_IMAGES 12
/* Of the polish: its descent, its best. */
#define N_POLISH_IMAGES 7
/* [m][m] in a state for the file: four images, live picture and its two descents, polish. */
#define N_STATE_IMAGES 16

/**
 * prism_memory_estimate_init:
 * @self: (out caller-allocates): what is needed
 * @config: a configuration
 * @spec: of prism_task_init_spec()
 * @ops: the device
 * @saves: whether the run has a file, for which its state is copied
 *
 * Counts what a run will need: decoder, transforms, measurements, the last good state, the pictures
 * that are shown and kept, and the program itself.
 *
 * Units: bytes.
 */
void
prism_memory_estimate_init (PrismMemoryEstimate *self,
                            const PrismConfig *config,
                            const PrismBackendSpec *spec,
                            const PrismBackendOps *ops,
                            gboolean saves)
{
  const gboolean is_host = !prism_backend_can_be_lost (ops), trains = prism_config_trains (config);
  const guint n = spec->n_slots - 1; /* samples */
  const guint64 plane = (guint64) spec->image_size * spec->image_size * sizeof (float);
  const guint64 image = (guint64) spec->object_size * spec->object_size * sizeof (float);
  const guint64 weights = spec->decoder.n_parameters * sizeof (float);
  const guint n_arrays = spec->amsgrad ? 4 : 3; /* weights and moments */
  const guint64 device = ops->get_required_bytes (spec);
  const guint step = prism_measurements_choose_step (config, ops, n);
  const gboolean is_line = spec->n_line_points > 1;
  const guint64 side = (guint64) ceil (2.0 * config->aperture_radius) + 1;
  const guint64 n_rows = (guint64) n * config->passes * ((guint64) config->steps + 1)
                         + config->start_steps + config->polish;
  guint64 measured, early = 0, late;

  /* Detector images; noise-free ones are kept to expose them anew. */
  measured = n * (prism_measurements_config_has_noise (config) ? 2 : 1) * plane;
  if (config->cache_size > 0 || step > 0)
    measured = MIN (measured, MAX ((guint64) config->cache_size << 20,
                                   (step > 0 ? 1 : 2) * plane * (config->replay + 2)));
  if (step > 0)
    measured += n * (plane / (step * step));
  measured += plane + (spec->read_noise ? n * EXPECT_BYTES : 0);
  self->device = is_host ? 0 : device + measured;

  /* What is in the host's memory from the beginning to the end, whatever the device: one byte per
   * pixel of the box of each aperture, of a line one for each of its points, too; rows of the
   * metrics; what is shown. */
  self->run = n * side
              * ((is_line ? spec->n_line_points + 1 : 1) * side
                 + (is_line ? (guint64) ceil (config->line_length) : 0));
  self->run += MIN (n_rows, HELD_ROWS) * sizeof (PrismHistoryRow);
  self->run += N_SHOWN_PLANES * plane + N_SHOWN_IMAGES * image;
  /* The state of the training is there while training waits: fields are aligned beside it. */
  if (trains)
    self->run += ((config->consistency > 0 ? N_LIVE_IMAGES : 0)
                  + (config->polish > 0 ? N_POLISH_IMAGES : 0))
                     * image
                 + weights * n_arrays * (is_host ? 1 : 2)
                 + prism_phase_sync_get_bytes (config, n);

  /* Weights that are drawn for the start, which some starts take all measurements for. */
  if (!is_host)
    measured = 0;
  if (trains)
    early = weights;
  if (trains
      && (config->order == PRISM_ORDER_ENERGY
          || (config->start_steps > 0 && config->start_target == PRISM_START_SYNTHETIC)))
    early += measured;
  /* What is there when the samples are through: pictures, the decoder that is kept, what two of
   * them are compared in, and a state for the file, with the last good one. */
  late = measured + prism_keeper_get_required_bytes (config, n);
  if (trains && config->keep_decoder)
    late += weights
            + prism_cpu_decoder_get_required_bytes (&spec->decoder,
                                                    PRISM_CPU_DECODER_FORWARD);
  if (saves)
    late += (trains ? 2 * weights * n_arrays : 0) + N_STATE_IMAGES * image + SAVER_BYTES;
  self->run += (is_host ? device : DRIVER_BYTES) + MAX (early, late);
  /* Holes between blocks. */
  self->run += self->run / 16;
  self->host = PROGRAM_BYTES + self->run;
}

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
