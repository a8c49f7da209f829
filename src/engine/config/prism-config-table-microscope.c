#include "config.h"

#include "config/prism-config-table.h"

#include "config/prism-config-choices.h"

#include <glib/gi18n-lib.h>

/* The parameter table's group "microscope". */
const PrismParam prism_config_microscope_rows[] = {
  {
      PRISM_PARAM (INTEGER, hold_out, "microscope", ""),
      .applies = "recorded",
      .maximum = 1000,
      .default_value = 15,
      .label = N_ ("Hold out"),
      .help = N_ ("Every so many-th frame is never used, and its prediction compared with it; 0 "
                  "uses all."),
  },
  {
      PRISM_PARAM (TEXT, leave_out, "microscope", ""),
      .applies = "recorded",
      .maximum = 255,
      .default_text = "auto",
      .label = N_ ("Leave out"),
      .help = N_ ("Frames that are not used, nor their predictions compared, counted from 0, such "
                  "as 17,31-35; “none”, or “auto” for those whose LEDs are off."),
  },
  {
      PRISM_PARAM (INTEGER, half_bright, "microscope", "%"),
      .applies = "recorded",
      .maximum = 50,
      .label = N_ ("Half bright"),
      .help = N_ ("Frames whose LED lies within so many per cent of the NA at the pupil's rim are "
                  "not used: there the pupil of one edge of the field is not that of the other."),
  },
  {
      PRISM_PARAM (REAL, variation, "microscope", ""),
      .applies = "recorded method=descent",
      .maximum = 1,
      .label = N_ ("Total variation"),
      .help = N_ ("How much a step lowers the total variation of the object, in units of its "
                  "brightness: 0.003 for few frames of a specimen with even areas; 0 not at all."),
  },
  {
      PRISM_PARAM (INTEGER, more_passes, "microscope", "passes"),
      .applies = "recorded",
      .maximum = 10000,
      .default_value = 32,
      .label = N_ ("More passes"),
      .help = N_ ("Passes besides, where LEDs are found far from where they should be."),
  },
  {
      PRISM_PARAM (INTEGER, upsampling, "microscope", ""),
      .applies = "recorded",
      .minimum = PRISM_UPSAMPLING_AUTO,
      .minimum_label = N_ ("Automatic"),
      .least = 2,
      .maximum = 16,
      .label = N_ ("Upsampling"),
      .help = N_ ("Pixels of the object along a pixel of a frame; automatic has room for what the "
                  "outermost LED shows."),
  },
  {
      PRISM_PARAM (INTEGER, border, "microscope", "px"),
      .applies = "recorded",
      .minimum = PRISM_BORDER_AUTO,
      .minimum_label = N_ ("Automatic"),
      .maximum = 256,
      .default_value = PRISM_BORDER_AUTO,
      .label = N_ ("Border"),
      .help = N_ ("Pixels of the field around a frame, which no camera saw: without them opposite "
                  "edges of a frame are joined."),
  },
  {
      PRISM_PARAM (CHOICE, pupil, "microscope", ""),
      .applies = "recorded",
      .default_value = PRISM_PUPIL_SEARCH,
      .choices = prism_config_pupil_starts,
      .label = N_ ("Pupil"),
      .help = N_ ("What the passes begin with: the aberrations of a search, or none."),
  },
  {
      PRISM_PARAM (REAL, defocus, "microscope", "µm"),
      .applies = "recorded",
      .minimum = PRISM_DEFOCUS_AUTO,
      .minimum_label = N_ ("Automatic"),
      .least = -10000,
      .maximum = 10000,
      .default_value = PRISM_DEFOCUS_AUTO,
      .label = N_ ("Defocus"),
      .help = N_ ("Where the search for the pupil begins."),
  },
  {
      PRISM_PARAM (REAL, rim, "microscope", "px"),
      .applies = "recorded",
      .minimum = PRISM_RIM_AUTO,
      .minimum_label = N_ ("Automatic"),
      .least = 1,
      .maximum = 16,
      .label = N_ ("Pupil's rim"),
      .help = N_ ("Width of the pupil's rim, pixels of the spectrum: LEDs that are no points make "
                  "it soft. Automatic leaves it to the search."),
  },
  {
      PRISM_PARAM (SWITCH, free_pupil, "microscope", ""),
      .applies = "recorded",
      .default_value = TRUE,
      .label = N_ ("Free pupil"),
      .help = N_ ("The pupil changes point by point during the passes."),
  },
  {
      PRISM_PARAM (SWITCH, gains, "microscope", ""),
      .applies = "recorded",
      .default_value = TRUE,
      .label = N_ ("Gains"),
      .help = N_ ("The brightness of every LED is found."),
  },
  {
      PRISM_PARAM (CHOICE, positions, "microscope", ""),
      .applies = "recorded",
      .default_value = PRISM_PLACES_FOUND,
      .choices = prism_config_places,
      .label = N_ ("Places of the LEDs"),
      .help = N_ ("Whether places are found during the passes, or as they were recorded."),
  },
  {
      PRISM_PARAM (TEXT, start, "microscope", ""),
      .applies = "recorded",
      .minimum_label = N_ ("None"),
      .maximum = 1023,
      .default_text = "",
      .label = N_ ("Start"),
      .help = N_ ("Folder of an earlier result, whose pupil, gains and places the passes begin "
                  "with."),
  },
  {
      PRISM_PARAM (REAL, background, "microscope", ""),
      .applies = "recorded",
      .minimum = PRISM_BACKGROUND_AUTO,
      .minimum_label = N_ ("Automatic"),
      .maximum = 1e9,
      .default_value = PRISM_BACKGROUND_AUTO,
      .label = N_ ("Background"),
      .help = N_ ("Intensity that is taken off every pixel; automatic takes that of the dark "
                  "frames' darkest pixels."),
  },
  { NULL },
};
