#include "config.h"

#include "num/prism-phase.h"

#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "num/prism-linear.h"

#define TURN (2 * G_PI)
#define ROUNDS 12          /* of a plane that looks away from what is no ground */
#define MAX_SAMPLES 100000 /* pixels that a plane is laid through */

/* Two neighbours, the first pixel left of the second or above it. */
typedef struct
{
  guint32 key;   /* bits of how unlike the phases around them change: the least come first */
  guint32 first; /* 2·pixel, and 1 more where the second is below */
} Edge;

/* A forest: pixels whose turns against each other are settled hang on one root. */
typedef struct
{
  guint32 *parents; /* [h·w] */
  gint32 *turns;    /* [h·w]: of 2π, against the parent */
  guint32 *sizes;   /* [h·w]: of a root, its pixels */
} Forest;

static float
wrap (float phase)
{
  return phase - (float) TURN * roundf (phase / (float) TURN);
}

/**
 * prism_phase_find_ramp:
 * @field: complex numbers
 * @ramp: (out) (array fixed-size=2): rad a pixel along columns and rows
 *
 * Finds the mean slope of the phase, bright pixels first: the argument of the sum of each pixel
 * times the conjugate of its neighbour, which turns of 2π do not disturb.
 *
 * Shape: field [h][w][2].
 */
void
prism_phase_find_ramp (const float *field,
                       int height,
                       int width,
                       double ramp[2])
{
  double sums[2][2] = { { 0 } };

  for (int y = 0; y + 1 < height; y++)
    for (int x = 0; x + 1 < width; x++)
      {
        const float *a = field + 2 * ((gsize) y * width + x);
        const float *others[2] = { a + 2, a + 2 * (gsize) width };

        for (int k = 0; k < 2; k++)
          {
            sums[k][0] += others[k][0] * a[0] + others[k][1] * a[1];
            sums[k][1] += others[k][1] * a[0] - others[k][0] * a[1];
          }
      }
  for (int k = 0; k < 2; k++)
    ramp[k] = atan2 (sums[k][1], sums[k][0]);
}

/* How much the phase bends at a pixel: the squares of its second differences along four lines. */
static float
get_bend (const float *phase,
          int x,
          int y,
          int height,
          int width)
{
  static const int steps[4][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 1, -1 } };
  const gsize i = (gsize) y * width + x;
  float sum = 0;

  if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
    return 4 * TURN * TURN;
  for (int k = 0; k < 4; k++)
    {
      const gssize step = steps[k][1] * (gssize) width + steps[k][0];
      const float bend = wrap (phase[(gssize) i - step] - phase[i])
                         - wrap (phase[i] - phase[(gssize) i + step]);

      sum += bend * bend;
    }
  return sum;
}

/* Bits of floats that are not negative are in the order of the floats: three rounds of 11 bits. */
static void
sort_edges (Edge *edges,
            Edge *spare,
            gsize n)
{
  for (int shift = 0; shift < 33; shift += 11)
    {
      gsize counts[2049] = { 0 };
      Edge *swap = edges;

      for (gsize i = 0; i < n; i++)
        counts[(edges[i].key >> shift & 2047) + 1]++;
      for (int k = 0; k < 2048; k++)
        counts[k + 1] += counts[k];
      for (gsize i = 0; i < n; i++)
        spare[counts[edges[i].key >> shift & 2047]++] = edges[i];
      edges = spare;
      spare = swap;
    }
}

static gsize
make_edges (const float *phase,
            const float *bends,
            int height,
            int width,
            Edge *edges)
{
  gsize n = 0;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (guint k = 0; k < 2; k++)
        {
          const gsize i = (gsize) y * width + x, j = i + (k == 0 ? 1 : (gsize) width);
          float sum;

          if (k == 0 ? x + 1 == width : y + 1 == height)
            continue;
          sum = bends[i] + bends[j];
          memcpy (&edges[n].key, &sum, sizeof sum);
          edges[n++].first = (guint32) (2 * i + k);
        }
  return n;
}

/* turns: (out): of the pixel against its root */
static guint32
find_root (Forest *self,
           guint32 pixel,
           gint32 *turns)
{
  guint32 root = pixel;
  gint32 sum = 0;

  while (self->parents[root] != root)
    {
      sum += self->turns[root];
      root = self->parents[root];
    }
  *turns = sum;
  /* The next time it is one step. */
  while (self->parents[pixel] != root && pixel != root)
    {
      const guint32 next = self->parents[pixel];
      const gint32 own = self->turns[pixel];

      self->parents[pixel] = root;
      self->turns[pixel] = sum;
      sum -= own;
      pixel = next;
    }
  return root;
}

/* Turns one of the trees so that both pixels are less than half a turn apart. */
static void
join (Forest *self,
      const float *phase,
      guint32 a,
      guint32 b)
{
  gint32 turns_a, turns_b;
  guint32 root_a = find_root (self, a, &turns_a), root_b = find_root (self, b, &turns_b);
  gint32 between = turns_a - turns_b + (gint32) lrintf ((phase[a] - phase[b]) / (float) TURN);

  if (root_a == root_b)
    return;
  if (self->sizes[root_a] < self->sizes[root_b])
    {
      const guint32 swap = root_a;

      root_a = root_b;
      root_b = swap;
      between = -between;
    }
  self->parents[root_b] = root_a;
  self->turns[root_b] = between;
  self->sizes[root_a] += self->sizes[root_b];
}

/* The mean is less than half a turn from 0. */
static void
apply_turns (Forest *self,
             const float *phase,
             float *unwrapped,
             gsize n)
{
  double sum = 0;
  float common;

  for (gsize i = 0; i < n; i++)
    {
      gint32 turns;

      find_root (self, (guint32) i, &turns);
      unwrapped[i] = phase[i] + (float) TURN * turns;
      sum += unwrapped[i];
    }
  common = TURN * round (sum / n / TURN);
  for (gsize i = 0; i < n; i++)
    unwrapped[i] -= common;
}

/**
 * prism_phase_unwrap:
 * @phase: from -π to π
 * @unwrapped: (out): the same up to whole turns, neighbours less than half a turn apart where that
 *   can be
 *
 * Puts turns of 2π right: neighbours are joined in the order of how smoothly the phase changes
 * around them, so that noise and tears come last and spoil nothing but themselves.
 *
 * Shape: [h][w], less than 2³¹ pixels.
 * Errors: PRISM_ERROR_MEMORY.
 * Source: Herráez and others, Applied Optics 41 (2002), 7437.
 *
 * Returns: whether there was memory
 */
gboolean
prism_phase_unwrap (const float *phase,
                    float *unwrapped,
                    int height,
                    int width,
                    GError **error)
{
  const gsize n = (gsize) height * width;
  prism_autofree_array Edge *edges
      = prism_arena_new_array (4 * n * sizeof *edges, "the unwrapped phase", error);
  prism_autofree_array guint32 *numbers = NULL;
  Forest forest;
  gsize n_edges;

  if (edges == NULL)
    return FALSE;
  numbers = prism_arena_new_array (3 * n * sizeof *numbers, "the unwrapped phase", error);
  if (numbers == NULL)
    return FALSE;
  forest = (Forest) { numbers, (gint32 *) numbers + n, numbers + 2 * n };
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      unwrapped[(gsize) y * width + x] = get_bend (phase, x, y, height, width);
  n_edges = make_edges (phase, unwrapped, height, width, edges);
  sort_edges (edges, edges + 2 * n, n_edges);
  for (gsize i = 0; i < n; i++)
    {
      forest.parents[i] = (guint32) i;
      forest.turns[i] = 0;
      forest.sizes[i] = 1;
    }
  /* An odd number of rounds ends in the spare half. */
  for (const Edge *edge = edges + 2 * n; edge < edges + 2 * n + n_edges; edge++)
    {
      const guint32 pixel = edge->first / 2;

      join (&forest, phase, pixel, pixel + (edge->first % 2 == 0 ? 1 : (guint32) width));
    }
  apply_turns (&forest, phase, unwrapped, n);
  return TRUE;
}

/* Weighted sums of what a plane is made of: 1, x and y from -1 to 1. */
static gboolean
fit_plane (const float *phase,
           int height,
           int width,
           gsize stride,
           double scale,
           double plane[3])
{
  double matrix[3][4] = { { 0 } };

  for (gsize i = 0; i < (gsize) height * width; i += stride)
    {
      const double x = 2.0 * (i % width) / width - 1;
      const double y = 2.0 * (i / width) / height - 1;
      const double terms[3] = { 1, x, y };
      const double off = phase[i] - plane[0] - plane[1] * x - plane[2] * y;
      const double weight = scale > 0 ? 1 / (1 + off * off / (scale * scale)) : 1;

      if (!isfinite (off))
        continue;
      for (int a = 0; a < 3; a++)
        {
          for (int b = 0; b < 3; b++)
            matrix[a][b] += weight * terms[a] * terms[b];
          matrix[a][3] += weight * terms[a] * phase[i];
        }
    }
  if (!(matrix[0][0] > 0 && matrix[1][1] > 0 && matrix[2][2] > 0))
    return FALSE;
  prism_linear_solve (&matrix[0][0], 3);
  for (int a = 0; a < 3; a++)
    plane[a] = matrix[a][3];
  return TRUE;
}

/* The median of how far pixels are from the plane. */
static double
get_spread (const float *phase,
            int height,
            int width,
            gsize stride,
            const double plane[3],
            float *spare)
{
  gsize n = 0;

  for (gsize i = 0; i < (gsize) height * width; i += stride)
    {
      const double x = 2.0 * (i % width) / width - 1;
      const double y = 2.0 * (i / width) / height - 1;
      const double off = phase[i] - plane[0] - plane[1] * x - plane[2] * y;

      if (isfinite (off))
        spare[n++] = (float) fabs (off);
    }
  prism_sort_floats (spare, n);
  return n > 0 ? spare[n / 2] : 0;
}

/**
 * prism_phase_flatten:
 * @phase: (inout): an unwrapped phase
 *
 * Takes off the plane that most pixels lie on: a ramp is a shift of all lights together and says
 * nothing of the object. What stands out of the ground, as cells do, hardly moves the plane.
 *
 * Shape: [h][w].
 */
void
prism_phase_flatten (float *phase,
                     int height,
                     int width)
{
  /* Odd, so that it does not fall into step with the columns. */
  const gsize n = (gsize) height * width, stride = n / MAX_SAMPLES | 1;
  g_autofree float *spare = g_new (float, n / stride + 1);
  double plane[3] = { 0 }, scale = 0;

  for (int round = 0; round < ROUNDS; round++)
    {
      if (!fit_plane (phase, height, width, stride, scale, plane))
        return;
      scale = get_spread (phase, height, width, stride, plane, spare);
      if (!(scale > 0))
        break;
    }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      phase[(gsize) y * width + x]
          -= (float) (plane[0] + plane[1] * (2.0 * x / width - 1)
                      + plane[2] * (2.0 * y / height - 1));
}

/* 0 where a picture has no value. Returns: (transfer full) (nullable) [h][w][2] */
static float *
make_field (const float *amplitude,
            const float *phase,
            int height,
            int width,
            GError **error)
{
  const gsize n = (gsize) height * width;
  float *field = prism_arena_new_array (2 * n * sizeof *field, "a complex picture", error);

  for (gsize i = 0; field != NULL && i < n; i++)
    {
      const gboolean is_known = isfinite (amplitude[i]) && isfinite (phase[i]);

      field[2 * i] = is_known ? amplitude[i] * cosf (phase[i]) : 0;
      field[2 * i + 1] = is_known ? amplitude[i] * sinf (phase[i]) : 0;
    }
  return field;
}

/* Σ field·exp(-i(ramp·(x, y))). */
static void
sum_levelled (const float *field,
              int height,
              int width,
              const double ramp[2],
              double sum[2])
{
  const double step[2] = { cos (ramp[0]), -sin (ramp[0]) };

  sum[0] = sum[1] = 0;
  for (int y = 0; y < height; y++)
    {
      double turn[2] = { cos (ramp[1] * y), -sin (ramp[1] * y) };

      for (int x = 0; x < width; x++)
        {
          const float *at = field + 2 * ((gsize) y * width + x);
          const double next = turn[0] * step[0] - turn[1] * step[1];

          sum[0] += turn[0] * at[0] - turn[1] * at[1];
          sum[1] += turn[0] * at[1] + turn[1] * at[0];
          turn[1] = turn[0] * step[1] + turn[1] * step[0];
          turn[0] = next;
        }
    }
}

/**
 * prism_phase_level:
 * @amplitude: of an object
 * @phase: of it
 * @levelled: (out): its phase without its ramp, the mean is 0
 *
 * Nobody knows the phase of the light and where the board of the lights stands to a fraction of a
 * pixel: what they make of an object's phase is taken off.
 *
 * Shape: all [h][w].
 * Units: rad, -π … π.
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory
 */
gboolean
prism_phase_level (const float *amplitude,
                   const float *phase,
                   float *levelled,
                   int height,
                   int width,
                   GError **error)
{
  prism_autofree_array float *field = make_field (amplitude, phase, height, width, error);
  double ramp[2], sum[2], mean;

  if (field == NULL)
    return FALSE;
  prism_phase_find_ramp (field, height, width, ramp);
  sum_levelled (field, height, width, ramp, sum);
  mean = atan2 (sum[1], sum[0]);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        const gsize i = (gsize) y * width + x;

        levelled[i]
            = remainder (phase[i] - ramp[0] * x - ramp[1] * y - mean, TURN);
      }
  return TRUE;
}

/**
 * prism_phase_correlate:
 * @amplitudes: of two objects
 * @phases: of them
 *
 * Says how alike two complex objects are, whatever their brightness and the phase and ramp between
 * them: |Σ(a-ā)(b-b̄)*| / √(Σ|a-ā|²·Σ|b-b̄|²), where the mean slope of the phase of a·b* is taken
 * off. Pixels that either has no value for do not count.
 *
 * Shape: all [h][w].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: 0 … 1, NAN where an object is the same everywhere, or without memory
 */
double
prism_phase_correlate (const float *const amplitudes[2],
                       const float *const phases[2],
                       int height,
                       int width,
                       GError **error)
{
  static const double none[2] = { 0 };
  const gsize n = (gsize) height * width;
  prism_autofree_array float *a = make_field (amplitudes[0], phases[0], height, width, error);
  prism_autofree_array float *b
      = a != NULL ? make_field (amplitudes[1], phases[1], height, width, error) : NULL;
  double ramp[2], sum[2], sum_a[2], sum_b[2], back[2], powers[2] = { 0 }, share;
  const float *const of[2] = { a, b };
  gsize n_known = 0;

  if (b == NULL)
    return NAN;
  for (gsize i = 0; i < n; i++)
    {
      if (isfinite (amplitudes[0][i]) && isfinite (amplitudes[1][i]))
        n_known++;
      else
        a[2 * i] = a[2 * i + 1] = b[2 * i] = b[2 * i + 1] = 0;
    }
  share = 1.0 / n_known;
  sum_levelled (a, height, width, none, sum_a);
  for (gsize i = 0; i < n; i++)
    {
      const float re = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
      const float im = a[2 * i + 1] * b[2 * i] - a[2 * i] * b[2 * i + 1];

      for (int k = 0; k < 2; k++)
        powers[k] += (double) of[k][2 * i] * of[k][2 * i]
                     + (double) of[k][2 * i + 1] * of[k][2 * i + 1];
      a[2 * i] = re;
      a[2 * i + 1] = im;
    }
  prism_phase_find_ramp (a, height, width, ramp);
  sum_levelled (a, height, width, ramp, sum);
  back[0] = -ramp[0];
  back[1] = -ramp[1];
  sum_levelled (b, height, width, back, sum_b);
  sum[0] -= share * (sum_a[0] * sum_b[0] + sum_a[1] * sum_b[1]);
  sum[1] -= share * (sum_a[1] * sum_b[0] - sum_a[0] * sum_b[1]);
  powers[0] -= share * (sum_a[0] * sum_a[0] + sum_a[1] * sum_a[1]);
  powers[1] -= share * (sum_b[0] * sum_b[0] + sum_b[1] * sum_b[1]);
  if (!(powers[0] > 0 && powers[1] > 0))
    return NAN;
  return MIN (hypot (sum[0], sum[1]) / sqrt (powers[0] * powers[1]), 1);
}

/**
 * prism_phase_turn_back:
 * @values: (inout): complex numbers
 * @n: how many
 * @sum: a complex number; where it is 0, nothing is done
 *
 * Takes the phase of a sum off, so that it would be real.
 *
 * Shape: values [n][2].
 */
void
prism_phase_turn_back (float *values,
                       gsize n,
                       const double sum[2])
{
  const double length = hypot (sum[0], sum[1]);
  const float c = sum[0] / length, s = sum[1] / length;

  for (gsize i = 0; length > 0 && i < n; i++)
    {
      const float re = values[2 * i], im = values[2 * i + 1];

      values[2 * i] = re * c + im * s;
      values[2 * i + 1] = im * c - re * s;
    }
}
