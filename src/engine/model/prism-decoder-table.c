#include "config.h"

#include "model/prism-decoder-table.h"

/* A weight and its two moments. */
#define BYTES_OF_PARAMETER (3 * sizeof (float))

static const char *const kinds[] = {
  [PRISM_LAYER_EXPAND] = "expand",
  [PRISM_LAYER_DOUBLE] = "double",
  [PRISM_LAYER_CONVOLVE] = "convolve",
};

static const char *const activations[] = {
  [PRISM_ACTIVATION_RELU] = "relu",
  [PRISM_ACTIVATION_SIGMOID] = "sigmoid",
  [PRISM_ACTIVATION_HARDSIGMOID] = "hardsigmoid",
  [PRISM_ACTIVATION_TANH] = "tanh",
  [PRISM_ACTIVATION_NONE] = "none",
};

static guint64
count_products (const PrismLayer *layer)
{
  guint64 n_pixels = (guint64) layer->in_size * layer->in_size;

  /* A transposed convolution gives each pixel of its input to all taps, a convolution takes each
   * pixel of its output from all of them. */
  if (layer->kind == PRISM_LAYER_CONVOLVE)
    n_pixels = (guint64) layer->out_size * layer->out_size;
  return n_pixels * layer->n_weights;
}

static void
describe_layer (PrismDecoderRow *row,
                const PrismLayer *layer)
{
  *row = (PrismDecoderRow) {
    .kind = kinds[layer->kind],
    .in_channels = layer->in_channels,
    .out_channels = layer->out_channels,
    .size = layer->out_size,
    .kernel = layer->kernel,
    .norm = layer->norm,
    .activation = activations[layer->activation],
    .n_parameters = layer->n_weights + (layer->norm ? 2 : 1) * (guint64) layer->out_channels,
    .n_products = count_products (layer),
  };
  row->n_bytes = row->n_parameters * BYTES_OF_PARAMETER
                 + (guint64) layer->out_channels * layer->out_size * layer->out_size
                       * sizeof (float);
}

/**
 * prism_decoder_table_get_rows:
 * @plan: a plan
 * @rows: (out caller-allocates) (array): room for %PRISM_DECODER_TABLE_MAX_ROWS
 *
 * Describes the latent vector and every layer. A device needs more memory than the rows say: for
 * gradients, borders and what is between two layers.
 *
 * Returns: number of rows
 */
guint
prism_decoder_table_get_rows (const PrismDecoderPlan *plan,
                              PrismDecoderRow *rows)
{
  rows[0] = (PrismDecoderRow) {
    .kind = "latent",
    .out_channels = plan->latent,
    .size = 1,
    .activation = "none",
    .n_parameters = plan->latent,
    .n_bytes = plan->latent * BYTES_OF_PARAMETER,
  };
  for (int i = 0; i < plan->n_layers; i++)
    describe_layer (&rows[i + 1], &plan->layers[i]);
  return plan->n_layers + 1;
}

/**
 * prism_decoder_table_get_sum:
 * @rows: (array length=n_rows): of prism_decoder_table_get_rows()
 * @n_rows: how many
 * @sum: (out caller-allocates): parameters, products and bytes of all of them
 */
void
prism_decoder_table_get_sum (const PrismDecoderRow *rows,
                             guint n_rows,
                             PrismDecoderRow *sum)
{
  *sum = (PrismDecoderRow) { 0 };
  for (guint i = 0; i < n_rows; i++)
    {
      sum->n_parameters += rows[i].n_parameters;
      sum->n_products += rows[i].n_products;
      sum->n_bytes += rows[i].n_bytes;
    }
}
