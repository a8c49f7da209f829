#include "config.h"

#include "base/prism-each.h"
#include "import/prism-import-table.h"
#include "import/prism-import.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#define MAX_PASTED (256 << 10)

/* "production.prism", here, of whatever folder. */
static char *
dup_output (const char *input)
{
  g_autofree char *whole = g_canonicalize_filename (input, NULL);
  g_autofree char *name = g_path_get_basename (strcmp (input, "-") == 0 ? "imported" : whole);
  char *dot = strrchr (name, '.');

  if (dot != NULL && dot != name)
    *dot = '\0';
  return g_strconcat (name, ".prism", NULL);
}

static gboolean
import_file (const char *input,
             const char *output,
             gboolean training,
             GError **error)
{
  g_autoptr (PrismImport) import = NULL;
  g_autofree char *path = output != NULL ? g_strdup (output) : dup_output (input);
  g_autofree char *quoted = g_shell_quote (path);
  g_autofree char *positions = prism_import_dup_beside (path, "-positions.csv");
  g_autofree char *picture = prism_import_dup_beside (path, "-picture.npy");
  g_auto (GStrv) names = NULL;

  if ((output == NULL && !prism_cli_claim (PRISM_CLI_OUTPUT, "--output", path, NULL, error))
      || !prism_cli_claim (PRISM_CLI_OUTPUT, "--output", positions, NULL, error)
      || !prism_cli_claim (PRISM_CLI_OUTPUT, "--output", picture, NULL, error)
      || !prism_cli_claim_places (error))
    return FALSE;
  if (strcmp (input, "-") == 0)
    {
      g_autofree char *pasted = g_malloc (MAX_PASTED + 1);

      import = prism_import_parse (pasted, fread (pasted, 1, MAX_PASTED + 1, stdin), training,
                                   error);
    }
  else
    import = prism_import_load (input, training, error);
  names = import != NULL ? prism_import_save (import, path, error) : NULL;
  if (names == NULL)
    return FALSE;
  prism_cli_say ("%s: the configuration", path);
  for (guint i = 1; names[i] != NULL; i++)
    if (g_str_has_suffix (names[i], ".csv"))
      prism_cli_say ("%s: %u positions", names[i], import->n_points);
    else
      prism_cli_say ("%s: the picture, %" G_GSIZE_FORMAT " × %" G_GSIZE_FORMAT " px",
                     names[i], import->width, import->height);
  if (import->notes->len > 0)
    prism_cli_say ("What is not as it was:");
  PRISM_FOR_EACH_POINTER (const char, note, import->notes)
    prism_cli_say ("  %s", note);
  prism_cli_say ("To run it: prism-cli run --config %s", quoted);
  return TRUE;
}

/**
 * prism_cli_import:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli import: makes a configuration of what the first PRISM was given or left.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_import (int argc,
                  char **argv,
                  GError **error)
{
  char *output = NULL;
  gboolean training = FALSE, markdown = FALSE;
  const PrismCliOption entries[] = {
    { "output", 'o', PRISM_CLI_OUTPUT, &output,
      "Write the configuration there (default: by the name of FILE, here)", "FILE.prism" },
    { "training", 0, PRISM_CLI_SWITCH, &training,
      "Take over how its decoder was trained, and its method" },
    { "markdown", 0, PRISM_CLI_ALONE, &markdown,
      "Print what its settings are called here: docs/first-prism.md" },
    { NULL },
  };

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (markdown)
    {
      prism_cli_print_text (prism_import_table_dup_page ());
      return PRISM_EXIT_OK;
    }
  return import_file (argv[1], output, training, error) ? PRISM_EXIT_OK : PRISM_EXIT_FAILED;
}
