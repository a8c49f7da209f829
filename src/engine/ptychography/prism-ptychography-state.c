/* What explains frames, written down between two passes and read back to the same bits: the
 * object's spectrum, the pupil, the light of every LED, and where the passes are. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-error.h"
#include "base/prism-record.h"

#include <float.h>
#include <string.h>

#define NUMBERS "estimate.json"
#define LIGHTS "lights.csv"
#define OBJECT "spectrum.npy"
#define PUPIL "pupil.npy"
#define HEADER "frame,column,row,gain,misfit,stray\n"
#define N_REALS 4 /* of a light */

#define PART(name, ...) PRISM_RECORD_PART (PrismPtychography, name, __VA_ARGS__, FALSE)
#define ABERRATION(i) PART ("aberration" #i, aberrations[i], REAL, -DBL_MAX, DBL_MAX)

static const PrismRecordField fields[] = {
  PART ("pass", pass, INTEGER, 0, G_MAXINT32),
  PART ("first", first, INTEGER, 0, G_MAXINT32),
  PART ("unsettled", unsettled, SWITCH, 0, 1),
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

static char *
dup_lights (const PrismPtychography *self)
{
  GString *text = g_string_new (HEADER);

  for (guint j = 0; j < self->frames->n_frames; j++)
    {
      const double reals[N_REALS] = { self->light.found[j][0], self->light.found[j][1],
                                      self->light.gains[j], self->misfits[j] };

      g_string_append_printf (text, "%u", j);
      for (int i = 0; i < N_REALS; i++)
        {
          char number[G_ASCII_DTOSTR_BUF_SIZE];

          g_string_append_printf (text, ",%s", g_ascii_dtostr (number, sizeof number, reals[i]));
        }
      g_string_append_printf (text, ",%u\n", self->strays[j]);
    }
  return g_string_free (text, FALSE);
}

static gboolean
parse_light (PrismPtychography *self,
             guint frame,
             const char *line)
{
  double reals[N_REALS];
  char *end;
  guint64 number = g_ascii_strtoull (line, &end, 10);

  if (end == line || number != frame)
    return FALSE;
  for (int i = 0; i < N_REALS; i++)
    {
      if (*end != ',')
        return FALSE;
      line = end + 1;
      reals[i] = g_ascii_strtod (line, &end);
      if (end == line)
        return FALSE;
    }
  if (*end != ',')
    return FALSE;
  line = end + 1;
  number = g_ascii_strtoull (line, &end, 10);
  if (end == line || *end != '\0' || number > PRISM_STRAY_AT_RIM)
    return FALSE;
  memcpy (self->light.found[frame], reals, sizeof self->light.found[frame]);
  self->light.gains[frame] = reals[2];
  self->misfits[frame] = reals[3];
  self->strays[frame] = (guint8) number;
  return TRUE;
}

static gboolean
parse_lights (PrismPtychography *self,
              const char *text,
              GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const guint n = self->frames->n_frames;
  gboolean good = g_strv_length (lines) == n + 2;

  for (guint j = 0; good && j < n; j++)
    good = parse_light (self, j, lines[j + 1]);
  if (!good)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 "%s cannot be used: it is not a row of numbers for each of %u frames.", LIGHTS, n);
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
  prism_bundle_take_text (bundle, NUMBERS, prism_record_to_text (fields, self));
  prism_bundle_take_text (bundle, LIGHTS, dup_lights (self));
  return add (bundle, OBJECT, prism_ptychography_frame_get_object (self->frame),
              self->frames->object_side, error)
         && add (bundle, PUPIL, prism_ptychography_frame_get_pupil (self->frame),
                 self->frames->grid, error)
         && prism_ptychography_descent_save (self, bundle, error);
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
