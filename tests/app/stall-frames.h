/* stall-frames: what the frames of a window cost the main thread, and which part of it. */
#pragma once

#include "stall-process.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Of the computing from the end of a frame to the end of the next one, in this order. */
typedef enum
{
  STALL_PART_BETWEEN,                   /* events, timers, what the engine posted */
  STALL_PART_UPDATE,                    /* animations */
  STALL_PART_LAYOUT,
  STALL_PART_PAINT,
  STALL_N_PARTS
} StallPart;

typedef struct
{
  double computed;                      /* ms */
  double parts[STALL_N_PARTS];          /* ms */
} StallFrame;

typedef void (*StallFrameFunc) (const StallFrame *frame,
                                gpointer          data);

typedef struct
{
  StallSeries intervals;                /* from a frame to the next */
  StallSeries work;                     /* computed meanwhile */
  StallFrame longest;
  StallFrame sum;
  GdkFrameClock *clock;
  gint64 last;                          /* µs, 0 before the first */
  double last_work;                     /* ms */
  double marks[STALL_N_PARTS];          /* ms, when the parts of this frame ended */
  StallFrameFunc func;
  gpointer data;
} StallFrames;

void stall_frames_init  (StallFrames    *self);
void stall_frames_clear (StallFrames    *self);
void stall_frames_begin (StallFrames    *self,
                         GtkWidget      *widget,
                         StallFrameFunc  func,
                         gpointer        data);
void stall_frames_print (StallFrames *self);

G_END_DECLS
