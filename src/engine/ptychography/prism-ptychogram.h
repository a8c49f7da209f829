/* prism-ptychogram: recorded frames made ready to be explained: amplitudes of a square, the grids
 * of frame and object, where every frame's pupil lies, which frames are never used. Immutable,
 * but for frames that its only owner puts behind the others.
 *
 * N = number of frames, q = side of a frame, n = grid of a frame with its border, M = u·n = grid of
 * the object's spectrum. Places are pixels of n from the spectrum's centre, (column, row).
 * Thread: any. */
#pragma once

#include "base/prism-reference.h"
#include "config/prism-config.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* How much of frames is noise, and how well a perfect model would predict them.
 * N = number of frames. Intensities are those of the recording. */

/* A pixel of frame j varies by scales[j]·(read + shot·intensity), rounding to grey levels
 * included. */
typedef struct
{
  double read;
  double shot;
  double floor;                         /* of intensities: √(I + floor) has the same noise for all,
                                         * as far as that takes no steps away */
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

/* Whether one of them is: where none is, their light tells nothing of any lamp. */
static inline gboolean
prism_frame_noise_has_any (const PrismFrameNoise *self,
                           guint                  n_frames)
{
  for (guint j = 0; j < n_frames; j++)
    if (prism_frame_noise_has_signal (self, j))
      return TRUE;
  return FALSE;
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

/* Light that is not the same everywhere, nor in every frame, as dark frames show
 * it: a plane for each, and a smooth shape that all have in common. */

/* Of polynomials of both axes, and how many there are up to it. */
#define PRISM_STRAY_LIGHT_DEGREE 6
#define PRISM_STRAY_LIGHT_TERMS \
  ((PRISM_STRAY_LIGHT_DEGREE + 1) * (PRISM_STRAY_LIGHT_DEGREE + 2) / 2)

/* A square of each frame. */
typedef struct
{
  const PrismRecording *recording;
  guint left;
  guint top;
  guint side;
  const double *distances;              /* [N]: of the light's direction, radii of the pupil */
  double background;                    /* that is taken off everywhere */
} PrismStrayLightView;

float *prism_stray_light_find (const PrismStrayLightView *view);
void   prism_stray_light_draw (const float *terms,
                               guint        side,
                               float       *field);

#define PRISM_PTYCHOGRAM_RIM 10         /* % of the NA: such frames may be half bright */
#define PRISM_PTYCHOGRAM_WIDEST_RIM 3   /* pixels, that a search tries */

typedef enum
{
  PRISM_FRAME_USED,
  PRISM_FRAME_HELD_OUT,                 /* never used, its prediction is compared with it */
  PRISM_FRAME_LEFT_OUT,                 /* neither */
} PrismFrameRole;

typedef struct _PrismPtychogram PrismPtychogram;

struct _PrismPtychogram
{
  gatomicrefcount ref_count;
  guint n_frames;                       /* N */
  guint room;                           /* frames that amplitudes have memory for */
  int side;                             /* q */
  guint recorded_width;                 /* of which the square in the middle is explained */
  guint recorded_height;
  int border;                           /* pixels of the field at each edge of a frame */
  int grid;                             /* n = q + 2·border */
  int upsampling;                       /* u */
  int object_side;                      /* M */
  double radius;                        /* of the pupil, pixels of n */
  double widest_rim;                    /* that is wanted or tried, pixels of n */
  double pixel_size;                    /* of the object, m */
  double wavelength;                    /* m */
  double na;                            /* of the objective */
  double overlap;                       /* mean area that neighbouring pupils share, 0…1 */
  double background;                    /* intensity that was taken off */
  gboolean uneven;                      /* more was, of each frame and place its own */
  PrismPtychogram *owner;               /* (nullable): that amplitudes, places and noise are of */
  float *amplitudes;                    /* [N][q][q]: √ of the intensity beyond the background;
                                           below 0, with the root of what is missing, where noise
                                           is darker than it, NAN where a pixel is not used */
  double *energies;                     /* [N]: Σ of these intensities */
  double *squares;                      /* [N]: Σ of those that are above 0 */
  double *floors;                       /* [N]: what intensities are compared above, see
                                           PrismFrameNoise */
  PrismFrameNoise noise;                /* empty where no frame is held out, and the background is
                                           known */
  double (*centers)[2];                 /* [N]: as recorded */
  guint8 *roles;                        /* [N]: PrismFrameRole */
  guint *places;                        /* [N]: the first frame of the same place, which has the
                                           mean of all of them; its own number for most */
  guint *numbers;                       /* (nullable) [N]: what frames are called in sentences,
                                           where others are not there yet */
  guint n_repeated;                     /* frames that are in another one's mean, and not used */
  gboolean joins;                       /* opposite edges of frames seem to join */
  gboolean skewed;                      /* every so many-th would be a line of the array */
  guint *order;                         /* [n_used]: frames that are used, inner ones first */
  guint n_used;
  guint n_left_out;                     /* but for those that are repeated */
  guint8 *dark;                         /* [N]: 1 where a frame was left out for want of light */
  guint n_dark;
  guint n_half_bright;                  /* of those left out, for their place at the pupil's rim */
  guint n_crossed;                      /* likewise: their light crosses it over the field */
  gboolean squared;                     /* values were taken as amplitudes already */
  guint n_at_rim;                       /* within PRISM_PTYCHOGRAM_RIM % of it; not left out */
  guint n_bright;                       /* of them, the pupil holds the light's own direction */
};

PrismPtychogram *prism_ptychogram_new      (const PrismRecording             *recording,
                                            const PrismConfig  *settings,
                                            GError                          **error);
gboolean         prism_ptychogram_append   (PrismPtychogram      *self,
                                            const PrismRecording *recording,
                                            const PrismConfig    *settings,
                                            const guint          *numbers);
int              prism_ptychogram_find_upsampling (const PrismRecording *recording,
                                                   const PrismConfig *settings,
                                                   GError **error);
gboolean         prism_ptychogram_check_pixel (const PrismRecording *recording,
                                               int border,
                                               GError **error);
PrismPtychogram *prism_ptychogram_new_variant (PrismPtychogram *self,
                                               double         (*centers)[2],
                                               double           scale,
                                               guint            n_inner);
PrismPtychogram *prism_ptychogram_new_half (PrismPtychogram *self,
                                            guint            half);
double           prism_ptychogram_get_light_change (const PrismRecording *recording,
                                                    guint                 side,
                                                    double                distance);
gboolean         prism_ptychogram_choose_roles (PrismPtychogram       *self,
                                                const PrismRecording  *recording,
                                                const PrismConfig     *settings,
                                                GError               **error);
/* What a frame is called. */
static inline guint
prism_ptychogram_get_number (const PrismPtychogram *self,
                             guint                  frame)
{
  return self->numbers != NULL ? self->numbers[frame] : frame;
}

const float     *prism_ptychogram_get      (const PrismPtychogram *self,
                                            guint                  frame);
void             prism_ptychogram_tell     (const PrismPtychogram *self,
                                            GPtrArray             *sentences);
float            prism_ptychogram_get_white (const PrismPtychogram *self);

PRISM_DECLARE_REFERENCES (PrismPtychogram, prism_ptychogram)

G_END_DECLS
