#include "config.h"

#include "solve/prism-microscope.h"

#include "base/prism-arena.h"
#include "base/prism-clock.h"
#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-device.h"
#include "ptychography/prism-ptychography-export.h"
#include "ptychography/prism-ptychography-state.h"

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

#define PASSES "passes.csv"
#define OF_MIDDLE "middle-" /* before the names of its estimate */
#define WAIT 20             /* ms for another thread, before somebody else is heard */
#define REST 10             /* times as long as a finding took, before the next holds passes up */
enum
{
  N_CELLS = 3 /* of a pass */
};

typedef struct
{
  PrismSolver parent;
  PrismControl *control; /* of the call under way */
  guint n_left;          /* frames before it is asked again */
  PrismProblem *problem; /* (unowned) */

  PrismMosaic *mosaic;       /* (nullable): the tiles that are done, of a field that has some */
  guint tile;                /* under way; 0 where the field is one */
  PrismPtychography *solver; /* (nullable): of the tile under way, or of the field */
  PrismMosaicAhead *ahead;   /* (nullable): tiles behind that one */
  PrismPtychography *middle; /* (nullable): of the middle tile, once it is done */
  gboolean has_begun;        /* its search is over: it has an object */
  PrismBundle *whole;        /* (nullable): its estimate after the last whole pass */
  PrismBundle *of_middle;    /* (nullable): the middle's estimate */
  char *device;              /* (nullable): that took the passes; NULL: the CPU */
  char *why_cpu;             /* (nullable): why none could, a sentence */

  gboolean is_done;
  GArray *progress;   /* of PrismPrediction: held-out frames after every pass, of all tiles */
  guint n_before;     /* of them, those of the tiles that are done */
  double used_misfit; /* where no frame is held out */

  float white;           /* amplitude that is 1 in the picture */
  float *picture;        /* [m][m] amplitude; of the estimate where there is a phase */
  PrismImage *phase;     /* (nullable) [m][m]: of the estimate as it is */
  PrismFinding *finding; /* (nullable): the newest one */
  gboolean is_found;     /* it is of the estimate as it is, and of the frame looked at */
  double finding_due;    /* s: before that time another one would slow the passes down */
  guint looked;          /* the frame that is looked at */
} PrismMicroscope;

#define FIELD(...) PRISM_RECORD_FIELD (PrismMicroscope, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (has_begun, SWITCH),
  FIELD (is_done, SWITCH),
  PRISM_RECORD_PART (PrismMicroscope, "n_before", n_before, INTEGER, 0, G_MAXINT32, TRUE),
  FIELD (used_misfit, REAL),
  PRISM_RECORD_PART (PrismMicroscope, "tile", tile, INTEGER, 0, G_MAXINT32, TRUE),
  { NULL },
};

static const PrismMethodState state = { "microscope.json", fields };

/* Before each frame; in a search, and where causes are tried, from the threads of its crew. */
static gboolean
watch (double fraction,
       gpointer data)
{
  PrismMicroscope *self = data;

  if (self->solver == NULL || prism_ptychography_is_searching (self->solver))
    return !prism_control_is_asked (self->control);
  if (self->n_left == 0)
    {
      if (!prism_control_yield (self->control))
        return FALSE;
      self->n_left = prism_pace_get (&self->control->pace, G_MAXUINT);
    }
  self->n_left--;
  self->control->n_frames++;
  return TRUE;
}

/* Pictures and finding are of an earlier estimate. */
static void
forget (PrismMicroscope *self)
{
  g_clear_pointer (&self->phase, prism_image_unref);
  self->is_found = FALSE;
}

/* What frames, pupil and lights are known from; NULL before the search is over. */
static PrismPtychography *
get_known (const PrismMicroscope *self)
{
  return self->middle != NULL ? self->middle : self->has_begun ? self->solver
                                                               : NULL;
}

static gboolean
is_through (const PrismMicroscope *self)
{
  return prism_ptychography_get_pass (self->solver)
         >= prism_ptychography_get_n_passes (self->solver);
}

static gboolean
is_last (const PrismMicroscope *self)
{
  return self->mosaic == NULL || self->tile == prism_problem_get_n_tiles (self->problem);
}

/* What explains the tile under way, or the whole field. */
static gboolean
make_solver (PrismMicroscope *self,
             GError **error)
{
  const PrismRecording *recording = self->problem->recording;

  if (self->mosaic != NULL)
    self->solver = prism_mosaic_new_solver (self->mosaic, self->tile, error);
  else
    self->solver = prism_ptychography_new (prism_ptychogram_ref (self->problem->frames),
                                           self->problem->settings, recording->wavelength,
                                           recording->na, error);
  if (self->solver != NULL
      && (self->mosaic != NULL || prism_ptychography_start_load (self->solver, error)))
    return TRUE;
  g_clear_pointer (&self->solver, prism_ptychography_free);
  return FALSE;
}

/* Makes the solver where it is not there yet, and lets a device take the passes. One that cannot
 * leaves them to the CPU where nobody insists on it, and is not tried again. */
static gboolean
microscope_begin (gpointer data,
                  const PrismSolverSpec *spec,
                  GError **error)
{
  PrismMicroscope *self = data;
  g_autoptr (GError) problem = NULL;

  if (self->solver != NULL)
    return TRUE;
  if (!make_solver (self, error))
    return FALSE;
  if (!prism_backend_can_be_lost (self->parent.backend->ops) || self->why_cpu != NULL)
    return TRUE;
  if (spec->recorded == NULL)
    self->why_cpu = g_strdup (_ ("the GPU's module does not know recorded frames."));
  else if (spec->insists)
    return prism_ptychography_device_open (self->solver, spec->recorded, error);
  else if (!prism_ptychography_device_open (self->solver, spec->recorded, &problem))
    self->why_cpu = g_strdup (problem->message);
  return TRUE;
}

/* Between two passes: the estimate to go back to where the run is written down or finished in the
 * middle of one, and what took the passes. */
static gboolean
keep (PrismMicroscope *self,
      GError **error)
{
  const char *failure = prism_ptychography_device_get_failure (self->solver);
  g_autoptr (PrismBundle) whole = prism_bundle_new ();

  g_free (self->device);
  self->device = g_strdup (prism_ptychography_device_get_name (self->solver));
  if (failure != NULL)
    {
      g_free (self->why_cpu);
      self->why_cpu = g_strdup (failure);
    }
  if (!prism_ptychography_save (self->solver, whole, error))
    return FALSE;
  prism_bundle_free (self->whole);
  self->whole = g_steal_pointer (&whole);
  return TRUE;
}

/* Drops what is known of the tile under way. */
static void
leave (PrismMicroscope *self)
{
  g_clear_pointer (&self->solver, prism_ptychography_free);
  g_clear_pointer (&self->whole, prism_bundle_free);
  self->has_begun = FALSE;
}

/* It goes on to be what frames, pupil and lights are known from, and has no pass to take any more:
 * the device's memory is the next tile's. */
static void
take_middle (PrismMicroscope *self)
{
  self->middle = g_steal_pointer (&self->solver);
  prism_ptychography_device_close (self->middle);
  self->of_middle = g_steal_pointer (&self->whole);
}

/* Puts the tile under way to the others and goes on to the next one, which has no solver yet. */
static gboolean
add_tile (PrismMicroscope *self,
          GError **error)
{
  self->n_before = self->progress->len;
  if (!prism_mosaic_add (self->mosaic, self->tile, self->solver, error))
    return FALSE;
  if (self->tile == 0)
    take_middle (self);
  leave (self);
  self->tile++;
  return TRUE;
}

/* One pass, or the rest of one, unless the solver's watch ends it. */
static gboolean
pass (PrismMicroscope *self,
      GError **error)
{
  PrismPrediction held;

  if (!prism_ptychography_step (self->solver))
    return FALSE;
  held = *prism_ptychography_get_held (self->solver);
  /* One that begins anew was told of as far as it had come. */
  if (self->n_before + prism_ptychography_get_pass (self->solver) > self->progress->len)
    g_array_append_val (self->progress, held);
  if (held.n_frames == 0)
    self->used_misfit = prism_ptychography_get_misfit (self->solver);
  self->n_left = 0;
  return keep (self, error);
}

/* Where somebody wants the end no cause is tried any more. */
static gboolean
goes_on (double fraction, gpointer data)
{
  const PrismMicroscope *self = data;

  return !self->is_done && !prism_control_is_asked (self->control);
}

/* Other threads explain tiles behind the middle one, unless a device takes the passes, and are
 * waited for. */
static gboolean
take_ahead (PrismMicroscope *self)
{
  while (self->tile > 0 && self->solver == NULL && self->device == NULL)
    {
      if (self->ahead == NULL)
        self->ahead = prism_mosaic_ahead_new (self->mosaic, self->tile);
      if (!prism_mosaic_ahead_begin (self->ahead, self->tile))
        break;
      if (!prism_control_yield (self->control))
        return FALSE;
      self->solver = prism_mosaic_ahead_take (self->ahead, self->tile, WAIT, self->progress,
                                              self->n_before);
    }
  return TRUE;
}

/* All passes over the frames of a tile, or of the whole field. */
static gboolean
explain (PrismMicroscope *self,
         GError **error)
{
  if ((self->tile > 0 && !prism_mosaic_survey (self->mosaic, goes_on, self))
      || !take_ahead (self)
      || !microscope_begin (&self->parent, &self->parent.spec, error))
    return FALSE;
  prism_ptychography_set_watch (self->solver, watch, self);
  if (!self->has_begun)
    {
      if (!is_through (self)
          && (!prism_control_yield (self->control) || !prism_ptychography_begin (self->solver)))
        return FALSE;
      self->has_begun = TRUE;
      if (!keep (self, error))
        return FALSE;
    }
  while (!is_through (self))
    {
      const gboolean is_whole = prism_ptychography_takes_whole (self->solver);

      /* A device has its pass done before anybody would wait for it. */
      if (is_whole && !prism_control_yield (self->control))
        return FALSE;
      prism_ptychography_set_watch (self->solver, is_whole ? NULL : watch, self);
      if (!pass (self, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
microscope_run (gpointer data,
                PrismControl *control,
                GError **error)
{
  PrismMicroscope *self = data;

  self->control = control;
  self->n_left = 0;
  if (self->tile == 0)
    forget (self);
  while (!self->is_done)
    {
      if (!explain (self, error))
        return FALSE;
      if (self->mosaic != NULL)
        {
          if (!prism_control_yield (control))
            return FALSE;
          forget (self);
          if (!add_tile (self, error))
            return FALSE;
        }
      self->is_done = is_last (self);
    }
  return TRUE;
}

/* The object after the last whole pass; the first pass is brought to its end. A tile that is not
 * through is left out, but the middle one. */
static void
microscope_finish (gpointer data)
{
  PrismMicroscope *self = data;

  if (self->is_done || get_known (self) == NULL)
    return;
  forget (self);
  self->is_done = TRUE;
  if (self->tile == 0)
    {
      prism_ptychography_set_watch (self->solver, NULL, NULL);
      if (self->progress->len > 0)
        prism_ptychography_load (self->solver, self->whole, NULL);
      else
        pass (self, NULL);
      prism_ptychography_take_best (self->solver);
    }
  if (self->mosaic != NULL && self->has_begun && (self->tile == 0 || is_through (self)))
    add_tile (self, NULL);
  if (self->tile > 0)
    leave (self);
  g_clear_pointer (&self->ahead, prism_mosaic_ahead_free);
  prism_ptychography_set_watch (get_known (self), goes_on, self);
}

static char *
dup_progress (const PrismMicroscope *self)
{
  const guint n = self->progress->len;
  g_autofree double *cells = g_new (double, N_CELLS *n);
  double *cell = cells;

  PRISM_FOR_EACH (PrismPrediction, held, self->progress)
    {
      *cell++ = held->n_frames;
      *cell++ = held->misfit;
      *cell++ = held->correlation;
    }
  return prism_csv_new_exact ("frames,misfit,correlation", cells, n, N_CELLS);
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
      g_prefix_error (error, _ ("%s cannot be used: "), PASSES);
      return FALSE;
    }
  g_array_set_size (self->progress, 0);
  for (gsize i = 0; i < n_rows; i++)
    {
      const double *row = cells + N_CELLS * i;
      const PrismPrediction held
          = { .n_frames = CLAMP (row[0], 0, self->problem->frames->n_frames),
              .misfit = row[1],
              .correlation = row[2] };

      g_array_append_val (self->progress, held);
    }
  return TRUE;
}

static gboolean
microscope_save (gpointer data,
                 PrismBundle *bundle,
                 GError **error)
{
  PrismMicroscope *self = data;

  prism_bundle_take_text (bundle, PASSES, dup_progress (self));
  if (self->tile > 0 && !prism_mosaic_save (self->mosaic, bundle, error))
    return FALSE;
  if (self->tile > 0)
    prism_bundle_add_bundle (bundle, self->of_middle, "", OF_MIDDLE);
  if (self->whole != NULL)
    prism_bundle_add_bundle (bundle, self->whole, "", "");
  prism_ptychography_save_judged (get_known (self), bundle);
  return TRUE;
}

static gboolean
load_solver (PrismMicroscope *self, PrismBundle *bundle, GError **error)
{
  return microscope_begin (&self->parent, &self->parent.spec, error)
         && prism_ptychography_load (self->solver, bundle, error) && keep (self, error);
}

static gboolean
load_tiles (PrismMicroscope *self, PrismBundle *bundle, GError **error)
{
  const guint n_tiles = self->tile;
  g_autoptr (PrismBundle) middle = prism_bundle_new ();

  self->tile = 0;
  prism_bundle_add_bundle (middle, bundle, OF_MIDDLE, "");
  if (!load_solver (self, middle, error)
      || !prism_mosaic_load (self->mosaic, n_tiles, bundle, error))
    return FALSE;
  take_middle (self);
  leave (self);
  self->tile = n_tiles;
  return TRUE;
}

static gboolean
microscope_load (gpointer data,
                 PrismBundle *bundle,
                 GError **error)
{
  PrismMicroscope *self = data;
  const char *passes = prism_bundle_get_text (bundle, PASSES, error);
  const guint n_tiles = self->mosaic != NULL ? prism_problem_get_n_tiles (self->problem) : 0;
  const gboolean has_begun = self->has_begun;

  forget (self);
  if (passes == NULL || !parse_progress (self, passes, error))
    return FALSE;
  if (self->tile > n_tiles || (n_tiles > 0 && self->tile == n_tiles && has_begun))
    {
      self->tile = 0;
      return prism_error_format (error,
                                 _ ("The run cannot be restored: it speaks of more tiles than there"
                                    " are."));
    }
  if ((self->tile > 0 && !load_tiles (self, bundle, error))
      || (has_begun && !load_solver (self, bundle, error)))
    return FALSE;
  self->has_begun = has_begun;
  /* Somebody wants more passes than when it was over. */
  if (self->problem->mosaic == NULL
      && self->problem->settings->passes > self->parent.spec.n_passes && !is_through (self))
    self->is_done = FALSE;
  return prism_ptychography_load_judged (get_known (self), bundle, error);
}

/* Where LEDs are far from their places more of them are made than are always made; a tile that was
 * left has made some of them. */
static guint
count_extra_passes (const PrismMicroscope *self)
{
  const guint n_each = self->problem->settings->passes, n_planned = self->tile * n_each;
  guint n = self->progress->len - self->n_before;

  if (self->solver != NULL)
    n += prism_ptychography_get_n_passes (self->solver)
         - prism_ptychography_get_pass (self->solver);
  n = self->n_before + n - MIN (n, n_each);
  return n - MIN (n, n_planned);
}

/* As somebody knows it by now: of the tiles that are done, or of the one square, which is that of
 * the middle tile in a field that is cut into some. */
static float *
dup_object (const PrismMicroscope *self)
{
  return self->tile > 0 ? prism_mosaic_dup_object (self->mosaic, NULL)
                        : prism_ptychography_dup_object (self->solver, NULL);
}

/* The object, or the part that is known, goes into the square of the picture: the shorter side of a
 * field has as much of nothing at both of its ends. Pictures are made when somebody looks, and not
 * again before the estimate has changed. */
static gboolean
show (PrismMicroscope *self)
{
  const int m = prism_problem_get_side (self->problem);
  const int field = prism_problem_get_field (self->problem);
  const int reduction = prism_problem_get_reduction (self->problem);
  prism_autofree_array float *square = NULL;

  if (self->phase != NULL || get_known (self) == NULL)
    return self->phase != NULL;
  if (self->tile == 0)
    square = dup_object (self);
  if (square != NULL || self->tile > 0)
    self->phase = prism_image_new (m, m, NULL);
  if (self->phase == NULL)
    return FALSE;
  if (self->mosaic != NULL)
    prism_mosaic_draw (self->mosaic, square, field, reduction, self->white, m, self->picture,
                       self->phase->pixels);
  else
    prism_finding_picture_reduce (NULL, square, field, field, 0, 0, reduction, self->white, m,
                                  self->picture, self->phase->pixels);
  return TRUE;
}

static const float *
microscope_get_image (gpointer data)
{
  PrismMicroscope *self = data;

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

  show (self);
  return self->phase;
}

/**
 * prism_microscope_get_finding:
 * @settled: of the estimate as it is; otherwise the newest one may do
 *
 * It predicts every frame, which takes as long as a part of a pass. Where nothing is to come, and
 * frames are not explained, causes are tried.
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
  PrismPtychography *known = get_known (self);
  const double begun = prism_clock_get_seconds ();
  const int field = prism_problem_get_field (self->problem);
  g_autofree float *predicted = NULL;
  g_autofree char *text = NULL;
  PrismFinding *finding;
  float *object;

  if (known == NULL || self->is_found || (!settled && begun < self->finding_due))
    return self->finding;
  object = dup_object (self);
  if (object == NULL)
    return self->finding;
  if (self->is_done && self->tile > 0 && is_last (self)
      && prism_mosaic_is_unexplained (self->mosaic))
    prism_ptychography_ask_cause (known);
  finding = prism_finding_new (known, self->progress, self->problem->recording->path, NAN);
  if (self->mosaic == NULL)
    prism_finding_set_object (finding, object, field, field, self->white);
  else if (!prism_mosaic_tell (self->mosaic, object, self->white, self->tile, finding))
    {
      prism_finding_unref (finding);
      return self->finding;
    }
  finding->reduction = prism_problem_get_reduction (self->problem);
  text = prism_problem_to_text (self->problem, FALSE, NULL);
  finding->reading = prism_problem_dup_options (text);
  finding->looked = MIN (self->looked, self->problem->frames->n_frames - 1);
  predicted = prism_ptychography_dup_prediction (known, finding->looked);
  finding->predicted = prism_problem_new_frame (self->problem, finding->looked, predicted);
  prism_finding_unref (self->finding);
  self->finding = finding;
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

static void
microscope_describe (gpointer data,
                     PrismSolverReport *report)
{
  PrismMicroscope *self = data;
  PrismPtychography *under_way = self->solver;
  const guint n_samples = self->problem->frames->n_used;
  const gboolean is_whole = self->is_done && self->tile > 0; /* all tiles are put together */
  PrismPrediction held = { .misfit = NAN, .correlation = NAN };

  if (!is_whole && self->progress->len > 0)
    held = g_array_index (self->progress, PrismPrediction, self->progress->len - 1);
  if (is_whole && prism_microscope_get_finding (&self->parent, TRUE) != NULL)
    held = self->finding->held_out;
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
microscope_init (gpointer data,
                 GError **error)
{
  PrismMicroscope *self = data;
  gsize m;

  self->problem = self->parent.measurements->scene->problem;
  m = prism_problem_get_side (self->problem);
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  self->used_misfit = NAN;
  self->white = prism_ptychogram_get_white (self->problem->frames);
  self->picture = prism_arena_new_array (m * m * sizeof *self->picture, "the picture", error);
  if (self->picture == NULL)
    return FALSE;
  if (self->problem->mosaic != NULL)
    self->mosaic = prism_mosaic_new_planned (self->problem->mosaic);
  return TRUE;
}

static void
microscope_clear (gpointer data)
{
  PrismMicroscope *self = data;

  leave (self);
  prism_mosaic_ahead_free (self->ahead);
  prism_ptychography_free (self->middle);
  prism_mosaic_free (self->mosaic);
  prism_bundle_free (self->of_middle);
  g_free (self->device);
  g_free (self->why_cpu);
  prism_arena_free_array (self->picture);
  g_clear_pointer (&self->phase, prism_image_unref);
  prism_finding_unref (self->finding);
  g_array_unref (self->progress);
}

/**
 * prism_microscope_export:
 * @self: a method that has begun
 * @seconds: search included, pauses left out
 * @coverage: fraction of the region of interest
 * @device_reason: (nullable): why the run's device, a sentence
 * @is_brief: arrays, tables and summary.json alone
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
                         double seconds,
                         double coverage,
                         const char *device_reason,
                         gboolean is_brief,
                         const char *directory,
                         GError **error)
{
  PrismMicroscope *self = (PrismMicroscope *) solver;
  PrismPtychography *known = get_known (self);
  g_autofree char *reason = NULL;
  PrismPtychographyOutcome outcome = { .recording = self->problem->recording,
                                       .problem = self->problem,
                                       .settings = self->problem->settings,
                                       .finding = prism_microscope_get_finding (solver, TRUE),
                                       .seconds = seconds,
                                       .coverage = coverage,
                                       .mosaic = self->tile > 0 ? self->mosaic : NULL,
                                       .is_brief = is_brief };

  if (known == NULL)
    return prism_error_config (error,
                               _ ("Nothing is found yet: the search for the pupil is not over."));
  if (!self->is_found)
    return prism_error_memory (error, _ ("There is not enough memory to copy the result."));
  if (self->why_cpu != NULL)
    reason = g_strdup_printf (_ ("Running on the CPU: %s"), self->why_cpu);
  outcome.is_finished = is_last (self)
                        && prism_ptychography_get_pass (known)
                               >= prism_ptychography_get_n_passes (known);
  outcome.device = self->device != NULL ? self->device : "CPU";
  outcome.device_reason = reason != NULL ? reason : device_reason;
  outcome.pixel_visits = (double) self->progress->len * self->problem->frames->n_used
                         * self->problem->frames->side * self->problem->frames->side;
  return prism_ptychography_export_save_all (known, &outcome, directory, error);
}

const PrismSolverKind prism_microscope_kind = {
  .size = sizeof (PrismMicroscope),
  .init = microscope_init,
  .clear = microscope_clear,
  .begin = microscope_begin,
  .run = microscope_run,
  .finish = microscope_finish,
  .state = &state,
  .save = microscope_save,
  .load = microscope_load,
  .describe = microscope_describe,
  .get_image = microscope_get_image,
};
