#include "config.h"

#include "batch/prism-batch.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"

#define SCRIPT_NAME "job.sh"
#define BYTES_PER_MIB (1 << 20)

/* Whether one of the items of a task has no result yet. */
static gboolean
is_missing (const PrismBatchRuns *runs,
            guint task)
{
  for (guint i = task; i < runs->need.n_items; i += PRISM_BATCH_MAX_TASKS)
    if (!runs->is_finished (i, runs->data))
      return TRUE;
  return FALSE;
}

/* The tasks that have something to do, as Slurm writes lists: "0-4,7,9-11". */
static char *
dup_missing (const PrismBatchRuns *runs)
{
  g_autoptr (GString) list = g_string_new (NULL);
  const guint n_tasks = MIN (runs->need.n_items, PRISM_BATCH_MAX_TASKS);

  for (guint i = 0; i < n_tasks; i++)
    {
      guint last = i;

      if (!is_missing (runs, i))
        continue;
      while (last + 1 < n_tasks && is_missing (runs, last + 1))
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
  return prism_error_config (
      error,
      "%s “%s” has a control character, which a script for Slurm cannot hold. Choose"
      " another with %s.",
      what, shown, option);
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

/* The commands of a task. Each item is a run that replaces its own files, so that it may be
 * submitted again; only a run file must not be there. */
static void
append_task (GString *script,
             const PrismBatchRuns *runs,
             const char *quoted_directory,
             const char *quoted_program)
{
  const char *run = "run --quiet %s%s--config \"$item.prism\" --output \"$item\" \\\n"
                    "%s  --set threads=\"${SLURM_CPUS_PER_TASK:-1}\"\n";
  const char *remove = runs->keeps_runs ? "rm -f -- \"$item.prismrun\" && " : "";
  const char *save = runs->keeps_runs ? "--save \"$item.prismrun\" " : "";
  g_autoptr (GString) arguments = g_string_new (NULL);

  PRISM_FOR_EACH_STRING (i, runs->arguments)
    {
      g_autofree char *quoted = g_shell_quote (*i);

      g_string_append_printf (arguments, "%s ", quoted);
    }
  if (runs->need.n_items <= PRISM_BATCH_MAX_TASKS)
    {
      g_string_append_printf (script,
                              "item=%s/$(printf '%s' \"$SLURM_ARRAY_TASK_ID\")\n%sexec %s ",
                              quoted_directory, runs->stem, remove, quoted_program);
      g_string_append_printf (script, run, arguments->str, save, "");
      return;
    }
  g_string_append_printf (script,
                          "for ((i = SLURM_ARRAY_TASK_ID; i < %u; i += %d)); do\n"
                          "  item=%s/$(printf '%s' \"$i\")\n"
                          "  grep -qs '\"state\" : \"finished\"' \"$item/summary.json\" &&"
                          " continue\n"
                          "  %s%s ",
                          runs->need.n_items, PRISM_BATCH_MAX_TASKS, quoted_directory, runs->stem,
                          remove, quoted_program);
  g_string_append_printf (script, run, arguments->str, save, "  ");
  g_string_append (script, "done\n");
}

/* Writes an array of jobs, one for each run without a result, with the memory that it needs. Paths
 * are absolute and relative ones of the configuration mean the present directory. Neither the
 * directory nor the options may have control characters. Returns the script; NULL when every run
 * has its result. */
static char *
dup_script (const PrismBatchRuns *runs,
            guint n_jobs,
            const char *const *options)
{
  g_autoptr (GString) script = g_string_new ("#!/bin/bash\n");
  g_autofree char *missing = dup_missing (runs);
  g_autofree char *absolute = g_canonicalize_filename (runs->directory, NULL);
  g_autofree char *log = dup_option_path (absolute);
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *quoted_directory = g_shell_quote (absolute);
  g_autofree char *quoted_program = g_shell_quote (runs->program);
  g_autofree char *quoted_here = g_shell_quote (here);

  if (*missing == '\0')
    return NULL;
  g_string_append_printf (script,
                          "# Written by “prism-cli %s --slurm”; start it with: sbatch job.sh\n"
                          "#SBATCH --job-name=prism-%s\n#SBATCH --array=%s",
                          runs->command, runs->command, missing);
  if (n_jobs > 0)
    g_string_append_printf (script, "%%%u", n_jobs);
  g_string_append_printf (script, "\n#SBATCH --ntasks=1\n#SBATCH --mem=%" G_GUINT64_FORMAT "M\n",
                          runs->need.host / BYTES_PER_MIB + 1);
  g_string_append_printf (script, "#SBATCH --output=%s\n", log);
  for (; options != NULL && *options != NULL; options++)
    {
      const char *value = strchr (*options, '=');
      g_autofree char *quoted = value != NULL ? g_shell_quote (value + 1) : NULL;

      /* sbatch takes a value apart at blanks, as a shell does. */
      if (value == NULL || strpbrk (value, " #\\") == NULL || strpbrk (value, "'\"") != NULL)
        g_string_append_printf (script, "#SBATCH %s\n", *options);
      else
        g_string_append_printf (script, "#SBATCH %.*s=%s\n", (int) (value - *options), *options,
                                quoted);
    }
  g_string_append_printf (script, "set -u\ncd -- %s\n", quoted_here);
  append_task (script, runs, quoted_directory, quoted_program);
  return g_string_free (g_steal_pointer (&script), FALSE);
}

/**
 * prism_batch_save_script:
 * @runs: what to run
 * @n_jobs: at a time; 0: as many as Slurm likes
 * @options: (nullable): more options of sbatch, "--partition=gpu"
 *
 * Writes a script that starts them as an array of jobs into the directory.
 *
 * Errors: PRISM_ERROR_CONFIG when the directory or an option has a control character,
 * PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): path of the script; NULL without an error when every run
 * has its result
 */
char *
prism_batch_save_script (const PrismBatchRuns *runs,
                         guint n_jobs,
                         const char *const *options,
                         GError **error)
{
  g_autofree char *path = prism_file_dup_place (runs->directory, SCRIPT_NAME);
  g_autofree char *script = NULL;

  if (!check_script (runs->directory, options, error))
    return NULL;
  script = dup_script (runs, n_jobs, options);
  if (script == NULL || !prism_file_check_place (path, error)
      || !prism_file_save (path, script, strlen (script), error))
    return NULL;
  return g_steal_pointer (&path);
}
