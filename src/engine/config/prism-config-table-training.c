#include "config.h"

#include "config/prism-config-table.h"

#include "config/prism-config-choices.h"

#include <glib/gi18n-lib.h>

/* The parameter table's group "training". */
const PrismParam prism_config_training_rows[] = {
  {
      PRISM_PARAM (INTEGER, steps, "training", "steps"),
      .applies = "decoder",
      .minimum = 1,
      .maximum = 100000,
      .default_value = 60,
      .live = TRUE,
      .label = N_ ("Steps per sample"),
      .help = N_ ("Most optimisation steps for one measurement before the next one joins."),
  },
  {
      PRISM_PARAM (INTEGER, start_steps, "training", "steps"),
      .applies = "decoder",
      .maximum = 100000,
      .default_value = 100,
      .label = N_ ("Start steps"),
      .help = N_ ("Steps in which the decoder learns a start image before the samples begin. "
                  "Without them training often ends in a wrong solution."),
  },
  {
      PRISM_PARAM (CHOICE, start_target, "training", ""),
      .applies = "telescope method=auto|decoder",
      .default_value = PRISM_START_PICTURE,
      .choices = prism_config_start_targets,
      .label = N_ ("Start image"),
      .help = N_ ("What the decoder learns in the start steps."),
  },
  {
      PRISM_PARAM (INTEGER, passes, "training", "passes"),
      .minimum = 1,
      .maximum = 10000,
      .default_value = 1,
      .label = N_ ("Passes"),
      .help = N_ ("How often all samples are gone through. The method “epie” wants about 40, "
                  "recorded frames 8."),
  },
  {
      PRISM_PARAM (REAL, threshold, "training", ""),
      .applies = "decoder",
      .minimum_label = N_ ("None"),
      .maximum = 1,
      .live = TRUE,
      .label = N_ ("Loss threshold"),
      .help = N_ ("A sample is left early when both of its losses are below this; 0 takes all "
                  "steps."),
  },
  {
      PRISM_PARAM (SWITCH, convergence, "training", ""),
      .applies = "decoder",
      .label = N_ ("Watch the convergence"),
      .help = N_ ("Leave a sample when it stays below the threshold, try harder when its loss is "
                  "on a plateau, and try failed samples again at the end. Needs a threshold."),
  },
  {
      PRISM_PARAM (INTEGER, patience, "training", "steps"),
      .applies = "decoder convergence=on",
      .minimum = 1,
      .maximum = 1000,
      .default_value = 10,
      .live = TRUE,
      .label = N_ ("Patience"),
      .help = N_ ("Steps in a row that a sample must be below the threshold before it is left."),
  },
  {
      PRISM_PARAM (INTEGER, max_retries, "training", ""),
      .applies = "decoder convergence=on",
      .maximum = 10,
      .default_value = 2,
      .live = TRUE,
      .label = N_ ("Retries"),
      .help = N_ ("How often a sample that did not come below the threshold is tried again, with "
                  "smaller steps, more of them and another loss."),
  },
  {
      PRISM_PARAM (REAL, learning_rate, "training", ""),
      .applies = "decoder",
      .minimum = 1e-7,
      .maximum = 1,
      .default_value = 2e-3,
      .live = TRUE,
      .label = N_ ("Learning rate"),
      .help = N_ ("Size of an Adam step: about how far each weight moves. Too large diverges, "
                  "too small does not arrive."),
  },
  {
      PRISM_PARAM (CHOICE, schedule, "training", ""),
      .applies = "decoder",
      .default_value = PRISM_SCHEDULE_COSINE,
      .choices = prism_config_schedules,
      .label = N_ ("Schedule"),
      .help = N_ ("How the learning rate changes during the run. Small steps at the end average "
                  "out what large ones stir up."),
  },
  {
      PRISM_PARAM (SWITCH, fresh_adam, "training", ""),
      .applies = "decoder",
      .label = N_ ("Fresh optimiser"),
      .help = N_ ("Forget the optimiser's running means at each sample, as the Python PRISM "
                  "does. It costs quality."),
  },
  {
      PRISM_PARAM (REAL, weight_decay, "training", ""),
      .applies = "decoder",
      .maximum = 1,
      .live = TRUE,
      .label = N_ ("Weight decay"),
      .help = N_ ("Each step shrinks each weight by this part of the learning rate (AdamW); 0 is "
                  "plain Adam. Smaller weights make smoother images."),
  },
  {
      PRISM_PARAM (SWITCH, amsgrad, "training", ""),
      .applies = "decoder",
      .label = N_ ("AMSGrad"),
      .help = N_ ("Divide by the largest mean square of the gradient so far, so that a weight's "
                  "steps never grow again."),
  },
  {
      PRISM_PARAM (REAL, clip_norm, "training", ""),
      .applies = "decoder",
      .minimum_label = N_ ("None"),
      .maximum = 1e6,
      .label = N_ ("Limit of the gradient"),
      .help = N_ ("A gradient that is longer than this is shortened to it, so that one wild step "
                  "does not throw the weights off; 0 is off."),
  },
  { NULL },
};
