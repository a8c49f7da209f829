#include "config.h"

#include "ptychography/prism-problem.h"

#include <openssl/evp.h>

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-pool.h"
#include "base/prism-text.h"
#include "ptychography/prism-finding-picture.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (EVP_MD_CTX, EVP_MD_CTX_free)

/* A border that real frames need costs frames that are periodic, as many simulators make them, half
 * of what they say. Where opposite edges seem to join, frames that are held out tell which it is,
 * after a few passes with a border and without. */
static PrismPtychogram *
new_frames (const PrismRecording *recording,
            const PrismConfig *settings,
            GError **error)
{
  g_autoptr (PrismPtychogram) usual = prism_ptychogram_new (recording, settings, error);
  g_autoptr (PrismPtychogram) joined = NULL;
  g_autoptr (PrismConfig) without = NULL;

  if (usual == NULL || settings->border >= 0 || !usual->joins)
    return g_steal_pointer (&usual);
  without = prism_config_dup (settings);
  without->border = 0;
  joined = prism_ptychogram_new (recording, without, NULL);
  if (joined != NULL
      && prism_ptychography_try (prism_ptychogram_ref (joined), settings, settings->hold_out > 1,
                                 NULL)
             < prism_ptychography_try (prism_ptychogram_ref (usual), settings,
                                       settings->hold_out > 1, NULL))
    {
      joined->joins = TRUE;
      return g_steal_pointer (&joined);
    }
  return g_steal_pointer (&usual);
}

/* With what is decided by the frames. */
static PrismConfig *
dup_settings (const PrismConfig *settings,
              const PrismRecording *recording)
{
  PrismConfig *own = prism_config_dup (settings);

  prism_config_settle_method (own);
  own->tile = prism_mosaic_choose_side (recording, own->tile);
  return own;
}

/**
 * prism_problem_new:
 * @recording: frames with their directions, which nobody changes any more; a reference is kept
 * @settings: what is wanted
 *
 * Makes frames ready to be explained, of a field in tiles those of the middle one.
 *
 * Errors: as prism_ptychogram_new() and prism_mosaic_new(); PRISM_ERROR_CANCELLED, see
 * prism_parallel_go_on().
 *
 * Returns: (transfer full): the problem
 */
PrismProblem *
prism_problem_new (PrismRecording *recording,
                   const PrismConfig *settings,
                   GError **error)
{
  g_autoptr (PrismProblem) self = g_new0 (PrismProblem, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->recording = prism_recording_ref (recording);
  self->settings = dup_settings (settings, recording);
  if (self->settings->tile > 0
      && (self->mosaic = prism_mosaic_new (recording, self->settings, error)) == NULL)
    return NULL;
  self->frames = self->mosaic != NULL ? prism_mosaic_new_frames (self->mosaic, 0, error)
                                      : new_frames (recording, self->settings, error);
  return self->frames != NULL && prism_parallel_go_on (error) ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_problem_ref_for:
 * @settings: what is wanted
 * @error: return location
 *
 * The same frames as somebody else wants them. They are made ready anew where a setting differs
 * that they were made ready with, which takes as long as prism_problem_new().
 *
 * Errors: as prism_problem_new().
 *
 * Returns: (transfer full): the same where nothing differs that decides the result, or another one
 */
PrismProblem *
prism_problem_ref_for (PrismProblem *self,
                       const PrismConfig *settings,
                       GError **error)
{
  static const char *const of_frames[]
      = { "hold_out", "leave_out", "half_bright", "upsampling", "border", "rim", "background",
          "tile", "tile_overlap", NULL };
  g_autoptr (PrismConfig) own = dup_settings (settings, self->recording);
  gboolean same = TRUE, same_frames = TRUE;
  PrismProblem *other;

  PRISM_FOR_EACH_PARAM (param)
    if ((prism_config_decides (self->settings, param) || strcmp (param->key, "threads") == 0)
        && prism_config_differs (self->settings, own, param))
      {
        same = FALSE;
        same_frames &= !g_strv_contains (of_frames, param->key);
      }
  if (same)
    return prism_problem_ref (self);
  if (!same_frames || self->mosaic != NULL)
    other = prism_problem_new (self->recording, settings, error);
  else
    {
      other = g_new0 (PrismProblem, 1);
      g_atomic_ref_count_init (&other->ref_count);
      other->recording = prism_recording_ref (self->recording);
      other->settings = g_steal_pointer (&own);
      other->frames = prism_ptychogram_ref (self->frames);
    }
  if (other != NULL)
    prism_problem_set_reading (other, self->recipe, self->positions);
  return other;
}

PRISM_CLEAR (PrismProblem,
             problem_clear,
             prism_recording_free,
             recording,
             prism_config_free,
             settings,
             prism_ptychogram_unref,
             frames,
             prism_mosaic_free,
             mosaic,
             prism_recipe_free,
             recipe,
             g_free,
             positions)
PRISM_DEFINE_REFERENCES (PrismProblem, prism_problem, problem_clear)

/**
 * prism_problem_set_reading:
 * @self: one that nobody else has yet
 * @recipe: (nullable): how its file was understood; it is copied
 * @positions: (nullable): table that says where the LEDs are
 *
 * Says how its frames can be read again.
 */
void
prism_problem_set_reading (PrismProblem *self,
                           const PrismRecipe *recipe,
                           const char *positions)
{
  self->recipe = recipe != NULL ? prism_recipe_dup (recipe) : NULL;
  self->positions = g_strdup (positions);
}

/**
 * prism_problem_new_frame:
 * @frame: below the number of frames
 * @values: (nullable): amplitudes that are predicted of it, %NULL for those that were recorded
 *
 * Shape: [q][q].
 *
 * Returns: (transfer full) (nullable): amplitudes, NAN where a pixel is not used; %NULL without
 *   memory
 */
PrismImage *
prism_problem_new_frame (const PrismProblem *self,
                         guint frame,
                         const float *values)
{
  const int q = self->frames->side;
  PrismImage *image = prism_image_new_copy (
      q, q, values != NULL ? values : prism_ptychogram_get (self->frames, frame), NULL);

  for (gsize i = 0; image != NULL && i < (gsize) q * q; i++)
    if (image->pixels[i] < 0)
      image->pixels[i] = 0;
  return image;
}

/**
 * prism_problem_get_required_bytes:
 * @settings: what is wanted of the same frames
 * @saves: whether the run has a file, for which its state and its moments are held
 *
 * Numbers of objects and of grids that are held at once are those of the largest resident memory of
 * real runs (tests/bench/memory_told.py).
 *
 * Units: bytes.
 *
 * Returns: what a program holds at most that explains the frames on the processor, of a field that
 *   is one with one thread
 */
guint64
prism_problem_get_required_bytes (const PrismProblem *self,
                                  const PrismConfig *settings,
                                  gboolean saves)
{
  const PrismRecording *recording = self->recording;
  const guint64 n_pixels = (guint64) recording->height * recording->width;
  const guint64 whole = MIN (recording->height, recording->width);
  const int tile = prism_mosaic_choose_side (recording, settings->tile);
  const guint64 q = tile > 0 ? MIN ((guint64) tile, whole) : whole;
  const guint64 n = q * (guint64) self->frames->grid / (guint64) self->frames->side;
  const guint64 u = (guint64) (settings->upsampling > 0 ? settings->upsampling
                                                        : self->frames->upsampling);
  const guint64 grid = sizeof (float) * n * n, object = 2 * u * u * grid;
  const guint64 frames = sizeof (float) * recording->n_frames * q * q;
  const guint64 side = (guint64) prism_problem_get_side (self);
  const guint64 recorded = prism_arena_is_stored (recording->frames)
                               ? PRISM_ARENA_TOUCHED
                               : sizeof (float) * recording->n_frames * n_pixels;
  const guint64 moments = 12 * (guint64) settings->passes * side * side;
  const guint at_once = prism_mosaic_count_at_once ((guint) settings->threads, n_pixels, q);
  guint64 bytes = (32 << 20) + recorded + 80 * grid + 12 * object;

  if (tile > 0)
    /* Frames of tiles, the object of the middle one, the field, and each tile of another thread. */
    bytes += 4 * frames + 3 * object
             + (u * u * n_pixels > PRISM_PROBLEM_LARGE ? 12 : 20) * sizeof (float) * u * u
                   * n_pixels
             + (at_once > 1 ? at_once : 0) * (2 * frames + 4 * object + 40 * grid);
  else
    bytes += frames;
  if (settings->method == PRISM_METHOD_DESCENT)
    bytes += 8 * object;
  if (saves)
    bytes += (4 << 20) + object + MIN (moments, (guint64) settings->history_size << 20);
  /* Holes between blocks. */
  return bytes + bytes / 16;
}

/**
 * prism_problem_get_field:
 *
 * Returns: pixels of the object along the longer side of the field
 */
int
prism_problem_get_field (const PrismProblem *self)
{
  const PrismMosaicPlan *plan = self->mosaic != NULL ? &self->mosaic->plan : NULL;

  return plan != NULL ? MAX (plan->height, plan->width)
                      : self->frames->upsampling * self->frames->side;
}

/**
 * prism_problem_get_reduction:
 *
 * Returns: pixels of the object, along a side, for one of its picture
 */
int
prism_problem_get_reduction (const PrismProblem *self)
{
  return prism_finding_picture_get_reduction (prism_problem_get_field (self));
}

/**
 * prism_problem_get_side:
 *
 * Returns: pixels of a side of the object's picture, which is a square, an even number
 */
int
prism_problem_get_side (const PrismProblem *self)
{
  return prism_problem_get_field (self) / prism_problem_get_reduction (self) / 2 * 2;
}

/**
 * prism_problem_get_spectrum_scale:
 *
 * Returns: pixels of the picture's spectrum for one of a frame's grid
 */
double
prism_problem_get_spectrum_scale (const PrismProblem *self)
{
  const PrismPtychogram *frames = self->frames;
  const double part = (double) prism_problem_get_field (self) / frames->upsampling / frames->side;

  return part * frames->side / frames->grid / prism_problem_get_reduction (self);
}

/**
 * prism_problem_get_n_tiles:
 *
 * Returns: tiles that the field is cut into, 1 where it is not
 */
guint
prism_problem_get_n_tiles (const PrismProblem *self)
{
  return self->mosaic != NULL ? self->mosaic->plan.n_tiles : 1;
}

static void
add_bytes (EVP_MD_CTX *checksum,
           const void *values,
           gsize n_bytes)
{
  if (values != NULL)
    EVP_DigestUpdate (checksum, values, n_bytes);
}

/* SHA-256 of what was read, whatever the format: intensities, the mask, where the light came from,
 * and the numbers of the instrument. A field has gigabytes, of which libcrypto's takes a fraction
 * of the time of GLib's. */
static char *
dup_checksum (const PrismRecording *recording,
              GError **error)
{
  const double numbers[] = { recording->n_frames, recording->height, recording->width,
                             recording->wavelength, recording->pixel_size, recording->na };
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const gsize n_row = n_pixels * sizeof *recording->frames;
  g_autoptr (EVP_MD_CTX) checksum = EVP_MD_CTX_new ();
  guchar sum[EVP_MAX_MD_SIZE];
  guint n_sum = 0;
  GString *text = g_string_new (NULL);

  EVP_DigestInit_ex (checksum, EVP_sha256 (), NULL);
  add_bytes (checksum, numbers, sizeof numbers);
  add_bytes (checksum, recording->directions,
             2 * (gsize) recording->n_frames * sizeof *recording->directions);
  add_bytes (checksum, recording->mask, n_pixels);
  for (guint j = 0; j < recording->n_frames; j++)
    {
      if (!prism_parallel_go_on (error))
        return g_string_free (text, TRUE);
      add_bytes (checksum, recording->frames + j * n_pixels, n_row);
      prism_arena_touch (recording->frames, n_row);
    }
  EVP_DigestFinal_ex (checksum, sum, &n_sum);
  for (guint i = 0; i < n_sum; i++)
    g_string_append_printf (text, "%02x", sum[i]);
  return g_string_free (text, FALSE);
}

static void
add_path (JsonBuilder *builder,
          const char *name,
          const char *path)
{
  g_autofree char *whole = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;
  g_autofree char *text = path != NULL ? prism_file_to_text (whole) : NULL;

  prism_json_add (builder, "%s: %s", name, text);
}

/**
 * prism_problem_to_text:
 * @checks: whether they shall be the same frames when they are read again
 *
 * Writes down where the frames are and how they are read; to check them, their SHA-256, which takes
 * as long as a checksum of all frames does.
 *
 * Errors: PRISM_ERROR_CANCELLED, see prism_parallel_go_on(), where they are checked.
 *
 * Returns: (transfer full): a JSON object
 */
char *
prism_problem_to_text (const PrismProblem *self,
                       gboolean checks,
                       GError **error)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *checksum = checks ? dup_checksum (self->recording, error) : NULL;
  g_autofree char *recipe = self->recipe != NULL ? prism_recipe_to_text (self->recipe) : NULL;

  if (checks && checksum == NULL)
    return NULL;
  prism_json_add (builder, "{");
  add_path (builder, "path", self->recording->path);
  add_path (builder, "positions", self->positions);
  prism_json_add (builder, "recipe: %s, frames_sha256: %s}", recipe, checksum);
  return prism_json_dup_text (builder);
}

/* (nullable): what add_path() wrote */
static char *
dup_path (JsonObject *root,
          const char *name)
{
  const char *text = prism_json_get_text (root, name);

  return text != NULL ? prism_file_from_text (text) : NULL;
}

/**
 * prism_problem_dup_options:
 * @text: (nullable): of prism_problem_to_text()
 *
 * Returns: (transfer full): how its frames were read, as the command line is told: " --positions
 *   leds.csv --assign 'na = 0.1'"
 */
char *
prism_problem_dup_options (const char *text)
{
  g_autoptr (JsonNode) node = text != NULL ? prism_json_parse_object (text, strlen (text)) : NULL;
  JsonObject *root = prism_json_to_object (node);
  const char *recipe = prism_json_get_text (root, "recipe");
  g_autofree char *positions = dup_path (root, "positions");
  g_autofree char *table = positions != NULL ? g_shell_quote (positions) : NULL;
  g_auto (GStrv) lines = g_strsplit (recipe != NULL ? recipe : "", "\n", -1);
  GString *options = g_string_new (NULL);

  if (table != NULL)
    g_string_append_printf (options, " --positions %s", table);
  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], " = ") != NULL)
      {
        g_autofree char *line = g_shell_quote (lines[i]);

        g_string_append_printf (options, " --assign %s", line);
      }
  return g_string_free (options, FALSE);
}

static PrismRecording *
read_again (const char *path,
            const char *positions,
            PrismRecipe *recipe,
            GError **error)
{
  g_autoptr (PrismRecipe) plain = prism_recipe_new ();
  PrismRecording *recording
      = prism_recording_load_with (path, positions, recipe != NULL ? recipe : plain, error);

  /* That somebody has ended the reading is no fault of the frames. */
  if (recording == NULL && error != NULL
      && !g_error_matches (*error, PRISM_ERROR, PRISM_ERROR_CANCELLED))
    g_prefix_error (error, _ ("The frames of this run cannot be read again: "));
  return recording;
}

static gboolean
check_same (const PrismRecording *recording,
            const char *expected,
            GError **error)
{
  g_autofree char *checksum = dup_checksum (recording, error);

  if (checksum == NULL)
    return FALSE;
  if (g_strcmp0 (checksum, expected) == 0)
    return TRUE;
  return prism_error_format (error,
                             _ ("“%s” has changed since the run began: put the frames of then back,"
                                " or begin a new"
                                " run."),
                             recording->path);
}

/**
 * prism_problem_load:
 * @text: of prism_problem_to_text()
 * @name: of the text, for messages
 * @settings: what is wanted
 * @checks: whether they must be the same frames
 *
 * Reads the frames again, as they are by now.
 *
 * Errors: PRISM_ERROR_IO where they are gone, PRISM_ERROR_FORMAT where they have changed or the
 * text is damaged; those of prism_recording_load().
 *
 * Returns: (transfer full): the problem
 */
PrismProblem *
prism_problem_load (const char *text,
                    const char *name,
                    const PrismConfig *settings,
                    gboolean checks,
                    GError **error)
{
  g_autoptr (JsonNode) node = prism_json_parse_object (text, strlen (text));
  JsonObject *root = prism_json_to_object (node);
  g_autofree char *path = dup_path (root, "path"), *positions = dup_path (root, "positions");
  const char *recipe_text = prism_json_get_text (root, "recipe");
  g_autoptr (PrismRecipe) recipe = NULL;
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (PrismProblem) self = NULL;

  if (path == NULL)
    {
      prism_error_format (error,
                          _ ("%s cannot be used: it does not say where the frames are."), name);
      return NULL;
    }
  if (recipe_text != NULL)
    {
      recipe = prism_recipe_parse (recipe_text, strlen (recipe_text), name, error);
      if (recipe == NULL)
        return NULL;
    }
  recording = read_again (path, positions, recipe, error);
  if (recording == NULL
      || (checks && !check_same (recording, prism_json_get_text (root, "frames_sha256"), error)))
    return NULL;
  self = prism_problem_new (recording, settings, error);
  if (self != NULL)
    prism_problem_set_reading (self, recipe, positions);
  return g_steal_pointer (&self);
}
