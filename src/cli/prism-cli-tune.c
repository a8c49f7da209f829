#include "config.h"

#include "base/prism-error.h"
#include "base/prism-pool.h"
#include "cpu/prism-cpu-tuned.h"
#include "device/prism-registry.h"
#include "device/prism-task.h"
#include "model/prism-config-check.h"
#include "model/prism-pattern.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <stdio.h>
#include <string.h>

#define SECONDS "--seconds=2"

static gboolean
refuse (const char *why, GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG, "There is nothing to tune: %s", why);
  return FALSE;
}

/* Only what is left to the program is chosen by it. */
static gboolean
check_choice (const PrismConfig *config, GError **error)
{
  const PrismBackendOps *ops = prism_registry_guess (config->backend);

  if (!prism_config_trains (config))
    return refuse ("this method trains no decoder.", error);
  if (ops != NULL && prism_backend_can_be_lost (ops))
    return refuse ("the run is on a graphics processor. Set backend=cpu.", error);
  if (!config->tuning)
    return refuse ("tuning is off.", error);
  if (config->threads > 0)
    return refuse ("threads is set. Set threads=0, which leaves them to the program.", error);
  if (prism_pool_count_threads (0) < 2)
    return refuse ("this machine has one processor.", error);
  return TRUE;
}

static GPtrArray *
make_arguments (const PrismConfig *config)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (arguments, g_strdup (program != NULL ? program : "prism-cli"));
  g_ptr_array_add (arguments, g_strdup ("bench"));
  g_ptr_array_add (arguments, g_strdup ("--json"));
  g_ptr_array_add (arguments, g_strdup (SECONDS));
  g_ptr_array_add (arguments, g_strdup_printf ("--discs=%d",
                                               MIN (config->replay, config->samples - 1)));
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *value = prism_config_dup_text (config, param);
      g_autofree char *usual = prism_config_dup_text (defaults, param);

      if (strcmp (value, usual) != 0)
        g_ptr_array_add (arguments, g_strdup_printf ("--set=%s=%s", param->key, value));
    }
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

/* Steps of a run, in a process of their own, whose device keeps what it finds out when it is
 * closed. */
static gboolean
take_steps (const PrismConfig *config, GError **error)
{
  g_autoptr (GPtrArray) arguments = make_arguments (config);
  g_autofree char *errors = NULL, *output = NULL;
  int status = 0;

  if (!g_spawn_sync (NULL, (char **) arguments->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output,
                     &errors, &status, error))
    return FALSE;
  if (g_spawn_check_wait_status (status, NULL))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND, "The steps could not be taken: %s",
               errors != NULL ? g_strchomp (errors) : "");
  return FALSE;
}

static void
print_tuned (const PrismCpuTuned *tuned, guint n_threads)
{
  static const char *const names[PRISM_CPU_TUNER_CLASSES]
      = { "start", "1 term", "2 terms", "4 terms", "8 terms", "16 terms", "32 terms" };

  for (guint i = 0; i < PRISM_CPU_TUNER_CLASSES; i++)
    if (tuned->threads[i] > 0)
      printf ("%-10s %u of %u threads\n", names[i], tuned->threads[i], n_threads);
}

static gboolean
tune (const PrismConfig *config, gboolean again, GError **error)
{
  const guint n_threads = prism_pool_count_threads (0);
  g_autoptr (PrismPattern) pattern = prism_pattern_new (config, error);
  PrismBackendSpec spec;
  PrismCpuTuned tuned;

  if (pattern == NULL || !prism_task_init_spec (config, pattern->n_points, &spec, error))
    return FALSE;
  if (again)
    prism_cpu_tuned_forget (&spec, n_threads);
  if (!prism_cpu_tuned_load (&tuned, &spec, n_threads) && !take_steps (config, error))
    return FALSE;
  if (!prism_cpu_tuned_load (&tuned, &spec, n_threads))
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
                   "What was found out could not be kept below “%s”: make it writable.",
                   g_get_user_cache_dir ());
      return FALSE;
    }
  print_tuned (&tuned, n_threads);
  return TRUE;
}

/**
 * prism_cli_tune:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli tune: shows with how many threads the steps of a run are quickest here, and finds it
 * out where it is not known.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_tune (int argc, char **argv)
{
  g_auto (PrismCliOptions) options = { 0 };
  gboolean again = FALSE;
  const GOptionEntry entries[] = {
    { "again", 0, 0, G_OPTION_ARG_NONE, &again, "Forget what is known of this shape of run", NULL },
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  if (!prism_cli_parse ("tune", entries, &options, &argc, &argv, &error)
      || !prism_cli_refuse_rest (argc, argv, &error))
    return prism_cli_report (error);
  config = prism_cli_options_load (&options, &error);
  if (config == NULL || !prism_config_check (config, &error) || !check_choice (config, &error)
      || !tune (config, again, &error))
    return prism_cli_report (error);
  return prism_cli_finish_output ();
}
