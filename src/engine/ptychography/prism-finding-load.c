/* The folder of a result, read again. */
#include "config.h"

#include "ptychography/prism-finding.h"

#include "base/prism-arena.h"
#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-record.h"
#include "base/prism-text.h"
#include "formats/prism-fields-readers.h"

static gboolean
refuse (GError **error,
        const char *directory,
        const char *name,
        const char *reason)
{
  return prism_error_format (error,
                             _ ("“%s” is no result of recorded frames: %s %s. Choose the folder"
                                " that prism-cli run --measurements or the window has written."),
                             directory, name, reason);
}

static JsonObject *
get_object (JsonObject *object,
            const char *name)
{
  return prism_json_to_object (prism_json_find (object, name));
}

/* 0 for what is no number of something. */
static guint
get_count (JsonObject *object,
           const char *name)
{
  const double number = prism_json_get_number (object, name);

  return number > 0 && number < G_MAXINT ? number : 0;
}

static PrismPrediction
get_prediction (JsonObject *object,
                const char *name)
{
  JsonObject *member = get_object (object, name);
  PrismPrediction prediction = { .n_frames = get_count (member, "frames"),
                                 .misfit = prism_json_get_number (member, "misfit"),
                                 .correlation = prism_json_get_number (member, "correlation"),
                                 .error = prism_json_get_number (member, "correlation_error"),
                                 .gain = prism_json_get_number (member, "gain_of_last_pass") };

  if (prism_json_get_number (member, "expected_correlation") > 0)
    {
      prediction.expected = prism_json_get_number (member, "expected_correlation");
      prediction.noise = prism_json_get_number (member, "expected_misfit");
      prediction.pure = prism_json_get_number (member, "correlation_without_noise");
    }
  return prediction;
}

/* What is no text is left out. */
static GPtrArray *
get_sentences (JsonObject *object)
{
  GPtrArray *sentences = g_ptr_array_new_with_free_func (g_free);
  JsonArray *array = prism_json_to_list (prism_json_find (object, "lights"));

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      const char *sentence = prism_json_to_text (json_array_get_element (array, i));

      if (sentence != NULL)
        g_ptr_array_add (sentences, g_strdup (sentence));
    }
  return sentences;
}

/* What is no mark is left out. */
static GArray *
get_readings (JsonObject *object)
{
  GArray *readings = g_array_new (FALSE, FALSE, sizeof (PrismMarkReading));
  JsonArray *array = prism_json_to_list (prism_json_find (object, "marks"));

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonObject *one = prism_json_to_object (json_array_get_element (array, i));
      g_autoptr (GArray) marks = prism_mark_list_parse (prism_json_get_text (one, "mark"), NULL);
      PrismMarkReading reading;

      if (marks == NULL || marks->len != 1)
        continue;
      reading.mark = g_array_index (marks, PrismMark, 0);
      for (PrismMeasure k = 0; k < PRISM_MEASURE_N; k++)
        {
          const char *name = prism_measure_get_name (k);
          g_autofree char *error = g_strconcat (name, "_error", NULL);

          reading.measured[k] = (PrismMeasured) { prism_json_get_number (one, name),
                                                  prism_json_get_number (one, error) };
        }
      g_array_append_val (readings, reading);
    }
  return readings;
}

static gboolean
load_summary (PrismFinding *self,
              const char *directory,
              float *white,
              GError **error)
{
  g_autofree char *path = g_build_filename (directory, PRISM_EXCHANGE_HEAD, NULL);
  g_autoptr (JsonNode) node = prism_json_load (path, error);
  static const char *const needed[] = { "held_out", "pupil", "object", "frames", "settings" };
  JsonObject *root, *pupil, *waves, *board, *resolution, *tiles;
  PrismMeasured finest;

  if (node == NULL)
    return FALSE;
  root = json_node_get_object (node);
  pupil = get_object (root, "pupil");
  board = get_object (root, "board");
  resolution = get_object (root, "resolution");
  waves = get_object (pupil, "waves");
  for (gsize i = 0; i < G_N_ELEMENTS (needed); i++)
    if (get_object (root, needed[i]) == NULL)
      {
        g_autofree char *reason = g_strconcat ("has no ", needed[i], NULL);

        return refuse (error, directory, PRISM_EXCHANGE_HEAD, reason);
      }
  self->source = g_strdup (prism_json_get_text (root, "measurements"));
  self->reading = g_strdup (prism_json_get_text (root, "reading"));
  self->doubts = get_sentences (root);
  self->readings = get_readings (root);
  self->held_out = get_prediction (root, "held_out");
  self->held_out.cause = prism_verdict_find_cause (prism_json_get_text (root, "cause"));
  if (prism_json_get_number (root, "signal_to_na") > 0)
    self->held_out.to_na = prism_json_get_number (root, "signal_to_na");
  tiles = get_object (root, "tiles");
  self->held_out.n_tiles = get_count (tiles, "count");
  self->held_out.n_done = MIN (get_count (tiles, "done"), self->held_out.n_tiles);
  self->automatic_tile = (int) get_count (tiles, "automatic_side_px");
  self->used = get_prediction (root, "used");
  self->seconds = prism_json_get_number (root, "seconds");
  self->coverage = prism_json_get_number (root, "coverage");
  self->taken_back_after = get_count (root, "taken_back_after");
  self->decoded_in_vain
      = !json_object_get_boolean_member_with_default (root, "decoded", TRUE);
  self->device = g_strdup (prism_json_get_text (root, "device"));
  self->device_reason = g_strdup (prism_json_get_text (root, "device_reason"));
  self->pixel_size = 1e-6 * prism_json_get_number (get_object (root, "object"), "pixel_um");
  /* Results of earlier versions are in the unit of their frames, of which “white” is 1 here. */
  *white = prism_json_get_number (get_object (root, "object"), "frame_white") > 0
               ? 1
               : prism_json_get_number (get_object (root, "object"), "white");
  finest = (PrismMeasured) { 1e-9 * prism_json_get_number (resolution, "nm"),
                             1e-9 * prism_json_get_number (resolution, "error_nm") };
  if (finest.value > 0)
    prism_finding_set_finest (self, &finest);
  self->radius = prism_json_get_number (pupil, "radius_px");
  self->rim = prism_json_get_number (pupil, "rim_px");
  self->wavelength = 1e-9 * prism_json_get_number (get_object (root, "frames"), "wavelength_nm");
  self->na = prism_json_get_number (get_object (root, "frames"), "na");
  prism_objective_load (&self->objective, root);
  self->settings = prism_config_new_recorded ();
  prism_config_take_json (self->settings, get_object (root, "settings"));
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    self->waves[i] = prism_json_get_number (waves, prism_pupil_get_mode_name (i));
  self->board.shift[0] = prism_json_get_number (board, "shift_column_px");
  self->board.shift[1] = prism_json_get_number (board, "shift_row_px");
  self->board.scale = prism_json_get_number (board, "scale");
  self->board.turn = prism_json_get_number (board, "turn_degrees") * G_PI / 180;
  return TRUE;
}

/* Returns: (transfer full) [height][width][2], of prism_arena_new_array() */
static float *
load_complex (const char *directory,
              const char *name,
              int *height,
              int *width,
              GError **error)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (PrismFields) file = prism_fields_load_npy (path, error);
  const PrismField *array;
  float *values;

  if (file == NULL)
    return NULL;
  array = g_ptr_array_index (file->fields, 0);
  if (array->kind != PRISM_FIELD_COMPLEX || array->n_dims != 2
      || array->shape[0] < 2 || array->shape[0] > 65536 || array->shape[1] < 2
      || array->shape[1] > 65536)
    {
      refuse (error, directory, name, _ ("is no rectangle of complex numbers"));
      return NULL;
    }
  values = prism_arena_new_array (2 * sizeof *values * array->n_values, name, error);
  for (gsize i = 0; values != NULL && i < 2 * array->n_values; i++)
    values[i] = isfinite (array->values[i]) ? (float) array->values[i] : 0;
  *height = (int) array->shape[0];
  *width = (int) array->shape[1];
  return values;
}

/* A row of numbers by the names of their columns. */
typedef struct
{
  char **names;
  double values[32];
} Row;

static double
get_cell (const Row *row,
          const char *name)
{
  for (int i = 0; i < G_N_ELEMENTS (row->values) && row->names[i] != NULL; i++)
    if (strcmp (row->names[i], name) == 0)
      return row->values[i];
  return NAN;
}

typedef void (*TakeRow) (PrismFinding *self,
                         const Row *row);

/* A table that is not there is none. */
static void
load_table (PrismFinding *self,
            const char *directory,
            const char *name,
            TakeRow take)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (GBytes) bytes = prism_file_load (path, 64 << 20, NULL);
  g_autofree char *text = bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL),
                                                     g_bytes_get_size (bytes))
                                        : g_strdup ("");
  g_auto (GStrv) lines = g_strsplit (text, "\n", 100000);
  g_auto (GStrv) names = g_strsplit (lines[0] != NULL ? lines[0] : "", ",", 0);

  for (int i = 1; lines[0] != NULL && lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], ",", 0);
      Row row = { names, { 0 } };

      for (int k = 0; k < G_N_ELEMENTS (row.values); k++)
        row.values[k] = NAN;
      for (int k = 0; k < G_N_ELEMENTS (row.values) && cells[k] != NULL; k++)
        {
          char *end;

          row.values[k] = g_ascii_strtod (cells[k], &end);
          if (end == cells[k])
            row.values[k] = NAN;
        }
      take (self, &row);
    }
}

static void
take_frame (PrismFinding *self,
            const Row *row)
{
  PrismFindingFrame *frame;

  self->frames = g_renew (PrismFindingFrame, self->frames, self->n_frames + 1);
  frame = &self->frames[self->n_frames++];
  frame->held = get_cell (row, "held_out") > 0;
  frame->left_out = get_cell (row, "left_out") > 0;
  frame->light = get_cell (row, "light");
  frame->recorded[0] = get_cell (row, "column_px");
  frame->recorded[1] = get_cell (row, "row_px");
  frame->found[0] = get_cell (row, "found_column_px");
  frame->found[1] = get_cell (row, "found_row_px");
  frame->gain = get_cell (row, "gain");
  frame->misfit = get_cell (row, "misfit");
  frame->correlation = get_cell (row, "correlation");
}

static void
take_pass (PrismFinding *self,
           const Row *row)
{
  const PrismPrediction prediction = { self->held_out.n_frames,
                                       get_cell (row, "held_out_misfit"),
                                       get_cell (row, "held_out_correlation") };

  g_array_append_val (self->progress, prediction);
}

static PrismFinding *
load_numbers (const char *directory,
              float *white,
              GError **error)
{
  g_autoptr (PrismFinding) self = g_new0 (PrismFinding, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  prism_exchange_finish (directory);
  if (!load_summary (self, directory, white, error))
    return NULL;
  load_table (self, directory, "frames.csv", take_frame);
  load_table (self, directory, "passes.csv", take_pass);
  self->pass = self->progress->len;
  if (self->source == NULL)
    self->source = g_strdup (directory);
  return g_steal_pointer (&self);
}

/**
 * prism_finding_load_numbers:
 * @directory: as that of prism_finding_load()
 *
 * Reads the result of an earlier run without object and pupil, which are large.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full): a finding without these
 */
PrismFinding *
prism_finding_load_numbers (const char *directory,
                            GError **error)
{
  float white;

  return load_numbers (directory, &white, error);
}

/**
 * prism_finding_load:
 * @directory: one that prism_ptychography_export_save_all() has filled
 *
 * Reads the result of an earlier run. A table that is missing leaves its part empty.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): the finding
 */
PrismFinding *
prism_finding_load (const char *directory,
                    GError **error)
{
  prism_autofree_array float *pupil = NULL;
  float *object, white = 0;
  int height, width;
  g_autoptr (PrismFinding) self = load_numbers (directory, &white, error);

  if (self == NULL)
    return NULL;
  object = load_complex (directory, "object.npy", &height, &width, error);
  if (object == NULL)
    return NULL;
  prism_finding_set_object (self, object, height, width, white);
  pupil = load_complex (directory, "pupil.npy", &self->side, &width, error);
  if (pupil == NULL)
    return NULL;
  if (self->side != width)
    {
      refuse (error, directory, "pupil.npy", "is no square");
      return NULL;
    }
  self->pupil = g_memdup2 (pupil, 2 * sizeof *pupil * self->side * self->side);
  return g_steal_pointer (&self);
}
