/* prism-cuda-terms: a step's terms become views, and what the views' pixels left its losses. Each
 * is work for one more block of a kernel that has to run anyway. */
#pragma once

#include "prism-cuda-kernel.cuh"
#include "prism-cuda-optics.h"

#define PRISM_CUDA_TERMS_EPSILON 1e-8   /* of the losses' normalisers */

/* Σ of the loss's function of the target: the loss of a black image, and the normaliser. */
static __device__ __forceinline__ double
prism_cuda_terms_get_target_loss (const PrismCudaSlot &slot,
                                  const PrismCudaTerms &terms)
{
  const bool intensity = terms.domain == PRISM_CUDA_DOMAIN_INTENSITY;

  if (terms.loss == PRISM_CUDA_LOSS_L2 || terms.loss == PRISM_CUDA_LOSS_MISFIT)
    return intensity ? slot.sum_fourths : slot.sum_squares;
  return intensity ? slot.sum_squares : slot.sum;
}

static __device__ __forceinline__ PrismCudaOpticsView
prism_cuda_terms_get_view (const PrismCudaOptics &optics,
                           const PrismCudaTerms &terms,
                           const PrismCudaTerm &term)
{
  const double n_pixels = (double) optics.image_size * optics.image_size;
  const PrismCudaSlot slot = terms.slots[term.slot];
  const double sum = prism_cuda_terms_get_target_loss (slot, terms);
  const float weight = terms.share * term.weight;
  PrismCudaOpticsView view = PrismCudaOpticsView ();
  double gain;

  view.target = const_cast<float *> (slot.target);
  view.bits = slot.bits;
  view.y0 = slot.y0;
  view.x0 = slot.x0;
  view.height = slot.height;
  view.width = slot.height > 0 ? slot.width : 0;
  if (terms.loss == PRISM_CUDA_LOSS_MISFIT)
    {
      view.factor = weight;
      view.blank = sum * view.factor;
      view.gain = 2.0f * weight;
      view.noise = fmaxf (term.noise, 0.0f);
      view.expect = term.noise < 0.0f ? slot.expect : nullptr;
      return view;
    }
  if (terms.loss > PRISM_CUDA_LOSS_L2)
    {
      /* (1 - similarity)/2, the mean of all pixels. */
      view.factor = weight;
      view.blank = 0.0;
      view.gain = (float) (-0.5 * weight / n_pixels);
      return view;
    }
  view.factor = weight
                / ((terms.normalise ? sum / n_pixels + PRISM_CUDA_TERMS_EPSILON : 1.0) * n_pixels);
  view.blank = sum * view.factor;
  gain = view.factor;
  if (terms.loss == PRISM_CUDA_LOSS_L2)
    gain *= 2.0;
  if (terms.domain == PRISM_CUDA_DOMAIN_INTENSITY)
    gain *= 2.0;
  view.gain = (float) gain;
  return view;
}

/* For one block of at least a warp. Views beyond the step's terms see nothing and cost nothing. */
static __device__ __forceinline__ void
prism_cuda_terms_look_up (const PrismCudaOptics &optics,
                          const PrismCudaTerms &terms)
{
  const PrismCudaStep &step = optics.control->steps[optics.control->cursor];
  const int i = threadIdx.x;

  if (i < step.n_terms)
    terms.views[i] = prism_cuda_terms_get_view (optics, terms, step.terms[i]);
  else if (i < PRISM_CUDA_MAX_TERMS)
    terms.views[i] = PrismCudaOpticsView ();
}

/* For one block of whole warps; scratch [PRISM_CUDA_MAX_TERMS] in shared memory. A warp adds up a
 * view, always in the same order. */
static __device__ __forceinline__ void
prism_cuda_terms_sum_losses (const PrismCudaOptics &optics,
                             const PrismCudaTerms &terms,
                             int n_sums,
                             double *scratch)
{
  const int n_terms = optics.control->steps[optics.control->cursor].n_terms;
  const int lane = threadIdx.x % PRISM_CUDA_WARP;
  double loss_new = 0.0, loss_old = 0.0;

  for (int i = threadIdx.x / PRISM_CUDA_WARP; i < n_terms; i += blockDim.x / PRISM_CUDA_WARP)
    {
      const PrismCudaOpticsView &view = terms.views[i];
      double sum = 0.0;

      for (int j = lane; j < n_sums && view.width > 0; j += PRISM_CUDA_WARP)
        sum += terms.sums[(size_t) i * n_sums + j];
      sum = prism_cuda_sum_warp (sum);
      if (lane == 0)
        scratch[i] = view.width > 0 ? sum * view.factor : view.blank;
    }
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  for (int i = 0; i < n_terms; i++)
    {
      if (i == 0)
        loss_new = scratch[i];
      else
        loss_old += scratch[i];
    }
  if (terms.accumulate)
    {
      loss_new += optics.control->loss_new;
      loss_old += optics.control->loss_old;
    }
  optics.control->loss_new = loss_new;
  optics.control->loss_old = loss_old;
  if (!isfinite (loss_new) || !isfinite (loss_old))
    optics.control->not_finite = 1;
}
