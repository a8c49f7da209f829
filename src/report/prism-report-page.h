/* prism-report-page: a page of HTML, all in one file. */
#pragma once

#include "prism-paint.h"

G_BEGIN_DECLS

/* What draws one picture on a page that is light or dark. */
typedef void (*PrismReportDraw) (PrismPaint    *paint,
                                 gconstpointer  subject,
                                 double         width,
                                 double         height);

GString *prism_report_page_new            (const char *title,
                                           const char *summary);
char    *prism_report_page_finish         (GString *html);
void     prism_report_page_append         (GString    *html,
                                           const char *text);
void     prism_report_page_append_element (GString    *html,
                                           const char *begin,
                                           const char *text,
                                           const char *end);
void     prism_report_page_append_data    (GString          *html,
                                           const char       *type,
                                           const GByteArray *bytes);
gboolean prism_report_page_append_png     (GString          *html,
                                           cairo_surface_t  *surface,
                                           const char       *description,
                                           GError          **error);
void     prism_report_page_append_drawing (GString         *html,
                                           PrismReportDraw  draw,
                                           gconstpointer    subject,
                                           double           width,
                                           double           height,
                                           const char      *description);

G_END_DECLS
