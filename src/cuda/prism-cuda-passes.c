#include "config.h"

#include "prism-cuda-passes.h"

#include "prism-cuda-cufft.h"
#include "prism-cuda-fft.h"
#include "prism-cuda-optics.h"

/* Planes hold this many fields [n][n]: two views through a mask that fills the field, as memory
 * "self" needs, or dozens through one aperture. More views go in several turns. */
#define N_FIELDS 2

struct _PrismCudaPasses
{
  PrismCudaOptics optics; /* but for what stands in the arena */
  PrismCudaControl **control;
  PrismCudaComplex *host_roots; /* [n] */
  PrismCudaCufft *reference;    /* (nullable) */

  /* In the arena. */
  PrismCudaComplex *roots;   /* [n] */
  PrismCudaComplex *half;    /* [n/2+1][m] on the way out; reference: [n][n] */
  PrismCudaComplex *columns; /* [n/2+1][m] and back; reference: [n][n] */
  PrismCudaComplex *planes;  /* [N_FIELDS][n][n] */
  void *work;                /* of the reference */
};

static PrismCudaOptics
get_optics (PrismCudaPasses *self)
{
  PrismCudaOptics optics = self->optics;

  optics.roots = self->roots;
  optics.control = *self->control;
  return optics;
}

/**
 * prism_cuda_passes_new:
 * @spec: sizes of the run, and whether the reference transform is wanted
 * @arena: takes the arrays
 * @control: (transfer none): where the address of the run's control will stand
 *
 * Does not touch the device.
 *
 * Thread: engine.
 *
 * Returns: (transfer full): the passes, to be prepared once the arena is allocated
 */
PrismCudaPasses *
prism_cuda_passes_new (const PrismBackendSpec *spec,
                       PrismCudaArena *arena,
                       PrismCudaControl **control)
{
  const gsize n = spec->image_size, m = spec->object_size;
  const gsize plane = n * n * sizeof (PrismCudaComplex);
  const gsize half = (n / 2 + 1) * m * sizeof (PrismCudaComplex);
  PrismCudaPasses *self = g_new0 (PrismCudaPasses, 1);
  gsize work = 0, spectrum = half;

  self->optics.image_size = spec->image_size;
  self->optics.object_size = spec->object_size;
  self->control = control;
  self->host_roots = g_new (PrismCudaComplex, n);
  prism_cuda_fft_fill_table (self->host_roots, spec->image_size);
  if (spec->reference_transform)
    {
      self->reference = prism_cuda_cufft_new (spec->image_size);
      work = prism_cuda_cufft_get_work_bytes (spec->image_size);
      spectrum = plane;
    }

  prism_cuda_arena_add_array (arena, (void **) &self->roots, n * sizeof *self->roots);
  prism_cuda_arena_add_array (arena, (void **) &self->half, spectrum);
  prism_cuda_arena_add_array (arena, (void **) &self->columns, spectrum);
  prism_cuda_arena_add_array (arena, (void **) &self->planes, N_FIELDS * plane);
  prism_cuda_arena_add_array (arena, &self->work, work);
  return self;
}

/**
 * prism_cuda_passes_free:
 * @self: (transfer full): passes that are not running
 *
 * Thread: engine.
 */
void
prism_cuda_passes_free (PrismCudaPasses *self)
{
  g_clear_pointer (&self->reference, prism_cuda_cufft_free);
  g_free (self->host_roots);
  g_free (self);
}

/**
 * prism_cuda_passes_prepare:
 * @self: passes whose arena is allocated; the reference needs prism_cuda_cufft_load()
 * @stream: that of the run, not under capture
 *
 * Puts the constants on the device.
 *
 * Thread: engine.
 */
cudaError_t
prism_cuda_passes_prepare (PrismCudaPasses *self,
                           cudaStream_t stream)
{
  cudaError_t status = cudaMemcpyAsync (self->roots, self->host_roots,
                                        self->optics.image_size * sizeof *self->roots,
                                        cudaMemcpyHostToDevice, stream);

  if (status == cudaSuccess && self->reference != NULL)
    status = prism_cuda_cufft_prepare (self->reference, self->work, stream);
  return status;
}

/**
 * prism_cuda_passes_get_max_views:
 * @self: passes
 * @max_width: columns of the widest box
 *
 * Thread: engine.
 *
 * Returns: how many views fit at once, at least 1
 */
guint
prism_cuda_passes_get_max_views (PrismCudaPasses *self,
                                 int max_width)
{
  return self->reference != NULL ? 1 : N_FIELDS * self->optics.image_size / MAX (max_width, 1);
}

/**
 * prism_cuda_passes_get_scratch:
 * @self: passes
 *
 * Shape: [2][n][n].
 * Thread: engine.
 *
 * Returns: (transfer none): device memory that is free as long as one view is on its way
 */
float *
prism_cuda_passes_get_scratch (PrismCudaPasses *self)
{
  return (float *) (self->planes + (gsize) self->optics.image_size * self->optics.image_size);
}

/**
 * prism_cuda_passes_transform_image:
 * @self: passes
 * @image: device array, real
 * @terms: with slots; its views are filled for the step under way
 * @stream: a stream
 *
 * First pass.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 */
cudaError_t
prism_cuda_passes_transform_image (PrismCudaPasses *self,
                                   const float *image,
                                   const PrismCudaTerms *terms,
                                   cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  cudaError_t status;

  if (self->reference == NULL)
    return prism_cuda_optics_transform_rows (&optics, image, terms, self->half, stream);
  status = prism_cuda_field_look_up (&optics, terms, stream);
  if (status == cudaSuccess)
    status = prism_cuda_field_embed (&optics, image, self->half, stream);
  if (status == cudaSuccess)
    status = prism_cuda_cufft_transform (self->reference, self->half, FALSE, stream);
  return status;
}

/**
 * prism_cuda_passes_expand_views:
 * @self: passes
 * @views: (array length=n_views): device array
 * @n_views: at most prism_cuda_passes_get_max_views()
 * @max_width: columns of the widest box
 * @stream: a stream
 *
 * Second pass, through the masks. Nothing where no view has a box.
 *
 * Thread: engine.
 */
cudaError_t
prism_cuda_passes_expand_views (PrismCudaPasses *self,
                                const PrismCudaOpticsView *views,
                                guint n_views,
                                int max_width,
                                cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  cudaError_t status;

  if (n_views == 0 || max_width == 0)
    return cudaSuccess;
  if (self->reference == NULL)
    return prism_cuda_optics_expand_columns (&optics, views, n_views, max_width, self->half,
                                             self->planes, stream);
  status = prism_cuda_field_mask (&optics, views, self->half, self->planes, stream);
  if (status == cudaSuccess)
    status = prism_cuda_cufft_transform (self->reference, self->planes, TRUE, stream);
  return status;
}

/**
 * prism_cuda_passes_visit_views:
 * @self: passes
 * @pixel: what is done with the pixels
 * @views: (array length=n_views): device array
 * @n_views: number of views
 * @max_width: columns of the widest box
 * @pixels: (nullable): device array, in the place of the views' targets
 * @sums: (nullable): device array, of losses
 * @stream: a stream
 *
 * Third pass, at the detectors.
 *
 * Shape: @pixels [n_views][n][n], @sums [n_views][n_sums].
 * Thread: engine.
 */
cudaError_t
prism_cuda_passes_visit_views (PrismCudaPasses *self,
                               PrismCudaOpticsPixel pixel,
                               const PrismCudaOpticsView *views,
                               guint n_views,
                               int max_width,
                               float *pixels,
                               double *sums,
                               cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  cudaError_t status;

  if (n_views == 0)
    return cudaSuccess;
  if (self->reference == NULL)
    return prism_cuda_optics_visit_rows (&optics, pixel, views, n_views, max_width, pixels,
                                         self->planes, sums, stream);
  status = prism_cuda_field_visit (&optics, pixel, views, pixels, self->planes, sums, stream);
  if (status == cudaSuccess && pixel != PRISM_CUDA_OPTICS_MEASURE)
    status = prism_cuda_cufft_transform (self->reference, self->planes, FALSE, stream);
  return status;
}

/**
 * prism_cuda_passes_reduce_views:
 * @self: passes
 * @views: (array length=n_views): device array
 * @n_views: number of views
 * @max_width: columns of the widest box
 * @terms: (nullable): with slots; the losses of all its views are added up
 * @accumulate: whether other views have been here before
 * @stream: a stream
 *
 * Fourth pass, back through the masks.
 *
 * Thread: engine.
 */
cudaError_t
prism_cuda_passes_reduce_views (PrismCudaPasses *self,
                                const PrismCudaOpticsView *views,
                                guint n_views,
                                int max_width,
                                const PrismCudaTerms *terms,
                                gboolean accumulate,
                                cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  const PrismCudaTerms nothing = { NULL };
  cudaError_t status;

  if (self->reference == NULL)
    return prism_cuda_optics_reduce_columns (&optics, views, n_views, max_width, self->planes,
                                             terms == NULL ? &nothing : terms, accumulate,
                                             self->columns, stream);
  status = prism_cuda_field_add (&optics, views, self->planes, accumulate, self->columns, stream);
  if (status == cudaSuccess && terms != NULL)
    status = prism_cuda_field_sum_losses (&optics, terms, stream);
  return status;
}

/**
 * prism_cuda_passes_restore_image:
 * @self: passes
 * @image: device array, result
 * @stream: a stream
 *
 * Last pass.
 *
 * Shape: @image [m][m].
 * Thread: engine.
 */
cudaError_t
prism_cuda_passes_restore_image (PrismCudaPasses *self,
                                 float *image,
                                 cudaStream_t stream)
{
  const PrismCudaOptics optics = get_optics (self);
  cudaError_t status;

  if (self->reference == NULL)
    return prism_cuda_optics_restore_rows (&optics, self->columns, image, stream);
  status = prism_cuda_cufft_transform (self->reference, self->columns, TRUE, stream);
  if (status == cudaSuccess)
    status = prism_cuda_field_crop (&optics, self->columns, image, stream);
  return status;
}
