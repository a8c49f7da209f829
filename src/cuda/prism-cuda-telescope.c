#include "config.h"

#include "model/prism-noise.h"
#include "prism-cuda-backend.h"

/* Planes hold this many fields [n][n]: two views through a mask that fills the field, as memory
 * "self" needs, or dozens through one aperture. More views go in several turns. */
#define N_FIELDS 2

G_STATIC_ASSERT (PRISM_CUDA_LOSS_L2 == PRISM_LOSS_L2);
G_STATIC_ASSERT (PRISM_CUDA_DOMAIN_INTENSITY == PRISM_DOMAIN_INTENSITY);
G_STATIC_ASSERT (PRISM_LOSS_SSIM > PRISM_LOSS_L2 && PRISM_LOSS_MS_SSIM > PRISM_LOSS_L2);
G_STATIC_ASSERT (PRISM_CUDA_MAX_TERMS == PRISM_STEP_MAX_OLD + 1);

/**
 * prism_cuda_fft_fill_table:
 * @table: (array length=n) (out caller-allocates): roots of unity e^{-2πik/n}
 * @n: number of roots
 *
 * Fills the table of twiddle factors on the host, each rounded once.
 *
 * Shape: @table [n].
 * Thread: any.
 */
void
prism_cuda_fft_fill_table (PrismCudaComplex *table,
                           int n)
{
  for (int k = 0; k < n; k++)
    table[k] = (PrismCudaComplex) { (float) cos (2.0 * G_PI * k / n),
                                    (float) -sin (2.0 * G_PI * k / n) };
}

/**
 * prism_cuda_telescope_new:
 * @spec: sizes of the run
 * @arena: takes the telescope's arrays
 * @control: (transfer none): where the address of the run's control will stand
 *
 * Thread: engine.
 *
 * Returns: (transfer full): a telescope, whose roots are to be filled once the arena is allocated
 */
PrismCudaTelescope *
prism_cuda_telescope_new (const PrismBackendSpec *spec,
                          PrismCudaArena *arena,
                          PrismCudaControl **control)
{
  const gsize n = spec->image_size, m = spec->object_size, h = n / 2 + 1;
  const gsize n_sums = prism_cuda_optics_get_n_sums (spec->image_size);
  const gsize n_tiles = n * n / (PRISM_CUDA_SIMILARITY_TILE * PRISM_CUDA_SIMILARITY_TILE);
  PrismCudaTelescope *self = g_new0 (PrismCudaTelescope, 1);

  self->image_size = spec->image_size;
  self->object_size = spec->object_size;
  self->control = control;

  PRISM_CUDA_PLAN (arena, self->roots, n);
  PRISM_CUDA_PLAN (arena, self->half, h * m);
  PRISM_CUDA_PLAN (arena, self->columns, h * m);
  PRISM_CUDA_PLAN (arena, self->planes, N_FIELDS * n * n);
  PRISM_CUDA_PLAN (arena, self->slots, spec->n_slots);
  PRISM_CUDA_PLAN (arena, self->start_image, m * m);
  PRISM_CUDA_PLAN (arena, self->views, PRISM_CUDA_MAX_TERMS);
  PRISM_CUDA_PLAN (arena, self->sums, PRISM_CUDA_MAX_TERMS * n_sums);
  PRISM_CUDA_PLAN (arena, self->start_sums, PRISM_CUDA_START_MAX_BLOCKS * 2);
  PRISM_CUDA_PLAN (arena, self->amplitude, n * n);
  PRISM_CUDA_PLAN (arena, self->maps, 4 * n * n);
  PRISM_CUDA_PLAN (arena, self->tile_sums, 2 * n_tiles);
  PRISM_CUDA_PLAN (arena, self->factors, PRISM_CUDA_SIMILARITY_MAX_SCALES);
  PRISM_CUDA_PLAN (arena, self->object, m * m);
  PRISM_CUDA_PLAN (arena, self->spectrum, n * n);
  PRISM_CUDA_PLAN (arena, self->target_partials, PRISM_CUDA_TARGET_N_PARTIALS);
  PRISM_CUDA_PLAN (arena, self->metrics_partials, prism_cuda_metrics_get_n_partials (m));
  return self;
}

static PrismCudaOpticsPixel
get_pixel (const PrismCudaShape *shape)
{
  gboolean intensity = shape->domain == PRISM_DOMAIN_INTENSITY;

  if (shape->misfit)
    return shape->expects ? PRISM_CUDA_OPTICS_L2_EXPECTED : PRISM_CUDA_OPTICS_L2_NOISY;
  if (shape->loss == PRISM_LOSS_L2)
    return intensity ? PRISM_CUDA_OPTICS_L2_INTENSITY : PRISM_CUDA_OPTICS_L2_AMPLITUDE;
  return intensity ? PRISM_CUDA_OPTICS_L1_INTENSITY : PRISM_CUDA_OPTICS_L1_AMPLITUDE;
}

static PrismCudaOptics
get_optics (PrismCudaTelescope *self)
{
  return (PrismCudaOptics) { self->image_size, self->object_size, self->roots, *self->control };
}

/* Where no view has a box there are no columns. */
static cudaError_t
expand (PrismCudaTelescope *self,
        const PrismCudaOptics *optics,
        const PrismCudaOpticsView *views,
        int n_views,
        int max_width,
        cudaStream_t stream)
{
  if (n_views == 0 || max_width == 0)
    return cudaSuccess;
  return prism_cuda_optics_expand_columns (optics, views, n_views, max_width, self->half,
                                           self->planes, stream);
}

/* Views of a step, as many as the planes hold, out to the detector and back to the image's columns.
 * terms: of all views, whose losses are added up behind the last. */
static cudaError_t
visit_views (PrismCudaTelescope *self,
             const PrismCudaShape *shape,
             const PrismCudaTerms *terms,
             guint first,
             guint n_views,
             gboolean accumulate,
             cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  const PrismCudaOpticsView *views = self->views + first;
  const gboolean last = first + n_views == shape->n_terms;
  double *sums = self->sums + first * prism_cuda_optics_get_n_sums (self->image_size);

  PRISM_CUDA_TRY (expand (self, &optics, views, n_views, shape->max_width, stream));
  if (n_views > 0)
    PRISM_CUDA_TRY (prism_cuda_optics_visit_rows (&optics, get_pixel (shape), views, n_views,
                                                  shape->max_width, NULL, self->planes, sums,
                                                  stream));
  return prism_cuda_optics_reduce_columns (&optics, views, n_views, shape->max_width, self->planes,
                                           last ? terms : NULL, accumulate || first > 0,
                                           self->columns, stream);
}

/* The view of a term, its similarity, and the slope of that back to the image's columns. */
static cudaError_t
visit_similarity (PrismCudaTelescope *self,
                  const PrismCudaShape *shape,
                  guint term,
                  gboolean accumulate,
                  cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  const gsize n_pixels = (gsize) self->image_size * self->image_size;
  const PrismCudaOpticsView *view = self->views + term;
  const gboolean multiple = shape->loss == PRISM_LOSS_MS_SSIM;
  float *scratch = (float *) (self->planes + n_pixels);
  const PrismCudaSimilarity similarity = {
    .image_size = self->image_size,
    .n_scales = multiple ? prism_cuda_similarity_get_n_scales (self->image_size) : 1,
    .intensity = shape->domain == PRISM_DOMAIN_INTENSITY,
    .term = term,
    .accumulate = accumulate,
    .control = *self->control,
    .view = view,
    .amplitude = self->amplitude,
    .gradients = scratch,
    .pyramid = scratch + n_pixels / 256 * 341, /* behind 1 + 1/4 + … + 1/256 */
    .maps = self->maps,
    .sums = self->tile_sums,
    .factors = self->factors,
    .slope = self->maps,
  };

  PRISM_CUDA_TRY (expand (self, &optics, view, 1, shape->max_width, stream));
  PRISM_CUDA_TRY (prism_cuda_optics_visit_rows (&optics, PRISM_CUDA_OPTICS_MEASURE, view, 1,
                                                shape->max_width, self->amplitude, self->planes,
                                                NULL, stream));
  PRISM_CUDA_TRY (prism_cuda_similarity_compute (&similarity, stream));
  PRISM_CUDA_TRY (prism_cuda_optics_visit_rows (&optics, PRISM_CUDA_OPTICS_PROJECT, view, 1,
                                                shape->max_width, self->maps, self->planes, NULL,
                                                stream));
  return prism_cuda_optics_reduce_columns (&optics, view, 1, shape->max_width, self->planes,
                                           NULL, accumulate || term > 0, self->columns, stream);
}

/* In turns of as many views as the planes hold. */
static cudaError_t
visit_pixels (PrismCudaTelescope *self,
              const PrismCudaShape *shape,
              const PrismCudaTerms *terms,
              gboolean accumulate,
              cudaStream_t stream)
{
  const guint n_at_once = N_FIELDS * self->image_size / MAX (shape->max_width, 1);
  guint first = 0, n_views;

  do
    {
      n_views = MIN (n_at_once, shape->n_terms - first);
      PRISM_CUDA_TRY (visit_views (self, shape, terms, first, n_views, accumulate, stream));
      first += n_views;
    }
  while (first < shape->n_terms);
  return cudaSuccess;
}

static PrismCudaTerms
get_terms (PrismCudaTelescope *self,
           const PrismCudaShape *shape)
{
  return (PrismCudaTerms) {
    .slots = self->slots,
    .views = self->views,
    .sums = self->sums,
    .loss = shape->misfit ? PRISM_CUDA_LOSS_MISFIT : (int32_t) shape->loss,
    .domain = shape->domain,
    .normalise = shape->normalise,
    .share = 1.0f,
  };
}

/* One loss of all terms, share times; the slope stays with the image's columns. */
static cudaError_t
visit_loss (PrismCudaTelescope *self,
            const PrismCudaShape *shape,
            float share,
            gboolean accumulate,
            const float *image,
            cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  const gboolean similar = shape->loss == PRISM_LOSS_SSIM || shape->loss == PRISM_LOSS_MS_SSIM;
  PrismCudaTerms terms = get_terms (self, shape);

  terms.share = share;
  terms.accumulate = accumulate;
  PRISM_CUDA_TRY (prism_cuda_optics_transform_rows (&optics, image, &terms, self->half, stream));
  if (!similar)
    return visit_pixels (self, shape, &terms, accumulate, stream);
  for (guint term = 0; term < shape->n_terms; term++)
    PRISM_CUDA_TRY (visit_similarity (self, shape, term, accumulate, stream));
  return cudaSuccess;
}

/* Looks anew for each loss: what a view is multiplied by belongs to its loss. */
static cudaError_t
visit_composite (PrismCudaTelescope *self,
                 const PrismCudaShape *shape,
                 const float *image,
                 cudaStream_t stream)
{
  PrismCudaShape part = *shape;
  gboolean accumulate = FALSE;

  for (part.loss = 0; part.loss < PRISM_STEP_N_WEIGHTS; part.loss++)
    if (shape->weights[part.loss] != 0.0f)
      {
        PRISM_CUDA_TRY (
            visit_loss (self, &part, shape->weights[part.loss], accumulate, image, stream));
        accumulate = TRUE;
      }
  return cudaSuccess;
}

/**
 * prism_cuda_telescope_compute_gradient:
 * @self: a telescope
 * @shape: of the step
 * @image: device array, what the decoder put out
 * @gradient: device array, derivative of loss_new + loss_old for @image
 * @stream: a stream, which may be under capture
 *
 * Looks at an image through all apertures of the step under way and compares with what was
 * measured. Sets not_finite when a loss is not finite; the gradient is of no use then.
 *
 * Shape: @image and @gradient [m][m].
 * Thread: engine.
 * Source: numerics.md §§ 7, 8.
 */
cudaError_t
prism_cuda_telescope_compute_gradient (PrismCudaTelescope *self,
                                       const PrismCudaShape *shape,
                                       const float *image,
                                       float *gradient,
                                       cudaStream_t stream)
{
  g_return_val_if_fail (shape->n_terms <= PRISM_CUDA_MAX_TERMS, cudaErrorInvalidValue);
  g_return_val_if_fail (shape->max_width <= self->image_size, cudaErrorInvalidValue);

  if (shape->fit_start)
    return prism_cuda_start_compute_gradient (*self->control, image, self->start_image,
                                              self->object_size * self->object_size,
                                              self->start_sums, gradient, stream);
  if (shape->loss == PRISM_LOSS_COMPOSITE)
    PRISM_CUDA_TRY (visit_composite (self, shape, image, stream));
  else
    PRISM_CUDA_TRY (visit_loss (self, shape, 1.0f, FALSE, image, stream));
  return prism_cuda_telescope_restore_image (self, gradient, stream);
}

/**
 * prism_cuda_telescope_add_misfit:
 * @self: a telescope
 * @shape: with misfit, the terms and the boxes
 * @image: device array, an estimate of the object
 * @accumulate: whether terms before these have been here
 * @stream: a stream
 *
 * Adds Σ w·Σ(H(|φ|)-T)² of the terms to the losses, and its slope to what restore_image returns.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 */
cudaError_t
prism_cuda_telescope_add_misfit (PrismCudaTelescope *self,
                                 const PrismCudaShape *shape,
                                 const float *image,
                                 gboolean accumulate,
                                 cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  const PrismCudaTerms terms = get_terms (self, shape);

  PRISM_CUDA_TRY (prism_cuda_optics_transform_rows (&optics, image, &terms, self->half, stream));
  return visit_pixels (self, shape, &terms, accumulate, stream);
}

/**
 * prism_cuda_telescope_restore_image:
 * @self: a telescope after prism_cuda_telescope_add_misfit()
 * @gradient: device array, result
 * @stream: a stream
 *
 * Shape: @gradient [m][m].
 * Thread: engine.
 */
cudaError_t
prism_cuda_telescope_restore_image (PrismCudaTelescope *self,
                                    float *gradient,
                                    cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);

  return prism_cuda_optics_restore_rows (&optics, self->columns, gradient, stream);
}

/* ---- single apertures ---- */

/**
 * prism_cuda_telescope_measure:
 * @self: a telescope, whose first view has the mask
 * @width: px, of the mask's box
 * @image: (array) (device): what is looked at
 * @target: (array) (device) (out caller-allocates): amplitude |F⁻¹{P·F{image}}|
 * @stream: a stream
 *
 * What the camera sees through one aperture, without noise.
 *
 * Shape: @image [m][m], @target [n][n], origin at [0][0].
 * Thread: engine.
 * Source: numerics.md, telescope.
 *
 * Returns: what the launches report
 */
cudaError_t
prism_cuda_telescope_measure (PrismCudaTelescope *self,
                              int width,
                              const float *image,
                              float *target,
                              cudaStream_t stream)
{
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (self);

  PRISM_CUDA_TRY (prism_cuda_optics_transform_rows (&optics, image, NULL, self->half, stream));
  PRISM_CUDA_TRY (expand (self, &optics, self->views, 1, width, stream));
  return prism_cuda_optics_visit_rows (&optics, PRISM_CUDA_OPTICS_MEASURE, self->views, 1, width,
                                       target, self->planes, NULL, stream);
}

/**
 * prism_cuda_telescope_expose:
 * @self: a telescope
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
prism_cuda_telescope_expose (PrismCudaTelescope *self,
                             const float *clean,
                             const PrismExposure *exposure,
                             float *target,
                             cudaStream_t stream)
{
  const gsize n_bytes = (gsize) self->image_size * self->image_size * sizeof *target;
  const PrismCudaNoise noise = {
    .power = prism_noise_get_ratio (exposure->snr),
    .photon = exposure->photon,
    .read_power = prism_noise_get_ratio (exposure->read_snr),
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
