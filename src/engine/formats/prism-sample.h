/* prism-sample: numbers of all kinds as they lie in files. Thread: any. */
#pragma once

#include <glib.h>
#include <math.h>
#include <string.h>

G_BEGIN_DECLS

/* Half precision: a sign, 5 bits of exponent, 10 of the fraction. */
static inline double
prism_sample_get_half (guint64 bits)
{
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double value = exponent == 0 ? ldexp (fraction, -24) : ldexp (1024 + fraction, exponent - 25);

  if (exponent == 0x1f)
    value = fraction == 0 ? INFINITY : NAN;
  return bits >> 15 & 1 ? -value : value;
}

/**
 * prism_sample_get_bits:
 * @p: (array length=size): the bytes of a number
 * @size: 1, 2, 4 or 8
 * @swap: whether they are in the order of another machine
 *
 * Returns: its bits
 */
static inline guint64
prism_sample_get_bits (const guint8 *p,
                       gsize         size,
                       gboolean      swap)
{
  guint16 two;
  guint32 four;
  guint64 eight;

  switch (size)
    {
    case 1:
      return *p;
    case 2:
      memcpy (&two, p, 2);
      return swap ? GUINT16_SWAP_LE_BE (two) : two;
    case 4:
      memcpy (&four, p, 4);
      return swap ? GUINT32_SWAP_LE_BE (four) : four;
    default:
      memcpy (&eight, p, 8);
      return swap ? GUINT64_SWAP_LE_BE (eight) : eight;
    }
}

/**
 * prism_sample_get:
 * @p: (array length=size): the bytes of a number
 * @kind: 'i' or 'u', integers with and without a sign, or 'f', of which 2 bytes are half precision
 * @size: 1, 2, 4 or 8
 * @swap: whether they are in the order of another machine
 *
 * Returns: the number; integers above 2⁵³ lose their last digits
 */
static inline double
prism_sample_get (const guint8 *p,
                  char          kind,
                  gsize         size,
                  gboolean      swap)
{
  const guint64 bits = prism_sample_get_bits (p, size, swap);
  const guint unused = 64 - 8 * size;
  const guint32 half = (guint32) bits;
  float narrow;
  double wide;

  if (kind == 'u')
    return (double) bits;
  if (kind == 'i')
    return (double) ((gint64) (bits << unused) >> unused);
  if (size == 2)
    return prism_sample_get_half (bits);
  memcpy (&narrow, &half, sizeof narrow);
  memcpy (&wide, &bits, sizeof wide);
  return size == 4 ? narrow : wide;
}

G_END_DECLS
