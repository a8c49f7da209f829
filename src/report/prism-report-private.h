/* prism-report-private: what the writers of reports share. */
#pragma once

#include "prism-mapping.h"
#include "results/prism-comparison.h"

G_BEGIN_DECLS

typedef struct
{
  const PrismComparison *comparison;
  char *title;
  char *summary;                        /* one line */
  PrismMapping amplitude;               /* one scale for all objects and pictures */
  PrismMapping difference;              /* one scale for all errors */
  PrismMapping phase;                   /* one scale for all phases */
} PrismReport;

char    *prism_report_dup_html  (const PrismReport *self,
                                 GError           **error);
GBytes  *prism_report_dup_pdf   (const PrismReport *self,
                                 GError           **error);

G_END_DECLS
