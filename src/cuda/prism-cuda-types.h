/* prism-cuda-types: what host code in C and kernels in CUDA share: errors, a slot, and the
 * control of a run, what the kernels of a captured step read and write besides arrays: the steps
 * of the chunk under way, where it stands, and what came out. The control lies in device memory;
 * the graph of a step is captured once, only these values change. glib.h stays out of kernels. */
#pragma once

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>
#include <vector_types.h>

#ifdef __cplusplus
#define PRISM_CUDA_BEGIN_DECLS extern "C" {
#define PRISM_CUDA_END_DECLS }
#else
#define PRISM_CUDA_BEGIN_DECLS
#define PRISM_CUDA_END_DECLS
#endif

/* Returns from the function with what a call reports, unless that is cudaSuccess. */
#define PRISM_CUDA_TRY(call)                        \
  do                                                \
    {                                               \
      const cudaError_t prism_cuda_status = (call); \
                                                    \
      if (prism_cuda_status != cudaSuccess)         \
        return prism_cuda_status;                   \
    }                                               \
  while (0)

PRISM_CUDA_BEGIN_DECLS

typedef float2 PrismCudaComplex;

#define PRISM_CUDA_EXPECT_N_MEANS 258

/* H of a camera with read noise, as prism-expect has it. */
typedef struct
{
  float noise;                          /* v */
  float read;                           /* ρ */
  float offset;                         /* c */
  float pitch;                          /* of √I from one mean to the next */
  float means[PRISM_CUDA_EXPECT_N_MEANS];
} PrismCudaExpect;

/* A measurement bound to a slot; device array [n_slots], written by bind. n = image_size. */
typedef struct
{
  const float *target;                  /* [n][n] amplitude, origin at [0][0]; NULL: unbound */
  const uint8_t *bits;                  /* [height][width], 0 or 1 */
  int32_t y0, x0;                       /* first row and column of the box, centred: -n/2 … n/2-1 */
  int32_t height, width;
  double sum;                           /* Σ t, the normaliser of l1 in the amplitude domain */
  double sum_squares;                   /* Σ t² = Σ I: l2 in amplitude, l1 in intensity, energy */
  double sum_fourths;                   /* Σ t⁴ = Σ I²: l2 in intensity */
  const PrismCudaExpect *expect;        /* of a misfit with read noise; NULL until there was one */
} PrismCudaSlot;

#define PRISM_CUDA_MAX_CHUNK 64
#define PRISM_CUDA_N_SUMS 9             /* what PrismMetricsSums has */
#define PRISM_CUDA_MAX_TERMS 32         /* the new term first, then PRISM_STEP_MAX_OLD old ones */

/* What became of a pass of descent. */
typedef struct
{
  double misfit;                        /* so far */
  float strength;                       /* of the total variation */
  int32_t finite, moved, uphill;
} PrismCudaPass;

/* How a pass of descent ends: what changes from pass to pass. */
typedef struct
{
  double most_misfit;
  double variation;                     /* weight of the total variation, */
  double least_mean;                    /* > 0: divided by the image's mean |∇a|, or by this where
                                         * that is less */
  float step_size;
  float inertia;
} PrismCudaPassEnd;

typedef struct
{
  int32_t slot;
  float weight;                         /* w_j of numerics.md § 8 */
  float noise;                          /* of a misfit: v of an intensity's variance v·I; below 0:
                                         * the slot's expect has it */
} PrismCudaTerm;

/* One step as the trainer wants it: PrismStep, flattened. n_terms = 0 with fit_start. */
typedef struct
{
  int32_t fit_start;
  int32_t with_metrics;
  int32_t update;                       /* 0: gradient only */
  int32_t n_terms;
  double learning_rate;
  double weight_decay;
  double clip_norm;                     /* read by prism_cuda_clip alone */
  double threshold;
  PrismCudaTerm terms[PRISM_CUDA_MAX_TERMS];
} PrismCudaStep;

typedef struct
{
  double loss_new;
  double loss_old;
  double sums[PRISM_CUDA_N_SUMS];       /* PrismMetricsSums; NAN where with_metrics is 0 */
  int32_t below_threshold;
  int32_t skipped;
} PrismCudaResult;

/* One per run. Written by prism_cuda_control_end_step() and prism_cuda_control kernels alone, but
 * for not_finite, losses, metrics and shorten. */
typedef struct
{
  int32_t cursor;                       /* step of the chunk under way */
  int32_t done;                         /* below threshold: the rest of the chunk does nothing */
  int32_t not_finite;                   /* set to 1 by any kernel that meets such a value */
  int32_t no_update;                    /* decided before the update: done, skipped or not wanted */
  int32_t decided;                      /* the step at the cursor; its result is not stored yet */
  uint64_t n_adam_steps;                /* since reset_optimizer */
  /* Adam of this step, as in prism-adam.h. */
  double beta1, beta2;
  float learning_rate, epsilon, correction1, correction2, decay;
  float shorten;                        /* of prism_cuda_clip: what the gradient is multiplied by */
  /* Sums of this step, already weighted and normalised. */
  double loss_new, loss_old;
  double sums[PRISM_CUDA_N_SUMS];       /* PrismMetricsSums */
  PrismCudaPass pass;
  /* Mixed precision with fp16: gradients of the decoder are multiplied by loss_scale. */
  float loss_scale;                     /* 1 in every other mode */
  int32_t dynamic_scale;
  int32_t n_good_steps;                 /* since the scale changed */
  uint64_t n_overflows;                 /* steps skipped by the scale, whole run */
  /* One download after a chunk: from loss_scale to the last result. */
  PrismCudaResult results[PRISM_CUDA_MAX_CHUNK];
  /* One upload before a chunk, or from pass_end on before a part of a pass. */
  PrismCudaPassEnd pass_end;
  PrismCudaStep steps[PRISM_CUDA_MAX_CHUNK];
} PrismCudaControl;

#define PRISM_CUDA_FIRST_LOSS_SCALE 65536.0f
#define PRISM_CUDA_STEPS_TO_DOUBLE 2000

/* prepare: once per run. begin: before the first step of a chunk, at cursor 0. Then in each step,
 * decide: after the losses, sets result, no_update and Adam's constants; may run beside the
 * backward kernels and so leaves not_finite alone. The update does nothing with no_update or
 * not_finite. After it prism_cuda_control_end_step() moves the loss scale, stores the result and
 * begins the next step: the first kernel of that one calls it, and advance after the last of a
 * chunk. All are one thread; decide and the end of a step do nothing once done is set. */
cudaError_t prism_cuda_control_prepare (PrismCudaControl *control,
                                        int               dynamic_scale,
                                        cudaStream_t      stream);
cudaError_t prism_cuda_control_begin   (PrismCudaControl *control,
                                        cudaStream_t      stream);
cudaError_t prism_cuda_control_decide  (PrismCudaControl *control,
                                        cudaStream_t      stream);
cudaError_t prism_cuda_control_advance (PrismCudaControl *control,
                                        cudaStream_t      stream);
/* Instead of the two before where a step has no update: adds both losses to sum (device), moves
 * the cursor. */
cudaError_t prism_cuda_control_collect (PrismCudaControl *control,
                                        double           *sum,
                                        cudaStream_t      stream);

PRISM_CUDA_END_DECLS
