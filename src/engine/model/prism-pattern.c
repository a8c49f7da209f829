#include "config.h"

#include "model/prism-pattern.h"

#include "base/prism-error.h"
#include "base/prism-random.h"
#include "model/prism-pattern-points.h"
#include "model/prism-pattern-shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Position of the random stream from which the order is drawn; see prism-pattern-shapes.c for the
 * others. */
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

/**
 * prism_pattern_sort_keys:
 * @keys: (array length=n_keys): one key per point
 * @n_keys: number of points
 * @order: (out caller-allocates) (array length=n_keys): numbers of the points by ascending keys
 *
 * Equal keys keep their order, NAN comes last.
 */
void
prism_pattern_sort_keys (const double *keys,
                         guint n_keys,
                         guint *order)
{
  g_autofree SortEntry *entries = g_new (SortEntry, n_keys);

  for (guint i = 0; i < n_keys; i++)
    entries[i] = (SortEntry) { keys[i], i };
  qsort (entries, n_keys, sizeof *entries, compare_entries);
  for (guint i = 0; i < n_keys; i++)
    order[i] = entries[i].index;
}

/* Reorders points by ascending keys [n_points]. */
static void
sort_points (PrismPoint *points,
             const double *keys,
             guint n_points)
{
  g_autofree guint *order = g_new (guint, n_points);
  g_autofree PrismPoint *sorted = g_new (PrismPoint, n_points);

  prism_pattern_sort_keys (keys, n_points, order);
  for (guint i = 0; i < n_points; i++)
    sorted[i] = points[order[i]];
  memcpy (points, sorted, n_points * sizeof *points);
}

static void
sort_by_radius (PrismPoint *points,
                guint n_points)
{
  g_autofree double *keys = g_new (double, n_points);

  for (guint i = 0; i < n_points; i++)
    keys[i] = points[i].y * points[i].y + points[i].x * points[i].x;
  sort_points (points, keys, n_points);
}

/* Before the order is made: a position keeps its line. */
static void
set_angles (PrismPoint *points,
            guint n_points,
            const PrismConfig *config)
{
  for (guint i = 0; i < n_points; i++)
    points[i].angle
        = config->line_direction == PRISM_DIRECTION_FIXED
              ? config->line_angle * G_PI / 180.0
              : G_PI
                    * prism_random_uniform ((guint64) config->seed, PRISM_STREAM_PATTERN, i,
                                            DRAW_ANGLE);
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
  g_autofree double *keys = NULL;

  if (config->order == PRISM_ORDER_GIVEN)
    return;
  sort_by_radius (self->points, self->n_points);
  if (config->order != PRISM_ORDER_RANDOM)
    return;

  keys = g_new (double, self->n_points);
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
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "samples is %d but a pattern needs at least 1 position. Choose a larger number.",
                   config->samples);
      return NULL;
    }
  points = g_try_new (PrismPoint, config->samples);
  if (points == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   "Not enough memory for %d sample positions. Choose fewer samples.",
                   config->samples);
      return NULL;
    }
  prism_pattern_shapes_fill (points, config->samples,
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
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "pattern is “file”, but pattern_file is empty. Give the path of a CSV file with the"
               " columns y and x.");
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
  set_angles (points, n_points, config);
  self = pattern_new_take (points, drop_beyond (points, n_points, config->pattern_cutoff));
  if (self->n_points == 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "No position is within pattern_cutoff, %g px. Choose a larger cut-off radius, or"
                   " 0 for none.",
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

/**
 * prism_pattern_ref:
 *
 * Returns: (transfer full): the same pattern, with one more reference
 */
PrismPattern *
prism_pattern_ref (PrismPattern *self)
{
  /* The macro, unlike g_atomic_ref_count_inc(), is compiled here and so seen by ThreadSanitizer. */
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_pattern_unref:
 * @self: (transfer full) (nullable): a pattern
 *
 * Gives one reference back; the last one frees the pattern.
 */
void
prism_pattern_unref (PrismPattern *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  g_free (self->points);
  g_free (self);
}

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
