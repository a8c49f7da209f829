/* prism-source: bytes of a file, in memory or on the disk, and numbers of all kinds as they lie
 * there. Thread: any. */
#pragma once

#include "base/prism-temporary.h"

#include <glib.h>
#include <math.h>
#include <string.h>

G_BEGIN_DECLS

typedef struct
{
  const guint8 *data;                   /* (nullable) [size]: all of it */
  int fd;                               /* where there is no data */
  guint64 size;                         /* bytes */
} PrismSource;

/**
 * prism_source_read:
 * @at: of the first byte
 * @to: (out caller-allocates): the bytes
 * @n: how many
 *
 * Returns: whether all of them are there
 */
static inline gboolean
prism_source_read (const PrismSource *self,
                   guint64            at,
                   gpointer           to,
                   gsize              n)
{
  if (at > self->size || n > self->size - at)
    return FALSE;
  if (self->data == NULL)
    return prism_temporary_store_read (self->fd, to, n, at);
  memcpy (to, self->data + at, n);
  return TRUE;
}

/**
 * prism_source_has:
 * @at: of the first byte
 * @bytes: (array length=n): at most 16
 *
 * Returns: whether these bytes are there
 */
static inline gboolean
prism_source_has (const PrismSource *self,
                  guint64            at,
                  gconstpointer      bytes,
                  gsize              n)
{
  guint8 there[16];

  return prism_source_read (self, at, there, n) && memcmp (there, bytes, n) == 0;
}

/* Half precision: a sign, 5 bits of exponent, 10 of the fraction. */
static inline double
prism_source_get_half (guint64 bits)
{
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double value = exponent == 0 ? ldexp (fraction, -24) : ldexp (1024 + fraction, exponent - 25);

  if (exponent == 0x1f)
    value = fraction == 0 ? INFINITY : NAN;
  return bits >> 15 & 1 ? -value : value;
}

/**
 * prism_source_get_bits:
 * @p: (array length=size): the bytes of a number
 * @size: 1, 2, 4 or 8
 * @swap: whether they are in the order of another machine
 *
 * Returns: its bits
 */
static inline guint64
prism_source_get_bits (const guint8 *p,
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
 * prism_source_get:
 * @p: (array length=size): the bytes of a number
 * @kind: 'i' or 'u', integers with and without a sign, or 'f', of which 2 bytes are half precision
 * @size: 1, 2, 4 or 8
 * @swap: whether they are in the order of another machine
 *
 * Returns: the number; integers above 2⁵³ lose their last digits
 */
static inline double
prism_source_get (const guint8 *p,
                  char          kind,
                  gsize         size,
                  gboolean      swap)
{
  const guint64 bits = prism_source_get_bits (p, size, swap);
  const guint unused = 64 - 8 * size;
  const guint32 half = (guint32) bits;
  float narrow;
  double wide;

  if (kind == 'u')
    return (double) bits;
  if (kind == 'i')
    return (double) ((gint64) (bits << unused) >> unused);
  if (size == 2)
    return prism_source_get_half (bits);
  memcpy (&narrow, &half, sizeof narrow);
  memcpy (&wide, &bits, sizeof wide);
  return size == 4 ? narrow : wide;
}

/**
 * prism_source_widen:
 * @rows: (inout): of packed samples, each row from a whole byte on; there is room for 16 bits each
 * @n_rows: how many
 * @n_samples: of a row
 * @bits: of a sample, 9 to 15, the highest first
 *
 * Makes numbers of 16 bits of them, where they are: from the last to the first, none is written
 * over before it is read.
 */
static inline void
prism_source_widen (guint8 *rows,
                    gsize   n_rows,
                    gsize   n_samples,
                    guint   bits)
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

G_END_DECLS
