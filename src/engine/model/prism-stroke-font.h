/* prism-stroke-font: letters of even strokes, drawn into an image. Thread: any. */
#pragma once

#include "formats/prism-image.h"

G_BEGIN_DECLS

typedef struct _PrismStrokeText PrismStrokeText;

/* Units of the font: capitals are 8 high, strokes 1.3 wide. */
PrismStrokeText *prism_stroke_text_new        (const char *text);
void             prism_stroke_text_free       (PrismStrokeText *self);
double           prism_stroke_text_get_width  (const PrismStrokeText *self);
double           prism_stroke_text_get_height (const PrismStrokeText *self);
void             prism_stroke_text_draw       (const PrismStrokeText *self,
                                               PrismImage            *image,
                                               double                 y,
                                               double                 x,
                                               double                 scale);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismStrokeText, prism_stroke_text_free)

G_END_DECLS
