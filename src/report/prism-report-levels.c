#include "config.h"

#include "prism-report-levels.h"

/**
 * prism_report_levels_widen:
 * @mapping: levels so far, and the kind of levels
 * @image: another image to be shown with them
 * @reference: (nullable): subtracted from it
 * @first: whether it is the first image
 *
 * Widens the levels so that the image keeps its contrast.
 *
 * Shape: @image and @reference [h][w].
 * Thread: any.
 */
void
prism_report_levels_widen (PrismMapping *mapping,
                           const PrismImage *image,
                           const PrismImage *reference,
                           gboolean first)
{
  PrismMapping own = *mapping;

  prism_mapping_compute_levels (&own, image, reference);
  mapping->black = first ? own.black : MIN (mapping->black, own.black);
  mapping->white = first ? own.white : MAX (mapping->white, own.white);
}

/**
 * prism_report_levels_compute:
 * @comparison: what is shown
 * @amplitude: (out caller-allocates): for objects and reconstructions: the range of the objects
 * @difference: (out caller-allocates): for errors: symmetric, the largest of all
 *
 * Finds one scale for the pictures of all runs and one for their errors.
 *
 * Thread: any.
 */
void
prism_report_levels_compute (const PrismComparison *comparison,
                             PrismMapping *amplitude,
                             PrismMapping *difference)
{
  gboolean first_image = TRUE;
  gboolean first_error = TRUE;

  prism_mapping_init (amplitude);
  amplitude->levels = PRISM_LEVELS_MIN_MAX;
  prism_mapping_init (difference);
  difference->colormap = PRISM_COLORMAP_COOLWARM;
  difference->levels = PRISM_LEVELS_SYMMETRIC;
  for (guint i = 0; i < comparison->results->len; i++)
    {
      const PrismSnapshot *snapshot = prism_comparison_get_result (comparison, i)->snapshot;
      const PrismImage *object = snapshot->target;
      const PrismImage *image = object != NULL ? object : snapshot->reconstruction;

      if (image != NULL)
        {
          prism_report_levels_widen (amplitude, image, NULL, first_image);
          first_image = FALSE;
        }
      if (object != NULL && snapshot->reconstruction != NULL)
        {
          prism_report_levels_widen (difference, snapshot->reconstruction, object, first_error);
          first_error = FALSE;
        }
    }
  amplitude->levels = difference->levels = PRISM_LEVELS_MANUAL;
}
