#include "config.h"

#include "output/prism-exporter.h"

#include "support/prism-class.h"

#include "base/prism-clock.h"
#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "history/prism-history-csv.h"
#include "results/prism-tensorboard.h"
#include "results/prism-export.h"
#include "results/prism-frc.h"
#include "formats/prism-png-stream.h"

static char *
format_level (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup (g_ascii_formatd (text, sizeof text, "%.9g", value));
}

static gboolean
save_pixels (const PrismExport *self,
             const char *path,
             int bits,
             GError **error)
{
  g_auto (GStrv) run = prism_export_dup_png_text (self->snapshot);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *black = format_level (self->black);
  g_autofree char *white = format_level (self->white);
  g_auto (GStrv) text = NULL;

  /* The parameters of the run, and what the greys mean. */
  g_strv_builder_addv (builder, (const char **) run);
  g_strv_builder_add_many (builder, "black", black, "white", white, NULL);
  text = g_strv_builder_end (builder);
  return prism_image_save_png (self->image, path, bits, self->black, self->white,
                               (const char *const *) text, error);
}

static gboolean
save_correlation (const PrismExport *self,
                  const char *path,
                  GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (self->snapshot, &failure);

  if (frc == NULL && failure == NULL)
    g_set_error (&failure, PRISM_ERROR, PRISM_ERROR_CONFIG,
                 _ ("There is no reconstruction to correlate with the object yet. Run first."));
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  return prism_frc_save_csv (frc, path, error);
}

/**
 * prism_exporter_new:
 * @kind: what to save
 * @snapshot: of which run
 *
 * The caller adds image and levels where pixels are to be saved.
 *
 * Returns: (transfer full): an export
 */
PrismExport *
prism_exporter_new (PrismExportKind kind,
                    PrismSnapshot *snapshot)
{

  return PRISM_NEW (PrismExport, kind, prism_snapshot_ref (snapshot));
}

/**
 * prism_exporter_dup:
 * @self: an export
 *
 * Returns: (transfer full): another with the same snapshot and image
 */
PrismExport *
prism_exporter_dup (const PrismExport *self)
{
  PrismExport *copy = prism_exporter_new (self->kind, self->snapshot);

  copy->image = prism_image_ref (self->image);
  copy->black = self->black;
  copy->white = self->white;
  return copy;
}

/**
 * prism_exporter_free:
 * @self: (transfer full): an export
 */
void
prism_exporter_free (gpointer self)
{
  PrismExport *export = self;

  prism_snapshot_unref (export->snapshot);
  g_clear_pointer (&export->image, prism_image_unref);
  g_free (export->parent);
  g_free (export);
}

/**
 * prism_exporter_save:
 * @self: an export
 * @path: the file, or the folder for PRISM_EXPORT_ALL and PRISM_EXPORT_EVENTS
 * @error: return location
 *
 * Writes; snapshots do not change, so a run may go on meanwhile.
 *
 * Errors: those of the writers, PRISM_ERROR_IO above all.
 * Thread: any.
 *
 * Returns: whether everything was written
 */
gboolean
prism_exporter_save (gpointer self,
                     const char *path,
                     GError **error)
{
  const PrismExport *export = self;
  PrismSnapshot *snapshot = export->snapshot;

  switch (export->kind)
    {
    case PRISM_EXPORT_PIXELS_8:
      return save_pixels (export, path, 8, error);
    case PRISM_EXPORT_PIXELS_16:
      return save_pixels (export, path, 16, error);
    case PRISM_EXPORT_METRICS:
      return prism_history_save_csv (snapshot->history, snapshot->n_rows, path, error);
    case PRISM_EXPORT_CORRELATION:
      return save_correlation (export, path, error);
    case PRISM_EXPORT_EVENTS:
      return prism_tensorboard_save (snapshot, path, error);
    case PRISM_EXPORT_ALL:
    default:
      return prism_directory_check (path, error)
             && prism_export_save (snapshot, path, FALSE, error);
    }
}

/* "Moon radius 12 2026-11-22"; of recorded frames, whose pupil is found, "Cells 2026-11-22" */
static char *
dup_folder_name (const PrismConfig *config)
{
  g_autofree char *date = prism_clock_dup_local ("%Y-%m-%d");
  g_autofree char *object = g_path_get_basename (config->object);
  char *dot = strrchr (object, '.');

  if (dot != NULL && dot != object)
    *dot = '\0';
  object[0] = g_ascii_toupper (object[0]);
  if (config->kind == PRISM_FRAMES_RECORDED)
    return g_strdup_printf ("%s %s", object, date);
  return g_strdup_printf (_ ("%s radius %g %s"), object, config->aperture_radius, date);
}

/**
 * prism_exporter_make_folder:
 * @config: of a run
 * @parent: the folder that the user has chosen
 * @error: return location
 *
 * Makes a folder for a result. Nothing that is there already is touched.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the new folder
 */
char *
prism_exporter_make_folder (const PrismConfig *config,
                            const char *parent,
                            GError **error)
{
  g_autofree char *name = dup_folder_name (config);
  g_autofree char *shown = prism_file_dup_display_name (parent);
  g_autofree char *path = g_build_filename (parent, name, NULL);

  for (guint i = 2; g_mkdir (path, 0777) != 0; i++)
    {
      g_autofree char *other = g_strdup_printf ("%s %u", name, i);

      if (errno != EEXIST)
        {
          g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
                       _ ("“%s” cannot take the results: %s. Choose another folder."), shown,
                       g_strerror (errno));
          return NULL;
        }
      g_free (path);
      path = g_build_filename (parent, other, NULL);
    }
  return g_steal_pointer (&path);
}

/**
 * prism_exporter_save_in_new_folder:
 * @snapshot: with a configuration
 * @parent: the folder that the user has chosen
 * @error: return location
 *
 * Saves everything into a folder of its own in @parent, so that nothing of the user's is replaced
 * and the files stay together.
 *
 * Errors: PRISM_ERROR_IO, those of the writers; a new folder that is empty is removed.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the new folder
 */
char *
prism_exporter_save_in_new_folder (PrismSnapshot *snapshot,
                                   const char *parent,
                                   GError **error)
{
  g_autofree char *folder = prism_exporter_make_folder (snapshot->config, parent, error);

  if (folder == NULL)
    return NULL;
  if (prism_export_save (snapshot, folder, FALSE, error))
    return g_steal_pointer (&folder);
  g_rmdir (folder);
  return NULL;
}
