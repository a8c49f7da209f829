#include "config.h"

#include "results/prism-result.h"

#include "base/prism-each.h"
#include "config/prism-builtin.h"
#include "num/prism-phase.h"

/* None where there is no memory for it. */
static PrismImage *
make_phase (const PrismSnapshot *snapshot)
{
  const PrismImage *amplitude = snapshot->reconstruction, *phase = snapshot->phase_image;
  g_autoptr (PrismImage) levelled = NULL;

  if (amplitude == NULL || phase == NULL)
    return NULL;
  levelled = prism_image_new (phase->height, phase->width, NULL);
  if (levelled == NULL
      || !prism_phase_level (amplitude->pixels, phase->pixels, levelled->pixels, phase->height,
                             phase->width, NULL))
    return NULL;
  return g_steal_pointer (&levelled);
}

/**
 * prism_result_new:
 * @name: what the user calls it
 * @snapshot: a snapshot with a configuration
 *
 * Computes what a snapshot does not have: the finest element of the resolution target, the
 * frequency up to which the picture agrees with the object, and the phase without its ramp.
 *
 * Returns: (transfer full): the result
 */
PrismResult *
prism_result_new (const char *name,
                  PrismSnapshot *snapshot)
{
  PrismResult *self;
  g_autoptr (PrismFrc) frc = NULL;

  g_return_val_if_fail (name != NULL && snapshot->config != NULL, NULL);

  self = g_new0 (PrismResult, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->name = g_strdup (name);
  self->snapshot = prism_snapshot_ref (snapshot);
  self->has_resolution = prism_resolution_compute_snapshot (&self->resolution, snapshot);
  /* Where the images are missing, or memory for their spectra is, there is none. */
  frc = prism_frc_new_snapshot (snapshot, NULL);
  self->agreement = frc != NULL ? prism_frc_get_reach (frc) : NAN;
  self->likeness = NAN;
  self->phase = make_phase (snapshot);
  return self;
}

static PrismResult *
copy (const PrismResult *other)
{
  PrismResult *self = g_memdup2 (other, sizeof *other);

  g_atomic_ref_count_init (&self->ref_count);
  self->name = g_strdup (other->name);
  self->snapshot = prism_snapshot_ref (other->snapshot);
  if (self->phase != NULL)
    prism_image_ref (self->phase);
  return self;
}

/**
 * prism_result_new_beside:
 * @other: a result with a complex object
 * @first: another one
 *
 * Says how alike the two objects are.
 *
 * Returns: (transfer full): the same result, with likeness
 */
PrismResult *
prism_result_new_beside (const PrismResult *other,
                         const PrismResult *first)
{
  const PrismImage *a = first->phase, *b = other->phase;
  const float *const amplitudes[2] = { first->snapshot->reconstruction->pixels,
                                       other->snapshot->reconstruction->pixels };
  const float *const phases[2] = { a->pixels, b->pixels };
  PrismResult *self = copy (other);

  self->has_other_size = a->height != b->height || a->width != b->width;
  if (!self->has_other_size)
    self->likeness = prism_phase_correlate (amplitudes, phases, a->height, a->width, NULL);
  return self;
}

/**
 * prism_result_new_named:
 * @other: a result
 * @name: what the user calls it
 *
 * Returns: (transfer full): the same result under another name
 */
PrismResult *
prism_result_new_named (const PrismResult *other,
                        const char *name)
{
  PrismResult *self = copy (other);

  g_free (self->name);
  self->name = g_strdup (name);
  return self;
}

/**
 * prism_result_new_parts:
 * @name: what the user calls it
 * @snapshot: a snapshot with a configuration
 * @parts: what of it will be looked at
 *
 * As prism_result_new(), but does not hold what nobody will look at.
 *
 * Returns: (transfer full): the result
 */
PrismResult *
prism_result_new_parts (const char *name,
                        PrismSnapshot *snapshot,
                        PrismSnapshotParts parts)
{
  PrismResult *self = prism_result_new (name, snapshot);

  prism_snapshot_unref (self->snapshot);
  self->snapshot = prism_snapshot_dup_parts (snapshot, parts);
  if ((parts & PRISM_SNAPSHOT_IMAGES) == 0)
    g_clear_pointer (&self->phase, prism_image_unref);
  return self;
}

/**
 * prism_result_has_setting:
 * @param: a parameter
 *
 * Returns: whether it has an effect on the run, that of training only where there was some; of
 *   recorded frames their file is the object
 */
gboolean
prism_result_has_setting (const PrismResult *self,
                          const PrismParam *param)
{
  return strcmp (param->key, "object") == 0
         || (prism_config_applies (self->snapshot->config, param)
             && !(prism_snapshot_is_untrained (self->snapshot)
                  && (strcmp (param->group, "training") == 0
                      || prism_param_is_of_decoder (param))));
}

PRISM_CLEAR (PrismResult,
             result_clear,
             g_free,
             name,
             prism_snapshot_unref,
             snapshot,
             prism_image_unref,
             phase)

PRISM_DEFINE_REFERENCES (PrismResult, prism_result, result_clear)

static guint64
get_image_bytes (const PrismImage *image)
{
  return image != NULL ? (guint64) image->height * image->width * sizeof *image->pixels : 0;
}

static guint64
get_history_bytes (const PrismSnapshot *snapshot)
{
  guint64 n_moved = snapshot->history != NULL ? prism_history_get_n_moved (snapshot->history) : 0;

  if (snapshot->history == NULL || snapshot->n_rows <= n_moved)
    return 0;
  return (snapshot->n_rows - n_moved) * sizeof (PrismHistoryRow);
}

/**
 * prism_result_get_bytes:
 *
 * What keeping it costs, for a budget: its images, the moments that can be walked back to, and what
 * its history has in memory, also where other results share them.
 *
 * Units: bytes.
 *
 * Returns: the amount
 */
guint64
prism_result_get_bytes (const PrismResult *self)
{
  const PrismSnapshot *snapshot = self->snapshot;

  return (snapshot->frames != NULL ? snapshot->frames->bytes : 0) + get_history_bytes (snapshot)
         + get_image_bytes (snapshot->target) + get_image_bytes (snapshot->reconstruction)
         + get_image_bytes (snapshot->second) + get_image_bytes (snapshot->measurement)
         + get_image_bytes (snapshot->coverage_plane)
         + get_image_bytes (snapshot->spectrum) + get_image_bytes (snapshot->exposure)
         + get_image_bytes (snapshot->phase_image)
         + get_image_bytes (self->phase);
}

/* Passes that ePIE alone needs from a blank image. */
#define EPIE_PASSES 40

enum
{
  METHOD_PRISM,
  METHOD_DECODER,
  METHOD_EPIE,
  METHOD_CHAIN,
  METHOD_MOPIE,
  N_COMPARED,
  METHOD_TRAINED = N_COMPARED,
  METHOD_LIVE,
  METHOD_LIVE_EPIE,
  METHOD_REFINED,
  METHOD_SEQUENTIAL,
  METHOD_DESCENT,
  METHOD_COMPLEX,
};

/* Those that are worth comparing, and then what else a configuration can ask for. */
static const PrismApproach methods[] = {
  [METHOD_PRISM] = { "prism", N_ ("PRISM"),
                     N_ ("The decoder, beside it the live picture that is held to the measurements,"
                         " then the refinement that knows the camera's noise.") },
  [METHOD_DECODER] = { "decoder", N_ ("Decoder only"),
                       N_ ("The trained image as it is: no live picture and no refinement.") },
  [METHOD_EPIE] = { "epie", N_ ("ePIE only"),
                    N_ ("The iterative engine from a blank image, without a decoder.") },
  [METHOD_CHAIN] = { "chain", N_ ("Decoder and ePIE"),
                     N_ ("The decoder without a live picture, then passes of ePIE from its image"
                         " and, where they do not reach the noise, from a blank one.") },
  [METHOD_MOPIE] = { "mopie", N_ ("Mo-PIE only"),
                     N_ ("ePIE that knows how the aperture moves during an exposure.") },
  [METHOD_TRAINED] = { "trained", N_ ("PRISM decoder"),
                       N_ ("The same with the decoder trained wherever passes would do, too.") },
  [METHOD_LIVE] = { "live", N_ ("Decoder and live picture"),
                    N_ ("The decoder and the live picture beside it, without a refinement.") },
  [METHOD_LIVE_EPIE] = { "live-epie", N_ ("Live picture and ePIE"),
                         N_ ("The decoder and the live picture beside it, then passes of ePIE.") },
  [METHOD_REFINED] = { "refined", N_ ("Decoder and refinement"),
                       N_ ("The decoder without a live picture, then the refinement.") },
  [METHOD_SEQUENTIAL] = { "sequential", N_ ("Frame after frame"),
                          N_ ("Recorded frames one after the other, with ever smaller steps.") },
  [METHOD_DESCENT] = { "descent", N_ ("All frames together"),
                       N_ ("All recorded frames together, accelerated.") },
  [METHOD_COMPLEX] = { "complex", N_ ("Complex decoder"),
                       N_ ("Recorded frames one after the other, then a decoder of amplitude and"
                           " phase that is trained on all of them.") },
};

/**
 * prism_approach_get_all:
 * @n_methods: (out): their number
 *
 * Returns: (transfer none) (array length=n_methods): those worth comparing, the recommended first
 */
const PrismApproach *
prism_approach_get_all (gsize *n_methods)
{
  *n_methods = N_COMPARED;
  return methods;
}

/**
 * prism_approach_find:
 * @config: a configuration
 *
 * Finds out what the configuration asks for, by all that decides it: the method, the live
 * picture and the finish. It may be none of prism_approach_get_all().
 *
 * Returns: (transfer none): the method
 */
const PrismApproach *
prism_approach_find (const PrismConfig *config)
{
  if (config->method == PRISM_METHOD_EPIE)
    return &methods[METHOD_EPIE];
  if (config->method == PRISM_METHOD_MOPIE)
    return &methods[METHOD_MOPIE];
  if (config->method == PRISM_METHOD_SEQUENTIAL)
    return &methods[METHOD_SEQUENTIAL];
  if (config->method == PRISM_METHOD_DESCENT)
    return &methods[METHOD_DESCENT];
  if (config->method == PRISM_METHOD_COMPLEX)
    return &methods[METHOD_COMPLEX];
  if (config->polish == 0)
    return &methods[config->consistency > 0 ? METHOD_LIVE : METHOD_DECODER];
  if (config->finish == PRISM_FINISH_EPIE)
    return &methods[config->consistency > 0 ? METHOD_LIVE_EPIE : METHOD_CHAIN];
  if (config->consistency == 0)
    return &methods[METHOD_REFINED];
  return &methods[config->method == PRISM_METHOD_DECODER ? METHOD_TRAINED : METHOD_PRISM];
}

/**
 * prism_approach_dup_name:
 * @config: a configuration
 *
 * What to call a run that nobody has named: "Moon, PRISM".
 *
 * Returns: (transfer full): the object's name and the method's label, translated, valid UTF-8
 */
char *
prism_approach_dup_name (const PrismConfig *config)
{
  g_autofree char *object = prism_builtin_dup_label (config->object);

  return g_strdup_printf ("%s, %s", object, _ (prism_approach_find (config)->label));
}

/**
 * prism_approach_is_distinct:
 * @self: one of prism_approach_get_all()
 * @config: what it would be applied to
 *
 * Finds out whether the method differs from all others there: Mo-PIE is ePIE while the aperture
 * stands still.
 *
 * Returns: whether comparing it can show anything
 */
gboolean
prism_approach_is_distinct (const PrismApproach *self,
                            const PrismConfig *config)
{
  return self != &methods[METHOD_MOPIE] || config->line_length > 0;
}

static int
get_default (const char *key)
{
  return (int) prism_config_get_param (key)->default_value;
}

/**
 * prism_approach_follow_method:
 * @config: a configuration whose method was changed
 * @before: what it was
 *
 * Where the one trains a decoder and the other does not, changes the passes, too: as few of ePIE as
 * a decoder needs show nothing, and as many of a decoder as ePIE needs take hours.
 */
void
prism_approach_follow_method (PrismConfig *config,
                              const PrismConfig *before)
{
  if (config->kind == PRISM_FRAMES_RECORDED
      || prism_config_trains (config) == prism_config_trains (before))
    return;
  config->passes = prism_config_trains (config) ? get_default ("passes")
                                                : MAX (config->passes, EPIE_PASSES);
}

/* What a method does without is 0 in its configuration, and makes no other method do without. */
static void
apply_decoder (PrismConfig *applied,
               gboolean shows_live,
               gboolean finishes,
               PrismFinish finish)
{
  if (!prism_config_trains (applied))
    applied->method = PRISM_METHOD_AUTO;
  if (!shows_live)
    applied->consistency = 0;
  else if (applied->consistency == 0)
    applied->consistency = get_default ("consistency");
  if (!finishes)
    applied->polish = 0;
  else if (applied->polish == 0)
    applied->polish = get_default ("polish");
  if (finishes)
    applied->finish = finish;
}

/**
 * prism_approach_apply:
 * @self: one of prism_approach_get_all()
 * @config: any configuration
 *
 * Makes a configuration of this method that differs from the given one in nothing else: object,
 * measurements, seed and steps stay. Where the given one lacks the live picture or the finish that
 * the method has, or has too few passes for ePIE alone, they get their usual number.
 *
 * Returns: (transfer full): the configuration
 */
PrismConfig *
prism_approach_apply (const PrismApproach *self,
                      const PrismConfig *config)
{
  PrismConfig *applied = prism_config_dup (config);

  if (self == &methods[METHOD_PRISM])
    apply_decoder (applied, TRUE, TRUE, PRISM_FINISH_REFINE);
  else if (self == &methods[METHOD_DECODER])
    apply_decoder (applied, FALSE, FALSE, PRISM_FINISH_REFINE);
  else if (self == &methods[METHOD_CHAIN])
    apply_decoder (applied, FALSE, TRUE, PRISM_FINISH_EPIE);
  else
    applied->method
        = self == &methods[METHOD_MOPIE] ? PRISM_METHOD_MOPIE : PRISM_METHOD_EPIE;
  prism_approach_follow_method (applied, config);
  return applied;
}
