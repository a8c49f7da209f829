/* prism-mark: lines, areas and rulers that somebody has laid over the pictures, as text within a
 * setting: "line 10 20 90 40 3; ellipse 4 4 20 20". They are in pixels, columns before rows, 0 is
 * the first. Thread: any. */
#pragma once

#include "num/prism-area.h"

G_BEGIN_DECLS

#define PRISM_MARK_MOST 64              /* in one list */
#define PRISM_MARK_MAX_WIDTH 99         /* px, of a line */

typedef enum
{
  PRISM_MARK_LINE,
  PRISM_MARK_RECTANGLE,
  PRISM_MARK_ELLIPSE,
  PRISM_MARK_RULER,
  PRISM_MARK_N_KINDS,
} PrismMarkKind;

typedef struct
{
  PrismMarkKind kind;
  gboolean camera;                      /* of what the camera sees, not of the object */
  int x0;                               /* px: an end, or a corner that belongs to it */
  int y0;
  int x1;
  int y1;
  int width;                            /* px, of a line */
} PrismMark;

/* What can be measured at a mark on the object of recorded frames. */
typedef enum
{
  PRISM_MEASURE_LENGTH,                 /* µm */
  PRISM_MEASURE_AMPLITUDE,              /* mean of an area */
  PRISM_MEASURE_PATH,                   /* nm, against what is around it, half as wide each side */
  PRISM_MEASURE_MASS,                   /* pg, of what that is, by the refractive increment */
  PRISM_MEASURE_PAIRS,                  /* of lines a mm, across bars */
  PRISM_MEASURE_ELEMENT,                /* of a USAF target: 6·log₂ of that, 0 is element 1 of
                                         * group 0 */
  PRISM_MEASURE_CONTRAST,               /* of these bars, 0…1 */
  PRISM_MEASURE_N,
} PrismMeasure;

/* With one standard deviation; NAN where a mark of its kind has none. */
typedef struct
{
  double value;
  double error;
} PrismMeasured;

typedef struct
{
  PrismMark mark;
  PrismMeasured measured[PRISM_MEASURE_N];
} PrismMarkReading;

const char *prism_measure_get_name  (PrismMeasure measure);
const char *prism_mark_get_name     (PrismMarkKind kind);
gboolean    prism_mark_is_area      (const PrismMark *self);
void        prism_mark_get_area     (const PrismMark *self,
                                     PrismArea       *area);
void        prism_mark_get_line     (const PrismMark  *self,
                                     PrismLineProfile *line);
char       *prism_mark_to_text      (const PrismMark *self);
GArray     *prism_mark_list_parse   (const char  *text,
                                     GError     **error);
char       *prism_mark_list_to_text (const GArray *marks);

G_END_DECLS
