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
/* clang-format off */
const PrismParam prism_config_measurement_rows[] = {
  PRISM_CHOICE (method, "method", NULL, methods, PRISM_METHOD_AUTO, "Method",
                N_ ("What makes the picture. Where apertures overlap, training a decoder does "
                    "not change the result; where they leave gaps, it decides it.")),
  PRISM_TEXT (object, "object", "telescope", 0, "moon", "Object",
              N_ ("Name of a built-in object, or path of an image (PNG, JPEG, TIFF, FITS) or of "
                  "an amplitude array (.npy).")),
  PRISM_NUMBER (INTEGER, image_size, "object", "px", "telescope", 64, 4096, 512, "Field size",
                N_ ("Side of the field and of the Fourier plane, a power of two. Work and memory "
                    "grow with its square.")),
  PRISM_NUMBER (INTEGER, object_size, "object", "px", "telescope", 16, 4096, 128, "Object size",
                N_ ("Side of the object in the middle of the field, an even number. The field "
                    "around it is known to be dark, which is what makes the missing phase "
                    "recoverable.")),
  PRISM_SWITCH (object_invert, "object", "telescope", FALSE, "Invert",
                N_ ("Exchange bright and dark of the image, for dark objects on a bright ground.")),
  PRISM_NUMBER (INTEGER, tile, "object", "px", NULL, PRISM_TILE_AUTO, 4096, 0, "Tile",
                N_ ("Side of the overlapping squares that a large image is cut into, each a run "
                    "of its own, put together at the end; 0 takes no tiles, automatic the "
                    "largest up to 512 of which one for each processor fits into memory. The "
                    "field grows with the tile, so that the telescope stays the same. Recorded "
                    "frames: automatic, the default, takes tiles where light from near LEDs "
                    "changes its direction by more than four pixels of the spectrum over the "
                    "field."),
                .minimum_label = N_ ("Automatic"), .unfollowed = TRUE),
  PRISM_NUMBER (REAL, tile_overlap, "object", "%", NULL, 0, 75, 25, "Overlap of tiles",
                N_ ("How much of its side a tile shares with each neighbour. There brightness is "
                    "matched and one image fades into the other; 0 shows the seams."),
                .unfollowed = TRUE),
  PRISM_NUMBER (INTEGER, point_count, "object", "", "telescope object=points", 1, 4, 2,
                "Point sources",
                N_ ("Number of stars of the built-in object “points”. Two close stars show what "
                    "can be resolved.")),
  PRISM_NUMBER (REAL, point_diameter, "object", "px", "telescope object=points", 1, 1024, 4,
                "Point diameter",
                N_ ("Diameter of each star of the built-in object “points”.")),
  PRISM_NUMBER (REAL, point_spacing, "object", "px", "telescope object=points", 0, 4096, 16,
                "Point spacing",
                N_ ("Distance between neighbouring stars of the built-in object “points”, centre "
                    "to centre.")),
  PRISM_TEXT (object_text, "object", "telescope object=text", 0, "PRISM", "Text",
              N_ ("What the built-in object “text” spells.")),
  PRISM_NUMBER (REAL, wavelength, "scale", "nm", "telescope", 1e-3, 1e10, 698.9, "Wavelength",
                N_ ("Of the light, in nanometres: 550 is green, 2000 infrared."),
                .unfollowed = TRUE),
  PRISM_NUMBER (REAL, distance, "scale", "m", "telescope", 0, 1e27, 0, "Distance",
                N_ ("Of the object, in metres: 1e3 is a kilometre, 1.496e11 an astronomical "
                    "unit, 9.461e15 a light year. Automatic is the Moon's for the built-in moon, "
                    "with the pitch that shows its true size, and none for other objects: their "
                    "sizes are in pixels."),
                .minimum_label = N_ ("Automatic"), .unfollowed = TRUE),
  PRISM_NUMBER (REAL, dxf, "scale", "m", "telescope", 1e-9, 1e9, 0.01,
                "Pitch of the aperture plane",
                N_ ("Metres per pixel of the Fourier plane, where the telescope moves. A wider "
                    "plane resolves more: a pixel of the object is wavelength times distance "
                    "over the plane's width."),
                .unfollowed = TRUE),
  PRISM_NUMBER (REAL, object_diameter, "scale", "m", "telescope", 0, 1e27, 0,
                "Diameter of the object",
                N_ ("In metres; 0 when it is not known. With it the program says how many pixels "
                    "the object takes, and when the object size does not fit."),
                .minimum_label = N_ ("None"), .unfollowed = TRUE),
  PRISM_CHOICE (aperture_shape, "aperture", "telescope", aperture_shapes, PRISM_SHAPE_DISK, "Shape",
                N_ ("Outline of the aperture. Its Fourier transform is the blur that a single "
                    "measurement has.")),
  PRISM_NUMBER (REAL, aperture_radius, "aperture", "px", "telescope", 1, 2048, 20, "Radius",
                N_ ("Radius of the aperture in the Fourier plane. Apertures that overlap "
                    "constrain each other's phase; apertures that do not leave that to the "
                    "decoder.")),
  PRISM_NUMBER (REAL, obscuration, "aperture", "", "telescope aperture_shape=obscured", 0, 0.9, 0.3,
                "Central obscuration",
                N_ ("Radius of the secondary mirror as a fraction of the aperture's. Used by the "
                    "shape “obscured”.")),
  PRISM_NUMBER (INTEGER, vanes, "aperture", "", "telescope aperture_shape=obscured", 0, 16, 4,
                "Vanes",
                N_ ("Number of bars that hold the secondary mirror, at equal angles through the "
                    "centre. Used by the shape “obscured”.")),
  PRISM_NUMBER (REAL, vane_width, "aperture", "px", "telescope aperture_shape=obscured", 0, 256, 1,
                "Vane width",
                N_ ("Width of each vane in the Fourier plane. Used by the shape “obscured”.")),
  PRISM_CHOICE (pattern, "pattern", "telescope", patterns, PRISM_PATTERN_FERMAT, "Pattern",
                N_ ("How the positions are spread over the Fourier plane. Even spreading leaves "
                    "the smallest gaps.")),
  PRISM_NUMBER (INTEGER, samples, "pattern", "", "telescope pattern!=file|hand", 1, 100000, 100,
                "Positions",
                N_ ("Number of positions, one measurement each. More of them cover more of the "
                    "plane and take longer.")),
  PRISM_NUMBER (INTEGER, roi, "pattern", "px", "telescope", 0, 4096, 0, "Region of interest",
                N_ ("Diameter of the disk of the Fourier plane that the pattern fills; 0 is the "
                    "whole field. The disk's radius is the finest detail that can be measured."),
                .minimum_label = N_ ("Automatic")),
  PRISM_CHOICE (order, "pattern", "telescope", orders, PRISM_ORDER_RADIUS, "Order",
                N_ ("Order of the positions. Progressive training likes the bright low "
                    "frequencies first.")),
  PRISM_NUMBER (REAL, pattern_cutoff, "pattern", "px", "telescope", 0, 4096, 0, "Cut-off radius",
                N_ ("Positions farther from the centre than this are left out; 0 keeps all."),
                .minimum_label = N_ ("None")),
  PRISM_NUMBER (INTEGER, star_lines, "pattern", "", "telescope pattern=star", 1, 360, 6,
                "Star lines",
                N_ ("Number of lines of the pattern “star”, at equal angles through the centre.")),
  PRISM_NUMBER (INTEGER, pattern_rings, "pattern", "", "telescope pattern=circles", 1, 1000, 6,
                "Circles",
                N_ ("Number of circles of the pattern “circles”, equally far apart.")),
  PRISM_NUMBER (REAL, pattern_turns, "pattern", "", "telescope pattern=archimedean|logarithmic",
                0.1, 1000, 6, "Turns",
                N_ ("Number of turns of the patterns “archimedean” and “logarithmic”.")),
  PRISM_NUMBER (REAL, pattern_jitter, "pattern", "", "telescope pattern=jittered", 0, 1, 0.8,
                "Jitter",
                N_ ("How far the pattern “jittered” displaces its positions, as a fraction of "
                    "the distance between rows; 0 is the square raster.")),
  PRISM_TEXT (pattern_file, "pattern", "telescope pattern=file", 0, "", "File of positions",
              N_ ("Path of a CSV file for the pattern “file”: the columns y and x, in pixels "
                  "from the centre of the Fourier plane. It gives the number of positions, too."),
              .unfollowed = TRUE),
  PRISM_TEXT (pattern_points, "pattern", "telescope pattern=hand", 4194304, "0, 0",
              "List of positions",
              N_ ("List for the pattern “hand”: “y, x; y, x; …”, in pixels from the centre of "
                  "the Fourier plane. It gives the number of positions, too.")),
  PRISM_NUMBER (REAL, snr, "measurement", "dB", "telescope photons=0", 0, 100, 0, "Noise (SNR)",
                N_ ("Shot noise on the camera's intensity, as 10·log10 of the ratio of signal "
                    "power to noise power; 0 switches noise off. 10 dB is a faint object, 40 dB "
                    "hardly visible."),
                .minimum_label = N_ ("No noise"), .live = TRUE),
  PRISM_NUMBER (REAL, photons, "measurement", "", "telescope", 0, 1e15, 0, "Photons",
                N_ ("Photons that the telescope collects in one exposure in the middle of the "
                    "Fourier plane, where there is most light; they are fewer outside. Shot "
                    "noise follows from them instead of from the SNR; 0 takes that."),
                .minimum_label = N_ ("None"), .live = TRUE),
  PRISM_NUMBER (REAL, read_snr, "measurement", "dB", "telescope", 0, 100, 0, "Read noise (SNR)",
                N_ ("Noise of the same strength in every pixel, beside the shot noise, as "
                    "10·log10 of signal power over noise power; 0 switches it off."),
                .minimum_label = N_ ("None")),
  PRISM_NUMBER (REAL, motion_blur, "measurement", "px", "telescope", 0, 64, 0, "Motion blur",
                N_ ("How far the object moves over the camera during an exposure. Frames are "
                    "blurred; no method knows of it."),
                .minimum_label = N_ ("None")),
  PRISM_NUMBER (REAL, motion_angle, "measurement", "°", "telescope motion_blur!=0", -180, 180, 0,
                "Angle of the motion",
                N_ ("Where the object moves, from the x axis towards the y axis.")),
  PRISM_CHOICE (domain, "measurement", "telescope method=auto|decoder", domains,
                PRISM_DOMAIN_AMPLITUDE, "Comparison",
                N_ ("In what quantity prediction and measurement are compared. Shot noise has "
                    "the same strength everywhere in amplitude.")),
  PRISM_NUMBER (REAL, line_length, "measurement", "px", "telescope", 0, 2048, 0, "Line length",
                N_ ("How far the telescope moves during an exposure, centred on each position; 0 "
                    "stands still. The camera adds up the light on the way.")),
  PRISM_CHOICE (line_direction, "measurement", "telescope line_length!=0", directions,
                PRISM_DIRECTION_FIXED, "Direction of lines",
                N_ ("Whether all lines have one direction or each its own.")),
  PRISM_NUMBER (REAL, line_angle, "measurement", "°",
                "telescope line_length!=0 line_direction=fixed", -180, 180, 0, "Angle of lines",
                N_ ("Of every line, from the x axis towards the y axis.")),
  PRISM_CHOICE (line_points, "measurement", "telescope line_length!=0", line_points,
                PRISM_LINE_ACCURATE, "Points of lines",
                N_ ("Where on its way the telescope is computed. Time grows with the number of "
                    "points.")),
  PRISM_NUMBER (INTEGER, hold_out, "microscope", "", "recorded", 0, 1000, 15, "Held-out frames",
                N_ ("Every so many-th frame is never used, and its prediction compared with it; "
                    "0 uses all.")),
  PRISM_TEXT (leave_out, "microscope", "recorded", 255, "auto", "Excluded frames",
              N_ ("Frames that are not used, nor their predictions compared, counted from 0, "
                  "such as 17,31-35; “none”, or “auto” for those whose LEDs are off.")),
  PRISM_NUMBER (INTEGER, half_bright, "microscope", "%", "recorded", 0, 50, 0, "Half bright",
                N_ ("Frames whose LED lies within so many per cent of the NA at the NA edge are "
                    "not used: there the pupil of one edge of the field is not that of the "
                    "other.")),
  PRISM_NUMBER (REAL, variation, "microscope", "", "recorded method=descent", 0, 1, 0,
                "Total variation",
                N_ ("How much a step lowers the total variation of the object, in units of its "
                    "brightness: 0.003 for few frames of a specimen with even areas; 0 not at "
                    "all.")),
  PRISM_NUMBER (INTEGER, more_passes, "microscope", "", "recorded", 0, 10000, 32, "More passes",
                N_ ("Passes besides, where LEDs are found far from where they should be.")),
  PRISM_NUMBER (INTEGER, upsampling, "microscope", "", "recorded", PRISM_UPSAMPLING_AUTO, 16, 0,
                "Upsampling",
                N_ ("Pixels of the object along a pixel of a frame; automatic has room for what "
                    "the outermost LED shows."),
                .minimum_label = N_ ("Automatic"), .least = 2),
  PRISM_NUMBER (INTEGER, border, "microscope", "px", "recorded", PRISM_BORDER_AUTO, 256,
                PRISM_BORDER_AUTO, "Border",
                N_ ("Pixels of the field around a frame, which no camera saw: without them "
                    "opposite edges of a frame are joined."),
                .minimum_label = N_ ("Automatic")),
  PRISM_CHOICE (pupil, "microscope", "recorded", pupil_starts, PRISM_PUPIL_SEARCH, "Pupil",
                N_ ("What the passes begin with: the aberrations of a search, or none.")),
  PRISM_NUMBER (REAL, defocus, "microscope", "µm", "recorded", PRISM_DEFOCUS_AUTO, 10000,
                PRISM_DEFOCUS_AUTO, "Defocus",
                N_ ("Where the search for the pupil begins."),
                .minimum_label = N_ ("Automatic"), .least = -10000),
  PRISM_NUMBER (REAL, rim, "microscope", "px", "recorded", PRISM_RIM_AUTO, 16, 0, "NA edge",
                N_ ("Width of the NA edge, pixels of the spectrum: LEDs that are no points make "
                    "it soft. Automatic leaves it to the search."),
                .minimum_label = N_ ("Automatic"), .least = 1),
  PRISM_SWITCH (free_pupil, "microscope", "recorded", TRUE, "Free pupil",
                N_ ("The pupil changes point by point during the passes.")),
  PRISM_SWITCH (gains, "microscope", "recorded", TRUE, "Gains",
                N_ ("The brightness of every LED is found.")),
  PRISM_CHOICE (positions, "microscope", "recorded", places, PRISM_PLACES_FOUND,
                "Places of the LEDs",
                N_ ("Whether places are found during the passes, or as they were recorded.")),
  PRISM_TEXT (start, "microscope", "recorded", 1023, "", "Start",
              N_ ("Folder of an earlier result, whose pupil, gains and places the passes begin "
                  "with."),
              .minimum_label = N_ ("None")),
  PRISM_NUMBER (REAL, background, "microscope", "", "recorded", PRISM_BACKGROUND_AUTO, 1e9,
                PRISM_BACKGROUND_AUTO, "Background",
                N_ ("Intensity that is taken off every pixel; automatic takes that of the dark "
                    "frames' darkest pixels."),
                .minimum_label = N_ ("Automatic")),
  { NULL },
};
/* clang-format on */
