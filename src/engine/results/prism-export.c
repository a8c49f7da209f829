#include "config.h"

#include "results/prism-export.h"

#include "base/prism-arena.h"
#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "config/prism-units.h"
#include "cpu/prism-cpu-fold.h"
#include "formats/prism-nexus.h"
#include "formats/prism-npy.h"
#include "history/prism-history-csv.h"
#include "results/prism-frc.h"
#include "formats/prism-png-stream.h"

static void
add_text (GPtrArray *text,
          const char *key,
          char *value)
{
  g_ptr_array_add (text, g_strdup (key));
  g_ptr_array_add (text, value);
}

/**
 * prism_export_dup_png_text:
 * @snapshot: a snapshot
 *
 * What a picture should tell about its origin: program, title, step, quality, verdict and every
 * parameter.
 *
 * Returns: (transfer full) (array zero-terminated=1): key and value in turn, UTF-8
 */
char **
prism_export_dup_png_text (PrismSnapshot *snapshot)
{
  GPtrArray *text = g_ptr_array_new ();

  add_text (text, "Software", g_strdup ("PRISM Studio " PRISM_VERSION));
  if (snapshot->config != NULL)
    {
      g_autofree char *object = g_path_get_basename (snapshot->config->object);
      g_autofree char *name = prism_file_dup_display_name (object);
      add_text (text, "Title", g_strdup_printf ("PRISM reconstruction of %s", name));
    }
  add_text (text, "step", g_strdup_printf ("%" G_GUINT64_FORMAT, snapshot->step));
  for (gsize i = 0; i < PRISM_N_METRICS; i++)
    if (isfinite (snapshot->metrics.values[i]))
      add_text (
          text, prism_metrics[i].name,
          g_strdup (prism_digits (prism_metrics[i].fine_format, snapshot->metrics.values[i])));
    else if (snapshot->has_no_target)
      add_text (text, prism_metrics[i].name, g_strdup ("unknown: no target"));
  if (snapshot->verdict.kind != PRISM_VERDICT_OPEN)
    add_text (text, "verdict", g_strdup (prism_verdict_get_key (snapshot->verdict.kind)));
  if (snapshot->config != NULL)
    {
      PRISM_FOR_EACH_PARAM (param)
        {
          g_autofree char *value = prism_config_dup_text (snapshot->config, param);

          if (!prism_param_is_of (param, snapshot->config->kind))
            continue;
          add_text (text, param->key, g_utf8_make_valid (value != NULL ? value : "", -1));
        }
    }
  g_ptr_array_add (text, NULL);
  return (char **) g_ptr_array_free (text, FALSE);
}

/* [N][2]: y and x of each centre, px. */
static gboolean
save_centers (PrismSnapshot *snapshot,
              const char *path,
              GError **error)
{
  const PrismPattern *pattern = snapshot->pattern;
  float *values;
  gboolean ok;

  if (pattern == NULL)
    return TRUE;
  values = prism_arena_new_array (pattern->n_points * 2 * sizeof *values, "the pattern", error);
  if (values == NULL)
    return FALSE;
  for (guint i = 0; i < pattern->n_points; i++)
    {
      values[2 * i] = (float) pattern->points[i].y;
      values[2 * i + 1] = (float) pattern->points[i].x;
    }
  ok = prism_npy_save (path, values, 2, (const gsize[]) { pattern->n_points, 2 }, error);
  prism_arena_free_array (values);
  return ok;
}

static gboolean
save_metrics (PrismSnapshot *snapshot,
              const char *path,
              GError **error)
{
  if (snapshot->history == NULL)
    return TRUE;
  return prism_history_save_csv (snapshot->history, snapshot->n_rows, path, error);
}

static gboolean
save_correlation (PrismSnapshot *snapshot,
                  const char *path,
                  GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (snapshot, &failure);

  if (frc == NULL && failure == NULL)
    return TRUE;
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return frc != NULL && prism_frc_save_csv (frc, path, error);
}

static gboolean
save_decoder (PrismSnapshot *snapshot,
              const char *path,
              GError **error)
{
  return snapshot->fold == NULL ? TRUE
                                : prism_fold_save (snapshot->fold, path, error);
}

/* The value that makes the same run from any directory, and on a machine with another device. */
static char *
dup_value (const PrismSnapshot *snapshot,
           const PrismParam *param)
{
  g_autofree char *text = prism_config_dup_text (snapshot->config, param);

  if (strcmp (param->key, "backend") == 0 && snapshot->config->backend == PRISM_BACKEND_AUTO
      && snapshot->backend != NULL)
    return g_strdup (snapshot->backend);
  return prism_config_dup_anchored (param, text);
}

/* The picture of a simulated run, which other programs open, and what makes it again. */
static gboolean
save_nexus (PrismSnapshot *snapshot,
            const char *path,
            GError **error)
{
  const PrismImage *image = snapshot->reconstruction, *target = snapshot->target;
  g_autoptr (PrismNexus) file = NULL;
  PrismUnits units;

  if (image == NULL || prism_snapshot_is_recorded (snapshot) || snapshot->config == NULL)
    return TRUE;
  prism_units_init_config (&units, snapshot->config);
  file = prism_nexus_new ("Simulated telescope");
  prism_nexus_picture (file, image->height, image->width, units.pixel, image->pixels, "truth",
                       target != NULL ? target->pixels : NULL, NULL);
  prism_nexus_group (file, "/entry/process/parameters", "NXcollection");
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *name = g_strconcat ("/entry/process/parameters/", param->key, NULL);
      g_autofree char *value = dup_value (snapshot, param);
      g_autofree char *text = g_utf8_make_valid (value, -1);

      prism_nexus_text (file, name, text);
    }
  return prism_nexus_save (file, path, NULL, error);
}

#define AT(member) G_STRUCT_OFFSET (PrismSnapshot, member)

/* The files of a result but for the summary, which is the last one. */
static const struct
{
  const char *name;
  /* A file that the run does not have is no failure. */
  gboolean (*save) (PrismSnapshot *snapshot, /* (nullable): for an image */
                    const char *path,
                    GError **error);
  gsize offset;             /* of the image in the snapshot */
  gboolean brief;           /* what one of many runs leaves, too */
  const char *complex_name; /* (nullable): of a complex object */
} parts[] = {
  { "reconstruction.npy", NULL, AT (reconstruction), TRUE, "amplitude.npy" },
  { "phase.npy", NULL, AT (phase_image), TRUE },
  { "second.npy", NULL, AT (second) },
  { "target.npy", NULL, AT (target) },
  { "measurement.npy", NULL, AT (measurement) },
  { "coverage.npy", NULL, AT (coverage_plane) },
  { "centers.npy", save_centers },
  { "reconstruction.png", NULL, AT (reconstruction), FALSE, "amplitude.png" },
  { "second.png", NULL, AT (second) },
  { "metrics.csv", save_metrics, 0, TRUE },
  { "frc.csv", save_correlation },
  { "decoder.npz", save_decoder },
  { "result.h5", save_nexus },
};

static gboolean
save_image (PrismSnapshot *snapshot,
            const PrismImage *image,
            const char *path,
            GError **error)
{
  g_auto (GStrv) text = NULL;

  if (image == NULL)
    return TRUE;
  if (!g_str_has_suffix (path, ".png"))
    return prism_npy_save (path, image->pixels, 2,
                           (const gsize[]) { image->height, image->width }, error);
  text = prism_export_dup_png_text (snapshot);
  return prism_image_save_png (image, path, 8, 0.0f, 1.0f, (const char *const *) text, error);
}

/**
 * prism_export_check_directory:
 * @directory: name, any bytes
 * @replaces: whether the user's own files may go
 *
 * Finds out before a run whether its results can be written, see prism_exchange_check_place().
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the directory is there and takes the files of a result
 */
gboolean
prism_export_check_directory (const char *directory,
                              gboolean replaces,
                              GError **error)
{
  g_auto (GStrv) names = g_strsplit (PRISM_RESULT_NAMES, "|", -1);
  g_auto (GStrv) plans = g_strsplit (PRISM_PLAN_NAMES, "|", -1);

  for (guint i = 0; plans[i] != NULL; i++)
    {
      g_autofree char *plan = g_build_filename (directory, plans[i], NULL);

      if (g_file_test (plan, G_FILE_TEST_EXISTS))
        return prism_error_io (error,
                               _ ("%s has many runs, which its %s is of: choose another directory"
                                  " for a single one."),
                               directory, plans[i]);
    }
  return prism_exchange_check_place (directory, (const char *const *) names, replaces, error);
}

static gboolean
save_parts (PrismSnapshot *snapshot,
            const char *directory,
            gboolean brief,
            GError **error)
{
  PRISM_FOR_EACH_OF (part, parts)
    {
      const gboolean is_complex = snapshot->phase_image != NULL && part->complex_name != NULL;
      g_autofree char *path = g_build_filename (
          directory, is_complex ? part->complex_name : part->name, NULL);
      PrismImage **image = G_STRUCT_MEMBER_P (snapshot, part->offset);

      if ((!brief || part->brief)
          && !(part->save != NULL ? part->save (snapshot, path, error)
                                  : save_image (snapshot, *image, path, error)))
        return FALSE;
    }
  return TRUE;
}

/**
 * prism_export_save:
 * @snapshot: a snapshot
 * @directory: where to; created where it is missing
 * @brief: as one of very many runs does: reconstruction.npy, metrics.csv and summary.json alone
 *
 * Writes what a snapshot has of: reconstruction.npy, second.npy, target.npy, measurement.npy,
 * coverage.npy, centers.npy, reconstruction.png and second.png (0 black, 1 white), metrics.csv,
 * frc.csv, decoder.npz, result.h5, and summary.json. Of a complex object reconstruction is
 * amplitude, and phase.npy lies beside it. An older result is replaced as a whole, and what it has
 * and this one has not goes.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether all files are on the disk
 */
gboolean
prism_export_save (PrismSnapshot *snapshot,
                   const char *directory,
                   gboolean brief,
                   GError **error)
{
  g_auto (GStrv) names = g_strsplit (PRISM_RESULT_NAMES, "|", -1);
  g_autoptr (PrismExchange) exchange = NULL;
  g_autofree char *summary = NULL, *text = NULL;
  const char *stage;

  /* A run that is over has all of them, but for what there was no memory for. */
  if (snapshot->phase == PRISM_PHASE_DONE && snapshot->pattern != NULL
      && (snapshot->reconstruction == NULL || snapshot->coverage_plane == NULL))
    return prism_error_memory (
        error,
        "There was no memory for the %s of the result. End other programs or choose a "
        "smaller image size, and run again.",
        snapshot->reconstruction == NULL ? "image" : "coverage");
  exchange = prism_exchange_new (directory, error);
  if (exchange == NULL)
    return FALSE;
  stage = prism_exchange_get_directory (exchange);
  summary = g_build_filename (stage, PRISM_EXCHANGE_HEAD, NULL);
  text = prism_export_dup_summary (snapshot);
  return save_parts (snapshot, stage, brief, error)
         && prism_file_save (summary, text, strlen (text), error)
         && prism_exchange_commit (exchange, (const char *const *) names, error);
}

static gboolean
refuse (GError **error,
        const char *reason)
{
  return prism_error_format (
      error, _ ("There is no decoder.npz, which the setting keep_decoder asks for: %s."), reason);
}

/**
 * prism_export_fold_decoder:
 * @snapshot: of a run from a file
 * @state: what the file has beside it
 *
 * Prepares the decoder for output, as the run did at its end, where the settings ask for it: the
 * file has its weights alone.
 *
 * Errors: PRISM_ERROR_FORMAT where the run is not over or the file has no weights; those of
 * prism_cpu_fold_new().
 * Thread: any, one snapshot by one thread at a time.
 *
 * Returns: whether the snapshot has the decoder or none is asked for
 */
gboolean
prism_export_fold_decoder (PrismSnapshot *snapshot,
                           PrismBundle *state,
                           GError **error)
{
  PrismDecoderPlan plan;
  const float *weights;

  if (!snapshot->config->keep_decoder || snapshot->fold != NULL
      || !prism_config_trains (snapshot->config))
    return TRUE;
  if (snapshot->phase != PRISM_PHASE_DONE)
    return refuse (error, "the run is not at its end");
  if (!prism_bundle_has (state, "weights.npy"))
    return refuse (error, "the file has no weights");
  if (!prism_decoder_plan_init_config (&plan, snapshot->config, error))
    return FALSE;
  weights = prism_bundle_get_array (state, "weights.npy", 1, &plan.n_parameters, error);
  if (weights == NULL)
    return FALSE;
  snapshot->fold = prism_cpu_fold_new (&plan, weights, error);
  return snapshot->fold != NULL;
}

/**
 * prism_command_dup_run:
 * @snapshot: a snapshot with a configuration
 *
 * Writes the command that repeats the run from its beginning to its end: every parameter that has
 * not its default, each quoted for the shell where it must be, with files by their full path and
 * the device that was chosen. How many threads took part changes nothing and is left out.
 *
 * Returns: (transfer full) (nullable): "prism-cli run --set samples=60 …" in the file system's
 *   encoding; %NULL for frames that were recorded, which no setting makes again
 */
char *
prism_command_dup_run (const PrismSnapshot *snapshot)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  GString *command;

  if (prism_snapshot_is_recorded (snapshot))
    return NULL;
  command = g_string_new ("prism-cli run");
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = dup_value (snapshot, param);
      g_autofree char *usual = prism_config_dup_text (defaults, param);

      if (g_strcmp0 (value, usual) != 0 && strcmp (param->key, "threads") != 0)
        prism_config_append_setting (command, param->key, value);
    }
  return g_string_free (command, FALSE);
}
