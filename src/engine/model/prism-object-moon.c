#include "config.h"

#include "base/prism-random.h"
#include "config/prism-builtin.h"
#include "model/prism-object.h"

#include "model/prism-object-terrain.h"

#include <math.h>

#define FILLED PRISM_BUILTIN_FILLED

#define SEED 20
#define RADIUS_KM 1737.4
#define N_RANDOM_CRATERS 12000

/* Direction of the sun, degrees from the viewer: from the right and a little from below. */
#define SUN_AZIMUTH 40.0
#define SUN_ELEVATION -9.0

/* The pole is turned to the left. */
#define TILT_DEGREES 14.0

/* Places of the near side, degrees and km: the maria as ellipses … */
typedef struct
{
  double longitude;
  double latitude;
  double semi_x; /* degrees */
  double semi_y;
  double depth; /* how dark, 0…1 */
} Mare;

static const Mare maria[] = {
  { -17, 35, 17, 14, 1.0 }, /* Imbrium */
  { -23, 22, 9, 6, 0.85 },
  { 18, 27, 11, 9, 1.0 }, /* Serenitatis */
  { 31, 9, 13, 9, 1.1 },  /* Tranquillitatis */
  { 24, 2, 8, 5, 1.0 },
  { 38, -1, 7, 5, 0.9 },
  { 36, -8, 4, 5, 0.7 },
  { 59, 17, 8, 6, 1.0 }, /* Crisium */
  { 51, -3, 8, 9, 0.9 }, /* Fecunditatis */
  { 54, -12, 5, 6, 0.8 },
  { 34, -15, 6, 5.5, 0.8 },   /* Nectaris */
  { -16, -20, 11, 9, 0.85 },  /* Nubium */
  { -39, -24, 7, 6.5, 0.95 }, /* Humorum */
  { -57, 24, 14, 18, 1.0 },   /* Procellarum */
  { -50, 10, 14, 10, 0.95 },
  { -45, -2, 12, 9, 0.9 },
  { -26, -9, 9, 6, 0.8 },       /* Cognitum */
  { -30, 7, 9, 5, 0.65 },       /* Insularum */
  { -30, 50, 14, 5, 0.65 },     /* Roris */
  { 0, 57, 26, 4, 0.65 },       /* Frigoris */
  { 4, 13, 6, 5, 0.8 },         /* Vaporum */
  { 1, 1, 5, 3, 0.6 },          /* Sinus Medii */
  { 31, 38, 7, 4, 0.6 },        /* Lacus Somniorum */
  { 87, 13, 4, 8, 0.7 },        /* Marginis */
  { 86, -2, 4, 7, 0.7 },        /* Smythii */
  { -68, -5, 3, 3.5, 1.0 },     /* Grimaldi */
  { -9.3, 51.6, 1.9, 1.6, 1.1 } /* floor of Plato */
};

/* … and the craters that everybody knows. */
typedef struct
{
  double longitude;
  double latitude;
  double diameter; /* km */
  double rays;     /* brightness of its ray system, 0…1 */
} NamedCrater;

static const NamedCrater named_craters[] = {
  { -11.2, -43.3, 85, 1.0 },  /* Tycho */
  { -20.0, 9.7, 93, 0.55 },   /* Copernicus */
  { -38.0, 8.1, 40, 0.45 },   /* Kepler */
  { -47.4, 23.7, 45, 0.6 },   /* Aristarchus */
  { 46.8, 16.1, 30, 0.4 },    /* Proclus */
  { 61.0, -8.9, 132, 0.15 },  /* Langrenus */
  { 54.2, -32.5, 75, 0.3 },   /* Stevinus */
  { -10.1, 73.4, 50, 0.4 },   /* Anaxagoras */
  { 56.0, 36.0, 40, 0.3 },    /* Geminus */
  { -9.3, 51.6, 101, 0.0 },   /* Plato */
  { -14.4, -58.4, 231, 0.0 }, /* Clavius */
  { -1.9, -9.3, 154, 0.0 },   /* Ptolemaeus */
  { -2.8, -13.7, 108, 0.0 },  /* Alphonsus */
  { -1.9, -18.2, 97, 0.0 },   /* Arzachel */
  { 26.4, -11.4, 110, 0.1 },  /* Theophilus */
  { 24.0, -13.2, 98, 0.0 },   /* Cyrillus */
  { 23.4, -18.1, 100, 0.0 },  /* Catharina */
  { 60.4, -25.3, 177, 0.0 },  /* Petavius */
  { -11.3, 14.5, 58, 0.0 },   /* Eratosthenes */
  { -4.0, 29.7, 81, 0.0 },    /* Archimedes */
  { 17.4, 50.2, 87, 0.05 },   /* Aristoteles */
  { 16.3, 44.3, 67, 0.0 },    /* Eudoxus */
  { -39.9, -17.5, 110, 0.0 }, /* Gassendi */
  { -68.3, -5.5, 172, 0.0 },  /* Grimaldi */
  { -55.3, -44.3, 206, 0.0 }, /* Schickard */
  { -6.3, -50.5, 168, 0.0 },  /* Maginus */
  { -21.8, -49.6, 145, 0.0 }, /* Longomontanus */
  { 14.0, -41.8, 114, 0.0 },  /* Maurolycus */
  { 6.0, -41.1, 126, 0.0 },   /* Stöfler */
  { 4.3, -11.7, 114, 0.0 },   /* Albategnius */
  { 5.2, -5.1, 138, 0.0 },    /* Hipparchus */
  { 56.0, 27.7, 126, 0.0 },   /* Cleomedes */
  { 29.9, 31.8, 95, 0.0 },    /* Posidonius */
  { 44.4, 46.7, 87, 0.0 },    /* Atlas */
  { 39.1, 46.7, 69, 0.0 },    /* Hercules */
  { 60.6, -36.0, 135, 0.0 },  /* Furnerius */
  { 40.3, -45.4, 199, 0.0 },  /* Janssen */
  { 32.2, -29.7, 87, 0.0 },   /* Piccolomini */
  { -22.2, -20.7, 61, 0.05 }, /* Bullialdus */
};

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
  PrismCraterField *craters;
  RaySystem ray_systems[N_RAY_SYSTEMS];
  double maria[G_N_ELEMENTS (maria)][3]; /* centres */
  double sun[3];
  double tilt[2]; /* cosine, sine */
  int n_octaves;
} MoonDrawing;

static double
draw_number (guint32 index,
             guint64 position)
{
  return prism_random_uniform (SEED, PRISM_STREAM_OBJECT, index, position);
}

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
    q[i] = p[i] + 0.075 * prism_terrain_get_fbm (p, 4.2, moon->n_octaves, 1000 + 77u * i);
  length = sqrt (prism_terrain_dot (q, q));
  for (int i = 0; i < 3; i++)
    q[i] /= length;
  for (gsize i = 0; i < G_N_ELEMENTS (maria); i++)
    {
      const double *c = moon->maria[i];
      double east = (q[0] * c[2] - q[2] * c[0]) / sqrt (c[0] * c[0] + c[2] * c[2]);
      double north = asin (CLAMP (q[1], -1.0, 1.0)) - maria[i].latitude * G_PI / 180.0;
      double u = east * 180.0 / G_PI / maria[i].semi_x;
      double v = north * 180.0 / G_PI / maria[i].semi_y;
      double square = u * u + v * v;
      double value;

      if (square > 6.0 || prism_terrain_dot (q, c) < 0.0)
        continue;
      value = exp (-0.7 * square);
      field = MAX (field, value) + 0.3 * MIN (field, value);
      depth = MAX (depth, maria[i].depth * prism_terrain_step (0.1, 0.5, value));
    }
  field += 0.07 * prism_terrain_get_fbm (p, 18.0, moon->n_octaves - 2, 400);
  return prism_terrain_step (0.36, 0.55, field) * MAX (depth, 0.5);
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
  double distance = sqrt (prism_terrain_dot (v, v));
  double east = prism_terrain_dot (v, system->east);
  double north = prism_terrain_dot (v, system->north);
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
  mottled = prism_terrain_get_fbm (p, 11.0, moon->n_octaves, 31);
  broad = prism_terrain_get_fbm (p, 2.2, 3, 53);
  albedo = (0.62 + 0.13 * mottled + 0.08 * broad)
           * (1.0 - mare * (0.66 + 0.12 * prism_terrain_get_fbm (p, 4.0, 3, 71)));
  for (int i = 0; i < N_RAY_SYSTEMS; i++)
    rays += get_rays (&moon->ray_systems[i], p);
  rays *= 0.85 + 0.4 * prism_terrain_get_noise (p, 22.0, 97);
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

  if (hypot (y, x) >= FILLED)
    return 0.0;
  get_point (moon, y, x, p);
  prism_crater_field_accumulate (moon->craters, p, gradient);
  for (int i = 0; i < 3; i++)
    normal[i] = p[i] - gradient[i];
  incidence = prism_terrain_dot (normal, moon->sun) / sqrt (prism_terrain_dot (normal, normal));
  incidence = MAX (incidence, 0.0);
  night = prism_terrain_step (-0.02, 0.10, prism_terrain_dot (p, moon->sun));
  return night * (0.5 + 0.5 * p[2])
         * (0.6 * incidence / (incidence + p[2] + 0.1) + 0.7 * incidence);
}

static void
add_crater (MoonDrawing *moon,
            const double centre[3],
            double radius,
            double freshness)
{
  PrismCrater crater = { .radius = radius };

  for (int i = 0; i < 3; i++)
    crater.centre[i] = centre[i];
  crater.slope = freshness * (0.52 - 0.2 * prism_terrain_step (0.01, 0.06, radius));
  crater.floor = radius < 0.012 ? 0.1 : 0.62;
  crater.peak = radius > 0.018 && radius < 0.045 ? 0.3 * freshness : 0.0;
  prism_crater_field_add (moon->craters, &crater);
}

static void
add_random_craters (MoonDrawing *moon,
                    double smallest)
{
  for (guint32 i = 0; i < N_RANDOM_CRATERS; i++)
    {
      double radius = 0.0045 * pow (1.0 - draw_number (i, 0), -1.0 / 2.2);

      if (radius >= smallest && radius <= 0.075)
        {
          double z = draw_number (i, 1);
          double angle = 2.0 * G_PI * draw_number (i, 2);
          double p[3] = { sqrt (1.0 - z * z) * cos (angle), sqrt (1.0 - z * z) * sin (angle), z };

          /* Lava has drowned most of those that lay in a mare. */
          if (draw_number (i, 3) < 1.0 - 0.9 * get_mare (moon, p))
            add_crater (moon, p, radius, 0.25 + 0.75 * draw_number (i, 4));
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

  prism_terrain_get_point (crater->longitude, crater->latitude, self->centre);
  prism_terrain_get_point (crater->longitude, crater->latitude + 90.0, self->north);
  self->east[0] = cos (a);
  self->east[1] = 0.0;
  self->east[2] = -sin (a);
  self->radius = 0.5 * crater->diameter / RADIUS_KM;
  self->brightness = crater->rays;
  self->reach = MAX (1.85 * reach, 20.0 * self->radius);
  for (guint32 i = 0; i < N_RAYS; i++)
    {
      guint32 key = N_RANDOM_CRATERS + index * N_RAYS + i;
      double angle = 2.0 * G_PI * draw_number (key, 0);
      self->rays[i].direction[0] = cos (angle);
      self->rays[i].direction[1] = sin (angle);
      self->rays[i].length = reach * (0.35 + 1.5 * pow (draw_number (key, 1), 2.0));
      self->rays[i].width = self->radius * (0.2 + 0.5 * draw_number (key, 2));
      self->rays[i].strength = 0.5 + 0.9 * draw_number (key, 3);
    }
}

static gboolean
moon_drawing_init (MoonDrawing *self,
                   int object_size,
                   GError **error)
{
  double tilt = TILT_DEGREES * G_PI / 180.0;
  double pixel = 2.0 / (FILLED * object_size);

  self->craters = prism_crater_field_new (error);
  if (self->craters == NULL)
    return FALSE;
  self->tilt[0] = cos (tilt);
  self->tilt[1] = sin (tilt);
  self->n_octaves = CLAMP ((int) ceil (log2 (0.1 / pixel)) + 1, 2, 7);
  prism_terrain_get_point (SUN_AZIMUTH, SUN_ELEVATION, self->sun);
  for (gsize i = 0; i < G_N_ELEMENTS (maria); i++)
    prism_terrain_get_point (maria[i].longitude, maria[i].latitude, self->maria[i]);
  for (guint32 i = 0; i < N_RAY_SYSTEMS; i++)
    ray_system_init (&self->ray_systems[i], &named_craters[i], i);
  add_random_craters (self, 0.5 * pixel);
  for (gsize i = 0; i < G_N_ELEMENTS (named_craters); i++)
    {
      const NamedCrater *named = &named_craters[i];
      double p[3];

      prism_terrain_get_point (named->longitude, named->latitude, p);
      add_crater (self, p, 0.5 * named->diameter / RADIUS_KM, named->rays > 0.0 ? 1.2 : 0.9);
    }
  return TRUE;
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
  g_autoptr (PrismImage) albedo = NULL;
  PrismImage *image;
  MoonDrawing moon = { 0 };

  if (!moon_drawing_init (&moon, m, error))
    return NULL;
  albedo = prism_object_draw (m, m <= 256 ? 2 : 1, get_albedo, &moon, error);
  image = albedo == NULL ? NULL : prism_object_draw (m, fine, get_light, &moon, error);
  for (gsize i = 0; image != NULL && i < (gsize) m * m; i++)
    image->pixels[i] *= albedo->pixels[i];
  prism_crater_field_free (moon.craters);
  return image;
}
