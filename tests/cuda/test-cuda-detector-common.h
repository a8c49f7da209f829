/* What the tests of the CUDA detector share: one beside a telescope on the CPU, its twin.
 *
 * n = image_size, m = object_size. Targets have their origin at [0][0]. */
#pragma once

#include "../engine/support/test-mask.h"
#include "test-cuda-common.h"

#include "base/prism-random.h"
#include "cpu/prism-cpu-telescope.h"
#include "prism-cuda-backend.h"
#include "prism-cuda-memory.h"
#include "prism-test.h"

#define N_SLOTS 8

typedef struct
{
  int n;
  int m;
  PrismCudaArena *arena;
  PrismCudaControl *control;            /* device, as the next five */
  float *image;                         /* [m][m] */
  float *target;                        /* [n][n] */
  float *targets;                       /* [N_SLOTS][n][n] */
  PrismCudaSlot *slots;                 /* [N_SLOTS] */
  double *sums;                         /* [3] */
  PrismCudaTelescope *detector;

  PrismPool *pool;
  PrismCpuTelescope *telescope;
  const PrismMask *masks[N_SLOTS];       /* the telescope keeps them */
  float *cpu_targets[N_SLOTS];          /* [n][n] in the telescope's order */
} Fixture;

static inline Fixture *
fixture_new (int n,
             int m)
{
  const PrismBackendSpec spec = { .image_size = n, .object_size = m, .n_slots = N_SLOTS };
  const gsize target = (gsize) n * n * sizeof (float);
  Fixture *self = own (g_new0 (Fixture, 1));
  g_autofree PrismCudaComplex *roots = g_new (PrismCudaComplex, n);

  self->n = n;
  self->m = m;
  self->arena = OWN (prism_cuda_arena_free, prism_cuda_arena_new ());
  self->detector = own (prism_cuda_telescope_new (&spec, self->arena, &self->control));
  prism_cuda_arena_add_array (self->arena, (void **) &self->control, sizeof *self->control);
  prism_cuda_arena_add_array (self->arena, (void **) &self->image, m * m * sizeof (float));
  prism_cuda_arena_add_array (self->arena, (void **) &self->target, target);
  prism_cuda_arena_add_array (self->arena, (void **) &self->targets, N_SLOTS * target);
  prism_cuda_arena_add_array (self->arena, (void **) &self->slots, N_SLOTS * sizeof *self->slots);
  prism_cuda_arena_add_array (self->arena, (void **) &self->sums, 3 * sizeof *self->sums);
  MUST (prism_cuda_arena_allocate (self->arena, &error));
  prism_cuda_fft_fill_table (roots, n);
  assert_cuda (
      cudaMemcpy (self->detector->roots, roots, n * sizeof *roots, cudaMemcpyHostToDevice));

  self->pool = OWN (prism_pool_free, MUST (prism_pool_new (1, &error)));
  self->telescope = OWN (prism_cpu_telescope_free,
                         MUST (prism_cpu_telescope_new (n, m, N_SLOTS, self->pool, &error)));
  g_test_queue_destroy (wait_for_device, NULL);
  return self;
}

static inline gsize
fixture_get_target_bytes (Fixture *self)
{
  return (gsize) self->n * self->n * sizeof (float);
}

static inline float *
fixture_load_image (Fixture *self,
                    const float *image)
{
  assert_cuda (cudaMemcpy (self->image, image, self->m * self->m * sizeof *image,
                           cudaMemcpyHostToDevice));
  return self->image;
}

static inline void
fixture_set_object (Fixture *self,
                    const float *object)
{
  assert_cuda (cudaMemcpy (self->detector->object, object, self->m * self->m * sizeof *object,
                           cudaMemcpyHostToDevice));
  g_assert_true (prism_cpu_telescope_set_object (self->telescope, object, NULL));
}

static inline PrismCudaSlot
make_slot (const PrismMask *mask,
           const void *bits,
           const float *target)
{
  return (PrismCudaSlot) {
    .target = target,
    .bits = bits,
    .y0 = mask->y0,
    .x0 = mask->x0,
    .height = mask->height,
    .width = mask->width,
  };
}

/* On the device; image NULL: the object. */
static inline float *
fixture_measure (Fixture *self,
                 const PrismMask *mask,
                 const float *image)
{
  const gsize n_bits = (gsize) mask->height * mask->width;
  void *bits = n_bits > 0 ? new_device_array (mask->bits, n_bits) : NULL;
  const PrismCudaOpticsView view
      = { NULL, bits, mask->y0, mask->x0, mask->height, n_bits > 0 ? mask->width : 0 };

  assert_cuda (cudaMemcpy (self->detector->views, &view, sizeof view, cudaMemcpyHostToDevice));
  assert_cuda (prism_cuda_telescope_measure (
      self->detector, view.width,
      image != NULL ? fixture_load_image (self, image) : self->detector->object, self->target,
      NULL));
  return dup_device_array (self->target, fixture_get_target_bytes (self));
}

/* A target of the CPU's telescope in the device's order. */
static inline float *
fixture_dup_cpu_target (Fixture *self,
                        const PrismMask *mask,
                        const float *cpu_target)
{
  g_autofree float *natural = g_malloc (fixture_get_target_bytes (self));
  float *target = own (g_malloc (fixture_get_target_bytes (self)));

  prism_cpu_telescope_read_target (self->telescope, mask, cpu_target, natural);
  roll (target, natural, self->n);
  return target;
}

/* The twin of fixture_measure(). */
static inline float *
fixture_measure_on_cpu (Fixture *self,
                        const PrismMask *mask,
                        const float *image)
{
  g_autofree float *target = g_malloc (fixture_get_target_bytes (self));

  prism_cpu_telescope_measure (self->telescope, mask, image, target);
  return fixture_dup_cpu_target (self, mask, target);
}

/* A measurement of an image, in this slot of both; exposed with noise where snr is not 0. */
static inline void
fixture_bind (Fixture *self,
              guint i,
              const PrismMask *mask,
              const float *image,
              double snr)
{
  const PrismExposure exposure = { .snr = snr, .seed = 3, .sample = i };
  const gsize n_bits = (gsize) mask->height * mask->width;
  float *target = self->targets + i * fixture_get_target_bytes (self) / sizeof (float);
  PrismCudaSlot slot
      = make_slot (mask, n_bits > 0 ? new_device_array (mask->bits, n_bits) : NULL, target);
  float *ordered = self->cpu_targets[i] = own (g_malloc (fixture_get_target_bytes (self)));

  self->masks[i] = mask;
  prism_cpu_telescope_measure (self->telescope, mask, image, self->cpu_targets[i]);
  if (mask->height > 0)
    prism_cpu_telescope_expose (self->telescope, mask, &exposure, self->cpu_targets[i],
                                self->cpu_targets[i]);
  g_assert_true (prism_cpu_telescope_bind (self->telescope, i, mask, self->cpu_targets[i], NULL,
                                           NULL));
  if (mask->height > 0)
    ordered = fixture_dup_cpu_target (self, mask, self->cpu_targets[i]);
  for (gsize k = 0; k < fixture_get_target_bytes (self) / sizeof (float); k++)
    slot.sum_squares += (double) ordered[k] * (double) ordered[k];
  assert_cuda (cudaMemcpy (target, ordered, fixture_get_target_bytes (self),
                           cudaMemcpyHostToDevice));
  assert_cuda (cudaMemcpy (self->slots + i, &slot, sizeof slot, cudaMemcpyHostToDevice));
}

static inline PrismMask *
new_aperture (int n,
              int shape,
              double y,
              double x,
              double radius)
{
  const PrismAperture aperture = {
    .shape = shape,
    .radius = radius,
    .obscuration = 0.4,
    .vanes = 3,
    .vane_width = 1.5,
  };

  return prism_aperture_get_mask (&aperture, n, y, x);
}
