#include "config.h"

#include "../engine/support/microscope.h"
#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "cuda-close.h"
#include "prism-test.h"
#include "ptychography/prism-ptychography-device.h"

#ifdef PRISM_CUDA_EMULATION
#include "prism-cuda-backend.h"
#else
#include "config/prism-device-list.h"
#include "device/prism-registry.h"
#endif

/* Recorded frames on the device: what it finds against the CPU's, whose way is the reference. The
 * third pass is the first in which pupil and places are free. Linked with the emulated device, or,
 * as test-cuda-device-recorded, on the one that the module in PRISM_MODULE_DIR finds. */

#define PASSES 3

static const PrismRecordedOps *device;

/* Sets device, or says why there is none. (nullable) */
static char *
find_device (void)
{
#ifdef PRISM_CUDA_EMULATION
  device = prism_cuda_recorded_get_ops ();
  return NULL;
#else
  g_autofree char *reason = NULL;
  g_autoptr (GError) error = NULL;
  const int number = prism_device_list_find ("cuda");
  const PrismBackendOps *ops = prism_registry_choose (number, &reason, &error);

  if (ops == NULL)
    return g_strdup (error->message);
  device = prism_registry_get_recorded (ops);
  return device == NULL ? g_strdup ("The module does not know recorded frames.") : NULL;
#endif
}

static const MicroscopeErrors errors
    = { .defocus = 1, .gain_spread = 0.1, .place_spread = 0.5, .seed = 5 };

static PrismPtychography *
make_solver (const char *border)
{
  static const char *const settings_of_all[] = { "passes=3", "pupil=flat", "threads=1" };
  g_autoptr (Microscope) truth = microscope_new (&errors);
  g_autofree char *setting = g_strdup_printf ("border=%s", border);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  PrismPtychogram *frames;
  PrismPtychography *solver;

  microscope_set (settings, setting);
  for (gsize i = 0; i < G_N_ELEMENTS (settings_of_all); i++)
    microscope_set (settings, settings_of_all[i]);
  frames = MUST (prism_ptychogram_new (truth->recording, settings, &error));
  solver = MUST (prism_ptychography_new (frames, settings, truth->recording->wavelength,
                                         truth->recording->na, &error));
  return solver;
}

/* ops: (nullable): of a device */
static PrismPtychography *
explain (const PrismRecordedOps *ops,
         const char *border)
{
  PrismPtychography *solver = make_solver (border);
  g_autoptr (GError) error = NULL;

  if (ops != NULL)
    g_assert_true (prism_ptychography_device_open (solver, ops, &error));
  g_assert_no_error (error);
  g_assert_true (prism_ptychography_begin (solver));
  for (guint i = 0; i < PASSES; i++)
    g_assert_true (prism_ptychography_step (solver));
  return solver;
}

static void
compare (PrismPtychography *a,
         PrismPtychography *b,
         double most)
{
  const PrismPtychogram *frames = prism_ptychography_get_frames (a);
  const PrismIllumination *lights[2]
      = { prism_ptychography_get_illumination (a), prism_ptychography_get_illumination (b) };
  const gsize q = (gsize) frames->side, m = q * (gsize) frames->upsampling;
  prism_autofree_array float *object_a = prism_ptychography_dup_object (a, NULL);
  prism_autofree_array float *object_b = prism_ptychography_dup_object (b, NULL);
  g_autofree float *pupil_a = prism_ptychography_dup_pupil (a);
  g_autofree float *pupil_b = prism_ptychography_dup_pupil (b);

  g_assert_cmpfloat (get_relative_distance (object_a, object_b, 2 * m * m), <=, most);
  g_assert_cmpfloat (get_relative_distance (pupil_a, pupil_b, 2 * q * q), <=, most);
  for (guint j = 0; j < frames->n_frames; j++)
    {
      g_assert_cmpfloat (fabs (lights[0]->gains[j] - lights[1]->gains[j]), <=, most);
      for (int k = 0; k < 2; k++)
        g_assert_cmpfloat (fabs (lights[0]->found[j][k] - lights[1]->found[j][k]), <=, 10 * most);
    }
}

/* Object, pupil, gains and places; data: the border. */
static void
test_parity (gconstpointer data)
{
  g_autoptr (PrismPtychography) expected = explain (NULL, data);
  g_autoptr (PrismPtychography) found = explain (device, data);

  g_assert_null (prism_ptychography_device_get_failure (found));
  g_assert_nonnull (prism_ptychography_device_get_name (found));
  compare (expected, found, 1e-4);
}

TEST (same_bits, "/cuda/recorded/same-bits")
{
  g_autoptr (PrismPtychography) first = explain (device, "0");
  g_autoptr (PrismPtychography) second = explain (device, "0");

  compare (first, second, 0);
}

/* A device that fails in its n_left-th batch, or that has another object than it should. */
static struct
{
  PrismRecordedOps ops;
  int n_left;
  float factor;
} broken;

static gboolean
broken_visit (PrismRecorded *self,
              const PrismRecordedVisit *visits,
              guint n_visits,
              PrismRecordedLesson *lessons,
              GError **error)
{
  if (broken.n_left-- > 0)
    return device->visit (self, visits, n_visits, lessons, error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST, "The GPU fell off.");
  return FALSE;
}

static gboolean
broken_get (PrismRecorded *self,
            float *object,
            float *pupil,
            GError **error)
{
  const gsize n_points = 64 * 64;
  gboolean is_done = device->get (self, object, pupil, error);

  for (gsize i = 0; i < 2 * n_points; i++)
    pupil[i] *= broken.factor;
  return is_done;
}

static void
set_broken (int n_left,
            float factor)
{
  broken.ops = *device;
  broken.ops.visit = broken_visit;
  broken.ops.get = broken_get;
  broken.n_left = n_left;
  broken.factor = factor;
}

/* The pass in which it fails is the CPU's, from its beginning, and so are those that follow. */
TEST (lost, "/cuda/recorded/lost")
{
  g_autoptr (PrismPtychography) expected = explain (NULL, "0");
  g_autoptr (PrismPtychography) found = NULL;

  set_broken (6, 1);
  found = explain (&broken.ops, "0");
  g_assert_cmpint (broken.n_left, <, 0);
  g_assert_cmpstr (prism_ptychography_device_get_failure (found), ==, "The GPU fell off.");
  g_assert_null (prism_ptychography_device_get_name (found));
  compare (expected, found, 1e-2);
}

/* Who computes something else is found out with the first frame. */
TEST (wrong, "/cuda/recorded/wrong")
{
  g_autoptr (PrismPtychography) found = NULL;

  set_broken (G_MAXINT, 1.01f);
  found = explain (&broken.ops, "0");
  g_assert_nonnull (strstr (prism_ptychography_device_get_failure (found), "different things"));
  g_assert_cmpfloat (prism_ptychography_predict (found, TRUE, NULL, NULL).correlation, >, 0.5);
}

/* The second go-on of a pass that is not the first. */
static gboolean
stop (double fraction,
      gpointer data)
{
  return fraction < 0.5;
}

/* A pass that is ended is not counted, and what it has found is there. */
TEST (ended, "/cuda/recorded/ended")
{
  g_autoptr (PrismPtychography) solver = explain (device, "0");
  const PrismPrediction before = prism_ptychography_predict (solver, FALSE, NULL, NULL);

  prism_ptychography_set_watch (solver, stop, NULL);
  g_assert_false (prism_ptychography_step (solver));
  g_assert_cmpuint (prism_ptychography_get_pass (solver), ==, PASSES);
  g_assert_cmpfloat (prism_ptychography_predict (solver, FALSE, NULL, NULL).misfit, <,
                     before.misfit);
}

TEST (too_large, "/cuda/recorded/too-large")
{
  const PrismRecordedSpec spec = { .grid = 4096 };
  g_autoptr (GError) error = NULL;

  g_assert_null (device->open (&spec, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND);
}

int
main (int argc,
      char **argv)
{
  g_autofree char *reason = NULL;

  g_test_init (&argc, &argv, NULL);
  reason = find_device ();
  if (reason != NULL)
    {
      g_print ("1..0 # SKIP %s\n", reason);
      return 0;
    }
  g_test_add_data_func ("/cuda/recorded/parity/power-of-two", "0", test_parity);
  g_test_add_data_func ("/cuda/recorded/parity/border", "6", test_parity);
  return prism_test_run ();
}
