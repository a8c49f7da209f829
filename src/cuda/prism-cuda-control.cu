#include "prism-cuda-control.h"

#include "prism-cuda-kernel.cuh"

#include <math.h>

/* Doubling stops here: beyond it the scale itself would overflow a half. */
#define MAX_LOSS_SCALE 16777216.0f

static __global__ void
prepare (PrismCudaControl *control,
         int dynamic_scale)
{
  control->dynamic_scale = dynamic_scale;
  control->loss_scale = dynamic_scale ? PRISM_CUDA_FIRST_LOSS_SCALE : 1.0f;
}

/* Clears what the step at the cursor adds to. Past the last step of a full chunk there is none. */
static __device__ void
clear_step (PrismCudaControl *control)
{
  const int cursor = control->cursor;

  control->not_finite = 0;
  control->no_update = cursor < PRISM_CUDA_MAX_CHUNK ? !control->steps[cursor].update : 1;
  control->loss_new = 0.0;
  control->loss_old = 0.0;
  for (int i = 0; i < PRISM_CUDA_N_SUMS; i++)
    control->sums[i] = NAN;
}

static __global__ void
begin (PrismCudaControl *control)
{
  control->cursor = 0;
  control->done = 0;
  clear_step (control);
}

static __global__ void
collect (PrismCudaControl *control,
         double *sum)
{
  *sum += control->loss_new + control->loss_old;
  control->cursor++;
  clear_step (control);
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
}

/* A gradient that overflowed under a scale above 1 says nothing about the state: the step is left
 * out and counted, but not reported as skipped. */
static __device__ void
take_overflow (PrismCudaControl *control,
               PrismCudaResult *result)
{
  if (control->dynamic_scale && control->loss_scale > 1.0f)
    {
      control->loss_scale *= 0.5f;
      control->n_overflows++;
      control->n_good_steps = 0;
    }
  else
    result->skipped = 1;
}

static __device__ void
take_good_step (PrismCudaControl *control)
{
  if (!control->dynamic_scale || ++control->n_good_steps < PRISM_CUDA_STEPS_TO_DOUBLE)
    return;
  control->n_good_steps = 0;
  if (control->loss_scale < MAX_LOSS_SCALE)
    control->loss_scale *= 2.0f;
}

/* The update saw not_finite for itself and left everything as it was. */
static __device__ void
take_gradients (PrismCudaControl *control,
                PrismCudaResult *result)
{
  if (!control->steps[control->cursor].update)
    result->skipped |= control->not_finite;
  else if (!control->no_update && control->not_finite)
    {
      control->no_update = 1;
      take_overflow (control, result);
    }
}

/* The scale moves up only here: the update of this step still divides by it. */
static __global__ void
advance (PrismCudaControl *control)
{
  if (control->done)
    return;

  PrismCudaResult *result = &control->results[control->cursor];

  take_gradients (control, result);
  for (int i = 0; i < PRISM_CUDA_N_SUMS; i++)
    result->sums[i] = control->sums[i];
  if (!control->no_update)
    {
      control->n_adam_steps++;
      take_good_step (control);
    }
  control->done = result->below_threshold;
  control->cursor++;
  clear_step (control);
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
 * Stores the step's result and begins the next; a step below its threshold ends the chunk. Where a
 * gradient was not finite there was no update; a dynamic loss scale is halved then.
 *
 * Thread: engine.
 * Source: Micikevicius and others, "Mixed Precision Training", 2018, section 3.2.
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
  return prism_cuda_launch (collect, dim3 (1), dim3 (1), 0, stream, control, sum);
}
