/* prism-directory: whether results can be written into a directory, found out beforehand,
 * and that nobody else does meanwhile. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean prism_directory_check (const char  *directory,
                                GError     **error);
gboolean prism_directory_lock  (const char  *directory,
                                int         *lock,
                                GError     **error);
void     prism_directory_unlock (int lock);
void     prism_directory_remove (const char *path);

/* Files of one folder that belong together: all of them are replaced, or none.
 *
 * They are written into a folder of their own inside. At the end the old ones move to
 * .prism-exchange/old, the new folder becomes .prism-exchange/new, which is the moment that
 * decides, and its files move to their places. So the folder never holds files of both. Who finds
 * .prism-exchange there goes on where another program was ended: with the new files if there is
 * .prism-exchange/new, back to the old ones otherwise.
 *
 * Thread: any. */

/* Says that the others are complete: the first that goes, and the last that comes. */
#define PRISM_EXCHANGE_HEAD "summary.json"

/* Says what runs a directory of many is of. */
#define PRISM_PLAN_SWEEP "sweep.conf"
#define PRISM_PLAN_TILES "tiles.conf"
#define PRISM_PLAN_NAMES PRISM_PLAN_SWEEP "|" PRISM_PLAN_TILES
/* What the folders and files of its runs begin with, and all that lies beside them. */
#define PRISM_PLAN_POINT "point-"
#define PRISM_PLAN_TILE "tile-"
#define PRISM_SWEEP_NAMES                                                                          \
  PRISM_PLAN_SWEEP "|sweep.csv|sweep.png|mean.npy|mean.png|uncertainty.npy|uncertainty.png"        \
                   "|job.sh|" PRISM_PLAN_POINT "*"
#define PRISM_TILES_NAMES                                                                          \
  PRISM_PLAN_TILES "|tiles.csv|summary.json|map.png|report.html|picture.tif|job.sh|"               \
  PRISM_PLAN_TILE "*"

/* All files of a result, of a telescope or of recorded frames, with what is made of it later. */
#define PRISM_RESULT_NAMES                                                                         \
  PRISM_EXCHANGE_HEAD                                                                              \
  "|result.h5|reconstruction.npy|reconstruction.png|phase.npy|phase.png|phase.tif|amplitude.npy"   \
  "|amplitude.png|amplitude.tif|second.npy|second.png|target.npy|measurement.npy|coverage.npy"     \
  "|centers.npy|metrics.csv|frc.csv|decoder.npz|object.npy|object.ome.tif|pupil.npy"               \
  "|pupil-amplitude.png|pupil-phase.png|frames.csv|passes.csv|tiles.csv|halves.csv|marks.csv"      \
  "|objective.csv|refocus.ome.tif"

/* Of a result whose summary has it as its table, of those frames that were there; elsewhere a file
 * of that name is the user's. */
#define PRISM_RESULT_TABLE "leds.csv"

typedef struct _PrismExchange PrismExchange;

gboolean       prism_exchange_has_result    (const char *directory);
gboolean       prism_exchange_check_place   (const char         *directory,
                                             const char *const  *names,
                                             gboolean            replaces,
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

/* What this program keeps in the user's cache and can find out again.
 * Thread: any. */

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
char *prism_user_cache_dup_path   (PrismUserCache  self,
                                   const char     *shape);
void  prism_user_cache_look       (PrismUserCache     self,
                                   gboolean           clears,
                                   PrismUserCacheUse *use);

/* What binds a directory to the many runs of a sweep or of tiles: a file of keys and values.
 * Thread: any. */

GKeyFile *prism_plan_load (const char  *directory,
                           const char  *name,
                           const char  *missing,
                           GError     **error);
gboolean  prism_plan_save (const char  *directory,
                           const char  *name,
                           const char  *names,
                           GKeyFile    *keys,
                           GError     **error);

G_END_DECLS
