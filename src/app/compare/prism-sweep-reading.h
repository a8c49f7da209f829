/* prism-sweep-reading: what a sweep has come to, read and drawn for the window by its worker. */
#pragma once

#include "prism-sweep-sheet.h"

G_BEGIN_DECLS

typedef struct
{
  char *directory;                      /* of the sweep */
  PrismSweepTable *before;              /* (nullable): what need not be read again */
  gboolean save;                        /* write it together */
} PrismSweepReadingInput;

typedef struct
{
  PrismSweep *sweep;
  PrismSweepTable *table;
  PrismSweepSheet *sheet;
  char *problem;                        /* (nullable): why it was not written */
} PrismSweepReading;

gpointer prism_sweep_reading_new_input  (const char              *directory,
                                         const PrismSweepReading *before,
                                         gboolean                 save);
void     prism_sweep_reading_free_input (gpointer input);
gpointer prism_sweep_reading_new        (gpointer input);
void     prism_sweep_reading_free       (gpointer self);

G_END_DECLS
