#include "config.h"

#include "backend/prism-cache.h"

#include <string.h>

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
  PrismCacheStatistics statistics; /* but the hit rate and the number of entries */
};

G_STATIC_ASSERT (sizeof (PrismCacheKey) == 128); /* no padding: the key is hashed as bytes */

static void
entry_free (gpointer data)
{
  CacheEntry *entry = data;

  prism_buffer_unref (entry->buffer);
  g_free (entry);
}

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
void
prism_cache_free (PrismCache *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->entries);
  g_free (self);
}

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
 * Looks a detector image up and counts a hit or a miss.
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
    {
      self->statistics.misses++;
      return NULL;
    }
  self->statistics.hits++;
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
 * prism_cache_reset_statistics:
 *
 * Starts counting hits and misses anew; the entries stay.
 */
void
prism_cache_reset_statistics (PrismCache *self)
{
  self->statistics.hits = 0;
  self->statistics.misses = 0;
  self->statistics.evictions = 0;
}

/**
 * prism_cache_resume_statistics:
 * @before: of the run that goes on; where it counted nothing the present counts stay
 *
 * Goes on counting from there: taking the measurements again when a run is read is no miss of it.
 */
void
prism_cache_resume_statistics (PrismCache *self,
                               const PrismCacheStatistics *before)
{
  if (before->hits + before->misses > 0)
    {
      self->statistics.hits = before->hits;
      self->statistics.misses = before->misses;
      self->statistics.evictions = before->evictions;
    }
}

/**
 * prism_cache_get_statistics:
 * @statistics: (out caller-allocates): counts and sizes
 *
 * Copies the statistics for a snapshot.
 *
 * Units: bytes; hit rate 0…1.
 */
void
prism_cache_get_statistics (PrismCache *self,
                            PrismCacheStatistics *statistics)
{
  guint64 n_lookups = self->statistics.hits + self->statistics.misses;

  *statistics = self->statistics;
  statistics->hit_rate = n_lookups > 0 ? (double) statistics->hits / n_lookups : 0.0;
  statistics->n_entries = g_hash_table_size (self->entries);
}
