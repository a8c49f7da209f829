/* prism-mark-draw: marks over a picture in cairo, the same on the screen and in figures. */
#pragma once

#include "model/prism-mark.h"
#include "prism-chart-draw.h"
#include "prism-paint.h"

G_BEGIN_DECLS

void prism_mark_draw_list (PrismPaint       *paint,
                           const PrismFrame *frame,
                           const GArray     *marks,
                           gboolean          camera,
                           int               selected,
                           double            metres);

/* The values along the lines among marks, as charts for reports and figures. */

PrismChartData *prism_mark_chart_new (const PrismMark *mark,
                                      guint number);
void prism_mark_chart_add (PrismChartData *data,
                           const PrismMark *mark,
                           const char *label,
                           const PrismImage *image,
                           const PrismImage *reference);

/* What is written beside a number behind “±”. */
typedef enum
{
  PRISM_ERROR_OF_ENDS,                  /* of a line */
  PRISM_ERROR_OF_HALVES,                /* of the frames */
  PRISM_ERROR_OF_TILES,
  PRISM_ERROR_OF_FRAMES,
  PRISM_ERROR_OF_RUNS,
  PRISM_ERROR_OF_ROUNDS,                /* of a benchmark */
} PrismErrorOf;

const char *prism_error_of_get_text (PrismErrorOf of);

/* What marks over the pictures tell, in words. */

const char *prism_mark_text_get_kind    (PrismMarkKind kind);
char       *prism_mark_text_dup_size    (const PrismMark *mark,
                                         double           metres);
char       *prism_mark_text_dup_name    (const PrismMark *mark,
                                         guint            number,
                                         double           metres);
char       *prism_mark_text_dup_reading (const PrismMark  *mark,
                                         const PrismImage *image,
                                         const PrismImage *reference,
                                         double            metres);
char       *prism_mark_text_dup_measured (const PrismMarkReading *reading);

G_END_DECLS
