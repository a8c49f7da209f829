#include "config.h"

#include "prism-report.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "config/prism-builtin.h"
#include "prism-report-private.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

typedef enum
{
  FORMAT_HTML,
  FORMAT_PDF,
} Format;

static gboolean
find_format (const char *path,
             Format *format,
             GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autofree char *name = NULL;

  if (g_str_has_suffix (lower, ".html") || g_str_has_suffix (lower, ".htm"))
    *format = FORMAT_HTML;
  else if (g_str_has_suffix (lower, ".pdf"))
    *format = FORMAT_PDF;
  else
    {
      name = prism_file_dup_display_name (path);
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("The report “%s” cannot be written: its name must end in .html or .pdf."),
                   name);
      return FALSE;
    }
  return TRUE;
}

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
  Format format;

  return find_format (path, &format, error);
}

static char *
dup_summary (const PrismComparison *comparison)
{
  const PrismResult *result = prism_comparison_get_result (comparison, 0);
  g_autofree char *day = prism_clock_dup_local ("%Y-%m-%d %H:%M");
  g_autofree char *object = prism_builtin_dup_label (result->snapshot->config->object);

  if (result->snapshot->recorded)
    return g_strdup_printf (_ ("%s, %d px in a field of %d px. PRISM Studio %s, %s."), object,
                            result->snapshot->config->object_size,
                            result->snapshot->config->image_size, PRISM_VERSION, day);
  return g_strdup_printf (_ ("Object “%s”, %d px in a field of %d px. PRISM Studio %s, %s."),
                          object, result->snapshot->config->object_size,
                          result->snapshot->config->image_size, PRISM_VERSION, day);
}

static char *
dup_title (const PrismComparison *comparison)
{
  guint n = comparison->results->len;

  if (n == 1)
    return g_strdup (prism_comparison_get_result (comparison, 0)->name);
  return g_strdup_printf (ngettext ("Comparison of %u run", "Comparison of %u runs", n), n);
}

static gboolean
save (const PrismReport *self,
      Format format,
      const char *path,
      GError **error)
{
  g_autofree char *html = NULL;
  g_autoptr (GBytes) pdf = NULL;

  if (format == FORMAT_HTML)
    {
      html = prism_report_dup_html (self, error);
      return html != NULL && prism_file_save (path, html, strlen (html), error);
    }
  pdf = prism_report_dup_pdf (self, error);
  return pdf != NULL
         && prism_file_save (path, g_bytes_get_data (pdf, NULL), g_bytes_get_size (pdf), error);
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
  PrismReport self = { .comparison = comparison };
  gboolean saved;
  Format format;

  if (!find_format (path, &format, error))
    return FALSE;
  if (comparison->results->len == 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("There is no run to report on: run a reconstruction first."));
      return FALSE;
    }
  self.title = dup_title (comparison);
  self.summary = dup_summary (comparison);
  prism_report_levels_compute (comparison, &self.amplitude, &self.difference, &self.phase);
  saved = save (&self, format, path, error);
  g_free (self.title);
  g_free (self.summary);
  return saved;
}

/**
 * prism_report_levels_widen:
 * @mapping: levels so far, and the kind of levels
 * @image: another image to be shown with them
 * @reference: (nullable): subtracted from it
 * @first: whether it is the first image
 *
 * Widens the levels so that the image keeps its contrast.
 *
 * Shape: @image and @reference [h][w].
 * Thread: any.
 */
void
prism_report_levels_widen (PrismMapping *mapping,
                           const PrismImage *image,
                           const PrismImage *reference,
                           gboolean first)
{
  PrismMapping own = *mapping;

  prism_mapping_compute_levels (&own, image, reference);
  mapping->black = first ? own.black : MIN (mapping->black, own.black);
  mapping->white = first ? own.white : MAX (mapping->white, own.white);
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
  gboolean first_image = TRUE;
  gboolean first_error = TRUE;
  gboolean first_phase = TRUE;

  prism_mapping_init (amplitude);
  amplitude->levels = PRISM_LEVELS_MIN_MAX;
  prism_mapping_init (difference);
  difference->colormap = PRISM_COLORMAP_COOLWARM;
  difference->levels = PRISM_LEVELS_SYMMETRIC;
  prism_mapping_init (phase);
  phase->colormap = PRISM_COLORMAP_VIRIDIS;
  phase->levels = PRISM_LEVELS_PERCENTILE;
  for (guint i = 0; i < comparison->results->len; i++)
    {
      const PrismResult *result = prism_comparison_get_result (comparison, i);
      const PrismSnapshot *snapshot = result->snapshot;
      const PrismImage *object = snapshot->target;
      const PrismImage *image = object != NULL ? object : snapshot->reconstruction;

      if (image != NULL)
        {
          prism_report_levels_widen (amplitude, image, NULL, first_image);
          first_image = FALSE;
        }
      if (object != NULL && snapshot->reconstruction != NULL)
        {
          prism_report_levels_widen (difference, snapshot->reconstruction, object, first_error);
          first_error = FALSE;
        }
      if (result->phase != NULL)
        {
          prism_report_levels_widen (phase, result->phase, NULL, first_phase);
          first_phase = FALSE;
        }
    }
  amplitude->levels = difference->levels = phase->levels = PRISM_LEVELS_MANUAL;
}
