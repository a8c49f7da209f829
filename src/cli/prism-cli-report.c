#include "config.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "prism-cli-output.h"
#include "prism-cli-results.h"
#include "prism-cli.h"
#include "prism-finding-report.h"
#include "prism-report.h"
#include "results/prism-comparison.h"

static gboolean
load (PrismComparison *comparison,
      char **paths,
      GError **error)
{
  if (*paths == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "Which run? Write “prism-cli report FILE.prismrun --html FILE.html”, or name the"
                   " folder of a result of recorded frames.");
      return FALSE;
    }
  for (; *paths != NULL; paths++)
    {
      g_autoptr (PrismResult) result = prism_cli_results_load (
          *paths, PRISM_SNAPSHOT_HISTORY | PRISM_SNAPSHOT_IMAGES, error);

      if (result == NULL)
        return FALSE;
      prism_comparison_add (comparison, result);
    }
  return TRUE;
}

/* By itself a folder says more of its frames than a comparison can. */
static gboolean
save_finding (const char *path,
              const char *html,
              const char *pdf,
              GError **error)
{
  g_autoptr (PrismFinding) finding = prism_finding_load (path, error);

  return finding != NULL
         && (html == NULL || prism_finding_report_save (finding, html, error))
         && (pdf == NULL || prism_finding_report_save (finding, pdf, error));
}

static gboolean
save_runs (char **paths,
           const char *html,
           const char *pdf,
           GError **error)
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();

  return load (comparison, paths, error)
         && (html == NULL || prism_report_save (comparison, html, error))
         && (pdf == NULL || prism_report_save (comparison, pdf, error));
}

static gboolean
check_paths (const char *html,
             const char *pdf,
             GError **error)
{
  if (html == NULL && pdf == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "Where to? Write “--html FILE.html”, “--pdf FILE.pdf” or both.");
      return FALSE;
    }
  return (html == NULL
          || (prism_report_check_path (html, error) && prism_file_check_place (html, error)))
         && (pdf == NULL
             || (prism_report_check_path (pdf, error) && prism_file_check_place (pdf, error)));
}

/**
 * prism_cli_report_runs:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli report: writes what runs came to, from files and folders of recorded frames' results,
 * as HTML, PDF or both.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_report_runs (int argc,
                       char **argv)
{
  g_autofree char *html = NULL;
  g_autofree char *pdf = NULL;
  const GOptionEntry entries[] = {
    { "html", 0, 0, G_OPTION_ARG_FILENAME, &html, "Write a page of HTML, all in one file", "FILE" },
    { "pdf", 0, 0, G_OPTION_ARG_FILENAME, &pdf, "Write a PDF of A4 pages", "FILE" },
    { NULL },
  };
  g_autoptr (GError) error = NULL;
  gboolean saved;

  if (!prism_cli_parse ("report", entries, NULL, &argc, &argv, &error)
      || !check_paths (html, pdf, &error))
    return prism_cli_report (error);
  saved = argc == 2 && g_file_test (argv[1], G_FILE_TEST_IS_DIR)
              ? save_finding (argv[1], html, pdf, &error)
              : save_runs (argv + 1, html, pdf, &error);
  if (!saved)
    return prism_cli_report (error);
  prism_cli_print_line (stdout, "Written: %s%s%s.", html != NULL ? html : "",
                        html != NULL && pdf != NULL ? ", " : "", pdf != NULL ? pdf : "");
  return prism_cli_finish_output ();
}
