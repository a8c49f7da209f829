#include "config.h"

#include "prism-cli.h"

#include "base/prism-error.h"
#include "base/prism-number.h"
#include "prism-cli-output.h"

#include <stdio.h>
#include <string.h>

/* What every command does: take its arguments, and tell what failed. */

/* In prism-cli.c, which calls them. */
static const PrismCommand *commands;
static gsize n_commands;

/* The options that a command has are asked of the command itself, which has them on its own stack,
 * beside what they are written to. So it is called, and where it would parse its arguments it notes
 * what it would parse, and ends. */
static GArray *listing; /* (nullable) of GOptionEntry: what is being listed */

/**
 * prism_cli_set_commands:
 * @all: (array length=n): the commands; those without a summary are not for people, and come last
 * @n: how many there are
 */
void
prism_cli_set_commands (const PrismCommand *all,
                        gsize n)
{
  commands = all;
  n_commands = n;
}

/**
 * prism_cli_get_commands:
 * @n: (out): how many there are
 *
 * Returns: (transfer none) (array length=n): the commands of prism-cli that people use
 */
const PrismCommand *
prism_cli_get_commands (gsize *n)
{
  for (*n = n_commands; commands[*n - 1].summary == NULL;)
    --*n;
  return commands;
}

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
  g_autofree const char **names = g_new0 (const char *, n_commands + 1);

  for (gsize i = 0; i < n_commands; i++)
    {
      if (strcmp (commands[i].name, name) == 0)
        return &commands[i];
      names[i] = commands[i].name;
    }
  if (nearest != NULL)
    *nearest = prism_nearest_find (name, names);
  return NULL;
}

/**
 * prism_cli_list_options:
 * @command: (nullable): a command
 *
 * Returns: (transfer full) (element-type GOptionEntry): its options; their texts are static
 */
GArray *
prism_cli_list_options (const PrismCommand *command)
{
  char *argv[] = { command != NULL ? (char *) command->name : NULL, NULL };
  g_autoptr (GError) ended = NULL;

  listing = g_array_new (FALSE, FALSE, sizeof (GOptionEntry));
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
 * Returns: the exit status that says the same
 */
PrismExit
prism_cli_report (const GError *error)
{
  prism_cli_warn ("%s", error->message);
  return prism_cli_exit_from_error (error);
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

/* What options say is the program's, and stays until it ends. */
static void
keep (const GOptionEntry *entries)
{
  static GMutex lock;
  static GPtrArray *kept;

  g_mutex_lock (&lock);
  if (kept == NULL)
    kept = g_ptr_array_new ();
  for (; entries != NULL && entries->long_name != NULL; entries++)
    if (entries->arg_description != NULL && entries->arg != G_OPTION_ARG_INT
        && entries->arg != G_OPTION_ARG_DOUBLE)
      g_ptr_array_add (kept, *(gpointer *) entries->arg_data);
  g_mutex_unlock (&lock);
}

/* Also of none. Returns whether they were listed, and not to be parsed. */
static gboolean
add_entries (GOptionContext *context,
             const GOptionEntry *entries)
{
  guint n = 0;

  while (entries != NULL && entries[n].long_name != NULL)
    n++;
  if (listing != NULL)
    g_array_append_vals (listing, entries, n);
  else if (n > 0)
    g_option_context_add_main_entries (context, entries, NULL);
  return listing != NULL;
}

/**
 * prism_cli_parse:
 * @command: name of the command
 * @entries: (nullable): its options, a list that ends with a NULL name
 * @options: (nullable): where the options for parameters go, for a command that has them
 * @argc: (inout): number of arguments, the command's name included
 * @argv: (inout): the arguments; what is left are no options
 * @error: return location
 *
 * Parses the options of a command; with --help it prints the help and exits.
 *
 * Errors: G_OPTION_ERROR; PRISM_ERROR_CANCELLED while a listing is made.
 *
 * Returns: whether the options are good
 */
gboolean
prism_cli_parse (const char *command,
                 const GOptionEntry *entries,
                 PrismCliOptions *options,
                 int *argc,
                 char ***argv,
                 GError **error)
{
  static const PrismCommand nameless;
  const PrismCommand *found = prism_cli_find_command (command, NULL);
  const PrismCommand *told = found != NULL ? found : &nameless;
  g_autoptr (GOptionContext) context = g_option_context_new (told->arguments);
  g_autofree char *program = g_strdup_printf ("prism-cli %s", command);
  GOptionEntry parameters[PRISM_CLI_OPTIONS_ENTRIES] = { { NULL } };

  if (options != NULL)
    prism_cli_options_fill (options, parameters);
  g_option_context_set_summary (context, told->summary);
  g_option_context_set_description (context, told->description);
  if (add_entries (context, entries) | add_entries (context, parameters))
    return prism_error_config (error, "The options are listed.");
  g_set_prgname (program);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  drop_separator (argc, *argv);
  keep (entries);
  keep (parameters);
  return TRUE;
}

/**
 * prism_cli_refuse_rest:
 * @argc: number of arguments after parsing
 * @argv: arguments after parsing
 * @error: return location
 *
 * For commands without arguments.
 *
 * Errors: PRISM_ERROR_CONFIG when there is one.
 *
 * Returns: whether there is none
 */
gboolean
prism_cli_refuse_rest (int argc,
                       char **argv,
                       GError **error)
{
  g_autofree char *shown = argc > 1 ? g_filename_display_name (argv[1]) : NULL;

  if (argc <= 1)
    return TRUE;
  return prism_error_config (error, "“%s” is not expected here: see “%s --help”.", shown,
                             g_get_prgname ());
}

/**
 * prism_cli_parse_all:
 *
 * Parses the options of a command that has nothing else, see prism_cli_parse().
 *
 * Errors: those of prism_cli_parse() and prism_cli_refuse_rest().
 *
 * Returns: whether they are good
 */
gboolean
prism_cli_parse_all (const char *command,
                     const GOptionEntry *entries,
                     PrismCliOptions *options,
                     int argc,
                     char **argv,
                     GError **error)
{
  return prism_cli_parse (command, entries, options, &argc, &argv, error)
         && prism_cli_refuse_rest (argc, argv, error);
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
 * Errors: those of prism_cli_parse(), prism_cli_refuse_rest() and prism_cli_options_load().
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_cli_take_config (int argc,
                       char **argv,
                       const GOptionEntry *entries,
                       GError **error)
{
  PrismCliOptions options = { 0 };

  return prism_cli_parse_all (argv[0], entries, &options, argc, argv, error)
             ? prism_cli_options_load (&options, error)
             : NULL;
}
