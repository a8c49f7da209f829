#include "config.h"

#include "device/prism-tune.h"

#include "base/prism-error.h"
#include "base/prism-pool.h"
#include "base/prism-system.h"
#include "cpu/prism-cpu-tuner.h"
#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "model/prism-pattern.h"

#include <signal.h>
#include <sys/statvfs.h>

#define LEAST_SPACE 16384 /* bytes: a small file, and the folder that it is in */

#define SECONDS "--seconds=2"

static gboolean
refuse (const char *why,
        GError **error)
{
  return prism_error_config (error, _ ("There is nothing to tune: %s"), why);
}

/**
 * prism_tune_check:
 * @config: of a run
 * @error: return location
 *
 * Only what is left to the program is chosen by it.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether there is something to find out
 */
gboolean
prism_tune_check (const PrismConfig *config,
                  GError **error)
{
  if (!prism_config_trains (config))
    return refuse (_ ("this method trains no decoder."), error);
  if (prism_registry_is_gpu (config->backend))
    return refuse (_ ("the run is on a GPU. Set backend=cpu."), error);
  if (!config->tuning)
    return refuse (_ ("tuning is off."), error);
  if (config->threads > 0)
    return refuse (_ ("threads is set. Set threads=0, which leaves them to the program."), error);
  if (prism_pool_count_threads (0) < 2)
    return refuse (_ ("this machine has one processor."), error);
  return TRUE;
}

static GPtrArray *
make_arguments (const PrismConfig *config,
                const char *program)
{
  GPtrArray *arguments = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (arguments, g_strdup (program));
  g_ptr_array_add (arguments, g_strdup ("bench"));
  g_ptr_array_add (arguments, g_strdup ("--json"));
  g_ptr_array_add (arguments, g_strdup (SECONDS));
  g_ptr_array_add (arguments, g_strdup_printf ("--discs=%d",
                                               MIN (config->replay, config->samples - 1)));
  prism_config_add_settings (config, arguments);
  g_ptr_array_add (arguments, NULL);
  return arguments;
}

/* Steps of a run, in a process of their own, whose device keeps what it finds out when it is
 * closed. */
static gboolean
take_steps (const PrismConfig *config,
            const char *program,
            GError **error)
{
  g_autoptr (GPtrArray) arguments = make_arguments (config, program);
  g_autofree char *errors = NULL, *output = NULL;
  int status = 0;

  if (!g_spawn_sync (NULL, (char **) arguments->pdata, NULL, G_SPAWN_DEFAULT,
                     prism_child_end_with_parent, GINT_TO_POINTER (SIGTERM), &output, &errors,
                     &status, error))
    return FALSE;
  if (g_spawn_check_wait_status (status, NULL))
    return TRUE;
  return prism_error_set (error, PRISM_ERROR_BACKEND, _ ("The steps could not be taken: %s"),
                          errors != NULL ? g_strchomp (errors) : "");
}

/* Of the folder, or of the one that it would be made in. What can never be written has no room
 * either, and is not full. */
static gboolean
is_full (const char *folder)
{
  g_autofree char *path = g_strdup (folder);
  struct statvfs space;

  while (statvfs (path, &space) != 0)
    {
      char *parent = g_path_get_dirname (path);

      if (g_str_equal (parent, path))
        {
          g_free (parent);
          return FALSE;
        }
      g_free (path);
      path = parent;
    }
  return space.f_blocks > 0 && (space.f_flag & ST_RDONLY) == 0
         && space.f_bavail * space.f_frsize < LEAST_SPACE;
}

/**
 * prism_tune_find:
 * @config: of a run that prism_tune_check() finds good
 * @program: path of prism-cli, which takes the steps
 * @again: whether to forget what is known of runs of this shape
 * @error: return location
 *
 * Takes about two seconds where it has to find something out.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_BACKEND; PRISM_ERROR_IO where the user's cache cannot be
 * written.
 *
 * Returns: (transfer full) (nullable): a heading, and a line for each kind of step
 */
char *
prism_tune_find (const PrismConfig *config,
                 const char *program,
                 gboolean again,
                 GError **error)
{
  const guint n_threads = prism_pool_count_threads (0);
  g_autoptr (PrismPattern) pattern = prism_pattern_new (config, error);
  PrismBackendSpec spec;
  PrismCpuTuned tuned;
  const char *folder;

  if (pattern == NULL || !prism_task_init_spec (config, pattern->n_points, &spec, error))
    return NULL;
  if (again)
    prism_cpu_tuned_forget (&spec, n_threads);
  if (!prism_cpu_tuned_load (&tuned, &spec, n_threads) && !take_steps (config, program, error))
    return NULL;
  if (prism_cpu_tuned_load (&tuned, &spec, n_threads))
    {
      static const char *const names[PRISM_CPU_TUNER_CLASSES]
          = { N_ ("start image"), N_ ("1 term"), N_ ("2 terms"), N_ ("4 terms"),
              N_ ("8 terms"), N_ ("16 terms"), N_ ("32 terms") };
      GString *text = g_string_new (_ ("Steps of a run like this one are quickest with\n"));

      for (guint i = 0; i < PRISM_CPU_TUNER_CLASSES; i++)
        if (tuned.threads[i] > 0)
          /* TRANSLATORS: “  4 terms: 1 of 2 threads” */
          g_string_append_printf (text, _ ("  %s: %u of %u threads\n"), _ (names[i]),
                                  tuned.threads[i], n_threads);
      return g_string_free (text, FALSE);
    }
  folder = g_get_user_cache_dir ();
  prism_error_io (error,
                  is_full (folder)
                      ? _ ("What was found out could not be kept below “%s”: the disk is full, free"
                           " some space.")
                      : _ ("What was found out could not be kept below “%s”: make it writable."),
                  folder);
  return NULL;
}
