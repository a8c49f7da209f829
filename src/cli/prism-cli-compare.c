#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "config/prism-preset.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli-run-file.h"
#include "prism-cli.h"
#include "prism-finding-report.h"
#include "prism-report.h"
#include "results/prism-comparison.h"
#include "results/prism-result.h"
#include "run/prism-run-result.h"

#define CONFIG_SUFFIX ".prism"
/* Between two columns of the table. */
#define COLUMN_GAP 2

typedef struct
{
  char *name;
  PrismConfig *config; /* (nullable): to be run */
  PrismResult *result; /* (nullable): of an earlier run, from a file */
} Job;

typedef struct
{
  char **runs;      /* (nullable): files or presets */
  char **reports;   /* (nullable): paths */
  char *csv;        /* (nullable): path */
  char *curves;     /* (nullable): path */
  gboolean methods; /* all of prism_approach_get_all() */
  gboolean json;
  gboolean quiet;
} CompareOptions;

PRISM_FREE (Job, job_free, g_free, name, prism_config_free, config, prism_result_unref, result)

/* Takes over the configuration or the result. */
static void
add_job (GPtrArray *jobs,
         const char *name,
         PrismConfig *config,
         PrismResult *result)
{
  const Job job = { g_strdup (name), config, result };

  g_ptr_array_add (jobs, g_memdup2 (&job, sizeof job));
}

/* What stays of each run while the others compute: the table is of numbers alone. */
static PrismSnapshotParts
get_parts (const CompareOptions *self)
{
  if (self->reports != NULL)
    return PRISM_SNAPSHOT_HISTORY | PRISM_SNAPSHOT_IMAGES;
  return self->curves != NULL ? PRISM_SNAPSHOT_HISTORY : PRISM_SNAPSHOT_NUMBERS;
}

static gboolean
add_file (GPtrArray *jobs,
          const char *path,
          PrismSnapshotParts parts,
          GError **error)
{
  PrismResult *result = prism_cli_results_load (path, parts, error);

  if (result != NULL)
    add_job (jobs, result->name, NULL, result);
  return result != NULL;
}

static const PrismPreset *
find_preset (const char *id)
{
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);

  for (gsize i = 0; i < n_presets; i++)
    if (strcmp (presets[i].id, id) == 0)
      return &presets[i];
  return NULL;
}

/* A file, or the id of a preset, with the same --set for all. */
static gboolean
add_run (GPtrArray *jobs,
         const char *run,
         const PrismCliOptions *options,
         GError **error)
{
  const PrismPreset *preset = find_preset (run);
  const PrismCliOptions own = {
    .config = preset == NULL ? (char *) run : NULL,
    .preset = preset != NULL ? (char *) run : NULL,
    .settings = options->settings,
  };
  PrismConfig *config = prism_cli_options_load (&own, error);
  g_autofree char *base = g_path_get_basename (run);
  g_autofree char *name = g_filename_display_name (base);

  if (config == NULL)
    return FALSE;
  if (g_str_has_suffix (name, CONFIG_SUFFIX))
    name[strlen (name) - strlen (CONFIG_SUFFIX)] = '\0';
  add_job (jobs, preset != NULL ? preset->label : name, config, NULL);
  return TRUE;
}

static gboolean
add_runs (GPtrArray *jobs,
          char **runs,
          const PrismCliOptions *options,
          PrismSnapshotParts parts,
          GError **error)
{
  for (; runs != NULL && *runs != NULL; runs++)
    if (!(prism_run_result_is (*runs) ? add_file (jobs, *runs, parts, error)
                                      : add_run (jobs, *runs, options, error)))
      return FALSE;
  return TRUE;
}

static gboolean
add_methods (GPtrArray *jobs,
             const PrismCliOptions *options,
             GError **error)
{
  g_autoptr (PrismConfig) config = prism_cli_options_load (options, error);
  gsize n_methods;
  const PrismApproach *methods = prism_approach_get_all (&n_methods);

  for (gsize i = 0; config != NULL && i < n_methods; i++)
    {
      if (prism_approach_is_distinct (&methods[i], config))
        add_job (jobs, methods[i].label, prism_approach_apply (&methods[i], config), NULL);
    }
  return config != NULL;
}

static gboolean
add_jobs (GPtrArray *jobs,
          const CompareOptions *self,
          const PrismCliOptions *options,
          char **arguments,
          GError **error)
{
  if (!self->methods
      && (options->config != NULL || options->preset != NULL || options->scenario != NULL))
    return prism_error_config (
        error, "--config, --preset and --scenario are what --methods starts from: to run one as it"
               " is, write “--run NAME”.");
  if (self->methods && !add_methods (jobs, options, error))
    return FALSE;
  if (!add_runs (jobs, self->runs, options, get_parts (self), error)
      || !add_runs (jobs, arguments, options, get_parts (self), error))
    return FALSE;
  if (jobs->len == 0)
    prism_error_config (error,
                        "There is nothing to compare: name configurations, or write “--methods”.");
  return jobs->len > 0;
}

static PrismResult *
run_job (PrismEngine *engine,
         const Job *job,
         PrismSnapshotParts parts,
         gboolean quiet,
         GError **error)
{
  g_autoptr (PrismSnapshot) snapshot = NULL;

  if (job->result != NULL)
    return prism_result_ref (job->result);
  snapshot = prism_cli_engine_run (engine, job->config, NULL, quiet, error);
  if (snapshot == NULL)
    return NULL;
  if (snapshot->state == PRISM_STATE_FAILED)
    prism_cli_warn ("%s: %s", job->name, snapshot->message);
  return prism_result_new_parts (job->name, snapshot, parts);
}

/* One run after the other in one engine, which keeps the measurements that they share. */
static gboolean
run_jobs (GPtrArray *jobs,
          PrismComparison *comparison,
          PrismSnapshotParts parts,
          gboolean quiet,
          GError **error)
{
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, error);

  if (engine == NULL)
    return FALSE;
  for (guint i = 0; i < jobs->len && prism_cli_engine_get_signal () == 0; i++)
    {
      const Job *job = jobs->pdata[i];
      g_autoptr (PrismResult) result = NULL;

      if (!quiet && job->result == NULL)
        prism_cli_say ("%s (%u of %u)", job->name, i + 1, jobs->len);
      result = run_job (engine, job, parts, quiet, error);
      if (result == NULL)
        return FALSE;
      prism_comparison_add (comparison, result);
    }
  return TRUE;
}

/* A run in each column: there are more quantities than runs. */
static void
print_table (const PrismComparison *comparison)
{
  guint n_rows = comparison->columns->len;
  guint n_columns = comparison->results->len + 1;
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  g_autofree glong *widths = g_new0 (glong, n_columns);

  g_ptr_array_add (cells, g_strdup (""));
  for (guint c = 1; c < n_columns; c++)
    g_ptr_array_add (cells, prism_printable_dup (
                                prism_comparison_get_result (comparison, c - 1)->name));
  for (guint r = 0; r < n_rows; r++)
    {
      const PrismComparisonColumn *column = prism_comparison_get_column (comparison, r);

      g_ptr_array_add (cells, g_strjoin (column->unit[0] == '\0' ? "" : ", ", column->label,
                                         column->unit, NULL));
      for (guint c = 1; c < n_columns; c++)
        {
          const PrismResult *result = prism_comparison_get_result (comparison, c - 1);
          g_autofree char *text = prism_comparison_dup_text (column, result);

          g_ptr_array_add (cells, prism_printable_dup (text));
        }
    }
  for (guint i = 0; i < cells->len; i++)
    widths[i % n_columns] = MAX (widths[i % n_columns], g_utf8_strlen (cells->pdata[i], -1));
  for (guint i = 0; i < cells->len; i++)
    {
      const glong rest = widths[i % n_columns] - g_utf8_strlen (cells->pdata[i], -1);

      if (i % n_columns + 1 < n_columns)
        printf ("%s%*s", (char *) cells->pdata[i], (int) rest + COLUMN_GAP, "");
      else
        printf ("%s\n", (char *) cells->pdata[i]);
    }
}

static void
print_comparison (const PrismComparison *comparison,
                  const CompareOptions *self)
{
  if (self->json)
    prism_cli_print_text (prism_comparison_dup_json (comparison));
  else if (!self->quiet)
    {
      print_table (comparison);
      /* Below the table, which has no room for sentences. */
      PRISM_FOR_EACH_POINTER (const PrismResult, result, comparison->results)
        {
          const PrismVerdict *verdict = &result->snapshot->verdict;
          g_autofree char *text = prism_verdict_dup_text (verdict);

          if (result->has_other_size)
            prism_cli_say ("%s: its object has %d × %d pixels, and another size than the first:"
                           " they are not compared.",
                           result->name, result->phase->width, result->phase->height);
          if (text != NULL && verdict->kind != PRISM_VERDICT_EXPLAINED)
            prism_cli_say ("%s: %s", result->name, text);
        }
    }
}

/* The table comes first: what has been computed is told even where a file cannot be written. */
static PrismExit
conclude (const PrismComparison *comparison,
          const CompareOptions *self,
          GError **error)
{
  print_comparison (comparison, self);
  if (self->csv != NULL && !prism_comparison_save_csv (comparison, self->csv, error))
    return PRISM_EXIT_FAILED;
  if (self->curves != NULL && !prism_comparison_save_curves (comparison, self->curves, error))
    return PRISM_EXIT_FAILED;
  PRISM_FOR_EACH_STRING (path, self->reports)
    if (!prism_report_save (comparison, *path, error))
      return PRISM_EXIT_FAILED;

  if (prism_cli_engine_get_signal () != 0)
    return prism_cli_engine_get_exit ();
  for (guint i = 0; i < comparison->results->len; i++)
    {
      const PrismSnapshot *snapshot = prism_comparison_get_result (comparison, i)->snapshot;
      g_autoptr (GError) failure = NULL;

      if (snapshot->state != PRISM_STATE_FAILED)
        continue;
      failure = g_error_new_literal (PRISM_ERROR, snapshot->error, snapshot->message);
      return prism_cli_exit_from_error (failure);
    }
  return PRISM_EXIT_OK;
}

/**
 * prism_cli_compare:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli compare: runs several configurations in a row and prints what they come to as a table.
 *
 * Returns: the exit code, that of the first run that failed when one did
 */
PrismExit
prism_cli_compare (int argc,
                   char **argv,
                   GError **error)
{
  PrismCliOptions options = { 0 };
  CompareOptions self = { 0 };
  const PrismCliOption entries[] = {
    { "run", 0, PRISM_CLI_INPUTS, &self.runs,
      "Run a .prism file or a preset; may be given again", "NAME" },
    { "methods", 0, PRISM_CLI_SWITCH, &self.methods,
      "Run PRISM, the decoder only, ePIE only and the decoder followed by ePIE" },
    { "csv", 0, PRISM_CLI_OUTPUT, &self.csv, "Write the table as CSV", "FILE" },
    { "curves", 0, PRISM_CLI_OUTPUT, &self.curves,
      "Write the metrics of every step of all runs as CSV", "FILE" },
    { "report", 'r', PRISM_CLI_OUTPUTS, &self.reports,
      "Write a report, as HTML or PDF by the ending; may be given again", "FILE" },
    { "json", 0, PRISM_CLI_SWITCH, &self.json, "Print nothing but the table, as JSON" },
    PRISM_CLI_QUIET_ENTRY (&self.quiet),
    { NULL },
  };
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  g_autoptr (GPtrArray) jobs = g_ptr_array_new_with_free_func (job_free);
  GError *unsaved = NULL;
  PrismExit code = PRISM_EXIT_OK;

  if (!prism_cli_parse (entries, &options, &argc, &argv, error)
      || !prism_cli_check_reports (self.reports, error)
      || !add_jobs (jobs, &self, &options, argv + 1, error))
    return PRISM_EXIT_FAILED;
  prism_cli_engine_catch_signals ();
  run_jobs (jobs, comparison, get_parts (&self), self.quiet || self.json, error);
  if (*error == NULL || comparison->results->len > 0)
    code = conclude (comparison, &self, &unsaved);
  prism_cli_note (unsaved, error);
  return *error != NULL ? PRISM_EXIT_FAILED : code;
}

/* By itself a folder says more of its frames than a comparison can. */
static gboolean
save_reports (char **sources,
              char **paths,
              GError **error)
{
  g_autoptr (PrismComparison) comparison = prism_comparison_new ();
  const gboolean is_folder = sources[1] == NULL && g_file_test (sources[0], G_FILE_TEST_IS_DIR);
  const PrismFinding *finding = NULL;

  for (; *sources != NULL; sources++)
    {
      g_autoptr (PrismResult) result = prism_cli_results_load (
          *sources, PRISM_SNAPSHOT_HISTORY | PRISM_SNAPSHOT_IMAGES, error);

      if (result == NULL)
        return FALSE;
      prism_comparison_add (comparison, result);
      finding = is_folder ? result->snapshot->finding : NULL;
    }
  for (; *paths != NULL; paths++)
    if (!(finding != NULL ? prism_finding_report_save (finding, *paths, error)
                          : prism_report_save (comparison, *paths, error)))
      return FALSE;
  return TRUE;
}

/**
 * prism_cli_report_runs:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli report: writes what runs came to, from files and folders of results, as HTML, PDF or
 * both.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_report_runs (int argc,
                       char **argv,
                       GError **error)
{
  char *html = NULL;
  char *pdf = NULL;
  const PrismCliOption entries[] = {
    { "html", 0, PRISM_CLI_OUTPUT, &html, "Write a page of HTML, all in one file", "FILE" },
    { "pdf", 0, PRISM_CLI_OUTPUT, &pdf, "Write a PDF of A4 pages", "FILE" },
    { NULL },
  };
  char *paths[3] = { NULL };
  g_autofree char *written = NULL;

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  paths[0] = html != NULL ? html : pdf;
  paths[1] = html != NULL ? pdf : NULL;
  if (paths[0] == NULL)
    prism_error_config (error, "Where to? Write “--html FILE.html”, “--pdf FILE.pdf” or both.");
  if (*error != NULL || !prism_cli_check_reports (paths, error)
      || !save_reports (argv + 1, paths, error))
    return PRISM_EXIT_FAILED;
  written = g_strjoinv (", ", paths);
  prism_cli_say ("Written: %s.", written);
  return PRISM_EXIT_OK;
}
