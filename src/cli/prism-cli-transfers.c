#include "config.h"

#include "prism-cli-transfers.h"

#include "base/prism-error.h"
#include "base/prism-json.h"
#include "base/prism-system.h"
#include "benchmark/prism-copy-rate.h"
#include "benchmark/prism-series-kind.h"
#include "device/prism-registry.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <stdio.h>

typedef struct
{
  char *device;
  char *reason;  /* why this device */
  GArray *rates; /* PrismCopyRate */
} Transfers;

static void
transfers_clear (Transfers *self)
{
  g_free (self->device);
  g_free (self->reason);
  g_clear_pointer (&self->rates, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Transfers, transfers_clear)

static gboolean
add_size (Transfers *self, const PrismBackendOps *ops, guint n_mib, GError **error)
{
  PrismCopyRate rate;

  g_clear_pointer (&self->device, g_free);
  if (!prism_copy_rate_measure (&rate, ops, n_mib, &self->device, error))
    return FALSE;
  g_array_append_val (self->rates, rate);
  return TRUE;
}

/* A device that copies nothing says why it was chosen, which is what can be changed. */
static gboolean
measure (Transfers *self, const PrismConfig *config, int n_mib, GError **error)
{
  const PrismBackendOps *ops = prism_registry_choose (config->backend, &self->reason, error);
  const int n_sizes = prism_series_get_most (PRISM_SERIES_TRANSFERS, config) + 1;

  if (ops == NULL)
    return FALSE;
  if (ops->time_copies == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                   "The processor works in its own memory: nothing is copied. %s", self->reason);
      return FALSE;
    }
  if (n_mib != PRISM_CLI_TRANSFERS_ALL)
    return add_size (self, ops, (guint) n_mib, error);
  for (int i = 0; i < n_sizes; i++)
    if (!add_size (self, ops, prism_series_get_mib (i), error))
      return FALSE;
  return TRUE;
}

static const PrismCopyRate *
get_rate (const Transfers *self, guint i)
{
  return &g_array_index (self->rates, PrismCopyRate, i);
}

static void
print_json (const Transfers *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  prism_json_add_string (builder, "device", self->device);
  prism_json_add_string (builder, "device_reason", self->reason);
  json_builder_set_member_name (builder, "transfers");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->rates->len; i++)
    {
      json_builder_begin_object (builder);
      prism_copy_rate_add_json (get_rate (self, i), builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  prism_system_add_versions (builder);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

static void
print_text (const Transfers *self)
{
  printf ("PRISM Studio %s on %s\n\n%9s", PRISM_VERSION, self->device, "GB/s");
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    printf ("  %14s", prism_copy_kind_get_label (kind));
  putchar ('\n');
  for (guint i = 0; i < self->rates->len; i++)
    {
      const PrismCopyRate *rate = get_rate (self, i);

      printf ("%5u MiB", (guint) (rate->n_bytes >> 20));
      for (int kind = 0; kind < PRISM_N_COPIES; kind++)
        {
          g_autofree char *number = prism_copy_rate_dup_number (rate->rates[kind]);

          printf ("  %14s", number);
        }
      putchar ('\n');
    }
}

/**
 * prism_cli_transfers_run:
 * @config: whose device is measured
 * @n_mib: size of a copy in MiB; or PRISM_CLI_TRANSFERS_ALL
 * @json: whether the numbers are printed as JSON
 *
 * Times copies to the device and back, with pinned and pageable memory.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_transfers_run (const PrismConfig *config, int n_mib, gboolean json)
{
  g_auto (Transfers) self = { .rates = g_array_new (FALSE, FALSE, sizeof (PrismCopyRate)) };
  g_autoptr (GError) error = NULL;

  if (n_mib != PRISM_CLI_TRANSFERS_ALL && (n_mib < 1 || n_mib > PRISM_COPY_RATE_MOST_MIB))
    g_set_error (&error, PRISM_ERROR, PRISM_ERROR_CONFIG, "--mib is %d, but must be from 1 to %d.",
                 n_mib, PRISM_COPY_RATE_MOST_MIB);
  else
    measure (&self, config, n_mib, &error);
  if (error != NULL)
    return prism_cli_report (error);
  (json ? print_json : print_text) (&self);
  return prism_cli_finish_output ();
}
