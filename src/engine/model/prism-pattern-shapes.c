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

static double
draw (guint64 seed,
      guint point,
      guint what)
{
  return prism_random_uniform (seed, PRISM_STREAM_PATTERN, point, what);
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

/**
 * prism_pattern_fill_fermat:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: radius of the pattern
 *
 * The spiral of a sunflower's seeds: ρ = R·√(i/N), φ = i·137.508°.
 *
 * Source: numerics.md § 5.
 */
void
prism_pattern_fill_fermat (PrismPoint *points,
                           guint n_points,
                           double extent)
{
  for (guint i = 0; i < n_points; i++)
    points[i] = make_polar (extent / sqrt (n_points) * sqrt (i), GOLDEN_ANGLE * i);
}

/**
 * prism_pattern_fill_random_disk:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: radius of the disk
 * @seed: of the random numbers
 *
 * Uniform chance in a disk: ρ = R·√u. The point farthest out is moved to the centre.
 */
void
prism_pattern_fill_random_disk (PrismPoint *points,
                                guint n_points,
                                double extent,
                                guint64 seed)
{
  for (guint i = 0; i < n_points; i++)
    points[i] = make_polar (extent * sqrt (draw (seed, i, DRAW_RADIUS)),
                            2.0 * G_PI * draw (seed, i, DRAW_ANGLE));
  move_farthest_to_center (points, n_points);
}

/**
 * prism_pattern_fill_random_square:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: half the side of the square
 * @seed: of the random numbers
 *
 * Uniform chance in a square. The point farthest out is moved to the centre.
 */
void
prism_pattern_fill_random_square (PrismPoint *points,
                                  guint n_points,
                                  double extent,
                                  guint64 seed)
{
  for (guint i = 0; i < n_points; i++)
    {
      points[i].y = extent * (2.0 * draw (seed, i, DRAW_RADIUS) - 1.0);
      points[i].x = extent * (2.0 * draw (seed, i, DRAW_ANGLE) - 1.0);
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

/**
 * prism_pattern_fill_raster:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: N
 * @extent: half the side of the grid
 *
 * A square grid of side s = ⌈√N⌉ and pitch 2·extent/s, row by row, with the origin at index s/2 as
 * on the k-grid. Of the s² ≥ N points the N nearest to the origin stay: the corners go.
 */
void
prism_pattern_fill_raster (PrismPoint *points,
                           guint n_points,
                           double extent)
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

/**
 * prism_pattern_fill_jittered:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: half the side of the grid
 * @jitter: side of the square in which a point may lie, as a fraction of the pitch, 0…1
 * @seed: of the random numbers
 *
 * The raster, each point but the origin displaced by chance: no gap is larger than the grid's and
 * no direction is preferred.
 */
void
prism_pattern_fill_jittered (PrismPoint *points,
                             guint n_points,
                             double extent,
                             double jitter,
                             guint64 seed)
{
  double side = jitter * get_raster_pitch (n_points, extent);

  prism_pattern_fill_raster (points, n_points, extent);
  for (guint i = 0; i < n_points; i++)
    if (points[i].y != 0.0 || points[i].x != 0.0)
      {
        points[i].y += side * (draw (seed, i, DRAW_JITTER_Y) - 0.5);
        points[i].x += side * (draw (seed, i, DRAW_JITTER_X) - 0.5);
      }
}

/**
 * prism_pattern_fill_star:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: length of a ray
 * @n_lines: lines through the origin, at equal angles
 *
 * The origin, then ring by ring one point on each of the 2·n_lines rays.
 */
void
prism_pattern_fill_star (PrismPoint *points,
                         guint n_points,
                         double extent,
                         guint n_lines)
{
  guint n_rays = 2 * MAX (n_lines, 1);
  guint n_rings = MAX (1, (n_points - 1 + n_rays - 1) / n_rays);

  points[0] = (PrismPoint) { 0.0, 0.0 };
  for (guint i = 1; i < n_points; i++)
    points[i] = make_polar (extent * ((i - 1) / n_rays + 1) / n_rings,
                            2.0 * G_PI * ((i - 1) % n_rays) / n_rays);
}

/**
 * prism_pattern_fill_circles:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: radius of the outermost circle
 * @n_rings: circles, equally far apart
 *
 * The origin, then concentric circles. A circle gets points in proportion to its length, and is
 * turned by the golden angle against the one before, so that no spokes appear.
 */
void
prism_pattern_fill_circles (PrismPoint *points,
                            guint n_points,
                            double extent,
                            guint n_rings)
{
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

/**
 * prism_pattern_fill_archimedean:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: radius at the end of the spiral
 * @n_turns: > 0
 *
 * The spiral ρ = R·φ/(2π·turns), points equally far apart along it: neighbouring turns have the
 * same distance everywhere.
 */
void
prism_pattern_fill_archimedean (PrismPoint *points,
                                guint n_points,
                                double extent,
                                double n_turns)
{
  double end = 2.0 * G_PI * n_turns;

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

/**
 * prism_pattern_fill_logarithmic:
 * @points: (array length=n_points) (out caller-allocates): positions
 * @n_points: how many
 * @extent: radius of the last point
 * @n_turns: > 0
 * @innermost: radius of the first point after the origin, 0 < innermost ≤ extent
 *
 * The origin, then the spiral ρ = innermost·(extent/innermost)^t, φ = 2π·turns·t: dense inside,
 * where objects are bright.
 */
void
prism_pattern_fill_logarithmic (PrismPoint *points,
                                guint n_points,
                                double extent,
                                double n_turns,
                                double innermost)
{
  points[0] = (PrismPoint) { 0.0, 0.0 };
  for (guint i = 1; i < n_points; i++)
    {
      double t = n_points > 2 ? (i - 1) / (n_points - 2.0) : 1.0;

      points[i] = make_polar (innermost * pow (extent / innermost, t), 2.0 * G_PI * n_turns * t);
    }
}
