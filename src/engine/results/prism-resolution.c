#include "config.h"

#include "results/prism-resolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TARGET "usaf1951"
#define N_BARS 3
#define BAR_LENGTH 5.0 /* line widths */
/* What the object's own pixels do not show is no test of a reconstruction: bars beyond Nyquist's
 * limit, and those that fall badly on the grid. */
#define MAX_LINE_PAIRS_PER_PIXEL 0.5
#define MIN_CONTRAST 0.1

typedef struct
{
  double y, x, height, width; /* px */
} Box;

/* Mean over a box whose borders lie between pixels. */
static double
get_mean (const PrismImage *image,
          const Box *box)
{
  int y1 = MIN ((int) ceil (box->y + box->height), image->height);
  int x1 = MIN ((int) ceil (box->x + box->width), image->width);
  double sum = 0.0, area = 0.0;

  for (int y = MAX ((int) floor (box->y), 0); y < y1; y++)
    for (int x = MAX ((int) floor (box->x), 0); x < x1; x++)
      {
        double rows = MIN (y + 1.0, box->y + box->height) - MAX ((double) y, box->y);
        double columns = MIN (x + 1.0, box->x + box->width) - MAX ((double) x, box->x);
        double part = MAX (rows, 0.0) * MAX (columns, 0.0);

        sum += part * image->pixels[(gsize) y * image->width + x];
        area += part;
      }
  return area > 0.0 ? sum / area : 0.0;
}

/* (bars - gaps)/(bars + gaps) of one of the two triples: the middle half of each bar and gap, the
 * ends left out. */
static double
get_contrast (const PrismImage *image,
              const PrismUsafElement *usaf,
              gboolean horizontal)
{
  double line = usaf->side / BAR_LENGTH;
  double x0 = horizontal ? usaf->x + usaf->side + usaf->gap : usaf->x;
  double sums[2] = { 0.0, 0.0 };

  for (int i = 0; i < 2 * N_BARS - 1; i++)
    {
      double across = (i + 0.25) * line, along = 0.2 * usaf->side;
      Box box = { usaf->y + along, x0 + across, 0.6 * usaf->side, 0.5 * line };

      if (horizontal)
        box = (Box) { usaf->y + across, x0 + along, 0.5 * line, 0.6 * usaf->side };
      sums[i % 2] += get_mean (image, &box) / (i % 2 == 0 ? N_BARS : N_BARS - 1);
    }
  return sums[0] + sums[1] != 0.0 ? (sums[0] - sums[1]) / (sums[0] + sums[1]) : 0.0;
}

/* The worse of the two directions, as a part of the object's own contrast; NAN for bars that are
 * too fine for the object's pixels. */
static double
get_transfer (const PrismImage *image,
              const PrismImage *object,
              const PrismUsafElement *usaf)
{
  double worst = INFINITY;

  for (int horizontal = 0; horizontal < 2; horizontal++)
    {
      double truth = get_contrast (object, usaf, horizontal);

      if (usaf->line_pairs_per_pixel > MAX_LINE_PAIRS_PER_PIXEL || fabs (truth) < MIN_CONTRAST)
        return NAN;
      worst = MIN (worst, get_contrast (image, usaf, horizontal) / truth);
    }
  return worst;
}

static int
compare_elements (gconstpointer a,
                  gconstpointer b)
{
  const PrismUsafElement *left = a;
  const PrismUsafElement *right = b;

  return (left->line_pairs_per_pixel > right->line_pairs_per_pixel)
         - (left->line_pairs_per_pixel < right->line_pairs_per_pixel);
}

/**
 * prism_resolution_compute:
 * @self: (out caller-allocates): what was found
 * @image: a reconstruction of the built-in target
 * @object: the target itself
 *
 * Finds the finest element whose bars keep PRISM_RESOLUTION_CONTRAST of their contrast in both
 * directions, every coarser element doing so, too.
 *
 * Shape: both [m][m], amplitude.
 */
void
prism_resolution_compute (PrismResolution *self,
                          const PrismImage *image,
                          const PrismImage *object)
{
  PrismUsafElement elements[PRISM_OBJECT_MAX_USAF_ELEMENTS];
  gboolean all_before = TRUE;
  guint n_elements;

  g_return_if_fail (image->width == object->width && image->height == object->height);

  memset (self, 0, sizeof *self);
  n_elements = prism_object_get_usaf_elements (object->width, elements);
  qsort (elements, n_elements, sizeof *elements, compare_elements);
  for (guint i = 0; i < n_elements; i++)
    {
      double transfer = get_transfer (image, object, &elements[i]);

      if (isnan (transfer))
        continue;
      self->n_elements++;
      all_before = all_before && transfer >= PRISM_RESOLUTION_CONTRAST;
      if (!all_before)
        continue;
      self->n_resolved++;
      self->finest = elements[i];
      self->contrast = transfer;
    }
}

/**
 * prism_resolution_compute_snapshot:
 * @self: (out caller-allocates): what was found
 * @snapshot: a snapshot
 *
 * The same for a run whose object is the built-in target.
 *
 * Returns: whether the object is the target and there is a reconstruction
 */
gboolean
prism_resolution_compute_snapshot (PrismResolution *self,
                                   const PrismSnapshot *snapshot)
{
  if (snapshot->config == NULL || strcmp (snapshot->config->object, TARGET) != 0
      || snapshot->reconstruction == NULL || snapshot->target == NULL)
    return FALSE;
  prism_resolution_compute (self, snapshot->reconstruction, snapshot->target);
  return TRUE;
}

/**
 * prism_resolution_to_text:
 * @self: of prism_resolution_compute()
 *
 * Says in one sentence what is resolved.
 *
 * Returns: (transfer full): "Resolved: group 0, element 3 (0.125 line pairs per pixel, …)."
 */
char *
prism_resolution_to_text (const PrismResolution *self)
{
  if (self->n_resolved == 0)
    return g_strdup_printf ("Resolved: none of the %u elements.", self->n_elements);
  return g_strdup_printf ("Resolved: group %d, element %d (%.3g line pairs per pixel), %u of %u"
                          " elements.",
                          self->finest.group, self->finest.element,
                          self->finest.line_pairs_per_pixel, self->n_resolved, self->n_elements);
}
