/* Kernels that come before the one ahead has ended: where they may, and that every bit is as if
 * they did not. A kernel that does not wait ends the program: see emulation/README.md. */
#include "config.h"

#define PROBLEM_IMAGE 64
#define PROBLEM_OBJECT 32
#include "cuda-problem.h"
#include "prism-cuda-backend.h"
#include "prism-emulation.h"

#define N_STEPS 6

typedef struct
{
  const char *name;
  PrismPrecision precision;
  gboolean recompute;
  gboolean limit; /* of the gradient, and AMSGrad */
} Variant;

static const Variant variants[] = {
  { "fp32", PRISM_PRECISION_FP32, FALSE, FALSE },
  { "bf16", PRISM_PRECISION_BF16, FALSE, FALSE },
  { "fp16", PRISM_PRECISION_FP16, FALSE, FALSE },
  { "recompute", PRISM_PRECISION_FP32, TRUE, FALSE },
  { "limit", PRISM_PRECISION_FP32, FALSE, TRUE },
};

static PrismBackendSpec
make_spec (const Variant *variant)
{
  PrismBackendSpec spec = problem_make_spec ();

  spec.precision = variant->precision;
  spec.amp = variant->precision != PRISM_PRECISION_FP32;
  spec.recompute = variant->recompute;
  spec.amsgrad = spec.clips = variant->limit;
  return spec;
}

static guint64
get_n_early (void)
{
  PrismEmulationCounters counters;

  prism_emulation_get_counters (&counters);
  return counters.n_early;
}

/* Weights and moments after a few steps [3][P], and how many kernels came early. */
static float *
dup_trained (const Variant *variant,
             gsize *n_bytes,
             guint64 *n_early)
{
  PrismBackendSpec spec = make_spec (variant);
  g_auto (Problem) problem = { 0 };
  PrismStep steps[N_STEPS];
  PrismStepResult results[N_STEPS];
  guint64 before;
  float *state;

  problem_open_spec (&problem, prism_cuda_backend_get_ops (), &spec);
  problem_make_steps (steps, N_STEPS);
  for (guint i = 0; i < N_STEPS; i++)
    steps[i].clip_norm = variant->limit ? 1e-3 : 0.0;
  before = get_n_early ();
  problem.ops->train (problem.backend, steps, N_STEPS, results);
  state = problem_dup_state (&problem);
  *n_early = get_n_early () - before;
  *n_bytes = problem_get_state_bytes (&problem);
  return state;
}

static void
check_same_bits (const Variant *variant)
{
  gsize n_bytes;
  guint64 n_early;
  g_autofree float *early = dup_trained (variant, &n_bytes, &n_early), *in_turn = NULL;

  /* Four inner layers at least, forward and back. */
  g_assert_cmpuint (n_early, >=, N_STEPS * 8);
  g_setenv ("PRISM_CUDA_EARLY", "0", TRUE);
  in_turn = dup_trained (variant, &n_bytes, &n_early);
  g_unsetenv ("PRISM_CUDA_EARLY");
  g_assert_cmpuint (n_early, ==, 0);
  g_assert_cmpmem (early, n_bytes, in_turn, n_bytes);
}

static void
test_same_bits (gconstpointer data)
{
  check_same_bits (data);
}

/* Whatever order the device picks among what may run at the same time; captured or not. */
static void
test_any_order (void)
{
  prism_emulation_set_order (7);
  check_same_bits (&variants[0]);
  prism_emulation_set_order (0);
  g_setenv ("PRISM_CUDA_NO_GRAPH", "1", TRUE);
  check_same_bits (&variants[0]);
  g_unsetenv ("PRISM_CUDA_NO_GRAPH");
}

static guint64
count_early_on (const char *architecture,
                const char *driver)
{
  g_autofree float *state = NULL;
  gsize n_bytes;
  guint64 n_early;

  g_setenv ("PRISM_EMULATION_ARCHITECTURE", architecture, TRUE);
  g_setenv ("PRISM_EMULATION_DRIVER", driver, TRUE);
  prism_emulation_reset ();
  state = dup_trained (&variants[0], &n_bytes, &n_early);
  g_unsetenv ("PRISM_EMULATION_ARCHITECTURE");
  g_unsetenv ("PRISM_EMULATION_DRIVER");
  prism_emulation_reset ();
  return n_early;
}

static void
test_where_it_can (void)
{
  g_assert_cmpuint (count_early_on ("90", "12030"), >, 0);
  g_assert_cmpuint (count_early_on ("120", "13000"), >, 0);
  g_assert_cmpuint (count_early_on ("89", "13000"), ==, 0);
  g_assert_cmpuint (count_early_on ("90", "12020"), ==, 0);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (variants); i++)
    {
      g_autofree char *path = g_strdup_printf ("/cuda/early/same-bits/%s", variants[i].name);

      g_test_add_data_func (path, &variants[i], test_same_bits);
    }
  g_test_add_func ("/cuda/early/any-order", test_any_order);
  g_test_add_func ("/cuda/early/where-it-can", test_where_it_can);
  return g_test_run ();
}
