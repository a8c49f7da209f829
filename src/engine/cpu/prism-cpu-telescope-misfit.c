#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

static gboolean
add_term (PrismCpuTelescope *self,
          const PrismMisfitTerm *term)
{
  const PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  PrismPixelKind kind = term->noise > 0.0f ? PRISM_PIXEL_L2_NOISY : PRISM_PIXEL_L2_AMPLITUDE;

  if (slot->mask->height == 0)
    return TRUE;
  if (!prism_cpu_telescope_add_view (self, slot->mask, slot->target, kind, 2.0f * term->weight))
    return FALSE;
  self->views[self->n_views - 1].noise = term->noise;
  return TRUE;
}

/* What the kernels do not do by themselves. */
static gboolean
is_special (PrismCpuTelescope *self,
            const PrismMisfitTerm *term)
{
  const PrismMask *mask = self->slots[term->slot].mask;

  return mask->n_parts > 0 || (term->read > 0.0f && mask->height > 0);
}

/* Returns its misfit. */
static double
add_special_term (PrismCpuTelescope *self,
                  const PrismMisfitTerm *term,
                  float *gradient)
{
  PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  const gboolean noisy = term->noise > 0.0f || term->read > 0.0f;
  const PrismCpuTelescopeComparison comparison = {
    .mask = slot->mask,
    .target = slot->target,
    .kind = noisy ? PRISM_PIXEL_L2_NOISY : PRISM_PIXEL_L2_AMPLITUDE,
    .noise = term->noise,
    .expect = prism_cpu_telescope_ensure_expect (slot, term),
  };
  double sums[2];

  prism_cpu_telescope_add_parts (self, &comparison, 2.0f * term->weight, TRUE, gradient, sums);
  return term->weight * sums[0];
}

/* The terms first … end-1, whose views have been visited. */
static double
sum_misfits (PrismCpuTelescope *self,
             const PrismMisfitTerm *terms,
             guint first,
             guint end)
{
  double misfit = 0.0;
  guint view = 0;

  for (guint i = first; i < end; i++)
    {
      const PrismCpuTelescopeSlot *slot = &self->slots[terms[i].slot];
      double sums[2] = { slot->mean_square * self->image_size * self->image_size, 0.0 };

      if (slot->mask->height > 0)
        prism_cpu_telescope_get_sums (self, view++, sums);
      misfit += terms[i].weight * sums[0];
    }
  return misfit;
}

/**
 * prism_cpu_telescope_add_misfit_gradient:
 * @self: a telescope
 * @image: (array): an estimate of the object
 * @terms: (array length=n_terms): measurements that are bound, weights and noise
 * @n_terms: number of terms
 * @gradient: (array) (inout): the derivative of what is added to @misfit is added to it
 * @misfit: (inout): Σ w·Σ(H(|φ|)-T)² is added to it
 *
 * How far an image is from explaining some measurements, and where it would have to go.
 *
 * Shape: @image and @gradient [m][m].
 * Thread: engine.
 * Source: numerics.md, “Refinement”.
 */
void
prism_cpu_telescope_add_misfit_gradient (PrismCpuTelescope *self,
                                         const float *image,
                                         const PrismMisfitTerm *terms,
                                         guint n_terms,
                                         float *gradient,
                                         double *misfit)
{
  gboolean transformed = FALSE;

  for (guint first = 0, end = 0; first < n_terms; first = end)
    {
      if (prism_cpu_telescope_takes_samples (self, &terms[first]))
        {
          while (end < n_terms && prism_cpu_telescope_takes_samples (self, &terms[end]))
            end++;
          prism_cpu_telescope_add_samples (self, image, terms + first, end - first, gradient,
                                           misfit);
          transformed = FALSE;
          continue;
        }
      if (!transformed)
        prism_cpu_telescope_transform_image (self, image);
      transformed = TRUE;
      if (is_special (self, &terms[first]))
        {
          *misfit += add_special_term (self, &terms[end++], gradient);
          continue;
        }
      prism_cpu_telescope_clear_views (self);
      while (end < n_terms && !is_special (self, &terms[end])
             && !prism_cpu_telescope_takes_samples (self, &terms[end])
             && add_term (self, &terms[end]))
        end++;
      prism_cpu_telescope_expand_views (self);
      prism_cpu_telescope_visit_views (self);
      prism_cpu_telescope_reduce_views (self);
      prism_cpu_telescope_restore_views (self, TRUE, gradient);
      *misfit += sum_misfits (self, terms, first, end);
    }
}

/* SSIM compares neighbours, so its rows are read in natural order, pixel by pixel, out of the
 * amplitude that the transforms left in theirs; the slope is written back the same way. Then the
 * detector's rows are visited once more: y·slope/|y| is what PRISM_PIXEL_PROJECT leaves. */

#define BAND PRISM_CPU_TELESCOPE_BAND

typedef enum
{
  PLANE_SEEN,
  PLANE_TARGET,
  PLANE_SLOPE,
  N_PLANES,
} Plane;

typedef struct
{
  PrismCpuTelescope *self;
  const float *target; /* [n][n] amplitude, the telescope's order */
  gboolean intensity;
  gboolean derivatives;
  int n_scales;
  int scale;                            /* images of size n >> scale */
  double terms[PRISM_SSIM_MAX_SCALES];  /* mean of each scale */
  double slopes[PRISM_SSIM_MAX_SCALES]; /* of the result for the terms */
} SimilarityStage;

/* Rows of one worker's band. */
typedef struct
{
  SimilarityStage *stage;
  int scale;
} RowSource;

static float *
get_amplitude (PrismCpuTelescope *self)
{
  return self->spectrum_re;
}

static float *
get_slope (PrismCpuTelescope *self)
{
  return self->spectrum_im;
}

/* Row y of a plane of scale 1 or more; scale 0 is in the telescope's order. */
static float *
get_row (PrismCpuTelescope *self,
         int scale,
         Plane plane,
         int y)
{
  const gsize size = self->image_size >> scale;
  float *first = self->pyramid;

  for (int i = 1; i < scale; i++)
    first += N_PLANES * (gsize) (self->image_size >> i) * (self->image_size >> i);
  return first + (plane * size + y) * size;
}

static void
load_first_row (const SimilarityStage *stage,
                int y,
                float *a,
                float *b)
{
  PrismCpuTelescope *self = stage->self;
  const float *seen = get_amplitude (self) + self->place_y[y];
  const float *target = stage->target + self->place_y[y];

  for (int x = 0; x < self->image_size; x++)
    {
      a[x] = seen[self->place_x[x]];
      b[x] = target[self->place_x[x]];
    }
  for (int x = 0; x < self->image_size && stage->intensity; x++)
    {
      a[x] *= a[x];
      b[x] *= b[x];
    }
}

static void
load_row (gpointer data,
          int y,
          float *a,
          float *b)
{
  const RowSource *source = data;
  PrismCpuTelescope *self = source->stage->self;
  const gsize n_bytes = (self->image_size >> source->scale) * sizeof (float);

  if (source->scale == 0)
    {
      load_first_row (source->stage, y, a, b);
      return;
    }
  memcpy (a, get_row (self, source->scale, PLANE_SEEN, y), n_bytes);
  memcpy (b, get_row (self, source->scale, PLANE_TARGET, y), n_bytes);
}

static void
store_row (gpointer data,
           int y,
           const float *gradient)
{
  const RowSource *source = data;
  PrismCpuTelescope *self = source->stage->self;
  const int size = self->image_size >> source->scale;
  float *slope = get_slope (self) + self->place_y[y];

  if (source->scale > 0)
    memcpy (get_row (self, source->scale, PLANE_SLOPE, y), gradient, size * sizeof *gradient);
  else
    for (int x = 0; x < size; x++)
      slope[self->place_x[x]] = gradient[x];
}

static void
sum_band (gpointer data,
          guint chunk,
          guint worker)
{
  SimilarityStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int size = self->image_size >> stage->scale, first = chunk * BAND;
  RowSource source = { stage, stage->scale };
  PrismSsimTask task = {
    .height = size,
    .width = size,
    .luminance = stage->n_scales == 1 || stage->scale == PRISM_SSIM_MAX_SCALES - 1,
    .load_row = load_row,
    .store_row = stage->derivatives ? store_row : NULL,
    .data = &source,
  };

  self->band_sums[chunk] = prism_ssim_band_sum (&self->bands[worker], &task, first,
                                                MIN (first + BAND, size));
}

/* 2×2 means of the rows of the scale before. */
static void
pool_band (gpointer data,
           guint chunk,
           guint worker)
{
  SimilarityStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int size = self->image_size >> stage->scale, first = chunk * BAND;
  RowSource source = { stage, stage->scale - 1 };
  float *a = prism_cpu_telescope_get_work (self, worker);
  float *b = a + 4 * size;

  for (int y = first; y < MIN (first + BAND, size); y++)
    {
      float *seen = get_row (self, stage->scale, PLANE_SEEN, y);
      float *target = get_row (self, stage->scale, PLANE_TARGET, y);

      load_row (&source, 2 * y, a, b);
      load_row (&source, 2 * y + 1, a + 2 * size, b + 2 * size);
      for (int x = 0; x < size; x++)
        {
          const float *upper = a + 2 * x, *lower = upper + 2 * size;

          seen[x] = 0.25f * (upper[0] + upper[1] + lower[0] + lower[1]);
          upper += 4 * size;
          lower += 4 * size;
          target[x] = 0.25f * (upper[0] + upper[1] + lower[0] + lower[1]);
        }
    }
}

/* The slope for |y|: all scales together, and |y|² where intensities are compared. The factor 1/4
 * of each mean cancels with the smaller number of pixels. */
static void
join_band (gpointer data,
           guint chunk,
           guint worker)
{
  SimilarityStage *stage = data;
  PrismCpuTelescope *self = stage->self;
  const int n = self->image_size, first = chunk * BAND;
  float *sum = prism_cpu_telescope_get_work (self, worker);

  for (int y = first; y < MIN (first + BAND, n); y++)
    {
      const float *seen = get_amplitude (self) + self->place_y[y];
      float *slope = get_slope (self) + self->place_y[y];

      for (int x = 0; x < n; x++)
        sum[x] = (float) stage->slopes[0] * slope[self->place_x[x]];
      for (int scale = 1; scale < stage->n_scales; scale++)
        {
          const float *row = get_row (self, scale, PLANE_SLOPE, y >> scale);

          for (int x = 0; x < n; x++)
            sum[x] += (float) stage->slopes[scale] * row[x >> scale];
        }
      for (int x = 0; x < n; x++)
        {
          const int i = self->place_x[x];

          slope[i] = stage->intensity ? 2.0f * seen[i] * sum[x] : sum[x];
        }
    }
}

static int
count_bands (int size)
{
  return (size + BAND - 1) / BAND;
}

/* SSIM or MS-SSIM of what is seen and the target; with derivatives, the slope too. */
static double
compute_similarity (SimilarityStage *stage)
{
  PrismCpuTelescope *self = stage->self;
  double similarity;

  for (int scale = 0; scale < stage->n_scales; scale++)
    {
      const int size = self->image_size >> scale, n_bands = count_bands (size);
      double sum = 0.0;

      stage->scale = scale;
      if (scale > 0)
        prism_pool_run (self->pool, n_bands, pool_band, stage);
      prism_pool_run (self->pool, n_bands, sum_band, stage);
      for (int i = 0; i < n_bands; i++)
        sum += self->band_sums[i];
      stage->terms[scale] = sum / ((double) size * size);
    }
  if (stage->n_scales == 1)
    {
      similarity = stage->terms[0];
      stage->slopes[0] = 1.0;
    }
  else
    similarity = prism_ssim_combine_scales (stage->terms, stage->n_scales, stage->slopes);
  if (stage->derivatives && (stage->n_scales > 1 || stage->intensity))
    prism_pool_run (self->pool, count_bands (self->image_size), join_band, stage);
  return similarity;
}

/**
 * prism_cpu_telescope_add_similarity:
 * @self: a telescope, with the half spectrum of the image
 * @step: whose loss is SSIM or MS-SSIM
 * @term: one of its terms
 * @accumulate: whether to add to @gradient
 * @gradient: (array): gradient of the term
 *
 * One term of an SSIM loss: weight·(1 - similarity)/2. ePIE's spectrum is lost.
 *
 * Shape: @gradient [m][m].
 * Source: numerics.md § 7.
 *
 * Returns: the weighted loss
 */
double
prism_cpu_telescope_add_similarity (PrismCpuTelescope *self,
                                    const PrismStep *step,
                                    const PrismTerm *term,
                                    gboolean accumulate,
                                    float *gradient)
{
  const PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  const int n = self->image_size;
  SimilarityStage stage = {
    .self = self,
    .target = slot->target,
    .intensity = step->domain == PRISM_DOMAIN_INTENSITY,
    .derivatives = slot->mask->height > 0,
    .n_scales = step->loss == PRISM_LOSS_SSIM ? 1 : prism_ssim_get_n_scales (n, n),
  };
  const float gain = -0.5f * term->weight / ((float) n * n);
  double similarity;

  prism_cpu_telescope_see (self, slot->mask, get_amplitude (self));
  prism_cpu_telescope_fill_places (self, slot->mask);
  similarity = compute_similarity (&stage);
  if (slot->mask->n_parts > 0)
    {
      prism_cpu_telescope_return_parts (self, slot->mask, get_amplitude (self), get_slope (self),
                                        gain, accumulate, gradient);
      return term->weight * 0.5 * (1.0 - similarity);
    }
  if (self->n_views > 0)
    {
      self->views[0].kind = PRISM_PIXEL_PROJECT;
      self->views[0].target = get_slope (self);
      self->views[0].gain = gain;
      prism_cpu_telescope_visit_views (self);
      prism_cpu_telescope_reduce_views (self);
    }
  prism_cpu_telescope_restore_views (self, accumulate, gradient);
  return term->weight * 0.5 * (1.0 - similarity);
}
