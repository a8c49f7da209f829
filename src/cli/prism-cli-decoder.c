#include "config.h"

#include "backend/prism-backend.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-need.h"
#include "device/prism-registry.h"
#include "model/prism-decoder.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A decoder that nobody has run yet. */
typedef struct
{
  PrismDecoderRow rows[PRISM_DECODER_TABLE_MAX_ROWS];
  guint n_rows;
  PrismDecoderRow sum;
  const char *device;   /* of prism-device-list */
  char *unsupported;    /* (nullable) why the device does not take it */
  PrismNeed need;       /* of the whole run on the device that it would take */
  PrismNeed saved_need; /* with a run file */
} Decoder;

static void
decoder_clear (Decoder *self)
{
  g_free (self->unsupported);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Decoder, decoder_clear)

static gboolean
decoder_init (Decoder *self,
              const PrismConfig *config,
              GError **error)
{
  g_autofree char *reason = NULL;
  const PrismBackendOps *ops = prism_registry_choose (config->backend, &reason, error);
  PrismBackendSpec spec;

  if (ops == NULL || !prism_task_init_spec (config, config->samples, &spec, error))
    return FALSE;
  self->unsupported = ops->dup_unsupported_reason (&spec);
  if (self->unsupported != NULL)
    ops = &prism_cpu_backend_ops;
  self->device = ops->name;
  prism_need_init (&self->need, config, &spec, ops, FALSE);
  prism_need_init (&self->saved_need, config, &spec, ops, TRUE);
  self->n_rows = prism_decoder_table_get_rows (&spec.decoder, self->rows);
  prism_decoder_table_get_sum (self->rows, self->n_rows, &self->sum);
  return TRUE;
}

static void
print_row (const PrismDecoderRow *row,
           guint index)
{
  g_autofree char *name = g_strdup_printf ("%u", index);
  g_autofree char *channels = g_strdup_printf ("%d → %d", row->in_channels, row->out_channels);
  g_autofree char *map = g_strdup_printf ("%d×%d", row->size, row->size);
  g_autofree char *kernel = g_strdup_printf ("%d×%d", row->kernel, row->kernel);
  g_autofree char *size = g_format_size_full (row->n_bytes, G_FORMAT_SIZE_IEC_UNITS);
  /* printf() counts bytes, and an arrow has three. */
  int padding = 13 + (int) (strlen (channels) - g_utf8_strlen (channels, -1));

  printf ("%-5s  %-8s  %-*s  %-11s  %-*s  %-5s  %-11s", index == 0 ? "" : name, row->kind,
          row->in_channels > 0 ? padding : 13, row->in_channels > 0 ? channels : "", map,
          row->kernel > 0 ? 7 : 6, row->kernel > 0 ? kernel : "", row->norm ? "batch" : "",
          row->activation);
  printf ("  %12" PRIu64 "  %14" PRIu64 "  %10s\n", row->n_parameters, row->n_products, size);
}

static void
print_table (const Decoder *self)
{
  g_autofree char *size = g_format_size_full (self->sum.n_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *all = g_format_size_full (self->need.host, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *saved = g_format_size_full (self->saved_need.host, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *device = g_format_size_full (self->need.device, G_FORMAT_SIZE_IEC_UNITS);

  printf ("%-5s  %-8s  %-13s  %-10s  %-6s  %-5s  %-11s  %12s  %14s  %10s\n", "layer", "kind",
          "channels", "map", "kernel", "norm", "activation", "parameters", "multiply-adds",
          "memory");
  for (guint i = 0; i < self->n_rows; i++)
    print_row (&self->rows[i], i);
  printf ("%-64s  %12" PRIu64 "  %14" PRIu64 "  %10s\n", "all", self->sum.n_parameters,
          self->sum.n_products, size);
  printf ("\nMemory of a layer is that of its weights, their moments and its map. The run needs"
          " %s (%s), %s with --save, the program included.\n",
          all, self->device, saved);
  if (self->need.device > 0)
    printf ("On the GPU it needs %s.\n", device);
  if (self->unsupported != NULL)
    printf ("It takes place on the CPU: %s\n", self->unsupported);
}

static void
add_row (JsonBuilder *builder,
         const PrismDecoderRow *row,
         guint index)
{
  json_builder_begin_object (builder);
  if (index > 0)
    prism_cli_add_integer (builder, "layer", index);
  prism_cli_add_string (builder, "kind", row->kind);
  prism_cli_add_integer (builder, "in_channels", row->in_channels);
  prism_cli_add_integer (builder, "out_channels", row->out_channels);
  prism_cli_add_integer (builder, "size", row->size);
  prism_cli_add_integer (builder, "kernel", row->kernel);
  prism_cli_add_string (builder, "norm", row->norm ? "batch" : "none");
  prism_cli_add_string (builder, "activation", row->activation);
  prism_cli_add_integer (builder, "parameters", (gint64) row->n_parameters);
  prism_cli_add_integer (builder, "multiply_adds", (gint64) row->n_products);
  prism_cli_add_integer (builder, "bytes", (gint64) row->n_bytes);
  json_builder_end_object (builder);
}

static void
print_json (const Decoder *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "layers");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->n_rows; i++)
    add_row (builder, &self->rows[i], i);
  json_builder_end_array (builder);
  prism_cli_add_integer (builder, "parameters", (gint64) self->sum.n_parameters);
  prism_cli_add_integer (builder, "multiply_adds", (gint64) self->sum.n_products);
  prism_cli_add_integer (builder, "bytes", (gint64) self->sum.n_bytes);
  prism_cli_add_integer (builder, "run_bytes", (gint64) self->need.host);
  prism_cli_add_integer (builder, "saved_run_bytes", (gint64) self->saved_need.host);
  prism_cli_add_integer (builder, "device_bytes", (gint64) self->need.device);
  prism_cli_add_string (builder, "device", self->device);
  prism_cli_add_string (builder, "unsupported", self->unsupported);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_decoder:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli decoder: shows the layers of the decoder that a configuration makes, their parameters,
 * work and memory.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_decoder (int argc,
                   char **argv)
{
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (Decoder) decoder = { 0 };

  config = prism_cli_take_config (argc, argv, entries, &error);
  if (config == NULL || !decoder_init (&decoder, config, &error))
    return prism_cli_report (error);
  if (json)
    print_json (&decoder);
  else
    print_table (&decoder);
  return prism_cli_finish_output ();
}
