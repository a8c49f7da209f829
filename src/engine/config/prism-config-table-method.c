#include "config.h"

#include "config/prism-config-table.h"

#include "config/prism-config-choices.h"

#include <glib/gi18n-lib.h>

/* The parameter table's groups "method" and "reconstruction". */
const PrismParam prism_config_method_rows[] = {
  {
      PRISM_PARAM (CHOICE, method, "method", ""),
      .default_value = PRISM_METHOD_AUTO,
      .choices = prism_config_methods,
      .label = N_ ("Method"),
      .help = N_ ("What makes the picture. Where apertures overlap, training a decoder does not "
                  "change the result; where they leave gaps, it decides it."),
  },
  {
      PRISM_PARAM (CHOICE, memory, "reconstruction", ""),
      .applies = "decoder",
      .default_value = PRISM_MEMORY_REPLAY,
      .choices = prism_config_memories,
      .live = TRUE,
      .label = N_ ("Memory"),
      .help = N_ ("How a step remembers earlier measurements. Without memory the decoder "
                  "forgets them while it learns the new one."),
  },
  {
      PRISM_PARAM (INTEGER, replay, "reconstruction", ""),
      .applies = "decoder memory=replay|all",
      .minimum = 1,
      .maximum = 32,
      .default_value = 4,
      .live = TRUE,
      .label = N_ ("Measurements per step"),
      .help = N_ ("Measurements that one step looks at with the memory “replay” or “all”, the "
                  "new one included. More of them steady the step and cost time."),
  },
  {
      PRISM_PARAM (CHOICE, loss, "reconstruction", ""),
      .applies = "decoder",
      .default_value = PRISM_LOSS_L1,
      .choices = prism_config_losses,
      .live = TRUE,
      .label = N_ ("Loss"),
      .help = N_ ("How the difference between prediction and measurement is counted."),
  },
  {
      PRISM_PARAM (REAL, weight_l1, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .default_value = 0.7,
      .live = TRUE,
      .label = N_ ("Weight of L1"),
      .help = N_ ("How much the mean absolute difference counts in the composite loss."),
  },
  {
      PRISM_PARAM (REAL, weight_l2, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .live = TRUE,
      .label = N_ ("Weight of L2"),
      .help = N_ ("How much the mean squared difference counts in the composite loss."),
  },
  {
      PRISM_PARAM (REAL, weight_ssim, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .default_value = 0.3,
      .live = TRUE,
      .label = N_ ("Weight of SSIM"),
      .help = N_ ("How much structural similarity counts in the composite loss."),
  },
  {
      PRISM_PARAM (REAL, weight_ms_ssim, "reconstruction", ""),
      .applies = "decoder loss=composite",
      .maximum = 100,
      .live = TRUE,
      .label = N_ ("Weight of MS-SSIM"),
      .help = N_ ("How much structural similarity at several scales counts in the composite loss."),
  },
  {
      PRISM_PARAM (SWITCH, normalise, "reconstruction", ""),
      .applies = "decoder",
      .default_value = TRUE,
      .live = TRUE,
      .label = N_ ("Normalise the loss"),
      .help = N_ ("Divide each loss by the measurement's own mean, so that faint measurements "
                  "can be learned at all; the energy weight then says how much they count."),
  },
  {
      PRISM_PARAM (REAL, energy_weight, "reconstruction", ""),
      .applies = "decoder",
      .maximum = 2,
      .default_value = 0.35,
      .live = TRUE,
      .label = N_ ("Energy weight"),
      .help = N_ ("Each measurement counts as its energy, relative to the brightest, to this "
                  "power. At 0 the faint outer ones count like the bright ones and ruin the low "
                  "frequencies; at 1 they hardly count."),
  },
  {
      PRISM_PARAM (CHOICE, finish, "reconstruction", ""),
      .applies = "telescope method=auto|decoder",
      .default_value = PRISM_FINISH_REFINE,
      .choices = prism_config_finishes,
      .label = N_ ("Finish"),
      .help = N_ ("How the decoder's image is made to match the measurements when the samples are "
                  "through."),
  },
  {
      PRISM_PARAM (CHOICE, frames, "reconstruction", ""),
      .applies = "telescope",
      .default_value = PRISM_FRAMES_AUTO,
      .choices = prism_config_frame_uses,
      .label = N_ ("Frames"),
      .help = N_ ("How much of a measurement the passes of the live picture and of the refinement "
                  "look at. The light of a small aperture varies slowly, so that few pixels hold "
                  "all of it: small frames give the same picture many times sooner."),
  },
  {
      PRISM_PARAM (INTEGER, consistency, "reconstruction", "passes"),
      .applies = "telescope method=auto|decoder",
      .maximum = 100,
      .default_value = 3,
      .live = TRUE,
      .label = N_ ("Consistency"),
      .help = N_ ("Passes over the measurements so far after each sample, which make the live "
                  "picture explain them all; the decoder's image challenges it now and then, and "
                  "the refinement starts from it, too. 0 shows the decoder's image until the "
                  "samples are through."),
  },
  {
      PRISM_PARAM (REAL, smoothness, "reconstruction", ""),
      .applies = "telescope method=auto|decoder",
      .maximum = 100,
      .default_value = 1,
      .label = N_ ("Smoothness"),
      .help
      = N_ ("Weight of the total variation, which decides what the measurements leave open in the "
            "live picture and the refinement, in multiples of what the noise suggests. More makes "
            "flatter areas with sharp edges; 0 leaves it to the limits 0 and 1."),
  },
  {
      PRISM_PARAM (INTEGER, polish, "reconstruction", "passes"),
      .applies = "telescope method=auto|decoder",
      .maximum = 1000,
      .default_value = 100,
      .live = TRUE,
      .label = N_ ("Refinement"),
      .help = N_ ("Passes over all measurements when the samples are through. After so many it "
                  "is judged whether the picture explains the measurements; then they go on, up "
                  "to four times as many, until it stands still. Every other start, from exit "
                  "waves or from the decoder's image, has as many. 0 keeps the live picture or "
                  "the decoder's image."),
  },
  {
      PRISM_PARAM (SWITCH, until_converged, "reconstruction", ""),
      .applies = "telescope",
      .live = TRUE,
      .label = N_ ("Run to convergence"),
      .help = N_ ("The last passes go on until ten of them move the picture by less than "
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
      .label = N_ ("Converged below"),
      .help = N_ ("A run to convergence ends when ten passes move the picture by less than this "
                  "part of its norm."),
  },
  {
      PRISM_PARAM (REAL, epie_step, "reconstruction", ""),
      .applies = "telescope",
      .minimum = 0.01,
      .maximum = 2,
      .default_value = 1,
      .label = N_ ("ePIE step"),
      .help = N_ ("Fraction of each ePIE correction that is applied. Below 1 it converges more "
                  "slowly and averages noise."),
  },
  {
      PRISM_PARAM (CHOICE, mopie_update, "reconstruction", ""),
      .applies = "telescope line_length!=0 method=auto|decoder|mopie",
      .default_value = PRISM_MOPIE_PARALLEL,
      .choices = prism_config_mopie_updates,
      .label = N_ ("Mo-PIE update"),
      .help = N_ ("How the points of a line correct the image in a pass of Mo-PIE, and of ePIE "
                  "when it ends a run of PRISM."),
  },
  { NULL },
};
