/* prism-keeper: chooses which moments of a run are kept, within a budget. Thread: engine. */
#pragma once

#include "history/prism-frames.h"

G_BEGIN_DECLS

typedef struct _PrismKeeper PrismKeeper;

gboolean     prism_keeper_keeps_objects (const PrismConfig *config);
guint        prism_keeper_get_capacity       (const PrismConfig *config);
guint64      prism_keeper_get_required_bytes (const PrismConfig *config,
                                              guint              n_samples);

PrismKeeper *prism_keeper_new                (const PrismConfig *config,
                                              guint              chunk_size);
void         prism_keeper_free               (PrismKeeper *self);
void         prism_keeper_load               (PrismKeeper *self,
                                              PrismFrames *frames);
void         prism_keeper_set_config         (PrismKeeper       *self,
                                              const PrismConfig *config);
gboolean     prism_keeper_wants              (PrismKeeper     *self,
                                              guint64          step,
                                              guint64          n_visits,
                                              double           psnr,
                                              PrismMomentKind *kind);
PrismMoment *prism_keeper_new_moment         (PrismKeeper     *self,
                                              PrismMomentKind  kind,
                                              PrismImage      *image);
void         prism_keeper_keep               (PrismKeeper *self,
                                              PrismMoment *moment);
PrismFrames *prism_keeper_dup_frames         (PrismKeeper *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismKeeper, prism_keeper_free)

G_END_DECLS
