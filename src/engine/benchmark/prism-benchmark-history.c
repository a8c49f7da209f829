#include "config.h"

#include "benchmark/prism-benchmark-history.h"

#include "base/prism-clock.h"
#include "base/prism-directory.h"
#include "base/prism-file.h"
#include "benchmark/prism-benchmark-file.h"

#include <glib/gstdio.h>
#include <string.h>

#define MOST 100u /* the oldest give way */

static char *
dup_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "prism-studio", "benchmarks", NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return -strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names are times: the newest comes first. */
static GPtrArray *
list_names (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    if (name[0] != '.' && g_str_has_suffix (name, ".json"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static void
drop_oldest (const char *folder)
{
  g_autoptr (GPtrArray) names = list_names (folder);

  for (guint i = MOST; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);

      g_unlink (path);
    }
}

/**
 * prism_benchmark_history_add:
 * @benchmark: one that is over
 * @error: return location
 *
 * Keeps it; of more than a hundred the oldest is dropped.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_benchmark_history_add (const PrismBenchmark *benchmark, GError **error)
{
  g_autofree char *folder = dup_folder ();
  g_autofree char *stem = g_strdelimit (g_strdup (benchmark->made), ":", '-');
  g_autofree char *name = g_strdup_printf ("%s.json", stem);
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (!prism_directory_check (folder, error) || !prism_benchmark_save (benchmark, path, error))
    return FALSE;
  drop_oldest (folder);
  return TRUE;
}

/**
 * prism_benchmark_history_load:
 * @problems: (out) (optional) (transfer full): sentences, each of a file that is damaged or no
 *   benchmark
 *
 * Files that are no benchmarks, or damaged, are passed over.
 *
 * Returns: (transfer full) (element-type PrismBenchmark): the newest first
 */
GPtrArray *
prism_benchmark_history_load (GPtrArray **problems)
{
  GPtrArray *benchmarks = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_benchmark_unref);
  g_autofree char *folder = dup_folder ();
  g_autoptr (GPtrArray) names = list_names (folder);

  if (problems != NULL)
    *problems = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < names->len && i < MOST; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      g_autoptr (GError) error = NULL;
      PrismBenchmark *benchmark = prism_benchmark_load (path, &error);

      if (benchmark != NULL)
        g_ptr_array_add (benchmarks, benchmark);
      else if (problems != NULL)
        g_ptr_array_add (*problems, g_strdup_printf ("%s: %s", path, error->message));
    }
  return benchmarks;
}
