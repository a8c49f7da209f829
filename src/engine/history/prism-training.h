/* prism-training: what a run with the method “auto” does about its decoder. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_TRAINING_SET,                   /* as the configuration says */
  PRISM_TRAINING_WAITS,                 /* for what the passes alone come to */
  PRISM_TRAINING_SPARED,                /* they explain the measurements */
  PRISM_TRAINING_NEEDED,                /* they did not, nor the exit waves */
  PRISM_TRAINING_RESCUED,               /* they did not, but the exit waves did */
  PRISM_N_TRAININGS,
} PrismTraining;

const char *prism_training_get_key  (PrismTraining self);
const char *prism_training_get_text (PrismTraining self);

G_END_DECLS
