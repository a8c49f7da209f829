/* Every other frame, by its distance from the middle, is of one half. Both begin with pupil, places
 * and gains of the result, which are free as in the run, and one half is explained frame after
 * frame, the other by all frames together: what differs is noise, and what a way of computing makes
 * of it. The half-bit criterion says up to which frequency the objects agree (van Heel & Schatz,
 * J. Struct. Biol. 151 (2005) 250).
 *
 * ± of a number that a mark reads is the standard deviation of what one half reads: the same mark,
 * moved over the whole field, reads the difference of both halves, and the root mean square of that
 * over √2 is it. A result of all frames has less noise by √2, but what both halves have wrong is
 * not smaller in it; ± is not divided for that. */
#include "config.h"

#include "results/prism-halves.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "num/prism-phase.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-ptychography-state.h"

#include <math.h>
#include <string.h>

/* Returns: (transfer full) (nullable): [q][q][2], the object of one half; NULL without an error
 * where it was ended */
static float *
explain (PrismProblem *problem,
         const char *folder,
         guint half,
         PrismPtychographyWatch watch,
         gpointer data,
         GError **error)
{
  PrismPtychogram *frames = prism_ptychogram_new_half (problem->frames, half);
  g_autoptr (PrismConfig) settings = prism_config_dup (problem->settings);
  g_autoptr (PrismPtychography) solver = NULL;
  gboolean goes_on;

  g_free (settings->start);
  settings->start = g_strdup (folder);
  settings->pupil = PRISM_PUPIL_SEARCH;
  settings->method = half == 0 ? PRISM_METHOD_SEQUENTIAL : PRISM_METHOD_DESCENT;
  solver = prism_ptychography_new (frames, settings, frames->wavelength, frames->na, error);
  if (solver == NULL || !prism_ptychography_start_load (solver, error))
    return NULL;
  prism_ptychography_set_watch (solver, watch, data);
  goes_on = prism_ptychography_begin (solver);
  while (goes_on && prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    goes_on = prism_ptychography_step (solver);
  return goes_on ? prism_ptychography_dup_object (solver, error) : NULL;
}

/* By how much a ring's correlation is above half a bit, with so many standard deviations of it
 * added: (1 - c²)/√n of n independent values, of which the faded square has 1.66 a pixel of the
 * ring's radius. */
static double
get_excess (const PrismFrc *frc,
            guint ring,
            double deviations)
{
  const double c = frc->correlation[ring], n = 1.66 * MAX (ring, 1);

  return c + deviations * (1 - c * c) / sqrt (n) - frc->half_bit[ring];
}

/* The ring beyond which the objects do not agree by half a bit, from the one on where they agree
 * best: what is as slow as the field, no frame says well. Beyond n_rings no light came, and both
 * have what they began with. */
static double
find_reach (const PrismFrc *frc,
            guint n_rings,
            double deviations)
{
  guint best = 0, ring;

  for (guint i = 1; i < n_rings; i++)
    if (get_excess (frc, i, 0) > get_excess (frc, best, 0))
      best = i;
  for (ring = best; ring + 1 < n_rings; ring++)
    {
      const double here = get_excess (frc, ring, deviations);
      const double next = get_excess (frc, ring + 1, deviations);

      if (!(next >= 0))
        return here > 0 ? ring + here / (here - MIN (next, 0)) : 0;
    }
  return ring;
}

/**
 * prism_halves_new:
 * @problem: the frames, with the settings of the result
 * @folder: of the result
 * @watch: (nullable): asked before every frame; ends it
 *
 * Explains both halves of the frames, which takes about as long as the result did without its
 * search, and compares them. Of a field in tiles that is done with the middle one.
 *
 * Errors: those of prism_finding_load(); PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): what came out; %NULL without an error where it was ended
 */
PrismHalves *
prism_halves_new (PrismProblem *problem,
                  const char *folder,
                  PrismPtychographyWatch watch,
                  gpointer data,
                  GError **error)
{
  const PrismPtychogram *frames = problem->frames;
  const int side = frames->upsampling * frames->side;
  g_autoptr (PrismHalves) self = g_new0 (PrismHalves, 1);
  double periods[3];
  const double *at;
  guint n_rings;

  self->side = side;
  for (guint half = 0; half < 2; half++)
    {
      self->objects[half] = explain (problem, folder, half, watch, data, error);
      if (self->objects[half] == NULL)
        return NULL;
    }
  self->frc = prism_frc_new_complex (self->objects[0], self->objects[1], side);
  /* Of λ over the NA of the objective and the farthest light that is used. */
  at = frames->centers[frames->order[frames->n_used - 1]];
  self->limit = frames->wavelength / (frames->na * (1 + hypot (at[0], at[1]) / frames->radius));
  n_rings = (guint) MIN (side * frames->pixel_size / self->limit + 1, self->frc->n_rings);
  for (int i = 0; i < 3; i++)
    periods[i] = side * frames->pixel_size / MAX (find_reach (self->frc, n_rings, i - 1), 1);
  self->resolution = periods[1];
  self->error = (periods[0] - periods[2]) / 2;
  return g_steal_pointer (&self);
}

/**
 * prism_halves_free:
 * @self: (nullable): what came out
 */
void
prism_halves_free (PrismHalves *self)
{
  if (self == NULL)
    return;
  for (guint half = 0; half < 2; half++)
    prism_arena_free_array (self->objects[half]);
  prism_frc_free (self->frc);
  g_free (self);
}

/* What marks are read on: of the result, of each half, and what the halves differ by, over √2. */
typedef struct
{
  PrismImage *amplitude, *path; /* rad */
  PrismImage *halves[2];        /* amplitudes */
  PrismImage *amplitudes_apart, *phases_apart;
} Pictures;

static void
pictures_clear (Pictures *self)
{
  PrismImage *const all[] = { self->amplitude, self->path, self->halves[0], self->halves[1],
                              self->amplitudes_apart, self->phases_apart };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (all[i] != NULL)
      prism_image_unref (all[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pictures, pictures_clear)

static gboolean
make_pictures (const PrismHalves *self,
               const PrismFinding *finding,
               Pictures *to,
               GError **error)
{
  const float *a = self->objects[0], *b = self->objects[1];
  const int side = self->side;
  const gsize n = (gsize) side * side;
  PrismImage **const made[] = { &to->halves[0], &to->halves[1], &to->amplitudes_apart,
                                &to->phases_apart };
  double sums[2] = { 0 };

  to->amplitude = prism_finding_picture_new (finding, PRISM_FINDING_AMPLITUDE, error);
  to->path = to->amplitude != NULL ? prism_finding_picture_new (finding, PRISM_FINDING_FLAT, error)
                                   : NULL;
  if (to->path == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (made); i++)
    if ((*made[i] = prism_image_new (side, side, error)) == NULL)
      return FALSE;
  for (gsize i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      {
        to->halves[k]->pixels[i] = hypotf (self->objects[k][2 * i], self->objects[k][2 * i + 1]);
        sums[k] += (double) to->halves[k]->pixels[i];
      }
  for (gsize i = 0; i < n; i++)
    {
      to->halves[1]->pixels[i] *= (float) (sums[0] / sums[1]);
      to->phases_apart->pixels[i]
          = atan2f (a[2 * i + 1] * b[2 * i] - a[2 * i] * b[2 * i + 1],
                    a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]);
    }
  if (!prism_phase_level (to->halves[0]->pixels, to->phases_apart->pixels,
                          to->amplitudes_apart->pixels, side, side, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      to->phases_apart->pixels[i] = to->amplitudes_apart->pixels[i] / (float) G_SQRT2;
      to->amplitudes_apart->pixels[i]
          = (to->halves[0]->pixels[i] - to->halves[1]->pixels[i]) / (float) G_SQRT2;
    }
  return TRUE;
}

/* The mean of an area; @apart: less that of the frame around its box that makes it twice as
 * wide. */
static double
read_area (const PrismArea *area,
           const PrismImage *image,
           gboolean apart)
{
  const PrismArea box = { FALSE, area->x, area->y, area->width, area->height };
  const PrismArea around = { FALSE, area->x - area->width / 2, area->y - area->height / 2,
                             2 * area->width, 2 * area->height };
  PrismAreaValues inside, in_box, all;

  prism_area_compute (area, image, NULL, &inside);
  if (!apart)
    return inside.mean;
  prism_area_compute (&box, image, NULL, &in_box);
  prism_area_compute (&around, image, NULL, &all);
  return inside.mean
         - (all.mean * all.count - in_box.mean * in_box.count) / (all.count - in_box.count);
}

/* Of what an area reads on an image all over it, the root mean square. */
static double
get_spread (const PrismArea *area,
            const PrismImage *image,
            gboolean apart)
{
  PrismArea moved = *area;
  double squares = 0;
  guint n = 0;

  for (moved.y = 0; moved.y + area->height <= image->height; moved.y += MAX (area->height / 4, 1))
    for (moved.x = 0; moved.x + area->width <= image->width; moved.x += MAX (area->width / 4, 1))
      {
        const double value = read_area (&moved, image, apart);

        if (isfinite (value))
          {
            squares += value * value;
            n++;
          }
      }
  return n > 0 ? sqrt (squares / n) : (double) NAN;
}

static void
measure_area (const PrismMark *mark,
              const Pictures *on,
              const PrismFinding *finding,
              double increment,
              PrismMeasured *to)
{
  const double nm = 1e9 * finding->wavelength / (2 * G_PI), pixel = 1e6 * finding->pixel_size;
  PrismAreaValues values;
  PrismArea area;
  double mass;

  prism_mark_get_area (mark, &area);
  prism_area_compute (&area, on->amplitude, NULL, &values);
  to[PRISM_MEASURE_AMPLITUDE]
      = (PrismMeasured) { values.mean, get_spread (&area, on->amplitudes_apart, FALSE) };
  to[PRISM_MEASURE_PATH] = (PrismMeasured) { nm * read_area (&area, on->path, TRUE),
                                             nm * get_spread (&area, on->phases_apart, TRUE) };
  mass = 1e-3 * values.count * pixel * pixel / increment;
  to[PRISM_MEASURE_MASS] = (PrismMeasured) { mass * to[PRISM_MEASURE_PATH].value,
                                             mass * to[PRISM_MEASURE_PATH].error };
}

static double
get_fade (guint i,
          guint n)
{
  const double root = sin (G_PI * (i + 0.5) / n);

  return root * root;
}

/* The frequency, periods a pixel, that is strongest along a line that fades towards its ends, from
 * one and a half periods on, and the contrast between its brightest and its darkest point. */
static void
find_bars (const PrismLineProfile *line,
           const PrismImage *image,
           double *frequency,
           double *contrast)
{
  const guint n = prism_line_profile_count (line);
  const double length = prism_line_profile_get_length (line);
  g_autofree double *values = g_new (double, n);
  double mean = 0, most = -1, low = INFINITY, high = -INFINITY;

  prism_line_profile_compute (line, image, NULL, values);
  for (guint i = 0; i < n; i++)
    {
      mean += values[i] * 2 * get_fade (i, n) / n;
      low = MIN (low, values[i]);
      high = MAX (high, values[i]);
    }
  for (guint i = 0; i < n; i++)
    values[i] = get_fade (i, n) * (values[i] - mean);
  *frequency = NAN;
  *contrast = (high - low) / (high + low);
  for (double periods = 1.5; periods <= n / 2.0; periods += 0.005)
    {
      double re = 0, im = 0;

      for (guint i = 0; i < n; i++)
        {
          re += values[i] * cos (2 * G_PI * periods * i / n);
          im += values[i] * sin (2 * G_PI * periods * i / n);
        }
      if (hypot (re, im) > most)
        {
          most = hypot (re, im);
          *frequency = periods / n * (n - 1) / length;
        }
    }
}

/* Bars have edges that are known no better than the ends of a line: what a line's length is off by,
 * a share of it, their frequency is, too, beside what the halves differ by. */
static void
measure_line (const PrismMark *mark,
              const Pictures *on,
              const PrismFinding *finding,
              PrismMeasured *to)
{
  const double pixel = 1e6 * finding->pixel_size;
  PrismLineProfile line;
  double pairs[3], contrasts[3], apart;

  prism_mark_get_line (mark, &line);
  to[PRISM_MEASURE_LENGTH] = (PrismMeasured) { pixel * prism_line_profile_get_length (&line),
                                               pixel * PRISM_LINE_PROFILE_ERROR };
  if (mark->kind != PRISM_MARK_LINE || prism_line_profile_count (&line) < 4)
    return;
  find_bars (&line, on->amplitude, &pairs[0], &contrasts[0]);
  for (guint half = 0; half < 2; half++)
    find_bars (&line, on->halves[half], &pairs[1 + half], &contrasts[1 + half]);
  for (guint i = 0; i < 3; i++)
    pairs[i] *= 1e3 / pixel;
  apart = hypot ((pairs[1] - pairs[2]) / pairs[0] / G_SQRT2,
                 PRISM_LINE_PROFILE_ERROR / prism_line_profile_get_length (&line));
  to[PRISM_MEASURE_PAIRS] = (PrismMeasured) { pairs[0], apart * pairs[0] };
  to[PRISM_MEASURE_ELEMENT] = (PrismMeasured) { 6 * log2 (pairs[0]), 6 * apart / G_LN2 };
  to[PRISM_MEASURE_CONTRAST]
      = (PrismMeasured) { contrasts[0], fabs (contrasts[1] - contrasts[2]) / G_SQRT2 };
}

/**
 * prism_halves_measure:
 * @finding: the result
 * @marks: (element-type PrismMark): on its object
 * @increment: of the refractive index by what is dissolved, µm³/pg
 *
 * Reads marks on the result, and on both halves how far that can be believed.
 *
 * Errors: PRISM_ERROR_CONFIG: the result is a field in tiles, or a mark is not on the object;
 *   PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): [n marks][PRISM_MEASURE_N]
 */
PrismMeasured *
prism_halves_measure (const PrismHalves *self,
                      const PrismFinding *finding,
                      const GArray *marks,
                      double increment,
                      GError **error)
{
  g_auto (Pictures) on = { 0 };
  PrismMeasured *measured;

  if (finding->object_width != self->side || finding->object_height != self->side)
    {
      prism_error_config (error,
                          "Marks cannot be measured in a field in tiles, of which the halves have"
                          " one: run"
                          " its frames without tile=…, or a part of them.");
      return NULL;
    }
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);

      if (mark->camera || MIN (MIN (mark->x0, mark->x1), MIN (mark->y0, mark->y1)) < 0
          || MAX (MAX (mark->x0, mark->x1), MAX (mark->y0, mark->y1)) >= self->side)
        {
          prism_error_config (error,
                              "Mark %u, %s %d %d %d %d, is not on the object: its columns and rows"
                              " go from 0 to %d.",
                              i + 1, prism_mark_get_name (mark->kind), mark->x0, mark->y0,
                              mark->x1, mark->y1, self->side - 1);
          return NULL;
        }
    }
  if (!make_pictures (self, finding, &on, error))
    return NULL;
  measured = g_new (PrismMeasured, marks->len * PRISM_MEASURE_N + 1);
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);
      PrismMeasured *to = measured + i * PRISM_MEASURE_N;

      for (guint k = 0; k < PRISM_MEASURE_N; k++)
        to[k] = (PrismMeasured) { NAN, NAN };
      if (prism_mark_is_area (mark))
        measure_area (mark, &on, finding, increment, to);
      else
        measure_line (mark, &on, finding, to);
    }
  return measured;
}

/**
 * prism_measure_get_name:
 *
 * Returns: (transfer none): what it is called in files, with its unit
 */
const char *
prism_measure_get_name (PrismMeasure measure)
{
  static const char *const names[PRISM_MEASURE_N]
      = { "length_um", "amplitude", "path_nm", "mass_pg", "line_pairs_per_mm", "usaf_steps",
          "contrast" };

  return names[measure];
}

static gboolean
save_marks (const char *folder,
            const GArray *marks,
            const PrismMeasured *measured,
            GError **error)
{
  g_autofree char *path = prism_file_dup_place (folder, "marks.csv");
  g_autoptr (GString) text = g_string_new ("number,kind,x0,y0,x1,y1");

  for (guint k = 0; k < PRISM_MEASURE_N; k++)
    g_string_append_printf (text, ",%s,%s_error", prism_measure_get_name (k),
                            prism_measure_get_name (k));
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);

      g_string_append_printf (text, "\n%u,%s,%d,%d,%d,%d", i + 1, prism_mark_get_name (mark->kind),
                              mark->x0, mark->y0, mark->x1, mark->y1);
      for (guint k = 0; k < PRISM_MEASURE_N; k++)
        {
          g_string_append_c (text, ',');
          prism_csv_append_number (text, measured[i * PRISM_MEASURE_N + k].value);
          g_string_append_c (text, ',');
          prism_csv_append_number (text, measured[i * PRISM_MEASURE_N + k].error);
        }
    }
  g_string_append_c (text, '\n');
  return prism_file_save (path, text->str, text->len, error);
}

static JsonNode *
new_marks (const GArray *marks,
           const PrismMeasured *measured)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "[");
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);

      prism_json_add (builder, "{kind: %s, place: [%d, %d, %d, %d]",
                      prism_mark_get_name (mark->kind), mark->x0, mark->y0, mark->x1, mark->y1);
      for (guint k = 0; k < PRISM_MEASURE_N; k++, measured++)
        {
          g_autofree char *error = g_strconcat (prism_measure_get_name (k), "_error", NULL);

          if (isfinite (measured->value))
            prism_json_add (builder, "%s: %g, %s: %g", prism_measure_get_name (k), measured->value,
                            error, measured->error);
        }
      prism_json_add (builder, "}");
    }
  prism_json_add (builder, "]");
  return json_builder_get_root (builder);
}

/* Adds what was found to the summary, which keeps all else. */
static gboolean
save_summary (const PrismHalves *self,
              const char *folder,
              const GArray *marks,
              const PrismMeasured *measured,
              GError **error)
{
  g_autofree char *path = g_build_filename (folder, "summary.json", NULL);
  g_autoptr (GBytes) bytes = prism_file_load (path, G_MAXINT32, error);
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *text = NULL;
  JsonObject *resolution;

  if (bytes == NULL)
    return FALSE;
  node = prism_json_parse_object (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_return_val_if_fail (node != NULL, FALSE); /* prism_finding_load() has read it */
  resolution = json_object_new ();
  json_object_set_double_member (resolution, "nm", 1e9 * self->resolution);
  json_object_set_double_member (resolution, "error_nm", 1e9 * self->error);
  json_object_set_double_member (resolution, "limit_nm", 1e9 * self->limit);
  json_object_set_string_member (resolution, "threshold", "half-bit");
  json_object_set_object_member (json_node_get_object (node), "resolution", resolution);
  if (marks != NULL)
    json_object_set_member (json_node_get_object (node), "marks", new_marks (marks, measured));
  text = json_to_string (node, TRUE);
  return prism_file_save (path, text, strlen (text), error);
}

/**
 * prism_halves_save:
 * @folder: of the result
 * @marks: (nullable) (element-type PrismMark): what was measured
 * @measured: (nullable): by prism_halves_measure()
 *
 * Writes beside the result halves.csv, the correlation of every ring, marks.csv, a row for each
 * mark, and into its summary.json what both come to.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether they are on the disk
 */
gboolean
prism_halves_save (const PrismHalves *self,
                   const char *folder,
                   const GArray *marks,
                   const PrismMeasured *measured,
                   GError **error)
{
  g_autofree char *table = prism_file_dup_place (folder, "halves.csv");

  return prism_frc_save_csv (self->frc, table, error)
         && (marks == NULL || save_marks (folder, marks, measured, error))
         && save_summary (self, folder, marks, measured, error);
}
