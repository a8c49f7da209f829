/* prism-frames: the moments that are kept of a run, in order of their steps: an immutable list, of
 * which the engine hands out another one when there is another moment. Thread: any. */
#pragma once

#include "base/prism-reference.h"
#include "config/prism-config.h"
#include "formats/prism-archive.h"
#include "formats/prism-image.h"
#include "history/prism-schedule.h"
#include "num/prism-metrics.h"
#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

/* The picture of a run at one step and where the run stood, immutable and reference
 * counted. m = object_size. Thread: any. */

typedef enum
{
  PRISM_MOMENT_STEP,                    /* within a sample or the start phase */
  PRISM_MOMENT_END,                     /* of a sample, of a pass, of the run */
  PRISM_MOMENT_BEST,                    /* kept for its quality alone */
} PrismMomentKind;

/* The settings that several moments have in common; a live change begins another version. */
typedef struct
{
  gatomicrefcount ref_count;
  guint version;                        /* from 0 */
  PrismConfig *config;
} PrismMomentSettings;

typedef struct _PrismMoment PrismMoment;

struct _PrismMoment
{
  gatomicrefcount ref_count;
  PrismMomentKind kind;
  PrismPhase phase;
  guint64 step;
  guint64 n_rows;                       /* of the history up to here */
  guint64 n_visits;                     /* samples and passes completed */
  guint sample;
  guint sample_step;
  guint pass;
  guint n_visited;                      /* samples in the coverage */
  double misfit;                        /* NAN before the polish */
  double seconds;                       /* of computing */
  PrismMetrics metrics;                 /* of this very image; SSIM is NAN where it was not made */
  PrismImage *image;                    /* [m][m] amplitude, which neighbours may share */
  PrismFinding *finding;                /* (nullable) what was known of recorded frames; files of
                                         * older versions have none */
  PrismMomentSettings *settings;
};

PrismMomentSettings *prism_moment_settings_new   (const PrismConfig *config,
                                                  guint              version);

PrismMoment         *prism_moment_new            (PrismImage          *image,
                                                  PrismMomentSettings *settings);

PRISM_DECLARE_REFERENCES (PrismMoment, prism_moment)
PRISM_DECLARE_REFERENCES (PrismMomentSettings, prism_moment_settings)

#define PRISM_FRAMES_INDEX "frames/index.csv" /* in a run file */

typedef struct _PrismFrames PrismFrames;

struct _PrismFrames
{
  gatomicrefcount ref_count;
  guint n_moments;
  PrismMoment **moments;                /* [n_moments], ascending in step */
  int best;                             /* index of the best PSNR, -1 where there is none */
  guint64 bytes;                        /* of the pictures and objects */
  guint64 spacing;                      /* steps between moments within a sample */
  guint64 end_spacing;                  /* visits between ends that are kept */
};

PrismFrames *prism_frames_new          (PrismMoment *const *moments,
                                        guint               n_moments);
int          prism_frames_find         (const PrismFrames *self,
                                        double             step);
int          prism_frames_find_sample  (const PrismFrames *self,
                                        guint              sample);
void         prism_frames_save_members (const PrismFrames  *self,
                                        PrismArchiveWriter *writer);
PrismFrames *prism_frames_load_members (PrismArchive  *archive,
                                        int            object_size,
                                        GError       **error);

PRISM_DECLARE_REFERENCES (PrismFrames, prism_frames)

G_END_DECLS
