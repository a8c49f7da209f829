#include "config.h"

#include "prism-decoder.h"

#include "prism-error.h"
#include "prism-noise.h"

#include <math.h>

#define MIN_IMAGE_SIZE 64
#define MAX_IMAGE_SIZE 4096
#define MIN_OBJECT_SIZE 16
#define FIRST_SIZE 4

static gboolean
check_sizes (int image_size,
             int object_size,
             GError **error)
{
  if (image_size < MIN_IMAGE_SIZE || image_size > MAX_IMAGE_SIZE
      || (image_size & (image_size - 1)) != 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "The image size is %d but must be a power of two from %d to %d.",
                   image_size, MIN_IMAGE_SIZE, MAX_IMAGE_SIZE);
      return FALSE;
    }
  if (object_size < MIN_OBJECT_SIZE || object_size > image_size || object_size % 2 != 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "The object size is %d but must be even and from %d to the image size, %d.",
                   object_size, MIN_OBJECT_SIZE, image_size);
      return FALSE;
    }
  return TRUE;
}

static gsize
take_array (PrismDecoderPlan *self,
            gsize n_values)
{
  gsize offset = self->n_parameters;

  self->n_parameters += n_values;
  return offset;
}

static void
take_parameters (PrismDecoderPlan *self,
                 PrismLayer *layer)
{
  gsize n_taps = layer->kernel * layer->kernel;

  layer->n_weights = n_taps * layer->in_channels * layer->out_channels;
  layer->weight = take_array (self, layer->n_weights);
  layer->bias = PRISM_DECODER_NO_ARRAY;
  layer->scale = PRISM_DECODER_NO_ARRAY;
  layer->shift = PRISM_DECODER_NO_ARRAY;
  if (!layer->norm)
    {
      layer->bias = take_array (self, layer->out_channels);
      return;
    }
  layer->scale = take_array (self, layer->out_channels);
  layer->shift = take_array (self, layer->out_channels);
}

static void
add_layer (PrismDecoderPlan *self,
           PrismLayerKind kind,
           int padding,
           int in_channels,
           int in_size)
{
  PrismLayer *layer = &self->layers[self->n_layers++];

  layer->kind = kind;
  layer->in_channels = in_channels;
  layer->out_channels = MAX (1, in_channels / 2);
  layer->in_size = in_size;
  layer->kernel = kind == PRISM_LAYER_CONVOLVE ? 3 : 4;
  layer->padding = padding;
  layer->norm = layer->out_channels > 1;
  layer->activation = layer->norm ? PRISM_ACTIVATION_RELU : PRISM_ACTIVATION_SIGMOID;
  if (kind == PRISM_LAYER_EXPAND)
    layer->out_size = FIRST_SIZE;
  else if (kind == PRISM_LAYER_DOUBLE)
    layer->out_size = 2 * in_size;
  else
    layer->out_size = in_size - 2 + 2 * padding;
  take_parameters (self, layer);
}

/**
 * prism_decoder_plan_init:
 * @self: (out caller-allocates): the plan
 * @image_size: n, side of the field in pixels and length of the latent vector
 * @object_size: m, side of the object in pixels
 * @edge: whether the last convolution is padded
 * @error: return location
 *
 * Lays out the decoder: 1×1 → 4×4, doublings up to m or just above, then 3×3 layers at that size
 * until one channel is left. Every layer halves the channels.
 *
 * Errors: PRISM_ERROR_CONFIG for a size that is not supported.
 * Thread: any.
 * Source: numerics.md § 6.
 *
 * Returns: whether the sizes are valid
 */
gboolean
prism_decoder_plan_init (PrismDecoderPlan *self,
                         int image_size,
                         int object_size,
                         PrismEdge edge,
                         GError **error)
{
  int channels, size;

  if (!check_sizes (image_size, object_size, error))
    return FALSE;

  *self = (PrismDecoderPlan) { .object_size = object_size, .latent = image_size };
  take_array (self, self->latent);
  add_layer (self, PRISM_LAYER_EXPAND, 0, image_size, 1);

  channels = image_size / 2;
  for (size = FIRST_SIZE; size < object_size; size *= 2, channels /= 2)
    add_layer (self, PRISM_LAYER_DOUBLE, 1, channels, size);

  /* m ≤ n leaves at least two channels here, so the last layer is always a convolution. */
  for (; channels > 1; channels /= 2)
    {
      gboolean padded = channels > 2 || edge == PRISM_EDGE_SAME;

      add_layer (self, PRISM_LAYER_CONVOLVE, padded ? 1 : 0, channels, size);
    }

  self->output_size = self->layers[self->n_layers - 1].out_size;
  return TRUE;
}

static void
visit_array (PrismDecoderArrayFunc func,
             gpointer data,
             int layer,
             const char *part,
             gsize offset,
             gsize n_values)
{
  char name[32];

  if (offset == PRISM_DECODER_NO_ARRAY)
    return;
  g_snprintf (name, sizeof name, "layer%d.%s", layer, part);
  func (name, offset, n_values, data);
}

/**
 * prism_decoder_plan_foreach:
 * @self: a plan
 * @func: (scope call): called for each array of parameters in engine order
 * @data: for @func
 *
 * Names the parts of the parameter vector as the golden files do: `latent`, `layerK.weight`,
 * `layerK.bias`, `layerK.bn_scale`, `layerK.bn_shift`.
 *
 * Thread: any.
 */
void
prism_decoder_plan_foreach (const PrismDecoderPlan *self,
                            PrismDecoderArrayFunc func,
                            gpointer data)
{
  func ("latent", 0, self->latent, data);
  for (int i = 0; i < self->n_layers; i++)
    {
      const PrismLayer *layer = &self->layers[i];

      visit_array (func, data, i, "weight", layer->weight, layer->n_weights);
      visit_array (func, data, i, "bias", layer->bias, layer->out_channels);
      visit_array (func, data, i, "bn_scale", layer->scale, layer->out_channels);
      visit_array (func, data, i, "bn_shift", layer->shift, layer->out_channels);
    }
}

static void
fill_uniform (float *values,
              gsize n_values,
              guint64 seed,
              int layer,
              gsize first_position,
              double bound)
{
  for (gsize i = 0; i < n_values; i++)
    {
      double u = prism_noise_uniform (seed, PRISM_STREAM_WEIGHTS, layer, first_position + i);

      values[i] = bound * (2.0 * u - 1.0);
    }
}

static void
fill_constant (float *values,
               int n_values,
               float value)
{
  for (int i = 0; i < n_values; i++)
    values[i] = value;
}

/**
 * prism_decoder_plan_initialise:
 * @self: a plan
 * @seed: of the random numbers
 * @parameters: (out caller-allocates) (array): start values
 *
 * Draws the latent vector from normal(0, 1), weights and bias from uniform(-b, b) with b =
 * 1/√fan_in; norm scale 1 and shift 0. Each value depends on the seed and its own position alone.
 *
 * Shape: @parameters [n_parameters], engine order.
 * Thread: any.
 * Source: numerics.md § 6.
 */
void
prism_decoder_plan_initialise (const PrismDecoderPlan *self,
                               guint64 seed,
                               float *parameters)
{
  /* Layers use their index as the counter's; the latent vector takes one that no layer has. */
  for (int i = 0; i < self->latent; i++)
    parameters[i] = prism_noise_normal (seed, PRISM_STREAM_WEIGHTS, PRISM_DECODER_MAX_LAYERS, i);

  for (int i = 0; i < self->n_layers; i++)
    {
      const PrismLayer *layer = &self->layers[i];
      int channels = layer->kind == PRISM_LAYER_CONVOLVE ? layer->in_channels : layer->out_channels;
      double bound = 1.0 / sqrt ((double) channels * layer->kernel * layer->kernel);

      fill_uniform (parameters + layer->weight, layer->n_weights, seed, i, 0, bound);
      if (layer->bias != PRISM_DECODER_NO_ARRAY)
        fill_uniform (parameters + layer->bias, layer->out_channels, seed, i, layer->n_weights,
                      bound);
      if (!layer->norm)
        continue;
      fill_constant (parameters + layer->scale, layer->out_channels, 1.0f);
      fill_constant (parameters + layer->shift, layer->out_channels, 0.0f);
    }
}
