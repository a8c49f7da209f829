#include "config.h"

#include "solve/prism-phase-sync.h"

#include "base/prism-each.h"

/* What an alignment needs of memory, and how it is written down. Dimensions as in the header. */

#define FIELD(...) PRISM_RECORD_FIELD (PrismPhaseSync, __VA_ARGS__)
/* More than this the waves of all frames must not take. */
#define MOST_BYTES (G_GUINT64_CONSTANT (256) << 20)
/* Frames whose waves are searched at once: more than there are threads, since some take ten times
 * as long as others. Of large whole ones one for each thread. */
#define FRAMES_AT_ONCE 16
#define PIXELS_AT_ONCE (1u << 22)

#define PLANE(...) PRISM_METHOD_PLANE (PrismPhaseSync, __VA_ARGS__)

static const PrismRecordField fields[] = {
  FIELD (iteration, INTEGER),
  FIELD (relaxation, REAL, 0, 1),
  FIELD (doubt, REAL),
  FIELD (residual, REAL),
  FIELD (least, REAL),
  FIELD (momentum, REAL),
  { NULL },
};

/* The search; waves follow from the frames, and are found again. */
const PrismMethodState prism_phase_sync_state = {
  "align.json",
  fields,
  {
      PLANE ("align-field.npy", field, TRUE),
      PLANE ("align-image.npy", image),
      PLANE ("align-point.npy", point),
      PLANE ("align-across.npy", across),
      PLANE ("align-down.npy", down),
      PLANE ("align-best.npy", best),
      PLANE ("align-guess.npy", guess),
  },
};

static guint
choose_at_once (guint64 image_size,
                guint n_threads)
{
  return CLAMP (PIXELS_AT_ONCE / (image_size * image_size), MIN (n_threads, FRAMES_AT_ONCE),
                FRAMES_AT_ONCE);
}

/**
 * prism_phase_sync_get_bytes:
 * @config: of a run
 * @n_samples: N
 *
 * Thread: any.
 *
 * Returns: bytes that an alignment may take, 0 where there is none
 */
guint64
prism_phase_sync_get_bytes (const PrismConfig *config,
                            guint n_samples)
{
  const guint64 width = floor (2.0 * config->aperture_radius) + 1;
  const guint64 plane = config->image_size * config->image_size * sizeof (float);
  const guint64 boxes = n_samples * width * width * 2 * sizeof (float);
  const guint64 side
      = prism_measurements_choose_side (config->image_size, config->aperture_radius);
  const guint n_threads = prism_pool_count_threads (config->threads);
  const guint64 wholes = prism_measurements_config_has_noise (config)
                             ? (2 * n_threads
                                + choose_at_once (config->image_size, n_threads))
                                       * plane
                                   + n_samples * side * side * sizeof (float)
                             : 0;

  if (config->method != PRISM_METHOD_AUTO || boxes > MOST_BYTES || config->line_length > 0.0)
    return 0;
  return 2 * boxes + 5 * plane + wholes;
}

/**
 * prism_phase_sync_can:
 * @measurements: of the run
 *
 * Returns: whether the frames are such that their waves can be found: of apertures that stand
 * still, and not too many
 */
gboolean
prism_phase_sync_can (PrismMeasurements *measurements)
{
  guint64 bytes = 0;

  for (guint i = 0; i < measurements->n_measurements; i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (measurements, i);

      if (mask->n_parts > 0)
        return FALSE;
      bytes += prism_mask_count_box (mask) * 2 * sizeof (float);
    }
  return bytes <= MOST_BYTES;
}

/* Returns numbers of the largest box, and of all. */
static gsize
choose_sides (PrismPhaseSync *self,
              gsize *n_all)
{
  const guint step = prism_measurements_get_step (self->measurements);
  guint width = 1, points;
  gsize largest = 1;

  *n_all = 1;
  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (self->measurements, i);
      const gsize size = 2 * prism_mask_count_box (mask);

      width = MAX (width, MAX (mask->height, mask->width));
      largest = MAX (largest, size);
      *n_all += size;
    }
  points = step > 0 ? self->n / step : prism_measurements_choose_side (self->n, 0.5 * (width - 1));
  self->read_side = self->has_noise ? self->n : points;
  self->side = points;
  if (self->has_noise) /* frequencies below width */
    self->side = MIN (prism_fft_choose_side (2 * width - 1, 7), points);
  return largest;
}

static void
add (PrismPhaseSync *self,
     float **array,
     gsize n)
{
  prism_arena_add_array (self->arena, (gpointer *) array, n * sizeof **array);
}

static void
list_arrays (PrismPhaseSync *self,
             guint n_threads)
{
  gsize boxes, box = choose_sides (self, &boxes);
  const gsize few = self->side * self->side, points = self->read_side * self->read_side;
  const gsize plane = self->n * self->n, half = self->n * (self->n / 2 + 1);
  float **const images[] = { &self->guess, &self->image, &self->best, &self->point,
                             &self->slope, &self->across, &self->down };

  self->few_fft = prism_fft_square_new (self->side);
  self->points_fft = prism_fft_square_new (self->read_side);
  for (guint i = 0; i < n_threads; i++)
    {
      PrismPhaseSyncWork *work = &self->works[i];

      work->few = (PrismWavePoints) { self->few_fft, self->side };
      work->points = (PrismWavePoints) { self->points_fft, self->read_side };
      add (self, &work->few.state, 2 * few);
      add (self, &work->few.other, 2 * few);
      add (self, &work->points.other, 2 * points);
      add (self, &work->few.buffer, PRISM_WAVE_BUFFER * self->side);
      add (self, &work->points.buffer, PRISM_WAVE_BUFFER * self->read_side);
      add (self, &work->box, box);
    }
  add (self, &self->boxes, 2 * boxes);
  add (self, &self->points, self->n_at_once * points);
  add (self, &self->field, plane);
  add (self, &self->plane, plane);
  add (self, &self->half, 2 * half);
  add (self, &self->sum, 2 * half);
  add (self, &self->count, half);
  PRISM_FOR_EACH_OF (image, images)
    add (self, *image, self->n_pixels);
}

/**
 * prism_phase_sync_new:
 * @backend: the device
 * @measurements: of the run, for which prism_phase_sync_can()
 * @seed: of its random starts
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): an alignment for prism_phase_sync_begin()
 */
PrismPhaseSync *
prism_phase_sync_new (PrismBackend *backend,
                      PrismMeasurements *measurements,
                      guint64 seed,
                      GError **error)
{
  g_autoptr (PrismPhaseSync) self = g_new0 (PrismPhaseSync, 1);
  const guint n_threads = prism_pool_count_threads (backend->spec.n_threads);
  float *box;
  guint i = 0;

  self->backend = backend;
  self->measurements = measurements;
  self->seed = seed;
  self->n = backend->spec.image_size;
  self->m = backend->spec.object_size;
  self->n_pixels = self->m * self->m;
  self->n_samples = measurements->n_measurements;
  self->has_noise = prism_measurements_has_noise (measurements);
  self->n_most = self->has_noise ? PRISM_PHASE_SYNC_MOST_IN_NOISE
                                 : 2 * PRISM_PHASE_SYNC_MOST_IN_NOISE;
  self->n_at_once = choose_at_once (self->n, n_threads);
  self->pool = prism_pool_new (n_threads, error);
  if (self->pool == NULL)
    return NULL;
  self->works = g_new0 (PrismPhaseSyncWork, n_threads);
  self->arena = prism_arena_new ();
  list_arrays (self, n_threads);
  self->variation = prism_variation_new (self->m, self->pool, error);
  if (self->variation == NULL
      || !prism_arena_allocate (self->arena, "the alignment of fields", error))
    return NULL;
  self->fft = prism_fft_field_new (self->n, self->pool);
  self->frames = g_new0 (PrismPhaseSyncFrame, self->n_samples);
  box = self->boxes;
  PRISM_PHASE_SYNC_EACH (frame, self)
  {
    frame->mask = prism_measurements_get_mask (measurements, i++);
    frame->has_twin = prism_wave_has_twin (frame->mask);
    frame->misfit = INFINITY;
    frame->box = box;
    frame->given = box + 2 * prism_mask_count_box (frame->mask);
    box += 4 * prism_mask_count_box (frame->mask);
  }
  prism_phase_sync_count_givers (self);
  return g_steal_pointer (&self);
}

PRISM_FREE (PrismPhaseSync,
            free_members,
            g_free,
            frames,
            g_free,
            works,
            prism_fft_field_free,
            fft,
            prism_fft_square_free,
            few_fft,
            prism_fft_square_free,
            points_fft,
            prism_variation_free,
            variation,
            prism_pool_free,
            pool,
            prism_arena_free,
            arena)

/**
 * prism_phase_sync_free:
 * @self: (nullable): an alignment
 */
void
prism_phase_sync_free (PrismPhaseSync *self)
{
  if (self == NULL)
    return;
  if (self->frames != NULL)
    PRISM_PHASE_SYNC_EACH (frame, self)
  prism_arena_free_array (frame->amplitude);
  free_members (self);
}
