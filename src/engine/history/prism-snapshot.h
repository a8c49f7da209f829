/* prism-snapshot: the state of a run at one moment, immutable and reference counted: all that the
 * window and the command line ever see of the engine. Thread: any. */
#pragma once

#include "backend/prism-cache.h"
#include "base/prism-reference.h"
#include "config/prism-config.h"
#include "formats/prism-image.h"
#include "history/prism-convergence.h"
#include "history/prism-frames.h"
#include "history/prism-history.h"
#include "history/prism-schedule.h"
#include "history/prism-checkpoints.h"
#include "model/prism-decoder.h"
#include "model/prism-pattern.h"
#include "model/prism-verdict.h"
#include "num/prism-metrics.h"
#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

/* What of a snapshot takes memory by the pixel or by the step. */
typedef enum
{
  PRISM_SNAPSHOT_NUMBERS = 0,
  PRISM_SNAPSHOT_HISTORY = 1 << 0,
  PRISM_SNAPSHOT_IMAGES = 1 << 1,       /* but those of the past */
} PrismSnapshotParts;

typedef struct _PrismSnapshot PrismSnapshot;

struct _PrismSnapshot
{
  gatomicrefcount ref_count;
  guint64 serial;                       /* grows by one with every snapshot */
  guint64 run;                          /* grows by one with every run */
  PrismState state;
  PrismPhase phase;
  char *message;                        /* (nullable): an error or a notice, one sentence */
  int error;                            /* PrismError of message where the run failed, was stopped
                                         * before there was a result, or pauses because it cannot be
                                         * saved; otherwise -1 */
  char *run_file;                       /* (nullable): where the run is saved now */
  char *problem;                        /* (nullable): of a run with a file: where its frames are,
                                         * as prism_problem_to_text() says it */
  char *display;                        /* (nullable): see prism-display */
  char *exported;                       /* (nullable): folder of recorded frames' result, written */
  PrismConfig *config;                  /* as it applies to this run now */
  gboolean has_no_target;               /* nobody knows the object: no metric will have a value */

  guint sample;                         /* index of the current sample */
  guint n_samples;
  guint n_visited;                      /* samples that joined the coverage so far */
  guint pass;                           /* pass over the pattern or ePIE pass, from 0 */
  guint n_passes;
  guint n_tiles;                        /* of a field of recorded frames, passes over one after the
                                         * other; 0 where it is one */
  guint n_done;                         /* of them, those that picture and result are of */
  guint search;                         /* of exit waves, under way, from 1; 0 at any other time */
  guint live_pass;                      /* of the live picture after the last sample */
  guint n_live_passes;                  /* 0 at any other time */
  guint frame_side;                     /* points along each side of a frame that the first passes
                                         * look at; 0 where none are made */
  guint64 step;                         /* steps done, all phases */
  guint64 n_steps;                      /* expected in all, an upper bound */
  guint sample_step;
  double loss_new;
  double loss_old;
  double learning_rate;
  double misfit;                        /* Σ(|φ|-A)²/ΣA², NAN before the polish; its root over
                                         * held-out frames where there are some */
  double correlation;                   /* of held-out frames; 0 where there are none */
  PrismMetrics metrics;                 /* NAN before they are computed */
  PrismTraining training;               /* whether the decoder is trained at all, and why */
  PrismVerdict verdict;                 /* of the result, by the measurements; open before */
  PrismSettling settling;               /* of the passes that end the run */
  double coverage;                      /* fraction of the region of interest, 0…1 */
  double pixel_size;                    /* m, of recorded frames' pictures; 0: unknown, as is what
                                         * follows */
  double limit;                         /* m, see prism_finding_get_limit() */
  int automatic_tile;                   /* px: see prism_config_dup_asked() */
  PrismTier tier;                       /* of the sample under way; see convergence */
  guint attempt;                        /* of its rescue, 0 = the first visit */
  guint n_failed;                       /* samples that did not converge, as it stands */
  guint n_rescued;                      /* that did when they were tried again */
  guint8 *sample_states;                /* (nullable) [n_samples] PrismSampleState; with convergence
                                         * on alone */
  guint64 n_skipped;                    /* steps skipped because of non-finite values */

  double seconds;                       /* of computing, pauses left out */
  double steps_per_second;              /* of the optimiser; NAN before its first step */
  double seconds_left;                  /* estimate, see prism_snapshot_is_least(); NAN when
                                         * unknown */
  const char *backend;                  /* (nullable) of prism-device-list: what computes now */
  char *device;                         /* "CPU, 2 threads, AVX-512" */
  char *device_reason;                  /* why this device and no other, one sentence */
  int fallback;                         /* PrismError for which the CPU took over, -1 for none */
  char *precision_advice;               /* (nullable) one sentence: mixed precision does not pay */
  guint64 memory_used;                  /* bytes on the device that trains */
  guint64 memory_peak;
  guint64 memory_available;
  PrismDeviceCounters counters;         /* transfers, waits, graphs, loss scale, overflows */
  PrismCacheStatistics cache;
  guint64 n_parameters;

  PrismImage *target;                   /* (nullable) [m][m] amplitude */
  PrismImage *reconstruction;           /* (nullable) [m][m] amplitude */
  PrismImage *second;                   /* (nullable) [m][m] amplitude: where the verdict is
                                         * ambiguous, what explains the measurements, too */
  PrismImage *phase_image;              /* (nullable) [m][m] rad, of a complex reconstruction */
  PrismFinding *finding;                /* (nullable) what is known of recorded frames: the whole
                                         * object, pupil, lights */
  PrismImage *measurement;              /* (nullable) [n][n] amplitude of the current sample */
  PrismImage *coverage_plane;           /* (nullable) [n][n], 1 where measured so far */
  PrismImage *spectrum;                 /* (nullable) [n][n], |E| of the target */
  PrismImage *exposure;                 /* (nullable) [m][m] amplitude of the target behind one
                                         * aperture in the middle of the plane */
  PrismPattern *pattern;                /* (nullable) in the order of the visits */
  PrismHistory *history;                /* (nullable) */
  guint64 n_rows;                       /* of history that belong to this snapshot */
  PrismFold *fold;                      /* (nullable) the decoder of a run that keeps it */
  PrismFrames *frames;                  /* (nullable) the moments kept so far; immutable */
  PrismCheckpoints *states;                  /* (nullable) where a fork can begin; immutable */
};

PrismSnapshot *prism_snapshot_new               (void);
void           prism_snapshot_set_finding       (PrismSnapshot      *self,
                                                 PrismFinding       *finding);
PrismSnapshot *prism_snapshot_dup_parts         (const PrismSnapshot *self,
                                                 PrismSnapshotParts   parts);
gboolean       prism_snapshot_is_recorded       (const PrismSnapshot *self);
gboolean       prism_snapshot_searches_pupil    (const PrismSnapshot *self);
gboolean       prism_snapshot_is_untrained      (const PrismSnapshot *self);
gboolean       prism_snapshot_is_vain           (const PrismSnapshot *self);
gboolean       prism_snapshot_is_in_tiles       (const PrismSnapshot *self);
guint          prism_snapshot_get_tile          (const PrismSnapshot *self,
                                                 guint                pass);
gboolean       prism_snapshot_is_least          (const PrismSnapshot *self);
guint          prism_snapshot_get_stopped       (const PrismSnapshot *self);
guint64        prism_snapshot_count_passes      (const PrismSnapshot *self);
char          *prism_snapshot_dup_object_notice (const PrismSnapshot *self);
char          *prism_snapshot_dup_remarks       (const PrismSnapshot *self,
                                                 gboolean             only_warnings);
char          *prism_snapshot_dup_verdict       (const PrismSnapshot *self);
const char    *prism_snapshot_get_maker         (const PrismSnapshot *self);
const char    *prism_snapshot_get_target_gap    (const PrismSnapshot *self);

PRISM_DECLARE_REFERENCES (PrismSnapshot, prism_snapshot)

G_END_DECLS
