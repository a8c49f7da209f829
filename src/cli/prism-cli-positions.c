#include "config.h"

#include "prism-cli-positions.h"

#include "base/prism-error.h"
#include "base/prism-system.h"
#include "model/prism-pattern-points.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES (8 << 20)
#define MAX_SECONDS 60

/* What the program may want to know, beside the environment that there is. */
static GStrv
new_environment (const PrismConfig *config)
{
  static const char *const keys[] = { "image_size", "samples", "roi", "aperture_radius", "seed" };
  GStrv environment = g_get_environ ();

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autofree char *value = prism_config_dup_text (config, prism_config_get_param (keys[i]));
      g_autofree char *upper = g_ascii_strup (keys[i], -1);
      g_autofree char *name = g_strconcat ("PRISM_", upper, NULL);

      environment = g_environ_setenv (environment, name, value, TRUE);
    }
  return environment;
}

/* Reads to the end; what is wrong where there is too much of it or it takes too long. */
static const char *
read_output (int fd,
             GString *output)
{
  const gint64 end = g_get_monotonic_time () + MAX_SECONDS * G_USEC_PER_SEC;

  while (TRUE)
    {
      gint64 left = (end - g_get_monotonic_time ()) / 1000;
      struct pollfd ready = { .fd = fd, .events = POLLIN };
      char buffer[65536];
      gssize n;

      if (left <= 0)
        return "took more than 60 s";
      n = poll (&ready, 1, (int) left);
      if (n > 0)
        n = read (fd, buffer, sizeof buffer);
      else if (n == 0)
        continue;
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return "cannot be read from";
      if (n == 0)
        return NULL;
      if (output->len + (gsize) n > MAX_BYTES)
        return "printed more than 8 MiB";
      g_string_append_len (output, buffer, n);
    }
}

static gboolean
refuse (const char *command,
        const char *reason,
        GError **error)
{
  return prism_error_config (error, PRISM_CLI_PATTERN_COMMAND ": “%s” %s. Nothing that it printed"
                                                              " is used.",
                             command, reason);
}

/* (nullable): what the program prints; its errors are seen as they come */
static GString *
run (const PrismConfig *config,
     const char *command,
     GError **error)
{
  g_auto (GStrv) words = NULL, environment = new_environment (config);
  g_autoptr (GString) output = g_string_new (NULL);
  g_autoptr (GError) reason = NULL;
  const char *wrong;
  GPid pid;
  int fd, status;

  if (!g_shell_parse_argv (command, NULL, &words, &reason)
      || !g_spawn_async_with_pipes (NULL, words, environment,
                                    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD,
                                    prism_child_end_with_parent, GINT_TO_POINTER (SIGKILL), &pid,
                                    NULL, &fd, NULL, &reason))
    {
      prism_error_config (error, PRISM_CLI_PATTERN_COMMAND ": “%s” cannot be started: %s.", command,
                          reason->message);
      return NULL;
    }
  wrong = read_output (fd, output);
  close (fd);
  if (wrong != NULL)
    kill (pid, SIGKILL);
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (wrong == NULL && !g_spawn_check_wait_status (status, &reason))
    wrong = "failed";
  if (wrong == NULL)
    return g_steal_pointer (&output);
  refuse (command, wrong, error);
  return NULL;
}

/**
 * prism_cli_positions_apply:
 * @config: its pattern becomes “hand”, with the positions that the program prints
 * @command: as in a shell, without what a shell does: "python3 spiral.py"
 *
 * Runs a program, for up to a minute, and takes the positions that it prints as CSV. They stand in
 * the configuration from then on, so that whoever gets it runs nothing.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_FORMAT with the line.
 *
 * Returns: whether there are positions
 */
gboolean
prism_cli_positions_apply (PrismConfig *config,
                           const char *command,
                           GError **error)
{
  g_autoptr (GString) output = run (config, command, error);
  g_autofree PrismPoint *points = NULL;
  g_autofree char *name = g_strdup_printf ("what “%s” printed", command);
  g_autofree char *text = NULL;
  guint n_points;

  if (output == NULL)
    return FALSE;
  points = prism_pattern_points_read (output->str, output->len, name, config->image_size, &n_points,
                                      error);
  if (points == NULL)
    return FALSE;
  text = prism_pattern_points_to_text (points, n_points);
  return prism_config_set_text (config, "pattern", "hand", error)
         && prism_config_set_text (config, "pattern_points", text, error);
}
