/* prism-undo: what the configuration was before each change, and after it. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

typedef struct _PrismUndo PrismUndo;

PrismUndo         *prism_undo_new       (void);
void               prism_undo_free      (PrismUndo *self);
void               prism_undo_push      (PrismUndo         *self,
                                         const PrismConfig *before,
                                         const char        *label,
                                         const char        *merge_key,
                                         gint64             now);
gboolean           prism_undo_can_undo  (const PrismUndo *self);
gboolean           prism_undo_can_redo  (const PrismUndo *self);
PrismConfig       *prism_undo_undo      (PrismUndo          *self,
                                         const PrismConfig  *current,
                                         char              **label);
PrismConfig       *prism_undo_redo      (PrismUndo          *self,
                                         const PrismConfig  *current,
                                         char              **label);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismUndo, prism_undo_free)

G_END_DECLS
