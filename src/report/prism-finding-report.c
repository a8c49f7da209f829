#include "config.h"

#include "prism-finding-report.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "prism-document.h"
#include "prism-finding-draw.h"
#include "prism-mark-draw.h"
#include "prism-report-figure.h"
#include "prism-report.h"
#include "prism-scale.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-ptychography-export.h"

/* In points: two of each have room beside each other. */
#define MAP_WIDTH 250
#define MAP_HEIGHT 188
#define IMAGE_SIDE 190
#define FIELD_SIDE 150 /* of a map of the field: three beside each other without their bars */
#define FIELD_CELLS 64 /* along the longer side of such a map */
#define PUPIL_CELLS 40 /* along the diameter of one of nine pupils */

/* How each picture is shown. */
typedef struct
{
  PrismFindingPicture picture;
  const char *caption;
  PrismColormap colormap;
  PrismLevels levels;
  gboolean of_pupil;
} Look;

static const Look looks[] = {
  { PRISM_FINDING_AMPLITUDE, N_ ("Amplitude of the object"), PRISM_COLORMAP_GREY,
    PRISM_LEVELS_PERCENTILE, FALSE },
  { PRISM_FINDING_FLAT, N_ ("Phase of the object in rad, unwrapped, ramp taken off"),
    PRISM_COLORMAP_VIRIDIS, PRISM_LEVELS_PERCENTILE, FALSE },
  { PRISM_FINDING_PUPIL_AMPLITUDE, N_ ("Pupil amplitude"), PRISM_COLORMAP_GREY,
    PRISM_LEVELS_MIN_MAX, TRUE },
  { PRISM_FINDING_PUPIL_PHASE, N_ ("Phase of the pupil in waves"), PRISM_COLORMAP_COOLWARM,
    PRISM_LEVELS_SYMMETRIC, TRUE },
};

/* What pupil, LEDs and passes of a field in tiles are of. */
static char *
dup_of_middle (const PrismFinding *finding,
               const char *text)
{
  return finding->held_out.n_tiles > 0 ? g_strdup_printf (_ ("%s, middle tile"), text)
                                       : g_strdup (text);
}

static char *
dup_prediction (const PrismPrediction *prediction)
{
  g_autofree char *correlation
      = prism_number_dup_within (prediction->correlation, prediction->error, "");

  return g_strdup_printf (_ ("%u: misfit %.4f, correlation %s"), prediction->n_frames,
                          prediction->misfit, correlation);
}

static void
add_results (PrismDocument *document,
             const PrismFinding *finding)
{
  guint n_left_out = 0;
  const PrismBoard *board;
  g_autofree char *frames = dup_of_middle (finding, _ ("Frames"));
  g_autofree char *used = dup_of_middle (finding, _ ("Used"));
  g_autofree char *radius = dup_of_middle (finding, _ ("Radius of the pupil"));
  g_autofree char *lights = dup_of_middle (finding, _ ("LED board"));
  g_autofree char *passes = dup_of_middle (finding, _ ("Passes"));

  prism_document_add_heading (document, _ ("Results"));
  prism_document_add_table (document, NULL);
  prism_document_add_fact (document, frames,
                           g_strdup_printf (_ ("%u of %d × %d px"),
                                            finding->n_frames, finding->side, finding->side));
  if (finding->held_out.n_frames > 0)
    prism_document_add_fact (document, _ ("Never used"), dup_prediction (&finding->held_out));
  prism_document_add_fact (document, used, dup_prediction (&finding->used));
  for (guint j = 0; j < finding->n_frames; j++)
    n_left_out += finding->frames[j].left_out ? 1 : 0;
  if (n_left_out > 0)
    prism_document_add_fact (document, _ ("Left out"), g_strdup_printf ("%u", n_left_out));
  prism_document_add_fact (document, _ ("Object"),
                           g_strdup_printf (_ ("%d × %d px of %.3g µm"),
                                            finding->object_width, finding->object_height,
                                            1e6 * finding->pixel_size));
  board = &finding->board;
  if (isfinite (finding->wavelength))
    prism_document_add_fact (document, _ ("Wavelength"),
                             g_strdup_printf ("%.5g nm", 1e9 * finding->wavelength));
  if (isfinite (finding->na))
    prism_document_add_fact (document, _ ("Aperture of the objective"),
                             g_strdup_printf ("NA %.4g", finding->na));
  prism_document_add_fact (document, radius,
                           g_strdup_printf ("%.2f px", finding->radius));
  prism_document_add_fact (document, lights,
                           g_strdup_printf (_ ("shift %.2f, %.2f px, scale %.4f, turn %.2f°"),
                                            board->shift[0], board->shift[1], board->scale,
                                            board->turn * 180 / G_PI));
  if (isfinite (prism_finding_get_limit (finding)))
    prism_document_add_fact (document, _ ("Finest period"),
                             prism_finding_text_dup_finest (prism_finding_get_finest (finding),
                                                            prism_finding_get_limit (finding),
                                                            TRUE));
  prism_document_add_fact (document, passes, g_strdup_printf ("%u", finding->pass));
  if (isfinite (finding->seconds))
    prism_document_add_fact (document, _ ("Time"), g_strdup_printf ("%.1f s", finding->seconds));
}

static void
add_settings (PrismDocument *document,
              const PrismFinding *finding)
{
  g_autoptr (PrismConfig) defaults = prism_config_new_recorded ();
  g_autoptr (PrismConfig) asked
      = prism_config_dup_asked (finding->settings, finding->automatic_tile);

  prism_document_add_heading (document, _ ("Settings"));
  prism_document_add_text (document, PRISM_TEXT_DIM, _ ("● differs from the default."));
  prism_document_add_table (document, NULL);
  PRISM_FOR_EACH_PARAM (param)
    if (prism_config_decides (defaults, param))
      {
        g_autofree char *text = prism_config_dup_words (finding->settings, param);

        prism_document_add_fact (
            document, _ (param->label),
            g_strconcat (prism_config_differs (asked, defaults, param)
                             ? PRISM_DOCUMENT_MARK
                             : "",
                         text, NULL));
      }
}

/* Misfit and correlation of frames that were never used, pass by pass. */
static PrismChartData *
make_curves (const PrismFinding *finding)
{
  g_autofree char *title = dup_of_middle (finding, _ ("Frames that were never used"));
  PrismChartData *data = prism_chart_data_new_titled (title, _ ("Pass"));
  PrismChartSeries *misfits = prism_chart_data_add_series (data, _ ("Misfit"), PRISM_CHART_LEFT);
  PrismChartSeries *correlations
      = prism_chart_data_add_series (data, _ ("Correlation"), PRISM_CHART_RIGHT);

  prism_chart_data_set_axis (data, PRISM_CHART_LEFT, _ ("Misfit"), FALSE, 0, NAN);
  prism_chart_data_set_axis (data, PRISM_CHART_RIGHT, _ ("Correlation"), FALSE, NAN, 1);
  for (guint i = 0; i < finding->progress->len; i++)
    {
      const PrismPrediction *row = &g_array_index (finding->progress, PrismPrediction, i);

      prism_chart_series_append (misfits, i + 1, row->misfit);
      prism_chart_series_append (correlations, i + 1, row->correlation);
    }
  return data;
}

/* With its scale of colours; scale: (nullable): what so much of its width is long. */
static void
add_figure (PrismDocument *document,
            PrismImage *image,
            double side,
            PrismColormap colormap,
            PrismLevels levels,
            const char *caption,
            const char *scale,
            double share)
{
  const int longer = MAX (image->height, image->width);
  PrismMapping mapping;
  const PrismDocumentFigure figure = { .image = image,
                                       .mapping = &mapping,
                                       .width = side * image->width / longer,
                                       .height = side * image->height / longer,
                                       .bar = &mapping,
                                       .caption = caption,
                                       .scale = scale,
                                       .scale_share = share };

  prism_mapping_init (&mapping);
  mapping.colormap = colormap;
  mapping.levels = levels;
  prism_mapping_compute_levels (&mapping, image, NULL);
  mapping.levels = PRISM_LEVELS_MANUAL;
  prism_document_add_figure (document, &figure);
}

/* of_pupil: which of the pictures. */
static gboolean
add_pictures (PrismDocument *document,
              const PrismFinding *finding,
              gboolean of_pupil,
              GError **error)
{
  g_autofree char *pupil = dup_of_middle (finding, _ ("Pupil"));

  prism_document_add_heading (document, of_pupil ? pupil : _ ("Object"));
  PRISM_FOR_EACH_OF (look, looks)
    if (look->of_pupil == of_pupil)
      {
        g_autoptr (PrismImage) image
            = prism_finding_picture_new (finding, look->picture, error);
        g_autofree char *scale = NULL;
        double length;

        if (image == NULL)
          return FALSE;
        scale = prism_scale_bar_choose (image->width, look->of_pupil ? 0 : finding->pixel_size,
                                        &length);
        add_figure (document, image, IMAGE_SIDE, look->colormap, look->levels,
                    gettext (look->caption), scale, length / image->width);
      }
  return TRUE;
}

/* A map of the field: what it shows of each place. */
static const struct
{
  gsize offset; /* in PrismObjectivePlace */
  double factor;
  const char *caption;
} field_maps[] = {
  { G_STRUCT_OFFSET (PrismObjectivePlace, focus), 1e6, N_ ("Best focus in µm") },
  { G_STRUCT_OFFSET (PrismObjectivePlace, astigmatism), 1e6,
    N_ ("Distance of the line foci in µm") },
  { G_STRUCT_OFFSET (PrismObjectivePlace, plane_strehl), 1,
    N_ ("Strehl ratio in the plane of the mean focus") },
};

/* The phase of the pupil in the middle, at the sides and in the corners of the field. */
static PrismImage *
make_pupils (const PrismObjective *objective,
             GError **error)
{
  PrismImage *image = prism_image_new (3 * PUPIL_CELLS, 3 * PUPIL_CELLS, error);

  for (int i = 0; image != NULL && i < 9; i++)
    {
      const double at[2] = { (i % 3 - 1) / 2.0 * objective->size[0],
                             ((double) (i / 3) - 1) / 2.0 * objective->size[1] };
      PrismObjectivePlace place;

      prism_objective_evaluate (objective, at, &place);
      for (int k = 0; k < PUPIL_CELLS * PUPIL_CELLS; k++)
        {
          const int row = i / 3 * PUPIL_CELLS + k / PUPIL_CELLS;
          const int column = i % 3 * PUPIL_CELLS + k % PUPIL_CELLS;
          const double x = (k % PUPIL_CELLS + 0.5) / (PUPIL_CELLS / 2.0 - 1) - 1.05;
          const double y = (k / PUPIL_CELLS + 0.5) / (PUPIL_CELLS / 2.0 - 1) - 1.05;

          image->pixels[row * image->width + column]
              = x * x + y * y <= 1 ? (float) prism_pupil_evaluate_phase (x, y, place.waves) : NAN;
        }
    }
  return image;
}

static PrismImage *
make_map (const PrismObjective *objective,
          guint map,
          GError **error)
{
  const double cell = MAX (objective->size[0], objective->size[1]) / FIELD_CELLS;
  PrismImage *image = prism_image_new (MAX ((int) (objective->size[1] / cell), 1),
                                       MAX ((int) (objective->size[0] / cell), 1), error);

  for (int i = 0; image != NULL && i < image->height * image->width; i++)
    {
      const double at[2] = { cell * (i % image->width + 0.5) - objective->size[0] / 2,
                             cell * ((double) (i / image->width) + 0.5) - objective->size[1] / 2 };
      PrismObjectivePlace place;

      prism_objective_evaluate (objective, at, &place);
      image->pixels[i] = (float) (field_maps[map].factor
                                  * G_STRUCT_MEMBER (double, &place, field_maps[map].offset));
    }
  return image;
}

static const struct
{
  double factor;
  const char *unit;
  const char *label;
} numbers[PRISM_OBJECTIVE_N_NUMBERS] = {
  [PRISM_OBJECTIVE_CURVATURE] = { 1e-3, "1/mm", N_ ("Field curvature") },
  [PRISM_OBJECTIVE_TILT] = { 1e3, "µm/mm", N_ ("Tilt of the focus") },
  [PRISM_OBJECTIVE_FOCUS_RANGE] = { 1e6, "µm", N_ ("Best focus reaches over") },
  [PRISM_OBJECTIVE_ASTIGMATISM] = { 1e6, "µm", N_ ("Line foci are apart by at most") },
  [PRISM_OBJECTIVE_STREHL_MEAN] = { 1, "", N_ ("Strehl ratio, focused, mean") },
  [PRISM_OBJECTIVE_STREHL_LEAST] = { 1, "", N_ ("Strehl ratio, focused, least") },
  [PRISM_OBJECTIVE_PLANE_STREHL_MEAN] = { 1, "", N_ ("Strehl ratio in the mean plane, mean") },
  [PRISM_OBJECTIVE_PLANE_STREHL_LEAST] = { 1, "", N_ ("Strehl ratio in the mean plane, least") },
};

/* What the objective does over the field, of a field in tiles. */
static gboolean
add_objective (PrismDocument *document,
               const PrismFinding *finding,
               GError **error)
{
  const PrismObjective *objective = &finding->objective;
  g_autoptr (PrismImage) pupils = NULL;

  if (objective->n_tiles == 0)
    return TRUE;
  prism_document_add_heading (document, _ ("Objective over the field"));
  prism_document_add_text (document, PRISM_TEXT_DIM,
                           prism_error_of_get_text (PRISM_ERROR_OF_TILES));
  prism_document_add_table (document, NULL);
  for (guint i = 0; i < PRISM_OBJECTIVE_N_NUMBERS; i++)
    prism_document_add_fact (document, _ (numbers[i].label),
                             prism_number_dup_within (numbers[i].factor * objective->numbers[i],
                                                      numbers[i].factor * objective->errors[i],
                                                      numbers[i].unit));
  for (guint i = 0; i < G_N_ELEMENTS (field_maps); i++)
    {
      g_autoptr (PrismImage) image = make_map (objective, i, error);

      if (image == NULL)
        return FALSE;
      add_figure (document, image, FIELD_SIDE, PRISM_COLORMAP_VIRIDIS, PRISM_LEVELS_MIN_MAX,
                  gettext (field_maps[i].caption), NULL, 0);
    }
  pupils = make_pupils (objective, error);
  if (pupils == NULL)
    return FALSE;
  add_figure (document, pupils, IMAGE_SIDE, PRISM_COLORMAP_COOLWARM, PRISM_LEVELS_SYMMETRIC,
              _ ("Phase of the pupil at nine places of the field, in waves"), NULL, 0);
  return TRUE;
}

static void
add_readings (PrismDocument *document,
              const PrismFinding *finding)
{
  if (finding->readings == NULL || finding->readings->len == 0)
    return;
  prism_document_add_heading (document, _ ("Marks"));
  prism_document_add_text (document, PRISM_TEXT_DIM,
                           prism_error_of_get_text (PRISM_ERROR_OF_HALVES));
  prism_document_add_text (document, PRISM_TEXT_DIM,
                           prism_error_of_get_text (PRISM_ERROR_OF_ENDS));
  prism_document_add_table (document, NULL);
  for (guint i = 0; i < finding->readings->len; i++)
    {
      const PrismMarkReading *reading = &g_array_index (finding->readings, PrismMarkReading, i);
      /* A line in pixels: what it measures says its length. */
      const double metres = prism_mark_is_area (&reading->mark) ? finding->pixel_size : 0;
      g_autofree char *name = prism_mark_text_dup_name (&reading->mark, i + 1, metres);

      prism_document_add_fact (document, name, prism_mark_text_dup_measured (reading));
    }
}

/**
 * prism_finding_report_save:
 * @finding: what is known of recorded frames
 * @path: a name that ends in .html, .htm or .pdf
 * @error: return location
 *
 * Writes verdict and score, object and pupil with its aberrations in waves, of a field in tiles
 * what the objective does over it, held-out misfit and
 * correlation over the passes, maps of misfits, gains and places of the lights, settings, and the
 * command that computes it again.
 *
 * Errors: PRISM_ERROR_CONFIG for a name with another ending, PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_finding_report_save (const PrismFinding *finding,
                           const char *path,
                           GError **error)
{
  g_autofree char *base = g_path_get_basename (finding->source);
  g_autofree char *title = finding->name != NULL ? g_strdup (finding->name)
                                                 : prism_file_dup_display_name (base);
  g_autofree char *day = prism_clock_dup_local (_ ("%Y-%m-%d %H:%M"));
  g_autofree char *summary = g_strdup_printf (
      _ ("Recorded frames explained by object, pupil and light. PRISM Studio %s, %s."),
      PRISM_VERSION, day);
  g_autofree char *map = dup_of_middle (finding, _ ("LED map"));
  g_autoptr (PrismConfig) asked
      = prism_config_dup_asked (finding->settings, finding->automatic_tile);
  g_autofree char *aberrations = prism_finding_text_dup_aberrations (finding);
  g_autofree char *command = prism_finding_text_dup_command (finding->source, finding->reading,
                                                             asked);
  g_autofree char *verdict = prism_ptychography_export_dup_verdict (&finding->held_out);
  g_autoptr (GPtrArray) remarks = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PrismDocument) document = prism_document_new (title, summary);

  if (!prism_report_check_path (path, error))
    return FALSE;
  prism_document_add_text (document, PRISM_TEXT_BOLD, verdict);
  prism_finding_tell (finding, remarks);
  PRISM_FOR_EACH_POINTER (const char, remark, remarks)
    prism_document_add_text (document, PRISM_TEXT_PLAIN, remark);
  add_results (document, finding);
  prism_document_add_text (document, PRISM_TEXT_DIM,
                           prism_error_of_get_text (PRISM_ERROR_OF_FRAMES));
  if (!add_pictures (document, finding, FALSE, error)
      || !add_pictures (document, finding, TRUE, error))
    return FALSE;
  prism_document_add_text (document, PRISM_TEXT_PLAIN, aberrations);
  add_readings (document, finding);
  if (!add_objective (document, finding, error))
    return FALSE;
  if (finding->progress->len > 0 && finding->held_out.n_frames > 0)
    {
      prism_document_add_heading (document, _ ("Curves"));
      prism_document_add_chart (document, make_curves (finding));
    }
  if (finding->n_frames != 0)
    {
      prism_document_add_heading (document, map);
      prism_document_add_text (
          document, PRISM_TEXT_DIM,
          _ ("A point for each LED, where it was found; those with a bold edge belong to frames "
             "that were never used. Lines are moves from where they were recorded, drawn longer "
             "than they are."));
      for (int kind = 0; kind < PRISM_LIGHT_N_KINDS; kind++)
        prism_document_add_map (document, prism_light_chart_new (finding, kind), MAP_WIDTH,
                                MAP_HEIGHT, prism_light_kind_get_label (kind));
    }
  add_settings (document, finding);
  prism_document_add_heading (document, _ ("How to compute it again"));
  prism_document_add_text (document, PRISM_TEXT_COMMAND, command);
  return prism_document_save (document, path, error);
}
