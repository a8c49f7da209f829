#include "config.h"

#include "prism-report-sheet.h"

#include "base/prism-error.h"
#include "prism-paint.h"
#include "prism-report-figure.h"
#include "prism-report-private.h"
#include "prism-report-text.h"
#include "prism-scale.h"

#include <cairo-pdf.h>
#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define PAGE_WIDTH PRISM_REPORT_SHEET_PAGE_WIDTH
#define PAGE_HEIGHT PRISM_REPORT_SHEET_PAGE_HEIGHT
#define MARGIN PRISM_REPORT_SHEET_MARGIN
#define WIDTH PRISM_REPORT_SHEET_WIDTH
#define BOTTOM (PAGE_HEIGHT - MARGIN)
#define LABEL_WIDTH 168
#define CELL_GAP 6

static void
finish_page (PrismReportSheet *self)
{
  g_autofree char *number = g_strdup_printf ("%d", self->page);

  prism_paint_set_font (&self->paint, 0.85, FALSE);
  prism_paint_set_alpha (&self->paint, 0.6);
  prism_paint_draw_text (&self->paint, self->title, MARGIN, BOTTOM + 12, 0, 0);
  prism_paint_draw_text (&self->paint, number, PAGE_WIDTH - MARGIN, BOTTOM + 12, 1, 0);
  cairo_show_page (self->cr);
  self->page++;
  self->y = MARGIN;
}

/**
 * prism_report_sheet_make_room:
 * @self: pages
 * @height: that the next thing needs
 *
 * Begins another page when this one has not that much left.
 */
void
prism_report_sheet_make_room (PrismReportSheet *self, double height)
{
  if (self->y + height > BOTTOM && self->y > MARGIN)
    finish_page (self);
}

/**
 * prism_report_sheet_draw_heading:
 * @self: pages
 * @text: of the heading
 * @room: that has to be left below it
 *
 * Draws a heading.
 */
void
prism_report_sheet_draw_heading (PrismReportSheet *self, const char *text, double room)
{
  self->y += self->y > MARGIN ? 12 : 0;
  prism_report_sheet_make_room (self, 20 + room);
  prism_paint_set_font (&self->paint, 1.35, TRUE);
  prism_paint_set_alpha (&self->paint, 1);
  prism_paint_draw_text (&self->paint, text, MARGIN, self->y, 0, 0);
  self->y += 20;
  prism_paint_set_font (&self->paint, 1, FALSE);
}

/**
 * prism_report_sheet_draw_wrapped:
 * @self: pages
 * @text: what to draw
 * @font: (nullable): another than the page's
 * @x: where
 * @width: of the lines
 * @draw: whether to draw it, or only to measure
 *
 * A text in as many lines as it needs.
 *
 * Returns: its height
 */
double
prism_report_sheet_draw_wrapped (PrismReportSheet *self,
                                 const char *text,
                                 const char *font,
                                 double x,
                                 double width,
                                 gboolean draw)
{
  PangoLayout *layout = pango_layout_copy (self->paint.layout);
  int height;

  if (font != NULL)
    {
      PangoFontDescription *description = pango_font_description_from_string (font);
      pango_layout_set_font_description (layout, description);
      pango_font_description_free (description);
    }
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_text (layout, text, -1);
  pango_layout_get_size (layout, NULL, &height);
  if (draw)
    {
      cairo_move_to (self->cr, x, self->y);
      pango_cairo_show_layout (self->cr, layout);
      cairo_new_path (self->cr);
    }
  g_object_unref (layout);
  return height / (double) PANGO_SCALE;
}

/**
 * prism_report_sheet_draw_paragraph:
 * @self: pages
 * @text: what to draw
 * @alpha: how dark, 0…1
 *
 * Draws a text over the whole width, and goes on below it.
 */
void
prism_report_sheet_draw_paragraph (PrismReportSheet *self, const char *text, double alpha)
{
  prism_paint_set_font (&self->paint, 1, FALSE);
  prism_report_sheet_make_room (
      self, prism_report_sheet_draw_wrapped (self, text, NULL, MARGIN, WIDTH, FALSE));
  prism_paint_set_alpha (&self->paint, alpha);
  self->y += prism_report_sheet_draw_wrapped (self, text, NULL, MARGIN, WIDTH, TRUE) + 4;
}

/**
 * prism_report_sheet_draw_row:
 * @self: pages
 * @label: of the row
 * @cells: (array length=n_cells): one text for each
 * @marked: (nullable) (array length=n_cells): which are bold
 * @n_cells: how many
 *
 * Draws a row of a table.
 */
void
prism_report_sheet_draw_row (
    PrismReportSheet *self, const char *label, char **cells, const gboolean *marked, guint n_cells)
{
  double cell_width = (WIDTH - LABEL_WIDTH) / n_cells;
  double height
      = prism_report_sheet_draw_wrapped (self, label, NULL, 0, LABEL_WIDTH - CELL_GAP, FALSE);

  for (guint i = 0; i < n_cells; i++)
    height = MAX (height, prism_report_sheet_draw_wrapped (self, cells[i], NULL, 0,
                                                           cell_width - CELL_GAP, FALSE));
  prism_report_sheet_make_room (self, height);
  prism_paint_set_font (&self->paint, 1, FALSE);
  prism_paint_set_alpha (&self->paint, 0.7);
  prism_report_sheet_draw_wrapped (self, label, NULL, MARGIN, LABEL_WIDTH - CELL_GAP, TRUE);
  for (guint i = 0; i < n_cells; i++)
    {
      prism_paint_set_font (&self->paint, 1, marked != NULL && marked[i]);
      prism_paint_set_alpha (&self->paint, 1);
      prism_report_sheet_draw_wrapped (self, cells[i], NULL, MARGIN + LABEL_WIDTH + i * cell_width,
                                       cell_width - CELL_GAP, TRUE);
    }
  prism_paint_set_font (&self->paint, 1, FALSE);
  self->y += height + 2;
}

/**
 * prism_report_sheet_draw_rule:
 * @self: pages
 *
 * Draws a line over the whole width.
 */
void
prism_report_sheet_draw_rule (PrismReportSheet *self)
{
  cairo_move_to (self->cr, MARGIN, self->y);
  cairo_rel_line_to (self->cr, WIDTH, 0);
  cairo_set_line_width (self->cr, 0.5);
  prism_paint_set_alpha (&self->paint, 0.4);
  cairo_stroke (self->cr);
  self->y += 3;
}

/**
 * prism_report_sheet_begin:
 * @self: (out): pages, all else zero
 * @title: of the file; stays
 *
 * Begins the first page.
 */
void
prism_report_sheet_begin (PrismReportSheet *self, const char *title)
{
  self->title = title;
  self->y = MARGIN;
  self->page = 1;
  self->bytes = g_byte_array_new ();
  self->surface = cairo_pdf_surface_create_for_stream (prism_byte_sink_write, self->bytes,
                                                       PAGE_WIDTH, PAGE_HEIGHT);
  cairo_pdf_surface_set_metadata (self->surface, CAIRO_PDF_METADATA_CREATOR,
                                  "PRISM Studio " PRISM_VERSION);
  cairo_pdf_surface_set_metadata (self->surface, CAIRO_PDF_METADATA_TITLE, title);
  self->cr = cairo_create (self->surface);
  prism_paint_init_figure (&self->paint, self->cr, FALSE);
}

/**
 * prism_report_sheet_end:
 * @self: pages
 * @drawn: whether all was drawn; where not, there is an error already
 * @error: return location
 *
 * Ends the last page and frees what the pages hold.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the file
 */
GBytes *
prism_report_sheet_end (PrismReportSheet *self, gboolean drawn, GError **error)
{
  cairo_status_t status;

  if (drawn)
    finish_page (self);
  prism_paint_finish (&self->paint);
  cairo_destroy (self->cr);
  cairo_surface_finish (self->surface);
  status = cairo_surface_status (self->surface);
  cairo_surface_destroy (self->surface);
  if (drawn && status == CAIRO_STATUS_SUCCESS)
    return g_byte_array_free_to_bytes (self->bytes);

  g_byte_array_unref (self->bytes);
  if (drawn)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                 _ ("The report could not be made: %s. Report on fewer runs."),
                 cairo_status_to_string (status));
  return NULL;
}

/* In points. */
#define CHART_HEIGHT 190
#define IMAGE_SIDE 132
#define IMAGE_GAP 10
#define BAR_ROOM 46
#define COVERAGE_SIDE 248
/* Side by side in one table; what is more comes in another below. */
#define TABLE_RUNS 4
#define MONO_FONT "Monospace 7.5px"

typedef PrismReportSheet Sheet;

/* The runs of one table, first…first+n. */
static void
draw_names (Sheet *self, guint first, guint n)
{
  g_auto (GStrv) names = g_new0 (char *, n + 1);
  gboolean marked[TABLE_RUNS];

  for (guint i = 0; i < n; i++)
    {
      names[i] = g_strdup (prism_comparison_get_result (self->report->comparison, first + i)->name);
      marked[i] = TRUE;
    }
  prism_report_sheet_draw_row (self, "", names, marked, n);
  prism_report_sheet_draw_rule (self);
}

/* Fills the cells of a row for one run after the other; FALSE leaves the row out. */
typedef gboolean (*FillRow) (
    const PrismResult *result, gconstpointer subject, char **label, char **cell, gboolean *marked);

static void
draw_filled_row (Sheet *self, FillRow fill, gconstpointer subject, guint first, guint n)
{
  g_auto (GStrv) cells = g_new0 (char *, n + 1);
  g_autofree char *label = NULL;
  gboolean marked[TABLE_RUNS] = { FALSE };
  gboolean wanted = FALSE;

  for (guint i = 0; i < n; i++)
    {
      g_clear_pointer (&label, g_free);
      wanted |= fill (prism_comparison_get_result (self->report->comparison, first + i), subject,
                      &label, &cells[i], &marked[i]);
    }
  if (wanted)
    prism_report_sheet_draw_row (self, label, cells, marked, n);
}

static gboolean
fill_result (
    const PrismResult *result, gconstpointer subject, char **label, char **cell, gboolean *marked)
{
  const PrismComparisonColumn *column = subject;
  g_autofree char *text = prism_comparison_dup_shown_text (column, result);

  *label = prism_report_dup_label (column);
  *cell = g_strdup (column->numeric || text[0] == '\0' ? text : _ (text));
  return TRUE;
}

static gboolean
fill_fact (
    const PrismResult *result, gconstpointer subject, char **label, char **cell, gboolean *marked)
{
  const char *title;

  *cell = prism_report_dup_fact (GPOINTER_TO_UINT (subject), result, &title);
  *label = g_strdup (title);
  return (*cell)[0] != '\0';
}

static gboolean
fill_setting (
    const PrismResult *result, gconstpointer subject, char **label, char **cell, gboolean *marked)
{
  const PrismComparisonColumn *setting = subject;
  gboolean is_default;
  g_autofree char *text = prism_report_dup_setting (result, setting, &is_default);

  *label = g_strdup_printf ("%s (%s)", _ (setting->label), setting->id);
  *cell = is_default ? g_strdup (text) : g_strconcat ("● ", text, NULL);
  *marked = !is_default;
  return TRUE;
}

/* One table after the other, each with a few of the runs. */
typedef void (*DrawRows) (Sheet *self, guint first, guint n);

static void
draw_tables (Sheet *self, DrawRows draw)
{
  guint n_results = self->report->comparison->results->len;

  for (guint first = 0; first < n_results; first += TABLE_RUNS)
    {
      guint n = MIN (TABLE_RUNS, n_results - first);

      prism_report_sheet_make_room (self, 60);
      draw_names (self, first, n);
      draw (self, first, n);
      self->y += 8;
    }
}

static void
draw_result_rows (Sheet *self, guint first, guint n)
{
  const PrismComparison *comparison = self->report->comparison;

  for (guint c = 0; c < comparison->columns->len; c++)
    draw_filled_row (self, fill_result, prism_comparison_get_column (comparison, c), first, n);
}

static void
draw_fact_rows (Sheet *self, guint first, guint n)
{
  for (guint f = 0; f < prism_report_get_n_facts (); f++)
    draw_filled_row (self, fill_fact, GUINT_TO_POINTER (f), first, n);
}

static void
draw_setting_rows (Sheet *self, guint first, guint n)
{
  g_autoptr (GArray) settings = prism_report_list_settings (self->report->comparison);

  for (guint i = 0; i < settings->len; i++)
    draw_filled_row (self, fill_setting, &g_array_index (settings, PrismComparisonColumn, i), first,
                     n);
}

static void
draw_bar (Sheet *self, const PrismMapping *mapping, double x)
{
  prism_paint_set_font (&self->paint, 0.85, FALSE);
  prism_color_bar_draw (&self->paint, mapping, x, self->y, 8, IMAGE_SIDE);
  prism_paint_set_font (&self->paint, 1, FALSE);
}

/* A round length below the image, to compare with. */
static void
draw_scale (Sheet *self, int size, double x)
{
  double length = prism_report_figure_get_scale (size);
  g_autofree char *label = g_strdup_printf ("%.10g px", length);

  cairo_rectangle (self->cr, x, self->y + IMAGE_SIDE + 4, length / size * IMAGE_SIDE, 2);
  prism_paint_set_alpha (&self->paint, 0.9);
  cairo_fill (self->cr);
  prism_paint_set_font (&self->paint, 0.85, FALSE);
  prism_paint_draw_text (&self->paint, label, x + length / size * IMAGE_SIDE + 4,
                         self->y + IMAGE_SIDE + 5, 0, 0.5);
  prism_paint_set_font (&self->paint, 1, FALSE);
}

static gboolean
draw_image (Sheet *self,
            PrismImage *image,
            PrismImage *reference,
            const PrismMapping *mapping,
            const char *caption,
            double x,
            GError **error)
{
  gboolean good;

  cairo_save (self->cr);
  cairo_translate (self->cr, x, self->y);
  good
      = prism_report_figure_draw_image (&self->paint, image, reference, mapping, IMAGE_SIDE, error);
  cairo_restore (self->cr);
  draw_scale (self, image->width, x);
  prism_paint_set_alpha (&self->paint, 0.9);
  prism_paint_draw_text (&self->paint, caption, x, self->y + IMAGE_SIDE + 11, 0, 0);
  return good;
}

/* Where the verdict is ambiguous. */
static gboolean
draw_second (Sheet *self,
             PrismSnapshot *snapshot,
             GError **error)
{
  const PrismReport *report = self->report;
  const double next = MARGIN + IMAGE_SIDE + IMAGE_GAP;
  gboolean good;

  prism_report_sheet_make_room (self, IMAGE_SIDE + 60);
  good = draw_image (self, snapshot->second, NULL, &report->amplitude, _ ("The other picture"),
                     MARGIN, error)
         && draw_image (self, snapshot->second, snapshot->reconstruction, &report->difference,
                        _ ("The other picture − reconstruction"), next, error);
  self->y += IMAGE_SIDE + 34;
  return good;
}

static gboolean
draw_run_images (Sheet *self, const PrismResult *result, GError **error)
{
  const PrismReport *report = self->report;
  PrismSnapshot *snapshot = result->snapshot;
  double x = MARGIN;
  gboolean good = TRUE;

  if (snapshot->target == NULL && snapshot->reconstruction == NULL)
    return TRUE;
  prism_report_sheet_make_room (self, IMAGE_SIDE + 60);
  if (report->comparison->results->len > 1)
    prism_report_sheet_draw_paragraph (self, result->name, 1);
  if (snapshot->target != NULL)
    {
      good = draw_image (self, snapshot->target, NULL, &report->amplitude, _ ("Object"), x, error);
      x += IMAGE_SIDE + IMAGE_GAP;
    }
  if (good && snapshot->reconstruction != NULL)
    good = draw_image (self, snapshot->reconstruction, NULL, &report->amplitude,
                       result->phase != NULL ? _ ("Amplitude") : _ ("Reconstruction"), x, error);
  x += IMAGE_SIDE + 6;
  draw_bar (self, &report->amplitude, x);
  x += BAR_ROOM;
  if (good && snapshot->target != NULL && snapshot->reconstruction != NULL)
    {
      good = draw_image (self, snapshot->reconstruction, snapshot->target, &report->difference,
                         _ ("Error: reconstruction − object"), x, error);
      draw_bar (self, &report->difference, x + IMAGE_SIDE + 6);
    }
  if (good && result->phase != NULL && snapshot->target == NULL)
    {
      good = draw_image (self, result->phase, NULL, &report->phase,
                         _ ("Phase in rad, ramp taken off"), x, error);
      draw_bar (self, &report->phase, x + IMAGE_SIDE + 6);
    }
  self->y += IMAGE_SIDE + 34;
  return good && (snapshot->second == NULL || draw_second (self, snapshot, error));
}

static gboolean
draw_images (Sheet *self, GError **error)
{
  prism_report_sheet_draw_heading (self, _ ("Pictures"), IMAGE_SIDE + 60);
  prism_report_sheet_draw_paragraph (
      self, _ ("Amplitudes; all objects and reconstructions have one scale, and all errors."), 0.7);
  for (guint i = 0; i < self->report->comparison->results->len; i++)
    if (!draw_run_images (self, prism_comparison_get_result (self->report->comparison, i), error))
      return FALSE;
  return TRUE;
}

static void
draw_readings (Sheet *self, const PrismReportMarks *marks)
{
  guint n = marks->result->snapshot->target != NULL ? 2 : 1;
  char *heads[] = { _ ("Reconstruction"), _ ("Object") };
  const gboolean bold[] = { TRUE, TRUE };

  prism_report_sheet_draw_row (self, _ ("Mark"), heads, bold, n);
  prism_report_sheet_draw_rule (self);
  for (guint i = 0; i < marks->marks->len; i++)
    {
      g_autofree char *name = prism_report_marks_dup_name (marks, i);
      g_autofree char *first = prism_report_marks_dup_reading (marks, i, FALSE);
      g_autofree char *second = prism_report_marks_dup_reading (marks, i, TRUE);

      if (name != NULL)
        prism_report_sheet_draw_row (self, name, (char *[]) { first, second }, NULL, n);
    }
  self->y += 8;
}

static void
draw_chart (Sheet *self, PrismChartData *data)
{
  prism_report_sheet_make_room (self, CHART_HEIGHT);
  cairo_save (self->cr);
  cairo_translate (self->cr, MARGIN, self->y);
  prism_report_figure_draw_chart (&self->paint, data, WIDTH, CHART_HEIGHT);
  cairo_restore (self->cr);
  cairo_new_path (self->cr);
  self->y += CHART_HEIGHT + 12;
}

static void
draw_profiles (Sheet *self, const PrismReportMarks *marks)
{
  for (guint i = 0; i < marks->marks->len; i++)
    {
      g_autoptr (PrismChartData) data = prism_report_marks_new_chart (marks, i);

      if (data != NULL)
        draw_chart (self, data);
    }
}

static gboolean
draw_marked_image (Sheet *self, const PrismReportMarks *marks, GError **error)
{
  gboolean good;

  cairo_save (self->cr);
  cairo_translate (self->cr, MARGIN, self->y);
  good = prism_report_marks_draw (marks, &self->paint, COVERAGE_SIDE, error);
  cairo_restore (self->cr);
  cairo_new_path (self->cr);
  prism_paint_set_font (&self->paint, 0.85, FALSE);
  prism_color_bar_draw (&self->paint, &marks->mapping, MARGIN + COVERAGE_SIDE + 6, self->y, 8,
                        COVERAGE_SIDE);
  prism_paint_set_font (&self->paint, 1, FALSE);
  prism_paint_set_alpha (&self->paint, 0.9);
  prism_paint_draw_text (&self->paint, marks->result->name, MARGIN, self->y + COVERAGE_SIDE + 3, 0,
                         0);
  self->y += COVERAGE_SIDE + 22;
  return good;
}

static gboolean
draw_marks (Sheet *self, GError **error)
{
  gboolean first = TRUE;

  for (guint i = 0; i < self->report->comparison->results->len; i++)
    {
      g_autoptr (PrismReportMarks) marks = prism_report_marks_new (
          prism_comparison_get_result (self->report->comparison, i), &self->report->amplitude);

      if (marks == NULL)
        continue;
      if (first)
        prism_report_sheet_draw_heading (self, _ ("Marks"), COVERAGE_SIDE + 60);
      else
        prism_report_sheet_make_room (self, COVERAGE_SIDE + 60);
      first = FALSE;
      if (!draw_marked_image (self, marks, error))
        return FALSE;
      draw_readings (self, marks);
      draw_profiles (self, marks);
    }
  return TRUE;
}

static void
draw_curves (Sheet *self)
{
  const PrismComparison *comparison = self->report->comparison;

  prism_report_sheet_draw_heading (self, _ ("Curves"), CHART_HEIGHT);
  for (int curves = 0; curves < PRISM_REPORT_N_CURVES; curves++)
    {
      g_autoptr (PrismChartData) data
          = prism_report_curves_new (curves, comparison, comparison->results->len > 1);

      if (!prism_report_curves_is_empty (data))
        draw_chart (self, data);
    }
}

static gboolean
draw_coverages (Sheet *self, GError **error)
{
  gboolean right = FALSE;

  prism_report_sheet_draw_heading (self, _ ("Coverage of k-space"), COVERAGE_SIDE + 20);
  for (guint i = 0; i < self->report->comparison->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (self->report->comparison, i);
      double x = right ? MARGIN + WIDTH - COVERAGE_SIDE : MARGIN;
      gboolean good;

      if (result->snapshot->coverage_plane == NULL)
        continue;
      if (!right)
        prism_report_sheet_make_room (self, COVERAGE_SIDE + 20);
      cairo_save (self->cr);
      cairo_translate (self->cr, x, self->y);
      good = prism_report_figure_draw_coverage (&self->paint, result->snapshot, COVERAGE_SIDE,
                                                error);
      cairo_restore (self->cr);
      if (!good)
        return FALSE;
      cairo_new_path (self->cr);
      prism_paint_set_alpha (&self->paint, 0.9);
      prism_paint_draw_text (&self->paint, result->name, x, self->y + COVERAGE_SIDE + 3, 0, 0);
      if (right)
        self->y += COVERAGE_SIDE + 20;
      right = !right;
    }
  self->y += right ? COVERAGE_SIDE + 20 : 0;
  return TRUE;
}

static void
draw_commands (Sheet *self)
{
  const PrismComparison *comparison = self->report->comparison;

  prism_report_sheet_draw_heading (self, _ ("How to compute it again"), 40);
  for (guint i = 0; i < comparison->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (comparison, i);
      g_autofree char *command = prism_report_dup_command (result);
      g_autofree char *remark = prism_report_dup_remark (result);

      if (comparison->results->len > 1)
        prism_report_sheet_draw_paragraph (self, result->name, 1);
      if (command != NULL)
        {
          prism_report_sheet_make_room (self, prism_report_sheet_draw_wrapped (
                                                  self, command, MONO_FONT, MARGIN, WIDTH, FALSE));
          prism_paint_set_alpha (&self->paint, 1);
          self->y += prism_report_sheet_draw_wrapped (self, command, MONO_FONT, MARGIN, WIDTH, TRUE)
                     + 6;
        }
      if (remark != NULL)
        prism_report_sheet_draw_paragraph (self, remark, 0.7);
    }
}

static gboolean
draw_all (Sheet *self, GError **error)
{
  prism_paint_set_font (&self->paint, 2, TRUE);
  prism_paint_set_alpha (&self->paint, 1);
  self->y
      += prism_report_sheet_draw_wrapped (self, self->report->title, NULL, MARGIN, WIDTH, TRUE) + 4;
  prism_report_sheet_draw_paragraph (self, self->report->summary, 0.7);
  prism_report_sheet_draw_heading (self, _ ("Results"), 60);
  draw_tables (self, draw_result_rows);
  if (!draw_images (self, error) || !draw_marks (self, error))
    return FALSE;
  draw_curves (self);
  if (!draw_coverages (self, error))
    return FALSE;
  prism_report_sheet_draw_heading (self, _ ("Time and device"), 60);
  draw_tables (self, draw_fact_rows);
  prism_report_sheet_draw_heading (self, _ ("Settings"), 90);
  prism_report_sheet_draw_paragraph (self, _ ("● differs from the default."), 0.7);
  draw_tables (self, draw_setting_rows);
  draw_commands (self);
  return TRUE;
}

/**
 * prism_report_dup_pdf:
 * @self: a report
 * @error: return location
 *
 * Writes pages of A4.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the file
 */
GBytes *
prism_report_dup_pdf (const PrismReport *self, GError **error)
{
  Sheet sheet = { .report = self };

  prism_report_sheet_begin (&sheet, self->title);
  return prism_report_sheet_end (&sheet, draw_all (&sheet, error), error);
}
