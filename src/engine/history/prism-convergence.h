/* prism-convergence: watches how one sample converges and says how its training goes on: leave it,
 * try harder, try again otherwise. Numbers alone; decisions fall at fixed steps, so that they do
 * not depend on how many steps a device gets at once. Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "history/prism-history.h"

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_TIER_NORMAL,
  PRISM_TIER_FAST,                      /* below the threshold, perhaps not for good */
  PRISM_TIER_AGGRESSIVE,                /* was on a plateau: larger steps, more of them, restarts */
  PRISM_TIER_RESCUE,                    /* tried again, with small steps and another loss */
} PrismTier;

/* What became of a sample. */
typedef enum
{
  PRISM_SAMPLE_PENDING,
  PRISM_SAMPLE_CONVERGED,
  PRISM_SAMPLE_FAILED,                  /* all steps were taken, and a loss is not below */
  PRISM_SAMPLE_RESCUED,                 /* failed, but converged when it was tried again */
} PrismSampleState;

/* Of the visit to one sample. */
typedef struct
{
  guint attempt;                        /* 0: the first; from 1: of the rescue */
  guint n_below;                        /* steps in a row with both losses below the threshold */
  guint n_extra;                        /* steps beyond those of the configuration */
  gboolean boosted;                     /* the tier is aggressive */
  guint boost_step;                     /* since this step of the visit */
  guint block_n;                        /* finite losses of the block of steps under way, */
  double block_sum;                     /* and their sum */
  double block_mean;                    /* of the block before, NAN in the first */
} PrismConvergence;

void          prism_convergence_begin             (PrismConvergence *self,
                                                   guint             attempt);
guint         prism_convergence_add               (PrismConvergence  *self,
                                                   const PrismConfig *config,
                                                   guint              sample_step,
                                                   double             loss_new,
                                                   double             loss_old);
guint         prism_convergence_count_undecided   (const PrismConvergence *self,
                                                   const PrismConfig      *config,
                                                   guint                   sample_step);
gboolean      prism_convergence_is_stable         (const PrismConvergence *self,
                                                   const PrismConfig      *config);
PrismTier     prism_convergence_get_tier          (const PrismConvergence *self);
double        prism_convergence_get_rate          (const PrismConvergence *self,
                                                   const PrismConfig      *config,
                                                   guint                   sample_step,
                                                   double                  rate);
PrismLossKind prism_convergence_get_loss          (const PrismConvergence *self,
                                                   const PrismConfig      *config);
char         *prism_convergence_dup_text          (const guint8 *states,
                                                   guint         n_samples);

/* Where the loss of a run rose most; looks at each row once.
 * Thread: one at a time, also while the engine appends. */

typedef struct _PrismSpikes PrismSpikes;

PrismSpikes *prism_spikes_new  (void);
void         prism_spikes_free (PrismSpikes *self);
gboolean     prism_spikes_read (PrismSpikes  *self,
                                PrismHistory *history,
                                guint64       n_rows,
                                guint64       n_most);
gboolean     prism_spikes_find (PrismSpikes *self,
                                guint64      step,
                                int          direction,
                                guint64     *found);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSpikes, prism_spikes_free)

G_END_DECLS
