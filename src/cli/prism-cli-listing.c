#include "config.h"

#include "prism-cli-listing.h"

/* A command has its options on its own stack, beside what they are written to. So it is called, and
 * where it would parse its arguments it says what it would parse, and ends. */

static PrismCliRunner runner;
static GPtrArray *listing; /* (nullable) of PrismCliOption: what is being listed */

static void
option_free (gpointer data)
{
  PrismCliOption *option = data;

  g_free (option->name);
  g_free (option->argument);
  g_free (option->help);
  g_free (option);
}

/**
 * prism_cli_listing_set_runner:
 * @run: runs a command; its name is the first argument
 *
 * Says how commands are called.
 */
void
prism_cli_listing_set_runner (PrismCliRunner run)
{
  runner = run;
}

/**
 * prism_cli_listing_dup:
 * @command: its name
 *
 * Asks a command for its options; it does nothing else.
 *
 * Returns: (transfer full) (element-type PrismCliOption): those of its help, in that order
 */
GPtrArray *
prism_cli_listing_dup (const char *command)
{
  char *argv[] = { (char *) command, NULL };

  g_return_val_if_fail (runner != NULL && listing == NULL, NULL);

  listing = g_ptr_array_new_with_free_func (option_free);
  runner (1, argv);
  return g_steal_pointer (&listing);
}

/**
 * prism_cli_listing_is_on:
 *
 * Returns: whether a command is called for its options alone
 */
gboolean
prism_cli_listing_is_on (void)
{
  return listing != NULL;
}

static gboolean
is_repeated (const GOptionEntry *entry)
{
  return entry->arg == G_OPTION_ARG_STRING_ARRAY || entry->arg == G_OPTION_ARG_FILENAME_ARRAY;
}

/**
 * prism_cli_listing_add:
 * @entries: (nullable): options of the command that is called; ends with a NULL name
 *
 * Notes options.
 */
void
prism_cli_listing_add (const GOptionEntry *entries)
{
  for (const GOptionEntry *entry = entries; entry != NULL && entry->long_name != NULL; entry++)
    {
      PrismCliOption *option = g_new0 (PrismCliOption, 1);

      option->name = g_strdup (entry->long_name);
      option->short_name = entry->short_name;
      option->argument = entry->arg != G_OPTION_ARG_NONE ? g_strdup (entry->arg_description) : NULL;
      option->help = g_strdup (entry->description);
      option->repeated = is_repeated (entry);
      g_ptr_array_add (listing, option);
    }
}
