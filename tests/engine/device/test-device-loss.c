#include "../support/faulty-backend.h"
#include "../support/test-config.h"
#include "../support/test-engine.h"
#include "../support/test-sanitized.h"
#include "config/prism-device-list.h"
#include "device/prism-registry.h"

/* Whole runs on a GPU that fails, at every operation, in every phase, in every way: they end on the
 * CPU with a result as good as the undisturbed one, and say why. Under the thread sanitizer each
 * operation fails once, in the middle. */

#define LEAST_FAULTS (IS_THREAD_SANITIZED ? 50 : 100) /* that are met by whole runs */

static guint n_faults;

typedef struct
{
  const char *settings; /* over those of make_config() */
  guint n_strikes;      /* calls of each operation that are hit */
} Sweep;

/* The self-test comes first, so that no fault hits it. */
static void
install (void)
{
  g_autofree char *reason = NULL;

  faulty_backend_disarm ();
  prism_registry_replace ("cuda", faulty_backend_get_ops ());
  g_assert_cmpstr (prism_registry_choose (PRISM_BACKEND_AUTO, &reason, NULL)->name, ==, "cuda");
  g_assert_cmpstr (reason, ==, "Running on the GPU.");
  faulty_backend_disarm ();
}

static PrismConfig *
make_config (void)
{
  return test_config_new ("method=decoder start_target=measurement frames=full image_size=64 "
                          "object_size=16 aperture_radius=9 samples=12 steps=6 start_steps=8 "
                          "polish=8 threads=1");
}

static PrismSnapshot *
run (const PrismConfig *config)
{
  g_autoptr (PrismEngine) engine = test_engine_new (config);

  return finish_engine (engine);
}

static void
check_finite (const PrismImage *image)
{
  g_assert_nonnull (image);
  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    g_assert_true (isfinite (image->pixels[i]));
}

/* One row per step, through the loss and beyond. */
static void
check_history (const PrismSnapshot *snapshot)
{
  guint64 last = 0;

  for (guint64 i = 0; i < snapshot->n_rows; i++)
    {
      guint64 step = prism_history_get_row (snapshot->history, i).step;

      /* Passes begin with what is there before the first. */
      g_assert_cmpuint (step, ==, i == 0 && step == 0 ? 0 : last + 1);
      last = step;
    }
  g_assert_cmpuint (last, ==, snapshot->step);
  g_assert_cmpuint (snapshot->step, <=, snapshot->n_steps);
}

static void
check_words (const PrismSnapshot *snapshot, FaultyKind kind)
{
  static const char *const causes[FAULTY_N_KINDS] = {
    [FAULTY_LOST] = "it was unplugged by a test",
    [FAULTY_LOST_LATE] = "it was unplugged by a test",
    [FAULTY_MEMORY] = "2 GiB wanted, 1 GiB free. Choose a smaller image, or run on the CPU.",
    [FAULTY_NAN] = "",
  };

  g_assert_nonnull (snapshot->message);
  HAS (snapshot->message, causes[kind]);
  g_assert_true (strstr (snapshot->message, " on the CPU from ") != NULL
                 || g_str_has_suffix (snapshot->message, "The run takes place on the CPU."));
  g_assert_true (g_str_has_suffix (snapshot->message, "."));
  g_assert_true (g_str_has_prefix (snapshot->device_reason, "Running on the CPU: "));
  g_assert_true (g_str_has_prefix (snapshot->device, "CPU, "));
  g_assert_cmpstr (snapshot->backend, ==, "cpu");
}

/* A picture that is only looked at costs nothing but the picture, what judges the result nothing
 * but the verdict, and the last steps may do no more harm than a divergence that the trainer gets
 * over. */
static void
check_survival (const PrismSnapshot *snapshot, FaultyCall call, FaultyKind kind)
{
  if (call == FAULTY_TRAIN && kind == FAULTY_NAN)
    g_assert_true (snapshot->n_skipped < 3
                   || g_str_has_prefix (snapshot->message, "Diverged at step "));
  else
    g_assert_true (call == FAULTY_COLLECT_FRAME || call == FAULTY_READ_BUFFER
                   || ((call == FAULTY_SET_OBJECT || call == FAULTY_MEASURE)
                       && snapshot->verdict.kind == PRISM_VERDICT_OPEN));
}

/* How many steps go to the device at once depends on the time they take, and so does the number of
 * calls: an n that was not reached is halved. */
static PrismSnapshot *
run_with_fault (const PrismConfig *config, FaultyCall call, guint *n, FaultyKind kind)
{
  for (;; *n /= 2)
    {
      install ();
      faulty_backend_arm (call, *n, kind);
      g_autoptr (PrismSnapshot) snapshot = run (config);
      if (faulty_backend_has_struck ())
        return g_steal_pointer (&snapshot);
      g_assert_cmpuint (*n, >, 0);
    }
}

static void
check_run (const PrismConfig *config, double psnr, FaultyCall call, guint n, FaultyKind kind)
{
  g_autoptr (PrismSnapshot) snapshot = run_with_fault (config, call, &n, kind);
  g_test_message ("%s, call %u, fault %d: %.2f dB; %s", faulty_backend_get_name (call), n, kind,
                  snapshot->metrics.psnr, snapshot->message);
  check_finite (snapshot->reconstruction);
  check_history (snapshot);
  g_assert_cmpuint (snapshot->n_visited, ==, snapshot->n_samples);
  g_assert_cmpfloat (snapshot->metrics.psnr, >, psnr - 8.0);
  n_faults++;
  if (g_strcmp0 (snapshot->backend, "cuda") == 0)
    check_survival (snapshot, call, kind);
  else
    check_words (snapshot, kind);
}

/* An operation that says nothing about values cannot be hit by a value. */
static gboolean
makes_sense (FaultyCall call, FaultyKind kind)
{
  switch (call)
    {
    case FAULTY_OPEN:
    case FAULTY_SET_OBJECT:
      return kind == FAULTY_LOST || kind == FAULTY_MEMORY;
    case FAULTY_SET_PARAMETERS:
    case FAULTY_HOLD:
    case FAULTY_FORWARD:
    case FAULTY_READ_BUFFER:
    case FAULTY_PUT_ITERATE:
    case FAULTY_EPIE_UPDATE:
    case FAULTY_FINISH:
      return kind != FAULTY_NAN;
    default:
      return TRUE;
    }
}

/* How many calls there are in every run: a quick device is given more to do at once, and fewer
 * pictures are looked at. */
static guint
count_sure_calls (FaultyCall call, guint n_calls)
{
  gboolean depends_on_time = call == FAULTY_DESCEND || call == FAULTY_COMPUTE_MISFIT
                             || call == FAULTY_COLLECT_FRAME || call == FAULTY_READ_BUFFER
                             || call == FAULTY_GET_ITERATE || call == FAULTY_FINISH;

  return depends_on_time ? (n_calls + 1) / 2 : n_calls;
}

/* The first call, the last one that is sure, and some between. */
static void
check_calls (const PrismConfig *config,
             double psnr,
             FaultyCall call,
             guint n_calls,
             guint n_strikes)
{
  n_strikes = MIN (n_calls, IS_THREAD_SANITIZED ? 1 : n_strikes);

  for (int kind = 0; kind < FAULTY_N_KINDS; kind++)
    for (guint i = 0; makes_sense (call, kind) && i < n_strikes; i++)
      check_run (config, psnr, call,
                 n_strikes > 1 ? i * (n_calls - 1) / (n_strikes - 1) : n_calls / 2, kind);
}

static void
test_every_call (gconstpointer data)
{
  const Sweep *sweep = data;
  g_autoptr (PrismConfig) config = test_config_set (make_config (), sweep->settings);
  guint counts[FAULTY_N_CALLS];

  install ();
  g_autoptr (PrismSnapshot) undisturbed = run (config);
  g_assert_cmpstr (undisturbed->backend, ==, "cuda");
  g_assert_null (undisturbed->message);
  g_test_message ("undisturbed: %.2f dB", undisturbed->metrics.psnr);
  for (int call = 0; call < FAULTY_N_CALLS; call++)
    counts[call] = faulty_backend_get_count (call);
  for (int call = 0; call < FAULTY_N_CALLS; call++)
    check_calls (config, undisturbed->metrics.psnr, call, count_sure_calls (call, counts[call]),
                 sweep->n_strikes);
}

TEST (stop_finds_the_loss, "/engine/device-loss/stop")
{
  g_autoptr (PrismConfig) config = make_config ();

  /* The result is the decoder's, which the device has; a live picture is the host's. */
  config->consistency = 0;
  install ();
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  prism_engine_step (engine, 5);
  g_autoptr (PrismSnapshot) paused = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpstr (paused->backend, ==, "cuda");
  faulty_backend_arm (FAULTY_FORWARD, 0, FAULTY_LOST_LATE);
  prism_engine_stop (engine);
  g_autoptr (PrismSnapshot) stopped = wait_for_state (engine, PRISM_STATE_STOPPED);
  g_assert_true (faulty_backend_has_struck ());
  check_finite (stopped->reconstruction);
  check_words (stopped, FAULTY_LOST_LATE);
}

TEST (steps_are_counted_through_the_loss, "/engine/device-loss/steps")
{
  g_autoptr (PrismConfig) config = make_config ();

  install ();
  config->samples = 40;
  config->steps = 40; /* enough of them for a save after every fourth sample */
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  prism_engine_step (engine, 6);
  g_autoptr (PrismSnapshot) first = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpuint (first->sample, ==, 6);
  faulty_backend_arm (FAULTY_TRAIN, 1, FAULTY_LOST);
  prism_engine_step (engine, 3);
  g_autoptr (PrismSnapshot) second = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_true (faulty_backend_has_struck ());
  g_assert_cmpuint (second->sample, ==, 9);
  HAS (second->message, "The run goes on on the CPU from position 5.");
  check_history (second);
}

TEST (memory_loses_nothing, "/engine/device-loss/memory")
{
  g_autoptr (PrismConfig) config = make_config ();

  install ();
  config->samples = 40;
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  prism_engine_step (engine, 6);
  g_autoptr (PrismSnapshot) first = wait_for_state (engine, PRISM_STATE_PAUSED);
  faulty_backend_arm (FAULTY_TRAIN, 1, FAULTY_MEMORY);
  prism_engine_step (engine, 1);
  g_autoptr (PrismSnapshot) second = wait_for_state (engine, PRISM_STATE_PAUSED);
  HAS (second->message, "The run goes on on the CPU from position 7.");
  g_assert_cmpuint (second->step, ==, first->step + config->steps);
}

static PrismSnapshot *
wait_for_message (PrismEngine *engine)
{
  for (;;)
    {
      PrismSnapshot *snapshot = wait_for_state (engine, PRISM_STATE_PAUSED);

      if (snapshot->message != NULL)
        return snapshot;
      prism_snapshot_unref (snapshot);
    }
}

/* The polish does without the decoder, but who keeps it wants the trained one. */
TEST (polish_leaves_the_weights, "/engine/device-loss/weights")
{
  g_autoptr (PrismConfig) config = make_config ();
  guint n = 0;

  config->keep_decoder = TRUE;
  config->consistency = 0;
  install ();
  g_autoptr (PrismSnapshot) undisturbed = run (config);
  g_autoptr (PrismSnapshot) snapshot = run_with_fault (config, FAULTY_DESCEND, &n, FAULTY_LOST);
  check_words (snapshot, FAULTY_LOST);
  g_assert_nonnull (snapshot->fold);
  g_assert_cmpmem (snapshot->fold->parameters,
                   snapshot->fold->plan.n_parameters * sizeof (float),
                   undisturbed->fold->parameters,
                   undisturbed->fold->plan.n_parameters * sizeof (float));
}

/* A save is the first to notice the loss. */
TEST (save_finds_the_loss, "/engine/device-loss/save")
{
  g_autofree char *directory = g_dir_make_tmp ("prism-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "run.prismrun", NULL);
  g_autoptr (PrismConfig) config = make_config ();

  install ();
  config->autosave_seconds = 0;
  PrismEngine *engine = test_engine_new (config);
  prism_engine_set_run_file (engine, path);
  prism_engine_step (engine, 5);
  g_autoptr (PrismSnapshot) paused = wait_for_state (engine, PRISM_STATE_PAUSED);
  g_assert_cmpstr (paused->backend, ==, "cuda");
  faulty_backend_arm (FAULTY_GET_PARAMETERS, 0, FAULTY_LOST_LATE);
  prism_engine_step (engine, 1);
  g_autoptr (PrismSnapshot) saved = wait_for_message (engine);
  g_assert_true (faulty_backend_has_struck ());
  check_words (saved, FAULTY_LOST_LATE);
  g_autoptr (PrismSnapshot) finished = finish_engine (engine);
  check_finite (finished->reconstruction);
  check_history (finished);
  prism_engine_free (engine);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (directory), ==, 0);
}

/* The GPU is not tried again by itself, but is when the user wants it. */
TEST (run_after_a_loss, "/engine/device-loss/next-run")
{
  g_autoptr (PrismConfig) config = make_config ();

  install ();
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  faulty_backend_arm (FAULTY_TRAIN, 3, FAULTY_LOST);
  g_autoptr (PrismSnapshot) first = finish_engine (engine);
  check_words (first, FAULTY_LOST);
  faulty_backend_disarm ();

  g_autoptr (PrismSnapshot) second = finish_engine (engine);
  g_assert_cmpstr (second->backend, ==, "cpu");
  g_assert_null (second->message);
  g_assert_cmpstr (second->device_reason, ==,
                   "Running on the CPU: the GPU was lost before (it was unplugged by a test). Set"
                   " backend to cuda to try it again.");

  config->backend = prism_device_list_find ("cuda");
  g_assert_true (prism_engine_configure (engine, config, NULL));
  g_autoptr (PrismSnapshot) third = finish_engine (engine);
  g_assert_cmpstr (third->backend, ==, "cuda");
  g_assert_cmpstr (third->device_reason, ==, "Running on the GPU, as set.");
}

static PrismSnapshot *
run_to_failure (const PrismConfig *config)
{
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  PrismSnapshot *snapshot = NULL;

  prism_engine_run (engine);
  do
    {
      prism_snapshot_unref (snapshot);
      snapshot = prism_engine_wait (engine, PATIENCE);
      g_assert_nonnull (snapshot);
    }
  while (snapshot->state != PRISM_STATE_FAILED);
  return snapshot;
}

/* Who insists on the GPU is told what is missing. */
TEST (no_memory_for_who_insists, "/engine/device-loss/insisting")
{
  g_autoptr (PrismConfig) config = make_config ();

  install ();
  config->backend = prism_device_list_find ("cuda");
  faulty_backend_arm (FAULTY_OPEN, 0, FAULTY_MEMORY);
  g_autoptr (PrismSnapshot) snapshot = run_to_failure (config);
  g_assert_cmpint (snapshot->error, ==, PRISM_ERROR_MEMORY);
  HAS (snapshot->message, "2 GiB wanted, 1 GiB free.");
}

/* What the GPU cannot do, the CPU does, and says so; but not for who insists on the GPU. */
TEST (unsupported, "/engine/device-loss/unsupported")
{
  g_autoptr (PrismConfig) config = make_config ();

  install ();
  faulty_backend_set_unsupported ("The GPU cannot do that.");
  g_autoptr (PrismEngine) engine = test_engine_new (config);
  g_autoptr (PrismSnapshot) done = finish_engine (engine);
  g_assert_cmpstr (done->backend, ==, "cpu");
  g_assert_cmpstr (done->device_reason, ==, "Running on the CPU: The GPU cannot do that.");

  config->backend = prism_device_list_find ("cuda");
  g_autoptr (PrismSnapshot) failed = run_to_failure (config);
  faulty_backend_set_unsupported (NULL);
  g_assert_cmpint (failed->error, ==, PRISM_ERROR_BACKEND);
  g_assert_cmpstr (failed->message, ==, "The GPU cannot do that. Set backend to auto or cpu.");
}

/* Each is a run that was finished: none was lost. */
TEST (number_of_faults, "/engine/device-loss/number")
{
  g_test_message ("%u faults of a device, %u runs finished", n_faults, n_faults);
  if (n_faults == 0)
    g_test_skip ("only counts what the other tests have done");
  else
    g_assert_cmpuint (n_faults, >=, LEAST_FAULTS);
}

int
main (int argc, char **argv)
{
  static const Sweep sweeps[] = {
    { "", 3 },
    { "snr=25 order=energy start_target=synthetic passes=2", 2 },
    { "memory=self threshold=0.02", 2 },
    { "method=epie passes=12", 3 },
    { "finish=epie", 2 },
  };

  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/device-loss/replay", &sweeps[0], test_every_call);
  g_test_add_data_func ("/engine/device-loss/noise", &sweeps[1], test_every_call);
  g_test_add_data_func ("/engine/device-loss/self", &sweeps[2], test_every_call);
  g_test_add_data_func ("/engine/device-loss/epie", &sweeps[3], test_every_call);
  g_test_add_data_func ("/engine/device-loss/chain", &sweeps[4], test_every_call);
  int status = prism_test_run ();
  prism_registry_replace ("cuda", NULL);
  return status;
}
