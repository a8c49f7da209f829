#include "config.h"

#include "prism-cpu-decoder-private.h"

#include <math.h>
#include <string.h>

#define B PRISM_CPU_BLOCK
#define TAPS PRISM_CPU_PLANAR_TAPS
#define PARITIES 4
#define PLANAR_GROUP 4

/* Input channels of one task of a blocked layer's weights: few tasks want small ones. */
#define LARGE_TASK 16
#define SMALL_TASK 4
#define MANY_PAIRS 256

static PrismCpuParameters
get_parameters_at (PrismCpuDecoder *self,
                   gsize offset)
{
  return (PrismCpuParameters) {
    self->parameters.values + offset,
    self->parameters.first + offset,
    self->parameters.second + offset,
  };
}

/* Adam with a gradient of n_values (a multiple of 16), or keeping it where there is no Adam. */
static void
use_gradient (PrismCpuDecoder *self,
              gsize offset,
              const float *gradient,
              gsize n_values,
              guint worker)
{
  if (self->adam == NULL)
    memcpy (self->gradient + offset, gradient, n_values * sizeof (float));
  else if (!self->kernels->update->step (self->adam, get_parameters_at (self, offset), gradient, n_values))
    self->not_finite[worker * B] = TRUE;
}

/* Asks for what use_gradient() will need, so that it arrives while the gradient is computed. */
static void
prefetch_parameters (PrismCpuDecoder *self,
                     gsize offset,
                     gsize n_values)
{
  for (gsize i = offset; i < offset + n_values; i += B)
    {
      __builtin_prefetch (self->parameters.values + i, 0, 2);
      __builtin_prefetch (self->parameters.first + i, 0, 2);
      __builtin_prefetch (self->parameters.second + i, 0, 2);
    }
}

/* Gradient of the last map from that of the output; outside of the object it stays zero. The sum of
 * each strip is the bias's. */
static void
run_output_task (gpointer data,
                 guint chunk,
                 guint worker)
{
  PrismCpuDecoder *self = data;
  PrismCpuLayer *layer = &self->layers[self->plan.n_layers - 1];
  int m = self->plan.object_size;
  int cut = prism_cpu_decoder_get_cut (self);
  int frame = prism_cpu_decoder_has_frame (self) ? 1 : 0;
  int first = MAX (cut, frame);
  int last = MIN (cut + m, layer->out_size - frame);
  int first_row = chunk * layer->strip_rows;
  double sum = 0.0;

  for (int row = MAX (first_row, first); row < MIN (first_row + layer->strip_rows, last); row++)
    {
      gsize pixel = (gsize) (row - cut) * m + first - cut;
      float *gout = layer->gout + PRISM_CPU_PLANE_START (layer->in_size)
                    + row * PRISM_CPU_PLANE_STRIDE (layer->in_size) + first;

      self->kernels->activation->backward (layer->plan->activation, gout, self->output_gradient + pixel,
                                           self->output + pixel, last - first);
      for (int i = 0; i < last - first; i++)
        sum += gout[i];
    }
  layer->partials[chunk] = sum;
}

/* gin of one block for the rows of a strip, and its sums for the norm of the layer before. */
static void
compute_input_blocked (PrismCpuDecoder *self,
                       PrismCpuLayer *layer,
                       int block,
                       int first_row,
                       float *partials)
{
  const PrismCpuBlockedShape shape = { layer->in_size, layer->in_channels / B, layer->out_channels / B };
  const PrismCpuLayer *previous = layer - 1;
  gsize h = layer->in_size;
  gsize start = (block * h + first_row) * h * B;

  self->kernels->blocked->backward_data (&shape, self->gin, layer->gout,
                                         self->parameters.values + layer->weight, block, first_row,
                                         layer->strip_rows);
  self->kernels->norm->reduce_blocked (&previous->norm, block * B, self->gin + start,
                                       previous->y + start, layer->strip_rows * h, partials + block * B,
                                       partials + previous->out_channels + block * B);
}

static void
compute_input_planar (PrismCpuDecoder *self,
                      PrismCpuLayer *layer,
                      float *gin,
                      int first_channel,
                      int n_channels,
                      int first_row)
{
  const PrismCpuPlanarShape shape = { layer->in_size, layer->in_channels, layer->out_channels };

  if (layer->plan->kind == PRISM_LAYER_DOUBLE)
    self->kernels->doubling->backward_data (&shape, gin, layer->gout,
                                            self->parameters.values + layer->weight, first_channel,
                                            n_channels, first_row, layer->strip_rows);
  else
    self->kernels->convolve->backward_data (&shape, gin, layer->gout, layer->turned, first_channel,
                                            n_channels, first_row, layer->strip_rows);
}

static void
reduce_planar (PrismCpuDecoder *self,
               PrismCpuLayer *layer,
               int first_channel,
               int n_channels,
               int first_row,
               float *partials)
{
  const PrismCpuLayer *previous = layer - 1;
  gsize h = layer->in_size;

  for (int c = first_channel; c < first_channel + n_channels; c++)
    {
      gsize start = (c * h + first_row) * h;

      self->kernels->norm->reduce_planar (&previous->norm, c, self->gin + start, previous->y + start,
                                          layer->strip_rows * h, partials + c,
                                          partials + previous->out_channels + c);
    }
}

static void
reduce_transposed (PrismCpuDecoder *self,
                   PrismCpuLayer *layer,
                   int block,
                   int first_row,
                   float *partials)
{
  const PrismCpuLayer *previous = layer - 1;
  gsize h = layer->in_size;
  gsize start = (block * h + first_row) * h * B;

  self->kernels->norm->transpose (self->gin + start,
                                  self->gin_planar + (block * B * h + first_row) * h, h * h,
                                  layer->strip_rows * h);
  self->kernels->norm->reduce_blocked (&previous->norm, block * B, self->gin + start,
                                       previous->y + start, layer->strip_rows * h, partials + block * B,
                                       partials + previous->out_channels + block * B);
}

/* Channels of the layer before that one task takes. */
static int
get_input_group (const PrismCpuLayer *layer)
{
  return layer[-1].blocked ? B : PLANAR_GROUP;
}

static guint
count_input_groups (const PrismCpuLayer *layer)
{
  return (layer[-1].out_channels + get_input_group (layer) - 1) / get_input_group (layer);
}

static void
run_input_task (gpointer data,
                guint chunk,
                guint worker)
{
  PrismCpuDecoder *self = data;
  PrismCpuLayer *layer = &self->layers[self->current];
  int strip = chunk % layer->n_strips;
  int group = chunk / layer->n_strips;
  int first_row = strip * layer->strip_rows;
  int first_channel = group * get_input_group (layer);
  int n_channels = MIN (get_input_group (layer), layer->in_channels - first_channel);
  float *partials = layer[-1].partials + strip * 2 * layer[-1].out_channels;

  if (layer->blocked)
    compute_input_blocked (self, layer, group, first_row, partials);
  else if (layer[-1].blocked)
    {
      compute_input_planar (self, layer, self->gin_planar, first_channel, n_channels, first_row);
      reduce_transposed (self, layer, group, first_row, partials);
    }
  else
    {
      compute_input_planar (self, layer, self->gin, first_channel, n_channels, first_row);
      reduce_planar (self, layer, first_channel, n_channels, first_row, partials);
    }
}

/* Sums of the strips of the layer before: gradients of its scale and shift, constants of its norm's
 * gradient. norm.gain and norm.shift keep the values of the forward pass. */
static void
finish_norm_gradient (PrismCpuDecoder *self,
                      PrismCpuLayer *layer,
                      int n_strips)
{
  double n_pixels = (double) layer->out_size * layer->out_size;
  int n = layer->out_channels;
  float *scale_gradient = layer->partials, *shift_gradient = layer->partials + n;

  for (int c = 0; c < n; c++)
    {
      double sum = 0.0, product = 0.0;

      for (int i = 0; i < n_strips; i++)
        {
          sum += layer->partials[i * 2 * n + c];
          product += layer->partials[(i * 2 + 1) * n + c];
        }
      layer->norm.offset[c] = sum / n_pixels;
      layer->norm.slope[c] = product * layer->deviation[c] * layer->deviation[c] / n_pixels;
      scale_gradient[c] = product * layer->deviation[c];
      shift_gradient[c] = sum;
    }
}

static void
use_norm_gradient (PrismCpuDecoder *self,
                   PrismCpuLayer *layer)
{
  int n = layer->out_channels;

  for (int c = 0; c < n; c += B)
    {
      float scale[B] = { 0 }, shift[B] = { 0 };
      int n_here = MIN (B, n - c);

      memcpy (scale, layer->partials + c, n_here * sizeof (float));
      memcpy (shift, layer->partials + n + c, n_here * sizeof (float));
      use_gradient (self, layer->scale + c, scale, B, 0);
      use_gradient (self, layer->shift + c, shift, B, 0);
    }
}

static void
apply_row_blocked (PrismCpuDecoder *self,
                   PrismCpuLayer *layer,
                   int channel,
                   int row)
{
  gsize s = layer->out_size;
  gsize start = channel * s * s + row * s * B;
  float *gout = layer->gout + start;

  if (layer->plan->kind != PRISM_LAYER_EXPAND)
    gout = layer->gout + channel * (s + 2) * (s + 2) + ((row + 1) * (s + 2) + 1) * B;
  self->kernels->norm->backward_blocked (&layer->norm, channel, gout, self->gin + start,
                                         layer->y + start, s);
}

static void
apply_row_planar (PrismCpuDecoder *self,
                  PrismCpuLayer *layer,
                  int channel,
                  int row)
{
  int h = layer->in_size;
  gsize s = layer->out_size;
  gsize plane = PRISM_CPU_PLANE_SIZE (h);
  gsize start = (channel * s + row) * s;
  const float *g = self->gin + start, *y = layer->y + start;
  float *gout = layer->gout + PRISM_CPU_PLANE_START (h);

  if (layer->plan->kind == PRISM_LAYER_DOUBLE)
    {
      gout += (channel * PARITIES + row % 2 * 2) * plane + row / 2 * PRISM_CPU_PLANE_STRIDE (h);
      self->kernels->norm->backward_split (&layer->norm, channel, gout, gout + plane, g, y, s);
    }
  else
    {
      gout += channel * plane + row * PRISM_CPU_PLANE_STRIDE (h);
      self->kernels->norm->backward_planar (&layer->norm, channel, gout, g, y, s);
    }
}

/* gout of the layer before, for a group of channels and a strip of rows. */
static void
apply_norm_gradient (PrismCpuDecoder *self,
                     PrismCpuLayer *layer,
                     int task)
{
  PrismCpuLayer *previous = layer - 1;
  int first_row = task % layer->n_strips * layer->strip_rows;
  int first_channel = task / layer->n_strips * get_input_group (layer);
  int n_channels = MIN (get_input_group (layer), previous->out_channels - first_channel);

  for (int row = first_row; row < first_row + layer->strip_rows; row++)
    if (previous->blocked)
      apply_row_blocked (self, previous, first_channel, row);
    else
      for (int c = first_channel; c < first_channel + n_channels; c++)
        apply_row_planar (self, previous, c, row);
}

static int
get_weight_group (const PrismCpuLayer *layer)
{
  if (!layer->blocked)
    return PLANAR_GROUP;
  return layer->out_channels / B * layer->in_channels >= MANY_PAIRS ? LARGE_TASK : SMALL_TASK;
}

/* Blocked: blocks of the output times groups of the input; planar: groups of both. */
static guint
count_weight_tasks (const PrismCpuLayer *layer)
{
  int group = get_weight_group (layer);
  int n_out = layer->blocked ? layer->out_channels / B : (layer->out_channels + group - 1) / group;

  return (layer->in_channels + group - 1) / group * n_out;
}

static void
compute_weights_blocked (PrismCpuDecoder *self,
                         PrismCpuLayer *layer,
                         int task,
                         guint worker)
{
  const PrismCpuBlockedShape shape = { layer->in_size, layer->in_channels / B, layer->out_channels / B };
  int group = get_weight_group (layer);
  int n_groups = layer->in_channels / group;
  int block = task / n_groups, first_in = task % n_groups * group;
  gsize size = (gsize) group * 4 * B;
  float *scratch = self->scratch + worker * PRISM_CPU_DECODER_SCRATCH;

  for (int parity = 0; parity < PARITIES; parity++)
    {
      gsize offset = layer->weight + ((gsize) (block * PARITIES + parity) * layer->in_channels + first_in) * 4 * B;

      if (self->adam != NULL)
        prefetch_parameters (self, offset, size);
      self->kernels->blocked->backward_weights (&shape, scratch, layer[-1].x, layer->gout, block, parity,
                                                first_in, group);
      use_gradient (self, offset, scratch, size, worker);
    }
}

static void
compute_weights_planar (PrismCpuDecoder *self,
                        PrismCpuLayer *layer,
                        int task,
                        guint worker)
{
  const PrismCpuPlanarShape shape = { layer->in_size, layer->in_channels, layer->out_channels };
  gboolean doubling = layer->plan->kind == PRISM_LAYER_DOUBLE;
  int n_groups = (layer->in_channels + PLANAR_GROUP - 1) / PLANAR_GROUP;
  int first_in = task % n_groups * PLANAR_GROUP, first_out = task / n_groups * PLANAR_GROUP;
  int n_in = MIN (PLANAR_GROUP, layer->in_channels - first_in);
  int n_out = MIN (PLANAR_GROUP, layer->out_channels - first_out);
  float *scratch = self->scratch + worker * PRISM_CPU_DECODER_SCRATCH;
  const PrismCpuPlanarKernels *kernels = doubling ? self->kernels->doubling : self->kernels->convolve;

  memset (scratch, 0, PLANAR_GROUP * PLANAR_GROUP * TAPS * sizeof (float));
  kernels->backward_weights (&shape, scratch, layer[-1].x, layer->gout, first_in, n_in, first_out, n_out);
  for (int o = 0; o < n_out; o++)
    for (int i = 0; i < n_in; i++)
      {
        gsize in = first_in + i, out = first_out + o;
        gsize pair = doubling ? in * layer->out_channels + out : out * layer->in_channels + in;

        use_gradient (self, layer->weight + pair * TAPS, scratch + (o * n_in + i) * TAPS, TAPS, worker);
      }
}

/* The weights of a layer and, independently of them, the gradient of the map before: both need the
 * whole of run_input_task(), since it reads the weights and makes the sums. */
static void
run_weight_task (gpointer data,
                 guint chunk,
                 guint worker)
{
  PrismCpuDecoder *self = data;
  PrismCpuLayer *layer = &self->layers[self->current];
  guint n_weight_tasks = count_weight_tasks (layer);

  if (chunk >= n_weight_tasks)
    apply_norm_gradient (self, layer, chunk - n_weight_tasks);
  else if (layer->blocked)
    compute_weights_blocked (self, layer, chunk, worker);
  else
    compute_weights_planar (self, layer, chunk, worker);
}

/* Every other sweep runs backwards, so that what the last one left in the cache is used first. The
 * results do not depend on the order of the chunks. */
static void
run_sweep_task (gpointer data,
                guint chunk,
                guint worker)
{
  PrismCpuDecoder *self = data;
  const PrismCpuLayer *layer = &self->layers[0];
  gsize width = layer->n_weights / self->plan.latent;
  int index = self->sweep_reversed ? self->n_chunks - 1 - (int) chunk : (int) chunk;
  int first_row = index * self->chunk_rows;
  int n_rows = MIN (self->chunk_rows, self->plan.latent - first_row);
  gsize offset = layer->weight + first_row * width;

  if (self->adam == NULL)
    self->kernels->update->expand_backward (self->gradient + first_row, self->gradient + offset,
                                            self->parameters.values + first_row,
                                            self->parameters.values + offset, layer->gout, n_rows, width);
  else if (!self->kernels->update->expand_step (self->adam, self->expanded + index * width,
                                                get_parameters_at (self, first_row),
                                                get_parameters_at (self, offset), layer->gout, n_rows,
                                                width))
    self->not_finite[worker * B] = TRUE;
}

/* Weights turned by 180° with in and out exchanged: w [O][I] → turned [I][O]. */
static void
turn_weights (PrismCpuDecoder *self,
              PrismCpuLayer *layer)
{
  const float *w = self->parameters.values + layer->weight;

  for (int o = 0; o < layer->out_channels; o++)
    for (int i = 0; i < layer->in_channels; i++)
      for (int tap = 0; tap < 9; tap++)
        layer->turned[((gsize) i * layer->out_channels + o) * TAPS + 8 - tap] = w[((gsize) o * layer->in_channels + i) * TAPS + tap];
}

static void
use_bias_gradient (PrismCpuDecoder *self,
                   PrismCpuLayer *layer)
{
  float gradient[B] = { 0 };
  double sum = 0.0;

  for (int i = 0; i < layer->n_strips; i++)
    sum += layer->partials[i];
  gradient[0] = sum;
  use_gradient (self, layer->bias, gradient, B, 0);
}

static void
run_layer (PrismCpuDecoder *self,
           int index)
{
  PrismCpuLayer *layer = &self->layers[index];
  guint n_groups = count_input_groups (layer);

  self->current = index;
  if (layer->plan->kind == PRISM_LAYER_CONVOLVE)
    turn_weights (self, layer);
  prism_pool_run (self->pool, n_groups * layer->n_strips, run_input_task, self);
  finish_norm_gradient (self, layer - 1, layer->n_strips);
  use_norm_gradient (self, layer - 1);
  prism_pool_run (self->pool, count_weight_tasks (layer) + n_groups * layer->n_strips, run_weight_task, self);
}

/**
 * prism_cpu_decoder_run_backward:
 * @self: a decoder after its forward pass, with output_gradient and adam set
 *
 * Computes the gradient and uses it at once. Each layer is two parallel regions: the gradient of its
 * input with the sums that the norm before needs; then its weights together with that norm.
 *
 * Thread: engine.
 */
void
prism_cpu_decoder_run_backward (PrismCpuDecoder *self)
{
  int n_layers = self->plan.n_layers;
  PrismCpuLayer *last = &self->layers[n_layers - 1];

  prism_pool_run (self->pool, last->n_strips, run_output_task, self);
  use_bias_gradient (self, last);
  for (int i = n_layers - 1; i > 0; i--)
    run_layer (self, i);
  prism_pool_run (self->pool, self->n_chunks, run_sweep_task, self);
  self->sweep_reversed = !self->sweep_reversed;
  self->expanded_valid = self->expanded_valid || self->adam != NULL;
}
