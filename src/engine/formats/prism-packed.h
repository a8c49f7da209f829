/* prism-packed: files that another program has packed. Thread: any. */
#pragma once

#include "formats/prism-source.h"

G_BEGIN_DECLS

gboolean prism_packed_is     (const PrismSource *source);
gboolean prism_packed_unpack (PrismSource  *source,
                              const char   *name,
                              guint64       most,
                              GError      **error);

G_END_DECLS
