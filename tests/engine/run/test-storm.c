#include "test-run-common.h"

#include "../support/test-engine.h"

/* Thousands of random commands, also to runs that save themselves, and an engine that is freed in
 * the middle of it: the end is a consistent state, and a run after it has the bits of one that
 * nobody disturbed. What it leaks, the address sanitizer finds. PRISM_TEST_LONG=1 takes ten times
 * as many. */

#define N_STORMS 10
#define N_COMMANDS 400

typedef struct
{
  Fixture *fixture;
  PrismEngine *engine;
  GRand *random;
  PrismConfig *configs[2]; /* one that is quick to the end, one that is not */
  guint n_commands;
} Storm;

static PrismConfig *
make_config (int samples)
{
  PrismConfig *config = make_small_config ();

  config->samples = samples;
  test_config_set (config, "threads=2 backend=cpu autosave_samples=1");
  return config;
}

/* What is seen at any moment fits together. */
static void
check_snapshot (const PrismSnapshot *snapshot)
{
  if (snapshot == NULL)
    return;
  if (snapshot->state == PRISM_STATE_FAILED)
    g_error ("the run failed: %s", snapshot->message);
  g_assert_nonnull (snapshot->config);
  g_assert_cmpuint (snapshot->n_visited, <=, snapshot->n_samples);
  if (snapshot->state == PRISM_STATE_FINISHED || snapshot->state == PRISM_STATE_STOPPED)
    g_assert_nonnull (snapshot->history);
}

static void
resume (Storm *self)
{
  PrismRun *run = g_file_test (self->fixture->path, G_FILE_TEST_EXISTS)
                      ? prism_run_file_load (self->fixture->path, NULL)
                      : NULL;

  if (run != NULL)
    g_assert_true (prism_engine_resume (self->engine, run, NULL, NULL, NULL));
}

static void
command (Storm *self)
{
  const PrismConfig *config = self->configs[g_rand_int_range (self->random, 0, 2)];

  switch (g_rand_int_range (self->random, 0, 10))
    {
    case 0:
    case 1:
      prism_engine_run (self->engine);
      break;
    case 2:
      prism_engine_pause (self->engine);
      break;
    case 3:
      prism_engine_step (self->engine, (guint) g_rand_int_range (self->random, 1, 4));
      break;
    case 4:
      prism_engine_stop (self->engine);
      break;
    case 5:
      g_assert_true (prism_engine_update (self->engine, self->configs[0], NULL));
      break;
    case 6:
      g_assert_true (prism_engine_configure (self->engine, config, NULL));
      break;
    case 7:
      prism_engine_set_run_file (self->engine, self->fixture->path);
      break;
    case 8:
      resume (self);
      break;
    default:
      {
        g_autoptr (PrismSnapshot) snapshot = prism_engine_wait (self->engine, 1);

        check_snapshot (snapshot);
      }
    }
  self->n_commands++;
}

static void
check_end (Storm *self, const PrismSnapshot *plain)
{
  gsize bytes = (gsize) plain->reconstruction->height * plain->reconstruction->width
                * sizeof *plain->reconstruction->pixels;

  prism_engine_stop (self->engine);
  g_assert_true (prism_engine_configure (self->engine, self->configs[0], NULL));
  g_autoptr (PrismSnapshot) end = finish_engine (self->engine);
  /* One that was under way may have ended first. */
  while (end->config->samples != plain->config->samples)
    {
      g_clear_pointer (&end, prism_snapshot_unref);
      end = wait_for_state (self->engine, PRISM_STATE_FINISHED);
    }
  g_assert_cmpmem (plain->reconstruction->pixels, bytes, end->reconstruction->pixels, bytes);
}

static void
check_file (Storm *self)
{
  g_assert_false (prism_run_lock_is_taken (self->fixture->path));
  if (!g_file_test (self->fixture->path, G_FILE_TEST_EXISTS))
    return;
  g_autoptr (PrismRun) run = MUST (prism_run_file_load (self->fixture->path, &error));
  g_assert_null (run->notice);
}

static PrismSnapshot *
run_plainly (const PrismConfig *config)
{
  g_autoptr (PrismEngine) engine = test_engine_new (NULL);

  g_assert_true (prism_engine_configure (engine, config, NULL));
  return finish_engine (engine);
}

TEST_WITH (storm, "/engine/storm/end", GINT_TO_POINTER (FALSE))
{
  gboolean in_the_middle = GPOINTER_TO_INT (data);
  guint n_storms = g_getenv ("PRISM_TEST_LONG") != NULL ? 10 * N_STORMS : N_STORMS;
  Storm storm = { .fixture = self, .configs = { make_config (8), make_config (60) } };
  g_autoptr (PrismSnapshot) plain = run_plainly (storm.configs[0]);

  for (guint i = 0; i < n_storms; i++)
    {
      storm.random = g_rand_new_with_seed (i);
      storm.engine = test_engine_new (NULL);
      for (guint j = 0; j < (in_the_middle ? 10 + 5 * i : N_COMMANDS); j++)
        command (&storm);
      if (!in_the_middle)
        check_end (&storm, plain);
      prism_engine_free (storm.engine);
      check_file (&storm);
      g_rand_free (storm.random);
    }
  g_test_message ("%u commands, %u engines", storm.n_commands, n_storms);
  prism_config_free (storm.configs[0]);
  prism_config_free (storm.configs[1]);
}

TEST_ALSO (storm, "/engine/storm/freed-in-the-middle", GINT_TO_POINTER (TRUE))
