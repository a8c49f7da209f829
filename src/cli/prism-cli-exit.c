#include "config.h"

#include "prism-cli-exit.h"

#include "base/prism-error.h"

#include <gio/gio.h>

const PrismExitHelp prism_cli_exits[] = {
  { PRISM_EXIT_OK, "Success." },
  { PRISM_EXIT_FAILED, "A run diverged, or anything else went wrong." },
  { PRISM_EXIT_USAGE, "The command line or the configuration is wrong." },
  { PRISM_EXIT_FILE, "A file or directory cannot be read, written or understood." },
  { PRISM_EXIT_MEMORY, "There is not enough memory; the message says how much is needed." },
  { PRISM_EXIT_BACKEND, "A device or its library cannot be used." },
  { PRISM_EXIT_SLOWER, "bench --baseline: something became slower by more than the spread." },
  { PRISM_EXIT_HANGUP, "The terminal was closed (SIGHUP); the result so far is written." },
  { PRISM_EXIT_INTERRUPTED, "SIGINT (Ctrl+C) stopped the run; the result so far is written." },
  { PRISM_EXIT_QUIT, "SIGQUIT (Ctrl+\\) stopped the run; the result so far is written." },
  { PRISM_EXIT_TERMINATED, "SIGTERM stopped the run; the result so far is written." },
  { 0 },
};

/**
 * prism_cli_exit_from_error:
 * @error: (nullable): an error
 *
 * The exit code for an error.
 *
 * Returns: PRISM_EXIT_OK for no error
 */
PrismExit
prism_cli_exit_from_error (const GError *error)
{
  if (error == NULL)
    return PRISM_EXIT_OK;
  if (error->domain == G_OPTION_ERROR)
    return PRISM_EXIT_USAGE;
  if (error->domain == G_FILE_ERROR || error->domain == G_IO_ERROR)
    return PRISM_EXIT_FILE;
  if (error->domain != PRISM_ERROR)
    return PRISM_EXIT_FAILED;
  switch (error->code)
    {
    case PRISM_ERROR_CONFIG:
      return PRISM_EXIT_USAGE;
    case PRISM_ERROR_FORMAT:
    case PRISM_ERROR_IO:
      return PRISM_EXIT_FILE;
    case PRISM_ERROR_MEMORY:
      return PRISM_EXIT_MEMORY;
    case PRISM_ERROR_BACKEND:
      return PRISM_EXIT_BACKEND;
    default:
      return PRISM_EXIT_FAILED;
    }
}
