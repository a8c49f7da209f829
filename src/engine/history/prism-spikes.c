#include "config.h"

#include "history/prism-spikes.h"

#include <math.h>

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

/* How much the loss rose from one row to the next; another sample has another loss, which is no
 * rise. */
static double
get_rise (const PrismHistoryRow *before,
          const PrismHistoryRow *row)
{
  if (row->sample != before->sample || row->sample_step != before->sample_step + 1
      || !(before->loss_new > 0.0))
    return 0.0;
  return row->loss_new / before->loss_new;
}

/* Keeps the largest. */
static void
insert (PrismSpikes *self,
        Spike spike)
{
  guint i = self->n_spikes < MAX_SPIKES ? self->n_spikes++ : MAX_SPIKES - 1;

  for (; i > 0 && self->spikes[i - 1].rise < spike.rise; i--)
    self->spikes[i] = self->spikes[i - 1];
  self->spikes[i] = spike;
}

static void
look_at (PrismSpikes *self,
         const PrismHistoryRow *row)
{
  double rise = self->n_read > 0 ? get_rise (&self->last, row) : 0.0;

  if (rise >= LEAST_RISE
      && (self->n_spikes < MAX_SPIKES || rise > self->spikes[MAX_SPIKES - 1].rise))
    insert (self, (Spike) { row->step, rise });
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
void
prism_spikes_free (PrismSpikes *self)
{
  if (self == NULL)
    return;
  prism_history_unref (self->history);
  g_free (self);
}

static void
begin (PrismSpikes *self,
       PrismHistory *history)
{
  prism_history_unref (self->history);
  self->history = history != NULL ? prism_history_ref (history) : NULL;
  self->n_read = 0;
  self->n_spikes = 0;
}

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
    begin (self, history);
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
