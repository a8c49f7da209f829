#include "base/prism-number.h"
#include "config/prism-device-list.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"
#include "prism-test.h"

#include <glib-object.h>

/* The self-test must find a device that computes nonsense, wherever it does. Each test changes one
 * operation of the CPU's table. */

static PrismBackendOps ops;

static PrismBackend *
open_with_ops (const PrismBackendSpec *spec, GError **error)
{
  PrismBackend *backend = prism_cpu_backend_ops.open (spec, error);

  if (backend != NULL)
    backend->ops = &ops;
  return backend;
}

static void
reset_ops (void)
{
  ops = prism_cpu_backend_ops;
  ops.name = "cuda";
  ops.open = open_with_ops;
}

static void
check_refused (const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;

  g_assert_false (prism_backend_check (&ops, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND);
  g_test_message ("%s", error->message);
  HAS (error->message, what);

  prism_registry_replace ("cuda", &ops);
  g_assert_cmpstr (prism_registry_choose (PRISM_BACKEND_AUTO, &reason, NULL)->name, ==, "cpu");
  HAS (reason, error->message);
  g_assert_true (prism_registry_find (PRISM_BACKEND_AUTO) == &prism_cpu_backend_ops);
  prism_registry_replace ("cuda", NULL);
}

TEST (equal_device_passes, "/engine/backend-check/equal")
{
  reset_ops ();
  MUST (prism_backend_check (&ops, &error));
}

static void
get_wrong_gradient (PrismBackend *self, float *gradient)
{
  gsize middle = self->spec.decoder.n_parameters / 2;

  prism_cpu_backend_ops.get_gradient (self, gradient);
  for (gsize i = middle; i < self->spec.decoder.n_parameters; i++)
    gradient[i] *= 1.1f;
}

static void
add_wrong_misfit_gradient (PrismBackend *self,
                           const float *image,
                           const PrismMisfitTerm *terms,
                           guint n_terms,
                           float *gradient,
                           double *misfit)
{
  prism_cpu_backend_ops.add_misfit_gradient (self, image, terms, n_terms, gradient, misfit);
  *misfit *= 1.01;
}

/* A device that leaves it to ePIE is as good. */
TEST (no_misfit_slope, "/engine/backend-check/no-misfit-slope")
{
  reset_ops ();
  ops.add_misfit_gradient = NULL;
  MUST (prism_backend_check (&ops, &error));
}

static void
read_infinite_image (PrismBackend *self, PrismSource source, float *image)
{
  prism_cpu_backend_ops.read_image (self, source, image);
  if (source == PRISM_SOURCE_EPIE)
    image[7] = INFINITY;
}

static PrismBuffer *
expose_with_another_seed (PrismBackend *self,
                          PrismBuffer *clean,
                          const PrismMask *mask,
                          const PrismExposure *exposure,
                          GError **error)
{
  PrismExposure other = *exposure;

  other.seed++;
  return prism_cpu_backend_ops.expose (self, clean, mask, &other, error);
}

static guint
train_without_updates (PrismBackend *self,
                       const PrismStep *steps,
                       guint n_steps,
                       PrismStepResult *results)
{
  for (guint i = 0; i < n_steps; i++)
    prism_cpu_backend_ops.compute_gradient (self, &steps[i], &results[i]);
  return n_steps;
}

static gboolean
finish_lost (PrismBackend *self, GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND, "The GPU refused to work.");
  return FALSE;
}

#define WITH(member, function) G_STRUCT_OFFSET (PrismBackendOps, member), G_CALLBACK (function)

static const struct
{
  const char *name, *what;
  gsize offset;
  GCallback function;
} wrong[] = {
  { "gradient", "gradient", WITH (get_gradient, get_wrong_gradient) },
  { "misfit-slope", "slope of the misfit", WITH (add_misfit_gradient, add_wrong_misfit_gradient) },
  { "infinite", "image of ePIE", WITH (read_image, read_infinite_image) },
  { "noise", "noisy image", WITH (expose, expose_with_another_seed) },
  { "update", "after a step", WITH (train, train_without_updates) },
  { "failing", "refused to work", WITH (finish, finish_lost) },
};

TEST_ROWS (wrong_device, "/engine/backend-check", wrong)
{
  const typeof (*wrong) *row = data;

  reset_ops ();
  G_STRUCT_MEMBER (GCallback, &ops, row->offset) = row->function;
  check_refused (row->what);
}

/* Neither the order nor what follows makes an error that is not a number go away. */
TEST (worst_error, "/engine/backend-check/worst-error")
{
  g_assert_cmpfloat (prism_worst (1.0, 2.0), ==, 2.0);
  g_assert_cmpfloat (prism_worst (2.0, 1.0), ==, 2.0);
  g_assert_cmpfloat (prism_worst (1.0, NAN), ==, INFINITY);
  g_assert_cmpfloat (prism_worst (NAN, 1.0), ==, INFINITY);
  g_assert_cmpfloat (prism_worst (prism_worst (NAN, 1.0), 2.0), ==, INFINITY);
}

static guint n_checks;

static PrismBackend *
open_counted (const PrismBackendSpec *spec, GError **error)
{
  n_checks++;
  return open_with_ops (spec, error);
}

TEST (result_is_remembered, "/engine/backend-check/remembered")
{
  reset_ops ();
  ops.open = open_counted;
  n_checks = 0;
  prism_registry_replace ("cuda", &ops);
  for (int i = 0; i < 3; i++)
    {
      g_autofree char *reason = NULL;

      g_assert_true (prism_registry_choose (PRISM_BACKEND_AUTO, &reason, NULL) == &ops);
    }
  g_assert_cmpuint (n_checks, ==, 1);
  prism_registry_replace ("cuda", NULL);
}

static PrismBackend *
open_without_memory (const PrismBackendSpec *spec, GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY, "Another program has the memory.");
  return NULL;
}

/* Memory that another program has today says nothing about tomorrow. */
TEST (want_of_memory_is_forgotten, "/engine/backend-check/memory")
{
  g_autofree char *first = NULL, *second = NULL;

  reset_ops ();
  ops.open = open_without_memory;
  prism_registry_replace ("cuda", &ops);
  g_assert_cmpstr (prism_registry_choose (PRISM_BACKEND_AUTO, &first, NULL)->name, ==, "cpu");
  g_assert_cmpstr (first, ==, "Running on the CPU: Another program has the memory.");
  ops.open = open_with_ops;
  g_assert_true (prism_registry_choose (PRISM_BACKEND_AUTO, &second, NULL) == &ops);
  prism_registry_replace ("cuda", NULL);
}

/* Who asks for the GPU by name gets it without a test: how else could a fault be looked into? */
TEST (insisting_skips_the_test, "/engine/backend-check/insisting")
{
  g_autofree char *reason = NULL;

  reset_ops ();
  ops.get_gradient = get_wrong_gradient;
  prism_registry_replace ("cuda", &ops);
  g_assert_true (prism_registry_choose (prism_device_list_find ("cuda"), &reason, NULL) == &ops);
  prism_registry_replace ("cuda", NULL);
}

TEST (cuda_module_passes, "/engine/backend-check/cuda")
{
  const PrismBackendOps *cuda = prism_registry_get_ops ("cuda");
  g_autofree char *reason = cuda != NULL ? cuda->dup_unavailable_reason () : NULL;

  if (cuda == NULL || reason != NULL)
    {
      g_test_skip (cuda == NULL ? "There is no CUDA module beside this program." : reason);
      return;
    }
  MUST (prism_backend_check (cuda, &error));
}
