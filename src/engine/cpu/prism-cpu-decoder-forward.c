#include "config.h"

#include "cpu/prism-cpu-decoder-private.h"

#include <math.h>
#include <string.h>

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

/**
 * prism_cpu_decoder_run_norm:
 * @index: a layer but the last, whose y and statistics are there
 *
 * Computes its x.
 */
void
prism_cpu_decoder_run_norm (PrismCpuDecoder *self,
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
      prism_cpu_decoder_run_norm (self, i);
    }
  return self->output;
}
