/* prism-document: a report as a list of blocks, written as one page of HTML or as pages of A4.
 * Lengths are points, 1/72 inch. A document belongs to one thread. */
#pragma once

#include "prism-chart-draw.h"
#include "prism-mapping.h"
#include "prism-paint.h"

G_BEGIN_DECLS

#define PRISM_DOCUMENT_WIDTH 511.0      /* of a page, without its margins */
#define PRISM_DOCUMENT_BAR 52.0         /* what a colour bar beside a figure takes */

typedef enum
{
  PRISM_TEXT_PLAIN,
  PRISM_TEXT_BOLD,
  PRISM_TEXT_DIM,
  PRISM_TEXT_COMMAND,                   /* as it is typed: lines and letters stay */
} PrismTextStyle;

/* Paints a figure; the origin is its upper left corner. */
typedef gboolean (*PrismDocumentDraw) (PrismPaint     *paint,
                                     gconstpointer   subject,
                                     double          width,
                                     double          height,
                                     GError        **error);

/* Figures that follow each other stand side by side as far as there is room. */
typedef struct
{
  PrismImage *image;                    /* (nullable): shown pixel by pixel */
  PrismImage *reference;                /* (nullable): subtracted from it */
  const PrismMapping *mapping;          /* of the image */
  PrismDocumentDraw draw;                 /* where there is no image */
  gpointer subject;                     /* for draw */
  GDestroyNotify destroy;               /* (nullable): of the subject */
  double width;
  double height;
  gboolean dark;                        /* what is drawn is pixels on a dark ground */
  const PrismMapping *bar;              /* (nullable): a colour bar to the right */
  const char *description;              /* for who does not see it */
  const char *caption;                  /* (nullable) */
  const char *scale;                    /* (nullable): what a line below the image is long */
  double scale_share;                   /* of the width */
} PrismDocumentFigure;

typedef enum
{
  PRISM_BLOCK_HEADING,
  PRISM_BLOCK_TEXT,
  PRISM_BLOCK_TABLE,
  PRISM_BLOCK_FIGURE,
} PrismBlockKind;

/* A row without cells is the title of a group. */
typedef struct
{
  char *label;
  char *key;                            /* (nullable) */
  GStrv cells;
} PrismDocumentRow;

typedef struct
{
  PrismBlockKind kind;
  PrismTextStyle style;
  char *text;                           /* of a heading or a text */
  GStrv heads;                          /* (nullable): of a table */
  GPtrArray *rows;                      /* of PrismDocumentRow */
  PrismDocumentFigure figure;
  PrismMapping mapping;                 /* of the figure */
  PrismMapping bar;
} PrismBlock;

typedef struct
{
  char *title;
  char *summary;
  GPtrArray *blocks;                    /* of PrismBlock */
} PrismDocument;

PrismDocument *prism_document_new         (const char *title,
                                           const char *summary);
void           prism_document_free        (PrismDocument *self);
void           prism_document_add_heading (PrismDocument *self,
                                           const char    *text);
void           prism_document_add_text    (PrismDocument *self,
                                           PrismTextStyle style,
                                           const char    *text);
void           prism_document_add_table   (PrismDocument *self,
                                           GStrv          heads);
void           prism_document_add_row     (PrismDocument *self,
                                           const char    *label,
                                           const char    *key,
                                           GStrv          cells);
void           prism_document_add_fact    (PrismDocument *self,
                                           const char    *label,
                                           char          *text);
void           prism_document_add_figure  (PrismDocument     *self,
                                           const PrismDocumentFigure *figure);
void           prism_document_add_map     (PrismDocument  *self,
                                           PrismChartData *data,
                                           double          width,
                                           double          height,
                                           const char     *caption);
void           prism_document_add_chart   (PrismDocument  *self,
                                           PrismChartData *data);
gboolean       prism_document_draw_figure (PrismPaint                *paint,
                                           const PrismDocumentFigure *figure,
                                           double                     width,
                                           double                     height,
                                           GError                   **error);
char          *prism_document_dup_html    (const PrismDocument *self,
                                           GError             **error);
gboolean       prism_document_save        (const PrismDocument *self,
                                           const char          *path,
                                           GError             **error);

/* Stands before a cell that differs from the others. */
#define PRISM_DOCUMENT_MARK "● "

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismDocument, prism_document_free)

G_END_DECLS
