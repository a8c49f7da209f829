#include "config.h"

#include "instrument/prism-instrument.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-text.h"
#include "config/prism-scenario.h"
#include "config/prism-units.h"

#include <stddef.h>

#define MAX_SIDE 4096 /* of the object, pixels */

static const char *const scenario_names[PRISM_N_INSTRUMENTS]
    = { "microscope", "camera-array", "telescope" };

#define KEY(name, low, high, a, b, c, ...)                                      \
  {                                                                             \
#name, offsetof(PrismInstrument, name), low, high, { a, b, c }, __VA_ARGS__ \
  }

static const PrismInstrumentKey keys[] = {
  KEY (specimen, 0, 2, 0, 1, 2, "Looked at: 0 cells, 1 bars, 2 a bright scene in the dark", TRUE),
  KEY (size, 16, 1024, 128, 96, 64, "Pixels of a frame's side, even", TRUE),
  KEY (per_side, 2, 101, 15, 13, 11, "LEDs, cameras or places of a side of the array", TRUE),
  KEY (wavelength, 1e-11, 1e-3, 630e-9, 550e-9, 550e-9, "Wavelength, m"),
  KEY (camera_pixel, 1e-9, 1e-2, 3.69e-6, 2e-6, 4.5e-6, "Side of a pixel of the camera, m"),
  KEY (magnification, 1e-9, 1e4, 2, 1.0 / 30, 3e-6, "Magnification"),
  KEY (na, 1e-9, 1.5, 0.1, 0.004, 1.5e-7, "Numerical aperture: its radius over its distance"),
  KEY (distance, 1e-5, 1e9, 90.88e-3, 1.5, 1e6, "Distance of the LEDs, or of the object, m"),
  KEY (pitch, 1e-9, 1e6, 4e-3, 2.5e-3, 0.1, "From one LED, camera or place to the next, m"),
  KEY (slide_thickness, 0, 0.1, 1e-3, 0, 0, "Thickness of the slide, m"),
  KEY (slide_index, 1, 4, 1.52, 1.52, 1.52, "Refractive index of the slide"),
  KEY (rotation, -360, 360, 0, 0, 0, "Rotation of the array, degrees"),
  KEY (curvature, 0, 1, 0, 0, 0, "1: light from nearby, its direction changes over a field", TRUE),
  KEY (phase, 0, 100, 1.5, 0, 0, "Phase of the specimen, rad"),
  KEY (index, 1, 4, 1, 1, 1, "Refractive index of what the objective dips into"),
  KEY (defocus, -0.1, 0.1, 20e-6, 0, 0, "How far the specimen is out of focus, m"),
  KEY (astigmatism, -5, 5, 0, 0, 0, "Astigmatism, waves rms"),
  KEY (coma, -5, 5, 0, 0, 0, "Coma, waves rms"),
  KEY (spherical, -5, 5, 0, 0, 0, "Spherical aberration, waves rms"),
  KEY (stray, 0, 1, 0, 0, 0, "Stray light, part of the mean of the central frame"),
  KEY (gains, 0, 1, 0, 0, 0, "Relative spread of the brightness of the LEDs"),
  KEY (shifts, 0, 50, 0, 0, 0, "Shifts of the LEDs, pixels of the spectrum, rms"),
  KEY (photons, 0, 1e9, 1e6, 1e4, 1e4, "Photons per pixel of the central frame; 0: no noise"),
  KEY (read_noise, 0, 1e4, 1, 1, 1, "Noise of reading, electrons rms"),
  KEY (seed, 0, 4294967295.0, 1, 1, 1, "What the random numbers begin with", TRUE),
};

/**
 * prism_instrument_get_keys:
 * @n_keys: (out): how many
 *
 * Returns: (transfer none) (array length=n_keys): what describes an instrument
 */
const PrismInstrumentKey *
prism_instrument_get_keys (gsize *n_keys)
{
  *n_keys = G_N_ELEMENTS (keys);
  return keys;
}

/* An objective of a name before the LEDs: so near that they light from beyond its aperture, as far
 * as that can be in air. */
static gboolean
take_objective (PrismInstrument *self,
                const char *scenario,
                GError **error)
{
  const double half = self->pitch * (self->per_side - 1) / 2;
  double sine;

  if (!prism_scenario_get_objective (scenario, &self->magnification, &self->na, &self->wavelength,
                                     error))
    return FALSE;
  self->camera_pixel = PRISM_SCENARIO_CAMERA_PIXEL;
  sine = MIN (1.5 * self->na, 0.95);
  self->distance = half / sine * sqrt (1 - sine * sine);
  self->index = self->na > 1.33 ? 1.515 : self->na > 1 ? 1.33
                                                       : 1;
  self->slide_thickness = self->defocus = 0;
  return TRUE;
}

/**
 * prism_instrument_init:
 * @self: (out caller-allocates): an instrument
 * @scenario: microscope, camera-array, telescope, or a microscope of prism-scenario
 *
 * Errors: PRISM_ERROR_CONFIG: there is no such scenario.
 *
 * Returns: whether it is described now
 */
gboolean
prism_instrument_init (PrismInstrument *self,
                       const char *scenario,
                       GError **error)
{
  const gboolean named = prism_scenario_is (scenario);

  memset (self, 0, sizeof *self);
  for (int kind = 0; kind < PRISM_N_INSTRUMENTS; kind++)
    {
      if (!named && g_ascii_strcasecmp (scenario, scenario_names[kind]) != 0)
        continue;
      self->kind = kind;
      PRISM_FOR_EACH_OF (key, keys)
        *(double *) ((char *) self + key->offset) = key->defaults[kind];
      return !named || take_objective (self, scenario, error);
    }
  return prism_error_config (error, "There is no scenario “%s”: use microscope, camera-array or"
                                    " telescope, or a microscope of “prism-cli run"
                                    " --list-scenarios”.",
                             scenario);
}

/**
 * prism_instrument_set:
 * @key: one of prism_instrument_get_keys()
 * @value: a number
 *
 * Errors: PRISM_ERROR_CONFIG with the range.
 *
 * Returns: whether it is so now
 */
gboolean
prism_instrument_set (PrismInstrument *self,
                      const char *key,
                      const char *value,
                      GError **error)
{
  g_autofree char *shown_key = prism_printable_dup_short (key);
  g_autofree char *shown = prism_printable_dup_short (value);

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      double number;

      if (strcmp (keys[i].key, key) != 0)
        continue;
      if (prism_number_parse (value, &number) && number >= keys[i].minimum
          && number <= keys[i].maximum && (!keys[i].is_whole || number == floor (number)))
        {
          *(double *) ((char *) self + keys[i].offset) = number;
          return TRUE;
        }
      return prism_error_config (error,
                                 "“%s” cannot be “%s”: expected is a %snumber from %g to %g.", key,
                                 shown, keys[i].is_whole ? "whole " : "", keys[i].minimum,
                                 keys[i].maximum);
    }
  return prism_error_config (error, "An instrument knows no key “%s”; “prism-cli simulate --keys”"
                                    " lists them.",
                             shown_key);
}

/**
 * prism_instrument_get_pixel:
 *
 * Returns: side of a camera's pixel at the object, m
 */
double
prism_instrument_get_pixel (const PrismInstrument *self)
{
  return self->camera_pixel / self->magnification;
}

/* Returns direction cosine of the corner of the array, without the slide. */
static double
get_reach (const PrismInstrument *self)
{
  double corner = self->pitch * (self->per_side - 1) / 2 * G_SQRT2;

  return corner / hypot (corner, self->distance);
}

/**
 * prism_instrument_get_upsampling:
 *
 * Returns: how many times the pixels of a side the object needs, for every box and every intensity
 */
int
prism_instrument_get_upsampling (const PrismInstrument *self)
{
  double pixel = prism_instrument_get_pixel (self), reach = get_reach (self);

  return (int) ceil (MAX (2 * pixel * (self->na + reach) / self->wavelength,
                          1 + 2 * pixel * reach / self->wavelength)
                     - 1e-9);
}

/**
 * prism_instrument_check:
 *
 * Errors: PRISM_ERROR_CONFIG: what cannot be simulated, with what to change.
 *
 * Returns: whether it can be
 */
gboolean
prism_instrument_check (const PrismInstrument *self,
                        GError **error)
{
  double pixel = prism_instrument_get_pixel (self);
  double side = self->size * prism_instrument_get_upsampling (self);

  if (fmod (self->size, 2) != 0)
    prism_error_config (error, "“size” should be even.");
  else if (pixel > self->wavelength / (2 * self->na))
    prism_error_config (error, "The camera samples too coarsely: its pixel is %.4g m at the object,"
                               " at most %.4g m are allowed; lower “camera_pixel” or “na”, or raise"
                               " “magnification”.",
                        pixel, self->wavelength / (2 * self->na));
  else if (self->na >= self->index)
    prism_error_config (error,
                        "“na” is %g, and has to be below “index”, the refractive index %g.",
                        self->na, self->index);
  else if (side > MAX_SIDE)
    prism_error_config (error, "The object would have %.0f pixels a side, at most %d are allowed;"
                               " lower “size”, “per_side” or “pitch”.",
                        side, MAX_SIDE);
  else if (self->size * self->na * pixel / self->wavelength < 2)
    g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                         "The aperture has less than two pixels of the spectrum; raise “size”.");
  else
    return TRUE;
  return FALSE;
}

/**
 * prism_instrument_dup_summary:
 *
 * Returns: (transfer full): what the instrument resolves, in some lines
 */
char *
prism_instrument_dup_summary (const PrismInstrument *self)
{
  double reach = get_reach (self), pixel = prism_instrument_get_pixel (self);
  /* Part of the aperture's area that neighbours have in common. */
  double step = self->pitch / hypot (self->pitch, self->distance), half = step / (2 * self->na);
  double overlap = half < 1 ? 2 / G_PI * (acos (half) - half * sqrt (1 - half * half)) : 0;
  int times = prism_instrument_get_upsampling (self);
  g_autofree char *camera = prism_units_dup_length (pixel);
  g_autofree char *fine = prism_units_dup_length (pixel / times);
  g_autofree char *one = prism_units_dup_length (self->wavelength / self->na);
  g_autofree char *all = prism_units_dup_length (self->wavelength / (self->na + reach));

  return g_strdup_printf ("%s: %.0f frames of %.0f × %.0f pixels of %s at the object.\n"
                          "One frame resolves a period of %s, all of them together %s"
                          " (%.1f times finer).\n"
                          "The object has %.0f × %.0f pixels of %s.\n"
                          "Neighbouring apertures overlap by %.0f %%%s.\n",
                          scenario_names[self->kind], self->per_side * self->per_side, self->size,
                          self->size, camera, one, all, (self->na + reach) / self->na,
                          self->size * times, self->size * times, fine, 100 * overlap,
                          overlap < 0.35 ? ": less than 35 % is too little" : "");
}
