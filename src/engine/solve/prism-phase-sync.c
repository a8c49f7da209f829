#include "config.h"

#include "solve/prism-phase-sync.h"

#include "base/prism-number.h"
#include "base/prism-random.h"
#include "num/prism-tuning.h"
#include "profile/prism-profile.h"

#include <float.h>

/* Where apertures leave gaps, nearly all frames can be explained while their phases against each
 * other are wrong, and no small change of an image turns the phase of one frame. So frames and
 * phases are taken apart. With F the spectrum of a field z, and Q what the frames give for F: each
 * its wave, found by prism-wave.c, with the phase, and of two waves the one, that are nearest to
 * F behind its aperture. A frame whose wave is doubtful gives its amplitude instead.
 *
 *   search   z ← β(z + O(2G(z) - z) - G(z)) + (1 - β)G(z), where G puts Q, or the mean of several,
 *            in the place of F, and O keeps the object's square and [0, 1] (Luke, 2005); without
 *            noise β = 1 (Elser, 2003)
 *   fill     down Σ|Q - F|² from the image that was found, accelerated (Beck and Teboulle, 2009;
 *            O'Donoghue and Candès, 2015), with a total variation for what no frame sees, from a
 *            coarse picture of that to a fine one: convex once the phases are right
 *
 * A pass of either is one transform of the field and back, whatever the number of frames. Sums are
 * made in an order that does not depend on the number of threads.
 *
 * Without noise 28 scenes end at 46.7 dB in the median where apertures have 0.45 of the area of the
 * disk they fill, and at 36.4 dB with 0.22 (tests/bench/scenes.py). Dimensions as in the header. */

/* Of the spectrum that are added up at once. */
#define ROWS 16
#define EVERY 25 /* passes of a search until its residual is asked for; of a device, at once */

/* ---- What the frames give ---- */

/* Σ conj(a)·b of boxes of n numbers, and of a's twin. Returns Σ|b|². */
static double
multiply (const float *a,
          const float *b,
          gsize n,
          double products[2][2])
{
  double energy = 0.0;

  memset (products, 0, 4 * sizeof (double));
  for (gsize i = 0; i < n; i++)
    {
      const float *own = a + 2 * i, *other = a + 2 * (n - 1 - i);
      const double re = b[2 * i], im = b[2 * i + 1];

      products[0][0] += own[0] * re + own[1] * im;
      products[0][1] += own[0] * im - own[1] * re;
      products[1][0] += other[0] * re - other[1] * im;
      products[1][1] += other[0] * im + other[1] * re;
      energy += re * re + im * im;
    }
  return energy;
}

/* The frame's own wave with the phase that is nearest to the box, and of two waves the nearer. */
static void
align (PrismPhaseSyncFrame *frame,
       const float *box)
{
  const gsize n = prism_mask_count_box (frame->mask);
  double products[2][2], length, other;
  const double energy = multiply (frame->box, box, n, products);
  gboolean twin;
  float re, im;

  length = hypot (products[0][0], products[0][1]);
  other = frame->has_twin ? hypot (products[1][0], products[1][1]) : 0.0;
  twin = other > length;
  length = MAX (MAX (length, other), DBL_MIN);
  re = products[twin][0] / length;
  im = products[twin][1] / length;
  for (gsize i = 0; i < n; i++)
    {
      const gsize j = twin ? n - 1 - i : i;
      const float a = frame->box[2 * j], b = twin ? -frame->box[2 * j + 1] : frame->box[2 * j + 1];

      frame->given[2 * i] = re * a - im * b;
      frame->given[2 * i + 1] = re * b + im * a;
    }
  frame->difference = frame->energy + energy - 2.0 * length;
}

/* What the frame gives for the spectrum, and how far that is from it. */
static void
compare_frame (gpointer data,
               guint chunk,
               guint worker)
{
  PrismPhaseSync *self = data;
  PrismPhaseSyncFrame *frame = &self->frames[chunk];
  const PrismPhaseSyncWork *work = &self->works[worker];
  const gsize n = 2 * prism_mask_count_box (frame->mask);
  double products[2][2], energy;

  prism_phase_sync_gather (self, frame->mask, work->box);
  if (!frame->is_doubtful || frame->amplitude == NULL)
    {
      frame->energy = prism_wave_sum_squares (frame->box, n);
      align (frame, work->box);
      return;
    }
  memcpy (frame->given, work->box, n * sizeof (float));
  prism_wave_project (&work->few,
                      &(PrismWaveJob) { frame->mask, frame->amplitude, frame->given });
  frame->energy = prism_wave_sum_squares (frame->given, n);
  energy = multiply (frame->given, work->box, n / 2, products);
  frame->difference = frame->energy + energy - 2.0 * products[0][0];
}

/* A row of a box to a row of the half spectrum: columns at kx ≥ 0, or the conjugates of those at
 * kx ≤ 0. Numbers of its first column and of its last are there twice. */
static void
add_row (PrismPhaseSync *self,
         const PrismPhaseSyncFrame *frame,
         int y,
         int row,
         gboolean conjugate)
{
  const PrismMask *mask = frame->mask;
  const int n = self->n, x0 = mask->x0;
  const gsize from = y * mask->width, to = row * (n / 2 + 1);
  const float *given = frame->given + 2 * from, sign = conjugate ? -1.0f : 1.0f;
  float *sum = self->sum + 2 * to;
  const int end = conjugate ? MIN (mask->width, 1 - x0) : mask->width;

  for (int x = conjugate ? 0 : MAX (0, -x0); x < end; x++)
    {
      const int column = conjugate ? -x0 - x : x0 + x;

      sum[2 * column] += given[2 * x];
      sum[2 * column + 1] += sign * given[2 * x + 1];
    }
  if (!conjugate && x0 == -n / 2)
    {
      sum[n] += given[0];
      sum[n + 1] += given[1];
    }
}

static void
add_rows (gpointer data,
          guint chunk,
          guint worker)
{
  PrismPhaseSync *self = data;
  const int n = self->n, first = chunk * ROWS, end = first + ROWS;
  const gsize w = n / 2 + 1;

  memset (self->sum + 2 * first * w, 0, 2 * ROWS * w * sizeof (float));
  PRISM_PHASE_SYNC_EACH (frame, self)
  for (int y = 0; y < frame->mask->height; y++)
    {
      const int k = frame->mask->y0 + y, row = k < 0 ? k + n : k;
      const int other = row > 0 ? n - row : 0;

      if (other >= first && other < end)
        add_row (self, frame, y, other, TRUE);
      if (row >= first && row < end)
        add_row (self, frame, y, row, FALSE);
    }
}

/**
 * prism_phase_sync_count_givers:
 * @self: an alignment with frames
 *
 * Counts how many frames give each number of the half spectrum.
 */
void
prism_phase_sync_count_givers (PrismPhaseSync *self)
{
  PRISM_PHASE_SYNC_EACH (frame, self)
  for (gsize k = 0; k < prism_mask_count_box (frame->mask); k++)
    frame->given[2 * k] = frame->mask->bits[k];
  prism_pool_run (self->pool, self->n / ROWS, add_rows, self);
  self->most = 1.0f;
  for (gsize i = 0; i < self->n * (self->n / 2 + 1); i++)
    {
      self->count[i] = self->sum[2 * i];
      self->most = MAX (self->most, self->count[i]);
    }
}

/* Leaves in sum what the frames give for the half spectrum. Returns Σ|Q - F|² / Σ|Q|²;
 * with noise, which is in faint frames as in bright ones, the mean of that of each frame. */
static double
compare (PrismPhaseSync *self)
{
  double differences = 0.0, energies = 0.0;

  prism_pool_run (self->pool, self->n_samples, compare_frame, self);
  prism_pool_run (self->pool, self->n / ROWS, add_rows, self);
  PRISM_PHASE_SYNC_EACH (frame, self)
  {
    differences += self->has_noise ? frame->difference / MAX (frame->energy, DBL_MIN)
                                   : frame->difference;
    energies += self->has_noise ? 1.0 : frame->energy;
  }
  return differences / MAX (energies, DBL_MIN);
}

/* ---- On a device ---- */

/* Gives a device the frames, unless it has them. Returns whether it does the search: it may have no
 * room for that. */
static gboolean
put (PrismPhaseSync *self)
{
  const PrismBackendOps *ops = self->backend->ops;
  g_autofree PrismAlignedFrame *frames = NULL;
  guint n = 0;

  if (ops->take_frames == NULL || self->searches_on_host || self->is_put)
    return self->is_put;
  frames = g_new (PrismAlignedFrame, self->n_samples);
  PRISM_PHASE_SYNC_EACH (frame, self)
  frames[n++]
      = (PrismAlignedFrame) { frame->mask, frame->box,
                              frame->is_doubtful ? frame->amplitude : NULL, frame->has_twin };
  self->is_put = ops->take_frames (
      self->backend,
      &(PrismAlignedFrames) { frames, self->n_samples, self->side, self->has_noise });
  self->searches_on_host = !self->is_put;
  return self->is_put;
}

/* Some passes. What was there stays until all of it has arrived: a device that fails takes these
 * passes with it and no others. */
static gboolean
search_on_device (PrismPhaseSync *self,
                  guint n_passes,
                  GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  const gsize n_plane = self->n * self->n;
  /* The host's own passes leave nothing in plane and slope. */
  const double residual = ops->search (self->backend, n_passes, self->relaxation, self->field,
                                       self->plane, self->slope);

  if (!ops->finish (self->backend, error)
      || !prism_backend_check_finite (isfinite (residual) && prism_finite_all (self->plane, n_plane)
                                          && prism_finite_all (self->slope, self->n_pixels),
                                      error))
    return FALSE;
  memcpy (self->field, self->plane, n_plane * sizeof (float));
  memcpy (self->image, self->slope, self->n_pixels * sizeof (float));
  self->iteration += n_passes;
  self->residual = residual;
  return TRUE;
}

/* Lets go of what the device has of it. */
static void
leave (PrismPhaseSync *self)
{
  if (self->is_put)
    self->backend->ops->take_frames (self->backend, NULL);
  self->is_put = FALSE;
}

/* ---- Search ---- */

/**
 * prism_phase_sync_begin:
 * @self: an alignment
 * @start: number of the start
 * @guess: (nullable) (array): for the first: an image that explains most of the frames
 *
 * Begins a search with an image of random numbers. That of each wave begins with the guess's, and
 * random numbers follow.
 *
 * Shape: @guess [m][m].
 */
void
prism_phase_sync_begin (PrismPhaseSync *self,
                        guint start,
                        const float *guess)
{
  const gsize n_bytes = self->n_pixels * sizeof (float);

  leave (self);
  if (guess != NULL)
    memcpy (self->guess, guess, n_bytes);
  self->iteration = 0;
  /* With noise a search with a weak relaxation finds the basin and leaves it again, and one with a
   * stronger one gets stuck: some images need the one, some the other. */
  self->relaxation = 1.0;
  if (self->has_noise)
    self->relaxation = prism_tuning_get (start % 3 == 1 ? PRISM_TUNING_ALIGN_LESS_DAMPED
                                                        : PRISM_TUNING_ALIGN_DAMPED);
  /* So it is with the waves: all but the worst lead to one image, half of them to another. */
  self->doubt = prism_tuning_get (start % 2 == 0 ? PRISM_TUNING_FIELD_DOUBTFUL
                                                 : PRISM_TUNING_FIELD_MORE_DOUBTFUL);
  self->residual = self->least = NAN;
  memset (self->image, 0, n_bytes);
  memset (self->field, 0, self->n * self->n * sizeof (float));
  for (gsize i = 0; i < self->n_pixels; i++)
    self->field[prism_phase_sync_get_place (self, i)]
        = prism_random_uniform (self->seed, PRISM_STREAM_ALIGNMENT, start, i);
}

/* What the frames give takes the place of F. */
static void
replace_rows (gpointer data,
              guint chunk,
              guint worker)
{
  PrismPhaseSync *self = data;
  const gsize w = self->n / 2 + 1, first = chunk * ROWS * w;

  for (gsize i = first; i < first + ROWS * w; i++)
    if (self->count[i] > 0.0f)
      {
        self->half[2 * i] = self->n * self->sum[2 * i] / self->count[i];
        self->half[2 * i + 1] = self->n * self->sum[2 * i + 1] / self->count[i];
      }
}

static void
reflect_rows (gpointer data,
              guint chunk,
              guint worker)
{
  PrismPhaseSync *self = data;
  const int n = self->n, m = self->m, first = chunk * ROWS;
  const float scale = 1.0f / (n * n), beta = self->relaxation;

  for (int row = first; row < first + ROWS; row++)
    {
      const int y = (row + m / 2) % n;
      float *field = self->field + row * n, *plane = self->plane + row * n;

      for (int x = 0; x < n; x++)
        plane[x] *= scale;
      for (int x = 0; y < m && x < m; x++)
        {
          const int i = (x - m / 2 + n) % n;

          self->image[y * m + x] = CLAMP (plane[i], 0.0f, 1.0f);
          /* Outside O is 0, which the loop below takes for granted. */
          field[i] += CLAMP (2.0f * plane[i] - field[i], 0.0f, 1.0f);
        }
      for (int x = 0; x < n; x++)
        field[x] = beta * field[x] + (1.0f - 2.0f * beta) * plane[x];
    }
}

/* With noise nobody knows before that the image was found. */
static gboolean
is_done (PrismPhaseSync *self)
{
  return (!self->has_noise && self->residual <= PRISM_PHASE_SYNC_CLOSE)
         || self->iteration >= self->n_most;
}

/* Whether the residual of a pass is asked for. */
static gboolean
is_due (PrismPhaseSync *self)
{
  return self->iteration % EVERY == 0 || is_done (self);
}

/* The image is that of G(z). */
static void
pass (PrismPhaseSync *self)
{
  const guint n_chunks = self->n / ROWS;

  prism_fft_field_forward (self->fft, self->field, self->half, self->n / 2);
  compare (self);
  prism_pool_run (self->pool, n_chunks, replace_rows, self);
  prism_fft_field_backward (self->fft, self->half, self->plane, self->n / 2);
  prism_pool_run (self->pool, n_chunks, reflect_rows, self);
  self->iteration++;
  if (!is_due (self))
    return;
  prism_phase_sync_transform (self, self->image);
  self->residual = compare (self);
}

/**
 * prism_phase_sync_search:
 * @self: an alignment that was begun
 * @control: asked between two passes
 * @n_passes: (inout): passes so far
 * @error: return location
 *
 * Searches waves and their phases, until the image is near enough to the waves or passes have
 * become too many. With noise a search passes by the image that is nearest, which is the result.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: whether the search has ended: residual says how far the image is from the waves
 */
gboolean
prism_phase_sync_search (PrismPhaseSync *self,
                         PrismControl *control,
                         guint *n_passes,
                         GError **error)
{
  const gsize n_bytes = self->n_pixels * sizeof (float);

  if (!prism_phase_sync_retrieve (self, control, error))
    return FALSE;
  while (!is_done (self))
    {
      guint n = 1;

      if (!prism_control_yield (control))
        return FALSE;
      PRISM_PROFILE (PRISM_STAGE_ALIGN);
      if (put (self))
        n = MIN (EVERY - self->iteration % EVERY, self->n_most - self->iteration);
      else
        pass (self);
      if (self->is_put && !search_on_device (self, n, error))
        return FALSE;
      if (is_due (self) && !(self->residual >= self->least))
        {
          self->least = self->residual;
          memcpy (self->best, self->image, n_bytes);
        }
      if (is_done (self))
        {
          self->residual = self->least;
          memcpy (self->image, self->best, n_bytes);
        }
      *n_passes += n;
    }
  leave (self);
  return TRUE;
}

/* ---- Redraw ---- */

/* Whether the boxes of two apertures, or of one and of the other's twin, have numbers in common. */
static gboolean
meet (const PrismMask *a,
      const PrismMask *b)
{
  const int h = a->height + b->height, w = a->width + b->width;
  const int ay = 2 * a->y0 + a->height, ax = 2 * a->x0 + a->width;
  const int by = 2 * b->y0 + b->height, bx = 2 * b->x0 + b->width;

  return (abs (ay - by) < h && abs (ax - bx) < w) || (abs (ay + by) < h && abs (ax + bx) < w);
}

/**
 * prism_phase_sync_redraw:
 * @self: an alignment
 * @image: (array): explains most frames
 * @left: (array length=N) (inout): what it leaves of each, 0 where that is noise; all 0 afterwards
 * @attempt: number of the drawing
 *
 * One wrong wave leads to an image that leaves too much of its frame, and of those around it. What
 * the image has behind that aperture is replaced by random numbers of the same energy, from which a
 * descent finds another wave; so it is with all frames that leave more than those that they meet.
 *
 * Shape: @image [m][m].
 * Source: numerics.md, “Alignment”.
 *
 * Returns: whether there is an image: at least half of the frames have to be explained
 */
gboolean
prism_phase_sync_redraw (PrismPhaseSync *self,
                         const float *image,
                         double *left,
                         guint attempt)
{
  const float scale = 1.0f / (self->n * self->n);
  const guint before = prism_tuning_get_count (PRISM_TUNING_FIELD_STARTS);
  guint n_left = 0;

  for (guint i = 0; i < self->n_samples; i++)
    n_left += left[i] > 0.0;
  if (2 * n_left > self->n_samples)
    return FALSE;
  leave (self);
  prism_phase_sync_transform (self, image);
  PRISM_PHASE_SYNC_EACH (frame, self)
  prism_phase_sync_gather (self, frame->mask, frame->given);
  for (;;)
    {
      guint worst = 0;
      PrismPhaseSyncFrame *frame;
      double energy;

      for (guint i = 1; i < self->n_samples; i++)
        if (left[i] > left[worst])
          worst = i;
      if (!(left[worst] > 0.0))
        break;
      frame = &self->frames[worst];
      energy = prism_wave_sum_squares (frame->given, 2 * prism_mask_count_box (frame->mask));
      prism_wave_draw (frame->mask, energy, self->seed, worst, before + attempt, frame->given);
      for (guint i = 0; i < self->n_samples; i++)
        if (i == worst || meet (frame->mask, self->frames[i].mask))
          left[i] = 0.0;
    }
  prism_pool_run (self->pool, self->n / ROWS, add_rows, self);
  prism_pool_run (self->pool, self->n / ROWS, replace_rows, self);
  prism_phase_sync_transform_back (self, scale, self->image);
  for (gsize i = 0; i < self->n_pixels; i++)
    self->image[i] = CLAMP (self->image[i], 0.0f, 1.0f);
  return TRUE;
}

/* ---- Fill ---- */

/* Σ(F - Q) of the frames takes the place of F. */
static void
subtract_rows (gpointer data,
               guint chunk,
               guint worker)
{
  PrismPhaseSync *self = data;
  const gsize w = self->n / 2 + 1, first = chunk * ROWS * w;
  const float scale = 1.0f / self->n;

  for (gsize i = first; i < first + ROWS * w; i++)
    {
      const float count = scale * self->count[i];

      self->half[2 * i] = count * self->half[2 * i] - self->sum[2 * i];
      self->half[2 * i + 1] = count * self->half[2 * i + 1] - self->sum[2 * i + 1];
    }
}

/* The slope of ½Σ|Q - F|² at the point. */
static void
compute_slope (PrismPhaseSync *self)
{
  prism_phase_sync_transform (self, self->point);
  compare (self);
  prism_pool_run (self->pool, self->n / ROWS, subtract_rows, self);
  prism_phase_sync_transform_back (self, 1.0f / self->n, self->slope);
}

/* strength: of the total variation. The momentum is forgotten where it leads uphill. */
static void
fill_pass (PrismPhaseSync *self,
           float strength)
{
  const gsize n_pixels = self->n_pixels;
  const float step = prism_tuning_get (PRISM_TUNING_FILL_STEP);
  const float length = step * (1.0f / self->most); /* the longest safe step, and more */
  const double next = 0.5 * (1.0 + sqrt (1.0 + 4.0 * self->momentum * self->momentum));
  float *values = self->slope, inertia = (self->momentum - 1.0) / next;
  double uphill = 0.0;

  compute_slope (self);
  for (gsize i = 0; i < n_pixels; i++)
    values[i] = self->point[i] - length * values[i];
  prism_variation_lower (self->variation, strength, self->across, self->down, values);
  for (gsize i = 0; i < n_pixels; i++)
    {
      const float value = values[i];

      uphill += (double) (self->point[i] - value) * (value - self->image[i]);
      values[i] = value - self->image[i];
      self->image[i] = value;
    }
  self->momentum = uphill > 0.0 ? 1.0 : next;
  if (uphill > 0.0)
    inertia = 0.0f;
  for (gsize i = 0; i < n_pixels; i++)
    self->point[i] = self->image[i] + inertia * values[i];
}

/**
 * prism_phase_sync_fill:
 * @self: an alignment whose search has ended
 * @control: asked between two passes
 * @pass: (inout): passes of the fill so far
 * @n_passes: of all of it
 * @smoothness: factor of the total variation, at least 0
 * @error: return location
 *
 * Improves the image by what the waves say, as far as their noise allows.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Source: numerics.md, “Alignment”.
 *
 * Returns: whether all passes are done
 */
gboolean
prism_phase_sync_fill (PrismPhaseSync *self,
                       PrismControl *control,
                       guint *pass,
                       guint n_passes,
                       double smoothness,
                       GError **error)
{
  const gsize n_bytes = self->n_pixels * sizeof (float);
  const double distance = self->has_noise ? self->residual : 0.0;
  const double first = MAX (2e-3,
                            prism_tuning_get (PRISM_TUNING_FILL_FIRST_IN_NOISE) * distance);
  const double last = MAX (FLT_EPSILON,
                           prism_tuning_get (PRISM_TUNING_FILL_LAST_IN_NOISE) * distance);

  if (!prism_phase_sync_retrieve (self, control, error))
    return FALSE;
  if (*pass == 0)
    {
      self->momentum = 1.0;
      memcpy (self->point, self->image, n_bytes);
      memset (self->across, 0, n_bytes);
      memset (self->down, 0, n_bytes);
    }
  for (; *pass < n_passes; ++*pass)
    {
      if (!prism_control_yield (control))
        return FALSE;
      PRISM_PROFILE (PRISM_STAGE_ALIGN);
      fill_pass (self, smoothness * first * pow (last / first, (double) *pass / n_passes));
    }
  return TRUE;
}
