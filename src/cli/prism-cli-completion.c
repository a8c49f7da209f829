#include "config.h"

#include "prism-cli-completion.h"

#include "base/prism-error.h"
#include "prism-cli-completion-private.h"

#include <string.h>

static const struct
{
  const char *name;
  const char *head;
  void (*append) (GString *text);
} shells[] = {
  { "bash", "", prism_cli_completion_append_bash },
  { "zsh", "#compdef prism-cli\n", prism_cli_completion_append_zsh },
  { "fish", "", prism_cli_completion_append_fish },
};

/**
 * prism_cli_completion_dup:
 * @shell: “bash”, “zsh” or “fish”
 * @error: return location
 *
 * Writes what the shell needs to complete commands, the options of each, and what stands behind
 * these.
 *
 * Errors: PRISM_ERROR_CONFIG for another shell.
 *
 * Returns: (transfer full) (nullable): a script
 */
char *
prism_cli_completion_dup (const char *shell,
                          GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (shells); i++)
    if (strcmp (shells[i].name, shell) == 0)
      {
        GString *text = g_string_new (shells[i].head);

        g_string_append_printf (text, "# Made by “prism-cli params --completion %s”.\n", shell);
        shells[i].append (text);
        return g_string_free (text, FALSE);
      }
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "There is no completion for “%s”: choose bash, zsh or fish.", shell);
  return NULL;
}
