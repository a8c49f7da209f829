/* prism-cpu-telescope-private: the telescope's state and its parallel stages, for its own files.
 *
 * n = image_size, m = object_size, h = n/2. Elements, blocks and H as in the kernels' header. The
 * object lies at the origin of the field, which turns phases only; targets are in the order in
 * which the transforms leave the pixels: [n/lanes] blocks of rows, [n] columns, [lanes] rows.
 * Thread: engine, unless a function says otherwise. */
#pragma once

#include "base/prism-arena.h"
#include "cpu/prism-cpu-telescope.h"
#include "kernels/prism-cpu-telescope-kernels.h"
#include "num/prism-expect.h"
#include "num/prism-ssim.h"

G_BEGIN_DECLS

#define PRISM_CPU_TELESCOPE_MAX_VIEWS (PRISM_STEP_MAX_OLD + 1)
#define PRISM_CPU_TELESCOPE_BAND 32     /* rows of SSIM that one chunk computes */

typedef struct
{
  PrismMask *mask;                      /* NULL when the slot is free */
  const float *target;                  /* [n][n], or points of it */
  guint step;                           /* of the points; 0: all pixels */
  double mean;                          /* of the target's amplitude A, */
  double mean_square;                   /* of A² */
  double mean_fourth;                   /* and of A⁴ */
  PrismExpect *expect;                  /* (nullable) of the last misfit with read noise */
} PrismCpuTelescopeSlot;

/* One field seen through one mask, on its way through the stages. */
typedef struct
{
  const PrismMask *mask;
  const PrismCpuFft *fft_y;
  const PrismCpuFft *fft_x;
  int n_tiles;                          /* blocks of columns of the mask's box */
  gsize stride;                         /* floats of a block of rows of plane */
  float *plane;                         /* [n/lanes][n_tiles·lanes] elements */
  float *target;                        /* [n][n] */
  PrismPixelKind kind;
  float gain;
  float noise;                          /* v, of L2_NOISY */
  double (*sums)[2];                    /* [n/lanes] */
} PrismCpuTelescopeView;

/* How the pixels of a mask that moves are compared. */
typedef struct
{
  const PrismMask *mask;
  const float *target;                  /* [n][n] */
  PrismPixelKind kind;
  float noise;                          /* v, of L2_NOISY */
  const PrismExpect *expect;            /* (nullable) of L2_NOISY with read noise */
} PrismCpuTelescopeComparison;

/* Every step-th row and column of a detector are some of the parts of which the transforms
 * consist. */
typedef struct
{
  const PrismCpuFft *fft_y;
  const PrismCpuFft *fft_x;
  PrismCpuParts rows;
  PrismCpuParts columns;
} PrismCpuTelescopeLattice;

typedef struct _PrismCpuTelescopeSamples PrismCpuTelescopeSamples;

typedef void (*PrismCpuTelescopeExpand) (PrismCpuTelescope *self);

struct _PrismCpuTelescope
{
  int image_size;
  int object_size;
  guint n_slots;
  PrismCpuTelescopeSlot *slots;            /* [n_slots] */
  PrismPool *pool;
  const PrismCpuTelescopeKernels *kernels;
  PrismCpuFftTables *tables;
  PrismArena *arena;

  float *object;                        /* [m][m] amplitude */
  float *scratch_image;                 /* [m][m] */
  float *half_spectrum;                 /* [⌈m/lanes⌉][H] elements */
  gsize half_stride;                    /* floats of H elements */
  float *planes;                        /* [n][n] complex numbers, shared by the views */
  float *spectrum_re;                   /* [n][n], zero frequency at [n/2][n/2]: ePIE's object, */
  float *spectrum_im;                   /* or what an SSIM loss sees and its slope */
  float *work;                          /* [n_threads][work_size + patch_size] */
  gsize work_size;                      /* floats: of the kernels, */
  gsize patch_size;                     /* and of a patch: [n] elements */
  double (*sums)[2];                    /* [PRISM_CPU_TELESCOPE_MAX_VIEWS][n/lanes] */
  PrismSsimBand *bands;                 /* [n_threads] */
  float *pyramid;                       /* [n][n]: images and slope at half size, quarter size … */
  double *band_sums;                    /* [n / PRISM_CPU_TELESCOPE_BAND] */
  int *place_y;                         /* [n] where a natural row begins in a target, */
  int *place_x;                         /* and where its pixels are from there */

  float *delta_re;                      /* (nullable) [n][n]: what the points of a line change of */
  float *delta_im;                      /* the spectrum together */
  float *n_points;                      /* (nullable) [n][n]: and how many of them are there */

  PrismCpuTelescopeSamples *samples;    /* (nullable) what frames at some of their points need */

  PrismCpuTelescopeView views[PRISM_CPU_TELESCOPE_MAX_VIEWS];
  guint n_views;
  gsize n_used;                         /* floats of planes */
};

/* A block of columns of a view's box. */
typedef struct
{
  const PrismCpuTelescopeView *view;
  int x;                                /* first column, centred */
  int count;                            /* ≤ lanes */
  const guint8 *bits;                   /* [height] rows of the mask, width bytes apart */
  float *columns;                       /* in the first block of rows of the plane */
} PrismCpuTelescopeTile;

/* Starts a new set of views. */
static inline void
prism_cpu_telescope_clear_views (PrismCpuTelescope *self)
{
  self->n_views = 0;
  self->n_used = 0;
}

/* Of all views together. */
static inline guint
prism_cpu_telescope_get_n_tiles (PrismCpuTelescope *self)
{
  guint n_tiles = 0;

  for (guint i = 0; i < self->n_views; i++)
    n_tiles += self->views[i].n_tiles;
  return n_tiles;
}

/* A worker's array for the kernels. */
static inline float *
prism_cpu_telescope_get_work (PrismCpuTelescope *self,
                              guint              worker)
{
  return self->work + worker * (self->work_size + self->patch_size);
}

/* A worker's array for a patch, [n] elements. */
static inline float *
prism_cpu_telescope_get_patch (PrismCpuTelescope *self,
                               guint              worker)
{
  return prism_cpu_telescope_get_work (self, worker) + self->work_size;
}

/* [n][n] for powers and factors; SSIM's images at half size are not needed at the same time. */
static inline float *
prism_cpu_telescope_get_plane (PrismCpuTelescope *self)
{
  return self->pyramid;
}

gboolean prism_cpu_telescope_add_view        (PrismCpuTelescope *self,
                                              const PrismMask   *mask,
                                              const float       *target,
                                              PrismPixelKind     kind,
                                              float              gain);
void     prism_cpu_telescope_get_tile        (PrismCpuTelescope     *self,
                                              guint                  index,
                                              PrismCpuTelescopeTile *tile);
void     prism_cpu_telescope_fill_places     (PrismCpuTelescope *self,
                                              const PrismMask   *mask);

/* Stages. Each is one parallel loop. */
void     prism_cpu_telescope_transform_image (PrismCpuTelescope *self,
                                              const float       *image);
void     prism_cpu_telescope_expand_views    (PrismCpuTelescope *self);
void     prism_cpu_telescope_visit_views     (PrismCpuTelescope *self);
void     prism_cpu_telescope_reduce_views    (PrismCpuTelescope *self);
void     prism_cpu_telescope_restore_image   (PrismCpuTelescope    *self,
                                              const PrismColumnRun *runs,
                                              guint                 n_runs,
                                              gboolean              accumulate,
                                              float                *image);
void     prism_cpu_telescope_restore_views   (PrismCpuTelescope *self,
                                              gboolean           accumulate,
                                              float             *gradient);
void     prism_cpu_telescope_get_sums        (PrismCpuTelescope *self,
                                              guint              view,
                                              double             sums[2]);

gboolean prism_cpu_telescope_gather_parts    (PrismCpuTelescope       *self,
                                              const PrismMask         *mask,
                                              PrismCpuTelescopeExpand  expand,
                                              float                   *power);
void     prism_cpu_telescope_compare_parts   (PrismCpuTelescope                 *self,
                                              const PrismCpuTelescopeComparison *comparison,
                                              float                             *power,
                                              double                             sums[2]);
void     prism_cpu_telescope_compare_pixels  (const PrismCpuTelescopeComparison *comparison,
                                              gsize                              n_pixels,
                                              const float                       *target,
                                              float                             *power,
                                              double                             sums[2]);
void     prism_cpu_telescope_see             (PrismCpuTelescope *self,
                                              const PrismMask   *mask,
                                              float             *amplitude);
void     prism_cpu_telescope_return_parts    (PrismCpuTelescope *self,
                                              const PrismMask   *mask,
                                              const float       *amplitude,
                                              float             *slope,
                                              float              gain,
                                              gboolean           accumulate,
                                              float             *gradient);
void     prism_cpu_telescope_add_parts       (PrismCpuTelescope                 *self,
                                              const PrismCpuTelescopeComparison *comparison,
                                              float                              gain,
                                              gboolean                           accumulate,
                                              float                             *gradient,
                                              double                             sums[2]);

void     prism_cpu_telescope_transform_spectrum
                                             (PrismCpuTelescope *self,
                                              const float       *image);
void     prism_cpu_telescope_restore_spectrum
                                             (PrismCpuTelescope *self,
                                              const float       *re,
                                              const float       *im,
                                              gboolean           accumulate,
                                              float             *image);
void     prism_cpu_telescope_lattice_init    (PrismCpuTelescopeLattice *self,
                                              PrismCpuTelescope        *telescope,
                                              const PrismMask          *part,
                                              guint                     step,
                                              guint                     offset_y,
                                              guint                     offset_x);
guint    prism_cpu_telescope_lattice_count_blocks
                                             (const PrismCpuTelescopeLattice *self,
                                              const PrismCpuTelescope        *telescope);
gsize    prism_cpu_telescope_lattice_get_block
                                             (const PrismCpuTelescopeLattice *self,
                                              const PrismCpuTelescope        *telescope,
                                              guint                           block);
gboolean prism_cpu_telescope_fit_samples     (PrismCpuTelescope *self,
                                              const PrismMask   *mask,
                                              GError           **error);
void     prism_cpu_telescope_free_samples    (PrismCpuTelescope *self);
gboolean prism_cpu_telescope_takes_samples   (PrismCpuTelescope     *self,
                                              const PrismMisfitTerm *term);
const PrismExpect *
         prism_cpu_telescope_ensure_expect   (PrismCpuTelescopeSlot *slot,
                                              const PrismMisfitTerm *term);
void     prism_cpu_telescope_add_samples     (PrismCpuTelescope     *self,
                                              const float           *image,
                                              const PrismMisfitTerm *terms,
                                              guint                  n_terms,
                                              float                 *gradient,
                                              double                *misfit);
double   prism_cpu_telescope_add_similarity  (PrismCpuTelescope *self,
                                              const PrismStep   *step,
                                              const PrismTerm   *term,
                                              gboolean           accumulate,
                                              float             *gradient);

G_END_DECLS
