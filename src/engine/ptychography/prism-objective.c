/* An objective over its field, from the pupils of tiles.
 *
 * A tile tells little of what a shift of all lights does as well, such as coma. So the pupils of
 * all tiles are one problem of least squares, each weighted by the curvatures of its frames'
 * misfit, over what lenses do that have rotational symmetry each and need not be centred:
 * aberrations of the third order, whose coefficients are polynomials of the place H = x + iy
 * (Thompson, J. Opt. Soc. Am. A 22 (2005) 1389),
 *   defocus         d₀ + d₁x + d₂y + d₃|H|²
 *   astigmatism     a₀ + a₁H + a₂H², complex, a₂ real
 *   coma            c₀ + c₁H, complex, c₁ real
 *   spherical aberration, and trefoil as that of the middle, constants.
 * Errors are those of a jackknife: tiles are left out, one after the other. */
#include "config.h"

#include "ptychography/prism-objective.h"

#include "base/prism-text.h"
#include "num/prism-linear.h"

#define N_MODES PRISM_PUPIL_N_MODES
#define N_TERMS PRISM_OBJECTIVE_N_TERMS
#define N_NUMBERS PRISM_OBJECTIVE_N_NUMBERS
#define NODES 9 /* of the field along a side, in tables and means */
#define RAYS 24 /* along the diameter of the pupil */

/* Names in summary.json, and what one is there. */
static const struct
{
  const char *key;
  double unit;
} numbers[N_NUMBERS] = {
  { "field_curvature_per_mm", 1e3 },
  { "focus_tilt_um_per_mm", 1e-3 },
  { "focus_range_um", 1e-6 },
  { "astigmatism_most_um", 1e-6 },
  { "strehl_mean", 1 },
  { "strehl_least", 1 },
  { "plane_strehl_mean", 1 },
  { "plane_strehl_least", 1 },
};

/* m of the axis, of a wave of defocus. */
static double
get_depth (const PrismObjective *self)
{
  return 4 * self->wavelength / (self->na * self->na);
}

/* What each term adds to each aberration in a place, which is told in halves of the longer side. */
static void
evaluate_terms (const PrismObjective *self,
                const double place[2],
                double terms[N_MODES][N_TERMS])
{
  const double half = MAX (self->size[0], self->size[1]) / 2;
  const double x = place[0] / half, y = place[1] / half;
  const double all[N_MODES][N_TERMS] = {
    { 1, x, y, x * x + y * y },
    { [4] = 1, [6] = x, [7] = -y, [8] = x * x - y * y },
    { [5] = 1, [6] = y, [7] = x, [8] = 2 * x * y },
    { [9] = 1, [11] = x },
    { [10] = 1, [11] = y },
    { [12] = 1 },
    { [13] = 1 },
    { [14] = 1 },
  };

  memcpy (terms, all, sizeof all);
}

/* |mean of exp(iφ)|² over the pupil. */
static double
compute_strehl (const double waves[N_MODES])
{
  double sum[2] = { 0 }, coefficients[N_MODES];
  guint n = 0;

  for (int a = 0; a < N_MODES; a++)
    coefficients[a] = 2 * G_PI * waves[a];
  for (int i = 0; i < RAYS * RAYS; i++)
    {
      const double x = (i % RAYS + 0.5) / (RAYS / 2.0) - 1, y = (i / RAYS + 0.5) / (RAYS / 2.0) - 1;
      const double phase = prism_pupil_evaluate_phase (x, y, coefficients);

      if (x * x + y * y > 1)
        continue;
      sum[0] += cos (phase);
      sum[1] += sin (phase);
      n++;
    }
  return (sum[0] * sum[0] + sum[1] * sum[1]) / ((double) n * n);
}

/* The mean defocus of the field, waves. */
static double
get_plane (const PrismObjective *self)
{
  const double longest = MAX (self->size[0], self->size[1]);

  return self->terms[0]
         + self->terms[3] * (pow (self->size[0] / longest, 2) + pow (self->size[1] / longest, 2))
               / 3;
}

/**
 * prism_objective_evaluate:
 * @at: column and row, m from the middle of the field
 * @place: (out)
 *
 * Computes the pupil in a place, and what it comes to.
 */
void
prism_objective_evaluate (const PrismObjective *self,
                          const double at[2],
                          PrismObjectivePlace *place)
{
  double terms[N_MODES][N_TERMS], waves[N_MODES];

  evaluate_terms (self, at, terms);
  for (int a = 0; a < N_MODES; a++)
    {
      place->waves[a] = 0;
      for (int k = 0; k < N_TERMS; k++)
        place->waves[a] += terms[a][k] * self->terms[k];
    }
  place->focus = get_depth (self) * place->waves[0];
  place->astigmatism = get_depth (self) * hypot (place->waves[1], place->waves[2]);
  memcpy (waves, place->waves, sizeof waves);
  waves[0] = 0;
  place->strehl = compute_strehl (waves);
  waves[0] = place->waves[0] - get_plane (self);
  place->plane_strehl = compute_strehl (waves);
}

/* A place of the table of all. */
static void
get_node (const PrismObjective *self,
          int i,
          double place[2])
{
  place[0] = self->size[0] * (i % NODES / (NODES - 1.0) - 0.5);
  place[1] = self->size[1] * ((double) (i / NODES) / (NODES - 1.0) - 0.5);
}

static void
measure (const PrismObjective *self,
         double found[N_NUMBERS])
{
  const double half = MAX (self->size[0], self->size[1]) / 2;
  double limits[2] = { INFINITY, -INFINITY };

  memset (found, 0, N_NUMBERS * sizeof *found);
  found[PRISM_OBJECTIVE_CURVATURE] = 2 * get_depth (self) * self->terms[3] / (half * half);
  found[PRISM_OBJECTIVE_TILT] = get_depth (self) * hypot (self->terms[1], self->terms[2]) / half;
  found[PRISM_OBJECTIVE_STREHL_LEAST] = found[PRISM_OBJECTIVE_PLANE_STREHL_LEAST] = 1;
  for (int i = 0; i < NODES * NODES; i++)
    {
      PrismObjectivePlace place;
      double at[2];

      get_node (self, i, at);
      prism_objective_evaluate (self, at, &place);
      limits[0] = MIN (limits[0], place.focus);
      limits[1] = MAX (limits[1], place.focus);
      found[PRISM_OBJECTIVE_ASTIGMATISM]
          = MAX (found[PRISM_OBJECTIVE_ASTIGMATISM], place.astigmatism);
      found[PRISM_OBJECTIVE_STREHL_MEAN] += place.strehl / (NODES * NODES);
      found[PRISM_OBJECTIVE_STREHL_LEAST]
          = MIN (found[PRISM_OBJECTIVE_STREHL_LEAST], place.strehl);
      found[PRISM_OBJECTIVE_PLANE_STREHL_MEAN] += place.plane_strehl / (NODES * NODES);
      found[PRISM_OBJECTIVE_PLANE_STREHL_LEAST]
          = MIN (found[PRISM_OBJECTIVE_PLANE_STREHL_LEAST], place.plane_strehl);
    }
  found[PRISM_OBJECTIVE_FOCUS_RANGE] = limits[1] - limits[0];
}

/* All tiles but one; n_tiles: all. */
static void
solve (PrismObjective *self,
       const PrismObjectiveTile *tiles,
       guint left_out)
{
  double matrix[N_TERMS][N_TERMS + 1] = { { 0 } }, trace = 0;

  for (guint i = 0; i < self->n_tiles; i++)
    {
      double terms[N_MODES][N_TERMS];

      if (i == left_out)
        continue;
      evaluate_terms (self, tiles[i].at, terms);
      for (int a = 0; a < N_MODES; a++)
        for (int b = 0; b < N_MODES; b++)
          for (int k = 0; k < N_TERMS; k++)
            {
              for (int l = 0; l < N_TERMS; l++)
                matrix[k][l] += terms[a][k] * tiles[i].weights[a][b] * terms[b][l];
              matrix[k][N_TERMS] += terms[a][k] * tiles[i].weights[a][b] * tiles[i].waves[b];
            }
    }
  for (int k = 0; k < N_TERMS; k++)
    trace += matrix[k][k];
  for (int k = 0; k < N_TERMS; k++)
    matrix[k][k] += 1e-9 * trace;
  prism_linear_solve (matrix[0], N_TERMS);
  for (int k = 0; k < N_TERMS; k++)
    self->terms[k] = matrix[k][N_TERMS];
}

/**
 * prism_objective_fit:
 * @self: (inout): with the field's size, wavelength and NA
 * @n_tiles: number of tiles, in two rows and columns and in three of one of them
 * @tiles: (array length=n_tiles): what they tell
 *
 * Finds what they have in common.
 */
void
prism_objective_fit (PrismObjective *self,
                     guint n_tiles,
                     const PrismObjectiveTile *tiles)
{
  double sums[N_NUMBERS] = { 0 }, squares[N_NUMBERS] = { 0 }, off = 0;

  self->n_tiles = n_tiles;
  for (guint i = 0; i < n_tiles; i++)
    {
      double found[N_NUMBERS];

      solve (self, tiles, i);
      measure (self, found);
      for (int k = 0; k < N_NUMBERS; k++)
        {
          sums[k] += found[k] / n_tiles;
          squares[k] += found[k] * found[k] / n_tiles;
        }
    }
  for (int k = 0; k < N_NUMBERS; k++)
    self->errors[k] = sqrt (MAX (squares[k] - sums[k] * sums[k], 0) * (n_tiles - 1));
  solve (self, tiles, n_tiles);
  measure (self, self->numbers);
  for (guint i = 0; i < n_tiles; i++)
    {
      PrismObjectivePlace place;

      prism_objective_evaluate (self, tiles[i].at, &place);
      for (int a = 0; a < N_MODES; a++)
        off += pow (place.waves[a] - tiles[i].waves[a], 2);
    }
  self->scatter = sqrt (off / (N_MODES * n_tiles));
}

/**
 * prism_objective_dup_table:
 *
 * Returns: (transfer full): CSV with a row for each of 9 × 9 places of the field
 */
char *
prism_objective_dup_table (const PrismObjective *self)
{
  GString *table = g_string_new ("x_um,y_um,best_focus_um,astigmatism_um,strehl,plane_strehl");

  for (guint a = 0; a < N_MODES; a++)
    g_string_append_printf (table, ",%s", prism_pupil_get_mode_name (a));
  g_string_append_c (table, '\n');
  for (int i = 0; i < NODES * NODES; i++)
    {
      PrismObjectivePlace place;
      double at[2];

      get_node (self, i, at);
      prism_objective_evaluate (self, at, &place);
      g_string_append_printf (table, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", 1e6 * at[0], 1e6 * at[1],
                              1e6 * place.focus, 1e6 * place.astigmatism, place.strehl,
                              place.plane_strehl);
      for (int a = 0; a < N_MODES; a++)
        g_string_append_printf (table, ",%.6g", place.waves[a]);
      g_string_append_c (table, '\n');
    }
  return g_string_free (table, FALSE);
}

/**
 * prism_objective_add:
 * @self: an objective, which is known
 * @builder: of summary.json
 *
 * Adds what the field comes to, with errors.
 */
void
prism_objective_add (const PrismObjective *self,
                     JsonBuilder *builder)
{
  prism_json_add (builder, "objective: {tiles: %u, width_um: %g, height_um: %g, scatter_waves: %g",
                  self->n_tiles, 1e6 * self->size[0], 1e6 * self->size[1], self->scatter);
  for (int k = 0; k < N_NUMBERS; k++)
    {
      g_autofree char *name = g_strconcat (numbers[k].key, "_error", NULL);

      prism_json_add (builder, "%s: %g, %s: %g", numbers[k].key, self->numbers[k] / numbers[k].unit,
                      name, self->errors[k] / numbers[k].unit);
    }
  prism_json_add (builder, "terms_waves: [");
  for (int k = 0; k < N_TERMS; k++)
    prism_json_add (builder, "%g", self->terms[k]);
  prism_json_add (builder, "]}");
}

/**
 * prism_objective_load:
 * @self: (out): nothing is known where the summary does not say it
 * @summary: summary.json
 *
 * Takes what prism_objective_save() has written.
 */
void
prism_objective_load (PrismObjective *self,
                      JsonObject *summary)
{
  JsonObject *object = prism_json_to_object (prism_json_find (summary, "objective"));
  JsonObject *frames = prism_json_to_object (prism_json_find (summary, "frames"));
  JsonArray *terms = prism_json_to_list (prism_json_find (object, "terms_waves"));

  memset (self, 0, sizeof *self);
  if (terms == NULL || json_array_get_length (terms) != N_TERMS || frames == NULL)
    return;
  for (int k = 0; k < N_TERMS; k++)
    self->terms[k] = prism_json_to_number (json_array_get_element (terms, k));
  for (int k = 0; k < N_NUMBERS; k++)
    {
      g_autofree char *name = g_strconcat (numbers[k].key, "_error", NULL);

      self->numbers[k] = prism_json_get_number (object, numbers[k].key) * numbers[k].unit;
      self->errors[k] = prism_json_get_number (object, name) * numbers[k].unit;
    }
  self->size[0] = 1e-6 * prism_json_get_number (object, "width_um");
  self->size[1] = 1e-6 * prism_json_get_number (object, "height_um");
  self->scatter = prism_json_get_number (object, "scatter_waves");
  self->wavelength = 1e-9 * prism_json_get_number (frames, "wavelength_nm");
  self->na = prism_json_get_number (frames, "na");
  if (self->size[0] > 0 && self->size[1] > 0 && self->wavelength > 0 && self->na > 0)
    self->n_tiles = (guint) CLAMP (prism_json_get_number (object, "tiles"), 0, 10000);
}
