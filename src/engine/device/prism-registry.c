#include "config.h"

#include "device/prism-registry.h"

#include "base/prism-error.h"
#include "config/prism-device-list.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-backend-check.h"

#include <glib/gi18n-lib.h>
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
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
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
      *reason = g_strdup (_ ("Running on the CPU, as asked."));
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
    *reason = g_strdup (_ ("Running on the GPU, as asked."));
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
