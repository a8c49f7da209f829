#include "base/prism-number.h"
#include "config/prism-preset.h"
#include "config/prism-units.h"
#include "model/prism-aperture.h"
#include "../support/test-config.h"

/* A telescope of 5.12 m that looks at 1 µm from 1000 km: λz = 1 m². */
static PrismConfig *
new_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->wavelength = 1000;
  config->distance = 1e6;
  test_config_set (config, "dxf=0.01 image_size=512 object_size=128 aperture_radius=20");
  return config;
}

static void
assert_near (double value, double expected)
{
  g_assert_cmpfloat_with_epsilon (value / expected, 1.0, 1e-9);
}

TEST (formulas, "/engine/units/formulas")
{
  g_autoptr (PrismConfig) config = new_config ();
  const double seconds = 180 * 3600 / G_PI;
  PrismUnits units;

  prism_units_init_config (&units, config);
  assert_near (units.pixel, 1 / 5.12);
  assert_near (units.pixel_angle, 1e-6 / 5.12 * seconds);
  assert_near (units.field, 100);
  assert_near (units.object, 25);
  assert_near (units.aperture, 0.4);
  assert_near (units.resolved_angle, 1.64e-6 / 0.4 * seconds);
  assert_near (units.resolved, 4.1);
  assert_near (units.resolved_pixels, 0.82 * 512 / 20);
  assert_near (units.synthetic, 5.12);
  assert_near (units.coherence_radius, 1.22 / 25);
  assert_near (units.coherence_pixels, 1.22 * 4);
  g_assert_cmpfloat (units.diameter_pixels, ==, 0);

  config->roi = 256;
  prism_units_init_config (&units, config);
  assert_near (units.synthetic, 2.56);
  assert_near (units.synthetic_angle, 1.64e-6 / 2.56 * seconds);
}

/* How bright the middle between two points in phase is beside the brightest place, behind an
 * aperture of 10 px in a field of 512. */
static double
expose_two_points (int distance)
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autoptr (PrismImage) object = prism_image_new (128, 128, NULL);
  PrismAperture aperture;
  double brightest = 0;

  config->aperture_radius = 10;
  prism_aperture_init_config (&aperture, config);
  g_autoptr (PrismMask) mask = prism_aperture_get_mask (&aperture, config->image_size, 0, 0);
  object->pixels[64 * 128 + 64 - distance / 2] = object->pixels[64 * 128 + 64 + distance / 2] = 1;
  g_autoptr (PrismImage) exposure = prism_exposure_new_image (object, mask, NULL);
  g_assert_nonnull (exposure);
  for (int i = 0; i < 128 * 128; i++)
    brightest = fmax (brightest, exposure->pixels[i]);
  return pow (exposure->pixels[64 * 128 + 64] / brightest, 2);
}

/* Rayleigh's dip of 26 % is where the program says it is; at Rayleigh's own distance, which is one
 * of incoherent light, two points in phase are one spot. */
TEST (two_points, "/engine/units/two-points")
{
  g_autoptr (PrismConfig) config = new_config ();
  PrismUnits units;

  config->aperture_radius = 10;
  prism_units_init_config (&units, config);
  g_assert_cmpint (lround (units.resolved_pixels), ==, 42);
  g_assert_cmpfloat_with_epsilon (expose_two_points (42), 0.735, 0.01);
  g_assert_cmpfloat (expose_two_points (36), ==, 1);
}

/* What the presets state follows from diameter, distance and wavelength. */
TEST (presets, "/engine/units/presets")
{
  static const struct
  {
    const char *id;
    double diameter, distance;
    double wavelength;
  } scenes[] = {
    { "europa", 3138e3, 628.3e9, 698.9 },
    { "titan", 5150e3, 1.2e12, 2000 },
    { "neptune", 50e6, 29.1 * 1.495978707e11, 500 },
    { "betelgeuse", 1.234e12, 700 * 9.4607304725808e15, 500 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (scenes); i++)
    {
      g_autoptr (PrismConfig) config = prism_preset_load (scenes[i].id, NULL);
      PrismUnits units;

      g_assert_nonnull (config);
      prism_units_init_config (&units, config);
      assert_near (config->object_diameter, scenes[i].diameter);
      g_assert_cmpfloat_with_epsilon (config->distance / scenes[i].distance, 1, 1e-5);
      assert_near (config->wavelength, scenes[i].wavelength);
      g_assert_cmpint (config->object_size, ==, prism_units_get_object_size (&units));
      g_assert_cmpfloat (config->aperture_radius, ==,
                         MAX (1.0, round (4 * units.coherence_pixels)));
      g_assert_null (prism_units_dup_advice (config));
    }
}

static void
assert_length (double metres, const char *expected)
{
  SAYS (prism_units_dup_length (metres), expected);
}

static void
assert_angle (double seconds, const char *expected)
{
  SAYS (prism_units_dup_angle (seconds), expected);
}

TEST (texts, "/engine/units/texts")
{
  const char *unit = NULL;

  g_assert_cmpfloat (prism_units_choose_length (236e-6, &unit), ==, 1e-6);
  g_assert_cmpstr (unit, ==, "µm");
  assert_length (0, "0 nm");
  assert_length (698.9e-9, "699 nm");
  assert_length (2e-6, "2 µm");
  assert_length (0.4, "400 mm");
  assert_length (1.36, "1.36 m");
  assert_length (999.9, "1 km");
  assert_length (85765, "85.8 km");
  assert_length (43912e3, "43900 km");
  assert_length (628.3e9, "4.2 au");
  assert_length (6.6225e18, "700 ly");
  assert_angle (7200, "2 °");
  assert_angle (1.5, "1.5 ″");
  assert_angle (0.02816, "28.2 mas");
  assert_angle (3e-7, "0.3 µas");
}

/* 3475 km at 384 400 km, whatever the sizes in pixels; other objects have no metres. */
TEST (own_scale, "/engine/units/own-scale")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  PrismUnits units;

  for (int size = 64; size <= 256; size *= 2)
    {
      config->object_size = size;
      prism_units_init_config (&units, config);
      g_assert_cmpfloat_with_epsilon (0.92 * units.object, 3474.8e3, 1);
      g_assert_cmpfloat_with_epsilon (units.object / size / units.pixel, 1, 1e-9);
      g_assert_cmpfloat_with_epsilon (units.pixel_angle / 3600 * G_PI / 180 * 384.4e6, units.pixel,
                                      1e-6 * units.pixel);
    }
  prism_config_set_text (config, "object", "points", NULL);
  prism_units_init_config (&units, config);
  g_assert_cmpfloat (units.pixel, ==, 0);
  g_assert_cmpfloat (units.aperture, ==, 0);
  g_assert_cmpfloat (units.resolved_pixels, >, 0);
}

/* Each sentence names what helps, and doing it does help. */
TEST (advice, "/engine/units/advice")
{
  g_autoptr (PrismConfig) config = new_config ();

  g_assert_null (prism_units_dup_advice (config));
  config->object_diameter = 20;
  g_autofree char *other = prism_units_dup_advice (config);
  HAS (other, "object_size to 102.");
  config->object_size = 102;
  g_assert_null (prism_units_dup_advice (config));

  config->object_diameter = 2.5;
  g_autofree char *small = prism_units_dup_advice (config);
  HAS (small, "dxf to about 0.1 m");
  config->object_diameter = 90;
  g_autofree char *large = prism_units_dup_advice (config);
  HAS (large, "dxf to about 0.0028 m");
  test_config_set (config, "dxf=0.0028 object_size=64");
  g_free (g_steal_pointer (&other));
  other = prism_units_dup_advice (config);
  HAS (other, "object_size to 1");
}

/* The error has two digits, the value ends where it does, and both have one unit. */
TEST (numbers_within, "/engine/units/numbers-within")
{
  static const struct
  {
    double value, error;
    const char *unit; /* NULL: a length in metres, whose unit is chosen */
    const char *text;
  } cases[] = {
    { 0.4379, 1, "nm", "0.4 ± 1.0 nm" },
    { 20.0009, 0.978, "nm", "20.00 ± 0.98 nm" },
    { -3.569, 1.5, "nm", "−3.6 ± 1.5 nm" },
    { -0.2, 12, "nm", "0 ± 12 nm" },
    { 1234.5, 149, "px", "1230 ± 150 px" },
    { 0.95956, 0.0996, "", "0.96 ± 0.10" },
    { 1.039e-7, 2.1e-8, "", "(1.04 ± 0.21)×10⁻⁷" },
    { 48.07, 0, "dB", "48.07 dB" },
    { 48.07, 1e-14, "dB", "48.07 dB" },
    { -48.07, NAN, "dB", "−48.07 dB" },
    { 8.31e-6, 188e-9, NULL, "8.31 ± 0.19 µm" },
    { 433e3, 16.1e3, NULL, "433 ± 16 km" },
    { 12.05e3, 58, NULL, "12.050 ± 0.058 km" },
    { 4328e15, 123e15, NULL, "457 ± 13 ly" },
    { 2e-9, 188e-9, NULL, "0 ± 190 nm" },
    { 2e-9, 1.88e-6, NULL, "0.0 ± 1.9 µm" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text
          = cases[i].unit != NULL
                ? prism_number_dup_within (cases[i].value, cases[i].error, cases[i].unit)
                : prism_units_dup_length_within (cases[i].value, cases[i].error);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

/* A number has no more digits than count, and no “e”. */
TEST (number, "/engine/units/number")
{
  static const struct
  {
    double value;
    int digits;
    const char *text;
  } cases[] = {
    { 0, 3, "0" },
    { 0.00777, 3, "0.00777" },
    { 0.000818, 3, "8.18×10⁻⁴" },
    { 5.5e-10, 3, "5.50×10⁻¹⁰" },
    { -9.999e-4, 3, "−1.00×10⁻³" },
    { 99.7, 2, "100" },
    { 123456, 3, "123456" },
    { 2e7, 2, "2.0×10⁷" },
    { NAN, 3, "–" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = prism_number_dup (cases[i].value, cases[i].digits);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}
