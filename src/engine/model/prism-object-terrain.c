#include "config.h"

#include "config/prism-builtin.h"
#include "model/prism-object-terrain.h"

#include "base/prism-arena.h"
#include "base/prism-random.h"
#include "model/prism-object.h"

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

#define FILLED PRISM_BUILTIN_FILLED

#define SEED 4
#define N_LINES 90

/* Direction of the sun, degrees from the viewer. */
#define SUN_AZIMUTH 24.0
#define SUN_ELEVATION 10.0

/* A crack in the ice: a circle on the sphere, not quite through its centre, of which a part is
 * open. */
typedef struct
{
  double pole[3];
  double offset;   /* of the circle's plane from the centre of the sphere */
  double along[3]; /* direction in the plane from which the open part is counted */
  double length;   /* half of the open part, radians */
  double width;
  double depth; /* how dark */
} IceLine;

typedef struct
{
  IceLine lines[N_LINES];
  double sun[3];
  double crater[3]; /* the young crater with bright ejecta */
  int n_octaves;
} IceDrawing;

static double
draw_number (guint32 index,
             guint64 position)
{
  return prism_random_uniform (SEED, PRISM_STREAM_OBJECT, index, position);
}

static void
set_cross (double c[3],
           const double a[3],
           const double b[3])
{
  double length;

  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
  length = sqrt (prism_terrain_dot (c, c));
  for (int i = 0; i < 3; i++)
    c[i] /= length;
}

/* How much a crack darkens a place: two dark bands with a bright ridge between them. */
static double
get_line (const IceLine *line,
          const double p[3],
          double wander)
{
  double across = (prism_terrain_dot (p, line->pole) - line->offset + wander) / line->width;
  double angle, ends;

  if (across * across > 9.0)
    return 0.0;
  angle = acos (CLAMP (prism_terrain_dot (p, line->along), -1.0, 1.0));
  ends = 1.0 - prism_terrain_step (0.75 * line->length, line->length, angle);
  return ends * line->depth * (exp (-across * across) - 0.55 * exp (-12.0 * across * across));
}

/* The place on the sphere that is seen at a point of the frame; beyond the edge, the nearest. */
static void
get_point (double y,
           double x,
           double p[3])
{
  double shrink = 1.0 / MAX (FILLED, hypot (y, x));

  p[0] = x * shrink;
  p[1] = -y * shrink;
  p[2] = sqrt (MAX (0.0, 1.0 - p[0] * p[0] - p[1] * p[1]));
}

static double
get_albedo (double y,
            double x,
            gconstpointer drawing)
{
  const IceDrawing *ice = drawing;
  double p[3], wander, chaos, dark, distance, glow;
  double albedo = 0.86;

  get_point (y, x, p);
  wander = 0.030 * prism_terrain_get_fbm (p, 3.0, 3, 11)
           + 0.004 * prism_terrain_get_noise (p, 25.0, 13);
  chaos = prism_terrain_get_fbm (p, 2.3, 4, 29);
  albedo += 0.07 * prism_terrain_get_fbm (p, 9.0, ice->n_octaves, 37);
  dark = 0.46 * prism_terrain_step (0.05, 0.75, chaos)
         * (0.75 + 0.7 * prism_terrain_get_fbm (p, 16.0, ice->n_octaves, 41));
  for (int i = 0; i < N_LINES; i++)
    dark += (1.0 - dark) * get_line (&ice->lines[i], p, wander * (i % 2 == 0 ? 1.0 : -0.7));
  albedo *= 1.0 - MIN (dark, 0.8);

  distance = sqrt (MAX (0.0, 2.0 - 2.0 * prism_terrain_dot (p, ice->crater)));
  glow = exp (-pow (distance / 0.09, 2.0));
  return albedo + 0.22 * glow * (1.0 + prism_terrain_get_noise (p, 30.0, 43));
}

static double
get_light (double y,
           double x,
           gconstpointer drawing)
{
  const IceDrawing *ice = drawing;
  double p[3], incidence;

  if (hypot (y, x) >= FILLED)
    return 0.0;
  get_point (y, x, p);
  incidence = MAX (prism_terrain_dot (p, ice->sun), 0.0);
  return 0.75 * incidence + 0.5 * incidence / (incidence + p[2] + 0.15);
}

/* A random point on the sphere, 0 ≤ z. */
static void
draw_point (guint32 index,
            guint64 position,
            double p[3])
{
  double z = draw_number (index, position);
  double angle = 2.0 * G_PI * draw_number (index, position + 1);
  double r = sqrt (1.0 - z * z);

  p[0] = r * cos (angle);
  p[1] = r * sin (angle);
  p[2] = z;
}

static void
ice_line_init (IceLine *self,
               guint32 index,
               double thinnest)
{
  double place[3], direction[3];
  double large = pow (draw_number (index, 8), 2.5);

  draw_point (index, 0, place);
  draw_point (index, 2, direction);
  set_cross (self->pole, place, direction);
  set_cross (direction, self->pole, place);
  for (int i = 0; i < 3; i++)
    self->along[i] = place[i];
  self->offset = 0.25 * (draw_number (index, 4) - 0.5);
  self->length = 0.35 + 1.3 * draw_number (index, 5);
  self->width = 0.004 + 0.011 * large;
  self->depth = 0.25 + 0.45 * draw_number (index, 6);
  if (self->width < thinnest)
    {
      self->depth *= self->width / thinnest;
      self->width = thinnest;
    }
}

/**
 * prism_object_draw_ice_moon:
 * @config: object_size
 *
 * Draws a bright moon crossed by dark double lines, with patches of broken ice and one young
 * crater. The sky is exactly 0.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the intensity
 */
PrismImage *
prism_object_draw_ice_moon (const PrismConfig *config,
                            GError **error)
{
  int m = config->object_size;
  double pixel = 2.0 / (FILLED * m);
  IceDrawing ice = { .n_octaves = CLAMP ((int) ceil (log2 (0.1 / pixel)) + 1, 1, 6) };
  g_autoptr (PrismImage) albedo = NULL;
  PrismImage *image;

  prism_terrain_get_point (SUN_AZIMUTH, SUN_ELEVATION, ice.sun);
  prism_terrain_get_point (-22.0, -34.0, ice.crater);
  for (guint32 i = 0; i < N_LINES; i++)
    ice_line_init (&ice.lines[i], i, 0.6 * pixel);

  albedo = prism_object_draw (m, m <= 1024 ? 2 : 1, get_albedo, &ice, error);
  image = albedo == NULL ? NULL : prism_object_draw (m, m <= 1024 ? 4 : 2, get_light, &ice, error);
  for (gsize i = 0; image != NULL && i < (gsize) m * m; i++)
    image->pixels[i] *= albedo->pixels[i];
  return image;
}
