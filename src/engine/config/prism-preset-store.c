#include "config.h"

#include "config/prism-preset.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"
#include "config/prism-scenario.h"
#include "prism-presets.h"

#include <gio/gio.h>

#define FOLDER "/io/github/prism_studio/PrismStudio/presets"
#define SUFFIX ".prism"
#define MOST 262144 /* bytes of a text */

/**
 * prism_preset_store_dup_folder:
 *
 * Returns: (transfer full): where the user's presets are; it need not be there
 */
char *
prism_preset_store_dup_folder (void)
{
  return g_build_filename (g_get_user_config_dir (), "prism-studio", "presets", NULL);
}

/**
 * prism_preset_store_dup_path:
 * @id: of a preset of the user's, which may contain no slash
 *
 * Returns: (transfer full): its file, which need not be there
 */
char *
prism_preset_store_dup_path (const char *id)
{
  g_autofree char *folder = prism_preset_store_dup_folder ();
  g_autofree char *name = g_strconcat (id, SUFFIX, NULL);

  return g_build_filename (folder, name, NULL);
}

/**
 * prism_preset_store_is_builtin:
 * @id: of a preset
 *
 * Returns: whether it comes with the program
 */
gboolean
prism_preset_store_is_builtin (const char *id)
{
  g_autofree char *path = g_strconcat (FOLDER "/", id, SUFFIX, NULL);

  if (prism_scenario_is (id))
    return TRUE;
  /* Naming the resource keeps it from being left out when the engine is linked as an archive. */
  return strchr (id, '/') == NULL && *id != '\0'
         && g_resource_get_info (prism_presets_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                 NULL, NULL, NULL);
}

static int
compare_names (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/**
 * prism_preset_store_dup_own:
 *
 * Returns: (transfer full): the ids of the user's presets, sorted; their names are UTF-8
 */
GStrv
prism_preset_store_dup_own (void)
{
  g_autofree char *folder = prism_preset_store_dup_folder ();
  GPtrArray *ids = g_ptr_array_new ();

  PRISM_FOR_EACH_NAME (name, folder)
    {
      g_autofree char *id = NULL;

      if (!g_str_has_suffix (name, SUFFIX) || !g_utf8_validate (name, -1, NULL))
        continue;
      id = g_strndup (name, strlen (name) - strlen (SUFFIX));
      if (*id != '\0' && *id != '.' && !prism_preset_store_is_builtin (id))
        g_ptr_array_add (ids, g_steal_pointer (&id));
    }
  g_ptr_array_sort (ids, compare_names);
  g_ptr_array_add (ids, NULL);
  return (GStrv) g_ptr_array_free (ids, FALSE);
}

static GBytes *
load_own (const char *id,
          GError **error)
{
  g_autofree char *path = prism_preset_store_dup_path (id);

  if (strchr (id, '/') != NULL || *id == '\0' || *id == '.'
      || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *shown = prism_printable_dup_short (id);

      prism_error_config (
          error, "There is no preset “%s”: “prism-cli params” lists those that there are.", shown);
      return NULL;
    }
  return prism_file_load (path, MOST, error);
}

/**
 * prism_preset_store_load:
 * @id: of a preset
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG where there is none, PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): its text; that of the program where the user has one of the
 *   same name
 */
GBytes *
prism_preset_store_load (const char *id,
                         GError **error)
{
  g_autofree char *path = g_strconcat (FOLDER "/", id, SUFFIX, NULL);

  if (prism_scenario_is (id))
    {
      char *text = prism_scenario_dup_text (id, error);

      return text != NULL ? g_bytes_new_take (text, strlen (text)) : NULL;
    }
  if (prism_preset_store_is_builtin (id))
    return g_resource_lookup_data (prism_presets_get_resource (), path,
                                   G_RESOURCE_LOOKUP_FLAGS_NONE, error);
  return load_own (id, error);
}
