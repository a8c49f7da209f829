#pragma once

#include <glib.h>
#include <string.h>
#include <tiffio.h>

G_BEGIN_DECLS

/* What every reader of TIFF files needs of libtiff: quiet handlers, and samples of all kinds as
 * numbers. Thread: any. */

#define PRISM_TIFF_DETAIL 128

TIFFOpenOptions *prism_tiff_options_new (char    *detail,
                                         tmsize_t limit);
guint64          prism_tiff_get_expansion (TIFF *tiff);
void             prism_tiff_widen         (guint8 *rows,
                                           gsize   n_rows,
                                           gsize   n_samples,
                                           guint   bits);

/**
 * prism_tiff_is_packed:
 * @bits: of a sample
 * @format: SAMPLEFORMAT_…
 *
 * Returns: whether samples do not begin at bytes, but prism_tiff_widen() makes 16 bits of them
 */
static inline gboolean
prism_tiff_is_packed (guint16 bits,
                      guint16 format)
{
  return format == SAMPLEFORMAT_UINT && bits > 8 && bits < 16;
}

/**
 * prism_tiff_is_number:
 * @bits: of a sample
 * @format: SAMPLEFORMAT_…
 *
 * Returns: whether prism_tiff_get_sample() reads such samples: integers of 8, 16 or 32 bits, floats
 *   of 32 or 64
 */
static inline gboolean
prism_tiff_is_number (guint16 bits,
                      guint16 format)
{
  if (format == SAMPLEFORMAT_IEEEFP)
    return bits == 32 || bits == 64;
  return (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_INT)
         && (bits == 8 || bits == 16 || bits == 32);
}

/**
 * prism_tiff_get_white:
 * @bits: of a sample
 * @format: SAMPLEFORMAT_…
 *
 * Returns: the largest integer of that kind, 1 for floats
 */
static inline double
prism_tiff_get_white (guint16 bits,
                      guint16 format)
{
  if (format == SAMPLEFORMAT_IEEEFP)
    return 1.0;
  return (double) ((G_GUINT64_CONSTANT (1) << (format == SAMPLEFORMAT_INT ? bits - 1 : bits)) - 1);
}

/**
 * prism_tiff_get_sample:
 * @p: (array): the bytes of one sample, in the order of the machine
 * @bits: of a sample
 * @format: SAMPLEFORMAT_…
 *
 * Returns: the number as it stands in the file
 */
static inline double
prism_tiff_get_sample (const guint8 *p,
                       guint16 bits,
                       guint16 format)
{
  gboolean is_signed = format == SAMPLEFORMAT_INT;
  guint16 two;
  guint32 four;
  float narrow;
  double wide;

  if (bits == 8)
    return is_signed ? (gint8) *p : *p;
  if (bits == 16)
    {
      memcpy (&two, p, sizeof two);
      return is_signed ? (gint16) two : two;
    }
  if (format != SAMPLEFORMAT_IEEEFP)
    {
      memcpy (&four, p, sizeof four);
      return is_signed ? (gint32) four : (double) four;
    }
  if (bits == 32)
    {
      memcpy (&narrow, p, sizeof narrow);
      return narrow;
    }
  memcpy (&wide, p, sizeof wide);
  return wide;
}

G_END_DECLS
