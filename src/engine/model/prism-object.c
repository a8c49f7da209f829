#include "config.h"

#include "model/prism-object.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "config/prism-builtin.h"
#include "model/prism-object-builtin.h"
#include "num/prism-resample.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (1) << 30)

typedef struct
{
  float low;
  float high;
} ValueRange;

static ValueRange
get_range (const PrismImage *image)
{
  ValueRange range = { INFINITY, -INFINITY };

  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    {
      range.low = MIN (range.low, image->pixels[i]);
      range.high = MAX (range.high, image->pixels[i]);
    }
  return range;
}

/* The frame has the value of the darkest pixel, the image lies in its middle. */
static PrismImage *
new_centred (const PrismImage *image,
             int side,
             float background,
             GError **error)
{
  PrismImage *frame = prism_image_new (side, side, error);
  int y0 = (side - image->height) / 2;
  int x0 = (side - image->width) / 2;

  if (frame == NULL)
    return NULL;
  for (gsize i = 0; i < (gsize) side * side; i++)
    frame->pixels[i] = background;
  for (int y = 0; y < image->height; y++)
    memcpy (frame->pixels + (gsize) (y0 + y) * side + x0,
            image->pixels + (gsize) y * image->width, image->width * sizeof *image->pixels);
  return frame;
}

static gboolean
check_range (ValueRange range,
             GError **error)
{
  if (range.high > range.low)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               _ ("The image has the same value everywhere in single precision (seven digits, "
                  "1e-37 to 1e37), so that there is nothing to reconstruct. "
                  "Choose an image that shows something."));
  return FALSE;
}

/* Intensity to amplitude: the darkest pixel becomes 0, the brightest 1, and √ of that is kept. */
static void
finish_amplitude (PrismImage *image,
                  ValueRange range)
{
  double scale = 1.0 / ((double) range.high - range.low);

  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    {
      double value = ((double) image->pixels[i] - range.low) * scale;
      image->pixels[i] = (float) sqrt (CLAMP (value, 0.0, 1.0));
    }
}

static void
invert_pixels (PrismImage *image)
{
  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    image->pixels[i] = -image->pixels[i];
}

static PrismImage *
fit_sides (const PrismImage *image,
           int side,
           GError **error)
{
  double scale = (double) side / MAX (image->height, image->width);
  int height = CLAMP ((int) lround (image->height * scale), 1, side);
  int width = CLAMP ((int) lround (image->width * scale), 1, side);

  return prism_resample (image, height, width, error);
}

/**
 * prism_object_fit:
 * @grey: intensities in any range
 * @object_size: m
 * @invert: whether bright and dark are exchanged
 *
 * Makes an object of an image: resampled so that it fits, keeping its aspect, into a square filled
 * with its darkest value; then from 0 to 1; then the square root, since a field's amplitude is the
 * root of its intensity.
 *
 * Shape: the result is [m][m].
 * Units: amplitude, 0…1.
 * Errors: PRISM_ERROR_FORMAT for an image without structure, PRISM_ERROR_MEMORY.
 * Source: numerics.md § 2.
 *
 * Returns: (transfer full) (nullable): the amplitude
 */
PrismImage *
prism_object_fit (const PrismImage *grey,
                  int object_size,
                  gboolean invert,
                  GError **error)
{
  g_autoptr (PrismImage) fitted = NULL;
  PrismImage *object;
  ValueRange range;

  g_return_val_if_fail (grey != NULL && object_size > 0, NULL);

  fitted = fit_sides (grey, object_size, error);
  if (fitted == NULL)
    return NULL;
  if (invert)
    invert_pixels (fitted);
  range = get_range (fitted);
  if (!check_range (range, error))
    return NULL;

  object = new_centred (fitted, object_size, range.low, error);
  if (object != NULL)
    finish_amplitude (object, range);
  return object;
}

/* What a .npy file holds is the amplitude itself. */
static PrismImage *
fit_amplitude (PrismImage *image,
               int object_size,
               GError **error)
{
  g_autoptr (PrismImage) object = NULL;
  ValueRange range = get_range (image);

  if (image->height != image->width || image->height % 2 != 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   _ ("The array has %d × %d values, but an amplitude must be square with an even "
                      "side. Cut or pad it, or save it as an image."),
                   image->height, image->width);
      return NULL;
    }
  if (range.low < 0.0f)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   _ ("The array has values from %g to %g, but an amplitude is not negative. Take"
                      " its absolute value, or set what is below zero to zero."),
                   range.low, range.high);
      return NULL;
    }
  if (range.high > 1.0f)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   _ ("The array has values from %g to %g, but an amplitude lies between 0 and 1. "
                      "Divide it by its maximum."),
                   range.low, range.high);
      return NULL;
    }
  /* One bright value everywhere is a square of light with an edge, which a tile may well be. */
  if (range.high <= 0.0f && !check_range (range, error))
    return NULL;

  object = prism_resample (image, object_size, object_size, error);
  for (gsize i = 0; object != NULL && i < (gsize) object_size * object_size; i++)
    object->pixels[i] = CLAMP (object->pixels[i], 0.0f, 1.0f);
  return g_steal_pointer (&object);
}

static gboolean
is_builtin (const char *name)
{
  gsize n;
  const PrismBuiltin *builtins = prism_builtin_get_all (&n);

  for (gsize i = 0; i < n; i++)
    if (g_str_equal (builtins[i].id, name))
      return TRUE;
  return FALSE;
}

static char *
dup_builtin_names (void)
{
  GString *names = g_string_new (NULL);
  gsize n;
  const PrismBuiltin *builtins = prism_builtin_get_all (&n);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i == 0 ? "" : i + 1 < n ? ", "
                                                                   : " or ",
                            builtins[i].id);
  return g_string_free (names, FALSE);
}

static gboolean
check_exists (const char *name,
              GError **error)
{
  g_autofree char *shown = prism_file_dup_display_name (name);
  g_autofree char *builtins = NULL;

  if (strchr (name, G_DIR_SEPARATOR) != NULL || g_file_test (name, G_FILE_TEST_EXISTS))
    return TRUE;

  builtins = dup_builtin_names ();
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
               _ ("The object “%s” is neither a file nor built in. Choose %s, or an image file."),
               shown, builtins);
  return FALSE;
}

static PrismImage *
load_file (const PrismConfig *config,
           GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (config->object);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PrismImage) image = NULL;
  PrismImage *object;
  GError *local_error = NULL;
  gsize size;
  const char *data;

  if (!check_exists (config->object, error))
    return NULL;
  bytes = prism_file_load (config->object, MAX_FILE_BYTES, error);
  if (bytes == NULL)
    return NULL;
  image = prism_image_load_bytes (bytes, name, error);
  if (image == NULL)
    return NULL;

  data = g_bytes_get_data (bytes, &size);
  if (size > 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    object = fit_amplitude (image, config->object_size, &local_error);
  else
    object = prism_object_fit (image, config->object_size, config->object_invert, &local_error);
  if (local_error != NULL)
    g_propagate_prefixed_error (error, local_error, "“%s”: ", name);
  if (object != NULL)
    object->origin = image->origin;
  return object;
}

static PrismImage *
load_builtin (const PrismConfig *config,
              GError **error)
{
  g_autoptr (PrismImage) intensity = prism_object_draw_builtin (config->object, config, error);

  if (intensity == NULL)
    return NULL;
  return prism_object_fit (intensity, config->object_size, config->object_invert, error);
}

/**
 * prism_object_load:
 * @config: object, object_size, object_invert; for built-in ones also point_… and object_text
 *
 * Draws a built-in object or reads one from an image file (PNG, JPEG, TIFF, FITS: intensities) or
 * a .npy file (the amplitude itself: unchanged where its side is m, resampled otherwise, never
 * inverted). Its origin says what of the file it does not show.
 *
 * Shape: [m][m].
 * Units: amplitude, 0…1.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 * Source: numerics.md § 2.
 *
 * Returns: (transfer full) (nullable): the amplitude
 */
PrismImage *
prism_object_load (const PrismConfig *config,
                   GError **error)
{
  g_return_val_if_fail (config != NULL && config->object_size > 0, NULL);

  if (config->object == NULL || *config->object == '\0')
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("No object is chosen. Set “object” to the name of a built-in one or to a "
                      "file."));
      return NULL;
    }
  return is_builtin (config->object) ? load_builtin (config, error) : load_file (config, error);
}
