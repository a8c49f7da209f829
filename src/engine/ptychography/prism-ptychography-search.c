/* A search for the low aberrations on the inner frames, which a few passes over the object alone
 * explain where the pupil is right: defocus is scanned, then all of them are fitted. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "num/prism-linear.h"

#include <math.h>
#include <string.h>

#define MOST_FRAMES 24
#define MARGIN 1.5 /* radii of the pupil: the first dark frames take part */
#define SCAN_PASSES 2
#define SCAN_END 12 /* rad between centre and rim, each way */
#define SCAN_STEP 2 /* a half of it at the end */
#define FIT_PASSES 14
/* The object takes up most of what a wrong pupil does, so that a step of Gauss and Newton is
 * several times too short: with 1 and no memory 24 passes find a tenth of an astigmatism,
 * so eight tenths. */
#define FIT_STEP 4
#define FIT_MEMORY 0.7
#define RIM_PASSES 3
#define WIDEST_RIM 3     /* pixels */
#define FIT_DAMPING 1e-3 /* of the mean curvature */

static guint
count_inner (const PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  guint n = 0;

  while (n < frames->n_used && n < MOST_FRAMES
         && hypot (frames->centers[frames->order[n]][0], frames->centers[frames->order[n]][1])
                < MARGIN * frames->radius)
    n++;
  return MAX (n, MIN (frames->n_used, 5));
}

/* Passes that change the object alone; returns the misfit that the last one met. */
static double
pass (PrismPtychography *self,
      PrismPtychographyFrame *frame,
      guint n_frames,
      guint n_passes,
      PrismAberrationFit *fit)
{
  const PrismPtychographyVisit visit = { .object_step = 1, .gain = 1, .fit = fit };
  double error = 0, energy = 0;

  for (guint p = 0; p < n_passes; p++)
    {
      error = energy = 0;
      for (guint i = 0; i < n_frames; i++)
        {
          const guint j = self->frames->order[i];
          PrismPtychographyLesson lesson
              = prism_ptychography_frame_visit (frame, j, self->light.recorded[j], &visit);

          error += lesson.error;
          energy += lesson.energy;
        }
    }
  return sqrt (error / energy);
}

/* A start, and the misfit after a few passes from it. */
typedef struct
{
  double aberrations[PRISM_PUPIL_N_MODES];
  double rim;
  double misfit;
} Start;

typedef struct
{
  PrismPtychography *self;
  guint n_frames;
  guint n_passes;
  Start *starts;
} Trial;

static void
try_start (gpointer data,
           guint chunk,
           guint worker)
{
  Trial *trial = data;
  Start *start = &trial->starts[chunk];
  PrismPtychographyFrame *frame = trial->self->frames_of_workers[worker];

  prism_ptychography_frame_set_rim (frame, start->rim);
  prism_ptychography_frame_begin (frame, start->aberrations);
  start->misfit = pass (trial->self, frame, trial->n_frames, trial->n_passes, NULL);
}

/* The best of some starts, which are tried at the same time where there are threads. */
static const Start *
try_starts (PrismPtychography *self,
            guint n_frames,
            guint n_passes,
            Start *starts,
            guint n_starts)
{
  Trial trial = { self, n_frames, n_passes, starts };
  guint best = 0;

  prism_pool_run (self->crew, n_starts, try_start, &trial);
  for (guint i = 1; i < n_starts; i++)
    if (starts[i].misfit < starts[best].misfit)
      best = i;
  return &starts[best];
}

static double
scan (PrismPtychography *self,
      guint n_frames)
{
  enum
  {
    N = 2 * SCAN_END / SCAN_STEP + 1
  };
  Start coarse[N] = { 0 }, fine[3] = { 0 };
  double best;

  for (int i = 0; i < N; i++)
    {
      coarse[i].rim = self->rim;
      coarse[i].aberrations[0] = (SCAN_STEP * i - SCAN_END) / 2.0;
    }
  best = try_starts (self, n_frames, SCAN_PASSES, coarse, N)->aberrations[0];
  for (int i = 0; i < 3; i++)
    {
      fine[i].rim = self->rim;
      fine[i].aberrations[0] = best + (i - 1) * SCAN_STEP / 4.0;
    }
  return 2 * try_starts (self, n_frames, SCAN_PASSES, fine, 3)->aberrations[0];
}

/* One step of Gauss and Newton; velocity is what the steps before have left. */
static void
improve (double aberrations[PRISM_PUPIL_N_MODES],
         double velocity[PRISM_PUPIL_N_MODES],
         const PrismAberrationFit *fit)
{
  enum
  {
    N = PRISM_PUPIL_N_MODES
  };
  double matrix[N][N + 1], trace = 0;

  for (int a = 0; a < N; a++)
    trace += fit->curvatures[a][a];
  if (!(trace > 0))
    return;
  for (int a = 0; a < N; a++)
    {
      for (int b = 0; b < N; b++)
        matrix[a][b] = a >= b ? fit->curvatures[a][b] : fit->curvatures[b][a];
      matrix[a][a] += FIT_DAMPING * trace / N;
      matrix[a][N] = fit->slopes[a];
    }
  prism_linear_solve (&matrix[0][0], N);
  for (int a = 0; a < N; a++)
    {
      velocity[a] = FIT_MEMORY * velocity[a] + FIT_STEP * matrix[a][N];
      aberrations[a] += velocity[a];
    }
}

/* The width of the rim that the inner frames speak for. */
static double
find_rim (PrismPtychography *self,
          guint n_frames)
{
  Start starts[WIDEST_RIM] = { 0 };

  for (int i = 0; i < WIDEST_RIM; i++)
    {
      memcpy (starts[i].aberrations, self->aberrations, sizeof self->aberrations);
      starts[i].rim = i + 1;
    }
  return try_starts (self, n_frames, RIM_PASSES, starts, WIDEST_RIM)->rim;
}

/**
 * prism_ptychography_search:
 *
 * Finds the aberrations to begin with. The object is the search's afterwards.
 *
 * Source: numbers in docs/measurements.md.
 */
void
prism_ptychography_search (PrismPtychography *self)
{
  const guint n_frames = count_inner (self);
  const double defocus = self->settings.defocus;
  double phase = isnan (defocus) ? scan (self, n_frames) : defocus * self->defocus_phase;
  float *pupil = prism_ptychography_frame_get_pupil (self->frame);
  double velocity[PRISM_PUPIL_N_MODES] = { 0 };

  memset (self->aberrations, 0, sizeof self->aberrations);
  self->aberrations[0] = phase / 2;
  prism_ptychography_frame_set_rim (self->frame, self->rim);
  prism_ptychography_frame_begin (self->frame, self->aberrations);
  pass (self, self->frame, n_frames, SCAN_PASSES, NULL);
  for (guint p = 0; p < FIT_PASSES; p++)
    {
      PrismAberrationFit fit = { 0 };

      pass (self, self->frame, n_frames, 1, &fit);
      improve (self->aberrations, velocity, &fit);
      prism_pupil_make_phase (pupil, self->frames->grid, self->frames->radius, self->aberrations);
    }
  if (isnan (self->settings.rim))
    self->rim = find_rim (self, n_frames);
  prism_ptychography_frame_set_rim (self->frame, self->rim);
}
