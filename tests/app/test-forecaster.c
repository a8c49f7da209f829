#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"
#include "recorded-scene.h"
#include "widget-test.h"
#include "session/prism-forecaster.h"

static PrismConfig *
new_config (void)
{
  PrismConfig *config = widget_test_new_config ();

  config->samples = 12;
  config->backend = PRISM_BACKEND_CPU;
  config->threads = 1;
  return config;
}

static gboolean
tells_time (PrismForecaster *self)
{
  return self->text != NULL && strstr (self->text, "≈") != NULL;
}

/* The time comes beside the memory, is that of the values that are edited, and is not there while a
 * run is under way. */
TEST (text, "/app/forecaster/text")
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autoptr (PrismForecaster) forecaster = prism_forecaster_new (session);

  HAS (forecaster->text, "MiB");
  g_assert_false (tells_time (forecaster));
  prism_forecaster_set_timing (forecaster, TRUE);
  WAIT_FOR (tells_time (forecaster));
  HAS (forecaster->text, "≈ 1 s\n");
  HAS (forecaster->detail, "decoder");

  prism_session_run (session);
  g_assert_null (forecaster->text);
  WAIT_FOR (session->state == PRISM_STATE_FINISHED);
  WAIT_FOR (tells_time (forecaster));
  prism_session_end (session);
}

/* Recorded frames are told the same, by a part of what is to be done with them. */
TEST (frames, "/app/forecaster/frames")
{
  g_autoptr (PrismConfig) config = new_config ();
  g_autofree char *folder = g_dir_make_tmp ("prism-forecaster-XXXXXX", NULL);
  g_autoptr (PrismProblem) problem = recorded_scene_new (folder);
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autoptr (PrismForecaster) forecaster = prism_forecaster_new (session);

  prism_session_start_problem (session, problem);
  WAIT_FOR (session->state == PRISM_STATE_FINISHED);
  g_assert_false (tells_time (forecaster));
  prism_forecaster_set_timing (forecaster, TRUE);
  WAIT_FOR (tells_time (forecaster));
  HAS (forecaster->detail, "search");
  /* A limit that the last run has gone beyond is not told again. */
  session->snapshot->seconds = 5e5;
  prism_forecaster_set_timing (forecaster, TRUE);
  WAIT_FOR (tells_time (forecaster));
  HAS (forecaster->text, "at most 138:53:20 h");
  LACKS (forecaster->brief, "at most");
  prism_session_end (session);
  test_remove_tree (folder);
}

/* A picture in tiles is many runs: the time of one would mislead. */
TEST (tiles, "/app/forecaster/tiles")
{
  g_autoptr (PrismConfig) config = new_config ();

  config->tile = 32;
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autoptr (PrismForecaster) forecaster = prism_forecaster_new (session);
  g_assert_cmpstr (forecaster->text, ==, "In tiles");
  HAS (forecaster->detail, "window of its own");
  prism_session_end (session);
}

static gboolean
has_learned (const PrismConfig *config)
{
  PrismCosts costs;

  return prism_costs_load (&costs, config)
         && (costs.correction[PRISM_TRAINING_SPARED] > 0.0
             || costs.correction[PRISM_TRAINING_NEEDED] > 0.0);
}

/* A run that finishes corrects what is told. */
TEST (learning, "/app/forecaster/learning")
{
  g_autoptr (PrismConfig) config = new_config ();
  PrismCosts costs = { .frame = 1e-3, .pass = 1e-3 };

  config->object_size = 30;
  g_assert_true (prism_costs_save (&costs, config, NULL));
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autoptr (PrismForecaster) forecaster = prism_forecaster_new (session);
  g_assert_false (has_learned (config));
  prism_session_run (session);
  WAIT_FOR (has_learned (config));
  prism_session_end (session);
}
