#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "num/prism-tuning.h"
#include "solve/prism-descent.h"
#include "solve/prism-goodness.h"
#include "solve/prism-phase-sync.h"
#include "solve/prism-solver.h"

#include <float.h>

/* The image that explains all frames best.
 *
 * Passes of descent from the live picture find it where apertures overlap. Where they do not, the
 * same passes end in a wrong basin, and another start has to be found. Each attempt has the same
 * stages:
 *
 *   search   the exit wave behind each frame is retrieved by itself, all but the phase of the
 *            whole; these phases are synchronised by what an object is: real, within its square
 *   fill     an image of the waves, which total variation continues where nothing was measured
 *   descend  passes over the frames until the image stands still
 *   take     goodness of fit decides between it and the best one so far
 *
 * The attempts differ in where they begin: with the live picture; with random phases of the
 * exit waves; with the best image of those, the wave of its worst frame drawn anew; with the
 * decoder's image. Source: numerics.md, “Refinement”, “Alignment”.
 *
 * n = image_size, m = object_size, N = samples. */

typedef enum
{
  ATTEMPT_FIRST,   /* from the live picture; where there is none from the decoder's image */
  ATTEMPT_DECODER, /* from the decoder's image */
  ATTEMPT_SEARCH,  /* from exit waves alone */
  ATTEMPT_NONE,
  ATTEMPT_REDRAW, /* from the best image of waves, but for its worst frames */
} Attempt;

typedef enum
{
  STAGE_SEARCH,
  STAGE_FILL,
  STAGE_DESCEND,
  STAGE_TAKE,
} Stage;

typedef struct
{
  PrismSolver parent;
  PrismDescent *descent;
  PrismPhaseSync *alignment; /* (nullable) before the first search */
  Attempt attempt;
  Stage stage;
  guint pass;          /* of the stage */
  guint passes_before; /* of those before it */
  gboolean has_live;   /* the first attempt began with the live picture */
  gboolean has_waves;  /* the image under way comes from exit waves */
  double smoothness;   /* factor of the total variation that the user wants */
  guint n_searches;    /* attempts of each kind so far */
  guint n_redraws;
  guint n_questions; /* searches for another image that explains the frames */
  double distance;   /* from waves with noise, of the nearest search; NAN without */

  float *best;             /* [m][m] */
  double best_misfit;      /* NAN before there is one */
  double best_power;       /* Σ w·ΣA² with the weights of best_misfit */
  gboolean shows_best;     /* instead of the image under way */
  gboolean is_from_search; /* best comes from waves with noise */
  double judged;           /* misfit of best by the verdict, with noise; NAN before */
  PrismVerdict verdict;    /* that; open where it is not known */
  gboolean explains;       /* best explains the frames, with noise */
  float *second;           /* (nullable) [m][m] another one that does */
  float *decoder;          /* (nullable) [m][m] to begin with, should the live picture not do */

} PrismRefine;

#define FIELD(...) PRISM_RECORD_FIELD (PrismRefine, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (attempt, INTEGER, ATTEMPT_FIRST, ATTEMPT_REDRAW),
  FIELD (stage, INTEGER, STAGE_SEARCH, STAGE_TAKE),
  FIELD (pass, INTEGER),
  FIELD (passes_before, INTEGER),
  FIELD (has_live, SWITCH),
  FIELD (has_waves, SWITCH),
  FIELD (smoothness, REAL),
  FIELD (n_searches, INTEGER),
  FIELD (n_questions, INTEGER),
  FIELD (n_redraws, INTEGER),
  FIELD (distance, REAL),
  FIELD (best_misfit, REAL),
  FIELD (best_power, REAL),
  FIELD (shows_best, SWITCH),
  FIELD (is_from_search, SWITCH),
  FIELD (judged, REAL),
  FIELD (explains, SWITCH),
  { NULL },
};

#define PLANE(...) PRISM_METHOD_PLANE (PrismRefine, __VA_ARGS__)

static const PrismMethodState state = {
  "refine.json",
  fields,
  {
      PLANE ("refine-best.npy", best, FALSE, TRUE),
      PLANE ("refine-second.npy", second, FALSE, TRUE),
      PLANE ("refine-decoder.npy", decoder, FALSE, TRUE),
  },
};

static gboolean
has_noise (PrismRefine *self)
{
  return self->descent->least_noise > 0.0;
}

static gboolean
has_searches_left (PrismRefine *self)
{
  return self->n_searches < prism_tuning_get_count (has_noise (self)
                                                        ? PRISM_TUNING_ALIGN_STARTS_IN_NOISE
                                                        : PRISM_TUNING_ALIGN_STARTS)
         && prism_phase_sync_can (self->parent.measurements);
}

static void
begin_stage (PrismRefine *self,
             Stage stage)
{
  self->stage = stage;
  self->passes_before += self->pass;
  self->pass = 0;
}

static void
begin_descent (PrismRefine *self,
               const float *start)
{
  begin_stage (self, STAGE_DESCEND);
  prism_descent_set_image (self->descent, start);
  prism_solver_watch (&self->parent, start);
}

/* ---- The attempts ---- */

static gboolean
ensure_alignment (PrismRefine *self,
                  GError **error)
{
  if (self->alignment == NULL)
    self->alignment = prism_phase_sync_new (self->parent.backend, self->parent.measurements,
                                            self->parent.spec.seed, error);
  return self->alignment != NULL;
}

static gboolean
begin_search (PrismRefine *self,
              GError **error)
{
  if (!ensure_alignment (self, error))
    return FALSE;
  prism_phase_sync_begin (self->alignment, self->n_searches,
                          self->n_searches == 0 ? self->best : NULL);
  self->n_searches++;
  self->attempt = ATTEMPT_SEARCH;
  self->shows_best = TRUE;
  begin_stage (self, STAGE_SEARCH);
  return TRUE;
}

static void
begin_with_decoder (PrismRefine *self,
                    Attempt attempt)
{
  self->attempt = attempt;
  self->has_waves = FALSE;
  begin_descent (self, self->decoder);
  g_clear_pointer (&self->decoder, prism_arena_free_array);
}

/* An image that waves led to is in the right basin, and its misfit falls for a long time; one that
 * passes alone have led to may be stuck with the same misfit. */
static double
get_most_misfit (PrismRefine *self)
{
  return prism_tuning_get (self->has_waves ? PRISM_TUNING_ALIGN_EXPLAINED
                                           : PRISM_TUNING_BRIEF_EXPLAINED);
}

/* The decoder's image has its turn where nothing else explains the frames. */
static void
end_searches (PrismRefine *self)
{
  const gboolean is_explained
      = has_noise (self) ? self->explains
                         : self->best_misfit <= get_most_misfit (self) * self->best_power;

  if (self->decoder == NULL || is_explained)
    {
      self->attempt = ATTEMPT_NONE;
      begin_stage (self, STAGE_TAKE);
      return;
    }
  begin_with_decoder (self, ATTEMPT_DECODER);
}

/* A search keeps a wave that is wrong and fits its frame. Where most frames are explained, those of
 * the others are drawn anew in the best image: once it is better, and after a futile search. */
static gboolean
begin_another (PrismRefine *self,
               gboolean is_better,
               GError **error)
{
  if (self->is_from_search && !self->explains && (is_better || self->attempt == ATTEMPT_SEARCH)
      && self->n_redraws < prism_tuning_get_count (PRISM_TUNING_ALIGN_STARTS_IN_NOISE))
    {
      g_autofree double *left
          = g_new (double, self->parent.measurements->n_measurements);
      PrismVerdict verdict;

      if (!ensure_alignment (self, error)
          || !prism_goodness_image (self->parent.measurements, self->best, &verdict, left, error))
        return FALSE;
      if (prism_phase_sync_redraw (self->alignment, self->best, left, self->n_redraws))
        {
          self->n_redraws++;
          self->attempt = ATTEMPT_REDRAW;
          begin_descent (self, self->alignment->image);
          return TRUE;
        }
    }
  if (has_searches_left (self))
    return begin_search (self, error);
  end_searches (self);
  return TRUE;
}

/* ---- Search and fill ---- */

/* With noise nobody knows what a search has found: one that ends as far from the waves as an
 * earlier one is no better. */
static gboolean
search (PrismRefine *self,
        PrismControl *control,
        GError **error)
{
  double distance;

  while (self->stage == STAGE_SEARCH)
    {
      if (!prism_phase_sync_search (self->alignment, control, &self->pass, error))
        return FALSE;
      distance = self->alignment->residual;
      if (self->n_questions > 0 || !(distance >= self->distance))
        {
          if (has_noise (self))
            self->distance = distance;
          self->has_waves
              |= has_noise (self) || distance <= PRISM_PHASE_SYNC_FOUND;
          begin_stage (self, STAGE_FILL);
        }
      else if (!begin_another (self, FALSE, error))
        return FALSE;
    }
  return TRUE;
}

static guint
count_fill (PrismRefine *self)
{
  return (has_noise (self) ? PRISM_PHASE_SYNC_FILL_IN_NOISE : PRISM_PHASE_SYNC_FILL)
         * self->parent.spec.n_passes;
}

static gboolean
fill (PrismRefine *self,
      PrismControl *control,
      GError **error)
{
  if (self->stage != STAGE_FILL)
    return TRUE;
  if (!prism_phase_sync_fill (self->alignment, control, &self->pass, count_fill (self),
                              self->smoothness, error))
    return FALSE;
  begin_descent (self, self->alignment->image);
  return TRUE;
}

/* ---- Descend ---- */

/* Passes that weights and smoothness are planned for. */
static guint
count_planned (PrismRefine *self)
{
  return prism_tuning_get_count (PRISM_TUNING_BRIEF_FINAL) * self->parent.spec.n_passes;
}

static gboolean
goes_on_beyond (PrismRefine *self)
{
  return self->parent.spec.until > 0.0 && self->n_questions == 0;
}

/* Faint measurements have little noise. Weighted by it they give the likeliest image, but slowly,
 * and from afar into the wrong basin; hence first equal weights, then half the exponent. A 64 px
 * image of two points in 256 px, r = 10, 20 dB, ends at 23 dB without the equal weights and at 48
 * with them. The live picture is near enough to go without, as is one with a frame drawn anew. */
static double
get_exponent (PrismRefine *self)
{
  const double last = prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT);
  const guint quarter = count_planned (self) / 4;

  if (!has_noise (self) || (self->attempt == ATTEMPT_FIRST && self->has_live)
      || self->attempt == ATTEMPT_REDRAW || self->pass >= 2 * quarter)
    return last;
  return self->pass < quarter ? 0.0 : prism_tuning_get (PRISM_TUNING_REFINE_EXPONENT);
}

/* With noise there is the same smoothness to the end. Without it falls to none, or an image that
 * meets the frames already has none. With noise whole frames are looked at until the image stands
 * still: with samples the noise of others in each pass moves it on and on. */
static gboolean
begin_pass (PrismRefine *self,
            GError **error)
{
  PrismDescent *descent = self->descent;
  const double exponent = get_exponent (self);
  const gboolean is_met = self->pass == 0 || self->best_misfit < FLT_EPSILON * self->best_power;

  if (has_noise (self))
    descent->smoothness = self->smoothness;
  else if (self->has_waves || (self->attempt == ATTEMPT_FIRST && self->has_live && is_met))
    descent->smoothness = 0.0;
  else
    prism_descent_cool (descent, self->smoothness, self->pass, self->parent.spec.n_passes);
  prism_descent_look_at (descent, self->pass, TRUE);
  return (self->pass > 0 && exponent == descent->exponent)
         || prism_descent_set_exponent (descent, exponent, error);
}

/* With noise slow changes go on for longer; beyond the passes that are set it is what the user
 * wants. What questions the result says nothing of it. */
static gboolean
stands_still (PrismRefine *self)
{
  PrismSolver *solver = &self->parent;
  double limit = prism_tuning_get (PRISM_TUNING_BRIEF_STILL);
  gboolean is_still;

  if (goes_on_beyond (self) && self->pass > solver->spec.n_passes)
    limit = solver->spec.until;
  is_still = prism_solver_stands_still (solver, self->descent->planes.image, limit);
  if (self->n_questions == 0)
    solver->settling
        = (PrismSettling) { is_still ? PRISM_SETTLING_STILL : PRISM_SETTLING_MOVING,
                            solver->window_change, limit };
  return is_still;
}

static gboolean
wants_search (PrismRefine *self,
              double most_misfit)
{
  return !has_noise (self) && has_searches_left (self)
         && self->descent->last_misfit
                > most_misfit * self->descent->power;
}

static void
keep (PrismRefine *self)
{
  memcpy (self->best, self->descent->planes.image,
          self->parent.n_pixels * sizeof (float));
  self->best_misfit = self->descent->last_misfit;
  self->best_power = self->descent->power;
  self->verdict = (PrismVerdict) { 0 };
  self->is_from_search = self->has_waves && has_noise (self);
}

/* The first passes tell whether passes are what the live picture needs: without noise the first one
 * does. With noise there are as many as the user wants, unless it is seen sooner that they will not
 * do: down a constant slope the fall grows with the square of the passes, and slopes only decrease.
 * On 22 scenes with noise no image that did not explain the frames in the end did so after four
 * times as many. */
static gboolean
needs_search (PrismRefine *self,
              gboolean *needs,
              GError **error)
{
  const double n_passes = self->parent.spec.n_passes;
  const guint window = prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW);
  PrismVerdict verdict;
  double fall;

  *needs = FALSE;
  if (self->attempt != ATTEMPT_FIRST || !self->has_live)
    return TRUE;
  if (self->pass == 1)
    {
      keep (self);
      *needs = wants_search (self, 1e-6);
    }
  if (!has_noise (self) || (self->pass != window && self->pass != n_passes)
      || !has_searches_left (self))
    return TRUE;
  if (!prism_goodness_image (self->parent.measurements, self->descent->planes.image,
                             &verdict, NULL, error))
    return FALSE;
  fall = self->best_misfit / self->descent->last_misfit - 1.0;
  verdict.misfit *= 1.0 - fall * (pow (n_passes / self->pass, 2.0) - 1.0);
  prism_verdict_decide (&verdict);
  *needs = verdict.kind == PRISM_VERDICT_UNEXPLAINED;
  return TRUE;
}

/* An image that is better than the best one need not wait for the end of its passes to be seen:
 * ten of them tell with noise, where only a look at all frames does. */
static gboolean
show_better (PrismRefine *self,
             GError **error)
{
  PrismVerdict verdict = { .misfit = self->descent->last_misfit };
  double shown = self->best_misfit;

  if (!self->shows_best || self->n_questions > 0)
    return TRUE;
  if (has_noise (self))
    {
      shown = self->judged;
      if (self->pass != prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW))
        return TRUE;
      if (!prism_goodness_image (self->parent.measurements,
                                 self->descent->planes.image, &verdict, NULL, error))
        return FALSE;
    }
  self->shows_best = !(verdict.misfit < shown);
  return TRUE;
}

static gboolean
descend (PrismRefine *self,
         PrismControl *control,
         GError **error)
{
  while (self->stage == STAGE_DESCEND)
    {
      gboolean ends, needs;
      guint most;

      if (self->descent->sample == 0 && !begin_pass (self, error))
        return FALSE;
      if (!prism_descent_pass (self->descent, control, error))
        return FALSE;
      self->pass++;
      ends = get_exponent (self) == prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT)
             && stands_still (self);
      if (self->n_questions == 0 && self->descent->exact)
        self->parent.settling.kind = PRISM_SETTLING_MET;
      if (!needs_search (self, &needs, error) || !show_better (self, error))
        return FALSE;
      most = goes_on_beyond (self) ? MAX (count_planned (self), PRISM_SOLVER_MOST_PASSES)
                                   : count_planned (self);
      if (ends || self->descent->exact || self->pass >= most || needs)
        begin_stage (self, STAGE_TAKE);
    }
  return TRUE;
}

/* ---- Take ---- */

/* Without noise the misfit tells, and waves that were found end the searches. Of several starts the
 * best one is the result. */
static gboolean
take_clean (PrismRefine *self,
            GError **error)
{
  const gboolean searches
      = !self->has_waves && wants_search (self, prism_tuning_get (PRISM_TUNING_BRIEF_EXPLAINED));

  if ((self->n_searches == 0 && self->attempt == ATTEMPT_FIRST && !searches)
      || !(self->descent->last_misfit >= self->best_misfit))
    keep (self);
  self->shows_best = TRUE;
  if (self->attempt != ATTEMPT_DECODER && searches)
    return begin_search (self, error);
  end_searches (self);
  return TRUE;
}

/* With noise the verdict tells what an image is worth. The first that explains the frames ends the
 * attempts. Of two the one that leaves less is nearer to the truth, but what passes alone have
 * explained stays beside another explanation. */
static gboolean
compare (PrismRefine *self,
         GError **error)
{
  const float *image = self->descent->planes.image;
  gboolean explains, wins;
  PrismVerdict verdict;

  if (!prism_goodness_image (self->parent.measurements, image, &verdict, NULL, error))
    return FALSE;
  explains = verdict.kind != PRISM_VERDICT_UNEXPLAINED;
  wins = isnan (self->judged)
         || (verdict.misfit < self->judged && (!self->explains || self->is_from_search));
  if (explains && self->explains && self->parent.spec.questions)
    {
      PrismVerdict doubted = verdict; /* what another search has found may be the same image */

      prism_verdict_doubt (&doubted, self->best, image, self->parent.n_pixels);
      if (doubted.kind == PRISM_VERDICT_AMBIGUOUS)
        {
          if (self->second == NULL)
            self->second = prism_solver_new_image (&self->parent, error);
          if (self->second == NULL)
            return FALSE;
          memcpy (self->second, wins ? self->best : image, self->parent.n_pixels * sizeof (float));
        }
    }
  if (wins)
    {
      keep (self);
      self->judged = verdict.misfit;
      self->verdict = verdict;
    }
  self->explains |= explains;
  return TRUE;
}

/* Where little was measured there may be more than one explanation. */
static gboolean
take_noisy (PrismRefine *self,
            GError **error)
{
  const double before = self->judged;
  gboolean ends;

  if (!compare (self, error))
    return FALSE;
  self->shows_best = TRUE;
  ends = self->explains || self->attempt == ATTEMPT_DECODER;
  if (self->parent.spec.questions && self->explains && self->second == NULL
      && self->n_questions < 3)
    {
      ends = FALSE;
      self->n_questions++;
    }
  if (!ends)
    return begin_another (self, self->judged < before, error);
  end_searches (self);
  return TRUE;
}

static gboolean
take (PrismRefine *self,
      GError **error)
{
  if (self->stage != STAGE_TAKE || self->attempt == ATTEMPT_NONE)
    return TRUE;
  return has_noise (self) ? take_noisy (self, error) : take_clean (self, error);
}

static gboolean
refine_run (gpointer data,
            PrismControl *control,
            GError **error)
{
  PrismRefine *self = data;

  while (self->attempt != ATTEMPT_NONE)
    if (!search (self, control, error) || !fill (self, control, error)
        || !descend (self, control, error) || !take (self, error))
      return FALSE;
  return TRUE;
}

/* ---- What every solver can do ---- */

static gboolean
refine_init (gpointer data,
             GError **error)
{
  PrismRefine *self = data;
  PrismSolver *solver = data;

  self->best_misfit = self->distance = self->judged = NAN;
  /* Its copies on a device are at place 1: the live picture's are at 0. */
  self->descent = prism_descent_new (solver->backend, solver->measurements, 1, error);
  return self->descent != NULL
         && (solver->before = prism_solver_new_image (solver, error)) != NULL
         && (self->best = prism_solver_new_image (solver, error)) != NULL;
}

PRISM_CLEAR (PrismRefine,
             refine_clear,
             prism_phase_sync_free,
             alignment,
             prism_descent_free,
             descent,
             prism_arena_free_array,
             best,
             prism_arena_free_array,
             second,
             prism_arena_free_array,
             decoder)

/* One that has been through already goes on with the decoder's image, and keeps its best one. */
static gboolean
refine_begin (gpointer data,
              const PrismSolverSpec *spec,
              GError **error)
{
  PrismRefine *self = data;
  PrismSolver *solver = data;

  if (spec->start != NULL && self->decoder == NULL)
    self->decoder = prism_solver_new_image (solver, error);
  if ((spec->start != NULL && self->decoder == NULL)
      || !prism_descent_add_samples (self->descent,
                                     solver->measurements->n_measurements, error))
    return FALSE;
  if (spec->start != NULL)
    memcpy (self->decoder, spec->start, solver->n_pixels * sizeof (float));
  self->smoothness = spec->smoothness;
  self->has_live = spec->live != NULL;
  self->passes_before = self->pass = 0;
  self->verdict = (PrismVerdict) { 0 }; /* samples may have come */
  if (!isnan (self->best_misfit))
    {
      end_searches (self);
      return TRUE;
    }
  self->attempt = spec->live != NULL || spec->start != NULL ? ATTEMPT_FIRST : ATTEMPT_NONE;
  if (spec->live != NULL)
    begin_descent (self, spec->live);
  else if (spec->start != NULL)
    begin_with_decoder (self, ATTEMPT_FIRST);
  return TRUE;
}

static void
refine_finish (gpointer data)
{
  PrismRefine *self = data;

  self->attempt = ATTEMPT_NONE;
}

static gboolean
refine_save (gpointer data,
             PrismBundle *bundle,
             GError **error)
{
  PrismRefine *self = data;

  return (self->alignment == NULL
          || prism_method_state_save (&prism_phase_sync_state, self->alignment, "",
                                      &self->parent.backend->spec, bundle, error))
         && prism_descent_save (self->descent, bundle, "descent", error);
}

static gboolean
refine_load (gpointer data,
             PrismBundle *bundle,
             GError **error)
{
  PrismRefine *self = data;

  if (!prism_descent_load (self->descent, bundle, "descent", TRUE, error))
    return FALSE;
  if ((self->attempt == ATTEMPT_NONE || self->stage >= STAGE_DESCEND)
      && !prism_bundle_has (bundle, prism_phase_sync_state.numbers))
    return TRUE;
  return ensure_alignment (self, error)
         && prism_method_state_load (&prism_phase_sync_state, self->alignment, "",
                                     &self->parent.backend->spec, bundle, error);
}

/* Passes of the stage under way, as far as it is known. */
static guint
count_stage (PrismRefine *self)
{
  const guint window = prism_tuning_get_count (PRISM_TUNING_BRIEF_WINDOW);

  if (self->attempt == ATTEMPT_NONE || self->stage == STAGE_TAKE)
    return self->pass;
  if (self->stage == STAGE_SEARCH)
    return self->alignment->n_most;
  if (self->stage == STAGE_FILL)
    return count_fill (self);
  return MAX (count_planned (self), self->pass + (goes_on_beyond (self) ? window : 0));
}

static void
refine_describe (gpointer data,
                 PrismSolverReport *report)
{
  PrismRefine *self = data;
  const guint known = self->passes_before + count_stage (self), planned = count_planned (self);

  report->is_done = self->attempt == ATTEMPT_NONE;
  report->pass = self->passes_before + self->pass;
  report->n_extra_passes = known - MIN (known, planned);
  report->sample = self->stage < STAGE_DESCEND && self->alignment != NULL
                       ? self->alignment->n_retrieved % self->alignment->n_samples
                       : self->descent->sample;
  /* With other weights it is another number, and a curve of both would tell nothing. */
  report->misfit = NAN;
  if (self->shows_best)
    report->misfit = self->best_misfit / self->best_power;
  else if (self->descent->exponent == prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT))
    report->misfit = self->descent->last_misfit / self->descent->power;
  if (self->attempt == ATTEMPT_SEARCH || self->attempt == ATTEMPT_REDRAW)
    report->search = self->n_searches;
  report->is_rescued = self->shows_best ? self->is_from_search
                                        : self->has_waves && has_noise (self);
  report->second = self->second;
  if (self->shows_best)
    report->verdict = self->verdict;
  report->explains = !has_noise (self) && report->misfit <= get_most_misfit (self);
}

static const float *
refine_get_image (gpointer data)
{
  PrismRefine *self = data;

  return self->shows_best ? self->best : self->descent->planes.image;
}

const PrismSolverKind prism_refine_kind = {
  .size = sizeof (PrismRefine),
  .init = refine_init,
  .clear = refine_clear,
  .begin = refine_begin,
  .run = refine_run,
  .finish = refine_finish,
  .state = &state,
  .save = refine_save,
  .load = refine_load,
  .describe = refine_describe,
  .get_image = refine_get_image,
};
