#include "config.h"

#include "base/prism-file.h"
#include "model/prism-pattern-points.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "results/prism-survey.h"

#include <stdio.h>
#include <string.h>

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

  json_builder_begin_object (builder);
  prism_cli_add_integer (builder, "positions", survey->pattern->n_points);
  prism_cli_add_number (builder, "coverage", survey->coverage);
  prism_cli_add_number (builder, "plane_coverage", survey->plane_coverage);
  prism_cli_add_number (builder, "neighbour_overlap", survey->neighbour_overlap);
  prism_cli_add_number (builder, "twice", survey->twice);
  prism_cli_add_number (builder, "redundancy", survey->redundancy);
  prism_cli_add_number (builder, "spacing_mean", survey->spacing_mean);
  prism_cli_add_number (builder, "spacing_median", survey->spacing_median);
  prism_cli_add_number (builder, "spacing_min", survey->spacing_min);
  prism_cli_add_number (builder, "path_length", survey->path_length);
  prism_cli_add_config (builder, config);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

static gboolean
save_positions (const PrismSurvey *survey,
                const char *path,
                GError **error)
{
  g_autofree char *text
      = prism_pattern_points_to_csv (survey->pattern->points, survey->pattern->n_points);

  return prism_file_save (path, text, strlen (text), error);
}

static gboolean
show (const PrismConfig *config,
      const PatternOptions *options,
      GError **error)
{
  g_autoptr (PrismSurvey) survey = prism_survey_new (config, error);

  if (survey == NULL
      || (options->csv != NULL && !prism_file_check_place (options->csv, error))
      || (options->gallery != NULL && !prism_file_check_place (options->gallery, error)))
    return FALSE;
  if (options->csv != NULL && !save_positions (survey, options->csv, error))
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
                   char **argv)
{
  g_autofree char *csv = NULL;
  g_autofree char *gallery = NULL;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
    { "csv", 0, 0, G_OPTION_ARG_FILENAME, &csv,
      "Write the positions, in the order of the visits, as pattern_file reads them", "FILE" },
    { "gallery", 0, 0, G_OPTION_ARG_FILENAME, &gallery,
      "Draw every kind of pattern side by side", "FILE.png" },
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_autoptr (PrismConfig) config = NULL;
  g_autoptr (GError) error = NULL;

  config = prism_cli_take_config (argc, argv, entries, &error);
  if (config == NULL || !show (config, &(const PatternOptions) { csv, gallery, json }, &error))
    return prism_cli_report (error);
  return prism_cli_finish_output ();
}
