#include "prism-cuda-types.h"

#include "prism-cuda-control.cuh"
#include "prism-cuda-kernel.cuh"

#include <math.h>

static __global__ void
prepare (PrismCudaControl *control,
         int dynamic_scale)
{
  control->dynamic_scale = dynamic_scale;
  control->loss_scale = dynamic_scale ? PRISM_CUDA_FIRST_LOSS_SCALE : 1.0f;
}

static __global__ void
begin (PrismCudaControl *control)
{
  control->cursor = 0;
  control->done = 0;
  control->decided = 0;
  prism_cuda_control_clear_step (control);
}

static __global__ void
collect (PrismCudaControl *control,
         double *sum)
{
  *sum += control->loss_new + control->loss_old;
  control->cursor++;
  prism_cuda_control_clear_step (control);
}

/* As prism_adam_init() and prism_adam_set_decay(): pow() in double, rounded once. */
static __device__ void
set_adam (PrismCudaControl *control,
          const PrismCudaStep *step)
{
  const double n_steps = (double) (control->n_adam_steps + 1);

  control->learning_rate = (float) step->learning_rate;
  control->decay = (float) (control->learning_rate * step->weight_decay);
  control->beta1 = 0.9;
  control->beta2 = 0.999;
  control->epsilon = 1e-8f;
  control->correction1 = (float) (1.0 - pow (0.9, n_steps));
  control->correction2 = (float) (1.0 - pow (0.999, n_steps));
}

static __global__ void
decide (PrismCudaControl *control)
{
  if (control->done)
    return;

  const PrismCudaStep *step = &control->steps[control->cursor];
  PrismCudaResult *result = &control->results[control->cursor];

  result->loss_new = control->loss_new;
  result->loss_old = control->loss_old;
  result->skipped = !isfinite (control->loss_new) || !isfinite (control->loss_old);
  result->below_threshold = !step->fit_start && step->threshold > 0.0
                            && control->loss_new < step->threshold
                            && control->loss_old < step->threshold;
  set_adam (control, step);
  if (!step->update || result->skipped || result->below_threshold)
    control->no_update = 1;
  control->decided = 1;
}

static __global__ void
advance (PrismCudaControl *control)
{
  prism_cuda_control_end_step (control);
}

/**
 * prism_cuda_control_prepare:
 * @control: (device): zeroed
 * @dynamic_scale: whether gradients are scaled against underflow (fp16)
 * @stream: a stream
 *
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_control_prepare (PrismCudaControl *control,
                            int dynamic_scale,
                            cudaStream_t stream)
{
  return prism_cuda_launch (prepare, 1, 1, 0, stream, control, dynamic_scale);
}

/**
 * prism_cuda_control_begin:
 * @control: (device): with the steps of a chunk
 * @stream: a stream
 *
 * Begins a chunk with its first step.
 *
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_control_begin (PrismCudaControl *control,
                          cudaStream_t stream)
{
  return prism_cuda_launch (begin, 1, 1, 0, stream, control);
}

/**
 * prism_cuda_control_decide:
 * @control: (device): with the losses of the step
 * @stream: a stream
 *
 * Decides whether the step may change anything and prepares Adam.
 *
 * Thread: engine.
 * Source: Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_control_decide (PrismCudaControl *control,
                           cudaStream_t stream)
{
  return prism_cuda_launch (decide, 1, 1, 0, stream, control);
}

/**
 * prism_cuda_control_advance:
 * @control: (device): after the update
 * @stream: a stream
 *
 * Stores the result of the last step of a chunk, as the first kernel of the next step does for the
 * others.
 *
 * Thread: engine.
 *
 * Returns: what the launch reports
 */
cudaError_t
prism_cuda_control_advance (PrismCudaControl *control,
                            cudaStream_t stream)
{
  return prism_cuda_launch (advance, 1, 1, 0, stream, control);
}

cudaError_t
prism_cuda_control_collect (PrismCudaControl *control,
                            double *sum,
                            cudaStream_t stream)
{
  return prism_cuda_launch (collect, 1, 1, 0, stream, control, sum);
}
