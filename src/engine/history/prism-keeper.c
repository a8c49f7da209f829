#include "config.h"

#include "history/prism-keeper.h"

#include "base/prism-each.h"
#include "num/prism-tuning.h"

/* Steps between two moments in the beginning; the metrics are computed as often. */
#define FIRST_SPACING 10
/* Times as far apart on a device that has to halt for it. */
#define MOST_CHUNK 8
/* More than anybody can tell apart on a slider. */
#define MAX_MOMENTS 2048
/* First, newest, best, and one to come. */
#define MIN_MOMENTS 4
/* Times as many as fit are made at most, of either kind, if the run is as long as it may be. */
#define MOST_MADE 4
/* Of the polish: of the live picture, of the attempts behind it, the decoder's, the result's. */
#define OTHER_POLISH_IMAGES 4
/* dB by which a moment must be better to be kept for that alone. */
#define BEST_MARGIN 0.02

struct _PrismKeeper
{
  guint capacity;    /* moments; 0 keeps none */
  guint most_images; /* different ones of them, which is what is told before the run */
  guint64 spacing;
  guint64 end_spacing;
  GPtrArray *moments; /* of PrismMoment, ascending in step */
  PrismMoment *best;  /* (nullable) (unowned) */
  PrismMomentSettings *settings;
  PrismFrames *frames; /* (nullable): what was handed out, until there is another moment */
};

/* A picture; of recorded frames the object, too, which has two numbers a pixel. */
static guint64
count_bytes (const PrismConfig *config,
             gboolean has_object)
{
  return (guint64) config->object_size * config->object_size * sizeof (float)
         * (has_object ? 3 : 1);
}

/**
 * prism_keeper_keeps_objects:
 * @config: a run
 *
 * Returns: whether its moments have what was known of recorded frames, for which there is room
 */
gboolean
prism_keeper_keeps_objects (const PrismConfig *config)
{
  return config->kind == PRISM_FRAMES_RECORDED
         && MIN_MOMENTS * count_bytes (config, TRUE) <= (guint64) config->history_size << 20;
}

/**
 * prism_keeper_get_capacity:
 * @config: a run
 *
 * Returns: how many moments fit into history_size; 0 where that is less than four
 */
guint
prism_keeper_get_capacity (const PrismConfig *config)
{
  guint64 n = ((guint64) config->history_size << 20)
              / count_bytes (config, prism_keeper_keeps_objects (config));

  return n < MIN_MOMENTS ? 0 : (guint) MIN (n, MAX_MOMENTS);
}

/* Moments that show the same picture share it: those between two rounds of the live picture, of
 * which there is one after the first sample, and those of an attempt of the polish that goes on
 * behind the best one. A search of the polish may have more pictures than it has passes: it drops
 * some. */
static guint
count_most_images (const PrismConfig *config,
                   guint n_samples)
{
  const guint64 n_visits = (guint64) n_samples * config->passes;
  const guint most = prism_tuning_get_count (PRISM_TUNING_LIVE_ROUNDS);
  const guint64 stride = MAX (((guint64) n_samples + most - 1) / most, 1);
  guint64 n_images = config->passes;

  if (prism_config_trains (config))
    {
      n_images = config->polish + OTHER_POLISH_IMAGES;
      if (config->consistency == 0)
        n_images += (n_visits * config->steps + config->start_steps) / FIRST_SPACING + n_visits;
      else
        n_images += (config->steps + config->start_steps) / FIRST_SPACING
                    + MIN (n_visits, config->passes * (n_samples / stride + 2));
    }
  return (guint) MIN (n_images, prism_keeper_get_capacity (config));
}

/**
 * prism_keeper_get_required_bytes:
 * @config: a run
 * @n_samples: points of its pattern
 *
 * Units: bytes.
 *
 * Returns: how much the moments of a run will take at most
 */
guint64
prism_keeper_get_required_bytes (const PrismConfig *config,
                                 guint n_samples)
{
  return count_bytes (config, prism_keeper_keeps_objects (config))
         * count_most_images (config, n_samples);
}

/* Moments that would be dropped anyway are not made: each costs a graphics processor a halt. A run
 * that ends early still has its share. */
static void
choose_spacing (PrismKeeper *self,
                const PrismConfig *config,
                guint chunk_size)
{
  guint64 n_visits = (guint64) config->samples * config->passes;
  guint64 n_steps = n_visits * config->steps + config->start_steps;

  self->spacing = FIRST_SPACING * MIN (chunk_size, MOST_CHUNK);
  self->end_spacing = 1;
  if (self->capacity == 0)
    return;
  while (2 * self->spacing * self->capacity * MOST_MADE <= n_steps)
    self->spacing *= 2;
  while (2 * self->end_spacing * self->capacity * MOST_MADE <= n_visits)
    self->end_spacing *= 2;
}

/**
 * prism_keeper_new:
 * @config: the run
 * @chunk_size: steps that the device does at once, 1 where a look at it costs nothing
 *
 * Returns: (transfer full): a keeper without moments
 */
PrismKeeper *
prism_keeper_new (const PrismConfig *config,
                  guint chunk_size)
{
  PrismKeeper *self = g_new0 (PrismKeeper, 1);

  self->capacity = prism_keeper_get_capacity (config);
  self->most_images = count_most_images (config, (guint) config->samples);
  choose_spacing (self, config, chunk_size);
  self->moments = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_moment_unref);
  self->settings = prism_moment_settings_new (config, 0);
  return self;
}

/**
 * prism_keeper_free:
 * @self: (nullable): a keeper
 *
 * Frees it; lists that were handed out stay.
 */
PRISM_FREE_FOR_ALL (PrismKeeper,
                    prism_keeper_free,
                    g_ptr_array_unref,
                    moments,
                    prism_frames_unref,
                    frames,
                    prism_moment_settings_unref,
                    settings)

static PrismMoment *
get_moment (PrismKeeper *self,
            guint i)
{
  return g_ptr_array_index (self->moments, i);
}

static PrismMoment *
get_last (PrismKeeper *self)
{
  return self->moments->len > 0 ? get_moment (self, self->moments->len - 1) : NULL;
}

static gboolean
is_better (const PrismMoment *moment,
           const PrismMoment *other)
{
  return !isnan (moment->metrics.psnr)
         && (other == NULL || moment->metrics.psnr > other->metrics.psnr);
}

/* Whether the spacings let a moment stay; *tick is that of the last one within a sample that they
 * did. */
static gboolean
is_spared (PrismKeeper *self,
           const PrismMoment *moment,
           guint64 *tick)
{
  if (moment->kind == PRISM_MOMENT_END)
    return moment->n_visits % self->end_spacing == 0;
  if (moment->kind == PRISM_MOMENT_STEP && moment->step / self->spacing != *tick)
    {
      *tick = moment->step / self->spacing;
      return TRUE;
    }
  return FALSE;
}

static void
find_best (PrismKeeper *self)
{
  self->best = NULL;
  for (guint i = 0; i < self->moments->len; i++)
    if (is_better (get_moment (self, i), self->best))
      self->best = get_moment (self, i);
}

static void
drop (PrismKeeper *self)
{
  guint n_kept = 0, n = self->moments->len;
  guint64 tick = G_MAXUINT64;

  for (guint i = 0; i < n; i++)
    {
      PrismMoment *moment = get_moment (self, i);
      gboolean spared = is_spared (self, moment, &tick);

      if (spared || i == 0 || i == n - 1 || moment == self->best)
        self->moments->pdata[n_kept++] = moment;
      else
        prism_moment_unref (moment);
    }
  /* The array must not free what has moved. */
  self->moments->len = n_kept;
}

static guint
count (PrismKeeper *self,
       PrismMomentKind kind)
{
  guint n = 0;

  for (guint i = 0; i < self->moments->len; i++)
    n += get_moment (self, i)->kind == kind;
  return n;
}

static guint
count_images (PrismKeeper *self)
{
  guint n = 0;

  for (guint i = 0; i < self->moments->len; i++)
    n += i == 0 || get_moment (self, i)->image != get_moment (self, i - 1)->image;
  return n;
}

/* Whether more is kept than so many quarters of what there is room for. */
static gboolean
exceeds (PrismKeeper *self,
         guint quarters)
{
  return self->moments->len > MAX (quarters * self->capacity / 4, MIN_MOMENTS - 1)
         || count_images (self) > MAX (quarters * self->most_images / 4, MIN_MOMENTS - 1);
}

/* Ends of samples weigh twice as much as what lies between them. */
static void
thin (PrismKeeper *self)
{
  PrismMoment *last = get_last (self);

  while (exceeds (self, 3)
         && (self->spacing <= last->step || self->end_spacing <= last->n_visits))
    {
      if (self->spacing <= last->step
          && (count (self, PRISM_MOMENT_STEP) > count (self, PRISM_MOMENT_END) / 2
              || self->end_spacing > last->n_visits))
        self->spacing *= 2;
      else
        self->end_spacing *= 2;
      drop (self);
    }
}

/**
 * prism_keeper_load:
 * @self: a keeper without moments
 * @frames: of the run that goes on
 *
 * Takes over what was kept before.
 */
void
prism_keeper_load (PrismKeeper *self,
                   PrismFrames *frames)
{
  g_return_if_fail (self->moments->len == 0);

  for (guint i = 0; self->capacity > 0 && i < frames->n_moments; i++)
    g_ptr_array_add (self->moments, prism_moment_ref (frames->moments[i]));
  if (self->moments->len == 0)
    return;
  find_best (self);
  self->spacing = MAX (frames->spacing, 1);
  self->end_spacing = MAX (frames->end_spacing, 1);
  prism_keeper_set_config (self, self->settings->config);
}

/**
 * prism_keeper_set_config:
 * @config: what applies from the next moment on
 *
 * Begins another version of the settings where they differ from those of the moment before. Of what
 * they have no room for some is dropped at once, as in a run that is taken up here.
 */
void
prism_keeper_set_config (PrismKeeper *self,
                         const PrismConfig *config)
{
  PrismMoment *last = get_last (self);
  g_autoptr (PrismMomentSettings) before
      = prism_moment_settings_ref (last != NULL ? last->settings : self->settings);
  /* The configuration may be that of the settings which go. */
  PrismMomentSettings *gone = self->settings;

  self->most_images = count_most_images (config, (guint) config->samples);
  if (prism_config_equal (before->config, config))
    self->settings = g_steal_pointer (&before);
  else
    self->settings = prism_moment_settings_new (config, last != NULL ? before->version + 1 : 0);
  prism_moment_settings_unref (gone);
  if (last != NULL && exceeds (self, 4))
    thin (self);
}

/**
 * prism_keeper_wants:
 * @step: where the run is
 * @n_visits: samples and passes that it has completed, 0 where it is within one
 * @psnr: dB of the picture where it is known, or NAN
 * @kind: (out): why it is wanted
 *
 * Thread: engine. Cheap: called after each chunk of steps.
 *
 * Returns: whether this moment should be kept
 */
gboolean
prism_keeper_wants (PrismKeeper *self,
                    guint64 step,
                    guint64 n_visits,
                    double psnr,
                    PrismMomentKind *kind)
{
  const PrismMoment *last = get_last (self);

  if (self->capacity == 0 || (last != NULL && last->step >= step))
    return FALSE;
  *kind = PRISM_MOMENT_END;
  if (n_visits > 0 && n_visits % self->end_spacing == 0)
    return TRUE;
  *kind = PRISM_MOMENT_STEP;
  if (last == NULL || step / self->spacing != last->step / self->spacing)
    return TRUE;
  *kind = PRISM_MOMENT_BEST;
  return self->best != NULL && psnr > self->best->metrics.psnr + BEST_MARGIN;
}

/**
 * prism_keeper_new_moment:
 * @kind: why it is kept
 * @image: the picture
 *
 * Makes a moment with the settings that apply, for the trainer to fill in. A picture that is the
 * same as the one before is shared with it.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer full): the moment, for prism_keeper_keep()
 */
PrismMoment *
prism_keeper_new_moment (PrismKeeper *self,
                         PrismMomentKind kind,
                         PrismImage *image)
{
  const PrismMoment *last = get_last (self);
  gboolean is_shared = last != NULL && prism_image_equal (last->image, image);
  PrismMoment *moment = prism_moment_new (is_shared ? last->image : image, self->settings);

  moment->kind = kind;
  return moment;
}

/**
 * prism_keeper_keep:
 * @moment: (transfer full): of the newest step, which nobody changes any more
 *
 * Adds a moment. One of the same step gives way: the result of a run takes the place of its last
 * step. When the budget is used up, every second moment is dropped and the distance doubles, of the
 * ends of samples later than of what lies between; the first, the newest and the best stay.
 */
void
prism_keeper_keep (PrismKeeper *self,
                   PrismMoment *moment)
{
  PrismMoment *last = get_last (self);

  if (self->capacity == 0 || (last != NULL && last->step > moment->step))
    {
      prism_moment_unref (moment);
      return;
    }
  if (last != NULL && last->step == moment->step)
    {
      g_ptr_array_remove_index (self->moments, self->moments->len - 1);
      find_best (self);
    }
  /* A picture that was kept for its quality alone gives way to the better one. */
  if (is_better (moment, self->best))
    {
      if (self->best != NULL && self->best->kind == PRISM_MOMENT_BEST
          && self->best != get_moment (self, 0))
        g_ptr_array_remove (self->moments, self->best);
      self->best = moment;
    }
  g_ptr_array_add (self->moments, moment);
  g_clear_pointer (&self->frames, prism_frames_unref);
  if (exceeds (self, 4))
    thin (self);
}

/**
 * prism_keeper_dup_frames:
 *
 * Hands out what is kept now. The list does not change; there is another one when there is another
 * moment.
 *
 * Returns: (transfer full): the list
 */
PrismFrames *
prism_keeper_dup_frames (PrismKeeper *self)
{
  if (self->frames == NULL)
    {
      self->frames = prism_frames_new ((PrismMoment *const *) self->moments->pdata,
                                       self->moments->len);
      self->frames->spacing = self->spacing;
      self->frames->end_spacing = self->end_spacing;
    }
  return prism_frames_ref (self->frames);
}
