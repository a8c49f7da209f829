#include "config.h"

#include "lessons/prism-lesson-page.h"

#include "lessons/prism-lesson-picture.h"

#include <glib/gi18n.h>

#define LINE 36 /* characters, so that the sidebar stays narrow */

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

static guint answered_signal;

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
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_max_width_chars (GTK_LABEL (label), LINE);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static void
on_answered (PrismLessonPage *self)
{
  self->touched = TRUE;
  g_signal_emit (self, answered_signal, 0);
}

/* No choice is made beforehand. Check buttons have no action for a screen reader in GTK 4.8. */
static void
append_choices (PrismLessonPage *self)
{
  for (guint i = 0; self->step->choices[i] != NULL; i++)
    {
      const char *text = self->step->choices[i];
      GtkWidget *button = gtk_toggle_button_new ();
      GtkWidget *label = gtk_label_new (text);

      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_label_set_max_width_chars (GTK_LABEL (label), LINE);
      gtk_button_set_child (GTK_BUTTON (button), label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                      -1);
      if (i > 0)
        gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), self->choices[0]);
      self->choices[i] = GTK_TOGGLE_BUTTON (button);
      g_signal_connect_swapped (button, "toggled", G_CALLBACK (on_answered), self);
      gtk_box_append (GTK_BOX (self->question), button);
    }
}

/* A slider to guess with and a field to type into. */
static void
append_number (PrismLessonPage *self)
{
  const PrismLessonStep *step = self->step;
  const char *name = prism_lesson_measure_get_label (step->measure);
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
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_box_append (GTK_BOX (line), scale);
  gtk_box_append (GTK_BOX (line), spin);
  gtk_box_append (GTK_BOX (line), gtk_label_new (prism_lesson_measure_get_unit (step->measure)));
  gtk_box_append (GTK_BOX (self->question), line);
  g_signal_connect_object (self->number, "value-changed", G_CALLBACK (on_answered), self,
                           G_CONNECT_SWAPPED);
}

static void
on_place (PrismLessonPage *self)
{
  const PrismLessonRegion middle = { 0.4, 0.4, 0.2, 0.2 };

  prism_lesson_picture_set_frame (self->picture, &middle);
  gtk_widget_grab_focus (GTK_WIDGET (self->picture));
  on_answered (self);
}

static void
append_drawing (PrismLessonPage *self,
                PrismImage *ground)
{
  const char *hint = _ ("Drag with the pointer, or place a frame and move it with the arrow keys;"
                        " with Shift they change its size.");
  GtkWidget *picture = prism_lesson_picture_new ();
  GtkWidget *button = gtk_button_new_with_label (_ ("Place a frame in the middle"));

  self->picture = PRISM_LESSON_PICTURE (picture);
  prism_lesson_picture_set_image (self->picture, ground);
  prism_lesson_picture_set_open (self->picture, TRUE);
  gtk_widget_set_size_request (picture, -1, 260);
  g_signal_connect_swapped (picture, "drawn", G_CALLBACK (on_answered), self);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (on_place), self);
  gtk_box_append (GTK_BOX (self->question), picture);
  gtk_box_append (GTK_BOX (self->question), button);
  prism_lesson_page_append_label (self->question, hint, "caption");
}

static void
prism_lesson_page_class_init (PrismLessonPageClass *klass)
{
  answered_signal = g_signal_new ("answered", PRISM_TYPE_LESSON_PAGE, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
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
    answer->given = prism_lesson_picture_get_frame (self->picture, &answer->region);
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

static PrismImage *
get_picture (const PrismLessonStep *step,
             const PrismSnapshot *snapshot)
{
  switch (step->picture)
    {
    case PRISM_LESSON_TARGET:
      return snapshot->target;
    case PRISM_LESSON_MEASUREMENT:
      return snapshot->measurement;
    case PRISM_LESSON_COVERED:
      return snapshot->coverage_plane;
    default:
      return snapshot->reconstruction;
    }
}

static GtkWidget *
new_picture (PrismImage *image,
             const char *caption)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *picture = prism_lesson_picture_new ();

  prism_lesson_picture_set_image (PRISM_LESSON_PICTURE (picture), image);
  gtk_widget_set_size_request (picture, -1, 150);
  gtk_widget_set_hexpand (picture, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (picture), GTK_ACCESSIBLE_PROPERTY_LABEL, caption,
                                  -1);
  gtk_box_append (GTK_BOX (box), picture);
  prism_lesson_page_append_label (box, caption, "caption");
  return box;
}

/* The result beside the object; of a drawing with both frames on it. */
static void
append_pictures (PrismLessonPage *self,
                 const PrismLessonAnswer *answer,
                 PrismSnapshot *snapshot)
{
  static const char *const captions[]
      = { N_ ("What came out"), N_ ("The object"), N_ ("One exposure"), N_ ("What was measured") };
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  PrismImage *image = get_picture (self->step, snapshot);
  GtkWidget *picture;

  gtk_box_set_homogeneous (GTK_BOX (line), TRUE);
  gtk_box_append (GTK_BOX (self), line);
  if (self->step->kind == PRISM_LESSON_DRAW)
    {
      gtk_box_append (GTK_BOX (line),
                      new_picture (image, _ ("Dashed and yellow: your frame; blue: where it is")));
      picture = gtk_widget_get_first_child (gtk_widget_get_first_child (line));
      gtk_widget_set_size_request (picture, -1, 260);
      prism_lesson_picture_set_frame (PRISM_LESSON_PICTURE (picture), &answer->region);
      prism_lesson_picture_set_answer (PRISM_LESSON_PICTURE (picture), &self->step->region);
      gtk_widget_set_visible (self->question, FALSE);
      return;
    }
  gtk_box_append (GTK_BOX (line), new_picture (image, _ (captions[self->step->picture])));
  if (snapshot->target != NULL && image != snapshot->target)
    gtk_box_append (GTK_BOX (line), new_picture (snapshot->target, _ ("The object")));
}

static void
attach (GtkGrid *grid,
        int row,
        const char *name,
        const char *value)
{
  GtkWidget *left = gtk_label_new (name);
  GtkWidget *right = gtk_label_new (value);

  gtk_label_set_xalign (GTK_LABEL (left), 0);
  gtk_label_set_xalign (GTK_LABEL (right), 0);
  gtk_label_set_yalign (GTK_LABEL (left), 0);
  gtk_label_set_wrap (GTK_LABEL (right), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (right), LINE);
  gtk_widget_add_css_class (left, "dim-label");
  gtk_widget_add_css_class (right, "heading");
  gtk_grid_attach (grid, left, 0, row, 1, 1);
  gtk_grid_attach (grid, right, 1, row, 1, 1);
}

static void
append_table (PrismLessonPage *self,
              const PrismLessonAnswer *answer,
              const PrismLessonResult *result)
{
  GtkWidget *grid = gtk_grid_new ();
  g_autofree char *predicted = prism_lesson_answer_dup_text (answer, self->step);
  g_autofree char *right = prism_lesson_step_dup_result (self->step, result);
  g_autofree char *psnr
      = prism_lesson_measure_dup_text (PRISM_LESSON_PSNR, result->values[PRISM_LESSON_PSNR]);
  g_autofree char *coverage = prism_lesson_measure_dup_text (
      PRISM_LESSON_COVERAGE, result->values[PRISM_LESSON_COVERAGE]);
  g_autofree char *numbers = g_strdup_printf (_ ("%s, %s covered"), psnr, coverage);

  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 3);
  if (self->step->kind != PRISM_LESSON_DRAW)
    {
      attach (GTK_GRID (grid), 0, _ ("Expected"), predicted);
      attach (GTK_GRID (grid), 1, _ ("Came out"), right);
    }
  attach (GTK_GRID (grid), 2, _ ("The run"), numbers);
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
 * Scrolls to what is asked with.
 */
void
prism_lesson_page_show_question (PrismLessonPage *self,
                                 GtkScrolledWindow *scroller)
{
  show_from (self->question, scroller);
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
