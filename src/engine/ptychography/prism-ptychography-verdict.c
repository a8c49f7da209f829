/* What a run says of itself: how well frames that were never used could be predicted at best, how
 * far out frames carry signal, and, where they are not predicted, why. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-number.h"

#define TRIAL_PASSES 4
/* Of the misfit's square: a model that is wrong takes so much of it by chance. */
#define LEAST_GAIN 0.2

/* The median over frames, and the misfit of all, that a perfect model would have. */
static void
find_limits (PrismPtychography *self,
             PrismPrediction *held)
{
  const PrismPtychogram *frames = self->frames;
  const gsize n_pixels = (gsize) frames->side * frames->side;
  g_autofree double *expected = g_new (double, frames->n_frames);
  g_autofree double *pure = g_new (double, frames->n_frames);
  double error = 0, energy = 0;
  guint n = 0, n_pure = 0;

  for (guint j = 0; j < frames->n_frames; j++)
    {
      g_autofree float *predicted = NULL;
      PrismFrameLimit limit;
      PrismHeldOut sums;

      if (frames->roles[j] != PRISM_FRAME_HELD_OUT || prism_ptychography_is_stray (self, j))
        continue;
      predicted = prism_ptychography_dup_prediction (self, j);
      limit = prism_frame_noise_limit (&frames->noise, j, frames->background, predicted,
                                       prism_ptychogram_get (frames, j), n_pixels);
      sums = prism_ptychography_frame_compare (self->frame, j, self->light.found[j], NULL);
      expected[n++] = limit.correlation;
      /* A frame that is noise nearly alone tells of a model what a coin does. */
      if (limit.correlation >= 0.3)
        pure[n_pure++] = MIN (prism_held_out_get_correlation (&sums) / limit.correlation, 1);
      error += limit.error;
      energy += sums.recorded_squares;
    }
  held->expected = n > 0 ? prism_sort_median (expected, n) : 0;
  held->pure = n_pure > 0 ? prism_sort_median (pure, n_pure) : 0;
  held->noise = energy > 0 ? sqrt (error / energy) : 0;
}

/* The NA inside which most frames carry signal, and outside which most do not: the distance of the
 * LEDs that divides the two best. 0 where it is that of the outermost one. */
static double
find_reach (const PrismPtychogram *frames)
{
  g_autofree guint *order = g_new (guint, frames->n_frames);
  const double *at;
  guint n = 0, best = 0;
  int sum = 0, most = 0;

  for (guint i = 0; i < frames->n_used; i++)
    order[n++] = frames->order[i];
  for (guint i = 0; i < n; i++)
    {
      sum += prism_frame_noise_has_signal (&frames->noise, order[i]) ? 1 : -1;
      if (sum >= most)
        {
          most = sum;
          best = i;
        }
    }
  if (best + 1 >= n)
    return 0;
  at = frames->centers[order[best]];
  return frames->na * (1 + hypot (at[0], at[1]) / frames->radius);
}

/* An assumption that was tried. */
typedef struct
{
  double before;    /* misfit as it is said */
  double after;     /* INFINITY: it cannot be tried */
  double gain;      /* share of the misfit's square that it takes away */
  const char *what; /* (nullable): it, in English */
} Tried;

static void
take_better (Tried *best,
             double before,
             double after,
             const char *what)
{
  const double gain = 1 - after * after / (before * before);

  if (gain > best->gain)
    *best = (Tried) { before, after, gain, what };
}

/**
 * prism_ptychography_try:
 * @frames: (transfer full) (nullable): as they may be
 * @settings: what is wanted
 * @held: whether frames that are held out tell, or those that are used
 * @owner: (nullable): whose watch may end it
 *
 * Takes a short search and a few passes. It takes about as long as half of a run.
 *
 * Returns: the misfit; INFINITY where there is none
 */
double
prism_ptychography_try (PrismPtychogram *frames,
                        const PrismConfig *settings,
                        gboolean held,
                        const PrismPtychography *owner)
{
  g_autoptr (PrismConfig) changed = prism_config_dup (settings);
  g_autoptr (PrismPtychography) solver = NULL;
  double misfit;

  if (frames == NULL)
    return INFINITY;
  changed->method = PRISM_METHOD_AUTO;
  changed->more_passes = 0;
  if (changed->rim == PRISM_RIM_AUTO)
    changed->rim = 1;
  solver = prism_ptychography_new (frames, changed, frames->wavelength, frames->na, NULL);
  if (solver == NULL)
    return INFINITY;
  solver->is_trial = TRUE;
  if (owner != NULL)
    prism_ptychography_set_watch (solver, owner->watch, owner->watch_data);
  if (!prism_ptychography_begin (solver))
    return INFINITY;
  for (int pass = 0; pass < TRIAL_PASSES; pass++)
    if (!prism_ptychography_pass (solver))
      return INFINITY;
  misfit = prism_ptychography_predict (solver, held, NULL, NULL).misfit;
  return isfinite (misfit) ? misfit : INFINITY;
}

static double
try_variant (PrismPtychography *self,
             PrismPtychogram *variant,
             gboolean held)
{
  g_autoptr (PrismConfig) settings = prism_config_dup (self->settings);

  settings->rim = self->rim;
  return prism_ptychography_try (variant, settings, held, self);
}

/* The same, over other places, or over the inner frames alone. */
static double
try (PrismPtychography *self,
     double (*centers)[2],
     double scale,
     guint n_inner,
     gboolean held)
{
  return try_variant (self,
                      prism_ptychography_go_on (self, 1)
                          ? prism_ptychogram_new_variant (self->frames, centers, scale, n_inner)
                          : NULL,
                      held);
}

/* Roots of intensities, as gamma makes them, have dark frames far too bright for any gain. Squares
 * have larger misfits than roots, if anything, so that they are taken for the values with reason
 * where theirs is smaller. */
static double
try_squares (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  const gsize n = frames->n_frames, n_pixels = (gsize) frames->side * frames->side;
  prism_autofree_array float *squares
      = prism_arena_new_array (n * n_pixels * sizeof *squares, "squares", NULL);
  g_autofree double *energies = g_new0 (double, n);
  g_autofree double *floors = g_new0 (double, n);
  PrismPtychogram *variant = NULL;

  if (squares != NULL && !frames->squared && prism_ptychography_go_on (self, 1))
    variant = prism_ptychogram_new_variant (self->frames, self->frames->centers, 1, (guint) n);
  if (variant == NULL)
    return INFINITY;
  for (gsize i = 0; i < n * n_pixels; i++)
    {
      squares[i] = frames->amplitudes[i] * fabsf (frames->amplitudes[i]);
      if (!isnan (squares[i]))
        energies[i / n_pixels] += (double) squares[i] * (double) squares[i];
    }
  variant->amplitudes = squares;
  variant->energies = variant->squares = energies;
  variant->floors = floors;
  return try_variant (self, variant, TRUE);
}

/* Other places of the LEDs: axes that are mirrored, swapped or both; frames that are one too early
 * or too late; rows that go to and fro, which may have made a geometry fit that is mirrored; NAs
 * that are a tenth off; and pixel, wavelength or NA and distance that make all circles and
 * directions larger or smaller, of which the inner frames tell. plain, inner: misfits as it is
 * said, of all and the inner frames */
static void
try_places (PrismPtychography *self,
            double plain,
            guint n_inner,
            double inner,
            Tried tried[PRISM_N_CAUSES])
{
  enum
  {
    TO_AND_FRO = 2
  };
  static const struct
  {
    PrismCause cause;
    const char *what;
    int order; /* by how many frames it is off, or rows */
    gboolean swaps, mirrors;
    double scale; /* 0: as it is said */
    double na;    /* 0: likewise */
  } all[] = {
    { PRISM_CAUSE_ORDER, N_ ("each frame taken for the position after its own"), .order = 1 },
    { PRISM_CAUSE_ORDER, N_ ("each frame taken for the position before its own"), .order = -1 },
    { PRISM_CAUSE_ORDER, N_ ("every other row of frames the other way round"),
      .order = TO_AND_FRO },
    { PRISM_CAUSE_ORDER,
      N_ ("every other row of frames the other way round, and one axis mirrored"),
      .order = TO_AND_FRO, .mirrors = TRUE },
    { PRISM_CAUSE_GEOMETRY, N_ ("one axis of the positions mirrored"), .mirrors = TRUE },
    { PRISM_CAUSE_GEOMETRY, N_ ("the axes of the positions swapped"), .swaps = TRUE },
    { PRISM_CAUSE_GEOMETRY, N_ ("the axes of the positions swapped and one mirrored"),
      .swaps = TRUE, .mirrors = TRUE },
    { PRISM_CAUSE_GEOMETRY, N_ ("NA 0.9 times as large"), .na = 0.9 },
    { PRISM_CAUSE_GEOMETRY, N_ ("NA 1.1 times as large"), .na = 1.1 },
    { PRISM_CAUSE_GEOMETRY, N_ ("pixel size over wavelength 0.6 times as large"), .scale = 0.6 },
    { PRISM_CAUSE_GEOMETRY, N_ ("pixel size over wavelength 0.75 times as large"), .scale = 0.75 },
    { PRISM_CAUSE_GEOMETRY, N_ ("pixel size over wavelength 1.33 times as large"), .scale = 1.33 },
    { PRISM_CAUSE_GEOMETRY, N_ ("pixel size over wavelength 1.67 times as large"), .scale = 1.67 },
  };
  const guint n = self->frames->n_frames, side = (guint) lrint (sqrt (n));
  g_autofree double (*centers)[2] = g_malloc_n (n, sizeof *centers);

  PRISM_FOR_EACH_OF (one, all)
    {
      const gboolean is_scaled = one->scale > 0;
      const double na = one->na > 0 ? one->na : 1;

      if (one->order == TO_AND_FRO && side * side != n)
        continue;
      for (guint j = 0; j < n; j++)
        {
          const guint back = j / side * side + side - 1 - j % side;
          const guint from = one->order != TO_AND_FRO ? (guint) ((int) (n + j) + one->order) % n
                             : j / side % 2 == 0      ? j
                                                      : back;
          const double *at = self->frames->centers[from];

          centers[j][0] = at[one->swaps] / na;
          centers[j][1] = (one->mirrors ? -1 : 1) * at[!one->swaps] / na;
        }
      take_better (&tried[one->cause], is_scaled ? inner : plain,
                   try (self, centers, is_scaled ? one->scale : na, is_scaled ? n_inner : n,
                        !is_scaled),
                   one->what);
    }
}

/* Of the frames whose light comes in through the NA, those that are not among the brightest. */
static double
find_disorder (const PrismPtychogram *frames)
{
  g_autofree double *sorted = g_memdup2 (frames->energies, frames->n_frames * sizeof *sorted);
  guint n_in = 0, n_rim = 0, n_dark = 0;
  double least;

  for (guint j = 0; j < frames->n_frames; j++)
    {
      const double distance
          = hypot (frames->centers[j][0], frames->centers[j][1]) / frames->radius;

      n_in += distance < 1 - PRISM_RECORDING_RIM;
      n_rim += fabs (distance - 1) <= PRISM_RECORDING_RIM;
    }
  prism_sort_doubles (sorted, frames->n_frames);
  least = sorted[frames->n_frames - MIN (n_in + n_rim, frames->n_frames)];
  for (guint j = 0; j < frames->n_frames; j++)
    n_dark += hypot (frames->centers[j][0], frames->centers[j][1])
                  < (1 - PRISM_RECORDING_RIM) * frames->radius
              && frames->energies[j] < least;
  return n_in > 0 ? (double) n_dark / n_in : 0;
}

/* Of the inner frames, as all frames together have left them. */
static double
find_misfit (PrismPtychography *self,
             guint n_inner)
{
  const PrismPtychogram *frames = self->frames;
  double error = 0, energy = 0;

  for (guint i = 0; i < n_inner; i++)
    {
      const guint j = frames->order[i];
      const PrismHeldOut sums
          = prism_ptychography_frame_compare (self->frame, j, self->light.found[j], NULL);

      error += prism_held_out_get_error (&sums);
      energy += sums.recorded_squares;
    }
  return sqrt (error / energy);
}

/* Share of the frames that carry no signal. */
static double
find_poor_light (const PrismPtychogram *frames)
{
  guint n_poor = 0, n = 0;

  for (guint j = 0; j < frames->n_frames; j++)
    if (frames->roles[j] != PRISM_FRAME_LEFT_OUT)
      {
        n++;
        n_poor += !prism_frame_noise_has_signal (&frames->noise, j);
      }
  return n > 0 ? (double) n_poor / n : 0;
}

/* What light that is everywhere in a frame takes away of Σ(I - g|φ|²)², half of the frames less. */
static double
find_stray_light (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  const int n = frames->side * frames->side;
  g_autofree double *gains = g_new (double, frames->n_used);

  for (guint i = 0; i < frames->n_used; i++)
    {
      const guint j = frames->order[i];
      const float *recorded = prism_ptychogram_get (frames, j);
      g_autofree float *predicted = prism_ptychography_dup_prediction (self, j);
      double s = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0, plain, offset;

      for (int k = 0; k < n; k++)
        if (!isnan (recorded[k]))
          {
            const double p = (double) predicted[k] * (double) predicted[k];
            const double r = (double) recorded[k] * fabs ((double) recorded[k]);

            s++;
            x += p;
            y += r;
            xx += p * p;
            yy += r * r;
            xy += p * r;
          }
      plain = yy - xy * xy / xx;
      offset = yy - y * y / s - (xy - x * y / s) * (xy - x * y / s) / (xx - x * x / s);
      gains[i] = y * xx > xy * x && plain > 0 ? 1 - offset / plain : 0;
    }
  return frames->n_used > 0 ? prism_sort_median (gains, frames->n_used) : 0;
}

/* Each cause is tried, and the one that takes most of the misfit's square away is named: other
 * axes, scales, apertures and orders by a few passes; thickness where lights that are neighbours
 * fit each other and all together do not. Where nothing takes a fifth it is the light if most
 * frames carry no signal, and otherwise the specimen. Where the watch ends that, none is known. */
static PrismCause
find_cause (PrismPtychography *self,
            const PrismPrediction *held)
{
  const PrismPtychogram *frames = self->frames;
  const guint n = frames->n_frames, n_inner = MIN (MAX (frames->n_used / 4, 9), frames->n_used);
  const double plain = try (self, frames->centers, 1, n, TRUE);
  const double inner = try (self, frames->centers, 1, n_inner, FALSE);
  const double noise = pow (held->noise / held->misfit, 2);
  PrismCause cause = find_poor_light (frames) > 0.5 ? PRISM_CAUSE_LIGHT : PRISM_CAUSE_SPECIMEN;
  Tried tried[PRISM_N_CAUSES] = {
    [PRISM_CAUSE_LIGHT] = { .gain = fmax (noise, find_stray_light (self)) },
    [PRISM_CAUSE_ORDER] = { .gain = find_disorder (frames) },
  };

  tried[cause].gain = MAX (tried[cause].gain, LEAST_GAIN);
  take_better (&tried[PRISM_CAUSE_LIGHT], plain, try_squares (self),
               N_ ("the values squared (values=amplitude)"));
  try_places (self, plain, n_inner, inner, tried);
  take_better (&tried[PRISM_CAUSE_GEOMETRY], plain, try (self, self->light.found, 1, n, TRUE),
               N_ ("the places of the LEDs that were found"));
  take_better (&tried[PRISM_CAUSE_SPECIMEN], find_misfit (self, n_inner), inner, NULL);
  for (PrismCause i = PRISM_CAUSE_NONE; i < PRISM_N_CAUSES; i++)
    if (tried[i].gain > tried[cause].gain)
      cause = i;
  if (!prism_ptychography_go_on (self, 1))
    return PRISM_CAUSE_NONE;
  if (tried[cause].what != NULL)
    self->remedy = g_strdup_printf (_ ("Tried with %s, a few passes leave a misfit of %.3f instead"
                                       " of %.3f."),
                                    _ (tried[cause].what), tried[cause].after,
                                    tried[cause].before);
  return cause;
}

/**
 * prism_ptychography_judge:
 * @held: (inout): frames that were never used, as prism_ptychography_predict() has found them
 *
 * Adds what a perfect model would come to, and how far out frames carry signal, which takes as long
 * as a few visits of a frame; and after the last pass, where frames are not explained, the
 * likeliest cause, which takes as long as some runs of a few passes, once; not of a tile. The watch
 * may end these, as a search.
 */
void
prism_ptychography_judge (PrismPtychography *self,
                          PrismPrediction *held)
{
  PrismVerdict verdict;

  if (held->n_frames == 0)
    return;
  if (self->judged_at == self->pass && self->judged.misfit == held->misfit)
    {
      *held = self->judged;
      return;
    }
  g_clear_pointer (&self->remedy, g_free);
  find_limits (self, held);
  held->to_na = find_reach (self->frames);
  held->gain = held->correlation - self->earlier;
  prism_verdict_predict (&verdict, held);
  if (verdict.kind == PRISM_VERDICT_UNEXPLAINED && !self->is_part
      && self->pass >= prism_ptychography_get_n_passes (self))
    {
      self->is_searching = TRUE;
      held->cause = prism_frame_noise_has_any (&self->frames->noise, self->frames->n_frames)
                        ? find_cause (self, held)
                        : PRISM_CAUSE_LIGHT;
      self->is_searching = FALSE;
    }
  self->judged = *held;
  self->judged_at = self->pass;
}

/**
 * prism_ptychography_ask_cause:
 * @self: of the middle tile of a field that is not explained
 *
 * Lets the next prism_ptychography_judge() look for the likeliest cause.
 */
void
prism_ptychography_ask_cause (PrismPtychography *self)
{
  if (self->is_part)
    self->judged_at = 0;
  self->is_part = FALSE;
}
