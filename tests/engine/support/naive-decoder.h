/* naive-decoder: the decoder straight from its definition, in double, one product at a time; what
 * the fast one is compared with.
 *
 * m = object_size, P = n_parameters. */
#pragma once

#include "prism-test.h"
#include "model/prism-decoder.h"

#include <math.h>
#include <string.h>

typedef struct
{
  double *x;                            /* [in_channels][in_size][in_size] */
  double *y;                            /* [out_channels][out_size][out_size] */
  double *xhat;                         /* (y - mean)/√(variance + ε) */
  double *deviation;                    /* [out_channels] √(variance + ε) */
} NaiveLayer;

typedef struct
{
  PrismDecoderPlan plan;
  double *parameters;                   /* [P] */
  double *gradient;                     /* [P] */
  double *output;                       /* [m][m] */
  NaiveLayer layers[PRISM_DECODER_MAX_LAYERS];
} NaiveDecoder;

typedef enum
{
  NAIVE_FORWARD,                        /* y += w·x */
  NAIVE_DATA,                           /* x += w·y */
  NAIVE_WEIGHTS,                        /* w += x·y */
} NaiveProduct;

static inline gsize
naive_out_pixels (const PrismLayer *layer)
{
  return (gsize) layer->out_size * layer->out_size;
}

static inline NaiveDecoder *
naive_decoder_new (const PrismDecoderPlan *plan)
{
  NaiveDecoder *self = OWN (g_free, g_new0 (NaiveDecoder, 1));

  self->plan = *plan;
  self->parameters = OWN (g_free, g_new0 (double, plan->n_parameters));
  self->gradient = OWN (g_free, g_new0 (double, plan->n_parameters));
  self->output = OWN (g_free, g_new0 (double, plan->object_size * plan->object_size));
  for (int i = 0; i < plan->n_layers; i++)
    {
      const PrismLayer *layer = &plan->layers[i];
      gsize n_in = (gsize) layer->in_channels * layer->in_size * layer->in_size;
      gsize n_out = layer->out_channels * naive_out_pixels (layer);

      self->layers[i].x = OWN (g_free, g_new0 (double, n_in));
      self->layers[i].y = OWN (g_free, g_new0 (double, n_out));
      self->layers[i].xhat = OWN (g_free, g_new0 (double, n_out));
      self->layers[i].deviation = OWN (g_free, g_new0 (double, layer->out_channels));
    }
  return self;
}

/* Row (or column) of the output that tap k of input row i contributes to. */
static inline int
naive_target (const PrismLayer *layer, int i, int k)
{
  switch (layer->kind)
    {
    case PRISM_LAYER_EXPAND:
      return i + k;
    case PRISM_LAYER_DOUBLE:
      return 2 * i - layer->padding + k;
    case PRISM_LAYER_CONVOLVE:
    default:
      return i + layer->padding - k;
    }
}

/* All products of one pair of channels. */
static inline void
naive_multiply_plane (const PrismLayer *layer,
                      NaiveProduct      product,
                      double           *x,
                      double           *w,
                      double           *y)
{
  int h = layer->in_size, s = layer->out_size, k = layer->kernel;

  for (int tap = 0; tap < k * k; tap++)
    for (int pixel = 0; pixel < h * h; pixel++)
      {
        int row = naive_target (layer, pixel / h, tap / k);
        int column = naive_target (layer, pixel % h, tap % k);

        if (row < 0 || row >= s || column < 0 || column >= s)
          continue;
        if (product == NAIVE_FORWARD)
          y[row * s + column] += w[tap] * x[pixel];
        else if (product == NAIVE_DATA)
          x[pixel] += w[tap] * y[row * s + column];
        else
          w[tap] += x[pixel] * y[row * s + column];
      }
}

static inline void
naive_multiply (const PrismLayer *layer, NaiveProduct product, double *x, double *w, double *y)
{
  gsize in_pixels = (gsize) layer->in_size * layer->in_size;
  int n_taps = layer->kernel * layer->kernel;

  for (int i = 0; i < layer->in_channels; i++)
    for (int o = 0; o < layer->out_channels; o++)
      {
        gsize pair = layer->kind == PRISM_LAYER_CONVOLVE ? (gsize) o * layer->in_channels + i
                                                         : (gsize) i * layer->out_channels + o;

        naive_multiply_plane (layer, product, x + i * in_pixels, w + pair * n_taps,
                              y + o * naive_out_pixels (layer));
      }
}

static inline void
naive_normalise (const PrismLayer *layer, NaiveLayer *state, const double *parameters, double *next)
{
  gsize n = naive_out_pixels (layer);

  for (int c = 0; c < layer->out_channels; c++)
    {
      const double *y = state->y + c * n;
      double mean = 0.0, variance = 0.0;

      for (gsize i = 0; i < n; i++)
        mean += y[i] / n;
      for (gsize i = 0; i < n; i++)
        variance += (y[i] - mean) * (y[i] - mean) / n;
      state->deviation[c] = sqrt (variance + (double) PRISM_DECODER_NORM_EPSILON);
      for (gsize i = 0; i < n; i++)
        {
          double xhat = (y[i] - mean) / state->deviation[c];

          state->xhat[c * n + i] = xhat;
          next[c * n + i]
              = fmax (parameters[layer->scale + c] * xhat + parameters[layer->shift + c], 0.0);
        }
    }
}

/* Without norm: y has its bias already. */
static inline void
naive_rectify (const PrismLayer *layer, const NaiveLayer *state, double *next)
{
  for (gsize i = 0; i < layer->out_channels * naive_out_pixels (layer); i++)
    next[i] = fmax (state->y[i], 0.0);
}

static inline double
naive_activate (PrismActivation activation, double y)
{
  switch (activation)
    {
    case PRISM_ACTIVATION_RELU:
      return fmax (y, 0.0);
    case PRISM_ACTIVATION_SIGMOID:
      return 1.0 / (1.0 + exp (-y));
    case PRISM_ACTIVATION_HARDSIGMOID:
      return fmin (fmax (y / 6.0 + 0.5, 0.0), 1.0);
    case PRISM_ACTIVATION_TANH:
      return tanh (y);
    case PRISM_ACTIVATION_NONE:
    default:
      return y;
    }
}

static inline double
naive_differentiate (PrismActivation activation, double y)
{
  double value = naive_activate (activation, y);

  switch (activation)
    {
    case PRISM_ACTIVATION_RELU:
      return y > 0.0 ? 1.0 : 0.0;
    case PRISM_ACTIVATION_SIGMOID:
      return value * (1.0 - value);
    case PRISM_ACTIVATION_HARDSIGMOID:
      return fabs (y) < 3.0 ? 1.0 / 6.0 : 0.0;
    case PRISM_ACTIVATION_TANH:
      return 1.0 - value * value;
    case PRISM_ACTIVATION_NONE:
    default:
      return 1.0;
    }
}

/* Pixel of the last map for pixel i of the output, -1 where there is none. */
static inline int
naive_source (const PrismDecoderPlan *plan, int i)
{
  int offset = (plan->output_size - plan->object_size) / 2;
  int row = i / plan->object_size + offset, column = i % plan->object_size + offset;

  if (row < 0 || row >= plan->output_size || column < 0 || column >= plan->output_size)
    return -1;
  return row * plan->output_size + column;
}

static inline void
naive_decoder_forward (NaiveDecoder *self)
{
  int n_layers = self->plan.n_layers;
  const PrismLayer *last = &self->plan.layers[n_layers - 1];

  memcpy (self->layers[0].x, self->parameters, self->plan.latent * sizeof (double));
  for (int i = 0; i < n_layers; i++)
    {
      const PrismLayer *layer = &self->plan.layers[i];
      NaiveLayer *state = &self->layers[i];

      memset (state->y, 0, layer->out_channels * naive_out_pixels (layer) * sizeof (double));
      if (layer->bias != PRISM_DECODER_NO_ARRAY)
        for (gsize k = 0; k < layer->out_channels * naive_out_pixels (layer); k++)
          state->y[k] = self->parameters[layer->bias + k / naive_out_pixels (layer)];
      naive_multiply (layer, NAIVE_FORWARD, state->x, self->parameters + layer->weight, state->y);
      if (layer->norm)
        naive_normalise (layer, state, self->parameters, state[1].x);
      else if (i < n_layers - 1)
        naive_rectify (layer, state, state[1].x);
    }
  for (int i = 0; i < self->plan.object_size * self->plan.object_size; i++)
    {
      int source = naive_source (&self->plan, i);

      self->output[i]
          = source < 0 ? 0.0
                       : naive_activate (last->activation, self->layers[n_layers - 1].y[source]);
    }
}

/* g [C][s][s]: gradient of x = ReLU (scale·xhat + shift) in, of y out. */
static inline void
naive_norm_backward (const PrismLayer *layer,
                     const NaiveLayer *state,
                     const double     *parameters,
                     double           *gradient,
                     double           *g)
{
  gsize n = naive_out_pixels (layer);

  for (int c = 0; c < layer->out_channels; c++, g += n)
    {
      const double *xhat = state->xhat + c * n;
      double scale = parameters[layer->scale + c], sum = 0.0, product = 0.0;

      for (gsize i = 0; i < n; i++)
        {
          if (scale * xhat[i] + parameters[layer->shift + c] <= 0.0)
            g[i] = 0.0;
          sum += g[i];
          product += g[i] * xhat[i];
        }
      gradient[layer->scale + c] = product;
      gradient[layer->shift + c] = sum;
      for (gsize i = 0; i < n; i++)
        g[i] = scale / state->deviation[c] * (g[i] - sum / n - xhat[i] * product / n);
    }
}

/* g [C][s][s]: gradient of x = ReLU (y) in, of y out. */
static inline void
naive_rectify_backward (const PrismLayer *layer,
                        const NaiveLayer *state,
                        double           *gradient,
                        double           *g)
{
  gsize n = naive_out_pixels (layer);

  for (gsize i = 0; i < layer->out_channels * n; i++)
    {
      if (state->y[i] <= 0.0)
        g[i] = 0.0;
      gradient[layer->bias + i / n] += g[i];
    }
}

/* After a forward pass; output_gradient [m][m]. */
static inline void
naive_decoder_backward (NaiveDecoder *self, const float *output_gradient)
{
  int n_layers = self->plan.n_layers;
  const PrismLayer *layer = &self->plan.layers[n_layers - 1];
  g_autofree double *gy = g_new0 (double, naive_out_pixels (layer));

  memset (self->gradient, 0, self->plan.n_parameters * sizeof (double));
  for (int i = 0; i < self->plan.object_size * self->plan.object_size; i++)
    {
      int source = naive_source (&self->plan, i);

      if (source < 0)
        continue;
      gy[source] = output_gradient[i]
                   * naive_differentiate (layer->activation, self->layers[n_layers - 1].y[source]);
      self->gradient[layer->bias] += gy[source];
    }
  for (int i = n_layers - 1; i >= 0; i--)
    {
      layer = &self->plan.layers[i];
      double *gx = g_new0 (double, (gsize) layer->in_channels * layer->in_size * layer->in_size);
      naive_multiply (layer, NAIVE_WEIGHTS, self->layers[i].x, self->gradient + layer->weight, gy);
      naive_multiply (layer, NAIVE_DATA, gx, self->parameters + layer->weight, gy);
      if (i > 0 && !layer[-1].norm)
        naive_rectify_backward (layer - 1, &self->layers[i - 1], self->gradient, gx);
      else if (i > 0)
        naive_norm_backward (layer - 1, &self->layers[i - 1], self->parameters, self->gradient, gx);
      g_free (gy);
      gy = gx;
    }
  memcpy (self->gradient, gy, self->plan.latent * sizeof (double));
}

/* Norm scales and shifts away from 1 and 0, so that their gradients mean something. */
static inline void
naive_disturb_norms (const PrismDecoderPlan *plan, float *parameters)
{
  for (int i = 0; i < plan->n_layers - 1; i++)
    for (int c = 0; c < plan->layers[i].out_channels && plan->layers[i].norm; c++)
      {
        parameters[plan->layers[i].scale + c] += 0.5f * sinf (c + i);
        parameters[plan->layers[i].shift + c] += 0.3f * cosf (2 * c + i);
      }
}

static inline NaiveDecoder *
naive_decoder_new_forward (const PrismDecoderPlan *plan, const float *parameters)
{
  NaiveDecoder *self = naive_decoder_new (plan);

  for (gsize i = 0; i < plan->n_parameters; i++)
    self->parameters[i] = parameters[i];
  naive_decoder_forward (self);
  return self;
}

/* Largest difference, relative to the largest value. */
static inline double
naive_compare (const float *values, const double *expected, gsize n_values)
{
  double error = 0.0, largest = 1e-30;

  for (gsize i = 0; i < n_values; i++)
    {
      double difference = fabs (values[i] - expected[i]);

      error = isnan (difference) ? INFINITY : fmax (error, difference);
      largest = fmax (largest, fabs (expected[i]));
    }
  g_test_message ("error: %g", error / largest);
  return error / largest;
}

typedef struct
{
  const float *values;
  const double *expected;
  double tolerance;
} NaiveComparison;

/* For prism_decoder_plan_foreach(). */
static inline void
naive_compare_array (const char *name, gsize offset, gsize n_values, gpointer data)
{
  const NaiveComparison *self = data;

  g_test_message ("%s", name);
  g_assert_cmpfloat (naive_compare (self->values + offset, self->expected + offset, n_values), <,
                     self->tolerance);
}

typedef struct
{
  double rate, weight_decay;
  gboolean amsgrad;
  double clip_norm; /* 0: no limit */
} NaiveAdam;

/* AdamW and AMSGrad with a limit of the gradient, each as its definition has it, in double.
 * state: [4][n] values, both moments and the largest second one. */
static inline void
naive_adam_step (const NaiveAdam *self, const float *gradient, int n_steps, gsize n, double *state)
{
  double *values = state, *first = state + n, *second = state + 2 * n, *largest = state + 3 * n;
  double norm = 0.0, factor = 1.0;

  for (gsize i = 0; i < n; i++)
    norm += (double) gradient[i] * gradient[i];
  if (self->clip_norm > 0.0 && sqrt (norm) > self->clip_norm)
    factor = self->clip_norm / sqrt (norm);
  for (gsize i = 0; i < n; i++)
    {
      double g = gradient[i] * factor, divisor;

      first[i] = 0.9 * first[i] + 0.1 * g;
      second[i] = 0.999 * second[i] + 0.001 * g * g;
      largest[i] = MAX (largest[i], second[i]);
      divisor = self->amsgrad ? largest[i] : second[i];
      values[i] *= 1.0 - self->rate * self->weight_decay;
      values[i] -= self->rate * first[i] / (1.0 - pow (0.9, n_steps))
                   / (sqrt (divisor / (1.0 - pow (0.999, n_steps))) + 1e-8);
    }
}
