/* prism-frame-noise: how much of frames is noise, and how well a perfect model would predict them.
 * N = number of frames. Intensities are those of the recording. Thread: any. */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* A pixel of frame j varies by scales[j]·(read + shot·intensity), rounding to grey levels
 * included. */
typedef struct
{
  double read;
  double shot;
  double trust;                         /* how far frames keep to this law, 0…1 */
  double *scales;                       /* [N] */
  double *means;                        /* [N] of a frame's pixels */
  double *signals;                      /* [N]: √ of what is no noise of a frame's variance, 0…1 */
} PrismFrameNoise;

#define PRISM_FRAME_SIGNAL 0.5          /* √ of a variance: frames with less are noise */

/* Whether a frame is more than noise; also where that was not measured. */
static inline gboolean
prism_frame_noise_has_signal (const PrismFrameNoise *self,
                              guint                  frame)
{
  return self->signals == NULL || self->signals[frame] >= PRISM_FRAME_SIGNAL;
}

/* What a perfect model leaves of a frame. */
typedef struct
{
  double correlation;                   /* of its amplitude with the recorded one */
  double error;                         /* Σ(|φ| - A)² over the pixels */
} PrismFrameLimit;

void            prism_frame_noise_measure (PrismFrameNoise      *self,
                                           const PrismRecording *recording,
                                           int                   side);
double          prism_frame_noise_find_level (const PrismFrameNoise *self,
                                              const guint           *frames,
                                              guint                  n_frames,
                                              double                 darkest,
                                              double                 share);
PrismFrameLimit prism_frame_noise_limit   (const PrismFrameNoise *self,
                                           guint                  frame,
                                           double                 level,
                                           const float           *predicted,
                                           const float           *recorded,
                                           gsize                  n);
void            prism_frame_noise_clear   (PrismFrameNoise *self);

G_END_DECLS
