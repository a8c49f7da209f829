/* How much of frames is noise, and how well a perfect model would predict them.
 *
 * An intensity that came through an objective has no frequency beyond twice its NA; noise, and what
 * rounding to grey levels adds, has all of them. So the power of a frame there (Hann's window keeps
 * the rest out) is its noise, whatever the frame shows: V, per pixel. A camera's noise follows one
 * law, V = read + shot·mean (the photon transfer curve, Janesick 2007), which all frames together
 * tell better than each; a frame that keeps to another one (exposures, HDR) has a factor of its
 * own: how far to believe the law follows from how much frames scatter about it beyond what so few
 * frequencies let expect (empirical Bayes, Efron and Morris 1973).
 *
 * Noise that a camera cuts off at zero shows less of itself: by the share of pixels that are zero
 * at most to 1/2 - 1/(2π).
 *
 * A perfect model predicts I, and the camera shows A = √max (0, I + noise). With the mean H(I) and
 * the variance W(I) of A (prism-expect) its correlation is, over the pixels,
 *
 *   cov (√I, H) / √(var √I · (var H + mean W)),
 *
 * and what it leaves of the frame is Σ W + (H - √I)². I is what is predicted, brought to the mean
 * and to that variance of the recorded frame that is no noise: its shape is the model's, how much
 * it shows is not. Measured against simulated frames with truth: test-frame-noise.c. */
#include "config.h"

#include "ptychography/prism-ptychogram.h"

#include "base/prism-pool.h"
#include "num/prism-expect.h"
#include "num/prism-fft.h"

#define GUARD 2.0 /* pixels of the spectrum beyond twice the NA that the window may fill */
#define CUT 1.32  /* of the variance that is gone, of the share of pixels that are zero */
#define MOST_CUT 0.66

typedef struct
{
  const PrismRecording *recording;
  int side;
  double window[256]; /* along a side, its square is that of a pixel */
  guint8 *beyond;     /* [side][side/2 + 1]: points that count, twice those for two */
  guint n_beyond;
  double *noises;    /* [N] V, as it shows */
  double *means;     /* [N] of the pixels */
  double *variances; /* [N] of the pixels */
  double *left;      /* [N]: of V, what is not cut off */
} Look;

/* Window, and points of a half spectrum that lie farther out than band pixels. */
static void
prepare (Look *look,
         double band)
{
  const int n = look->side, columns = n / 2 + 1;

  look->beyond = g_new (guint8, n * columns);
  for (int row = 0; row < n; row++)
    {
      look->window[row] = sin (G_PI * row / n);
      for (int column = 0; column < columns; column++)
        {
          const guint n_same = column == 0 || 2 * column == n ? 1 : 2;
          const gboolean is_beyond = hypot (MIN (row, n - row), column) > band;

          look->beyond[row * columns + column] = is_beyond ? n_same : 0;
          look->n_beyond += is_beyond ? n_same : 0;
        }
    }
}

/* Σ|F|² of the field beyond the band, a half spectrum. */
static double
sum_power (const Look *look,
           const float *half)
{
  double power = 0;

  for (int k = 0; k < look->side * (look->side / 2 + 1); k++)
    {
      const double re = half[2 * k], im = half[2 * k + 1];

      power += look->beyond[k] * (re * re + im * im);
    }
  return power;
}

static void
look_at_frame (gpointer data,
               guint j)
{
  Look *look = data;
  const PrismRecording *recording = look->recording;
  const int n = look->side;
  const gsize width = recording->width;
  const gsize corner = (recording->height - n) / 2 * width + (width - n) / 2;
  const float *frame = recording->frames + (gsize) j * recording->height * width + corner;
  const guint8 *mask = recording->mask != NULL ? recording->mask + corner : NULL;
  g_autofree float *field = g_new (float, n *n);
  g_autofree float *half = g_new (float, n *(n + 2));
  double sum = 0, squares = 0, weights = 0;
  guint n_seen = 0, n_zero = 0;

  for (int k = 0; k < n * n; k++)
    {
      const gsize at = (k / n) * width + k % n;
      const double value = frame[at];

      if (mask != NULL && mask[at] == 0)
        continue;
      sum += value;
      squares += value * value;
      n_zero += !(value > 0);
      n_seen++;
    }
  look->means[j] = sum / MAX (n_seen, 1);
  look->variances[j] = MAX (squares / MAX (n_seen, 1) - look->means[j] * look->means[j], 0);
  look->left[j] = 1 - MIN (CUT * n_zero / MAX (n_seen, 1), MOST_CUT);
  for (int k = 0; k < n * n; k++)
    {
      const gsize at = (k / n) * width + k % n;
      const double u = look->window[k / n], v = look->window[k % n];
      const double weight = mask != NULL && mask[at] == 0 ? 0 : u * u * v * v;

      field[k] = weight * (frame[at] - look->means[j]);
      weights += weight * weight;
    }
  prism_fft_transform (field, half, n, TRUE);
  look->noises[j] = sum_power (look, half) / MAX (weights * look->n_beyond, 1e-300);
}

/* read and shot that meet V of all frames best, relative to it. values: V with nothing cut off */
static void
fit_law (PrismFrameNoise *self,
         const double *means,
         const double *values,
         guint n)
{
  self->read = self->shot = 0;
  for (int round = 0; round < 5; round++)
    {
      double s[5] = { 0 }, determinant;

      for (guint j = 0; j < n; j++)
        {
          const double level = round == 0 ? values[j] : self->read + self->shot * means[j];
          const double w = level > 0 ? 1 / (level * level) : 0;
          const double x = MAX (means[j], 0);

          s[0] += w;
          s[1] += w * x;
          s[2] += w * x * x;
          s[3] += w * values[j];
          s[4] += w * x * values[j];
        }
      determinant = s[0] * s[2] - s[1] * s[1];
      if (!(s[0] > 0))
        return;
      self->read = determinant > 1e-9 * s[0] * s[2] ? (s[2] * s[3] - s[1] * s[4]) / determinant
                                                    : s[3] / s[0];
      self->shot = determinant > 1e-9 * s[0] * s[2] ? (s[0] * s[4] - s[1] * s[3]) / determinant : 0;
      if (self->shot < 0)
        {
          self->read = s[3] / s[0];
          self->shot = 0;
        }
      else if (self->read < 0)
        {
          self->shot = s[4] / s[2];
          self->read = 0;
        }
    }
}

/* How far each frame is believed instead of the law. */
static void
find_scales (PrismFrameNoise *self,
             const Look *look,
             const double *values,
             guint n)
{
  /* Each frequency stands there twice, and the window makes 1.94² of them alike. */
  const double expected = 2 * 3.78 / look->n_beyond;
  double scatter = 0;
  guint n_seen = 0;

  for (guint j = 0; j < n; j++)
    {
      const double level = self->read + self->shot * MAX (look->means[j], 0);

      self->scales[j] = level > 0 && values[j] > 0 ? log (values[j] / level) : 0;
      scatter += self->scales[j] * self->scales[j];
      n_seen += self->scales[j] != 0;
    }
  scatter /= MAX (n_seen, 1);
  self->trust = scatter > expected ? expected / scatter : 1;
  for (guint j = 0; j < n; j++)
    {
      const double level = self->read + self->shot * MAX (look->means[j], 0);
      const double variance = look->variances[j];
      double noise;

      self->scales[j] = exp ((1 - self->trust) * self->scales[j]);
      noise = self->scales[j] * level * look->left[j];
      self->signals[j] = variance > 0 ? sqrt (MAX (1 - noise / variance, 0)) : 0;
    }
}

/* Compared is √(|φ|² + f) with √(I - b + f), b a background, so that a frame in which noise goes
 * below the background says so and does not add its bright half alone. Of an intensity I with the
 * variance r + s·I the root √(I + r/s + 3s/8) has the same noise everywhere, and hardly a bias
 * (Anscombe 1948; Murtagh, Starck & Bijaoui 1995). Where r is nearly all, as where grey levels are
 * few, r/s has no bound, and steps, which are |φ|²/(|φ|² + f) times as long as without f, no end.
 * With f the brightest light L has √(L/f) times less noise than none, whose is σ = √r, and where
 * light is as dark as that noise steps are f/σ times shorter: f is √(L·σ) at most, where L/f and
 * f/σ are the same. */
static void
find_floor (PrismFrameNoise *self,
            guint n)
{
  double brightest = 0;

  for (guint j = 0; j < n; j++)
    brightest = MAX (brightest, self->means[j]);
  self->floor = sqrt (brightest * sqrt (self->read));
  if (self->shot > 0)
    self->floor = MIN (self->floor, self->read / self->shot);
}

/**
 * prism_frame_noise_measure:
 * @self: (out): the noise; prism_frame_noise_clear() it
 * @recording: frames with wavelength, NA and pixel
 * @side: pixels of the square in the middle of a frame that is looked at
 *
 * Finds the noise of all frames by what they have beyond twice the NA. Where a camera's pixels are
 * so large that they show nothing there, frames count as free of noise.
 */
void
prism_frame_noise_measure (PrismFrameNoise *self,
                           const PrismRecording *recording,
                           int side)
{
  const guint n = recording->n_frames;
  g_autofree double *numbers = g_new0 (double, 4 * (gsize) n);
  double *values = numbers + 3 * (gsize) n;
  Look look = { .recording = recording,
                .side = MIN (side, (int) G_N_ELEMENTS (look.window)),
                .noises = numbers,
                .means = g_new0 (double, n),
                .variances = numbers + n,
                .left = numbers + 2 * (gsize) n };

  self->read = self->shot = 0;
  self->scales = g_new (double, n);
  self->means = look.means;
  self->signals = g_new (double, n);
  prepare (&look, 2 * recording->na * recording->pixel_size * look.side / recording->wavelength
                      + GUARD);
  prism_parallel_run (n, (gsize) n * look.side * look.side, look_at_frame, &look);
  if (look.n_beyond >= 4)
    {
      for (guint j = 0; j < n; j++)
        values[j] = look.noises[j] / look.left[j];
      fit_law (self, look.means, values, n);
    }
  look.n_beyond = MAX (look.n_beyond, 4);
  find_scales (self, &look, values, n);
  find_floor (self, n);
  g_free (look.beyond);
}

/**
 * prism_frame_noise_clear:
 *
 * Frees what it holds.
 */
void
prism_frame_noise_clear (PrismFrameNoise *self)
{
  g_clear_pointer (&self->scales, g_free);
  g_clear_pointer (&self->means, g_free);
  g_clear_pointer (&self->signals, g_free);
}

static double
get_normal (double x)
{
  return 0.5 * erfc (-x / G_SQRT2);
}

/* How likely light with this mean, bright and dark by interference, and noise of deviation sigma
 * are together below x: an exponential distribution (Goodman 2007) and a normal one. */
static double
get_share_below (double x,
                 double mean,
                 double sigma)
{
  if (!(sigma > 0))
    return x > 0 ? -expm1 (-x / MAX (mean, 1e-300)) : 0;
  if (mean < 0.1 * sigma)
    return get_normal ((x - MAX (mean, 0)) / sigma);
  return get_normal (x / sigma)
         - exp (0.5 * sigma * sigma / (mean * mean) - x / mean)
               * get_normal (x / sigma - sigma / mean);
}

/**
 * prism_frame_noise_find_level:
 * @frames: (array length=n_frames): those that are dark
 * @n_frames: their number
 * @darkest: the intensity that a share of their pixels is below
 * @share: that share
 *
 * Finds what light there is everywhere, which is what the darkest pixels would have without noise.
 * Values that a camera cuts off at zero have no darker ones, and nothing is known of them. Where
 * frames do not keep to one law, nor is it known how the noise of a frame's darkest pixels differs
 * from that of all.
 *
 * Returns: that level, from @darkest to the mean of the darkest frame
 */
double
prism_frame_noise_find_level (const PrismFrameNoise *self,
                              const guint *frames,
                              guint n_frames,
                              double darkest,
                              double share)
{
  double low = darkest, high = INFINITY;

  for (guint i = 0; i < n_frames; i++)
    high = MIN (high, self->means[frames[i]]);
  for (int round = 0; round < 50 && darkest > 0 && low < high; round++)
    {
      const double level = (low + high) / 2;
      double sum = 0;

      for (guint i = 0; i < n_frames; i++)
        {
          const guint j = frames[i];
          const double noise = self->scales[j] * (self->read + self->shot * level);

          sum += get_share_below (darkest - level, self->means[j] - level,
                                  sqrt (self->trust * noise));
        }
      if (sum > share * n_frames)
        low = level;
      else
        high = level;
    }
  return low;
}

/* Mean and variance of intensities, where pixels are used. */
static void
add_up (const float *amplitudes,
        const float *recorded,
        gsize n,
        double *mean,
        double *variance)
{
  double sum = 0, squares = 0;
  gsize n_seen = 0;

  for (gsize i = 0; i < n; i++)
    if (!isnan (recorded[i]))
      {
        const double intensity = pow (MAX (amplitudes[i], 0), 2);

        sum += intensity;
        squares += intensity * intensity;
        n_seen++;
      }
  *mean = sum / MAX (n_seen, 1);
  *variance = MAX (squares / MAX (n_seen, 1) - *mean * *mean, 0);
}

/**
 * prism_frame_noise_limit:
 * @frame: which one
 * @level: of light that is everywhere and was taken off, as in prism_frame_noise_find_level()
 * @predicted: its amplitude, as bright as it was recorded
 * @recorded: its amplitude, as of PrismPtychogram
 * @n: number of pixels
 *
 * Shape: predicted, recorded [n].
 *
 * Returns: what a perfect model would come to
 */
PrismFrameLimit
prism_frame_noise_limit (const PrismFrameNoise *self,
                         guint frame,
                         double level,
                         const float *predicted,
                         const float *recorded,
                         gsize n)
{
  const double scale = self->scales[frame], read = scale * self->read, shot = scale * self->shot;
  const double floor = 1e-12;
  PrismFrameLimit limit = { .correlation = 1 };
  g_autoptr (PrismExpect) expect = NULL;
  double mean, variance, of_recorded, of_predicted, stretch;
  double p = 0, h = 0, pp = 0, hh = 0, ph = 0, w = 0;
  gsize n_seen = 0;

  add_up (recorded, recorded, n, &mean, &of_recorded);
  add_up (predicted, recorded, n, &variance, &of_predicted);
  /* Noise below zero is cut off of amplitudes, which makes them brighter. */
  mean = MIN (mean, self->means[frame] - level);
  stretch = of_predicted > 0 ? self->signals[frame] * sqrt (of_recorded / of_predicted) : 0;
  if (!(read + shot > 0) || !(mean > 0))
    return limit;
  expect = prism_expect_new (shot, read, floor * mean);
  for (gsize i = 0; i < n; i++)
    {
      const double intensity = predicted[i] * (double) predicted[i];
      const double root = sqrt (MAX (mean + stretch * (intensity - variance), 0));
      double shown, spread;
      float slope;

      if (isnan (recorded[i]))
        continue;
      shown = prism_expect_get (expect, root, &slope);
      spread = prism_expect_get_variance (expect, root);
      p += root;
      h += shown;
      pp += root * root;
      hh += shown * shown;
      ph += root * shown;
      w += spread;
      limit.error += spread + (shown - root) * (shown - root);
      n_seen++;
    }
  pp -= p * p / n_seen;
  hh += w - h * h / n_seen;
  limit.correlation = pp > 0 && hh > 0 ? (ph - p * h / n_seen) / sqrt (pp * hh) : 0;
  return limit;
}
