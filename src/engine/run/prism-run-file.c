#include "config.h"

#include "run/prism-run-file.h"

#include "base/prism-clock.h"
#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-text.h"
#include "formats/prism-archive-stream.h"
#include "history/prism-frames.h"
#include "history/prism-history-pack.h"
#include "model/prism-display.h"
#include "run/prism-run-snapshot.h"

/* Writing a run file: the newest state beside the two before it.
 *
 * Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define N_KEPT 3 /* states */

/* What two runs must have in common to have the same measurements. */
static void
add_keys (JsonBuilder *builder,
          const PrismSnapshot *snapshot,
          const char *positions)
{
  const PrismImage *object = snapshot->target;
  const gpointer first = object != NULL ? (gpointer) object->pixels : snapshot->problem;
  const gsize bytes = object != NULL
                          ? (gsize) object->height * object->width * sizeof *object->pixels
                          : strlen (snapshot->problem);
  g_autofree char *pixels = g_compute_checksum_for_data (G_CHECKSUM_SHA256, first, bytes);
  g_autofree char *points = g_compute_checksum_for_string (G_CHECKSUM_SHA256, positions, -1);

  prism_json_add (builder, "measurements: {%s: %s, pattern_sha256: %s, n_samples: %u}",
                  object != NULL ? "object_sha256" : "problem_sha256", pixels, points,
                  snapshot->n_samples);
}

static char *
dup_index (const PrismSnapshot *snapshot,
           const PrismRunIdentity *identity,
           const char *positions)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *saved = prism_clock_dup_utc_exact ();

  prism_json_add (builder, "{format: %d, program: %s, id: %s, parent: %s",
                  snapshot->problem != NULL ? PRISM_RUN_FILE_FORMAT : 1,
                  "PRISM Studio " PRISM_VERSION, identity->id, identity->parent);
  if (identity->lesson)
    prism_json_add (builder, "lesson: %d", 1);
  prism_json_add (builder,
                  "started: %s, saved: %s, state: %s, step: %lu, backend: %s, device: %s, "
                  "device_reason: %s, precision_advice: %s, message: %s",
                  identity->started, saved, prism_run_snapshot_get_state_name (snapshot->state),
                  snapshot->step, snapshot->backend, snapshot->device, snapshot->device_reason,
                  snapshot->precision_advice, snapshot->message);
  add_keys (builder, snapshot, positions);
  prism_json_add (builder, "}");
  root = json_builder_get_root (builder);
  return json_to_string (root, TRUE);
}

static void
add_plane (PrismArchiveWriter *writer,
           const char *prefix,
           const char *name,
           const PrismImage *image)
{
  g_autofree char *member = g_strconcat (prefix, name, NULL);

  if (image != NULL)
    prism_archive_writer_add_array (writer, member, image->pixels, 2,
                                    (const gsize[]) { image->height, image->width });
}

static void
add_state (PrismArchiveWriter *writer,
           PrismSnapshot *snapshot,
           PrismBundle *state,
           guint index)
{
  g_autofree char *prefix = g_strdup_printf (PRISM_RUN_SNAPSHOTS "%u/", index);
  g_autofree char *config_name = g_strconcat (prefix, "config.prism", NULL);
  g_autofree char *numbers_name = g_strconcat (prefix, "snapshot.json", NULL);
  g_autofree char *config = prism_config_to_text (snapshot->config);
  g_autofree char *numbers = prism_run_snapshot_to_text (snapshot);

  prism_archive_writer_add_text (writer, numbers_name, numbers);
  prism_archive_writer_add_text (writer, config_name, config);
  add_plane (writer, prefix, "image.npy", snapshot->reconstruction);
  add_plane (writer, prefix, "second.npy", snapshot->second);
  add_plane (writer, prefix, PRISM_RUN_PHASE, snapshot->phase_image);
  add_plane (writer, prefix, "coverage.npy", snapshot->coverage_plane);
  add_plane (writer, prefix, "measurement.npy", snapshot->measurement);
  prism_bundle_save (state, writer, prefix);
}

/* What the run's own file has of earlier states; nothing of another run's, nor of one that cannot
 * be read. */
static PrismArchive *
open_earlier (const char *path,
              const PrismRunIdentity *identity)
{
  g_autoptr (PrismArchive) archive = prism_archive_open (path, NULL);
  g_autoptr (PrismRunIndex) index = NULL;

  if (archive == NULL)
    return NULL;
  index = prism_run_index_load (archive, NULL);
  if (index == NULL || g_strcmp0 (index->identity->id, identity->id) != 0)
    return NULL;
  return g_steal_pointer (&archive);
}

static void
copy_state (PrismArchiveWriter *writer,
            PrismArchive *earlier,
            guint index)
{
  g_autofree char *prefix = g_strdup_printf (PRISM_RUN_SNAPSHOTS "%u/", index);
  const char *const *names = prism_archive_get_names (earlier);

  PRISM_FOR_EACH_STRING (name, names)
    if (g_str_has_prefix (*name, prefix))
      prism_archive_writer_copy (writer, earlier, *name, *name);
}

static void
add_metrics (PrismArchiveWriter *writer,
             PrismHistoryMember *metrics)
{
  const PrismArchiveStream stream = {
    .size = metrics->size,
    .packed_size = metrics->packed_size,
    .crc = metrics->crc,
    .read = prism_history_member_read,
    .rewind = prism_history_member_rewind,
    .data = metrics,
  };

  prism_archive_writer_add_stream (writer, PRISM_RUN_METRICS, &stream);
}

static gboolean
save (const char *path,
      PrismRunGuard *guard,
      PrismSnapshot *snapshot,
      PrismBundle *state,
      const PrismRunIdentity *identity,
      GError **error)
{
  g_autoptr (PrismArchive) earlier = NULL;
  g_autoptr (PrismHistoryMember) metrics = NULL;
  g_autoptr (PrismArchiveWriter) writer = NULL;
  g_autofree char *positions = NULL;
  g_autofree char *index = NULL;
  g_autofree char *config = NULL;
  guint newest = 0;

  if ((snapshot->target == NULL && snapshot->problem == NULL) || snapshot->pattern == NULL
      || snapshot->history == NULL)
    {
      return prism_error_config (
          error, _ ("“%s” was not written: there is no run yet. Start one first."), path);
    }
  metrics = prism_history_member_new (snapshot->history, snapshot->n_rows, error);
  writer = metrics != NULL ? prism_archive_writer_new (path, error) : NULL;
  if (writer == NULL)
    return FALSE;
  positions = prism_run_positions_to_text (snapshot->pattern);
  index = dup_index (snapshot, identity, positions);
  config = prism_config_to_text (snapshot->config);
  prism_archive_writer_add_text (writer, PRISM_RUN_INDEX, index);
  prism_archive_writer_add_text (writer, "config.prism", config);
  if (snapshot->display != NULL)
    prism_archive_writer_add_text (writer, PRISM_DISPLAY_NAME, snapshot->display);
  add_metrics (writer, metrics);
  prism_archive_writer_add_text (writer, PRISM_RUN_POSITIONS, positions);
  add_plane (writer, "", PRISM_RUN_OBJECT, snapshot->target);
  if (snapshot->target != NULL)
    {
      g_autofree char *notice = prism_image_origin_dup_notice (&snapshot->target->origin);
      g_autofree char *text = prism_image_origin_to_text (&snapshot->target->origin);

      if (notice != NULL)
        prism_archive_writer_add_text (writer, PRISM_RUN_ORIGIN, text);
    }
  if (snapshot->problem != NULL)
    prism_archive_writer_add_text (writer, PRISM_RUN_PROBLEM, snapshot->problem);
  if (snapshot->frames != NULL)
    prism_frames_save_members (snapshot->frames, writer);
  earlier = open_earlier (path, identity);
  if (earlier != NULL)
    {
      g_autoptr (GArray) indices = prism_run_index_list_states (earlier);

      for (guint i = 0; i < MIN (indices->len, N_KEPT - 1); i++)
        copy_state (writer, earlier, g_array_index (indices, guint, i));
      newest = indices->len > 0 ? g_array_index (indices, guint, 0) : 0;
    }
  if (snapshot->states != NULL)
    prism_checkpoints_save_members (snapshot->states, writer);
  add_state (writer, snapshot, state, newest + 1);
  prism_archive_writer_set_guard (writer, prism_run_guard_allows, guard);
  return prism_archive_writer_finish (writer, error);
}

/**
 * prism_run_file_save:
 * @place: where the run is saved
 * @snapshot: of the run between two steps
 * @state: of prism_trainer_dup_state() at the same moment
 * @identity: which run it is
 *
 * Writes a run. The last two states that a file of the same run has are taken over; what had the
 * name when the place was taken is replaced. At any moment the old or the new file is there, whole.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY, PRISM_ERROR_CONFIG when there is no run;
 * PRISM_ERROR_CANCELLED where another file has the name by then. The file is then as it was.
 *
 * Returns: whether the file is safely on the disk
 */
gboolean
prism_run_file_save (PrismRunPlace *place,
                     PrismSnapshot *snapshot,
                     PrismBundle *state,
                     const PrismRunIdentity *identity,
                     GError **error)
{
  PrismRunGuard guard = { .place = place, .id = identity->id };
  gboolean written
      = save (place->real, &guard, snapshot, state, identity, error);

  prism_run_place_set_step (place, snapshot->step, written);
  return written;
}

#define POSITIONS_HEAD "y,x,angle"
#define N_COLUMNS 3

G_STATIC_ASSERT (sizeof (PrismPoint) == N_COLUMNS * sizeof (double));

/**
 * prism_run_positions_to_text:
 * @pattern: positions
 *
 * Writes y, x and the angle of the line of each, in the order of the visits, exactly.
 *
 * Returns: (transfer full): pattern.csv
 */
char *
prism_run_positions_to_text (const PrismPattern *pattern)
{
  return prism_csv_new_exact (POSITIONS_HEAD, (const double *) pattern->points, pattern->n_points,
                              N_COLUMNS);
}

/**
 * prism_run_positions_parse:
 * @text: of pattern.csv
 * @n_points: how many positions the run has
 * @image_size: n
 *
 * Reads the positions in the order of the visits.
 *
 * Units: px from the origin of k-space, within ±2n.
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the positions
 */
PrismPattern *
prism_run_positions_parse (const char *text,
                           guint n_points,
                           int image_size,
                           GError **error)
{
  const double reach[N_COLUMNS] = { 2.0 * image_size, 2.0 * image_size, 2.0 * G_PI };
  g_autofree double *values = NULL;
  gsize length = strlen (text), n_rows = 0;
  gboolean good;

  if (!g_str_has_prefix (text, POSITIONS_HEAD "\n") || length / 6 < n_points)
    {
      prism_run_index_refuse (PRISM_RUN_POSITIONS,
                              _ ("it has not as many positions as the run"), error);
      return NULL;
    }
  values = prism_csv_parse_exact (text, N_COLUMNS, &n_rows, NULL);
  good = n_rows >= n_points;
  for (gsize i = 0; i < (gsize) N_COLUMNS * n_points && good; i++)
    good = fabs (values[i]) <= reach[i % N_COLUMNS];
  if (!good)
    {
      prism_run_index_refuse (PRISM_RUN_POSITIONS, _ ("a line is not a position within the field"),
                              error);
      return NULL;
    }
  return prism_pattern_new_points ((const PrismPoint *) values, n_points);
}

/**
 * prism_run_fork_check:
 * @before: settings of a run
 * @after: what it should go on with
 * @recorded: whether its frames are
 *
 * Finds a setting that cannot change in the middle of a run: weights, measurements and positions
 * depend on it. How many passes recorded frames have says nothing of those before.
 *
 * Errors: PRISM_ERROR_CONFIG with the key.
 *
 * Returns: whether the run can go on with them
 */
gboolean
prism_run_fork_check (const PrismConfig *before,
                      const PrismConfig *after,
                      GError **error)
{
  static const char *const passes[] = { "passes", "more_passes", NULL };

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *left = prism_config_dup_text (before, param);
      g_autofree char *right = prism_config_dup_text (after, param);

      if (param->live || prism_param_is_place (param) || !prism_param_is_of (param, before->kind)
          || (before->kind == PRISM_FRAMES_RECORDED && g_strv_contains (passes, param->key))
          || !prism_config_differs (before, after, param))
        continue;
      return prism_error_config (
          error,
          _ ("%s cannot change from %s to %s in the middle of a run: begin a new one with"
             " that setting."),
          param->key, left, right);
    }
  return TRUE;
}
