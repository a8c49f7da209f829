/* prism-report-private: what the writers of reports share. */
#pragma once

#include "prism-mapping.h"
#include "prism-report-text.h"
#include "results/prism-comparison.h"

G_BEGIN_DECLS

typedef struct
{
  const PrismComparison *comparison;
  char *title;
  char *summary;                        /* one line */
  PrismMapping amplitude;               /* one scale for all objects and pictures */
  PrismMapping difference;              /* one scale for all errors */
} PrismReport;

char    *prism_report_dup_html  (const PrismReport *self,
                                 GError           **error);
GBytes  *prism_report_dup_pdf   (const PrismReport *self,
                                 GError           **error);

/* A fact about a run that is neither quality nor a setting. */
guint    prism_report_get_n_facts (void);
char    *prism_report_dup_fact    (guint               i,
                                   const PrismResult  *result,
                                   const char        **label);
char    *prism_report_dup_setting (const PrismResult *result,
                                   const PrismParam  *param,
                                   gboolean          *is_default);
char    *prism_report_dup_command (const PrismResult *result);
char    *prism_report_dup_remark  (const PrismResult *result);

G_END_DECLS
