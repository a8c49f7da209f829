#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "instrument/prism-instrument-simulate.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "recording/prism-recording-save.h"

typedef struct
{
  char *scenario;
  char *format;
  char **values;
  gboolean dry_run;
  gboolean keys;
} Options;

static PrismExit
print_keys (void)
{
  gsize n;
  const PrismInstrumentKey *keys = prism_instrument_get_keys (&n);

  prism_cli_say ("%-16s %12s %12s %12s", "", "microscope", "camera-array",
                 "telescope");
  for (gsize i = 0; i < n; i++)
    prism_cli_say ("%-16s %12.5g %12.5g %12.5g  %s", keys[i].key,
                   keys[i].defaults[0], keys[i].defaults[1], keys[i].defaults[2],
                   keys[i].help);
  return PRISM_EXIT_OK;
}

/* What a format is called, and what does not go into its file. */
typedef struct
{
  const char *name;
  PrismRecordingFormat saved;
  gboolean table;         /* the directions lie beside it */
  gboolean recipe;        /* so do the numbers */
  const char *endings[3]; /* of files; the first is given to a name that has none */
} Format;

/* MATLAB 7.3 has the ending of MATLAB 5. */
static const Format formats[] = {
  { "ptylab", PRISM_RECORDING_PTYLAB, FALSE, FALSE, { ".hdf5", ".h5" } },
  { "matlab", PRISM_RECORDING_MATLAB, FALSE, FALSE, { ".mat" } },
  { "matlab73", PRISM_RECORDING_MATLAB73, FALSE, FALSE, { ".mat" } },
  { "cxi", PRISM_RECORDING_CXI, TRUE, TRUE, { ".cxi" } },
  { "npz", PRISM_RECORDING_NPZ, TRUE, FALSE, { ".npz" } },
  { "npy", PRISM_RECORDING_NPY, TRUE, TRUE, { ".npy" } },
  { "tiff", PRISM_RECORDING_TIFF, TRUE, TRUE, { ".tif", ".tiff" } },
  { "fits", PRISM_RECORDING_FITS, TRUE, TRUE, { ".fits", ".fit" } },
};

static gboolean
has_ending (const Format *format,
            const char *path)
{
  PRISM_FOR_EACH_STRING (i, format->endings)
    if (g_str_has_suffix (path, *i))
      return TRUE;
  return FALSE;
}

/* What lies beside the frames, and how all of it is opened. */
static void
print_files (const Format *format,
             const char *path,
             const char *table,
             const char *recipe,
             const char *truth)
{
  g_autofree char *quoted = g_shell_quote (path);
  g_autofree char *table_quoted = g_shell_quote (table);
  g_autofree char *recipe_quoted = g_shell_quote (recipe);

  if (format->table)
    prism_cli_say ("%s: directions of the light", table);
  if (format->recipe)
    prism_cli_say ("%s: numbers of the instrument, which %s cannot hold", recipe,
                   format->name);
  prism_cli_say ("%s: what is behind the frames", truth);
  prism_cli_say ("To open: prism-cli inspect %s%s%s%s%s", quoted,
                 format->recipe ? " --positions " : "",
                 format->recipe ? table_quoted : "", format->recipe ? " --recipe " : "",
                 format->recipe ? recipe_quoted : "");
}

/* What a simulation may write: the frames, and what lies beside them. With the ending of the
 * frames, so that files of two formats have each their own. */
static const char *const beside[] = { "", "-leds.csv", "-recipe.prism", "-truth.npz" };

static gboolean
save_recording (const PrismInstrument *instrument,
                const PrismRecording *recording,
                const PrismInstrumentTruth *truth,
                const Format *format,
                const char *path,
                GError **error)
{
  g_autofree char *table = g_strconcat (path, beside[1], NULL);
  g_autofree char *recipe = g_strconcat (path, beside[2], NULL);
  g_autofree char *truth_path = g_strconcat (path, beside[3], NULL);

  if (!prism_recording_save (recording, path, format->saved, error)
      || (format->table && !prism_recording_save_table (recording, NULL, table, error))
      || (format->recipe && !prism_recording_save_recipe (recording, recipe, error))
      || !prism_instrument_truth_save (truth, instrument, truth_path, error))
    return FALSE;
  print_files (format, path, table, recipe, truth_path);
  return TRUE;
}

/* (nullable): what the option or the name says */
static const Format *
choose_format (const Options *options,
               const char *path,
               GError **error)
{
  PRISM_FOR_EACH_OF (one, formats)
    if (options->format != NULL ? strcmp (one->name, options->format) == 0
                                : has_ending (one, path))
      return one;
  if (options->format == NULL)
    prism_error_config (
        error,
        "The ending of “%s” names no format: use .hdf5, .mat, .cxi, .npz, .npy, .tif or"
        " .fits, or say --format.",
        path);
  else
    prism_error_config (
        error,
        "There is no format “%s”: use ptylab, matlab, matlab73, cxi, npz, npy, tiff or"
        " fits.",
        options->format);
  return NULL;
}

static gboolean
simulate (const Options *options,
          const char *name,
          GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = NULL;
  PrismInstrument instrument;
  const Format *format = choose_format (options, name, error);

  if (format == NULL)
    return FALSE;
  if (!prism_instrument_init (&instrument,
                              options->scenario != NULL ? options->scenario : "microscope", error))
    return FALSE;
  PRISM_FOR_EACH_STRING (value, options->values)
    {
      g_auto (GStrv) parts = g_strsplit (*value, "=", 2);

      if (g_strv_length (parts) != 2)
        return prism_error_config (error, "“%s” should be KEY=VALUE.",
                                   *value);
      if (!prism_instrument_set (&instrument, g_strstrip (parts[0]), g_strstrip (parts[1]), error))
        return FALSE;
    }
  if (!prism_instrument_check (&instrument, error))
    return FALSE;
  prism_cli_print_text (prism_instrument_dup_summary (&instrument));
  if (options->dry_run)
    return TRUE;
  path = g_strconcat (name, has_ending (format, name) ? NULL : format->endings[0], NULL);
  for (gsize i = strcmp (path, name) == 0; i < G_N_ELEMENTS (beside); i++)
    {
      g_autofree char *one = g_strconcat (path, beside[i], NULL);

      if (!prism_cli_claim (PRISM_CLI_OUTPUT, "the simulation", one, NULL, error))
        return FALSE;
    }
  if (!prism_cli_claim_places (error))
    return FALSE;
  recording = prism_instrument_simulate (&instrument, &truth, error);
  return recording != NULL && save_recording (&instrument, recording, truth, format, path, error);
}

/**
 * prism_cli_simulate:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli simulate: writes the frames that an instrument would record, and the truth beside them.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_simulate (int argc,
                    char **argv,
                    GError **error)
{
  Options options = { 0 };
  const PrismCliOption entries[] = {
    { "scenario", 0, PRISM_CLI_TEXT, &options.scenario,
      "What records the frames, also a microscope of “run --list-scenarios” (default: microscope)",
      "microscope|camera-array|telescope" },
    { "format", 0, PRISM_CLI_TEXT, &options.format,
      "Write this format (default: by the ending of FILE)",
      "ptylab|matlab|matlab73|cxi|npz|npy|tiff|fits" },
    { "set", 0, PRISM_CLI_TEXTS, &options.values,
      "Describe the instrument; as often as needed", "QUANTITY=VALUE" },
    { "dry-run", 0, PRISM_CLI_ALONE, &options.dry_run, "Say what it resolves, write nothing" },
    { "keys", 0, PRISM_CLI_ALONE, &options.keys, "List what describes an instrument" },
    { NULL },
  };

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (options.keys)
    return print_keys ();
  return simulate (&options, argc == 2 ? argv[1] : "none.hdf5", error) ? PRISM_EXIT_OK
                                                                       : PRISM_EXIT_FAILED;
}
