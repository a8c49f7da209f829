#include "model/prism-line.h"

/* Frames at some of their points against whole ones. Dimensions of this file: n = 128, m = 18, four
 * apertures, of which one is at the edge of the field and one sees nothing of it. */

#define N_FIELD 128
#define N_OBJECT 18 /* whose place on the field is no multiple of a step */
#define N_PIXELS (N_OBJECT * N_OBJECT)
#define N_TERMS 4
#define N_STEPS 4 /* 1, 2, 4 and 8 */

#include "test-cpu-scene.h"

typedef struct
{
  const char *name;
  gboolean moves;
  float noise, read;
} Kind;

static const Kind clear[] = { { "plain" }, { "line", TRUE } };
static const Kind kinds[] = { { "plain" },
                              { "noisy", FALSE, 3e-4f },
                              { "read", FALSE, 0, 1e-7f },
                              { "line", TRUE },
                              { "noisy-line", TRUE, 3e-4f } };

static PrismMask *
get_mask (gboolean moves, int t)
{
  static const PrismAperture disk = { .shape = PRISM_SHAPE_DISK, .radius = 6.3 };
  static const PrismPoint places[N_TERMS] = { { 1.5, -3 }, { -20.25, 8 }, { 60, -61 }, { 90, 0 } };
  static const PrismLine line = { 5, 6 };

  if (moves)
    return prism_line_get_mask (&line, &disk, N_FIELD, &places[t]);
  return prism_aperture_get_mask (&disk, N_FIELD, places[t].y, places[t].x);
}

static void
scene_init (Scene *self, const Kind *kind, guint n_threads)
{
  const gsize bytes = (gsize) N_FIELD * N_FIELD * sizeof (float);

  self->fixture = fixture_new (N_FIELD, N_OBJECT, n_threads);
  MUST (prism_cpu_telescope_allow_samples (self->fixture.telescope, TRUE, &error));
  scene_draw (self);
  for (int t = 0; t < N_TERMS; t++)
    {
      const PrismExposure exposure = { .snr = kind->noise + kind->read > 0 ? 10 : 0, .sample = t };
      double energy;

      self->masks[t] = get_mask (kind->moves, t);
      self->targets[t] = g_aligned_alloc (1, bytes, 64);
      prism_cpu_telescope_measure (self->fixture.telescope, self->masks[t], self->object,
                                   self->targets[t]);
      prism_cpu_telescope_expose (self->fixture.telescope, self->masks[t], &exposure,
                                  self->targets[t], self->targets[t]);
      bind (&self->fixture, t, self->masks[t], self->targets[t], &energy);
      self->terms[t] = (PrismMisfitTerm) {
        t, 1.0f + t, kind->noise, kind->read, 0.25f * kind->noise + 0.1f * sqrtf (kind->read)
      };
    }
}

static void
look_at (Scene *self, guint step, guint y, guint x)
{
  for (int t = 0; t < N_TERMS; t++)
    {
      self->terms[t].step = step;
      self->terms[t].offset_y = (y + t) % MAX (step, 1);
      self->terms[t].offset_x = (x + 3 * t) % MAX (step, 1);
    }
}

static double
get_largest (const float *values)
{
  double largest = 0.0;

  for (int i = 0; i < N_PIXELS; i++)
    largest = MAX (largest, fabs (values[i]));
  return largest;
}

/* All offsets together see every pixel once, so their mean is what the whole frames say. */
TEST_ROWS (all_offsets, "/engine/cpu-telescope-samples/all-offsets", kinds)
{
  float whole[N_PIXELS], part[N_PIXELS];
  Scene scene;

  scene_init (&scene, data, 1);
  double misfit = get_misfit (&scene, scene.image, whole), largest = get_largest (whole);
  for (guint step = 1; step < 1 << N_STEPS; step *= 2)
    {
      double mean[N_PIXELS] = { 0.0 }, sum = 0.0, worst = 0.0;

      for (guint y = 0; y < step; y++)
        for (guint x = 0; x < step; x++)
          {
            look_at (&scene, step, y, x);
            sum += get_misfit (&scene, scene.image, part) / (step * step);
            for (int i = 0; i < N_PIXELS; i++)
              mean[i] += (double) part[i] / (step * step);
          }
      for (int i = 0; i < N_PIXELS; i++)
        worst = MAX (worst, fabs (mean[i] - whole[i]));
      g_test_message ("step %u: misfit %.9g of %.9g, slope off by %g of %g", step, sum, misfit,
                      worst, largest);
      g_assert_cmpfloat (fabs (sum - misfit), <, 1e-5 * misfit);
      g_assert_cmpfloat (worst, <, 1e-5 * largest);
    }
}

/* Σ over the pixels of one offset, from the whole frames in natural order. */
static double
sum_pixels (Scene *self, int t)
{
  const PrismMisfitTerm *term = &self->terms[t];
  g_autofree float *seen = g_aligned_alloc (N_FIELD * N_FIELD, sizeof (float), 64);
  g_autofree float *natural = g_new (float, N_FIELD *N_FIELD);
  g_autofree float *target = g_new (float, N_FIELD *N_FIELD);
  double sum = 0.0;

  prism_cpu_telescope_measure (self->fixture.telescope, self->masks[t], self->image, seen);
  prism_cpu_telescope_read_target (self->fixture.telescope, self->masks[t], seen, natural);
  prism_cpu_telescope_read_target (self->fixture.telescope, self->masks[t], self->targets[t],
                                   target);
  for (guint y = term->offset_y; y < N_FIELD; y += term->step)
    for (guint x = term->offset_x; x < N_FIELD; x += term->step)
      {
        double d = natural[y * N_FIELD + x] - target[y * N_FIELD + x];

        sum += term->weight * term->step * term->step * d * d;
      }
  return sum;
}

/* The points are the pixels of the whole frame, and no others. */
TEST_ROWS (points_are_pixels, "/engine/cpu-telescope-samples/points-are-pixels", clear)
{
  float gradient[N_PIXELS];
  Scene scene;

  scene_init (&scene, data, 1);
  for (guint y = 0; y < 4; y++)
    for (guint x = 0; x < 4; x++)
      {
        double expected = 0.0;

        look_at (&scene, 4, y, x);
        for (int t = 0; t < N_TERMS; t++)
          expected += sum_pixels (&scene, t);
        double misfit = get_misfit (&scene, scene.image, gradient);
        g_assert_cmpfloat (fabs (misfit - expected), <, 1e-5 * expected);
      }
}

TEST_ROWS (threads_agree, "/engine/cpu-telescope-samples/threads-agree", kinds)
{
  float gradients[2][N_PIXELS];
  double misfits[2];

  for (int i = 0; i < 2; i++)
    {
      Scene scene;

      scene_init (&scene, data, i == 0 ? 1 : 3);
      look_at (&scene, 4, 1, 2);
      misfits[i] = get_misfit (&scene, scene.image, gradients[i]);
    }
  g_assert_cmpmem (gradients[0], sizeof *gradients, gradients[1], sizeof *gradients);
  g_assert_cmpmem (&misfits[0], sizeof *misfits, &misfits[1], sizeof *misfits);
}

/* Whole frames between frames at some points, in one call. */
TEST (steps_may_differ, "/engine/cpu-telescope-samples/steps-may-differ")
{
  float one[N_PIXELS], sum[N_PIXELS] = { 0.0f }, all[N_PIXELS];
  double expected = 0.0;
  Scene scene;

  scene_init (&scene, &kinds[0], 1);
  for (int t = 0; t < N_TERMS; t++)
    scene.terms[t].step = t % 2 == 0 ? 0 : 4;
  for (int t = 0; t < N_TERMS; t++)
    {
      memset (one, 0, sizeof one);
      prism_cpu_telescope_add_misfit_gradient (scene.fixture.telescope, scene.image,
                                               &scene.terms[t], 1, one, &expected);
      for (int i = 0; i < N_PIXELS; i++)
        sum[i] += one[i];
    }
  double misfit = get_misfit (&scene, scene.image, all);
  g_assert_cmpfloat (fabs (misfit - expected), <, 1e-6 * expected);
  for (int i = 0; i < N_PIXELS; i++)
    g_assert_cmpfloat (fabsf (all[i] - sum[i]), <, 1e-5 * get_largest (sum));
}

/* A slot that has only its points says the same as one with the whole frame, to the bit, and knows
 * its energy. */
TEST_ROWS (points_alone, "/engine/cpu-telescope-samples/points-alone", clear)
{
  const guint step = 4, side = N_FIELD / step;
  float whole[N_PIXELS], alone[N_PIXELS];
  float *points[N_TERMS];
  Scene scene;

  scene_init (&scene, data, 2);
  g_assert_true (prism_cpu_telescope_set_object (scene.fixture.telescope, scene.object, NULL));
  look_at (&scene, step, 0, 0);
  for (int t = 0; t < N_TERMS; t++)
    scene.terms[t].offset_y = scene.terms[t].offset_x = 0;
  double misfit = get_misfit (&scene, scene.image, whole);
  for (int t = 0; t < N_TERMS; t++)
    {
      double energies[2] = { -1.0, -1.0 };

      points[t] = g_aligned_alloc (side * side, sizeof (float), 64);
      prism_cpu_telescope_measure_points (scene.fixture.telescope, scene.masks[t], step, points[t]);
      bind (&scene.fixture, t, scene.masks[t], scene.targets[t], &energies[0]);
      g_assert_true (prism_cpu_telescope_bind_points (scene.fixture.telescope, t, scene.masks[t],
                                                      points[t], step, &energies[1], NULL));
      g_assert_cmpfloat (fabs (energies[1] - energies[0]), <=, 1e-5 * energies[0]);
    }
  g_assert_cmpfloat (get_misfit (&scene, scene.image, alone), ==, misfit);
  g_assert_cmpmem (alone, sizeof alone, whole, sizeof whole);
  for (int t = 0; t < N_TERMS; t++)
    g_aligned_free (points[t]);
}
