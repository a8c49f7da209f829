#include "config.h"

#include "solve/prism-alignment-private.h"

#include "base/prism-random.h"
#include "base/prism-record.h"
#include "num/prism-tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The search for the phases. Dimensions as in the private header. */

#define N_PLANES 7
#define FIELD(...) PRISM_RECORD_FIELD (PrismAlignment, __VA_ARGS__)
/* More than this the fields of all frames must not take. */
#define MOST_BYTES (G_GUINT64_CONSTANT (256) << 20)

typedef struct
{
  const char *name;
  float *values; /* [size][size] */
  gsize size;
} Plane;

static const PrismRecordField fields[] = {
  FIELD (iteration, INTEGER, 0, G_MAXINT32),
  FIELD (n_most, INTEGER, 0, G_MAXINT32),
  FIELD (target, REAL, 0, DBL_MAX),
  FIELD (relaxation, REAL, 0, 1),
  FIELD (residual, REAL, 0, DBL_MAX),
  FIELD (least, REAL, 0, DBL_MAX),
  FIELD (is_counted, SWITCH, 0, 1),
  FIELD (n_field_starts, INTEGER, 1, G_MAXINT32),
  FIELD (momentum, REAL, 0, DBL_MAX),
  PRISM_RECORD_NO_MORE ("moved"),
  { NULL },
};

/**
 * prism_alignment_get_bytes:
 * @config: of a run
 * @n_samples: N
 *
 * Thread: any.
 *
 * Returns: bytes that an alignment may take, 0 where there is none
 */
guint64
prism_alignment_get_bytes (const PrismConfig *config,
                           guint n_samples)
{
  const guint64 width = (guint64) floor (2.0 * config->aperture_radius) + 1;
  const guint64 plane = (guint64) config->image_size * config->image_size * sizeof (float);
  const guint64 boxes = n_samples * width * width * 2 * sizeof (float);
  const guint64 side
      = prism_measurements_choose_side (config->image_size, config->aperture_radius);
  const guint64 wholes = prism_measurements_config_has_noise (config)
                             ? 3 * prism_pool_count_threads (config->threads) * plane
                                   + n_samples * side * side * sizeof (float)
                             : 0;

  if (config->method != PRISM_METHOD_AUTO || boxes > MOST_BYTES || config->line_length > 0.0
      || config->read_snr > 0.0)
    return 0;
  return 2 * boxes + 5 * plane + wholes;
}

/**
 * prism_alignment_can:
 * @measurements: of the run
 * @backend: the device
 *
 * Returns: whether the frames are such that their fields can be found: of apertures that stand
 * still, and not too many
 */
gboolean
prism_alignment_can (PrismMeasurements *measurements,
                     PrismBackend *backend)
{
  guint64 bytes = 0;

  for (guint i = 0; i < prism_measurements_get_n (measurements); i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (measurements, i);

      if (mask->n_parts > 0)
        return FALSE;
      bytes += prism_alignment_count_box (mask) * 2 * sizeof (float);
    }
  return bytes <= MOST_BYTES;
}

/* Points along a side for frequencies up to ±(@width - 1): what transforms well. */
static guint
choose_few (guint width)
{
  guint side = (2 * width - 1 + 3) / 4 * 4, rest;

  for (;; side += 4)
    {
      rest = side;
      for (guint prime = 2; prime <= 7; prime++)
        while (rest % prime == 0)
          rest /= prime;
      if (rest == 1)
        return side;
    }
}

static void
choose_sides (PrismAlignment *self)
{
  guint largest = 1, step, points;

  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (self->measurements, i);

      largest = MAX (largest, (guint) MAX (mask->height, mask->width));
    }
  step = prism_measurements_get_step (self->measurements);
  points = step > 0 ? self->n / step
                    : prism_measurements_choose_side (self->n, 0.5 * (largest - 1));
  self->read_side = self->has_noise ? (guint) self->n : points;
  self->side = self->has_noise ? points : MIN (choose_few (largest), points);
}

static void
list_arrays (PrismAlignment *self)
{
  const gsize few = (gsize) self->side * self->side * sizeof (float);
  const gsize points = (gsize) self->read_side * self->read_side * sizeof (float);
  const gsize plane = (gsize) self->n * self->n * sizeof (float);
  gpointer *const images[] = {
    (gpointer *) &self->image,
    (gpointer *) &self->best,
    (gpointer *) &self->guess,
    (gpointer *) &self->point,
    (gpointer *) &self->slope,
    (gpointer *) &self->across,
    (gpointer *) &self->down,
  };
  gsize boxes = 0, largest = 0;

  for (guint i = 0; i < self->n_samples; i++)
    {
      const PrismMask *mask = prism_measurements_get_mask (self->measurements, i);
      const gsize size = prism_alignment_count_box (mask) * 2 * sizeof (float);

      boxes += size;
      largest = MAX (largest, size);
    }
  for (guint i = 0; i < prism_pool_get_n_threads (self->pool); i++)
    {
      prism_arena_add_array (self->arena, (gpointer *) &self->works[i].state, 2 * few);
      prism_arena_add_array (self->arena, (gpointer *) &self->works[i].other, 2 * few);
      prism_arena_add_array (self->arena, (gpointer *) &self->low_passed[i], few);
      prism_arena_add_array (self->arena, (gpointer *) &self->readers[i].other, 2 * points);
      prism_arena_add_array (self->arena, (gpointer *) &self->before[i], MAX (largest, 1));
    }
  prism_arena_add_array (self->arena, (gpointer *) &self->boxes, MAX (2 * boxes, 1));
  prism_arena_add_array (self->arena, (gpointer *) &self->points, self->n_at_once * points);
  prism_arena_add_array (self->arena, (gpointer *) &self->field, plane);
  prism_arena_add_array (self->arena, (gpointer *) &self->plane, plane);
  prism_arena_add_array (self->arena, (gpointer *) &self->half,
                         2 * prism_alignment_count_half (self) * sizeof (float));
  prism_arena_add_array (self->arena, (gpointer *) &self->sum,
                         2 * prism_alignment_count_half (self) * sizeof (float));
  prism_arena_add_array (self->arena, (gpointer *) &self->count,
                         prism_alignment_count_half (self) * sizeof (float));
  for (gsize i = 0; i < G_N_ELEMENTS (images); i++)
    prism_arena_add_array (self->arena, images[i], (gsize) self->m * self->m * sizeof (float));
}

static void
fill_frames (PrismAlignment *self)
{
  float *box = self->boxes;

  self->frames = g_new0 (PrismAlignmentFrame, self->n_samples);
  for (guint i = 0; i < self->n_samples; i++)
    {
      PrismAlignmentFrame *frame = &self->frames[i];

      frame->mask = prism_measurements_get_mask (self->measurements, i);
      frame->has_twin = prism_field_has_twin (frame->mask);
      frame->misfit = INFINITY;
      frame->box = box;
      box += 2 * prism_alignment_count_box (frame->mask);
      frame->said = box;
      box += 2 * prism_alignment_count_box (frame->mask);
    }
}

static void
begin_works (PrismAlignment *self)
{
  const guint n_threads = prism_pool_get_n_threads (self->pool);

  self->n_at_once = self->has_noise ? MIN (n_threads, PRISM_ALIGNMENT_FRAMES_AT_ONCE)
                                    : PRISM_ALIGNMENT_FRAMES_AT_ONCE;
  self->field_fft = prism_fft_field_new (self->n, self->pool);
  self->fft = prism_fft_square_new ((int) self->side);
  self->read_fft = prism_fft_square_new ((int) self->read_side);
  self->works = g_new0 (PrismFieldWork, n_threads);
  self->readers = g_new0 (PrismFieldWork, n_threads);
  self->low_passed = g_new0 (float *, n_threads);
  self->before = g_new0 (float *, n_threads);
  for (guint i = 0; i < n_threads; i++)
    {
      self->works[i] = (PrismFieldWork) { .fft = self->fft, .side = self->side };
      self->readers[i] = (PrismFieldWork) { .fft = self->read_fft, .side = self->read_side };
    }
}

/**
 * prism_alignment_new:
 * @backend: the device
 * @measurements: of the run, for which prism_alignment_can()
 * @seed: of its random starts
 * @error: return location
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): an alignment for prism_alignment_begin()
 */
PrismAlignment *
prism_alignment_new (PrismBackend *backend,
                     PrismMeasurements *measurements,
                     guint64 seed,
                     GError **error)
{
  g_autoptr (PrismAlignment) self = g_new0 (PrismAlignment, 1);

  self->backend = backend;
  self->measurements = measurements;
  self->seed = seed;
  self->n = backend->spec.image_size;
  self->m = backend->spec.object_size;
  self->n_samples = prism_measurements_get_n (measurements);
  self->has_noise = prism_measurements_has_noise (measurements);
  choose_sides (self);
  self->pool = prism_pool_new (prism_pool_count_threads (backend->spec.n_threads), error);
  if (self->pool == NULL)
    return NULL;
  begin_works (self);
  self->arena = prism_arena_new ();
  list_arrays (self);
  self->variation = prism_variation_new (self->m, self->pool, error);
  if (self->variation == NULL
      || !prism_arena_allocate (self->arena, "the alignment of fields", error))
    return NULL;
  fill_frames (self);
  return g_steal_pointer (&self);
}

/**
 * prism_alignment_free:
 * @self: (nullable): an alignment
 */
void
prism_alignment_free (PrismAlignment *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; self->frames != NULL && i < self->n_samples; i++)
    prism_arena_free_array (self->frames[i].amplitude);
  g_free (self->frames);
  g_free (self->works);
  g_free (self->readers);
  g_free (self->low_passed);
  g_free (self->before);
  prism_fft_field_free (self->field_fft);
  prism_fft_square_free (self->fft);
  prism_fft_square_free (self->read_fft);
  g_clear_pointer (&self->variation, prism_variation_free);
  g_clear_pointer (&self->pool, prism_pool_free);
  g_clear_pointer (&self->arena, prism_arena_free);
  g_free (self);
}

/**
 * prism_alignment_guess:
 * @self: an alignment, before its first start
 * @image: (array): that explains most of the frames
 *
 * Has the search of each field begin with that of the image, and random numbers follow. With noise
 * an image that is wrong may be as near to a frame as its field is, so nothing is guessed.
 *
 * Shape: @image [m][m].
 */
void
prism_alignment_guess (PrismAlignment *self,
                       const float *image)
{
  if (!self->has_noise)
    memcpy (self->guess, image, (gsize) self->m * self->m * sizeof (float));
}

/**
 * prism_alignment_move:
 * @self: an alignment
 * @backend: another device, to which the measurements have moved
 */
void
prism_alignment_move (PrismAlignment *self,
                      PrismBackend *backend)
{
  self->backend = backend;
}

/* With noise a search with a weak relaxation finds the basin and leaves it again, and one with a
 * stronger one gets stuck: some images need the one, some the other. */
static double
choose_relaxation (PrismAlignment *self,
                   guint start)
{
  if (!self->has_noise)
    return prism_tuning_get (PRISM_TUNING_ALIGN_RELAXATION);
  return prism_tuning_get (start % 3 == 1 ? PRISM_TUNING_ALIGN_LESS_DAMPED
                                          : PRISM_TUNING_ALIGN_DAMPED);
}

static guint
count_field_starts (PrismAlignment *self,
                    guint start)
{
  if (self->has_noise)
    return prism_tuning_get_count (PRISM_TUNING_FIELD_STARTS_IN_NOISE);
  return MIN (2 << MIN (start, 3),
              8);
}

/* Where the light is in few frames, one without its field keeps the image from being found. After
 * a start that failed, those are searched again. */
static void
search_fields_again (PrismAlignment *self,
                     guint n_starts)
{
  if (n_starts > self->n_field_starts && !self->has_noise)
    self->n_retrieved = 0;
  self->n_field_starts = n_starts;
}

/**
 * prism_alignment_begin:
 * @self: an alignment
 * @start: number of the start
 *
 * Begins a search with an image of random numbers. After a start that failed, frames whose fields
 * were not found are searched again from more random numbers.
 */
void
prism_alignment_begin (PrismAlignment *self,
                       guint start)
{
  search_fields_again (self, count_field_starts (self, start));
  self->iteration = 0;
  self->n_most = prism_tuning_get_count (PRISM_TUNING_ALIGN_ITERATIONS);
  self->target = self->has_noise ? 0.0 : prism_tuning_get (PRISM_TUNING_ALIGN_FOUND);
  self->relaxation = choose_relaxation (self, start);
  self->residual = self->least = NAN;
  memset (self->image, 0, (gsize) self->m * self->m * sizeof (float));
  prism_alignment_begin_fill (self);
  memset (self->field, 0, (gsize) self->n * self->n * sizeof (float));
  for (int y = 0; y < self->m; y++)
    for (int x = 0; x < self->m; x++)
      self->field[prism_alignment_get_place (self, y, x)] = (float) prism_random_uniform (
          self->seed, PRISM_STREAM_ALIGNMENT, start, (guint64) y * self->m + x);
}

/**
 * prism_alignment_go_on:
 * @self: an alignment whose search has ended
 *
 * Goes on with the search: what it found may have the wrong one of two fields in places.
 */
void
prism_alignment_go_on (PrismAlignment *self)
{
  self->n_most = self->iteration + prism_tuning_get_count (PRISM_TUNING_ALIGN_AGAIN);
  self->target = 0.03 * self->residual;
}

/* From the search's field to plane: what the frames say of it. */
static void
ask_frames (PrismAlignment *self)
{
  prism_alignment_transform (self, self->field, self->n / 2);
  prism_alignment_compare (self);
  for (gsize i = 0; i < prism_alignment_count_half (self); i++)
    if (self->count[i] > 0.0f)
      {
        self->half[2 * i] = self->sum[2 * i] / self->count[i];
        self->half[2 * i + 1] = self->sum[2 * i + 1] / self->count[i];
      }
  prism_alignment_return (self, self->plane, self->n / 2);
}

/* z + β(O(2F(z) - z) - F(z)): F is what the frames say, O what an object can be; with noise that
 * and (1 - β)(F(z) - z). The image is that of F. */
static void
reflect (PrismAlignment *self)
{
  const float beta = (float) self->relaxation;
  const float kept = self->has_noise ? beta : 1.0f;
  const float given = self->has_noise ? 1.0f - 2.0f * beta : -beta;

  ask_frames (self);
  for (int y = 0; y < self->m; y++)
    for (int x = 0; x < self->m; x++)
      {
        const gsize i = prism_alignment_get_place (self, y, x);
        const float z = self->field[i], value = self->plane[i];

        self->image[(gsize) y * self->m + x] = CLAMP (value, 0.0f, 1.0f);
        /* Outside O is 0, which the loop below takes for granted. */
        self->field[i] += beta / kept * CLAMP (2.0f * value - z, 0.0f, 1.0f);
      }
  for (gsize i = 0; i < (gsize) self->n * self->n; i++)
    self->field[i] = kept * self->field[i] + given * self->plane[i];
}

/**
 * prism_alignment_has_fields:
 * @self: an alignment
 *
 * Returns: whether the fields are there that searches and fills need
 */
gboolean
prism_alignment_has_fields (PrismAlignment *self)
{
  return self->n_retrieved == self->n_samples;
}

/**
 * prism_alignment_retrieve:
 * @self: an alignment that lacks fields
 * @n_samples: frames to work on at most, at least 1
 * @pass_done: (out): whether all fields are there; not when they were searched once before, in what
 *   was loaded
 * @error: return location
 *
 * Searches the fields of some frames.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 *
 * Returns: whether it went well
 */
gboolean
prism_alignment_retrieve (PrismAlignment *self,
                          guint n_samples,
                          gboolean *pass_done,
                          GError **error)
{
  *pass_done = FALSE;
  if (!prism_alignment_retrieve_some (self, n_samples, error))
    return FALSE;
  *pass_done = prism_alignment_has_fields (self) && !self->is_counted;
  self->is_counted |= *pass_done;
  return TRUE;
}

/* With noise a search passes by the image that is nearest to the fields. */
static void
keep_nearest (PrismAlignment *self)
{
  const gsize n_bytes = (gsize) self->m * self->m * sizeof (float);

  if (!(self->residual >= self->least))
    {
      self->least = self->residual;
      memcpy (self->best, self->image, n_bytes);
    }
  if (!prism_alignment_is_done (self))
    return;
  self->residual = self->least;
  memcpy (self->image, self->best, n_bytes);
}

/**
 * prism_alignment_search:
 * @self: an alignment that was begun and has all fields
 *
 * Does one pass of the search.
 */
void
prism_alignment_search (PrismAlignment *self)
{
  reflect (self);
  self->iteration++;
  if (self->iteration % prism_tuning_get_count (PRISM_TUNING_ALIGN_LOOK) != 0
      && !prism_alignment_is_done (self))
    return;
  prism_alignment_spread (self, self->image, self->plane);
  prism_alignment_transform (self, self->plane, (self->m + 1) / 2);
  self->residual = prism_alignment_compare (self);
  if (self->has_noise)
    keep_nearest (self);
}

/**
 * prism_alignment_get_sample:
 * @self: an alignment
 *
 * Returns: the frame whose field is searched next, 0 when all are there
 */
guint
prism_alignment_get_sample (PrismAlignment *self)
{
  return self->n_retrieved % self->n_samples;
}

/**
 * prism_alignment_get_distance:
 * @self: an alignment whose search has ended
 *
 * Returns: Σ|Q - F|² / Σ|Q|² of the image, with noise the mean of that of each frame
 */
double
prism_alignment_get_distance (PrismAlignment *self)
{
  return self->residual;
}

/**
 * prism_alignment_is_found:
 * @self: an alignment that was begun
 *
 * Returns: whether the image is where passes of descent find the rest, or with noise may be
 */
gboolean
prism_alignment_is_found (PrismAlignment *self)
{
  return self->has_noise || self->residual <= prism_tuning_get (PRISM_TUNING_ALIGN_FOUND);
}

/**
 * prism_alignment_is_done:
 * @self: an alignment that was begun
 *
 * Returns: whether the image is found, or the search ends without
 */
gboolean
prism_alignment_is_done (PrismAlignment *self)
{
  return self->residual <= self->target || self->iteration >= self->n_most;
}

/**
 * prism_alignment_get_image:
 * @self: an alignment after a pass
 *
 * Shape: [m][m], in [0, 1].
 *
 * Returns: (transfer none) (array): the image so far
 */
const float *
prism_alignment_get_image (PrismAlignment *self)
{
  return self->image;
}

static void
list_planes (PrismAlignment *self,
             Plane planes[N_PLANES])
{
  planes[0] = (Plane) { "align-field.npy", self->field, self->n };
  planes[1] = (Plane) { "align-image.npy", self->image, self->m };
  planes[2] = (Plane) { "align-point.npy", self->point, self->m };
  planes[3] = (Plane) { "align-across.npy", self->across, self->m };
  planes[4] = (Plane) { "align-down.npy", self->down, self->m };
  planes[5] = (Plane) { "align-best.npy", self->best, self->m };
  planes[6] = (Plane) { "align-guess.npy", self->guess, self->m };
}

/**
 * prism_alignment_save:
 * @self: an alignment that was begun
 * @bundle: where to
 * @error: return location
 *
 * Adds the search; fields follow from the frames.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether it has been added
 */
gboolean
prism_alignment_save (PrismAlignment *self,
                      PrismBundle *bundle,
                      GError **error)
{
  Plane planes[N_PLANES];

  list_planes (self, planes);
  prism_bundle_take_text (bundle, PRISM_ALIGNMENT_NUMBERS, prism_record_to_text (fields, self));
  for (int i = 0; i < N_PLANES; i++)
    if (!prism_bundle_add_plane (bundle, planes[i].name, planes[i].values, planes[i].size, error))
      return FALSE;
  return TRUE;
}

/**
 * prism_alignment_load:
 * @self: a new alignment
 * @bundle: what prism_alignment_save() added to
 * @error: return location
 *
 * Goes on from there, bit for bit, after the fields have been found again.
 *
 * Errors: PRISM_ERROR_FORMAT; the alignment is then of no use.
 *
 * Returns: whether everything was good
 */
gboolean
prism_alignment_load (PrismAlignment *self,
                      PrismBundle *bundle,
                      GError **error)
{
  const char *numbers = prism_bundle_get_text (bundle, PRISM_ALIGNMENT_NUMBERS, error);
  Plane planes[N_PLANES];

  if (numbers == NULL
      || !prism_record_parse (fields, self, numbers, PRISM_ALIGNMENT_NUMBERS, error))
    return FALSE;
  list_planes (self, planes);
  for (int i = 0; i < N_PLANES; i++)
    if (!prism_bundle_copy_plane (bundle, planes[i].name, planes[i].values, planes[i].size, error))
      return FALSE;
  return TRUE;
}
