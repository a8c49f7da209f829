#include "prism-test.h"
#include "support/prism-overflow-box.h"

#define CHILD_WIDTH 100

static GtkWidget *
new_box (int n_children)
{
  GtkWidget *box = g_object_ref_sink (g_object_new (PRISM_TYPE_OVERFLOW_BOX, NULL));

  for (int i = 0; i < n_children; i++)
    {
      GtkWidget *child = gtk_label_new (NULL);

      gtk_widget_set_size_request (child, CHILD_WIDTH, 10);
      gtk_widget_set_parent (child, box);
    }
  return box;
}

static int
count_shown (GtkWidget *box)
{
  int n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (box); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += gtk_widget_get_child_visible (child);
  return n;
}

static void
allocate (GtkWidget *widget,
          int width,
          int height)
{
  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, NULL, NULL, NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, NULL, NULL, NULL, NULL);
  gtk_widget_allocate (widget, width, height, -1, NULL);
}

TEST (leaves_the_last_out, "/app/overflow-box/leaves-the-last-out")
{
  g_autoptr (GtkWidget) box = new_box (5);

  allocate (box, 2000, 20);
  g_assert_cmpint (count_shown (box), ==, 5);
  allocate (box, 3 * CHILD_WIDTH, 20);
  g_assert_cmpint (count_shown (box), ==, 2);
  g_assert_true (gtk_widget_get_child_visible (gtk_widget_get_first_child (box)));
  g_assert_false (gtk_widget_get_child_visible (gtk_widget_get_last_child (box)));
  allocate (box, CHILD_WIDTH, 20);
  g_assert_cmpint (count_shown (box), ==, 1);
}

/* What can be cut is there before it has all the room that it likes. */
TEST (cuts_the_last, "/app/overflow-box/cuts-the-last")
{
  g_autoptr (GtkWidget) box = new_box (1);
  GtkWidget *label = gtk_label_new (
      "Misfit 0.0204, one of many pictures that fit the measurements");

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_set_parent (label, box);
  allocate (box, 2 * CHILD_WIDTH, 20);
  g_assert_cmpint (count_shown (box), ==, 2);
  g_assert_cmpint (gtk_widget_get_width (label), <, CHILD_WIDTH);
  allocate (box, CHILD_WIDTH, 20);
  g_assert_cmpint (count_shown (box), ==, 1);
}

TEST (needs_only_the_first, "/app/overflow-box/needs-only-the-first")
{
  g_autoptr (GtkWidget) box = new_box (5);
  int minimum, natural;

  gtk_widget_measure (box, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, NULL, NULL);
  g_assert_cmpint (minimum, ==, CHILD_WIDTH);
  g_assert_cmpint (natural, >=, 5 * CHILD_WIDTH);
}
