#include "config.h"

#include "results/prism-survey.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-sort.h"
#include "model/prism-aperture.h"
#include "model/prism-line.h"

#include <math.h>
#include <stdlib.h>

/* Dimensions of this file: n = image_size, N = number of positions. */

/* A position, and which of the pattern it is. */
typedef struct
{
  PrismPoint point;
  guint index;
} Entry;

typedef struct
{
  double distance; /* px; G_MAXDOUBLE for a position that is alone */
  guint index;
} Neighbour;

static int
compare_entries (gconstpointer a,
                 gconstpointer b)
{
  const Entry *left = a;
  const Entry *right = b;

  if (left->point.y != right->point.y)
    return left->point.y < right->point.y ? -1 : 1;
  return left->index < right->index ? -1 : 1;
}

/* From entry i of entries [N] (ascending y) in one direction, up to the row where |Δy| alone is too
 * far. */
static void
look_for_neighbour (const Entry *entries,
                    guint n_points,
                    guint i,
                    int direction,
                    Neighbour *nearest)
{
  const PrismPoint *here = &entries[i].point;

  for (gint64 j = (gint64) i + direction; j >= 0 && j < n_points; j += direction)
    {
      double distance = hypot (entries[j].point.y - here->y, entries[j].point.x - here->x);

      if (fabs (entries[j].point.y - here->y) >= nearest->distance)
        break;
      if (distance < nearest->distance)
        *nearest = (Neighbour) { distance, entries[j].index };
    }
}

/* Shape: [N], in the order of the pattern. */
static Neighbour *
find_neighbours (const PrismPattern *pattern)
{
  guint n = pattern->n_points;
  g_autofree Entry *entries = g_new (Entry, n);
  Neighbour *neighbours = g_new (Neighbour, n);

  for (guint i = 0; i < n; i++)
    entries[i] = (Entry) { pattern->points[i], i };
  qsort (entries, n, sizeof *entries, compare_entries);
  for (guint i = 0; i < n; i++)
    {
      Neighbour nearest = { G_MAXDOUBLE, 0 };

      look_for_neighbour (entries, n, i, -1, &nearest);
      look_for_neighbour (entries, n, i, 1, &nearest);
      neighbours[entries[i].index] = nearest;
    }
  return neighbours;
}

static void
compute_spacing (PrismSurvey *self,
                 const Neighbour *neighbours)
{
  guint n = self->pattern->n_points;
  g_autofree double *distances = g_new (double, n);

  if (n < 2)
    return;
  for (guint i = 0; i < n; i++)
    {
      distances[i] = neighbours[i].distance;
      self->spacing_mean += distances[i] / n;
    }
  prism_sort_doubles (distances, n);
  self->spacing_min = distances[0];
  self->spacing_median = 0.5 * (distances[(n - 1) / 2] + distances[n / 2]);
}

static void
compute_path (PrismSurvey *self)
{
  const PrismPoint *points = self->pattern->points;

  for (guint i = 1; i < self->pattern->n_points; i++)
    self->path_length += hypot (points[i].y - points[i - 1].y, points[i].x - points[i - 1].x);
}

static gsize
count_shared (const PrismMask *a,
              const PrismMask *b)
{
  int y0 = MAX (a->y0, b->y0), y1 = MIN (a->y0 + a->height, b->y0 + b->height);
  int x0 = MAX (a->x0, b->x0), x1 = MIN (a->x0 + a->width, b->x0 + b->width);
  gsize n = 0;

  for (int y = y0; y < y1; y++)
    {
      const guint8 *row_a = a->bits + (gsize) (y - a->y0) * a->width - a->x0;
      const guint8 *row_b = b->bits + (gsize) (y - b->y0) * b->width - b->x0;

      for (int x = x0; x < x1; x++)
        n += row_a[x] & row_b[x];
    }
  return n;
}

/* visits [n][n] counts up to 2. */
static void
add_visit (guint8 *visits,
           const PrismMask *mask)
{
  int half = mask->image_size / 2;

  for (int y = 0; y < mask->height; y++)
    {
      guint8 *row = visits + (gsize) (mask->y0 + y + half) * mask->image_size + mask->x0 + half;
      const guint8 *bits = mask->bits + (gsize) y * mask->width;

      for (int x = 0; x < mask->width; x++)
        row[x] = MIN (2, row[x] + bits[x]);
    }
}

static gboolean
set_memory_error (GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               "Not enough memory for the apertures of the pattern. Choose a smaller"
               " aperture_radius.");
  return FALSE;
}

/* visits [n][n] is zero before. */
static gboolean
visit_all (PrismSurvey *self,
           const PrismConfig *config,
           const Neighbour *neighbours,
           guint8 *visits,
           guint64 *n_visits,
           GError **error)
{
  guint n = self->pattern->n_points;
  PrismAperture aperture;
  PrismLine line;

  prism_aperture_init_config (&aperture, config);
  prism_line_init_config (&line, config);
  for (guint i = 0; i < n; i++)
    {
      const PrismPoint *point = &self->pattern->points[i];
      const PrismPoint *other = &self->pattern->points[neighbours[i].index];
      g_autoptr (PrismMask) mask
          = prism_line_get_mask (&line, &aperture, config->image_size, point);
      g_autoptr (PrismMask) neighbour
          = prism_line_get_mask (&line, &aperture, config->image_size, other);
      gsize count;

      if (mask == NULL || neighbour == NULL)
        return set_memory_error (error);
      count = prism_mask_get_count (mask);
      *n_visits += count;
      add_visit (visits, mask);
      if (n > 1 && count > 0)
        self->neighbour_overlap += (double) count_shared (mask, neighbour) / count / n;
    }
  return TRUE;
}

/* Leaves visits [n][n] as 0 and 1. */
static void
compute_coverage (PrismSurvey *self,
                  const PrismConfig *config,
                  guint8 *visits,
                  guint64 n_visits)
{
  gsize n_pixels = (gsize) config->image_size * config->image_size;
  guint64 n_covered = 0, n_twice = 0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      self->visits->pixels[i] = visits[i];
      n_twice += visits[i] > 1;
      visits[i] = visits[i] > 0;
      n_covered += visits[i];
    }
  self->diameter = config->roi > 0 ? config->roi : config->image_size;
  self->coverage = prism_pattern_get_coverage (visits, config->image_size, config->roi);
  self->plane_coverage = (double) n_covered / n_pixels;
  if (n_covered == 0)
    return;
  self->twice = (double) n_twice / n_covered;
  self->redundancy = (double) n_visits / n_covered;
}

static gboolean
fill (PrismSurvey *self,
      const PrismConfig *config,
      GError **error)
{
  gsize n_pixels = (gsize) config->image_size * config->image_size;
  g_autofree Neighbour *neighbours = find_neighbours (self->pattern);
  guint8 *visits = prism_arena_new_array (n_pixels, "the map of the pattern", error);
  guint64 n_visits = 0;
  gboolean done = visits != NULL && visit_all (self, config, neighbours, visits, &n_visits, error);

  if (done)
    {
      compute_spacing (self, neighbours);
      compute_path (self);
      compute_coverage (self, config, visits, n_visits);
    }
  prism_arena_free_array (visits);
  return done;
}

/**
 * prism_survey_new:
 * @config: grid, region of interest, aperture and pattern
 *
 * Computes the pattern of a configuration and what it measures. The order "energy" needs the
 * measurements: the path is the one by radius then.
 *
 * Errors: those of prism_config_check_plane() and prism_pattern_new(), PRISM_ERROR_MEMORY.
 * Thread: any; reads a file for the pattern "file".
 *
 * Returns: (transfer full) (nullable): the survey
 */
PrismSurvey *
prism_survey_new (const PrismConfig *config,
                  GError **error)
{
  g_autoptr (PrismPattern) pattern
      = prism_config_check_plane (config, NULL, error) ? prism_pattern_new (config, error) : NULL;

  return pattern != NULL ? prism_survey_new_pattern (pattern, config, error) : NULL;
}

/**
 * prism_survey_new_pattern:
 * @pattern: positions in the order of the visits
 * @config: grid, region of interest and aperture
 *
 * Computes what a pattern measures with this aperture.
 *
 * Units: px of k-space; the rest are fractions.
 * Errors: PRISM_ERROR_MEMORY.
 * Source: numerics.md, section "Optics".
 *
 * Returns: (transfer full) (nullable): the survey
 */
PrismSurvey *
prism_survey_new_pattern (PrismPattern *pattern,
                          const PrismConfig *config,
                          GError **error)
{
  g_autoptr (PrismSurvey) self = g_new0 (PrismSurvey, 1);

  self->pattern = prism_pattern_ref (pattern);
  self->visits = prism_image_new (config->image_size, config->image_size, error);
  if (self->visits == NULL || !fill (self, config, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_survey_free:
 * @self: (transfer full) (nullable): a survey
 *
 * Frees a survey.
 */
void
prism_survey_free (PrismSurvey *self)
{
  if (self == NULL)
    return;
  prism_pattern_unref (self->pattern);
  g_clear_pointer (&self->visits, prism_image_unref);
  g_free (self);
}
