#include "config.h"

#include "ptychography/prism-finding-frame.h"

#include <math.h>

/**
 * prism_finding_frame_dup_all:
 * @solver: one that has begun
 * @misfits: [N]: of prism_ptychography_predict(), for frames that are used and held out
 * @correlations: [N]: the same
 *
 * Thread: the solver's.
 *
 * Returns: (transfer full) (array length=N): what the solver knows of its frames
 */
PrismFindingFrame *
prism_finding_frame_dup_all (PrismPtychography *solver,
                             const double *misfits,
                             const double *correlations)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (solver);
  const PrismIllumination *light = prism_ptychography_get_illumination (solver);
  const double scale = (double) frames->side / frames->grid;
  const double n_pixels = (double) frames->side * frames->side;
  PrismFindingFrame *found = g_new0 (PrismFindingFrame, frames->n_frames);

  for (guint j = 0; j < frames->n_frames; j++)
    {
      PrismFindingFrame *frame = &found[j];
      const gboolean used = frames->roles[j] == PRISM_FRAME_USED;

      frame->held = frames->roles[j] == PRISM_FRAME_HELD_OUT;
      frame->left_out = frames->roles[j] == PRISM_FRAME_LEFT_OUT;
      frame->light = frames->energies[j] / n_pixels;
      for (int k = 0; k < 2; k++)
        {
          frame->recorded[k] = scale * light->recorded[j][k];
          frame->found[k] = scale * light->found[j][k];
        }
      frame->gain = used ? light->gains[j] : (double) NAN;
      frame->misfit = frame->left_out ? (double) NAN : misfits[j];
      frame->correlation = frame->left_out ? (double) NAN : correlations[j];
    }
  return found;
}
