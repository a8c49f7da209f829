/* prism-random: random numbers by a counter (Philox4x32-10): a number depends on seed, purpose and
 * position alone, so that runs repeat and devices agree. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Normal random numbers that one block of words gives. */
#define PRISM_RANDOM_N_NORMALS 4

/* Streams keep independent uses of one seed apart. */
typedef enum
{
  PRISM_STREAM_SHOT,
  PRISM_STREAM_READ,
  PRISM_STREAM_WEIGHTS,
  PRISM_STREAM_REPLAY,
  PRISM_STREAM_PATTERN,
  PRISM_STREAM_OBJECT,
  PRISM_STREAM_BOOTSTRAP,
  PRISM_STREAM_BOOTSTRAP_READ,
  PRISM_STREAM_FIELD,
  PRISM_STREAM_ALIGNMENT,
} PrismStream;

void   prism_random_philox       (const guint32 counter[4],
                                  const guint32 key[2],
                                  guint32       output[4]);
double prism_random_uniform      (guint64     seed,
                                  PrismStream stream,
                                  guint32     index,
                                  guint64     position);
double prism_random_normal       (guint64     seed,
                                  PrismStream stream,
                                  guint32     index,
                                  guint64     position);
void   prism_random_draw_normals (guint64     seed,
                                  PrismStream stream,
                                  guint32     index,
                                  guint64     block,
                                  double      normals[PRISM_RANDOM_N_NORMALS]);

G_END_DECLS
