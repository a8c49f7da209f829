#include "config.h"

#include "device/prism-registry.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-random.h"
#include "config/prism-device-list.h"
#include "cpu/prism-cpu-backend.h"

#include <gmodule.h>
#include <pthread.h>

typedef const PrismBackendOps *(*Entry) (void);
typedef const PrismRecordedOps *(*RecordedEntry) (void);

/* What the process knows about a module's device. */
typedef struct
{
  const PrismBackendOps *replacement; /* (nullable): in place of the module's */
  const PrismBackendOps *checked;     /* (nullable): went through the self-test */
  char *failure;                      /* (nullable): of the self-test of checked */
  char *loss;                         /* (nullable): why it stopped answering */
} Device;

/* What a run would compute on, as it was found out last. */
typedef struct
{
  gboolean known;
  const PrismBackendOps *ops; /* (nullable): none, where a device is asked for by name */
  char *why_not;              /* (nullable), owned: why there is none */
} Answer;

/* By number in the list; guarded by lock, which is held while a driver is asked. */
static Device devices[PRISM_DEVICE_LIST_LENGTH];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* By number in the list; guarded by answer_lock, which nobody holds for long. */
static Answer answers[PRISM_DEVICE_LIST_LENGTH]
    = { [PRISM_BACKEND_CPU] = { TRUE, &prism_cpu_backend_ops, NULL } };
static pthread_mutex_t answer_lock = PTHREAD_MUTEX_INITIALIZER;

static void
set_answer (int choice,
            gboolean known,
            const PrismBackendOps *ops,
            const char *why_not)
{
  pthread_mutex_lock (&answer_lock);
  g_free (answers[choice].why_not);
  answers[choice] = (Answer) { known, ops, g_strdup (why_not) };
  pthread_mutex_unlock (&answer_lock);
}

/* Returns whether there is one. ops, why_not: (out) (optional) (transfer full for why_not) */
static gboolean
get_answer (int choice,
            const PrismBackendOps **ops,
            char **why_not)
{
  gboolean known;

  pthread_mutex_lock (&answer_lock);
  known = answers[choice].known;
  if (ops != NULL)
    *ops = answers[choice].ops;
  if (why_not != NULL)
    *why_not = g_strdup (answers[choice].why_not);
  pthread_mutex_unlock (&answer_lock);
  return known;
}

static char *
find_module (int number)
{
  const char *directory = g_getenv ("PRISM_MODULE_DIR");
  g_autofree char *file = g_strdup_printf ("libprism-%s.so", prism_device_list[number].name);
  g_autofree char *path
      = g_build_filename (directory != NULL ? directory : PRISM_MODULE_DIR, file, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS) ? g_steal_pointer (&path) : NULL;
}

/* The module stays loaded for the life of the process: its operations are static data. entry: one
 * of its functions, “prism_DEVICE_ENTRY”. */
static gpointer
load_module (const char *path,
             int number,
             const char *entry,
             char **reason)
{
  g_autofree char *symbol = g_strdup_printf ("prism_%s_%s", prism_device_list[number].name, entry);
  GModule *module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  gpointer address = NULL;

  if (module == NULL)
    {
      *reason = g_strdup_printf (_ ("The %s module cannot be loaded: %s."),
                                 _ (prism_device_list[number].label), g_module_error ());
      return NULL;
    }
  if (!g_module_symbol (module, symbol, &address))
    {
      *reason = g_strdup_printf (_ ("%s is not a module of this program."), path);
      g_module_close (module);
      return NULL;
    }
  g_module_make_resident (module);
  return address;
}

static const PrismBackendOps *
load_ops (int number,
          char **reason)
{
  const char *label = _ (prism_device_list[number].label);
  g_autofree char *path = find_module (number);
  const PrismBackendOps *ops;
  Entry entry;

  if (devices[number].replacement != NULL)
    return devices[number].replacement;
  if (path == NULL)
    {
      *reason = g_strdup_printf (_ ("The %s module is not installed."), label);
      return NULL;
    }
  entry = (Entry) load_module (path, number, "backend_get_ops", reason);
  if (entry == NULL)
    return NULL;
  ops = entry ();
  if (ops->abi == PRISM_BACKEND_ABI)
    return ops;
  *reason = g_strdup_printf (_ ("The %s module is of another version: its interface is number %u,"
                                " this program needs %d."),
                             label, ops->abi, PRISM_BACKEND_ABI);
  return NULL;
}

/**
 * prism_registry_get_ops:
 * @name: "cpu" or that of a module's device
 *
 * Looks a device's operations up; whether the device works here is for its
 * dup_unavailable_reason to say.
 *
 * Returns: (nullable): the operations, NULL where the module is missing or does not fit
 */
const PrismBackendOps *
prism_registry_get_ops (const char *name)
{
  int number = prism_device_list_find (name);
  g_autofree char *reason = NULL;
  const PrismBackendOps *ops;

  if (number < PRISM_BACKEND_FIRST_MODULE)
    return number == PRISM_BACKEND_CPU ? &prism_cpu_backend_ops : NULL;
  pthread_mutex_lock (&lock);
  ops = load_ops (number, &reason);
  pthread_mutex_unlock (&lock);
  return ops;
}

/**
 * prism_registry_get_recorded:
 * @ops: a device that was chosen
 *
 * Looks up what a device does for recorded frames.
 *
 * Returns: (nullable): NULL where it leaves them to the CPU, as the CPU's own table does
 */
const PrismRecordedOps *
prism_registry_get_recorded (const PrismBackendOps *ops)
{
  int number = prism_device_list_find (ops->name);
  const PrismRecordedOps *recorded = NULL;
  g_autofree char *reason = NULL;
  g_autofree char *path = NULL;
  RecordedEntry entry = NULL;

  if (number < PRISM_BACKEND_FIRST_MODULE)
    return NULL;
  pthread_mutex_lock (&lock);
  path = find_module (number);
  if (path != NULL && devices[number].replacement == NULL)
    entry = (RecordedEntry) load_module (path, number, "recorded_get_ops", &reason);
  pthread_mutex_unlock (&lock);
  if (entry != NULL)
    recorded = entry ();
  return recorded != NULL && recorded->abi == PRISM_RECORDED_ABI ? recorded : NULL;
}

/* Why the device cannot be trusted: it was lost before, or its self-test fails. The test runs once
 * in the life of the process. */
static char *
dup_distrust (int number,
              const PrismBackendOps *ops)
{
  Device *self = &devices[number];
  g_autoptr (GError) error = NULL;

  if (self->loss != NULL)
    return g_strdup_printf (_ ("the GPU was lost before (%s). Set backend to %s to try it again."),
                            self->loss, prism_device_list[number].name);
  if (self->checked != ops)
    {
      g_clear_pointer (&self->failure, g_free);
      if (!prism_backend_check (ops, &error))
        {
          /* Another program may have the memory now and give it back later. */
          if (g_error_matches (error, PRISM_ERROR, PRISM_ERROR_MEMORY))
            return g_strdup (error->message);
          self->failure = g_strdup (error->message);
        }
      self->checked = ops;
    }
  return g_strdup (self->failure);
}

static const PrismBackendOps *
find_ops (int number,
          gboolean trusted,
          char **reason)
{
  const PrismBackendOps *ops = load_ops (number, reason);

  if (ops == NULL)
    return NULL;
  *reason = ops->dup_unavailable_reason ();
  if (*reason == NULL && trusted)
    *reason = dup_distrust (number, ops);
  return *reason == NULL ? ops : NULL;
}

/* The first that can be trusted; else the CPU, and why. */
static const PrismBackendOps *
find_any (char **reasons)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = PRISM_BACKEND_FIRST_MODULE; i < PRISM_DEVICE_LIST_LENGTH; i++)
    {
      g_autofree char *reason = NULL;
      const PrismBackendOps *ops = find_ops (i, TRUE, &reason);

      if (ops != NULL)
        return ops;
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", reason);
    }
  *reasons = g_strdup (text->str);
  return &prism_cpu_backend_ops;
}

/* Who asks for a device gets it without a test, also after it was lost. */
static const PrismBackendOps *
find_choice (int choice,
             char **reason)
{
  const PrismBackendOps *ops;

  if (choice != PRISM_BACKEND_AUTO)
    ops = find_ops (choice, FALSE, reason);
  else
    ops = find_any (reason);
  set_answer (choice, TRUE, ops, ops == NULL ? *reason : NULL);
  return ops;
}

/* What is automatically chosen then is to be found out anew. */
static void
set_loss (int number,
          const char *loss)
{
  g_free (devices[number].loss);
  devices[number].loss = g_strdup (loss);
  set_answer (PRISM_BACKEND_AUTO, FALSE, NULL, NULL);
}

static void
set_unusable_error (int choice,
                    const char *why_not,
                    GError **error)
{
  prism_error_set (error, PRISM_ERROR_BACKEND,
                   _ ("%s cannot be used: %s Set backend to auto or cpu."),
                   _ (prism_device_list[choice].label), why_not);
}

/**
 * prism_registry_choose:
 * @choice: what the configuration asks for
 * @reason: (out) (transfer full): why this device and no other, one sentence
 *
 * Picks the device: the first module's whose device works, passes prism_backend_check() and was not
 * lost before, unless the CPU is asked for. Who asks for a module's device gets it without a test.
 * The first call may take a second, for the driver and the test.
 *
 * Errors: PRISM_ERROR_BACKEND when a module's device is asked for and cannot be used.
 * Thread: engine.
 *
 * Returns: (nullable): the operations
 */
const PrismBackendOps *
prism_registry_choose (int choice,
                       char **reason,
                       GError **error)
{
  g_autofree char *why_not = NULL;
  const PrismBackendOps *ops;

  if (choice == PRISM_BACKEND_CPU)
    {
      *reason = g_strdup (_ ("Running on the CPU, as set."));
      return &prism_cpu_backend_ops;
    }
  pthread_mutex_lock (&lock);
  ops = find_choice (choice, &why_not);
  if (ops != NULL && devices[choice].loss != NULL)
    set_loss (choice, NULL);
  pthread_mutex_unlock (&lock);
  if (ops == NULL)
    set_unusable_error (choice, why_not, error);
  else if (choice != PRISM_BACKEND_AUTO)
    *reason = g_strdup (_ ("Running on the GPU, as set."));
  else if (why_not != NULL)
    *reason = g_strdup_printf (_ ("Running on the CPU: %s"), why_not);
  else
    *reason = g_strdup (_ ("Running on the GPU."));
  return ops;
}

/**
 * prism_registry_find:
 * @choice: what the configuration asks for
 *
 * What prism_registry_choose() found last; where nobody has asked yet it is found out now.
 *
 * Returns: (nullable): the operations, NULL where a device is asked for that cannot be used
 */
const PrismBackendOps *
prism_registry_find (int choice)
{
  const PrismBackendOps *ops;
  g_autofree char *why_not = NULL;

  if (get_answer (choice, &ops, NULL))
    return ops;
  pthread_mutex_lock (&lock);
  if (!get_answer (choice, &ops, NULL))
    ops = find_choice (choice, &why_not);
  pthread_mutex_unlock (&lock);
  return ops;
}

/**
 * prism_registry_peek:
 * @choice: what the configuration asks for
 * @ops: (out) (nullable): what prism_registry_find() would return
 * @error: (nullable): return location for why a device that is asked for cannot be used
 *
 * Neither driver nor device is asked, so that a window need not wait for them.
 *
 * Errors: PRISM_ERROR_BACKEND where the answer is known and @ops is %NULL.
 *
 * Returns: whether prism_registry_find() would answer at once
 */
gboolean
prism_registry_peek (int choice,
                     const PrismBackendOps **ops,
                     GError **error)
{
  g_autofree char *why_not = NULL;
  const gboolean known = get_answer (choice, ops, &why_not);

  if (known && *ops == NULL)
    set_unusable_error (choice, why_not, error);
  return known;
}

/**
 * prism_registry_is_gpu:
 * @choice: what the configuration asks for
 *
 * Returns: whether prism_registry_find() finds a GPU
 */
gboolean
prism_registry_is_gpu (int choice)
{
  const PrismBackendOps *ops = prism_registry_find (choice);

  return ops != NULL && prism_backend_can_be_lost (ops);
}

/**
 * prism_registry_note_loss:
 * @ops: a device that is lost
 *
 * Remembers that a device stopped answering: “auto” leaves it alone from now on.
 */
void
prism_registry_note_loss (const PrismBackendOps *ops)
{
  int number = prism_device_list_find (ops->name);

  g_return_if_fail (prism_backend_can_be_lost (ops) && number >= PRISM_BACKEND_FIRST_MODULE);

  pthread_mutex_lock (&lock);
  set_loss (number, ops->get_loss ());
  pthread_mutex_unlock (&lock);
}

/**
 * prism_registry_replace:
 * @name: of a module's device
 * @ops: (nullable): a table that stands in for the module's; NULL for the module itself
 *
 * Lets tests put a device of their own where another is; forgets its losses and self-tests.
 *
 * Thread: any, while nothing runs.
 */
void
prism_registry_replace (const char *name,
                        const PrismBackendOps *ops)
{
  int number = prism_device_list_find (name);

  g_return_if_fail (number >= PRISM_BACKEND_FIRST_MODULE);

  pthread_mutex_lock (&lock);
  g_free (devices[number].failure);
  g_free (devices[number].loss);
  devices[number] = (Device) { .replacement = ops };
  set_answer (number, FALSE, NULL, NULL);
  set_answer (PRISM_BACKEND_AUTO, FALSE, NULL, NULL);
  pthread_mutex_unlock (&lock);
}

/* Dimensions of this file: n = 64, m = 16, P = number of parameters. */

#define N 64
#define M 16
#define N_STEPS 2
#define SEED 1
#define SNR 30.0

static const char *const number_names[] = {
  "energy of a noisy image",
  "energy of an image",
  "loss of the new image",
  "loss of the old image",
  "loss of the new image after a step",
  "loss of the old image after a step",
  "PSNR",
  "residual of ePIE",
  "misfit",
};

#define N_NUMBERS G_N_ELEMENTS (number_names)

/* Everything that a run asks of a device, once. */
typedef struct
{
  float spectrum[N * N];
  float detector[N * N]; /* with noise */
  float output[M * M];
  float epie[M * M];
  float slope[M * M + 1]; /* of the refinement's misfit, which is last */
  float *gradient;        /* [P] */
  gsize n_parameters;
  float numbers[N_NUMBERS];
} Outcome;

typedef struct
{
  const char *name;
  const float *expected;
  const float *values;
  gsize n_values;
  double tolerance; /* of the largest difference, relative to the largest expected magnitude */
} Comparison;

PRISM_CLEAR (Outcome, outcome_clear, g_free, gradient)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Outcome, outcome_clear)

static PrismBackend *
open_device (const PrismBackendOps *ops,
             GError **error)
{
  PrismBackendSpec spec = { .image_size = N, .object_size = M, .n_slots = 3, .n_threads = 1 };
  g_autoptr (PrismBackend) backend = NULL;
  g_autofree float *parameters = NULL;
  float object[M * M];

  if (!prism_decoder_plan_init (&spec.decoder, N, M, PRISM_EDGE_SAME, error))
    return NULL;
  backend = ops->open (&spec, error);
  if (backend == NULL)
    return NULL;
  for (int i = 0; i < M * M; i++)
    object[i] = (float) prism_random_uniform (SEED, PRISM_STREAM_OBJECT, 0, i);
  if (!ops->set_object (backend, object, error))
    return NULL;
  parameters = g_new (float, spec.decoder.n_parameters);
  prism_decoder_plan_initialise (&spec.decoder, SEED, parameters);
  ops->set_parameters (backend, parameters);
  ops->reset_optimizer (backend);
  return g_steal_pointer (&backend);
}

/* Slot 0: with noise, in the middle; 1: noise-free, off the axis; 2: the decoder's own image. */
static gboolean
measure (PrismBackend *backend,
         Outcome *outcome,
         GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const PrismExposure exposure = { .snr = SNR, .seed = SEED, .sample = 0 };
  const PrismAperture aperture = { .shape = PRISM_SHAPE_DISK, .radius = 9.0 };
  g_autoptr (PrismMask) middle = prism_aperture_get_mask (&aperture, N, 0.0, 0.0);
  g_autoptr (PrismMask) aside = prism_aperture_get_mask (&aperture, N, 6.0, -11.0);
  g_autoptr (PrismBuffer) clean = ops->measure (backend, middle, error);
  g_autoptr (PrismBuffer) noisy = NULL, other = NULL;
  double energies[2] = { 0.0, 0.0 };

  if (clean == NULL)
    return FALSE;
  noisy = ops->expose (backend, clean, middle, &exposure, error);
  if (noisy == NULL)
    return FALSE;
  other = ops->measure (backend, aside, error);
  if (other == NULL || !ops->bind (backend, 0, middle, noisy, &energies[0], error)
      || !ops->bind (backend, 1, aside, other, &energies[1], error)
      || !ops->hold (backend, 2, aside, error))
    return FALSE;
  ops->read_buffer (backend, noisy, middle, outcome->detector);
  outcome->numbers[0] = (float) energies[0];
  outcome->numbers[1] = (float) energies[1];
  return TRUE;
}

static PrismStep
make_step (void)
{
  /* The square is smooth: rounding cannot turn a sign around, as it can with l1. */
  return (PrismStep) {
    .loss = PRISM_LOSS_L2,
    .domain = PRISM_DOMAIN_AMPLITUDE,
    .normalise = TRUE,
    .new_term = { 0, 1.0f },
    .n_old = 1,
    .old_terms = { { 1, 0.5f } },
    .learning_rate = 1e-3,
    .with_metrics = TRUE,
  };
}

static gboolean
train (PrismBackend *backend,
       Outcome *outcome,
       GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const PrismStep step = make_step ();
  PrismStep steps[N_STEPS] = { step, step };
  PrismStepResult results[N_STEPS] = { 0 }, first;

  outcome->n_parameters = backend->spec.decoder.n_parameters;
  outcome->gradient = g_new0 (float, outcome->n_parameters);
  ops->compute_gradient (backend, &step, &first);
  ops->get_gradient (backend, outcome->gradient);
  ops->read_image (backend, PRISM_SOURCE_DECODER, outcome->output);
  ops->train (backend, steps, N_STEPS, results);
  outcome->numbers[2] = (float) first.loss_new;
  outcome->numbers[3] = (float) first.loss_old;
  outcome->numbers[4] = (float) results[1].loss_new;
  outcome->numbers[5] = (float) results[1].loss_old;
  outcome->numbers[6] = (float) results[0].metrics.psnr;
  return ops->finish (backend, error);
}

static gboolean
iterate (PrismBackend *backend,
         Outcome *outcome,
         GError **error)
{
  const PrismBackendOps *ops = backend->ops;
  const guint slots[] = { 0, 1, 2 };
  double residual = 0.0, power = 1.0;

  ops->compute_misfit (backend, outcome->output, slots, G_N_ELEMENTS (slots), &residual, &power);
  outcome->numbers[8] = (float) (residual / power);
  ops->epie_start (backend, NULL);
  ops->epie_update (backend, 0, 1.0);
  ops->epie_update (backend, 1, 1.0);
  ops->epie_project (backend);
  ops->epie_collect (backend, &residual, &power);
  ops->read_image (backend, PRISM_SOURCE_EPIE, outcome->epie);
  outcome->numbers[7] = (float) (residual / power);
  return ops->finish (backend, error);
}

/* Nothing where the device leaves the refinement to ePIE. */
static gboolean
refine (PrismBackend *backend,
        Outcome *outcome,
        GError **error)
{
  const PrismMisfitTerm terms[] = { { 0, 0.5f, 1e-4f }, { 1, 1.0f, 0.0f } };
  double misfit = 0.0;

  if (backend->ops->add_misfit_gradient == NULL)
    return TRUE;
  backend->ops->add_misfit_gradient (backend, outcome->output, terms, G_N_ELEMENTS (terms),
                                     outcome->slope, &misfit);
  outcome->slope[M * M] = (float) misfit;
  return backend->ops->finish (backend, error);
}

static gboolean
run (const PrismBackendOps *ops,
     Outcome *outcome,
     GError **error)
{
  g_autoptr (PrismBackend) backend = open_device (ops, error);

  if (backend == NULL)
    return FALSE;
  ops->get_spectrum (backend, outcome->spectrum);
  return measure (backend, outcome, error) && train (backend, outcome, error)
         && iterate (backend, outcome, error) && refine (backend, outcome, error);
}

static gboolean
compare (const Comparison *comparison,
         GError **error)
{
  double difference = 0.0, largest = 0.0;

  for (gsize i = 0; i < comparison->n_values; i++)
    {
      double distance = fabs ((double) comparison->values[i] - comparison->expected[i]);

      difference = prism_worst (difference, distance);
      largest = prism_worst (largest, fabs (comparison->expected[i]));
    }
  if (isfinite (largest) && difference <= comparison->tolerance * largest)
    return TRUE;
  if (isinf (difference))
    return prism_error_set (error, PRISM_ERROR_BACKEND,
                            _ ("In the self-test the device's %s was not finite."),
                            comparison->name);
  return prism_error_set (error, PRISM_ERROR_BACKEND,
                          _ ("In the self-test the device's %s differed from the CPU's by a"
                             " part of %.1e; %.0e is allowed."),
                          comparison->name, difference / largest, comparison->tolerance);
}

/**
 * prism_backend_check:
 * @ops: a device
 *
 * The self-test: lets the CPU and the device do one tiny task with everything in it that a run
 * needs, in single precision, and compares what comes out.
 *
 * Errors: PRISM_ERROR_BACKEND when it differs; what the device reports.
 *
 * Returns: whether the device can be trusted
 */
gboolean
prism_backend_check (const PrismBackendOps *ops,
                     GError **error)
{
  g_auto (Outcome) cpu = { 0 }, device = { 0 };
  const Comparison comparisons[] = {
    { "spectrum", cpu.spectrum, device.spectrum, N * N, 1e-5 },
    { "noisy image", cpu.detector, device.detector, N * N, 1e-4 },
    { "decoder output", cpu.output, device.output, M * M, 1e-4 },
    { "image of ePIE", cpu.epie, device.epie, M * M, 1e-3 },
    { "slope of the misfit", cpu.slope, device.slope,
      ops->add_misfit_gradient != NULL ? M * M + 1 : 0, 1e-3 },
  };
  gboolean equal = run (&prism_cpu_backend_ops, &cpu, error) && run (ops, &device, error);

  for (gsize i = 0; equal && i < G_N_ELEMENTS (comparisons); i++)
    equal = compare (&comparisons[i], error);
  for (gsize i = 0; equal && i < N_NUMBERS; i++)
    {
      const Comparison number = { number_names[i], &cpu.numbers[i], &device.numbers[i], 1, 1e-3 };
      equal = compare (&number, error);
    }
  if (equal)
    {
      const Comparison gradient = { "gradient", cpu.gradient, device.gradient, cpu.n_parameters,
                                    1e-3 };
      equal = compare (&gradient, error);
    }
  return equal;
}

/**
 * prism_backend_check_memory:
 * @ops: a device
 *
 * Asks the device how much memory it could give. It may take a second, for the driver.
 *
 * Units: bytes.
 *
 * Returns: the amount, 0 where the device cannot be opened
 */
guint64
prism_backend_check_memory (const PrismBackendOps *ops)
{
  g_autoptr (PrismBackend) backend = open_device (ops, NULL);
  PrismMemoryUse memory = { 0 };

  if (backend != NULL)
    ops->get_memory (backend, &memory);
  return memory.available;
}
