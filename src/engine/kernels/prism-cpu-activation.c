/* The decoder's output activation. All comparisons let NaN through. */
#include "config.h"

#include "kernels/prism-cpu-activation.h"
#include "kernels/prism-cpu-vector.h"

#include <string.h>

#define LANES PRISM_VECTOR_LANES

/* Below this tanh is computed by a polynomial, since 1 - 2/(exp (2x) + 1) cancels. */
#define TANH_SMALL 0.625f

/* Largest arguments of exp() whose result is finite and not a denormal. */
#define EXP_LIMIT 87.0f

/* exp (a) to 2 ulp: a = n·ln 2 + r with |r| ≤ ½ ln 2, in which ln 2 has two parts, and a polynomial
 * of degree 6 for exp (r). Source: Cephes expf. */
PRISM_VECTOR_INLINE PrismVector
compute_exp (PrismVector a)
{
  /* 1.5·2²³: adding it rounds to an integer in the low bits. */
  const float to_integer = 12582912.0f;
  PrismVector limited, shifted, n, r, p;
  PrismVectorMask exponent;

  limited = vector_select (a > EXP_LIMIT, vector_fill (EXP_LIMIT), a);
  limited = vector_select (limited < -EXP_LIMIT, vector_fill (-EXP_LIMIT), limited);
  shifted = limited * 1.44269504f + to_integer;
  n = shifted - to_integer;
  r = limited - n * 0.693359375f + n * 2.12194440e-4f;
  p = 1.9875691500e-4f * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  exponent = ((PrismVectorMask) shifted << 23) + (127 << 23);
  return p * (PrismVector) exponent;
}

PRISM_VECTOR_INLINE PrismVector
compute_sigmoid (PrismVector a)
{
  return 1.0f / (1.0f + compute_exp (-a));
}

/* Source of the polynomial: Cephes tanhf. */
PRISM_VECTOR_INLINE PrismVector
compute_tanh (PrismVector a)
{
  PrismVector s = a * a;
  PrismVector p = -5.70498872745e-3f * s + 2.06390887954e-2f;
  PrismVectorMask small = (a < TANH_SMALL) & (a > -TANH_SMALL);

  p = p * s - 5.37397155531e-2f;
  p = p * s + 1.33314422036e-1f;
  p = p * s - 3.33332819422e-1f;
  return vector_select (small, a + a * s * p, 1.0f - 2.0f / (compute_exp (2.0f * a) + 1.0f));
}

PRISM_VECTOR_INLINE PrismVector
compute_value (PrismActivation activation,
               PrismVector y)
{
  switch (activation)
    {
    case PRISM_ACTIVATION_RELU:
      return vector_select (y <= 0.0f, vector_zero (), y);
    case PRISM_ACTIVATION_SIGMOID:
      return compute_sigmoid (y);
    case PRISM_ACTIVATION_HARDSIGMOID:
      y = y * (1.0f / 6.0f) + 0.5f;
      y = vector_select (y <= 0.0f, vector_zero (), y);
      return vector_select (y >= 1.0f, vector_fill (1.0f), y);
    case PRISM_ACTIVATION_TANH:
      return compute_tanh (y);
    case PRISM_ACTIVATION_NONE:
    default:
      return y;
    }
}

PRISM_VECTOR_INLINE PrismVector
compute_gradient (PrismActivation activation,
                  PrismVector g,
                  PrismVector out)
{
  switch (activation)
    {
    case PRISM_ACTIVATION_RELU:
      return vector_select (out <= 0.0f, vector_zero (), g);
    case PRISM_ACTIVATION_SIGMOID:
      return g * (out * (1.0f - out));
    case PRISM_ACTIVATION_HARDSIGMOID:
      return vector_select ((out <= 0.0f) | (out >= 1.0f), vector_zero (), g * (1.0f / 6.0f));
    case PRISM_ACTIVATION_TANH:
      return g * (1.0f - out * out);
    case PRISM_ACTIVATION_NONE:
    default:
      return g;
    }
}

/* Inlined for each activation, so that the loop has no branches. */
PRISM_VECTOR_INLINE void
apply_row (PrismActivation activation,
           float *out,
           const float *y,
           int n_values)
{
  int i = 0;
  PrismVector rest = { 0 };

  for (; i + LANES <= n_values; i += LANES)
    vector_store (out + i, compute_value (activation, vector_load (y + i)));
  if (i == n_values)
    return;
  memcpy (&rest, y + i, (n_values - i) * sizeof (float));
  rest = compute_value (activation, rest);
  memcpy (out + i, &rest, (n_values - i) * sizeof (float));
}

/* row (activation, …) with a constant for the activation. */
#define ROW_OF_EACH(row, ...)                                 \
  switch (activation)                                         \
    {                                                         \
    case PRISM_ACTIVATION_RELU:                               \
      return row (PRISM_ACTIVATION_RELU, __VA_ARGS__);        \
    case PRISM_ACTIVATION_SIGMOID:                            \
      return row (PRISM_ACTIVATION_SIGMOID, __VA_ARGS__);     \
    case PRISM_ACTIVATION_HARDSIGMOID:                        \
      return row (PRISM_ACTIVATION_HARDSIGMOID, __VA_ARGS__); \
    case PRISM_ACTIVATION_TANH:                               \
      return row (PRISM_ACTIVATION_TANH, __VA_ARGS__);        \
    case PRISM_ACTIVATION_NONE:                               \
    default:                                                  \
      return row (PRISM_ACTIVATION_NONE, __VA_ARGS__);        \
    }

static void
apply (PrismActivation activation,
       float *out,
       const float *y,
       int n_values)
{
  ROW_OF_EACH (apply_row, out, y, n_values);
}

PRISM_VECTOR_INLINE float
backward_row (PrismActivation activation,
              float *gy,
              const float *g,
              const float *out,
              int n_values)
{
  int i = 0;
  PrismVector sum = { 0 }, a = { 0 }, b = { 0 };

  for (; i + LANES <= n_values; i += LANES)
    {
      PrismVector value = compute_gradient (activation, vector_load (g + i), vector_load (out + i));

      sum += value;
      vector_store (gy + i, value);
    }
  if (i == n_values)
    return vector_sum (sum);
  memcpy (&a, g + i, (n_values - i) * sizeof (float));
  memcpy (&b, out + i, (n_values - i) * sizeof (float));
  a = compute_gradient (activation, a, b);
  memcpy (gy + i, &a, (n_values - i) * sizeof (float));
  return vector_sum (sum + a);
}

static float
backward (PrismActivation activation,
          float *gy,
          const float *g,
          const float *out,
          int n_values)
{
  ROW_OF_EACH (backward_row, gy, g, out, n_values);
}

const PrismCpuActivationKernels PRISM_VECTOR_SYMBOL (prism_cpu_activation_kernels) = {
  .apply = apply,
  .backward = backward,
};
