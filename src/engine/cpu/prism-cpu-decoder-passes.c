#include "config.h"

#include "cpu/prism-cpu-decoder-private.h"

#define B PRISM_CPU_BLOCK
#define PLANAR_GROUP 4

/* Values that a task of prism_cpu_decoder_clear() zeroes. */
#define CLEARED_VALUES ((gsize) 1 << 16)

/* Channels that one task of a layer takes at a time. */
static int
get_group_size (const PrismCpuLayer *layer)
{
  return layer->blocked ? B : PLANAR_GROUP;
}

static guint
count_tasks (const PrismCpuLayer *layer)
{
  int group_size = get_group_size (layer);

  return (layer->out_channels + group_size - 1) / group_size * layer->n_strips;
}

/* Without norm a layer has a bias: that of a norm that changes nothing else. */
static void
take_bias (PrismCpuDecoder *self,
           PrismCpuLayer *layer,
           int first_channel,
           int n_channels)
{
  for (int c = first_channel; c < first_channel + n_channels; c++)
    {
      layer->norm.mean[c] = 0.0f;
      layer->norm.gain[c] = 1.0f;
      layer->norm.shift[c] = self->parameters.values[layer->bias + c];
    }
}

/* Mean and variance of a channel from those of its strips, which all have the same size (Chan). */
static void
finish_statistics (PrismCpuDecoder *self,
                   PrismCpuLayer *layer,
                   int first_channel,
                   int n_channels)
{
  double n_pixels = (double) layer->out_size * layer->out_size;
  int stride = 2 * layer->out_channels;

  if (!layer->plan->norm)
    {
      take_bias (self, layer, first_channel, n_channels);
      return;
    }
  for (int c = first_channel; c < first_channel + n_channels; c++)
    {
      const float *means = layer->partials + c;
      const float *squares = means + layer->out_channels;
      double mean = 0.0, sum = 0.0, deviation;

      for (int i = 0; i < layer->n_strips; i++)
        mean += (double) means[i * stride] / layer->n_strips;
      for (int i = 0; i < layer->n_strips; i++)
        {
          double d = means[i * stride] - mean;

          sum += squares[i * stride] + d * d * (n_pixels / layer->n_strips);
        }
      deviation = 1.0 / sqrt (sum / n_pixels + PRISM_DECODER_NORM_EPSILON);
      layer->deviation[c] = deviation;
      layer->norm.mean[c] = mean;
      layer->norm.gain[c] = deviation * self->parameters.values[layer->scale + c];
      layer->norm.shift[c] = self->parameters.values[layer->shift + c];
    }
}

static void
apply_norm_blocked (PrismCpuDecoder *self,
                    PrismCpuLayer *layer,
                    int channel,
                    int first_row,
                    int n_rows)
{
  gsize s = layer->out_size;
  const float *y = layer->y + channel * s * s;
  gsize plane = PRISM_CPU_PLANE_SIZE (s);
  float *planes = layer->x + channel * plane + PRISM_CPU_PLANE_START (s);

  if (layer->next_blocked)
    self->kernels->norm->apply_blocked (&layer->norm, channel,
                                        layer->x + channel * PRISM_CPU_BLOCKED_SIZE (s), y, s,
                                        first_row, n_rows);
  else
    for (int row = first_row; row < first_row + n_rows; row++)
      self->kernels->norm->apply_transposed (&layer->norm, channel,
                                             planes + row * PRISM_CPU_PLANE_STRIDE (s), plane,
                                             y + row * s * B, s);
}

static void
apply_norm_planar (PrismCpuDecoder *self,
                   PrismCpuLayer *layer,
                   int channel,
                   int first_row,
                   int n_rows)
{
  gsize s = layer->out_size;
  float *x = layer->x + channel * PRISM_CPU_PLANE_SIZE (s) + PRISM_CPU_PLANE_START (s);
  const float *y = layer->y + channel * PRISM_CPU_MAP_SIZE (s);

  for (int row = first_row; row < first_row + n_rows; row++)
    self->kernels->norm->apply_planar (&layer->norm, channel, x + row * PRISM_CPU_PLANE_STRIDE (s),
                                       y + row * s, s);
}

static void
run_norm_task (gpointer data,
               guint chunk,
               guint worker)
{
  PrismCpuDecoder *self = data;
  PrismCpuLayer *layer = &self->layers[self->current];
  int n_rows = layer->out_size / layer->n_strips;
  int first_row = chunk % layer->n_strips * n_rows;
  int first_channel = chunk / layer->n_strips * get_group_size (layer);
  int n_channels = MIN (get_group_size (layer), layer->out_channels - first_channel);

  if (layer->blocked)
    apply_norm_blocked (self, layer, first_channel, first_row, n_rows);
  else
    for (int c = first_channel; c < first_channel + n_channels; c++)
      apply_norm_planar (self, layer, c, first_row, n_rows);
}

/* Sums a block's part of the first layer over the chunks, then normalises it: 16 pixels. */
static void
run_expand_task (gpointer data,
                 guint chunk,
                 guint worker)
{
  PrismCpuDecoder *self = data;
  PrismCpuLayer *layer = &self->layers[0];
  gsize n_pixels = layer->out_size * layer->out_size;
  gsize block_size = n_pixels * B;
  float *y = layer->y + chunk * block_size;
  float *partials = layer->partials + chunk * B;

  self->kernels->update->sum_rows (y, self->expanded + chunk * block_size, self->n_chunks,
                                   layer->out_channels * n_pixels, block_size);
  if (layer->plan->norm)
    self->kernels->norm->measure_blocked (y, n_pixels, partials, partials + layer->out_channels);
  finish_statistics (self, layer, chunk * B, B);
  apply_norm_blocked (self, layer, chunk * B, 0, layer->out_size);
}

static void
run_rows_task (gpointer data,
               guint chunk,
               guint worker)
{
  PrismCpuDecoder *self = data;
  gsize width = self->layers[0].n_weights / self->plan.latent;
  int first_row = chunk * self->chunk_rows;
  int n_rows = MIN (self->chunk_rows, self->plan.latent - first_row);

  self->kernels->update->expand (
      self->expanded + chunk * width, self->parameters.values + first_row,
      self->parameters.values + self->layers[0].weight + first_row * width, n_rows, width);
}

static void
convolve_blocked (PrismCpuDecoder *self,
                  PrismCpuLayer *layer,
                  int block,
                  int first_row,
                  float *partials)
{
  const PrismCpuBlockedShape shape = prism_cpu_decoder_get_blocked_shape (layer);
  gsize s = layer->out_size;

  self->kernels->blocked->forward (&shape, layer->y, layer[-1].x,
                                   self->parameters.values + layer->weight, block, first_row,
                                   layer->strip_rows);
  if (!layer->plan->norm)
    return;
  self->kernels->norm->measure_blocked (layer->y + (block * s + 2 * first_row) * s * B,
                                        2 * layer->strip_rows * s, partials + block * B,
                                        partials + layer->out_channels + block * B);
}

static void
convolve_planar (PrismCpuDecoder *self,
                 PrismCpuLayer *layer,
                 int first_channel,
                 int first_row,
                 float *partials)
{
  const PrismCpuPlanarShape shape = { layer->in_size, layer->in_channels, layer->out_channels };
  int n_channels = MIN (PLANAR_GROUP, layer->out_channels - first_channel);
  const float *values = self->parameters.values;
  gboolean last = layer == &self->layers[self->plan.n_layers - 1];
  const float *bias = last ? values + layer->bias : NULL;
  gsize s = layer->out_size;
  int factor = layer->out_size / layer->in_size;

  prism_cpu_decoder_get_planar_kernels (self, layer)
      ->forward (&shape, layer->y, layer[-1].x, values + layer->weight, bias, first_channel,
                 n_channels, first_row, layer->strip_rows);
  if (!layer->plan->norm)
    return;
  for (int c = first_channel; c < first_channel + n_channels; c++)
    self->kernels->norm->measure_planar (
        layer->y + c * PRISM_CPU_MAP_SIZE (s) + factor * first_row * s,
        factor * layer->strip_rows * s, partials + c, partials + layer->out_channels + c);
}

/* The rows of an output that a strip of its map covers; the frame and what is cut stay zero. */
static void
activate_strip (PrismCpuDecoder *self,
                const PrismCpuLayer *layer,
                int channel,
                int first_row)
{
  const float *y = layer->y + channel * PRISM_CPU_MAP_SIZE (layer->out_size);
  int m = self->plan.object_size;
  int cut = prism_cpu_decoder_get_cut (self);
  int frame = prism_cpu_decoder_has_frame (self) ? 1 : 0;
  int first = MAX (cut, frame);
  int last = MIN (cut + m, layer->out_size - frame);

  for (int row = MAX (first_row, first); row < MIN (first_row + layer->strip_rows, last); row++)
    self->kernels->activation->apply (
        layer->plan->activation, self->output + ((gsize) channel * m + row - cut) * m + first - cut,
        y + (gsize) row * layer->out_size + first, last - first);
}

static void
run_convolve_task (gpointer data,
                   guint chunk,
                   guint worker)
{
  PrismCpuDecoder *self = data;
  PrismCpuLayer *layer = &self->layers[self->current];
  int strip = chunk % layer->n_strips;
  int group = chunk / layer->n_strips;
  int first_row = strip * layer->strip_rows;
  float *partials = layer->partials + strip * 2 * layer->out_channels;

  if (layer->blocked)
    convolve_blocked (self, layer, group, first_row, partials);
  else
    convolve_planar (self, layer, group * PLANAR_GROUP, first_row, partials);
  if (self->current < self->plan.n_layers - 1)
    return;
  for (int i = 0; i < MIN (PLANAR_GROUP, layer->out_channels - group * PLANAR_GROUP); i++)
    activate_strip (self, layer, group * PLANAR_GROUP + i, first_row);
}

typedef struct
{
  float *values;
  gsize n_values;
} Piece;

static void
clear_piece (gpointer data,
             guint chunk,
             guint worker)
{
  const Piece *piece = data;
  gsize first = (gsize) chunk * CLEARED_VALUES;

  memset (piece->values + first, 0, MIN (CLEARED_VALUES, piece->n_values - first) * sizeof (float));
}

/**
 * prism_cpu_decoder_clear:
 * @values: (array): an array that layers share
 * @n_values: what the next of them takes of it
 *
 * Zeroes it: the borders of a layer lie elsewhere than those of the one before.
 */
void
prism_cpu_decoder_clear (PrismCpuDecoder *self,
                         float *values,
                         gsize n_values)
{
  Piece piece = { values, n_values };

  prism_pool_run (self->pool, (n_values + CLEARED_VALUES - 1) / CLEARED_VALUES, clear_piece,
                  &piece);
}

/* Computes its x. */
static void
run_norm (PrismCpuDecoder *self,
          int index)
{
  PrismCpuLayer *layer = &self->layers[index];

  if (self->mode != PRISM_CPU_DECODER_TRAIN)
    prism_cpu_decoder_clear (self, layer->x, prism_cpu_decoder_get_x_size (layer));
  self->current = index;
  prism_pool_run (self->pool, count_tasks (layer), run_norm_task, self);
}

/**
 * prism_cpu_decoder_forward:
 *
 * Computes the image from the current parameters. Each layer is one parallel region for the
 * convolution with the statistics of each strip of rows, and one that normalises.
 *
 * Shape: [outputs][m][m], an output for each channel of the last layer.
 * Source: numerics.md § 6.
 *
 * Returns: (array) (transfer none): the output, valid until the next forward pass
 */
const float *
prism_cpu_decoder_forward (PrismCpuDecoder *self)
{
  int last = self->plan.n_layers - 1;

  if (!self->expanded_valid)
    prism_pool_run (self->pool, self->n_chunks, run_rows_task, self);
  self->expanded_valid = TRUE;

  if (self->mode != PRISM_CPU_DECODER_TRAIN)
    prism_cpu_decoder_clear (self, self->layers[0].x,
                             prism_cpu_decoder_get_x_size (&self->layers[0]));
  prism_pool_run (self->pool, self->layers[0].out_channels / B, run_expand_task, self);
  for (int i = 1; i <= last; i++)
    {
      PrismCpuLayer *layer = &self->layers[i];

      self->current = i;
      prism_pool_run (self->pool, count_tasks (layer), run_convolve_task, self);
      if (i == last)
        break;
      finish_statistics (self, layer, 0, layer->out_channels);
      run_norm (self, i);
    }
  return self->output;
}

#define TAPS PRISM_CPU_PLANAR_TAPS
#define PARITIES 4

/* Gradient of a strip of one of the last maps from that of its output; outside of the object it
 * stays zero. The sum of each strip is the bias's. */
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
  gsize channel = chunk / layer->n_strips;
  int first_row = chunk % layer->n_strips * layer->strip_rows;
  double sum = 0.0;

  for (int row = MAX (first_row, first); row < MIN (first_row + layer->strip_rows, last); row++)
    {
      gsize pixel = (channel * m + row - cut) * m + first - cut;
      float *gout = layer->gout + channel * PRISM_CPU_PLANE_SIZE (layer->in_size)
                    + PRISM_CPU_PLANE_START (layer->in_size)
                    + row * PRISM_CPU_PLANE_STRIDE (layer->in_size) + first;

      sum += self->kernels->activation->backward (layer->plan->activation, gout,
                                                  self->output_gradient + pixel,
                                                  self->output + pixel, last - first);
    }
  layer->partials[chunk] = sum;
}

/* gin of some blocks for the rows of a strip, and the sums for the norm of the layer before. */
static void
compute_input_blocked (PrismCpuDecoder *self,
                       PrismCpuLayer *layer,
                       int first_block,
                       int n_blocks,
                       int first_row,
                       float *partials,
                       guint worker)
{
  const PrismCpuBlockedShape shape = prism_cpu_decoder_get_blocked_shape (layer);
  const PrismCpuLayer *previous = layer - 1;
  gsize h = layer->in_size;

  self->kernels->blocked->backward_data (
      &shape, self->gin, layer->gout, self->parameters.values + layer->weight, first_block,
      n_blocks, first_row, layer->strip_rows, self->scratch + worker * self->scratch_size);
  for (int block = first_block; block < first_block + n_blocks; block++)
    {
      gsize start = (block * h + first_row) * h * B;
      float *sums = partials + block * B;

      self->kernels->norm->reduce_blocked (&previous->norm, block * B, self->gin + start,
                                           previous->y + start, layer->strip_rows * h, sums,
                                           sums + previous->out_channels);
    }
}

static void
compute_input_planar (PrismCpuDecoder *self,
                      PrismCpuLayer *layer,
                      float *gin,
                      gsize gin_plane,
                      int first_channel,
                      int n_channels,
                      int first_row)
{
  const PrismCpuPlanarShape shape = { layer->in_size, layer->in_channels, layer->out_channels };
  const float *w = layer->plan->kind == PRISM_LAYER_DOUBLE ? self->parameters.values + layer->weight
                                                           : layer->turned;

  prism_cpu_decoder_get_planar_kernels (self, layer)
      ->backward_data (&shape, gin, gin_plane, layer->gout, w, first_channel, n_channels, first_row,
                       layer->strip_rows);
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
      gsize start = c * PRISM_CPU_MAP_SIZE (h) + first_row * h;

      self->kernels->norm->reduce_planar (&previous->norm, c, self->gin + start,
                                          previous->y + start, layer->strip_rows * h, partials + c,
                                          partials + previous->out_channels + c);
    }
}

/* Where a planar layer follows a blocked one: the rows are computed in planes of the worker's own,
 * which stay in its cache, and transposed from there. */
static void
compute_input_transposed (PrismCpuDecoder *self,
                          PrismCpuLayer *layer,
                          int block,
                          int first_row,
                          float *partials,
                          guint worker)
{
  const PrismCpuLayer *previous = layer - 1;
  gsize h = layer->in_size;
  gsize start = (block * h + first_row) * h * B;
  gsize plane = prism_cpu_decoder_get_strip_plane (layer);
  float *planes = self->scratch + worker * self->scratch_size;
  int n_channels = MIN (B, layer->in_channels - block * B);

  /* The kernel counts rows from the first of the map and channels from the first of all. */
  compute_input_planar (self, layer, planes - first_row * h - block * B * plane, plane, block * B,
                        n_channels, first_row);
  self->kernels->norm->transpose (self->gin + start, planes, plane, layer->strip_rows * h);
  self->kernels->norm->reduce_blocked (
      &previous->norm, block * B, self->gin + start, previous->y + start, layer->strip_rows * h,
      partials + block * B, partials + previous->out_channels + block * B);
}

/* Channels of the layer before that one task takes. */
static int
get_input_group (const PrismCpuLayer *layer)
{
  if (layer->blocked)
    return PRISM_CPU_BLOCKED_GROUP * B;
  return layer[-1].blocked ? B : PLANAR_GROUP;
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
    compute_input_blocked (self, layer, first_channel / B, n_channels / B, first_row, partials,
                           worker);
  else if (layer[-1].blocked)
    compute_input_transposed (self, layer, group, first_row, partials, worker);
  else
    {
      compute_input_planar (self, layer, self->gin, PRISM_CPU_MAP_SIZE (layer->in_size),
                            first_channel, n_channels, first_row);
      reduce_planar (self, layer, first_channel, n_channels, first_row, partials);
    }
}

/* Sums of the strips of the layer before: gradients of its scale and shift, or bias, constants of
 * its norm's gradient. norm.gain and norm.shift keep the values of the forward pass. */
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
      shift_gradient[c] = sum;
      layer->norm.offset[c] = layer->norm.slope[c] = 0.0f;
      if (!layer->plan->norm)
        continue;
      layer->norm.offset[c] = sum / n_pixels;
      layer->norm.slope[c] = product * layer->deviation[c] * layer->deviation[c] / n_pixels;
      scale_gradient[c] = product * layer->deviation[c];
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
      if (!layer->plan->norm)
        {
          prism_cpu_decoder_use_gradient (self, layer->bias + c, shift, B, 0);
          continue;
        }
      prism_cpu_decoder_use_gradient (self, layer->scale + c, scale, B, 0);
      prism_cpu_decoder_use_gradient (self, layer->shift + c, shift, B, 0);
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
  gsize start = channel * PRISM_CPU_MAP_SIZE (s) + row * s;
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

  if (previous->blocked)
    for (int c = first_channel; c < first_channel + n_channels; c += B)
      for (int row = first_row; row < first_row + layer->strip_rows; row++)
        apply_row_blocked (self, previous, c, row);
  else
    for (int c = first_channel; c < first_channel + n_channels; c++)
      for (int row = first_row; row < first_row + layer->strip_rows; row++)
        apply_row_planar (self, previous, c, row);
}

static void
run_apply_task (gpointer data,
                guint chunk,
                guint worker)
{
  PrismCpuDecoder *self = data;

  apply_norm_gradient (self, &self->layers[self->current], chunk);
}

static void
use_bias_gradient (PrismCpuDecoder *self,
                   PrismCpuLayer *layer)
{
  float gradient[B] = { 0 };

  for (int c = 0; c < layer->out_channels; c++)
    {
      double sum = 0.0;

      for (int i = 0; i < layer->n_strips; i++)
        sum += layer->partials[c * layer->n_strips + i];
      gradient[c] = sum;
    }
  prism_cpu_decoder_use_gradient (self, layer->bias, gradient, B, 0);
}

static void
run_layer (PrismCpuDecoder *self,
           int index)
{
  PrismCpuLayer *layer = &self->layers[index];
  guint n_groups
      = (layer[-1].out_channels + get_input_group (layer) - 1) / get_input_group (layer);

  if (layer->plan->kind == PRISM_LAYER_CONVOLVE)
    {
      const float *w = self->parameters.values + layer->weight;

      /* Weights turned by 180° with in and out exchanged: w [O][I] → turned [I][O]. */
      for (int o = 0; o < layer->out_channels; o++)
        for (int i = 0; i < layer->in_channels; i++)
          for (int tap = 0; tap < 9; tap++)
            layer->turned[((gsize) i * layer->out_channels + o) * TAPS + 8 - tap]
                = w[((gsize) o * layer->in_channels + i) * TAPS + tap];
    }
  self->current = index;
  prism_pool_run (self->pool, n_groups * layer->n_strips, run_input_task, self);
  finish_norm_gradient (self, layer - 1, layer->n_strips);
  use_norm_gradient (self, layer - 1);
  self->current = index;
  prism_pool_run (self->pool, n_groups * layer->n_strips, run_apply_task, self);
}

/**
 * prism_cpu_decoder_run_backward:
 * @self: a decoder after its forward pass, with output_gradient and adam set
 *
 * Computes the gradients of all maps, and with them those of scales, shifts and bias. Each layer is
 * two parallel regions: the gradient of its input with the sums that the norm before it needs, then
 * that norm. The weights are still those of the forward pass.
 */
void
prism_cpu_decoder_run_backward (PrismCpuDecoder *self)
{
  int n_layers = self->plan.n_layers;
  PrismCpuLayer *last = &self->layers[n_layers - 1];

  prism_pool_run (self->pool, last->out_channels * last->n_strips, run_output_task, self);
  use_bias_gradient (self, last);
  for (int i = n_layers - 1; i > 0; i--)
    run_layer (self, i);
}
