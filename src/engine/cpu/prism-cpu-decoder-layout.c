#include "config.h"

#include "cpu/prism-cpu-decoder-private.h"

#define B PRISM_CPU_BLOCK
#define MAX_STRIPS 16
#define MAX_CHUNKS 16
#define MIN_ROWS 4

/* Arrays that are read in step with each other start on different cache sets: three streams at
 * equal addresses modulo 4096 cost the sweep over the first layer a fifth of its speed. */
#define STAGGER_BYTES 1344

static gsize
round_up (gsize n)
{
  return (n + B - 1) / B * B;
}

static void
set_shape (PrismCpuLayer *layer,
           const PrismLayer *plan,
           const PrismCpuLayer *previous)
{
  layer->plan = plan;
  layer->blocked = plan->kind == PRISM_LAYER_EXPAND
                   || (plan->kind == PRISM_LAYER_DOUBLE && previous->blocked
                       && (plan->out_channels >= B || plan->in_size < B));
  layer->in_channels
      = layer->blocked && previous != NULL ? previous->out_channels : plan->in_channels;
  layer->out_channels = layer->blocked ? (int) round_up (plan->out_channels) : plan->out_channels;
  layer->in_size = plan->in_size;
  layer->out_size = plan->kind == PRISM_LAYER_CONVOLVE ? plan->in_size : plan->out_size;
  layer->n_strips = CLAMP (plan->in_size / MIN_ROWS, 1, MAX_STRIPS);
  layer->strip_rows = plan->in_size / layer->n_strips;
}

static gsize
take_values (PrismCpuDecoder *self,
             gsize n_values)
{
  gsize offset = self->n_values;

  self->n_values += round_up (n_values);
  return offset;
}

static void
take_parameters (PrismCpuDecoder *self,
                 PrismCpuLayer *layer)
{
  gsize n_pairs = (gsize) layer->in_channels * layer->out_channels;

  layer->n_weights = n_pairs * PRISM_CPU_PLANAR_TAPS;
  layer->weight = take_values (self, layer->n_weights);
  layer->bias = PRISM_DECODER_NO_ARRAY;
  layer->scale = PRISM_DECODER_NO_ARRAY;
  layer->shift = PRISM_DECODER_NO_ARRAY;
  if (!layer->plan->norm)
    {
      layer->bias = take_values (self, layer->out_channels);
      return;
    }
  layer->scale = take_values (self, layer->out_channels);
  layer->shift = take_values (self, layer->out_channels);
}

static void
add_floats (PrismCpuDecoder *self,
            float **slot,
            gsize n_values)
{
  prism_arena_add_array (self->arena, (gpointer *) slot, n_values * sizeof (float));
}

/**
 * prism_cpu_decoder_get_x_size:
 * @layer: a layer but the last
 *
 * Returns: values of its x with border
 */
gsize
prism_cpu_decoder_get_x_size (const PrismCpuLayer *layer)
{
  gsize s = layer->out_size;

  return layer->out_channels
         * (layer->next_blocked ? PRISM_CPU_BLOCKED_SIZE (s) : PRISM_CPU_PLANE_SIZE (s));
}

static gsize
get_gout_size (const PrismCpuLayer *layer)
{
  gsize s = layer->out_size;

  if (layer->plan->kind == PRISM_LAYER_EXPAND)
    return layer->out_channels * s * s;
  if (layer->blocked)
    return layer->out_channels * (s + 2) * (s + 2);
  if (layer->plan->kind == PRISM_LAYER_DOUBLE)
    return layer->out_channels * 4 * PRISM_CPU_PLANE_SIZE (layer->in_size);
  return layer->out_channels * PRISM_CPU_PLANE_SIZE (layer->in_size);
}

static void
add_norm (PrismCpuDecoder *self,
          PrismCpuLayer *layer)
{
  gsize n = round_up (layer->out_channels);

  add_floats (self, &layer->norm.mean, n);
  add_floats (self, &layer->norm.gain, n);
  add_floats (self, &layer->norm.shift, n);
  add_floats (self, &layer->norm.offset, n);
  add_floats (self, &layer->norm.slope, n);
  add_floats (self, &layer->deviation, n);
}

static gsize
get_map_size (const PrismCpuLayer *layer)
{
  return layer->out_channels * PRISM_CPU_MAP_SIZE (layer->out_size);
}

static void
add_maps (PrismCpuDecoder *self,
          PrismCpuLayer *layer)
{
  gsize n_channels = layer->out_channels;
  gboolean last = layer == &self->layers[self->plan.n_layers - 1];

  add_floats (self, &layer->partials, MAX_STRIPS * 2 * round_up (n_channels));
  add_norm (self, layer);
  if (self->mode == PRISM_CPU_DECODER_FORWARD)
    return;
  add_floats (self, &layer->y, get_map_size (layer));
  if (layer->plan->kind == PRISM_LAYER_CONVOLVE)
    add_floats (self, &layer->turned, layer->n_weights);
  add_floats (self, &layer->gout, get_gout_size (layer));
  if (!last)
    add_floats (self, &layer->x, prism_cpu_decoder_get_x_size (layer));
}

/* Values that a worker needs for a task of this layer, whichever it is. */
static gsize
get_scratch_size (PrismCpuDecoder *self,
                  const PrismCpuLayer *layer)
{
  const PrismCpuBlockedShape shape = prism_cpu_decoder_get_blocked_shape (layer);

  if (layer->plan->kind == PRISM_LAYER_EXPAND)
    return 0;
  if (layer->blocked)
    return self->kernels->blocked->get_scratch_size (&shape);
  return B * prism_cpu_decoder_get_strip_plane (layer);
}

static void
add_shared (PrismCpuDecoder *self)
{
  int n_threads = prism_pool_get_n_threads (self->pool);
  gsize m = self->plan.object_size;
  gsize largest = 0, largest_x = 0;

  self->scratch_size = PRISM_CPU_DECODER_MIN_SCRATCH;
  for (int i = 0; i < self->plan.n_layers; i++)
    {
      const PrismCpuLayer *layer = &self->layers[i];

      largest = MAX (largest, get_map_size (layer));
      if (i < self->plan.n_layers - 1)
        largest_x = MAX (largest_x, prism_cpu_decoder_get_x_size (layer));
      self->scratch_size = MAX (self->scratch_size, round_up (get_scratch_size (self, layer)));
    }
  if (self->mode == PRISM_CPU_DECODER_FORWARD)
    {
      add_floats (self, &self->shared_x, largest_x);
      add_floats (self, &self->shared_y, largest);
    }
  else
    add_floats (self, &self->gin, largest);
  add_floats (self, &self->output, self->layers[self->plan.n_layers - 1].out_channels * m * m);
  add_floats (self, &self->expanded,
              self->n_chunks * self->layers[0].n_weights / self->plan.latent);
  add_floats (self, &self->scratch, n_threads * self->scratch_size);
  prism_arena_add_array (self->arena, (gpointer *) &self->not_finite, n_threads * PRISM_ALIGNMENT);
}

static void
add_parameters (PrismCpuDecoder *self)
{
  gsize n_bytes = self->n_values * sizeof (float);

  prism_arena_add_array (self->arena, (gpointer *) &self->parameters.values,
                         n_bytes + STAGGER_BYTES);
  if (self->mode == PRISM_CPU_DECODER_FORWARD)
    return;
  prism_arena_add_array (self->arena, (gpointer *) &self->parameters.first,
                         n_bytes + STAGGER_BYTES);
  prism_arena_add_array (self->arena, (gpointer *) &self->parameters.second, n_bytes);
}

/**
 * prism_cpu_decoder_plan_arrays:
 * @self: a decoder with plan, pool and an arena that is not allocated
 *
 * Chooses the layout of each layer and adds all arrays of the decoder to its arena.
 */
void
prism_cpu_decoder_plan_arrays (PrismCpuDecoder *self)
{
  int n_layers = self->plan.n_layers;

  self->n_values = 0;
  take_values (self, self->plan.latent);
  for (int i = 0; i < n_layers; i++)
    {
      set_shape (&self->layers[i], &self->plan.layers[i], i > 0 ? &self->layers[i - 1] : NULL);
      take_parameters (self, &self->layers[i]);
      if (i > 0)
        self->layers[i - 1].next_blocked = self->layers[i].blocked;
    }
  self->chunk_rows = MAX (MIN_ROWS, self->plan.latent / MAX_CHUNKS);
  self->n_chunks = (self->plan.latent + self->chunk_rows - 1) / self->chunk_rows;

  add_parameters (self);
  for (int i = 0; i < n_layers; i++)
    add_maps (self, &self->layers[i]);
  add_shared (self);
}

/**
 * prism_cpu_decoder_share_arrays:
 * @self: a decoder whose arena is allocated
 *
 * Points the layers at the arrays that they share in its mode.
 */
void
prism_cpu_decoder_share_arrays (PrismCpuDecoder *self)
{
  if (self->mode == PRISM_CPU_DECODER_TRAIN)
    return;
  for (int i = 0; i < self->plan.n_layers; i++)
    {
      self->layers[i].x = self->shared_x;
      self->layers[i].y = self->shared_y;
    }
}
