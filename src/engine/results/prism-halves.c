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
#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "base/prism-record.h"
#include "base/prism-text.h"
#include "num/prism-phase.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-ptychography-state.h"

struct _PrismHalvesPair
{
  float *objects[2];            /* [side][side][2] */
  PrismImage *amplitudes[2];    /* of both, as bright as the result */
  PrismImage *amplitudes_apart; /* what they differ by, over √2 */
  PrismImage *phases_apart;     /* rad */
};

static void
pair_free (PrismHalvesPair *self)
{
  PrismImage *const all[] = { self->amplitudes[0], self->amplitudes[1], self->amplitudes_apart,
                              self->phases_apart };

  for (guint half = 0; half < 2; half++)
    prism_arena_free_array (self->objects[half]);
  PRISM_FOR_EACH_OF (one, all)
    if (*one != NULL)
      prism_image_unref (*one);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHalvesPair, pair_free)

/* frames: (transfer full). Returns: (transfer full) (nullable): [q][q][2], the object that they
 * have; NULL without an error where it was ended */
static float *
explain (const PrismHalves *self,
         PrismPtychogram *frames,
         guint tile,
         PrismMethod method,
         GError **error)
{
  g_autoptr (PrismConfig) settings = prism_config_dup (self->problem->settings);
  g_autoptr (PrismPtychography) solver = NULL;
  gboolean goes_on;

  settings->pupil = PRISM_PUPIL_SEARCH;
  settings->method = method;
  solver = prism_ptychography_new (frames, settings, frames->wavelength, frames->na, error);
  if (solver == NULL)
    return NULL;
  prism_ptychography_start_take (solver, self->finding, tile > 0);
  prism_ptychography_set_watch (solver, self->watch, self->watch_data);
  goes_on = prism_ptychography_begin (solver);
  while (goes_on && prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    goes_on = prism_ptychography_step (solver);
  return goes_on ? prism_ptychography_dup_object (solver, error) : NULL;
}

/* Where a tile begins on the object. */
static void
get_origin (const PrismHalves *self,
            guint tile,
            int origin[2])
{
  const PrismMosaic *mosaic = self->problem->mosaic;
  const PrismMosaicPlan *plan = mosaic != NULL ? &mosaic->plan : NULL;

  origin[0] = plan != NULL ? plan->upsampling * plan->tiles[tile].x : 0;
  origin[1] = plan != NULL ? plan->upsampling * plan->tiles[tile].y : 0;
}

/* Both are made as bright as the result is in the tile. */
static gboolean
compare_objects (const PrismHalves *self,
                 guint tile,
                 PrismHalvesPair *pair,
                 GError **error)
{
  const float *a = pair->objects[0], *b = pair->objects[1];
  const int side = self->side, width = self->finding->object_width;
  const gsize n = (gsize) side * side;
  PrismImage **const made[] = { &pair->amplitudes[0], &pair->amplitudes[1],
                                &pair->amplitudes_apart, &pair->phases_apart };
  double sums[3] = { 0 };
  int origin[2];

  PRISM_FOR_EACH_OF (one, made)
    if ((**one = prism_image_new (side, side, error)) == NULL)
      return FALSE;
  get_origin (self, tile, origin);
  for (gsize i = 0; i < n; i++)
    {
      const float *of = self->finding->object
                        + 2 * ((i / side + origin[1]) * width + i % side + origin[0]);

      for (int k = 0; k < 3; k++)
        {
          const float *at = k < 2 ? pair->objects[k] + 2 * i : of;
          const float amplitude = hypotf (at[0], at[1]);

          sums[k] += (double) amplitude;
          if (k < 2)
            pair->amplitudes[k]->pixels[i] = amplitude;
        }
      pair->amplitudes_apart->pixels[i]
          = atan2f (a[2 * i + 1] * b[2 * i] - a[2 * i] * b[2 * i + 1],
                    a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]);
    }
  if (!prism_phase_level (pair->amplitudes[0]->pixels, pair->amplitudes_apart->pixels,
                          pair->phases_apart->pixels, side, side, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      for (int k = 0; k < 2; k++)
        pair->amplitudes[k]->pixels[i] *= (float) (sums[2] / sums[k]);
      pair->phases_apart->pixels[i] /= (float) G_SQRT2;
      pair->amplitudes_apart->pixels[i]
          = (pair->amplitudes[0]->pixels[i] - pair->amplitudes[1]->pixels[i]) / (float) G_SQRT2;
    }
  return TRUE;
}

/* Returns: (transfer none) (nullable): NULL without an error where it was ended */
static PrismHalvesPair *
get_pair (PrismHalves *self,
          guint tile,
          GError **error)
{
  const PrismProblem *problem = self->problem;
  g_autoptr (PrismHalvesPair) pair = NULL;
  g_autoptr (PrismPtychogram) frames = NULL;

  if (self->pairs[tile] != NULL)
    return self->pairs[tile];
  frames = tile > 0 ? prism_mosaic_new_frames (problem->mosaic, tile, error)
                    : prism_ptychogram_ref (problem->frames);
  if (frames == NULL)
    return NULL;
  pair = g_new0 (PrismHalvesPair, 1);
  for (guint half = 0; half < 2; half++)
    if ((pair->objects[half]
         = explain (self, prism_ptychogram_new_half (frames, half), tile,
                    half == 0 ? PRISM_METHOD_SEQUENTIAL : PRISM_METHOD_DESCENT, error))
        == NULL)
      return NULL;
  if (!compare_objects (self, tile, pair, error))
    return NULL;
  return self->pairs[tile] = g_steal_pointer (&pair);
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
 * @finding: the result
 * @watch: (nullable): asked before every frame; ends it
 *
 * Returns: (transfer full): nothing compared yet
 */
PrismHalves *
prism_halves_new (PrismProblem *problem,
                  PrismFinding *finding,
                  PrismPtychographyWatch watch,
                  gpointer data)
{
  PrismHalves *self = g_new0 (PrismHalves, 1);

  self->problem = prism_problem_ref (problem);
  self->finding = prism_finding_ref (finding);
  self->watch = watch;
  self->watch_data = data;
  self->side = problem->frames->upsampling * problem->frames->side;
  self->pairs = g_new0 (PrismHalvesPair *, prism_problem_get_n_tiles (problem));
  return self;
}

/**
 * prism_halves_compare:
 *
 * Explains both halves of the frames, which takes about as long as the result did without its
 * search, and finds out down to which period they agree. Of a field in tiles that is done with the
 * middle one.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is known; without an error where it was ended
 */
gboolean
prism_halves_compare (PrismHalves *self,
                      GError **error)
{
  const double field = self->side * self->problem->frames->pixel_size;
  PrismHalvesPair *pair = get_pair (self, 0, error);
  double periods[3];
  guint n_rings;

  if (pair == NULL)
    return FALSE;
  self->frc = prism_frc_new_complex (pair->objects[0], pair->objects[1], self->side);
  n_rings = (guint) MIN (field / prism_finding_get_limit (self->finding) + 1, self->frc->n_rings);
  for (int i = 0; i < 3; i++)
    periods[i] = field / fmax (find_reach (self->frc, n_rings, i - 1), 1);
  self->finest = (PrismMeasured) { periods[1], (periods[0] - periods[2]) / 2 };
  return TRUE;
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
  for (guint i = 0; i < prism_problem_get_n_tiles (self->problem); i++)
    g_clear_pointer (&self->pairs[i], pair_free);
  g_free (self->pairs);
  g_clear_pointer (&self->amplitude, prism_image_unref);
  g_clear_pointer (&self->path, prism_image_unref);
  prism_frc_free (self->frc);
  prism_finding_unref (self->finding);
  prism_problem_unref (self->problem);
  g_free (self);
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
measure_area (const PrismHalves *self,
              const PrismHalvesPair *pair,
              double increment,
              PrismMarkReading *reading)
{
  const double nm = 1e9 * self->finding->wavelength / (2 * G_PI);
  const double pixel = 1e6 * self->finding->pixel_size;
  PrismMeasured *to = reading->measured;
  PrismAreaValues values;
  PrismArea area;
  double mass;

  prism_mark_get_area (&reading->mark, &area);
  prism_area_compute (&area, self->amplitude, NULL, &values);
  to[PRISM_MEASURE_AMPLITUDE]
      = (PrismMeasured) { values.mean, get_spread (&area, pair->amplitudes_apart, FALSE) };
  to[PRISM_MEASURE_PATH] = (PrismMeasured) { nm * read_area (&area, self->path, TRUE),
                                             nm * get_spread (&area, pair->phases_apart, TRUE) };
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
measure_line (const PrismHalves *self,
              const PrismHalvesPair *pair,
              const int origin[2],
              PrismMarkReading *reading)
{
  const double pixel = 1e6 * self->finding->pixel_size;
  PrismMeasured *to = reading->measured;
  PrismMark mark = reading->mark;
  PrismLineProfile line;
  double pairs[3], contrasts[3], apart;

  prism_mark_get_line (&mark, &line);
  to[PRISM_MEASURE_LENGTH] = (PrismMeasured) { pixel * prism_line_profile_get_length (&line),
                                               pixel * PRISM_LINE_PROFILE_ERROR };
  if (mark.kind != PRISM_MARK_LINE || prism_line_profile_count (&line) < 4)
    return;
  find_bars (&line, self->amplitude, &pairs[0], &contrasts[0]);
  mark.x0 -= origin[0];
  mark.x1 -= origin[0];
  mark.y0 -= origin[1];
  mark.y1 -= origin[1];
  prism_mark_get_line (&mark, &line);
  for (guint half = 0; half < 2; half++)
    find_bars (&line, pair->amplitudes[half], &pairs[1 + half], &contrasts[1 + half]);
  for (guint i = 0; i < 3; i++)
    pairs[i] *= 1e3 / pixel;
  apart = hypot ((pairs[1] - pairs[2]) / pairs[0] / G_SQRT2,
                 PRISM_LINE_PROFILE_ERROR / prism_line_profile_get_length (&line));
  to[PRISM_MEASURE_PAIRS] = (PrismMeasured) { pairs[0], apart * pairs[0] };
  to[PRISM_MEASURE_ELEMENT] = (PrismMeasured) { 6 * log2 (pairs[0]), 6 * apart / G_LN2 };
  to[PRISM_MEASURE_CONTRAST]
      = (PrismMeasured) { contrasts[0], fabs (contrasts[1] - contrasts[2]) / G_SQRT2 };
}

/* The first tile from the middle on that has the whole mark; n_tiles: none has. */
static guint
find_tile (const PrismHalves *self,
           const PrismMark *mark,
           int origin[2])
{
  const guint n = prism_problem_get_n_tiles (self->problem);
  guint tile;

  for (tile = 0; tile < n; tile++)
    {
      get_origin (self, tile, origin);
      if (MIN (mark->x0, mark->x1) >= origin[0] && MIN (mark->y0, mark->y1) >= origin[1]
          && MAX (mark->x0, mark->x1) < origin[0] + self->side
          && MAX (mark->y0, mark->y1) < origin[1] + self->side)
        break;
    }
  return mark->camera ? n : tile;
}

/**
 * prism_halves_measure:
 * @increment: of the refractive index by what is dissolved, µm³/pg
 * @reading: (inout): what the mark that it has reads on the object
 *
 * Reads a mark on the result, and on both halves how far that can be believed: in a field in tiles
 * those of the tile that the mark lies in, which are explained when it is the first there.
 *
 * Errors: PRISM_ERROR_CONFIG: the mark is not on the object; PRISM_ERROR_MEMORY.
 *
 * Returns: whether it was read; without an error where it was ended
 */
gboolean
prism_halves_measure (PrismHalves *self,
                      double increment,
                      PrismMarkReading *reading,
                      GError **error)
{
  const PrismFinding *finding = self->finding;
  const PrismMark *mark = &reading->mark;
  const PrismHalvesPair *pair;
  int origin[2] = { 0 };
  g_autofree char *text = prism_mark_to_text (mark);
  guint tile = find_tile (self, mark, origin);

  for (guint k = 0; k < PRISM_MEASURE_N; k++)
    reading->measured[k] = (PrismMeasured) { NAN, NAN };
  if (tile == prism_problem_get_n_tiles (self->problem))
    return prism_error_config (error,
                               "The mark “%s” cannot be measured: draw it on the object, whose"
                               " columns go from 0 to %d and rows from 0 to %d, within %d pixels"
                               " a side that are explained together.",
                               text, finding->object_width - 1, finding->object_height - 1,
                               self->side);
  if (self->amplitude == NULL)
    self->amplitude = prism_finding_picture_new (finding, PRISM_FINDING_AMPLITUDE, error);
  if (self->amplitude != NULL && self->path == NULL)
    self->path = prism_finding_picture_new (finding, PRISM_FINDING_FLAT, error);
  if (self->path == NULL || (pair = get_pair (self, tile, error)) == NULL)
    return FALSE;
  if (prism_mark_is_area (mark))
    measure_area (self, pair, increment, reading);
  else
    measure_line (self, pair, origin, reading);
  return TRUE;
}

static gboolean
save_marks (const char *folder,
            const GArray *readings,
            GError **error)
{
  g_autofree char *path = prism_file_dup_place (folder, "marks.csv");
  g_autoptr (GString) text = g_string_new ("number,kind,x0,y0,x1,y1");

  for (guint k = 0; k < PRISM_MEASURE_N; k++)
    g_string_append_printf (text, ",%s,%s_error", prism_measure_get_name (k),
                            prism_measure_get_name (k));
  for (guint i = 0; i < readings->len; i++)
    {
      const PrismMarkReading *reading = &g_array_index (readings, PrismMarkReading, i);
      const PrismMark *mark = &reading->mark;

      g_string_append_printf (text, "\n%u,%s,%d,%d,%d,%d", i + 1, prism_mark_get_name (mark->kind),
                              mark->x0, mark->y0, mark->x1, mark->y1);
      for (guint k = 0; k < PRISM_MEASURE_N; k++)
        prism_csv_append_numbers (
            text, (const double[]) { reading->measured[k].value, reading->measured[k].error }, 2);
    }
  g_string_append_c (text, '\n');
  return prism_file_save (path, text->str, text->len, error);
}

static JsonNode *
new_marks (const GArray *readings)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "[");
  PRISM_FOR_EACH (const PrismMarkReading, reading, readings)
    {
      g_autofree char *mark = prism_mark_to_text (&reading->mark);

      prism_json_add (builder, "{mark: %s", mark);
      for (guint k = 0; k < PRISM_MEASURE_N; k++)
        {
          g_autofree char *error = g_strconcat (prism_measure_get_name (k), "_error", NULL);

          if (isfinite (reading->measured[k].value))
            prism_json_add (builder, "%s: %g, %s: %g", prism_measure_get_name (k),
                            reading->measured[k].value, error, reading->measured[k].error);
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
              const GArray *readings,
              GError **error)
{
  g_autofree char *path = g_build_filename (folder, "summary.json", NULL);
  g_autoptr (JsonNode) node = prism_json_load (path, error);
  g_autofree char *text = NULL;
  JsonObject *resolution;

  if (node == NULL)
    return FALSE;
  resolution = json_object_new ();
  json_object_set_double_member (resolution, "nm", 1e9 * self->finest.value);
  json_object_set_double_member (resolution, "error_nm", 1e9 * self->finest.error);
  json_object_set_double_member (resolution, "limit_nm",
                                 1e9 * prism_finding_get_limit (self->finding));
  json_object_set_string_member (resolution, "threshold", "half-bit");
  json_object_set_object_member (json_node_get_object (node), "resolution", resolution);
  if (readings != NULL)
    json_object_set_member (json_node_get_object (node), "marks", new_marks (readings));
  text = json_to_string (node, TRUE);
  return prism_file_save (path, text, strlen (text), error);
}

/**
 * prism_halves_save:
 * @folder: of the result
 * @readings: (nullable) (element-type PrismMarkReading): of prism_halves_measure()
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
                   const GArray *readings,
                   GError **error)
{
  g_autofree char *table = prism_file_dup_place (folder, "halves.csv");

  return prism_frc_save_csv (self->frc, table, error)
         && (readings == NULL || save_marks (folder, readings, error))
         && save_summary (self, folder, readings, error);
}
