/* prism-pattern-desk: where the pattern of the next run is worked on: what the edited one measures,
 * and placing positions by hand in the k-space view.
 *
 * Properties: editing; summary and details, both of the edited pattern, are there to be read. Emits
 * "told" with a sentence for the user. */
#pragma once

#include "kspace/prism-kspace-view.h"
#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PATTERN_DESK (prism_pattern_desk_get_type ())

G_DECLARE_FINAL_TYPE (PrismPatternDesk, prism_pattern_desk, PRISM, PATTERN_DESK, GObject)

PrismPatternDesk *prism_pattern_desk_new         (PrismSession    *session,
                                                  PrismKspaceView *view);
void              prism_pattern_desk_set_editing (PrismPatternDesk *self,
                                                  gboolean          editing);
gboolean          prism_pattern_desk_get_editing (PrismPatternDesk *self);
const char       *prism_pattern_desk_get_summary (PrismPatternDesk *self);

G_END_DECLS
