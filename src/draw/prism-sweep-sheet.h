/* prism-sweep-sheet: what a sweep has come to, to look at and to keep: small multiples, for an
 * ensemble with its mean and its uncertainty map, and the files that go with them.
 *
 * m = object_size. Thread: any one. */
#pragma once

#include "formats/prism-image.h"
#include "prism-paint.h"
#include "results/prism-sweep-field.h"
#include "results/prism-sweep-table.h"

G_BEGIN_DECLS

/* Many small images of one kind on a sheet, in rows and columns, all on one
 * scale. */

typedef struct
{
  PrismImage *image;                    /* (nullable): what is missing stays an empty frame */
  char *title;                          /* (nullable), above it: "20 dB" */
  char *note;                           /* (nullable), below it: "34.2 dB" */
} PrismMultiple;

typedef struct
{
  PrismMultiple *items;                 /* [n_items], row by row */
  guint n_items;
  guint n_columns;
  char *title;                          /* (nullable): of all of it */
  char **columns;                       /* (nullable) [n_columns]: headings */
  char **rows;                          /* (nullable), one a row */
  guint marked;                         /* item; G_MAXUINT for none */
} PrismMultiples;

void     prism_multiples_clear    (PrismMultiples *self);
void     prism_multiples_get_size (const PrismMultiples *self,
                                   double               *width,
                                   double               *height);
guint    prism_multiples_find     (const PrismMultiples *self,
                                   double                x,
                                   double                y);
void     prism_multiples_draw     (const PrismMultiples *self,
                                   PrismPaint           *paint);
gboolean prism_multiples_save_png (const PrismMultiples *self,
                                   const char           *path,
                                   GError              **error);

typedef struct _PrismSweepSheet PrismSweepSheet;

struct _PrismSweepSheet
{
  PrismMultiples multiples;             /* mean and uncertainty, then the points */
  guint first;                          /* item of the first point */
  PrismImage *mean;                     /* (nullable) [m][m] amplitude, of an ensemble */
  PrismImage *spread;                   /* (nullable) [m][m] standard deviation */
  PrismSweepEnsemble ensemble;          /* n_runs is 0 where there is no object to compare with */
};

PrismSweepSheet *prism_sweep_sheet_new      (PrismSweep            *sweep,
                                             const PrismSweepTable *table);
void             prism_sweep_sheet_free     (PrismSweepSheet *self);
gboolean         prism_sweep_sheet_save_all (const PrismSweepSheet *self,
                                             PrismSweep            *sweep,
                                             const PrismSweepTable *table,
                                             const char            *directory,
                                             GError               **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSweepSheet, prism_sweep_sheet_free)

G_END_DECLS
