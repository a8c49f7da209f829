#include "config.h"

#include "solve/prism-microscope.h"

#include "base/prism-arena.h"
#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "base/prism-csv.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-export.h"
#include "solve/prism-microscope-field.h"

/* Frame j is g_j·|F⁻¹{P(k)·O(k - k_j)}|² + b (Zheng 2013, Ou 2014; measurements.md): a search finds
 * the pupil to begin with, then passes go over the frames, and after each of them frames that were
 * never used are predicted. Of a field in tiles that is done for each.
 *
 * The control is asked before each frame. A search has no place to go on from: where somebody waits
 * it ends and begins anew. What is written down is the estimate at the beginning of the pass under
 * way, to the bit.
 *
 * Dimensions: m = side of the picture, q = side of a frame, r = pixels of the object, along a side,
 * for one of the picture. */

#define NUMBERS "microscope.json"
#define PASSES "passes.csv"
enum
{
  N_CELLS = 3
};              /* of a pass */
#define WAIT 20 /* ms for another thread, before somebody else is heard */
#define REST 10 /* times as long as a finding took, before passes are held up by the next */

typedef struct
{
  PrismSolver parent;
  PrismProblem *problem; /* (unowned) */
  PrismMicroscopeField field;
  gboolean is_done;
  guint n_asked;      /* passes that it was begun with */
  GArray *progress;   /* of PrismPrediction: held-out frames after every pass, of all tiles */
  guint n_before;     /* of them, those of the tiles that are done */
  double used_misfit; /* where no frame is held out */
  float white;        /* amplitude that is 1 in the picture */

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
  PRISM_RECORD_PART (PrismMicroscope, "has_begun", field.has_begun, SWITCH, 0, 1, FALSE),
  FIELD (is_done, SWITCH, 0, 1),
  PRISM_RECORD_PART (PrismMicroscope, "n_before", n_before, INTEGER, 0, G_MAXINT32, TRUE),
  FIELD (used_misfit, REAL, 0, G_MAXDOUBLE),
  PRISM_RECORD_PART (PrismMicroscope, "tile", field.tile, INTEGER, 0, G_MAXINT32, TRUE),
  { NULL },
};

/* Before each frame; in a search, and where causes are tried, from the threads of its crew. */
static gboolean
watch (double fraction,
       gpointer data)
{
  PrismMicroscope *self = data;

  if (self->field.solver == NULL || prism_ptychography_is_searching (self->field.solver))
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

/* Pictures and finding are of an earlier estimate. */
static void
forget (PrismMicroscope *self)
{
  self->is_shown = self->is_found = FALSE;
}

/* One pass, or the rest of one, unless the solver's watch ends it. */
static gboolean
pass (PrismMicroscope *self,
      GError **error)
{
  PrismPrediction held;

  if (!prism_ptychography_step (self->field.solver))
    return FALSE;
  held = *prism_ptychography_get_held (self->field.solver);
  /* One that begins anew was told of as far as it had come. */
  if (self->n_before + prism_ptychography_get_pass (self->field.solver) > self->progress->len)
    g_array_append_val (self->progress, held);
  if (held.n_frames == 0)
    self->used_misfit = prism_ptychography_get_misfit (self->field.solver);
  self->n_left = 0;
  return prism_microscope_field_keep (&self->field, error);
}

static gboolean
goes_on (double fraction,
         gpointer self)
{
  return !prism_control_is_asked (((PrismMicroscope *) self)->control);
}

/* All passes over the frames of a tile, or of the whole field. */
static gboolean
explain (PrismMicroscope *self,
         GError **error)
{
  PrismMicroscopeField *field = &self->field;

  if (field->tile > 0 && !prism_mosaic_survey (field->mosaic, goes_on, self))
    return FALSE;
  while (prism_microscope_field_is_ahead (field))
    {
      if (!prism_control_yield (self->control))
        return FALSE;
      field->solver = prism_mosaic_ahead_take (field->ahead, field->tile, WAIT, self->progress,
                                               self->n_before);
      field->is_open = field->solver != NULL;
    }
  if (!field->is_open && !prism_microscope_field_open (field, &self->parent, error))
    return FALSE;
  prism_ptychography_set_watch (field->solver, watch, self);
  if (!field->has_begun && !prism_microscope_field_is_through (field)
      && !prism_control_yield (self->control))
    return FALSE;
  if (!field->has_begun && !prism_microscope_field_begin (field, error))
    return FALSE;
  while (!prism_microscope_field_is_through (field))
    {
      const gboolean is_whole = prism_ptychography_takes_whole (field->solver);

      /* A device has its pass done before anybody would wait for it. */
      if (is_whole && !prism_control_yield (self->control))
        return FALSE;
      prism_ptychography_set_watch (field->solver, is_whole ? NULL : watch, self);
      if (!pass (self, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
add_tile (PrismMicroscope *self,
          GError **error)
{
  forget (self);
  self->n_before = self->progress->len;
  return prism_microscope_field_add (&self->field, error);
}

static gboolean
microscope_run (PrismSolver *solver,
                PrismControl *control,
                GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  self->control = control;
  self->n_left = 0;
  if (self->field.tile == 0)
    forget (self);
  while (!self->is_done)
    {
      if (!explain (self, error))
        return FALSE;
      if (self->field.mosaic != NULL
          && (!prism_control_yield (control) || !add_tile (self, error)))
        return FALSE;
      self->is_done = self->field.mosaic == NULL || self->field.tile == self->field.n_tiles;
    }
  return TRUE;
}

static gboolean
refuse (double fraction,
        gpointer data)
{
  return FALSE;
}

/* The object after the last whole pass; the first pass is brought to its end. A tile that is not
 * through is left out, but the middle one. No cause is tried: somebody wants the end. */
static void
microscope_finish (PrismSolver *solver)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  PrismMicroscopeField *field = &self->field;

  if (self->is_done || prism_microscope_field_get_known (field) == NULL)
    return;
  forget (self);
  self->is_done = TRUE;
  if (field->tile == 0)
    {
      prism_ptychography_set_watch (field->solver, NULL, NULL);
      if (self->progress->len > 0)
        prism_ptychography_load (field->solver, field->whole, NULL);
      else
        pass (self, NULL);
      prism_ptychography_take_best (field->solver);
    }
  if (field->mosaic != NULL && field->has_begun
      && (field->tile == 0 || prism_microscope_field_is_through (field)))
    prism_microscope_field_add (field, NULL);
  if (field->tile > 0)
    prism_microscope_field_leave (field);
  g_clear_pointer (&field->ahead, prism_mosaic_ahead_free);
  prism_ptychography_set_watch (prism_microscope_field_get_known (field), refuse, NULL);
}

static void
microscope_move (PrismSolver *solver)
{
}

static char *
dup_progress (const PrismMicroscope *self)
{
  const guint n = self->progress->len;
  g_autofree double (*rows)[N_CELLS] = g_malloc_n (n + 1, sizeof *rows);

  for (guint i = 0; i < n; i++)
    {
      const PrismPrediction *held = &g_array_index (self->progress, PrismPrediction, i);

      rows[i][0] = held->n_frames;
      rows[i][1] = held->misfit;
      rows[i][2] = held->correlation;
    }
  return prism_csv_new_exact ("frames,misfit,correlation", rows[0], n, N_CELLS);
}

static gboolean
parse_progress (PrismMicroscope *self,
                const char *text,
                GError **error)
{
  gsize n_rows = 0;
  g_autofree double *cells = prism_csv_parse_exact (text, N_CELLS, &n_rows, error);

  if (cells == NULL)
    {
      g_prefix_error (error, "%s cannot be used: ", PASSES);
      return FALSE;
    }
  g_array_set_size (self->progress, 0);
  for (gsize i = 0; i < n_rows; i++)
    {
      const double *row = cells + N_CELLS * i;
      const PrismPrediction held
          = { .n_frames = (guint) CLAMP (row[0], 0, self->problem->frames->n_frames),
              .misfit = row[1],
              .correlation = row[2] };

      g_array_append_val (self->progress, held);
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
  return prism_microscope_field_save (&self->field, bundle, error);
}

static gboolean
microscope_load (PrismSolver *solver,
                 PrismBundle *bundle,
                 GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  const char *numbers = prism_bundle_get_text (bundle, NUMBERS, error);
  const char *passes = numbers != NULL ? prism_bundle_get_text (bundle, PASSES, error) : NULL;

  forget (self);
  self->n_before = G_MAXINT32;
  if (passes == NULL || !prism_record_parse (fields, self, numbers, NUMBERS, error)
      || !parse_progress (self, passes, error)
      || !prism_microscope_field_load (&self->field, bundle, error))
    return FALSE;
  /* A former version has not written it. */
  if (self->n_before > self->progress->len)
    self->n_before = self->progress->len
                     - (self->field.has_begun
                            ? MIN (prism_ptychography_get_pass (self->field.solver),
                                   self->progress->len)
                            : 0);
  /* Somebody wants more passes than when it was over. */
  if (self->problem->mosaic == NULL && (guint) self->problem->settings->passes > self->n_asked
      && !prism_microscope_field_is_through (&self->field))
    self->is_done = FALSE;
  return TRUE;
}

/* Where LEDs are far from their places more of them are made than are always made. */
static guint
count_extra_passes (const PrismMicroscope *self)
{
  PrismPtychography *solver = self->field.solver;
  const guint n_planned
      = (self->field.tile + (solver != NULL || self->progress->len > self->n_before))
        * (guint) self->problem->settings->passes;
  guint n = self->progress->len;

  if (solver != NULL)
    n += prism_ptychography_get_n_passes (solver) - prism_ptychography_get_pass (solver);
  return n - MIN (n, n_planned);
}

/* The object, or the part that is known, goes into the square of the picture: the shorter side of a
 * field has as much of nothing at both of its ends, and before the middle tile is done there is no
 * other part. Pictures are made when somebody looks, and not again before the estimate has
 * changed. */
static gboolean
show (PrismMicroscope *self)
{
  const PrismMicroscopeField *field = &self->field;
  const int m = prism_problem_get_side (self->problem);
  int height = self->problem->frames->upsampling * self->problem->frames->side, width = height;
  int top = 0, left = 0;
  const gboolean is_known = prism_microscope_field_get_known (field) != NULL;
  float *object;

  if (self->is_shown || !is_known)
    return is_known;
  if (field->mosaic != NULL)
    {
      const PrismMosaicPlan *plan = &field->mosaic->plan;
      const int side = prism_problem_get_field (self->problem);

      top = (side - plan->height) / 2;
      left = (side - plan->width) / 2;
      if (field->tile > 0)
        {
          height = plan->height;
          width = plan->width;
        }
      else
        {
          top += plan->tiles[0].y * plan->upsampling;
          left += plan->tiles[0].x * plan->upsampling;
        }
    }
  object = field->tile > 0 ? prism_mosaic_dup_object (field->mosaic, NULL)
                           : prism_ptychography_dup_object (field->solver, NULL);
  g_clear_pointer (&self->phase, prism_image_unref);
  self->phase = object != NULL ? prism_image_new (m, m, NULL) : NULL;
  if (self->phase != NULL)
    {
      prism_finding_take_unit (object, (gsize) height * width, self->white);
      prism_finding_picture_reduce (object, height, width, top, left,
                                    prism_problem_get_reduction (self->problem), m, self->picture,
                                    self->phase->pixels);
    }
  prism_arena_free_array (object);
  self->is_shown = self->phase != NULL;
  return self->is_shown;
}

static const float *
microscope_get_image (PrismSolver *solver)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  return show (self) ? self->picture : NULL;
}

/**
 * prism_microscope_get_phase:
 *
 * Thread: engine.
 *
 * Returns: (transfer none) (nullable): the object's phase, [m][m]; made when somebody looks
 */
PrismImage *
prism_microscope_get_phase (PrismSolver *solver)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  return show (self) ? self->phase : NULL;
}

static void
take_look (PrismMicroscope *self,
           PrismPtychography *known,
           PrismFinding *finding)
{
  const guint frame = MIN (self->looked, self->problem->frames->n_frames - 1);
  g_autofree float *predicted = prism_ptychography_dup_prediction (known, frame);

  finding->looked = frame;
  finding->predicted = prism_problem_new_frame (self->problem, frame, predicted);
}

/* The object of the tiles that are done takes the place of that of one. */
static gboolean
take_tiles (PrismMicroscope *self,
            PrismFinding *finding)
{
  const PrismMosaic *mosaic = self->field.mosaic;
  const PrismMosaicPlan *plan = self->field.tile > 0 ? &mosaic->plan : NULL;
  float *object;

  if (plan == NULL)
    return TRUE;
  object = prism_mosaic_dup_object (mosaic, NULL);
  if (object == NULL)
    return FALSE;
  prism_finding_set_object (finding, object, plan->height, plan->width, self->white);
  finding->held_out = prism_mosaic_get_held_out (mosaic, &finding->held_out);
  finding->objective = mosaic->objective;
  finding->settings->tile = plan->side;
  finding->tiles = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->field.tile; i++)
    g_ptr_array_add (finding->tiles, prism_mosaic_dup_sentence (mosaic, i));
  return TRUE;
}

/**
 * prism_microscope_get_finding:
 * @settled: of the estimate as it is; otherwise the newest one may do
 *
 * It predicts every frame, which takes as long as a part of a pass.
 *
 * Thread: engine.
 *
 * Returns: (transfer none) (nullable): what is found
 */
PrismFinding *
prism_microscope_get_finding (PrismSolver *solver,
                              gboolean settled)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  PrismPtychography *known = prism_microscope_field_get_known (&self->field);
  const double begun = prism_clock_get_seconds ();
  g_autoptr (PrismFinding) finding = NULL;

  if (known == NULL || self->is_found || (!settled && begun < self->finding_due))
    return self->finding;
  finding = prism_finding_new (known, self->progress, self->problem->recording->path, NAN, NULL);
  if (finding == NULL || !take_tiles (self, finding))
    return self->finding;
  finding->reduction = prism_problem_get_reduction (self->problem);
  finding->reading = prism_problem_dup_options (self->problem);
  take_look (self, known, finding);
  prism_finding_unref (self->finding);
  self->finding = g_steal_pointer (&finding);
  self->is_found = TRUE;
  self->finding_due = begun + (1 + REST) * (prism_clock_get_seconds () - begun);
  return self->finding;
}

/**
 * prism_microscope_look_at:
 * @frame: its number
 *
 * Findings have the prediction of this frame from now on.
 *
 * Thread: engine.
 */
void
prism_microscope_look_at (PrismSolver *solver,
                          guint frame)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;

  self->looked = frame;
  self->is_found = FALSE;
  self->finding_due = 0;
}

/**
 * prism_microscope_predict:
 *
 * Thread: engine.
 *
 * Returns: frames that were never used, by what is found; NAN where there is no memory
 */
PrismPrediction
prism_microscope_predict (PrismSolver *solver)
{
  const PrismFinding *finding = prism_microscope_get_finding (solver, TRUE);

  return finding != NULL ? finding->held_out
                         : (PrismPrediction) { .misfit = NAN, .correlation = NAN };
}

static void
microscope_describe (PrismSolver *solver,
                     PrismSolverReport *report)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  PrismPtychography *under_way = self->field.solver;
  const guint n_samples = self->problem->frames->n_used;
  PrismPrediction held = { .misfit = NAN, .correlation = NAN };

  /* Of all tiles once they are put together. */
  if (self->is_done && self->field.tile > 0)
    held = prism_microscope_predict (solver);
  else if (self->progress->len > 0)
    held = g_array_index (self->progress, PrismPrediction, self->progress->len - 1);
  report->is_done = self->is_done;
  report->pass = self->progress->len;
  report->n_extra_passes = count_extra_passes (self);
  if (under_way != NULL)
    report->sample = MIN (prism_ptychography_get_next (under_way), n_samples);
  report->misfit = held.n_frames == 0 ? self->used_misfit : held.misfit;
  if (isfinite (held.correlation))
    report->correlation = held.correlation;
}

static gboolean
microscope_init (PrismSolver *solver,
                 GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  gsize m;

  self->problem
      = solver->measurements->scene->problem;
  m = (gsize) prism_problem_get_side (self->problem);
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  self->used_misfit = NAN;
  self->white = prism_ptychogram_get_white (self->problem->frames);
  self->picture = prism_arena_new_array (m * m * sizeof *self->picture, "the picture", error);
  if (self->picture == NULL)
    return FALSE;
  return prism_microscope_field_init (&self->field, self->problem, error);
}

static void
microscope_clear (gpointer data)
{
  PrismMicroscope *self = data;

  prism_microscope_field_clear (&self->field);
  prism_arena_free_array (self->picture);
  g_clear_pointer (&self->phase, prism_image_unref);
  prism_finding_unref (self->finding);
  g_array_unref (self->progress);
}

static gboolean
microscope_begin (PrismSolver *solver,
                  const PrismSolverSpec *spec,
                  GError **error)
{
  ((PrismMicroscope *) solver)->n_asked = spec->n_passes;
  return prism_microscope_field_open (&((PrismMicroscope *) solver)->field, solver, error);
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
  PrismPtychography *known = prism_microscope_field_get_known (&self->field);
  g_autofree char *reason = NULL;
  PrismPtychographyOutcome outcome = { .recording = self->problem->recording,
                                       .problem = self->problem,
                                       .settings = self->problem->settings,
                                       .finding = prism_microscope_get_finding (solver, TRUE),
                                       .seconds = facts->seconds,
                                       .mosaic = self->field.tile > 0 ? self->field.mosaic : NULL,
                                       .is_brief = facts->is_brief };

  if (known == NULL)
    return prism_error_config (error,
                               "Nothing is found yet: the search for the pupil is not over.");
  if (!self->is_found)
    return prism_error_memory (error, "There is not enough memory to copy the result.");
  if (self->field.why_cpu != NULL)
    reason = g_strdup_printf ("Running on the CPU: %s", self->field.why_cpu);
  outcome.is_finished = self->field.mosaic == NULL || self->field.tile == self->field.n_tiles;
  if (prism_ptychography_get_pass (known) < prism_ptychography_get_n_passes (known))
    outcome.is_finished = FALSE;
  outcome.device = self->field.device != NULL ? self->field.device : "CPU";
  outcome.device_reason = reason != NULL ? reason : facts->device_reason;
  outcome.pixel_visits = (double) self->progress->len * self->problem->frames->n_used
                         * self->problem->frames->side * self->problem->frames->side;
  return prism_ptychography_export_save_all (known, &outcome, directory, error);
}

const PrismSolverKind prism_microscope_kind = {
  .name = "Fourier ptychography",
  .size = sizeof (PrismMicroscope),
  .init = microscope_init,
  .clear = microscope_clear,
  .begin = microscope_begin,
  .run = microscope_run,
  .finish = microscope_finish,
  .move = microscope_move,
  .save = microscope_save,
  .load = microscope_load,
  .describe = microscope_describe,
  .get_image = microscope_get_image,
};
