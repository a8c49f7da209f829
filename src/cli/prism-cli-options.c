#include "config.h"

#include "prism-cli-options.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "config/prism-scenario.h"
#include "model/prism-config-ask.h"
#include "model/prism-config-check.h"
#include "model/prism-pattern-points.h"
#include "prism-cli-output.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

static void
print_scenarios (void)
{
  prism_cli_print_text (prism_scenario_dup_list ());
  exit (prism_cli_finish_output ());
}

/**
 * prism_cli_options_append:
 * @self: where the options are written to
 * @options: (inout): of PrismCliOption; gets them
 */
void
prism_cli_options_append (PrismCliOptions *self,
                          GArray *options)
{
  const PrismCliOption entries[] = {
    { "config", 'c', PRISM_CLI_INPUT, &self->config,
      "Read the parameters from a .prism file; with --preset, over those of the preset",
      "FILE" },
    { "preset", 'p', PRISM_CLI_TEXT, &self->preset,
      "Start from a preset; 'prism-cli params' lists them", "NAME" },
    { "scenario", 0, PRISM_CLI_TEXT, &self->scenario,
      "Start from a microscope or a camera that flies", "NAME[,QUANTITY=VALUE…]" },
    { "list-scenarios", 0, PRISM_CLI_CALL, (gpointer) print_scenarios,
      "List the scenarios with their numbers" },
    { "set", 's', PRISM_CLI_SETTINGS, &self->settings,
      "Set one parameter; may be given again", "KEY=VALUE" },
  };

  g_array_append_vals (options, entries, G_N_ELEMENTS (entries));
}

#define PATTERN_COMMAND "pattern_command"
#define MAX_BYTES (8 << 20)
#define MAX_SECONDS 60

/* What the program may want to know, beside the environment that there is. */
static GStrv
new_environment (const PrismConfig *config)
{
  static const char *const keys[] = { "image_size", "samples", "roi", "aperture_radius", "seed" };
  GStrv environment = g_get_environ ();

  PRISM_FOR_EACH_OF (key, keys)
    {
      g_autofree char *value = prism_config_dup_text (config, prism_config_get_param (*key));
      g_autofree char *upper = g_ascii_strup (*key, -1);
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
      prism_error_config (error, PATTERN_COMMAND ": “%s” cannot be started: %s.", command,
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
  prism_error_config (error, PATTERN_COMMAND ": “%s” %s. Nothing that it printed is used.", command,
                      wrong);
  return NULL;
}

/* The positions that a program prints; only the command line may name it. */
static gboolean
apply_command (PrismConfig *config,
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

/**
 * prism_cli_options_apply:
 * @self: parsed options
 * @config: what each --set changes in turn
 * @error: return location
 *
 * Changes a configuration and checks that all parameters fit together. What has no effect on
 * recorded frames is refused. “pattern_command” is no parameter but a program whose positions are
 * taken: only who types a command line may have one run.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether they do
 */
gboolean
prism_cli_options_apply (const PrismCliOptions *self,
                         PrismConfig *config,
                         GError **error)
{
  const char *command = NULL;

  PRISM_FOR_EACH_STRING (setting, self->settings)
    {
      if (g_str_has_prefix (*setting, PATTERN_COMMAND "="))
        command = *setting + strlen (PATTERN_COMMAND "=");
      else if (!prism_config_ask_set (config, *setting, error))
        return FALSE;
    }
  /* It is told how large the field is, whatever the order of the settings. */
  if (command != NULL && !apply_command (config, command, error))
    return FALSE;
  return prism_cli_claim (PRISM_CLI_INPUT, "object", config->object, NULL, error)
         && prism_cli_claim (PRISM_CLI_INPUT, "pattern_file", config->pattern_file, NULL, error)
         && prism_cli_claim (PRISM_CLI_INPUT, "start", config->start, NULL, error)
         && prism_config_check (config, error);
}

static gboolean
check_scenario (const PrismCliOptions *self,
                GError **error)
{
  g_autoptr (GString) ids = g_string_new (NULL);
  gsize n;
  const PrismScenario *scenarios = prism_scenario_get_all (&n);
  const gsize length = self->scenario != NULL ? strcspn (self->scenario, ",") : 0;

  if (self->scenario == NULL)
    return TRUE;
  if (self->preset != NULL)
    return prism_error_config (error, "--preset and --scenario both say what a run begins with:"
                                      " leave one.");
  for (gsize i = 0; i < n; i++)
    {
      if (strlen (scenarios[i].id) == length
          && strncmp (scenarios[i].id, self->scenario, length) == 0)
        return TRUE;
      g_string_append_printf (ids, "%s%s", i > 0 ? ", " : "", scenarios[i].id);
    }
  return prism_error_config (error,
                             "There is no scenario “%.*s”: choose one of %s. --list-scenarios has"
                             " their numbers.",
                             (int) length, self->scenario, ids->str);
}

/**
 * prism_cli_options_load_for:
 * @self: parsed options
 * @kind: whose frames it is for
 * @error: return location
 *
 * Makes the configuration that the options ask for: each --set in turn over what preset and file
 * state; then a check that all parameters fit together.
 *
 * Errors: those of prism_config_ask_load(), prism_cli_options_apply().
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_cli_options_load_for (const PrismCliOptions *self,
                            PrismFramesKind kind,
                            GError **error)
{
  g_autoptr (PrismConfig) config = NULL;

  if (check_scenario (self, error))
    config = prism_config_ask_load (self->scenario != NULL ? self->scenario : self->preset,
                                    self->config, kind, error);
  if (config == NULL || !prism_cli_options_apply (self, config, error))
    return NULL;
  return g_steal_pointer (&config);
}
/**
 * prism_cli_options_load:
 * @self: parsed options
 * @error: return location
 *
 * Errors: those of prism_cli_options_load_for().
 *
 * Returns: (transfer full) (nullable): the configuration that the options ask for, for a telescope
 */
PrismConfig *
prism_cli_options_load (const PrismCliOptions *self,
                        GError **error)
{
  return prism_cli_options_load_for (self, PRISM_FRAMES_OF_TELESCOPE, error);
}
