#include "config.h"

#include "prism-report.h"

#include "backend/prism-device-counters.h"
#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "config/prism-builtin.h"
#include "config/prism-units.h"
#include "model/prism-display.h"
#include "model/prism-limits.h"
#include "prism-document.h"
#include "prism-finding-draw.h"
#include "prism-mark-draw.h"
#include "prism-report-figure.h"
#include "prism-scale.h"
#include "ptychography/prism-problem.h"
#include "results/prism-export.h"

#define IMAGE_SIDE 128 /* points: object, result and error have room beside each other */
#define SQUARE_SIDE 248

/**
 * prism_report_check_path:
 * @path: file name
 * @error: return location
 *
 * Finds out before a run whether its report has a format.
 *
 * Errors: PRISM_ERROR_CONFIG.
 * Thread: any.
 *
 * Returns: whether the name ends in .html, .htm or .pdf
 */
gboolean
prism_report_check_path (const char *path,
                         GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  if (g_str_has_suffix (lower, ".html") || g_str_has_suffix (lower, ".htm")
      || g_str_has_suffix (lower, ".pdf"))
    return TRUE;
  return prism_error_config (
      error, _ ("The report “%s” cannot be written: its name must end in .html or .pdf."), path);
}

/**
 * prism_report_dup_label:
 * @column: a column
 *
 * Returns: (transfer full): its heading, translated, with the unit
 */
char *
prism_report_dup_label (const PrismComparisonColumn *column)
{
  if (column->unit[0] == '\0')
    return g_strdup (_ (column->label));
  /* TRANSLATORS: a quantity and its unit, as a heading: "PSNR in dB" */
  return g_strdup_printf (_ ("%s in %s"), _ (column->label), _ (column->unit));
}

static const char *const fact_labels[] = {
  N_ ("Picture"),
  N_ ("Verdict"),
  N_ ("Device"),
  N_ ("Why this device"),
  N_ ("Time of computing"),
  N_ ("Steps on average"),
  N_ ("Positions measured"),
  N_ ("Weights of the decoder"),
  N_ ("Largest memory in use"),
  N_ ("Transfers to and from the device"),
  N_ ("Steps skipped as not finite"),
  N_ ("Positions that did not converge"),
};

/* (transfer full): as labelled above; NULL is not known. Of recorded frames steps are passes, and
 * the device knows the memory of their picture alone. */
static void
find_facts (const PrismSnapshot *self,
            char *facts[G_N_ELEMENTS (fact_labels)])
{
  const gboolean is_recorded = prism_snapshot_is_recorded (self);
  const guint64 bytes = prism_device_counters_get_bytes (&self->counters);
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *count = prism_ticks_dup_count (prism_device_counters_get_n (&self->counters));
  char *const known[] = {
    g_strdup (prism_snapshot_get_maker (self)),
    prism_snapshot_dup_remarks (self, FALSE),
    g_strdup (self->device),
    g_strdup (self->device_reason),
    isfinite (self->seconds) ? g_strdup_printf (_ ("%.1f s"), self->seconds) : NULL,
    self->seconds > 0 && self->step > 0 && !is_recorded
        ? g_strdup_printf (_ ("%.1f per second"), self->step / self->seconds)
        : NULL,
    g_strdup_printf (_ ("%u of %u"), self->n_visited, self->n_samples),
    self->n_parameters > 0 ? prism_ticks_dup_count (self->n_parameters) : NULL,
    self->memory_peak > 0 && !is_recorded
        ? g_format_size_full (self->memory_peak, G_FORMAT_SIZE_IEC_UNITS)
        : NULL,
    bytes > 0 ? g_strdup_printf ("%s, %s", count, size) : NULL,
    is_recorded ? NULL : prism_ticks_dup_count (self->n_skipped),
    /* Where convergence is watched. */
    self->sample_states != NULL
        ? g_strdup_printf (_ ("%u, and %u at another try"), self->n_failed, self->n_rescued)
        : NULL,
  };

  G_STATIC_ASSERT (G_N_ELEMENTS (known) == G_N_ELEMENTS (fact_labels));
  memcpy (facts, known, sizeof known);
}

/* One cell for each result. */
static GStrv
new_cells (const PrismComparison *comparison)
{
  return g_new0 (char *, comparison->results->len + 1);
}

static void
begin_table (PrismDocument *document,
             const PrismComparison *comparison)
{
  GStrv names = new_cells (comparison);

  for (guint i = 0; i < comparison->results->len; i++)
    names[i] = g_strdup (prism_comparison_get_result (comparison, i)->name);
  prism_document_add_table (document, names);
}

/* Metres; 0 when it is not known. */
static double
get_pixel (const PrismSnapshot *snapshot)
{
  PrismUnits units;

  if (prism_snapshot_is_recorded (snapshot))
    return snapshot->pixel_size;
  prism_units_init_config (&units, snapshot->config);
  return units.pixel;
}

static void
add_image (PrismDocument *document,
           PrismImage *image,
           PrismImage *reference,
           const PrismMapping *mapping,
           gboolean has_bar,
           const char *caption,
           double metres)
{
  double length;
  g_autofree char *scale = prism_scale_bar_choose (image->width, metres, &length);
  const PrismDocumentFigure figure = { .image = image,
                                       .reference = reference,
                                       .mapping = mapping,
                                       .width = IMAGE_SIDE,
                                       .height = IMAGE_SIDE,
                                       .bar = has_bar ? mapping : NULL,
                                       .caption = caption,
                                       .scale = scale,
                                       .scale_share = length / image->width };

  prism_document_add_figure (document, &figure);
}

static void
add_images (PrismDocument *document,
            const PrismComparison *comparison,
            const PrismMapping *amplitude,
            const PrismMapping *difference,
            const PrismMapping *phase)
{
  prism_document_add_heading (document, _ ("Pictures"));
  prism_document_add_text (
      document, PRISM_TEXT_DIM,
      _ ("Amplitudes; all objects and reconstructions have one scale, and all errors."));
  PRISM_FOR_EACH_POINTER (PrismResult, result, comparison->results)
    {
      PrismImage *target = result->snapshot->target, *image = result->snapshot->reconstruction;
      PrismImage *second = result->snapshot->second;
      const double metres = get_pixel (result->snapshot);

      if (comparison->results->len > 1 && (image != NULL || target != NULL))
        prism_document_add_text (document, PRISM_TEXT_BOLD, result->name);
      if (target != NULL)
        add_image (document, target, NULL, amplitude, image == NULL, _ ("Object"), metres);
      if (image != NULL)
        add_image (document, image, NULL, amplitude, TRUE,
                   result->phase != NULL ? _ ("Amplitude") : _ ("Reconstruction"), metres);
      if (image != NULL && result->phase != NULL)
        add_image (document, result->phase, NULL, phase, TRUE, _ ("Phase in rad, ramp taken off"),
                   metres);
      if (image != NULL && target != NULL)
        add_image (document, image, target, difference, TRUE, _ ("Error: reconstruction − object"),
                   metres);
      /* Where the verdict is ambiguous. */
      if (image != NULL && second != NULL)
        {
          add_image (document, second, NULL, amplitude, TRUE, _ ("The other picture"), metres);
          add_image (document, second, image, difference, TRUE,
                     _ ("The other picture − reconstruction"), metres);
        }
    }
}

/* What somebody has measured on the pictures of a run. */
typedef struct
{
  const PrismResult *result;
  GArray *marks;        /* of PrismMark */
  PrismMapping mapping; /* of the reconstruction, with the run's own limits */
  double metres;        /* of a pixel; 0 when it is not known */
} Marks;

PRISM_FREE (Marks, marks_free, g_array_unref, marks)

/* The levels are found where the run leaves them to its pictures. */
static void
apply_limits (Marks *self)
{
  const PrismSnapshot *snapshot = self->result->snapshot;
  g_autofree char *text = prism_display_dup (snapshot->display, "limits");
  g_autoptr (GArray) list = prism_limits_list_parse (text, NULL);
  const PrismLimits *limits
      = list != NULL ? prism_limits_list_find (
            list, prism_limits_get_picture (PRISM_LIMITS_RECONSTRUCTION))
                     : NULL;

  if (limits == NULL)
    return;
  prism_mapping_set_limits (&self->mapping, limits);
  if (limits->kind == PRISM_LIMITS_USUAL)
    return;
  prism_mapping_compute_levels (&self->mapping, snapshot->reconstruction, NULL);
  self->mapping.levels = PRISM_LEVELS_MANUAL;
}

/* The reconstruction and the marks over it. */
static gboolean
draw_marks (PrismPaint *paint,
            gconstpointer subject,
            double width,
            double height,
            GError **error)
{
  const Marks *self = subject;
  PrismImage *image = self->result->snapshot->reconstruction;
  PrismFrame frame;

  if (!prism_report_figure_draw_image (paint, image, NULL, &self->mapping, width, height, error))
    return FALSE;
  prism_frame_init (&frame, width, height, image->width, image->height);
  cairo_save (paint->cr);
  cairo_rectangle (paint->cr, 0, 0, width, height);
  cairo_clip (paint->cr);
  prism_mark_draw_list (paint, &frame, self->marks, FALSE, -1, self->metres);
  cairo_restore (paint->cr);
  cairo_new_path (paint->cr);
  return TRUE;
}

/* Those of what the camera sees have no picture in a report; the others keep their numbers. */
static void
add_readings (PrismDocument *document,
              const Marks *self)
{
  const PrismSnapshot *snapshot = self->result->snapshot;
  const PrismImage *const images[] = { snapshot->reconstruction, snapshot->target };
  const char *heads[] = { _ ("Reconstruction"), images[1] != NULL ? _ ("Object") : NULL, NULL };

  prism_document_add_text (document, PRISM_TEXT_DIM,
                           prism_error_of_get_text (PRISM_ERROR_OF_ENDS));
  prism_document_add_table (document, g_strdupv ((char **) heads));
  for (guint i = 0; i < self->marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (self->marks, PrismMark, i);
      g_autofree char *name = prism_mark_text_dup_name (mark, i + 1, self->metres);
      GStrv cells;

      if (mark->camera)
        continue;
      cells = g_new0 (char *, 3);
      for (int k = 0; k < 2 && images[k] != NULL; k++)
        cells[k] = k == 1 && mark->kind == PRISM_MARK_RULER
                       ? g_strdup ("")
                       : prism_mark_text_dup_reading (mark, images[k], NULL, self->metres);
      prism_document_add_row (document, name, NULL, cells);
    }
}

/* The values along lines. */
static void
add_profiles (PrismDocument *document,
              const Marks *self)
{
  const PrismSnapshot *snapshot = self->result->snapshot;

  for (guint i = 0; i < self->marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (self->marks, PrismMark, i);
      PrismChartData *data;

      if (mark->camera || mark->kind != PRISM_MARK_LINE)
        continue;
      data = prism_mark_chart_new (mark, i + 1);
      prism_mark_chart_add (data, mark, _ ("Reconstruction"), snapshot->reconstruction, NULL);
      if (snapshot->target != NULL)
        {
          prism_mark_chart_add (data, mark, _ ("Object"), snapshot->target, NULL);
          prism_mark_chart_add (data, mark, _ ("Error"), snapshot->reconstruction,
                                snapshot->target);
        }
      prism_document_add_chart (document, data);
    }
}

static void
add_marks (PrismDocument *document,
           const PrismComparison *comparison,
           const PrismMapping *amplitude)
{
  gboolean any = FALSE;

  PRISM_FOR_EACH_POINTER (PrismResult, result, comparison->results)
    {
      g_autofree char *text = prism_display_dup (result->snapshot->display, "marks");
      g_autoptr (GArray) marks = prism_mark_list_parse (text, NULL);
      Marks *self;
      guint n = 0;

      for (guint k = 0; marks != NULL && k < marks->len; k++)
        n += !g_array_index (marks, PrismMark, k).camera;
      if (n == 0 || result->snapshot->reconstruction == NULL)
        continue;
      if (!any)
        prism_document_add_heading (document, _ ("Marks"));
      any = TRUE;
      self = g_new (Marks, 1);
      *self = (Marks) { result, g_steal_pointer (&marks), *amplitude,
                        get_pixel (result->snapshot) };
      apply_limits (self);
      prism_document_add_figure (
          document, &(const PrismDocumentFigure) { .draw = draw_marks,
                                                   .subject = self,
                                                   .destroy = marks_free,
                                                   .width = SQUARE_SIDE,
                                                   .height = SQUARE_SIDE,
                                                   .dark = TRUE,
                                                   .bar = &self->mapping,
                                                   .description = _ ("Reconstruction with marks"),
                                                   .caption = result->name });
      add_readings (document, self);
      add_profiles (document, self);
    }
}

static void
add_coverages (PrismDocument *document,
               const PrismComparison *comparison)
{
  prism_document_add_heading (document, _ ("Coverage of k-space"));
  PRISM_FOR_EACH_POINTER (PrismResult, result, comparison->results)
    {
      const PrismDocumentFigure figure = { .draw = prism_report_figure_draw_coverage,
                                           .subject = result->snapshot,
                                           .width = SQUARE_SIDE,
                                           .height = SQUARE_SIDE,
                                           .dark = TRUE,
                                           .description = _ ("Coverage of k-space"),
                                           .caption = result->name };

      if (result->snapshot->coverage_plane == NULL)
        continue;
      prism_document_add_figure (document, &figure);
    }
}

/* What is known of none of the runs has no row. */
static void
add_facts (PrismDocument *document,
           const PrismComparison *comparison)
{
  const guint n = comparison->results->len, n_facts = G_N_ELEMENTS (fact_labels);
  g_autofree char **facts = g_new (char *, n *n_facts);

  prism_document_add_heading (document, _ ("Time and device"));
  begin_table (document, comparison);
  for (guint i = 0; i < n; i++)
    find_facts (prism_comparison_get_result (comparison, i)->snapshot, &facts[i * n_facts]);
  for (guint f = 0; f < n_facts; f++)
    {
      GStrv cells = new_cells (comparison);
      gboolean known = FALSE;

      for (guint i = 0; i < n; i++)
        {
          cells[i] = facts[i * n_facts + f];
          known |= cells[i] != NULL && cells[i][0] != '\0';
          if (cells[i] == NULL)
            cells[i] = g_strdup ("");
        }
      if (known)
        prism_document_add_row (document, _ (fact_labels[f]), NULL, cells);
      else
        g_strfreev (cells);
    }
}

/* “–” where it has no effect on the run. */
static char *
dup_setting (const PrismResult *result,
             const PrismParam *param)
{
  const PrismSnapshot *snapshot = result->snapshot;
  g_autoptr (PrismConfig) defaults
      = prism_config_new_defaults (snapshot->config->kind);
  g_autoptr (PrismConfig) asked
      = prism_config_dup_asked (snapshot->config, snapshot->automatic_tile);
  g_autofree char *words = prism_config_dup_words (snapshot->config, param);
  g_autofree char *valid = g_utf8_make_valid (words, -1);

  if (!prism_result_has_setting (result, param))
    return g_strdup ("–");
  return g_strconcat (
      prism_config_differs (asked, defaults, param) ? PRISM_DOCUMENT_MARK : "",
      valid, NULL);
}

static const char *
get_group (const PrismParam *param)
{
  gsize n_groups;
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);

  for (gsize g = 0; g < n_groups; g++)
    if (strcmp (param->group, groups[g].id) == 0)
      return _ (groups[g].label);
  g_return_val_if_reached ("");
}

static void
add_settings (PrismDocument *document,
              const PrismComparison *comparison)
{
  const char *last = NULL;

  prism_document_add_heading (document, _ ("Settings"));
  prism_document_add_text (document, PRISM_TEXT_DIM, _ ("● differs from the default."));
  begin_table (document, comparison);
  PRISM_FOR_EACH_PARAM (param)
    {
      const PrismComparisonColumn setting = { param->key, param->label, param->unit, param };
      g_autofree char *label = prism_report_dup_label (&setting);
      GStrv cells;
      gboolean any = FALSE;

      for (guint i = 0; i < comparison->results->len; i++)
        any |= prism_result_has_setting (prism_comparison_get_result (comparison, i), param);
      if (!any)
        continue;
      if (get_group (param) != last)
        prism_document_add_row (document, get_group (param), NULL, NULL);
      last = get_group (param);
      cells = new_cells (comparison);
      for (guint i = 0; i < comparison->results->len; i++)
        cells[i] = dup_setting (prism_comparison_get_result (comparison, i), param);
      prism_document_add_row (document, label, param->key, cells);
    }
}

/* Why the command would come to another end, or why there is none. */
static const char *
get_remark (const PrismResult *result)
{
  switch (result->snapshot->state)
    {
    case PRISM_STATE_FINISHED:
      return NULL;
    case PRISM_STATE_FAILED:
      return _ ("This run failed; the command begins it anew.");
    case PRISM_STATE_STOPPED:
      return _ ("This run was stopped early; the command computes it to its end.");
    default:
      return _ ("This run had not ended yet; the command computes it to its end.");
    }
}

/* Of recorded frames. */
static char *
dup_command (const PrismSnapshot *snapshot)
{
  g_autofree char *reading = snapshot->finding != NULL
                                 ? g_strdup (snapshot->finding->reading)
                                 : prism_problem_dup_options (snapshot->problem);
  g_autoptr (PrismConfig) asked
      = prism_config_dup_asked (snapshot->config, snapshot->automatic_tile);

  return prism_finding_text_dup_command (snapshot->config->object, reading, asked);
}

static void
add_commands (PrismDocument *document,
              const PrismComparison *comparison)
{
  prism_document_add_heading (document, _ ("How to compute it again"));
  PRISM_FOR_EACH_POINTER (PrismResult, result, comparison->results)
    {
      const PrismSnapshot *snapshot = result->snapshot;
      g_autofree char *command = prism_snapshot_is_recorded (snapshot)
                                     ? dup_command (snapshot)
                                     : prism_command_dup_run (snapshot);
      g_autofree char *valid = command != NULL ? g_utf8_make_valid (command, -1) : NULL;

      if (comparison->results->len > 1)
        prism_document_add_text (document, PRISM_TEXT_BOLD, result->name);
      prism_document_add_text (document, PRISM_TEXT_COMMAND, valid);
      prism_document_add_text (document, PRISM_TEXT_DIM, get_remark (result));
    }
}

static char *
dup_summary (const PrismComparison *comparison)
{
  const PrismResult *result = prism_comparison_get_result (comparison, 0);
  g_autofree char *day = prism_clock_dup_local (_ ("%Y-%m-%d %H:%M"));
  g_autofree char *object = prism_builtin_dup_label (result->snapshot->config->object);

  return g_strdup_printf (_ ("Object “%s”, %d px in a field of %d px. PRISM Studio %s, %s."),
                          object, result->snapshot->config->object_size,
                          result->snapshot->config->image_size, PRISM_VERSION, day);
}

/**
 * prism_report_save:
 * @comparison: one result or several
 * @path: a name that ends in .html, .htm or .pdf
 * @error: return location
 *
 * Writes what the runs came to: metrics, pictures on one scale, of complex objects the phase, too,
 * curves, coverage of k-space, settings with those that differ from the default marked, device and
 * times, and the command that computes each again. The page of HTML needs no other file and no
 * network, and has no script.
 *
 * Errors: PRISM_ERROR_CONFIG for a name with another ending or when there is no result,
 *   PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 * Thread: any; nothing but this function may use @comparison meanwhile.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_report_save (const PrismComparison *comparison,
                   const char *path,
                   GError **error)
{
  g_autoptr (PrismDocument) document = NULL;
  g_autofree char *title = NULL, *summary = NULL;
  const guint n = comparison->results->len;
  PrismMapping amplitude, difference, phase;

  if (!prism_report_check_path (path, error))
    return FALSE;
  if (n == 0)
    return prism_error_config (error,
                               _ ("There is no run to report on: run a reconstruction first."));
  title = n == 1
              ? g_strdup (prism_comparison_get_result (comparison, 0)->name)
              : g_strdup_printf (ngettext ("Comparison of %u run", "Comparison of %u runs", n), n);
  summary = dup_summary (comparison);
  document = prism_document_new (title, summary);
  prism_report_levels_compute (comparison, &amplitude, &difference, &phase);
  prism_document_add_heading (document, _ ("Results"));
  begin_table (document, comparison);
  PRISM_FOR_EACH (const PrismComparisonColumn, column, comparison->columns)
    {
      g_autofree char *label = prism_report_dup_label (column);
      GStrv cells = new_cells (comparison);

      for (guint i = 0; i < comparison->results->len; i++)
        {
          g_autofree char *text = prism_comparison_dup_shown_text (
              column, prism_comparison_get_result (comparison, i));

          cells[i] = g_strdup (column->numeric || text[0] == '\0' ? text : _ (text));
        }
      prism_document_add_row (document, label, NULL, cells);
    }
  add_images (document, comparison, &amplitude, &difference, &phase);
  add_marks (document, comparison, &amplitude);
  prism_document_add_heading (document, _ ("Curves"));
  for (int curves = 0; curves < PRISM_REPORT_N_CURVES; curves++)
    {
      g_autoptr (PrismChartData) data
          = prism_report_curves_new (curves, comparison, comparison->results->len > 1);

      if (!prism_report_curves_is_empty (data))
        prism_document_add_chart (document, g_steal_pointer (&data));
    }
  add_coverages (document, comparison);
  add_facts (document, comparison);
  add_settings (document, comparison);
  add_commands (document, comparison);
  return prism_document_save (document, path, error);
}

/**
 * prism_report_levels_widen:
 * @mapping: levels so far, and the kind of levels
 * @image: another image to be shown with them
 * @reference: (nullable): subtracted from it
 *
 * Widens the levels so that the image keeps its contrast; those that are empty (black above white)
 * become its own.
 *
 * Shape: @image and @reference [h][w].
 * Thread: any.
 */
void
prism_report_levels_widen (PrismMapping *mapping,
                           const PrismImage *image,
                           const PrismImage *reference)
{
  PrismMapping own = *mapping;

  prism_mapping_compute_levels (&own, image, reference);
  mapping->black = MIN (mapping->black, own.black);
  mapping->white = MAX (mapping->white, own.white);
}

/**
 * prism_report_levels_compute:
 * @comparison: what is shown
 * @amplitude: (out caller-allocates): for objects and reconstructions: the range of the objects
 * @difference: (out caller-allocates): for errors: symmetric, the largest of all
 * @phase: (out caller-allocates): for phases: what nearly all pixels have
 *
 * Finds one scale for the pictures of all runs, one for their errors and one for their phases.
 *
 * Thread: any.
 */
void
prism_report_levels_compute (const PrismComparison *comparison,
                             PrismMapping *amplitude,
                             PrismMapping *difference,
                             PrismMapping *phase)
{
  PrismMapping *const mappings[] = { amplitude, difference, phase };
  static const PrismColormap colormaps[]
      = { PRISM_COLORMAP_GREY, PRISM_COLORMAP_COOLWARM, PRISM_COLORMAP_VIRIDIS };
  static const PrismLevels levels[]
      = { PRISM_LEVELS_MIN_MAX, PRISM_LEVELS_SYMMETRIC, PRISM_LEVELS_PERCENTILE };

  for (int k = 0; k < 3; k++)
    {
      prism_mapping_init (mappings[k]);
      mappings[k]->colormap = colormaps[k];
      mappings[k]->levels = levels[k];
      mappings[k]->black = INFINITY;
      mappings[k]->white = -INFINITY;
    }
  PRISM_FOR_EACH_POINTER (PrismResult, result, comparison->results)
    {
      const PrismSnapshot *snapshot = result->snapshot;
      const PrismImage *object = snapshot->target;
      const PrismImage *image = object != NULL ? object : snapshot->reconstruction;

      if (image != NULL)
        prism_report_levels_widen (amplitude, image, NULL);
      if (object != NULL && snapshot->reconstruction != NULL)
        prism_report_levels_widen (difference, snapshot->reconstruction, object);
      if (result->phase != NULL)
        prism_report_levels_widen (phase, result->phase, NULL);
    }
  for (int k = 0; k < 3; k++)
    {
      mappings[k]->levels = PRISM_LEVELS_MANUAL;
      /* Where there is no such picture. */
      if (mappings[k]->black > mappings[k]->white)
        {
          mappings[k]->black = 0;
          mappings[k]->white = 1;
        }
    }
}
