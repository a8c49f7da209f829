#include "config.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-nexus.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli-run-file.h"
#include "prism-cli.h"
#include "results/prism-export.h"
#include "results/prism-halves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* prism-cli rerun and resolution: a result is made again by what its file says of it, or of two
 * halves of its frames. */

/* Settings that this program does not know are left, and those that are missing have defaults. */
static PrismConfig *
load_settings (const char *path,
               PrismFramesKind kind)
{
  PrismConfig *config = prism_config_new_defaults (kind);

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *name = g_strconcat ("/entry/process/parameters/", param->key, NULL);
      g_autofree char *value = prism_nexus_load_text (path, name, NULL);

      if (value != NULL)
        prism_config_set_text (config, param->key, value, NULL);
    }
  return config;
}

/* Reads the frames again, which must have the hash that the file has; path: (nullable): where they
 * are by now */
static PrismProblem *
load_problem (const char *text,
              const char *name,
              const char *path,
              const PrismConfig *config,
              GError **error)
{
  g_autoptr (JsonNode) node = prism_json_parse_object (text, strlen (text));
  g_autofree char *moved = NULL;

  if (node != NULL && path != NULL)
    {
      g_autofree char *shown = prism_file_to_text (path);

      json_object_set_string_member (json_node_get_object (node), "path", shown);
      moved = json_to_string (node, FALSE);
    }
  return prism_problem_load (moved != NULL ? moved : text, name, config, error);
}

static gboolean
make_again (const char *path,
            const char *frames,
            const char *directory,
            gboolean quiet,
            GError **error)
{
  g_autofree char *source = prism_nexus_load_text (path, "/entry/process/frames", NULL);
  g_autoptr (PrismConfig) config = load_settings (
      path, source != NULL ? PRISM_FRAMES_RECORDED : PRISM_FRAMES_OF_TELESCOPE);
  g_auto (PrismCliRunFile) file = { .output = directory };
  g_autoptr (PrismProblem) problem = NULL;
  g_autoptr (PrismSnapshot) snapshot = NULL;

  if (source != NULL)
    {
      problem = load_problem (source, path, frames, config, error);
      if (problem == NULL)
        return FALSE;
      file.scene = prism_scene_new_problem (problem);
      config->history_size = 0;
      prism_scene_apply_problem (file.scene, config);
    }
  snapshot = prism_cli_run_file_run (&file, config, quiet, error);
  if (snapshot == NULL)
    return FALSE;
  if (!prism_cli_engine_check (snapshot, error))
    return FALSE;
  return source != NULL || prism_export_save_all (snapshot, directory, error);
}

static PrismExit
tell (const char *path,
      const char *difference,
      const char *output,
      gboolean quiet)
{
  g_autofree char *version = prism_nexus_load_text (path, "/entry/process/version", NULL);
  g_autofree char *shown = prism_file_dup_display_name (path);

  if (difference == NULL && !quiet)
    prism_cli_say ("The same to the bit: all arrays of “%s”.", shown);
  if (difference != NULL)
    prism_cli_warn ("not the same: “%s” of “%s” differs. It was made by version"
                    " %s, this is %s; another device or kind of processor rounds"
                    " otherwise, and a run that was stopped or resumed is another one.",
                    difference, shown, version, PRISM_VERSION);
  if (output != NULL && !quiet)
    prism_cli_say ("Written to %s.", output);
  return difference == NULL ? prism_cli_finish_output () : PRISM_EXIT_FAILED;
}

/**
 * prism_cli_rerun:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli rerun: makes a result again, and says whether it is the same.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_rerun (int argc,
                 char **argv,
                 GError **error)
{
  char *output = NULL;
  g_autofree char *temporary = NULL;
  g_autofree char *again = NULL;
  g_autofree char *program = NULL, *difference = NULL;
  const char *directory;
  gboolean quiet = FALSE, ok;
  const PrismCliOption entries[] = {
    PRISM_CLI_OUTPUT_ENTRY (&output, "Keep what is made in this directory (default: nowhere)"),
    PRISM_CLI_QUIET_ENTRY (&quiet),
    { NULL },
  };

  if (!prism_cli_parse ("rerun", entries, NULL, &argc, &argv, error)
      || (program = prism_nexus_load_text (argv[1], "/entry/process/program", error)) == NULL
      || (output != NULL && !prism_export_check_directory (output, error)))
    return PRISM_EXIT_FAILED;
  if (output == NULL && (temporary = g_dir_make_tmp ("prism-rerun-XXXXXX", error)) == NULL)
    return PRISM_EXIT_FAILED;
  directory = output != NULL ? output : temporary;
  again = g_build_filename (directory, "result.h5", NULL);
  prism_cli_engine_catch_signals ();
  ok = make_again (argv[1], argc > 2 ? argv[2] : NULL, directory, quiet, error)
       && (prism_cli_engine_get_signal () != 0
           || prism_nexus_compare (argv[1], again, &difference, error));
  if (temporary != NULL)
    prism_directory_remove (temporary);
  if (prism_cli_engine_get_signal () != 0)
    return prism_cli_engine_stopped ("");
  return ok ? tell (argv[1], difference, output, quiet) : PRISM_EXIT_FAILED;
}

static gboolean
goes_on (double fraction,
         gpointer data)
{
  return prism_cli_engine_get_signal () == 0;
}

static PrismHalves *
compare_halves (const char *folder,
                const char *frames,
                GError **error)
{
  g_autofree char *path = g_build_filename (folder, "result.h5", NULL);
  g_autofree char *source = prism_nexus_load_text (path, "/entry/process/frames", error);
  g_autoptr (PrismConfig) config
      = source != NULL ? load_settings (path, PRISM_FRAMES_RECORDED) : NULL;
  g_autoptr (PrismProblem) problem
      = config != NULL ? load_problem (source, path, frames, config, error) : NULL;

  return problem != NULL ? prism_halves_new (problem, folder, goes_on, NULL, error) : NULL;
}

/* "2 line: length_um 12.9 ± 0.2, …; element 5 of group 7 ± 0.1, resolved" */
static void
tell_mark (guint number,
           const PrismMark *mark,
           const PrismMeasured *measured)
{
  const double most_blurred = 0.26; /* contrast of bars that are just told apart, by Rayleigh */
  const PrismMeasured *element = &measured[PRISM_MEASURE_ELEMENT];
  g_autoptr (GString) text = g_string_new (NULL);

  for (PrismMeasure k = 0; k < PRISM_MEASURE_N; k++)
    if (isfinite (measured[k].value) && k != PRISM_MEASURE_ELEMENT)
      g_string_append_printf (text, "%s %s %.4g ± %.2g", text->len > 0 ? "," : "",
                              prism_measure_get_name (k), measured[k].value, measured[k].error);
  if (isfinite (element->value))
    {
      const int step = (int) floor (element->value + 0.5), group = (int) floor (step / 6.0);

      g_string_append_printf (text, "; element %d of USAF group %d ± %.2g, %s",
                              step - 6 * group + 1, group, element->error,
                              measured[PRISM_MEASURE_CONTRAST].value >= most_blurred
                                  ? "resolved"
                                  : "not resolved");
    }
  prism_cli_say ("%u %s:%s", number, prism_mark_get_name (mark->kind), text->str);
}

/**
 * prism_cli_resolution:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli resolution: what a result of recorded frames resolves, by two halves of its frames.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_resolution (int argc,
                      char **argv,
                      GError **error)
{
  g_autoptr (PrismHalves) halves = NULL;
  g_autoptr (PrismFinding) finding = NULL;
  g_autoptr (GArray) marks = NULL;
  g_autofree PrismMeasured *measured = NULL;
  char *text = NULL;
  double increment = 0.18;
  gboolean quiet = FALSE;
  const PrismCliOption entries[] = {
    { "marks", 0, PRISM_CLI_TEXT, &text, "Measure these marks, too: 'ellipse 10 10 50 40; …'",
      "MARKS" },
    { "increment", 0, PRISM_CLI_NUMBER, &increment,
      "Refractive increment for the dry mass of areas, µm³/pg (default: 0.18)", "N", 0.01, 10 },
    PRISM_CLI_QUIET_ENTRY (&quiet),
    { NULL },
  };

  if (!prism_cli_parse ("resolution", entries, NULL, &argc, &argv, error)
      || (text != NULL && (marks = prism_mark_list_parse (text, error)) == NULL))
    return PRISM_EXIT_FAILED;
  prism_cli_engine_catch_signals ();
  halves = compare_halves (argv[1], argc > 2 ? argv[2] : NULL, error);
  if (halves == NULL && *error == NULL)
    return prism_cli_engine_stopped ("");
  if (halves == NULL
      || (marks != NULL
          && ((finding = prism_finding_load (argv[1], error)) == NULL
              || (measured = prism_halves_measure (halves, finding, marks, increment, error))
                     == NULL))
      || !prism_halves_save (halves, argv[1], marks, measured, error))
    return PRISM_EXIT_FAILED;
  if (!quiet)
    prism_cli_say ("Two halves of the frames agree by half a bit down to periods of %.0f ± %.0f nm;"
                   " objective and light allow %.0f nm. Written to %s: halves.csv,"
                   " %ssummary.json.",
                   1e9 * halves->resolution, 1e9 * halves->error, 1e9 * halves->limit, argv[1],
                   marks != NULL ? "marks.csv, " : "");
  for (guint i = 0; !quiet && marks != NULL && i < marks->len; i++)
    tell_mark (i + 1, &g_array_index (marks, PrismMark, i), measured + i * PRISM_MEASURE_N);
  return PRISM_EXIT_OK;
}
