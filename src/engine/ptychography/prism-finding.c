#include "config.h"

#include "ptychography/prism-finding.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-csv.h"
#include "base/prism-number.h"

PRISM_CLEAR (PrismFinding,
             clear_own,
             prism_arena_free_array,
             object,
             g_free,
             finest,
             g_free,
             pupil,
             prism_config_free,
             settings,
             g_free,
             frames,
             g_array_unref,
             progress,
             g_ptr_array_unref,
             doubts,
             g_ptr_array_unref,
             tiles,
             g_free,
             source,
             g_free,
             reading,
             g_free,
             device,
             g_free,
             device_reason,
             prism_image_unref,
             predicted)

static void
finding_clear (PrismFinding *self)
{
  g_clear_pointer (&self->readings, g_array_unref);
  g_free (self->name);
  if (self->owner == NULL)
    clear_own (self);
  prism_finding_unref (self->owner);
}

PRISM_DEFINE_REFERENCES (PrismFinding, prism_finding, finding_clear)

/**
 * prism_finding_new_read:
 * @owner: a finding
 * @readings: (nullable) (element-type PrismMarkReading): of marks on its object
 * @name: (nullable): of the run, in place of the file of its frames
 *
 * Returns: (transfer full): the same, with what the marks read
 */
PrismFinding *
prism_finding_new_read (PrismFinding *owner,
                        GArray *readings,
                        const char *name)
{
  PrismFinding *self = g_memdup2 (owner, sizeof *owner);

  g_atomic_ref_count_init (&self->ref_count);
  self->owner = prism_finding_ref (owner);
  self->readings = readings != NULL ? g_array_ref (readings) : NULL;
  self->name = g_strdup (name);
  return self;
}

/**
 * prism_finding_get_finest:
 *
 * Returns: (nullable): the finest period that two halves of the frames agree on, m; %NULL where
 *   nobody has asked them
 */
const PrismMeasured *
prism_finding_get_finest (const PrismFinding *self)
{
  return g_atomic_pointer_get (&((PrismFinding *) self)->finest);
}

/**
 * prism_finding_set_finest:
 * @finest: period, m; it is copied
 *
 * Adds, once, what is found out after the result. All else of it never changes.
 */
void
prism_finding_set_finest (PrismFinding *self,
                          const PrismMeasured *finest)
{
  PrismMeasured *copy = g_memdup2 (finest, sizeof *finest);

  if (!g_atomic_pointer_compare_and_exchange (&self->finest, NULL, copy))
    g_free (copy);
}

/**
 * prism_finding_get_limit:
 *
 * Returns: the finest period that objective and light allow, m: λ over the NA of the objective and
 *   of the farthest light that is used; NAN where it is unknown
 */
double
prism_finding_get_limit (const PrismFinding *self)
{
  double far = 0;

  for (guint j = 0; j < self->n_frames; j++)
    {
      const PrismFindingFrame *frame = &self->frames[j];

      if (!frame->held && !frame->left_out)
        far = MAX (far, hypot (frame->recorded[0], frame->recorded[1]));
    }
  return self->wavelength / (self->na * (1 + far / self->radius));
}

/**
 * prism_finding_tell:
 * @sentences: (element-type utf8): where to, in the user's language
 *
 * Says what is to be known beside verdict and numbers: passes that were taken back, a decoder in
 * vain, and single lights.
 */
void
prism_finding_tell (const PrismFinding *self,
                    GPtrArray *sentences)
{
  if (self->taken_back_after > 0)
    g_ptr_array_add (sentences,
                     g_strdup_printf (_ ("Passes that predicted frames worse were taken back after"
                                         " pass %u; from there all frames were explained"
                                         " together."),
                                      self->taken_back_after));
  if (self->decoded_in_vain)
    g_ptr_array_add (sentences, g_strdup (_ ("The decoder does not predict frames better: the"
                                             " result is that of the passes before it.")));
  for (guint i = 0; i < self->doubts->len; i++)
    g_ptr_array_add (sentences, g_strdup (g_ptr_array_index (self->doubts, i)));
}

/* The amplitude that all but a hundredth of the pixels stay below. */
static float
find_white (const float *field,
            gsize n)
{
  const gsize stride = n / 100000 | 1;
  g_autofree float *values = g_new (float, n / stride + 1);
  gsize count = 0;

  for (gsize i = 0; i < n; i += stride)
    values[count++] = hypotf (field[2 * i], field[2 * i + 1]);
  prism_sort_floats (values, count);
  return MAX (values[(count - 1) * 99 / 100], 1e-20f);
}

/**
 * prism_finding_set_object:
 * @self: one that nobody else has yet
 * @object: (transfer full): of a tile, or of a whole field in its place
 * @height: H
 * @width: W
 * @white: its amplitude that is to be 1, of prism_ptychogram_get_white(); 0: not known
 *
 * Gives the object, and what marks have read on it, the unit of pictures, reports and files. Where
 * nobody knows what is white, all but a hundredth of the pixels are darker.
 *
 * Shape: object [H][W][2], of prism_arena_new_array().
 */
void
prism_finding_set_object (PrismFinding *self,
                          float *object,
                          int height,
                          int width,
                          float white)
{
  const gsize n = height * (gsize) width;

  if (object != self->object)
    prism_arena_free_array (self->object);
  if (!(white > 0))
    white = find_white (object, n);
  for (gsize i = 0; i < 2 * n; i++)
    object[i] /= white;
  for (guint i = 0; self->readings != NULL && i < self->readings->len; i++)
    {
      PrismMeasured *amplitude = &g_array_index (self->readings, PrismMarkReading, i)
                                      .measured[PRISM_MEASURE_AMPLITUDE];

      *amplitude = (PrismMeasured) { amplitude->value / white,
                                     amplitude->error / white };
    }
  self->object = object;
  self->object_height = height;
  self->object_width = width;
}

/**
 * prism_finding_place_object:
 * @self: one that nobody else has yet, with the object of a tile
 * @height: H
 * @width: W
 * @top: rows of the field above the tile
 * @left: columns beside it
 *
 * Lays the object into a field of which no more is known. The rest takes no memory before somebody
 * reads it.
 *
 * Errors: PRISM_ERROR_MEMORY; it is as before then.
 *
 * Returns: whether it is there
 */
gboolean
prism_finding_place_object (PrismFinding *self,
                            int height,
                            int width,
                            int top,
                            int left,
                            GError **error)
{
  const gsize n_row = 2 * (gsize) self->object_width;
  float *field = prism_arena_new_array (2 * sizeof *field * height * (gsize) width,
                                        "the object of the middle tile", error);

  if (field == NULL)
    return FALSE;
  for (int y = 0; y < self->object_height; y++)
    memcpy (field + 2 * ((gsize) (top + y) * width + left), self->object + y * n_row,
            n_row * sizeof *field);
  prism_arena_free_array (self->object);
  self->object = field;
  self->object_height = height;
  self->object_width = width;
  return TRUE;
}

/* A finding of a moment among the members of a run's file: a table whose first two rows are its own
 * numbers and the others those of the frames, what is an array, and the warnings, a line each. */

#define HEADER "held,left_out,light,column,row,found_column,found_row,gain,misfit,correlation"
#define MOST 65536.0

enum
{
  N_CELLS = 10,
  N_HEAD = 2 * N_CELLS,
  IN_WHITE = N_HEAD - 1, /* whether the object has the unit of prism_finding_set_object() */
};

G_STATIC_ASSERT (sizeof (PrismFindingFrame) == 2 * sizeof (gboolean) + 8 * sizeof (double));
G_STATIC_ASSERT (PRISM_PUPIL_N_MODES == 8);

/* Writes all numbers into cells, or takes them from there. */
static void
exchange (PrismFinding *self,
          double *cells,
          gboolean takes)
{
  guint *const counts[] = { (guint *) &self->object_height, (guint *) &self->object_width,
                            (guint *) &self->side, (guint *) &self->reduction, &self->pass,
                            &self->looked };
  double *const reals[] = { &self->pixel_size, &self->radius, &self->wavelength, &self->na,
                            &self->held_out.misfit };
  double *const rest = cells + G_N_ELEMENTS (counts) + G_N_ELEMENTS (reals);

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    takes ? (*counts[i] = MIN (MAX (cells[i], i < 3), MOST)) : (cells[i] = *counts[i]);
  cells += G_N_ELEMENTS (counts);
  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++)
    takes ? (*reals[i] = cells[i]) : (cells[i] = *reals[i]);
  memcpy (takes ? self->waves : rest, takes ? rest : self->waves, sizeof self->waves);
  cells += N_HEAD - G_N_ELEMENTS (counts);
  for (guint j = 0; j < self->n_frames; j++, cells += N_CELLS)
    {
      PrismFindingFrame *frame = &self->frames[j];

      takes ? (frame->held = cells[0] != 0) : (cells[0] = frame->held);
      takes ? (frame->left_out = cells[1] != 0) : (cells[1] = frame->left_out);
      memcpy (takes ? &frame->light : cells + 2, takes ? cells + 2 : &frame->light,
              8 * sizeof *cells);
    }
}

static char **
dup_names (const char *prefix)
{
  static const char *const ends[]
      = { "finding.csv", "object.npy", "pupil.npy", "predicted.npy", "warnings.txt" };
  char **names = g_new0 (char *, G_N_ELEMENTS (ends) + 1);

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    names[i] = g_strconcat (prefix, ends[i], NULL);
  return names;
}

/**
 * prism_finding_save_members:
 * @self: of a moment, which must be held until prism_archive_writer_finish()
 * @writer: the file of a run
 * @prefix: of the names of its members
 *
 * Adds what pictures and lights of the moment are made from.
 */
void
prism_finding_save_members (PrismFinding *self,
                            PrismArchiveWriter *writer,
                            const char *prefix)
{
  const gsize whole[] = { self->object_height, self->object_width, 2 };
  const gsize small[] = { self->side, self->side, 2 };
  const gsize n = N_HEAD + (gsize) self->n_frames * N_CELLS;
  g_autofree double *cells = g_new0 (double, n);
  g_auto (GStrv) names = dup_names (prefix);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);

  prism_finding_tell (self, warnings);
  g_ptr_array_add (warnings, NULL);
  prism_archive_writer_take_text (writer, names[4],
                                  g_strjoinv ("\n", (char **) warnings->pdata));
  exchange (self, cells, FALSE);
  cells[IN_WHITE] = 1;
  prism_archive_writer_take_text (writer, names[0],
                                  prism_csv_new_exact (HEADER, cells, n / N_CELLS, N_CELLS));
  prism_archive_writer_add_array (writer, names[1], self->object, 3, whole);
  prism_archive_writer_add_array (writer, names[2], self->pupil, 3, small);
  prism_archive_writer_add_array (writer, names[3], self->predicted->pixels, 2, small);
}

/**
 * prism_finding_load_members:
 * @archive: the file of a run
 * @prefix: of the names of its members
 * @finding: (out) (transfer full) (nullable): %NULL where there is none
 *
 * Reads what prism_finding_save_members() has added.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 *
 * Returns: whether nothing was wrong
 */
gboolean
prism_finding_load_members (PrismArchive *archive,
                            const char *prefix,
                            PrismFinding **finding,
                            GError **error)
{
  g_auto (GStrv) names = dup_names (prefix);
  const gboolean has = prism_archive_has (archive, names[0]);
  g_autofree char *text = has ? prism_archive_load_text (archive, names[0], error) : NULL;
  g_autofree char *warnings = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (PrismFinding) self = g_new0 (PrismFinding, 1);
  prism_autofree_array float *pupil = NULL, *predicted = NULL;
  gsize whole[3] = { 0, 0, 2 }, small[3] = { 0, 0, 2 }, n = 0;
  g_autofree double *cells
      = text != NULL ? prism_csv_parse_exact (text, N_CELLS, &n, error) : NULL;

  g_atomic_ref_count_init (&self->ref_count);
  if (cells == NULL)
    return !has;
  if (n <= N_HEAD / N_CELLS)
    return prism_error_format (error, _ ("%s is damaged: it has no row of numbers for each"
                                         " frame."),
                               names[0]);
  self->n_frames = n - N_HEAD / N_CELLS;
  self->frames = g_new0 (PrismFindingFrame, self->n_frames);
  exchange (self, cells, TRUE);
  whole[0] = self->object_height;
  whole[1] = self->object_width;
  small[0] = small[1] = self->side;
  self->object = prism_archive_load_floats (archive, names[1], 3, whole, error);
  if (self->object != NULL)
    pupil = prism_archive_load_floats (archive, names[2], 3, small, error);
  if (pupil != NULL)
    predicted = prism_archive_load_floats (archive, names[3], 2, small, error);
  if (predicted == NULL)
    return FALSE;
  if (cells[IN_WHITE] != 1)
    prism_finding_set_object (self, self->object, self->object_height, self->object_width, 0);
  self->pupil = g_memdup2 (pupil, 2 * sizeof *pupil * small[0] * small[0]);
  self->predicted = prism_image_new_copy (self->side, self->side, predicted, error);
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  self->doubts = g_ptr_array_new_with_free_func (g_free);
  warnings = prism_archive_has (archive, names[4])
                 ? prism_archive_load_text (archive, names[4], error)
                 : g_strdup ("");
  if (warnings == NULL)
    return FALSE;
  lines = g_strsplit (warnings, "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    g_ptr_array_add (self->doubts, g_strdup (*line));
  *finding = self->predicted != NULL ? g_steal_pointer (&self) : NULL;
  return *finding != NULL;
}
