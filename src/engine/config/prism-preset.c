#include "config.h"

#include "config/prism-preset.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-text.h"
#include "config/prism-scenario.h"

#define MOST_NAME 64
#define MOST_HELP 200 /* bytes */

static const PrismPreset presets[] = {
  { "quick-look", N_ ("Quick look"), N_ ("Small and fast, to see what happens.") },
  { "standard", N_ ("Standard workload"),
    N_ ("128 px in a field of 512 px: what speed and quality are quoted for.") },
  { "production", N_ ("Production"),
    N_ ("256 px in a field of 1024 px, with every detail that the pattern reaches.") },
  { "high-quality", N_ ("High quality"),
    N_ ("512 px in a field of 1024 px, many overlapping measurements and a long refinement.") },
  { "python-prism", N_ ("As the Python PRISM"),
    N_ ("Its frame of zeros, its memory and its optimiser, for comparison.") },
  { "epie", N_ ("ePIE only"), N_ ("The iterative engine alone, without a decoder.") },
  { "decoder-only", N_ ("Decoder only"),
    N_ ("The trained image as it is: no live picture and no refinement.") },
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

static void
set_unknown_error (const char *id,
                   GError **error)
{
  g_auto (GStrv) own = prism_preset_store_dup_own ();
  g_autoptr (GString) ids = g_string_new (NULL);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  g_autofree char *shown = prism_printable_dup_short (id);
  const char *nearest;
  gsize n_scenarios;
  const PrismScenario *scenarios = prism_scenario_get_all (&n_scenarios);

  for (gsize i = 0; i < G_N_ELEMENTS (presets); i++)
    g_ptr_array_add (words, (gpointer) presets[i].id);
  for (guint i = 0; own[i] != NULL; i++)
    g_ptr_array_add (words, own[i]);
  for (guint i = 0; i < words->len; i++)
    g_string_append_printf (ids, "%s%s", i == 0 ? "" : ", ", (const char *) words->pdata[i]);
  for (gsize i = 0; i < n_scenarios; i++)
    g_ptr_array_add (words, (gpointer) scenarios[i].id);
  g_ptr_array_add (words, NULL);
  nearest = prism_nearest_find (shown, (const char *const *) words->pdata);
  if (nearest != NULL)
    prism_error_config (error, "There is no preset “%s”: did you mean “%s”? There are %s.", shown,
                        nearest, ids->str);
  else
    prism_error_config (error, "There is no preset “%s”: choose one of %s.", shown, ids->str);
}

/**
 * prism_preset_load_over:
 * @base: (nullable): what keys have that the preset does not state
 * @id: a preset's id, such as "quick-look", or the name of one of the user's own
 *
 * Errors: as prism_preset_load().
 *
 * Returns: (transfer full) (nullable): a configuration
 */
PrismConfig *
prism_preset_load_over (const PrismConfig *base,
                        const char *id,
                        GError **error)
{
  g_auto (GStrv) own = prism_preset_store_dup_own ();

  if (prism_preset_store_is_builtin (id) || g_strv_contains ((const char *const *) own, id))
    return prism_config_load_preset (base, id, error);
  set_unknown_error (id, error);
  return NULL;
}

/**
 * prism_preset_load:
 * @id: a preset's id, such as "quick-look", or the name of one of the user's own
 *
 * Loads a preset; what neither it nor what it extends states has its default.
 *
 * Errors: PRISM_ERROR_CONFIG with the ids that there are, PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): a configuration
 */
PrismConfig *
prism_preset_load (const char *id,
                   GError **error)
{
  return prism_preset_load_over (NULL, id, error);
}

/**
 * prism_preset_save:
 * @id: how it is to be called; one of the same name is replaced
 * @help: one line that describes it; may be empty
 * @config: what it states
 * @error: return location
 *
 * Makes a preset of the user's own.
 *
 * Errors: PRISM_ERROR_CONFIG for a name that cannot be, PRISM_ERROR_IO.
 *
 * Returns: whether it is written
 */
gboolean
prism_preset_save (const char *id,
                   const char *help,
                   const PrismConfig *config,
                   GError **error)
{
  g_autofree char *path = NULL, *folder = NULL, *text = NULL, *line = NULL, *all = NULL;
  const char *reason = NULL;

  if (*id == '\0' || *id == '.' || strchr (id, '/') != NULL || strlen (id) > MOST_NAME)
    reason = _ ("a name has 1 to 64 bytes, no slash, and does not begin with a dot.");
  else if (prism_preset_store_is_builtin (id))
    reason = _ ("that is a preset of the program: choose another name.");
  if (reason != NULL)
    return prism_error_config (error, _ ("A preset cannot be called “%s”: %s"),
                               id, reason);
  path = prism_preset_store_dup_path (id);
  folder = g_path_get_dirname (path);
  g_mkdir_with_parents (folder, 0700);
  text = prism_config_to_text (config);
  line = g_strdelimit (g_strdup (help), "\r\n", ' ');
  all = *line != '\0' ? g_strdup_printf ("# %s\n\n%s", line, text) : g_strdup (text);
  return prism_file_save (path, all, strlen (all), error);
}

/**
 * prism_preset_dup_help:
 * @id: of a preset of the user's own
 *
 * Returns: (transfer full): the comment that its file begins with, empty where there is none
 */
char *
prism_preset_dup_help (const char *id)
{
  g_autoptr (GBytes) bytes = prism_preset_store_load (id, NULL);
  const char *text = NULL, *end;
  gsize length = 0;

  if (bytes != NULL)
    text = g_bytes_get_data (bytes, &length);
  if (text == NULL || length < 2 || *text != '#')
    return g_strdup ("");
  end = memchr (text, '\n', length);
  length = end != NULL ? (gsize) (end - text) : length;
  return g_strstrip (g_utf8_make_valid (text + 1, (gssize) MIN (length - 1, MOST_HELP)));
}

/* What differs from a base. */
static guint
append_settings (const PrismConfig *self,
                 const PrismConfig *base,
                 GString *command)
{
  guint n = 0;

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (self, param);

      if (!prism_config_differs (self, base, param))
        continue;
      prism_config_append_setting (command, param->key, value);
      n++;
    }
  return n;
}

/**
 * prism_preset_dup_command:
 * @verb: what the program is to do: "run"
 *
 * Writes the command that has this configuration: with the preset of the program that leaves fewest
 * settings, or without one, and every parameter that differs.
 *
 * Returns: (transfer full): "prism-cli run --preset quick-look --set snr=20"
 */
char *
prism_preset_dup_command (const PrismConfig *self,
                          const char *verb)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  GString *best = g_string_new (NULL);
  guint n_best;
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);

  g_string_printf (best, "prism-cli %s", verb);
  n_best = append_settings (self, defaults, best);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (PrismConfig) base = prism_preset_load (presets[i].id, NULL);
      g_autoptr (GString) command = g_string_new (NULL);
      guint n;

      if (base == NULL)
        continue;
      g_string_printf (command, "prism-cli %s --preset %s", verb, presets[i].id);
      n = append_settings (self, base, command);
      if (n >= n_best)
        continue;
      g_string_assign (best, command->str);
      n_best = n;
    }
  return g_string_free (best, FALSE);
}
