/* prism-backend: what a device must be able to do. One const table of coarse operations per device;
 * the trainer is written once above it. The CPU table is the reference.
 *
 * Dimensions of this file: n = image_size, m = object_size, P = number of parameters.
 * Threads: everything here is called from the engine thread.
 * Errors: an operation that can fail says so by its GError; the others latch, see finish. */
#pragma once

#include "model/prism-aperture.h"
#include "model/prism-decoder.h"
#include "num/prism-metrics.h"

G_BEGIN_DECLS

#define PRISM_BACKEND_ABI 19
#define PRISM_STEP_MAX_OLD 31
#define PRISM_STEP_N_WEIGHTS PRISM_LOSS_COMPOSITE

typedef struct _PrismBackend PrismBackend;
typedef struct _PrismBackendOps PrismBackendOps;

/* What the products of the decoder's inner layers are computed in. Weights, moments, statistics,
 * transforms, the last layer and the losses are FP32 in every mode. */
typedef enum
{
  PRISM_PRECISION_FP32,
  PRISM_PRECISION_BF16,
  PRISM_PRECISION_FP16,                 /* with a dynamic loss scale */
  PRISM_PRECISION_TF32,
} PrismPrecision;

/* A detector image [n][n] (amplitude) in the device's memory and order of pixels; or, with a step,
 * its points [n/step][n/step]: the pixels (y, x) with y ≡ 0 and x ≡ 0 modulo step. */
typedef struct _PrismBuffer PrismBuffer;

struct _PrismBuffer
{
  int ref_count;                        /* engine thread only */
  gsize n_bytes;
  guint step;                           /* of points; 0: all pixels */
  PrismBackend *backend;
};

/* What ePIE makes of an aperture that moves. */
typedef enum
{
  PRISM_MOTION_PARALLEL,                /* Mo-PIE, all points of a line together */
  PRISM_MOTION_SERIAL,                  /* Mo-PIE, one after the other */
  PRISM_MOTION_IGNORED,                 /* as if it stood still in the middle */
} PrismMotion;

typedef struct
{
  int image_size;
  int object_size;
  PrismDecoderPlan decoder;
  guint n_slots;                        /* measurements that may be bound at once */
  guint n_threads;                      /* CPU: worker threads, 0 = all but what the window needs */
  gboolean tuning;                      /* CPU: steps may take fewer, where that is quicker */
  gboolean amp;                         /* precision is not FP32 */
  int precision;                        /* PrismPrecision; a device without it computes in FP32 */
  gboolean amsgrad;                     /* divide by the largest second moment so far */
  gboolean clips;                       /* steps may have a clip_norm */
  guint n_line_points;                  /* of masks that move; 0 or 1: all stand still */
  int motion;                           /* PrismMotion */
  gboolean read_noise;                  /* exposures and misfits have read noise */
  gboolean samples;                     /* misfits may look at samples of frames */
  gboolean samples_noise;               /* and do so in any case, with noise, too */
} PrismBackendSpec;

typedef struct
{
  double snr;                           /* dB, 0 = no noise */
  guint64 seed;
  guint32 sample;                       /* index of the measurement: part of the noise's counter */
  double photon;                        /* one photon's energy: shot noise by it; 0 = by snr */
  double read_snr;                      /* read noise, dB; 0 = none */
} PrismExposure;

typedef struct
{
  guint slot;
  float weight;                         /* w_j of numerics.md § 8 */
} PrismTerm;

/* One measurement's part of the misfit of an image, see numerics.md, “Refinement”. */
typedef struct
{
  guint slot;
  float weight;                         /* w */
  float noise;                          /* v: an intensity I has the variance v·I; 0 = none */
  float read;                           /* ρ: read noise adds ρ to it; 0 = none */
  float offset;                         /* c of T = √(A² + c), above 0 with read noise */
  /* 0: the whole frame. Otherwise the pixels (y, x) in natural order with y ≡ offset_y and
   * x ≡ offset_x modulo step, each for step² of them; step is a power of two, and n/step not less
   * than the sides of the mask's box. Only where samples_frames is set, and spec.samples too. */
  guint step;
  guint offset_y;
  guint offset_x;
} PrismMisfitTerm;

#define PRISM_N_ITERATES 3

/* What passes of descent go on from, [m][m] each, in the host's memory. */
typedef struct
{
  guint place;                          /* of a device's own copies, below PRISM_N_ITERATES */
  float *image;                         /* after the last whole pass */
  float *point;                         /* where the slope is taken: image and momentum */
  float *across;                        /* dual field of the total variation, along rows */
  float *down;                          /* and along columns */
  float *slope;                         /* of the pass under way; only where it is worked on here */
} PrismIterate;

/* Some measurements of a pass, with the last ones how it ends; see numerics.md, “Refinement”. */
typedef struct
{
  gboolean begins;                      /* a pass: the slope is 0 before */
  const PrismMisfitTerm *terms;         /* [n_terms] */
  guint n_terms;
  gboolean ends;                        /* the pass: the image is moved, which needs all below */
  double most_misfit;                   /* above it the image stays as it is */
  float step_size;
  float inertia;                        /* of the momentum */
  double variation;                     /* weight of the total variation */
  double least_mean;                    /* > 0: by the image's mean |∇a|, or this if it is less */
} PrismPassPart;

typedef struct
{
  double misfit;                        /* inout: Σ w·Σ(H(|φ|)-T)² of the pass so far */
  gboolean finite;                      /* misfit and slope are; FALSE when the device failed */
  gboolean moved;                       /* the image, at the end of a pass */
  gboolean uphill;                      /* the momentum was lost, since it led uphill */
} PrismPassResult;

/* One frame whose exit wave is moved, see numerics.md, “Alignment”. q = side of the move, H × W =
 * the mask's box. */
typedef struct
{
  const PrismMask *mask;
  const float *amplitude;               /* [q][q], origin at [0][0] */
  float *box;                           /* inout: [H][W][2] spectrum behind the aperture */
  double close;                         /* what is small enough: the last change of a search,
                                         * the misfit of a descent */
  double misfit;                        /* out: Σ(|φ|-A)² of a descent before its last pass */
} PrismWaveJob;

/* What is done with the waves of some frames: all that prism-wave.c does between a start and its
 * end. */
typedef struct
{
  guint side;                           /* q */
  guint n_passes;                       /* at most */
  float relaxation;                     /* > 0: of a search; 0: a descent */
} PrismWaveMove;

/* A frame of an alignment, whose wave is known but for its phase. */
typedef struct
{
  const PrismMask *mask;
  const float *box;                     /* [H][W][2] */
  const float *amplitude;               /* (nullable) [q][q]: it is doubtful, and gives this */
  gboolean has_twin;                    /* the box could be its mirrored conjugate */
} PrismAlignedFrame;

typedef struct
{
  const PrismAlignedFrame *frames;      /* [n_frames] */
  guint n_frames;
  guint side;                           /* q */
  gboolean has_noise;                   /* every frame counts as much in the residual */
} PrismAlignedFrames;

/* One optimisation step: loss_new = Σ of the first term, loss_old = Σ of the others. With
 * fit_start set the only loss is l1 between the output and the start image; terms are ignored. */
typedef struct
{
  gboolean fit_start;
  PrismLossKind loss;
  float weights[PRISM_STEP_N_WEIGHTS];  /* of a composite loss, by PrismLossKind */
  PrismDomain domain;
  gboolean normalise;
  PrismTerm new_term;
  guint n_old;
  PrismTerm old_terms[PRISM_STEP_MAX_OLD];
  double learning_rate;
  double weight_decay;                  /* λ: each weight shrinks by learning_rate·λ of itself */
  double clip_norm;                     /* > 0: of the gradient, which is shortened to it */
  double threshold;                     /* > 0: when both losses are below, nothing is updated */
  gboolean with_metrics;
} PrismStep;

typedef struct
{
  double loss_new;
  double loss_old;
  gboolean below_threshold;
  /* Something was not finite: parameters untouched. A step that only the loss scale skips (FP16)
   * is counted in n_overflows and not marked here. */
  gboolean skipped;
  PrismMetrics metrics;                 /* with_metrics: of the output before the update; or NAN */
} PrismStepResult;

typedef enum
{
  PRISM_SOURCE_DECODER,                 /* output of the last forward pass */
  PRISM_SOURCE_EPIE,                    /* image of the last prism_backend epie_project */
} PrismSource;

typedef struct
{
  guint64 used;                         /* bytes held for this run */
  guint64 peak;
  guint64 available;                    /* what the device could still give */
} PrismMemoryUse;

/* What crosses the bus between host and device, by purpose. */
typedef enum
{
  PRISM_TRANSFER_SETUP,                 /* object, start image, tables */
  PRISM_TRANSFER_MEASUREMENT,           /* masks, slots, detector images and their sums */
  PRISM_TRANSFER_STEP,                  /* parameters of a chunk of steps and its results */
  PRISM_TRANSFER_FRAME,                 /* frames to look at, and the result */
  PRISM_TRANSFER_STATE,                 /* weights, moments, gradient */
  PRISM_N_TRANSFERS,
} PrismTransferKind;

/* Since open(). A device that shares the host's memory transfers nothing. */
typedef struct
{
  guint64 n_to_device[PRISM_N_TRANSFERS];
  guint64 bytes_to_device[PRISM_N_TRANSFERS];
  guint64 n_to_host[PRISM_N_TRANSFERS];
  guint64 bytes_to_host[PRISM_N_TRANSFERS];
  guint64 n_steps;                      /* training steps run */
  guint64 n_launches;                   /* graphs launched */
  guint64 n_captures;                   /* graphs captured */
  guint64 n_waits;                      /* times that the host waited for the device */
  double loss_scale;                    /* 1 but in FP16 */
  guint64 n_overflows;                  /* steps that the loss scale skipped */
  gboolean is_tuning;                   /* such steps are timed to find the quickest way */
} PrismDeviceCounters;

/* Copies between the host's memory and the device's, to be timed. Pinned memory stays where it is,
 * so that the device fetches from it and writes into it on its own. */
typedef enum
{
  PRISM_COPY_UPLOAD_PINNED,
  PRISM_COPY_UPLOAD_PAGEABLE,
  PRISM_COPY_DOWNLOAD_PINNED,
  PRISM_COPY_DOWNLOAD_PAGEABLE,
  PRISM_N_COPIES,
} PrismCopyKind;

struct _PrismBackend
{
  const PrismBackendOps *ops;
  PrismBackendSpec spec;                /* its precision is what the device computes in */
};

struct _PrismBackendOps
{
  guint abi;                            /* PRISM_BACKEND_ABI */
  const char *name;                     /* of prism-device-list: "cpu" */

  /* Why the device stopped answering, as it reads after a colon; NULL while it answers. Where the
   * operation is NULL the device cannot be lost. (transfer none) (nullable) */
  const char *(*get_loss) (void);

  /* Why this device cannot be used here, in one sentence, or NULL. (transfer full) (nullable) */
  char *(*dup_unavailable_reason) (void);
  /* What of spec this device cannot do and another can, in one sentence, or NULL.
   * (transfer full) (nullable) */
  char *(*dup_unsupported_reason) (const PrismBackendSpec *spec);
  /* One sentence when the precision of spec does not pay here or is not to be had, else NULL.
   * (transfer full) (nullable) */
  char *(*dup_precision_advice) (const PrismBackendSpec *spec);
  /* Bytes that open() will need, measurements not counted. */
  guint64 (*get_required_bytes) (const PrismBackendSpec *spec);
  /* All memory of training is allocated here. (transfer full) (nullable) */
  PrismBackend *(*open) (const PrismBackendSpec *spec,
                         GError                **error);
  void (*close) (PrismBackend *self);
  /* "AMD EPYC, 2 threads, AVX-512". (transfer full) */
  char *(*dup_device_name) (PrismBackend *self);
  void (*get_memory) (PrismBackend   *self,
                      PrismMemoryUse *use);
  void (*get_counters) (PrismBackend        *self,
                        PrismDeviceCounters *counters);

  /* Parameters, gradient and Adam's moments, float [P] in engine order. Setting parameters keeps
   * the moments; reset_optimizer zeroes moments and step count. largest is there with amsgrad, else
   * it may be NULL, and is 0 or ignored. */
  void (*set_parameters) (PrismBackend *self,
                          const float  *parameters);
  void (*get_parameters) (PrismBackend *self,
                          float        *parameters);
  void (*get_gradient) (PrismBackend *self,
                        float        *gradient);
  void (*reset_optimizer) (PrismBackend *self);
  void (*set_moments) (PrismBackend *self,
                       const float  *first,
                       const float  *second,
                       const float  *largest,
                       guint64       n_steps);
  void (*get_moments) (PrismBackend *self,
                       float        *first,
                       float        *second,
                       float        *largest,
                       guint64      *n_steps);
  /* Whether parameters and moments are, without a copy of them. NULL: a copy must be looked at. */
  gboolean (*is_finite) (PrismBackend *self);

  /* Object amplitude [m][m]; its spectrum is kept. spectrum: |E| as float [n][n], zero frequency
   * at [n/2][n/2]. */
  gboolean (*set_object) (PrismBackend  *self,
                          const float   *amplitude,
                          GError       **error);
  void (*get_spectrum) (PrismBackend *self,
                        float        *spectrum);
  /* Start image [m][m] of the start phase. */
  void (*set_start_image) (PrismBackend *self,
                           const float  *image);

  /* Noise-free detector amplitude of the object through mask. (transfer full) (nullable) */
  PrismBuffer *(*measure) (PrismBackend     *self,
                           const PrismMask  *mask,
                           GError          **error);
  /* The points of such an image: step is a power of two, and n/step not less than the sides of the
   * mask's box. A slot that they are bound to is for terms of a misfit with this step and no
   * offset, and for nothing else. NULL where samples_frames is not set. Only where spec.samples is
   * set. */
  PrismBuffer *(*measure_points) (PrismBackend     *self,
                                  const PrismMask  *mask,
                                  guint             step,
                                  GError          **error);
  /* A noisy copy: noise acts on intensity, clamped at 0, square root. The mask is measure's. */
  PrismBuffer *(*expose) (PrismBackend         *self,
                          PrismBuffer          *clean,
                          const PrismMask      *mask,
                          const PrismExposure  *exposure,
                          GError              **error);
  /* A detector image from outside, amplitude [n][n] in natural order. (transfer full) (nullable) */
  PrismBuffer *(*load_buffer) (PrismBackend     *self,
                               const PrismMask  *mask,
                               const float      *amplitude,
                               GError          **error);
  /* amplitude [n][n], natural order, origin at [n/2][n/2]; of points [n/step][n/step]. */
  void (*read_buffer) (PrismBackend    *self,
                       PrismBuffer     *buffer,
                       const PrismMask *mask,
                       float           *amplitude);
  void (*free_buffer) (PrismBuffer *buffer);

  /* Ties a measurement (mask and target) to a slot; keeps a reference on both. NULL unbinds.
   * energy: Σ of the target's intensity. */
  gboolean (*bind) (PrismBackend     *self,
                    guint             slot,
                    const PrismMask  *mask,
                    PrismBuffer      *target,
                    double           *energy,
                    GError          **error);
  /* The decoder's output as it is now, seen through mask, becomes the target of slot: memory
   * "self". */
  gboolean (*hold) (PrismBackend     *self,
                    guint             slot,
                    const PrismMask  *mask,
                    GError          **error);

  /* Decoder forward with the current parameters. */
  void (*forward) (PrismBackend *self);
  /* Image [m][m] of the source. */
  void (*read_image) (PrismBackend *self,
                      PrismSource   source,
                      float        *image);
  /* Against the object. */
  gboolean (*compute_metrics) (PrismBackend  *self,
                               PrismSource    source,
                               PrismMetrics  *metrics,
                               GError       **error);
  /* A frame: the output as it is and its metrics, taken beside the training. request queues one; a
   * second request before it is collected is ignored, set_object drops it. collect never waits:
   * TRUE once it has arrived, then image [m][m] and metrics (nullable) are set; the CPU has it at
   * once. */
  void (*request_frame) (PrismBackend *self);
  gboolean (*collect_frame) (PrismBackend *self,
                             float        *image,
                             PrismMetrics *metrics);

  /* Forward, losses and gradient [P] without an update: for tests and verify. */
  void (*compute_gradient) (PrismBackend    *self,
                            const PrismStep *step,
                            PrismStepResult *result);
  /* n_steps times forward, losses, gradient, Adam, fused as the device likes; a step whose result
   * is below_threshold ends the chunk. Returns the number of steps whose result is valid. */
  guint (*train) (PrismBackend    *self,
                  const PrismStep *steps,
                  guint            n_steps,
                  PrismStepResult *results);
  /* Steps that train likes to be given at once; 1 on the CPU. */
  guint chunk_size;

  /* ePIE. start: image [m][m], or NULL for a blank one of 0.5. update: one measurement; Σ(|φ|-A)²
   * and ΣA² are kept on the device. project: real, clamped to [0,1], support; see read_image.
   * collect: the two sums since start or the last collect, which begin anew. */
  void (*epie_start) (PrismBackend *self,
                      const float  *image);
  void (*epie_update) (PrismBackend *self,
                       guint         slot,
                       double        step_size);
  void (*epie_project) (PrismBackend *self);
  void (*epie_collect) (PrismBackend *self,
                        double       *residual,
                        double       *power);
  /* The same two sums over some measurements for an image [m][m], without any update. */
  void (*compute_misfit) (PrismBackend *self,
                          const float  *image,
                          const guint  *slots,
                          guint         n_slots,
                          double       *residual,
                          double       *power);

  /* Adds Σ w·Σ(H(|φ|)-T)² of an image [m][m] to misfit and its derivative to gradient [m][m], in
   * the host's memory; H = |φ| and T = A where the noise is 0. For tests and the self-test; NULL
   * where descend is. */
  void (*add_misfit_gradient) (PrismBackend          *self,
                               const float           *image,
                               const PrismMisfitTerm *terms,
                               guint                  n_terms,
                               float                 *gradient,
                               double                *misfit);

  /* Passes of descent. descend does one part of a pass; NULL: ePIE must do instead. A device with
   * memory of its own works on copies, which put fills from the host's arrays; get copies them
   * back and returns whether all have arrived. Both are NULL where descend works
   * on the host's arrays themselves. */
  void (*put_iterate) (PrismBackend       *self,
                       const PrismIterate *iterate);
  gboolean (*get_iterate) (PrismBackend       *self,
                           const PrismIterate *iterate);
  void (*descend) (PrismBackend        *self,
                   const PrismIterate  *iterate,
                   const PrismPassPart *part,
                   PrismPassResult     *result);
  /* Whether terms of a misfit may have a step; else passes take whole frames. */
  gboolean samples_frames;

  /* The search of exit waves and of their phases, as prism-wave.c and prism-phase-sync.c do it
   * where these are NULL. FALSE of the first two: there is no room for it on the device, and the
   * host does it. move_waves: all jobs together. take_frames: what a search is about, from now on;
   * NULL lets go of it. search: some passes from start [n][n], its origin at [0][0], to field
   * [n][n] and image [m][m], O(G(z)) of the last pass; returns its residual, NAN when the device
   * failed. */
  gboolean (*move_waves) (PrismBackend        *self,
                          const PrismWaveMove *move,
                          PrismWaveJob        *jobs,
                          guint                n_jobs);
  gboolean (*take_frames) (PrismBackend             *self,
                           const PrismAlignedFrames *frames);
  double (*search) (PrismBackend *self,
                    guint         n_passes,
                    float         relaxation,
                    const float  *start,
                    float        *field,
                    float        *image);

  /* Median milliseconds of the named part of a step since the last call, for bench; -1 ends the
   * list: part runs 0, 1, …; name is static. */
  double (*get_part_time) (PrismBackend  *self,
                           guint          part,
                           const char   **name);
  /* Seconds that each of n_times copies of n_bytes takes by the device's clock, one after the other
   * and after one that is not counted; needs no open device. device: its name. NULL where the
   * device works in the host's memory, and nothing is copied. */
  gboolean (*time_copies) (PrismCopyKind   kind,
                           gsize           n_bytes,
                           guint           n_times,
                           double         *seconds,
                           char          **device,
                           GError        **error);
  /* Waits for the device; reports what was latched since the last call. PRISM_ERROR_DEVICE_LOST
   * stays: from then on every call fails or does nothing, at once and without harm, close and
   * free_buffer included, and what an operation should have filled in is undefined; get_loss
   * has the reason. */
  gboolean (*finish) (PrismBackend  *self,
                      GError       **error);
};

PrismBuffer *prism_buffer_ref          (PrismBuffer *self);
void         prism_buffer_unref        (PrismBuffer *self);

gboolean     prism_backend_can_be_lost (const PrismBackendOps *ops);
void         prism_backend_free        (PrismBackend *self);
gboolean     prism_backend_check_finite (gboolean   is_finite,
                                         GError   **error);
gboolean     prism_backend_check_object (const float *amplitude,
                                         int          side,
                                         GError     **error);
gboolean     prism_backend_check_power (double   power,
                                        guint    slot,
                                        GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBackend, prism_backend_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismBuffer, prism_buffer_unref)

G_END_DECLS
