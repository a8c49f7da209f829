#include "config.h"

#include "lessons/prism-lesson-picture.h"

#include "prism-picture.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define SIDE 130 /* logical pixels, at least */
#define STEP 0.02
#define LEAST 0.02

struct _PrismLessonPicture
{
  GtkWidget parent_instance;

  PrismPicture *picture; /* (nullable) */
  int width;             /* of the image */
  int height;
  gboolean open; /* a frame can be drawn */
  gboolean has_frame;
  gboolean has_answer;
  PrismLessonRegion frame;
  PrismLessonRegion answer;
  double start_x; /* of a drag, in parts of the picture */
  double start_y;
};

static guint drawn_signal;

G_DEFINE_FINAL_TYPE (PrismLessonPicture, prism_lesson_picture, GTK_TYPE_WIDGET)

/* The square in the middle. */
static void
init_frame (PrismLessonPicture *self,
            PrismFrame *frame)
{
  prism_frame_init (frame, gtk_widget_get_width (GTK_WIDGET (self)),
                    gtk_widget_get_height (GTK_WIDGET (self)), MAX (self->width, 1),
                    MAX (self->height, 1));
  frame->device_scale = gtk_widget_get_scale_factor (GTK_WIDGET (self));
}

static void
name_frame (PrismLessonPicture *self)
{
  g_autofree char *text = NULL;

  if (self->has_frame)
    text = g_strdup_printf (_ ("Frame from %.0f %%, %.0f %%, of %.0f %% × %.0f %%"),
                            100 * self->frame.x, 100 * self->frame.y, 100 * self->frame.width,
                            100 * self->frame.height);
  else
    text = g_strdup (self->open ? _ ("Picture to draw a frame on") : _ ("Picture"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void
changed (PrismLessonPicture *self)
{
  name_frame (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
stroke (cairo_t *cr,
        const PrismFrame *place,
        const PrismLessonRegion *region,
        const PrismColor *color,
        gboolean dashed)
{
  const double dashes[] = { 6, 4 };
  double width = place->scale * place->image_width;
  double height = place->scale * place->image_height;

  cairo_rectangle (cr, place->x0 + region->x * width, place->y0 + region->y * height,
                   region->width * width, region->height * height);
  cairo_set_dash (cr, dashes, dashed ? 2 : 0, 0);
  cairo_set_line_width (cr, 5);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.6);
  cairo_stroke_preserve (cr);
  cairo_set_line_width (cr, 2.5);
  cairo_set_source_rgba (cr, color->red, color->green, color->blue, 1);
  cairo_stroke (cr);
}

static void
prism_lesson_picture_snapshot (GtkWidget *widget,
                               GtkSnapshot *snapshot)
{
  /* Prediction and answer: apart for colour-blind eyes too, and one of them dashed. */
  static const PrismColor predicted = { 1.0f, 0.76f, 0.03f, 1.0f };
  static const PrismColor right = { 0.33f, 0.75f, 1.0f, 1.0f };
  PrismLessonPicture *self = PRISM_LESSON_PICTURE (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  cairo_t *cr;
  PrismFrame frame;

  if (width <= 0 || height <= 0)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  init_frame (self, &frame);
  cairo_rectangle (cr, frame.x0, frame.y0, frame.scale * frame.image_width,
                   frame.scale * frame.image_height);
  cairo_clip (cr);
  cairo_set_source_rgb (cr, 0, 0, 0);
  cairo_paint (cr);
  if (self->picture != NULL)
    prism_picture_draw (self->picture, cr, &frame);
  if (self->has_answer)
    stroke (cr, &frame, &self->answer, &right, FALSE);
  if (self->has_frame)
    stroke (cr, &frame, &self->frame, &predicted, TRUE);
  cairo_destroy (cr);
}

static void
prism_lesson_picture_measure (GtkWidget *widget,
                              GtkOrientation orientation,
                              int for_size,
                              int *minimum,
                              int *natural,
                              int *minimum_baseline,
                              int *natural_baseline)
{
  *minimum = *natural = SIDE;
}

/* Where a place of the widget is in the picture, 0…1. */
static void
locate (PrismLessonPicture *self,
        double x,
        double y,
        double *u,
        double *v)
{
  PrismFrame frame;

  init_frame (self, &frame);
  *u = CLAMP ((x - frame.x0) / (frame.scale * frame.image_width), 0, 1);
  *v = CLAMP ((y - frame.y0) / (frame.scale * frame.image_height), 0, 1);
}

static void
on_drag_begin (PrismLessonPicture *self,
               double x,
               double y)
{
  if (!self->open)
    return;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  locate (self, x, y, &self->start_x, &self->start_y);
}

static void
on_drag_update (PrismLessonPicture *self,
                double dx,
                double dy,
                GtkGestureDrag *gesture)
{
  double x, y, u, v;

  if (!self->open || !gtk_gesture_drag_get_start_point (gesture, &x, &y))
    return;
  locate (self, x + dx, y + dy, &u, &v);
  if (fabs (u - self->start_x) < LEAST || fabs (v - self->start_y) < LEAST)
    return;
  self->frame = (PrismLessonRegion) { fmin (u, self->start_x), fmin (v, self->start_y),
                                      fabs (u - self->start_x), fabs (v - self->start_y) };
  self->has_frame = TRUE;
  changed (self);
  g_signal_emit (self, drawn_signal, 0);
}

/* Arrows move the frame, with Shift they change its size. */
static gboolean
on_key (PrismLessonPicture *self,
        guint key,
        guint code,
        GdkModifierType modifiers)
{
  double dx = (key == GDK_KEY_Right || key == GDK_KEY_KP_Right)
              - (key == GDK_KEY_Left || key == GDK_KEY_KP_Left);
  double dy = (key == GDK_KEY_Down || key == GDK_KEY_KP_Down)
              - (key == GDK_KEY_Up || key == GDK_KEY_KP_Up);
  PrismLessonRegion *frame = &self->frame;

  if (!self->open || !self->has_frame || (dx == 0 && dy == 0))
    return GDK_EVENT_PROPAGATE;
  if ((modifiers & GDK_SHIFT_MASK) != 0)
    {
      frame->width = CLAMP (frame->width + STEP * dx, LEAST, 1 - frame->x);
      frame->height = CLAMP (frame->height + STEP * dy, LEAST, 1 - frame->y);
    }
  else
    {
      frame->x = CLAMP (frame->x + STEP * dx, 0, 1 - frame->width);
      frame->y = CLAMP (frame->y + STEP * dy, 0, 1 - frame->height);
    }
  changed (self);
  g_signal_emit (self, drawn_signal, 0);
  return GDK_EVENT_STOP;
}

static void
prism_lesson_picture_finalize (GObject *object)
{
  PrismLessonPicture *self = PRISM_LESSON_PICTURE (object);

  g_clear_pointer (&self->picture, prism_picture_free);
  G_OBJECT_CLASS (prism_lesson_picture_parent_class)->finalize (object);
}

static void
prism_lesson_picture_class_init (PrismLessonPictureClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = prism_lesson_picture_finalize;
  widget_class->snapshot = prism_lesson_picture_snapshot;
  widget_class->measure = prism_lesson_picture_measure;
  drawn_signal = g_signal_new ("drawn", PRISM_TYPE_LESSON_PICTURE, G_SIGNAL_RUN_LAST, 0, NULL,
                               NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
prism_lesson_picture_init (PrismLessonPicture *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *keys = gtk_event_controller_key_new ();

  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect_swapped (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), keys);
  name_frame (self);
}

/**
 * prism_lesson_picture_new:
 *
 * Returns: (transfer floating): an empty picture
 */
GtkWidget *
prism_lesson_picture_new (void)
{
  return g_object_new (PRISM_TYPE_LESSON_PICTURE, NULL);
}

/**
 * prism_lesson_picture_set_image:
 * @self: a picture
 * @image: (nullable): what it shows, from its least to its largest value; black where it is %NULL
 */
void
prism_lesson_picture_set_image (PrismLessonPicture *self,
                                PrismImage *image)
{
  PrismMapping mapping;

  g_clear_pointer (&self->picture, prism_picture_free);
  self->width = image != NULL ? image->width : 1;
  self->height = image != NULL ? image->height : 1;
  prism_mapping_init (&mapping);
  mapping.colormap = PRISM_COLORMAP_GREY;
  mapping.levels = PRISM_LEVELS_MIN_MAX;
  if (image != NULL)
    self->picture = prism_picture_new (image, NULL, &mapping, NULL);
  changed (self);
}

/**
 * prism_lesson_picture_set_open:
 * @self: a picture
 * @open: whether a frame can be drawn with pointer and keys
 */
void
prism_lesson_picture_set_open (PrismLessonPicture *self,
                               gboolean open)
{
  self->open = open;
  gtk_widget_set_focusable (GTK_WIDGET (self), open);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), open ? "crosshair" : NULL);
  name_frame (self);
}

/**
 * prism_lesson_picture_set_frame:
 * @self: a picture
 * @frame: (nullable): what is predicted
 */
void
prism_lesson_picture_set_frame (PrismLessonPicture *self,
                                const PrismLessonRegion *frame)
{
  self->has_frame = frame != NULL;
  if (frame != NULL)
    self->frame = *frame;
  changed (self);
}

/**
 * prism_lesson_picture_get_frame:
 * @self: a picture
 * @frame: (out): what is predicted
 *
 * Returns: whether a frame was drawn
 */
gboolean
prism_lesson_picture_get_frame (PrismLessonPicture *self,
                                PrismLessonRegion *frame)
{
  *frame = self->frame;
  return self->has_frame;
}

/**
 * prism_lesson_picture_set_answer:
 * @self: a picture
 * @answer: (nullable): what is right
 */
void
prism_lesson_picture_set_answer (PrismLessonPicture *self,
                                 const PrismLessonRegion *answer)
{
  self->has_answer = answer != NULL;
  if (answer != NULL)
    self->answer = *answer;
  changed (self);
}
