#include "config.h"

#include "lesson/prism-lesson-answer.h"

#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-csv.h"
#include "prism-lessons.h"

#include <gio/gio.h>

/* A number counts as foreseen within a tenth of what the slider offers, a frame where half of what
 * both cover together is common to them. */
#define NEAR 0.1
#define HALF 0.5

/**
 * prism_lesson_step_find_right:
 * @step: a step with choices
 * @result: of its run
 *
 * Returns: which choice is right, from 0: where bounds are given the run decides it
 */
guint
prism_lesson_step_find_right (const PrismLessonStep *step,
                              const PrismLessonResult *result)
{
  guint i = 0;

  if (step->n_bounds == 0)
    return step->right;
  while (i < step->n_bounds && result->values[step->measure] >= step->bounds[i])
    i++;
  return i;
}

/**
 * prism_lesson_region_get_overlap:
 * @a: a frame
 * @b: another one
 *
 * Returns: the area that both share over the area that they cover together, 0…1
 */
double
prism_lesson_region_get_overlap (const PrismLessonRegion *a,
                                 const PrismLessonRegion *b)
{
  double width = fmin (a->x + a->width, b->x + b->width) - fmax (a->x, b->x);
  double height = fmin (a->y + a->height, b->y + b->height) - fmax (a->y, b->y);
  double common = fmax (width, 0) * fmax (height, 0);
  double all = a->width * a->height + b->width * b->height - common;

  return all > 0 ? common / all : 0;
}

/**
 * prism_lesson_answer_is_right:
 * @self: a prediction
 * @step: what was asked
 * @result: what came out
 *
 * Returns: whether it was foreseen
 */
gboolean
prism_lesson_answer_is_right (const PrismLessonAnswer *self,
                              const PrismLessonStep *step,
                              const PrismLessonResult *result)
{
  switch (step->kind)
    {
    case PRISM_LESSON_NUMBER:
      return fabs (self->number - result->values[step->measure]) <= NEAR * (step->high - step->low);
    case PRISM_LESSON_DRAW:
      return prism_lesson_region_get_overlap (&self->region, &step->region) >= HALF;
    default:
      return self->choice == prism_lesson_step_find_right (step, result);
    }
}

static char *
dup_region (const PrismLessonRegion *region)
{
  return g_strdup_printf ("%.2f %.2f %.2f %.2f", region->x, region->y, region->width,
                          region->height);
}

/**
 * prism_lesson_answer_dup_text:
 * @self: a prediction
 * @step: what was asked
 *
 * Returns: (transfer full): the prediction in words
 */
char *
prism_lesson_answer_dup_text (const PrismLessonAnswer *self,
                              const PrismLessonStep *step)
{
  if (step->kind == PRISM_LESSON_NUMBER)
    return prism_lesson_measure_dup_text (step->measure, self->number);
  if (step->kind == PRISM_LESSON_DRAW)
    return dup_region (&self->region);
  return g_strdup (step->choices[self->choice]);
}

/**
 * prism_lesson_step_dup_result:
 * @step: what was asked
 * @result: what came out
 *
 * Returns: (transfer full): the right answer in words
 */
char *
prism_lesson_step_dup_result (const PrismLessonStep *step,
                              const PrismLessonResult *result)
{
  if (step->kind == PRISM_LESSON_NUMBER)
    return prism_lesson_measure_dup_text (step->measure, result->values[step->measure]);
  if (step->kind == PRISM_LESSON_DRAW)
    return dup_region (&step->region);
  return g_strdup (step->choices[prism_lesson_step_find_right (step, result)]);
}

/**
 * prism_lesson_answer_dup_reveal:
 * @self: a prediction
 * @step: what was asked
 * @result: what came out
 *
 * Says how near the prediction was.
 *
 * Returns: (transfer full): a sentence
 */
char *
prism_lesson_answer_dup_reveal (const PrismLessonAnswer *self,
                                const PrismLessonStep *step,
                                const PrismLessonResult *result)
{
  gboolean right = prism_lesson_answer_is_right (self, step, result);

  if (step->kind == PRISM_LESSON_NUMBER)
    {
      double difference = self->number - result->values[step->measure];
      g_autofree char *text = prism_lesson_measure_dup_text (step->measure, fabs (difference));

      if (right)
        return g_strdup_printf (_ ("Foreseen: %s off."), text);
      return difference > 0 ? g_strdup_printf (_ ("You expected %s too much."), text)
                            : g_strdup_printf (_ ("You expected %s too little."), text);
    }
  if (step->kind == PRISM_LESSON_DRAW)
    {
      int percent
          = (int) lrint (100 * prism_lesson_region_get_overlap (&self->region, &step->region));

      return right ? g_strdup_printf (_ ("Foreseen: the frames agree to %d %%."), percent)
                   : g_strdup_printf (_ ("Elsewhere: the frames agree to %d %%."), percent);
    }
  return g_strdup (right ? _ ("Foreseen.") : _ ("It came out differently."));
}

/**
 * prism_lesson_append_head:
 * @table: gets the first line of a table of answers
 */
void
prism_lesson_append_head (GString *table)
{
  g_string_append (table, "name,lesson,step,question,prediction,result,foreseen,psnr\n");
}

/**
 * prism_lesson_answer_append:
 * @self: a prediction
 * @lesson: a lesson
 * @i: its step, from 0
 * @result: what came out
 * @who: whose prediction, or ""
 * @table: gets a line
 */
void
prism_lesson_answer_append (const PrismLessonAnswer *self,
                            const PrismLesson *lesson,
                            guint i,
                            const PrismLessonResult *result,
                            const char *who,
                            GString *table)
{
  const PrismLessonStep *step = prism_lesson_get_step (lesson, i);
  g_autofree char *prediction = prism_lesson_answer_dup_text (self, step);
  g_autofree char *came = prism_lesson_step_dup_result (step, result);

  prism_csv_append_text (table, who);
  g_string_append_c (table, ',');
  prism_csv_append_text (table, lesson->title);
  g_string_append_printf (table, ",%u,", i + 1);
  prism_csv_append_text (table, step->question);
  g_string_append_c (table, ',');
  prism_csv_append_text (table, prediction);
  g_string_append_c (table, ',');
  prism_csv_append_text (table, came);
  g_string_append_printf (table, ",%d,", prism_lesson_answer_is_right (self, step, result));
  prism_csv_append_number (table, result->values[PRISM_LESSON_PSNR]);
  g_string_append_c (table, '\n');
}

/* In the order in which one learns. */
static const char *const ids[]
    = { "aperture", "resolution", "phase", "noise", "prior", "judging", "bars", "lies", NULL };

/**
 * prism_lesson_list_get_n:
 *
 * Returns: the number of lessons
 */
guint
prism_lesson_list_get_n (void)
{
  return G_N_ELEMENTS (ids) - 1;
}

/**
 * prism_lesson_list_get_id:
 * @i: from 0
 *
 * Returns: the name of a lesson, as files and actions call it
 */
const char *
prism_lesson_list_get_id (guint i)
{
  return ids[i];
}

/**
 * prism_lesson_list_load:
 * @id: of a lesson
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG for a name that is not known.
 *
 * Returns: (transfer full) (nullable): the text of its file
 */
GBytes *
prism_lesson_list_load (const char *id,
                        GError **error)
{
  g_autofree char *path = g_strconcat (PRISM_LESSON_FOLDER, id, PRISM_LESSON_SUFFIX, NULL);
  /* Naming the resource keeps it from being left out when the engine is linked as an archive. */
  GBytes *bytes = g_resource_lookup_data (prism_lessons_get_resource (), path,
                                          G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  g_autofree char *all = NULL;
  const char *nearest;

  if (bytes != NULL)
    return bytes;
  all = g_strjoinv (", ", (char **) ids);
  nearest = prism_nearest_find (id, ids);
  if (nearest != NULL)
    prism_error_config (error,
                        _ ("There is no lesson “%s”: did you mean “%s”?"), id, nearest);
  else
    prism_error_config (error,
                        _ ("There is no lesson “%s”: choose one of %s, or a file that ends in %s."),
                        id,
                        all, PRISM_LESSON_SUFFIX);
  return NULL;
}

/**
 * prism_lesson_list_read:
 * @id: of a lesson
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG for a name that is not known.
 *
 * Returns: (transfer full) (nullable): the lesson
 */
PrismLesson *
prism_lesson_list_read (const char *id,
                        GError **error)
{
  g_autoptr (GBytes) bytes = prism_lesson_list_load (id, error);
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PrismLesson) lesson = NULL;
  gsize length;
  const char *text;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  lesson = prism_lesson_load_text (text, length, id, mistakes);
  if (lesson == NULL)
    g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_FORMAT, mistakes->pdata[0]);
  return g_steal_pointer (&lesson);
}
