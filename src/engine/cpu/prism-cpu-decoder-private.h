/* prism-cpu-decoder-private: what the files of the decoder share.
 *
 * A map of C channels and s×s pixels is stored "blocked", [C/16][s][s][16], where channels are
 * many, and "planar", [C][s][s], where maps are wide; see prism-cpu-blocked.c, prism-cpu-double.c
 * and prism-cpu-convolve.c for the layouts with borders. Blocked layers come first. Where a blocked
 * layer has no multiple of 16 channels, the missing ones have zero weights, scale and shift.
 * Thread: engine, unless a function says otherwise. */
#pragma once

#include "base/prism-arena.h"
#include "cpu/prism-cpu-decoder.h"
#include "kernels/prism-cpu-kernels.h"

G_BEGIN_DECLS

typedef struct
{
  const PrismLayer *plan;
  gboolean blocked;                     /* layout of y, gout and weights */
  gboolean next_blocked;                /* layout of x */
  int in_channels;                      /* as stored: multiples of 16 where blocked */
  int out_channels;
  int in_size;                          /* h */
  int out_size; /* s: h, 2h or 4; a last layer without padding has its frame */
  int n_strips;                         /* of strip_rows rows of the input each */
  int strip_rows;

  gsize weight;                         /* offsets into the decoder's values, as stored */
  gsize n_weights;
  gsize bias;                           /* PRISM_DECODER_NO_ARRAY where there is none */
  gsize scale;
  gsize shift;

  float *y;                             /* [C][s][s], the convolution's output, no border */
  float *x;                             /* normalised, after ReLU, in the next layer's layout */
  float *gout; /* gradient of y, with border; by parity for a planar doubling */
  float *turned;                        /* planar 3×3: weights for backward_data */
  PrismCpuNorm norm;
  float *deviation;                     /* [C] 1/√(variance + ε) */
  float *partials;                      /* [strips][2][C] sums of each strip */
} PrismCpuLayer;

/* One task of prism_cpu_decoder_run_update(). */
typedef struct
{
  int layer;
  int index;
} PrismCpuTask;

struct _PrismCpuDecoder
{
  PrismDecoderPlan plan;
  PrismCpuDecoderMode mode;
  PrismPool *pool;
  const PrismCpuKernels *kernels;
  PrismArena *arena;
  PrismCpuLayer layers[PRISM_DECODER_MAX_LAYERS];

  gsize n_values;                       /* parameters as stored; the latent vector comes first */
  PrismCpuParameters parameters;        /* each [n_values] */
  float *gradient; /* [n_values], allocated by the first backward without Adam */
  double *squares; /* [pieces] of the gradient, beside it */

  int n_chunks;                         /* of chunk_rows rows of the first layer's weights each */
  int chunk_rows;
  float *expanded;                      /* [n_chunks][16·C] sums of the first layer by chunk */
  gboolean expanded_valid;              /* expanded belongs to the parameters as they are */
  gboolean sweep_reversed;
  PrismCpuTask *update_tasks;           /* [n_update_tasks] */
  guint n_update_tasks;

  /* With PRISM_CPU_DECODER_FORWARD: each layer's x and y. */
  float *shared_x;
  float *shared_y;
  float *gin;                           /* gradient of x in the layout of y */
  float *output;                        /* [outputs][m][m] */
  float *scratch;                       /* [n_threads][scratch_size] */
  gsize scratch_size;
  gboolean *not_finite;                 /* [n_threads][16], set where a gradient was not finite */

  /* Of the parallel region that runs. */
  int current;                          /* layer */
  const PrismAdam *adam;
  const float *output_gradient;         /* [outputs][m][m] */
};

/* For the gradient of a piece of the weights. */
#define PRISM_CPU_DECODER_MIN_SCRATCH 1024

void prism_cpu_decoder_plan_arrays  (PrismCpuDecoder *self);
void prism_cpu_decoder_share_arrays (PrismCpuDecoder *self);
gsize
     prism_cpu_decoder_get_x_size    (const PrismCpuLayer *layer);
void prism_cpu_decoder_plan_updates (PrismCpuDecoder *self);
void prism_cpu_decoder_clear        (PrismCpuDecoder *self,
                                     float           *values,
                                     gsize            n_values);
void prism_cpu_decoder_run_backward (PrismCpuDecoder *self);
void prism_cpu_decoder_run_update   (PrismCpuDecoder *self);
guint
     prism_cpu_decoder_count_pieces  (PrismCpuDecoder *self);
gboolean
     prism_cpu_decoder_run_clipped_update (PrismCpuDecoder *self,
                                           const PrismAdam *adam);
void prism_cpu_decoder_use_gradient (PrismCpuDecoder *self,
                                     gsize            offset,
                                     const float     *gradient,
                                     gsize            n_values,
                                     guint            worker);

/* Pixels of the output at both ends of a row of the last map that are cut off; negative: added. */
static inline int
prism_cpu_decoder_get_cut (const PrismCpuDecoder *self)
{
  return (self->layers[self->plan.n_layers - 1].out_size - self->plan.object_size) / 2;
}

/* Size of one channel's strip of rows where a planar layer follows a blocked one. */
static inline gsize
prism_cpu_decoder_get_strip_plane (const PrismCpuLayer *layer)
{
  return (gsize) layer->strip_rows * layer->in_size + PRISM_CPU_BLOCK;
}

static inline PrismCpuBlockedShape
prism_cpu_decoder_get_blocked_shape (const PrismCpuLayer *layer)
{
  return (PrismCpuBlockedShape) { layer->in_size, layer->in_channels / PRISM_CPU_BLOCK,
                                  layer->out_channels / PRISM_CPU_BLOCK };
}

static inline const PrismCpuPlanarKernels *
prism_cpu_decoder_get_planar_kernels (const PrismCpuDecoder *self,
                                      const PrismCpuLayer   *layer)
{
  return layer->plan->kind == PRISM_LAYER_DOUBLE ? self->kernels->doubling
                                                 : self->kernels->convolve;
}

/* Whether the last layer is not padded, so that the frame of its map does not exist. */
static inline gboolean
prism_cpu_decoder_has_frame (const PrismCpuDecoder *self)
{
  return self->plan.layers[self->plan.n_layers - 1].padding == 0;
}

G_END_DECLS
