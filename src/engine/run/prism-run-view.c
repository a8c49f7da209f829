#include "config.h"

#include "run/prism-run-view.h"

#include "run/prism-run-index.h"

#define CONFIG "config.prism"
#define MANIFEST "manifest.json" /* the writer makes one */

/* The settings of the run, and of each state that another run can begin from. */
static gboolean
is_settings (const char *name)
{
  return g_str_equal (name, CONFIG) || g_str_has_suffix (name, "/" CONFIG);
}

static gboolean
add_settings (PrismArchiveWriter *writer,
              PrismArchive *archive,
              const char *name,
              const PrismConfig *config,
              GError **error)
{
  g_autofree char *text = prism_archive_load_text (archive, name, error);
  g_autoptr (PrismConfig) settings
      = text != NULL ? prism_config_load_text (text, -1, name, error) : NULL;

  if (settings == NULL)
    return FALSE;
  prism_config_view_set (settings, config);
  prism_archive_writer_take_text (writer, name, prism_config_to_text (settings));
  return TRUE;
}

typedef struct
{
  PrismRunPlace *place;
  PrismRunIndex *index;
} Guard;

static gboolean
may_replace (gpointer data)
{
  const Guard *guard = data;

  return prism_run_place_is_ours (guard->place, guard->index->identity->id);
}

/**
 * prism_run_view_save:
 * @path: of a .prismrun file
 * @config: whose way to look at pictures the run takes over
 *
 * Writes the file anew with other marks and limits; everything else in it stays as it is to the
 * byte. At any moment the old or the new file is there, whole.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY; PRISM_ERROR_CANCELLED where
 * another program writes the file. It is as it was then.
 *
 * Returns: whether the file has them
 */
gboolean
prism_run_view_save (const char *path,
                     const PrismConfig *config,
                     GError **error)
{
  g_autoptr (PrismRunPlace) place = prism_run_place_new (path, NULL, error);
  g_autoptr (PrismArchive) archive = NULL;
  g_autoptr (PrismRunIndex) index = NULL;
  g_autoptr (PrismArchiveWriter) writer = NULL;
  const char *const *names;
  Guard guard;

  if (place == NULL)
    return FALSE;
  archive = prism_archive_open (prism_run_place_get_real (place), error);
  index = archive != NULL ? prism_run_index_load (archive, error) : NULL;
  if (index != NULL)
    writer = prism_archive_writer_new (prism_run_place_get_real (place), error);
  if (writer == NULL)
    return FALSE;
  names = prism_archive_get_names (archive);
  for (gsize i = 0; names[i] != NULL; i++)
    if (is_settings (names[i]))
      {
        if (!add_settings (writer, archive, names[i], config, error))
          return FALSE;
      }
    else if (!g_str_equal (names[i], MANIFEST))
      prism_archive_writer_copy (writer, archive, names[i], names[i]);
  guard = (Guard) { place, index };
  prism_archive_writer_set_guard (writer, may_replace, &guard);
  return prism_archive_writer_finish (writer, error);
}
