#include "config.h"

#include "ptychography/prism-ptychogram.h"

#include "base/prism-number.h"
#include "base/prism-pool.h"
#include "num/prism-linear.h"

/* A field of light that came through a lens is dark in many points, wherever it is looked at: what
 * its darkest pixels have in a tile of some pixels is stray light. Figures in docs/measurements.md.
 */
#define DEGREE PRISM_STRAY_LIGHT_DEGREE
#define TERMS PRISM_STRAY_LIGHT_TERMS
#define TILES 8     /* of a side */
#define MIN_SIDE 64 /* pixels: smaller tiles have too few dark points */
#define SHARE 0.05  /* of a tile's mean that its darkest pixels have without stray light */

typedef struct
{
  const PrismStrayLightView *view;
  guint n_dark;
  guint *frames;                      /* [n_dark] */
  guint n_samples;                    /* of a tile */
  float *values;                      /* [n_dark][TILES²][n_samples]: what is left */
  float *positions;                   /* [TILES²][n_samples][2]: -1…1 */
  float *terms;                       /* [n_dark][TERMS] */
  guint *n_shown;                     /* [n_dark]: tiles that show stray light */
  double tiles[TILES * TILES][TERMS]; /* the polynomials in their middles */
} Work;

static void
clear_work (Work *self)
{
  g_free (self->frames);
  g_free (self->values);
  g_free (self->positions);
  g_free (self->terms);
  g_free (self->n_shown);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, clear_work)

/* Legendre's, the constant first, then x and y. */
static void
evaluate (double x,
          double y,
          double values[TERMS])
{
  double a[DEGREE + 1] = { 1, x }, b[DEGREE + 1] = { 1, y };
  int n = 0;

  for (int k = 1; k < DEGREE; k++)
    {
      a[k + 1] = ((2 * k + 1) * x * a[k] - k * a[k - 1]) / (k + 1);
      b[k + 1] = ((2 * k + 1) * y * b[k] - k * b[k - 1]) / (k + 1);
    }
  for (int degree = 0; degree <= DEGREE; degree++)
    for (int k = 0; k <= degree; k++)
      values[n++] = a[degree - k] * b[k];
}

static double
sum_terms (const float *terms,
           const double *values,
           int n)
{
  double sum = 0;

  for (int k = 0; k < n; k++)
    sum += (double) terms[k] * values[k];
  return sum;
}

/* What a tile shows of stray light; mean: (out). NAN values are not used. */
static double
get_low (const float *values,
         guint n,
         double *mean)
{
  float least[7]; /* a fiftieth of the samples and one more */
  const guint wanted = MAX (1, n / 50) + 1;
  guint found = 0, used = 0;
  double sum = 0;

  for (guint i = 0; i < n; i++)
    {
      guint k = MIN (found, wanted - 1);

      if (isnan (values[i]))
        continue;
      sum += (double) values[i];
      used++;
      if (found == wanted && values[i] >= least[k])
        continue;
      for (; k > 0 && values[i] < least[k - 1]; k--)
        least[k] = least[k - 1];
      least[k] = values[i];
      found = MIN (found + 1, wanted);
    }
  *mean = used > 0 ? sum / used : 0;
  return found > 0 ? ((double) least[found - 1] - SHARE * *mean) / (1 - SHARE) : 0;
}

static const float *
get_tile (const Work *self,
          guint i,
          guint tile)
{
  return self->values + ((gsize) i * TILES * TILES + tile) * self->n_samples;
}

/* Points of a tile; odd steps, so that they are not all in one column. */
static void
sample_tile (gpointer data,
             guint tile)
{
  Work *self = data;
  const PrismStrayLightView *view = self->view;
  const PrismRecording *recording = view->recording;
  const guint from_x = tile % TILES * view->side / TILES;
  const guint from_y = tile / TILES * view->side / TILES;
  const guint width = (tile % TILES + 1) * view->side / TILES - from_x;
  const guint height = (tile / TILES + 1) * view->side / TILES - from_y;
  const gsize n_pixels = (gsize) recording->width * recording->height;
  gsize at[256];

  evaluate (2 * (from_x + width / 2.0) / view->side - 1,
            2 * (from_y + height / 2.0) / view->side - 1, self->tiles[tile]);
  for (guint s = 0; s < self->n_samples; s++)
    {
      const guint p = (guint) ((guint64) s * width * height / self->n_samples);
      const guint x = from_x + p % width, y = from_y + p / width;
      const gsize to = (gsize) tile * self->n_samples + s;

      at[s] = (gsize) (view->top + y) * recording->width + view->left + x;
      self->positions[2 * to] = (float) (2 * (x + 0.5) / view->side - 1);
      self->positions[2 * to + 1] = (float) (2 * (y + 0.5) / view->side - 1);
    }
  for (guint i = 0; i < self->n_dark; i++)
    for (guint s = 0; s < self->n_samples; s++)
      self->values[((gsize) i * TILES * TILES + tile) * self->n_samples + s]
          = recording->mask != NULL && recording->mask[at[s]] == 0
                ? NAN
                : recording->frames[self->frames[i] * n_pixels + at[s]]
                      - (float) view->background;
}

static gsize
count_values (const Work *self)
{
  return (gsize) self->n_dark * TILES * TILES * self->n_samples;
}

static gboolean
look (Work *self,
      const PrismStrayLightView *view)
{
  const guint n = view->recording->n_frames;

  self->view = view;
  if (view->side < MIN_SIDE)
    return FALSE;
  self->frames = g_new (guint, n);
  for (guint j = 0; j < n; j++)
    if (view->distances[j] > 1 + PRISM_RECORDING_RIM)
      self->frames[self->n_dark++] = j;
  if (self->n_dark < PRISM_RECORDING_FEW)
    return FALSE;
  self->n_samples = MIN (256, (view->side / TILES) * (view->side / TILES));
  self->values = g_new0 (float, (gsize) self->n_dark *TILES *TILES * self->n_samples);
  self->positions = g_new (float, (gsize) 2 * TILES * TILES * self->n_samples);
  self->terms = g_new0 (float, (gsize) self->n_dark *TERMS);
  self->n_shown = g_new0 (guint, self->n_dark);
  prism_parallel_run (TILES * TILES, count_values (self), sample_tile, self);
  return TRUE;
}

static void
count_shown (gpointer data,
             guint i)
{
  const Work *self = data;

  for (guint tile = 0; tile < TILES * TILES; tile++)
    {
      double mean, low = get_low (get_tile (self, i, tile), self->n_samples, &mean);

      self->n_shown[i] += low > 0.3 * mean && low > 0;
    }
}

/* Whether there is any that is not the same everywhere: a fifth of all tiles shows it; of recorded
 * sets 0.003 and 0.023 of them do. */
static gboolean
is_uneven (Work *self)
{
  guint n_shown = 0;

  prism_parallel_run (self->n_dark, count_values (self), count_shown, self);
  for (guint i = 0; i < self->n_dark; i++)
    n_shown += self->n_shown[i];
  return n_shown > self->n_dark * TILES * TILES / 5;
}

/* Takes so much off what is left of a frame. */
static void
take_off (Work *self,
          guint i,
          const float terms[TERMS],
          int n_terms)
{
  float *values = self->values + (gsize) i * TILES * TILES * self->n_samples;

  for (int k = 0; k < n_terms; k++)
    self->terms[(gsize) i * TERMS + k] += terms[k];
  for (guint p = 0; p < TILES * TILES * self->n_samples; p++)
    {
      const float x = self->positions[2 * p], y = self->positions[2 * p + 1];

      values[p] -= terms[0] + terms[1] * x + terms[2] * y;
    }
}

/* Least squares. weights: (nullable) [TILES²] */
static void
fit (const Work *self,
     const double *lows,
     const double *weights,
     int n_terms,
     float terms[TERMS])
{
  double matrix[TERMS * (TERMS + 1)] = { 0 };
  const int stride = n_terms + 1;

  for (guint tile = 0; tile < TILES * TILES; tile++)
    for (int a = 0; a < n_terms; a++)
      {
        const double part = (weights != NULL ? weights[tile] : 1) * self->tiles[tile][a];

        for (int b = 0; b < n_terms; b++)
          matrix[a * stride + b] += part * self->tiles[tile][b];
        matrix[a * stride + n_terms] += part * lows[tile];
      }
  for (int a = 0; a < n_terms; a++)
    matrix[a * stride + a] *= 1 + 1e-9;
  prism_linear_solve (matrix, n_terms);
  for (int a = 0; a < n_terms; a++)
    terms[a] = (float) matrix[a * stride + n_terms];
}

static double
get_median (double *values,
            guint n)
{
  prism_sort_doubles (values, n);
  return values[n / 2];
}

/* A plane that lies on the lower ones: tiles with much light have bright darkest pixels. */
static void
fit_plane (const Work *self,
           const double lows[TILES * TILES],
           float terms[TERMS])
{
  double weights[TILES * TILES], rests[TILES * TILES], sizes[TILES * TILES];

  for (guint tile = 0; tile < TILES * TILES; tile++)
    weights[tile] = 1;
  for (int round = 0; round < 8; round++)
    {
      double scale;

      fit (self, lows, weights, 3, terms);
      for (guint tile = 0; tile < TILES * TILES; tile++)
        {
          rests[tile] = lows[tile] - sum_terms (terms, self->tiles[tile], 3);
          sizes[tile] = fabs (rests[tile]);
        }
      scale = 1.5 * get_median (sizes, TILES * TILES) + 1e-30;
      for (guint tile = 0; tile < TILES * TILES; tile++)
        weights[tile] = rests[tile] > 0 ? 1 / (1 + pow (rests[tile] / scale, 2)) : 1;
    }
}

static void
find_lows (const Work *self,
           guint i,
           double lows[TILES * TILES])
{
  double mean;

  for (guint tile = 0; tile < TILES * TILES; tile++)
    lows[tile] = get_low (get_tile (self, i, tile), self->n_samples, &mean);
}

static void
take_level_off (gpointer data,
                guint i)
{
  double lows[TILES * TILES];
  float terms[TERMS] = { 0 };

  find_lows (data, i, lows);
  terms[0] = (float) get_median (lows, TILES * TILES);
  take_off (data, i, terms, 3);
}

static void
take_plane_off (gpointer data,
                guint i)
{
  double lows[TILES * TILES];
  float terms[TERMS] = { 0 };

  find_lows (data, i, lows);
  fit_plane (data, lows, terms);
  take_off (data, i, terms, 3);
}

/* How much stray light a frame has, times the median. weights: (out) [n_dark] */
static void
weigh (const Work *self,
       double *weights)
{
  g_autofree double *sorted = g_new (double, self->n_dark);
  double median;

  for (guint i = 0; i < self->n_dark; i++)
    sorted[i] = weights[i] = MAX ((double) self->terms[(gsize) i * TERMS], 0);
  median = get_median (sorted, self->n_dark);
  for (guint i = 0; i < self->n_dark; i++)
    weights[i] = median > 0 ? weights[i] / median : 1;
}

/* The shape that is left in all frames, as bright in each as its stray light. */
static void
take_shape_off (Work *self)
{
  g_autofree double *weights = g_new (double, self->n_dark);
  g_autofree double *lows = g_new (double, (gsize) self->n_dark *TILES *TILES);
  g_autofree double *values = g_new (double, self->n_dark);
  const guint n = TILES * TILES * self->n_samples;
  g_autofree float *shape = g_new (float, n);
  double medians[TILES * TILES];
  float terms[TERMS];

  weigh (self, weights);
  for (guint i = 0; i < self->n_dark; i++)
    find_lows (self, i, lows + (gsize) i * TILES * TILES);
  for (guint tile = 0; tile < TILES * TILES; tile++)
    {
      for (guint i = 0; i < self->n_dark; i++)
        values[i] = lows[(gsize) i * TILES * TILES + tile] / MAX (weights[i], 0.2);
      medians[tile] = get_median (values, self->n_dark);
    }
  fit (self, medians, NULL, TERMS, terms);
  for (guint p = 0; p < n; p++)
    {
      double at[TERMS];

      evaluate ((double) self->positions[2 * p], (double) self->positions[2 * p + 1], at);
      shape[p] = (float) sum_terms (terms, at, TERMS);
    }
  for (guint i = 0; i < self->n_dark; i++)
    {
      for (int k = 0; k < TERMS; k++)
        self->terms[(gsize) i * TERMS + k] += (float) weights[i] * terms[k];
      for (guint p = 0; p < n; p++)
        self->values[(gsize) i * n + p] -= (float) weights[i] * shape[p];
    }
}

/* Bright frames hide theirs: they have what the dark ones have. */
static float *
spread (const Work *self)
{
  const guint n = self->view->recording->n_frames;
  float *all = g_new (float, (gsize) n *TERMS);
  g_autofree double *values = g_new (double, self->n_dark);

  for (int k = 0; k < TERMS; k++)
    {
      float median;

      for (guint i = 0; i < self->n_dark; i++)
        values[i] = (double) self->terms[(gsize) i * TERMS + k];
      median = (float) get_median (values, self->n_dark);
      for (guint j = 0; j < n; j++)
        all[(gsize) j * TERMS + k] = median;
    }
  for (guint i = 0; i < self->n_dark; i++)
    memcpy (all + (gsize) self->frames[i] * TERMS, self->terms + (gsize) i * TERMS,
            TERMS * sizeof *all);
  return all;
}

/**
 * prism_stray_light_find:
 * @view: frames, and which of them are dark
 *
 * Finds the stray light of every frame beyond the background where the darkest pixels of many dark
 * frames show that it is not the same everywhere.
 *
 * Shape: [N][PRISM_STRAY_LIGHT_TERMS].
 *
 * Returns: (transfer full) (nullable): for prism_stray_light_draw(); %NULL where there is none
 */
float *
prism_stray_light_find (const PrismStrayLightView *view)
{
  g_auto (Work) work = { 0 };

  if (!look (&work, view) || !is_uneven (&work))
    return NULL;
  prism_parallel_run (work.n_dark, count_values (&work), take_level_off, &work);
  for (int round = 0; round < 5; round++)
    {
      prism_parallel_run (work.n_dark, count_values (&work), take_plane_off, &work);
      take_shape_off (&work);
    }
  return spread (&work);
}

/**
 * prism_stray_light_draw:
 * @terms: of a frame
 * @side: of the square
 * @field: (out caller-allocates): its stray light beyond the background
 *
 * Shape: field [side][side].
 */
void
prism_stray_light_draw (const float *terms,
                        guint side,
                        float *field)
{
  for (guint row = 0; row < side; row++)
    for (guint column = 0; column < side; column++)
      {
        double at[TERMS];

        evaluate (2 * (column + 0.5) / side - 1, 2 * (row + 0.5) / side - 1, at);
        field[(gsize) row * side + column] = (float) sum_terms (terms, at, TERMS);
      }
}
