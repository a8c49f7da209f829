#include "config.h"

#include "model/prism-decoder.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-random.h"
#include "base/prism-text.h"
#include "formats/prism-archive.h"
#include "num/prism-linear.h"

#define MIN_IMAGE_SIZE 64
#define MAX_IMAGE_SIZE 4096
#define MIN_OBJECT_SIZE 16
#define FIRST_SIZE 4
#define MAX_CHANNELS 4096

/* Bytes of a bad number that an error repeats. */
#define MAX_SHOWN 24

static gboolean
check_sizes (int image_size,
             int object_size,
             GError **error)
{
  if (image_size < MIN_IMAGE_SIZE || image_size > MAX_IMAGE_SIZE
      || (image_size & (image_size - 1)) != 0)
    return prism_error_config (error,
                               _ ("The image size is %d but must be a power of two from %d to %d."),
                               image_size, MIN_IMAGE_SIZE, MAX_IMAGE_SIZE);
  if (object_size < MIN_OBJECT_SIZE || object_size > image_size || object_size % 2 != 0)
    return prism_error_config (
        error, _ ("The object size is %d but must be even and from %d to the image size, %d."),
        object_size, MIN_OBJECT_SIZE, image_size);
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

/* What the layers are made from; a list of channels overrides latent's halves. */
typedef struct
{
  int object_size;
  PrismEdge edge;
  int latent;
  int n_doublings;
  int n_convolutions;
  int channels[PRISM_DECODER_MAX_LAYERS]; /* of each layer's output */
  gboolean norm;
  PrismActivation output_activation;
} Form;

static void
add_layer (PrismDecoderPlan *self,
           const Form *form,
           PrismLayerKind kind,
           int padding,
           int in_channels,
           int in_size)
{
  gboolean last = self->n_layers == form->n_doublings + form->n_convolutions;
  int out_channels = form->channels[self->n_layers];
  PrismLayer *layer = &self->layers[self->n_layers++];
  gsize n_taps;

  layer->kind = kind;
  layer->in_channels = in_channels;
  layer->out_channels = out_channels;
  layer->in_size = in_size;
  layer->kernel = kind == PRISM_LAYER_CONVOLVE ? 3 : 4;
  layer->padding = padding;
  layer->norm = !last && form->norm;
  layer->activation = last ? form->output_activation : PRISM_ACTIVATION_RELU;
  if (kind == PRISM_LAYER_EXPAND)
    layer->out_size = FIRST_SIZE;
  else if (kind == PRISM_LAYER_DOUBLE)
    layer->out_size = 2 * in_size;
  else
    layer->out_size = in_size - 2 + 2 * padding;
  n_taps = layer->kernel * layer->kernel;
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

/* Every byte is set: plans are compared as memory. */
static void
add_layers (PrismDecoderPlan *self,
            const Form *form)
{
  int n_layers = 1 + form->n_doublings + form->n_convolutions;
  int size = FIRST_SIZE;

  memset (self, 0, sizeof *self);
  self->object_size = form->object_size;
  self->latent = form->latent;
  take_array (self, self->latent);
  add_layer (self, form, PRISM_LAYER_EXPAND, 0, form->latent, 1);
  for (int i = 1; i <= form->n_doublings; i++, size *= 2)
    add_layer (self, form, PRISM_LAYER_DOUBLE, 1, form->channels[i - 1], size);
  for (int i = 1 + form->n_doublings; i < n_layers; i++)
    {
      gboolean padded = i < n_layers - 1 || form->edge == PRISM_EDGE_SAME;

      add_layer (self, form, PRISM_LAYER_CONVOLVE, padded ? 1 : 0, form->channels[i - 1], size);
    }
  self->output_size = self->layers[self->n_layers - 1].out_size;
}

static int
count_doublings (int object_size)
{
  int n = 0;

  for (int size = FIRST_SIZE; size < object_size; size *= 2)
    n++;
  return n;
}

/* Every layer halves the channels, but keeps two of them until the last. With fewer 3×3 layers than
 * that takes the last one does the rest; with more, the first ones keep what they get. */
static void
choose_channels (Form *form,
                 int depth)
{
  int channels = form->latent, n_needed, n_layers;

  for (int i = 0; i <= form->n_doublings; i++)
    form->channels[i] = channels = MAX (2, channels / 2);
  /* 3×3 layers that halve channels until one is left. */
  n_needed = MAX (g_bit_storage ((gulong) channels) - 1, 1);
  form->n_convolutions = depth > 0 ? depth : n_needed;
  n_layers = 1 + form->n_doublings + form->n_convolutions;
  for (int i = 1 + form->n_doublings; i < n_layers; i++)
    {
      if (i >= n_layers - n_needed)
        channels /= 2;
      form->channels[i] = channels;
    }
  form->channels[n_layers - 1] = 1;
}

/* What is wrong with the list at hand, and what a good one looks like. */
static gboolean
refuse_channels (const Form *form,
                 const char *fault,
                 GError **error)
{
  int size = FIRST_SIZE << form->n_doublings;

  return prism_error_config (
      error,
      _ ("%s; it needs one number from 1 to %d for each layer: 1 for the first 4×4 px, %d"
         " for the doublings up to %d×%d px and 1 to %d for 3×3 layers, of which the last"
         " is 1."),
      fault, MAX_CHANNELS, form->n_doublings, size, size,
      PRISM_DECODER_MAX_LAYERS - 1 - form->n_doublings);
}

static gboolean
refuse_word (const Form *form,
             const char *word,
             GError **error)
{
  g_autofree char *shown = g_utf8_make_valid (word, MIN (strlen (word), MAX_SHOWN));
  g_autofree char *fault = g_strdup_printf (_ ("channels has “%s”, which is no number from"
                                               " 1 to %d"),
                                            shown, MAX_CHANNELS);

  return refuse_channels (form, fault, error);
}

/* Numbers between spaces, commas or semicolons. */
static gboolean
parse_channels (Form *form,
                const char *text,
                int *n_channels,
                GError **error)
{
  g_auto (GStrv) words = prism_text_split (text, " \t\n,;");

  *n_channels = 0;
  PRISM_FOR_EACH_STRING (word, words)
    {
      guint64 value;

      if (!g_ascii_string_to_unsigned (*word, 10, 1, MAX_CHANNELS, &value, NULL))
        return refuse_word (form, *word, error);
      if (*n_channels < PRISM_DECODER_MAX_LAYERS)
        form->channels[*n_channels] = value;
      (*n_channels)++;
    }
  return TRUE;
}

static gboolean
take_channels (Form *form,
               const char *text,
               int depth,
               GError **error)
{
  int n = 0;

  if (!parse_channels (form, text, &n, error))
    return FALSE;
  if (n == 0)
    {
      choose_channels (form, depth);
      return TRUE;
    }
  if (n < 2 + form->n_doublings || n > PRISM_DECODER_MAX_LAYERS)
    {
      g_autofree char *fault
          = g_strdup_printf (_ ("channels has %d numbers, but must have from %d to %d"), n,
                             2 + form->n_doublings, PRISM_DECODER_MAX_LAYERS);

      return refuse_channels (form, fault, error);
    }
  if (form->channels[n - 1] != 1)
    return refuse_channels (form, _ ("channels does not end in 1, the one channel of an image"),
                            error);
  form->n_convolutions = n - 1 - form->n_doublings;
  if (depth == 0 || depth == form->n_convolutions)
    return TRUE;
  return prism_error_config (
      error,
      _ ("depth is %d, but channels has numbers for %d 3×3 layers: set depth to 0, or make"
         " the list fit."),
      depth, form->n_convolutions);
}

static void
init_form (Form *form,
           int image_size,
           int object_size,
           PrismEdge edge)
{
  *form = (Form) { .object_size = object_size, .edge = edge, .latent = image_size };
  form->n_doublings = count_doublings (object_size);
  form->norm = TRUE;
  form->output_activation = PRISM_ACTIVATION_SIGMOID;
}

/**
 * prism_decoder_plan_init:
 * @self: (out caller-allocates): the plan
 * @image_size: n, side of the field in pixels and length of the latent vector
 * @object_size: m, side of the object in pixels
 * @edge: whether the last convolution is padded
 *
 * Lays out the decoder that nobody has changed by hand: 1×1 → 4×4, doublings up to m or just above,
 * then 3×3 layers at that size until one channel is left. Every layer halves the channels.
 *
 * Errors: PRISM_ERROR_CONFIG for a size that is not supported.
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
  Form form;

  if (!check_sizes (image_size, object_size, error))
    return FALSE;
  init_form (&form, image_size, object_size, edge);
  choose_channels (&form, 0);
  add_layers (self, &form);
  return TRUE;
}

/**
 * prism_decoder_plan_init_complex:
 * @self: (out caller-allocates): the plan
 * @side: m, side of the object in pixels, a power of two
 * @latent: length of the latent vector
 * @width: channels that no layer but the last has fewer of
 *
 * Lays out the decoder of an object with two outputs, which may be any numbers: 1×1 → 4×4,
 * doublings up to m, each with half the channels of the one before, one 3×3 layer, and one more
 * that makes the outputs.
 *
 * Source: measurements.md, “The decoder”.
 */
void
prism_decoder_plan_init_complex (PrismDecoderPlan *self,
                                 int side,
                                 int latent,
                                 int width)
{
  Form form;

  init_form (&form, latent, side, PRISM_EDGE_SAME);
  form.output_activation = PRISM_ACTIVATION_NONE;
  form.n_convolutions = 2;
  for (int i = 0; i <= form.n_doublings + 1; i++)
    form.channels[i] = MAX (width, latent >> (i + 1));
  form.channels[form.n_doublings + 2] = 2;
  add_layers (self, &form);
}

static PrismActivation
get_output_activation (const PrismConfig *config)
{
  static const PrismActivation activations[] = {
    [PRISM_OUTPUT_SIGMOID] = PRISM_ACTIVATION_SIGMOID,
    [PRISM_OUTPUT_HARDSIGMOID] = PRISM_ACTIVATION_HARDSIGMOID,
    [PRISM_OUTPUT_TANH] = PRISM_ACTIVATION_TANH,
    [PRISM_OUTPUT_RELU] = PRISM_ACTIVATION_RELU,
    [PRISM_OUTPUT_NONE] = PRISM_ACTIVATION_NONE,
  };

  return activations[config->output_activation];
}

/**
 * prism_decoder_plan_init_config:
 * @self: (out caller-allocates): the plan
 * @config: sizes, and the decoder by hand: latent, channels, depth, norm, output_activation,
 *   initialisation
 *
 * Lays out the decoder of a run. Where nothing is set by hand it is that of
 * prism_decoder_plan_init(); so it is in a run without a decoder, whose settings nobody sees.
 *
 * Errors: PRISM_ERROR_CONFIG for a size that is not supported, or for channels or a depth that do
 * not fit; the message says what the list must look like.
 * Source: numerics.md § 6.
 *
 * Returns: whether there is such a decoder
 */
gboolean
prism_decoder_plan_init_config (PrismDecoderPlan *self,
                                const PrismConfig *config,
                                GError **error)
{
  Form form;

  if (!prism_config_trains (config))
    return prism_decoder_plan_init (self, config->image_size, config->object_size, config->edge,
                                    error);
  if (!check_sizes (config->image_size, config->object_size, error))
    return FALSE;
  init_form (&form, config->image_size, config->object_size, config->edge);
  if (config->latent > 0)
    form.latent = config->latent;
  form.norm = config->norm == PRISM_NORM_BATCH;
  form.output_activation = get_output_activation (config);
  if (!take_channels (&form, config->channels, config->depth, error))
    return FALSE;
  add_layers (self, &form);
  self->initialisation = config->initialisation;
  return TRUE;
}

/* Lays out the same layers without norm, with one number for a latent vector: 1.. */
static void
init_folded (PrismDecoderPlan *self,
             const PrismDecoderPlan *plan)
{
  const PrismLayer *last = &plan->layers[plan->n_layers - 1];
  Form form = { .object_size = plan->object_size, .latent = 1 };

  form.edge = last->padding > 0 ? PRISM_EDGE_SAME : PRISM_EDGE_VALID;
  form.output_activation = last->activation;
  form.n_doublings = count_doublings (plan->object_size);
  form.n_convolutions = plan->n_layers - 1 - form.n_doublings;
  for (int i = 0; i < plan->n_layers; i++)
    form.channels[i] = plan->layers[i].out_channels;
  add_layers (self, &form);
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
 * @func: (scope call): called for each array of parameters in engine order
 * @data: for @func
 *
 * Names the parts of the parameter vector as the golden files do: `latent`, `layerK.weight`,
 * `layerK.bias`, `layerK.bn_scale`, `layerK.bn_shift`.
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
      double u = prism_random_uniform (seed, PRISM_STREAM_WEIGHTS, layer, first_position + i);

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

static void
fill_normal (float *values,
             gsize n_values,
             guint64 seed,
             int layer,
             double deviation)
{
  for (gsize i = 0; i < n_values; i++)
    values[i] = deviation * prism_random_normal (seed, PRISM_STREAM_WEIGHTS, layer, i);
}

/**
 * prism_decoder_plan_initialise:
 * @seed: of the random numbers
 * @parameters: (out caller-allocates) (array): start values
 *
 * Draws the latent vector from normal(0, 1), and the weights as the plan says: uniform(-b, b) with
 * b = 1/√fan_in, the bias likewise; or normal with the variance 2/(fan_in + fan_out); or a random
 * orthogonal matrix, [in][rest] of a transposed convolution and [out][rest] of a convolution; these
 * two with a bias of zero. Norm scale 1 and shift 0. Each value depends on the seed, its own
 * position and, where orthogonal, its layer alone.
 *
 * Shape: @parameters [n_parameters], engine order.
 * Source: numerics.md § 6.
 */
void
prism_decoder_plan_initialise (const PrismDecoderPlan *self,
                               guint64 seed,
                               float *parameters)
{
  /* Layers use their index as the counter's; the latent vector takes one that no layer has. */
  for (int i = 0; i < self->latent; i++)
    parameters[i] = prism_random_normal (seed, PRISM_STREAM_WEIGHTS, PRISM_DECODER_MAX_LAYERS, i);

  for (int i = 0; i < self->n_layers; i++)
    {
      const PrismLayer *layer = &self->layers[i];
      int channels = layer->kind == PRISM_LAYER_CONVOLVE ? layer->in_channels : layer->out_channels;
      double bound = 1.0 / sqrt ((double) channels * layer->kernel * layer->kernel);
      float *weights = parameters + layer->weight;
      double n_taps = layer->kernel * layer->kernel;
      gsize n_rows;

      switch (self->initialisation)
        {
        case PRISM_INITIALISATION_XAVIER_NORMAL:
          fill_normal (weights, layer->n_weights, seed, i,
                       sqrt (2.0 / (n_taps * (layer->in_channels + layer->out_channels))));
          break;
        case PRISM_INITIALISATION_ORTHOGONAL:
          /* A matrix: the first dimension, and all others. */
          n_rows = layer->kind == PRISM_LAYER_CONVOLVE ? layer->out_channels : layer->in_channels;
          fill_normal (weights, layer->n_weights, seed, i, 1.0);
          prism_orthogonal_apply (weights, n_rows, layer->n_weights / n_rows);
          break;
        case PRISM_INITIALISATION_UNIFORM:
        default:
          fill_uniform (weights, layer->n_weights, seed, i, 0, bound);
          break;
        }
      if (layer->bias != PRISM_DECODER_NO_ARRAY)
        {
          float *bias = parameters + layer->bias;

          /* Weights that are drawn from a normal distribution come with a bias of zero, as is
           * the custom. */
          if (self->initialisation == PRISM_INITIALISATION_UNIFORM)
            fill_uniform (bias, layer->out_channels, seed, i, layer->n_weights, bound);
          else
            fill_constant (bias, layer->out_channels, 0.0f);
        }
      if (!layer->norm)
        continue;
      fill_constant (parameters + layer->scale, layer->out_channels, 1.0f);
      fill_constant (parameters + layer->shift, layer->out_channels, 0.0f);
    }
}

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
    {
      PrismDecoderRow *row = &rows[i + 1];
      const PrismLayer *layer = &plan->layers[i];

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

/**
 * prism_fold_new:
 * @plan: of the decoder that was trained
 *
 * Lays out a folded decoder; prism_cpu_fold_new() fills it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a decoder whose parameters are 0
 */
PrismFold *
prism_fold_new (const PrismDecoderPlan *plan,
                GError **error)
{
  g_autoptr (PrismFold) self = g_new0 (PrismFold, 1);

  g_atomic_ref_count_init (&self->ref_count);
  init_folded (&self->plan, plan);
  self->n_parameters_before = plan->n_parameters;
  self->parameters = prism_arena_new_array (self->plan.n_parameters * sizeof (float),
                                            "the folded decoder", error);
  return self->parameters != NULL ? g_steal_pointer (&self) : NULL;
}

PRISM_CLEAR (PrismFold, fold_clear, prism_arena_free_array, parameters)

PRISM_DEFINE_REFERENCES (PrismFold, prism_fold, fold_clear)

/**
 * prism_fold_save:
 * @path: file name
 *
 * Writes what NumPy reads as .npz: layer0.map [C][4][4], layerK.weight [in][out][4][4] of a
 * doubling or [out][in][3][3] of a convolution, layerK.bias [out]. Each is followed by max (v, 0),
 * layer0.map plus bias included, the last layer by the activation of the output.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_fold_save (const PrismFold *self,
                 const char *path,
                 GError **error)
{
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, error);

  if (writer == NULL)
    return FALSE;
  for (int i = 0; i < self->plan.n_layers; i++)
    {
      const PrismLayer *layer = &self->plan.layers[i];
      gboolean first = i == 0, transposed = layer->kind != PRISM_LAYER_CONVOLVE;
      gsize in = transposed ? layer->in_channels : layer->out_channels;
      gsize out = transposed ? layer->out_channels : layer->in_channels;
      const gsize shape[4] = { in, out, layer->kernel, layer->kernel };
      const gsize n_bias = layer->out_channels;
      g_autofree char *weight = g_strdup_printf ("layer%d.%s.npy", i, first ? "map" : "weight");
      g_autofree char *bias = g_strdup_printf ("layer%d.bias.npy", i);

      /* The one input of the first layer is 1: what is left of its weights is the map. */
      prism_archive_writer_add_array (writer, weight, self->parameters + layer->weight,
                                      first ? 3 : 4, first ? shape + 1 : shape);
      prism_archive_writer_add_array (writer, bias, self->parameters + layer->bias, 1, &n_bias);
    }
  return prism_archive_writer_finish (writer, error);
}
