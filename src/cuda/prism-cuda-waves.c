#include "config.h"

#include "prism-cuda-backend.h"

/* Exit waves behind single frames. All that some frames need is one block of memory. What comes
 * back are the jobs and their boxes.
 *
 * Dimensions of this file: q = side of the frames, H × W = the box of a mask. */

#define DOING "exit waves were being searched"
#define LAUNCH_SECONDS 1.0 /* of as many blocks as run at once, on a slow device */
#define BLOCKS_AT_ONCE 16  /* there */

/**
 * prism_cuda_waves_plan:
 * @self: a backend
 * @masks: (array length=n_masks): apertures
 * @n_masks: number of frames
 * @side: q
 * @plan: (out): what launches go by, but for the roots
 *
 * Thread: engine.
 *
 * Returns: whether the device can look at such frames
 */
gboolean
prism_cuda_waves_plan (PrismCudaBackend *self,
                       const PrismMask *const *masks,
                       guint n_masks,
                       guint side,
                       PrismCudaWavePlan *plan)
{
  int limit = 0, height = 1, width = 1;
  const cudaError_t status = cudaDeviceGetAttribute (
      &limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, self->context.device);

  for (guint i = 0; i < n_masks; i++)
    {
      height = MAX (height, masks[i]->height);
      width = MAX (width, masks[i]->width);
    }
  return prism_cuda_backend_check (self, status, DOING)
         && prism_cuda_wave_plan (plan, (int) side, height, width, (size_t) limit);
}

/**
 * prism_cuda_waves_fill_roots:
 * @roots: (array length=side) (out caller-allocates): e^{2πik/q}
 * @side: q
 *
 * Thread: any.
 */
void
prism_cuda_waves_fill_roots (PrismCudaComplex *roots,
                             guint side)
{
  for (guint k = 0; k < side; k++)
    roots[k] = (PrismCudaComplex) { (float) cos (2 * G_PI * k / side),
                                    (float) sin (2 * G_PI * k / side) };
}

/* Device arrays, one behind the other. */
typedef struct
{
  PrismCudaWaveJob *jobs;
  PrismCudaComplex *boxes; /* each [H][W] */
  PrismCudaComplex *last;  /* each [H][W] */
  PrismCudaComplex *states;
  PrismCudaComplex *roots;
  uint8_t *bits;
  float *amplitudes;
  char *work;
} Arrays;

/* Of the pool; NULL where there is no room. */
static char *
take_block (PrismCudaBackend *self,
            const PrismWaveMove *move,
            const PrismCudaWavePlan *plan,
            const PrismWaveJob *jobs,
            guint n_jobs,
            Arrays *arrays)
{
  const gsize n_points = (gsize) move->side * move->side * n_jobs;
  g_autoptr (PrismCudaArena) arena = prism_cuda_arena_new ();
  gsize n_numbers = 0;
  char *block;

  for (guint i = 0; i < n_jobs; i++)
    n_numbers += prism_mask_count_box (jobs[i].mask);
  PRISM_CUDA_PLAN (arena, arrays->jobs, n_jobs);
  PRISM_CUDA_PLAN (arena, arrays->boxes, n_numbers);
  PRISM_CUDA_PLAN (arena, arrays->last, n_numbers);
  PRISM_CUDA_PLAN (arena, arrays->states, move->relaxation > 0.0f ? n_points : 0);
  PRISM_CUDA_PLAN (arena, arrays->roots, move->side);
  PRISM_CUDA_PLAN (arena, arrays->bits, n_numbers);
  PRISM_CUDA_PLAN (arena, arrays->amplitudes, n_points);
  PRISM_CUDA_PLAN (arena, arrays->work, n_jobs * plan->work_bytes);
  block = prism_cuda_pool_take (self->pool, prism_cuda_arena_get_size (arena), "exit waves", NULL);
  if (block != NULL)
    prism_cuda_arena_place (arena, block);
  return block;
}

/* copies [n_jobs]: the device's jobs. */
static gboolean
send (PrismCudaBackend *self,
      const PrismWaveMove *move,
      const PrismCudaWavePlan *plan,
      const PrismWaveJob *jobs,
      guint n_jobs,
      const Arrays *arrays,
      PrismCudaWaveJob *copies)
{
  const gsize plane = (gsize) move->side * move->side;
  g_autofree PrismCudaComplex *roots = g_new (PrismCudaComplex, move->side);
  gboolean sent;
  gsize place = 0;

  prism_cuda_waves_fill_roots (roots, move->side);
  sent = prism_cuda_backend_upload (self, arrays->roots, roots, move->side * sizeof *roots);
  for (guint i = 0; i < n_jobs && sent; i++)
    {
      const PrismMask *mask = jobs[i].mask;
      const gsize n = prism_mask_count_box (mask);

      copies[i] = (PrismCudaWaveJob) {
        .bits = arrays->bits + place,
        .amplitude = arrays->amplitudes + i * plane,
        .box = arrays->boxes + place,
        .last = arrays->last + place,
        .state = arrays->states != NULL ? arrays->states + i * plane : NULL,
        .work = (PrismCudaComplex *) (arrays->work + i * plan->work_bytes),
        .height = mask->height,
        .width = mask->width,
        .close = jobs[i].close,
      };
      sent = prism_cuda_backend_upload (self, arrays->bits + place, mask->bits, n)
             && prism_cuda_backend_upload (self, arrays->boxes + place, jobs[i].box,
                                           n * sizeof *arrays->boxes)
             && prism_cuda_backend_upload (self, arrays->amplitudes + i * plane, jobs[i].amplitude,
                                           plane * sizeof (float));
      place += n;
    }
  /* What is added up beside a box's last column is not used, but read. */
  return sent && prism_cuda_backend_upload (self, arrays->jobs, copies, n_jobs * sizeof *copies)
         && (arrays->work == NULL
             || prism_cuda_backend_check (self,
                                          cudaMemsetAsync (arrays->work, 0,
                                                           n_jobs * plan->work_bytes,
                                                           self->stream),
                                          DOING));
}

/* Launches of bounded time, one after the other. */
static gboolean
launch (PrismCudaBackend *self,
        const PrismCudaWavePlan *plan,
        const PrismWaveMove *move,
        PrismCudaWaveJob *jobs,
        guint n_jobs)
{
  cudaError_t status = cudaSuccess;
  guint n_launches = 0;

  for (guint done = 0; done < move->n_passes && status == cudaSuccess; n_launches++)
    {
      const guint n = MIN (move->n_passes - done, (guint) plan->n_passes);

      status = prism_cuda_wave_move (plan, jobs, (int) n_jobs, move->relaxation, (int) n, done == 0,
                                     self->stream);
      done += n;
    }
  return prism_cuda_backend_check (self, status, DOING)
         && prism_cuda_context_wait (&self->context,
                                     LAUNCH_SECONDS * n_launches * (1 + n_jobs / BLOCKS_AT_ONCE),
                                     DOING);
}

/* copies [n_jobs]: come back from the device. */
static void
receive (PrismCudaBackend *self,
         const PrismWaveMove *move,
         PrismWaveJob *jobs,
         guint n_jobs,
         const Arrays *arrays,
         PrismCudaWaveJob *copies)
{
  gboolean arrived
      = prism_cuda_backend_download (self, copies, arrays->jobs, n_jobs * sizeof *copies);

  for (guint i = 0; i < n_jobs && arrived; i++)
    {
      const PrismCudaComplex *box = move->relaxation > 0.0f ? copies[i].box : copies[i].last;

      arrived = prism_cuda_backend_download (self, jobs[i].box, box,
                                             prism_mask_count_box (jobs[i].mask) * sizeof *box);
      if (arrived)
        jobs[i].misfit = copies[i].misfit;
    }
}

/**
 * prism_cuda_waves_move:
 * @backend: the device
 * @move: what is done
 * @jobs: (array length=n_jobs) (inout): frames
 * @n_jobs: number of frames
 *
 * As PrismBackendOps.move_waves.
 *
 * Thread: engine.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: whether there was room; the misfits are NAN when the device failed
 */
gboolean
prism_cuda_waves_move (PrismBackend *backend,
                       const PrismWaveMove *move,
                       PrismWaveJob *jobs,
                       guint n_jobs)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  g_autofree const PrismMask **masks = g_new (const PrismMask *, n_jobs);
  g_autofree PrismCudaWaveJob *copies = g_new (PrismCudaWaveJob, n_jobs);
  PrismCudaWavePlan plan;
  Arrays arrays;
  char *block;

  for (guint i = 0; i < n_jobs; i++)
    {
      masks[i] = jobs[i].mask;
      jobs[i].misfit = NAN;
    }
  if (!prism_cuda_backend_enter (self))
    return TRUE;
  if (!prism_cuda_waves_plan (self, masks, n_jobs, move->side, &plan))
    return FALSE;
  block = take_block (self, move, &plan, jobs, n_jobs, &arrays);
  if (block == NULL)
    return FALSE;
  plan.roots = arrays.roots;
  if (send (self, move, &plan, jobs, n_jobs, &arrays, copies)
      && launch (self, &plan, move, arrays.jobs, n_jobs))
    receive (self, move, jobs, n_jobs, &arrays, copies);
  prism_cuda_pool_give (self->pool, block);
  return TRUE;
}
