#include "model/prism-line.h"
#include "test-cpu-telescope-common.h"

/* Dimensions of this file: n = 64, m = 16. */

#define N_FIELD 64
#define N_OBJECT 16
#define N_PIXELS (N_OBJECT * N_OBJECT)
#define N_PLANE (N_FIELD * N_FIELD)

/* So many points that their planes do not fit at the same time. */
static const PrismLine line = { 12, 13 };
static const PrismAperture disk = { .shape = PRISM_SHAPE_DISK, .radius = 9 };

static PrismMask *
new_moving (double y, double x, double angle)
{
  const PrismPoint middle = { y, x, angle };

  return prism_line_get_mask (&line, &disk, N_FIELD, &middle);
}

static void
measure_natural (Fixture *fixture, const PrismMask *mask, const float *image, float *amplitude)
{
  float *target = g_aligned_alloc (N_PLANE, sizeof (float), 64);

  prism_cpu_telescope_measure (fixture->telescope, mask, image, target);
  prism_cpu_telescope_read_target (fixture->telescope, mask, target, amplitude);
  g_aligned_free (target);
}

/* Intensities add: each point by itself through a mask of its own. */
TEST (measure, "/engine/cpu-telescope-parts/measure")
{
  g_autofree float *image = new_image (N_PIXELS, 3);
  g_autoptr (PrismMask) mask = new_moving (4.2, -7.1, 0.7);
  const PrismPoint middle = { 4.2, -7.1, 0.7 };
  float amplitude[N_PLANE], part[N_PLANE];
  double expected[N_PLANE] = { 0 };
  double largest = 0;

  Fixture fixture = fixture_new (N_FIELD, N_OBJECT, 2);
  measure_natural (&fixture, mask, image, amplitude);
  for (guint i = 0; i < line.n_points; i++)
    {
      PrismPoint point = prism_line_get_point (&line, &middle, i);
      g_autoptr (PrismMask) alone = prism_aperture_get_mask (&disk, N_FIELD, point.y, point.x);

      measure_natural (&fixture, alone, image, part);
      for (int k = 0; k < N_PLANE; k++)
        expected[k] += (double) part[k] * part[k] / line.n_points;
    }
  for (int k = 0; k < N_PLANE; k++)
    largest = MAX (largest, sqrt (expected[k]));
  for (int k = 0; k < N_PLANE; k++)
    g_assert_cmpfloat_with_epsilon (amplitude[k], sqrt (expected[k]), 1e-6 * largest);
}

typedef struct
{
  Fixture fixture;
  PrismMask *masks[3]; /* the last one stands still */
  float *targets[3], *image;
  PrismStep step;
} Scene;

static Scene *
scene_new (guint n_threads)
{
  Scene *self = OWN (g_free, g_new0 (Scene, 1));
  g_autofree float *object = new_image (N_PIXELS, 5);

  self->fixture = fixture_new (N_FIELD, N_OBJECT, n_threads);
  self->image = OWN (g_free, new_image (N_PIXELS, 6));
  self->masks[0] = OWN (prism_mask_unref, new_moving (0, 0, 0.3));
  self->masks[1] = OWN (prism_mask_unref, new_moving (9.5, -4, 2));
  self->masks[2] = OWN (prism_mask_unref, new_disk (N_FIELD, -6, 5, 8.3));
  for (int i = 0; i < 3; i++)
    {
      double energy;

      self->targets[i] = OWN (g_aligned_free, g_aligned_alloc (N_PLANE, sizeof (float), 64));
      prism_cpu_telescope_measure (self->fixture.telescope, self->masks[i], object,
                                   self->targets[i]);
      bind (&self->fixture, i, self->masks[i], self->targets[i], &energy);
      g_assert_cmpfloat (energy, >, 0);
    }
  self->step = (PrismStep) {
    .normalise = TRUE,
    .new_term = { 1, 0.7f },
    .n_old = 2,
    .old_terms = { { 2, 1.3f }, { 0, 0.9f } },
  };
  return self;
}

static double
get_loss (Scene *self, float *gradient)
{
  PrismStepResult result;

  prism_cpu_telescope_compute_gradient (self->fixture.telescope, &self->step, self->image, gradient,
                                        &result);
  return result.loss_new + result.loss_old;
}

/* The loss itself, from what the telescope sees. */
TEST (loss, "/engine/cpu-telescope-parts/loss")
{
  float seen[N_PLANE], target[N_PLANE], gradient[N_PIXELS];
  PrismStepResult result;
  double sum = 0, norm = 0;

  Scene *scene = scene_new (2);
  scene->step.n_old = 0;
  scene->step.new_term.weight = 1.0f;
  prism_cpu_telescope_compute_gradient (scene->fixture.telescope, &scene->step, scene->image,
                                        gradient, &result);
  measure_natural (&scene->fixture, scene->masks[1], scene->image, seen);
  prism_cpu_telescope_read_target (scene->fixture.telescope, scene->masks[1], scene->targets[1],
                                   target);
  for (int k = 0; k < N_PLANE; k++)
    {
      sum += fabs (seen[k] - target[k]);
      norm += target[k];
    }
  g_assert_cmpfloat_with_epsilon (result.loss_new, sum / norm, 1e-5);
}

TEST (threads_agree, "/engine/cpu-telescope-parts/threads-agree")
{
  float gradients[2][N_PIXELS];

  for (int i = 0; i < 2; i++)
    {
      Scene *scene = scene_new (i == 0 ? 1 : 3);
      get_loss (scene, gradients[i]);
    }
  g_assert_cmpmem (gradients[0], sizeof gradients[0], gradients[1], sizeof gradients[1]);
}

/* Mo-PIE of an aperture that stands still is ePIE, bit for bit, serial or not. */
TEST (one_point_is_epie, "/engine/cpu-telescope-parts/one-point-is-epie")
{
  float images[3][N_PIXELS];

  for (int i = 0; i < 3; i++)
    {
      double residual = 0, power = 0;

      Scene *scene = scene_new (2);
      prism_cpu_telescope_epie_start (scene->fixture.telescope, scene->image);
      if (i == 0)
        prism_cpu_telescope_epie_update (scene->fixture.telescope, 2, 0.8, &residual, &power);
      else
        prism_cpu_telescope_mopie_update (scene->fixture.telescope, 2, 0.8, i == 2, &residual,
                                          &power);
      g_assert_cmpfloat (residual, >, 0);
      prism_cpu_telescope_epie_project (scene->fixture.telescope, images[i]);
    }
  g_assert_cmpmem (images[0], sizeof images[0], images[1], sizeof images[1]);
  g_assert_cmpmem (images[0], sizeof images[0], images[2], sizeof images[2]);
}

/* A line whose points are all in one place is that place, too, up to rounding. */
TEST (points_in_one_place, "/engine/cpu-telescope-parts/points-in-one-place")
{
  const PrismLine nowhere = { 1e-9, 5 };
  const PrismPoint middle = { -6, 5, 0 };
  g_autoptr (PrismMask) mask = prism_line_get_mask (&nowhere, &(PrismAperture) { .radius = 8.3 },
                                                    N_FIELD, &middle);
  float images[3][N_PIXELS];

  g_assert_cmpuint (mask->n_parts, ==, 5);
  for (int i = 0; i < 3; i++)
    {
      double residual = 0, power = 0;

      Scene *scene = scene_new (2);
      prism_cpu_telescope_epie_start (scene->fixture.telescope, scene->image);
      if (i > 0)
        bind (&scene->fixture, 2, mask, scene->targets[2], NULL);
      prism_cpu_telescope_mopie_update (scene->fixture.telescope, 2, 1.0, i == 2, &residual,
                                        &power);
      prism_cpu_telescope_epie_project (scene->fixture.telescope, images[i]);
    }
  for (int k = 0; k < N_PIXELS; k++)
    {
      g_assert_cmpfloat_with_epsilon (images[1][k], images[0][k], 1e-5);
      g_assert_cmpfloat_with_epsilon (images[2][k], images[0][k], 1e-5);
    }
}

/* Passes over a few lines explain them better and better. */
TEST (mopie_converges, "/engine/cpu-telescope-parts/mopie-converges")
{
  for (int serial = 0; serial < 2; serial++)
    {
      double first = 0, last = 0, power = 0, check = 0;
      float image[N_PIXELS];

      Scene *scene = scene_new (2);
      prism_cpu_telescope_epie_start (scene->fixture.telescope, NULL);
      for (int pass = 0; pass < 60; pass++)
        {
          last = power = 0;
          for (guint slot = 0; slot < 3; slot++)
            prism_cpu_telescope_mopie_update (scene->fixture.telescope, slot, 1.0, serial, &last,
                                              &power);
          prism_cpu_telescope_epie_project (scene->fixture.telescope, image);
          first = pass == 0 ? last : first;
        }
      g_assert_cmpfloat (last, <, 0.05 * first);
      last = power = 0;
      for (guint slot = 0; slot < 3; slot++)
        {
          prism_cpu_telescope_compute_misfit (scene->fixture.telescope, image, slot, &last, &power);
          prism_cpu_telescope_mopie_update (scene->fixture.telescope, slot, 0.0, serial, &check,
                                            &power);
        }
      g_assert_cmpfloat_with_epsilon (check / last, 1.0, 1e-3);
    }
}
