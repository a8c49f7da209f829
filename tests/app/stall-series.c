#include "config.h"

#include "stall-series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BIN 0.05 /* ms */
#define N_BINS 40000

/**
 * stall_series_init:
 * @self: a series
 *
 * Begins without a value; all memory is taken now.
 */
void
stall_series_init (StallSeries *self)
{
  self->counts = g_new (guint32, N_BINS);
  stall_series_reset (self);
}

/**
 * stall_series_clear:
 * @self: a series
 *
 * Frees what it holds.
 */
void
stall_series_clear (StallSeries *self)
{
  g_clear_pointer (&self->counts, g_free);
}

/**
 * stall_series_reset:
 * @self: a series
 *
 * Forgets all values.
 */
void
stall_series_reset (StallSeries *self)
{
  memset (self->counts, 0, N_BINS * sizeof *self->counts);
  self->n = self->n_stalls = 0;
  self->maximum = NAN;
}

/**
 * stall_series_add:
 * @self: a series
 * @milliseconds: a value
 *
 * Counts it.
 */
void
stall_series_add (StallSeries *self,
                  double milliseconds)
{
  double bin = milliseconds / BIN;

  self->counts[(guint) CLAMP (bin, 0, N_BINS - 1)]++;
  self->n++;
  self->n_stalls += milliseconds > STALL_LIMIT;
  if (!(milliseconds <= self->maximum))
    self->maximum = milliseconds;
}

/**
 * stall_series_get_quantile:
 * @self: a series
 * @fraction: 0…1
 *
 * Units: ms, rounded up to 0.05 ms; beyond 2 s the maximum.
 *
 * Returns: the value that this fraction does not exceed; NAN without values
 */
double
stall_series_get_quantile (const StallSeries *self,
                           double fraction)
{
  guint64 wanted = (guint64) ceil (fraction * self->n), n = 0;

  for (guint i = 0; i + 1 < N_BINS; i++)
    {
      n += self->counts[i];
      if (n >= wanted && n > 0)
        return MIN ((i + 1) * BIN, self->maximum);
    }
  return self->maximum;
}

/* Prints a member of a JSON object; what is not finite is null. */
void
stall_series_print (const char *name,
                    double value)
{
  if (isfinite (value))
    printf ("  \"%s\": %.3f,\n", name, value);
  else
    printf ("  \"%s\": null,\n", name);
}
