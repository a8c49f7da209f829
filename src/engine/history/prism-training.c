#include "config.h"

#include "history/prism-training.h"

#include <glib/gi18n-lib.h>

/**
 * prism_training_get_key:
 * @self: what a run does
 *
 * Returns: what files call it
 */
const char *
prism_training_get_key (PrismTraining self)
{
  static const char *const keys[PRISM_N_TRAININGS] = {
    [PRISM_TRAINING_SET] = "as set",
    [PRISM_TRAINING_WAITS] = "waits",
    [PRISM_TRAINING_SPARED] = "spared",
    [PRISM_TRAINING_NEEDED] = "needed",
    [PRISM_TRAINING_RESCUED] = "rescued",
  };

  return keys[self];
}

/**
 * prism_training_get_text:
 * @self: what a run does
 *
 * Returns: (nullable): what it left out or did not, and why, in one sentence for the user; %NULL
 * where it is as the user wanted
 */
const char *
prism_training_get_text (PrismTraining self)
{
  switch (self)
    {
    case PRISM_TRAINING_WAITS:
      return _ ("The decoder waits for the passes over the measurements.");
    case PRISM_TRAINING_SPARED:
      return _ ("The decoder was not trained: passes alone explain the measurements.");
    case PRISM_TRAINING_NEEDED:
      return _ ("The decoder is trained: nothing explained the measurements without it.");
    case PRISM_TRAINING_RESCUED:
      return _ ("Exit waves behind the frames led to the image: passes alone did not explain the"
                " measurements.");
    case PRISM_TRAINING_SET:
    default:
      return NULL;
    }
}
