#include "prism-test.h"
#include "widget-test.h"

/* What happened to a job. */
typedef struct
{
  gboolean fails;
  int result;
  char *message; /* (nullable) of the error */
  gboolean over;
  GThread *thread; /* that computed */
} Course;

static int n_data, n_results; /* that are not freed */

static gpointer
compute (gpointer data,
         GError **error)
{
  Course *course = *(Course **) data;

  course->thread = g_thread_self ();
  if (course->fails)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "no");
      return NULL;
    }
  g_atomic_int_inc (&n_results);
  int *result = g_new (int, 1);
  *result = 12;
  return result;
}

static void
free_result (gpointer result)
{
  g_atomic_int_add (&n_results, -1);
  g_free (result);
}

static void
on_done (gpointer owner,
         gpointer data,
         gpointer result,
         const GError *error)
{
  Course *course = *(Course **) data;

  course->message = error != NULL ? g_strdup (error->message) : NULL;
  if (result == NULL)
    return;
  course->result = *(int *) result;
  free_result (result);
}

/* On the thread that began the job, after everything else. */
static void
free_data (gpointer data)
{
  Course *course = *(Course **) data;

  g_assert_true (course->thread != g_thread_self ());
  course->over = TRUE;
  n_data--;
  g_free (data);
}

static void
run (Course *course,
     gboolean heard,
     GCancellable *cancellable)
{
  const PrismJob job = { "test", compute, heard ? on_done : NULL, free_data, free_result };
  Course **data = g_new (Course *, 1);

  *data = course;
  n_data++;
  prism_job_start (&job, NULL, data, cancellable);
  g_assert_false (course->over);
  WAIT_FOR (((Course *) course)->over);
  g_assert_cmpint (n_data, ==, 0);
}

TEST (result, "/app/job/result")
{
  Course course = { 0 };

  run (&course, TRUE, NULL);
  g_assert_cmpint (course.result, ==, 12);
  g_assert_null (course.message);
  g_assert_cmpint (n_results, ==, 0);
}

TEST (error, "/app/job/error")
{
  Course course = { .fails = TRUE };

  run (&course, TRUE, NULL);
  g_assert_cmpint (course.result, ==, 0);
  g_assert_cmpstr (course.message, ==, "no");
  g_free (course.message);
}

/* Nobody hears of it, and nothing is left. */
TEST (unheard, "/app/job/unheard")
{
  Course course = { 0 };

  run (&course, FALSE, NULL);
  g_assert_cmpint (n_results, ==, 0);
}

/* What was computed before the job was called off is dropped. */
TEST (cancelled, "/app/job/cancelled")
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Course course = { 0 };

  g_cancellable_cancel (cancellable);
  run (&course, TRUE, cancellable);
  g_assert_cmpint (course.result, ==, 0);
  g_assert_nonnull (course.message);
  WAIT_FOR (g_atomic_int_get (&n_results) == 0);
  g_free (course.message);
}
