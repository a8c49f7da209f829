/* prism-comparison: results side by side: what each came to, and the settings in which they
 * differ, as columns of one table. Thread: any, where a function names no other. */
#pragma once

#include "results/prism-result.h"

G_BEGIN_DECLS

typedef struct
{
  const char *id;                       /* "psnr", or the key of a parameter */
  const char *label;
  const char *unit;                     /* "dB" or "" */
  const PrismParam *param;              /* (nullable): what the column shows, of the settings */
  gboolean numeric;                     /* sorts by prism_comparison_get_number() */
  /* Of what is no setting. */
  const char *format;                   /* (nullable): a text */
  guint number;                         /* which of the numbers */
  gboolean needs_target;
} PrismComparisonColumn;

typedef struct _PrismComparison PrismComparison;

struct _PrismComparison
{
  GPtrArray *results;                   /* of PrismResult, as added */
  GArray *columns;                      /* of PrismComparisonColumn */
};

PrismComparison             *prism_comparison_new        (void);
PrismComparison             *prism_comparison_dup        (const PrismComparison *self);
void                         prism_comparison_free       (PrismComparison *self);
void                         prism_comparison_add        (PrismComparison *self,
                                                          PrismResult     *result);
PrismResult                 *prism_comparison_get_result (const PrismComparison *self,
                                                          guint                  i);
const PrismComparisonColumn *prism_comparison_get_column (const PrismComparison *self,
                                                          guint                  i);
double                       prism_comparison_get_number (const PrismComparisonColumn *column,
                                                          const PrismResult           *result);
char                        *prism_comparison_dup_text   (const PrismComparisonColumn *column,
                                                          const PrismResult           *result);
char                        *prism_comparison_dup_shown_text (const PrismComparisonColumn *column,
                                                              const PrismResult *result);
char                        *prism_comparison_dup_remark (const PrismComparisonColumn *column,
                                                          const PrismResult *result);
char                        *prism_comparison_dup_csv    (const PrismComparison *self);
char                        *prism_comparison_dup_json   (const PrismComparison *self);
gboolean                     prism_comparison_save_csv    (const PrismComparison  *self,
                                                           const char             *path,
                                                           GError                **error);
gboolean                     prism_comparison_save_curves (const PrismComparison  *self,
                                                           const char             *path,
                                                           GError                **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismComparison, prism_comparison_free)

G_END_DECLS
