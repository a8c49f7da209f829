#include "config.h"

#include "lesson/prism-lesson-list.h"

#include "base/prism-error.h"
#include "base/prism-number.h"
#include "prism-lessons.h"

#include <gio/gio.h>
#include <glib/gi18n-lib.h>

#define FOLDER "/io/github/prism_studio/PrismStudio/lessons/"

/* In the order in which one learns. */
static const char *const ids[]
    = { "aperture", "resolution", "phase", "noise", "prior", "judging", NULL };

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
  g_autofree char *path = g_strconcat (FOLDER, id, PRISM_LESSON_SUFFIX, NULL);
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
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                 _ ("There is no lesson “%s”: did you mean “%s”?"), id, nearest);
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                 _ ("There is no lesson “%s”: choose one of %s, or a file that ends in %s."), id,
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
