#include "config.h"

#include "reconstruction/prism-light-map.h"

#include "support/prism-widget.h"

#include <glib/gi18n.h>
#include <math.h>

struct _PrismLightMap
{
  GtkWidget parent_instance;

  PrismFinding *finding; /* (nullable) */
  PrismLightDraw draw;
  gboolean has_chosen;
  guint chosen;
};

enum
{
  FRAME_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismLightMap, prism_light_map, GTK_TYPE_WIDGET)

static gboolean
get_layout (PrismLightMap *self,
            PrismLightLayout *layout)
{
  return prism_light_draw_get_layout (&self->draw, gtk_widget_get_width (GTK_WIDGET (self)),
                                      gtk_widget_get_height (GTK_WIDGET (self)), layout);
}

/* What is said of a frame. */
static char *
dup_frame_text (PrismLightMap *self,
                guint j)
{
  const PrismFindingFrame *frame = &self->finding->frames[j];
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, frame->held ? _ ("Frame %u, never used") : _ ("Frame %u"), j);
  if (isfinite (frame->misfit))
    g_string_append_printf (text, _ (": misfit %.4f, correlation %.3f"), frame->misfit,
                            frame->correlation);
  if (isfinite (frame->gain))
    g_string_append_printf (text, _ (", gain %.3f"), frame->gain);
  if (isfinite (prism_light_draw_get_move (frame)))
    g_string_append_printf (text, _ (", moved by %.2f px"), prism_light_draw_get_move (frame));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
update_name (PrismLightMap *self)
{
  g_autofree char *text = prism_light_map_dup_text (self);
  g_autofree char *name = g_strdup_printf (_ ("Map over the lights: %s"),
                                           prism_light_draw_get_label (self->draw.kind));

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static void
draw_chosen (PrismLightMap *self,
             PrismPaint *paint,
             const PrismLightLayout *layout)
{
  double point[2];

  prism_light_draw_get_point (layout, self->finding->frames[self->chosen].found, point);
  cairo_new_sub_path (paint->cr);
  cairo_arc (paint->cr, point[0], point[1], layout->dot + 3, 0, 2 * G_PI);
  cairo_set_source_rgba (paint->cr, (double) paint->accent.red, (double) paint->accent.green,
                         (double) paint->accent.blue, 1);
  cairo_set_line_width (paint->cr, 2.5);
  cairo_stroke (paint->cr);
}

static void
prism_light_map_snapshot (GtkWidget *widget,
                          GtkSnapshot *snapshot)
{
  PrismLightMap *self = PRISM_LIGHT_MAP (widget);
  const int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (0, 0, width, height);
  PrismPaint paint;
  PrismLightLayout layout;
  cairo_t *cr;

  if (!get_layout (self, &layout))
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &bounds);
  prism_paint_init_widget (&paint, widget, cr);
  prism_light_draw_paint (&self->draw, &paint, width, height);
  if (self->has_chosen && prism_light_draw_has_place (&self->finding->frames[self->chosen]))
    draw_chosen (self, &paint, &layout);
  if (gtk_widget_has_visible_focus (widget))
    gtk_snapshot_render_focus (snapshot, gtk_widget_get_style_context (widget), 0, 0, width,
                               height);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
}

/* The light nearest to a point, in a direction where one is given: it has to lie within 45° of
 * it. */
static gboolean
find_light (PrismLightMap *self,
            const double point[2],
            const int direction[2],
            guint *found)
{
  double nearest = INFINITY;
  PrismLightLayout layout;

  if (!get_layout (self, &layout))
    return FALSE;
  for (guint j = 0; j < self->finding->n_frames; j++)
    {
      double there[2], along, across;

      if (!prism_light_draw_has_place (&self->finding->frames[j]))
        continue;
      prism_light_draw_get_point (&layout, self->finding->frames[j].found, there);
      if (direction != NULL)
        {
          along = direction[0] * (there[0] - point[0]) + direction[1] * (there[1] - point[1]);
          across = direction[1] * (there[0] - point[0]) - direction[0] * (there[1] - point[1]);
          if (along <= 1e-9 || fabs (across) > along)
            continue;
        }
      if (hypot (there[0] - point[0], there[1] - point[1]) < nearest)
        {
          nearest = hypot (there[0] - point[0], there[1] - point[1]);
          *found = j;
        }
    }
  return isfinite (nearest);
}

static void
on_pressed (GtkGestureClick *gesture,
            int n_press,
            double x,
            double y,
            PrismLightMap *self)
{
  guint frame;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (find_light (self, (const double[2]) { x, y }, NULL, &frame))
    prism_light_map_choose (self, frame);
}

/* arguments: the direction, column and row. */
static gboolean
go (GtkWidget *widget,
    GVariant *arguments,
    gpointer data)
{
  PrismLightMap *self = PRISM_LIGHT_MAP (widget);
  int direction[2];
  double point[2];
  PrismLightLayout layout;
  guint frame = 0;

  g_variant_get (arguments, "(ii)", &direction[0], &direction[1]);
  if (!get_layout (self, &layout))
    return FALSE;
  if (self->has_chosen)
    {
      prism_light_draw_get_point (&layout, self->finding->frames[self->chosen].found, point);
      if (!find_light (self, point, direction, &frame))
        return TRUE;
    }
  prism_light_map_choose (self, frame);
  return TRUE;
}

static void
bind_keys (GtkWidgetClass *klass)
{
  static const struct
  {
    guint keys[2];
    int direction[2];
  } arrows[] = { { { GDK_KEY_Right, GDK_KEY_KP_Right }, { 1, 0 } },
                 { { GDK_KEY_Left, GDK_KEY_KP_Left }, { -1, 0 } },
                 { { GDK_KEY_Down, GDK_KEY_KP_Down }, { 0, 1 } },
                 { { GDK_KEY_Up, GDK_KEY_KP_Up }, { 0, -1 } } };

  for (gsize i = 0; i < G_N_ELEMENTS (arrows); i++)
    for (int k = 0; k < 2; k++)
      gtk_widget_class_add_binding (klass, arrows[i].keys[k], 0, go, "(ii)",
                                    arrows[i].direction[0], arrows[i].direction[1]);
}

static gboolean
prism_light_map_query_tooltip (GtkWidget *widget,
                               int x,
                               int y,
                               gboolean by_keyboard,
                               GtkTooltip *tooltip)
{
  PrismLightMap *self = PRISM_LIGHT_MAP (widget);
  g_autofree char *text = NULL;
  guint frame;

  if (by_keyboard)
    text = prism_light_map_dup_text (self);
  else if (find_light (self, (const double[2]) { x, y }, NULL, &frame))
    text = dup_frame_text (self, frame);
  gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

static void
prism_light_map_dispose (GObject *object)
{
  PrismLightMap *self = PRISM_LIGHT_MAP (object);

  prism_light_draw_init (&self->draw, NULL, self->draw.kind);
  g_clear_pointer (&self->finding, prism_finding_unref);
  G_OBJECT_CLASS (prism_light_map_parent_class)->dispose (object);
}

static void
prism_light_map_class_init (PrismLightMapClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_light_map_dispose;
  widget_class->snapshot = prism_light_map_snapshot;
  widget_class->query_tooltip = prism_light_map_query_tooltip;
  bind_keys (widget_class);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  signals[FRAME_CHOSEN]
      = g_signal_new ("frame-chosen", PRISM_TYPE_LIGHT_MAP, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                      G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
prism_light_map_init (PrismLightMap *self)
{
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect (click, "pressed", G_CALLBACK (on_pressed), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  prism_light_draw_init (&self->draw, NULL, PRISM_LIGHT_MISFIT);
  update_name (self);
}

/**
 * prism_light_map_new:
 *
 * Returns: (transfer floating): an empty map
 */
GtkWidget *
prism_light_map_new (void)
{
  return g_object_new (PRISM_TYPE_LIGHT_MAP, "hexpand", TRUE, "vexpand", TRUE, NULL);
}

static void
update (PrismLightMap *self,
        PrismLightKind kind)
{
  prism_light_draw_init (&self->draw, self->finding, kind);
  update_name (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * prism_light_map_set_finding:
 * @finding: (nullable): what is known
 *
 * Shows other frames; the one that is chosen stays where there is one of its number.
 */
void
prism_light_map_set_finding (PrismLightMap *self,
                             PrismFinding *finding)
{
  if (finding == self->finding)
    return;
  prism_finding_unref (self->finding);
  self->finding = finding != NULL ? prism_finding_ref (finding) : NULL;
  self->has_chosen = self->has_chosen && finding != NULL && self->chosen < finding->n_frames;
  update (self, self->draw.kind);
}

/**
 * prism_light_map_set_kind:
 * @kind: what the colours say
 *
 * Colours the lights otherwise.
 */
void
prism_light_map_set_kind (PrismLightMap *self,
                          PrismLightKind kind)
{
  update (self, kind);
}

/**
 * prism_light_map_choose:
 * @frame: of the finding
 *
 * Chooses a frame, as a click does.
 */
void
prism_light_map_choose (PrismLightMap *self,
                        guint frame)
{
  if (self->finding == NULL || frame >= self->finding->n_frames)
    return;
  self->has_chosen = TRUE;
  self->chosen = frame;
  update_name (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[FRAME_CHOSEN], 0, frame);
}

/**
 * prism_light_map_get_chosen:
 * @frame: (out): its number
 *
 * Returns: whether one is chosen
 */
gboolean
prism_light_map_get_chosen (PrismLightMap *self,
                            guint *frame)
{
  *frame = self->chosen;
  return self->has_chosen;
}

/**
 * prism_light_map_dup_text:
 *
 * Returns: (transfer full): what is known of the frame that is chosen
 */
char *
prism_light_map_dup_text (PrismLightMap *self)
{
  if (self->finding == NULL || !self->has_chosen)
    return g_strdup (_ ("Choose a light to see its frame, measured and predicted."));
  return dup_frame_text (self, self->chosen);
}

struct _PrismLightPanel
{
  GtkBox parent_instance;

  GtkDropDown *kind;
  PrismLightMap *map;
  GtkLabel *text;
};

enum
{
  LIGHT_CHOSEN,
  N_PANEL_SIGNALS
};

static guint panel_signals[N_PANEL_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismLightPanel, prism_light_panel, GTK_TYPE_BOX)

static void
show_text (PrismLightPanel *self)
{
  g_autofree char *text = prism_light_map_dup_text (self->map);

  gtk_label_set_label (self->text, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text), text);
}

static void
on_frame_chosen (PrismLightPanel *self,
                 guint frame)
{
  show_text (self);
  g_signal_emit (self, panel_signals[LIGHT_CHOSEN], 0, frame);
}

static void
on_kind_chosen (PrismLightPanel *self)
{
  prism_light_map_set_kind (self->map, gtk_drop_down_get_selected (self->kind));
}

static void
prism_light_panel_class_init (PrismLightPanelClass *klass)
{
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-light-panel");
  panel_signals[LIGHT_CHOSEN]
      = g_signal_new ("frame-chosen", PRISM_TYPE_LIGHT_PANEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
prism_light_panel_init (PrismLightPanel *self)
{
  const char *labels[PRISM_LIGHT_N_KINDS + 1] = { NULL };

  for (guint k = 0; k < PRISM_LIGHT_N_KINDS; k++)
    labels[k] = prism_light_draw_get_label (k);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->kind = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (labels));
  gtk_widget_set_halign (GTK_WIDGET (self->kind), GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->kind), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What the colours of the lights say"), -1);
  self->map = PRISM_LIGHT_MAP (prism_light_map_new ());
  self->text = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->text, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->text, 0);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->kind));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->map));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->text));
  g_signal_connect_swapped (self->map, "frame-chosen", G_CALLBACK (on_frame_chosen), self);
  g_signal_connect_swapped (self->kind, "notify::selected", G_CALLBACK (on_kind_chosen), self);
  show_text (self);
}

/**
 * prism_light_panel_set_finding:
 * @finding: (nullable): what is known
 *
 * Shows other frames.
 */
void
prism_light_panel_set_finding (PrismLightPanel *self,
                               PrismFinding *finding)
{
  prism_light_map_set_finding (self->map, finding);
  show_text (self);
}
