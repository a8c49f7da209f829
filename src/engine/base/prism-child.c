#include "config.h"

#include "base/prism-child.h"

#include <glib/gi18n-lib.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

/**
 * prism_child_end_with_parent:
 * @signal: GINT_TO_POINTER of the signal that ends it
 *
 * A child's set-up (#GSpawnChildSetupFunc): it must not outlive who wants it.
 */
void
prism_child_end_with_parent (gpointer signal)
{
  prctl (PR_SET_PDEATHSIG, GPOINTER_TO_INT (signal));
}

/**
 * prism_child_get_end:
 * @process: one that has ended
 *
 * Returns: how
 */
PrismChildEnd
prism_child_get_end (GSubprocess *process)
{
  const gboolean killed = g_subprocess_get_if_signaled (process);

  return (PrismChildEnd) { killed ? 0 : g_subprocess_get_exit_status (process),
                           killed ? g_subprocess_get_term_sig (process) : 0 };
}

/**
 * prism_child_was_asked:
 *
 * Returns: whether somebody asked for its end, as a terminal asks all programs that it has started
 */
gboolean
prism_child_was_asked (const PrismChildEnd *self)
{
  const int number = self->signal != 0 ? self->signal : self->status - 128;

  return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

/**
 * prism_child_dup_message:
 * @self: the end of a run of prism-cli
 * @errors: (nullable): what it wrote to its standard error stream
 *
 * Returns: (transfer full): the last line of @errors without the program's name, or how it ended
 */
char *
prism_child_dup_message (const PrismChildEnd *self,
                         const char *errors)
{
  g_autofree char *text = g_strchomp (g_strdup (errors != NULL ? errors : ""));
  const char *line = strrchr (text, '\n');

  line = line != NULL ? line + 1 : text;
  if (*line != '\0')
    return g_strdup (g_str_has_prefix (line, "prism-cli: ") ? line + strlen ("prism-cli: ") : line);
  if (self->signal != 0)
    return g_strdup_printf (_ ("The run was ended by signal %d."), self->signal);
  return g_strdup_printf (_ ("The run ended with exit status %d and no message."), self->status);
}
