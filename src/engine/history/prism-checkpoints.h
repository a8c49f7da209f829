/* prism-checkpoints: states of a run that it can be gone on with, apart from the newest: an
 * immutable list in order of their steps, of which the engine hands out another one when
 * there is another state. What a state holds is in a file: of the run, or a temporary one.
 * Thread: any. */
#pragma once

#include "base/prism-reference.h"
#include "formats/prism-bundle.h"

#define PRISM_CHECKPOINTS "states/" /* in a run file, followed by the step and "/" */

G_BEGIN_DECLS

typedef struct _PrismKeptState PrismKeptState;
typedef struct _PrismCheckpoints PrismCheckpoints;

struct _PrismCheckpoints
{
  gatomicrefcount ref_count;
  guint n_states;
  PrismKeptState **states;              /* [n_states], ascending in step */
  gpointer holder;                      /* (nullable): what keeps their file open */
};

PrismKeptState *prism_kept_state_new          (PrismBundle *parts,
                                               guint64      step,
                                               guint64      n_visits);
guint64         prism_kept_state_get_n_visits (const PrismKeptState *self);
guint64         prism_kept_state_get_size     (const PrismKeptState *self);

PrismCheckpoints    *prism_checkpoints_new              (PrismKeptState *const *states,
                                                         guint                  n_states);
guint64         prism_checkpoints_get_step         (const PrismCheckpoints *self,
                                                    guint              i);
int             prism_checkpoints_find             (const PrismCheckpoints *self,
                                                    guint64            step);
PrismCheckpoints    *prism_checkpoints_dup_until        (const PrismCheckpoints *self,
                                                         guint64            step);
char           *prism_checkpoints_dup_prefix       (const PrismCheckpoints *self,
                                                    guint              i);
void            prism_checkpoints_save_members     (const PrismCheckpoints  *self,
                                                    PrismArchiveWriter *writer);
PrismCheckpoints    *prism_checkpoints_take_members     (PrismArchive *archive);

PRISM_DECLARE_REFERENCES (PrismKeptState, prism_kept_state)
PRISM_DECLARE_REFERENCES (PrismCheckpoints, prism_checkpoints)

G_END_DECLS
