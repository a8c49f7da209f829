#include "config.h"

#include "formats/prism-fields.h"
#include "formats/prism-rows-private.h"

#include <tiffio.h>

/* What the first directory of a TIFF file says beside its pixels. */

#define FINEST_PRINT 1e-5 /* m: pixels of a print are larger */

/**
 * prism_tiff_dup_described:
 * @word: of the description
 * @end: letters that end what follows it
 *
 * Returns: (transfer full) (nullable): the text behind the word
 */
char *
prism_tiff_dup_described (TIFF *tiff,
                          const char *word,
                          const char *end)
{
  char *text = NULL;
  const char *at;

  if (!TIFFGetField (tiff, TIFFTAG_IMAGEDESCRIPTION, &text) || text == NULL)
    return NULL;
  at = strstr (text, word);
  if (at == NULL)
    return NULL;
  at += strlen (word);
  return g_strndup (at, strcspn (at, end));
}

/**
 * prism_tiff_add_scale:
 * @fields: gets it
 *
 * Lists the scale that ImageJ, OME or the resolution says; a resolution of print says nothing.
 */
void
prism_tiff_add_scale (PrismFields *fields,
                      TIFF *tiff)
{
  g_autofree char *unit = prism_tiff_dup_described (tiff, "\nunit=", "\r\n");
  g_autofree char *size = prism_tiff_dup_described (tiff, " PhysicalSizeX=\"", "\"");
  g_autofree char *said = prism_tiff_dup_described (tiff, " PhysicalSizeXUnit=\"", "\"");
  guint16 resolution_unit = RESUNIT_INCH;
  float resolution = 0.0f;
  double number = 0;
  PrismField *field;

  TIFFGetField (tiff, TIFFTAG_XRESOLUTION, &resolution);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_RESOLUTIONUNIT, &resolution_unit);
  if (size != NULL)
    number = g_ascii_strtod (size, NULL);
  else if (resolution > 0.0f)
    number = 1.0 / (double) resolution;
  if (size == NULL && unit == NULL)
    {
      const double size_of_unit = resolution_unit == RESUNIT_CENTIMETER ? 1e-2 : 0.0254; /* m */

      number *= resolution_unit == RESUNIT_NONE ? 0 : size_of_unit;
      number = number < FINEST_PRINT ? number : 0;
    }
  if (!(number > 0))
    return;
  field = prism_fields_add_number (fields, "scale of a pixel", number);
  prism_fields_set_unit (field, size != NULL   ? said != NULL ? said : "um"
                                : unit != NULL ? unit
                                               : "m");
  /* A scale in pixels is none. */
  if (field->unit.kind != PRISM_UNIT_LENGTH)
    g_ptr_array_remove (fields->fields, field);
}
