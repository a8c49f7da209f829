#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "config/prism-units.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-memory-estimate.h"
#include "device/prism-registry.h"
#include "model/prism-decoder.h"
#include "model/prism-pattern-points.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "profile/prism-trace-summary.h"
#include "results/prism-survey.h"

#include <inttypes.h>

/* A decoder that nobody has run yet. */
typedef struct
{
  PrismDecoderRow rows[PRISM_DECODER_TABLE_MAX_ROWS];
  guint n_rows;
  PrismDecoderRow sum;
  const char *device;             /* of prism-device-list */
  char *unsupported;              /* (nullable) why the device does not take it */
  PrismMemoryEstimate need;       /* of the whole run on the device that it would take */
  PrismMemoryEstimate saved_need; /* with a run file */
} Decoder;

PRISM_CLEAR (Decoder, decoder_clear, g_free, unsupported)

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
  prism_memory_estimate_init (&self->need, config, &spec, ops, FALSE);
  prism_memory_estimate_init (&self->saved_need, config, &spec, ops, TRUE);
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
  prism_json_add (builder, "{");
  if (index > 0)
    prism_json_add (builder, "layer: %u", index);
  prism_json_add (builder,
                  "kind: %s, in_channels: %d, out_channels: %d, size: %d, kernel: %d, norm: %s, "
                  "activation: %s, parameters: %lu, multiply_adds: %lu, bytes: %lu}",
                  row->kind, row->in_channels, row->out_channels, row->size, row->kernel,
                  row->norm ? "batch" : "none", row->activation, row->n_parameters, row->n_products,
                  row->n_bytes);
}

static void
print_json (const Decoder *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{layers: [");
  for (guint i = 0; i < self->n_rows; i++)
    add_row (builder, &self->rows[i], i);
  prism_json_add (builder,
                  "], parameters: %lu, multiply_adds: %lu, bytes: %lu, run_bytes: %lu, "
                  "saved_run_bytes: %lu, device_bytes: %lu, device: %s, unsupported: %s}",
                  self->sum.n_parameters, self->sum.n_products, self->sum.n_bytes, self->need.host,
                  self->saved_need.host, self->need.device, self->device, self->unsupported);
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
                   char **argv,
                   GError **error)
{
  gboolean json = FALSE;
  const PrismCliOption entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_auto (Decoder) decoder = { 0 };

  config = prism_cli_take_config (argc, argv, entries, error);
  if (config == NULL || !decoder_init (&decoder, config, error))
    return PRISM_EXIT_FAILED;
  if (json)
    print_json (&decoder);
  else
    print_table (&decoder);
  return PRISM_EXIT_OK;
}

typedef struct
{
  char *csv;     /* (nullable) path */
  char *gallery; /* (nullable) path */
  gboolean json;
} PatternOptions;

static void
print_survey (const PrismSurvey *survey,
              const PrismConfig *config)
{
  g_autofree char *kind = prism_config_dup_text (config, prism_config_get_param ("pattern"));
  g_autofree char *order = prism_config_dup_text (config, prism_config_get_param ("order"));

  printf ("Pattern            %s, order %s\n", kind, order);
  printf ("Positions          %u\n", survey->pattern->n_points);
  printf ("Coverage           %.1f %% of the region of interest (disk of %d px), %.1f %% of the"
          " whole plane\n",
          100.0 * survey->coverage, survey->diameter, 100.0 * survey->plane_coverage);
  printf ("Overlap            %.1f %% of an aperture shared with its nearest neighbour\n",
          100.0 * survey->neighbour_overlap);
  printf ("Seen twice         %.1f %% of what is covered, %.2f apertures over a pixel in the"
          " mean\n",
          100.0 * survey->twice, survey->redundancy);
  printf ("Nearest neighbour  %.2f px in the mean, %.2f px median, %.2f px least\n",
          survey->spacing_mean, survey->spacing_median, survey->spacing_min);
  printf ("Path               %.1f px\n", survey->path_length);
}

static void
print_survey_json (const PrismSurvey *survey,
                   const PrismConfig *config)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (
      builder,
      "{positions: %u, coverage: %g, plane_coverage: %g, neighbour_overlap: %g, twice: %g, "
      "redundancy: %g, spacing_mean: %g, spacing_median: %g, spacing_min: %g, path_length: %g",
      survey->pattern->n_points, survey->coverage, survey->plane_coverage,
      survey->neighbour_overlap, survey->twice, survey->redundancy, survey->spacing_mean,
      survey->spacing_median, survey->spacing_min, survey->path_length);
  prism_cli_add_config (builder, config);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

static gboolean
show (const PrismConfig *config,
      const PatternOptions *options,
      GError **error)
{
  g_autoptr (PrismSurvey) survey = prism_survey_new (config, error);
  g_autofree char *table = NULL;

  if (survey == NULL)
    return FALSE;
  table = prism_pattern_points_to_csv (survey->pattern->points, survey->pattern->n_points);
  if (options->csv != NULL && !prism_file_save (options->csv, table, strlen (table), error))
    return FALSE;
  if (options->gallery != NULL && !prism_gallery_save_png (config, options->gallery, error))
    return FALSE;
  if (options->json)
    print_survey_json (survey, config);
  else
    print_survey (survey, config);
  return TRUE;
}

/**
 * prism_cli_pattern:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli pattern: prints coverage, overlap, spacing and path of a pattern, and writes its
 * positions or a picture of all patterns.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_pattern (int argc,
                   char **argv,
                   GError **error)
{
  char *csv = NULL;
  char *gallery = NULL;
  gboolean json = FALSE;
  const PrismCliOption entries[] = {
    { "csv", 0, PRISM_CLI_OUTPUT, &csv,
      "Write the positions, in the order of the run, as pattern_file reads them", "FILE" },
    { "gallery", 0, PRISM_CLI_OUTPUT, &gallery,
      "Draw every kind of pattern side by side", "FILE.png" },
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;

  config = prism_cli_take_config (argc, argv, entries, error);
  if (config == NULL || !show (config, &(const PatternOptions) { csv, gallery, json }, error))
    return PRISM_EXIT_FAILED;
  return PRISM_EXIT_OK;
}

static PrismExit
compare (char **paths,
         GError **error)
{
  g_autoptr (PrismTrace) before = prism_trace_load (paths[0], error);
  g_autoptr (PrismTrace) after = before != NULL ? prism_trace_load (paths[1], error) : NULL;

  if (after == NULL)
    return PRISM_EXIT_FAILED;
  prism_cli_print_text (prism_trace_dup_differences (before, after));
  return PRISM_EXIT_OK;
}

static PrismExit
show_profile (char **paths,
              int n_paths,
              GError **error)
{
  for (int i = 0; i < n_paths; i++)
    {
      g_autoptr (PrismTrace) trace = prism_trace_load (paths[i], error);

      if (trace == NULL)
        return PRISM_EXIT_FAILED;
      if (n_paths > 1)
        prism_cli_say ("%s", paths[i]);
      prism_cli_print_text (prism_trace_dup_text (trace));
    }
  return PRISM_EXIT_OK;
}

/**
 * prism_cli_profile:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli profile: shows the stages of profiles, or how two of them differ.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_profile (int argc,
                   char **argv,
                   GError **error)
{
  gboolean compares = FALSE;
  const PrismCliOption entries[] = {
    { "compare", 0, PRISM_CLI_SWITCH, &compares, "Show how the second differs from the first" },
    { NULL },
  };

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (compares && argc != 3)
    {
      prism_error_config (error, "Two profiles are expected here: see “%s --help”.",
                          g_get_prgname ());
      return PRISM_EXIT_FAILED;
    }
  return compares ? compare (argv + 1, error) : show_profile (argv + 1, argc - 1, error);
}

static void
print_length (const char *label,
              double metres)
{
  g_autofree char *text = prism_units_dup_length (metres);

  printf ("%-20s %s\n", label, text);
}

static void
print_both (const char *label,
            double metres,
            double seconds,
            const char *pixels)
{
  g_autofree char *length = prism_units_dup_length (metres);
  g_autofree char *angle = prism_units_dup_angle (seconds);

  printf ("%-20s %s, %s%s\n", label, length, angle, pixels);
}

static void
print_units (const PrismUnits *units)
{
  g_autofree char *resolved = g_strdup_printf (", %.3g px", units->resolved_pixels);
  g_autofree char *coherence = prism_units_dup_length (units->coherence_radius);

  if (units->pixel <= 0)
    {
      g_autofree char *text = prism_units_dup_text (units);

      printf ("%s\n", text);
      return;
    }
  print_both ("Pixel of the object", units->pixel, units->pixel_angle, "");
  print_both ("Field", units->field, units->field_angle, "");
  print_length ("Object's square", units->object);
  if (units->diameter_pixels > 0)
    printf ("%-20s %.4g px\n", "Object's diameter", units->diameter_pixels);
  print_length ("Telescope", units->aperture);
  print_both ("Two points in phase", units->resolved, units->resolved_angle, resolved);
  print_length ("All positions", units->synthetic);
  print_both ("Two points in phase", units->synthetic_angle / units->pixel_angle * units->pixel,
              units->synthetic_angle, "");
  printf ("%-20s %s, %.3g px of the Fourier plane\n", "Coherence radius", coherence,
          units->coherence_pixels);
}

static void
print_json_scale (const PrismUnits *units,
                  const char *advice)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{");
  prism_units_add_json (units, builder);
  prism_json_add (builder, "advice: %s}", advice);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_scale:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli scale: shows what pixels are in metres and seconds of arc, and what to change when the
 * object's diameter does not fit.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_scale (int argc,
                 char **argv,
                 GError **error)
{
  gboolean json = FALSE;
  const PrismCliOption entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_autofree char *advice = NULL;
  PrismUnits units;

  config = prism_cli_take_config (argc, argv, entries, error);
  if (config == NULL)
    return PRISM_EXIT_FAILED;

  prism_units_init_config (&units, config);
  advice = prism_units_dup_advice (config);
  if (json)
    print_json_scale (&units, advice);
  else
    print_units (&units);
  if (advice != NULL && !json)
    printf ("%s\n", advice);
  return PRISM_EXIT_OK;
}
