#include "config.h"

#include "prism-cli-recording.h"

#include "base/prism-error.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "ptychography/prism-ptychogram.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Runs are ZIP archives, and so is one kind of recording, which has a name of its own. What is
 * not there is left to the reader of runs, too, and so are pipes: to open one may take forever. */
static gboolean
is_archive (const char *path)
{
  char head[4] = "";
  FILE *file = g_file_test (path, G_FILE_TEST_IS_REGULAR) ? fopen (path, "rbe") : NULL;
  gsize n;

  if (file == NULL)
    return TRUE;
  n = fread (head, 1, sizeof head, file);
  fclose (file);
  return n == sizeof head && memcmp (head, "PK\003\004", n) == 0;
}

/**
 * prism_cli_recording_is:
 * @path: name of a file or folder
 *
 * Returns: whether it is to be read as a recording rather than as a run
 */
gboolean
prism_cli_recording_is (const char *path)
{
  g_autofree char *name = g_ascii_strdown (path, -1);

  if (g_file_test (path, G_FILE_TEST_IS_DIR) || g_str_has_suffix (name, ".npz"))
    return TRUE;
  return !g_str_has_suffix (name, ".prismrun") && !is_archive (path);
}

/**
 * prism_cli_recording_clear:
 * @self: options
 */
void
prism_cli_recording_clear (PrismCliRecordingOptions *self)
{
  g_free (self->recipe);
  g_free (self->positions);
  g_free (self->save_recipe);
  g_strfreev (self->values);
}

/**
 * prism_cli_recording_new_recipe:
 * @self: recipe and what is assigned
 *
 * Returns: (transfer full) (nullable): how the frames are to be understood
 */
PrismRecipe *
prism_cli_recording_new_recipe (const PrismCliRecordingOptions *self,
                                GError **error)
{
  g_autoptr (PrismRecipe) recipe = NULL;

  recipe = self->recipe != NULL ? prism_recipe_load (self->recipe, error) : prism_recipe_new ();
  for (guint i = 0; recipe != NULL && self->values != NULL && self->values[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (self->values[i], "=", 2);

      if (g_strv_length (parts) != 2)
        {
          g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                       "“%s” should be KEY=VALUE; “prism-cli inspect --keys” lists the keys.",
                       self->values[i]);
          return NULL;
        }
      if (!prism_recipe_set (recipe, g_strstrip (parts[0]), parts[1], error))
        return NULL;
    }
  return g_steal_pointer (&recipe);
}

/**
 * prism_cli_recording_load:
 * @self: recipe and positions
 * @path: file name of the frames
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_cli_recording_load (const PrismCliRecordingOptions *self,
                          const char *path,
                          GError **error)
{
  g_autoptr (PrismRecipe) recipe = prism_cli_recording_new_recipe (self, error);
  g_autoptr (PrismRecording) recording = NULL;

  if (recipe == NULL)
    return NULL;
  if (self->save_recipe != NULL && !prism_recipe_save (recipe, self->save_recipe, error))
    return NULL;
  recording = prism_recording_load (path, recipe, error);
  if (recording == NULL)
    return NULL;
  if (self->positions != NULL
      && !prism_recording_load_positions (recording, self->positions, error))
    return NULL;
  return g_steal_pointer (&recording);
}

static void
print_number (const char *label,
              double value,
              double scale,
              const char *unit)
{
  if (isfinite (value))
    prism_cli_print_line (stdout, "%-22s %.6g%s%s", label, value * scale,
                          *unit != '\0' ? " " : "", unit);
  else
    prism_cli_print_line (stdout, "%-22s unknown", label);
}

static void
print_text (const PrismRecording *recording,
            const GError *missing)
{
  prism_cli_print_line (stdout, "%s: %u frames of %u × %u pixels.", recording->format,
                        recording->n_frames, recording->width, recording->height);
  print_number ("Wavelength", recording->wavelength, 1e9, "nm");
  print_number ("Pixel at the sample", recording->pixel_size, 1e6, "µm");
  print_number ("Aperture (NA)", recording->na, 1, "");
  print_number ("Distance of the LEDs", recording->distance, 1e3, "mm");
  print_number ("Defocus", recording->defocus, 1e6, "µm");
  for (guint i = 0; i < recording->notes->len; i++)
    prism_cli_print_line (stdout, "%s", (const char *) g_ptr_array_index (recording->notes, i));
  prism_cli_print_line (stdout, "%s",
                        missing != NULL ? missing->message
                                        : "Nothing is missing for a reconstruction.");
}

static void
print_json (const PrismRecording *recording,
            const GError *missing)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  prism_cli_add_string (builder, "format", recording->format);
  prism_cli_add_integer (builder, "n_frames", recording->n_frames);
  prism_cli_add_integer (builder, "height", recording->height);
  prism_cli_add_integer (builder, "width", recording->width);
  prism_cli_add_number (builder, "wavelength", recording->wavelength);
  prism_cli_add_number (builder, "pixel_size", recording->pixel_size);
  prism_cli_add_number (builder, "na", recording->na);
  prism_cli_add_number (builder, "distance", recording->distance);
  prism_cli_add_number (builder, "defocus", recording->defocus);
  json_builder_set_member_name (builder, "positions");
  json_builder_add_boolean_value (builder, recording->positions != NULL);
  json_builder_set_member_name (builder, "directions");
  json_builder_begin_array (builder);
  for (gsize i = 0; recording->directions != NULL && i < 2 * (gsize) recording->n_frames; i++)
    json_builder_add_double_value (builder, recording->directions[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < recording->notes->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (recording->notes, i));
  json_builder_end_array (builder);
  prism_cli_add_string (builder, "missing", missing != NULL ? missing->message : NULL);
  json_builder_end_object (builder);
  prism_cli_print_json (builder);
}

/**
 * prism_cli_recording_inspect:
 * @self: recipe and positions
 * @path: file name of the frames
 * @json: whether it is printed as JSON
 *
 * Prints what was understood of a recording, and what is missing.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_recording_inspect (const PrismCliRecordingOptions *self,
                             const char *path,
                             gboolean json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) missing = NULL;
  g_autoptr (PrismRecording) recording = prism_cli_recording_load (self, path, &error);

  if (recording == NULL)
    return prism_cli_report (error);
  if (prism_recording_check (recording, &missing))
    prism_ptychogram_check_pixel (recording, -1, &missing);
  (json ? print_json : print_text) (recording, missing);
  if (prism_cli_finish_output () != PRISM_EXIT_OK)
    return PRISM_EXIT_FILE;
  return missing != NULL ? prism_cli_exit_from_error (missing) : PRISM_EXIT_OK;
}

/**
 * prism_cli_recording_keys:
 *
 * Prints what a recipe can say.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_recording_keys (void)
{
  gsize n;
  const PrismRecipeKey *keys = prism_recipe_get_keys (&n);

  for (gsize i = 0; i < n; i++)
    prism_cli_print_line (stdout, "%-18s %s%s%s%s", keys[i].key, keys[i].help,
                          keys[i].choices != NULL ? " (" : "",
                          keys[i].choices != NULL ? keys[i].choices : "",
                          keys[i].choices != NULL ? ")" : "");
  return prism_cli_finish_output ();
}
