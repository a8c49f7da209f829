#include "config.h"

#include "model/prism-object-builtin.h"

#include "base/prism-error.h"
#include "model/prism-stroke-font.h"

/* Of the side of the frame. */
#define FILLED 0.92

/* A newline is easier to type on a command line as \n. */
static char *
dup_lines (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text == NULL ? "" : text, "\\n", -1);

  return g_strjoinv ("\n", parts);
}

/**
 * prism_object_draw_text:
 * @config: object_size, object_text
 *
 * Draws a text as large as fits; \n in it starts a new line.
 *
 * Errors: PRISM_ERROR_CONFIG for a text without letters, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the intensity
 */
PrismImage *
prism_object_draw_text (const PrismConfig *config,
                        GError **error)
{
  g_autofree char *lines = dup_lines (config->object_text);
  g_autoptr (PrismStrokeText) text = prism_stroke_text_new (lines);
  double width = prism_stroke_text_get_width (text);
  double height = prism_stroke_text_get_height (text);
  int m = config->object_size;
  PrismImage *image;
  double scale;

  if (width == 0.0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "The text of the object is empty. Set “object_text” to a word.");
      return NULL;
    }
  image = prism_image_new (m, m, error);
  if (image == NULL)
    return NULL;

  scale = FILLED * m / MAX (width, height);
  prism_stroke_text_draw (text, image, (m - height * scale) / 2, (m - width * scale) / 2, scale);
  return image;
}
