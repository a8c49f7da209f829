/* What the tests of the CUDA table share: one small problem that any table can be given.
 *
 * n = image_size, m = object_size, P = number of parameters. */
#pragma once

#include "backend/prism-backend.h"
#include "base/prism-random.h"
#include "prism-test.h"

#include <math.h>
#include <string.h>

#ifndef PROBLEM_IMAGE
#define PROBLEM_IMAGE 64
#define PROBLEM_OBJECT 16
#endif
#define PROBLEM_SAMPLES 5
#define PROBLEM_SLOTS (PROBLEM_SAMPLES + 1)
#define PROBLEM_PIXELS (PROBLEM_OBJECT * PROBLEM_OBJECT)
#define PROBLEM_PLANE (PROBLEM_IMAGE * PROBLEM_IMAGE)

typedef struct
{
  const PrismBackendOps *ops;
  PrismBackend *backend;
  PrismMask *masks[PROBLEM_SAMPLES];
  PrismBuffer *buffers[PROBLEM_SAMPLES];
} Problem;

static inline float *
problem_dup_random (gsize n_values,
                    guint64 seed)
{
  float *values = g_new (float, n_values);

  for (gsize i = 0; i < n_values; i++)
    values[i] = (float) prism_random_uniform (seed, 0, 0, i);
  return values;
}

/* Bright blobs: something a telescope could see. [m][m] */
static inline float *
problem_dup_object (void)
{
  float *object = g_new (float, PROBLEM_PIXELS);

  for (int y = 0; y < PROBLEM_OBJECT; y++)
    for (int x = 0; x < PROBLEM_OBJECT; x++)
      {
        double v = y * 32.0 / PROBLEM_OBJECT, u = x * 32.0 / PROBLEM_OBJECT;
        double a = hypot (v - 12.0, u - 10.0), b = hypot (v - 20.0, u - 22.0);

        object[y * PROBLEM_OBJECT + x] = (float) (0.1 + 0.8 * exp (-a * a / 30.0)
                                                  + 0.5 * exp (-b * b / 12.0));
      }
  return object;
}

static inline PrismBackendSpec
problem_make_spec (void)
{
  PrismBackendSpec spec = { .image_size = PROBLEM_IMAGE,
                            .object_size = PROBLEM_OBJECT,
                            .n_slots = PROBLEM_SLOTS,
                            .n_threads = 1 };

  MUST (prism_decoder_plan_init (&spec.decoder, PROBLEM_IMAGE, PROBLEM_OBJECT, PRISM_EDGE_SAME,
                                 &error));
  return spec;
}

static inline void
problem_make_masks (Problem *self)
{
  static const double centers[PROBLEM_SAMPLES][2] = {
    { 0, 0 }, { 5, 3 }, { -6, 4 }, { 2, -7 }, { -28, 27 },
  };
  PrismAperture aperture = { .shape = PRISM_SHAPE_DISK };
  double scale = PROBLEM_IMAGE / 64.0;

  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    {
      aperture.radius = scale * (6.0 + i);
      self->masks[i] = prism_aperture_get_mask (&aperture, PROBLEM_IMAGE, scale * centers[i][0],
                                                scale * centers[i][1]);
    }
}

static inline gboolean
problem_set_up (Problem *self,
                GError **error)
{
  gsize n_parameters = self->backend->spec.decoder.n_parameters;
  g_autofree float *object = problem_dup_object (), *start = problem_dup_random (PROBLEM_PIXELS, 2);
  g_autofree float *parameters = g_new (float, n_parameters);

  prism_decoder_plan_initialise (&self->backend->spec.decoder, 7, parameters);
  if (!self->ops->set_object (self->backend, object, error))
    return FALSE;
  self->ops->set_start_image (self->backend, start);
  self->ops->set_parameters (self->backend, parameters);
  self->ops->reset_optimizer (self->backend);
  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    {
      double energy;

      self->buffers[i] = self->ops->measure (self->backend, self->masks[i], error);
      if (self->buffers[i] == NULL
          || !self->ops->bind (self->backend, i, self->masks[i], self->buffers[i], &energy, error))
        return FALSE;
    }
  return self->ops->finish (self->backend, error);
}

static inline void
problem_close (Problem *self)
{
  for (guint i = 0; i < PROBLEM_SAMPLES; i++)
    {
      g_clear_pointer (&self->buffers[i], prism_buffer_unref);
      g_clear_pointer (&self->masks[i], prism_mask_unref);
    }
  g_clear_pointer (&self->backend, prism_backend_free);
}

/* Opens the table for what is wanted and puts the problem before it. */
static inline gboolean
problem_try_open_spec (Problem *self,
                       const PrismBackendOps *ops,
                       const PrismBackendSpec *spec,
                       GError **error)
{
  memset (self, 0, sizeof *self);
  self->ops = ops;
  problem_make_masks (self);
  self->backend = ops->open (spec, error);
  return self->backend != NULL && problem_set_up (self, error);
}

static inline Problem
problem_new_spec (const PrismBackendOps *ops,
                  const PrismBackendSpec *spec)
{
  Problem self;

  MUST (problem_try_open_spec (&self, ops, spec, &error));
  return self;
}

static inline gboolean
problem_try_open (Problem *self,
                  const PrismBackendOps *ops,
                  GError **error)
{
  PrismBackendSpec spec = problem_make_spec ();

  return problem_try_open_spec (self, ops, &spec, error);
}

static inline Problem
problem_new (const PrismBackendOps *ops)
{
  const PrismBackendSpec spec = problem_make_spec ();

  return problem_new_spec (ops, &spec);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Problem, problem_close)

/* Step number i of a run: a new measurement and n_old earlier ones in turn. */
static inline PrismStep
problem_make_step (guint i,
                   guint n_old)
{
  PrismStep step = { .loss = PRISM_LOSS_L1, .normalise = TRUE, .learning_rate = 2e-3 };

  step.new_term = (PrismTerm) { i % PROBLEM_SAMPLES, 1.0f };
  step.n_old = n_old;
  for (guint k = 0; k < n_old; k++)
    step.old_terms[k] = (PrismTerm) { (i * 3 + k + 1) % PROBLEM_SAMPLES, 0.5f + 0.1f * k };
  step.with_metrics = i % 10 == 9;
  return step;
}

static inline void
problem_make_steps (PrismStep *steps,
                    guint n_steps)
{
  for (guint i = 0; i < n_steps; i++)
    steps[i] = problem_make_step (i, i % 3);
}

static inline float *
problem_dup_parameters (Problem *self)
{
  float *parameters = g_new0 (float, self->backend->spec.decoder.n_parameters);

  self->ops->get_parameters (self->backend, parameters);
  return parameters;
}

static inline void
problem_finish (Problem *self)
{
  MUST (self->ops->finish (self->backend, &error));
}

/* All that a run leaves behind: parameters and both moments [3][P]. */
static inline float *
problem_dup_state (Problem *self)
{
  gsize n = self->backend->spec.decoder.n_parameters;
  float *state = g_new0 (float, 3 * n);
  guint64 n_steps;

  self->ops->get_parameters (self->backend, state);
  self->ops->get_moments (self->backend, state + n, state + 2 * n, NULL, &n_steps);
  problem_finish (self);
  return state;
}

static inline void
problem_read_buffer (Problem *self,
             PrismBuffer *buffer,
             guint i,
             float *amplitude)
{
  self->ops->read_buffer (self->backend, buffer, self->masks[i], amplitude);
  problem_finish (self);
}

static inline double
problem_bind_again (Problem *self,
            guint i)
{
  double energy = NAN;

  MUST (self->ops->bind (self->backend, i, self->masks[i], self->buffers[i], &energy, &error));
  return energy;
}

static inline gsize
problem_get_state_bytes (Problem *self)
{
  return 3 * self->backend->spec.decoder.n_parameters * sizeof (float);
}
