#include "config.h"

#include "model/prism-terrain.h"

#include "base/prism-arena.h"

#include <math.h>

/* Cells of the cube around the sphere, so that a point asks only the craters near it. */
#define GRID 32

/* Where the ejecta of a crater end, in radii. */
#define REACH 2.2

struct _PrismCraterField
{
  GArray *craters;                   /* of PrismCrater */
  GArray *cells[GRID * GRID * GRID]; /* (nullable): of guint: indices of craters */
};

static guint32
hash_point (int x,
            int y,
            int z,
            guint32 seed)
{
  guint32 h = seed;

  h += (guint32) x * 0x8da6b343u + (guint32) y * 0xd8163841u + (guint32) z * 0xcb1ab31fu;

  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ h >> 16;
}

static double
get_corner (int x,
            int y,
            int z,
            guint32 seed)
{
  return hash_point (x, y, z, seed) * (2.0 / 4294967295.0) - 1.0;
}

static double
fade (double t)
{
  return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

static double
mix (double a,
     double b,
     double t)
{
  return a + (b - a) * t;
}

/**
 * prism_terrain_get_noise:
 * @p: a point
 * @frequency: cells per unit of length
 * @seed: of the noise
 *
 * Smooth noise: random values on a lattice, blended.
 *
 * Returns: the value, -1…1
 */
double
prism_terrain_get_noise (const double p[3],
                         double frequency,
                         guint32 seed)
{
  double x = p[0] * frequency, y = p[1] * frequency, z = p[2] * frequency;
  int i = (int) floor (x), j = (int) floor (y), k = (int) floor (z);
  double u = fade (x - i), v = fade (y - j), w = fade (z - k);
  double planes[2];

  for (int l = 0; l < 2; l++)
    {
      double rows[2];
      for (int m = 0; m < 2; m++)
        rows[m] = mix (get_corner (i, j + m, k + l, seed),
                       get_corner (i + 1, j + m, k + l, seed), u);
      planes[l] = mix (rows[0], rows[1], v);
    }
  return mix (planes[0], planes[1], w);
}

/**
 * prism_terrain_get_fbm:
 * @p: a point
 * @frequency: of the coarsest octave
 * @n_octaves: number of octaves, each twice as fine and half as strong
 * @seed: of the noise
 *
 * Noise with detail of all sizes.
 *
 * Returns: the value, within ±2, mostly within ±0.7
 */
double
prism_terrain_get_fbm (const double p[3],
                       double frequency,
                       int n_octaves,
                       guint32 seed)
{
  double sum = 0.0;
  double weight = 1.0;

  for (int i = 0; i < n_octaves; i++)
    {
      sum += weight * prism_terrain_get_noise (p, frequency, seed + (guint32) i * 101u);
      frequency *= 2.03;
      weight *= 0.5;
    }
  return sum;
}

/**
 * prism_terrain_get_point:
 * @longitude: degrees, east positive, 0 faces the viewer
 * @latitude: degrees, north positive
 * @p: (out caller-allocates): x to the right, y up, z to the viewer
 *
 * A place on the unit sphere.
 */
void
prism_terrain_get_point (double longitude,
                         double latitude,
                         double p[3])
{
  double a = longitude * G_PI / 180.0;
  double b = latitude * G_PI / 180.0;

  p[0] = sin (a) * cos (b);
  p[1] = sin (b);
  p[2] = cos (a) * cos (b);
}

/**
 * prism_crater_field_new:
 *
 * Starts a surface without craters.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the field
 */
PrismCraterField *
prism_crater_field_new (GError **error)
{
  PrismCraterField *self = prism_arena_new_array (sizeof *self, "the moon's craters", error);

  if (self == NULL)
    return NULL;
  self->craters = g_array_new (FALSE, FALSE, sizeof (PrismCrater));
  return self;
}

/**
 * prism_crater_field_free:
 * @self: (nullable): a field
 */
void
prism_crater_field_free (PrismCraterField *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (self->cells); i++)
    g_clear_pointer (&self->cells[i], g_array_unref);
  g_array_unref (self->craters);
  prism_arena_free_array (self);
}

static int
get_cell (double coordinate)
{
  return CLAMP ((int) ((coordinate + 1.0) * GRID / 2), 0, GRID - 1);
}

/**
 * prism_crater_field_add:
 * @crater: what to add
 *
 * Adds a crater.
 */
void
prism_crater_field_add (PrismCraterField *self,
                        const PrismCrater *crater)
{
  double reach = REACH * crater->radius;
  guint index = self->craters->len;
  int from[3], to[3];

  g_array_append_val (self->craters, *crater);
  for (int i = 0; i < 3; i++)
    {
      from[i] = get_cell (crater->centre[i] - reach);
      to[i] = get_cell (crater->centre[i] + reach);
    }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int x = from[0]; x <= to[0]; x++)
        {
          GArray **cell = &self->cells[(z * GRID + y) * GRID + x];
          if (*cell == NULL)
            *cell = g_array_new (FALSE, FALSE, sizeof (guint));
          g_array_append_val (*cell, index);
        }
}

/* Slope outwards at distance d, in radii: peak, flat floor, wall up to the rim, ejecta down. */
static double
get_crater_slope (const PrismCrater *crater,
                  double d)
{
  if (d < 0.22)
    return -crater->peak * sin (G_PI * d / 0.22);
  if (d < crater->floor)
    return 0.0;
  if (d < 1.0)
    return crater->slope * sin (0.5 * G_PI * (d - crater->floor) / (1.0 - crater->floor));
  return -0.55 * crater->slope * exp (-(d - 1.0) / 0.28) * (REACH - d) / (REACH - 1.0);
}

/**
 * prism_crater_field_accumulate:
 * @p: a point on the unit sphere
 * @gradient: (inout): slope of the ground there, as a vector in the tangent plane
 *
 * Adds the slopes of all craters that reach the point.
 */
void
prism_crater_field_accumulate (const PrismCraterField *self,
                               const double p[3],
                               double gradient[3])
{
  int place = (get_cell (p[2]) * GRID + get_cell (p[1])) * GRID + get_cell (p[0]);
  const GArray *cell = self->cells[place];

  for (guint i = 0; cell != NULL && i < cell->len; i++)
    {
      guint index = g_array_index (cell, guint, i);
      const PrismCrater *crater = &g_array_index (self->craters, PrismCrater, index);
      const double *c = crater->centre;
      double v[3] = { p[0] - c[0], p[1] - c[1], p[2] - c[2] };
      double distance = sqrt (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      double slope;

      if (distance >= REACH * crater->radius || distance == 0.0)
        continue;
      slope = get_crater_slope (crater, distance / crater->radius) / distance;
      for (int k = 0; k < 3; k++)
        gradient[k] += slope * v[k];
    }
}
