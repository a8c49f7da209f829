#include "config.h"

#include "prism-test.h"
#include "widget-test.h"
#include "session/prism-session.h"

#include "base/prism-system.h"
#include "config/prism-device-list.h"
#include "config/prism-preset.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"

static void
wait_for_state (PrismSession *session,
                PrismState state)
{
  WAIT_FOR (session->state == state);
}

/* That it runs need not be seen: a snapshot that nobody has collected gives way to the next. */
static void
wait_for_step (PrismSession *session,
               guint64 step)
{
  WAIT_FOR (session->snapshot->step >= step);
}

static void
wait_for_size (PrismSession *session,
               int image_size)
{
  WAIT_FOR (session->snapshot->config->image_size == image_size);
}

static const PrismParam *
param (const char *key)
{
  const PrismParam *found = prism_config_get_param (key);

  g_assert_nonnull (found);
  return found;
}

static void
set (PrismSession *session,
     const char *key,
     const char *text)
{
  g_assert_true (MUST (
      prism_draft_set_parameter (session->draft, param (key), text, &error)));
}

TEST (scene, "/app/session/scene")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  PrismSnapshot *snapshot = session->snapshot;

  g_assert_cmpint (session->state, ==, PRISM_STATE_IDLE);
  g_assert_nonnull (snapshot->target);
  g_assert_nonnull (snapshot->pattern);
  g_assert_cmpint (snapshot->target->width, ==, 32);
  g_assert_false (prism_session_get_active (session));
  g_assert_null (session->draft->problem);
}

/* While nothing has run, the scene follows the parameters. */
TEST (scene_follows, "/app/session/scene-follows")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);

  set (session, "samples", "9");
  WAIT_FOR (session->snapshot->n_samples == 9);
  g_assert_cmpint (session->state, ==, PRISM_STATE_IDLE);
}

TEST (run, "/app/session/run")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);

  prism_session_run (session);
  g_assert_true (prism_session_get_active (session));
  wait_for_state (session, PRISM_STATE_FINISHED);
  PrismSnapshot *snapshot = session->snapshot;
  g_assert_nonnull (snapshot->reconstruction);
  g_assert_cmpfloat (snapshot->metrics.psnr, >, 10);
  g_assert_cmpuint (snapshot->n_rows, >, 0);
  g_assert_false (prism_session_get_active (session));
}

TEST (pause_step_stop, "/app/session/pause-step-stop")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->samples = 200;
  config->steps = 50;
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  prism_session_step (session, 1);
  wait_for_state (session, PRISM_STATE_PAUSED);
  guint sample = session->snapshot->sample;
  prism_session_step (session, 2);
  wait_for_step (session, session->snapshot->step + 1);
  wait_for_state (session, PRISM_STATE_PAUSED);
  g_assert_cmpuint (session->snapshot->sample, ==, sample + 2);

  prism_session_run (session);
  wait_for_step (session, session->snapshot->step + 1);
  prism_session_pause (session);
  wait_for_state (session, PRISM_STATE_PAUSED);
  prism_session_stop (session);
  wait_for_state (session, PRISM_STATE_STOPPED);
  g_assert_nonnull (session->snapshot->reconstruction);
}

/* It is seen at once that a run stops; Run begins another one in its place meanwhile. */
TEST (stopping, "/app/session/stopping")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->samples = 200;
  config->steps = 50;
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  prism_session_run (session);
  wait_for_step (session, 1);
  prism_session_stop (session);
  g_assert_true (session->stopping);
  prism_session_run (session);
  g_assert_false (session->stopping);
  g_assert_cmpint (session->state, ==, PRISM_STATE_PREPARING);
  WAIT_FOR (session->state == PRISM_STATE_RUNNING && session->snapshot->run == 2);
  prism_session_stop (session);
  g_assert_true (session->stopping);
  wait_for_state (session, PRISM_STATE_STOPPED);
  g_assert_false (session->stopping);
}

/* What does not apply to the run waits for the next; what does, reaches the engine. */
TEST (live_and_deferred, "/app/session/live-and-deferred")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  config->method = PRISM_METHOD_DECODER;
  config->start_target = PRISM_START_MEASUREMENT;
  config->samples = 200;
  config->steps = 5000;
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  prism_session_run (session);
  wait_for_step (session, 1);

  set (session, "aperture_radius", "7");
  set (session, "learning_rate", "0.0005");
  g_assert_true (prism_session_get_deferred (session, param ("aperture_radius")));
  g_assert_false (prism_session_get_deferred (session, param ("learning_rate")));
  WAIT_FOR (session->snapshot->config->learning_rate == 0.0005);
  g_assert_cmpfloat (session->snapshot->config->aperture_radius, ==, 10);

  prism_session_stop (session);
  wait_for_state (session, PRISM_STATE_STOPPED);
  g_assert_true (prism_session_get_deferred (session, param ("aperture_radius")));
  prism_session_step (session, 1);
  wait_for_state (session, PRISM_STATE_PAUSED);
  g_assert_cmpfloat (session->snapshot->config->aperture_radius, ==, 7);
  g_assert_false (prism_session_get_deferred (session, param ("aperture_radius")));
}

/* Longer than a change takes to reach the engine. */
static void
let_settle (void)
{
  for (gint64 end = g_get_monotonic_time () + G_TIME_SPAN_SECOND / 2;
       g_get_monotonic_time () < end;)
    g_main_context_iteration (NULL, FALSE);
}

/* No change after the end takes the result away: not of the pattern, the sizes or the object. */
TEST (result_is_kept, "/app/session/result-is-kept")
{
  static const char *const changes[][2] = {
    { "samples", "7" },
    { "image_size", "128" },
    { "object_size", "64" },
    { "object", "points" },
  };
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  guint64 serial;

  prism_session_run (session);
  wait_for_state (session, PRISM_STATE_FINISHED);
  serial = session->snapshot->serial;
  g_assert_false (session->outdated);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      set (session, changes[i][0], changes[i][1]);
      g_assert_true (prism_session_get_deferred (session, param (changes[i][0])));
      g_assert_true (session->outdated);
      let_settle ();
      g_assert_cmpuint (session->snapshot->serial, ==, serial);
      g_assert_cmpint (session->state, ==, PRISM_STATE_FINISHED);
    }
  g_assert_cmpint (session->snapshot->config->image_size, ==, 64);
  g_assert_nonnull (session->snapshot->reconstruction);

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    prism_draft_undo (session->draft);
  g_assert_false (session->outdated);
}

/* A preset, which brings other sizes, replaces the result only with the next run. */
TEST (preset_after_result, "/app/session/preset-after-result")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autoptr (PrismConfig) preset = prism_preset_load ("quick-look", NULL);

  prism_session_run (session);
  wait_for_state (session, PRISM_STATE_FINISHED);
  prism_draft_set_preset (session->draft, preset, FALSE, "Quick look");
  let_settle ();
  g_assert_nonnull (session->snapshot->reconstruction);
  g_assert_cmpint (session->snapshot->config->image_size, ==, 64);

  prism_session_run (session);
  g_assert_false (session->outdated);
  wait_for_size (session, 256);
  g_assert_cmpint (session->previous->config->image_size, ==, 64);
}

/* What a new scene takes from the screen can still be had. */
TEST (discard, "/app/session/discard")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);

  prism_session_run (session);
  wait_for_state (session, PRISM_STATE_FINISHED);
  g_assert_null (session->previous);
  set (session, "object", "points");
  prism_session_discard_result (session);
  wait_for_state (session, PRISM_STATE_IDLE);
  g_assert_null (session->snapshot->reconstruction);
  g_assert_nonnull (session->previous);
  g_assert_nonnull (session->previous->reconstruction);
  g_assert_false (session->outdated);
}

TEST (required_bytes, "/app/session/required-bytes")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  guint64 before;

  g_assert_cmpuint (session->required_bytes, >, 0);
  /* The run is in this process. */
  WAIT_FOR (session->required_bytes >= prism_system_get_peak_memory ());
  before = session->required_bytes;
  set (session, "image_size", "512");
  g_assert_cmpuint (session->required_bytes, >, before);
  set (session, "image_size", "500");
  g_assert_cmpuint (session->required_bytes, ==, 0);
}

TEST (problem, "/app/session/problem")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autoptr (GError) error = NULL;

  g_assert_false (prism_draft_set_parameter (session->draft, param ("samples"), "many", &error));
  g_assert_nonnull (error);
  g_assert_true (g_hash_table_contains (session->draft->refused, "samples"));
  g_assert_cmpint (session->draft->config->samples, ==, 6);
  g_assert_nonnull (session->draft->problem);
  prism_session_run (session);
  g_assert_cmpint (session->state, ==, PRISM_STATE_IDLE);

  set (session, "samples", "6");
  g_assert_null (session->draft->problem);

  /* Each value is allowed, but they do not fit together. */
  set (session, "object_size", "128");
  g_assert_nonnull (session->draft->problem);
  g_autofree char *sentence = prism_draft_dup_problem_of (session->draft, param ("object_size"));
  g_assert_nonnull (sentence);
  g_assert_null (prism_draft_dup_problem_of (session->draft, param ("samples")));
  prism_draft_undo (session->draft);
  g_assert_null (session->draft->problem);

  /* Which row shows it does not depend on the words of the sentence. */
  set (session, "loss", "composite");
  set (session, "weight_ssim", "0");
  set (session, "weight_l1", "0");
  g_clear_pointer (&sentence, g_free);
  sentence = prism_draft_dup_problem_of (session->draft, param ("weight_l1"));
  g_assert_cmpstr (sentence, ==, session->draft->problem);
}

TEST (undo, "/app/session/undo")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);

  set (session, "samples", "9");
  set (session, "seed", "5");
  set (session, "image_size", "128");
  prism_draft_reset_parameter (session->draft, param ("image_size"));
  g_assert_cmpint (session->draft->config->image_size, ==, 64);
  prism_draft_undo (session->draft);
  g_assert_cmpint (session->draft->config->image_size, ==, 128);
  prism_draft_undo (session->draft);
  prism_draft_undo (session->draft);
  prism_draft_undo (session->draft);
  g_assert_true (prism_config_equal (session->draft->config, config));
  prism_draft_redo (session->draft);
  g_assert_cmpint (session->draft->config->samples, ==, 9);
}

/* A preset brings the method; the object and the device stay the user's. */
TEST (method, "/app/session/method")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismConfig) preset = prism_preset_load ("epie", NULL);

  g_assert_nonnull (preset);
  g_assert_true (prism_config_set_text (config, "object", "points", NULL));
  config->seed = 77;
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  prism_draft_set_preset (session->draft, preset, FALSE, "ePIE");
  g_assert_cmpstr (session->draft->config->object, ==, "points");
  g_assert_cmpint (session->draft->config->seed, ==, 77);
  g_assert_cmpint (session->draft->config->method, ==, PRISM_METHOD_EPIE);
  g_assert_cmpint (session->draft->config->image_size, ==, preset->image_size);
}

/* The device of a run is the processor, where mixed precision does nothing. */
TEST (idle_reason, "/app/session/idle-reason")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();

  g_assert_true (prism_config_set_text (config, "backend", "cpu", NULL));
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_assert_nonnull (prism_session_get_idle_reason (session, param ("amp")));
  g_assert_null (prism_session_get_idle_reason (session, param ("seed")));
}

static void
on_notice (PrismSession *session,
           const char *message,
           gboolean failed,
           int code,
           char **last)
{
  g_free (*last);
  *last = failed ? g_strdup (message) : NULL;
}

TEST (missing_object, "/app/session/missing-object")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autofree char *message = NULL;

  g_signal_connect (session, "notice", G_CALLBACK (on_notice), &message);
  set (session, "object", "/nonexistent/picture.png");
  WAIT_FOR (message != NULL);
  HAS (message, "picture.png");
  g_assert_cmpint (session->state, ==, PRISM_STATE_FAILED);
  g_assert_null (session->snapshot->spectrum);

  /* Whoever tries in spite of that is told again. */
  g_clear_pointer (&message, g_free);
  prism_session_run (session);
  WAIT_FOR (message != NULL);
  HAS (message, "picture.png");

  /* And back: the next scene is as good as the first. */
  set (session, "object", "moon");
  WAIT_FOR (session->state == PRISM_STATE_IDLE);
  g_assert_nonnull (session->snapshot->target);
  /* Of a run after which another was begun nobody is told. */
  g_clear_pointer (&message, g_free);
  set (session, "object", "/nonexistent/picture.png");
  prism_session_restart (session);
  g_usleep (G_USEC_PER_SEC / 4);
  prism_session_restart (session);
  prism_session_collect (session);
  g_assert_null (message);
  WAIT_FOR (message != NULL);
}

static PrismBackendOps deceptive_ops;

static PrismBackend *
open_deceptive (const PrismBackendSpec *spec,
                GError **error)
{
  PrismBackend *self = prism_cpu_backend_ops.open (spec, error);

  self->ops = &deceptive_ops;
  return self;
}

static char *
dup_deceptive_name (PrismBackend *self)
{
  return g_strdup ("CPU farm of a rented GPU");
}

/* Whether the processor computes is for the device to say, not for the words of its name. */
TEST (on_cpu, "/app/session/on-cpu")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  const char *name = prism_device_list[PRISM_BACKEND_FIRST_MODULE].name;
  gboolean on_cpu;

  deceptive_ops = prism_cpu_backend_ops;
  deceptive_ops.name = name;
  deceptive_ops.open = open_deceptive;
  deceptive_ops.dup_device_name = dup_deceptive_name;
  prism_registry_replace (name, &deceptive_ops);
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  prism_session_run (session);
  WAIT_FOR (session->snapshot->device != NULL);
  g_object_get (session, "on-cpu", &on_cpu, NULL);
  g_assert_false (on_cpu);
  wait_for_state (session, PRISM_STATE_FINISHED);
  g_clear_object (&session);
  prism_registry_replace (name, NULL);
}

static GThread *main_thread;

static const char *
get_no_loss (void)
{
  return NULL;
}

static char *
dup_unavailable (void)
{
  g_assert_true (g_thread_self () != main_thread);
  return g_strdup ("There is no device.");
}

/* A module is no device. The window does not wait for the driver, and shows nothing before it has
 * answered. */
TEST (module_without_device, "/app/session/module-without-device")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  const char *name = prism_device_list[PRISM_BACKEND_FIRST_MODULE].name;
  guint64 bytes;
  gboolean on_cpu;

  main_thread = g_thread_self ();
  deceptive_ops = (PrismBackendOps) { .abi = PRISM_BACKEND_ABI,
                                      .name = name,
                                      .get_loss = get_no_loss,
                                      .dup_unavailable_reason = dup_unavailable };
  prism_registry_replace (name, &deceptive_ops);
  config->backend = PRISM_BACKEND_AUTO;
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  WAIT_FOR (session->required_bytes != 0);
  bytes = session->required_bytes;
  g_object_get (session, "on-cpu", &on_cpu, NULL);
  g_assert_true (on_cpu);
  set (session, "backend", "cpu");
  g_assert_cmpuint (session->required_bytes, ==, bytes);
  set (session, "backend", name);
  WAIT_FOR (session->required_bytes == 0);
  g_object_get (session, "on-cpu", &on_cpu, NULL);
  g_assert_false (on_cpu);
  /* The end waits for an answer that is due, and may have to ask itself. */
  main_thread = NULL;
  prism_session_end (session);
  prism_registry_replace (name, NULL);
}

static void
on_state_of_restart (PrismSession *session,
                     GParamSpec *pspec,
                     guint64 *run)
{
  PrismState state = session->state;
  PrismSnapshot *snapshot = session->snapshot;

  g_assert_true (state == PRISM_STATE_PREPARING || snapshot->run == *run);
  g_assert_cmpint (state, !=, PRISM_STATE_IDLE);
}

/* What the run before still sends says nothing about the one that was asked for. */
TEST (restarts, "/app/session/restarts")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  guint64 run = 1;

  config->method = PRISM_METHOD_DECODER;
  config->start_target = PRISM_START_MEASUREMENT;
  config->samples = 200;
  config->steps = 5000;
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  prism_engine_set_interval (session->engine, 0);
  prism_session_run (session);
  wait_for_step (session, 2);
  g_signal_connect (session, "notify::state", G_CALLBACK (on_state_of_restart), &run);
  for (run = 2; run < 30; run++)
    {
      prism_session_restart (session);
      wait_for_state (session, PRISM_STATE_RUNNING);
      wait_for_step (session, 2);
    }
  g_signal_handlers_disconnect_by_data (session, &run);
}

/* A step of a lesson is shown before it runs, and nothing that is edited is touched by it. */
TEST (lent, "/app/session/lent")
{
  g_autoptr (PrismConfig) config = widget_test_new_config ();
  g_autoptr (PrismConfig) step = widget_test_new_config ();
  g_autoptr (PrismSession) session = widget_test_new_session (config);
  g_autofree char *scene = NULL, *edited = NULL;

  step->image_size = 128;
  step->samples = 3;
  g_object_get (session, "scene", &edited, NULL);
  g_assert_true (prism_session_show_lesson (session, step));
  g_assert_true (session->borrowed);
  g_assert_cmpint (prism_session_get_planned (session)->samples, ==, 3);
  wait_for_size (session, 128);
  g_assert_cmpint (session->state, ==, PRISM_STATE_IDLE);
  g_assert_cmpuint (session->snapshot->pattern->n_points, ==, 3);
  g_object_get (session, "scene", &scene, NULL);
  g_assert_cmpstr (scene, !=, edited);

  /* What is edited now waits for its turn. */
  set (session, "snr", "31");
  g_assert_cmpint (prism_session_get_planned (session)->image_size, ==, 128);
  prism_session_run_config (session, step, FALSE);
  wait_for_state (session, PRISM_STATE_FINISHED);
  g_assert_cmpint (session->snapshot->config->image_size, ==, 128);

  prism_session_show_lesson (session, step);
  WAIT_FOR (session->state == PRISM_STATE_IDLE);
  prism_session_show_edited (session);
  g_assert_false (session->borrowed);
  wait_for_size (session, 64);
  g_assert_cmpfloat (session->snapshot->config->snr, ==, 31);

  /* Run is for what is edited, whatever is on the screen. */
  prism_session_show_lesson (session, step);
  wait_for_size (session, 128);
  prism_session_run (session);
  wait_for_state (session, PRISM_STATE_FINISHED);
  g_assert_cmpint (session->snapshot->config->image_size, ==, 64);
}
