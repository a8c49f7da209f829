/* prism-arrivals: a folder that a camera writes frames into: which of them are there, whole, and
 * what is read of them. Frames have the numbers that they have when all are there.
 *
 * Thread: one at a time, the same for all calls, but for prism_asking_run(). */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

typedef struct _PrismArrivals PrismArrivals;

PrismArrivals  *prism_arrivals_new         (const char         *folder,
                                            const char         *positions,
                                            const PrismRecipe  *recipe,
                                            GError            **error);
void            prism_arrivals_free        (PrismArrivals *self);
gboolean        prism_arrivals_look        (PrismArrivals *self,
                                            gint64         now);
gboolean        prism_arrivals_wait        (PrismArrivals *self,
                                            gboolean       rests);
void            prism_arrivals_wake        (PrismArrivals *self);
guint           prism_arrivals_get_n       (const PrismArrivals *self);
guint           prism_arrivals_get_n_there (const PrismArrivals *self);
gboolean        prism_arrivals_get_gone    (const PrismArrivals *self);
char           *prism_arrivals_next_note   (PrismArrivals *self);
const char     *prism_arrivals_get_name    (const PrismArrivals *self,
                                            guint                frame);
char           *prism_arrivals_dup_missing (const PrismArrivals *self);
PrismRecording *prism_arrivals_read        (PrismArrivals  *self,
                                            const guint   **numbers);
gboolean        prism_arrivals_wants_to_ask (const PrismArrivals *self);
guint           prism_arrivals_get_n_read  (const PrismArrivals *self);
PrismRecording *prism_arrivals_dup_recording (PrismArrivals *self,
                                              gboolean       asks,
                                              GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismArrivals, prism_arrivals_free)

/* The frames of a moment, which are asked about the geometry while others come. */
typedef struct
{
  const PrismArrivals *arrivals;        /* it outlives this */
  char **names;                         /* of the files */
  GBytes *rows;                         /* of the table */
  GArray *numbers;                      /* of guint */
  PrismRecording *recording;            /* (nullable) */
  PrismRecording *table;                /* (nullable): no frames; where the light of all rows comes
                                         * from */
} PrismAsking;

PrismAsking    *prism_asking_new           (const PrismArrivals *arrivals);
void            prism_asking_free          (PrismAsking *self);
gboolean        prism_asking_run           (PrismAsking  *self,
                                            GError      **error);
void            prism_arrivals_take        (PrismArrivals *self,
                                            PrismAsking   *asking);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismAsking, prism_asking_free)

G_END_DECLS
