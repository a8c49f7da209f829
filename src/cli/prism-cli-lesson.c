#include "config.h"

#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include "base/prism-error.h"
#include "lesson/prism-lesson-answer.h"

#include <stdio.h>
#include <string.h>

static PrismExit
list (GError **error)
{
  for (guint i = 0; i < prism_lesson_list_get_n (); i++)
    {
      const char *id = prism_lesson_list_get_id (i);
      g_autoptr (PrismLesson) lesson = prism_lesson_list_read (id, error);

      if (lesson == NULL)
        return PRISM_EXIT_FAILED;
      printf ("%-10s %s: %s\n", id, lesson->title, lesson->summary);
    }
  return PRISM_EXIT_OK;
}

static PrismExit
show (const char *id,
      GError **error)
{
  g_autoptr (GBytes) bytes = prism_lesson_list_load (id, error);
  gsize length;
  const char *text;

  if (bytes == NULL)
    return PRISM_EXIT_FAILED;
  text = g_bytes_get_data (bytes, &length);
  fwrite (text, 1, length, stdout);
  return PRISM_EXIT_OK;
}

static char *
dup_expected (const PrismLessonExpectation *expectation)
{
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;

  if (expectation->measure == PRISM_LESSON_NOTHING)
    return g_strdup_printf ("verdict “%s”", prism_verdict_get_key (expectation->verdict));
  low = prism_lesson_measure_dup_text (expectation->measure, expectation->low);
  high = prism_lesson_measure_dup_text (expectation->measure, expectation->high);
  return g_strdup_printf ("%s between %s and %s",
                          prism_lesson_measure_get_key (expectation->measure), low, high);
}

static char *
dup_found (const PrismLessonExpectation *expectation,
           const PrismLessonResult *result)
{
  if (expectation->measure == PRISM_LESSON_NOTHING)
    return g_strdup (prism_verdict_get_key (result->verdict));
  return prism_lesson_measure_dup_text (expectation->measure, result->values[expectation->measure]);
}

/* Whether everything came out as the step says. */
static gboolean
hold_against (const char *name,
              const PrismLessonStep *step,
              const PrismLessonResult *result)
{
  gboolean good = TRUE;

  for (guint i = 0; i < step->expectations->len; i++)
    {
      const PrismLessonExpectation *expectation
          = &g_array_index (step->expectations, PrismLessonExpectation, i);
      g_autofree char *expected = dup_expected (expectation);
      g_autofree char *found = dup_found (expectation, result);

      if (prism_lesson_is_met (expectation, result))
        continue;
      prism_cli_warn ("%s, line %u: expected is %s, but the run has %s.",
                      name, expectation->line, expected, found);
      good = FALSE;
    }
  return good;
}

static PrismExit
run_steps (const char *name,
           const PrismLesson *lesson,
           gboolean quiet,
           GError **error)
{
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, error);
  PrismLessonResult before;
  gboolean good = TRUE;

  if (engine == NULL)
    return PRISM_EXIT_FAILED;
  prism_cli_engine_catch_signals ();
  for (guint i = 0; i < lesson->steps->len; i++)
    {
      const PrismLessonStep *step = prism_lesson_get_step (lesson, i);
      g_autoptr (PrismSnapshot) snapshot
          = prism_cli_engine_run (engine, step->config, NULL, TRUE, error);
      PrismLessonResult result;

      if (snapshot == NULL)
        return PRISM_EXIT_FAILED;
      if (prism_cli_engine_get_signal () != 0)
        return prism_cli_engine_stopped ("");
      if (snapshot->state != PRISM_STATE_FINISHED)
        {
          prism_cli_warn ("%s, line %u: the run did not end: %s", name,
                          step->line, snapshot->message != NULL ? snapshot->message : "");
          return PRISM_EXIT_FAILED;
        }
      prism_lesson_result_init (&result, snapshot, i > 0 ? &before : NULL);
      if (!quiet)
        printf ("%s, line %u: PSNR %.1f dB, SSIM %.3f, coverage %.0f %%, %s, %.1f s\n", name,
                step->line, result.values[PRISM_LESSON_PSNR], result.values[PRISM_LESSON_SSIM],
                result.values[PRISM_LESSON_COVERAGE], prism_verdict_get_key (result.verdict),
                snapshot->seconds);
      good &= hold_against (name, step, &result);
      before = result;
    }
  return good ? PRISM_EXIT_OK : PRISM_EXIT_FAILED;
}

/* A file, or a lesson of the program by its name. */
static PrismLesson *
load (const char *path,
      GPtrArray *mistakes,
      GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  const char *text;
  gsize length;

  if (g_str_has_suffix (path, PRISM_LESSON_SUFFIX) || strchr (path, '/') != NULL)
    return prism_lesson_load (path, mistakes, error);
  bytes = prism_lesson_list_load (path, error);
  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return prism_lesson_load_text (text, length, path, mistakes);
}

static PrismExit
check (const char *path,
       gboolean run,
       gboolean quiet,
       GError **error)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (PrismLesson) lesson = load (path, mistakes, error);

  if (*error != NULL)
    return PRISM_EXIT_FAILED;
  for (guint i = 0; i < mistakes->len; i++)
    prism_cli_warn ("%s", (const char *) mistakes->pdata[i]);
  if (lesson == NULL)
    return PRISM_EXIT_USAGE;
  if (!quiet)
    printf ("%s: a lesson of %u steps, no mistakes.\n", name, lesson->steps->len);
  return run ? run_steps (name, lesson, quiet, error) : PRISM_EXIT_OK;
}

static PrismExit
check_all (int n,
           char **paths,
           gboolean run,
           gboolean quiet,
           GError **error)
{
  PrismExit worst = PRISM_EXIT_OK;

  for (int i = 0; i < n; i++)
    {
      PrismExit code = check (paths[i], run, quiet, error);

      worst = worst == PRISM_EXIT_OK ? code : worst;
    }
  return worst == PRISM_EXIT_OK ? prism_cli_finish_output () : worst;
}

/**
 * prism_cli_lesson:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli lesson: checks the files of lessons, or shows those of the program.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_lesson (int argc,
                  char **argv,
                  GError **error)
{
  gboolean run = FALSE;
  gboolean quiet = FALSE;
  const GOptionEntry entries[] = {
    PRISM_CLI_SWITCH ("run", 'r', &run,
                      "Run every step and hold what comes out against what is expected"),
    PRISM_CLI_SWITCH ("quiet", 'q', &quiet, "Print mistakes alone"),
    { NULL },
  };

  if (!prism_cli_parse ("lesson", entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (argc == 2 && strcmp (argv[1], "list") == 0)
    return list (error);
  if (argc == 3 && strcmp (argv[1], "show") == 0)
    return show (argv[2], error);
  if (argc >= 3 && strcmp (argv[1], "check") == 0)
    return check_all (argc - 2, argv + 2, run, quiet, error);
  prism_error_config (
      error, "What to do is “check” with files, “show” with a name, or “list”: see “%s --help”.",
      g_get_prgname ());
  return PRISM_EXIT_FAILED;
}
