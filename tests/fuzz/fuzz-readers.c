#include "config.h"

#include "fuzz.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "config/prism-config.h"
#include "formats/prism-archive.h"
#include "formats/prism-fields-readers.h"
#include "formats/prism-image.h"
#include "formats/prism-pickle.h"
#include "formats/prism-yaml.h"
#include "import/prism-import.h"
#include "model/prism-config-check.h"
#include "model/prism-pattern-points.h"
#include "profile/prism-trace-summary.h"
#include "recording/prism-recording.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* Targets that are one reader each. FUZZ_NAME says which of them a program is. */

#define MAX_BYTES (1 << 20)
#define N_FRAMES 5

static void
fuzz_archive (const uint8_t *data, size_t size)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (fuzz_get_path (data, size), NULL);
  const char *const *names;

  if (archive == NULL)
    return;
  names = prism_archive_get_names (archive);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GBytes) bytes = prism_archive_load (archive, names[i], MAX_BYTES, NULL);

      g_free (prism_archive_load_text (archive, names[i], NULL));
      g_assert_true (bytes == NULL || prism_archive_check (archive, names[i], NULL));
    }
}

/* What is read must come back the same from its own text, and can be checked; one in eight comes
 * from a file, with the paths that it names. */
static void
fuzz_config (const uint8_t *data, size_t size)
{
  g_autoptr (PrismConfig) config = prism_config_load_text ((const char *) data, size, "fuzz", NULL);

  if (size % 8 == 0)
    prism_config_free (prism_config_load (fuzz_get_path (data, size), NULL));
  if (config == NULL)
    return;
  g_autofree char *text = prism_config_to_text (config);
  g_autoptr (PrismConfig) again = prism_config_load_text (text, -1, "again", NULL);
  g_assert_nonnull (again);
  g_assert_true (prism_config_equal (config, again));
  prism_config_check (config, NULL);
}

/* One target per format: which it is, is told by the seeds' first bytes. */
static void
fuzz_image (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (PrismImage) image = prism_image_load_bytes (bytes, "fuzz", NULL);

  if (image == NULL)
    return;
  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    g_assert_true (isfinite (image->pixels[i]));
}

/* Settings of the first PRISM: what they come to is a configuration, and can be told. */
static void
fuzz_import (const uint8_t *data, size_t size)
{
  g_autoptr (PrismImport) import
      = prism_import_parse ((const char *) data, size, size % 2 == 0, NULL);
  g_autoptr (GError) error = NULL;
  const char *wrong;

  if (import == NULL)
    return;
  g_assert_true (prism_config_check_ranges (import->config, &wrong, &error));
  for (guint i = 0; i < import->notes->len; i++)
    g_assert_true (g_utf8_validate (import->notes->pdata[i], -1, NULL));
}

static void
fuzz_npy (const uint8_t *data, size_t size)
{
  g_autoptr (PrismFields) file = prism_fields_load_npy (fuzz_get_path (data, size), NULL);

  g_assert_true (file == NULL || file->fields->len == 1);
}

static void
fuzz_npz (const uint8_t *data, size_t size)
{
  g_autoptr (PrismFields) file = prism_fields_load_npz (fuzz_get_path (data, size), NULL);

  g_assert_true (file == NULL || file->fields->len <= PRISM_FIELDS_MAX);
}

/* Positions within the field, and the same after a round trip. */
static void
fuzz_pattern (const uint8_t *data, size_t size)
{
  guint n_points = 0, n_again = 0;
  g_autofree PrismPoint *points = prism_pattern_points_load (fuzz_get_path (data, size), 256,
                                                             &n_points, NULL);

  if (points == NULL)
    return;
  for (guint i = 0; i < n_points; i++)
    g_assert_true (fabs (points[i].y) <= 128.0 && fabs (points[i].x) <= 128.0);
  g_autofree char *text = prism_pattern_points_to_text (points, n_points);
  g_autofree PrismPoint *again = prism_pattern_points_parse (text, "again", 256, &n_again, NULL);
  g_assert_cmpmem (points, n_points * sizeof *points, again, n_again * sizeof *again);
}

/* A pickle may hold itself: no deeper than that. */
static void
visit (PrismPickle *file, const PrismPickleValue *value, guint depth)
{
  gsize shape[PRISM_PICKLE_MAX_DIMS], n = 1;
  const PrismPickleValue *item;
  const char *key;
  gboolean is_complex;
  int n_dims = prism_pickle_get_shape (value, shape, &is_complex);

  prism_pickle_get_text (value);
  for (int i = 0; i < n_dims; i++)
    n *= shape[i];
  if (n_dims >= 0 && n <= 65536)
    {
      prism_autofree_array double *values = prism_pickle_load_tensor (file, value, NULL);

      for (gsize i = 0; values != NULL && i < n; i++)
        g_assert_true (isnan (values[i]) || fabs (values[i]) <= INFINITY);
    }
  for (guint i = 0; i < 16 && depth < 3 && prism_pickle_get_item (value, i, &key, &item); i++)
    visit (file, item, depth + 1);
}

static void
fuzz_pickle (const uint8_t *data, size_t size)
{
  const PrismPickleValue *root;
  g_autoptr (PrismPickle) file = prism_pickle_load (fuzz_get_path (data, size), &root, NULL);

  if (file != NULL)
    visit (file, root, 0);
}

/* What is read is written and read again as the same, and can be shown in every way. */
static void
try_trace (const PrismTrace *trace)
{
  g_autofree char *written = prism_trace_dup_own (trace), *chrome = prism_trace_dup_chrome (trace);
  g_autofree char *text = prism_trace_dup_text (trace);
  g_autofree char *differences = prism_trace_dup_differences (trace, trace);
  g_autoptr (PrismTrace) again = prism_trace_read (written, strlen (written), "again", NULL);
  g_autoptr (JsonNode) root = json_from_string (chrome, NULL);

  g_assert_nonnull (again);
  g_autofree char *rewritten = prism_trace_dup_own (again);
  g_assert_cmpstr (written, ==, rewritten);
  g_assert_nonnull (root);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_null (strchr (text, '\x1b'));
}

static void
fuzz_profile (const uint8_t *data, size_t size)
{
  g_autoptr (PrismTrace) trace = prism_trace_read ((const char *) data, size, "fuzz", NULL);

  if (trace != NULL)
    try_trace (trace);
}

/* A recipe that is understood says the same once it is written; and a table of positions. */
static void
fuzz_recipe (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (PrismRecording) recording = prism_recording_new ("fuzz", "fuzz");

  g_autoptr (PrismRecipe) recipe = prism_recipe_parse ((const char *) data, size, "fuzz", NULL);
  if (recipe != NULL)
    {
      g_autofree char *text = prism_recipe_to_text (recipe);
      g_autoptr (PrismRecipe) again = prism_recipe_parse (text, strlen (text), "fuzz", NULL);
      g_autofree char *same = again != NULL ? prism_recipe_to_text (again) : NULL;

      g_assert_cmpstr (text, ==, same);
    }
  recording->n_frames = N_FRAMES;
  recording->height = recording->width = 8;
  recording->frames = NULL;
  recording->distance = 0.1;
  prism_recording_parse_positions (recording, bytes, "fuzz", NULL);
}

/* A file of frames, whatever its format. What is read has frames that can be computed with. */
static void
fuzz_recording (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismRecording) recording = NULL;

  recording = prism_recording_load (fuzz_get_path (data, size), NULL, &error);
  g_assert_true ((recording == NULL) == (error != NULL));
  if (recording == NULL)
    return;
  g_assert_true (prism_finite_all (recording->frames, (gsize) recording->n_frames
                                                          * recording->height
                                                          * recording->width));
  prism_recording_check (recording, NULL);
}

static void
fuzz_yaml (const uint8_t *data, size_t size)
{
  g_autoptr (GPtrArray) entries = prism_yaml_parse ((const char *) data, size, "fuzz", NULL);

  for (guint i = 0; entries != NULL && i < entries->len; i++)
    {
      const PrismYamlEntry *entry = entries->pdata[i];

      g_assert_true (g_utf8_validate (entry->path, -1, NULL));
      g_assert_true (entry->value == NULL || g_utf8_validate (entry->value, -1, NULL));
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const struct
  {
    const char *name; /* or its beginning */
    void (*run) (const uint8_t *data, size_t size);
  } targets[] = {
    { "archive", fuzz_archive },
    { "config", fuzz_config },
    { "fits", fuzz_image },
    { "jpeg", fuzz_image },
    { "png", fuzz_image },
    { "tiff", fuzz_image },
    { "import", fuzz_import },
    { "npy", fuzz_npy },
    { "npz", fuzz_npz },
    { "pattern", fuzz_pattern },
    { "pickle", fuzz_pickle },
    { "profile", fuzz_profile },
    { "recipe", fuzz_recipe },
    { "recording", fuzz_recording },
    { "yaml", fuzz_yaml },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (targets); i++)
    if (g_str_has_prefix (FUZZ_NAME, targets[i].name))
      targets[i].run (data, size);
  return 0;
}
