#include "config.h"

#include "base/prism-each.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "lesson/prism-lesson-answer.h"
#include "model/prism-object.h"

static PrismExit
list (gboolean as_json,
      GError **error)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();

  prism_json_add (json, "[");
  for (guint i = 0; i < prism_lesson_list_get_n (); i++)
    {
      const char *id = prism_lesson_list_get_id (i);
      g_autoptr (PrismLesson) lesson = prism_lesson_list_read (id, error);

      if (lesson == NULL)
        return PRISM_EXIT_FAILED;
      if (!as_json)
        printf ("%-10s %s: %s\n", id, lesson->title, lesson->summary);
      prism_json_add (json, "{id: %s, title: %s, summary: %s}", id, lesson->title, lesson->summary);
    }
  prism_json_add (json, "]");
  if (as_json)
    prism_cli_print_json (json);
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

/* What is wrong: a line on the standard error, or a text of JSON. */
static void G_GNUC_PRINTF (2, 3)
    complain (JsonBuilder *json,
              const char *format,
              ...)
{
  g_autofree char *text = NULL;
  va_list arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (json != NULL)
    prism_json_add (json, "%s", text);
  else
    prism_cli_warn ("%s", text);
}

/* Whether everything came out as the step says. */
static gboolean
hold_against (const char *name,
              const PrismLessonStep *step,
              const PrismLessonResult *result,
              JsonBuilder *json)
{
  gboolean good = TRUE;

  PRISM_FOR_EACH (const PrismLessonExpectation, expectation, step->expectations)
    {
      const PrismLessonMeasure measure = expectation->measure;
      const double value = measure != PRISM_LESSON_NOTHING ? result->values[measure] : NAN;

      if (measure == PRISM_LESSON_NOTHING ? result->verdict == expectation->verdict
                                          : value >= expectation->low && value <= expectation->high)
        continue;
      good = FALSE;
      if (measure == PRISM_LESSON_NOTHING)
        complain (json, "%s, line %u: expected is verdict “%s”, but the run has %s.", name,
                  expectation->line, prism_verdict_get_key (expectation->verdict),
                  prism_verdict_get_key (result->verdict));
      else
        {
          g_autofree char *low = prism_lesson_measure_dup_text (measure, expectation->low);
          g_autofree char *high = prism_lesson_measure_dup_text (measure, expectation->high);
          g_autofree char *found = prism_lesson_measure_dup_text (measure, value);

          complain (json, "%s, line %u: expected is %s between %s and %s, but the run has %s.",
                    name, expectation->line, prism_lesson_numbers[measure].key, low, high,
                    found);
        }
    }
  return good;
}

static void
print_run (const char *name,
           const PrismLessonStep *step,
           const PrismLessonResult *result,
           double seconds)
{
  const double *values = result->values;

  if (step->recipe != NULL)
    printf ("%s, line %u: misfit %.3f, correlation %.3f, %s, %.1f s\n", name, step->line,
            values[PRISM_LESSON_MISFIT], values[PRISM_LESSON_CORRELATION],
            prism_verdict_get_key (result->verdict), seconds);
  else
    printf ("%s, line %u: PSNR %.1f dB, SSIM %.3f, coverage %.0f %%, %s, %.1f s\n", name,
            step->line, values[PRISM_LESSON_PSNR], values[PRISM_LESSON_SSIM],
            values[PRISM_LESSON_COVERAGE], prism_verdict_get_key (result->verdict), seconds);
}

static PrismExit
run_steps (const char *name,
           const PrismLesson *lesson,
           gboolean quiet,
           JsonBuilder *json,
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
      PrismLessonStep *step = lesson->steps->pdata[i];
      g_autoptr (PrismScene) scene = prism_lesson_step_new_scene (step, error);
      g_autoptr (PrismSnapshot) snapshot = NULL;
      PrismLessonResult result;

      if (scene != NULL || step->recipe == NULL)
        snapshot = prism_cli_engine_run (engine, step->config, scene, TRUE, error);
      if (snapshot == NULL)
        return PRISM_EXIT_FAILED;
      if (prism_cli_engine_get_signal () != 0)
        return prism_cli_engine_stopped ("");
      if (snapshot->state != PRISM_STATE_FINISHED)
        {
          complain (json, "%s, line %u: the run did not end: %s", name, step->line,
                    snapshot->message != NULL ? snapshot->message : "");
          return PRISM_EXIT_FAILED;
        }
      prism_lesson_result_init (&result, snapshot, i > 0 ? &before : NULL);
      if (!quiet && json == NULL)
        print_run (name, step, &result, snapshot->seconds);
      good &= hold_against (name, step, &result, json);
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

/* The pictures and frames that its steps are about are read, too. */
static gboolean
has_sources (const char *name,
             const PrismLesson *lesson,
             JsonBuilder *json)
{
  gboolean good = TRUE;

  PRISM_FOR_EACH_POINTER (PrismLessonStep, step, lesson->steps)
    {
      g_autoptr (GError) missing = NULL;
      g_autoptr (PrismScene) scene = prism_lesson_step_new_scene (step, &missing);
      g_autoptr (PrismImage) object
          = step->recipe == NULL ? prism_object_load (step->config, &missing) : NULL;

      if (missing == NULL)
        continue;
      complain (json, "%s, line %u: %s", name, step->line, missing->message);
      good = FALSE;
    }
  return good;
}

static PrismExit
check (const char *path,
       gboolean run,
       gboolean quiet,
       JsonBuilder *json,
       GError **error)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (PrismLesson) lesson = load (path, mistakes, error);
  PrismExit code = PRISM_EXIT_OK;

  if (*error != NULL)
    return PRISM_EXIT_FAILED;
  if (json != NULL)
    prism_json_add (json, "{file: %s, steps: %u, problems: [", name,
                    lesson != NULL ? lesson->steps->len : 0);
  PRISM_FOR_EACH_POINTER (const char, mistake, mistakes)
    complain (json, "%s", mistake);
  if (lesson == NULL || !has_sources (name, lesson, json))
    code = PRISM_EXIT_USAGE;
  else if (!quiet && json == NULL)
    printf ("%s: a lesson of %u step%s, no mistakes.\n", name, lesson->steps->len,
            lesson->steps->len == 1 ? "" : "s");
  if (run && code == PRISM_EXIT_OK)
    code = run_steps (name, lesson, quiet, json, error);
  if (json != NULL)
    prism_json_add (json, "]}");
  return code;
}

static PrismExit
check_all (int n,
           char **paths,
           gboolean run,
           gboolean quiet,
           gboolean as_json,
           GError **error)
{
  g_autoptr (JsonBuilder) json = as_json ? json_builder_new () : NULL;
  PrismExit worst = PRISM_EXIT_OK;

  if (json != NULL)
    prism_json_add (json, "[");
  for (int i = 0; i < n && *error == NULL; i++)
    {
      PrismExit code = check (paths[i], run, quiet, json, error);

      worst = worst == PRISM_EXIT_OK ? code : worst;
    }
  if (json != NULL && *error == NULL)
    {
      prism_json_add (json, "]");
      prism_cli_print_json (json);
    }
  return worst == PRISM_EXIT_OK ? prism_cli_finish_output () : worst;
}

#define MOST_TABLE (64 << 20) /* bytes */
#define COLUMNS "name,lesson,step,question,prediction,result,foreseen,"
enum
{
  CELL_NAME,
  CELL_LESSON,
  CELL_STEP,
  CELL_QUESTION,
  CELL_PREDICTION,
  CELL_RESULT,
  CELL_FORESEEN,
  CELL_PSNR,
  N_CELLS
};

/* What a class answered to a question: who answered it again was asked before, and after. */
typedef struct
{
  char **cells;      /* [N_CELLS] of its first row */
  GHashTable *names; /* of those who have answered: a set of char * */
  GPtrArray *before; /* of char *: predictions */
  GPtrArray *after;
  guint n_before; /* foreseen */
  guint n_after;
} Question;

PRISM_FREE (Question,
            question_free,
            g_strfreev,
            cells,
            g_hash_table_unref,
            names,
            g_ptr_array_unref,
            before,
            g_ptr_array_unref,
            after)

/* A row of a table as RFC 4180 has it; moves behind it. */
static GStrv
read_row (const char **at)
{
  g_autoptr (GStrvBuilder) row = g_strv_builder_new ();
  g_autoptr (GString) cell = g_string_new (NULL);
  gboolean quoted = FALSE;
  const char *p = *at;

  for (; *p != '\0' && (quoted || *p != '\n'); p++)
    if (*p == '"' && quoted && p[1] == '"')
      g_string_append_c (cell, *p++);
    else if (*p == '"')
      quoted = !quoted;
    else if (*p == ',' && !quoted)
      {
        g_strv_builder_add (row, cell->str);
        g_string_truncate (cell, 0);
      }
    else if (*p != '\r' || quoted)
      g_string_append_c (cell, *p);
  g_strv_builder_add (row, cell->str);
  *at = *p == '\n' ? p + 1 : p;
  return g_strv_builder_end (row);
}

static void
count (GPtrArray *questions,
       char **cells)
{
  const gboolean right = strcmp (cells[CELL_FORESEEN], "1") == 0;
  Question *self = NULL;

  for (guint i = 0; i < questions->len && self == NULL; i++)
    {
      Question *other = questions->pdata[i];

      if (strcmp (other->cells[CELL_LESSON], cells[CELL_LESSON]) == 0
          && strcmp (other->cells[CELL_STEP], cells[CELL_STEP]) == 0)
        self = other;
    }
  if (self == NULL)
    {
      self = g_new0 (Question, 1);
      self->cells = g_strdupv (cells);
      self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      self->before = g_ptr_array_new_with_free_func (g_free);
      self->after = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_add (questions, self);
    }
  if (cells[CELL_NAME][0] != '\0'
      && !g_hash_table_add (self->names, g_strdup (cells[CELL_NAME])))
    {
      g_ptr_array_add (self->after, g_strdup (cells[CELL_PREDICTION]));
      self->n_after += right;
      return;
    }
  g_ptr_array_add (self->before, g_strdup (cells[CELL_PREDICTION]));
  self->n_before += right;
}

/* Tables of a class may stand below each other in one file, each with its first line. */
static gboolean
read_answers (const char *path,
              GPtrArray *questions,
              GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MOST_TABLE, error);
  g_autofree char *text = NULL;
  const char *at;

  if (bytes == NULL)
    return FALSE;
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  at = g_str_has_prefix (text, "\357\273\277") ? text + 3 : text;
  if (!g_str_has_prefix (at, COLUMNS) || !g_utf8_validate (text, -1, NULL))
    return prism_error_format (error,
                               "“%s” has no answers to a lesson: its first line is not “%s…”. Save"
                               " them at the end of a lesson.",
                               path, COLUMNS);
  for (guint number = 1; *at != '\0'; number++)
    {
      const gboolean is_head = g_str_has_prefix (at, COLUMNS);
      g_auto (GStrv) cells = read_row (&at);
      const guint n = g_strv_length (cells);

      if (is_head || (n == 1 && cells[0][0] == '\0'))
        continue;
      if (n != N_CELLS)
        return prism_error_format (error,
                                   "“%s”, row %u has %u cells: answers to a lesson have %d.", path,
                                   number, n, N_CELLS);
      count (questions, cells);
    }
  return TRUE;
}

static int
compare_texts (gconstpointer a,
               gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* How many gave each answer, as lines or as an object of JSON. */
static void
tell_answers (const char *when,
              GPtrArray *answers,
              guint n_right,
              JsonBuilder *json)
{
  if (json != NULL)
    prism_json_add (json, "%s: {answers: %u, foreseen: %u, predictions: {", when, answers->len,
                    n_right);
  else if (answers->len > 0)
    printf ("  %-6s %u of %u foreseen\n", when, n_right, answers->len);
  g_ptr_array_sort (answers, compare_texts);
  for (guint i = 0, n; i < answers->len; i += n)
    {
      const char *text = answers->pdata[i];

      for (n = 1; i + n < answers->len && strcmp (answers->pdata[i + n], text) == 0;)
        n++;
      if (json != NULL)
        prism_json_add (json, "%s: %u", text, n);
      else
        prism_cli_print_line (stdout, "  %6u %s", n, text);
    }
  if (json != NULL)
    prism_json_add (json, "}}");
}

/* What a class believed before the runs, and who answered again, after. */
static PrismExit
report (int n,
        char **paths,
        gboolean as_json,
        GError **error)
{
  g_autoptr (GPtrArray) questions = g_ptr_array_new_with_free_func (question_free);
  g_autoptr (JsonBuilder) json = as_json ? json_builder_new () : NULL;

  for (int i = 0; i < n; i++)
    if (!read_answers (paths[i], questions, error))
      return PRISM_EXIT_FAILED;
  if (json != NULL)
    prism_json_add (json, "[");
  PRISM_FOR_EACH_POINTER (const Question, one, questions)
    {
      char **cells = one->cells;

      if (json != NULL)
        prism_json_add (json, "{lesson: %s, step: %s, question: %s, result: %s",
                        cells[CELL_LESSON], cells[CELL_STEP], cells[CELL_QUESTION],
                        cells[CELL_RESULT]);
      else
        {
          prism_cli_print_line (stdout, "%s, step %s: %s", cells[CELL_LESSON], cells[CELL_STEP],
                                cells[CELL_QUESTION]);
          prism_cli_print_line (stdout, "  came out: %s", cells[CELL_RESULT]);
        }
      tell_answers ("before", one->before, one->n_before, json);
      tell_answers ("after", one->after, one->n_after, json);
      if (json != NULL)
        prism_json_add (json, "}");
    }
  if (json != NULL)
    {
      prism_json_add (json, "]");
      prism_cli_print_json (json);
    }
  return prism_cli_finish_output ();
}

/**
 * prism_cli_lesson:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli lesson: checks the files of lessons, shows those of the program, and reports what a
 * class answered.
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
  gboolean json = FALSE;
  const PrismCliOption entries[] = {
    { "run", 'r', PRISM_CLI_SWITCH, &run,
      "Run every step and hold what comes out against what is expected" },
    { "quiet", 'q', PRISM_CLI_SWITCH, &quiet, "Print mistakes alone" },
    { "json", 0, PRISM_CLI_SWITCH, &json, "Print the list, what is found, or the report, as JSON" },
    { NULL },
  };

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (argc == 2 && strcmp (argv[1], "list") == 0)
    return list (json, error);
  if (argc == 3 && strcmp (argv[1], "show") == 0)
    return show (argv[2], error);
  if (argc >= 3 && strcmp (argv[1], "check") == 0)
    return check_all (argc - 2, argv + 2, run, quiet, json, error);
  if (argc >= 3 && strcmp (argv[1], "report") == 0)
    return report (argc - 2, argv + 2, json, error);
  prism_error_config (error, "What to do is “check” with files, “show” with a name, “report” with"
                             " answers, or “list”: see “%s --help”.",
                      g_get_prgname ());
  return PRISM_EXIT_FAILED;
}
