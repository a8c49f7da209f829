#include "config.h"

#include "base/prism-arena.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "base/prism-temporary.h"
#include "base/prism-watch.h"

#include <malloc.h>
#include <sys/mman.h>

#define HUGE_PAGE (2u << 20)
#define LARGE (64u << 20)

typedef struct
{
  gpointer *slot;
  gsize offset;
} PrismArenaEntry;

struct _PrismArena
{
  GArray *entries; /* of PrismArenaEntry */
  gsize size;      /* bytes */
  char *block;
};

static atomic_ullong total; /* bytes of all arrays */

static gsize
round_up (gsize n_bytes,
          gsize unit)
{
  return (n_bytes + unit - 1) / unit * unit;
}

static gpointer
get_block (gpointer array)
{
  return ((gpointer *) array)[-1];
}

/* Keeps account of an array that came or goes, as malloc() sees it. */
static void
count (gpointer array,
       gboolean comes)
{
  const guint64 n_bytes = malloc_usable_size (get_block (array));
  const guint64 change = comes ? n_bytes : -n_bytes;
  const guint64 now = atomic_fetch_add_explicit (&total, change, memory_order_relaxed) + change;
  const PrismWatch *watch = prism_watch_get ();

  if (G_UNLIKELY (watch != NULL))
    watch->change_memory (now);
}

/**
 * prism_arena_get_total:
 *
 * Units: bytes.
 *
 * Returns: the size of all arrays there are now
 */
guint64
prism_arena_get_total (void)
{
  return atomic_load_explicit (&total, memory_order_relaxed);
}

/**
 * prism_arena_new_array:
 * @n_bytes: size
 * @what: what the memory is for, as it reads in an error message
 *
 * Allocates zeroed memory that may be large. Unlike g_malloc() it never aborts. 64 MiB and more are
 * refused where the machine does not have them to give. Who fills it is the first to touch it.
 *
 * Errors: PRISM_ERROR_MEMORY with the amount asked for.
 *
 * Returns: (transfer full) (nullable): memory aligned to PRISM_ALIGNMENT, for
 * prism_arena_free_array()
 */
gpointer
prism_arena_new_array (gsize n_bytes,
                       const char *what,
                       GError **error)
{
  char *block = NULL;
  gpointer memory;

  /* Linux promises more than it has and kills who takes it at its word. Small amounts are not
   * worth the 50 µs of asking. */
  if (n_bytes < G_MAXSSIZE && (n_bytes < LARGE || n_bytes <= prism_available_get_memory ()))
    block = calloc (1, n_bytes + 2 * PRISM_ALIGNMENT);
  if (block == NULL)
    {
      g_autofree char *size = g_format_size_full (n_bytes, G_FORMAT_SIZE_IEC_UNITS);
      prism_error_memory (error, _ ("Not enough memory for %s: %s could not be had. Choose a"
                                    " smaller image or fewer positions, of recorded frames a part"
                                    " (crop) or tiles (tile)."),
                          what, size);
      return NULL;
    }
  /* From malloc() come multiples of 16, so that there is room in front for the block's address.
   * aligned_alloc() of glibc looks for a hole larger than the one that it has left last, finds none
   * between blocks that stay, and lets the heap of a process that works for hours grow. */
  memory = block + 2 * PRISM_ALIGNMENT - (guintptr) block % PRISM_ALIGNMENT;
  ((gpointer *) memory)[-1] = block;
  count (memory, TRUE);
  return memory;
}

/* An array in a file. */
typedef struct Stored
{
  char *array;
  gsize n_bytes;
  gsize n_touched; /* bytes since its pages were let go */
  struct Stored *next;
} Stored;

static Stored *stored; /* under its lock */
static GMutex stored_lock;

/* Where the array that an address belongs to stands in the list, or the list ends. */
static Stored **
find_stored (gconstpointer at)
{
  Stored **place = &stored;

  while (*place != NULL
         && !((const char *) at >= (*place)->array
              && (const char *) at < (*place)->array + (*place)->n_bytes))
    place = &(*place)->next;
  return place;
}

/**
 * prism_arena_new_stored:
 * @n_bytes: size, more than 0
 * @what: as for prism_arena_new_array()
 *
 * Allocates as prism_arena_new_array() does, but in a temporary file, where a disk has room for it:
 * who goes through the array says so by prism_arena_touch(), and little of it is held.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): an array for prism_arena_free_array()
 */
gpointer
prism_arena_new_stored (gsize n_bytes,
                        const char *what,
                        GError **error)
{
  const int fd = prism_temporary_store_open (n_bytes);
  char *array
      = fd >= 0 ? mmap (NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
  Stored *self;

  if (fd >= 0)
    close (fd);
  if (array == MAP_FAILED)
    return prism_arena_new_array (n_bytes, what, error);
  self = g_new (Stored, 1);
  g_mutex_lock (&stored_lock);
  *self = (Stored) { array, n_bytes, 0, stored };
  stored = self;
  g_mutex_unlock (&stored_lock);
  return array;
}

/**
 * prism_arena_is_stored:
 * @array: of prism_arena_new_stored(), or any other
 *
 * Returns: whether it lies in a file
 */
gboolean
prism_arena_is_stored (gconstpointer array)
{
  gboolean is_stored;

  g_mutex_lock (&stored_lock);
  is_stored = *find_stored (array) != NULL;
  g_mutex_unlock (&stored_lock);
  return is_stored;
}

/**
 * prism_arena_touch:
 * @at: where in an array
 * @n_bytes: how much was read or written since the last call
 *
 * Lets go of the memory that an array in a file has taken, now and then; its content stays. Nothing
 * is done for any other array.
 */
void
prism_arena_touch (gconstpointer at,
                   gsize n_bytes)
{
  Stored *self;

  g_mutex_lock (&stored_lock);
  self = *find_stored (at);
  if (self != NULL && (self->n_touched += n_bytes) >= PRISM_ARENA_TOUCHED)
    {
      self->n_touched = 0;
      madvise (self->array, self->n_bytes, MADV_DONTNEED);
    }
  g_mutex_unlock (&stored_lock);
}

/* Returns whether it was one. */
static gboolean
free_stored (gpointer array)
{
  Stored **place, *self;

  g_mutex_lock (&stored_lock);
  place = find_stored (array);
  self = *place;
  if (self != NULL)
    *place = self->next;
  g_mutex_unlock (&stored_lock);
  if (self != NULL)
    munmap (self->array, self->n_bytes);
  g_free (self);
  return self != NULL;
}

/**
 * prism_arena_free_array:
 * @array: (nullable): memory of prism_arena_new_array() or prism_arena_new_stored()
 */
void
prism_arena_free_array (gpointer array)
{
  if (array == NULL || free_stored (array))
    return;
  count (array, FALSE);
  free (get_block (array));
}

/**
 * prism_arena_new:
 *
 * Returns: (transfer full): an empty arena
 */
PrismArena *
prism_arena_new (void)
{
  PrismArena *self = g_new0 (PrismArena, 1);

  self->entries = g_array_new (FALSE, FALSE, sizeof (PrismArenaEntry));
  return self;
}

/**
 * prism_arena_free:
 *
 * Frees the block and with it every array carved from it.
 */
PRISM_FREE_FOR_ALL (PrismArena,
                    prism_arena_free,
                    g_array_unref,
                    entries,
                    prism_arena_free_array,
                    block)

/**
 * prism_arena_add_array:
 * @self: an arena that is not allocated yet
 * @slot: where prism_arena_allocate() writes the array's address
 * @n_bytes: size
 *
 * Plans one array, aligned to PRISM_ALIGNMENT.
 */
void
prism_arena_add_array (PrismArena *self,
                       gpointer *slot,
                       gsize n_bytes)
{
  PrismArenaEntry entry = { slot, self->size };

  g_return_if_fail (self->block == NULL);

  g_array_append_val (self->entries, entry);
  self->size += round_up (n_bytes, PRISM_ALIGNMENT);
}

/**
 * prism_arena_allocate:
 * @what: what the memory is for, as it reads in an error message
 *
 * Allocates all planned arrays as one zeroed block and sets their pointers. It asks for huge pages,
 * which spares most of the TLB misses of a sweep over the weights.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether the memory is there
 */
gboolean
prism_arena_allocate (PrismArena *self,
                      const char *what,
                      GError **error)
{
  char *first;

  self->block = prism_arena_new_array (self->size, what, error);
  if (self->block == NULL)
    return FALSE;
  first = self->block + round_up ((guintptr) self->block, HUGE_PAGE) - (guintptr) self->block;
  if (first + HUGE_PAGE <= self->block + self->size)
    {
      madvise (first, self->size - (gsize) (first - self->block), MADV_HUGEPAGE);
      memset (self->block, 0, self->size); /* what is promised is taken */
    }
  PRISM_FOR_EACH (PrismArenaEntry, entry, self->entries)
    {
      *entry->slot = self->block + entry->offset;
    }
  return TRUE;
}

/**
 * prism_arena_get_size:
 *
 * Units: bytes.
 *
 * Returns: the size of all planned arrays
 */
gsize
prism_arena_get_size (PrismArena *self)
{
  return self->size;
}
