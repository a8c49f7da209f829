/* prism-arrivals: a folder that a camera writes frames into: which of them are there, whole, and
 * what is read of them. Frames have the numbers that they have when all are there.
 *
 * Thread: one at a time, the same for all calls. */
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
guint           prism_arrivals_get_n       (const PrismArrivals *self);
guint           prism_arrivals_get_n_there (const PrismArrivals *self);
gboolean        prism_arrivals_get_gone    (const PrismArrivals *self);
char           *prism_arrivals_next_note   (PrismArrivals *self);
const char     *prism_arrivals_get_name    (const PrismArrivals *self,
                                            guint                frame);
char           *prism_arrivals_dup_missing (const PrismArrivals *self);
GBytes         *prism_arrivals_dup_table   (const PrismArrivals *self);
PrismRecording *prism_arrivals_read        (PrismArrivals  *self,
                                            gboolean        asks,
                                            GArray         *numbers,
                                            GError        **error);
gboolean        prism_arrivals_wants_to_ask (const PrismArrivals *self);
guint           prism_arrivals_get_n_read  (const PrismArrivals *self);
PrismRecording *prism_arrivals_dup_recording (PrismArrivals *self,
                                              gboolean       asked,
                                              GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismArrivals, prism_arrivals_free)

G_END_DECLS
