#include "config.h"

#include "model/prism-pattern-shapes.h"

#include "base/prism-random.h"

#include <math.h>
#include <stdlib.h>

#define GOLDEN_ANGLE (137.508 * G_PI / 180.0)
#define BISECTIONS 60

/* What the positions of the random stream stand for, per point. 2 is the order of the visits. */
enum
{
  DRAW_RADIUS = 0,
  DRAW_ANGLE = 1,
  DRAW_JITTER_Y = 3,
  DRAW_JITTER_X = 4,
};

typedef struct
{
  int distance; /* squared, in pitches */
  guint index;
} GridEntry;

/* points [n_points], px from the origin of k-space; extent: radius R of what is filled. */
typedef void (*FillFunc) (PrismPoint *points,
                          guint n_points,
                          double extent,
                          const PrismConfig *config);

static double
draw (const PrismConfig *config,
      guint point,
      guint what)
{
  return prism_random_uniform ((guint64) config->seed, PRISM_STREAM_PATTERN, point, what);
}

static PrismPoint
make_polar (double radius,
            double angle)
{
  return (PrismPoint) { radius * sin (angle), radius * cos (angle) };
}

/* Without the centre of k-space nothing fixes the mean brightness; random patterns would often miss
 * it. */
static void
move_farthest_to_center (PrismPoint *points,
                         guint n_points)
{
  guint farthest = 0;

  for (guint i = 1; i < n_points; i++)
    if (hypot (points[i].y, points[i].x) > hypot (points[farthest].y, points[farthest].x))
      farthest = i;
  points[farthest] = (PrismPoint) { 0.0, 0.0 };
}

/* The spiral of a sunflower's seeds: ρ = R·√(i/N), φ = i·137.508°. */
static void
fill_fermat (PrismPoint *points,
             guint n_points,
             double extent,
             const PrismConfig *config)
{
  for (guint i = 0; i < n_points; i++)
    points[i] = make_polar (extent / sqrt (n_points) * sqrt (i), GOLDEN_ANGLE * i);
}

/* Uniform chance in a disk: ρ = R·√u. The point farthest out is moved to the centre. */
static void
fill_random_disk (PrismPoint *points,
                  guint n_points,
                  double extent,
                  const PrismConfig *config)
{
  for (guint i = 0; i < n_points; i++)
    points[i] = make_polar (extent * sqrt (draw (config, i, DRAW_RADIUS)),
                            2.0 * G_PI * draw (config, i, DRAW_ANGLE));
  move_farthest_to_center (points, n_points);
}

/* Uniform chance in a square. The point farthest out is moved to the centre. */
static void
fill_random_square (PrismPoint *points,
                    guint n_points,
                    double extent,
                    const PrismConfig *config)
{
  for (guint i = 0; i < n_points; i++)
    {
      points[i].y = extent * (2.0 * draw (config, i, DRAW_RADIUS) - 1.0);
      points[i].x = extent * (2.0 * draw (config, i, DRAW_ANGLE) - 1.0);
    }
  move_farthest_to_center (points, n_points);
}

static int
compare_grid_entries (gconstpointer a,
                      gconstpointer b)
{
  const GridEntry *left = a;
  const GridEntry *right = b;

  if (left->distance != right->distance)
    return left->distance < right->distance ? -1 : 1;
  return left->index < right->index ? -1 : 1;
}

static double
get_raster_pitch (guint n_points,
                  double extent)
{
  return 2.0 * extent / ceil (sqrt (n_points));
}

/* A square grid of side s = ⌈√N⌉ and pitch 2·extent/s, row by row, with the origin at index s/2 as
 * on the k-grid. Of the s² ≥ N points the N nearest to the origin stay: the corners go. */
static void
fill_raster (PrismPoint *points,
             guint n_points,
             double extent,
             const PrismConfig *config)
{
  guint side = (guint) ceil (sqrt (n_points));
  double pitch = get_raster_pitch (n_points, extent);
  g_autofree GridEntry *entries = g_new (GridEntry, side * side);

  for (guint i = 0; i < side * side; i++)
    {
      int row = (int) (i / side) - (int) (side / 2);
      int column = (int) (i % side) - (int) (side / 2);

      entries[i] = (GridEntry) { row * row + column * column, i };
    }
  qsort (entries, side * side, sizeof *entries, compare_grid_entries);
  for (guint i = 0; i < n_points; i++)
    entries[i].distance = 0;
  qsort (entries, n_points, sizeof *entries, compare_grid_entries);
  for (guint i = 0; i < n_points; i++)
    {
      points[i].y = pitch * ((int) (entries[i].index / side) - (int) (side / 2));
      points[i].x = pitch * ((int) (entries[i].index % side) - (int) (side / 2));
    }
}

/* The raster, each point but the origin displaced by chance within a square of jitter·pitch: no gap
 * is larger than the grid's and no direction is preferred. */
static void
fill_jittered (PrismPoint *points,
               guint n_points,
               double extent,
               const PrismConfig *config)
{
  double side = config->pattern_jitter * get_raster_pitch (n_points, extent);

  fill_raster (points, n_points, extent, config);
  for (guint i = 0; i < n_points; i++)
    if (points[i].y != 0.0 || points[i].x != 0.0)
      {
        points[i].y += side * (draw (config, i, DRAW_JITTER_Y) - 0.5);
        points[i].x += side * (draw (config, i, DRAW_JITTER_X) - 0.5);
      }
}

/* The origin, then ring by ring one point on each of the 2·star_lines rays. */
static void
fill_star (PrismPoint *points,
           guint n_points,
           double extent,
           const PrismConfig *config)
{
  guint n_rays = 2 * MAX ((guint) config->star_lines, 1);
  guint n_rings = MAX (1, (n_points - 1 + n_rays - 1) / n_rays);

  points[0] = (PrismPoint) { 0.0, 0.0 };
  for (guint i = 1; i < n_points; i++)
    points[i] = make_polar (extent * ((i - 1) / n_rays + 1) / n_rings,
                            2.0 * G_PI * ((i - 1) % n_rays) / n_rays);
}

/* The origin, then concentric circles, equally far apart. A circle gets points in proportion to its
 * length, and is turned by the golden angle against the one before, so that no spokes appear. */
static void
fill_circles (PrismPoint *points,
              guint n_points,
              double extent,
              const PrismConfig *config)
{
  guint n_rings = config->pattern_rings;
  guint64 n_shares = (guint64) n_rings * (n_rings + 1) / 2;
  guint64 share = 0;
  guint first = 1;

  points[0] = (PrismPoint) { 0.0, 0.0 };
  for (guint ring = 1; ring <= n_rings; ring++)
    {
      guint end, n_ring;

      share += ring;
      end = 1 + (guint) ((share * (n_points - 1) + n_shares / 2) / n_shares);
      n_ring = end - first;
      for (guint i = 0; i < n_ring; i++)
        points[first + i] = make_polar (extent * ring / n_rings,
                                        2.0 * G_PI * i / n_ring + GOLDEN_ANGLE * (ring - 1));
      first = end;
    }
}

/* Length of the spiral ρ = φ from 0 to φ. */
static double
get_arc_length (double angle)
{
  return 0.5 * (angle * sqrt (1.0 + angle * angle) + asinh (angle));
}

/* The spiral ρ = R·φ/(2π·turns), points equally far apart along it: neighbouring turns have the
 * same distance everywhere. */
static void
fill_archimedean (PrismPoint *points,
                  guint n_points,
                  double extent,
                  const PrismConfig *config)
{
  double end = 2.0 * G_PI * config->pattern_turns;

  for (guint i = 0; i < n_points; i++)
    {
      double wanted = get_arc_length (end) * i / MAX (n_points - 1, 1);
      double low = 0.0, high = end;

      for (guint k = 0; k < BISECTIONS; k++)
        {
          double middle = 0.5 * (low + high);

          if (get_arc_length (middle) < wanted)
            low = middle;
          else
            high = middle;
        }
      points[i] = make_polar (extent * high / end, high);
    }
  points[0] = (PrismPoint) { 0.0, 0.0 };
}

/* The origin, then the spiral ρ = innermost·(extent/innermost)^t, φ = 2π·turns·t: dense inside,
 * where objects are bright. The first turn begins at the aperture's radius. */
static void
fill_logarithmic (PrismPoint *points,
                  guint n_points,
                  double extent,
                  const PrismConfig *config)
{
  double innermost = MIN (config->aperture_radius, extent);

  points[0] = (PrismPoint) { 0.0, 0.0 };
  for (guint i = 1; i < n_points; i++)
    {
      double t = n_points > 2 ? (i - 1) / (n_points - 2.0) : 1.0;

      points[i] = make_polar (innermost * pow (extent / innermost, t),
                              2.0 * G_PI * config->pattern_turns * t);
    }
}

static const FillFunc fills[] = {
  [PRISM_PATTERN_FERMAT] = fill_fermat,
  [PRISM_PATTERN_RANDOM_DISK] = fill_random_disk,
  [PRISM_PATTERN_RANDOM_SQUARE] = fill_random_square,
  [PRISM_PATTERN_RASTER] = fill_raster,
  [PRISM_PATTERN_JITTERED] = fill_jittered,
  [PRISM_PATTERN_STAR] = fill_star,
  [PRISM_PATTERN_CIRCLES] = fill_circles,
  [PRISM_PATTERN_ARCHIMEDEAN] = fill_archimedean,
  [PRISM_PATTERN_LOGARITHMIC] = fill_logarithmic,
};

/**
 * prism_pattern_shapes_fill:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many, at least 1
 * @extent: radius of the region that is filled
 * @config: pattern, but neither a file nor one by hand, and what it depends on
 *
 * Computes the positions of a pattern that is a formula.
 *
 * Units: px from the origin of k-space.
 * Source: numerics.md § 5.
 */
void
prism_pattern_shapes_fill (PrismPoint *points,
                           guint n_points,
                           double extent,
                           const PrismConfig *config)
{
  FillFunc fill = fills[config->pattern];

  fill (points, n_points, extent, config);
}
