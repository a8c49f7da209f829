#include "config.h"

#include "../support/faulty-backend.h"
#include "../support/test-run-parts.h"
#include "../support/test-sanitized.h"
#include "device/prism-registry.h"

#include <math.h>
#include <string.h>

/* Whole short runs whose convergence is watched. N = samples. */

static void
run_open (Run *run,
          PrismConfig *config,
          const PrismBackendOps *ops)
{
  run_prepare (run, config, NULL, ops);
  run_start (run);
}

static PrismConfig *
make_config (int n_samples,
             int n_steps,
             double threshold)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 16;
  config->threads = 1;
  config->aperture_radius = 8.0;
  config->samples = n_samples;
  config->steps = n_steps;
  config->start_steps = 30;
  config->polish = 0;
  config->consistency = 0;
  config->convergence = TRUE;
  config->threshold = threshold;
  return config;
}

static PrismSnapshot *
run_config (PrismConfig *config,
            const PrismBackendOps *ops)
{
  PrismSnapshot *snapshot;
  Run run;

  run_open (&run, config, ops);
  snapshot = run_to_phase (&run, PRISM_PHASE_DONE);
  run_close (&run);
  return snapshot;
}

static void
test_samples_are_left (void)
{
  PrismConfig *config = make_config (6, 40, 10.0);
  g_autoptr (PrismSnapshot) end = NULL;

  config->patience = 7;
  config->start_steps = 0;
  end = run_config (config, prism_registry_get_ops ("cpu"));
  g_assert_cmpuint (end->step, ==, 6 * 7);
  g_assert_cmpuint (end->n_steps, ==, end->step);
  g_assert_cmpuint (end->n_failed, ==, 0);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpint (end->sample_states[i], ==, PRISM_SAMPLE_CONVERGED);
}

/* Nobody gets there: all samples fail, and all are tried twice again, one after the other. */
static void
test_failed_samples_are_retried (void)
{
  PrismConfig *config = make_config (3, 4, 1e-9);
  g_autoptr (PrismSnapshot) end = NULL;
  const gint32 order[] = { 0, 1, 2, 0, 1, 2, 0, 1, 2 };
  guint64 row = 0;

  config->start_steps = 0;
  end = run_config (config, prism_registry_get_ops ("cpu"));
  g_assert_cmpuint (end->n_failed, ==, 3);
  g_assert_cmpuint (end->step, ==, 3 * 4 + 6 * 1004);
  g_assert_cmpuint (end->n_steps, ==, end->step);
  for (guint visit = 0; visit < 9; visit++)
    for (guint i = 0; i < (visit < 3 ? 4u : 1004u); i++)
      {
        PrismHistoryRow step = prism_history_get_row (end->history, row++);

        g_assert_cmpint (step.sample, ==, order[visit]);
        if (visit >= 3)
          g_assert_cmpfloat_with_epsilon (step.learning_rate, visit < 6 ? 1e-4 : 2e-4 / 3.0,
                                          1e-12);
      }
}

static void
test_no_retries (void)
{
  PrismConfig *config = make_config (3, 4, 1e-9);
  g_autoptr (PrismSnapshot) end = NULL;

  config->max_retries = 0;
  config->passes = 2;
  end = run_config (config, prism_registry_get_ops ("cpu"));
  g_assert_cmpuint (end->n_failed, ==, 3);
  g_assert_cmpuint (end->step, >=, 30 + 2 * 3 * 4);
  g_assert_cmpuint (end->step % 30, ==, 24);
}

/* Too few steps in the first visit, enough in the rescue. */
static void
test_failed_samples_are_rescued (void)
{
  PrismConfig *config = make_config (5, 1, 0.05);
  g_autoptr (PrismSnapshot) end = NULL;

  end = run_config (config, prism_registry_get_ops ("cpu"));
  g_test_message ("%u failed, %u rescued", end->n_failed, end->n_rescued);
  g_assert_cmpuint (end->n_rescued, >, 0);
  g_assert_cmpuint (end->n_failed + end->n_rescued, <=, 5);
}

static void
test_plateau_gets_more_steps (void)
{
  PrismConfig *config = make_config (1, 250, 1e-9);
  g_autoptr (PrismSnapshot) end = NULL;
  PrismHistoryRow before, after;

  config->max_retries = 0;
  config->start_steps = 0;
  config->learning_rate = 1e-7;
  config->schedule = PRISM_SCHEDULE_CONSTANT;
  end = run_config (config, prism_registry_get_ops ("cpu"));
  g_assert_cmpuint (end->step, ==, 750);
  before = prism_history_get_row (end->history, 199);
  after = prism_history_get_row (end->history, 200);
  g_assert_cmpfloat (before.learning_rate, ==, 1e-7);
  g_assert_cmpfloat_with_epsilon (after.learning_rate, 2e-7, 1e-12);
}

static void
assert_same_runs (const PrismSnapshot *a,
                  const PrismSnapshot *b)
{
  g_assert_cmpuint (a->n_rows, ==, b->n_rows);
  for (guint64 i = 0; i < a->n_rows; i++)
    {
      PrismHistoryRow p = prism_history_get_row (a->history, i);
      PrismHistoryRow q = prism_history_get_row (b->history, i);

      g_assert_cmpint (p.sample, ==, q.sample);
      g_assert_cmpuint (p.sample_step, ==, q.sample_step);
      g_assert_cmpmem (&p.loss_new, 3 * sizeof (double), &q.loss_new, 3 * sizeof (double));
    }
  g_assert_cmpmem (a->sample_states, a->n_samples, b->sample_states, b->n_samples);
  g_assert_cmpmem (a->reconstruction->pixels, 16 * 16 * sizeof (float), b->reconstruction->pixels,
                   16 * 16 * sizeof (float));
}

/* A device that likes many steps at once takes the same steps as one that takes them singly. */
static void
test_chunks_do_not_show (void)
{
  PrismConfig *single = make_config (5, 230, 0.004);
  PrismConfig *many = prism_config_dup (single);
  PrismBackendOps ops = *prism_registry_get_ops ("cpu");
  g_autoptr (PrismSnapshot) a = NULL, b = NULL;

  a = run_config (single, prism_registry_get_ops ("cpu"));
  ops.chunk_size = 64;
  b = run_config (many, &ops);
  g_test_message ("%u failed, %u rescued, %u steps", a->n_failed, a->n_rescued, (guint) a->step);
  assert_same_runs (a, b);
}

/* A device that is lost while a failed sample is tried again: the run goes on to the same states as
 * one that was never disturbed, from the same position. */
static void
test_lost_in_a_rescue (void)
{
  PrismConfig *config = make_config (4, 4, 1e-9);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismSnapshot) end = prism_snapshot_new ();
  PrismBackend *other;
  PrismBackendSpec spec;
  Run run;

  config->max_retries = 1;
  config->start_steps = 0;
  faulty_backend_disarm ();
  run_open (&run, config, faulty_backend_get_ops ());
  spec = run.backend->spec;
  while (prism_trainer_get_phase (run.trainer) != PRISM_PHASE_DONE)
    {
      g_autoptr (PrismSnapshot) now = prism_snapshot_new ();

      prism_trainer_publish (run.trainer, now, TRUE);
      if (now->attempt == 1)
        g_assert_cmpuint (now->n_steps, ==, 4 * 4 + 4 * 1004);
      else if (now->phase == PRISM_PHASE_SAMPLES && now->step == 4)
        g_assert_cmpuint (now->n_steps, ==, 4 * 4 + now->n_failed * 1004);
      if (now->attempt == 1 && now->sample == 2 && now->sample_step > 500)
        break;
      prism_trainer_step (run.trainer, &error);
      g_assert_no_error (error);
    }
  faulty_backend_arm (FAULTY_TRAIN, 1, FAULTY_LOST);
  while (prism_trainer_step (run.trainer, &error))
    ;
  g_assert_nonnull (error);
  other = prism_registry_get_ops ("cpu")->open (&spec, NULL);
  g_assert_true (prism_trainer_move (run.trainer, other, error, NULL));
  g_clear_error (&error);
  prism_backend_free (run.backend);
  run.backend = other;
  g_clear_pointer (&end, prism_snapshot_unref);
  end = run_to_phase (&run, PRISM_PHASE_DONE);
  g_assert_cmpuint (end->n_failed, ==, 4);
  g_assert_cmpint (prism_history_get_row (end->history, end->n_rows - 1).sample_step, ==, 1004);
  run_close (&run);
}

static void
test_too_long (void)
{
  g_test_skip ("It takes thousands of steps on one thread: nothing for the thread sanitizer.");
}

/* A test that is left out under the thread sanitizer. */
static void
add_long (const char *path,
          GTestFunc func)
{
  g_test_add_func (path, IS_THREAD_SANITIZED ? test_too_long : func);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/trainer-convergence/left", test_samples_are_left);
  add_long ("/engine/trainer-convergence/retried", test_failed_samples_are_retried);
  g_test_add_func ("/engine/trainer-convergence/no-retries", test_no_retries);
  add_long ("/engine/trainer-convergence/rescued", test_failed_samples_are_rescued);
  g_test_add_func ("/engine/trainer-convergence/plateau", test_plateau_gets_more_steps);
  add_long ("/engine/trainer-convergence/chunks", test_chunks_do_not_show);
  add_long ("/engine/trainer-convergence/lost", test_lost_in_a_rescue);
  return g_test_run ();
}
