#include "config.h"

#include "config/prism-preset.h"

#include "base/prism-error.h"
#include "prism-presets.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>
#include <string.h>

#define FOLDER "/io/github/prism_studio/PrismStudio/presets"

static const PrismPreset presets[] = {
  { "quick-look", N_ ("Quick look"), N_ ("Small and fast, to see what happens.") },
  { "standard", N_ ("Standard workload"),
    N_ ("128 px in a field of 512 px: what speed and quality are quoted for.") },
  { "production", N_ ("Production"),
    N_ ("256 px in a field of 1024 px, with every detail that the pattern reaches.") },
  { "high-quality", N_ ("High quality"),
    N_ ("512 px in a field of 1024 px, many overlapping measurements and a long polish.") },
  { "python-prism", N_ ("As the Python PRISM"),
    N_ ("Its frame of zeros, its memory and its optimiser, for comparison.") },
  { "epie", N_ ("ePIE only"), N_ ("The iterative engine alone, without a decoder.") },
  { "decoder-only", N_ ("Decoder only"),
    N_ ("The trained image as it is: no live picture and no polish.") },
  { "europa", N_ ("Europa"),
    N_ ("Jupiter's moon, 3138 km across at 628.3 million km, with a telescope of 1.4 m."),
    TRUE },
  { "titan", N_ ("Titan"),
    N_ ("Saturn's moon in the infrared, 5150 km across at 1200 million km, with a telescope of"
        " 4.6 m."),
    TRUE },
  { "neptune", N_ ("Neptune"),
    N_ ("The planet, 50000 km across at 29.1 au, with a telescope of 0.42 m."),
    TRUE },
  { "betelgeuse", N_ ("Betelgeuse"),
    N_ ("The red giant, 1234 million km across at 700 light years, with a mirror of 26 m."),
    TRUE },
};

/**
 * prism_preset_get_all:
 * @n_presets: (out): number of presets
 *
 * Returns: (transfer none) (array length=n_presets): the presets as they are shown
 */
const PrismPreset *
prism_preset_get_all (gsize *n_presets)
{
  *n_presets = G_N_ELEMENTS (presets);
  return presets;
}

static gboolean
is_known (const char *id)
{
  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    if (strcmp (presets[i].id, id) == 0)
      return TRUE;
  return FALSE;
}

static void
set_unknown_error (const char *id,
                   GError **error)
{
  g_autoptr (GString) ids = g_string_new (NULL);
  g_autofree char *shown = g_utf8_make_valid (id, strnlen (id, 64));

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    g_string_append_printf (ids, "%s%s", i == 0 ? "" : ", ", presets[i].id);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "There is no preset “%s”: choose one of %s.", shown, ids->str);
}

/**
 * prism_preset_load:
 * @id: a preset's id, such as "quick-look"
 *
 * Loads a preset; what it does not state has its default.
 *
 * Errors: PRISM_ERROR_CONFIG with the ids that there are.
 *
 * Returns: (transfer full) (nullable): a configuration
 */
PrismConfig *
prism_preset_load (const char *id,
                   GError **error)
{
  g_autofree char *path = g_strconcat (FOLDER "/", id, ".prism", NULL);
  g_autoptr (GBytes) bytes = NULL;
  const char *text;
  gsize length;

  if (!is_known (id))
    {
      set_unknown_error (id, error);
      return NULL;
    }
  /* Naming the resource keeps it from being left out when the engine is linked as an archive. */
  bytes = g_resource_lookup_data (prism_presets_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE,
                                  error);
  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return prism_config_load_text (text, length, id, error);
}
