/* prism-cuda-map: the map between two layers of the decoder, its norm, and the product of two maps
 * and weights that a layer is. Passed to kernels by value. Plain C. */
#pragma once

#include "prism-cuda-control.h"

PRISM_CUDA_BEGIN_DECLS

/* More partial results of a channel than this are merged by a kernel of their own; up to this many
 * each block of the consumer merges them for itself. */
#define PRISM_CUDA_MAX_PARTS 128

/* Of the sums of a weight gradient, which the update adds. */
#define PRISM_CUDA_MAX_SPLITS 512

/* Of the values of one channel in one tile; all tiles of a map have the same size. */
typedef struct
{
  float mean;
  float squares; /* Σ (y - mean)² */
} PrismCudaMoments;

/* Of the gradient dZ of a norm's output, for one channel and one tile. */
typedef struct
{
  float gradient; /* Σ dZ */
  float product;  /* Σ dZ·x̂ */
} PrismCudaSums;

/* z = (y - mean)·gain + shift, x̂ = (y - mean)·deviation. */
typedef struct
{
  float mean;
  float gain;
  float shift;
  float deviation; /* 1/√(variance + ε) */
} PrismCudaNorm;

/* A layer's output before its norm. C = channels, s = size. */
typedef struct
{
  int channels;
  int size;
  float *y;                  /* [C][s][s]; NULL for the last layer's */
  PrismCudaMoments *moments; /* [C][n_moments] */
  int n_moments;
  const float *scale;  /* [C] */
  const float *shift;  /* [C] */
  PrismCudaNorm *norm; /* [C], written by the next layer's forward */
  float *gradient;     /* dZ [C][s][s], after the mask of the ReLU */
  PrismCudaSums *sums; /* [C][n_sums] */
  int n_sums;
} PrismCudaMap;

/* What the last layer's map becomes. m = size. */
typedef struct
{
  int size;
  int activation;               /* PrismActivation */
  const float *bias;            /* [1] */
  float *output;                /* [m][m] */
  const float *output_gradient; /* [m][m] */
  PrismCudaSums *bias_sums;     /* [tiles of the data gradient], product 0 */
} PrismCudaImage;

/* How a kernel cuts its work. Tiles are of pixels of the input map for a doubling, of the map
 * that is written for a 3×3 layer. */
typedef struct
{
  int tile_height;
  int tile_width;
  int n_slices;   /* of the channels that are summed over, one thread each */
  int n_channels; /* of the map that is written, per block */
  int pixels;     /* side of a thread's square of pixels, 1 or 2; a row of 4 for 3×3 */
  int chunk;      /* channels in shared memory at a time */
  int n_threads;
  size_t shared_bytes;
} PrismCudaTiling;

/* How a kernel of a weight gradient cuts its work. Points are the map without halo, windows the
 * one with: x and dY for a doubling, dY and x for a 3×3 layer. */
typedef struct
{
  int n_windows;    /* channels per block */
  int n_groups;     /* of n_points channels per block */
  int n_points;     /* channels per thread: 4 or 1 */
  int n_slices;     /* of the rows of a chunk, one thread each */
  int chunk_height; /* of pixels of the points */
  int chunk_width;
  int n_splits; /* of the chunks, one block each */
  size_t shared_bytes;
} PrismCudaSplitting;

typedef struct
{
  PrismCudaMap in;
  PrismCudaMap out;
  PrismCudaImage image;   /* of the last layer */
  const float *weight;    /* [in][out][4][4] or [out][in][3][3], 16-byte aligned */
  float *weight_gradient; /* [n_splits][weights] */
  int padding;
  PrismCudaControl *control; /* loss_scale is read, not_finite is set */
  const int32_t *stop;       /* nullable: nothing is done while it is not 0 */
  PrismCudaTiling forward;
  PrismCudaTiling backward;
  PrismCudaSplitting weights;
} PrismCudaProduct;

PRISM_CUDA_END_DECLS
