/* fuzz-repair: puts mutated files in order as far as checksums go, so that mutations reach what
 * lies behind them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gsize fuzz_repair (guint8 *data,
                   gsize   size,
                   gsize   max_size,
                   guint   choice);

G_END_DECLS
