#include "config.h"

#include "prism-spikes.h"

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

/* Keeps the largest, in descending order. */
static void
insert (Spike *spikes,
        guint *n_spikes,
        Spike spike)
{
  guint i = *n_spikes < MAX_SPIKES ? (*n_spikes)++ : MAX_SPIKES - 1;

  for (; i > 0 && spikes[i - 1].rise < spike.rise; i--)
    spikes[i] = spikes[i - 1];
  spikes[i] = spike;
}

static void
look_at (Spike *spikes,
         guint *n_spikes,
         const PrismHistoryRow *before,
         const PrismHistoryRow *row)
{
  double rise = get_rise (before, row);

  if (rise >= LEAST_RISE && (*n_spikes < MAX_SPIKES || rise > spikes[*n_spikes - 1].rise))
    insert (spikes, n_spikes, (Spike) { row->step, rise });
}

/**
 * prism_spikes_find:
 * @history: the rows of a run
 * @n_rows: how many of them to look at
 * @step: where one is
 * @direction: 1 for the next spike, -1 for the one before
 * @found: (out): the step at which the loss had risen
 *
 * Finds one of the sixteen largest relative rises of the loss within a sample or a phase, of a
 * fifth at least.
 *
 * Thread: any, also while the engine appends. Reads all rows, a million in some milliseconds.
 *
 * Returns: whether there is one in this direction
 */
gboolean
prism_spikes_find (PrismHistory *history,
                   guint64 n_rows,
                   guint64 step,
                   int direction,
                   guint64 *found)
{
  PrismHistoryRow rows[1 + PRISM_HISTORY_BLOCK]; /* the last one of the block before comes first */
  Spike spikes[MAX_SPIKES + 1];
  guint n_spikes = 0;
  gboolean any = FALSE;

  for (guint64 first = 0; first < n_rows; first += PRISM_HISTORY_BLOCK)
    {
      gsize n = MIN (n_rows - first, PRISM_HISTORY_BLOCK);

      prism_history_read (history, first, n, rows + 1);
      for (gsize i = first > 0 ? 1 : 2; i <= n; i++)
        look_at (spikes, &n_spikes, &rows[i - 1], &rows[i]);
      rows[0] = rows[n];
    }
  for (guint i = 0; i < n_spikes; i++)
    {
      guint64 at = spikes[i].step;

      if (direction > 0 ? at > step && (!any || at < *found) : at < step && (!any || at > *found))
        {
          *found = at;
          any = TRUE;
        }
    }
  return any;
}
