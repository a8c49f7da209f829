#include "config.h"

#include "prism-cuda-backend.h"

#include "prism-cuda-ptychography.h"

#include <string.h>

/* Frames, object and pupil stay on the device; some visits are one upload, their kernels, and one
 * download of what they came to. Dimensions as in prism-recorded.h. */

#define MOST PRISM_RECORDED_MOST_VISITS
#define DOING "recorded frames were being explained"
#define N_COMPLEX (sizeof (float) * 2)
#define LEAST_SHARED (40 << 10)
#define POINT_SECONDS 2e-7 /* of a visit, on a slow device */

struct _PrismRecorded
{
  PrismCudaContext context;
  PrismCudaTransfer *transfer;
  PrismCudaArena *arena;
  PrismCudaPtychography arrays;
  int n_blocks;
  double visit_seconds; /* at most */
  float *amplitudes;    /* device [N][q][q] */
  float2 *roots;        /* device [n] */
  PrismCudaVisit *visits;
  PrismCudaVisited visited[MOST];
  double (*forces)[PRISM_CUDA_PTYCHOGRAPHY_N_FORCES]; /* [MOST][n_blocks] */
};

static void
recorded_close (PrismRecorded *self)
{
  if (self == NULL)
    return;
  prism_cuda_transfer_free (self->transfer);
  if (self->context.lost)
    prism_cuda_arena_abandon (self->arena);
  else
    prism_cuda_arena_free (self->arena);
  prism_cuda_context_close (&self->context);
  g_free (self->forces);
  g_free (self);
}

/* a·b = n, as near to each other as can be: a transform takes a + b terms for each point. */
static void
choose_factors (int n,
                int factors[2])
{
  factors[0] = 1;
  for (int a = 1; a * a <= n; a++)
    if (n % a == 0)
      factors[0] = a;
  factors[1] = n / factors[0];
}

static void
set_sizes (PrismRecorded *self,
           const PrismRecordedSpec *spec)
{
  PrismCudaPtychography *arrays = &self->arrays;
  const int n_lines = PRISM_CUDA_PTYCHOGRAPHY_LINES;
  const gsize n_bytes = N_COMPLEX * (2 * n_lines + 1) * (gsize) spec->grid;

  arrays->side = spec->side;
  arrays->border = spec->border;
  arrays->grid = spec->grid;
  arrays->object_side = spec->object_side;
  arrays->first = spec->first;
  arrays->length = spec->length;
  arrays->radius = (float) spec->radius;
  arrays->floor = spec->floor;
  arrays->n_lines = n_bytes <= LEAST_SHARED ? n_lines : 1;
  choose_factors (spec->grid, arrays->factors);
  self->n_blocks = prism_cuda_ptychography_count_blocks (arrays);
  self->visit_seconds = POINT_SECONDS * spec->grid * spec->grid;
}

static gboolean
allocate (PrismRecorded *self,
          const PrismRecordedSpec *spec,
          GError **error)
{
  PrismCudaPtychography *arrays = &self->arrays;
  const gsize m = (gsize) spec->object_side, n = (gsize) spec->grid, q = (gsize) spec->side;

  self->forces = g_malloc0 (sizeof *self->forces * MOST * (gsize) self->n_blocks);
  self->arena = prism_cuda_arena_new ();
  PRISM_CUDA_PLAN (self->arena, arrays->object, m * m);
  PRISM_CUDA_PLAN (self->arena, arrays->pupil, n * n);
  PRISM_CUDA_PLAN (self->arena, arrays->shifted, n * n);
  PRISM_CUDA_PLAN (self->arena, arrays->wave, n * n);
  PRISM_CUDA_PLAN (self->arena, arrays->step, n * n);
  PRISM_CUDA_PLAN (self->arena, self->roots, n);
  PRISM_CUDA_PLAN (self->arena, self->amplitudes, spec->n_frames * q * q);
  PRISM_CUDA_PLAN (self->arena, arrays->row_sums, q);
  PRISM_CUDA_PLAN (self->arena, self->visits, MOST);
  PRISM_CUDA_PLAN (self->arena, arrays->visited, MOST);
  PRISM_CUDA_PLAN (self->arena, arrays->forces, MOST * (gsize) self->n_blocks);
  if (!prism_cuda_arena_allocate (self->arena, error))
    return FALSE;
  arrays->amplitudes = self->amplitudes;
  arrays->roots = self->roots;
  arrays->visits = self->visits;
  return TRUE;
}

static gboolean
upload (PrismRecorded *self,
        PrismTransferKind kind,
        void *to,
        const void *from,
        gsize n_bytes)
{
  return prism_cuda_transfer_upload (self->transfer, kind, to, from, n_bytes);
}

static gboolean
upload_tables (PrismRecorded *self,
               const PrismRecordedSpec *spec)
{
  const int n = spec->grid;
  g_autofree PrismCudaComplex *roots = g_new (PrismCudaComplex, n);

  prism_cuda_waves_fill_roots (roots, (guint) n);
  return upload (self, PRISM_TRANSFER_SETUP, self->roots, roots, N_COMPLEX * (gsize) n)
         && upload (self, PRISM_TRANSFER_SETUP, self->amplitudes, spec->amplitudes,
                    sizeof (float) * spec->n_frames * (gsize) spec->side * (gsize) spec->side);
}

static gboolean
check_size (const PrismRecordedSpec *spec,
            GError **error)
{
  if (spec->grid <= PRISM_CUDA_PTYCHOGRAPHY_MOST_GRID)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "CUDA takes frames of %d×%d pixels at most, border included; these have %d×%d.",
               PRISM_CUDA_PTYCHOGRAPHY_MOST_GRID, PRISM_CUDA_PTYCHOGRAPHY_MOST_GRID, spec->grid,
               spec->grid);
  return FALSE;
}

static PrismRecorded *
recorded_open (const PrismRecordedSpec *spec,
               GError **error)
{
  PrismRecorded *self;

  if (!check_size (spec, error))
    return NULL;
  self = g_new0 (PrismRecorded, 1);
  set_sizes (self, spec);
  if (prism_cuda_context_open (&self->context, error)
      && (self->transfer = prism_cuda_transfer_new (&self->context, error)) != NULL
      && allocate (self, spec, error))
    {
      if (upload_tables (self, spec))
        return self;
      prism_cuda_context_report (&self->context, error);
    }
  recorded_close (self);
  return NULL;
}

static char *
recorded_dup_device_name (PrismRecorded *self)
{
  return prism_cuda_device_dup_name (self->context.device);
}

static gboolean
report (PrismRecorded *self,
        gboolean is_done,
        GError **error)
{
  if (is_done)
    return TRUE;
  if (prism_cuda_context_report (&self->context, error))
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST, "The GPU does not answer.");
  return FALSE;
}

static gboolean
recorded_put (PrismRecorded *self,
              const float *object,
              const float *pupil,
              double farthest,
              double rim,
              GError **error)
{
  const gsize m = (gsize) self->arrays.object_side, n = (gsize) self->arrays.grid;

  self->arrays.farthest = farthest;
  self->arrays.rim = (float) rim;
  return report (self,
                 prism_cuda_context_enter (&self->context)
                     && upload (self, PRISM_TRANSFER_STATE, self->arrays.object, object,
                                N_COMPLEX * m * m)
                     && upload (self, PRISM_TRANSFER_STATE, self->arrays.pupil, pupil,
                                N_COMPLEX * n * n),
                 error);
}

static gboolean
recorded_get (PrismRecorded *self,
              float *object,
              float *pupil,
              GError **error)
{
  const gsize m = (gsize) self->arrays.object_side, n = (gsize) self->arrays.grid;

  return report (self,
                 prism_cuda_context_enter (&self->context)
                     && prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, object,
                                                      self->arrays.object, N_COMPLEX * m * m)
                     && prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, pupil,
                                                      self->arrays.pupil, N_COMPLEX * n * n),
                 error);
}

static void
fill_visit (PrismCudaVisit *to,
            const PrismRecordedVisit *from)
{
  *to = (PrismCudaVisit) {
    .frame = (int32_t) from->frame,
    .gain = from->gain,
    .energy = from->energy,
    .object_step = from->object_step,
    .pupil_step = from->pupil_step,
  };
  memcpy (to->weights, from->weights, sizeof to->weights);
  memcpy (to->back, from->back, sizeof to->back);
  for (int k = 0; k < 2; k++)
    {
      to->whole[k] = from->whole[k];
      to->base[k] = from->base[k];
    }
}

static gboolean
queue (PrismRecorded *self,
       const PrismRecordedVisit *visits,
       guint n_visits)
{
  cudaStream_t stream = self->context.streams.main;
  PrismCudaVisit copies[MOST] = { 0 };
  cudaError_t status;

  for (guint i = 0; i < n_visits; i++)
    fill_visit (&copies[i], &visits[i]);
  if (!upload (self, PRISM_TRANSFER_STEP, self->visits, copies, sizeof *copies * n_visits))
    return FALSE;
  status = cudaMemsetAsync (self->arrays.visited, 0, sizeof self->visited, stream);
  for (guint i = 0; i < n_visits && status == cudaSuccess; i++)
    status = prism_cuda_ptychography_visit (&self->arrays, (int) i, visits[i].pupil_step > 0,
                                            stream);
  return prism_cuda_context_check (&self->context, status, DOING)
         && prism_cuda_context_wait (&self->context, n_visits * self->visit_seconds, DOING);
}

static gboolean
recorded_visit (PrismRecorded *self,
                const PrismRecordedVisit *visits,
                guint n_visits,
                PrismRecordedLesson *lessons,
                GError **error)
{
  const gsize n_blocks = (gsize) self->n_blocks;
  gboolean is_done;

  g_return_val_if_fail (n_visits > 0 && n_visits <= MOST, FALSE);
  is_done = prism_cuda_context_enter (&self->context) && queue (self, visits, n_visits)
            && prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STEP, self->visited,
                                             self->arrays.visited,
                                             sizeof *self->visited * n_visits)
            && prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STEP, self->forces,
                                             self->arrays.forces,
                                             sizeof *self->forces * n_visits * n_blocks);
  for (guint i = 0; i < n_visits && is_done; i++)
    {
      lessons[i] = (PrismRecordedLesson) { 0 };
      memcpy (lessons[i].sums, self->visited[i].sums, sizeof lessons[i].sums);
      for (gsize block = 0; block < n_blocks; block++)
        for (int k = 0; k < PRISM_CUDA_PTYCHOGRAPHY_N_FORCES; k++)
          lessons[i].forces[k] += self->forces[i * n_blocks + block][k];
    }
  return report (self, is_done, error);
}

static const PrismRecordedOps ops = {
  .abi = PRISM_RECORDED_ABI,
  .open = recorded_open,
  .close = recorded_close,
  .dup_device_name = recorded_dup_device_name,
  .put = recorded_put,
  .visit = recorded_visit,
  .get = recorded_get,
};

/**
 * prism_cuda_recorded_get_ops:
 *
 * The module's second entry: for recorded frames.
 *
 * Thread: any.
 *
 * Returns: (transfer none): what the device does for them
 */
const PrismRecordedOps *
prism_cuda_recorded_get_ops (void)
{
  return &ops;
}
