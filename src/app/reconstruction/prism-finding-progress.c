#include "config.h"

#include "reconstruction/prism-finding-progress.h"

#include "base/prism-clock.h"

#include <glib/gi18n.h>

static char *
dup_stage_text (const PrismPtychographyStatus *status)
{
  g_autofree char *time = prism_clock_dup_duration (status->seconds);

  switch (status->stage)
    {
    case PRISM_PTYCHOGRAPHY_PREPARING:
      return g_strdup (_ ("Making the frames ready…"));
    case PRISM_PTYCHOGRAPHY_SEARCHING:
      return g_strdup_printf (status->paused ? _ ("Search for the pupil paused")
                                             : _ ("Searching for the pupil, %s"),
                              time);
    case PRISM_PTYCHOGRAPHY_PASSING:
      return g_strdup_printf (status->paused ? _ ("Pass %u of %u, paused")
                                             : _ ("Pass %u of %u, %s"),
                              status->pass + 1, status->n_passes, time);
    case PRISM_PTYCHOGRAPHY_FAILED:
      return g_strdup (_ ("Not done"));
    case PRISM_PTYCHOGRAPHY_DONE:
    default:
      return g_strdup_printf (ngettext ("%u pass in %s", "%u passes in %s", status->pass),
                              status->pass, time);
    }
}

/**
 * prism_finding_progress_dup_text:
 * @status: of a run
 *
 * Returns: (transfer full): what it is doing, or what it took
 */
char *
prism_finding_progress_dup_text (const PrismPtychographyStatus *status)
{
  g_autofree char *text = dup_stage_text (status);
  g_autofree char *time = prism_clock_dup_duration (status->seconds);

  if (status->n_tiles == 0 || status->stage == PRISM_PTYCHOGRAPHY_FAILED)
    return g_steal_pointer (&text);
  if (status->stage == PRISM_PTYCHOGRAPHY_DONE)
    return g_strdup_printf (_ ("%u of %u tiles in %s"), status->tile, status->n_tiles, time);
  /* Translators: “Tile 3 of 9: Pass 2 of 8, 12 s”. */
  return g_strdup_printf (_ ("Tile %u of %u: %s"), status->tile + 1, status->n_tiles, text);
}
