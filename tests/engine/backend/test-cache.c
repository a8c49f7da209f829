#include "backend/prism-cache.h"
#include "prism-test.h"

/* A backend that only counts what it frees. */
static guint n_freed;

static void
fake_free_buffer (PrismBuffer *buffer)
{
  n_freed++;
  g_free (buffer);
}

static const PrismBackendOps fake_ops = { .name = "fake", .free_buffer = fake_free_buffer };
static PrismBackend fake_backend = { .ops = &fake_ops };

static PrismBuffer *
make_buffer (gsize n_bytes)
{
  PrismBuffer *buffer = g_new0 (PrismBuffer, 1);

  buffer->ref_count = 1;
  buffer->n_bytes = n_bytes;
  buffer->backend = &fake_backend;
  return buffer;
}

static PrismCacheKey
make_key (int sample)
{
  PrismCacheKey key = { 0 };

  key.object = 1;
  key.radius = 20.0;
  key.center_y = sample;
  key.image_size = 512;
  return key;
}

/* Puts a buffer in and keeps no reference. */
static void
put (PrismCache *cache, int sample, gsize n_bytes)
{
  g_autoptr (PrismBuffer) buffer = make_buffer (n_bytes);
  PrismCacheKey key = make_key (sample);

  prism_cache_set (cache, &key, buffer);
}

/* The size of what is found, 0 for a miss. */
static gsize
look_up (PrismCache *cache, int sample)
{
  PrismCacheKey key = make_key (sample);
  g_autoptr (PrismBuffer) buffer = prism_cache_get (cache, &key);

  return buffer != NULL ? buffer->n_bytes : 0;
}

static gboolean
is_there (PrismCache *cache, int sample)
{
  PrismCacheKey key = make_key (sample);

  return prism_cache_has (cache, &key);
}

static PrismCacheStatistics
get_statistics (PrismCache *cache)
{
  PrismCacheStatistics statistics;

  prism_cache_get_statistics (cache, &statistics);
  return statistics;
}

TEST (hits_and_misses, "/engine/cache/hits-and-misses")
{
  g_autoptr (PrismCache) cache = prism_cache_new (1000);

  g_assert_true (isnan (get_statistics (cache).hit_rate));
  g_assert_true (isnan (get_statistics (cache).pass_rate));
  g_assert_cmpuint (look_up (cache, 1), ==, 0);
  put (cache, 1, 100);
  g_assert_cmpuint (look_up (cache, 1), ==, 100);
  g_assert_cmpuint (look_up (cache, 1), ==, 100);
  g_assert_cmpuint (look_up (cache, 2), ==, 0);
  g_assert_cmpuint (get_statistics (cache).hits + get_statistics (cache).misses, ==, 0);
  prism_cache_begin_pass (cache);
  for (int i = 0; i < 4; i++)
    prism_cache_count (cache, PRISM_CACHE_FRAMES, i == 0);
  prism_cache_begin_pass (cache);
  g_assert_cmpfloat (get_statistics (cache).pass_rate, ==, 0.25); /* until there is another */
  for (int i = 0; i < 4; i++)
    prism_cache_count (cache, PRISM_CACHE_FRAMES, i < 3);
  g_assert_cmpuint (get_statistics (cache).hits, ==, 4);
  g_assert_cmpuint (get_statistics (cache).misses, ==, 4);
  g_assert_cmpfloat (get_statistics (cache).hit_rate, ==, 0.5);
  g_assert_cmpfloat (get_statistics (cache).pass_rate, ==, 0.75);
  for (int i = 0; i < 10; i++)
    prism_cache_count (cache, PRISM_CACHE_APERTURES, i > 0);
  for (int i = 0; i < 5; i++)
    prism_cache_count (cache, PRISM_CACHE_TRANSFORMS, prism_cache_note_transforms (cache));
  g_assert_cmpuint (get_statistics (cache).misses, ==, 4);
  g_assert_cmpfloat (get_statistics (cache).aperture_rate, ==, 0.9);
  g_assert_cmpfloat (get_statistics (cache).transform_rate, ==, 0.8);
  prism_cache_reset_statistics (cache);
  g_assert_cmpuint (get_statistics (cache).hits, ==, 0);
  g_assert_cmpuint (get_statistics (cache).misses, ==, 0);
  g_assert_cmpuint (get_statistics (cache).n_entries, ==, 1);
}

TEST (every_field_of_the_key_counts, "/engine/cache/key")
{
  g_autoptr (PrismCache) cache = prism_cache_new (1000);
  guint8 *bytes;
  PrismCacheKey key;

  put (cache, 1, 100);
  for (gsize i = 0; i < sizeof key; i++)
    {
      key = make_key (1);
      bytes = (guint8 *) &key;
      bytes[i] ^= 1;
      g_autoptr (PrismBuffer) buffer = prism_cache_get (cache, &key);
      g_assert_null (buffer);
    }
  g_assert_cmpuint (look_up (cache, 1), ==, 100);
}

TEST (least_recently_used_leaves, "/engine/cache/least-recently-used")
{
  g_autoptr (PrismCache) cache = prism_cache_new (300);

  n_freed = 0;
  put (cache, 1, 100);
  put (cache, 2, 100);
  put (cache, 3, 100);
  g_assert_cmpuint (look_up (cache, 1), ==, 100);
  put (cache, 4, 100);
  g_assert_cmpuint (n_freed, ==, 1);
  g_assert_cmpuint (look_up (cache, 2), ==, 0);
  g_assert_cmpuint (look_up (cache, 1), ==, 100);
  g_assert_cmpuint (look_up (cache, 3), ==, 100);
  g_assert_cmpuint (look_up (cache, 4), ==, 100);
  put (cache, 5, 101); /* one byte too much for two to stay */
  g_assert_cmpuint (look_up (cache, 1), ==, 0);
  g_assert_cmpuint (look_up (cache, 3), ==, 0);
  g_assert_cmpuint (look_up (cache, 4), ==, 100);
  g_assert_cmpuint (look_up (cache, 5), ==, 101);
  g_assert_cmpuint (get_statistics (cache).bytes, ==, 201);
}

TEST (looking_without_counting, "/engine/cache/without-counting")
{
  g_autoptr (PrismCache) cache = prism_cache_new (200);

  put (cache, 1, 100);
  put (cache, 2, 100);
  g_assert_true (is_there (cache, 1));
  g_assert_false (is_there (cache, 3));
  g_assert_cmpuint (get_statistics (cache).hits, ==, 0);
  g_assert_cmpuint (get_statistics (cache).misses, ==, 0);
  g_assert_cmpuint (get_statistics (cache).evictions, ==, 0);
  put (cache, 3, 100);
  g_assert_false (is_there (cache, 1)); /* it was not made younger */
  g_assert_cmpuint (get_statistics (cache).evictions, ==, 1);
}

TEST (bytes_are_accounted, "/engine/cache/bytes")
{
  g_autoptr (PrismCache) cache = prism_cache_new (1000);

  n_freed = 0;
  put (cache, 1, 100);
  put (cache, 2, 250);
  g_assert_cmpuint (get_statistics (cache).bytes, ==, 350);
  put (cache, 2, 50);
  g_assert_cmpuint (get_statistics (cache).bytes, ==, 150);
  g_assert_cmpuint (get_statistics (cache).n_entries, ==, 2);
  g_assert_cmpuint (get_statistics (cache).budget, ==, 1000);
  g_assert_cmpuint (n_freed, ==, 1);
  prism_cache_set_budget (cache, 60);
  g_assert_cmpuint (get_statistics (cache).bytes, ==, 50);
  g_assert_cmpuint (n_freed, ==, 2);
  prism_cache_clear (cache);
  g_assert_cmpuint (get_statistics (cache).bytes, ==, 0);
  g_assert_cmpuint (get_statistics (cache).n_entries, ==, 0);
  g_assert_cmpuint (n_freed, ==, 3);
  put (cache, 3, 10);
  g_assert_cmpuint (look_up (cache, 3), ==, 10);
}

TEST (an_entry_over_the_budget_is_not_kept, "/engine/cache/over-the-budget")
{
  g_autoptr (PrismCache) cache = prism_cache_new (100);

  n_freed = 0;
  put (cache, 1, 60);
  put (cache, 2, 101);
  g_assert_cmpuint (n_freed, ==, 1);
  g_assert_cmpuint (look_up (cache, 2), ==, 0);
  g_assert_cmpuint (look_up (cache, 1), ==, 60);
  put (cache, 1, 200);
  g_assert_cmpuint (look_up (cache, 1), ==, 0);
  g_assert_cmpuint (get_statistics (cache).bytes, ==, 0);
}

TEST (a_reference_outlives_its_entry, "/engine/cache/references")
{
  PrismCache *cache = prism_cache_new (100);
  PrismCacheKey key = make_key (1);

  n_freed = 0;
  put (cache, 1, 60);
  g_autoptr (PrismBuffer) buffer = prism_cache_get (cache, &key);
  put (cache, 2, 60);
  g_assert_cmpuint (n_freed, ==, 0);
  prism_cache_set (cache, &key, buffer);
  prism_cache_set (cache, &key, buffer);
  g_assert_cmpint (buffer->ref_count, ==, 2);
  prism_cache_free (cache);
  g_assert_cmpint (buffer->ref_count, ==, 1);
  g_assert_cmpuint (n_freed, ==, 1);
}
