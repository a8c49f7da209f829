#include "../support/faulty-backend.h"
#include "../support/test-run-parts.h"
#include "../support/test-sanitized.h"
#include "../support/test-config.h"

/* A run whose convergence is watched loses its device. */

static void
run_open (Run *run, PrismConfig *config, const PrismBackendOps *ops)
{
  run_prepare (run, config, NULL, ops);
  run_start (run);
}

static PrismConfig *
make_config (void)
{
  PrismConfig *config = test_config_new ("image_size=64 object_size=16 threads=1 "
                                         "aperture_radius=8 samples=4 steps=4 start_steps=0 "
                                         "polish=0 consistency=0 convergence=on");

  config->threshold = 1e-9;
  config->max_retries = 1;
  return config;
}

/* A device that is lost while a failed sample is tried again: the run goes on to the same states as
 * one that was never disturbed, from the same position. */
static void
test_lost_in_a_rescue (void)
{
  PrismConfig *config = make_config ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismSnapshot) end = prism_snapshot_new ();
  g_auto (Run) run;

  faulty_backend_disarm ();
  run_open (&run, config, faulty_backend_get_ops ());
  PrismBackendSpec spec = run.backend->spec;
  while (run.trainer->now.phase != PRISM_PHASE_DONE)
    {
      g_autoptr (PrismSnapshot) now = prism_snapshot_new ();

      prism_trainer_publish (run.trainer, now, TRUE);
      if (now->attempt == 1)
        g_assert_cmpuint (now->n_steps, ==, 4 * 4 + 4 * 1004);
      else if (now->phase == PRISM_PHASE_SAMPLES && now->step == 4)
        g_assert_cmpuint (now->n_steps, ==, 4 * 4 + now->n_failed * 1004);
      if (now->attempt == 1 && now->sample == 2 && now->sample_step > 500)
        break;
      MUST (prism_trainer_step (run.trainer, &error));
    }
  faulty_backend_arm (FAULTY_TRAIN, 1, FAULTY_LOST);
  while (prism_trainer_step (run.trainer, &error))
    ;
  g_assert_nonnull (error);
  PrismBackend *other = prism_registry_get_ops ("cpu")->open (&spec, NULL);
  g_assert_true (prism_trainer_move (run.trainer, other, error, NULL));
  g_clear_error (&error);
  prism_backend_free (run.backend);
  run.backend = other;
  g_clear_pointer (&end, prism_snapshot_unref);
  end = run_to_phase (&run, PRISM_PHASE_DONE);
  g_assert_cmpuint (end->n_failed, ==, 4);
  g_assert_cmpint (prism_history_get_row (end->history, end->n_rows - 1).sample_step, ==, 1004);
}

static void
test_too_long (void)
{
  g_test_skip ("It takes thousands of steps on one thread: nothing for the thread sanitizer.");
}

TESTS
{
  g_test_add_func ("/engine/trainer-convergence/lost",
                   IS_THREAD_SANITIZED ? test_too_long : test_lost_in_a_rescue);
}
