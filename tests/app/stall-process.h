/* stall-process: how often which time was measured, in a memory that does not grow, and what the
 * kernel and the C library know of this process. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint32 *counts;                      /* [N_BINS] of 0.05 ms */
  guint64 n;
  guint64 n_stalls;                     /* above 50 ms */
  double maximum;                       /* ms */
} StallSeries;

#define STALL_LIMIT 50.0                /* ms that make a stall */

void   stall_series_init         (StallSeries *self);
void   stall_series_clear        (StallSeries *self);
void   stall_series_add          (StallSeries *self,
                                  double       milliseconds);
void   stall_series_reset        (StallSeries *self);
double stall_series_get_quantile (const StallSeries *self,
                                  double             fraction);
void   stall_series_print        (const char *name,
                                  double      value);

typedef struct
{
  double resident;                      /* MiB */
  double anonymous;                     /* MiB of it that no file backs */
} StallMemory;

/* Of what glibc has taken: a leak makes the first grow, scattered blocks the second. */
typedef struct
{
  double used;                          /* MiB that the program holds, mapped blocks included */
  double free;                          /* MiB that lie between them */
} StallHeap;

typedef struct
{
  double computed;                      /* ms on a processor */
  double waited;                        /* ms ready, without a processor */
} StallTime;

double      stall_process_get_age       (void);
StallMemory stall_process_get_memory    (void);
StallHeap   stall_process_get_heap      (void);
StallTime   stall_process_get_main_time (void);
double      stall_process_get_computed  (void);
double      stall_process_get_thread_time (void);
double      stall_process_get_busiest   (void);
guint       stall_process_count_files   (void);
guint       stall_process_count_threads (void);

G_END_DECLS
