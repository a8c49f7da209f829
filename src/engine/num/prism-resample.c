#include "config.h"

#include "num/prism-resample.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"

/* The weights of one axis: output i is Σ weights[i][k]·input[first[i] + k]. */
typedef struct
{
  int n_outputs;
  int n_taps;
  int *first;     /* [n_outputs] */
  float *weights; /* [n_outputs][n_taps], each row adds up to 1 */
} AxisFilter;

/* Catmull and Rom's cubic: an interpolant, so that an unchanged size changes nothing. */
static double
get_weight (double x)
{
  x = fabs (x);
  if (x < 1.0)
    return (1.5 * x - 2.5) * x * x + 1.0;
  if (x < 2.0)
    return ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0;
  return 0.0;
}

PRISM_CLEAR (AxisFilter,
             axis_filter_clear,
             prism_arena_free_array,
             first,
             prism_arena_free_array,
             weights)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AxisFilter, axis_filter_clear)

/* Weights beyond the edge go to the nearest pixel. */
static void
set_weights (AxisFilter *self,
             int i,
             int n_inputs,
             double centre,
             double stretch)
{
  int start = floor (centre - 2.0 * stretch);
  int from = CLAMP (start, 0, MAX (n_inputs - self->n_taps, 0));
  float *weights = self->weights + (gsize) i * self->n_taps;
  double sum = 0.0;

  self->first[i] = from;
  for (int k = 0; k <= (int) ceil (4.0 * stretch); k++)
    sum += get_weight ((start + k - centre) / stretch);
  for (int k = 0; k <= (int) ceil (4.0 * stretch); k++)
    {
      int input = CLAMP (start + k, 0, n_inputs - 1);
      weights[input - from] += (float) (get_weight ((start + k - centre) / stretch) / sum);
    }
}

/* When it becomes smaller the cubic is stretched over as many inputs as fall on one output. */
static gboolean
axis_filter_init (AxisFilter *self,
                  int n_inputs,
                  int n_outputs,
                  GError **error)
{
  double step = (double) n_inputs / n_outputs;
  double stretch = MAX (step, 1.0);

  self->n_outputs = n_outputs;
  self->n_taps = MIN ((int) ceil (4.0 * stretch) + 1, n_inputs);
  self->first = prism_arena_new_array ((gsize) n_outputs * sizeof (int), "an image filter", error);
  if (self->first == NULL)
    return FALSE;
  self->weights = prism_arena_new_array ((gsize) n_outputs * self->n_taps * sizeof (float),
                                         "an image filter", error);
  if (self->weights == NULL)
    return FALSE;

  for (int i = 0; i < n_outputs; i++)
    set_weights (self, i, n_inputs, (i + 0.5) * step - 0.5, stretch);
  return TRUE;
}

static void
apply_to_columns (PrismImage *output,
                  const PrismImage *input,
                  const AxisFilter *filter)
{
  for (int y = 0; y < output->height; y++)
    {
      float *out = output->pixels + (gsize) y * output->width;
      const float *weights = filter->weights + (gsize) y * filter->n_taps;
      for (int k = 0; k < filter->n_taps; k++)
        {
          const float *in = input->pixels + (gsize) (filter->first[y] + k) * input->width;
          for (int x = 0; x < output->width; x++)
            out[x] += weights[k] * in[x];
        }
    }
}

/* The cubic overshoots at edges; no value may leave the range of the image. */
static void
clamp_to_range (PrismImage *output,
                const PrismImage *input)
{
  float low = INFINITY;
  float high = -INFINITY;

  for (gsize i = 0; i < (gsize) input->height * input->width; i++)
    {
      low = MIN (low, input->pixels[i]);
      high = MAX (high, input->pixels[i]);
    }
  for (gsize i = 0; i < (gsize) output->height * output->width; i++)
    output->pixels[i] = CLAMP (output->pixels[i], low, high);
}

/**
 * prism_resample:
 * @image: an image
 * @height: rows of the result, > 0
 * @width: columns of the result, > 0
 *
 * Resamples with a separable cubic that widens when the image shrinks, values taken as linear. A
 * size that stays is copied exactly.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Source: Catmull and Rom, "A class of local interpolating splines", 1974.
 *
 * Returns: (transfer full) (nullable): the new image
 */
PrismImage *
prism_resample (const PrismImage *image,
                int height,
                int width,
                GError **error)
{
  g_auto (AxisFilter) rows = { 0 };
  g_auto (AxisFilter) columns = { 0 };
  g_autoptr (PrismImage) wide = NULL;
  g_autoptr (PrismImage) result = NULL;

  g_return_val_if_fail (height > 0 && width > 0, NULL);

  if (height == image->height && width == image->width)
    return prism_image_new_copy (height, width, image->pixels, error);

  if (!axis_filter_init (&rows, image->width, width, error)
      || !axis_filter_init (&columns, image->height, height, error))
    return NULL;
  wide = prism_image_new (image->height, width, error);
  if (wide == NULL)
    return NULL;
  result = prism_image_new (height, width, error);
  if (result == NULL)
    return NULL;

  for (int y = 0; y < wide->height; y++)
    for (int x = 0; x < wide->width; x++)
      {
        const float *in = image->pixels + (gsize) y * image->width + rows.first[x];
        const float *weights = rows.weights + (gsize) x * rows.n_taps;
        double sum = 0.0;
        for (int k = 0; k < rows.n_taps; k++)
          sum += (double) weights[k] * in[k];
        wide->pixels[(gsize) y * wide->width + x] = (float) sum;
      }
  apply_to_columns (result, wide, &columns);
  clamp_to_range (result, image);
  return g_steal_pointer (&result);
}
