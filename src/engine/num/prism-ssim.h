/* prism-ssim: structural similarity of two images, and its gradient, a few rows at a time.
 *
 * h = height, w = width of both images. Thread: any, unless a function says otherwise. */
#pragma once

#include "base/prism-arena.h"
#include "num/prism-ssim-kernels.h"

G_BEGIN_DECLS

#define PRISM_SSIM_HALO (PRISM_SSIM_WINDOW / 2)
enum { PRISM_SSIM_MAX_SCALES = 5 };

/* Working memory of one thread; rows y live at y modulo PRISM_SSIM_WINDOW. */
typedef struct
{
  const PrismSsimKernels *kernels;
  float weights[PRISM_SSIM_WINDOW];
  float *padded;                        /* [w + 4·PRISM_SSIM_HALO] */
  float *wide;                          /* [w + 2·PRISM_SSIM_HALO] */
  float *pixels;                        /* [PRISM_SSIM_WINDOW][2][w] rows of both images */
  float *rows;                          /* [PRISM_SSIM_WINDOW][PRISM_SSIM_N_MAPS][w], along x */
  float *maps;                          /* [PRISM_SSIM_N_MAPS][w] blurred */
  float *values;                        /* [w] */
  float *slopes;                        /* [PRISM_SSIM_N_SLOPES][w] */
  float *spread;                        /* [PRISM_SSIM_WINDOW][PRISM_SSIM_N_SLOPES][w], along x */
} PrismSsimBand;

typedef struct
{
  int height;
  int width;                            /* ≤ that of the band's memory */
  gboolean luminance;                   /* FALSE: contrast and structure alone */
  /* Row y of both images, [w]. */
  void (*load_row) (gpointer  data,
                    int       y,
                    float    *a,
                    float    *b);
  /* (nullable): takes the gradient of the sum for row y of a, [w]. */
  void (*store_row) (gpointer     data,
                     int          y,
                     const float *gradient);
  gpointer data;
} PrismSsimTask;

void   prism_ssim_band_plan      (PrismSsimBand *self,
                                  PrismArena    *arena,
                                  int            width);
double prism_ssim_band_sum       (PrismSsimBand       *self,
                                  const PrismSsimTask *task,
                                  int                  first,
                                  int                  end);
int    prism_ssim_get_n_scales   (int           height,
                                  int           width);
double prism_ssim_combine_scales (const double *terms,
                                  int           n_scales,
                                  double       *slopes);

G_END_DECLS
