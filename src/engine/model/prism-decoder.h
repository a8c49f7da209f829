/* prism-decoder: the plan of the generative decoder: its layers, the order and the start values of
 * its parameters. How a plan is computed with is the backend's matter.
 *
 * Parameters in engine order: latent [C0], then per layer weight, [bias], [norm scale, norm shift].
 * Weights in PyTorch's layout: transposed convolution [in][out][k][k], convolution
 * [out][in][k][k]. Thread: any. */
#pragma once

#include "base/prism-reference.h"
#include "config/prism-config.h"

G_BEGIN_DECLS

#define PRISM_DECODER_MAX_LAYERS 32
#define PRISM_DECODER_NO_ARRAY G_MAXSIZE
#define PRISM_DECODER_NORM_EPSILON 1e-5f

typedef enum
{
  PRISM_LAYER_EXPAND,                   /* transposed 4×4, stride 1, no padding: 1×1 → 4×4 */
  PRISM_LAYER_DOUBLE,                   /* transposed 4×4, stride 2, padding 1: h → 2h */
  PRISM_LAYER_CONVOLVE,                 /* 3×3, padding as given: h → h or h-2 */
} PrismLayerKind;

typedef enum
{
  PRISM_ACTIVATION_RELU,
  PRISM_ACTIVATION_SIGMOID,
  PRISM_ACTIVATION_HARDSIGMOID,
  PRISM_ACTIVATION_TANH,
  PRISM_ACTIVATION_NONE,
} PrismActivation;

typedef struct
{
  PrismLayerKind kind;
  int in_channels;
  int out_channels;
  int in_size;                          /* px, square */
  int out_size;
  int kernel;                           /* 4 or 3 */
  int padding;                          /* 0 or 1 */
  gboolean norm;                        /* batch norm follows; else there is a bias */
  PrismActivation activation;
  gsize weight;                         /* offsets in values into the parameter vector, */
  gsize n_weights;
  gsize bias;                           /* PRISM_DECODER_NO_ARRAY where there is none */
  gsize scale;
  gsize shift;
} PrismLayer;

typedef struct
{
  int object_size;                      /* m */
  int output_size;                      /* side of the last layer's map, before crop or frame */
  int latent;                           /* C0; the latent vector is at offset 0 */
  int initialisation;                   /* PrismInitialisation */
  int n_layers;
  PrismLayer layers[PRISM_DECODER_MAX_LAYERS];
  gsize n_parameters;
} PrismDecoderPlan;

typedef void (*PrismDecoderArrayFunc) (const char *name,
                                       gsize       offset,
                                       gsize       n_values,
                                       gpointer    data);

gboolean prism_decoder_plan_init        (PrismDecoderPlan  *self,
                                         int                image_size,
                                         int                object_size,
                                         PrismEdge          edge,
                                         GError           **error);
gboolean prism_decoder_plan_init_config (PrismDecoderPlan   *self,
                                         const PrismConfig  *config,
                                         GError            **error);
void     prism_decoder_plan_init_complex (PrismDecoderPlan *self,
                                          int               side,
                                          int               latent,
                                          int               width);
void     prism_decoder_plan_foreach     (const PrismDecoderPlan *self,
                                         PrismDecoderArrayFunc   func,
                                         gpointer                data);
void     prism_decoder_plan_initialise  (const PrismDecoderPlan *self,
                                         guint64                 seed,
                                         float                  *parameters);

/* What a decoder is made of, line by line, before it is run. Thread: any. */

/* The latent vector comes first. */
#define PRISM_DECODER_TABLE_MAX_ROWS (PRISM_DECODER_MAX_LAYERS + 1)

typedef struct
{
  const char *kind;                     /* "latent", "expand", "double" or "convolve" */
  int in_channels;                      /* 0 for the latent vector */
  int out_channels;
  int size;                             /* px, side of the map that comes out */
  int kernel;                           /* px, 0 for the latent vector */
  gboolean norm;
  const char *activation;               /* "relu", …; "none" */
  guint64 n_parameters;
  guint64 n_products;                   /* multiply-adds of a forward pass */
  guint64 n_bytes;                      /* weights and two moments, and the map as computed */
} PrismDecoderRow;

guint prism_decoder_table_get_rows (const PrismDecoderPlan *plan,
                                    PrismDecoderRow        *rows);
void  prism_decoder_table_get_sum  (const PrismDecoderRow  *rows,
                                    guint                   n_rows,
                                    PrismDecoderRow        *sum);

/* A trained decoder, prepared to compute its image and nothing else: what its latent
 * vector makes of the first layer is a map, and every norm is part of the weights before it.
 * Immutable and reference counted. Thread: any. */

typedef struct
{
  gatomicrefcount ref_count;
  PrismDecoderPlan plan;                /* without norm; its latent vector is one 1 */
  float *parameters;                    /* [plan.n_parameters] */
  gsize n_parameters_before;
  guint64 n_bytes_before;               /* of the decoder that was trained, on a processor */
  guint64 n_bytes;                      /* of this one */
  double milliseconds_before;           /* of a forward pass, the best of some */
  double milliseconds;
  double difference;                    /* largest of a pixel of the two images */
} PrismFold;

PrismFold *prism_fold_new   (const PrismDecoderPlan  *plan,
                             GError                 **error);
gboolean   prism_fold_save  (const PrismFold  *self,
                             const char       *path,
                             GError          **error);

PRISM_DECLARE_REFERENCES (PrismFold, prism_fold)

G_END_DECLS
