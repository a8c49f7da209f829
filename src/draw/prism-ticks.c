#include "config.h"

#include "prism-ticks.h"

#include <math.h>
#include <string.h>

#define MINUS "\342\210\222" /* U+2212, as wide as a plus */

/* The smallest of 1, 2, 5 times a power of ten that is at least x. */
static double
round_step (double x)
{
  double power = pow (10, floor (log10 (x)));
  double digit = x / power;

  if (digit <= 1 + 1e-9)
    return power;
  if (digit <= 2 + 1e-9)
    return 2 * power;
  if (digit <= 5 + 1e-9)
    return 5 * power;
  return 10 * power;
}

static void
add_linear (PrismTicks *self,
            double low,
            double high)
{
  double slack = 1e-9 * self->step;
  double first = ceil ((low - slack) / self->step);

  for (double i = first; i * self->step <= high + slack && self->n_major < PRISM_TICKS_MAX; i++)
    self->major[self->n_major++] = i == 0 ? 0.0 : i * self->step;
}

/**
 * prism_ticks_init_linear:
 * @self: (out caller-allocates): ticks
 * @low: start of the axis
 * @high: end of the axis, above @low
 * @max_ticks: how many labels have room
 *
 * Places ticks at multiples of 1, 2 or 5 times a power of ten.
 */
void
prism_ticks_init_linear (PrismTicks *self,
                         double low,
                         double high,
                         int max_ticks)
{
  *self = (PrismTicks) { 0 };
  g_return_if_fail (isfinite (low) && isfinite (high) && high > low);

  max_ticks = CLAMP (max_ticks, 2, PRISM_TICKS_MAX);
  self->step = round_step ((high - low) / (max_ticks - 1));
  add_linear (self, low, high);
}

/**
 * prism_ticks_init_integer:
 * @self: (out caller-allocates): ticks
 * @low: start of the axis
 * @high: end of the axis, above @low
 * @max_ticks: how many labels have room
 *
 * Like prism_ticks_init_linear(), at whole numbers only, for an axis that counts.
 */
void
prism_ticks_init_integer (PrismTicks *self,
                          double low,
                          double high,
                          int max_ticks)
{
  prism_ticks_init_linear (self, low, high, max_ticks);
  if (self->step >= 1 || self->step == 0)
    return;
  self->n_major = 0;
  self->step = 1;
  add_linear (self, low, high);
}

static void
add_log_multiples (double *ticks,
                   int *n_ticks,
                   int n_max,
                   double low,
                   double high,
                   const char *digits)
{
  for (int power = (int) floor (log10 (low)); power <= (int) ceil (log10 (high)); power++)
    for (const char *digit = digits; *digit != '\0'; digit++)
      {
        double value = (*digit - '0') * pow (10, power);

        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9) && *n_ticks < n_max)
          ticks[(*n_ticks)++] = value;
      }
}

static void
add_powers (PrismTicks *self,
            double low,
            double high,
            int max_ticks)
{
  int first = (int) ceil (log10 (low) - 1e-9);
  int last = (int) floor (log10 (high) + 1e-9);
  int stride = MAX (1, (int) ceil ((last - first + 1) / (double) max_ticks));

  for (int power = first; power <= last; power++)
    if (power % stride == 0 && self->n_major < PRISM_TICKS_MAX)
      self->major[self->n_major++] = pow (10, power);
}

/**
 * prism_ticks_init_log:
 * @self: (out caller-allocates): ticks
 * @low: start of the axis, positive
 * @high: end of the axis, above @low
 * @max_ticks: how many labels have room
 *
 * Places ticks at powers of ten; over a short range at 1, 2 and 5 times them, over a very short
 * one as on a linear axis.
 */
void
prism_ticks_init_log (PrismTicks *self,
                      double low,
                      double high,
                      int max_ticks)
{
  *self = (PrismTicks) { .logarithmic = TRUE };
  g_return_if_fail (low > 0 && isfinite (high) && high > low);

  max_ticks = CLAMP (max_ticks, 2, PRISM_TICKS_MAX);
  add_powers (self, low, high, max_ticks);
  if (self->n_major < 3)
    {
      int n_powers = self->n_major;

      self->n_major = 0;
      add_log_multiples (self->major, &self->n_major, PRISM_TICKS_MAX, low, high, "125");
      if (self->n_major < 3)
        prism_ticks_init_linear (self, low, high, max_ticks);
      else if (self->n_major > max_ticks)
        {
          self->n_major = n_powers = 0;
          add_powers (self, low, high, max_ticks);
        }
    }
  if (self->logarithmic && log10 (high / low) < 12)
    add_log_multiples (self->minor, &self->n_minor, G_N_ELEMENTS (self->minor), low, high,
                       "23456789");
}

static char *
dup_superscript (int number)
{
  static const char *digits[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
  g_autofree char *plain = g_strdup_printf ("%d", number);
  GString *text = g_string_new (NULL);

  for (const char *c = plain; *c != '\0'; c++)
    g_string_append (text, *c == '-' ? "⁻" : digits[*c - '0']);
  return g_string_free (text, FALSE);
}

static char *
dup_scientific (double value,
                int decimals)
{
  int power = value == 0 ? 0 : (int) floor (log10 (fabs (value)) + 1e-9);
  g_autofree char *exponent = dup_superscript (power);

  return g_strdup_printf ("%s%.*f×10%s", value < 0 ? MINUS : "", decimals,
                          fabs (value) / pow (10, power), exponent);
}

/* On a logarithmic axis a one in front says nothing. */
static char *
dup_power (double value)
{
  int power = (int) floor (log10 (value) + 1e-9);
  g_autofree char *exponent = dup_superscript (power);

  if (fabs (value / pow (10, power) - 1) > 1e-6)
    return dup_scientific (value, 0);
  return g_strdup_printf ("10%s", exponent);
}

static char *
dup_fixed (double value,
           int decimals,
           const char *suffix)
{
  return g_strdup_printf ("%s%.*f%s", value < 0 ? MINUS : "", decimals, fabs (value), suffix);
}

static char *
dup_linear_label (const PrismTicks *self,
                  double value)
{
  double largest = MAX (fabs (self->major[0]), fabs (self->major[self->n_major - 1]));
  int decimals = MAX (0, (int) -floor (log10 (self->step) + 1e-9));

  if (value == 0)
    return dup_fixed (0, largest < 1e4 && decimals <= 4 ? decimals : 0, "");
  if (largest >= 1e9 || decimals > 4)
    return dup_scientific (value, MAX (0, (int) (floor (log10 (fabs (value)) + 1e-9) + decimals)));
  if (largest >= 2e6 && self->step >= 1e4)
    return dup_fixed (value / 1e6, self->step >= 1e6 ? 0 : self->step >= 1e5 ? 1
                                                                             : 2,
                      "M");
  if (largest >= 1e4 && self->step >= 100)
    return dup_fixed (value / 1e3, self->step >= 1e3 ? 0 : 1, "k");
  return dup_fixed (value, decimals, "");
}

/**
 * prism_ticks_dup_label:
 * @self: ticks
 * @i: index of a major tick
 *
 * Writes a tick with as many digits as its neighbours need: "0.25", "20k", "10⁻⁵".
 *
 * Returns: (transfer full): the label
 */
char *
prism_ticks_dup_label (const PrismTicks *self,
                       int i)
{
  double value;

  g_return_val_if_fail (i >= 0 && i < self->n_major, NULL);

  value = self->major[i];
  if (!self->logarithmic)
    return dup_linear_label (self, value);
  if (self->major[0] >= 0.99e-3 && self->major[self->n_major - 1] < 1.01e3)
    return dup_fixed (value, MAX (0, (int) -floor (log10 (value) + 1e-9)), "");
  return dup_power (value);
}

/**
 * prism_ticks_dup_value:
 * @value: a number, NAN for none
 *
 * Writes one number to four digits: "0.5317", "12.40", "3.1×10⁻⁵", "–" for NAN.
 *
 * Returns: (transfer full): the text
 */
char *
prism_ticks_dup_value (double value)
{
  double size = fabs (value);

  if (isnan (value))
    return g_strdup ("–");
  if (isinf (value))
    return g_strdup (value < 0 ? MINUS "∞" : "∞");
  if (value == 0)
    return g_strdup ("0");
  if (size < 1e-3 || size >= 1e6)
    return dup_scientific (value, 2);
  return dup_fixed (value, CLAMP (3 - (int) floor (log10 (size)), 0, 4), "");
}

/**
 * prism_ticks_dup_count:
 * @count: of steps, parameters, bytes or hits
 *
 * Writes a whole number as the axes have it, the same in every language: "2720", "12 345". From
 * five digits on they stand in groups of three, with thin blanks between them.
 *
 * Returns: (transfer full): the text
 */
char *
prism_ticks_dup_count (guint64 count)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, count);
  gsize length = strlen (digits);
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && length > 4 && (length - i) % 3 == 0)
        g_string_append (text, "\u2009");
      g_string_append_c (text, digits[i]);
    }
  return g_strdup (text->str);
}
