#include "config.h"

#include "prism-cuda-backend.h"

/* Exit waves behind single frames. All that some frames need is one block of memory: tables, which
 * are one upload, then amplitudes, and what kernels work in. What comes back are the jobs and their
 * boxes.
 *
 * Dimensions of this file: q = side of the frames, H × W = the box of a mask. */

#define DOING "exit waves were being searched"
#define LAUNCH_SECONDS 1.0 /* of as many blocks as run at once, on a slow device */
#define BLOCKS_AT_ONCE 16  /* there */

/* Keeps arrays apart as the arena does. */
static gsize
add_bytes (gsize *n_bytes,
           gsize n_more)
{
  const gsize at = *n_bytes;

  *n_bytes += (n_more + PRISM_CUDA_ALIGNMENT - 1) / PRISM_CUDA_ALIGNMENT * PRISM_CUDA_ALIGNMENT;
  return at;
}

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
  return prism_cuda_context_check (&self->context, status, DOING)
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

/* Where things are, in bytes from the beginning; up to n_tables the host has a copy. */
typedef struct
{
  gsize jobs;
  gsize boxes; /* each [H][W] */
  gsize roots;
  gsize bits;
  gsize n_tables;
  gsize last; /* each [H][W] */
  gsize amplitudes;
  gsize states;
  gsize work;
  gsize n_bytes;
  gsize n_numbers; /* of all boxes */
} Layout;

static Layout
lay_out (const PrismWaveMove *move,
         const PrismCudaWavePlan *plan,
         const PrismWaveJob *jobs,
         guint n_jobs)
{
  const gsize plane = (gsize) move->side * move->side;
  Layout self = { 0 };

  for (guint i = 0; i < n_jobs; i++)
    self.n_numbers += prism_mask_count_box (jobs[i].mask);
  self.jobs = add_bytes (&self.n_bytes, n_jobs * sizeof (PrismCudaWaveJob));
  self.boxes = add_bytes (&self.n_bytes, self.n_numbers * sizeof (PrismCudaComplex));
  self.roots = add_bytes (&self.n_bytes, move->side * sizeof (PrismCudaComplex));
  self.bits = add_bytes (&self.n_bytes, self.n_numbers);
  self.n_tables = self.n_bytes;
  self.last = add_bytes (&self.n_bytes, self.n_numbers * sizeof (PrismCudaComplex));
  self.amplitudes = add_bytes (&self.n_bytes, n_jobs * plane * sizeof (float));
  self.states = add_bytes (&self.n_bytes, move->relaxation > 0.0f
                                              ? n_jobs * plane * sizeof (PrismCudaComplex)
                                              : 0);
  self.work = add_bytes (&self.n_bytes, n_jobs * plan->work_bytes);
  return self;
}

static void
fill_tables (const Layout *layout,
             const PrismWaveMove *move,
             const PrismCudaWavePlan *plan,
             const PrismWaveJob *jobs,
             guint n_jobs,
             char *device,
             char *host)
{
  const gsize plane = (gsize) move->side * move->side;
  gsize place = 0;

  prism_cuda_waves_fill_roots ((PrismCudaComplex *) (host + layout->roots), move->side);
  for (guint i = 0; i < n_jobs; i++)
    {
      const gsize n = prism_mask_count_box (jobs[i].mask), at = place * sizeof (PrismCudaComplex);
      PrismCudaWaveJob *job = (PrismCudaWaveJob *) (host + layout->jobs) + i;

      *job = (PrismCudaWaveJob) {
        .bits = (const uint8_t *) device + layout->bits + place,
        .amplitude = (const float *) (device + layout->amplitudes) + i * plane,
        .box = (PrismCudaComplex *) (device + layout->boxes + at),
        .last = (PrismCudaComplex *) (device + layout->last + at),
        .state = (PrismCudaComplex *) (device + layout->states) + i * plane,
        .height = jobs[i].mask->height,
        .width = jobs[i].mask->width,
        .close = jobs[i].close,
      };
      if (plan->work_bytes > 0)
        job->work = (PrismCudaComplex *) (device + layout->work + i * plan->work_bytes);
      memcpy (host + layout->bits + place, jobs[i].mask->bits, n);
      memcpy (host + layout->boxes + at, jobs[i].box, n * sizeof (PrismCudaComplex));
      place += n;
    }
}

static gboolean
send (PrismCudaBackend *self,
      const Layout *layout,
      const PrismWaveMove *move,
      const PrismWaveJob *jobs,
      guint n_jobs,
      char *device,
      const char *host)
{
  const gsize plane = (gsize) move->side * move->side * sizeof (float);
  gboolean sent = prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_MEASUREMENT, device,
                                              host, layout->n_tables);

  for (guint i = 0; i < n_jobs && sent; i++)
    sent = prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_MEASUREMENT,
                                       device + layout->amplitudes + i * plane, jobs[i].amplitude,
                                       plane);
  if (layout->work == layout->n_bytes)
    return sent;
  /* What is added up beside a box's last column is not used, but read. */
  return sent
         && prism_cuda_context_check (&self->context,
                                      cudaMemsetAsync (device + layout->work, 0,
                                                       layout->n_bytes - layout->work,
                                                       self->context.streams.main),
                                      DOING);
}

/* Launches of bounded time, one after the other. */
static gboolean
launch (PrismCudaBackend *self,
        const PrismCudaWavePlan *plan,
        const PrismWaveMove *move,
        PrismCudaWaveJob *jobs,
        guint n_jobs)
{
  cudaStream_t stream = self->context.streams.main;
  cudaError_t status = cudaSuccess;
  guint n_launches = 0;

  for (guint done = 0; done < move->n_passes && status == cudaSuccess; n_launches++)
    {
      const guint n = MIN (move->n_passes - done, (guint) plan->n_passes);

      if (move->relaxation > 0.0f)
        status = prism_cuda_wave_search (plan, jobs, (int) n_jobs, move->relaxation, (int) n,
                                         done == 0, stream);
      else
        status = prism_cuda_wave_descend (plan, jobs, (int) n_jobs, (int) n, done == 0, stream);
      done += n;
    }
  return prism_cuda_context_check (&self->context, status, DOING)
         && prism_cuda_context_wait (&self->context,
                                     LAUNCH_SECONDS * n_launches * (1 + n_jobs / BLOCKS_AT_ONCE),
                                     DOING);
}

static gboolean
receive (PrismCudaBackend *self,
         const Layout *layout,
         const PrismWaveMove *move,
         PrismWaveJob *jobs,
         guint n_jobs,
         const char *device,
         char *host)
{
  const gsize boxes = move->relaxation > 0.0f ? layout->boxes : layout->last;
  gsize place = layout->boxes;

  if (!prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_MEASUREMENT,
                                     host + layout->jobs, device + layout->jobs,
                                     n_jobs * sizeof (PrismCudaWaveJob))
      || !prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_MEASUREMENT,
                                        host + layout->boxes, device + boxes,
                                        layout->n_numbers * sizeof (PrismCudaComplex)))
    return FALSE;
  for (guint i = 0; i < n_jobs; i++)
    {
      const gsize n_bytes = prism_mask_count_box (jobs[i].mask) * sizeof (PrismCudaComplex);

      memcpy (jobs[i].box, host + place, n_bytes);
      jobs[i].misfit = ((PrismCudaWaveJob *) (host + layout->jobs))[i].misfit;
      place += n_bytes;
    }
  return TRUE;
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
  g_autofree char *host = NULL;
  PrismCudaWavePlan plan;
  Layout layout;
  char *device;

  for (guint i = 0; i < n_jobs; i++)
    {
      masks[i] = jobs[i].mask;
      jobs[i].misfit = NAN;
    }
  if (!prism_cuda_context_enter (&self->context))
    return TRUE;
  if (!prism_cuda_waves_plan (self, masks, n_jobs, move->side, &plan))
    return FALSE;
  layout = lay_out (move, &plan, jobs, n_jobs);
  device = prism_cuda_pool_take (self->pool, layout.n_bytes, "exit waves", NULL);
  if (device == NULL)
    return FALSE;
  host = g_malloc0 (layout.n_tables);
  plan.roots = (const PrismCudaComplex *) (device + layout.roots);
  fill_tables (&layout, move, &plan, jobs, n_jobs, device, host);
  if (send (self, &layout, move, jobs, n_jobs, device, host)
      && launch (self, &plan, move, (PrismCudaWaveJob *) (device + layout.jobs), n_jobs))
    receive (self, &layout, move, jobs, n_jobs, device, host);
  prism_cuda_pool_give (self->pool, device);
  return TRUE;
}
