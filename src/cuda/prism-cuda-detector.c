#include "config.h"

#include "prism-cuda-detector.h"

#include "prism-cuda-optics.h"

#include <math.h>

/* n = image_size, m = object_size, h = n/2. Spectra lie by columns, see prism-cuda-spectrum. */

struct _PrismCudaDetector
{
  int image_size;
  int object_size;
  PrismCudaControl **control;

  PrismCudaComplex *table; /* [n], host: stays while it is on its way to the device */

  /* Device. */
  PrismCudaComplex *roots;           /* [n] */
  float *object;                     /* [m][m] */
  PrismCudaComplex *object_spectrum; /* [h + 1][n] */
  PrismCudaComplex *image_spectrum;  /* [h + 1][n] of what was last measured or misfitted */
  PrismCudaComplex *epie_spectrum;   /* [n][n] */
  PrismCudaComplex *plane;           /* [n][n]: rows of an image, or a view's plane */
  double *view_partials;             /* [2][n] */
  double *target_partials;           /* of a noise or a sum */
  double *metrics_partials;          /* apart: metrics run beside the training */
};

static void
add_arrays (PrismCudaDetector *self,
            PrismCudaArena *arena)
{
  const gsize n = self->image_size, m = self->object_size;
  const gsize half = (n / 2 + 1) * n * sizeof (PrismCudaComplex);

  prism_cuda_arena_add_array (arena, (void **) &self->roots, n * sizeof (PrismCudaComplex));
  prism_cuda_arena_add_array (arena, (void **) &self->object, m * m * sizeof (float));
  prism_cuda_arena_add_array (arena, (void **) &self->object_spectrum, half);
  prism_cuda_arena_add_array (arena, (void **) &self->image_spectrum, half);
  prism_cuda_arena_add_array (arena, (void **) &self->epie_spectrum,
                              n * n * sizeof (PrismCudaComplex));
  /* Half spectra of rows take m·(h + 1) points, which is less. */
  prism_cuda_arena_add_array (arena, (void **) &self->plane, n * n * sizeof (PrismCudaComplex));
  prism_cuda_arena_add_array (arena, (void **) &self->view_partials, 2 * n * sizeof (double));
  prism_cuda_arena_add_array (arena, (void **) &self->target_partials,
                              MAX (PRISM_CUDA_NOISE_N_PARTIALS, PRISM_CUDA_TARGET_N_PARTIALS)
                                  * sizeof (double));
  prism_cuda_arena_add_array (arena, (void **) &self->metrics_partials,
                              prism_cuda_metrics_get_n_partials (m) * sizeof (double));
}

/**
 * prism_cuda_detector_new:
 * @spec: sizes
 * @arena: takes the detector's arrays; must outlive it
 * @control: address of the run's control block
 *
 * Plans a detector. It works once @arena is allocated and prism_cuda_detector_prepare() has run.
 *
 * Thread: engine.
 *
 * Returns: (transfer full): the detector
 */
PrismCudaDetector *
prism_cuda_detector_new (const PrismBackendSpec *spec,
                         PrismCudaArena *arena,
                         PrismCudaControl **control)
{
  PrismCudaDetector *self = g_new0 (PrismCudaDetector, 1);

  self->image_size = spec->image_size;
  self->object_size = spec->object_size;
  self->control = control;
  self->table = g_new (PrismCudaComplex, self->image_size);
  prism_cuda_fft_fill_table (self->table, self->image_size);
  add_arrays (self, arena);
  return self;
}

/**
 * prism_cuda_detector_prepare:
 * @self: a detector whose arena is allocated
 * @stream: a stream
 *
 * Brings the constants to the device.
 *
 * Thread: engine.
 *
 * Returns: what the copy reports
 */
cudaError_t
prism_cuda_detector_prepare (PrismCudaDetector *self,
                             cudaStream_t stream)
{
  return cudaMemcpyAsync (self->roots, self->table, self->image_size * sizeof *self->table,
                          cudaMemcpyHostToDevice, stream);
}

/**
 * prism_cuda_detector_free:
 * @self: (transfer full) (nullable): a detector
 *
 * Frees what is the host's; arrays belong to the arena.
 *
 * Thread: engine.
 */
void
prism_cuda_detector_free (PrismCudaDetector *self)
{
  if (self == NULL)
    return;
  g_free (self->table);
  g_free (self);
}

static cudaError_t
transform_image (PrismCudaDetector *self,
                 PrismCudaComplex *spectrum,
                 const float *image,
                 gboolean full,
                 cudaStream_t stream)
{
  return prism_cuda_spectrum_transform (spectrum, self->plane, image, self->roots, full,
                                        self->image_size, self->object_size, stream);
}

/**
 * prism_cuda_detector_set_object:
 * @self: a detector
 * @amplitude: (array) (device): the object, finite
 * @stream: a stream
 *
 * Puts an object in front of the detector: keeps it for the metrics, and its spectrum.
 *
 * Shape: [m][m].
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_set_object (PrismCudaDetector *self,
                                const float *amplitude,
                                cudaStream_t stream)
{
  const gsize n_bytes = (gsize) self->object_size * self->object_size * sizeof *amplitude;
  cudaError_t error = cudaMemcpyAsync (self->object, amplitude, n_bytes, cudaMemcpyDeviceToDevice,
                                       stream);

  if (error != cudaSuccess)
    return error;
  return transform_image (self, self->object_spectrum, self->object, FALSE, stream);
}

/**
 * prism_cuda_detector_get_spectrum:
 * @self: a detector
 * @spectrum: (array) (device) (out caller-allocates): |F{object}|
 * @stream: a stream
 *
 * The magnitude of the object's spectrum, for display.
 *
 * Shape: [n][n], zero frequency at [n/2][n/2].
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_detector_get_spectrum (PrismCudaDetector *self,
                                  float *spectrum,
                                  cudaStream_t stream)
{
  return prism_cuda_spectrum_get_magnitude (spectrum, self->object_spectrum, self->image_size,
                                            stream);
}

static PrismCudaView
make_view (PrismCudaDetector *self,
           const PrismCudaSlot *slot,
           int height,
           int width)
{
  return (PrismCudaView) {
    .slot = slot,
    .roots = self->roots,
    .plane = self->plane,
    .partials = self->view_partials,
    .image_size = self->image_size,
    .width = height > 0 ? width : 0,
  };
}

/**
 * prism_cuda_detector_measure:
 * @self: a detector
 * @mask: box of the aperture, its bits on the device
 * @image: (array) (device) (nullable): what is looked at, NULL for the object
 * @target: (array) (device) (out caller-allocates): amplitude |F⁻¹{P·F{image}}|
 * @stream: a stream
 *
 * What the camera sees through one aperture, without noise. An image takes the place of the one of
 * prism_cuda_detector_misfit_start().
 *
 * Shape: @image [m][m], @target [n][n], origin at [0][0].
 * Thread: engine.
 * Source: numerics.md, telescope.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_measure (PrismCudaDetector *self,
                             const PrismCudaSlot *mask,
                             const float *image,
                             float *target,
                             cudaStream_t stream)
{
  PrismCudaView view = make_view (self, NULL, mask->height, mask->width);
  cudaError_t error = cudaSuccess;

  view.mask = *mask;
  view.target = target;
  if (image != NULL)
    error = prism_cuda_detector_misfit_start (self, image, stream);
  if (error == cudaSuccess)
    error = prism_cuda_view_expand (&view,
                                    image == NULL ? self->object_spectrum : self->image_spectrum,
                                    FALSE, stream);
  if (error == cudaSuccess)
    error = prism_cuda_view_visit (&view, PRISM_CUDA_VIEW_MEASURE, stream);
  return error;
}

/* Of noise over signal. */
static double
get_noise_power (double snr_db)
{
  return snr_db > 0.0 ? pow (10.0, -snr_db / 10.0) : 0.0;
}

/**
 * prism_cuda_detector_expose:
 * @self: a detector
 * @clean: (array) (device): noise-free amplitude
 * @exposure: noise
 * @target: (array) (device) (out caller-allocates): noisy amplitude; may be @clean
 * @stream: a stream
 *
 * Adds the camera's noise to the intensity, the same as on the CPU up to rounding.
 *
 * Shape: both [n][n], origin at [0][0].
 * Thread: engine.
 * Source: numerics.md, shot noise, read noise.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_expose (PrismCudaDetector *self,
                            const float *clean,
                            const PrismExposure *exposure,
                            float *target,
                            cudaStream_t stream)
{
  const gsize n_bytes = (gsize) self->image_size * self->image_size * sizeof *target;
  const PrismCudaNoise noise = {
    .power = get_noise_power (exposure->snr),
    .photon = exposure->photon,
    .read_power = get_noise_power (exposure->read_snr),
    .seed = exposure->seed,
    .sample = exposure->sample,
  };
  const gboolean is_noisy = noise.power > 0.0 || noise.photon > 0.0 || noise.read_power > 0.0;

  if (!is_noisy && target == clean)
    return cudaSuccess;
  if (!is_noisy)
    return cudaMemcpyAsync (target, clean, n_bytes, cudaMemcpyDeviceToDevice, stream);
  return prism_cuda_noise_expose (&noise, target, clean, self->target_partials, self->image_size,
                                  stream);
}

/**
 * prism_cuda_detector_roll:
 * @self: a detector
 * @from: (array) (device): detector image
 * @to: (array) (device) (out caller-allocates): the same in the other order, not @from
 * @stream: a stream
 *
 * From natural order, origin at [n/2][n/2], to a target's, origin at [0][0], or back.
 *
 * Shape: both [n][n].
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_detector_roll (PrismCudaDetector *self,
                          const float *from,
                          float *to,
                          cudaStream_t stream)
{
  return prism_cuda_target_roll (to, from, self->image_size, stream);
}

/**
 * prism_cuda_detector_sum:
 * @self: a detector
 * @target: (array) (device): amplitude
 * @sums: (array fixed-size=3) (device) (out caller-allocates): Σt, Σt², Σt⁴
 * @stream: a stream
 *
 * What a slot has to know of its target. A target with a value that is not finite has sums that are
 * not finite.
 *
 * Shape: @target [n][n].
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_sum (PrismCudaDetector *self,
                         const float *target,
                         double *sums,
                         cudaStream_t stream)
{
  return prism_cuda_target_sum (sums, self->target_partials, target, self->image_size, stream);
}

/**
 * prism_cuda_detector_epie_start:
 * @self: a detector
 * @image: (array) (device) (nullable): first estimate of the object; NULL for a blank one of 0.5
 * @stream: a stream
 *
 * Starts ePIE.
 *
 * Shape: [m][m].
 * Thread: engine.
 * Source: numerics.md, ePIE.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_epie_start (PrismCudaDetector *self,
                                const float *image,
                                cudaStream_t stream)
{
  return transform_image (self, self->epie_spectrum, image, TRUE, stream);
}

/**
 * prism_cuda_detector_epie_update:
 * @self: a detector
 * @slot: (device): a measurement that is bound
 * @height: px, at least that of the slot's box
 * @width: px, at least that of the slot's box
 * @step_size: s
 * @sums: (array fixed-size=2) (device) (inout): Σ(|φ| - A)² before the update and ΣA² are added
 * @stream: a stream
 *
 * One update of ePIE: φ = F⁻¹{P·O}, ψ = F{A·φ/|φ|}, O += s·P·(ψ - P·O). Three kernels.
 *
 * Thread: engine.
 * Source: numerics.md, ePIE.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_epie_update (PrismCudaDetector *self,
                                 const PrismCudaSlot *slot,
                                 int height,
                                 int width,
                                 double step_size,
                                 double *sums,
                                 cudaStream_t stream)
{
  const PrismCudaView view = make_view (self, slot, height, width);
  cudaError_t error = prism_cuda_view_expand (&view, self->epie_spectrum, TRUE, stream);

  if (error == cudaSuccess)
    error = prism_cuda_view_visit (&view, PRISM_CUDA_VIEW_PROJECT, stream);
  if (error == cudaSuccess)
    error = prism_cuda_projection_update (self->epie_spectrum, &view, (float) step_size, sums,
                                          stream);
  return error;
}

/**
 * prism_cuda_detector_epie_project:
 * @self: a detector
 * @image: (array) (device) (out caller-allocates): real part inside the support, clamped to [0, 1]
 * @stream: a stream
 *
 * Ends a pass of ePIE: takes the object out of its spectrum and starts the next pass from it.
 *
 * Shape: [m][m].
 * Thread: engine.
 * Source: numerics.md, ePIE.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_epie_project (PrismCudaDetector *self,
                                  float *image,
                                  cudaStream_t stream)
{
  return prism_cuda_projection_finish (self->epie_spectrum, self->plane, image, self->roots,
                                       self->image_size, self->object_size, stream);
}

/**
 * prism_cuda_detector_misfit_start:
 * @self: a detector
 * @image: (array) (device): an estimate of the object
 * @stream: a stream
 *
 * Takes the image whose misfit is wanted. ePIE is not disturbed.
 *
 * Shape: [m][m].
 * Thread: engine.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_misfit_start (PrismCudaDetector *self,
                                  const float *image,
                                  cudaStream_t stream)
{
  return transform_image (self, self->image_spectrum, image, FALSE, stream);
}

/**
 * prism_cuda_detector_misfit_add:
 * @self: a detector
 * @slot: (device): a measurement that is bound
 * @height: px, at least that of the slot's box
 * @width: px, at least that of the slot's box
 * @sums: (array fixed-size=2) (device) (inout): Σ(|φ| - A)² and ΣA² are added
 * @stream: a stream
 *
 * How far the image of prism_cuda_detector_misfit_start() is from explaining one measurement.
 *
 * Thread: engine.
 * Source: numerics.md, misfit.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_misfit_add (PrismCudaDetector *self,
                                const PrismCudaSlot *slot,
                                int height,
                                int width,
                                double *sums,
                                cudaStream_t stream)
{
  const PrismCudaView view = make_view (self, slot, height, width);
  cudaError_t error = prism_cuda_view_expand (&view, self->image_spectrum, FALSE, stream);

  if (error == cudaSuccess)
    error = prism_cuda_view_visit (&view, PRISM_CUDA_VIEW_COMPARE, stream);
  if (error == cudaSuccess)
    error = prism_cuda_view_add_sums (&view, sums, stream);
  return error;
}

/**
 * prism_cuda_detector_compute_metrics:
 * @self: a detector
 * @image: (array) (device): reconstruction
 * @forced: FALSE: only where the step under way wants metrics and the chunk is not done
 * @stream: a stream; no other may compute metrics at the same time
 *
 * Compares an image with the object, into the sums of the control block. May be
 * captured.
 *
 * Shape: [m][m].
 * Thread: engine.
 * Source: numerics.md, metrics.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_detector_compute_metrics (PrismCudaDetector *self,
                                     const float *image,
                                     gboolean forced,
                                     cudaStream_t stream)
{
  return prism_cuda_metrics_compute (*self->control, self->metrics_partials, image, self->object,
                                     self->object_size, forced, stream);
}
