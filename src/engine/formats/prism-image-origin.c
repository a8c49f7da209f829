#include "config.h"

#include "formats/prism-image-origin.h"

#include "base/prism-record.h"

#include <inttypes.h>

#define COUNT(member) \
  PRISM_RECORD_PART (PrismImageOrigin, #member, member, COUNT, 0, PRISM_RECORD_MOST, TRUE)
#define REAL(member) \
  PRISM_RECORD_PART (PrismImageOrigin, #member, member, REAL, 0, PRISM_RECORD_MOST, TRUE)

static const PrismRecordField fields[] = {
  COUNT (n_pixels),
  COUNT (n_unknown),
  COUNT (n_infinite),
  COUNT (n_pages),
  COUNT (n_frames),
  COUNT (n_planes),
  COUNT (n_images),
  COUNT (n_channels),
  COUNT (n_colors),
  REAL (lone_share),
  COUNT (lone_x),
  COUNT (lone_y),
  REAL (pixel_ratio),
  { NULL },
};

static void
append_sentence (GString *text,
                 char *sentence)
{
  if (text->len > 0)
    g_string_append_c (text, ' ');
  g_string_append (text, sentence);
  g_free (sentence);
}

static void
append_part (GString *text,
             const char *format,
             guint64 n)
{
  if (n > 1)
    append_sentence (text, g_strdup_printf (format, n));
}

/**
 * prism_image_origin_dup_notice:
 * @self: what an image does not show
 *
 * Returns: (transfer full) (nullable): a sentence with numbers for each; %NULL where there is none
 */
char *
prism_image_origin_dup_notice (const PrismImageOrigin *self)
{
  GString *text = g_string_new (NULL);

  if (self->n_unknown > 0)
    append_sentence (
        text, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                            "%" PRIu64 " of %" PRIu64 " pixels is not a number; it "
                                            "was taken as the darkest value.",
                                            "%" PRIu64 " of %" PRIu64 " pixels are not numbers; "
                                            "they were taken as the darkest value.",
                                            self->n_unknown),
                               self->n_unknown, self->n_pixels));
  if (self->n_infinite > 0)
    append_sentence (
        text, g_strdup_printf (g_dngettext (GETTEXT_PACKAGE,
                                            "%" PRIu64 " of %" PRIu64 " pixels is infinite; it was "
                                            "taken as the brightest or the darkest value.",
                                            "%" PRIu64 " of %" PRIu64 " pixels are infinite; they "
                                            "were taken as the brightest or the darkest value.",
                                            self->n_infinite),
                               self->n_infinite, self->n_pixels));
  if (self->lone_share > 0)
    append_sentence (text,
                     g_strdup_printf (_ ("One pixel, in column %" PRIu64 ", row %" PRIu64
                                         ", takes %.5g %% of the range of values alone, and all"
                                         " others share the rest: where it is wrong, mend it in the"
                                         " file."),
                                      self->lone_x + 1, self->lone_y + 1, 100 * self->lone_share));
  /* Steps that are told with fewer digits than others differ by less than a pixel over the
   * whole. */
  if (self->pixel_ratio > 0 && fabs (self->pixel_ratio - 1) * sqrt ((double) self->n_pixels) >= 1)
    append_sentence (text, g_strdup_printf (_ ("Its pixels are %.4g times as high as wide; they"
                                               " were taken as squares."),
                                            self->pixel_ratio));
  append_part (text, _ ("Page 1 of %" PRIu64 " was taken."), self->n_pages);
  append_part (text, _ ("Frame 1 of %" PRIu64 " was taken."), self->n_frames);
  append_part (text, _ ("Plane 1 of %" PRIu64 " was taken."), self->n_planes);
  append_part (text, _ ("Image 1 of %" PRIu64 " was taken."), self->n_images);
  append_part (text,
               self->n_colors == 3
                   ? _ ("Channels 1 to 3 of %" PRIu64 " were taken as red, green and blue.")
                   : _ ("Channel 1 of %" PRIu64 " was taken."),
               self->n_channels);
  return g_string_free (text, text->len == 0);
}

/**
 * prism_image_origin_to_text:
 * @self: what an image does not show
 *
 * Returns: (transfer full): a JSON object
 */
char *
prism_image_origin_to_text (const PrismImageOrigin *self)
{
  return prism_record_to_text (fields, self);
}

/**
 * prism_image_origin_parse:
 * @self: (out caller-allocates): what an image does not show
 * @text: what prism_image_origin_to_text() wrote
 * @name: of the text, for messages
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether everything was good
 */
gboolean
prism_image_origin_parse (PrismImageOrigin *self,
                          const char *text,
                          const char *name,
                          GError **error)
{
  *self = (PrismImageOrigin) { 0 };
  return prism_record_parse (fields, self, text, name, error);
}
