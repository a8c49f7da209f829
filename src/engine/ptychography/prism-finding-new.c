#include "config.h"

#include "ptychography/prism-finding-new.h"

#include "ptychography/prism-light-check.h"

#include <math.h>

static void
take_frames (PrismFinding *self,
             PrismPtychography *solver)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (solver);
  const double scale = (double) frames->side / frames->grid;
  g_autofree double *misfits = g_new (double, frames->n_frames);
  g_autofree double *correlations = g_new (double, frames->n_frames);

  self->held_out = prism_ptychography_predict (solver, TRUE, misfits, correlations);
  prism_ptychography_judge (solver, &self->held_out);
  self->used = prism_ptychography_predict (solver, FALSE, misfits, correlations);
  self->n_frames = frames->n_frames;
  self->frames = prism_finding_frame_dup_all (solver, misfits, correlations);
  self->doubts = prism_light_check_find (solver, self->frames);
  self->board = prism_ptychography_get_illumination (solver)->board;
  for (int k = 0; k < 2; k++)
    self->board.shift[k] *= scale;
}

/**
 * prism_finding_new:
 * @solver: one that has begun
 * @progress: of PrismPrediction: held-out frames after every pass
 * @source: path of the frames
 * @seconds: that it took
 *
 * Copies what a solver has found by now, and predicts every frame.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: the solver's.
 *
 * Returns: (transfer full): the finding
 */
PrismFinding *
prism_finding_new (PrismPtychography *solver,
                   const GArray *progress,
                   const char *source,
                   double seconds,
                   GError **error)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (solver);
  g_autoptr (PrismFinding) self = g_new0 (PrismFinding, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->pass = prism_ptychography_get_pass (solver);
  self->seconds = seconds;
  self->object_height = self->object_width = frames->upsampling * frames->side;
  self->pixel_size = frames->pixel_size;
  self->white = NAN;
  self->object = prism_ptychography_dup_object (solver, error);
  if (self->object == NULL)
    return NULL;
  self->side = frames->side;
  self->radius = frames->radius * frames->side / frames->grid;
  self->pupil = prism_ptychography_dup_pupil (solver);
  self->rim = prism_ptychography_get_rim (solver);
  prism_pupil_fit (self->pupil, self->side, self->radius,
                   prism_ptychography_get_aberrations (solver), self->waves);
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    self->waves[i] /= 2 * G_PI;
  self->wavelength = frames->wavelength;
  self->na = frames->na;
  self->settings = prism_config_dup (prism_ptychography_get_settings (solver));
  take_frames (self, solver);
  self->taken_back_after = prism_ptychography_get_turn (solver);
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  g_array_append_vals (self->progress, progress->data, progress->len);
  self->source = g_strdup (source);
  return g_steal_pointer (&self);
}
