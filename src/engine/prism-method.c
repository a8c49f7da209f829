#include "config.h"

#include "prism-method.h"

#include "prism-object.h"

#include <glib/gi18n-lib.h>

/* Passes that ePIE alone needs from a blank image. */
#define EPIE_PASSES 40

enum
{
  METHOD_PRISM,
  METHOD_DECODER,
  METHOD_EPIE,
  METHOD_CHAIN,
  METHOD_MOPIE,
};

static const PrismMethod methods[] = {
  [METHOD_PRISM] = { "prism", N_ ("PRISM"),
                     N_ ("The decoder, then the refinement that knows the camera's noise.") },
  [METHOD_DECODER] = { "decoder", N_ ("Decoder only"),
                       N_ ("The trained image as it is, without a finish.") },
  [METHOD_EPIE] = { "epie", N_ ("ePIE only"),
                    N_ ("The iterative engine from a blank image, without a decoder.") },
  [METHOD_CHAIN] = { "chain", N_ ("Decoder and ePIE"),
                     N_ ("The decoder, then passes of ePIE until the noise is reached.") },
  [METHOD_MOPIE] = { "mopie", N_ ("Mo-PIE only"),
                     N_ ("ePIE that knows how the aperture moves during an exposure.") },
};

/**
 * prism_method_get_all:
 * @n_methods: (out): their number
 *
 * The methods, the recommended one first.
 *
 * Thread: any.
 *
 * Returns: (transfer none) (array length=n_methods): the methods
 */
const PrismMethod *
prism_method_get_all (gsize *n_methods)
{
  *n_methods = G_N_ELEMENTS (methods);
  return methods;
}

/**
 * prism_method_find:
 * @config: a configuration
 *
 * Thread: any.
 *
 * Returns: (transfer none): the method that the configuration asks for
 */
const PrismMethod *
prism_method_find (const PrismConfig *config)
{
  if (config->algorithm == PRISM_ALGORITHM_EPIE)
    return &methods[METHOD_EPIE];
  if (config->algorithm == PRISM_ALGORITHM_MOPIE)
    return &methods[METHOD_MOPIE];
  if (config->polish == 0)
    return &methods[METHOD_DECODER];
  return &methods[config->finish == PRISM_FINISH_EPIE ? METHOD_CHAIN : METHOD_PRISM];
}

/**
 * prism_method_dup_name:
 * @config: a configuration
 *
 * What to call a run that nobody has named: "Moon, PRISM".
 *
 * Thread: any.
 *
 * Returns: (transfer full): the object's name and the method's label, translated, valid UTF-8
 */
char *
prism_method_dup_name (const PrismConfig *config)
{
  g_autofree char *object = prism_object_dup_label (config->object);

  return g_strdup_printf ("%s, %s", object, _ (prism_method_find (config)->label));
}

/**
 * prism_method_is_distinct:
 * @self: one of prism_method_get_all()
 * @config: what it would be applied to
 *
 * Finds out whether the method differs from all others there: Mo-PIE is ePIE while the aperture
 * stands still.
 *
 * Thread: any.
 *
 * Returns: whether comparing it can show anything
 */
gboolean
prism_method_is_distinct (const PrismMethod *self,
                          const PrismConfig *config)
{
  return self != &methods[METHOD_MOPIE] || config->line_length > 0;
}

static int
get_default_polish (void)
{
  return (int) prism_config_get_param ("polish")->default_value;
}

/**
 * prism_method_apply:
 * @self: one of prism_method_get_all()
 * @config: any configuration
 *
 * Makes a configuration of this method that differs from the given one in nothing else: object,
 * measurements, seed and steps stay. Where the given one has no finish, or too few passes for ePIE
 * alone, they get their usual number.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the configuration
 */
PrismConfig *
prism_method_apply (const PrismMethod *self,
                    const PrismConfig *config)
{
  PrismConfig *applied = prism_config_dup (config);
  gboolean was_epie = config->algorithm != PRISM_ALGORITHM_PRISM;
  gboolean is_epie = self == &methods[METHOD_EPIE] || self == &methods[METHOD_MOPIE];

  applied->algorithm = self == &methods[METHOD_EPIE]    ? PRISM_ALGORITHM_EPIE
                       : self == &methods[METHOD_MOPIE] ? PRISM_ALGORITHM_MOPIE
                                                        : PRISM_ALGORITHM_PRISM;
  if (is_epie && !was_epie)
    applied->passes = MAX (config->passes, EPIE_PASSES);
  /* Passes of ePIE are short; as many of the decoder would take hours. */
  if (!is_epie && was_epie)
    applied->passes = (int) prism_config_get_param ("passes")->default_value;
  if (self == &methods[METHOD_DECODER])
    applied->polish = 0;
  else if (!is_epie && config->polish == 0)
    applied->polish = get_default_polish ();
  if (self == &methods[METHOD_PRISM])
    applied->finish = PRISM_FINISH_REFINE;
  else if (self == &methods[METHOD_CHAIN])
    applied->finish = PRISM_FINISH_EPIE;
  return applied;
}
