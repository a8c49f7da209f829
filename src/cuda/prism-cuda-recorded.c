#include "config.h"

#include "prism-cuda-backend.h"

#include "prism-cuda-ptychography.h"

/* Object and pupil stay on the device; some visits are one upload, their kernels, and one download
 * of what they came to. Frames come while those before them are computed. They stay where there is
 * room for all; otherwise those that came first go first. The network is the decoder of
 * prism-cuda-decoder, and a step of it what training queues for one, with the outputs and their
 * slopes in the host's memory between. Dimensions as in prism-recorded.h. */

#define MOST PRISM_RECORDED_MOST_VISITS
#define N_OUTPUTS 2 /* of the network */
#define DOING "recorded frames were being explained"
#define N_COMPLEX (sizeof (float) * 2)
#define LEAST_SLOTS (2 * MOST) /* of visits, and of those that follow */
#define NOWHERE G_MAXUINT
#define LEAST_SHARED (40 << 10)
#define POINT_SECONDS 2e-7 /* of a visit, on a slow device */

G_STATIC_ASSERT (sizeof (PrismCudaVisit) == sizeof (PrismRecordedVisit)
                 && offsetof (PrismCudaVisit, gain) == offsetof (PrismRecordedVisit, gain));

struct _PrismRecorded
{
  PrismCudaContext context;
  PrismCudaTransfer *transfer;
  PrismCudaArena *arena;
  PrismCudaDecoder *network; /* (nullable) */
  PrismCudaControl *control; /* of the network's steps */
  PrismCudaPtychography arrays;
  int n_blocks;
  double visit_seconds; /* at most */
  gsize n_pixels;       /* of a frame */
  const float *seen;    /* [N][q][q] */
  guint *slots;         /* [N]: where a frame is on the device, or NOWHERE */
  guint *frames;        /* [n_slots]: which one is there, or NOWHERE */
  guint *wanted;        /* [n_slots]: when it was wanted last */
  guint n_slots;
  guint next;                 /* slot that was filled before all others */
  guint now;                  /* how often frames were wanted */
  PrismCudaTransfer *loading; /* of frames, on a stream of its own */
  cudaEvent_t loaded;
  PrismCudaVisited visited[MOST];
  double (*forces)[PRISM_CUDA_PTYCHOGRAPHY_N_FORCES]; /* [MOST][n_blocks] */
};

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
  /* Their product is n, and they are as near to each other as can be: a transform takes their sum
   * of terms a point. */
  for (int a = 1; a * a <= spec->grid; a++)
    if (spec->grid % a == 0)
      arrays->factors[0] = a;
  arrays->factors[1] = spec->grid / arrays->factors[0];
  self->n_blocks = prism_cuda_ptychography_count_blocks (arrays);
  self->visit_seconds = POINT_SECONDS * spec->grid * spec->grid;
  self->seen = spec->amplitudes;
  self->n_pixels = (gsize) spec->side * (gsize) spec->side;
  self->now = 1;
}

static gboolean
check (PrismRecorded *self,
       cudaError_t status)
{
  return prism_cuda_context_check (&self->context, status, DOING);
}

static void
recorded_close (PrismRecorded *self)
{
  if (self == NULL)
    return;
  /* Freeing waits without a deadline. */
  if (self->loading != NULL && !self->context.lost)
    check (self, prism_cuda_wait_stream (self->context.preview, 0.0));
  prism_cuda_transfer_free (self->transfer);
  prism_cuda_transfer_free (self->loading);
  if (self->context.lost)
    prism_cuda_arena_abandon (self->arena);
  else
    {
      prism_cuda_context_destroy_event (self->loaded);
      prism_cuda_arena_free (self->arena);
    }
  prism_cuda_context_close (&self->context);
  g_free (self->network);
  g_free (self->forces);
  g_free (self->slots);
  g_free (self->frames);
  g_free (self->wanted);
  g_free (self);
}

/* A complex number and a weight a point. */
static gsize
get_sums_bytes (gsize side)
{
  return (N_COMPLEX + sizeof (float)) * side * side;
}

static void
plan_arrays (PrismRecorded *self,
             const PrismRecordedSpec *spec)
{
  PrismCudaPtychography *arrays = &self->arrays;
  const gsize m = (gsize) spec->object_side, n = (gsize) spec->grid, q = (gsize) spec->side;

  self->arena = prism_cuda_arena_new ();
  PRISM_CUDA_PLAN (self->arena, arrays->object, m * m);
  PRISM_CUDA_PLAN (self->arena, arrays->pupil, n * n);
  PRISM_CUDA_PLAN (self->arena, arrays->shifted, n * n);
  PRISM_CUDA_PLAN (self->arena, arrays->wave, n * n);
  PRISM_CUDA_PLAN (self->arena, arrays->step, n * n);
  prism_cuda_arena_add_array (self->arena, (void **) &arrays->object_sums, get_sums_bytes (m));
  prism_cuda_arena_add_array (self->arena, (void **) &arrays->pupil_sums, get_sums_bytes (n));
  PRISM_CUDA_PLAN (self->arena, arrays->squares, n * n);
  PRISM_CUDA_PLAN (self->arena, arrays->roots, n);
  PRISM_CUDA_PLAN (self->arena, arrays->amplitudes, self->n_slots * q * q);
  PRISM_CUDA_PLAN (self->arena, arrays->row_sums, q);
  PRISM_CUDA_PLAN (self->arena, arrays->visits, MOST);
  PRISM_CUDA_PLAN (self->arena, arrays->visited, MOST);
  PRISM_CUDA_PLAN (self->arena, arrays->forces, MOST * (gsize) self->n_blocks);
  if (spec->network != NULL)
    {
      const PrismBackendSpec decoder = { .decoder = *spec->network };

      PRISM_CUDA_PLAN (self->arena, self->control, 1);
      self->network = prism_cuda_decoder_new (&decoder, self->arena, &self->control);
    }
}

static gboolean
allocate (PrismRecorded *self,
          const PrismRecordedSpec *spec,
          guint n_slots,
          GError **error)
{
  PrismCudaPtychography *arrays = &self->arrays;
  const gsize m = (gsize) spec->object_side, n = (gsize) spec->grid;
  const gboolean may_shrink = n_slots > LEAST_SLOTS;

  self->n_slots = n_slots;
  plan_arrays (self, spec);
  if (!prism_cuda_arena_allocate (self->arena, may_shrink ? NULL : error))
    {
      if (!may_shrink)
        return FALSE;
      prism_cuda_arena_free (self->arena);
      g_free (self->network);
      return allocate (self, spec, LEAST_SLOTS, error);
    }
  self->forces = g_malloc0 (sizeof *self->forces * MOST * (gsize) self->n_blocks);
  self->slots = g_new (guint, spec->n_frames);
  self->frames = g_new (guint, n_slots);
  self->wanted = g_new0 (guint, n_slots);
  memset (self->slots, 0xff, sizeof *self->slots * spec->n_frames);
  memset (self->frames, 0xff, sizeof *self->frames * n_slots);
  arrays->object_weights = (float *) (arrays->object_sums + m * m);
  arrays->pupil_weights = (float *) (arrays->pupil_sums + n * n);
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
prepare_network (PrismRecorded *self)
{
  const PrismCudaNorm none[N_OUTPUTS] = { { .gain = 1.0f }, { .gain = 1.0f } };
  const PrismCudaLayer *last = &self->network->layers[self->network->plan.n_layers - 1];

  return upload (self, PRISM_TRANSFER_SETUP, last->norm, none, sizeof none)
         && check (self, prism_cuda_control_prepare (self->control, FALSE,
                                                     self->context.streams.main));
}

static gboolean
upload_tables (PrismRecorded *self,
               const PrismRecordedSpec *spec)
{
  const int n = spec->grid;
  g_autofree PrismCudaComplex *roots = g_new (PrismCudaComplex, n);

  prism_cuda_waves_fill_roots (roots, (guint) n);
  return upload (self, PRISM_TRANSFER_SETUP, (void *) self->arrays.roots, roots,
                 N_COMPLEX * (gsize) n)
         && (self->network == NULL || prepare_network (self));
}

static gboolean
check_size (const PrismRecordedSpec *spec,
            GError **error)
{
  if (spec->grid <= PRISM_CUDA_PTYCHOGRAPHY_MOST_GRID)
    return TRUE;
  return prism_error_set (error, PRISM_ERROR_BACKEND,
                          "CUDA takes frames of %d×%d pixels at most, border included; these have"
                          " %d×%d.",
                          PRISM_CUDA_PTYCHOGRAPHY_MOST_GRID, PRISM_CUDA_PTYCHOGRAPHY_MOST_GRID,
                          spec->grid, spec->grid);
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
      && (self->transfer
          = prism_cuda_transfer_new (&self->context, self->context.streams.main, error))
             != NULL
      && (self->loading = prism_cuda_transfer_new (&self->context, self->context.preview, error))
             != NULL
      && allocate (self, spec, spec->n_frames, error))
    {
      if (check (self, prism_cuda_context_create_event (&self->loaded))
          && upload_tables (self, spec))
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
    prism_error_set (error, PRISM_ERROR_DEVICE_LOST, "The GPU does not answer.");
  return FALSE;
}

static gboolean
recorded_put (PrismRecorded *self,
              const float *object,
              const float *pupil,
              double farthest,
              double rim,
              gboolean together,
              GError **error)
{
  PrismCudaPtychography *arrays = &self->arrays;
  const gsize m = (gsize) arrays->object_side, n = (gsize) arrays->grid;
  cudaStream_t stream = self->context.streams.main;

  arrays->farthest = farthest;
  arrays->rim = (float) rim;
  arrays->together = together;
  return report (
      self,
      prism_cuda_context_enter (&self->context)
          && upload (self, PRISM_TRANSFER_STATE, arrays->object, object, N_COMPLEX * m * m)
          && upload (self, PRISM_TRANSFER_STATE, arrays->pupil, pupil, N_COMPLEX * n * n)
          && (!together
              || (check (self, cudaMemsetAsync (arrays->object_sums, 0, get_sums_bytes (m), stream))
                  && check (self, cudaMemsetAsync (arrays->pupil_sums, 0, get_sums_bytes (n),
                                                   stream)))),
      error);
}

static gboolean
download (PrismRecorded *self,
          float *to,
          const void *from,
          gsize n)
{
  return prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, to, from,
                                       sizeof *to * n);
}

static gboolean
recorded_get (PrismRecorded *self,
              float *object,
              float *pupil,
              GError **error)
{
  const PrismCudaPtychography *arrays = &self->arrays;
  const gboolean together = arrays->together;
  const gsize m = (gsize) arrays->object_side, n = (gsize) arrays->grid, k = together ? 3 : 2;

  return report (
      self,
      prism_cuda_context_enter (&self->context)
          && download (self, object, together ? arrays->object_sums : arrays->object, k * m * m)
          && download (self, pupil, together ? arrays->pupil_sums : arrays->pupil, k * n * n),
      error);
}

/* Has the frames of visits come, beside what the main stream computes, where they are not there:
 * over those that came first, but for what is wanted now and what may be looked at by then. */
static gboolean
load (PrismRecorded *self,
      const PrismRecordedVisit *visits,
      guint n)
{
  self->now++;
  for (guint i = 0; i < n; i++)
    if (self->slots[visits[i].frame] != NOWHERE)
      self->wanted[self->slots[visits[i].frame]] = self->now;
  for (guint i = 0; i < n; i++)
    {
      const guint frame = visits[i].frame;
      void *place;

      if (self->slots[frame] != NOWHERE)
        continue;
      while (self->wanted[self->next] + 1 >= self->now)
        self->next = (self->next + 1) % self->n_slots;
      if (self->frames[self->next] != NOWHERE)
        self->slots[self->frames[self->next]] = NOWHERE;
      self->slots[frame] = self->next;
      self->frames[self->next] = frame;
      self->wanted[self->next] = self->now;
      place = (void *) (self->arrays.amplitudes + self->next * self->n_pixels);
      if (!prism_cuda_transfer_upload (self->loading, PRISM_TRANSFER_MEASUREMENT, place,
                                       self->seen + frame * self->n_pixels,
                                       sizeof (float) * self->n_pixels))
        return FALSE;
    }
  return TRUE;
}

static gboolean
queue (PrismRecorded *self,
       const PrismRecordedVisit *visits,
       guint n_visits)
{
  cudaStream_t stream = self->context.streams.main;
  PrismCudaVisit copies[MOST];
  cudaError_t status;

  memcpy (copies, visits, sizeof *copies * n_visits);
  for (guint i = 0; i < n_visits; i++)
    copies[i].frame = (int32_t) self->slots[visits[i].frame];
  if (!upload (self, PRISM_TRANSFER_STEP, (void *) self->arrays.visits, copies,
               sizeof *copies * n_visits))
    return FALSE;
  status = prism_cuda_fork (self->context.preview, stream, self->loaded);
  if (status == cudaSuccess)
    status = cudaMemsetAsync (self->arrays.visited, 0, sizeof self->visited, stream);
  for (guint i = 0; i < n_visits && status == cudaSuccess; i++)
    status = prism_cuda_ptychography_visit (&self->arrays, (int) i, &copies[i], stream);
  return check (self, status);
}

static gboolean
recorded_visit (PrismRecorded *self,
                const PrismRecordedVisit *visits,
                guint n_visits,
                guint n_next,
                PrismRecordedLesson *lessons,
                GError **error)
{
  const gsize n_blocks = (gsize) self->n_blocks;
  gboolean is_done;

  g_return_val_if_fail (n_visits > 0 && n_visits <= MOST && n_next <= MOST, FALSE);
  is_done = prism_cuda_context_enter (&self->context) && load (self, visits, n_visits)
            && queue (self, visits, n_visits) && load (self, visits + n_visits, n_next)
            && prism_cuda_context_wait (&self->context, n_visits * self->visit_seconds, DOING)
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

/* The last layer's map is not normalised, and its bias not added. */
static gboolean
decode (PrismRecorded *self,
        float *outputs)
{
  const PrismDecoderPlan *plan = &self->network->plan;
  const int last = plan->n_layers - 1;
  const gsize n_pixels = (gsize) plan->object_size * plan->object_size;
  float biases[N_OUTPUTS];

  if (!check (self, prism_cuda_decoder_forward (self->network, TRUE, FALSE,
                                                self->context.streams.main))
      || !download (self, outputs, self->network->layers[last].y, N_OUTPUTS * n_pixels)
      || !download (self, biases, self->network->values + plan->layers[last].bias, N_OUTPUTS))
    return FALSE;
  for (gsize i = 0; i < N_OUTPUTS * n_pixels; i++)
    outputs[i] += biases[i / n_pixels];
  return TRUE;
}

static cudaError_t
queue_step (PrismRecorded *self)
{
  PrismCudaStreams *streams = &self->context.streams;

  PRISM_CUDA_TRY (prism_cuda_control_begin (self->control, streams->main));
  PRISM_CUDA_TRY (prism_cuda_control_decide (self->control, streams->main));
  PRISM_CUDA_TRY (prism_cuda_decoder_update (self->network, FALSE, streams));
  return prism_cuda_control_advance (self->control, streams->main);
}

static gboolean
learn (PrismRecorded *self,
       const float *slopes,
       double rate)
{
  const PrismDecoderPlan *plan = &self->network->plan;
  const gsize n_pixels = (gsize) plan->object_size * plan->object_size;
  const PrismCudaStep step = { .update = TRUE, .learning_rate = rate };
  double sums[N_OUTPUTS] = { 0 };
  float biases[N_OUTPUTS];

  for (gsize i = 0; i < N_OUTPUTS * n_pixels; i++)
    sums[i / n_pixels] += (double) slopes[i];
  for (int k = 0; k < N_OUTPUTS; k++)
    biases[k] = (float) sums[k];
  return upload (self, PRISM_TRANSFER_STEP, self->network->layers[plan->n_layers - 1].gradient,
                 slopes, sizeof *slopes * N_OUTPUTS * n_pixels)
         && upload (self, PRISM_TRANSFER_STEP, self->network->bias_gradient, biases, sizeof biases)
         && upload (self, PRISM_TRANSFER_STEP, self->control->steps, &step, sizeof step)
         && check (self, queue_step (self))
         && prism_cuda_context_wait (&self->context, 0.0, DOING);
}

static gboolean
recorded_run_network (PrismRecorded *self,
                      PrismNetworkTask task,
                      float *values,
                      double number,
                      GError **error)
{
  const PrismCudaDecoder *network = self->network;
  float *const arrays[] = { network->values, network->first, network->second };
  const gsize n = network->plan.n_parameters;
  const uint64_t n_steps = (uint64_t) number;
  gboolean is_done = prism_cuda_context_enter (&self->context);

  if (task == PRISM_NETWORK_DECODE)
    is_done = is_done && decode (self, values);
  else if (task == PRISM_NETWORK_LEARN)
    is_done = is_done && learn (self, values, number);
  else
    for (gsize i = 0; i < G_N_ELEMENTS (arrays) && is_done; i++)
      is_done = task == PRISM_NETWORK_GET
                    ? download (self, values + i * n, arrays[i], n)
                    : upload (self, PRISM_TRANSFER_STATE, arrays[i], values + i * n,
                              sizeof *values * n);
  if (task == PRISM_NETWORK_PUT && is_done)
    is_done = upload (self, PRISM_TRANSFER_STATE, &self->control->n_adam_steps, &n_steps,
                      sizeof n_steps)
              && check (self, prism_cuda_decoder_refresh (self->network,
                                                          self->context.streams.main));
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
  .run_network = recorded_run_network,
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
