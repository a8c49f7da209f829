#include "config.h"

#include "device/prism-registry.h"
#include "num/prism-tuning.h"
#include "profile/prism-profile.h"
#include "solve/prism-goodness.h"
#include "trainer/prism-trainer-private.h"

/* The part of the trainer that ends a run: the polish, the whole of algorithm epie, the result.
 *
 * Dimensions of this file: n = image_size, m = object_size. */

/**
 * prism_trainer_keep_result:
 * @self: a trainer
 * @image: (nullable): the result, [m][m]; NULL for the decoder's
 * @error: return location
 *
 * Ends the run with a result.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether there is one; otherwise nothing has changed
 */
gboolean
prism_trainer_keep_result (PrismTrainer *self,
                           const float *image,
                           GError **error)
{
  int m = self->config->object_size;
  PrismImage *result = image != NULL ? prism_image_new_copy (m, m, image, error)
                                     : prism_trainer_read_decoder (self, error);

  if (result == NULL)
    return FALSE;
  g_clear_pointer (&self->result, prism_image_unref);
  self->result = result;
  prism_trainer_measure_image (self, result->pixels);
  self->row.metrics = self->now.metrics;
  prism_trainer_hand_over_row (self);
  if (self->now.step > 0)
    prism_trainer_keep (self, PRISM_MOMENT_END, result);
  self->now.phase = PRISM_PHASE_DONE;
  return TRUE;
}

static double
get_until (const PrismConfig *config)
{
  return config->until_converged ? 0.01 * config->converged_below : 0.0;
}

/**
 * prism_trainer_get_polish_spec:
 * @self: a trainer
 *
 * Returns: what the polish is asked for, as the configuration and the live picture stand
 */
PrismSolverSpec
prism_trainer_get_polish_spec (PrismTrainer *self)
{
  const PrismConfig *config = self->config;
  gboolean trains = prism_config_trains (config);
  /* Without a decoder the passes go on from the live picture, switched off meanwhile or not. */
  const float *live = self->now.training == PRISM_TRAINING_WAITS && self->live != NULL
                          ? prism_live_picture_get_image (self->live)
                          : prism_trainer_get_live_image (self);

  return (PrismSolverSpec) {
    .n_passes = self->problem != NULL ? config->passes
                                            * prism_problem_get_n_tiles (self->problem)
                : trains ? config->polish
                         : config->passes,
    .step_size = config->epie_step,
    .smoothness = config->smoothness,
    .seed = prism_config_get_training_seed (config),
    .stop_at_noise = trains,
    .questions = self->covered < prism_tuning_get (PRISM_TUNING_SECOND_COVERAGE),
    .start = trains && self->decoded != NULL ? self->decoded->pixels : NULL,
    .live = live,
    .until = get_until (config),
    .recorded = self->problem != NULL ? prism_registry_get_recorded (self->backend->ops) : NULL,
    .insists = config->backend != PRISM_BACKEND_AUTO,
  };
}

/**
 * prism_trainer_choose_polish:
 * @self: a trainer
 *
 * Returns: (transfer none): the method of its passes over all measurements
 */
const PrismSolverKind *
prism_trainer_choose_polish (PrismTrainer *self)
{
  return self->problem != NULL ? &prism_microscope_kind
         : prism_config_trains (self->config) && self->config->finish == PRISM_FINISH_REFINE
             ? &prism_refine_kind
             : &prism_epie_kind;
}

/**
 * prism_trainer_make_polish:
 * @self: a trainer in the polish, which has a result where it trained
 * @state: (nullable): what it goes on from
 * @error: return location
 *
 * Begins the passes of the polish, or goes on with them. Those that were through before a decoder
 * joined go on with its image.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_make_polish (PrismTrainer *self,
                           PrismBundle *state,
                           GError **error)
{
  PrismSolverSpec spec = prism_trainer_get_polish_spec (self);
  g_autoptr (PrismSolver) polish = g_steal_pointer (&self->polish);

  if (polish == NULL)
    polish = prism_solver_new (prism_trainer_choose_polish (self), self->backend,
                               self->measurements, error);
  if (polish == NULL || !prism_solver_begin (polish, &spec, error)
      || (state != NULL && !prism_solver_load (polish, state, error)))
    return FALSE;
  self->polish = g_steal_pointer (&polish);
  return TRUE;
}

/* The live picture is the result so far where there is one. */
static gboolean
keep_decoder (PrismTrainer *self,
              GError **error)
{
  const float *live = prism_trainer_get_live_image (self);
  g_autoptr (PrismImage) image = prism_trainer_read_decoder (self, error);

  if (image == NULL)
    return FALSE;
  /* A device that is lost in the polish must not take the trained weights with it. */
  if (prism_backend_can_be_lost (self->backend->ops)
      && !prism_trainer_keep_decoder (self, error))
    return FALSE;
  g_clear_pointer (&self->decoded, prism_image_unref);
  self->decoded = g_steal_pointer (&image);
  return prism_trainer_keep_result (self, live != NULL ? live : self->decoded->pixels, error);
}

/**
 * prism_trainer_begin_polish:
 * @self: a trainer whose samples are through, or that has none to train on
 * @error: return location
 *
 * Keeps the decoder's image and begins the polish where the configuration wants one.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_trainer_begin_polish (PrismTrainer *self,
                            GError **error)
{
  const gboolean trains = prism_config_trains (self->config);
  PrismProgress *now = &self->now;

  if (trains && now->training != PRISM_TRAINING_WAITS && !keep_decoder (self, error))
    return FALSE;
  if (trains && self->config->polish == 0)
    return TRUE;

  /* Of a problem the first row is that of the first pass. */
  if (now->step == 0 && self->problem == NULL)
    prism_trainer_append_row (self, PRISM_ROW_POLISH, 0, FALSE);
  prism_trainer_begin_pace (self);
  now->phase = PRISM_PHASE_POLISH;
  now->sample = now->pass = 0;
  prism_cache_begin_pass (self->cache);
  return prism_trainer_make_polish (self, NULL, error);
}

/**
 * prism_trainer_note_pass:
 * @self: a trainer in the polish
 *
 * Writes the row of a pass that has come to its end.
 */
void
prism_trainer_note_pass (PrismTrainer *self)
{
  const PrismSolverReport polish = prism_solver_describe (self->polish);
  PrismProgress *now = &self->now;

  if (polish.pass <= now->pass)
    return;
  now->correlation = polish.correlation;
  now->step++;
  now->n_visits++;
  now->pass = polish.pass;
  now->loss_new = polish.misfit;
  now->loss_old = now->learning_rate = NAN;
  if (self->scene->target != NULL)
    prism_trainer_measure_image (self, prism_solver_get_image (self->polish));
  prism_trainer_append_row (self, PRISM_ROW_POLISH, now->pass, TRUE);
  if (!polish.is_done)
    prism_cache_begin_pass (self->cache);
}

/**
 * prism_trainer_refine:
 * @self: a trainer
 * @error: return location, not NULL
 *
 * In the polish: goes on with its passes.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether they are through
 */
gboolean
prism_trainer_refine (PrismTrainer *self,
                      GError **error)
{
  PrismSolverReport report;
  PrismSolver *polish;
  gint64 begun;
  guint first;

  if (self->now.phase != PRISM_PHASE_POLISH)
    return TRUE;
  if (self->polish == NULL && !prism_trainer_make_polish (self, NULL, error))
    return FALSE;
  polish = self->polish;
  first = prism_solver_describe (polish).sample;
  polish->spec.until = get_until (self->config);
  begun = prism_profile_begin ();
  polish->kind->run (polish, &self->control, error);
  prism_profile_end (PRISM_STAGE_REFINE, begun);
  if (*error != NULL)
    return FALSE;
  report = prism_solver_describe (polish);
  self->now.sample = report.is_done ? self->n_samples - 1 : report.sample;
  if (!prism_config_trains (self->config) && self->now.pass == 0)
    for (guint i = first; i < MIN (first + self->control.n_frames, self->n_samples); i++)
      prism_trainer_cover (self, i);
  prism_trainer_note_pass (self);
  self->now.settling = polish->settling;
  if (!report.is_done)
    self->now.settling.kind = PRISM_SETTLING_OPEN;
  return report.is_done;
}

/**
 * prism_trainer_is_explained:
 * @self: a trainer whose refinement is through
 *
 * With noise nobody but the verdict can tell. A percent more than the noise may be what an image
 * that still moves has yet to find.
 *
 * Returns: whether the picture explains the frames, so that no decoder is needed
 */
gboolean
prism_trainer_is_explained (PrismTrainer *self)
{
  const PrismSolverReport polish = prism_solver_describe (self->polish);
  PrismVerdict verdict = polish.verdict;

  if (!prism_measurements_has_noise (self->measurements))
    return polish.explains;
  if (verdict.kind == PRISM_VERDICT_OPEN)
    prism_goodness_image (self->measurements,
                          prism_solver_get_image (self->polish), &verdict, NULL, NULL);
  return verdict.kind == PRISM_VERDICT_EXPLAINED
         && (self->polish->settling.kind == PRISM_SETTLING_STILL
             || verdict.misfit - verdict.expected
                    <= prism_tuning_get (PRISM_TUNING_VERDICT_DEVIATIONS)
                           * sqrt (verdict.variance));
}

/**
 * prism_trainer_join_decoder:
 * @self: a trainer whose decoder was waiting and is needed, after a sample or the polish
 *
 * Goes back to the first sample, with the decoder. Picture, coverage and history stay.
 */
void
prism_trainer_join_decoder (PrismTrainer *self)
{
  PrismProgress *now = &self->now;

  g_clear_pointer (&self->live, prism_live_picture_free);
  g_clear_pointer (&self->live_image, prism_image_unref);
  g_clear_pointer (&self->start_image, prism_image_unref);
  now->n_untrained = now->step;
  now->sample = now->pass = 0;
  now->settling = (PrismSettling) { 0 };
  prism_trainer_begin_pace (self);
}

/**
 * prism_trainer_note_noise:
 * @self: a trainer
 * @former: its configuration so far
 *
 * Frames with another noise are other ones. Training takes them as they come; ePIE has no
 * memory of them. A refinement has: what it knows of the old ones is forgotten, and the method
 * begins anew.
 */
void
prism_trainer_note_noise (PrismTrainer *self,
                          const PrismConfig *former)
{
  const PrismConfig *config = self->config;
  PrismProgress *now = &self->now;

  if (former->snr == config->snr && former->read_snr == config->read_snr
      && former->photons == config->photons)
    return;
  if (self->live != NULL)
    self->live->pass = self->live->n_passes; /* a round under way begins anew, and learns it */
  if (self->polish == NULL || now->phase == PRISM_PHASE_DONE || !prism_config_trains (config))
    return;
  g_clear_pointer (&self->polish, prism_solver_free);
  now->misfit = NAN;
  now->n_extra_passes = now->pass = 0;
  if (now->training == PRISM_TRAINING_SET)
    return;
  prism_trainer_join_decoder (self);
  g_clear_pointer (&self->decoded, prism_image_unref);
  g_clear_pointer (&self->result, prism_image_unref);
  now->phase = PRISM_PHASE_PREPARE;
  now->n_visited = 0;
  prism_trainer_rebuild_coverage (self);
}
