#include "kernels/prism-cpu-ptychography.h"
#include "prism-test.h"

#include <complex.h>

/* The inner loops of recorded frames against their formulas, in double complex numbers. */

enum
{
  N = 150, /* more than are looked at together */
  MODES = 3,
  INNER = N + 3,
};

typedef float Row[2 * (INNER + 2)];

static const PrismCpuPtychographyKernels *const all_kernels[PRISM_N_ISAS]
    = PRISM_ISA_TABLE (prism_cpu_ptychography_kernels);

static double complex
at (const float *row, int i)
{
  return (double) row[2 * i] + I * (double) row[2 * i + 1];
}

static void
fill (float *values, int n)
{
  for (int i = 0; i < n; i++)
    values[i] = (float) g_test_rand_double_range (-1, 1);
}

#define NEAR(a, b) g_assert_cmpfloat_with_epsilon ((double) (a), b, 2e-5 * (1 + fabs (b)))
#define NEAR_PAIR(row, i, value)                \
  ({                                            \
    const double complex wanted_ = value;       \
    NEAR ((row)[2 * (i)], creal (wanted_));     \
    NEAR ((row)[2 * (i) + 1], cimag (wanted_)); \
  })

/* Σ rows[i][k + j]·down[i]·along[j] */
static double complex
mix_at (const PrismCpuPtychographyMix *mix, int k)
{
  double complex sum = 0;

  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      sum += at (mix->rows[i], k + j) * (double) mix->down[i] * (double) mix->along[j];
  return sum;
}

static void
check_mixes (const PrismCpuPtychographyKernels *kernels)
{
  Row rows[4], object, shifted, wave, scratch, pupil, before;
  float clear[N];
  double largest = 0;
  PrismCpuPtychographyMix mix = { .scratch = scratch };

  fill (rows[0], 4 * G_N_ELEMENTS (rows[0]));
  fill (object, 2 * N);
  fill (clear, N);
  fill (pupil, 2 * N);
  fill (mix.down, 4);
  fill (mix.along, 4);
  memcpy (before, pupil, sizeof pupil);
  for (int i = 0; i < 4; i++)
    mix.rows[i] = rows[i];
  const float found = kernels->pass (&mix, clear, object, N, shifted, wave);
  kernels->gather (&mix, clear, N, pupil);
  for (int k = 0; k < N; k++)
    {
      const double complex mixed = (double) clear[k] * mix_at (&mix, k);

      NEAR_PAIR (shifted, k, mixed);
      NEAR_PAIR (wave, k, mixed * at (object, k));
      NEAR_PAIR (pupil, k, at (before, k) + mixed);
      largest = MAX (largest, pow (cabs (mixed), 2));
    }
  NEAR (found, largest);
  NEAR (kernels->find_largest (shifted, N), largest);
}

static void
check_frames (const PrismCpuPtychographyKernels *kernels)
{
  Row field, before;
  float amplitude[N], clear[N];
  double sums[2] = { 3, 5 }, wanted[2] = { 3, 5 };

  fill (field, 2 * N);
  fill (amplitude, N);
  amplitude[7] = NAN;
  memcpy (before, field, sizeof field);
  kernels->compare (field, amplitude, N, sums);
  kernels->replace (field, amplitude, N, 1.5f, 0.1f);
  for (int i = 0; i < N; i++)
    {
      const double a = (double) amplitude[i], size = cabs (at (before, i));
      const double made = pow (size / 1.5, 2) + 0.1;

      wanted[0] += isnan (a) ? 0 : size * size;
      wanted[1] += isnan (a) ? 0 : size * MAX (a, 0);
      NEAR_PAIR (field, i,
                 isnan (a) ? 0 : at (before, i) * (sqrt (MAX (a * fabs (a) + 0.1, 0) / made) - 1));
    }
  NEAR (sums[0], wanted[0]);
  NEAR (sums[1], wanted[1]);
  kernels->fill_disk (clear, N, -70, 30, 50, 8);
  for (int i = 0; i < N; i++)
    NEAR (clear[i], CLAMP ((50 - hypot (i - 70, 30)) / 8 + 0.5, 0, 1));
}

/* What a frame teaches: the derivatives of Re ⟨ψ, D⟩, where ψ = P·O. */
static void
check_lessons (const PrismCpuPtychographyKernels *kernels)
{
  Row object, pupil, up, down, difference, step, before;
  float clear[N], modes[MODES][N + 5];
  double forces[5] = { 1, 2, 3, 4, 5 }, pushed[5] = { 1, 2, 3, 4, 5 };
  double slopes[MODES] = { 0 }, turned[MODES] = { 0 };
  double curvatures[MODES][MODES] = { { 0 } }, bent[MODES][MODES] = { { 0 } };
  PrismCpuPtychographyRow row = { N, object, pupil + 2, up, down, difference, clear, step,
                                  0.7f, 0.4f, 0.3f };

  fill (object, 2 * N);
  fill (pupil, 2 * (N + 2));
  fill (up, 2 * N);
  fill (down, 2 * N);
  fill (difference, 2 * N);
  fill (clear, N);
  fill (modes[0], MODES * (N + 5));
  memcpy (before, object, sizeof object);
  kernels->push (&row, forces);
  kernels->fit (&row, modes[0], N + 5, MODES, slopes, curvatures[0]);
  kernels->update (&row);
  for (int i = 0; i < N; i++)
    {
      const double complex o = at (before, i), p = at (row.pupil, i), d = at (difference, i);
      const double complex x = (at (row.pupil, i - 1) - at (row.pupil, i + 1)) / 2 * o;
      const double complex y = (at (up, i) - at (down, i)) / 2 * o;

      pushed[0] += creal (conj (x) * d);
      pushed[1] += creal (conj (y) * d);
      pushed[2] += creal (conj (x) * x);
      pushed[3] += creal (conj (y) * y);
      pushed[4] += creal (conj (x) * y);
      for (int a = 0; a < MODES; a++)
        {
          turned[a] += (double) modes[a][i] * cimag (conj (p * o) * d);
          for (int b = 0; b <= a; b++)
            bent[a][b] += (double) (modes[a][i] * modes[b][i]) * pow (cabs (p * o), 2);
        }
      NEAR_PAIR (step, i,
                 0.4 * (double) clear[i] * cabs (o) / (pow (cabs (o), 2) + 0.3) * conj (o) * d);
      NEAR_PAIR (object, i, o + 0.7 * conj (p) * d);
    }
  for (int k = 0; k < 5; k++)
    NEAR (forces[k], pushed[k]);
  for (int a = 0; a < MODES; a++)
    {
      NEAR (slopes[a], turned[a]);
      for (int b = 0; b < MODES; b++)
        NEAR (curvatures[a][b], bent[a][b]);
    }
}

TEST (formulas, "/engine/cpu-ptychography/formulas")
{
  for (PrismIsa isa = PRISM_ISA_BASELINE; isa < G_N_ELEMENTS (all_kernels); isa++)
    {
      g_setenv ("PRISM_ISA", prism_isa_get_id (isa), TRUE);
      if (prism_isa_get () != isa)
        continue;
      check_mixes (all_kernels[isa]);
      check_frames (all_kernels[isa]);
      check_lessons (all_kernels[isa]);
    }
}
