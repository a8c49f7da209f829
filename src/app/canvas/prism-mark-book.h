/* prism-mark-book: the marks over the pictures, which of them is held, and the tool that draws the
 * next. Views that show the same things share one. Properties: text, tool, selected, line-width.
 * Signal: changed, when the marks or the one that is held are others. */
#pragma once

#include "model/prism-mark.h"

#include <glib-object.h>

G_BEGIN_DECLS

#define PRISM_TYPE_MARK_BOOK (prism_mark_book_get_type ())

G_DECLARE_FINAL_TYPE (PrismMarkBook, prism_mark_book, PRISM, MARK_BOOK, GObject)

/* A tool that is no kind of mark. */
#define PRISM_MARK_BOOK_NO_TOOL PRISM_MARK_N_KINDS

PrismMarkBook   *prism_mark_book_new          (void);
const GArray    *prism_mark_book_get_marks    (PrismMarkBook *self);
guint            prism_mark_book_get_tool     (PrismMarkBook *self);
int              prism_mark_book_get_selected (PrismMarkBook *self);
const PrismMark *prism_mark_book_get_held     (PrismMarkBook *self);
gboolean         prism_mark_book_add          (PrismMarkBook   *self,
                                               const PrismMark *mark);
void             prism_mark_book_replace      (PrismMarkBook   *self,
                                               const PrismMark *mark);
gboolean         prism_mark_book_remove       (PrismMarkBook *self);
void             prism_mark_book_select       (PrismMarkBook *self,
                                               int            index);
void             prism_mark_book_set_tool     (PrismMarkBook *self,
                                               guint          tool);
void             prism_mark_book_begin_drag   (PrismMarkBook *self);
void             prism_mark_book_end_drag     (PrismMarkBook *self);

G_END_DECLS
