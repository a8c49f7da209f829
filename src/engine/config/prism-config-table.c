#include "config.h"

#include "config/prism-config-table.h"

#include "base/prism-each.h"

#include <pthread.h>

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
};

static PrismParam params[MAX_PARAMS];
static gsize n_params;
static pthread_once_t joined = PTHREAD_ONCE_INIT;

static void
append (const PrismParam *row)
{
  for (; row->key != NULL; row++)
    {
      g_assert (n_params + 1 < MAX_PARAMS);
      params[n_params++] = *row;
    }
}

static void
join_rows (void)
{
  append (prism_config_measurement_rows);
  append (prism_config_method_rows);
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
  const PrismParam *former;

  pthread_once (&joined, join_rows);
  for (gsize i = 0; i < n_params; i++)
    if (strcmp (params[i].key, key) == 0)
      return &params[i];
  former = prism_config_find_former (key);
  return former != NULL && former->choices != NULL ? prism_config_get_param ("method") : NULL;
}

/* Parameters of earlier versions, which files, lessons and command lines go on to name: “algorithm”
 * and “effort” have become “method”; “recompute”, which saved 2 to 4 % of the memory, is gone; what
 * “marks” and “limits” say is read by prism_display_read(). */

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
  { .key = "marks", .type = PRISM_PARAM_TEXT },
  { .key = "limits", .type = PRISM_PARAM_TEXT },
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
  PRISM_FOR_EACH_OF (former, formers)
    if (strcmp (former->key, key) == 0)
      return former;
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
