#include "config.h"

#include "config/prism-config-table.h"

#include "config/prism-device-list.h"

/* Values stand in the order of their enumerations in prism-config.h. */

static const PrismChoice memories[] = {
  { "replay", N_ ("Replay"), N_ ("Each step looks again at measurements drawn from all so far.") },
  { "self", N_ ("Own image"),
    N_ ("Each step holds on to the image as it was when the position began; that is what the "
        "Python PRISM does.") },
  { "all", N_ ("All"), N_ ("The steps go through every measurement so far, a few at a time.") },
  { NULL },
};

static const PrismChoice losses[] = {
  { "l1", N_ ("L1"), N_ ("Mean absolute difference: robust, and better for sharp objects.") },
  { "l2", N_ ("L2"), N_ ("Mean squared difference: large errors count most.") },
  { "ssim", N_ ("SSIM"), N_ ("Structural similarity: local contrast counts, not brightness.") },
  { "ms-ssim", N_ ("MS-SSIM"), N_ ("Structural similarity at up to five scales.") },
  { "composite", N_ ("Composite"), N_ ("The sum of these losses, each with a weight of its own.") },
  { NULL },
};

static const PrismChoice finishes[] = {
  { "refine", N_ ("Refinement"),
    N_ ("Accelerated descent to the likeliest image, with the camera's noise in mind.") },
  { "epie", N_ ("ePIE"),
    N_ ("Passes of ePIE, which stop when the noise is reached.") },
  { NULL },
};

static const PrismChoice frame_uses[] = {
  { "auto", N_ ("Small where they are exact"),
    N_ ("Small frames without noise, where they hold everything, and until nothing moves any more "
        "in a run whose decoder waits; else whole frames.") },
  { "full", N_ ("Whole frames"), N_ ("Each pass looks at every pixel of every measurement.") },
  { "small", N_ ("Small frames"),
    N_ ("Each pass looks at as many pixels as the aperture's light needs, at other ones each time; "
        "the last passes look at all.") },
  { NULL },
};

static const PrismChoice mopie_updates[] = {
  { "parallel", N_ ("Parallel"), N_ ("All points of a line correct the same image together.") },
  { "serial", N_ ("Serial"), N_ ("One point after the other, so that the last one counts most.") },
  { NULL },
};

static const PrismChoice start_targets[] = {
  { "picture", N_ ("Picture of the passes"),
    N_ ("What passes and refinement have found, which then come first; with another method than "
        "“decoder”, or without them, the first measurement.") },
  { "measurement", N_ ("First measurement"),
    N_ ("As published: the first detector image, divided by its maximum.") },
  { "disk", N_ ("Disk"), N_ ("A bright disk.") },
  { "synthetic", N_ ("Synthetic aperture"), N_ ("What all positions together would see.") },
  { NULL },
};

static const PrismChoice schedules[] = {
  { "cosine", N_ ("Cosine"), N_ ("From the learning rate down to zero over the whole run.") },
  { "constant", N_ ("Constant"), N_ ("The same learning rate throughout.") },
  { "plateau", N_ ("Plateau"),
    N_ ("Halved when ten positions in a row did not lower the loss.") },
  { "restarts", N_ ("Warm restarts"),
    N_ ("Cosine down to a millionth in 50 steps, again in 100, in 200, and so on.") },
  { NULL },
};

static const PrismChoice norms[] = {
  { "batch", N_ ("Batch norm"),
    N_ ("Each channel is brought to a mean and a spread that are learned: training is fast and "
        "forgives a bad start.") },
  { "none", N_ ("None"),
    N_ ("Each channel has a bias instead: a little less work, but more depends on the learning "
        "rate and the start values.") },
  { NULL },
};

static const PrismChoice output_activations[] = {
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

static const PrismChoice edges[] = {
  { "same", N_ ("Padded"),
    N_ ("The last convolution is padded and reaches the border of the object.") },
  { "valid", N_ ("Frame of zeros"),
    N_ ("The last convolution is not padded, which forces a dark frame of one pixel; that is what "
        "the Python PRISM does.") },
  { NULL },
};

static const PrismChoice initialisations[] = {
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

static const PrismChoice amp_types[] = {
  { "bf16", N_ ("bfloat16"), N_ ("The range of single precision with 8 significant bits.") },
  { "fp16", N_ ("Half"),
    N_ ("11 significant bits and little range: a scale that adapts keeps gradients inside it.") },
  { "tf32", N_ ("TF32"),
    N_ ("Single precision, rounded to 11 significant bits for each product.") },
  { NULL },
};

/* The parameter table: how the picture is made, where, and how it is looked at. */
const PrismParam prism_config_method_rows[] = {
  {
      PRISM_PARAM (CHOICE, memory, "reconstruction", ""),
      .applies = "decoder",
      .default_value = PRISM_MEMORY_REPLAY,
      .choices = memories,
      .live = TRUE,
      PRISM_LABEL ("Memory"),
      PRISM_HELP ("How a step remembers earlier measurements. Without memory the decoder "
                  "forgets them while it learns the new one."),
  },
  {
      PRISM_PARAM (INTEGER, replay, "reconstruction", ""),
      .applies = "decoder memory=replay|all",
      .minimum = 1,
      .maximum = 32,
      .default_value = 4,
      .live = TRUE,
      PRISM_LABEL ("Measurements per step"),
      PRISM_HELP ("Measurements that one step looks at with the memory “replay” or “all”, the "
                  "new one included. More of them steady the step and cost time."),
  },
  {
      PRISM_PARAM (CHOICE, loss, "reconstruction", ""),
      .applies = "decoder",
      .default_value = PRISM_LOSS_L1,
      .choices = losses,
      .live = TRUE,
      PRISM_LABEL ("Loss"),
      PRISM_HELP ("How the difference between prediction and measurement is counted."),
  },
  {
      PRISM_PARAM (REAL, weight_l1, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .default_value = 0.7,
      .live = TRUE,
      PRISM_LABEL ("Weight of L1"),
      PRISM_HELP ("How much the mean absolute difference counts in the composite loss."),
  },
  {
      PRISM_PARAM (REAL, weight_l2, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .live = TRUE,
      PRISM_LABEL ("Weight of L2"),
      PRISM_HELP ("How much the mean squared difference counts in the composite loss."),
  },
  {
      PRISM_PARAM (REAL, weight_ssim, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .default_value = 0.3,
      .live = TRUE,
      PRISM_LABEL ("Weight of SSIM"),
      PRISM_HELP ("How much structural similarity counts in the composite loss."),
  },
  {
      PRISM_PARAM (REAL, weight_ms_ssim, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .live = TRUE,
      PRISM_LABEL ("Weight of MS-SSIM"),
      PRISM_HELP ("How much structural similarity at several scales counts in the composite loss."),
  },
  {
      PRISM_PARAM (SWITCH, normalise, "reconstruction", ""),
      .applies = "decoder",
      .default_value = TRUE,
      .live = TRUE,
      PRISM_LABEL ("Normalise the loss"),
      PRISM_HELP ("Divide each loss by the measurement's own mean, so that faint measurements "
                  "can be learned at all; the energy weight then says how much they count."),
  },
  {
      PRISM_PARAM (REAL, energy_weight, "reconstruction", ""),
      .applies = "decoder",
      .maximum = 2,
      .default_value = 0.35,
      .live = TRUE,
      PRISM_LABEL ("Energy weight"),
      PRISM_HELP ("Each measurement counts as its energy, relative to the brightest, to this "
                  "power. At 0 the faint outer ones count like the bright ones and ruin the low "
                  "frequencies; at 1 they hardly count."),
  },
  {
      PRISM_PARAM (CHOICE, finish, "reconstruction", ""),
      .applies = "telescope method=auto|decoder",
      .default_value = PRISM_FINISH_REFINE,
      .choices = finishes,
      PRISM_LABEL ("Kind of refinement"),
      PRISM_HELP ("How the decoder's image is made to match the measurements when the positions "
                  "are through."),
  },
  {
      PRISM_PARAM (CHOICE, frames, "reconstruction", ""),
      .applies = "telescope",
      .default_value = PRISM_FRAMES_AUTO,
      .choices = frame_uses,
      PRISM_LABEL ("Frames"),
      PRISM_HELP ("How much of a measurement the passes of the live picture and of the refinement "
                  "look at. The light of a small aperture varies slowly, so that few pixels hold "
                  "all of it: small frames give the same picture many times sooner."),
  },
  {
      PRISM_PARAM (INTEGER, consistency, "reconstruction", N_ ("passes")),
      .applies = "telescope method=auto|decoder",
      .maximum = 100,
      .default_value = 3,
      .live = TRUE,
      PRISM_LABEL ("Live passes"),
      PRISM_HELP ("Passes over the measurements so far after each position, which make the live "
                  "picture explain them all. The decoder's image is a candidate now and then, "
                  "and the refinement starts from it, too. 0 shows the decoder's image until the "
                  "positions are through."),
  },
  {
      PRISM_PARAM (REAL, smoothness, "reconstruction", ""),
      .applies = "telescope method=auto|decoder",
      .maximum = 100,
      .default_value = 1,
      PRISM_LABEL ("Smoothness"),
      PRISM_HELP ("Weight of the total variation, which decides what the measurements leave open "
                  "in the live picture and the refinement, in multiples of what the noise "
                  "suggests. More makes flatter areas with sharp edges; 0 leaves it to the limits "
                  "0 and 1."),
  },
  {
      PRISM_PARAM (INTEGER, polish, "reconstruction", N_ ("passes")),
      .applies = "telescope method=auto|decoder",
      .maximum = 1000,
      .default_value = 100,
      .live = TRUE,
      PRISM_LABEL ("Refinement"),
      PRISM_HELP ("Passes over all measurements when the positions are through. After so many "
                  "the verdict is computed; then they go on, up to four times as many, until the "
                  "picture has converged. Every other start, from exit waves or from the "
                  "decoder's image, has as many. 0 keeps the live picture or the decoder's image."),
  },
  {
      PRISM_PARAM (SWITCH, until_converged, "reconstruction", ""),
      .applies = "telescope",
      .live = TRUE,
      PRISM_LABEL ("Run to convergence"),
      PRISM_HELP ("The last passes go on until ten of them move the picture by less than "
                  "“converged_below”, and by less than the ten before; at most 2000 of "
                  "them. Nothing but the picture and the measurements decides it."),
  },
  {
      PRISM_PARAM (REAL, converged_below, "reconstruction", "%"),
      .applies = "telescope",
      .minimum = 0.0001,
      .maximum = 10,
      .default_value = 0.002,
      .live = TRUE,
      PRISM_LABEL ("Converged below"),
      PRISM_HELP ("A run to convergence ends when ten passes move the picture by less than this "
                  "part of its norm."),
  },
  {
      PRISM_PARAM (REAL, epie_step, "reconstruction", ""),
      .applies = "telescope",
      .minimum = 0.01,
      .maximum = 2,
      .default_value = 1,
      PRISM_LABEL ("ePIE step"),
      PRISM_HELP ("Fraction of each ePIE correction that is applied. Below 1 it converges more "
                  "slowly and averages noise."),
  },
  {
      PRISM_PARAM (CHOICE, mopie_update, "reconstruction", ""),
      .applies = "telescope line_length!=0 method=auto|decoder|mopie",
      .default_value = PRISM_MOPIE_PARALLEL,
      .choices = mopie_updates,
      PRISM_LABEL ("Mo-PIE update"),
      PRISM_HELP ("How the points of a line correct the image in a pass of Mo-PIE, and of ePIE "
                  "when it ends a run of PRISM."),
  },

  {
      PRISM_PARAM (INTEGER, steps, "training", ""),
      .applies = "decoder",
      .minimum = 1,
      .maximum = 100000,
      .default_value = 60,
      .live = TRUE,
      PRISM_LABEL ("Steps per position"),
      PRISM_HELP ("Most optimisation steps for one measurement before the next one joins."),
  },
  {
      PRISM_PARAM (INTEGER, start_steps, "training", ""),
      .applies = "decoder",
      .maximum = 100000,
      .default_value = 100,
      PRISM_LABEL ("Start steps"),
      PRISM_HELP ("Steps in which the decoder learns a start image before the positions begin. "
                  "Without them training often ends in a wrong solution."),
  },
  {
      PRISM_PARAM (CHOICE, start_target, "training", ""),
      .applies = "telescope method=auto|decoder",
      .default_value = PRISM_START_PICTURE,
      .choices = start_targets,
      PRISM_LABEL ("Start image"),
      PRISM_HELP ("What the decoder learns in the start steps."),
  },
  {
      PRISM_PARAM (INTEGER, passes, "training", ""),
      .minimum = 1,
      .maximum = 10000,
      .default_value = 1,
      PRISM_LABEL ("Passes"),
      PRISM_HELP ("How often all positions are gone through. The method “epie” wants about 40, "
                  "recorded frames 8."),
  },
  {
      PRISM_PARAM (REAL, threshold, "training", ""),
      .applies = "decoder",
      .minimum_label = N_ ("None"),
      .maximum = 1,
      .live = TRUE,
      PRISM_LABEL ("Loss threshold"),
      PRISM_HELP ("A position is left early when both of its losses are below this; 0 takes all "
                  "steps."),
  },
  {
      PRISM_PARAM (SWITCH, convergence, "training", ""),
      .applies = "decoder",
      PRISM_LABEL ("Watch the convergence"),
      PRISM_HELP ("Leave a position when it stays below the threshold, try harder when its loss "
                  "is on a plateau, and try failed positions again at the end. Needs a threshold."),
  },
  {
      PRISM_PARAM (INTEGER, patience, "training", N_ ("steps")),
      .applies = "decoder convergence=on",
      .minimum = 1,
      .maximum = 1000,
      .default_value = 10,
      .live = TRUE,
      PRISM_LABEL ("Patience"),
      PRISM_HELP ("Steps in a row that a position must be below the threshold before it is left."),
  },
  {
      PRISM_PARAM (INTEGER, max_retries, "training", ""),
      .applies = "decoder convergence=on",
      .maximum = 10,
      .default_value = 2,
      .live = TRUE,
      PRISM_LABEL ("Retries"),
      PRISM_HELP ("How often a position that did not come below the threshold is tried again, "
                  "with smaller steps, more of them and another loss."),
  },
  {
      PRISM_PARAM (REAL, learning_rate, "training", ""),
      .applies = "decoder",
      .minimum = 1e-7,
      .maximum = 1,
      .default_value = 2e-3,
      .live = TRUE,
      PRISM_LABEL ("Learning rate"),
      PRISM_HELP ("Size of an Adam step: about how far each weight moves. Too large diverges, "
                  "too small does not arrive."),
  },
  {
      PRISM_PARAM (CHOICE, schedule, "training", ""),
      .applies = "decoder",
      .default_value = PRISM_SCHEDULE_COSINE,
      .choices = schedules,
      PRISM_LABEL ("Schedule"),
      PRISM_HELP ("How the learning rate changes during the run. Small steps at the end average "
                  "out what large ones stir up."),
  },
  {
      PRISM_PARAM (SWITCH, fresh_adam, "training", ""),
      .applies = "decoder",
      PRISM_LABEL ("Fresh optimiser"),
      PRISM_HELP ("Forget the optimiser's running means at each position, as the Python PRISM "
                  "does. It costs quality."),
  },
  {
      PRISM_PARAM (REAL, weight_decay, "training", ""),
      .applies = "decoder",
      .maximum = 1,
      .live = TRUE,
      PRISM_LABEL ("Weight decay"),
      PRISM_HELP ("Each step shrinks each weight by this part of the learning rate (AdamW); 0 is "
                  "plain Adam. Smaller weights make smoother images."),
  },
  {
      PRISM_PARAM (SWITCH, amsgrad, "training", ""),
      .applies = "decoder",
      PRISM_LABEL ("AMSGrad"),
      PRISM_HELP ("Divide by the largest mean square of the gradient so far, so that a weight's "
                  "steps never grow again."),
  },
  {
      PRISM_PARAM (REAL, clip_norm, "training", ""),
      .applies = "decoder",
      .minimum_label = N_ ("None"),
      .maximum = 1e6,
      PRISM_LABEL ("Limit of the gradient"),
      PRISM_HELP ("A gradient that is longer than this is shortened to it, so that one wild step "
                  "does not throw the weights off; 0 is off."),
  },

  {
      PRISM_PARAM (INTEGER, latent, "decoder", ""),
      .applies = "decoder",
      .minimum_label = N_ ("Automatic"),
      .maximum = 4096,
      PRISM_LABEL ("Latent vector"),
      PRISM_HELP ("Numbers that the image is made from, and twice the channels of the first layer; "
                  "0 takes as many as the field has pixels in a row. Three quarters of all "
                  "parameters belong to the first layer."),
  },
  {
      PRISM_PARAM (TEXT, channels, "decoder", ""),
      .applies = "decoder",
      .maximum = 256,
      .default_text = "",
      PRISM_LABEL ("Channels"),
      PRISM_HELP ("Channels of each layer, for example 256 128 64 32 16 8 4 2 1: one number for "
                  "4×4 px, one for each doubling up to the object, one or more for 3×3 layers, the "
                  "last of them 1. Empty: every layer has half of the one before it."),
  },
  {
      PRISM_PARAM (INTEGER, depth, "decoder", ""),
      .applies = "decoder channels=",
      .minimum_label = N_ ("Automatic"),
      .maximum = 16,
      PRISM_LABEL ("Last layers"),
      PRISM_HELP ("3×3 layers at full size that follow the doublings; 0 takes as many as it needs "
                  "to halve the channels down to one. More of them first keep the channels as they "
                  "are; of fewer the last one adds up what is left."),
  },
  {
      PRISM_PARAM (CHOICE, norm, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_NORM_BATCH,
      .choices = norms,
      PRISM_LABEL ("Norm"),
      PRISM_HELP ("What follows every layer but the last, before its ReLU."),
  },
  {
      PRISM_PARAM (CHOICE, output_activation, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_OUTPUT_SIGMOID,
      .choices = output_activations,
      PRISM_LABEL ("Output"),
      PRISM_HELP ("What turns the last layer's sums into amplitudes. The object's lie between 0 "
                  "and 1, and the refinement holds the result there."),
  },
  {
      PRISM_PARAM (CHOICE, edge, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_EDGE_SAME,
      .choices = edges,
      PRISM_LABEL ("Edge"),
      PRISM_HELP ("What the last convolution does at the border. One frame of zeros costs up to "
                  "15 dB, because every measurement sees it."),
  },
  {
      PRISM_PARAM (CHOICE, initialisation, "decoder", ""),
      .applies = "decoder",
      .default_value = PRISM_INITIALISATION_UNIFORM,
      .choices = initialisations,
      PRISM_LABEL ("Start values"),
      PRISM_HELP ("What the weights are drawn from before the first step; the latent vector always "
                  "comes from a normal distribution."),
  },
  {
      PRISM_PARAM (SWITCH, keep_decoder, "decoder", ""),
      .applies = "telescope method=auto|decoder",
      .unfollowed = TRUE,
      PRISM_LABEL ("Keep for output"),
      PRISM_HELP ("When the run ends, fold the norms into the weights and keep the decoder with "
                  "the result, a quarter of the parameters and no moments: decoder.npz among what "
                  "is saved."),
  },

  {
      PRISM_PARAM (CHOICE, backend, "device", ""),
      .default_value = PRISM_BACKEND_AUTO,
      .choices = prism_device_list,
      .unfollowed = TRUE,
      PRISM_LABEL ("Device"),
      PRISM_HELP ("Which device computes."),
  },
  {
      PRISM_PARAM (INTEGER, threads, "device", ""),
      .minimum_label = N_ ("Automatic"),
      .maximum = 256,
      .unfollowed = TRUE,
      PRISM_LABEL ("Threads"),
      PRISM_HELP ("Worker threads on the processor; 0 takes all cores but what the window "
                  "needs. The result does not depend on it."),
  },
  {
      PRISM_PARAM (INTEGER, chunk, "device", ""),
      .applies = "telescope",
      .minimum_label = N_ ("Automatic"),
      .maximum = 64,
      .unfollowed = TRUE,
      PRISM_LABEL ("Steps at once"),
      PRISM_HELP ("The most steps that a device is given at once, as far as the window does not "
                  "have to wait for it; 0 is one on the processor and 64 on a GPU. The result "
                  "does not depend on it."),
  },
  {
      PRISM_PARAM (SWITCH, tuning, "device", ""),
      .applies = "telescope",
      .default_value = TRUE,
      .unfollowed = TRUE,
      PRISM_LABEL ("Tuning"),
      PRISM_HELP ("The first steps of a run find out with how many of the automatic threads a step "
                  "is quickest on this machine; later runs of the same sizes know it. The result "
                  "does not depend on it."),
  },
  {
      PRISM_PARAM (SWITCH, amp, "device", ""),
      .applies = "decoder",
      PRISM_LABEL ("Mixed precision"),
      PRISM_HELP ("Shorter numbers in the products of the decoder's inner layers on a GPU. "
                  "Memory stays what it is. Whether it is faster depends on GPU and size: "
                  "“prism-cli bench --precision bf16 --against amp=off” measures it. It has no "
                  "effect on the processor."),
  },
  {
      PRISM_PARAM (CHOICE, amp_type, "device", ""),
      .applies = "decoder amp=on",
      .default_value = PRISM_AMP_BF16,
      .choices = amp_types,
      PRISM_LABEL ("Kind of mixed precision"),
      PRISM_HELP ("What the decoder's inner layers multiply when mixed precision is on. Weights, "
                  "sums, transforms and the loss keep single precision."),
  },
  {
      PRISM_PARAM (INTEGER, cache_size, "device", "MiB"),
      .applies = "telescope",
      .minimum_label = N_ ("Automatic"),
      .maximum = 1048576,
      .unfollowed = TRUE,
      PRISM_LABEL ("Measurement cache"),
      PRISM_HELP ("Memory for detector images that are needed again; 0 is as large as the "
                  "positions need."),
  },
  {
      PRISM_PARAM (INTEGER, history_size, "device", "MiB"),
      .default_value = 256,
      .maximum = 1048576,
      .unfollowed = TRUE,
      PRISM_LABEL ("Kept moments"),
      PRISM_HELP ("Memory for pictures of the run to walk back to; when it is used up every second "
                  "one is dropped. 0 keeps none."),
  },
  {
      PRISM_PARAM (INTEGER, autosave_samples, "device", ""),
      .minimum_label = N_ ("None"),
      .maximum = 1000000,
      .live = TRUE,
      .unfollowed = TRUE,
      PRISM_LABEL ("Save every so many positions"),
      PRISM_HELP ("Positions, or passes of the refinement, that may be lost when the computer "
                  "fails; for a run that has a file. 0 leaves it to the time."),
  },
  {
      PRISM_PARAM (INTEGER, autosave_seconds, "device", "s"),
      .default_value = 60,
      .minimum_label = N_ ("None"),
      .maximum = 86400,
      .live = TRUE,
      .unfollowed = TRUE,
      PRISM_LABEL ("Save every so many seconds"),
      PRISM_HELP ("How much time may be lost when the computer fails; for a run that has a file. "
                  "0 leaves it to the positions."),
  },
  {
      PRISM_PARAM (INTEGER, seed, "device", ""),
      .applies = "telescope",
      .maximum = 2147483647,
      PRISM_LABEL ("Seed"),
      PRISM_HELP ("Start of all random numbers: weights, noise, replay and patterns. The same "
                  "seed gives the same run."),
  },
  {
      PRISM_PARAM (INTEGER, training_seed, "device", ""),
      .applies = "telescope",
      .minimum = -1,
      .minimum_label = N_ ("Automatic"),
      .maximum = 2147483647,
      .default_value = -1,
      PRISM_LABEL ("Training seed"),
      PRISM_HELP ("Seed of the weights and of replay alone; automatic is the seed above. Runs that "
                  "differ in nothing else see the same object, positions and noise: how much their "
                  "results differ shows how certain they are."),
  },
  { NULL },
};
