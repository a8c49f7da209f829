#include "config.h"

#include "history/prism-convergence.h"

#include "base/prism-each.h"
#include "history/prism-schedule.h"

#define MAX_LISTED 12
/* Steps whose mean loss is compared with that of those before; a plateau is one after 200. These
 * numbers are those of the first PRISM. */
#define BLOCK 50

/**
 * prism_convergence_begin:
 * @self: (out caller-allocates): a monitor
 * @attempt: 0 for the first visit to a sample in a pass, then 1, 2, …
 *
 * Begins a visit; a rescue gets more steps.
 */
void
prism_convergence_begin (PrismConvergence *self,
                         guint attempt)
{
  *self = (PrismConvergence) {
    .attempt = attempt,
    .n_extra = attempt > 0 ? 1000 : 0,
    .block_mean = NAN,
  };
}

/* At the end of a block: whether the losses have stopped to fall. Single steps are noisy, since
 * each looks at other measurements. */
static gboolean
is_on_plateau (PrismConvergence *self,
               guint sample_step)
{
  double mean = self->block_n > 0 ? self->block_sum / self->block_n : NAN;
  gboolean flat = mean > 0.99 * self->block_mean;

  self->block_mean = mean;
  self->block_sum = 0.0;
  self->block_n = 0;
  return flat && sample_step >= 200;
}

/**
 * prism_convergence_add:
 * @config: threshold
 * @sample_step: number of the step in this visit, from 1
 * @loss_new: of the step
 * @loss_old: of the step
 *
 * Takes note of a step. Losses that are not finite count as not below the threshold.
 *
 * Source: numerics.md, “Convergence”.
 *
 * Returns: steps that are granted beyond those known before
 */
guint
prism_convergence_add (PrismConvergence *self,
                       const PrismConfig *config,
                       guint sample_step,
                       double loss_new,
                       double loss_old)
{
  double loss = loss_new + loss_old;
  guint n_more;

  if (loss_new < config->threshold && loss_old < config->threshold)
    self->n_below++;
  else
    self->n_below = 0;
  if (isfinite (loss))
    {
      self->block_sum += loss;
      self->block_n++;
    }
  if (sample_step % BLOCK != 0 || !is_on_plateau (self, sample_step) || self->n_below > 0
      || self->boosted || self->attempt > 0)
    return 0;

  self->boosted = TRUE;
  self->boost_step = sample_step;
  n_more = 500;
  self->n_extra += n_more;
  return n_more;
}

/**
 * prism_convergence_count_undecided:
 * @config: patience
 * @sample_step: steps done in this visit
 *
 * Returns: how many steps there are at least up to and including the next one after which the
 * monitor may decide something; 1 or more
 */
guint
prism_convergence_count_undecided (const PrismConvergence *self,
                                   const PrismConfig *config,
                                   guint sample_step)
{
  guint patience = (guint) config->patience;
  guint n_to_stability = patience > self->n_below ? patience - self->n_below : 1;

  return MIN (n_to_stability, BLOCK - sample_step % BLOCK);
}

/**
 * prism_convergence_is_stable:
 * @config: patience
 *
 * Returns: whether the sample has been below the threshold for long enough to be left
 */
gboolean
prism_convergence_is_stable (const PrismConvergence *self,
                             const PrismConfig *config)
{
  return self->n_below >= (guint) config->patience;
}

/**
 * prism_convergence_get_tier:
 *
 * Returns: how the sample is being trained
 */
PrismTier
prism_convergence_get_tier (const PrismConvergence *self)
{
  if (self->n_below > 0)
    return PRISM_TIER_FAST;
  if (self->attempt > 0)
    return PRISM_TIER_RESCUE;
  return self->boosted ? PRISM_TIER_AGGRESSIVE : PRISM_TIER_NORMAL;
}

/**
 * prism_convergence_get_rate:
 * @config: learning_rate
 * @sample_step: steps done in this visit
 * @rate: what the schedule says
 *
 * The learning rate of the next step: @rate; on a plateau twice that with warm restarts; in a
 * rescue learning_rate·0.1/(attempt + 1), for the schedule is over.
 *
 * Returns: the rate
 */
double
prism_convergence_get_rate (const PrismConvergence *self,
                            const PrismConfig *config,
                            guint sample_step,
                            double rate)
{
  if (self->attempt > 0)
    return config->learning_rate * 0.1
           / (self->attempt + 1);
  if (self->boosted)
    return prism_schedule_get_restart_rate (2.0 * rate,
                                            sample_step - self->boost_step);
  return rate;
}

/**
 * prism_convergence_get_loss:
 * @config: loss
 *
 * The loss of this visit: that of the configuration, and in a rescue the next ones of the cycle
 * l1, ssim, l2, ms-ssim.
 *
 * Returns: the loss
 */
PrismLossKind
prism_convergence_get_loss (const PrismConvergence *self,
                            const PrismConfig *config)
{
  static const PrismLossKind next[] = {
    [PRISM_LOSS_L1] = PRISM_LOSS_SSIM,
    [PRISM_LOSS_SSIM] = PRISM_LOSS_L2,
    [PRISM_LOSS_L2] = PRISM_LOSS_MS_SSIM,
    [PRISM_LOSS_MS_SSIM] = PRISM_LOSS_L1,
    [PRISM_LOSS_COMPOSITE] = PRISM_LOSS_L1,
  };
  PrismLossKind loss = config->loss;

  for (guint i = 0; i < self->attempt; i++)
    loss = next[loss];
  return loss;
}

static guint
count (const guint8 *states,
       guint n_samples,
       PrismSampleState state)
{
  guint n = 0;

  for (guint i = 0; i < n_samples; i++)
    n += states[i] == state;
  return n;
}

/**
 * prism_convergence_dup_text:
 * @states: (array length=n_samples): #PrismSampleState
 * @n_samples: N
 *
 * Says in one sentence which samples did not converge.
 *
 * Shape: [N].
 *
 * Returns: (transfer full): the sentence
 */
char *
prism_convergence_dup_text (const guint8 *states,
                            guint n_samples)
{
  guint n_failed = count (states, n_samples, PRISM_SAMPLE_FAILED);
  guint n_rescued = count (states, n_samples, PRISM_SAMPLE_RESCUED);
  guint n_converged = count (states, n_samples, PRISM_SAMPLE_CONVERGED) + n_rescued;
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_listed = 0;

  /* "3, 7, 12", counted from 1 as everywhere that a user looks. */
  for (guint i = 0; i < n_samples; i++)
    {
      if (states[i] != PRISM_SAMPLE_FAILED)
        continue;
      if (n_listed++ == MAX_LISTED)
        {
          g_string_append (text, ", …");
          break;
        }
      g_string_append_printf (text, "%s%u", text->len > 0 ? ", " : "", i + 1);
    }

  if (n_failed > 0)
    return g_strdup_printf (_ ("%u of %u positions converged, %u when tried again; not "
                               "converged: %s."),
                            n_converged, n_samples, n_rescued, text->str);
  if (n_rescued > 0)
    return g_strdup_printf (_ ("%u of %u positions converged, %u when tried again."), n_converged,
                            n_samples, n_rescued);
  return g_strdup_printf (_ ("%u of %u positions converged."), n_converged, n_samples);
}

/* As many as one wants to walk through. */
#define MAX_SPIKES 16
/* A smaller rise is how a loss trembles. */
#define LEAST_RISE 1.2

typedef struct
{
  guint64 step;
  double rise;
} Spike;

struct _PrismSpikes
{
  PrismHistory *history;    /* (nullable) */
  guint64 n_read;           /* rows that were looked at */
  PrismHistoryRow last;     /* of them */
  Spike spikes[MAX_SPIKES]; /* in descending order */
  guint n_spikes;
};

static void
look_at (PrismSpikes *self,
         const PrismHistoryRow *row)
{
  const PrismHistoryRow *last = &self->last;
  /* How much the loss rose from one row to the next; another sample has another loss, which is no
   * rise. */
  const double rise = self->n_read > 0 && row->sample == last->sample
                              && row->sample_step == last->sample_step + 1 && last->loss_new > 0.0
                          ? row->loss_new / last->loss_new
                          : 0.0;

  if (rise >= LEAST_RISE
      && (self->n_spikes < MAX_SPIKES || rise > self->spikes[MAX_SPIKES - 1].rise))
    {
      Spike spike = (Spike) { row->step, rise };
      guint i = self->n_spikes < MAX_SPIKES ? self->n_spikes++ : MAX_SPIKES - 1;

      /* Keeps the largest. */
      for (; i > 0 && self->spikes[i - 1].rise < spike.rise; i--)
        self->spikes[i] = self->spikes[i - 1];
      self->spikes[i] = spike;
    }
  self->last = *row;
  self->n_read++;
}

/**
 * prism_spikes_new:
 *
 * Returns: (transfer full): what has not looked at any run yet
 */
PrismSpikes *
prism_spikes_new (void)
{
  return g_new0 (PrismSpikes, 1);
}

/**
 * prism_spikes_free:
 * @self: (nullable): what looks for spikes
 *
 * Frees it.
 */
PRISM_FREE_FOR_ALL (PrismSpikes, prism_spikes_free, prism_history_unref, history)

/**
 * prism_spikes_read:
 * @history: (nullable): the rows of a run; others than before begin anew
 * @n_rows: how many of them count; fewer than before begin anew
 * @n_most: how many to look at now
 *
 * Looks at rows that are new. A million takes some tens of milliseconds, more where they have to
 * come from a disk.
 *
 * Returns: whether all rows have been looked at
 */
gboolean
prism_spikes_read (PrismSpikes *self,
                   PrismHistory *history,
                   guint64 n_rows,
                   guint64 n_most)
{
  PrismHistoryRow rows[PRISM_HISTORY_BLOCK];

  if (history != self->history || n_rows < self->n_read)
    {
      prism_history_unref (self->history);
      self->history = prism_history_ref (history);
      self->n_read = 0;
      self->n_spikes = 0;
    }
  if (history == NULL)
    return TRUE;
  while (self->n_read < n_rows && n_most > 0)
    {
      gsize n = MIN (MIN (n_rows - self->n_read, n_most), PRISM_HISTORY_BLOCK);

      prism_history_read (history, self->n_read, n, rows);
      for (gsize i = 0; i < n; i++)
        look_at (self, &rows[i]);
      n_most -= n;
    }
  return self->n_read == n_rows;
}

/**
 * prism_spikes_find:
 * @step: where one is
 * @direction: 1 for the next spike, -1 for the one before
 * @found: (out): the step at which the loss had risen
 *
 * Finds one of the sixteen largest relative rises of the loss within a sample or a phase, of a
 * fifth at least, among the rows that prism_spikes_read() has looked at.
 *
 * Returns: whether there is one in this direction
 */
gboolean
prism_spikes_find (PrismSpikes *self,
                   guint64 step,
                   int direction,
                   guint64 *found)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->n_spikes; i++)
    {
      guint64 at = self->spikes[i].step;

      if (direction > 0 ? at > step && (!any || at < *found) : at < step && (!any || at > *found))
        {
          *found = at;
          any = TRUE;
        }
    }
  return any;
}
