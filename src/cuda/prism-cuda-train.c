#include "config.h"

#include "prism-cuda-backend.h"

/* Training steps: a chunk of them goes to the device at once, one captured graph is launched for
 * each, and the results of all come back at once. */

/* Boxes are rounded up to a multiple of this share of the field, so that a growing union of
 * apertures is captured 32 times at most. */
#define BOXES_PER_FIELD 32
#define MIN_BOX_UNIT 8
/* Up to here each number of terms has its own graph, then steps of a quarter. */
#define MAX_EXACT_TERMS 8

/* All that the sequence of kernels depends on, in members of four bytes, so that no gap is
 * compared. */
typedef struct
{
  PrismCudaShape shape;
  gboolean with_metrics;
  gboolean clips; /* the gradient is kept and measured before it is used */
} Key;

/* What comes back: from loss_scale to the results of n_steps. */
#define RESULTS_OFFSET offsetof (PrismCudaControl, loss_scale)

static cudaError_t
queue_losses (PrismCudaBackend *self,
              const PrismCudaShape *shape)
{
  return prism_cuda_telescope_compute_gradient (self->telescope, shape, self->decoder->output,
                                                self->decoder->output_gradient,
                                                self->stream);
}

/* Queues a training step; also while the main stream is being captured. Everything else that the
 * step needs is in device memory. Nothing of it needs the metrics, which run beside it. The
 * decision is only needed once all gradients are there: it stands first on the side stream,
 * which the update joins before it checks them. */
static cudaError_t
queue_step (gconstpointer data,
            gpointer backend)
{
  const Key *key = data;
  PrismCudaBackend *self = backend;
  PrismCudaContext *context = &self->context;
  PrismCudaStreams *streams = &context->streams;

  PRISM_CUDA_TRY (prism_cuda_timing_mark (self->timing, PRISM_CUDA_PART_FORWARD));
  PRISM_CUDA_TRY (prism_cuda_decoder_forward (self->decoder, FALSE, TRUE, streams->main));
  if (key->with_metrics)
    {
      PRISM_CUDA_TRY (prism_cuda_fork (streams->main, context->metrics, self->forward_done));
      PRISM_CUDA_TRY (prism_cuda_metrics_compute (
          self->control, self->telescope->metrics_partials, self->decoder->output,
          self->telescope->object, self->parent.spec.object_size, FALSE, context->metrics));
    }
  PRISM_CUDA_TRY (prism_cuda_timing_mark (self->timing, PRISM_CUDA_PART_TELESCOPE));
  PRISM_CUDA_TRY (queue_losses (self, &key->shape));
  PRISM_CUDA_TRY (prism_cuda_fork (streams->main, streams->side, self->losses_done));
  PRISM_CUDA_TRY (prism_cuda_control_decide (self->control, streams->side));
  PRISM_CUDA_TRY (prism_cuda_timing_mark (self->timing, PRISM_CUDA_PART_UPDATE));
  PRISM_CUDA_TRY (prism_cuda_decoder_update (self->decoder, key->clips, streams));
  if (key->with_metrics)
    PRISM_CUDA_TRY (prism_cuda_fork (context->metrics, streams->main, self->metrics_done));
  return prism_cuda_timing_mark (self->timing, PRISM_CUDA_N_PARTS);
}

const PrismCudaGraphKind prism_cuda_train_graphs = {
  .key_bytes = sizeof (Key),
  .queue = queue_step,
};

static const PrismTerm *
get_term (const PrismStep *step,
          guint i)
{
  return i == 0 ? &step->new_term : &step->old_terms[i - 1];
}

static guint
count_terms (const PrismStep *step)
{
  return step->fit_start ? 0 : 1 + step->n_old;
}

static void
fill_step (PrismCudaStep *to,
           const PrismStep *from,
           gboolean update)
{
  to->fit_start = from->fit_start;
  to->with_metrics = from->with_metrics;
  to->update = update;
  to->n_terms = (int32_t) count_terms (from);
  to->learning_rate = from->learning_rate;
  to->weight_decay = from->weight_decay;
  to->clip_norm = from->clip_norm;
  to->threshold = from->threshold;
  for (guint i = 0; i < count_terms (from); i++)
    to->terms[i] = (PrismCudaTerm) { (int32_t) get_term (from, i)->slot,
                                     get_term (from, i)->weight };
}

static int
round_box (PrismCudaBackend *self,
           int size)
{
  int n = self->parent.spec.image_size, unit = MAX (n / BOXES_PER_FIELD, MIN_BOX_UNIT);

  return MIN ((MAX (size, 1) + unit - 1) / unit * unit, n);
}

static guint
round_terms (guint n_terms)
{
  guint unit = 1;

  while (n_terms > unit * MAX_EXACT_TERMS)
    unit *= 2;
  return MIN ((n_terms + unit - 1) / unit * unit, PRISM_CUDA_MAX_TERMS);
}

/* What does not matter to a start step is left at 0, so that all of them share one graph. */
static Key
get_key (PrismCudaBackend *self,
         const PrismStep *step)
{
  Key key = { .shape.fit_start = step->fit_start,
              .with_metrics = step->with_metrics,
              .clips = step->clip_norm > 0.0 };
  int height = 0, width = 0;

  if (step->fit_start)
    return key;
  for (guint i = 0; i < count_terms (step); i++)
    {
      const PrismCudaBinding *binding = &self->bound[get_term (step, i)->slot];

      height = MAX (height, binding->height);
      width = MAX (width, binding->width);
    }
  key.shape.loss = step->loss;
  if (step->loss == PRISM_LOSS_COMPOSITE)
    memcpy (key.shape.weights, step->weights, sizeof key.shape.weights);
  key.shape.domain = step->domain;
  key.shape.normalise = step->normalise;
  key.shape.n_terms = round_terms (count_terms (step));
  key.shape.max_height = round_box (self, height);
  key.shape.max_width = round_box (self, width);
  return key;
}

/* A slot that holds nothing would be read from address 0. */
static gboolean
terms_are_bound (PrismCudaBackend *self,
                 const PrismStep *step)
{
  for (guint i = 0; i < count_terms (step); i++)
    {
      guint slot = get_term (step, i)->slot;

      if (slot >= self->parent.spec.n_slots || self->bound[slot].target == NULL)
        return FALSE;
    }
  return TRUE;
}

static cudaError_t
begin_chunk (PrismCudaBackend *self,
             const PrismStep *steps,
             guint n_steps,
             gboolean update)
{

  for (guint i = 0; i < n_steps; i++)
    fill_step (&self->mirror->steps[i], &steps[i], update);
  PRISM_CUDA_TRY (prism_cuda_transfer_send (&self->context, PRISM_TRANSFER_STEP,
                                            self->control->steps, self->mirror->steps,
                                            n_steps * sizeof (PrismCudaStep)));
  return prism_cuda_control_begin (self->control, self->stream);
}

static gboolean
fetch_results (PrismCudaBackend *self,
               guint n_steps)
{
  char *to = (char *) self->mirror + RESULTS_OFFSET;
  const char *from = (const char *) self->control + RESULTS_OFFSET;
  cudaError_t status;

  status = prism_cuda_transfer_fetch (&self->context, PRISM_TRANSFER_STEP, to, from,
                                      offsetof (PrismCudaControl, results)
                                          + n_steps * sizeof (PrismCudaResult) - RESULTS_OFFSET,
                                      self->stream);
  if (!prism_cuda_backend_check (self, status, "training")
      || !prism_cuda_context_wait (&self->context, n_steps * self->step_seconds, "training"))
    return FALSE;
  self->context.counters.loss_scale = self->mirror->loss_scale;
  self->context.counters.n_overflows = self->mirror->n_overflows;
  return TRUE;
}

static void
copy_result (PrismStepResult *to,
             const PrismCudaResult *from)
{
  to->loss_new = from->loss_new;
  to->loss_old = from->loss_old;
  to->below_threshold = from->below_threshold;
  to->skipped = from->skipped;
  prism_metrics_finish (&to->metrics, (const PrismMetricsSums *) from->sums);
}

/* Results up to the step that ended the chunk. */
static guint
copy_results (PrismCudaBackend *self,
              guint n_steps,
              PrismStepResult *results)
{
  for (guint i = 0; i < n_steps; i++)
    {
      copy_result (&results[i], &self->mirror->results[i]);
      if (results[i].below_threshold)
        return i + 1;
    }
  return n_steps;
}

/* Returns how many steps were queued whole. */
static guint
queue_steps (PrismCudaBackend *self,
             const PrismStep *steps,
             guint n_steps)
{
  for (guint i = 0; i < n_steps; i++)
    g_return_val_if_fail (terms_are_bound (self, &steps[i]), 0);
  for (guint i = 0; i < n_steps; i++)
    {
      const Key key = get_key (self, &steps[i]);

      if (!prism_cuda_backend_check (self, prism_cuda_graph_launch (self->graph, &key),
                                     "training"))
        return i;
    }
  return n_steps;
}

static guint
run_chunk (PrismCudaBackend *self,
           const PrismStep *steps,
           guint n_steps,
           PrismStepResult *results)
{
  PrismCudaContext *context = &self->context;
  guint n_queued;

  if (!prism_cuda_backend_check (self, begin_chunk (self, steps, n_steps, TRUE), "training")
      || !prism_cuda_backend_check (self, prism_cuda_timing_begin (self->timing), "training"))
    return 0;
  n_queued = queue_steps (self, steps, n_steps);
  if (n_queued == 0 || context->lost
      || !prism_cuda_backend_check (
          self, prism_cuda_control_advance (self->control, self->stream), "training")
      || !prism_cuda_backend_check (self, prism_cuda_timing_end (self->timing), "training")
      || !fetch_results (self, n_queued))
    return 0;
  prism_cuda_timing_collect (self->timing, n_queued);
  self->output_valid = TRUE;
  n_queued = copy_results (self, n_queued, results);
  context->counters.n_steps += n_queued;
  return n_queued;
}

/**
 * prism_cuda_train_run:
 * @backend: the device
 * @steps: (array length=n_steps): what to do
 * @n_steps: how many
 * @results: (array length=n_steps) (out caller-allocates): what came out
 *
 * As PrismBackendOps.train. The host sends a chunk of steps, launches a graph for each, fetches the
 * results and waits once.
 *
 * Thread: engine.
 *
 * Returns: the number of results, less than @n_steps after one below the threshold or an error
 */
guint
prism_cuda_train_run (PrismBackend *backend,
                      const PrismStep *steps,
                      guint n_steps,
                      PrismStepResult *results)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;
  guint n_done = 0;

  if (!prism_cuda_backend_enter (self))
    return 0;
  while (n_done < n_steps)
    {
      guint n_wanted = MIN (n_steps - n_done, PRISM_CUDA_MAX_CHUNK);
      guint n = run_chunk (self, steps + n_done, n_wanted, results + n_done);

      n_done += n;
      if (n < n_wanted || results[n_done - 1].below_threshold)
        break;
    }
  return n_done;
}

/* As queue_step() without metrics, and without an update. */
static cudaError_t
queue_gradient (PrismCudaBackend *self,
                const PrismStep *step)
{
  Key key = get_key (self, step);

  PRISM_CUDA_TRY (begin_chunk (self, step, 1, FALSE));
  PRISM_CUDA_TRY (prism_cuda_decoder_forward (self->decoder, FALSE, FALSE, self->stream));
  PRISM_CUDA_TRY (queue_losses (self, &key.shape));
  PRISM_CUDA_TRY (prism_cuda_control_decide (self->control, self->stream));
  PRISM_CUDA_TRY (prism_cuda_decoder_backward (self->decoder, &self->context.streams));
  return prism_cuda_control_advance (self->control, self->stream);
}

/**
 * prism_cuda_train_compute_gradient:
 * @backend: the device
 * @step: losses to compute
 * @result: (out caller-allocates): what came out
 *
 * As PrismBackendOps.compute_gradient. The result is marked as skipped when the device failed.
 *
 * Thread: engine.
 */
void
prism_cuda_train_compute_gradient (PrismBackend *backend,
                                   const PrismStep *step,
                                   PrismStepResult *result)
{
  PrismCudaBackend *self = (PrismCudaBackend *) backend;

  *result = (PrismStepResult) { .loss_new = NAN, .loss_old = NAN, .skipped = TRUE };
  prism_metrics_init (&result->metrics);
  if (!prism_cuda_backend_enter (self))
    return;
  g_return_if_fail (terms_are_bound (self, step));

  if (!prism_cuda_backend_check (self, queue_gradient (self, step),
                                 "a gradient was being computed")
      || !fetch_results (self, 1))
    return;
  copy_result (result, &self->mirror->results[0]);
  self->output_valid = TRUE;
  self->gradient_valid = TRUE;
}

/**
 * prism_cuda_train_ensure_output:
 * @self: a backend whose device was entered
 *
 * Computes the decoder's output unless it is there. In full precision: it is to be looked at.
 *
 * Thread: engine.
 *
 * Returns: whether the output is there; an error is noted in the context
 */
gboolean
prism_cuda_train_ensure_output (PrismCudaBackend *self)
{
  if (!self->output_valid)
    self->output_valid = prism_cuda_context_check (
        &self->context,
        prism_cuda_decoder_forward (self->decoder, TRUE, FALSE, self->stream),
        "the image was being computed");
  return self->output_valid;
}
