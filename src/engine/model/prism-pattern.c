#include "config.h"

#include "model/prism-pattern.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-random.h"

/* The formulas of the sampling patterns: where the points of each lie.
 * Thread: any. */

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

/* A square grid of side s = ⌈√N⌉ and pitch 2·extent/s, row by row, with the origin at index s/2 as
 * on the k-grid. Of the s² ≥ N points the N nearest to the origin stay: the corners go.
 * Where it is jittered, each point but the origin is displaced by chance within a square of
 * jitter·pitch: no gap is larger than the grid's and no direction is preferred. */
static void
fill_raster (PrismPoint *points,
             guint n_points,
             double extent,
             const PrismConfig *config)
{
  guint side = (guint) ceil (sqrt (n_points));
  double pitch = 2.0 * extent / side, jitter = config->pattern_jitter * pitch;
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
      if (config->pattern == PRISM_PATTERN_JITTERED && (points[i].y != 0.0 || points[i].x != 0.0))
        {
          points[i].y += jitter * (draw (config, i, DRAW_JITTER_Y) - 0.5);
          points[i].x += jitter * (draw (config, i, DRAW_JITTER_X) - 0.5);
        }
    }
}

/* Length of the spiral ρ = φ from 0 to φ. */
static double
get_arc_length (double angle)
{
  return 0.5 * (angle * sqrt (1.0 + angle * angle) + asinh (angle));
}

/* Point i of a pattern whose points do not depend on each other; extent: radius R of what is
 * filled. */
static PrismPoint
get_point (const PrismConfig *config,
           guint i,
           guint n_points,
           double extent)
{
  const guint n_rays = 2 * MAX ((guint) config->star_lines, 1);
  const guint n_rings = MAX (1, (n_points - 1 + n_rays - 1) / n_rays);
  const double turns = 2.0 * G_PI * config->pattern_turns;
  const double innermost = MIN (config->aperture_radius, extent);
  const double wanted = get_arc_length (turns) * i / MAX (n_points - 1, 1);
  const double t = n_points > 2 ? (i - 1.0) / (n_points - 2.0) : 1.0;
  double low = 0.0, high = turns;

  switch (config->pattern)
    {
    /* Uniform chance in a disk: ρ = R·√u. */
    case PRISM_PATTERN_RANDOM_DISK:
      return make_polar (extent * sqrt (draw (config, i, DRAW_RADIUS)),
                         2.0 * G_PI * draw (config, i, DRAW_ANGLE));

    /* Uniform chance in a square. */
    case PRISM_PATTERN_RANDOM_SQUARE:
      return (PrismPoint) { extent * (2.0 * draw (config, i, DRAW_RADIUS) - 1.0),
                            extent * (2.0 * draw (config, i, DRAW_ANGLE) - 1.0) };

    /* The origin, then ring by ring one point on each of the 2·star_lines rays. */
    case PRISM_PATTERN_STAR:
      return i == 0 ? (PrismPoint) { 0 }
                    : make_polar (extent * ((i - 1) / n_rays + 1) / n_rings,
                                  2.0 * G_PI * ((i - 1) % n_rays) / n_rays);

    /* The spiral ρ = R·φ/(2π·turns), points equally far apart along it: neighbouring turns have
     * the same distance everywhere. */
    case PRISM_PATTERN_ARCHIMEDEAN:
      for (guint k = 0; k < BISECTIONS; k++)
        {
          const double middle = 0.5 * (low + high);

          if (get_arc_length (middle) < wanted)
            low = middle;
          else
            high = middle;
        }
      return i == 0 ? (PrismPoint) { 0 } : make_polar (extent * high / turns, high);

    /* The origin, then the spiral ρ = innermost·(extent/innermost)^t, φ = 2π·turns·t: dense
     * inside, where objects are bright. The first turn begins at the aperture's radius. */
    case PRISM_PATTERN_LOGARITHMIC:
      return i == 0 ? (PrismPoint) { 0 }
                    : make_polar (innermost * pow (extent / innermost, t), turns * t);

    /* The spiral of a sunflower's seeds: ρ = R·√(i/N), φ = i·137.508°. */
    case PRISM_PATTERN_FERMAT:
    default:
      return make_polar (extent / sqrt (n_points) * sqrt (i), GOLDEN_ANGLE * i);
    }
}

/* Computes the positions of a pattern that is a formula.
 *
 * Units: px from the origin of k-space.
 * Source: numerics.md § 5. */
static void
fill_shape (PrismPoint *points,
            guint n_points,
            double extent,
            const PrismConfig *config)
{
  const int pattern = config->pattern;

  if (pattern == PRISM_PATTERN_RASTER || pattern == PRISM_PATTERN_JITTERED)
    fill_raster (points, n_points, extent, config);
  else if (pattern == PRISM_PATTERN_CIRCLES)
    {
      guint n_rings = config->pattern_rings;
      guint64 n_shares = (guint64) n_rings * (n_rings + 1) / 2;
      guint64 share = 0;
      guint first = 1;

      /* The origin, then concentric circles, equally far apart. A circle gets points in
       * proportion to its length, and is turned by the golden angle against the one before, so
       * that no spokes appear. */
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
  else
    for (guint i = 0; i < n_points; i++)
      points[i] = get_point (config, i, n_points, extent);
  if (pattern == PRISM_PATTERN_RANDOM_DISK || pattern == PRISM_PATTERN_RANDOM_SQUARE)
    {
      guint farthest = 0;

      /* Without the centre of k-space nothing fixes the mean brightness; random patterns would
       * often miss it. */
      for (guint i = 1; i < n_points; i++)
        if (hypot (points[i].y, points[i].x) > hypot (points[farthest].y, points[farthest].x))
          farthest = i;
      points[farthest] = (PrismPoint) { 0.0, 0.0 };
    }
}

/* Position of the random stream from which the order is drawn; see DRAW_RADIUS for the others. */
#define DRAW_ORDER 2
#define DRAW_ANGLE 5

typedef struct
{
  double key;
  guint index;
} SortEntry;

static int
compare_entries (gconstpointer a,
                 gconstpointer b)
{
  const SortEntry *left = a;
  const SortEntry *right = b;

  if (left->key != right->key && !(isnan (left->key) && isnan (right->key)))
    return isnan (right->key) || left->key < right->key ? -1 : 1;
  return left->index < right->index ? -1 : 1;
}

/* Reorders points by ascending keys [n_points]. */
static void
sort_points (PrismPoint *points,
             const double *keys,
             guint n_points)
{
  g_autofree PrismPoint *sorted = g_new (PrismPoint, n_points);
  g_autofree SortEntry *entries = g_new (SortEntry, n_points);

  /* Equal keys keep their order, NAN comes last. */
  for (guint i = 0; i < n_points; i++)
    entries[i] = (SortEntry) { keys[i], i };
  qsort (entries, n_points, sizeof *entries, compare_entries);
  for (guint i = 0; i < n_points; i++)
    sorted[i] = points[entries[i].index];
  memcpy (points, sorted, n_points * sizeof *points);
}

static guint
drop_beyond (PrismPoint *points,
             guint n_points,
             double cutoff)
{
  guint n_kept = 0;

  if (cutoff <= 0)
    return n_points;
  for (guint i = 0; i < n_points; i++)
    if (hypot (points[i].y, points[i].x) <= cutoff)
      points[n_kept++] = points[i];
  return n_kept;
}

static void
apply_order (PrismPattern *self,
             const PrismConfig *config)
{
  g_autofree double *keys = g_new (double, self->n_points);

  if (config->order == PRISM_ORDER_GIVEN)
    return;
  for (guint i = 0; i < self->n_points; i++)
    keys[i] = self->points[i].y * self->points[i].y + self->points[i].x * self->points[i].x;
  sort_points (self->points, keys, self->n_points);
  if (config->order != PRISM_ORDER_RANDOM)
    return;

  for (guint i = 0; i < self->n_points; i++)
    keys[i] = prism_random_uniform ((guint64) config->seed, PRISM_STREAM_PATTERN, i, DRAW_ORDER);
  sort_points (self->points, keys, self->n_points);
}

/* Takes points over. */
static PrismPattern *
pattern_new_take (PrismPoint *points,
                  guint n_points)
{
  PrismPattern *self = g_new0 (PrismPattern, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->points = points;
  self->n_points = n_points;
  return self;
}

static PrismPoint *
compute_points (const PrismConfig *config,
                guint *n_points,
                GError **error)
{
  PrismPoint *points;

  if (config->samples < 1)
    {
      prism_error_config (
          error, _ ("A pattern needs at least 1 position, not %d. Choose a larger number."),
          config->samples);
      return NULL;
    }
  points = g_try_new (PrismPoint, config->samples);
  if (points == NULL)
    {
      prism_error_memory (error, _ ("Not enough memory for %d positions. Choose fewer positions."),
                          config->samples);
      return NULL;
    }
  fill_shape (points, config->samples,
              0.5 * (config->roi > 0 ? config->roi : config->image_size), config);
  *n_points = config->samples;
  return points;
}

static PrismPoint *
make_points (const PrismConfig *config,
             guint *n_points,
             GError **error)
{
  if (config->pattern == PRISM_PATTERN_HAND)
    return prism_pattern_points_parse (config->pattern_points, "pattern_points", config->image_size,
                                       n_points, error);
  if (config->pattern != PRISM_PATTERN_FILE)
    return compute_points (config, n_points, error);
  if (config->pattern_file[0] != '\0')
    return prism_pattern_points_load (config->pattern_file, config->image_size, n_points, error);
  prism_error_config (error,
                      _ ("pattern_file is empty: give it a CSV file with the columns y and x."));
  return NULL;
}

/**
 * prism_pattern_new:
 * @config: a configuration
 *
 * Computes the positions of a sampling pattern and the order of the visits. The order "energy"
 * needs the measurements: it begins by radius, see prism_pattern_new_sorted().
 *
 * Units: px from the origin of k-space; extent R = roi/2.
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY; PRISM_ERROR_IO, PRISM_ERROR_FORMAT for a file.
 * Thread: any; reads a file for the pattern "file".
 * Source: numerics.md § 5.
 *
 * Returns: (transfer full) (nullable): the pattern
 */
PrismPattern *
prism_pattern_new (const PrismConfig *config,
                   GError **error)
{
  PrismPattern *self;
  PrismPoint *points;
  guint n_points;

  points = make_points (config, &n_points, error);
  if (points == NULL)
    return NULL;
  /* Before the order is made: a position keeps its line. */
  for (guint i = 0; i < n_points; i++)
    points[i].angle
        = config->line_direction == PRISM_DIRECTION_FIXED
              ? config->line_angle * G_PI / 180.0
              : G_PI
                    * prism_random_uniform ((guint64) config->seed, PRISM_STREAM_PATTERN, i,
                                            DRAW_ANGLE);
  self = pattern_new_take (points, drop_beyond (points, n_points, config->pattern_cutoff));
  if (self->n_points == 0)
    {
      prism_error_config (
          error,
          _ ("No position is within pattern_cutoff, %g px. Choose a larger cut-off radius, or"
             " 0 for none."),
          config->pattern_cutoff);
      prism_pattern_unref (self);
      return NULL;
    }
  apply_order (self, config);
  return self;
}

/**
 * prism_pattern_new_points:
 * @points: (array length=n_points): positions
 * @n_points: how many
 *
 * A pattern of given positions in their order.
 *
 * Returns: (transfer full): the pattern
 */
PrismPattern *
prism_pattern_new_points (const PrismPoint *points,
                          guint n_points)
{
  return pattern_new_take (g_memdup2 (points, n_points * sizeof *points), n_points);
}

/**
 * prism_pattern_new_sorted:
 * @keys: (array): one key per point
 *
 * The same positions by ascending keys; equal keys keep their order, NAN comes last.
 *
 * Shape: keys [n_points].
 *
 * Returns: (transfer full): the pattern
 */
PrismPattern *
prism_pattern_new_sorted (const PrismPattern *self,
                          const double *keys)
{
  PrismPattern *sorted = prism_pattern_new_points (self->points, self->n_points);

  sort_points (sorted->points, keys, sorted->n_points);
  return sorted;
}

PRISM_CLEAR (PrismPattern, pattern_clear, g_free, points)

PRISM_DEFINE_REFERENCES (PrismPattern, prism_pattern, pattern_clear)

/**
 * prism_pattern_get_coverage:
 * @plane: (array): union of the masks, 0 or 1
 * @image_size: n
 * @roi: diameter of the region of interest, px; 0 = n
 *
 * The fraction of the region of interest that the apertures have covered.
 *
 * Shape: plane [n][n], origin at [n/2][n/2].
 * Source: numerics.md § 3.
 *
 * Returns: 0…1
 */
double
prism_pattern_get_coverage (const guint8 *plane,
                            int image_size,
                            int roi)
{
  int half = image_size / 2;
  double radius = 0.5 * (roi > 0 ? roi : image_size);
  guint64 n_inside = 0, n_covered = 0;

  for (int y = -half; y < half; y++)
    {
      double chord2 = radius * radius - (double) y * y;
      int reach = chord2 >= 0 ? (int) floor (sqrt (chord2)) : -1;
      int x0 = MAX (-reach, -half);
      int x1 = MIN (reach, half - 1);
      const guint8 *row = plane + (gsize) (y + half) * image_size + half;
      guint covered = 0;

      for (int x = x0; x <= x1; x++)
        covered += row[x];
      n_covered += covered;
      n_inside += MAX (x1 - x0 + 1, 0);
    }
  return n_inside > 0 ? (double) n_covered / n_inside : 0.0;
}
