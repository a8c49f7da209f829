/* prism-pattern-editor: where the pattern of the next run is worked on: what the edited one
 * measures, and placing positions by hand in the k-space view.
 *
 * Properties: editing; summary and details, both of the edited pattern, are there to be read. Emits
 * "told" with a sentence for the user. */
#pragma once

#include "support/prism-job.h"
#include "kspace/prism-kspace-view.h"
#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PATTERN_EDITOR (prism_pattern_editor_get_type ())

G_DECLARE_FINAL_TYPE (PrismPatternEditor, prism_pattern_editor, PRISM, PATTERN_EDITOR, GObject)

struct _PrismPatternEditor
{
  GObject parent_instance;

  PrismSession *session;
  PrismKspaceView *view;
  PrismKspaceEdit *edit;
  PrismWorker *worker;   /* from questions to findings */
  PrismImage *ground;    /* (nullable): what is edited has another size than the run */
  gboolean ground_known; /* the ground is the spectrum of what is edited, and not empty */
  gboolean editing;
  gboolean committing; /* the draft changes because of what is edited here */
  char *summary;
  char *details;
};

PrismPatternEditor *prism_pattern_editor_new         (PrismSession    *session,
                                                      PrismKspaceView *view);
void              prism_pattern_editor_set_editing (PrismPatternEditor *self,
                                                    gboolean          editing);

G_END_DECLS
