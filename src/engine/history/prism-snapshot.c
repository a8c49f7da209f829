#include "config.h"

#include "history/prism-snapshot.h"

#include "base/prism-error.h"

#include "base/prism-each.h"
#include "base/prism-number.h"

/**
 * prism_snapshot_new:
 *
 * Makes an empty snapshot for the engine to fill in before it is published: idle, without images,
 * what has to be computed first is NAN. From then on nobody changes it.
 *
 * Thread: engine.
 *
 * Returns: (transfer full): the snapshot
 */
PrismSnapshot *
prism_snapshot_new (void)
{
  PrismSnapshot *self = g_new0 (PrismSnapshot, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->state = PRISM_STATE_IDLE;
  self->phase = PRISM_PHASE_PREPARE;
  self->fallback = -1;
  self->loss_new = NAN;
  self->loss_old = NAN;
  self->learning_rate = NAN;
  self->steps_per_second = NAN;
  self->misfit = NAN;
  self->cache.hit_rate = NAN;
  self->cache.pass_rate = NAN;
  prism_metrics_init (&self->metrics);
  self->seconds_left = NAN;
  self->counters.loss_scale = 1.0;
  return self;
}

/* 0: unknown. */
static double
get_known (double value)
{
  return isfinite (value) ? value : 0;
}

/**
 * prism_snapshot_set_finding:
 * @self: one that nobody else has yet
 * @finding: (nullable): what is known of recorded frames; a reference is kept
 *
 * Gives the finding, and the numbers of it that are kept where it is not.
 */
void
prism_snapshot_set_finding (PrismSnapshot *self,
                            PrismFinding *finding)
{
  if (finding == NULL)
    return;
  self->finding = prism_finding_ref (finding);
  self->n_done = finding->held_out.n_done;
  self->pixel_size = get_known (finding->pixel_size * finding->reduction);
  self->limit = get_known (prism_finding_get_limit (finding));
  self->automatic_tile = MAX (finding->automatic_tile, 0);
}

PRISM_CLEAR (PrismSnapshot,
             drop_images,
             prism_image_unref,
             target,
             prism_image_unref,
             reconstruction,
             prism_image_unref,
             second,
             prism_image_unref,
             measurement,
             prism_image_unref,
             coverage_plane,
             prism_image_unref,
             spectrum,
             prism_image_unref,
             exposure,
             prism_image_unref,
             phase_image,
             prism_finding_unref,
             finding)

/* After the structure was copied as it is: each pointer gets a reference or a copy of its own. */
static void
take_references (PrismSnapshot *self)
{
  PrismImage *images[] = { self->target, self->reconstruction, self->second, self->measurement,
                           self->coverage_plane, self->spectrum, self->exposure,
                           self->phase_image };
  char **texts[] = { &self->message, &self->run_file, &self->problem, &self->display,
                     &self->exported, &self->device, &self->device_reason,
                     &self->precision_advice };

  PRISM_FOR_EACH_OF (image, images)
    prism_image_ref (*image);
  PRISM_FOR_EACH_OF (text, texts)
    **text = g_strdup (**text);
  if (self->finding != NULL)
    prism_finding_ref (self->finding);
  self->sample_states = g_memdup2 (self->sample_states, self->n_samples);
  if (self->config != NULL)
    self->config = prism_config_dup (self->config);
  prism_pattern_ref (self->pattern);
  prism_history_ref (self->history);
}

/**
 * prism_snapshot_dup_parts:
 * @parts: what is wanted beside its numbers
 *
 * Makes a snapshot to keep for long: without the pictures of the past and the kept decoder, and
 * without whatever else is not wanted. What both have they share.
 *
 * Returns: (transfer full): another snapshot
 */
PrismSnapshot *
prism_snapshot_dup_parts (const PrismSnapshot *self,
                          PrismSnapshotParts parts)
{
  PrismSnapshot *copy = g_new (PrismSnapshot, 1);

  *copy = *self;
  g_atomic_ref_count_init (&copy->ref_count);
  copy->fold = NULL;
  copy->frames = NULL;
  copy->states = NULL;
  take_references (copy);
  if ((parts & PRISM_SNAPSHOT_HISTORY) == 0)
    {
      g_clear_pointer (&copy->history, prism_history_unref);
      copy->n_rows = 0;
    }
  if ((parts & PRISM_SNAPSHOT_IMAGES) == 0)
    drop_images (copy);
  return copy;
}

PRISM_CLEAR (PrismSnapshot,
             clear_rest,
             g_free,
             sample_states,
             g_free,
             message,
             g_free,
             run_file,
             g_free,
             problem,
             g_free,
             display,
             g_free,
             exported,
             g_free,
             device,
             g_free,
             device_reason,
             g_free,
             precision_advice,
             prism_config_free,
             config,
             prism_pattern_unref,
             pattern,
             prism_history_unref,
             history,
             prism_fold_unref,
             fold,
             prism_frames_unref,
             frames,
             prism_checkpoints_unref,
             states)

static void
snapshot_clear (PrismSnapshot *self)
{
  drop_images (self);
  clear_rest (self);
}

PRISM_DEFINE_REFERENCES (PrismSnapshot, prism_snapshot, snapshot_clear)

/**
 * prism_snapshot_is_recorded:
 *
 * Returns: whether its frames are a camera's, on grids of their own: object, pupil and lights are
 *   found, and what its configuration says of positions is not theirs
 */
gboolean
prism_snapshot_is_recorded (const PrismSnapshot *self)
{
  return self->config != NULL && self->config->kind == PRISM_FRAMES_RECORDED;
}

/**
 * prism_snapshot_searches_pupil:
 *
 * Returns: whether passes over recorded frames begin with a search for the pupil
 */
gboolean
prism_snapshot_searches_pupil (const PrismSnapshot *self)
{
  return prism_snapshot_is_recorded (self) && self->config->pupil == PRISM_PUPIL_SEARCH;
}

/**
 * prism_snapshot_is_vain:
 *
 * Returns: whether the run was stopped before there was anything, as its message says
 */
gboolean
prism_snapshot_is_vain (const PrismSnapshot *self)
{
  return self->state == PRISM_STATE_STOPPED && self->error == PRISM_ERROR_CANCELLED;
}

/* Of those over the tiles of a field, the ones over the middle tile, which comes first. */
static guint
count_first (const PrismSnapshot *self)
{
  return self->n_passes
         - MIN ((self->n_tiles - 1) * (guint) self->config->passes, self->n_passes);
}

/**
 * prism_snapshot_is_in_tiles:
 *
 * Returns: whether the field of recorded frames is
 */
gboolean
prism_snapshot_is_in_tiles (const PrismSnapshot *self)
{
  return self->n_tiles > 0 || (self->finding != NULL && self->finding->tiles != NULL);
}

/**
 * prism_snapshot_get_tile:
 * @pass: from 1
 *
 * Passes go over the tiles of a field one after the other: as many as are set over each, and more
 * over the first, where lights are far from their places.
 *
 * Returns: the tile that the pass is over, from 1; 0 where the field is not in tiles
 */
guint
prism_snapshot_get_tile (const PrismSnapshot *self,
                         guint pass)
{
  guint n_first;

  if (self->n_tiles == 0)
    return 0;
  n_first = count_first (self);
  return pass <= n_first ? 1
                         : MIN (2 + (pass - n_first - 1) / (guint) self->config->passes,
                                self->n_tiles);
}

/**
 * prism_snapshot_is_least:
 *
 * Returns: whether at least seconds_left are left: of a field in tiles nobody knows before two of
 *   them have begun after the middle one what tiles take beside their passes
 */
gboolean
prism_snapshot_is_least (const PrismSnapshot *self)
{
  return self->n_tiles > 0 && prism_snapshot_get_tile (self, self->pass) < 3;
}

/**
 * prism_snapshot_get_stopped:
 *
 * Returns: how many tiles of its field a run had when it was stopped; 0 where it was not, or is not
 *   in tiles
 */
guint
prism_snapshot_get_stopped (const PrismSnapshot *self)
{
  return self->phase == PRISM_PHASE_DONE && self->n_done < self->n_tiles ? self->n_done : 0;
}

/**
 * prism_snapshot_count_passes:
 *
 * Returns: how many passes over the frames are done: of a field in tiles those over the middle
 *   one, as its summary has them
 */
guint64
prism_snapshot_count_passes (const PrismSnapshot *self)
{
  return self->n_tiles > 0 ? MIN (self->step, count_first (self)) : self->step;
}

/**
 * prism_snapshot_is_untrained:
 *
 * Returns: whether a decoder could have been trained and was not, at least so far: what says how
 *   has had no effect
 */
gboolean
prism_snapshot_is_untrained (const PrismSnapshot *self)
{
  return self->training == PRISM_TRAINING_WAITS || self->training == PRISM_TRAINING_SPARED
         || (self->training == PRISM_TRAINING_RESCUED && isnan (self->steps_per_second));
}

/**
 * prism_snapshot_dup_object_notice:
 *
 * Returns: (transfer full) (nullable): what the object does not show of the file that it was read
 * from, in sentences
 */
char *
prism_snapshot_dup_object_notice (const PrismSnapshot *self)
{
  return self->target != NULL ? prism_image_origin_dup_notice (&self->target->origin) : NULL;
}

/* What “one of many pictures” means. */
static char *
dup_others (const PrismSnapshot *self)
{
  g_autofree char *rest = prism_number_dup (100 * (1 - self->coverage), 3);

  if (!prism_verdict_is_shared (&self->verdict, self->coverage))
    return NULL;
  return g_strdup_printf (_ ("Other pictures fit the measurements, too: %s %% of the plane was"
                             " not measured."),
                          rest);
}

/* Their held-out frames are no verdict on those that were never looked at. */
static char *
dup_stopped (const PrismSnapshot *self)
{
  const guint n = prism_snapshot_get_stopped (self);

  return n > 0 ? g_strdup_printf (_ ("The run was stopped after %u of %u tiles: the others are"
                                     " blank, and there is no verdict on the whole field."),
                                  n, self->n_tiles)
               : NULL;
}

/**
 * prism_snapshot_dup_remarks:
 * @only_warnings: whether verdict and settling are left out
 *
 * The only list of what a user has to know beside the numbers: window, command line, reports and
 * Python show it as it is.
 *
 * Returns: (transfer full): the verdict, whether passes have settled, and all warnings, as far as
 *   they are there: a sentence a line, translated
 */
char *
prism_snapshot_dup_remarks (const PrismSnapshot *self,
                            gboolean only_warnings)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *verdict = prism_verdict_dup_text (&self->verdict);
  char *const own[] = {
    only_warnings || verdict == NULL
        ? NULL
        : prism_verdict_dup_signed (&self->verdict, self->coverage, verdict),
    only_warnings ? NULL : dup_others (self),
    only_warnings ? NULL : dup_stopped (self),
    only_warnings ? NULL : prism_settling_dup_text (&self->settling),
    prism_snapshot_dup_object_notice (self),
    g_strdup (self->precision_advice),
    g_strdup (self->message),
  };

  PRISM_FOR_EACH_OF (one, own)
    if (*one != NULL)
      g_ptr_array_add (lines, *one);
  if (self->finding != NULL)
    prism_finding_tell (self->finding, lines);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **) lines->pdata);
}

/**
 * prism_snapshot_get_maker:
 * @self: a snapshot
 *
 * Thread: any.
 *
 * Returns: (transfer none) (nullable): what makes the picture, a few words, translated
 */
const char *
prism_snapshot_get_maker (const PrismSnapshot *self)
{
  if (self->config == NULL)
    return NULL;
  if (self->config->method == PRISM_METHOD_COMPLEX)
    return _ ("trained decoder, a neural network, with pupil and LEDs");
  if (prism_snapshot_is_recorded (self) || self->problem != NULL || self->finding != NULL)
    return _ ("computed from the frames alone, with pupil and LEDs");
  if (self->config->method == PRISM_METHOD_EPIE)
    return _ ("ePIE");
  if (self->config->method == PRISM_METHOD_MOPIE)
    return _ ("Mo-PIE");
  if (self->config->method == PRISM_METHOD_SEQUENTIAL)
    return _ ("computed frame after frame, no neural network");
  if (self->config->method == PRISM_METHOD_DESCENT)
    return _ ("computed from all frames together, no neural network");
  if (self->training == PRISM_TRAINING_RESCUED)
    return _ ("computed from the exit waves of the frames, no neural network");
  if (prism_snapshot_is_untrained (self))
    return _ ("computed from the measurements alone, no neural network");
  if (self->training == PRISM_TRAINING_NEEDED && self->phase < PRISM_PHASE_POLISH)
    return _ ("computed from the measurements alone, while a decoder is trained");
  if (self->config->polish > 0)
    return _ ("trained decoder, a neural network, then passes over all measurements");
  return self->config->consistency > 0 ? _ ("passes beside a trained decoder, a neural network")
                                       : _ ("trained decoder, a neural network");
}

/**
 * prism_snapshot_dup_verdict:
 * @self: a snapshot
 *
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): what is known of the result in a few words, translated; NULL
 * where nothing is yet
 */
char *
prism_snapshot_dup_verdict (const PrismSnapshot *self)
{
  g_autofree char *shared = NULL, *rest = NULL;

  if (prism_snapshot_get_stopped (self) > 0)
    /* TRANSLATORS: where a run was stopped */
    return g_strdup_printf (_ ("%u of %u tiles"), prism_snapshot_get_stopped (self),
                            self->n_tiles);
  if (self->verdict.kind == PRISM_VERDICT_OPEN)
    return NULL;
  if (!prism_verdict_is_shared (&self->verdict, self->coverage))
    return prism_verdict_dup_label (&self->verdict, self->coverage);
  rest = prism_number_dup (100 * (1 - self->coverage), 3);
  shared = g_strdup_printf (
      _ ("fits, and so do other pictures: %s %% of the plane was not measured"), rest);
  return prism_verdict_dup_signed (&self->verdict, self->coverage, shared);
}

/**
 * prism_snapshot_get_target_gap:
 * @self: a snapshot
 *
 * Says why nothing will be known that compares the picture with the object; where it is only not
 * known yet, nothing is said.
 *
 * Thread: any.
 *
 * Returns: (transfer none) (nullable): a sentence, translated
 */
const char *
prism_snapshot_get_target_gap (const PrismSnapshot *self)
{
  return self->has_no_target ? _ ("No target: nobody knows the object of these frames, so that no "
                                  "error, PSNR or other comparison with it is known.")
                             : NULL;
}
