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
 * @phase: (out caller-allocates): for phases: what nearly all pixels have
 *
 * Finds one scale for the pictures of all runs, one for their errors and one for their phases.
 *
 * Thread: any.
 */
void
prism_report_levels_compute (const PrismComparison *comparison,
                             PrismMapping *amplitude,
                             PrismMapping *difference,
                             PrismMapping *phase)
{
  gboolean first_image = TRUE;
  gboolean first_error = TRUE;
  gboolean first_phase = TRUE;

  prism_mapping_init (amplitude);
  amplitude->levels = PRISM_LEVELS_MIN_MAX;
  prism_mapping_init (difference);
  difference->colormap = PRISM_COLORMAP_COOLWARM;
  difference->levels = PRISM_LEVELS_SYMMETRIC;
  prism_mapping_init (phase);
  phase->colormap = PRISM_COLORMAP_VIRIDIS;
  phase->levels = PRISM_LEVELS_PERCENTILE;
  for (guint i = 0; i < comparison->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (comparison, i);
      const PrismSnapshot *snapshot = result->snapshot;
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
      if (result->phase != NULL)
        {
          prism_report_levels_widen (phase, result->phase, NULL, first_phase);
          first_phase = FALSE;
        }
    }
  amplitude->levels = difference->levels = phase->levels = PRISM_LEVELS_MANUAL;
}
