/* prism-measurements-private: the slots of measurements, for the files that are its parts. */
#pragma once

#include "measure/prism-measurements.h"
#include "model/prism-line.h"

G_BEGIN_DECLS

typedef struct
{
  PrismMask *mask;
  PrismBuffer *target;                  /* (nullable) bound to the slot of this number */
  PrismBuffer *points;                  /* (nullable) of a frame that is held small */
  gboolean has_points;                  /* bound instead of the target */
  gboolean is_new;                      /* it was taken, and has not been used yet */
  gboolean is_used;                     /* its mask has been used */
  double energy;                        /* Σ intensity, 0 before the first binding */
  PrismNoiseEstimate estimate;          /* of its noise; all 0 before it is asked for */
} PrismMeasurement;

struct _PrismMeasurements
{
  PrismBackend *backend;
  PrismCache *cache;
  PrismAperture aperture;
  PrismLine line;
  PrismScene *scene;
  PrismPattern *pattern;                /* of the scene */
  PrismNoise noise;
  double photons;                       /* of an exposure at the centre; 0: noise.photon is not
                                         * used */
  gint64 seed;
  double motion_blur;                   /* px, 0 = none */
  double motion_angle;                  /* rad */
  guint step;                           /* of points; 0: whole frames are held */
  double max_energy;
  guint64 n_evictions;                  /* of the cache, when the slots were last looked through */
  guint renewed;                        /* sample + 1 that was taken again, 0 = none */
  guint n_measurements;
  PrismMeasurement *measurements;       /* [n_measurements] */
};

G_END_DECLS
