#include "lesson/prism-lesson-answer.h"
#include "prism-test.h"

#define HEAD "[lesson]\ntitle=T\nsummary=S\n[settings]\nextends=quick-look\n"
#define FRAMES "[lesson]\ntitle=T\nsummary=S\nframes=usaf-rings.npz\n"
#define STEP "[step]\ntitle=A\ntext=B\nquestion=C\nwhy=D\n"
#define CHOICE STEP "choice=one\nchoice=two\nright=2\n"

static PrismLesson *
read_good (const char *text)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  PrismLesson *lesson = prism_lesson_load_text (text, -1, "x", mistakes);

  if (mistakes->len > 0)
    g_error ("%s", (char *) mistakes->pdata[0]);
  g_assert_nonnull (lesson);
  return lesson;
}

/* Each text has one mistake in a line that is known. */
TEST (mistakes, "/engine/lesson/mistakes")
{
  static const struct
  {
    const char *text;
    guint line; /* 0: of the file as a whole */
    const char *word;
  } cases[] = {
    { "", 1, "[lesson]" },
    { "title=T\n" HEAD CHOICE, 1, "[lesson]" },
    { HEAD, 0, "[step]" },
    { HEAD CHOICE "[other]\n", 14, "[other]" },
    { HEAD CHOICE "colour=red\n", 14, "colour" },
    { HEAD CHOICE "title=again\n", 14, "title" },
    { HEAD CHOICE "no key here\n", 14, "key=value" },
    { "  blank\n" HEAD CHOICE, 1, "blank" },
    { HEAD STEP "choice=one\nright=1\n", 6, "choice" },
    { HEAD STEP "choice=one\nchoice=two\nright=3\n", 13, "right" },
    { HEAD STEP "choice=one\nchoice=two\n", 6, "right" },
    { HEAD STEP "choice=one\nchoice=two\nmeasure=psnr\nbounds=1 2\n", 14, "bounds" },
    { HEAD STEP "choice=one\nchoice=two\nbounds=1\n", 13, "measure" },
    { HEAD STEP "kind=number\nmeasure=psnr\nrange=60 0\n", 13, "range" },
    { HEAD STEP "kind=number\nrange=0 60\n", 6, "measure" },
    { HEAD STEP "kind=number\nmeasure=beauty\nrange=0 60\n", 12, "beauty" },
    { HEAD STEP "kind=number\nmeasure=gain\nrange=0 60\n", 6, "gain" },
    { HEAD STEP "kind=draw\nregion=0.5 0.5 0.6 0.1\n", 12, "region" },
    { HEAD STEP "kind=draw\n", 6, "region" },
    { HEAD STEP "kind=dance\n", 11, "dance" },
    { HEAD CHOICE "picture=selfie\n", 14, "selfie" },
    { HEAD CHOICE "expect=psnr 40\n", 14, "expect" },
    { HEAD CHOICE "expect=verdict maybe\n", 14, "verdict" },
    { HEAD CHOICE "[settings]\nsamples=0\n", 15, "samples" },
    { HEAD CHOICE "[settings]\nspeed=9\n", 15, "speed" },
    { HEAD CHOICE "[settings]\nobject_size=512\n", 6, "object" },
    { HEAD "[step]\ntitle=A\ntext=B\nwhy=D\nchoice=1\nchoice=2\nright=1\n", 6, "question" },
    { "[lesson]\ntitle=T\n" CHOICE, 1, "summary" },
    { "[lesson]\ntitle=T\nsummary=S\nframes=none.npz\n" CHOICE, 4, "none.npz" },
    { FRAMES CHOICE "swapped=3\n", 13, "swapped" },
    { FRAMES CHOICE "dark=-1\n", 13, "dark" },
    { FRAMES CHOICE "reading=colour=red\n", 13, "colour" },
    { FRAMES CHOICE "[settings]\nhold_out=-1\n", 14, "hold_out" },
    { HEAD CHOICE "dark=3\n", 14, "frames=" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (PrismLesson) lesson = prism_lesson_load_text (cases[i].text, -1, "x", mistakes);
      g_autofree char *place = cases[i].line == 0 ? g_strdup ("x: ")
                                                  : g_strdup_printf ("x, line %u: ", cases[i].line);

      g_assert_null (lesson);
      g_assert_cmpuint (mistakes->len, >=, 1);
      const char *first = mistakes->pdata[0];
      if (!g_str_has_prefix (first, place) || strstr (first, cases[i].word) == NULL)
        g_error ("case %" G_GSIZE_FORMAT ": %s", i, first);
    }
}

/* All of them are said at once. */
TEST (several, "/engine/lesson/several")
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PrismLesson) lesson = prism_lesson_load_text (
      HEAD STEP "kind=dance\ncolour=red\n[settings]\nspeed=9\n", -1, "x", mistakes);

  g_assert_null (lesson);
  g_assert_cmpuint (mistakes->len, >=, 3);
}

TEST (bytes, "/engine/lesson/bytes")
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *long_text = g_strnfill (300 * 1024, '#');

  g_assert_null (prism_lesson_load_text ("[lesson]\0x", 10, "x", mistakes));
  g_assert_null (prism_lesson_load_text ("title=\377\n", -1, "x", mistakes));
  g_assert_null (prism_lesson_load_text (long_text, -1, "x", mistakes));
  g_assert_cmpuint (mistakes->len, >=, 3);
}

/* Settings of a step lie over those of all; lines that begin with a blank go on. */
TEST (read, "/engine/lesson/read")
{
  g_autoptr (PrismLesson) lesson
      = read_good ("\357\273\277# A comment\r\n" HEAD CHOICE
                   "[settings]\nsamples=7\n" STEP
                   "kind=number\nmeasure=gain\nrange=-10 10\nexpect=gain -1 1\n"
                   "expect=verdict not explained\n[step]\ntitle=Two\n\n words\n# not this\n"
                   "  and more\ntext=B\nquestion=C\nwhy=D\nkind=draw\nregion=0 0.5 1 0.5\n");
  const PrismLessonStep *step = prism_lesson_get_step (lesson, 0);

  g_assert_cmpuint (lesson->steps->len, ==, 3);
  g_assert_cmpuint (lesson->minutes, ==, 5);
  g_assert_cmpint (step->kind, ==, PRISM_LESSON_CHOICE);
  g_assert_cmpuint (step->right, ==, 1);
  g_assert_cmpint (step->config->samples, ==, 7);
  step = prism_lesson_get_step (lesson, 1);
  g_assert_cmpint (step->config->samples, ==, 80);
  g_assert_cmpint (step->measure, ==, PRISM_LESSON_GAIN);
  g_assert_cmpuint (step->expectations->len, ==, 2);
  step = prism_lesson_get_step (lesson, 2);
  g_assert_cmpstr (step->title, ==, "Two words and more");
  g_assert_cmpfloat (step->region.height, ==, 0.5);
}

/* A teacher's own language comes before the one without a name. */
TEST (language, "/engine/lesson/language")
{
  const char *before = g_getenv ("LANGUAGE");
  g_autofree char *kept = g_strdup (before);

  g_setenv ("LANGUAGE", "de", TRUE);
  g_autoptr (PrismLesson) lesson
      = read_good (HEAD "[step]\ntitle=A\ntitle[de]=Eins\ntitle[fr]=Un\ntext=B\nquestion=C\n"
                        "why=D\nchoice=one\nchoice=two\nchoice[de]=eins\nchoice[de]=zwei\n"
                        "right=2\n");
  if (g_strv_contains (g_get_language_names (), "de"))
    {
      g_assert_cmpstr (prism_lesson_get_step (lesson, 0)->title, ==, "Eins");
      g_assert_cmpstr (prism_lesson_get_step (lesson, 0)->choices[1], ==, "zwei");
    }
  else
    g_test_skip ("the locale of the test has no languages");
  if (kept != NULL)
    g_setenv ("LANGUAGE", kept, TRUE);
  else
    g_unsetenv ("LANGUAGE");
}

/* With bounds the run decides what is right. */
TEST (judge, "/engine/lesson/judge")
{
  g_autoptr (PrismLesson) lesson
      = read_good (HEAD STEP "choice=a\nchoice=b\nchoice=c\nmeasure=psnr\nbounds=20 30\n" STEP
                             "kind=number\nmeasure=coverage\nrange=0 100\n" STEP
                             "kind=draw\nregion=0.2 0.2 0.4 0.4\n");
  PrismLessonResult result = { { 25, 0.9, 3, 60, NAN }, PRISM_VERDICT_EXPLAINED };
  PrismLessonAnswer answer = { TRUE };
  const PrismLessonStep *step = prism_lesson_get_step (lesson, 0);

  g_assert_cmpuint (prism_lesson_step_find_right (step, &result), ==, 1);
  answer.choice = 1;
  g_assert_true (prism_lesson_answer_is_right (&answer, step, &result));
  result.values[PRISM_LESSON_PSNR] = 30;
  g_assert_cmpuint (prism_lesson_step_find_right (step, &result), ==, 2);
  g_assert_false (prism_lesson_answer_is_right (&answer, step, &result));

  step = prism_lesson_get_step (lesson, 1);
  answer.number = 69;
  g_assert_true (prism_lesson_answer_is_right (&answer, step, &result));
  answer.number = 71;
  g_assert_false (prism_lesson_answer_is_right (&answer, step, &result));

  step = prism_lesson_get_step (lesson, 2);
  answer.region = (PrismLessonRegion) { 0.2, 0.2, 0.4, 0.4 };
  g_assert_cmpfloat_with_epsilon (prism_lesson_region_get_overlap (&answer.region, &step->region),
                                  1, 1e-12);
  answer.region = (PrismLessonRegion) { 0.2, 0.4, 0.4, 0.4 };
  g_assert_cmpfloat_with_epsilon (prism_lesson_region_get_overlap (&answer.region, &step->region),
                                  1 / 3.0, 1e-12);
  g_assert_false (prism_lesson_answer_is_right (&answer, step, &result));
}

/* A part of a percent is not nothing. */
TEST (part_of_a_percent, "/engine/lesson/part-of-a-percent")
{
  SAYS (prism_lesson_measure_dup_text (PRISM_LESSON_COVERAGE, 0.38), "0.4 %");
}

/* One line for each step; what a spreadsheet would compute is quoted. */
TEST (table, "/engine/lesson/table")
{
  g_autoptr (PrismLesson) lesson = read_good (HEAD CHOICE);
  const PrismLessonResult result = { { 25.5, 0.9, 3, 60, NAN }, PRISM_VERDICT_EXPLAINED };
  const PrismLessonAnswer answer = { TRUE, 0 };
  g_autoptr (GString) table = g_string_new (NULL);

  prism_lesson_append_head (table);
  prism_lesson_answer_append (&answer, lesson, 0, &result, "=Ada, \"B\"", table);
  g_assert_cmpstr (table->str, ==,
                   "name,lesson,step,question,prediction,result,foreseen,psnr\n"
                   "\"'=Ada, \"\"B\"\"\",T,1,C,one,two,0,25.5\n");
}

/* What goes wrong in the instrument is in the frames of that step alone. */
TEST (frames, "/engine/lesson/frames")
{
  g_autoptr (PrismLesson) lesson = read_good (
      FRAMES CHOICE CHOICE "swapped=3 7\ndark=4\nreading=positions_flip=y\n" CHOICE "dark=37\n");
  const gsize n = 128 * 128;
  g_autoptr (PrismScene) plain
      = MUST (prism_lesson_step_new_scene (lesson->steps->pdata[0], &error));
  g_autoptr (PrismScene) spoilt
      = MUST (prism_lesson_step_new_scene (lesson->steps->pdata[1], &error));

  const PrismRecording *one = plain->problem->recording, *other = spoilt->problem->recording;
  g_assert_cmpuint (one->n_frames, ==, 37);
  g_assert_cmpmem (one->frames + 3 * n, n * sizeof (float), other->frames + 7 * n,
                   n * sizeof (float));
  g_assert_cmpmem (one->frames + 7 * n, n * sizeof (float), other->frames + 3 * n,
                   n * sizeof (float));
  g_assert_cmpmem (one->frames + 8 * n, n * sizeof (float), other->frames + 8 * n,
                   n * sizeof (float));
  for (gsize i = 4 * n; i < 5 * n; i++)
    g_assert_cmpfloat (other->frames[i], ==, other->frames[4 * n]);
  g_assert_cmpfloat (other->frames[4 * n], <, one->frames[4 * n]);
  g_assert_cmpfloat (one->directions[3], ==, -other->directions[3]);
  FAILS (prism_lesson_step_new_scene (lesson->steps->pdata[2], &error), CONFIG, "");
}

/* All lessons of the program can be read, and each step asks before it runs. */
TEST (builtin, "/engine/lesson/builtin")
{
  g_assert_cmpuint (prism_lesson_list_get_n (), ==, 8);
  for (guint i = 0; i < prism_lesson_list_get_n (); i++)
    {
      g_autoptr (PrismLesson) lesson
          = MUST (prism_lesson_list_read (prism_lesson_list_get_id (i), &error));

      for (guint j = 0; j < lesson->steps->len; j++)
        {
          const PrismLessonStep *step = prism_lesson_get_step (lesson, j);

          g_assert_cmpuint (strlen (step->question), >, 10);
          g_assert_cmpuint (strlen (step->why), >, 10);
          g_assert_true (step->kind != PRISM_LESSON_CHOICE || g_strv_length (step->choices) >= 2);
        }
    }
  FAILS (prism_lesson_list_read ("cooking", &error), CONFIG, "");
}
