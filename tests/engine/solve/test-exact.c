#include "config.h"

#include "../support/test-run-parts.h"
#include "num/prism-tuning.h"
#include "solve/prism-alignment.h"

#include <math.h>
#include <string.h>

/* Steps to the image that meets frames without noise exactly. Dimensions of this file: n = 64,
 * m = 16, 24 samples. */

#define N_PIXELS (16 * 16)
#define MOST_CALLS 100000

static void
open_bars (Run *run,
           double radius,
           int n_threads)
{
  PrismConfig *config = prism_config_new ();

  prism_config_set_text (config, "object", "usaf1951", NULL);
  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = radius;
  config->samples = 24;
  config->threads = n_threads;
  run_prepare (run, config, NULL, get_ops ());
  run_measure (run);
  run_acquire_all (run);
}

static double
get_error (Run *run,
           const float *image)
{
  double sum = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    sum += pow (image[i] - run->object->pixels[i], 2.0);
  return sqrt (sum / N_PIXELS);
}

/* Grey pixels are off by so much, dark ones nearly dark. */
static void
approach (Run *run,
          float by,
          float *image)
{
  for (int i = 0; i < N_PIXELS; i++)
    {
      const float value = run->object->pixels[i];

      image[i] = value == 0.0f ? 1e-3f : CLAMP (value + (i % 3 - 1) * by, 0.0f, 1.0f);
    }
}

static void
step_on (PrismAlignment *alignment,
         guint n_steps)
{
  gboolean pass_done;

  for (guint calls = 0; n_steps > 0 && !prism_alignment_is_exact_done (alignment); calls++)
    {
      g_assert_cmpuint (calls, <, MOST_CALLS);
      g_assert_true (prism_alignment_seek_exact (alignment, 5, &pass_done, NULL));
      n_steps -= pass_done;
    }
}

static PrismAlignment *
begin (Run *run,
       const float *image)
{
  PrismAlignment *alignment = prism_alignment_new (run->backend, run->measurements, 1, NULL);

  g_assert_true (prism_alignment_can_exact (alignment, image));
  prism_alignment_begin_exact (alignment, image);
  return alignment;
}

/* Each step squares the error, as far as single precision goes. */
static void
test_image_is_exact (void)
{
  g_autoptr (PrismAlignment) alignment = NULL;
  float image[N_PIXELS];
  Run run;

  open_bars (&run, 6.0, 1);
  approach (&run, 0.02f, image);
  alignment = begin (&run, image);
  step_on (alignment, G_MAXUINT);
  g_test_message ("error %.2e before, %.2e after", get_error (&run, image),
                  get_error (&run, prism_alignment_get_image (alignment)));
  g_assert_true (prism_alignment_is_exact (alignment));
  g_assert_cmpfloat (prism_alignment_get_exact_misfit (alignment), <, 1e-12);
  g_assert_cmpfloat (get_error (&run, image), >, 1e-3);
  g_assert_cmpfloat (get_error (&run, prism_alignment_get_image (alignment)), <, 1e-5);
  g_clear_pointer (&alignment, prism_alignment_free);
  run_close (&run);
}

/* The darkest grey pixel, taken for black, leaves the limit again. */
static void
test_pixel_is_released (void)
{
  g_autoptr (PrismAlignment) alignment = NULL;
  float image[N_PIXELS];
  int place = 0;
  Run run;

  open_bars (&run, 6.0, 1);
  approach (&run, 0.002f, image);
  for (int i = 0; i < N_PIXELS; i++)
    if (run.object->pixels[i] > 0.0f
        && (run.object->pixels[place] == 0.0f
            || run.object->pixels[i] < run.object->pixels[place]))
      place = i;
  g_test_message ("the darkest grey pixel has %.3f", run.object->pixels[place]);
  image[place] = 0.0f;
  alignment = begin (&run, image);
  step_on (alignment, G_MAXUINT);
  g_assert_true (prism_alignment_is_exact (alignment));
  g_assert_cmpfloat (get_error (&run, prism_alignment_get_image (alignment)), <, 1e-5);
  g_clear_pointer (&alignment, prism_alignment_free);
  run_close (&run);
}

/* Frames that leave most of the spectrum open determine no image: what comes out is not taken. */
static void
test_undetermined (void)
{
  g_autoptr (PrismAlignment) alignment = NULL;
  float image[N_PIXELS];
  Run run;

  open_bars (&run, 1.5, 1);
  for (int i = 0; i < N_PIXELS; i++)
    image[i] = 0.25f + 0.5f * run.object->pixels[i];
  alignment = begin (&run, image);
  step_on (alignment, G_MAXUINT);
  g_assert_true (prism_alignment_is_exact_done (alignment));
  g_assert_false (prism_alignment_is_exact (alignment));
  g_clear_pointer (&alignment, prism_alignment_free);
  run_close (&run);
}

static void
test_threads (void)
{
  PrismAlignment *alignments[2];
  float image[N_PIXELS];
  Run runs[2];

  for (int i = 0; i < 2; i++)
    {
      open_bars (&runs[i], 6.0, 1 + 2 * i);
      approach (&runs[i], 0.02f, image);
      alignments[i] = begin (&runs[i], image);
      step_on (alignments[i], 2);
    }
  g_assert_cmpmem (prism_alignment_get_image (alignments[0]), sizeof image,
                   prism_alignment_get_image (alignments[1]), sizeof image);
  for (int i = 0; i < 2; i++)
    {
      prism_alignment_free (alignments[i]);
      run_close (&runs[i]);
    }
}

/* From what was saved between two steps, or within one, to the same bits. */
static void
test_resume (void)
{
  g_autoptr (PrismAlignment) alignment = NULL, other = NULL;
  g_autoptr (PrismBundle) bundle = prism_bundle_new ();
  float image[N_PIXELS];
  gboolean pass_done;
  Run run;

  open_bars (&run, 6.0, 1);
  approach (&run, 0.02f, image);
  alignment = begin (&run, image);
  step_on (alignment, 1);
  for (int i = 0; i < 2; i++)
    g_assert_true (prism_alignment_seek_exact (alignment, 5, &pass_done, NULL));
  g_assert_true (prism_alignment_save (alignment, bundle, NULL));
  other = prism_alignment_new (run.backend, run.measurements, 1, NULL);
  g_assert_true (prism_alignment_load (other, bundle, NULL));
  step_on (alignment, G_MAXUINT);
  step_on (other, G_MAXUINT);
  g_assert_true (prism_alignment_is_exact (other));
  g_assert_cmpmem (prism_alignment_get_image (alignment), sizeof image,
                   prism_alignment_get_image (other), sizeof image);
  g_clear_pointer (&alignment, prism_alignment_free);
  g_clear_pointer (&other, prism_alignment_free);
  run_close (&run);
}

/* Black and white alone leave nothing to be found. */
static void
test_many_or_none (void)
{
  g_autoptr (PrismAlignment) alignment = NULL;
  float image[N_PIXELS] = { 0.0f };
  Run run;

  open_bars (&run, 6.0, 1);
  alignment = prism_alignment_new (run.backend, run.measurements, 1, NULL);
  g_assert_false (prism_alignment_can_exact (alignment, image));
  image[17] = 0.5f;
  g_assert_true (prism_alignment_can_exact (alignment, image));
  g_clear_pointer (&alignment, prism_alignment_free);
  run_close (&run);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/exact/image", test_image_is_exact);
  g_test_add_func ("/engine/exact/released", test_pixel_is_released);
  g_test_add_func ("/engine/exact/undetermined", test_undetermined);
  g_test_add_func ("/engine/exact/threads", test_threads);
  g_test_add_func ("/engine/exact/resume", test_resume);
  g_test_add_func ("/engine/exact/many-or-none", test_many_or_none);
  return g_test_run ();
}
