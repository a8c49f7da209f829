#include "config.h"

#include "backend/prism-cache.h"

#include "base/prism-each.h"

typedef struct
{
  PrismCacheKey key;
  PrismBuffer *buffer;
  GList link; /* in PrismCache.recent, data is this entry */
} CacheEntry;

struct _PrismCache
{
  GHashTable *entries;             /* of PrismCacheKey to CacheEntry, both in one block */
  GQueue recent;                   /* of CacheEntry, the most recently used at the head */
  PrismCacheStatistics statistics; /* but the rates and the number of entries */
  gboolean pass_begins;            /* with the next frame; the counts of the last one stay until */
  gboolean has_transforms;         /* the device has been used */
};

G_STATIC_ASSERT (sizeof (PrismCacheKey) == 144); /* no padding: the key is hashed as bytes */

PRISM_FREE (CacheEntry, entry_free, prism_buffer_unref, buffer)

/* FNV-1a. */
static guint
key_hash (gconstpointer key)
{
  const guint8 *bytes = key;
  guint32 hash = 2166136261u;

  for (gsize i = 0; i < sizeof (PrismCacheKey); i++)
    hash = (hash ^ bytes[i]) * 16777619u;
  return hash;
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  return memcmp (a, b, sizeof (PrismCacheKey)) == 0;
}

static void
cache_remove (PrismCache *self,
              CacheEntry *entry)
{
  g_queue_unlink (&self->recent, &entry->link);
  self->statistics.bytes -= entry->buffer->n_bytes;
  g_hash_table_remove (self->entries, &entry->key);
}

/* Drops the least recently used entries until n_bytes more fit. */
static void
cache_make_room (PrismCache *self,
                 guint64 n_bytes)
{
  while (self->statistics.bytes + n_bytes > self->statistics.budget && self->recent.tail != NULL)
    {
      cache_remove (self, self->recent.tail->data);
      self->statistics.evictions++;
    }
}

/**
 * prism_cache_new:
 * @budget: bytes that the entries may take together
 *
 * Makes an empty cache.
 *
 * Thread: engine, as every function of the cache.
 *
 * Returns: (transfer full): the cache
 */
PrismCache *
prism_cache_new (guint64 budget)
{
  PrismCache *self = g_new0 (PrismCache, 1);

  self->entries = g_hash_table_new_full (key_hash, key_equal, NULL, entry_free);
  g_queue_init (&self->recent);
  self->statistics.budget = budget;
  return self;
}

/**
 * prism_cache_free:
 * @self: (transfer full) (nullable): a cache
 *
 * Gives all references back.
 */
PRISM_FREE_FOR_ALL (PrismCache, prism_cache_free, g_hash_table_unref, entries)

/**
 * prism_cache_set_budget:
 * @budget: bytes
 *
 * Changes the limit; what is too much leaves at once, least recently used first.
 */
void
prism_cache_set_budget (PrismCache *self,
                        guint64 budget)
{
  self->statistics.budget = budget;
  cache_make_room (self, 0);
}

/**
 * prism_cache_get:
 * @key: what is looked for
 *
 * Looks a detector image up.
 *
 * Returns: (transfer full) (nullable): a reference of the caller's own: the entry may leave at any
 * time
 */
PrismBuffer *
prism_cache_get (PrismCache *self,
                 const PrismCacheKey *key)
{
  CacheEntry *entry = g_hash_table_lookup (self->entries, key);

  if (entry == NULL)
    return NULL;
  g_queue_unlink (&self->recent, &entry->link);
  g_queue_push_head_link (&self->recent, &entry->link);
  return prism_buffer_ref (entry->buffer);
}

/**
 * prism_cache_has:
 * @key: what is looked for
 *
 * Looks without counting and without touching the order.
 *
 * Returns: whether prism_cache_get() would find it
 */
gboolean
prism_cache_has (PrismCache *self,
                 const PrismCacheKey *key)
{
  return g_hash_table_contains (self->entries, key);
}

/**
 * prism_cache_set:
 * @key: its key
 * @buffer: (transfer none): a detector image; the cache takes a reference
 *
 * Keeps an image, in place of an older one of the same key. Least recently used entries leave until
 * it fits. An image larger than the whole budget is not kept: it would throw everything else out
 * and still break the limit.
 */
void
prism_cache_set (PrismCache *self,
                 const PrismCacheKey *key,
                 PrismBuffer *buffer)
{
  CacheEntry *entry = g_hash_table_lookup (self->entries, key);
  g_autoptr (PrismBuffer) kept = prism_buffer_ref (buffer);

  if (entry != NULL)
    cache_remove (self, entry);
  if (kept->n_bytes > self->statistics.budget)
    return;

  cache_make_room (self, kept->n_bytes);
  entry = g_new0 (CacheEntry, 1);
  entry->key = *key;
  entry->link.data = entry;
  self->statistics.bytes += kept->n_bytes;
  entry->buffer = g_steal_pointer (&kept);
  g_hash_table_insert (self->entries, &entry->key, entry);
  g_queue_push_head_link (&self->recent, &entry->link);
}

/**
 * prism_cache_forget:
 * @key: of an image that is of no use any more
 *
 * Drops one entry where there is one; that is no eviction.
 */
void
prism_cache_forget (PrismCache *self,
                    const PrismCacheKey *key)
{
  CacheEntry *entry = g_hash_table_lookup (self->entries, key);

  if (entry != NULL)
    cache_remove (self, entry);
}

/**
 * prism_cache_clear:
 *
 * Drops all entries; the statistics of hits and misses stay.
 */
void
prism_cache_clear (PrismCache *self)
{
  g_hash_table_remove_all (self->entries);
  g_queue_init (&self->recent);
  self->statistics.bytes = 0;
}

/**
 * prism_cache_leave_device:
 *
 * Drops all entries, and what the next device has to make anew.
 */
void
prism_cache_leave_device (PrismCache *self)
{
  prism_cache_clear (self);
  self->has_transforms = FALSE;
}

/**
 * prism_cache_begin_pass:
 *
 * Counts the frames that follow as those of another pass.
 */
void
prism_cache_begin_pass (PrismCache *self)
{
  self->pass_begins = TRUE;
}

static void
count_frame (PrismCache *self,
             gboolean hit)
{
  PrismCacheStatistics *statistics = &self->statistics;

  if (self->pass_begins)
    statistics->pass_hits = statistics->pass_misses = 0;
  self->pass_begins = FALSE;
  statistics->hits += hit;
  statistics->misses += !hit;
  statistics->pass_hits += hit;
  statistics->pass_misses += !hit;
}

/**
 * prism_cache_count:
 * @kind: of what a step or a pass uses
 * @hit: whether it was at hand; else it had to be made for this use
 *
 * Counts a use.
 */
void
prism_cache_count (PrismCache *self,
                   PrismCacheKind kind,
                   gboolean hit)
{
  PrismCacheStatistics *statistics = &self->statistics;

  if (kind == PRISM_CACHE_FRAMES)
    count_frame (self, hit);
  else if (kind == PRISM_CACHE_APERTURES)
    {
      statistics->aperture_hits += hit;
      statistics->aperture_misses += !hit;
    }
  else
    {
      statistics->transform_hits += hit;
      statistics->transform_misses += !hit;
    }
}

/**
 * prism_cache_note_transforms:
 *
 * A device makes its plans and tables when it is opened, for all runs until it is closed.
 *
 * Returns: whether they were there already; from now on they are
 */
gboolean
prism_cache_note_transforms (PrismCache *self)
{
  const gboolean before = self->has_transforms;

  self->has_transforms = TRUE;
  return before;
}

/**
 * prism_cache_hold_small:
 * @n_bytes: of a frame that is held small from now on; negative: of one that is not any more
 *
 * Small frames are no entries: they are chosen so that all of them are held.
 */
void
prism_cache_hold_small (PrismCache *self,
                        gint64 n_bytes)
{
  self->statistics.small_bytes += (guint64) n_bytes;
  self->statistics.n_small += n_bytes > 0 ? 1 : -1;
}

/* What says how much there is now stays. */
static void
set_counts (PrismCache *self,
            PrismCacheStatistics counts)
{
  counts.bytes = self->statistics.bytes;
  counts.budget = self->statistics.budget;
  counts.small_bytes = self->statistics.small_bytes;
  counts.n_small = self->statistics.n_small;
  self->statistics = counts;
}

/**
 * prism_cache_reset_statistics:
 *
 * Starts counting hits and misses anew, in a first pass; the entries stay.
 */
void
prism_cache_reset_statistics (PrismCache *self)
{
  set_counts (self, (PrismCacheStatistics) { 0 });
  prism_cache_begin_pass (self);
}

/**
 * prism_cache_resume_statistics:
 * @before: of the run that goes on; where it counted nothing the present counts stay
 *
 * Goes on counting from there.
 */
void
prism_cache_resume_statistics (PrismCache *self,
                               const PrismCacheStatistics *before)
{
  if (before->hits + before->misses > 0)
    set_counts (self, *before);
}

static double
get_rate (guint64 hits,
          guint64 misses)
{
  return hits + misses > 0 ? (double) hits / (double) (hits + misses) : NAN;
}

/**
 * prism_cache_get_statistics:
 * @statistics: (out caller-allocates): counts and sizes
 *
 * Copies the statistics for a snapshot.
 *
 * Units: bytes; rates 0…1, NAN where nothing was counted.
 */
void
prism_cache_get_statistics (PrismCache *self,
                            PrismCacheStatistics *statistics)
{
  *statistics = self->statistics;
  statistics->hit_rate = get_rate (statistics->hits, statistics->misses);
  statistics->pass_rate = get_rate (statistics->pass_hits, statistics->pass_misses);
  statistics->aperture_rate = get_rate (statistics->aperture_hits, statistics->aperture_misses);
  statistics->transform_rate = get_rate (statistics->transform_hits, statistics->transform_misses);
  statistics->n_entries = g_hash_table_size (self->entries);
}
