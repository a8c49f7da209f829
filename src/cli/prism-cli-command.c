#include "config.h"

#include "base/prism-each.h"
#include "prism-cli.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"

/* What every command does: take its arguments, and tell what failed. */

/* The options that a command has are asked of the command itself, which has them on its own stack,
 * beside what they are written to. So it is called, and where it would parse its arguments it notes
 * what it would parse, and ends. */
static GArray *listing; /* (nullable) of PrismCliOption: what is being listed */

/**
 * prism_cli_find_command:
 * @name: what was typed
 * @nearest: (out) (optional) (nullable): a name that may have been meant
 *
 * Returns: (transfer none) (nullable): the command of the name
 */
const PrismCommand *
prism_cli_find_command (const char *name,
                        const char **nearest)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (const PrismCommand *one = prism_cli_commands; one->name != NULL; one++)
    {
      if (strcmp (one->name, name) == 0)
        return one;
      g_ptr_array_add (names, (char *) one->name);
    }
  g_ptr_array_add (names, NULL);
  if (nearest != NULL)
    *nearest = prism_nearest_find (name, (const char *const *) names->pdata);
  return NULL;
}

/**
 * prism_cli_list_options:
 * @command: (nullable): a command
 *
 * Returns: (transfer full) (element-type PrismCliOption): its options; their texts are static
 */
GArray *
prism_cli_list_options (const PrismCommand *command)
{
  char *argv[] = { command != NULL ? (char *) command->name : NULL, NULL };
  g_autoptr (GError) ended = NULL;

  listing = g_array_new (FALSE, FALSE, sizeof (PrismCliOption));
  if (command != NULL)
    command->main (1, argv, &ended);
  return g_steal_pointer (&listing);
}

/**
 * prism_cli_report:
 * @error: an error
 *
 * Writes the message to standard error.
 *
 * Returns: the exit status that says the same, or which signal has stopped what was begun
 */
PrismExit
prism_cli_report (const GError *error)
{
  const PrismExit stopped = prism_cli_engine_get_exit ();

  prism_cli_warn ("%s", error->message);
  return stopped != PRISM_EXIT_OK && g_error_matches (error, PRISM_ERROR, PRISM_ERROR_CANCELLED)
             ? stopped
             : prism_cli_exit_from_error (error);
}

/* GLib leaves “--” where it is when a name begins with a dash. */
static void
drop_separator (int *argc,
                char **argv)
{
  for (int i = 1; i < *argc; i++)
    if (strcmp (argv[i], "--") == 0)
      {
        memmove (argv + i, argv + i + 1, (*argc - i) * sizeof *argv);
        (*argc)--;
        return;
      }
}

/* A newcomer names the picture as other programs want it. */
static gboolean
refuse_rest (int argc,
             char **argv,
             GError **error)
{
  g_autofree char *shown = argc > 1 ? g_filename_display_name (argv[1]) : NULL;

  if (argc <= 1)
    return TRUE;
  if (g_file_test (argv[1], G_FILE_TEST_IS_REGULAR) && g_str_has_suffix (g_get_prgname (), " run"))
    return prism_error_config (
        error,
        "“%s” is not expected here: an image is named by --set object=%s, recorded frames by"
        " --measurements, a run by --resume.",
        shown, shown);
  return prism_error_config (error, "“%s” is not expected here: see “%s --help”.", shown,
                             g_get_prgname ());
}

/* As many as the command wants; and no two take each other's place. Of “SET >FOLDER”, “FILE…”,
 * “FOLDER [FRAMES]” a word in brackets may be missing, with dots it may be given again, and “>” is
 * said of what is written. */
static gboolean
check_arguments (const PrismCommand *command,
                 gboolean alone,
                 int argc,
                 char **argv,
                 GError **error)
{
  g_auto (GStrv) words = g_strsplit (command->arguments != NULL ? command->arguments : "", " ", -1);
  int i = 1;

  PRISM_FOR_EACH_STRING (word, words)
    {
      const gboolean again = strstr (*word, "…") != NULL, written = strchr (*word, '>') != NULL;
      g_auto (GStrv) parts = g_strsplit_set (*word, "[>]", -1);
      g_autofree char *shown = g_strjoinv ("", parts), *name = NULL;

      if (again)
        *strstr (shown, "…") = '\0';
      if (i == argc && **word != '[' && !alone)
        return prism_error_config (error, "%s is expected here: see “%s --help”.", shown,
                                   g_get_prgname ());
      name = g_strconcat ("the argument ", shown, NULL);
      for (gboolean more = TRUE; i < argc && more; i++, more = again)
        if (!prism_cli_claim (written ? PRISM_CLI_OUTPUT : PRISM_CLI_INPUT, name, argv[i],
                              strcmp (shown, "FOLDER") == 0 ? "*" : NULL, error))
          return FALSE;
    }
  return refuse_rest (argc - i + 1, argv + i - 1, error);
}

/* Whole numbers and others, within the range that the description has. */
static gboolean
take_number (const PrismCliOption *option,
             const char *name,
             const char *text,
             GError **error)
{
  const gboolean whole = option->kind == PRISM_CLI_INTEGER;
  double value;

  if (!prism_number_parse (text, &value) || (whole && value != floor (value))
      || !(value >= option->least && value <= option->most))
    return prism_error_config (error, "%s is %s, but must be a %snumber from %.10g to %.10g.", name,
                               *text != '\0' ? text : "empty", whole ? "whole " : "",
                               option->least, option->most);
  if (whole)
    *(int *) option->place = (int) value;
  else
    *(double *) option->place = value;
  return TRUE;
}

/* What options say is the program's, and stays until it ends. */
static void
append_value (char ***list,
              const char *value)
{
  static GMutex lock;
  static GPtrArray *kept;
  const guint n = *list != NULL ? g_strv_length (*list) : 0;
  char **longer = g_new0 (char *, n + 2);

  for (guint i = 0; i < n; i++)
    longer[i] = (*list)[i];
  longer[n] = (char *) g_intern_string (value);
  *list = longer;
  g_mutex_lock (&lock);
  if (kept == NULL)
    kept = g_ptr_array_new ();
  g_ptr_array_add (kept, longer);
  g_mutex_unlock (&lock);
}

/* A GOptionArgFunc. name: "--jobs" or "-j"; data: of PrismCliOption */
static gboolean
take_value (const char *name,
            const char *value,
            gpointer data,
            GError **error)
{
  const GArray *options = data;
  PrismCliOption *option = NULL;
  g_autofree char *path = NULL;

  for (guint i = 0; i < options->len && option == NULL; i++)
    {
      PrismCliOption *one = &g_array_index (options, PrismCliOption, i);

      if (name[1] == '-' ? strcmp (name + 2, one->name) == 0 : name[1] == one->letter)
        option = one;
    }
  if (option->kind == PRISM_CLI_CALL)
    ((void (*) (void)) option->place) ();
  else if (option->kind == PRISM_CLI_TEXTS || option->kind == PRISM_CLI_SETTINGS
           || option->kind == PRISM_CLI_INPUTS || option->kind == PRISM_CLI_OUTPUTS)
    append_value (option->place, value);
  else if (option->is_given)
    return prism_error_config (error, "--%s is given twice: leave one.", option->name);
  else
    {
      option->is_given = TRUE;
      if (option->kind <= PRISM_CLI_NUMBER)
        return take_number (option, name, value, error);
      path = prism_file_from_text (value);
      *(const char **) option->place
          = g_intern_string (option->kind == PRISM_CLI_INPUT ? path : value);
    }
  return TRUE;
}

/* With the range of a number, before what it is by default. */
static const char *
get_help (const PrismCliOption *option)
{
  const char *rest = strstr (option->help, " (default");
  g_autofree char *help = NULL;

  if (option->least >= option->most)
    return option->help;
  if (rest == NULL)
    rest = option->help + strlen (option->help);
  help = g_strdup_printf ("%.*s, %.10g…%.10g%s", (int) (rest - option->help), option->help,
                          option->least, option->most, rest);
  return g_intern_string (help);
}

static GOptionGroup *
new_group (GArray *options)
{
  GOptionGroup *group = g_option_group_new (NULL, NULL, NULL, options, NULL);

  PRISM_FOR_EACH (const PrismCliOption, option, options)
    {
      const gboolean is_switch = option->kind <= PRISM_CLI_ALONE;
      const GOptionEntry entries[] = {
        { option->name, option->letter,
          option->kind == PRISM_CLI_CALL       ? G_OPTION_FLAG_NO_ARG
          : option->kind >= PRISM_CLI_SETTINGS ? G_OPTION_FLAG_FILENAME
                                               : 0,
          is_switch ? G_OPTION_ARG_NONE : G_OPTION_ARG_CALLBACK,
          is_switch ? option->place : (gpointer) take_value, get_help (option), option->value },
        { NULL },
      };

      g_option_group_add_entries (group, entries);
    }
  return group;
}

/* What each option reads or writes, also by default. */
static gboolean
claim_options (const GArray *options,
               GError **error)
{
  PRISM_FOR_EACH (const PrismCliOption, option, options)
    {
      const gboolean many = option->kind == PRISM_CLI_INPUTS || option->kind == PRISM_CLI_OUTPUTS;
      g_autofree char *name = g_strconcat ("--", option->name, NULL);
      char *const *values = many ? *(char ***) option->place : option->place;

      for (; option->kind >= PRISM_CLI_INPUT && values != NULL && *values != NULL; values++)
        {
          if (!prism_cli_claim (option->kind, name, *values, option->names, error))
            return FALSE;
          if (!many)
            break;
        }
    }
  return TRUE;
}

static void
append_options (GArray *options,
                const PrismCliOption *some)
{
  for (; some != NULL && some->name != NULL; some++)
    g_array_append_val (options, *some);
}

/**
 * prism_cli_parse:
 * @entries: (nullable): options of the command, a list that ends with a NULL name
 * @parameters: (nullable): where the options for parameters go, for a command that has them
 * @argc: (inout): number of arguments, the command's name included
 * @argv: (inout): the command's name and its arguments; what is left are no options
 * @error: return location
 *
 * Parses the options of a command and looks that there are as many arguments as it wants, that
 * numbers are in their range, and that no output takes the place of an input, of another output or,
 * without --force, of what is there; with --help it prints the help and exits.
 *
 * Errors: G_OPTION_ERROR, PRISM_ERROR_CONFIG, also while a listing is made.
 *
 * Returns: whether the options are good
 */
gboolean
prism_cli_parse (const PrismCliOption *entries,
                 PrismCliOptions *parameters,
                 int *argc,
                 char ***argv,
                 GError **error)
{
  static const PrismCommand nameless;
  const PrismCommand *found = prism_cli_find_command (**argv, NULL);
  const PrismCommand *told = found != NULL ? found : &nameless;
  g_auto (GStrv) parts = g_strsplit (told->arguments != NULL ? told->arguments : "", ">", -1);
  g_autofree char *arguments = g_strjoinv ("", parts);
  g_autofree char *program = g_strdup_printf ("prism-cli %s", **argv);
  g_autoptr (GOptionContext) context = g_option_context_new (arguments);
  g_autoptr (GArray) options = g_array_new (FALSE, FALSE, sizeof (PrismCliOption));
  gboolean alone = FALSE, force = FALSE, writes = parts[0] != NULL && parts[1] != NULL;
  const PrismCliOption forced[] = {
    { "force", 0, PRISM_CLI_SWITCH, &force, "Replace files that are there already" },
    { NULL },
  };

  append_options (options, entries);
  PRISM_FOR_EACH (const PrismCliOption, option, options)
    writes |= option->kind >= PRISM_CLI_OUTPUT;
  append_options (options, writes ? forced : NULL);
  if (parameters != NULL)
    prism_cli_options_append (parameters, options);
  if (listing != NULL)
    {
      g_array_append_vals (listing, options->data, options->len);
      return prism_error_config (error, "The options are listed.");
    }
  g_option_context_set_summary (context, told->summary);
  g_option_context_set_description (context, told->description);
  g_option_context_set_main_group (context, new_group (options));
  g_set_prgname (program);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  drop_separator (argc, *argv);
  PRISM_FOR_EACH (const PrismCliOption, option, options)
    {
      alone |= option->kind == PRISM_CLI_ALONE && *(gboolean *) option->place;
    }
  prism_cli_claim_none (force);
  return check_arguments (told, alone, *argc, *argv, error) && claim_options (options, error)
         && prism_cli_claim_places (error);
}

/**
 * prism_cli_take_config:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 * @entries: options of this command alone
 * @error: return location
 *
 * Reads the whole command line of a command that takes a configuration and nothing else.
 *
 * Errors: those of prism_cli_parse() and prism_cli_options_load().
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_cli_take_config (int argc,
                       char **argv,
                       const PrismCliOption *entries,
                       GError **error)
{
  PrismCliOptions options = { 0 };

  return prism_cli_parse (entries, &options, &argc, &argv, error)
             ? prism_cli_options_load (&options, error)
             : NULL;
}
