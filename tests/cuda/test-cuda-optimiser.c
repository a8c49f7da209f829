/* AMSGrad and the limit of the gradient on the device: against their definition in double, against
 * the CPU, and what they may not change. P = number of parameters. */

#include "../engine/support/naive-decoder.h"
#include "cpu/prism-cpu-backend.h"
#include "cuda-close.h"
#include "cuda-problem.h"
#include "prism-cuda-backend.h"
#include "prism-emulation.h"
#include "prism-test.h"

#define N_STEPS 6
#define RATE 0.01

typedef struct
{
  const char *name;
  gboolean amsgrad;
  double clip_norm, weight_decay;
  float weight; /* of the first step's measurement; later ones have less */
  PrismPrecision precision;
} Variant;

static const Variant variants[] = {
  { "amsgrad", TRUE, 0.0, 0.0, 1.0f },
  { "short", FALSE, 1e-3, 0.0, 1.0f },
  { "long", FALSE, 1e9, 0.0, 1.0f },
  { "all", TRUE, 0.05, 0.3, 1.0f },
  { "wild", FALSE, 0.05, 0.0, 1e12f },
  { "scaled", TRUE, 1e-3, 0.0, 1.0f, PRISM_PRECISION_FP16 },
};

static PrismBackendSpec
make_spec (const Variant *variant)
{
  PrismBackendSpec spec = problem_make_spec ();

  spec.amsgrad = variant->amsgrad;
  spec.clips = variant->clip_norm > 0.0;
  spec.precision = variant->precision;
  spec.amp = variant->precision != PRISM_PRECISION_FP32;
  return spec;
}

static Problem
open_with (const PrismBackendOps *ops,
           const Variant *variant)
{
  PrismBackendSpec spec = make_spec (variant);

  return problem_new_spec (ops, &spec);
}

/* Later gradients are smaller, so that AMSGrad divides by more than Adam. */
static void
make_steps (const Variant *variant,
            PrismStep *steps,
            guint n_steps)
{
  problem_make_steps (steps, n_steps);
  for (guint i = 0; i < n_steps; i++)
    {
      steps[i].loss = PRISM_LOSS_L2; /* smooth: rounding turns no sign around */
      steps[i].learning_rate = RATE;
      steps[i].weight_decay = variant->weight_decay;
      steps[i].clip_norm = variant->clip_norm;
      steps[i].new_term.weight = variant->weight * powf (0.3f, i);
      for (guint k = 0; k < steps[i].n_old; k++)
        steps[i].old_terms[k].weight *= steps[i].new_term.weight;
    }
}

/* Parameters, both moments and the largest: [4][P]. */
static float *
dup_state (Problem *self)
{
  gsize n = self->backend->spec.decoder.n_parameters;
  float *state = g_new0 (float, 4 * n);
  guint64 n_steps;

  self->ops->get_parameters (self->backend, state);
  self->ops->get_moments (self->backend, state + n, state + 2 * n, state + 3 * n, &n_steps);
  problem_finish (self);
  return state;
}

static gsize
get_state_bytes (Problem *self)
{
  return 4 * self->backend->spec.decoder.n_parameters * sizeof (float);
}

/* The gradient is the device's own; what is made of it is checked. */
static void
test_definition (gconstpointer data)
{
  const Variant *variant = data;
  const NaiveAdam adam = { RATE, variant->weight_decay, variant->amsgrad, variant->clip_norm };
  gsize n = problem_make_spec ().decoder.n_parameters;
  g_autofree double *expected = g_new0 (double, 4 * n);
  g_autofree float *gradient = g_new (float, n), *before = NULL, *state = NULL;
  PrismStep steps[N_STEPS];
  PrismStepResult result;

  g_auto (Problem) cuda = open_with (prism_cuda_backend_get_ops (), variant);
  make_steps (variant, steps, N_STEPS);
  before = dup_state (&cuda);
  for (gsize i = 0; i < n; i++)
    expected[i] = before[i];
  for (int i = 0; i < N_STEPS; i++)
    {
      cuda.ops->compute_gradient (cuda.backend, &steps[i], &result);
      cuda.ops->get_gradient (cuda.backend, gradient);
      naive_adam_step (&adam, gradient, i + 1, n, expected);
      g_assert_cmpuint (cuda.ops->train (cuda.backend, &steps[i], 1, &result), ==, 1);
      g_assert_false (result.skipped);
    }
  state = dup_state (&cuda);
  for (int k = 0; k < (variant->amsgrad ? 4 : 3); k++)
    g_assert_cmpfloat (naive_compare (state + k * n, expected + k * n, n), <, 1e-5);
  for (gsize i = 3 * n; i < 4 * n && !variant->amsgrad; i++)
    g_assert_cmpfloat (state[i], ==, 0.0f);
}

/* Few steps: the path of an optimiser is chaotic. */
TEST (twin, "/cuda/optimiser/twin")
{
  const Variant *variant = &variants[3];
  PrismStep steps[3];
  PrismStepResult p[3], q[3];

  g_auto (Problem) cpu = open_with (&prism_cpu_backend_ops, variant);
  g_auto (Problem) cuda = open_with (prism_cuda_backend_get_ops (), variant);
  make_steps (variant, steps, 3);
  gsize n = cpu.backend->spec.decoder.n_parameters;
  g_assert_cmpuint (cpu.ops->train (cpu.backend, steps, 3, p), ==, 3);
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, 3, q), ==, 3);
  for (int i = 0; i < 3; i++)
    g_assert_cmpfloat (fabs (p[i].loss_new - q[i].loss_new), <=, 1e-3 * p[i].loss_new);
  g_autofree float *a = dup_state (&cpu);
  g_autofree float *b = dup_state (&cuda);
  for (int k = 0; k < 4; k++)
    assert_close (a + k * n, b + k * n, n, 1e-2);
}

/* n_steps in chunks. */
static float *
run_in_chunks (const Variant *variant,
               guint n_steps,
               guint chunk)
{
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];

  g_auto (Problem) cuda = open_with (prism_cuda_backend_get_ops (), variant);
  make_steps (variant, steps, n_steps);
  for (guint i = 0; i < n_steps; i += chunk)
    cuda.ops->train (cuda.backend, steps + i, MIN (chunk, n_steps - i), results);
  return dup_state (&cuda);
}

/* The same bits in chunks of any size, in any order that the streams allow, and without graphs. */
TEST (repeats, "/cuda/optimiser/repeats")
{
  const Variant *variant = &variants[3];
  gsize n_bytes = 4 * problem_make_spec ().decoder.n_parameters * sizeof (float);
  g_autofree float *expected = run_in_chunks (variant, N_STEPS, N_STEPS), *other = NULL;

  other = run_in_chunks (variant, N_STEPS, 1);
  g_assert_cmpmem (expected, n_bytes, other, n_bytes);
  for (guint seed = 1; seed <= 4; seed++)
    {
      prism_emulation_set_order (seed);
      g_autofree float *state = run_in_chunks (variant, N_STEPS, 3);
      prism_emulation_set_order (0);
      g_assert_cmpmem (expected, n_bytes, state, n_bytes);
    }
}

/* A run that is saved and restored elsewhere goes on with the same bits. */
TEST (goes_on_after_a_restore, "/cuda/optimiser/restore")
{
  const Variant *variant = &variants[3];
  g_autofree float *expected = run_in_chunks (variant, N_STEPS, N_STEPS);
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];
  gsize n = problem_make_spec ().decoder.n_parameters;

  make_steps (variant, steps, N_STEPS);
  g_auto (Problem) begun = open_with (prism_cuda_backend_get_ops (), variant);
  g_auto (Problem) resumed = open_with (prism_cuda_backend_get_ops (), variant);
  begun.ops->train (begun.backend, steps, 3, results);
  g_autofree float *state = dup_state (&begun);
  resumed.ops->set_parameters (resumed.backend, state);
  resumed.ops->set_moments (resumed.backend, state + n, state + 2 * n, state + 3 * n, 3);
  resumed.ops->train (resumed.backend, steps + 3, N_STEPS - 3, results);
  g_autofree float *end = dup_state (&resumed);
  g_assert_cmpmem (expected, 4 * n * sizeof (float), end, 4 * n * sizeof (float));
}

/* Without any given the largest moments begin at 0, and so does a new optimiser. */
TEST (largest_begins_at_zero, "/cuda/optimiser/largest-begins-at-zero")
{
  const Variant *variant = &variants[0];
  gsize n = problem_make_spec ().decoder.n_parameters;
  g_autofree float *values = problem_dup_random (n, 11);

  g_auto (Problem) cuda = open_with (prism_cuda_backend_get_ops (), variant);
  for (int i = 0; i < 2; i++)
    {
      cuda.ops->set_moments (cuda.backend, values, values, values, 3);
      g_autofree float *full = dup_state (&cuda);
      g_assert_cmpmem (full + 3 * n, n * sizeof (float), values, n * sizeof (float));
      if (i == 0)
        cuda.ops->set_moments (cuda.backend, values, values, NULL, 3);
      else
        cuda.ops->reset_optimizer (cuda.backend);
      g_autofree float *empty = dup_state (&cuda);
      for (gsize k = 3 * n; k < 4 * n; k++)
        g_assert_cmpfloat (empty[k], ==, 0.0f);
    }
}

/* A component of the latent vector so large that its weights' gradient overflows; the weights are 0
 * and nothing else feels it. Known before any weight moves. */
TEST (overflow_changes_nothing, "/cuda/optimiser/overflow")
{
  const Variant *variant = &variants[3];
  PrismStep step;
  PrismStepResult result;

  g_auto (Problem) cuda = open_with (prism_cuda_backend_get_ops (), variant);
  const PrismDecoderPlan *plan = &cuda.backend->spec.decoder;
  gsize width = plan->layers[0].n_weights / plan->latent;
  make_steps (variant, &step, 1);
  cuda.ops->train (cuda.backend, &step, 1, &result);
  g_autofree float *parameters = problem_dup_parameters (&cuda);
  parameters[5] = 1e38f;
  memset (parameters + plan->layers[0].weight + 5 * width, 0, width * sizeof (float));
  cuda.ops->set_parameters (cuda.backend, parameters);
  step.new_term.weight = 1e9f;
  g_autofree float *before = dup_state (&cuda);
  g_assert_cmpuint (cuda.ops->train (cuda.backend, &step, 1, &result), ==, 1);
  g_assert_true (isfinite (result.loss_new));
  g_assert_true (result.skipped);
  g_autofree float *after = dup_state (&cuda);
  g_assert_cmpmem (before, get_state_bytes (&cuda), after, get_state_bytes (&cuda));
}

/* A step below its threshold moves nothing, clipped or not. */
TEST (below_threshold_changes_nothing, "/cuda/optimiser/below-threshold")
{
  const Variant *variant = &variants[3];
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];

  g_auto (Problem) cuda = open_with (prism_cuda_backend_get_ops (), variant);
  make_steps (variant, steps, N_STEPS);
  cuda.ops->train (cuda.backend, steps, 2, results);
  g_autofree float *before = dup_state (&cuda);
  for (guint i = 0; i < N_STEPS; i++)
    steps[i].threshold = 1e9;
  g_assert_cmpuint (cuda.ops->train (cuda.backend, steps, N_STEPS, results), ==, 1);
  g_assert_true (results[0].below_threshold);
  g_autofree float *after = dup_state (&cuda);
  g_assert_cmpmem (before, get_state_bytes (&cuda), after, get_state_bytes (&cuda));
}

static guint64
count_launches (Problem *self,
                double clip_norm)
{
  PrismStep step = problem_make_step (0, 1);
  PrismEmulationCounters before, after;
  PrismStepResult result;

  step.clip_norm = clip_norm;
  prism_emulation_get_counters (&before);
  self->ops->train (self->backend, &step, 1, &result);
  problem_finish (self);
  prism_emulation_get_counters (&after);
  return after.n_launches - before.n_launches;
}

/* Who does not want them does not pay: AMSGrad is no kernel more, the limit is four, in a graph of
 * its own. */
TEST (launches, "/cuda/optimiser/launches")
{
  PrismDeviceCounters counters;

  g_auto (Problem) plain = problem_new (prism_cuda_backend_get_ops ());
  g_auto (Problem) amsgrad = open_with (prism_cuda_backend_get_ops (), &variants[0]);
  guint64 n = count_launches (&plain, 0.0);
  g_assert_cmpuint (count_launches (&amsgrad, 0.0), ==, n);
  g_assert_cmpuint (count_launches (&plain, 1.0), ==, n + 4);
  g_assert_cmpuint (count_launches (&plain, 2.0), ==, n + 4);
  g_assert_cmpuint (count_launches (&plain, 0.0), ==, n);
  plain.ops->get_counters (plain.backend, &counters);
  g_assert_cmpuint (counters.n_captures, ==, 2);
}

/* An array as large as the parameters, for AMSGrad alone. */
TEST (memory, "/cuda/optimiser/memory")
{
  const PrismBackendOps *ops = prism_cuda_backend_get_ops ();
  PrismBackendSpec plain = problem_make_spec (), amsgrad = make_spec (&variants[0]);
  guint64 n_bytes = plain.decoder.n_parameters * sizeof (float);

  g_assert_cmpuint (ops->get_required_bytes (&amsgrad), >=,
                    ops->get_required_bytes (&plain) + n_bytes);
  plain.clips = TRUE;
  g_assert_cmpuint (ops->get_required_bytes (&amsgrad), >=,
                    ops->get_required_bytes (&plain) + n_bytes);
}

TESTS
{
  for (gsize i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autofree char *path = g_strconcat ("/cuda/optimiser/definition/", variants[i].name, NULL);

      g_test_add_data_func (path, &variants[i], test_definition);
    }
}
