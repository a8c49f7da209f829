#include "config.h"

#include "results/prism-sweep-slurm.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-printable.h"
#include "results/prism-sweep-table.h"

#include <string.h>

#define SCRIPT_NAME "job.sh"
#define BYTES_PER_MIB (1 << 20)

/* The points that have no result yet, as Slurm writes lists: "0-4,7,9-11". */
static char *
dup_missing (PrismSweep *sweep,
             const char *directory)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < sweep->n_points; i++)
    {
      guint last = i;

      if (prism_sweep_table_is_finished (directory, i))
        continue;
      while (last + 1 < sweep->n_points && !prism_sweep_table_is_finished (directory, last + 1))
        last++;
      g_string_append_printf (list, "%s%u", list->len > 0 ? "," : "", i);
      if (last > i)
        g_string_append_printf (list, "-%u", last);
      i = last;
    }
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/* A path as the value of an option of sbatch, which reads quotes and gives % a meaning. */
static char *
dup_option_path (const char *path)
{
  g_autoptr (GString) option = g_string_new ("\"");

  for (; *path != '\0'; path++)
    {
      if (*path == '"' || *path == '\\')
        g_string_append_c (option, '\\');
      g_string_append_c (option, *path);
      if (*path == '%')
        g_string_append_c (option, '%');
    }
  return g_strconcat (option->str, "/job-%a.log\"", NULL);
}

/* A line of options ends where the line ends: what follows would be run. */
static gboolean
check_line (const char *text,
            const char *what,
            const char *option,
            GError **error)
{
  g_autofree char *shown = NULL;

  if (prism_printable_is (text))
    return TRUE;
  shown = prism_printable_dup (text);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "%s “%s” has a control character, which a script for Slurm cannot hold. Choose"
               " another with %s.",
               what, shown, option);
  return FALSE;
}

static gboolean
check_script (const char *directory,
              const char *const *options,
              GError **error)
{
  g_autofree char *absolute = g_canonicalize_filename (directory, NULL);

  for (; options != NULL && *options != NULL; options++)
    if (!check_line (*options, "The option", "--slurm-option", error))
      return FALSE;
  return check_line (absolute, "The directory", "--output", error);
}

/**
 * prism_sweep_slurm_dup_script:
 * @sweep: a sweep
 * @directory: where prism_sweep_save() has written it
 * @program: path of prism-cli on the nodes
 * @n_jobs: how many jobs at a time; 0 = as many as Slurm likes
 * @options: (nullable): more options of sbatch, "--partition=gpu"
 *
 * Writes an array of jobs, one for each point without a result, with the memory that a run needs.
 * Paths are absolute and relative ones of the configuration mean the present directory. Neither the
 * directory nor the options may have control characters.
 *
 * Returns: (transfer full) (nullable): the script; NULL when every point has its result
 */
char *
prism_sweep_slurm_dup_script (PrismSweep *sweep,
                              const char *directory,
                              const char *program,
                              guint n_jobs,
                              const char *const *options)
{
  g_autoptr (GString) script = g_string_new ("#!/bin/bash\n");
  g_autofree char *missing = dup_missing (sweep, directory);
  g_autofree char *absolute = g_canonicalize_filename (directory, NULL);
  g_autofree char *log = dup_option_path (absolute);
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *quoted_directory = g_shell_quote (absolute);
  g_autofree char *quoted_program = g_shell_quote (program);
  g_autofree char *quoted_here = g_shell_quote (here);
  guint64 bytes = prism_sweep_get_required_bytes (sweep);

  if (*missing == '\0')
    return NULL;
  g_string_append (script, "# Written by “prism-cli sweep --slurm”; start it with: sbatch job.sh\n"
                           "#SBATCH --job-name=prism-sweep\n");
  g_string_append_printf (script, "#SBATCH --array=%s", missing);
  if (n_jobs > 0)
    g_string_append_printf (script, "%%%u", n_jobs);
  g_string_append_printf (script, "\n#SBATCH --ntasks=1\n#SBATCH --mem=%" G_GUINT64_FORMAT "M\n",
                          bytes / BYTES_PER_MIB + 1);
  g_string_append_printf (script, "#SBATCH --output=%s\n", log);
  for (; options != NULL && *options != NULL; options++)
    g_string_append_printf (script, "#SBATCH %s\n", *options);
  g_string_append_printf (script,
                          "set -u\n"
                          "cd -- %s\n"
                          "point=%s/$(printf 'point-%%04d' \"$SLURM_ARRAY_TASK_ID\")\n"
                          "exec %s run --quiet --config \"$point.prism\" --output \"$point\" \\\n"
                          "  --set threads=\"${SLURM_CPUS_PER_TASK:-1}\"\n",
                          quoted_here, quoted_directory, quoted_program);
  return g_string_free (g_steal_pointer (&script), FALSE);
}

/**
 * prism_sweep_slurm_save_script:
 * @sweep: a sweep
 * @directory: where prism_sweep_save() has written it
 * @program: path of prism-cli on the nodes
 * @n_jobs: how many jobs at a time; 0 = as many as Slurm likes
 * @options: (nullable): more options of sbatch
 *
 * Writes prism_sweep_slurm_dup_script() into the directory of the sweep.
 *
 * Errors: PRISM_ERROR_CONFIG when the directory or an option has a control character,
 * PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): path of the script; NULL without an error when every point
 * has its result
 */
char *
prism_sweep_slurm_save_script (PrismSweep *sweep,
                               const char *directory,
                               const char *program,
                               guint n_jobs,
                               const char *const *options,
                               GError **error)
{
  g_autofree char *path = prism_file_dup_place (directory, SCRIPT_NAME);
  g_autofree char *script = NULL;

  if (!check_script (directory, options, error))
    return NULL;
  script = prism_sweep_slurm_dup_script (sweep, directory, program, n_jobs, options);
  if (script == NULL || !prism_file_check_place (path, error)
      || !prism_file_save (path, script, strlen (script), error))
    return NULL;
  return g_steal_pointer (&path);
}
