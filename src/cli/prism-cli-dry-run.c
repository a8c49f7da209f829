#include "config.h"

#include "prism-cli-dry-run.h"

#include "base/prism-clock.h"
#include "device/prism-device.h"
#include "device/prism-need.h"
#include "forecast/prism-forecast.h"
#include "forecast/prism-trial.h"
#include "model/prism-pattern.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli-watch.h"

#include <math.h>
#include <stdio.h>

/* A run that is only told. */
typedef struct
{
  const PrismConfig *config;
  PrismPattern *pattern;
  PrismBackendSpec spec;
  PrismNeed need;
  const char *device; /* of prism-device-list */
  PrismForecast forecast;
} DryRun;

static void
dry_run_clear (DryRun *self)
{
  g_clear_pointer (&self->pattern, prism_pattern_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DryRun, dry_run_clear)

/* What is not known of this machine yet is timed. */
static gboolean
foretell (DryRun *self,
          gboolean quiet,
          GError **error)
{
  PrismCosts costs;
  g_auto (PrismCliWatch) watch = { 0 };

  prism_cli_watch_init (&watch);
  if (!quiet && !prism_costs_load (&costs, self->config))
    fprintf (stderr, "prism-cli: Timing this machine for runs of this shape, once.\n");
  if (!prism_trial_ensure (&costs, self->config, watch.cancellable, error))
    return FALSE;
  prism_forecast_init (&self->forecast, self->config, self->pattern, &costs);
  return TRUE;
}

/* As the run would choose it, which is what the check goes by then. */
static gboolean
choose_device (DryRun *self,
               gboolean saves,
               GError **error)
{
  g_autofree char *reason = NULL;
  const PrismBackendOps *ops = prism_device_choose (self->config, self->pattern->n_points,
                                                    &self->spec, &reason, error);

  if (ops == NULL || !prism_device_check_config (self->config, error))
    return FALSE;
  self->device = ops->name;
  prism_need_init (&self->need, self->config, &self->spec, ops, saves);
  return TRUE;
}

static gboolean
dry_run_init (DryRun *self,
              gboolean saves,
              gboolean quiet,
              GError **error)
{
  self->pattern = prism_pattern_new (self->config, error);
  return self->pattern != NULL && choose_device (self, saves, error)
         && foretell (self, quiet, error);
}

static void
print_time (const DryRun *self)
{
  const double *seconds = self->forecast.seconds;
  g_autofree char *text = prism_forecast_dup_text (&self->forecast);
  g_autofree char *spared = prism_clock_dup_duration (seconds[PRISM_TRAINING_SPARED]);
  g_autofree char *needed = prism_clock_dup_duration (seconds[PRISM_TRAINING_NEEDED]);
  g_autofree char *longest = prism_clock_dup_duration (self->forecast.longest);

  printf ("# Time       %s\n", text);
  if (isfinite (seconds[PRISM_TRAINING_NEEDED]))
    printf ("#            %s if passes alone explain the measurements, %s if the decoder must be"
            " trained\n",
            spared, needed);
  if (isfinite (self->forecast.longest))
    printf ("#            up to %s with searches of the exit waves\n", longest);
}

/* The sizes are comments: the whole is a configuration again. */
static void
print_text (const DryRun *self)
{
  const PrismConfig *config = self->config;
  g_autofree char *text = prism_config_to_text (config);
  g_autofree char *host = g_format_size_full (self->need.host, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *device = g_format_size_full (self->need.device, G_FORMAT_SIZE_IEC_UNITS);

  printf ("# Nothing has been computed.\n");
  printf ("# Samples    %u frames of %d×%d px\n", self->pattern->n_points, config->image_size,
          config->image_size);
  printf ("# Object     %d×%d px\n", config->object_size, config->object_size);
  if (prism_config_trains (config))
    printf ("# Decoder    %" G_GSIZE_FORMAT " parameters\n", self->spec.decoder.n_parameters);
  printf ("# Device     %s\n", self->device);
  printf ("# Memory     %s", host);
  if (self->need.device > 0)
    printf (", on the GPU %s", device);
  putchar ('\n');
  print_time (self);
  printf ("\n%s", text);
}

static void
print_json (const DryRun *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const PrismForecast *forecast = &self->forecast;

  json_builder_begin_object (builder);
  prism_cli_add_integer (builder, "samples", self->pattern->n_points);
  prism_cli_add_integer (builder, "image_size", self->config->image_size);
  prism_cli_add_integer (builder, "object_size", self->config->object_size);
  prism_cli_add_integer (builder, "parameters",
                         prism_config_trains (self->config)
                             ? (gint64) self->spec.decoder.n_parameters
                             : 0);
  prism_cli_add_string (builder, "device", self->device);
  prism_cli_add_integer (builder, "run_bytes", (gint64) self->need.host);
  prism_cli_add_integer (builder, "device_bytes", (gint64) self->need.device);
  prism_cli_add_number (builder, "seconds_least", forecast->least);
  prism_cli_add_number (builder, "seconds_most", forecast->most);
  prism_cli_add_number (builder, "seconds_as_set", forecast->seconds[PRISM_TRAINING_SET]);
  prism_cli_add_number (builder, "seconds_spared", forecast->seconds[PRISM_TRAINING_SPARED]);
  prism_cli_add_number (builder, "seconds_needed", forecast->seconds[PRISM_TRAINING_NEEDED]);
  prism_cli_add_number (builder, "seconds_longest", forecast->longest);
  prism_cli_add_config (builder, self->config);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_dry_run:
 * @config: a configuration that was checked
 * @saves: whether the run would have a file
 * @json: for programs
 * @quiet: whether to say nothing on the standard error
 *
 * Prints the whole configuration of a run, its sizes, memory and time, and computes nothing of it.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_dry_run (const PrismConfig *config,
                   gboolean saves,
                   gboolean json,
                   gboolean quiet)
{
  g_auto (DryRun) run = { .config = config };
  g_autoptr (GError) error = NULL;

  if (!dry_run_init (&run, saves, quiet || json, &error))
    return prism_cli_engine_get_signal () != 0 ? prism_cli_engine_stopped ("")
                                               : prism_cli_report (error);
  (json ? print_json : print_text) (&run);
  return prism_cli_finish_output ();
}
