#include "config.h"

#include "stall-frames.h"

static const char *const part_names[STALL_N_PARTS] = { "between", "update", "layout", "paint" };

/* Begins without a frame; all memory is taken now. */
void
stall_frames_init (StallFrames *self)
{
  *self = (StallFrames) { 0 };
  stall_series_init (&self->intervals);
  stall_series_init (&self->work);
}

void
stall_frames_clear (StallFrames *self)
{
  if (self->clock != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->clock, self);
      for (int i = 0; i < STALL_PART_PAINT; i++)
        g_signal_handlers_disconnect_by_data (self->clock, &self->marks[i]);
    }
  g_clear_object (&self->clock);
  stall_series_clear (&self->intervals);
  stall_series_clear (&self->work);
}

static void
end_part (double *mark)
{
  *mark = stall_process_get_thread_time ();
}

/* A frame need not have all parts: one that it lacks ended with the part before. */
static void
end_paint (GdkFrameClock *clock,
           StallFrames *self)
{
  gint64 now = g_get_monotonic_time ();
  double work = stall_process_get_thread_time ();
  double before = self->last_work;
  StallFrame frame = { .computed = work - self->last_work };

  self->marks[STALL_PART_PAINT] = work;
  for (int i = 0; i < STALL_N_PARTS; i++)
    {
      double end = MAX (self->marks[i], before);

      frame.parts[i] = end - before;
      before = end;
    }
  if (self->last != 0)
    {
      stall_series_add (&self->intervals, (now - self->last) / 1000.0);
      stall_series_add (&self->work, frame.computed);
      self->sum.computed += frame.computed;
      for (int i = 0; i < STALL_N_PARTS; i++)
        self->sum.parts[i] += frame.parts[i];
      if (frame.computed > self->longest.computed)
        self->longest = frame;
      if (self->func != NULL)
        self->func (&frame, self->data);
    }
  self->last = now;
  self->last_work = work;
}

/* Follows the frames from now on. Main thread. */
void
stall_frames_begin (StallFrames *self,
                    GtkWidget *widget,
                    StallFrameFunc func,
                    gpointer data)
{
  static const char *const signals[] = { "before-paint", "update", "layout" };

  self->func = func;
  self->data = data;
  self->clock = g_object_ref (gtk_widget_get_frame_clock (widget));
  /* What GTK does in a part it connected to before: these come after it. */
  for (int i = 0; i < STALL_PART_PAINT; i++)
    g_signal_connect_swapped (self->clock, signals[i], G_CALLBACK (end_part), &self->marks[i]);
  g_signal_connect (self->clock, "after-paint", G_CALLBACK (end_paint), self);
}

static void
print_frame (const char *name,
             const StallFrame *frame,
             double divisor)
{
  printf ("  \"%s\": {\"computed_ms\": %.2f", name, frame->computed / divisor);
  for (int i = 0; i < STALL_N_PARTS; i++)
    printf (", \"%s_ms\": %.2f", part_names[i], frame->parts[i] / divisor);
  printf ("},\n");
}

/* Prints the parts of the mean and of the longest frame as lines of JSON. */
void
stall_frames_print (StallFrames *self)
{
  print_frame ("mean_frame", &self->sum, MAX (self->work.n, 1));
  print_frame ("longest_frame", &self->longest, 1);
}
