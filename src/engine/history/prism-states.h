/* prism-states: states of a run that it can be gone on with, apart from the newest: an immutable
 * list in order of their steps, of which the engine hands out another one when there is another
 * state. What a state holds is in a file: of the run, or a temporary one. Thread: any. */
#pragma once

#include "formats/prism-bundle.h"

#define PRISM_STATES "states/" /* in a run file, followed by the step and "/" */

G_BEGIN_DECLS

typedef struct _PrismKeptState PrismKeptState;
typedef struct _PrismStates PrismStates;

struct _PrismStates
{
  gatomicrefcount ref_count;
  guint n_states;
  PrismKeptState **states;              /* [n_states], ascending in step */
  gpointer holder;                      /* (nullable): what keeps their file open */
};

PrismKeptState *prism_kept_state_new          (PrismBundle *parts,
                                               guint64      step,
                                               guint64      n_visits);
PrismKeptState *prism_kept_state_ref          (PrismKeptState *self);
void            prism_kept_state_unref        (PrismKeptState *self);
guint64         prism_kept_state_get_n_visits (const PrismKeptState *self);
guint64         prism_kept_state_get_size     (const PrismKeptState *self);

PrismStates    *prism_states_new              (PrismKeptState *const *states,
                                               guint                  n_states);
PrismStates    *prism_states_ref              (PrismStates *self);
void            prism_states_unref            (PrismStates *self);
guint64         prism_states_get_step         (const PrismStates *self,
                                               guint              i);
int             prism_states_find             (const PrismStates *self,
                                               guint64            step);
PrismStates    *prism_states_dup_until        (const PrismStates *self,
                                               guint64            step);
char           *prism_states_dup_prefix       (const PrismStates *self,
                                               guint              i);
void            prism_states_save_members     (const PrismStates  *self,
                                               PrismArchiveWriter *writer);
PrismStates    *prism_states_take_members     (PrismArchive *archive);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismKeptState, prism_kept_state_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismStates, prism_states_unref)

G_END_DECLS
