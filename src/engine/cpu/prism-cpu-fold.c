#include "config.h"

#include "cpu/prism-cpu-fold.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "cpu/prism-cpu-decoder.h"

/* Forward passes of which the best is the figure. */
#define N_PASSES 5

/* What folding may change at most, of an image whose values go up to 1 or beyond; what two ways of
 * rounding do is 8e-7 with a sigmoid and 2e-6 without. */
#define TOLERANCE 1e-5

/* v = y·gain + offset, [C] each: what a norm or a bias does to the map of a layer. */
typedef struct
{
  float *gain;
  float *offset;
} Line;

static void
line_clear (Line *self)
{
  g_free (self->gain);
  g_free (self->offset);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Line, line_clear)

static void
fold_first (const PrismDecoderPlan *plan,
            const float *parameters,
            const Line *line,
            float *weights)
{
  const PrismLayer *layer = &plan->layers[0];
  gsize n_pixels = (gsize) layer->out_size * layer->out_size;
  gsize width = layer->out_channels * n_pixels;
  const float *row = parameters + layer->weight;
  g_autofree double *sums = g_new0 (double, width);

  for (int i = 0; i < plan->latent; i++, row += width)
    for (gsize k = 0; k < width; k++)
      sums[k] += (double) parameters[i] * row[k];
  for (gsize k = 0; k < width; k++)
    weights[k] = sums[k] * line->gain[k / n_pixels];
}

/* Weights [in][out][k][k] of a transposed convolution, [out][in][k][k] of the others. */
static void
fold_weights (const PrismLayer *layer,
              const float *from,
              const Line *line,
              float *weights)
{
  gsize n_taps = layer->kernel * layer->kernel;

  for (gsize i = 0; i < layer->n_weights; i++)
    {
      gsize pair = i / n_taps;
      gsize out = layer->kind == PRISM_LAYER_CONVOLVE ? pair / layer->in_channels
                                                      : pair % layer->out_channels;

      weights[i] = (double) from[i] * line->gain[out];
    }
}

static void
fold_layer (PrismFold *self,
            PrismCpuDecoder *decoder,
            const PrismDecoderPlan *plan,
            const float *parameters,
            int index)
{
  const PrismLayer *from = &plan->layers[index], *to = &self->plan.layers[index];
  g_auto (Line) line
      = { g_new (float, from->out_channels), g_new (float, from->out_channels) };

  prism_cpu_decoder_get_norm (decoder, index, line.gain, line.offset);
  if (index == 0)
    fold_first (plan, parameters, &line, self->parameters + to->weight);
  else
    fold_weights (from, parameters + from->weight, &line, self->parameters + to->weight);
  memcpy (self->parameters + to->bias, line.offset, from->out_channels * sizeof (float));
}

/* Output [m][m] and time of the best of some passes, each from the parameters alone. */
static const float *
run_forward (PrismCpuDecoder *decoder,
             const float *parameters,
             double *milliseconds)
{
  const float *output = NULL;

  *milliseconds = INFINITY;
  for (int i = 0; i < N_PASSES; i++)
    {
      double start;

      prism_cpu_decoder_set_parameters (decoder, parameters);
      start = prism_clock_get_seconds ();
      output = prism_cpu_decoder_forward (decoder);
      *milliseconds = MIN (*milliseconds, 1e3 * (prism_clock_get_seconds () - start));
    }
  return output;
}

/* A value that is not finite makes the difference infinite. */
static gboolean
check_difference (PrismFold *self,
                  const float *before,
                  const float *after,
                  GError **error)
{
  gsize n_pixels = (gsize) self->plan.object_size * self->plan.object_size;
  double largest = 1.0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      double difference = fabs ((double) before[i] - after[i]);

      largest = prism_worst (largest, fabs (before[i]));
      self->difference = prism_worst (self->difference, difference);
    }
  if (isfinite (largest) && self->difference <= TOLERANCE * largest)
    return TRUE;
  return prism_error_set (error, PRISM_ERROR_BACKEND,
                          _ ("The decoder was not kept: with its norms folded its image would"
                             " differ by %g, more than the %g that rounding explains."),
                          self->difference, TOLERANCE * largest);
}

/* The folded decoder is made from what the trained one's norms do, and then compared with it. */
static gboolean
fold (PrismFold *self,
      const PrismDecoderPlan *plan,
      const float *parameters,
      GError **error)
{
  g_autoptr (PrismPool) pool = prism_pool_new (1, error);
  g_autoptr (PrismCpuDecoder) before = NULL;
  g_autoptr (PrismCpuDecoder) after = NULL;
  const float *image, *folded;

  if (pool == NULL)
    return FALSE;
  before = prism_cpu_decoder_new (plan, PRISM_CPU_DECODER_FORWARD, pool, error);
  if (before == NULL)
    return FALSE;
  after = prism_cpu_decoder_new (&self->plan, PRISM_CPU_DECODER_FORWARD, pool, error);
  if (after == NULL)
    return FALSE;
  image = run_forward (before, parameters, &self->milliseconds_before);
  self->parameters[0] = 1.0f;
  for (int i = 0; i < plan->n_layers; i++)
    fold_layer (self, before, plan, parameters, i);
  folded = run_forward (after, self->parameters, &self->milliseconds);
  return check_difference (self, image, folded, error);
}

/**
 * prism_cpu_fold_new:
 * @plan: of the decoder that was trained
 * @parameters: (array): of it, engine order
 *
 * The statistics of each map are constants, since the latent vector is. So each norm is a factor
 * and a summand for each channel: the factor goes into the weights, the summand is a bias. What the
 * first layer makes of the latent vector is a constant, too: [C][4][4] instead of [C0] and
 * [C0][C][4][4]. The result is run and compared on the processor.
 *
 * Shape: @parameters [n_parameters].
 * Errors: PRISM_ERROR_MEMORY; PRISM_ERROR_BACKEND when an image comes out that is not the same to
 * 1e-5 of its largest value, or to 1e-5 where that is below 1.
 *
 * Returns: (transfer full) (nullable): the decoder
 */
PrismFold *
prism_cpu_fold_new (const PrismDecoderPlan *plan,
                    const float *parameters,
                    GError **error)
{
  g_autoptr (PrismFold) self = prism_fold_new (plan, error);

  if (self == NULL)
    return NULL;
  self->n_bytes_before = prism_cpu_decoder_get_required_bytes (plan, PRISM_CPU_DECODER_TRAIN);
  self->n_bytes = prism_cpu_decoder_get_required_bytes (&self->plan, PRISM_CPU_DECODER_FORWARD);
  return fold (self, plan, parameters, error) ? g_steal_pointer (&self) : NULL;
}
