#include "config.h"

#include "compare/prism-compare-stage.h"

#include <glib/gi18n.h>
#include <math.h>

#define GAP 6
/* How near to the divider the pointer takes hold of it. */
#define REACH 10
#define MIN_SIZE 120

/* A name that gives way where there is no room. */
static const char item_template[]
    = "<interface><template class='GtkListItem'><property name='child'><object class='GtkLabel'>"
      "<property name='xalign'>0</property><property name='ellipsize'>end</property>"
      "<binding name='label'><lookup name='string' type='GtkStringObject'>"
      "<lookup name='item'>GtkListItem</lookup></lookup></binding>"
      "</object></property></template></interface>";

struct _PrismCompareStage
{
  GtkWidget parent_instance;

  GPtrArray *views;      /* of PrismView, children */
  GtkWidget *tags;       /* a box of the two below, above the pictures */
  GtkDropDown *sides[2]; /* which views lie left and right of the divider */
  PrismCompareMode mode;
  guint current;   /* of the views, when they blink */
  double position; /* of the divider, 0…1 */
  gboolean dragging;
};

enum
{
  PROP_0,
  PROP_POSITION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (PrismCompareStage, prism_compare_stage, GTK_TYPE_WIDGET)

static gboolean
has_divider (PrismCompareStage *self)
{
  return self->mode == PRISM_COMPARE_SWIPE && self->views->len > 1;
}

static guint
get_side (PrismCompareStage *self,
          guint side)
{
  return gtk_drop_down_get_selected (self->sides[side]);
}

static gboolean
is_shown (PrismCompareStage *self,
          guint i)
{
  if (self->mode == PRISM_COMPARE_BLINK)
    return i == self->current;
  return self->mode == PRISM_COMPARE_SIDE_BY_SIDE || i == get_side (self, 0)
         || i == get_side (self, 1);
}

static void
update_children (PrismCompareStage *self)
{
  for (guint i = 0; i < self->views->len; i++)
    gtk_widget_set_child_visible (self->views->pdata[i], is_shown (self, i));
  gtk_widget_set_visible (self->tags, has_divider (self));
  for (guint i = 0; i < self->views->len; i++)
    /* The header with the name. */
    gtk_widget_set_visible (gtk_widget_get_first_child (self->views->pdata[i]),
                            !has_divider (self));
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
  int top = 0;

  if (has_divider (self))
    {
      gtk_widget_measure (self->tags, GTK_ORIENTATION_VERTICAL, width, &top, NULL, NULL, NULL);
      gtk_widget_size_allocate (self->tags, &(GtkAllocation) { 0, 0, width, top }, -1);
    }
  if (self->mode == PRISM_COMPARE_SIDE_BY_SIDE)
    allocate_grid (self, width, height);
  else
    for (guint i = 0; i < self->views->len; i++)
      gtk_widget_size_allocate (self->views->pdata[i],
                                &(GtkAllocation) { 0, top, width, MAX (height - top, 1) }, -1);
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

  *minimum = *natural = MIN_SIZE;
  for (guint i = 0; i < self->views->len; i++)
    {
      int child;

      gtk_widget_measure (self->views->pdata[i], orientation, -1, &child, NULL, NULL, NULL);
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
  int width = gtk_widget_get_width (widget);
  double x = round (self->position * width);

  if (!has_divider (self))
    {
      for (guint i = 0; i < self->views->len; i++)
        if (is_shown (self, i))
          gtk_widget_snapshot_child (widget, self->views->pdata[i], snapshot);
      return;
    }
  snapshot_part (self, snapshot, get_side (self, 0), 0, x);
  snapshot_part (self, snapshot, get_side (self, 1), x, width - x);
  snapshot_divider (self, snapshot, x);
  gtk_widget_snapshot_child (widget, self->tags, snapshot);
}

static void
on_drag_begin (GtkGestureDrag *gesture,
               double x,
               double y,
               PrismCompareStage *self)
{
  double divider = self->position * gtk_widget_get_width (GTK_WIDGET (self));

  self->dragging = has_divider (self) && fabs (x - divider) <= REACH;
  gtk_gesture_set_state (GTK_GESTURE (gesture), self->dragging ? GTK_EVENT_SEQUENCE_CLAIMED
                                                               : GTK_EVENT_SEQUENCE_DENIED);
}

static void
on_drag_update (GtkGestureDrag *gesture,
                double offset_x,
                double offset_y,
                PrismCompareStage *self)
{
  double x;
  double y;

  if (!self->dragging || !gtk_gesture_drag_get_start_point (gesture, &x, &y))
    return;
  prism_compare_stage_set_position (self, (x + offset_x)
                                              / MAX (1, gtk_widget_get_width (GTK_WIDGET (self))));
}

static void
on_motion (GtkEventControllerMotion *controller,
           double x,
           double y,
           PrismCompareStage *self)
{
  double divider = self->position * gtk_widget_get_width (GTK_WIDGET (self));
  gboolean near = has_divider (self) && fabs (x - divider) <= REACH;

  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), near ? "col-resize" : NULL);
}

static void
drop_views (PrismCompareStage *self)
{
  for (guint i = 0; i < self->views->len; i++)
    gtk_widget_unparent (self->views->pdata[i]);
  g_ptr_array_set_size (self->views, 0);
}

static void
prism_compare_stage_get_property (GObject *object,
                                  guint id,
                                  GValue *value,
                                  GParamSpec *pspec)
{
  if (id == PROP_POSITION)
    g_value_set_double (value, PRISM_COMPARE_STAGE (object)->position);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
prism_compare_stage_set_property (GObject *object,
                                  guint id,
                                  const GValue *value,
                                  GParamSpec *pspec)
{
  if (id == PROP_POSITION)
    prism_compare_stage_set_position (PRISM_COMPARE_STAGE (object), g_value_get_double (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
prism_compare_stage_dispose (GObject *object)
{
  PrismCompareStage *self = PRISM_COMPARE_STAGE (object);

  drop_views (self);
  g_clear_pointer (&self->tags, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_compare_stage_parent_class)->dispose (object);
}

static void
prism_compare_stage_finalize (GObject *object)
{
  g_ptr_array_unref (PRISM_COMPARE_STAGE (object)->views);
  G_OBJECT_CLASS (prism_compare_stage_parent_class)->finalize (object);
}

static void
prism_compare_stage_class_init (PrismCompareStageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = prism_compare_stage_get_property;
  object_class->set_property = prism_compare_stage_set_property;
  object_class->dispose = prism_compare_stage_dispose;
  object_class->finalize = prism_compare_stage_finalize;
  widget_class->size_allocate = prism_compare_stage_size_allocate;
  widget_class->measure = prism_compare_stage_measure;
  widget_class->snapshot = prism_compare_stage_snapshot;
  properties[PROP_POSITION]
      = g_param_spec_double ("position", NULL, NULL, 0, 1, 0.5,
                             G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "prism-compare-stage");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
append_side (PrismCompareStage *self,
             guint side)
{
  static const char *const names[] = { N_ ("Left of the divider"), N_ ("Right of the divider") };
  g_autoptr (GBytes) bytes
      = g_bytes_new_static (item_template, sizeof item_template - 1);
  g_autoptr (GtkListItemFactory) factory
      = gtk_builder_list_item_factory_new_from_bytes (NULL, bytes);

  self->sides[side] = GTK_DROP_DOWN (gtk_drop_down_new (NULL, NULL));
  gtk_drop_down_set_factory (self->sides[side], factory);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->sides[side]),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, _ (names[side]), -1);
  g_signal_connect_swapped (self->sides[side], "notify::selected", G_CALLBACK (update_children),
                            self);
  gtk_box_append (GTK_BOX (self->tags), GTK_WIDGET (self->sides[side]));
}

static void
prism_compare_stage_init (PrismCompareStage *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->views = g_ptr_array_new ();
  self->position = 0.5;
  self->tags = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, GAP);
  gtk_box_set_homogeneous (GTK_BOX (self->tags), TRUE);
  for (guint i = 0; i < 2; i++)
    append_side (self, i);
  gtk_widget_set_parent (self->tags, GTK_WIDGET (self));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  /* Before the view below, which would move its picture. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  gtk_event_controller_set_propagation_phase (motion, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}

/* Both sides keep their places in the row of views while there are as many. */
static void
name_sides (PrismCompareStage *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  for (guint i = 0; i < self->views->len; i++)
    gtk_string_list_append (names, prism_view_get_title (self->views->pdata[i]));
  for (guint side = 0; side < 2; side++)
    {
      const guint chosen = get_side (self, side);

      gtk_drop_down_set_model (self->sides[side], G_LIST_MODEL (names));
      gtk_drop_down_set_selected (self->sides[side], chosen < self->views->len ? chosen : side);
    }
}

/**
 * prism_compare_stage_set_views:
 * @self: a stage
 * @views: (element-type PrismView) (transfer none): new views, with titles
 *
 * Shows these views in place of those before. The first two are on either side of the divider until
 * others are chosen.
 */
void
prism_compare_stage_set_views (PrismCompareStage *self,
                               GPtrArray *views)
{
  drop_views (self);
  for (guint i = 0; i < views->len; i++)
    {
      gtk_widget_insert_before (views->pdata[i], GTK_WIDGET (self), self->tags);
      g_ptr_array_add (self->views, views->pdata[i]);
    }
  self->current = 0;
  name_sides (self);
  update_children (self);
}

/**
 * prism_compare_stage_set_mode:
 * @self: a stage
 * @mode: how to show the views
 *
 * Places the views anew.
 */
void
prism_compare_stage_set_mode (PrismCompareStage *self,
                              PrismCompareMode mode)
{
  if (self->mode == mode)
    return;
  self->mode = mode;
  update_children (self);
}

/**
 * prism_compare_stage_get_mode:
 * @self: a stage
 *
 * Returns: how the views are shown
 */
PrismCompareMode
prism_compare_stage_get_mode (PrismCompareStage *self)
{
  return self->mode;
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

/**
 * prism_compare_stage_get_current:
 * @self: a stage
 *
 * Returns: index of the view that is to be seen when they blink
 */
guint
prism_compare_stage_get_current (PrismCompareStage *self)
{
  return self->current;
}

/**
 * prism_compare_stage_set_position:
 * @self: a stage
 * @position: 0 left … 1 right
 *
 * Moves the divider.
 */
void
prism_compare_stage_set_position (PrismCompareStage *self,
                                  double position)
{
  position = CLAMP (position, 0.0, 1.0);
  if (position == self->position)
    return;
  self->position = position;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_POSITION]);
}
