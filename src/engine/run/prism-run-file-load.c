#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-text.h"
#include "config/prism-device-list.h"
#include "formats/prism-archive-stream.h"
#include "history/prism-frames.h"
#include "history/prism-history-csv.h"
#include "model/prism-config-check.h"
#include "model/prism-decoder.h"
#include "model/prism-display.h"
#include "run/prism-run-file.h"
#include "run/prism-run-snapshot.h"

#include <inttypes.h>

/* Reading a run file: the newest state that is whole.
 *
 * Dimensions of this file: n = image_size, m = object_size, N = samples. */

#define TOO_MANY_SAMPLES _ ("it has more positions than the run")

/* What a state is made with: the parts of the file that all states have in common. */
typedef struct
{
  PrismArchive *archive;
  PrismRunIndex *index;
  const char *name; /* of the file, for messages */
  char *positions;
  char *problem;            /* (nullable) */
  char *frames;             /* (nullable): its file of frames */
  PrismCheckpoints *states; /* kept to fork from; the archive is theirs */
} Source;

static gboolean
load_origin (PrismArchive *archive,
             PrismImage *object,
             GError **error)
{
  g_autofree char *text = NULL;

  if (!prism_archive_has (archive, PRISM_RUN_ORIGIN))
    return TRUE;
  text = prism_archive_load_text (archive, PRISM_RUN_ORIGIN, error);
  return text != NULL
         && prism_image_origin_parse (&object->origin, text, PRISM_RUN_ORIGIN, error);
}

static PrismImage *
load_object (PrismArchive *archive,
             int size,
             GError **error)
{
  const gsize shape[] = { (gsize) size, (gsize) size };
  float *pixels = prism_archive_load_floats (archive, PRISM_RUN_OBJECT, 2, shape, error);
  g_autoptr (PrismImage) image = NULL;

  if (pixels != NULL)
    image = prism_image_new_copy (size, size, pixels, error);
  prism_arena_free_array (pixels);
  if (image == NULL || !load_origin (archive, image, error))
    return NULL;
  return g_steal_pointer (&image);
}

/* What a run of recorded frames looked at is their file. */
static void
take_problem (const Source *self,
              PrismConfig *config)
{
  if (self->problem != NULL)
    config->kind = PRISM_FRAMES_RECORDED;
  if (self->frames != NULL)
    {
      g_free (config->object);
      config->object = g_strdup (self->frames);
    }
}

PRISM_CLEAR (Source, source_clear, g_free, positions, g_free, problem, g_free, frames)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Source, source_clear)

static PrismConfig *
parse_config (Source *self,
              PrismBundle *bundle,
              GError **error)
{
  const char *text = prism_bundle_get_text (bundle, "config.prism", error);
  g_autoptr (PrismConfig) config
      = text != NULL ? prism_config_load_text (text, -1, "config.prism", error) : NULL;

  if (config == NULL)
    return NULL;
  take_problem (self, config);
  return prism_config_check (config, error) ? g_steal_pointer (&config) : NULL;
}

/* What the windows draw beside a picture must belong to it. */
static gboolean
check_settings (const Source *self,
                const PrismSnapshot *snapshot,
                const PrismMomentSettings *settings,
                GError **error)
{
  take_problem (self, settings->config);
  if (prism_run_fork_check (snapshot->config, settings->config, error))
    return TRUE;
  g_prefix_error (error, _ ("The part “frames/settings-%u.prism” is not of this run: "),
                  settings->version);
  return FALSE;
}

static PrismFrames *
load_all_frames (Source *self,
                 const PrismSnapshot *snapshot,
                 GError **error)
{
  g_autoptr (PrismFrames) frames
      = prism_frames_load_members (self->archive, snapshot->config->object_size, error);
  const PrismMomentSettings *checked = NULL;

  for (guint i = 0; frames != NULL && i < frames->n_moments; i++)
    {
      const PrismMoment *moment = frames->moments[i];

      if (MAX (moment->sample, moment->n_visited) > snapshot->n_samples)
        {
          prism_run_index_refuse (PRISM_FRAMES_INDEX, TOO_MANY_SAMPLES, error);
          return NULL;
        }
      if (moment->settings != checked && !check_settings (self, snapshot, moment->settings, error))
        return NULL;
      checked = moment->settings;
    }
  return g_steal_pointer (&frames);
}

/* Moments that came after the state have not happened yet. Without its past a run goes on, too. */
static PrismFrames *
load_frames (Source *self,
             const PrismSnapshot *snapshot,
             char **notice)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismFrames) frames = load_all_frames (self, snapshot, &error);
  PrismFrames *earlier;
  guint n = 0;

  if (frames == NULL)
    {
      *notice = g_strdup_printf (_ ("The moments of “%s” are left out: %s"), self->name,
                                 error->message);
      return NULL;
    }
  while (n < frames->n_moments && frames->moments[n]->step <= snapshot->step
         && frames->moments[n]->n_rows <= snapshot->n_rows)
    n++;
  if (n == frames->n_moments)
    return g_steal_pointer (&frames);
  earlier = prism_frames_new (frames->moments, n);
  earlier->spacing = frames->spacing;
  earlier->end_spacing = frames->end_spacing;
  return earlier;
}

static gboolean
fill_images (Source *self,
             PrismSnapshot *snapshot,
             PrismBundle *bundle,
             GError **error)
{
  int n = snapshot->config->image_size, m = snapshot->config->object_size;

  snapshot->has_no_target = self->problem != NULL;
  snapshot->problem = g_strdup (self->problem);
  if (self->problem == NULL)
    snapshot->target = load_object (self->archive, m, error);
  if (self->problem == NULL && snapshot->target == NULL)
    return FALSE;
  return prism_bundle_load_image (bundle, "image.npy", m, &snapshot->reconstruction, error)
         && prism_bundle_load_image (bundle, "second.npy", m, &snapshot->second, error)
         && prism_bundle_load_image (bundle, PRISM_RUN_PHASE, m, &snapshot->phase_image, error)
         && prism_bundle_load_image (bundle, "coverage.npy", n, &snapshot->coverage_plane, error)
         && prism_bundle_load_image (bundle, "measurement.npy", n, &snapshot->measurement, error);
}

static PrismHistory *
load_history (Source *self,
              guint64 n_rows,
              GError **error)
{
  g_autoptr (PrismArchivePart) part
      = prism_archive_part_open (self->archive, PRISM_RUN_METRICS, error);

  if (part == NULL)
    return NULL;
  return prism_history_new_csv (prism_archive_part_read, part, n_rows, PRISM_RUN_METRICS, error);
}

static PrismSnapshot *
make_snapshot (Source *self,
               PrismBundle *bundle,
               GError **error)
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();
  const char *numbers = prism_bundle_get_text (bundle, "snapshot.json", error);
  g_autofree char *looked = NULL;
  g_autofree char *display = prism_archive_has (self->archive, PRISM_DISPLAY_NAME)
                                 ? prism_archive_load_text (self->archive, PRISM_DISPLAY_NAME, NULL)
                                 : g_strdup (prism_bundle_get_text (bundle, "config.prism", NULL));

  /* Files of earlier versions have the display among the parameters. */
  if (numbers == NULL || !prism_run_snapshot_parse (snapshot, numbers, "snapshot.json", error)
      || !prism_display_read (display, &looked, error))
    return NULL;
  snapshot->display = prism_display_end_at (looked, snapshot->step);
  /* Of a field in tiles older versions wrote the correlation of one. */
  if (snapshot->verdict.is_predicted && snapshot->verdict.n_frames > 0)
    {
      snapshot->misfit = snapshot->verdict.misfit;
      snapshot->correlation = snapshot->verdict.correlation;
    }
  /* Where steps per sample had changed, older versions counted too few. */
  snapshot->n_steps = MAX (snapshot->n_steps, snapshot->step);
  snapshot->config = parse_config (self, bundle, error);
  if (MAX (snapshot->sample, snapshot->n_visited) > snapshot->n_samples)
    {
      prism_run_index_refuse ("snapshot.json", TOO_MANY_SAMPLES, error);
      return NULL;
    }
  if (snapshot->config == NULL || !fill_images (self, snapshot, bundle, error))
    return NULL;
  snapshot->pattern = prism_run_positions_parse (self->positions, snapshot->n_samples,
                                                 snapshot->config->image_size, error);
  if (snapshot->pattern == NULL)
    return NULL;
  snapshot->history = load_history (self, snapshot->n_rows, error);
  if (snapshot->history == NULL)
    return NULL;
  snapshot->state = self->index->state;
  snapshot->error = PRISM_ERROR_DIVERGED;
  snapshot->message = g_strdup (self->index->message);
  /* What this version does not know is the CPU, as is what is no device. */
  snapshot->backend
      = prism_device_list[MAX (prism_device_list_find (self->index->backend), PRISM_BACKEND_CPU)]
            .name;
  snapshot->device = g_strdup (self->index->device != NULL ? self->index->device : "unknown");
  snapshot->device_reason = g_strdup (self->index->device_reason);
  snapshot->precision_advice = g_strdup (self->index->precision_advice);
  snapshot->serial = 1;
  snapshot->run = 1;
  return g_steal_pointer (&snapshot);
}

/* Before a device is opened for a decoder that no file of this size could have trained. */
static gboolean
check_weights (PrismBundle *state,
               const PrismConfig *config,
               GError **error)
{
  PrismDecoderPlan plan;

  if (!prism_bundle_has (state, "weights.npy"))
    return TRUE;
  return prism_decoder_plan_init_config (&plan, config, error)
         && prism_bundle_get_array (state, "weights.npy", 1, &plan.n_parameters, error) != NULL;
}

static PrismRun *
load_state (Source *self,
            const char *prefix,
            GError **error)
{
  g_autoptr (PrismRun) run = g_new0 (PrismRun, 1);

  run->state = prism_bundle_load (self->archive, prefix, error);
  if (run->state == NULL)
    return NULL;
  run->snapshot = make_snapshot (self, run->state, error);
  if (run->snapshot == NULL || !check_weights (run->state, run->snapshot->config, error))
    return NULL;
  run->identity = prism_run_identity_dup (self->index->identity);
  run->state_name = g_strdup (self->index->state_name);
  run->saved = g_strdup (self->index->saved);
  run->snapshot->frames = load_frames (self, run->snapshot, &run->notice);
  return g_steal_pointer (&run);
}

/* Notes the first failure, and the step of a state that is too late. */
static PrismRun *
load_last_states (Source *self,
                  guint64 step,
                  guint64 *first,
                  GError **damage)
{
  g_autoptr (GArray) indices = prism_run_index_list_states (self->archive);

  for (guint i = 0; i < indices->len; i++)
    {
      g_autofree char *prefix = g_strdup_printf (PRISM_RUN_SNAPSHOTS "%u/",
                                                 g_array_index (indices, guint, i));
      g_autoptr (PrismRun) run = load_state (self, prefix, *damage == NULL ? damage : NULL);

      if (run == NULL)
        continue;
      /* Whether a run can go on from a state, and that is not too new. */
      if (!(step == G_MAXUINT64
            || (run->snapshot->step <= step && run->snapshot->phase != PRISM_PHASE_DONE)))
        {
          *first = run->snapshot->step;
          continue;
        }
      if (i > 0)
        run->snapshot->state = PRISM_STATE_PAUSED;
      return g_steal_pointer (&run);
    }
  return NULL;
}

/* One of those that are kept to fork from, where it is nearer than another. */
static PrismRun *
load_kept_state (Source *self,
                 guint64 step,
                 const PrismRun *other)
{
  for (int i = prism_checkpoints_find (self->states, step); i >= 0; i--)
    {
      g_autofree char *prefix = prism_checkpoints_dup_prefix (self->states, (guint) i);
      PrismRun *run;

      if (other != NULL
          && prism_checkpoints_get_step (self->states, (guint) i) <= other->snapshot->step)
        return NULL;
      run = load_state (self, prefix, NULL);
      if (run == NULL)
        continue;
      run->snapshot->state = PRISM_STATE_PAUSED;
      return run;
    }
  return NULL;
}

/* The newest state up to a step. */
static PrismRun *
load_newest (Source *self,
             guint64 step,
             GError **error)
{
  g_autoptr (GError) damage = NULL;
  guint64 first = G_MAXUINT64;
  g_autoptr (PrismRun) last = load_last_states (self, step, &first, &damage);
  g_autoptr (PrismRun) kept = load_kept_state (self, step, last);
  PrismRun *run = kept != NULL ? g_steal_pointer (&kept) : g_steal_pointer (&last);

  if (run == NULL)
    {
      if (first < G_MAXUINT64)
        prism_error_format (error,
                            _ ("“%s” has no state to go on from before step %" PRIu64
                               ": choose a later"
                               " moment."),
                            self->name, first);
      else if (damage != NULL)
        g_propagate_prefixed_error (error, g_error_copy (damage),
                                    _ ("“%s” has no state that is whole: "), self->name);
      else
        prism_run_index_refuse (PRISM_RUN_SNAPSHOTS, _ ("it is empty"), error);
    }
  else if (damage != NULL)
    {
      /* A state before the newest: the run is in the middle again, whatever it was when it was
       * saved. */
      g_free (run->notice);
      run->notice
          = g_strdup_printf (_ ("The newest state of “%s” is damaged (%s): the one before it, of "
                                "step %" PRIu64 ", is used."),
                             self->name, damage->message, run->snapshot->step);
      run->snapshot->state = PRISM_STATE_PAUSED;
    }
  return run;
}

/**
 * prism_run_free:
 * @self: (nullable): a run from a file
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismRun,
                    prism_run_free,
                    prism_run_identity_free,
                    identity,
                    prism_snapshot_unref,
                    snapshot,
                    prism_bundle_free,
                    state,
                    g_free,
                    state_name,
                    g_free,
                    saved,
                    g_free,
                    notice)

/**
 * prism_run_file_load:
 * @path: file name
 *
 * Reads a run with its newest state. Where that is damaged, an earlier one takes its place, and the
 * notice says so; moments that are damaged are left out.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, naming the part that is damaged, or the newer version
 * that wrote it, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the run
 */
PrismRun *
prism_run_file_load (const char *path,
                     GError **error)
{
  return prism_run_file_load_until (path, G_MAXUINT64, error);
}

/**
 * prism_run_file_load_until:
 * @path: file name
 * @step: the newest that is wanted
 *
 * Reads a run with the newest of the states in its file that is not after a step, and that can go
 * on: to fork from there.
 *
 * Errors: as prism_run_file_load(); PRISM_ERROR_FORMAT, too, where the file has no such state.
 *
 * Returns: (transfer full) (nullable): the run
 */
PrismRun *
prism_run_file_load_until (const char *path,
                           guint64 step,
                           GError **error)
{
  g_autoptr (PrismArchive) archive = NULL;
  g_autoptr (PrismCheckpoints) states = NULL;
  g_autoptr (PrismRunIndex) index = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_auto (Source) source = { .name = path };
  PrismRunMark mark;
  PrismRun *run;

  /* Before it is opened: a file that is replaced in between counts as one that was. */
  prism_run_mark_init (&mark, path);
  archive = prism_archive_open (path, error);
  if (archive == NULL)
    return NULL;
  index = prism_run_index_load (archive, error);
  if (index == NULL)
    return NULL;
  if (!prism_archive_check (archive, PRISM_RUN_METRICS, error))
    return NULL;
  source.positions = prism_archive_load_text (archive, PRISM_RUN_POSITIONS, error);
  if (source.positions == NULL)
    return NULL;
  if (prism_archive_has (archive, PRISM_RUN_PROBLEM))
    {
      source.problem = prism_archive_load_text (archive, PRISM_RUN_PROBLEM, error);
      if (source.problem == NULL)
        return NULL;
      node = prism_json_parse_object (source.problem, strlen (source.problem));
      source.frames = g_strdup (prism_json_get_text (prism_json_to_object (node), "path"));
    }
  source.archive = archive;
  source.index = index;
  source.states = states = prism_checkpoints_take_members (g_steal_pointer (&archive));
  run = load_newest (&source, step, error);
  if (run == NULL)
    return NULL;
  run->mark = mark;
  run->snapshot->states = prism_checkpoints_dup_until (states, run->snapshot->step);
  return run;
}

/**
 * prism_run_file_load_snapshot:
 * @path: file name
 *
 * Reads what a run looked like when it was saved: for windows, comparisons and reports.
 *
 * Errors: as prism_run_file_load().
 *
 * Returns: (transfer full) (nullable): the snapshot
 */
PrismSnapshot *
prism_run_file_load_snapshot (const char *path,
                              GError **error)
{
  g_autoptr (PrismRun) run = prism_run_file_load (path, error);

  return run != NULL ? prism_snapshot_ref (run->snapshot) : NULL;
}
