#include "test-saved-run.h"

#include "run/prism-engine-private.h"

/* The states that a run keeps every few samples, and the forks that begin with them. */

static PrismConfig *
make_config (void)
{
  PrismConfig *config = make_small_config ();

  test_config_set (config, "backend=cpu autosave_seconds=0");
  return config;
}

static PrismEngine *
make_keeping_engine (const PrismConfig *config, const char *path)
{
  PrismEngine *engine = test_engine_new (config);

  prism_engine_set_keeps_states (engine, TRUE);
  prism_engine_set_run_file (engine, path);
  return engine;
}

/* One sample after the other, each time until the file is written: no state is skipped. */
static PrismSnapshot *
run_by_samples (PrismEngine *engine, guint n_samples)
{
  PrismSnapshot *snapshot = NULL;

  for (guint i = 0; i < n_samples; i++)
    {
      g_clear_pointer (&snapshot, prism_snapshot_unref);
      prism_engine_step (engine, 1);
      snapshot = wait_for_state (engine, PRISM_STATE_PAUSED);
      while (snapshot->n_visited < i + 1)
        {
          prism_snapshot_unref (snapshot);
          snapshot = wait_for_state (engine, PRISM_STATE_PAUSED);
        }
    }
  return snapshot;
}

static void
compare_ends (const PrismSnapshot *a, const PrismSnapshot *b)
{
  compare_results (a, b);
  for (guint64 i = 0; i < a->n_rows; i++)
    {
      PrismHistoryRow p = prism_history_get_row (a->history, i);
      PrismHistoryRow q = prism_history_get_row (b->history, i);

      g_assert_cmpuint (p.step, ==, q.step);
      /* As text has it. */
      g_assert_true ((isnan (p.loss_new) && isnan (q.loss_new))
                     || fabs (p.loss_new - q.loss_new) < 1e-7);
    }
}

static void
check_equal (const PrismCheckpoints *a, const PrismCheckpoints *b)
{
  g_assert_cmpuint (a->n_states, ==, b->n_states);
  for (guint i = 0; i < a->n_states; i++)
    g_assert_cmpuint (prism_checkpoints_get_step (a, i), ==, prism_checkpoints_get_step (b, i));
}

/* The whole run can be forked after each sample, and its file knows it. */
TEST_FIXTURE (kept, "/engine/run-states/kept")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = make_keeping_engine (config, self->path);
  g_autoptr (PrismSnapshot) paused = run_by_samples (engine, 8);

  g_assert_cmpuint (paused->states->n_states, ==, 8);
  g_autoptr (PrismSnapshot) end = finish_engine (engine);
  check_equal (paused->states, end->states);
  g_autoptr (PrismRun) run = load (self->path);
  check_equal (run->snapshot->states, end->states);
  for (guint i = 0; i < 8; i++)
    {
      const guint64 step = prism_checkpoints_get_step (end->states, i);
      g_autoptr (PrismRun) early = MUST (prism_run_file_load_until (self->path, step + 1, &error));

      g_assert_cmpuint (early->snapshot->step, ==, step);
      g_assert_cmpuint (early->snapshot->n_visited, ==, i + 1);
      g_assert_cmpint (early->snapshot->state, ==, PRISM_STATE_PAUSED);
      g_assert_cmpuint (early->snapshot->states->n_states, ==, i + 1);
    }
}

/* What nobody asked for is not kept. */
TEST_FIXTURE (unasked, "/engine/run-states/unasked")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismEngine) engine = test_engine_new (config);

  prism_engine_set_run_file (engine, self->path);
  g_autoptr (PrismSnapshot) end = finish_engine (engine);
  g_assert_null (end->states);
  g_autoptr (PrismRun) run = load (self->path);
  g_assert_null (run->snapshot->states);
}

static PrismSnapshot *
change_live (const PrismConfig *config,
             const PrismConfig *changed,
             guint n_samples,
             const char *path)
{
  g_autoptr (PrismEngine) engine = make_keeping_engine (config, path);
  g_autoptr (PrismSnapshot) paused = run_by_samples (engine, n_samples);

  g_assert_true (MUST (prism_engine_update (engine, changed, &error)));
  return finish_engine (engine);
}

/* From the state that was kept after a sample, once the run is long over. */
static PrismSnapshot *
change_fork (const PrismConfig *config,
             const PrismConfig *changed,
             guint n_samples,
             const char *path,
             const char *fork_path)
{
  g_autoptr (PrismEngine) engine = make_keeping_engine (config, path);
  g_autoptr (PrismSnapshot) paused = run_by_samples (engine, 8);
  g_autoptr (GError) error = NULL;
  PrismRun *run;

  g_autoptr (PrismSnapshot) end = finish_engine (engine);
  run = MUST (prism_run_file_load_until (path,
                                         prism_checkpoints_get_step (end->states, n_samples - 1),
                                         &error));
  prism_engine_set_run_file (engine, fork_path);
  g_assert_true (prism_engine_resume (engine, run, path, changed, &error));
  g_autoptr (PrismSnapshot) begun = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (begun->n_visited, ==, n_samples);
  g_assert_cmpuint (begun->states->n_states, ==, n_samples);
  return finish_engine (engine);
}

/* A fork ends with the bits of a run that was changed at that sample while it went on, and has all
 * states before it, which stay when its own are added. */
TEST_WITH (fork, "/engine/run-states/fork", GINT_TO_POINTER (0))
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autofree char *live_path = g_build_filename (self->directory, "live.prismrun", NULL);
  g_autofree char *fork_path = g_build_filename (self->directory, "fork.prismrun", NULL);

  config->consistency = GPOINTER_TO_INT (data);
  g_autoptr (PrismConfig) changed = prism_config_dup (config);
  changed->learning_rate *= 0.5;
  g_autoptr (PrismSnapshot) live = change_live (config, changed, 5, live_path);
  g_autoptr (PrismSnapshot) fork = change_fork (config, changed, 5, self->path, fork_path);
  compare_ends (live, fork);
  g_autoptr (PrismRun) run = load (fork_path);
  g_assert_cmpuint (run->snapshot->states->n_states, >=, 5);
  g_assert_cmpstr (run->identity->parent, !=, NULL);
}

TEST_ALSO (fork, "/engine/run-states/fork-live-picture", GINT_TO_POINTER (2))

/* A state is kept while training waits, without the decoder, and leads to the same end. */
TEST_FIXTURE (untrained, "/engine/run-states/untrained")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autofree char *fork_path = g_build_filename (self->directory, "fork.prismrun", NULL);

  test_config_set (config, "method=auto frames=auto aperture_radius=4 memory=all");
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  g_autoptr (PrismSnapshot) plain = finish_engine (engine);
  g_assert_cmpint (plain->training, ==, PRISM_TRAINING_SPARED);
  g_autoptr (PrismConfig) changed = prism_config_dup (config);
  changed->threads = 1;
  g_autoptr (PrismSnapshot) fork = change_fork (config, changed, 3, self->path, fork_path);
  compare_ends (plain, fork);
}

static PrismBundle *
make_bundle (gsize n)
{
  PrismBundle *bundle = prism_bundle_new ();
  float *values = MUST (prism_bundle_add_array (bundle, "weights.npy", 1, &n, &error));

  memset (values, 0, n * sizeof *values);
  return bundle;
}

static guint64
count_bytes (const PrismCheckpoints *states)
{
  guint64 bytes = 0;

  for (guint i = 0; i < states->n_states; i++)
    bytes += prism_kept_state_get_size (states->states[i]);
  return bytes;
}

/* States that grow on the way thin out, and lie evenly. */
TEST (budget, "/engine/run-states/budget")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

  config->history_size = 1;
  g_autoptr (PrismStateBook) book = prism_state_book_new (config, 200);
  snapshot->config = prism_config_dup (config);
  for (guint n = 1; n <= 200; n++)
    {
      snapshot->step = 10 * n;
      if (prism_state_book_wants (book, PRISM_PHASE_SAMPLES, n))
        prism_state_book_keep (book, snapshot, make_bundle (n < 60 ? 1000 : 20000), n);
      g_autoptr (PrismCheckpoints) states = prism_state_book_dup_states (book);
      g_assert_cmpuint (count_bytes (states), <=, 1 << 20);
      g_assert_cmpuint (states->n_states, <=, 10);
      for (guint i = 1; i < states->n_states; i++)
        g_assert_cmpuint (prism_checkpoints_get_step (states, i)
                              - prism_checkpoints_get_step (states, i - 1),
                          <=, 10 * 40);
      if (n >= 40)
        g_assert_cmpuint (states->n_states, >, 0);
    }
  /* One that is too large by itself. */
  snapshot->step = 10000;
  prism_state_book_keep (book, snapshot, make_bundle (1 << 20), 1200);
  g_assert_false (prism_state_book_wants (book, PRISM_PHASE_POLISH, 1201));
}
