#include "config.h"

#include "config/prism-units.h"

#include "base/prism-each.h"
#include "base/prism-number.h"
#include "base/prism-text.h"
#include "config/prism-builtin.h"

#include <stddef.h>

#define AIRY 1.22     /* first zero of the Airy pattern, in λ/D; 1.21967 */
#define RESOLVED 1.64 /* λ/D, that is 0.82·λ/NA: two points in phase; numerics.md § 1 */
#define SECONDS_PER_RADIAN (180.0 * 3600.0 / G_PI)
#define LIGHT_YEAR 9.4607304725808e15
#define ASTRONOMICAL_UNIT 1.495978707e11
#define SMALLEST_OBJECT 16 /* of object_size */

typedef struct
{
  double size;
  double from; /* the smallest value that is written in it, in units of size */
  const char *name;
} Unit;

static const Unit lengths[] = {
  { LIGHT_YEAR, 0.1, N_ ("ly") },
  { ASTRONOMICAL_UNIT, 0.05, N_ ("au") },
  { 1e3, 1, "km" },
  { 1, 1, "m" },
  { 1e-3, 1, "mm" },
  { 1e-6, 1, "µm" },
  { 1e-9, 0, "nm" },
};

static const Unit angles[] = {
  { 3600, 1, "°" },
  { 60, 1, "′" },
  { 1, 1, "″" },
  { 1e-3, 1, "mas" },
  { 1e-6, 0, "µas" },
};

typedef struct
{
  const char *name;
  gsize offset; /* of a double in PrismUnits */
} Member;

#define AT(field) offsetof (PrismUnits, field)

static const Member members[] = {
  { "pixel_m", AT (pixel) },
  { "pixel_arcsec", AT (pixel_angle) },
  { "field_m", AT (field) },
  { "field_arcsec", AT (field_angle) },
  { "object_m", AT (object) },
  { "plane_pixel_m", AT (plane_pixel) },
  { "aperture_m", AT (aperture) },
  { "resolved_arcsec", AT (resolved_angle) },
  { "resolved_m", AT (resolved) },
  { "resolved_px", AT (resolved_pixels) },
  { "synthetic_aperture_m", AT (synthetic) },
  { "synthetic_resolved_arcsec", AT (synthetic_angle) },
  { "coherence_radius_m", AT (coherence_radius) },
  { "coherence_radius_px", AT (coherence_pixels) },
  { "diameter_px", AT (diameter_pixels) },
};

static const Unit *
find_unit (double value,
           const Unit *unit)
{
  while (unit->from > 0 && fabs (value) < 0.9995 * unit->from * unit->size)
    unit++;
  return unit;
}

/* Three digits: "0.0123 nm", "85.8 km", "43900 km". */
static char *
dup_quantity (double value,
              const Unit *units)
{
  const Unit *unit = find_unit (value, units);
  double power, rounded;
  g_autofree char *number = NULL;

  value /= unit->size;
  power = pow (10, floor (log10 (MAX (fabs (value), 1e-300))) - 2);
  rounded = power >= 1 ? round (value / power) * power : value;
  number = g_strdup_printf ("%.*g", power >= 1 ? 15 : 3, rounded);
  return g_strdup_printf ("%s %s", number, _ (unit->name));
}

/**
 * prism_units_choose_length:
 * @metres: the largest length of some
 * @name: (out) (transfer none): of the unit, translated
 *
 * Returns: the unit that it is written in, m
 */
double
prism_units_choose_length (double metres,
                           const char **name)
{
  const Unit *unit = find_unit (metres, lengths);

  *name = _ (unit->name);
  return unit->size;
}

/**
 * prism_units_init_config:
 * @self: (out caller-allocates): the scale
 * @config: a configuration
 *
 * Computes the physical scale of a configuration, for small angles. Where no distance is given it
 * is that of the built-in object, if that has one; where it has none, all but what counts pixels
 * is 0. Light is coherent: resolved are two points in phase whose picture dips by 26 % between
 * them, as that of two incoherent points does at Rayleigh's distance, 1.22·λ/D.
 *
 * Units: metres and seconds of arc.
 * Source: numerics.md § 1.
 */
void
prism_units_init_config (PrismUnits *self,
                         const PrismConfig *config)
{
  const PrismBuiltin *own = prism_builtin_find (config->object);
  const double roi = config->roi > 0 ? config->roi : config->image_size;
  const double wavelength = config->wavelength * 1e-9;
  double distance = config->distance, dxf = config->dxf;

  *self = (PrismUnits) {
    .resolved_pixels = 0.5 * RESOLVED * config->image_size / config->aperture_radius,
    .coherence_pixels = AIRY * config->image_size / config->object_size,
  };
  if (distance <= 0 && own != NULL && own->distance > 0)
    {
      distance = own->distance;
      dxf = wavelength * distance * config->object_size / (config->image_size * own->side);
    }
  if (distance <= 0)
    return;
  self->plane_pixel = dxf;
  self->pixel = wavelength * distance / (config->image_size * dxf);
  self->pixel_angle = self->pixel / distance * SECONDS_PER_RADIAN;
  self->field = config->image_size * self->pixel;
  self->field_angle = config->image_size * self->pixel_angle;
  self->object = config->object_size * self->pixel;
  self->aperture = 2.0 * config->aperture_radius * dxf;
  self->resolved_angle = RESOLVED * wavelength / self->aperture * SECONDS_PER_RADIAN;
  self->resolved = RESOLVED * wavelength / self->aperture * distance;
  self->synthetic = roi * dxf;
  self->synthetic_angle = RESOLVED * wavelength / self->synthetic * SECONDS_PER_RADIAN;
  self->coherence_radius = AIRY * wavelength * distance / self->object;
  self->diameter_pixels = config->object_diameter / self->pixel;
}

/**
 * prism_units_get_object_size:
 * @self: the scale of a configuration with a distance and an object_diameter
 *
 * Returns: the even number of pixels nearest to the object's diameter, whether it is in range or
 * not; 0 when the diameter or the distance is not given
 */
int
prism_units_get_object_size (const PrismUnits *self)
{
  return 2 * (int) MIN (lround (0.5 * self->diameter_pixels), G_MAXINT / 2);
}

/**
 * prism_units_dup_length:
 * @metres: a length
 *
 * Writes a length with three digits in the unit that suits it, from nanometres to light years.
 *
 * Returns: (transfer full): such as "85.8 km"
 */
char *
prism_units_dup_length (double metres)
{
  return dup_quantity (metres, lengths);
}

/**
 * prism_units_dup_length_within:
 * @metres: a length
 * @error: how far off it may be, more than 0
 *
 * Writes a length no finer than it is known, in the unit that suits it.
 *
 * Returns: (transfer full): such as "8.31 ± 0.19 µm" and "433 ± 16 km"
 */
char *
prism_units_dup_length_within (double metres,
                               double error)
{
  const Unit *unit = find_unit (MAX (fabs (metres), error), lengths);

  return prism_number_dup_within (metres / unit->size, error / unit->size, _ (unit->name));
}

/**
 * prism_units_dup_angle:
 * @seconds: an angle in seconds of arc
 *
 * Writes an angle with three digits in the unit that suits it, from degrees to millionths of a
 * second of arc.
 *
 * Returns: (transfer full): such as "28.2 mas"
 */
char *
prism_units_dup_angle (double seconds)
{
  return dup_quantity (seconds, angles);
}

/**
 * prism_units_dup_text:
 *
 * The scale in two lines: what a pixel and the field are, and what the telescope resolves.
 *
 * Returns: (transfer full): the text, without an end of line
 */
char *
prism_units_dup_text (const PrismUnits *self)
{
  g_autofree char *pixel = prism_units_dup_length (self->pixel);
  g_autofree char *pixel_angle = prism_units_dup_angle (self->pixel_angle);
  g_autofree char *object = prism_units_dup_length (self->object);
  g_autofree char *aperture = prism_units_dup_length (self->aperture);
  g_autofree char *resolved = prism_units_dup_angle (self->resolved_angle);
  g_autofree char *coherence = prism_units_dup_length (self->coherence_radius);

  if (self->pixel <= 0)
    return g_strdup_printf (_ ("The distance of the object is not known: sizes are in pixels. "
                               "The telescope resolves two points in phase that are %.3g px "
                               "apart."),
                            self->resolved_pixels);
  return g_strdup_printf (_ ("A pixel is %s (%s), the object's square %s.\n"
                             "A telescope of %s resolves two points in phase that are %s (%.3g"
                             " px) apart; coherence radius %s."),
                          pixel, pixel_angle, object, aperture, resolved, self->resolved_pixels,
                          coherence);
}

/**
 * prism_units_dup_advice:
 * @config: a configuration
 *
 * Says when the object's diameter and object_size do not go together, and what to change.
 *
 * Returns: (transfer full) (nullable): one or two sentences; %NULL when they do, or when the
 * diameter is not given
 */
char *
prism_units_dup_advice (const PrismConfig *config)
{
  PrismUnits units;
  int size;

  if (config->object_diameter <= 0 || config->distance <= 0)
    return NULL;
  prism_units_init_config (&units, config);
  size = prism_units_get_object_size (&units);
  if (size < SMALLEST_OBJECT || size > config->image_size / 2)
    {
      const double wanted = 0.25 * config->image_size;
      const double dxf = config->dxf * wanted / units.diameter_pixels;

      /* What to change so that the diameter takes a number of pixels that is in range. */
      return g_strdup_printf (
          _ ("An object of that diameter takes %.3g px on this grid; from %d to %d "
             "px are of use. Set dxf to about %.2g m, which makes it %.0f px."),
          units.diameter_pixels, SMALLEST_OBJECT, config->image_size / 2, dxf, wanted);
    }
  if (size == config->object_size)
    return NULL;
  return g_strdup_printf (_ ("An object of that diameter takes %d px on this grid, but object_size "
                             "is %d px. Set object_size to %d."),
                          size, config->object_size, size);
}

/**
 * prism_units_add_json:
 * @builder: what writes JSON, inside an object
 *
 * Adds the scale as the object "scale"; the names end in the unit, and "diameter_px" is null when
 * the diameter is not given.
 */
void
prism_units_add_json (const PrismUnits *self,
                      JsonBuilder *builder)
{
  prism_json_add (builder, "scale: {");
  PRISM_FOR_EACH_OF (member, members)
    {
      double value = *(const double *) ((const char *) self + member->offset);

      prism_json_add (builder, "%s: %g", member->name, value > 0 ? value : NAN);
    }
  prism_json_add (builder, "}");
}
