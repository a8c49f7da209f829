#include "model/prism-line.h"
#include "prism-test.h"

/* Frames at some of their points against whole ones. Dimensions of this file: n = 128, m = 18, four
 * apertures, of which one is at the edge of the field and one sees nothing of it. */

#define N_FIELD 128
#define N_OBJECT 18 /* whose place on the field is no multiple of a step */
#define N_PIXELS (N_OBJECT * N_OBJECT)
#define N_TERMS 4
#define N_STEPS 4 /* 1, 2, 4 and 8 */

#include "test-cpu-scene.h"

typedef enum
{
  KIND_PLAIN,
  KIND_NOISY,
  KIND_READ,
  KIND_LINE,
  KIND_NOISY_LINE,
  N_KINDS,
} Kind;

static const char *const kind_names[N_KINDS] = { "plain", "noisy", "read", "line", "noisy-line" };

static PrismMask *
get_mask (Kind kind,
          int t)
{
  static const PrismAperture disk = { .shape = PRISM_SHAPE_DISK, .radius = 6.3 };
  static const PrismPoint places[N_TERMS] = { { 1.5, -3 }, { -20.25, 8 }, { 60, -61 }, { 90, 0 } };
  static const PrismLine line = { 5, 6 };

  if (kind == KIND_LINE || kind == KIND_NOISY_LINE)
    return prism_line_get_mask (&line, &disk, N_FIELD, &places[t]);
  return prism_aperture_get_mask (&disk, N_FIELD, places[t].y, places[t].x);
}

static void
scene_init (Scene *self,
            Kind kind,
            guint n_threads)
{
  const gsize bytes = (gsize) N_FIELD * N_FIELD * sizeof (float);
  const float noise = kind == KIND_NOISY || kind == KIND_NOISY_LINE ? 3e-4f : 0.0f;
  const float read = kind == KIND_READ ? 1e-7f : 0.0f;

  fixture_init (&self->fixture, N_FIELD, N_OBJECT, n_threads);
  MUST (prism_cpu_telescope_allow_samples (self->fixture.telescope, TRUE, &error));
  scene_draw (self);
  for (int t = 0; t < N_TERMS; t++)
    {
      const PrismExposure exposure = { .snr = noise + read > 0.0f ? 10.0 : 0.0, .sample = t };
      double energy;

      self->masks[t] = get_mask (kind, t);
      self->targets[t] = g_aligned_alloc (1, bytes, 64);
      prism_cpu_telescope_measure (self->fixture.telescope, self->masks[t], self->object,
                                   self->targets[t]);
      prism_cpu_telescope_expose (self->fixture.telescope, self->masks[t], &exposure,
                                  self->targets[t], self->targets[t]);
      bind (&self->fixture, t, self->masks[t], self->targets[t], &energy);
      self->terms[t] = (PrismMisfitTerm) {
        t, 1.0f + t, noise, read, 0.25f * noise + 0.1f * sqrtf (read)
      };
    }
}

static void
look_at (Scene *self,
         guint step,
         guint y,
         guint x)
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
static void
test_all_offsets (gconstpointer data)
{
  const Kind kind = GPOINTER_TO_INT (data);
  float whole[N_PIXELS], part[N_PIXELS];
  Scene scene;

  scene_init (&scene, kind, 1);
  double misfit = get_misfit (&scene, scene.image, whole);
  double largest = get_largest (whole);
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
      g_test_message ("%s, step %u: misfit %.9g of %.9g, slope off by %g of %g", kind_names[kind],
                      step, sum, misfit, worst, largest);
      g_assert_cmpfloat (fabs (sum - misfit), <, 1e-5 * misfit);
      g_assert_cmpfloat (worst, <, 1e-5 * largest);
    }
  scene_clear (&scene);
}

/* Σ over the pixels of one offset, from the whole frames in natural order. */
static double
sum_pixels (Scene *self,
            int t)
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
static void
test_points_are_pixels (gconstpointer data)
{
  float gradient[N_PIXELS];
  Scene scene;

  scene_init (&scene, GPOINTER_TO_INT (data), 1);
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
  scene_clear (&scene);
}

/* The way back is the derivative of the way there. */
static void
test_slope_is_a_difference_quotient (gconstpointer data)
{
  float gradient[N_PIXELS], unused[N_PIXELS];
  double slope = 0.0, quotient = 0.0;
  Scene scene;

  scene_init (&scene, GPOINTER_TO_INT (data), 1);
  look_at (&scene, 8, 5, 2);
  get_misfit (&scene, scene.image, gradient);
  for (int k = -1; k <= 1; k += 2)
    {
      float moved[N_PIXELS];

      for (int i = 0; i < N_PIXELS; i++)
        moved[i] = scene.image[i] + 0.01f * k * sinf (i);
      quotient += k * get_misfit (&scene, moved, unused) / 0.02;
    }
  for (int i = 0; i < N_PIXELS; i++)
    slope += gradient[i] * sinf (i);
  scene_clear (&scene);
  g_test_message ("slope %g, difference quotient %g", slope, quotient);
  g_assert_cmpfloat (fabs (slope - quotient), <, 0.01 * fabs (quotient));
}

static void
test_threads_agree (gconstpointer data)
{
  float one[N_PIXELS], three[N_PIXELS];
  double misfits[2];
  Scene scene;

  scene_init (&scene, GPOINTER_TO_INT (data), 1);
  look_at (&scene, 4, 1, 2);
  misfits[0] = get_misfit (&scene, scene.image, one);
  scene_clear (&scene);
  scene_init (&scene, GPOINTER_TO_INT (data), 3);
  look_at (&scene, 4, 1, 2);
  misfits[1] = get_misfit (&scene, scene.image, three);
  scene_clear (&scene);
  g_assert_cmpmem (one, sizeof one, three, sizeof three);
  g_assert_cmpmem (&misfits[0], sizeof *misfits, &misfits[1], sizeof *misfits);
}

/* Whole frames between frames at some points, in one call. */
TEST (steps_may_differ, "/engine/cpu-telescope-samples/steps-may-differ")
{
  float one[N_PIXELS], sum[N_PIXELS] = { 0.0f }, all[N_PIXELS];
  double expected = 0.0;
  Scene scene;

  scene_init (&scene, KIND_PLAIN, 1);
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
  scene_clear (&scene);
}

/* A slot that has only its points says the same as one with the whole frame, to the bit, and knows
 * its energy. */
static void
test_points_alone (gconstpointer data)
{
  const guint step = 4, side = N_FIELD / step;
  float whole[N_PIXELS], alone[N_PIXELS];
  float *points[N_TERMS];
  Scene scene;

  scene_init (&scene, GPOINTER_TO_INT (data), 2);
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
  scene_clear (&scene);
  for (int t = 0; t < N_TERMS; t++)
    g_aligned_free (points[t]);
}

static void
add_test (const char *name,
          Kind kind,
          GTestDataFunc func)
{
  g_autofree char *path = g_strdup_printf ("/engine/cpu-telescope-samples/%s/%s", name,
                                           kind_names[kind]);

  g_test_add_data_func (path, GINT_TO_POINTER (kind), func);
}

TESTS
{
  for (Kind kind = 0; kind < N_KINDS; kind++)
    {
      add_test ("all-offsets", kind, test_all_offsets);
      add_test ("difference-quotient", kind, test_slope_is_a_difference_quotient);
      add_test ("threads-agree", kind, test_threads_agree);
    }
  add_test ("points-are-pixels", KIND_PLAIN, test_points_are_pixels);
  add_test ("points-are-pixels", KIND_LINE, test_points_are_pixels);
  add_test ("points-alone", KIND_PLAIN, test_points_alone);
  add_test ("points-alone", KIND_LINE, test_points_alone);
}
