/* prism-ptychogram: recorded frames made ready to be explained: amplitudes of a square, the grids
 * of frame and object, where every frame's pupil lies, which frames are never used. Immutable.
 *
 * N = number of frames, q = side of a frame, n = grid of a frame with its border, M = u·n = grid of
 * the object's spectrum. Places are pixels of n from the spectrum's centre, (column, row).
 * Thread: any. */
#pragma once

#include "ptychography/prism-ptychography-settings.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_frames;                       /* N */
  int side;                             /* q */
  int border;                           /* pixels of the field at each edge of a frame */
  int grid;                             /* n = q + 2·border */
  int upsampling;                       /* u */
  int object_side;                      /* M */
  double radius;                        /* of the pupil, pixels of n */
  double widest_rim;                    /* that is wanted or tried, pixels of n */
  double pixel_size;                    /* of the object, m */
  double overlap;                       /* mean area that neighbouring pupils share, 0…1 */
  double background;                    /* intensity that was taken off */
  float *amplitudes;                    /* [N][q][q]; -1 where a pixel is not used */
  double *energies;                     /* [N]: Σ amplitude² */
  double (*centers)[2];                 /* [N]: as recorded */
  guint8 *held;                         /* [N]: 1 where a frame is never used */
  guint *order;                         /* [n_used]: the others, inner ones first */
  guint n_used;
  guint n_bright;                       /* of them, the pupil holds the light's own direction */
} PrismPtychogram;

PrismPtychogram *prism_ptychogram_new      (const PrismRecording             *recording,
                                            const PrismPtychographySettings  *settings,
                                            GError                          **error);
void             prism_ptychogram_free     (PrismPtychogram *self);
const float     *prism_ptychogram_get      (const PrismPtychogram *self,
                                            guint                  frame);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPtychogram, prism_ptychogram_free)

G_END_DECLS
