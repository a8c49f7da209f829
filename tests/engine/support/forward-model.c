#include "forward-model.h"

#include "base/prism-random.h"

#include <math.h>

#define ROUNDING 1e-6 /* some of single precision's, of sums of some thousand values */
#define QUOTIENT 5e-4
#define REACH 0.03f
#define N_STEPS 5 /* each a third of the one before: rounding or curvature is least in between */

/* In [-1, 1). */
static float *
new_random (int n_values, guint64 seed, guint purpose)
{
  float *values = g_new (float, n_values);

  for (int i = 0; i < n_values; i++)
    values[i] = (float) (2.0 * prism_random_uniform (seed, PRISM_STREAM_OBJECT, purpose, i) - 1.0);
  return values;
}

static double
get_product (const float *a, const float *b, int n_values)
{
  double sum = 0.0;

  for (int i = 0; i < n_values; i++)
    sum += (double) a[i] * b[i];
  return sum;
}

static double
get_length (const float *values, int n_values)
{
  return sqrt (get_product (values, values, n_values));
}

typedef void (*Map) (gpointer data,
                     const float *from,
                     float *to);

/* The error of map (a - 2·b) = map (a) - 2·map (b), relative to the length of what comes out. */
static double
get_linearity (const ForwardModel *model, Map map, int n_from, int n_to, guint64 seed)
{
  g_autofree float *a = new_random (n_from, seed, 10), *b = new_random (n_from, seed, 11);
  g_autofree float *to_a = g_new (float, n_to), *to_b = g_new (float, n_to);
  g_autofree float *to_sum = g_new (float, n_to);

  map (model->data, a, to_a);
  map (model->data, b, to_b);
  double length = get_length (to_a, n_to) + 2.0 * get_length (to_b, n_to);
  for (int i = 0; i < n_from; i++)
    a[i] -= 2.0f * b[i];
  map (model->data, a, to_sum);
  for (int i = 0; i < n_to; i++)
    to_sum[i] -= to_a[i] - 2.0f * to_b[i];
  return length > 0.0 ? get_length (to_sum, n_to) / length : 0.0;
}

/* ⟨Ax, y⟩ - ⟨x, A*y⟩, relative to |Ax|·|y|. */
static double
get_asymmetry (const ForwardModel *model, guint64 seed)
{
  g_autofree float *x = new_random (model->n_in, seed, 0), *y = new_random (model->n_out, seed, 1);
  g_autofree float *forth = g_new (float, model->n_out), *back = g_new (float, model->n_in);

  model->apply (model->data, x, forth);
  model->adjoint (model->data, y, back);
  double length = get_length (forth, model->n_out) * get_length (y, model->n_out);
  if (length == 0.0)
    return get_length (back, model->n_in);
  return fabs (get_product (forth, y, model->n_out) - get_product (x, back, model->n_in)) / length;
}

static double
evaluate_at (const ForwardModel *model, const float *place, const float *direction, float distance)
{
  g_autofree float *moved = g_new (float, model->n_in), *unused = g_new (float, model->n_in);

  for (int i = 0; i < model->n_in; i++)
    moved[i] = place[i] + distance * direction[i];
  return model->evaluate (model->data, moved, unused);
}

/* Half of it is the gradient, along which much happens; the rest leaves no value out. */
static float *
new_direction (const ForwardModel *model, const float *gradient, guint64 seed)
{
  float *direction = new_random (model->n_in, seed, 2), largest = 0.0f;

  for (int i = 0; i < model->n_in; i++)
    largest = MAX (largest, fabsf (gradient[i]));
  for (int i = 0; i < model->n_in && largest > 0.0f; i++)
    direction[i] = 0.5f * (direction[i] + gradient[i] / largest);
  return direction;
}

/* Of the slope along a direction, relative to what its length and the gradient's allow; the least
 * over some steps of central differences. */
static double
get_error_of_gradient (const ForwardModel *model, guint64 seed)
{
  g_autofree float *somewhere = new_random (model->n_in, seed, 3);
  g_autofree float *gradient = g_new (float, model->n_in);
  const float *place = model->place != NULL ? model->place : somewhere;
  float step = model->reach > 0.0f ? model->reach : REACH;
  double slope, scale, error = INFINITY;

  for (int i = 0; i < model->n_in; i++)
    somewhere[i] = 0.5f + 0.4f * somewhere[i];
  g_assert_true (isfinite (model->evaluate (model->data, place, gradient)));
  g_autofree float *direction = new_direction (model, gradient, seed);
  slope = get_product (gradient, direction, model->n_in);
  scale = get_length (gradient, model->n_in) * get_length (direction, model->n_in);
  g_assert_cmpfloat (scale, >, 0.0);
  for (int i = 0; i < N_STEPS; i++, step /= 3.0f)
    {
      double difference = evaluate_at (model, place, direction, step)
                          - evaluate_at (model, place, direction, -step);

      error = MIN (error, fabs (difference / (2.0 * step) - slope) / scale);
    }
  return error;
}

static void
check (const ForwardModel *model, guint64 seed, const char *what, double error, double limit)
{
  g_test_message ("%s, seed %" G_GUINT64_FORMAT ": %s %.2g, %.2g allowed", model->name, seed, what,
                  error, limit);
  if (!(error <= limit))
    {
      g_test_message ("%s: %s is wrong", model->name, what);
      g_test_fail ();
    }
}

/**
 * forward_model_check:
 * @model: what is to be tested
 * @seed: of random numbers
 *
 * Fails the test that runs where a map is not linear, its adjoint not the adjoint, or a gradient
 * not that of its loss. Every error is reported.
 */
void
forward_model_check (const ForwardModel *model, guint64 seed)
{
  double rounding = model->rounding > 0.0 ? model->rounding : ROUNDING;

  if (model->apply != NULL)
    check (model, seed, "linearity",
           get_linearity (model, model->apply, model->n_in, model->n_out, seed), rounding);
  if (model->adjoint != NULL)
    check (model, seed, "linearity of the adjoint",
           get_linearity (model, model->adjoint, model->n_out, model->n_in, seed), rounding);
  if (model->apply != NULL && model->adjoint != NULL)
    check (model, seed, "adjoint", get_asymmetry (model, seed), 0.1 * rounding);
  if (model->evaluate != NULL)
    check (model, seed, "gradient", get_error_of_gradient (model, seed),
           model->quotient > 0.0 ? model->quotient : QUOTIENT);
}
