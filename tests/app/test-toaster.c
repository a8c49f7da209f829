#include "prism-test.h"
#include "support/prism-notice.h"
#include "widget-test.h"

#define N_TOASTS 6

typedef struct
{
  GtkWidget *window;
  AdwToastOverlay *overlay;
  GString *gone;     /* a letter for each toast that has been dismissed */
  guint most_toasts; /* beside the content, at any frame */
} Fixture;

static guint
count_toasts (AdwToastOverlay *overlay)
{
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (overlay)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += child != adw_toast_overlay_get_child (overlay);
  return n;
}

static gboolean
on_frame (GtkWidget *widget,
          GdkFrameClock *clock,
          gpointer data)
{
  Fixture *fixture = data;

  fixture->most_toasts = MAX (fixture->most_toasts, count_toasts (fixture->overlay));
  return G_SOURCE_CONTINUE;
}

SET_UP
{
  self->gone = g_string_new (NULL);
  self->overlay = ADW_TOAST_OVERLAY (adw_toast_overlay_new ());
  adw_toast_overlay_set_child (self->overlay, gtk_label_new ("Content"));
  self->window = widget_test_show (GTK_WIDGET (self->overlay), 400, 200);
  g_object_set (gtk_widget_get_settings (self->window), "gtk-enable-animations", TRUE, NULL);
  gtk_widget_add_tick_callback (GTK_WIDGET (self->overlay), on_frame, self, NULL);
}

TEAR_DOWN
{
  if (self->window != NULL)
    gtk_window_destroy (GTK_WINDOW (self->window));
  g_string_free (self->gone, TRUE);
}

static void
on_dismissed (AdwToast *toast,
              gpointer data)
{
  Fixture *fixture = data;

  g_string_append (fixture->gone, adw_toast_get_title (toast));
}

static AdwToast *
add (Fixture *fixture,
     char letter)
{
  const char title[] = { letter, '\0' };
  AdwToast *toast = adw_toast_new (title);

  g_signal_connect (toast, "dismissed", G_CALLBACK (on_dismissed), fixture);
  prism_toaster_add (fixture->overlay, toast);
  return toast;
}

static gboolean
is_shown (Fixture *fixture)
{
  return count_toasts (fixture->overlay) > 0;
}

/* Each is sent away as soon as it is there, which is where libadwaita 1.2 crashes. */
TEST_FIXTURE (one_after_the_other, "/app/toaster/one-after-the-other")
{
  AdwToast *toasts[N_TOASTS];

  for (guint i = 0; i < N_TOASTS; i++)
    toasts[i] = add (self, (char) ('a' + i));
  for (guint i = 0; i < N_TOASTS; i++)
    {
      WAIT_FOR (is_shown (self));
      prism_toaster_dismiss (self->overlay, toasts[i]);
      WAIT_FOR (!is_shown (self));
    }
  g_assert_cmpstr (self->gone->str, ==, "abcdef");
  g_assert_cmpuint (self->most_toasts, ==, 1);
}

/* On a busy machine frames come late, and what appears and what leaves end in the same one. */
TEST_FIXTURE (late_frames, "/app/toaster/late-frames")
{
  for (guint i = 0; i < N_TOASTS; i++)
    {
      AdwToast *toast = add (self, 'a');

      WAIT_FOR (is_shown (self));
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_usleep (100 * G_TIME_SPAN_MILLISECOND * i);
      prism_toaster_dismiss (self->overlay, toast);
      for (guint k = 0; k < 3; k++)
        {
          g_main_context_iteration (NULL, FALSE);
          g_usleep (350 * G_TIME_SPAN_MILLISECOND);
        }
      WAIT_FOR (!is_shown (self));
    }
}

/* Where one line would end in the middle of the sentence, there are two. */
TEST_FIXTURE (two_lines, "/app/toaster/two-lines")
{
  static const char *const texts[]
      = { "All in a line", "All of a sentence that is longer: what is to be done" };

  for (int i = 0; i < 2; i++)
    {
      AdwToast *toast = adw_toast_new (texts[i]);

      prism_toaster_add (self->overlay, toast);
      WAIT_FOR (is_shown (self));
      GtkLabel *label = FIND (self->overlay,
                              GTK_IS_LABEL (it)
                                  && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (it)), "All"));
      WAIT_FOR (gtk_widget_get_width (GTK_WIDGET (label)) > 0);
      g_assert_cmpint (pango_layout_get_line_count (gtk_label_get_layout (label)), ==, i + 1);
      g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (label)));
      prism_toaster_dismiss (self->overlay, toast);
      WAIT_FOR (!is_shown (self));
    }
}

/* Who waits for it to go hears so at once, and it never appears. */
TEST_FIXTURE (waiting, "/app/toaster/waiting")
{
  AdwToast *first = add (self, 'a'), *second = add (self, 'b');

  prism_toaster_dismiss (self->overlay, second);
  g_assert_cmpstr (self->gone->str, ==, "b");
  prism_toaster_dismiss (self->overlay, first);
  prism_toaster_dismiss (self->overlay, first);
  WAIT_FOR (!is_shown (self));
  g_assert_cmpstr (self->gone->str, ==, "ba");
}

/* A window may be closed while one is shown, one is to go and others wait. */
TEST_FIXTURE (closed, "/app/toaster/closed")
{
  AdwToast *toasts[] = { add (self, 'a'), add (self, 'b') };
  gpointer overlay = self->overlay;

  for (gsize i = 0; i < G_N_ELEMENTS (toasts); i++)
    g_object_add_weak_pointer (G_OBJECT (toasts[i]), (gpointer *) &toasts[i]);
  g_object_add_weak_pointer (overlay, &overlay);
  WAIT_FOR (is_shown (self));
  prism_toaster_dismiss (self->overlay, toasts[0]);
  gtk_window_destroy (GTK_WINDOW (g_steal_pointer (&self->window)));
  WAIT_FOR (overlay == NULL && toasts[0] == NULL && toasts[1] == NULL);
}
