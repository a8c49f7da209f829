/* prism-cuda-backend: the entries of the module, and one run on the device, as the files that
 * implement the table of operations see it: prism-cuda-backend opens and closes,
 * prism-cuda-measure holds measurements, prism-cuda-train runs steps, prism-cuda-descent passes,
 * prism-cuda-epie iterates, prism-cuda-waves and prism-cuda-alignment search.
 *
 * Dimensions: n = image_size, m = object_size, P = number of parameters. Thread: engine. */
#pragma once

#include "backend/prism-backend.h"
#include "backend/prism-recorded.h"
#include "prism-cuda-align.h"
#include "prism-cuda-decoder.h"
#include "prism-cuda-memory.h"
#include "prism-cuda-optics.h"

#include <gmodule.h>

G_BEGIN_DECLS

/* Every copy between host and device goes through here and is counted by what
 * it is for. Thread: engine. */

typedef struct _PrismCudaTransfer PrismCudaTransfer;

PrismCudaTransfer *prism_cuda_transfer_new      (PrismCudaContext   *context,
                                                 cudaStream_t        stream,
                                                 GError            **error);
void               prism_cuda_transfer_free     (PrismCudaTransfer  *self);

/* Through pinned memory, in the order of the stream. upload returns as soon as from may be
 * reused, download when to is filled; after a failure to is as it was. */
gboolean           prism_cuda_transfer_upload   (PrismCudaTransfer  *self,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes);
gboolean           prism_cuda_transfer_download (PrismCudaTransfer  *self,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes);
/* Host memory is pinned and the caller's to look after; nothing is waited for. */
cudaError_t        prism_cuda_transfer_send     (PrismCudaContext   *context,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes);
cudaError_t        prism_cuda_transfer_fetch    (PrismCudaContext   *context,
                                                 PrismTransferKind   kind,
                                                 void               *to,
                                                 const void         *from,
                                                 gsize               n_bytes,
                                                 cudaStream_t        stream);

/* What the decoder puts out, copied beside the training for somebody to look at. */

typedef struct _PrismCudaFrame PrismCudaFrame;

/* n_pixels: m². */
PrismCudaFrame *prism_cuda_frame_new     (PrismCudaContext  *context,
                                          PrismCudaArena    *arena,
                                          gsize              n_pixels);
/* After the arena is allocated. */
gboolean        prism_cuda_frame_prepare (PrismCudaFrame    *self,
                                          GError           **error);
void            prism_cuda_frame_free    (PrismCudaFrame    *self);
gboolean        prism_cuda_frame_is_due  (PrismCudaFrame    *self);
/* image [m][m] and the sums of its metrics on the device, as the main stream leaves them. */
cudaError_t     prism_cuda_frame_request (PrismCudaFrame    *self,
                                          const float       *image,
                                          const double      *sums);
/* Never waits: TRUE once the frame has arrived. */
gboolean        prism_cuda_frame_collect (PrismCudaFrame    *self,
                                          float             *image,
                                          PrismMetrics      *metrics);

/* How long copies between the host's memory and the device's take, for bench.
 * Thread: engine. */

gboolean prism_cuda_copy_time (PrismCopyKind   kind,
                               gsize           n_bytes,
                               guint           n_times,
                               double         *seconds,
                               char          **device,
                               GError        **error);

/* What the camera sees, on the device, with transforms pruned to the
 * object's rows and the aperture's box: the loss against it and its gradient; measurements,
 * taken and exposed, ePIE on them, and the misfit of an image.
 *
 * Dimensions: n = image_size, m = object_size. Targets: amplitude [n][n], origin at [0][0]
 * (natural order rolled by n/2 in both directions). Thread: engine. Enqueue functions may be
 * called while the stream is being captured. */

/* What the shape of a captured step depends on. Terms, slots and weights are read on the device;
 * blocks beyond the actual counts return at once. */
typedef struct
{
  gboolean fit_start;
  gboolean misfit;                      /* of a refinement, whatever the loss */
  gboolean expects;                     /* of a misfit: a term has read noise */
  PrismLossKind loss;
  float weights[PRISM_STEP_N_WEIGHTS];  /* of a composite loss, else 0 */
  PrismDomain domain;
  gboolean normalise;
  guint n_terms;                        /* at most, ≤ PRISM_CUDA_MAX_TERMS */
  int max_height;                       /* px, of the boxes of the slots in use */
  int max_width;
} PrismCudaShape;

typedef struct
{
  int image_size;  /* n */
  int object_size; /* m */
  PrismCudaControl **control;

  /* In the arena. */
  PrismCudaComplex *roots;    /* [n] of prism_cuda_fft_fill_table() */
  PrismCudaComplex *half;     /* [n/2+1][m] on the way out */
  PrismCudaComplex *columns;  /* [n/2+1][m] and back */
  PrismCudaComplex *planes;   /* [N_FIELDS][n][n] */
  PrismCudaSlot *slots;       /* [n_slots] */
  float *start_image;         /* [m][m] */
  PrismCudaOpticsView *views; /* [PRISM_CUDA_MAX_TERMS] */
  double *sums;               /* [PRISM_CUDA_MAX_TERMS][n_sums] */
  double *start_sums;         /* [PRISM_CUDA_START_MAX_BLOCKS][2] */

  /* Of SSIM losses, which take a view at a time, and the plane that it leaves free. */
  float *amplitude;  /* [n][n] */
  float *maps;       /* [4][n][n] */
  double *tile_sums; /* [2·(n/TILE)²] */
  double *factors;   /* [PRISM_CUDA_SIMILARITY_MAX_SCALES] */

  float *object;              /* [m][m] */
  PrismCudaComplex *spectrum; /* [n][n] ePIE's estimate, by columns */
  double *target_partials;    /* of a noise or a sum */
  double *metrics_partials;   /* apart: metrics run beside the training */
} PrismCudaTelescope;

/* Of what is no part of a step, and does not ask whether its chunk is done. */
static inline PrismCudaOptics
prism_cuda_telescope_get_optics (const PrismCudaTelescope *self)
{
  return (PrismCudaOptics) { self->image_size, self->object_size, self->roots, NULL };
}

PrismCudaTelescope *prism_cuda_telescope_new  (const PrismBackendSpec *spec,
                                               PrismCudaArena         *arena,
                                               PrismCudaControl      **control);
/* Losses of control->steps[cursor] into control->loss_new and loss_old, and dLoss/dImage [m][m]
 * into gradient, for image [m][m]. Kernels, in order: object rows, columns out and back through
 * each term's aperture, detector rows with loss and adjoint, columns, rows. */
cudaError_t         prism_cuda_telescope_compute_gradient (PrismCudaTelescope   *self,
                                                           const PrismCudaShape *shape,
                                                           const float          *image,
                                                           float                *gradient,
                                                           cudaStream_t          stream);

/* As the CPU's: of control->steps[cursor], whose terms have a noise. Losses as above; the slope
 * stays with the image's columns, added to what is there if accumulate, until restore_image. */
cudaError_t         prism_cuda_telescope_add_misfit     (PrismCudaTelescope   *self,
                                                         const PrismCudaShape *shape,
                                                         const float          *image,
                                                         gboolean              accumulate,
                                                         cudaStream_t          stream);
cudaError_t         prism_cuda_telescope_restore_image  (PrismCudaTelescope   *self,
                                                         float                *gradient,
                                                         cudaStream_t          stream);

/* target ← what is seen of image [m][m] through the mask of the first view, whose box is as
 * wide. */
cudaError_t         prism_cuda_telescope_measure        (PrismCudaTelescope   *self,
                                                         int                   width,
                                                         const float          *image,
                                                         float                *target,
                                                         cudaStream_t          stream);
/* Same numbers as prism_noise on the CPU up to rounding. */
cudaError_t         prism_cuda_telescope_expose         (PrismCudaTelescope   *self,
                                                         const float          *clean,
                                                         const PrismExposure  *exposure,
                                                         float                *target,
                                                         cudaStream_t          stream);
/* The device's table of operations, which the engine loads as a module; and what it does with
 * recorded frames. (transfer none) */
G_MODULE_EXPORT const PrismBackendOps  *prism_cuda_backend_get_ops  (void);
G_MODULE_EXPORT const PrismRecordedOps *prism_cuda_recorded_get_ops (void);

/* Captured work. What has some key is captured when it has been met often enough, then only
 * launched. */

/* Work of one kind: its key is all that the sequence of kernels depends on. */
typedef struct
{
  gsize key_bytes;
  guint n_uncaptured;                   /* times that a key is only queued before it is captured */
  /* Queues the work of a key, beginning and ending on the main stream; also under capture. */
  cudaError_t (*queue) (gconstpointer key,
                        gpointer      data);
} PrismCudaGraphKind;

typedef struct _PrismCudaGraph PrismCudaGraph;

/* data: for the kind's functions. */
PrismCudaGraph *prism_cuda_graph_new         (PrismCudaContext         *context,
                                              const PrismCudaGraphKind *kind,
                                              gpointer                  data);
void            prism_cuda_graph_free        (PrismCudaGraph           *self);
/* FALSE with PRISM_CUDA_NO_GRAPH or PRISM_NO_GRAPH in the environment: all is queued kernel by
 * kernel. */
gboolean        prism_cuda_graph_is_enabled  (PrismCudaGraph           *self);
cudaError_t     prism_cuda_graph_launch      (PrismCudaGraph           *self,
                                              gconstpointer             key);

/* How long the parts of a step took on the device. */

typedef enum
{
  PRISM_CUDA_PART_FORWARD,
  PRISM_CUDA_PART_TELESCOPE,
  PRISM_CUDA_PART_UPDATE,
  PRISM_CUDA_N_PARTS,
} PrismCudaPart;

typedef struct _PrismCudaTiming PrismCudaTiming;

PrismCudaTiming *prism_cuda_timing_new     (PrismCudaContext *context,
                                            gboolean          by_part);
void             prism_cuda_timing_free    (PrismCudaTiming  *self);
/* Kernels of a part are queued from here on; PRISM_CUDA_N_PARTS ends the step. Does nothing unless
 * by_part. */
cudaError_t      prism_cuda_timing_mark    (PrismCudaTiming  *self,
                                            guint             part);
/* Around the steps of a chunk; collect after the device is through with it. */
cudaError_t      prism_cuda_timing_begin   (PrismCudaTiming  *self);
cudaError_t      prism_cuda_timing_end     (PrismCudaTiming  *self);
void             prism_cuda_timing_collect (PrismCudaTiming  *self,
                                            guint             n_steps);
/* As PrismBackendOps.get_part_time. */
double           prism_cuda_timing_take    (PrismCudaTiming  *self,
                                            guint             part,
                                            const char      **name);

/* What a slot holds; the device has its own copy, a PrismCudaSlot. */
typedef struct
{
  PrismBuffer *target;                  /* NULL: unbound */
  uint8_t *bits;                        /* device, of the pool */
  int height, width;
  PrismCudaExpect *expect;              /* device, of the pool; NULL until a misfit wanted it */
  float noise, read, offset;            /* what it is of */
  guint64 batch;                        /* of misfits, the last that it was in */
  double power;                         /* ΣA² */
} PrismCudaBinding;

/* Terms of a misfit that go together, as steps without an update. */
typedef struct
{
  guint n_steps;
  PrismCudaShape shapes[PRISM_CUDA_MAX_CHUNK];
} PrismCudaBatch;

typedef struct _PrismCudaAlignment PrismCudaAlignment;

typedef struct
{
  PrismBackend parent;
  PrismCudaContext context;
  PrismCudaArena *arena;
  PrismCudaDecoder *decoder;
  PrismCudaTelescope *telescope;
  PrismCudaFrame *frame;
  PrismCudaTransfer *transfer;
  PrismCudaPool *pool;
  PrismCudaGraph *graph;                /* of steps */
  PrismCudaGraph *pass_graph;
  PrismCudaAlignment *alignment;        /* NULL: no phases are searched */
  PrismCudaTiming *timing;
  PrismCudaControl *control;            /* device */
  PrismCudaControl *mirror;             /* pinned host: steps on their way, results come back */
  float *image;                         /* device [m][m]: an image from the host */
  float *epie_image;                    /* device [m][m] */
  float *plane;                         /* device [n][n]: a plane in natural order */
  double *epie_sums;                    /* device [2] */
  double *sums;                         /* device [3]: of a target, of a misfit */
  float *iterates[PRISM_N_ITERATES];    /* device [4][m][m]: image, point, dual field */
  float *slope;                         /* device [m][m] of the pass of descent under way */
  float *other_dual;                    /* device [2][m][m] to work in */
  double *pass_sums;                    /* device, of PrismCudaIterate */
  cudaStream_t stream;                  /* the main one */
  cudaEvent_t forward_done;             /* of the step under way */
  cudaEvent_t losses_done;
  cudaEvent_t metrics_done;
  PrismCudaBinding *bound;              /* [n_slots] */
  gboolean output_valid;                /* of the parameters as they are, or of the last step */
  gboolean gradient_valid;              /* get_gradient() has something to give */
  double step_seconds;                  /* what a step may take on a slow device */
  guint64 n_batches;                    /* of misfits so far */
  guint n_buffers;                      /* alive */
  gboolean closed;                      /* waits for the last buffer to go */
  gint64 asked;                         /* when available was, µs */
  guint64 available;                    /* bytes */
} PrismCudaBackend;

/* Of an image [m][m], and of a plane [n][n]. */
static inline gsize
prism_cuda_backend_get_image_bytes (PrismCudaBackend *self)
{
  const gsize side = self->parent.spec.object_size;

  return side * side * sizeof (float);
}

static inline gsize
prism_cuda_backend_get_plane_bytes (PrismCudaBackend *self)
{
  const gsize side = self->parent.spec.image_size;

  return side * side * sizeof (float);
}

/* Both [m][m]; an error is noted in the context. */
static inline gboolean
prism_cuda_backend_upload_image (PrismCudaBackend *self,
                                 float            *to,
                                 const float      *from)
{
  return prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_SETUP, to, from,
                                     prism_cuda_backend_get_image_bytes (self));
}

/* Of what is measured; an error is noted in the context. */
static inline gboolean
prism_cuda_backend_upload (PrismCudaBackend *self,
                           void             *to,
                           const void       *from,
                           gsize             n_bytes)
{
  return prism_cuda_transfer_upload (self->transfer, PRISM_TRANSFER_MEASUREMENT, to, from, n_bytes);
}

static inline gboolean
prism_cuda_backend_download (PrismCudaBackend *self,
                             void             *to,
                             const void       *from,
                             gsize             n_bytes)
{
  return prism_cuda_transfer_download (self->transfer, PRISM_TRANSFER_MEASUREMENT, to, from,
                                       n_bytes);
}

/* Begins an operation: FALSE when the device is lost. */
static inline gboolean
prism_cuda_backend_enter (PrismCudaBackend *self)
{
  return prism_cuda_context_enter (&self->context);
}

/* Takes note of status; FALSE unless it is cudaSuccess. doing: as for prism_cuda_error_set(). */
static inline gboolean
prism_cuda_backend_check (PrismCudaBackend *self,
                          cudaError_t       status,
                          const char       *doing)
{
  return prism_cuda_context_check (&self->context, status, doing);
}

PrismBuffer *prism_cuda_measure_take            (PrismBackend     *backend,
                                                 const PrismMask  *mask,
                                                 GError          **error);
PrismBuffer *prism_cuda_measure_expose          (PrismBackend         *backend,
                                                 PrismBuffer          *clean,
                                                 const PrismMask      *mask,
                                                 const PrismExposure  *exposure,
                                                 GError              **error);
PrismBuffer *prism_cuda_measure_load            (PrismBackend     *backend,
                                                 const PrismMask  *mask,
                                                 const float      *amplitude,
                                                 GError          **error);
void         prism_cuda_measure_read            (PrismBackend    *backend,
                                                 PrismBuffer     *buffer,
                                                 const PrismMask *mask,
                                                 float           *amplitude);
void         prism_cuda_measure_free_buffer     (PrismBuffer *buffer);
gboolean     prism_cuda_measure_bind            (PrismBackend     *backend,
                                                 guint             slot,
                                                 const PrismMask  *mask,
                                                 PrismBuffer      *target,
                                                 double           *energy,
                                                 GError          **error);
gboolean     prism_cuda_measure_hold            (PrismBackend     *backend,
                                                 guint             slot,
                                                 const PrismMask  *mask,
                                                 GError          **error);

void         prism_cuda_epie_start              (PrismBackend *backend,
                                                 const float  *image);
void         prism_cuda_epie_update             (PrismBackend *backend,
                                                 guint         slot,
                                                 double        step_size);
void         prism_cuda_epie_project            (PrismBackend *backend);
void         prism_cuda_epie_collect            (PrismBackend *backend,
                                                 double       *residual,
                                                 double       *power);
void         prism_cuda_epie_compute_misfit     (PrismBackend *backend,
                                                 const float  *image,
                                                 const guint  *slots,
                                                 guint         n_slots,
                                                 double       *residual,
                                                 double       *power);

void         prism_cuda_misfit_add_gradient     (PrismBackend          *backend,
                                                 const float           *image,
                                                 const PrismMisfitTerm *terms,
                                                 guint                  n_terms,
                                                 float                 *gradient,
                                                 double                *misfit);

/* Queues misfit and slope of an image on the device: the misfit grows sum, also on the device, the
 * slope is for prism_cuda_telescope_restore_image(). FALSE after a failure. */
gboolean     prism_cuda_misfit_queue            (PrismCudaBackend      *self,
                                                 const float           *image,
                                                 const PrismMisfitTerm *terms,
                                                 guint                  n_terms,
                                                 double                *sum);

/* The same in pieces: fill prepares at most a batch's terms in the mirror, for one upload, and
 * returns how many, 0 after a failure. queue then needs nothing of the host. */
guint        prism_cuda_misfit_fill             (PrismCudaBackend      *self,
                                                 const PrismMisfitTerm *terms,
                                                 guint                  n_terms,
                                                 PrismCudaBatch        *batch);
cudaError_t  prism_cuda_misfit_queue_batch      (PrismCudaBackend      *self,
                                                 const PrismCudaBatch  *batch,
                                                 const float           *image,
                                                 gboolean               accumulate,
                                                 double                *sum);

/* Passes on the main stream; for a PrismCudaBackend. */
#define PRISM_CUDA_N_PLANES 4 /* image, point and dual field */
extern const PrismCudaGraphKind prism_cuda_descent_graphs;
void         prism_cuda_descent_put             (PrismBackend       *backend,
                                                 const PrismIterate *iterate);
gboolean     prism_cuda_descent_get             (PrismBackend       *backend,
                                                 const PrismIterate *iterate);
void         prism_cuda_descent_run             (PrismBackend        *backend,
                                                 const PrismIterate  *iterate,
                                                 const PrismPassPart *part,
                                                 PrismPassResult     *result);

/* What launches go by, but for the roots, which fill_roots makes [side]; FALSE where the device
 * cannot look at such frames. */
gboolean     prism_cuda_waves_plan              (PrismCudaBackend       *self,
                                                 const PrismMask *const *masks,
                                                 guint                   n_masks,
                                                 guint                   side,
                                                 PrismCudaWavePlan      *plan);
void         prism_cuda_waves_fill_roots        (PrismCudaComplex       *roots,
                                                 guint                   side);
gboolean     prism_cuda_waves_move              (PrismBackend        *backend,
                                                 const PrismWaveMove *move,
                                                 PrismWaveJob        *jobs,
                                                 guint                n_jobs);

void         prism_cuda_alignment_clear         (PrismCudaBackend *self);
gboolean     prism_cuda_alignment_take_frames   (PrismBackend             *backend,
                                                 const PrismAlignedFrames *frames);
double       prism_cuda_alignment_search        (PrismBackend *backend,
                                                 guint         n_passes,
                                                 float         relaxation,
                                                 const float  *start,
                                                 float        *field,
                                                 float        *image);

/* The output of a forward pass with the current parameters, or of the last step. */
gboolean     prism_cuda_train_ensure_output     (PrismCudaBackend *self);

/* Steps on the main stream and beside it; for a PrismCudaBackend. */
extern const PrismCudaGraphKind prism_cuda_train_graphs;
guint        prism_cuda_train_run               (PrismBackend    *backend,
                                                 const PrismStep *steps,
                                                 guint            n_steps,
                                                 PrismStepResult *results);
void         prism_cuda_train_compute_gradient  (PrismBackend    *backend,
                                                 const PrismStep *step,
                                                 PrismStepResult *result);

G_END_DECLS
