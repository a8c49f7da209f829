/* What the tests of the CUDA telescope share: the telescope beside its twin on the CPU, with the
 * same measurements in their slots.
 *
 * n = image_size, m = object_size. */
#pragma once

#include "../engine/support/test-mask.h"
#include "test-cuda-common.h"

#include "base/prism-random.h"
#include "cpu/prism-cpu-telescope.h"
#include "prism-cuda-backend.h"
#include "prism-test.h"

#define N_SLOTS PRISM_CUDA_MAX_TERMS

typedef struct
{
  int n;
  int m;
  PrismPool *pool;
  PrismCpuTelescope *twin;
  PrismCudaArena *arena;
  PrismCudaControl *control;            /* device */
  PrismCudaTelescope *telescope;
  void *image;                          /* device [m][m] */
  void *gradient;                       /* device [m][m] */
  PrismMask *masks[N_SLOTS];
} Fixture;

static inline Fixture *
fixture_new (int n,
             int m)
{
  const PrismBackendSpec spec = {
    .image_size = n,
    .object_size = m,
    .n_slots = N_SLOTS,
  };
  Fixture *self = own (g_new0 (Fixture, 1));
  g_autofree PrismCudaComplex *roots = g_new (PrismCudaComplex, n);

  self->n = n;
  self->m = m;
  self->pool = OWN (prism_pool_free, MUST (prism_pool_new (1, &error)));
  self->twin = OWN (prism_cpu_telescope_free,
                    MUST (prism_cpu_telescope_new (n, m, N_SLOTS, self->pool, &error)));
  self->arena = OWN (prism_cuda_arena_free, prism_cuda_arena_new ());
  prism_cuda_arena_add_array (self->arena, (void **) &self->control, sizeof *self->control);
  self->telescope = own (prism_cuda_telescope_new (&spec, self->arena, &self->control));
  MUST (prism_cuda_arena_allocate (self->arena, &error));
  prism_cuda_fft_fill_table (roots, n);
  assert_cuda (
      cudaMemcpy (self->telescope->roots, roots, n * sizeof *roots, cudaMemcpyHostToDevice));
  self->image = new_device_array (NULL, (gsize) m * m * sizeof (float));
  self->gradient = new_device_array (NULL, (gsize) m * m * sizeof (float));
  return self;
}

/* amplitude [n][n] in natural order; takes the mask. */
static inline void
bind (Fixture *self,
      guint index,
      PrismMask *mask,
      const float *amplitude)
{
  const int n = self->n;
  g_autofree float *rolled = g_new (float, n *n);
  float *twin = own (g_new (float, n *n));
  PrismCudaSlot slot = { .y0 = mask->y0, .x0 = mask->x0, .height = mask->height };

  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      {
        double t = amplitude[y * n + x];

        rolled[((y + n / 2) % n) * n + (x + n / 2) % n] = amplitude[y * n + x];
        slot.sum += t;
        slot.sum_squares += t * t;
        slot.sum_fourths += t * t * t * t;
      }
  self->masks[index] = OWN (prism_mask_unref, mask);
  prism_cpu_telescope_load_target (self->twin, mask, amplitude, twin);
  g_assert_true (prism_cpu_telescope_bind (self->twin, index, mask, twin, NULL, NULL));

  slot.width = mask->width;
  slot.target = new_device_array (rolled, (gsize) n * n * sizeof *rolled);
  if (mask->height > 0)
    slot.bits = new_device_array (mask->bits, (gsize) mask->height * mask->width);
  assert_cuda (cudaMemcpy (self->telescope->slots + index, &slot,
                           sizeof slot, cudaMemcpyHostToDevice));
}

/* The step as the only one of a chunk. */
static inline void
upload_step (Fixture *self,
             const PrismStep *step)
{
  PrismCudaControl control = { 0 };
  PrismCudaStep *uploaded = &control.steps[0];

  uploaded->fit_start = step->fit_start;
  uploaded->update = TRUE;
  uploaded->n_terms = step->fit_start ? 0 : 1 + step->n_old;
  for (guint i = 0; i < (guint) uploaded->n_terms; i++)
    {
      const PrismTerm *term = i == 0 ? &step->new_term : &step->old_terms[i - 1];

      uploaded->terms[i] = (PrismCudaTerm) { term->slot, term->weight };
    }
  control.loss_new = control.loss_old = NAN;
  assert_cuda (cudaMemcpy (self->control, &control, sizeof control, cudaMemcpyHostToDevice));
}

static inline PrismCudaShape
get_shape (Fixture *self,
           const PrismStep *step)
{
  PrismCudaShape shape = {
    .fit_start = step->fit_start,
    .loss = step->loss,
    .domain = step->domain,
    .normalise = step->normalise,
    .n_terms = step->fit_start ? 0 : 1 + step->n_old,
  };

  memcpy (shape.weights, step->weights, sizeof shape.weights);
  for (guint i = 0; i < shape.n_terms; i++)
    {
      const PrismTerm *term = i == 0 ? &step->new_term : &step->old_terms[i - 1];
      const PrismMask *mask = self->masks[term->slot];

      shape.max_height = MAX (shape.max_height, mask->height);
      shape.max_width = MAX (shape.max_width, mask->width);
    }
  return shape;
}

/* gradient [m][m] on the host; result: losses, and skipped where the device met something that is
 * not finite. */
static inline void
compute (Fixture *self,
         const PrismStep *step,
         const float *image,
         float *gradient,
         PrismStepResult *result)
{
  const gsize n_bytes = (gsize) self->m * self->m * sizeof (float);
  const PrismCudaShape shape = get_shape (self, step);

  upload_step (self, step);
  assert_cuda (cudaMemcpy (self->image, image, n_bytes, cudaMemcpyHostToDevice));
  assert_cuda (cudaMemset (self->gradient, 0xff, n_bytes));
  assert_cuda (prism_cuda_telescope_compute_gradient (self->telescope, &shape, self->image,
                                                      self->gradient, NULL));
  assert_cuda (cudaMemcpy (gradient, self->gradient, n_bytes, cudaMemcpyDeviceToHost));
  PrismCudaControl *control = dup_device_array (self->control, sizeof *control);
  *result = (PrismStepResult) {
    .loss_new = control->loss_new,
    .loss_old = control->loss_old,
    .skipped = control->not_finite,
  };
}

/* A target at random, as bright as what an image at random gives. */
static inline void
bind_random (Fixture *self,
             guint index,
             PrismMask *mask)
{
  const int n_pixels = self->n * self->n;
  float *amplitude = new_random_floats (n_pixels, 100 + index);

  for (int i = 0; i < n_pixels; i++)
    amplitude[i] *= 0.3f;
  bind (self, index, mask, amplitude);
}
