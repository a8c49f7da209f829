#include "config.h"

#include "prism-cuda-backend.h"

/* The search of phases between waves. Waves stay on the device; some passes are the field up, their
 * kernels, one wait, and field and image down.
 *
 * n = image_size, m = object_size, N = frames, q = side of the amplitudes of doubtful ones, H × W =
 * the box of a mask. */

#define DOING "phases were being searched"
#define PASS_SECONDS 0.1  /* of a search, on a slow device, */
#define BLOCKS_AT_ONCE 16 /* for so many doubtful frames */

struct _PrismCudaAlignment
{
  char *block; /* device, of the pool; all below is in it */
  PrismCudaAlign arrays;
  PrismCudaWavePlan plan;
  PrismCudaWaveJob *jobs; /* of doubtful frames */
  PrismCudaComplex *waves;
  PrismCudaComplex *given;
  PrismCudaComplex *last;
  uint8_t *bits;
  float *amplitudes;
  char *work;
  guint n_doubtful;
  gsize n_numbers; /* of all boxes */
};

static gboolean
check (PrismCudaBackend *self,
       cudaError_t status)
{
  return prism_cuda_backend_check (self, status, DOING);
}

static gboolean
allocate (PrismCudaBackend *backend,
          PrismCudaAlignment *self,
          const PrismAlignedFrames *frames)
{
  const gsize q = frames->side, n = self->n_doubtful, n_numbers = self->n_numbers;
  const gsize image = (gsize) backend->parent.spec.object_size * backend->parent.spec.object_size;
  const gsize plane = prism_cuda_backend_get_plane_bytes (backend) / sizeof (float);
  const gsize n_half = plane / 2 + backend->parent.spec.image_size;
  g_autoptr (PrismCudaArena) arena = prism_cuda_arena_new ();
  gsize size;

  PRISM_CUDA_PLAN (arena, self->arrays.frames, frames->n_frames);
  PRISM_CUDA_PLAN (arena, self->jobs, n);
  PRISM_CUDA_PLAN (arena, self->plan.roots, q);
  PRISM_CUDA_PLAN (arena, self->waves, n_numbers);
  PRISM_CUDA_PLAN (arena, self->given, n_numbers);
  PRISM_CUDA_PLAN (arena, self->last, n > 0 ? n_numbers : 0);
  PRISM_CUDA_PLAN (arena, self->bits, n_numbers);
  PRISM_CUDA_PLAN (arena, self->amplitudes, n * q * q);
  PRISM_CUDA_PLAN (arena, self->work, n * self->plan.work_bytes);
  PRISM_CUDA_PLAN (arena, self->arrays.half, n_half);
  PRISM_CUDA_PLAN (arena, self->arrays.rows, n_half);
  PRISM_CUDA_PLAN (arena, self->arrays.field, plane);
  PRISM_CUDA_PLAN (arena, self->arrays.residual, 1);
  PRISM_CUDA_PLAN (arena, self->arrays.image, image);
  size = prism_cuda_arena_get_size (arena);
  self->block = prism_cuda_pool_take (backend->pool, size, "phases", NULL);
  if (self->block == NULL)
    return FALSE;
  prism_cuda_arena_place (arena, self->block);
  return check (backend, cudaMemsetAsync (self->block, 0, size, backend->stream));
}

static void
set_arrays (PrismCudaBackend *backend,
            PrismCudaAlignment *self,
            const PrismAlignedFrames *frames)
{
  PrismCudaAlign *arrays = &self->arrays;

  arrays->image_size = backend->parent.spec.image_size;
  arrays->object_size = backend->parent.spec.object_size;
  arrays->n_frames = (int32_t) frames->n_frames;
  arrays->has_noise = frames->has_noise;
  arrays->roots = backend->telescope->roots;
  arrays->plane = backend->plane;
}

static gboolean
upload_frames (PrismCudaBackend *backend,
               PrismCudaAlignment *self,
               const PrismAlignedFrames *frames)
{
  const gsize q = frames->side, plane = q * q;
  g_autofree PrismCudaComplex *roots = g_new (PrismCudaComplex, q);
  g_autofree PrismCudaAlignFrame *copies = g_new0 (PrismCudaAlignFrame, frames->n_frames);
  g_autofree PrismCudaWaveJob *jobs = g_new0 (PrismCudaWaveJob, self->n_doubtful + 1);
  gsize place = 0, k = 0;
  gboolean sent;

  prism_cuda_waves_fill_roots (roots, (guint) q);
  sent = prism_cuda_backend_upload (backend, (void *) self->plan.roots, roots, q * sizeof *roots);
  for (guint i = 0; i < frames->n_frames && sent; i++)
    {
      const PrismAlignedFrame *frame = &frames->frames[i];
      const PrismMask *mask = frame->mask;
      const gsize n = prism_mask_count_box (mask);

      copies[i] = (PrismCudaAlignFrame) {
        .bits = self->bits + place,
        .wave = self->waves + place,
        .given = self->given + place,
        .y0 = mask->y0,
        .x0 = mask->x0,
        .height = mask->height,
        .width = mask->width,
        .has_twin = frame->has_twin,
        .is_doubtful = frame->amplitude != NULL,
      };
      sent = prism_cuda_backend_upload (backend, self->bits + place, mask->bits, n)
             && prism_cuda_backend_upload (backend, self->waves + place, frame->box,
                                           n * sizeof *self->waves);
      if (sent && frame->amplitude != NULL)
        {
          jobs[k] = (PrismCudaWaveJob) {
            .bits = copies[i].bits,
            .amplitude = self->amplitudes + k * plane,
            .box = copies[i].given,
            .last = self->last + place,
            .work = (PrismCudaComplex *) (self->work + k * self->plan.work_bytes),
            .height = mask->height,
            .width = mask->width,
          };
          sent = prism_cuda_backend_upload (backend, self->amplitudes + k++ * plane,
                                            frame->amplitude, plane * sizeof (float));
        }
      place += n;
    }
  return sent
         && prism_cuda_backend_upload (backend, self->arrays.frames, copies,
                                       frames->n_frames * sizeof *copies)
         && prism_cuda_backend_upload (backend, self->jobs, jobs, k * sizeof *jobs);
}

static gboolean
plan_doubtful (PrismCudaBackend *backend,
               PrismCudaAlignment *self,
               const PrismAlignedFrames *frames)
{
  g_autofree const PrismMask **masks = g_new (const PrismMask *, frames->n_frames + 1);

  for (guint i = 0; i < frames->n_frames; i++)
    if (frames->frames[i].amplitude != NULL)
      masks[self->n_doubtful++] = frames->frames[i].mask;
  return self->n_doubtful == 0
         || prism_cuda_waves_plan (backend, masks, self->n_doubtful, frames->side, &self->plan);
}

/**
 * prism_cuda_alignment_clear:
 * @self: a backend
 *
 * Lets go of the frames whose phases were searched.
 *
 * Thread: engine.
 */
void
prism_cuda_alignment_clear (PrismCudaBackend *self)
{
  if (self->alignment == NULL)
    return;
  prism_cuda_pool_give (self->pool, self->alignment->block);
  g_clear_pointer (&self->alignment, g_free);
}

/**
 * prism_cuda_alignment_take_frames:
 * @backend: the device
 * @frames: (nullable): frames with their waves
 *
 * As PrismBackendOps.take_frames.
 *
 * Thread: engine.
 *
 * Returns: whether there was room for them
 */
gboolean
prism_cuda_alignment_take_frames (PrismBackend *backend,
                                  const PrismAlignedFrames *frames)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  PrismCudaAlignment *alignment;
  gboolean fits;

  prism_cuda_alignment_clear (self);
  if (frames == NULL || !prism_cuda_backend_enter (self))
    return TRUE;
  alignment = self->alignment = g_new0 (PrismCudaAlignment, 1);
  for (guint i = 0; i < frames->n_frames; i++)
    alignment->n_numbers += prism_mask_count_box (frames->frames[i].mask);
  fits = plan_doubtful (self, alignment, frames) && allocate (self, alignment, frames);
  if (fits)
    {
      set_arrays (self, alignment, frames);
      upload_frames (self, alignment, frames);
    }
  else
    prism_cuda_alignment_clear (self);
  return fits;
}

/* What frames give for the spectrum of an image, or of the field. */
static cudaError_t
compare (PrismCudaBackend *backend,
         const float *image)
{
  PrismCudaAlignment *self = backend->alignment;

  PRISM_CUDA_TRY (prism_cuda_align_transform (&self->arrays, image, backend->stream));
  PRISM_CUDA_TRY (prism_cuda_align_compare (&self->arrays, backend->stream));
  return self->n_doubtful == 0 ? cudaSuccess
                               : prism_cuda_wave_move (&self->plan, self->jobs,
                                                       (int) self->n_doubtful, 0.0f, 1, TRUE,
                                                       backend->stream);
}

static cudaError_t
queue_search (PrismCudaBackend *self,
              guint n_passes,
              float relaxation)
{
  const PrismCudaAlign *arrays = &self->alignment->arrays;

  for (guint i = 0; i < n_passes; i++)
    {
      PRISM_CUDA_TRY (compare (self, NULL));
      PRISM_CUDA_TRY (prism_cuda_align_reflect (arrays, relaxation, self->stream));
    }
  PRISM_CUDA_TRY (compare (self, arrays->image));
  return prism_cuda_align_measure (arrays, self->stream);
}

/* An origin at [0][0] becomes one in the middle, or the other way round. */
static gboolean
send_field (PrismCudaBackend *self,
            const float *start)
{
  return prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_STATE, self->plane, start,
                                     prism_cuda_backend_get_plane_bytes (self))
         && check (self, prism_cuda_target_roll (self->alignment->arrays.field, self->plane,
                                                 self->parent.spec.image_size, self->stream));
}

static gboolean
fetch (PrismCudaBackend *self,
       float *field,
       float *image)
{
  const PrismCudaAlign *arrays = &self->alignment->arrays;

  return check (self, prism_cuda_target_roll (self->plane, arrays->field,
                                              self->parent.spec.image_size, self->stream))
         && prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, field, self->plane,
                                          prism_cuda_backend_get_plane_bytes (self))
         && prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, image,
                                          arrays->image,
                                          prism_cuda_backend_get_image_bytes (self));
}

/**
 * prism_cuda_alignment_search:
 * @backend: the device, with frames
 * @n_passes: number of passes
 * @relaxation: β
 * @start: (array): z
 * @field: (array) (out caller-allocates): z after them
 * @image: (array) (out caller-allocates): of the last one
 *
 * As PrismBackendOps.search.
 *
 * Shape: @start and @field [n][n], @image [m][m].
 * Thread: engine.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: Σ|Q - F|² / Σ|Q|² of the image
 */
double
prism_cuda_alignment_search (PrismBackend *backend,
                             guint n_passes,
                             float relaxation,
                             const float *start,
                             float *field,
                             float *image)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  PrismCudaAlignment *alignment = self->alignment;
  double residual = NAN, seconds;

  if (alignment == NULL || !prism_cuda_backend_enter (self) || !send_field (self, start))
    return NAN;
  seconds = PASS_SECONDS * n_passes * (1 + alignment->n_doubtful / BLOCKS_AT_ONCE);
  if (!check (self, queue_search (self, n_passes, relaxation))
      || !prism_cuda_context_wait (&self->context, seconds, DOING) || !fetch (self, field, image))
    return NAN;
  prism_cuda_backend_download (self, &residual, alignment->arrays.residual, sizeof residual);
  return residual;
}
