#include "config.h"

#include "formats/prism-tiff.h"

static int
on_error (TIFF *tiff,
          void *data,
          const char *module,
          const char *format,
          va_list arguments)
{
  char *detail = data;

  if (*detail == '\0')
    g_vsnprintf (detail, PRISM_TIFF_DETAIL, format, arguments);
  return 1;
}

static int
on_warning (TIFF *tiff,
            void *data,
            const char *module,
            const char *format,
            va_list arguments)
{
  return 1;
}

/**
 * prism_tiff_options_new:
 * @detail: (array fixed-size=128) (inout): gets the first complaint of libtiff, "" until then;
 *   lives as long as the file
 * @limit: bytes that libtiff may allocate at once
 *
 * Options for opening a file that let libtiff print nothing.
 *
 * Returns: (transfer full) (nullable): for TIFFOpenOptionsFree(); %NULL without memory
 */
TIFFOpenOptions *
prism_tiff_options_new (char *detail,
                        tmsize_t limit)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();

  if (options == NULL)
    return NULL;
  TIFFOpenOptionsSetMaxSingleMemAlloc (options, limit);
  TIFFOpenOptionsSetErrorHandlerExtR (options, on_error, detail);
  TIFFOpenOptionsSetWarningHandlerExtR (options, on_warning, NULL);
  return options;
}

/**
 * prism_tiff_get_expansion:
 * @tiff: a file at one of its directories
 *
 * Units: bytes.
 *
 * Returns: how many one byte of the file can become; 0 where there is no telling
 */
guint64
prism_tiff_get_expansion (TIFF *tiff)
{
  guint16 compression = COMPRESSION_NONE;

  TIFFGetFieldDefaulted (tiff, TIFFTAG_COMPRESSION, &compression);
  switch (compression)
    {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
      return 1032;
    case COMPRESSION_LZW:
      return 4096;
    default:
      return 0;
    }
}

/**
 * prism_tiff_widen:
 * @rows: (inout): of packed samples, each row from a whole byte on; there is room for 16 bits each
 * @n_rows: how many
 * @n_samples: of a row
 * @bits: of a sample, 9 to 15, the highest first
 *
 * Makes numbers of 16 bits of them, where they are: from the last to the first, none is written
 * over before it is read.
 */
void
prism_tiff_widen (guint8 *rows,
                  gsize n_rows,
                  gsize n_samples,
                  guint bits)
{
  const gsize n_bytes = (n_samples * bits + 7) / 8;

  for (gsize y = n_rows; y-- > 0;)
    for (gsize x = n_samples; x-- > 0;)
      {
        const gsize first = x * bits, last = first + bits - 1;
        guint32 window = 0;
        guint16 sample;

        for (gsize i = first / 8; i <= last / 8; i++)
          window = window << 8 | rows[y * n_bytes + i];
        sample = (guint16) (window >> (7 - last % 8) & ((1U << bits) - 1));
        memcpy (rows + 2 * (y * n_samples + x), &sample, sizeof sample);
      }
}
