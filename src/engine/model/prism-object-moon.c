#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-random.h"
#include "config/prism-builtin.h"
#include "model/prism-object.h"
#include "prism-presets.h"

#include <gio/gio.h>

#define FILLED PRISM_BUILTIN_FILLED
#define TABLES "/io/github/prism_studio/PrismStudio/objects/"

/* Cells of the cube around the sphere, so that a point asks only the craters near it. */
#define GRID 32
#define N_CELLS (GRID * GRID * GRID)

/* Where the ejecta of a crater end, in radii. */
#define REACH 2.2

static double
dot (const double a[3],
     const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* From 0 to 1 without an edge. */
static double
step (double from,
      double to,
      double x)
{
  double t = CLAMP ((x - from) / (to - from), 0.0, 1.0);

  return t * t * (3.0 - 2.0 * t);
}

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

/* Smooth noise: random values on a lattice, blended. */
static double
get_noise (const double p[3],
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

/* Octaves of noise, each twice as fine and half as strong. */
static double
get_fbm (const double p[3],
         double frequency,
         int n_octaves,
         guint32 seed)
{
  double sum = 0.0;
  double weight = 1.0;

  for (int i = 0; i < n_octaves; i++)
    {
      sum += weight * get_noise (p, frequency, seed + (guint32) i * 101u);
      frequency *= 2.03;
      weight *= 0.5;
    }
  return sum;
}

/* Of degrees to a point of the unit sphere. */
static void
set_place (double longitude,
           double latitude,
           double p[3])
{
  double a = longitude * G_PI / 180.0;
  double b = latitude * G_PI / 180.0;

  p[0] = sin (a) * cos (b);
  p[1] = sin (b);
  p[2] = cos (a) * cos (b);
}

static double
draw_number (guint64 seed,
             guint32 index,
             guint64 position)
{
  return prism_random_uniform (seed, PRISM_STREAM_OBJECT, index, position);
}

/* A random point on the sphere, 0 ≤ z. */
static void
draw_point (guint64 seed,
            guint32 index,
            guint64 position,
            double p[3])
{
  double z = draw_number (seed, index, position);
  double angle = 2.0 * G_PI * draw_number (seed, index, position + 1);
  double r = sqrt (1.0 - z * z);

  p[0] = r * cos (angle);
  p[1] = r * sin (angle);
  p[2] = z;
}

/* A sphere of that albedo, under light. */
static PrismImage *
draw_lit (int m,
          int coarse,
          int fine,
          PrismDrawFunc albedo_of,
          PrismDrawFunc light_of,
          gconstpointer drawing,
          GError **error)
{
  g_autoptr (PrismImage) albedo = prism_object_draw (m, coarse, albedo_of, drawing, error);
  PrismImage *image
      = albedo != NULL ? prism_object_draw (m, fine, light_of, drawing, error) : NULL;

  for (gsize i = 0; image != NULL && i < (gsize) m * m; i++)
    image->pixels[i] *= albedo->pixels[i];
  return image;
}

/* On the unit sphere. */
typedef struct
{
  double centre[3];
  double radius; /* chord from the centre to the rim */
  double slope;  /* of the inner wall */
  double floor;  /* flat part of the radius, 0…0.8 */
  double peak;   /* slope of the central peak, 0 = none */
} Crater;

static int
get_cell (double coordinate)
{
  return CLAMP ((int) ((coordinate + 1.0) * GRID / 2), 0, GRID - 1);
}

/* Slope outwards at distance d, in radii: peak, flat floor, wall up to the rim, ejecta down. */
static double
get_crater_slope (const Crater *crater,
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

#define SEED 20
#define RADIUS_KM 1737.4
#define N_RANDOM_CRATERS 12000

/* Direction of the sun, degrees from the viewer: from the right and a little from below. */
#define SUN_AZIMUTH 40.0
#define SUN_ELEVATION -9.0

/* The pole is turned to the left. */
#define TILT_DEGREES 14.0

/* Places of the near side, degrees and km: the maria as ellipses … A line of moon-maria.table. */
typedef struct
{
  double longitude;
  double latitude;
  double semi_x; /* degrees */
  double semi_y;
  double depth;     /* how dark, 0…1 */
  double centre[3]; /* that of the line */
} Mare;

/* … and the craters that everybody knows: a line of moon-craters.table, those with rays first. */
typedef struct
{
  double longitude;
  double latitude;
  double diameter; /* km */
  double rays;     /* brightness of its ray system, 0…1 */
} NamedCrater;

/* Rows that begin with the numbers of a line; its name follows them. */
static GArray *
load_places (const char *table,
             guint row_bytes,
             guint n_numbers)
{
  g_autoptr (GBytes) bytes
      = g_resource_lookup_data (prism_presets_get_resource (), table, 0, NULL);
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  GArray *rows = g_array_new (FALSE, TRUE, row_bytes);

  for (char *line = strchr (text, '\n') + 1; *line != '\0'; line = strchr (line, '\n') + 1)
    {
      double *row;

      g_array_set_size (rows, rows->len + 1);
      row = (double *) (gpointer) (rows->data + (rows->len - 1) * row_bytes);
      for (guint k = 0; k < n_numbers; k++)
        row[k] = g_ascii_strtod (line, &line);
    }
  return rows;
}

#define N_RAY_SYSTEMS 9
#define N_RAYS 36

typedef struct
{
  double centre[3];
  double radius;
  double reach; /* chord: beyond it there is nothing */
  double brightness;
  double east[3]; /* tangents, to measure angles from */
  double north[3];
  struct
  {
    double direction[2]; /* cosine, sine */
    double length;       /* chord */
    double width;
    double strength;
  } rays[N_RAYS];
} RaySystem;

typedef struct
{
  GArray **cells; /* [GRID][GRID][GRID] (nullable): of Crater, those that reach there */
  RaySystem ray_systems[N_RAY_SYSTEMS];
  GArray *maria; /* of Mare */
  double sun[3];
  double tilt[2]; /* cosine, sine */
  int n_octaves;
} MoonDrawing;

/* How much of a place is mare, 0…1. */
static double
get_mare (const MoonDrawing *moon,
          const double p[3])
{
  double field = 0.0;
  double depth = 0.0;
  double q[3];
  double length;

  /* The same place, moved by noise: what turns ellipses into coasts. */
  for (int i = 0; i < 3; i++)
    q[i] = p[i] + 0.075 * get_fbm (p, 4.2, moon->n_octaves, 1000 + 77u * i);
  length = sqrt (dot (q, q));
  for (int i = 0; i < 3; i++)
    q[i] /= length;
  PRISM_FOR_EACH (const Mare, mare, moon->maria)
    {
      const double *c = mare->centre;
      double east = (q[0] * c[2] - q[2] * c[0]) / sqrt (c[0] * c[0] + c[2] * c[2]);
      double north = asin (CLAMP (q[1], -1.0, 1.0)) - mare->latitude * G_PI / 180.0;
      double u = east * 180.0 / G_PI / mare->semi_x;
      double v = north * 180.0 / G_PI / mare->semi_y;
      double square = u * u + v * v;
      double value;

      if (square > 6.0 || dot (q, c) < 0.0)
        continue;
      value = exp (-0.7 * square);
      field = MAX (field, value) + 0.3 * MIN (field, value);
      depth = MAX (depth, mare->depth * step (0.1, 0.5, value));
    }
  field += 0.07 * get_fbm (p, 18.0, moon->n_octaves - 2, 400);
  return step (0.36, 0.55, field) * MAX (depth, 0.5);
}

/* The place on the sphere that is seen at a point of the frame; beyond the edge, the nearest. */
static void
get_point (const MoonDrawing *moon,
           double y,
           double x,
           double p[3])
{
  double u = x / FILLED;
  double v = -y / FILLED;
  double shrink = 1.0 / MAX (1.0, hypot (u, v));

  u *= shrink;
  v *= shrink;
  p[0] = moon->tilt[0] * u + moon->tilt[1] * v;
  p[1] = moon->tilt[0] * v - moon->tilt[1] * u;
  p[2] = sqrt (MAX (0.0, 1.0 - u * u - v * v));
}

static double
get_gauss (double x)
{
  return x * x < 16.0 ? exp (-x * x) : 0.0;
}

/* Brightness that a ray system adds at a place: a glow around the crater, and the rays. */
static double
get_rays (const RaySystem *system,
          const double p[3])
{
  double v[3] = { p[0] - system->centre[0], p[1] - system->centre[1], p[2] - system->centre[2] };
  double distance = sqrt (dot (v, v));
  double east = dot (v, system->east);
  double north = dot (v, system->north);
  double sum = 1.3 * get_gauss (distance / (2.2 * system->radius));

  if (distance > system->reach)
    return 0.0;
  sum += 0.35 * exp (-distance / (5.0 * system->radius));
  for (int i = 0; i < N_RAYS; i++)
    {
      double along = east * system->rays[i].direction[0] + north * system->rays[i].direction[1];
      double across = north * system->rays[i].direction[0] - east * system->rays[i].direction[1];
      double t = along / system->rays[i].length;
      double width = system->rays[i].width * (1.0 + 1.5 * t);
      if (t > 0.0 && t < 1.0)
        sum += system->rays[i].strength * (1.0 - t) * (1.0 - t) * get_gauss (across / width);
    }
  return system->brightness * sum;
}

static double
get_albedo (double y,
            double x,
            gconstpointer drawing)
{
  const MoonDrawing *moon = drawing;
  double p[3], mare, mottled, broad, albedo;
  double rays = 0.0;

  get_point (moon, y, x, p);
  mare = get_mare (moon, p);
  mottled = get_fbm (p, 11.0, moon->n_octaves, 31);
  broad = get_fbm (p, 2.2, 3, 53);
  albedo = (0.62 + 0.13 * mottled + 0.08 * broad)
           * (1.0 - mare * (0.66 + 0.12 * get_fbm (p, 4.0, 3, 71)));
  for (int i = 0; i < N_RAY_SYSTEMS; i++)
    rays += get_rays (&moon->ray_systems[i], p);
  rays *= 0.85 + 0.4 * get_noise (p, 22.0, 97);
  return MAX (albedo, 0.05) + 0.62 * rays / (0.7 + rays);
}

/* Light that comes back: partly as from dust, which keeps the edge of the disk bright, partly as
 * from paper, which darkens it. */
static double
get_light (double y,
           double x,
           gconstpointer drawing)
{
  const MoonDrawing *moon = drawing;
  double p[3], normal[3];
  double gradient[3] = { 0.0, 0.0, 0.0 };
  double incidence, night;
  const GArray *cell;

  if (hypot (y, x) >= FILLED)
    return 0.0;
  get_point (moon, y, x, p);
  /* Adds the slopes of all craters that reach a point: a vector in the tangent plane. */
  cell = moon->cells[(get_cell (p[2]) * GRID + get_cell (p[1])) * GRID + get_cell (p[0])];
  if (cell != NULL)
    PRISM_FOR_EACH (const Crater, crater, cell)
      {
        const double *c = crater->centre;
        double v[3] = { p[0] - c[0], p[1] - c[1], p[2] - c[2] };
        double distance = sqrt (dot (v, v));
        double slope;

        if (distance >= REACH * crater->radius || distance == 0.0)
          continue;
        slope = get_crater_slope (crater, distance / crater->radius) / distance;
        for (int k = 0; k < 3; k++)
          gradient[k] += slope * v[k];
      }
  for (int i = 0; i < 3; i++)
    normal[i] = p[i] - gradient[i];
  incidence = dot (normal, moon->sun) / sqrt (dot (normal, normal));
  incidence = MAX (incidence, 0.0);
  night = step (-0.02, 0.10, dot (p, moon->sun));
  return night * (0.5 + 0.5 * p[2])
         * (0.6 * incidence / (incidence + p[2] + 0.1) + 0.7 * incidence);
}

static void
add_crater (MoonDrawing *moon,
            const double centre[3],
            double radius,
            double freshness)
{
  Crater crater = { .radius = radius };
  double reach;
  int from[3], to[3];

  memcpy (crater.centre, centre, sizeof crater.centre);
  crater.slope = freshness * (0.52 - 0.2 * step (0.01, 0.06, radius));
  crater.floor = radius < 0.012 ? 0.1 : 0.62;
  crater.peak = radius > 0.018 && radius < 0.045 ? 0.3 * freshness : 0.0;
  reach = REACH * crater.radius;
  for (int i = 0; i < 3; i++)
    {
      from[i] = get_cell (crater.centre[i] - reach);
      to[i] = get_cell (crater.centre[i] + reach);
    }
  for (int z = from[2]; z <= to[2]; z++)
    for (int y = from[1]; y <= to[1]; y++)
      for (int x = from[0]; x <= to[0]; x++)
        {
          GArray **cell = &moon->cells[(z * GRID + y) * GRID + x];

          if (*cell == NULL)
            *cell = g_array_new (FALSE, FALSE, sizeof (Crater));
          g_array_append_val (*cell, crater);
        }
}

static void
add_random_craters (MoonDrawing *moon,
                    double smallest)
{
  for (guint32 i = 0; i < N_RANDOM_CRATERS; i++)
    {
      double radius = 0.0045 * pow (1.0 - draw_number (SEED, i, 0), -1.0 / 2.2);

      if (radius >= smallest && radius <= 0.075)
        {
          double p[3];

          draw_point (SEED, i, 1, p);
          /* Lava has drowned most of those that lay in a mare. */
          if (draw_number (SEED, i, 3) < 1.0 - 0.9 * get_mare (moon, p))
            add_crater (moon, p, radius, 0.25 + 0.75 * draw_number (SEED, i, 4));
        }
    }
}

static void
ray_system_init (RaySystem *self,
                 const NamedCrater *crater,
                 guint32 index)
{
  double a = crater->longitude * G_PI / 180.0;
  double reach = (6.0 + 20.0 * crater->rays) * 0.5 * crater->diameter / RADIUS_KM;

  set_place (crater->longitude, crater->latitude, self->centre);
  set_place (crater->longitude, crater->latitude + 90.0, self->north);
  self->east[0] = cos (a);
  self->east[1] = 0.0;
  self->east[2] = -sin (a);
  self->radius = 0.5 * crater->diameter / RADIUS_KM;
  self->brightness = crater->rays;
  self->reach = MAX (1.85 * reach, 20.0 * self->radius);
  for (guint32 i = 0; i < N_RAYS; i++)
    {
      guint32 key = N_RANDOM_CRATERS + index * N_RAYS + i;
      double angle = 2.0 * G_PI * draw_number (SEED, key, 0);
      self->rays[i].direction[0] = cos (angle);
      self->rays[i].direction[1] = sin (angle);
      self->rays[i].length = reach * (0.35 + 1.5 * pow (draw_number (SEED, key, 1), 2.0));
      self->rays[i].width = self->radius * (0.2 + 0.5 * draw_number (SEED, key, 2));
      self->rays[i].strength = 0.5 + 0.9 * draw_number (SEED, key, 3);
    }
}

/**
 * prism_object_draw_moon:
 * @config: object_size
 *
 * Draws a gibbous moon after the near side of ours: maria and large craters where they are,
 * thousands of smaller craters from a fixed seed, rays, shadows along the terminator. The sky is
 * exactly 0.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the intensity
 */
PrismImage *
prism_object_draw_moon (const PrismConfig *config,
                        GError **error)
{
  int m = config->object_size;
  int fine = m <= 256 ? 4 : m <= 1024 ? 3
                                      : 2;
  PrismImage *image;
  MoonDrawing moon = { 0 };
  double tilt = TILT_DEGREES * G_PI / 180.0;
  double pixel = 2.0 / (FILLED * m);
  g_autoptr (GArray) craters = NULL;

  moon.cells = prism_arena_new_array (N_CELLS * sizeof *moon.cells, "the moon's craters", error);
  if (moon.cells == NULL)
    return NULL;
  moon.tilt[0] = cos (tilt);
  moon.tilt[1] = sin (tilt);
  moon.n_octaves = CLAMP ((int) ceil (log2 (0.1 / pixel)) + 1, 2, 7);
  set_place (SUN_AZIMUTH, SUN_ELEVATION, moon.sun);
  moon.maria = load_places (TABLES "moon-maria.table", sizeof (Mare), 5);
  PRISM_FOR_EACH (Mare, mare, moon.maria)
    set_place (mare->longitude, mare->latitude, mare->centre);
  craters = load_places (TABLES "moon-craters.table", sizeof (NamedCrater), 4);
  for (guint32 i = 0; i < N_RAY_SYSTEMS; i++)
    ray_system_init (&moon.ray_systems[i], &g_array_index (craters, NamedCrater, i), i);
  add_random_craters (&moon, 0.5 * pixel);
  PRISM_FOR_EACH (const NamedCrater, named, craters)
    {
      double p[3];

      set_place (named->longitude, named->latitude, p);
      add_crater (&moon, p, 0.5 * named->diameter / RADIUS_KM, named->rays > 0.0 ? 1.2 : 0.9);
    }
  image = draw_lit (m, m <= 256 ? 2 : 1, fine, get_albedo, get_light, &moon, error);
  for (gsize i = 0; i < N_CELLS; i++)
    g_clear_pointer (&moon.cells[i], g_array_unref);
  g_array_unref (moon.maria);
  prism_arena_free_array (moon.cells);
  return image;
}

#define ICE_SEED 4
#define N_LINES 90

/* Direction of the sun, degrees from the viewer. */
#define ICE_SUN_AZIMUTH 24.0
#define ICE_SUN_ELEVATION 10.0

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

static void
set_cross (double c[3],
           const double a[3],
           const double b[3])
{
  double length;

  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
  length = sqrt (dot (c, c));
  for (int i = 0; i < 3; i++)
    c[i] /= length;
}

/* How much a crack darkens a place: two dark bands with a bright ridge between them. */
static double
get_line (const IceLine *line,
          const double p[3],
          double wander)
{
  double across = (dot (p, line->pole) - line->offset + wander) / line->width;
  double angle, ends;

  if (across * across > 9.0)
    return 0.0;
  angle = acos (CLAMP (dot (p, line->along), -1.0, 1.0));
  ends = 1.0 - step (0.75 * line->length, line->length, angle);
  return ends * line->depth * (exp (-across * across) - 0.55 * exp (-12.0 * across * across));
}

/* The place on the sphere that is seen at a point of the frame; beyond the edge, the nearest. */
static void
get_ice_point (double y,
               double x,
               double p[3])
{
  double shrink = 1.0 / MAX (FILLED, hypot (y, x));

  p[0] = x * shrink;
  p[1] = -y * shrink;
  p[2] = sqrt (MAX (0.0, 1.0 - p[0] * p[0] - p[1] * p[1]));
}

static double
get_ice_albedo (double y,
                double x,
                gconstpointer drawing)
{
  const IceDrawing *ice = drawing;
  double p[3], wander, chaos, dark, distance, glow;
  double albedo = 0.86;

  get_ice_point (y, x, p);
  wander = 0.030 * get_fbm (p, 3.0, 3, 11)
           + 0.004 * get_noise (p, 25.0, 13);
  chaos = get_fbm (p, 2.3, 4, 29);
  albedo += 0.07 * get_fbm (p, 9.0, ice->n_octaves, 37);
  dark = 0.46 * step (0.05, 0.75, chaos)
         * (0.75 + 0.7 * get_fbm (p, 16.0, ice->n_octaves, 41));
  for (int i = 0; i < N_LINES; i++)
    dark += (1.0 - dark) * get_line (&ice->lines[i], p, wander * (i % 2 == 0 ? 1.0 : -0.7));
  albedo *= 1.0 - MIN (dark, 0.8);

  distance = sqrt (MAX (0.0, 2.0 - 2.0 * dot (p, ice->crater)));
  glow = exp (-pow (distance / 0.09, 2.0));
  return albedo + 0.22 * glow * (1.0 + get_noise (p, 30.0, 43));
}

static double
get_ice_light (double y,
               double x,
               gconstpointer drawing)
{
  const IceDrawing *ice = drawing;
  double p[3], incidence;

  if (hypot (y, x) >= FILLED)
    return 0.0;
  get_ice_point (y, x, p);
  incidence = MAX (dot (p, ice->sun), 0.0);
  return 0.75 * incidence + 0.5 * incidence / (incidence + p[2] + 0.15);
}

static void
ice_line_init (IceLine *self,
               guint32 index,
               double thinnest)
{
  double place[3], direction[3];
  double large = pow (draw_number (ICE_SEED, index, 8), 2.5);

  draw_point (ICE_SEED, index, 0, place);
  draw_point (ICE_SEED, index, 2, direction);
  set_cross (self->pole, place, direction);
  set_cross (direction, self->pole, place);
  memcpy (self->along, place, sizeof place);
  self->offset = 0.25 * (draw_number (ICE_SEED, index, 4) - 0.5);
  self->length = 0.35 + 1.3 * draw_number (ICE_SEED, index, 5);
  self->width = 0.004 + 0.011 * large;
  self->depth = 0.25 + 0.45 * draw_number (ICE_SEED, index, 6);
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

  set_place (ICE_SUN_AZIMUTH, ICE_SUN_ELEVATION, ice.sun);
  set_place (-22.0, -34.0, ice.crater);
  for (guint32 i = 0; i < N_LINES; i++)
    ice_line_init (&ice.lines[i], i, 0.6 * pixel);
  return draw_lit (m, m <= 1024 ? 2 : 1, m <= 1024 ? 4 : 2, get_ice_albedo, get_ice_light, &ice,
                   error);
}
