#include "config/prism-device-list.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"
#include "prism-test.h"

TEST (names, "/engine/registry/names")
{
  g_assert_true (prism_registry_get_ops ("cpu") == &prism_cpu_backend_ops);
  g_assert_null (prism_registry_get_ops ("abacus"));
  g_assert_null (prism_registry_get_ops ("auto"));
  for (int i = 0; i < PRISM_DEVICE_LIST_LENGTH; i++)
    g_assert_cmpint (prism_device_list_find (prism_device_list[i].name), ==, i);
  g_assert_null (prism_device_list[PRISM_DEVICE_LIST_LENGTH].name);
  g_assert_cmpint (prism_device_list_find ("abacus"), ==, -1);
  g_assert_cmpint (prism_device_list_find (NULL), ==, -1);
}

TEST (cpu_is_chosen_when_asked_for, "/engine/registry/cpu-when-asked")
{
  g_autofree char *reason = NULL;
  const PrismBackendOps *ops = MUST (prism_registry_choose (PRISM_BACKEND_CPU, &reason, &error));

  g_assert_cmpstr (ops->name, ==, "cpu");
  g_assert_cmpstr (reason, ==, "Running on the CPU, as set.");
  g_assert_false (prism_backend_can_be_lost (ops));
}

static const char *
get_loss (void)
{
  return "it was unplugged";
}

/* Why a device was lost is what the device says: no sentence is taken apart for it. Each device has
 * a memory of its own. */
TEST (loss_is_remembered, "/engine/registry/loss")
{
  PrismBackendOps ops = prism_cpu_backend_ops;
  int number = PRISM_BACKEND_FIRST_MODULE;
  g_autofree char *reason = NULL, *wanted = NULL;

  ops.name = prism_device_list[number].name;
  ops.get_loss = get_loss;
  prism_registry_replace (ops.name, &ops);
  g_assert_true (prism_registry_get_ops (ops.name) == &ops);
  g_assert_true (prism_registry_find (PRISM_BACKEND_AUTO) == &ops);
  prism_registry_note_loss (&ops);
  g_assert_true (prism_registry_find (PRISM_BACKEND_AUTO) == &prism_cpu_backend_ops);
  g_assert_true (prism_registry_find (number) == &ops);
  g_assert_true (prism_registry_choose (PRISM_BACKEND_AUTO, &reason, NULL)
                 == &prism_cpu_backend_ops);
  wanted = g_strdup_printf ("Running on the CPU: the GPU was lost before (it was unplugged). Set"
                            " backend to %s to try it again.",
                            ops.name);
  g_assert_true (g_str_has_prefix (reason, wanted));

  /* Who asks for it gets it, and so does everybody from then on. */
  g_clear_pointer (&reason, g_free);
  g_assert_true (prism_registry_choose (number, &reason, NULL) == &ops);
  g_assert_true (prism_registry_find (PRISM_BACKEND_AUTO) == &ops);
  prism_registry_replace (ops.name, NULL);
}

static guint n_asked;

static char *
dup_no_device (void)
{
  n_asked++;
  return g_strdup ("There is no device.");
}

/* A module that loads is no device: the driver is asked, once, and by nobody who only looks whether
 * the answer is there. */
TEST (module_without_device, "/engine/registry/no-device")
{
  PrismBackendOps ops = prism_cpu_backend_ops;
  int number = PRISM_BACKEND_FIRST_MODULE;
  const PrismBackendOps *known = NULL;
  g_autofree char *reason = NULL;
  g_autoptr (GError) error = NULL;

  ops.name = prism_device_list[number].name;
  ops.get_loss = get_loss;
  ops.dup_unavailable_reason = dup_no_device;
  prism_registry_replace (ops.name, &ops);
  g_assert_true (prism_registry_peek (PRISM_BACKEND_CPU, &known, NULL));
  g_assert_false (prism_registry_peek (PRISM_BACKEND_AUTO, &known, NULL));
  g_assert_cmpuint (n_asked, ==, 0);
  g_assert_false (prism_registry_is_gpu (PRISM_BACKEND_AUTO));
  g_assert_true (prism_registry_find (PRISM_BACKEND_AUTO) == &prism_cpu_backend_ops);
  g_assert_true (prism_registry_peek (PRISM_BACKEND_AUTO, &known, NULL));
  g_assert_cmpuint (n_asked, ==, 1);
  g_assert_false (MUST (prism_registry_peek (number, &known, &error)));
  g_assert_null (prism_registry_find (number));
  g_assert_cmpuint (n_asked, ==, 2);
  g_assert_true (prism_registry_peek (number, &known, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND);
  HAS (error->message, "There is no device.");
  g_assert_cmpuint (n_asked, ==, 2);

  /* A run asks again, and from then on everybody knows: somebody may have installed a driver. */
  ops.dup_unavailable_reason = prism_cpu_backend_ops.dup_unavailable_reason;
  ops.get_loss = prism_cpu_backend_ops.get_loss;
  g_assert_true (prism_registry_choose (PRISM_BACKEND_AUTO, &reason, NULL) == &ops);
  g_assert_true (prism_registry_find (PRISM_BACKEND_AUTO) == &ops);
  prism_registry_replace (ops.name, NULL);
}
