#include "base/prism-system.h"
#include "prism-test.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define N_THREADS 8
#define N_BLOCKS 200
#define BLOCK 10000 /* bytes */

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

static GMutex holding; /* of the test: the threads hold their blocks as long as it has it */

static void *
allocate (void *data)
{
  GAsyncQueue *queue = data;
  char *blocks[N_BLOCKS];

  for (int i = 0; i < N_BLOCKS; i++)
    {
      blocks[i] = malloc (BLOCK);
      memset (blocks[i], 1, BLOCK);
    }
  g_async_queue_push (queue, blocks);
  g_mutex_lock (&holding);
  g_mutex_unlock (&holding);
  for (int i = 0; i < N_BLOCKS; i++)
    free (blocks[i]);
  return NULL;
}

static int
count_heaps (void)
{
  char *text = NULL;
  size_t length;
  FILE *stream = open_memstream (&text, &length);
  int n = 0;

  malloc_info (0, stream);
  fclose (stream);
  for (const char *at = text; (at = strstr (at, "<heap nr=")) != NULL; at++)
    n++;
  free (text);
  return n;
}

static long
get_resident (void)
{
  long pages = 0;

  g_autofree char *text = file_text ("/proc/self/statm");
  g_assert_cmpint (sscanf (text, "%*d %ld", &pages), ==, 1);
  return pages * sysconf (_SC_PAGESIZE);
}

/* Threads that come and go share one heap, and what they have held goes back as a whole. */
static void
test_threads_share_one (void)
{
  g_autoptr (GAsyncQueue) queue = g_async_queue_new ();
  long before = get_resident ();
  GThread *threads[N_THREADS];

  g_mutex_lock (&holding);
  for (int i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("heap", allocate, queue);
  for (int i = 0; i < N_THREADS; i++)
    g_async_queue_pop (queue);
  g_assert_cmpint (get_resident () - before, >, N_THREADS * N_BLOCKS * BLOCK / 2);
  g_mutex_unlock (&holding);
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (count_heaps (), ==, 1);
  prism_heap_give_back ();
  g_assert_cmpint (get_resident () - before, <, N_THREADS * N_BLOCKS * BLOCK / 8);
}

#else

static void
test_threads_share_one (void)
{
  g_test_skip ("The C library's heap is another one here.");
}

#endif

int
main (int argc, char **argv)
{
  prism_heap_init ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/heap/threads-share-one", test_threads_share_one);
  return prism_test_run ();
}
