#include "config.h"

#include "prism-cuda-decoder.h"

#define VALUES 4 /* of a vector of the update */

/**
 * prism_cuda_decoder_new:
 * @spec: sizes and the decoder's plan, copied
 * @arena: where the arrays will come from; must outlive the decoder
 * @control: where the pointer to the device's control will be; must outlive the decoder
 *
 * Plans the kernels and registers every array. Does not touch the device.
 *
 * Thread: engine.
 *
 * Returns: (transfer full): the decoder
 */
PrismCudaDecoder *
prism_cuda_decoder_new (const PrismBackendSpec *spec,
                        PrismCudaArena *arena,
                        PrismCudaControl **control)
{
  PrismCudaDecoder *self = g_new0 (PrismCudaDecoder, 1);

  self->plan = spec->decoder;
  self->control = control;
  self->precision = (PrismCudaPrecision) spec->precision;
  self->amsgrad = spec->amsgrad;
  prism_cuda_decoder_plan (self, arena);
  return self;
}

static int
get_n_moments (const PrismCudaDecoder *self,
               int index)
{
  return self->full ? self->layers[index].n_full_moments : self->layers[index].n_moments;
}

/* The map of layer index, as its readers see it. */
static PrismCudaMap
get_map (PrismCudaDecoder *self,
         int index)
{
  const PrismCudaLayer *layer = &self->layers[index];
  const PrismLayer *plan = layer->plan;

  return (PrismCudaMap) {
    .channels = plan->out_channels,
    .size = plan->out_size,
    .y = layer->y,
    .moments = layer->all_moments != NULL ? layer->all_moments : layer->moments,
    .n_moments = layer->all_moments != NULL ? 1 : get_n_moments (self, index),
    .scale = plan->norm ? self->values + plan->scale : NULL,
    .shift = plan->norm ? self->values + plan->shift : NULL,
    .norm = layer->norm,
    .gradient = layer->gradient,
    .sums = layer->all_sums != NULL ? layer->all_sums : layer->sums,
    .n_sums = layer->all_sums != NULL ? 1 : layer->n_sums,
  };
}

static PrismCudaImage
get_image (PrismCudaDecoder *self)
{
  const PrismCudaLayer *last = &self->layers[self->plan.n_layers - 1];

  return (PrismCudaImage) {
    .size = self->plan.object_size,
    .activation = last->plan->activation,
    .bias = self->values + last->plan->bias,
    .output = self->output,
    .output_gradient = self->output_gradient,
    .bias_sums = last->sums,
  };
}

/* Layer index ≥ 1 as a product; stop: whether the kernels end at once when a chunk is done. */
static PrismCudaProduct
get_product (PrismCudaDecoder *self,
             int index,
             gboolean stop)
{
  const PrismCudaLayer *layer = &self->layers[index];
  PrismCudaProduct product = layer->shape;

  if (self->full)
    {
      product.forward = layer->full_forward;
      product.precision = PRISM_CUDA_PRECISION_FP32;
    }
  product.in = get_map (self, index - 1);
  product.out = get_map (self, index);
  if (prism_cuda_decoder_is_image (self, index))
    product.image = get_image (self);
  product.weight = self->values + layer->plan->weight;
  product.weight_gradient
      = layer->weight_parts != NULL ? layer->weight_parts : self->gradient + layer->plan->weight;
  product.control = *self->control;
  product.stop = stop ? &(*self->control)->done : NULL;
  return product;
}

static PrismCudaExpand
get_expand (PrismCudaDecoder *self,
            gboolean stop)
{
  gsize weight = self->plan.layers[0].weight;
  PrismCudaExpand expand = {
    .latent = self->plan.latent,
    .out = get_map (self, 0),
    .values = self->values,
    .first = self->first,
    .second = self->second,
    .largest = self->largest,
    .weight = self->values + weight,
    .weight_first = self->first + weight,
    .weight_second = self->second + weight,
    .weight_largest = self->largest != NULL ? self->largest + weight : NULL,
    .values_gradient = self->gradient,
    .weight_gradient = self->gradient + weight,
    .partials = self->expanded,
    .map_gradient = self->expanded_gradient,
    .control = *self->control,
    .stop = stop ? &(*self->control)->done : NULL,
  };

  prism_cuda_expand_split (&expand);
  return expand;
}

/**
 * prism_cuda_decoder_refresh:
 * @self: a decoder whose parameters were written
 * @stream: where to queue
 *
 * Computes the product of the first layer, which otherwise the update before left.
 *
 * Thread: engine.
 *
 * Returns: the launch's status
 */
cudaError_t
prism_cuda_decoder_refresh (PrismCudaDecoder *self,
                            cudaStream_t stream)
{
  PrismCudaExpand expand = get_expand (self, FALSE);

  return prism_cuda_expand_multiply (&expand, stream);
}

/* The product of layer index ≥ 1 and the statistics of its map. */
static cudaError_t
forward_layer (PrismCudaDecoder *self,
               int index,
               gboolean stop,
               cudaStream_t stream)
{
  const PrismCudaLayer *layer = &self->layers[index];
  PrismCudaProduct product = get_product (self, index, stop);
  const int n_pixels = layer->plan->out_size * layer->plan->out_size;

  product.out.moments = layer->moments;
  product.out.n_moments = get_n_moments (self, index);
  PRISM_CUDA_TRY (prism_cuda_product_launch (&product, PRISM_CUDA_FORWARD, stream));
  if (layer->all_moments == NULL)
    return cudaSuccess;
  return prism_cuda_norm_merge_moments (layer->all_moments, layer->moments,
                                        layer->plan->out_channels, product.out.n_moments,
                                        n_pixels / product.out.n_moments, product.stop, stream);
}

/**
 * prism_cuda_decoder_forward:
 * @self: a decoder
 * @full_precision: whether all of it in single precision: an output that is to be looked at
 * @stop: whether the kernels end at once when a chunk is done, which leaves the output of its last
 * step: no step after it has changed a parameter
 * @stream: where to queue
 *
 * Computes the output from the parameters as they are.
 *
 * Thread: engine.
 * Source: numerics.md § 6.
 *
 * Returns: the launches' status
 */
cudaError_t
prism_cuda_decoder_forward (PrismCudaDecoder *self,
                            gboolean full_precision,
                            gboolean stop,
                            cudaStream_t stream)
{
  PrismCudaExpand expand = get_expand (self, stop);
  cudaError_t status = prism_cuda_expand_merge (&expand, stream);

  self->full = full_precision;
  for (int i = 1; i < self->plan.n_layers && status == cudaSuccess; i++)
    status = forward_layer (self, i, stop, stream);
  self->full = FALSE;
  return status;
}

static cudaError_t
merge_sums (const PrismCudaLayer *layer,
            const int32_t *stop,
            cudaStream_t stream)
{
  if (layer->all_sums == NULL)
    return cudaSuccess;
  return prism_cuda_norm_merge_sums (layer->all_sums, layer->sums, layer->plan->out_channels,
                                     layer->n_sums, stop, stream);
}

static cudaError_t
backward_map (PrismCudaDecoder *self,
              int index,
              PrismCudaProduct product,
              cudaStream_t stream)
{
  const PrismCudaLayer *layer = &self->layers[index];

  product.in.sums = layer[-1].sums;
  product.in.n_sums = layer[-1].n_sums;
  PRISM_CUDA_TRY (prism_cuda_product_launch (&product, PRISM_CUDA_BACKWARD, stream));
  PRISM_CUDA_TRY (merge_sums (layer - 1, product.stop, stream));
  return prism_cuda_decoder_is_image (self, index) ? merge_sums (layer, product.stop, stream)
                                                   : cudaSuccess;
}

/* All gradients, those of the weights as parts, beside the others, for which the next layer waits.
 * The streams are joined at the end. */
static cudaError_t
backward_layers (PrismCudaDecoder *self,
                 gboolean stop,
                 PrismCudaStreams *streams)
{
  PrismCudaExpand expand = get_expand (self, stop);

  for (int i = self->plan.n_layers - 1; i > 0; i--)
    {
      PrismCudaProduct product = get_product (self, i, stop);

      PRISM_CUDA_TRY (prism_cuda_fork (streams->main, streams->side, streams->fork));
      PRISM_CUDA_TRY (prism_cuda_product_launch (&product, PRISM_CUDA_WEIGHTS, streams->side));
      PRISM_CUDA_TRY (backward_map (self, i, product, streams->main));
    }
  /* Beside the weight gradient of layer 1. */
  PRISM_CUDA_TRY (prism_cuda_expand_gradient (&expand, streams->main));
  return prism_cuda_fork (streams->side, streams->main, streams->join);
}

/* An array of parameters whose gradient is the sum of n_parts parts of source. */
static void
add_array (PrismCudaUpdate *update,
           const float *source,
           gsize offset,
           gsize n_values,
           gsize stride,
           gsize part_stride,
           gsize n_parts)
{
  if (n_values > 0)
    prism_cuda_update_add (update,
                           (PrismCudaUpdateArray) {
                               .source = source,
                               .offset = offset,
                               .n_values = n_values,
                               .stride = stride,
                               .part_stride = part_stride,
                               .n_parts = n_parts,
                           });
}

static PrismCudaUpdate
get_empty_update (PrismCudaDecoder *self,
                  gboolean stop)
{
  return (PrismCudaUpdate) {
    .values = self->values,
    .first = self->first,
    .second = self->second,
    .largest = self->largest,
    .gradient = self->gradient,
    .control = *self->control,
    .stop = stop ? &(*self->control)->done : NULL,
  };
}

static PrismCudaUpdate
get_update (PrismCudaDecoder *self,
            gboolean stop)
{
  PrismCudaUpdate update = get_empty_update (self, stop);

  for (int i = 0; i < self->plan.n_layers; i++)
    {
      const gsize step = sizeof (PrismCudaSums) / sizeof (float);
      const PrismLayer *plan = self->layers[i].plan;
      const PrismCudaMap map = get_map (self, i);
      const gsize n_channels = plan->norm ? plan->out_channels : 0;

      if (i > 0)
        {
          const PrismCudaProduct product = get_product (self, i, stop);

          add_array (&update, product.weight_gradient, plan->weight, plan->n_weights, 1,
                     plan->n_weights, product.weights.n_splits);
        }
      /* The gradient of a norm's scale and shift are sums of its tiles: product and gradient. */
      add_array (&update, &map.sums->product, plan->scale, n_channels, step * map.n_sums, step,
                 map.n_sums);
      add_array (&update, &map.sums->gradient, plan->shift, n_channels, step * map.n_sums, step,
                 map.n_sums);
      if (prism_cuda_decoder_is_image (self, i))
        add_array (&update, &map.sums->gradient, plan->bias, 1, 0, step, map.n_sums);
      else if (plan->bias != PRISM_DECODER_NO_ARRAY)
        add_array (&update, self->bias_gradient, plan->bias, plan->out_channels, 1, 0, 1);
    }
  return update;
}

/* From the gradient as it was kept, but the first layer's: whole vectors, and what is left. */
static PrismCudaUpdate
get_clipped_update (PrismCudaDecoder *self)
{
  const PrismLayer *layer = &self->plan.layers[0];
  const gsize first = layer->weight + layer->n_weights, n = self->plan.n_parameters - first;
  const gsize whole = n / VALUES * VALUES;
  PrismCudaUpdate update = get_empty_update (self, TRUE);

  update.shortens = TRUE;
  add_array (&update, self->gradient + first, first, whole, 1, 0, 1);
  add_array (&update, self->gradient + first + whole, first + whole, n - whole, 1, 0, 1);
  return update;
}

/* Keeps the gradient, as its norm must be known before any of it is used. */
static cudaError_t
clip_gradient (PrismCudaDecoder *self,
               const PrismCudaExpand *expand,
               cudaStream_t stream)
{
  const PrismCudaUpdate update = get_update (self, TRUE);
  const PrismCudaClip clip = {
    .gradient = self->gradient,
    .map_gradient = self->expanded_gradient,
    .partials = self->clip_partials,
    .n_values = self->plan.n_parameters,
    .n_map = self->plan.layers[0].n_weights / self->plan.latent,
    .control = *self->control,
    .stop = expand->stop,
  };

  PRISM_CUDA_TRY (prism_cuda_update_collect (&update, stream));
  PRISM_CUDA_TRY (prism_cuda_expand_differentiate (expand, stream));
  return prism_cuda_clip_shorten (&clip, stream);
}

/**
 * prism_cuda_decoder_backward:
 * @self: a decoder whose last operation was a forward pass
 * @streams: the two streams
 *
 * Computes the gradient of all parameters from that of the output and keeps it. Runs also when a
 * chunk is done.
 *
 * Thread: engine.
 *
 * Returns: the launches' status
 */
cudaError_t
prism_cuda_decoder_backward (PrismCudaDecoder *self,
                             PrismCudaStreams *streams)
{
  PrismCudaExpand expand = get_expand (self, FALSE);
  PrismCudaUpdate update = get_update (self, FALSE);

  PRISM_CUDA_TRY (backward_layers (self, FALSE, streams));
  PRISM_CUDA_TRY (prism_cuda_update_collect (&update, streams->main));
  return prism_cuda_expand_differentiate (&expand, streams->main);
}

/**
 * prism_cuda_decoder_update:
 * @self: a decoder whose last operation was a forward pass
 * @clips: whether to shorten the gradient to the clip_norm of the step under way
 * @streams: the two streams
 *
 * Computes all gradients, has them checked, and does the Adam step unless control->no_update. The
 * first layer's gradient is stored only to be shortened; what the next forward pass needs of it is
 * left behind. Does nothing when a chunk is done.
 *
 * Thread: engine.
 *
 * Returns: the launches' status
 */
cudaError_t
prism_cuda_decoder_update (PrismCudaDecoder *self,
                           gboolean clips,
                           PrismCudaStreams *streams)
{
  PrismCudaExpand expand = get_expand (self, TRUE);
  PrismCudaUpdate update = clips ? get_clipped_update (self) : get_update (self, TRUE);

  PRISM_CUDA_TRY (backward_layers (self, TRUE, streams));
  if (clips)
    PRISM_CUDA_TRY (clip_gradient (self, &expand, streams->main));
  PRISM_CUDA_TRY (prism_cuda_fork (streams->main, streams->side, streams->fork));
  PRISM_CUDA_TRY (prism_cuda_update_step (&update, streams->side));
  PRISM_CUDA_TRY (prism_cuda_expand_sweep (&expand, streams->main));
  return prism_cuda_fork (streams->side, streams->main, streams->join);
}
