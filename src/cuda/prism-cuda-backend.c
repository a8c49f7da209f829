#include "config.h"

#include "prism-cuda-backend.h"

/* Dimensions of this file: n = image_size, m = object_size, P = number of parameters. */

#define N_SUMS 3
/* Free memory is asked for this often at most: the trainer wants to know with every step. */
#define MEMORY_INTERVAL_US 250000
/* Products a second of a device that is slow beyond belief: what a wait allows for. */
#define SLOWEST_RATE 1e11

/* All arrays of a run; nothing is allocated yet. */
static void
plan_arrays (PrismCudaBackend *self)
{
  const PrismBackendSpec *spec = &self->parent.spec;
  const gsize image = (gsize) spec->object_size * spec->object_size;

  self->arena = prism_cuda_arena_new ();
  PRISM_CUDA_PLAN (self->arena, self->control, 1);
  PRISM_CUDA_PLAN (self->arena, self->image, image);
  PRISM_CUDA_PLAN (self->arena, self->epie_image, image);
  PRISM_CUDA_PLAN (self->arena, self->plane, (gsize) spec->image_size * spec->image_size);
  PRISM_CUDA_PLAN (self->arena, self->epie_sums, 2);
  PRISM_CUDA_PLAN (self->arena, self->sums, N_SUMS);
  for (guint i = 0; i < PRISM_N_ITERATES; i++)
    PRISM_CUDA_PLAN (self->arena, self->iterates[i], 4 * image);
  PRISM_CUDA_PLAN (self->arena, self->slope, image);
  PRISM_CUDA_PLAN (self->arena, self->other_dual, 2 * image);
  PRISM_CUDA_PLAN (self->arena, self->pass_sums,
                   PRISM_CUDA_ITERATE_N_SUMS * PRISM_CUDA_ITERATE_MAX_BLOCKS);
  self->frame = prism_cuda_frame_new (&self->context, self->arena, image);
  self->decoder = prism_cuda_decoder_new (spec, self->arena, &self->control);
  self->telescope = prism_cuda_telescope_new (spec, self->arena, &self->control);
}

/* What stays valid until the device is idle; on a lost one it is left behind. */
static void
free_device_side (PrismCudaBackend *self)
{
  if (self->context.lost)
    {
      g_clear_pointer (&self->arena, prism_cuda_arena_abandon);
      return;
    }
  prism_cuda_context_destroy_event (self->forward_done);
  prism_cuda_context_destroy_event (self->losses_done);
  prism_cuda_context_destroy_event (self->metrics_done);
  if (self->mirror != NULL)
    cudaFreeHost (self->mirror);
  g_clear_pointer (&self->arena, prism_cuda_arena_free);
}

/* Freeing waits for the device without a deadline: first make sure that it is idle. */
static void
wait_for_streams (PrismCudaBackend *self)
{
  PrismCudaContext *context = &self->context;

  if (context->streams.main == NULL || context->waypoint == NULL
      || !prism_cuda_context_enter (context))
    return;
  if (prism_cuda_context_wait (context, 0.0, "it was being closed"))
    prism_cuda_backend_check (self, prism_cuda_wait_stream (context->preview, 0.0),
                              "it was being closed");
}

static void
cuda_close (PrismBackend *backend)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  wait_for_streams (self);
  for (guint i = 0; self->bound != NULL && i < backend->spec.n_slots; i++)
    prism_buffer_unref (self->bound[i].target);
  g_clear_pointer (&self->bound, g_free);
  g_clear_pointer (&self->graph, prism_cuda_graph_free);
  g_clear_pointer (&self->pass_graph, prism_cuda_graph_free);
  g_clear_pointer (&self->timing, prism_cuda_timing_free);
  prism_cuda_alignment_clear (self);
  g_clear_pointer (&self->pool, prism_cuda_pool_free);
  g_clear_pointer (&self->transfer, prism_cuda_transfer_free);
  g_clear_pointer (&self->frame, prism_cuda_frame_free);
  g_clear_pointer (&self->decoder, g_free);
  g_clear_pointer (&self->telescope, g_free);
  free_device_side (self);
  prism_cuda_context_close (&self->context);
  self->context.lost = TRUE;
  self->closed = TRUE;
  if (self->n_buffers == 0)
    g_free (self);
}

static guint64
cuda_get_required_bytes (const PrismBackendSpec *spec)
{
  PrismCudaBackend self = { .parent.spec = *spec };
  guint64 size;

  self.context.lost = TRUE; /* there is no device side to free */
  plan_arrays (&self);
  size = prism_cuda_arena_get_size (self.arena);
  prism_cuda_frame_free (self.frame);
  g_free (self.decoder);
  g_free (self.telescope);
  prism_cuda_arena_abandon (self.arena);
  return size;
}

static double
estimate_step_seconds (const PrismDecoderPlan *plan)
{
  double n_products = 0.0;

  for (int i = 0; i < plan->n_layers; i++)
    {
      const PrismLayer *layer = &plan->layers[i];
      double side = layer->kind == PRISM_LAYER_CONVOLVE ? layer->out_size : layer->in_size;

      n_products += 3.0 * layer->n_weights * side * side;
    }
  return n_products / SLOWEST_RATE;
}

static cudaError_t
prepare_parts (PrismCudaBackend *self)
{
  gboolean dynamic = self->parent.spec.precision == PRISM_PRECISION_FP16;

  PRISM_CUDA_TRY (cudaMallocHost ((void **) &self->mirror, sizeof *self->mirror));
  PRISM_CUDA_TRY (prism_cuda_context_create_event (&self->forward_done));
  PRISM_CUDA_TRY (prism_cuda_context_create_event (&self->losses_done));
  PRISM_CUDA_TRY (prism_cuda_context_create_event (&self->metrics_done));
  PRISM_CUDA_TRY (prism_cuda_control_prepare (self->control, dynamic, self->stream));
  return prism_cuda_decoder_refresh (self->decoder, self->stream);
}

static gboolean
open_parts (PrismCudaBackend *self,
            GError **error)
{
  const int n = self->parent.spec.image_size;
  g_autofree PrismCudaComplex *roots = g_new (PrismCudaComplex, n);

  self->parent.spec.precision = prism_cuda_precision_choose (self->parent.spec.precision,
                                                             self->context.device);
  self->stream = self->context.streams.main;
  plan_arrays (self);
  if (!prism_cuda_arena_allocate (self->arena, error))
    {
      self->context.lost = prism_cuda_error_get_loss () != NULL;
      return FALSE;
    }
  self->transfer = prism_cuda_transfer_new (&self->context, self->stream, error);
  if (self->transfer == NULL || !prism_cuda_frame_prepare (self->frame, error))
    return FALSE;
  prism_cuda_fft_fill_table (roots, n);
  if (prism_cuda_backend_check (self, prepare_parts (self), "it was being set up")
      && prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_SETUP, self->telescope->roots,
                                     roots, n * sizeof *roots)
      && prism_cuda_context_wait (&self->context, 0.0, "it was being set up"))
    return TRUE;
  prism_cuda_context_report (&self->context, error);
  return FALSE;
}

static PrismBackend *
cuda_open (const PrismBackendSpec *spec,
           GError **error)
{
  PrismCudaBackend *self = g_new0 (PrismCudaBackend, 1);

  self->parent.ops = prism_cuda_backend_get_ops ();
  self->parent.spec = *spec;
  self->bound = g_new0 (PrismCudaBinding, spec->n_slots);
  self->step_seconds = estimate_step_seconds (&spec->decoder);
  self->pool = prism_cuda_pool_new (&self->context);
  self->graph = prism_cuda_graph_new (&self->context, &prism_cuda_train_graphs, self);
  self->pass_graph = prism_cuda_graph_new (&self->context, &prism_cuda_descent_graphs, self);
  self->timing = prism_cuda_timing_new (&self->context,
                                        !prism_cuda_graph_is_enabled (self->graph));
  if (prism_cuda_context_open (&self->context, error) && open_parts (self, error))
    return &self->parent;
  cuda_close (&self->parent);
  return NULL;
}

static char *
cuda_dup_device_name (PrismBackend *backend)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (!prism_cuda_backend_enter (self))
    return g_strdup ("NVIDIA GPU (lost)");
  return prism_cuda_device_dup_name (self->context.device);
}

static void
ask_available (PrismCudaBackend *self)
{
  gint64 now = g_get_monotonic_time ();
  size_t n_free, n_total;

  if (self->asked != 0 && now - self->asked < MEMORY_INTERVAL_US)
    return;
  self->asked = now;
  if (prism_cuda_backend_enter (self)
      && prism_cuda_backend_check (self, cudaMemGetInfo (&n_free, &n_total),
                                   "asking for its memory"))
    self->available = n_free;
}

static void
cuda_get_memory (PrismBackend *backend,
                 PrismMemoryUse *use)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  ask_available (self);
  use->used = use->peak = prism_cuda_arena_get_size (self->arena);
  prism_cuda_pool_add_use (self->pool, use);
  use->available = self->available;
}

static void
cuda_get_counters (PrismBackend *backend,
                   PrismDeviceCounters *counters)
{
  *counters = ((PrismCudaBackend *) backend)->context.counters;
}

static gsize
get_state_bytes (PrismCudaBackend *self)
{
  return self->parent.spec.decoder.n_parameters * sizeof (float);
}

static void
upload_state (PrismCudaBackend *self,
              float *to,
              const float *from)
{
  prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_STATE, to, from,
                              get_state_bytes (self));
}

static void
download_state (PrismCudaBackend *self,
                float *to,
                const float *from)
{
  prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, to, from,
                                get_state_bytes (self));
}

static void
cuda_set_parameters (PrismBackend *backend,
                     const float *parameters)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (!prism_cuda_backend_enter (self))
    return;
  upload_state (self, self->decoder->values, parameters);
  prism_cuda_backend_check (self, prism_cuda_decoder_refresh (self->decoder, self->stream),
                            "the decoder was being set");
  self->output_valid = FALSE;
}

static void
cuda_get_parameters (PrismBackend *backend,
                     float *parameters)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (prism_cuda_backend_enter (self))
    download_state (self, parameters, self->decoder->values);
}

static void
cuda_get_gradient (PrismBackend *backend,
                   float *gradient)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (!self->gradient_valid)
    for (gsize i = 0; i < backend->spec.decoder.n_parameters; i++)
      gradient[i] = NAN;
  else if (prism_cuda_backend_enter (self))
    download_state (self, gradient, self->decoder->gradient);
}

static cudaError_t
clear_moments (PrismCudaBackend *self)
{
  gsize n_bytes = get_state_bytes (self);

  PRISM_CUDA_TRY (cudaMemsetAsync (self->decoder->first, 0, n_bytes, self->stream));
  PRISM_CUDA_TRY (cudaMemsetAsync (self->decoder->second, 0, n_bytes, self->stream));
  if (self->decoder->amsgrad)
    PRISM_CUDA_TRY (cudaMemsetAsync (self->decoder->largest, 0, n_bytes, self->stream));
  return cudaMemsetAsync (&self->control->n_adam_steps, 0, sizeof self->control->n_adam_steps,
                          self->stream);
}

static void
cuda_reset_optimizer (PrismBackend *backend)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (prism_cuda_backend_enter (self))
    prism_cuda_backend_check (self, clear_moments (self), "the optimiser was being reset");
}

/* Without any they begin at 0, as those of the second moments do. */
static void
set_largest (PrismCudaBackend *self,
             const float *largest)
{
  float *to = self->decoder->largest;

  if (largest != NULL)
    upload_state (self, to, largest);
  else
    prism_cuda_backend_check (self, cudaMemsetAsync (to, 0, get_state_bytes (self), self->stream),
                              "the optimiser was being set");
}

static void
cuda_set_moments (PrismBackend *backend,
                  const float *first,
                  const float *second,
                  const float *largest,
                  guint64 n_steps)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  uint64_t n = n_steps;

  if (!prism_cuda_backend_enter (self))
    return;
  upload_state (self, self->decoder->first, first);
  upload_state (self, self->decoder->second, second);
  if (backend->spec.amsgrad)
    set_largest (self, largest);
  prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_STATE, &self->control->n_adam_steps,
                              &n, sizeof n);
}

static void
cuda_get_moments (PrismBackend *backend,
                  float *first,
                  float *second,
                  float *largest,
                  guint64 *n_steps)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  uint64_t n = 0;

  if (!prism_cuda_backend_enter (self))
    return;
  download_state (self, first, self->decoder->first);
  download_state (self, second, self->decoder->second);
  if (largest != NULL && backend->spec.amsgrad)
    download_state (self, largest, self->decoder->largest);
  else if (largest != NULL)
    memset (largest, 0, get_state_bytes (self));
  if (prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_STATE, &n,
                                    &self->control->n_adam_steps, sizeof n))
    *n_steps = n;
}

static gboolean
cuda_set_object (PrismBackend *backend,
                 const float *amplitude,
                 GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (!prism_backend_check_object (amplitude, backend->spec.object_size, error))
    return FALSE;
  if (prism_cuda_backend_enter (self)
      && prism_cuda_backend_upload_image (self, self->telescope->object, amplitude))
    return TRUE;
  prism_cuda_context_report (&self->context, error);
  return FALSE;
}

/* From the half of a real image's, by columns. */
static void
cuda_get_spectrum (PrismBackend *backend,
                   float *spectrum)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  const PrismCudaTelescope *telescope = self->telescope;
  const PrismCudaOptics optics = prism_cuda_telescope_get_optics (telescope);
  const int n = backend->spec.image_size, h = n / 2;
  const gsize n_bytes = (gsize) (h + 1) * n * sizeof (PrismCudaComplex);
  g_autofree PrismCudaComplex *half = g_malloc (n_bytes);

  if (!prism_cuda_backend_enter (self)
      || !prism_cuda_backend_check (self,
                                    prism_cuda_spectrum_transform (&optics, telescope->object,
                                                                   FALSE, telescope->half,
                                                                   telescope->planes, self->stream),
                                    "the spectrum was being computed")
      || !prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_FRAME, half,
                                        telescope->planes, n_bytes))
    return;
  for (int y = -h; y < h; y++)
    for (int x = -h; x < h; x++)
      {
        const PrismCudaComplex *value = &half[ABS (x) * n + ((x < 0 ? -y : y) & (n - 1))];

        *spectrum++ = hypotf (value->x, value->y);
      }
}

static void
cuda_set_start_image (PrismBackend *backend,
                      const float *image)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (prism_cuda_backend_enter (self))
    prism_cuda_backend_upload_image (
        self, self->telescope->start_image, image);
}

static void
cuda_forward (PrismBackend *backend)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  self->output_valid = FALSE;
  if (prism_cuda_backend_enter (self))
    prism_cuda_train_ensure_output (self);
}

/* Device [m][m]; NULL when it cannot be had. */
static const float *
get_image (PrismCudaBackend *self,
           PrismSource source)
{
  if (!prism_cuda_backend_enter (self))
    return NULL;
  if (source == PRISM_SOURCE_EPIE)
    return self->epie_image;
  return prism_cuda_train_ensure_output (self) ? self->decoder->output
                                               : NULL;
}

static void
cuda_read_image (PrismBackend *backend,
                 PrismSource source,
                 float *image)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  const float *from = get_image (self, source);

  if (from != NULL)
    prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_FRAME, image, from,
                                  prism_cuda_backend_get_image_bytes (self));
}

static gboolean
queue_metrics (PrismCudaBackend *self,
               const float *image)
{
  return prism_cuda_backend_check (self,
                                   prism_cuda_metrics_compute (self->control,
                                                               self->telescope->metrics_partials,
                                                               image, self->telescope->object,
                                                               self->parent.spec.object_size, TRUE,
                                                               self->stream),
                                   "the metrics were being computed");
}

static gboolean
cuda_compute_metrics (PrismBackend *backend,
                      PrismSource source,
                      PrismMetrics *metrics,
                      GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  const float *image = get_image (self, source);
  PrismMetricsSums sums;

  if (image != NULL && queue_metrics (self, image)
      && prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_FRAME, &sums,
                                       self->control->sums, sizeof sums))
    {
      prism_metrics_finish (metrics, &sums);
      return TRUE;
    }
  prism_cuda_context_report (&self->context, error);
  return FALSE;
}

static void
cuda_request_frame (PrismBackend *backend)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  const float *image;

  if (prism_cuda_frame_is_due (self->frame))
    return;
  image = get_image (self, PRISM_SOURCE_DECODER);
  if (image != NULL && queue_metrics (self, image))
    prism_cuda_backend_check (self,
                              prism_cuda_frame_request (self->frame, image, self->control->sums),
                              "a frame was being taken");
}

static gboolean
cuda_collect_frame (PrismBackend *backend,
                    float *image,
                    PrismMetrics *metrics)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  return prism_cuda_backend_enter (self)
         && prism_cuda_frame_collect (self->frame, image, metrics);
}

static double
cuda_get_part_time (PrismBackend *backend,
                    guint part,
                    const char **name)
{
  return prism_cuda_timing_take (((PrismCudaBackend *) backend)->timing, part, name);
}

static gboolean
cuda_finish (PrismBackend *backend,
             GError **error)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  if (prism_cuda_backend_enter (self))
    prism_cuda_context_wait (&self->context, 0.0, "its work was being finished");
  return prism_cuda_context_report (&self->context, error);
}

static char *
cuda_dup_unsupported_reason (const PrismBackendSpec *spec)
{
  if (spec->n_line_points > 1)
    return g_strdup ("CUDA does not compute a telescope that moves during the exposure.");
  return prism_cuda_decoder_dup_unsupported_reason (&spec->decoder);
}

static const PrismBackendOps ops = {
  .abi = PRISM_BACKEND_ABI,
  .name = "cuda",
  .get_loss = prism_cuda_error_get_loss,
  .dup_unavailable_reason = prism_cuda_device_dup_reason,
  .dup_unsupported_reason = cuda_dup_unsupported_reason,
  .dup_precision_advice = prism_cuda_precision_dup_advice,
  .get_required_bytes = cuda_get_required_bytes,
  .open = cuda_open,
  .close = cuda_close,
  .dup_device_name = cuda_dup_device_name,
  .get_memory = cuda_get_memory,
  .get_counters = cuda_get_counters,
  .set_parameters = cuda_set_parameters,
  .get_parameters = cuda_get_parameters,
  .get_gradient = cuda_get_gradient,
  .reset_optimizer = cuda_reset_optimizer,
  .set_moments = cuda_set_moments,
  .get_moments = cuda_get_moments,
  .set_object = cuda_set_object,
  .get_spectrum = cuda_get_spectrum,
  .set_start_image = cuda_set_start_image,
  .measure = prism_cuda_measure_take,
  .expose = prism_cuda_measure_expose,
  .load_buffer = prism_cuda_measure_load,
  .read_buffer = prism_cuda_measure_read,
  .free_buffer = prism_cuda_measure_free_buffer,
  .bind = prism_cuda_measure_bind,
  .hold = prism_cuda_measure_hold,
  .forward = cuda_forward,
  .read_image = cuda_read_image,
  .compute_metrics = cuda_compute_metrics,
  .request_frame = cuda_request_frame,
  .collect_frame = cuda_collect_frame,
  .compute_gradient = prism_cuda_train_compute_gradient,
  .train = prism_cuda_train_run,
  .chunk_size = PRISM_CUDA_MAX_CHUNK,
  .epie_start = prism_cuda_epie_start,
  .epie_update = prism_cuda_epie_update,
  .epie_project = prism_cuda_epie_project,
  .epie_collect = prism_cuda_epie_collect,
  .compute_misfit = prism_cuda_epie_compute_misfit,
  .add_misfit_gradient = prism_cuda_misfit_add_gradient,
  .put_iterate = prism_cuda_descent_put,
  .get_iterate = prism_cuda_descent_get,
  .descend = prism_cuda_descent_run,
  .move_waves = prism_cuda_waves_move,
  .take_frames = prism_cuda_alignment_take_frames,
  .search = prism_cuda_alignment_search,
  .get_part_time = cuda_get_part_time,
  .time_copies = prism_cuda_copy_time,
  .finish = cuda_finish,
};

/**
 * prism_cuda_backend_get_ops:
 *
 * The entry of the module.
 *
 * Thread: any.
 *
 * Returns: (transfer none): the device's operations
 */
const PrismBackendOps *
prism_cuda_backend_get_ops (void)
{
  return &ops;
}
