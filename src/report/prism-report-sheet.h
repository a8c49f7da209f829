/* prism-report-sheet: pages of A4, from top to bottom. */
#pragma once

#include "prism-paint.h"
#include "prism-report-private.h"

G_BEGIN_DECLS

/* In points. */
#define PRISM_REPORT_SHEET_PAGE_WIDTH 595.28
#define PRISM_REPORT_SHEET_PAGE_HEIGHT 841.89
#define PRISM_REPORT_SHEET_MARGIN 42
#define PRISM_REPORT_SHEET_WIDTH (PRISM_REPORT_SHEET_PAGE_WIDTH - 2 * PRISM_REPORT_SHEET_MARGIN)

typedef struct
{
  const PrismReport *report;            /* (nullable): what a report on runs draws */
  const char *title;                    /* at the foot of each page */
  GByteArray *bytes;
  cairo_surface_t *surface;
  cairo_t *cr;
  PrismPaint paint;
  double y;                             /* where the next thing comes */
  int page;
} PrismReportSheet;

void    prism_report_sheet_begin          (PrismReportSheet *self,
                                           const char       *title);
GBytes *prism_report_sheet_end            (PrismReportSheet *self,
                                           gboolean          drawn,
                                           GError          **error);
void    prism_report_sheet_make_room      (PrismReportSheet *self,
                                           double            height);
void    prism_report_sheet_draw_heading   (PrismReportSheet *self,
                                           const char       *text,
                                           double            room);
double  prism_report_sheet_draw_wrapped   (PrismReportSheet *self,
                                           const char       *text,
                                           const char       *font,
                                           double            x,
                                           double            width,
                                           gboolean          draw);
void    prism_report_sheet_draw_paragraph (PrismReportSheet *self,
                                           const char       *text,
                                           double            alpha);
void    prism_report_sheet_draw_row       (PrismReportSheet *self,
                                           const char       *label,
                                           char            **cells,
                                           const gboolean   *marked,
                                           guint             n_cells);
void    prism_report_sheet_draw_rule      (PrismReportSheet *self);

G_END_DECLS
