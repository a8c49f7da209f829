/* Parameters of earlier versions, which files, lessons and command lines go on to name: “algorithm”
 * and “effort” have become “method”, and “recompute”, which saved 2 to 4 % of the memory, is gone.
 * Thread: any. */
#include "config.h"

#include "config/prism-config.h"

#include <string.h>

enum
{
  ALGORITHM_PRISM,
  ALGORITHM_EPIE,
  ALGORITHM_MOPIE
};
enum
{
  EFFORT_AUTO,
  EFFORT_FULL
};

static const PrismChoice algorithms[] = { { "prism" }, { "epie" }, { "mopie" }, { NULL } };
static const PrismChoice efforts[] = { { "auto" }, { "full" }, { NULL } };
static const PrismChoice switches[] = { { "off" }, { "on" }, { NULL } };

static const PrismParam formers[] = {
  { .key = "algorithm", .type = PRISM_PARAM_CHOICE, .choices = algorithms },
  { .key = "effort", .type = PRISM_PARAM_CHOICE, .choices = efforts },
  { .key = "recompute", .type = PRISM_PARAM_CHOICE, .choices = switches },
};

/**
 * prism_config_find_former:
 * @key: a key
 *
 * Returns: (transfer none) (nullable): what the key was in earlier versions, with its choices
 */
const PrismParam *
prism_config_find_former (const char *key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formers); i++)
    if (strcmp (formers[i].key, key) == 0)
      return &formers[i];
  return NULL;
}

/**
 * prism_config_set_former:
 * @self: a configuration
 * @former: of prism_config_find_former()
 * @value: one of its choices
 *
 * Sets the method that has this meaning; “recompute” has none any more. “algorithm” said what makes
 * the picture, and “effort” whether its decoder is trained in any case. ePIE has no effort: one
 * that it was told is kept for an “algorithm” that follows, so that the order of the two does not
 * matter.
 */
void
prism_config_set_former (PrismConfig *self,
                         const PrismParam *former,
                         int value)
{
  const gboolean had_decoder
      = self->method == PRISM_METHOD_AUTO || self->method == PRISM_METHOD_DECODER;
  const gboolean is_algorithm = former->choices == algorithms;

  if (former->choices == switches)
    return;
  if (!is_algorithm)
    self->former_full = value == EFFORT_FULL;
  else if (had_decoder)
    self->former_full = self->method == PRISM_METHOD_DECODER;

  if (is_algorithm && value != ALGORITHM_PRISM)
    self->method = value == ALGORITHM_EPIE ? PRISM_METHOD_EPIE : PRISM_METHOD_MOPIE;
  else if (is_algorithm || had_decoder)
    self->method = self->former_full ? PRISM_METHOD_DECODER : PRISM_METHOD_AUTO;
}
