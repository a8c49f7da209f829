#include "config.h"

#include "solve/prism-microscope.h"

#include "base/prism-arena.h"
#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "base/prism-sort.h"
#include "ptychography/prism-finding-new.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-export.h"
#include "ptychography/prism-ptychography-start.h"

#include <math.h>
#include <string.h>

/* Frame j is g_j·|F⁻¹{P(k)·O(k - k_j)}|² + b (Zheng 2013, Ou 2014; measurements.md): a search finds
 * the pupil to begin with, then passes go over the frames, and after each of them frames that were
 * never used are predicted.
 *
 * The control is asked before each frame. A search has no place to go on from: where somebody waits
 * it ends and begins anew. What is written down is the estimate at the beginning of the pass under
 * way, to the bit.
 *
 * Dimensions: m = side of the picture, q = side of a frame, r = pixels of the object, along a side,
 * for one of the picture. */

#define NUMBERS "microscope.json"
#define PASSES "passes.csv"
#define BRIGHT 0.995 /* share of the innermost frame's pixels that are at most 1 in the picture */
#define REST 10      /* times as long as a finding took, before passes are held up by the next */

typedef struct
{
  PrismSolver parent;
  PrismProblem *problem; /* (unowned) */
  PrismPtychography *solver;
  gboolean has_begun; /* the search is over: there is an object */
  gboolean is_done;
  GArray *progress;   /* of PrismPrediction: held-out frames after every pass */
  double used_misfit; /* where no frame is held out */
  PrismBundle *whole; /* (nullable): the estimate after the last whole pass */
  float bright;       /* amplitude that is 1 in the picture */
  char *why_cpu;      /* (nullable): a sentence where a device could not take the passes */

  PrismControl *control; /* of the call under way */
  guint n_left;          /* frames before it is asked again */

  gboolean is_shown; /* the pictures are of the estimate as it is */
  float *picture;    /* [m][m] amplitude */
  PrismImage *phase; /* (nullable) [m][m] */

  PrismFinding *finding; /* (nullable): the newest one */
  gboolean is_found;     /* it is of the estimate as it is, and of the frame looked at */
  double finding_due;    /* s: before that time another one would slow the passes down */
  guint looked;          /* the frame that is looked at */
} PrismMicroscope;

#define FIELD(...) PRISM_RECORD_FIELD (PrismMicroscope, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (has_begun, SWITCH, 0, 1),
  FIELD (is_done, SWITCH, 0, 1),
  FIELD (used_misfit, REAL, 0, G_MAXDOUBLE),
  { NULL },
};

/* Before each frame; in a search from the threads of its crew. */
static gboolean
watch (double fraction,
       gpointer data)
{
  PrismMicroscope *self = data;

  if (prism_ptychography_is_searching (self->solver))
    return !prism_control_is_asked (self->control);
  if (self->n_left == 0)
    {
      if (!prism_control_yield (self->control))
        return FALSE;
      self->n_left = prism_pace_get (&self->control->pace, G_MAXUINT);
    }
  self->n_left--;
  prism_control_note (self->control, 1);
  return TRUE;
}

/* What a run goes back to where it is written down or finished in the middle of a pass. */
static gboolean
keep_whole (PrismMicroscope *self,
            GError **error)
{
  g_autoptr (PrismBundle) whole = prism_bundle_new ();

  if (!prism_ptychography_save (self->solver, whole, error))
    return FALSE;
  prism_bundle_free (self->whole);
  self->whole = g_steal_pointer (&whole);
  return TRUE;
}

static gboolean
begin (PrismMicroscope *self,
       GError **error)
{
  if (!prism_ptychography_start_load (self->solver, error)
      || !prism_ptychography_begin (self->solver))
    return FALSE;
  self->has_begun = TRUE;
  return keep_whole (self, error);
}

/* One pass, or the rest of one. */
static gboolean
pass (PrismMicroscope *self,
      GError **error)
{
  const gboolean on_device = prism_ptychography_device_get_name (self->solver) != NULL;
  PrismPrediction held;

  /* A device has its pass done before anybody would wait for it. */
  if (on_device && !prism_control_yield (self->control))
    return FALSE;
  prism_ptychography_set_watch (self->solver, on_device ? NULL : watch, self);
  if (!prism_ptychography_step (self->solver))
    return FALSE;
  held = prism_ptychography_predict (self->solver, TRUE, NULL, NULL);
  g_array_append_val (self->progress, held);
  if (held.n_frames == 0)
    self->used_misfit = prism_ptychography_predict (self->solver, FALSE, NULL, NULL).misfit;
  self->n_left = 0;
  self->is_done = prism_ptychography_get_pass (self->solver)
                  >= prism_ptychography_get_n_passes (self->solver);
  return keep_whole (self, error);
}

static gboolean
microscope_run (PrismSolver *solver,
                PrismControl *control,
                GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  self->control = control;
  self->n_left = 0;
  self->is_shown = self->is_found = FALSE;
  prism_ptychography_set_watch (self->solver, watch, self);
  if (!self->has_begun && (!prism_control_yield (control) || !begin (self, error)))
    return FALSE;
  while (!self->is_done)
    if (!pass (self, error))
      return FALSE;
  return TRUE;
}

/* The object after the last whole pass; the first pass is brought to its end. */
static void
microscope_finish (PrismSolver *solver)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  if (self->is_done || !self->has_begun)
    return;
  self->is_shown = self->is_found = FALSE;
  prism_ptychography_set_watch (self->solver, NULL, NULL);
  if (self->progress->len > 0)
    prism_ptychography_load (self->solver, self->whole, NULL);
  else
    pass (self, NULL);
  self->is_done = TRUE;
}

static void
microscope_move (PrismSolver *solver)
{
}

static char *
dup_progress (const PrismMicroscope *self)
{
  GString *text = g_string_new ("frames,misfit,correlation\n");

  for (guint i = 0; i < self->progress->len; i++)
    {
      const PrismPrediction *row = &g_array_index (self->progress, PrismPrediction, i);
      char misfit[G_ASCII_DTOSTR_BUF_SIZE], correlation[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (text, "%u,%s,%s\n", row->n_frames,
                              g_ascii_dtostr (misfit, sizeof misfit, row->misfit),
                              g_ascii_dtostr (correlation, sizeof correlation, row->correlation));
    }
  return g_string_free (text, FALSE);
}

static gboolean
parse_progress (PrismMicroscope *self,
                const char *text,
                GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  g_array_set_size (self->progress, 0);
  for (guint i = 1; lines[0] != NULL && lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], ",", -1);
      PrismPrediction row;

      if (g_strv_length (cells) != 3)
        {
          g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                       "%s cannot be used: a row has not three numbers.", PASSES);
          return FALSE;
        }
      row.n_frames = (guint) g_ascii_strtoull (cells[0], NULL, 10);
      row.misfit = g_ascii_strtod (cells[1], NULL);
      row.correlation = g_ascii_strtod (cells[2], NULL);
      g_array_append_val (self->progress, row);
    }
  return TRUE;
}

static gboolean
microscope_save (PrismSolver *solver,
                 PrismBundle *bundle,
                 GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  prism_bundle_take_text (bundle, NUMBERS, prism_record_to_text (fields, self));
  prism_bundle_take_text (bundle, PASSES, dup_progress (self));
  return self->whole == NULL || prism_bundle_add_bundle (bundle, self->whole, error);
}

static gboolean
microscope_load (PrismSolver *solver,
                 PrismBundle *bundle,
                 GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  const char *numbers = prism_bundle_get_text (bundle, NUMBERS, error);
  const char *passes = numbers != NULL ? prism_bundle_get_text (bundle, PASSES, error) : NULL;

  self->is_shown = self->is_found = FALSE;
  return passes != NULL && prism_record_parse (fields, self, numbers, NUMBERS, error)
         && parse_progress (self, passes, error)
         && (!self->has_begun
             || (prism_ptychography_load (self->solver, bundle, error)
                 && keep_whole (self, error)));
}

static guint
microscope_count_passes (const PrismSolverSpec *spec)
{
  return spec->n_passes;
}

static void
microscope_describe (PrismSolver *solver,
                     PrismSolverReport *report)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  const guint n_passes = prism_ptychography_get_n_passes (self->solver);
  const PrismPrediction *held
      = self->progress->len > 0
            ? &g_array_index (self->progress, PrismPrediction, self->progress->len - 1)
            : NULL;

  report->is_done = self->is_done;
  report->pass = self->progress->len;
  report->n_passes = (guint) self->problem->settings.passes;
  report->n_extra_passes = n_passes - MIN (n_passes, report->n_passes);
  report->sample = prism_ptychography_get_next (self->solver);
  report->n_samples = self->problem->frames->n_used;
  report->misfit = held == NULL          ? (double) NAN
                   : held->n_frames == 0 ? self->used_misfit
                                         : held->misfit;
  if (held != NULL && isfinite (held->correlation))
    report->correlation = held->correlation;
}

/* Amplitude and phase of what is seen through r × r pixels, one as bright as most of the innermost
 * frame. */
static void
take_picture (PrismMicroscope *self,
              const float *object,
              float *phase)
{
  const int r = prism_problem_get_reduction (self->problem);
  const int m = prism_problem_get_side (self->problem);
  const gsize width = (gsize) self->problem->frames->upsampling * self->problem->frames->side;
  const float scale = 1 / (self->bright * (float) (r * r));

  for (int row = 0; row < m; row++)
    for (int column = 0; column < m; column++)
      {
        const gsize to = (gsize) row * m + column;
        float sum[2] = { 0 };

        for (int i = 0; i < r * r; i++)
          {
            const gsize y = (gsize) row * r + i / r, x = (gsize) column * r + i % r;

            sum[0] += object[2 * (y * width + x)];
            sum[1] += object[2 * (y * width + x) + 1];
          }
        self->picture[to] = scale * hypotf (sum[0], sum[1]);
        phase[to] = atan2f (sum[1], sum[0]);
      }
}

/* They are made when somebody looks, and not again before the estimate has changed. */
static gboolean
show (PrismMicroscope *self)
{
  if (!self->has_begun)
    return FALSE;
  if (!self->is_shown)
    {
      const int m = prism_problem_get_side (self->problem);
      prism_autofree_array float *object = prism_ptychography_dup_object (self->solver, NULL);

      g_clear_pointer (&self->phase, prism_image_unref);
      self->phase = object != NULL ? prism_image_new (m, m, NULL) : NULL;
      if (self->phase != NULL)
        take_picture (self, object, self->phase->pixels);
      self->is_shown = self->phase != NULL;
    }
  return self->is_shown;
}

static const float *
microscope_get_image (PrismSolver *solver)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  return show (self) ? self->picture : NULL;
}

static PrismImage *
microscope_get_phase (PrismSolver *solver)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  return show (self) ? self->phase : NULL;
}

/* Amplitudes; a pixel that is not used is none. */
static PrismImage *
new_frame (const float *values,
           int side)
{
  PrismImage *image = prism_image_new_copy (side, side, values, NULL);

  for (gsize i = 0; image != NULL && i < (gsize) side * side; i++)
    if (image->pixels[i] < 0)
      image->pixels[i] = NAN;
  return image;
}

static void
take_look (PrismMicroscope *self,
           PrismFinding *finding)
{
  const PrismPtychogram *frames = self->problem->frames;
  const guint frame = MIN (self->looked, frames->n_frames - 1);
  g_autofree float *predicted = prism_ptychography_dup_prediction (self->solver, frame);

  finding->looked = frame;
  finding->recorded = new_frame (prism_ptychogram_get (frames, frame), frames->side);
  finding->predicted = new_frame (predicted, frames->side);
}

/* It predicts every frame, which takes as long as a part of a pass. */
static PrismFinding *
microscope_get_finding (PrismSolver *solver,
                        gboolean settled)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  const double begun = prism_clock_get_seconds ();
  PrismFinding *finding;

  if (!self->has_begun || self->is_found || (!settled && begun < self->finding_due))
    return self->finding;
  finding = prism_finding_new (self->solver, self->progress, self->problem->recording->path, NAN,
                               NULL);
  if (finding == NULL)
    return self->finding;
  take_look (self, finding);
  prism_finding_unref (self->finding);
  self->finding = finding;
  self->is_found = TRUE;
  self->finding_due = begun + (1 + REST) * (prism_clock_get_seconds () - begun);
  return finding;
}

static void
microscope_look_at (PrismSolver *solver,
                    guint frame)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  self->looked = frame;
  self->is_found = FALSE;
  self->finding_due = 0;
}

static void
microscope_judge (PrismSolver *solver,
                  PrismVerdict *verdict)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  const PrismPrediction held = prism_ptychography_predict (self->solver, TRUE, NULL, NULL);

  prism_verdict_predict (verdict, held.n_frames, held.misfit, held.correlation);
}

/* Fixed, so that pictures of one run can be compared. */
static float
find_bright (const PrismPtychogram *frames)
{
  const gsize n = (gsize) frames->side * frames->side;
  g_autofree float *sorted
      = g_memdup2 (prism_ptychogram_get (frames, frames->order[0]), n * sizeof *sorted);

  prism_sort_floats (sorted, n);
  return MAX (sorted[(gsize) (BRIGHT * (double) (n - 1))], 1e-20f);
}

static gboolean
microscope_init (PrismSolver *solver,
                 GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  const PrismRecording *recording;
  gsize m;

  self->problem
      = prism_scene_get_problem (prism_measurements_get_scene (solver->measurements));
  recording = self->problem->recording;
  m = (gsize) prism_problem_get_side (self->problem);
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  self->used_misfit = NAN;
  self->bright = find_bright (self->problem->frames);
  self->picture = prism_arena_new_array (m * m * sizeof *self->picture, "the picture", error);
  if (self->picture == NULL)
    return FALSE;
  self->solver
      = prism_ptychography_new (prism_ptychogram_ref (self->problem->frames),
                                &self->problem->settings, recording->wavelength, recording->na,
                                error);
  return self->solver != NULL;
}

static void
microscope_clear (PrismSolver *solver)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  prism_ptychography_free (self->solver);
  prism_bundle_free (self->whole);
  prism_arena_free_array (self->picture);
  g_clear_pointer (&self->phase, prism_image_unref);
  prism_finding_unref (self->finding);
  g_array_unref (self->progress);
  g_free (self->why_cpu);
}

/* A device that cannot leaves the passes to the CPU, where nobody insists on it. */
static gboolean
microscope_begin (PrismSolver *solver,
                  const PrismSolverSpec *spec,
                  GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  g_autoptr (GError) problem = NULL;

  if (!prism_backend_can_be_lost (solver->backend->ops))
    return TRUE;
  if (spec->recorded == NULL)
    self->why_cpu = g_strdup ("the GPU's module does not know recorded frames.");
  else if (self->problem->settings.method == PRISM_METHOD_DESCENT)
    self->why_cpu = g_strdup ("descent on all frames is not the GPU's.");
  else if (!prism_ptychography_device_open (self->solver, spec->recorded, &problem))
    {
      if (spec->insists)
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          return FALSE;
        }
      self->why_cpu = g_strdup (problem->message);
    }
  return TRUE;
}

/**
 * prism_microscope_export:
 * @self: a method that has begun
 * @facts: what its run knows beside it
 * @directory: created where it is missing
 * @error: return location
 *
 * Writes the folder of a result, as prism_ptychography_export_save_all() does.
 *
 * Errors: PRISM_ERROR_CONFIG before the search is over, PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_microscope_export (PrismSolver *solver,
                         const PrismMicroscopeFacts *facts,
                         const char *directory,
                         GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  const guint n = self->problem->frames->n_frames;
  const char *device = prism_ptychography_device_get_name (self->solver);
  const char *failure = prism_ptychography_device_get_failure (self->solver);
  const char *why_cpu = failure != NULL ? failure : self->why_cpu;
  g_autofree double *misfits = g_new (double, n);
  g_autofree double *correlations = g_new (double, n);
  g_autofree PrismFindingFrame *frames = NULL;
  g_autoptr (GPtrArray) doubts = NULL;
  g_autofree char *reason = NULL;
  PrismPtychographyOutcome outcome = { .recording = self->problem->recording,
                                       .settings = &self->problem->settings,
                                       .misfits = misfits,
                                       .correlations = correlations,
                                       .seconds = facts->seconds,
                                       .progress = self->progress,
                                       .device = device != NULL ? device : "CPU",
                                       .is_brief = facts->is_brief };

  if (!self->has_begun)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "Nothing is found yet: the search for the pupil is not over.");
      return FALSE;
    }
  if (why_cpu != NULL)
    reason = g_strdup_printf ("Running on the CPU: %s", why_cpu);
  outcome.device_reason = reason != NULL ? reason : facts->device_reason;
  outcome.held_out = prism_ptychography_predict (self->solver, TRUE, misfits, correlations);
  outcome.used = prism_ptychography_predict (self->solver, FALSE, misfits, correlations);
  frames = prism_finding_frame_dup_all (self->solver, misfits, correlations);
  outcome.doubts = doubts = prism_light_check_find (self->solver, frames);
  return prism_ptychography_export_save_all (self->solver, &outcome, directory, error);
}

const PrismSolverKind prism_microscope_kind = {
  .name = "Fourier ptychography",
  .size = sizeof (PrismMicroscope),
  .init = microscope_init,
  .clear = microscope_clear,
  .count_passes = microscope_count_passes,
  .begin = microscope_begin,
  .run = microscope_run,
  .finish = microscope_finish,
  .move = microscope_move,
  .save = microscope_save,
  .load = microscope_load,
  .describe = microscope_describe,
  .get_image = microscope_get_image,
  .get_phase = microscope_get_phase,
  .get_finding = microscope_get_finding,
  .look_at = microscope_look_at,
  .judge = microscope_judge,
};
