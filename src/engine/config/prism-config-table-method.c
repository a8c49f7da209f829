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
/* clang-format off */
const PrismParam prism_config_method_rows[] = {
  PRISM_CHOICE (memory, "reconstruction", "decoder", memories, PRISM_MEMORY_REPLAY, "Memory",
                N_ ("How a step remembers earlier measurements. Without memory the decoder "
                    "forgets them while it learns the new one."),
                .live = TRUE),
  PRISM_NUMBER (INTEGER, replay, "reconstruction", "", "decoder memory=replay|all", 1, 32, 4,
                "Measurements per step",
                N_ ("Measurements that one step looks at with the memory “replay” or “all”, the "
                    "new one included. More of them steady the step and cost time."),
                .live = TRUE),
  PRISM_CHOICE (loss, "reconstruction", "decoder", losses, PRISM_LOSS_L1, "Loss",
                N_ ("How the difference between prediction and measurement is counted."),
                .live = TRUE),
  PRISM_NUMBER (REAL, weight_l1, "reconstruction", "", "decoder loss=composite", 0, 100, 0.7,
                "Weight of L1",
                N_ ("How much the mean absolute difference counts in the composite loss."),
                .live = TRUE),
  PRISM_NUMBER (REAL, weight_l2, "reconstruction", "", "decoder loss=composite", 0, 100, 0,
                "Weight of L2",
                N_ ("How much the mean squared difference counts in the composite loss."),
                .live = TRUE),
  PRISM_NUMBER (REAL, weight_ssim, "reconstruction", "", "decoder loss=composite", 0, 100, 0.3,
                "Weight of SSIM",
                N_ ("How much structural similarity counts in the composite loss."),
                .live = TRUE),
  PRISM_NUMBER (REAL, weight_ms_ssim, "reconstruction", "", "decoder loss=composite", 0, 100, 0,
                "Weight of MS-SSIM",
                N_ ("How much structural similarity at several scales counts in the composite "
                    "loss."),
                .live = TRUE),
  PRISM_SWITCH (normalise, "reconstruction", "decoder", TRUE, "Normalise the loss",
                N_ ("Divide each loss by the measurement's own mean, so that faint measurements "
                    "can be learned at all; the energy weight then says how much they count."),
                .live = TRUE),
  PRISM_NUMBER (REAL, energy_weight, "reconstruction", "", "decoder", 0, 2, 0.35, "Energy weight",
                N_ ("Each measurement counts as its energy, relative to the brightest, to this "
                    "power. At 0 the faint outer ones count like the bright ones and ruin the "
                    "low frequencies; at 1 they hardly count."),
                .live = TRUE),
  PRISM_CHOICE (finish, "reconstruction", "telescope method=auto|decoder", finishes,
                PRISM_FINISH_REFINE, "Kind of refinement",
                N_ ("How the decoder's image is made to match the measurements when the "
                    "positions are through.")),
  PRISM_CHOICE (frames, "reconstruction", "telescope", frame_uses, PRISM_FRAMES_AUTO, "Frames",
                N_ ("How much of a measurement the passes of the live picture and of the "
                    "refinement look at. The light of a small aperture varies slowly, so that "
                    "few pixels hold all of it: small frames give the same picture many times "
                    "sooner.")),
  PRISM_NUMBER (INTEGER, consistency, "reconstruction", N_ ("passes"),
                "telescope method=auto|decoder", 0, 100, 3, "Live passes",
                N_ ("Passes over the measurements so far after each position, which make the "
                    "live picture explain them all. The decoder's image is a candidate now and "
                    "then, and the refinement starts from it, too. 0 shows the decoder's image "
                    "until the positions are through."),
                .live = TRUE),
  PRISM_NUMBER (REAL, smoothness, "reconstruction", "", "telescope method=auto|decoder", 0, 100, 1,
                "Smoothness",
                N_ ("Weight of the total variation, which decides what the measurements leave "
                    "open in the live picture and the refinement, in multiples of what the noise "
                    "suggests. More makes flatter areas with sharp edges; 0 leaves it to the "
                    "limits 0 and 1.")),
  PRISM_NUMBER (INTEGER, polish, "reconstruction", N_ ("passes"), "telescope method=auto|decoder",
                0, 1000, 100, "Refinement",
                N_ ("Passes over all measurements when the positions are through. After so many "
                    "the verdict is computed; then they go on, up to four times as many, until "
                    "the picture has converged. Every other start, from exit waves or from the "
                    "decoder's image, has as many. 0 keeps the live picture or the decoder's "
                    "image."),
                .live = TRUE),
  PRISM_SWITCH (until_converged, "reconstruction", "telescope", FALSE, "Run to convergence",
                N_ ("The last passes go on until ten of them move the picture by less than "
                    "“converged_below”, and by less than the ten before; at most 2000 of them. "
                    "Nothing but the picture and the measurements decides it."),
                .live = TRUE),
  PRISM_NUMBER (REAL, converged_below, "reconstruction", "%", "telescope", 0.0001, 10, 0.002,
                "Converged below",
                N_ ("A run to convergence ends when ten passes move the picture by less than "
                    "this part of its norm."),
                .live = TRUE),
  PRISM_NUMBER (REAL, epie_step, "reconstruction", "", "telescope", 0.01, 2, 1, "ePIE step",
                N_ ("Fraction of each ePIE correction that is applied. Below 1 it converges more "
                    "slowly and averages noise.")),
  PRISM_CHOICE (mopie_update, "reconstruction",
                "telescope line_length!=0 method=auto|decoder|mopie", mopie_updates,
                PRISM_MOPIE_PARALLEL, "Mo-PIE update",
                N_ ("How the points of a line correct the image in a pass of Mo-PIE, and of ePIE "
                    "when it ends a run of PRISM.")),
  PRISM_NUMBER (INTEGER, steps, "training", "", "decoder", 1, 100000, 60, "Steps per position",
                N_ ("Most optimisation steps for one measurement before the next one joins."),
                .live = TRUE),
  PRISM_NUMBER (INTEGER, start_steps, "training", "", "decoder", 0, 100000, 100, "Start steps",
                N_ ("Steps in which the decoder learns a start image before the positions begin. "
                    "Without them training often ends in a wrong solution.")),
  PRISM_CHOICE (start_target, "training", "telescope method=auto|decoder", start_targets,
                PRISM_START_PICTURE, "Start image",
                N_ ("What the decoder learns in the start steps.")),
  PRISM_NUMBER (INTEGER, passes, "training", "", NULL, 1, 10000, 1, "Passes",
                N_ ("How often all positions are gone through. The method “epie” wants about 40, "
                    "recorded frames 8.")),
  PRISM_NUMBER (REAL, threshold, "training", "", "decoder", 0, 1, 0, "Loss threshold",
                N_ ("A position is left early when both of its losses are below this; 0 takes "
                    "all steps."),
                .minimum_label = N_ ("None"), .live = TRUE),
  PRISM_SWITCH (convergence, "training", "decoder", FALSE, "Watch the convergence",
                N_ ("Leave a position when it stays below the threshold, try harder when its "
                    "loss is on a plateau, and try failed positions again at the end. Needs a "
                    "threshold.")),
  PRISM_NUMBER (INTEGER, patience, "training", N_ ("steps"), "decoder convergence=on", 1, 1000, 10,
                "Patience",
                N_ ("Steps in a row that a position must be below the threshold before it is "
                    "left."),
                .live = TRUE),
  PRISM_NUMBER (INTEGER, max_retries, "training", "", "decoder convergence=on", 0, 10, 2, "Retries",
                N_ ("How often a position that did not come below the threshold is tried again, "
                    "with smaller steps, more of them and another loss."),
                .live = TRUE),
  PRISM_NUMBER (REAL, learning_rate, "training", "", "decoder", 1e-7, 1, 2e-3, "Learning rate",
                N_ ("Size of an Adam step: about how far each weight moves. Too large diverges, "
                    "too small does not arrive."),
                .live = TRUE),
  PRISM_CHOICE (schedule, "training", "decoder", schedules, PRISM_SCHEDULE_COSINE, "Schedule",
                N_ ("How the learning rate changes during the run. Small steps at the end "
                    "average out what large ones stir up.")),
  PRISM_SWITCH (fresh_adam, "training", "decoder", FALSE, "Fresh optimiser",
                N_ ("Forget the optimiser's running means at each position, as the Python PRISM "
                    "does. It costs quality.")),
  PRISM_NUMBER (REAL, weight_decay, "training", "", "decoder", 0, 1, 0, "Weight decay",
                N_ ("Each step shrinks each weight by this part of the learning rate (AdamW); 0 "
                    "is plain Adam. Smaller weights make smoother images."),
                .live = TRUE),
  PRISM_SWITCH (amsgrad, "training", "decoder", FALSE, "AMSGrad",
                N_ ("Divide by the largest mean square of the gradient so far, so that a "
                    "weight's steps never grow again.")),
  PRISM_NUMBER (REAL, clip_norm, "training", "", "decoder", 0, 1e6, 0, "Limit of the gradient",
                N_ ("A gradient that is longer than this is shortened to it, so that one wild "
                    "step does not throw the weights off; 0 is off."),
                .minimum_label = N_ ("None")),
  PRISM_NUMBER (INTEGER, latent, "decoder", "", "decoder", 0, 4096, 0, "Latent vector",
                N_ ("Numbers that the image is made from, and twice the channels of the first "
                    "layer; 0 takes as many as the field has pixels in a row. Three quarters of "
                    "all parameters belong to the first layer."),
                .minimum_label = N_ ("Automatic")),
  PRISM_TEXT (channels, "decoder", "decoder", 256, "", "Channels",
              N_ ("Channels of each layer, for example 256 128 64 32 16 8 4 2 1: one number for "
                  "4×4 px, one for each doubling up to the object, one or more for 3×3 layers, "
                  "the last of them 1. Empty: every layer has half of the one before it.")),
  PRISM_NUMBER (INTEGER, depth, "decoder", "", "decoder channels=", 0, 16, 0, "Last layers",
                N_ ("3×3 layers at full size that follow the doublings; 0 takes as many as it "
                    "needs to halve the channels down to one. More of them first keep the "
                    "channels as they are; of fewer the last one adds up what is left."),
                .minimum_label = N_ ("Automatic")),
  PRISM_CHOICE (norm, "decoder", "decoder", norms, PRISM_NORM_BATCH, "Norm",
                N_ ("What follows every layer but the last, before its ReLU.")),
  PRISM_CHOICE (output_activation, "decoder", "decoder", output_activations, PRISM_OUTPUT_SIGMOID,
                "Output",
                N_ ("What turns the last layer's sums into amplitudes. The object's lie between "
                    "0 and 1, and the refinement holds the result there.")),
  PRISM_CHOICE (edge, "decoder", "decoder", edges, PRISM_EDGE_SAME, "Edge",
                N_ ("What the last convolution does at the border. One frame of zeros costs up "
                    "to 15 dB, because every measurement sees it.")),
  PRISM_CHOICE (initialisation, "decoder", "decoder", initialisations, PRISM_INITIALISATION_UNIFORM,
                "Start values",
                N_ ("What the weights are drawn from before the first step; the latent vector "
                    "always comes from a normal distribution.")),
  PRISM_SWITCH (keep_decoder, "decoder", "telescope method=auto|decoder", FALSE, "Keep for output",
                N_ ("When the run ends, fold the norms into the weights and keep the decoder "
                    "with the result, a quarter of the parameters and no moments: decoder.npz "
                    "among what is saved."),
                .unfollowed = TRUE),
  PRISM_CHOICE (backend, "device", NULL, prism_device_list, PRISM_BACKEND_AUTO, "Device",
                N_ ("Which device computes."),
                .unfollowed = TRUE),
  PRISM_NUMBER (INTEGER, threads, "device", "", NULL, 0, 256, 0, "Threads",
                N_ ("Worker threads on the processor; 0 takes all cores but what the window "
                    "needs. The result does not depend on it."),
                .minimum_label = N_ ("Automatic"), .unfollowed = TRUE),
  PRISM_NUMBER (INTEGER, chunk, "device", "", "telescope", 0, 64, 0, "Steps at once",
                N_ ("The most steps that a device is given at once, as far as the window does "
                    "not have to wait for it; 0 is one on the processor and 64 on a GPU. The "
                    "result does not depend on it."),
                .minimum_label = N_ ("Automatic"), .unfollowed = TRUE),
  PRISM_SWITCH (tuning, "device", "telescope", TRUE, "Tuning",
                N_ ("The first steps of a run find out with how many of the automatic threads a "
                    "step is quickest on this machine; later runs of the same sizes know it. The "
                    "result does not depend on it."),
                .unfollowed = TRUE),
  PRISM_SWITCH (amp, "device", "decoder", FALSE, "Mixed precision",
                N_ ("Shorter numbers in the products of the decoder's inner layers on a GPU. "
                    "Memory stays what it is. Whether it is faster depends on GPU and size: "
                    "“prism-cli bench --precision bf16 --against amp=off” measures it. It has no "
                    "effect on the processor.")),
  PRISM_CHOICE (amp_type, "device", "decoder amp=on", amp_types, PRISM_AMP_BF16,
                "Kind of mixed precision",
                N_ ("What the decoder's inner layers multiply when mixed precision is on. "
                    "Weights, sums, transforms and the loss keep single precision.")),
  PRISM_NUMBER (INTEGER, cache_size, "device", "MiB", "telescope", 0, 1048576, 0,
                "Measurement cache",
                N_ ("Memory for detector images that are needed again; 0 is as large as the "
                    "positions need."),
                .minimum_label = N_ ("Automatic"), .unfollowed = TRUE),
  PRISM_NUMBER (INTEGER, history_size, "device", "MiB", NULL, 0, 1048576, 256, "Kept moments",
                N_ ("Memory for pictures of the run to walk back to; when it is used up every "
                    "second one is dropped. 0 keeps none."),
                .unfollowed = TRUE),
  PRISM_NUMBER (INTEGER, autosave_samples, "device", "", NULL, 0, 1000000, 0,
                "Save every so many positions",
                N_ ("Positions, or passes of the refinement, that may be lost when the computer "
                    "fails; for a run that has a file. 0 leaves it to the time."),
                .minimum_label = N_ ("None"), .live = TRUE, .unfollowed = TRUE),
  PRISM_NUMBER (INTEGER, autosave_seconds, "device", "s", NULL, 0, 86400, 60,
                "Save every so many seconds",
                N_ ("How much time may be lost when the computer fails; for a run that has a "
                    "file. 0 leaves it to the positions."),
                .minimum_label = N_ ("None"), .live = TRUE, .unfollowed = TRUE),
  PRISM_NUMBER (INTEGER, seed, "device", "", "telescope", 0, 2147483647, 0, "Seed",
                N_ ("Start of all random numbers: weights, noise, replay and patterns. The same "
                    "seed gives the same run.")),
  PRISM_NUMBER (INTEGER, training_seed, "device", "", "telescope", -1, 2147483647, -1,
                "Training seed",
                N_ ("Seed of the weights and of replay alone; automatic is the seed above. Runs "
                    "that differ in nothing else see the same object, positions and noise: how "
                    "much their results differ shows how certain they are."),
                .minimum_label = N_ ("Automatic")),
  { NULL },
};
/* clang-format on */
