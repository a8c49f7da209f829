/* prism-ptychography-export: what explained recorded frames, as files. Thread: any. */
#pragma once

#include "ptychography/prism-finding.h"
#include "ptychography/prism-problem.h"

G_BEGIN_DECLS

/* What a run came to. */
typedef struct
{
  const PrismRecording *recording;
  const PrismConfig *settings;
  gboolean is_finished;                 /* its passes are all done */
  const PrismFinding *finding;          /* what is found by then */
  double seconds;                       /* search included */
  double coverage;                      /* fraction of the region of interest */
  double pixel_visits;                  /* frames · pixels · passes, over all tiles */
  const PrismMosaic *mosaic;            /* (nullable): the solver's is its middle tile */
  const char *device;                   /* (nullable): that took the passes */
  const char *device_reason;            /* (nullable): why it was this one, a sentence */
  const char *summary;                  /* (nullable): summary.json where it is made already */
  const PrismProblem *problem;          /* (nullable): of result.h5, where the frames are, how they
                                         * are read, and their hash */
  gboolean is_brief;                    /* object, pupil, tables and summary.json alone */
} PrismPtychographyOutcome;

/* The picture of a result. */
typedef struct
{
  int height;
  int width;
  const float *amplitude;               /* [height][width] */
  const float *phase;                   /* [height][width], rad */
} PrismResultPicture;

gboolean    prism_ptychography_nexus_save         (PrismPtychography               *self,
                                                   const PrismPtychographyOutcome  *outcome,
                                                   const PrismResultPicture        *picture,
                                                   const char                      *path,
                                                   GError                         **error);
gboolean    prism_ptychography_export_save_all    (PrismPtychography               *self,
                                                   const PrismPtychographyOutcome  *outcome,
                                                   const char                      *directory,
                                                   GError                         **error);
char       *prism_ptychography_export_dup_verdict (const PrismPrediction *held_out);

G_END_DECLS
