/* What explains frames, written down between two passes and read back to the same bits: the
 * object's spectrum, the pupil, the light of every LED, and where the passes are. */
#include "config.h"

#include "ptychography/prism-ptychography-state.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "base/prism-csv.h"
#include "ptychography/prism-ptychography-private.h"

#include <float.h>

#define NUMBERS "estimate.json"
#define LIGHTS "lights.csv"
#define OBJECT "spectrum.npy"
#define BEST "best.json"
#define BEST_PREFIX "best-"
#define PUPIL "pupil.npy"
#define JUDGED "judged.json"
#define REMEDY "remedy.txt"
#define HEADER "frame,column,row,gain,misfit,stray"

#define PART(name, ...) PRISM_RECORD_PART (PrismPtychography, name, __VA_ARGS__, FALSE)
#define ABERRATION(i) PART ("aberration" #i, aberrations[i], REAL, -DBL_MAX, DBL_MAX)

static const PrismRecordField fields[] = {
  PART ("pass", pass, INTEGER, 0, G_MAXINT32),
  PART ("first", first, INTEGER, 0, G_MAXINT32),
  PART ("unsettled", unsettled, SWITCH, 0, 1),
  PRISM_RECORD_PART (PrismPtychography, "turned_at", turned_at, INTEGER, 0, G_MAXINT32, TRUE),
  PRISM_RECORD_PART (PrismPtychography, "earlier", earlier, REAL, 0, 1, TRUE),
  PRISM_RECORD_PART (PrismPtychography, "correlation", held.correlation, REAL, -1, 1, TRUE),
  PART ("rim", rim, REAL, 0, DBL_MAX),
  PART ("shift_column", light.board.shift[0], REAL, -DBL_MAX, DBL_MAX),
  PART ("shift_row", light.board.shift[1], REAL, -DBL_MAX, DBL_MAX),
  PART ("scale", light.board.scale, REAL, -DBL_MAX, DBL_MAX),
  PART ("turn", light.board.turn, REAL, -DBL_MAX, DBL_MAX),
  ABERRATION (0),
  ABERRATION (1),
  ABERRATION (2),
  ABERRATION (3),
  ABERRATION (4),
  ABERRATION (5),
  ABERRATION (6),
  ABERRATION (7),
  { NULL },
};

G_STATIC_ASSERT (PRISM_PUPIL_N_MODES == 8);

static const PrismRecordField best_fields[] = {
  PART ("least", least, REAL, 0, DBL_MAX),
  PART ("n_worse", n_worse, INTEGER, 0, G_MAXINT32),
  PRISM_RECORD_PART (PrismPtychography, "best_pass", best_pass, INTEGER, 0, G_MAXINT32, TRUE),
  { NULL },
};

#define JUDGED_PART(name) PART (#name, judged.name, REAL, -DBL_MAX, DBL_MAX)

static const PrismRecordField judged_fields[] = {
  PART ("pass", judged_at, INTEGER, 0, G_MAXINT32),
  PART ("is_part", is_part, SWITCH, 0, 1),
  PART ("n_frames", judged.n_frames, INTEGER, 0, G_MAXINT32),
  PART ("cause", judged.cause, INTEGER, 0, PRISM_N_CAUSES - 1),
  JUDGED_PART (misfit),
  JUDGED_PART (correlation),
  JUDGED_PART (expected),
  JUDGED_PART (noise),
  JUDGED_PART (pure),
  JUDGED_PART (to_na),
  JUDGED_PART (error),
  JUDGED_PART (gain),
  { NULL },
};

static char *
dup_lights (const PrismPtychography *self)
{
  const guint n = self->frames->n_frames;
  g_autofree double (*lights)[6] = g_malloc_n (n, sizeof *lights);

  for (guint j = 0; j < n; j++)
    {
      const double cells[]
          = { j, self->light.found[j][0], self->light.found[j][1], self->light.gains[j],
              self->misfits[j], self->strays[j] };

      memcpy (lights[j], cells, sizeof cells);
    }
  return prism_csv_new_exact (HEADER, lights[0], n,
                              G_N_ELEMENTS (lights[0]));
}

static gboolean
parse_lights (PrismPtychography *self,
              const char *text,
              GError **error)
{
  const guint n = self->frames->n_frames;
  gsize n_rows = 0;
  g_autofree double *cells = prism_csv_parse_exact (text, 6, &n_rows, error);
  gboolean good = n_rows == n;

  if (cells == NULL)
    return FALSE;
  for (guint j = 0; good && j < n; j++)
    {
      const double *light = cells + (gsize) 6 * j;

      good = light[0] == j && light[5] >= PRISM_STRAY_NONE && light[5] <= PRISM_STRAY_AT_RIM;
      if (!good)
        break;
      memcpy (self->light.found[j], light + 1, sizeof self->light.found[j]);
      self->light.gains[j] = light[3];
      self->misfits[j] = light[4];
      self->strays[j] = (guint8) light[5];
    }
  if (!good)
    prism_error_format (error,
                        _ ("%s cannot be used: it is not a row of numbers for each of %u"
                           " frames."),
                        LIGHTS, n);
  return good;
}

static gboolean
add (PrismBundle *bundle,
     const char *name,
     const float *values,
     int side,
     GError **error)
{
  const gsize shape[] = { (gsize) side, (gsize) side, 2 };
  float *copy = prism_bundle_add_array (bundle, name, G_N_ELEMENTS (shape), shape, error);

  if (copy != NULL)
    memcpy (copy, values, sizeof *copy * shape[0] * shape[1] * shape[2]);
  return copy != NULL;
}

static gboolean
copy (PrismBundle *bundle,
      const char *name,
      float *values,
      int side,
      GError **error)
{
  const gsize shape[] = { (gsize) side, (gsize) side, 2 };
  const float *held
      = prism_bundle_get_array (bundle, name, G_N_ELEMENTS (shape), shape, error);

  if (held != NULL)
    memcpy (values, held, sizeof *held * shape[0] * shape[1] * shape[2]);
  return held != NULL;
}

/**
 * prism_ptychography_save_estimate:
 * @self: one that has begun, between two passes
 * @bundle: where to
 *
 * Adds what is found, and where the passes are.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it has been added
 */
gboolean
prism_ptychography_save_estimate (PrismPtychography *self,
                                  PrismBundle *bundle,
                                  GError **error)
{
  prism_bundle_take_text (bundle, NUMBERS, prism_record_to_text (fields, self));
  prism_bundle_take_text (bundle, LIGHTS, dup_lights (self));
  return add (bundle, OBJECT, prism_ptychography_frame_get_object (self->frame),
              self->frames->object_side, error)
         && add (bundle, PUPIL, prism_ptychography_frame_get_pupil (self->frame),
                 self->frames->grid, error)
         && prism_ptychography_descent_save (self, bundle, error);
}

/**
 * prism_ptychography_load_estimate:
 * @self: one of the same frames and settings
 * @bundle: what prism_ptychography_save_estimate() added to
 *
 * Errors: PRISM_ERROR_FORMAT; it has to begin anew then.
 *
 * Returns: whether everything was good
 */
gboolean
prism_ptychography_load_estimate (PrismPtychography *self,
                                  PrismBundle *bundle,
                                  GError **error)
{
  const char *numbers = prism_bundle_get_text (bundle, NUMBERS, error);
  const char *lights = numbers != NULL ? prism_bundle_get_text (bundle, LIGHTS, error) : NULL;

  if (lights == NULL || !prism_record_parse (fields, self, numbers, NUMBERS, error)
      || !parse_lights (self, lights, error)
      || !copy (bundle, OBJECT, prism_ptychography_frame_get_object (self->frame),
                self->frames->object_side, error)
      || !copy (bundle, PUPIL, prism_ptychography_frame_get_pupil (self->frame),
                self->frames->grid, error)
      || !prism_ptychography_descent_load (self, bundle, error))
    return FALSE;
  prism_ptychography_frame_set_rim (self->frame, CLAMP (self->rim, 1, self->frames->widest_rim));
  self->is_passing = FALSE;
  self->next = 0;
  prism_ptychography_forget_rim (self);
  return TRUE;
}

/**
 * prism_ptychography_save:
 * @self: one that has begun, between two passes
 * @bundle: where to
 *
 * Adds all that the passes to come depend on, beside frames and settings.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it has been added
 */
gboolean
prism_ptychography_save (PrismPtychography *self,
                         PrismBundle *bundle,
                         GError **error)
{
  if (self->best != NULL)
    {
      prism_bundle_take_text (bundle, BEST, prism_record_to_text (best_fields, self));
      prism_bundle_add_bundle (bundle, self->best, "", BEST_PREFIX);
    }
  return prism_ptychography_save_estimate (self, bundle, error)
         && prism_ptychography_decoder_save (self, bundle, error);
}

/**
 * prism_ptychography_load:
 * @self: one of the same frames and settings
 * @bundle: what prism_ptychography_save() added to
 *
 * Goes on from there, to the same bits.
 *
 * Errors: PRISM_ERROR_FORMAT; it has to begin anew then.
 *
 * Returns: whether everything was good
 */
gboolean
prism_ptychography_load (PrismPtychography *self,
                         PrismBundle *bundle,
                         GError **error)
{
  const char *text;

  if (!prism_ptychography_load_estimate (self, bundle, error)
      || !prism_ptychography_decoder_load (self, bundle, error))
    return FALSE;
  prism_ptychography_forget_best (self);
  if (!prism_bundle_has (bundle, BEST))
    return TRUE;
  text = prism_bundle_get_text (bundle, BEST, error);
  self->best = prism_bundle_new ();
  prism_bundle_add_bundle (self->best, bundle, BEST_PREFIX, "");
  return text != NULL && prism_record_parse (best_fields, self, text, BEST, error);
}

/**
 * prism_ptychography_save_judged:
 * @self: (nullable): one that has begun
 * @bundle: where to
 *
 * Adds what prism_ptychography_judge() has found out last: causes take as long as some runs.
 */
void
prism_ptychography_save_judged (const PrismPtychography *self,
                                PrismBundle *bundle)
{
  if (self == NULL || self->judged_at == 0)
    return;
  prism_bundle_take_text (bundle, JUDGED, prism_record_to_text (judged_fields, self));
  prism_bundle_take_text (bundle, REMEDY,
                          g_strdup (self->remedy != NULL ? self->remedy : ""));
}

/**
 * prism_ptychography_load_judged:
 * @self: (nullable): as it was when it was written down
 * @bundle: what prism_ptychography_save_judged() added to, or not
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether nothing was wrong
 */
gboolean
prism_ptychography_load_judged (PrismPtychography *self,
                                PrismBundle *bundle,
                                GError **error)
{
  const char *numbers, *remedy;

  if (self == NULL || !prism_bundle_has (bundle, JUDGED))
    return TRUE;
  numbers = prism_bundle_get_text (bundle, JUDGED, error);
  remedy = numbers != NULL ? prism_bundle_get_text (bundle, REMEDY, error) : NULL;
  if (remedy == NULL || !prism_record_parse (judged_fields, self, numbers, JUDGED, error))
    return FALSE;
  g_free (self->remedy);
  self->remedy = *remedy != '\0' ? g_strdup (remedy) : NULL;
  return TRUE;
}

/**
 * prism_ptychography_start_free:
 */
PRISM_FREE_FOR_ALL (PrismPtychographyStart,
                    prism_ptychography_start_free,
                    g_free,
                    pupil,
                    g_free,
                    gains,
                    g_free,
                    places)

/**
 * prism_ptychography_start_take:
 * @solver: one that has not begun
 * @finding: what was found earlier
 * @elsewhere: it is of another part of the field, where the light comes from elsewhere: what LEDs
 *   are off by is taken, not where they are
 *
 * Makes the passes begin with the pupil of a finding, unless a flat one is wanted, and with gains
 * and places if they are of as many frames. Each stays so where the settings hold it.
 */
void
prism_ptychography_start_take (PrismPtychography *solver,
                               const PrismFinding *finding,
                               gboolean elsewhere)
{
  const PrismPtychogram *frames = solver->frames;
  const double scale = (double) finding->side / frames->grid;
  const guint n = finding->n_frames == frames->n_frames ? finding->n_frames : 0;
  const gsize n_pupil = 2 * (gsize) finding->side * (gsize) finding->side;
  PrismPtychographyStart *start = solver->start = g_new (PrismPtychographyStart, 1);

  *start = (PrismPtychographyStart) {
    .side = finding->side,
    .pupil = g_memdup2 (finding->pupil, n_pupil * sizeof *finding->pupil),
    .radius = finding->radius,
    .rim = finding->rim,
    .n_frames = n,
    .gains = g_new (double, n),
    .places = g_malloc_n (n, sizeof *start->places),
  };
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    start->aberrations[i] = isfinite (finding->waves[i]) ? 2 * G_PI * finding->waves[i] : 0;
  for (guint j = 0; j < n; j++)
    {
      const PrismFindingFrame *frame = &finding->frames[j];

      start->gains[j] = frame->gain;
      for (int k = 0; k < 2; k++)
        start->places[j][k] = elsewhere ? scale * frames->centers[j][k] + frame->found[k]
                                              - frame->recorded[k]
                                        : frame->found[k];
    }
}

static gboolean
differ (double a,
        double b)
{
  return fabs (a - b) > 0.05 * fabs (b);
}

/* The pupil of another wavelength or aperture is none to begin with. */
static gboolean
check_instrument (const PrismPtychogram *frames,
                  const PrismFinding *finding,
                  const char *folder,
                  GError **error)
{
  if (!differ (finding->wavelength, frames->wavelength) && !differ (finding->na, frames->na))
    return TRUE;
  return prism_error_config (error,
                             _ ("“%s” is of another instrument, with NA %.3g at %.4g nm; these"
                                " frames have"
                                " NA %.3g at %.4g nm: name a result of the same one, or leave"
                                " “start” out."),
                             folder, finding->na, 1e9 * finding->wavelength, frames->na,
                             1e9 * frames->wavelength);
}

/**
 * prism_ptychography_start_load:
 * @solver: one that has not begun
 *
 * Makes the solver begin with the result that its settings name, if they name one.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY: it cannot be read;
 * PRISM_ERROR_CONFIG: it is of another instrument.
 *
 * Returns: whether it can begin
 */
gboolean
prism_ptychography_start_load (PrismPtychography *solver,
                               GError **error)
{
  const char *folder = solver->settings->start;
  g_autoptr (PrismFinding) finding = NULL;

  if (folder[0] == '\0')
    return TRUE;
  finding = prism_finding_load (folder, error);
  if (finding == NULL
      || !check_instrument (solver->frames, finding, folder, error))
    return FALSE;
  prism_ptychography_start_take (solver, finding, FALSE);
  return TRUE;
}
