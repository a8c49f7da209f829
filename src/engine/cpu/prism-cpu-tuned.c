#include "config.h"

#include "cpu/prism-cpu-tuned.h"

#include "base/prism-isa.h"
#include "base/prism-record.h"
#include "base/prism-system.h"
#include "base/prism-user-cache.h"

#include <glib/gstdio.h>
#include <string.h>

#define MOST_THREADS 256
#define CLASS(name, number) \
  PRISM_RECORD_PART (PrismCpuTuned, name, threads[number], INTEGER, 0, MOST_THREADS, TRUE)

static const PrismRecordField fields[] = {
  CLASS ("start", 0),
  CLASS ("terms_1", 1),
  CLASS ("terms_2", 2),
  CLASS ("terms_4", 3),
  CLASS ("terms_8", 4),
  CLASS ("terms_16", 5),
  CLASS ("terms_32", 6),
  { NULL },
};

/**
 * prism_cpu_tuned_dup_shape:
 * @spec: of a run
 * @n_threads: all that there are
 *
 * Names all that decides with how many threads a step is quickest: program, machine, sizes and
 * decoder.
 *
 * Returns: (transfer full): one line
 */
char *
prism_cpu_tuned_dup_shape (const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *processor = prism_system_dup_processor ();
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "version=%s processor=%s isa=%s threads=%u", PRISM_VERSION,
                          processor != NULL ? processor : "", prism_isa_get_id (prism_isa_get ()),
                          n_threads);
  g_string_append_printf (text, " image=%d object=%d parameters=%" G_GSIZE_FORMAT, spec->image_size,
                          spec->object_size, spec->decoder.n_parameters);
  g_string_append_printf (text, " line=%u amsgrad=%d clips=%d", spec->n_line_points,
                          spec->amsgrad, spec->clips);
  return g_string_free (text, FALSE);
}

static char *
dup_path (const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *shape = prism_cpu_tuned_dup_shape (spec, n_threads);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, shape, -1);
  g_autofree char *name = g_strdup_printf ("%.32s.json", sum);
  g_autofree char *folder = prism_user_cache_dup_folder (PRISM_USER_CACHE_TUNING);

  return g_build_filename (folder, name, NULL);
}

/**
 * prism_cpu_tuned_load:
 * @self: (out caller-allocates): what is known; nothing where there is no file
 * @spec: of a run
 * @n_threads: all that there are
 *
 * A file that is damaged is as good as none.
 *
 * Returns: whether something is known
 */
gboolean
prism_cpu_tuned_load (PrismCpuTuned *self, const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *path = dup_path (spec, n_threads);

  memset (self, 0, sizeof *self);
  if (prism_record_load (fields, self, path, "tuning", NULL))
    return TRUE;
  memset (self, 0, sizeof *self);
  return FALSE;
}

/**
 * prism_cpu_tuned_save:
 * @self: what is known
 * @spec: of the run
 * @n_threads: all that there are
 * @error: return location
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is kept
 */
gboolean
prism_cpu_tuned_save (const PrismCpuTuned *self,
                      const PrismBackendSpec *spec,
                      guint n_threads,
                      GError **error)
{
  g_autofree char *path = dup_path (spec, n_threads);

  return prism_record_save (fields, self, path, error);
}

/**
 * prism_cpu_tuned_forget:
 * @spec: of a run
 * @n_threads: all that there are
 *
 * Has the next run of this shape find out again.
 *
 * Returns: whether nothing is kept
 */
gboolean
prism_cpu_tuned_forget (const PrismBackendSpec *spec, guint n_threads)
{
  g_autofree char *path = dup_path (spec, n_threads);

  return g_unlink (path) == 0 || !g_file_test (path, G_FILE_TEST_EXISTS);
}
