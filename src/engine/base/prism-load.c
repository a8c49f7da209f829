#include "config.h"

#include "base/prism-load.h"

#include "base/prism-clock.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* user, nice, system, idle, iowait, irq, softirq, steal; what the guests of a host take is in user
 * already. */
#define N_KINDS 8
#define IDLE 3
#define WAITING 4

static void
read_load (PrismLoad *self)
{
  unsigned long long ticks[N_KINDS] = { 0 };
  FILE *file = fopen ("/proc/stat", "r");
  const double second = (double) sysconf (_SC_CLK_TCK);
  int n = 0;

  *self = (PrismLoad) { prism_clock_get_processor_seconds (), 0.0, 0.0 };
  if (file != NULL)
    {
      n = fscanf (file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                  &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
      fclose (file);
    }
  for (int i = 0; i < N_KINDS; i++)
    {
      self->all += (double) ticks[i] / second;
      self->busy += i == IDLE || i == WAITING ? 0.0 : (double) ticks[i] / second;
    }
  if (n < N_KINDS)
    self->busy = self->all = NAN;
}

/**
 * prism_load_begin:
 * @self: (out): for prism_load_end()
 *
 * Notes how much the processors have done so far.
 */
void
prism_load_begin (PrismLoad *self)
{
  read_load (self);
}

/**
 * prism_load_end:
 * @self: from prism_load_begin()
 *
 * Leaves what they have done since then.
 */
void
prism_load_end (PrismLoad *self)
{
  PrismLoad now;

  read_load (&now);
  self->own = now.own - self->own;
  self->busy = now.busy - self->busy;
  self->all = now.all - self->all;
}

/**
 * prism_load_get_left:
 * @self: from prism_load_end()
 *
 * Units: 0…1 of all processors.
 *
 * Returns: what other programs have left; NAN where that is not known
 */
double
prism_load_get_left (const PrismLoad *self)
{
  if (!(self->all > 0.0))
    return NAN;
  return 1.0 - CLAMP (self->busy - self->own, 0.0, self->all) / self->all;
}
