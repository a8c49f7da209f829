/* prism-refocus: a complex object as it looks out of focus. Thread: one at a time. */
#pragma once

#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

typedef struct _PrismRefocus PrismRefocus;

PrismRefocus *prism_refocus_new     (const PrismFinding  *finding,
                                     GError             **error);
void          prism_refocus_free    (PrismRefocus *self);
void          prism_refocus_compute (PrismRefocus *self,
                                     double        z,
                                     float        *amplitude,
                                     float        *phase);
gboolean      prism_refocus_save    (PrismRefocus  *self,
                                     double         from,
                                     double         to,
                                     int            n_depths,
                                     const char    *path,
                                     GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRefocus, prism_refocus_free)

G_END_DECLS
