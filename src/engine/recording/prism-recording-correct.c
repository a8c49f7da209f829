#include "config.h"

#include "recording/prism-recording-correct.h"

#include "recording/prism-fields-open.h"
#include "recording/prism-recording-exposure.h"
#include "recording/prism-recording-frames.h"
#include "recording/prism-recording-hot.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define CXI_MASK "entry_1/instrument_1/detector_1/mask"
#define MOST_HOT 0.005 /* of all pixels */
#define MOST_GAPS 0.5  /* likewise */
#define DARKEST 0.02   /* of the mean of a bright frame: less is no flat field */

/* The frame that a key of the recipe names: an array of the file, else another file. */
static float *
load_named (PrismRecording *self,
            PrismFields *fields,
            const PrismRecipe *recipe,
            const char *key,
            GError **error)
{
  const char *name = prism_recipe_get (recipe, key);
  PrismField *field = prism_fields_find (fields, name);
  g_autoptr (PrismFields) others = NULL;

  if (field != NULL)
    return prism_recording_frames_load_mean (fields, field, recipe, self->height, self->width,
                                             error);
  others = prism_fields_open (name, error);
  if (others == NULL)
    {
      g_prefix_error (error, "“%s” has no array “%s” for “%s”, and as a file: ", fields->name, name,
                      key);
      return NULL;
    }
  for (guint i = 0; i < others->fields->len; i++)
    {
      PrismField *other = g_ptr_array_index (others->fields, i);

      if (field == NULL || other->n_values > field->n_values)
        field = other;
    }
  if (field != NULL)
    return prism_recording_frames_load_mean (others, field, recipe, self->height, self->width,
                                             error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT, "“%s” has no array.", name);
  return NULL;
}

static gboolean
is_masked (const PrismRecording *self,
           gsize pixel)
{
  return self->mask != NULL && self->mask[pixel] == 0;
}

/* Takes one number, or a frame, off all frames, where pixels are used. */
static gboolean
take_dark_off (PrismRecording *self,
               PrismFields *fields,
               const PrismRecipe *recipe,
               GError **error)
{
  const char *text = prism_recipe_get (recipe, "dark");
  gsize n_pixels = (gsize) self->height * self->width;
  prism_autofree_array float *dark = NULL;
  double level;
  char *end;

  if (text == NULL)
    return TRUE;
  level = g_ascii_strtod (text, &end);
  if (*end != '\0' || !isfinite (level))
    {
      level = 0;
      dark = load_named (self, fields, recipe, "dark", error);
      if (dark == NULL)
        return FALSE;
    }
  for (gsize j = 0; j < self->n_frames; j++)
    for (gsize i = 0; i < n_pixels; i++)
      if (!is_masked (self, i))
        self->frames[j * n_pixels + i] -= dark != NULL ? dark[i] : (float) level;
  return TRUE;
}

/* Divides by a bright frame, whose mean is made 1. */
static gboolean
divide_by_bright (PrismRecording *self,
                  PrismFields *fields,
                  const PrismRecipe *recipe,
                  GError **error)
{
  gsize n_pixels = (gsize) self->height * self->width;
  prism_autofree_array float *bright = NULL;
  double mean = 0;
  guint n = 0;

  if (prism_recipe_get (recipe, "bright") == NULL)
    return TRUE;
  bright = load_named (self, fields, recipe, "bright", error);
  if (bright == NULL)
    return FALSE;
  for (gsize i = 0; i < n_pixels; i++)
    if (!is_masked (self, i))
      {
        mean += (double) bright[i];
        n++;
      }
  mean /= n;
  for (gsize i = 0; i < n_pixels; i++)
    if (!is_masked (self, i) && (!(mean > 0) || !(bright[i] > DARKEST * mean)))
      {
        g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                     "“bright” cannot divide the frames: pixel %u of row %u has %g, less than"
                     " 2 %% of its mean, %g.",
                     (guint) (i % self->width), (guint) (i / self->width), bright[i], mean);
        return FALSE;
      }
  for (gsize j = 0; j < self->n_frames; j++)
    for (gsize i = 0; i < n_pixels; i++)
      if (!is_masked (self, i))
        self->frames[j * n_pixels + i] *= (float) (mean / bright[i]);
  return TRUE;
}

/* values: [h][w]; CXI has bits for what is wrong with a pixel, a recipe's mask 1 for a good one. */
static gboolean
add_mask (PrismRecording *self,
          const float *values,
          gboolean zero_is_good,
          GError **error)
{
  gsize n_pixels = (gsize) self->height * self->width, n_good = 0;

  if (self->mask == NULL)
    {
      self->mask = g_malloc (n_pixels);
      memset (self->mask, 1, n_pixels);
    }
  for (gsize i = 0; i < n_pixels; i++)
    {
      if ((values[i] == 0) != zero_is_good)
        self->mask[i] = 0;
      n_good += self->mask[i];
    }
  if (n_good < n_pixels / 10)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "The mask leaves %u of %u pixels, less than a tenth; is it inverted? 0 is one"
                   " that is not used.",
                   (guint) n_good, (guint) n_pixels);
      return FALSE;
    }
  if (n_good < n_pixels)
    prism_recording_note (self,
                          ngettext ("%u pixel is masked.", "%u pixels are masked.",
                                    (gulong) (n_pixels - n_good)),
                          (guint) (n_pixels - n_good));
  return TRUE;
}

static gboolean
assign_mask (PrismRecording *self,
             PrismFields *fields,
             const PrismRecipe *recipe,
             GError **error)
{
  const PrismField *field = prism_fields_find (fields, CXI_MASK);
  gboolean said = prism_recipe_get (recipe, "mask") != NULL;
  prism_autofree_array float *values = NULL;

  if (!said && (field == NULL || field->obstacle != NULL || field->n_dims != 2))
    return TRUE;
  values = said ? load_named (self, fields, recipe, "mask", error)
                : prism_recording_frames_load_mean (fields, field, recipe, self->height,
                                                    self->width, error);
  return values != NULL && add_mask (self, values, !said, error);
}

/* bad: [h][w]: not 0 where a pixel is not to be used */
static void
mask_pixels (PrismRecording *self,
             const guint8 *bad)
{
  const gsize n_pixels = (gsize) self->height * self->width;

  if (self->mask == NULL)
    {
      self->mask = g_malloc (n_pixels);
      memset (self->mask, 1, n_pixels);
    }
  for (gsize i = 0; i < n_pixels; i++)
    if (bad[i] != 0)
      self->mask[i] = 0;
}

/* A camera with more of them than that has another fault, which is told and not hidden. */
static void
mask_hot (PrismRecording *self,
          const PrismRecipe *recipe)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  const char *said = prism_recipe_get (recipe, "hot_pixels");
  g_autofree guint8 *hot = NULL;
  guint n = 0;

  if (g_strcmp0 (said, "keep") == 0)
    return;
  hot = prism_recording_hot_find (self, &n);
  if (n == 0)
    return;
  if (n > MOST_HOT * n_pixels && said == NULL)
    {
      prism_recording_note (self,
                            _ ("%u pixels stand out of every frame, which is more than a camera has"
                               " of hot ones: take a dark frame off (“dark”), or set"
                               " hot_pixels=mask."),
                            n);
      return;
    }
  mask_pixels (self, hot);
  prism_recording_note (self,
                        ngettext ("%u hot pixel is masked; hot_pixels=keep uses it.",
                                  "%u hot pixels are masked; hot_pixels=keep uses them.", n),
                        n);
}

/* As pixels that are no numbers. */
static void
mask_gaps (PrismRecording *self,
           const PrismRecipe *recipe)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  g_autofree guint8 *gaps = NULL;
  guint n = 0;

  if (prism_recipe_is (recipe, "hot_pixels", "keep"))
    return;
  gaps = prism_recording_hot_find_gaps (self, &n);
  if (n == 0 || n > MOST_GAPS * n_pixels)
    return;
  mask_pixels (self, gaps);
  for (gsize j = 0; j < self->n_frames; j++)
    for (gsize i = 0; i < n_pixels; i++)
      if (gaps[i] != 0)
        self->frames[j * n_pixels + i] = 0;
  prism_recording_note (self,
                        ngettext ("%u pixel shows the same in every frame, as gaps of a detector"
                                  " do, and is masked; hot_pixels=keep uses it.",
                                  "%u pixels show the same in every frame, as gaps of a detector"
                                  " do, and are masked; hot_pixels=keep uses them.",
                                  n),
                        n);
}

/**
 * prism_recording_correct:
 * @fields: the file of the frames
 * @recipe: (nullable): what is said of them
 *
 * Takes the dark frame off, divides by exposures and by the bright frame and masks pixels, hot ones
 * besides.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it could be done
 */
gboolean
prism_recording_correct (PrismRecording *self,
                         PrismFields *fields,
                         const PrismRecipe *recipe,
                         GError **error)
{
  self->are_counts = prism_recording_exposure_are_counts (self);
  self->exposure_rule = prism_recipe_is (recipe, "exposure", "divide") ? 1
                        : prism_recipe_is (recipe, "exposure", "keep") ? -1
                                                                       : 0;
  mask_gaps (self, recipe);
  if (!assign_mask (self, fields, recipe, error) || !take_dark_off (self, fields, recipe, error)
      || !prism_recording_exposure_assign (self, fields, error)
      || !divide_by_bright (self, fields, recipe, error))
    return FALSE;
  mask_hot (self, recipe);
  return TRUE;
}
