#include "config.h"

#include "ptychography/prism-light-check.h"

#include "base/prism-number.h"
#include "ptychography/prism-light-share.h"
#include "ptychography/prism-ptychography-private.h"

#define DIM_SHARE 0.35 /* of the neighbours' light; the least of two recorded sets is 0.63 */
#define SWAPPED 0.7    /* of the misfit, where two frames change places */
#define OUTERMOST 0.85 /* likewise, to the middle of the neighbours */

/* What is known of all frames, as arrays. [N] each */
typedef struct
{
  guint n;
  double (*places)[2]; /* px of q; INFINITY where another frame stands for it */
  double *light;
  double *misfits;
} Arrays;

static void
arrays_init (Arrays *self,
             const PrismFindingFrame *frames,
             const PrismPtychogram *seen)
{
  const guint n = seen->n_frames;

  self->n = n;
  self->places = g_malloc_n (n, sizeof *self->places);
  self->light = g_new (double, n);
  self->misfits = g_new (double, n);
  for (guint j = 0; j < n; j++)
    {
      self->places[j][0] = seen->places[j] == j ? frames[j].recorded[0] : INFINITY;
      self->places[j][1] = frames[j].recorded[1];
      self->light[j] = frames[j].light;
      self->misfits[j] = frames[j].misfit;
    }
}

static void
arrays_clear (Arrays *self)
{
  g_free (self->places);
  g_free (self->light);
  g_free (self->misfits);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arrays, arrays_clear)

typedef struct
{
  guint frame;
  double share;  /* of the neighbours' light */
  double misfit; /* in terms of the neighbours' */
  gboolean told;
} Suspect;

/* A frame as far on the other side of the centre that has about the same is no worse than it should
 * be: where the frames end its neighbours are all further in, and brighter. */
static gboolean
is_alike_opposite (const Arrays *arrays,
                   const double *values,
                   guint frame)
{
  const double *at = arrays->places[frame];
  guint opposite = frame;
  double nearest = INFINITY;

  for (guint j = 0; j < arrays->n; j++)
    {
      const double distance
          = hypot (arrays->places[j][0] + at[0], arrays->places[j][1] + at[1]);

      if (j != frame && distance < nearest)
        {
          nearest = distance;
          opposite = j;
        }
    }
  return opposite != frame && nearest < 0.3 * hypot (at[0], at[1])
         && values[opposite] < 2 * values[frame]
         && values[frame] < 2 * values[opposite];
}

/* Whether its neighbours are further in by more than those on one side of it would be. */
static gboolean
is_outermost (const Arrays *arrays,
              guint frame,
              const guint *neighbours,
              guint n)
{
  double sum[2] = { 0 };

  for (guint i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      sum[k] += arrays->places[neighbours[i]][k] / n;
  return hypot (sum[0], sum[1])
         < OUTERMOST * hypot (arrays->places[frame][0], arrays->places[frame][1]);
}

static gboolean
suspect_init (Suspect *self,
              const Arrays *arrays,
              guint frame)
{
  guint neighbours[PRISM_LIGHT_SHARE_NEIGHBOURS];
  const guint n = prism_light_share_find_neighbours (arrays->places, arrays->n, frame, neighbours);

  gboolean outermost;

  *self = (Suspect) { .frame = frame };
  self->share
      = prism_light_share_get (arrays->places, arrays->light, arrays->n, frame);
  self->misfit = arrays->misfits[frame]
                 / prism_light_share_get_ranked (arrays->misfits, neighbours, n, 0.5);
  outermost = is_outermost (arrays, frame, neighbours, n);
  if (outermost && is_alike_opposite (arrays, arrays->light, frame))
    self->share = 1;
  if (!isfinite (self->misfit)
      || (outermost && is_alike_opposite (arrays, arrays->misfits, frame)))
    self->misfit = 1;
  return arrays->misfits[frame] > PRISM_PTYCHOGRAPHY_BAD
         && (self->share < DIM_SHARE || self->misfit > PRISM_PTYCHOGRAPHY_WORSE);
}

/* Each frame fits better where the other was recorded. */
static gboolean
are_swapped (PrismPtychography *solver,
             guint a,
             guint b)
{
  const double (*places)[2] = solver->light.recorded;

  return prism_ptychography_compare_at (solver, a, places[b])
             < SWAPPED * prism_ptychography_compare_at (solver, a, places[a])
         && prism_ptychography_compare_at (solver, b, places[a])
                < SWAPPED * prism_ptychography_compare_at (solver, b, places[b]);
}

static void
tell_swapped (PrismPtychography *solver,
              GArray *suspects,
              GPtrArray *sentences)
{
  for (guint i = 0; i < suspects->len; i++)
    for (guint k = i + 1; k < suspects->len; k++)
      {
        Suspect *a = &g_array_index (suspects, Suspect, i);
        Suspect *b = &g_array_index (suspects, Suspect, k);
        const PrismPtychogram *seen = solver->frames;
        const guint one = prism_ptychogram_get_number (seen, a->frame);
        const guint other = prism_ptychogram_get_number (seen, b->frame);
        char *sentence;

        if (a->told || b->told || !are_swapped (solver, a->frame, b->frame))
          continue;
        a->told = b->told = TRUE;
        sentence = g_strdup_printf (_ ("Frames %u and %u seem to be swapped: each fits where the"
                                       " other was recorded. Correct the positions, or set"
                                       " leave_out=%u,%u."),
                                    one, other, one, other);
        g_ptr_array_add (sentences, sentence);
      }
}

/* Frames that the passes have left out by themselves. */
static void
tell_strays (PrismPtychography *solver,
             GArray *suspects,
             GPtrArray *sentences)
{
  const PrismPtychogram *seen = solver->frames;
  g_autoptr (GString) names = g_string_new (NULL);
  gulong n = 0;

  for (guint i = 0; i < suspects->len; i++)
    {
      Suspect *one = &g_array_index (suspects, Suspect, i);

      if (one->told || one->share < DIM_SHARE || !prism_ptychography_is_stray (solver, one->frame))
        continue;
      one->told = TRUE;
      g_string_append_printf (names, "%s%u", n++ > 0 ? ", " : "",
                              prism_ptychogram_get_number (seen, one->frame));
    }
  if (n > 0)
    g_ptr_array_add (sentences,
                     g_strdup_printf (ngettext ("Frame %s is met far worse than others as far out,"
                                                " and the last passes left it out: look at it.",
                                                "Frames %s are met far worse than others as far"
                                                " out, and the last passes left them out: look at"
                                                " them.",
                                                n),
                                      names->str));
}

static void
tell_rest (const GArray *suspects,
           GPtrArray *sentences)
{
  for (guint i = 0; i < suspects->len; i++)
    {
      const Suspect *one = &g_array_index (suspects, Suspect, i);

      if (one->told)
        continue;
      if (one->share < DIM_SHARE)
        g_ptr_array_add (
            sentences,
            g_strdup_printf (_ ("Frame %u has %.2g %% of its neighbours' light: is its LED dim, "
                                "or at another place? leave_out=%u excludes it."),
                             one->frame, 100 * one->share, one->frame));
      else if (one->misfit > PRISM_PTYCHOGRAPHY_WORSE)
        g_ptr_array_add (
            sentences, g_strdup_printf (_ ("Frame %u is met %.1f times worse than its "
                                           "neighbours: look at it; leave_out=%u excludes it."),
                                        one->frame, one->misfit, one->frame));
    }
}

/* Dark frames that were left out already. */
static void
tell_dark (PrismPtychography *solver,
           GPtrArray *sentences)
{
  const PrismPtychogram *frames = solver->frames;
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint j = 0; j < frames->n_frames; j++)
    if (frames->dark[j] != 0)
      g_string_append_printf (names, "%s%u", names->len > 0 ? ", " : "",
                              prism_ptychogram_get_number (frames, j));
  if (frames->n_dark > 0)
    g_ptr_array_add (sentences,
                     g_strdup_printf (ngettext ("Frame %s has next to no light that can be used, "
                                                "and is excluded.",
                                                "Frames %s have next to no light that can be "
                                                "used, and are excluded.",
                                                frames->n_dark),
                                      names->str));
}

/**
 * prism_light_check_find:
 * @solver: one that has taken its passes
 * @frames: [N]: what it knows of its frames
 *
 * Looks for lights that are off, dim, swapped, or whose frames stand out.
 *
 * Thread: the solver's.
 *
 * Returns: (transfer full) (element-type utf8): a sentence each, in the user's language
 */
GPtrArray *
prism_light_check_find (PrismPtychography *solver,
                        const PrismFindingFrame *frames)
{
  const guint n = solver->frames->n_frames;
  GPtrArray *sentences = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) suspects = g_array_new (FALSE, FALSE, sizeof (Suspect));
  g_auto (Arrays) arrays = { 0 };

  arrays_init (&arrays, frames, solver->frames);
  if (solver->remedy != NULL)
    g_ptr_array_add (sentences, g_strdup (solver->remedy));
  prism_ptychogram_tell (solver->frames, sentences);
  if (solver->frames->skewed)
    g_ptr_array_add (sentences,
                     g_strdup (_ ("Held out in order, frames would lie in one line of the array,"
                                  " which its other frames do not surround: as many others were"
                                  " held out.")));
  tell_dark (solver, sentences);
  /* Before, frames are not met yet; and what is noise alone has no light to compare. */
  if (prism_ptychography_get_pass (solver) < 4
      || !prism_frame_noise_has_any (&solver->frames->noise, n))
    return sentences;
  for (guint j = 0; j < n; j++)
    {
      const gboolean is_stray = prism_ptychography_is_stray (solver, j);
      Suspect suspect;

      if (!frames[j].left_out && (suspects->len < 16 || is_stray)
          && (suspect_init (&suspect, &arrays, j) || is_stray))
        g_array_append_val (suspects, suspect);
    }
  tell_swapped (solver, suspects, sentences);
  tell_strays (solver, suspects, sentences);
  /* As long as frames arrive, neighbours of the outer ones are not all there. */
  if (solver->frames->numbers == NULL)
    tell_rest (suspects, sentences);
  return sentences;
}

/**
 * prism_finding_frame_dup_all:
 * @solver: one that has begun
 * @held_out: (out): of prism_ptychography_predict(), frames that were never used
 * @used: (out): the same of those that are
 *
 * Predicts every frame.
 *
 * Thread: the solver's.
 *
 * Returns: (transfer full) (array length=N): what the solver knows of its frames; NAN what is not
 *   known of one
 */
PrismFindingFrame *
prism_finding_frame_dup_all (PrismPtychography *solver,
                             PrismPrediction *held_out,
                             PrismPrediction *used)
{
  const PrismPtychogram *frames = solver->frames;
  const PrismIllumination *light = &solver->light;
  const double scale = (double) frames->side / frames->grid;
  const double n_pixels = (double) frames->side * frames->side;
  g_autofree double *misfits = g_new (double, frames->n_frames);
  g_autofree double *correlations = g_new (double, frames->n_frames);
  PrismFindingFrame *found = g_new0 (PrismFindingFrame, frames->n_frames);

  *held_out = prism_ptychography_predict (solver, TRUE, misfits, correlations);
  *used = prism_ptychography_predict (solver, FALSE, misfits, correlations);
  for (guint j = 0; j < frames->n_frames; j++)
    {
      PrismFindingFrame *frame = &found[j];

      frame->held = frames->roles[j] == PRISM_FRAME_HELD_OUT;
      frame->left_out = frames->roles[j] == PRISM_FRAME_LEFT_OUT;
      frame->light = frames->energies[j] / n_pixels;
      for (int k = 0; k < 2; k++)
        {
          frame->recorded[k] = scale * light->recorded[j][k];
          frame->found[k] = scale * light->found[j][k];
        }
      frame->gain = frames->roles[j] == PRISM_FRAME_USED ? light->gains[j] : (double) NAN;
      frame->misfit = frame->left_out ? (double) NAN : misfits[j];
      frame->correlation = frame->left_out ? (double) NAN : correlations[j];
    }
  return found;
}

static void
take_frames (PrismFinding *self,
             PrismPtychography *solver)
{
  const PrismPtychogram *frames = solver->frames;
  const double scale = (double) frames->side / frames->grid;

  self->n_frames = frames->n_frames;
  self->frames = prism_finding_frame_dup_all (solver, &self->held_out, &self->used);
  prism_ptychography_judge (solver, &self->held_out);
  self->doubts = prism_light_check_find (solver, self->frames);
  self->board = solver->light.board;
  for (int k = 0; k < 2; k++)
    self->board.shift[k] *= scale;
}

/**
 * prism_finding_new:
 * @solver: one that has begun
 * @progress: (nullable): of PrismPrediction: held-out frames after every pass, which those of
 *   others may follow
 * @source: path of the frames
 * @seconds: that it took
 *
 * Copies what a solver has found by now, and predicts every frame. The object is the caller's to
 * set: it may be that of more than one solver.
 *
 * Thread: the solver's.
 *
 * Returns: (transfer full): the finding
 */
PrismFinding *
prism_finding_new (PrismPtychography *solver,
                   const GArray *progress,
                   const char *source,
                   double seconds)
{
  const PrismPtychogram *frames = solver->frames;
  PrismFinding *self = g_new0 (PrismFinding, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->pass = prism_ptychography_get_pass (solver);
  self->seconds = seconds;
  self->pixel_size = frames->pixel_size;
  self->side = frames->side;
  self->radius = frames->radius * frames->side / frames->grid;
  self->pupil = prism_ptychography_dup_pupil (solver);
  self->rim = solver->rim;
  prism_pupil_fit (self->pupil, self->side, self->radius,
                   solver->aberrations, self->waves);
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    self->waves[i] /= 2 * G_PI;
  self->wavelength = frames->wavelength;
  self->na = frames->na;
  self->settings = prism_config_dup (solver->settings);
  take_frames (self, solver);
  self->taken_back_after = solver->turned_at;
  self->decoded_in_vain = solver->decoder != NULL
                          && self->pass >= prism_ptychography_get_n_passes (solver)
                          && !prism_ptychography_is_decoded (solver);
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  if (progress != NULL)
    g_array_append_vals (self->progress, progress->data, MIN (progress->len, self->pass));
  self->source = g_strdup (source);
  return self;
}
