#include "config.h"

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

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->gone = g_string_new (NULL);
  fixture->overlay = ADW_TOAST_OVERLAY (adw_toast_overlay_new ());
  adw_toast_overlay_set_child (fixture->overlay, gtk_label_new ("Content"));
  fixture->window = widget_test_show (GTK_WIDGET (fixture->overlay), 400, 200);
  g_object_set (gtk_widget_get_settings (fixture->window), "gtk-enable-animations", TRUE, NULL);
  gtk_widget_add_tick_callback (GTK_WIDGET (fixture->overlay), on_frame, fixture, NULL);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  if (fixture->window != NULL)
    gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_string_free (fixture->gone, TRUE);
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
is_shown (gpointer data)
{
  Fixture *fixture = data;

  return count_toasts (fixture->overlay) > 0;
}

static gboolean
is_empty (gpointer data)
{
  return !is_shown (data);
}

/* Each is sent away as soon as it is there, which is where libadwaita 1.2 crashes. */
static void
test_one_after_the_other (Fixture *fixture,
                          gconstpointer data)
{
  AdwToast *toasts[N_TOASTS];

  for (guint i = 0; i < N_TOASTS; i++)
    toasts[i] = add (fixture, (char) ('a' + i));
  for (guint i = 0; i < N_TOASTS; i++)
    {
      widget_test_wait (is_shown, fixture);
      prism_toaster_dismiss (fixture->overlay, toasts[i]);
      widget_test_wait (is_empty, fixture);
    }
  g_assert_cmpstr (fixture->gone->str, ==, "abcdef");
  g_assert_cmpuint (fixture->most_toasts, ==, 1);
}

/* Who waits for it to go hears so at once, and it never appears. */
static void
test_waiting (Fixture *fixture,
              gconstpointer data)
{
  AdwToast *first = add (fixture, 'a'), *second = add (fixture, 'b');

  prism_toaster_dismiss (fixture->overlay, second);
  g_assert_cmpstr (fixture->gone->str, ==, "b");
  prism_toaster_dismiss (fixture->overlay, first);
  prism_toaster_dismiss (fixture->overlay, first);
  widget_test_wait (is_empty, fixture);
  g_assert_cmpstr (fixture->gone->str, ==, "ba");
}

/* A window may be closed while one is shown, one is to go and others wait. */
static void
test_closed (Fixture *fixture,
             gconstpointer data)
{
  AdwToast *toasts[] = { add (fixture, 'a'), add (fixture, 'b') };
  gpointer overlay = fixture->overlay;

  for (gsize i = 0; i < G_N_ELEMENTS (toasts); i++)
    g_object_add_weak_pointer (G_OBJECT (toasts[i]), (gpointer *) &toasts[i]);
  g_object_add_weak_pointer (overlay, &overlay);
  widget_test_wait (is_shown, fixture);
  prism_toaster_dismiss (fixture->overlay, toasts[0]);
  gtk_window_destroy (GTK_WINDOW (g_steal_pointer (&fixture->window)));
  while (overlay != NULL || toasts[0] != NULL || toasts[1] != NULL)
    g_main_context_iteration (NULL, TRUE);
}

int
main (int argc,
      char *argv[])
{
  widget_test_init (&argc, &argv);
  g_test_add ("/app/toaster/one-after-the-other", Fixture, NULL, set_up, test_one_after_the_other,
              tear_down);
  g_test_add ("/app/toaster/waiting", Fixture, NULL, set_up, test_waiting, tear_down);
  g_test_add ("/app/toaster/closed", Fixture, NULL, set_up, test_closed, tear_down);
  return g_test_run ();
}
