#include "../engine/support/microscope.h"
#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "cuda-close.h"
#include "prism-test.h"
#include "base/prism-random.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-private.h"

#ifdef PRISM_CUDA_EMULATION
#include "prism-cuda-backend.h"
#include "prism-emulation.h"
#else
#include "config/prism-device-list.h"
#include "device/prism-registry.h"
#endif

/* Recorded frames on the device: what it finds against the CPU's, whose way is the reference. The
 * third pass is the first in which pupil and places are free; of descent on all frames it is the
 * second. Linked with the emulated device, or,
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

/* Five passes, of which three are taken: the first two visit the frames at the rim again. */
static PrismPtychography *
make_solver (const char *setting,
             const char *method)
{
  const char *const settings_of_all[]
      = { "border=0", "passes=5", "pupil=flat", "threads=1", method, setting };
  g_autoptr (Microscope) truth = microscope_new (&errors);
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  PrismPtychography *solver;

  for (gsize i = 0; i < G_N_ELEMENTS (settings_of_all); i++)
    microscope_set (settings, settings_of_all[i]);
  PrismPtychogram *frames = MUST (prism_ptychogram_new (truth->recording, settings, &error));
  solver = MUST (prism_ptychography_new (frames, settings, truth->recording->wavelength,
                                         truth->recording->na, &error));
  return solver;
}

#define PLAIN "border=0"
#define BY_FRAMES "method=sequential"
#define BY_DESCENT "method=descent"
#define BY_DECODER "method=complex"

/* ops: (nullable): of a device */
static PrismPtychography *
explain (const PrismRecordedOps *ops,
         const char *setting,
         const char *method)
{
  PrismPtychography *solver = make_solver (setting, method);

  if (ops != NULL)
    g_assert_true (MUST (prism_ptychography_device_open (solver, ops, &error)));
  g_assert_true (prism_ptychography_begin (solver));
  for (guint i = g_str_equal (method, BY_DESCENT) ? 1 : 0; i < PASSES; i++)
    g_assert_true (prism_ptychography_step (solver));
  return solver;
}

static void
compare (PrismPtychography *a,
         PrismPtychography *b,
         double most)
{
  const PrismPtychogram *frames = a->frames;
  const PrismIllumination *lights[2] = { &a->light, &b->light };
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

/* Object, pupil, gains and places; data: a setting. */
static void
test_parity (gconstpointer data)
{
  g_autoptr (PrismPtychography) expected = explain (NULL, data, BY_FRAMES);
  g_autoptr (PrismPtychography) found = explain (device, data, BY_FRAMES);

  g_assert_null (prism_ptychography_device_get_failure (found));
  g_assert_nonnull (prism_ptychography_device_get_name (found));
  compare (expected, found, 1e-4);
}

TEST (same_bits, "/cuda/recorded/same-bits")
{
  g_autoptr (PrismPtychography) first = explain (device, PLAIN, BY_FRAMES);
  g_autoptr (PrismPtychography) second = explain (device, PLAIN, BY_FRAMES);

  compare (first, second, 0);
}

/* As many steps as free gains, pupil and places. */
TEST (descent, "/cuda/recorded/descent")
{
  g_autoptr (PrismPtychography) expected = explain (NULL, "border=6", BY_DESCENT);
  g_autoptr (PrismPtychography) found = explain (device, "border=6", BY_DESCENT);

  g_assert_null (prism_ptychography_device_get_failure (found));
  g_assert_nonnull (prism_ptychography_device_get_name (found));
  compare (expected, found, 1e-4);
}

/* Of the sums of all frames: what the loss, Σ(|φ| - gA)², changes by along a direction is minus
 * twice their product with it, from the object and from the pupil. */
static void
test_adjoint (gconstpointer data)
{
  const gboolean of_pupil = g_str_equal (data, "pupil");
  g_autoptr (PrismPtychography) solver = make_solver ("rim=3", BY_DESCENT);
  PrismPtychographyVisit visit;
  double losses[3], expected = 0, length, n_points, quotient;

  g_assert_true (prism_ptychography_device_open (solver, device, NULL));
  g_assert_true (prism_ptychography_begin (solver));
  g_assert_true (prism_ptychography_step (solver));
  PrismPtychographySums *sums = prism_ptychography_sums_new (solver->frames, NULL);
  visit = (PrismPtychographyVisit) { .object_step = 1, .pupil_step = 1, .sums = sums };
  for (guint i = 0; i < solver->frames->n_used; i++)
    sums->frames[sums->n_frames++] = solver->frames->order[i];
  float *values = of_pupil ? prism_ptychography_frame_get_pupil (solver->frame)
                           : prism_ptychography_frame_get_object (solver->frame);
  gsize n = 2 * (of_pupil ? (gsize) sums->grid * sums->grid : (gsize) sums->side * sums->side);
  n_points = (double) sums->grid * sums->grid;
  g_autofree float *before = g_memdup2 (values, sizeof *values * n);
  g_autofree float *direction = g_new0 (float, n);
  for (int k = 0; k < 3; k++)
    {
      losses[k] = 0;
      g_assert_true (prism_ptychography_sum_up (solver, &visit, FALSE, 0, 1));
      g_assert_null (prism_ptychography_device_get_failure (solver));
      for (guint i = 0; i < sums->n_frames; i++)
        losses[k] += sums->lessons[i].error;
      for (gsize i = 0; i < n && k == 0; i++)
        if (prism_random_normal (1, PRISM_STREAM_OBJECT, 0, i) > 0)
          {
            direction[i] = of_pupil ? sums->pupil[i] : sums->object[i];
            expected -= 2 * (double) direction[i] * (double) direction[i];
          }
      length = 1e-3 * losses[0] / expected;
      for (gsize i = 0; i < n; i++)
        values[i] = before[i] + (float) (k == 0 ? length : -length) * direction[i];
    }
  quotient = (losses[1] - losses[2]) / (2 * length);
  g_test_message ("%g, %g expected, %g points", quotient, expected, n_points);
  g_assert_cmpfloat_with_epsilon (quotient, expected, 0.01 * fabs (expected));
  prism_ptychography_sums_free (sums);
}

/* What two frames teach that have noise: a floor, pixels darker than the background, and some that
 * nobody saw. Object and pupil are as they begin, so that nothing but the comparison counts. */
TEST (noise, "/cuda/recorded/noise")
{
  PrismPtychographySums *sums[2];
  gsize n[2];

  for (int k = 0; k < 2; k++)
    {
      g_autoptr (PrismPtychography) solver = make_solver (PLAIN, BY_DESCENT);
      PrismPtychogram *frames = solver->frames;
      const gsize n_pixels = (gsize) frames->side * (gsize) frames->side;
      PrismPtychographyVisit visit = { .object_step = 1, .pupil_step = 1 };

      g_assert_true (prism_ptychography_begin (solver));
      visit.sums = sums[k] = prism_ptychography_sums_new (frames, NULL);
      for (guint i = 0; i < 2; i++)
        {
          const guint j = sums[k]->frames[sums[k]->n_frames++] = frames->order[i];
          float *amplitudes = (float *) prism_ptychogram_get (frames, j);

          frames->floors[j] = 0.5 * frames->energies[j] / (double) n_pixels;
          for (gsize p = 0; p < n_pixels; p++)
            amplitudes[p] = p % 11 == 0 ? NAN : p % 3 == 0 ? -0.5f * amplitudes[p]
                                                           : amplitudes[p];
        }
      if (k == 1)
        g_assert_true (prism_ptychography_device_open (solver, device, NULL));
      g_assert_true (prism_ptychography_sum_up (solver, &visit, FALSE, 0, 1));
      g_assert_null (prism_ptychography_device_get_failure (solver));
      n[0] = 2 * (gsize) sums[k]->side * (gsize) sums[k]->side;
      n[1] = 2 * (gsize) sums[k]->grid * (gsize) sums[k]->grid;
    }
  g_assert_cmpfloat (get_relative_distance (sums[1]->object, sums[0]->object, n[0]), <, 1e-5);
  g_assert_cmpfloat (get_relative_distance (sums[1]->pupil, sums[0]->pupil, n[1]), <, 1e-5);
  for (int k = 0; k < 2; k++)
    prism_ptychography_sums_free (sums[k]);
}

/* A step of the network: what it makes, the slope by that, and Adam's first moment, which is a
 * tenth of the gradient by its weights. */
TEST (decoder, "/cuda/recorded/decoder")
{
  g_autoptr (PrismPtychography) expected = make_solver (PLAIN, BY_DECODER);
  g_autoptr (PrismPtychography) found = make_solver (PLAIN, BY_DECODER);
  PrismPtychography *const solvers[2] = { expected, found };
  const PrismDecoderPlan *plan = &expected->decoder->plan;
  const gsize n = plan->n_parameters, m = (gsize) plan->object_size;
  g_autofree float *wanted = g_new (float, 3 * n);
  g_autofree float *values = g_new (float, 3 * n);
  g_autofree float *outputs = NULL;
  PrismAdam adam;

  g_assert_true (prism_ptychography_device_open (found, device, NULL));
  prism_adam_init (&adam, 1e-3, 1);
  for (int k = 0; k < 2; k++)
    {
      PrismPtychographyDecoder *decoder = solvers[k]->decoder;

      g_assert_true (prism_ptychography_begin (solvers[k]));
      prism_ptychography_decoder_begin (solvers[k]);
      prism_ptychography_decoder_measure (solvers[k], 1);
      if (k == 0)
        outputs = g_memdup2 (decoder->outputs, sizeof *outputs * 2 * m * m);
      else
        {
          g_assert_cmpfloat (get_relative_distance (decoder->outputs, outputs, 2 * m * m), <, 2e-5);
          g_assert_cmpfloat (
              get_relative_distance (decoder->field, expected->decoder->field, 2 * m * m), <, 1e-4);
        }
      g_assert_true (prism_ptychography_decoder_learn (solvers[k], &adam));
    }
  g_assert_true (found->decoder->is_lent);
  prism_cpu_decoder_get_parameters (expected->decoder->network, wanted);
  prism_cpu_decoder_get_moments (expected->decoder->network, wanted + n, wanted + 2 * n, NULL);
  g_assert_true (prism_ptychography_device_run_network (found, PRISM_NETWORK_GET, values, 0));
  g_assert_cmpfloat (get_relative_distance (wanted, values, n), <, 1e-3);
  g_assert_cmpfloat (get_relative_distance (wanted + n, values + n, n), <, 1e-3);
}

/* A device that fails in its n_left-th batch, or that has another object than it should. */
static struct
{
  PrismRecordedOps ops;
  int n_left;
  float factor;
  guint n_taught; /* visits */
  guint n_compared;
} broken;

static gboolean
broken_visit (PrismRecorded *self,
              const PrismRecordedVisit *visits,
              guint n_visits,
              guint n_next,
              PrismRecordedLesson *lessons,
              GError **error)
{
  *(visits->object_step > 0 ? &broken.n_taught : &broken.n_compared) += n_visits;
  if (broken.n_left-- > 0)
    return device->visit (self, visits, n_visits, n_next, lessons, error);
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

static gboolean
broken_run_network (PrismRecorded *self,
                    PrismNetworkTask task,
                    float *values,
                    double number,
                    GError **error)
{
  if (task != PRISM_NETWORK_LEARN || broken.n_left-- > 0)
    return device->run_network (self, task, values, number, error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST, "The GPU fell off.");
  return FALSE;
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
  broken.n_taught = broken.n_compared = 0;
}

/* Frames at the rim are visited again there, and held-out ones predicted: the CPU, with the same
 * object, predicts the same. */
TEST (all_visits, "/cuda/recorded/all-visits")
{
  PrismPrediction predicted[2];
  guint n_at_rim = 0;

  set_broken (G_MAXINT, 1);
  g_autoptr (PrismPtychography) found = explain (&broken.ops, PLAIN, BY_FRAMES);
  for (guint j = 0; j < found->frames->n_frames; j++)
    n_at_rim += found->frames->roles[j] == PRISM_FRAME_USED
                && prism_ptychography_wants (found, j, TRUE);
  g_assert_cmpuint (n_at_rim, >, 0);
  g_assert_cmpuint (broken.n_taught, >, PASSES * found->frames->n_used + 6 * n_at_rim);
  g_assert_cmpuint (broken.n_compared, >, 0);
  predicted[0] = prism_ptychography_predict (found, TRUE, NULL, NULL);
  prism_ptychography_device_close (found);
  predicted[1] = prism_ptychography_predict (found, TRUE, NULL, NULL);
  g_assert_cmpuint (predicted[0].n_frames, ==, predicted[1].n_frames);
  g_assert_cmpfloat_with_epsilon (predicted[0].misfit, predicted[1].misfit, 1e-5);
  g_assert_cmpfloat_with_epsilon (predicted[0].correlation, predicted[1].correlation, 1e-5);
}

/* The pass in which it fails is the CPU's, from its beginning, and so are those that follow: of the
 * first one all bits are the CPU's. */
TEST (lost, "/cuda/recorded/lost")
{
  static const struct
  {
    int n_batches;
    double most;
  } losses[] = { { 0, 0 }, { 2, 0 }, { 6, 1e-2 } };
  g_autoptr (PrismPtychography) expected = explain (NULL, PLAIN, BY_FRAMES);

  for (gsize i = 0; i < G_N_ELEMENTS (losses); i++)
    {
      set_broken (losses[i].n_batches, 1);
      g_autoptr (PrismPtychography) found = explain (&broken.ops, PLAIN, BY_FRAMES);
      g_assert_cmpint (broken.n_left, <, 0);
      g_assert_cmpstr (prism_ptychography_device_get_failure (found), ==, "The GPU fell off.");
      g_assert_null (prism_ptychography_device_get_name (found));
      compare (expected, found, losses[i].most);
    }
}

#ifdef PRISM_CUDA_EMULATION
static guint64
count_bytes (void)
{
  PrismEmulationCounters counters;

  prism_emulation_get_counters (&counters);
  return counters.bytes_device;
}

/* Where not all frames have room, they come while those before them are computed, and what is found
 * has the same bits, though the device does what came last first. */
TEST (few_slots, "/cuda/recorded/few-slots")
{
  const guint64 before = count_bytes ();
  g_autoptr (PrismPtychography) expected = explain (device, PLAIN, BY_FRAMES);
  const guint64 n_all = count_bytes () - before;
  g_autofree char *fault = NULL;

  prism_ptychography_device_close (expected);
  fault = g_strdup_printf ("memory:%" G_GUINT64_FORMAT, before + n_all + (64 << 20) - 1);
  prism_emulation_set_fault (fault);
  prism_emulation_set_order (G_MAXUINT64);
  g_autoptr (PrismPtychography) found = explain (device, PLAIN, BY_FRAMES);
  g_assert_null (prism_ptychography_device_get_failure (found));
  g_assert_cmpuint (count_bytes () - before, <, n_all);
  prism_emulation_set_order (0);
  prism_emulation_set_fault (NULL);
  compare (expected, found, 0);
}

/* Kernels wait for a frame that is on its way, which the device may be through with by chance. */
TEST (loading, "/cuda/recorded/loading")
{
  g_autoptr (PrismPtychography) solver = make_solver (PLAIN, BY_FRAMES);
  PrismHeldOut wanted, found;

  g_assert_true (prism_ptychography_begin (solver));
  wanted = prism_ptychography_frame_compare (solver->frame, 0, solver->light.found[0], NULL);
  prism_emulation_set_order (G_MAXUINT64);
  for (guint i = 0; i < 60; i++)
    {
      g_assert_true (prism_ptychography_device_open (solver, device, NULL));
      g_assert_true (prism_ptychography_device_compare (solver, &(const guint) { 0 }, 1, &found));
      g_assert_cmpfloat_with_epsilon (found.recorded, wanted.recorded, 1e-5 * wanted.recorded);
    }
  prism_emulation_set_order (0);
}
#endif

/* So it is of sums: nothing of the step in which it fails is taken. */
TEST (lost_sums, "/cuda/recorded/lost-sums")
{
  g_autoptr (PrismPtychography) expected = explain (NULL, PLAIN, BY_DESCENT);

  set_broken (3, 1);
  g_autoptr (PrismPtychography) found = explain (&broken.ops, PLAIN, BY_DESCENT);
  g_assert_cmpint (broken.n_left, <, 0);
  g_assert_cmpstr (prism_ptychography_device_get_failure (found), ==, "The GPU fell off.");
  compare (expected, found, 1e-4);
}

/* A whole run of the decoder, but for most of its 400 steps towards what the pass before has found.
 * ops: (nullable): of a device; whole: that has that pass, too. */
static PrismPtychography *
train (const PrismRecordedOps *ops,
       gboolean whole)
{
  PrismPtychography *solver = make_solver ("passes=1", BY_DECODER);

  if (ops != NULL && whole)
    g_assert_true (prism_ptychography_device_open (solver, ops, NULL));
  g_assert_true (prism_ptychography_begin (solver));
  g_assert_true (prism_ptychography_step (solver));
  if (ops != NULL && !whole)
    g_assert_true (prism_ptychography_device_open (solver, ops, NULL));
  prism_ptychography_decoder_begin (solver);
  solver->decoder->step = 398;
  g_assert_true (prism_ptychography_step (solver));
  g_assert_cmpuint (prism_ptychography_get_pass (solver), ==,
                    prism_ptychography_get_n_passes (solver));
  return solver;
}

/* Weights come back after a pass, and one in which the device fails is the CPU's, to the bit. */
TEST (training, "/cuda/recorded/training")
{
  g_autoptr (PrismPtychography) expected = train (NULL, FALSE);
  g_autoptr (PrismPtychography) found = train (device, TRUE);
  double losses[2];

  g_assert_null (prism_ptychography_device_get_failure (found));
  prism_ptychography_device_close (found);
  losses[0] = prism_ptychography_decoder_measure (expected, 1);
  losses[1] = prism_ptychography_decoder_measure (found, 1);
  g_test_message ("%g, %g expected", losses[1], losses[0]);
  g_assert_cmpfloat_with_epsilon (losses[1], losses[0], 0.01 * losses[0]);
  set_broken (G_MAXINT, 1);
  broken.ops.visit = device->visit;
  broken.ops.run_network = broken_run_network;
  broken.n_left = 2;
  g_autoptr (PrismPtychography) lost = train (&broken.ops, FALSE);
  g_assert_cmpstr (prism_ptychography_device_get_failure (lost), ==, "The GPU fell off.");
  g_assert_false (lost->decoder->is_lent);
  compare (expected, lost, 0);
}

/* Who computes something else is found out with the first frame. */
TEST (wrong, "/cuda/recorded/wrong")
{
  set_broken (G_MAXINT, 1.01f);
  g_autoptr (PrismPtychography) found = explain (&broken.ops, PLAIN, BY_FRAMES);
  HAS (prism_ptychography_device_get_failure (found), "different things");
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
  g_autoptr (PrismPtychography) solver = explain (device, PLAIN, BY_FRAMES);
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

  FAILS (device->open (&spec, &error), BACKEND, "");
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_autofree char *reason = find_device ();
  if (reason != NULL)
    {
      g_print ("1..0 # SKIP %s\n", reason);
      return 0;
    }
  g_test_add_data_func ("/cuda/recorded/parity/power-of-two", PLAIN, test_parity);
  g_test_add_data_func ("/cuda/recorded/parity/border", "border=6", test_parity);
  g_test_add_data_func ("/cuda/recorded/parity/soft-rim", "rim=3", test_parity);
  g_test_add_data_func ("/cuda/recorded/adjoint/object", "object", test_adjoint);
  g_test_add_data_func ("/cuda/recorded/adjoint/pupil", "pupil", test_adjoint);
  return prism_test_run ();
}
