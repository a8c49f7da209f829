#include "config.h"

#include "lessons/prism-lesson-page.h"

#include "prism-picture.h"
#include "support/prism-widget.h"

#define LINE 36  /* characters, so that the sidebar stays narrow */
#define SIDE 130 /* logical pixels of a picture across, at least */
#define STEP 0.02
#define LEAST 0.02

/* A small picture of a run, on which a frame is drawn and another one is revealed. Signal: drawn,
 * when the frame was changed by hand. */
#define PRISM_TYPE_LESSON_PICTURE (prism_lesson_picture_get_type ())

G_DECLARE_FINAL_TYPE (PrismLessonPicture, prism_lesson_picture, PRISM, LESSON_PICTURE, GtkWidget)

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
  prism_widget_set_name (self, text);
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
  g_signal_emit_by_name (self, "drawn");
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
  g_signal_emit_by_name (self, "drawn");
  return GDK_EVENT_STOP;
}

static void
prism_lesson_picture_class_init (PrismLessonPictureClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_FINALIZE (klass, PrismLessonPicture, prism_picture_free, picture);
  widget_class->snapshot = prism_lesson_picture_snapshot;
  prism_signal_new (klass, "drawn", 0);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
prism_lesson_picture_init (PrismLessonPicture *self)
{
  prism_widget_control (self, gtk_gesture_drag_new (), self, "drag-begin", on_drag_begin,
                        "drag-update", on_drag_update, NULL);
  prism_widget_control (self, gtk_event_controller_key_new (), self, "key-pressed", on_key, NULL);
  name_frame (self);
}

/* @image: (nullable): what it shows, from its least to its largest value; black where it is NULL */
static PrismLessonPicture *
picture_new (PrismImage *image)
{
  PrismLessonPicture *self = g_object_new (PRISM_TYPE_LESSON_PICTURE, NULL);
  PrismMapping mapping;

  self->width = image != NULL ? image->width : 1;
  self->height = image != NULL ? image->height : 1;
  prism_mapping_init (&mapping);
  mapping.colormap = PRISM_COLORMAP_GREY;
  mapping.levels = PRISM_LEVELS_MIN_MAX;
  if (image != NULL)
    self->picture = prism_picture_new (image, NULL, &mapping, NULL);
  return self;
}

struct _PrismLessonPage
{
  GtkBox parent_instance;

  const PrismLessonStep *step; /* of the panel's lesson, which lives longer */
  GtkWidget *question;         /* box of what is asked with */
  GtkToggleButton *choices[PRISM_LESSON_MOST_CHOICES];
  GtkAdjustment *number;       /* (nullable) */
  PrismLessonPicture *picture; /* (nullable): that is drawn on */
  GtkWidget *verdict;          /* (nullable): where the reveal begins */
  gboolean touched;            /* a number was chosen */
};

G_DEFINE_FINAL_TYPE (PrismLessonPage, prism_lesson_page, GTK_TYPE_BOX)

/**
 * prism_lesson_page_append_label:
 * @box: a box of the lesson's sidebar
 * @text: of one paragraph
 * @style: (nullable): a style class
 *
 * Appends a label that wraps at the sidebar's width.
 *
 * Returns: (transfer none): the label
 */
GtkWidget *
prism_lesson_page_append_label (GtkWidget *box,
                                const char *text,
                                const char *style)
{
  GtkWidget *label = prism_label_new (text, style, LINE);

  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
on_answered (PrismLessonPage *self)
{
  self->touched = TRUE;
  g_signal_emit_by_name (self, "answered");
}

/* No choice is made beforehand. Check buttons have no action for a screen reader in GTK 4.8. */
static void
append_choices (PrismLessonPage *self)
{
  for (guint i = 0; self->step->choices[i] != NULL; i++)
    {
      const char *text = self->step->choices[i];
      GtkWidget *button = gtk_toggle_button_new ();

      gtk_button_set_child (GTK_BUTTON (button), prism_label_new (text, NULL, LINE));
      prism_widget_set_name (button, text);
      if (i > 0)
        gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), self->choices[0]);
      self->choices[i] = GTK_TOGGLE_BUTTON (button);
      PRISM_CONNECT (button, "toggled", on_answered, self);
      gtk_box_append (GTK_BOX (self->question), button);
    }
}

/* A slider to guess with and a field to type into. */
static void
append_number (PrismLessonPage *self)
{
  const PrismLessonStep *step = self->step;
  const char *name = _ (prism_lesson_numbers[step->measure].label);
  double range = step->high - step->low;
  guint digits = range > 10 ? 0 : 2;
  double grain = range > 10 ? 1 : 0.01;
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *scale;
  GtkWidget *spin;

  self->number = gtk_adjustment_new (step->low, step->low, step->high, grain, 10 * grain, 0);
  scale = gtk_scale_new (GTK_ORIENTATION_HORIZONTAL, self->number);
  spin = gtk_spin_button_new (self->number, grain, digits);
  gtk_widget_set_hexpand (scale, TRUE);
  /* What is predicted is what the field shows. */
  gtk_range_set_round_digits (GTK_RANGE (scale), (int) digits);
  prism_widget_set_name (scale, name);
  prism_widget_set_name (spin, name);
  gtk_box_append (GTK_BOX (line), scale);
  gtk_box_append (GTK_BOX (line), spin);
  gtk_box_append (GTK_BOX (line), gtk_label_new (prism_lesson_numbers[step->measure].unit));
  gtk_box_append (GTK_BOX (self->question), line);
  PRISM_CONNECT (self->number, "value-changed", on_answered, self);
}

static void
on_place (PrismLessonPage *self)
{
  const PrismLessonRegion middle = { 0.4, 0.4, 0.2, 0.2 };

  self->picture->frame = middle;
  self->picture->has_frame = TRUE;
  changed (self->picture);
  gtk_widget_grab_focus (GTK_WIDGET (self->picture));
  on_answered (self);
}

static void
append_drawing (PrismLessonPage *self,
                PrismImage *ground)
{
  const char *hint = _ ("Drag with the pointer, or place a frame and move it with the arrow keys;"
                        " with Shift they change its size.");
  GtkWidget *button = gtk_button_new_with_label (_ ("Place a frame in the middle"));
  GtkWidget *picture;

  self->picture = picture_new (ground);
  self->picture->open = TRUE;
  name_frame (self->picture);
  picture = GTK_WIDGET (self->picture);
  gtk_widget_set_focusable (picture, TRUE);
  gtk_widget_set_cursor_from_name (picture, "crosshair");
  gtk_widget_set_size_request (picture, SIDE, 260);
  PRISM_CONNECT (picture, "drawn", on_answered, self);
  PRISM_CONNECT (button, "clicked", on_place, self);
  gtk_box_append (GTK_BOX (self->question), picture);
  gtk_box_append (GTK_BOX (self->question), button);
  prism_lesson_page_append_label (self->question, hint, "caption");
}

static void
prism_lesson_page_class_init (PrismLessonPageClass *klass)
{
  prism_signal_new (klass, "answered", 0);
}

static void
prism_lesson_page_init (PrismLessonPage *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 12);
}

/**
 * prism_lesson_page_new:
 * @step: of a lesson that lives longer than the page
 * @ground: (nullable): picture to draw on
 *
 * Returns: (transfer floating): the page of a step that was not answered
 */
GtkWidget *
prism_lesson_page_new (const PrismLessonStep *step,
                       PrismImage *ground)
{
  PrismLessonPage *self = g_object_new (PRISM_TYPE_LESSON_PAGE, NULL);

  self->step = step;
  prism_lesson_page_append_label (GTK_WIDGET (self), step->title, "title-3");
  prism_lesson_page_append_label (GTK_WIDGET (self), step->text, NULL);
  prism_lesson_page_append_label (GTK_WIDGET (self), step->question, "heading");
  self->question = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_box_append (GTK_BOX (self), self->question);
  if (step->kind == PRISM_LESSON_NUMBER)
    append_number (self);
  else if (step->kind == PRISM_LESSON_DRAW)
    append_drawing (self, ground);
  else
    append_choices (self);
  return GTK_WIDGET (self);
}

/**
 * prism_lesson_page_get_answer:
 * @self: a page
 * @answer: (out caller-allocates): what was predicted
 *
 * Returns: whether there is an answer
 */
gboolean
prism_lesson_page_get_answer (PrismLessonPage *self,
                              PrismLessonAnswer *answer)
{
  *answer = (PrismLessonAnswer) { 0 };
  if (self->picture != NULL)
    {
      answer->given = self->picture->has_frame;
      answer->region = self->picture->frame;
    }
  else if (self->number != NULL)
    {
      answer->given = self->touched;
      answer->number = gtk_adjustment_get_value (self->number);
    }
  else
    for (guint i = 0; i < PRISM_LESSON_MOST_CHOICES && self->choices[i] != NULL; i++)
      if (gtk_toggle_button_get_active (self->choices[i]))
        {
          answer->given = TRUE;
          answer->choice = i;
        }
  return answer->given;
}

/**
 * prism_lesson_page_lock:
 * @self: a page with an answer
 *
 * Keeps the answer as it is from now on.
 */
void
prism_lesson_page_lock (PrismLessonPage *self)
{
  gtk_widget_set_sensitive (self->question, FALSE);
  /* A screen reader is told of a widget's own state alone. */
  for (guint i = 0; i < PRISM_LESSON_MOST_CHOICES && self->choices[i] != NULL; i++)
    gtk_widget_set_sensitive (GTK_WIDGET (self->choices[i]), FALSE);
}

/* The middle of an exposure, where the object is. NULL without memory. */
static PrismImage *
cut_exposure (const PrismImage *exposure,
              const PrismImage *object)
{
  PrismImage *part = prism_image_new (object->height, object->width, NULL);
  const int top = (exposure->height - object->height) / 2;
  const int left = (exposure->width - object->width) / 2;

  for (int y = 0; part != NULL && y < part->height; y++)
    memcpy (part->pixels + (gsize) y * part->width,
            exposure->pixels + (gsize) (top + y) * exposure->width + left,
            (gsize) part->width * sizeof *part->pixels);
  return part;
}

/**
 * prism_lesson_page_dup_picture:
 * @step: of a lesson
 * @snapshot: of its run
 *
 * Returns: (transfer full) (nullable): what is shown beside the object; of an exposure the part
 *   where the object is, so that both have one scale
 */
PrismImage *
prism_lesson_page_dup_picture (const PrismLessonStep *step,
                               const PrismSnapshot *snapshot)
{
  PrismImage *const images[PRISM_LESSON_N_PICTURES]
      = { snapshot->reconstruction, snapshot->target, snapshot->measurement,
          snapshot->coverage_plane, snapshot->reconstruction };
  PrismImage *image = images[step->picture];

  if (image == NULL || step->picture != PRISM_LESSON_MEASUREMENT || snapshot->target == NULL)
    return prism_image_ref (image);
  return cut_exposure (image, snapshot->target);
}

static PrismLessonPicture *
append_picture (GtkWidget *line,
                PrismImage *image,
                const char *caption)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *picture = GTK_WIDGET (picture_new (image));

  gtk_widget_set_size_request (picture, SIDE, 150);
  gtk_widget_set_hexpand (picture, TRUE);
  prism_widget_set_name (picture, caption);
  gtk_box_append (GTK_BOX (box), picture);
  prism_lesson_page_append_label (box, caption, "caption");
  gtk_box_append (GTK_BOX (line), box);
  return PRISM_LESSON_PICTURE (picture);
}

/* The result beside the object; of a drawing with both frames on it. */
static void
append_pictures (PrismLessonPage *self,
                 const PrismLessonAnswer *answer,
                 PrismSnapshot *snapshot)
{
  static const char *const captions[]
      = { N_ ("What came out"), N_ ("The object"), N_ ("One exposure"), N_ ("What was measured"),
          N_ ("What came out") };
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autoptr (PrismImage) image = prism_lesson_page_dup_picture (self->step, snapshot);
  PrismLessonPicture *picture;

  gtk_box_set_homogeneous (GTK_BOX (line), TRUE);
  gtk_box_append (GTK_BOX (self), line);
  if (self->step->kind == PRISM_LESSON_DRAW)
    {
      picture
          = append_picture (line, image, _ ("Dashed and yellow: your frame; blue: where it is"));
      gtk_widget_set_size_request (GTK_WIDGET (picture), SIDE, 260);
      picture->has_frame = picture->has_answer = TRUE;
      picture->frame = answer->region;
      picture->answer = self->step->region;
      changed (picture);
      gtk_widget_set_visible (self->question, FALSE);
      return;
    }
  append_picture (line, image, _ (captions[self->step->picture]));
  if (snapshot->target != NULL && image != snapshot->target)
    append_picture (line, snapshot->target, _ ("The object"));
}

static void
attach (GtkGrid *grid,
        int row,
        const char *name,
        const char *value)
{
  GtkWidget *left = prism_label_new (name, "dim-label", -1);

  gtk_label_set_yalign (GTK_LABEL (left), 0);
  gtk_grid_attach (grid, left, 0, row, 1, 1);
  gtk_grid_attach (grid, prism_label_new (value, "heading", LINE), 1, row, 1, 1);
}

static void
append_table (PrismLessonPage *self,
              const PrismLessonAnswer *answer,
              const PrismLessonResult *result)
{
  GtkWidget *grid = gtk_grid_new ();
  g_autofree char *predicted = prism_lesson_answer_dup_text (answer, self->step);
  g_autofree char *right = prism_lesson_step_dup_result (self->step, result);
  const gboolean recorded = self->step->recipe != NULL;
  const PrismLessonMeasure first = recorded ? PRISM_LESSON_MISFIT : PRISM_LESSON_PSNR;
  const PrismLessonMeasure second = recorded ? PRISM_LESSON_CORRELATION : PRISM_LESSON_COVERAGE;
  g_autofree char *one = prism_lesson_measure_dup_text (first, result->values[first]);
  g_autofree char *other = prism_lesson_measure_dup_text (second, result->values[second]);
  g_autofree char *numbers = g_strdup_printf (
      recorded ? _ ("misfit %s, correlation %s") : _ ("%s, %s covered"), one, other);

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 3);
  if (self->step->kind != PRISM_LESSON_DRAW)
    {
      attach (GTK_GRID (grid), 0, _ ("Expected"), predicted);
      attach (GTK_GRID (grid), 1, _ ("Came out"), right);
    }
  attach (GTK_GRID (grid), 2, _ ("Reconstruction"), numbers);
  gtk_box_append (GTK_BOX (self), grid);
}

/**
 * prism_lesson_page_reveal:
 * @self: a page with an answer
 * @answer: what was predicted
 * @result: what came out
 * @snapshot: of the run
 *
 * Shows prediction and result side by side, and why it is so.
 */
void
prism_lesson_page_reveal (PrismLessonPage *self,
                          const PrismLessonAnswer *answer,
                          const PrismLessonResult *result,
                          PrismSnapshot *snapshot)
{
  g_autofree char *sentence = prism_lesson_answer_dup_reveal (answer, self->step, result);
  gboolean right = prism_lesson_answer_is_right (answer, self->step, result);

  self->verdict = prism_lesson_page_append_label (GTK_WIDGET (self), sentence,
                                                  right ? "success" : "heading");
  append_table (self, answer, result);
  append_pictures (self, answer, snapshot);
  prism_lesson_page_append_label (GTK_WIDGET (self), self->step->why, NULL);
}

/* Scrolls so that a part of a page is seen from its beginning, as far as there is a page below. */
static void
show_from (GtkWidget *part,
           GtkScrolledWindow *scroller)
{
  GtkWidget *page = gtk_widget_get_parent (part);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (scroller);
  graphene_rect_t place;

  if (gtk_widget_compute_bounds (part, page, &place))
    gtk_adjustment_set_value (adjustment, place.origin.y);
}

/* What was appended has a place after the next layout alone. */
static gboolean
on_frame (GtkWidget *part,
          GdkFrameClock *clock,
          gpointer scroller)
{
  if (gtk_widget_get_height (part) == 0)
    return G_SOURCE_CONTINUE;
  show_from (part, scroller);
  return G_SOURCE_REMOVE;
}

/**
 * prism_lesson_page_show_question:
 * @self: a page
 * @scroller: that has it
 *
 * Scrolls to what is asked with, and moves the keyboard there.
 *
 * Returns: whether it could; not once the answer is kept
 */
gboolean
prism_lesson_page_show_question (PrismLessonPage *self,
                                 GtkScrolledWindow *scroller)
{
  show_from (self->question, scroller);
  return gtk_widget_child_focus (self->question, GTK_DIR_TAB_FORWARD);
}

/**
 * prism_lesson_page_show_reveal:
 * @self: a page that was revealed
 * @scroller: that has it
 *
 * Scrolls to what came out, as soon as it has its place.
 */
void
prism_lesson_page_show_reveal (PrismLessonPage *self,
                               GtkScrolledWindow *scroller)
{
  g_return_if_fail (self->verdict != NULL);

  gtk_widget_add_tick_callback (self->verdict, on_frame, g_object_ref (scroller), g_object_unref);
}
