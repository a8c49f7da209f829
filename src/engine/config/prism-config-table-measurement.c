#include "config.h"

#include "config/prism-config-table.h"

#include "config/prism-config-choices.h"

#include <glib/gi18n-lib.h>

/* The parameter table's group "measurement". */
const PrismParam prism_config_measurement_rows[] = {
  {
      PRISM_PARAM (REAL, snr, "measurement", "dB"),
      .applies = "telescope photons=0",
      .minimum_label = N_ ("None"),
      .maximum = 100,
      .live = TRUE,
      .label = N_ ("Signal to noise"),
      .help = N_ ("Shot noise on the camera's intensity, as 10·log10 of signal power over noise "
                  "power; 0 switches noise off. 10 dB is a faint object, 40 dB hardly visible."),
  },
  {
      PRISM_PARAM (REAL, photons, "measurement", ""),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 1e15,
      .live = TRUE,
      .label = N_ ("Photons"),
      .help = N_ ("Photons that the telescope collects in one exposure in the middle of the "
                  "Fourier plane, where there is most light; they are fewer outside. Shot noise "
                  "follows from them instead of from the signal to noise ratio; 0 takes that."),
  },
  {
      PRISM_PARAM (REAL, read_snr, "measurement", "dB"),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 100,
      .label = N_ ("Signal to read noise"),
      .help = N_ ("Noise of the same strength in every pixel, beside the shot noise, as "
                  "10·log10 of signal power over noise power; 0 switches it off."),
  },
  {
      PRISM_PARAM (CHOICE, domain, "measurement", ""),
      .applies = "telescope method=auto|decoder",
      .default_value = PRISM_DOMAIN_AMPLITUDE,
      .choices = prism_config_domains,
      .label = N_ ("Comparison"),
      .help = N_ ("In what quantity prediction and measurement are compared. Shot noise has the "
                  "same strength everywhere in amplitude."),
  },
  {
      PRISM_PARAM (REAL, line_length, "measurement", "px"),
      .applies = "telescope",
      .maximum = 2048,
      .label = N_ ("Line length"),
      .help = N_ ("How far the telescope moves during an exposure, centred on each position; 0 "
                  "stands still. The camera adds up the light on the way."),
  },
  {
      PRISM_PARAM (CHOICE, line_direction, "measurement", ""),
      .applies = "telescope line_length!=0",
      .default_value = PRISM_DIRECTION_FIXED,
      .choices = prism_config_directions,
      .label = N_ ("Direction of lines"),
      .help = N_ ("Whether all lines have one direction or each its own."),
  },
  {
      PRISM_PARAM (REAL, line_angle, "measurement", "°"),
      .applies = "telescope line_length!=0 line_direction=fixed",
      .minimum = -180,
      .maximum = 180,
      .label = N_ ("Angle of lines"),
      .help = N_ ("Of every line, from the x axis towards the y axis."),
  },
  {
      PRISM_PARAM (CHOICE, line_points, "measurement", ""),
      .applies = "telescope line_length!=0",
      .default_value = PRISM_LINE_ACCURATE,
      .choices = prism_config_line_points,
      .label = N_ ("Points of lines"),
      .help = N_ ("Where on its way the telescope is computed. Time grows with the number of "
                  "points."),
  },
  { NULL },
};
