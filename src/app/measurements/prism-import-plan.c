#include "config.h"

#include "measurements/prism-import-plan.h"

#include "ptychography/prism-ptychogram.h"

#include <glib/gi18n.h>

#define LEAST_OVERLAP 0.35 /* as the command line warns */

/**
 * prism_import_plan_dup_text:
 * @recording: frames with their geometry
 *
 * Says what reconstructing would make of the frames, and whether they are made for it.
 *
 * Errors: PRISM_ERROR_CONFIG for what is missing or does not fit, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): sentences, a line each
 */
char *
prism_import_plan_dup_text (const PrismRecording *recording,
                            GError **error)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychogram) frames = NULL;
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  int side;

  frames = prism_ptychogram_new (recording, settings, error);
  if (frames == NULL)
    return NULL;
  side = frames->upsampling * frames->side;
  g_string_append_printf (text, _ ("Object of %d × %d pixels of %.3g µm; %u bright frames."), side,
                          side, 1e6 * frames->pixel_size, frames->n_bright);
  g_string_append_printf (text, _ ("\nNeighbouring pupils share %.0f %% of their area."),
                          100 * frames->overlap);
  if (frames->overlap < LEAST_OVERLAP)
    g_string_append_printf (text, _ (" Below %.0f %% their phases are hardly tied together."),
                            100 * LEAST_OVERLAP);
  g_string_append_printf (text,
                          _ ("\nThe camera samples enough: its pixel is %.3g µm at the sample, at"
                             " most %.3g µm are wanted."),
                          1e6 * recording->pixel_size,
                          1e6 * recording->wavelength / (2 * recording->na));
  prism_ptychogram_tell (frames, sentences);
  for (guint i = 0; i < sentences->len; i++)
    g_string_append_printf (text, "\n%s", (const char *) g_ptr_array_index (sentences, i));
  if (frames->n_at_rim > 0)
    g_string_append_printf (text,
                            ngettext ("\n%u frame whose light lies within %d %% of the pupil's rim"
                                      " may be half bright; the model can leave it out.",
                                      "\n%u frames whose lights lie within %d %% of the pupil's rim"
                                      " may be half bright; the model can leave them out.",
                                      frames->n_at_rim),
                            frames->n_at_rim, PRISM_PTYCHOGRAM_RIM);
  if (frames->uneven)
    g_string_append (text, _ ("\nStray light is not the same everywhere: of each frame its own is"
                              " taken off."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * prism_import_plan_dup_missing:
 * @recording: as it was read
 *
 * The rows of the window are where it is said, but for places and what has no row.
 *
 * Returns: (transfer full) (nullable): what is not known yet and where to say it; %NULL where
 * nothing is missing
 */
char *
prism_import_plan_dup_missing (const PrismRecording *recording)
{
  const guint bits = prism_recording_find_unsaid (recording);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < PRISM_N_UNSAID; i++)
    if ((bits & 1U << i) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                              prism_recording_get_unsaid_name (
                                  i == PRISM_UNSAID_MAGNIFICATION ? PRISM_UNSAID_PIXEL : i));
  if (bits == 0)
    return NULL;
  g_string_prepend (text, _ ("Not known yet: "));
  g_string_append_c (text, '.');
  if ((bits & ~(1U << PRISM_UNSAID_PITCH | 1U << PRISM_UNSAID_PLACES)) != 0)
    g_string_append (text, _ (" Type it into the rows below."));
  if ((bits & 1U << PRISM_UNSAID_PITCH) != 0)
    g_string_append (text, _ (" Load a recipe with the line “pitch = 4 mm”."));
  if ((bits & 1U << PRISM_UNSAID_PLACES) != 0)
    g_string_append (text, _ (" Positions… opens a table of them (CSV with the columns frame, x_mm,"
                              " y_mm or frame, na_x, na_y)."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}
