#include "config.h"

#include "results/prism-export.h"

#include "base/prism-arena.h"
#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-npy.h"
#include "history/prism-history-csv.h"
#include "results/prism-frc.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

static void
add_text (GPtrArray *text,
          const char *key,
          char *value)
{
  g_ptr_array_add (text, g_strdup (key));
  g_ptr_array_add (text, value);
}

static void
add_params (GPtrArray *text,
            const PrismConfig *config)
{
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *value = prism_config_dup_text (config, &params[i]);
      add_text (text, params[i].key, g_utf8_make_valid (value != NULL ? value : "", -1));
    }
}

static char *
dup_decimal (double value,
             const char *format)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, format, value));
}

/**
 * prism_export_dup_png_text:
 * @snapshot: a snapshot
 *
 * What a picture should tell about its origin: program, title, step, quality and every parameter.
 *
 * Thread: any.
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
      add_text (text, prism_metrics[i].name,
                dup_decimal (snapshot->metrics.values[i], prism_metrics[i].fine_format));
  if (snapshot->config != NULL)
    add_params (text, snapshot->config);
  g_ptr_array_add (text, NULL);
  return (char **) g_ptr_array_free (text, FALSE);
}

static gboolean
save_array (const char *directory,
            const char *name,
            const float *values,
            gsize height,
            gsize width,
            GError **error)
{
  g_autofree char *path = prism_file_dup_place (directory, name);
  const gsize shape[2] = { height, width };

  return prism_npy_save (path, values, 2, shape, error);
}

static gboolean
save_plane (const char *directory,
            const char *name,
            const PrismImage *image,
            GError **error)
{
  return image == NULL
         || save_array (directory, name, image->pixels, image->height, image->width, error);
}

/* [N][2]: y and x of each centre, px. */
static gboolean
save_centers (const char *directory,
              const PrismPattern *pattern,
              GError **error)
{
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
  ok = save_array (directory, "centers.npy", values, pattern->n_points, 2, error);
  prism_arena_free_array (values);
  return ok;
}

static gboolean
save_picture (PrismSnapshot *snapshot,
              const char *directory,
              GError **error)
{
  g_autofree char *path = prism_file_dup_place (directory, "reconstruction.png");
  g_auto (GStrv) text = prism_export_dup_png_text (snapshot);

  return snapshot->reconstruction == NULL
         || prism_image_save_png (snapshot->reconstruction, path, 8, 0.0f, 1.0f,
                                  (const char *const *) text, error);
}

static gboolean
save_metrics (PrismSnapshot *snapshot,
              const char *directory,
              GError **error)
{
  g_autofree char *path = prism_file_dup_place (directory, "metrics.csv");

  return snapshot->history == NULL
         || prism_history_save_csv (snapshot->history, snapshot->n_rows, path, error);
}

/* What an older result left here and this one has not would pass for this one's. */
static gboolean
remove_older (const PrismSnapshot *snapshot,
              const char *path,
              GError **error)
{
  g_autofree char *name = NULL;
  int code;

  if (snapshot->phase != PRISM_PHASE_DONE || g_unlink (path) == 0 || errno == ENOENT)
    return TRUE;
  code = errno;
  name = prism_file_dup_display_name (path);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
               "“%s” is of an older result and cannot be removed: %s. Choose another directory.",
               name, g_strerror (code));
  return FALSE;
}

static gboolean
save_decoder (PrismSnapshot *snapshot,
              const char *directory,
              GError **error)
{
  g_autofree char *path = prism_file_dup_place (directory, "decoder.npz");

  if (snapshot->fold == NULL)
    return remove_older (snapshot, path, error);
  return prism_fold_save (snapshot->fold, path, error);
}

static gboolean
save_correlation (PrismSnapshot *snapshot,
                  const char *directory,
                  GError **error)
{
  g_autofree char *path = prism_file_dup_place (directory, "frc.csv");
  g_autoptr (GError) failure = NULL;
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (snapshot, &failure);

  if (frc == NULL && failure == NULL)
    return remove_older (snapshot, path, error);
  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  return frc != NULL && prism_frc_save_csv (frc, path, error);
}

/* A run that is over has all of them, but for what there was no memory for. */
static gboolean
check_complete (const PrismSnapshot *snapshot,
                GError **error)
{
  if (snapshot->phase != PRISM_PHASE_DONE || snapshot->pattern == NULL
      || (snapshot->reconstruction != NULL && snapshot->coverage_plane != NULL))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               "There was no memory for the %s of the result. End other programs or choose a "
               "smaller image size, and run again.",
               snapshot->reconstruction == NULL ? "image" : "coverage");
  return FALSE;
}

/**
 * prism_export_save_all:
 * @snapshot: a snapshot
 * @directory: where to; created where it is missing
 * @error: return location
 *
 * Writes what a snapshot has of: reconstruction.npy, target.npy, measurement.npy, coverage.npy,
 * centers.npy, reconstruction.png (0 black, 1 white), metrics.csv, frc.csv, decoder.npz, and
 * summary.json last, so that where it is, the rest is complete. Each file is replaced as a whole.
 * An older decoder.npz or frc.csv goes when a finished run has none.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 * Thread: any.
 *
 * Returns: whether all files are on the disk
 */
gboolean
prism_export_save_all (PrismSnapshot *snapshot,
                       const char *directory,
                       GError **error)
{
  g_autofree char *summary = prism_file_dup_place (directory, "summary.json");

  return prism_directory_check (directory, error) && check_complete (snapshot, error)
         && save_plane (directory, "reconstruction.npy", snapshot->reconstruction, error)
         && save_plane (directory, "target.npy", snapshot->target, error)
         && save_plane (directory, "measurement.npy", snapshot->measurement, error)
         && save_plane (directory, "coverage.npy", snapshot->coverage_plane, error)
         && save_centers (directory, snapshot->pattern, error)
         && save_picture (snapshot, directory, error)
         && save_metrics (snapshot, directory, error)
         && save_correlation (snapshot, directory, error)
         && save_decoder (snapshot, directory, error)
         && prism_export_save_summary (snapshot, summary, error);
}
