#include "config.h"

#include "config/prism-config-choices.h"

#include <glib/gi18n-lib.h>

const PrismChoice prism_config_aperture_shapes[] = {
  { "disk", N_ ("Disk"), N_ ("A round telescope.") },
  { "hexagon", N_ ("Hexagon"),
    N_ ("One segment of a mirror, flat sides at the top and the bottom.") },
  { "obscured", N_ ("Obscured disk"),
    N_ ("A round telescope with a secondary mirror on vanes in its way.") },
  { NULL },
};

const PrismChoice prism_config_patterns[] = {
  { "fermat", N_ ("Fermat spiral"),
    N_ ("A sunflower's seeds: even density and no direction preferred.") },
  { "random", N_ ("Random in a disk"),
    N_ ("Uniform chance in a disk; one position is moved to the centre.") },
  { "random-square", N_ ("Random in a square"), N_ ("Uniform chance in a square.") },
  { "raster", N_ ("Square raster"), N_ ("Rows and columns, equally far apart.") },
  { "star", N_ ("Star of lines"),
    N_ ("Positions along lines through the centre: dense inside, sparse outside.") },
  { "circles", N_ ("Concentric circles"), N_ ("Rings, each with positions by its length.") },
  { "archimedean", N_ ("Archimedean spiral"),
    N_ ("One path outwards whose turns are equally far apart.") },
  { "logarithmic", N_ ("Logarithmic spiral"),
    N_ ("One path outwards that gets wider with every turn: dense inside.") },
  { "jittered", N_ ("Jittered grid"),
    N_ ("Rows and columns, each position displaced by chance: no direction preferred.") },
  { "file", N_ ("From a file"), N_ ("The positions of a CSV file.") },
  { "hand", N_ ("Placed by hand"), N_ ("The positions of a list.") },
  { NULL },
};

const PrismChoice prism_config_orders[] = {
  { "radius", N_ ("By radius"), N_ ("From the centre outwards: coarse structure first.") },
  { "energy", N_ ("By energy"), N_ ("The brightest measurement first.") },
  { "random", N_ ("Random"), N_ ("Shuffled with the seed.") },
  { "given", N_ ("As given"), N_ ("In the order in which the pattern makes them.") },
  { NULL },
};

const PrismChoice prism_config_domains[] = {
  { "amplitude", N_ ("Amplitude"),
    N_ ("Compare square roots of intensities: that evens out shot noise.") },
  { "intensity", N_ ("Intensity"), N_ ("Compare what the camera counts.") },
  { NULL },
};

const PrismChoice prism_config_methods[] = {
  { "auto", N_ ("Automatic"),
    N_ ("Passes over the measurements, which end when nothing moves any more; the decoder is "
        "trained where they do not explain the measurements.") },
  { "decoder", N_ ("PRISM decoder"),
    N_ ("A decoder is trained measurement after measurement, as published, the live picture beside "
        "it; a refinement that knows the noise ends the run.") },
  { "epie", N_ ("ePIE"),
    N_ ("The iterative engine alone, from a blank image: no decoder and no training.") },
  { "mopie", N_ ("Mo-PIE"),
    N_ ("ePIE that knows how the aperture moves during an exposure.") },
  { "sequential", N_ ("Frame after frame"),
    N_ ("Of recorded frames: one frame after the other with steps that get smaller. Automatic "
        "means this one there.") },
  { "descent", N_ ("All frames together"),
    N_ ("Of recorded frames: all frames together, accelerated, with five steps a pass.") },
  { "complex", N_ ("Complex decoder"),
    N_ ("Of recorded frames: one after the other, and then as many passes in which a decoder with "
        "two outputs, amplitude and phase, is trained on all of them; “decoder” means this one "
        "there. It takes many times as long, and is worth it for a smooth specimen and few frames "
        "or little light.") },
  { NULL },
};

const PrismChoice prism_config_pupil_starts[] = {
  { "search", N_ ("Search"), N_ ("The aberrations with which a few frames are met best.") },
  { "flat", N_ ("Flat"), N_ ("No aberrations but the defocus that is given.") },
  { NULL },
};

const PrismChoice prism_config_places[] = {
  { "no", N_ ("As recorded"), N_ ("LEDs stay where the recording has them.") },
  { "yes", N_ ("Found"), N_ ("The place of every LED is found, and of the whole board.") },
  { "board", N_ ("Board only"), N_ ("Shift, turn and scale of the whole board are found.") },
  { NULL },
};

const PrismChoice prism_config_directions[] = {
  { "fixed", N_ ("One for all"), N_ ("Every line has the angle that is set.") },
  { "random", N_ ("Random"), N_ ("Each position has an angle of its own, drawn with the seed.") },
  { NULL },
};

const PrismChoice prism_config_line_points[] = {
  { "accurate", N_ ("Accurate"), N_ ("A point per pixel of length.") },
  { "fast", N_ ("Fast"), N_ ("A point per radius of the aperture, at least two.") },
  { NULL },
};

const PrismChoice prism_config_mopie_updates[] = {
  { "parallel", N_ ("Parallel"), N_ ("All points of a line correct the same image together.") },
  { "serial", N_ ("Serial"), N_ ("One point after the other, so that the last one counts most.") },
  { NULL },
};

const PrismChoice prism_config_memories[] = {
  { "replay", N_ ("Replay"), N_ ("Each step looks again at measurements drawn from all so far.") },
  { "self", N_ ("Own image"),
    N_ ("Each step holds on to the image as it was when the sample began; that is what the Python "
        "PRISM does.") },
  { "all", N_ ("All"), N_ ("The steps go through every measurement so far, a few at a time.") },
  { NULL },
};

const PrismChoice prism_config_finishes[] = {
  { "refine", N_ ("Refinement"),
    N_ ("Accelerated descent to the likeliest image, with the camera's noise in mind.") },
  { "epie", N_ ("ePIE"),
    N_ ("Passes of ePIE, which stop when the noise is reached.") },
  { NULL },
};

const PrismChoice prism_config_frame_uses[] = {
  { "auto", N_ ("Small where they are exact"),
    N_ ("Small frames without noise, where they hold everything, and until nothing moves any more "
        "in a run whose decoder waits; else whole frames.") },
  { "full", N_ ("Whole frames"), N_ ("Each pass looks at every pixel of every measurement.") },
  { "small", N_ ("Small frames"),
    N_ ("Each pass looks at as many pixels as the aperture's light needs, at other ones each time; "
        "the last passes look at all.") },
  { NULL },
};

const PrismChoice prism_config_losses[] = {
  { "l1", N_ ("L1"), N_ ("Mean absolute difference: robust, and better for sharp objects.") },
  { "l2", N_ ("L2"), N_ ("Mean squared difference: large errors count most.") },
  { "ssim", N_ ("SSIM"), N_ ("Structural similarity: local contrast counts, not brightness.") },
  { "ms-ssim", N_ ("MS-SSIM"), N_ ("Structural similarity at up to five scales.") },
  { "composite", N_ ("Composite"), N_ ("The sum of these losses, each with a weight of its own.") },
  { NULL },
};

const PrismChoice prism_config_schedules[] = {
  { "cosine", N_ ("Cosine"), N_ ("From the learning rate down to zero over the whole run.") },
  { "constant", N_ ("Constant"), N_ ("The same learning rate throughout.") },
  { "plateau", N_ ("Plateau"),
    N_ ("Halved when ten samples in a row did not lower the loss.") },
  { "restarts", N_ ("Warm restarts"),
    N_ ("Cosine down to a millionth in 50 steps, again in 100, in 200, and so on.") },
  { NULL },
};

const PrismChoice prism_config_start_targets[] = {
  { "picture", N_ ("Picture of the passes"),
    N_ ("What rounds and refinement have found, which then come first; with another method than "
        "“decoder”, or without them, the first measurement.") },
  { "measurement", N_ ("First measurement"),
    N_ ("As published: the first detector image, divided by its maximum.") },
  { "disk", N_ ("Disk"), N_ ("A bright disk.") },
  { "synthetic", N_ ("Synthetic aperture"), N_ ("What all positions together would see.") },
  { NULL },
};

const PrismChoice prism_config_norms[] = {
  { "batch", N_ ("Batch norm"),
    N_ ("Each channel is brought to a mean and a spread that are learned: training is fast and "
        "forgives a bad start.") },
  { "none", N_ ("None"),
    N_ ("Each channel has a bias instead: a little less work, but more depends on the learning "
        "rate and the start values.") },
  { NULL },
};

const PrismChoice prism_config_output_activations[] = {
  { "sigmoid", N_ ("Sigmoid"), N_ ("Smooth, between 0 and 1, and never quite either of them.") },
  { "hardsigmoid", N_ ("Hard sigmoid"),
    N_ ("A straight line between 0 and 1, which it reaches: black stays black. Pixels that have "
        "arrived there no longer learn.") },
  { "tanh", N_ ("Hyperbolic tangent"),
    N_ ("Smooth, between −1 and 1: a negative amplitude is possible on the way.") },
  { "relu", N_ ("Rectified"), N_ ("At least 0 and without an upper end.") },
  { "none", N_ ("None"), N_ ("Any number.") },
  { NULL },
};

const PrismChoice prism_config_initialisations[] = {
  { "uniform", N_ ("Uniform"),
    N_ ("Weights and bias between ±1/√fan-in, the values that a layer has in PyTorch.") },
  { "xavier-normal", N_ ("Xavier, normal"),
    N_ ("Normal with the variance 2/(fan-in + fan-out), which keeps signals and gradients of one "
        "size from layer to layer; the bias is 0.") },
  { "orthogonal", N_ ("Orthogonal"),
    N_ ("Each layer's weights are a random orthogonal matrix, so that no direction is lost; the "
        "bias is 0.") },
  { NULL },
};

const PrismChoice prism_config_edges[] = {
  { "same", N_ ("Padded"),
    N_ ("The last convolution is padded and reaches the border of the object.") },
  { "valid", N_ ("Frame of zeros"),
    N_ ("The last convolution is not padded, which forces a dark frame of one pixel; that is what "
        "the Python PRISM does.") },
  { NULL },
};
