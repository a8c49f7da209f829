/* prism-cuda-decoder-kernels: the map between two layers of the decoder, its norm, the product
 * of two maps and weights that a layer is, how kernels cut it, and their launches. Passed to
 * kernels by value. Plain C. */
#pragma once

#include "prism-cuda-types.h"

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

/* In the order of PrismPrecision, whose header needs GLib. */
typedef enum
{
  PRISM_CUDA_PRECISION_FP32,
  PRISM_CUDA_PRECISION_BF16,
  PRISM_CUDA_PRECISION_FP16,
  PRISM_CUDA_PRECISION_TF32,
} PrismCudaPrecision;

typedef enum
{
  PRISM_CUDA_DOUBLE,   /* transposed convolution 4×4, stride 2, padding 1: four 2×2 convolutions,
                        * one for each parity of the output's rows and columns */
  PRISM_CUDA_CONVOLVE, /* 3×3, padding 0 or 1 */
  PRISM_CUDA_OUTPUT,   /* the same of the last layer, one channel: output and gradient are the
                        * image's */
} PrismCudaProductKind;

typedef struct
{
  PrismCudaProductKind kind;
  PrismCudaPrecision precision; /* of the factors; sums, and all in memory, are in fp32 */
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

/* How the kernels cut their work, from the shapes of the maps: enough blocks for every
 * multiprocessor first, then as much reuse as registers and shared memory give. Does not touch
 * the device. */

/* kind, in.channels, in.size, out.channels, out.size and padding are set; forward, backward and
 * weights come out. Sizes are powers of two, but for the output of an unpadded last layer. */
void prism_cuda_tiling_plan (PrismCudaProduct *product);
/* Replaces the three tilings of a doubling where tensor cores pay: maps of 16 px and more whose
 * channels fill a matrix, and enough tiles. Returns whether it did, and with it set precision. */
int prism_cuda_mixed_plan_double (PrismCudaProduct *product,
                                  PrismCudaPrecision precision);
/* Tiles, thus partial results of each channel, of a map. */
int prism_cuda_tiling_count (const PrismCudaTiling *self,
                             int size);

/* Merges what many tiles say of a channel into one, for maps too wide for every
 * consumer to do it again. Capturable. */

/* merged [C] from parts [C][n_parts] (Chan, in the order of the tiles); n_pixels of a part. stop:
 * nullable, nothing is done while it is not 0. */
cudaError_t prism_cuda_norm_merge_moments (PrismCudaMoments *merged,
                                           const PrismCudaMoments *parts,
                                           int n_channels,
                                           int n_parts,
                                           int n_pixels,
                                           const int32_t *stop,
                                           cudaStream_t stream);
cudaError_t prism_cuda_norm_merge_sums (PrismCudaSums *merged,
                                        const PrismCudaSums *parts,
                                        int n_channels,
                                        int n_parts,
                                        const int32_t *stop,
                                        cudaStream_t stream);

/* The parameters of all layers but the first: their gradients from what the
 * backward pass left in pieces, and Adam. Capturable. */

#define PRISM_CUDA_MAX_ARRAYS 96

/* One array of parameters; source is 16-byte aligned for a weight. Its gradient is
 * Σ over parts of source[i·stride + part·part_stride]. */
typedef struct
{
  const float *source;
  uint32_t offset; /* into the parameter vector, in values */
  uint32_t n_values;
  uint32_t part_stride; /* in values */
  uint16_t stride;
  uint16_t n_parts;
  uint32_t first_block; /* see prism_cuda_update_add() */
} PrismCudaUpdateArray;

/* P = number of parameters. arrays are in the order in which they were added. */
typedef struct
{
  float *values; /* [P] */
  float *first;  /* [P] Adam's moments */
  float *second;
  float *largest;  /* of second so far, for AMSGrad; NULL for Adam */
  float *gradient; /* [P] */
  PrismCudaControl *control;
  int shortens; /* sources are gradients, to be shortened as control says */
  const int32_t *stop; /* nullable: nothing is done while it is not 0 */
  int n_arrays;
  int n_blocks;
  PrismCudaUpdateArray arrays[PRISM_CUDA_MAX_ARRAYS];
} PrismCudaUpdate;

/* first_block is set. */
void prism_cuda_update_add (PrismCudaUpdate *self,
                            PrismCudaUpdateArray array);
/* Gradients into gradient, divided by loss_scale. Sources may lie where they go. */
cudaError_t prism_cuda_update_collect (const PrismCudaUpdate *self,
                                       cudaStream_t stream);
/* Adam or AMSGrad, unless control->no_update. */
cudaError_t prism_cuda_update_step (const PrismCudaUpdate *self,
                                    cudaStream_t stream);

/* The norm of the gradient of all parameters, and by how much it is too long.
 * Capturable. */

#define PRISM_CUDA_CLIP_N_PARTIALS 256

/* P = n_values. */
typedef struct
{
  const float *gradient; /* [P], 16-byte aligned */
  float *map_gradient;   /* [n_map]: of the first layer, multiplied by control->shorten */
  double *partials;      /* [PRISM_CUDA_CLIP_N_PARTIALS] to work in */
  size_t n_values;
  int n_map;
  PrismCudaControl *control;
  const int32_t *stop; /* nullable: nothing is done while it is not 0 */
} PrismCudaClip;

/* control->shorten from the gradient and the clip_norm of the step under way. */
cudaError_t prism_cuda_clip_shorten (const PrismCudaClip *self,
                                     cudaStream_t         stream);

/* The product of a layer, the gradient of its input and of its weights. Capturable. */

typedef enum
{
  /* out.y and out.moments from in.y; in.norm is merged from in.moments on the way. OUTPUT: instead
   * image.output, with bias and activation, cropped or framed; what lies outside of the map is left
   * alone. */
  PRISM_CUDA_FORWARD,
  /* in.gradient and in.sums from out.gradient, out.sums and out.y; both norms are there. OUTPUT:
   * from image.output_gradient times loss_scale; also bias_sums. */
  PRISM_CUDA_BACKWARD,
  /* weight_gradient from in.y and the gradient of the output. */
  PRISM_CUDA_WEIGHTS,
} PrismCudaProductPass;

cudaError_t prism_cuda_product_launch (const PrismCudaProduct *product,
                                       PrismCudaProductPass pass,
                                       cudaStream_t stream);
/* What that needs of other files: factors on tensor cores, and gradients of weights in fp32. */
cudaError_t prism_cuda_mixed_launch (const PrismCudaProduct *product,
                                     PrismCudaProductPass pass,
                                     cudaStream_t stream);
cudaError_t prism_cuda_weight_launch (const PrismCudaProduct *product,
                                      cudaStream_t stream);

/* The decoder's first layer, y0 = zᵀW0 with W0 [L][16·C] and latent z [L], and
 * everything about its parameters, in one pass over them. Capturable. */

typedef struct
{
  int latent; /* L */
  int rows_per_block;
  int n_blocks;
  PrismCudaMap out; /* C channels of 4×4 */
  float *values;    /* z [L], its moments likewise */
  float *first;
  float *second;
  float *largest; /* of second so far, for AMSGrad; NULL for Adam */
  float *weight; /* W0 [L][16·C], 16-byte aligned, its moments likewise */
  float *weight_first;
  float *weight_second;
  float *weight_largest;
  float *values_gradient; /* [L] */
  float *weight_gradient; /* [L][16·C] */
  float *partials;        /* [n_blocks][16·C]: zᵀW0 by blocks of rows */
  float *map_gradient;    /* dY0 [16·C], unscaled */
  PrismCudaControl *control;
  const int32_t *stop; /* nullable: nothing is done while it is not 0 */
} PrismCudaExpand;

/* Blocks and rows of each for latent L. */
void prism_cuda_expand_split (PrismCudaExpand *self);
/* partials from the parameters as they are. */
cudaError_t prism_cuda_expand_multiply (const PrismCudaExpand *self,
                                        cudaStream_t stream);
/* out.y and out.moments (one per channel) from partials. */
cudaError_t prism_cuda_expand_merge (const PrismCudaExpand *self,
                                     cudaStream_t stream);
/* map_gradient from out.gradient and out.sums. */
cudaError_t prism_cuda_expand_gradient (const PrismCudaExpand *self,
                                        cudaStream_t stream);
/* Adam of z and W0 with the gradients that map_gradient makes, and partials from what comes out.
 * With control->no_update the same partials as prism_cuda_expand_multiply(), nothing else. */
cudaError_t prism_cuda_expand_sweep (const PrismCudaExpand *self,
                                     cudaStream_t stream);
/* values_gradient and weight_gradient from map_gradient. */
cudaError_t prism_cuda_expand_differentiate (const PrismCudaExpand *self,
                                             cudaStream_t stream);

PRISM_CUDA_END_DECLS
