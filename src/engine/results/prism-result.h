/* prism-result: what a run ended with, under a name: a snapshot and what is computed from it once,
 * for comparing and reporting. Immutable and reference counted. Thread: any. */
#pragma once

#include "base/prism-reference.h"
#include "config/prism-config.h"
#include "history/prism-snapshot.h"
#include "results/prism-frc.h"

G_BEGIN_DECLS

typedef struct _PrismResult PrismResult;

struct _PrismResult
{
  gatomicrefcount ref_count;
  char *name;                           /* as a user reads it */
  PrismSnapshot *snapshot;              /* with a configuration */
  gboolean has_resolution;              /* the object is the resolution target */
  PrismResolution resolution;
  double agreement;                     /* px of k-space, half-bit criterion; NAN: not known */
  PrismImage *phase;                    /* (nullable) [h][w] rad, levelled; of a complex object */
  double likeness;                      /* with the first object it is compared with, 0 … 1; NAN:
                                         * not known */
  gboolean has_other_size;              /* it is not known for that reason */
};

PrismResult *prism_result_new       (const char    *name,
                                     PrismSnapshot *snapshot);
PrismResult *prism_result_new_parts (const char         *name,
                                     PrismSnapshot      *snapshot,
                                     PrismSnapshotParts  parts);
PrismResult *prism_result_new_named (const PrismResult *other,
                                     const char        *name);
PrismResult *prism_result_new_beside (const PrismResult *other,
                                      const PrismResult *first);
gboolean     prism_result_has_setting (const PrismResult *self,
                                       const PrismParam  *param);
guint64      prism_result_get_bytes (const PrismResult *self);

PRISM_DECLARE_REFERENCES (PrismResult, prism_result)

/* The ways from measurements to an image that are worth comparing on the same data,
 * each as the few parameters that make it. Thread: any. */

typedef struct
{
  const char *id;                       /* "decoder" */
  const char *label;                    /* "Decoder only" */
  const char *help;                     /* one sentence */
} PrismApproach;

const PrismApproach *prism_approach_get_all      (gsize *n_methods);
const PrismApproach *prism_approach_find         (const PrismConfig *config);
char              *prism_approach_dup_name     (const PrismConfig *config);
gboolean           prism_approach_is_distinct  (const PrismApproach *self,
                                              const PrismConfig *config);
void               prism_approach_follow_method (PrismConfig       *config,
                                                 const PrismConfig *before);
PrismConfig       *prism_approach_apply        (const PrismApproach *self,
                                              const PrismConfig *config);

G_END_DECLS
