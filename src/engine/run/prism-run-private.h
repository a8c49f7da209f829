/* prism-run-private: what the parts that write, read and inspect run files share. */
#pragma once

#include "run/prism-run-file.h"

G_BEGIN_DECLS

#define PRISM_RUN_INDEX "run.json"
#define PRISM_RUN_METRICS "metrics.csv"
#define PRISM_RUN_POSITIONS "pattern.csv"
#define PRISM_RUN_OBJECT "object.npy"
#define PRISM_RUN_ORIGIN "object.json"    /* where the object does not show all of its file */
#define PRISM_RUN_SNAPSHOTS "snapshots/"

/* run.json */
typedef struct
{
  PrismRunIdentity *identity;
  int format;
  char *program;
  char *saved;
  char *state_name;
  PrismState state;
  guint64 step;                         /* of the newest state */
  char *backend;                        /* (nullable) */
  char *device;                         /* (nullable) */
  char *device_reason;                  /* (nullable) */
  char *precision_advice;               /* (nullable) */
  char *message;                        /* (nullable) */
} PrismRunIndex;

PrismRunIndex *prism_run_index_load      (PrismArchive  *archive,
                                          GError       **error);
PrismRunIndex *prism_run_index_parse     (const char  *text,
                                          GError     **error);
void           prism_run_index_free      (PrismRunIndex *self);
PrismPattern  *prism_run_positions_parse (const char  *text,
                                          guint        n_points,
                                          int          image_size,
                                          GError     **error);
/* Numbers of the states in a file, the newest first. (transfer full) (element-type guint) */
GArray        *prism_run_list_indices    (PrismArchive *archive);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRunIndex, prism_run_index_free)

G_END_DECLS
