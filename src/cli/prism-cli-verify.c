#include "config.h"

#include "base/prism-error.h"
#include "device/prism-tune.h"
#include "model/prism-config-check.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "prism-golden.h"

#include <stdio.h>

typedef struct
{
  int choice; /* number in prism-device-list */
  int n_threads;
  JsonBuilder *builder; /* (nullable): print for people */
  guint counts[2];      /* by PrismCheckStatus, all files */
} Verification;

static gboolean
check_all (PrismGolden *golden,
           GError **error)
{
  return prism_golden_check_optics (golden, error)
         && prism_golden_check_decoder (golden, error)
         && prism_golden_check_training (golden, error)
         && prism_golden_check_epie (golden, error)
         && prism_golden_check_metrics (golden, error)
         && prism_golden_check_rest (golden, error);
}

static void
show_file (Verification *self,
           PrismGolden *golden)
{
  g_autofree char *device = golden->backend->ops->dup_device_name (golden->backend);

  if (self->builder == NULL)
    {
      prism_cli_say ("%s on %s", golden->name, device);
      prism_check_list_print (golden->checks);
      return;
    }
  prism_json_add (self->builder, "{file: %s, device: %s", golden->name, device);
  prism_check_list_add_json (golden->checks, self->builder);
  prism_json_add (self->builder, "}");
}

static gboolean
verify_file (Verification *self,
             const char *path,
             GError **error)
{
  g_autoptr (PrismGolden) golden = prism_golden_new (path, self->choice, self->n_threads, error);

  if (golden == NULL || !check_all (golden, error))
    return FALSE;
  for (guint status = 0; status < G_N_ELEMENTS (self->counts); status++)
    self->counts[status] += prism_check_list_count (golden->checks, status);
  show_file (self, golden);
  return TRUE;
}

static void
show_totals (Verification *self)
{
  const guint *counts = self->counts;

  if (self->builder == NULL)
    {
      printf ("%u ok, %u failed\n", counts[PRISM_CHECK_OK], counts[PRISM_CHECK_FAILED]);
      return;
    }
  prism_json_add (self->builder, "], ok: %u, failed: %u}", counts[PRISM_CHECK_OK],
                  counts[PRISM_CHECK_FAILED]);
  prism_cli_print_json (self->builder);
}

static gboolean
verify_files (Verification *self,
              char **paths,
              GError **error)
{
  if (self->builder != NULL)
    {
      prism_json_add (self->builder, "{files: [");
    }
  for (; *paths != NULL; paths++)
    {
      if (!verify_file (self, *paths, error))
        return FALSE;
    }
  show_totals (self);
  return TRUE;
}

static gboolean
read_options (Verification *self,
              const char *backend,
              int n_threads,
              GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  if (backend != NULL && !prism_config_set_text (config, "backend", backend, error))
    return FALSE;
  if (!prism_config_set_number (config, prism_config_get_param ("threads"), n_threads, error))
    return FALSE;
  self->choice = config->backend;
  self->n_threads = config->threads;
  return TRUE;
}

/**
 * prism_cli_verify:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli verify: compares the device's numerics with golden files.
 *
 * Returns: the exit code, PRISM_EXIT_FAILED when a check failed
 */
PrismExit
prism_cli_verify (int argc,
                  char **argv,
                  GError **error)
{
  char *backend = NULL;
  gboolean json = FALSE;
  int n_threads = 0;
  const PrismCliOption entries[] = {
    { "backend", 0, PRISM_CLI_TEXT, &backend, "Device, as in --set backend=NAME", "NAME" },
    { "threads", 0, PRISM_CLI_INTEGER, &n_threads, "Worker threads on the processor", "N", 0,
      prism_config_get_param ("threads")->maximum },
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (JsonBuilder) builder = NULL;
  Verification verification = { 0 };

  if (!prism_cli_parse ("verify", entries, NULL, &argc, &argv, error)
      || !read_options (&verification, backend, n_threads, error))
    return PRISM_EXIT_FAILED;

  builder = json ? json_builder_new () : NULL;
  verification.builder = builder;
  if (!verify_files (&verification, argv + 1, error))
    return PRISM_EXIT_FAILED;
  return verification.counts[PRISM_CHECK_FAILED] > 0 ? PRISM_EXIT_FAILED : PRISM_EXIT_OK;
}

static gboolean
tune (const PrismConfig *config, gboolean again, GError **error)
{
  g_autofree char *program = prism_cli_dup_program ();
  g_autofree char *text
      = prism_tune_find (config, program, again, error);

  if (text != NULL)
    fputs (text, stdout);
  return text != NULL;
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
prism_cli_tune (int argc, char **argv, GError **error)
{
  PrismCliOptions options = { 0 };
  gboolean again = FALSE;
  const PrismCliOption entries[] = {
    { "again", 0, PRISM_CLI_SWITCH, &again, "Forget what is known of this shape of run" },
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;

  if (!prism_cli_parse ("tune", entries, &options, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  config = prism_cli_options_load (&options, error);
  if (config == NULL || !prism_config_check (config, error) || !prism_tune_check (config, error)
      || !tune (config, again, error))
    return PRISM_EXIT_FAILED;
  return PRISM_EXIT_OK;
}
