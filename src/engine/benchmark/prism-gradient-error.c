#include "config.h"

#include "benchmark/prism-gradient-error.h"

#include "base/prism-error.h"

/* Dimensions of this file: m = object_size, P = number of parameters. */

#define RADIUS 0.5 /* of the aperture, in sizes of the object */

/* One measurement on the axis. The square is smooth: rounding cannot turn a sign around. */
static gboolean
get_gradient (PrismBackend *backend,
              const PrismImage *object,
              const float *parameters,
              float *gradient,
              GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const PrismAperture aperture
      = { .shape = PRISM_SHAPE_DISK, .radius = RADIUS * backend->spec.object_size };
  const PrismStep step = { .loss = PRISM_LOSS_L2,
                           .domain = PRISM_DOMAIN_AMPLITUDE,
                           .normalise = TRUE,
                           .new_term = { 0, 1.0f } };
  g_autoptr (PrismMask) mask
      = prism_aperture_get_mask (&aperture, backend->spec.image_size, 0.0, 0.0);
  g_autoptr (PrismBuffer) frame = NULL;
  PrismStepResult result;
  double energy;

  if (mask == NULL)
    return prism_error_memory (error, "Not enough memory for an aperture.");
  if (!ops->set_object (backend, object->pixels, error))
    return FALSE;
  ops->set_parameters (backend, parameters);
  ops->reset_optimizer (backend);
  frame = ops->measure (backend, mask, error);
  if (frame == NULL || !ops->bind (backend, 0, mask, frame, &energy, error))
    return FALSE;
  ops->compute_gradient (backend, &step, &result);
  ops->get_gradient (backend, gradient);
  ops->bind (backend, 0, NULL, NULL, NULL, NULL);
  return ops->finish (backend, error);
}

static double
get_distance (const float *a, const float *reference, gsize n)
{
  double square = 0.0, difference = 0.0;

  for (gsize i = 0; i < n; i++)
    {
      const double d = (double) a[i] - reference[i];

      square += (double) reference[i] * reference[i];
      difference += d * d;
    }
  return square > 0.0 ? sqrt (difference / square) : NAN;
}

static gboolean
run (const PrismBackendOps *ops,
     const PrismBackendSpec *wanted,
     int precision,
     const PrismImage *object,
     const float *parameters,
     float *gradient,
     GError **error)
{
  g_autoptr (PrismBackend) backend = NULL;
  PrismBackendSpec spec = *wanted;

  spec.precision = precision;
  spec.amp = precision != PRISM_PRECISION_FP32;
  spec.n_slots = 2;
  spec.n_line_points = 0;
  backend = ops->open (&spec, error);
  return backend != NULL && get_gradient (backend, object, parameters, gradient, error);
}

/**
 * prism_gradient_error_compute:
 * @ops: the device
 * @spec: of a run, with the precision in question
 * @object: [m][m]
 * @parameters: [P], of the decoder
 * @error_of: (out): the error
 * @error: return location
 *
 * Takes the slope of one measurement's loss in the precision of @spec and in single precision, and
 * finds their distance, relative to the length of the second.
 *
 * Errors: PRISM_ERROR_MEMORY, and those of the device.
 *
 * Returns: whether it was found; @error_of is NAN where there is no slope
 */
gboolean
prism_gradient_error_compute (const PrismBackendOps *ops,
                              const PrismBackendSpec *spec,
                              const PrismImage *object,
                              const float *parameters,
                              double *error_of,
                              GError **error)
{
  const gsize n = spec->decoder.n_parameters;
  g_autofree float *ours = g_try_new (float, n);
  g_autofree float *exact = g_try_new (float, n);

  if (ours == NULL || exact == NULL)
    return prism_error_memory (error, "Not enough memory for a gradient.");
  if (!run (ops, spec, spec->precision, object, parameters, ours, error)
      || !run (ops, spec, PRISM_PRECISION_FP32, object, parameters, exact, error))
    return FALSE;
  *error_of = get_distance (ours, exact, n);
  return TRUE;
}
