/* prism-profile: notes when stages begin and end, per thread and without locks. While it is off a
 * span is one load and one branch at either end.
 *
 * Thread: any but where it says so. */
#pragma once

#include "profile/prism-trace-summary.h"

#include <stdatomic.h>

G_BEGIN_DECLS

extern atomic_bool prism_profile_on;

gint64      prism_profile_get_time    (void);
gint64      prism_profile_open        (void);
gint64      prism_profile_follow      (gint64 now);
gint64      prism_profile_add         (PrismStage stage,
                                       gint64     begun,
                                       guint64    count,
                                       guint64    bytes,
                                       double     flops);
void        prism_profile_add_sample  (PrismCounter counter,
                                       double       value);
void        prism_profile_name_thread (const char *name);
void        prism_profile_start       (void);
PrismTrace *prism_profile_stop        (void);
void        prism_profile_start_totals (void);
void        prism_profile_stop_totals  (PrismTraceSummary *totals);

static inline gboolean
prism_profile_is_on (void)
{
  return G_UNLIKELY (atomic_load_explicit (&prism_profile_on, memory_order_relaxed));
}

/* When a stage begins, for prism_profile_end(); 0 while the profile is off. */
static inline gint64
prism_profile_begin (void)
{
  return prism_profile_is_on () ? prism_profile_open () : 0;
}

static inline void
prism_profile_end_with (PrismStage stage,
                        gint64     begun,
                        guint64    count,
                        guint64    bytes,
                        double     flops)
{
  if (G_UNLIKELY (begun != 0))
    prism_profile_add (stage, begun, count, bytes, flops);
}

static inline void
prism_profile_end (PrismStage stage,
                   gint64     begun)
{
  prism_profile_end_with (stage, begun, 1, 0, 0.0);
}

/* From here to the end of the block. */
#define PRISM_PROFILE(stage)                                                                       \
  _GLIB_CLEANUP (prism_profile_span_end)                                                           \
  const PrismProfileSpan span G_GNUC_UNUSED = { stage, prism_profile_begin () }

typedef struct
{
  PrismStage stage;
  gint64 begun;
} PrismProfileSpan;

static inline void
prism_profile_span_end (const PrismProfileSpan *self)
{
  prism_profile_end (self->stage, self->begun);
}

/* The same where the next stage of this thread begins at once, without a gap between them. */
static inline gint64
prism_profile_next (PrismStage stage,
                    gint64     begun)
{
  gint64 end = 0;

  if (G_UNLIKELY (begun != 0))
    end = prism_profile_add (stage, begun, 1, 0, 0.0);
  if (!prism_profile_is_on ())
    return 0;
  return end != 0 ? prism_profile_follow (end) : prism_profile_open ();
}

static inline void
prism_profile_sample (PrismCounter counter,
                      double       value)
{
  if (prism_profile_is_on ())
    prism_profile_add_sample (counter, value);
}

G_END_DECLS
