#include "config.h"

#include "results/prism-result.h"

#include "history/prism-frames.h"
#include "num/prism-phase.h"
#include "results/prism-frc.h"

#include <math.h>

/* NAN where the images are missing, or memory for their spectra is. */
static double
compute_agreement (const PrismSnapshot *snapshot)
{
  g_autoptr (PrismFrc) frc = prism_frc_new_snapshot (snapshot, NULL);

  return frc != NULL ? prism_frc_get_reach (frc) : NAN;
}

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

  g_return_val_if_fail (name != NULL && snapshot->config != NULL, NULL);

  self = g_new0 (PrismResult, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->name = g_strdup (name);
  self->snapshot = prism_snapshot_ref (snapshot);
  self->has_resolution = prism_resolution_compute_snapshot (&self->resolution, snapshot);
  self->agreement = compute_agreement (snapshot);
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
 * Returns: whether it concerns the run; of recorded frames, whether it decides what comes of them
 */
gboolean
prism_result_has_setting (const PrismResult *self,
                          const PrismParam *param)
{
  return self->snapshot->recorded ? prism_param_decides (param, TRUE)
                                  : prism_param_is_of (param, FALSE);
}

/**
 * prism_result_has_held_out:
 *
 * Returns: whether frames were predicted that were never used: misfit and correlation are theirs
 */
gboolean
prism_result_has_held_out (const PrismResult *self)
{
  return self->snapshot->recorded && self->snapshot->correlation != 0;
}

/**
 * prism_result_ref:
 *
 * Returns: (transfer full): the same result, with one more reference
 */
PrismResult *
prism_result_ref (PrismResult *self)
{
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_result_unref:
 * @self: (transfer full) (nullable): a result
 */
void
prism_result_unref (PrismResult *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  g_free (self->name);
  prism_snapshot_unref (self->snapshot);
  g_clear_pointer (&self->phase, prism_image_unref);
  g_free (self);
}

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
         + get_image_bytes (snapshot->spectrum) + get_image_bytes (snapshot->phase_image)
         + get_image_bytes (self->phase);
}
