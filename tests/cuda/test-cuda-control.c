#include "num/prism-adam.h"
#include "prism-cuda-types.h"
#include "prism-test.h"

/* The kernels that decide what becomes of a step, on memory of the emulated device. */

static PrismCudaControl *
new_control (int dynamic_scale)
{
  PrismCudaControl *control = NULL;

  g_assert_cmpint (cudaMalloc ((void **) &control, sizeof *control), ==, cudaSuccess);
  cudaMemset (control, 0, sizeof *control);
  for (int i = 0; i < PRISM_CUDA_MAX_CHUNK; i++)
    {
      control->steps[i].update = 1;
      control->steps[i].n_terms = 1;
      control->steps[i].learning_rate = 1e-3 * (i + 1);
    }
  prism_cuda_control_prepare (control, dynamic_scale, NULL);
  prism_cuda_control_begin (control, NULL);
  return control;
}

static void
free_control (PrismCudaControl *control)
{
  g_assert_cmpint (cudaFree (control), ==, cudaSuccess);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCudaControl, free_control)

/* One step with these losses and gradients; returns its result. */
static const PrismCudaResult *
run_step (PrismCudaControl *control,
          double loss_new,
          double loss_old,
          gboolean finite)
{
  int cursor = control->cursor;

  control->loss_new = loss_new;
  control->loss_old = loss_old;
  prism_cuda_control_decide (control, NULL);
  control->not_finite = !finite;
  prism_cuda_control_advance (control, NULL);
  return &control->results[cursor];
}

static void
begin_again (PrismCudaControl *control)
{
  prism_cuda_control_begin (control, NULL);
}

/* Bit by bit what the CPU uses, for more steps than most runs have. */
TEST (adam, "/cuda/control/adam")
{
  g_autoptr (PrismCudaControl) control = new_control (FALSE);

  for (guint64 n = 1; n < 20000; n += n < 200 ? 1 : 97)
    {
      PrismAdam adam;

      control->n_adam_steps = n - 1;
      begin_again (control);
      prism_adam_init (&adam, control->steps[0].learning_rate, n);
      prism_adam_set_decay (&adam, 0.03);
      control->steps[0].weight_decay = 0.03;
      prism_cuda_control_decide (control, NULL);
      g_assert_cmpfloat (control->learning_rate, ==, adam.learning_rate);
      g_assert_cmpfloat (control->beta1, ==, adam.beta1);
      g_assert_cmpfloat (control->beta2, ==, adam.beta2);
      g_assert_cmpfloat (control->epsilon, ==, adam.epsilon);
      g_assert_cmpfloat (control->correction1, ==, adam.correction1);
      g_assert_cmpfloat (control->correction2, ==, adam.correction2);
      g_assert_cmpfloat (control->decay, ==, adam.decay);
    }
}

TEST (good_steps, "/cuda/control/good-steps")
{
  g_autoptr (PrismCudaControl) control = new_control (FALSE);

  for (int i = 0; i < PRISM_CUDA_MAX_CHUNK; i++)
    {
      const PrismCudaResult *result = run_step (control, 0.5 + i, 0.25, TRUE);

      g_assert_cmpfloat (result->loss_new, ==, 0.5 + i);
      g_assert_cmpfloat (result->loss_old, ==, 0.25);
      g_assert_true (isnan (result->sums[0]) && isnan (result->sums[PRISM_CUDA_N_SUMS - 1]));
      g_assert_false (result->skipped);
      g_assert_false (result->below_threshold);
      g_assert_cmpint (control->cursor, ==, i + 1);
    }
  g_assert_cmpuint (control->n_adam_steps, ==, PRISM_CUDA_MAX_CHUNK);
  g_assert_cmpfloat (control->loss_scale, ==, 1.0f);
}

TEST (metrics, "/cuda/control/metrics")
{
  g_autoptr (PrismCudaControl) control = new_control (FALSE);

  for (int i = 0; i < PRISM_CUDA_N_SUMS; i++)
    control->sums[i] = 30.0 + i;
  const PrismCudaResult *result = run_step (control, 0.5, 0.25, TRUE);
  for (int i = 0; i < PRISM_CUDA_N_SUMS; i++)
    g_assert_cmpfloat (result->sums[i], ==, 30.0 + i);
  result = run_step (control, 0.5, 0.25, TRUE);
  g_assert_true (isnan (result->sums[0]));
}

TEST (below_threshold, "/cuda/control/below-threshold")
{
  g_autoptr (PrismCudaControl) control = new_control (FALSE);

  control->steps[0].threshold = control->steps[1].threshold = 0.1;
  g_assert_false (run_step (control, 0.05, 0.2, TRUE)->below_threshold);
  g_assert_true (run_step (control, 0.05, 0.09, TRUE)->below_threshold);
  g_assert_cmpint (control->done, ==, 1);
  g_assert_cmpuint (control->n_adam_steps, ==, 1);
  /* Whatever is launched after it changes nothing. */
  memset (&control->results[2], 7, sizeof control->results[2]);
  run_step (control, 0.5, 0.5, TRUE);
  g_assert_cmpint (control->cursor, ==, 2);
  g_assert_cmpint (control->results[2].skipped, ==, 0x07070707);
  begin_again (control);
  g_assert_cmpint (control->done, ==, 0);
  g_assert_cmpint (control->cursor, ==, 0);
}

/* A fit to the start image is not left early. */
TEST (start_has_no_threshold, "/cuda/control/start")
{
  g_autoptr (PrismCudaControl) control = new_control (FALSE);

  control->steps[0].fit_start = 1;
  control->steps[0].threshold = 1.0;
  g_assert_false (run_step (control, 0.05, 0.0, TRUE)->below_threshold);
  g_assert_cmpint (control->done, ==, 0);
}

TEST (not_finite, "/cuda/control/not-finite")
{
  g_autoptr (PrismCudaControl) control = new_control (FALSE);

  g_assert_true (run_step (control, NAN, 0.0, TRUE)->skipped);
  g_assert_true (run_step (control, 0.0, INFINITY, TRUE)->skipped);
  g_assert_true (run_step (control, 0.5, 0.5, FALSE)->skipped);
  g_assert_cmpuint (control->n_adam_steps, ==, 0);
  g_assert_false (run_step (control, 0.5, 0.5, TRUE)->skipped);
  g_assert_cmpuint (control->n_adam_steps, ==, 1);
}

/* Beside the backward kernels, decide may find their flag set or not: it must not matter. */
TEST (decide_ignores_gradients, "/cuda/control/decide")
{
  g_autoptr (PrismCudaControl) control = new_control (TRUE);

  control->loss_new = control->loss_old = 0.5;
  control->not_finite = 1;
  prism_cuda_control_decide (control, NULL);
  g_assert_false (control->results[0].skipped);
  g_assert_cmpint (control->no_update, ==, 0);
  prism_cuda_control_advance (control, NULL);
  g_assert_cmpuint (control->n_overflows, ==, 1);
  g_assert_cmpuint (control->n_adam_steps, ==, 0);
}

/* An overflow under a scale is the scale's business: halved, counted, not reported. */
TEST (overflow, "/cuda/control/overflow")
{
  g_autoptr (PrismCudaControl) control = new_control (TRUE);

  g_assert_cmpfloat (control->loss_scale, ==, 65536.0f);
  for (int i = 1; i <= 16; i++)
    {
      g_assert_false (run_step (control, 0.5, 0.5, FALSE)->skipped);
      g_assert_cmpfloat (control->loss_scale, ==, ldexpf (65536.0f, -i));
      g_assert_cmpuint (control->n_overflows, ==, i);
    }
  g_assert_cmpuint (control->n_adam_steps, ==, 0);
  g_assert_true (run_step (control, 0.5, 0.5, FALSE)->skipped);
  g_assert_cmpfloat (control->loss_scale, ==, 1.0f);
  g_assert_cmpuint (control->n_overflows, ==, 16);
  /* A loss that is not finite says nothing about the scale. */
  g_assert_true (run_step (control, NAN, 0.5, FALSE)->skipped);
  g_assert_cmpuint (control->n_overflows, ==, 16);
}

TEST (scale_grows, "/cuda/control/scale-grows")
{
  g_autoptr (PrismCudaControl) control = new_control (TRUE);
  int n = 0;

  for (; n < PRISM_CUDA_STEPS_TO_DOUBLE - 1; n++)
    {
      if (control->cursor == PRISM_CUDA_MAX_CHUNK)
        begin_again (control);
      run_step (control, 0.5, 0.5, TRUE);
    }
  g_assert_cmpfloat (control->loss_scale, ==, 65536.0f);
  begin_again (control);
  run_step (control, 0.5, 0.5, TRUE);
  g_assert_cmpfloat (control->loss_scale, ==, 131072.0f);
  /* An overflow begins the count anew. */
  run_step (control, 0.5, 0.5, TRUE);
  run_step (control, 0.5, 0.5, FALSE);
  g_assert_cmpint (control->n_good_steps, ==, 0);
  g_assert_cmpfloat (control->loss_scale, ==, 65536.0f);
}

/* Without an update nothing moves but the result. */
TEST (gradient_only, "/cuda/control/gradient-only")
{
  g_autoptr (PrismCudaControl) control = new_control (TRUE);

  control->steps[0].update = control->steps[1].update = 0;
  begin_again (control);
  g_assert_false (run_step (control, 0.5, 0.5, TRUE)->skipped);
  g_assert_true (run_step (control, 0.5, 0.5, FALSE)->skipped);
  g_assert_cmpuint (control->n_adam_steps, ==, 0);
  g_assert_cmpuint (control->n_overflows, ==, 0);
  g_assert_cmpfloat (control->loss_scale, ==, 65536.0f);
}
