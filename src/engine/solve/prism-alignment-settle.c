#include "config.h"

#include "solve/prism-alignment-private.h"

#include "num/prism-tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rounds that settle an image near the truth, of frames without noise. A round asks the frames
 * once, and then moves the image as if they had told their phases. Of what they tell the error
 * alone is nearly doubled (β): an amplitude sees half of a change on the average, and all of it
 * where a field is real. Without frames an iteration costs two transforms of the object's
 * surroundings. So it can have as many as patterns need that the frames hardly see, and the total
 * variation for what they do not see at all.
 *
 * With x₀ the image of the round, e half the slope of Σ(|φ| - A)² there and K half of what the
 * frames measure of each number of the spectrum, an iteration goes down K(x - x₀) + βe.
 *
 * Dimensions as in the private header, and s = pixels along a side of the surroundings. */

/* Of a round, in one call. */
#define ITERATIONS_AT_ONCE 4
/* More than this the amplitudes of all frames must not take. */
#define MOST_BYTES (G_GUINT64_CONSTANT (256) << 20)

struct _PrismAlignmentSettle
{
  int side;           /* s */
  PrismFftField *fft; /* of [s][s] */
  PrismArena *arena;
  float *kernel;       /* [s][s/2 + 1] the spectrum of K, and the scale of both transforms */
  float *surroundings; /* [s][s] */
  float *half;         /* [s][s/2 + 1][2] */
  float *constant;     /* [m][m] βe - K x₀ */
  float length;        /* of a step */
  gboolean is_known;   /* of the constant: it is that of the round under way */
  double misfit;       /* of its image, of ΣA² */
};

static gsize
count_pixels (PrismAlignment *self)
{
  return (gsize) self->m * self->m;
}

static gsize
count_half (const PrismAlignmentSettle *settle)
{
  return (gsize) settle->side * (settle->side / 2 + 1);
}

/**
 * prism_alignment_free_settle:
 * @settle: (nullable): a part of an alignment
 */
void
prism_alignment_free_settle (PrismAlignmentSettle *settle)
{
  if (settle == NULL)
    return;
  prism_fft_field_free (settle->fft);
  g_clear_pointer (&settle->arena, prism_arena_free);
  g_free (settle);
}

/**
 * prism_alignment_can_settle:
 * @self: an alignment
 *
 * Returns: whether the frames are without noise and their amplitudes take little memory
 */
gboolean
prism_alignment_can_settle (PrismAlignment *self)
{
  return !self->has_noise
         && self->n_samples * prism_alignment_count_points (self) * sizeof (float) <= MOST_BYTES;
}

/**
 * prism_alignment_get_settle_bytes:
 * @config: of a run without noise
 * @n_samples: N
 *
 * Thread: any.
 *
 * Returns: bytes that rounds take, 0 where there are none
 */
guint64
prism_alignment_get_settle_bytes (const PrismConfig *config,
                                  guint n_samples)
{
  const guint64 points
      = prism_measurements_choose_side (config->image_size, config->aperture_radius);
  const guint64 amplitudes = n_samples * points * points * sizeof (float);
  const guint64 side = MIN (2 * config->object_size, config->image_size);

  return amplitudes <= MOST_BYTES ? amplitudes + 5 * side * side * sizeof (float) / 2 : 0;
}

static gboolean
make_settle (PrismAlignment *self,
             GError **error)
{
  PrismAlignmentSettle *settle = g_new0 (PrismAlignmentSettle, 1);
  gsize n_bytes;

  self->settle = settle;
  settle->side = MIN (2 * self->m, self->n);
  settle->fft = prism_fft_field_new (settle->side, self->pool);
  settle->arena = prism_arena_new ();
  n_bytes = count_half (settle) * sizeof (float);
  prism_arena_add_array (settle->arena, (gpointer *) &settle->kernel, n_bytes);
  prism_arena_add_array (settle->arena, (gpointer *) &settle->half, 2 * n_bytes);
  prism_arena_add_array (settle->arena, (gpointer *) &settle->surroundings,
                         (gsize) settle->side * settle->side * sizeof (float));
  prism_arena_add_array (settle->arena, (gpointer *) &settle->constant,
                         count_pixels (self) * sizeof (float));
  return prism_arena_allocate (settle->arena, "the surroundings of the object", error);
}

static gsize
get_place (const PrismAlignment *self,
           int y,
           int x)
{
  const int s = self->settle->side;

  return (gsize) ((y + s) % s) * s + (x + s) % s;
}

/* What two pixels have in common depends on how far they are from each other alone: K is a
 * convolution, of which the object's surroundings hold all that its pixels need. */
static void
make_kernel (PrismAlignment *self)
{
  PrismAlignmentSettle *settle = self->settle;
  const int n = self->n, s = settle->side, reach = MIN (self->m, s / 2);
  const float scale = 1.0f / ((float) n * s * s);
  float most = 0.0f;

  memset (self->half, 0, 2 * prism_alignment_count_half (self) * sizeof (float));
  for (gsize i = 0; i < prism_alignment_count_half (self); i++)
    {
      self->half[2 * i] = 0.5f * self->count[i];
      most = MAX (most, self->half[2 * i]);
    }
  settle->length = (float) prism_tuning_get (PRISM_TUNING_FILL_STEP) / most;
  prism_alignment_return (self, self->plane, n / 2);
  memset (settle->surroundings, 0, (gsize) s * s * sizeof (float));
  for (int y = s < n ? 1 - reach : -reach; y < reach; y++)
    for (int x = s < n ? 1 - reach : -reach; x < reach; x++)
      settle->surroundings[get_place (self, y, x)]
          = self->plane[(gsize) ((y + n) % n) * n + (x + n) % n];
  prism_fft_field_forward (settle->fft, settle->surroundings, settle->half, s / 2);
  for (gsize i = 0; i < count_half (settle); i++)
    settle->kernel[i] = scale * settle->half[2 * i];
}

/* Replaces the surroundings by K of the image there. */
static void
convolve (PrismAlignment *self,
          const float *image)
{
  PrismAlignmentSettle *settle = self->settle;
  const int m = self->m, near = (m + 1) / 2;

  memset (settle->surroundings, 0, (gsize) settle->side * settle->side * sizeof (float));
  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      settle->surroundings[get_place (self, y - m / 2, x - m / 2)] = image[(gsize) y * m + x];
  prism_fft_field_forward (settle->fft, settle->surroundings, settle->half, near);
  for (gsize i = 0; i < count_half (settle); i++)
    {
      settle->half[2 * i] *= settle->kernel[i];
      settle->half[2 * i + 1] *= settle->kernel[i];
    }
  prism_fft_field_backward (settle->fft, settle->half, settle->surroundings, near);
}

/* With the image that the round began with, from which a run that is taken up again begins it
 * again. */
static void
ask_frames (PrismAlignment *self)
{
  PrismAlignmentSettle *settle = self->settle;
  const float relaxation = (float) prism_tuning_get (PRISM_TUNING_SETTLE_RELAXATION);
  const int m = self->m;
  float *image = self->image;

  self->image = self->best;
  settle->misfit = prism_alignment_hold_against_amplitudes (self);
  self->image = image;
  for (gsize i = 0; i < count_pixels (self); i++)
    settle->constant[i] = relaxation * prism_alignment_get_slope (self, i);
  if (settle->length == 0.0f)
    make_kernel (self);
  convolve (self, self->best);
  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      settle->constant[(gsize) y * m + x]
          -= settle->surroundings[get_place (self, y - m / 2, x - m / 2)];
  settle->is_known = TRUE;
}

/**
 * prism_alignment_begin_settle:
 * @self: an alignment for which prism_alignment_can_settle()
 * @image: (array): near the truth; may be its own
 *
 * Begins rounds that settle the image.
 *
 * Shape: @image [m][m].
 */
void
prism_alignment_begin_settle (PrismAlignment *self,
                              const float *image)
{
  memmove (self->image, image, count_pixels (self) * sizeof (float));
  memcpy (self->best, image, count_pixels (self) * sizeof (float));
  prism_alignment_begin_fill (self);
  self->iteration = 0;
  self->residual = self->least = NAN;
  self->n_field_starts = MAX (self->n_field_starts, 1);
  g_clear_pointer (&self->settle, prism_alignment_free_settle);
}

/* From a coarse picture of what was not seen to a fine one. */
static float
get_strength (guint round)
{
  const double first = prism_tuning_get (PRISM_TUNING_SETTLE_FIRST);
  const double last = prism_tuning_get (PRISM_TUNING_SETTLE_LAST);
  const guint n_rounds = prism_tuning_get_count (PRISM_TUNING_SETTLE_ROUNDS);

  return (float) (first * pow (last / first, (double) round / MAX (n_rounds - 1, 1)));
}

static void
iterate (PrismAlignment *self,
         float strength)
{
  PrismAlignmentSettle *settle = self->settle;
  const int m = self->m;

  convolve (self, self->point);
  for (int y = 0; y < m; y++)
    for (int x = 0; x < m; x++)
      {
        const gsize i = (gsize) y * m + x;
        const float there = settle->surroundings[get_place (self, y - m / 2, x - m / 2)];

        self->slope[i] = there + settle->constant[i];
      }
  prism_alignment_go_down (self, settle->length, strength);
  self->iteration++;
}

static void
end_round (PrismAlignment *self)
{
  double moved = 0.0, power = 0.0;

  for (gsize i = 0; i < count_pixels (self); i++)
    {
      const double change = self->image[i] - self->best[i];

      moved += change * change;
      power += (double) self->image[i] * self->image[i];
    }
  self->moved = sqrt (moved / MAX (power, DBL_MIN));
  memcpy (self->best, self->image, count_pixels (self) * sizeof (float));
  self->settle->is_known = FALSE;
}

/**
 * prism_alignment_settle:
 * @self: an alignment after prism_alignment_begin_settle()
 * @smoothness: factor of the total variation, at least 0
 * @n_samples: frames to read at most
 * @pass_done: (out): whether a round ended
 * @error: return location
 *
 * Works on a round.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Source: numerics.md, “Settling”.
 *
 * Returns: whether it went well
 */
gboolean
prism_alignment_settle (PrismAlignment *self,
                        double smoothness,
                        guint n_samples,
                        gboolean *pass_done,
                        GError **error)
{
  const guint length = prism_tuning_get_count (PRISM_TUNING_SETTLE_ITERATIONS);
  gboolean has_read;

  *pass_done = FALSE;
  if (!prism_alignment_read_amplitudes (self, n_samples, &has_read, error))
    return FALSE;
  if (!has_read)
    return TRUE;
  if (self->settle == NULL && !make_settle (self, error))
    return FALSE;
  if (!self->settle->is_known)
    ask_frames (self);
  if (prism_alignment_is_settled (self))
    return TRUE;
  for (guint i = 0; i < ITERATIONS_AT_ONCE && !*pass_done; i++)
    {
      iterate (self, (float) smoothness * get_strength (self->iteration / length));
      *pass_done = self->iteration % length == 0;
    }
  if (*pass_done)
    end_round (self);
  return TRUE;
}

/**
 * prism_alignment_is_settled:
 * @self: an alignment after prism_alignment_begin_settle()
 *
 * Returns: whether all rounds are done and the frames have told the misfit of the image
 */
gboolean
prism_alignment_is_settled (PrismAlignment *self)
{
  return self->settle != NULL && self->settle->is_known
         && self->iteration >= prism_tuning_get_count (PRISM_TUNING_SETTLE_ROUNDS)
                                   * prism_tuning_get_count (PRISM_TUNING_SETTLE_ITERATIONS);
}

/**
 * prism_alignment_get_settled_misfit:
 * @self: an alignment for which prism_alignment_is_settled()
 *
 * Returns: Σ(|φ| - A)² / ΣA² of the image
 */
double
prism_alignment_get_settled_misfit (PrismAlignment *self)
{
  return self->settle->misfit;
}

/**
 * prism_alignment_get_moved:
 * @self: an alignment after a round
 *
 * Returns: how far the round moved the image, of its norm
 */
double
prism_alignment_get_moved (PrismAlignment *self)
{
  return self->moved;
}
