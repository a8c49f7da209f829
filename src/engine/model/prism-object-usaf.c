#include "config.h"

#include "model/prism-object.h"

#include "model/prism-stroke-font.h"

/* The target in units of the line width of element 1 of its outermost group. Each layer holds two
 * groups: the even one as a column on the left with its first element at the lower right, the odd
 * one as a column on the right. The next layer is the same, a quarter as large, in the middle. */
#define LAYER_WIDTH 30.0
#define LAYER_HEIGHT 25.0
#define LAYER_RATIO 4.0
#define INNER_X 14.0
#define INNER_Y 8.2
#define FIRST_GROUP -2
#define MAX_LAYERS (PRISM_OBJECT_MAX_USAF_ELEMENTS / 12)

/* Finer lines than this many pixels cannot be told from grey. */
#define MIN_LINE_WIDTH 0.25

#define FILLED 0.94
#define N_BARS 3
#define BAR_LENGTH 5.0
#define BLOCK_GAP 2.0
#define DIGIT_HEIGHT 2.6
#define DIGIT_GAP 1.2
#define COLUMN_GAP 1.25

typedef struct
{
  double y; /* px: upper left corner */
  double x;
  double unit; /* px: line width of element 1 of the even group */
  int group;   /* the even one */
} UsafLayer;

static void
put_element (PrismUsafElement *usaf,
             const UsafLayer *layer,
             int group,
             int element,
             double y,
             double x)
{
  double line = layer->unit * exp2 (-(group - layer->group) - (element - 1) / 6.0);

  usaf->group = group;
  usaf->element = element;
  usaf->line_pairs_per_pixel = 0.5 / line;
  usaf->y = y;
  usaf->x = x;
  usaf->side = BAR_LENGTH * line;
  usaf->gap = BLOCK_GAP * line;
}

static double
get_block_width (const PrismUsafElement *usaf)
{
  return 2.0 * usaf->side + usaf->gap;
}

/* Elements first…6 of a group below each other; on the right, x is their right edge. */
static guint
put_column (PrismUsafElement *usaf,
            const UsafLayer *layer,
            int group,
            int first,
            double x,
            gboolean on_right)
{
  double y = layer->y;

  for (int element = first; element <= 6; element++)
    {
      put_element (usaf, layer, group, element, y, x);
      if (on_right)
        usaf->x -= get_block_width (usaf);
      y += usaf->side * (1.0 + COLUMN_GAP / BAR_LENGTH);
      usaf++;
    }
  return 7 - first;
}

static guint
put_layer (PrismUsafElement *elements,
           const UsafLayer *layer)
{
  double left = layer->x + 2.2 * layer->unit;
  double right = layer->x + (LAYER_WIDTH - 1.4) * layer->unit;
  guint n = 0;

  n += put_column (elements, layer, layer->group, 2, left, FALSE);
  put_element (elements + n, layer, layer->group, 1,
               layer->y + (LAYER_HEIGHT - BAR_LENGTH) * layer->unit,
               layer->x + (LAYER_WIDTH - 2.2 - 2.0 * BAR_LENGTH - BLOCK_GAP) * layer->unit);
  n++;
  n += put_column (elements + n, layer, layer->group + 1, 1, right, TRUE);
  return n;
}

/**
 * prism_object_get_usaf_elements:
 * @object_size: m
 * @elements: (out caller-allocates): room for PRISM_OBJECT_MAX_USAF_ELEMENTS elements
 *
 * Where the elements of the built-in resolution target "usaf1951" lie, and how fine they are:
 * 2^(group + (element - 1)/6) line pairs to a unit.
 *
 * Units: px and line pairs per px.
 * Source: MIL-STD-150A, section 5.1.1.7.
 *
 * Returns: the number of elements
 */
guint
prism_object_get_usaf_elements (int object_size,
                                PrismUsafElement *elements)
{
  UsafLayer layer = { .unit = FILLED * object_size / LAYER_WIDTH, .group = FIRST_GROUP };
  guint n = 0;

  layer.y = (object_size - LAYER_HEIGHT * layer.unit) / 2;
  layer.x = (object_size - LAYER_WIDTH * layer.unit) / 2;
  for (int i = 0; i < MAX_LAYERS && layer.unit >= MIN_LINE_WIDTH; i++)
    {
      n += put_layer (elements + n, &layer);
      layer.y += INNER_Y * layer.unit;
      layer.x += INNER_X * layer.unit;
      layer.unit /= LAYER_RATIO;
      layer.group += 2;
    }
  return n;
}

/* The covered part of each pixel is exact. */
static void
draw_rectangle (PrismImage *image,
                double y,
                double x,
                double height,
                double width)
{
  int y1 = MIN ((int) ceil (y + height), image->height);
  int x1 = MIN ((int) ceil (x + width), image->width);

  for (int v = MAX ((int) floor (y), 0); v < y1; v++)
    for (int u = MAX ((int) floor (x), 0); u < x1; u++)
      {
        double rows = MIN (v + 1.0, y + height) - MAX ((double) v, y);
        double columns = MIN (u + 1.0, x + width) - MAX ((double) u, x);
        double area = MAX (rows, 0.0) * MAX (columns, 0.0);
        image->pixels[(gsize) v * image->width + u] += (float) area;
      }
}

static void
draw_number (PrismImage *image,
             int number,
             double y,
             double x,
             double height)
{
  g_autofree char *digits = g_strdup_printf ("%d", number);
  g_autoptr (PrismStrokeText) text = prism_stroke_text_new (digits);
  double scale = height / prism_stroke_text_get_height (text);

  prism_stroke_text_draw (text, image, y, x, scale);
}

static void
draw_element (PrismImage *image,
              const PrismUsafElement *usaf)
{
  double line = usaf->side / BAR_LENGTH;
  double digit = DIGIT_HEIGHT * line;
  double y = usaf->y + (usaf->side - digit) / 2;
  double x = usaf->x;

  for (int i = 0; i < N_BARS; i++)
    {
      draw_rectangle (image, usaf->y, x + 2 * i * line, usaf->side, line);
      draw_rectangle (image, usaf->y + 2 * i * line, x + usaf->side + usaf->gap, line, usaf->side);
    }
  /* Numbers stand outside: on the left of the left column, else on the right. */
  if (usaf->group % 2 == 0 && usaf->element > 1)
    draw_number (image, usaf->element, y, x - (DIGIT_GAP + 1.4) * line, digit);
  else
    draw_number (image, usaf->element, y, x + get_block_width (usaf) + DIGIT_GAP * line, digit);
}

/**
 * prism_object_draw_usaf1951:
 * @config: object_size
 *
 * Draws the resolution target, see prism_object_get_usaf_elements().
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the intensity
 */
PrismImage *
prism_object_draw_usaf1951 (const PrismConfig *config,
                            GError **error)
{
  PrismUsafElement elements[PRISM_OBJECT_MAX_USAF_ELEMENTS];
  guint n = prism_object_get_usaf_elements (config->object_size, elements);
  PrismImage *image = prism_image_new (config->object_size, config->object_size, error);

  for (guint i = 0; image != NULL && i < n; i++)
    draw_element (image, &elements[i]);
  return image;
}
