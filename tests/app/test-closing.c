#include "prism-test.h"
#include "window/prism-window.h"
#include "file-answer.h"
#include "session/prism-run-list.h"
#include "widget-test.h"

#include <dlfcn.h>

/* What comes for a window that has been closed meanwhile, and which thread is the last to let go of
 * it: only the main one may free what belongs to GTK. */

/* NULL until GTK has started, whose tasks on the bus wait for each other. */
static GThread *main_thread;

/* In place of GObject's: a thread of the pool lets go of its task when all others have, which
 * otherwise happens once in many thousand times. */
void
g_object_unref (gpointer object)
{
  static void (*real) (gpointer object);
  static __thread gpointer disconnected;

  if (real == NULL)
    real = (void (*) (gpointer)) dlsym (RTLD_NEXT, "g_object_unref");
  if (main_thread != NULL && g_thread_self () != main_thread && G_IS_TASK (object))
    {
      /* Before it says that it is done it takes the task from what could cancel it. */
      gboolean goes_on = g_task_get_cancellable (object) != NULL && disconnected != object;

      while (!goes_on && g_atomic_int_get ((gint *) &((GObject *) object)->ref_count) > 1)
        g_thread_yield ();
      disconnected = goes_on ? object : NULL;
    }
  real (object);
}

static void
on_freed (gpointer data)
{
  g_atomic_pointer_set ((GThread **) data, g_thread_self ());
}

/* Gives the last reference of the test away. */
static void
assert_freed_here (gpointer object)
{
  GThread *thread = NULL;

  /* A weak reference would tell the beginning of the end only. */
  g_object_set_data_full (object, "end", &thread, on_freed);
  if (GTK_IS_WINDOW (object))
    gtk_window_destroy (object);
  else
    g_object_unref (object);
  WAIT_FOR (g_atomic_pointer_get ((GThread **) &thread) != NULL);
  g_assert_true (thread == main_thread);
}

static gpointer
dup_number (gpointer input)
{
  return g_memdup2 (input, sizeof (int));
}

TEST (worker, "/app/closing/worker")
{
  PrismWorker *worker = prism_worker_new (dup_number, g_free, g_free, 0);

  prism_worker_submit (worker, g_new0 (int, 1));
  assert_freed_here (worker);
}

TEST (run_list, "/app/closing/run-list")
{
  g_autoptr (PrismSession) session = widget_test_new_session (NULL);
  PrismRunList *runs = prism_run_list_new (session);

  prism_run_list_open (runs, "/none.prismrun");
  assert_freed_here (runs);
}

/* The window has always just begun to look for a run that was interrupted. */
static void
test_window (gconstpointer name)
{
  g_autoptr (PrismSession) session = widget_test_new_session (NULL);
  PrismWindow *window = prism_window_new (NULL, session);
  g_autoptr (GFile) file = name != NULL ? g_file_new_for_path (name) : NULL;

  if (file != NULL)
    prism_window_open_file (window, file);
  assert_freed_here (window);
}

/* The dialog is not answered any more: it goes with its window. */
TEST (file_dialog, "/app/closing/file-dialog")
{
  static const char *const actions[] = { "compare.open", "compare.save-table" };
  g_autoptr (PrismSession) session = widget_test_new_session (NULL);
  PrismWindow *window = prism_window_new (NULL, session);

  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (gtk_widget_get_mapped (GTK_WIDGET (window)));
  for (gsize i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_action_group_activate_action (G_ACTION_GROUP (window), "compare", NULL);
      GtkWidget *compare = widget_test_find_window (g_type_from_name ("PrismCompareWindow"));
      g_assert_nonnull (compare);
      WAIT_FOR (gtk_widget_get_mapped (compare));
      gtk_widget_action_set_enabled (compare, actions[i], TRUE);
      g_assert_true (gtk_widget_activate_action (compare, actions[i], NULL));
      g_assert_true (file_answer_is_wanted ());
      assert_freed_here (compare);
      g_assert_false (file_answer_is_wanted ());
    }
  g_action_group_activate_action (G_ACTION_GROUP (window), "save-config", NULL);
  g_assert_true (file_answer_is_wanted ());
  assert_freed_here (window);
  g_assert_false (file_answer_is_wanted ());
}

TESTS
{
  main_thread = g_thread_self ();
  g_test_add_data_func ("/app/closing/window", NULL, test_window);
  g_test_add_data_func ("/app/closing/window/image", "/none.png", test_window);
  g_test_add_data_func ("/app/closing/window/run", "/none.prismrun", test_window);
}
