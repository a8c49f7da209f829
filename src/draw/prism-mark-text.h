/* prism-mark-text: what marks over the pictures tell, in words. */
#pragma once

#include "model/prism-mark.h"

G_BEGIN_DECLS

const char *prism_mark_text_get_kind    (PrismMarkKind kind);
char       *prism_mark_text_dup_length  (const PrismMark *mark,
                                         double           metres);
char       *prism_mark_text_dup_size    (const PrismMark *mark,
                                         double           metres);
char       *prism_mark_text_dup_name    (const PrismMark *mark,
                                         guint            number,
                                         double           metres);
char       *prism_mark_text_dup_reading (const PrismMark  *mark,
                                         const PrismImage *image,
                                         const PrismImage *reference,
                                         double            metres);

G_END_DECLS
