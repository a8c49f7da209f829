#include "config.h"

#include "reconstruction/prism-finding-reporter.h"

#include "prism-finding-report.h"
#include "support/prism-job.h"
#include "support/prism-toaster.h"

#include <glib/gi18n.h>

typedef struct
{
  AdwToastOverlay *overlay;
  PrismFinding *finding;
  char *path;
} Reporting;

static void
reporting_free (gpointer data)
{
  Reporting *reporting = data;

  g_object_unref (reporting->overlay);
  prism_finding_unref (reporting->finding);
  g_free (reporting->path);
  g_free (reporting);
}

/* Another thread. */
static gpointer
save (gpointer data,
      GError **error)
{
  const Reporting *reporting = data;

  return prism_finding_report_save (reporting->finding, reporting->path, error) ? data : NULL;
}

static void
tell (gpointer data,
      gpointer result,
      const GError *error)
{
  const Reporting *reporting = data;
  g_autofree char *name = g_filename_display_basename (reporting->path);
  g_autofree char *saved = g_strdup_printf (_ ("Saved in “%s”"), name);
  g_autofree char *markup = g_markup_escape_text (error != NULL ? error->message : saved, -1);

  /* The window may have been closed meanwhile. */
  if (gtk_widget_get_root (GTK_WIDGET (reporting->overlay)) != NULL)
    prism_toaster_add (reporting->overlay, adw_toast_new (markup));
}

/**
 * prism_finding_reporter_save:
 * @finding: what is found by now
 * @path: a name that ends in .html or .pdf
 * @overlay: where a message tells that it is there, or what went wrong
 *
 * Writes the report on another thread.
 */
void
prism_finding_reporter_save (PrismFinding *finding,
                             const char *path,
                             AdwToastOverlay *overlay)
{
  static const PrismJob job = { "report", save, tell, reporting_free, NULL };
  Reporting *reporting = g_new0 (Reporting, 1);

  reporting->overlay = g_object_ref (overlay);
  reporting->finding = prism_finding_ref (finding);
  reporting->path = g_strdup (path);
  prism_job_start (&job, reporting, NULL);
}
