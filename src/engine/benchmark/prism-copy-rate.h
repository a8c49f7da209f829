/* prism-copy-rate: how fast a device and the host's memory exchange data: both ways, with memory
 * that is pinned and memory that is pageable. Thread: that of a device, see prism-device. */
#pragma once

#include "backend/prism-backend.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define PRISM_COPY_RATE_MOST_MIB 4096

typedef struct
{
  guint64 n_bytes;                      /* of a copy */
  double rates[PRISM_N_COPIES];         /* bytes/s */
} PrismCopyRate;

const char *prism_copy_kind_get_label  (PrismCopyKind kind);
gboolean    prism_copy_rate_measure    (PrismCopyRate          *self,
                                        const PrismBackendOps  *ops,
                                        guint                   n_mib,
                                        char                  **device,
                                        GError                **error);
void        prism_copy_rate_add_json   (const PrismCopyRate *self,
                                        JsonBuilder         *builder);
gboolean    prism_copy_rate_read       (PrismCopyRate *self,
                                        JsonObject    *object);
char       *prism_copy_rate_dup_number (double rate);

G_END_DECLS
