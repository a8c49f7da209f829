#include "config.h"

#include "cpu/prism-cpu-telescope-private.h"

/* A field through an aperture of radius r has frequencies up to r, its intensity up to 2r, so that
 * a few of a frame's points hold all of it. Every step-th row and column are some of the parts of
 * which the transforms consist anyway, and lie one after the other in a target.
 *
 * The spectrum of the image is computed once for many frames. Each frame is then the work of one
 * thread, which takes the box out of the spectrum and leaves what goes back in a patch; the patches
 * are added up in the order of the terms, whatever thread made them.
 *
 * Dimensions of this file: n = image_size, q = n/step, L = length of a transform. */

#define MAX_FRAMES 256     /* of one batch */
#define ROWS_AT_ONCE 8     /* of the spectrum that one thread adds patches to */
#define LEAST_POWER_STEP 2 /* moving masks and read noise are not taken below */

/* One frame on its way. */
typedef struct
{
  const PrismMisfitTerm *term;
  const PrismMask *mask;
  PrismCpuTelescopeLattice lattice;
  gboolean is_held;          /* as these points alone */
  guint n_parts;             /* of a mask that moves; 1 for one that does not */
  guint n_tiles;             /* blocks of columns of the box */
  gsize stride;              /* floats of a block of rows of the plane, */
  gsize patch_size;          /* and of a patch: [n_tiles][height] elements */
  float *patches;            /* [n_parts] patches */
  const PrismExpect *expect; /* (nullable) for read noise */
  double sums[2];
} Frame;

/* Of one thread. */
typedef struct
{
  float *plane; /* [q/lanes][n_tiles·lanes] elements */
  gsize size;   /* floats */
  float *power; /* (nullable) [n/LEAST_POWER_STEP/lanes][n][lanes] */
} Worker;

struct _PrismCpuTelescopeSamples
{
  gboolean has_power;
  guint n_workers;
  Worker *workers;
  float *slope_re; /* [n][n] the derivative for the spectrum */
  float *slope_im;
  float *patches; /* of all frames of a batch */
  gsize capacity; /* floats */
  gsize n_used;
  Frame frames[MAX_FRAMES];
  guint n_frames;
};

static gsize
count_plane_bytes (PrismCpuTelescope *self)
{
  return (gsize) self->image_size * self->image_size * sizeof (float);
}

/**
 * prism_cpu_telescope_get_sample_bytes:
 * @image_size: n
 * @with_power: of prism_cpu_telescope_allow_samples()
 * @n_threads: of the pool
 *
 * What frames at some of their points take beside small arrays of each thread.
 *
 * Units: bytes.
 * Thread: any.
 *
 * Returns: the size
 */
guint64
prism_cpu_telescope_get_sample_bytes (int image_size,
                                      gboolean with_power,
                                      guint n_threads)
{
  const guint64 plane = (guint64) image_size * image_size * sizeof (float);

  return 3 * plane + (with_power ? n_threads * plane / LEAST_POWER_STEP : 0);
}

/**
 * prism_cpu_telescope_allow_samples:
 * @self: a telescope, without measurements bound
 * @with_power: whether there are masks that move, or read noise; without the memory for it these
 *   take whole frames
 * @error: return location
 *
 * Makes room for terms of a misfit that look at some points of their frames.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_cpu_telescope_allow_samples (PrismCpuTelescope *self,
                                   gboolean with_power,
                                   GError **error)
{
  const gsize bytes = count_plane_bytes (self);
  PrismCpuTelescopeSamples *samples = g_new0 (PrismCpuTelescopeSamples, 1);

  self->samples = samples;
  samples->has_power = with_power;
  samples->n_workers = prism_pool_get_n_threads (self->pool);
  samples->workers = g_new0 (Worker, samples->n_workers);
  samples->slope_re = prism_arena_new_array (bytes, "the frames' points", error);
  samples->slope_im = samples->slope_re != NULL
                          ? prism_arena_new_array (bytes, "the frames' points", error)
                          : NULL;
  return samples->slope_im != NULL;
}

/**
 * prism_cpu_telescope_free_samples:
 * @self: a telescope
 *
 * Thread: engine.
 */
void
prism_cpu_telescope_free_samples (PrismCpuTelescope *self)
{
  PrismCpuTelescopeSamples *samples = self->samples;

  if (samples == NULL)
    return;
  for (guint i = 0; i < samples->n_workers; i++)
    {
      prism_arena_free_array (samples->workers[i].plane);
      prism_arena_free_array (samples->workers[i].power);
    }
  prism_arena_free_array (samples->slope_re);
  prism_arena_free_array (samples->slope_im);
  prism_arena_free_array (samples->patches);
  g_free (samples->workers);
  g_free (samples);
}

static guint
count_tiles (PrismCpuTelescope *self,
             const PrismMask *part)
{
  return (part->width + self->kernels->lanes - 1) / self->kernels->lanes;
}

static gsize
get_patch_size (PrismCpuTelescope *self,
                const PrismMask *part)
{
  return (gsize) count_tiles (self, part) * part->height * 2 * self->kernels->lanes;
}

static gboolean
grow (float **array,
      gsize *size,
      gsize wanted,
      GError **error)
{
  if (wanted <= *size)
    return TRUE;
  prism_arena_free_array (*array);
  *size = 0;
  *array = prism_arena_new_array (wanted * sizeof (float), "the frames' points", error);
  if (*array != NULL)
    *size = wanted;
  return *array != NULL;
}

/**
 * prism_cpu_telescope_fit_samples:
 * @self: a telescope
 * @mask: that will be bound
 * @error: return location
 *
 * Makes sure that there is room for the points of a frame through it.
 *
 * Errors: PRISM_ERROR_MEMORY.
 * Thread: engine.
 *
 * Returns: whether there is
 */
gboolean
prism_cpu_telescope_fit_samples (PrismCpuTelescope *self,
                                 const PrismMask *mask,
                                 GError **error)
{
  PrismCpuTelescopeSamples *samples = self->samples;
  const PrismMask *part = prism_mask_get_part (mask, 0);
  const gsize plane = (gsize) self->image_size * count_tiles (self, part) * 2
                      * self->kernels->lanes;
  const gsize patches = MAX (mask->n_parts, 1) * get_patch_size (self, part);
  const gsize n_pixels = (gsize) self->image_size * self->image_size;

  if (samples == NULL)
    return TRUE;
  if (!grow (&samples->patches, &samples->capacity, MAX (patches, n_pixels), error))
    return FALSE;
  for (guint i = 0; i < samples->n_workers; i++)
    {
      Worker *worker = &samples->workers[i];

      if (!grow (&worker->plane, &worker->size, plane, error))
        return FALSE;
      if (!samples->has_power)
        continue;
      if (worker->power == NULL)
        worker->power = prism_arena_new_array (n_pixels / LEAST_POWER_STEP * sizeof (float),
                                               "the frames' points", error);
      if (worker->power == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
needs_power (const PrismMask *mask,
             const PrismMisfitTerm *term)
{
  return mask->n_parts > 0 || term->read > 0.0f;
}

/**
 * prism_cpu_telescope_takes_samples:
 * @self: a telescope
 * @term: of a misfit
 *
 * Thread: engine.
 *
 * Returns: whether the term is one for prism_cpu_telescope_add_samples()
 */
gboolean
prism_cpu_telescope_takes_samples (PrismCpuTelescope *self,
                                   const PrismMisfitTerm *term)
{
  const PrismMask *mask = self->slots[term->slot].mask;

  if (self->samples == NULL || term->step == 0)
    return FALSE;
  return !needs_power (mask, term)
         || (term->step >= LEAST_POWER_STEP && self->samples->has_power);
}

/**
 * prism_cpu_telescope_ensure_expect:
 * @slot: of a telescope
 * @term: that looks at it
 *
 * Thread: engine.
 *
 * Returns: (transfer none) (nullable): the table for the term's read noise, %NULL without any
 */
const PrismExpect *
prism_cpu_telescope_ensure_expect (PrismCpuTelescopeSlot *slot,
                                   const PrismMisfitTerm *term)
{
  if (term->read <= 0.0f)
    return NULL;
  if (!prism_expect_matches (slot->expect, term->noise, term->read, term->offset))
    {
      prism_expect_free (slot->expect);
      slot->expect = prism_expect_new (term->noise, term->read, term->offset);
    }
  return slot->expect;
}

/* Adds a frame to the batch where there is room for it. */
static gboolean
add_frame (PrismCpuTelescope *self,
           const PrismMisfitTerm *term)
{
  PrismCpuTelescopeSamples *samples = self->samples;
  PrismCpuTelescopeSlot *slot = &self->slots[term->slot];
  Frame *frame = &samples->frames[samples->n_frames];
  const PrismMask *part = prism_mask_get_part (slot->mask, 0);

  if (samples->n_frames == MAX_FRAMES)
    return FALSE;
  *frame = (Frame) {
    .term = term,
    .mask = slot->mask,
    .is_held = slot->step > 0,
    .n_parts = MAX (slot->mask->n_parts, 1),
    .n_tiles = count_tiles (self, part),
    .patch_size = get_patch_size (self, part),
    .patches = samples->patches + samples->n_used,
    .expect = prism_cpu_telescope_ensure_expect (slot, term),
  };
  prism_cpu_telescope_lattice_init (&frame->lattice, self, part, term->step, term->offset_y,
                                    term->offset_x);
  frame->stride = (gsize) frame->n_tiles * self->kernels->lanes * 2 * self->kernels->lanes;
  if (samples->n_used + frame->n_parts * frame->patch_size > samples->capacity)
    return FALSE;
  samples->n_used += frame->n_parts * frame->patch_size;
  samples->n_frames++;
  return TRUE;
}

/* A tile of the part's box out of the spectrum. */
static void
load_tile (PrismCpuTelescope *self,
           const PrismMask *part,
           guint tile,
           float *patch)
{
  const int n = self->image_size, lanes = self->kernels->lanes, x = (int) tile * lanes;
  const int count = MIN (lanes, part->width - x);
  gsize row = (gsize) (part->y0 + n / 2) * n + part->x0 + n / 2 + x;

  for (int y = 0; y < part->height; y++, row += n, patch += 2 * lanes)
    {
      if (count < lanes)
        memset (patch, 0, 2 * lanes * sizeof (float));
      memcpy (patch, self->spectrum_re + row, count * sizeof (float));
      memcpy (patch + lanes, self->spectrum_im + row, count * sizeof (float));
    }
}

/* From the spectrum through one part of a mask to the columns of the plane. */
static void
expand_frame (PrismCpuTelescope *self,
              const Frame *frame,
              const PrismMask *part,
              float *plane,
              guint worker)
{
  const PrismCpuTelescopeKernels *kernels = self->kernels;
  const PrismCpuTelescopeLattice *lattice = &frame->lattice;
  float *patch = prism_cpu_telescope_get_patch (self, worker);

  for (guint tile = 0; tile < frame->n_tiles; tile++)
    {
      const int x = (int) tile * kernels->lanes, count = MIN (kernels->lanes, part->width - x);

      load_tile (self, part, tile, patch);
      kernels->mask_patch (patch, part->bits + x, part->width, part->height, count,
                           1.0f / self->image_size);
      kernels->expand_patch (lattice->fft_y, lattice->rows, patch, part->height, frame->stride,
                             plane + (gsize) x * 2 * kernels->lanes,
                             prism_cpu_telescope_get_work (self, worker));
    }
}

/* And back through it. */
static void
reduce_frame (PrismCpuTelescope *self,
              const Frame *frame,
              const PrismMask *part,
              const float *plane,
              float *patch,
              guint worker)
{
  const PrismCpuTelescopeKernels *kernels = self->kernels;
  const PrismCpuTelescopeLattice *lattice = &frame->lattice;
  const float step = frame->term->step;
  const float scale = 2.0f * frame->term->weight * step * step / self->image_size;

  for (guint tile = 0; tile < frame->n_tiles; tile++)
    {
      const int x = (int) tile * kernels->lanes, count = MIN (kernels->lanes, part->width - x);

      kernels->reduce_patch (lattice->fft_y, lattice->rows,
                             plane + (gsize) x * 2 * kernels->lanes,
                             part->height, frame->stride, patch,
                             prism_cpu_telescope_get_work (self, worker));
      kernels->mask_patch (patch, part->bits + x, part->width, part->height, count, scale);
      patch += part->height * 2 * kernels->lanes;
    }
}

/* Where a block of the frame's rows begins in what was recorded. */
static gsize
get_target_block (PrismCpuTelescope *self,
                  const Frame *frame,
                  guint block)
{
  const gsize width = frame->is_held ? self->image_size / frame->term->step : self->image_size;

  if (!frame->is_held)
    block = prism_cpu_telescope_lattice_get_block (&frame->lattice, self, block);
  return block * width * self->kernels->lanes;
}

/* All rows of the plane; target is what was recorded, or [..][n][lanes] with the frame's rows. */
static void
visit_frame (PrismCpuTelescope *self,
             Frame *frame,
             const PrismMask *part,
             PrismPixelKind kind,
             const float *target,
             gboolean is_recorded,
             float *plane,
             guint worker)
{
  const gsize block_size = (gsize) self->image_size * self->kernels->lanes;
  const PrismCpuTelescopeLattice *lattice = &frame->lattice;
  const guint n_blocks = prism_cpu_telescope_lattice_count_blocks (lattice, self);

  for (guint block = 0; block < n_blocks; block++)
    {
      PrismPixelStage stage = {
        .kind = kind,
        .target = (float *) target
                  + (is_recorded ? get_target_block (self, frame, block) : block * block_size),
        .is_compact = is_recorded && frame->is_held,
        .noise = frame->term->noise,
      };

      self->kernels->visit_pixels (lattice->fft_x, lattice->columns,
                                   plane + block * frame->stride,
                                   part->width, &stage,
                                   prism_cpu_telescope_get_work (self, worker));
      if (!is_recorded)
        continue;
      frame->sums[0] += stage.sums[0];
      frame->sums[1] += stage.sums[1];
    }
}

/* Every run of points of the frame in its power is compared with the target, or NULL: set to 0. */
static void
visit_power (PrismCpuTelescope *self,
             Frame *frame,
             const PrismCpuTelescopeComparison *comparison,
             float *power)
{
  const gsize lanes = self->kernels->lanes, block_size = self->image_size * lanes;
  const gsize run = frame->lattice.fft_x->length * lanes;
  const PrismCpuParts columns = frame->lattice.columns;
  const int divisor = frame->is_held ? columns.step : 1;
  const guint n_blocks = prism_cpu_telescope_lattice_count_blocks (&frame->lattice, self);

  for (guint block = 0; block < n_blocks; block++)
    for (int i = columns.first; i < frame->lattice.fft_x->n_parts; i += columns.step)
      {
        float *pixels = power + block * block_size + i * run;

        if (comparison == NULL)
          memset (pixels, 0, run * sizeof (float));
        else
          prism_cpu_telescope_compare_pixels (
              comparison, run,
              comparison->target + get_target_block (self, frame, block) + i / divisor * run,
              pixels, frame->sums);
      }
}

/* What the kernels do not do by themselves: the intensities of the parts add up, or the noise needs
 * a table. Each part is seen twice. */
static void
visit_with_power (PrismCpuTelescope *self,
                  Frame *frame,
                  guint worker)
{
  const PrismMisfitTerm *term = frame->term;
  const gboolean noisy = term->noise > 0.0f || term->read > 0.0f;
  const PrismCpuTelescopeComparison comparison = {
    .mask = frame->mask,
    .target = self->slots[term->slot].target,
    .kind = noisy ? PRISM_PIXEL_L2_NOISY : PRISM_PIXEL_L2_AMPLITUDE,
    .noise = term->noise,
    .expect = frame->expect,
  };
  const Worker *own = &self->samples->workers[worker];
  float *plane = own->plane, *power = own->power;

  visit_power (self, frame, NULL, power);
  for (guint i = 0; i < frame->n_parts; i++)
    {
      const PrismMask *part = prism_mask_get_part (frame->mask, i);

      expand_frame (self, frame, part, plane, worker);
      visit_frame (self, frame, part, PRISM_PIXEL_ADD_POWER, power, FALSE, plane, worker);
    }
  visit_power (self, frame, &comparison, power);
  for (guint i = 0; i < frame->n_parts; i++)
    {
      const PrismMask *part = prism_mask_get_part (frame->mask, i);

      if (frame->n_parts > 1)
        expand_frame (self, frame, part, plane, worker);
      visit_frame (self, frame, part, PRISM_PIXEL_SCALE, power, FALSE, plane, worker);
      reduce_frame (self, frame, part, plane, frame->patches + i * frame->patch_size, worker);
    }
}

static void
run_frame (gpointer data,
           guint chunk,
           guint worker)
{
  PrismCpuTelescope *self = data;
  Frame *frame = &self->samples->frames[chunk];
  const PrismMisfitTerm *term = frame->term;
  const PrismPixelKind kind = term->noise > 0.0f ? PRISM_PIXEL_L2_NOISY : PRISM_PIXEL_L2_AMPLITUDE;
  float *plane = self->samples->workers[worker].plane;

  if (needs_power (frame->mask, term))
    {
      visit_with_power (self, frame, worker);
      return;
    }
  expand_frame (self, frame, frame->mask, plane, worker);
  visit_frame (self, frame, frame->mask, kind, self->slots[term->slot].target, TRUE, plane,
               worker);
  reduce_frame (self, frame, frame->mask, plane, frame->patches, worker);
}

/* A patch's rows first … end-1 of the spectrum. */
static void
add_patch (PrismCpuTelescope *self,
           const PrismMask *part,
           const float *patch,
           int first,
           int end)
{
  PrismCpuTelescopeSamples *samples = self->samples;
  const int n = self->image_size, lanes = self->kernels->lanes, y0 = part->y0 + n / 2;

  for (int x = 0; x < part->width; x += lanes, patch += (gsize) part->height * 2 * lanes)
    for (int y = MAX (first, y0); y < MIN (end, y0 + part->height); y++)
      {
        const float *row = patch + (gsize) (y - y0) * 2 * lanes;
        const gsize at = (gsize) y * n + part->x0 + n / 2 + x;
        const int count = MIN (lanes, part->width - x);

        for (int i = 0; i < count; i++)
          {
            samples->slope_re[at + i] += row[i];
            samples->slope_im[at + i] += row[lanes + i];
          }
      }
}

static void
add_patches (gpointer data,
             guint chunk,
             guint worker)
{
  PrismCpuTelescope *self = data;
  PrismCpuTelescopeSamples *samples = self->samples;
  const int first = (int) chunk * ROWS_AT_ONCE;

  for (guint i = 0; i < samples->n_frames; i++)
    for (guint k = 0; k < samples->frames[i].n_parts; k++)
      add_patch (self, prism_mask_get_part (samples->frames[i].mask, k),
                 samples->frames[i].patches + k * samples->frames[i].patch_size, first,
                 first + ROWS_AT_ONCE);
}

static double
run_batch (PrismCpuTelescope *self)
{
  PrismCpuTelescopeSamples *samples = self->samples;
  double misfit = 0.0;

  prism_pool_run (self->pool, samples->n_frames, run_frame, self);
  prism_pool_run (self->pool, self->image_size / ROWS_AT_ONCE, add_patches, self);
  for (guint i = 0; i < samples->n_frames; i++)
    {
      const PrismMisfitTerm *term = samples->frames[i].term;

      misfit += (double) term->weight * term->step * term->step * samples->frames[i].sums[0];
    }
  return misfit;
}

/**
 * prism_cpu_telescope_add_samples:
 * @self: a telescope that allows samples
 * @image: (array): an estimate of the object
 * @terms: (array length=n_terms): each one that prism_cpu_telescope_takes_samples()
 * @n_terms: number of terms
 * @gradient: (array) (inout): the derivative of what is added to @misfit is added to it
 * @misfit: (inout): Σ w·step²·Σ(H(|φ|)-T)² over the points is added to it
 *
 * As prism_cpu_telescope_add_misfit_gradient() for frames at some of their points.
 *
 * Shape: @image and @gradient [m][m].
 * Thread: engine.
 * Source: numerics.md, “Small frames”.
 */
void
prism_cpu_telescope_add_samples (PrismCpuTelescope *self,
                                 const float *image,
                                 const PrismMisfitTerm *terms,
                                 guint n_terms,
                                 float *gradient,
                                 double *misfit)
{
  PrismCpuTelescopeSamples *samples = self->samples;

  prism_cpu_telescope_transform_spectrum (self, image);
  memset (samples->slope_re, 0, count_plane_bytes (self));
  memset (samples->slope_im, 0, count_plane_bytes (self));
  for (guint i = 0; i < n_terms;)
    {
      samples->n_frames = 0;
      samples->n_used = 0;
      for (; i < n_terms; i++)
        /* What a mask that lets nothing through explains does not depend on the image. */
        if (self->slots[terms[i].slot].mask->height == 0)
          *misfit += terms[i].weight * self->slots[terms[i].slot].mean_square * self->image_size
                     * self->image_size;
        else if (!add_frame (self, &terms[i]))
          break;
      *misfit += run_batch (self);
    }
  prism_cpu_telescope_restore_spectrum (self, samples->slope_re, samples->slope_im, TRUE,
                                        gradient);
}
