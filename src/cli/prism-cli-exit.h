/* prism-cli-exit: the exit status of the commands. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_EXIT_OK = 0,
  PRISM_EXIT_FAILED = 1,                /* a check failed, a run diverged, anything else */
  PRISM_EXIT_USAGE = 2,                 /* command line or configuration */
  PRISM_EXIT_FILE = 3,                  /* cannot be read, written or understood */
  PRISM_EXIT_MEMORY = 4,
  PRISM_EXIT_BACKEND = 5,               /* a device or its library */
  PRISM_EXIT_SLOWER = 6,                /* bench --baseline */
  PRISM_EXIT_HANGUP = 129,              /* SIGHUP; the result is kept */
  PRISM_EXIT_INTERRUPTED = 130,         /* SIGINT; the result is kept */
  PRISM_EXIT_QUIT = 131,                /* SIGQUIT; the result is kept */
  PRISM_EXIT_TERMINATED = 143,          /* SIGTERM; the result is kept */
} PrismExit;

typedef struct
{
  PrismExit code;
  const char *help;
} PrismExitHelp;

/* All of them; ends with one without help. */
extern const PrismExitHelp prism_cli_exits[];

PrismExit prism_cli_exit_from_error (const GError *error);

G_END_DECLS
