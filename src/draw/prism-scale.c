#include "config.h"

#include "prism-scale.h"

#include "base/prism-each.h"
#include "base/prism-number.h"
#include "config/prism-units.h"

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
dup_scientific (double value,
                int decimals)
{
  int power = value == 0 ? 0 : (int) floor (log10 (fabs (value)) + 1e-9);
  g_autofree char *exponent = prism_number_dup_power (power);

  return g_strdup_printf ("%s%.*f×%s", value < 0 ? MINUS : "", decimals,
                          fabs (value) / pow (10, power), exponent);
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
  int power;

  g_return_val_if_fail (i >= 0 && i < self->n_major, NULL);

  value = self->major[i];
  if (!self->logarithmic)
    return dup_linear_label (self, value);
  if (self->major[0] >= 0.99e-3 && self->major[self->n_major - 1] < 1.01e3)
    return dup_fixed (value, MAX (0, (int) -floor (log10 (value) + 1e-9)), "");
  power = (int) floor (log10 (value) + 1e-9);
  /* A one in front says nothing. */
  return fabs (value / pow (10, power) - 1) > 1e-6 ? dup_scientific (value, 0)
                                                   : prism_number_dup_power (power);
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
    return prism_number_dup (value, 3);
  return dup_fixed (value, CLAMP (3 - (int) floor (log10 (size)), 0, 4), "");
}

#define DIGITS "0123456789"

/* text: (inout): a number as “5.18e-05”, behind which nothing goes on; its power goes behind what
 * is written. Returns: whether it was one */
static gboolean
take_power (const char **text,
            GString *shown)
{
  const char *at = *text, *exponent = at + strspn (at, DIGITS), *end;
  g_autofree char *power = NULL;

  if (exponent > at && (*exponent == '.' || *exponent == ',') && g_ascii_isdigit (exponent[1]))
    exponent += 1 + strspn (exponent + 1, DIGITS);
  if (exponent == at || exponent[0] != 'e' || (exponent[1] != '-' && exponent[1] != '+')
      || !g_ascii_isdigit (exponent[2]))
    return FALSE;
  end = exponent + 2 + strspn (exponent + 2, DIGITS);
  if (g_unichar_isalnum (g_utf8_get_char (end)) || (*end != '\0' && strchr ("_.-", *end) != NULL))
    return FALSE;
  power = prism_number_dup_power (atoi (exponent + 1));
  g_string_append_len (shown, at, exponent - at);
  g_string_append_printf (shown, "×%s", power);
  *text = end;
  return TRUE;
}

/**
 * prism_ticks_take_minus:
 * @text: (transfer full) (nullable): words and numbers, as printf() writes them
 *
 * Writes the minus before a number and its power of ten as the axes have them, where printf() has a
 * hyphen and an exponent. Zero has no sign: what is rounded to it has none, either.
 *
 * Returns: (transfer full) (nullable): the text
 */
char *
prism_ticks_take_minus (char *text)
{
  g_autofree char *plain = text;
  GString *shown = g_string_new (NULL);
  const char *at = text;

  while (at != NULL && *at != '\0')
    {
      const gunichar before = at > plain ? g_utf8_get_char (g_utf8_prev_char (at)) : ' ';
      gboolean begins = g_unichar_isspace (before) || before == '(';

      if (begins && *at == '-' && (g_ascii_isdigit (at[1]) || at[1] == '.'))
        {
          at++;
          if (strspn (at, "0.,") < strspn (at, DIGITS ".,"))
            g_string_append (shown, MINUS);
        }
      begins |= g_str_has_suffix (shown->str, MINUS);
      if (!begins || !take_power (&at, shown))
        g_string_append_c (shown, *at++);
    }
  return g_string_free (shown, text == NULL);
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

#define TICK_LENGTH 3
#define GAP 3
/* Of "−0.0005", which has room at every bar. */
#define USUAL_CHARACTERS 7

static void
draw_ramp (cairo_t *cr,
           const PrismMapping *mapping,
           double x,
           double y,
           double width,
           double height)
{
  const guint32 *table = prism_colormap_get_table (mapping->colormap);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1,
                                                         PRISM_COLORMAP_SIZE);
  unsigned char *data = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  if (data != NULL)
    for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
      *(guint32 *) (data + i * stride) = table[PRISM_COLORMAP_SIZE - 1 - i];
  cairo_surface_mark_dirty (surface);

  prism_paint_surface (cr, surface, x, y, width, height);
  cairo_surface_destroy (surface);
}

/* The logarithmic stretch is linear at the black end, unless its gain makes it a logarithm from
 * there on, and follows decades above: its ticks are powers of ten where those are apart from each
 * other. */
static void
compute_ticks (const PrismMapping *mapping,
               int max_ticks,
               PrismTicks *ticks)
{
  double range = (double) mapping->white - mapping->black;

  if (mapping->stretch == PRISM_STRETCH_LOG && mapping->black >= 0
      && (mapping->black < 0.01 * mapping->white || mapping->gain * mapping->black >= 0.99 * range))
    prism_ticks_init_log (ticks, MAX (mapping->black, range / mapping->gain), mapping->white,
                          max_ticks);
  else
    prism_ticks_init_linear (ticks, mapping->black, mapping->white, max_ticks);
  ticks->n_minor = 0;
}

/**
 * prism_color_bar_get_room:
 * @mapping: the scale
 * @usual: what "−0.0005" needs
 *
 * Numbers such as "−1.5×10⁻⁴" are longer than others. What they need does not depend on the height,
 * which is seldom known before.
 *
 * Returns: the room for the numbers beside the bar, @usual or more
 */
double
prism_color_bar_get_room (const PrismMapping *mapping,
                          double usual)
{
  static const int counts[] = { 2, 4, 6, 8, 12 };
  glong longest = USUAL_CHARACTERS;

  PRISM_FOR_EACH_OF (count, counts)
    {
      PrismTicks ticks;

      compute_ticks (mapping, *count, &ticks);
      for (int i = 0; i < ticks.n_major; i++)
        {
          g_autofree char *label = prism_ticks_dup_label (&ticks, i);

          /* “×” is wider than “.”. */
          longest = MAX (longest, g_utf8_strlen (label, -1) + (strstr (label, "×") != NULL));
        }
    }
  return usual * longest / USUAL_CHARACTERS;
}

/**
 * prism_color_bar_draw:
 * @paint: where
 * @mapping: the scale
 * @x: left edge of the bar
 * @y: top edge
 * @width: of the bar alone; the numbers stand to its right
 * @height: of the bar
 *
 * Paints the bar, white level on top, with numbers that do not overlap.
 */
void
prism_color_bar_draw (PrismPaint *paint,
                      const PrismMapping *mapping,
                      double x,
                      double y,
                      double width,
                      double height)
{
  PrismTicks ticks;
  double previous = G_MAXDOUBLE;
  double spacing = 1.3 * paint->line_height;
  int n = (int) (height / (1.6 * paint->line_height));

  draw_ramp (paint->cr, mapping, x, y, width, height);
  cairo_rectangle (paint->cr, x - 0.5, y - 0.5, width + 1, height + 1);
  prism_paint_stroke (paint, &paint->foreground, 0.35, 1);

  /* One number alone is no scale: where there is little room, more are tried. */
  do
    compute_ticks (mapping, n++, &ticks);
  while (ticks.n_major < 2 && n * paint->line_height <= 2 * height);
  for (int i = 0; i < ticks.n_major; i++)
    {
      double position = prism_mapping_get_position (mapping, ticks.major[i]);
      double tick_y = prism_paint_snap (y + (1 - position) * height);
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);

      if (previous - tick_y < spacing)
        continue;
      previous = tick_y;
      prism_paint_draw_line (paint, x + width + 0.5, tick_y, TICK_LENGTH, 0, 0.55);
      prism_paint_set_alpha (paint, 0.8);
      prism_paint_draw_text (paint, label, x + width + TICK_LENGTH + GAP,
                             CLAMP (tick_y, y + 0.4 * paint->line_height,
                                    y + height - 0.4 * paint->line_height),
                             0, 0.5);
    }
}

#define THICKNESS 2.5
/* Of an image, in logical pixels; below that a bar is in the way. */
#define SMALLEST 180

/**
 * prism_scale_bar_get_length:
 * @size: of what is in sight
 *
 * Returns: a round length of a quarter of that or less
 */
double
prism_scale_bar_get_length (double size)
{
  double wanted = size / 4;
  double power = pow (10, floor (log10 (wanted)));

  return wanted >= 5 * power ? 5 * power : wanted >= 2 * power ? 2 * power
                                                               : power;
}

/**
 * prism_scale_bar_choose:
 * @visible: width of the part of an image that is in sight, px
 * @metres: of a pixel; 0 when it is not known
 * @length: (out): of a bar, px
 *
 * Chooses a round length, in metres where they are known, of a quarter of that or less.
 *
 * Returns: (transfer full): what the bar says, such as "50 µm"
 */
char *
prism_scale_bar_choose (double visible,
                        double metres,
                        double *length)
{
  const double unit = metres > 0 ? metres : 1, round = prism_scale_bar_get_length (visible * unit);

  *length = round / unit;
  return metres > 0 ? prism_units_dup_length (round) : g_strdup_printf (_ ("%.10g px"), round);
}

/**
 * prism_scale_bar_draw:
 * @paint: where
 * @scale: units of @paint per pixel of the image
 * @visible: width of the part of the image that is in sight, px
 * @metres: of a pixel; 0 when it is not known
 * @right: right edge of the bar
 * @bottom: bottom edge of the bar
 *
 * Paints the bar of prism_scale_bar_choose() on a dark patch to be seen on any image.
 */
void
prism_scale_bar_draw (PrismPaint *paint,
                      double scale,
                      double visible,
                      double metres,
                      double right,
                      double bottom)
{
  double length;
  g_autofree char *label = prism_scale_bar_choose (visible, metres, &length);
  double width = length * scale;
  double x = right - width;
  double y = bottom - THICKNESS;
  double label_width;
  double label_height;

  prism_paint_measure (paint, label, &label_width, &label_height);
  x -= MAX (0, (label_width - width) / 2);
  prism_paint_draw_patch (paint, x + MIN (0, (width - label_width) / 2) - 5, y - label_height - 4,
                          MAX (width, label_width) + 10, label_height + 11);
  cairo_set_source_rgb (paint->cr, 1, 1, 1);
  cairo_rectangle (paint->cr, x, y, width, THICKNESS);
  cairo_fill (paint->cr);
  prism_paint_draw_text (paint, label, x + width / 2, y - 1.5, 0.5, 1);
}

/**
 * prism_scale_bar_draw_frame:
 * @paint: where
 * @frame: the place of the image
 * @metres: of a pixel; 0 when it is not known, and then there is no bar
 *
 * Paints a bar in the corner of the part of the image that is in sight, where that is large enough.
 */
void
prism_scale_bar_draw_frame (PrismPaint *paint,
                            const PrismFrame *frame,
                            double metres)
{
  double left = MAX (frame->x0, 0);
  double right = MIN (frame->x0 + frame->image_width * frame->scale, frame->area_width);
  double bottom = MIN (frame->y0 + frame->image_height * frame->scale, frame->area_height);

  if (!(metres > 0) || right - left < SMALLEST)
    return;
  prism_paint_set_font (paint, 0.85, FALSE);
  prism_scale_bar_draw (paint, frame->scale, (right - left) / frame->scale, metres, right - 10,
                        bottom - 9);
}

/**
 * prism_scale_bar_dup_place:
 * @dx: columns from the middle of the image
 * @dy: rows from there
 * @metres: of a pixel; 0 when it is not known
 * @seconds: of arc, of a pixel; 0 where there is no sky
 *
 * Says how far a pixel is from the middle, on a line of its own.
 *
 * Returns: (transfer full): an end of line and the text; empty when the scale is not known
 */
char *
prism_scale_bar_dup_place (int dx,
                           int dy,
                           double metres,
                           double seconds)
{
  double distance = hypot (dx, dy);
  g_autofree char *length = prism_units_dup_length (distance * metres);
  g_autofree char *angle = prism_units_dup_angle (distance * seconds);

  if (!(metres > 0))
    return g_strdup ("");
  if (!(seconds > 0))
    return g_strdup_printf (_ ("\n%s from the middle"), length);
  return g_strdup_printf (_ ("\n%s (%s) off axis"), length, angle);
}
