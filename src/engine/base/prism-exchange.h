/* prism-exchange: files of one folder that belong together: all of them are replaced, or none.
 *
 * They are written into a folder of their own inside. At the end the old ones move to
 * .prism-exchange/old, the new folder becomes .prism-exchange/new, which is the moment that
 * decides, and its files move to their places. So the folder never holds files of both. Who finds
 * .prism-exchange there goes on where another program was ended: with the new files if there is
 * .prism-exchange/new, back to the old ones otherwise.
 *
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Says that the others are complete: the first that goes, and the last that comes. */
#define PRISM_EXCHANGE_HEAD "summary.json"

typedef struct _PrismExchange PrismExchange;

gboolean       prism_exchange_check_place   (const char         *directory,
                                             const char *const  *names,
                                             GError            **error);
void           prism_exchange_finish        (const char *directory);

PrismExchange *prism_exchange_new           (const char  *directory,
                                             GError     **error);
const char    *prism_exchange_get_directory (PrismExchange *self);
gboolean       prism_exchange_commit        (PrismExchange      *self,
                                             const char *const  *names,
                                             GError            **error);
void           prism_exchange_free          (PrismExchange *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismExchange, prism_exchange_free)

G_END_DECLS
