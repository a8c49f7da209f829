#include "config.h"

#include "lesson/prism-lesson.h"

#include "base/prism-each.h"
#include "base/prism-file.h"
#include "lesson/prism-lesson-text.h"
#include "model/prism-config-check.h"

#define MOST_BYTES (256 * 1024)
#define MOST_STEPS 50

/* A file that is being read. */
typedef struct
{
  const char *name;
  const char *folder; /* (nullable): of the file, for what it names */
  GPtrArray *mistakes;
  PrismLesson *lesson;
  PrismConfig *common; /* settings of all steps */
  gboolean recorded;   /* they explain recorded frames */
  PrismLessonStep *step;
} Reading;

typedef struct
{
  const char *group;
  const char *key;
  gboolean several; /* may stand more than once */
} Known;

static const Known known[] = {
  { "lesson", "title" },
  { "lesson", "summary" },
  { "lesson", "minutes" },
  { "lesson", "frames" },
  { "step", "title" },
  { "step", "text" },
  { "step", "question" },
  { "step", "why" },
  { "step", "kind" },
  { "step", "choice", TRUE },
  { "step", "right" },
  { "step", "measure" },
  { "step", "bounds" },
  { "step", "range" },
  { "step", "picture" },
  { "step", "region" },
  { "step", "expect", TRUE },
  { "step", "reading", TRUE },
  { "step", "swapped" },
  { "step", "dark" },
};

static const char *const kinds[] = { "choice", "number", "draw" };
static const char *const pictures[]
    = { "reconstruction", "target", "measurement", "covered", "lights" };

static void G_GNUC_PRINTF (3, 4)
    tell (const Reading *self,
          guint line,
          const char *format,
          ...)
{
  g_autofree char *sentence = NULL;
  va_list arguments;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  prism_lesson_tell (self->mistakes, self->name, line, sentence);
}

PRISM_FREE (PrismLessonStep,
            step_free,
            g_free,
            title,
            g_free,
            text,
            g_free,
            question,
            g_free,
            why,
            g_strfreev,
            choices,
            prism_config_free,
            config,
            prism_recipe_free,
            recipe,
            g_array_unref,
            expectations)

/**
 * prism_lesson_save_new:
 * @path: where it goes
 * @config: what its steps run
 *
 * Writes a lesson of one step, whose words wait to be written.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: whether it is there
 */
gboolean
prism_lesson_save_new (const char *path,
                       const PrismConfig *config,
                       GError **error)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  g_autoptr (GString) text = g_string_new ("[lesson]\n");

  g_string_append_printf (text, "title=%s\nsummary=%s\nminutes=5\n\n[settings]\n",
                          _ ("A new lesson"), _ ("What it asks."));
  PRISM_FOR_EACH_PARAM (param)
    if (prism_config_decides (defaults, param) && prism_config_differs (config, defaults, param))
      {
        g_autofree char *value = prism_config_dup_text (config, param);

        g_string_append_printf (text, "%s=%s\n", param->key, value);
      }
  g_string_append_printf (text,
                          "\n[step]\ntitle=%s\ntext=%s\nquestion=%s\nchoice=%s\nchoice=%s\n"
                          "right=1\nwhy=%s\n",
                          _ ("The first step"), _ ("What there is to see."),
                          _ ("What will come out?"), _ ("This."), _ ("That."),
                          _ ("Why it is so."));
  return prism_file_save (path, text->str, text->len, error);
}

/**
 * prism_lesson_free:
 * @self: (nullable): a lesson
 */
PRISM_FREE_FOR_ALL (PrismLesson,
                    prism_lesson_free,
                    g_free,
                    title,
                    g_free,
                    summary,
                    g_ptr_array_unref,
                    steps)

static const PrismLessonEntry *
find_earlier (const PrismLessonGroup *group,
              guint until)
{
  const PrismLessonEntry *entry = group->entries->pdata[until];

  for (guint i = 0; i < until; i++)
    {
      const PrismLessonEntry *other = group->entries->pdata[i];

      if (strcmp (other->key, entry->key) == 0 && g_strcmp0 (other->locale, entry->locale) == 0)
        return other;
    }
  return NULL;
}

/* Keys that are unknown, or there a second time. */
static void
check_keys (Reading *self,
            const PrismLessonGroup *group)
{
  for (guint i = 0; i < group->entries->len; i++)
    {
      const PrismLessonEntry *entry = group->entries->pdata[i];
      const PrismLessonEntry *earlier = find_earlier (group, i);
      const Known *key = NULL;

      for (gsize k = 0; k < G_N_ELEMENTS (known) && key == NULL; k++)
        if (strcmp (known[k].group, group->name) == 0 && strcmp (known[k].key, entry->key) == 0)
          key = &known[k];
      if (key == NULL)
        tell (self, entry->line,
              _ ("there is no key “%s” in [%s]: the handbook's page Lessons lists them."),
              entry->key, group->name);
      else if (!key->several && earlier != NULL)
        tell (self, entry->line, _ ("the key “%s” stands in line %u already: leave one."),
              entry->key, earlier->line);
    }
}

static char *
dup_needed (Reading *self,
            const PrismLessonGroup *group,
            const char *key)
{
  const char *value = prism_lesson_group_get (group, key);

  if (*value == '\0')
    tell (self, group->line, _ ("[%s] has no “%s”: write one below this line."), group->name,
          key);
  return g_strdup (value);
}

/* Numbers with blanks between them; how many there are, or -1 where something is no number. */
static int
read_numbers (const char *text,
              double *numbers,
              int most)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t,;", -1);
  int n = 0;

  PRISM_FOR_EACH_STRING (word, words)
    {
      char *end;
      double number = g_ascii_strtod (*word, &end);

      if (**word == '\0')
        continue;
      if (*end != '\0' || !isfinite (number) || n == most)
        return -1;
      numbers[n++] = number;
    }
  return n;
}

/* One of a few words; the first where the key is not there. */
static guint
read_word (Reading *self,
           const PrismLessonGroup *group,
           const char *key,
           const char *const *words,
           guint n)
{
  const PrismLessonEntry *entry = prism_lesson_group_find (group, key);
  g_autoptr (GString) all = g_string_new (NULL);

  if (entry == NULL)
    return 0;
  for (guint i = 0; i < n; i++)
    {
      if (strcmp (words[i], entry->value) == 0)
        return i;
      g_string_append_printf (all, "%s%s", i == 0 ? "" : ", ", words[i]);
    }
  tell (self, entry->line, _ ("“%s” is no %s: write one of %s."), entry->value, key, all->str);
  return 0;
}

/* Or that there is none of that name. */
static PrismLessonMeasure
find_measure (const char *key)
{
  PrismLessonMeasure i = 0;

  while (i < PRISM_LESSON_N_MEASURES && strcmp (prism_lesson_numbers[i].key, key) != 0)
    i++;
  return i;
}

static void
read_measure (Reading *self,
              const PrismLessonGroup *group)
{
  const PrismLessonEntry *entry = prism_lesson_group_find (group, "measure");
  g_autoptr (GString) keys = g_string_new (NULL);

  self->step->measure = entry != NULL ? find_measure (entry->value) : PRISM_LESSON_NOTHING;
  if (entry == NULL || self->step->measure != PRISM_LESSON_NOTHING)
    return;
  PRISM_FOR_EACH_OF (number, prism_lesson_numbers)
    g_string_append_printf (keys, "%s%s", keys->len == 0 ? "" : ", ", number->key);
  tell (self, entry->line, _ ("“%s” cannot be measured: write one of %s."), entry->value,
        keys->str);
}

static void
read_bounds (Reading *self,
             const PrismLessonEntry *entry,
             guint n_choices)
{
  PrismLessonStep *step = self->step;
  int n = read_numbers (entry->value, step->bounds, PRISM_LESSON_MOST_CHOICES);
  gboolean rising = TRUE;

  for (int i = 1; i < n; i++)
    rising &= step->bounds[i] > step->bounds[i - 1];
  if (n + 1 != (int) n_choices || !rising)
    tell (self, entry->line,
          _ ("bounds are rising numbers, one less than choices: here %u of them."),
          n_choices > 0 ? n_choices - 1 : 0);
  else
    step->n_bounds = n;
  if (step->measure == PRISM_LESSON_NOTHING)
    tell (self, entry->line, _ ("bounds need a “measure” that lies between them."));
}

static void
read_choice (Reading *self,
             const PrismLessonGroup *group)
{
  PrismLessonStep *step = self->step;
  const PrismLessonEntry *right = prism_lesson_group_find (group, "right");
  const PrismLessonEntry *bounds = prism_lesson_group_find (group, "bounds");
  guint n = g_strv_length (step->choices);
  double number;

  if (n < 2 || n > PRISM_LESSON_MOST_CHOICES)
    tell (self, group->line, _ ("a choice has 2 to %d lines “choice=…”, this step has %u."),
          PRISM_LESSON_MOST_CHOICES, n);
  if ((right != NULL) == (bounds != NULL))
    tell (self, group->line,
          _ ("a choice has either “right”, the number of the answer, or “bounds”."));
  else if (bounds != NULL)
    read_bounds (self, bounds, n);
  else if (read_numbers (right->value, &number, 1) != 1 || number < 1 || number > n
           || number != floor (number))
    tell (self, right->line, _ ("“right” is the number of the right choice, 1 to %u."), n);
  else
    step->right = (guint) number - 1;
}

static void
read_range (Reading *self,
            const PrismLessonGroup *group)
{
  const PrismLessonEntry *entry = prism_lesson_group_find (group, "range");
  double numbers[2];

  if (self->step->measure == PRISM_LESSON_NOTHING)
    tell (self, group->line, _ ("a question for a number needs “measure”."));
  if (entry == NULL)
    tell (self, group->line, _ ("a question for a number needs “range”, its two ends."));
  else if (read_numbers (entry->value, numbers, 2) != 2 || numbers[1] <= numbers[0])
    tell (self, entry->line, _ ("“range” is two numbers, the smaller one first: 0 60."));
  else
    {
      self->step->low = numbers[0];
      self->step->high = numbers[1];
    }
}

static void
read_region (Reading *self,
             const PrismLessonGroup *group)
{
  const PrismLessonEntry *entry = prism_lesson_group_find (group, "region");
  double n[4] = { 0 };

  if (entry == NULL)
    tell (self, group->line, _ ("a question that is drawn needs “region”, the right answer."));
  else if (read_numbers (entry->value, n, 4) != 4 || n[0] < 0 || n[1] < 0 || n[2] <= 0
           || n[3] <= 0 || n[0] + n[2] > 1 || n[1] + n[3] > 1)
    tell (self, entry->line,
          _ ("“region” is left, top, width and height in parts of the picture, 0 to 1: 0.3 0.3"
             " 0.4 0.4."));
  self->step->region = (PrismLessonRegion) { n[0], n[1], n[2], n[3] };
}

/* "psnr 40 60" or "verdict explained" */
static void
read_expectation (Reading *self,
                  const PrismLessonEntry *entry)
{
  PrismLessonExpectation expectation = { PRISM_LESSON_NOTHING, 0, 0, PRISM_VERDICT_OPEN,
                                         entry->line };
  const char *blank = strchr (entry->value, ' ');
  g_autofree char *word
      = blank != NULL ? g_strndup (entry->value, blank - entry->value) : g_strdup (entry->value);
  g_autofree char *rest = g_strstrip (g_strdup (blank != NULL ? blank : ""));
  double numbers[2];

  if (strcmp (word, "verdict") == 0)
    {
      expectation.verdict = prism_verdict_find (rest);
      if (expectation.verdict == PRISM_VERDICT_OPEN)
        tell (self, entry->line,
              _ ("a verdict is “explained”, “not explained” or “ambiguous”."));
    }
  else
    {
      expectation.measure = find_measure (word);
      if (expectation.measure == PRISM_LESSON_NOTHING || read_numbers (rest, numbers, 2) != 2
          || numbers[1] < numbers[0])
        {
          tell (self, entry->line,
                _ ("“expect” is a number of the run and the two ends where it must lie: psnr 40"
                   " 60."));
          return;
        }
      expectation.low = numbers[0];
      expectation.high = numbers[1];
    }
  g_array_append_val (self->step->expectations, expectation);
}

static void
apply_setting (Reading *self,
               PrismConfig *config,
               const PrismLessonEntry *entry)
{
  const PrismParam *param = prism_config_get_param (entry->key);
  g_autoptr (GError) error = NULL;
  g_autofree char *value = g_strdup (entry->value);

  /* A picture lies beside the lesson. */
  if (param != NULL && strcmp (param->key, "object") == 0 && self->folder != NULL)
    {
      g_autofree char *path = g_canonicalize_filename (value, self->folder);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        {
          g_free (value);
          value = g_steal_pointer (&path);
        }
    }
  if (!prism_config_set_text (config, entry->key, value, &error))
    tell (self, entry->line, "%s", error->message);
}

/* Before the first step for all of them, below a step for this one. */
static void
read_settings (Reading *self,
               const PrismLessonGroup *group)
{
  PrismConfig **config = self->step != NULL ? &self->step->config : &self->common;
  const PrismLessonEntry *extends = prism_lesson_group_find (group, "extends");

  if (extends != NULL)
    {
      g_autoptr (GError) error = NULL;
      PrismConfig *base = prism_config_load_preset (NULL, extends->value, &error);

      if (base == NULL)
        tell (self, extends->line, "%s", error->message);
      else
        {
          prism_config_free (*config);
          *config = base;
        }
    }
  PRISM_FOR_EACH_POINTER (const PrismLessonEntry, entry, group->entries)
    {
      if (strcmp (entry->key, "extends") != 0)
        apply_setting (self, *config, entry);
    }
}

static void
read_frames (Reading *self,
             const PrismLessonEntry *entry)
{
  char *path = prism_lesson_dup_frames (self->folder, entry->value);

  if (path == NULL)
    {
      tell (self, entry->line,
            _ ("there are no frames “%s” beside the lesson, nor among those of the program."),
            entry->value);
      return;
    }
  self->recorded = TRUE;
  prism_config_free (self->common);
  self->common = prism_config_new_recorded ();
  g_free (self->common->object);
  self->common->object = path;
}

static void
read_head (Reading *self,
           const PrismLessonGroup *group)
{
  const PrismLessonEntry *entry = prism_lesson_group_find (group, "minutes");
  const PrismLessonEntry *frames = prism_lesson_group_find (group, "frames");
  double minutes = 5;

  if (self->lesson->title != NULL)
    {
      tell (self, group->line, _ ("the group [lesson] is here a second time: leave one."));
      return;
    }
  check_keys (self, group);
  self->lesson->title = dup_needed (self, group, "title");
  self->lesson->summary = dup_needed (self, group, "summary");
  if (frames != NULL)
    read_frames (self, frames);
  if (entry != NULL
      && (read_numbers (entry->value, &minutes, 1) != 1 || minutes < 1 || minutes > 600))
    tell (self, entry->line, _ ("“minutes” is how long the lesson takes, 1 to 600."));
  else
    self->lesson->minutes = (guint) minutes;
}

/* How the step's frames are understood, and what is wrong with them. */
static void
read_recorded (Reading *self,
               const PrismLessonGroup *group)
{
  PrismLessonStep *step = self->step;

  step->dark = -1;
  step->recipe = self->recorded ? prism_recipe_new () : NULL;
  PRISM_FOR_EACH_POINTER (const PrismLessonEntry, entry, group->entries)
    {
      const char *key = entry->key;
      const gboolean swaps = strcmp (key, "swapped") == 0, darkens = strcmp (key, "dark") == 0;
      double numbers[2] = { 0 };
      g_autoptr (GError) error = NULL;

      if (!swaps && !darkens && strcmp (key, "reading") != 0)
        continue;
      if (!self->recorded)
        tell (self, entry->line, _ ("“%s” is of recorded frames: name them in [lesson], frames=…"),
              key);
      else if (!swaps && !darkens)
        {
          g_auto (GStrv) parts = g_strsplit (entry->value, "=", 2);

          if (!prism_recipe_set (step->recipe, g_strstrip (parts[0]), parts[1], &error))
            tell (self, entry->line, "%s", error->message);
        }
      else if (read_numbers (entry->value, numbers, 2) != 1 + swaps || numbers[0] < 0
               || numbers[1] < 0)
        tell (self, entry->line, _ ("“%s” is the number of a frame, from 0, or of two."), key);
      else if (darkens)
        step->dark = (int) numbers[0];
      else
        for (int k = 0; k < 2; k++)
          step->swapped[k] = (guint) numbers[k];
    }
}

static void
read_step (Reading *self,
           const PrismLessonGroup *group)
{
  PrismLessonStep *step = g_new0 (PrismLessonStep, 1);

  self->step = step;
  g_ptr_array_add (self->lesson->steps, step);
  check_keys (self, group);
  step->line = group->line;
  step->expectations = g_array_new (FALSE, FALSE, sizeof (PrismLessonExpectation));
  step->config = prism_config_dup (self->common);
  step->title = dup_needed (self, group, "title");
  step->text = dup_needed (self, group, "text");
  step->question = dup_needed (self, group, "question");
  step->why = dup_needed (self, group, "why");
  step->choices = prism_lesson_group_dup_all (group, "choice");
  step->kind = read_word (self, group, "kind", kinds, G_N_ELEMENTS (kinds));
  step->picture = read_word (self, group, "picture", pictures, G_N_ELEMENTS (pictures));
  read_measure (self, group);
  read_recorded (self, group);
  if (step->kind == PRISM_LESSON_CHOICE)
    read_choice (self, group);
  else if (step->kind == PRISM_LESSON_NUMBER)
    read_range (self, group);
  else
    read_region (self, group);
  PRISM_FOR_EACH_POINTER (const PrismLessonEntry, entry, group->entries)
    {
      if (strcmp (entry->key, "expect") == 0)
        read_expectation (self, entry);
    }
}

/* Recorded frames have no truth, and telescopes no frame that was never used. */
static void
check_measure (Reading *self,
               const PrismLessonStep *step,
               PrismLessonMeasure measure,
               guint line)
{
  const gboolean of_frames
      = measure == PRISM_LESSON_CORRELATION || measure == PRISM_LESSON_MISFIT;

  if (measure == PRISM_LESSON_NOTHING || measure == PRISM_LESSON_COVERAGE
      || of_frames == (step->recipe != NULL))
    return;
  tell (self, line,
        of_frames ? _ ("“%s” is of recorded frames: name them in [lesson], frames=…")
                  : _ ("“%s” needs the truth, which recorded frames do not have: take misfit or"
                       " correlation."),
        prism_lesson_numbers[measure].key);
}

/* Whether a run can be made of each step. */
static void
check_steps (Reading *self)
{
  GPtrArray *steps = self->lesson->steps;

  if (self->lesson->title == NULL)
    tell (self, 1, _ ("the group [lesson] is missing: begin with its title and summary."));
  if (steps->len == 0 || steps->len > MOST_STEPS)
    tell (self, 0, _ ("a lesson has 1 to %d groups [step], this one %u."), MOST_STEPS, steps->len);
  for (guint i = 0; i < steps->len; i++)
    {
      const PrismLessonStep *step = steps->pdata[i];
      g_autoptr (GError) error = NULL;

      if (step->measure == PRISM_LESSON_GAIN && i == 0)
        tell (self, step->line, _ ("the first step has none before it: “gain” means nothing."));
      check_measure (self, step, step->measure, step->line);
      PRISM_FOR_EACH (const PrismLessonExpectation, one, step->expectations)
        {
          check_measure (self, step, one->measure, one->line);
        }
      if (!prism_config_check (step->config, &error))
        tell (self, step->line, "%s", error->message);
    }
}

static PrismLesson *
read_text (const char *text,
           gssize length,
           const char *name,
           const char *folder,
           GPtrArray *mistakes)
{
  guint before = mistakes->len;
  g_autoptr (GPtrArray) groups = prism_lesson_text_read (text, length, name, mistakes);
  g_autoptr (PrismLesson) lesson = g_new0 (PrismLesson, 1);
  g_autoptr (PrismConfig) common = prism_config_new ();
  Reading reading = { name, folder, mistakes, lesson, NULL, FALSE, NULL };

  lesson->steps = g_ptr_array_new_with_free_func (step_free);
  reading.common = g_steal_pointer (&common);
  PRISM_FOR_EACH_POINTER (const PrismLessonGroup, group, groups)
    {
      if (strcmp (group->name, "lesson") == 0)
        read_head (&reading, group);
      else if (strcmp (group->name, "settings") == 0)
        read_settings (&reading, group);
      else if (strcmp (group->name, "step") == 0)
        read_step (&reading, group);
      else
        tell (&reading, group->line,
              _ ("there is no group [%s]: take [lesson], [settings] or [step]."), group->name);
    }
  if (mistakes->len == before)
    check_steps (&reading);
  prism_config_free (reading.common);
  return mistakes->len == before ? g_steal_pointer (&lesson) : NULL;
}

/**
 * prism_lesson_load_text:
 * @text: contents of a lesson's file
 * @length: in bytes, or -1 when it ends with a zero
 * @name: what to call it in a message
 * @mistakes: (element-type utf8): gets a sentence with its line for each mistake
 *
 * Reads a lesson. Texts are in the best language of the user that the file or the program knows.
 *
 * Returns: (transfer full) (nullable): the lesson, or %NULL where there is a mistake
 */
PrismLesson *
prism_lesson_load_text (const char *text,
                        gssize length,
                        const char *name,
                        GPtrArray *mistakes)
{
  return read_text (text, length, name, NULL, mistakes);
}

/**
 * prism_lesson_load:
 * @path: a file
 * @mistakes: (element-type utf8): gets a sentence with its line for each mistake
 * @error: return location
 *
 * As prism_lesson_load_text(). Pictures that it names are looked for beside it.
 *
 * Errors: PRISM_ERROR_IO where the file cannot be read; mistakes in it are none.
 *
 * Returns: (transfer full) (nullable): the lesson
 */
PrismLesson *
prism_lesson_load (const char *path,
                   GPtrArray *mistakes,
                   GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MOST_BYTES, error);
  g_autofree char *name = g_filename_display_name (path);
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (whole);
  const char *text;
  gsize length;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return read_text (text != NULL ? text : "", length, name, folder, mistakes);
}

/**
 * prism_lesson_get_step:
 * @self: a lesson
 * @i: from 0
 *
 * Returns: (transfer none): a step
 */
const PrismLessonStep *
prism_lesson_get_step (const PrismLesson *self,
                       guint i)
{
  return g_ptr_array_index (self->steps, i);
}
