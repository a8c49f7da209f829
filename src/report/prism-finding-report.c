#include "config.h"

#include "prism-finding-report.h"

#include "base/prism-clock.h"
#include "base/prism-file.h"
#include "prism-document.h"
#include "prism-finding-draw.h"
#include "prism-report-figure.h"
#include "prism-report.h"
#include "prism-scale.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-ptychography-export.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* In points: two of each have room beside each other. */
#define MAP_WIDTH 250
#define MAP_HEIGHT 188
#define IMAGE_SIDE 190

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
  { PRISM_FINDING_PUPIL_AMPLITUDE, N_ ("Amplitude of the pupil"), PRISM_COLORMAP_GREY,
    PRISM_LEVELS_MIN_MAX, TRUE },
  { PRISM_FINDING_PUPIL_PHASE, N_ ("Phase of the pupil in waves"), PRISM_COLORMAP_COOLWARM,
    PRISM_LEVELS_SYMMETRIC, TRUE },
};

static char *
dup_prediction (const PrismPrediction *prediction)
{
  return g_strdup_printf (_ ("%u: misfit %.4f, correlation %.4f"), prediction->n_frames,
                          prediction->misfit, prediction->correlation);
}

static void
add_instrument (PrismDocument *document,
                const PrismFinding *finding)
{
  const PrismBoard *board = &finding->board;

  if (isfinite (finding->wavelength))
    prism_document_add_fact (document, _ ("Wavelength"),
                             g_strdup_printf ("%.5g nm", 1e9 * finding->wavelength));
  if (isfinite (finding->na))
    prism_document_add_fact (document, _ ("Aperture of the objective"),
                             g_strdup_printf ("NA %.4g", finding->na));
  prism_document_add_fact (document, _ ("Radius of the pupil"),
                           g_strdup_printf ("%.2f px", finding->radius));
  prism_document_add_fact (document, _ ("Board of the lights"),
                           g_strdup_printf (_ ("shift %.2f, %.2f px, scale %.4f, turn %.2f°"),
                                            board->shift[0], board->shift[1], board->scale,
                                            board->turn * 180 / G_PI));
}

static void
add_results (PrismDocument *document,
             const PrismFinding *finding)
{
  guint n_left_out = 0;

  prism_document_add_heading (document, _ ("Results"));
  prism_document_add_table (document, NULL);
  prism_document_add_fact (document, _ ("Frames"),
                           g_strdup_printf (_ ("%u of %d × %d px"),
                                            finding->n_frames, finding->side, finding->side));
  if (finding->held_out.n_frames > 0)
    prism_document_add_fact (document, _ ("Never used"), dup_prediction (&finding->held_out));
  prism_document_add_fact (document, _ ("Used"), dup_prediction (&finding->used));
  for (guint j = 0; j < finding->n_frames; j++)
    n_left_out += finding->frames[j].left_out ? 1 : 0;
  if (n_left_out > 0)
    prism_document_add_fact (document, _ ("Left out"), g_strdup_printf ("%u", n_left_out));
  prism_document_add_fact (document, _ ("Object"),
                           g_strdup_printf (_ ("%d × %d px of %.3g µm"),
                                            finding->object_width, finding->object_height,
                                            1e6 * finding->pixel_size));
  add_instrument (document, finding);
  if (finding->resolution > 0)
    prism_document_add_fact (document, _ ("Resolution"),
                             g_strdup_printf (_ ("%.0f nm by two halves of the frames; objective"
                                                 " and light allow %.0f nm"),
                                              1e9 * finding->resolution, 1e9 * finding->limit));
  prism_document_add_fact (document, _ ("Passes"), g_strdup_printf ("%u", finding->pass));
  if (isfinite (finding->seconds))
    prism_document_add_fact (document, _ ("Time"), g_strdup_printf ("%.1f s", finding->seconds));
}

static void
add_settings (PrismDocument *document,
              const PrismFinding *finding)
{
  g_autoptr (PrismConfig) defaults = prism_config_new_recorded ();

  prism_document_add_heading (document, _ ("Settings"));
  prism_document_add_text (document, PRISM_TEXT_DIM, _ ("● differs from the default."));
  prism_document_add_table (document, NULL);
  PRISM_FOR_EACH_PARAM (param)
    if (prism_config_decides (defaults, param))
      {
        g_autofree char *text = prism_config_dup_text (finding->settings, param);

        prism_document_add_fact (
            document, param->key,
            g_strconcat (prism_config_differs (finding->settings, defaults, param)
                             ? PRISM_DOCUMENT_MARK
                             : "",
                         text, NULL));
      }
}

/* Misfit and correlation of frames that were never used, pass by pass. */
static PrismChartData *
make_curves (const PrismFinding *finding)
{
  PrismChartData *data
      = prism_chart_data_new_titled (_ ("Frames that were never used"), _ ("Pass"));
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

/* mapping: (out) */
static PrismImage *
make_picture (const PrismFinding *finding,
              const Look *look,
              PrismMapping *mapping,
              GError **error)
{
  PrismImage *image = prism_finding_picture_new (finding, look->picture, error);

  prism_mapping_init (mapping);
  mapping->colormap = look->colormap;
  mapping->levels = look->levels;
  if (image != NULL)
    prism_mapping_compute_levels (mapping, image, NULL);
  mapping->levels = PRISM_LEVELS_MANUAL;
  return image;
}

/* A round length of the picture: µm of the object, px of the pupil's plane. share: (out) */
static char *
dup_scale (const PrismFinding *finding,
           const Look *look,
           int width,
           double *share)
{
  const double pixel = 1e6 * finding->pixel_size;
  const gboolean in_pixels = look->of_pupil || !(pixel > 0 && isfinite (pixel));
  const double size = in_pixels ? width : pixel * width;
  const double length = prism_scale_bar_get_length (size);

  *share = length / size;
  return g_strdup_printf (in_pixels ? "%.4g px" : "%.4g µm", length);
}

/* of_pupil: which of the pictures. */
static gboolean
add_pictures (PrismDocument *document,
              const PrismFinding *finding,
              gboolean of_pupil,
              GError **error)
{
  prism_document_add_heading (document, of_pupil ? _ ("Pupil") : _ ("Object"));
  for (gsize i = 0; i < G_N_ELEMENTS (looks); i++)
    if (looks[i].of_pupil == of_pupil)
      {
        PrismMapping mapping;
        g_autoptr (PrismImage) image = make_picture (finding, &looks[i], &mapping, error);
        g_autofree char *scale = NULL;
        double share;

        if (image == NULL)
          return FALSE;
        scale = dup_scale (finding, &looks[i], image->width, &share);
        const PrismDocumentFigure figure = { .image = image,
                                             .mapping = &mapping,
                                             .width = IMAGE_SIDE,
                                             .height = IMAGE_SIDE,
                                             .bar = &mapping,
                                             .caption = gettext (looks[i].caption),
                                             .scale = scale,
                                             .scale_share = share };

        prism_document_add_figure (document, &figure);
      }
  return TRUE;
}

static void
add_maps (PrismDocument *document,
          const PrismFinding *finding)
{
  if (finding->n_frames == 0)
    return;
  prism_document_add_heading (document, _ ("Lights"));
  prism_document_add_text (
      document, PRISM_TEXT_DIM,
      _ ("A light for each frame, where it was found; those with a bold rim were never used."
         " Lines are moves from where they were recorded, drawn longer than they are."));
  for (int kind = 0; kind < PRISM_LIGHT_N_KINDS; kind++)
    prism_document_add_map (document, prism_light_chart_new (finding, kind), MAP_WIDTH, MAP_HEIGHT,
                            prism_light_kind_get_label (kind));
}

/**
 * prism_finding_report_save:
 * @finding: what is known of recorded frames
 * @path: a name that ends in .html, .htm or .pdf
 * @error: return location
 *
 * Writes verdict and score, object and pupil with its aberrations in waves, held-out misfit and
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
  g_autofree char *title = prism_file_dup_display_name (base);
  g_autofree char *day = prism_clock_dup_local ("%Y-%m-%d %H:%M");
  g_autofree char *summary = g_strdup_printf (
      _ ("Recorded frames explained by object, pupil and light. PRISM Studio %s, %s."),
      PRISM_VERSION, day);
  g_autofree char *aberrations = prism_finding_text_dup_aberrations (finding);
  g_autofree char *command = prism_finding_text_dup_command (finding->source, finding->reading,
                                                             finding->settings);
  g_autofree char *verdict = prism_ptychography_export_dup_verdict (&finding->held_out);
  g_autofree char *taken_back = prism_finding_dup_taken_back (finding);
  g_autoptr (PrismDocument) document = prism_document_new (title, summary);

  if (!prism_report_check_path (path, error))
    return FALSE;
  prism_document_add_text (document, PRISM_TEXT_BOLD, verdict);
  prism_document_add_text (document, PRISM_TEXT_PLAIN, taken_back);
  for (guint i = 0; i < finding->doubts->len; i++)
    prism_document_add_text (document, PRISM_TEXT_PLAIN, g_ptr_array_index (finding->doubts, i));
  add_results (document, finding);
  if (!add_pictures (document, finding, FALSE, error)
      || !add_pictures (document, finding, TRUE, error))
    return FALSE;
  prism_document_add_text (document, PRISM_TEXT_PLAIN, aberrations);
  if (finding->progress->len > 0 && finding->held_out.n_frames > 0)
    {
      prism_document_add_heading (document, _ ("Curves"));
      prism_document_add_chart (document, make_curves (finding));
    }
  add_maps (document, finding);
  add_settings (document, finding);
  prism_document_add_heading (document, _ ("How to compute it again"));
  prism_document_add_text (document, PRISM_TEXT_COMMAND, command);
  return prism_document_save (document, path, error);
}
