#include "config.h"

#include "ptychography/prism-ptychography-start.h"

#include "base/prism-error.h"

#include <math.h>

#define ALIKE 0.05 /* relative, of two instruments that are one */

/**
 * prism_ptychography_start_take:
 * @solver: one that has not begun
 * @finding: what was found earlier
 * @elsewhere: it is of another part of the field, where the light comes from elsewhere: what LEDs
 *   are off by is taken, not where they are
 *
 * Makes the solver begin with pupil, gains and places of a finding.
 */
void
prism_ptychography_start_take (PrismPtychography *solver,
                               const PrismFinding *finding,
                               gboolean elsewhere)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (solver);
  const double scale = (double) finding->side / frames->grid;
  g_autofree double *gains = g_new (double, finding->n_frames + 1);
  g_autofree double (*places)[2] = g_malloc_n (finding->n_frames + 1, sizeof *places);
  const guint n = finding->n_frames == frames->n_frames ? finding->n_frames : 0;
  PrismPtychographyStart start = { .side = finding->side,
                                   .pupil = finding->pupil,
                                   .radius = finding->radius,
                                   .rim = finding->rim,
                                   .n_frames = n,
                                   .gains = gains,
                                   .places = places };

  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    start.aberrations[i] = isfinite (finding->waves[i]) ? 2 * G_PI * finding->waves[i] : 0;
  for (guint j = 0; j < n; j++)
    {
      const PrismFindingFrame *frame = &finding->frames[j];

      gains[j] = frame->gain;
      for (int k = 0; k < 2; k++)
        places[j][k] = elsewhere ? scale * frames->centers[j][k] + frame->found[k]
                                       - frame->recorded[k]
                                 : frame->found[k];
    }
  prism_ptychography_set_start (solver, &start);
}

static gboolean
differ (double a,
        double b)
{
  return fabs (a - b) > ALIKE * fabs (b);
}

/* The pupil of another wavelength or aperture is none to begin with. */
static gboolean
check_instrument (const PrismPtychogram *frames,
                  const PrismFinding *finding,
                  const char *folder,
                  GError **error)
{
  if (!differ (finding->wavelength, frames->wavelength) && !differ (finding->na, frames->na))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "“%s” is of another instrument, with NA %.3g at %.4g nm; these frames have"
               " NA %.3g at %.4g nm: name a result of the same one, or leave “start” out.",
               folder, finding->na, 1e9 * finding->wavelength, frames->na,
               1e9 * frames->wavelength);
  return FALSE;
}

/**
 * prism_ptychography_start_load:
 * @solver: one that has not begun
 *
 * Makes the solver begin with the result that its settings name, if they name one.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY: it cannot be read;
 * PRISM_ERROR_CONFIG: it is of another instrument.
 *
 * Returns: whether it can begin
 */
gboolean
prism_ptychography_start_load (PrismPtychography *solver,
                               GError **error)
{
  const char *folder = prism_ptychography_get_settings (solver)->start;
  g_autoptr (PrismFinding) finding = NULL;

  if (folder[0] == '\0')
    return TRUE;
  finding = prism_finding_load (folder, error);
  if (finding == NULL
      || !check_instrument (prism_ptychography_get_frames (solver), finding, folder, error))
    return FALSE;
  prism_ptychography_start_take (solver, finding, FALSE);
  return TRUE;
}
