/* prism-frames: the moments that are kept of a run, in order of their steps: an immutable list, of
 * which the engine hands out another one when there is another moment. Thread: any. */
#pragma once

#include "formats/prism-archive.h"
#include "history/prism-moment.h"

#define PRISM_FRAMES_INDEX "frames/index.csv" /* in a run file */

G_BEGIN_DECLS

typedef struct _PrismFrames PrismFrames;

struct _PrismFrames
{
  gatomicrefcount ref_count;
  guint n_moments;
  PrismMoment **moments;                /* [n_moments], ascending in step */
  int best;                             /* index of the best PSNR, -1 where there is none */
  guint64 bytes;                        /* of the pictures */
  guint64 spacing;                      /* steps between moments within a sample */
  guint64 end_spacing;                  /* visits between ends that are kept */
};

PrismFrames *prism_frames_new          (PrismMoment *const *moments,
                                        guint               n_moments);
PrismFrames *prism_frames_ref          (PrismFrames *self);
void         prism_frames_unref        (PrismFrames *self);
int          prism_frames_find         (const PrismFrames *self,
                                        guint64            step);
int          prism_frames_find_sample  (const PrismFrames *self,
                                        guint              sample);
void         prism_frames_save_members (const PrismFrames  *self,
                                        PrismArchiveWriter *writer);
PrismFrames *prism_frames_load_members (PrismArchive  *archive,
                                        int            object_size,
                                        GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismFrames, prism_frames_unref)

G_END_DECLS
