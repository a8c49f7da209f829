#include "config.h"

#include "prism-cuda-decoder-kernels.h"
#include "prism-cuda-decoder-private.h"
#include "prism-cuda-tiling.h"

#include <glib/gi18n-lib.h>

#define FIRST_PIXELS 16

/* What the first layer's kernels are tested for. */
#define MIN_LATENT 64
#define MAX_LATENT 4096

static gsize
count_map (const PrismLayer *layer)
{
  return (gsize) layer->out_channels * layer->out_size * layer->out_size;
}

static int
count_moments (const PrismLayer *plan,
               const PrismCudaTiling *forward)
{
  return prism_cuda_tiling_count (forward, plan->kind == PRISM_LAYER_DOUBLE ? plan->in_size
                                                                            : plan->out_size);
}

/* Sizes and tilings of layer index, and how many partial results they make. */
static void
plan_layer (PrismCudaDecoder *self,
            int index)
{
  PrismCudaLayer *layer = &self->layers[index];
  const PrismLayer *plan = &self->plan.layers[index];
  PrismCudaProduct *shape = &layer->shape;

  layer->plan = plan;
  layer->n_moments = layer->n_full_moments = 1;
  if (index == 0)
    return;
  shape->in.channels = plan->in_channels;
  shape->in.size = plan->in_size;
  shape->out.channels = plan->out_channels;
  shape->out.size = plan->out_size;
  shape->padding = plan->padding;
  if (plan->kind == PRISM_LAYER_DOUBLE)
    prism_cuda_tiling_plan_double (shape);
  else
    prism_cuda_tiling_plan_convolve (shape, prism_cuda_decoder_is_last (self, index));
  layer->full_forward = shape->forward;
  if (plan->kind == PRISM_LAYER_DOUBLE && prism_cuda_mixed_plan_double (shape, self->precision))
    layer->precision = self->precision;
  layer->n_moments = count_moments (plan, &shape->forward);
  layer->n_full_moments = count_moments (plan, &layer->full_forward);
  layer[-1].n_sums = prism_cuda_tiling_count (&shape->backward, plan->in_size);
  if (prism_cuda_decoder_is_last (self, index))
    layer->n_sums = layer[-1].n_sums;
}

static void
add_floats (PrismCudaArena *arena,
            float **slot,
            gsize n_values)
{
  prism_cuda_arena_add_array (arena, (void **) slot, n_values * sizeof (float));
}

static void
add_map (PrismCudaLayer *layer,
         PrismCudaArena *arena)
{
  gsize n = count_map (layer->plan), n_channels = layer->plan->out_channels;
  gsize n_moments = MAX (layer->n_moments, layer->n_full_moments);

  add_floats (arena, &layer->y, n);
  add_floats (arena, &layer->gradient, n);
  prism_cuda_arena_add_array (arena, (void **) &layer->norm, n_channels * sizeof *layer->norm);
  prism_cuda_arena_add_array (arena, (void **) &layer->moments,
                              n_channels * n_moments * sizeof *layer->moments);
  if (n_moments > PRISM_CUDA_MAX_PARTS)
    prism_cuda_arena_add_array (arena, (void **) &layer->all_moments,
                                n_channels * sizeof *layer->all_moments);
}

static void
add_layer (PrismCudaDecoder *self,
           PrismCudaArena *arena,
           int index)
{
  PrismCudaLayer *layer = &self->layers[index];
  gsize n_channels = layer->plan->out_channels;

  if (!prism_cuda_decoder_is_last (self, index))
    add_map (layer, arena);
  prism_cuda_arena_add_array (arena, (void **) &layer->sums,
                              n_channels * layer->n_sums * sizeof *layer->sums);
  if (layer->n_sums > PRISM_CUDA_MAX_PARTS)
    prism_cuda_arena_add_array (arena, (void **) &layer->all_sums,
                                n_channels * sizeof *layer->all_sums);
  if (index > 0 && layer->shape.weights.n_splits > 1)
    add_floats (arena, &layer->weight_parts,
                layer->shape.weights.n_splits * layer->plan->n_weights);
}

static int
count_expand_blocks (const PrismCudaDecoder *self)
{
  PrismCudaExpand expand = { .latent = self->plan.latent };

  prism_cuda_expand_split (&expand);
  return expand.n_blocks;
}

static void
add_arrays (PrismCudaDecoder *self,
            PrismCudaArena *arena)
{
  gsize n = self->plan.n_parameters;
  gsize n_pixels = (gsize) self->plan.object_size * self->plan.object_size;
  gsize width = (gsize) self->plan.layers[0].out_channels * FIRST_PIXELS;

  add_floats (arena, &self->values, n);
  add_floats (arena, &self->first, n);
  add_floats (arena, &self->second, n);
  if (self->amsgrad)
    add_floats (arena, &self->largest, n);
  add_floats (arena, &self->gradient, n);
  add_floats (arena, &self->output, n_pixels);
  add_floats (arena, &self->output_gradient, n_pixels);
  add_floats (arena, &self->expanded, count_expand_blocks (self) * width);
  add_floats (arena, &self->expanded_gradient, width);
  prism_cuda_arena_add_array (arena, (void **) &self->clip_partials,
                              PRISM_CUDA_CLIP_N_PARTIALS * sizeof *self->clip_partials);
  for (int i = 0; i < self->plan.n_layers; i++)
    add_layer (self, arena, i);
}

static gboolean
has_norms (const PrismDecoderPlan *plan)
{
  for (int i = 0; i < plan->n_layers - 1; i++)
    if (!plan->layers[i].norm)
      return FALSE;
  return TRUE;
}

static gboolean
halves_channels (const PrismDecoderPlan *plan)
{
  for (int i = 0; i < plan->n_layers; i++)
    if (2 * plan->layers[i].out_channels != plan->layers[i].in_channels)
      return FALSE;
  return TRUE;
}

/**
 * prism_cuda_decoder_dup_unsupported_reason:
 * @plan: a plan
 *
 * The kernels read weights 16 bytes at a time and their tiles are planned and tested for layers
 * that halve the channels of a power of two; every norm is theirs, too. Activations of the output,
 * start values and any such latent vector are free.
 *
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): what of the plan they do not take, in one sentence
 */
char *
prism_cuda_decoder_dup_unsupported_reason (const PrismDecoderPlan *plan)
{
  if (!has_norms (plan))
    return g_strdup (_ ("The GPU computes no decoder without batch norm (norm)."));
  if (plan->latent < MIN_LATENT || plan->latent > MAX_LATENT
      || (plan->latent & (plan->latent - 1)) != 0)
    return g_strdup_printf (_ ("The GPU computes no decoder with a latent vector of %d: it must be"
                               " a power of two from %d to %d (latent)."),
                            plan->latent, MIN_LATENT, MAX_LATENT);
  if (!halves_channels (plan))
    return g_strdup (_ ("The GPU computes only decoders whose every layer has half the channels of"
                        " the one before (channels, depth, latent)."));
  return NULL;
}

/**
 * prism_cuda_decoder_plan:
 * @self: (inout): a decoder with its layers, precision, recomputation and optimiser set
 * @arena: where the arrays will come from
 *
 * Plans the kernels of each layer and registers every array. Does not touch the device.
 *
 * Thread: engine.
 */
void
prism_cuda_decoder_plan (PrismCudaDecoder *self,
                         PrismCudaArena *arena)
{
  for (int i = 0; i < self->plan.n_layers; i++)
    plan_layer (self, i);
  add_arrays (self, arena);
}
