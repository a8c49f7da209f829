#include "config.h"

#include "ptychography/prism-ptychography-export.h"

#include "base/prism-arena.h"
#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-pool.h"
#include "base/prism-csv.h"
#include "base/prism-text.h"
#include "formats/prism-image.h"
#include "formats/prism-png-stream.h"
#include "formats/prism-npy.h"
#include "formats/prism-strip-writer.h"
#include "model/prism-verdict.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-private.h"

/**
 * prism_ptychography_export_dup_verdict:
 * @held_out: how well frames are predicted that were never used
 *
 * Returns: (transfer full): what they say, a sentence behind a sign, or that tiles are missing,
 * translated
 */
char *
prism_ptychography_export_dup_verdict (const PrismPrediction *held_out)
{
  g_autofree char *sentence = NULL;
  PrismVerdict verdict;

  if (held_out->n_done < held_out->n_tiles)
    return g_strdup_printf (_ ("There is no verdict on the whole field: it has %u of %u tiles so"
                               " far."),
                            held_out->n_done, held_out->n_tiles);
  prism_verdict_predict (&verdict, held_out);
  sentence = prism_verdict_dup_text (&verdict);
  return prism_verdict_dup_signed (&verdict, NAN, sentence);
}

static gboolean
save_array (const char *directory,
            const char *name,
            const float *values,
            gboolean is_complex,
            int height,
            int width,
            GError **error)
{
  const gsize shape[2] = { height, width };
  g_autofree char *path = g_build_filename (directory, name, NULL);

  return is_complex ? prism_npy_save_complex (path, values, 2, shape, error)
                    : prism_npy_save (path, values, 2, shape, error);
}

/* As 32-bit floats, for programs of microscopy. */
static gboolean
save_tiff (const char *directory,
           const char *name,
           const float *values,
           int height,
           int width,
           double pixel_size,
           GError **error)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  g_autoptr (PrismStripWriter) writer
      = prism_strip_writer_new (path, height, width, 0, 0, 1, error);

  if (writer == NULL)
    return FALSE;
  prism_strip_writer_set_pixel_size (writer, pixel_size);
  return prism_strip_writer_add (writer, values, height, error)
         && prism_strip_writer_save (writer, error);
}

/* Amplitude and phase as two channels of one file. */
static gboolean
save_ome (const char *directory,
          float *const parts[2],
          int height,
          int width,
          double pixel_size,
          GError **error)
{
  g_autofree char *path = g_build_filename (directory, "object.ome.tif", NULL);
  g_autoptr (PrismStripWriter) writer
      = prism_strip_writer_new_ome (path, height, width, 1, pixel_size, 0, 0, error);

  return writer != NULL && prism_strip_writer_add (writer, parts[0], height, error)
         && prism_strip_writer_add (writer, parts[1], height, error)
         && prism_strip_writer_save (writer, error);
}

/* black < white: limits of the picture; otherwise they are those of nearly all pixels */
static PrismPngStream *
encode_picture (const float *values,
                int height,
                int width,
                float black,
                float white,
                GError **error)
{
  g_autoptr (PrismImage) image = NULL;

  if (!(black < white))
    {
      const gsize n_all = (gsize) height * width;
      g_autofree float *sorted = g_new (float, n_all);
      gsize n = 0;

      for (gsize i = 0; i < n_all; i++)
        if (isfinite (values[i]))
          sorted[n++] = values[i];
      prism_sort_floats (sorted, n);
      black = n > 0 ? sorted[n / 200] : 0;
      white = n > 0 ? MAX (sorted[n - 1 - n / 200], black + 1e-6f) : 1;
    }
  image = prism_image_new_copy (height, width, values, error);
  return image != NULL ? prism_image_encode_png (image, 16, black, white, NULL, error) : NULL;
}

/* picture: (nullable) (transfer full): one that could not be made has said why */
static gboolean
save_picture (const char *directory,
              const char *name,
              PrismPngStream *picture,
              GError **error)
{
  g_autoptr (PrismPngStream) stream = picture;
  g_autofree char *path = g_build_filename (directory, name, NULL);

  return stream != NULL && prism_png_stream_save (stream, path, error);
}

/* Amplitude and phase of complex numbers. */
static void
split (const float *values,
       gsize n,
       float *amplitude,
       float *phase)
{
  for (gsize i = 0; i < n; i++)
    {
      amplitude[i] = hypotf (values[2 * i], values[2 * i + 1]);
      phase[i] = atan2f (values[2 * i + 1], values[2 * i]);
    }
}

/* The files of an object: its numbers, pictures of amplitude and phase, and result.h5. */
typedef struct
{
  PrismPtychography *solver;
  const PrismPtychographyOutcome *outcome;
  const char *directory;
  int height;
  int width;
  double pixel_size;
  const float *object; /* [height][width][2] */
  float *parts[2];     /* [height][width] */
  GError *errors[4];   /* of the pictures, the numbers and result.h5 */
} ObjectFiles;

static void
clear_object_files (ObjectFiles *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (self->errors); i++)
    g_clear_error (&self->errors[i]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ObjectFiles, clear_object_files)

static void
split_row (gpointer data,
           guint row)
{
  const ObjectFiles *self = data;
  const gsize first = (gsize) row * self->width;

  split (self->object + 2 * first, self->width, self->parts[0] + first, self->parts[1] + first);
  for (gsize i = first; i < first + self->width; i++)
    if (!prism_finding_picture_is_known (self->object + 2 * i))
      self->parts[0][i] = self->parts[1][i] = NAN;
}

static gboolean
save_numbers (const ObjectFiles *self,
              GError **error)
{
  const int height = self->height, width = self->width;

  return save_array (self->directory, "object.npy", self->object, TRUE, height, width, error)
         && save_array (self->directory, "amplitude.npy", self->parts[0], FALSE, height, width,
                        error)
         && save_array (self->directory, "phase.npy", self->parts[1], FALSE, height, width, error)
         && save_tiff (self->directory, "amplitude.tif", self->parts[0], height, width,
                       self->pixel_size, error)
         && save_tiff (self->directory, "phase.tif", self->parts[1], height, width,
                       self->pixel_size, error)
         && save_ome (self->directory, self->parts, height, width, self->pixel_size, error);
}

static gboolean
save_result (const ObjectFiles *self,
             GError **error)
{
  g_autofree char *path = g_build_filename (self->directory, "result.h5", NULL);

  return prism_ptychography_nexus_save (self->solver, self->outcome,
                                        &(const PrismResultPicture) {
                                            .height = self->height,
                                            .width = self->width,
                                            .amplitude = self->parts[0],
                                            .phase = self->parts[1],
                                        },
                                        path, error);
}

/* Pictures first, which take longest; the others are written meanwhile. */
static void
make_files (gpointer data,
            guint turn)
{
  static const char *const names[] = { "amplitude.png", "phase.png" };
  ObjectFiles *self = data;
  GError **error = &self->errors[turn];

  if (turn == 3)
    save_result (self, error);
  else if (turn == 2)
    save_numbers (self, error);
  else
    save_picture (self->directory, names[turn],
                  encode_picture (self->parts[turn], self->height, self->width, 0, 0, error),
                  error);
}

static gboolean
save_object (PrismPtychography *self,
             const PrismPtychographyOutcome *outcome,
             const char *directory,
             GError **error)
{
  g_auto (ObjectFiles) files
      = { .solver = self,
          .outcome = outcome,
          .directory = directory,
          .height = outcome->finding->object_height,
          .width = outcome->finding->object_width,
          .pixel_size = self->frames->pixel_size,
          .object = outcome->finding->object };
  const guint n_turns = G_N_ELEMENTS (files.errors);
  const gsize n = (gsize) files.height * (gsize) files.width;
  prism_autofree_array float *parts
      = prism_arena_new_array (2 * n * sizeof *parts, "amplitude and phase", error);

  if (parts == NULL)
    return FALSE;
  files.parts[0] = parts;
  files.parts[1] = parts + n;
  prism_parallel_run ((guint) files.height, n, split_row, &files);
  /* Files of larger objects are made and written one by one: each takes as much as the object. */
  if (n <= PRISM_PROBLEM_LARGE)
    prism_parallel_run (n_turns, n, make_files, &files);
  else
    for (guint turn = 0; turn < n_turns; turn++)
      make_files (&files, turn);
  PRISM_FOR_EACH_OF (one, files.errors)
    if (*one != NULL)
      {
        g_propagate_error (error, g_steal_pointer (one));
        return FALSE;
      }
  return TRUE;
}

static gboolean
save_pupil (const PrismFinding *finding,
            const char *directory,
            GError **error)
{
  const int side = finding->side;
  const gsize n = (gsize) side * side;
  g_autofree float *parts = g_new (float, 2 * n);

  split (finding->pupil, n, parts, parts + n);
  return save_picture (directory, "pupil-amplitude.png",
                       encode_picture (parts, side, side, 0, 0, error), error)
         && save_picture (directory, "pupil-phase.png",
                          encode_picture (parts + n, side, side, -(float) G_PI, (float) G_PI,
                                          error),
                          error);
}

static gboolean
save_text (const char *directory,
           const char *name,
           const char *text,
           GError **error)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  return prism_file_save (path, text, strlen (text), error);
}

/* A row a frame: where its light came from, and how well it is met. */
static gboolean
save_frames (PrismPtychography *self,
             const PrismPtychographyOutcome *outcome,
             const char *directory,
             GError **error)
{
  g_autoptr (GString) table
      = g_string_new ("frame,held_out,left_out,column_px,row_px,found_column_px,found_row_px,gain,"
                      "light,misfit,correlation\n");

  for (guint j = 0; j < outcome->finding->n_frames; j++)
    {
      const PrismFindingFrame *frame = &outcome->finding->frames[j];
      const double cells[]
          = { frame->recorded[0], frame->recorded[1], frame->found[0], frame->found[1],
              frame->gain, frame->light, frame->misfit, frame->correlation };

      g_string_append_printf (table, "%u,%d,%d", j, frame->held,
                              frame->left_out || prism_ptychography_is_stray (self, j));
      prism_csv_append_numbers (table, cells, G_N_ELEMENTS (cells));
      g_string_append_c (table, '\n');
    }
  return save_text (directory, "frames.csv", table->str, error);
}

static gboolean
save_progress (const PrismPtychographyOutcome *outcome,
               const char *directory,
               GError **error)
{
  g_autoptr (GString) table = g_string_new ("pass,held_out_misfit,held_out_correlation\n");

  for (guint i = 0; i < outcome->finding->progress->len; i++)
    {
      const PrismPrediction *row = &g_array_index (outcome->finding->progress, PrismPrediction, i);

      g_string_append_printf (table, "%u", i + 1);
      prism_csv_append_numbers (table, (double[]) { row->misfit, row->correlation }, 2);
      g_string_append_c (table, '\n');
    }
  return save_text (directory, "passes.csv", table->str, error);
}

static void
add_verdict (JsonBuilder *builder,
             const PrismPrediction *held_out)
{
  PrismVerdict verdict;

  prism_verdict_predict (&verdict, held_out);
  prism_json_add (builder, "verdict: %s",
                  verdict.kind == PRISM_VERDICT_OPEN ? "unknown"
                                                     : prism_verdict_get_key (verdict.kind));
  if (verdict.kind == PRISM_VERDICT_UNEXPLAINED)
    prism_json_add (builder, "cause: %s", prism_verdict_get_cause (verdict.cause));
  if (held_out->to_na > 0)
    prism_json_add (builder, "signal_to_na: %g", held_out->to_na);
}

static void
add_prediction (JsonBuilder *builder,
                const char *name,
                const PrismPrediction *prediction)
{
  prism_json_add (builder,
                  "%s: {frames: %u, correlation: %g, correlation_error: %g, gain_of_last_pass: %g, "
                  "misfit: %g",
                  name, prediction->n_frames, prediction->correlation, prediction->error,
                  prediction->gain, prediction->misfit);
  if (prediction->expected > 0)
    {
      prism_json_add (
          builder, "expected_correlation: %g, expected_misfit: %g, correlation_without_noise: %g",
          prediction->expected, prediction->noise, prediction->pure);
    }
  prism_json_add (builder, "}");
}

/* sentences: (nullable) */
static void
add_sentences (JsonBuilder *builder,
               const char *name,
               const GPtrArray *sentences)
{
  prism_json_add (builder, "%s: [", name);
  for (guint i = 0; sentences != NULL && i < sentences->len; i++)
    prism_json_add (builder, "%s", (const char *) g_ptr_array_index (sentences, i));
  prism_json_add (builder, "]");
}

/* The coefficient of the defocus is half of what lies between the extremes. */
static void
add_pupil (JsonBuilder *builder,
           const PrismFinding *finding)
{
  prism_json_add (builder, "pupil: {radius_px: %g, defocus_um: %g, rim_px: %g, waves: {",
                  finding->radius,
                  1e6 * 4 * finding->waves[0] * finding->wavelength / (finding->na * finding->na),
                  finding->rim);
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    prism_json_add (builder, "%s: %g", prism_pupil_get_mode_name (i), finding->waves[i]);
  prism_json_add (builder, "}}");
}

/* How the field was cut, where it was, and what one sees of it. */
static void
add_tiles (JsonBuilder *builder,
           const PrismPtychographyOutcome *outcome)
{
  const PrismMosaic *mosaic = outcome->mosaic;
  const PrismMosaicPlan *plan = mosaic != NULL ? &mosaic->plan : NULL;
  double seams[2] = { NAN, NAN };
  guint n_done = 0;

  if (plan == NULL)
    return;
  for (guint i = 0; i < plan->n_tiles; i++)
    n_done += plan->tiles[i].done;
  prism_json_add (builder,
                  "tiles: {count: %u, done: %u, rows: %d, columns: %d, side_px: %d, "
                  "automatic_side_px: %d, object_height_px: %d, object_width_px: %d, "
                  "light_change_px: %g, directions: %s}",
                  plan->n_tiles, n_done, plan->n_rows, plan->n_columns, plan->side,
                  outcome->finding->automatic_tile, plan->height, plan->width,
                  prism_mosaic_get_change (outcome->recording),
                  !plan->has_distance || plan->sign == 0 ? "the same for all"
                  : plan->sign > 0                       ? "of each tile"
                                                         : "of each tile, the other way round");
  if (!outcome->is_brief || n_done == plan->n_tiles)
    prism_mosaic_find_seams (mosaic, seams);
  prism_json_add (builder, "seams: {amplitude: %g, phase: %g}", seams[0], seams[1]);
  if (mosaic->objective.n_tiles > 0)
    prism_objective_add (&mosaic->objective, builder);
}

/* Returns: (transfer full): summary.json */
static char *
dup_summary (PrismPtychography *self,
             const PrismPtychographyOutcome *outcome)
{
  const PrismPtychogram *frames = self->frames;
  const PrismBoard *board = &self->light.board;
  const PrismRecording *recording = outcome->recording;
  g_autofree char *path = prism_file_to_text (recording->path);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  guint n_used = frames->n_used, n_left_out = frames->n_left_out;

  for (guint j = 0; j < frames->n_frames; j++)
    if (prism_ptychography_is_stray (self, j))
      {
        n_used -= frames->roles[j] == PRISM_FRAME_USED;
        n_left_out++;
      }
  prism_json_add (builder, "{program: %s, state: %s, measurements: %s, format: %s",
                  "PRISM Studio " PRISM_VERSION, outcome->is_finished ? "finished" : "stopped",
                  path, recording->format);
  if (outcome->finding->reading != NULL)
    prism_json_add (builder, "reading: %s", outcome->finding->reading);
  if (recording->rows != NULL)
    prism_json_add (builder, "table: %s", PRISM_RESULT_TABLE);
  add_verdict (builder, &outcome->finding->held_out);
  add_prediction (builder, "held_out", &outcome->finding->held_out);
  add_prediction (builder, "used", &outcome->finding->used);
  prism_json_add (builder, "passes: %u, taken_back_after: %u", outcome->finding->progress->len,
                  self->turned_at);
  if (self->settings->method == PRISM_METHOD_COMPLEX)
    {
      prism_json_add (builder, "decoded: %i", prism_ptychography_is_decoded (self));
    }
  prism_json_add (builder, "seconds: %g, pixel_visits_per_second: %g, coverage: %g",
                  outcome->seconds, outcome->pixel_visits / outcome->seconds, outcome->coverage);
  if (outcome->device != NULL)
    prism_json_add (builder, "device: %s", outcome->device);
  if (outcome->device_reason != NULL)
    prism_json_add (builder, "device_reason: %s", outcome->device_reason);
  add_sentences (builder, "notes", recording->notes);
  add_sentences (builder, "lights", outcome->finding->doubts);
  prism_json_add (builder,
                  "object: {side_px: %lu, pixel_um: %g, frame_white: %g, upsampling: %d}, frames: "
                  "{count: %u, side_px: %d, bright: %u, used: %u, left_out: %u, at_rim: %u, "
                  "half_bright_left_out: %u, overlap: %g, background: %g, uneven_stray_light: %i, "
                  "wavelength_nm: %g, na: %g, pixel_um: %g}",
                  (guint64) (frames->upsampling * frames->side), 1e6 * frames->pixel_size,
                  (double) prism_ptychogram_get_white (frames), frames->upsampling,
                  frames->n_frames, frames->side, frames->n_bright, n_used, n_left_out,
                  frames->n_at_rim, frames->n_half_bright, frames->overlap,
                  frames->background, frames->uneven, 1e9 * recording->wavelength, recording->na,
                  1e6 * recording->pixel_size);
  add_tiles (builder, outcome);
  add_pupil (builder, outcome->finding);
  prism_json_add (
      builder,
      "board: {shift_column_px: %g, shift_row_px: %g, scale: %g, turn_degrees: %g}, settings: {",
      board->shift[0] * frames->side / frames->grid, board->shift[1] * frames->side / frames->grid,
      board->scale, board->turn * 180 / G_PI);
  PRISM_FOR_EACH_PARAM (param)
    if (prism_config_decides (outcome->settings, param))
      {
        g_autofree char *value = prism_config_dup_text (outcome->settings, param);

        prism_json_add (builder, "%s: %s", param->key, value);
      }
  prism_json_add (builder, "}}");
  return prism_json_dup_text (builder);
}

static gboolean
save_tiles (const PrismPtychographyOutcome *outcome,
            const char *directory,
            GError **error)
{
  const PrismMosaic *mosaic = outcome->mosaic;
  const PrismObjective *objective = mosaic != NULL ? &mosaic->objective : NULL;
  g_autofree char *tiles = mosaic != NULL ? prism_mosaic_dup_table (mosaic) : NULL;
  g_autofree char *places
      = objective != NULL && objective->n_tiles > 0 ? prism_objective_dup_table (objective) : NULL;

  return (tiles == NULL || save_text (directory, "tiles.csv", tiles, error))
         && (places == NULL || save_text (directory, "objective.csv", places, error));
}

/* rows: (nullable) */
static gboolean
save_rows (GBytes *rows,
           const char *directory,
           GError **error)
{
  g_autofree char *path = g_build_filename (directory, PRISM_RESULT_TABLE, NULL);

  return rows == NULL
         || prism_file_save (path, g_bytes_get_data (rows, NULL), g_bytes_get_size (rows), error);
}

/**
 * prism_ptychography_export_save_all:
 * @outcome: what it came to
 * @directory: created where it is missing
 *
 * Writes object, amplitude, phase and pupil as .npy, TIFF and PNG, all of them as result.h5, a
 * table of the frames and of the passes, and summary.json. Of a field that was cut into
 * tiles the object is that of all; the rest is of the middle one, with a table of all. A brief
 * result has object and pupil as .npy alone. Where nothing is known the object is 0, amplitude and
 * phase are NAN. An older result is replaced as a whole.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether all are on the disk
 */
gboolean
prism_ptychography_export_save_all (PrismPtychography *self,
                                    const PrismPtychographyOutcome *outcome,
                                    const char *directory,
                                    GError **error)
{
  g_autofree char *summary = outcome->summary != NULL
                                 ? g_strdup (outcome->summary)
                                 : dup_summary (self, outcome);
  g_auto (GStrv) names = g_strsplit (PRISM_RESULT_NAMES, "|", -1);
  g_autoptr (PrismExchange) exchange = prism_exchange_new (directory, error);
  const char *stage = exchange != NULL ? prism_exchange_get_directory (exchange) : NULL;
  const PrismFinding *finding = outcome->finding;
  PrismPtychographyOutcome whole = *outcome;

  whole.summary = summary;
  return stage != NULL
         && save_array (stage, "pupil.npy", finding->pupil, TRUE, finding->side, finding->side,
                        error)
         && (outcome->is_brief
                 ? save_array (stage, "object.npy", finding->object, TRUE, finding->object_height,
                               finding->object_width, error)
                 : save_object (self, &whole, stage, error) && save_pupil (finding, stage, error))
         && save_frames (self, outcome, stage, error)
         && save_progress (outcome, stage, error)
         && save_tiles (outcome, stage, error)
         && save_rows (outcome->recording->rows, stage, error)
         && save_text (stage, PRISM_EXCHANGE_HEAD, summary, error)
         && prism_exchange_commit (exchange, (const char *const *) names, error);
}
