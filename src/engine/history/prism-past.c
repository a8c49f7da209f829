#include "config.h"

#include "history/prism-past.h"

#include "base/prism-each.h"
#include "history/prism-convergence.h"
#include "model/prism-line.h"
#include "model/prism-noise.h"
#include "num/prism-fft.h"

/* Dimensions of this file: n = image_size. */

/* first says from which sample on a place has been seen: then any moment is one comparison per
 * place, in whatever order moments are looked at. */
struct _PrismPast
{
  PrismPattern *pattern; /* (nullable): what first was made from */
  PrismAperture aperture;
  PrismLine line;
  int n;
  guint32 *first;    /* (nullable) [n][n]: number of a sample, G_MAXUINT32 for never */
  guint8 *plane;     /* [n][n] 0/1 of n_visited */
  PrismImage *image; /* (nullable) [n][n] of n_visited */
  guint n_visited;
  double coverage; /* of the region of interest */
};

/**
 * prism_past_new:
 *
 * Returns: (transfer full): what remembers the coverage from one moment to the next
 */
PrismPast *
prism_past_new (void)
{
  return g_new0 (PrismPast, 1);
}

/**
 * prism_past_free:
 * @self: (nullable): a past
 */
PRISM_FREE_FOR_ALL (PrismPast,
                    prism_past_free,
                    prism_pattern_unref,
                    pattern,
                    prism_image_unref,
                    image,
                    g_free,
                    first,
                    g_free,
                    plane)

static gboolean
aperture_equal (const PrismAperture *a,
                const PrismAperture *b)
{
  return a->shape == b->shape && a->radius == b->radius && a->obscuration == b->obscuration
         && a->vanes == b->vanes && a->vane_width == b->vane_width;
}

/* Later samples first, so that the earliest remains. */
static void
fill_first (PrismPast *self)
{
  gsize n_places = (gsize) self->n * self->n;

  memset (self->first, 0xff, n_places * sizeof *self->first);
  for (guint i = self->pattern->n_points; i-- > 0;)
    {
      g_autoptr (PrismMask) mask = prism_line_get_mask (&self->line, &self->aperture, self->n,
                                                        &self->pattern->points[i]);
      int half = self->n / 2;

      for (int y = 0; y < mask->height; y++)
        {
          const guint8 *bits = mask->bits + (gsize) y * mask->width;
          guint32 *row = self->first + (gsize) (mask->y0 + y + half) * self->n + mask->x0 + half;

          for (int x = 0; x < mask->width; x++)
            if (bits[x] != 0)
              row[x] = i;
        }
    }
}

/* Makes the planes anew where they belong to another scene. */
static gboolean
prepare_planes (PrismPast *self,
                PrismPattern *pattern,
                const PrismConfig *config)
{
  gsize n_places = (gsize) config->image_size * config->image_size;
  PrismAperture aperture;
  PrismLine line;

  prism_aperture_init_config (&aperture, config);
  prism_line_init_config (&line, config);
  if (self->first != NULL && pattern == self->pattern && config->image_size == self->n
      && aperture_equal (&aperture, &self->aperture)
      && (line.n_points == self->line.n_points && line.length == self->line.length))
    return TRUE;

  g_clear_pointer (&self->pattern, prism_pattern_unref);
  g_clear_pointer (&self->image, prism_image_unref);
  g_clear_pointer (&self->first, g_free);
  g_clear_pointer (&self->plane, g_free);
  self->first = g_try_malloc (n_places * sizeof *self->first);
  self->plane = g_try_malloc (n_places);
  if (self->first == NULL || self->plane == NULL)
    {
      g_clear_pointer (&self->first, g_free);
      return FALSE;
    }
  self->pattern = prism_pattern_ref (pattern);
  self->aperture = aperture;
  self->line = line;
  self->n = config->image_size;
  fill_first (self);
  return TRUE;
}

static void
cover (PrismPast *self,
       const PrismConfig *config,
       guint n_visited)
{
  int n = self->n;

  if (self->image != NULL && n_visited == self->n_visited)
    return;
  g_clear_pointer (&self->image, prism_image_unref);
  self->image = prism_image_new (n, n, NULL);
  for (gsize i = 0; i < (gsize) n * n; i++)
    self->plane[i] = self->first[i] < n_visited;
  for (gsize i = 0; self->image != NULL && i < (gsize) n * n; i++)
    self->image->pixels[i] = self->plane[i];
  self->n_visited = n_visited;
  self->coverage
      = prism_pattern_get_coverage (self->plane, n, config->roi > 0 ? config->roi : n);
}

static void
fill_losses (PrismSnapshot *snapshot)
{
  PrismHistoryRow row;

  if (snapshot->history == NULL || snapshot->n_rows == 0
      || snapshot->n_rows > prism_history_get_n_rows (snapshot->history))
    return;
  row = prism_history_get_row (snapshot->history, snapshot->n_rows - 1);
  snapshot->loss_new = row.loss_new;
  snapshot->loss_old = row.loss_old;
  snapshot->learning_rate = row.learning_rate;
  snapshot->steps_per_second = row.steps_per_second;
}

/* What had made the picture then: no decoder before the first step that trained it. */
static PrismTraining
get_training (const PrismSnapshot *snapshot,
              const PrismSnapshot *live)
{
  guint64 i = snapshot->n_rows;

  if (snapshot->history == NULL || i == 0 || i > prism_history_get_n_rows (snapshot->history)
      || live->n_rows == i)
    return live->training;
  while (i-- > 0)
    if (prism_history_get_row (snapshot->history, i).sample >= PRISM_ROW_START)
      return snapshot->config->method == PRISM_METHOD_AUTO ? PRISM_TRAINING_NEEDED
                                                           : PRISM_TRAINING_SET;
  return PRISM_TRAINING_WAITS;
}

/* What became of the samples that had been visited then, as it is known now. */
static void
fill_states (PrismSnapshot *snapshot,
             const PrismSnapshot *live)
{
  if (live->sample_states == NULL)
    return;
  snapshot->sample_states = g_new0 (guint8, live->n_samples);
  for (guint i = 0; i < MIN (snapshot->n_visited, live->n_samples); i++)
    {
      snapshot->sample_states[i] = live->sample_states[i];
      snapshot->n_failed += live->sample_states[i] == PRISM_SAMPLE_FAILED;
      snapshot->n_rescued += live->sample_states[i] == PRISM_SAMPLE_RESCUED;
    }
}

/**
 * prism_past_new_snapshot:
 * @live: the newest snapshot of the run
 * @moment: a moment of the same run
 *
 * Shows the run as it was: picture, numbers, coverage and rows are those of the moment, made for
 * it; the measurement is there where the run has not left its sample. The state is paused.
 *
 * Returns: (transfer full): the snapshot
 */
PrismSnapshot *
prism_past_new_snapshot (PrismPast *self,
                         PrismSnapshot *live,
                         const PrismMoment *moment)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  /* What is the same at every moment of a run. */
  snapshot->serial = live->serial;
  snapshot->run = live->run;
  snapshot->state = PRISM_STATE_PAUSED;
  snapshot->has_no_target = live->has_no_target;
  snapshot->n_samples = live->n_samples;
  /* Of tiles one needs it to know which of them was under way. */
  snapshot->n_passes
      = live->phase == PRISM_PHASE_DONE && live->n_tiles == 0 ? 0 : live->n_passes;
  snapshot->n_tiles = live->n_tiles;
  snapshot->n_steps = live->n_steps;
  snapshot->n_parameters = live->n_parameters;
  snapshot->backend = live->backend;
  snapshot->device = g_strdup (live->device);
  snapshot->device_reason = g_strdup (live->device_reason);
  snapshot->target = prism_image_ref (live->target);
  snapshot->spectrum = prism_image_ref (live->spectrum);
  snapshot->exposure = prism_image_ref (live->exposure);
  snapshot->pattern = prism_pattern_ref (live->pattern);
  snapshot->history = prism_history_ref (live->history);
  snapshot->frames = prism_frames_ref (live->frames);
  snapshot->phase = moment->phase;
  /* A moment between two samples has the number of the one to come. */
  snapshot->sample = moment->pass == 0 && moment->n_visited > 0
                         ? MIN (moment->sample, moment->n_visited - 1)
                         : moment->sample;
  snapshot->sample_step = moment->sample_step;
  snapshot->pass = moment->pass;
  snapshot->n_visited = moment->n_visited;
  snapshot->step = moment->step;
  snapshot->seconds = moment->seconds;
  snapshot->misfit = moment->misfit;
  snapshot->metrics = moment->metrics;
  snapshot->config = prism_config_dup (moment->settings->config);
  snapshot->display = g_strdup (live->display);
  snapshot->reconstruction = prism_image_ref (moment->image);
  snapshot->finding = moment->finding != NULL ? prism_finding_ref (moment->finding) : NULL;
  snapshot->n_rows = moment->n_rows;
  fill_states (snapshot, live);
  fill_losses (snapshot);
  snapshot->training = get_training (snapshot, live);
  if (snapshot->pattern != NULL && prepare_planes (self, snapshot->pattern, snapshot->config))
    {
      cover (self, snapshot->config, MIN (moment->n_visited, snapshot->pattern->n_points));
      snapshot->coverage_plane = prism_image_ref (self->image);
      snapshot->coverage = self->coverage;
    }
  if (live->measurement != NULL && live->sample == moment->sample && live->pass == moment->pass)
    snapshot->measurement = prism_image_ref (live->measurement);
  return snapshot;
}

/* |F⁻¹{P F{a}}|² with zero frequency and origin of the object at [0][0]. Returns: its sum */
static double
expose (const PrismImage *object,
        const PrismMask *mask,
        float *wave,
        float *intensity)
{
  const int n = mask->image_size, top = n - object->height / 2, left = n - object->width / 2;
  const float unit = 1.0f / ((float) n * n);
  double sum = 0.0;

  memset (wave, 0, 2 * (gsize) n * n * sizeof *wave);
  for (int y = 0; y < object->height; y++)
    for (int x = 0; x < object->width; x++)
      wave[2 * ((gsize) ((top + y) % n) * n + (left + x) % n)]
          = object->pixels[(gsize) y * object->width + x] * unit;
  prism_fft_complex_transform (wave, n, TRUE);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      {
        const int row = (y + n / 2) % n - n / 2 - mask->y0;
        const int column = (x + n / 2) % n - n / 2 - mask->x0;
        float *value = wave + 2 * ((gsize) y * n + x);

        if (row < 0 || row >= mask->height || column < 0 || column >= mask->width
            || mask->bits[(gsize) row * mask->width + column] == 0)
          value[0] = value[1] = 0.0f;
      }
  prism_fft_complex_transform (wave, n, FALSE);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      {
        const float *value = wave + 2 * ((gsize) ((y + n / 2) % n) * n + (x + n / 2) % n);
        const float power = value[0] * value[0] + value[1] * value[1];

        intensity[(gsize) y * n + x] = power;
        sum += power;
      }
  return sum;
}

/**
 * prism_past_new_exposure:
 * @snapshot: of prism_past_new_snapshot()
 *
 * Takes the measurement of its sample again, with the same noise: nothing of it was kept.
 *
 * Shape: [n][n] amplitude.
 * Source: numerics.md §§ 1, 4.
 *
 * Returns: (transfer full) (nullable): the measurement; %NULL without memory, of an aperture that
 *   moves while the camera looks, and where frames were recorded or nobody knows the object
 */
PrismImage *
prism_past_new_exposure (const PrismSnapshot *snapshot)
{
  const PrismConfig *config = snapshot->config;
  const int n = config->image_size;
  const gsize n_pixels = (gsize) n * n;
  PrismNoise noise = { .snr = config->photons > 0 ? 0 : config->snr, .read_snr = config->read_snr };
  g_autoptr (PrismImage) image = NULL;
  g_autoptr (PrismMask) mask = NULL;
  g_autofree float *wave = NULL;
  PrismAperture aperture;

  if (snapshot->target == NULL || snapshot->pattern == NULL
      || config->line_length > 0 || snapshot->sample >= snapshot->pattern->n_points)
    return NULL;
  image = prism_image_new (n, n, NULL);
  wave = g_try_new (float, 2 * n_pixels);
  if (image == NULL || wave == NULL)
    return NULL;
  prism_aperture_init_config (&aperture, config);
  if (config->photons > 0)
    {
      g_autoptr (PrismMask) middle = prism_aperture_get_mask (&aperture, n, 0, 0);

      noise.photon = expose (snapshot->target, middle, wave, image->pixels) / config->photons;
    }
  mask = prism_aperture_get_mask (&aperture, n, snapshot->pattern->points[snapshot->sample].y,
                                  snapshot->pattern->points[snapshot->sample].x);
  expose (snapshot->target, mask, wave, image->pixels);
  if (prism_noise_is_on (&noise))
    prism_noise_expose (&noise, image->pixels, n_pixels, (guint64) config->seed, FALSE,
                        snapshot->sample);
  for (gsize i = 0; i < n_pixels; i++)
    image->pixels[i] = sqrtf (MAX (image->pixels[i], 0.0f));
  return g_steal_pointer (&image);
}
