#include "config.h"

#include "config/prism-config-table.h"

/* Values stand in the order of their enumerations in prism-config.h. */

static const PrismChoice methods[] = {
  { "auto", N_ ("Automatic"),
    N_ ("Passes over the measurements, which end when nothing moves any more; the decoder is "
        "trained where they do not suffice."),
    "telescope" },
  { "decoder", N_ ("PRISM decoder"),
    N_ ("A decoder is trained measurement after measurement, as published, the live picture beside "
        "it; a refinement that knows the noise ends the run."),
    "telescope" },
  { "epie", N_ ("ePIE"),
    N_ ("The iterative engine alone, from a blank image: no decoder and no training."),
    "telescope" },
  { "mopie", N_ ("Mo-PIE"),
    N_ ("ePIE that knows how the aperture moves during an exposure."), "telescope" },
  { "sequential", N_ ("Frame after frame"),
    N_ ("Of recorded frames: one frame after the other with steps that get smaller. Automatic "
        "means this one there."),
    "recorded" },
  { "descent", N_ ("All frames together"),
    N_ ("Of recorded frames: all frames together, accelerated, with five steps a pass."),
    "recorded" },
  { "complex", N_ ("Complex decoder"),
    N_ ("Of recorded frames: one after the other, and then as many passes in which a decoder with "
        "two outputs, amplitude and phase, is trained on all of them; “decoder” means this one "
        "there. It takes many times as long, and is worth it for a smooth specimen and few frames "
        "or little light."),
    "recorded" },
  { NULL },
};

static const PrismChoice aperture_shapes[] = {
  { "disk", N_ ("Disk"), N_ ("A round telescope.") },
  { "hexagon", N_ ("Hexagon"),
    N_ ("One segment of a mirror, flat sides at the top and the bottom.") },
  { "obscured", N_ ("Obscured disk"),
    N_ ("A round telescope with a secondary mirror on vanes in its way.") },
  { NULL },
};

static const PrismChoice patterns[] = {
  { "fermat", N_ ("Fermat spiral"),
    N_ ("A sunflower's seeds: even density and no direction preferred.") },
  { "random", N_ ("Random disk"),
    N_ ("Uniform chance in a disk; one position is moved to the centre.") },
  { "random-square", N_ ("Random square"), N_ ("Uniform chance in a square.") },
  { "raster", N_ ("Square raster"), N_ ("Rows and columns, equally far apart.") },
  { "star", N_ ("Star of lines"),
    N_ ("Positions along lines through the centre: dense inside, sparse outside.") },
  { "circles", N_ ("Circles"), N_ ("Rings, each with positions by its length.") },
  { "archimedean", N_ ("Archimedean"),
    N_ ("One path outwards whose turns are equally far apart.") },
  { "logarithmic", N_ ("Logarithmic"),
    N_ ("One path outwards that gets wider with every turn: dense inside.") },
  { "jittered", N_ ("Jittered grid"),
    N_ ("Rows and columns, each position displaced by chance: no direction preferred.") },
  { "file", N_ ("From a file"), N_ ("The positions of a CSV file.") },
  { "hand", N_ ("Placed by hand"), N_ ("The positions of a list.") },
  { NULL },
};

static const PrismChoice orders[] = {
  { "radius", N_ ("By radius"), N_ ("From the centre outwards: coarse structure first.") },
  { "energy", N_ ("By energy"), N_ ("The brightest measurement first.") },
  { "random", N_ ("Random"), N_ ("Shuffled with the seed.") },
  { "given", N_ ("As given"), N_ ("In the order in which the pattern makes them.") },
  { NULL },
};

static const PrismChoice domains[] = {
  { "amplitude", N_ ("Amplitude"),
    N_ ("Compare square roots of intensities: that evens out shot noise.") },
  { "intensity", N_ ("Intensity"), N_ ("Compare what the camera counts.") },
  { NULL },
};

static const PrismChoice directions[] = {
  { "fixed", N_ ("One for all"), N_ ("Every line has the angle that is set.") },
  { "random", N_ ("Random"), N_ ("Each position has an angle of its own, drawn with the seed.") },
  { NULL },
};

static const PrismChoice line_points[] = {
  { "accurate", N_ ("Accurate"), N_ ("A point per pixel of length.") },
  { "fast", N_ ("Fast"), N_ ("A point per radius of the aperture, at least two.") },
  { NULL },
};

static const PrismChoice pupil_starts[] = {
  { "search", N_ ("Search"), N_ ("The aberrations with which a few frames are met best.") },
  { "flat", N_ ("Flat"), N_ ("No aberrations but the defocus that is given.") },
  { NULL },
};

static const PrismChoice places[] = {
  { "no", N_ ("As recorded"), N_ ("LEDs stay where the recording has them.") },
  { "yes", N_ ("Found"), N_ ("The place of every LED is found, and of the whole board.") },
  { "board", N_ ("Board only"), N_ ("Shift, turn and scale of the whole board are found.") },
  { NULL },
};

/* The parameter table: the method, and what is measured. */
const PrismParam prism_config_measurement_rows[] = {
  {
      PRISM_PARAM (CHOICE, method, "method", ""),
      .default_value = PRISM_METHOD_AUTO,
      .choices = methods,
      PRISM_LABEL ("Method"),
      PRISM_HELP ("What makes the picture. Where apertures overlap, training a decoder does not "
                  "change the result; where they leave gaps, it decides it."),
  },

  {
      PRISM_PARAM (TEXT, object, "object", ""),
      .applies = "telescope",
      .default_text = "moon",
      PRISM_LABEL ("Object"),
      PRISM_HELP ("Name of a built-in object, or path of an image (PNG, JPEG, TIFF, FITS) or of "
                  "an amplitude array (.npy)."),
  },
  {
      PRISM_PARAM (INTEGER, image_size, "object", "px"),
      .applies = "telescope",
      .minimum = 64,
      .maximum = 4096,
      .default_value = 512,
      PRISM_LABEL ("Field size"),
      PRISM_HELP ("Side of the field and of the Fourier plane, a power of two. Work and memory "
                  "grow with its square."),
  },
  {
      PRISM_PARAM (INTEGER, object_size, "object", "px"),
      .applies = "telescope",
      .minimum = 16,
      .maximum = 4096,
      .default_value = 128,
      PRISM_LABEL ("Object size"),
      PRISM_HELP ("Side of the object in the middle of the field, an even number. The field "
                  "around it is known to be dark, which is what makes the missing phase "
                  "recoverable."),
  },
  {
      PRISM_PARAM (SWITCH, object_invert, "object", ""),
      .applies = "telescope",
      PRISM_LABEL ("Invert"),
      PRISM_HELP ("Exchange bright and dark of the image, for dark objects on a bright ground."),
  },
  {
      PRISM_PARAM (INTEGER, tile, "object", "px"),
      .minimum = PRISM_TILE_AUTO,
      .minimum_label = N_ ("Automatic"),
      .maximum = 4096,
      .unfollowed = TRUE,
      PRISM_LABEL ("Tile"),
      PRISM_HELP ("Side of the overlapping squares that a large image is cut into, each a run of "
                  "its own, put together at the end; 0 takes no tiles, automatic the largest up to "
                  "512 of which one for each processor fits into memory. The field grows with the "
                  "tile, so that the telescope stays the same."),
  },
  {
      PRISM_PARAM (REAL, tile_overlap, "object", "%"),
      .maximum = 75,
      .default_value = 25,
      .unfollowed = TRUE,
      PRISM_LABEL ("Overlap of tiles"),
      PRISM_HELP ("How much of its side a tile shares with each neighbour. There brightness is "
                  "matched and one image fades into the other; 0 shows the seams."),
  },
  {
      PRISM_PARAM (INTEGER, point_count, "object", ""),
      .applies = "telescope object=points",
      .minimum = 1,
      .maximum = 4,
      .default_value = 2,
      PRISM_LABEL ("Point sources"),
      PRISM_HELP ("Number of stars of the built-in object “points”. Two close stars show what "
                  "can be resolved."),
  },
  {
      PRISM_PARAM (REAL, point_diameter, "object", "px"),
      .applies = "telescope object=points",
      .minimum = 1,
      .maximum = 1024,
      .default_value = 4,
      PRISM_LABEL ("Point diameter"),
      PRISM_HELP ("Diameter of each star of the built-in object “points”."),
  },
  {
      PRISM_PARAM (REAL, point_spacing, "object", "px"),
      .applies = "telescope object=points",
      .maximum = 4096,
      .default_value = 16,
      PRISM_LABEL ("Point spacing"),
      PRISM_HELP ("Distance between neighbouring stars of the built-in object “points”, centre "
                  "to centre."),
  },
  {
      PRISM_PARAM (TEXT, object_text, "object", ""),
      .applies = "telescope object=text",
      .default_text = "PRISM",
      PRISM_LABEL ("Text"),
      PRISM_HELP ("What the built-in object “text” spells."),
  },

  {
      PRISM_PARAM (REAL, wavelength, "scale", "nm"),
      .applies = "telescope",
      .minimum = 1e-3,
      .maximum = 1e10,
      .default_value = 698.9,
      .unfollowed = TRUE,
      PRISM_LABEL ("Wavelength"),
      PRISM_HELP ("Of the light, in nanometres: 550 is green, 2000 infrared."),
  },
  {
      PRISM_PARAM (REAL, distance, "scale", "m"),
      .applies = "telescope",
      .minimum_label = N_ ("Automatic"),
      .maximum = 1e27,
      .unfollowed = TRUE,
      PRISM_LABEL ("Distance"),
      PRISM_HELP ("Of the object, in metres: 1e3 is a kilometre, 1.496e11 an astronomical unit, "
                  "9.461e15 a light year. Automatic is the Moon's for the built-in moon, with the "
                  "pitch that shows its true size, and none for other objects: their sizes are "
                  "in pixels."),
  },
  {
      PRISM_PARAM (REAL, dxf, "scale", "m"),
      .applies = "telescope",
      .minimum = 1e-9,
      .maximum = 1e9,
      .default_value = 0.01,
      .unfollowed = TRUE,
      PRISM_LABEL ("Pitch of the aperture plane"),
      PRISM_HELP ("Metres per pixel of the Fourier plane, where the telescope moves. A wider plane "
                  "resolves more: a pixel of the object is wavelength times distance over the "
                  "plane's width."),
  },
  {
      PRISM_PARAM (REAL, object_diameter, "scale", "m"),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 1e27,
      .unfollowed = TRUE,
      PRISM_LABEL ("Diameter of the object"),
      PRISM_HELP ("In metres; 0 when it is not known. With it the program says how many pixels the "
                  "object takes, and when the object size does not fit."),
  },

  {
      PRISM_PARAM (CHOICE, aperture_shape, "aperture", ""),
      .applies = "telescope",
      .default_value = PRISM_SHAPE_DISK,
      .choices = aperture_shapes,
      PRISM_LABEL ("Shape"),
      PRISM_HELP ("Outline of the aperture. Its Fourier transform is the blur that a single "
                  "measurement has."),
  },
  {
      PRISM_PARAM (REAL, aperture_radius, "aperture", "px"),
      .applies = "telescope",
      .minimum = 1,
      .maximum = 2048,
      .default_value = 20,
      PRISM_LABEL ("Radius"),
      PRISM_HELP ("Radius of the aperture in the Fourier plane. Apertures that overlap "
                  "constrain each other's phase; apertures that do not leave that to the "
                  "decoder."),
  },
  {
      PRISM_PARAM (REAL, obscuration, "aperture", ""),
      .applies = "telescope aperture_shape=obscured",
      .maximum = 0.9,
      .default_value = 0.3,
      PRISM_LABEL ("Central obscuration"),
      PRISM_HELP ("Radius of the secondary mirror as a fraction of the aperture's. Used by the "
                  "shape “obscured”."),
  },
  {
      PRISM_PARAM (INTEGER, vanes, "aperture", ""),
      .applies = "telescope aperture_shape=obscured",
      .maximum = 16,
      .default_value = 4,
      PRISM_LABEL ("Vanes"),
      PRISM_HELP ("Number of bars that hold the secondary mirror, at equal angles through the "
                  "centre. Used by the shape “obscured”."),
  },
  {
      PRISM_PARAM (REAL, vane_width, "aperture", "px"),
      .applies = "telescope aperture_shape=obscured",
      .maximum = 256,
      .default_value = 1,
      PRISM_LABEL ("Vane width"),
      PRISM_HELP ("Width of each vane in the Fourier plane. Used by the shape “obscured”."),
  },

  {
      PRISM_PARAM (CHOICE, pattern, "pattern", ""),
      .applies = "telescope",
      .default_value = PRISM_PATTERN_FERMAT,
      .choices = patterns,
      PRISM_LABEL ("Pattern"),
      PRISM_HELP ("How the positions are spread over the Fourier plane. Even spreading leaves "
                  "the smallest gaps."),
  },
  {
      PRISM_PARAM (INTEGER, samples, "pattern", ""),
      .applies = "telescope pattern!=file|hand",
      .minimum = 1,
      .maximum = 100000,
      .default_value = 100,
      PRISM_LABEL ("Positions"),
      PRISM_HELP ("Number of positions, one measurement each. More of them cover more of the "
                  "plane and take longer."),
  },
  {
      PRISM_PARAM (INTEGER, roi, "pattern", "px"),
      .applies = "telescope",
      .minimum_label = N_ ("Automatic"),
      .maximum = 4096,
      PRISM_LABEL ("Region of interest"),
      PRISM_HELP ("Diameter of the disk of the Fourier plane that the pattern fills; 0 is the "
                  "whole field. The disk's radius is the finest detail that can be measured."),
  },
  {
      PRISM_PARAM (CHOICE, order, "pattern", ""),
      .applies = "telescope",
      .default_value = PRISM_ORDER_RADIUS,
      .choices = orders,
      PRISM_LABEL ("Order"),
      PRISM_HELP ("Order of the positions. Progressive training likes the bright low frequencies "
                  "first."),
  },
  {
      PRISM_PARAM (REAL, pattern_cutoff, "pattern", "px"),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 4096,
      PRISM_LABEL ("Cut-off radius"),
      PRISM_HELP ("Positions farther from the centre than this are left out; 0 keeps all."),
  },
  {
      PRISM_PARAM (INTEGER, star_lines, "pattern", ""),
      .applies = "telescope pattern=star",
      .minimum = 1,
      .maximum = 360,
      .default_value = 6,
      PRISM_LABEL ("Star lines"),
      PRISM_HELP ("Number of lines of the pattern “star”, at equal angles through the centre."),
  },
  {
      PRISM_PARAM (INTEGER, pattern_rings, "pattern", ""),
      .applies = "telescope pattern=circles",
      .minimum = 1,
      .maximum = 1000,
      .default_value = 6,
      PRISM_LABEL ("Circles"),
      PRISM_HELP ("Number of circles of the pattern “circles”, equally far apart."),
  },
  {
      PRISM_PARAM (REAL, pattern_turns, "pattern", ""),
      .applies = "telescope pattern=archimedean|logarithmic",
      .minimum = 0.1,
      .maximum = 1000,
      .default_value = 6,
      PRISM_LABEL ("Turns"),
      PRISM_HELP ("Number of turns of the patterns “archimedean” and “logarithmic”."),
  },
  {
      PRISM_PARAM (REAL, pattern_jitter, "pattern", ""),
      .applies = "telescope pattern=jittered",
      .maximum = 1,
      .default_value = 0.8,
      PRISM_LABEL ("Jitter"),
      PRISM_HELP ("How far the pattern “jittered” displaces its positions, as a fraction of the "
                  "distance between rows; 0 is the square raster."),
  },
  {
      PRISM_PARAM (TEXT, pattern_file, "pattern", ""),
      .applies = "telescope pattern=file",
      .default_text = "",
      .unfollowed = TRUE,
      PRISM_LABEL ("File of positions"),
      PRISM_HELP ("Path of a CSV file for the pattern “file”: the columns y and x, in pixels "
                  "from the centre of the Fourier plane. It gives the number of positions, too."),
  },
  {
      PRISM_PARAM (TEXT, pattern_points, "pattern", ""),
      .applies = "telescope pattern=hand",
      .maximum = 4194304,
      .default_text = "0, 0",
      PRISM_LABEL ("List of positions"),
      PRISM_HELP ("List for the pattern “hand”: “y, x; y, x; …”, in pixels from the centre of "
                  "the Fourier plane. It gives the number of positions, too."),
  },

  {
      PRISM_PARAM (REAL, snr, "measurement", "dB"),
      .applies = "telescope photons=0",
      .minimum_label = N_ ("No noise"),
      .maximum = 100,
      .live = TRUE,
      PRISM_LABEL ("Noise (SNR)"),
      PRISM_HELP ("Shot noise on the camera's intensity, as 10·log10 of the ratio of signal power "
                  "to noise power; 0 switches noise off. 10 dB is a faint object, 40 dB hardly "
                  "visible."),
  },
  {
      PRISM_PARAM (REAL, photons, "measurement", ""),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 1e15,
      .live = TRUE,
      PRISM_LABEL ("Photons"),
      PRISM_HELP ("Photons that the telescope collects in one exposure in the middle of the "
                  "Fourier plane, where there is most light; they are fewer outside. Shot noise "
                  "follows from them instead of from the SNR; 0 takes that."),
  },
  {
      PRISM_PARAM (REAL, read_snr, "measurement", "dB"),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 100,
      PRISM_LABEL ("Read noise (SNR)"),
      PRISM_HELP ("Noise of the same strength in every pixel, beside the shot noise, as "
                  "10·log10 of signal power over noise power; 0 switches it off."),
  },
  {
      PRISM_PARAM (REAL, motion_blur, "measurement", "px"),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 64,
      PRISM_LABEL ("Motion blur"),
      PRISM_HELP ("How far the object moves over the camera during an exposure. Frames are "
                  "blurred; no method knows of it."),
  },
  {
      PRISM_PARAM (REAL, motion_angle, "measurement", "°"),
      .applies = "telescope motion_blur!=0",
      .minimum = -180,
      .maximum = 180,
      PRISM_LABEL ("Angle of the motion"),
      PRISM_HELP ("Where the object moves, from the x axis towards the y axis."),
  },
  {
      PRISM_PARAM (CHOICE, domain, "measurement", ""),
      .applies = "telescope method=auto|decoder",
      .default_value = PRISM_DOMAIN_AMPLITUDE,
      .choices = domains,
      PRISM_LABEL ("Comparison"),
      PRISM_HELP ("In what quantity prediction and measurement are compared. Shot noise has the "
                  "same strength everywhere in amplitude."),
  },
  {
      PRISM_PARAM (REAL, line_length, "measurement", "px"),
      .applies = "telescope",
      .maximum = 2048,
      PRISM_LABEL ("Line length"),
      PRISM_HELP ("How far the telescope moves during an exposure, centred on each position; 0 "
                  "stands still. The camera adds up the light on the way."),
  },
  {
      PRISM_PARAM (CHOICE, line_direction, "measurement", ""),
      .applies = "telescope line_length!=0",
      .default_value = PRISM_DIRECTION_FIXED,
      .choices = directions,
      PRISM_LABEL ("Direction of lines"),
      PRISM_HELP ("Whether all lines have one direction or each its own."),
  },
  {
      PRISM_PARAM (REAL, line_angle, "measurement", "°"),
      .applies = "telescope line_length!=0 line_direction=fixed",
      .minimum = -180,
      .maximum = 180,
      PRISM_LABEL ("Angle of lines"),
      PRISM_HELP ("Of every line, from the x axis towards the y axis."),
  },
  {
      PRISM_PARAM (CHOICE, line_points, "measurement", ""),
      .applies = "telescope line_length!=0",
      .default_value = PRISM_LINE_ACCURATE,
      .choices = line_points,
      PRISM_LABEL ("Points of lines"),
      PRISM_HELP ("Where on its way the telescope is computed. Time grows with the number of "
                  "points."),
  },

  {
      PRISM_PARAM (INTEGER, hold_out, "microscope", ""),
      .applies = "recorded",
      .maximum = 1000,
      .default_value = 15,
      PRISM_LABEL ("Held-out frames"),
      PRISM_HELP ("Every so many-th frame is never used, and its prediction compared with it; 0 "
                  "uses all."),
  },
  {
      PRISM_PARAM (TEXT, leave_out, "microscope", ""),
      .applies = "recorded",
      .maximum = 255,
      .default_text = "auto",
      PRISM_LABEL ("Excluded frames"),
      PRISM_HELP ("Frames that are not used, nor their predictions compared, counted from 0, such "
                  "as 17,31-35; “none”, or “auto” for those whose LEDs are off."),
  },
  {
      PRISM_PARAM (INTEGER, half_bright, "microscope", "%"),
      .applies = "recorded",
      .maximum = 50,
      PRISM_LABEL ("Half bright"),
      PRISM_HELP ("Frames whose LED lies within so many per cent of the NA at the NA edge are "
                  "not used: there the pupil of one edge of the field is not that of the other."),
  },
  {
      PRISM_PARAM (REAL, variation, "microscope", ""),
      .applies = "recorded method=descent",
      .maximum = 1,
      PRISM_LABEL ("Total variation"),
      PRISM_HELP ("How much a step lowers the total variation of the object, in units of its "
                  "brightness: 0.003 for few frames of a specimen with even areas; 0 not at all."),
  },
  {
      PRISM_PARAM (INTEGER, more_passes, "microscope", ""),
      .applies = "recorded",
      .maximum = 10000,
      .default_value = 32,
      PRISM_LABEL ("More passes"),
      PRISM_HELP ("Passes besides, where LEDs are found far from where they should be."),
  },
  {
      PRISM_PARAM (INTEGER, upsampling, "microscope", ""),
      .applies = "recorded",
      .minimum = PRISM_UPSAMPLING_AUTO,
      .minimum_label = N_ ("Automatic"),
      .least = 2,
      .maximum = 16,
      PRISM_LABEL ("Upsampling"),
      PRISM_HELP ("Pixels of the object along a pixel of a frame; automatic has room for what the "
                  "outermost LED shows."),
  },
  {
      PRISM_PARAM (INTEGER, border, "microscope", "px"),
      .applies = "recorded",
      .minimum = PRISM_BORDER_AUTO,
      .minimum_label = N_ ("Automatic"),
      .maximum = 256,
      .default_value = PRISM_BORDER_AUTO,
      PRISM_LABEL ("Border"),
      PRISM_HELP ("Pixels of the field around a frame, which no camera saw: without them opposite "
                  "edges of a frame are joined."),
  },
  {
      PRISM_PARAM (CHOICE, pupil, "microscope", ""),
      .applies = "recorded",
      .default_value = PRISM_PUPIL_SEARCH,
      .choices = pupil_starts,
      PRISM_LABEL ("Pupil"),
      PRISM_HELP ("What the passes begin with: the aberrations of a search, or none."),
  },
  {
      PRISM_PARAM (REAL, defocus, "microscope", "µm"),
      .applies = "recorded",
      .minimum = PRISM_DEFOCUS_AUTO,
      .minimum_label = N_ ("Automatic"),
      .least = -10000,
      .maximum = 10000,
      .default_value = PRISM_DEFOCUS_AUTO,
      PRISM_LABEL ("Defocus"),
      PRISM_HELP ("Where the search for the pupil begins."),
  },
  {
      PRISM_PARAM (REAL, rim, "microscope", "px"),
      .applies = "recorded",
      .minimum = PRISM_RIM_AUTO,
      .minimum_label = N_ ("Automatic"),
      .least = 1,
      .maximum = 16,
      PRISM_LABEL ("NA edge"),
      PRISM_HELP ("Width of the NA edge, pixels of the spectrum: LEDs that are no points make it "
                  "soft. Automatic leaves it to the search."),
  },
  {
      PRISM_PARAM (SWITCH, free_pupil, "microscope", ""),
      .applies = "recorded",
      .default_value = TRUE,
      PRISM_LABEL ("Free pupil"),
      PRISM_HELP ("The pupil changes point by point during the passes."),
  },
  {
      PRISM_PARAM (SWITCH, gains, "microscope", ""),
      .applies = "recorded",
      .default_value = TRUE,
      PRISM_LABEL ("Gains"),
      PRISM_HELP ("The brightness of every LED is found."),
  },
  {
      PRISM_PARAM (CHOICE, positions, "microscope", ""),
      .applies = "recorded",
      .default_value = PRISM_PLACES_FOUND,
      .choices = places,
      PRISM_LABEL ("Places of the LEDs"),
      PRISM_HELP ("Whether places are found during the passes, or as they were recorded."),
  },
  {
      PRISM_PARAM (TEXT, start, "microscope", ""),
      .applies = "recorded",
      .minimum_label = N_ ("None"),
      .maximum = 1023,
      .default_text = "",
      PRISM_LABEL ("Start"),
      PRISM_HELP ("Folder of an earlier result, whose pupil, gains and places the passes begin "
                  "with."),
  },
  {
      PRISM_PARAM (REAL, background, "microscope", ""),
      .applies = "recorded",
      .minimum = PRISM_BACKGROUND_AUTO,
      .minimum_label = N_ ("Automatic"),
      .maximum = 1e9,
      .default_value = PRISM_BACKGROUND_AUTO,
      PRISM_LABEL ("Background"),
      PRISM_HELP ("Intensity that is taken off every pixel; automatic takes that of the dark "
                  "frames' darkest pixels."),
  },
  { NULL },
};
