#include "config.h"

#include "recording/prism-recording-private.h"

#define LARGEST 1.0        /* m: no board is larger */
#define FLATTEST 5.0       /* LED beside the sample, over its distance: nobody places it so */
#define MICROSCOPE 1e-4    /* m: no pixel at its sample is larger */
#define LEAST_MOVE 0.5     /* pixels of the spectrum: less is one place for all LEDs */
#define OUTER 1.1          /* of the NA: the camera sees none of it */
#define LEAST_RATE 0.75    /* of what the light of the frames can say of a unit */
#define MOST_OBLIQUE 0.985 /* direction cosine: no LED is farther out */
#define BRIGHT_SHARE 0.2   /* of the brightest frame of all */

/* Names of units and what they are, larger first. */
static const struct
{
  const char *name;
  double size;
} units[] = { { "mm", 1e-3 }, { "µm", 1e-6 }, { "nm", 1e-9 } };

/**
 * prism_recording_units_get_photon:
 * @value: wavelength of light, m, or energy of its photons, J
 *
 * Returns: the other of both
 */
double
prism_recording_units_get_photon (double value)
{
  return 6.62607015e-34 * 299792458 / value;
}

/* A microscope's pixel of 5.5 is one of micrometres; a telescope's sample is as large as it is. */
static void
correct_pixel (PrismRecording *self,
               double *pixel,
               double largest)
{
  const double value = *pixel;

  if (!(value > 0.05 && value < 1000 && largest < 1e-3))
    return;
  *pixel *= 1e-6;
  prism_recording_note (self, _ ("The side of a pixel, %g, is taken as %s."), value, "µm");
}

/* A pixel that is too large for the NA, but not once it is divided by the magnification, is the
 * camera's. */
static void
correct_camera (PrismRecording *self)
{
  const double largest = self->wavelength / (2 * self->na);

  if (!(self->magnification > 1) || !(self->pixel_size > largest)
      || !(self->pixel_size / self->magnification <= largest))
    return;
  prism_recording_note (self,
                        _ ("The side of a pixel, %.4g µm, is taken as that of the camera: at the "
                           "specimen it is %.4g times smaller."),
                        1e6 * self->pixel_size, self->magnification);
  self->camera_pixel = self->pixel_size;
  self->pixel_size /= self->magnification;
}

/* How far the farthest LED is from the axis, m. */
static double
get_reach (const PrismRecording *self)
{
  double reach = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    reach = MAX (reach, hypot (self->positions[2 * j], self->positions[2 * j + 1]));
  return reach;
}

static void
scale_positions (PrismRecording *self,
                 double unit)
{
  for (gsize j = 0; j < 2 * (gsize) self->n_frames; j++)
    self->positions[j] *= unit;
}

/* Whether the frames whose LEDs would lie inside the NA are bright. */
static gboolean
are_inner_bright (const PrismRecording *self,
                  double scale)
{
  const double reach
      = PRISM_RECORDING_INSIDE * self->na / sqrt (1 - MIN (self->na * self->na, 0.99));
  g_autofree double *light = prism_recording_dup_light (self);
  double most = 0;
  guint n = 0, n_bright = 0;

  for (int round = 0; round < 2; round++)
    for (gsize j = 0; j < self->n_frames; j++)
      {
        if (scale * hypot (self->positions[2 * j], self->positions[2 * j + 1])
            > reach * self->distance)
          continue;
        most = MAX (most, light[j]);
        n += round;
        n_bright += round != 0 && light[j] > PRISM_RECORDING_BRIGHT * most;
      }
  return n > 0 && 2 * n_bright >= n;
}

/* No microscope's LEDs are metres from each other and from the sample: both numbers are in the same
 * smaller unit. */
static void
correct_scale (PrismRecording *self)
{
  const double reach = get_reach (self), distance = self->distance;

  if (!(self->pixel_size < MICROSCOPE) || reach / distance > FLATTEST)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (units) && MIN (reach, distance) > LARGEST; i++)
    if (units[i].size * MAX (reach, distance) <= LARGEST)
      {
        scale_positions (self, units[i].size);
        self->distance *= units[i].size;
        prism_recording_note (self,
                              _ ("The positions, up to %g from the axis, and the distance of the"
                                 " LEDs, %g, are taken as %s."),
                              reach, distance, units[i].name);
        return;
      }
}

/* Positions in mm with a distance in m, or the other way round: what the light of the frames does
 * not contradict. */
static void
correct_positions (PrismRecording *self)
{
  const double reach = get_reach (self), ratio = reach / self->distance;
  const double side = MAX (self->height, self->width);
  const double move = ratio * self->pixel_size * side / self->wavelength;

  for (gsize i = 0; i < G_N_ELEMENTS (units) && ratio > FLATTEST && reach > LARGEST; i++)
    if (units[i].size * ratio < FLATTEST && are_inner_bright (self, units[i].size))
      {
        scale_positions (self, units[i].size);
        prism_recording_note (self,
                              _ ("The positions, up to %g from the axis, are taken as %s: the"
                                 " distance of the LEDs is %g m."),
                              reach, units[i].name, self->distance);
        return;
      }
  if (!(move < LEAST_MOVE && move / units[0].size > LEAST_MOVE) || ratio / units[0].size > FLATTEST
      || !are_inner_bright (self, 1 / units[0].size))
    return;
  prism_recording_note (self, _ ("The distance of the LEDs, %g, is taken as %s."), self->distance,
                        units[0].name);
  self->distance *= units[0].size;
}

/* What directions can be: cosines in a unit. */
static const struct
{
  const char *name;
  double per;        /* of one of them, m where there is a wavelength */
  gboolean waves;    /* times the wavelength */
  gboolean pixels;   /* of the spectrum */
  gboolean cornered; /* likewise, counted from its corner */
} waves[] = {
  { "rad/m", 1 / (2 * G_PI), TRUE },
  { "rad/mm", 1e3 / (2 * G_PI), TRUE },
  { "rad/µm", 1e6 / (2 * G_PI), TRUE },
  { "1/m", 1, TRUE },
  { "1/mm", 1e3, TRUE },
  { "1/µm", 1e6, TRUE },
  { N_ ("direction cosines"), 1 },
  { N_ ("pixels of the spectrum of a frame"), 1, TRUE, TRUE },
  { N_ ("pixels of the spectrum of a frame, counted from its corner"), 1, TRUE, TRUE, TRUE },
};

/* Direction cosine of 1 in this unit. */
static double
get_wave_scale (const PrismRecording *self,
                gsize i)
{
  const double field = self->pixel_size * MAX (self->height, self->width);

  return waves[i].per * (waves[i].waves ? self->wavelength : 1) / (waves[i].pixels ? field : 1);
}

/* Pixels may be counted from a corner, MATLAB's from 1: what the middle of the spectrum is then. */
static double
get_corner (const PrismRecording *self,
            gsize i)
{
  const double first = g_str_has_prefix (self->format, "MATLAB") ? 1 : 0;
  double sum = 0;

  if (!waves[i].cornered)
    return 0;
  for (gsize k = 0; k < 2 * (gsize) self->n_frames; k++)
    sum += self->directions[k];
  return copysign (MAX (self->height, self->width) / 2.0 + first, sum);
}

/* How well it agrees with the light of the frames that those inside the NA are bright and the
 * others dark: 0 to 1. light: [n_frames] */
static double
rate_scale (const PrismRecording *self,
            const double *light,
            double scale,
            double corner)
{
  const double side = MAX (self->height, self->width);
  double most = 0, far = 0;
  guint n_in = 0, n_bright = 0, n_out = 0, n_dark = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    most = MAX (most, light[j]);
  for (gsize j = 0; j < self->n_frames; j++)
    {
      const double *at = self->directions + 2 * j;
      const double part = scale * hypot (at[0] - corner, at[1] - corner);
      const gboolean bright = light[j] > BRIGHT_SHARE * most;

      far = MAX (far, part);
      if (part < PRISM_RECORDING_INSIDE * self->na)
        {
          n_in++;
          n_bright += bright;
        }
      else if (part > OUTER * self->na)
        {
          n_out++;
          n_dark += !bright;
        }
    }
  if (n_in == 0 || n_out == 0 || !(far < MOST_OBLIQUE)
      || far * self->pixel_size * side / self->wavelength < LEAST_MOVE)
    return 0;
  return (double) n_bright / n_in * n_dark / n_out;
}

/* Wave vectors in a unit that somebody has said, unless no light can be so oblique. */
static gboolean
convert_waves (PrismRecording *self)
{
  const double scale = self->wave_unit * self->wavelength;
  double far = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    far = MAX (far, scale * hypot (self->directions[2 * j], self->directions[2 * j + 1]));
  if (!(far > 0 && far < MOST_OBLIQUE))
    return FALSE;
  for (gsize i = 0; i < 2 * (gsize) self->n_frames; i++)
    self->directions[i] *= scale;
  self->directions_raw = FALSE;
  return TRUE;
}

/* Wave vectors become direction cosines; in which unit they are the light of the frames says. */
static void
correct_waves (PrismRecording *self)
{
  g_autofree double *light = prism_recording_dup_light (self);
  double best = 0, second = 0, scale, corner;
  gsize found = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (waves); i++)
    {
      const double rate = rate_scale (self, light, get_wave_scale (self, i), get_corner (self, i));

      if (rate > best)
        {
          second = best;
          best = rate;
          found = i;
        }
      else
        second = MAX (second, rate);
    }
  if (best < LEAST_RATE || !(second < best))
    return;
  scale = get_wave_scale (self, found);
  corner = get_corner (self, found);
  for (gsize i = 0; i < 2 * (gsize) self->n_frames; i++)
    self->directions[i] = scale * (self->directions[i] - corner);
  self->directions_raw = FALSE;
  prism_recording_note (self,
                        _ ("The directions are taken as %s: so the light of the frames says."),
                        _ (waves[found].name));
}

/**
 * prism_recording_units_correct_positions:
 *
 * Converts positions that are no metres, or a distance that is none, with a note; wave vectors
 * become direction cosines.
 */
void
prism_recording_units_correct_positions (PrismRecording *self)
{
  if (!prism_recording_has_optics (self))
    return;
  if (self->directions_raw && self->directions != NULL && !convert_waves (self))
    correct_waves (self);
  if (self->directions_raw && self->positions != NULL)
    {
      prism_recording_note (self, _ ("The unit of the directions cannot be told: the positions of"
                                     " the LEDs are used."));
      g_clear_pointer (&self->directions, g_free);
      self->directions_raw = self->directions_given = FALSE;
    }
  if (self->positions != NULL && !self->directions_given && self->distance > 0)
    {
      correct_positions (self);
      correct_scale (self);
    }
}

/**
 * prism_recording_units_correct:
 * @pixel_may_be_camera: whether nobody has said that the pixel is one at the sample
 *
 * Converts numbers that are no metres, with a note for each.
 */
void
prism_recording_units_correct (PrismRecording *self,
                               gboolean pixel_may_be_camera)
{
  const double value = self->wavelength;
  const gboolean nm = value >= 100 && value <= 20000, um = value >= 0.1 && value <= 20;

  /* A wavelength of 630 or 0.63 can be no metres. */
  if (nm || um)
    {
      self->wavelength *= nm ? 1e-9 : 1e-6;
      prism_recording_note (self, _ ("The wavelength, %g, is taken as %s."), value,
                            nm ? "nm" : "µm");
    }
  correct_pixel (self, &self->pixel_size, self->wavelength);
  correct_pixel (self, &self->camera_pixel, self->wavelength);
  if (isnan (self->pixel_size))
    self->pixel_size = self->camera_pixel / self->magnification;
  else if (pixel_may_be_camera)
    correct_camera (self);
  if (self->distance < 0)
    {
      prism_recording_note (self, _ ("The distance of the LEDs, %g m, is taken without its sign."),
                            self->distance);
      self->distance = -self->distance;
    }
  prism_recording_units_correct_positions (self);
}
