#include "config.h"

#include "library/prism-library-window.h"
#include "stall-process.h"
#include "widget-test.h"

#include <stdio.h>
#include <stdlib.h>

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
  self->begun = g_get_monotonic_time ();
  self->worked = stall_process_get_thread_time ();
  if (!self->scrolling)
    return;
  double value = gtk_adjustment_get_value (self->adjustment)
                 + gtk_adjustment_get_page_size (self->adjustment);
  if (value >= gtk_adjustment_get_upper (self->adjustment))
    value = 0;
  gtk_adjustment_set_value (self->adjustment, value);
}

static void
on_after_paint (Meter *self)
{
  double ms = (double) (g_get_monotonic_time () - self->begun) / 1000;
  double busy = stall_process_get_thread_time () - self->worked;

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

static void
scroll (Meter *self,
        GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (window);

  self->adjustment = gtk_scrollable_get_vadjustment (widget_test_get_part (window, "list"));
  self->scrolling = TRUE;
  gdk_frame_clock_begin_updating (clock);
  WAIT_FOR (self->frames->len >= self->n_wanted);
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

  widget_test_init (&argc, &argv);
  if (argc < 3)
    return EXIT_FAILURE;
  self.n_wanted = argc > 3 ? (guint) atoi (argv[3]) : 300;
  gint64 start = g_get_monotonic_time ();
  double opening = stall_process_get_thread_time ();
  GtkWidget *window = prism_library_window_new (argv[1], argv[2]);
  gtk_widget_realize (window);
  g_signal_connect_swapped (gtk_widget_get_frame_clock (window), "before-paint",
                            G_CALLBACK (on_before_paint), &self);
  g_signal_connect_swapped (gtk_widget_get_frame_clock (window), "after-paint",
                            G_CALLBACK (on_after_paint), &self);
  gtk_window_present (GTK_WINDOW (window));
  WAIT_FOR (self.drawn);
  double shown = (double) (g_get_monotonic_time () - start) / 1000;
  opening = stall_process_get_thread_time () - opening;
  self.beaten = g_get_monotonic_time ();
  guint source = g_timeout_add (1, beat, &self);
  while (PRISM_LIBRARY_WINDOW (window)->reading)
    g_main_context_iteration (NULL, TRUE);
  double done = (double) (g_get_monotonic_time () - start) / 1000;
  g_source_remove (source);
  guint n = g_list_model_get_n_items (
      G_LIST_MODEL (gtk_list_view_get_model (widget_test_get_part (window, "list"))));
  scroll (&self, window);
  const double *frames = (const double *) self.frames->data;
  const double *busy = (const double *) self.busy->data;
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
