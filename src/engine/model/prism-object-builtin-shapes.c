#include "config.h"

#include "model/prism-object-builtin.h"

#include "base/prism-error.h"

#include <math.h>

#define N_SPOKES 36
#define STAR_RADIUS 0.95
#define N_SQUARES 8

static int
get_oversampling (int object_size)
{
  return object_size <= 512 ? 8 : 4;
}

/* A Siemens star of 36 bright spokes; at radius ρ px its period is 2πρ/36 px. */
static double
get_siemens (double y,
             double x,
             gconstpointer drawing)
{
  if (hypot (y, x) > STAR_RADIUS)
    return 0.0;
  return sin (N_SPOKES * atan2 (y, x)) > 0.0 ? 1.0 : 0.0;
}

/* 8 × 8 squares, the upper left one bright. */
static double
get_checkerboard (double y,
                  double x,
                  gconstpointer drawing)
{
  int row = (int) floor ((y + 1.0) * N_SQUARES / 2);
  int column = (int) floor ((x + 1.0) * N_SQUARES / 2);

  return (row + column) % 2 == 0 ? 1.0 : 0.0;
}

/* Centre and semi-axes of an ellipse, y upwards; turned counter-clockwise; what it adds. */
typedef struct
{
  double value;
  double semi_x;
  double semi_y;
  double x;
  double y;
  double degrees;
} PhantomEllipse;

static const PhantomEllipse ellipses[] = {
  { 1.0, 0.69, 0.92, 0.0, 0.0, 0.0 },
  { -0.8, 0.6624, 0.874, 0.0, -0.0184, 0.0 },
  { -0.2, 0.11, 0.31, 0.22, 0.0, -18.0 },
  { -0.2, 0.16, 0.41, -0.22, 0.0, 18.0 },
  { 0.1, 0.21, 0.25, 0.0, 0.35, 0.0 },
  { 0.1, 0.046, 0.046, 0.0, 0.1, 0.0 },
  { 0.1, 0.046, 0.046, 0.0, -0.1, 0.0 },
  { 0.1, 0.046, 0.023, -0.08, -0.605, 0.0 },
  { 0.1, 0.023, 0.023, 0.0, -0.606, 0.0 },
  { 0.1, 0.023, 0.046, 0.06, -0.605, 0.0 },
};

/* The head phantom in the version with visible contrast (Shepp and Logan, 1974; contrasts of Toft,
 * "The Radon transform", 1996, table B.1). */
static double
get_shepp_logan (double y,
                 double x,
                 gconstpointer drawing)
{
  double sum = 0.0;

  for (gsize i = 0; i < G_N_ELEMENTS (ellipses); i++)
    {
      const PhantomEllipse *e = &ellipses[i];
      double angle = e->degrees * G_PI / 180.0;
      double dx = x - e->x;
      double dy = -y - e->y;
      double u = (dx * cos (angle) + dy * sin (angle)) / e->semi_x;
      double v = (dy * cos (angle) - dx * sin (angle)) / e->semi_y;
      if (u * u + v * v <= 1.0)
        sum += e->value;
    }
  return MAX (sum, 0.0);
}

/**
 * prism_object_draw_shape:
 * @config: object, which is siemens, checkerboard or shepp-logan, and object_size
 *
 * Draws what is a formula and depends on nothing.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the intensity
 */
PrismImage *
prism_object_draw_shape (const PrismConfig *config,
                         GError **error)
{
  PrismDrawFunc func = get_shepp_logan;

  if (g_str_equal (config->object, "siemens"))
    func = get_siemens;
  else if (g_str_equal (config->object, "checkerboard"))
    func = get_checkerboard;
  return prism_object_draw (config->object_size, get_oversampling (config->object_size), func, NULL,
                            error);
}

/* Stars in units of the frame. */
typedef struct
{
  int n_stars;
  double centres[4][2]; /* y, x */
  double radius;
} PointDrawing;

static double
get_points (double y,
            double x,
            gconstpointer drawing)
{
  const PointDrawing *points = drawing;

  for (int i = 0; i < points->n_stars; i++)
    if (hypot (y - points->centres[i][0], x - points->centres[i][1]) <= points->radius)
      return 1.0;
  return 0.0;
}

/* On the corners of a regular figure whose sides are the spacing; two lie side by side. */
static double
place_stars (PointDrawing *points,
             double spacing)
{
  static const double first_angles[5] = { 0.0, 0.0, 0.0, -G_PI / 2, -G_PI / 4 };
  int n = points->n_stars;
  double radius = n == 1 ? 0.0 : spacing / (2.0 * sin (G_PI / n));

  for (int i = 0; i < n; i++)
    {
      double angle = first_angles[n] + 2.0 * G_PI * i / n;
      points->centres[i][0] = radius * sin (angle);
      points->centres[i][1] = radius * cos (angle);
    }
  return radius;
}

/**
 * prism_object_draw_points:
 * @config: object_size, point_count, point_diameter, point_spacing
 *
 * Draws one to four stars of equal brightness: side by side, as a triangle or as a square.
 *
 * Units: diameter and spacing in px, centre to centre.
 * Errors: PRISM_ERROR_CONFIG when they do not fit, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the intensity
 */
PrismImage *
prism_object_draw_points (const PrismConfig *config,
                          GError **error)
{
  double unit = 2.0 / config->object_size;
  PointDrawing points = { .n_stars = CLAMP (config->point_count, 1, 4) };
  double distance = place_stars (&points, config->point_spacing * unit);

  points.radius = 0.5 * config->point_diameter * unit;
  if (!(distance + points.radius <= 1.0))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%d points of %g px, %g px apart, do not fit into an object of %d px. Make "
                   "“point_spacing” or “point_diameter” smaller, or “object_size” larger.",
                   points.n_stars, config->point_diameter, config->point_spacing,
                   config->object_size);
      return NULL;
    }
  return prism_object_draw (config->object_size, get_oversampling (config->object_size),
                            get_points, &points, error);
}
