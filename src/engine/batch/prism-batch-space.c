#include "config.h"

#include "batch/prism-batch-space.h"

#include "base/prism-available.h"
#include "base/prism-error.h"
#include "device/prism-backend-check.h"
#include "device/prism-registry.h"

#include <glib/gi18n-lib.h>
#include <sys/statvfs.h>

/* Of what is free: the rest is for what nobody foresaw. */
#define PERCENT_USED 85
#define KEEP_ANSWER 10 /* s that a device's answer is good for */
/* About what the driver takes on a GPU for a process, beside what its runs allocate. */
#define CONTEXT_BYTES (G_GUINT64_CONSTANT (512) << 20)

/* Opening a device takes a moment, and plans are looked at while they are written. */
static guint64
ask_device (const PrismBackendOps *ops)
{
  static GMutex lock;
  static const PrismBackendOps *asked;
  static gint64 time;
  static guint64 bytes;
  guint64 answer;

  g_mutex_lock (&lock);
  if (asked != ops || g_get_monotonic_time () - time > KEEP_ANSWER * G_USEC_PER_SEC)
    {
      bytes = prism_backend_check_memory (ops);
      asked = ops;
      time = g_get_monotonic_time ();
    }
  answer = bytes;
  g_mutex_unlock (&lock);
  return answer;
}

/* Runs that fit on the GPU side by side, in one process. */
static guint64
count_on_gpu (const PrismBatchNeed *need)
{
  const guint64 room
      = ask_device (prism_registry_find (need->backend)) / 100 * PERCENT_USED;

  return MAX (room > CONTEXT_BYTES ? (room - CONTEXT_BYTES) / MAX (need->device, 1) : 1, 1);
}

/**
 * prism_batch_space_count:
 * @need: of one run, and how many there are
 * @wanted: at a time; 0 = one for each processor
 *
 * Asks the machine, and the GPU where several are to share it, which may take a second.
 *
 * Errors: PRISM_ERROR_MEMORY when not even one fits.
 *
 * Returns: how many runs there can be at a time, at least 1; 0 on errors
 */
guint
prism_batch_space_count (const PrismBatchNeed *need,
                         guint wanted,
                         GError **error)
{
  guint64 available = prism_available_get_memory ();
  guint64 n_fit = need->host > 0 ? available / 100 * PERCENT_USED / need->host : G_MAXUINT64;

  if (n_fit == 0 && available >= need->host)
    n_fit = 1;
  if (n_fit == 0)
    {
      g_autofree char *needed = g_format_size_full (need->host, G_FORMAT_SIZE_IEC_UNITS);
      g_autofree char *there = g_format_size_full (available, G_FORMAT_SIZE_IEC_UNITS);

      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   _ ("Each run needs %s of memory and %s are available. Choose a smaller"
                      " image_size, object_size or tile, or fewer samples."),
                   needed, there);
      return 0;
    }
  if (wanted == 0)
    wanted = prism_available_get_processors ();
  if (wanted > 1 && prism_registry_is_gpu (need->backend))
    n_fit = MIN (n_fit, count_on_gpu (need));
  return (guint) MAX (MIN (MIN (wanted, n_fit), need->n_items), 1);
}

/**
 * prism_batch_space_share:
 * @n_jobs: how many runs at a time
 *
 * Returns: worker threads of each run, 0 where its configuration says
 */
guint
prism_batch_space_share (const PrismBatchNeed *need,
                         guint n_jobs)
{
  return need->threads == 0 ? MAX (prism_available_get_processors () / MAX (n_jobs, 1), 1) : 0;
}

/**
 * prism_batch_space_has_disk:
 * @need: of one run
 * @directory: where they write
 * @n_jobs: how many write at a time
 * @left: (out): bytes that are free
 *
 * Returns: whether what they leave has room there
 */
gboolean
prism_batch_space_has_disk (const PrismBatchNeed *need,
                            const char *directory,
                            guint n_jobs,
                            guint64 *left)
{
  struct statvfs space;

  *left = G_MAXUINT64;
  if (need->disk == 0 || statvfs (directory, &space) != 0)
    return TRUE;
  *left = (guint64) space.f_bavail * space.f_frsize;
  return *left >= need->disk * n_jobs;
}
