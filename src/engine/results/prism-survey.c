#include "config.h"

#include "results/prism-survey.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "formats/prism-png-stream.h"
#include "model/prism-aperture.h"
#include "model/prism-line.h"
#include "model/prism-stroke-font.h"

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
      int half;

      if (mask == NULL || neighbour == NULL)
        {
          return prism_error_memory (
              error, _ ("Not enough memory for the apertures of the pattern. Choose a smaller"
                        " aperture_radius."));
        }
      count = prism_mask_get_count (mask);
      *n_visits += count;
      /* visits [n][n] counts up to 2. */
      half = mask->image_size / 2;
      for (int y = 0; y < mask->height; y++)
        {
          guint8 *row = visits + (gsize) (mask->y0 + y + half) * mask->image_size + mask->x0 + half;
          const guint8 *bits = mask->bits + (gsize) y * mask->width;

          for (int x = 0; x < mask->width; x++)
            row[x] = MIN (2, row[x] + bits[x]);
        }
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
      const PrismPoint *points;

      compute_spacing (self, neighbours);
      points = self->pattern->points;
      for (guint i = 1; i < self->pattern->n_points; i++)
        self->path_length += hypot (points[i].y - points[i - 1].y, points[i].x - points[i - 1].x);
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
PRISM_FREE_FOR_ALL (PrismSurvey,
                    prism_survey_free,
                    prism_pattern_unref,
                    pattern,
                    prism_image_unref,
                    visits)

/* Dimensions of this file: n = image_size, s = side of a tile in px. */

#define COLUMNS 4
#define TILE 260
#define MARGIN 22
#define CAPTION 66 /* px for the name and two lines of numbers */
#define LINE 19
#define NAME_SCALE 1.7
#define TEXT_SCALE 1.2

/* Greys, 0 black, 1 white. */
#define NOT_SEEN 0.10f
#define SEEN 0.36f
#define SEEN_TWICE 0.56f
#define BORDER 0.30f /* of the region of interest, added */
#define PATH 0.14f   /* added */

typedef struct
{
  PrismImage *image; /* [s][s] */
  double scale;      /* px of the tile per px of k-space */
  int image_size;    /* n */
} Tile;

/**
 * prism_gallery_get_n_kinds:
 *
 * Returns: how many kinds of patterns there are, from 0 as in #PrismPatternKind
 */
guint
prism_gallery_get_n_kinds (void)
{
  const PrismChoice *kinds = prism_config_get_param ("pattern")->choices;
  guint n = 0;

  while (kinds[n].name != NULL)
    n++;
  return n;
}

/**
 * prism_gallery_dup_config:
 * @config: a configuration
 * @kind: of the pattern
 *
 * Returns: (transfer full): the same configuration with this pattern
 */
PrismConfig *
prism_gallery_dup_config (const PrismConfig *config,
                          guint kind)
{
  PrismConfig *other = prism_config_dup (config);

  other->pattern = (int) kind;
  return other;
}

static float
get_grey (const Tile *tile,
          const PrismImage *visits,
          int row,
          int column)
{
  static const float greys[] = { NOT_SEEN, SEEN, SEEN_TWICE };
  int y0 = (int) (row / tile->scale), y1 = MAX (y0 + 1, (int) ((row + 1) / tile->scale));
  int x0 = (int) (column / tile->scale), x1 = MAX (x0 + 1, (int) ((column + 1) / tile->scale));
  double sum = 0.0;
  int n = 0;

  for (int y = y0; y < MIN (y1, tile->image_size); y++)
    for (int x = x0; x < MIN (x1, tile->image_size); x++, n++)
      sum += greys[(int) visits->pixels[(gsize) y * tile->image_size + x]];
  return n > 0 ? (float) (sum / n) : NOT_SEEN;
}

/* The pixel k of k-space has its middle half a pixel beyond its corner. */
static double
get_place (const Tile *tile,
           double k)
{
  return (k + tile->image_size / 2 + 0.5) * tile->scale;
}

static void
mark (guint8 *marks,
      int s,
      double y,
      double x)
{
  int row = (int) floor (y), column = (int) floor (x);

  if (row >= 0 && column >= 0 && row < s && column < s)
    marks[(gsize) row * s + column] = 1;
}

/* Each pixel gets the light once, however often the lines cross it. */
static void
add_marks (const Tile *tile,
           const guint8 *marks,
           float light)
{
  gsize n = (gsize) tile->image->width * tile->image->width;

  for (gsize i = 0; i < n; i++)
    tile->image->pixels[i] += light * marks[i];
}

static void
draw_path (const Tile *tile,
           const PrismPattern *pattern)
{
  int s = tile->image->width;
  g_autofree guint8 *marks = g_malloc0 ((gsize) s * s);

  for (guint i = 1; i < pattern->n_points; i++)
    {
      const PrismPoint *from = &pattern->points[i - 1], *to = &pattern->points[i];
      double length = hypot (to->y - from->y, to->x - from->x) * tile->scale;
      int n = MAX (1, (int) ceil (2.0 * length));

      for (int k = 0; k <= n; k++)
        mark (marks, s, get_place (tile, from->y + (to->y - from->y) * k / n),
              get_place (tile, from->x + (to->x - from->x) * k / n));
    }
  add_marks (tile, marks, PATH);
}

/* Dashed, as in the k-space view. */
static void
draw_border (const Tile *tile,
             double radius)
{
  int s = tile->image->width;
  int n = MAX (8, (int) ceil (4.0 * G_PI * radius * tile->scale));
  g_autofree guint8 *marks = g_malloc0 ((gsize) s * s);

  for (int k = 0; k < n; k++)
    {
      double angle = 2.0 * G_PI * k / n;

      if (sin (48.0 * angle) >= -0.3)
        mark (marks, s, get_place (tile, radius * sin (angle)),
              get_place (tile, radius * cos (angle)));
    }
  add_marks (tile, marks, BORDER);
}

static void
draw_positions (const Tile *tile,
                const PrismPattern *pattern)
{
  int s = tile->image->width;
  double size = CLAMP (0.10 * s / sqrt (pattern->n_points + 1.0), 1.0, 2.6);

  for (guint i = 0; i < pattern->n_points; i++)
    {
      double y = get_place (tile, pattern->points[i].y), x = get_place (tile, pattern->points[i].x);

      for (int row = MAX (0, (int) (y - size)); row <= MIN (s - 1, (int) (y + size)); row++)
        for (int column = MAX (0, (int) (x - size)); column <= MIN (s - 1, (int) (x + size));
             column++)
          if (hypot (row + 0.5 - y, column + 0.5 - x) <= size)
            tile->image->pixels[(gsize) row * s + column] = 1.0f;
    }
}

/**
 * prism_gallery_draw_tile:
 * @survey: of a pattern
 * @config: with the region of interest
 * @size: s, px
 *
 * Draws k-space: not seen dark, seen once brighter, seen twice or more brightest, the border of the
 * region of interest dashed, path and positions.
 *
 * Shape: [s][s], 0 black, 1 white.
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the picture
 */
PrismImage *
prism_gallery_draw_tile (const PrismSurvey *survey,
                         const PrismConfig *config,
                         int size,
                         GError **error)
{
  Tile tile = { prism_image_new (size, size, error), 0.0, config->image_size };
  int s;

  if (tile.image == NULL)
    return NULL;
  tile.scale = (double) size / config->image_size;
  s = tile.image->width;
  for (int y = 0; y < s; y++)
    for (int x = 0; x < s; x++)
      tile.image->pixels[(gsize) y * s + x] = get_grey (&tile, survey->visits, y, x);
  draw_path (&tile, survey->pattern);
  draw_border (&tile, 0.5 * (config->roi > 0 ? config->roi : config->image_size));
  draw_positions (&tile, survey->pattern);
  return tile.image;
}

static void
draw_text (PrismImage *sheet,
           const char *text,
           double y,
           double x,
           double scale)
{
  g_autoptr (PrismStrokeText) letters = prism_stroke_text_new (text);

  prism_stroke_text_draw (letters, sheet, y, x, scale);
}

/* In ASCII, which is what the font has. */
static void
draw_caption (PrismImage *sheet,
              const PrismSurvey *survey,
              const char *name,
              double y,
              double x)
{
  g_autofree char *area
      = g_strdup_printf ("coverage %.0f %%, overlap %.0f %%", 100.0 * survey->coverage,
                         100.0 * survey->neighbour_overlap);
  guint n = survey->pattern->n_points;
  g_autofree char *points
      = g_strdup_printf ("%u position%s, spacing %s px", n, n == 1 ? "" : "s",
                         prism_digits ("%.1f", survey->spacing_mean));

  draw_text (sheet, name, y, x, NAME_SCALE);
  draw_text (sheet, area, y + LINE + 6, x, TEXT_SCALE);
  draw_text (sheet, points, y + 2 * LINE + 6, x, TEXT_SCALE);
}

/* Of a file that is not named, or a list that is empty, there is nothing to show. */
static GPtrArray *
survey_all (const PrismConfig *config,
            GArray *kinds)
{
  GPtrArray *surveys = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_survey_free);

  for (guint kind = 0; kind < prism_gallery_get_n_kinds (); kind++)
    {
      g_autoptr (PrismConfig) other = prism_gallery_dup_config (config, kind);
      PrismSurvey *survey = prism_survey_new (other, NULL);

      if (survey == NULL)
        continue;
      g_ptr_array_add (surveys, survey);
      g_array_append_val (kinds, kind);
    }
  return surveys;
}

/**
 * prism_gallery_draw_sheet:
 * @config: aperture, number of samples and what else patterns depend on
 *
 * Draws every kind of pattern that has positions, each with its name and numbers below.
 *
 * Shape: four tiles wide; 0 black, 1 white.
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: any; reads a file for the pattern "file".
 *
 * Returns: (transfer full) (nullable): the picture
 */
PrismImage *
prism_gallery_draw_sheet (const PrismConfig *config,
                          GError **error)
{
  g_autoptr (GArray) kinds = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GPtrArray) surveys = survey_all (config, kinds);
  int n_rows = MAX (1, ((int) surveys->len + COLUMNS - 1) / COLUMNS);
  g_autoptr (PrismImage) sheet = prism_image_new (MARGIN + n_rows * (TILE + CAPTION + MARGIN),
                                                  MARGIN + COLUMNS * (TILE + MARGIN), error);

  if (sheet == NULL)
    return NULL;
  for (guint i = 0; i < surveys->len; i++)
    {
      g_autoptr (PrismConfig) other
          = prism_gallery_dup_config (config, g_array_index (kinds, guint, i));
      const PrismSurvey *survey = surveys->pdata[i];
      int y = MARGIN + (int) (i / COLUMNS) * (TILE + CAPTION + MARGIN);
      int x = MARGIN + (int) (i % COLUMNS) * (TILE + MARGIN);
      g_autoptr (PrismImage) tile = prism_gallery_draw_tile (survey, other, TILE, error);

      if (tile == NULL)
        return NULL;
      for (int row = 0; row < tile->height; row++)
        memcpy (sheet->pixels + (gsize) (y + row) * sheet->width + x,
                tile->pixels + (gsize) row * tile->width, tile->width * sizeof *tile->pixels);
      draw_caption (sheet, survey,
                    prism_config_get_param ("pattern")->choices[other->pattern].label, y + TILE + 8,
                    x);
    }
  return g_steal_pointer (&sheet);
}

/**
 * prism_gallery_save_png:
 * @config: aperture, number of samples and what else patterns depend on
 * @path: file name that ends in .png
 *
 * Writes the picture of prism_gallery_draw_sheet().
 *
 * Errors: PRISM_ERROR_CONFIG for another name, PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 * Thread: any; reads a file for the pattern "file".
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_gallery_save_png (const PrismConfig *config,
                        const char *path,
                        GError **error)
{
  g_autoptr (PrismImage) sheet = NULL;

  if (!g_str_has_suffix (path, ".png"))
    {
      return prism_error_config (
          error,
          "The gallery is written as PNG, but “%s” ends otherwise. Choose a name that ends"
          " in .png.",
          path);
    }
  sheet = prism_gallery_draw_sheet (config, error);
  return sheet != NULL && prism_image_save_png (sheet, path, 8, 0.0f, 1.0f, NULL, error);
}
