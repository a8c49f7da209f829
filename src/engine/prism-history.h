/* prism-history: the rows of metrics.csv, one per step, appended by the engine thread and read by
 * others up to the number of rows that a snapshot states. */
#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct _PrismHistory PrismHistory;

/* A value that was not computed at this step is NAN. */
typedef struct
{
  guint64 step;                         /* from 1, over all phases */
  gint32 sample;                        /* index; -1 in the start phase, -2 in the polish */
  guint32 sample_step;                  /* from 1 within the sample */
  double loss_new;
  double loss_old;
  double learning_rate;
  double psnr;
  double ssim;
  double rmse;
  double cache_hit_rate;
  double device_bytes;
  double steps_per_second;
  double seconds;
} PrismHistoryRow;

PrismHistory          *prism_history_new        (void);
PrismHistory          *prism_history_ref        (PrismHistory *self);
void                   prism_history_unref      (PrismHistory *self);
gboolean               prism_history_append     (PrismHistory          *self,
                                                 const PrismHistoryRow *row);
guint64                prism_history_get_n_rows (PrismHistory *self);
const PrismHistoryRow *prism_history_get_row    (PrismHistory *self,
                                                 guint64       i);
char                  *prism_history_to_csv     (PrismHistory  *self,
                                                 guint64        n_rows,
                                                 gsize         *length,
                                                 GError       **error);
PrismHistory          *prism_history_new_csv    (const char    *text,
                                                 guint64        n_rows,
                                                 const char    *name,
                                                 GError       **error);
gboolean               prism_history_save_csv   (PrismHistory  *self,
                                                 guint64        n_rows,
                                                 const char    *path,
                                                 GError       **error);
const char            *prism_history_get_csv_header (void);
void                   prism_history_print_csv      (PrismHistory *self,
                                                     guint64       n_rows,
                                                     const char   *first_cell,
                                                     FILE         *stream);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismHistory, prism_history_unref)

G_END_DECLS
