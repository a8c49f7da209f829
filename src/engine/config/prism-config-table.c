#include "config.h"

#include "config/prism-config-choices.h"
#include "config/prism-config-table.h"
#include "config/prism-device-list.h"

#include <glib/gi18n-lib.h>
#include <pthread.h>
#include <string.h>

#define MAX_PARAMS 256
static const PrismParamGroup groups[] = {
  { "method", N_ ("Method"), N_ ("What makes the picture.") },
  { "object", N_ ("Object"),
    N_ ("What the telescope looks at, and the grid on which it is computed.") },
  { "scale", N_ ("Physical scale"),
    N_ ("What pixels are in metres and seconds of arc. It changes no pixel of the result.") },
  { "aperture", N_ ("Aperture"), N_ ("The small telescope that visits the Fourier plane.") },
  { "pattern", N_ ("Sampling pattern"), N_ ("Where the aperture goes, and in which order.") },
  { "measurement", N_ ("Measurement"), N_ ("What the camera records at each position.") },
  { "microscope", N_ ("Recorded frames"),
    N_ ("How frames that a microscope has recorded are explained.") },
  { "reconstruction", N_ ("Reconstruction"),
    N_ ("How an image is found that explains all measurements.") },
  { "training", N_ ("Training"), N_ ("How many steps are taken, and how large they are.") },
  { "decoder", N_ ("Decoder"), N_ ("The generative network whose output is the reconstruction.") },
  { "device", N_ ("Device"), N_ ("What computes, and the numbers that chance is drawn from.") },
  { "picture", N_ ("Picture"),
    N_ ("What is measured on the pictures. It changes no pixel of the result.") },
};

static const PrismChoice amp_types[] = {
  { "bf16", N_ ("bfloat16"), N_ ("The range of single precision with 8 significant bits.") },
  { "fp16", N_ ("Half"),
    N_ ("11 significant bits and little range: a scale that adapts keeps gradients inside it.") },
  { "tf32", N_ ("TF32"),
    N_ ("Single precision, rounded to 11 significant bits for each product.") },
  { NULL },
};

/* All groups but those that have a file of their own. */
static const PrismParam rows[] = {
  {
      PRISM_PARAM (TEXT, object, "object", ""),
      .applies = "telescope",
      .default_text = "moon",
      .label = N_ ("Object"),
      .help = N_ ("Name of a built-in object, or path of an image (PNG, JPEG, TIFF, FITS) or of "
                  "an amplitude array (.npy)."),
  },
  {
      PRISM_PARAM (INTEGER, image_size, "object", "px"),
      .applies = "telescope",
      .minimum = 64,
      .maximum = 4096,
      .default_value = 512,
      .label = N_ ("Field size"),
      .help = N_ ("Side of the field and of the Fourier plane, a power of two. Work and memory "
                  "grow with its square."),
  },
  {
      PRISM_PARAM (INTEGER, object_size, "object", "px"),
      .applies = "telescope",
      .minimum = 16,
      .maximum = 4096,
      .default_value = 128,
      .label = N_ ("Object size"),
      .help = N_ ("Side of the object in the middle of the field, an even number. The field "
                  "around it is known to be dark, which is what makes the missing phase "
                  "recoverable."),
  },
  {
      PRISM_PARAM (SWITCH, object_invert, "object", ""),
      .applies = "telescope",
      .label = N_ ("Invert"),
      .help = N_ ("Exchange bright and dark of the image, for dark objects on a bright ground."),
  },
  {
      PRISM_PARAM (INTEGER, tile, "object", "px"),
      .minimum = PRISM_TILE_AUTO,
      .minimum_label = N_ ("Automatic"),
      .maximum = 4096,
      .unfollowed = TRUE,
      .label = N_ ("Tile"),
      .help = N_ ("Side of the overlapping squares that a large image is cut into, each a run of "
                  "its own, put together at the end; 0 takes no tiles, automatic the largest up to "
                  "512 of which one for each processor fits into memory. The field grows with the "
                  "tile, so that the telescope stays the same."),
  },
  {
      PRISM_PARAM (REAL, tile_overlap, "object", "%"),
      .maximum = 75,
      .default_value = 25,
      .unfollowed = TRUE,
      .label = N_ ("Overlap of tiles"),
      .help = N_ ("How much of its side a tile shares with each neighbour. There brightness is "
                  "matched and one image fades into the other; 0 shows the seams."),
  },
  {
      PRISM_PARAM (INTEGER, point_count, "object", ""),
      .applies = "telescope object=points",
      .minimum = 1,
      .maximum = 4,
      .default_value = 2,
      .label = N_ ("Point sources"),
      .help = N_ ("Number of stars of the built-in object “points”. Two close stars show what "
                  "can be resolved."),
  },
  {
      PRISM_PARAM (REAL, point_diameter, "object", "px"),
      .applies = "telescope object=points",
      .minimum = 1,
      .maximum = 1024,
      .default_value = 4,
      .label = N_ ("Point diameter"),
      .help = N_ ("Diameter of each star of the built-in object “points”."),
  },
  {
      PRISM_PARAM (REAL, point_spacing, "object", "px"),
      .applies = "telescope object=points",
      .maximum = 4096,
      .default_value = 16,
      .label = N_ ("Point spacing"),
      .help = N_ ("Distance between neighbouring stars of the built-in object “points”, centre "
                  "to centre."),
  },
  {
      PRISM_PARAM (TEXT, object_text, "object", ""),
      .applies = "telescope object=text",
      .default_text = "PRISM",
      .label = N_ ("Text"),
      .help = N_ ("What the built-in object “text” spells."),
  },

  {
      PRISM_PARAM (REAL, wavelength, "scale", "nm"),
      .applies = "telescope",
      .minimum = 1e-3,
      .maximum = 1e10,
      .default_value = 698.9,
      .unfollowed = TRUE,
      .label = N_ ("Wavelength"),
      .help = N_ ("Of the light, in nanometres: 550 is green, 2000 infrared."),
  },
  {
      PRISM_PARAM (REAL, distance, "scale", "m"),
      .applies = "telescope",
      .minimum = 1e-3,
      .maximum = 1e27,
      .default_value = 628.3e9,
      .unfollowed = TRUE,
      .label = N_ ("Distance"),
      .help = N_ ("Of the object, in metres: 1e3 is a kilometre, 3.844e8 the Moon, 1.496e11 an "
                  "astronomical unit, 9.461e15 a light year."),
  },
  {
      PRISM_PARAM (REAL, dxf, "scale", "m"),
      .applies = "telescope",
      .minimum = 1e-9,
      .maximum = 1e9,
      .default_value = 0.01,
      .unfollowed = TRUE,
      .label = N_ ("Pitch of the aperture plane"),
      .help = N_ ("Metres per pixel of the Fourier plane, where the telescope moves. A wider plane "
                  "resolves more: a pixel of the object is wavelength times distance over the "
                  "plane's width."),
  },
  {
      PRISM_PARAM (REAL, object_diameter, "scale", "m"),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 1e27,
      .unfollowed = TRUE,
      .label = N_ ("Diameter of the object"),
      .help = N_ ("In metres; 0 when it is not known. With it the program says how many pixels the "
                  "object takes, and when the object size does not fit."),
  },

  {
      PRISM_PARAM (CHOICE, aperture_shape, "aperture", ""),
      .applies = "telescope",
      .default_value = PRISM_SHAPE_DISK,
      .choices = prism_config_aperture_shapes,
      .label = N_ ("Shape"),
      .help = N_ ("Outline of the aperture. Its Fourier transform is the blur that a single "
                  "measurement has."),
  },
  {
      PRISM_PARAM (REAL, aperture_radius, "aperture", "px"),
      .applies = "telescope",
      .minimum = 1,
      .maximum = 2048,
      .default_value = 20,
      .label = N_ ("Radius"),
      .help = N_ ("Radius of the aperture in the Fourier plane. Apertures that overlap "
                  "constrain each other's phase; apertures that do not leave that to the "
                  "decoder."),
  },
  {
      PRISM_PARAM (REAL, obscuration, "aperture", ""),
      .applies = "telescope aperture_shape=obscured",
      .maximum = 0.9,
      .default_value = 0.3,
      .label = N_ ("Central obscuration"),
      .help = N_ ("Radius of the secondary mirror as a fraction of the aperture's. Used by the "
                  "shape “obscured”."),
  },
  {
      PRISM_PARAM (INTEGER, vanes, "aperture", ""),
      .applies = "telescope aperture_shape=obscured",
      .maximum = 16,
      .default_value = 4,
      .label = N_ ("Vanes"),
      .help = N_ ("Number of bars that hold the secondary mirror, at equal angles through the "
                  "centre. Used by the shape “obscured”."),
  },
  {
      PRISM_PARAM (REAL, vane_width, "aperture", "px"),
      .applies = "telescope aperture_shape=obscured",
      .maximum = 256,
      .default_value = 1,
      .label = N_ ("Vane width"),
      .help = N_ ("Width of each vane in the Fourier plane. Used by the shape “obscured”."),
  },

  {
      PRISM_PARAM (CHOICE, pattern, "pattern", ""),
      .applies = "telescope",
      .default_value = PRISM_PATTERN_FERMAT,
      .choices = prism_config_patterns,
      .label = N_ ("Pattern"),
      .help = N_ ("How the positions are spread over the Fourier plane. Even spreading leaves "
                  "the smallest gaps."),
  },
  {
      PRISM_PARAM (INTEGER, samples, "pattern", ""),
      .applies = "telescope pattern!=file|hand",
      .minimum = 1,
      .maximum = 100000,
      .default_value = 100,
      .label = N_ ("Samples"),
      .help = N_ ("Number of positions, one measurement each. More of them cover more of the "
                  "plane and take longer."),
  },
  {
      PRISM_PARAM (INTEGER, roi, "pattern", "px"),
      .applies = "telescope",
      .minimum_label = N_ ("Automatic"),
      .maximum = 4096,
      .label = N_ ("Region of interest"),
      .help = N_ ("Diameter of the disk of the Fourier plane that the pattern fills; 0 is the "
                  "whole field. The disk's radius is the finest detail that can be measured."),
  },
  {
      PRISM_PARAM (CHOICE, order, "pattern", ""),
      .applies = "telescope",
      .default_value = PRISM_ORDER_RADIUS,
      .choices = prism_config_orders,
      .label = N_ ("Order"),
      .help = N_ ("Order of the visits. Progressive training likes the bright low frequencies "
                  "first."),
  },
  {
      PRISM_PARAM (REAL, pattern_cutoff, "pattern", "px"),
      .applies = "telescope",
      .minimum_label = N_ ("None"),
      .maximum = 4096,
      .label = N_ ("Cut-off radius"),
      .help = N_ ("Positions farther from the centre than this are left out; 0 keeps all."),
  },
  {
      PRISM_PARAM (INTEGER, star_lines, "pattern", ""),
      .applies = "telescope pattern=star",
      .minimum = 1,
      .maximum = 360,
      .default_value = 6,
      .label = N_ ("Star lines"),
      .help = N_ ("Number of lines of the pattern “star”, at equal angles through the centre."),
  },
  {
      PRISM_PARAM (INTEGER, pattern_rings, "pattern", ""),
      .applies = "telescope pattern=circles",
      .minimum = 1,
      .maximum = 1000,
      .default_value = 6,
      .label = N_ ("Circles"),
      .help = N_ ("Number of circles of the pattern “circles”, equally far apart."),
  },
  {
      PRISM_PARAM (REAL, pattern_turns, "pattern", ""),
      .applies = "telescope pattern=archimedean|logarithmic",
      .minimum = 0.1,
      .maximum = 1000,
      .default_value = 6,
      .label = N_ ("Turns"),
      .help = N_ ("Number of turns of the patterns “archimedean” and “logarithmic”."),
  },
  {
      PRISM_PARAM (REAL, pattern_jitter, "pattern", ""),
      .applies = "telescope pattern=jittered",
      .maximum = 1,
      .default_value = 0.8,
      .label = N_ ("Jitter"),
      .help = N_ ("How far the pattern “jittered” displaces its positions, as a fraction of the "
                  "distance between rows; 0 is the square raster."),
  },
  {
      PRISM_PARAM (TEXT, pattern_file, "pattern", ""),
      .applies = "telescope pattern=file",
      .default_text = "",
      .unfollowed = TRUE,
      .label = N_ ("File of positions"),
      .help = N_ ("Path of a CSV file for the pattern “file”: the columns y and x, in pixels from "
                  "the centre of the Fourier plane. It gives the number of samples, too."),
  },
  {
      PRISM_PARAM (TEXT, pattern_points, "pattern", ""),
      .applies = "telescope pattern=hand",
      .maximum = 4194304,
      .default_text = "0, 0",
      .label = N_ ("Positions"),
      .help = N_ ("List for the pattern “hand”: “y, x; y, x; …”, in pixels from the centre of the "
                  "Fourier plane. It gives the number of samples, too."),
  },

  {
      PRISM_PARAM (INTEGER, latent, "decoder", ""),
      .applies = "decoder",
      .minimum_label = N_ ("Automatic"),
      .maximum = 4096,
      .label = N_ ("Latent vector"),
      .help = N_ ("Numbers that the image is made from, and twice the channels of the first layer; "
                  "0 takes as many as the field has pixels in a row. Three quarters of all "
                  "parameters belong to the first layer."),
  },
  {
      PRISM_PARAM (TEXT, channels, "decoder", ""),
      .applies = "decoder",
      .maximum = 256,
      .default_text = "",
      .label = N_ ("Channels"),
      .help = N_ ("Channels of each layer, for example 256 128 64 32 16 8 4 2 1: one number for "
                  "4×4 px, one for each doubling up to the object, one or more for 3×3 layers, the "
                  "last of them 1. Empty: every layer has half of the one before it."),
  },
  {
      PRISM_PARAM (INTEGER, depth, "decoder", ""),
      .applies = "decoder channels=",
      .minimum_label = N_ ("Automatic"),
      .maximum = 16,
      .label = N_ ("Last layers"),
      .help = N_ ("3×3 layers at full size that follow the doublings; 0 takes as many as it needs "
                  "to halve the channels down to one. More of them first keep the channels as they "
                  "are; of fewer the last one adds up what is left."),
  },
  {
      PRISM_PARAM (CHOICE, norm, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_NORM_BATCH,
      .choices = prism_config_norms,
      .label = N_ ("Norm"),
      .help = N_ ("What follows every layer but the last, before its ReLU."),
  },
  {
      PRISM_PARAM (CHOICE, output_activation, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_OUTPUT_SIGMOID,
      .choices = prism_config_output_activations,
      .label = N_ ("Output"),
      .help = N_ ("What turns the last layer's sums into amplitudes. The object's lie between 0 "
                  "and 1, and the polish holds the result there."),
  },
  {
      PRISM_PARAM (CHOICE, edge, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_EDGE_SAME,
      .choices = prism_config_edges,
      .label = N_ ("Edge"),
      .help = N_ ("What the last convolution does at the border. One frame of zeros costs up to "
                  "15 dB, because every measurement sees it."),
  },
  {
      PRISM_PARAM (CHOICE, initialisation, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_INITIALISATION_UNIFORM,
      .choices = prism_config_initialisations,
      .label = N_ ("Start values"),
      .help = N_ ("What the weights are drawn from before the first step; the latent vector always "
                  "comes from a normal distribution."),
  },
  {
      PRISM_PARAM (SWITCH, keep_decoder, "decoder", ""),
      .applies = "telescope method=auto|decoder",
      .unfollowed = TRUE,
      .label = N_ ("Keep for output"),
      .help = N_ ("When the run ends, fold the norms into the weights and keep the decoder with "
                  "the result, a quarter of the parameters and no moments: decoder.npz among what "
                  "is saved."),
  },

  {
      PRISM_PARAM (CHOICE, backend, "device", ""),
      .default_value = PRISM_BACKEND_AUTO,
      .choices = prism_device_list,
      .unfollowed = TRUE,
      .label = N_ ("Backend"),
      .help = N_ ("Which device computes."),
  },
  {
      PRISM_PARAM (INTEGER, threads, "device", ""),
      .minimum_label = N_ ("Automatic"),
      .maximum = 256,
      .unfollowed = TRUE,
      .label = N_ ("Threads"),
      .help = N_ ("Worker threads on the processor; 0 takes all cores but what the window "
                  "needs. The result does not depend on it."),
  },
  {
      PRISM_PARAM (INTEGER, chunk, "device", ""),
      .applies = "telescope",
      .minimum_label = N_ ("Automatic"),
      .maximum = 64,
      .unfollowed = TRUE,
      .label = N_ ("Steps at once"),
      .help = N_ ("The most steps that a device is given at once, as far as the window does not "
                  "have to wait for it; 0 is one on the processor and 64 on a graphics processor. "
                  "The result does not depend on it."),
  },
  {
      PRISM_PARAM (SWITCH, tuning, "device", ""),
      .applies = "telescope",
      .default_value = TRUE,
      .unfollowed = TRUE,
      .label = N_ ("Tuning"),
      .help = N_ ("The first steps of a run find out with how many of the automatic threads a step "
                  "is quickest on this machine; later runs of the same sizes know it. The result "
                  "does not depend on it."),
  },
  {
      PRISM_PARAM (SWITCH, amp, "device", ""),
      .applies = "decoder",
      .label = N_ ("Mixed precision"),
      .help = N_ ("Shorter numbers in the products of the decoder's inner layers on a graphics "
                  "processor. Memory stays what it is. Whether it is faster depends on card and "
                  "size: “prism-cli bench --precision bf16 --against amp=off” measures it. It has "
                  "no effect on the processor."),
  },
  {
      PRISM_PARAM (CHOICE, amp_type, "device", ""),
      .applies = "decoder amp=on",
      .default_value = PRISM_AMP_BF16,
      .choices = amp_types,
      .label = N_ ("Kind of mixed precision"),
      .help = N_ ("What the decoder's inner layers multiply when mixed precision is on. Weights, "
                  "sums, transforms and the loss keep single precision."),
  },
  {
      PRISM_PARAM (INTEGER, cache_size, "device", "MiB"),
      .applies = "telescope",
      .minimum_label = N_ ("Automatic"),
      .maximum = 1048576,
      .unfollowed = TRUE,
      .label = N_ ("Measurement cache"),
      .help = N_ ("Memory for detector images that are needed again; 0 is as large as the "
                  "samples need."),
  },
  {
      PRISM_PARAM (INTEGER, history_size, "device", "MiB"),
      .default_value = 256,
      .maximum = 1048576,
      .unfollowed = TRUE,
      .label = N_ ("Kept moments"),
      .help = N_ ("Memory for pictures of the run to walk back to; when it is used up every second "
                  "one is dropped. 0 keeps none."),
  },
  {
      PRISM_PARAM (INTEGER, autosave_samples, "device", ""),
      .minimum_label = N_ ("None"),
      .maximum = 1000000,
      .live = TRUE,
      .unfollowed = TRUE,
      .label = N_ ("Save every so many samples"),
      .help = N_ ("Samples, or passes of the polish, that may be lost when the computer fails; "
                  "for a run that has a file. 0 leaves it to the time."),
  },
  {
      PRISM_PARAM (INTEGER, autosave_seconds, "device", "s"),
      .default_value = 60,
      .minimum_label = N_ ("None"),
      .maximum = 86400,
      .live = TRUE,
      .unfollowed = TRUE,
      .label = N_ ("Save every so many seconds"),
      .help = N_ ("How much time may be lost when the computer fails; for a run that has a "
                  "file. 0 leaves it to the samples."),
  },
  {
      PRISM_PARAM (INTEGER, seed, "device", ""),
      .applies = "telescope",
      .maximum = 2147483647,
      .label = N_ ("Seed"),
      .help = N_ ("Start of all random numbers: weights, noise, replay and patterns. The same "
                  "seed gives the same run."),
  },
  {
      PRISM_PARAM (INTEGER, training_seed, "device", ""),
      .applies = "telescope",
      .minimum = -1,
      .minimum_label = N_ ("Automatic"),
      .maximum = 2147483647,
      .default_value = -1,
      .label = N_ ("Training seed"),
      .help = N_ ("Seed of the weights and of replay alone; -1 is the seed above. Runs that differ "
                  "in nothing else see the same object, positions and noise: how much their "
                  "results differ shows how certain they are."),
  },

  {
      PRISM_PARAM (TEXT, marks, "picture", ""),
      .default_text = "",
      .live = TRUE,
      .unfollowed = TRUE,
      .label = N_ ("Marks"),
      .help = N_ ("Lines, areas and rulers that lie over the pictures, “line 10 20 90 40 3; "
                  "ellipse 4 4 20 20”: columns before rows of two pixels, then the width of a "
                  "line. With “camera” in front a mark is on the measurement."),
  },
  {
      PRISM_PARAM (TEXT, limits, "picture", ""),
      .default_text = "",
      .live = TRUE,
      .unfollowed = TRUE,
      .label = N_ ("Display limits"),
      .help = N_ ("Which values are the darkest and the brightest colour of a picture, "
                  "“reconstruction 0.1 0.9 gamma 1.5; target percentiles; error extremes”. "
                  "Pictures that are not named have their usual limits."),
  },
  { NULL },
};

static PrismParam params[MAX_PARAMS];
static gsize n_params;
static pthread_once_t joined = PTHREAD_ONCE_INIT;

static void
append_group (const char *group,
              const PrismParam *row)
{
  for (; row->key != NULL; row++)
    if (strcmp (row->group, group) == 0)
      {
        g_assert (n_params + 1 < MAX_PARAMS);
        params[n_params++] = *row;
      }
}

static void
join_rows (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (groups); i++)
    {
      append_group (groups[i].id, rows);
      append_group (groups[i].id, prism_config_measurement_rows);
      append_group (groups[i].id, prism_config_microscope_rows);
      append_group (groups[i].id, prism_config_method_rows);
      append_group (groups[i].id, prism_config_training_rows);
    }
}

/**
 * prism_config_get_params:
 * @n: (out) (optional): number of parameters
 *
 * The parameter table, group by group in the order in which it is shown.
 *
 * Returns: (transfer none) (array length=n): the table; a NULL key follows the last
 */
const PrismParam *
prism_config_get_params (gsize *n)
{
  pthread_once (&joined, join_rows);
  if (n != NULL)
    *n = n_params;
  return params;
}

/**
 * prism_config_get_groups:
 * @n_groups: (out): number of groups
 *
 * Returns: (transfer none) (array length=n_groups): the groups as they are shown
 */
const PrismParamGroup *
prism_config_get_groups (gsize *n_groups)
{
  *n_groups = G_N_ELEMENTS (groups);
  return groups;
}

/**
 * prism_config_get_param:
 * @key: a key, such as "image_size"
 *
 * Returns: (transfer none) (nullable): the parameter, of a former key the one that has its meaning
 *   now; %NULL when there is none
 */
const PrismParam *
prism_config_get_param (const char *key)
{
  pthread_once (&joined, join_rows);
  for (gsize i = 0; i < n_params; i++)
    if (strcmp (params[i].key, key) == 0)
      return &params[i];
  return prism_config_find_former (key) != NULL ? prism_config_get_param ("method") : NULL;
}
