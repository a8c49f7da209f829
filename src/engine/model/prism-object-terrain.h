/* prism-object-terrain: what the surface of a drawn moon is made of: noise on a sphere, craters.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

double prism_terrain_get_noise (const double p[3],
                                double       frequency,
                                guint32      seed);
double prism_terrain_get_fbm   (const double p[3],
                                double       frequency,
                                int          n_octaves,
                                guint32      seed);
void   prism_terrain_get_point (double longitude,
                                double latitude,
                                double p[3]);

static inline double
prism_terrain_dot (const double a[3],
                   const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* From 0 to 1 without an edge. */
static inline double
prism_terrain_step (double from,
                    double to,
                    double x)
{
  double t = CLAMP ((x - from) / (to - from), 0.0, 1.0);

  return t * t * (3.0 - 2.0 * t);
}

/* On the unit sphere. */
typedef struct
{
  double centre[3];
  double radius;                        /* chord from the centre to the rim */
  double slope;                         /* of the inner wall */
  double floor;                         /* flat part of the radius, 0…0.8 */
  double peak;                          /* slope of the central peak, 0 = none */
} PrismCrater;

typedef struct _PrismCraterField PrismCraterField;

PrismCraterField *prism_crater_field_new        (GError **error);
void              prism_crater_field_free       (PrismCraterField *self);
void              prism_crater_field_add        (PrismCraterField  *self,
                                                 const PrismCrater *crater);
void              prism_crater_field_accumulate (const PrismCraterField *self,
                                                 const double            p[3],
                                                 double                  gradient[3]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCraterField, prism_crater_field_free)

G_END_DECLS
