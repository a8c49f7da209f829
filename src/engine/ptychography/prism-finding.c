#include "config.h"

#include "ptychography/prism-finding.h"

#include "base/prism-arena.h"

/**
 * prism_finding_ref:
 *
 * Returns: (transfer full): the same
 */
PrismFinding *
prism_finding_ref (PrismFinding *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * prism_finding_unref:
 * @self: (nullable): a finding
 *
 * Frees it where nobody else holds it.
 */
void
prism_finding_unref (PrismFinding *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->readings, g_array_unref);
  if (self->owner != NULL)
    {
      prism_finding_unref (self->owner);
      g_free (self);
      return;
    }
  prism_arena_free_array (self->object);
  g_free (self->pupil);
  prism_config_free (self->settings);
  g_free (self->frames);
  g_clear_pointer (&self->progress, g_array_unref);
  g_clear_pointer (&self->doubts, g_ptr_array_unref);
  g_clear_pointer (&self->tiles, g_ptr_array_unref);
  g_free (self->source);
  g_free (self->reading);
  g_free (self->device);
  g_free (self->device_reason);
  g_clear_pointer (&self->recorded, prism_image_unref);
  g_clear_pointer (&self->predicted, prism_image_unref);
  g_free (self);
}

/**
 * prism_finding_new_read:
 * @owner: a finding
 * @readings: (nullable) (element-type PrismMarkReading): of marks on its object
 *
 * Returns: (transfer full): the same, with what the marks read
 */
PrismFinding *
prism_finding_new_read (PrismFinding *owner,
                        GArray *readings)
{
  PrismFinding *self = g_memdup2 (owner, sizeof *owner);

  g_atomic_ref_count_init (&self->ref_count);
  self->owner = prism_finding_ref (owner);
  self->readings = readings != NULL ? g_array_ref (readings) : NULL;
  return self;
}

/**
 * prism_finding_dup_taken_back:
 *
 * Returns: (transfer full) (nullable): that passes were taken back, a sentence to follow the
 *   verdict, translated
 */
char *
prism_finding_dup_taken_back (const PrismFinding *self)
{
  if (self->taken_back_after == 0)
    return NULL;
  return g_strdup_printf (_ ("Passes that predicted frames worse were taken back after pass %u;"
                             " from there all frames were explained together."),
                          self->taken_back_after);
}

/**
 * prism_finding_set_object:
 * @self: one that nobody else has yet
 * @object: (transfer full): of a whole field
 * @height: H
 * @width: W
 *
 * Puts the object of all tiles in the place of that of one.
 *
 * Shape: object [H][W][2], of prism_arena_new_array().
 */
void
prism_finding_set_object (PrismFinding *self,
                          float *object,
                          int height,
                          int width)
{
  prism_arena_free_array (self->object);
  self->object = object;
  self->object_height = height;
  self->object_width = width;
}
