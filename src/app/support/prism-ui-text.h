/* prism-ui-text: numbers, times and the engine's sentences as people read them. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

#define PRISM_UI_TEXT_NO_MATCH G_MAXINT /* of prism_ui_text_rank() */

/* The path of a file in the program's resources. */
#define PRISM_RESOURCE_BASE "/io/github/prism_studio/PrismStudio"
#define PRISM_RESOURCE(name) PRISM_RESOURCE_BASE "/" name

/* Returns: (nullable) (transfer full): what people call a key and its value */
typedef char *(*PrismUiTextRow) (const char *key,
                                 const char *value);

char       *prism_ui_text_dup_sentence (const char *message);
char       *prism_ui_text_dup_sentence_of (const char     *message,
                                           PrismUiTextRow  find_row);
char       *prism_ui_text_dup_number   (double number);
char       *prism_ui_text_dup_value    (const PrismConfig *config,
                                        const PrismParam  *param);
const char *prism_ui_text_get_unit     (const PrismParam *param);
char       *prism_ui_text_dup_loss     (double loss);
char       *prism_ui_text_dup_memory   (const PrismSnapshot *snapshot);
char       *prism_ui_text_dup_origin   (const PrismSnapshot *snapshot);
const char *prism_ui_text_get_state    (PrismState state);
const char *prism_ui_text_get_phase    (const PrismSnapshot *snapshot);

char       *prism_ui_text_dup_place     (const PrismSnapshot *snapshot);
char       *prism_ui_text_dup_fork      (const PrismSnapshot *snapshot,
                                         const PrismSnapshot *shown);
char       *prism_ui_text_dup_progress  (const PrismSnapshot *snapshot);
char       *prism_ui_text_dup_folded    (const char *text);
guint       prism_ui_text_rank          (const char *title,
                                         const char *names,
                                         const char *help,
                                         const char *words);

/* What prism-cli and files tell of a machine and a time, as people here read
 * it. */

char *prism_machine_wording_dup_time   (const char *time);
char *prism_machine_wording_dup_device (const char *device);

G_END_DECLS
