#include "config.h"

#include "compare/prism-compare-images.h"

#include "base/prism-each.h"
#include "canvas/prism-image-view.h"
#include "prism-report.h"
#include "session/prism-run-diff.h"
#include "support/prism-settings.h"
#include "support/prism-widget.h"

#define GAP 6
/* How near to the divider the pointer takes hold of it. */
#define REACH 10
#define MIN_SIZE 120
/* Of a picture beside others: two screen pixels for each of a usual one. The window begins with
 * room for four, or for as many as there are, as far as the monitor goes. */
#define NATURAL_SIZE 400
#define USUAL 4

G_DEFINE_FINAL_TYPE (PrismCompareStage, prism_compare_stage, GTK_TYPE_WIDGET)

static gboolean
has_divider (PrismCompareStage *self)
{
  return self->mode == PRISM_COMPARE_SWIPE && self->views->len > 1;
}

static double
get_divider_x (PrismCompareStage *self)
{
  return gtk_adjustment_get_value (self->divider) * gtk_widget_get_width (GTK_WIDGET (self));
}

static gboolean
is_shown (PrismCompareStage *self,
          guint i)
{
  if (self->mode == PRISM_COMPARE_BLINK)
    return i == self->current;
  return self->mode == PRISM_COMPARE_SIDE_BY_SIDE || i == self->sides[0] || i == self->sides[1];
}

static void
update_children (PrismCompareStage *self)
{
  for (guint i = 0; i < self->views->len; i++)
    {
      gtk_widget_set_child_visible (self->views->pdata[i], is_shown (self, i));
      /* Each side says what it shows at the cursor, where the other one does not cover it. */
      gtk_widget_set_halign (GTK_WIDGET (PRISM_VIEW (self->views->pdata[i])->probe_label),
                             has_divider (self) && i == self->sides[1] ? GTK_ALIGN_END
                                                                       : GTK_ALIGN_START);
      /* The header with the name, which stands above the divider. */
      gtk_widget_set_visible (gtk_widget_get_first_child (self->views->pdata[i]),
                              !has_divider (self));
    }
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/* As many columns as make the views largest. */
static guint
count_columns (PrismCompareStage *self,
               int width,
               int height)
{
  guint n = self->views->len;
  guint best = 1;
  double largest = 0;

  for (guint columns = 1; columns <= n; columns++)
    {
      guint rows = (n + columns - 1) / columns;
      double side = MIN ((double) width / columns, (double) height / rows);

      if (side > largest)
        {
          largest = side;
          best = columns;
        }
    }
  return best;
}

static void
allocate_grid (PrismCompareStage *self,
               int width,
               int height)
{
  guint n = self->views->len;
  guint columns = count_columns (self, width, height);
  guint rows = n > 0 ? (n + columns - 1) / columns : 1;
  int cell_width = MAX (1, (width - GAP * ((int) columns - 1)) / (int) columns);
  int cell_height = MAX (1, (height - GAP * ((int) rows - 1)) / (int) rows);

  for (guint i = 0; i < n; i++)
    {
      GtkAllocation cell = { (int) (i % columns) * (cell_width + GAP),
                             (int) (i / columns) * (cell_height + GAP), cell_width, cell_height };
      gtk_widget_size_allocate (self->views->pdata[i], &cell, -1);
    }
}

static void
prism_compare_stage_size_allocate (GtkWidget *widget,
                                   int width,
                                   int height,
                                   int baseline)
{
  PrismCompareStage *self = PRISM_COMPARE_STAGE (widget);

  if (self->mode == PRISM_COMPARE_SIDE_BY_SIDE)
    allocate_grid (self, width, height);
  else
    PRISM_FOR_EACH_POINTER (GtkWidget, view, self->views)
      gtk_widget_size_allocate (view, &(GtkAllocation) { 0, 0, width, height },
                                -1);
}

static void
prism_compare_stage_measure (GtkWidget *widget,
                             GtkOrientation orientation,
                             int for_size,
                             int *minimum,
                             int *natural,
                             int *minimum_baseline,
                             int *natural_baseline)
{
  PrismCompareStage *self = PRISM_COMPARE_STAGE (widget);

  *minimum = MIN_SIZE;
  *natural = (int) ceil (sqrt (MAX (self->views->len, USUAL))) * (NATURAL_SIZE + GAP);
  PRISM_FOR_EACH_POINTER (GtkWidget, view, self->views)
    {
      int child;

      gtk_widget_measure (view, orientation, -1, &child, NULL, NULL, NULL);
      *minimum = MAX (*minimum, child);
    }
  *natural = MAX (*natural, *minimum);
}

static void
snapshot_part (PrismCompareStage *self,
               GtkSnapshot *snapshot,
               guint i,
               double x,
               double width)
{
  int height = gtk_widget_get_height (GTK_WIDGET (self));

  gtk_snapshot_push_clip (snapshot, &GRAPHENE_RECT_INIT (x, 0, width, height));
  gtk_widget_snapshot_child (GTK_WIDGET (self), self->views->pdata[i], snapshot);
  gtk_snapshot_pop (snapshot);
}

static void
snapshot_divider (PrismCompareStage *self,
                  GtkSnapshot *snapshot,
                  double x)
{
  static const GdkRGBA shade = { 0, 0, 0, 0.6 };
  static const GdkRGBA line = { 1, 1, 1, 0.95 };
  int height = gtk_widget_get_height (GTK_WIDGET (self));
  double middle = height / 2.0;

  gtk_snapshot_append_color (snapshot, &shade, &GRAPHENE_RECT_INIT (x - 2, 0, 4, height));
  gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (x - 1, 0, 2, height));
  gtk_snapshot_append_color (snapshot, &shade, &GRAPHENE_RECT_INIT (x - 5, middle - 17, 10, 34));
  gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (x - 4, middle - 16, 8, 32));
}

static void
prism_compare_stage_snapshot (GtkWidget *widget,
                              GtkSnapshot *snapshot)
{
  PrismCompareStage *self = PRISM_COMPARE_STAGE (widget);
  double x = round (get_divider_x (self));

  if (!has_divider (self))
    {
      for (guint i = 0; i < self->views->len; i++)
        if (is_shown (self, i))
          gtk_widget_snapshot_child (widget, self->views->pdata[i], snapshot);
      return;
    }
  snapshot_part (self, snapshot, self->sides[0], 0, x);
  snapshot_part (self, snapshot, self->sides[1], x, gtk_widget_get_width (widget) - x);
  snapshot_divider (self, snapshot, x);
}

static gboolean
is_near_divider (PrismCompareStage *self,
                 double x)
{
  return has_divider (self) && fabs (x - get_divider_x (self)) <= REACH;
}

static void
on_drag_begin (PrismCompareStage *self,
               double x,
               double y,
               GtkGestureDrag *gesture)
{
  self->dragging = is_near_divider (self, x);
  gtk_gesture_set_state (GTK_GESTURE (gesture), self->dragging ? GTK_EVENT_SEQUENCE_CLAIMED
                                                               : GTK_EVENT_SEQUENCE_DENIED);
}

static void
on_drag_update (PrismCompareStage *self,
                double offset_x,
                double offset_y,
                GtkGestureDrag *gesture)
{
  double x, y;

  if (self->dragging && gtk_gesture_drag_get_start_point (gesture, &x, &y))
    gtk_adjustment_set_value (self->divider,
                              (x + offset_x) / MAX (1, gtk_widget_get_width (GTK_WIDGET (self))));
}

/* The pointer reads the picture that is seen below it. */
static void
on_motion (PrismCompareStage *self,
           double x)
{
  for (guint i = 0; i < self->views->len; i++)
    gtk_widget_set_can_target (self->views->pdata[i],
                               !has_divider (self)
                                   || i == self->sides[x < get_divider_x (self) ? 0 : 1]);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   is_near_divider (self, x) ? "col-resize" : NULL);
}

static void
drop_views (PrismCompareStage *self)
{
  PRISM_FOR_EACH_POINTER (GtkWidget, view, self->views)
    gtk_widget_unparent (view);
  g_ptr_array_set_size (self->views, 0);
}

static void
prism_compare_stage_class_init (PrismCompareStageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, drop_views);
  PRISM_DISPOSE (klass, PrismCompareStage, g_object_unref, divider);
  PRISM_FINALIZE (klass, PrismCompareStage, g_ptr_array_unref, views);
  widget_class->size_allocate = prism_compare_stage_size_allocate;
  widget_class->measure = prism_compare_stage_measure;
  widget_class->snapshot = prism_compare_stage_snapshot;
  gtk_widget_class_set_css_name (widget_class, "prism-compare-stage");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_compare_stage_init (PrismCompareStage *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->views = g_ptr_array_new ();
  self->divider = g_object_ref_sink (gtk_adjustment_new (0.5, 0, 1, 0.01, 0.1, 0));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  PRISM_CONNECT (self->divider, "value-changed", gtk_widget_queue_draw, self);
  /* Before the view below, which would move its picture. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  gtk_event_controller_set_propagation_phase (motion, GTK_PHASE_CAPTURE);
  prism_widget_control (self, drag, self, "drag-begin", on_drag_begin, "drag-update",
                        on_drag_update, NULL);
  prism_widget_control (self, motion, self, "motion", on_motion, NULL);
}

/* In place of those before; the first comes to be seen when they blink. */
static void
set_views (PrismCompareStage *self,
           GPtrArray *views)
{
  drop_views (self);
  for (guint i = 0; i < views->len; i++)
    {
      gtk_widget_set_parent (views->pdata[i], GTK_WIDGET (self));
      g_ptr_array_add (self->views, views->pdata[i]);
    }
  self->current = 0;
  update_children (self);
}

/**
 * prism_compare_stage_set_current:
 * @self: a stage
 * @current: index of a view; beyond the last one it starts again
 *
 * Chooses the view that is to be seen when they blink.
 */
void
prism_compare_stage_set_current (PrismCompareStage *self,
                                 guint current)
{
  self->current = self->views->len > 0 ? current % self->views->len : 0;
  update_children (self);
}

/* The entries of the list “Show”. */
enum
{
  SHOW_RECONSTRUCTION,
  SHOW_ERROR,
  SHOW_DIFFERENCE,
  SHOW_PHASE,
  N_SHOWN,
};

/* The entries of the list “Limits”. */
enum
{
  LIMITS_OF_OBJECTS,
  LIMITS_OF_PICTURES, /* 1 and 99 % of what is seen */
  LIMITS_KEPT,        /* whatever runs come and go */
};

struct _PrismCompareImages
{
  AdwBin parent_instance;

  GtkDropDown *kind;
  GtkDropDown *colors; /* of PrismColormap, without that of differences */
  GtkDropDown *limits;
  GtkToggleButton *modes[PRISM_COMPARE_SWIPE + 1];
  GtkWidget *interval_box;
  GtkSpinButton *interval; /* s */
  GtkWidget *swipe_box;
  GtkRange *swipe;
  GtkWidget *names; /* of the pictures on either side */
  GtkDropDown *sides[2];
  GtkStack *stack;
  PrismCompareStage *stage;
  PrismColorBar *color_bar;

  PrismViewport *viewport; /* of all views */
  PrismComparison *comparison;
  PrismMapping mappings[N_SHOWN]; /* the last of each kind */
  gboolean mapped[N_SHOWN];
  guint blink_id;
};

G_DEFINE_FINAL_TYPE (PrismCompareImages, prism_compare_images, ADW_TYPE_BIN)

static gboolean
on_blink (gpointer data)
{
  PrismCompareImages *self = data;

  prism_compare_stage_set_current (self->stage, self->stage->current + 1);
  return G_SOURCE_CONTINUE;
}

/* Only while it is to be seen. */
static void
update_blinking (PrismCompareImages *self)
{
  g_clear_handle_id (&self->blink_id, g_source_remove);
  if (self->stage->mode == PRISM_COMPARE_BLINK
      && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->blink_id
        = g_timeout_add ((guint) (1000 * gtk_spin_button_get_value (self->interval)), on_blink,
                         self);
}

static void
update_sides (PrismCompareImages *self)
{
  for (guint side = 0; side < 2; side++)
    self->stage->sides[side] = gtk_drop_down_get_selected (self->sides[side]);
  gtk_widget_set_visible (self->names, has_divider (self->stage));
  update_children (self->stage);
}

static void
on_mode_toggled (PrismCompareImages *self)
{
  for (int mode = 0; mode <= PRISM_COMPARE_SWIPE; mode++)
    if (gtk_toggle_button_get_active (self->modes[mode]))
      self->stage->mode = mode;
  gtk_widget_set_visible (self->interval_box, self->stage->mode == PRISM_COMPARE_BLINK);
  gtk_widget_set_visible (self->swipe_box, self->stage->mode == PRISM_COMPARE_SWIPE);
  update_sides (self);
  update_blinking (self);
}

/* Both sides keep their places in the row of pictures while there are as many; they begin with the
 * first two. */
static void
name_sides (PrismCompareImages *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  const guint n = self->stage->views->len;

  for (guint i = 0; i < n; i++)
    gtk_string_list_append (names, prism_view_get_title (self->stage->views->pdata[i]));
  for (guint side = 0; side < 2; side++)
    {
      const guint chosen = gtk_drop_down_get_selected (self->sides[side]);

      gtk_drop_down_set_model (self->sides[side], G_LIST_MODEL (names));
      gtk_drop_down_set_selected (self->sides[side], chosen < n ? chosen : side);
    }
  update_sides (self);
}

static gboolean
has_shape_of (const PrismImage *image,
              const PrismImage *other)
{
  return image != NULL && other != NULL && image->width == other->width
         && image->height == other->height;
}

/* Returns: (nullable): none where the run has nothing to show */
static PrismImage *
get_picture (PrismCompareImages *self,
             guint i)
{
  const PrismResult *result = prism_comparison_get_result (self->comparison, i);

  return gtk_drop_down_get_selected (self->kind) == SHOW_PHASE ? result->phase
                                                               : result->snapshot->reconstruction;
}

/* What is subtracted from the reconstruction of a run; FALSE where the run has nothing to show. */
static gboolean
get_reference (PrismCompareImages *self,
               guint i,
               PrismImage **reference)
{
  const PrismSnapshot *snapshot = prism_comparison_get_result (self->comparison, i)->snapshot;
  const PrismSnapshot *first = prism_comparison_get_result (self->comparison, 0)->snapshot;

  *reference = NULL;
  if (get_picture (self, i) == NULL)
    return FALSE;
  switch (gtk_drop_down_get_selected (self->kind))
    {
    case SHOW_ERROR:
      *reference = snapshot->target;
      return has_shape_of (snapshot->reconstruction, snapshot->target);
    case SHOW_DIFFERENCE:
      *reference = first->reconstruction;
      return i > 0 && prism_config_keeps_object (first->config, snapshot->config)
             && has_shape_of (snapshot->reconstruction, first->reconstruction);
    case SHOW_RECONSTRUCTION:
    default:
      return TRUE;
    }
}

/* One for all pictures of a kind. */
static void
compute_mapping (PrismCompareImages *self,
                 PrismMapping *mapping)
{
  guint kind = gtk_drop_down_get_selected (self->kind);
  guint limits = gtk_drop_down_get_selected (self->limits);
  PrismMapping amplitude, phase;
  PrismImage *reference;

  prism_report_levels_compute (self->comparison, &amplitude, mapping, &phase);
  if (kind == SHOW_RECONSTRUCTION)
    *mapping = amplitude;
  if (kind == SHOW_PHASE)
    *mapping = phase;
  if (kind == SHOW_RECONSTRUCTION)
    mapping->colormap = gtk_drop_down_get_selected (self->colors);
  if (limits == LIMITS_KEPT && self->mapped[kind])
    {
      mapping->black = self->mappings[kind].black;
      mapping->white = self->mappings[kind].white;
    }
  else if (kind == SHOW_DIFFERENCE
           || (kind == SHOW_RECONSTRUCTION && limits == LIMITS_OF_PICTURES))
    {
      mapping->levels = kind == SHOW_DIFFERENCE ? PRISM_LEVELS_SYMMETRIC : PRISM_LEVELS_PERCENTILE;
      mapping->black = INFINITY;
      mapping->white = -INFINITY;
      for (guint i = 0; i < self->comparison->results->len; i++)
        if (get_reference (self, i, &reference))
          prism_report_levels_widen (mapping, get_picture (self, i), reference);
      mapping->levels = PRISM_LEVELS_MANUAL;
    }
}

/* Without a mapping there is a reason instead of a picture: an error or a difference that nobody
 * knows. */
static PrismView *
create_view (PrismCompareImages *self,
             guint i,
             PrismImage *reference,
             const PrismMapping *mapping,
             const char *reason)
{
  PrismView *view = PRISM_VIEW (g_object_new (PRISM_TYPE_IMAGE_VIEW, NULL));
  const PrismResult *result = prism_comparison_get_result (self->comparison, i);

  g_object_set (view, "title", result->name, "viewport", self->viewport, "empty-text", reason,
                NULL);
  gtk_widget_set_visible (GTK_WIDGET (view->color_bar), FALSE);
  if (mapping == NULL)
    return view;
  prism_view_set_mapping (view, mapping);
  prism_view_set_image (view, get_picture (self, i));
  if (reference != NULL)
    prism_view_set_reference (view, reference);
  return view;
}

static void
update_views (PrismCompareImages *self)
{
  g_autoptr (GPtrArray) views = g_ptr_array_new ();
  const guint kind = gtk_drop_down_get_selected (self->kind);
  PrismMapping mapping;
  guint n_pictures = 0;

  if (self->comparison == NULL)
    return;
  compute_mapping (self, &mapping);
  gtk_widget_set_sensitive (GTK_WIDGET (self->colors), kind == SHOW_RECONSTRUCTION);
  for (guint i = 0; i < self->comparison->results->len; i++)
    {
      const PrismConfig *first
          = prism_comparison_get_result (self->comparison, 0)->snapshot->config;
      PrismResult *result = prism_comparison_get_result (self->comparison, i);
      PrismImage *reference;

      if (get_reference (self, i, &reference))
        {
          g_ptr_array_add (views, create_view (self, i, reference, &mapping, NULL));
          n_pictures++;
        }
      else if (kind == SHOW_ERROR && result->snapshot->has_no_target)
        g_ptr_array_add (views, create_view (self, i, NULL, NULL,
                                             _ ("No target: the error is unknown.")));
      else if (kind == SHOW_DIFFERENCE && i > 0 && get_picture (self, i) != NULL)
        g_ptr_array_add (views,
                         create_view (self, i, NULL, NULL,
                                      prism_config_keeps_object (first, result->snapshot->config)
                                          ? _ ("Another size than the first picture.")
                                          : _ ("Of another object than the first picture.")));
    }
  if (n_pictures > 0)
    {
      self->mappings[kind] = mapping;
      self->mapped[kind] = TRUE;
    }
  set_views (self->stage, views);
  name_sides (self);
  prism_color_bar_set_mapping (self->color_bar, n_pictures > 0 ? &mapping : NULL);
  gtk_stack_set_visible_child_name (self->stack, views->len > 0 ? "stage" : "empty");
}

static void
prism_compare_images_class_init (PrismCompareImagesClass *klass)
{
  static const struct
  {
    const char *name;
    gssize offset;
  } children[] = {
    { "side_by_side", G_STRUCT_OFFSET (PrismCompareImages, modes[0]) },
    { "blink", G_STRUCT_OFFSET (PrismCompareImages, modes[1]) },
    { "wipe", G_STRUCT_OFFSET (PrismCompareImages, modes[2]) },
    { "left", G_STRUCT_OFFSET (PrismCompareImages, sides[0]) },
    { "right", G_STRUCT_OFFSET (PrismCompareImages, sides[1]) },
  };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_DISPOSE (klass, PrismCompareImages, g_source_remove, blink_id);
  PRISM_DISPOSE (klass, PrismCompareImages, prism_comparison_free, comparison);
  PRISM_DISPOSE (klass, PrismCompareImages, g_object_unref, viewport);
  g_type_ensure (PRISM_TYPE_COMPARE_STAGE);
  g_type_ensure (PRISM_TYPE_COLOR_BAR);
  PRISM_TEMPLATE (klass, PrismCompareImages, "prism-compare-images.ui", kind, colors,
                  limits, interval_box, interval, swipe_box, swipe, names, stack, stage, color_bar);
  PRISM_FOR_EACH_OF (one, children)
    gtk_widget_class_bind_template_child_full (widget_class, one->name, FALSE,
                                               one->offset);
  PRISM_TEMPLATE_CALLBACKS (klass, on_mode_toggled, update_sides, update_views, update_blinking);
}

/* As the window's pictures in the beginning. */
static void
fill_colors (PrismCompareImages *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  for (int map = 0; map < PRISM_COLORMAP_COOLWARM; map++)
    gtk_string_list_append (names, prism_colormap_get_label (map));
  gtk_drop_down_set_model (self->colors, G_LIST_MODEL (names));
  gtk_drop_down_set_selected (self->colors,
                              prism_settings_get_enum ("colormap", PRISM_TYPE_COLORMAP));
}

static void
prism_compare_images_init (PrismCompareImages *self)
{
  self->viewport = g_object_new (PRISM_TYPE_VIEWPORT, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_colors (self);
  gtk_range_set_adjustment (self->swipe, self->stage->divider);
}

/**
 * prism_compare_images_set_comparison:
 * @self: a page
 * @comparison: the runs
 *
 * Shows the pictures of these runs, on one scale of colours.
 */
void
prism_compare_images_set_comparison (PrismCompareImages *self,
                                     const PrismComparison *comparison)
{
  prism_keep (&self->comparison, comparison, prism_comparison_dup, prism_comparison_free);
  update_views (self);
}

/**
 * prism_compare_images_set_mode:
 * @self: a page
 * @mode: how to show the pictures
 *
 * Presses the button of the mode.
 */
void
prism_compare_images_set_mode (PrismCompareImages *self,
                               PrismCompareMode mode)
{
  gtk_toggle_button_set_active (self->modes[mode], TRUE);
}
