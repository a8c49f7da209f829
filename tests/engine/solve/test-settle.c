#include "config.h"

#include "../support/test-run-parts.h"
#include "num/prism-variation.h"
#include "solve/prism-alignment.h"

#include <math.h>
#include <string.h>

/* Rounds in which an image near the truth settles. Dimensions of this file: n = 64, m = 16,
 * 24 samples. */

#define N_PIXELS (16 * 16)
#define MOST_CALLS 100000

static void
open_frames (Run *run,
             const char *object,
             int object_size,
             double snr,
             int n_threads)
{
  PrismConfig *config = prism_config_new ();

  prism_config_set_text (config, "object", object, NULL);
  config->image_size = 64;
  config->object_size = object_size;
  config->aperture_radius = 6.0;
  config->samples = 24;
  config->snr = snr;
  config->threads = n_threads;
  run_prepare (run, config, NULL, get_ops ());
  run_measure (run);
  run_acquire_all (run);
}

static double
get_error (Run *run,
           const float *image)
{
  const int n_pixels = run->config->object_size * run->config->object_size;
  double sum = 0.0;

  for (int i = 0; i < n_pixels; i++)
    sum += pow (image[i] - run->object->pixels[i], 2.0);
  return sqrt (sum / n_pixels);
}

static float *
approach (Run *run,
          float by)
{
  const int n_pixels = run->config->object_size * run->config->object_size;
  float *image = g_new (float, n_pixels);

  for (int i = 0; i < n_pixels; i++)
    image[i] = CLAMP (run->object->pixels[i] + (i * 7 % 5 - 2) * by, 0.0f, 1.0f);
  return image;
}

static void
go_on (PrismAlignment *alignment,
       guint n_rounds)
{
  gboolean pass_done;

  for (guint calls = 0; n_rounds > 0 && !prism_alignment_is_settled (alignment); calls++)
    {
      g_assert_cmpuint (calls, <, MOST_CALLS);
      g_assert_true (prism_alignment_settle (alignment, 1.0, 5, &pass_done, NULL));
      n_rounds -= pass_done;
    }
}

static void
settle (PrismAlignment *alignment,
        guint n_rounds)
{
  go_on (alignment, n_rounds);
}

static PrismAlignment *
begin (Run *run,
       const float *image)
{
  PrismAlignment *alignment = prism_alignment_new (run->backend, run->measurements, 1, NULL);

  g_assert_true (prism_alignment_can_settle (alignment));
  prism_alignment_begin_settle (alignment, image);
  return alignment;
}

/* An object of half the field has no surroundings but the field, a smaller one has its own. */
static void
test_image_settles (gconstpointer data)
{
  g_autoptr (PrismAlignment) alignment = NULL;
  g_autofree float *image = NULL;
  double before, after;
  Run run;

  open_frames (&run, "shepp-logan", GPOINTER_TO_INT (data), 0.0, 1);
  image = approach (&run, 0.01f);
  before = get_error (&run, image);
  alignment = begin (&run, image);
  settle (alignment, G_MAXUINT);
  after = get_error (&run, prism_alignment_get_image (alignment));
  g_test_message ("error %.2e before, %.2e after, misfit %.1e, moved by %.1e", before, after,
                  prism_alignment_get_settled_misfit (alignment),
                  prism_alignment_get_moved (alignment));
  g_assert_cmpfloat (after, <, 0.1 * before);
  g_assert_cmpfloat (prism_alignment_get_settled_misfit (alignment), <, 1e-8);
  g_assert_cmpfloat (prism_alignment_get_moved (alignment), <, 1e-4);
  g_clear_pointer (&alignment, prism_alignment_free);
  run_close (&run);
}

/* With noise amplitudes are not exact. */
static void
test_noise (void)
{
  g_autoptr (PrismAlignment) alignment = NULL;
  Run run;

  open_frames (&run, "shepp-logan", 16, 20.0, 1);
  alignment = prism_alignment_new (run.backend, run.measurements, 1, NULL);
  g_assert_false (prism_alignment_can_settle (alignment));
  g_clear_pointer (&alignment, prism_alignment_free);
  run_close (&run);
}

static void
test_threads (void)
{
  PrismAlignment *alignments[2];
  Run runs[2];

  for (int i = 0; i < 2; i++)
    {
      g_autofree float *image = NULL;

      open_frames (&runs[i], "shepp-logan", 16, 0.0, 1 + 2 * i);
      image = approach (&runs[i], 0.01f);
      alignments[i] = begin (&runs[i], image);
      settle (alignments[i], 2);
    }
  g_assert_cmpmem (prism_alignment_get_image (alignments[0]), N_PIXELS * sizeof (float),
                   prism_alignment_get_image (alignments[1]), N_PIXELS * sizeof (float));
  for (int i = 0; i < 2; i++)
    {
      prism_alignment_free (alignments[i]);
      run_close (&runs[i]);
    }
}

/* From what was saved within a round to the same bits. */
static void
test_resume (void)
{
  g_autoptr (PrismAlignment) alignment = NULL, other = NULL;
  g_autoptr (PrismBundle) bundle = prism_bundle_new ();
  g_autofree float *image = NULL;
  gboolean pass_done;
  Run run;

  open_frames (&run, "shepp-logan", 16, 0.0, 1);
  image = approach (&run, 0.01f);
  alignment = begin (&run, image);
  settle (alignment, 3);
  g_assert_true (prism_alignment_settle (alignment, 1.0, 5, &pass_done, NULL));
  g_assert_false (pass_done);
  g_assert_true (prism_alignment_save (alignment, bundle, NULL));
  other = prism_alignment_new (run.backend, run.measurements, 1, NULL);
  g_assert_true (prism_alignment_load (other, bundle, NULL));
  settle (alignment, G_MAXUINT);
  settle (other, G_MAXUINT);
  g_assert_true (prism_alignment_is_settled (other));
  g_assert_cmpmem (prism_alignment_get_image (alignment), N_PIXELS * sizeof (float),
                   prism_alignment_get_image (other), N_PIXELS * sizeof (float));
  g_assert_cmpfloat (prism_alignment_get_settled_misfit (alignment), ==,
                     prism_alignment_get_settled_misfit (other));
  g_clear_pointer (&alignment, prism_alignment_free);
  g_clear_pointer (&other, prism_alignment_free);
  run_close (&run);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/engine/settle/image", GINT_TO_POINTER (16), test_image_settles);
  g_test_add_data_func ("/engine/settle/half-the-field", GINT_TO_POINTER (32),
                        test_image_settles);
  g_test_add_func ("/engine/settle/noise", test_noise);
  g_test_add_func ("/engine/settle/threads", test_threads);
  g_test_add_func ("/engine/settle/resume", test_resume);
  return g_test_run ();
}
