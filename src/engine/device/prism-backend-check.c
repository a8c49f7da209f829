#include "config.h"

#include "device/prism-backend-check.h"

#include "base/prism-error.h"
#include "base/prism-random.h"
#include "base/prism-worst.h"
#include "cpu/prism-cpu-backend.h"

#include <math.h>

/* Dimensions of this file: n = 64, m = 16, P = number of parameters. */

#define N 64
#define M 16
#define N_STEPS 2
#define SEED 1
#define SNR 30.0

static const char *const number_names[] = {
  "energy of a noisy image",
  "energy of an image",
  "loss of the new image",
  "loss of the old image",
  "loss of the new image after a step",
  "loss of the old image after a step",
  "PSNR",
  "residual of ePIE",
  "misfit",
};

#define N_NUMBERS G_N_ELEMENTS (number_names)

/* Everything that a run asks of a device, once. */
typedef struct
{
  float spectrum[N * N];
  float detector[N * N]; /* with noise */
  float output[M * M];
  float epie[M * M];
  float slope[M * M + 1]; /* of the refinement's misfit, which is last */
  float *gradient;        /* [P] */
  gsize n_parameters;
  float numbers[N_NUMBERS];
} Outcome;

typedef struct
{
  const char *name;
  const float *expected;
  const float *values;
  gsize n_values;
  double tolerance; /* of the largest difference, relative to the largest expected magnitude */
} Comparison;

static void
outcome_clear (Outcome *self)
{
  g_free (self->gradient);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outcome, outcome_clear)

static PrismBackend *
open_device (const PrismBackendOps *ops,
             GError **error)
{
  PrismBackendSpec spec = { .image_size = N, .object_size = M, .n_slots = 3, .n_threads = 1 };
  g_autoptr (PrismBackend) backend = NULL;
  g_autofree float *parameters = NULL;
  float object[M * M];

  if (!prism_decoder_plan_init (&spec.decoder, N, M, PRISM_EDGE_SAME, error))
    return NULL;
  backend = ops->open (&spec, error);
  if (backend == NULL)
    return NULL;
  for (int i = 0; i < M * M; i++)
    object[i] = (float) prism_random_uniform (SEED, PRISM_STREAM_OBJECT, 0, i);
  if (!ops->set_object (backend, object, error))
    return NULL;
  parameters = g_new (float, spec.decoder.n_parameters);
  prism_decoder_plan_initialise (&spec.decoder, SEED, parameters);
  ops->set_parameters (backend, parameters);
  ops->reset_optimizer (backend);
  return g_steal_pointer (&backend);
}

/* Slot 0: with noise, in the middle; 1: noise-free, off the axis; 2: the decoder's own image. */
static gboolean
measure (PrismBackend *backend,
         Outcome *outcome,
         GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const PrismExposure exposure = { .snr = SNR, .seed = SEED, .sample = 0 };
  const PrismAperture aperture = { .shape = PRISM_SHAPE_DISK, .radius = 9.0 };
  g_autoptr (PrismMask) middle = prism_aperture_get_mask (&aperture, N, 0.0, 0.0);
  g_autoptr (PrismMask) aside = prism_aperture_get_mask (&aperture, N, 6.0, -11.0);
  g_autoptr (PrismBuffer) clean = ops->measure (backend, middle, error);
  g_autoptr (PrismBuffer) noisy = NULL, other = NULL;
  double energies[2] = { 0.0, 0.0 };

  if (clean == NULL)
    return FALSE;
  noisy = ops->expose (backend, clean, middle, &exposure, error);
  if (noisy == NULL)
    return FALSE;
  other = ops->measure (backend, aside, error);
  if (other == NULL || !ops->bind (backend, 0, middle, noisy, &energies[0], error)
      || !ops->bind (backend, 1, aside, other, &energies[1], error)
      || !ops->hold (backend, 2, aside, error))
    return FALSE;
  ops->read_buffer (backend, noisy, middle, outcome->detector);
  outcome->numbers[0] = (float) energies[0];
  outcome->numbers[1] = (float) energies[1];
  return TRUE;
}

static PrismStep
make_step (void)
{
  /* The square is smooth: rounding cannot turn a sign around, as it can with l1. */
  return (PrismStep) {
    .loss = PRISM_LOSS_L2,
    .domain = PRISM_DOMAIN_AMPLITUDE,
    .normalise = TRUE,
    .new_term = { 0, 1.0f },
    .n_old = 1,
    .old_terms = { { 1, 0.5f } },
    .learning_rate = 1e-3,
    .with_metrics = TRUE,
  };
}

static gboolean
train (PrismBackend *backend,
       Outcome *outcome,
       GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const PrismStep step = make_step ();
  PrismStep steps[N_STEPS] = { step, step };
  PrismStepResult results[N_STEPS] = { 0 }, first;

  outcome->n_parameters = backend->spec.decoder.n_parameters;
  outcome->gradient = g_new0 (float, outcome->n_parameters);
  ops->compute_gradient (backend, &step, &first);
  ops->get_gradient (backend, outcome->gradient);
  ops->read_image (backend, PRISM_SOURCE_DECODER, outcome->output);
  ops->train (backend, steps, N_STEPS, results);
  outcome->numbers[2] = (float) first.loss_new;
  outcome->numbers[3] = (float) first.loss_old;
  outcome->numbers[4] = (float) results[1].loss_new;
  outcome->numbers[5] = (float) results[1].loss_old;
  outcome->numbers[6] = (float) results[0].metrics.psnr;
  return ops->finish (backend, error);
}

static gboolean
iterate (PrismBackend *backend,
         Outcome *outcome,
         GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const guint slots[] = { 0, 1, 2 };
  double residual = 0.0, power = 1.0;

  ops->compute_misfit (backend, outcome->output, slots, G_N_ELEMENTS (slots), &residual, &power);
  outcome->numbers[8] = (float) (residual / power);
  ops->epie_start (backend, NULL);
  ops->epie_update (backend, 0, 1.0);
  ops->epie_update (backend, 1, 1.0);
  ops->epie_project (backend);
  ops->epie_collect (backend, &residual, &power);
  ops->read_image (backend, PRISM_SOURCE_EPIE, outcome->epie);
  outcome->numbers[7] = (float) (residual / power);
  return ops->finish (backend, error);
}

/* Nothing where the device leaves the refinement to ePIE. */
static gboolean
refine (PrismBackend *backend,
        Outcome *outcome,
        GError **error)
{
  const PrismMisfitTerm terms[] = { { 0, 0.5f, 1e-4f }, { 1, 1.0f, 0.0f } };
  double misfit = 0.0;

  if (backend->ops->add_misfit_gradient == NULL)
    return TRUE;
  backend->ops->add_misfit_gradient (backend, outcome->output, terms, G_N_ELEMENTS (terms),
                                     outcome->slope, &misfit);
  outcome->slope[M * M] = (float) misfit;
  return backend->ops->finish (backend, error);
}

static gboolean
run (const PrismBackendOps *ops,
     Outcome *outcome,
     GError **error)
{
  g_autoptr (PrismBackend) backend = open_device (ops, error);

  if (backend == NULL)
    return FALSE;
  ops->get_spectrum (backend, outcome->spectrum);
  return measure (backend, outcome, error) && train (backend, outcome, error)
         && iterate (backend, outcome, error) && refine (backend, outcome, error);
}

static gboolean
compare (const Comparison *comparison,
         GError **error)
{
  double difference = 0.0, largest = 0.0;

  for (gsize i = 0; i < comparison->n_values; i++)
    {
      double distance = fabs ((double) comparison->values[i] - comparison->expected[i]);

      difference = prism_worst (difference, distance);
      largest = prism_worst (largest, fabs (comparison->expected[i]));
    }
  if (isfinite (largest) && difference <= comparison->tolerance * largest)
    return TRUE;
  if (isinf (difference))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "In the self-test the device's %s was not finite.", comparison->name);
      return FALSE;
    }
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "In the self-test the device's %s differed from the CPU's by a part of %.1e; %.0e is"
               " allowed.",
               comparison->name, difference / largest, comparison->tolerance);
  return FALSE;
}

/**
 * prism_backend_check:
 * @ops: a device
 *
 * The self-test: lets the CPU and the device do one tiny task with everything in it that a run
 * needs, in single precision, and compares what comes out.
 *
 * Errors: PRISM_ERROR_BACKEND when it differs; what the device reports.
 *
 * Returns: whether the device can be trusted
 */
gboolean
prism_backend_check (const PrismBackendOps *ops,
                     GError **error)
{
  g_auto (Outcome) cpu = { 0 }, device = { 0 };
  const Comparison comparisons[] = {
    { "spectrum", cpu.spectrum, device.spectrum, N * N, 1e-5 },
    { "noisy image", cpu.detector, device.detector, N * N, 1e-4 },
    { "decoder output", cpu.output, device.output, M * M, 1e-4 },
    { "image of ePIE", cpu.epie, device.epie, M * M, 1e-3 },
    { "slope of the misfit", cpu.slope, device.slope,
      ops->add_misfit_gradient != NULL ? M * M + 1 : 0, 1e-3 },
  };
  gboolean equal = run (&prism_cpu_backend_ops, &cpu, error) && run (ops, &device, error);

  for (gsize i = 0; equal && i < G_N_ELEMENTS (comparisons); i++)
    equal = compare (&comparisons[i], error);
  for (gsize i = 0; equal && i < N_NUMBERS; i++)
    {
      const Comparison number = { number_names[i], &cpu.numbers[i], &device.numbers[i], 1, 1e-3 };
      equal = compare (&number, error);
    }
  if (equal)
    {
      const Comparison gradient = { "gradient", cpu.gradient, device.gradient, cpu.n_parameters,
                                    1e-3 };
      equal = compare (&gradient, error);
    }
  return equal;
}

/**
 * prism_backend_check_memory:
 * @ops: a device
 *
 * Asks the device how much memory it could give. It may take a second, for the driver.
 *
 * Units: bytes.
 *
 * Returns: the amount, 0 where the device cannot be opened
 */
guint64
prism_backend_check_memory (const PrismBackendOps *ops)
{
  g_autoptr (PrismBackend) backend = open_device (ops, NULL);
  PrismMemoryUse memory = { 0 };

  if (backend != NULL)
    ops->get_memory (backend, &memory);
  return memory.available;
}
