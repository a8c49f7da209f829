#include "config.h"

#include "prism-cli-run-file.h"

#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "run/prism-run-result.h"

/**
 * prism_cli_run_file_clear:
 * @self: options
 *
 * Frees what they hold.
 */
void
prism_cli_run_file_clear (PrismCliRunFile *self)
{
  g_clear_pointer (&self->run, prism_run_free);
  g_clear_pointer (&self->scene, prism_scene_unref);
}

/**
 * prism_cli_run_file_read:
 * @path: what a user names as the file of a run
 * @error: return location
 *
 * Reads it; of the folder of a result it says what that is.
 *
 * Errors: those of prism_run_file_load(); PRISM_ERROR_CONFIG where it is such a folder.
 *
 * Returns: (transfer full) (nullable): the run
 */
PrismRun *
prism_cli_run_file_read (const char *path,
                         GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR) || !prism_exchange_has_result (path))
    return prism_run_file_load (path, error);
  prism_error_config (error,
                      "“%s” is the folder of a result, which “prism-cli compare” and “prism-cli"
                      " report” read: to go on with its run, or to look into it, name the .prismrun"
                      " file that --save has written.",
                      path);
  return NULL;
}

static PrismConfig *
load_resumed (PrismCliRunFile *self,
              const PrismCliOptions *options,
              GError **error)
{
  g_autoptr (PrismConfig) config = NULL;

  if (options->config != NULL || options->preset != NULL || options->scenario != NULL)
    {
      prism_error_config (
          error, "--resume brings its own configuration: change single settings with --set.");
      return NULL;
    }
  self->run = prism_cli_run_file_read (self->resume, error);
  if (self->run == NULL)
    return NULL;
  config = prism_config_dup (self->run->snapshot->config);
  if (!prism_cli_options_apply (options, config, error))
    return NULL;
  self->forks = self->save != NULL;
  /* Where it goes on makes no other run of it. */
  PRISM_FOR_EACH_PARAM (param)
    if (prism_param_is_place (param))
      prism_config_copy (self->run->snapshot->config, config, param);
  if (prism_config_equal (config, self->run->snapshot->config))
    return g_steal_pointer (&config);
  if (self->run->snapshot->state == PRISM_STATE_FINISHED
      && !(config->kind == PRISM_FRAMES_RECORDED && config->tile <= 0
           && config->passes > self->run->snapshot->config->passes))
    {
      prism_error_config (
          error,
          "“%s” is finished, and other settings change nothing of it any more: begin a run"
          " with them, without --resume.",
          self->resume);
      return NULL;
    }
  if (self->save == NULL)
    {
      prism_error_config (
          error, "With other settings “%s” becomes another run: name its file with --save.",
          self->resume);
      return NULL;
    }
  return g_steal_pointer (&config);
}

/**
 * prism_cli_run_file_load:
 * @self: parsed options
 * @options: parsed options for parameters
 * @error: return location
 *
 * Makes the configuration that the options ask for: that of the run which is resumed, where there
 * is one, with each --set in turn.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_cli_run_file_load (PrismCliRunFile *self,
                         const PrismCliOptions *options,
                         GError **error)
{
  return self->resume != NULL ? load_resumed (self, options, error)
                              : prism_cli_options_load (options, error);
}

/* Of recorded frames. */
typedef struct
{
  PrismEngine *engine;
  PrismSnapshot *last; /* (nullable) */
  gboolean brief;
} Export;

static gboolean
write_into (gpointer data,
            const char *directory,
            GError **error)
{
  Export *self = data;
  PrismSnapshot *written = prism_engine_write (self->engine, directory, self->brief,
                                               prism_snapshot_ref (self->last), error);

  if (written == NULL)
    return FALSE;
  prism_snapshot_unref (self->last);
  self->last = written;
  return TRUE;
}

/* What a field in tiles has that was stopped is written at once: to go on from, not to be shown. */
static PrismSnapshot *
write_result (const PrismCliRunFile *self,
              PrismEngine *engine,
              PrismSnapshot *last,
              GError **error)
{
  Export result = { engine, last, self->brief };

  if (last == NULL)
    return NULL;
  result.brief |= prism_snapshot_get_stopped (last) > 0;
  if (!prism_cli_write_result (self->output, write_into, &result, error))
    g_clear_pointer (&result.last, prism_snapshot_unref);
  return result.last;
}

/**
 * prism_cli_run_file_run:
 * @self: options, loaded
 * @config: of prism_cli_run_file_load()
 * @quiet: whether to show nothing
 * @error: return location
 *
 * Begins a run or takes one up, and waits for its end.
 *
 * Errors: those of prism_engine_configure() and prism_engine_resume().
 *
 * Returns: (transfer full) (nullable): the last snapshot; it may have failed
 */
PrismSnapshot *
prism_cli_run_file_run (PrismCliRunFile *self,
                        const PrismConfig *config,
                        gboolean quiet,
                        GError **error)
{
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, error);
  PrismSnapshot *last;

  if (engine == NULL)
    return NULL;
  if (self->save != NULL)
    prism_engine_set_run_file (engine, self->save);
  if (self->run == NULL)
    {
      last = prism_cli_engine_run (engine, config, self->scene, quiet, error);
      return write_result (self, engine, last, error);
    }
  if (self->run->notice != NULL)
    prism_cli_warn ("%s", self->run->notice);
  if (!prism_engine_resume (engine, g_steal_pointer (&self->run), self->resume,
                            self->forks ? config : NULL, error))
    return NULL;
  last = prism_cli_engine_go_on (engine, quiet);
  return write_result (self, engine, last, error);
}

/**
 * prism_cli_results_load:
 * @path: a file of a run, or a folder of a result
 * @parts: what of it will be looked at
 * @error: return location
 *
 * Reads what a run came to, and calls it as the file is called. Complex objects keep their images,
 * to be compared.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the result
 */
PrismResult *
prism_cli_results_load (const char *path,
                        PrismSnapshotParts parts,
                        GError **error)
{
  g_autoptr (PrismSnapshot) snapshot = prism_run_result_load (path, error);
  g_autofree char *name = prism_run_result_dup_name (path);

  if (snapshot == NULL)
    return NULL;
  if (snapshot->phase_image != NULL)
    parts |= PRISM_SNAPSHOT_IMAGES;
  return prism_result_new_parts (name, snapshot, parts);
}
