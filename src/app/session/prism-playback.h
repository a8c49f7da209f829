/* prism-playback: which moment of the run is shown: the live one, or one of those that are kept. */
#pragma once

#include "history/prism-past.h"
#include "history/prism-snapshot.h"

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_JUMP_FIRST,
  PRISM_JUMP_LIVE,
  PRISM_JUMP_PREVIOUS,
  PRISM_JUMP_NEXT,
  PRISM_JUMP_BEST,
  PRISM_JUMP_PREVIOUS_SPIKE,
  PRISM_JUMP_NEXT_SPIKE,
} PrismJump;

#define PRISM_TYPE_SNAPSHOT (prism_snapshot_get_type ())
#define PRISM_TYPE_MOMENT (prism_moment_get_type ())
#define PRISM_TYPE_PLAYBACK (prism_playback_get_type ())

GType prism_snapshot_get_type (void);
GType prism_moment_get_type   (void);

G_DECLARE_FINAL_TYPE (PrismPlayback, prism_playback, PRISM, PLAYBACK, GObject)

struct _PrismPlayback
{
  GObject parent_instance;

  PrismSnapshot *snapshot; /* (nullable): the newest */
  PrismMoment *moment;     /* (nullable): which is shown; NULL for the newest */
  PrismSnapshot *shown;    /* (nullable): of the moment, or the newest */
  GArray *readings;        /* (nullable): of the newest */
  PrismPast *past;
  PrismSpikes *spikes;
  int rate; /* frames per second */
  gboolean loop;
  guint timer; /* 0 while nothing is played */
  guint n_held; /* ticks that the moment was shown for */
};

void           prism_playback_set_snapshot  (PrismPlayback *self,
                                             PrismSnapshot *snapshot);
void           prism_playback_set_readings  (PrismPlayback *self,
                                             GArray        *readings);
GArray        *prism_playback_get_readings  (PrismPlayback *self);
PrismFrames   *prism_playback_get_frames    (PrismPlayback *self);
gboolean       prism_playback_can_jump      (PrismPlayback *self,
                                             PrismJump      jump);
void           prism_playback_jump          (PrismPlayback *self,
                                             PrismJump      jump);
void           prism_playback_go_to_step    (PrismPlayback *self,
                                             double         step);
gboolean       prism_playback_go_to_sample  (PrismPlayback *self,
                                             guint          sample);

G_END_DECLS
