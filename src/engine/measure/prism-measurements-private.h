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
  guint pass;                           /* that came to it last */
  double energy;                        /* Σ intensity, 0 before the first binding */
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
  guint step;                           /* of points; 0: whole frames are held */
  double max_energy;
  guint64 n_evictions;                  /* of the cache, when the slots were last looked through */
  guint pass;                           /* over the measurements, from 1 */
  guint64 n_taken;                      /* frames that were simulated or read */
  guint renewed;                        /* sample + 1 that was taken again, 0 = none */
  guint n_measurements;
  PrismMeasurement *measurements;       /* [n_measurements] */
};

G_END_DECLS
