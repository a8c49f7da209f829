#include "config.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-nexus.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli-run-file.h"
#include "prism-cli.h"
#include "prism-finding-draw.h"
#include "prism-mark-draw.h"
#include "results/prism-export.h"
#include "results/prism-halves.h"

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
  return prism_problem_load (moved != NULL ? moved : text, name, config, TRUE, error);
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
  return source != NULL || prism_export_save (snapshot, directory, FALSE, error);
}

static PrismExit
tell (const char *path,
      const char *difference,
      const char *output,
      gboolean quiet)
{
  g_autofree char *version = prism_nexus_load_text (path, "/entry/process/version", NULL);

  if (difference == NULL && !quiet)
    prism_cli_say ("The same to the bit: all arrays of “%s”.", path);
  if (difference != NULL)
    prism_cli_warn ("not the same: “%s” of “%s” differs. It was made by version"
                    " %s, this is %s; another device or kind of processor rounds"
                    " otherwise, and a run that was stopped or resumed is another one.",
                    difference, path, version, PRISM_VERSION);
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

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error)
      || (program = prism_nexus_load_text (argv[1], "/entry/process/program", error)) == NULL
      || (output != NULL && !prism_cli_claim_folder (output, error)))
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

static PrismProblem *
load_frames (const char *folder,
             const char *frames,
             GError **error)
{
  g_autofree char *path = g_build_filename (folder, "result.h5", NULL);
  g_autofree char *source = NULL;
  g_autoptr (PrismConfig) config = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      prism_error_format (error,
                          "“%s” has no result.h5, which runs with --brief and fields that were"
                          " stopped do not write: name a whole result, such as “prism-cli export"
                          " RUN.prismrun --output FOLDER” makes of the file that --save has"
                          " written.",
                          folder);
      return NULL;
    }
  source = prism_nexus_load_text (path, "/entry/process/frames", error);
  config = source != NULL ? load_settings (path, PRISM_FRAMES_RECORDED) : NULL;
  return config != NULL ? load_problem (source, path, frames, config, error) : NULL;
}

/* (nullable): NULL without an error where it was ended */
static GArray *
measure (PrismHalves *halves,
         const GArray *marks,
         double increment,
         GError **error)
{
  g_autoptr (GArray) readings = g_array_new (FALSE, FALSE, sizeof (PrismMarkReading));

  for (guint i = 0; i < marks->len; i++)
    {
      PrismMarkReading reading = { .mark = g_array_index (marks, PrismMark, i) };

      if (!prism_halves_measure (halves, increment, &reading, error))
        return NULL;
      g_array_append_val (readings, reading);
    }
  return g_steal_pointer (&readings);
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
  g_autofree char *finest = NULL;
  g_autoptr (PrismFinding) finding = NULL;
  g_autoptr (PrismProblem) problem = NULL;
  g_autoptr (GArray) marks = NULL, readings = NULL;
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

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error)
      || (text != NULL && (marks = prism_mark_list_parse (text, error)) == NULL))
    return PRISM_EXIT_FAILED;
  if (marks != NULL && marks->len == 0)
    {
      prism_error_config (error, "--marks has no mark: write some such as 'ellipse 10 10 50 40;"
                                 " line 10 20 90 40', or leave it out.");
      return PRISM_EXIT_FAILED;
    }
  prism_cli_engine_catch_signals ();
  problem = load_frames (argv[1], argc > 2 ? argv[2] : NULL, error);
  finding = problem != NULL ? prism_finding_load (argv[1], error) : NULL;
  if (finding == NULL)
    return PRISM_EXIT_FAILED;
  halves = prism_halves_new (problem, finding, goes_on, NULL);
  if (!prism_halves_compare (halves, error)
      || (marks != NULL && (readings = measure (halves, marks, increment, error)) == NULL))
    return *error != NULL ? PRISM_EXIT_FAILED : prism_cli_engine_stopped ("");
  if (!prism_halves_save (halves, argv[1], readings, error))
    return PRISM_EXIT_FAILED;
  finest = prism_finding_text_dup_finest (&halves->finest, prism_finding_get_limit (finding), TRUE);
  if (!quiet)
    {
      const PrismPrediction *held = &finding->held_out;

      if (held->n_done < held->n_tiles)
        prism_cli_say ("“%s” is a part of its field: it has %u of %u tiles.", argv[1],
                       held->n_done, held->n_tiles);
      prism_cli_say ("Finest period%s: %s. Written to %s: halves.csv, %ssummary.json.",
                     held->n_tiles > 0 ? " of the middle tile" : "", finest, argv[1],
                     marks != NULL ? "marks.csv, " : "");
    }
  for (guint i = 0; !quiet && readings != NULL && i < readings->len; i++)
    {
      const PrismMarkReading *reading = &g_array_index (readings, PrismMarkReading, i);
      g_autofree char *measured = prism_mark_text_dup_measured (reading);

      prism_cli_say ("%u %s: %s", i + 1, prism_mark_get_name (reading->mark.kind), measured);
    }
  if (!quiet && readings != NULL)
    prism_cli_say ("%s.", prism_error_of_get_text (PRISM_ERROR_OF_ENDS));
  return PRISM_EXIT_OK;
}
