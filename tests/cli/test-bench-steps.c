#include "config/prism-device-list.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"
#include "prism-cli.h"
#include "prism-test.h"
#include "run/prism-engine.h"
#include "../engine/support/test-remove-tree.h"

#include <fcntl.h>

/* What prism-cli bench times are the steps of a run: a device that writes down what it is asked for
 * is asked for the same by both. */

#define PATIENCE 60000 /* ms: a wait as long as this is a failure */
#define N_STEPS 12     /* of each of two samples; the first warms up */

typedef struct
{
  GArray *steps; /* of PrismStep */
  GArray *masks; /* of guint: points of the line of each measurement */
  guint n_exposures;
} Diary;

static PrismBackendOps ops;
static Diary *diary; /* of the task under way; engine's thread or this one, never both */

static PrismBackend *
open_device (const PrismBackendSpec *spec,
             GError **error)
{
  PrismBackend *self = prism_cpu_backend_ops.open (spec, error);

  g_assert_nonnull (self);
  self->ops = &ops;
  return self;
}

static PrismBuffer *
measure (PrismBackend *self,
         const PrismMask *mask,
         GError **error)
{
  guint n_points = MAX (mask->n_parts, 1);

  g_array_append_val (diary->masks, n_points);
  return prism_cpu_backend_ops.measure (self, mask, error);
}

static PrismBuffer *
expose (PrismBackend *self,
        PrismBuffer *clean,
        const PrismMask *mask,
        const PrismExposure *exposure,
        GError **error)
{
  diary->n_exposures++;
  return prism_cpu_backend_ops.expose (self, clean, mask, exposure, error);
}

static guint
train (PrismBackend *self,
       const PrismStep *steps,
       guint n_steps,
       PrismStepResult *results)
{
  g_array_append_vals (diary->steps, steps, n_steps);
  return prism_cpu_backend_ops.train (self, steps, n_steps, results);
}

static void
install (Diary *self)
{
  self->steps = g_array_new (FALSE, FALSE, sizeof (PrismStep));
  self->masks = g_array_new (FALSE, FALSE, sizeof (guint));
  diary = self;
  ops = prism_cpu_backend_ops;
  ops.name = prism_device_list[PRISM_BACKEND_FIRST_MODULE].name;
  ops.open = open_device;
  ops.measure = measure;
  ops.expose = expose;
  ops.train = train;
  prism_registry_replace (ops.name, &ops);
}

static void
diary_clear (Diary *self)
{
  g_array_unref (self->steps);
  g_array_unref (self->masks);
}

/* A composite loss, weights that decay, a limit of the gradient, a telescope that moves, noise. */
static PrismConfig *
make_config (void)
{
  static const char *const settings[][2] = {
    { "image_size", "64" },
    { "object_size", "16" },
    { "aperture_radius", "8" },
    { "samples", "6" },
    { "steps", "12" },
    { "start_steps", "0" },
    { "polish", "0" },
    { "consistency", "0" },
    { "loss", "composite" },
    { "weight_l2", "0.5" },
    { "weight_decay", "0.01" },
    { "clip_norm", "0.5" },
    { "line_length", "6" },
    { "snr", "30" },
    { "threads", "1" },
    { "replay", "3" },
  };
  PrismConfig *config = prism_config_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    g_assert_true (prism_config_set_text (config, settings[i][0], settings[i][1], NULL));
  config->backend = PRISM_BACKEND_FIRST_MODULE;
  return config;
}

static void
run_engine (const PrismConfig *config)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismEngine) engine = MUST (prism_engine_new (NULL, NULL, &error));
  PrismState state = PRISM_STATE_IDLE;

  g_assert_true (prism_engine_configure (engine, config, &error));
  prism_engine_run (engine);
  while (state != PRISM_STATE_FINISHED)
    {
      g_autoptr (PrismSnapshot) snapshot = prism_engine_wait (engine, PATIENCE);

      g_assert_nonnull (snapshot);
      g_assert_cmpint (snapshot->state, !=, PRISM_STATE_FAILED);
      state = snapshot->state;
    }
}

static void
run_bench (const PrismConfig *config)
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "bench.prism", NULL);
  char *arguments[] = { "bench", "-c", path, "--discs", "1", "--warm-up", "12", "--steps", "12",
                        NULL };

  g_assert_true (prism_config_save (config, path, NULL, NULL));
  /* What it prints is no TAP. */
  fflush (stdout);
  int out = dup (STDOUT_FILENO);
  int null = g_open ("/dev/null", O_WRONLY, 0);
  g_assert_true (out >= 0 && null >= 0 && dup2 (null, STDOUT_FILENO) >= 0);
  g_assert_cmpint (prism_cli_bench (G_N_ELEMENTS (arguments) - 1, arguments, NULL), ==,
                   PRISM_EXIT_OK);
  fflush (stdout);
  g_assert_true (dup2 (out, STDOUT_FILENO) >= 0);
  close (out);
  close (null);
}

static void
check_step (const PrismStep *a,
            const PrismStep *b)
{
  g_assert_cmpint (a->loss, ==, b->loss);
  for (guint i = 0; i < PRISM_STEP_N_WEIGHTS; i++)
    g_assert_cmpfloat (a->weights[i], ==, b->weights[i]);
  g_assert_cmpint (a->domain, ==, b->domain);
  g_assert_cmpint (a->normalise, ==, b->normalise);
  g_assert_cmpint (a->fit_start, ==, b->fit_start);
  g_assert_cmpint (a->with_metrics, ==, b->with_metrics);
  g_assert_cmpfloat (a->learning_rate, ==, b->learning_rate);
  g_assert_cmpfloat (a->weight_decay, ==, b->weight_decay);
  g_assert_cmpfloat (a->clip_norm, ==, b->clip_norm);
  g_assert_cmpfloat (a->threshold, ==, b->threshold);
  g_assert_cmpuint (a->new_term.slot, ==, b->new_term.slot);
  g_assert_cmpfloat (a->new_term.weight, ==, b->new_term.weight);
  g_assert_cmpuint (a->n_old, ==, b->n_old);
  for (guint i = 0; i < a->n_old; i++)
    {
      g_assert_cmpuint (a->old_terms[i].slot, ==, b->old_terms[i].slot);
      g_assert_cmpfloat (a->old_terms[i].weight, ==, b->old_terms[i].weight);
    }
}

TEST (steps_are_those_of_a_run, "/cli/bench/steps")
{
  g_autoptr (PrismConfig) config = make_config ();
  Diary run = { 0 }, bench = { 0 };

  install (&run);
  run_engine (config);
  install (&bench);
  run_bench (config);
  prism_registry_replace (ops.name, NULL);

  g_assert_cmpuint (run.steps->len, ==, 6 * N_STEPS);
  g_assert_cmpuint (bench.steps->len, ==, 2 * N_STEPS);
  for (guint i = 0; i < bench.steps->len; i++)
    check_step (&g_array_index (bench.steps, PrismStep, i),
                &g_array_index (run.steps, PrismStep, i));
  g_assert_cmpuint (bench.n_exposures, >=, 2);
  g_assert_cmpuint (bench.masks->len, >=, 2);
  for (guint i = 0; i < bench.masks->len; i++)
    {
      g_assert_cmpuint (g_array_index (bench.masks, guint, i), >, 1);
      g_assert_cmpuint (g_array_index (bench.masks, guint, i), ==,
                        g_array_index (run.masks, guint, i));
    }
  diary_clear (&run);
  diary_clear (&bench);
}
