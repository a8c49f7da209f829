/* prism-cuda-control: how one step of a chunk ends and the next begins. Included by .cu files
 * only. */
#pragma once

#include "prism-cuda-types.h"
#include "prism-cuda-kernel.cuh"

#include <math.h>

/* Doubling stops here: beyond it the scale itself would overflow a half. */
#define PRISM_CUDA_CONTROL_MAX_LOSS_SCALE 16777216.0f

/* Clears what the step at the cursor adds to. Past the last step of a full chunk there is none. */
static __device__ __forceinline__ void
prism_cuda_control_clear_step (PrismCudaControl *control)
{
  const int cursor = control->cursor;

  control->not_finite = 0;
  control->no_update = cursor < PRISM_CUDA_MAX_CHUNK ? !control->steps[cursor].update : 1;
  control->loss_new = 0.0;
  control->loss_old = 0.0;
  for (int i = 0; i < PRISM_CUDA_N_SUMS; i++)
    control->sums[i] = NAN;
}

/* After a step's update, by one thread: stores its result and begins the next one. Nothing where no
 * step is decided; a step below its threshold ends the chunk. Where a gradient was not finite the
 * update saw that for itself and left everything as it was. Under a dynamic loss scale above 1 that
 * says nothing about the state: the scale is halved and the step counted, but not reported as
 * skipped. The scale moves up only here, since the update still divides by it.
 *
 * Source: Micikevicius and others, "Mixed Precision Training", 2018, section 3.2. */
static __device__ __forceinline__ void
prism_cuda_control_end_step (PrismCudaControl *control)
{
  PrismCudaResult *result = &control->results[control->cursor];

  if (control->done || !control->decided)
    return;
  if (!control->steps[control->cursor].update)
    result->skipped |= control->not_finite;
  else if (!control->no_update && control->not_finite)
    {
      control->no_update = 1;
      if (control->dynamic_scale && control->loss_scale > 1.0f)
        {
          control->loss_scale *= 0.5f;
          control->n_overflows++;
          control->n_good_steps = 0;
        }
      else
        result->skipped = 1;
    }
  for (int i = 0; i < PRISM_CUDA_N_SUMS; i++)
    result->sums[i] = control->sums[i];
  if (!control->no_update)
    {
      control->n_adam_steps++;
      if (control->dynamic_scale && ++control->n_good_steps >= PRISM_CUDA_STEPS_TO_DOUBLE)
        {
          control->n_good_steps = 0;
          if (control->loss_scale < PRISM_CUDA_CONTROL_MAX_LOSS_SCALE)
            control->loss_scale *= 2.0f;
        }
    }
  control->done = result->below_threshold;
  control->decided = 0;
  control->cursor++;
  prism_cuda_control_clear_step (control);
}
