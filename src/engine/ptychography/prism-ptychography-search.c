/* A search for the low aberrations on the inner frames, which a few passes over the object alone
 * explain where the pupil is right: defocus is scanned, then all of them are fitted. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "num/prism-linear.h"

#define MOST_FRAMES 24
#define MARGIN 1.5  /* radii of the pupil: the first dark frames take part */
#define SCAN_END 12 /* rad between centre and rim, each way */
#define FIT_PASSES 14
#define FIT_MEMORY 0.7
#define RATE 4
/* Where that leaves the frames badly met, the aberrations are larger than it reaches (figures in
 * docs/measurements.md): it goes on, and where it does not get there either, from starts with one
 * large aberration each. */
#define MORE_FIT_PASSES 40
#define MUCH_BETTER 0.8 /* of the misfit: where places of LEDs are wrong no start is right */
/* Starts of the scan: one for each two radians, and three around the best of them. */
enum
{
  N_COARSE = SCAN_END + 1,
  N_FINE = 3,
  N_SCANNED = N_COARSE + N_FINE,
};

/* Of the search, once so many starts were tried and passes of the fit taken. */
static double
get_fraction (guint n)
{
  return MIN (n / (double) (N_SCANNED + FIT_PASSES + PRISM_PTYCHOGRAM_WIDEST_RIM), 1);
}

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

/* Passes that change the object alone; returns the misfit that the last one met, and the worst
 * where they are ended. fraction: of the search that is done */
static double
pass (PrismPtychography *self,
      PrismPtychographyFrame *frame,
      guint n_frames,
      guint n_passes,
      PrismAberrationFit *fit,
      double fraction)
{
  PrismPtychographyVisit visit = { .object_step = 1, .fit = fit };
  double error = 0, energy = 0;

  for (guint p = 0; p < n_passes; p++)
    {
      error = energy = 0;
      for (guint i = 0; i < n_frames; i++)
        {
          const guint j = self->frames->order[i];
          PrismPtychographyLesson lesson;

          if (self->strays[j] != 0)
            continue;
          if (!prism_ptychography_go_on (self, fraction))
            return INFINITY;
          visit.gain = self->start != NULL ? self->light.gains[j] : 1;
          lesson = prism_ptychography_frame_visit (frame, j, self->light.found[j], &visit);
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
  double move; /* rad, of the aberration that the last pass of a fit moved most */
} Start;

typedef struct
{
  PrismPtychography *self;
  guint n_frames;
  guint n_fit_passes; /* after those that change the object alone */
  Start *starts;
  guint n_before; /* starts and passes of the search before it */
} Trial;

/* One step of Gauss and Newton, times rate; velocity is what the steps before have left. */
static void
improve (double aberrations[PRISM_PUPIL_N_MODES],
         double velocity[PRISM_PUPIL_N_MODES],
         double rate,
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
      matrix[a][a] += 1e-6 * trace;
      matrix[a][N] = fit->slopes[a];
    }
  prism_linear_solve (&matrix[0][0], N);
  for (int a = 0; a < N; a++)
    {
      velocity[a] = FIT_MEMORY * velocity[a] + rate * matrix[a][N];
      aberrations[a] += velocity[a];
    }
}

/* Passes that change the aberrations, too. The object takes up most of what a wrong pupil does, so
 * that a step is several times too short: with 1 and no memory 24 passes find a tenth of an
 * astigmatism, with RATE eight tenths. Few frames or much noise make the same step too long: what
 * meets the frames worse is taken back, and the next steps are half as long. */
static void
fit_start (PrismPtychography *self,
           PrismPtychographyFrame *frame,
           guint n_frames,
           guint n_passes,
           Start *start,
           double fraction)
{
  double velocity[PRISM_PUPIL_N_MODES] = { 0 }, rate = RATE;
  Start best = { .misfit = INFINITY };

  for (guint p = 0; p < n_passes && prism_ptychography_go_on (self, fraction); p++)
    {
      PrismAberrationFit fit = { 0 };

      start->misfit = pass (self, frame, n_frames, 1, &fit, fraction);
      if (start->misfit > best.misfit)
        {
          *start = best;
          memset (velocity, 0, sizeof velocity);
          rate /= 2;
          prism_ptychography_frame_set_aberrations (frame, start->aberrations);
          continue;
        }
      best = *start;
      improve (start->aberrations, velocity, rate, &fit);
      start->move = 0;
      for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
        start->move = MAX (start->move, fabs (velocity[a]));
      prism_ptychography_frame_set_aberrations (frame, start->aberrations);
    }
}

static void
try_start (gpointer data,
           guint chunk,
           guint worker)
{
  Trial *trial = data;
  Start *start = &trial->starts[chunk];
  PrismPtychographyFrame *frame = trial->self->frames_of_workers[worker];
  const double fraction = get_fraction (trial->n_before + chunk);

  prism_ptychography_frame_set_rim (frame, start->rim);
  prism_ptychography_frame_begin (frame, start->aberrations);
  start->misfit = pass (trial->self, frame, trial->n_frames, 2, NULL, fraction);
  fit_start (trial->self, frame, trial->n_frames, trial->n_fit_passes, start,
             fraction);
}

/* The best of some starts, which are tried at the same time where there are threads. */
static const Start *
try_starts (PrismPtychography *self,
            guint n_frames,
            Start *starts,
            guint n_starts,
            guint n_before)
{
  Trial trial = { self, n_frames, 0, starts, n_before };
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
  Start coarse[N_COARSE] = { 0 }, fine[N_FINE] = { 0 };
  double best;

  for (int i = 0; i < N_COARSE; i++)
    {
      coarse[i].rim = self->rim;
      coarse[i].aberrations[0] = i - SCAN_END / 2.0;
    }
  best = try_starts (self, n_frames, coarse, N_COARSE, 0)->aberrations[0];
  for (int i = 0; i < N_FINE; i++)
    {
      fine[i].rim = self->rim;
      fine[i].aberrations[0] = best + (i - 1) / 2.0;
    }
  return 2 * try_starts (self, n_frames, fine, N_FINE, N_COARSE)->aberrations[0];
}

/* The width of the rim that the inner frames speak for. */
static double
find_rim (PrismPtychography *self,
          guint n_frames)
{
  Start starts[PRISM_PTYCHOGRAM_WIDEST_RIM] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      memcpy (starts[i].aberrations, self->aberrations, sizeof self->aberrations);
      starts[i].rim = i + 1;
    }
  return try_starts (self, n_frames, starts, G_N_ELEMENTS (starts),
                     N_SCANNED + FIT_PASSES)
      ->rim;
}

/* Each with one aberration besides the defocus that was found, or another defocus; and two with a
 * spherical aberration alone, of which a defocus that is wrong has taken up what it can. */
static void
try_large (PrismPtychography *self,
           guint n_frames,
           const Start *plain,
           Start *best)
{
  /* rad, of defocus, two astigmatisms, two comas and the spherical one */
  static const double sizes[] = { 3, 4, 4, 3.5, 3.5, 3, 3 };
  const guint spherical = G_N_ELEMENTS (sizes) - 2;
  Start starts[2 * G_N_ELEMENTS (sizes)];
  Trial trial = { self, n_frames, MORE_FIT_PASSES, starts, N_SCANNED + FIT_PASSES };

  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      const double size = i % 2 == 0 ? sizes[i / 2] : -sizes[i / 2];

      starts[i] = *plain;
      if (i / 2 > spherical)
        starts[i].aberrations[0] = 0;
      starts[i].aberrations[MIN (i / 2, spherical)] += size;
    }
  prism_pool_run (self->crew, G_N_ELEMENTS (starts), try_start, &trial);
  for (gsize i = 0; i < G_N_ELEMENTS (starts); i++)
    if (starts[i].misfit < MUCH_BETTER * plain->misfit && starts[i].misfit < best->misfit)
      *best = starts[i];
}

/* What is wrong where nothing has moved by a tenth of a radian is no aberration. */
static gboolean
has_moved (const Start *from,
           const Start *to)
{
  for (int a = 0; a < PRISM_PUPIL_N_MODES; a++)
    if (fabs (to->aberrations[a] - from->aberrations[a]) > 0.1)
      return TRUE;
  return FALSE;
}

/* A fit that moves by more in a pass has not ended, however little it leaves. */
static gboolean
is_astray (const Start *start)
{
  return start->misfit > PRISM_PTYCHOGRAPHY_BAD || start->move > 0.04;
}

/* What the fit ends with, where it has stopped far from any good pupil. */
static void
go_farther (PrismPtychography *self,
            guint n_frames,
            const Start *scanned,
            Start *start)
{
  Start plain = *scanned, best = *start;

  fit_start (self, self->frame, n_frames, MORE_FIT_PASSES, &best, 1);
  if (best.misfit < MUCH_BETTER * start->misfit)
    *start = best;
  plain.misfit = start->misfit;
  if (is_astray (start))
    try_large (self, n_frames, &plain, start);
  if (is_astray (start) && !(start->misfit < MUCH_BETTER * plain.misfit))
    return;
  prism_ptychography_frame_set_rim (self->frame, start->rim);
  prism_ptychography_frame_begin (self->frame, start->aberrations);
  pass (self, self->frame, n_frames, 2, NULL, 1);
  fit_start (self, self->frame, n_frames, MORE_FIT_PASSES, start, 1);
}

/**
 * prism_ptychography_search:
 *
 * Finds the aberrations to begin with, where the light is known to come from by now. The object is
 * the search's afterwards.
 *
 * Source: numbers in docs/measurements.md.
 *
 * Returns: whether it was not ended
 */
gboolean
prism_ptychography_search (PrismPtychography *self,
                           gboolean with_rim)
{
  const guint n_frames = count_inner (self);
  const double defocus = self->settings->defocus;
  const double phase = defocus == PRISM_DEFOCUS_AUTO ? scan (self, n_frames)
                                                     : defocus * self->defocus_phase;
  const Start scanned = { .aberrations = { phase / 2 }, .rim = self->rim, .misfit = INFINITY };
  Start start = scanned;

  prism_ptychography_frame_set_rim (self->frame, self->rim);
  prism_ptychography_frame_begin (self->frame, start.aberrations);
  pass (self, self->frame, n_frames, 2, NULL, get_fraction (N_SCANNED));
  fit_start (self, self->frame, n_frames, FIT_PASSES, &start, get_fraction (N_SCANNED));
  if (is_astray (&start) && has_moved (&scanned, &start) && !self->is_trial)
    go_farther (self, n_frames, &scanned, &start);
  memcpy (self->aberrations, start.aberrations, sizeof self->aberrations);
  /* Where a pupil was found that does not meet the frames, places are wrong. */
  if (is_astray (&start))
    self->unsettled |= has_moved (&scanned, &start);
  else if (self->pass == 0 && self->descent == NULL)
    prism_ptychography_mark_at_rim (self, n_frames);
  if (with_rim)
    self->rim = find_rim (self, n_frames);
  prism_ptychography_frame_set_rim (self->frame, self->rim);
  return prism_ptychography_go_on (self, 1);
}

/**
 * prism_ptychography_fit_aberrations:
 * @self: one that has begun with what was found elsewhere
 * @fit: (out): slopes and curvatures of the last pass
 * @turn: (out): radians
 *
 * Finds by which low aberrations the pupil of these frames differs from the one begun with.
 *
 * Returns: whether it was not ended
 */
gboolean
prism_ptychography_fit_aberrations (PrismPtychography *self,
                                    PrismAberrationFit *fit,
                                    double turn[PRISM_PUPIL_N_MODES])
{
  const guint n_frames = count_inner (self);
  const int n = self->frames->grid;
  const gsize n_bytes = 2 * sizeof (float) * (gsize) n * (gsize) n;
  float *pupil = prism_ptychography_frame_get_pupil (self->frame);
  g_autofree float *before = g_memdup2 (pupil, n_bytes);
  double velocity[PRISM_PUPIL_N_MODES] = { 0 };
  gboolean goes_on = !isinf (pass (self, self->frame, n_frames, 2, NULL, 0));

  memset (turn, 0, PRISM_PUPIL_N_MODES * sizeof *turn);
  for (guint p = 0; p < MORE_FIT_PASSES && goes_on; p++)
    {
      memset (fit, 0, sizeof *fit);
      goes_on = !isinf (pass (self, self->frame, n_frames, 1, fit, 0));
      improve (turn, velocity, RATE, fit);
      memcpy (pupil, before, n_bytes);
      prism_pupil_turn (pupil, n, self->frames->radius, turn);
    }
  return goes_on;
}
