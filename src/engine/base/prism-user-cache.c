#include "config.h"

#include "base/prism-user-cache.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

static const char *const folders[PRISM_N_USER_CACHES] = {
  [PRISM_USER_CACHE_COSTS] = "costs",
  [PRISM_USER_CACHE_TUNING] = "tuning",
};

/**
 * prism_user_cache_dup_folder:
 * @self: what is kept there
 *
 * Returns: (transfer full): the folder, which may not be there yet
 */
char *
prism_user_cache_dup_folder (PrismUserCache self)
{
  return g_build_filename (g_get_user_cache_dir (), "prism-studio", folders[self], NULL);
}

typedef void (*FileFunc) (const char *path,
                          const struct stat *status,
                          PrismUserCacheUse *use);

static void
count (const char *path,
       const struct stat *status,
       PrismUserCacheUse *use)
{
  use->n_files++;
  use->bytes += (guint64) status->st_size;
}

static void
clear (const char *path,
       const struct stat *status,
       PrismUserCacheUse *use)
{
  if (g_unlink (path) == 0)
    use->n_files++;
}

/* Files of this program alone: no links, no folders, nothing of another name. */
static void
each_file (PrismUserCache self,
           FileFunc func,
           PrismUserCacheUse *use)
{
  g_autofree char *folder = prism_user_cache_dup_folder (self);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name;

  *use = (PrismUserCacheUse) { 0 };
  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      struct stat status;

      if (g_str_has_suffix (name, ".json") && lstat (path, &status) == 0
          && S_ISREG (status.st_mode))
        func (path, &status, use);
    }
}

/**
 * prism_user_cache_look:
 * @self: what is kept
 * @use: (out caller-allocates): how much of it there is
 *
 * Units: bytes.
 */
void
prism_user_cache_look (PrismUserCache self,
                       PrismUserCacheUse *use)
{
  each_file (self, count, use);
}

/**
 * prism_user_cache_clear:
 * @self: what is kept
 *
 * Deletes it; what cannot be deleted stays.
 *
 * Returns: how many files are gone
 */
guint
prism_user_cache_clear (PrismUserCache self)
{
  PrismUserCacheUse use;

  each_file (self, clear, &use);
  return use.n_files;
}
