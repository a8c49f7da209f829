#include "config.h"

#include "library/prism-library-window.h"
#include "run/prism-run-catalogue.h"
#include "widget-test.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* library-meter: what the run library takes with many runs, as one JSON object.
 *
 *   library-meter CATALOGUE RUNS [FRAMES]
 *
 * "shown" is from the call to the first frame that is drawn, "opening" what a processor worked on
 * the main thread until then, "read" until no file is left to be read, "stall" the longest that the
 * main loop was away while files were read. Then the list is scrolled by a page of it each frame:
 * "frame" is the median, "late" the value that 99 of 100 stay below and "worst" the longest, of
 * what a frame takes on the main thread, drawing with cairo included; "busy" and "most" are median
 * and longest of the time that a processor worked on it, whatever else the computer does. All in
 * ms. */

typedef struct
{
  GtkAdjustment *adjustment;
  gint64 begun, beaten, stall; /* µs */
  gboolean drawn, scrolling;
  GArray *frames; /* of double: ms */
  GArray *busy;   /* of double: ms */
  double worked;  /* ms */
  guint n_wanted;
} Meter;

/* Of this thread. */
static double
get_worked (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec * 1e-6;
}

static gboolean
beat (gpointer data)
{
  Meter *self = data;
  gint64 now = g_get_monotonic_time ();

  self->stall = MAX (self->stall, now - self->beaten);
  self->beaten = now;
  return G_SOURCE_CONTINUE;
}

static void
on_before_paint (Meter *self)
{
  double value;

  self->begun = g_get_monotonic_time ();
  self->worked = get_worked ();
  if (!self->scrolling)
    return;
  value = gtk_adjustment_get_value (self->adjustment)
          + gtk_adjustment_get_page_size (self->adjustment);
  if (value >= gtk_adjustment_get_upper (self->adjustment))
    value = 0;
  gtk_adjustment_set_value (self->adjustment, value);
}

static void
on_after_paint (Meter *self)
{
  double ms = (double) (g_get_monotonic_time () - self->begun) / 1000;
  double busy = get_worked () - self->worked;

  self->drawn = TRUE;
  if (!self->scrolling)
    return;
  g_array_append_val (self->frames, ms);
  g_array_append_val (self->busy, busy);
}

static int
compare_numbers (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static GtkWidget *
find_list (GtkWidget *widget)
{
  GtkWidget *found = NULL;

  if (GTK_IS_POPOVER (widget))
    return NULL;
  if (GTK_IS_LIST_VIEW (widget))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_list (child);
  return found;
}

static void
scroll (Meter *self,
        GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);

  self->adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (find_list (window)));
  self->scrolling = TRUE;
  gdk_frame_clock_begin_updating (clock);
  WAIT_FOR (((Meter *) self)->frames->len >= ((Meter *) self)->n_wanted);
  gdk_frame_clock_end_updating (clock);
  self->scrolling = FALSE;
  g_array_sort (self->frames, compare_numbers);
  g_array_sort (self->busy, compare_numbers);
}

int
main (int argc,
      char **argv)
{
  Meter self = { .frames = g_array_new (FALSE, FALSE, sizeof (double)),
                 .busy = g_array_new (FALSE, FALSE, sizeof (double)) };
  GtkWidget *window;
  gint64 start;
  double shown, done, opening;
  const double *frames, *busy;
  guint n, source;

  widget_test_init (&argc, &argv);
  if (argc < 3)
    return EXIT_FAILURE;
  self.n_wanted = argc > 3 ? (guint) atoi (argv[3]) : 300;
  start = g_get_monotonic_time ();
  opening = get_worked ();
  window = prism_library_window_new (argv[1], argv[2]);
  gtk_widget_realize (window);
  g_signal_connect_swapped (gtk_widget_get_frame_clock (window), "before-paint",
                            G_CALLBACK (on_before_paint), &self);
  g_signal_connect_swapped (gtk_widget_get_frame_clock (window), "after-paint",
                            G_CALLBACK (on_after_paint), &self);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (self.drawn);
  shown = (double) (g_get_monotonic_time () - start) / 1000;
  opening = get_worked () - opening;
  self.beaten = g_get_monotonic_time ();
  source = g_timeout_add (1, beat, &self);
  while (PRISM_LIBRARY_WINDOW (window)->reading)
    g_main_context_iteration (NULL, TRUE);
  done = (double) (g_get_monotonic_time () - start) / 1000;
  g_source_remove (source);
  n = g_list_model_get_n_items (
      G_LIST_MODEL (gtk_list_view_get_model (widget_test_get_part (window, "list"))));
  scroll (&self, window);
  frames = (const double *) self.frames->data;
  busy = (const double *) self.busy->data;
  printf ("{\"runs\": %u, \"opening\": %.0f, \"shown\": %.0f, \"read\": %.0f, ", n, opening, shown,
          done);
  printf ("\"stall\": %.1f, \"frame\": %.2f, \"late\": %.2f, ", (double) self.stall / 1000,
          frames[self.frames->len / 2], frames[self.frames->len * 99 / 100]);
  printf ("\"worst\": %.2f, \"busy\": %.2f, \"most\": %.2f}\n", frames[self.frames->len - 1],
          busy[self.busy->len / 2], busy[self.busy->len - 1]);
  gtk_window_destroy (GTK_WINDOW (window));
  g_array_unref (self.frames);
  g_array_unref (self.busy);
  return EXIT_SUCCESS;
}
