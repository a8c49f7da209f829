#include "config.h"

#include "cpu/prism-cpu-decoder.h"

#include "base/prism-number.h"
#include "cpu/prism-cpu-decoder-private.h"

#define B PRISM_CPU_BLOCK

/* Whether copy_array() takes values from engine order or puts them there. */
typedef enum
{
  TO_STORED,
  TO_ENGINE,
} Direction;

static void
copy_value (Direction direction,
            float *stored,
            float *engine)
{
  if (direction == TO_STORED)
    *stored = *engine;
  else
    *engine = *stored;
}

static void
copy_array (Direction direction,
            float *stored,
            float *engine,
            gsize n_values)
{
  if (direction == TO_STORED)
    memcpy (stored, engine, n_values * sizeof (float));
  else
    memcpy (engine, stored, n_values * sizeof (float));
}

/* [latent][C][4][4] ↔ [latent][C/16][16 pixels][16 channels]. */
static void
copy_expand (const PrismCpuLayer *layer,
             Direction direction,
             float *stored,
             float *engine)
{
  int n_out = layer->plan->out_channels;

  for (int i = 0; i < layer->in_channels; i++)
    for (int o = 0; o < n_out; o++)
      for (int pixel = 0; pixel < 16; pixel++)
        copy_value (direction,
                    stored + ((gsize) i * layer->out_channels + o / B * B) * 16 + pixel * B + o % B,
                    engine + ((gsize) i * n_out + o) * 16 + pixel);
}

/* [I][O][4][4] ↔ [O/16][4 parities][I][4 taps][16], see prism-cpu-blocked.c. */
static void
copy_blocked (const PrismCpuLayer *layer,
              Direction direction,
              float *stored,
              float *engine)
{
  int n_out = layer->plan->out_channels;

  for (int i = 0; i < layer->plan->in_channels; i++)
    for (int o = 0; o < n_out; o++)
      for (int index = 0; index < 16; index++)
        {
          int parity = index / 4, tap = index % 4;
          int ky = 3 - parity / 2 - 2 * (tap / 2), kx = 3 - parity % 2 - 2 * (tap % 2);
          gsize row = ((gsize) o / B * 4 + parity) * layer->in_channels + i;

          copy_value (direction, stored + (row * 4 + tap) * B + o % B,
                      engine + ((gsize) i * n_out + o) * 16 + ky * 4 + kx);
        }
}

static void
copy_weights (const PrismCpuLayer *layer,
              Direction direction,
              float *stored,
              float *engine)
{
  gsize n_pairs = (gsize) layer->plan->in_channels * layer->plan->out_channels;

  if (layer->plan->kind == PRISM_LAYER_EXPAND)
    copy_expand (layer, direction, stored, engine);
  else if (layer->blocked)
    copy_blocked (layer, direction, stored, engine);
  else if (layer->plan->kind == PRISM_LAYER_DOUBLE)
    copy_array (direction, stored, engine, layer->n_weights);
  else
    for (gsize i = 0; i < n_pairs; i++)
      copy_array (direction, stored + i * PRISM_CPU_PLANAR_TAPS, engine + i * 9, 9);
}

static void
copy_optional (const PrismCpuLayer *layer,
               Direction direction,
               gsize stored_offset,
               gsize engine_offset,
               float *stored,
               float *engine)
{
  if (engine_offset != PRISM_DECODER_NO_ARRAY)
    copy_array (direction, stored + stored_offset, engine + engine_offset,
                layer->plan->out_channels);
}

/* Between engine order [n_parameters] and the order of the kernels [n_values]. */
static void
copy_all (PrismCpuDecoder *self,
          Direction direction,
          float *stored,
          float *engine)
{
  copy_array (direction, stored, engine, self->plan.latent);
  for (int i = 0; i < self->plan.n_layers; i++)
    {
      const PrismCpuLayer *layer = &self->layers[i];

      copy_weights (layer, direction, stored + layer->weight, engine + layer->plan->weight);
      copy_optional (layer, direction, layer->bias, layer->plan->bias, stored, engine);
      copy_optional (layer, direction, layer->scale, layer->plan->scale, stored, engine);
      copy_optional (layer, direction, layer->shift, layer->plan->shift, stored, engine);
    }
}

static void
set_stored (PrismCpuDecoder *self,
            float *stored,
            const float *engine)
{
  if (engine != NULL)
    copy_all (self, TO_STORED, stored, (float *) engine);
  else
    memset (stored, 0, self->n_values * sizeof (float));
}

static PrismCpuDecoder *
new_unallocated (const PrismDecoderPlan *plan,
                 PrismCpuDecoderMode mode,
                 PrismPool *pool)
{
  PrismCpuDecoder *self = g_new0 (PrismCpuDecoder, 1);

  self->plan = *plan;
  self->mode = mode;
  self->pool = pool;
  self->kernels = prism_cpu_kernels_get ();
  self->arena = prism_arena_new ();
  prism_cpu_decoder_plan_arrays (self);
  prism_cpu_decoder_plan_updates (self);
  return self;
}

/**
 * prism_cpu_decoder_get_required_bytes:
 * @plan: a plan
 * @mode: what it is for
 *
 * What prism_cpu_decoder_new() allocates with one thread; a kept gradient and what
 * prism_cpu_decoder_reserve() asks for come on top.
 *
 * Thread: any.
 *
 * Returns: the amount
 */
guint64
prism_cpu_decoder_get_required_bytes (const PrismDecoderPlan *plan,
                                      PrismCpuDecoderMode mode)
{
  g_autoptr (PrismPool) pool = prism_pool_new (1, NULL);
  g_autoptr (PrismCpuDecoder) self = new_unallocated (plan, mode, pool);

  return prism_arena_get_size (self->arena);
}

/**
 * prism_cpu_decoder_new:
 * @plan: layers and sizes, copied
 * @mode: what it is for
 * @pool: (transfer none): the workers; must outlive the decoder
 *
 * Allocates everything that @mode needs. Parameters and moments are zero.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the decoder
 */
PrismCpuDecoder *
prism_cpu_decoder_new (const PrismDecoderPlan *plan,
                       PrismCpuDecoderMode mode,
                       PrismPool *pool,
                       GError **error)
{
  g_autoptr (PrismCpuDecoder) self = new_unallocated (plan, mode, pool);

  if (!prism_arena_allocate (self->arena, "the decoder", error))
    return NULL;
  prism_cpu_decoder_share_arrays (self);
  return g_steal_pointer (&self);
}

/**
 * prism_cpu_decoder_free:
 * @self: (nullable): a decoder
 */
void
prism_cpu_decoder_free (PrismCpuDecoder *self)
{
  if (self == NULL)
    return;
  g_free (self->update_tasks);
  g_free (self->squares);
  prism_arena_free_array (self->gradient);
  prism_arena_free_array (self->parameters.largest);
  prism_arena_free (self->arena);
  g_free (self);
}

static gboolean
ensure_gradient (PrismCpuDecoder *self,
                 GError **error)
{
  gsize n_bytes = self->n_values * sizeof (float);

  if (self->gradient == NULL)
    self->gradient = prism_arena_new_array (n_bytes, "the decoder's gradient", error);
  if (self->gradient != NULL && self->squares == NULL)
    self->squares = g_new (double, prism_cpu_decoder_count_pieces (self));
  return self->gradient != NULL;
}

/**
 * prism_cpu_decoder_reserve:
 * @amsgrad: whether it shall divide by the largest second moment so far: AMSGrad
 * @clips: whether steps will have a clip_norm, which need a kept gradient
 *
 * Makes room for what the optimiser needs beyond Adam. Each takes as much memory as the parameters.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory
 */
gboolean
prism_cpu_decoder_reserve (PrismCpuDecoder *self,
                           gboolean amsgrad,
                           gboolean clips,
                           GError **error)
{
  gsize n_bytes = self->n_values * sizeof (float);

  if (amsgrad && self->parameters.largest == NULL)
    {
      self->parameters.largest = prism_arena_new_array (n_bytes, "the optimiser's largest moments",
                                                        error);
      if (self->parameters.largest == NULL)
        return FALSE;
    }
  return !clips || ensure_gradient (self, error);
}

/**
 * prism_cpu_decoder_set_parameters:
 * @parameters: (array): in engine order
 *
 * Replaces all parameters; moments stay.
 *
 * Shape: [n_parameters].
 */
void
prism_cpu_decoder_set_parameters (PrismCpuDecoder *self,
                                  const float *parameters)
{
  copy_all (self, TO_STORED, self->parameters.values, (float *) parameters);
  self->expanded_valid = FALSE;
}

/**
 * prism_cpu_decoder_get_parameters:
 * @parameters: (array) (out caller-allocates): in engine order
 *
 * Shape: [n_parameters].
 */
void
prism_cpu_decoder_get_parameters (PrismCpuDecoder *self,
                                  float *parameters)
{
  copy_all (self, TO_ENGINE, self->parameters.values, parameters);
}

/**
 * prism_cpu_decoder_set_moments:
 * @first: (array) (nullable): Adam's m in engine order
 * @second: (array) (nullable): Adam's v in engine order
 * @largest: (array) (nullable): AMSGrad's largest v in engine order; ignored without AMSGrad
 *
 * Sets Adam's moments, or zeroes them where there is none given.
 *
 * Shape: all [n_parameters].
 */
void
prism_cpu_decoder_set_moments (PrismCpuDecoder *self,
                               const float *first,
                               const float *second,
                               const float *largest)
{
  set_stored (self, self->parameters.first, first);
  set_stored (self, self->parameters.second, second);
  if (self->parameters.largest != NULL)
    set_stored (self, self->parameters.largest, largest);
}

/**
 * prism_cpu_decoder_get_moments:
 * @first: (array) (out caller-allocates): Adam's m in engine order
 * @second: (array) (out caller-allocates): Adam's v in engine order
 * @largest: (array) (out caller-allocates) (optional): AMSGrad's largest v; zeros without AMSGrad
 *
 * Shape: all [n_parameters].
 */
void
prism_cpu_decoder_get_moments (PrismCpuDecoder *self,
                               float *first,
                               float *second,
                               float *largest)
{
  copy_all (self, TO_ENGINE, self->parameters.first, first);
  copy_all (self, TO_ENGINE, self->parameters.second, second);
  if (largest != NULL && self->parameters.largest != NULL)
    copy_all (self, TO_ENGINE, self->parameters.largest, largest);
  else if (largest != NULL)
    memset (largest, 0, self->plan.n_parameters * sizeof (float));
}

/**
 * prism_cpu_decoder_is_finite:
 *
 * Looks at its parameters and Adam's moments where they are.
 *
 * Returns: whether all of them are finite
 */
gboolean
prism_cpu_decoder_is_finite (PrismCpuDecoder *self)
{
  gsize n = self->n_values;

  return prism_finite_all (self->parameters.values, n)
         && prism_finite_all (self->parameters.first, n)
         && prism_finite_all (self->parameters.second, n)
         && (self->parameters.largest == NULL || prism_finite_all (self->parameters.largest, n));
}

/* With Adam each worker has taken note of what it met. */
static gboolean
was_finite (PrismCpuDecoder *self)
{
  gboolean finite = TRUE;

  if (self->adam == NULL)
    return prism_finite_all (self->gradient, self->n_values);
  for (guint i = 0; i < prism_pool_get_n_threads (self->pool); i++)
    finite &= !self->not_finite[i * B];
  return finite;
}

/**
 * prism_cpu_decoder_backward:
 * @self: a decoder whose last operation was a forward pass
 * @output_gradient: (array): gradient of the loss by the output
 * @adam: (nullable): the step to do
 *
 * With @adam updates the parameters on the way: no gradient is stored, and the next forward pass
 * finds its first layer done. Without, keeps the gradient for prism_cpu_decoder_get_gradient().
 * With a clip_norm it is kept, measured, and then used. Not in PRISM_CPU_DECODER_FORWARD.
 *
 * Shape: @output_gradient [outputs][m][m], an output for each channel of the last layer.
 * Errors: FALSE for a gradient that was not finite: with @adam those elements, their parameters and
 * moments, are as before, and all of them with a clip_norm. Also FALSE when there is no memory for
 * a kept gradient.
 *
 * Returns: whether the whole gradient was finite
 */
gboolean
prism_cpu_decoder_backward (PrismCpuDecoder *self,
                            const float *output_gradient,
                            const PrismAdam *adam)
{
  gboolean clips = adam != NULL && adam->clip_norm > 0.0;

  if ((adam == NULL || clips) && !ensure_gradient (self, NULL))
    return FALSE;
  memset (self->not_finite, 0, prism_pool_get_n_threads (self->pool) * PRISM_ALIGNMENT);
  self->output_gradient = output_gradient;
  self->adam = clips ? NULL : adam;
  prism_cpu_decoder_run_backward (self);
  if (self->mode == PRISM_CPU_DECODER_TRAIN)
    prism_cpu_decoder_run_update (self);
  return clips ? prism_cpu_decoder_run_clipped_update (self, adam) : was_finite (self);
}

/**
 * prism_cpu_decoder_count_products:
 * @backward: those of the backward pass that is over, with Adam, rather than of the next forward
 *   pass
 *
 * The gradients of maps and of weights take as much as a forward pass each. An update computes the
 * first layer of the next one on the way.
 *
 * Returns: multiplications, each with an addition
 */
double
prism_cpu_decoder_count_products (PrismCpuDecoder *self,
                                  gboolean backward)
{
  PrismDecoderRow rows[PRISM_DECODER_TABLE_MAX_ROWS], sum;
  double first;

  prism_decoder_table_get_sum (rows, prism_decoder_table_get_rows (&self->plan, rows), &sum);
  /* The latent vector has a row, too. */
  first = self->expanded_valid ? (double) rows[1].n_products : 0.0;
  return backward ? 2.0 * sum.n_products + first : sum.n_products - first;
}

/**
 * prism_cpu_decoder_get_gradient:
 * @gradient: (array) (out caller-allocates): of the last backward pass without Adam, in engine
 * order
 *
 * NaN where there was no such pass.
 *
 * Shape: [n_parameters].
 */
void
prism_cpu_decoder_get_gradient (PrismCpuDecoder *self,
                                float *gradient)
{
  if (self->gradient != NULL)
    copy_all (self, TO_ENGINE, self->gradient, gradient);
  else
    for (gsize i = 0; i < self->plan.n_parameters; i++)
      gradient[i] = NAN;
}

/**
 * prism_cpu_decoder_get_norm:
 * @self: a decoder after a forward pass
 * @layer: index
 * @gain: (array) (out caller-allocates): factor of each channel, 1 where there is no norm
 * @offset: (array) (out caller-allocates): what is added to each channel
 *
 * What the pass did to the sums of a layer before the activation, norm or bias alike.
 *
 * Shape: both [out_channels].
 */
void
prism_cpu_decoder_get_norm (PrismCpuDecoder *self,
                            int layer,
                            float *gain,
                            float *offset)
{
  const PrismCpuNorm *norm = &self->layers[layer].norm;
  gboolean last = layer == self->plan.n_layers - 1;

  for (int c = 0; c < self->plan.layers[layer].out_channels; c++)
    {
      gain[c] = last ? 1.0f : norm->gain[c];
      offset[c] = last ? self->parameters.values[self->layers[layer].bias + c]
                       : norm->shift[c] - (double) norm->mean[c] * norm->gain[c];
    }
}
