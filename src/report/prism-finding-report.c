#include "config.h"

#include "prism-finding-report.h"

#include "base/prism-clock.h"
#include "base/prism-file.h"
#include "prism-finding-draw.h"
#include "prism-report-figure.h"
#include "prism-report-page.h"
#include "prism-report-sheet.h"
#include "prism-report.h"
#include "prism-scale.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-ptychography-export.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* In points. */
#define MARGIN PRISM_REPORT_SHEET_MARGIN
#define WIDTH PRISM_REPORT_SHEET_WIDTH
#define CHART_WIDTH 560
#define CHART_HEIGHT 220
#define BAR_WIDTH 70
#define BAR_HEIGHT 200
#define MAP_WIDTH 400
#define MAP_HEIGHT 300
#define IMAGE_SIDE 190 /* of PDF */
#define COLUMN (WIDTH / 2)
#define MONO_FONT "Monospace 7.5px"

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

static const PrismLightKind kinds[]
    = { PRISM_LIGHT_MISFIT, PRISM_LIGHT_CORRELATION, PRISM_LIGHT_GAIN, PRISM_LIGHT_MOVE };

/* A label and what belongs to it. */
typedef struct
{
  char *label;
  char *text;
  gboolean marked;
} Fact;

static void
fact_clear (gpointer data)
{
  Fact *fact = data;

  g_free (fact->label);
  g_free (fact->text);
}

static GArray *
make_facts (void)
{
  GArray *facts = g_array_new (FALSE, FALSE, sizeof (Fact));

  g_array_set_clear_func (facts, fact_clear);
  return facts;
}

/* text: (transfer full) */
static void
add_fact (GArray *facts,
          const char *label,
          char *text,
          gboolean marked)
{
  const Fact fact = { g_strdup (label), text, marked };

  g_array_append_val (facts, fact);
}

static char *
dup_prediction (const PrismPrediction *prediction)
{
  return g_strdup_printf (_ ("%u: misfit %.4f, correlation %.4f"), prediction->n_frames,
                          prediction->misfit, prediction->correlation);
}

static guint
count_left_out (const PrismFinding *finding)
{
  guint n = 0;

  for (guint j = 0; j < finding->n_frames; j++)
    n += finding->frames[j].left_out ? 1 : 0;
  return n;
}

static void
add_instrument (GArray *facts,
                const PrismFinding *finding)
{
  const PrismBoard *board = &finding->board;

  if (isfinite (finding->wavelength))
    add_fact (facts, _ ("Wavelength"), g_strdup_printf ("%.5g nm", 1e9 * finding->wavelength),
              FALSE);
  if (isfinite (finding->na))
    add_fact (facts, _ ("Aperture of the objective"), g_strdup_printf ("NA %.4g", finding->na),
              FALSE);
  add_fact (facts, _ ("Radius of the pupil"), g_strdup_printf ("%.2f px", finding->radius), FALSE);
  add_fact (facts, _ ("Board of the lights"),
            g_strdup_printf (_ ("shift %.2f, %.2f px, scale %.4f, turn %.2f°"), board->shift[0],
                             board->shift[1], board->scale, board->turn * 180 / G_PI),
            FALSE);
}

static GArray *
collect_results (const PrismFinding *finding)
{
  GArray *facts = make_facts ();

  add_fact (facts, _ ("Frames"),
            g_strdup_printf (_ ("%u of %d × %d px"), finding->n_frames, finding->side,
                             finding->side),
            FALSE);
  if (finding->held_out.n_frames > 0)
    add_fact (facts, _ ("Never used"), dup_prediction (&finding->held_out), FALSE);
  add_fact (facts, _ ("Used"), dup_prediction (&finding->used), FALSE);
  if (count_left_out (finding) > 0)
    add_fact (facts, _ ("Left out"), g_strdup_printf ("%u", count_left_out (finding)), FALSE);
  add_fact (facts, _ ("Object"),
            g_strdup_printf (_ ("%d × %d px of %.3g µm"), finding->object_width,
                             finding->object_height, 1e6 * finding->pixel_size),
            FALSE);
  add_instrument (facts, finding);
  add_fact (facts, _ ("Passes"), g_strdup_printf ("%u", finding->pass), FALSE);
  if (isfinite (finding->seconds))
    add_fact (facts, _ ("Time"), g_strdup_printf ("%.1f s", finding->seconds), FALSE);
  return facts;
}

static GArray *
collect_settings (const PrismFinding *finding)
{
  GArray *facts = make_facts ();
  g_autoptr (PrismConfig) defaults = prism_config_new_recorded ();

  PRISM_FOR_EACH_PARAM (param)
    if (prism_param_decides (param, TRUE))
      add_fact (facts, param->key, prism_config_dup_text (finding->settings, param),
                prism_config_differs (finding->settings, defaults, param));
  return facts;
}

static char *
dup_title (const PrismFinding *finding)
{
  g_autofree char *base = g_path_get_basename (finding->source);

  return prism_file_dup_display_name (base);
}

static char *
dup_summary (void)
{
  g_autofree char *day = prism_clock_dup_local ("%Y-%m-%d %H:%M");

  return g_strdup_printf (_ ("Recorded frames explained by object, pupil and light. PRISM Studio"
                             " %s, %s."),
                          PRISM_VERSION, day);
}

/* Misfit and correlation of frames that were never used, pass by pass. */
static PrismChartData *
make_curves (const PrismFinding *finding)
{
  PrismChartData *data = prism_chart_data_new ();
  PrismChartSeries *misfits = prism_chart_series_new (_ ("Misfit"), PRISM_CHART_LEFT);
  PrismChartSeries *correlations = prism_chart_series_new (_ ("Correlation"), PRISM_CHART_RIGHT);

  g_free (data->title);
  data->title = g_strdup (_ ("Frames that were never used"));
  g_free (data->x_title);
  data->x_title = g_strdup (_ ("Pass"));
  data->axes[PRISM_CHART_LEFT].title = g_strdup (_ ("Misfit"));
  data->axes[PRISM_CHART_LEFT].minimum = 0;
  data->axes[PRISM_CHART_RIGHT].title = g_strdup (_ ("Correlation"));
  data->axes[PRISM_CHART_RIGHT].maximum = 1;
  for (guint i = 0; i < finding->progress->len; i++)
    {
      const PrismPrediction *row = &g_array_index (finding->progress, PrismPrediction, i);

      prism_chart_series_append (misfits, i + 1, row->misfit);
      prism_chart_series_append (correlations, i + 1, row->correlation);
    }
  g_ptr_array_add (data->series, misfits);
  g_ptr_array_add (data->series, correlations);
  return data;
}

static gboolean
has_curves (const PrismFinding *finding)
{
  return finding->progress->len > 0 && finding->held_out.n_frames > 0;
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
  const double length = prism_report_figure_get_scale (size);

  *share = length / size;
  return g_strdup_printf (in_pixels ? "%.4g px" : "%.4g µm", length);
}

static void
draw_chart (PrismPaint *paint,
            gconstpointer subject,
            double width,
            double height)
{
  prism_report_figure_draw_chart (paint, (PrismChartData *) subject, width, height);
}

static void
draw_bar (PrismPaint *paint,
          gconstpointer subject,
          double width,
          double height)
{
  prism_color_bar_draw (paint, subject, 1, 6, 12, height - 12);
}

static void
draw_map (PrismPaint *paint,
          gconstpointer subject,
          double width,
          double height)
{
  prism_light_draw_paint (subject, paint, width, height);
}

/* What stands beside the maps. */
static const char *
get_map_text (void)
{
  return _ ("A light for each frame, where it was found; those with a bold rim were never used."
            " Lines are moves from where they were recorded, drawn longer than they are.");
}

static void
append_facts (GString *html,
              GArray *facts)
{
  g_string_append (html, "<div class=\"wide\"><table><tbody>\n");
  for (guint i = 0; i < facts->len; i++)
    {
      const Fact *fact = &g_array_index (facts, Fact, i);

      prism_report_page_append_element (html, "<tr><th>", fact->label, "</th>");
      prism_report_page_append_element (html, fact->marked ? "<td class=\"changed\">" : "<td>",
                                        fact->text, "</td></tr>\n");
    }
  g_string_append (html, "</tbody></table></div>\n");
}

static gboolean
append_picture (GString *html,
                const PrismFinding *finding,
                const Look *look,
                GError **error)
{
  PrismMapping mapping;
  g_autoptr (PrismImage) image = make_picture (finding, look, &mapping, error);
  g_autoptr (PrismPicture) picture
      = image != NULL ? prism_picture_new (image, NULL, &mapping, error) : NULL;
  g_autofree char *scale = NULL;
  char share[G_ASCII_DTOSTR_BUF_SIZE];
  double part;

  if (picture == NULL)
    return FALSE;
  g_string_append (html, "<figure>");
  if (!prism_report_page_append_png (html, prism_picture_get_surface (picture, 0),
                                     gettext (look->caption), error))
    return FALSE;
  scale = dup_scale (finding, look, image->width, &part);
  g_ascii_formatd (share, sizeof share, "%.4g", 100 * part);
  g_string_append_printf (html, "<div class=\"scale\" style=\"width:%s%%\">%s</div>\n", share,
                          scale);
  prism_report_page_append_element (html, "<figcaption>", gettext (look->caption),
                                    "</figcaption></figure>\n<div>");
  prism_report_page_append_drawing (html, draw_bar, &mapping, BAR_WIDTH, BAR_HEIGHT,
                                    _ ("Colour bar"));
  g_string_append (html, "</div>\n");
  return TRUE;
}

/* of_pupil: which of the pictures. */
static gboolean
append_pictures (GString *html,
                 const PrismFinding *finding,
                 gboolean of_pupil,
                 GError **error)
{
  prism_report_page_append_element (html, "<h2>", of_pupil ? _ ("Pupil") : _ ("Object"),
                                    "</h2>\n<div class=\"row\">\n");
  for (gsize i = 0; i < G_N_ELEMENTS (looks); i++)
    if (looks[i].of_pupil == of_pupil && !append_picture (html, finding, &looks[i], error))
      return FALSE;
  g_string_append (html, "</div>\n");
  return TRUE;
}

static void
append_curves (GString *html,
               const PrismFinding *finding)
{
  g_autoptr (PrismChartData) data = make_curves (finding);

  if (!has_curves (finding))
    return;
  prism_report_page_append_element (html, "<h2>", _ ("Curves"), "</h2>\n");
  g_string_append (html, "<p class=\"chart\">");
  prism_report_page_append_drawing (html, draw_chart, data, CHART_WIDTH, CHART_HEIGHT,
                                    data->title);
  g_string_append (html, "</p>\n");
}

static void
append_maps (GString *html,
             const PrismFinding *finding)
{
  if (finding->n_frames == 0)
    return;
  prism_report_page_append_element (html, "<h2>", _ ("Lights"), "</h2>\n");
  prism_report_page_append_element (html, "<p class=\"dim\">", get_map_text (),
                                    "</p>\n<div class=\"row\">\n");
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const char *label = prism_light_draw_get_label (kinds[i]);
      PrismLightDraw map;

      prism_light_draw_init (&map, finding, kinds[i]);
      prism_report_page_append_element (html, "<div><p>", label, "</p>\n");
      prism_report_page_append_drawing (html, draw_map, &map, MAP_WIDTH, MAP_HEIGHT, label);
      g_string_append (html, "</div>\n");
    }
  g_string_append (html, "</div>\n");
}

static char *
dup_html (const PrismFinding *finding,
          GError **error)
{
  g_autofree char *title = dup_title (finding);
  g_autofree char *summary = dup_summary ();
  g_autofree char *aberrations = prism_finding_text_dup_aberrations (finding);
  g_autofree char *command = prism_finding_text_dup_command (finding->source, finding->settings);
  g_autofree char *verdict = prism_ptychography_export_dup_verdict (&finding->held_out);
  g_autofree char *taken_back = prism_finding_dup_taken_back (finding);
  g_autoptr (GArray) results = collect_results (finding);
  g_autoptr (GArray) settings = collect_settings (finding);
  g_autoptr (GString) html = prism_report_page_new (title, summary);

  prism_report_page_append_element (html, "<p><b>", verdict, "</b></p>\n");
  if (taken_back != NULL)
    prism_report_page_append_element (html, "<p>", taken_back, "</p>\n");
  for (guint i = 0; i < finding->doubts->len; i++)
    prism_report_page_append_element (html, "<p>", g_ptr_array_index (finding->doubts, i),
                                      "</p>\n");
  prism_report_page_append_element (html, "<h2>", _ ("Results"), "</h2>\n");
  append_facts (html, results);
  if (!append_pictures (html, finding, FALSE, error)
      || !append_pictures (html, finding, TRUE, error))
    return NULL;
  prism_report_page_append_element (html, "<p>", aberrations, "</p>\n");
  append_curves (html, finding);
  append_maps (html, finding);
  prism_report_page_append_element (html, "<h2>", _ ("Settings"), "</h2>\n");
  prism_report_page_append_element (html, "<p class=\"dim\">", _ ("● differs from the default."),
                                    "</p>\n");
  append_facts (html, settings);
  prism_report_page_append_element (html, "<h2>", _ ("How to compute it again"), "</h2>\n");
  prism_report_page_append_element (html, "<pre>", command, "</pre>\n");
  return prism_report_page_finish (g_steal_pointer (&html));
}

static void
draw_facts (PrismReportSheet *sheet,
            GArray *facts)
{
  for (guint i = 0; i < facts->len; i++)
    {
      const Fact *fact = &g_array_index (facts, Fact, i);
      g_autofree char *cell
          = fact->marked ? g_strconcat ("● ", fact->text, NULL) : g_strdup (fact->text);

      prism_report_sheet_draw_row (sheet, fact->label, &cell, &fact->marked, 1);
    }
}

/* A rectangle at x, as high as it is said to be. */
static void
place (PrismReportSheet *sheet,
       double x,
       PrismReportDraw draw,
       gconstpointer subject,
       double width,
       double height)
{
  cairo_save (sheet->cr);
  cairo_translate (sheet->cr, x, sheet->y);
  draw (&sheet->paint, subject, width, height);
  cairo_restore (sheet->cr);
  cairo_new_path (sheet->cr);
}

static gboolean
draw_picture (PrismReportSheet *sheet,
              const PrismFinding *finding,
              const Look *look,
              double x,
              GError **error)
{
  PrismMapping mapping;
  g_autoptr (PrismImage) image = make_picture (finding, look, &mapping, error);
  g_autofree char *scale = NULL;
  double share;
  gboolean good;

  if (image == NULL)
    return FALSE;
  cairo_save (sheet->cr);
  cairo_translate (sheet->cr, x, sheet->y);
  good = prism_report_figure_draw_image (&sheet->paint, image, NULL, &mapping, IMAGE_SIDE, error);
  cairo_restore (sheet->cr);
  cairo_new_path (sheet->cr);
  prism_paint_set_font (&sheet->paint, 0.85, FALSE);
  place (sheet, x + IMAGE_SIDE + 6, draw_bar, &mapping, BAR_WIDTH, IMAGE_SIDE);
  scale = dup_scale (finding, look, image->width, &share);
  cairo_rectangle (sheet->cr, x, sheet->y + IMAGE_SIDE + 4, share * IMAGE_SIDE, 2);
  prism_paint_set_alpha (&sheet->paint, 0.9);
  cairo_fill (sheet->cr);
  prism_paint_draw_text (&sheet->paint, scale, x + share * IMAGE_SIDE + 4,
                         sheet->y + IMAGE_SIDE + 5, 0, 0.5);
  prism_paint_draw_text (&sheet->paint, gettext (look->caption), x, sheet->y + IMAGE_SIDE + 12, 0,
                         0);
  prism_paint_set_font (&sheet->paint, 1, FALSE);
  return good;
}

static gboolean
draw_pictures (PrismReportSheet *sheet,
               const PrismFinding *finding,
               gboolean of_pupil,
               GError **error)
{
  double x = MARGIN;

  prism_report_sheet_draw_heading (sheet, of_pupil ? _ ("Pupil") : _ ("Object"), IMAGE_SIDE + 34);
  for (gsize i = 0; i < G_N_ELEMENTS (looks); i++)
    if (looks[i].of_pupil == of_pupil)
      {
        if (!draw_picture (sheet, finding, &looks[i], x, error))
          return FALSE;
        x += COLUMN;
      }
  sheet->y += IMAGE_SIDE + 30;
  return TRUE;
}

static void
draw_curves (PrismReportSheet *sheet,
             const PrismFinding *finding)
{
  g_autoptr (PrismChartData) data = make_curves (finding);

  if (!has_curves (finding))
    return;
  prism_report_sheet_draw_heading (sheet, _ ("Curves"), CHART_HEIGHT);
  place (sheet, MARGIN, draw_chart, data, WIDTH, CHART_HEIGHT);
  sheet->y += CHART_HEIGHT + 12;
}

static void
draw_maps (PrismReportSheet *sheet,
           const PrismFinding *finding)
{
  const double height = COLUMN * MAP_HEIGHT / MAP_WIDTH;

  if (finding->n_frames == 0)
    return;
  prism_report_sheet_draw_heading (sheet, _ ("Lights"), height + 60);
  prism_report_sheet_draw_paragraph (sheet, get_map_text (), 0.7);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const double x = MARGIN + i % 2 * COLUMN;
      PrismLightDraw map;

      if (i % 2 == 0)
        prism_report_sheet_make_room (sheet, height + 16);
      prism_light_draw_init (&map, finding, kinds[i]);
      prism_paint_set_alpha (&sheet->paint, 0.9);
      prism_paint_draw_text (&sheet->paint, prism_light_draw_get_label (kinds[i]), x, sheet->y, 0,
                             0);
      cairo_save (sheet->cr);
      cairo_translate (sheet->cr, 0, 14);
      place (sheet, x, draw_map, &map, COLUMN, height);
      cairo_restore (sheet->cr);
      sheet->y += i % 2 == 1 ? height + 16 : 0;
    }
}

static void
draw_command (PrismReportSheet *sheet,
              const PrismFinding *finding)
{
  g_autofree char *command = prism_finding_text_dup_command (finding->source, finding->settings);

  prism_report_sheet_draw_heading (sheet, _ ("How to compute it again"), 40);
  prism_paint_set_alpha (&sheet->paint, 1);
  sheet->y
      += prism_report_sheet_draw_wrapped (sheet, command, MONO_FONT, MARGIN, WIDTH, TRUE) + 6;
}

static gboolean
draw_all (PrismReportSheet *sheet,
          const PrismFinding *finding,
          GError **error)
{
  g_autofree char *summary = dup_summary ();
  g_autofree char *aberrations = prism_finding_text_dup_aberrations (finding);
  g_autofree char *verdict = prism_ptychography_export_dup_verdict (&finding->held_out);
  g_autofree char *taken_back = prism_finding_dup_taken_back (finding);
  g_autoptr (GArray) results = collect_results (finding);
  g_autoptr (GArray) settings = collect_settings (finding);

  prism_paint_set_font (&sheet->paint, 2, TRUE);
  prism_paint_set_alpha (&sheet->paint, 1);
  sheet->y
      += prism_report_sheet_draw_wrapped (sheet, sheet->title, NULL, MARGIN, WIDTH, TRUE) + 4;
  prism_report_sheet_draw_paragraph (sheet, summary, 0.7);
  prism_report_sheet_draw_paragraph (sheet, verdict, 1);
  if (taken_back != NULL)
    prism_report_sheet_draw_paragraph (sheet, taken_back, 1);
  for (guint i = 0; i < finding->doubts->len; i++)
    prism_report_sheet_draw_paragraph (sheet, g_ptr_array_index (finding->doubts, i), 1);
  prism_report_sheet_draw_heading (sheet, _ ("Results"), 60);
  draw_facts (sheet, results);
  if (!draw_pictures (sheet, finding, FALSE, error)
      || !draw_pictures (sheet, finding, TRUE, error))
    return FALSE;
  prism_report_sheet_draw_paragraph (sheet, aberrations, 1);
  draw_curves (sheet, finding);
  draw_maps (sheet, finding);
  prism_report_sheet_draw_heading (sheet, _ ("Settings"), 60);
  prism_report_sheet_draw_paragraph (sheet, _ ("● differs from the default."), 0.7);
  draw_facts (sheet, settings);
  draw_command (sheet, finding);
  return TRUE;
}

static GBytes *
dup_pdf (const PrismFinding *finding,
         GError **error)
{
  g_autofree char *title = dup_title (finding);
  PrismReportSheet sheet = { 0 };

  prism_report_sheet_begin (&sheet, title);
  return prism_report_sheet_end (&sheet, draw_all (&sheet, finding, error), error);
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
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *html = NULL;
  g_autoptr (GBytes) pdf = NULL;

  if (!prism_report_check_path (path, error))
    return FALSE;
  if (g_str_has_suffix (lower, ".pdf"))
    {
      pdf = dup_pdf (finding, error);
      return pdf != NULL
             && prism_file_save (path, g_bytes_get_data (pdf, NULL), g_bytes_get_size (pdf), error);
    }
  html = dup_html (finding, error);
  return html != NULL && prism_file_save (path, html, strlen (html), error);
}
