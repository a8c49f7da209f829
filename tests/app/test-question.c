#include "prism-test.h"
#include "widget-test.h"

#define LONG 60000 /* ms that no test waits */

static int n_answers, n_data, n_shown;
static GMutex gate; /* held: nothing is answered */

static char *
answer (gpointer data,
        GCancellable *cancellable)
{
  g_atomic_int_inc (&n_answers);
  g_mutex_lock (&gate);
  g_mutex_unlock (&gate);
  return *(char **) data != NULL ? g_strdup (*(char **) data) : NULL;
}

static void
show (GtkWidget *label,
      gpointer data,
      const char *text)
{
  n_shown++;
  gtk_label_set_text (GTK_LABEL (label), text != NULL ? text : "none");
}

static void
free_data (gpointer data)
{
  n_data--;
  g_free (*(char **) data);
  g_free (data);
}

static void
ask (GtkWidget *label,
     const char *what,
     guint delay)
{
  static const PrismQuestion question = { "test", answer, show, free_data };
  char **data = g_new (char *, 1);

  *data = g_strdup (what);
  n_data++;
  prism_question_ask (&question, label, data, delay);
}

static GtkWidget *
begin (GtkWindow **window)
{
  GtkWidget *label = gtk_label_new ("");

  n_answers = n_shown = 0;
  *window = GTK_WINDOW (gtk_window_new ());
  gtk_window_set_child (*window, label);
  return label;
}

TEST (answer, "/app/question/answer")
{
  GtkWindow *window;
  GtkWidget *label = begin (&window);

  ask (label, "two runs", 0);
  g_assert_cmpint (n_shown, ==, 0);
  WAIT_FOR (n_data == 0);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, "two runs");

  ask (label, NULL, 0);
  WAIT_FOR (n_data == 0);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, "none");
  gtk_window_destroy (window);
}

/* What waits gives way, and so does what another thread works on. */
TEST (newest, "/app/question/newest")
{
  GtkWindow *window;
  GtkWidget *label = begin (&window);

  ask (label, "one", LONG);
  g_mutex_lock (&gate);
  ask (label, "two", 0);
  g_assert_cmpint (n_data, ==, 1);
  WAIT_FOR (g_atomic_int_get (&n_answers) > 0);
  ask (label, "three", 0);
  g_mutex_unlock (&gate);
  WAIT_FOR (n_data == 0);
  g_assert_cmpint (n_shown, ==, 1);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==, "three");
  gtk_window_destroy (window);
}

TEST (forget, "/app/question/forget")
{
  GtkWindow *window;
  GtkWidget *label = begin (&window);

  prism_question_forget (label);
  ask (label, "one", LONG);
  prism_question_forget (label);
  g_assert_cmpint (n_data, ==, 0);
  g_mutex_lock (&gate);
  ask (label, "two", 0);
  WAIT_FOR (g_atomic_int_get (&n_answers) > 0);
  prism_question_forget (label);
  g_mutex_unlock (&gate);
  WAIT_FOR (n_data == 0);
  g_assert_cmpint (n_shown, ==, 0);
  gtk_window_destroy (window);
}

/* Of a window that is gone nobody wants to know. */
TEST (gone, "/app/question/gone")
{
  GtkWindow *window;
  g_autoptr (GtkWidget) label = g_object_ref (begin (&window));

  ask (label, "one", 1);
  gtk_window_destroy (window);
  WAIT_FOR (n_data == 0);
  g_assert_cmpint (n_answers, ==, 0);
  g_assert_cmpint (n_shown, ==, 0);
}
