/* prism-cpu-decoder: the decoder on the CPU, with Adam fused into the weight gradient.
 * Thread: engine, unless a function says otherwise. */
#pragma once

#include "base/prism-pool.h"
#include "model/prism-decoder.h"
#include "num/prism-adam.h"

G_BEGIN_DECLS

typedef struct _PrismCpuDecoder PrismCpuDecoder;

/* What it is for, and so what it keeps. The numbers are the same bits in every mode. */
typedef enum
{
  PRISM_CPU_DECODER_TRAIN,              /* keeps all maps and their gradients */
  PRISM_CPU_DECODER_FORWARD,            /* parameters and two maps: no backward pass */
} PrismCpuDecoderMode;

guint64          prism_cpu_decoder_get_required_bytes (const PrismDecoderPlan *plan,
                                                       PrismCpuDecoderMode     mode);
PrismCpuDecoder *prism_cpu_decoder_new                (const PrismDecoderPlan  *plan,
                                                       PrismCpuDecoderMode      mode,
                                                       PrismPool               *pool,
                                                       GError                 **error);
void             prism_cpu_decoder_free               (PrismCpuDecoder *self);
/* AMSGrad's array, and the gradient that clipping keeps. */
gboolean         prism_cpu_decoder_reserve            (PrismCpuDecoder  *self,
                                                       gboolean          amsgrad,
                                                       gboolean          clips,
                                                       GError          **error);
void             prism_cpu_decoder_set_parameters     (PrismCpuDecoder *self,
                                                       const float     *parameters);
void             prism_cpu_decoder_get_parameters     (PrismCpuDecoder *self,
                                                       float           *parameters);
void             prism_cpu_decoder_set_moments        (PrismCpuDecoder *self,
                                                       const float     *first,
                                                       const float     *second,
                                                       const float     *largest);
void             prism_cpu_decoder_get_moments        (PrismCpuDecoder *self,
                                                       float           *first,
                                                       float           *second,
                                                       float           *largest);
gboolean         prism_cpu_decoder_is_finite          (PrismCpuDecoder *self);
/* Multiply-adds of the backward pass that is over, or of the next forward pass. */
double           prism_cpu_decoder_count_products     (PrismCpuDecoder *self,
                                                       gboolean         backward);
/* Returns what the last layer makes, [outputs][m][m], valid until the next forward. */
const float     *prism_cpu_decoder_forward            (PrismCpuDecoder *self);
/* output_gradient [outputs][m][m]. With adam the parameters are updated on the way and FALSE means
 * that a non-finite gradient was met (those elements are left untouched, or all where it is
 * clipped); without it the gradient is kept. */
gboolean         prism_cpu_decoder_backward           (PrismCpuDecoder *self,
                                                       const float     *output_gradient,
                                                       const PrismAdam *adam);
void             prism_cpu_decoder_get_gradient       (PrismCpuDecoder *self,
                                                       float           *gradient);
/* What the last forward pass did to the map y of a layer: v = y·gain + offset, both [C]. */
void             prism_cpu_decoder_get_norm           (PrismCpuDecoder *self,
                                                       int              layer,
                                                       float           *gain,
                                                       float           *offset);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCpuDecoder, prism_cpu_decoder_free)

G_END_DECLS
