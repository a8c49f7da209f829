#include "config.h"

#include "canvas/prism-canvas.h"
#include "stall-frames.h"
#include "window-test.h"

#include <gdk/x11/gdkx.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* tools-meter: what the frames of the window take while a mark is dragged over the picture of a
 * run, as one JSON object.
 *
 *   tools-meter [--seconds N] [--width PX] [--height PX] [--set key=value]…
 *
 * The picture of 1024 × 1024 px fills the window while it is computed. Each tool draws a mark
 * whose end follows the pointer to and fro over all of the picture, for N seconds. The pointer is
 * that of the X server, moved by xdotool, so that what is measured has all the way of an event.
 * "busy" is what a processor worked for the main thread from the beginning of a frame to its end,
 * "clock" the same by the clock, "work" all that the main thread computed from the end of one frame
 * to the end of the next, events and readings included. Median, what 99 of 100 stay below and the
 * longest, in ms; "late" is the share of frames whose "busy" is above 16.7. */

#define LIMIT 16.7        /* ms of a frame */
#define MOVE_INTERVAL 8   /* ms from one place of the pointer to the next */
#define SWEEP_SECONDS 1.7 /* from left to right and back; another time from top to bottom */
#define SWEEP_RATIO 1.37
#define SIZE 1024

typedef struct
{
  int seconds, width, height;
  WindowTest test;
  PrismView *view;
  FILE *mouse; /* commands for xdotool */
  guint kind;
  gint64 begun;       /* µs, of the drag */
  gint64 frame_begun; /* µs */
  gboolean over;
  StallFrames frames;
  StallSeries busy, clock;
  guint n_late;
} Meter;

/* Tests that wait give up after a while, which says nothing on a busy machine. */
#define WAIT_LONG(CONDITION) \
  while (!(CONDITION))       \
  g_main_context_iteration (NULL, TRUE)

/* Moves the pointer to a place of the picture. */
static void
move (Meter *self,
      double x,
      double y)
{
  GtkWidget *canvas = GTK_WIDGET (self->view->canvas);
  GtkNative *native = gtk_widget_get_native (canvas);
  PrismFrame frame;
  double left, top;

  if (!prism_canvas_get_frame (PRISM_CANVAS (canvas), &frame))
    g_error ("The picture is not shown.");
  graphene_point_t place = GRAPHENE_POINT_INIT (frame.x0 + x * frame.scale * frame.image_width,
                                                frame.y0 + y * frame.scale * frame.image_height);
  if (!gtk_widget_compute_point (canvas, GTK_WIDGET (native), &place, &place))
    g_error ("The picture has no place.");
  gtk_native_get_surface_transform (native, &left, &top);
  fprintf (self->mouse, "mousemove --window %lu %.0f %.0f\n",
           gdk_x11_surface_get_xid (gtk_native_get_surface (native)), place.x + left,
           place.y + top);
  fflush (self->mouse);
}

static void
press (Meter *self,
       const char *what)
{
  fprintf (self->mouse, "%s 1\n", what);
  fflush (self->mouse);
}

static gboolean
on_move (gpointer data)
{
  Meter *self = data;
  double seconds = (double) (g_get_monotonic_time () - self->begun) * 1e-6;

  if (seconds < self->seconds)
    {
      move (self, 0.5 - 0.48 * cos (2 * G_PI * seconds / SWEEP_SECONDS),
            0.5 - 0.48 * cos (2 * G_PI * seconds / (SWEEP_SECONDS * SWEEP_RATIO)));
      return G_SOURCE_CONTINUE;
    }
  /* Where a mark begins: away from those that are there. */
  move (self, (0.15 + 0.2 * self->kind) + 0.1, 0.8);
  press (self, "mouseup");
  self->over = TRUE;
  return G_SOURCE_REMOVE;
}

static void
on_before_paint (Meter *self)
{
  self->frame_begun = g_get_monotonic_time ();
}

static void
on_frame (const StallFrame *frame,
          gpointer data)
{
  Meter *self = data;
  double busy = frame->computed - frame->parts[STALL_PART_BETWEEN];

  stall_series_add (&self->busy, busy);
  stall_series_add (&self->clock, (double) (g_get_monotonic_time () - self->frame_begun) * 1e-3);
  self->n_late += busy > LIMIT;
}

static gboolean
is_let_go (Meter *self)
{
  const PrismMark *held = prism_mark_book_get_held (self->view->canvas->book);

  return held != NULL && held->kind == self->kind
         && abs (held->y1 - (int) (0.8 * SIZE)) < SIZE / 100;
}

static void
print_series (const char *name,
              const StallSeries *series)
{
  printf ("\"%s\": {\"median\": %.2f, \"p99\": %.2f, \"most\": %.2f}, ", name,
          stall_series_get_quantile (series, 0.5), stall_series_get_quantile (series, 0.99),
          series->maximum);
}

static void
print_kind (Meter *self)
{
  const StallFrame *longest = &self->frames.longest;

  printf ("  \"%s\": {\"frames\": %u, ", prism_mark_get_name (self->kind), (guint) self->busy.n);
  print_series ("busy", &self->busy);
  print_series ("clock", &self->clock);
  print_series ("work", &self->frames.work);
  printf ("\"late\": %.4f, \"longest\": {\"between\": %.2f, \"update\": %.2f, "
          "\"layout\": %.2f, \"paint\": %.2f}}%s\n",
          (double) self->n_late / (double) MAX (self->busy.n, 1),
          longest->parts[STALL_PART_BETWEEN], longest->parts[STALL_PART_UPDATE],
          longest->parts[STALL_PART_LAYOUT], longest->parts[STALL_PART_PAINT],
          self->kind + 1 < PRISM_MARK_N_KINDS ? "," : "");
}

static void
drag (Meter *self)
{
  PrismMarkBook *book = self->view->canvas->book;
  GtkWidget *window = GTK_WIDGET (self->test.window);

  prism_mark_book_set_tool (book, self->kind);
  move (self, 0.15 + 0.2 * self->kind, 0.2);
  press (self, "mousedown");
  self->over = FALSE;
  self->n_late = 0;
  stall_frames_init (&self->frames);
  stall_series_init (&self->busy);
  stall_series_init (&self->clock);
  stall_frames_begin (&self->frames, window, on_frame, self);
  gulong handler = g_signal_connect_swapped (self->frames.clock, "before-paint",
                                             G_CALLBACK (on_before_paint), self);
  self->begun = g_get_monotonic_time ();
  g_timeout_add (MOVE_INTERVAL, on_move, self);
  WAIT_LONG (self->over);
  g_signal_handler_disconnect (self->frames.clock, handler);
  WAIT_LONG (is_let_go (self));
  print_kind (self);
  stall_frames_clear (&self->frames);
  stall_series_clear (&self->busy);
  stall_series_clear (&self->clock);
}

static PrismConfig *
read_config (Meter *self,
             int argc,
             char *argv[])
{
  PrismConfig *config = prism_config_new ();

  config->image_size = config->object_size = SIZE;
  for (int i = 1; i + 1 < argc; i += 2)
    {
      g_auto (GStrv) parts = g_strsplit (argv[i + 1], "=", 2);
      g_autoptr (GError) error = NULL;

      if (g_str_equal (argv[i], "--seconds"))
        self->seconds = atoi (argv[i + 1]);
      else if (g_str_equal (argv[i], "--width"))
        self->width = atoi (argv[i + 1]);
      else if (g_str_equal (argv[i], "--height"))
        self->height = atoi (argv[i + 1]);
      else if (parts[0] == NULL || parts[1] == NULL
               || !prism_config_set_text (config, parts[0], parts[1], &error))
        g_printerr ("%s is no setting\n", argv[i + 1]);
    }
  return config;
}

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

static void
open_window (Meter *self,
             const PrismConfig *config)
{
  g_autoptr (GError) error = NULL;

  self->test.session = prism_session_new (&error);
  g_assert_no_error (error);
  self->test.window = prism_window_new (NULL, self->test.session);
  prism_session_start (self->test.session, config);
  gtk_window_set_default_size (GTK_WINDOW (self->test.window), self->width, self->height);
  gtk_window_present (GTK_WINDOW (self->test.window));
  /* Whatever ends: a look at the conditions twice a second is nothing beside the frames. */
  g_timeout_add (500, wake, NULL);
}

static gboolean
is_large (Meter *self)
{
  PrismFrame frame;

  return self->test.session->snapshot->reconstruction != NULL
         && prism_canvas_get_frame (self->view->canvas, &frame)
         && frame.image_width == SIZE && frame.area_height > self->height / 3;
}

int
main (int argc,
      char *argv[])
{
  Meter self = { .seconds = 20, .width = 1400, .height = 900 };
  PrismPanel *panel;

  widget_test_init (&argc, &argv);
  g_autoptr (PrismConfig) config = read_config (&self, argc, argv);
  self.mouse = popen ("xdotool -", "we");
  if (self.mouse == NULL)
    return EXIT_FAILURE;
  open_window (&self, config);
  panel = prism_dashboard_get_panel (widget_test_get_part (self.test.window, "dashboard"),
                                     "reconstruction");
  self.view = widget_test_find (panel, PRISM_TYPE_VIEW);
  g_object_set (panel, "maximized", TRUE, NULL);
  WAIT_LONG (window_test_is_idle (((Meter *) (&self))->test.session));
  prism_session_run (self.test.session);
  WAIT_LONG (is_large (&self));
  printf ("{\n");
  for (self.kind = 0; self.kind < PRISM_MARK_N_KINDS; self.kind++)
    {
      drag (&self);
      fflush (stdout);
    }
  printf ("}\n");
  if (!prism_session_get_active (self.test.session))
    g_printerr ("The run was over before the measurement.\n");
  fflush (stdout);
  pclose (self.mouse);
  prism_session_stop (self.test.session);
  window_test_forget_runs ();
  window_test_close (&self.test);
  return EXIT_SUCCESS;
}
