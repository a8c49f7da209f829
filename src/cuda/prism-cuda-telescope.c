#include "config.h"

#include "prism-cuda-telescope.h"

#include "prism-cuda-optics.h"
#include "prism-cuda-passes.h"

G_STATIC_ASSERT (PRISM_CUDA_LOSS_L2 == PRISM_LOSS_L2);
G_STATIC_ASSERT (PRISM_CUDA_DOMAIN_INTENSITY == PRISM_DOMAIN_INTENSITY);
G_STATIC_ASSERT (PRISM_LOSS_SSIM > PRISM_LOSS_L2 && PRISM_LOSS_MS_SSIM > PRISM_LOSS_L2);
G_STATIC_ASSERT (PRISM_CUDA_MAX_TERMS == PRISM_STEP_MAX_OLD + 1);

struct _PrismCudaTelescope
{
  int image_size;  /* n */
  int object_size; /* m */
  PrismCudaControl **control;
  PrismCudaPasses *passes;

  /* In the arena. */
  PrismCudaSlot *slots;       /* [n_slots] */
  float *start_image;         /* [m][m] */
  PrismCudaOpticsView *views; /* [PRISM_CUDA_MAX_TERMS] */
  double *sums;               /* [PRISM_CUDA_MAX_TERMS][n_sums] */
  double *start_sums;         /* [PRISM_CUDA_START_MAX_BLOCKS][2] */

  /* Of SSIM losses, which take a view at a time and the scratch of the passes, too. */
  float *amplitude;  /* [n][n] */
  float *maps;       /* [4][n][n] */
  double *tile_sums; /* [2·(n/TILE)²] */
  double *factors;   /* [PRISM_CUDA_SIMILARITY_MAX_SCALES] */
};

/**
 * prism_cuda_telescope_new:
 * @spec: sizes of the run
 * @arena: takes the telescope's arrays
 * @control: (transfer none): where the address of the run's control will stand
 *
 * Thread: engine.
 *
 * Returns: (transfer full): a telescope, to be prepared once the arena is allocated
 */
PrismCudaTelescope *
prism_cuda_telescope_new (const PrismBackendSpec *spec,
                          PrismCudaArena *arena,
                          PrismCudaControl **control)
{
  const gsize n = spec->image_size, m = spec->object_size;
  const gsize n_sums = prism_cuda_optics_get_n_sums (spec->image_size);
  const gsize n_tiles = n * n / (PRISM_CUDA_SIMILARITY_TILE * PRISM_CUDA_SIMILARITY_TILE);
  PrismCudaTelescope *self = g_new0 (PrismCudaTelescope, 1);

  self->image_size = spec->image_size;
  self->object_size = spec->object_size;
  self->control = control;
  self->passes = prism_cuda_passes_new (spec, arena, control);

  prism_cuda_arena_add_array (arena, (void **) &self->slots, spec->n_slots * sizeof *self->slots);
  prism_cuda_arena_add_array (arena, (void **) &self->start_image, m * m * sizeof (float));
  prism_cuda_arena_add_array (arena, (void **) &self->views,
                              PRISM_CUDA_MAX_TERMS * sizeof *self->views);
  prism_cuda_arena_add_array (arena, (void **) &self->sums,
                              PRISM_CUDA_MAX_TERMS * n_sums * sizeof (double));
  prism_cuda_arena_add_array (arena, (void **) &self->start_sums,
                              PRISM_CUDA_START_MAX_BLOCKS * 2 * sizeof (double));
  prism_cuda_arena_add_array (arena, (void **) &self->amplitude, n * n * sizeof (float));
  prism_cuda_arena_add_array (arena, (void **) &self->maps, 4 * n * n * sizeof (float));
  prism_cuda_arena_add_array (arena, (void **) &self->tile_sums, 2 * n_tiles * sizeof (double));
  prism_cuda_arena_add_array (arena, (void **) &self->factors,
                              PRISM_CUDA_SIMILARITY_MAX_SCALES * sizeof (double));
  return self;
}

/**
 * prism_cuda_telescope_prepare:
 * @self: a telescope, whose arena is allocated
 * @stream: not under capture
 *
 * Puts the constants on the device.
 *
 * Thread: engine.
 */
cudaError_t
prism_cuda_telescope_prepare (PrismCudaTelescope *self,
                              cudaStream_t stream)
{
  return prism_cuda_passes_prepare (self->passes, stream);
}

/**
 * prism_cuda_telescope_free:
 * @self: (transfer full): a telescope
 *
 * Thread: engine.
 */
void
prism_cuda_telescope_free (PrismCudaTelescope *self)
{
  prism_cuda_passes_free (self->passes);
  g_free (self);
}

/**
 * prism_cuda_telescope_get_slots:
 * @self: a telescope
 *
 * Shape: [n_slots].
 * Thread: engine.
 *
 * Returns: (transfer none): device array of what is bound
 */
PrismCudaSlot *
prism_cuda_telescope_get_slots (PrismCudaTelescope *self)
{
  return self->slots;
}

/**
 * prism_cuda_telescope_get_start_image:
 * @self: a telescope
 *
 * Shape: [m][m].
 * Thread: engine.
 *
 * Returns: (transfer none): device array of the start phase's image
 */
float *
prism_cuda_telescope_get_start_image (PrismCudaTelescope *self)
{
  return self->start_image;
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

/* Views first … of a step, as many as the planes hold, out to the detector and back to the image's
 * columns. */
static cudaError_t
visit_views (PrismCudaTelescope *self,
             const PrismCudaShape *shape,
             const PrismCudaTerms *terms,
             guint first,
             guint n_views,
             gboolean accumulate,
             cudaStream_t stream)
{
  const PrismCudaOpticsView *views = self->views + first;
  double *sums = self->sums + first * prism_cuda_optics_get_n_sums (self->image_size);
  const gboolean last = first + n_views == shape->n_terms;
  cudaError_t status;

  status = prism_cuda_passes_expand_views (self->passes, views, n_views, shape->max_width, stream);
  if (status == cudaSuccess)
    status = prism_cuda_passes_visit_views (self->passes, get_pixel (shape), views, n_views,
                                            shape->max_width, NULL, sums, stream);
  if (status == cudaSuccess)
    status = prism_cuda_passes_reduce_views (self->passes, views, n_views, shape->max_width,
                                             last ? terms : NULL, accumulate || first > 0, stream);
  return status;
}

/* The view of a term, its similarity, and the slope of that back to the image's columns. */
static cudaError_t
visit_similarity (PrismCudaTelescope *self,
                  const PrismCudaShape *shape,
                  guint term,
                  gboolean accumulate,
                  cudaStream_t stream)
{
  const gsize n_pixels = (gsize) self->image_size * self->image_size;
  const PrismCudaOpticsView *view = self->views + term;
  const gboolean multiple = shape->loss == PRISM_LOSS_MS_SSIM;
  float *scratch = prism_cuda_passes_get_scratch (self->passes);
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
  cudaError_t status;

  status = prism_cuda_passes_expand_views (self->passes, view, 1, shape->max_width, stream);
  if (status == cudaSuccess)
    status = prism_cuda_passes_visit_views (self->passes, PRISM_CUDA_OPTICS_MEASURE, view, 1,
                                            shape->max_width, self->amplitude, NULL, stream);
  if (status == cudaSuccess)
    status = prism_cuda_similarity_compute (&similarity, stream);
  if (status == cudaSuccess)
    status = prism_cuda_passes_visit_views (self->passes, PRISM_CUDA_OPTICS_PROJECT, view, 1,
                                            shape->max_width, self->maps, NULL, stream);
  if (status == cudaSuccess)
    status = prism_cuda_passes_reduce_views (self->passes, view, 1, shape->max_width, NULL,
                                             accumulate || term > 0, stream);
  return status;
}

static cudaError_t
visit_similarities (PrismCudaTelescope *self,
                    const PrismCudaShape *shape,
                    gboolean accumulate,
                    cudaStream_t stream)
{
  cudaError_t status = cudaSuccess;

  for (guint term = 0; term < shape->n_terms && status == cudaSuccess; term++)
    status = visit_similarity (self, shape, term, accumulate, stream);
  return status;
}

/* In turns of as many views as the planes hold. */
static cudaError_t
visit_pixels (PrismCudaTelescope *self,
              const PrismCudaShape *shape,
              const PrismCudaTerms *terms,
              gboolean accumulate,
              cudaStream_t stream)
{
  const guint n_at_once = prism_cuda_passes_get_max_views (self->passes, shape->max_width);
  cudaError_t status = cudaSuccess;
  guint first = 0, n_views;

  do
    {
      n_views = MIN (n_at_once, shape->n_terms - first);
      status = visit_views (self, shape, terms, first, n_views, accumulate, stream);
      first += n_views;
    }
  while (first < shape->n_terms && status == cudaSuccess);
  return status;
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
  const gboolean similar = shape->loss == PRISM_LOSS_SSIM || shape->loss == PRISM_LOSS_MS_SSIM;
  PrismCudaTerms terms = get_terms (self, shape);
  cudaError_t status;

  terms.share = share;
  terms.accumulate = accumulate;
  status = prism_cuda_passes_transform_image (self->passes, image, &terms, stream);
  if (status == cudaSuccess && similar)
    status = visit_similarities (self, shape, accumulate, stream);
  else if (status == cudaSuccess)
    status = visit_pixels (self, shape, &terms, accumulate, stream);
  return status;
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
  cudaError_t status = cudaSuccess;

  for (part.loss = 0; part.loss < PRISM_STEP_N_WEIGHTS && status == cudaSuccess; part.loss++)
    if (shape->weights[part.loss] != 0.0f)
      {
        status = visit_loss (self, &part, shape->weights[part.loss], accumulate, image, stream);
        accumulate = TRUE;
      }
  return status;
}

static cudaError_t
compute_losses (PrismCudaTelescope *self,
                const PrismCudaShape *shape,
                const float *image,
                float *gradient,
                cudaStream_t stream)
{
  cudaError_t status;

  if (shape->loss == PRISM_LOSS_COMPOSITE)
    status = visit_composite (self, shape, image, stream);
  else
    status = visit_loss (self, shape, 1.0f, FALSE, image, stream);
  if (status != cudaSuccess)
    return status;
  return prism_cuda_passes_restore_image (self->passes, gradient, stream);
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
  return compute_losses (self, shape, image, gradient, stream);
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
  const PrismCudaTerms terms = get_terms (self, shape);
  cudaError_t status = prism_cuda_passes_transform_image (self->passes, image, &terms, stream);

  return status == cudaSuccess ? visit_pixels (self, shape, &terms, accumulate, stream) : status;
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
  return prism_cuda_passes_restore_image (self->passes, gradient, stream);
}
