#include "config.h"

#include "recording/prism-recording-exposure.h"

#include "recording/prism-recording-light.h"
#include "recording/prism-recording-names.h"

#include "base/prism-arena.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define WHOLE 2e-7       /* of the largest: what floats round */
#define LEAST_SHARE 1e-6 /* of the longest */
#define ALIKE 1e-3       /* relative: exposures that differ by less are one */

/* Pictures have counts over the largest that can be. */
static gboolean
are_whole (const PrismRecording *self,
           float scale)
{
  const gsize n = (gsize) self->n_frames * self->height * self->width;

  for (gsize i = 0; i < n; i++)
    if (fabsf (scale * self->frames[i] - roundf (scale * self->frames[i])) > WHOLE * (scale - 1))
      return FALSE;
  return TRUE;
}

/**
 * prism_recording_exposure_are_counts:
 *
 * Returns: whether all values are whole numbers, as a camera counts, or a picture has them; frames
 * of several exposures that were put together are none
 */
gboolean
prism_recording_exposure_are_counts (const PrismRecording *self)
{
  if (are_whole (self, 1))
    return TRUE;
  return prism_recording_get_largest (self) <= 1
         && (are_whole (self, 255) || are_whole (self, 65535));
}

/**
 * prism_recording_exposure_divide:
 * @exposures: (array length=n_frames): in any unit
 * @name: what has them, for a sentence
 *
 * Divides each frame by its exposure, so that the longest leaves its frames as they are, where they
 * differ and the frames are counts or the recipe says so; what is done is noted.
 */
void
prism_recording_exposure_divide (PrismRecording *self,
                                 const double *exposures,
                                 const char *name)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  double least = INFINITY, most = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    {
      least = isfinite (exposures[j]) ? MIN (least, exposures[j]) : 0;
      most = MAX (most, exposures[j]);
      if (!(least > 0))
        break;
    }
  if (self->exposure_rule < 0 || self->exposures_divided || least > (1 - ALIKE) * most)
    return;
  if (!(least > LEAST_SHARE * most))
    {
      prism_recording_note (self, _ ("“%s” has exposures that are no positive numbers, or differ by"
                                     " more than a million times, and is left alone."),
                            name);
      return;
    }
  if (!self->are_counts && self->exposure_rule == 0)
    {
      prism_recording_note (self,
                            _ ("“%s” has exposures from %g to %g, but the frames are no whole"
                               " numbers as a camera counts: they are taken as divided already;"
                               " exposure=divide divides them."),
                            name, least, most);
      return;
    }
  self->exposures_divided = TRUE;
  for (gsize j = 0; j < self->n_frames; j++)
    for (gsize i = 0; i < n_pixels; i++)
      self->frames[j * n_pixels + i] *= (float) (most / exposures[j]);
  prism_recording_note (self,
                        _ ("Each frame is divided by its exposure, from %g to %g, which “%s” has;"
                           " exposure=keep leaves them as they are."),
                        least, most, name);
}

/**
 * prism_recording_exposure_assign:
 * @fields: the file of the frames
 *
 * Divides by the exposures that the file has, a number for each frame.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether they could be read, or there are none
 */
gboolean
prism_recording_exposure_assign (PrismRecording *self,
                                 PrismFields *fields,
                                 GError **error)
{
  for (guint i = 0; i < fields->fields->len; i++)
    {
      const PrismField *field = g_ptr_array_index (fields->fields, i);
      prism_autofree_array double *exposures = NULL;
      PrismUnit unit;

      if (field->kind != PRISM_FIELD_REAL || field->obstacle != NULL
          || field->n_values != self->n_frames || self->n_frames < 2
          || prism_recording_names_find (field->name, &unit) != PRISM_NAME_EXPOSURE)
        continue;
      exposures = prism_fields_load (fields, field, error);
      if (exposures == NULL)
        return FALSE;
      prism_recording_exposure_divide (self, exposures, field->name);
      return TRUE;
    }
  return TRUE;
}
