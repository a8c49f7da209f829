/* prism-user-cache: what this program keeps in the user's cache and can find out again.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_USER_CACHE_COSTS,               /* what runs took, for the time before Run */
  PRISM_USER_CACHE_TUNING,              /* how steps are quickest */
  PRISM_N_USER_CACHES,
} PrismUserCache;

typedef struct
{
  guint n_files;
  guint64 bytes;
} PrismUserCacheUse;

char *prism_user_cache_dup_folder (PrismUserCache self);
void  prism_user_cache_look       (PrismUserCache     self,
                                   PrismUserCacheUse *use);
guint prism_user_cache_clear      (PrismUserCache self);

G_END_DECLS
