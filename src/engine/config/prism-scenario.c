#include "config.h"

#include "config/prism-scenario.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"

/* Names and numbers: github.com/omriwen/PRISM, prism/scenarios/presets.py, microscopy.py and
 * drone_camera.py. An objective, or a lens, is what limits the plane that a small aperture visits:
 * the back focal plane of the one, the entrance of the other. */

#define FIELD 512     /* px, n */
#define TUBE 0.2      /* focal length of the tube lens, m */
#define EXPOSURE 1e-3 /* of a camera that flies, s */
#define MAX_NAME 64

static const PrismScenario scenarios[] = {
  { "microscope_100x_oil", N_ ("Microscope, 100× in oil"), "100x_1.4NA_oil", 550 },
  { "microscope_100x_oil_phase", N_ ("Phase contrast, 100× in oil"), "100x_1.4NA_oil", 550,
    .lacks = "phase contrast, which “simulate” has" },
  { "microscope_60x_water", N_ ("Microscope, 60× in water"), "60x_1.2NA_water", 550 },
  { "microscope_40x_air", N_ ("Microscope, 40×"), "40x_0.9NA_air", 550 },
  { "microscope_40x_phase", N_ ("Phase contrast, 40×"), "40x_0.9NA_air", 550,
    .lacks = "phase contrast, which “simulate” has" },
  { "microscope_40x_dic", N_ ("Interference contrast, 40×"), "40x_0.9NA_air", 550,
    .lacks = "interference contrast, which “simulate” has" },
  { "microscope_20x_air", N_ ("Microscope, 20×"), "20x_0.75NA_air", 550 },
  { "microscope_10x_air", N_ ("Microscope, 10×"), "10x_0.3NA_air", 550 },
  { "microscope_fluorescence_100x", N_ ("Fluorescence, 100× in oil"), "100x_1.4NA_oil", 488,
    .lacks = "fluorescence" },
  { "drone_10m_inspection", N_ ("Drone, inspection from 10 m"), NULL, 550, "35mm_f2.8", "aps_c", 10,
    2 },
  { "drone_20m_detail", N_ ("Drone, detail from 20 m"), NULL, 550, "50mm_f4.0", "aps_c", 20, 5 },
  { "drone_50m_survey", N_ ("Drone, survey from 50 m"), NULL, 550, "50mm_f4.0", "full_frame", 50,
    10 },
  { "drone_100m_mapping", N_ ("Drone, mapping from 100 m"), NULL, 550, "35mm_f4.0", "full_frame",
    100, 15 },
  { "drone_phantom_120m", N_ ("Drone, small camera from 120 m"), NULL, 550, "24mm_f2.8",
    "1_2.3_inch", 120, 12 },
  { "drone_hover_50m", N_ ("Drone, hovering at 50 m"), NULL, 550, "50mm_f4.0", "full_frame", 50,
    0 },
  { "drone_agriculture_50m", N_ ("Drone, fields from 50 m"), NULL, 550, "35mm_f4.0", "aps_c", 50,
    8 },
  { "drone_infrastructure_30m", N_ ("Drone, structures from 30 m"), NULL, 550, "50mm_f2.8",
    "full_frame", 30, 3 },
};

static const struct
{
  const char *name;
  double pixel; /* m */
} sensors[] = {
  { "full_frame", 6.5e-6 },
  { "aps_c", 3.9e-6 },
  { "micro_four_thirds", 3.3e-6 },
  { "1_inch", 2.4e-6 },
  { "1_2.3_inch", 1.6e-6 },
};

static const struct
{
  const char *name;
  double index; /* of refraction */
} media[] = { { "air", 1 }, { "water", 1.33 }, { "oil", 1.515 } };

/* What a scenario comes to. Lengths in m. */
typedef struct
{
  const PrismScenario *from;
  double magnification, na;      /* of an objective */
  double focal_length, f_number; /* of a lens */
  double sensor_pixel;
  double wavelength, altitude, speed;
  double distance; /* of the plane that the aperture visits */
  double pixel;    /* of the object: the ground sampling distance of a camera */
  double limit;    /* radius of the pupil, px of the plane, and no more than the plane has */
  double blur;     /* by the motion during an exposure, pixels */
} Optics;

static gboolean
refuse (GError **error,
        const char *what,
        const char *value,
        const char *expected)
{
  g_autofree char *shown = g_utf8_make_valid (value, (gssize) strnlen (value, MAX_NAME));

  return prism_error_config (error, "“%s” is no %s of a scenario: %s.", shown, what, expected);
}

/* A number from low to high at the text, then exactly what follows it. */
static gboolean
read_number (const char **text,
             const char *after,
             double low,
             double high,
             double *number)
{
  char *end;

  *number = g_ascii_strtod (*text, &end);
  if (end == *text || !(*number >= low && *number <= high)
      || g_ascii_strncasecmp (end, after, strlen (after)) != 0)
    return FALSE;
  *text = end + strlen (after);
  return TRUE;
}

/* "40x_0.9NA_air": an aperture cannot exceed the index of its medium. */
static gboolean
read_objective (Optics *self,
                const char *text,
                GError **error)
{
  const char *at = text;

  if (read_number (&at, "x_", 1, 1000, &self->magnification)
      && read_number (&at, "NA_", 0.01, 1.515, &self->na))
    PRISM_FOR_EACH_OF (one, media)
      if (g_ascii_strcasecmp (one->name, at) == 0 && self->na <= one->index)
        return TRUE;
  return refuse (error, "objective", text,
                 "write magnification, NA and air, water or oil, such as 40x_0.9NA_air; NA is at"
                 " most 1, 1.33 and 1.515 in them");
}

static gboolean
read_lens (Optics *self,
           const char *text,
           GError **error)
{
  const char *at = text;

  if (read_number (&at, "mm_f", 1, 5000, &self->focal_length)
      && read_number (&at, "", 0.5, 64, &self->f_number) && *at == '\0')
    {
      self->focal_length *= 1e-3;
      return TRUE;
    }
  return refuse (error, "lens", text,
                 "write focal length from 1 to 5000 mm and f-number from 0.5 to 64, such as"
                 " 50mm_f1.8");
}

static gboolean
read_sensor (Optics *self,
             const char *text,
             GError **error)
{
  g_autoptr (GString) known = g_string_new ("there are");

  for (gsize i = 0; i < G_N_ELEMENTS (sensors); i++)
    {
      if (strcmp (sensors[i].name, text) == 0)
        {
          self->sensor_pixel = sensors[i].pixel;
          return TRUE;
        }
      g_string_append_printf (known, "%s %s", i == 0 ? "" : ",", sensors[i].name);
    }
  return refuse (error, "sensor", text, known->str);
}

static gboolean
read_quantity (const char *what,
               const char *text,
               double low,
               double high,
               double *number,
               GError **error)
{
  const char *at = text;
  g_autofree char *range = g_strdup_printf ("it is a number from %g to %g", low, high);

  return (read_number (&at, "", low, high, number) && *at == '\0')
         || refuse (error, what, text, range);
}

static gboolean
apply (Optics *self,
       const char *key,
       const char *value,
       GError **error)
{
  gboolean is_camera = self->from->objective == NULL;

  if (strcmp (key, "wavelength") == 0)
    return read_quantity (key, value, 100, 20000, &self->wavelength, error);
  if (!is_camera && strcmp (key, "objective") == 0)
    return read_objective (self, value, error);
  if (is_camera && strcmp (key, "lens") == 0)
    return read_lens (self, value, error);
  if (is_camera && strcmp (key, "sensor") == 0)
    return read_sensor (self, value, error);
  if (is_camera && strcmp (key, "altitude") == 0)
    return read_quantity (key, value, 1, 100000, &self->altitude, error);
  if (is_camera && strcmp (key, "speed") == 0)
    return read_quantity (key, value, 0, 1000, &self->speed, error);
  return refuse (error, "quantity", key,
                 is_camera ? "a camera has lens, sensor, altitude (m), speed (m/s) and wavelength"
                             " (nm)"
                           : "a microscope has objective and wavelength (nm)");
}

static const PrismScenario *
find (const char *spec)
{
  gsize length = strcspn (spec, ",");

  PRISM_FOR_EACH_OF (scenario, scenarios)
    if (strlen (scenario->id) == length && strncmp (scenario->id, spec, length) == 0)
      return scenario;
  return NULL;
}

/* "drone_50m_survey,altitude=80" */
static gboolean
read_spec (Optics *self,
           const char *spec,
           GError **error)
{
  g_auto (GStrv) words = g_strsplit (spec, ",", -1);
  double wavelength;
  double radius;

  *self = (Optics) { .from = find (spec) };
  if (self->from == NULL)
    return refuse (error, "name", spec, "“prism-cli run --list-scenarios” lists them");
  self->wavelength = self->from->wavelength;
  self->altitude = self->from->altitude;
  self->speed = self->from->speed;
  if (self->from->objective != NULL ? !read_objective (self, self->from->objective, error)
                                    : !read_lens (self, self->from->lens, error)
                                          || !read_sensor (self, self->from->sensor, error))
    return FALSE;
  for (guint i = 1; words[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (words[i], "=", 2);

      if (parts[0] == NULL || parts[1] == NULL)
        return refuse (error, "quantity", words[i], "write it as altitude=80");
      if (!apply (self, g_strstrip (parts[0]), g_strstrip (parts[1]), error))
        return FALSE;
    }
  /* dx of the object; dxf = λz/(n·dx) of the plane; the pupil, NA·z or f/2N, in pixels of it. */
  wavelength = self->wavelength * 1e-9;
  if (self->from->objective != NULL)
    {
      self->distance = TUBE / self->magnification;
      self->pixel = PRISM_SCENARIO_CAMERA_PIXEL / self->magnification;
      radius = self->na * self->distance;
    }
  else
    {
      self->distance = self->altitude;
      self->pixel = self->altitude * self->sensor_pixel / self->focal_length;
      radius = self->focal_length / self->f_number / 2;
      self->blur = self->speed * EXPOSURE / self->pixel;
    }
  self->limit = MIN (radius * FIELD * self->pixel / (wavelength * self->distance), FIELD / 2);
  if (self->limit >= 8)
    return TRUE;
  return refuse (error, "choice", spec,
                 "its pupil has less than 8 pixels of the plane, so that nothing is left to visit;"
                 " take a larger NA or a smaller f-number");
}

/**
 * prism_scenario_get_all:
 * @n_scenarios: (out): how many
 *
 * Returns: (transfer none) (array length=n_scenarios): the scenarios that have names
 */
const PrismScenario *
prism_scenario_get_all (gsize *n_scenarios)
{
  *n_scenarios = G_N_ELEMENTS (scenarios);
  return scenarios;
}

/**
 * prism_scenario_is:
 * @spec: "drone_50m_survey", or with what differs, "drone_50m_survey,altitude=80"
 *
 * Returns: whether it begins with the name of a scenario
 */
gboolean
prism_scenario_is (const char *spec)
{
  return find (spec) != NULL;
}

/* "34.5 nm", "6.5 mm" */
static char *
dup_length (double metres)
{
  return metres < 1e-6   ? g_strdup_printf ("%.3g nm", metres * 1e9)
         : metres < 1e-3 ? g_strdup_printf ("%.3g µm", metres * 1e6)
         : metres < 1    ? g_strdup_printf ("%.3g mm", metres * 1e3)
                         : g_strdup_printf ("%.3g m", metres);
}

static char *
dup_optics (const Optics *self)
{
  g_autofree char *pixel = dup_length (self->pixel);

  if (self->from->objective != NULL)
    return g_strdup_printf ("%g× · NA %g · %g nm · %s/px", self->magnification, self->na,
                            self->wavelength, pixel);
  return g_strdup_printf ("%g mm f/%g · %g m · %s/px", self->focal_length * 1e3, self->f_number,
                          self->altitude, pixel);
}

/**
 * prism_scenario_dup_help:
 * @spec: of a scenario
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): its numbers in a line, the same in any language
 */
char *
prism_scenario_dup_help (const char *spec,
                         GError **error)
{
  Optics optics;

  return read_spec (&optics, spec, error) ? dup_optics (&optics) : NULL;
}

/**
 * prism_scenario_dup_text:
 * @spec: of a scenario
 *
 * What it looks at, from where, and through what: a target of bars or spokes, and an aperture of a
 * quarter of the pupil that visits all of it.
 *
 * Errors: PRISM_ERROR_CONFIG with what is allowed.
 *
 * Returns: (transfer full) (nullable): a configuration, as in a file
 */
char *
prism_scenario_dup_text (const char *spec,
                         GError **error)
{
  Optics optics;

  if (!read_spec (&optics, spec, error))
    return NULL;
  return g_strdup_printf ("[prism]\nobject=%s\nimage_size=%d\nobject_size=%d\nwavelength=%s\n"
                          "distance=%s\ndxf=%s\naperture_radius=%s\nroi=%d\nsamples=60\nsnr=40\n"
                          "motion_blur=%s\n",
                          optics.from->objective != NULL ? "siemens" : "usaf1951", FIELD, FIELD / 4,
                          prism_digits ("%.6g", optics.wavelength),
                          prism_digits ("%.9g", optics.distance),
                          prism_digits ("%.9g", optics.wavelength * 1e-9 * optics.distance
                                                    / (FIELD * optics.pixel)),
                          prism_digits ("%.2f", optics.limit / 4), (int) (1.5 * optics.limit),
                          prism_digits ("%.6g", optics.blur));
}

/**
 * prism_scenario_get_objective:
 * @spec: of a scenario
 * @magnification: (out): of its objective
 * @na: (out): its numerical aperture
 * @wavelength: (out): m
 *
 * Errors: PRISM_ERROR_CONFIG, also for a camera.
 *
 * Returns: whether it has one
 */
gboolean
prism_scenario_get_objective (const char *spec,
                              double *magnification,
                              double *na,
                              double *wavelength,
                              GError **error)
{
  Optics optics;

  if (!read_spec (&optics, spec, error))
    return FALSE;
  *magnification = optics.magnification;
  *na = optics.na;
  *wavelength = optics.wavelength * 1e-9;
  return optics.from->objective != NULL
         || refuse (error, "microscope", spec, "a camera that flies is for “prism-cli run”");
}

static const char list_end[]
    = "\nWhat differs follows the name: drone_50m_survey,lens=35mm_f2.8,altitude=80,speed=5\n"
      "or microscope_40x_air,objective=20x_0.5NA_air,wavelength=488. Pixels of a camera are its\n"
      "ground sampling distance. It is open for 1 ms, along x, and focused on the ground: then\n"
      "frames are those of the far field at any Fresnel number. Objects are real and light is\n"
      "coherent; “prism-cli simulate --scenario NAME” has specimens of phase, and writes bright\n"
      "and dark field, phase contrast and relief beside frames. Fluorescence is not simulated.\n"
      "Sensors:";

/**
 * prism_scenario_dup_list:
 *
 * Returns: (transfer full): all scenarios with their numbers, and what of them is not simulated
 */
char *
prism_scenario_dup_list (void)
{
  GString *list = g_string_new (NULL);

  PRISM_FOR_EACH_OF (scenario, scenarios)
    {
      Optics optics;
      g_autofree char *numbers = NULL, *resolved = NULL;

      if (!read_spec (&optics, scenario->id, NULL))
        continue;
      numbers = dup_optics (&optics);
      resolved = dup_length (FIELD * optics.pixel / optics.limit);
      g_string_append_printf (list, "%-29s %s, periods from %s", scenario->id, numbers,
                              resolved);
      if (scenario->lacks != NULL)
        g_string_append_printf (list, "; without %s", scenario->lacks);
      if (optics.from->objective == NULL)
        g_string_append_printf (list, "; Fresnel number %.2g",
                                pow (optics.focal_length / optics.f_number / 2, 2)
                                    / (optics.wavelength * 1e-9 * optics.altitude));
      if (optics.blur > 0)
        g_string_append_printf (list, "; motion blur of %.1f px at %g m/s", optics.blur,
                                optics.speed);
      g_string_append_c (list, '\n');
    }
  g_string_append (list, list_end);
  for (gsize i = 0; i < G_N_ELEMENTS (sensors); i++)
    g_string_append_printf (list, "%s %s (%g µm)", i == 0 ? "" : ",", sensors[i].name,
                            sensors[i].pixel * 1e6);
  g_string_append (list, ".\n");
  return g_string_free (list, FALSE);
}
