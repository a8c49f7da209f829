/* prism-number: numbers: as people read them, whether many are finite, the worst, in order. */
#pragma once

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

G_BEGIN_DECLS

/* Whether all numbers of a large array are finite. */

/* By the bits of the exponents, which the compiler turns into vectors. values: [n_values] */
static inline gboolean
prism_finite_all (const float *values,
                  gsize n_values)
{
  const guint32 exponent = 0x7f800000;
  guint32 bad = 0;

  for (gsize i = 0; i < n_values; i++)
    {
      guint32 bits;

      memcpy (&bits, &values[i], sizeof bits);
      bad |= (bits & exponent) == exponent;
    }
  return bad == 0;
}

/* Decimal, with nothing before or behind it: g_ascii_strtod() also takes blanks, hexadecimal
 * numbers, "nan" and "inf". What overflows is infinite and out of every range. */
static inline gboolean
prism_number_parse (const char *text,
                    double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && text[strspn (text, "0123456789+-.eE")] == '\0';
}

/* A number as text, with '.' whatever the locale. It lasts as long as the block that it is in. */
#define prism_digits(format, value)                                                       \
  g_ascii_formatd ((char[G_ASCII_DTOSTR_BUF_SIZE]) { 0 }, G_ASCII_DTOSTR_BUF_SIZE, format, \
                   value)

/* A number as people read it, and type it. Thread: any. */

char *prism_number_dup_power  (int power);
char *prism_number_dup        (double value,
                               int    digits);
char *prism_number_dup_within (double      value,
                               double      error,
                               const char *unit);
char *prism_number_dup_typed  (const char *typed,
                               gboolean   *grouped);

/* The word that was probably meant. Thread: any. */

const char *prism_nearest_find (const char *word,
                                const char *const *words);

/* The larger of two errors, where fmax() and MAX() would forget one that is not a
 * number. */

/* Infinite as soon as one of them is not a number. */
static inline double
prism_worst (double worst,
             double error)
{
  return isnan (worst) || isnan (error) ? INFINITY : MAX (worst, error);
}

/* A stable sort of an array; GLib 2.82 has another name for it. And of numbers. */

static inline void
prism_sort (gpointer array,
            gsize n,
            gsize size,
            GCompareDataFunc compare,
            gpointer data)
{
#if GLIB_CHECK_VERSION (2, 82, 0)
  g_sort_array (array, n, size, compare, data);
#else
  g_qsort_with_data (array, (int) n, size, compare, data);
#endif
}

static inline int
prism_compare_doubles (gconstpointer a,
                       gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Ascending, in place. */
static inline void
prism_sort_doubles (double *values,
                    gsize n)
{
  qsort (values, n, sizeof *values, prism_compare_doubles);
}

void   prism_sort_floats (float *values,
                          gsize  n);
double prism_sort_median (double *values,
                          gsize   n);

G_END_DECLS
