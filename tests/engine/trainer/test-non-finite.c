#include "../support/test-run-parts.h"

/* Values that are not finite are put into a run: into measurements, losses, gradients, weights and
 * moments, at many steps. Each must be noticed in that very step, leave finite weights, be told,
 * and the run must go on to its end. PRISM_TEST_LONG=1 does 300 of them instead of 30. */

#define SHORT_INJECTIONS 30
#define LONG_INJECTIONS 300
#define N_SAMPLES 8

typedef enum
{
  INJECT_IMAGE,       /* what the camera hands over */
  INJECT_MEASUREMENT, /* an image that is in use */
  INJECT_LOSS,
  INJECT_GRADIENT, /* with a loss that is finite */
  INJECT_WEIGHT,
  INJECT_MOMENT, /* the first; the update itself clamps the second */
  N_INJECTIONS,
} Injection;

/* How the CPU keeps an image: memory that goes bad has no other way to be played. */
typedef struct
{
  PrismBuffer parent;
  float *target;
} Buffer;

static struct
{
  Injection kind;
  guint step;  /* of all training steps, or image */
  guint times; /* steps in a row, of losses */
  float value;
  guint n_trained, n_measured;
  PrismBuffer *bound[N_SAMPLES + 1];
} plan;

static const PrismBackendOps *
get_cpu (void)
{
  return prism_registry_get_ops ("cpu");
}

static PrismBuffer *
inject_measure (PrismBackend *backend, const PrismMask *mask, GError **error)
{
  PrismBuffer *buffer = get_cpu ()->measure (backend, mask, error);

  if (plan.kind == INJECT_IMAGE && plan.n_measured++ == plan.step % N_SAMPLES)
    ((Buffer *) buffer)->target[plan.step] = plan.value;
  return buffer;
}

static gboolean
inject_bind (PrismBackend *backend,
             guint slot,
             const PrismMask *mask,
             PrismBuffer *target,
             double *energy,
             GError **error)
{
  plan.bound[slot] = target;
  return get_cpu ()->bind (backend, slot, mask, target, energy, error);
}

static void
spoil_state (PrismBackend *backend)
{
  gsize n = backend->spec.decoder.n_parameters, i = (plan.step * 7919u) % n;
  g_autofree float *values = g_new (float, 3 * n);
  guint64 n_steps;

  backend->ops->get_parameters (backend, values);
  backend->ops->get_moments (backend, values + n, values + 2 * n, NULL, &n_steps);
  values[(plan.kind == INJECT_WEIGHT ? 0 : n) + i] = plan.value;
  backend->ops->set_parameters (backend, values);
  backend->ops->set_moments (backend, values + n, values + 2 * n, NULL, n_steps);
}

/* A weight that is not finite makes such a loss; one that is too large for the gradient's single
 * precision, but not for the loss, such a gradient. */
static guint
inject_train (PrismBackend *backend,
              const PrismStep *steps,
              guint n_steps,
              PrismStepResult *results)
{
  PrismStep step = *steps;
  guint n = plan.n_trained++;

  if (n < plan.step || n >= plan.step + plan.times)
    return get_cpu ()->train (backend, steps, n_steps, results);
  if (plan.kind == INJECT_LOSS)
    step.new_term.weight = plan.value;
  else if (plan.kind == INJECT_GRADIENT)
    {
      step.new_term.weight = 3e38f;
      step.loss = PRISM_LOSS_L2;
      step.domain = PRISM_DOMAIN_INTENSITY;
    }
  else if (plan.kind == INJECT_MEASUREMENT)
    ((Buffer *) plan.bound[step.new_term.slot])->target[plan.step] = plan.value;
  else if (plan.kind == INJECT_WEIGHT || plan.kind == INJECT_MOMENT)
    spoil_state (backend);
  return get_cpu ()->train (backend, &step, 1, results);
}

static PrismBackendOps ops;

static void
run_open (Run *run, guint seed)
{
  PrismConfig *config = prism_config_new ();

  ops = *get_cpu ();
  ops.measure = inject_measure;
  ops.bind = inject_bind;
  ops.train = inject_train;
  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = 8.0;
  config->samples = N_SAMPLES;
  config->steps = 5;
  config->start_steps = 5;
  config->polish = 0;
  config->threads = 1;
  config->seed = seed;
  config->memory = seed % 3;
  run_prepare (run, config, NULL, &ops);
  run_start (run);
}

static gboolean
weights_are_finite (Run *run)
{
  gsize n = run->backend->spec.decoder.n_parameters;
  g_autofree float *values = g_new (float, n);
  gboolean finite = TRUE;

  run->backend->ops->get_parameters (run->backend, values);
  for (gsize i = 0; i < n; i++)
    finite &= isfinite (values[i]) != 0;
  return finite;
}

/* A moment shows in the weights of its step, and so in the loss of the next. */
static void
run_to_end (Run *run)
{
  guint n_bad = 0;

  while (run->trainer->now.phase != PRISM_PHASE_DONE)
    {
      MUST (prism_trainer_step (run->trainer, &error));
      n_bad += !weights_are_finite (run);
    }
  g_assert_cmpuint (n_bad, <=, plan.kind == INJECT_MOMENT ? 1 : 0);
}

static void
check_end (Run *run)
{
  g_autoptr (PrismSnapshot) end = prism_snapshot_new ();
  gboolean measured = plan.kind == INJECT_IMAGE || plan.kind == INJECT_MEASUREMENT;
  gboolean single = plan.kind == INJECT_LOSS && plan.times < 3;

  prism_trainer_publish (run->trainer, end, TRUE);
  for (int i = 0; i < 16 * 16; i++)
    g_assert_true (isfinite (end->reconstruction->pixels[i]));
  /* A gradient that is just finite moves weights so far that the losses after it are not. */
  if (plan.kind == INJECT_GRADIENT)
    g_assert_cmpuint (end->n_skipped - 1, <, 3);
  else if (plan.kind != INJECT_IMAGE)
    g_assert_cmpuint (end->n_skipped, ==, plan.times);
  if (measured)
    HAS (end->message, "held a value that is not finite");
  else if (!single)
    HAS (end->message, "went back to the last good checkpoint");
  else
    g_assert_null (end->message);
}

static void
inject (guint i)
{
  const float values[] = { NAN, INFINITY, -INFINITY };
  g_auto (Run) run;

  memset (&plan, 0, sizeof plan);
  plan.kind = i % N_INJECTIONS;
  plan.value = values[i / N_INJECTIONS % 3];
  plan.times = plan.kind == INJECT_LOSS && i / N_INJECTIONS % 2 == 1 ? 3 : 1;
  /* The start phase knows no measurements. */
  plan.step = plan.kind < INJECT_WEIGHT ? 20 + i * 11 % 36 : 1 + i * 11 % 54;
  /* After the last step of an attempt at the start such weights are thrown away unseen. */
  if (plan.kind == INJECT_MOMENT && plan.step < 20 && plan.step % 5 == 4)
    plan.step++;
  g_test_message ("%u: kind %d, step %u", i, plan.kind, plan.step);
  run_open (&run, i / N_INJECTIONS);
  run_to_end (&run);
  check_end (&run);
}

TEST (each_is_caught, "/engine/non-finite/each-is-caught")
{
  guint n = g_getenv ("PRISM_TEST_LONG") != NULL ? LONG_INJECTIONS : SHORT_INJECTIONS;

  for (guint i = 0; i < n; i++)
    inject (i);
  g_test_message ("%u values that are not finite", n);
}
