#include "config.h"

#include "recording/prism-recording-private.h"

#include "recording/prism-recording-geometry.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "base/prism-pool.h"

#define SHARED 0.001    /* of a frame's pixels that have the largest value of all: a full camera */
#define FEWEST_BRIGHT 3 /* frames inside the NA */
#define GLARING 10.0    /* times their light: gains make up for less */
#define SCRAMBLED 30.0  /* times their noise: bright frames of recorded sets have at most 4 times */
#define LEAST_SCRAMBLED 0.05
#define MOST_SPOILT 3  /* frames: where there are more the NA is wrong */
#define MOST_FRAMES 24 /* of the dark ones that are looked at */
#define NOISE 0.3      /* of the power within the band: recorded sets have 0.014 and 0.034 */
#define FEW_VALUES 12  /* of a dark frame: recorded sets have 30 to 60 */
#define ROUNDED 0.02   /* of a dark frame's variance: recorded sets have at most 0.003 */

static double
count_full (float *frame,
            gsize n_pixels,
            double top)
{
  guint n = 0;

  for (gsize i = 0; i < n_pixels; i++)
    n += frame[i] >= (float) top;
  return n;
}

static void
take_as_dark (PrismRecording *self,
              guint frame)
{
  const gsize n_pixels = (gsize) self->height * self->width;

  memset (self->frames + frame * n_pixels, 0, n_pixels * sizeof *self->frames);
}

/* Frames that are full nearly everywhere are as good as dark ones; of others it is said. */
static void
find_saturation (PrismRecording *self)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  double most = 0;
  const float top = prism_recording_get_largest (self);
  g_autofree double *full = prism_recording_look (self, count_full, (double) top);
  g_autoptr (GArray) dark = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *list = NULL;
  guint n_frames = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    {
      n_frames += full[j] > SHARED * n_pixels;
      most = MAX (most, full[j]);
    }
  if (most < 4 || most <= SHARED * n_pixels)
    return;
  prism_recording_note (self,
                        ngettext ("%u frame has the largest value, %g, in more than %g %% of its"
                                  " pixels: the camera was full there.",
                                  "%u frames have the largest value, %g, in more than %g %% of"
                                  " their pixels: the camera was full there.",
                                  n_frames),
                        n_frames, (double) top, 100 * SHARED);
  for (guint j = 0; j < self->n_frames; j++)
    if (full[j] > n_pixels / 2)
      {
        take_as_dark (self, j);
        g_array_append_val (dark, j);
      }
  if (dark->len == 0)
    return;
  list = prism_recording_dup_list (dark);
  prism_recording_note (self,
                        ngettext ("Frame %s is full nearly everywhere, and is taken as dark.",
                                  "Frames %s are full nearly everywhere, and are taken as dark.",
                                  dark->len),
                        list);
}

/* The darker half, some of them. Returns their number */
static guint
choose_dark (const PrismRecording *self,
             guint chosen[MOST_FRAMES])
{
  const guint n_dark = self->n_frames / 2, n = MIN (n_dark, MOST_FRAMES);
  g_autofree PrismFrameLight *all = prism_recording_rank_by_light (self, FALSE);

  for (guint i = 0; i < n; i++)
    chosen[i] = all[(gsize) i * n_dark / n].frame;
  return n;
}

/* What the values of a frame tell. */
enum
{
  N_VALUES, /* how many different ones there are */
  ROUNDING, /* what rounding to the least step between two adds to the variance, a share of it */
  MOST_RESULTS,
};

/* Frames that are looked at each for itself. */
typedef struct
{
  const PrismRecording *recording;
  const guint *frames;
  guint n;
  double *results;         /* [n_results][n], NAN where something fails */
  const double *distances; /* (nullable) [side][side]: pixels from the spectrum's middle */
} Looks;

/* What is found for each frame. n_results: of what func finds; distances: (nullable): for spectra.
 * Returns: [n_results][n], NAN where something fails */
static double *
look_at_all (const PrismRecording *self,
             const guint *frames,
             guint n,
             PrismParallelFunc func,
             const double *distances,
             guint n_results)
{
  Looks looks = { self, frames, n, g_new (double, n_results *(gsize) n), distances };

  for (gsize i = 0; i < n_results * (gsize) n; i++)
    looks.results[i] = NAN;
  prism_parallel_run (n, (gsize) n * self->height * self->width, func, &looks);
  return looks.results;
}

/* NAN where one is. */
static double
get_median (double *values,
            guint n)
{
  for (guint k = 0; k < n; k++)
    if (isnan (values[k]))
      return NAN;
  prism_sort_doubles (values, n);
  return values[n / 2];
}

/* Power beyond the band that an intensity can have, over that within, per pixel of the spectrum;
 * fails where nothing is beyond. */
static void
find_noise (gpointer data,
            guint k)
{
  Looks *looks = data;
  const PrismRecording *self = looks->recording;
  const int side = prism_recording_geometry_get_side (self);
  const double radius = 2 * self->na * self->pixel_size * side / self->wavelength;
  g_autofree float *spectrum = g_new (float, (gsize) side *side);
  double within = 0, beyond = 0;
  guint n_within = 0, n_beyond = 0;

  if (!prism_recording_geometry_compute_spectrum (self, looks->frames[k], spectrum))
    return;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        const double distance = looks->distances[y * side + x];
        const double power = exp (2 * (double) spectrum[y * side + x]);

        if (distance > radius + PRISM_RECORDING_GEOMETRY_CENTER)
          {
            beyond += power;
            n_beyond++;
          }
        else if (distance > PRISM_RECORDING_GEOMETRY_CENTER && distance < radius)
          {
            within += power;
            n_within++;
          }
      }
  if (n_beyond > 0 && n_within > 0)
    looks->results[k] = within > 0 ? beyond / n_beyond / (within / n_within) : 1;
}

/* Of each frame. */
static double *
find_noises (const PrismRecording *self,
             const guint *frames,
             guint n)
{
  const int side = prism_recording_geometry_get_side (self);
  g_autofree double *distances = g_new (double, (gsize) side *side);

  for (int p = 0; p < side * side; p++)
    distances[p] = hypot (p % side - side / 2, p / side - side / 2);
  return look_at_all (self, frames, n, find_noise, distances, 1);
}

static double
measure_noise (const PrismRecording *self,
               const guint *frames,
               guint n)
{
  g_autofree double *noises = find_noises (self, frames, n);

  return get_median (noises, n);
}

/* Frames inside the NA have about the same light, and the others less, so that many times what most
 * of the first have is no light of an LED. How many they are is known; which ones, if their order
 * is right. bright: the frames, brightest first. Returns how many are too bright */
static guint
clear_glaring (PrismRecording *self,
               const PrismFrameLight *bright,
               double usual)
{
  guint n = 0;

  while (bright[n].light > GLARING * usual)
    n++;
  if (n > MOST_SPOILT)
    return 0;
  for (guint i = 0; i < n; i++)
    {
      prism_recording_note (self,
                            _ ("Frame %u has %.0f times the light of other bright ones, and is"
                               " taken as dark."),
                            bright[i].frame, bright[i].light / usual);
      take_as_dark (self, bright[i].frame);
    }
  return n;
}

/* A counter that has run over leaves a frame as bright as others, but full of edges. bright: [n] */
static void
clear_scrambled (PrismRecording *self,
                 const PrismFrameLight *bright,
                 guint n)
{
  g_autofree guint *frames = g_new (guint, n);
  g_autofree double *noises = NULL;
  g_autofree double *sorted = NULL;
  guint n_spoilt = 0;
  double limit;

  for (guint k = 0; k < n; k++)
    frames[k] = bright[k].frame;
  noises = find_noises (self, frames, n);
  for (guint k = 0; k < n; k++)
    noises[k] = isnan (noises[k]) ? 0 : noises[k];
  sorted = g_memdup2 (noises, n * sizeof *noises);
  prism_sort_doubles (sorted, n);
  limit = MAX (SCRAMBLED * sorted[n / 2], LEAST_SCRAMBLED);
  for (guint k = 0; k < n; k++)
    n_spoilt += noises[k] > limit;
  for (guint k = 0; k < n && n_spoilt <= MOST_SPOILT; k++)
    if (noises[k] > limit)
      {
        prism_recording_note (self,
                              _ ("Frame %u has details that no objective of this NA shows, as where"
                                 " a counter has run over, and is taken as dark."),
                              bright[k].frame);
        take_as_dark (self, bright[k].frame);
      }
}

/* All that the sorted values tell. */
static void
find_values (gpointer data,
             guint k)
{
  Looks *looks = data;
  const gsize n_pixels = (gsize) looks->recording->height * looks->recording->width;
  g_autofree float *values = g_memdup2 (looks->recording->frames + looks->frames[k] * n_pixels,
                                        n_pixels * sizeof *values);
  double sum = 0, squares = 0, step = INFINITY, variance;
  gsize n_values = 1;

  prism_arena_touch (looks->recording->frames, n_pixels * sizeof *values);
  prism_sort_floats (values, n_pixels);
  for (gsize i = 0; i < n_pixels; i++)
    {
      sum += (double) values[i];
      squares += (double) values[i] * (double) values[i];
      if (i == 0 || !(values[i] > values[i - 1]))
        continue;
      step = MIN (step, (double) values[i] - (double) values[i - 1]);
      n_values++;
    }
  variance = squares / n_pixels - sum / n_pixels * sum / n_pixels;
  looks->results[N_VALUES * looks->n + k] = n_values;
  looks->results[ROUNDING * looks->n + k]
      = isfinite (step) && variance > 0 ? step * step / 12 / variance : 1;
}

/* Squares of amplitudes have nothing beyond twice the aperture, amplitudes have. Returns whether
 * that is so; the frames are left as they are. */
static gboolean
are_amplitudes (PrismRecording *self,
                const guint *frames,
                guint n,
                double noise)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  prism_autofree_array float *squares
      = prism_arena_new_array ((gsize) n * n_pixels * sizeof *squares, "some frames", NULL);
  PrismRecording part = *self;
  guint all[MOST_FRAMES];

  if (squares == NULL)
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      all[k] = k;
      for (gsize i = 0; i < n_pixels; i++)
        {
          const float value = self->frames[frames[k] * n_pixels + i];

          squares[k * n_pixels + i] = value * value;
        }
      prism_arena_touch (self->frames, n_pixels * sizeof *squares);
    }
  part.frames = squares;
  part.n_frames = n;
  return measure_noise (&part, all, n) < noise;
}

/**
 * prism_recording_quality_check:
 * @may_be: whether nobody has said what the values are
 *
 * Says where the camera was full, takes frames for dark that it filled or that are spoilt, and says
 * what dark frames cannot show: more than noise, or more than a few values. Of values that look
 * like amplitudes it is said how they are squared.
 */
void
prism_recording_quality_check (PrismRecording *self,
                               gboolean may_be)
{
  guint frames[MOST_FRAMES], n;
  g_autofree double *values = NULL;
  double noise, n_values, rounding;

  find_saturation (self);
  if (self->n_frames < 2 * PRISM_RECORDING_FEW || !prism_recording_has_optics (self))
    return;
  prism_recording_quality_leave_out (self);
  n = choose_dark (self, frames);
  values = look_at_all (self, frames, n, find_values, NULL, MOST_RESULTS);
  n_values = get_median (values + N_VALUES * n, n);
  rounding = get_median (values + ROUNDING * n, n);
  noise = measure_noise (self, frames, n);
  if (n_values < FEW_VALUES || rounding > ROUNDED)
    prism_recording_note (self,
                          ngettext ("Dark frames have about %u value each: what they show of the"
                                    " object is lost in it; expose them longer.",
                                    "Dark frames have about %u different values each: what they"
                                    " show of the object is lost in them; expose them longer.",
                                    (gulong) n_values),
                          (guint) n_values);
  else if (noise > NOISE)
    prism_recording_note (self,
                          _ ("%.0f %% of what dark frames show is noise, which nothing predicts;"
                             " expose them longer."),
                          100 * MIN (noise, 1));
  else if (may_be && are_amplitudes (self, frames, n, noise))
    prism_recording_note (self, _ ("The values look like amplitudes: squared they would have fewer"
                                   " details that no objective of this NA shows; values=amplitude"
                                   " squares them."));
}

/**
 * prism_recording_quality_leave_out:
 * @self: frames; without directions nothing is done
 *
 * Takes bright frames for dark, with a note, that are far too bright or scrambled: they would spoil
 * what all others say. Dark frames are left out.
 */
void
prism_recording_quality_leave_out (PrismRecording *self)
{
  g_autofree PrismFrameLight *all = prism_recording_rank_by_light (self, TRUE);
  guint n_in = 0, n_glaring, n = 0;
  double usual;

  if (self->directions == NULL || !prism_recording_has_optics (self))
    return;
  for (gsize j = 0; j < self->n_frames; j++)
    n_in += hypot (self->directions[2 * j], self->directions[2 * j + 1])
            < PRISM_RECORDING_INSIDE * self->na;
  if (n_in < FEWEST_BRIGHT)
    return;
  usual = all[n_in / 2].light;
  n_glaring = clear_glaring (self, all, usual);
  while (n < n_in && all[n].light > PRISM_RECORDING_BRIGHT * usual)
    n++;
  if (n >= n_glaring + FEWEST_BRIGHT)
    clear_scrambled (self, all + n_glaring, n - n_glaring);
}
