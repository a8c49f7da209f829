#include "config.h"

#include "recording/prism-recording-units.h"

#include "recording/prism-recording-light.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define STEEPEST 20.0    /* LED beside the sample, over its distance: nobody places it so */
#define LARGEST 1.0      /* m: no board is larger */
#define FLATTEST 5.0     /* likewise, once units are right */
#define LEAST_MOVE 0.5   /* pixels of the spectrum: less is one place for all LEDs */
#define INNER 0.9        /* of the NA: the camera sees the light of such an LED itself */
#define BRIGHT_PART 0.3  /* of the brightest of them: gains are no further apart */
#define LEAST_BRIGHT 0.5 /* of them, where positions are right */

/* Names of units and what they are, larger first. */
static const struct
{
  const char *name;
  double size;
} units[] = { { "mm", 1e-3 }, { "µm", 1e-6 }, { "nm", 1e-9 } };

/* A wavelength of 630 or 0.63 can be no metres. */
static void
correct_wavelength (PrismRecording *self)
{
  const double value = self->wavelength;
  const gboolean nm = value >= 100 && value <= 20000, um = value >= 0.1 && value <= 20;

  if (!nm && !um)
    return;
  self->wavelength *= nm ? 1e-9 : 1e-6;
  prism_recording_note (self, _ ("The wavelength, %g, is taken as %s."), value, nm ? "nm" : "µm");
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

/* How far the farthest LED is from the axis, m. */
static double
get_reach (const PrismRecording *self)
{
  double reach = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    reach = MAX (reach, hypot (self->positions[2 * j], self->positions[2 * j + 1]));
  return reach;
}

/* Whether the frames whose LEDs would lie inside the NA are bright. */
static gboolean
are_inner_bright (const PrismRecording *self,
                  double scale)
{
  const double reach = INNER * self->na / sqrt (1 - MIN (self->na * self->na, 0.99));
  double most = 0;
  guint n = 0, n_bright = 0;

  for (int round = 0; round < 2; round++)
    for (gsize j = 0; j < self->n_frames; j++)
      {
        double light;

        if (scale * hypot (self->positions[2 * j], self->positions[2 * j + 1])
            > reach * self->distance)
          continue;
        light = prism_recording_get_light (self, j);
        most = MAX (most, light);
        n += round;
        n_bright += round != 0 && light > BRIGHT_PART * most;
      }
  return n > 0 && n_bright >= LEAST_BRIGHT * n;
}

/* Positions in mm with a distance in m, or the other way round: what the light of the frames does
 * not contradict. */
static void
correct_positions (PrismRecording *self)
{
  const double reach = get_reach (self), ratio = reach / self->distance;
  const double side = MAX (self->height, self->width);
  const double move = ratio * self->pixel_size * side / self->wavelength;

  for (gsize i = 0; i < G_N_ELEMENTS (units) && ratio > STEEPEST && reach > LARGEST; i++)
    if (units[i].size * ratio < FLATTEST && are_inner_bright (self, units[i].size))
      {
        for (gsize j = 0; j < 2 * (gsize) self->n_frames; j++)
          self->positions[j] *= units[i].size;
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

/**
 * prism_recording_units_correct:
 *
 * Converts numbers that are no metres, with a note for each.
 */
void
prism_recording_units_correct (PrismRecording *self)
{
  correct_wavelength (self);
  correct_pixel (self, &self->pixel_size, self->wavelength);
  correct_pixel (self, &self->camera_pixel, self->wavelength);
  if (isnan (self->pixel_size))
    self->pixel_size = self->camera_pixel / self->magnification;
  if (self->distance < 0)
    {
      prism_recording_note (self, _ ("The distance of the LEDs, %g m, is taken without its sign."),
                            self->distance);
      self->distance = -self->distance;
    }
  if (self->positions != NULL && !self->directions_given && self->distance > 0 && self->na > 0
      && self->wavelength > 0 && self->pixel_size > 0)
    correct_positions (self);
}
